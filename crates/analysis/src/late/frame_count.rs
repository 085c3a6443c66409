//! Counts the frames of one stream whose start is known.
//!
//! Frames are judged in the order of their numbers. A frame is settled when it is complete and its
//! deadline has passed. Until then it takes some tens of bytes, and as many frames wait as fit into the
//! buffer. A missing frame holds up the following ones, but at most [`OPEN_FRAMES`] of them: then it is
//! settled as never arrived.
//!
//! Whether frames that were never begun are late depends on the next frame that was begun: before a cue
//! ([`OpFlags::CUE`]) they were not wanted, before any other frame they were dropped. Until then they
//! wait as a range.

use std::ops::Range;

use reelgauge_record::{OpFlags, OpRecord};

use super::figures::{FirstLateFrame, StreamFigures, WorstMargin};
use super::frames::{Frame, Frames};
use super::late_run::{LateFrames, LateRuns};
use super::margins::Margins;
use super::micros::{FrameTimes, Micros, up_to_us};
use super::pace_without_delay::OwnPace;
use super::scheduling_delay::{IdealNs, OwnTimes};
use super::strip::Strip;
use super::throughput::SlidingMin;
use super::timeline::FrameTimeline;
use super::{MeasuredPart, StreamSpec};
use crate::figures::{in_point_s, per_second, seconds, stretch_ns};
use crate::rounding::round_to;

/// How many frames, beyond those of the buffer, may be begun after one that has not arrived.
pub(super) const OPEN_FRAMES: u64 = 1024;

/// No buffer is assumed to hold more frames than this.
const BUFFERED_FRAMES_MAX: u64 = 1 << 20;

/// The inverse of the share of frames that may be closer to their deadlines than
/// [`StreamFigures::margin_p1_us`].
const CLOSEST_SHARE: u64 = 100;

/// Plain counts of judged frames.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Counts {
    pub(super) judged: u64,
    pub(super) late: u64,
    pub(super) dropped: u64,
    pub(super) failed: u64,
    pub(super) unfinished: u64,
    /// Late frames that would have been in time without the delays of Reelgauge and without the limit on
    /// bytes per second.
    pub(super) late_not_storage: u64,
    /// Those of them that would have been late without the delays of Reelgauge alone.
    pub(super) late_rate_limited: u64,
}

impl Counts {
    pub(super) fn late_with_own_delay(&self) -> u64 {
        self.late_not_storage - self.late_rate_limited
    }
}

/// Plain counts of the operations in the measured time.
#[derive(Clone, Copy, Debug, Default)]
struct Work {
    ops: u64,
    frames: u64,
    bytes: u64,
}

/// The final state of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Came,
    Dropped,
    Failed,
    Unfinished,
}

/// A late frame; `late_ns` is known if it arrived.
#[derive(Clone, Copy, Debug)]
struct LateFrame {
    frame: u64,
    late_ns: Option<u64>,
    fate: Fate,
}

/// The margin of a frame: deadline − completion, or deadline − end if it had not arrived by then.
#[derive(Clone, Copy, Debug)]
struct Margin {
    ns: i128,
    frame: u64,
    has_come: bool,
}

/// All counts of the stream.
#[derive(Clone, Debug)]
pub(super) struct Counting {
    timeline: FrameTimeline,
    part: MeasuredPart,
    /// When the stream transfers at its pace: the measured part, without the time before the start, the
    /// time until a full buffer was played out, and the time after the end of its material.
    pace_from_ns: u64,
    pace_until_ns: u64,
    frame_bytes: Option<u64>,
    frames_total: u64,
    judged_from: u64,
    judged_until: u64,
    frames: Frames,
    /// Settled frames, up to the first unsettled one, that were never begun and are not judged yet.
    not_begun: Range<u64>,
    last_cue: Option<u64>,
    /// The highest number of a complete frame.
    last_complete: Option<u64>,
    front_deadline_ns: u64,
    now_ns: u64,
    pub(super) counts: Counts,
    pub(super) response: FrameTimes,
    pub(super) own_delay: FrameTimes,
    pub(super) late_runs: LateRuns,
    own_pace: OwnPace,
    work: Work,
    ops_after_frame: u64,
    headroom: Micros,
    lateness: Micros,
    worst: Option<Margin>,
    first_late: Option<LateFrame>,
    throughput: SlidingMin,
    /// A player's frames before this one fill its buffer; a recorder fills none.
    first_after_filling: u64,
    margins: Margins,
    /// The frames over time, if a chart needs them.
    pub(super) strip: Option<Box<Strip>>,
}

