//! Response times of reads and writes as bucket counts, which hosts exchange while they measure. The sum
//! over all hosts is exact, which is impossible with percentiles.
//!
//! Not here: the figures of a finished load point; those come from the [`Meter`](crate::Meter).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::spread::Spread;

/// The number of response times in each bucket, by a value in the bucket. Three significant digits. In
/// JSON a list of pairs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "Vec<(u64, u64)>", into = "Vec<(u64, u64)>")]
pub struct ResponseCounts(BTreeMap<u64, u64>);

impl From<Vec<(u64, u64)>> for ResponseCounts {
    fn from(pairs: Vec<(u64, u64)>) -> ResponseCounts {
        let mut counts = ResponseCounts::default();
        pairs.into_iter().for_each(|(response_ns, count)| counts.add(response_ns, count));
        counts
    }
}

impl From<ResponseCounts> for Vec<(u64, u64)> {
    fn from(counts: ResponseCounts) -> Vec<(u64, u64)> {
        counts.0.into_iter().collect()
    }
}

impl ResponseCounts {
    /// Adds `count` times this response time.
    pub fn add(&mut self, response_ns: u64, count: u64) {
        if count > 0 {
            let counted = self.0.entry(response_ns).or_default();
            // Counts of other hosts come over the network: absurd ones must not wrap.
            *counted = counted.saturating_add(count);
        }
    }

    /// Adds the counts of another host, or of another time.
    pub fn merge(&mut self, other: &ResponseCounts) {
        other.0.iter().for_each(|(&response_ns, &count)| self.add(response_ns, count));
    }

    /// The difference to an earlier state of the same counts.
    #[must_use]
    pub fn since(&self, before: &ResponseCounts) -> ResponseCounts {
        let of_before = |response_ns| before.0.get(response_ns).copied().unwrap_or(0);
        // Counts start again with a load point.
        let new = self.0.iter().map(|(ns, count)| (*ns, count.saturating_sub(of_before(ns))));
        ResponseCounts(new.filter(|&(_, count)| count > 0).collect())
    }

    /// How many there are.
    pub fn count(&self) -> u64 {
        // See `add`.
        self.0.values().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// The time that this share (0 to 1) of them does not exceed; `None` for no times.
    pub fn quantile_ns(&self, quantile: f64) -> Option<u64> {
        let mut spread = Spread::default();
        self.0.iter().for_each(|(&response_ns, &count)| spread.record_n(response_ns, count));
        (spread.count() > 0).then(|| spread.quantile_ns(quantile, u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counted(times: &[u64]) -> ResponseCounts {
        let mut counts = ResponseCounts::default();
        times.iter().for_each(|&time| counts.add(time, 1));
        counts
    }

    #[test]
    fn nothing_has_no_quantile() {
        assert_eq!(ResponseCounts::default().quantile_ns(0.99), None);
        assert_eq!(counted(&[5]).quantile_ns(0.99), Some(5));
    }

    proptest! {
        #[test]
        fn those_of_two_hosts_together_are_those_of_all(
            one in proptest::collection::vec(0..10_000_000_u64, 0..60),
            two in proptest::collection::vec(0..10_000_000_u64, 0..60),
        ) {
            let mut merged = counted(&one);
            merged.merge(&counted(&two));
            let all = counted(&[one.clone(), two.clone()].concat());
            prop_assert_eq!(&merged, &all);
            prop_assert_eq!(merged.count(), (one.len() + two.len()) as u64);
            prop_assert_eq!(merged.since(&counted(&one)), counted(&two));
            prop_assert_eq!(merged.quantile_ns(0.5), all.quantile_ns(0.5));
            let json = serde_json::to_string(&all).expect("pairs are JSON");
            prop_assert_eq!(serde_json::from_str::<ResponseCounts>(&json).expect("and back"), all);
        }
    }
}
