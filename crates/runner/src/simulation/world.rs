//! A simulated world: its time, and its events. It belongs to the thread that plays it.

use std::cell::{Cell, RefCell};
use std::fmt;
use std::io;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::atomic::Ordering;

use reelgauge_engine::simulated::Outcome;
use reelgauge_engine::simulated::world::{Part, ThreadFate, VirtualWorld};
use reelgauge_workload::random::Dice;
use reelgauge_workload::script::{Done, Op};

use super::scenario::{Call, Scenario, Work};
use super::truth::Truth;
use crate::interrupt::Interrupt;

/// A world with more events than this is in an endless loop.
const STEPS_MAX: u64 = 3_000_000;

thread_local! {
    static HERE: RefCell<Option<Rc<World>>> = const { RefCell::new(None) };
}

/// The world of this thread.
pub(super) fn here() -> Rc<World> {
    HERE.with_borrow(|world| world.clone()).expect("this thread lives in a simulated world")
}

/// How long the drain sleeps now; usually `nap_ns`.
pub(crate) fn drain_nap_ns(nap_ns: u64) -> u64 {
    let world = here();
    nap_ns + world.below(world.scenario.faults.nap_most_ns)
}

/// The drain receives an order, which it may be slow to execute.
pub(crate) fn drain_obeys() {
    let world = here();
    let slow_ns = world.below(world.scenario.faults.obeys_most_ns);
    THIS_THREADS_WORLD.pass(slow_ns);
}

/// The run is about to end, and has some work to do before.
pub(super) fn comes_to_its_end() {
    let world = here();
    let long_ns = world.below(world.scenario.faults.end_most_ns);
    THIS_THREADS_WORLD.pass(long_ns);
}

/// From now on the drain takes no records.
pub(crate) fn drain_ends() {
    let world = here();
    world.truth.borrow_mut().drain_ended_ns = Some(world.now_ns.get());
}

/// Every simulated clock reads the time of this world.
pub(super) static THIS_THREADS_WORLD: ThisThreadsWorld = ThisThreadsWorld;

pub(super) struct ThisThreadsWorld;

impl fmt::Debug for ThisThreadsWorld {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ThisThreadsWorld")
    }
}

pub(super) struct World {
    scenario: Scenario,
    pub(super) truth: RefCell<Truth>,
    interrupt: Interrupt,
    now_ns: Cell<u64>,
    steps: Cell<u64>,
    dice: RefCell<Dice>,
    /// All parts of the world; `None` while one acts.
    parts: RefCell<Vec<Option<Box<dyn Part>>>>,
    /// Set when nothing can work any more, or nothing should.
    is_over: Cell<bool>,
    disk_used: Cell<u64>,
    disk_failures_left: Cell<u32>,
    /// Faults that happen once.
    has_erred: Cell<bool>,
    has_been_short: Cell<bool>,
    has_hung: Cell<bool>,
    has_hiccuped: Cell<bool>,
}

impl World {
    /// Moves this thread into a world.
    pub(super) fn enter(scenario: &Scenario, interrupt: Interrupt, run_dir: PathBuf) -> Rc<World> {
        let faults = &scenario.faults;
        let mut parts: Vec<Option<Box<dyn Part>>> = Vec::new();
        if let Some(at_ns) = faults.interrupt_ns {
            let interrupt = interrupt.clone();
            parts.push(Once::at(at_ns, move |world| {
                interrupt.flag().store(true, Ordering::Relaxed);
                if !world.is_over.get() {
                    world.truth.borrow_mut().interrupted_ns = Some(at_ns);
                }
            }));
        }
        if let Some((at_ns, long_ns)) = faults.pause {
            parts.push(Once::at(at_ns, move |world| {
                world.truth.borrow_mut().paused = true;
                world.now_ns.set(world.now_ns.get() + long_ns);
            }));
        }
        if let Some((at_ns, name)) = faults.small_file {
            parts.push(Once::at(at_ns, move |world| {
                if world.is_over.get() {
                    return;
                }
                world.truth.borrow_mut().small_file_failed = true;
                // A rename onto a folder that is not empty always fails.
                let path = run_dir.join(name);
                let _ = std::fs::remove_file(&path);
                std::fs::create_dir_all(path.join("in the way")).expect("a folder in memory");
            }));
        }
        let world = Rc::new(World {
            truth: RefCell::default(),
            interrupt,
            now_ns: Cell::new(0),
            steps: Cell::new(0),
            dice: RefCell::new(Dice::new(scenario.seed, 1)),
            parts: RefCell::new(parts),
            is_over: Cell::new(false),
            disk_used: Cell::new(0),
            disk_failures_left: Cell::new(faults.disk.fails.map_or(0, |(_, _, many)| many)),
            has_erred: Cell::new(false),
            has_been_short: Cell::new(false),
            has_hung: Cell::new(false),
            has_hiccuped: Cell::new(false),
            scenario: scenario.clone(),
        });
        HERE.set(Some(Rc::clone(&world)));
        world
    }

