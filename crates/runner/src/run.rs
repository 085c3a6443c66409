//! A run from its plan to its summary.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use reelgauge_analysis::summary::LoadPointFacts;
use reelgauge_analysis::{LoadPoint, Outcome, Summary};
use reelgauge_engine::cache;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{Context, DriverKind, Window};
use reelgauge_engine::verify::WriteMap;
use reelgauge_record::host::HostFacts;
use reelgauge_record::log::{CaptureLevel, FileEntry, LogMeta, LogWriter};
use reelgauge_record::run_dir::{RunDir, RunName};
use reelgauge_workload::mix::MixScript;
use reelgauge_workload::plan::{DriverChoice, Plan};

use crate::drain::Drain;
use crate::error::RunError;
use crate::failure::{Scene, sentence};
use crate::interrupt::{EXIT_INTERRUPTED, Interrupt};
use crate::load_points::{self, LoadPointPlan};
use crate::observer::Observer;
use crate::own_cpu::OwnCpu;
use crate::point::{Ending, PointEnd, PointSetup, run_point};
use crate::prepare::{Prepared, mount_facts, prepare, target_label};
use crate::summarise::{Facts, Subject, Traces, summarise};
use crate::verify::{Verified, read_back};
use crate::workers::Crew;

/// The name of this process in the log, where a fleet would have many.
pub(crate) const AGENT: &str = "local";
/// The exit code of a run that measured what it should and found it not good enough.
const EXIT_NOT_MET: u8 = 1;
/// The exit code of a run that broke off.
const EXIT_BROKE_OFF: u8 = 3;

/// What to run, beside the plan.
#[derive(Clone, Debug)]
pub struct Request {
    /// What to run.
    pub plan: Plan,
    /// Refuse rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// Folder for run directories.
    pub out: PathBuf,
}

/// A run that measured something.
#[derive(Debug)]
pub struct Finished {
    /// Everything that a report shows.
    pub summary: Summary,
    /// Where it lies.
    pub run_dir: PathBuf,
}

impl Finished {
    /// The exit code: 0 complete, 1 complete but the criteria were not met or what was written is not what
    /// was read back, 3 broke off, 130 interrupted.
    pub fn exit_code(&self) -> u8 {
        let differs = self.summary.verify.as_ref().is_some_and(|verify| verify.different_bytes > 0);
        let not_met = self.summary.verdict.as_ref().is_some_and(|verdict| !verdict.passed);
        match self.summary.outcome {
            Outcome::Complete if differs || not_met => EXIT_NOT_MET,
            Outcome::Complete => 0,
            Outcome::BrokeOff => EXIT_BROKE_OFF,
            Outcome::Interrupted => EXIT_INTERRUPTED as u8,
        }
    }
}

/// Carries out a plan.
///
/// # Errors
/// When nothing could be measured. A run that broke off in the middle is not an error: what was measured
/// comes back, with its [`Outcome`].
pub fn run(
    request: Request,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let started = Timestamp::now();
    request.plan.check()?;
    std::fs::create_dir_all(&request.out)
        .map_err(|source| RunError::Out { path: request.out.clone(), source })?;
    let prepared = prepare(request.plan, request.must_be_direct, observer, interrupt)?;
    let label = target_label(&prepared.plan.target, &prepared.mount);
    let name = RunName { start: started.into(), target: &label, what: &prepared.plan.mix.profile };
    let run_dir = RunDir::create(&request.out, name)?;
    run_dir.write_plan(&prepared.plan.to_toml()?)?;
    run_dir.write_hosts(&[HostFacts::gather(Some(mount_facts(&prepared.mount)))])?;
    let mut measuring = Measuring::begin(&prepared, &run_dir)?;
    observer.phase("measuring");
    for point in 0..prepared.plan.points() {
        let ending = measuring.point(point, observer, interrupt)?;
        if !matches!(ending, Ending::OnTime) {
            break;
        }
    }
    // Before reading back fills the cache that the run may have passed by.
    let traces = measuring.traces();
    let verified = measuring.verify(observer, interrupt);
    let summary = measuring.end(started, traces, verified)?;
    run_dir.write_summary(&summary)?;
    observer.finished();
    if !matches!(summary.outcome, Outcome::Complete) {
        // Closing what lies on a dead mount may never return.
        std::mem::forget(prepared.lock);
    }
    Ok(Finished { summary, run_dir: run_dir.path().to_path_buf() })
}

/// The state of a run between preparation and summary.
struct Measuring<'a> {
    prepared: &'a Prepared,
    run_dir: &'a RunDir,
    clock: Clock,
    drain: Drain,
    crew: Crew,
    write_map: Option<Arc<WriteMap>>,
    file_entries: Vec<FileEntry>,
    planned: Vec<LoadPointPlan>,
    done: Vec<LoadPoint>,
    notes: Vec<String>,
    /// What the driver said in the last load point.
    driver_notes: Vec<String>,
    cpu_before: OwnCpu,
    fetched_before: Option<u64>,
    /// How the last load point ended.
    ending: Ending,
    left_behind: usize,
}

