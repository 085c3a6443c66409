//! Compares the figures of a load point with its criteria, one after the other.

use super::reason::{FirstFailed, FrameFate, LateStream, Reason, StreamName};
use super::ruling::{Ruling, Unmet};
use super::{margins, rates};
use crate::criteria::{Criteria, Criterion};
use crate::figures::{Figures, TimeFigures};
use crate::late::StreamFigures;
use crate::vda::ProcessRate;

/// The available figures of one load point.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'a> {
    /// Its streams; empty if nothing was paced by frames.
    pub streams: &'a [StreamFigures],
    /// All its operations.
    pub total: Option<&'a Figures>,
    /// The required and achieved rates of its workers; empty if they had no rate.
    pub rates: &'a [ProcessRate],
}

/// Judges a load point.
pub fn judge(criteria: &Criteria, measured: &Measured) -> Ruling {
    let mut unmet = Vec::new();
    let asked = criteria.asked();
    for (criterion, limit) in asked.iter().filter_map(|&one| Some((one, criteria.limit(one)?))) {
        match criterion {
            Criterion::LateFrames => unmet.extend(of_streams(criterion, limit, measured, late_frames)),
            Criterion::BufferThroughput => {
                unmet.extend(of_streams(criterion, limit, measured, buffer_throughput));
            }
            Criterion::Margins => unmet.extend(margins::unmet(limit, measured.streams)),
            Criterion::P99Response if measured.streams.is_empty() => {
                unmet.extend(p99_of_operations(limit, measured.total));
            }
            Criterion::P99Response => unmet.extend(of_streams(criterion, limit, measured, p99_of_frames)),
            Criterion::FailedOps => unmet.extend(failed_ops(limit, measured.total)),
            // These are judged together, after the others.
            Criterion::WorkerRate | Criterion::GlobalRate | Criterion::Ratio => {}
        }
    }
    unmet.extend(rates::unmet(criteria, measured.rates));
    Ruling::new(criteria, unmet)
}

/// Judges every stream with `one`; no stream means no measurement.
fn of_streams(
    criterion: Criterion,
    limit: f64,
    measured: &Measured,
    one: fn(f64, &StreamFigures) -> Option<Unmet>,
) -> Vec<Unmet> {
    if measured.streams.is_empty() {
        return vec![Unmet::not_measured(criterion, limit, Reason::NoStream)];
    }
    let unmet = measured.streams.iter().filter_map(|stream| {
        let found = not_judged(criterion, limit, stream).or_else(|| one(limit, stream))?;
        Some(found.of_stream(Some(stream.stream)))
    });
    unmet.collect()
}

/// A stream without a judged frame.
fn not_judged(criterion: Criterion, limit: f64, stream: &StreamFigures) -> Option<Unmet> {
    let reason = if stream.began_s.is_none() {
        Reason::NeverBegan(StreamName::of(stream))
    } else if stream.frames_judged == 0 {
        Reason::NoFrameJudged(StreamName::of(stream))
    } else {
        return None;
    };
    Some(Unmet::not_measured(criterion, limit, reason))
}

fn late_frames(limit: f64, stream: &StreamFigures) -> Option<Unmet> {
    let late = stream.late_frames as f64;
    if late <= limit {
        return None;
    }
    let first = stream.first_late?;
    let allowed = limit as u64;
    let offset_s = first.deadline_s - first.deadline_in_point_s;
    let at_s = if allowed == 0 { Some(first.deadline_s) } else { nth_late_s(stream, allowed + 1) };
    let by_tool = stream.late_frames_with_own_delay + stream.late_frames_rate_limited;
    let without_tool = stream.late_frames - by_tool;
    let reason = Reason::LateFrames(LateStream {
        stream: StreamName::of(stream),
        first_frame: first.frame,
        deadline_in_point_s: first.deadline_in_point_s,
        fate: FrameFate::of(&first, stream.policy),
        writes: stream.writes,
        late_frames: stream.late_frames,
        frames_judged: stream.frames_judged,
        late_frames_without_own_delay: without_tool,
    });
    let unmet = Unmet::new(Criterion::LateFrames, limit, late, reason);
    Some(unmet.at(at_s, at_s.map(|at_s| at_s - offset_s)).because_of_tool(without_tool as f64 <= limit))
}

/// The deadline of the n-th late frame, from 1; `None` if it is in none of the late runs that were kept.
fn nth_late_s(stream: &StreamFigures, nth: u64) -> Option<f64> {
    let mut before = 0;
    let late_run = stream.first_late_runs.iter().find(|late_run| {
        before += late_run.frames;
        before >= nth
    })?;
    let within = nth - 1 - (before - late_run.frames);
    Some(late_run.began_s + within as f64 / stream.nominal_frames_per_s)
}

