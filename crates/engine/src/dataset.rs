//! Data sets: files prepared in the area for a workload, and reused when they already exist.
//!
//! A data set is named by its content (`data/files-1GiB-u4096`), so that the next run with the same size
//! finds it. It grows: for eight files of which four exist, it writes four. A file gets its name
//! (`file-0003.bin`) only when it is completely written and durable. An interrupted file is called
//! `….part` and is written again. The manifest `dataset.toml` records the seed of the data.
//!
//! Space is checked before anything is written, and preparing leaves neither dirty pages nor a warm
//! cache. All of it happens on a separate thread, so that the caller can stop even if a mount hangs.
//!
//! Data sets of earlier runs are removed if their space is needed: [`earlier_sets`] finds them,
//! [`to_give_back`] selects them.
//!
//! [`image`]: files of any size and name, recreated for each pass of a replay.
//!
//! Not here: the content of the data ([`crate::pattern`]).

mod earlier_sets;
mod error;
mod fill;
pub mod image;
mod manifest;
mod survey;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

pub use earlier_sets::{OtherSet, others, removable_for, remove_set};
pub use error::{DataSetError, amount};

use crate::area::Area;
use crate::pattern::PatternSpec;
use crate::set_names;
use crate::target_file::TargetFile;
use crate::throttle::{Pace, Throttle};

/// How often progress is reported and the stop flag is checked.
const BEAT: Duration = Duration::from_millis(50);
/// How long a stopped preparation may take to clean up before the caller stops waiting for it.
const GRACE: Duration = Duration::from_millis(150);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataSetSpec {
    /// Number of files; at least 1.
    pub files: u32,
    /// Size of each; at least 1.
    pub file_bytes: u64,
    /// Bytes between two stamps of the pattern: 512 or 4096.
    pub unit_bytes: u32,
    /// Seed of the data. Existing files keep theirs; see [`DataSet::pattern`].
    pub seed: u64,
}

/// The progress of a preparation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prepared {
    /// Bytes of files that already existed.
    pub reused_bytes: u64,
    /// Bytes written so far.
    pub written_bytes: u64,
    /// Total size of the data set.
    pub total_bytes: u64,
}

/// Files that are ready for a run.
#[derive(Clone, Debug, PartialEq)]
pub struct DataSet {
    pub directory: PathBuf,
    /// The files, in the order of their numbers.
    pub files: Vec<TargetFile>,
    /// The specification of the data. The seed is that of the first preparation, even if another one was
    /// requested now: data of any seed is equally suitable, and is not written twice.
    pub pattern: PatternSpec,
    /// Number of complete files, which may be more than requested.
    pub files_there: u32,
    /// Bytes of files that already existed.
    pub reused_bytes: u64,
    /// Bytes that were written.
    pub written_bytes: u64,
    /// Duration of the preparation.
    pub seconds: f64,
}

/// The state that the caller's thread and the working thread share.
#[derive(Debug, Default)]
struct Shared {
    reused_bytes: AtomicU64,
    written_bytes: AtomicU64,
    stop: AtomicBool,
    /// Limits the rate of the writes.
    pace: Option<Pace>,
}

impl Shared {
    fn new(throttle: Option<Throttle>) -> Arc<Shared> {
        Arc::new(Shared { pace: throttle.map(Pace::new), ..Shared::default() })
    }

