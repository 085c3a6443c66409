//! A run of streams from its plan to its summary: load point by load point, or trial by trial.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use jiff::Timestamp;
use reelgauge_analysis::late::{MeasuredPart, StreamSpec};
use reelgauge_analysis::summary::{LoadPointFacts, Target};
use reelgauge_analysis::vda_curve::{VdaInput, vda_facts};
use reelgauge_analysis::{LoadPoint, Outcome, Summary};
use reelgauge_engine::cache;
use reelgauge_engine::clock::Clock;
use reelgauge_engine::driver::{Context, Window};
use reelgauge_record::host::HostFacts;
use reelgauge_record::log::LogWriter;
use reelgauge_record::run_dir::{RunDir, RunName};
use reelgauge_workload::search::{Answer, Next, Search, Trial};
use reelgauge_workload::streams::StreamsPlan;

use super::cast::{Cast, Company};
use super::client::{self, MachineTime};
use super::seek;
use super::stage::Stage;
use super::table::{self, PointStreams, StreamTable};
use super::verdict::{hold_to_pace, verdict_of};
use crate::drain::Drain;
use crate::error::RunError;
use crate::failure::{Scene, sentence};
use crate::interrupt::Interrupt;
use crate::judging::{Judging, measured_part};
use crate::load_points::{self, LoadPointPlan};
use crate::observer::Observer;
use crate::own_cpu::OwnCpu;
use crate::point::{Ending, PointSetup, run_point};
use crate::prepare::{mount_facts, target_label};
use crate::run::{AGENT, Finished, driver_kind, log_meta};
use crate::summarise::{Facts, Subject, Traces, summarise, target};

/// What to run, beside the plan.
#[derive(Clone, Debug)]
pub struct StreamsRequest {
    /// What to run.
    pub plan: StreamsPlan,
    /// The command: `streams`, `vda`, `run`, …
    pub verb: String,
    /// Refuse rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// Folder for run directories.
    pub out: PathBuf,
    /// A run whose search is to go on.
    pub resume: Option<PathBuf>,
    /// Compute the curve of a VDA-like run; this is said of its data set.
    pub vda: Option<VdaInput>,
}

/// Carries out a plan of streams.
///
/// # Errors
/// When nothing could be measured. A run that broke off in the middle is not an error: what was measured
/// comes back, with its [`Outcome`].
pub fn run_streams(
    request: StreamsRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let started = Timestamp::now();
    let StreamsRequest { mut plan, verb, must_be_direct, out, resume, vda } = request;
    plan.check()?;
    let mut cast = Cast::new(&plan)?;
    std::fs::create_dir_all(&out).map_err(|source| RunError::Out { path: out.clone(), source })?;
    let asked_direct = plan.direct;
    let first_scale = plan.scale.0.iter().copied().max().unwrap_or(1);
    let seconds = (plan.warmup.duration() + plan.duration.duration()).as_secs_f64();
    let needed_bytes = cast.bytes_per_scale(seconds).saturating_mul(u64::from(first_scale));
    let mut stage = Stage::open(&mut plan, needed_bytes, cast.writes(), must_be_direct)?;
    if plan.direct != asked_direct {
        cast = Cast::new(&plan)?;
    }
    let search = match &plan.find_max {
        Some(wanted) => {
            let room = stage.room_for(cast.bytes_per_scale(seconds));
            if room < plan.search_cap() {
                stage.notes.push(format!(
                    "The target has room for the files of {} at most; a shorter --clip makes them smaller.",
                    plan.label(room.max(1))
                ));
            }
            Some(seek::begin(&plan, wanted, room, resume.as_deref())?)
        }
        None => {
            stage.furnish(&mut cast, first_scale, observer, interrupt)?;
            None
        }
    };
    let label = target_label(&plan.target, &stage.mount);
    let run_dir = RunDir::create(&out, RunName { start: started.into(), target: &label, what: &plan.name })?;
    run_dir.write_plan(&plan.to_toml()?)?;
    run_dir.write_hosts(&[HostFacts::gather(Some(mount_facts(&stage.mount)))])?;
    let mut show = Show::begin(plan, cast, stage, run_dir)?;
    let answer = show.play(search, observer, interrupt)?;
    let finished = show.end(started, &verb, answer, vda)?;
    observer.finished();
    Ok(finished)
}

