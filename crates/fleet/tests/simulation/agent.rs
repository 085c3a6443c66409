//! An agent's host: its clocks, its disk, the agent process and the measuring process.

use std::collections::BTreeMap;
use std::time::Duration;

use reelgauge_analysis::facts::StoppedBy;
use reelgauge_runner::remote_control::load_permit::{Load, LoadPermit};
use reelgauge_runner::remote_control::messages::{
    JudgedTrial, ReadyPoint, RemoteOrder, RemoteReport, RequestedTrial,
};
use reelgauge_runner::remote_control::{CALLED_AHEAD_NS, start_on};

use super::world::{POINTS, SECOND, STEP_NS};
use reelgauge_fleet::agent::duty::{Deed, Duty};
use reelgauge_fleet::agent::wall_clock::Now;
use reelgauge_fleet::protocol::{Answer, FileThere, LEASE, RunState};

/// The data of a run on the agent's disk.
#[derive(Clone, Debug)]
pub(super) struct OnDisk {
    pub(super) state: RunState,
    pub(super) log: Vec<u8>,
}

/// The process that measures.
#[derive(Clone, Debug)]
pub(super) struct Runner {
    pub(super) run: String,
    leash: LoadPermit,
    pub(super) begun_ns: i64,
    does: Does,
    until_ns: i64,
    point: u16,
    seconds: u32,
    skew_ns: i64,
    /// This agent's share of the current trial.
    scale: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Does {
    Asks,
    Prepares,
    Waits,
    Starts,
    Measures,
    ReadsBack,
}

impl Runner {
    pub(super) fn is_loading(&self) -> bool {
        matches!(self.does, Does::Prepares | Does::Measures | Does::ReadsBack)
    }
}

/// The true events on an agent.
#[derive(Clone, Debug, Default)]
pub(super) struct AgentTruth {
    /// Runs that were begun, and load points with the time at which they began.
    pub(super) begun: Vec<String>,
    pub(super) started: Vec<(u16, i64)>,
    /// Load points that had their whole time, and whether the run completed.
    pub(super) complete: u16,
    pub(super) is_complete: bool,
    /// All data that it ever measured.
    pub(super) log: Vec<u8>,
}

#[derive(Debug)]
pub(super) struct Machine {
    pub(super) name: String,
    pub(super) duty: Option<Duty>,
    pub(super) frozen_until_ns: i64,
    /// The offset of its wall clock from true time.
    pub(super) unix_off_ns: i64,
    /// The offset of its monotonic clock from true time, and its drift.
    boot_off_ns: i64,
    drift_per_million: i64,
    session: u64,
    pub(super) disk: BTreeMap<String, OnDisk>,
    pub(super) runner: Option<Runner>,
    pub(super) truth: AgentTruth,
    prepares_ns: i64,
    /// How long a load point takes.
    pub(super) point_ns: i64,
    /// In a search, the largest share that it sustains.
    pub(super) carries: Option<u32>,
    /// Messages of the run that the agent could not read yet.
    unread: Vec<RemoteReport>,
}

impl Machine {
    pub(super) fn new(name: String, prepares_ns: i64, unix_off_ns: i64, drift_per_million: i64) -> Machine {
        Machine {
            boot_off_ns: unix_off_ns.abs() / 3,
            drift_per_million,
            name,
            duty: None,
            frozen_until_ns: 0,
            unix_off_ns,
            session: 0,
            disk: BTreeMap::new(),
            runner: None,
            truth: AgentTruth::default(),
            prepares_ns,
            point_ns: 0,
            carries: None,
            unread: Vec::new(),
        }
    }

    /// The process begins, with the data on disk.
    pub(super) fn begin(&mut self) {
        self.session += 1 << 40;
        let kept = self.disk.values().map(|on_disk| on_disk.state.clone()).collect();
        self.duty = Some(Duty::new(self.session, "1", LEASE, kept));
    }

    /// The process dies, and the measuring process notices the end of its pipe. A host that loses power
    /// takes both along.
    pub(super) fn die(&mut self) {
        self.duty = None;
        self.unread.clear();
        if let Some(runner) = self.runner.take() {
            self.write_log(&runner);
        }
    }

    pub(super) fn is_awake(&self, now_ns: i64) -> bool {
        self.duty.is_some() && now_ns >= self.frozen_until_ns
    }

    pub(super) fn clocks(&self, now_ns: i64) -> Now {
        Now { mono_ns: self.machine_ns(now_ns), unix_ns: now_ns + self.unix_off_ns }
    }

