//! The figures of one load point.

use super::super::evidence::{Noise, Stretches, of_count, of_rate};
use super::super::incidents::{self, Disturbances, LatePeriod};
use super::super::{ComparedIncident, ComparedLate, FLOOR_RATE};
use super::times::{self, Whose};
use super::{
    INCIDENTS, LATE_FRAMES, LoadPoint, Reading, SILENCE, STREAMS_HIT, Summary, VERDICT, WORST_MARGIN,
};
use crate::late::LateFigures;
use crate::series::Standstill;
use crate::silence;

/// All figures of the load point, the most important first.
pub(super) fn readings(summary: &Summary, point: &LoadPoint, is_demand: bool) -> Vec<Reading> {
    let stretches = Stretches::of(&summary.series, point);
    let stretches = stretches.as_ref();
    let mut readings = Vec::new();
    readings.extend(verdict(point));
    if let Some(figures) = &point.streams {
        late_frames(figures, point, summary, &mut readings);
    }
    rates(point, stretches, is_demand, &mut readings);
    required(point, stretches, &mut readings);
    let response = &point.total.response;
    let with_own_delay = summary.self_cost.timing_good_enough == Some(false);
    for (kind, times) in [("read", &response.read), ("write", &response.write)] {
        if let Some(times) = times {
            let whose = Whose { kind, times, with_own_delay };
            times::readings(&whose, point, stretches, &mut readings);
        }
    }
    let errors = stretches.map_or(Noise::Unknown, |stretches| of_count(&stretches.errors));
    let failed = point.total.failed_ops as f64;
    readings.push(Reading::new("total.failed_ops", failed, errors).counted_over(point.measured_s));
    readings
}

/// Whether its criteria were met. A failure that Reelgauge itself or a lack of measurements caused is no
/// verdict on the storage.
fn verdict(point: &LoadPoint) -> Option<Reading> {
    let verdict = point.verdict.as_ref().filter(|verdict| !verdict.is_no_fault_of_the_storage())?;
    let met = if verdict.passed { 1.0 } else { 0.0 };
    let noise = Noise::Absolute(0.0, 1e9);
    Some(Reading::new(VERDICT, met, noise))
}

/// The results of a load point's streams; `None` if no frame was judged.
pub(super) fn late(point: &LoadPoint) -> Option<ComparedLate> {
    let figures = point.streams.as_ref().filter(|figures| figures.total.frames_judged > 0)?;
    let (windows, unlisted) = incidents::of_streams(figures);
    let worst = windows.iter().max_by_key(|window| window.late_frames);
    let total = &figures.total;
    Some(ComparedLate {
        measured_s: point.measured_s,
        streams: total.streams,
        streams_with_late_frames: total.streams_with_late_frames,
        frames_judged: total.frames_judged,
        late_frames: total.late_frames,
        incidents: windows.len() as u64 + unlisted,
        worst_incident: worst.map(|window| ComparedIncident {
            began_in_point_s: window.began_s,
            length_s: window.ended_s - window.began_s,
            late_frames: window.late_frames,
        }),
        ..ComparedLate::default()
    })
}

