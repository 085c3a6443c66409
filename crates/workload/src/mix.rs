//! The EBU access profile as a script: the behaviour of one meter client (EBU Tech 3362 §5.1, figs.
//! 13-16).
//!
//! A transfer: wait a random time, choose a file, open it, move a random length as blocks of one random
//! size, and close the file. The blocks are sequential from a random position, or each is at a random
//! position. Reads or writes, sequential or random, have exact probabilities.
//!
//! Deliberate differences from the original program:
//! * lengths and positions are multiples of a quantum, so direct I/O is always aligned;
//! * the remainder of a transfer is moved in smaller blocks (powers of two, largest first), as the paper
//!   describes it; the original program did not;
//! * a block longer than its transfer is also replaced by those smaller blocks.
//!
//! The `offset` of the open that begins a transfer is the block size drawn for it. The log has no other
//! record of the block size, since a transfer may be shorter than its block.
//!
//! Up to [`MixShape::in_flight`] blocks of a transfer are in flight at a time. Each block is due when
//! its place became free, so a response time has the same meaning as with one block at a time. The file
//! is opened before the first block, and synced or closed after the last.
//!
//! Not here: clocks, files and figures.

use reelgauge_record::{OpFlags, OpKind};

use crate::random::{Dice, Permutation};
use crate::script::{Done, Needs, Op, OpenMode, Script, Step};
use crate::units::Percent;

/// The pause after a failed operation, so that a dead target is not flooded with requests.
const PAUSE_AFTER_ERROR_NS: u64 = 10_000_000;

/// The lengths of transfers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Lengths {
    /// Every multiple of the quantum from one quantum to this many bytes, equally likely.
    UpTo(u64),
    /// One of these lengths in bytes, equally likely: frame sizes, for instance.
    Fixed(Vec<u64>),
}

/// When written data is made durable.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum SyncPolicy {
    /// Never; the kernel decides when to write back
    #[default]
    None,
    /// Once at the end of each write transfer
    Transfer,
    /// After each written block
    Block,
    /// With each write (O_DSYNC)
    Dsync,
}

/// All parameters for the random draws of one worker during a load point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MixShape {
    /// Lengths of transfers.
    pub lengths: Lengths,
    /// Block sizes in bytes, equally likely. Never empty.
    pub blocks_bytes: Vec<u32>,
    /// Every length and offset is a multiple of this.
    pub quantum_bytes: u32,
    /// Share of transfers that write.
    pub writes: Percent,
    /// Share of transfers with blocks at random positions.
    pub random: Percent,
    /// The maximum pause before each transfer; uniform from 0.
    pub max_delay_ns: u64,
    /// When written data is made durable.
    pub sync: SyncPolicy,
    /// Whether to bypass the client's cache.
    pub direct: bool,
    /// Blocks of a transfer that are in flight at a time; at least 1.
    pub in_flight: u16,
    /// Whether each writing transfer creates its file, or empties it first.
    pub create: bool,
}

/// A file that a worker may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MixFile {
    /// Index into the run's file table.
    pub file: u32,
    /// Its size; a multiple of the quantum.
    pub size_bytes: u64,
}

/// The share of one worker in a random order in which no block repeats.
#[derive(Clone, Copy, Debug)]
struct Walk {
    order: Permutation,
    next: u64,
    stride: u64,
    block_bytes: u32,
}

impl Walk {
    /// The next offset of this worker, each block of the file at most once.
    fn take(&mut self) -> Option<u64> {
        let block = self.order.at(self.next)?;
        self.next += self.stride;
        Some(block * u64::from(self.block_bytes))
    }

    fn is_exhausted(&self) -> bool {
        self.next >= self.order.len()
    }
}

#[derive(Clone, Debug)]
struct Space {
    file: MixFile,
    walk: Option<Walk>,
}

