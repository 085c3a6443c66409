//! Whether the criteria were met, and which one failed first, in words that somebody at an editing desk
//! understands.
//!
//! What was asked for and not measured is not met: no measurement is a pass. And the storage is only
//! blamed for what it did: late frames that the tool's own delay explains are told apart.
//!
//! Not here: what is good enough ([`crate::criteria`]), and what limited the storage (the doctor room).

pub mod margins;

use serde::{Deserialize, Serialize};

use crate::criteria::{Criteria, Criterion};
use crate::figures::Figures;
use crate::late::{FirstLateFrame, Policy, StreamFigures};
use crate::vda::{PointValidity, ProcessRate, RateLimits, judge_rates};

/// The figures of one load point, as far as there are any.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measured<'a> {
    /// Its streams; empty where nothing was paced by frames.
    pub streams: &'a [StreamFigures],
    /// All its operations.
    pub total: Option<&'a Figures>,
    /// What its workers were asked for and what they did; empty where they had no rate.
    pub rates: &'a [ProcessRate],
}

/// A criterion that was not met.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Failure {
    /// Which.
    pub criterion: Criterion,
    /// `false` where nothing was measured that could have met it.
    pub measured: bool,
    /// The stream, where it is one stream's failure.
    pub stream: Option<u32>,
    /// The worker, where it is one worker's failure.
    pub worker: Option<u32>,
    /// When it failed, since the start of the run; `None` for figures of the whole load point.
    pub at_s: Option<f64>,
    /// The same since the start of the load point.
    pub at_in_point_s: Option<f64>,
    /// The limit: frames, operations, ms, MB/s or a share, as the criterion is.
    pub limit: f64,
    /// What was found, in the same unit.
    pub found: Option<f64>,
    /// The limit would have been kept without the tool's own delay: this says nothing about the storage.
    pub because_of_tool: bool,
    /// All of that in words.
    pub sentence: String,
}

/// Whether a load point met its criteria.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Verdict {
    /// Everything that was asked for was measured and met.
    pub passed: bool,
    /// The failure that came first in time.
    pub failed_first: Option<Failure>,
    /// Every failure, first ones first; those without a moment after those with one, and what was not
    /// measured last.
    pub failures: Vec<Failure>,
    /// What was asked for.
    pub asked: Vec<Criterion>,
    /// At least one criterion was failed by the storage: measured, and not explained by the tool's own delay.
    pub storage_failed: bool,
}

impl Verdict {
    /// Nothing but the tool's own delay, or a lack of measurements, stands against the storage.
    pub fn is_no_fault_of_the_storage(&self) -> bool {
        !self.passed && !self.storage_failed
    }
}

/// Judges a load point.
pub fn judge(criteria: &Criteria, measured: &Measured) -> Verdict {
    let asked = criteria.asked();
    let mut failures = Vec::new();
    for (criterion, limit) in asked.iter().filter_map(|&one| Some((one, criteria.limit(one)?))) {
        match criterion {
            Criterion::LateFrames => of_streams(criterion, limit, measured, &mut failures, late_frames),
            Criterion::BufferThroughput => {
                of_streams(criterion, limit, measured, &mut failures, buffer_throughput);
            }
            Criterion::Margins => failures.extend(margins::failure(limit, measured.streams)),
            Criterion::P99Response if measured.streams.is_empty() => {
                failures.extend(p99_of_operations(limit, measured.total));
            }
            Criterion::P99Response => of_streams(criterion, limit, measured, &mut failures, p99_of_frames),
            Criterion::FailedOps => failures.extend(failed_ops(limit, measured.total)),
            Criterion::WorkerRate | Criterion::GlobalRate | Criterion::Ratio => {}
        }
    }
    judge_all_rates(criteria, measured.rates, &mut failures);
    failures.sort_by(|one, two| {
        let moment = |failure: &Failure| failure.at_s.unwrap_or(f64::INFINITY);
        let by_time = moment(one).total_cmp(&moment(two));
        two.measured.cmp(&one.measured).then(by_time)
    });
    Verdict {
        passed: failures.is_empty(),
        failed_first: failures.first().cloned(),
        storage_failed: failures.iter().any(|failure| failure.measured && !failure.because_of_tool),
        failures,
        asked,
    }
}

