//! A run of streams from its plan to its summary: load point by load point, or trial by trial.

mod remote_trials;

use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use reelgauge_analysis::forecast::{Forecast, TimeAhead};
use reelgauge_analysis::summary::DataSet;
use reelgauge_analysis::{Culprit, Note, NoteFact, Outcome, Summary};
use reelgauge_engine::area::Terms;
use reelgauge_engine::driver::available;
use reelgauge_record::notes::RunNotes;
use reelgauge_report::{VdaInput, vda_facts};
use reelgauge_workload::search::{Answer, Next, Search, Trial, Why};
use reelgauge_workload::streams::StreamsPlan;
use reelgauge_workload::units::{Size, Span};

use super::actors::{Actors, PointLoad};
use super::count_search::{self, SearchCaps, SearchState};
use super::files::{Needs, StreamFiles};
use super::forecast;
use super::verdict::{judge_last, verdict_of_run};
use crate::error::RunError;
use crate::interrupt::Interrupt;
use crate::observer::{Observer, SearchProgress};
use crate::session::allowance;
use crate::session::driver_kind;
use crate::session::finished_run::Finished;
use crate::session::live_log::logged;
use crate::session::locked_target::check_names;
use crate::session::results_dir::{Naming, Results};
use crate::session::run_summary::{Material, MeasuredSubject};
use crate::session::target::Asked;
use crate::session::{Closing, Opening, PointPlan, Session, ToJudge, make_out};

/// The request for streams, in addition to the plan.
#[derive(Clone, Debug)]
pub struct StreamsRequest {
    pub plan: StreamsPlan,
    /// The command: `streams`, `vda`, `run`, …
    pub verb: String,
    /// Fail rather than fall back to the client's cache.
    pub must_be_direct: bool,
    /// Folder for run directories.
    pub out: PathBuf,
    /// The terms for the target.
    pub terms: Terms,
    /// A run whose search is to be continued.
    pub resume: Option<PathBuf>,
    /// If set, compute the curve of a VDA-like run with this data set.
    pub vda: Option<VdaInput>,
    /// Whether a controller decides on the trials of its search, by the measurements of other hosts,
    /// too.
    pub is_told: bool,
}

/// Carries out a plan of streams.
///
/// # Errors
/// If nothing could be measured. A run that was interrupted is not an error: its measurements are
/// returned, with its [`Outcome`].
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
    let StreamsRequest { mut plan, verb, must_be_direct, out, terms, resume, vda, is_told } = request;
    let asked = Asked { must_be_direct, terms };
    plan.check()?;
    let like = plan.actors.iter().filter_map(|actor| actor.footage()?.like.as_deref());
    check_names([Some(plan.target.as_path()), plan.read_from.as_deref()].into_iter().flatten().chain(like))?;
    let mut actors = Actors::new(&plan)?;
    let asked_direct = plan.direct;
    let first_scale = plan.scale.0.iter().copied().max().unwrap_or(1);
    let seconds = (actors.warmup_ns() + plan.duration.ns()) as f64 / 1e9;
    let demand = |scale: u32| actors.demand(driver_kind(plan.driver), scale, seconds);
    available(driver_kind(plan.driver))?;
    allowance::check(&demand(first_scale))?;
    let machine = plan.find_max.is_some().then(|| allowance::most_of(plan.search_cap(), demand));
    make_out(&out)?;
    let needed_bytes = actors.bytes_per_scale(seconds).saturating_mul(u64::from(first_scale));
    let needs = Needs {
        room_bytes: needed_bytes,
        writes: actors.writes(),
        own_pieces: actors.own_pieces(first_scale),
    };
    let (locked, mut files) = StreamFiles::open(&mut plan, &needs, asked, interrupt)?;
    if plan.direct != asked_direct {
        actors = Actors::new(&plan)?;
    }
    let search = match &plan.find_max {
        Some(wanted) => {
            let limits = limits_of(&plan, &actors, &mut files, machine.unwrap_or(u32::MAX), seconds);
            let max_rate = locked.area.max_bytes_per_s();
            let begun =
                count_search::begin(&plan, &locked.mount, max_rate, wanted, limits, resume.as_deref());
            Some(begun.inspect_err(|_| files.take_back())?)
        }
        None => None,
    };
    let ahead = ahead(&plan, &actors, &files, search.as_ref().map(|sought| &sought.search))
        .held_to(locked.area.max_bytes_per_s());
    observer.ahead(&verb, &ahead);
    let notes = RunNotes::new(&plan.storage, &plan.tags);
    let naming =
        Naming { started, out: &out, verb: &verb, label: &plan.name, what: &plan.name, notes: &notes };
    let results = Results::make(&naming, &locked, observer).inspect_err(|_| files.take_back())?;
    if search.is_none() {
        files.provide(&mut actors, first_scale, seconds, observer, interrupt)?;
    }
    let plan_toml = plan.to_toml()?;
    let session = Session::begin(locked, opening(&plan, &plan_toml, &actors, &files, results), observer)?;
    let mut run = StreamsRun { plan, actors, files, session };
    let mut course = match search {
        Some(sought) if is_told => Course::Told(sought),
        Some(sought) => Course::Sought(Ended { sought, answer: None, ahead }),
        None => Course::Planned,
    };
    let measured = match &mut course {
        Course::Sought(sought) => run.seek(sought, observer, interrupt),
        Course::Told(known) => run.all_told(known, observer, interrupt),
        Course::Planned => run.all_points(observer, interrupt),
    };
    run.session.settle(measured)?;
    run.end(&verb, course, vda, observer, interrupt)
}

