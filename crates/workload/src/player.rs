//! A player: reads a movie file frame by frame, as far ahead as its buffer goes.
//!
//! On the wire: open, then one read per frame, each due when its place in the buffer is free. (FFmpeg,
//! GStreamer and the like read a frame with one or two calls; see the measured patterns in the project's
//! notes on media formats.) At the start the whole buffer is asked for at once: that burst is what a
//! server sees when somebody presses play.
//!
//! Not here: what counts as late (the analysis room decides from the log).

use reelgauge_record::{OpFlags, OpKind};

use crate::clip::Clip;
use crate::pace::{Pace, ReadAhead};
use crate::script::{Done, Needs, Op, OpenMode, Script, Step};

/// What a player plays, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayerShape {
    /// The frames.
    pub clip: Clip,
    /// The rate and the buffer.
    pub pace: Pace,
    /// How many frames are asked for at once.
    pub read_ahead: ReadAhead,
    /// Past the client's cache. Frames must then lie aligned.
    pub direct: bool,
    /// How long after the load point's beginning it is started.
    pub start_after_ns: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Closed,
    Opening,
    Playing,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Player {
    stream: u32,
    shape: PlayerShape,
    phase: Phase,
    t0_ns: u64,
    next_frame: u64,
    in_flight: u16,
}

impl Player {
    /// A player that has not begun.
    pub fn new(stream: u32, shape: PlayerShape) -> Player {
        Player { stream, shape, phase: Phase::Closed, t0_ns: 0, next_frame: 0, in_flight: 0 }
    }

    fn in_flight_max(&self) -> u16 {
        match self.shape.read_ahead {
            ReadAhead::Closed => 1,
            ReadAhead::Open => u16::try_from(self.shape.pace.buffer_frames).unwrap_or(u16::MAX),
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
            flags: OpFlags::NONE,
            open: OpenMode { direct: self.shape.direct, ..OpenMode::default() },
            token: 0,
        }
    }

    /// The read of the frame whose turn it is at `now_ns`.
    fn read(&mut self, now_ns: u64) -> Op {
        let pace = self.shape.pace;
        self.next_frame = pace.next_frame(self.t0_ns, self.next_frame, now_ns);
        let place = self.shape.clip.place(self.next_frame);
        let op = Op {
            offset: place.offset,
            len: place.len,
            flags: OpFlags::FRAME.with(OpFlags::LAST),
            token: 1,
            ..self.op(OpKind::Read, pace.readable_ns(self.t0_ns, self.next_frame))
        };
        self.next_frame += 1;
        op
    }
}

impl Script for Player {
    fn needs(&self) -> Needs {
        Needs {
            handles: 1,
            in_flight: self.in_flight_max(),
            max_len: self.shape.clip.max_len(),
            writes: false,
        }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        let op = match self.phase {
            Phase::Opening => return Step::Blocked,
            Phase::Playing if self.in_flight >= self.in_flight_max() => return Step::Blocked,
            Phase::Playing => self.read(now_ns),
            Phase::Closed => {
                self.phase = Phase::Opening;
                self.op(OpKind::Open, self.t0_ns)
            }
        };
        self.in_flight += 1;
        Step::Do(op)
    }

    fn done(&mut self, done: &Done) {
        self.in_flight -= 1;
        if self.phase == Phase::Opening {
            // A player that could not open its file tries again, behind its time.
            self.phase = if done.errno == 0 { Phase::Playing } else { Phase::Closed };
        }
    }

    fn resume(&mut self, now_ns: u64) {
        self.phase = Phase::Closed;
        self.t0_ns = now_ns.saturating_add(self.shape.start_after_ns);
        self.next_frame = 0;
        self.in_flight = 0;
    }
}