impl Failure {
    fn new(criterion: Criterion, limit: f64, found: f64, sentence: String) -> Failure {
        Failure {
            criterion,
            measured: true,
            stream: None,
            worker: None,
            at_s: None,
            at_in_point_s: None,
            limit,
            found: Some(found),
            because_of_tool: false,
            sentence,
        }
    }

    fn not_measured(criterion: Criterion, limit: f64, sentence: String) -> Failure {
        Failure { measured: false, found: None, ..Failure::new(criterion, limit, 0.0, sentence) }
    }
}

/// A failure of nothing in particular, for tests.
#[cfg(test)]
pub(crate) fn failure_of_tests() -> Failure {
    Failure::new(Criterion::LateFrames, 0.0, 1.0, String::new())
}

/// Judges every stream by `one`; no stream is no measurement.
fn of_streams(
    criterion: Criterion,
    limit: f64,
    measured: &Measured,
    failures: &mut Vec<Failure>,
    one: fn(f64, &StreamFigures) -> Option<Failure>,
) {
    if measured.streams.is_empty() {
        let sentence =
            format!("no stream was measured, so {criterion} is not known; look at the run's errors");
        failures.push(Failure::not_measured(criterion, limit, sentence));
        return;
    }
    let failed = measured.streams.iter().filter_map(|stream| {
        let found = not_judged(criterion, limit, stream).or_else(|| one(limit, stream))?;
        Some(Failure { stream: Some(stream.stream), ..found })
    });
    failures.extend(failed);
}

/// A stream of which no frame was judged.
fn not_judged(criterion: Criterion, limit: f64, stream: &StreamFigures) -> Option<Failure> {
    let why = if stream.began_s.is_none() {
        "never began; look at the run's errors"
    } else if stream.frames_judged == 0 {
        "had no frame to be judged in the measured time; use a longer --duration"
    } else {
        return None;
    };
    let sentence = format!("{} {why}", name_of(stream));
    Some(Failure::not_measured(criterion, limit, sentence))
}

fn late_frames(limit: f64, stream: &StreamFigures) -> Option<Failure> {
    let late = stream.late_frames as f64;
    if late <= limit {
        return None;
    }
    let first = stream.first_late?;
    let allowed = limit as u64;
    let offset_s = first.deadline_s - first.deadline_in_point_s;
    let at_s = if allowed == 0 { Some(first.deadline_s) } else { nth_late_s(stream, allowed + 1) };
    let without_tool = stream.late_frames - stream.late_frames_with_own_delay;
    let because_of_tool = without_tool as f64 <= limit;
    let mut sentence = format!(
        "{} was late: frame {} at {} {}; {} of {} frames were late",
        name_of(stream),
        first.frame,
        clock(first.deadline_in_point_s),
        what_happened(stream, &first),
        stream.late_frames,
        stream.frames_judged
    );
    if allowed > 0 {
        sentence.push_str(&format!(", {allowed} are allowed"));
    }
    if because_of_tool {
        sentence.push_str(&format!(
            ". The tool itself issued operations late, and without that {without_tool} would have been: this \
             says nothing about the storage. Use fewer streams on this client or more idle CPU"
        ));
    }
    Some(Failure {
        at_s,
        at_in_point_s: at_s.map(|at_s| at_s - offset_s),
        because_of_tool,
        ..Failure::new(Criterion::LateFrames, limit, late, sentence)
    })
}

/// When the n-th late frame, from 1, was needed; `None` if it is in none of the late runs that were kept.
fn nth_late_s(stream: &StreamFigures, nth: u64) -> Option<f64> {
    let mut before = 0;
    let late_run = stream.first_late_runs.iter().find(|late_run| {
        before += late_run.frames;
        before >= nth
    })?;
    let within = nth - 1 - (before - late_run.frames);
    Some(late_run.began_s + within as f64 / stream.nominal_frames_per_s)
}

fn what_happened(stream: &StreamFigures, first: &FirstLateFrame) -> String {
    let (done, move_it) = if stream.writes { ("written", "write") } else { ("read", "read") };
    match (first.late_us, first.dropped, first.failed) {
        (Some(late_us), ..) => format!("came {} after its time", span(late_us)),
        (None, true, _) if stream.policy == Policy::Drop => {
            format!("was skipped, because its time had passed before it could be {done}")
        }
        (None, true, _) => format!("was never {done}"),
        (None, false, true) => format!("could not be {done}: an attempt to {move_it} it failed"),
        (None, false, false) => format!("was never {done} completely"),
    }
}

