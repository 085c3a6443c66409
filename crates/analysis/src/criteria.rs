//! The limits that decide whether a result is good enough.
//!
//! A [`Criteria`] is complete: each limit is set, or is not required. Every actor has its own defaults
//! ([`Criteria::for_actor`]). A [`CriteriaChange`], written as a flag (`late=0,p99=40ms`) or in a plan,
//! replaces some of them.
//!
//! Not here: whether they were met ([`crate::verdict`]).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::vda::RateLimits;

/// How long the margins of players and recorders must last by default.
pub const MARGINS_HOLD_S: f64 = 60.0;

/// One criterion.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Criterion {
    /// Limits the late frames of each stream.
    LateFrames,
    /// Limits the operations that fail.
    FailedOps,
    /// Limits the 99th percentile of the response times.
    P99Response,
    /// Requires a throughput over the buffer time of each stream.
    BufferThroughput,
    /// Limits how fast the margins of streams may shrink.
    Margins,
    /// Requires a rate of each worker.
    WorkerRate,
    /// Requires a rate of all workers together.
    GlobalRate,
    /// Limits the deviation of the ratio of component workloads.
    Ratio,
}

impl Criterion {
    /// Every criterion.
    pub const ALL: [Criterion; 8] = [
        Criterion::LateFrames,
        Criterion::FailedOps,
        Criterion::P99Response,
        Criterion::BufferThroughput,
        Criterion::Margins,
        Criterion::WorkerRate,
        Criterion::GlobalRate,
        Criterion::Ratio,
    ];

    /// Its word in `--criteria`.
    pub const fn word(self) -> &'static str {
        match self {
            Criterion::LateFrames => "late",
            Criterion::FailedOps => "errors",
            Criterion::P99Response => "p99",
            Criterion::BufferThroughput => "throughput",
            Criterion::Margins => "margins",
            Criterion::WorkerRate => "worker-rate",
            Criterion::GlobalRate => "global-rate",
            Criterion::Ratio => "ratio",
        }
    }

    /// A value as it is written in `--criteria`.
    const fn example(self) -> &'static str {
        match self {
            Criterion::LateFrames => "late=0",
            Criterion::FailedOps => "errors=0",
            Criterion::P99Response => "p99=40ms",
            Criterion::BufferThroughput => "throughput=60MB/s",
            Criterion::Margins => "margins=60s",
            Criterion::WorkerRate => "worker-rate=75 (percent)",
            Criterion::GlobalRate => "global-rate=95 (percent)",
            Criterion::Ratio => "ratio=5 (percent)",
        }
    }
}

impl fmt::Display for Criterion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// The limits. `None` means that there is no limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Criteria {
    /// Late frames that a stream may have in the measured part.
    pub late_frames_max: Option<u64>,
    /// Operations that may fail.
    pub failed_ops_max: Option<u64>,
    /// The 99th percentile of the response times must not be longer: that of each stream's frames, or
    /// that of all reads and writes if there are no streams.
    pub p99_response_ms: Option<f64>,
    /// Mean throughput over the buffer time (EBU Tech 3362, 9.2(7)) that each stream must keep, wherever
    /// that stretch lies. MB = 10^6 bytes.
    pub min_throughput_over_buffer_mb_per_s: Option<f64>,
    /// How long margins must last: none may shrink so fast that it loses one frame's duration within
    /// this time. [`crate::verdict::margins`] judges it.
    pub margins_hold_s: Option<f64>,
    /// Share of its requested rate that every worker must reach, 0 to 1.
    pub op_rate_per_worker_min: Option<f64>,
    /// Share of the requested rate that all workers together must reach, 0 to 1.
    pub op_rate_global_min: Option<f64>,
    /// How far the ratio of component workloads may be from the requested one, as a share of it.
    pub ratio_tolerance: Option<f64>,
}

impl Criteria {
    /// The criteria of everything else: no operation fails.
    pub fn nothing_failed() -> Criteria {
        Criteria { failed_ops_max: Some(0), ..Criteria::default() }
    }

