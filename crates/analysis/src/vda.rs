//! Whether a VDA-like load point is valid: did every process, all processes together, and each of the
//! component workloads reach the required rate?
//!
//! A stream of video data acquisition is a camera (9 writes/s) and its companion (1 operation/s); see
//! the workload crate. The three tests and their limits are those of the published benchmark. The exact
//! definition of the ratio's deviation is not published; here it is the relative one, see
//! [`RatioCheck`].
//!
//! Not here: the curve over all points ([`crate::ort`]).

use serde::{Deserialize, Serialize};

/// The label on everything that shows figures of this kind.
pub const LABEL: &str = "VDA-like, not a SPEC result";

/// The relative tolerance in comparisons of rates, for floating-point rounding.
const ROUNDING: f64 = 1e-9;

/// The limits of the three tests.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RateLimits {
    /// Share of its requested rate that every single process must reach.
    pub process_min: f64,
    /// Share of the requested rate that all processes together must reach.
    pub global_min: f64,
    /// The largest deviation of the component workloads' ratio from the required one, as a share of it.
    pub ratio_tolerance: f64,
}

impl Default for RateLimits {
    fn default() -> RateLimits {
        RateLimits { process_min: 0.75, global_min: 0.95, ratio_tolerance: 0.05 }
    }
}

/// The required and the achieved rate of one process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ProcessRate {
    /// The worker.
    pub worker: u32,
    /// The component workload it is part of: `camera`, `companion`.
    pub component: String,
    /// Required operations per second; above 0.
    pub requested_ops_per_s: f64,
    /// Achieved operations per second.
    pub achieved_ops_per_s: f64,
}

impl ProcessRate {
    /// Achieved ÷ required.
    pub fn share(&self) -> f64 {
        self.achieved_ops_per_s / self.requested_ops_per_s
    }
}

/// The result of the test of single processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ProcessCheck {
    /// Whether every process reached its share.
    pub passed: bool,
    /// The number of processes that did not.
    pub failed_processes: u64,
    /// The one with the smallest share.
    pub worst: ProcessRate,
    pub worst_share: f64,
}

/// The result of the test of all processes together.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlobalCheck {
    /// Whether they reached their share.
    pub passed: bool,
    /// The sum of the required rates.
    pub requested_ops_per_s: f64,
    /// The sum of the achieved rates.
    pub achieved_ops_per_s: f64,
    /// Achieved ÷ required.
    pub share: f64,
}

/// The result of the test of the ratio between component workloads. Every component is compared with the
/// first by name: deviation = (achieved ratio ÷ required ratio) − 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatioCheck {
    /// Whether every ratio is close enough; true if there is only one component.
    pub passed: bool,
    /// The two components with the largest deviation, `camera` and `companion`; `None` if there is only
    /// one.
    pub worst: Option<(String, String)>,
    /// The required ratio: 9.
    pub requested_ratio: Option<f64>,
    /// The achieved ratio. `None` also if the second component did nothing.
    pub achieved_ratio: Option<f64>,
    /// The deviation, as a share.
    pub deviation: Option<f64>,
}

/// Whether a load point is valid, and by how much.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PointValidity {
    /// Whether all three tests passed.
    pub valid: bool,
    /// The test of single processes.
    pub process: ProcessCheck,
    /// The test of all processes together.
    pub global: GlobalCheck,
    /// The test of the ratio of component workloads.
    pub ratio: RatioCheck,
}

/// Why rates cannot be judged.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum RateError {
    /// There are no processes.
    #[error("no process ran in this load point, so there are no rates to judge. Check the errors of the run")]
    NoProcesses,
    /// A rate that is impossible as a requirement or a measurement.
    #[error(
        "worker {worker} has impossible rates (requested {requested_ops_per_s} op/s, achieved \
         {achieved_ops_per_s} op/s); measure the load point again"
    )]
    Impossible { worker: u32, requested_ops_per_s: f64, achieved_ops_per_s: f64 },
}