    /// The run has ended for any reason. A part that still works must not begin anything.
    pub(super) fn end(&self) {
        self.is_over.set(true);
        self.truth.borrow_mut().end_point(self.now_ns.get());
    }

    /// The run is over: this thread leaves the world, and takes the true events along.
    pub(super) fn leave(&self) -> Truth {
        HERE.set(None);
        self.parts.borrow_mut().clear();
        self.truth.take()
    }

    pub(super) fn interrupt(&self) -> &Interrupt {
        &self.interrupt
    }

    fn below(&self, limit: u64) -> u64 {
        self.dice.borrow_mut().below(limit)
    }

    /// A call to the log's disk. For a write: how many of its bytes fit.
    pub(super) fn disk_call(&self, call: Call, bytes: usize) -> io::Result<usize> {
        let faults = &self.scenario.faults;
        THIS_THREADS_WORLD.pass(self.below(faults.disk.call_most_ns));
        if let Some((at_ns, long_ns)) = faults.disk.hiccup
            && World::falls_due(at_ns, &self.has_hiccuped, self.now_ns.get())
        {
            THIS_THREADS_WORLD.pass(long_ns);
        }
        let now_ns = self.now_ns.get();
        if call == Call::Write && faults.drain_dies_ns.is_some_and(|at_ns| at_ns <= now_ns) {
            self.truth.borrow_mut().drain_died = true;
            // Like a panic, but without a printed message.
            resume_unwind(Box::new("the world wants the drain dead"));
        }
        if let Some((at_ns, errno, _)) = faults.disk.fails
            && at_ns <= now_ns
            && faults.disk.fails_only.is_none_or(|only| only == call)
            && self.disk_failures_left.get() > 0
        {
            self.disk_failures_left.set(self.disk_failures_left.get() - 1);
            return Err(self.disk_failed(call, errno));
        }
        let free = faults.disk.room_bytes.map_or(u64::MAX, |room| room.saturating_sub(self.disk_used.get()));
        let fits = free.min(bytes as u64);
        if bytes > 0 && fits == 0 {
            return Err(self.disk_failed(call, 28));
        }
        self.disk_used.set(self.disk_used.get() + fits);
        Ok(fits as usize)
    }

    fn disk_failed(&self, call: Call, errno: i32) -> io::Error {
        let mut truth = self.truth.borrow_mut();
        truth.disk_failures += 1;
        truth.sync_failed |= call == Call::Sync;
        io::Error::from_raw_os_error(errno)
    }

    /// A file of the log's disk was removed.
    pub(super) fn disk_gives_back(&self, bytes: u64) {
        self.disk_used.set(self.disk_used.get().saturating_sub(bytes));
    }

    /// Whether a fault that happens once at a given time is due now.
    fn falls_due(at_ns: u64, has_been: &Cell<bool>, now_ns: u64) -> bool {
        now_ns >= at_ns && !has_been.replace(true)
    }

    /// The store's answer to an operation.
    fn answer(&self, op: &Op) -> Outcome {
        let now_ns = self.now_ns.get();
        let faults = &self.scenario.faults;
        let (least_ns, most_ns) = self.scenario.store.answer_ns;
        let mut done_ns = now_ns + least_ns + self.below(most_ns - least_ns);
        if let Some((from_ns, long_ns)) = faults.stall
            && done_ns >= from_ns
            && now_ns < from_ns + long_ns
        {
            done_ns = done_ns.max(from_ns + long_ns + self.below(least_ns));
        }
        if let Some((at_ns, errno, percent)) = faults.error
            && now_ns >= at_ns
            && (World::falls_due(at_ns, &self.has_erred, now_ns) || self.below(100) < percent)
        {
            return Outcome::failed(errno, done_ns);
        }
        if let Some((at_ns, long_ns)) = faults.hang
            && World::falls_due(at_ns, &self.has_hung, now_ns)
        {
            return match long_ns {
                u64::MAX => Outcome::HANGS,
                _ => Outcome::whole(op, done_ns + long_ns),
            };
        }
        if let Some(at_ns) = faults.short_ns
            && op.kind.moves_data()
            && World::falls_due(at_ns, &self.has_been_short, now_ns)
        {
            return Outcome { done_len: op.len / 2, ..Outcome::whole(op, done_ns) };
        }
        Outcome::whole(op, done_ns)
    }