impl Counting {
    pub(super) fn new(spec: &StreamSpec, part: MeasuredPart, t0_ns: u64) -> Counting {
        let timeline = spec.timeline(t0_ns);
        let frames_total = spec.frames_total.unwrap_or(u64::MAX);
        let unbuffered = FrameTimeline { t0_ns: 0, prebuffer_ns: 0, ..timeline };
        let buffered = unbuffered.frames_before(spec.prebuffer_ns).min(BUFFERED_FRAMES_MAX);
        // A player fetches the end of its material one buffer length before it plays it. If all material
        // fits into the buffer, nothing is transferred once the buffer is full.
        let moves_ns = unbuffered.frames_last_ns(frames_total).saturating_sub(spec.prebuffer_ns);
        // A player that filled its buffer before the measured part requests nothing until that is played
        // out.
        let is_filled_before = t0_ns < part.from_ns && !spec.writes;
        let still_ns = if is_filled_before { spec.prebuffer_ns } else { 0 };
        // Endless material moves until the end of the clock's range.
        let pace_from_ns = part.from_ns.max(t0_ns.saturating_add(still_ns));
        let pace_until_ns = part.until_ns.min(t0_ns.saturating_add(moves_ns));
        Counting {
            timeline,
            part,
            pace_from_ns,
            pace_until_ns,
            frame_bytes: spec.frame_bytes,
            frames_total,
            judged_from: timeline.frames_before(part.from_ns),
            judged_until: timeline.frames_before(part.until_ns).min(frames_total),
            frames: Frames::new((buffered + OPEN_FRAMES) as usize),
            not_begun: 0..0,
            last_cue: None,
            last_complete: None,
            front_deadline_ns: timeline.deadline_ns(0),
            now_ns: 0,
            counts: Counts::default(),
            response: FrameTimes::default(),
            own_delay: FrameTimes::default(),
            late_runs: LateRuns::default(),
            own_pace: OwnPace::default(),
            work: Work::default(),
            ops_after_frame: 0,
            headroom: Micros::default(),
            lateness: Micros::default(),
            worst: None,
            first_late: None,
            throughput: SlidingMin::new(
                spec.prebuffer_ns,
                pace_from_ns,
                pace_until_ns,
                spec.throughput_needed_bytes_per_s,
            ),
            first_after_filling: if spec.writes { 0 } else { buffered },
            margins: Margins::new(&part),
            strip: None,
        }
    }

    pub(super) fn add(&mut self, op: &OpRecord, own: &OwnTimes) {
        self.now_ns = self.now_ns.max(op.done_ns);
        if (self.part.from_ns..self.part.until_ns).contains(&op.issued_ns) {
            self.own_delay.record(own.delay_ns, op.due_ns);
        }
        let is_measured = (self.pace_from_ns..self.pace_until_ns).contains(&op.done_ns);
        self.work.ops += u64::from(is_measured);
        if op.flags.has(OpFlags::FRAME) {
            self.add_to_frame(op, own, is_measured);
        }
        self.settle();
    }

    fn add_to_frame(&mut self, op: &OpRecord, own: &OwnTimes, is_measured: bool) {
        let number = u64::from(op.transfer);
        if number < self.frames.base() {
            self.ops_after_frame += 1;
            return;
        }
        self.make_room(self.frames.base_for(number));
        if op.flags.has(OpFlags::CUE) && self.last_cue != Some(number) {
            // Playback had stopped some time before, so overdue frames were no longer wanted.
            self.note_clock_to_deadline(op.due_ns);
            self.last_cue = Some(number);
            self.throughput.begin_anew(op.due_ns);
            self.margins.jumped();
        }
        if let Some(bytes) = self.frames.take(op, own, self.frame_bytes) {
            self.note_clock(op.done_ns, self.next_deadline_ns());
            self.last_complete = self.last_complete.max(Some(number));
            self.throughput.push(op.done_ns, bytes);
            if is_measured {
                self.work.frames += 1;
                self.work.bytes += bytes;
            }
        }
    }

    /// Records the margin by the clock in the strip, up to this time.
    fn note_clock(&mut self, until_ns: u64, needed_ns: Option<u64>) {
        if let Some(strip) = &mut self.strip {
            strip.clock(until_ns.min(self.part.until_ns), needed_ns);
        }
    }