fn late_frames(figures: &LateFigures, point: &LoadPoint, summary: &Summary, into: &mut Vec<Reading>) {
    let total = &figures.total;
    if total.frames_judged == 0 {
        return;
    }
    let (windows, unlisted) = incidents::of_streams(figures);
    let from_s = began_measuring_s(summary, point);
    let disturbances = Disturbances::new(&windows, unlisted, from_s, point.measured_s)
        .judged_over(incidents::judged_s(figures));
    let incidents = Reading::new(INCIDENTS, disturbances.count as f64, Noise::Unknown);
    into.push(incidents.affected_by(disturbances));
    let disturbances = disturbances.with_late_frames(figures);
    let counts = [(LATE_FRAMES, total.late_frames), (STREAMS_HIT, total.streams_with_late_frames)];
    for (figure, value) in counts {
        let reading = Reading::new(figure, value as f64, Noise::Unknown);
        into.push(reading.affected_by(disturbances));
    }
    into.push(silence(figures, point, summary));
    if let Some(worst) = &total.worst_margin {
        let stream = figures.streams.iter().find(|stream| stream.stream == worst.stream);
        let stretches = Stretches::of(&summary.series, point);
        let spread = stretches.as_ref().map_or(Noise::Unknown, Stretches::max_response);
        let value = worst.margin.margin_us;
        // The value that varies is the part of its available time that the slowest frame took.
        let noise = match (spread, stream) {
            (Noise::Share(share, dof), Some(stream)) => {
                let frame_us = 1e6 / stream.nominal_frames_per_s.max(1e-3);
                let took_us = (stream.buffer_s * 1e6 + frame_us - value).max(0.0);
                Noise::Absolute(took_us * share.max(0.5), dof)
            }
            _ => Noise::Unknown,
        };
        let reading = Reading::new(WORST_MARGIN, value, noise);
        into.push(reading.affected_by(disturbances));
    }
}

/// The longest silence of the storage; 0 if an operation completed in every second. It is an event like
/// a late frame: from none to some is a change.
fn silence(figures: &LateFigures, point: &LoadPoint, summary: &Summary) -> Reading {
    let silences = silence::of_point(summary, point);
    let window = |still: &Standstill| LatePeriod {
        began_s: still.began_s - point.started_s,
        ended_s: still.began_s - point.started_s + still.lasted_s,
        late_frames: 0,
    };
    let windows: Vec<LatePeriod> = silences.iter().map(window).collect();
    let from_s = began_measuring_s(summary, point);
    let longest_s = silence::longest(&silences).map_or(0.0, |still| still.lasted_s);
    let disturbances = Disturbances::new(&windows, 0, from_s, point.measured_s);
    let reading = Reading::new(SILENCE, longest_s, Noise::Unknown);
    reading.affected_by(disturbances.judged_over(incidents::judged_s(figures)))
}

/// When the measured part begins, in seconds of the load point: at its first measured operation.
fn began_measuring_s(summary: &Summary, point: &LoadPoint) -> f64 {
    let first = summary.series.steps.iter().find(|step| step.point == Some(point.index));
    first.map_or(0.0, |step| (step.began_s as f64 - point.started_s).max(0.0))
}

fn rates(point: &LoadPoint, stretches: Option<&Stretches>, is_demand: bool, into: &mut Vec<Reading>) {
    let total = &point.total;
    let noise = |of: fn(&Stretches) -> &[f64]| stretches.map_or(Noise::Unknown, |all| of_rate(of(all)));
    let all = [
        ("total.read_bytes_per_s", total.read_bytes_per_s, noise(|all| &all.read_bytes)),
        ("total.written_bytes_per_s", total.written_bytes_per_s, noise(|all| &all.written_bytes)),
        ("total.data_ops_per_s", total.data_ops_per_s, noise(|all| &all.ops)),
    ];
    for (figure, value, noise) in all {
        if let Some(value) = value {
            let reading = Reading::new(figure, value, noise);
            into.push(reading.floor(FLOOR_RATE).demanded(is_demand));
        }
    }
}

/// Required rates, and how well they were met (VDA-like runs).
fn required(point: &LoadPoint, stretches: Option<&Stretches>, into: &mut Vec<Reading>) {
    if point.rates.is_empty() {
        return;
    }
    let achieved: f64 = point.rates.iter().map(|rate| rate.achieved_ops_per_s).sum();
    let noise = stretches.map_or(Noise::Unknown, |stretches| of_rate(&stretches.ops));
    // The verdict already shows whether enough of them were reached.
    let reading = Reading::new("rates.achieved_ops_per_s", achieved, noise);
    into.push(reading.floor(FLOOR_RATE).demanded(true));
    if let Some(ms) = point.rates_mean_response_ms {
        let noise = stretches.map_or(Noise::Unknown, |stretches| times::of_mean(point, stretches));
        into.push(Reading::new("rates_mean_response_ms", ms, noise).floor(FLOOR_RATE));
    }
}
