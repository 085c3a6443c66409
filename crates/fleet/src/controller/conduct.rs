//! How a controller conducts a run on many agents: pure. The caller passes in the messages that arrive
//! and the time, keeps [`Conduct::saved`] on disk before it sends anything, and sends the orders it
//! receives.
//!
//! All agents prepare. When all are ready, a load point begins at a time slightly in the future; when
//! all are ready again, the next one begins. An agent that is silent, does not begin in time or ends
//! early is missing from then on, and is named. The other agents continue or stop, as the plan demands.
//! Silence counts against an agent only while the controller itself could listen. The user who commands
//! the fleet may pause a run ([`super::pauses`]): then no further load point is agreed on until the run
//! is resumed, and one that was already agreed on is carried out. In a search ([`crate::search`]) every
//! agent asks before each load point for its trial, and receives it.

use std::collections::BTreeMap;
use std::time::Duration;

use reelgauge_report::fleet_run::WhyMissing;
use reelgauge_runner::remote_control::messages::{JudgedTrial, LiveReport, RequestedTrial};
use serde::{Deserialize, Serialize};

use super::clock::ClockBase;
use super::pauses::Pauses;
use super::user_command::{RunStatus, UserCommand};
use crate::protocol::{
    Beat, CALLED_AHEAD, CALLED_OFF_AHEAD, ClockOffset, LEASE, MISSING_GRACE, Order, PROTOCOL, Phase,
    RunState, START_AHEAD, UNHEARD_FOR,
};
use crate::search::{FleetSearch, TrialAnswer};

/// An order whose effect does not show is repeated after this time.
const AGAIN_NS: i64 = 500_000_000;
/// An agent that has not begun within this time after the agreed start did not begin.
const BEGINS_WITHIN_NS: i64 = 4_000_000_000;
/// How long a run waits for its observers before its first load point.
const OBSERVERS_WITHIN_NS: i64 = 10_000_000_000;
/// A start that is sent less than this in advance may not reach all agents in time.
const TOLD_AHEAD_NS: i64 = 500_000_000;
/// A slow disk moves a start at most this much further into the future.
const DISK_MOST: Duration = Duration::from_secs(30);
/// An agent's report that it has no run may have been sent before an order reached it. It counts after
/// it was repeated for this long, which is two more beats.
const NOTHING_FOR: Duration = Duration::from_millis(1_800);
/// An agent that was heard within this time, a beat and a half, will receive the start of a load point.
const REACHED_WITHIN: Duration = Duration::from_millis(1_500);
/// If the controller was not polled for this long, it could not listen: the silence of agents does not count.
const LOOKS_EVERY_NS: i64 = 1_000_000_000;
/// After this many reports that it cannot open an order, an agent is out of reach.
const CLOSED_TIMES: u32 = 3;
/// Agents report every second, so a report this old no longer counts as the current state.
const STALE_AFTER_NS: i64 = 3_000_000_000;

/// What happens when an agent is missing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnLoss {
    /// The other agents continue.
    #[default]
    GoOn,
    /// All agents stop.
    Stop,
}

/// The task of one agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AgentTask {
    pub agent: String,
    /// SHA-256 of the agent's plan.
    pub plan_sha256: String,
    /// The agent's plan as TOML.
    pub plan_toml: String,
}

/// Since when an agent is missing, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Missing {
    /// On the controller's clock: the time it was last heard, or of the event that ended its part.
    pub from_ns: i64,
    /// The reason it is missing.
    pub why: WhyMissing,
}

/// One agent in a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    pub part: AgentTask,
    /// Whether it is missing.
    pub missing: Option<Missing>,
    /// The state of its run in its last beat.
    pub state: Option<RunState>,
    /// The offset of its wall clock in its first beat. Only shown to users.
    #[serde(default)]
    pub wall_clock: Option<ClockOffset>,
    /// How long it keeps loading without contact, in milliseconds; 0 before it has reported this.
    #[serde(default)]
    pub lease_ms: u64,
    /// The version of its program.
    pub version: Option<String>,
    /// Whether all its measurements are here.
    pub is_fetched: bool,
    /// Whether it knows that, and has removed the run.
    #[serde(default)]
    pub is_kept: bool,
    /// Whether it loads nothing and only samples counters until the load of all others is over.
    #[serde(default)]
    pub observes: bool,
    /// Whether it was ready for a load point, so its files are made.
    #[serde(default)]
    pub is_prepared: bool,
    /// Its process, a number that rises with each restart, and its latest beat.
    session: Option<(u64, u64)>,
    heard_ns: Option<i64>,
    /// How long it was silent although the controller listened.
    #[serde(skip)]
    silent_ns: i64,
    /// When the last order was sent.
    #[serde(skip)]
    told_ns: Option<i64>,
    /// Since when it has reported to this process of the controller that it has nothing of the run. An
    /// order to begin resets it.
    #[serde(skip)]
    nothing_since_ns: Option<i64>,
    /// How often it reported that it cannot open an order.
    #[serde(skip)]
    closed: u32,
    /// The progress of its current load point.
    #[serde(skip)]
    pub live: Option<LiveReport>,
    /// The last reported progress of each earlier load point.
    #[serde(skip)]
    past: BTreeMap<u16, LiveReport>,
}

impl Member {
    fn new(part: AgentTask) -> Member {
        Member {
            part,
            missing: None,
            state: None,
            wall_clock: None,
            lease_ms: 0,
            version: None,
            is_fetched: false,
            is_kept: false,
            observes: false,
            is_prepared: false,
            session: None,
            heard_ns: None,
            silent_ns: 0,
            told_ns: None,
            nothing_since_ns: None,
            closed: 0,
            live: None,
            past: BTreeMap::new(),
        }
    }