    /// The criteria of streams of frames: no late frame either and, if they never pause, margins that
    /// last [`MARGINS_HOLD_S`].
    pub fn of_frames(may_jump: bool) -> Criteria {
        let margins_hold_s = (!may_jump).then_some(MARGINS_HOLD_S);
        Criteria { late_frames_max: Some(0), margins_hold_s, ..Criteria::nothing_failed() }
    }

    /// The criteria of workers with a rate: those of the published benchmark.
    pub fn of_rates() -> Criteria {
        let limits = RateLimits::default();
        Criteria {
            op_rate_per_worker_min: Some(limits.process_min),
            op_rate_global_min: Some(limits.global_min),
            ratio_tolerance: Some(limits.ratio_tolerance),
            ..Criteria::nothing_failed()
        }
    }

    /// The criteria that are required.
    pub fn asked(&self) -> Vec<Criterion> {
        let is_asked = |criterion: &Criterion| self.limit(*criterion).is_some();
        Criterion::ALL.into_iter().filter(is_asked).collect()
    }

    /// A limit as a number, in the unit of its field.
    pub fn limit(&self, criterion: Criterion) -> Option<f64> {
        match criterion {
            Criterion::LateFrames => self.late_frames_max.map(|frames| frames as f64),
            Criterion::FailedOps => self.failed_ops_max.map(|ops| ops as f64),
            Criterion::P99Response => self.p99_response_ms,
            Criterion::BufferThroughput => self.min_throughput_over_buffer_mb_per_s,
            Criterion::Margins => self.margins_hold_s,
            Criterion::WorkerRate => self.op_rate_per_worker_min,
            Criterion::GlobalRate => self.op_rate_global_min,
            Criterion::Ratio => self.ratio_tolerance,
        }
    }
}

/// A limit that replaces another, or removes it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Limit<T> {
    /// The new limit.
    At(T),
    /// `none`: it is no longer required.
    Off(Off),
}

/// The word `none`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Off {
    /// Not required.
    None,
}

impl<T: Copy> Limit<T> {
    fn replace(change: Option<Limit<T>>, limit: &mut Option<T>) {
        match change {
            None => {}
            Some(Limit::At(value)) => *limit = Some(value),
            Some(Limit::Off(Off::None)) => *limit = None,
        }
    }
}

/// The limits to replace; the others stay unchanged. In a plan, a field is a number or `"none"`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, try_from = "UncheckedChange")]
pub struct CriteriaChange {
    /// See [`Criteria::late_frames_max`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub late_frames_max: Option<Limit<u64>>,
    /// See [`Criteria::failed_ops_max`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failed_ops_max: Option<Limit<u64>>,
    /// See [`Criteria::p99_response_ms`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub p99_response_ms: Option<Limit<f64>>,
    /// See [`Criteria::min_throughput_over_buffer_mb_per_s`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_throughput_over_buffer_mb_per_s: Option<Limit<f64>>,
    /// See [`Criteria::margins_hold_s`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub margins_hold_s: Option<Limit<f64>>,
    /// See [`Criteria::op_rate_per_worker_min`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op_rate_per_worker_min: Option<Limit<f64>>,
    /// See [`Criteria::op_rate_global_min`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub op_rate_global_min: Option<Limit<f64>>,
    /// See [`Criteria::ratio_tolerance`].
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_tolerance: Option<Limit<f64>>,
}

/// A change as written in a file, before its numbers are checked.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct UncheckedChange {
    late_frames_max: Option<Limit<u64>>,
    failed_ops_max: Option<Limit<u64>>,
    p99_response_ms: Option<Limit<f64>>,
    min_throughput_over_buffer_mb_per_s: Option<Limit<f64>>,
    margins_hold_s: Option<Limit<f64>>,
    op_rate_per_worker_min: Option<Limit<f64>>,
    op_rate_global_min: Option<Limit<f64>>,
    ratio_tolerance: Option<Limit<f64>>,
}

impl TryFrom<UncheckedChange> for CriteriaChange {
    type Error = CriteriaError;

