//! A session for tests, and its table of files.

#![allow(clippy::unwrap_used)]

use reelgauge_engine::driver::TargetFile;
use reelgauge_record::notes::RunNotes;

use super::*;
use crate::observer::Silent;
use crate::session::results_dir::Naming;

/// A session on an empty target, before its first load point.
pub(super) fn session(folder: &Path) -> Session {
    let target = folder.join("target");
    std::fs::create_dir(&target).unwrap();
    let locked = LockedTarget::take(&Area::open_or_create(&target).unwrap()).unwrap();
    let naming = Naming {
        started: Timestamp::UNIX_EPOCH,
        out: &folder.join("runs"),
        verb: "mix",
        label: "a",
        what: "a",
        notes: &RunNotes::default(),
    };
    let opening = Opening {
        results: Results::make(&naming, &locked, &mut Silent).unwrap(),
        plan_toml: "# none\n",
        files: FileTable::new(locked.area.root()),
        pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
        driver: DriverKind::Threads,
        hang_after: Duration::from_secs(30),
        log: false,
        verify: None,
        notes: Vec::new(),
    };
    let means = Instruments { samples: false, ..Instruments::real() };
    Session::begin_with(means, locked, opening, &mut Silent).unwrap()
}

#[test]
#[should_panic(expected = "entries of the file table are never removed")]
fn a_table_that_lost_a_file_is_a_defect() {
    let folder = tempfile::tempdir().unwrap();
    let mut session = session(folder.path());
    let before = session.files.clone();
    session.files.enter(TargetFile { path: folder.path().join("new"), size_bytes: 0 }, false, "by the run");
    session.files_grew(&before).unwrap();
}
