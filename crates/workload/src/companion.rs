//! The companion of the VDA-like workload (its component VDA2): the applications that read the stored
//! data while a camera writes.
//!
//! On the wire: one transfer per second, drawn from the published mix: reads at random positions (84 %),
//! sequential reads (5 %), directory listings (3 %), read-modify-writes at random positions (2 %), stat
//! (2 %), access (2 %), created files (1 %) and removed empty files (1 %). Reads have the published
//! sizes and go through the client's cache. Each file is opened once and stays open, for reading and
//! writing. That open is part of the first transfer that needs it.
//!
//! Details that the definition does not specify, and the choice made here:
//! * Every file is equally likely. Random positions are uniform over all bytes, without alignment (the
//!   published alignment is 0). Sequential reads continue per file, and start over at the beginning of
//!   the file if the next one would not fit.
//! * A read-modify-write has a size from the read table and writes back to the same position.
//! * Files are created and removed in a pool of empty files. If all files exist, a create removes one
//!   first, within its transfer. If none exists, an unlink creates one first. So both operations always
//!   happen, and the mix is met exactly. A companion receives the state of the pool at the beginning,
//!   and returns it at the end ([`Companion::scratch_files`]): a load point begins with the state after
//!   the previous one.
//!
//! Open loop, like [`crate::camera`]. Not here: the decision that a rate is too low (the analysis crate).

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::FramePlace;
use crate::media::Media;
use crate::pace::OpRate;
use crate::parts::{Hand, Process};
use crate::random::Dice;
use crate::script::{Done, Needs, Op, Script, Step};
use crate::streams::actor::{Actor, ActorFacts, ActorScript, Instance, InstanceNeeds, Outline, ScratchFile};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::vda_table::{
    COMPANION_MIX, COMPANION_OPS_PER_S, CompanionOp, MAX_LEN, READ_SIZES, VdaLoad, draw, mean_bytes,
};

pub(crate) const FACTS: ActorFacts = ActorFacts {
    is_offered: false,
    ..ActorFacts::of("companion", "reads alongside a surveillance camera (VDA-like)")
};

/// Number of empty files in a companion's folder at the start.
const EMPTY_FILES: u32 = 20;
/// Number of file names that it may use there.
const EMPTY_FILE_NAMES: u32 = 40;

settings! {
    /// Companions of a plan.
    pub struct CompanionPlan {
        ..load: VdaLoad,
    }
}

impl Actor for CompanionPlan {
    fn check(&self, check: &Check) -> Checked {
        self.load.check(check)
    }