#[derive(Clone, Copy, Debug)]
struct Transfer {
    /// Index into the worker's spaces.
    space: usize,
    block_bytes: u32,
    remaining_bytes: u64,
    next_offset: u64,
    flags: OpFlags,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Between,
    Opening,
    Moving,
    SyncingBlock,
    SyncingEnd,
    Closing,
    Finished,
}

/// One meter client as a script. See the module.
#[derive(Clone, Debug)]
pub struct MixScript {
    worker: u32,
    shape: MixShape,
    spaces: Vec<Space>,
    dice: Dice,
    phase: Phase,
    in_flight: u16,
    /// For each free place for a block, when it became free.
    free_since_ns: Vec<u64>,
    /// A block of the transfer failed. No further block is issued.
    failed: bool,
    transfer: Transfer,
    transfers_begun: u32,
    due_ns: u64,
}

impl MixScript {
    /// A worker that reads and writes these files.
    pub fn new(worker: u32, seed: u64, shape: MixShape, files: &[MixFile]) -> MixScript {
        MixScript {
            worker,
            shape,
            spaces: files.iter().map(|&file| Space { file, walk: None }).collect(),
            dice: Dice::new(seed, worker),
            phase: Phase::Between,
            in_flight: 0,
            free_since_ns: Vec::new(),
            failed: false,
            transfer: Transfer {
                space: 0,
                block_bytes: 0,
                remaining_bytes: 0,
                next_offset: 0,
                flags: OpFlags::NONE,
            },
            transfers_begun: 0,
            due_ns: 0,
        }
    }

    /// Makes it visit every block once, in random order, and then finish. Earlier visits do not count.
    /// `sharers` workers divide the files among them, and this worker takes the blocks of `share` (below
    /// `sharers`). The shape must have a single block size and be entirely random.
    pub fn visit_all(&mut self, seed: u64, share: u32, sharers: u32) {
        if self.phase == Phase::Finished {
            self.phase = Phase::Between;
        }
        let block_bytes = self.shape.blocks_bytes.first().copied().unwrap_or(4096);
        for space in &mut self.spaces {
            let blocks = space.file.size_bytes / u64::from(block_bytes);
            let key = seed ^ (u64::from(space.file.file) << 32);
            space.walk = Some(Walk {
                order: Permutation::new(blocks, key),
                next: u64::from(share),
                stride: u64::from(sharers.max(1)),
                block_bytes,
            });
        }
    }

    /// Sets other parameters from the next transfer on (the next value of a sweep).
    pub fn reshape(&mut self, shape: MixShape) {
        self.shape = shape;
    }

    /// Draws the next transfer; `false` if there is nothing left to visit.
    fn begin_transfer(&mut self) -> bool {
        let Some(space) = self.pick_space() else {
            return false;
        };
        let file = self.spaces[space].file;
        let quantum = u64::from(self.shape.quantum_bytes);
        let drawn_bytes = match &self.shape.lengths {
            Lengths::UpTo(max_bytes) => quantum * (1 + self.dice.below(max_bytes / quantum)),
            Lengths::Fixed(lengths) => self.dice.pick(lengths).copied().unwrap_or(quantum),
        };
        let length_bytes = drawn_bytes.min(file.size_bytes);
        let writing = self.dice.chance(self.shape.writes);
        let random = self.dice.chance(self.shape.random);
        let block_bytes = self.dice.pick(&self.shape.blocks_bytes).copied().unwrap_or(4096);
        let places = (file.size_bytes - length_bytes) / quantum + 1;
        let start = quantum * self.dice.below(places);
        self.transfer = Transfer {
            space,
            block_bytes,
            remaining_bytes: length_bytes,
            next_offset: start,
            flags: OpFlags::NONE.with_if(OpFlags::WRITING, writing).with_if(OpFlags::RANDOM, random),
        };
        if self.shape.max_delay_ns > 0 {
            self.due_ns += self.dice.below(self.shape.max_delay_ns + 1);
        }
        self.transfers_begun += 1;
        self.failed = false;
        self.phase = Phase::Opening;
        true
    }