fn buffer_throughput(limit: f64, stream: &StreamFigures) -> Option<Failure> {
    let criterion = Criterion::BufferThroughput;
    let Some(throughput) = stream.throughput else {
        let sentence = format!(
            "{} has no throughput over its buffer time of {} s, because that does not fit into the measured \
             time; use a longer --duration or a --buffer above 0",
            name_of(stream),
            stream.buffer_s
        );
        return Some(Failure::not_measured(criterion, limit, sentence));
    };
    let found = throughput.min_bytes_per_s / 1e6;
    if found >= limit {
        return None;
    }
    let is_same_limit = throughput.needed_bytes_per_s.is_some_and(|needed| needed == limit * 1e6);
    let first_s = throughput.first_below_s.filter(|_| is_same_limit);
    let at_s = first_s.unwrap_or(throughput.min_began_s);
    let at_in_point_s = at_s - throughput.min_began_s + throughput.min_began_in_point_s;
    let sentence = format!(
        "{} got {found:.1} MB/s over {} s from {} on, and needs {limit:.1} MB/s over its buffer time",
        name_of(stream),
        throughput.buffer_s,
        clock(throughput.min_began_in_point_s)
    );
    Some(Failure {
        at_s: Some(at_s),
        at_in_point_s: Some(at_in_point_s),
        ..Failure::new(criterion, limit, found, sentence)
    })
}

fn p99_of_frames(limit: f64, stream: &StreamFigures) -> Option<Failure> {
    let Some(response) = &stream.response else {
        let sentence = format!("{} has no response times, because none of its frames came", name_of(stream));
        return Some(Failure::not_measured(Criterion::P99Response, limit, sentence));
    };
    let found = response.p99_us / 1e3;
    let sentence = || {
        let (p99, most) = (span(response.p99_us), span(limit * 1e3));
        format!("99 of 100 frames of {} took up to {p99}, and {most} is allowed", name_of(stream))
    };
    (found > limit).then(|| Failure::new(Criterion::P99Response, limit, found, sentence()))
}

fn p99_of_operations(limit: f64, total: Option<&Figures>) -> Option<Failure> {
    let criterion = Criterion::P99Response;
    let Some(response) = total.and_then(|total| total.response.data.as_ref()) else {
        let sentence = "no read or write succeeded, so there are no response times; look at the run's errors";
        return Some(Failure::not_measured(criterion, limit, sentence.to_owned()));
    };
    let found = response.p99_us / 1e3;
    let sentence = || {
        let (p99, most) = (span(response.p99_us), span(limit * 1e3));
        format!("99 of 100 reads and writes took up to {p99}, and {most} is allowed")
    };
    (found > limit).then(|| Failure::new(criterion, limit, found, sentence()))
}

fn failed_ops(limit: f64, total: Option<&Figures>) -> Option<Failure> {
    let criterion = Criterion::FailedOps;
    let Some(total) = total.filter(|total| total.ops > 0) else {
        let sentence = "no operation was measured; use a longer --duration".to_owned();
        return Some(Failure::not_measured(criterion, limit, sentence));
    };
    let found = total.failed_ops as f64;
    if found <= limit {
        return None;
    }
    let mut sentence = format!("{} of {} operations failed", total.failed_ops, total.ops);
    if limit > 0.0 {
        sentence.push_str(&format!(" and {limit} may"));
    }
    let first = total.first_error.as_ref();
    if let Some(first) = first {
        let of_first = |error: &&crate::figures::ErrorFigures| error.errno == first.errno;
        let message = total.errors.iter().find(of_first).map_or("", |error| error.message.as_str());
        sentence.push_str(&format!(
            "; the first was a {} by worker {} at {}: {message}",
            first.kind.name(),
            first.worker,
            clock(first.failed_at_in_point_s)
        ));
    }
    // The moment of the first failure is that of the criterion only where none may fail.
    let moment = first.filter(|_| limit < 1.0);
    Some(Failure {
        worker: first.map(|first| first.worker),
        at_s: moment.map(|first| first.failed_at_s),
        at_in_point_s: moment.map(|first| first.failed_at_in_point_s),
        ..Failure::new(criterion, limit, found, sentence)
    })
}

