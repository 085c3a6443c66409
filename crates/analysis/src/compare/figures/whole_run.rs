//! The figures of a whole run: results of a search, a curve, a quick check or a replay, totals over load
//! points, and the cost of Reelgauge itself.

use super::super::evidence::{Noise, Stretches, of_rate};
use super::super::{Better, FLOOR_RATE};
use super::times;
use super::{LoadPoint, Reading, SEARCH, Summary};
use crate::facts::{CheckCount, CheckFacts, ReplayFacts, ReplayPass, SearchFacts, VdaFacts};
use crate::figures::CARRY_P99;

/// The uncertainty of a quick check's counts: each was played once, for a second or two.
const CHECK_SLACK: f64 = 0.2;

/// The uncertainty of a quick check's rates: each was measured for two seconds.
const CHECK_RATE_SLACK: f64 = 0.15;

/// The cost of Reelgauge itself varies with the other load on the host.
const SELF_FLOOR: f64 = 0.25;

/// A scheduling delay of Reelgauge below this never matters.
const LATENESS_FLOOR_US: f64 = 50.0;

/// All figures of the run, the most important first.
pub(super) fn readings(summary: &Summary, with_totals: bool, is_demand: bool) -> Vec<Reading> {
    let mut readings = Vec::new();
    if let Some(facts) = &summary.search {
        readings.extend(search(facts));
    }
    if let Some(facts) = &summary.vda {
        readings.extend(curve(facts, summary.vda_ended_at_its_limit()));
    }
    if let Some(ms) = summary.vda.as_ref().and_then(|facts| facts.overall_response_time_ms) {
        let noise = summary.load_points.iter().map(|point| mean_noise(summary, point));
        // It is a mean over the points, and as uncertain as the least certain of them.
        let noise = noise.reduce(Noise::or_more).unwrap_or(Noise::Unknown);
        readings.push(Reading::new("vda.overall_response_time_ms", ms, noise).floor(FLOOR_RATE));
    }
    if let Some(facts) = &summary.check {
        check(facts, &mut readings);
    }
    if let Some(facts) = &summary.replay {
        replay(summary, facts, &mut readings);
    }
    if with_totals {
        totals(summary, is_demand, &mut readings);
    }
    of_the_tool(summary, &mut readings);
    readings
}

fn mean_noise(summary: &Summary, point: &LoadPoint) -> Noise {
    Stretches::of(&summary.series, point)
        .map_or(Noise::Unknown, |stretches| times::of_mean(point, &stretches))
}

/// The stream count of a curve, before the first load point that is not valid, and the throughput there.
fn curve(facts: &VdaFacts, ended_at_its_limit: bool) -> Vec<Reading> {
    let Some(streams) = facts.streams.map(f64::from) else { return Vec::new() };
    let next = facts.points.iter().find(|point| !point.valid && ended_at_its_limit);
    let next = next.map(|point| f64::from(point.streams));
    // More may pass below the next load point; without a next one, the upper bound is unknown.
    let high = next.map(|next| (next - 1.0).max(streams));
    let count = Noise::Range { low: streams, high, slack: FLOOR_RATE };
    let count = Reading::new("vda.streams", streams, count).floor_absolute(1.0);
    let total = facts.published_mb_per_s.map(|rate| {
        let noise = Noise::Range { low: rate, high: Some(rate), slack: FLOOR_RATE };
        // Below its limit, a run transfers what its streams request.
        Reading::new("vda.published_mb_per_s", rate, noise).demanded(!ended_at_its_limit)
    });
    [count].into_iter().chain(total).collect()
}

fn search(facts: &SearchFacts) -> Option<Reading> {
    let streams = facts.streams?;
    let is_certain = facts.complete && !facts.limited_by_client;
    let low = f64::from(streams);
    let high = is_certain.then(|| f64::from(facts.at_most.unwrap_or(streams).max(streams)));
    let noise = Noise::Range { low, high, slack: FLOOR_RATE };
    Some(Reading::new(SEARCH, low, noise).floor_absolute(1.0))
}

fn check(facts: &CheckFacts, into: &mut Vec<Reading>) {
    for format in &facts.formats {
        for (what, found) in [("play", &format.play), ("record", &format.record)] {
            let Some(found) = found else { continue };
            let streams = f64::from(found.streams);
            let noise = Noise::Range { low: lowest(found), high: highest(found), slack: CHECK_SLACK };
            let figure = format!("check.formats.{}.{what}.streams", format.id);
            let name = format!("streams of {}", format.name);
            into.push(Reading::new(&figure, streams, noise).named(name).floor_absolute(1.0));
        }
    }
    let rates = [
        ("check.sequential_read_mb_per_s", facts.sequential_read_mb_per_s),
        ("check.sequential_write_mb_per_s", facts.sequential_write_mb_per_s),
        ("check.random_read_mb_per_s", facts.random_read_mb_per_s),
    ];
    for (figure, value) in rates {
        let Some(value) = value else { continue };
        let noise = Noise::Range { low: value, high: Some(value), slack: CHECK_RATE_SLACK };
        into.push(Reading::new(figure, value, noise));
    }
    if let Some(ms) = facts.random_read_ms_p99 {
        // Two seconds contain too few slow operations for an estimate.
        into.push(Reading::new("check.random_read_ms_p99", ms, Noise::Unknown));
    }
}

/// The smallest stream count that a count of a check can mean. A short trial alone gives no lower bound.
fn lowest(found: &CheckCount) -> f64 {
    let error = match found.error_streams {
        Some(error) => error,
        None if found.is_sustained() => 0,
        None => found.streams,
    };
    // The count cannot be off by more than itself.
    f64::from(found.streams.saturating_sub(error))
}