    /// Whether it has nothing left of the run. For an agent that was not heard this is unknown: an
    /// earlier process of the controller may have ordered it to begin. A report that it has nothing may
    /// have been sent before an order reached it, so it counts only when it is repeated. An agent that
    /// left before it was informed that everything is here still has its copy.
    pub fn is_settled(&self) -> bool {
        let said_for_ns = self.heard_ns.zip(self.nothing_since_ns).map(|(heard, since)| heard - since);
        let has_nothing = said_for_ns.is_some_and(|for_ns| for_ns >= nanoseconds(NOTHING_FOR));
        self.is_kept || (self.state.is_none() && has_nothing)
    }

    /// Whether nothing more can be learnt from an agent that reported no run: it has nothing of it, or
    /// it is silent although the controller listens.
    pub fn is_learnt(&self) -> bool {
        self.is_settled() || self.silent_ns >= nanoseconds(UNHEARD_FOR)
    }

    /// Whether its run reached its planned end.
    pub fn has_done_all(&self) -> bool {
        matches!(self.phase(), Some(Phase::Over { code: Some(0 | 1), .. }))
    }

    /// Whether everything is here, but the agent still keeps a copy.
    pub fn keeps_a_copy(&self) -> bool {
        self.is_fetched && !self.is_kept
    }

    /// The progress of a load point, as far as it was reported to this process of the controller.
    pub fn live_of(&self, point: u16) -> Option<&LiveReport> {
        self.live.as_ref().filter(|live| live.point == point).or_else(|| self.past.get(&point))
    }

    /// How long it may be silent before it is missing: its load has ended by then.
    fn longest_silence_ns(&self) -> i64 {
        let lease = match self.lease_ms {
            0 => LEASE,
            lease_ms => Duration::from_millis(lease_ms),
        };
        nanoseconds(lease + MISSING_GRACE)
    }

    /// How long it has been silent.
    pub fn silent_for_ns(&self, now_ns: i64) -> i64 {
        (now_ns - self.heard_ns.unwrap_or(now_ns)).max(0)
    }

    /// Whether its last report is still current.
    pub fn is_heard(&self, now_ns: i64) -> bool {
        self.silent_for_ns(now_ns) < STALE_AFTER_NS
    }

    /// Whether it was heard so recently that an order should reach it.
    fn is_within_reach(&self, now_ns: i64) -> bool {
        self.silent_for_ns(now_ns) < nanoseconds(REACHED_WITHIN)
    }

    /// Takes a report on the progress of a load point. A report that was overtaken on its way is
    /// ignored.
    fn take_live(&mut self, live: LiveReport) {
        let is_newer = |known: &LiveReport| {
            (known.point, known.elapsed_ms, known.is_over) <= (live.point, live.elapsed_ms, live.is_over)
        };
        match self.live.take() {
            Some(known) if !is_newer(&known) => self.live = Some(known),
            Some(known) => {
                if known.point != live.point {
                    self.past.insert(known.point, known);
                }
                self.live = Some(live);
            }
            None => self.live = Some(live),
        }
    }

    /// The phase of its run, if it takes part and has reported it.
    fn phase(&self) -> Option<&Phase> {
        self.state.as_ref().map(|state| &state.phase)
    }

    fn is_ready(&self, point: u16) -> bool {
        self.phase() == Some(&Phase::Ready { point })
    }

    /// The start that it knows for this load point, if it has not begun.
    fn knows_start(&self, point: u16) -> Option<i64> {
        match self.phase() {
            Some(Phase::Starting { point: told, at_ns }) if *told == point => Some(*at_ns),
            _ => None,
        }
    }

    /// The trial that it requests, if it is for this load point.
    fn asks(&self, point: u16) -> Option<RequestedTrial> {
        match self.phase() {
            Some(Phase::Asks(asked)) if asked.point == point => Some(*asked),
            _ => None,
        }
    }

    /// Whether it is past a load point: ready for a later one, or at the end.
    fn is_past(&self, point: u16) -> bool {
        match self.phase() {
            Some(Phase::Ready { point: next } | Phase::Asks(RequestedTrial { point: next, .. })) => {
                *next > point
            }
            Some(phase) => phase.is_over(),
            None => false,
        }
    }

    fn is_over(&self) -> bool {
        self.phase().is_some_and(Phase::is_over)
    }

    /// Whether its last order is old enough to be repeated.
    fn is_due(&mut self, now_ns: i64) -> bool {
        let is_due = self.told_ns.is_none_or(|told_ns| now_ns - told_ns >= AGAIN_NS);
        if is_due {
            self.told_ns = Some(now_ns);
        }
        is_due
    }
}

/// The stage of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum Stage {
    /// All agents prepare for this load point.
    Preparing {
        /// Its number, from 0.
        point: u16,
    },
    /// All agents are ready for this load point, and the run is paused.
    Paused {
        /// Its number, from 0.
        point: u16,
    },
    /// A start is agreed on, or the load point is in progress.
    Point {
        /// Its number, from 0.
        point: u16,
        /// The start on the controller's clock.
        at_ns: i64,
    },
    /// All agents are ordered to stop.
    Stopping,
    /// No agent's run continues, as far as the controller knows.
    Over,
}

/// Why all agents were stopped.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WhyStopped {
    /// The user stopped it.
    User,
    /// An agent was missing, and the plan requires that the run stops then.
    Missing { agent: String },
    /// All files are made, and nothing else was requested.
    Prepared,
}

