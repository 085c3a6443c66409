//! A transcoder: reads a frame and writes its result, as fast as possible.
//!
//! On the wire: open the source, create the output, then alternately read a frame (with its open and
//! close in a sequence) and write its result at the end of the output. One operation at a time, as
//! FFmpeg works. Decoding and encoding take no time here, so this is the maximum demand of a transcoder
//! on the storage. When the output has reached its maximum size, writing continues at its beginning.
//!
//! It has no deadlines, because there is no viewer. Not here: FFmpeg's 256 KiB writes. A result is one
//! write, which the client's page cache and wsize split anyway.

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::{Clip, FramePlace};
use crate::media::{DIRECT_QUANTUM_BYTES, Media, mean_frame_bytes};
use crate::parts::{FrameRead, Hand, PAUSE_AFTER_ERROR_NS};
use crate::script::{Done, Needs, Op, Script, Step};
use crate::streams::Footage;
use crate::streams::actor::{Actor, ActorFacts, ActorScript, Instance, InstanceNeeds, Outline};
use crate::streams::footage::{CLIP, check_clip};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::units::Span;

pub(crate) const FACTS: ActorFacts = ActorFacts {
    reads_footage: true,
    makes: "proxy",
    ..ActorFacts::of("transcoder", "reads a clip and writes another, as fast as possible")
};

settings! {
    /// Transcoders of a plan.
    pub struct TranscoderPlan {
        ..footage: Footage,
        /// The format that a transcoder writes, by the id in the catalogue; by default the format that
        /// it reads.
        output_format: Option<String> = None,
        /// Duration of each transcoder's clip.
        clip: Span = CLIP,
    }
}

impl TranscoderPlan {
    /// Size of each frame that it writes, in whole blocks of 4 KiB.
    fn output_frame_bytes(&self, media: &Media) -> u32 {
        let longest = media.frames.iter().map(|&(_, len)| len).max().unwrap_or(0);
        // A format that is not in the catalogue is refused before any actor runs.
        let output = self.output_format.as_deref().and_then(|id| mean_frame_bytes(id).ok());
        output.unwrap_or(longest).max(1).next_multiple_of(DIRECT_QUANTUM_BYTES as u32)
    }

    /// The size of one clip. Then the output starts over.
    fn output_bytes(&self, media: &Media) -> u64 {
        u64::from(self.output_frame_bytes(media)) * media.frames.len() as u64
    }
}

impl Actor for TranscoderPlan {
    fn check(&self, check: &Check) -> Checked {
        self.footage.check(check)?;
        Ok(check_clip(self.clip, check)?)
    }

