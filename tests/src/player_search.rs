//! A search for the largest number of players of a custom format, as a plan.

use std::path::{Path, PathBuf};

use crate::scratch::Scratch;

/// Frame size of the custom format: 53 blocks of 4 KiB, which allows direct I/O.
pub const OWN_FRAME_BYTES: u64 = 217_088;

/// The rate of one stream.
pub const OWN_BYTES_PER_S: u64 = OWN_FRAME_BYTES * 25;

/// A search for the largest number of players of a custom format. It starts at a count that passes, goes
/// to a cap that is two too many, and back to the count in between. The found count is confirmed for
/// some seconds.
pub struct Sought {
    /// The first count.
    pub start: u32,
    /// The largest count it may find.
    pub cap: u32,
    /// Duration of a trial.
    pub duration: &'static str,
    /// How far a player reads ahead; `None` for the default.
    pub buffer: Option<&'static str>,
}

impl Sought {
    pub fn plan(&self, scratch: &Scratch, target: &Path) -> PathBuf {
        let Sought { start, cap, duration, buffer } = self;
        let buffer = buffer.map_or(String::new(), |buffer| format!("buffer = '{buffer}'\n"));
        let plan = format!(
            "plan_version = 1\nname = 'players of an own format'\ntarget = '{}'\nwarmup = '1s'\n\
             duration = '{duration}'\ndirect = true\n\
             find_max = {{ start = {start}, cap = {cap}, repeats = 1, confirm = '12s' }}\n\n\
             [[actor]]\nkind = 'player'\nclip = '1s'\n{buffer}\
             own_format = {{ name = 'flat', bytes_per_frame = {OWN_FRAME_BYTES}, fps = 25 }}\n",
            target.display()
        );
        let path = scratch.path().join("plan.toml");
        std::fs::write(&path, plan).unwrap();
        path
    }
}
