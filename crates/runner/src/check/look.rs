//! The look itself: load point after load point, everything in one run directory, until the minute is over
//! or something stops it.

use std::path::PathBuf;
use std::time::Instant;

use jiff::Timestamp;
use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::facts::CheckFormat;
use reelgauge_analysis::late::StreamSpec;
use reelgauge_analysis::verdict::{Measured, Verdict, judge};
use reelgauge_engine::driver::{DriverKind, Worker};
use reelgauge_formats::Format;
use reelgauge_workload::script::Script;

use super::budget::{FORMAT_S, RATE_TIMES, TRIAL_TIMES, Times};
use super::everyday::{everyday, name};
use super::findings::Findings;
use super::limit::{Fall, Limiter, limiter};
use super::load::{Players, Rate};
use super::narrowing::{Narrowing, Tried};
use super::place::Place;
use super::written::look_as_toml;
use crate::error::RunError;
use crate::fresh_seed;
use crate::interrupt::Interrupt;
use crate::live::log::logged;
use crate::observer::Observer;
use crate::prepare::drop_cached;
use crate::results::Naming;
use crate::run::Finished;
use crate::session::{Jury, Opening, PointDone, PointPlan, Session, make_out};
use crate::streams::cast::CastError;
use crate::streams::client;

/// The command, which is all that the run is called after.
const VERB: &str = "check";
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
    logged(observer, |observer| look(request, observer, interrupt))
}

fn look(
    request: CheckRequest,
    observer: &mut dyn Observer,
    interrupt: &Interrupt,
) -> Result<Finished, RunError> {
    let (started, begun) = (Timestamp::now(), Instant::now());
    let CheckRequest { target, out } = request;
    make_out(&out)?;
    let seed = fresh_seed();
    let naming = Naming { started, out: &out, verb: VERB, label: VERB, what: VERB };
    let (ground, results, place) = Place::open(&target, seed, &naming, observer, interrupt)?;
    let opening = Opening {
        results,
        plan_toml: &look_as_toml(ground.target(), seed, &place),
        files: place.table.clone(),
        pattern: place.pattern(),
        driver: DriverKind::Threads,
        hang_after: HANG_AFTER,
        log: true,
        verify: false,
        notes: place.notes.clone(),
    };
    let mut look = Look {
        session: Session::begin(ground, opening, observer)?,
        copy_bytes_per_s: client::memory_copy_bytes_per_s(),
        findings: Findings::default(),
        place,
        seed,
    };
    let looked = look.around(observer, interrupt);
    look.session.settle(looked)?;
    look.end(begun, observer, interrupt)
}

/// A session that looks around.
pub(super) struct Look {
    pub(super) place: Place,
    pub(super) session: Session,
    pub(super) seed: u64,
    pub(super) findings: Findings,
    copy_bytes_per_s: f64,
}

impl Look {
    /// All of it. Reads come first: what writing leaves in the storage's caches would help them.
    fn around(&mut self, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<(), RunError> {
        observer.phase("measuring");
        for rate in [Rate::SequentialRead, Rate::RandomRead] {
            self.rate(rate, observer, interrupt)?;
        }
        observer.phase("streams");
        for format in everyday() {
            if self.session.goes_on() {
                self.format(format, observer, interrupt)?;
            }
        }
        observer.phase("measuring");
        self.rate(Rate::SequentialWrite, observer, interrupt)
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
            let workers = players.workers(count, self.session.done().len() as u16);
            if workers.is_empty() {
                return Ok(());
            }
            let specs = players.specs(count);
            let label = format!("{count} x {}", format.id);
            let point = self.point(label, workers, TRIAL_TIMES, specs, observer, interrupt)?;
            if !self.session.goes_on() {
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
            at_least: !narrowing.has_limit()
                || matches!(limiter, Limiter::Client(_))
                || !self.session.goes_on(),
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
    fn conclude<S>(
        &mut self,
        point: &PointDone<S>,
        was_fed: bool,
    ) -> Result<(bool, Option<String>), RunError> {
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
        if let Some(last) = self.session.last_point() {
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
        specs: Vec<StreamSpec>,
        observer: &mut dyn Observer,
        interrupt: &Interrupt,
    ) -> Result<PointDone<S>, RunError> {
        if !self.place.direct
            && let Some(note) = drop_cached(&self.place.data_set.files)
        {
            self.session.note(note);
        }
        let streams = specs.len() as u32;
        let what = PointPlan {
            label,
            warmup_ns: times.warmup.as_nanos() as u64,
            measured_ns: times.measured.as_nanos() as u64,
            jury: Some(Jury { scale: 1, specs, rates: Vec::new() }),
            ..PointPlan::default()
        };
        let done = self.session.point(what, workers, observer, interrupt)?;
        if let Some(point) = self.session.last_point().filter(|_| streams > 0) {
            point.stream_count = Some(streams);
        }
        Ok(done)
    }
}
