//! What a search for the largest count of streams found, and on what evidence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::summary::LoadPoint;

/// The answer of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchFacts {
    /// What was counted, as it reads after a number: `players of prores-422-hq-uhd-25`, `times newsroom`.
    pub what: String,
    /// The answer in words: `31 streams passed every time, 32 never.`
    pub answer_sentence: String,
    /// What it rests on, in words: `31: 3 of 3; 32: 1 of 3`.
    pub evidence_sentence: String,
    /// The largest count that passed every trial, with no failure at any count below it. `None` where no
    /// count did.
    pub streams: Option<u32>,
    /// The largest count that ever passed. Where that is more than `streams`, the storage is noisy.
    pub at_most: Option<u32>,
    /// This machine, and not the storage, was the limit: `streams` is no capacity of the storage.
    #[serde(default)]
    pub limited_by_client: bool,
    /// `false` where the search ended (time, trials, the cap, Ctrl-C) before both edges were certain.
    pub complete: bool,
    /// Why the search stopped early. `None` where it was complete or interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StoppedBy>,
    /// Every count that was tried, ascending.
    pub trials: Vec<TrialsAt>,
    /// What failed first with the smallest count that did not pass, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_first: Option<String>,
    /// The trial that stopped more from passing, where it is one of a run that this one went on from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub earlier: Option<Box<EarlierTrial>>,
}

/// A trial of a run that a search went on from. Of its streams only the incidents are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierTrial {
    /// The run directory that has all of it.
    pub run: String,
    /// What was measured.
    pub point: LoadPoint,
}

/// So many incidents of an earlier trial are kept.
const INCIDENTS_KEPT: usize = 8;

impl EarlierTrial {
    /// As much of a trial as a search that goes on from its run has to know.
    pub fn of(run: &str, point: &LoadPoint) -> EarlierTrial {
        let mut point = point.clone();
        point.rates.clear();
        if let Some(late) = &mut point.streams {
            late.streams.clear();
            late.incidents.sort_by_key(|incident| std::cmp::Reverse(incident.late_frames));
            late.incidents.truncate(INCIDENTS_KEPT);
        }
        EarlierTrial { run: run.to_owned(), point }
    }

    fn fell(&self) -> bool {
        fell(&self.point)
    }
}

fn fell(point: &LoadPoint) -> bool {
    point.verdict.as_ref().is_some_and(|verdict| !verdict.passed)
}

impl SearchFacts {
    /// The trial that stopped more from passing, of a search's load points and of what it knew before: the
    /// smallest count that fell. One that fell below what passes was disturbed, and is taken only where there
    /// is no other. An earlier one has the place behind the load points.
    pub fn stopper<'a>(&'a self, points: &'a [LoadPoint]) -> Option<(usize, &'a LoadPoint)> {
        let earlier = self.earlier.iter().map(|earlier| (points.len(), &earlier.point));
        let falls = earlier.chain(points.iter().enumerate()).filter(|(_, point)| fell(point));
        falls.min_by_key(|(_, point)| self.place_of_fall(point))
    }

    /// The less, the more likely it stopped the search.
    fn place_of_fall(&self, point: &LoadPoint) -> (bool, Option<u32>) {
        let sure = self.streams.unwrap_or(0);
        (point.stream_count.is_some_and(|count| count <= sure), point.stream_count)
    }

    /// Every count that was tried, ascending: those with evidence, and those of load points that were stopped
    /// before they had any. Sentences name these, too.
    pub fn all_trials(&self, points: &[LoadPoint]) -> Vec<TrialsAt> {
        let mut begun: BTreeMap<u32, u32> = self.trials.iter().map(|at| (at.streams, 0)).collect();
        let counts = points.iter().filter_map(|point| point.stream_count).filter(|count| *count > 0);
        counts.for_each(|count| *begun.entry(count).or_default() += 1);
        let row = |(streams, begun): (u32, u32)| {
            let known = self.trials.iter().find(|at| at.streams == streams).copied();
            let at = known.unwrap_or(TrialsAt { streams, ..TrialsAt::default() });
            // Facts are read from a summary, which is input, here and below.
            TrialsAt { unfinished: begun.saturating_sub(at.trials()), ..at }
        };
        begun.into_iter().map(row).collect()
    }

    /// Keeps the one of these earlier trials that stopped more from passing, if none of the load points is
    /// it.
    pub fn take_earlier(&mut self, trials: &[EarlierTrial], points: &[LoadPoint]) {
        let falls = trials.iter().filter(|trial| trial.fell());
        let first = falls.min_by_key(|trial| self.place_of_fall(&trial.point));
        self.earlier = first.cloned().map(Box::new);
        if self.stopper(points).is_none_or(|(at, _)| at < points.len()) {
            self.earlier = None;
        }
    }
}