/// The largest counts that a search may try; a note has the reason for a limit.
fn limits_of(
    plan: &StreamsPlan,
    actors: &Actors,
    files: &mut StreamFiles,
    machine: u32,
    seconds: f64,
) -> SearchCaps {
    let room = files.room_for(actors, actors.bytes_per_scale(seconds));
    if room < plan.search_cap() {
        let sentence = format!(
            "The target has space for the test files of {} at most (--keep-free).",
            plan.label(room.max(1))
        );
        let advice = match plan.actors.iter().any(|actor| actor.kind().has_media()) {
            true => "A shorter --clip makes the files smaller.",
            false => "A smaller --file-size makes the files smaller.",
        };
        files.notes.push(Note::new(NoteFact::SearchRoom, sentence, advice));
    }
    let own_room = files.own_room_for(actors, room.min(plan.search_cap()));
    if own_room < room.min(plan.search_cap()) {
        let sentence = format!("Your files are enough for {} at most.", plan.label(own_room.max(1)));
        let advice = "A shorter --clip needs fewer files.";
        files.notes.push(Note::new(NoteFact::SearchOwnFiles, sentence, advice));
    }
    let own_files = if own_room < room.min(plan.search_cap()) { own_room } else { u32::MAX };
    SearchCaps { room, own_files, machine }
}

/// The source of the load points.
enum Course {
    /// The plan's scale.
    Planned,
    /// A search.
    Sought(Ended),
    /// A controller, within what this host can try.
    Told(SearchState),
}

/// A search that ended, with or without its answer.
struct Ended {
    sought: SearchState,
    /// Its forecast before it began.
    ahead: Forecast,
    answer: Option<Answer>,
}

/// A session of streams.
struct StreamsRun {
    plan: StreamsPlan,
    actors: Actors,
    files: StreamFiles,
    session: Session,
}