/// Judges one load point.
///
/// # Errors
/// No processes; a required rate that is not above 0; rates that are negative or not numbers.
pub fn judge_rates(processes: &[ProcessRate], limits: RateLimits) -> Result<PointValidity, RateError> {
    processes.iter().try_for_each(check_rates)?;
    let worst = processes
        .iter()
        .min_by(|one, two| one.share().total_cmp(&two.share()))
        .ok_or(RateError::NoProcesses)?;
    let too_slow = |process: &&ProcessRate| !reaches(process.share(), limits.process_min);
    let failed_processes = processes.iter().filter(too_slow).count() as u64;
    let process = ProcessCheck {
        passed: failed_processes == 0,
        failed_processes,
        worst: worst.clone(),
        worst_share: worst.share(),
    };
    let requested_ops_per_s: f64 = processes.iter().map(|process| process.requested_ops_per_s).sum();
    let achieved_ops_per_s: f64 = processes.iter().map(|process| process.achieved_ops_per_s).sum();
    let share = achieved_ops_per_s / requested_ops_per_s;
    let global = GlobalCheck {
        passed: reaches(share, limits.global_min),
        requested_ops_per_s,
        achieved_ops_per_s,
        share,
    };
    let ratio = check_ratio(&components(processes), limits.ratio_tolerance);
    Ok(PointValidity { valid: process.passed && global.passed && ratio.passed, process, global, ratio })
}

/// Whether a share reaches its limit.
pub(crate) fn reaches(share: f64, min: f64) -> bool {
    share >= min - ROUNDING
}

fn check_rates(process: &ProcessRate) -> Result<(), RateError> {
    let (requested, achieved) = (process.requested_ops_per_s, process.achieved_ops_per_s);
    let possible = requested.is_finite() && achieved.is_finite() && requested > 0.0 && achieved >= 0.0;
    possible.then_some(()).ok_or(RateError::Impossible {
        worker: process.worker,
        requested_ops_per_s: requested,
        achieved_ops_per_s: achieved,
    })
}

/// A component's name, its required rate and its achieved rate.
type Component<'a> = (&'a str, f64, f64);

/// The components by name.
fn components(processes: &[ProcessRate]) -> Vec<Component<'_>> {
    let mut sums = std::collections::BTreeMap::new();
    for process in processes {
        let sum: &mut (f64, f64) = sums.entry(process.component.as_str()).or_default();
        sum.0 += process.requested_ops_per_s;
        sum.1 += process.achieved_ops_per_s;
    }
    let component = |(name, (requested, achieved))| (name, requested, achieved);
    sums.into_iter().map(component).collect()
}

fn check_ratio(components: &[Component], tolerance: f64) -> RatioCheck {
    let Some((first, others)) = components.split_first() else {
        return RatioCheck::of_one();
    };
    let checks = others.iter().map(|other| ratio_of(first, other, tolerance));
    let farther = |one: RatioCheck, two: RatioCheck| {
        let off = |check: &RatioCheck| check.deviation.map_or(f64::INFINITY, f64::abs);
        if off(&two) > off(&one) { two } else { one }
    };
    checks.reduce(farther).unwrap_or_else(RatioCheck::of_one)
}

fn ratio_of(first: &Component, other: &Component, tolerance: f64) -> RatioCheck {
    let requested = first.1 / other.1;
    let achieved = Some(first.2 / other.2).filter(|ratio| ratio.is_finite());
    let deviation = achieved.map(|achieved| achieved / requested - 1.0);
    RatioCheck {
        passed: deviation.is_some_and(|deviation| deviation.abs() <= tolerance + ROUNDING),
        worst: Some((first.0.to_owned(), other.0.to_owned())),
        requested_ratio: Some(requested),
        achieved_ratio: achieved,
        deviation,
    }
}

