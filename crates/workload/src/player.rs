//! A player: reads a clip frame by frame, as far ahead as its buffer permits.
//!
//! On the wire:
//! * A movie file: open, the reads of its header and index, then one read per frame. (GStreamer reads a
//!   sample with one call; FFmpeg reads 32 KiB, and the rest of the packet with the next call. Both read
//!   the index at the end of a file first. The client's read-ahead and the mount's rsize split these
//!   reads further.)
//! * A sequence: open, one read of the whole file, close for every frame, as FFmpeg does with DPX and
//!   EXR. The cost of such a stream is mostly names, not bytes.
//!
//! Each frame is due when its place in the buffer is free. At the start the whole buffer is requested at
//! once: a server sees that burst when a user presses play. Most applications request one frame after
//! the other ([`ReadAhead::Closed`]); some request all frames that fit ([`ReadAhead::Open`]).
//!
//! Not here: whether a frame is late (the analysis crate decides from the log). Audio is in the same file
//! between the frames; it is either part of a frame's range, or omitted.

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::{Clip, FramePlace};
use crate::media::Media;
use crate::pace::{Pace, ReadAhead};
use crate::parts::{FrameRead, Hand, PAUSE_AFTER_ERROR_NS};
use crate::script::{Done, Needs, Op, Script, Step};
use crate::streams::actor::{Actor, ActorFacts, ActorScript, FrameStreams, Instance, InstanceNeeds, Outline};
use crate::streams::setting::settings;
use crate::streams::validation::{Check, Checked};
use crate::streams::{Footage, Frames};

pub(crate) const FACTS: ActorFacts = ActorFacts {
    reads_footage: true,
    writes: false,
    ..ActorFacts::of("player", "plays a clip in real time, as playout or a viewer does")
};

settings! {
    /// Players of a plan.
    pub struct PlayerPlan {
        ..footage: Footage,
        ..frames: Frames,
        /// Frames that a player requests at once
        read_ahead: ReadAhead = ReadAhead::Closed => option(HOW, ReadAhead),
    }
}

impl Actor for PlayerPlan {
    fn check(&self, check: &Check) -> Checked {
        self.footage.check(check)?;
        Ok(self.frames.check(check)?)
    }

    fn outline(&self, media: Option<&Media>) -> Outline<'_> {
        Outline {
            streams: 1,
            footage: Some((&self.footage, self.frames.clip)),
            frames: Some(FrameStreams { frames: &self.frames, writes: false, may_jump: false }),
            needs: InstanceNeeds::clips(media, 1),
            written_bytes_per_s: Some(0.0),
            idle: self.footage.idle(),
            ..Outline::default()
        }
    }

    fn script(&self, instance: &Instance<'_>) -> Option<Box<dyn ActorScript>> {
        let media = instance.media?;
        let shape = PlayerShape {
            clip: media.clip_from(&instance.files.prepared, instance.begin(0))?,
            pace: media.pace(&self.frames),
            read_ahead: self.read_ahead,
            direct: instance.direct,
            start_after_ns: instance.start_after_ns,
            head: media.head_places(instance.prepared(), instance.begin(0)),
        };
        Some(Box::new(Player::new(instance.first_stream, shape)))
    }
}

impl ActorScript for Player {}

/// The clip and the settings of a player.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerShape {
    pub clip: Clip,
    /// The rate and the buffer.
    pub pace: Pace,
    /// How many frames are requested at once.
    pub read_ahead: ReadAhead,
    /// Whether it bypasses the client's cache. Then frames must be aligned.
    pub direct: bool,
    /// Delay of its start after the beginning of the load point.
    pub start_after_ns: u64,
    /// The ranges of a movie file that are read right after the open, in this order: header and index.
    /// They are not frames. A sequence has none.
    pub head: Vec<FramePlace>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    Opening,
    /// The number of parts of the head that have been read.
    Head(usize),
    ReadingHead(usize),
    Playing,
}

/// A frame in progress.
#[derive(Clone, Copy, Debug)]
struct Slot {
    read: FrameRead,
    is_in_flight: bool,
}

/// A player as a script. See the module.
#[derive(Clone, Debug)]
pub struct Player {
    stream: u32,
    shape: PlayerShape,
    phase: Phase,
    t0_ns: u64,
    /// When the file must be opened: at t0, or after a failure.
    open_ns: u64,
    next_frame: u64,
    /// One per frame that may be in progress. A slot's number is its token, and in a sequence its
    /// handle.
    slots: Vec<Option<Slot>>,
}

