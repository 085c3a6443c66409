//! One user who replays all threads of a trace.
//!
//! Every lane of the trace executes its operations in sequence. An operation that depends on other lanes
//! starts when these dependencies are complete. The pacing determines when it is due:
//!
//! | pacing | due |
//! |---|---|
//! | recorded | at the recorded time since the start |
//! | think | after the recorded pause since the end of its thread's last operation |
//! | max | as soon as it may start |
//! | fixed | after a fixed pause since the end of its thread's last operation |
//!
//! In serial order there is one lane, which is the whole trace.
//!
//! Files that were open before the trace began are opened first; then the clock starts.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, VecDeque};
use std::sync::Arc;

use reelgauge_record::{OpFlags, OpKind, OpenBits};
use reelgauge_workload::replay::Pacing;
use reelgauge_workload::script::{Done, Needs, Op, OpenMode, Script, Step};

use super::outcome::{Delay, Outcomes};
use super::packed::{Marks, NO_HANDLE, NO_OP, PackedOp, PackedTrace};
use super::slots::{self, Slots};

/// Limit of operations in flight per user: the threads driver starts as many threads …
const IN_FLIGHT_MAX: u64 = 256;
/// … and the limit for all users.
const IN_FLIGHT_TOTAL_MAX: u64 = 4096;
/// Memory for the buffers of all users.
const BUFFER_BYTES: u64 = 256 << 20;
/// Number of recent completions that are stored: threads that finish together report in any order.
const RECENT: usize = 64;
/// Marks the end of a list of chains.
const NO_LANE: u32 = u32::MAX;
/// The numbers of operations that are not in the trace: opens before it, and closes after it.
const BEFORE: u32 = u32::MAX;
const AFTER: u32 = u32::MAX - 1;

/// How a user replays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setting {
    /// The pacing, which decides when operations start.
    pub pace: Pacing,
    /// The factor for recorded times.
    pub scale: f64,
    /// The user's start delay, from the start of the load point.
    pub delay_ns: u64,
    /// Index of the user's first file in the run's file table.
    pub first_file: u32,
    /// The alignment that direct I/O requires, as a power of two; `None` if direct I/O is unavailable.
    pub direct_align_log2: Option<u8>,
    /// How long before its due time the driver needs an operation. Until then, a completion may make
    /// another operation due earlier.
    pub ahead_ns: u64,
    /// Number of users that share the memory for buffers.
    pub users: u32,
    /// An operation that starts later than this counts as late.
    pub late_after_ns: u64,
}

impl Default for Setting {
    fn default() -> Setting {
        Setting {
            pace: Pacing::Recorded,
            scale: 1.0,
            delay_ns: 0,
            first_file: 0,
            direct_align_log2: None,
            ahead_ns: 0,
            users: 1,
            late_after_ns: u64::MAX,
        }
    }
}

/// The script of one user; see the module.
#[derive(Debug)]
pub struct ReplayScript {
    trace: Arc<PackedTrace>,
    setting: Setting,
    in_flight_most: u16,
    stage: Stage,
    start_ns: u64,
    chains: Vec<Chain>,
    /// By stream: the end of its last operation.
    stream_done_ns: Vec<Option<u64>>,
    /// By operation: whether it is complete, one bit each.
    done: Vec<u64>,
    /// All operations before this one are complete.
    floor: u32,
    /// Chains whose next operation may start, by its due time and number.
    ready: BinaryHeap<Reverse<(u64, u32, u32)>>,
    /// By operation: the first chain that waits for it.
    awaited: HashMap<u32, u32>,
    /// Chains whose next operation opens a file, while no handle is free.
    parked: Vec<u32>,
    slots: Slots,
    /// Handles that should not have been opened, and must be closed.
    to_close: Vec<u32>,
    /// The one of these that is being closed.
    closing: Option<u32>,
    in_flight: u32,
    /// The time at which the last slot became free, after all had been taken.
    place_free_ns: u64,
    recent: Recent,
    running: usize,
    outcomes: Outcomes,
}

/// The progress of a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    /// The user has not started.
    New,
    /// Opening the files that were open before; the index of the next one.
    Opening(usize),
    /// The trace is being replayed.
    Playing,
}