/// The progress of a run, as far as a restarted controller must know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Milestone {
    stage: Stage,
    missing: usize,
    /// How many agents everything has been fetched from, and how many of them know it.
    fetched: (usize, usize),
    is_stopped: bool,
    /// The number of pauses, and whether a pause is requested.
    pauses: (u32, bool),
    stop_asked: bool,
    /// The number of trials, and whether the search is over.
    search: Option<(usize, bool)>,
}

/// An order and the agent it is for.
pub type Told = (String, Order);

/// The state of a run; the module describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Conduct {
    pub run: String,
    /// What happens when an agent is missing.
    pub on_loss: OnLoss,
    /// All agents, in the order of the plan.
    pub members: Vec<Member>,
    pub stage: Stage,
    /// When each load point began, on the controller's clock.
    pub starts_ns: Vec<i64>,
    /// Why all agents were stopped, if they were.
    pub stopped: Option<WhyStopped>,
    #[serde(default)]
    pub pauses: Pauses,
    /// Whether a user has run 'fleet stop', even if nothing was left to be stopped.
    #[serde(default)]
    pub stop_asked: bool,
    /// The search whose trials are its load points, if it is one.
    #[serde(default)]
    pub search: Option<FleetSearch>,
    /// It ends once all agents are ready for the first load point: files are made, and nothing is
    /// measured.
    #[serde(default)]
    pub only_prepares: bool,
    /// The clock of all its times.
    #[serde(default)]
    pub clock: ClockBase,
    /// The number of this process of the controller.
    #[serde(skip)]
    epoch: u64,
    /// The start of the load point is agreed on, but not sent to any agent yet.
    #[serde(skip)]
    is_start_unsaid: bool,
    #[serde(skip)]
    looked_ns: Option<i64>,
    /// When this process of the controller first called [`Conduct::tick`].
    #[serde(skip)]
    began_ns: Option<i64>,
}

impl Conduct {
    /// A run that begins now.
    pub fn new(run: &str, on_loss: OnLoss, parts: Vec<AgentTask>, epoch: u64) -> Conduct {
        Conduct {
            run: run.to_owned(),
            on_loss,
            members: parts.into_iter().map(Member::new).collect(),
            stage: Stage::Preparing { point: 0 },
            starts_ns: Vec::new(),
            stopped: None,
            pauses: Pauses::default(),
            stop_asked: false,
            search: None,
            only_prepares: false,
            clock: ClockBase::default(),
            epoch,
            is_start_unsaid: false,
            looked_ns: None,
            began_ns: None,
        }
    }

    /// Adds these observers, which generate no load.
    #[must_use]
    pub fn observed_by(mut self, parts: Vec<AgentTask>) -> Conduct {
        self.members.extend(parts.into_iter().map(|part| Member { observes: true, ..Member::new(part) }));
        self
    }

    /// The agents that measure, whether they are missing or not.
    pub fn measuring(&self) -> impl Iterator<Item = &Member> {
        self.members.iter().filter(|member| !member.observes)
    }

    /// Makes the load points trials of this search.
    #[must_use]
    pub fn searching(self, search: Option<FleetSearch>) -> Conduct {
        Conduct { search, ..self }
    }

    /// Ends the run where its first load point would begin.
    #[must_use]
    pub fn only_preparing(self) -> Conduct {
        Conduct { only_prepares: true, ..self }
    }

    /// A run that an earlier process of the controller began, from the state it kept.
    ///
    /// # Errors
    /// If the kept state is damaged.
    pub fn resumed(saved: &str, epoch: u64) -> Result<Conduct, serde_json::Error> {
        let conduct: Conduct = serde_json::from_str(saved)?;
        Ok(Conduct { epoch, ..conduct })
    }

    /// The state that must be on disk before anything is sent.
    pub fn saved(&self) -> String {
        serde_json::to_string(self).unwrap_or_default()
    }

    /// Takes a beat of an agent; returns the orders that answer it at once.
    pub fn beat(&mut self, now_ns: i64, agent: &str, beat: Beat) -> Vec<Told> {
        let (run, epoch, wants_load) = (self.run.clone(), self.epoch, self.stage != Stage::Over);
        let is_stopping = self.stage == Stage::Stopping;
        let Some(member) = self.members.iter_mut().find(|member| member.part.agent == agent) else {
            return Vec::new();
        };
        let number = beat.beat;
        // A beat that was overtaken on its way has no news.
        if member.session.is_some_and(|known| known >= (beat.session, number)) {
            return Vec::new();
        }
        let has_restarted = member.session.is_some_and(|(session, _)| session != beat.session);
        member.session = Some((beat.session, number));
        let heard_before_ns = member.heard_ns.replace(now_ns).unwrap_or(now_ns);
        member.silent_ns = 0;
        let version = member.version.insert(beat.version);
        if beat.protocol != PROTOCOL {
            // That agent cannot open orders of this protocol version.
            let (agent, version) = (beat.protocol, version.clone());
            let why = WhyMissing::OtherProtocol { agent, version, controller: PROTOCOL };
            member.missing.get_or_insert(Missing { from_ns: now_ns, why });
            return Vec::new();
        }
        member.lease_ms = beat.lease_ms;
        member.wall_clock = member.wall_clock.or(beat.clock);
        let other = beat.runs.iter().find(|state| state.run != run && !state.phase.is_over());
        let other = other.map(|state| format!("it is busy with run {}; wait until that run ends", state.run));
        let state = beat.runs.into_iter().find(|state| state.run == run);
        let has_nothing = state.is_none();
        member.nothing_since_ns = member.nothing_since_ns.or(Some(now_ns)).filter(|_| has_nothing);
        if let Some(why) = other.filter(|_| has_nothing && member.state.is_none()) {
            // Send no further orders: they would discard the agent's clock samples of the controller that it
            // obeys.
            member.missing.get_or_insert(Missing { from_ns: now_ns, why: WhyMissing::Refused { why } });
            return Vec::new();
        }
        member.is_kept |= member.is_fetched && has_nothing;
        let had_begun = member.state.as_ref().is_some_and(|state| !state.phase.is_over());
        if state.is_some() || has_restarted {
            if state.as_ref().map(|state| &state.phase) != member.phase() {
                member.told_ns = None;
            }
            member.state = state.or_else(|| member.state.take().filter(|state| state.phase.is_over()));
        }
        member.is_prepared |= matches!(member.phase(), Some(Phase::Ready { .. }));
        if !member.observes && matches!(member.phase(), Some(Phase::Over { code: Some(0 | 1), .. })) {
            // It may have been silent for any reason, but it did all of its work.
            member.missing = None;
        } else if has_restarted && had_begun {
            member.missing.get_or_insert(Missing { from_ns: heard_before_ns, why: WhyMissing::Restarted });
        }
        // An agent that is missing receives no further permission, so its load ends. The same ends all
        // loads when the run stops.
        if !wants_load || member.missing.is_some() || is_stopping {
            return Vec::new();
        }
        vec![(agent.to_owned(), Order::Hold { run, beat: number, epoch, heard_ns: now_ns, said_ns: now_ns })]
    }