/// The criteria of rates, which are judged together.
fn judge_all_rates(criteria: &Criteria, rates: &[ProcessRate], failures: &mut Vec<Failure>) {
    let rate_criteria = [Criterion::WorkerRate, Criterion::GlobalRate, Criterion::Ratio];
    let asked = rate_criteria.map(|criterion| Some((criterion, criteria.limit(criterion)?)));
    let asked: Vec<(Criterion, f64)> = asked.into_iter().flatten().collect();
    if asked.is_empty() {
        return;
    }
    // What is not asked for is judged by limits that nothing fails.
    let limits = RateLimits {
        process_min: criteria.op_rate_per_worker_min.unwrap_or(0.0),
        global_min: criteria.op_rate_global_min.unwrap_or(0.0),
        ratio_tolerance: criteria.ratio_tolerance.unwrap_or(f64::INFINITY),
    };
    match judge_rates(rates, limits) {
        Err(error) => {
            let failure = |(criterion, limit)| Failure::not_measured(criterion, limit, error.to_string());
            failures.extend(asked.into_iter().map(failure));
        }
        Ok(point) => {
            let failure = |(criterion, limit)| rate_failure(criterion, limit, &point);
            failures.extend(asked.into_iter().filter_map(failure));
        }
    }
}

fn rate_failure(criterion: Criterion, limit: f64, point: &PointValidity) -> Option<Failure> {
    let percent = |share: f64| format!("{:.1} %", share * 100.0);
    match criterion {
        Criterion::WorkerRate if !point.process.passed => {
            let worst = &point.process.worst;
            let sentence = format!(
                "worker {} ({}) did {:.2} of {:.2} op/s ({}), and every worker must reach {}; {} did not",
                worst.worker,
                worst.component,
                worst.achieved_ops_per_s,
                worst.requested_ops_per_s,
                percent(point.process.worst_share),
                percent(limit),
                point.process.failed_processes
            );
            Some(Failure {
                worker: Some(worst.worker),
                ..Failure::new(criterion, limit, point.process.worst_share, sentence)
            })
        }
        Criterion::GlobalRate if !point.global.passed => {
            let sentence = format!(
                "all workers together did {:.1} of {:.1} op/s ({}), and {} is needed",
                point.global.achieved_ops_per_s,
                point.global.requested_ops_per_s,
                percent(point.global.share),
                percent(limit)
            );
            Some(Failure::new(criterion, limit, point.global.share, sentence))
        }
        Criterion::Ratio if !point.ratio.passed => Some(ratio_failure(limit, point)),
        _ => None,
    }
}

fn ratio_failure(limit: f64, point: &PointValidity) -> Failure {
    let ratio = &point.ratio;
    let (one, two) = ratio.worst.clone().unwrap_or_default();
    let found = match ratio.achieved_ratio {
        Some(achieved) => format!("{achieved:.2} to 1"),
        None => "all to nothing".to_owned(),
    };
    let sentence = format!(
        "{one} and {two} operations came {found} instead of {:.2} to 1, and {:.1} % off is allowed",
        ratio.requested_ratio.unwrap_or_default(),
        limit * 100.0
    );
    Failure { found: ratio.deviation.map(f64::abs), ..Failure::new(Criterion::Ratio, limit, 0.0, sentence) }
}

fn name_of(stream: &StreamFigures) -> String {
    if stream.name.is_empty() {
        format!("stream {}", stream.stream)
    } else {
        format!("stream {} ({})", stream.stream, stream.name)
    }
}

/// A moment in the load point: `00:08.5`, `1:02:03.0`.
fn clock(seconds: f64) -> String {
    let tenths = (seconds.max(0.0) * 10.0).round() as u64;
    let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60);
    let (seconds, tenth) = (tenths / 10 % 60, tenths % 10);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{tenth}")
    } else {
        format!("{minutes:02}:{seconds:02}.{tenth}")
    }
}

/// A length of time with three digits: `310 ms`, `1.06 s`.
fn span(us: f64) -> String {
    let (value, unit) = if us >= 999_500.0 {
        (us / 1e6, "s")
    } else if us >= 999.5 {
        (us / 1e3, "ms")
    } else {
        (us, "µs")
    };
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

#[cfg(test)]
mod tests;