/// The state of a lane.
#[derive(Clone, Copy, Debug)]
struct Chain {
    /// Its next operation, or the one in flight.
    next: u32,
    /// The time at which that operation may start.
    free_ns: u64,
    /// The time at which it also has a handle and a free slot in flight.
    could_ns: u64,
    /// The delay of the operation that it waited for.
    before: Delay,
    /// The due time of the operation in flight.
    due_ns: u64,
    /// The next chain that waits for the same operation.
    beside: u32,
}

/// The completion times of the operations that were reported last.
#[derive(Debug, Default)]
struct Recent(VecDeque<(u32, u64)>);

impl Recent {
    fn push(&mut self, op: u32, done_ns: u64) {
        if self.0.len() >= RECENT {
            self.0.pop_front();
        }
        self.0.push_back((op, done_ns));
    }

    fn get(&self, op: u32) -> Option<u64> {
        self.0.iter().rev().find(|(recent, _)| *recent == op).map(|(_, done_ns)| *done_ns)
    }
}

impl Chain {
    fn new(next: u32) -> Chain {
        Chain { next, free_ns: 0, could_ns: 0, before: Delay::default(), due_ns: 0, beside: NO_LANE }
    }

    /// The delay of its operation, by cause.
    fn delay(&self, done: &Done) -> Delay {
        let waited_ns = self.could_ns.saturating_sub(self.due_ns);
        let behind_tool_ns = (self.before.own_ns + self.before.behind_tool_ns).min(waited_ns);
        let behind_limit_ns = self.before.limit_ns.min(waited_ns - behind_tool_ns);
        // It is due later if the limit on bytes per second delayed it.
        let could_ns = self.due_ns.max(self.could_ns);
        Delay {
            own_ns: done.issued_ns.saturating_sub(done.due_ns.max(could_ns)),
            behind_tool_ns,
            limit_ns: done.due_ns.saturating_sub(could_ns) + behind_limit_ns,
            storage_ns: waited_ns - behind_tool_ns - behind_limit_ns,
        }
    }
}

impl ReplayScript {
    /// A user of this trace.
    pub fn new(trace: Arc<PackedTrace>, setting: Setting) -> ReplayScript {
        let users = u64::from(setting.users.max(1));
        let per_op = 2 * u64::from(trace.max_len.max(1)) * users;
        let affordable =
            (BUFFER_BYTES / per_op).min(IN_FLIGHT_TOTAL_MAX / users).clamp(1, IN_FLIGHT_MAX) as usize;
        let chains = trace.chains();
        let streams = trace.streams.iter().copied().max().map_or(0, |most| most as usize + 1);
        ReplayScript {
            in_flight_most: chains.min(affordable).max(1) as u16,
            stage: Stage::New,
            start_ns: 0,
            chains: (0..chains).map(|chain| Chain::new(trace.first_of(chain))).collect(),
            stream_done_ns: vec![None; streams],
            done: vec![0; trace.ops.len().div_ceil(64)],
            floor: 0,
            ready: BinaryHeap::with_capacity(chains),
            awaited: HashMap::new(),
            parked: Vec::new(),
            slots: Slots::new(trace.handles.len(), trace.open_most),
            to_close: Vec::new(),
            closing: None,
            in_flight: 0,
            place_free_ns: 0,
            recent: Recent::default(),
            running: chains,
            outcomes: Outcomes::default(),
            trace,
            setting,
        }
    }

    /// The outcomes so far.
    pub fn outcomes(&self) -> &Outcomes {
        &self.outcomes
    }

    /// The limit of its operations in flight, if memory allows fewer than the trace had.
    pub fn fewer_in_flight(&self) -> Option<u16> {
        (usize::from(self.in_flight_most) < self.trace.chains()).then_some(self.in_flight_most)
    }

    fn is_done(&self, op: u32) -> bool {
        self.done[op as usize / 64] >> (op % 64) & 1 == 1
    }

