//! The look itself: load point after load point, everything in one run directory, until the minute is over
//! or something stops it.

use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use reelgauge_analysis::Culprit;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_analysis::summary::NotMeasured;
use reelgauge_analysis::verdict::{Measured, judge};
use reelgauge_engine::area::Terms;
use reelgauge_engine::driver::{DriverKind, Worker};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_formats::Format;
use reelgauge_record::notes::RunNotes;
use reelgauge_workload::script::Script;

use super::VERB;
use super::agreement::outlier;
use super::budget::{FORMAT_S, LOOK_S, RATE_TIMES, TRIAL_TIMES, Times};
use super::everyday::{everyday, name};
use super::findings::{Counted, Findings, Work};
use super::limit::{Fall, Limiter, acquits_storage, limiter};
use super::load::{PointLoad, Rate};
use super::narrowing::{Narrowing, Tried};
use super::place::LookTarget;
use super::written::look_as_toml;
use crate::error::RunError;
use crate::fresh_seed;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::session::allowance;
use crate::session::caching::drop_cached;
use crate::session::finished::Finished;
use crate::session::live_log::logged;
use crate::session::results_dir::Naming;
use crate::session::{Opening, PointDone, PointPlan, Session, ToJudge, make_out};
use crate::streams::actors::ActorsError;

/// The most players or recorders that are tried: threads of one process on an ordinary machine.
const STREAMS_MAX: u32 = 400;
/// A target that completes nothing for this long is given up.
const HANG_AFTER: std::time::Duration = std::time::Duration::from_secs(30);

/// What to look at.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    /// The directory.
    pub target: PathBuf,
    /// Folder for run directories.
    pub out: PathBuf,
    /// What was said of the target.
    pub terms: Terms,
    /// Memory of the server, as the user stated it.
    pub server_memory_bytes: Option<u64>,
    /// What the user says of the look and the storage.
    pub notes: RunNotes,
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
    logged(observer, |observer| look(request, observer, interrupt))
}

fn look(
    request: CheckRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let (started, begun) = (Timestamp::now(), Instant::now());
    let CheckRequest { target, out, terms, server_memory_bytes, notes } = request;
    make_out(&out)?;
    let seed = fresh_seed();
    let naming = Naming { started, out: &out, verb: VERB, label: VERB, what: VERB, notes: &notes };
    let (locked, results, mut place) =
        LookTarget::open((&target, terms), seed, &naming, observer, interrupt)?;
    place.server_memory_bytes = server_memory_bytes;
    let opening = Opening {
        results,
        plan_toml: &look_as_toml(locked.target(), seed, &place),
        files: place.table.clone(),
        pattern: PatternSpec { seed, ..place.pattern() },
        driver: DriverKind::Threads,
        hang_after: HANG_AFTER,
        log: true,
        verify: None,
        notes: place.notes.clone(),
    };
    let mut look = Look {
        session: Session::begin(locked, opening, observer)?,
        findings: Findings::default(),
        place,
        seed,
        begun,
    };
    let looked = look.around(observer, interrupt);
    look.session.settle(looked)?;
    look.end(observer, interrupt)
}

/// A session that looks around.
pub(super) struct Look {
    pub(super) place: LookTarget,
    pub(super) session: Session,
    pub(super) seed: u64,
    pub(super) findings: Findings,
    pub(super) begun: Instant,
}

