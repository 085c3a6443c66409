//! Evaluates the runs of a procedure together, from one figure of each: a rate.
//!
//! [`steady`]: whether rounds are steady. [`cliff`]: after how many written bytes storage became slow.
//! [`warm`]: the first pass compared with later ones. [`states`]: streams in each state of the storage.
//! [`step`]: the step of the procedure in the summary of each run. Here: levels, pairs and trends.
//!
//! Not here: running a procedure (the runner), and words (report).

pub mod cliff;
pub mod states;
pub mod steady;
pub mod step;
pub mod warm;

use serde::{Deserialize, Serialize};

use self::cliff::Cliff;
use self::states::StateRow;
use self::steady::Steadiness;
use self::warm::Warming;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Finding {
    /// Each level in percent of the first.
    Levels {
        /// The first of them is 100.
        percent_of_first: Vec<Option<f64>>,
    },
    /// Whether the rounds are steady.
    Steady {
        /// The result for the last five rounds; `None` if there are fewer.
        steadiness: Option<Steadiness>,
        rounds: usize,
        /// The drop of the rate; `None` if there was none.
        cliff: Option<Cliff>,
    },
    /// The first run divided by the second; `None` if one of them has no figure.
    Pair {
        /// The rate of the first ÷ that of the second.
        ratio: Option<f64>,
    },
    /// The first pass and the later ones; `None` if there are fewer than two.
    Warm { warming: Option<Warming> },
    /// Streams in each state of the storage.
    States {
        /// The states, in the order of the steps.
        states: Vec<StateRow>,
    },
    /// The change from round to round, for each kind of run that the rounds have.
    Trend { trends: Vec<Trend> },
}

/// How a rate changed over the rounds.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Trend {
    pub name: String,
    /// The rate of the first round, bytes/s.
    pub first_bytes_per_s: f64,
    /// The rate of the last round.
    pub last_bytes_per_s: f64,
    /// The change of the rate from the first round to the last along the regression line, in percent of
    /// the mean.
    pub change_percent: f64,
    /// Rounds that have a figure.
    pub rounds: usize,
}

/// Each value in percent of the first.
pub fn levels(rates: &[Option<f64>]) -> Finding {
    let first = rates.first().copied().flatten().filter(|&first| first > 0.0);
    let percent = |rate: &Option<f64>| Some((*rate)? / first? * 100.0);
    Finding::Levels { percent_of_first: rates.iter().map(percent).collect() }
}

/// The first of two runs divided by the second.
pub fn pair(rates: &[Option<f64>]) -> Finding {
    let ratio = match rates {
        [Some(first), Some(second)] if *second > 0.0 => Some(first / second),
        _ => None,
    };
    Finding::Pair { ratio }
}

/// The change of a rate over rounds; `None` with fewer than two of them.
pub fn trend(name: &str, rates: &[f64]) -> Option<Trend> {
    let (&[first_bytes_per_s, ..], &[.., last_bytes_per_s]) = (rates, rates) else { return None };
    let line = line_through(rates)?;
    Some(Trend {
        name: name.to_owned(),
        first_bytes_per_s,
        last_bytes_per_s,
        change_percent: line.change() / line.average * 100.0,
        rounds: rates.len(),
    })
}

/// The regression line through equidistant values.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    average: f64,
    slope: f64,
    values: usize,
}

impl Line {
    /// The change from the first value to the last.
    fn change(self) -> f64 {
        self.slope * (self.values - 1) as f64
    }
}

/// By least squares; `None` for fewer than two values, or a mean of 0.
fn line_through(values: &[f64]) -> Option<Line> {
    let count = values.len() as f64;
    let average = values.iter().sum::<f64>() / count;
    if values.len() < 2 || average <= 0.0 {
        return None;
    }
    let middle = (count - 1.0) / 2.0;
    let from_middle = |at: usize| at as f64 - middle;
    let spread: f64 = (0..values.len()).map(|at| from_middle(at).powi(2)).sum();
    let lean: f64 = values.iter().enumerate().map(|(at, value)| from_middle(at) * (value - average)).sum();
    Some(Line { average, slope: lean / spread, values: values.len() })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn levels_are_shares_of_the_first_and_unmeasured_stays_so() {
        let found = levels(&[Some(200.0), Some(100.0), None]);
        assert_eq!(found, Finding::Levels { percent_of_first: vec![Some(100.0), Some(50.0), None] });
        assert_eq!(levels(&[None, Some(1.0)]), Finding::Levels { percent_of_first: vec![None, None] });
        assert_eq!(levels(&[Some(0.0)]), Finding::Levels { percent_of_first: vec![None] });
    }

    #[test]
    fn a_pair_has_a_ratio_where_both_were_measured() {
        assert_eq!(pair(&[Some(30.0), Some(20.0)]), Finding::Pair { ratio: Some(1.5) });
        for rates in [&[Some(30.0), None][..], &[Some(30.0), Some(0.0)], &[Some(1.0)], &[]] {
            assert_eq!(pair(rates), Finding::Pair { ratio: None });
        }
    }

    #[test]
    fn a_trend_is_that_of_the_best_straight_line() {
        let found = trend("read", &[100.0, 90.0, 80.0]).unwrap();
        assert_eq!((found.first_bytes_per_s, found.last_bytes_per_s, found.rounds), (100.0, 80.0, 3));
        assert!((found.change_percent - -22.222).abs() < 0.001, "{found:?}");
        assert_eq!(trend("read", &[100.0]), None);
        assert_eq!(trend("read", &[0.0, 0.0]), None);
    }
}