    /// Takes the progress of a load point on an agent.
    pub fn live(&mut self, agent: &str, live: LiveReport) {
        if let Some(member) = self.members.iter_mut().find(|member| member.part.agent == agent) {
            member.take_live(live);
        }
    }

    /// An agent reported that it cannot open this controller's orders. This counts if the agent repeats
    /// it and has never opened an order of this run.
    pub fn closed(&mut self, now_ns: i64, agent: &str, why: String) {
        let Some(member) = self.members.iter_mut().find(|member| member.part.agent == agent) else { return };
        member.closed += 1;
        if member.closed >= CLOSED_TIMES && member.state.is_none() {
            member.missing.get_or_insert(Missing { from_ns: now_ns, why: WhyMissing::Refused { why } });
        }
    }

    /// Takes a command of a user. Returns the resulting state of the run; [`Conduct::saved`] must be on
    /// disk before that is sent.
    pub fn wish(&mut self, now_ns: i64, wish: UserCommand) -> RunStatus {
        let is_ending = matches!(self.stage, Stage::Stopping | Stage::Over);
        match wish {
            UserCommand::Look => {}
            UserCommand::Pause { .. } if is_ending => {}
            UserCommand::Pause { number } => self.pauses.ask(now_ns, number),
            UserCommand::Resume { number } => self.pauses.end(now_ns, number),
            UserCommand::Stop => {
                self.stop_asked = true;
                self.stop(WhyStopped::User);
            }
        }
        let (point, is_paused) = match self.stage {
            Stage::Preparing { point } | Stage::Point { point, .. } => (Some(point), false),
            Stage::Paused { point } => (Some(point), true),
            Stage::Stopping | Stage::Over => (None, false),
        };
        RunStatus {
            run: self.run.clone(),
            pauses: self.pauses.count(),
            wants_pause: self.pauses.wants(),
            is_paused,
            measures: matches!(self.stage, Stage::Point { .. }),
            point,
            is_ending: matches!(self.stage, Stage::Stopping | Stage::Over),
        }
    }

    /// Stops all agents.
    pub fn stop(&mut self, why: WhyStopped) {
        if !matches!(self.stage, Stage::Stopping | Stage::Over) {
            self.stopped = Some(why);
            self.stage = Stage::Stopping;
            self.search.iter_mut().for_each(FleetSearch::lose);
        }
    }

    /// Advances the time. Call it several times a second. `listens`: whether messages could be received
    /// since the last call.
    pub fn tick(&mut self, now_ns: i64, listens: bool) -> Vec<Told> {
        self.began_ns.get_or_insert(now_ns);
        let passed_ns = self.looked_ns.replace(now_ns).map_or(0, |before_ns| (now_ns - before_ns).max(0));
        let heard_ns = if listens && passed_ns <= LOOKS_EVERY_NS { passed_ns } else { 0 };
        for member in &mut self.members {
            member.silent_ns += heard_ns;
        }
        if self.stage != Stage::Over {
            self.look_for_missing(now_ns);
        }
        self.seek(now_ns);
        self.go_on(now_ns);
        self.orders(now_ns)
    }

    /// When this value changes, the state must be on disk before anything more is sent.
    pub fn milestone(&self) -> Milestone {
        let missing = self.members.iter().filter(|member| member.missing.is_some()).count();
        let count = |is_so: fn(&Member) -> bool| self.members.iter().filter(|member| is_so(member)).count();
        Milestone {
            stage: self.stage,
            missing,
            fetched: (count(|member| member.is_fetched), count(|member| member.is_kept)),
            is_stopped: self.stopped.is_some(),
            pauses: (self.pauses.count(), self.pauses.wants()),
            stop_asked: self.stop_asked,
            search: self.search.as_ref().map(FleetSearch::milestone),
        }
    }

    /// Whether nothing is left to conduct.
    pub fn is_over(&self) -> bool {
        self.stage == Stage::Over
    }

    /// The agents that still measure.
    fn present(&self) -> impl Iterator<Item = &Member> {
        self.measuring().filter(|member| member.missing.is_none())
    }

