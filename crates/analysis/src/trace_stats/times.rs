//! Service times of operations: mean, deviation, percentiles, and a histogram in steps of 1, 2 and 5.

use serde::{Deserialize, Serialize};

use super::moments::Moments;
use crate::figures::us;
use crate::rounding::round_to;
use crate::spread::{Recorder, Spread};

/// Service times of operations: from issue to completion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceFigures {
    /// How many operations.
    pub count: u64,
    /// Their mean.
    pub mean_us: f64,
    /// Their standard deviation: of the whole population, not of a sample.
    pub deviation_us: f64,
    /// Half of them took no longer, to two digits.
    pub median_us: f64,
    /// 99 % of them took no longer, to two digits.
    pub p99_us: f64,
    /// The longest.
    pub max_us: f64,
    /// Counts by time, in steps of 1, 2 and 5; empty rows are omitted.
    pub histogram: Vec<ServiceRow>,
}

/// A row of the histogram of service times.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ServiceRow {
    /// The shortest time of this row.
    pub from_us: f64,
    /// The first time above the row.
    pub below_us: f64,
    /// Operations.
    pub count: u64,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct ServiceTimes {
    moments: Moments,
    recorder: Recorder,
    max_ns: u64,
    /// By step: below 1 µs, 1 to 2 µs, 2 to 5 µs, and so on.
    steps: Vec<u64>,
}

impl ServiceTimes {
    pub(crate) fn add(&mut self, service_ns: u64) {
        self.moments.add(service_ns as f64);
        self.recorder.record(service_ns);
        self.max_ns = self.max_ns.max(service_ns);
        let step = step_of(service_ns);
        if self.steps.len() <= step {
            self.steps.resize(step + 1, 0);
        }
        self.steps[step] += 1;
    }

    /// The figures; `None` without any operation.
    pub(crate) fn figures(&self) -> Option<ServiceFigures> {
        if self.moments.count() == 0 {
            return None;
        }
        let mut spread = Spread::default();
        self.recorder.add_to(&mut spread);
        let quantile_us = |quantile| us(spread.quantile_ns(quantile, self.max_ns));
        let rows = self.steps.iter().enumerate().filter(|(_, count)| **count > 0);
        let row = |(step, count): (usize, &u64)| ServiceRow {
            from_us: if step == 0 { 0.0 } else { us(edge_ns(step - 1)) },
            below_us: us(edge_ns(step)),
            count: *count,
        };
        Some(ServiceFigures {
            count: self.moments.count(),
            mean_us: round_to(self.moments.mean() / 1e3, 3),
            deviation_us: round_to(self.moments.deviation() / 1e3, 3),
            median_us: quantile_us(0.5),
            p99_us: quantile_us(0.99),
            max_us: us(self.max_ns),
            histogram: rows.map(row).collect(),
        })
    }
}

/// The upper bound of a step: 1 µs, 2 µs, 5 µs, 10 µs and so on.
fn edge_ns(step: usize) -> u64 {
    // The last step includes all longer times.
    let power = 10_u64.saturating_pow(3 + (step / 3) as u32);
    // As above.
    power.saturating_mul([1, 2, 5][step % 3])
}

/// The step of a time.
fn step_of(service_ns: u64) -> usize {
    let last = (0..).find(|&step| edge_ns(step) == u64::MAX || service_ns < edge_ns(step));
    // There is always a last step: see `edge_ns`.
    last.unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn times_fall_into_steps_of_one_two_and_five() {
        let mut times = ServiceTimes::default();
        [999, 1_000, 1_999, 2_000, 4_999, 5_000, 12_000_000, u64::MAX]
            .into_iter()
            .for_each(|ns| times.add(ns));
        let figures = times.figures().unwrap();
        let rows: Vec<_> =
            figures.histogram.iter().map(|row| (row.from_us, row.below_us, row.count)).collect();
        assert_eq!(
            rows[..5],
            [(0.0, 1.0, 1), (1.0, 2.0, 2), (2.0, 5.0, 2), (5.0, 10.0, 1), (10_000.0, 20_000.0, 1)]
        );
        assert_eq!(rows.len(), 6);
        assert_eq!(figures.max_us, us(u64::MAX));
        assert_eq!(ServiceTimes::default().figures(), None);
    }

    #[test]
    fn mean_deviation_and_median() {
        let mut times = ServiceTimes::default();
        for ns in [2_000_000, 4_000_000, 4_000_000, 4_000_000, 5_000_000, 5_000_000, 7_000_000, 9_000_000] {
            times.add(ns);
        }
        let figures = times.figures().unwrap();
        assert_eq!((figures.mean_us, figures.deviation_us), (5_000.0, 2_000.0));
        assert!((figures.median_us / 4_000.0 - 1.0).abs() < 0.01, "{}", figures.median_us);
    }
}
