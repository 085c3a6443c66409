//! A recorder: a camera captures a frame at every tick, and the recorder writes it from its buffer.
//!
//! On the wire:
//! * A growing movie file: create, then one write per frame at the file's end. Compared with an existing
//!   file, the additional cost is allocation, and the file size that the server must update.
//! * An existing movie file (a recorder that preallocates): open, then one write per frame over the
//!   positions of the clip, in a loop.
//! * A sequence: create, one write of the whole file, close for every frame.
//!
//! The recorder syncs periodically, as real ones do to limit the loss in a power failure. Each frame is
//! due when the camera has captured it, one after the other. A frame that is not begun before the buffer
//! has wrapped around is lost, because a camera never waits. Lost frames leave no gap in a growing file.
//!
//! Through the client's cache, a write is complete when the data is in the local host's memory, which is
//! faster than any storage. Then only the syncs wait for the storage ([`RecorderShape::synced`]): one
//! each time that the buffer has wrapped around. During a sync, frames wait in the buffer. Storage that
//! needs longer to write a full buffer than the camera needs to fill it loses frames; faster storage
//! loses none. The last sync begins one buffer before the end of the load point. So all judged data is on
//! the storage then, or the frames after it are late.
//!
//! Not here: the index written at the end of a recording (load points end without it). FFmpeg writes in
//! pieces of 256 KiB; here a frame is one write, which the client splits by its wsize.

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::{Clip, FramePlace};
use crate::media::Media;
use crate::pace::Pace;
use crate::parts::{Hand, PAUSE_AFTER_ERROR_NS};
use crate::script::{Done, Needs, Op, Script, Step};
use crate::streams::actor::{Actor, ActorFacts, ActorScript, FrameStreams, Instance, InstanceNeeds, Outline};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::streams::{Footage, Frames};
use crate::units::Span;

pub(crate) const FACTS: ActorFacts = ActorFacts {
    makes: "recording",
    ..ActorFacts::of("recorder", "records a clip in real time, as an ingest channel does")
};

settings! {
    /// Recorders of a plan.
    pub struct RecorderPlan {
        ..footage: Footage,
        ..frames: Frames,
        /// How often recorders call fsync [default: never with direct I/O, otherwise once per buffer
        /// length]
        sync_every: Option<Span> = None => option(TIME, Span),
        /// Overwrite an existing file instead of growing a new one (recorders)
        preallocated: bool = false => switch(),
    }
}

impl RecorderPlan {
    /// Whether it overwrites an existing file. A file per frame is always recreated.
    fn writes_over(&self, media: Option<&Media>) -> bool {
        self.preallocated && media.is_some_and(|media| !media.is_sequence)
    }
}

impl Actor for RecorderPlan {
    fn check(&self, check: &Check) -> Checked {
        self.footage.check(check)?;
        self.frames.check(check)?;
        let is_zero = self.sync_every.is_some_and(|span| span.ns() == 0);
        Ok(check.not_zero("sync_every", is_zero, "set a time, like 1s, or omit it")?)
    }

