//! Estimates the noise of a run from the run itself: the seconds of a load point are divided into a few
//! equal stretches, and the spread of their means is the evidence. The head of [`crate::compare`] gives
//! the reasons.
//!
//! Not here: which figure uses which evidence ([`super::figures`]), and comparing ([`super::judge`]).

use crate::series::{Series, SeriesStep};
use crate::summary::LoadPoint;

/// Fewer full steps are too few for an estimate.
const STEPS_MIN: usize = 5;

/// More stretches would be shorter, and neighbours would be more correlated.
const STRETCHES_MAX: usize = 10;

/// The largest correlation between neighbouring stretches that is assumed. With few stretches, a larger
/// one is chance.
const LIKENESS_MAX: f64 = 0.6;

/// The uncertainty of a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Noise {
    /// Standard error on a logarithmic scale (0.03 is 3 %), and its degrees of freedom.
    Share(f64, f64),
    /// Standard error in the value's own unit, and its degrees of freedom.
    Absolute(f64, f64),
    /// The value lies between these bounds, or beyond them by at most this share. `high` is `None` if
    /// there is no known upper bound.
    Range { low: f64, high: Option<f64>, slack: f64 },
    /// The uncertainty is unknown.
    Unknown,
}

impl Noise {
    /// The sum of both uncertainties; the degrees of freedom are those of the larger one.
    pub(super) fn and(self, other: Noise) -> Noise {
        match (self, other) {
            (Noise::Share(one, one_dof), Noise::Share(two, two_dof)) => {
                Noise::Share(one.hypot(two), if one >= two { one_dof } else { two_dof })
            }
            _ => Noise::Unknown,
        }
    }

    /// An interpolation between this (at 0) and the other (at 1), if the other is larger.
    pub(super) fn towards(self, other: Noise, share: f64) -> Noise {
        match (self, other) {
            (Noise::Share(one, one_dof), Noise::Share(two, two_dof)) if two > one => {
                Noise::Share(one + (two - one) * share.clamp(0.0, 1.0), one_dof.min(two_dof))
            }
            (Noise::Share(..), Noise::Share(..)) => self,
            _ => Noise::Unknown,
        }
    }

    /// The larger of both.
    pub(super) fn or_more(self, other: Noise) -> Noise {
        match (self, other) {
            (Noise::Share(one, _), Noise::Share(two, _)) => {
                if one >= two {
                    self
                } else {
                    other
                }
            }
            _ => Noise::Unknown,
        }
    }
}

/// The stretches of a load point: one number for each, all of equal duration.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Stretches {
    pub(super) read_bytes: Vec<f64>,
    pub(super) written_bytes: Vec<f64>,
    pub(super) ops: Vec<f64>,
    pub(super) errors: Vec<f64>,
    /// Only of stretches in which an operation completed.
    pub(super) max_response_us: Vec<f64>,
}

impl Stretches {
    /// The stretches of a load point; `None` if it is too short. The first and the last step are
    /// omitted, because the load point fills only a part of them. Steps in between in which nothing was
    /// done count: they are stalls.
    pub(super) fn of(series: &Series, point: &LoadPoint) -> Option<Stretches> {
        let steps = &series.steps;
        let belongs = |step: &SeriesStep| step.point == Some(point.index);
        let first = steps.iter().position(belongs)?;
        let last = steps.iter().rposition(belongs)?;
        let full = steps.get(first + 1..last)?;
        if full.len() < STEPS_MIN {
            return None;
        }
        let length = full.len().div_ceil(STRETCHES_MAX);
        let mut stretches = Stretches::default();
        for stretch in full.chunks_exact(length) {
            let sum = |of: fn(&SeriesStep) -> u64| stretch.iter().map(of).sum::<u64>() as f64;
            stretches.read_bytes.push(sum(|step| step.read_bytes));
            stretches.written_bytes.push(sum(|step| step.written_bytes));
            stretches.ops.push(sum(|step| step.ops));
            stretches.errors.push(sum(|step| step.errors));
            let max_us = stretch.iter().filter_map(|step| step.max_response_us).reduce(f64::max);
            stretches.max_response_us.extend(max_us.filter(|max_us| *max_us > 0.0));
        }
        Some(stretches)
    }

    /// The uncertainty of a stretch's slowest operation: the spread over all stretches, on a logarithmic
    /// scale.
    pub(super) fn max_response(&self) -> Noise {
        let logs: Vec<f64> = self.max_response_us.iter().map(|max_us| max_us.ln()).collect();
        match spread(&logs) {
            Some(spread) => Noise::Share(spread, logs.len() as f64 - 1.0),
            None => Noise::Unknown,
        }
    }

    /// The uncertainty of the mean over the stretches' slowest operations.
    pub(super) fn mean_of_max_response(&self) -> Noise {
        let logs: Vec<f64> = self.max_response_us.iter().map(|max_us| max_us.ln()).collect();
        match standard_error(&logs) {
            Some(error) => Noise::Share(error, logs.len() as f64 - 1.0),
            None => Noise::Unknown,
        }
    }
}

