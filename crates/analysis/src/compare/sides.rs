//! Decides which runs repeat one another, so that their spread shows the noise.
//!
//! Either the user names the number of repeats, or runs with the same configuration are found. If all
//! runs have the same configuration, nothing is found: whatever was changed in between (the server, a
//! cable) is not recorded in a file.

use super::comparability::is_itself;
use super::{CompareError, RunToCompare};

/// With at least these degrees of freedom, the spread of repeats is the noise.
pub(super) const DOF_MIN: usize = 2;

/// The sides of a comparison.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Sides {
    /// The side number of each run, from 0 in order of appearance. If there are too few repeats, every
    /// run has a separate side.
    pub(super) of_run: Vec<usize>,
    /// The same, even with too few repeats.
    pub(super) alike: Vec<usize>,
}

impl Sides {
    fn new(alike: Vec<usize>) -> Sides {
        let dof = alike.len() - alike.iter().max().map_or(0, |last| last + 1);
        let of_run = if dof >= DOF_MIN { alike.clone() } else { (0..alike.len()).collect() };
        Sides { of_run, alike }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.of_run.iter().max().map_or(0, |last| last + 1)
    }

    /// Whether any runs repeat one another.
    pub(super) fn have_repeats(&self) -> bool {
        self.count() < self.of_run.len()
    }

    /// The runs of a side.
    pub(super) fn runs(&self, side: usize) -> Vec<usize> {
        (0..self.of_run.len()).filter(|&run| self.of_run[run] == side).collect()
    }
}

/// Sides of `repeats` consecutive runs.
pub(super) fn given(runs: &[RunToCompare<'_>], repeats: usize) -> Result<Sides, CompareError> {
    let sides = of_numbers(runs.len(), repeats)?;
    let later = |first: usize| (first + 1..runs.len()).map(move |second| (first, second));
    let is_twice = |(first, second): &(usize, usize)| {
        sides.alike[*first] == sides.alike[*second] && is_itself(&runs[*first], &runs[*second])
    };
    match (0..runs.len()).flat_map(later).find(is_twice) {
        Some((first, second)) => Err(CompareError::Twice { first: first + 1, second: second + 1 }),
        None => Ok(sides),
    }
}

pub(super) fn of_numbers(runs: usize, repeats: usize) -> Result<Sides, CompareError> {
    if repeats == 0 || !runs.is_multiple_of(repeats) || runs / repeats < 2 {
        return Err(CompareError::Repeats { runs, repeats });
    }
    Ok(Sides::new((0..runs).map(|run| run / repeats).collect()))
}

/// Runs with the same configuration repeat one another, if there is more than one configuration.
pub(super) fn found(runs: &[RunToCompare<'_>]) -> Sides {
    let mut firsts: Vec<usize> = Vec::new();
    let mut alike = Vec::new();
    for (at, run) in runs.iter().enumerate() {
        // A run that is named twice is not a repeat.
        let is_there = runs[..at].iter().any(|before| is_itself(before, run));
        let known = firsts.iter().position(|&first| !is_there && did_the_same(&runs[first], run));
        alike.push(known.unwrap_or(firsts.len()));
        if known.is_none() {
            firsts.push(at);
        }
    }
    if firsts.len() < 2 {
        alike = (0..runs.len()).collect();
    }
    Sides::new(alike)
}

fn did_the_same(one: &RunToCompare<'_>, two: &RunToCompare<'_>) -> bool {
    let (a, b) = (one.summary, two.summary);
    let same_data =
        (a.data_set.files, a.data_set.file_size_bytes) == (b.data_set.files, b.data_set.file_size_bytes);
    (&a.verb, &a.label, &a.target, &a.plan) == (&b.verb, &b.label, &b.target, &b.plan)
        && (&a.tool_version, &a.effective_mode.found) == (&b.tool_version, &b.effective_mode.found)
        && same_data
        && a.outcome == b.outcome
        && one.machines == two.machines
        && one.summary.storage == two.summary.storage
        && one.summary.tags == two.summary.tags
        && one.work == two.work
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::summary::{Summary, Target};

    /// Runs of these paths, each with the id at the same position; ids may repeat.
    fn with_runs<T>(paths: &[&str], ids: &[&str], of: impl FnOnce(&[RunToCompare<'_>]) -> T) -> T {
        let summary = |path: &&str| {
            let target = Target { path: (*path).to_owned(), ..Target::default() };
            Summary::new("1", "", "mix", target)
        };
        let summaries: Vec<Summary> = paths.iter().map(summary).collect();
        let run = |(summary, id)| RunToCompare { id, summary, machines: &[], work: &[] };
        of(&summaries.iter().zip(ids.iter().copied()).map(run).collect::<Vec<_>>())
    }

    const IDS: [&str; 6] = ["1", "2", "3", "4", "5", "6"];

    fn sides(paths: &[&str]) -> Sides {
        with_runs(paths, &IDS, found)
    }

    #[test]
    fn runs_with_equal_configuration_form_one_side() {
        assert_eq!(sides(&["a", "b", "a", "b"]).of_run, [0, 1, 0, 1]);
        assert_eq!(sides(&["a", "a", "a", "b"]).of_run, [0, 0, 0, 1]);
        // One pair alone has one degree of freedom.
        let few = sides(&["a", "a", "b"]);
        assert_eq!((few.of_run.as_slice(), few.alike.as_slice()), (&[0, 1, 2][..], &[0, 0, 1][..]));
        // The change between them is not recorded in a file, so each run is a separate side.
        let all = sides(&["a", "a", "a", "a"]);
        assert_eq!((all.of_run.as_slice(), all.have_repeats()), (&[0, 1, 2, 3][..], false));
    }

    #[test]
    fn run_count_must_be_a_multiple_of_repeats() {
        assert_eq!(of_numbers(6, 3).unwrap().of_run, [0, 0, 0, 1, 1, 1]);
        assert_eq!(of_numbers(4, 1).unwrap().of_run, [0, 1, 2, 3]);
        for (runs, repeats) in [(5, 2), (4, 4), (4, 0), (2, 2)] {
            assert_eq!(of_numbers(runs, repeats), Err(CompareError::Repeats { runs, repeats }));
        }
        assert_eq!(of_numbers(6, 3).unwrap().runs(1), [3, 4, 5]);
    }

    #[test]
    fn run_named_twice_is_not_a_repeat() {
        let ids = ["a", "a", "b", "c"];
        let twice = with_runs(&["x", "x", "y", "y"], &ids, |runs| given(runs, 2));
        assert_eq!(twice, Err(CompareError::Twice { first: 1, second: 2 }));
        assert!(with_runs(&["x", "x", "y", "y"], &IDS, |runs| given(runs, 2)).is_ok());
        // The same run on both sides would be compared with itself.
        assert!(with_runs(&["x", "x", "x", "x"], &["a", "b", "a", "b"], |runs| given(runs, 2)).is_ok());
        let found = with_runs(&["x", "x", "y", "y"], &ids, found);
        assert_eq!(found.alike, [0, 1, 2, 2]);
        assert!(!found.have_repeats());
    }
}