    fn look_for_missing(&mut self, now_ns: i64) {
        let (stage, is_stopping) = (self.stage, self.stage == Stage::Stopping);
        let mut first = None;
        for member in self.members.iter_mut().filter(|member| member.missing.is_none()) {
            let silent =
                (member.silent_ns >= member.longest_silence_ns() && !member.is_over()).then(|| Missing {
                    from_ns: member.heard_ns.unwrap_or(now_ns - member.silent_ns),
                    why: if member.session.is_some() { WhyMissing::NotHeard } else { WhyMissing::NeverHeard },
                });
            let ended = || member.why_out(stage).map(|why| Missing { from_ns: member.ended_ns(now_ns), why });
            let late = || {
                let point = member.did_not_begin(stage, now_ns)?;
                Some(Missing { from_ns: now_ns, why: WhyMissing::DidNotBegin { point } })
            };
            member.missing = if is_stopping { silent } else { silent.or_else(ended).or_else(late) };
            if member.missing.is_some() && !member.observes {
                first.get_or_insert_with(|| member.part.agent.clone());
            }
        }
        let all_gone = self.present().next().is_none();
        if let Some(agent) = first.filter(|_| self.on_loss == OnLoss::Stop || all_gone) {
            self.stop(WhyStopped::Missing { agent });
        }
    }

    /// Decides on the next trial of a search, once every agent has requested it.
    fn seek(&mut self, now_ns: i64) {
        let (Stage::Preparing { point }, Some(search)) = (self.stage, &mut self.search) else { return };
        let measuring = || self.members.iter().filter(|member| !member.observes);
        if measuring().any(|member| member.missing.is_some() || member.is_over()) {
            return search.lose();
        }
        let asked: Option<Vec<RequestedTrial>> = measuring().map(|member| member.asks(point)).collect();
        if let Some(asked) = asked {
            search.decide(now_ns, point, &asked);
        }
    }

    /// Every agent that takes part is past this load point.
    fn leave_point(&mut self, now_ns: i64, point: u16) {
        self.stage = Stage::Preparing { point: point + 1 };
        let judged = |member: &Member| -> Option<JudgedTrial> {
            member.state.as_ref().filter(|_| member.missing.is_none())?.judged
        };
        if let Some(search) = &mut self.search {
            let measuring = self.members.iter().filter(|member| !member.observes);
            let judged: Vec<_> = measuring.map(judged).collect();
            search.judge(now_ns, point, &judged);
        }
    }

    /// Advances from stage to stage.
    fn go_on(&mut self, now_ns: i64) {
        match self.stage {
            Stage::Preparing { point } => {
                let at_work: Vec<&Member> = self.present().filter(|member| !member.is_over()).collect();
                if at_work.is_empty() {
                    self.stage = Stage::Over;
                } else if !at_work.iter().all(|member| member.is_ready(point)) {
                    // An agent that is not ready still makes files or judges its last trial.
                } else if !at_work.iter().all(|member| member.is_within_reach(now_ns)) {
                    // An agent out of reach now would not receive the start.
                } else if point == 0 && self.awaits_observers(now_ns) {
                    // Samples of the observers from the first second on are worth a short wait.
                } else if self.only_prepares {
                    self.stop(WhyStopped::Prepared);
                } else if self.pauses.wants() {
                    self.pauses.begin(now_ns);
                    self.stage = Stage::Paused { point };
                } else {
                    let at_ns = now_ns + nanoseconds(START_AHEAD);
                    self.starts_ns.push(at_ns);
                    self.agree(point, at_ns);
                }
            }
            Stage::Paused { point } => {
                let is_anybody_left = self.present().any(|member| !member.is_over());
                if !is_anybody_left {
                    self.stage = Stage::Over;
                } else if !self.pauses.wants() {
                    self.stage = Stage::Preparing { point };
                }
            }
            Stage::Point { point, at_ns } if self.must_put_off(now_ns, point, at_ns) => {
                let at_ns = now_ns + nanoseconds(START_AHEAD);
                self.starts_ns.iter_mut().next_back().into_iter().for_each(|last| *last = at_ns);
                self.agree(point, at_ns);
            }
            Stage::Point { point, .. } => {
                // A load point is over when every agent is past it.
                if self.present().all(|member| member.is_past(point)) {
                    self.leave_point(now_ns, point);
                }
            }
            Stage::Stopping => {
                if self.members.iter().all(|member| member.missing.is_some() || member.is_out()) {
                    self.stage = Stage::Over;
                }
            }
            Stage::Over => {}
        }
        if !matches!(self.stage, Stage::Paused { .. }) {
            self.pauses.leave(now_ns);
        }
    }

    /// Whether some agent does not know of a start shortly ahead while all others can still learn that
    /// it is postponed.
    fn must_put_off(&self, now_ns: i64, point: u16, at_ns: i64) -> bool {
        let ahead_ns = at_ns - now_ns;
        let is_time = (nanoseconds(CALLED_AHEAD)..=nanoseconds(CALLED_OFF_AHEAD)).contains(&ahead_ns);
        let waits = |member: &Member| member.is_ready(point) || member.knows_start(point).is_some();
        let all_wait = self.present().all(|member| waits(member) || member.is_over());
        is_time && all_wait && self.present().any(|member| member.is_ready(point))
    }

    fn agree(&mut self, point: u16, at_ns: i64) {
        self.stage = Stage::Point { point, at_ns };
        self.is_start_unsaid = true;
        self.members.iter_mut().for_each(|member| member.told_ns = None);
    }

