//! A world: its true time, its inhabitants, and its faults.

use std::collections::BTreeMap;

use reelgauge_workload::player::PlayerPlan;
use reelgauge_workload::random::Dice;
use reelgauge_workload::streams::{FindMaxPlan, Footage, StreamsPlan};
use reelgauge_workload::units::Span;

use super::agent::Machine;
use super::controller::Desk;
use super::network::{Network, Packet, Weather};
use reelgauge_fleet::controller::conduct::{OnLoss, Stage, Told};
use reelgauge_fleet::controller::user_command::UserCommand;
use reelgauge_fleet::protocol::{Answer, Order};
use reelgauge_fleet::search::FleetSearch;

pub(super) const MS: u64 = 1_000_000;
pub(super) const SECOND: i64 = 1_000_000_000;
pub(super) const STEP_NS: i64 = 100 * MS as i64;
pub(super) const POINTS: u16 = 3;
/// The duration of a load point: less than a lease, or much longer.
const POINT_S: i64 = 4;
const LONG_POINT_S: i64 = 25;
/// The largest count that a search tries.
pub(super) const SEARCH_CAP: u32 = 5;
pub(super) const PIECE_BYTES: u32 = 16;
pub(super) const RUN: &str = "run";
/// There are no faults after this time.
const CALM_NS: i64 = 60 * SECOND;
/// Everything must have ended by then.
pub(super) const END_NS: i64 = 200 * SECOND;

#[derive(Clone, Copy, Debug)]
enum Fault {
    /// An agent's process dies; with its host or without.
    AgentDies(usize),
    AgentBegins(usize),
    AgentFreezes(usize, i64),
    ClockSteps(usize, i64),
    ControllerDies,
    ControllerBegins,
    ControllerFreezes(i64),
    /// The user sends a command to the controller.
    Wishes(Wished),
    /// No message reaches or leaves an agent until then; all agents if none is named.
    Cut(Option<usize>, i64),
}

/// A command of a user who has just asked for the state of the run, or did so long ago.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wished {
    Pause,
    Resume,
    /// A pause with any number.
    PauseNumber(u32),
    ResumeNumber(u32),
}

/// A simulated world; the module describes it.
#[derive(Debug)]
pub(super) struct World {
    pub(super) now_ns: i64,
    pub(super) agents: Vec<Machine>,
    pub(super) desk: Desk,
    network: Network,
    weather: Weather,
    /// Whether it has no faults.
    pub(super) is_calm: bool,
    dice: Dice,
    faults: BTreeMap<i64, Vec<Fault>>,
    pub(super) told_faults: Vec<String>,
    desk_frozen_until_ns: i64,
    cut_until_ns: Vec<i64>,
    /// By agent, when the latest beat was sent that the controller answered: its lease counts from then.
    pub(super) answered_ns: Vec<i64>,
    /// When each beat was sent.
    sent_ns: BTreeMap<(usize, u64), i64>,
    /// The agreed start of each load point, in true time; several if it was postponed.
    pub(super) agreed_ns: BTreeMap<u16, Vec<i64>>,
    pub(super) ended_ns: Option<i64>,
    /// The periods in which the user wanted a pause, as far as the controller could receive it.
    pub(super) wanted: Vec<(i64, Option<i64>)>,
    /// When the run is resumed next, so that it can end.
    insists_ns: i64,
}

/// One world in three searches for the largest count of all agents together; each agent's maximum is
/// drawn.
fn searches(seed: u64, agents: &mut [Machine]) -> Option<FleetSearch> {
    let mut dice = Dice::new(seed, 1);
    if dice.below(3) > 0 {
        return None;
    }
    agents.iter_mut().for_each(|agent| agent.carries = Some(dice.below(4) as u32));
    let footage = Footage::listed("prores-422-hq-uhd-25");
    let find_max =
        FindMaxPlan { cap: Some(SEARCH_CAP), repeats: 1, confirm: Span(0), ..FindMaxPlan::default() };
    FleetSearch::of(&StreamsPlan {
        find_max: Some(find_max),
        actors: vec![PlayerPlan { footage, ..PlayerPlan::default() }.into()],
        ..StreamsPlan::default()
    })
}