    fn outline(&self, media: Option<&Media>) -> Outline<'_> {
        Outline {
            footage: Some((&self.footage, self.clip)),
            output_format: self.output_format.as_deref(),
            needs: InstanceNeeds::clips(media, 1).making(1),
            made_bytes: media.map_or(0, |media| self.output_bytes(media)),
            idle: self.footage.idle(),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let media = instance.media?;
        let shape = TranscoderShape {
            source: media.clip_from(&instance.files.prepared, instance.begin(0))?,
            output_file: instance.made()?,
            output_bytes_per_frame: self.output_frame_bytes(media),
            output_bytes_max: self.output_bytes(media),
            direct: instance.direct,
            start_after_ns: instance.start_after_ns,
        };
        Some(Box::new(Transcoder::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Transcoder {}

/// The files and the settings of a transcoder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranscoderShape {
    /// The frames that it reads, in a loop.
    pub source: Clip,
    /// The file that it creates.
    pub output_file: u32,
    /// Size of the result of a frame, in bytes.
    pub output_bytes_per_frame: u32,
    /// Maximum size of the output.
    pub output_bytes_max: u64,
    /// Whether it bypasses the client's cache. Then frames and results must be aligned.
    pub direct: bool,
    /// Delay of its start after the beginning of the load point.
    pub start_after_ns: u64,
}

#[derive(Clone, Copy, Debug)]
enum Phase {
    OpenSource,
    CreateOutput,
    Read(FrameRead),
    Write,
}

/// The source's handle; the output's is the next.
const SOURCE: u16 = 0;
const OUTPUT: u16 = 1;

/// A transcoder as a script. See the module.
#[derive(Clone, Debug)]
pub struct Transcoder {
    stream: u32,
    shape: TranscoderShape,
    phase: Phase,
    is_in_flight: bool,
    frame: u64,
    output_offset: u64,
    due_ns: u64,
}

impl Transcoder {
    /// A transcoder that has not started.
    pub fn new(first_stream: u32, shape: TranscoderShape) -> Transcoder {
        Transcoder {
            stream: first_stream,
            shape,
            phase: Phase::OpenSource,
            is_in_flight: false,
            frame: 0,
            output_offset: 0,
            due_ns: 0,
        }
    }

    /// Begins to read the next frame.
    fn read(&self) -> Phase {
        let frame = self.frame;
        Phase::Read(FrameRead::new(&self.shape.source, frame, frame as u32, self.due_ns, OpFlags::NONE))
    }

    fn op(&self) -> Op {
        let source = Hand::reading(self.stream, SOURCE, self.shape.direct);
        let output = Hand::writing(self.stream, OUTPUT, self.shape.direct);
        let number = self.frame as u32;
        let writing = |op: Op| Op { flags: op.flags.with(OpFlags::WRITING), ..op };
        match self.phase {
            Phase::OpenSource => {
                source.op(OpKind::Open, self.shape.source.place(0).file, number, self.due_ns)
            }
            Phase::CreateOutput => {
                writing(output.op(OpKind::Create, self.shape.output_file, number, self.due_ns))
            }
            Phase::Read(read) => read.op(&source, false),
            Phase::Write => {
                let write = output.block(OpKind::Write, self.output_place(), number, self.due_ns);
                Op { flags: OpFlags::WRITING.with(OpFlags::LAST), ..write }
            }
        }
    }

    fn output_place(&self) -> FramePlace {
        let len = self.shape.output_bytes_per_frame;
        let fits = self.output_offset.saturating_add(u64::from(len)) <= self.shape.output_bytes_max;
        let offset = if fits { self.output_offset } else { 0 };
        FramePlace { file: self.shape.output_file, offset, len }
    }

    /// The phase after an operation. Files that could not be opened are retried. A frame that could not
    /// be read is still written, so that the output keeps its length.
    fn after(&mut self, done: &Done) -> Phase {
        match self.phase {
            Phase::OpenSource | Phase::CreateOutput if done.errno != 0 => self.phase,
            Phase::OpenSource => Phase::CreateOutput,
            Phase::CreateOutput => self.read(),
            Phase::Read(read) => read.after(done).map_or(Phase::Write, Phase::Read),
            Phase::Write => {
                if done.errno == 0 {
                    let place = self.output_place();
                    self.output_offset = place.offset + u64::from(place.len);
                }
                self.frame += 1;
                self.read()
            }
        }
    }
}

impl Script for Transcoder {
    fn needs(&self) -> Needs {
        Needs {
            handles: 2,
            in_flight: 1,
            max_len: self.shape.source.max_len().max(self.shape.output_bytes_per_frame),
            writes: true,
        }
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
        let pause_ns = if done.errno == 0 { 0 } else { PAUSE_AFTER_ERROR_NS };
        self.due_ns = done.done_ns.saturating_add(pause_ns);
        self.phase = self.after(&Done { done_ns: self.due_ns, ..*done });
    }

    fn resume(&mut self, now_ns: u64) {
        // The files of a sequence are opened one by one.
        let is_sequence = self.shape.source.is_sequence();
        self.phase = if is_sequence { Phase::CreateOutput } else { Phase::OpenSource };
        self.is_in_flight = false;
        self.frame = 0;
        self.output_offset = 0;
        self.due_ns = now_ns.saturating_add(self.shape.start_after_ns);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::test_driver::{DoneOp, done_ops, takes};

    const MS: u64 = 1_000_000;

    fn shape(source: Clip) -> TranscoderShape {
        TranscoderShape {
            source,
            output_file: 90,
            output_bytes_per_frame: 40,
            output_bytes_max: 100,
            direct: false,
            start_after_ns: 5 * MS,
        }
    }

    /// kind, handle, file, offset, length, frame, flags, due time in milliseconds
    type Row = (&'static str, u16, u32, u64, u32, u32, u8, u64);

    fn rows(ops: &[DoneOp]) -> Vec<Row> {
        let row = |DoneOp { op, issued_ns, .. }: &DoneOp| {
            assert_eq!(op.due_ns, *issued_ns, "closed loop");
            let due_ms = op.due_ns / MS;
            (op.kind.name(), op.handle, op.file, op.offset, op.len, op.transfer, op.flags.0, due_ms)
        };
        ops.iter().map(row).collect()
    }

    const W: u8 = OpFlags::WRITING.0;
    const WL: u8 = W | OpFlags::LAST.0;

    #[test]
    fn every_frame_is_read_and_its_result_written_and_the_output_wraps() {
        let mut transcoder = Transcoder::new(0, shape(Clip::constant(3, 20, 10).unwrap()));
        let expected = |from_ms: u64| {
            [
                ("open", 0, 3, 0, 0, 0, 0, 5),
                ("create", 1, 90, 0, 0, 0, W, 6),
                ("read", 0, 3, 0, 10, 0, 0, 7),
                ("write", 1, 90, 0, 40, 0, WL, 8),
                ("read", 0, 3, 10, 10, 1, 0, 9),
                ("write", 1, 90, 40, 40, 1, WL, 10),
                ("read", 0, 3, 0, 10, 2, 0, 11),
                // A third result would end at 120.
                ("write", 1, 90, 0, 40, 2, WL, 12),
            ]
            .map(|row: Row| (row.0, row.1, row.2, row.3, row.4, row.5, row.6, row.7 + from_ms))
        };
        assert_eq!(rows(&done_ops(&mut transcoder, (0, 13 * MS), takes(MS))), expected(0));
        assert_eq!(rows(&done_ops(&mut transcoder, (100 * MS, 113 * MS), takes(MS))), expected(100));
    }

    #[test]
    fn the_files_of_a_sequence_are_opened_one_by_one() {
        let mut transcoder = Transcoder::new(0, shape(Clip::sequence(3, 2, 10).unwrap()));
        let expected = [
            ("create", 1, 90, 0, 0, 0, W, 5),
            ("open", 0, 3, 0, 0, 0, 0, 6),
            ("read", 0, 3, 0, 10, 0, 0, 7),
            ("close", 0, 3, 0, 0, 0, 0, 8),
            ("write", 1, 90, 0, 40, 0, WL, 9),
            ("open", 0, 4, 0, 0, 1, 0, 10),
            ("read", 0, 4, 0, 10, 1, 0, 11),
        ];
        assert_eq!(rows(&done_ops(&mut transcoder, (0, 12 * MS), takes(MS))), expected);
    }

    #[test]
    fn a_failure_pauses_and_ends_nothing() {
        for is_sequence in [false, true] {
            let source = if is_sequence { Clip::sequence(3, 5, 10) } else { Clip::constant(3, 50, 10) };
            let mut transcoder = Transcoder::new(0, shape(source.unwrap()));
            let mut calls = 0;
            let ops = done_ops(&mut transcoder, (0, 5000 * MS), |_, now_ns| {
                calls += 1;
                (now_ns + MS, if calls % 3 == 1 { 5 } else { 0 })
            });
            for pair in ops.windows(2) {
                let pause_ns = if pair[0].errno == 0 { 0 } else { PAUSE_AFTER_ERROR_NS };
                assert_eq!(pair[1].op.due_ns, pair[0].done_ns + pause_ns);
            }
            // Successful writes are sequential, whatever fails.
            let writes = ops.iter().filter(|op| op.op.kind == OpKind::Write && op.errno == 0);
            assert!(writes.clone().count() > 100);
            assert!(writes.zip([0, 40].into_iter().cycle()).all(|(write, offset)| write.op.offset == offset));
        }
    }
}
