//! Decides what an agent does about orders and about the reports of its run: pure. The caller passes in
//! what arrives, and carries out what is returned.
//!
//! * No load without a lease: an answer of the controller to a beat that was sent no longer ago than the
//!   host's owner allows. Without such an answer the load ends, and the measurements so far are kept.
//! * A run is begun once and each of its load points is started once, whatever arrives twice or late.
//! * The files of a run are kept until every one has arrived whole.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use reelgauge_runner::remote_control::messages::{LiveReport, RemoteOrder, RemoteReport};
use reelgauge_runner::remote_control::sha256;
use reelgauge_runner::watch::WATCHING;

use super::offset::{Exchange, Offset, better};
use super::wall_clock::{Now, WallClock};
use crate::protocol::{
    Answer, BEAT_EVERY, Beat, ClockOffset, LATE_MOST, Order, PIECE_BYTES, PROTOCOL, Phase, PointStart,
    RunState, RunTimes,
};

/// The number of beats to remember: more than can be answered in time.
const BEATS_REMEMBERED: usize = 64;
/// The number of fetched runs to remember.
const FETCHED_REMEMBERED: usize = 256;
/// The run is reminded how long it may continue, at least this often.
const HOLD_EVERY_NS: i64 = 500_000_000;
/// The number of wall-clock steps to report for one run.
const STEPS_REMEMBERED: usize = 16;
/// Clocks drift, so an answer that arrives this long after a start is less exact about it than an
/// earlier one.
const LOOKS_BACK_NS: i64 = 30_000_000_000;
/// A start further ahead than this is a mistake.
const AHEAD_MOST_NS: i64 = 60_000_000_000;

/// An action of the caller.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// Send this to the controller.
    Send(Answer),
    /// Start a remotely controlled run of this plan. The plan is on disk before it begins.
    Begin { run: String, plan_toml: String },
    /// Send this to the run in progress.
    Steer(RemoteOrder),
    /// List the files of a run.
    ListFiles { run: String },
    /// Send a piece of a file.
    ReadPiece { run: String, file: String, offset: u64, len: u32 },
    /// Everything of this run was fetched: remove it.
    Forget { run: String },
}

#[derive(Clone, Debug)]
pub struct Duty {
    session: u64,
    version: String,
    /// How long load continues without an answer.
    lease_time: Duration,
    runs: BTreeMap<String, RunState>,
    /// Runs that were fetched and removed: a late order does not begin them again.
    fetched: VecDeque<String>,
    /// The run in progress.
    active: Option<String>,
    /// The end of a run's permission to load, by the answers to beats.
    lease: Option<(String, i64)>,
    /// When the last beat that was answered was sent.
    answered_ns: Option<i64>,
    offset: Offset,
    wall: WallClock,
    beat: u64,
    beats: VecDeque<(u64, i64)>,
    beat_ns: Option<i64>,
    held_ns: Option<i64>,
    /// The last load point that the run was ordered to begin, and when by the controller's clock.
    start: Option<(u16, i64)>,
    stops: bool,
}

impl Duty {
    /// An agent whose process begins, with the runs that its disk still holds. `session` is larger after
    /// each start; load continues for the `lease` without an answer.
    pub fn new(session: u64, version: &str, lease: Duration, kept: Vec<RunState>) -> Duty {
        let lost = |state: RunState| match state.phase.is_over() {
            true => state,
            false => {
                let reason = Some("the agent ended during the run".to_owned());
                RunState { phase: Phase::Over { code: None, reason }, ..state }
            }
        };
        Duty {
            session,
            version: version.to_owned(),
            lease_time: lease,
            runs: kept.into_iter().map(|state| (state.run.clone(), lost(state))).collect(),
            fetched: VecDeque::new(),
            active: None,
            lease: None,
            answered_ns: None,
            offset: Offset::default(),
            wall: WallClock::default(),
            // Beat numbers that no earlier process used, so that an old answer matches none.
            beat: session >> 1,
            beats: VecDeque::new(),
            beat_ns: None,
            held_ns: None,
            start: None,
            stops: false,
        }
    }

    /// The state that its disk must hold: every known run.
    pub fn runs(&self) -> impl Iterator<Item = &RunState> {
        self.runs.values()
    }

    /// The run in progress.
    pub fn active(&self) -> Option<&RunState> {
        self.runs.get(self.active.as_ref()?)
    }