impl Player {
    /// A player that has not started.
    pub fn new(first_stream: u32, shape: PlayerShape) -> Player {
        let frames_under_way = match shape.read_ahead {
            ReadAhead::Closed => 1,
            ReadAhead::Open => u16::try_from(shape.pace.buffer_frames).unwrap_or(u16::MAX).max(1),
        };
        let slots = vec![None; usize::from(frames_under_way)];
        let phase = Phase::Closed;
        Player { stream: first_stream, shape, phase, t0_ns: 0, open_ns: 0, next_frame: 0, slots }
    }

    /// The handle of a slot; in a movie all slots share one.
    fn hand(&self, slot: usize) -> Hand {
        let handle = if self.shape.clip.is_sequence() { slot as u16 } else { 0 };
        Hand::reading(self.stream, handle, self.shape.direct)
    }

    /// An operation before the first frame.
    fn before_play(&mut self, phase: Phase, op: Op) -> Step {
        self.phase = phase;
        Step::Do(Op { token: 0, ..op })
    }

    /// The next operation of a frame in progress, or the first one of the next frame at `now_ns`.
    fn play(&mut self, now_ns: u64) -> Step {
        let waiting = |slot: &Option<Slot>| slot.is_some_and(|slot| !slot.is_in_flight);
        if let Some(number) = self.slots.iter().position(waiting) {
            return self.go_on(number);
        }
        let Some(free) = self.slots.iter().position(Option::is_none) else {
            return Step::Blocked;
        };
        let pace = self.shape.pace;
        self.next_frame = pace.next_frame(self.t0_ns, self.next_frame, now_ns);
        let due_ns = pace.readable_ns(self.t0_ns, self.next_frame);
        if self.shape.clip.is_sequence() && due_ns > now_ns {
            // Not issued early: the driver would hold it and not ask for the operations of frames in
            // progress.
            return Step::Wait { until_ns: due_ns };
        }
        let frame = self.next_frame;
        let read = FrameRead::new(&self.shape.clip, frame, frame as u32, due_ns, OpFlags::FRAME);
        self.slots[free] = Some(Slot { read, is_in_flight: false });
        self.next_frame += 1;
        self.go_on(free)
    }

    fn go_on(&mut self, number: usize) -> Step {
        let hand = self.hand(number);
        let Some(slot) = &mut self.slots[number] else {
            return Step::Blocked;
        };
        slot.is_in_flight = true;
        Step::Do(Op { token: number as u32, ..slot.read.op(&hand, true) })
    }
}

impl Script for Player {
    fn needs(&self) -> Needs {
        let head = self.shape.head.iter().map(|place| place.len).max().unwrap_or(0);
        let in_flight = self.slots.len() as u16;
        Needs {
            handles: if self.shape.clip.is_sequence() { in_flight } else { 1 },
            in_flight,
            max_len: self.shape.clip.max_len().max(head),
            writes: false,
        }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        let hand = self.hand(0);
        match self.phase {
            Phase::Opening | Phase::ReadingHead(_) => Step::Blocked,
            Phase::Closed => {
                let open = hand.op(OpKind::Open, self.shape.clip.place(0).file, 0, self.open_ns);
                self.before_play(Phase::Opening, open)
            }
            Phase::Head(part) => match self.shape.head.get(part) {
                Some(&place) => {
                    let read = hand.block(OpKind::Read, place, 0, self.t0_ns);
                    self.before_play(Phase::ReadingHead(part), read)
                }
                None => {
                    self.phase = Phase::Playing;
                    self.play(now_ns)
                }
            },
            Phase::Playing => self.play(now_ns),
        }
    }

    fn done(&mut self, done: &Done) {
        match self.phase {
            Phase::Opening if done.errno == 0 => self.phase = Phase::Head(0),
            Phase::Opening => {
                // A player that could not open its file retries, late.
                self.phase = Phase::Closed;
                self.open_ns = done.done_ns.saturating_add(PAUSE_AFTER_ERROR_NS);
            }
            Phase::ReadingHead(part) => self.phase = Phase::Head(part + 1),
            Phase::Closed | Phase::Head(_) => {}
            Phase::Playing => {
                let Some(slot) = self.slots.get_mut(done.token as usize) else { return };
                let left = slot.and_then(|slot| slot.read.after(done));
                *slot = left.map(|read| Slot { read, is_in_flight: false });
            }
        }
    }