    /// The same while nothing is overdue; after that no frame is expected.
    fn note_clock_to_deadline(&mut self, until_ns: u64) {
        let needed_ns = self.next_deadline_ns();
        self.note_clock(needed_ns.map_or(until_ns, |needed_ns| needed_ns.min(until_ns)), needed_ns);
        self.note_clock(until_ns, None);
    }

    /// Settles frames until this is the first unsettled one, whatever their state.
    fn make_room(&mut self, base: u64) {
        while self.frames.base() < base {
            if self.frames.front().is_none() {
                self.wait_for_next(self.frames.base()..base);
                self.frames.skip_to(base);
                self.front_deadline_ns = self.timeline.deadline_ns(base);
                return;
            }
            self.settle_front();
        }
    }

    /// Settles the frames that are complete and whose deadlines have passed.
    fn settle(&mut self) {
        while self.front_deadline_ns <= self.now_ns
            && self.frames.front().is_some_and(|frame| frame.is_complete)
        {
            self.settle_front();
        }
    }

    fn settle_front(&mut self) {
        let number = self.frames.base();
        if let Some(frame) = self.frames.pop() {
            self.judge(number, &frame);
            let next_ns = self.timeline.deadline_ns(number + 1);
            debug_assert!(next_ns >= self.front_deadline_ns, "deadlines rise with the numbers of the frames");
            self.front_deadline_ns = next_ns;
        }
    }

    fn judge(&mut self, number: u64, frame: &Frame) {
        if !frame.is_seen() {
            self.wait_for_next(number..number + 1);
            return;
        }
        let not_begun = std::mem::take(&mut self.not_begun);
        if !frame.is_cue {
            self.dropped(not_begun, Some(frame.own_free));
        } else if !not_begun.is_empty() {
            self.late_runs.in_time();
        }
        if frame.is_complete && number >= self.first_after_filling {
            self.margins.came(frame.own_done.limited, self.front_deadline_ns);
        }
        if !(self.judged_from..self.judged_until).contains(&number) {
            return;
        }
        self.counts.judged += 1;
        let deadline_ns = self.front_deadline_ns;
        if frame.is_complete {
            self.judge_complete(number, frame, deadline_ns);
        } else if frame.has_trouble {
            self.counts.failed += 1;
            let over_ns = frame.done_ns.max(deadline_ns);
            self.late(Fate::Failed, LateFrames { failed_frames: 1, over_ns, ..of_frame(number, frame) });
        } else {
            self.counts.unfinished += 1;
            self.missing_at_end(number, deadline_ns);
            self.late(Fate::Unfinished, LateFrames { over_ns: deadline_ns, ..of_frame(number, frame) });
        }
    }

    /// Adds frames without operations, which follow those that already wait.
    fn wait_for_next(&mut self, frames: Range<u64>) {
        if self.not_begun.is_empty() {
            self.not_begun = frames;
        } else {
            assert_eq!(self.not_begun.end, frames.start, "frames that never started are consecutive");
            self.not_begun.end = frames.end;
        }
    }

    /// Counts frames that were wanted and never begun. Those with a deadline after `own_free` are attributed
    /// to Reelgauge, or to the limit on bytes per second: without them, the worker would have been free from
    /// then on.
    fn dropped(&mut self, frames: Range<u64>, own_free: Option<IdealNs>) {
        let (first, until) = (frames.start.max(self.judged_from), frames.end.min(self.judged_until));
        let frames = count(first..until);
        if frames == 0 {
            return;
        }
        let after = |free_ns: u64| count(self.timeline.frames_before(free_ns).max(first)..until);
        let own_frames = own_free.map_or(0, |free| after(free.unlimited));
        let rate_limited_frames = own_frames - own_free.map_or(0, |free| after(free.limited));
        self.counts.judged += frames;
        self.counts.dropped += frames;
        let late = LateFrames {
            first_frame: first,
            frames,
            late_ns: None,
            dropped_frames: frames,
            failed_frames: 0,
            own_frames,
            rate_limited_frames,
            // Its place in the buffer had been free since then.
            asked_ns: self.timeline.deadline_ns(first) - self.timeline.prebuffer_ns,
            over_ns: self.timeline.deadline_ns(until - 1),
        };
        self.late(Fate::Dropped, late);
    }