    /// Takes an order of the controller.
    pub fn order(&mut self, now: Now, order: Order) -> Vec<Deed> {
        match order {
            Order::Hold { run, beat, epoch, heard_ns, said_ns } => {
                self.hold(now, &run, beat);
                self.measure_clock(now, epoch, beat, (heard_ns, said_ns));
                self.steer_hold(now, true)
            }
            Order::Prepare { run, plan_sha256, plan_toml } => self.prepare(now, run, plan_sha256, plan_toml),
            Order::Trial { run, point, scale, confirms } => {
                self.answer_trial(now, &run, point, RemoteOrder::Trial { point, scale, confirms })
            }
            Order::Enough { run, point } => {
                self.answer_trial(now, &run, point, RemoteOrder::Enough { point })
            }
            Order::Start { run, point, epoch, at_ns } => self.start(now, &run, point, epoch, at_ns),
            Order::Stop { run } => self.stop(&run),
            Order::Files { run } => match self.is_left(&run) {
                true => vec![Deed::ListFiles { run }],
                false => Vec::new(),
            },
            Order::Piece { run, file, offset, len } => match self.is_left(&run) && len <= PIECE_BYTES {
                true => vec![Deed::ReadPiece { run, file, offset, len }],
                false => Vec::new(),
            },
            Order::Kept { run } => self.forget(now, run),
        }
    }

    /// Takes a message of the run in progress.
    pub fn said(&mut self, now: Now, said: RemoteReport) -> Vec<Deed> {
        let Some(state) = self.active.as_ref().and_then(|run| self.runs.get_mut(run)) else {
            return Vec::new();
        };
        match said {
            RemoteReport::Asks(asked) => state.phase = Phase::Asks(asked),
            RemoteReport::Judged(judged) => {
                // It is reported together with the next phase.
                state.judged = Some(judged);
                return Vec::new();
            }
            RemoteReport::Ready(ready) => state.phase = Phase::Ready { point: ready.point },
            RemoteReport::Clock { zero_machine_ns } => {
                state.times.zero_ns = Some(zero_machine_ns);
                return Vec::new();
            }
            RemoteReport::Started { point, begun_machine_ns: begun_ns, .. } => {
                state.phase = Phase::Measuring { point };
                let clock = self.offset.best(begun_ns);
                state.times.clock_before = state.times.clock_before.or(clock);
                state.times.starts.push(PointStart { point, begun_ns, clock });
            }
            RemoteReport::Refused { point, .. } => {
                self.start = None;
                state.phase = Phase::Ready { point };
            }
            RemoteReport::PointOver { point: _, is_complete } => {
                state.points_complete += u16::from(is_complete);
                // It prepares the next load point; after the last, it reads files back for verification.
                state.phase = Phase::Preparing;
            }
            RemoteReport::Live(live) => return self.tell_live(live),
            RemoteReport::Done { code, reason, .. } => {
                state.phase = Phase::Over { code: Some(code), reason };
                state.times.over_ns = Some(now.mono_ns);
                self.active = None;
                self.stops = false;
            }
            RemoteReport::Phase { name } if name == WATCHING => state.phase = Phase::Observing,
            RemoteReport::Hello { .. }
            | RemoteReport::Begun { .. }
            | RemoteReport::Phase { .. }
            | RemoteReport::Prepared { .. } => {
                return Vec::new();
            }
        }
        vec![self.beat(now)]
    }

    /// The process of the run in progress has ended, or could not be started.
    pub fn gone(&mut self, now: Now, why: &str) -> Vec<Deed> {
        let Some(state) = self.active.take().and_then(|run| self.runs.get_mut(&run)) else {
            return Vec::new();
        };
        state.phase = Phase::Over { code: None, reason: Some(why.to_owned()) };
        state.times.over_ns = Some(now.mono_ns);
        self.stops = false;
        vec![self.beat(now)]
    }

    /// Advances the time. Call it several times a second.
    pub fn tick(&mut self, now: Now) -> Vec<Deed> {
        let step = self.wall.step(now);
        let active = self.active.as_ref().and_then(|run| self.runs.get_mut(run));
        if let Some((step, state)) = step.zip(active)
            && state.times.clock_steps.len() < STEPS_REMEMBERED
        {
            state.times.clock_steps.push(step);
        }
        let mut deeds = self.lapse(now);
        deeds.extend(self.steer_hold(now, false));
        let every_ns = nanoseconds(BEAT_EVERY);
        if self.beat_ns.is_none_or(|beat_ns| now.mono_ns - beat_ns >= every_ns) {
            deeds.push(self.beat(now));
        }
        deeds
    }