impl StreamsRun {
    fn all_points(&mut self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<(), RunError> {
        observer.phase("measuring");
        for scale in self.plan.scale.0.clone() {
            self.point(scale, self.plan.duration, observer, interrupt)?;
            if !self.session.goes_on() {
                break;
            }
        }
        Ok(())
    }

    /// All trials of a search.
    fn seek(
        &mut self,
        ended: &mut Ended,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let search_began_ns = self.session.now_ns();
        loop {
            let (scale, why) = match ended.sought.search.next() {
                Next::Try { streams, why } => (streams, why),
                Next::Done(answer) => {
                    ended.answer = Some(answer);
                    return Ok(());
                }
            };
            let confirms = why == Why::Confirm;
            if confirms && !self.has_room_to_confirm(scale) {
                ended.sought.search.leave_unconfirmed();
                continue;
            }
            if self.session.next_index().is_none() {
                return Ok(());
            }
            let began_ns = self.session.now_ns();
            let seconds = (self.actors.warmup_ns() + self.plan.duration.ns()) as f64 / 1e9;
            self.provide(scale, seconds, observer, interrupt)?;
            observer.phase("searching");
            let elapsed_ns = self.session.now_ns() - search_began_ns;
            observer.searching(&self.step(ended, scale, Duration::from_nanos(elapsed_ns)));
            let measured = if confirms { self.confirm() } else { self.plan.duration };
            let passed = self.point(scale, measured, observer, interrupt)?;
            if !self.session.goes_on() {
                return Ok(());
            }
            if let Some(why) = count_search::not_judged(self.session.done()) {
                let sentence = format!("The search cannot judge any trial: {why}.");
                self.session.note(Note::new(NoteFact::SearchNotJudged, sentence, ""));
                return Ok(());
            }
            let last = self.session.done().last();
            let culprit = last.and_then(|point| point.culprit);
            let limited_by_client = culprit.is_some_and(Culprit::is_own);
            // Making further files takes time, too.
            let took_s = (self.session.now_ns() - began_ns) as f64 / 1e9;
            let trial = Trial { passed, limited_by_client, took_s, confirms, reached: None };
            ended.sought.search.report(scale, trial)?;
            count_search::save(self.session.run_dir(), &ended.sought, self.session.done())?;
        }
    }

    /// Makes the missing files of this scale, and reports notes on them.
    fn provide(
        &mut self,
        scale: u32,
        seconds: f64,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        self.files.provide(&mut self.actors, scale, seconds, observer, interrupt)?;
        self.session.files_grew(&self.files.table)?;
        self.files.notes.iter().for_each(|note| self.session.note(note.clone()));
        Ok(())
    }

    /// The state of a search that is about to try this scale.
    fn step(&self, ended: &Ended, scale: u32, elapsed: Duration) -> SearchProgress {
        let (passed, failed) = ended.sought.search.bounds();
        let at_most = match ended.ahead.time {
            TimeAhead::Between { most_s, .. } => Duration::try_from_secs_f64(most_s).ok(),
            TimeAhead::Planned { .. } | TimeAhead::Unknown => None,
        };
        SearchProgress {
            trial: ended.sought.search.trials() + 1,
            label: self.plan.label(scale),
            passed: passed.map(|scale| self.plan.label(scale)),
            failed: failed.map(|scale| self.plan.label(scale)),
            elapsed,
            at_most,
        }
    }

    /// How long a search's answer must be sustained.
    fn confirm(&self) -> Span {
        self.plan.find_max.map_or(self.plan.duration, |search| search.confirm)
    }

    /// The largest scale with enough space to write for as long as the answer must be sustained.
    fn room_to_confirm(&self) -> u32 {
        let seconds = (self.actors.warmup_ns() + self.confirm().ns()) as f64 / 1e9;
        self.files.room_for(&self.actors, self.actors.bytes_per_scale(seconds))
    }

    /// Whether there is space to write for as long as the answer must be sustained; a note reports if
    /// not.
    fn has_room_to_confirm(&mut self, scale: u32) -> bool {
        let confirm = self.confirm();
        let has_room = self.room_to_confirm() >= scale;
        if !has_room {
            let sentence = format!(
                "There was no space to record for {confirm}, so the result is based only on trials of {}.",
                self.plan.duration
            );
            self.session.note(Note::new(NoteFact::NotConfirmed, sentence, ""));
        }
        has_room
    }

    /// Runs a load point and keeps its figures. Returns whether its criteria were met.
    fn point(
        &mut self,
        scale: u32,
        measured: Span,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<bool, RunError> {
        let index = self.session.done().len() as u16;
        if index > 0
            && !self.plan.direct
            && let Some(note) = self.files.cool_down()
        {
            self.session.note(note);
        }
        let PointLoad { workers, specs, rates, groups } = self.actors.point_load(scale, index);
        let what = PointPlan {
            label: self.plan.label(scale),
            warmup_ns: self.actors.warmup_ns(),
            measured_ns: measured.ns(),
            to_judge: Some(ToJudge { scale, specs, rates, flow: false }),
            ..PointPlan::default()
        };
        let done = self.session.point(what, workers, observer, interrupt)?;
        self.actors.take_back(&groups, &done.workers);
        if scale == 0 {
            // This host had no share: it has met nothing, and failed nothing.
            self.session.last_point().into_iter().for_each(|point| point.stream_count = Some(0));
            return Ok(true);
        }
        let is_planned = self.plan.find_max.is_none();
        Ok(judge_last(&mut self.session, &groups, &done, (self.plan.stream_count(scale), is_planned)))
    }

    fn end(
        self,
        verb: &str,
        course: Course,
        vda: Option<VdaInput>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Finished, RunError> {
        let StreamsRun { plan, files, session, .. } = self;
        let closing = Closing { subject: subject(&plan, &files, verb), made: Some(files.made) };
        let conclude = |summary: &mut Summary, _: &_| conclude(summary, &plan, course, vda);
        session.end(closing, conclude, observer, interrupt)
    }
}

/// The forecast of the run.
fn ahead(plan: &StreamsPlan, actors: &Actors, files: &StreamFiles, search: Option<&Search>) -> Forecast {
    let Some(search) = search else {
        let most = plan.scale.0.iter().copied().max().unwrap_or(1);
        return forecast::of_points(plan, actors, files.yet_to_write(actors, most));
    };
    let first = match search.next() {
        Next::Try { streams, .. } => streams,
        Next::Done(_) => 0,
    };
    let bytes = (files.yet_to_write(actors, first), files.yet_to_write(actors, search.cap()));
    forecast::of_search(plan, actors, search, bytes)
}

/// The parts of the session.
fn opening<'a>(
    plan: &'a StreamsPlan,
    plan_toml: &'a str,
    actors: &Actors,
    files: &StreamFiles,
    results: Results,
) -> Opening<'a> {
    let mut notes = files.notes.clone();
    notes.extend(actors.notes().into_iter().map(Note::other));
    Opening {
        results,
        plan_toml,
        files: files.table.clone(),
        pattern: files.pattern(),
        driver: driver_kind(plan.driver),
        hang_after: plan.hang_after.duration(),
        log: plan.log,
        verify: None,
        notes,
    }
}

/// The result of the run: the search's answer, the curve, the verdict.
fn conclude(summary: &mut Summary, plan: &StreamsPlan, course: Course, vda: Option<VdaInput>) {
    if let Some(vda) = &vda {
        summary.vda = Some(vda_facts(&summary.load_points, vda));
    }
    match course {
        Course::Sought(Ended { sought, answer, .. }) => {
            let per_scale = plan.stream_count(1).max(1);
            let facts = count_search::facts(&sought, answer.as_ref(), per_scale, plan.what());
            count_search::conclude(summary, facts, &sought.earlier);
        }
        // The controller computes the result.
        Course::Told(_) => count_search::forget_short_trials(summary),
        Course::Planned => summary.verdict = verdict_of_run(&summary.load_points),
    }
    if !matches!(summary.outcome, Outcome::Complete) && summary.load_points.is_empty() {
        summary.verdict = None;
    }
}

fn subject(plan: &StreamsPlan, files: &StreamFiles, verb: &str) -> MeasuredSubject {
    let (file_count, bytes) = files.prepared_total();
    MeasuredSubject {
        verb: verb.to_owned(),
        label: plan.name.clone(),
        seed: plan.seed,
        plan: super::plan_listing::plan_for_people(plan),
        asked_direct: plan.direct,
        data_set: DataSet {
            files: file_count,
            file_size_bytes: bytes.checked_div(file_count).unwrap_or(0),
            reused: files.written_bytes == 0,
        },
        data_bytes: bytes,
        material: Material {
            written_bytes: files.written_bytes,
            server_memory_bytes: plan.server_memory.map(Size::bytes),
            own_files: files.reads_own_files(),
        },
    }
}
