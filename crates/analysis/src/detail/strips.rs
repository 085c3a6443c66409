//! The streams of every load point over time, from the count of late frames ([`crate::late`]).
//!
//! In a log, load points follow one another. Only a row group may mix the rows of two, because it is
//! sorted by worker. So a window of operations is kept and sorted by load point, and only one load point
//! is counted at a time: a search may have hundreds of them, each with hundreds of streams.

use std::cmp::Reverse;
use std::collections::VecDeque;
use std::ops::Range;

use reelgauge_record::OpRecord;

use super::data::{Headroom, PointStreams, StreamStrip, TimeAxis};
use super::hosts::HostParts;
use super::names::cut;
use crate::late::strip::{HEADROOM_BINS, HEADROOM_FROM_PERCENT, HEADROOM_STEP_PERCENT, Strip};
use crate::late::{LateTally, MeasuredPart, StreamSpec};
use crate::trace_stats::over_time::TimeBins;

/// Strips of a load point, at most.
const MAX_STRIPS: usize = 64;
/// Load points that are shown, at most.
const MAX_POINTS: usize = 1_000;
/// Bins of a strip, at most; fewer only with hundreds of load points.
const MAX_BINS: usize = 600;
const MIN_BINS: usize = 24;
/// Bins of all strips of a page: about 1 MB.
const ALL_BINS: usize = 100_000;
/// If two operations are logged in the wrong order, at most this many rows lie between them: two row
/// groups of a log.
const WINDOW: usize = 1 << 17;
/// A stream's name in a page, in bytes.
const NAME_BYTES: usize = 100;

/// A load point whose streams are shown.
#[derive(Clone, Debug)]
pub struct JudgedPoint {
    /// The part that was judged.
    pub part: MeasuredPart,
    pub specs: Vec<StreamSpec>,
}

/// Takes the operations of a log in the order in which they were logged.
#[derive(Clone, Debug)]
pub(super) struct StreamsTally {
    held: Vec<OpRecord>,
    /// Load points that have not begun, the next one first.
    waiting: VecDeque<JudgedPoint>,
    current: Option<Counted>,
    max_strips: usize,
    max_bins: usize,
    hosts: Vec<Range<u32>>,
    done: Vec<PointStreams>,
}

/// The load point that is being counted.
#[derive(Clone, Debug)]
struct Counted {
    part: MeasuredPart,
    names: Vec<(u32, String)>,
    time: TimeBins,
    tally: LateTally,
}