    fn outline(&self, media: Option<&Media>) -> Outline<'_> {
        let made = self.footage.is_sequence();
        let made = made.then_some((
            "preallocated",
            "with one file per frame, which is created again each \
            time",
        ));
        let rate = media.map_or(0.0, |media| media.bytes_per_s);
        let over = self.writes_over(media);
        let is_sequence = media.is_some_and(|media| media.is_sequence);
        Outline {
            streams: 1,
            footage: Some((&self.footage, self.frames.clip)),
            frames: Some(FrameStreams { frames: &self.frames, writes: true, may_jump: false }),
            needs: match over {
                true => InstanceNeeds::clips(media, 1),
                false => InstanceNeeds::default().making(media.map_or(1, Media::files)),
            },
            made_bytes: media.filter(|_| is_sequence).map_or(0, Media::clip_bytes),
            made_bytes_per_s: if over || is_sequence { 0.0 } else { rate },
            written_bytes_per_s: Some(rate),
            idle: self.footage.idle().into_iter().chain(made).collect(),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let media = instance.media?;
        let over = self.writes_over(instance.media);
        let files = if over { &instance.files.prepared } else { &instance.files.made };
        let pace = media.pace(&self.frames);
        let frames = |span: Span| u32::try_from(pace.rate.frames_in(span.ns()).max(1)).unwrap_or(u32::MAX);
        let shape = RecorderShape {
            clip: media.clip(files)?,
            pace,
            sync_every_frames: self.sync_every.map(frames),
            end_after_ns: None,
            direct: instance.direct,
            start_after_ns: instance.start_after_ns,
            growing: !over,
        };
        // Data in the local host's memory is not on any storage yet.
        let shape = if instance.direct { shape } else { shape.synced(instance.length_ns) };
        Some(Box::new(Recorder::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Recorder {}

/// Frames captured after the last sync that are still judged: they show whether the sync took too long.
const FRAMES_BEHIND_LAST_SYNC: u64 = 2;

/// The clip and the settings of a recorder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderShape {
    /// The positions of the frames; for a growing file only the file and the sizes are used.
    pub clip: Clip,
    /// The rate and the buffer.
    pub pace: Pace,
    /// The number of frames between syncs; `None` for no syncs.
    pub sync_every_frames: Option<u32>,
    /// The end of the load point after its beginning, if a last sync is to count. It follows the first
    /// write that is done at least one buffer and two frames before that.
    pub end_after_ns: Option<u64>,
    /// Whether it bypasses the client's cache. Then frames must be aligned.
    pub direct: bool,
    /// Delay of its start after the beginning of the load point.
    pub start_after_ns: u64,
    /// Whether the file is recreated and grows with every frame. No effect on a sequence, whose files
    /// are always recreated.
    pub growing: bool,
}

impl RecorderShape {
    /// Adds syncs, so that data reaches the storage although it is written through the client's cache.
    /// There is a sync each time the buffer has wrapped around, unless the recorder has a sync interval.
    /// If each frame is a file, every frame is synced, because no later sync would reach it. A last sync
    /// counts in a load point that ends this long after its beginning.
    #[must_use]
    pub fn synced(self, end_after_ns: u64) -> RecorderShape {
        let usual = if self.clip.is_sequence() { 1 } else { self.pace.buffer_frames.max(1) };
        RecorderShape {
            sync_every_frames: self.sync_every_frames.or(Some(usual)),
            end_after_ns: Some(end_after_ns),
            ..self
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The file, or the next frame's file, is not open.
    Closed,
    Opening,
    /// Ready for a frame's write.
    Ready,
    Writing,
    SyncDue,
    Syncing,
    CloseDue,
    Closing,
}

/// A recorder as a script. See the module.
#[derive(Clone, Debug)]
pub struct Recorder {
    hand: Hand,
    shape: RecorderShape,
    phase: Phase,
    t0_ns: u64,
    /// When the file must be opened: at t0, or after a failure.
    open_ns: u64,
    /// The current or next frame.
    frame: u64,
    /// The end of a growing file.
    end_offset: u64,
    unsynced_frames: u32,
    /// When the next write is followed by the last sync; `None` if there is no last sync to come.
    last_sync_ns: Option<u64>,
    done_ns: u64,
}

impl Recorder {
    /// A recorder that has not started.
    pub fn new(first_stream: u32, shape: RecorderShape) -> Recorder {
        Recorder {
            hand: Hand::writing(first_stream, 0, shape.direct),
            shape,
            phase: Phase::Closed,
            t0_ns: 0,
            open_ns: 0,
            frame: 0,
            end_offset: 0,
            unsynced_frames: 0,
            last_sync_ns: None,
            done_ns: 0,
        }
    }

    fn is_sequence(&self) -> bool {
        self.shape.clip.is_sequence()
    }

    /// An operation on the file of the current frame.
    fn op(&self, kind: OpKind, due_ns: u64) -> Op {
        let file = self.shape.clip.place(self.frame).file;
        let op = self.hand.op(kind, file, self.frame as u32, due_ns);
        // In a sequence all operations are part of their frame, but only the close completes it.
        let flags = OpFlags::WRITING.with_if(OpFlags::FRAME, self.is_sequence());
        Op { flags: flags.with_if(OpFlags::LAST, self.is_sequence() && kind == OpKind::Close), ..op }
    }

    /// Determines the current frame at `now_ns`, and returns its due time.
    fn take_turn(&mut self, now_ns: u64) -> u64 {
        let pace = self.shape.pace;
        self.frame = pace.next_frame(self.t0_ns, self.frame, now_ns);
        pace.captured_ns(self.t0_ns, self.frame)
    }

    fn open(&mut self, now_ns: u64) -> Op {
        if self.is_sequence() {
            let due_ns = self.take_turn(now_ns);
            return self.op(OpKind::Create, due_ns);
        }
        let kind = if self.shape.growing { OpKind::Create } else { OpKind::Open };
        self.op(kind, self.open_ns)
    }

    fn write(&mut self, now_ns: u64) -> Op {
        let due_ns = if self.is_sequence() { self.done_ns } else { self.take_turn(now_ns) };
        let place = self.place();
        let ends_frame = !self.is_sequence();
        let flags = OpFlags::WRITING.with(OpFlags::FRAME).with_if(OpFlags::LAST, ends_frame);
        Op { flags, ..self.hand.block(OpKind::Write, place, self.frame as u32, due_ns) }
    }

    fn place(&self) -> FramePlace {
        let place = self.shape.clip.place(self.frame);
        let grows = self.shape.growing && !self.is_sequence();
        if grows { FramePlace { offset: self.end_offset, ..place } } else { place }
    }

    /// The phase after a write, before the next frame.
    fn after_write(&mut self, errno: i32) -> Phase {
        if errno == 0 {
            self.end_offset += u64::from(self.shape.clip.place(self.frame).len);
        }
        self.unsynced_frames += 1;
        let sync_due = self.shape.sync_every_frames.is_some_and(|every| self.unsynced_frames >= every);
        let is_last = self.last_sync_ns.is_some_and(|last_ns| self.done_ns >= last_ns);
        if !(sync_due || is_last) || errno != 0 {
            return self.after_frame();
        }
        self.last_sync_ns = self.last_sync_ns.filter(|_| !is_last);
        Phase::SyncDue
    }

    /// The phase after a frame was written, and synced if necessary.
    fn after_frame(&mut self) -> Phase {
        if self.is_sequence() {
            return Phase::CloseDue;
        }
        self.frame += 1;
        Phase::Ready
    }
}

impl Script for Recorder {
    fn needs(&self) -> Needs {
        Needs { handles: 1, in_flight: 1, max_len: self.shape.clip.max_len(), writes: true }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        let (phase, op) = match self.phase {
            Phase::Closed => (Phase::Opening, self.open(now_ns)),
            Phase::Ready => (Phase::Writing, self.write(now_ns)),
            Phase::SyncDue => (Phase::Syncing, self.op(OpKind::Sync, self.done_ns)),
            Phase::CloseDue => (Phase::Closing, self.op(OpKind::Close, self.done_ns)),
            Phase::Opening | Phase::Writing | Phase::Syncing | Phase::Closing => return Step::Blocked,
        };
        self.phase = phase;
        Step::Do(op)
    }

    fn done(&mut self, done: &Done) {
        self.done_ns = done.done_ns;
        self.phase = match self.phase {
            Phase::Opening if done.errno == 0 => Phase::Ready,
            Phase::Opening => {
                // The frame of a sequence is lost; a movie is opened again. The camera does not wait.
                self.frame += u64::from(self.is_sequence());
                self.open_ns = done.done_ns.saturating_add(PAUSE_AFTER_ERROR_NS);
                Phase::Closed
            }
            Phase::Writing => self.after_write(done.errno),
            Phase::Syncing => {
                self.unsynced_frames = 0;
                self.after_frame()
            }
            Phase::Closing => {
                self.frame += 1;
                Phase::Closed
            }
            Phase::Closed | Phase::Ready | Phase::SyncDue | Phase::CloseDue => self.phase,
        };
    }

    fn resume(&mut self, now_ns: u64) {
        self.phase = Phase::Closed;
        self.t0_ns = now_ns.saturating_add(self.shape.start_after_ns);
        self.open_ns = self.t0_ns;
        self.frame = 0;
        self.end_offset = 0;
        self.unsynced_frames = 0;
        self.last_sync_ns = self.shape.end_after_ns.map(|end_after_ns| {
            let pace = self.shape.pace;
            let before_ns =
                pace.prebuffer_ns().saturating_add(pace.rate.frame_due_ns(FRAMES_BEHIND_LAST_SYNC));
            now_ns.saturating_add(end_after_ns.saturating_sub(before_ns))
        });
        self.done_ns = self.t0_ns;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use reelgauge_formats::FrameRate;

    use super::*;
    use crate::pace::Policy;
    use crate::test_driver::{DoneOp, done_ops, takes};

    const MS: u64 = 1_000_000;

    fn shape(clip: Clip) -> RecorderShape {
        RecorderShape {
            clip,
            pace: Pace { rate: FrameRate::whole(25), buffer_frames: 3, policy: Policy::Drop },
            sync_every_frames: None,
            end_after_ns: None,
            direct: false,
            start_after_ns: 0,
            growing: false,
        }
    }

    /// kind, file, offset, frame, flags without WRITING, due time in milliseconds
    type Row = (&'static str, u32, u64, u32, u8, u64);

    fn rows(ops: &[DoneOp]) -> Vec<Row> {
        let row = |DoneOp { op, .. }: &DoneOp| {
            assert!(op.flags.has(OpFlags::WRITING) && op.open.write);
            let flags = op.flags.0 & !OpFlags::WRITING.0;
            (op.kind.name(), op.file, op.offset, op.transfer, flags, op.due_ns / MS)
        };
        ops.iter().map(row).collect()
    }

    const FRAME: u8 = OpFlags::FRAME.0;
    const LAST: u8 = FRAME | OpFlags::LAST.0;

    fn uneven() -> Clip {
        let place = |offset, len| FramePlace { file: 2, offset, len };
        Clip::new(vec![place(1000, 10), place(1010, 30), place(1040, 20)]).unwrap()
    }

    #[test]
    fn growing_file_is_created_and_frames_are_appended() {
        let sync_every_frames = Some(2);
        let mut recorder =
            Recorder::new(0, RecorderShape { growing: true, sync_every_frames, ..shape(uneven()) });
        let ops = done_ops(&mut recorder, (1000 * MS, 1170 * MS), takes(2 * MS));
        let expected = [
            ("create", 2, 0, 0, 0, 1000),
            ("write", 2, 0, 0, LAST, 1000),
            ("write", 2, 10, 1, LAST, 1040),
            ("sync", 2, 0, 1, 0, 1042),
            ("write", 2, 40, 2, LAST, 1080),
            ("write", 2, 60, 3, LAST, 1120),
            ("sync", 2, 0, 3, 0, 1122),
            ("write", 2, 70, 4, LAST, 1160),
        ];
        assert_eq!(rows(&ops), expected);
    }

    /// When syncs were requested, in milliseconds.
    fn syncs(ops: &[DoneOp]) -> Vec<u64> {
        let syncs = ops.iter().filter(|op| op.op.kind == OpKind::Sync);
        syncs.map(|op| op.issued_ns / MS).collect()
    }

    #[test]
    fn through_the_cache_every_buffer_full_is_synced_and_the_last_in_time() {
        // A buffer has three frames of 40 ms. One buffer and two frames before 1000 ms is 800 ms.
        let synced = RecorderShape { growing: true, ..shape(uneven()) }.synced(1000 * MS);
        let ops = done_ops(&mut Recorder::new(0, synced.clone()), (0, 1000 * MS), takes(MS));
        assert_eq!(syncs(&ops), [81, 201, 321, 441, 561, 681, 801, 921]);
        let rare = RecorderShape { sync_every_frames: Some(1000), ..synced };
        let ops = done_ops(&mut Recorder::new(0, rare), (5000 * MS, 6000 * MS), takes(MS));
        assert_eq!(syncs(&ops), [5801], "its own rhythm is kept, and the last sync comes all the same");
        let frames = shape(Clip::sequence(5, 2, 99).unwrap()).synced(1000 * MS);
        assert_eq!(frames.sync_every_frames, Some(1), "no later sync reaches another file");
    }

    #[test]
    fn storage_that_is_too_slow_for_its_syncs_loses_frames_and_other_storage_none() {
        // The times of a store that needs `ms_per_frame` for each frame: writes go to memory.
        let lost = |ms_per_frame: u64| {
            let mut unsynced = 0;
            let ops = done_ops(
                &mut Recorder::new(0, shape(uneven()).synced(60_000 * MS)),
                (0, 60_000 * MS),
                |op, now_ns| {
                    let took = match op.kind {
                        OpKind::Sync => std::mem::take(&mut unsynced) * ms_per_frame * MS,
                        OpKind::Write => {
                            unsynced += 1;
                            10_000
                        }
                        _ => 0,
                    };
                    (now_ns + took, 0)
                },
            );
            let written = ops.iter().filter(|op| op.op.kind == OpKind::Write).count() as u64;
            1500 - written
        };
        // A frame is captured every 40 ms.
        assert_eq!([lost(1), lost(20), lost(38)].map(|frames| frames <= 3), [true; 3]);
        assert!(lost(44) > 100, "{}", lost(44));
        assert!(lost(80) > 700, "{}", lost(80));
    }

    #[test]
    fn a_preallocated_file_is_written_over_round_and_round() {
        let ops = done_ops(&mut Recorder::new(0, shape(uneven())), (0, 130 * MS), takes(2 * MS));
        let expected = [
            ("open", 2, 0, 0, 0, 0),
            ("write", 2, 1000, 0, LAST, 0),
            ("write", 2, 1010, 1, LAST, 40),
            ("write", 2, 1040, 2, LAST, 80),
            ("write", 2, 1000, 3, LAST, 120),
        ];
        assert_eq!(rows(&ops), expected);
    }

    #[test]
    fn a_sequence_is_a_new_file_per_frame_complete_when_closed() {
        let clip = Clip::sequence(5, 2, 99).unwrap();
        let mut recorder = Recorder::new(0, RecorderShape { sync_every_frames: Some(2), ..shape(clip) });
        let ops = done_ops(&mut recorder, (0, 90 * MS), takes(3 * MS));
        let expected = [
            ("create", 5, 0, 0, FRAME, 0),
            ("write", 5, 0, 0, FRAME, 3),
            ("close", 5, 0, 0, LAST, 6),
            ("create", 6, 0, 1, FRAME, 40),
            ("write", 6, 0, 1, FRAME, 43),
            ("sync", 6, 0, 1, FRAME, 46),
            ("close", 6, 0, 1, LAST, 49),
            ("create", 5, 0, 2, FRAME, 80),
            ("write", 5, 0, 2, FRAME, 83),
            ("close", 5, 0, 2, LAST, 86),
        ];
        assert_eq!(rows(&ops), expected);
    }

    #[test]
    fn failed_file_creation_loses_only_its_frame() {
        let mut recorder = Recorder::new(0, shape(Clip::sequence(0, 50, 9).unwrap()));
        let ops = done_ops(&mut recorder, (0, 400 * MS), |op, now_ns| {
            let errno = match (op.kind, op.transfer) {
                (OpKind::Create, 3) => 28,
                (OpKind::Write, 6) => 5,
                _ => 0,
            };
            (now_ns + MS, errno)
        });
        let frames = |kind| ops.iter().filter(move |op| op.op.kind == kind).map(|op| op.op.transfer);
        assert!(frames(OpKind::Create).eq(0..10));
        // A file is closed even if its write failed.
        assert!(frames(OpKind::Close).eq((0..10).filter(|&frame| frame != 3)));
    }

    proptest! {
        #[test]
        fn growing_file_has_no_gap_after_drops_or_failures(
            answers in prop::collection::vec((0_u64..400, 0_u32..5), 1..60), stalls: bool,
        ) {
            let policy = if stalls { Policy::Stall } else { Policy::Drop };
            let pace = Pace { policy, ..shape(uneven()).pace };
            let mut recorder = Recorder::new(0, RecorderShape { growing: true, pace, ..shape(uneven()) });
            let mut answers = answers.into_iter().cycle();
            let ops = done_ops(&mut recorder, (0, 20_000 * MS), |op, now_ns| {
                let (ms, luck) = answers.next().unwrap_or((1, 1));
                (now_ns + ms * MS, if luck == 0 && op.kind == OpKind::Write { 5 } else { 0 })
            });
            let (mut end, mut next_frame) = (0, 0);
            for DoneOp { op, errno, issued_ns, .. } in ops.iter().filter(|op| op.op.kind == OpKind::Write) {
                prop_assert_eq!(op.offset, end);
                prop_assert_eq!(op.len, uneven().place(u64::from(op.transfer)).len);
                prop_assert_eq!(op.due_ns, u64::from(op.transfer) * 40 * MS);
                prop_assert!(*issued_ns >= op.due_ns);
                prop_assert!(op.transfer == next_frame || (!stalls && op.transfer > next_frame));
                end += if *errno == 0 { u64::from(op.len) } else { 0 };
                next_frame = op.transfer + 1;
            }
        }
    }
}
