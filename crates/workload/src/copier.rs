//! A copier: copies a file block by block, as fast as possible, and starts over.
//!
//! On the wire: open the source, create the copy, then alternately one read and one write of a block, a
//! sync at the end if requested, two closes. (cp moves 128 KiB at a time, rsync 256 KiB, offload tools 1
//! MiB and more.) The file is read and written sequentially; only the last block may be shorter. A block
//! is a transfer. The next pass recreates the copy, which frees the space of the previous one.
//!
//! Not here: copies within the server (copy_file_range), which move no data over the wire, and
//! checksums, which cause no I/O unless the copy is read back.

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::FramePlace;
use crate::media::Media;
use crate::parts::{Hand, PAUSE_AFTER_ERROR_NS};
use crate::plan::{BLOCK_BYTES, PlanError};
use crate::script::{Done, Needs, Op, Script, Step};
use crate::streams::actor::{Actor, ActorFacts, ActorScript, Instance, InstanceNeeds, Outline};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::units::Size;

pub(crate) const FACTS: ActorFacts =
    ActorFacts { makes: "copy", ..ActorFacts::of("copier", "copies a file, as fast as possible") };

settings! {
    /// Copiers of a plan.
    pub struct CopierPlan {
        /// Size of each read and write of a copier
        block: Size = Size::mib(1) => option(SIZE, Size),
        /// Size of the file that a copier copies
        file_size: Size = Size::mib(1024) => option(SIZE, Size),
    }
}

impl Actor for CopierPlan {
    fn check(&self, check: &Check) -> Checked {
        check.file_size(self.file_size, Size(1))?;
        let (block, file, spelling) = (self.block, self.file_size, check.spelling);
        let setting = check.spelling.name("block");
        if !BLOCK_BYTES.contains(&block.bytes()) {
            return Err(PlanError::BlockRange { block, setting });
        }
        match block > file {
            true => Err(PlanError::BlockOverFile { block, file, setting, spelling }),
            false => Ok(()),
        }
    }