fn buffer_throughput(limit: f64, stream: &StreamFigures) -> Option<Unmet> {
    let criterion = Criterion::BufferThroughput;
    let name = StreamName::of(stream);
    let Some(throughput) = stream.throughput else {
        let reason = Reason::NoBufferThroughput { stream: name, buffer_s: stream.buffer_s };
        return Some(Unmet::not_measured(criterion, limit, reason));
    };
    let found = throughput.min_bytes_per_s / 1e6;
    if found >= limit {
        return None;
    }
    let is_same_limit = throughput.needed_bytes_per_s.is_some_and(|needed| needed == limit * 1e6);
    let first_s = throughput.first_below_s.filter(|_| is_same_limit);
    let at_s = first_s.unwrap_or(throughput.min_began_s);
    let at_in_point_s = at_s - throughput.min_began_s + throughput.min_began_in_point_s;
    let reason = Reason::BufferThroughput {
        stream: name,
        least_bytes_per_s: throughput.min_bytes_per_s,
        buffer_s: throughput.buffer_s,
        began_in_point_s: throughput.min_began_in_point_s,
    };
    Some(Unmet::new(criterion, limit, found, reason).at(Some(at_s), Some(at_in_point_s)))
}

fn p99_of_frames(limit: f64, stream: &StreamFigures) -> Option<Unmet> {
    let criterion = Criterion::P99Response;
    let name = StreamName::of(stream);
    let Some(response) = &stream.response else {
        return Some(Unmet::not_measured(criterion, limit, Reason::NoFrameCame(name)));
    };
    let reason = Reason::SlowFrames { stream: name.clone(), p99_us: response.p99_us };
    p99(limit, response, Some(name), reason)
}

fn p99_of_operations(limit: f64, total: Option<&Figures>) -> Option<Unmet> {
    let criterion = Criterion::P99Response;
    let Some(response) = total.and_then(|total| total.response.data.as_ref()) else {
        return Some(Unmet::not_measured(criterion, limit, Reason::NoDataResponse));
    };
    p99(limit, response, None, Reason::SlowResponses { p99_us: response.p99_us })
}

/// Compares the 99th percentile of times with a limit. With fewer than 100 times, the result is known
/// only if all met it, or half of them did not.
fn p99(limit: f64, times: &TimeFigures, stream: Option<StreamName>, too_slow: Reason) -> Option<Unmet> {
    let criterion = Criterion::P99Response;
    let is_over = |us: f64| us / 1e3 > limit;
    let TimeFigures { count, p50_us, max_us, .. } = *times;
    match times.carried_p99_us() {
        Some(p99_us) => is_over(p99_us).then(|| Unmet::new(criterion, limit, p99_us / 1e3, too_slow)),
        None if !is_over(max_us) => None,
        None if is_over(p50_us) => {
            let reason = Reason::SlowHalf { stream, count, p50_us };
            Some(Unmet::new(criterion, limit, p50_us / 1e3, reason))
        }
        None => Some(Unmet::not_measured(criterion, limit, Reason::TooFewForP99 { stream, count, max_us })),
    }
}

fn failed_ops(limit: f64, total: Option<&Figures>) -> Option<Unmet> {
    let criterion = Criterion::FailedOps;
    let Some(total) = total.filter(|total| total.ops > 0) else {
        return Some(Unmet::not_measured(criterion, limit, Reason::NoOperation));
    };
    let found = total.failed_ops as f64;
    if found <= limit {
        return None;
    }
    let first = total.first_error.as_ref();
    let message = |errno| {
        let same = total.errors.iter().find(|error| error.errno == errno);
        // An error whose message was not recorded has none.
        same.map(|error| error.message.clone()).unwrap_or_default()
    };
    let first_failed = first.map(|first| FirstFailed {
        kind: first.kind,
        worker: first.worker,
        at_in_point_s: first.failed_at_in_point_s,
        message: message(first.errno),
    });
    let reason = Reason::FailedOps { failed_ops: total.failed_ops, ops: total.ops, first: first_failed };
    // The time of the first failure is that of the criterion only if none is allowed.
    let moment = first.filter(|_| limit < 1.0);
    let unmet = Unmet::new(criterion, limit, found, reason).of_worker(first.map(|first| first.worker));
    Some(unmet.at(moment.map(|first| first.failed_at_s), moment.map(|first| first.failed_at_in_point_s)))
}
