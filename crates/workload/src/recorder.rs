//! A recorder: a camera makes a frame at every tick, and the recorder writes it from its buffer.
//!
//! On the wire: open, then one write per frame, each due when the camera has made it, and every so often a
//! sync, as recorders do to bound what a power cut costs. A frame that is not written when the buffer has
//! gone round once is lost; nothing slows a camera down.
//!
//! It writes over a file that is there already (a recorder that preallocates). Not here: growing files and
//! a file per frame.

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::Clip;
use crate::pace::Pace;
use crate::script::{Done, Needs, Op, OpenMode, Script, Step};

/// What a recorder records, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecorderShape {
    /// Where the frames go.
    pub clip: Clip,
    /// The rate and the buffer.
    pub pace: Pace,
    /// A sync after so many frames; `None` for never.
    pub sync_every_frames: Option<u32>,
    /// Past the client's cache. Frames must then lie aligned.
    pub direct: bool,
    /// How long after the load point's beginning it is started.
    pub start_after_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    Opening,
    Recording,
    Writing,
    SyncDue,
    Syncing,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Recorder {
    stream: u32,
    shape: RecorderShape,
    phase: Phase,
    t0_ns: u64,
    next_frame: u64,
    unsynced_frames: u32,
    done_ns: u64,
}

impl Recorder {
    /// A recorder that has not begun.
    pub fn new(stream: u32, shape: RecorderShape) -> Recorder {
        Recorder {
            stream,
            shape,
            phase: Phase::Closed,
            t0_ns: 0,
            next_frame: 0,
            unsynced_frames: 0,
            done_ns: 0,
        }
    }

    fn op(&self, kind: OpKind, due_ns: u64) -> Op {
        Op {
            kind,
            handle: 0,
            file: self.shape.clip.file,
            offset: 0,
            len: 0,
            due_ns,
            transfer: self.next_frame as u32,
            stream: self.stream,
            flags: OpFlags::WRITING,
            open: OpenMode { write: true, direct: self.shape.direct, dsync: false },
            token: 0,
        }
    }

    fn write(&mut self, now_ns: u64) -> Op {
        let pace = self.shape.pace;
        self.next_frame = pace.next_frame(self.t0_ns, self.next_frame, now_ns);
        let place = self.shape.clip.place(self.next_frame);
        let op = Op {
            offset: place.offset,
            len: place.len,
            flags: OpFlags::WRITING.with(OpFlags::FRAME).with(OpFlags::LAST),
            ..self.op(OpKind::Write, pace.captured_ns(self.t0_ns, self.next_frame))
        };
        self.next_frame += 1;
        op
    }
}

impl Script for Recorder {
    fn needs(&self) -> Needs {
        Needs { handles: 1, in_flight: 1, max_len: self.shape.clip.max_len(), writes: true }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        let (phase, op) = match self.phase {
            Phase::Closed => (Phase::Opening, self.op(OpKind::Open, self.t0_ns)),
            Phase::Recording => (Phase::Writing, self.write(now_ns)),
            Phase::SyncDue => (Phase::Syncing, self.op(OpKind::Sync, self.done_ns)),
            Phase::Opening | Phase::Writing | Phase::Syncing => return Step::Blocked,
        };
        self.phase = phase;
        Step::Do(op)
    }

    fn done(&mut self, done: &Done) {
        self.done_ns = done.done_ns;
        self.phase = match self.phase {
            // A recorder that could not open its file tries again; the camera does not wait.
            Phase::Opening if done.errno != 0 => Phase::Closed,
            Phase::Writing => {
                self.unsynced_frames += 1;
                let due = self.shape.sync_every_frames.is_some_and(|every| self.unsynced_frames >= every);
                if due { Phase::SyncDue } else { Phase::Recording }
            }
            Phase::Syncing => {
                self.unsynced_frames = 0;
                Phase::Recording
            }
            _ => Phase::Recording,
        };
    }

    fn resume(&mut self, now_ns: u64) {
        self.phase = Phase::Closed;
        self.t0_ns = now_ns.saturating_add(self.shape.start_after_ns);
        self.next_frame = 0;
        self.unsynced_frames = 0;
        self.done_ns = self.t0_ns;
    }
}