    /// Called when a start is on disk and about to be sent. Returns whether it is withheld because its time
    /// would nearly have passed before any agent received it. Then another start is agreed on, later by the
    /// time that the disk needs.
    pub fn postpones(&mut self, now_ns: i64, point: u16, at_ns: i64, disk_takes: Duration) -> bool {
        let Stage::Point { point: agreed, at_ns: agreed_ns } = self.stage else { return false };
        if agreed != point || agreed_ns != at_ns {
            // A start that was agreed on earlier.
            return agreed == point;
        }
        if !self.is_start_unsaid || at_ns - now_ns >= TOLD_AHEAD_NS {
            self.is_start_unsaid = false;
            return false;
        }
        let ahead = START_AHEAD + disk_takes.saturating_mul(2).min(DISK_MOST);
        let at_ns = now_ns.saturating_add(nanoseconds(ahead));
        self.starts_ns.iter_mut().next_back().into_iter().for_each(|last| *last = at_ns);
        self.agree(point, at_ns);
        true
    }

    /// Whether an observer has not begun to sample but soon may.
    fn awaits_observers(&self, now_ns: i64) -> bool {
        let has_begun = |member: &Member| matches!(member.phase(), Some(phase) if *phase != Phase::Preparing);
        let mut observers = self.members.iter().filter(|member| member.observes && member.missing.is_none());
        let waited_ns = now_ns - self.began_ns.unwrap_or(now_ns);
        waited_ns < OBSERVERS_WITHIN_NS && observers.any(|member| !has_begun(member))
    }

    /// The orders that are repeated until they take effect.
    fn orders(&mut self, now_ns: i64) -> Vec<Told> {
        let (run, stage, epoch) = (self.run.clone(), self.stage, self.epoch);
        // Observers come after the agents that measure.
        let (search, agents) = (self.search.as_ref(), self.measuring().count());
        let mut told = Vec::new();
        for (at, member) in self.members.iter_mut().enumerate() {
            let is_out = member.missing.is_some() || matches!(stage, Stage::Stopping | Stage::Over);
            let order = match (member.phase(), stage) {
                (Some(phase), _) if is_out && !phase.is_over() => Order::Stop { run: run.clone() },
                (None, Stage::Preparing { point: 0 }) if !is_out => Order::Prepare {
                    run: run.clone(),
                    plan_sha256: member.part.plan_sha256.clone(),
                    plan_toml: member.part.plan_toml.clone(),
                },
                (Some(Phase::Asks(asked)), Stage::Preparing { point }) if asked.point == point && !is_out => {
                    match search.and_then(|search| search.answer(point, at, agents)) {
                        Some(TrialAnswer::Try { scale, confirms }) => {
                            Order::Trial { run: run.clone(), point, scale, confirms }
                        }
                        Some(TrialAnswer::Enough) => Order::Enough { run: run.clone(), point },
                        None => continue,
                    }
                }
                (Some(Phase::Ready { .. } | Phase::Starting { .. }), Stage::Point { point, at_ns })
                    if !is_out && member.must_hear_start(point, at_ns, now_ns) =>
                {
                    Order::Start { run: run.clone(), point, epoch, at_ns }
                }
                _ => continue,
            };
            if member.is_due(now_ns) {
                if matches!(order, Order::Prepare { .. }) {
                    member.nothing_since_ns = None;
                }
                told.push((member.part.agent.clone(), order));
            }
        }
        told
    }
}

impl Member {
    /// Why it no longer takes part, by its own report.
    fn why_out(&self, stage: Stage) -> Option<WhyMissing> {
        let state = self.state.as_ref()?;
        if state.plan_sha256 != self.part.plan_sha256 {
            return Some(WhyMissing::OtherPlan);
        }
        match &state.phase {
            Phase::Refused { why } => Some(WhyMissing::Refused { why: why.clone() }),
            // Unmet criteria are a result.
            Phase::Over { code: Some(0 | 1), .. } if !self.observes && !stage.is_before_all() => None,
            Phase::Over { reason: Some(why), .. } if stage.is_before_all() => {
                Some(WhyMissing::Refused { why: why.clone() })
            }
            Phase::Over { reason, .. } => Some(WhyMissing::EndedEarly { why: reason.clone() }),
            _ => None,
        }
    }

    /// When its run ended, by the controller's clock. This may be long ago if no controller listened. If
    /// the time is unknown, it is now.
    fn ended_ns(&self, now_ns: i64) -> i64 {
        let times = self.state.as_ref().map(|state| &state.times);
        let over = times.and_then(|times| times.over_ns.zip(times.clock_after.or(times.clock_before)));
        over.map_or(now_ns, |(over_ns, clock)| over_ns.saturating_sub(clock.offset_ns).min(now_ns))
    }

    /// Whether it has not confirmed that it knows the start of this load point, and can still act on it.
    fn must_hear_start(&self, point: u16, at_ns: i64, now_ns: i64) -> bool {
        let is_called = at_ns - now_ns < nanoseconds(CALLED_AHEAD);
        self.is_ready(point) || !is_called && self.knows_start(point).is_some_and(|known_ns| known_ns < at_ns)
    }

    /// The load point that it should have begun by now.
    fn did_not_begin(&self, stage: Stage, now_ns: i64) -> Option<u16> {
        let Stage::Point { point, at_ns } = stage else { return None };
        let waits = self.is_ready(point) || self.knows_start(point).is_some();
        // A report from before that time does not count against it.
        let is_known = self.heard_ns.is_some_and(|heard_ns| heard_ns >= at_ns + BEGINS_WITHIN_NS / 2);
        (waits && is_known && now_ns >= at_ns + BEGINS_WITHIN_NS).then_some(point)
    }

    /// Whether no run of it continues, as far as is known.
    fn is_out(&self) -> bool {
        self.state.is_none() || self.is_over()
    }
}

impl Stage {
    /// Whether no load point has begun.
    fn is_before_all(self) -> bool {
        matches!(self, Stage::Preparing { point: 0 } | Stage::Paused { point: 0 })
    }
}

