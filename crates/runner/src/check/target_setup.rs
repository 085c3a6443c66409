//! The target made ready for a quick check: the mount, the link, and a few test files.

use std::ops::ControlFlow;
use std::path::Path;

use reelgauge_analysis::{Note, NoteFact};
use reelgauge_engine::area::{AREA_DIR, Area, Terms};
use reelgauge_engine::dataset::{DataSet, DataSetError, DataSetSpec, Prepared};
use reelgauge_engine::direct::DirectProbe;
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_engine::space::{Space, space};
use reelgauge_machine::link::{self, Link};
use reelgauge_machine::mount::Mount;
use reelgauge_workload::units::Size;

use super::budget::DataPlan;
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::caching::{DirectRequest, drop_cached, settle_direct};
use crate::session::file_table::FileTable;
use crate::session::locked_target::LockedTarget;
use crate::session::results_dir::{Naming, Results};
use crate::session::space::check_room;
use crate::session::space_making::{SpaceMaker, folder_bytes};

/// All offsets and lengths are multiples of this.
pub const QUANTUM_BYTES: u32 = 4096;

/// A target that is ready for the check.
#[derive(Debug)]
pub struct CheckTarget {
    /// The link to it.
    pub link: Link,
    /// Whether direct I/O is used.
    pub direct: bool,
    /// The test files, all of one size.
    pub data_set: DataSet,
    /// The test files in the form of the log's file table.
    pub table: FileTable,
    /// Free space, 0 to 1; `None` if the file system does not report it.
    pub free_share: Option<f64>,
    /// The free space in bytes.
    pub free_bytes: Option<u64>,
    /// Memory of the server, as the user stated it.
    pub server_memory_bytes: Option<u64>,
    /// Notes for the user.
    pub notes: Vec<Note>,
}

impl CheckTarget {
    /// Takes the target and makes the test files, as many as the time for it allows.
    ///
    /// # Errors
    /// If the target can't be used, or has no space. An area that was made for it is removed again.
    pub fn open(
        (target, terms): (&Path, Terms),
        seed: u64,
        naming: &Naming<'_>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(LockedTarget, Results, CheckTarget), RunError> {
        // Any other fault of the target is reported better by the area.
        let room = space(target).ok().flatten();
        if let (Some(room), false) = (room, target.join(AREA_DIR).exists()) {
            let plan = DataPlan::for_space(Some(room.usable_bytes(terms.keep_free)));
            check_room(target, plan.bytes_min(), room, terms.keep_free)
                .map_err(|error| without_flags(target, error))?;
        }
        let area = Area::open_or_create_on(target, terms)?;
        let result = CheckTarget::open_in(&area, room, seed, naming, observer, interrupt);
        if result.is_err() && area.is_new() {
            // Files that cannot be removed now are removed by `reelgauge clean`; the error itself
            // matters more.
            let _ = area.clean();
        }
        result
    }

    fn open_in(
        area: &Area,
        room: Option<Space>,
        seed: u64,
        naming: &Naming<'_>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(LockedTarget, Results, CheckTarget), RunError> {
        let locked = LockedTarget::take(area)?;
        let mut notes = locked.notes();
        let link = link::of(&locked.mount);
        let cached = without_direct(area.target(), &locked.mount, &locked.direct)?;
        let direct = cached.is_none();
        notes.extend(cached);
        let results = Results::make(naming, &locked, observer)?;
        let (data_set, made_room) = make_files(&locked, room, seed, observer, interrupt)
            .map_err(|error| without_flags(area.target(), error))?;
        notes.extend(made_room);
        notes.extend(drop_cached(area, &data_set.files));
        let mut table = FileTable::new(area.root());
        table.enter_test_files(&data_set.files, "before the run");
        let free_share = room.map(|room| room.available_bytes as f64 / room.total_bytes.max(1) as f64);
        let free_bytes = room.map(|room| room.available_bytes);
        let server_memory_bytes = None;
        let place =
            CheckTarget { link, direct, data_set, table, free_share, free_bytes, server_memory_bytes, notes };
        Ok((locked, results, place))
    }

    /// Bytes of each test file.
    pub fn file_bytes(&self) -> u64 {
        self.data_set.files.first().map_or(0, |file| file.size_bytes)
    }

    /// The pattern of the test data.
    pub fn pattern(&self) -> PatternSpec {
        self.data_set.pattern
    }
}

