//! The check itself: load point after load point, everything in one run directory, until its time is
//! over or it is stopped.

use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use reelgauge_analysis::Culprit;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_analysis::summary::NotMeasured;
use reelgauge_analysis::sustained::SustainedRate;
use reelgauge_analysis::verdict::{Measured, judge};
use reelgauge_engine::area::Terms;
use reelgauge_engine::driver::{DriverKind, Worker};
use reelgauge_engine::pattern::PatternSpec;
use reelgauge_formats::Format;
use reelgauge_record::notes::RunNotes;
use reelgauge_results::load_points::TriedFormat;
use reelgauge_workload::script::Script;
use reelgauge_workload::search::{FAR_OVER, Next, Search, SearchSettings, Trial};

use super::VERB;
use super::budget::{
    FORMAT_S, HOLD_TIMES, LEVEL_TIMES, LONGER_TIMES, LOOK_S, PLAYED_S, RATE_TIMES, TRIAL_TIMES, Times,
};
use super::common_formats::common_formats;
use super::counting::Counting;
use super::findings::{Findings, Work, none_is_allowed, work_of};
use super::level::{Level, overloaded};
use super::load::{PointLoad, Rate};
use super::longer_trials::{CONFIRMED_BY, next_contradiction, next_hold};
use super::run_toml::look_as_toml;
use super::target_setup::CheckTarget;
use crate::error::RunError;
use crate::fresh_seed;
use crate::interrupt::Interrupt;
use crate::observer::Observer;
use crate::selftest::judged_rate;
use crate::session::allowance;
use crate::session::caching::drop_cached;
use crate::session::finished_run::Finished;
use crate::session::live_log::logged;
use crate::session::results_dir::Naming;
use crate::session::{Opening, PointDone, PointPlan, Session, ToJudge, make_out};

/// The largest number of players or recorders to try: threads of one process on an ordinary host.
const STREAMS_MAX: u32 = 400;
/// The check ends if the target completes nothing for this long.
const HANG_AFTER: std::time::Duration = std::time::Duration::from_secs(30);

/// The request for a check.
#[derive(Clone, Debug)]
pub struct CheckRequest {
    pub target: PathBuf,
    /// Folder for run directories.
    pub out: PathBuf,
    /// The terms for the target.
    pub terms: Terms,
    /// Memory of the server, as the user stated it.
    pub server_memory_bytes: Option<u64>,
    /// The user's notes on the check and the storage.
    pub notes: RunNotes,
}

/// Checks a target.
///
/// # Errors
/// If nothing could be measured. A check that was interrupted is not an error: its measurements are
/// returned, with its outcome.
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
        CheckTarget::open((&target, terms), seed, &naming, observer, interrupt)?;
    place.server_memory_bytes = server_memory_bytes;
    let judged_mb_per_s = judged_rate(interrupt);
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
    let mut look = CheckRun {
        session: Session::begin(locked, opening, observer)?,
        findings: Findings::on_client(judged_mb_per_s),
        place,
        seed,
        begun,
    };
    let looked = look.around(observer, interrupt);
    look.session.settle(looked)?;
    look.end(observer, interrupt)
}

/// The session of a check.
pub(super) struct CheckRun {
    pub(super) place: CheckTarget,
    pub(super) session: Session,
    pub(super) seed: u64,
    pub(super) findings: Findings,
    pub(super) begun: Instant,
}

impl CheckRun {
    /// All of it. Reads come first: data that writes leave in the storage's caches would speed them up.
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

    /// The number of streams of each format that play or record, held for longer as far as the time
    /// allows: contradictory counts first.
    fn formats(
        &mut self,
        work: Work,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let max_bytes_per_s = self.session.area().max_bytes_per_s().map(|most| most.get() as f64);
        let mut level = Level::new(self.findings.level(work), max_bytes_per_s);
        let mut countings: Vec<Option<Counting>> = Vec::new();
        for (number, format) in common_formats().into_iter().enumerate() {
            let mut found = None;
            if self.session.goes_on() {
                let expected = self.findings.expected_bytes_per_s(work);
                found = self.count((number, format), work, expected, &level, observer, interrupt)?;
            }
            countings.push(found);
            self.state(work, &mut countings, &level);
        }
        self.hold_counts(work, &mut countings, &mut level, observer, interrupt)
    }

    /// Updates the knowledge of all counts of this work.
    fn state(&mut self, work: Work, countings: &mut [Option<Counting>], level: &Level) {
        for (number, counting) in countings.iter_mut().enumerate() {
            if let Some(counting) = counting {
                counting.share(level);
                self.findings.found(number, work, Some(counting.counted(level)));
            }
        }
    }