    /// Marks an operation as complete, and advances the floor.
    fn mark_done(&mut self, op: u32) {
        self.done[op as usize / 64] |= 1 << (op % 64);
        let ops = self.trace.ops.len() as u32;
        while self.floor < ops && self.is_done(self.floor) {
            self.floor += 1;
        }
    }

    fn scaled(&self, ns: u64) -> u64 {
        if self.setting.scale == 1.0 { ns } else { (ns as f64 * self.setting.scale) as u64 }
    }

    /// Makes the next operation of a chain ready, or lets it wait for another one. `before` is the delay of
    /// the operation whose end made this possible.
    fn arm(&mut self, chain: u32, now_ns: u64, before: Delay) {
        let op = self.chains[chain as usize].next;
        if op == NO_OP {
            self.running -= 1;
            return;
        }
        let undone = self.trace.waits_for(op).iter().copied().find(|&before| !self.is_done(before));
        if let Some(before) = undone {
            let first = self.awaited.insert(before, chain);
            self.chains[chain as usize].beside = first.unwrap_or(NO_LANE);
            return;
        }
        // Threads may report in another order than they finish.
        let could_ns = self.trace.waits_for(op).iter().filter_map(|&before| self.recent.get(before)).max();
        let could_ns = could_ns.unwrap_or(0).max(now_ns);
        let armed = &mut self.chains[chain as usize];
        armed.could_ns = armed.could_ns.max(could_ns);
        (armed.free_ns, armed.before) = (now_ns, before);
        let due_ns = self.due(&self.trace.ops[op as usize], now_ns);
        self.ready.push(Reverse((due_ns, op, chain)));
    }

    fn due(&self, op: &PackedOp, free_ns: u64) -> u64 {
        let stream = self.trace.stream_of(op.lane) as usize;
        let idle_since_ns = || self.stream_done_ns.get(stream).copied().flatten().unwrap_or(self.start_ns);
        let since_start = || self.start_ns.saturating_add(self.scaled(op.time_ns));
        match self.setting.pace {
            Pacing::Recorded => since_start(),
            Pacing::Think if op.marks.has(Marks::ABSOLUTE) => since_start(),
            Pacing::Think => idle_since_ns().saturating_add(self.scaled(op.time_ns)).max(free_ns),
            Pacing::Max => free_ns,
            Pacing::Fixed(span) => idle_since_ns().saturating_add(span.ns()).max(free_ns),
        }
    }

    /// Starts an operation of the trace; `None` if there is no free handle for its file.
    fn begin(&mut self, due_ns: u64, number: u32, chain: u32) -> Option<Op> {
        let op = self.trace.ops[number as usize];
        let opens = matches!(op.kind, OpKind::Open | OpKind::Create);
        if opens && self.slots.take(op.handle, number == self.floor).is_none() {
            self.parked.push(chain);
            return None;
        }
        let begun = &mut self.chains[chain as usize];
        begun.due_ns = due_ns;
        begun.could_ns = begun.could_ns.max(self.place_free_ns);
        let held_up_ns = begun.free_ns.saturating_sub(due_ns);
        if held_up_ns > 0 {
            self.outcomes.held_up_ops += 1;
            self.outcomes.held_up_most_ns = self.outcomes.held_up_most_ns.max(held_up_ns);
        }
        self.in_flight += 1;
        Some(self.asked(&op, due_ns, chain))
    }

    /// Converts an operation to a request for the driver.
    fn asked(&self, op: &PackedOp, due_ns: u64, token: u32) -> Op {
        let by_path = op.handle == NO_HANDLE;
        let (kind, open) = match op.kind {
            OpKind::Open | OpKind::Create => self.mode(op),
            kind => (kind, OpenMode::READ),
        };
        let first_file = self.setting.first_file;
        Op {
            kind,
            handle: if by_path { Op::BY_PATH } else { self.slots.of(op.handle) },
            file: first_file + op.file,
            offset: if kind.names_two() { op.offset + u64::from(first_file) } else { op.offset },
            len: if opens(kind) { 0 } else { op.len },
            due_ns,
            transfer: if by_path { 0 } else { op.handle + 1 },
            stream: self.trace.stream_of(op.lane),
            flags: OpFlags::NONE
                .with_if(OpFlags::KEEPS_SIZE, op.marks.has(Marks::KEEPS_SIZE))
                .with_if(OpFlags::EXCHANGES, op.marks.has(Marks::EXCHANGES)),
            open,
            token,
        }
    }

