//! The look itself: load point after load point, everything in one run directory, until the minute is over
//! or something stops it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use jiff::Timestamp;
use reelgauge_analysis::LoadPoint;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::facts::CheckFormat;
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_analysis::summary::LoadPointFacts;
use reelgauge_analysis::verdict::{Measured, Verdict, judge};
use reelgauge_engine::cache;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{Context, DriverKind, Window, Worker};
use reelgauge_formats::Format;
use reelgauge_record::host::HostFacts;
use reelgauge_record::log::LogWriter;
use reelgauge_record::run_dir::{RunDir, RunName};
use reelgauge_workload::script::Script;

use super::budget::{FORMAT_S, RATE_TIMES, TRIAL_TIMES, Times};
use super::everyday::{everyday, name};
use super::findings::Findings;
use super::limit::{Fall, Limiter, limiter};
use super::load::{Players, Rate};
use super::narrowing::{Narrowing, Tried};
use super::place::Place;
use crate::drain::Drain;
use crate::error::RunError;
use crate::failure::{Scene, sentence};
use crate::fresh_seed;
use crate::interrupt::Interrupt;
use crate::judging::{Judged, Judging, measured_part};
use crate::load_points::{self, LoadPointPlan};
use crate::observer::Observer;
use crate::own_cpu::OwnCpu;
use crate::point::{Ending, PointSetup, run_point};
use crate::prepare::{drop_cached, mount_facts, target_label};
use crate::run::{AGENT, Finished, log_meta};
use crate::streams::cast::CastError;
use crate::streams::client::{self, MachineTime};
use crate::streams::table::{self, PointStreams, StreamTable};

/// The most players that are tried: threads of one process on an ordinary machine.
const PLAYERS_MAX: u32 = 400;
/// Of what the players need, the share that they must have got together.
const FED_SHARE: f64 = 0.97;
/// A target that completes nothing for this long is given up.
const HANG_AFTER: std::time::Duration = std::time::Duration::from_secs(30);

/// What to look at.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The directory.
    pub target: PathBuf,
    /// Folder for run directories.
    pub out: PathBuf,
}

/// Looks at a target.
///
/// # Errors
/// When nothing could be measured. A look that broke off in the middle is not an error: what was measured
/// comes back, with its outcome.
pub fn check(
    request: CheckRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let (started, begun) = (Timestamp::now(), Instant::now());
    let CheckRequest { target, out } = request;
    std::fs::create_dir_all(&out).map_err(|source| RunError::Out { path: out.clone(), source })?;
    let seed = fresh_seed();
    let place = Place::open(&target, seed, observer, interrupt)?;
    let label = target_label(&place.target, &place.mount);
    let run_dir = RunDir::create(&out, RunName { start: started.into(), target: &label, what: "check" })?;
    run_dir.write_hosts(&[HostFacts::gather(Some(mount_facts(&place.mount)))])?;
    let mut look = Look::begin(place, run_dir, seed)?;
    look.around(observer, interrupt)?;
    let finished = look.end(started, begun)?;
    observer.finished();
    Ok(finished)
}

/// The state of a look between preparation and summary.
pub(super) struct Look {
    pub(super) place: Place,
    pub(super) run_dir: RunDir,
    pub(super) seed: u64,
    pub(super) clock: Clock,
    pub(super) drain: Drain,
    planned: Vec<LoadPointPlan>,
    table: StreamTable,
    pub(super) done: Vec<LoadPoint>,
    pub(super) findings: Findings,
    pub(super) notes: Vec<String>,
    pub(super) driver_notes: Vec<String>,
    pub(super) cpu_before: OwnCpu,
    pub(super) fetched_before: Option<u64>,
    pub(super) cached_before: Option<f64>,
    copy_bytes_per_s: f64,
    pub(super) ending: Ending,
    pub(super) left_behind: usize,
}

/// What a load point found.
struct Point {
    total: Figures,
    judged: Judged,
    /// Share of this machine's processor time.
    busy_share: f64,
}

