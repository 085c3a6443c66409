//! All streams of a load point together.

use super::figures::{StreamLateFrame, StreamTotals, StreamWorstMargin};
use super::micros::FrameTimes;
use super::stream::StreamTally;

/// The totals of finished streams.
pub(super) fn total_of(streams: &[StreamTally]) -> StreamTotals {
    let mut total = StreamTotals { streams: streams.len() as u64, ..StreamTotals::default() };
    let (mut response, mut own_delay) = (FrameTimes::default(), FrameTimes::default());
    for stream in streams {
        let Some(counting) = stream.counting() else {
            total.streams_not_begun += 1;
            continue;
        };
        let counts = counting.counts;
        total.streams_with_late_frames += u64::from(counts.late > 0);
        total.frames_judged += counts.judged;
        total.late_frames += counts.late;
        total.dropped_frames += counts.dropped;
        total.failed_frames += counts.failed;
        total.unfinished_frames += counts.unfinished;
        total.late_frames_with_own_delay += counts.late_with_own_delay();
        total.late_frames_rate_limited += counts.late_rate_limited;
        total.late_runs += counting.late_runs.count();
        response.add(&counting.response);
        own_delay.add(&counting.own_delay);
        let number = stream.number();
        let worst = counting.worst_margin().map(|margin| StreamWorstMargin { stream: number, margin });
        let first = counting.first_late().map(|late| StreamLateFrame { stream: number, late });
        total.worst_margin = worse(total.worst_margin, worst);
        total.first_late = earlier(total.first_late, first);
    }
    let started_ns = streams.first().map_or(0, StreamTally::point_started_ns);
    total.response = response.figures(started_ns);
    total.own_delay = own_delay.delay_figures();
    total
}

fn worse(one: Option<StreamWorstMargin>, two: Option<StreamWorstMargin>) -> Option<StreamWorstMargin> {
    let margins = one.into_iter().chain(two);
    margins.reduce(|one, two| if two.margin.margin_us < one.margin.margin_us { two } else { one })
}

fn earlier(one: Option<StreamLateFrame>, two: Option<StreamLateFrame>) -> Option<StreamLateFrame> {
    let frames = one.into_iter().chain(two);
    frames.reduce(|one, two| if two.late.deadline_s < one.late.deadline_s { two } else { one })
}