    /// The open mode of a file: as recorded, or, if unknown, as its later use requires.
    fn mode(&self, op: &PackedOp) -> (OpKind, OpenMode) {
        let handle = self.trace.handles[op.handle as usize];
        let bits = OpenBits(op.len);
        let aligned = self.setting.direct_align_log2.is_some_and(|align| handle.align_log2 >= align);
        let mut mode = OpenMode {
            write: bits.has(OpenBits::WRITE),
            write_only: bits.has(OpenBits::WRITE) && !bits.has(OpenBits::READ),
            append: bits.has(OpenBits::APPEND),
            exclusive: bits.has(OpenBits::EXCLUSIVE),
            keep: !bits.has(OpenBits::TRUNCATE),
            existing: op.kind == OpKind::Create && !bits.has(OpenBits::CREATE) && !handle.makes,
            direct: bits.has(OpenBits::DIRECT) && aligned,
            dsync: bits.has(OpenBits::DSYNC),
        };
        if handle.unknown {
            mode.write = handle.written;
            mode.write_only = handle.written && !handle.read;
            // In logs of early versions, an open that creates a file always truncates it.
            mode.keep = op.kind == OpKind::Open;
            mode.existing = false;
        }
        let kind = if handle.makes { OpKind::Create } else { op.kind };
        (kind, mode)
    }

    /// Opens a file that was open before the trace began.
    fn opening(&mut self, index: usize, now_ns: u64) -> Option<Op> {
        let opened = *self.trace.preopened.get(index)?;
        self.slots.take(opened, true)?;
        let op = self.beside(OpKind::Open, opened);
        self.in_flight += 1;
        // It is logged, but excluded from all figures, because it was not part of the recording.
        Some(Op { flags: OpFlags::WARMUP, ..self.asked(&op, now_ns, BEFORE) })
    }

    /// Closes a file that should not have been opened.
    fn closing(&mut self, now_ns: u64) -> Option<Op> {
        if self.closing.is_some() {
            return None;
        }
        let opened = self.to_close.pop()?;
        self.closing = Some(opened);
        self.in_flight += 1;
        self.outcomes.extra_closes += 1;
        let op = self.beside(OpKind::Close, opened);
        Some(Op { flags: OpFlags::WARMUP, ..self.asked(&op, now_ns, AFTER) })
    }

    /// An operation that is not in the trace.
    fn beside(&self, kind: OpKind, opened: u32) -> PackedOp {
        PackedOp {
            time_ns: 0,
            offset: 0,
            len: OpenBits::UNKNOWN.0,
            file: self.trace.handles[opened as usize].file,
            handle: opened,
            lane: 0,
            kind,
            marks: Marks::default(),
        }
    }

    /// Starts the clock after the first files are open.
    fn play(&mut self, now_ns: u64) {
        self.start_ns = self.start_ns.max(now_ns);
        self.stage = Stage::Playing;
        self.outcomes.begun_ns = self.start_ns;
        self.outcomes.ended_ns = self.start_ns;
        for chain in 0..self.chains.len() as u32 {
            self.arm(chain, self.start_ns, Delay::default());
        }
    }

    /// Resumes the chains that waited for an operation.
    fn wake(&mut self, op: u32, now_ns: u64, before: Delay) {
        let mut chain = self.awaited.remove(&op).unwrap_or(NO_LANE);
        while chain != NO_LANE {
            let beside = std::mem::replace(&mut self.chains[chain as usize].beside, NO_LANE);
            self.arm(chain, now_ns, before);
            chain = beside;
        }
    }

    /// Retries the chains that found no free handle.
    fn unpark(&mut self, now_ns: u64, before: Delay) {
        while let Some(chain) = self.parked.pop() {
            let op = self.chains[chain as usize].next;
            let parked = &mut self.chains[chain as usize];
            (parked.could_ns, parked.before) = (parked.could_ns.max(now_ns), before);
            let free_ns = parked.free_ns;
            let due_ns = self.due(&self.trace.ops[op as usize], free_ns);
            self.ready.push(Reverse((due_ns, op, chain)));
        }
    }

