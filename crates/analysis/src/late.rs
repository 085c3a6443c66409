//! Late frames, which no throughput figure shows. Every frame of every stream has a deadline on a
//! timeline that never shifts. After a stall of one second, every delayed frame is late, and each one is
//! counted.
//!
//! * [`StreamSpec`], [`MeasuredPart`]: what must be known in advance; [`FrameTimeline`]: the deadlines.
//! * [`LateTally`]: takes every operation of a load point and gives the [`LateFigures`] at its end. Its
//!   memory is bounded however long that is.
//!
//! What counts:
//! * Frame i is late if its last byte comes after t0 + prebuffer + i ÷ rate. t0 is when the stream's first
//!   operation was due. Frames that failed, never became complete or were never begun are late too.
//! * Judged are the frames whose deadline lies in the measured part.
//! * A frame is complete when its operation with the flag LAST has succeeded. If
//!   [`StreamSpec::frame_bytes`] is known, all its bytes must also have arrived, in any order. If every
//!   frame is a file, opening or creating that file is the frame's first operation. A written frame is
//!   complete with the close, because data may arrive as late as that. A close after the frame was
//!   complete (no flag FRAME) is not part of it.
//! * Playback may restart at another frame (flag CUE: the user jumped). The frames between the last one
//!   begun and that frame were not requested, so they are not judged. The same holds for frames after
//!   the last one begun if the load point ends during a scrub. Random reads without the flag FRAME mark
//!   a scrub.
//!
//! The scheduling delay of Reelgauge is counted separately, so that the storage is not blamed for it.
//! Issued − due is not that delay: behind a slow operation the next ones are issued late through no
//! fault of Reelgauge. So every operation is also placed on a second timeline. There, Reelgauge issues
//! it as soon as it is due and the worker is free, and the storage takes as long as it did. A late frame
//! that would have been in time there counts in `late_frames_with_own_delay`. For a worker with one
//! operation at a time this is exact. With several in flight, a worker counts as free from its latest
//! completion. If Reelgauge did not run while an operation was in flight ([`crate::pause`]), that time
//! is subtracted from the operation. The same is done for the time its thread waited for a processor
//! ([`ProcessorWait`]). All this holds if the storage had time to spare. If it was busy throughout and
//! delivered less than needed, the frames would have been late anyway, and none is attributed to
//! Reelgauge.
//!
//! Not here: what is good enough ([`crate::criteria`], [`crate::verdict`]).

mod figures;
mod frame_count;
mod frames;
mod kind;
mod late_run;
mod live;
mod margins;
mod micros;
mod pace_without_delay;
mod point_counts;
mod scheduling_delay;
mod slots;
mod stream;
pub(crate) mod strip;
#[cfg(any(test, feature = "test-streams"))]
pub mod test_streams;
mod throughput;
mod timeline;
mod totals;
mod waits;

#[cfg(test)]
mod tests;

use reelgauge_record::{OpFlags, OpKind, OpRecord, ProcessorWait};
use serde::{Deserialize, Serialize};

use crate::incident::{AnswerTally, IncidentTally, OwnShare, Silence};
use crate::pause::{Pause, Pauses};
use crate::trace_stats::over_time::TimeBins;

pub(crate) use late_run::ClosedRun;

pub use figures::{
    FirstLateFrame, LateFigures, LateRun, MarginTrend, StreamFigures, StreamLateFrame, StreamTotals,
    StreamWorstMargin, ThroughputFigures, WorstMargin,
};
pub use kind::StreamKind;
pub use live::{LateNow, StreamNow};
pub use point_counts::LateCounted;
pub use timeline::FrameTimeline;

pub use reelgauge_formats::Policy;
use scheduling_delay::{WorkerPast, booked_ns};
use slots::Slots;
use stream::StreamTally;
use strip::Strip;
use waits::Waits;

/// One stream, as known before it runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StreamSpec {
    /// The stream number of its operations.
    pub stream: u32,
    /// Its description: `player, XAVC-I class 300 UHD50`.
    pub name: String,
    /// Its kind. `None` in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<StreamKind>,
    /// Its format. `None` in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// Whether it records; otherwise it plays.
    pub writes: bool,
    /// How it treats frames whose time has passed.
    pub policy: Policy,
    /// Frames in `rate_den` seconds; above 0.
    pub rate_num: u32,
    /// 1, or 1001 for the NTSC family; above 0.
    pub rate_den: u32,
    /// How long the stream may lag.
    pub prebuffer_ns: u64,
    /// Bytes that make a frame complete, if all frames have the same size. `None` if they differ: then
    /// the operation with LAST must be the last of its frame to complete.
    pub frame_bytes: Option<u64>,
    /// The number of frames, if the stream ends before the load point does.
    pub frames_total: Option<u64>,
    /// Mean throughput over the buffer time that the application needs (EBU Tech 3362, 9.2(7)). Used
    /// only to report when throughput first dropped below it.
    pub throughput_needed_bytes_per_s: Option<f64>,
    /// Its planned start, if known: the only information if its first operation never completes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub begins: Option<Beginning>,
}