/// A search that ended, with or without its answer.
struct Sought {
    search: Search,
    answer: Option<Answer>,
}

/// The state of a run between preparation and summary.
struct Show {
    plan: StreamsPlan,
    cast: Cast,
    stage: Stage,
    run_dir: RunDir,
    clock: Clock,
    drain: Drain,
    planned: Vec<LoadPointPlan>,
    table: StreamTable,
    done: Vec<LoadPoint>,
    notes: Vec<String>,
    driver_notes: Vec<String>,
    cpu_before: OwnCpu,
    fetched_before: Option<u64>,
    cached_before: Option<f64>,
    copy_bytes_per_s: f64,
    ending: Ending,
    left_behind: usize,
}

impl Show {
    fn begin(plan: StreamsPlan, cast: Cast, stage: Stage, run_dir: RunDir) -> Result<Show, RunError> {
        let clock = Clock::start();
        let log = match plan.log {
            true => Some(LogWriter::create(
                &run_dir.agent_ops_path(AGENT),
                log_meta(&clock),
                stage.entries.clone(),
            )?),
            false => None,
        };
        let mut notes = stage.notes.clone();
        notes.extend(cast.notes());
        Ok(Show {
            drain: Drain::start(log, clock).map_err(RunError::io("start a thread"))?,
            planned: Vec::new(),
            table: StreamTable::default(),
            done: Vec::new(),
            notes,
            driver_notes: Vec::new(),
            cpu_before: OwnCpu::now(),
            fetched_before: cache::fetched_bytes(&stage.mount),
            cached_before: cache::resident(&stage.prepared_paths()).share(),
            copy_bytes_per_s: client::memory_copy_bytes_per_s(),
            ending: Ending::OnTime,
            left_behind: 0,
            plan,
            cast,
            stage,
            run_dir,
            clock,
        })
    }