    fn try_from(from: UncheckedChange) -> Result<CriteriaChange, CriteriaError> {
        check_limit("p99_response_ms", from.p99_response_ms, f64::MAX)?;
        let throughput = from.min_throughput_over_buffer_mb_per_s;
        check_limit("min_throughput_over_buffer_mb_per_s", throughput, f64::MAX)?;
        check_limit("margins_hold_s", from.margins_hold_s, f64::MAX)?;
        check_limit("op_rate_per_worker_min", from.op_rate_per_worker_min, 1.0)?;
        check_limit("op_rate_global_min", from.op_rate_global_min, 1.0)?;
        check_limit("ratio_tolerance", from.ratio_tolerance, 1.0)?;
        Ok(CriteriaChange {
            late_frames_max: from.late_frames_max,
            failed_ops_max: from.failed_ops_max,
            p99_response_ms: from.p99_response_ms,
            min_throughput_over_buffer_mb_per_s: throughput,
            margins_hold_s: from.margins_hold_s,
            op_rate_per_worker_min: from.op_rate_per_worker_min,
            op_rate_global_min: from.op_rate_global_min,
            ratio_tolerance: from.ratio_tolerance,
        })
    }
}

fn check_limit(field: &'static str, limit: Option<Limit<f64>>, most: f64) -> Result<(), CriteriaError> {
    match limit {
        Some(Limit::At(value)) if !(0.0..=most).contains(&value) => {
            Err(CriteriaError::OutOfRange { field, value, most })
        }
        _ => Ok(()),
    }
}

impl CriteriaChange {
    /// The criteria with this change.
    #[must_use]
    pub fn apply_to(&self, criteria: Criteria) -> Criteria {
        let mut changed = criteria;
        Limit::replace(self.late_frames_max, &mut changed.late_frames_max);
        Limit::replace(self.failed_ops_max, &mut changed.failed_ops_max);
        Limit::replace(self.p99_response_ms, &mut changed.p99_response_ms);
        Limit::replace(
            self.min_throughput_over_buffer_mb_per_s,
            &mut changed.min_throughput_over_buffer_mb_per_s,
        );
        Limit::replace(self.margins_hold_s, &mut changed.margins_hold_s);
        Limit::replace(self.op_rate_per_worker_min, &mut changed.op_rate_per_worker_min);
        Limit::replace(self.op_rate_global_min, &mut changed.op_rate_global_min);
        Limit::replace(self.ratio_tolerance, &mut changed.ratio_tolerance);
        changed
    }

    /// Sets one limit from its text; returns `false` if it was already set.
    fn set(&mut self, criterion: Criterion, value: &str) -> Result<bool, CriteriaError> {
        let unread =
            || CriteriaError::Value { criterion, value: value.to_owned(), example: criterion.example() };
        let percent = || limit_of(value, |text| percentage(text, 100.0)).ok_or_else(unread);
        let whole = || limit_of(value, |text| text.parse::<u64>().ok()).ok_or_else(unread);
        let had = match criterion {
            Criterion::LateFrames => self.late_frames_max.replace(whole()?).is_some(),
            Criterion::FailedOps => self.failed_ops_max.replace(whole()?).is_some(),
            Criterion::P99Response => {
                let limit = limit_of(value, milliseconds).ok_or_else(unread)?;
                self.p99_response_ms.replace(limit).is_some()
            }
            Criterion::BufferThroughput => {
                let limit = limit_of(value, mb_per_s).ok_or_else(unread)?;
                self.min_throughput_over_buffer_mb_per_s.replace(limit).is_some()
            }
            Criterion::Margins => {
                let limit = limit_of(value, seconds).ok_or_else(unread)?;
                self.margins_hold_s.replace(limit).is_some()
            }
            Criterion::WorkerRate => self.op_rate_per_worker_min.replace(percent()?).is_some(),
            Criterion::GlobalRate => self.op_rate_global_min.replace(percent()?).is_some(),
            Criterion::Ratio => self.ratio_tolerance.replace(percent()?).is_some(),
        };
        Ok(!had)
    }
}

impl FromStr for CriteriaChange {
    type Err = CriteriaError;

