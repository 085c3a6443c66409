//! Whether enough space stays free while a load point makes files: other users of shared storage may
//! fill it during the run.
//!
//! A separate thread checks, since a check of dead storage may never return. If the run makes no files,
//! it does not check: overwriting files takes no space.
//!
//! Not here: the space before a run begins ([`super::space`]).

use std::io;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use reelgauge_engine::area::{Area, SCRATCH_DIR};
use reelgauge_engine::space::{Space, space};

/// The interval of checks, in which a fast recorder writes some tens of MB.
const EVERY: Duration = Duration::from_millis(100);

/// The space that must stay free is no longer free.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpaceShortage {
    /// The free space now, in bytes.
    pub available_bytes: u64,
    /// The space that must stay free, in bytes.
    pub kept_bytes: u64,
}

#[derive(Debug, Default)]
struct Watched {
    crowded: OnceLock<SpaceShortage>,
    ended: AtomicBool,
}

/// The handle on the thread. Dropping it ends the thread without waiting for it.
#[derive(Debug)]
pub struct RoomWatch(Arc<Watched>);

impl RoomWatch {
    /// Starts the thread.
    ///
    /// # Errors
    /// If no thread can be started.
    pub fn start(area: &Area) -> io::Result<RoomWatch> {
        let watched = Arc::new(Watched::default());
        let (seen, area) = (Arc::clone(&watched), area.clone());
        std::thread::Builder::new().name("room".to_owned()).spawn(move || watch(&area, &seen))?;
        Ok(RoomWatch(watched))
    }

    /// The state when the space that must stay free was no longer free; `None` until then.
    pub fn crowded(&self) -> Option<SpaceShortage> {
        self.0.crowded.get().copied()
    }
}

impl Drop for RoomWatch {
    fn drop(&mut self) {
        self.0.ended.store(true, Ordering::Relaxed);
    }
}

fn watch(area: &Area, watched: &Watched) {
    let scratch = std::fs::read_dir(area.root().join(SCRATCH_DIR));
    let makes_files = scratch.is_ok_and(|mut folders| folders.next().is_some());
    let at_start = space(area.root()).ok().flatten();
    // If too little was free before, that was reported at the start.
    if !makes_files || at_start.is_none_or(|space| crowded(space, area).is_some()) {
        return;
    }
    while !watched.ended.load(Ordering::Relaxed) {
        if let Ok(Some(space)) = space(area.root())
            && let Some(crowded) = crowded(space, area)
        {
            // Only the first one is kept.
            let _ = watched.crowded.set(crowded);
            return;
        }
        std::thread::sleep(EVERY);
    }
}

fn crowded(space: Space, area: &Area) -> Option<SpaceShortage> {
    let kept_bytes = space.kept_bytes(area.keep_free());
    let is_crowded = space.available_bytes < kept_bytes;
    is_crowded.then_some(SpaceShortage { available_bytes: space.available_bytes, kept_bytes })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_engine::area::Terms;
    use reelgauge_engine::space::KeepFree;

    use super::*;

    fn area(target: &tempfile::TempDir, kept_bytes: u64) -> Area {
        let terms = Terms { keep_free: KeepFree::Bytes(kept_bytes), ..Terms::default() };
        Area::open_or_create_on(target.path(), terms).unwrap()
    }

    #[test]
    fn shortage_at_start_or_without_new_files_does_not_stop_the_run() {
        let target = tempfile::tempdir().unwrap();
        let scratch = area(&target, 0).root().join(SCRATCH_DIR);
        std::fs::create_dir_all(scratch.join("00-recorder-0000")).unwrap();
        let watched = Watched::default();
        // Too little before: it does not begin to check.
        watch(&area(&target, u64::MAX), &watched);
        assert_eq!(watched.crowded.get(), None);
        // The run makes no files.
        std::fs::remove_dir(scratch.join("00-recorder-0000")).unwrap();
        watch(&area(&target, 0), &watched);
        assert_eq!(watched.crowded.get(), None);
    }

    #[test]
    fn free_space_below_the_reserve_is_reported() {
        let target = tempfile::tempdir().unwrap();
        let area = area(&target, 100);
        let of = |available_bytes| crowded(Space { available_bytes, total_bytes: 1_000 }, &area);
        assert_eq!((of(100), of(99)), (None, Some(SpaceShortage { available_bytes: 99, kept_bytes: 100 })));
    }
}