/// What a search that goes on from a run has to know of it, besides its evidence: of each count the first
/// trial that fell, and the last trial that passed.
pub fn keep_trials(earlier: &[EarlierTrial], run: &str, points: &[LoadPoint]) -> Vec<EarlierTrial> {
    let mut kept = earlier.to_vec();
    for point in points.iter().filter(|point| point.verdict.is_some()) {
        let is_known = |known: &EarlierTrial| known.fell() && known.point.stream_count == point.stream_count;
        if fell(point) && kept.iter().any(is_known) {
            continue;
        }
        if !fell(point) {
            kept.retain(EarlierTrial::fell);
        }
        kept.push(EarlierTrial::of(run, point));
    }
    kept
}

/// What a search found its end by, other than by its answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// The time that it was given was spent.
    Time,
    /// The trials that it was given were spent.
    Trials,
    /// All passed, and it was to try no more than that.
    Cap,
    /// All passed, and the target has no room for the files of more.
    Room,
    /// All passed, and the user's own files are not enough for more.
    OwnFiles,
    /// All passed, and one process plays no more.
    OneProcess,
}

impl StoppedBy {
    /// Whether all passed that could be tried: going on would change nothing.
    pub fn is_end_of_counts(self) -> bool {
        !matches!(self, StoppedBy::Time | StoppedBy::Trials)
    }
}

/// All trials with one count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct TrialsAt {
    /// The count.
    pub streams: u32,
    /// Trials that passed.
    pub passed: u32,
    /// Trials that failed because of the storage.
    pub failed: u32,
    /// Trials that failed because of the client.
    pub client_limited: u32,
    /// Trials that were begun and not finished.
    #[serde(default, skip_serializing_if = "is_none")]
    pub unfinished: u32,
}

fn is_none(trials: &u32) -> bool {
    *trials == 0
}

impl TrialsAt {
    /// All that are evidence.
    pub fn trials(&self) -> u32 {
        // See above: counts of a damaged summary must not wrap.
        self.passed.saturating_add(self.failed).saturating_add(self.client_limited)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::figures::{Figures, PointTiming};
    use crate::meter::PointFigures;
    use crate::summary::LoadPointFacts;

    fn point(count: u32) -> LoadPoint {
        let figures = PointFigures {
            point: 0,
            timing: PointTiming { started_ns: 0, measured_ns: 1 },
            total: Figures::default(),
            per_worker: Vec::new(),
            paper: Default::default(),
        };
        LoadPoint { stream_count: Some(count), ..LoadPoint::new(LoadPointFacts::default(), figures) }
    }

    #[test]
    fn every_trial_that_was_begun_has_its_row() {
        let at = |streams, passed, failed| TrialsAt { streams, passed, failed, ..TrialsAt::default() };
        let facts = SearchFacts { trials: vec![at(4, 2, 0), at(8, 0, 1)], ..SearchFacts::default() };
        let rows: Vec<(u32, u32, u32)> = facts
            .all_trials(&[4, 4, 8, 6, 8].map(point))
            .iter()
            .map(|at| (at.streams, at.trials(), at.unfinished))
            .collect();
        assert_eq!(rows, [(4, 2, 0), (6, 0, 1), (8, 1, 1)]);
        // A run that went on has made only some of the trials that its search knows.
        assert_eq!(facts.all_trials(&[]).iter().map(|at| at.unfinished).sum::<u32>(), 0);
    }
}