impl Look {
    /// All of it. Reads come first: what writing leaves in the storage's caches would help them.
    fn around(&mut self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<(), RunError> {
        observer.phase("measuring");
        for rate in [Rate::SequentialRead, Rate::RandomRead] {
            self.rate(rate, observer, interrupt)?;
        }
        observer.phase("streams");
        self.formats(Work::Play, observer, interrupt)?;
        observer.phase("measuring");
        self.rate(Rate::SequentialWrite, observer, interrupt)?;
        observer.phase("streams");
        self.formats(Work::Record, observer, interrupt)
    }

    /// How many streams of each format play or record, and again where that contradicts the others.
    fn formats(
        &mut self,
        work: Work,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        for (number, format) in everyday().into_iter().enumerate() {
            if self.session.goes_on() {
                let expected = self.findings.expected_bytes_per_s(work);
                let found = self.count(format, work, expected, observer, interrupt)?;
                self.findings.found(number, work, found);
            }
        }
        let Some(number) = outlier(&self.findings.capacities(work)) else {
            return Ok(());
        };
        let Some(format) = everyday().get(number).copied().filter(|_| self.session.goes_on()) else {
            return Ok(());
        };
        if self.begun.elapsed().as_secs_f64() + FORMAT_S > LOOK_S {
            self.findings.unsteady(format, work, None);
            return Ok(());
        }
        let expected = self.findings.median_mb_per_s(work) * 1e6;
        let again = self.count(format, work, expected, observer, interrupt)?;
        self.findings.looked_again(number, format, work, again);
        Ok(())
    }

    fn rate(
        &mut self,
        rate: Rate,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        if !self.session.goes_on() {
            return Ok(());
        }
        let workers = rate.workers(&self.place, self.seed);
        let point =
            self.point(rate.label().to_owned(), workers, RATE_TIMES, Vec::new(), observer, interrupt)?;
        self.findings.rate(rate, &point.total);
        let goes_on = self.session.goes_on();
        if let Some(last) = self.session.last_point()
            && goes_on
            && last.total.response.data.is_none()
        {
            last.was_not_measured(NotMeasured::NothingFinished);
        }
        Ok(())
    }

    /// How many streams of one format, where the storage is expected to give so much; `None` where no frame
    /// of it fits into a file, and where the look was stopped before anything had passed.
    fn count(
        &mut self,
        format: &Format,
        work: Work,
        expected_bytes_per_s: f64,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Option<Counted>, RunError> {
        let point_load = PointLoad::new(format, work == Work::Record, &self.place, self.seed)?;
        let needed_bytes_per_s = point_load.bytes_per_s();
        let allowed = self.allowed(needed_bytes_per_s);
        if allowed == Some(0) {
            return Ok(Some(Counted::none_is_allowed(needed_bytes_per_s / 1e6)));
        }
        let most = allowance::most_of(STREAMS_MAX, |count| point_load.demand(count));
        let most = most.min(allowed.unwrap_or(most));
        let mut narrowing = Narrowing::new(needed_bytes_per_s, expected_bytes_per_s, most, FORMAT_S);
        let mut fall = None;
        while let Some(count) = narrowing.next() {
            let begun = Instant::now();
            let workers = point_load.workers(count, self.session.done().len() as u16);
            if workers.is_empty() {
                return Ok(None);
            }
            let specs = point_load.specs(count);
            let label = format!("{count} x {}, {}", name(format), work.word());
            let point = self.point(label, workers, TRIAL_TIMES, specs, observer, interrupt)?;
            if !self.session.goes_on() {
                break;
            }
            let bytes_per_s = point.total.bytes_per_s.unwrap_or(0.0);
            let (passed, culprit) = self.conclude(&point)?;
            self.findings.reached(work, bytes_per_s);
            if !passed {
                fall = Some(Fall { mb_per_s: bytes_per_s / 1e6, culprit: culprit.unwrap_or_default() });
            }
            let storage_is_acquitted = culprit.is_some_and(acquits_storage);
            let took_s = begun.elapsed().as_secs_f64();
            narrowing.report(count, Tried { passed, storage_is_acquitted, bytes_per_s, took_s });
        }
        let stopped = !self.session.goes_on();
        if stopped && narrowing.streams() == 0 {
            return Ok(None);
        }
        let fall = fall.filter(|_| narrowing.has_limit());
        let limiter = match limiter(fall.as_ref(), self.place.link.realistic_mb_per_s()) {
            Limiter::Time if stopped => Limiter::Stopped,
            Limiter::Time if allowed == Some(narrowing.streams()) => Limiter::MaxRate,
            limiter => limiter,
        };
        let at_least = !narrowing.has_limit() || limiter.is_open() || stopped;
        Ok(Some(Counted {
            streams: narrowing.streams(),
            error: narrowing.error(),
            at_least,
            needed_mb_per_s: needed_bytes_per_s / 1e6,
            limiter,
        }))
    }

    /// So many streams that need so much each are all that a limit that was set allows; `None` without one.
    /// A look is too short to find out: their buffers hide a good part of it.
    fn allowed(&self, needed_bytes_per_s: f64) -> Option<u32> {
        let max_bytes_per_s = self.session.area().max_bytes_per_s()?;
        Some((max_bytes_per_s.get() as f64 / needed_bytes_per_s.max(1.0)) as u32)
    }

    /// The verdict on the trial that was just made, kept with its load point: whether it passed, and who is
    /// to blame if it did not.
    fn conclude<S>(&mut self, point: &PointDone<S>) -> Result<(bool, Option<Culprit>), RunError> {
        let criteria = Criteria::for_actor("player").map_err(|source| ActorsError::Criteria {
            text: String::new(),
            actor: "player".to_owned(),
            source,
        })?;
        let streams = &point.judged.late.streams;
        let measured = Measured { streams, total: Some(&point.total), rates: &[] };
        let passed = self.session.rule_last(point, judge(&criteria, &measured));
        Ok((passed, self.session.done().last().and_then(|last| last.culprit)))
    }

    /// Runs a load point and keeps its figures.
    fn point<S: Script + 'static>(
        &mut self,
        label: String,
        workers: Vec<Worker<S>>,
        times: Times,
        specs: Vec<StreamSpec>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<PointDone<S>, RunError> {
        if !self.place.direct
            && let Some(note) = drop_cached(self.session.area(), &self.place.data_set.files)
        {
            self.session.note(note);
        }
        let streams = specs.len() as u32;
        let what = PointPlan {
            label,
            warmup_ns: times.warmup.as_nanos() as u64,
            measured_ns: times.measured.as_nanos() as u64,
            to_judge: Some(ToJudge { scale: 1, specs, ..ToJudge::default() }),
            ..PointPlan::default()
        };
        let done = self.session.point(what, workers, observer, interrupt)?;
        if let Some(point) = self.session.last_point().filter(|_| streams > 0) {
            point.stream_count = Some(streams);
        }
        Ok(done)
    }
}