impl RatioCheck {
    /// There is only one component, so there is no ratio.
    fn of_one() -> RatioCheck {
        RatioCheck { passed: true, worst: None, requested_ratio: None, achieved_ratio: None, deviation: None }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// Streams of a camera and its companion, each with the share it reached.
    fn streams(shares: &[(f64, f64)]) -> Vec<ProcessRate> {
        let rate = |worker, component: &str, requested_ops_per_s: f64, share: f64| ProcessRate {
            worker,
            component: component.to_owned(),
            requested_ops_per_s,
            achieved_ops_per_s: requested_ops_per_s * share,
        };
        let pair = |(stream, &(camera, companion)): (u32, &(f64, f64))| {
            [rate(2 * stream, "camera", 9.0, camera), rate(2 * stream + 1, "companion", 1.0, companion)]
        };
        (0..).zip(shares).flat_map(pair).collect()
    }

    fn judge(shares: &[(f64, f64)]) -> PointValidity {
        judge_rates(&streams(shares), RateLimits::default()).unwrap()
    }

    #[test]
    fn a_full_rate_is_valid() {
        let point = judge(&[(1.0, 1.0), (1.0, 1.0)]);
        assert!(point.valid);
        assert_eq!(point.ratio.requested_ratio, Some(9.0));
        assert_eq!(point.global.requested_ops_per_s, 20.0);
    }

    #[test]
    fn limits_are_inclusive() {
        assert!(judge(&[(0.95, 0.95), (0.95, 0.95)]).valid);
        assert!(!judge(&[(0.9499, 0.9499)]).global.passed);
        // One process at 75 % among ten; the others keep the mean high.
        let mut shares = vec![(1.0, 1.0); 10];
        shares[3].1 = 0.75;
        assert!(judge(&shares).process.passed);
        shares[3].1 = 0.7499;
        let point = judge(&shares);
        assert!(!point.valid && point.global.passed && point.ratio.passed);
        assert_eq!(point.process.failed_processes, 1);
        assert_eq!((point.process.worst.worker, point.process.worst.component.as_str()), (7, "companion"));
    }

    #[test]
    fn the_ratio_of_nine_to_one_may_be_five_percent_off() {
        // 9 : 0.9524 is 9.45, which is 5 % above 9; 9 : 0.95 is more.
        assert!(judge(&[(1.0, 1.0 / 1.05)]).ratio.passed);
        let point = judge(&[(1.0, 0.95)]);
        assert!(!point.ratio.passed && point.global.passed && point.process.passed);
        assert!((point.ratio.deviation.unwrap() - 1.0 / 0.95 + 1.0).abs() < 1e-12);
        assert_eq!(point.ratio.worst, Some(("camera".to_owned(), "companion".to_owned())));
        assert!(judge(&[(0.95, 1.0)]).ratio.passed);
        assert!(!judge(&[(0.949, 1.0)]).ratio.passed);
    }

    #[test]
    fn a_component_that_did_nothing_fails_and_divides_by_nothing() {
        let point = judge(&[(1.0, 0.0)]);
        assert!(!point.valid && !point.ratio.passed);
        assert_eq!(point.ratio.achieved_ratio, None);
        assert_eq!(point.process.worst_share, 0.0);
    }

    #[test]
    fn one_component_has_no_ratio() {
        let only = streams(&[(1.0, 1.0)]).into_iter().take(1).collect::<Vec<_>>();
        assert!(judge_rates(&only, RateLimits::default()).unwrap().valid);
    }

    #[test]
    fn impossible_rates_are_errors() {
        let judge = |processes: &[ProcessRate]| judge_rates(processes, RateLimits::default());
        assert_eq!(judge(&[]), Err(RateError::NoProcesses));
        for (requested, achieved) in [(0.0, 1.0), (1.0, -1.0), (f64::NAN, 1.0), (1.0, f64::INFINITY)] {
            let mut processes = streams(&[(1.0, 1.0)]);
            processes[1].requested_ops_per_s = requested;
            processes[1].achieved_ops_per_s = achieved;
            let error = judge(&processes).unwrap_err();
            assert!(error.to_string().starts_with("worker 1 has impossible rates"), "{error}");
        }
    }
}