    fn outline(&self, _media: Option<&Media>) -> Outline<'_> {
        let files = InstanceNeeds::files(self.load.files, self.load.file_size).making(EMPTY_FILE_NAMES);
        let shares = COMPANION_MIX.iter().filter(|(_, op)| *op == CompanionOp::ReadModifyWrite);
        let share = shares.map(|&(percent, _)| f64::from(percent) / 100.0).sum::<f64>();
        Outline {
            ops_per_s: Some(self.load.rate(COMPANION_OPS_PER_S)),
            needs: InstanceNeeds { empty_files: EMPTY_FILES, ..files },
            written_bytes_per_s: Some(self.load.rate(COMPANION_OPS_PER_S) * share * mean_bytes(READ_SIZES)),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let shape = CompanionShape {
            files: instance.files.prepared.clone(),
            file_bytes: self.load.file_size.bytes(),
            ops_per_s: self.load.rate(COMPANION_OPS_PER_S),
            scratch_dir: instance.files.folder?,
            scratch_files: instance.files.stock.clone(),
            seed: instance.seed,
            start_after_ns: instance.start_after_ns,
        };
        Some(Box::new(Companion::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Companion {
    fn stock(&self) -> Option<&[ScratchFile]> {
        Some(self.scratch_files())
    }
}

/// The files and the settings of a companion.
#[derive(Clone, Debug, PartialEq)]
pub struct CompanionShape {
    /// Its files, as indexes into the run's file table; at least one.
    pub files: Vec<u32>,
    /// The size of each.
    pub file_bytes: u64,
    /// Transfers per second; 1 by the definition.
    pub ops_per_s: f64,
    /// The directory that it lists.
    pub scratch_dir: u32,
    /// The state of the pool of empty files when the companion begins; at least one.
    pub scratch_files: Vec<ScratchFile>,
    /// The seed of its random draws.
    pub seed: u64,
    /// Delay of its start after the start of the load point, in addition to its phase.
    pub start_after_ns: u64,
}

/// The pool of files that are created and removed.
#[derive(Clone, Debug)]
struct Stock {
    files: Vec<ScratchFile>,
    /// The index of the current file.
    at: usize,
}

impl Stock {
    /// Advances to the next file that exists (`is_there`) or is missing. If there is none, returns
    /// `false` and advances to the next file anyway.
    fn seek(&mut self, is_there: bool) -> bool {
        let count = self.files.len();
        let mut others = (1..=count).map(|step| (self.at + step) % count);
        let found = others.find(|&index| self.files[index].is_there == is_there);
        self.at = found.unwrap_or((self.at + 1) % count);
        found.is_some()
    }

    fn current(&mut self) -> &mut ScratchFile {
        &mut self.files[self.at]
    }
}

/// A companion as a script. See the module.
#[derive(Clone, Debug)]
pub struct Companion {
    stream: u32,
    shape: CompanionShape,
    dice: Dice,
    phase_ns: u64,
    process: Process,
    is_open: Vec<bool>,
    /// The position of the next sequential read, by file.
    positions: Vec<u64>,
    stock: Stock,
    /// Index into the files, and the position of the current transfer.
    current: usize,
    place: FramePlace,
    flags: OpFlags,
}

impl Companion {
    /// A companion that has not started.
    pub fn new(first_stream: u32, shape: CompanionShape) -> Companion {
        let rate = OpRate::new(shape.ops_per_s);
        let mut dice = Dice::new(shape.seed, first_stream);
        Companion {
            stream: first_stream,
            phase_ns: dice.below(rate.due_ns(1)),
            dice,
            process: Process::new(rate),
            is_open: vec![false; shape.files.len()],
            positions: vec![0; shape.files.len()],
            stock: Stock { files: shape.scratch_files.clone(), at: 0 },
            current: 0,
            place: FramePlace { file: 0, offset: 0, len: 0 },
            flags: OpFlags::NONE,
            shape,
        }
    }

    /// The current state of the pool, for the next companion with these files.
    pub fn scratch_files(&self) -> &[ScratchFile] {
        &self.stock.files
    }

    fn longest(&self) -> u32 {
        u64::from(MAX_LEN).min(self.shape.file_bytes) as u32
    }

    /// Draws the next transfer.
    fn begin(&mut self) {
        let op = draw(&mut self.dice, COMPANION_MIX);
        self.current = self.dice.below(self.shape.files.len() as u64) as usize;
        self.place = FramePlace { file: self.shape.files[self.current], offset: 0, len: 0 };
        self.flags = OpFlags::NONE;
        let is_open = self.is_open[self.current];
        let kinds: &'static [OpKind] = match op {
            CompanionOp::ReadDir => &[OpKind::ReadDir],
            CompanionOp::Stat => &[OpKind::Stat],
            CompanionOp::Access => &[OpKind::Access],
            CompanionOp::Create if self.stock.seek(false) => &[OpKind::Create, OpKind::Close],
            CompanionOp::Create => &[OpKind::Unlink, OpKind::Create, OpKind::Close],
            CompanionOp::Unlink if self.stock.seek(true) => &[OpKind::Unlink],
            CompanionOp::Unlink => &[OpKind::Create, OpKind::Close, OpKind::Unlink],
            CompanionOp::RandomRead | CompanionOp::SequentialRead => {
                self.draw_place(op);
                if is_open { &[OpKind::Read] } else { &[OpKind::Open, OpKind::Read] }
            }
            CompanionOp::ReadModifyWrite => {
                self.draw_place(op);
                let open_first: &'static [OpKind] = &[OpKind::Open, OpKind::Read, OpKind::Write];
                if is_open { &open_first[1..] } else { open_first }
            }
        };
        self.process.begin(kinds);
    }

    /// Draws the size and, except for sequential reads, the position of a transfer that moves data.
    fn draw_place(&mut self, op: CompanionOp) {
        let len = draw(&mut self.dice, READ_SIZES).min(self.longest());
        let last_start = self.shape.file_bytes - u64::from(len);
        let offset = if op == CompanionOp::SequentialRead {
            let position = &mut self.positions[self.current];
            let offset = if *position <= last_start { *position } else { 0 };
            *position = offset + u64::from(len);
            offset
        } else {
            self.flags = OpFlags::RANDOM;
            self.dice.below(last_start + 1)
        };
        self.flags = self.flags.with_if(OpFlags::WRITING, op == CompanionOp::ReadModifyWrite);
        self.place = FramePlace { offset, len, ..self.place };
    }

    fn op(&self, kind: OpKind) -> Op {
        let on_files = Hand::writing(self.stream, self.current as u16, false);
        let on_scratch = Hand::writing(self.stream, self.shape.files.len() as u16, false);
        let (number, due_ns) = (self.process.number(), self.process.due_ns());
        let op = match kind {
            OpKind::Create | OpKind::Close | OpKind::Unlink => {
                on_scratch.op(kind, self.stock.files[self.stock.at].file, number, due_ns)
            }
            OpKind::ReadDir => on_scratch.op(kind, self.shape.scratch_dir, number, due_ns),
            OpKind::Read | OpKind::Write => on_files.block(kind, self.place, number, due_ns),
            // Open, sync, stat and access: the table has no other kinds.
            _ => on_files.op(kind, self.place.file, number, due_ns),
        };
        Op { flags: self.flags.with(self.process.last()), ..op }
    }
}

impl Script for Companion {
    fn needs(&self) -> Needs {
        // One additional handle for the file that is being created.
        let handles = self.shape.files.len() as u16 + 1;
        Needs { handles, in_flight: 1, max_len: self.longest(), writes: true }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        if self.shape.files.is_empty() || self.stock.files.is_empty() {
            return Step::Finished;
        }
        if self.process.is_in_flight {
            return Step::Blocked;
        }
        if self.process.kind().is_none() {
            self.begin();
        }
        let Some(kind) = self.process.kind() else { return Step::Finished };
        self.process.is_in_flight = true;
        Step::Do(self.op(kind))
    }

    fn done(&mut self, done: &Done) {
        match self.process.kind() {
            Some(OpKind::Open) => self.is_open[self.current] = done.errno == 0,
            Some(OpKind::Create) => self.stock.current().is_there = done.errno == 0,
            // A file that could not be removed counts as missing. The next create finds it anyway.
            Some(OpKind::Unlink) => self.stock.current().is_there = false,
            _ => {}
        }
        self.process.done(done);
    }

    fn resume(&mut self, now_ns: u64) {
        let t0_ns = now_ns.saturating_add(self.shape.start_after_ns).saturating_add(self.phase_ns);
        self.process.resume(t0_ns);
        self.is_open.fill(false);
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::test_driver::{DoneOp, chi_square, chi_square_max, done_ops, run, takes};

    const S: u64 = 1_000_000_000;
    const FILE_BYTES: u64 = 1 << 26;
    const DIR: u32 = 50;
    const ENOENT: i32 = 2;

    fn shape() -> CompanionShape {
        CompanionShape {
            files: vec![10, 11, 12],
            file_bytes: FILE_BYTES,
            ops_per_s: 1.0,
            scratch_dir: DIR,
            scratch_files: [60, 61, 62].map(|file| ScratchFile { file, is_there: file != 61 }).to_vec(),
            seed: 5,
            start_after_ns: 0,
        }
    }

    /// The entry of the mix that these operations belong to.
    fn classify(ops: &[Op], first_file: u32) -> CompanionOp {
        let ops = if ops[0].kind == OpKind::Open { &ops[1..] } else { ops };
        assert!(ops.iter().all(|op| op.kind != OpKind::Open && op.file >= first_file));
        assert!(ops.iter().rev().skip(1).all(|op| !op.flags.has(OpFlags::LAST)));
        let kinds: Vec<OpKind> = ops.iter().map(|op| op.kind).collect();
        match kinds[..] {
            [OpKind::Read] if ops[0].flags.has(OpFlags::RANDOM) => CompanionOp::RandomRead,
            [OpKind::Read] => CompanionOp::SequentialRead,
            [OpKind::ReadDir] => CompanionOp::ReadDir,
            [OpKind::Read, OpKind::Write] => {
                assert_eq!(
                    (ops[0].file, ops[0].offset, ops[0].len),
                    (ops[1].file, ops[1].offset, ops[1].len)
                );
                CompanionOp::ReadModifyWrite
            }
            [OpKind::Stat] => CompanionOp::Stat,
            [OpKind::Access] => CompanionOp::Access,
            [OpKind::Create, OpKind::Close] => CompanionOp::Create,
            [OpKind::Unlink, OpKind::Create, OpKind::Close] => CompanionOp::Create,
            [OpKind::Unlink] | [OpKind::Create, OpKind::Close, OpKind::Unlink] => CompanionOp::Unlink,
            _ => panic!("{kinds:?}"),
        }
    }

    #[test]
    fn the_mix_and_the_sizes_have_the_published_shares() {
        let mut mix = vec![0; COMPANION_MIX.len()];
        let mut sizes = vec![0; READ_SIZES.len()];
        let mut transfer = Vec::new();
        run(&mut Companion::new(0, shape()), (0, 200_000 * S), takes(1000), |done| {
            transfer.push(done.op);
            if done.op.kind == OpKind::Read {
                let known = READ_SIZES.iter().position(|&(_, size)| size == done.op.len);
                sizes[known.unwrap_or(usize::MAX)] += 1;
            }
            if done.op.flags.has(OpFlags::LAST) {
                let what = classify(&transfer, 10);
                transfer.clear();
                mix[COMPANION_MIX.iter().position(|&(_, op)| op == what).unwrap_or(usize::MAX)] += 1;
            }
        });
        assert_eq!(mix.iter().sum::<u64>(), 200_000);
        let shares: Vec<u32> = COMPANION_MIX.iter().map(|&(share, _)| share).collect();
        let distance = chi_square(&mix, &shares);
        assert!(distance < chi_square_max(8), "{distance} {mix:?}");
        let shares: Vec<u32> = READ_SIZES.iter().map(|&(share, _)| share).collect();
        let distance = chi_square(&sizes, &shares);
        assert!(distance < chi_square_max(5), "{distance} {sizes:?}");
    }

    #[test]
    fn one_transfer_a_second_each_at_its_time() {
        let ops = done_ops(&mut Companion::new(0, shape()), (0, 5000 * S), takes(0));
        let first_ns = ops[0].op.due_ns;
        let ends: Vec<&DoneOp> = ops.iter().filter(|op| op.op.flags.has(OpFlags::LAST)).collect();
        assert_eq!(ends.len(), 5000);
        assert!((0_u64..).zip(ends).all(|(transfer, end)| end.op.due_ns == first_ns + transfer * S));
    }

    /// The result of an operation on the directory of the scratch files.
    fn directory(is_there: &mut HashSet<u32>, op: &Op) -> i32 {
        match op.kind {
            OpKind::Create => i32::from(!is_there.insert(op.file)) * 17,
            OpKind::Unlink => i32::from(!is_there.remove(&op.file)) * ENOENT,
            _ => 0,
        }
    }

    #[test]
    fn missing_files_are_created_and_existing_ones_removed() {
        let mut is_there = HashSet::from([60, 62]);
        let mut companion = Companion::new(0, shape());
        let (mut made, mut removed) = (0, 0);
        for point in 0..3 {
            let span_ns = (point * 100_000 * S, (point + 1) * 100_000 * S);
            run(
                &mut companion,
                span_ns,
                |op, now_ns| (now_ns + S / 3, directory(&mut is_there, op)),
                |done| {
                    assert_eq!(done.errno, 0, "{:?}", done.op);
                    made += u32::from(done.op.kind == OpKind::Create);
                    removed += u32::from(done.op.kind == OpKind::Unlink);
                },
            );
        }
        assert!(made > 2500 && removed > 2500, "{made} {removed}");
    }

    #[test]
    fn companion_continues_with_the_stock_of_an_earlier_one() {
        let mut is_there = HashSet::from([60, 62]);
        let mut shape = shape();
        for (seed, end_ns) in (0..50).zip([97 * S, 100 * S + 1, 611 * S, 1_999 * S + 7].into_iter().cycle()) {
            let mut companion = Companion::new(3, CompanionShape { seed, ..shape.clone() });
            // Slow, so that the end of a load point often interrupts a transfer.
            run(
                &mut companion,
                (0, end_ns),
                |op, now_ns| (now_ns + S * 2 / 3, directory(&mut is_there, op)),
                |done| assert_eq!(done.errno, 0, "{:?} with seed {seed}", done.op),
            );
            shape.scratch_files = companion.scratch_files().to_vec();
            let there = shape.scratch_files.iter().filter(|scratch| scratch.is_there);
            assert_eq!(there.map(|scratch| scratch.file).collect::<HashSet<_>>(), is_there);
        }
    }

    #[test]
    fn stock_reduced_by_another_process_is_detected() {
        // No file exists, although the companion expects two.
        let mut is_there = HashSet::new();
        let mut failures = 0;
        run(
            &mut Companion::new(0, shape()),
            (0, 100_000 * S),
            |op, now_ns| (now_ns, directory(&mut is_there, op)),
            |done| failures += u32::from(done.errno != 0),
        );
        assert!((1..=2).contains(&failures), "{failures}");
    }

    #[test]
    fn places_are_uniform_unaligned_and_inside() {
        let ops = done_ops(&mut Companion::new(0, shape()), (0, 100_000 * S), takes(1000));
        let data = ops.iter().map(|op| op.op).filter(|op| op.kind.moves_data());
        assert!(data.clone().all(|op| op.offset + u64::from(op.len) <= FILE_BYTES));
        let random = data.clone().filter(|op| op.flags.has(OpFlags::RANDOM) && op.kind == OpKind::Read);
        // The possible positions of a read of its size, in eighths: each must be equally frequent.
        let mut eighths = vec![0; 8];
        let mut odd = 0_u64;
        for op in random {
            let places = FILE_BYTES - u64::from(op.len) + 1;
            eighths[(op.offset * 8 / places) as usize] += 1;
            odd += op.offset % 2;
        }
        let distance = chi_square(&eighths, &[1; 8]);
        assert!(distance < chi_square_max(8), "{distance} {eighths:?}");
        let all: u64 = eighths.iter().sum();
        assert!(odd.abs_diff(all / 2) < 5 * 150, "{odd} of {all}");

        for file in [10, 11, 12] {
            let sequential = data.clone().filter(|op| op.file == file && !op.flags.has(OpFlags::RANDOM));
            let reads: Vec<Op> = sequential.collect();
            assert!(reads.len() > 1000 && reads[0].offset == 0);
            for pair in reads.windows(2) {
                let end = pair[0].offset + u64::from(pair[0].len);
                let wraps = end + u64::from(pair[1].len) > FILE_BYTES;
                assert_eq!(pair[1].offset, if wraps { 0 } else { end });
            }
        }
    }
}