    /// `late=0,p99=40ms,throughput=60MB/s,worker-rate=75,global-rate=95,ratio=5,errors=none`
    fn from_str(text: &str) -> Result<CriteriaChange, CriteriaError> {
        let mut change = CriteriaChange::default();
        for item in text.split(',').map(str::trim) {
            let (word, value) =
                item.split_once('=').ok_or_else(|| CriteriaError::NoValue { item: item.to_owned() })?;
            let word = word.trim();
            let criterion = Criterion::ALL.into_iter().find(|criterion| criterion.word() == word);
            let criterion =
                criterion.ok_or_else(|| CriteriaError::UnknownCriterion { word: word.to_owned() })?;
            if !change.set(criterion, value.trim())? {
                return Err(CriteriaError::Twice { criterion });
            }
        }
        Ok(change)
    }
}

/// `none`, or a value.
fn limit_of<T>(text: &str, value: impl Fn(&str) -> Option<T>) -> Option<Limit<T>> {
    if text == "none" { Some(Limit::Off(Off::None)) } else { value(text).map(Limit::At) }
}

/// A finite number that is not negative.
fn number(text: &str) -> Option<f64> {
    let plain = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    text.parse().ok().filter(|value: &f64| plain && value.is_finite())
}

fn percentage(text: &str, most: f64) -> Option<f64> {
    let percent = number(text.strip_suffix('%').unwrap_or(text).trim_end())?;
    (percent <= most).then_some(percent / 100.0)
}

fn milliseconds(text: &str) -> Option<f64> {
    // The longer endings first: `ms` ends in `s`.
    let units = [("us", 1e-3), ("ms", 1.0), ("s", 1e3)];
    with_unit(text, &units)
}

fn seconds(text: &str) -> Option<f64> {
    let units = [("ms", 1e-3), ("s", 1.0), ("m", 60.0)];
    with_unit(text, &units)
}

fn mb_per_s(text: &str) -> Option<f64> {
    let units = [("MB/s", 1.0), ("MiB/s", 1.048_576), ("GB/s", 1e3), ("kB/s", 1e-3)];
    with_unit(text, &units)
}

fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let (digits, factor) =
        units.iter().find_map(|(unit, factor)| Some((text.strip_suffix(unit)?, factor)))?;
    Some(number(digits.trim_end())? * factor)
}