    fn resume(&mut self, now_ns: u64) {
        self.phase = if self.shape.clip.is_sequence() { Phase::Playing } else { Phase::Closed };
        self.t0_ns = now_ns.saturating_add(self.shape.start_after_ns);
        self.open_ns = self.t0_ns;
        self.next_frame = 0;
        self.slots.fill(None);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;
    use reelgauge_formats::FrameRate;

    use super::*;
    use crate::pace::Policy;
    use crate::test_driver::{DoneOp, done_ops, run, takes};

    const MS: u64 = 1_000_000;
    const FRAME: OpFlags = OpFlags::FRAME;

    fn shape(clip: Clip, buffer_frames: u32, read_ahead: ReadAhead) -> PlayerShape {
        let pace = Pace { rate: FrameRate::whole(25), buffer_frames, policy: Policy::Drop };
        PlayerShape { clip, pace, read_ahead, direct: false, start_after_ns: 0, head: Vec::new() }
    }

    /// kind, file, offset, frame, flags, due and issue time in milliseconds
    type Row = (&'static str, u32, u64, u32, OpFlags, u64, u64);

    fn rows(ops: &[DoneOp]) -> Vec<Row> {
        let row = |DoneOp { op, issued_ns, .. }: &DoneOp| {
            let kind = op.kind.name();
            (kind, op.file, op.offset, op.transfer, op.flags, op.due_ns / MS, issued_ns / MS)
        };
        ops.iter().map(row).collect()
    }

    #[test]
    fn a_movie_is_opened_its_head_read_and_then_frame_by_frame() {
        let clip = Clip::constant(4, 300, 100).unwrap();
        let at = |offset, len| FramePlace { file: 4, offset, len };
        let head = vec![at(0, 32), at(5000, 700)];
        let mut player = Player::new(9, PlayerShape { head, ..shape(clip, 2, ReadAhead::Closed) });
        assert_eq!(player.needs(), Needs { handles: 1, in_flight: 1, max_len: 700, writes: false });
        let ops = done_ops(&mut player, (100 * MS, 300 * MS), takes(10 * MS));
        let none = OpFlags::NONE;
        let last = FRAME.with(OpFlags::LAST);
        let expected = [
            ("open", 4, 0, 0, none, 100, 100),
            ("read", 4, 0, 0, none, 100, 110),
            ("read", 4, 5000, 0, none, 100, 120),
            // A buffer of two frames is requested at once. Then a place is free whenever a frame was
            // shown.
            ("read", 4, 0, 0, last, 100, 130),
            ("read", 4, 100, 1, last, 100, 140),
            ("read", 4, 200, 2, last, 180, 180),
            ("read", 4, 0, 3, last, 220, 220),
            ("read", 4, 100, 4, last, 260, 260),
        ];
        assert_eq!(rows(&ops), expected);
        assert!(ops.iter().all(|played| played.op.stream == 9));
    }

    #[test]
    fn a_sequence_is_opened_read_and_closed_frame_by_frame() {
        let mut player = Player::new(0, shape(Clip::sequence(7, 2, 50).unwrap(), 1, ReadAhead::Closed));
        let ops = done_ops(&mut player, (0, 121 * MS), takes(5 * MS));
        let last = FRAME.with(OpFlags::LAST);
        let expected = [
            ("open", 7, 0, 0, FRAME, 0, 0),
            ("read", 7, 0, 0, last, 5, 5),
            ("close", 7, 0, 0, OpFlags::NONE, 10, 10),
            ("open", 8, 0, 1, FRAME, 40, 40),
            ("read", 8, 0, 1, last, 45, 45),
            ("close", 8, 0, 1, OpFlags::NONE, 50, 50),
            ("open", 7, 0, 2, FRAME, 80, 80),
            ("read", 7, 0, 2, last, 85, 85),
            ("close", 7, 0, 2, OpFlags::NONE, 90, 90),
            ("open", 8, 0, 3, FRAME, 120, 120),
        ];
        assert_eq!(rows(&ops), expected);
    }

    #[test]
    fn open_read_ahead_has_a_file_per_frame_under_way() {
        let mut player = Player::new(0, shape(Clip::sequence(0, 100, 50).unwrap(), 4, ReadAhead::Open));
        assert_eq!((player.needs().handles, player.needs().in_flight), (4, 4));
        let slow = |op: &Op, now_ns| {
            let ms = if op.kind == OpKind::Read { 90 } else { 7 };
            (now_ns + ms * MS, 0)
        };
        let ops = done_ops(&mut player, (0, 2000 * MS), slow);
        // Every read follows its open immediately, although the next frame is due much later: nothing is
        // held.
        assert!(ops.iter().all(|played| played.issued_ns == played.op.due_ns));
        let opens = ops.iter().filter(|played| played.op.kind == OpKind::Open);
        for (frame, open) in (0_u64..).zip(opens) {
            let due_ms = if frame < 4 { 0 } else { (frame - 4) * 40 + 160 };
            assert_eq!((u64::from(open.op.transfer), open.issued_ns / MS), (frame, due_ms));
        }
    }

    #[test]
    fn a_file_that_opens_late_moves_no_deadline() {
        let mut player = Player::new(0, shape(Clip::constant(0, 1000, 10).unwrap(), 2, ReadAhead::Closed));
        let mut tries = 0;
        let ops = done_ops(&mut player, (0, 400 * MS), |op, now_ns| {
            tries += u32::from(op.kind == OpKind::Open);
            let fails = op.kind == OpKind::Open && tries <= 10;
            (now_ns + MS, if fails { 5 } else { 0 })
        });
        let opens: Vec<_> = ops.iter().filter(|played| played.op.kind == OpKind::Open).collect();
        assert_eq!(opens.len(), 11);
        assert!(opens.windows(2).all(|pair| pair[1].issued_ns == pair[0].done_ns + PAUSE_AFTER_ERROR_NS));
        // The open succeeds after 111 ms: the deadline of frame 0 (80 ms) has passed, that of frame 1
        // has not.
        let first = ops.iter().find(|played| played.op.flags.has(FRAME)).unwrap();
        assert_eq!((first.op.transfer, first.op.due_ns, first.issued_ns), (1, 0, 111 * MS));
    }

    #[test]
    fn failed_open_loses_only_its_frame() {
        let mut player = Player::new(0, shape(Clip::sequence(0, 9, 50).unwrap(), 2, ReadAhead::Open));
        let ops = done_ops(&mut player, (0, 1000 * MS), |op, now_ns| {
            (now_ns + MS, if op.kind == OpKind::Open && op.transfer == 5 { 2 } else { 0 })
        });
        let frames = |kind| ops.iter().filter(move |op| op.op.kind == kind).map(|op| op.op.transfer);
        assert!(frames(OpKind::Open).eq(0..25));
        assert!(frames(OpKind::Read).eq((0..25).filter(|&frame| frame != 5)));
        assert!(frames(OpKind::Close).eq(frames(OpKind::Read)));
    }

    #[test]
    fn a_day_at_59_94_is_played_without_drift() {
        let rate: FrameRate = "59.94".parse().unwrap();
        let clip = Clip::constant(0, 1000, 10).unwrap();
        let pace = Pace { rate, buffer_frames: 60, policy: Policy::Drop };
        let shape = PlayerShape { pace, ..shape(clip, 60, ReadAhead::Closed) };
        let day_ns = 86_400_000 * MS;
        let (mut frames, mut last) = (0, None);
        run(&mut Player::new(0, shape), (0, day_ns), takes(1000), |done| {
            if done.op.flags.has(FRAME) {
                assert_eq!(done.op.transfer, frames, "no frame is left out");
                frames += 1;
                last = Some(*done);
            }
        });
        // 86,400 s × 60000 ÷ 1001, rounded up, are due in a day; a buffer of 60 is requested at once.
        assert_eq!(frames, 5_178_822);
        let DoneOp { op, issued_ns, .. } = last.unwrap();
        let exact_ns = u128::from(op.transfer) * 1001 * 1_000_000_000 / 60_000;
        assert!(exact_ns.abs_diff(u128::from(op.due_ns)) <= 1);
        assert_eq!(issued_ns, op.due_ns);
    }

    proptest! {
        #[test]
        fn every_load_point_starts_from_the_beginning(
            until_ms in 1_u64..500, op_ms in 0_u64..60, is_sequence: bool, is_open: bool, buffer in 1_u32..6,
        ) {
            let clip = if is_sequence { Clip::sequence(0, 7, 9) } else { Clip::constant(0, 63, 9) };
            let read_ahead = if is_open { ReadAhead::Open } else { ReadAhead::Closed };
            let shape = PlayerShape { start_after_ns: 3 * MS, ..shape(clip.unwrap(), buffer, read_ahead) };
            let mut player = Player::new(0, shape.clone());
            // A player interrupted anywhere and resumed behaves like a new one, one second later.
            done_ops(&mut player, (0, until_ms * MS), takes(op_ms * MS));
            let again = done_ops(&mut player, (1000 * MS, 1300 * MS), takes(op_ms * MS));
            let fresh = done_ops(&mut Player::new(0, shape), (0, 300 * MS), takes(op_ms * MS));
            let later = |row: Row| (row.0, row.1, row.2, row.3, row.4, row.5 + 1000, row.6 + 1000);
            prop_assert_eq!(rows(&again), rows(&fresh).into_iter().map(later).collect::<Vec<_>>());
        }
    }
}