/// The planned start of a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Beginning {
    /// Time after the start of the load point.
    pub after_ns: u64,
    /// Whether playback sometimes stops and restarts at another frame.
    pub may_jump: bool,
}

impl StreamSpec {
    /// Its timeline, when its first operation is known.
    pub fn timeline(&self, t0_ns: u64) -> FrameTimeline {
        FrameTimeline {
            rate_num: self.rate_num,
            rate_den: self.rate_den,
            t0_ns,
            prebuffer_ns: self.prebuffer_ns,
        }
    }
}

/// The part of a load point that is judged, on the run's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasuredPart {
    /// The load point's number; operations of other load points are ignored.
    pub point: u16,
    /// When the load point began, with its warm-up.
    pub started_ns: u64,
    /// When the warm-up was over.
    pub from_ns: u64,
    /// When the load point ends; the first moment that is not part of it.
    pub until_ns: u64,
}

/// Counts late frames from the operations of one load point, including its warm-up. Each worker's
/// operations must come in the order in which they completed.
#[derive(Clone, Debug)]
pub struct LateTally {
    part: MeasuredPart,
    streams: Vec<StreamTally>,
    stream_slots: Slots,
    workers: Vec<WorkerPast>,
    /// When the latest scrub of each worker was due.
    scrubbed_ns: Vec<Option<u64>>,
    worker_slots: Slots,
    ignored_ops: u64,
    pauses: Pauses,
    waits: Waits,
    answers: AnswerTally,
    incidents: IncidentTally,
    /// Whether nothing was in flight when the load point was given up.
    all_came_back: bool,
}

impl LateTally {
    /// An empty tally. If several specs have the same stream number, the last one counts.
    pub fn new(specs: Vec<StreamSpec>, part: MeasuredPart) -> LateTally {
        let mut tally = LateTally {
            part,
            streams: Vec::with_capacity(specs.len()),
            stream_slots: Slots::default(),
            workers: Vec::new(),
            scrubbed_ns: Vec::new(),
            worker_slots: Slots::default(),
            ignored_ops: 0,
            pauses: Pauses::default(),
            waits: Waits::default(),
            answers: AnswerTally::new(part.started_ns),
            incidents: IncidentTally::default(),
            all_came_back: true,
        };
        for spec in specs {
            let slot = tally.stream_slots.get_or_insert(spec.stream);
            let stream = StreamTally::new(spec, part);
            match tally.streams.get_mut(slot) {
                Some(known) => *known = stream,
                None => tally.streams.push(stream),
            }
        }
        tally
    }

    /// A tally that also keeps a strip of every stream, over these bins of time.
    pub(crate) fn with_strips(specs: Vec<StreamSpec>, part: MeasuredPart, time: TimeBins) -> LateTally {
        let mut tally = LateTally::new(specs, part);
        tally.streams.iter_mut().for_each(|stream| stream.keep_strip(time));
        tally
    }

    /// Takes an operation. Operations of other load points and of unknown streams are only counted.
    #[inline]
    pub fn add(&mut self, op: &OpRecord) {
        if op.point != self.part.point {
            self.ignored_ops += 1;
            return;
        }
        let slot = self.stream_slots.get(op.stream);
        let Some(stream) = slot.and_then(|slot| self.streams.get_mut(slot)) else {
            // Not part of any frame, but it shows whether the storage responds.
            let wait = self.waits.of(op);
            let booked_ns = booked_ns(op, &self.pauses, wait);
            self.answers.add(op, &OwnShare { booked_ns, delay_ns: 0, wait });
            self.ignored_ops += 1;
            return;
        };
        let worker = self.worker_slots.get_or_insert(op.worker);
        if worker == self.workers.len() {
            self.workers.push(WorkerPast::default());
            self.scrubbed_ns.push(None);
        }
        if is_scrub(op) {
            self.scrubbed_ns[worker] = self.scrubbed_ns[worker].max(Some(op.due_ns));
        }
        let times = self.workers[worker].take(op, &self.pauses, self.waits.of(op));
        self.answers.add(op, &times.share());
        stream.add(op, &times, worker);
        if let Some(runs) = stream.take_closed_runs() {
            runs.iter().for_each(|run| self.incidents.take(op.stream, run));
        }
    }

    /// Records that Reelgauge did not run for a while. Call this before adding the operations that were
    /// in flight then.
    pub fn paused(&mut self, pause: Pause) {
        self.pauses.push(pause);
    }

