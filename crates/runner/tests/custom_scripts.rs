//! A session of a kind that the runner does not know: custom scripts, on files that it made itself, and
//! without a plan. It has its log, its figures and its summary like any other.

#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::Timestamp;
use reelgauge_analysis::{Note, Outcome, Summary, summary::DataSet};
use reelgauge_engine::area::Area;
use reelgauge_engine::driver::{DriverKind, TargetFile, Worker};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_record::OpKind;
use reelgauge_record::log::LogReader;
use reelgauge_record::notes::RunNotes;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::Silent;
use reelgauge_runner::session::file_table::FileTable;
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_runner::session::locked_target::LockedTarget;
use reelgauge_runner::session::results_dir::{Naming, Results};
use reelgauge_runner::session::run_summary::MeasuredSubject;
use reelgauge_runner::session::scratch_files::MadeFiles;
use reelgauge_runner::session::{Closing, Opening, PointPlan, Session};
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::plan::MixPlan;
use reelgauge_workload::profile::Profile;
use reelgauge_workload::script::{Done, Needs, Script, Step};

const FILE_BYTES: u64 = 1 << 20;

/// Ends after this many operations, like an application whose trace is over.
struct Short {
    script: MixScript,
    ops_left: u32,
    /// Panics when this many are left.
    panics_at: Option<u32>,
}

impl Script for Short {
    fn needs(&self) -> Needs {
        self.script.needs()
    }

    fn next(&mut self, now_ns: u64) -> Step {
        assert_ne!(Some(self.ops_left), self.panics_at, "a defect");
        let step = if self.ops_left == 0 { Step::Finished } else { self.script.next(now_ns) };
        self.ops_left -= u32::from(matches!(step, Step::Do(_)));
        step
    }

    fn done(&mut self, done: &Done) {
        self.script.done(done);
    }

    fn resume(&mut self, now_ns: u64) {
        self.script.resume(now_ns);
    }
}

fn opening(out: &Path, locked: &LockedTarget, files: FileTable) -> Opening<'static> {
    let naming = Naming {
        started: Timestamp::now(),
        out,
        verb: "replay",
        label: "traces",
        what: "traces",
        notes: &RunNotes::default(),
    };
    Opening {
        results: Results::make(&naming, locked, &mut Silent).unwrap(),
        plan_toml: "# none\n",
        files,
        pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
        driver: DriverKind::Threads,
        hang_after: Duration::from_secs(30),
        log: true,
        verify: None,
        notes: vec![Note::other("made up")],
    }
}

/// A session on files that it makes itself.
struct Play {
    session: Session,
    files: FileTable,
    folder: PathBuf,
    made: MadeFiles,
}

impl Play {
    fn begin(target: &Path, out: &Path, driver: DriverKind) -> Play {
        std::fs::create_dir(target).unwrap();
        let area = Area::open_or_create(target).unwrap();
        let locked = LockedTarget::take(&area).unwrap();
        let made = MadeFiles::begin(&locked, &Interrupt::default()).unwrap();
        let mut files = FileTable::new(area.root());
        let folder = made.scratch().unwrap().directory("replayed").unwrap();
        enter(&folder, &mut files, "one");
        let opening = Opening { driver, ..opening(out, &locked, files.clone()) };
        let session = Session::begin(locked, opening, &mut Silent).unwrap();
        Play { session, files, folder, made }
    }

    /// Two workers that read a separate file for this load point.
    fn workers(&mut self, ops: [u32; 2], panics_at: Option<u32>) -> Vec<Worker<Short>> {
        let number = enter(&self.folder, &mut self.files, &format!("more-{}", ops[0]));
        self.session.files_grew(&self.files).unwrap();
        let mix = MixPlan { direct: false, ..Profile::named("seq-read").unwrap().plan() };
        let worker = |id: u32| {
            let file = MixFile { file: number, size_bytes: FILE_BYTES };
            let script = MixScript::new(id, 3, mix.shape(), &[file]);
            let panics_at = panics_at.filter(|_| id == 1);
            Worker { id, script: Short { script, ops_left: ops[id as usize], panics_at } }
        };
        vec![worker(0), worker(1)]
    }

    fn end(self) -> Finished {
        let subject = MeasuredSubject {
            verb: "replay".to_owned(),
            label: "traces".to_owned(),
            seed: 3,
            plan: Default::default(),
            asked_direct: false,
            data_set: DataSet::default(),
            data_bytes: 3 * FILE_BYTES,
            material: Default::default(),
        };
        let conclude = |summary: &mut Summary, locked: &LockedTarget| {
            summary.label = format!("{} of {}", summary.label, locked.target().display());
        };
        let closing = Closing { subject, made: Some(self.made) };
        self.session.end(closing, conclude, &mut Silent, &Interrupt::default()).unwrap()
    }
}