    fn outline(&self, _media: Option<&Media>) -> Outline<'_> {
        Outline {
            needs: InstanceNeeds::files(1, self.file_size).making(1),
            made_bytes: self.file_size.bytes(),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let shape = CopierShape {
            source_file: instance.prepared(),
            source_bytes: self.file_size.bytes(),
            block_bytes: u32::try_from(self.block.bytes()).ok()?,
            output_file: instance.made()?,
            direct: instance.direct,
            sync_at_end: true,
            start_after_ns: instance.start_after_ns,
        };
        Some(Box::new(Copier::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Copier {}

/// The files and the settings of a copier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CopierShape {
    /// The file that it reads.
    pub source_file: u32,
    pub source_bytes: u64,
    /// Bytes per block; above 0.
    pub block_bytes: u32,
    /// The file that it creates.
    pub output_file: u32,
    /// Whether it bypasses the client's cache. Then the source must have an aligned size.
    pub direct: bool,
    /// Whether the copy is made durable before it is closed.
    pub sync_at_end: bool,
    /// Delay of its start after the beginning of the load point.
    pub start_after_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    OpenSource,
    CreateOutput,
    Read,
    Write,
    Sync,
    CloseSource,
    CloseOutput,
}

const SOURCE: u16 = 0;
const OUTPUT: u16 = 1;

/// A copier as a script. See the module.
#[derive(Clone, Debug)]
pub struct Copier {
    source: Hand,
    output: Hand,
    shape: CopierShape,
    phase: Phase,
    is_in_flight: bool,
    is_output_open: bool,
    offset: u64,
    /// Blocks begun since the beginning of the load point.
    blocks: u64,
    due_ns: u64,
}

impl Copier {
    /// A copier that has not started.
    pub fn new(first_stream: u32, shape: CopierShape) -> Copier {
        Copier {
            source: Hand::reading(first_stream, SOURCE, shape.direct),
            output: Hand::writing(first_stream, OUTPUT, shape.direct),
            shape,
            phase: Phase::OpenSource,
            is_in_flight: false,
            is_output_open: false,
            offset: 0,
            blocks: 0,
            due_ns: 0,
        }
    }

    fn block(&self, file: u32) -> FramePlace {
        let left = self.shape.source_bytes - self.offset;
        let len = u64::from(self.shape.block_bytes.max(1)).min(left) as u32;
        FramePlace { file, offset: self.offset, len }
    }

    fn op(&self) -> Op {
        let (source, output) = (self.shape.source_file, self.shape.output_file);
        let (number, due_ns) = (self.blocks as u32, self.due_ns);
        let op = match self.phase {
            Phase::OpenSource => self.source.op(OpKind::Open, source, number, due_ns),
            Phase::CreateOutput => self.output.op(OpKind::Create, output, number, due_ns),
            Phase::Read => self.source.block(OpKind::Read, self.block(source), number, due_ns),
            Phase::Write => self.output.block(OpKind::Write, self.block(output), number, due_ns),
            Phase::Sync => self.output.op(OpKind::Sync, output, number, due_ns),
            Phase::CloseSource => self.source.op(OpKind::Close, source, number, due_ns),
            Phase::CloseOutput => self.output.op(OpKind::Close, output, number, due_ns),
        };
        let on_output = op.handle == OUTPUT;
        let ends_block = self.phase == Phase::Write;
        Op { flags: op.flags.with_if(OpFlags::WRITING, on_output).with_if(OpFlags::LAST, ends_block), ..op }
    }

    /// The phase after an operation that succeeded.
    fn after(&mut self) -> Phase {
        match self.phase {
            Phase::OpenSource => Phase::CreateOutput,
            Phase::CreateOutput => {
                self.is_output_open = true;
                self.offset = 0;
                self.next_block()
            }
            Phase::Read => Phase::Write,
            Phase::Write => {
                self.offset += u64::from(self.block(0).len);
                self.blocks += 1;
                self.next_block()
            }
            Phase::Sync => Phase::CloseSource,
            Phase::CloseSource => self.after_source(),
            Phase::CloseOutput => Phase::OpenSource,
        }
    }

    fn next_block(&self) -> Phase {
        if self.offset < self.shape.source_bytes {
            Phase::Read
        } else if self.shape.sync_at_end {
            Phase::Sync
        } else {
            Phase::CloseSource
        }
    }

    /// The phase after the source is closed.
    fn after_source(&mut self) -> Phase {
        if std::mem::take(&mut self.is_output_open) { Phase::CloseOutput } else { Phase::OpenSource }
    }

    /// A failed copy is abandoned: open files are closed, and the next copy begins.
    fn after_failure(&mut self) -> Phase {
        match self.phase {
            Phase::OpenSource | Phase::CloseOutput => Phase::OpenSource,
            Phase::CreateOutput | Phase::Sync => Phase::CloseSource,
            Phase::Read | Phase::Write => {
                self.blocks += 1;
                Phase::CloseSource
            }
            Phase::CloseSource => self.after_source(),
        }
    }
}

impl Script for Copier {
    fn needs(&self) -> Needs {
        Needs { handles: 2, in_flight: 1, max_len: self.shape.block_bytes.max(1), writes: true }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        if self.is_in_flight {
            return Step::Blocked;
        }
        self.is_in_flight = true;
        Step::Do(self.op())
    }

    fn done(&mut self, done: &Done) {
        self.is_in_flight = false;
        self.due_ns = done.done_ns;
        self.phase = if done.errno == 0 {
            self.after()
        } else {
            self.due_ns = done.done_ns.saturating_add(PAUSE_AFTER_ERROR_NS);
            self.after_failure()
        };
    }

    fn resume(&mut self, now_ns: u64) {
        self.phase = Phase::OpenSource;
        self.is_in_flight = false;
        self.is_output_open = false;
        self.offset = 0;
        self.blocks = 0;
        self.due_ns = now_ns.saturating_add(self.shape.start_after_ns);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::test_driver::{DoneOp, done_ops, takes};

    const MS: u64 = 1_000_000;

    fn shape(source_bytes: u64, block_bytes: u32) -> CopierShape {
        CopierShape {
            source_file: 1,
            source_bytes,
            block_bytes,
            output_file: 2,
            direct: false,
            sync_at_end: true,
            start_after_ns: 0,
        }
    }

    #[test]
    fn a_pass_is_open_create_blocks_sync_close_close() {
        let ops = done_ops(&mut Copier::new(0, shape(25, 10)), (0, 22 * MS), takes(MS));
        let pass = |first: u32| {
            [
                ("open", 1, 0, 0, first),
                ("create", 2, 0, 0, first),
                ("read", 1, 0, 10, first),
                ("write", 2, 0, 10, first),
                ("read", 1, 10, 10, first + 1),
                ("write", 2, 10, 10, first + 1),
                ("read", 1, 20, 5, first + 2),
                ("write", 2, 20, 5, first + 2),
                ("sync", 2, 0, 0, first + 3),
                ("close", 1, 0, 0, first + 3),
                ("close", 2, 0, 0, first + 3),
            ]
        };
        let row = |DoneOp { op, .. }: &DoneOp| (op.kind.name(), op.file, op.offset, op.len, op.transfer);
        assert_eq!(ops.iter().map(row).collect::<Vec<_>>(), [pass(0), pass(3)].concat());
        assert!(ops.iter().all(|op| op.op.flags.has(OpFlags::WRITING) == (op.op.file == 2)));
        assert!(ops.iter().all(|op| op.op.flags.has(OpFlags::LAST) == (op.op.kind == OpKind::Write)));
    }

    #[test]
    fn a_copy_that_fails_is_closed_and_begun_again() {
        for broken in [OpKind::Open, OpKind::Create, OpKind::Read, OpKind::Write, OpKind::Sync, OpKind::Close]
        {
            let mut calls = 0;
            let ops = done_ops(&mut Copier::new(0, shape(50, 10)), (0, 3000 * MS), |op, now_ns| {
                calls += u32::from(op.kind == broken);
                (now_ns + MS, if op.kind == broken && calls % 7 == 0 { 5 } else { 0 })
            });
            let failures = ops.iter().filter(|op| op.errno != 0).count();
            assert!(failures > 2, "{broken:?} {failures}");
            for pair in ops.windows(2) {
                let pause_ns = if pair[0].errno == 0 { 0 } else { PAUSE_AFTER_ERROR_NS };
                assert_eq!(pair[1].op.due_ns, pair[0].done_ns + pause_ns);
                let goes_on = matches!(pair[1].op.kind, OpKind::Close | OpKind::Open);
                assert!(pair[0].errno == 0 || goes_on, "{:?} after {:?}", pair[1].op.kind, pair[0].op.kind);
            }
        }
    }

    proptest! {
        #[test]
        fn every_byte_is_copied_once_in_every_pass(
            source_bytes in 0_u64..5000, block_bytes in 1_u32..700, sync_at_end: bool,
        ) {
            let shape = CopierShape { sync_at_end, ..shape(source_bytes, block_bytes) };
            let ops = done_ops(&mut Copier::new(0, shape), (0, 12_000 * MS), takes(MS));
            let passes = ops.split(|op| op.op.kind == OpKind::Create).skip(1);
            let mut whole = passes.collect::<Vec<_>>();
            // The last copy is interrupted.
            whole.pop();
            prop_assert!(!whole.is_empty());
            for pass in whole {
                for kind in [OpKind::Read, OpKind::Write] {
                    let moved: Vec<&Op> = pass.iter().map(|op| &op.op).filter(|op| op.kind == kind).collect();
                    let mut end = 0;
                    for op in moved {
                        prop_assert_eq!(op.offset, end);
                        end += u64::from(op.len);
                    }
                    prop_assert_eq!(end, source_bytes);
                }
                let syncs = pass.iter().filter(|op| op.op.kind == OpKind::Sync).count();
                prop_assert_eq!(syncs, usize::from(sync_at_end));
            }
        }
    }
}
