//! A run in a world: its load points, one after the other, and its end, as the kinds of runs do it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use reelgauge_analysis::Summary;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::summary::DataSet;
use reelgauge_engine::area::Area;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{DriverKind, TargetFile, Worker};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_formats::FrameRate;
use reelgauge_record::OpRecord;
use reelgauge_record::log::LogReader;
use reelgauge_record::notes::RunNotes;
use reelgauge_workload::clip::Clip;
use reelgauge_workload::mix::{MixFile, MixScript};
use reelgauge_workload::pace::{Pace, Policy, ReadAhead};
use reelgauge_workload::plan::MixPlan;
use reelgauge_workload::player::{Player, PlayerShape};
use reelgauge_workload::profile::Profile;
use reelgauge_workload::recorder::{Recorder, RecorderShape};
use reelgauge_workload::script::{Done, Needs, Script, Step};
use reelgauge_workload::units::{Percent, Size};

use super::disk::FaultyDisk;
use super::scenario::{Scenario, Work};
use super::truth::Truth;
use super::world::{THIS_THREADS_WORLD, World, comes_to_its_end};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::Silent;
use crate::session::file_table::FileTable;
use crate::session::finished_run::Finished;
use crate::session::locked_target::LockedTarget;
use crate::session::results_dir::{Naming, Results};
use crate::session::run_summary::MeasuredSubject;
use crate::session::{Closing, Instruments, Opening, PointPlan, Session, ToJudge};
use crate::streams::actors::Group;
use crate::streams::verdict::{judge_last, verdict_of_run};
use reelgauge_results::stream_table::{self, StreamTable};

/// The number of files of every worker.
const FILES: usize = 5;
const FILE_BYTES: u64 = 1 << 20;
const FRAME_BYTES: u32 = 16 << 10;
/// The wall-clock time at which every world begins: 2026-11-23T00:00:00Z.
const STARTED_S: i64 = 1_795_392_000;
/// How long a world continues after the end of its run.
const AFTERWARDS: Duration = Duration::from_secs(20);

/// The results of a run, and the true events.
pub(super) struct Played {
    /// The returned summary, and the exit status.
    pub(super) result: Result<Summary, RunError>,
    pub(super) exit_code: u8,
    pub(super) truth: Truth,
    /// The log, by its reader.
    pub(super) rows: Vec<OpRecord>,
    /// The number of files that the reader skipped.
    pub(super) skipped: usize,
    /// `streams.json`, as far as it was written.
    pub(super) streams: Option<StreamTable>,
    /// `summary.json`, or nothing.
    pub(super) summary_json: String,
    /// The log's files, byte by byte.
    pub(super) log_files: BTreeMap<PathBuf, Vec<u8>>,
}

/// A target in memory, taken once by every thread that plays worlds.
struct SimulatedTarget {
    locked: LockedTarget,
    files: Vec<TargetFile>,
    /// The folder that holds all of it.
    folder: tempfile::TempDir,
}

thread_local! {
    static PLACE: SimulatedTarget = SimulatedTarget::take();
}

impl SimulatedTarget {
    fn take() -> SimulatedTarget {
        // A run syncs its small files, which takes long on a disk.
        let memory = Path::new("/dev/shm");
        let parent = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
        let folder = tempfile::tempdir_in(parent).expect("a folder");
        let target = folder.path().join("target");
        fs::create_dir(&target).expect("a target");
        let area = Area::open_or_create(&target).expect("an area");
        let locked = LockedTarget::take(&area).expect("the area is free");
        let file = |number| {
            let path = area.root().join(format!("file-{number}"));
            let made = fs::File::create(&path).and_then(|file| file.set_len(FILE_BYTES));
            made.expect("a file");
            TargetFile { path, size_bytes: FILE_BYTES }
        };
        SimulatedTarget { files: (0..FILES).map(file).collect(), locked, folder }
    }

    fn locked(&self) -> LockedTarget {
        let LockedTarget { area, lock, mount, mount_id, direct } = &self.locked;
        LockedTarget {
            area: area.clone(),
            lock: Arc::clone(lock),
            mount: mount.clone(),
            mount_id: *mount_id,
            direct: direct.clone(),
        }
    }
}