    fn judge_complete(&mut self, number: u64, frame: &Frame, deadline_ns: u64) {
        let response_ns = stretch_ns(frame.due_ns, frame.done_ns);
        self.response.record(response_ns, frame.due_ns);
        self.own_pace.take(frame);
        let margin_ns = i128::from(deadline_ns) - i128::from(frame.done_ns);
        self.keep_worst(Margin { ns: margin_ns, frame: number, has_come: true });
        if let Some(strip) = &mut self.strip {
            strip.came(deadline_ns, margin_ns);
        }
        let late_ns = stretch_ns(deadline_ns, frame.done_ns);
        if late_ns == 0 {
            self.headroom.record_us((deadline_ns - frame.done_ns) / 1_000);
            self.late_runs.in_time();
            return;
        }
        self.lateness.record_us(up_to_us(late_ns));
        let own_frames = u64::from(frame.own_done.unlimited <= deadline_ns);
        let rate_limited_frames = own_frames & u64::from(frame.own_done.limited > deadline_ns);
        let late =
            LateFrames { late_ns: Some(late_ns), own_frames, rate_limited_frames, ..of_frame(number, frame) };
        self.late(Fate::Came, late);
    }

    fn late(&mut self, fate: Fate, late: LateFrames) {
        let LateFrames { first_frame: frame, frames, late_ns, own_frames, rate_limited_frames, .. } = late;
        self.counts.late += frames;
        self.counts.late_not_storage += own_frames;
        self.counts.late_rate_limited += rate_limited_frames;
        self.first_late.get_or_insert(LateFrame { frame, late_ns, fate });
        if let Some(strip) = self.strip.as_mut().filter(|_| fate != Fate::Came) {
            strip.never_came(frame..frame + frames, &self.timeline);
        }
        self.late_runs.late(late);
    }

    /// Records the margin of a frame that had not arrived when the measured part ended: it is at least
    /// that late.
    fn missing_at_end(&mut self, frame: u64, deadline_ns: u64) {
        self.keep_worst(Margin {
            ns: i128::from(deadline_ns) - i128::from(self.part.until_ns),
            frame,
            has_come: false,
        });
    }

    fn keep_worst(&mut self, margin: Margin) {
        if self.worst.is_none_or(|worst| margin.ns < worst.ns) {
            self.worst = Some(margin);
        }
    }

    /// Moves the end of the load point to an earlier time.
    pub(super) fn end_at(&mut self, end_ns: u64) {
        self.part.until_ns = self.part.until_ns.min(end_ns);
        self.pace_until_ns = self.pace_until_ns.min(end_ns);
        let before_end = self.timeline.frames_before(self.part.until_ns);
        self.judged_until = before_end.min(self.frames_total);
        self.throughput.end_at(end_ns);
    }

    /// Ends the load point and judges the remaining frames. If playback had stopped, frames after the
    /// last one that was begun were not wanted. Frames that were wanted could have been begun from
    /// `own_free` on, without delays of Reelgauge; `None` if an operation had not completed.
    pub(super) fn finish(&mut self, play_had_stopped: bool, own_free: Option<IdealNs>) {
        match play_had_stopped {
            true => self.note_clock_to_deadline(self.part.until_ns),
            false => self.note_clock(self.part.until_ns, self.next_deadline_ns()),
        }
        while self.frames.front().is_some() {
            self.settle_front();
        }
        if play_had_stopped {
            self.late_runs.in_time();
            return;
        }
        let missing = self.first_missing();
        if missing < self.judged_until {
            self.missing_at_end(missing, self.timeline.deadline_ns(missing));
            self.dropped(missing..self.judged_until, own_free);
        }
        self.late_runs.in_time();
        self.throughput.finish();
    }

    /// The first judged frame after the last one that was begun.
    fn first_missing(&self) -> u64 {
        let base = self.frames.base();
        let first = if self.not_begun.is_empty() { base } else { self.not_begun.start };
        first.max(self.judged_from)
    }