    /// All load points, or all trials of the search.
    fn play(
        &mut self,
        search: Option<Search>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Option<Sought>, RunError> {
        let Some(mut search) = search else {
            observer.phase("measuring");
            for scale in self.plan.scale.0.clone() {
                self.point(scale, observer, interrupt)?;
                if !matches!(self.ending, Ending::OnTime) {
                    break;
                }
            }
            return Ok(None);
        };
        let answer = loop {
            let scale = match search.next() {
                Next::Try { streams, .. } => streams,
                Next::Done(answer) => break Some(answer),
            };
            // Load points are numbered with 16 bits.
            if self.done.len() >= usize::from(u16::MAX) {
                break None;
            }
            let began_ns = self.clock.now_ns();
            let entries = self.stage.furnish(&mut self.cast, scale, observer, interrupt)?;
            self.drain.add_files(entries)?;
            observer.phase("searching");
            let passed = self.point(scale, observer, interrupt)?;
            if !matches!(self.ending, Ending::OnTime) {
                break None;
            }
            let limited_by_client = self.done.last().is_some_and(|point| point.limited_by_client.is_some());
            // Making further files takes time, too.
            let took_s = (self.clock.now_ns() - began_ns) as f64 / 1e9;
            let trial = Trial { passed, limited_by_client, took_s };
            search.report(scale, trial).map_err(|source| RunError::Search { source })?;
            seek::save(&self.run_dir, &search)?;
        };
        Ok(Some(Sought { search, answer }))
    }

    /// Runs a load point and keeps its figures. Whether its criteria were met.
    fn point(
        &mut self,
        scale: u32,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<bool, RunError> {
        let index = self.done.len() as u16;
        if index > 0 && !self.plan.direct {
            self.notes.extend(self.stage.cool_down().filter(|note| !self.notes.contains(note)));
        }
        let company = self.cast.company(scale, index);
        let context = Arc::new(Context {
            clock: self.clock,
            files: self.stage.files.clone(),
            pattern: self.stage.pattern(),
            write_map: None,
            point: index,
            window: Window::new(self.plan.warmup.ns(), self.plan.duration.ns()),
            stop: AtomicBool::new(false),
        });
        let facts = LoadPointFacts {
            label: self.plan.label(scale),
            workers: company.workers.len() as u32,
            sweep_value: None,
            ended_early: None,
        };
        self.announce(index, &facts)?;
        self.perform(scale, company, facts, context, observer, interrupt)
    }

    /// The load point itself, and what came of it. Whether its criteria were met.
    fn perform(
        &mut self,
        scale: u32,
        company: Company,
        mut facts: LoadPointFacts,
        context: Arc<Context>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<bool, RunError> {
        let Company { workers, specs, rates, groups } = company;
        self.enlist(scale, &specs)?;
        self.drain.judge(Judging::new(Arc::clone(&context), specs.clone(), rates))?;
        let setup = PointSetup {
            kind: driver_kind(self.plan.driver),
            context: Arc::clone(&context),
            label: facts.label.clone(),
            hang_after: self.plan.hang_after.duration(),
            drain: &self.drain,
            interrupt,
        };
        let machine_before = MachineTime::now();
        let end = run_point(&setup, workers, observer)?;
        let busy_share = MachineTime::now().busy_share_since(machine_before);
        facts.ended_early = sentence(&end.ending, &self.scene());
        let figures = self.drain.finish_point(context.point, end.timing)?;
        let judged = self.drain.finish_judging()?.unwrap_or_default();
        let mut verdict = verdict_of(&groups, &judged, &figures.total);
        if self.plan.find_max.is_some() && self.cast.never_pauses() {
            // A trial is short, and a full buffer hides for a while that the storage can't keep up.
            hold_to_pace(&mut verdict, &judged.late, &measured_part(&context));
        }
        let moved_bytes_per_s = figures.total.bytes_per_s.unwrap_or(0.0);
        let passed = verdict.passed;
        let mut point = LoadPoint::new(facts, figures);
        point.limited_by_client =
            client::limit(&verdict, busy_share, moved_bytes_per_s, self.copy_bytes_per_s);
        point.stream_count = Some(self.plan.stream_count(scale));
        point.streams = (!specs.is_empty()).then_some(judged.late);
        point.rates = judged.rates;
        point.rates_mean_response_ms = judged.rates_mean_response_ms;
        // A load point that somebody stopped is not judged: what did not come may just have been cut off.
        let complete = matches!(end.ending, Ending::OnTime | Ending::Exhausted);
        point.verdict = complete.then_some(verdict);
        self.done.push(point);
        // Now it is known when it began to the nanosecond.
        self.table.points.pop();
        self.table.points.push(PointStreams::new(scale, measured_part(&context), specs));
        table::write(&self.run_dir, &self.table)?;
        self.driver_notes = end.notes;
        self.left_behind += end.left_behind;
        self.ending = end.ending;
        Ok(passed)
    }

    /// Writes down when a load point is going to run, in case nobody lives to tell.
    fn announce(&mut self, index: u16, facts: &LoadPointFacts) -> Result<(), RunError> {
        let started_ns = self.clock.now_ns();
        let warmup_until_ns = started_ns + self.plan.warmup.ns();
        self.planned.push(LoadPointPlan {
            index,
            label: facts.label.clone(),
            workers: facts.workers,
            sweep_value: None,
            started_ns,
            warmup_until_ns,
            end_ns: warmup_until_ns + self.plan.duration.ns(),
        });
        Ok(load_points::write(&self.run_dir, &self.planned)?)
    }

    /// Writes down which streams are going to run, as far as that is known before.
    fn enlist(&mut self, scale: u32, specs: &[StreamSpec]) -> Result<(), RunError> {
        let Some(planned) = self.planned.last() else {
            return Ok(());
        };
        let part = MeasuredPart {
            point: planned.index,
            started_ns: planned.started_ns,
            from_ns: planned.warmup_until_ns,
            until_ns: planned.end_ns,
        };
        self.table.points.push(PointStreams::new(scale, part, specs.to_vec()));
        Ok(table::write(&self.run_dir, &self.table)?)
    }

    fn scene(&self) -> Scene<'_> {
        Scene {
            target: &self.plan.target,
            area_root: self.stage.area.root(),
            mount_id: &self.stage.mount_id,
            files: &self.stage.entries,
        }
    }

    /// What the run left in this machine's cache. Not asked of storage that no longer answers.
    fn traces(&self) -> Traces {
        if self.left_behind > 0 {
            return Traces::default();
        }
        Traces::left(&self.stage.mount, &self.stage.prepared_paths(), self.fetched_before)
    }

    fn end(
        self,
        started: Timestamp,
        verb: &str,
        sought: Option<Sought>,
        vda: Option<VdaInput>,
    ) -> Result<Finished, RunError> {
        let reason = sentence(&self.ending, &self.scene());
        let traces = self.traces();
        let answers = self.left_behind == 0 && !matches!(self.ending, Ending::Hung { .. });
        let drained = self.drain.finish()?;
        let load_points = self.done;
        let mut summary = summarise(Facts {
            subject: subject(&self.plan, &self.stage, verb, self.cached_before),
            run_dir: self.run_dir.path(),
            started,
            load_points,
            drained,
            cpu: OwnCpu::now().since(self.cpu_before),
            wall_s: self.clock.now_ns() as f64 / 1e9,
            traces,
            ending: self.ending,
            reason,
            driver_notes: self.driver_notes,
            verified: None,
            notes: self.notes,
        });
        conclude(&mut summary, &self.plan, sought, vda);
        self.run_dir.write_summary(&summary)?;
        if answers {
            self.stage.strike()?;
        } else {
            // Closing what lies on a dead mount may never return.
            std::mem::forget(self.stage);
        }
        Ok(Finished { summary, run_dir: self.run_dir.path().to_path_buf() })
    }
}

/// What the run amounts to: the search's answer, the curve, the verdict.
fn conclude(summary: &mut Summary, plan: &StreamsPlan, sought: Option<Sought>, vda: Option<VdaInput>) {
    let first_failed = |summary: &Summary| {
        let verdicts = summary.load_points.iter().filter_map(|point| point.verdict.as_ref());
        verdicts.filter(|verdict| !verdict.passed).find_map(|verdict| verdict.failed_first.clone())
    };
    if let Some(vda) = &vda {
        summary.vda = Some(vda_facts(&summary.load_points, vda));
    }
    match sought {
        Some(Sought { search, answer }) => {
            let per_scale = plan.stream_count(1).max(1);
            let mut facts = seek::facts(&search, answer.as_ref(), per_scale, plan.what());
            facts.failed_first = first_failed(summary).map(|failure| failure.sentence);
            // A search is good when anything passed at all: that something fell is what it is for.
            let best = facts.streams.unwrap_or(0);
            let passing = summary.load_points.iter().rev().filter_map(|point| point.verdict.as_ref());
            let mut passing = passing.filter(|verdict| verdict.passed == (best > 0));
            summary.verdict = passing.next().cloned();
            summary.search = Some(facts);
        }
        None => {
            let verdicts = || summary.load_points.iter().filter_map(|point| point.verdict.as_ref());
            summary.verdict = verdicts().find(|verdict| !verdict.passed).or(verdicts().next_back()).cloned();
        }
    }
    if !matches!(summary.outcome, Outcome::Complete) && summary.load_points.is_empty() {
        summary.verdict = None;
    }
}

fn subject<'a>(
    plan: &StreamsPlan,
    stage: &'a Stage,
    verb: &'a str,
    cached_before: Option<f64>,
) -> Subject<'a> {
    let (files, bytes) = stage.prepared_total();
    let target: Target = target(&plan.target, &stage.mount);
    Subject {
        verb,
        label: plan.name.clone(),
        target,
        seed: plan.seed,
        plan: super::people::plan_for_people(plan),
        asked_direct: plan.direct,
        mount: &stage.mount,
        direct: &stage.direct,
        cached_before,
        data_set: reelgauge_analysis::summary::DataSet {
            files,
            file_size_bytes: bytes.checked_div(files).unwrap_or(0),
            reused: stage.written_bytes == 0,
        },
        data_bytes: bytes,
    }
}