impl StreamsTally {
    pub(super) fn new(mut points: Vec<JudgedPoint>, hosts: &[HostParts]) -> StreamsTally {
        points.retain(|point| !point.specs.is_empty());
        points.sort_by_key(|point| point.part.point);
        points.truncate(MAX_POINTS);
        // With very many load points or hosts there is no room for single streams.
        let room = (ALL_BINS / MIN_BINS / points.len().max(1)).saturating_sub(1 + hosts.len());
        let max_strips = MAX_STRIPS.min(room);
        let strips: usize =
            points.iter().map(|point| point.specs.len().min(max_strips) + 1 + hosts.len()).sum();
        StreamsTally {
            held: Vec::new(),
            waiting: points.into(),
            current: None,
            max_strips,
            max_bins: (ALL_BINS / strips.max(1)).clamp(MIN_BINS, MAX_BINS),
            hosts: hosts.iter().map(|host| host.streams.clone()).collect(),
            done: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord) {
        if self.waiting.is_empty() && self.held.is_empty() {
            self.count(op);
            return;
        }
        self.held.push(*op);
        if self.held.len() >= 2 * WINDOW {
            self.release(WINDOW);
        }
    }

    /// Counts this many of the kept operations: those of the first load points.
    #[cold]
    fn release(&mut self, ops: usize) {
        let mut held = std::mem::take(&mut self.held);
        // A stable sort: each worker keeps its order.
        held.sort_by_key(|op| op.point);
        held.drain(..ops).for_each(|op| self.count(&op));
        self.held = held;
    }

    /// Counts an operation. Operations of a load point that is over are omitted, as they were in the
    /// run.
    #[inline]
    fn count(&mut self, op: &OpRecord) {
        if self.current.as_ref().is_none_or(|current| current.part.point != op.point) {
            self.turn_to(op.point);
        }
        if let Some(current) = self.current.as_mut().filter(|current| current.part.point == op.point) {
            current.tally.add(op);
        }
    }

    /// Starts with this load point, if it comes after the current one and has streams.
    #[cold]
    fn turn_to(&mut self, point: u16) {
        while self.waiting.front().is_some_and(|next| next.part.point <= point) {
            self.begin_next();
        }
    }

    fn begin_next(&mut self) {
        self.finish_current(u64::MAX);
        let Some(JudgedPoint { part, specs }) = self.waiting.pop_front() else { return };
        // A load point that ended in its warm-up has an empty part.
        let span = (part.from_ns, part.until_ns.saturating_sub(1).max(part.from_ns));
        let time = TimeBins::over(span, self.max_bins as u64);
        self.current = Some(Counted {
            part,
            names: specs.iter().map(|spec| (spec.stream, spec.name.clone())).collect(),
            time,
            tally: LateTally::with_strips(specs, part, time),
        });
    }

    fn finish_current(&mut self, end_ns: u64) {
        if let Some(current) = self.current.take() {
            self.done.push(current.finish(end_ns, self.max_strips, &self.hosts));
        }
    }

    /// All load points. The state of the last one is unknown after `end_ns`.
    pub(super) fn finish(mut self, end_ns: u64) -> Vec<PointStreams> {
        self.release(self.held.len());
        while !self.waiting.is_empty() {
            self.begin_next();
        }
        self.finish_current(end_ns);
        self.done
    }
}

impl Counted {
    fn finish(self, end_ns: u64, max_strips: usize, hosts: &[Range<u32>]) -> PointStreams {
        let Counted { part, names, time, tally } = self;
        let (_, mut strips) = tally.finish_with_strips(end_ns.min(part.until_ns));
        let mut min_margin_ns = vec![i64::MAX; time.count];
        let mut late_frames = vec![0; time.count];
        let mut host_late_frames = vec![vec![0; time.count]; hosts.len()];
        let mut headroom = [0; HEADROOM_BINS];
        let mut never = 0;
        for (stream, strip) in &strips {
            let margins = min_margin_ns.iter_mut().zip(&strip.min_margin_ns);
            margins.for_each(|(margin, of_stream)| *margin = *of_stream.min(margin));
            let own = hosts.iter().zip(&mut host_late_frames).filter(|(streams, _)| streams.contains(stream));
            for late in own.map(|(_, late)| late).chain([&mut late_frames]) {
                late.iter_mut().zip(&strip.late_frames).for_each(|(late, of_stream)| *late += of_stream);
            }
            headroom.iter_mut().zip(&strip.headroom).for_each(|(count, of_stream)| *count += of_stream);
            never += strip.never;
        }
        strips.sort_by_key(|(stream, strip)| (Reverse(strip.late_frames.iter().sum::<u64>()), *stream));
        strips.truncate(max_strips);
        PointStreams {
            point: part.point,
            time: TimeAxis::of(time),
            left_out: (names.len() - strips.len()) as u64,
            streams: strips.into_iter().map(|(stream, strip)| row(stream, strip, &names)).collect(),
            min_margin_us: margins_us(&min_margin_ns),
            late_frames,
            host_late_frames,
            headroom: Headroom {
                from_percent: HEADROOM_FROM_PERCENT,
                step_percent: HEADROOM_STEP_PERCENT,
                count: headroom.to_vec(),
                never,
            },
        }
    }
}

fn row(stream: u32, strip: Strip, names: &[(u32, String)]) -> StreamStrip {
    let name = names.iter().find(|(number, _)| *number == stream).map(|(_, name)| name.clone());
    StreamStrip {
        stream,
        // A stream that is missing from the table has no name.
        name: cut(name.unwrap_or_default(), NAME_BYTES),
        min_margin_us: margins_us(&strip.min_margin_ns),
        late_frames: strip.late_frames,
    }
}

/// In whole µs, rounded down: a frame that is late by less is late.
fn margins_us(margins_ns: &[i64]) -> Vec<Option<i64>> {
    margins_ns.iter().map(|ns| (*ns != i64::MAX).then(|| ns.div_euclid(1_000))).collect()
}