    /// The reading of its monotonic clock.
    pub(super) fn machine_ns(&self, now_ns: i64) -> i64 {
        now_ns + self.boot_off_ns + now_ns / 1_000_000 * self.drift_per_million
    }

    /// The true time at which its monotonic clock has this reading.
    fn true_ns(&self, machine_ns: i64) -> i64 {
        let passed = i128::from(machine_ns - self.boot_off_ns) * 1_000_000;
        (passed / i128::from(1_000_000 + self.drift_per_million)) as i64
    }

    /// Carries out the duty's actions; returns the messages to the controller.
    pub(super) fn carry_out(&mut self, now_ns: i64, deeds: Vec<Deed>) -> Vec<Answer> {
        let mut answers = Vec::new();
        for deed in deeds {
            match deed {
                Deed::Send(answer) => answers.push(answer),
                Deed::Begin { run, plan_toml: _ } => self.begin_run(now_ns, run),
                Deed::Steer(order) => self.steer(now_ns, order),
                Deed::ListFiles { run } => answers.extend(self.files(run)),
                Deed::ReadPiece { run, file, offset, len } => {
                    answers.extend(self.piece(run, file, offset, len));
                }
                Deed::Forget { run } => {
                    self.disk.remove(&run);
                }
            }
        }
        self.keep_states();
        answers
    }

    fn begin_run(&mut self, now_ns: i64, run: String) {
        assert!(self.runner.is_none(), "{} measures already", self.name);
        self.truth.begun.push(run.clone());
        self.unread.push(RemoteReport::Clock { zero_machine_ns: self.machine_ns(now_ns) });
        self.runner = Some(Runner {
            run,
            leash: LoadPermit::new(now_ns as u64),
            begun_ns: now_ns,
            does: Does::Prepares,
            until_ns: now_ns + self.prepares_ns,
            point: 0,
            seconds: 0,
            skew_ns: 0,
            scale: 0,
        });
        if self.carries.is_some() {
            self.ask();
        }
    }

    /// The measuring process requests its next trial.
    fn ask(&mut self) {
        let Some(runner) = &mut self.runner else { return };
        runner.does = Does::Asks;
        runner.leash.load(Load::Waits);
        let (point, most) = (runner.point, 100);
        let asked = RequestedTrial { point, most, most_confirmed: most, limited_by: StoppedBy::Room };
        self.unread.push(RemoteReport::Asks(asked));
    }

    fn steer(&mut self, now_ns: i64, order: RemoteOrder) {
        let machine_ns = self.machine_ns(now_ns);
        let at_ns = match &order {
            RemoteOrder::Start { at_machine_ns, .. } => {
                start_on(*at_machine_ns, machine_ns, machine_ns as u64)
            }
            _ => Ok(0),
        };
        let at_ns = at_ns.map(|at_ns| self.true_ns(at_ns as i64));
        let Some(runner) = &mut self.runner else { return };
        match order {
            RemoteOrder::Hold { for_ms, silent_ms } => {
                let ms = Duration::from_millis;
                runner.leash.hold(now_ns as u64, ms(for_ms), ms(silent_ms));
            }
            RemoteOrder::Trial { point, scale, .. } if runner.does == Does::Asks && runner.point == point => {
                runner.leash.load(Load::Active);
                (runner.does, runner.scale) = (Does::Prepares, scale);
                runner.until_ns = now_ns + self.prepares_ns / 4;
            }
            RemoteOrder::Enough { point } if runner.does == Does::Asks && runner.point == point => {
                runner.leash.load(Load::Active);
                (runner.does, runner.until_ns) = (Does::ReadsBack, now_ns + self.prepares_ns / 4);
            }
            RemoteOrder::Trial { .. } | RemoteOrder::Enough { .. } => {}
            RemoteOrder::Start { point, .. } => {
                let may = match runner.does {
                    Does::Waits => true,
                    Does::Starts => runner.until_ns - now_ns > CALLED_AHEAD_NS as i64,
                    _ => false,
                };
                if may
                    && runner.point == point
                    && let Ok(at_ns) = at_ns
                {
                    runner.does = Does::Starts;
                    runner.leash.load(Load::Active);
                    runner.until_ns = at_ns;
                }
            }
            RemoteOrder::Stop | RemoteOrder::Lapse { .. } => {
                if let Some(runner) = self.runner.take() {
                    self.end(&runner, 130);
                }
            }
        }
    }