impl World {
    pub(super) fn new(seed: u64) -> World {
        let mut dice = Dice::new(seed, 0);
        let count = 1 + dice.below(4) as usize;
        let agents = (0..count).map(|at| {
            let prepares_ns = (200 * MS + dice.below(5_000 * MS)) as i64;
            // Hours off, in either direction.
            let unix_off_ns = dice.below(20_000) as i64 * SECOND - 10_000 * SECOND;
            // The error of a crystal, in either direction.
            let drift_per_million = dice.below(200) as i64 - 100;
            Machine::new(format!("a{at}"), prepares_ns, unix_off_ns, drift_per_million)
        });
        let mut agents: Vec<Machine> = agents.collect();
        let search = searches(seed, &mut agents);
        let has_long_points = search.is_none() && seed.is_multiple_of(3);
        let point_s = if has_long_points { LONG_POINT_S } else { POINT_S };
        agents.iter_mut().for_each(|agent| agent.point_ns = point_s * SECOND);
        agents.iter_mut().for_each(Machine::begin);
        let on_loss = if dice.below(4) == 0 { OnLoss::Stop } else { OnLoss::GoOn };
        // One world in five is calm: then all agents have to complete.
        let is_calm = dice.below(5) == 0;
        let mut bad = |most: u64| if is_calm { 0 } else { dice.below(most) };
        let weather = Weather { lost: bad(30), doubled: bad(30), late: bad(15) };
        let mut world = World {
            now_ns: 0,
            desk: Desk::new(&agents, on_loss, search),
            network: Network::default(),
            weather,
            is_calm: weather.lost + weather.doubled + weather.late == 0,
            faults: BTreeMap::new(),
            told_faults: Vec::new(),
            desk_frozen_until_ns: 0,
            cut_until_ns: vec![0; count],
            answered_ns: vec![i64::MIN / 2; count],
            sent_ns: BTreeMap::new(),
            agreed_ns: BTreeMap::new(),
            ended_ns: None,
            wanted: Vec::new(),
            insists_ns: CALM_NS,
            agents,
            dice,
        };
        if !is_calm {
            world.plan_faults();
        }
        world.is_calm &= world.told_faults.is_empty();
        // A pause is no fault: it also occurs in a calm world, from time to time.
        world.plan_wishes();
        world
    }

    /// A world whose only fault is that an agent, or all of them, cannot be reached for a while.
    pub(super) fn with_outage(seed: u64, long_ns: i64) -> World {
        let mut world = World::new(seed);
        world.faults.clear();
        world.told_faults.clear();
        (world.weather, world.is_calm) = (Weather::default(), true);
        let mut dice = Dice::new(seed, 2);
        let at_ns = dice.below(40_000 * MS) as i64;
        let whom = (dice.below(2) == 0).then(|| dice.below(world.agents.len() as u64) as usize);
        world.plan(at_ns, Fault::Cut(whom, at_ns + long_ns));
        world
    }

    fn plan_wishes(&mut self) {
        for _ in 0..self.dice.below(4) {
            let at_ns = self.dice.below(CALM_NS as u64 - 25_000 * MS) as i64;
            let long_ns = (100 * MS + self.dice.below(20_000 * MS)) as i64;
            let number = self.dice.below(3) as u32;
            match self.dice.below(6) {
                // Sometimes twice: by two users, or because the first answer was lost.
                0..=2 => {
                    self.plan(at_ns, Fault::Wishes(Wished::Pause));
                    if self.dice.below(2) == 0 {
                        self.plan(at_ns + long_ns / 2, Fault::Wishes(Wished::Pause));
                    }
                    self.plan(at_ns + long_ns, Fault::Wishes(Wished::Resume));
                }
                3 => self.plan(at_ns, Fault::Wishes(Wished::Resume)),
                4 => self.plan(at_ns, Fault::Wishes(Wished::PauseNumber(number))),
                _ => self.plan(at_ns, Fault::Wishes(Wished::ResumeNumber(number))),
            }
        }
    }

