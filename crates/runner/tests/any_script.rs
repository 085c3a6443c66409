//! A session of a kind that the runner does not know: scripts of its own, on files that it made itself, and
//! no plan. It gets its log, its figures and its summary all the same.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::Duration;

use jiff::Timestamp;
use reelgauge_analysis::{Outcome, Summary, summary::DataSet};
use reelgauge_engine::area::Area;
use reelgauge_engine::driver::{DriverKind, TargetFile, Worker};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_record::OpKind;
use reelgauge_record::log::LogReader;
use reelgauge_runner::file_table::FileTable;
use reelgauge_runner::ground::Ground;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::made_files::MadeFiles;
use reelgauge_runner::observer::Silent;
use reelgauge_runner::results::{Naming, Results};
use reelgauge_runner::run::Finished;
use reelgauge_runner::session::{Closing, Opening, PointPlan, Session};
use reelgauge_runner::summarise::Subject;
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::plan::MixPlan;
use reelgauge_workload::profile::Profile;
use reelgauge_workload::script::{Done, Needs, Script, Step};

const FILE_BYTES: u64 = 1 << 20;

/// Ends after so many operations, as an application does whose trace is over.
struct Short {
    script: MixScript,
    ops_left: u32,
}

impl Script for Short {
    fn needs(&self) -> Needs {
        self.script.needs()
    }

    fn next(&mut self, now_ns: u64) -> Step {
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

fn opening(out: &Path, ground: &Ground, files: FileTable) -> Opening<'static> {
    let naming = Naming { started: Timestamp::now(), out, verb: "replay", label: "traces", what: "traces" };
    Opening {
        results: Results::make(&naming, ground, &mut Silent).unwrap(),
        plan_toml: "# none\n",
        files,
        pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
        driver: DriverKind::Threads,
        hang_after: Duration::from_secs(30),
        log: true,
        verify: None,
        notes: vec!["made up".to_owned()],
    }
}

/// Two load points of two short workers, the second with a file more than the first.
fn replayed(target: &Path, out: &Path) -> Finished {
    let area = Area::open_or_create(target).unwrap();
    let ground = Ground::take(&area).unwrap();
    let made = MadeFiles::begin(&ground, &Interrupt::default()).unwrap();
    let folder = made.scratch().unwrap().directory("replayed").unwrap();
    let mut files = FileTable::new(area.root());
    let file = |files: &mut FileTable, name: &str| {
        let path = folder.join(name);
        std::fs::write(&path, vec![7; FILE_BYTES as usize]).unwrap();
        files.enter_test_files(&[TargetFile { path, size_bytes: FILE_BYTES }], "by its own rules")
    };
    file(&mut files, "one");
    let opening = opening(out, &ground, files.clone());
    let mut session = Session::begin(ground, opening, &mut Silent).unwrap();
    let mix = MixPlan { direct: false, ..Profile::named("seq-read").unwrap().plan() };
    for ops in [5, 9] {
        let number = file(&mut files, &format!("more-{ops}"));
        session.files_grew(&files).unwrap();
        let worker = |id| {
            let script =
                MixScript::new(id, 3, mix.shape(), &[MixFile { file: number, size_bytes: FILE_BYTES }]);
            Worker { id, script: Short { script, ops_left: ops } }
        };
        let what = PointPlan {
            label: format!("{ops} operations"),
            measured_ns: 60_000_000_000,
            ..PointPlan::default()
        };
        let done =
            session.point(what, vec![worker(0), worker(1)], &mut Silent, &Interrupt::default()).unwrap();
        assert!(done.complete && !session.goes_on());
        assert_eq!(done.workers.iter().map(|worker| worker.script.ops_left).sum::<u32>(), 0);
    }
    let subject = Subject {
        verb: "replay".to_owned(),
        label: "traces".to_owned(),
        seed: 3,
        plan: Default::default(),
        asked_direct: false,
        data_set: DataSet::default(),
        data_bytes: 3 * FILE_BYTES,
        material: Default::default(),
    };
    let conclude = |summary: &mut Summary, ground: &Ground| {
        summary.label = format!("{} of {}", summary.label, ground.target().display());
    };
    let closing = Closing { subject, made: Some(made) };
    session.end(closing, conclude, &mut Silent, &Interrupt::default()).unwrap()
}

#[test]
fn it_is_measured_like_any_other() {
    let folder = tempfile::tempdir().unwrap();
    let target = folder.path().join("target");
    std::fs::create_dir(&target).unwrap();
    let finished = replayed(&target, &folder.path().join("runs"));
    let summary = &finished.summary;
    assert_eq!((summary.outcome, finished.exit_code()), (Outcome::Complete, 0));
    assert_eq!((summary.verb.as_str(), summary.seed), ("replay", 3));
    assert!(summary.label.contains("traces of "), "{}", summary.label);
    assert!(summary.notes.contains(&"made up".to_owned()));
    let ops: Vec<u64> = summary.load_points.iter().map(|point| point.total.ops).collect();
    assert_eq!(ops, [10, 18]);
    // That its scripts are over is what they are for.
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
