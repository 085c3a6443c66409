//! Space on the target: space that a run needs and that is not free comes from the test files of earlier
//! runs in the area. They are removed oldest first, only as many as needed, and viewers are informed
//! before each.
//!
//! Nothing is removed if the file system has no locks: another run may be using it.
//!
//! Not here: the choice among them (the engine's data sets).

use std::path::{Path, PathBuf};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use reelgauge_analysis::{Note, NoteFact};
use reelgauge_engine::area::Area;
use reelgauge_engine::dataset::{self, DataSetError, DataSetSpec, OtherSet};
use reelgauge_engine::space::{Space, space};

use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::locked_target::LockedTarget;
use crate::session::space::Lacking;

/// The interval of checks for interruptions.
const BEAT: Duration = Duration::from_millis(20);
/// How long an interrupted run waits for busy storage.
const GRACE: Duration = Duration::from_millis(500);

/// The space of an area that a run has taken.
#[derive(Clone, Debug)]
pub struct SpaceMaker {
    area: Area,
    /// Whether no other run can be using the area's files.
    is_alone: bool,
}

impl SpaceMaker {
    /// The free space for the run's own area.
    pub fn of(locked: &LockedTarget) -> SpaceMaker {
        SpaceMaker { area: locked.area.clone(), is_alone: locked.lock.note().is_none() }
    }