    fn plan_faults(&mut self) {
        for _ in 0..self.dice.below(6) {
            let at_ns = self.dice.below(CALM_NS as u64 - 20_000 * MS) as i64;
            let long_ns = (100 * MS + self.dice.below(15_000 * MS)) as i64;
            let agent = self.dice.below(self.agents.len() as u64) as usize;
            match self.dice.below(6) {
                0 => {
                    self.plan(at_ns, Fault::AgentDies(agent));
                    self.plan(at_ns + long_ns, Fault::AgentBegins(agent));
                }
                1 => self.plan(at_ns, Fault::AgentFreezes(agent, at_ns + long_ns)),
                2 => {
                    let step_ns = (self.dice.below(7_200_000) as i64 - 3_600_000) * MS as i64;
                    self.plan(at_ns, Fault::ClockSteps(agent, step_ns));
                }
                3 => {
                    self.plan(at_ns, Fault::ControllerDies);
                    self.plan(at_ns + long_ns, Fault::ControllerBegins);
                }
                4 => self.plan(at_ns, Fault::ControllerFreezes(at_ns + long_ns)),
                _ => {
                    let whom = Some(agent).filter(|_| self.dice.below(3) > 0);
                    self.plan(at_ns, Fault::Cut(whom, at_ns + long_ns));
                }
            }
        }
    }

    fn plan(&mut self, at_ns: i64, fault: Fault) {
        self.told_faults.push(format!("{:.1} s: {fault:?}", at_ns as f64 / 1e9));
        self.faults.entry(at_ns).or_default().push(fault);
    }

    /// Moves the world to its next moment.
    pub(super) fn step(&mut self) {
        let until_ns = self.now_ns + STEP_NS;
        if self.now_ns >= CALM_NS {
            self.weather = Weather::default();
        }
        while let Some(entry) = self.faults.first_entry().filter(|entry| *entry.key() <= until_ns) {
            for fault in entry.remove() {
                self.happen(fault);
            }
        }
        while let Some((arrives_ns, packet)) = self.network.next(until_ns) {
            self.now_ns = arrives_ns.max(self.now_ns);
            self.arrive(packet);
        }
        self.now_ns = until_ns;
        for at in 0..self.agents.len() {
            let now_ns = self.now_ns;
            let answers = self.agents[at].run(now_ns);
            self.say(at, answers);
            let machine = &mut self.agents[at];
            if machine.is_awake(now_ns) {
                let now = machine.clocks(now_ns);
                let deeds = machine.duty.as_mut().map(|duty| duty.tick(now)).unwrap_or_default();
                let answers = machine.carry_out(now_ns, deeds);
                self.say(at, answers);
            }
        }
        if self.now_ns >= self.desk_frozen_until_ns {
            let listens = self.cut_until_ns.iter().any(|until_ns| self.now_ns >= *until_ns);
            let told = self.desk.tick(self.now_ns, listens);
            self.tell(told);
        }
        self.insist();
        if self.ended_ns.is_none() && self.desk.run.as_ref().is_some_and(|run| run.is_done()) {
            self.ended_ns = Some(self.now_ns);
            // Only messages in flight may still arrive.
            self.faults.clear();
        }
    }

    /// The user who paused it wants it to continue in the end, and repeats the command until it does.
    fn insist(&mut self) {
        if self.now_ns >= self.insists_ns {
            self.insists_ns = self.now_ns + SECOND;
            self.wish(Wished::Resume);
        }
    }

    /// The user requests the state of the run, and sends the command.
    fn wish(&mut self, wished: Wished) {
        let Some(conduct) = self.desk.run.as_ref().map(|run| &run.conduct) else { return };
        let pauses = conduct.pauses.count();
        let wish = match wished {
            Wished::Pause if conduct.pauses.wants() => UserCommand::Pause { number: pauses - 1 },
            Wished::Pause => UserCommand::Pause { number: pauses },
            Wished::Resume => UserCommand::Resume { number: pauses.saturating_sub(1) },
            Wished::PauseNumber(number) => UserCommand::Pause { number },
            Wished::ResumeNumber(number) => UserCommand::Resume { number },
        };
        self.network.send(self.now_ns, &Packet::Wish(wish), self.weather, &mut self.dice);
    }

