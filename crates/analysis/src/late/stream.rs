//! One stream in one load point: waits until the stream's start is certain, then counts.

use reelgauge_record::{OpFlags, OpRecord};

use super::figures::StreamFigures;
use super::frame_count::Counting;
use super::late_run::ClosedRun;
use super::live::{StreamNow, between_ns};
use super::scheduling_delay::{IdealNs, OwnTimes};
use super::strip::Strip;
use super::{MeasuredPart, StreamSpec};
use crate::figures::{seconds, stretch_ns};
use crate::rounding::round_to;
use crate::trace_stats::over_time::TimeBins;

/// Operations that are kept until it is certain which was due first.
const HELD_OPS: usize = 64;

/// If playback may stop, frames that are overdue by less may simply not be wanted: a scrub is known when
/// its first read has completed, which takes less than this.
const SCRUB_NS: u64 = 500_000_000;

#[derive(Clone, Debug)]
pub(super) struct StreamTally {
    spec: StreamSpec,
    part: MeasuredPart,
    /// Its operations until [`Counting`] begins. Several may be in flight at the start and complete in
    /// any order, so t0 is certain only when frame 0 is complete.
    held: Vec<(OpRecord, OwnTimes)>,
    counting: Option<Box<Counting>>,
    /// The bins of its strip, if it keeps one.
    strip: Option<TimeBins>,
    /// The index of the worker of a frame's last operation, and when that was due.
    last_frame: Option<(usize, u64)>,
    /// When the latest of its operations would have completed without the delays of Reelgauge.
    own_free: Option<IdealNs>,
    play_had_stopped: bool,
}

impl StreamTally {
    pub(super) fn new(spec: StreamSpec, part: MeasuredPart) -> StreamTally {
        StreamTally {
            spec,
            part,
            held: Vec::new(),
            counting: None,
            strip: None,
            last_frame: None,
            own_free: None,
            play_had_stopped: false,
        }
    }

    /// Its planned start, if known.
    fn expected_t0_ns(&self) -> Option<u64> {
        // The table of streams is read from a file.
        Some(self.part.started_ns.saturating_add(self.spec.begins?.after_ns))
    }

    /// Whether its playback sometimes stops and restarts elsewhere.
    fn may_jump(&self) -> bool {
        self.spec.begins.is_some_and(|begins| begins.may_jump)
    }

    /// Makes it keep a strip from its start on.
    pub(super) fn keep_strip(&mut self, time: TimeBins) {
        self.strip = Some(time);
    }

    /// Its number and strip; `None` for a stream that never began or keeps none.
    pub(super) fn into_strip(self) -> Option<(u32, Strip)> {
        let counting = self.counting?;
        let strip = counting.strip?;
        let drawn: u64 = strip.late_frames.iter().sum();
        assert_eq!(drawn, counting.counts.late, "a strip shows all counted late frames");
        Some((self.spec.stream, *strip))
    }

    pub(super) fn number(&self) -> u32 {
        self.spec.stream
    }

    /// The runs of late frames that ended since the last call.
    #[inline]
    pub(super) fn take_closed_runs(&mut self) -> Option<Vec<ClosedRun>> {
        self.counting.as_mut()?.late_runs.take_closed()
    }

    /// See [`Counting::needed_bytes_per_s`].
    pub(super) fn needed_bytes_per_s(&self) -> Option<f64> {
        self.counting.as_ref()?.needed_bytes_per_s()
    }

    pub(super) fn is_beyond_storage(&self) -> bool {
        self.counting.as_ref().is_some_and(|counting| counting.is_beyond_storage())
    }

    /// When the load point began.
    pub(super) fn point_started_ns(&self) -> u64 {
        self.part.started_ns
    }

