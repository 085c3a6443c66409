//! The result of a search for the largest stream count, and its evidence.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::summary::LoadPoint;

/// The result of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SearchFacts {
    /// The things that were counted, as they read after a number: `players of Sony XAVC Intra Class
    /// 100 1080, 25 fps`, `times newsroom`.
    pub what: String,
    /// The result as text: `31 streams passed every time, 32 never.`
    pub answer_sentence: String,
    /// The evidence as text: `31: 3 of 3; 32: 1 of 3`.
    pub evidence_sentence: String,
    /// The largest count that passed every trial, with no failure at any smaller count. `None` if there
    /// is none.
    pub streams: Option<u32>,
    /// The largest count that ever passed. If it is more than `streams`, the storage is noisy.
    pub at_most: Option<u32>,
    /// The local host was the limit, not the storage: `streams` is no capacity of the storage.
    #[serde(default)]
    pub limited_by_client: bool,
    /// `false` if the search ended (time, trials, the cap, Ctrl-C) before both edges were certain.
    pub complete: bool,
    /// Why the search stopped early. `None` if it was complete or interrupted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stopped_by: Option<StoppedBy>,
    /// Every count that was tried, ascending.
    pub trials: Vec<TrialsAt>,
    /// The first failure at the smallest count that did not pass, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_first: Option<String>,
    /// The trial that prevented a higher result, if it belongs to an earlier run that this one
    /// continued.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub earlier: Option<Box<EarlierTrial>>,
}

/// A trial of a run that a search continued. Of its streams, only the incidents are kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EarlierTrial {
    /// The run directory with the complete trial.
    pub run: String,
    /// The results of the trial.
    pub point: LoadPoint,
}

/// Incidents of an earlier trial that are kept, at most.
const INCIDENTS_KEPT: usize = 8;

impl EarlierTrial {
    /// Keeps what a search needs that continues this run.
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
    /// The trial that prevented a higher result, from a search's load points and its earlier trials: the
    /// smallest count that failed. A trial that failed below a passing count was disturbed, and is used
    /// only if there is no other. The index of an earlier trial is one past the load points.
    pub fn stopper<'a>(&'a self, points: &'a [LoadPoint]) -> Option<(usize, &'a LoadPoint)> {
        let earlier = self.earlier.iter().map(|earlier| (points.len(), &earlier.point));
        let falls = earlier.chain(points.iter().enumerate()).filter(|(_, point)| fell(point));
        falls.min_by_key(|(_, point)| self.place_of_fall(point))
    }

    /// The trial with the smallest value most likely stopped the search.
    fn place_of_fall(&self, point: &LoadPoint) -> (bool, Option<u32>) {
        let sure = self.streams.unwrap_or(0);
        (point.stream_count.is_some_and(|count| count <= sure), point.stream_count)
    }

    /// Every count that was tried, ascending. Includes counts whose load points were stopped before they
    /// gave evidence, because sentences name these as well.
    pub fn all_trials(&self, points: &[LoadPoint]) -> Vec<TrialsAt> {
        let mut begun: BTreeMap<u32, u32> = self.trials.iter().map(|at| (at.streams, 0)).collect();
        let counts = points.iter().filter_map(|point| point.stream_count).filter(|count| *count > 0);
        counts.for_each(|count| *begun.entry(count).or_default() += 1);
        let row = |(streams, begun): (u32, u32)| {
            let known = self.trials.iter().find(|at| at.streams == streams).copied();
            let at = known.unwrap_or(TrialsAt { streams, ..TrialsAt::default() });
            // Facts are read from a summary, which is untrusted input, here and below.
            TrialsAt { unfinished: begun.saturating_sub(at.trials()), ..at }
        };
        begun.into_iter().map(row).collect()
    }

    /// Keeps the earlier trial that prevented a higher result, if none of the load points did.
    pub fn take_earlier(&mut self, trials: &[EarlierTrial], points: &[LoadPoint]) {
        let falls = trials.iter().filter(|trial| trial.fell());
        let first = falls.min_by_key(|trial| self.place_of_fall(&trial.point));
        self.earlier = first.cloned().map(Box::new);
        if self.stopper(points).is_none_or(|(at, _)| at < points.len()) {
            self.earlier = None;
        }
    }
}

/// Returns the trials that a continued search needs in addition to its evidence: for each count, the
/// first one that failed and the last one that passed.
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

/// What ended a search before it had its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum StoppedBy {
    /// Its time was used up.
    Time,
    /// Its trials were used up.
    Trials,
    /// All trials passed, up to the cap.
    Cap,
    /// All trials passed, and the target has no room for the files of more streams.
    Room,
    /// All trials passed, and the user's own files are too few for more streams.
    OwnFiles,
    /// All trials passed, and a single process cannot play more streams.
    OneProcess,
}

impl StoppedBy {
    /// Whether everything passed that could be tried, so that continuing would change nothing.
    pub fn is_end_of_counts(self) -> bool {
        !matches!(self, StoppedBy::Time | StoppedBy::Trials)
    }
}

/// All trials of one count.
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
    /// The number of trials that are evidence.
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
        // A run that continued another has made only some of the trials that its search knows.
        assert_eq!(facts.all_trials(&[]).iter().map(|at| at.unfinished).sum::<u32>(), 0);
    }
}