fn nanoseconds(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::protocol::RunTimes;

    const NAME: &str = "20261126T005108Z-ac398b";

    fn beat(beat: u64, runs: Vec<RunState>) -> Beat {
        Beat { session: 7, beat, protocol: PROTOCOL, runs, ..Beat::default() }
    }

    /// An agent that received the order to prepare, in this phase.
    fn prepares(number: u64, phase: Phase) -> Beat {
        let (run, plan_sha256) = (NAME.to_owned(), String::new());
        let (times, points_complete, judged) = (RunTimes::default(), 0, None);
        beat(number, vec![RunState { run, plan_sha256, phase, times, points_complete, judged }])
    }

    #[test]
    fn a_run_that_only_prepares_ends_when_all_agents_are_ready() {
        let part = |agent: &str| AgentTask {
            agent: agent.to_owned(),
            plan_sha256: String::new(),
            plan_toml: String::new(),
        };
        let parts = vec![part("a"), part("b"), part("c")];
        let mut conduct = Conduct::new(NAME, OnLoss::GoOn, parts, 1).only_preparing();
        let mut now_ns = 0;
        let mut told = Vec::new();
        let mut says = |conduct: &mut Conduct, all: [Phase; 3]| {
            for _ in 0..10 {
                now_ns += 100_000_000;
                for (agent, phase) in ["a", "b", "c"].into_iter().zip(all.clone()) {
                    conduct.beat(now_ns, agent, prepares(now_ns as u64, phase));
                }
                told.extend(conduct.tick(now_ns, true));
            }
        };
        let (ready, over) =
            (Phase::Ready { point: 0 }, |code| Phase::Over { code: Some(code), reason: None });
        says(&mut conduct, [ready.clone(), Phase::Preparing, Phase::Preparing]);
        assert_eq!(conduct.stage, Stage::Preparing { point: 0 }, "b and c make files");
        // The storage of one agent is full; the others do not wait for it.
        says(&mut conduct, [ready.clone(), ready, over(3)]);
        assert_eq!((conduct.stage, &conduct.stopped), (Stage::Stopping, &Some(WhyStopped::Prepared)));
        says(&mut conduct, [over(130), over(130), over(3)]);
        assert!(conduct.is_over() && conduct.starts_ns.is_empty());
        let are_prepared: Vec<bool> = conduct.members.iter().map(|member| member.is_prepared).collect();
        assert_eq!(are_prepared, [true, true, false]);
        let missing: Vec<bool> = conduct.members.iter().map(|member| member.missing.is_some()).collect();
        assert_eq!(missing, [false, false, true]);
        assert!(!told.iter().any(|(_, order)| matches!(order, Order::Start { .. })), "{told:?}");
        let again = Conduct::resumed(&conduct.saved(), 2).unwrap();
        assert!(again.only_prepares && again.members[0].is_prepared);
    }

    /// An agent that ended while no controller listened is missing from the time it ended; one that
    /// began nothing is reported as not begun.
    #[test]
    fn an_agent_that_ended_is_missing_from_that_time() {
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        let missing = |stage: Stage, over_ns: Option<i64>| {
            let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part.clone()], 1);
            conduct.stage = stage;
            let reason = Some("no word".to_owned());
            let mut beat = prepares(1, Phase::Over { code: Some(3), reason });
            beat.runs[0].times.clock_after = Some(ClockOffset { offset_ns: 5_000, uncertainty_ns: 9 });
            beat.runs[0].times.over_ns = over_ns;
            conduct.beat(1_000_000, "a", beat);
            conduct.tick(1_000_000, true);
            conduct.members[0].missing.clone().unwrap()
        };
        let goes_on = Stage::Point { point: 0, at_ns: 10 };
        let ended =
            |from_ns| Missing { from_ns, why: WhyMissing::EndedEarly { why: Some("no word".to_owned()) } };
        assert_eq!(missing(goes_on, Some(405_000)), ended(400_000));
        assert_eq!(missing(goes_on, None), ended(1_000_000));
        assert_eq!(missing(goes_on, Some(i64::MAX)), ended(1_000_000), "not in the future");
        let before = missing(Stage::Preparing { point: 0 }, None);
        assert_eq!(before.why, WhyMissing::Refused { why: "no word".to_owned() });
    }

    /// Two controllers would undo each other's orders.
    #[test]
    fn an_agent_with_another_run_receives_no_orders() {
        let part = |agent: &str| AgentTask {
            agent: agent.to_owned(),
            plan_sha256: String::new(),
            plan_toml: String::new(),
        };
        let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part("a"), part("b")], 1);
        let mut other = prepares(1, Phase::Measuring { point: 0 });
        other.runs[0].run = "another".to_owned();
        let mut told = conduct.beat(1, "a", other);
        told.extend(conduct.tick(1, true));
        assert_eq!(told.iter().filter(|(agent, _)| agent == "a").count(), 0, "{told:?}");
        let why =
            WhyMissing::Refused { why: "it is busy with run another; wait until that run ends".to_owned() };
        assert_eq!(conduct.members[0].missing.as_ref().map(|missing| &missing.why), Some(&why));
        // Leftovers of another run do not interfere.
        let mut kept = prepares(1, Phase::Over { code: Some(0), reason: None });
        kept.runs[0].run = "another".to_owned();
        assert!(!conduct.beat(1, "b", kept).is_empty());
        assert_eq!(conduct.members[1].missing, None);
    }

    /// It receives no orders, because it could not open the envelope.
    #[test]
    fn an_agent_with_another_protocol_is_missing_with_both_versions() {
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part], 2);
        // A beat as the first version sends it.
        let text = r#"{"session":7,"beat":1,"version":"0.1.0","clock":null,"runs":[]}"#;
        let mut told = conduct.beat(1, "a", serde_json::from_str(text).unwrap());
        told.extend(conduct.tick(1, true));
        assert_eq!(told, []);
        let why = &conduct.members[0].missing.as_ref().unwrap().why;
        let words = reelgauge_report::fleet_run::why_missing(why);
        assert!(words.contains("protocol 1,") && words.contains("protocol 2"), "{words}");
    }

    /// It is out of contact for as long as its owner allows, so it continues and is not missing.
    #[test]
    fn a_silent_agent_is_missing_only_after_its_load_has_ended() {
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        for lease_s in [5, 15, 60] {
            let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part.clone()], 2);
            conduct.stage = Stage::Point { point: 0, at_ns: 0 };
            let said = Beat { lease_ms: lease_s * 1_000, ..prepares(1, Phase::Measuring { point: 0 }) };
            conduct.beat(0, "a", said);
            let missing_after = (0..).find(|tenth| {
                conduct.tick(tenth * 100_000_000, true);
                conduct.members[0].missing.is_some()
            });
            assert_eq!(missing_after, Some((lease_s as i64 + 1) * 10));
        }
    }

    #[test]
    fn an_agent_that_opens_no_order_is_out_of_reach() {
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part.clone()], 1);
        let closed =
            |conduct: &mut Conduct| (0..3).for_each(|at| conduct.closed(at, "a", "its seal".to_owned()));
        closed(&mut conduct);
        let why = WhyMissing::Refused { why: "its seal".to_owned() };
        assert_eq!(conduct.members[0].missing.as_ref().map(|missing| &missing.why), Some(&why));
        let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part], 1);
        conduct.beat(1, "a", prepares(1, Phase::Preparing));
        closed(&mut conduct);
        assert_eq!(conduct.members[0].missing, None, "somebody else's order");
    }

    #[test]
    fn a_start_delayed_by_the_disk_is_replaced_if_it_was_not_sent() {
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        let mut conduct = Conduct::new(NAME, OnLoss::GoOn, vec![part], 1);
        conduct.beat(1, "a", prepares(1, Phase::Ready { point: 0 }));
        let second = 1_000_000_000;
        conduct.tick(1, true);
        let first_ns = conduct.starts_ns[0];
        let takes = Duration::from_secs(4);
        // The disk needed four seconds for it.
        assert!(conduct.postpones(1 + 4 * second, 0, first_ns, takes));
        let [again_ns] = conduct.starts_ns[..] else { panic!("{:?}", conduct.starts_ns) };
        assert_eq!((again_ns, conduct.stage), (1 + 15 * second, Stage::Point { point: 0, at_ns: again_ns }));
        assert!(conduct.postpones(1 + 5 * second, 0, first_ns, takes), "the old one is not said any more");
        let told = conduct.tick(1 + 5 * second, true);
        assert!(
            told.iter().any(|(_, order)| matches!(order, Order::Start { at_ns, .. } if *at_ns == again_ns))
        );
        assert!(!conduct.postpones(1 + 9 * second, 0, again_ns, takes), "there is time left");
        assert!(!conduct.postpones(1 + 16 * second, 0, again_ns, takes), "it was said: who is late is late");
        // A controller that resumes the run does not know whether any agent received it.
        let mut next = Conduct::resumed(&conduct.saved(), 2).unwrap();
        assert!(!next.postpones(1 + 16 * second, 0, again_ns, takes));
    }

    /// Its controller was killed between ordering the start and hearing that it began; the next
    /// controller did not hear it in time. Its files remain known to be missing.
    #[test]
    fn agent_without_any_answer_may_have_leftovers() {
        let part = AgentTask { agent: "a".to_owned(), plan_sha256: String::new(), plan_toml: String::new() };
        let mut first = Conduct::new(NAME, OnLoss::GoOn, vec![part], 1);
        assert!(!first.members[0].is_settled());
        let second = 1_000_000_000;
        first.beat(1, "a", beat(1, Vec::new()));
        assert!(!first.members[0].is_settled(), "an order may have been on its way");
        first.beat(second, "a", beat(2, Vec::new()));
        first.beat(3 * second, "a", beat(3, Vec::new()));
        assert!(first.members[0].is_settled(), "it went on saying that it has nothing");
        let told = first.tick(3 * second, true);
        assert!(told.iter().any(|(_, order)| matches!(order, Order::Prepare { .. })), "{told:?}");
        assert!(!first.members[0].is_settled(), "it was told to begin");
        first.beat(3 * second + 1, "a", beat(4, Vec::new()));
        assert!(!first.members[0].is_settled(), "it had not heard that yet");

        let mut next = Conduct::resumed(&first.saved(), 2).unwrap();
        assert!(!next.members[0].is_settled());
        let phase = Phase::Over { code: Some(3), reason: None };
        let (run, plan_sha256) = (NAME.to_owned(), String::new());
        let (times, points_complete, judged) = (RunTimes::default(), 0, None);
        let state = RunState { run, plan_sha256, phase, times, points_complete, judged };
        next.beat(2, "a", beat(5, vec![state]));
        assert!(!next.members[0].is_settled());
        // Everything of it is here, but it has not been informed: it keeps its copy until then.
        next.members[0].is_fetched = true;
        assert!(!next.members[0].is_settled() && next.members[0].keeps_a_copy());
        let before = next.milestone();
        next.beat(3, "a", beat(6, Vec::new()));
        assert!(next.members[0].is_settled() && !next.members[0].keeps_a_copy());
        assert_ne!(next.milestone(), before, "it is kept that it knows");
    }
}