/// Criteria that cannot be understood.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum CriteriaError {
    /// An unknown criterion.
    #[error(
        "unknown criterion '{word}'; use late, errors, p99, throughput, margins, worker-rate, global-rate \
         or ratio"
    )]
    UnknownCriterion { word: String },
    /// A criterion without a value.
    #[error("'{item}' is not a criterion with a limit; write for example late=0,p99=40ms")]
    NoValue {
        /// The item as written.
        item: String,
    },
    /// A limit that cannot be understood.
    #[error("'{value}' is not a limit for {criterion}; write for example {example}, or {criterion}=none")]
    Value {
        /// The criterion whose limit it is.
        criterion: Criterion,
        /// The value as written.
        value: String,
        /// An example of a valid value.
        example: &'static str,
    },
    /// The same criterion twice.
    #[error("{criterion} was given twice")]
    Twice { criterion: Criterion },
    /// A number that cannot be a limit.
    #[error("{field} = {value} is invalid; use 0 to {most}")]
    OutOfRange {
        /// The field of the plan.
        field: &'static str,
        /// The value as written.
        value: f64,
        /// The largest allowed value.
        most: f64,
    },
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn changed(text: &str) -> Criteria {
        let change: CriteriaChange = text.parse().unwrap();
        change.apply_to(Criteria::of_frames(false))
    }

    fn refused(text: &str) -> String {
        text.parse::<CriteriaChange>().unwrap_err().to_string()
    }

    #[test]
    fn frames_and_rates_have_their_defaults() {
        let playing = Criteria::of_frames(false);
        assert_eq!(playing.asked(), [Criterion::LateFrames, Criterion::FailedOps, Criterion::Margins]);
        assert_eq!((playing.late_frames_max, playing.margins_hold_s), (Some(0), Some(60.0)));
        let editing = Criteria::of_frames(true);
        assert_eq!((editing.late_frames_max, editing.margins_hold_s), (Some(0), None));
        let rated = Criteria::of_rates();
        assert_eq!((rated.late_frames_max, rated.failed_ops_max), (None, Some(0)));
        let rates = [rated.op_rate_per_worker_min, rated.op_rate_global_min, rated.ratio_tolerance];
        assert_eq!(rates, [Some(0.75), Some(0.95), Some(0.05)]);
        assert_eq!(Criteria::nothing_failed().asked(), [Criterion::FailedOps]);
    }

    #[test]
    fn flags_replace_only_the_criteria_they_name() {
        let criteria = changed("late=3, p99=40ms");
        assert_eq!((criteria.late_frames_max, criteria.p99_response_ms), (Some(3), Some(40.0)));
        assert_eq!(criteria.failed_ops_max, Some(0));
        let criteria = changed("errors=none,throughput=60MB/s,worker-rate=80,global-rate=97.5%,ratio=10");
        assert_eq!((criteria.failed_ops_max, criteria.late_frames_max), (None, Some(0)));
        assert_eq!(criteria.min_throughput_over_buffer_mb_per_s, Some(60.0));
        let rates = [criteria.op_rate_per_worker_min, criteria.op_rate_global_min, criteria.ratio_tolerance];
        assert_eq!(rates, [Some(0.8), Some(0.975), Some(0.1)]);
        assert_eq!(changed("p99=2s").p99_response_ms, Some(2_000.0));
        assert_eq!(changed("p99=500us").p99_response_ms, Some(0.5));
        assert_eq!(changed("margins=2m").margins_hold_s, Some(120.0));
        assert_eq!(changed("margins=none").margins_hold_s, None);
        assert_eq!(changed("throughput=1GB/s").min_throughput_over_buffer_mb_per_s, Some(1_000.0));
    }

    #[test]
    fn invalid_criteria_are_refused_with_an_example() {
        assert!(refused("lat=0").contains("'lat'; use late, errors, p99"));
        for text in ["late", ""] {
            let said = refused(text);
            assert!(said.starts_with(&format!("'{text}' ")) && said.ends_with(" late=0,p99=40ms"), "{said}");
        }
        assert!(refused("late=0,late=1").starts_with("late "));
        let p99 = refused("p99=40");
        assert!(p99.starts_with("'40' ") && p99.ends_with(" p99=40ms, or p99=none"), "{p99}");
        for text in [
            "late=-1",
            "late=1.5",
            "p99=-4ms",
            "p99=ms",
            "p99=nanms",
            "p99=1e3ms",
            "margins=60",
            "margins=-1s",
            "worker-rate=101",
            "worker-rate=inf",
            "throughput=60",
            "throughput=60Mb/s",
            "ratio=",
            "late=none,late=0",
        ] {
            assert!(text.parse::<CriteriaChange>().is_err(), "{text}");
        }
    }

    #[test]
    fn criteria_in_toml_equal_those_from_flags() {
        let change: CriteriaChange = toml::from_str(
            "late_frames_max = 2\np99_response_ms = 40\nfailed_ops_max = \"none\"\n\
             op_rate_global_min = 0.9\n",
        )
        .unwrap();
        let from_flags: CriteriaChange = "late=2,p99=40ms,errors=none,global-rate=90".parse().unwrap();
        assert_eq!(change, from_flags);
        let again: CriteriaChange = toml::from_str(&toml::to_string(&change).unwrap()).unwrap();
        assert_eq!(again, change);
        let refused = |text: &str| toml::from_str::<CriteriaChange>(text).unwrap_err().to_string();
        assert!(refused("late_frames = 2").contains("unknown field `late_frames`"));
        assert!(refused("op_rate_global_min = 95").contains("0 to 1"));
        assert!(refused("p99_response_ms = nan").contains("NaN"));
        assert!(toml::from_str::<CriteriaChange>("late_frames_max = -1").is_err());
        assert!(toml::from_str::<CriteriaChange>("late_frames_max = \"many\"").is_err());
    }

    #[test]
    fn resolved_criteria_survive_a_file() {
        let criteria = changed("p99=40ms,late=none");
        let json = serde_json::to_string(&criteria).unwrap();
        assert_eq!(serde_json::from_str::<Criteria>(&json).unwrap(), criteria);
    }
}