    /// Takes an operation of the worker with this index.
    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord, own: &OwnTimes, worker: usize) {
        if op.flags.has(OpFlags::FRAME) {
            let last_due_ns = self.last_frame.map_or(0, |(_, due_ns)| due_ns);
            self.last_frame = Some((worker, last_due_ns.max(op.due_ns)));
        }
        self.own_free = Some(self.own_free.map_or(own.done, |free| free.max(own.done)));
        match &mut self.counting {
            Some(counting) => counting.add(op, own),
            None => self.hold(op, own),
        }
    }

    #[cold]
    fn hold(&mut self, op: &OpRecord, own: &OwnTimes) {
        self.held.push((*op, *own));
        let ends_a_frame = op.flags.has(OpFlags::FRAME.with(OpFlags::LAST));
        if ends_a_frame && op.transfer == 0 || self.held.len() >= HELD_OPS {
            self.start();
        }
    }

    fn start(&mut self) {
        assert!(self.counting.is_none(), "a stream begins once");
        let held = std::mem::take(&mut self.held);
        // Without any operation it never got its first frame, and all frames are late.
        let Some(t0_ns) = first_due_ns(&held).or(self.expected_t0_ns()) else {
            return;
        };
        let mut counting = Box::new(Counting::new(&self.spec, self.part, t0_ns));
        counting.strip = self.strip.map(|time| Box::new(Strip::new(&self.spec, time, t0_ns)));
        held.iter().for_each(|(op, own)| counting.add(op, own));
        self.counting = Some(counting);
    }

    /// The state at `now_ns`, with all operations taken that completed until then. `scrubbed_ns` as in
    /// [`StreamTally::note_stop`].
    pub(super) fn at(&self, now_ns: u64, scrubbed_ns: impl Fn(usize) -> Option<u64>) -> StreamNow {
        let has_stopped = self.has_stopped(scrubbed_ns);
        let stands = |counting: &Counting| {
            let needed_ns = counting.next_deadline_ns();
            let overdue_ns = needed_ns.map_or(0, |needed_ns| stretch_ns(needed_ns, now_ns));
            let stopped = has_stopped || self.may_jump() && (1..=SCRUB_NS).contains(&overdue_ns);
            (counting.late_at(now_ns, stopped), needed_ns.filter(|_| !stopped))
        };
        let (late_frames, needed_ns) = match &self.counting {
            Some(counting) => stands(counting),
            // The start is not certain yet, or no operation has completed: an estimate.
            None => match first_due_ns(&self.held).or(self.expected_t0_ns()).filter(|t0_ns| *t0_ns <= now_ns)
            {
                Some(t0_ns) => {
                    let mut counting = Counting::new(&self.spec, self.part, t0_ns);
                    self.held.iter().for_each(|(op, own)| counting.add(op, own));
                    stands(&counting)
                }
                None => (0, None),
            },
        };
        StreamNow {
            stream: self.spec.stream,
            late_frames,
            margin_ns: needed_ns.map(|needed_ns| between_ns(now_ns, needed_ns)),
            buffer_ns: self.spec.prebuffer_ns,
        }
    }

    /// Moves the end of the load point to an earlier time.
    pub(super) fn end_at(&mut self, end_ns: u64) {
        self.part.until_ns = self.part.until_ns.min(end_ns);
        if let Some(counting) = &mut self.counting {
            counting.end_at(end_ns);
        }
    }

    /// Records whether its worker had changed from frames to scrubbing. To be called once, when all
    /// operations of that worker were added. `scrubbed_ns` returns when the latest scrub of a worker was
    /// due.
    pub(super) fn note_stop(&mut self, scrubbed_ns: impl Fn(usize) -> Option<u64>) {
        self.play_had_stopped |= self.has_stopped(scrubbed_ns);
        self.last_frame = None;
    }

    fn has_stopped(&self, scrubbed_ns: impl Fn(usize) -> Option<u64>) -> bool {
        self.last_frame.is_some_and(|(worker, frame_due_ns)| {
            scrubbed_ns(worker).is_some_and(|scrub_ns| scrub_ns > frame_due_ns)
        })
    }

    /// Ends the load point and judges the remaining frames. If an operation never completed, that is why
    /// the following frames were not begun.
    pub(super) fn finish(&mut self, all_came_back: bool) {
        if self.counting.is_none() {
            self.start();
        }
        if let Some(counting) = &mut self.counting {
            counting.finish(self.play_had_stopped, self.own_free.filter(|_| all_came_back));
        }
    }

    /// Records that this many late frames that were attributed to Reelgauge or to the limit on bytes per
    /// second would have been late all the same.
    pub(super) fn late_all_the_same(&mut self, frames: u64) {
        if let Some(counting) = &mut self.counting {
            let counts = &mut counting.counts;
            let own = counts.late_not_storage;
            assert!(frames <= own, "late frames no longer attributed to Reelgauge were attributed to it");
            counts.late_not_storage -= frames;
            counts.late_rate_limited = counts.late_rate_limited.min(counts.late_not_storage);
        }
    }

    /// The counts; `None` for a stream that never began.
    pub(super) fn counting(&self) -> Option<&Counting> {
        self.counting.as_deref()
    }

    /// The figures, after [`StreamTally::finish`].
    pub(super) fn figures(&self) -> StreamFigures {
        let spec = &self.spec;
        let mut figures = StreamFigures {
            stream: spec.stream,
            name: spec.name.clone(),
            kind: spec.kind,
            format: spec.format.clone(),
            writes: spec.writes,
            policy: spec.policy,
            buffer_s: seconds(spec.prebuffer_ns),
            nominal_frames_per_s: round_to(spec.timeline(0).frames_per_s(), 6),
            ..StreamFigures::default()
        };
        figures.take_from_name();
        if let Some(counting) = &self.counting {
            counting.fill(&mut figures);
        }
        figures
    }
}

/// When the first of these operations was due.
fn first_due_ns(ops: &[(OpRecord, OwnTimes)]) -> Option<u64> {
    ops.iter().map(|(op, _)| op.due_ns).min()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::test_records::read;

    use super::*;
    use crate::late::test_streams::player;

    const SECOND_NS: u64 = 1_000_000_000;

    /// A player that did not get its first frame in two seconds; with a strip.
    fn late_stream() -> StreamTally {
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 2 * SECOND_NS };
        let mut stream = StreamTally::new(player(0), part);
        stream.keep_strip(TimeBins { from_ns: 0, width_ns: SECOND_NS, count: 2 });
        stream.hold(&read(0, 0, 100).frame(0).at_ms(0).failed(5), &OwnTimes::default());
        stream.finish(true);
        stream
    }

    #[test]
    fn a_strip_shows_every_late_frame() {
        let stream = late_stream();
        let late = stream.counting().unwrap().counts.late;
        assert_eq!(stream.into_strip().unwrap().1.late_frames.iter().sum::<u64>(), late);
    }

    #[test]
    #[should_panic(expected = "a strip shows all counted late frames")]
    fn a_strip_without_a_late_frame_is_a_defect() {
        let mut stream = late_stream();
        stream.counting.as_mut().unwrap().counts.late += 1;
        stream.into_strip();
    }

    #[test]
    #[should_panic(expected = "late frames no longer attributed to Reelgauge were attributed to it")]
    fn taking_frames_from_a_delay_that_has_none_is_a_defect() {
        let mut stream = late_stream();
        stream.counting.as_mut().unwrap().counts.late_not_storage = 3;
        stream.late_all_the_same(4);
    }

    #[test]
    #[should_panic(expected = "a stream begins once")]
    fn a_second_beginning_is_a_defect() {
        late_stream().start();
    }
}