/// A note if direct I/O is unavailable. A quick check never demands it.
fn without_direct(target: &Path, mount: &Mount, probe: &DirectProbe) -> Result<Option<Note>, RunError> {
    let wish = DirectRequest { target, must: false, writes: true, quantum_bytes: QUANTUM_BYTES };
    match settle_direct(wish, mount, probe) {
        Err(RunError::DirectAlignment { needed, .. }) => {
            let why = format!("direct I/O needs multiples of {needed} here");
            let sentence = format!(
                "Direct I/O needs multiples of {needed} here, so this check went through this client's cache."
            );
            Ok(Some(Note::new(NoteFact::NoDirect { why }, sentence, "")))
        }
        other => other,
    }
}

/// The error without the advice to use smaller files: a quick check has no flags for that, and already
/// uses the smallest that suffice.
pub(crate) fn without_flags(target: &Path, error: RunError) -> RunError {
    let target = target.to_path_buf();
    match error {
        RunError::Space { needed, available, kept, .. } => {
            RunError::LookSpace { target, needed, available, kept }
        }
        RunError::DataSet(DataSetError::NoSpace { needed_bytes, available_bytes, kept_bytes, .. }) => {
            RunError::LookSpace {
                target,
                needed: Size::mib(needed_bytes.div_ceil(1 << 20)),
                available: Size::mib(available_bytes >> 20),
                kept: Size::mib(kept_bytes >> 20),
            }
        }
        RunError::DataSet(DataSetError::Full { path } | DataSetError::Quota { path }) => {
            RunError::LookFull { path }
        }
        other => other,
    }
}

/// The first file shows how fast they can be made; then as many follow as there is time for.
fn make_files(
    locked: &LockedTarget,
    room: Option<Space>,
    seed: u64,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<(DataSet, Vec<Note>), RunError> {
    observer.phase("preparing");
    let area = &locked.area;
    let ours = folder_bytes(&area.data_dir());
    let plan = DataPlan::for_space(room.map(|room| room.usable_bytes(area.keep_free()).saturating_add(ours)));
    let spec = DataSetSpec { files: 1, file_bytes: plan.file_bytes, unit_bytes: QUANTUM_BYTES, seed };
    let most = DataSetSpec { files: plan.files_max, ..spec };
    let held = SpaceMaker::of(locked);
    let files_missing = (held.yet_to_write(&[most]) / plan.file_bytes) as u32;
    let files_there = plan.files_max - files_missing;
    observer.ahead(super::VERB, &super::budget::forecast(&plan, files_there, area.max_bytes_per_s()));
    let notes = held.make_for(&most, &[spec], observer, interrupt)?;
    let mut make = |files: u32| {
        let mut progress = |report: Prepared| {
            observer.prepared(report.reused_bytes + report.written_bytes, report.total_bytes);
            ControlFlow::Continue(())
        };
        DataSet::prepare(area, &DataSetSpec { files, ..spec }, &mut progress, interrupt.flag())
    };
    let first = make(1)?;
    let files = match first.written_bytes {
        // An existing file does not show how fast files are made. The check that made it knew.
        0 => plan.files_again(first.files_there),
        _ => plan.files(first.seconds),
    };
    Ok((make(files)?, notes))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::path::PathBuf;

    use reelgauge_engine::space::KeepFree;

    use super::*;

    #[test]
    fn the_error_for_too_little_space_names_no_flags_of_other_verbs() {
        let target = Path::new("/mnt/nas");
        let plan = DataPlan::for_space(Some(30 << 20));
        let little = Space { available_bytes: 30 << 20, total_bytes: 600 << 20 };
        let before = check_room(target, plan.bytes_min(), little, KeepFree::Bytes(30 << 20)).unwrap_err();
        let path = PathBuf::from("/mnt/nas/reelgauge-area/data/file");
        let no_space = DataSetError::NoSpace {
            directory: path.clone(),
            needed_bytes: 72 << 20,
            kept_bytes: 64 << 20,
            available_bytes: 15 << 20,
        };
        let cases = [
            (before, 2, "31.5 MB"),
            (no_space.into(), 2, "75.5 MB"),
            (DataSetError::Full { path: path.clone() }.into(), 3, "file"),
            (DataSetError::Quota { path }.into(), 3, "quota"),
        ];
        for (error, code, said) in cases {
            // Only an error before the run names flags.
            assert!(code == 3 || error.to_string().contains("--"), "{error}");
            let error = without_flags(target, error);
            let text = error.to_string();
            assert!(text.contains(said) && !text.contains("--"), "{text}");
            assert!(text.contains("/mnt/nas") && !text.contains("  "), "{text}");
            assert_eq!(error.exit_code(), code, "{text}");
        }
    }
}
