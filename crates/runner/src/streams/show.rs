//! A run of streams from its plan to its summary: load point by load point, or trial by trial.

use std::path::PathBuf;

use jiff::Timestamp;
use reelgauge_analysis::summary::DataSet;
use reelgauge_analysis::vda_curve::{VdaInput, vda_facts};
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_workload::search::{Answer, Next, Search, Trial};
use reelgauge_workload::streams::StreamsPlan;

use super::cast::{Cast, Company};
use super::client;
use super::seek;
use super::stage::Stage;
use super::verdict::{hold_to_pace, verdict_of};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::live::log::logged;
use crate::observer::Observer;
use crate::results::{Naming, Results};
use crate::run::{Finished, driver_kind};
use crate::session::{Closing, Jury, Opening, PointPlan, Session, make_out};
use crate::summarise::Subject;

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
    logged(observer, |observer| carry_out(request, observer, interrupt))
}

fn carry_out(
    request: StreamsRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let started = Timestamp::now();
    let StreamsRequest { mut plan, verb, must_be_direct, out, resume, vda } = request;
    plan.check()?;
    let mut cast = Cast::new(&plan)?;
    make_out(&out)?;
    let asked_direct = plan.direct;
    let first_scale = plan.scale.0.iter().copied().max().unwrap_or(1);
    let seconds = (cast.warmup_ns() + plan.duration.ns()) as f64 / 1e9;
    let needed_bytes = cast.bytes_per_scale(seconds).saturating_mul(u64::from(first_scale));
    let (ground, mut stage) = Stage::open(&mut plan, needed_bytes, cast.writes(), must_be_direct, interrupt)?;
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
        None => None,
    };
    let naming = Naming { started, out: &out, verb: &verb, label: &plan.name, what: &plan.name };
    let results = Results::make(&naming, &ground, observer)?;
    if search.is_none() {
        stage.furnish(&mut cast, first_scale, observer, interrupt)?;
    }
    let plan_toml = plan.to_toml()?;
    let session = Session::begin(ground, opening(&plan, &plan_toml, &cast, &stage, results), observer)?;
    let copy_bytes_per_s = client::memory_copy_bytes_per_s();
    let mut show = Show { plan, cast, stage, session, copy_bytes_per_s };
    let mut sought = search.map(|search| Sought { search, answer: None });
    let played = match &mut sought {
        Some(sought) => show.seek(sought, observer, interrupt),
        None => show.play(observer, interrupt),
    };
    show.session.settle(played)?;
    show.end(&verb, sought, vda, observer, interrupt)
}

/// A search that ended, with or without its answer.
struct Sought {
    search: Search,
    answer: Option<Answer>,
}

/// A session of streams.
struct Show {
    plan: StreamsPlan,
    cast: Cast,
    stage: Stage,
    session: Session,
    copy_bytes_per_s: f64,
}

impl Show {
    /// All load points.
    fn play(&mut self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<(), RunError> {
        observer.phase("measuring");
        for scale in self.plan.scale.0.clone() {
            self.point(scale, observer, interrupt)?;
            if !self.session.goes_on() {
                break;
            }
        }
        Ok(())
    }

    /// All trials of a search.
    fn seek(
        &mut self,
        sought: &mut Sought,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        loop {
            let scale = match sought.search.next() {
                Next::Try { streams, .. } => streams,
                Next::Done(answer) => {
                    sought.answer = Some(answer);
                    return Ok(());
                }
            };
            if self.session.next_index().is_none() {
                return Ok(());
            }
            let began_ns = self.session.now_ns();
            self.stage.furnish(&mut self.cast, scale, observer, interrupt)?;
            self.session.files_grew(&self.stage.table)?;
            for note in &self.stage.notes {
                self.session.note(note.clone());
            }
            observer.phase("searching");
            let passed = self.point(scale, observer, interrupt)?;
            if !self.session.goes_on() {
                return Ok(());
            }
            let last = self.session.done().last();
            let limited_by_client = last.is_some_and(|point| point.limited_by_client.is_some());
            // Making further files takes time, too.
            let took_s = (self.session.now_ns() - began_ns) as f64 / 1e9;
            let trial = Trial { passed, limited_by_client, took_s };
            sought.search.report(scale, trial).map_err(|source| RunError::Search { source })?;
            seek::save(self.session.run_dir(), &sought.search)?;
        }
    }

    /// Runs a load point and keeps its figures. Whether its criteria were met.
    fn point(
        &mut self,
        scale: u32,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<bool, RunError> {
        let index = self.session.done().len() as u16;
        if index > 0
            && !self.plan.direct
            && let Some(note) = self.stage.cool_down()
        {
            self.session.note(note);
        }
        let Company { workers, specs, rates, groups } = self.cast.company(scale, index);
        let what = PointPlan {
            label: self.plan.label(scale),
            warmup_ns: self.cast.warmup_ns(),
            measured_ns: self.plan.duration.ns(),
            jury: Some(Jury { scale, specs, rates }),
            ..PointPlan::default()
        };
        let done = self.session.point(what, workers, observer, interrupt)?;
        let mut verdict = verdict_of(&groups, &done.judged, &done.total);
        if self.plan.find_max.is_some() && self.cast.never_pauses() {
            // A trial is short, and a full buffer hides for a while that the storage can't keep up.
            hold_to_pace(&mut verdict, &done.judged.late, &done.part);
        }
        let moved_bytes_per_s = done.total.bytes_per_s.unwrap_or(0.0);
        let passed = verdict.passed;
        if let Some(point) = self.session.last_point() {
            point.limited_by_client =
                client::limit(&verdict, done.busy_share, moved_bytes_per_s, self.copy_bytes_per_s);
            point.stream_count = Some(self.plan.stream_count(scale));
            // A load point that somebody stopped is not judged.
            point.verdict = done.complete.then_some(verdict);
        }
        Ok(passed)
    }

    fn end(
        self,
        verb: &str,
        sought: Option<Sought>,
        vda: Option<VdaInput>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Finished, RunError> {
        let Show { plan, stage, session, .. } = self;
        let closing = Closing { subject: subject(&plan, &stage, verb), made: Some(stage.made) };
        let conclude = |summary: &mut Summary, _: &_| conclude(summary, &plan, sought, vda);
        session.end(closing, conclude, observer, interrupt)
    }
}

/// What the session begins with.
fn opening<'a>(
    plan: &'a StreamsPlan,
    plan_toml: &'a str,
    cast: &Cast,
    stage: &Stage,
    results: Results,
) -> Opening<'a> {
    let mut notes = stage.notes.clone();
    notes.extend(cast.notes());
    Opening {
        results,
        plan_toml,
        files: stage.table.clone(),
        pattern: stage.pattern(),
        driver: driver_kind(plan.driver),
        hang_after: plan.hang_after.duration(),
        log: plan.log,
        verify: false,
        notes,
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

fn subject(plan: &StreamsPlan, stage: &Stage, verb: &str) -> Subject {
    let (files, bytes) = stage.prepared_total();
    Subject {
        verb: verb.to_owned(),
        label: plan.name.clone(),
        seed: plan.seed,
        plan: super::people::plan_for_people(plan),
        asked_direct: plan.direct,
        data_set: DataSet {
            files,
            file_size_bytes: bytes.checked_div(files).unwrap_or(0),
            reused: stage.written_bytes == 0,
        },
        data_bytes: bytes,
    }
}
