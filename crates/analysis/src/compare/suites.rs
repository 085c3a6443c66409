//! Compares suites that repeat one another: the mean of each, and every workload.
//!
//! The mean alone is enough to show a change. Of a dozen workloads, one would be called changed by
//! chance in every tenth comparison. So each workload has a wider limit: all of them together are called
//! changed by chance about as rarely as one figure.

use super::evidence::Noise;
use super::figures::{Reading, SUITE_MEAN, SUITE_WORKLOAD};
use super::judge::{judge, judge_one_of_many};
use super::sides::{Sides, of_numbers};
use super::{CompareError, ComparisonRow, Say, Shown};
use crate::naspt::NasptTable;

/// The rows of suites; each side has `repeats` consecutive suites.
///
/// # Errors
/// If the number of suites does not fit.
pub fn suite_rows(
    suites: &[&NasptTable],
    repeats: usize,
    say: &Say,
) -> Result<Vec<ComparisonRow>, CompareError> {
    let sides = of_numbers(suites.len(), repeats)?;
    let means: Vec<Option<f64>> = suites.iter().map(|suite| suite.geometric_mean_bytes_per_s).collect();
    // Without a suite there are no rows.
    let first = suites.first().map(|suite| suite.rows.as_slice()).unwrap_or_default();
    let of_workload = |name: &str| -> Vec<Option<f64>> {
        let median =
            |suite: &&NasptTable| suite.rows.iter().find(|row| row.workload == name)?.median_bytes_per_s;
        suites.iter().map(median).collect()
    };
    let mean = row("", SUITE_MEAN, &means, &sides, say);
    let workloads =
        first.iter().map(|one| row(&one.workload, SUITE_WORKLOAD, &of_workload(&one.workload), &sides, say));
    Ok(std::iter::once(mean).chain(workloads).collect())
}

fn row(group: &str, figure: &str, values: &[Option<f64>], sides: &Sides, say: &Say) -> ComparisonRow {
    let reading = |value: f64| Reading::new(figure, value, Noise::Unknown);
    let readings: Vec<Option<Reading>> = values.iter().map(|value| value.map(reading)).collect();
    let given: Vec<Option<&Reading>> = readings.iter().map(Option::as_ref).collect();
    let judged = match figure == SUITE_MEAN {
        true => judge(&given, sides),
        false => judge_one_of_many(&given, sides),
    };
    let Reading { figure, label, unit, better, .. } = reading(0.0);
    let text = |value: &Option<f64>| match value {
        Some(value) => say(unit, Shown::Exactly(*value)),
        None => "-".to_owned(),
    };
    ComparisonRow {
        group: group.to_owned(),
        texts: values.iter().map(text).collect(),
        values: values.to_vec(),
        change_percent: judged.iter().map(|one| one.change_percent).collect(),
        noise_percent: judged.iter().map(|one| one.noise_percent).collect(),
        judgement: judged.iter().map(|one| one.judgement).collect(),
        figure,
        label,
        unit,
        better,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::compare::Judgement;
    use crate::naspt::{NasptPass, NasptRow};
    use crate::proof::cached::CachedReads;
    use crate::proof::{ProofConclusion, ProofOutcome};

    /// A suite whose workloads had these throughputs, in kB/s.
    fn suite(speeds: &[u64]) -> NasptTable {
        let row = |(at, speed): (usize, &u64)| {
            let pass = NasptPass { moved_bytes: speed * 1_000, duration_ns: 1_000_000_000, differing_ops: 0 };
            NasptRow::new(format!("w{at}"), vec![pass])
        };
        NasptTable::new(speeds.iter().enumerate().map(row).collect())
    }

    fn outcome(suites: &[NasptTable], rounds: usize) -> ProofOutcome {
        let suites: Vec<&NasptTable> = suites.iter().collect();
        let rows = suite_rows(&suites, rounds, &|_, _| String::new()).unwrap();
        let quiet = vec![Some(0.0); suites.len()];
        ProofConclusion::new(&rows, rounds, &quiet, CachedReads::default()).outcomes[0]
    }

    #[test]
    fn the_mean_decides_and_a_slower_workload_is_named() {
        let base = || [suite(&[100, 200]), suite(&[101, 198]), suite(&[99, 201])];
        let with = |after: [[u64; 2]; 3]| -> Vec<NasptTable> {
            base().into_iter().chain(after.map(|speeds| suite(&speeds))).collect()
        };
        // 38 % more in the mean, as in the paper.
        assert_eq!(outcome(&with([[190, 200], [192, 199], [188, 201]]), 3), ProofOutcome::Gain(0));
        assert_eq!(outcome(&with([[100, 199], [101, 201], [99, 200]]), 3), ProofOutcome::NoChange);
        // The first workload is four times as fast, the second half as fast.
        assert_eq!(outcome(&with([[400, 100], [402, 99], [398, 101]]), 3), ProofOutcome::Traded(0, 2));
    }

    #[test]
    fn missing_workload_is_unknown() {
        let both = suite(&[100, 200]);
        let one = suite(&[150]);
        let suites = [&both, &both, &one, &one];
        let rows = suite_rows(&suites, 2, &|_, _| String::new()).unwrap();
        let second = rows.iter().find(|row| row.group == "w1").unwrap();
        assert_eq!(second.values, [Some(200_000.0), Some(200_000.0), None, None]);
        assert!(second.judgement.iter().skip(2).all(|judgement| *judgement == Judgement::Unknown));
        assert!(suite_rows(&suites, 3, &|_, _| String::new()).is_err());
    }

    /// A dozen workloads that change nothing and vary by 3 %: seeded, and counted.
    #[test]
    fn suites_that_did_not_change_are_rarely_called_changed() {
        let mut state = 7_u64;
        let mut draw = || {
            // Twelve uniform draws make a normal one.
            let mut uniform = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 11) as f64 / (1_u64 << 53) as f64
            };
            (0..12).map(|_| uniform()).sum::<f64>() - 6.0
        };
        let mut changed = 0;
        for _ in 0..1000 {
            let suites: Vec<NasptTable> = (0..10)
                .map(|_| {
                    suite(&(0..12).map(|_| (100_000.0 * (1.0 + 0.03 * draw())) as u64).collect::<Vec<_>>())
                })
                .collect();
            changed += usize::from(outcome(&suites, 5) != ProofOutcome::NoChange);
        }
        assert!(changed < 60, "{changed} of 1000");
    }
}