/// The uncertainty of a mean rate, from its stretches.
pub(super) fn of_rate(stretches: &[f64]) -> Noise {
    let mean = mean(stretches);
    match standard_error(stretches) {
        Some(error) if mean > 0.0 => Noise::Share(error / mean, stretches.len() as f64 - 1.0),
        _ => Noise::Unknown,
    }
}

/// The uncertainty of a count that is summed over stretches: from their spread, and at least that of a
/// Poisson count.
pub(super) fn of_count(stretches: &[f64]) -> Noise {
    let Some(error) = standard_error(stretches) else {
        return Noise::Unknown;
    };
    let (count, sum) = (stretches.len() as f64, stretches.iter().sum::<f64>());
    Noise::Absolute((error * count).max(sum.max(1.0).sqrt()), count - 1.0)
}

/// The mean; 0 for no values.
pub(super) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() { 0.0 } else { values.iter().sum::<f64>() / values.len() as f64 }
}

/// The standard deviation of single values; `None` of fewer than [`STEPS_MIN`].
fn spread(values: &[f64]) -> Option<f64> {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    (values.len() >= STEPS_MIN).then(|| (squares / (values.len() as f64 - 1.0)).sqrt())
}

/// The standard error of the mean, wider if neighbours are correlated.
fn standard_error(values: &[f64]) -> Option<f64> {
    let spread = spread(values)?;
    let count = values.len() as f64;
    let likeness = likeness(values);
    Some(spread * ((1.0 + likeness) / (1.0 - likeness) / count).sqrt())
}

/// The correlation of neighbours, corrected for its bias with few values (−1/n for independent ones); 0
/// if it is negative.
fn likeness(values: &[f64]) -> f64 {
    let mean = mean(values);
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let products: f64 = values.windows(2).map(|pair| (pair[0] - mean) * (pair[1] - mean)).sum();
    if squares <= 0.0 {
        return 0.0;
    }
    (products / squares + 1.0 / values.len() as f64).clamp(0.0, LIKENESS_MAX)
}

/// Two-sided limits of Student's t at 98 %, for 1 to 30 degrees of freedom.
const T_98: [f64; 30] = [
    31.821, 6.965, 4.541, 3.747, 3.365, 3.143, 2.998, 2.896, 2.821, 2.764, 2.7181, 2.681, 2.650, 2.624,
    2.602, 2.583, 2.567, 2.552, 2.539, 2.528, 2.518, 2.508, 2.500, 2.492, 2.485, 2.479, 2.473, 2.467, 2.462,
    2.457,
];

/// The limit that 2 of 100 exceed by chance.
pub(crate) fn t_98(dof: f64) -> f64 {
    of_table(&T_98, dof)
}

/// The same for 2 of 1,000.
const T_998: [f64; 30] = [
    318.309, 22.327, 10.215, 7.173, 5.893, 5.208, 4.785, 4.501, 4.297, 4.144, 4.025, 3.930, 3.852, 3.787,
    3.733, 3.686, 3.646, 3.610, 3.579, 3.552, 3.527, 3.505, 3.485, 3.467, 3.450, 3.435, 3.421, 3.408, 3.396,
    3.385,
];

/// The limit that 2 of 1,000 exceed by chance.
pub(super) fn t_998(dof: f64) -> f64 {
    of_table(&T_998, dof)
}

/// Fractions of degrees of freedom are truncated; beyond 30 the last entry applies.
fn of_table(limits: &[f64; 30], dof: f64) -> f64 {
    limits[(dof.max(1.0) as usize).min(limits.len()) - 1]
}

/// The limit that 2 of 100 exceed by chance, for a value whose spread is known.
pub(super) const Z_98: f64 = 2.326;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn t_is_read_from_its_table() {
        assert_eq!((t_98(0.0), t_98(2.9), t_98(10.0), t_98(1e9)), (31.821, 6.965, 2.764, 2.457));
    }

    #[test]
    fn alike_neighbours_widen_the_noise() {
        let error = |values: &[f64]| standard_error(values).unwrap_or(0.0);
        let drifting = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        let mixed = [1.0, 6.0, 2.0, 5.0, 3.0, 4.0];
        assert!(error(&drifting) > 1.3 * error(&mixed), "{} {}", error(&drifting), error(&mixed));
        assert_eq!(standard_error(&drifting[..4]), None);
        // Equal stretches have no spread. That gives 0, not a division by zero.
        assert_eq!(of_rate(&[7.0; 6]), Noise::Share(0.0, 5.0));
        assert_eq!(of_rate(&[0.0; 6]), Noise::Unknown);
    }

    #[test]
    fn a_count_is_never_better_known_than_poissons() {
        assert_eq!(of_count(&[0.0; 10]), Noise::Absolute(1.0, 9.0));
        assert_eq!(of_count(&[4.0; 9]), Noise::Absolute(6.0, 8.0));
        let Noise::Absolute(error, _) = of_count(&[500.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
        else {
            panic!("a count has a noise of its own unit");
        };
        assert!(error >= 500.0, "one burst tells as little as it is: {error}");
    }
}