    /// The obeying process reads the run's messages, unless it is frozen.
    fn read(&mut self, now_ns: i64) -> Vec<Answer> {
        if !self.is_awake(now_ns) {
            return Vec::new();
        }
        let now = self.clocks(now_ns);
        let mut answers = Vec::new();
        for said in std::mem::take(&mut self.unread) {
            self.truth.is_complete |= matches!(said, RemoteReport::Done { code: 0, .. });
            let deeds = self.duty.as_mut().map(|duty| duty.said(now, said)).unwrap_or_default();
            answers.extend(self.carry_out(now_ns, deeds));
        }
        answers
    }

    fn write_log(&mut self, runner: &Runner) {
        if let Some(on_disk) = self.disk.get_mut(&runner.run) {
            on_disk.log.clone_from(&self.truth.log);
        }
    }

    fn end(&mut self, runner: &Runner, code: u8) {
        self.write_log(runner);
        self.unread.push(RemoteReport::Done { code, run_dir: None, reason: None });
    }

    /// The measuring process continues.
    pub(super) fn run(&mut self, now_ns: i64) -> Vec<Answer> {
        if let Some(runner) = self.runner.take() {
            self.measure(now_ns, runner);
        }
        self.read(now_ns)
    }

    fn measure(&mut self, now_ns: i64, mut runner: Runner) {
        if runner.leash.lapsed(now_ns as u64).is_some() {
            self.end(&runner, 130);
            return;
        }
        if runner.does == Does::Measures {
            let passed_s = (now_ns.min(runner.until_ns) - (runner.until_ns - self.point_ns)) / SECOND;
            while i64::from(runner.seconds) < passed_s {
                runner.seconds += 1;
                let record = format!("{}/{}/{};", self.name, runner.point, runner.seconds);
                self.truth.log.extend(record.bytes());
            }
        }
        if now_ns < runner.until_ns || matches!(runner.does, Does::Waits | Does::Asks) {
            self.runner = Some(runner);
            return;
        }
        match runner.does {
            Does::Prepares => {
                runner.does = Does::Waits;
                runner.leash.load(Load::Waits);
                let point = runner.point;
                let ready =
                    ReadyPoint { point, label: String::new(), workers: 1, warmup_ns: 0, measured_ns: 0 };
                self.unread.push(RemoteReport::Ready(ready));
            }
            Does::Starts => {
                let begun_ns = runner.until_ns.max(now_ns - STEP_NS);
                self.truth.started.push((runner.point, begun_ns));
                runner.skew_ns = begun_ns - runner.until_ns;
                (runner.does, runner.until_ns, runner.seconds) =
                    (Does::Measures, begun_ns + self.point_ns, 0);
                let begun_machine_ns = self.machine_ns(begun_ns);
                let (point, skew_ns) = (runner.point, runner.skew_ns);
                self.unread.push(RemoteReport::Started { point, skew_ns, begun_machine_ns });
            }
            Does::Measures => {
                self.truth.complete += 1;
                self.unread.push(RemoteReport::PointOver { point: runner.point, is_complete: true });
                if let Some(carries) = self.carries {
                    let (point, passed) = (runner.point, runner.scale <= carries);
                    let judged = JudgedTrial { point, passed, limited_by_client: false };
                    self.unread.push(RemoteReport::Judged(judged));
                    runner.point += 1;
                    self.runner = Some(runner);
                    return self.ask();
                }
                runner.point += 1;
                let is_last = runner.point == POINTS;
                runner.does = if is_last { Does::ReadsBack } else { Does::Prepares };
                runner.until_ns = now_ns + self.prepares_ns / 4;
            }
            Does::ReadsBack => {
                self.end(&runner, 0);
                return;
            }
            Does::Waits | Does::Asks => {}
        }
        self.runner = Some(runner);
    }

    /// The disk has every state, and the plan's file before a run begins.
    fn keep_states(&mut self) {
        let Some(duty) = &self.duty else { return };
        for state in duty.runs() {
            let on_disk = self
                .disk
                .entry(state.run.clone())
                .or_insert_with(|| OnDisk { state: state.clone(), log: Vec::new() });
            on_disk.state = state.clone();
        }
    }

    fn files(&self, run: String) -> Option<Answer> {
        let log = &self.disk.get(&run)?.log;
        let file = |name: &str, bytes: &[u8]| FileThere {
            name: name.to_owned(),
            len: bytes.len() as u64,
            sha256: reelgauge_runner::remote_control::sha256(bytes),
        };
        Some(Answer::Files { run, files: vec![file("log", log), file("empty", b"")] })
    }

    fn piece(&self, run: String, file: String, offset: u64, len: u32) -> Option<Answer> {
        let log = &self.disk.get(&run)?.log;
        let bytes = log.get(offset as usize..(offset + u64::from(len)) as usize)?.to_vec();
        Some(Answer::Piece { run, file, offset, bytes })
    }
}