    /// A file, each equally likely among those that still have blocks to visit.
    fn pick_space(&mut self) -> Option<usize> {
        let open = |space: &Space| space.walk.is_none_or(|walk| !walk.is_exhausted());
        let left = self.spaces.iter().filter(|space| open(space)).count() as u64;
        if left == 0 {
            return None;
        }
        let nth = self.dice.below(left) as usize;
        let mut open_spaces = self.spaces.iter().enumerate().filter(|(_, space)| open(space));
        open_spaces.nth(nth).map(|(index, _)| index)
    }

    /// The next read or write of the transfer; `None` if the walk has no block left.
    fn next_block(&mut self) -> Option<Op> {
        let len = next_len(&self.transfer, self.shape.quantum_bytes);
        let space = &mut self.spaces[self.transfer.space];
        let offset = if let Some(walk) = &mut space.walk {
            walk.take()?
        } else if self.transfer.flags.has(OpFlags::RANDOM) {
            let quantum = u64::from(self.shape.quantum_bytes);
            let places = (space.file.size_bytes - u64::from(len)) / quantum + 1;
            quantum * self.dice.below(places)
        } else {
            let offset = self.transfer.next_offset;
            self.transfer.next_offset += u64::from(len);
            offset
        };
        self.transfer.remaining_bytes -= u64::from(len);
        let writing = self.transfer.flags.has(OpFlags::WRITING);
        let kind = if writing { OpKind::Write } else { OpKind::Read };
        Some(self.op(kind, offset, len))
    }

    /// The next block if it may be issued now. `None` if none is left and none is in flight.
    fn next_moving(&mut self) -> Option<Step> {
        let may_issue = !self.failed && self.transfer.remaining_bytes > 0;
        if let Some(due_ns) = self.free_since_ns.pop_if(|_| may_issue) {
            if let Some(op) = self.next_block() {
                self.in_flight += 1;
                return Some(Step::Do(Op { due_ns, ..op }));
            }
            // The walk has no block left, so the transfer ends before its drawn length.
            self.transfer.remaining_bytes = 0;
        }
        (self.in_flight > 0).then_some(Step::Blocked)
    }

    fn block_done(&mut self, done: &Done) {
        self.due_ns = done.done_ns;
        self.failed |= done.errno != 0;
        self.free_since_ns.push(done.done_ns);
        if self.in_flight > 0 {
            return;
        }
        if self.failed {
            self.due_ns += PAUSE_AFTER_ERROR_NS;
            self.phase = Phase::Closing;
        } else {
            self.phase = self.after();
        }
    }

    fn creates(&self) -> bool {
        self.shape.create && self.transfer.flags.has(OpFlags::WRITING)
    }

    /// Makes all places for blocks free.
    fn free_places(&mut self) {
        self.free_since_ns.clear();
        self.free_since_ns.resize(usize::from(self.shape.in_flight.max(1)), self.due_ns);
    }

    fn op(&self, kind: OpKind, offset: u64, len: u32) -> Op {
        let writing = self.transfer.flags.has(OpFlags::WRITING);
        Op {
            kind,
            handle: 0,
            file: self.spaces[self.transfer.space].file.file,
            offset,
            len,
            due_ns: self.due_ns,
            transfer: self.transfers_begun - 1,
            stream: self.worker,
            flags: self.transfer.flags.with_if(OpFlags::LAST, kind == OpKind::Close),
            open: OpenMode {
                write: writing,
                direct: self.shape.direct,
                dsync: writing && self.shape.sync == SyncPolicy::Dsync,
                ..OpenMode::default()
            },
            token: 0,
        }
    }