    /// Waits until this many bytes may be written, or until a stop is requested.
    fn wait_turn(&self, bytes: u64) {
        if let Some(pace) = &self.pace {
            pace.wait_for(bytes, || self.stopped());
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn progress(&self, total_bytes: u64) -> Prepared {
        Prepared {
            reused_bytes: self.reused_bytes.load(Ordering::Relaxed),
            written_bytes: self.written_bytes.load(Ordering::Relaxed),
            total_bytes,
        }
    }
}

impl DataSet {
    /// Ensures that these files exist in the area, and writes missing ones.
    ///
    /// The caller must hold the area's lock. `progress` is called about twenty times per second. If it
    /// returns `Break`, or `stop` is set, the preparation ends within 200 ms. Complete files are kept
    /// for the next time. An incomplete file is removed (or, on storage that hangs, kept as `….part`).
    ///
    /// # Errors
    /// [`DataSetError`]: too little space, checked before anything is written; space or quota exhausted
    /// during the preparation; files in the area that are not data files; an interruption; any error of
    /// the storage.
    pub fn prepare(
        area: &Area,
        spec: &DataSetSpec,
        progress: &mut dyn FnMut(Prepared) -> ControlFlow<()>,
        stop: &AtomicBool,
    ) -> Result<DataSet, DataSetError> {
        let total_bytes = spec.total_bytes()?;
        let begun = Instant::now();
        let shared = Shared::new(area.throttle());
        let (sender, result) = mpsc::channel();
        let (area, work, spec) = (area.clone(), Arc::clone(&shared), *spec);
        std::thread::Builder::new()
            .name("prepare".to_owned())
            .spawn(move || {
                // The send fails only if the caller gave up and dropped the receiver.
                let _ = sender.send(fill::prepare(&area, &spec, &work));
            })
            .map_err(|source| DataSetError::Thread { source })?;
        let watch = Watch { result, shared, total_bytes };
        let mut set = watch.until_done(progress, stop)?;
        set.seconds = begun.elapsed().as_secs_f64();
        Ok(set)
    }
}

impl DataSetSpec {
    /// The name of such a data set: the same for all that can replace each other.
    pub fn name(&self) -> String {
        set_names::directory_name(self.file_bytes, self.unit_bytes)
    }

    /// Bytes that still have to be written in this area, judged by names and sizes.
    ///
    /// # Errors
    /// If the specification is invalid, or the area cannot be read.
    pub fn missing_bytes(&self, area: &Area) -> Result<u64, DataSetError> {
        self.total_bytes()?;
        let (_, found) = survey::look(area, &area.data_dir().join(self.name()), self)?;
        Ok(found.missing.len() as u64 * self.file_bytes)
    }

    /// Total size of all files, if the specification is valid.
    fn total_bytes(&self) -> Result<u64, DataSetError> {
        let wrong = |why| Err(DataSetError::Spec { why });
        if self.files == 0 {
            return wrong("it needs at least one file");
        }
        if self.file_bytes == 0 {
            return wrong("its files need at least one byte");
        }
        if !matches!(self.unit_bytes, 512 | 4096) {
            return wrong("its unit must be 512 or 4096 bytes");
        }
        match self.file_bytes.checked_mul(u64::from(self.files)) {
            Some(total_bytes) if i64::try_from(total_bytes).is_ok() => Ok(total_bytes),
            _ => wrong("it is larger than any storage"),
        }
    }
}

/// The caller's side of a preparation.
struct Watch<T> {
    result: Receiver<Result<T, DataSetError>>,
    shared: Arc<Shared>,
    total_bytes: u64,
}

impl<T> Watch<T> {
    fn until_done(
        &self,
        progress: &mut dyn FnMut(Prepared) -> ControlFlow<()>,
        stop: &AtomicBool,
    ) -> Result<T, DataSetError> {
        loop {
            match self.result.recv_timeout(BEAT) {
                Ok(result) => {
                    // This makes the last report the final one. There is nothing left to stop.
                    let _ = progress(self.shared.progress(self.total_bytes));
                    return result;
                }
                Err(RecvTimeoutError::Disconnected) => return Err(DataSetError::Died),
                Err(RecvTimeoutError::Timeout) => {}
            }
            let told_to_stop = progress(self.shared.progress(self.total_bytes)).is_break();
            if told_to_stop || stop.load(Ordering::Relaxed) {
                return self.give_up();
            }
        }
    }

    fn give_up(&self) -> Result<T, DataSetError> {
        self.shared.stop.store(true, Ordering::Relaxed);
        let interrupted =
            || DataSetError::Interrupted { written_bytes: self.shared.written_bytes.load(Ordering::Relaxed) };
        match self.result.recv_timeout(GRACE) {
            Ok(result) => result,
            Err(RecvTimeoutError::Timeout) => Err(interrupted()),
            Err(RecvTimeoutError::Disconnected) => Err(DataSetError::Died),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::pattern::{FILL_WRITER, Stamp};
    use std::fs;
    use std::path::Path;

    const MIB: u64 = 1 << 20;
    const SPEC: DataSetSpec =
        DataSetSpec { files: 3, file_bytes: 2 * MIB + 4096, unit_bytes: 4096, seed: u64::MAX - 5 };

    fn area() -> (tempfile::TempDir, Area) {
        let dir = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(dir.path()).unwrap();
        (dir, area)
    }

    fn prepare(area: &Area, spec: DataSetSpec) -> Result<DataSet, DataSetError> {
        let mut progress = |_| ControlFlow::Continue(());
        DataSet::prepare(area, &spec, &mut progress, &AtomicBool::new(false))
    }

    fn names_in(dir: &Path) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(dir)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn assert_holds_the_pattern(set: &DataSet) {
        for (number, file) in set.files.iter().enumerate() {
            let content = fs::read(&file.path).unwrap();
            assert_eq!(content.len() as u64, file.size_bytes);
            for (index, unit) in content.chunks(set.pattern.unit_bytes as usize).enumerate() {
                let stamp = Stamp::read(set.pattern, unit).unwrap();
                assert_eq!((stamp.file, stamp.unit), (number as u32, index as u64));
                assert_eq!(stamp.writer, FILL_WRITER);
                let mut rebuilt = vec![0; unit.len()];
                stamp.rebuild(set.pattern, &mut rebuilt);
                assert!(rebuilt == unit, "unit {index} of file {number}");
            }
        }
    }

    #[test]
    fn written_once_and_then_used_again() {
        let (_dir, area) = area();
        let set = prepare(&area, SPEC).unwrap();
        assert_eq!((set.reused_bytes, set.written_bytes), (0, 3 * SPEC.file_bytes));
        assert_eq!(set.directory, area.data_dir().join("files-2052KiB-u4096"));
        assert_eq!(
            names_in(&set.directory),
            ["dataset.toml", "file-0000.bin", "file-0001.bin", "file-0002.bin"]
        );
        assert_eq!(set.pattern.seed, SPEC.seed);
        assert_holds_the_pattern(&set);

        let again = prepare(&area, SPEC).unwrap();
        assert_eq!((again.reused_bytes, again.written_bytes), (3 * SPEC.file_bytes, 0));
        assert_eq!(again.files, set.files);
    }

    #[test]
    fn no_unit_is_there_twice() {
        let (_dir, area) = area();
        let set = prepare(&area, SPEC).unwrap();
        let mut units = std::collections::HashSet::new();
        for file in &set.files {
            for unit in fs::read(&file.path).unwrap().chunks(4096) {
                assert!(units.insert(unit.to_vec()));
            }
        }
    }

    #[test]
    fn data_set_grows_keeps_its_seed_and_supplies_fewer_files() {
        let (_dir, area) = area();
        prepare(&area, SPEC).unwrap();
        let other_seed = DataSetSpec { seed: 1, files: 5, ..SPEC };
        let grown = prepare(&area, other_seed).unwrap();
        assert_eq!((grown.reused_bytes, grown.written_bytes), (3 * SPEC.file_bytes, 2 * SPEC.file_bytes));
        assert_eq!(grown.pattern.seed, SPEC.seed);
        assert_holds_the_pattern(&grown);

        let fewer = prepare(&area, DataSetSpec { files: 1, ..SPEC }).unwrap();
        assert_eq!((fewer.files.len(), fewer.written_bytes), (1, 0));
        assert_eq!((grown.files_there, fewer.files_there), (5, 5));
        let all = prepare(&area, DataSetSpec { files: 5, ..SPEC }).unwrap();
        assert_eq!(all.written_bytes, 0);
    }

    #[test]
    fn other_sizes_and_units_are_other_data_sets() {
        let (_dir, area) = area();
        prepare(&area, SPEC).unwrap();
        prepare(&area, DataSetSpec { unit_bytes: 512, ..SPEC }).unwrap();
        let odd = prepare(&area, DataSetSpec { file_bytes: 4096 + 100, ..SPEC }).unwrap();
        assert_holds_the_pattern(&odd);
        assert_eq!(
            names_in(&area.data_dir()),
            ["files-2052KiB-u4096", "files-2052KiB-u512", "files-4196B-u4096"]
        );
    }

    #[test]
    fn only_unfit_files_are_rewritten() {
        let (_dir, area) = area();
        let set = prepare(&area, SPEC).unwrap();
        let path = |number: usize| set.files[number].path.clone();
        // One file is too short, one too long.
        fs::write(path(0), "short").unwrap();
        let long = fs::OpenOptions::new().write(true).open(path(2)).unwrap();
        long.set_len(SPEC.file_bytes + 1).unwrap();
        drop(long);
        // A file left by a killed run.
        fs::write(set.directory.join("file-0001.bin.part"), "half").unwrap();

        let mended = prepare(&area, SPEC).unwrap();
        assert_eq!((mended.reused_bytes, mended.written_bytes), (SPEC.file_bytes, 2 * SPEC.file_bytes));
        assert_holds_the_pattern(&mended);
        assert!(!names_in(&set.directory).iter().any(|name| name.ends_with(".part")));
    }

    #[test]
    fn without_a_manifest_nothing_is_trusted() {
        let (_dir, area) = area();
        for text in [None, Some("nonsense"), Some("format = 1\nfiles = 3")] {
            let set = prepare(&area, SPEC).unwrap();
            let manifest = set.directory.join("dataset.toml");
            match text {
                None => fs::remove_file(&manifest).unwrap(),
                Some(text) => fs::write(&manifest, text).unwrap(),
            }
            let anew = prepare(&area, DataSetSpec { seed: 77, ..SPEC }).unwrap();
            assert_eq!((anew.reused_bytes, anew.pattern.seed), (0, 77));
            assert_holds_the_pattern(&anew);
        }
    }

    #[test]
    fn manifest_of_a_newer_version_is_unchanged() {
        let (_dir, area) = area();
        let set = prepare(&area, SPEC).unwrap();
        fs::write(set.directory.join("dataset.toml"), "format = 2\nanything = 1").unwrap();
        let error = prepare(&area, SPEC).unwrap_err();
        assert!(matches!(error, DataSetError::Newer { .. }), "{error}");
        assert_eq!(fs::metadata(&set.files[0].path).unwrap().len(), SPEC.file_bytes);
    }

    #[cfg(unix)]
    #[test]
    fn sparse_file_is_rewritten() {
        let (_dir, area) = area();
        let set = prepare(&area, SPEC).unwrap();
        let sparse = fs::File::create(&set.files[1].path).unwrap();
        sparse.set_len(SPEC.file_bytes).unwrap();
        drop(sparse);
        let mended = prepare(&area, SPEC).unwrap();
        assert_eq!(mended.written_bytes, SPEC.file_bytes);
        assert_holds_the_pattern(&mended);
    }

    #[cfg(unix)]
    #[test]
    fn links_among_the_files_are_refused_and_never_written_through() {
        use std::os::unix::fs::symlink;
        let (dir, area) = area();
        let set = prepare(&area, SPEC).unwrap();
        let precious = dir.path().join("film.mov");
        fs::write(&precious, "precious").unwrap();
        let file = &set.files[0].path;

        fs::remove_file(file).unwrap();
        symlink(&precious, file).unwrap();
        let error = prepare(&area, SPEC).unwrap_err();
        assert!(matches!(error, DataSetError::NotOurs { .. }), "{error}");

        fs::remove_file(file).unwrap();
        fs::hard_link(&precious, file).unwrap();
        let error = prepare(&area, SPEC).unwrap_err();
        assert!(matches!(error, DataSetError::NotOurs { .. }), "{error}");

        fs::remove_file(file).unwrap();
        symlink(&precious, set.directory.join("file-0000.bin.part")).unwrap();
        prepare(&area, SPEC).unwrap();
        assert_eq!(fs::read(&precious).unwrap(), b"precious");

        fs::remove_dir_all(&set.directory).unwrap();
        symlink(dir.path(), &set.directory).unwrap();
        let error = prepare(&area, SPEC).unwrap_err();
        assert!(matches!(error, DataSetError::NotOurs { .. }), "{error}");
    }

    #[test]
    fn too_little_space_is_known_before_anything_is_written() {
        let (_dir, area) = area();
        let huge = DataSetSpec { files: 1000, file_bytes: 1 << 50, ..SPEC };
        let error = prepare(&area, huge).unwrap_err();
        let DataSetError::NoSpace { needed_bytes, available_bytes, .. } = &error else {
            panic!("{error}");
        };
        assert!(needed_bytes > available_bytes);
        assert!(error.to_string().contains("reelgauge clean"), "{error}");
        assert!(!area.data_dir().exists(), "not even a folder was made");
    }

    #[test]
    fn specifications_that_make_no_sense() {
        let (_dir, area) = area();
        for spec in [
            DataSetSpec { files: 0, ..SPEC },
            DataSetSpec { file_bytes: 0, ..SPEC },
            DataSetSpec { unit_bytes: 0, ..SPEC },
            DataSetSpec { file_bytes: u64::MAX, ..SPEC },
            DataSetSpec { file_bytes: 1 << 62, files: 2, ..SPEC },
        ] {
            let error = prepare(&area, spec).unwrap_err();
            assert!(matches!(error, DataSetError::Spec { .. }), "{error}");
        }
        assert!(!area.data_dir().exists());
    }

    #[test]
    fn progress_rises_to_the_total() {
        let (_dir, area) = area();
        let mut reports = Vec::new();
        let mut progress = |report| {
            reports.push(report);
            ControlFlow::Continue(())
        };
        DataSet::prepare(&area, &SPEC, &mut progress, &AtomicBool::new(false)).unwrap();
        assert!(reports.is_sorted_by_key(|report| report.written_bytes));
        let last = reports.last().unwrap();
        assert_eq!(last.written_bytes, last.total_bytes);
    }

    #[test]
    fn stopped_soon_and_continued_later() {
        let (_dir, area) = area();
        let spec = DataSetSpec { files: 40, file_bytes: 64 * MIB, ..SPEC };
        let stop = AtomicBool::new(false);
        let mut told_at = None;
        let mut progress = |report: Prepared| {
            if told_at.is_none() && report.written_bytes > 96 * MIB {
                told_at = Some(Instant::now());
                stop.store(true, Ordering::Relaxed);
            }
            ControlFlow::Continue(())
        };
        let error = DataSet::prepare(&area, &spec, &mut progress, &stop).unwrap_err();
        let took = told_at.unwrap().elapsed();
        assert!(matches!(error, DataSetError::Interrupted { .. }), "{error}");
        assert!(took < Duration::from_secs(1), "{took:?}");

        // Slow storage may still be removing the incomplete file.
        let directory = area.data_dir().join("files-64MiB-u4096");
        let half = || names_in(&directory).iter().any(|name| name.ends_with(".part"));
        let deadline = Instant::now() + Duration::from_secs(20);
        while half() && Instant::now() < deadline {
            std::thread::sleep(BEAT);
        }
        assert!(!half());
        let complete = names_in(&directory).iter().filter(|name| name.ends_with(".bin")).count();
        assert!((1..40).contains(&complete), "{complete}");
        let rest = prepare(&area, DataSetSpec { files: complete as u32 + 1, ..spec }).unwrap();
        assert_eq!(rest.reused_bytes, complete as u64 * spec.file_bytes);
        assert_eq!(rest.written_bytes, spec.file_bytes);
    }

    #[test]
    fn progress_callback_can_cancel() {
        let (_dir, area) = area();
        let spec = DataSetSpec { files: 40, file_bytes: 64 * MIB, ..SPEC };
        let mut progress = |_| ControlFlow::Break(());
        let error = DataSet::prepare(&area, &spec, &mut progress, &AtomicBool::new(false)).unwrap_err();
        assert!(matches!(error, DataSetError::Interrupted { .. }), "{error}");
    }
}
