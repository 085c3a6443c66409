//! The figures of one load point.

use super::super::evidence::{Noise, Stretches, of_count, of_rate};
use super::super::late;
use super::super::{Better, FLOOR_RATE, Unit};
use super::times::{self, Whose};
use super::{LoadPoint, Reading, Summary};
use crate::late::LateFigures;

/// All of them, those that matter most first.
pub(super) fn readings(summary: &Summary, point: &LoadPoint) -> Vec<Reading> {
    let stretches = Stretches::of(summary, point);
    let stretches = stretches.as_ref();
    let mut readings = Vec::new();
    if let Some(figures) = &point.streams {
        late_frames(figures, point, summary, &mut readings);
    }
    rates(point, stretches, &mut readings);
    required(point, stretches, &mut readings);
    let response = &point.total.response;
    for (kind, times) in [("read", &response.read), ("write", &response.write)] {
        if let Some(times) = times {
            times::readings(&Whose { kind, times }, point, stretches, &mut readings);
        }
    }
    let errors = stretches.map_or(Noise::Unknown, |stretches| of_count(&stretches.errors));
    let failed = point.total.failed_ops as f64;
    readings.push(
        Reading::new("total.failed_ops", "failed operations", Unit::Count, Better::Lower, failed, errors)
            .counted_over(point.measured_s),
    );
    readings
}

fn late_frames(figures: &LateFigures, point: &LoadPoint, summary: &Summary, into: &mut Vec<Reading>) {
    let total = &figures.total;
    let noise = late::noise(figures, began_measuring_s(summary, point), point.measured_s);
    let count = |figure: &str, label: &str, value: u64, noise: Noise| {
        Reading::new(figure, label, Unit::Count, Better::Lower, value as f64, noise)
            .counted_over(point.measured_s)
    };
    into.push(count("streams.total.late_frames", "late frames", total.late_frames, noise));
    // Streams share their stalls: how many were hit is as sure as how often.
    let hit = total.streams_with_late_frames;
    let noise_of_hit = match noise {
        Noise::Absolute(error, dof) => {
            let share = error / total.late_frames.max(1) as f64;
            Noise::Absolute((share * hit as f64).max(1.0), dof)
        }
        _ => Noise::Unknown,
    };
    into.push(count("streams.total.streams_with_late_frames", "streams with late frames", hit, noise_of_hit));
    if let Some(worst) = &total.worst_margin {
        let stream = figures.streams.iter().find(|stream| stream.stream == worst.stream);
        let stretches = Stretches::of(summary, point);
        let spread = stretches.as_ref().map_or(Noise::Unknown, Stretches::max_response);
        let value = worst.margin.margin_us;
        // What varies is how long the slowest frame took, of the time that it had.
        let noise = match (spread, stream) {
            (Noise::Share(share, dof), Some(stream)) => {
                let frame_us = 1e6 / stream.nominal_frames_per_s.max(1e-3);
                let took_us = (stream.buffer_s * 1e6 + frame_us - value).max(0.0);
                Noise::Absolute(took_us * share.max(0.5), dof)
            }
            _ => Noise::Unknown,
        };
        let (figure, label) = ("streams.total.worst_margin.margin_us", "worst margin, ms");
        into.push(Reading::new(figure, label, Unit::Us, Better::Higher, value, noise));
    }
}

/// When the measured part of a load point begins, in the load point: at its first measured operation.
fn began_measuring_s(summary: &Summary, point: &LoadPoint) -> f64 {
    let first = summary.series.steps.iter().find(|step| step.point == Some(point.index));
    first.map_or(0.0, |step| (step.began_s as f64 - point.started_s).max(0.0))
}

fn rates(point: &LoadPoint, stretches: Option<&Stretches>, into: &mut Vec<Reading>) {
    let total = &point.total;
    let noise = |of: fn(&Stretches) -> &[f64]| stretches.map_or(Noise::Unknown, |all| of_rate(of(all)));
    let all = [
        (
            "total.read_bytes_per_s",
            "read, MB/s",
            Unit::BytesPerS,
            total.read_bytes_per_s,
            noise(|all| &all.read_bytes),
        ),
        (
            "total.written_bytes_per_s",
            "write, MB/s",
            Unit::BytesPerS,
            total.written_bytes_per_s,
            noise(|all| &all.written_bytes),
        ),
        (
            "total.data_ops_per_s",
            "reads and writes per s",
            Unit::PerS,
            total.data_ops_per_s,
            noise(|all| &all.ops),
        ),
    ];
    for (figure, label, unit, value, noise) in all {
        if let Some(value) = value {
            into.push(Reading::new(figure, label, unit, Better::Higher, value, noise).floor(FLOOR_RATE));
        }
    }
}

/// Rates that were asked for, and how they were kept (VDA-like runs).
fn required(point: &LoadPoint, stretches: Option<&Stretches>, into: &mut Vec<Reading>) {
    if point.rates.is_empty() {
        return;
    }
    let achieved: f64 = point.rates.iter().map(|rate| rate.achieved_ops_per_s).sum();
    let noise = stretches.map_or(Noise::Unknown, |stretches| of_rate(&stretches.ops));
    let (figure, label) = ("rates.achieved_ops_per_s", "achieved operations per s");
    into.push(Reading::new(figure, label, Unit::PerS, Better::Higher, achieved, noise).floor(FLOOR_RATE));
    if let Some(ms) = point.rates_mean_response_ms {
        let noise = stretches.map_or(Noise::Unknown, |stretches| times::of_mean(point, stretches));
        let (figure, label) = ("rates_mean_response_ms", "mean response, ms");
        into.push(Reading::new(figure, label, Unit::Ms, Better::Lower, ms, noise).floor(FLOOR_RATE));
    }
}