    /// The phase after an operation that succeeded.
    fn after(&self) -> Phase {
        let more = self.transfer.remaining_bytes > 0;
        let writing = self.transfer.flags.has(OpFlags::WRITING);
        let end = match self.shape.sync {
            SyncPolicy::Transfer if writing => Phase::SyncingEnd,
            _ => Phase::Closing,
        };
        match self.phase {
            Phase::Opening => Phase::Moving,
            Phase::Moving if writing && self.shape.sync == SyncPolicy::Block => Phase::SyncingBlock,
            Phase::Moving | Phase::SyncingBlock if more => Phase::Moving,
            Phase::Moving => end,
            Phase::SyncingBlock | Phase::SyncingEnd => Phase::Closing,
            Phase::Closing | Phase::Between => Phase::Between,
            Phase::Finished => Phase::Finished,
        }
    }
}

/// The length of the next block: the drawn size, or for the remainder the largest power of two that
/// fits. The remainder is a multiple of the quantum, so every length is one, too.
fn next_len(transfer: &Transfer, quantum_bytes: u32) -> u32 {
    if transfer.remaining_bytes >= u64::from(transfer.block_bytes) {
        return transfer.block_bytes;
    }
    // Below a block size, hence below 2^32.
    let remaining = transfer.remaining_bytes as u32;
    let power = 1_u32 << remaining.ilog2();
    if power < quantum_bytes { remaining } else { power }
}

impl Script for MixScript {
    fn needs(&self) -> Needs {
        Needs {
            handles: 1,
            in_flight: self.shape.in_flight.max(1),
            max_len: self.shape.blocks_bytes.iter().copied().max().unwrap_or(0),
            writes: self.shape.writes.ppm() > 0,
        }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        if self.phase == Phase::Moving {
            if let Some(step) = self.next_moving() {
                return step;
            }
            self.phase = Phase::Closing;
        }
        if self.in_flight > 0 {
            return Step::Blocked;
        }
        if self.phase == Phase::Between && !self.begin_transfer() {
            self.phase = Phase::Finished;
        }
        let kind = match self.phase {
            Phase::Opening if self.creates() => OpKind::Create,
            Phase::Opening => OpKind::Open,
            Phase::SyncingBlock | Phase::SyncingEnd => OpKind::Sync,
            Phase::Closing => OpKind::Close,
            Phase::Between | Phase::Moving | Phase::Finished => return Step::Finished,
        };
        self.in_flight = 1;
        let drawn = if matches!(kind, OpKind::Open | OpKind::Create) { self.transfer.block_bytes } else { 0 };
        Step::Do(self.op(kind, u64::from(drawn), 0))
    }

    fn done(&mut self, done: &Done) {
        self.in_flight = self.in_flight.saturating_sub(1);
        if self.phase == Phase::Moving {
            return self.block_done(done);
        }
        self.due_ns = done.done_ns;
        if done.errno == 0 {
            self.phase = self.after();
            if self.phase == Phase::Moving {
                self.free_places();
            }
        } else {
            self.due_ns += PAUSE_AFTER_ERROR_NS;
            self.phase = match self.phase {
                Phase::Opening | Phase::Closing | Phase::Between => Phase::Between,
                Phase::Finished => Phase::Finished,
                Phase::Moving | Phase::SyncingBlock | Phase::SyncingEnd => Phase::Closing,
            };
        }
    }