    /// The next step, once the files are open.
    fn play_on(&mut self, now_ns: u64) -> Step {
        if let Some(op) = self.closing(now_ns) {
            return Step::Do(op);
        }
        while let Some(&Reverse((due_ns, number, chain))) = self.ready.peek() {
            // With a single operation in flight no completion can come earlier, and the driver waits more
            // precisely.
            let near_ns = now_ns.saturating_add(self.setting.ahead_ns);
            if due_ns > near_ns && self.in_flight_most > 1 {
                return Step::Wait { until_ns: due_ns - self.setting.ahead_ns };
            }
            self.ready.pop();
            if let Some(op) = self.begin(due_ns, number, chain) {
                return Step::Do(op);
            }
        }
        if self.running == 0 && self.in_flight == 0 { Step::Finished } else { Step::Blocked }
    }

    fn trace_op_done(&mut self, chain: u32, done: &Done) {
        let number = self.chains[chain as usize].next;
        let op = self.trace.ops[number as usize];
        self.outcomes.take(&self.trace, number, done);
        match op.kind {
            OpKind::Open | OpKind::Create if done.errno != 0 => self.slots.give_back(op.handle),
            OpKind::Open | OpKind::Create if self.trace.recorded(number).errno != 0 => {
                self.to_close.push(op.handle);
            }
            OpKind::Close => self.slots.give_back(op.handle),
            _ => {}
        }
        let delay = self.chains[chain as usize].delay(done);
        self.outcomes.take_delay(&delay, done, self.setting.late_after_ns);
        self.mark_done(number);
        self.chains[chain as usize].could_ns = done.done_ns;
        self.recent.push(number, done.done_ns);
        if let Some(stream) = self.stream_done_ns.get_mut(self.trace.stream_of(op.lane) as usize) {
            *stream = Some(stream.unwrap_or(0).max(done.done_ns));
        }
        self.wake(number, done.done_ns, delay);
        self.unpark(done.done_ns, delay);
        self.chains[chain as usize].next = self.trace.next_of(number);
        self.arm(chain, done.done_ns, delay);
    }
}

const fn opens(kind: OpKind) -> bool {
    matches!(kind, OpKind::Open | OpKind::Create)
}

impl Script for ReplayScript {
    fn needs(&self) -> Needs {
        Needs {
            handles: slots::wanted(self.trace.handles.len(), self.trace.open_most),
            in_flight: self.in_flight_most,
            max_len: self.trace.max_len.max(1),
            writes: self.trace.writes,
        }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        match self.stage {
            Stage::Playing => return self.play_on(now_ns),
            Stage::New => self.resume(now_ns),
            Stage::Opening(_) => {}
        }
        if self.in_flight > 0 {
            return Step::Blocked;
        }
        let Stage::Opening(index) = self.stage else {
            return Step::Blocked;
        };
        self.stage = Stage::Opening(index + 1);
        if let Some(op) = self.opening(index, now_ns) {
            return Step::Do(op);
        }
        self.play(now_ns);
        self.play_on(now_ns)
    }

    fn done(&mut self, done: &Done) {
        if self.in_flight >= u32::from(self.in_flight_most) {
            self.place_free_ns = done.done_ns;
        }
        self.in_flight = self.in_flight.saturating_sub(1);
        match done.token {
            BEFORE => {
                if done.errno != 0
                    && let Stage::Opening(index) = self.stage
                    && let Some(&opened) = self.trace.preopened.get(index - 1)
                {
                    self.slots.give_back(opened);
                }
            }
            AFTER => {
                if let Some(opened) = self.closing.take() {
                    self.slots.give_back(opened);
                }
                self.unpark(done.done_ns, Delay::default());
            }
            chain => self.trace_op_done(chain, done),
        }
    }

    fn resume(&mut self, now_ns: u64) {
        if self.stage == Stage::New {
            self.start_ns = now_ns.saturating_add(self.setting.delay_ns);
            self.stage = Stage::Opening(0);
        }
    }
}
