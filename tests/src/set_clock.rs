//! A wall clock that a test sets while the binary runs. Only one process and its children see it; the
//! host's clock is unchanged.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::binary;
use crate::needs::Need;
use crate::programs::tool_with;
use crate::scratch::Scratch;

/// The requirements of [`SetClock::new`].
pub const NEEDS: &[Need] = &[Need::Tool("cc")];

/// A clock for one process and its children.
#[derive(Debug)]
pub struct SetClock {
    library: PathBuf,
    ahead: PathBuf,
    _scratch: Scratch,
}

impl SetClock {
    /// A clock without an offset.
    ///
    /// # Panics
    /// If it can't be made.
    pub fn new() -> SetClock {
        let scratch = Scratch::new();
        let (library, ahead) = (scratch.path().join("set_clock.so"), scratch.path().join("ahead"));
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("guest/set_clock.c");
        let [source, shared] = [&source, &library].map(|path| path.display().to_string());
        let made = tool_with(&["cc", "-shared", "-fPIC", "-O1", "-o", &shared, &source, "-ldl"]);
        made.unwrap_or_else(|error| panic!("the library is not made: {error}"));
        fs::write(&ahead, 0_i64.to_ne_bytes()).unwrap();
        SetClock { library, ahead, _scratch: scratch }
    }

    /// Sets the clock ahead by this much.
    ///
    /// # Panics
    /// If it can't be set.
    pub fn set(&self, ahead_ns: i64) {
        use std::os::unix::fs::FileExt;
        // Written in place, because the file is mapped.
        let file = fs::OpenOptions::new().write(true).open(&self.ahead).unwrap();
        file.write_all_at(&ahead_ns.to_ne_bytes(), 0).unwrap();
    }

    /// A command for the binary that uses this clock.
    pub fn command(&self) -> Command {
        let mut command = Command::new(binary::path());
        command.env("LD_PRELOAD", &self.library).env("REELGAUGE_TEST_CLOCK", &self.ahead);
        command
    }
}

impl Default for SetClock {
    fn default() -> SetClock {
        SetClock::new()
    }
}