    fn resume(&mut self, now_ns: u64) {
        self.in_flight = 0;
        self.due_ns = now_ns;
        if self.phase != Phase::Finished {
            self.phase = Phase::Between;
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn shape() -> MixShape {
        MixShape {
            lengths: Lengths::UpTo(10 << 20),
            blocks_bytes: (12..=20).map(|bits| 1 << bits).collect(),
            quantum_bytes: 4096,
            writes: Percent::whole(50),
            random: Percent::whole(10),
            max_delay_ns: 0,
            sync: SyncPolicy::None,
            direct: true,
            in_flight: 1,
            create: false,
        }
    }

    const FILE: MixFile = MixFile { file: 7, size_bytes: 64 << 20 };

    /// Runs a script against a store that takes 1 µs for everything.
    fn ops_of(script: &mut MixScript, count: usize) -> Vec<Op> {
        let mut ops = Vec::new();
        let mut now_ns = 0;
        while ops.len() < count {
            match script.next(now_ns) {
                Step::Do(op) => {
                    assert_eq!(script.next(now_ns), Step::Blocked);
                    let issued_ns = op.due_ns.max(now_ns);
                    now_ns = issued_ns + 1000;
                    let (token, done_len) = (op.token, op.len);
                    let due_ns = op.due_ns;
                    let done = Done { token, due_ns, issued_ns, done_ns: now_ns, done_len, errno: 0 };
                    script.done(&done);
                    ops.push(op);
                }
                Step::Finished => break,
                other => panic!("unexpected {other:?}"),
            }
        }
        ops
    }

    fn transfers(ops: &[Op]) -> Vec<Vec<Op>> {
        ops.split_inclusive(|op| op.kind == OpKind::Close)
            .filter(|ops| ops.last().unwrap().kind == OpKind::Close)
            .map(<[Op]>::to_vec)
            .collect()
    }

    #[test]
    fn mix_matches_the_requested_shares() {
        let mut script = MixScript::new(0, 1, shape(), &[FILE]);
        let all = transfers(&ops_of(&mut script, 1_200_000));
        let count = all.len() as f64;
        let within = |hits: usize, share: f64| {
            let deviation = (count * share * (1.0 - share)).sqrt();
            (hits as f64 - count * share).abs() < 5.0 * deviation
        };
        let flagged = |flag| all.iter().filter(|ops| ops[0].flags.has(flag)).count();
        assert!(count > 3000.0);
        assert!(within(flagged(OpFlags::WRITING), 0.5));
        assert!(within(flagged(OpFlags::RANDOM), 0.1));
        // "RANDOM (10 MB)" averages 5 MiB, not the original's 4.25 MiB: the mean of q..=max.
        let bytes: u64 = all.iter().flatten().map(|op| u64::from(op.len)).sum();
        let (mean, expected) = (bytes as f64 / count, f64::from((10_u32 << 20) + 4096) / 2.0);
        let deviation = f64::from(10 << 20) / 12_f64.sqrt() / count.sqrt();
        assert!((mean - expected).abs() < 5.0 * deviation, "{mean}");
    }

    #[test]
    fn a_transfer_is_open_blocks_remainder_close() {
        let mut script = MixScript::new(
            0,
            5,
            MixShape {
                lengths: Lengths::Fixed(vec![1_250_304]),
                quantum_bytes: 512,
                blocks_bytes: vec![1 << 20],
                random: Percent::whole(0),
                writes: Percent::whole(0),
                ..shape()
            },
            &[FILE],
        );
        let first = &transfers(&ops_of(&mut script, 20))[0];
        let lens: Vec<u32> = first.iter().map(|op| op.len).collect();
        // 1,250,304 = 1 MiB + 201,728, and 201,728 = 128 + 64 + 4 + 1 KiB.
        assert_eq!(lens, [0, 1 << 20, 128 << 10, 64 << 10, 4 << 10, 1 << 10, 0]);
        assert_eq!((first[0].kind, first[0].offset), (OpKind::Open, 1 << 20));
        assert!(first.windows(2).all(|pair| pair[1].kind == OpKind::Close
            || pair[0].kind == OpKind::Open
            || pair[1].offset == pair[0].offset + u64::from(pair[0].len)));
        assert!(first.last().unwrap().flags.has(OpFlags::LAST));
    }

    #[test]
    fn short_transfers_show_the_drawn_block() {
        let shape = MixShape { lengths: Lengths::Fixed(vec![4096]), blocks_bytes: vec![1 << 20], ..shape() };
        let mut script = MixScript::new(0, 5, shape, &[FILE]);
        let first = &transfers(&ops_of(&mut script, 20))[0];
        assert_eq!(first[0].offset, 1 << 20);
        assert_eq!((first[1].len, first.len()), (4096, 3));
        assert_eq!(first[2].offset, 0);
    }

    /// Runs a script against a store that takes 1 µs for every operation, however many are in flight,
    /// and that fails the data operation with number `fails`. Returns the operations with their issue
    /// times, in that order.
    fn ops_at_depth(script: &mut MixScript, count: usize, fails: Option<usize>) -> Vec<(Op, u64)> {
        let (mut ops, mut flying, mut now_ns) = (Vec::new(), std::collections::VecDeque::new(), 0);
        while ops.len() < count {
            match script.next(now_ns) {
                Step::Do(op) => {
                    let issued_ns = op.due_ns.max(now_ns);
                    let errno = if Some(ops.len()) == fails { 5 } else { 0 };
                    flying.push_back((op, issued_ns, errno));
                    ops.push((op, issued_ns));
                }
                Step::Blocked => {
                    let (op, issued_ns, errno): (Op, u64, i32) = flying.pop_front().unwrap();
                    now_ns = now_ns.max(issued_ns + 1000);
                    let (token, due_ns, done_len) = (op.token, op.due_ns, op.len);
                    script.done(&Done { token, due_ns, issued_ns, done_ns: now_ns, done_len, errno });
                }
                other => panic!("unexpected {other:?}"),
            }
        }
        ops
    }

    #[test]
    fn blocks_are_in_flight_up_to_the_depth_and_each_is_due_when_its_place_became_free() {
        let shape = MixShape {
            lengths: Lengths::Fixed(vec![10 * 4096]),
            blocks_bytes: vec![4096],
            sync: SyncPolicy::Transfer,
            writes: Percent::whole(100),
            in_flight: 4,
            ..shape()
        };
        let mut script = MixScript::new(0, 5, shape, &[FILE]);
        assert_eq!(script.needs().in_flight, 4);
        let ops = ops_at_depth(&mut script, 13, None);
        // Opened at 0, done at 1 µs; ten blocks, four at a time: issued at 1, 2 and 3 µs, done at 4.
        let due: Vec<u64> = ops.iter().map(|(op, _)| op.due_ns / 1000).collect();
        assert_eq!(due, [0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 4, 5]);
        assert!(ops.iter().all(|(op, issued_ns)| op.due_ns == *issued_ns));
        assert_eq!(
            [ops[0].0.kind, ops[11].0.kind, ops[12].0.kind],
            [OpKind::Open, OpKind::Sync, OpKind::Close]
        );
        // The next transfer begins only after this.
        assert!(ops[..12].iter().all(|(op, _)| op.transfer == 0 && !op.flags.has(OpFlags::LAST)));
    }

    #[test]
    fn a_block_that_fails_among_others_ends_the_transfer_once_all_have_landed() {
        let shape = MixShape {
            lengths: Lengths::Fixed(vec![100 * 4096]),
            blocks_bytes: vec![4096],
            in_flight: 4,
            ..shape()
        };
        let mut script = MixScript::new(0, 5, shape, &[FILE]);
        let ops = ops_at_depth(&mut script, 7, Some(2));
        // The open, and four blocks of which the second fails. The first made room for one more.
        let is_data: Vec<bool> = ops.iter().map(|(op, _)| op.kind.moves_data()).collect();
        assert_eq!(is_data, [false, true, true, true, true, true, false]);
        let close = ops[6].0;
        assert_eq!(close.kind, OpKind::Close);
        assert_eq!(close.due_ns, 3000 + PAUSE_AFTER_ERROR_NS);
    }

    #[test]
    fn every_block_is_visited_once_at_any_depth() {
        let files = [MixFile { file: 0, size_bytes: 4096 * 333 }];
        let shape = MixShape { in_flight: 7, ..no_repeat_shape() };
        let mut script = MixScript::new(0, 11, shape, &files);
        script.visit_all(11, 0, 1);
        let (mut seen, mut flying) = (std::collections::HashMap::new(), Vec::new());
        loop {
            match script.next(0) {
                Step::Do(op) => flying.push(op),
                Step::Finished => break,
                _ => {
                    let Op { token, due_ns, len: done_len, .. } = flying.remove(0);
                    script.done(&Done { token, due_ns, issued_ns: 0, done_ns: 1, done_len, errno: 0 });
                    continue;
                }
            }
            if let Some(op) = flying.last().filter(|op| op.kind.moves_data()) {
                *seen.entry(op.offset).or_insert(0) += 1;
            }
        }
        assert!(seen.len() == 333 && seen.values().all(|&times| times == 1) && flying.is_empty());
    }

    #[test]
    fn a_transfer_that_creates_writes_its_whole_file_from_the_beginning() {
        let shape = MixShape {
            lengths: Lengths::Fixed(vec![FILE.size_bytes]),
            blocks_bytes: vec![32 << 20],
            writes: Percent::whole(100),
            random: Percent::whole(0),
            create: true,
            ..shape()
        };
        let ops = ops_of(&mut MixScript::new(0, 5, shape, &[FILE]), 5);
        let kinds: Vec<OpKind> = ops.iter().map(|op| op.kind).collect();
        assert_eq!(kinds, [OpKind::Create, OpKind::Write, OpKind::Write, OpKind::Close, OpKind::Create]);
        assert_eq!((ops[0].offset, ops[1].offset, ops[2].offset), (32 << 20, 0, 32 << 20));
    }

    #[test]
    fn sync_policies_sync_at_their_points() {
        let kinds = |sync| {
            let shape = MixShape {
                sync,
                writes: Percent::whole(100),
                lengths: Lengths::Fixed(vec![3 << 20]),
                blocks_bytes: vec![1 << 20],
                ..shape()
            };
            let mut script = MixScript::new(0, 5, shape, &[FILE]);
            let first = transfers(&ops_of(&mut script, 20)).remove(0);
            assert_eq!(first[0].open.dsync, sync == SyncPolicy::Dsync);
            first.iter().map(|op| op.kind.name().chars().next().unwrap()).collect::<String>()
        };
        assert_eq!(kinds(SyncPolicy::None), "owwwc");
        assert_eq!(kinds(SyncPolicy::Dsync), "owwwc");
        assert_eq!(kinds(SyncPolicy::Transfer), "owwwsc");
        assert_eq!(kinds(SyncPolicy::Block), "owswswsc");
    }

    #[test]
    fn delays_are_uniform_up_to_the_maximum() {
        let shape = MixShape {
            max_delay_ns: 1_000_000,
            lengths: Lengths::Fixed(vec![4096]),
            blocks_bytes: vec![4096],
            ..shape()
        };
        let ops = ops_of(&mut MixScript::new(0, 9, shape, &[FILE]), 30_000);
        // Every operation takes 1 µs and is due when the previous one is done, except for the delay.
        let delays: Vec<u64> = ops
            .windows(2)
            .filter(|pair| pair[1].kind == OpKind::Open)
            .map(|pair| pair[1].due_ns - pair[0].due_ns - 1000)
            .collect();
        let mean = delays.iter().sum::<u64>() as f64 / delays.len() as f64;
        assert!(delays.iter().all(|&delay| delay <= 1_000_000));
        assert!((mean - 500_000.0).abs() < 5.0 * 288_675.0 / (delays.len() as f64).sqrt(), "{mean}");
    }

    #[test]
    fn errors_close_the_file_and_pause() {
        let mut script = MixScript::new(0, 1, shape(), &[FILE]);
        let fail = |script: &mut MixScript, now| {
            let Step::Do(op) = script.next(now) else { panic!("no step") };
            let Op { due_ns, .. } = op;
            let (issued_ns, done_ns) = (due_ns, due_ns);
            script.done(&Done { token: 0, due_ns, issued_ns, done_ns, done_len: 0, errno: 5 });
            op
        };
        assert_eq!(fail(&mut script, 0).kind, OpKind::Open);
        assert_eq!(ops_of(&mut script, 1)[0].kind, OpKind::Open);
        assert!(fail(&mut script, 0).kind.moves_data());
        let close = fail(&mut script, 0);
        assert_eq!(close.kind, OpKind::Close);
        let Step::Do(next) = script.next(0) else { panic!("no step") };
        assert_eq!(next.due_ns, close.due_ns + PAUSE_AFTER_ERROR_NS);
    }

    fn no_repeat_shape() -> MixShape {
        MixShape {
            lengths: Lengths::UpTo(256 << 10),
            blocks_bytes: vec![4096],
            random: Percent::whole(100),
            ..shape()
        }
    }

    #[test]
    fn sharers_visit_every_block_exactly_once() {
        let files = [MixFile { file: 0, size_bytes: 4096 * 333 }, MixFile { file: 1, size_bytes: 4096 * 77 }];
        let mut seen = std::collections::HashMap::new();
        for share in 0..3 {
            let mut script = MixScript::new(share, 11, no_repeat_shape(), &files);
            script.visit_all(11, share, 3);
            for op in ops_of(&mut script, usize::MAX).iter().filter(|op| op.kind.moves_data()) {
                assert_eq!(op.len, 4096);
                *seen.entry((op.file, op.offset)).or_insert(0) += 1;
            }
        }
        assert_eq!(seen.len(), 333 + 77);
        assert!(seen.values().all(|&times| times == 1));
    }

    #[test]
    fn restart_marks_all_blocks_unvisited() {
        let file = MixFile { file: 0, size_bytes: 4096 * 100 };
        let mut script = MixScript::new(0, 11, no_repeat_shape(), &[file]);
        let visit = |script: &mut MixScript, share, sharers| {
            script.visit_all(11, share, sharers);
            script.resume(0);
            let ops = ops_of(script, usize::MAX);
            let moved = ops.into_iter().filter(|op| op.kind.moves_data());
            moved.map(|op| op.offset).collect::<std::collections::BTreeSet<_>>()
        };
        assert_eq!(visit(&mut script, 0, 1).len(), 100);
        assert_eq!(visit(&mut script, 0, 1).len(), 100);
        // From now on the file is shared with another worker.
        assert_eq!(visit(&mut script, 1, 2).len(), 50);
    }

    proptest! {
        #[test]
        fn accesses_are_aligned_and_inside_the_file(
            seed in any::<u64>(), quantum_bits in 9_u32..=12, max_quanta in 1_u64..4000,
            blocks in prop::collection::vec(1_u32..2000, 1..6), file_quanta in 1_u64..100_000,
            random in 0_u32..=100,
        ) {
            let quantum_bytes = 1 << quantum_bits;
            let size_bytes = file_quanta * u64::from(quantum_bytes);
            let shape = MixShape {
                lengths: Lengths::UpTo(max_quanta * u64::from(quantum_bytes)),
                blocks_bytes: blocks.iter().map(|b| b * quantum_bytes).collect(),
                quantum_bytes,
                random: Percent::whole(random),
                ..shape()
            };
            let mut script = MixScript::new(0, seed, shape, &[MixFile { file: 0, size_bytes }]);
            for op in ops_of(&mut script, 500).iter().filter(|op| op.kind.moves_data()) {
                prop_assert!(op.len > 0 && op.len.is_multiple_of(quantum_bytes));
                prop_assert!(op.offset.is_multiple_of(u64::from(quantum_bytes)));
                prop_assert!(op.offset + u64::from(op.len) <= size_bytes);
            }
        }

        #[test]
        fn the_same_seed_gives_the_same_operations(seed in any::<u64>(), worker in 0_u32..50) {
            let run = |worker| ops_of(&mut MixScript::new(worker, seed, shape(), &[FILE]), 300);
            prop_assert_eq!(run(worker), run(worker));
            prop_assert_ne!(run(worker), run(worker + 1));
        }
    }
}