    /// Late frames as they would be counted if the load point ended at `now_ns`, when all operations
    /// that completed until then are taken. Costs nothing while no frame is overdue.
    pub(super) fn late_at(&self, now_ns: u64, play_had_stopped: bool) -> u64 {
        let due = self.judged_from..self.timeline.frames_before(now_ns).min(self.judged_until);
        let due_in = |frames: Range<u64>| count(frames.start.max(due.start)..frames.end.min(due.end));
        let mut late = self.counts.late;
        let mut not_begun = self.not_begun.clone();
        let mut number = self.frames.base();
        for frame in self.frames.iter() {
            if number >= due.end && not_begun.is_empty() {
                return late;
            }
            if frame.is_seen() {
                let waited = std::mem::replace(&mut not_begun, 0..0);
                late += if frame.is_cue { 0 } else { due_in(waited) };
                let has_come = frame.is_complete && frame.done_ns <= self.timeline.deadline_ns(number);
                late += if has_come { 0 } else { due_in(number..number + 1) };
            } else if not_begun.is_empty() {
                not_begun = number..number + 1;
            } else {
                not_begun.end = number + 1;
            }
            number += 1;
        }
        let first_missing = if not_begun.is_empty() { number } else { not_begun.start };
        if play_had_stopped { late } else { late + due_in(first_missing..due.end) }
    }

    /// Whether the storage could not have kept the stream's pace, whatever Reelgauge did.
    pub(super) fn is_beyond_storage(&self) -> bool {
        self.own_pace.is_too_slow(self.timeline.frames_last_ns(1))
    }

    /// The deadline of the frame after the last one that arrived; `None` if there is none. After a jump,
    /// playback restarts at the cue.
    pub(super) fn next_deadline_ns(&self) -> Option<u64> {
        let next = self.last_complete.map_or(0, |frame| frame + 1).max(self.last_cue.unwrap_or(0));
        (next < self.frames_total).then(|| self.timeline.deadline_ns(next))
    }

    /// The margin that all but one in a hundred frames kept; `None` if too many never arrived.
    fn margin_p1_us(&self) -> Option<f64> {
        let came = self.lateness.count() + self.headroom.count();
        let never_came = self.counts.judged - came;
        let rank = self.counts.judged.div_ceil(CLOSEST_SHARE);
        let rank = rank.checked_sub(never_came).filter(|rank| *rank > 0)?;
        match self.lateness.count().checked_sub(rank) {
            // The latest frames come first.
            Some(shorter) => {
                let late = self.lateness.nth_shortest_us(shorter + 1);
                late.map(|(_, upper_us)| -(upper_us as f64))
            }
            None => {
                let headroom = self.headroom.nth_shortest_us(rank - self.lateness.count());
                headroom.map(|(lower_us, _)| lower_us as f64)
            }
        }
    }

    /// When the worst margin was, in the form of the figures.
    pub(super) fn worst_margin(&self) -> Option<WorstMargin> {
        let worst = self.worst?;
        let deadline_ns = self.timeline.deadline_ns(worst.frame);
        Some(WorstMargin {
            margin_us: round_to(worst.ns as f64 / 1e3, 3),
            frame: worst.frame,
            deadline_s: seconds(deadline_ns),
            deadline_in_point_s: self.in_point_s(deadline_ns),
            has_come: worst.has_come,
        })
    }

    /// The rate that the stream's frames need, by the mean size of those that arrived; `None` if none
    /// did.
    pub(super) fn needed_bytes_per_s(&self) -> Option<f64> {
        let Work { frames, bytes, .. } = self.work;
        (frames > 0).then(|| bytes as f64 / frames as f64 * self.timeline.frames_per_s())
    }

    /// The first late frame, in the form of the figures.
    pub(super) fn first_late(&self) -> Option<FirstLateFrame> {
        let late = self.first_late?;
        let deadline_ns = self.timeline.deadline_ns(late.frame);
        Some(FirstLateFrame {
            frame: late.frame,
            deadline_s: seconds(deadline_ns),
            deadline_in_point_s: self.in_point_s(deadline_ns),
            late_us: late.late_ns.map(|ns| round_to(ns as f64 / 1e3, 3)),
            dropped: late.fate == Fate::Dropped,
            failed: late.fate == Fate::Failed,
        })
    }

    fn in_point_s(&self, time_ns: u64) -> f64 {
        in_point_s(time_ns, self.part.started_ns)
    }

    /// Checks that each judged frame was in time, late, or never arrived, and that no more late frames
    /// are attributed to Reelgauge than there are.
    fn balance(&self) {
        let Counts { judged, late, dropped, failed, unfinished, late_not_storage, .. } = self.counts;
        let never_came = dropped + failed + unfinished;
        let (came_late, came_in_time) = (self.lateness.count(), self.headroom.count());
        assert_eq!(came_late + never_came, late, "a late frame came late or never came");
        assert_eq!(came_in_time + late, judged, "a judged frame was in time or late");
        assert!(late_not_storage <= late, "a frame late because of Reelgauge is also counted as late");
    }

