//! The frames that are not settled yet: in flight, waiting for their deadline, or missing so far.

use std::collections::VecDeque;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::scheduling_delay::{IdealNs, OwnTimes};

/// The state of one frame, from its operations so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Frame {
    /// When its first operation was due; [`u64::MAX`] for a frame without operations.
    pub(super) due_ns: u64,
    /// When its last operation so far completed: at least 1, or 0 without operations.
    pub(super) done_ns: u64,
    /// The same without the delays of Reelgauge.
    pub(super) own_done: IdealNs,
    /// When the worker was free for its first operation, without the delays of Reelgauge.
    pub(super) own_free: IdealNs,
    pub(super) bytes: u64,
    /// Whether the operation with LAST succeeded.
    has_last: bool,
    /// Whether an operation failed or was short.
    pub(super) has_trouble: bool,
    /// Whether syncing or closing its file failed: it is unknown which of its data arrived.
    is_lost: bool,
    /// Whether playback restarts at it: see [`OpFlags::CUE`].
    pub(super) is_cue: bool,
    /// Whether it is known to be complete.
    pub(super) is_complete: bool,
}

impl Frame {
    const UNSEEN: Frame = Frame {
        due_ns: u64::MAX,
        done_ns: 0,
        own_done: IdealNs { unlimited: 0, limited: 0 },
        own_free: IdealNs::LAST,
        bytes: 0,
        has_last: false,
        has_trouble: false,
        is_lost: false,
        is_cue: false,
        is_complete: false,
    };

    /// Whether any of its operations completed.
    pub(super) fn is_seen(&self) -> bool {
        self.done_ns != 0
    }

    /// Takes one of its operations; returns `true` if that completes it.
    fn take(&mut self, op: &OpRecord, own: &OwnTimes, frame_bytes: Option<u64>) -> bool {
        self.due_ns = self.due_ns.min(op.due_ns);
        self.done_ns = self.done_ns.max(op.done_ns).max(1);
        self.own_done = self.own_done.max(own.done);
        self.own_free = self.own_free.min(own.free);
        self.is_cue |= op.flags.has(OpFlags::CUE);
        let failed = op.errno != 0;
        self.has_last |= op.flags.has(OpFlags::LAST) && !failed;
        self.has_trouble |= failed || op.is_short();
        self.is_lost |= failed && matches!(op.kind, OpKind::Sync | OpKind::Close);
        if !failed {
            self.bytes += u64::from(op.done_len);
        }
        let all_came = match frame_bytes {
            Some(needed) => self.bytes >= needed && !self.is_lost,
            None => !self.has_trouble,
        };
        let completes = !self.is_complete && self.has_last && all_came;
        self.is_complete |= completes;
        completes
    }
}

/// Unsettled frames in the order of their numbers, up to the highest that was begun.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    base: u64,
    ring: VecDeque<Frame>,
    /// Unsettled frames that are kept, at most.
    most: usize,
}

impl Frames {
    /// An empty list for at most this many frames.
    pub(super) fn new(most: usize) -> Frames {
        Frames { base: 0, ring: VecDeque::new(), most: most.max(1) }
    }

    /// The number of the first unsettled frame.
    pub(super) fn base(&self) -> u64 {
        self.base
    }

    /// The first unsettled frame, if it or a later frame was begun.
    pub(super) fn front(&self) -> Option<&Frame> {
        self.ring.front()
    }

    /// The unsettled frames, from the first one on.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Frame> {
        self.ring.iter()
    }

    /// Settles the first frame.
    pub(super) fn pop(&mut self) -> Option<Frame> {
        let frame = self.ring.pop_front()?;
        self.base += 1;
        Some(frame)
    }

    /// Settles frames without operations, if no unsettled frame was begun.
    pub(super) fn skip_to(&mut self, base: u64) {
        assert!(self.ring.is_empty(), "frames that have started are not skipped");
        self.base = self.base.max(base);
    }

    /// The lowest first unsettled number with which a frame of this number fits; larger than
    /// [`Frames::base`] if frames must be settled first.
    pub(super) fn base_for(&self, number: u64) -> u64 {
        // The first frames all fit.
        self.base.max((number + 1).saturating_sub(self.most as u64))
    }

    /// Takes an operation of an unsettled frame; returns its bytes if that completes it.
    pub(super) fn take(&mut self, op: &OpRecord, own: &OwnTimes, frame_bytes: Option<u64>) -> Option<u64> {
        let number = u64::from(op.transfer);
        debug_assert!(number >= self.base, "operations of settled frames are counted elsewhere");
        let index = (number - self.base) as usize;
        debug_assert!(index < self.most, "space is reserved for a frame before it is used");
        if index >= self.ring.len() {
            self.ring.resize(index + 1, Frame::UNSEEN);
        }
        let frame = &mut self.ring[index];
        frame.take(op, own, frame_bytes).then_some(frame.bytes)
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::read;

    use super::*;

    fn take(frames: &mut Frames, number: u32) {
        frames.take(&read(0, 0, 100).frame(number).at_ms(1), &OwnTimes::default(), None);
    }

    #[test]
    #[should_panic(expected = "frames that have started are not skipped")]
    fn skipping_a_frame_that_was_begun_is_a_defect() {
        let mut frames = Frames::new(8);
        take(&mut frames, 3);
        frames.skip_to(7);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "operations of settled frames are counted elsewhere")]
    fn an_operation_of_a_settled_frame_is_a_defect() {
        let mut frames = Frames::new(8);
        frames.skip_to(7);
        take(&mut frames, 3);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "space is reserved for a frame before it is used")]
    fn a_frame_that_does_not_fit_is_a_defect() {
        take(&mut Frames::new(8), 8);
    }
}
