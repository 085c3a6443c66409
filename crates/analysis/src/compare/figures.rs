//! Selects the figures of a run that are compared, each with its uncertainty.
//!
//! Names and values are those of summary.json. Only totals over load points are computed here. Not here:
//! what changed ([`super::judge`]).

mod definitions;
mod load_point;
mod times;
mod whole_run;

use super::comparability::{WorkActor, is_all_paced};
use super::evidence::Noise;
use super::incidents::Disturbances;
use super::{Better, ComparedLate, FigureLabel, FigureUnit, RunToCompare};
use crate::summary::{LoadPoint, Summary};
use definitions::known;

pub use definitions::{KNOWN_FIGURES, KnownFigure};
pub(super) use times::of_mean;

/// A figure of one run.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Reading {
    /// See [`super::ComparisonRow::figure`].
    pub(super) figure: String,
    /// See [`super::ComparisonRow::label`].
    pub(super) label: FigureLabel,
    pub(super) unit: FigureUnit,
    pub(super) better: Better,
    pub(super) value: f64,
    pub(super) noise: Noise,
    /// Differences between single runs below this share are not evidence, whatever the noise.
    pub(super) floor: f64,
    /// Differences below this are not evidence either, in the figure's own unit.
    pub(super) floor_absolute: f64,
    /// For counts: the time over which it was counted. Counts over different times cannot be compared.
    pub(super) counted_s: Option<f64>,
    /// The disturbances that late frames and margins depend on.
    pub(super) disturbances: Option<Disturbances>,
    /// Whether it is a requested rate, and no evidence about the storage.
    pub(super) is_demand: bool,
}

impl Reading {
    /// A value of one of [`KNOWN_FIGURES`].
    pub(super) fn new(name: &str, value: f64, noise: Noise) -> Reading {
        let Some((figure, word)) = known(name) else {
            unreachable!("unknown figure {name} in a comparison; add it to the known figures");
        };
        Reading {
            figure: name.to_owned(),
            label: figure.label(word.unwrap_or("*")),
            unit: figure.unit,
            better: figure.better,
            value,
            noise,
            floor: 0.0,
            floor_absolute: 0.0,
            counted_s: None,
            disturbances: None,
            is_demand: false,
        }
    }

    /// Replaces the label by another name than the one in its path.
    fn named(mut self, name: String) -> Reading {
        self.label.name = name;
        self
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

    /// Marks the figure as changed by every disturbance.
    fn affected_by(self, disturbances: Disturbances) -> Reading {
        Reading { disturbances: Some(disturbances), ..self }
    }

    /// Whether it is a number of events in the whole run, which is exact. Late frames have the noise of
    /// their disturbances instead.
    pub(super) fn is_counted_exactly(&self) -> bool {
        self.unit == FigureUnit::Count && self.disturbances.is_none() && !self.is_demand
    }

    /// If a clock requested it, more is neither better nor worse.
    fn demanded(self, is_demand: bool) -> Reading {
        let better = if is_demand { Better::Neither } else { self.better };
        Reading { is_demand, better, ..self }
    }
}

/// What identifies a load point in another run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PointKey {
    label: String,
    workers: u32,
    sweep_value: Option<String>,
    stream_count: Option<u32>,
    /// How many equal load points came before it in the same run.
    occurrence: usize,
}

impl PointKey {
    /// The text that is shown. `is_alone`: no other load point has the same label.
    pub(super) fn group(&self, is_alone: bool) -> String {
        let mut group = match self.label.as_str() {
            "" => workers(self.workers),
            label => label.to_owned(),
        };
        if !is_alone {
            group.push_str(&format!(", {}", workers(self.workers)));
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

/// The label that load points of workers have.
fn workers(count: u32) -> String {
    if count == 1 { "1 worker".to_owned() } else { format!("{count} workers") }
}

/// The load points of a run that are compared, with their keys. Trials of searches and of a quick check
/// are not compared: which counts were tried depends on the trials before, and the result of the search
/// covers them.
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
pub(super) fn of_point(run: &RunToCompare<'_>, point: &LoadPoint) -> Vec<Reading> {
    load_point::readings(run.summary, point, is_demand(run.work, point))
}

/// The figures of a whole run. `with_totals` adds those over all its load points.
pub(super) fn of_run(run: &RunToCompare<'_>, with_totals: bool) -> Vec<Reading> {
    let points = &run.summary.load_points;
    let is_demand = !points.is_empty() && points.iter().all(|point| is_demand(run.work, point));
    whole_run::readings(run.summary, with_totals, is_demand)
}

/// Whether a clock requested everything that was transferred. If the actors are unknown, the kind of
/// load point decides.
fn is_demand(work: &[WorkActor], point: &LoadPoint) -> bool {
    is_all_paced(work).unwrap_or_else(|| point.streams.is_some() || !point.rates.is_empty())
}

/// The results of a load point's streams.
pub(super) fn late_of_point(point: &LoadPoint) -> Option<ComparedLate> {
    load_point::late(point)
}

/// How much a figure matters. The lower the value, the earlier it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Weight {
    /// Whether the criteria were met.
    Verdict,
    /// How many streams there can be.
    Capacity,
    /// Whether frames were late.
    LateFrames,
    /// How small the margins of frames were.
    Margin,
    /// The other main figures of a storage system.
    Headline,
    /// All other figures.
    Other,
}

/// How much a figure matters.
pub fn weight(figure: &str) -> Weight {
    known(figure).map_or(Weight::Other, |(known, _)| known.weight)
}

/// Whether the criteria of a load point were met: 1 or 0.
pub const VERDICT: &str = "verdict.passed";
/// The largest count of streams that passed every time.
pub const SEARCH: &str = "search.streams";
/// Disturbances that made frames late, whichever streams they affected.
pub const INCIDENTS: &str = "streams.incidents";
/// Throughput of a suite: the mean of its workloads.
pub const SUITE_MEAN: &str = "suite.geometric_mean_bytes_per_s";
/// Throughput of one workload of a suite: the median of its passes.
pub const SUITE_WORKLOAD: &str = "suite.median_bytes_per_s";
/// Late frames of all streams.
pub const LATE_FRAMES: &str = "streams.total.late_frames";
/// Streams that had a late frame.
pub const STREAMS_HIT: &str = "streams.total.streams_with_late_frames";
/// The longest time in which operations were in flight and none completed.
pub const SILENCE: &str = "series.standstills.lasted_s";
/// The margin of the frame that was closest to its deadline.
pub const WORST_MARGIN: &str = "streams.total.worst_margin.margin_us";

/// Whether a figure shows if streams were sustained, and can be compared between different stream
/// counts.
pub fn is_of_streams(figure: &str) -> bool {
    matches!(weight(figure), Weight::Verdict | Weight::LateFrames | Weight::Margin)
}

/// Whether a figure is a rate of bytes.
pub(super) fn is_throughput(figure: &str) -> bool {
    known(figure).is_some_and(|(known, _)| matches!(known.unit, FigureUnit::BytesPerS | FigureUnit::MbPerS))
}

/// Whether a figure is one of the main figures of a storage system, which are shown even if unchanged.
pub fn is_headline(figure: &str) -> bool {
    weight(figure) < Weight::Other
}

/// Whether a figure is about the tool and not about the storage.
pub fn is_about_reelgauge(figure: &str) -> bool {
    figure.starts_with("self_cost.")
}