    /// The offset of the agent's wall clock from the controller's.
    fn clock(&self, now: Now) -> Option<ClockOffset> {
        let offset = self.offset.best(now.mono_ns)?;
        let offset_ns = offset.offset_ns.checked_add(now.unix_ns.checked_sub(now.mono_ns)?)?;
        Some(ClockOffset { offset_ns, ..offset })
    }

    fn beat(&mut self, now: Now) -> Deed {
        self.beat += 1;
        self.beat_ns = Some(now.mono_ns);
        self.beats.push_back((self.beat, now.mono_ns));
        if self.beats.len() > BEATS_REMEMBERED {
            self.beats.pop_front();
        }
        Deed::Send(Answer::Beat(Box::new(Beat {
            session: self.session,
            beat: self.beat,
            version: self.version.clone(),
            protocol: PROTOCOL,
            lease_ms: milliseconds(nanoseconds(self.lease_time)),
            clock: self.clock(now),
            runs: self.runs.values().cloned().collect(),
        })))
    }

    fn sent_ns(&self, beat: u64) -> Option<i64> {
        self.beats.iter().find(|(number, _)| *number == beat).map(|&(_, sent_ns)| sent_ns)
    }

    /// The controller answered a beat: load may continue for the lease after that beat was sent.
    fn hold(&mut self, now: Now, run: &str, beat: u64) {
        // An order for another run must not shorten the one in progress.
        if self.active.as_deref().is_some_and(|active| active != run) {
            return;
        }
        let Some(sent_ns) = self.sent_ns(beat) else { return };
        let until_ns = sent_ns + nanoseconds(self.lease_time);
        if until_ns <= now.mono_ns {
            return;
        }
        let before_ns = match &self.lease {
            Some((held, until_ns)) if held == run => *until_ns,
            _ => i64::MIN,
        };
        self.answered_ns = self.answered_ns.max(Some(sent_ns));
        self.lease = Some((run.to_owned(), until_ns.max(before_ns)));
    }

    fn measure_clock(&mut self, now: Now, epoch: u64, beat: u64, (heard_ns, said_ns): (i64, i64)) {
        let Some(sent_ns) = self.sent_ns(beat) else { return };
        let sample = self.offset.take(epoch, Exchange { sent_ns, heard_ns, said_ns, came_ns: now.mono_ns });
        let active = self.active.as_ref().and_then(|run| self.runs.get_mut(run));
        let (Some(sample), Some(state)) = (sample, active) else { return };
        let times = &mut state.times;
        times.clock_after = self.offset.best(now.mono_ns);
        // A later answer may bound the offset at a start more closely than earlier ones.
        for start in times.starts.iter_mut().filter(|start| now.mono_ns - start.begun_ns < LOOKS_BACK_NS) {
            start.clock = Some(better(start.clock, sample.at(start.begun_ns)));
        }
        let first = times.starts.first().and_then(|start| start.clock);
        times.clock_before = first.or(times.clock_before).or(times.clock_after);
    }

    /// How long this run may still continue.
    fn lease_left_ns(&self, now: Now, run: &str) -> i64 {
        match &self.lease {
            Some((held, until_ns)) if held == run => until_ns - now.mono_ns,
            _ => 0,
        }
    }

    /// How long the controller has been silent.
    fn silent_ns(&self, now: Now) -> i64 {
        self.answered_ns.map_or(nanoseconds(self.lease_time), |answered_ns| now.mono_ns - answered_ns)
    }

    /// Informs the run in progress how long it may continue.
    fn steer_hold(&mut self, now: Now, is_news: bool) -> Vec<Deed> {
        let Some(run) = self.active.clone() else { return Vec::new() };
        let left_ns = self.lease_left_ns(now, &run);
        let is_due = self.held_ns.is_none_or(|held_ns| now.mono_ns - held_ns >= HOLD_EVERY_NS);
        if left_ns <= 0 || !(is_news || is_due) {
            return Vec::new();
        }
        self.held_ns = Some(now.mono_ns);
        let (for_ms, silent_ms) = (milliseconds(left_ns), milliseconds(self.silent_ns(now)));
        vec![Deed::Steer(RemoteOrder::Hold { for_ms, silent_ms })]
    }

    /// Ends a load without a lease.
    fn lapse(&mut self, now: Now) -> Vec<Deed> {
        let Some(state) = self.active() else { return Vec::new() };
        if self.stops || !state.phase.is_load() || self.lease_left_ns(now, &state.run) > 0 {
            return Vec::new();
        }
        let silent_ms = milliseconds(self.silent_ns(now));
        self.stops = true;
        vec![Deed::Steer(RemoteOrder::Lapse { silent_ms })]
    }

