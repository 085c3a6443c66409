//! What the tool itself cost, and whether its timing was good enough for the figures it gives.

use serde::{Deserialize, Serialize};

use crate::figures::in_words;
use crate::meter::RunTotals;

/// A delay of its own of this much never matters beside storage over a network.
const ALWAYS_GOOD_US: f64 = 50.0;

/// Beyond that, the tool's own delay may be this share of the median answer.
const GOOD_SHARE: f64 = 0.1;

/// The tool's own cost over a run.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SelfCost {
    /// CPU time in the tool's own code.
    pub cpu_user_s: f64,
    /// CPU time in the kernel on the tool's behalf; most of it is the I/O itself.
    pub cpu_system_s: f64,
    /// Both, per operation. `None` if there was none.
    pub cpu_us_per_op: Option<f64>,
    /// 99 of 100 operations were issued no later than this after they were due.
    pub lateness_p99_us: Option<f64>,
    /// The latest.
    pub lateness_max_us: Option<f64>,
    /// Whether response times can be taken as the storage's: the tool's own delay was below 50 µs or a
    /// tenth of the median answer, for 99 of 100 operations.
    pub timing_good_enough: bool,
    /// The same in words.
    pub sentence: String,
}

impl SelfCost {
    /// Judges a run by the CPU time it took and by what its operations tell.
    pub fn new(cpu_user_s: f64, cpu_system_s: f64, totals: &RunTotals) -> SelfCost {
        let cpu_us = (cpu_user_s + cpu_system_s) * 1e6;
        let (timing_good_enough, sentence) = judge(totals);
        SelfCost {
            cpu_user_s,
            cpu_system_s,
            cpu_us_per_op: (totals.ops > 0).then(|| cpu_us / totals.ops as f64),
            lateness_p99_us: totals.lateness.map(|lateness| lateness.p99_us),
            lateness_max_us: totals.lateness.map(|lateness| lateness.max_us),
            timing_good_enough,
            sentence,
        }
    }
}

fn judge(totals: &RunTotals) -> (bool, String) {
    let (Some(lateness), Some(response)) = (totals.lateness, &totals.data_response) else {
        return (true, "No operation was measured, so there is no timing to judge.".to_owned());
    };
    let late_us = lateness.p99_us;
    let share = late_us / response.p50_us.max(0.001);
    let beside = format!(
        "For 99 of 100 operations the tool's own delay was at most {}, beside a median answer of {}",
        in_words(late_us),
        in_words(response.p50_us)
    );
    if late_us <= ALWAYS_GOOD_US || share <= GOOD_SHARE {
        (true, format!("{beside}: its timing is good enough."))
    } else {
        (false, format!("{beside}: response times hold much of the tool's own delay; rely on service times."))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::figures::{LatenessFigures, TimeFigures};

    fn totals(late_p99_us: f64, response_p50_us: f64) -> RunTotals {
        let response = TimeFigures {
            count: 10,
            mean_us: response_p50_us,
            p50_us: response_p50_us,
            p95_us: response_p50_us,
            p99_us: response_p50_us,
            p99_9_us: response_p50_us,
            max_us: response_p50_us,
            max_began_s: 0.0,
            max_began_in_point_s: 0.0,
        };
        let lateness = LatenessFigures { p50_us: 1.0, p99_us: late_p99_us, max_us: late_p99_us };
        RunTotals { ops: 10, lateness: Some(lateness), data_response: Some(response) }
    }

    #[test]
    fn lateness_is_judged_beside_what_is_measured() {
        let good = |late, response| SelfCost::new(1.0, 1.0, &totals(late, response)).timing_good_enough;
        assert!(good(50.0, 60.0));
        assert!(good(300.0, 3_000.0));
        assert!(!good(301.0, 3_000.0));
        assert!(!good(60.0, 0.0));
    }

    #[test]
    fn costs_are_per_operation() {
        let cost = SelfCost::new(1.5, 0.5, &totals(1.0, 1.0));
        assert_eq!(cost.cpu_us_per_op, Some(200_000.0));
        let none = SelfCost::new(1.5, 0.5, &RunTotals::default());
        assert_eq!(none.cpu_us_per_op, None);
        assert!(none.timing_good_enough);
    }
}
