//! Lists the figures that are compared: label, unit, direction and weight of each. Names are paths in
//! `summary.json`, below a load point or below the whole.
//!
//! Not here: their values ([`super`]), and their meaning, which is documented where each figure is
//! defined.

use super::super::{Better, FigureLabel, FigureUnit};
use super::{
    INCIDENTS, LATE_FRAMES, SEARCH, SILENCE, STREAMS_HIT, SUITE_MEAN, SUITE_WORKLOAD, VERDICT, WORST_MARGIN,
    Weight,
};

/// The fixed properties of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KnownFigure {
    /// Its path; `*` matches one word.
    pub name: &'static str,
    /// Its label on screens, without the unit; `*` is replaced by the word of the name.
    pub label: &'static str,
    /// The work of its streams in a check: `play`, `record`.
    pub work: &'static str,
    /// The unit in which it is shown; empty if it has none.
    pub shown_unit: &'static str,
    /// The unit of its values.
    pub unit: FigureUnit,
    /// Which direction is good.
    pub better: Better,
    /// How much it matters.
    pub weight: Weight,
}

const fn figure(
    name: &'static str,
    label: &'static str,
    unit: FigureUnit,
    better: Better,
    weight: Weight,
) -> KnownFigure {
    KnownFigure { name, label, work: "", shown_unit: shown(unit), unit, better, weight }
}

/// The unit in which values of a unit are shown.
const fn shown(unit: FigureUnit) -> &'static str {
    match unit {
        FigureUnit::BytesPerS | FigureUnit::MbPerS => "MB/s",
        FigureUnit::Us | FigureUnit::Ms => "ms",
        FigureUnit::SmallUs => "µs",
        FigureUnit::S => "s",
        FigureUnit::PerS | FigureUnit::Count | FigureUnit::Streams | FigureUnit::Verdict => "",
    }
}

/// Streams that do this, as a check counts them.
const fn streams(name: &'static str, work: &'static str) -> KnownFigure {
    KnownFigure { work, ..higher(name, "streams of *", FigureUnit::Streams, Weight::Capacity) }
}

const fn higher(name: &'static str, label: &'static str, unit: FigureUnit, weight: Weight) -> KnownFigure {
    figure(name, label, unit, Better::Higher, weight)
}

const fn lower(name: &'static str, label: &'static str, unit: FigureUnit, weight: Weight) -> KnownFigure {
    figure(name, label, unit, Better::Lower, weight)
}