    /// Fills in the counts.
    pub(super) fn fill(&self, figures: &mut StreamFigures) {
        self.balance();
        let (counts, started_ns) = (self.counts, self.part.started_ns);
        let pace_ns = stretch_ns(self.pace_from_ns, self.pace_until_ns);
        figures.began_s = Some(seconds(self.timeline.t0_ns));
        figures.frames_judged = counts.judged;
        figures.late_frames = counts.late;
        figures.dropped_frames = counts.dropped;
        figures.failed_frames = counts.failed;
        figures.unfinished_frames = counts.unfinished;
        figures.late_frames_with_own_delay = counts.late_with_own_delay();
        figures.late_frames_rate_limited = counts.late_rate_limited;
        figures.worst_margin = self.worst_margin();
        figures.margin_p1_us = self.margin_p1_us();
        figures.margin_trend = self.margins.trend(self.part.until_ns);
        figures.first_late = self.first_late();
        figures.late_runs = self.late_runs.count();
        figures.first_late_runs = self.late_runs.first(&self.timeline, started_ns);
        figures.worst_late_runs = self.late_runs.worst(&self.timeline, started_ns);
        figures.response = self.response.figures(started_ns);
        figures.throughput = self.throughput.figures(started_ns);
        figures.frames_per_s = per_second(self.work.frames, pace_ns);
        figures.ops_per_s = per_second(self.work.ops, pace_ns);
        figures.bytes_per_s = per_second(self.work.bytes, pace_ns);
        let nominal = self.timeline.frames_per_s();
        let share = figures.frames_per_s.map(|rate| round_to(rate / nominal, 6));
        figures.achieved_share = share.filter(|share| share.is_finite());
        figures.own_delay = self.own_delay.delay_figures();
        figures.ops_after_frame = self.ops_after_frame;
    }
}

/// The number of frames; 0 if the range ends before it begins, because none of them is judged.
fn count(frames: Range<u64>) -> u64 {
    frames.end.saturating_sub(frames.start)
}

/// One late frame with completed operations.
fn of_frame(number: u64, frame: &Frame) -> LateFrames {
    LateFrames {
        first_frame: number,
        frames: 1,
        asked_ns: frame.due_ns,
        over_ns: frame.done_ns,
        ..LateFrames::default()
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::read;

    use super::*;
    use crate::late::test_streams::player;

    const SECOND_NS: u64 = 1_000_000_000;

    /// A player whose first frame arrived, and no other in two seconds.
    fn counted() -> Counting {
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 2 * SECOND_NS };
        let mut counting = Counting::new(&player(0), part, 0);
        counting.add(&read(0, 0, 100).frame(0).at_ms(0).took_ms(5), &OwnTimes::default());
        counting.finish(false, None);
        counting
    }

    fn fill(counting: &Counting) {
        counting.fill(&mut StreamFigures::default());
    }

    #[test]
    fn frames_that_were_counted_balance() {
        let counting = counted();
        assert!(counting.counts.late > 0 && counting.headroom.count() == 1);
        fill(&counting);
    }

    #[test]
    #[should_panic(expected = "a late frame came late or never came")]
    fn a_late_frame_without_a_fate_is_a_defect() {
        let mut counting = counted();
        counting.counts.late += 1;
        fill(&counting);
    }

    #[test]
    #[should_panic(expected = "a judged frame was in time or late")]
    fn a_judged_frame_without_an_outcome_is_a_defect() {
        let mut counting = counted();
        counting.counts.judged += 1;
        fill(&counting);
    }

    #[test]
    #[should_panic(expected = "a frame late because of Reelgauge is also counted as late")]
    fn more_own_frames_than_late_ones_is_a_defect() {
        let mut counting = counted();
        counting.counts.late_not_storage = counting.counts.late + 1;
        fill(&counting);
    }

    #[test]
    #[should_panic(expected = "frames that never started are consecutive")]
    fn a_gap_between_frames_that_wait_is_a_defect() {
        let mut counting = counted();
        counting.not_begun = 5..7;
        counting.wait_for_next(8..9);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "deadlines rise with the numbers of the frames")]
    fn a_deadline_before_the_one_of_the_frame_before_is_a_defect() {
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 2 * SECOND_NS };
        let mut counting = Counting::new(&player(0), part, SECOND_NS);
        counting.timeline.t0_ns = 0;
        counting.add(&read(0, 0, 100).frame(0).at_ms(0).took_ms(5_000), &OwnTimes::default());
    }
}