pub(super) fn play(scenario: &Scenario) -> Played {
    PLACE.with(|place| {
        let out = place.folder.path().join("runs");
        // A world that ended in a panic has left its folder.
        let _ = fs::remove_dir_all(&out);
        let mut observer = Silent;
        let started = Timestamp::from_second(STARTED_S).expect("a time");
        let naming = Naming {
            started,
            out: &out,
            verb: "mix",
            label: "simulated",
            what: "simulated",
            notes: &RunNotes::default(),
        };
        let results = Results::make(&naming, &place.locked, &mut observer).expect("a run directory");
        let run_dir = fs::read_dir(&out).expect("runs").next().expect("a run").expect("its name").path();
        let world = World::enter(scenario, Interrupt::default(), run_dir.clone());
        let ran = carry_out(scenario, place, results, &world);
        let exit_code = match &ran {
            Ok(finished) => finished.exit_code(),
            Err(error) => error.exit_code(),
        };
        world.end();
        clock().sleep(AFTERWARDS);
        let truth = world.leave();
        let (rows, skipped) = logged(&run_dir);
        Played {
            result: ran.map(|finished| finished.summary),
            exit_code,
            truth,
            rows,
            skipped,
            streams: read_streams(&run_dir),
            summary_json: fs::read_to_string(run_dir.join("summary.json")).unwrap_or_default(),
            log_files: log_files(&run_dir),
        }
    })
}

fn carry_out(
    scenario: &Scenario,
    place: &SimulatedTarget,
    results: Results,
    world: &World,
) -> Result<Finished, RunError> {
    let mut files = FileTable::new(place.locked.area.root());
    files.enter_test_files(&place.files, "before the run");
    let means = Instruments {
        clock: clock(),
        rings: scenario.rings,
        disk: Arc::new(FaultyDisk),
        log: scenario.log_options,
        samples: false,
    };
    let opening = Opening {
        results,
        plan_toml: "# none\n",
        files,
        pattern: PatternSpec { seed: 1, unit_bytes: 4096 },
        driver: DriverKind::Simulated { threads: scenario.threads },
        hang_after: Duration::from_nanos(scenario.hang_after_ns),
        log: scenario.log,
        verify: None,
        notes: Vec::new(),
    };
    let mut session = Session::begin_with(means, place.locked(), opening, &mut Silent)?;
    let played = load_points(scenario, &mut session, world);
    session.settle(played)?;
    comes_to_its_end();
    let subject = MeasuredSubject {
        verb: "mix".to_owned(),
        label: "simulated".to_owned(),
        seed: scenario.seed,
        plan: BTreeMap::new(),
        asked_direct: false,
        data_set: DataSet::default(),
        data_bytes: FILE_BYTES * FILES as u64,
        material: Default::default(),
    };
    let conclude = |summary: &mut Summary, _: &LockedTarget| {
        summary.verdict = verdict_of_run(&summary.load_points);
    };
    let closing = Closing { subject, made: None };
    let closed = session.sum_up(closing, conclude, &mut Silent, world.interrupt())?;
    Ok(Finished { summary: closed.summary, run_dir: PathBuf::new() })
}

fn clock() -> Clock {
    Clock::simulated(&THIS_THREADS_WORLD, STARTED_S as u64 * 1_000_000_000)
}

fn load_points(scenario: &Scenario, session: &mut Session, world: &World) -> Result<(), RunError> {
    if matches!(scenario.work, Work::Mix { tolerant: true }) {
        session.errors_are_results(BTreeSet::from([2, 13]), Vec::new())?;
    }
    for (number, point) in scenario.points.iter().enumerate() {
        let PointLoad { workers, to_judge, groups } = PointLoad::gather(scenario, number, point.workers);
        let stream_count = to_judge.as_ref().map_or(0, |to_judge| to_judge.specs.len() as u32);
        let what = PointPlan {
            label: format!("point {number}"),
            sweep_value: None,
            warmup_ns: point.warmup_ns,
            measured_ns: point.measured_ns,
            exhausted: Some("everything was done"),
            to_judge,
            ..PointPlan::default()
        };
        let done = session.point(what, workers, &mut Silent, world.interrupt());
        world.truth.borrow_mut().end_point(session.now_ns());
        let done = done?;
        if matches!(scenario.work, Work::Streams { .. }) {
            judge_last(session, &groups, &done, (stream_count, true));
        }
        if !done.complete {
            break;
        }
    }
    Ok(())
}

/// The workers of a load point, and their criteria.
struct PointLoad {
    workers: Vec<Worker<Box<dyn Script>>>,
    to_judge: Option<ToJudge>,
    groups: Vec<Group>,
}