    /// Records that the thread of an operation waited for a processor. Call this before adding the
    /// operation.
    pub fn waited(&mut self, wait: ProcessorWait) {
        self.waits.put(wait);
    }

    /// Records that the load point was given up at `given_up_ns`, while an operation was in flight that
    /// had been issued at `issued_ns`.
    pub fn unanswered(&mut self, issued_ns: u64, given_up_ns: u64) {
        self.all_came_back = false;
        self.answers.unanswered(issued_ns, given_up_ns);
    }

    /// Every time of at least this length in which operations were in flight and none completed.
    pub fn silences(&self, at_least_ns: u64) -> Vec<Silence> {
        self.answers.silences(at_least_ns, &self.pauses)
    }

    /// Whether there are any streams.
    pub fn has_streams(&self) -> bool {
        !self.streams.is_empty()
    }

    /// The state at `now_ns`, when all operations that completed until then are added; see [`LateNow`].
    pub fn at(&self, now_ns: u64) -> LateNow {
        let at_ns = now_ns.min(self.part.until_ns);
        let scrubbed_ns = |worker: usize| self.scrubbed_ns.get(worker).copied().flatten();
        let streams: Vec<StreamNow> =
            self.streams.iter().map(|stream| stream.at(at_ns, scrubbed_ns)).collect();
        let late_frames = streams.iter().map(|stream| stream.late_frames).sum();
        LateNow { at_ns, late_frames, streams }
    }

    /// Records which streams were stopped. Call this before the indices of workers become invalid.
    fn note_stops(&mut self) {
        let scrubbed_ns = |worker: usize| self.scrubbed_ns.get(worker).copied().flatten();
        self.streams.iter_mut().for_each(|stream| stream.note_stop(scrubbed_ns));
    }

    /// Cuts the load point short: frames with a deadline from this time on are not judged. To be called
    /// before the operations that were in flight at that time are added. Otherwise frames that were
    /// never begun because the load point was over would count as late.
    pub fn end_at(&mut self, end_ns: u64) {
        self.part.until_ns = self.part.until_ns.min(end_ns);
        for stream in &mut self.streams {
            stream.end_at(end_ns);
        }
    }

    /// Ends the load point, at the latest at `end_ns`, and returns the figures, by stream number.
    pub fn finish(self, end_ns: u64) -> LateFigures {
        self.finish_with_strips(end_ns).0
    }

    /// Like [`LateTally::finish`], with the strips of the streams that began and keep one, by stream
    /// number.
    pub(crate) fn finish_with_strips(self, end_ns: u64) -> (LateFigures, Vec<(u32, Strip)>) {
        let counted = self.count(end_ns);
        (counted.figures(), counted.into_strips())
    }

    /// Ends the load point, at the latest at `end_ns`, and returns the counts, to which those of other
    /// hosts can be added.
    pub fn count(mut self, end_ns: u64) -> LateCounted {
        self.end_at(end_ns);
        self.note_stops();
        self.streams.sort_by_key(StreamTally::number);
        let is_rising = self.streams.is_sorted_by(|one, next| one.number() < next.number());
        assert!(is_rising, "each stream of a load point has its own number");
        for stream in &mut self.streams {
            stream.finish(self.all_came_back);
            for run in stream.take_closed_runs().into_iter().flatten() {
                self.incidents.take(stream.number(), &run);
            }
        }
        let needed_bytes_per_s = self.streams.iter().filter_map(StreamTally::needed_bytes_per_s).sum();
        let slow = self.streams.iter().filter(|stream| stream.is_beyond_storage()).map(StreamTally::number);
        let mut acquitted = self.incidents.acquit_tool_of(&slow.collect::<Vec<_>>());
        acquitted.extend(self.incidents.acquit_tool(&self.answers, &self.pauses, needed_bytes_per_s));
        for (stream, frames) in acquitted {
            let slot = self.streams.binary_search_by_key(&stream, StreamTally::number);
            let slot = slot.expect("late frames of an incident belong to a stream of the load point");
            self.streams[slot].late_all_the_same(frames);
        }
        let incidents = self.incidents.finish(
            &self.answers,
            &self.pauses,
            Some(needed_bytes_per_s),
            self.part.started_ns,
        );
        LateCounted {
            incidents,
            incident_count: self.incidents.count(),
            streams: self.streams,
            ignored_ops: self.ignored_ops,
        }
    }
}

/// Whether an operation is part of a scrub (searching for a position) rather than playback.
fn is_scrub(op: &OpRecord) -> bool {
    op.kind == OpKind::Read && op.flags.has(OpFlags::RANDOM) && !op.flags.has(OpFlags::FRAME)
}