/// Makes a file and enters it; returns its number.
fn enter(folder: &Path, files: &mut FileTable, name: &str) -> u32 {
    let path = folder.join(name);
    std::fs::write(&path, vec![7; FILE_BYTES as usize]).unwrap();
    files.enter_test_files(&[TargetFile { path, size_bytes: FILE_BYTES }], "by its own rules")
}

fn point(label: String) -> PointPlan {
    PointPlan { label, measured_ns: 60_000_000_000, ..PointPlan::default() }
}

/// Two load points of two short workers, the second with one more file.
fn replayed(target: &Path, out: &Path) -> Finished {
    let mut play = Play::begin(target, out, DriverKind::Threads);
    for ops in [5, 9] {
        let workers = play.workers([ops; 2], None);
        let what = point(format!("{ops} operations"));
        let done = play.session.point(what, workers, &mut Silent, &Interrupt::default()).unwrap();
        assert!(done.complete && !play.session.goes_on());
        assert_eq!(done.workers.iter().map(|worker| worker.script.ops_left).sum::<u32>(), 0);
    }
    play.end()
}

/// One of two threads panics while the other has work for hours, or when it has done its own.
#[test]
fn panicked_thread_ends_the_run_and_keeps_its_operations() {
    for (driver, other) in [
        (DriverKind::Threads, u32::MAX),
        (DriverKind::Threads, 2),
        #[cfg(target_os = "linux")]
        (DriverKind::Uring, u32::MAX),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let mut play = Play::begin(&folder.path().join("target"), &folder.path().join("runs"), driver);
        let workers = play.workers([other, 100], Some(40));
        let begun = std::time::Instant::now();
        let done = play.session.point(point("2".to_owned()), workers, &mut Silent, &Interrupt::default());
        assert!(!done.unwrap().complete);
        assert!(begun.elapsed() < Duration::from_secs(20), "{driver:?} took {:?}", begun.elapsed());
        let finished = play.end();
        let summary = &finished.summary;
        assert_eq!((summary.outcome, finished.exit_code()), (Outcome::BrokeOff, 3), "{driver:?}");
        let reason = summary.outcome_reason.as_deref().unwrap();
        assert!(reason.contains("a bug in Reelgauge"), "{driver:?}: {reason}");
        // Records of the panicked thread are in the log and in the figures.
        let log = LogReader::open(&finished.run_dir.join("ops")).unwrap();
        let logged: u64 = log.batches().map(|batch| batch.unwrap().ops.len() as u64).sum();
        let point = &summary.load_points[0];
        assert_eq!(logged, point.total.ops + point.total.warmup_ops, "{driver:?}");
        assert!(logged >= 40 - 1, "{driver:?}: {logged}");
    }
}

#[test]
fn custom_format_is_measured() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    let finished = replayed(&target, &folder.path().join("runs"));
    let summary = &finished.summary;
    assert_eq!((summary.outcome, finished.exit_code()), (Outcome::Complete, 0));
    assert_eq!((summary.verb.as_str(), summary.seed), ("replay", 3));
    assert!(summary.label.contains("traces of "), "{}", summary.label);
    assert!(summary.notes.contains(&Note::other("made up")));
    let ops: Vec<u64> = summary.load_points.iter().map(|point| point.total.ops).collect();
    assert_eq!(ops, [10, 18]);
    // These scripts are meant to end.
    assert!(summary.load_points.iter().all(|point| point.ended_early.is_none()));
    assert!(!finished.run_dir.join("streams.json").exists());
    let log = LogReader::open(&finished.run_dir.join("ops")).unwrap();
    let logged: Vec<_> = log.batches().flat_map(|batch| batch.unwrap().ops).collect();
    assert_eq!(logged.len(), 28);
    let reads = |point: u16| logged.iter().filter(move |op| op.point == point && op.kind == OpKind::Read);
    assert!(reads(0).all(|op| op.file == 1) && reads(1).all(|op| op.file == 2));
    let names = |number: u32| log.agents()[0].files.get(&number).map(|entry| entry.path.clone());
    assert_eq!(names(1).as_deref(), Some("scratch/replayed/more-5"));
    assert_eq!(names(2).as_deref(), Some("scratch/replayed/more-9"));
    assert!(!target.join("reelgauge-area/scratch").exists());
}