impl PointLoad {
    fn gather(scenario: &Scenario, number: usize, count: u32) -> PointLoad {
        match scenario.work {
            Work::Mix { .. } => {
                let worker = |id| Worker { id, script: mixer(scenario, number, id) };
                PointLoad { workers: (0..count).map(worker).collect(), to_judge: None, groups: Vec::new() }
            }
            Work::Streams { frame_rate, buffer_frames, stall, open } => {
                let policy = if stall { Policy::Stall } else { Policy::Drop };
                let pace = Pace { rate: FrameRate::whole(frame_rate), buffer_frames, policy };
                let worker = |id| Worker { id, script: limited(scenario, actor(id, pace, open)) };
                let everybody: Range<u32> = 0..count;
                let to_judge = ToJudge {
                    scale: count,
                    specs: everybody.clone().map(|id| stream_of(id, pace)).collect(),
                    ..ToJudge::default()
                };
                let criteria =
                    Criteria { late_frames_max: Some(0), failed_ops_max: Some(0), ..Criteria::default() };
                let group = Group { criteria, streams: everybody.clone(), workers: everybody.clone() };
                PointLoad {
                    workers: everybody.map(worker).collect(),
                    to_judge: Some(to_judge),
                    groups: vec![group],
                }
            }
        }
    }
}

fn mixer(scenario: &Scenario, number: usize, id: u32) -> Box<dyn Script> {
    let profile = Profile::named("production-edit").expect("a profile").plan();
    let mix = MixPlan {
        direct: false,
        max_length: Some(Size(64 << 10)),
        writes: "50".parse::<Percent>().expect("a share"),
        ..profile
    };
    let file = MixFile { file: id % FILES as u32, size_bytes: FILE_BYTES };
    let seed = scenario.seed.wrapping_add(number as u64);
    limited(scenario, MixScript::new(id, seed, mix.shape(), &[file]))
}

/// Players and recorders alternate.
fn actor(id: u32, pace: Pace, open: bool) -> Box<dyn Script> {
    let clip = Clip::constant(id % FILES as u32, FILE_BYTES, FRAME_BYTES).expect("a clip");
    if id.is_multiple_of(2) {
        let read_ahead = if open { ReadAhead::Open } else { ReadAhead::Closed };
        let shape =
            PlayerShape { clip, pace, read_ahead, direct: false, start_after_ns: 0, head: Vec::new() };
        return Box::new(Player::new(id, shape));
    }
    let shape = RecorderShape {
        clip,
        pace,
        sync_every_frames: Some(5),
        end_after_ns: None,
        direct: false,
        start_after_ns: 0,
        growing: open,
    };
    Box::new(Recorder::new(id, shape))
}

/// Every second stream records.
fn stream_of(id: u32, pace: Pace) -> StreamSpec {
    player(id)
        .that_writes(id % 2 == 1)
        .with_policy(pace.policy)
        .at_rate(pace.rate.num(), pace.rate.den())
        .with_buffer_ns(pace.prebuffer_ns())
        .of_frame_bytes(FRAME_BYTES.into())
        .begins_after_ns(0)
}

/// A script that ends some time, like an application whose work is over.
struct Limited<S> {
    script: S,
    ops_left: Option<u32>,
    gets_stuck: bool,
    in_flight: u32,
}

fn limited<S: Script + 'static>(scenario: &Scenario, script: S) -> Box<dyn Script> {
    let faults = &scenario.faults;
    let Some(ops_max) = faults.ops_max else {
        return Box::new(script);
    };
    Box::new(Limited { script, ops_left: Some(ops_max), gets_stuck: faults.gets_stuck, in_flight: 0 })
}

impl<S: Script> Script for Limited<S> {
    fn needs(&self) -> Needs {
        self.script.needs()
    }

    fn next(&mut self, now_ns: u64) -> Step {
        if self.ops_left == Some(0) {
            let waits = self.gets_stuck || self.in_flight > 0;
            return if waits { Step::Blocked } else { Step::Finished };
        }
        let step = self.script.next(now_ns);
        if matches!(step, Step::Do(_)) {
            self.in_flight += 1;
            self.ops_left = self.ops_left.map(|left| left - 1);
        }
        step
    }

    fn done(&mut self, done: &Done) {
        self.in_flight -= 1;
        self.script.done(done);
    }

    fn resume(&mut self, now_ns: u64) {
        self.in_flight = 0;
        self.script.resume(now_ns);
    }
}

fn read_streams(run_dir: &Path) -> Option<StreamTable> {
    serde_json::from_slice(&fs::read(run_dir.join(stream_table::FILE_NAME)).ok()?).ok()
}

/// The rows of the log, and the number of its files that were omitted.
fn logged(run_dir: &Path) -> (Vec<OpRecord>, usize) {
    let Ok(reader) = LogReader::open(&run_dir.join("ops")) else {
        return (Vec::new(), 0);
    };
    let batches = reader.batches().map(|batch| batch.expect("a log that can be read").ops);
    (batches.flatten().collect(), reader.skipped().len())
}

fn log_files(run_dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let agents = fs::read_dir(run_dir.join("ops")).into_iter().flatten().flatten();
    let parts = agents.flat_map(|agent| fs::read_dir(agent.path()).into_iter().flatten().flatten());
    parts.map(|part| (part.path(), fs::read(part.path()).unwrap_or_default())).collect()
}