impl Look {
    fn begin(place: Place, run_dir: RunDir, seed: u64) -> Result<Look, RunError> {
        let clock = Clock::start();
        let entries = place.entries.clone();
        let log = LogWriter::create(&run_dir.agent_ops_path(AGENT), log_meta(&clock), entries)?;
        Ok(Look {
            drain: Drain::start(Some(log), clock).map_err(RunError::io("start a thread"))?,
            planned: Vec::new(),
            table: StreamTable::default(),
            done: Vec::new(),
            findings: Findings::default(),
            notes: place.notes.clone(),
            driver_notes: Vec::new(),
            cpu_before: OwnCpu::now(),
            fetched_before: cache::fetched_bytes(&place.mount),
            cached_before: cache::resident(&place.paths()).share(),
            copy_bytes_per_s: client::memory_copy_bytes_per_s(),
            ending: Ending::OnTime,
            left_behind: 0,
            place,
            run_dir,
            seed,
            clock,
        })
    }

    /// All of it. Reads come first: what writing leaves in the storage's caches would help them.
    fn around(&mut self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<(), RunError> {
        observer.phase("measuring");
        for rate in [Rate::SequentialRead, Rate::RandomRead] {
            self.rate(rate, observer, interrupt)?;
        }
        observer.phase("streams");
        for format in everyday() {
            if self.goes_on() {
                self.format(format, observer, interrupt)?;
            }
        }
        observer.phase("measuring");
        self.rate(Rate::SequentialWrite, observer, interrupt)
    }

    fn goes_on(&self) -> bool {
        matches!(self.ending, Ending::OnTime)
    }

    fn rate(
        &mut self,
        rate: Rate,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        if !self.goes_on() {
            return Ok(());
        }
        let workers = rate.workers(&self.place, self.seed);
        let point = self.point(rate.label().to_owned(), workers, RATE_TIMES, &[], observer, interrupt)?;
        self.findings.rate(rate, &point.total);
        Ok(())
    }

    /// How many streams of one format.
    fn format(
        &mut self,
        format: &Format,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let players = Players::new(format, &self.place, self.seed)?;
        let needed_bytes_per_s = players.bytes_per_s();
        let expected = self.findings.best_bytes_per_s;
        let mut narrowing = Narrowing::new(needed_bytes_per_s, expected, PLAYERS_MAX, FORMAT_S);
        let mut fall = None;
        while let Some(count) = narrowing.next() {
            let begun = Instant::now();
            let workers = players.workers(count, self.done.len() as u16);
            if workers.is_empty() {
                return Ok(());
            }
            let specs = players.specs(count);
            let label = format!("{count} x {}", format.id);
            let point = self.point(label, workers, TRIAL_TIMES, &specs, observer, interrupt)?;
            if !self.goes_on() {
                break;
            }
            let bytes_per_s = point.total.bytes_per_s.unwrap_or(0.0);
            let was_fed = bytes_per_s >= FED_SHARE * needed_bytes_per_s * f64::from(count);
            let (passed, client) = self.conclude(&point, was_fed)?;
            self.findings.best_bytes_per_s = self.findings.best_bytes_per_s.max(bytes_per_s);
            if !passed {
                fall = Some(Fall { mb_per_s: bytes_per_s / 1e6, client });
            }
            narrowing.report(count, Tried { passed, bytes_per_s, took_s: begun.elapsed().as_secs_f64() });
        }
        let limiter = limiter(fall.as_ref(), self.place.link.realistic_mb_per_s());
        self.findings.formats.push(CheckFormat {
            id: format.id.clone(),
            name: name(format),
            streams: narrowing.streams(),
            at_least: !narrowing.has_limit() || matches!(limiter, Limiter::Client(_)) || !self.goes_on(),
            needed_mb_per_s_each: needed_bytes_per_s / 1e6,
            limited_by: limiter.word().to_owned(),
        });
        self.findings.limiters.push(limiter);
        Ok(())
    }

    /// The verdict on the trial that was just made, kept with its load point: whether it passed, and why this
    /// machine was its limit, if it was.
    ///
    /// Late frames alone would not do in so short a time: players that get a little less than they need live
    /// on their buffers until the trial is over.
    fn conclude(&mut self, point: &Point, was_fed: bool) -> Result<(bool, Option<String>), RunError> {
        let criteria = Criteria::for_actor("player").map_err(|source| CastError::Criteria {
            text: String::new(),
            actor: "player".to_owned(),
            source,
        })?;
        let streams = &point.judged.late.streams;
        let verdict = judge(&criteria, &Measured { streams, total: Some(&point.total), rates: &[] });
        let moved = point.total.bytes_per_s.unwrap_or(0.0);
        let passed = verdict.passed && was_fed;
        // Nothing was late yet, but would have been soon.
        let soon = Verdict { passed, storage_failed: true, ..verdict.clone() };
        let judged = if verdict.passed { &soon } else { &verdict };
        let why = client::limit(judged, point.busy_share, moved, self.copy_bytes_per_s);
        if let Some(last) = self.done.last_mut() {
            last.limited_by_client.clone_from(&why);
            last.verdict = Some(verdict);
        }
        Ok((passed, why))
    }

    /// Runs a load point and keeps its figures.
    fn point<S: Script + 'static>(
        &mut self,
        label: String,
        workers: Vec<Worker<S>>,
        times: Times,
        specs: &[StreamSpec],
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Point, RunError> {
        if !self.place.direct {
            let note = drop_cached(&self.place.data_set.files);
            self.notes.extend(note.filter(|note| !self.notes.contains(note)));
        }
        let index = self.done.len() as u16;
        let facts =
            LoadPointFacts { label, workers: workers.len() as u32, sweep_value: None, ended_early: None };
        let context = self.context(index, times);
        self.announce(index, &facts, times)?;
        if !specs.is_empty() {
            self.drain.judge(Judging::new(Arc::clone(&context), specs.to_vec(), Vec::new()))?;
        }
        let setup = PointSetup {
            kind: DriverKind::Threads,
            context: Arc::clone(&context),
            label: facts.label.clone(),
            hang_after: HANG_AFTER,
            drain: &self.drain,
            interrupt,
        };
        let machine_before = MachineTime::now();
        let end = run_point(&setup, workers, observer)?;
        let busy_share = MachineTime::now().busy_share_since(machine_before);
        self.driver_notes = end.notes;
        self.left_behind += end.left_behind;
        self.ending = end.ending;
        let facts = LoadPointFacts { ended_early: sentence(&self.ending, &self.scene()), ..facts };
        let figures = self.drain.finish_point(index, end.timing)?;
        let judged = self.drain.finish_judging()?.unwrap_or_default();
        let total = figures.total.clone();
        let mut point = LoadPoint::new(facts, figures);
        if !specs.is_empty() {
            point.stream_count = Some(specs.len() as u32);
            point.streams = Some(judged.late.clone());
        }
        self.done.push(point);
        self.table.points.push(PointStreams::new(1, measured_part(&context), specs.to_vec()));
        table::write(&self.run_dir, &self.table)?;
        Ok(Point { total, judged, busy_share })
    }

    fn context(&self, index: u16, times: Times) -> Arc<Context> {
        Arc::new(Context {
            clock: self.clock,
            files: self.place.data_set.files.clone(),
            pattern: self.place.pattern(),
            write_map: None,
            point: index,
            window: Window::new(times.warmup.as_nanos() as u64, times.measured.as_nanos() as u64),
            stop: AtomicBool::new(false),
        })
    }

    /// Writes down when a load point is going to run, in case nobody lives to tell.
    fn announce(&mut self, index: u16, facts: &LoadPointFacts, times: Times) -> Result<(), RunError> {
        let started_ns = self.clock.now_ns();
        let warmup_until_ns = started_ns + times.warmup.as_nanos() as u64;
        self.planned.push(LoadPointPlan {
            index,
            label: facts.label.clone(),
            workers: facts.workers,
            sweep_value: None,
            started_ns,
            warmup_until_ns,
            end_ns: warmup_until_ns + times.measured.as_nanos() as u64,
        });
        Ok(load_points::write(&self.run_dir, &self.planned)?)
    }

    pub(super) fn scene(&self) -> Scene<'_> {
        Scene {
            target: &self.place.target,
            area_root: self.place.area.root(),
            mount_id: &self.place.mount_id,
            files: &self.place.entries,
        }
    }
}