    /// A command arrives.
    fn hear(&mut self, wish: UserCommand) {
        if self.now_ns < self.desk_frozen_until_ns || self.desk.run.is_none() {
            return;
        }
        let stage = self.desk.run.as_ref().map(|run| run.conduct.stage);
        if matches!((wish, stage), (UserCommand::Pause { .. }, Some(Stage::Stopping | Stage::Over))) {
            return self.desk.wish(self.now_ns, wish);
        }
        let (now_ns, count) = (self.now_ns, self.wanted.len() as u32);
        let open = self.wanted.last_mut().filter(|(_, until_ns)| until_ns.is_none());
        match (wish, open) {
            (UserCommand::Pause { number }, None) if number == count => self.wanted.push((now_ns, None)),
            (UserCommand::Resume { number }, Some((_, until_ns))) if number + 1 == count => {
                *until_ns = Some(now_ns)
            }
            _ => {}
        }
        self.desk.wish(now_ns, wish);
    }

    fn happen(&mut self, fault: Fault) {
        match fault {
            Fault::AgentDies(at) => self.agents[at].die(),
            Fault::AgentBegins(at) if self.agents[at].duty.is_none() => self.agents[at].begin(),
            Fault::AgentBegins(_) => {}
            Fault::AgentFreezes(at, until_ns) => self.agents[at].frozen_until_ns = until_ns,
            Fault::ClockSteps(at, step_ns) => self.agents[at].unix_off_ns += step_ns,
            Fault::ControllerDies => self.desk.die(),
            Fault::ControllerBegins if self.desk.run.is_none() => self.desk.begin(),
            Fault::ControllerBegins => {}
            Fault::ControllerFreezes(until_ns) => self.desk_frozen_until_ns = until_ns,
            Fault::Wishes(wished) => self.wish(wished),
            Fault::Cut(Some(at), until_ns) => self.cut_until_ns[at] = until_ns,
            Fault::Cut(None, until_ns) => self.cut_until_ns.fill(until_ns),
        }
    }

    fn arrive(&mut self, packet: Packet) {
        let now_ns = self.now_ns;
        match packet {
            Packet::Down((agent, order)) => {
                let Some(at) = self.agents.iter().position(|machine| machine.name == agent) else { return };
                let machine = &mut self.agents[at];
                if !machine.is_awake(now_ns) || now_ns < self.cut_until_ns[at] {
                    return;
                }
                let now = machine.clocks(now_ns);
                let deeds = machine.duty.as_mut().map(|duty| duty.order(now, order)).unwrap_or_default();
                let answers = machine.carry_out(now_ns, deeds);
                self.say(at, answers);
            }
            Packet::Wish(wish) => self.hear(wish),
            Packet::Up(at, answer) => {
                if now_ns < self.desk_frozen_until_ns || now_ns < self.cut_until_ns[at] {
                    return;
                }
                let name = self.agents[at].name.clone();
                let told = self.desk.answer(now_ns, &name, answer);
                self.tell(told);
            }
        }
    }

    /// An agent sends a message.
    fn say(&mut self, at: usize, answers: Vec<Answer>) {
        for answer in answers {
            if let Answer::Beat(beat) = &answer {
                self.sent_ns.insert((at, beat.beat), self.now_ns);
            }
            if self.now_ns >= self.cut_until_ns[at] {
                self.network.send(self.now_ns, &Packet::Up(at, answer), self.weather, &mut self.dice);
            }
        }
    }

    /// The controller sends a message.
    fn tell(&mut self, told: Vec<Told>) {
        for (agent, order) in told {
            let Some(at) = self.agents.iter().position(|machine| machine.name == agent) else { continue };
            match &order {
                Order::Hold { beat, .. } => {
                    let sent_ns = self.sent_ns.get(&(at, *beat)).copied().unwrap_or(i64::MIN / 2);
                    self.answered_ns[at] = self.answered_ns[at].max(sent_ns);
                }
                Order::Start { point, at_ns, .. } => {
                    let agreed = self.agreed_ns.entry(*point).or_default();
                    let is_later = agreed.last().is_none_or(|last| last <= at_ns);
                    assert!(is_later, "a start is only ever put off");
                    if agreed.last() != Some(at_ns) {
                        agreed.push(*at_ns);
                    }
                }
                _ => {}
            }
            if self.now_ns >= self.cut_until_ns[at] {
                let packet = Packet::Down((agent, order));
                self.network.send(self.now_ns, &packet, self.weather, &mut self.dice);
            }
        }
    }
}