    /// Holds counts that contradict others, or that a short trial leaves unknown.
    fn hold_counts(
        &mut self,
        work: Work,
        countings: &mut [Option<Counting>],
        level: &mut Level,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let times = self.hold_times();
        while self.session.goes_on() && self.has_time(work, times.took_s()) {
            let implied = self.findings.implied(work);
            let standings = countings.iter().zip(implied);
            let standings: Vec<_> =
                standings.map(|(one, implied)| Some(one.as_ref()?.standing(level, implied))).collect();
            let next = match self.place.direct {
                true => next_hold(&standings),
                false => next_contradiction(&standings, CONFIRMED_BY),
            };
            let Some((number, count)) = next else {
                break;
            };
            let (Some(counting), Some(format)) =
                (countings[number].as_mut(), common_formats().get(number).copied())
            else {
                break;
            };
            self.hold(counting, (count, format, work), level, observer, interrupt)?;
            self.findings.corrected(work, level.rate());
            self.state(work, countings, level);
        }
        Ok(())
    }

    /// How long counts are held. Without direct I/O only as long as a trial, because the client's cache
    /// would answer longer reads.
    fn hold_times(&self) -> Times {
        if self.place.direct { HOLD_TIMES } else { TRIAL_TIMES }
    }

    /// Holds this many streams of a format.
    fn hold(
        &mut self,
        counting: &mut Counting,
        (count, format, work): (u32, &Format, Work),
        level: &mut Level,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(), RunError> {
        let workers = counting.load.workers(count, self.session.done().len() as u16);
        let specs = counting.load.specs(count);
        let tried = Some(counting.load.tried(format));
        let label = trial_label(count, format, work);
        let times = self.hold_times();
        let point = self.point(label, workers, times, (specs, tried), observer, interrupt)?;
        if !self.session.goes_on() {
            return Ok(());
        }
        let (passed, culprit) = self.conclude(&point);
        let needed = f64::from(count) * counting.load.bytes_per_s();
        if passed {
            let is_long_enough = times.measured.as_secs_f64() >= level.hold_needed_s(needed);
            counting.held(count, times, is_long_enough)?;
            if is_long_enough {
                level.held(needed);
            }
            return Ok(());
        }
        let culprit = culprit.unwrap_or_default();
        if culprit.acquits_storage() {
            counting.failed(count);
            return Ok(());
        }
        let got = overloaded(&point.judged.flow, needed);
        if let Some(got) = &got
            && needed > FAR_OVER * got.most_bytes_per_s()
            && !self.is_as_slow(work, got, observer, interrupt)?
        {
            counting.collapsed(count, culprit)?;
            return Ok(());
        }
        counting.failed_by_storage(count, got, culprit)?;
        if let Some(got) = got {
            level.failed(&got);
        }
        Ok(())
    }

    /// Whether the storage supplies no more to four workers than it just did to far too many streams. If
    /// it supplies more, the streams hindered each other, and their rate is neither the end of a burst
    /// nor a limit. `false` without the time to find out.
    fn is_as_slow(
        &mut self,
        work: Work,
        got: &SustainedRate,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<bool, RunError> {
        if !self.session.goes_on() || !self.has_time(work, RATE_TIMES.took_s()) {
            return Ok(false);
        }
        let (total, _) = self.rate_point(work.rate(), RATE_TIMES, observer, interrupt)?;
        let gives = total.bytes_per_s.unwrap_or(0.0);
        Ok(self.session.goes_on() && gives < FAR_OVER * got.most_bytes_per_s())
    }

    /// Whether this much time is left for playing, or recording with all that precedes it.
    fn has_time(&self, work: Work, takes_s: f64) -> bool {
        let until_s = if work == Work::Play { PLAYED_S } else { LOOK_S };
        self.begun.elapsed().as_secs_f64() + takes_s <= until_s
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
        let of_level = work_of(rate).filter(|_| self.place.direct);
        let times = if of_level.is_some() { LEVEL_TIMES } else { RATE_TIMES };
        let (total, mut seconds) = self.rate_point(rate, times, observer, interrupt)?;
        let mut level = SustainedRate::of(&seconds);
        let settled = level.is_none_or(|level| level.trend.is_sustained());
        let formats_s = common_formats().len() as f64 * FORMAT_S;
        if let Some(work) = of_level
            && !settled
            && self.session.goes_on()
            && self.has_time(work, LONGER_TIMES.took_s() + formats_s)
        {
            seconds.extend(self.rate_point(rate, LONGER_TIMES, observer, interrupt)?.1);
            level = SustainedRate::of(&seconds);
        }
        self.findings.rate(rate, &total, level);
        Ok(())
    }

    /// A load point of a plain rate: its figures, and the bytes of each second.
    fn rate_point(
        &mut self,
        rate: Rate,
        times: Times,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<(Figures, Vec<f64>), RunError> {
        let workers = rate.workers(&self.place, self.seed);
        let point =
            self.point(rate.label().to_owned(), workers, times, (Vec::new(), None), observer, interrupt)?;
        let goes_on = self.session.goes_on();
        if let Some(last) = self.session.last_point()
            && goes_on
            && last.total.response.data.is_none()
        {
            last.was_not_measured(NotMeasured::NothingFinished);
        }
        Ok((point.total, point.judged.flow))
    }

    /// The count of one format, if the storage is expected to supply this rate; `None` if no frame of it
    /// fits into a file, if none is allowed, and if the check was stopped before anything had passed.
    fn count(
        &mut self,
        (number, format): (usize, &Format),
        work: Work,
        expected_bytes_per_s: f64,
        level: &Level,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<Option<Counting>, RunError> {
        let point_load = PointLoad::new(format, work == Work::Record, &self.place, self.seed)?;
        let needed_bytes_per_s = point_load.bytes_per_s();
        let allowed = self.allowed(needed_bytes_per_s);
        if allowed == Some(0) {
            self.findings.found(number, work, Some(none_is_allowed(needed_bytes_per_s / 1e6)));
            return Ok(None);
        }
        let most = allowance::most_of(STREAMS_MAX, |count| point_load.demand(count));
        let most = most.min(allowed.unwrap_or(most));
        let (cap, expected) = (most.max(1), expected_bytes_per_s / needed_bytes_per_s.max(1.0));
        let search = Search::new(SearchSettings {
            start: (expected as u32).min(level.claimable(needed_bytes_per_s)).clamp(1, cap),
            cap,
            time_max_s: Some(FORMAT_S),
            expected: Some(expected),
            ..SearchSettings::default()
        })?;
        let mut counting = Counting::new(point_load, search, allowed);
        counting.share(level);
        while let Next::Try { streams: count, .. } = counting.search.next() {
            let begun = Instant::now();
            let workers = counting.load.workers(count, self.session.done().len() as u16);
            if workers.is_empty() {
                return Ok(None);
            }
            let specs = counting.load.specs(count);
            let tried = Some(counting.load.tried(format));
            let label = trial_label(count, format, work);
            let point = self.point(label, workers, TRIAL_TIMES, (specs, tried), observer, interrupt)?;
            if !self.session.goes_on() {
                break;
            }
            let reached = point.total.bytes_per_s.map(|rate| rate / needed_bytes_per_s.max(1.0));
            let (passed, culprit) = self.conclude(&point);
            if !passed {
                counting.known.culprit = Some(culprit.unwrap_or_default());
            }
            let limited_by_client = culprit.is_some_and(Culprit::acquits_storage);
            let took_s = begun.elapsed().as_secs_f64();
            counting
                .search
                .report(count, Trial { passed, limited_by_client, took_s, confirms: false, reached })?;
        }
        counting.known.stopped = !self.session.goes_on();
        let is_known = !counting.known.stopped || counting.claim() > 0;
        Ok(is_known.then_some(counting))
    }

    /// The largest count with this rate each that a set limit allows; `None` without one. A check is too
    /// short to measure it: the buffers hide much of it.
    fn allowed(&self, needed_bytes_per_s: f64) -> Option<u32> {
        let max_bytes_per_s = self.session.area().max_bytes_per_s()?;
        Some((max_bytes_per_s.get() as f64 / needed_bytes_per_s.max(1.0)) as u32)
    }

    /// The verdict on the latest trial, kept with its load point: whether it passed, and the component
    /// that failed it.
    fn conclude<S>(&mut self, point: &PointDone<S>) -> (bool, Option<Culprit>) {
        let criteria = Criteria::of_frames(false);
        let streams = &point.judged.late.streams;
        let measured = Measured { streams, total: Some(&point.total), rates: &[] };
        let passed = self.session.rule_last(point, judge(&criteria, &measured));
        (passed, self.session.done().last().and_then(|last| last.culprit))
    }

    /// Runs a load point and keeps its figures.
    fn point<S: Script + 'static>(
        &mut self,
        label: String,
        workers: Vec<Worker<S>>,
        times: Times,
        (specs, tried): (Vec<StreamSpec>, Option<TriedFormat>),
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
            to_judge: Some(ToJudge { scale: 1, specs, flow: true, ..ToJudge::default() }),
            tried,
            ..PointPlan::default()
        };
        let done = self.session.point(what, workers, observer, interrupt)?;
        if let Some(point) = self.session.last_point().filter(|_| streams > 0) {
            point.stream_count = Some(streams);
        }
        Ok(done)
    }
}

fn trial_label(count: u32, format: &Format, work: Work) -> String {
    format!("{count} x {}, {}", format.title(), work.word())
}