/// Every figure that is compared.
pub const KNOWN_FIGURES: &[KnownFigure] = &[
    higher(VERDICT, "criteria", FigureUnit::Verdict, Weight::Verdict),
    higher(SEARCH, "streams that passed every time", FigureUnit::Streams, Weight::Capacity),
    streams("check.formats.*.play.streams", "play"),
    streams("check.formats.*.record.streams", "record"),
    lower(INCIDENTS, "incidents", FigureUnit::Count, Weight::LateFrames),
    lower(LATE_FRAMES, "late frames", FigureUnit::Count, Weight::LateFrames),
    lower(STREAMS_HIT, "streams with late frames", FigureUnit::Count, Weight::LateFrames),
    higher(WORST_MARGIN, "worst margin", FigureUnit::Us, Weight::Margin),
    lower(SILENCE, "longest silence", FigureUnit::S, Weight::LateFrames),
    higher("vda.streams", "VDA-like streams, all points valid", FigureUnit::Streams, Weight::Capacity),
    KnownFigure {
        // The division is part of its name.
        shown_unit: "",
        ..higher(
            "vda.published_mb_per_s",
            "VDA-like total (published unit: KiB/s ÷ 1000)",
            FigureUnit::MbPerS,
            Weight::Headline,
        )
    },
    lower("vda.overall_response_time_ms", "overall response time", FigureUnit::Ms, Weight::Headline),
    higher("total.read_bytes_per_s", "read", FigureUnit::BytesPerS, Weight::Headline),
    higher("total.written_bytes_per_s", "write", FigureUnit::BytesPerS, Weight::Headline),
    higher("total.data_ops_per_s", "reads and writes per second", FigureUnit::PerS, Weight::Other),
    higher("rates.achieved_ops_per_s", "achieved operations per second", FigureUnit::PerS, Weight::Other),
    lower("rates_mean_response_ms", "mean response time of transfers", FigureUnit::Ms, Weight::Headline),
    lower("total.response.*.mean_us", "* op mean", FigureUnit::Us, Weight::Other),
    lower("total.response.*.p50_us", "* op p50", FigureUnit::Us, Weight::Other),
    lower("total.response.*.p95_us", "* op p95", FigureUnit::Us, Weight::Other),
    lower("total.response.*.p99_us", "* op p99", FigureUnit::Us, Weight::Headline),
    lower("total.response.*.p99_9_us", "* op p99.9", FigureUnit::Us, Weight::Other),
    lower("total.response.*.max_us", "* op max", FigureUnit::Us, Weight::Other),
    lower("total.failed_ops", "failed operations", FigureUnit::Count, Weight::Other),
    higher("check.sequential_read_mb_per_s", "sequential read", FigureUnit::MbPerS, Weight::Other),
    higher("check.sequential_write_mb_per_s", "sequential write", FigureUnit::MbPerS, Weight::Other),
    higher("check.random_read_mb_per_s", "random read", FigureUnit::MbPerS, Weight::Headline),
    lower("check.random_read_ms_p99", "random read p99", FigureUnit::Ms, Weight::Other),
    higher(SUITE_MEAN, "geometric mean of the suite", FigureUnit::BytesPerS, Weight::Headline),
    higher(SUITE_WORKLOAD, "median", FigureUnit::BytesPerS, Weight::Other),
    higher("replay.median_bytes_per_s", "replayed", FigureUnit::BytesPerS, Weight::Headline),
    lower("replay.span_s", "duration of a pass", FigureUnit::S, Weight::Headline),
    lower("replay.different_ops", "operations with different results", FigureUnit::Count, Weight::Other),
    lower(
        "self_cost.cpu_us_per_op",
        "Reelgauge's CPU time per operation",
        FigureUnit::SmallUs,
        Weight::Other,
    ),
    lower(
        "self_cost.lateness_p99_us",
        "Reelgauge's scheduling delay p99",
        FigureUnit::SmallUs,
        Weight::Other,
    ),
];

impl KnownFigure {
    /// Its label on screens, with the unit; `word` replaces `*`.
    pub fn label(&self, word: &str) -> FigureLabel {
        FigureLabel { name: self.label.replace('*', word), work: self.work, unit: self.shown_unit }
    }
}

/// The properties of the figure with this name, and the word that matches `*`, if its name has one.
pub(super) fn known(name: &str) -> Option<(&'static KnownFigure, Option<&str>)> {
    KNOWN_FIGURES.iter().find_map(|figure| {
        let Some((before, behind)) = figure.name.split_once('*') else {
            return (figure.name == name).then_some((figure, None));
        };
        let word = name.strip_prefix(before)?.strip_suffix(behind)?;
        (!word.contains('.')).then_some((figure, Some(word)))
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_star_is_one_word() {
        let (figure, word) = known("total.response.read.p99_us").unwrap();
        assert_eq!((figure.label, word), ("* op p99", Some("read")));
        assert_eq!(known("total.response.read.now.p99_us"), None);
        assert_eq!(known("total.failed_ops").unwrap().1, None);
        assert_eq!(known("total.*.p99_us"), None);
    }

    #[test]
    fn no_name_is_known_twice() {
        for (at, figure) in KNOWN_FIGURES.iter().enumerate() {
            assert!(KNOWN_FIGURES[..at].iter().all(|other| other.name != figure.name), "{}", figure.name);
        }
    }
}