impl<'a> Measuring<'a> {
    fn begin(prepared: &'a Prepared, run_dir: &'a RunDir) -> Result<Measuring<'a>, RunError> {
        let clock = Clock::start();
        let plan = &prepared.plan;
        let files = &prepared.data_set.files;
        let log = match plan.log {
            true => Some(LogWriter::create(
                &run_dir.agent_ops_path(AGENT),
                log_meta(&clock),
                prepared.file_entries(),
            )?),
            false => None,
        };
        Ok(Measuring {
            drain: Drain::start(log, clock).map_err(RunError::io("start a thread"))?,
            crew: Crew::new(plan, files),
            write_map: plan
                .verify
                .then(|| Arc::new(WriteMap::new(files, prepared.data_set.pattern.unit_bytes))),
            file_entries: prepared.file_entries(),
            planned: Vec::new(),
            done: Vec::new(),
            notes: prepared.notes.clone(),
            driver_notes: Vec::new(),
            cpu_before: OwnCpu::now(),
            fetched_before: cache::fetched_bytes(&prepared.mount),
            ending: Ending::OnTime,
            left_behind: 0,
            prepared,
            run_dir,
            clock,
        })
    }

    /// Runs a load point and keeps its figures.
    fn point(
        &mut self,
        point: usize,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<&Ending, RunError> {
        let plan = &self.prepared.plan;
        let index = point as u16;
        let context = Arc::new(Context {
            clock: self.clock,
            files: self.prepared.data_set.files.clone(),
            pattern: self.prepared.data_set.pattern,
            write_map: self.write_map.clone(),
            point: index,
            window: Window::new(plan.warmup.ns(), plan.duration.ns()),
            stop: AtomicBool::new(false),
        });
        let facts = LoadPointFacts {
            label: plan.label_at(point),
            workers: plan.workers_at(point),
            sweep_value: plan.sweep.as_ref().and_then(|sweep| sweep.value(point)),
            ended_early: None,
        };
        self.announce(index, &facts)?;
        let setup = PointSetup {
            kind: driver_kind(plan.driver),
            context,
            label: facts.label.clone(),
            hang_after: plan.hang_after.duration(),
            drain: &self.drain,
            interrupt,
        };
        let end = run_point(&setup, self.crew.take(plan, point), observer)?;
        self.keep(index, facts, end)?;
        Ok(&self.ending)
    }

    /// Writes down when a load point is going to run, in case nobody lives to tell.
    fn announce(&mut self, index: u16, facts: &LoadPointFacts) -> Result<(), RunError> {
        let plan = &self.prepared.plan;
        let started_ns = self.clock.now_ns();
        let warmup_until_ns = started_ns + plan.warmup.ns();
        self.planned.push(LoadPointPlan {
            index,
            label: facts.label.clone(),
            workers: facts.workers,
            sweep_value: facts.sweep_value.clone(),
            started_ns,
            warmup_until_ns,
            end_ns: warmup_until_ns + plan.duration.ns(),
        });
        Ok(load_points::write(self.run_dir, &self.planned)?)
    }

    fn keep(
        &mut self,
        index: u16,
        mut facts: LoadPointFacts,
        end: PointEnd<MixScript>,
    ) -> Result<(), RunError> {
        facts.ended_early = match &end.ending {
            Ending::OnTime => None,
            Ending::Exhausted => Some("every block had been visited once".to_owned()),
            other => sentence(other, &self.scene()),
        };
        let figures = self.drain.finish_point(index, end.timing)?;
        self.done.push(LoadPoint::new(facts, figures));
        self.driver_notes = end.notes;
        self.left_behind += end.left_behind;
        self.ending = end.ending;
        self.crew.give_back(end.workers);
        Ok(())
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            target: &self.prepared.plan.target,
            area_root: &self.prepared.area_root,
            mount_id: &self.prepared.mount_id,
            files: &self.file_entries,
        }
    }

    /// Reads back what the run wrote, if that was asked for and the storage still answers.
    fn verify(&self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Option<Verified> {
        let map = self.write_map.as_ref()?;
        let answers = matches!(self.ending, Ending::OnTime | Ending::Exhausted);
        if !answers {
            return Some(Verified::Skipped(
                "the run did not complete, so what it wrote was not read back".to_owned(),
            ));
        }
        observer.phase("verifying");
        Some(read_back(self.prepared, map, observer, interrupt))
    }

    /// What the run left in this machine's cache. Not asked of storage that no longer answers.
    fn traces(&self) -> Traces {
        if self.left_behind > 0 {
            return Traces::default();
        }
        Traces::left(&self.prepared.mount, &self.prepared.paths(), self.fetched_before)
    }

    fn end(
        self,
        started: Timestamp,
        traces: Traces,
        verified: Option<Verified>,
    ) -> Result<Summary, RunError> {
        let reason = sentence(&self.ending, &self.scene());
        let drained = self.drain.finish()?;
        Ok(summarise(Facts {
            subject: Subject::of(self.prepared),
            run_dir: self.run_dir.path(),
            started,
            load_points: self.done,
            drained,
            cpu: OwnCpu::now().since(self.cpu_before),
            wall_s: self.clock.now_ns() as f64 / 1e9,
            traces,
            ending: self.ending,
            reason,
            driver_notes: self.driver_notes,
            verified,
            notes: self.notes,
        }))
    }
}

pub(crate) fn driver_kind(choice: DriverChoice) -> DriverKind {
    match choice {
        DriverChoice::Threads => DriverKind::Threads,
        DriverChoice::Uring => DriverKind::Uring,
    }
}

pub(crate) fn log_meta(clock: &Clock) -> LogMeta {
    LogMeta {
        run_ns: clock.start_unix_ns().cast_signed(),
        agent: AGENT.to_owned(),
        capture: CaptureLevel::Application,
        blind_to: Vec::new(),
    }
}
