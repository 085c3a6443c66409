//! Which figures of a run are compared, with how well each is known.
//!
//! Names are those of summary.json; values are taken from there and never computed again, but for totals
//! over load points. Not here: what changed ([`super::judge`]).

mod of_point;
mod of_run;
mod times;

use super::evidence::Noise;
use super::{Better, Unit};
use crate::summary::{LoadPoint, Summary};

/// A figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// See [`super::ComparisonRow::figure`].
    pub(super) figure: String,
    /// See [`super::ComparisonRow::label`].
    pub(super) label: String,
    pub(super) unit: Unit,
    pub(super) better: Better,
    pub(super) value: f64,
    pub(super) noise: Noise,
    /// Differences below this share between single runs say nothing, whatever the noise.
    pub(super) floor: f64,
    /// Differences below this much say nothing either, in the figure's own unit.
    pub(super) floor_absolute: f64,
    /// How long it was counted, for counts: those of different times don't compare.
    pub(super) counted_s: Option<f64>,
}

impl Reading {
    fn new(figure: &str, label: &str, unit: Unit, better: Better, value: f64, noise: Noise) -> Reading {
        Reading {
            figure: figure.to_owned(),
            label: label.to_owned(),
            unit,
            better,
            value,
            noise,
            floor: 0.0,
            floor_absolute: 0.0,
            counted_s: None,
        }
    }

    fn floor(self, floor: f64) -> Reading {
        Reading { floor, ..self }
    }

    fn floor_absolute(self, floor_absolute: f64) -> Reading {
        Reading { floor_absolute, ..self }
    }

    fn counted_over(self, counted_s: f64) -> Reading {
        Reading { counted_s: Some(counted_s), ..self }
    }
}

/// What a load point is recognised by in another run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PointKey {
    label: String,
    workers: u32,
    sweep_value: Option<String>,
    stream_count: Option<u32>,
    /// How many like it came before in the same run.
    occurrence: usize,
}

impl PointKey {
    /// What is shown of it. `is_alone` says that no other has the same label.
    pub(super) fn group(&self, is_alone: bool) -> String {
        let mut group = match self.label.as_str() {
            "" => format!("{} workers", self.workers),
            label => label.to_owned(),
        };
        if !is_alone {
            group.push_str(&format!(", {} workers", self.workers));
            if let Some(value) = &self.sweep_value {
                group.push_str(&format!(", {value}"));
            }
            if self.occurrence > 0 {
                group.push_str(&format!(" ({})", self.occurrence + 1));
            }
        }
        group
    }

    pub(super) fn label(&self) -> &str {
        &self.label
    }
}

/// The load points of a run that are compared, with their keys. Trials of searches and of a first look are
/// none: which counts were tried depends on how the ones before went, and their answer stands for them.
pub(super) fn points(summary: &Summary) -> Vec<(PointKey, &LoadPoint)> {
    if summary.search.is_some() || summary.check.is_some() {
        return Vec::new();
    }
    let mut keyed: Vec<(PointKey, &LoadPoint)> = Vec::new();
    for point in &summary.load_points {
        let mut key = PointKey {
            label: point.label.clone(),
            workers: point.workers,
            sweep_value: point.sweep_value.clone(),
            stream_count: point.stream_count,
            occurrence: 0,
        };
        while keyed.iter().any(|(other, _)| *other == key) {
            key.occurrence += 1;
        }
        keyed.push((key, point));
    }
    keyed
}

/// The figures of a load point.
pub(super) fn of_point(summary: &Summary, point: &LoadPoint) -> Vec<Reading> {
    of_point::readings(summary, point)
}

/// The figures of a whole run. `with_totals`: also those over all its load points.
pub(super) fn of_run(summary: &Summary, with_totals: bool) -> Vec<Reading> {
    of_run::readings(summary, with_totals)
}

/// Whether a figure is one of those that a storage is judged by; shown even where it did not change.
pub fn is_headline(figure: &str) -> bool {
    const HEADLINES: [&str; 11] = [
        "search.streams",
        "vda.overall_response_time_ms",
        "streams.total.late_frames",
        "total.read_bytes_per_s",
        "total.written_bytes_per_s",
        "total.response.read.p99_us",
        "total.response.write.p99_us",
        "replay.median_bytes_per_s",
        "replay.span_s",
        "rates_mean_response_ms",
        "check.random_read_mb_per_s",
    ];
    HEADLINES.contains(&figure) || figure.starts_with("check.formats.")
}

/// Whether a figure is about the tool and not about the storage.
pub fn is_of_the_tool(figure: &str) -> bool {
    figure.starts_with("self_cost.")
}