/// The largest stream count; `None` if there is no upper bound.
fn highest(found: &CheckCount) -> Option<f64> {
    let error = found.error_streams.filter(|_| !found.at_least)?;
    Some(f64::from(found.streams) + f64::from(error))
}

fn replay(summary: &Summary, facts: &ReplayFacts, into: &mut Vec<Reading>) {
    let complete: Vec<&ReplayPass> = facts.passes.iter().filter(|pass| pass.complete).collect();
    let spans: Vec<f64> = complete.iter().map(|pass| pass.span_s).collect();
    let by_recording = facts.expected_span_s.is_some();
    // Passes repeat one another; a single pass has only the evidence of its seconds.
    let noise = match of_rate(&spans) {
        Noise::Unknown => {
            match summary.load_points.first().and_then(|point| Stretches::of(&summary.series, point)) {
                Some(stretches) if complete.len() == 1 && !by_recording => of_rate(&stretches.ops),
                _ => Noise::Unknown,
            }
        }
        noise => noise,
    };
    if let Some(rate) = facts.median_bytes_per_s {
        let reading = Reading::new("replay.median_bytes_per_s", rate, noise).floor(FLOOR_RATE);
        // At the recorded pace the rate is the recording's.
        let better = if by_recording { Better::Neither } else { reading.better };
        into.push(Reading { better, ..reading });
    }
    if !spans.is_empty() {
        let mean_s = spans.iter().sum::<f64>() / spans.len() as f64;
        // A replay at the recorded pace keeps the time unless the storage is slower. Chance plays no
        // part.
        let noise = match (noise, facts.expected_span_s) {
            (Noise::Unknown, Some(_)) => Noise::Share(0.0, 1e9),
            (noise, _) => noise,
        };
        into.push(Reading::new("replay.span_s", mean_s, noise).floor(FLOOR_RATE));
    }
    if !complete.is_empty() {
        let different: u64 = complete.iter().map(|pass| pass.different_ops).sum();
        let per_pass = different as f64 / complete.len() as f64;
        // The figure shows that the same operations give different results, so any difference is real.
        let noise = Noise::Absolute(0.0, 1e9);
        into.push(Reading::new("replay.different_ops", per_pass, noise).floor_absolute(1.0));
    }
}

/// Rates over all load points.
fn totals(summary: &Summary, is_demand: bool, into: &mut Vec<Reading>) {
    let measured_s: f64 = summary.load_points.iter().map(|point| point.measured_s).sum();
    if measured_s <= 0.0 {
        return;
    }
    type Amount = fn(&LoadPoint) -> f64;
    type Stretch = fn(&Stretches) -> &[f64];
    type Total<'a> = (&'a str, Amount, Stretch);
    let all: [Total<'_>; 3] = [
        ("total.read_bytes_per_s", |point| point.total.read_bytes as f64, |all| &all.read_bytes),
        ("total.written_bytes_per_s", |point| point.total.written_bytes as f64, |all| &all.written_bytes),
        (
            "total.data_ops_per_s",
            |point| point.total.data_ops_per_s.unwrap_or(0.0) * point.measured_s,
            |all| &all.ops,
        ),
    ];
    for (figure, amount, stretch) in all {
        let sum: f64 = summary.load_points.iter().map(amount).sum();
        let noise = total_noise(summary, sum, amount, stretch);
        let reading = Reading::new(figure, sum / measured_s, noise);
        into.push(reading.floor(FLOOR_RATE).demanded(is_demand));
    }
    let failed = summary.failed_ops() as f64;
    let noise = if failed == 0.0 { Noise::Absolute(1.0, 9.0) } else { Noise::Unknown };
    into.push(Reading::new("total.failed_ops", failed, noise).counted_over(measured_s));
}

/// The noise of a sum over load points: the noise of each, in proportion.
fn total_noise(
    summary: &Summary,
    sum: f64,
    amount: fn(&LoadPoint) -> f64,
    stretch: fn(&Stretches) -> &[f64],
) -> Noise {
    let (mut square, mut least_dof) = (0.0_f64, f64::INFINITY);
    for point in summary.load_points.iter().filter(|point| amount(point) > 0.0) {
        let noise = Stretches::of(&summary.series, point).map(|stretches| of_rate(stretch(&stretches)));
        let Some(Noise::Share(share, dof)) = noise else {
            return Noise::Unknown;
        };
        square += (share * amount(point) / sum).powi(2);
        least_dof = least_dof.min(dof);
    }
    if least_dof.is_finite() { Noise::Share(square.sqrt(), least_dof) } else { Noise::Unknown }
}

fn of_the_tool(summary: &Summary, into: &mut Vec<Reading>) {
    let cost = &summary.self_cost;
    // The variation of these is not measured. A fixed rule is used: a quarter, and a factor of two for a
    // delay.
    let of = |value: f64, slack: f64| Noise::Range { low: value, high: Some(value), slack };
    if let Some(us) = cost.cpu_us_per_op {
        into.push(Reading::new("self_cost.cpu_us_per_op", us, of(us, SELF_FLOOR)));
    }
    // Earlier versions wrote it even for fewer operations.
    let ops: u64 = summary.load_points.iter().map(|point| point.total.ops).sum();
    if let Some(us) = cost.lateness_p99_us.filter(|_| ops >= CARRY_P99) {
        let reading = Reading::new("self_cost.lateness_p99_us", us, of(us, 1.0));
        into.push(reading.floor_absolute(LATENESS_FLOOR_US));
    }
}