    /// Makes space for the missing part of a data set; returns a note for the user. `used` are all data
    /// sets of this run; they stay. If there cannot be enough, everything stays, and preparing reports
    /// the error.
    ///
    /// # Errors
    /// If the area cannot be read, something cannot be removed, or the user stops it.
    pub fn make_for(
        &self,
        spec: &DataSetSpec,
        used: &[DataSetSpec],
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Vec<Note>, RunError> {
        let (area, spec) = (self.area.clone(), *spec);
        let missing_bytes = apart(move || Ok(spec.missing_bytes(&area)?), interrupt)?;
        // If there is enough space, nothing was removed.
        Ok(self.make(missing_bytes, used, observer, interrupt)?.unwrap_or_default())
    }

    /// Makes space for files that a load point writes; returns a note for the user.
    ///
    /// # Errors
    /// Also when there cannot be enough space.
    pub fn make_for_load(
        &self,
        bytes: u64,
        used: &[DataSetSpec],
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Vec<Note>, RunError> {
        if let Some(notes) = self.make(bytes, used, observer, interrupt)? {
            return Ok(notes);
        }
        let root = self.area.root().to_path_buf();
        let ask = move || space(&root).map_err(RunError::io("read the free space of the target"));
        let unknown = Space { available_bytes: 0, total_bytes: 0 };
        let space = apart(ask, interrupt)?.unwrap_or(unknown);
        let Lacking { needed, available, kept } = Lacking::of(bytes, space, self.area.keep_free());
        Err(RunError::LoadSpace { target: self.area.target().to_path_buf(), needed, available, kept })
    }

    /// Bytes of these data sets that are missing, by names and sizes. An incomplete file counts as
    /// missing: it is written from its beginning. So do files that can't be read; preparing reports
    /// those.
    pub fn yet_to_write(&self, specs: &[DataSetSpec]) -> u64 {
        // Sizes are the user's choice: saturating keeps an impossible value impossible, here and below.
        let all = |spec: &DataSetSpec| spec.file_bytes.saturating_mul(u64::from(spec.files));
        let missing = specs.iter().map(|spec| spec.missing_bytes(&self.area).unwrap_or(all(spec)));
        // See above.
        missing.fold(0, u64::saturating_add)
    }

    /// Bytes that could be released, and of the data sets of this run that exist already.
    pub fn held_bytes(&self, used: &[DataSetSpec]) -> u64 {
        // Files that cannot be listed cannot make space.
        let others =
            if self.is_alone { dataset::others(&self.area, used).unwrap_or_default() } else { Vec::new() };
        let others = others.iter().map(|set| set.bytes);
        let ours = used.iter().map(|spec| folder_bytes(&self.area.data_dir().join(spec.name())));
        // See above.
        others.chain(ours).fold(0, u64::saturating_add)
    }

    /// Makes this much space in addition to the data sets in use; returns a note for the user, or `None`
    /// if there cannot be enough.
    ///
    /// # Errors
    /// If the area cannot be read, something cannot be removed, or the user stops it.
    pub fn make(
        &self,
        bytes: u64,
        used: &[DataSetSpec],
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Option<Vec<Note>>, RunError> {
        if bytes == 0 {
            return Ok(Some(Vec::new()));
        }
        let (this, used) = (self.clone(), used.to_vec());
        let Some(going) = apart(move || this.going(bytes, &used), interrupt)? else {
            return Ok(None);
        };
        let mut notes = Vec::new();
        for set in going {
            observer.removing_data_set(&set);
            let sentence = format!(
                "Removed test files of an earlier run to free space: {} ({}).",
                set.name,
                dataset::amount(set.bytes)
            );
            let fact = NoteFact::EarlierFilesRemoved { name: set.name.clone(), bytes: set.bytes };
            notes.push(Note::new(fact, sentence, ""));
            let area = self.area.clone();
            apart(move || Ok(dataset::remove_set(&area, &set)?), interrupt)?;
        }
        Ok(Some(notes))
    }

    /// The data sets to remove.
    fn going(&self, bytes: u64, used: &[DataSetSpec]) -> Result<Option<Vec<OtherSet>>, RunError> {
        let space = space(self.area.root()).map_err(RunError::io("read the free space of the target"))?;
        let others = if self.is_alone { dataset::others(&self.area, used)? } else { Vec::new() };
        Ok(dataset::removable_for(&others, bytes, space, self.area.keep_free()))
    }
}

/// Does work on the target on a separate thread, so that a mount that hangs cannot keep the run from
/// ending.
fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, RunError> + Send + 'static,
    interrupt: &Interrupt,
) -> Result<T, RunError> {
    let (sender, result) = channel();
    let told = move || {
        // The receiver is dropped if the caller gave up.
        let _ = sender.send(work());
    };
    std::thread::Builder::new()
        .name("room".to_owned())
        .spawn(told)
        .map_err(|source| DataSetError::Thread { source })?;
    let begun = Instant::now();
    loop {
        match result.recv_timeout(BEAT) {
            Ok(result) => return result,
            Err(RecvTimeoutError::Disconnected) => return Err(DataSetError::Died.into()),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if interrupt.asked() && begun.elapsed() >= GRACE {
            return Err(DataSetError::Interrupted { written_bytes: 0 }.into());
        }
    }
}

/// Bytes of the files in a folder and its subfolders; files that can't be read count as 0.
pub(crate) fn folder_bytes(folder: &Path) -> u64 {
    let mut folders: Vec<PathBuf> = vec![folder.to_path_buf()];
    let mut bytes = 0;
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            match entry.metadata() {
                Ok(facts) if facts.is_dir() => folders.push(entry.path()),
                Ok(facts) => bytes += facts.len(),
                Err(_) => {}
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;

    use reelgauge_engine::dataset::DataSet;

    use super::*;

    #[derive(Default)]
    struct Told(Vec<String>);

    impl Observer for Told {
        fn removing_data_set(&mut self, set: &OtherSet) {
            self.0.push(set.name.clone());
        }
    }

    fn prepare(area: &Area, file_bytes: u64) -> DataSetSpec {
        let spec = DataSetSpec { files: 1, file_bytes, unit_bytes: 4096, seed: 1 };
        let mut progress = |_| ControlFlow::Continue(());
        DataSet::prepare(area, &spec, &mut progress, &AtomicBool::new(false)).unwrap();
        spec
    }

    fn taken() -> (tempfile::TempDir, LockedTarget) {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        (target, LockedTarget::take(&area).unwrap())
    }

    #[test]
    fn an_impossible_demand_removes_nothing_and_is_refused_before_the_start() {
        let (_target, locked) = taken();
        prepare(&locked.area, 1 << 20);
        let (room, mut told) = (SpaceMaker::of(&locked), Told::default());
        let wanted = 1 << 60;
        let error = room.make_for_load(wanted, &[], &mut told, &Interrupt::default()).unwrap_err();
        assert!(matches!(error, RunError::LoadSpace { .. }), "{error}");
        assert_eq!(error.exit_code(), 2);
        assert!(told.0.is_empty() && locked.area.data_dir().join("files-1MiB-u4096").exists());
    }

    #[test]
    fn a_file_that_was_broken_off_has_yet_to_be_written_as_a_whole() {
        let (_target, locked) = taken();
        let there = prepare(&locked.area, 1 << 20);
        let wanted = DataSetSpec { files: 3, ..there };
        let room = SpaceMaker::of(&locked);
        assert_eq!(room.yet_to_write(&[there]), 0);
        assert_eq!(room.yet_to_write(&[wanted, there]), 2 << 20);
        let folder = locked.area.data_dir().join(there.name());
        std::fs::write(folder.join("file-0001.bin.part"), vec![1; 700_000]).unwrap();
        std::fs::write(folder.join("file-0002.bin"), vec![1; 4096]).unwrap();
        assert_eq!(room.yet_to_write(&[wanted]), 2 << 20);
        let other = DataSetSpec { file_bytes: 2 << 20, ..wanted };
        assert_eq!(room.yet_to_write(&[other]), 6 << 20);
    }

    #[test]
    fn available_space_includes_releasable_and_existing_files() {
        let (_target, locked) = taken();
        let (old, used) = (prepare(&locked.area, 1 << 20), prepare(&locked.area, 2 << 20));
        let room = SpaceMaker::of(&locked);
        let manifests = 2 * 4096;
        let about = |mib: u64, bytes: u64| (mib << 20..(mib << 20) + manifests).contains(&bytes);
        assert!(about(3, room.held_bytes(&[used])));
        assert!(about(3, room.held_bytes(&[old, used])));
        // If another run may be active, only the files of this run count.
        let shared = SpaceMaker { is_alone: false, ..room };
        assert!(about(2, shared.held_bytes(&[used])));
        assert!(shared.going(u64::MAX / 4, &[]).unwrap().is_none());
    }
}