    /// Whether errors like this one are results in this world.
    fn tolerates(&self, done: &Done) -> bool {
        let tolerant = matches!(self.scenario.work, Work::Mix { tolerant: true });
        // Neither EIO nor ENOSPC is a result anywhere.
        tolerant && !matches!(done.errno, 5 | 28)
    }
}

impl VirtualWorld for ThisThreadsWorld {
    fn now_ns(&self) -> u64 {
        here().now_ns.get()
    }

    fn step(&self, until_ns: u64) {
        let world = here();
        world.steps.set(world.steps.get() + 1);
        assert!(world.steps.get() < STEPS_MAX, "the world goes round in circles");
        let now_ns = world.now_ns.get();
        let next = {
            let parts = world.parts.borrow();
            let times =
                parts.iter().zip(0..).filter_map(|(part, at)| Some((part.as_ref()?.next_ns(now_ns)?, at)));
            times.min().filter(|&(next_ns, _)| next_ns <= until_ns)
        };
        let Some((next_ns, at)) = next else {
            return world.now_ns.set(now_ns.max(until_ns));
        };
        let next_ns: u64 = next_ns;
        let at: usize = at;
        world.now_ns.set(now_ns.max(next_ns));
        let part = world.parts.borrow_mut()[at].take();
        if let Some(mut part) = part {
            part.act(world.now_ns.get());
            world.parts.borrow_mut()[at] = Some(part);
        }
    }

    fn join(&self, part: Box<dyn Part>) {
        here().parts.borrow_mut().push(Some(part));
    }

    fn perform(&self, worker: u32, op: &Op) -> Outcome {
        let world = here();
        world.truth.borrow_mut().issued(worker, world.now_ns.get());
        world.answer(op)
    }

    fn done(&self, worker: u32, op: &Op, issued_ns: u64, done: &Done) {
        let world = here();
        let tolerated = world.tolerates(done);
        world.truth.borrow_mut().done(worker, op, issued_ns, done, tolerated);
    }

    fn thread_ended(&self, was_cut: bool) {
        here().truth.borrow_mut().thread_ended(was_cut);
    }

    fn fates(&self, threads: &[Vec<u32>]) -> Option<Vec<ThreadFate>> {
        let world = here();
        let mut truth = world.truth.borrow_mut();
        let faults = &world.scenario.faults;
        let number = truth.points.len();
        if faults.no_start == Some(number) {
            truth.no_start = true;
            return None;
        }
        let plan = world.scenario.points[number];
        let now_ns = world.now_ns.get();
        truth.begin_point(now_ns, plan.warmup_ns, plan.measured_ns);
        let mut fates = vec![ThreadFate::default(); threads.len()];
        let unlucky = world.below(threads.len() as u64) as usize;
        let end_ns = now_ns + plan.warmup_ns + plan.measured_ns;
        let within = |at_ns: &u64| (now_ns..end_ns).contains(at_ns);
        fates[unlucky] = ThreadFate {
            dies_ns: faults.death_ns.filter(within),
            fails_ns: faults.failure_ns.filter(within),
            closing_ns: faults.closing_ns,
        };
        if let Some(point) = truth.points.last_mut() {
            point.threads = fates.len();
        }
        Some(fates)
    }
}

/// An event that happens once.
struct Once<F> {
    at_ns: u64,
    happen: Option<F>,
}

impl<F: FnOnce(&World) + 'static> Once<F> {
    fn at(at_ns: u64, happen: F) -> Option<Box<dyn Part>> {
        Some(Box::new(Once { at_ns, happen: Some(happen) }))
    }
}

impl<F: FnOnce(&World)> Part for Once<F> {
    fn next_ns(&self, now_ns: u64) -> Option<u64> {
        self.happen.is_some().then_some(self.at_ns.max(now_ns))
    }

    fn act(&mut self, _now_ns: u64) {
        if let Some(happen) = self.happen.take() {
            happen(&here());
        }
    }
}