    fn prepare(&mut self, now: Now, run: String, plan_sha256: String, plan_toml: String) -> Vec<Deed> {
        let is_known = self.runs.contains_key(&run) || self.fetched.contains(&run);
        if is_known || self.active.is_none() && self.lease_left_ns(now, &run) <= 0 {
            return Vec::new();
        }
        let refused = match self.active.as_ref() {
            Some(other) => Some(format!("it is busy with run {other}; wait until that run ends")),
            None if sha256(plan_toml.as_bytes()) != plan_sha256 => {
                Some("the plan arrived damaged".to_owned())
            }
            None => None,
        };
        let phase = refused.map_or(Phase::Preparing, |why| Phase::Refused { why });
        let is_begun = phase == Phase::Preparing;
        let (times, points_complete, judged) = (RunTimes::default(), 0, None);
        let state = RunState { run: run.clone(), plan_sha256, phase, times, points_complete, judged };
        self.runs.insert(run.clone(), state);
        let mut deeds = Vec::new();
        if is_begun {
            self.active = Some(run.clone());
            self.held_ns = None;
            deeds.push(Deed::Begin { run, plan_toml });
            deeds.extend(self.steer_hold(now, true));
        }
        deeds.push(self.beat(now));
        deeds
    }

    fn start(&mut self, now: Now, run: &str, point: u16, epoch: u64, at_ns: i64) -> Vec<Deed> {
        let is_put_off = self.start.is_some_and(|(told, told_ns)| told == point && at_ns > told_ns);
        let is_awaited = self.active().is_some_and(|state| {
            let is_ready = state.phase == Phase::Ready { point };
            state.run == run
                && (is_ready
                    || is_put_off
                        && matches!(state.phase, Phase::Starting { point: told, .. } if told == point))
        });
        let Some(offset) = self.offset.to(epoch, now.mono_ns).filter(|_| is_awaited) else {
            return Vec::new();
        };
        if self.lease_left_ns(now, run) <= 0 {
            return Vec::new();
        }
        let at_machine_ns = at_ns.saturating_add(offset.offset_ns);
        let ahead_ns = at_machine_ns.saturating_sub(now.mono_ns);
        if !(-nanoseconds(LATE_MOST)..=AHEAD_MOST_NS).contains(&ahead_ns) {
            return Vec::new();
        }
        if let Some(state) = self.runs.get_mut(run) {
            state.phase = Phase::Starting { point, at_ns };
        }
        self.start = Some((point, at_ns));
        let mut deeds = self.steer_hold(now, true);
        deeds.push(Deed::Steer(RemoteOrder::Start { point, at_machine_ns }));
        deeds.push(self.beat(now));
        deeds
    }

    /// Answers the trial that its run requests: its share, or that the search is over.
    fn answer_trial(&mut self, now: Now, run: &str, point: u16, answer: RemoteOrder) -> Vec<Deed> {
        let is_asked = |state: &RunState| matches!(state.phase, Phase::Asks(asked) if asked.point == point);
        let is_meant = self.active().is_some_and(|state| state.run == run && is_asked(state));
        if !is_meant || self.lease_left_ns(now, run) <= 0 {
            return Vec::new();
        }
        if let Some(state) = self.runs.get_mut(run) {
            state.phase = Phase::Preparing;
        }
        let mut deeds = self.steer_hold(now, true);
        deeds.push(Deed::Steer(answer));
        deeds.push(self.beat(now));
        deeds
    }

    fn stop(&mut self, run: &str) -> Vec<Deed> {
        if self.stops || self.active.as_deref() != Some(run) {
            return Vec::new();
        }
        self.stops = true;
        vec![Deed::Steer(RemoteOrder::Stop)]
    }

    /// Whether a run is over and its files are still here.
    fn is_left(&self, run: &str) -> bool {
        self.runs.get(run).is_some_and(|state| state.phase.is_over())
    }

    fn forget(&mut self, now: Now, run: String) -> Vec<Deed> {
        if !self.is_left(&run) {
            return Vec::new();
        }
        self.runs.remove(&run);
        self.fetched.push_back(run.clone());
        if self.fetched.len() > FETCHED_REMEMBERED {
            self.fetched.pop_front();
        }
        vec![Deed::Forget { run }, self.beat(now)]
    }

    fn tell_live(&self, live: LiveReport) -> Vec<Deed> {
        let run = self.active.clone();
        run.map(|run| Deed::Send(Answer::Live { run, live: Box::new(live) })).into_iter().collect()
    }
}

fn nanoseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

fn milliseconds(ns: i64) -> u64 {
    ns.max(0).unsigned_abs() / 1_000_000
}
