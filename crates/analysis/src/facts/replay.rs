//! The results of a replay: the duration of every pass, how well it kept its timing, and which results
//! differ from the recording.
//!
//! An operation begins late for one of two reasons. Either the storage had not completed an operation
//! that it depends on, or Reelgauge started it late. Only the second makes the timing of a replay bad;
//! the first is what a replay measures.

mod silence;

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::figures::is_zero;

pub use silence::{ReplaySilence, SilenceScene};

/// If Reelgauge begins more than 1 of 100 operations later than this, the timing of a replay is bad.
pub const LATENESS_MAX_US: f64 = 1_000.0;
/// A replay is late if it takes longer than the recording by this percentage …
pub const DELAY_MAX_PERCENT: f64 = 1.0;
/// … unless the difference is below this, which the last operation alone can cause …
pub const DELAY_MIN_S: f64 = 0.01;
/// … or, for a recording so short that this is a large part of it, below this percentage …
const SHORT_DELAY_MAX_PERCENT: f64 = 10.0;
/// … and below this, which is the tolerance for Reelgauge itself.
const SHORT_DELAY_MIN_S: f64 = LATENESS_MAX_US / 1e6;
/// If a single operation causes this share of the delay by Reelgauge's lateness, the delay is
/// Reelgauge's.
const OWN_DELAY_SHARE: f64 = 0.5;

/// The results of a replay, in addition to the figures of its load points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReplayFacts {
    /// The name of the trace.
    pub trace: String,
    /// The path of the trace.
    pub trace_path: String,
    /// The program that made it; empty for a run.
    pub made_by: String,
    /// Whether it was generated from statistics instead of being recorded.
    pub synthetic: bool,
    /// Operations of one user in one pass.
    pub ops: u64,
    /// Threads that were recorded.
    pub threads: u32,
    /// Users at once.
    pub copies: u32,
    /// The pace: `recorded`, `think`, `max`, `fixed:5ms`.
    pub pace: String,
    /// The order: `serial`, `streams`, `resources`.
    pub order: String,
    /// The expected duration of one pass; `None` if the pace does not define it.
    pub expected_span_s: Option<f64>,
    /// The duration of the recording, times the scale, for all users; whatever the pace.
    #[serde(default)]
    pub recorded_span_s: Option<f64>,
    /// The same for one user. `None` in runs of versions that did not record it.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub user_span_s: Option<f64>,
    /// The recording has no durations of operations, so its length does not include the last one.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub has_no_durations: bool,
    /// Files that were prepared for one pass.
    pub prepared_files: u64,
    /// Bytes of these.
    pub prepared_bytes: u64,
    /// How the files were made: `auto`, `copy`, `stream`.
    pub layout: String,
    /// Operations of the trace that were not replayed, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// The same by kind: `rename_exchange`, `rename_whiteout`, `rename_refused`, `nameless_file`, `clone`,
    /// `range`, `hard_link`, `unknown_hard_link`, `symbolic_link`, `other`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub not_replayed_ops: BTreeMap<String, u64>,
    /// Assumptions, and differences between recording and replay, in sentences.
    pub remarks: Vec<String>,
    /// The passes, in the order in which they ran.
    pub passes: Vec<ReplayPass>,
    /// Files that a pass wrote with gaps, or that had many extents afterwards, if the file system
    /// reports them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_pieces: Vec<WrittenPieces>,
    /// The median throughput of all passes.
    pub median_bytes_per_s: Option<f64>,
    /// Why the timing was bad; `None` if it was good, or if the pace is free.
    pub bad_timing: Option<String>,
}

/// A file is fragmented if it has at least this many extents, each smaller than `SMALL_PIECE_BYTES`.
const MANY_PIECES: u64 = 16;
const SMALL_PIECE_BYTES: u64 = 4 << 20;

/// A file that a pass of a replay wrote, and its extents.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WrittenPieces {
    /// Index of the load point of the pass.
    pub point: u16,
    /// Its name in the trace.
    pub file: String,
    /// Bytes.
    pub size_bytes: u64,
    /// The number of extents.
    pub pieces: u64,
    /// The mean size of an extent.
    pub piece_bytes: u64,
}

impl WrittenPieces {
    /// Whether it is fragmented: many extents, too small for a disk to reach its full rate between two
    /// of them.
    pub fn is_in_many(&self) -> bool {
        self.pieces >= MANY_PIECES && self.piece_bytes < SMALL_PIECE_BYTES
    }
}

/// One pass of a replay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReplayPass {
    /// Index of its load point.
    pub point: u16,
    /// Whether all of the trace was replayed.
    pub complete: bool,
    /// From when the first operation was due until the last one completed.
    pub span_s: f64,
    /// Bytes read and written.
    pub bytes: u64,
    /// The time in which at least one user was active; time between the end of one user and the start of
    /// the next is not included. `bytes_per_s` refers to this time. `None` in runs of versions that did
    /// not record it.
    #[serde(default)]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub worked_s: Option<f64>,
    /// `bytes` ÷ `worked_s`.
    pub bytes_per_s: Option<f64>,
    /// How much later than recorded its last operation completed; negative if earlier. `None` if the
    /// pace is not the recorded one, or the pass is incomplete.
    #[serde(default)]
    pub delay_s: Option<f64>,
    /// The longest time by which an operation began after it was due, whatever the reason.
    #[serde(default)]
    pub behind_max_us: Option<f64>,
    /// The median lateness of Reelgauge itself: from when an operation was due and its dependencies were
    /// completed until it began.
    pub lateness_p50_us: Option<f64>,
    /// The same: 99 of 100 operations were no later.
    pub lateness_p99_us: Option<f64>,
    /// The same: the latest operation.
    pub lateness_max_us: Option<f64>,
    /// Operations that completed.
    pub done_ops: u64,
    /// How many of these could not begin when they were due, because a previous one had not completed.
    pub held_up_ops: u64,
    /// The longest of these waits.
    pub held_up_max_us: f64,
    /// Operations that began more than a millisecond late because of Reelgauge: it started them late, or
    /// one that they depend on.
    #[serde(default)]
    pub begun_late_ops: u64,
    /// Operations that began more than a millisecond late because the storage had not completed their
    /// dependencies. `None` in runs of versions that did not count them.
    #[serde(default)]
    pub storage_late_ops: Option<u64>,
    /// Operations that began more than a millisecond late because the limit on bytes per second that the
    /// user set had delayed them, or one that they depend on.
    #[serde(default, skip_serializing_if = "is_zero")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub limit_late_ops: u64,
    /// Silences of the storage that delayed operations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub silences: Vec<ReplaySilence>,
    /// Operations whose result differs from the recording.
    pub different_ops: u64,
    /// The first of these, as text.
    pub differences: Vec<String>,
}

/// How well a replay kept the time of its recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReplayTiming {
    /// Its pace does not follow the recording.
    Free,
    /// No pass was complete, so the timing is unknown.
    Unknown,
    /// Operations began when they were due, and the replay took as long as the recording.
    AsRecorded,
    /// The limit on bytes per second that the user set was lower than the recording needed.
    LimitLate,
    /// The storage was slower than the recording needed.
    StorageLate,
    /// Reelgauge began too many operations late, so the replay shows nothing about the storage.
    ToolLate,
}

/// Why the timing of a pass was bad, as data: Reelgauge itself was late.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTiming {
    /// Operations that Reelgauge began later than [`LATENESS_MAX_US`].
    pub begun_late_ops: u64,
    /// The largest lateness of Reelgauge.
    pub lateness_max_us: Option<f64>,
    /// How much later than recorded the pass ended, if that is too much.
    pub delay_s: Option<f64>,
    /// Operations that completed.
    pub done_ops: u64,
    /// Additional operations that were late because of the storage.
    pub storage_late_ops: Option<u64>,
}

/// Whether these operations are more than 1 of 100. A single operation is never counted as a share,
/// however few there are.
fn is_more_than_a_hundredth(ops: u64, of: u64) -> bool {
    // Counts are untrusted input; the largest number counts as more than a hundredth.
    ops > 1 && ops.saturating_mul(100) > of
}

impl ReplayPass {
    /// Whether Reelgauge began more than 1 of 100 operations late.
    pub(crate) fn has_begun_late(&self) -> bool {
        is_more_than_a_hundredth(self.begun_late_ops, self.done_ops)
    }

    /// Whether the limit on bytes per second delayed more than 1 of 100 operations, and more than Reelgauge
    /// and the storage did.
    fn is_limit_late(&self) -> bool {
        is_more_than_a_hundredth(self.limit_late_ops, self.done_ops)
            && self.silences.is_empty()
            && self.begun_late_ops < self.limit_late_ops
            && self.storage_late_ops.is_none_or(|ops| ops < self.limit_late_ops)
    }
}

impl ReplayFacts {
    /// Fills in the results that follow from the passes: the median, and the judgement on the timing
    /// with its sentence.
    pub fn conclude(&mut self, in_words: impl Fn(&BadTiming) -> String) {
        let complete = self.passes.iter().filter(|pass| pass.complete);
        let mut rates: Vec<f64> = complete.filter_map(|pass| pass.bytes_per_s).collect();
        rates.sort_by(f64::total_cmp);
        self.median_bytes_per_s = median(&rates);
        let bad_timing = self.passes.iter().find_map(|pass| self.bad_timing_of(pass));
        self.bad_timing = bad_timing.map(|bad| in_words(&bad));
    }

    /// The timing of the worst pass.
    pub fn timing(&self) -> ReplayTiming {
        if self.bad_timing.is_some() || self.passes.iter().any(|pass| self.bad_timing_of(pass).is_some()) {
            ReplayTiming::ToolLate
        } else if self.expected_span_s.is_none() {
            ReplayTiming::Free
        } else if self.passes.iter().any(ReplayPass::is_limit_late) {
            ReplayTiming::LimitLate
        } else if self.passes.iter().any(|pass| self.is_storage_late(pass)) {
            ReplayTiming::StorageLate
        } else if self.passes.iter().any(|pass| pass.complete) {
            ReplayTiming::AsRecorded
        } else {
            ReplayTiming::Unknown
        }
    }

    /// The longest delay compared with the recording, over the complete passes that have one.
    pub fn delay_s(&self) -> Option<f64> {
        self.passes.iter().filter(|pass| pass.complete).filter_map(|pass| pass.delay_s).reduce(f64::max)
    }

    /// The expected duration for each user; `None` if the pace does not define it.
    pub fn user_span_to_keep_s(&self) -> Option<f64> {
        self.expected_span_s.map(|all_s| self.user_span_s.unwrap_or(all_s))
    }

    /// How much later than recorded a pass ended, if that is more than the last operation can cause.
    pub fn long_delay_s(&self, pass: &ReplayPass) -> Option<f64> {
        let recorded_s = self.user_span_to_keep_s().filter(|_| pass.complete)?;
        let delay_s = pass.delay_s.unwrap_or(pass.span_s - recorded_s);
        let of_short_s = (recorded_s * SHORT_DELAY_MAX_PERCENT / 100.0).max(SHORT_DELAY_MIN_S);
        let least_s = if self.has_no_durations { DELAY_MIN_S } else { DELAY_MIN_S.min(of_short_s) };
        (delay_s > least_s && delay_s > recorded_s * DELAY_MAX_PERCENT / 100.0).then_some(delay_s)
    }

    /// Whether the storage was too slow for a pass to keep the recording's time.
    fn is_storage_late(&self, pass: &ReplayPass) -> bool {
        is_more_than_a_hundredth(pass.storage_late_ops.unwrap_or(0), pass.done_ops)
            || !pass.silences.is_empty()
            || self.long_delay_s(pass).is_some()
    }

    /// A replay as fast as possible cannot be late.
    fn is_free(&self) -> bool {
        self.pace == "max"
    }

    /// Why Reelgauge's timing in a pass was bad. Lateness of the storage is no reason, and neither is a limit
    /// that the user set.
    fn bad_timing_of(&self, pass: &ReplayPass) -> Option<BadTiming> {
        if self.is_free() || pass.is_limit_late() {
            return None;
        }
        let delay_s = self.long_delay_s(pass);
        let is_own = |delay_s: f64| {
            pass.lateness_max_us.is_some_and(|late_us| late_us >= delay_s * 1e6 * OWN_DELAY_SHARE)
        };
        let is_bad = pass.has_begun_late() || delay_s.is_some_and(is_own);
        is_bad.then_some(BadTiming {
            begun_late_ops: pass.begun_late_ops,
            lateness_max_us: pass.lateness_max_us,
            delay_s,
            done_ops: pass.done_ops,
            storage_late_ops: pass.storage_late_ops,
        })
    }
}

/// The median of sorted values.
fn median(sorted: &[f64]) -> Option<f64> {
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => None,
        len if len % 2 == 1 => sorted.get(middle).copied(),
        _ => Some((sorted.get(middle - 1)? + sorted.get(middle)?) / 2.0),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn pass(bytes_per_s: f64) -> ReplayPass {
        ReplayPass {
            complete: true,
            span_s: 10.0,
            bytes_per_s: Some(bytes_per_s),
            delay_s: Some(0.0),
            lateness_p99_us: Some(50.0),
            done_ops: 100,
            ..ReplayPass::default()
        }
    }

    fn facts(passes: Vec<ReplayPass>) -> ReplayFacts {
        let mut facts = ReplayFacts {
            pace: "recorded".to_owned(),
            expected_span_s: Some(10.0),
            passes,
            ..ReplayFacts::default()
        };
        facts.conclude(|bad| format!("{bad:?}"));
        facts
    }

    fn bad_timing(pass: &ReplayPass) -> Option<BadTiming> {
        facts(Vec::new()).bad_timing_of(pass)
    }

    #[test]
    fn the_median_is_that_of_complete_passes() {
        assert_eq!(facts(vec![pass(5.0), pass(1.0), pass(2.0)]).median_bytes_per_s, Some(2.0));
        assert_eq!(facts(vec![pass(5.0), pass(1.0)]).median_bytes_per_s, Some(3.0));
        let cut = ReplayPass { complete: false, ..pass(1000.0) };
        assert_eq!(facts(vec![pass(5.0), cut]).median_bytes_per_s, Some(5.0));
        assert_eq!(facts(Vec::new()).median_bytes_per_s, None);
    }

    #[test]
    fn only_delays_of_reelgauge_make_the_timing_bad() {
        assert_eq!(bad_timing(&pass(1.0)), None);
        assert_eq!(bad_timing(&ReplayPass { begun_late_ops: 1, ..pass(1.0) }), None);
        let late = ReplayPass { begun_late_ops: 2, ..pass(1.0) };
        let found = bad_timing(&late).unwrap();
        assert_eq!((found.begun_late_ops, found.delay_s, found.storage_late_ops), (2, None, None));
        // The storage was slower.
        let slow = ReplayPass { span_s: 10.2, delay_s: Some(0.2), storage_late_ops: Some(70), ..pass(1.0) };
        assert_eq!(bad_timing(&slow), None);
        // Reelgauge began one of a few operations late, which caused the whole delay.
        let stopped =
            ReplayPass { lateness_max_us: Some(190_000.0), storage_late_ops: Some(0), ..slow.clone() };
        assert_eq!(bad_timing(&stopped).unwrap().delay_s, Some(0.2));
        assert_eq!(bad_timing(&ReplayPass { delay_s: Some(0.09), ..stopped.clone() }), None);
        assert_eq!(bad_timing(&ReplayPass { complete: false, ..stopped }), None);
    }

    /// A recording of half a millisecond that takes 9.5 ms is 19 times as long; no tolerance covers
    /// that.
    #[test]
    fn a_short_recording_is_held_to_its_own_length() {
        let timing = |recorded_s: f64, took_s: f64, has_no_durations: bool| {
            let delay_s = Some(took_s - recorded_s);
            let mut facts = facts(vec![ReplayPass { span_s: took_s, delay_s, ..pass(1.0) }]);
            (facts.expected_span_s, facts.has_no_durations) = (Some(recorded_s), has_no_durations);
            facts.timing()
        };
        assert_eq!(timing(0.0005, 0.0095, false), ReplayTiming::StorageLate);
        assert_eq!(timing(0.05, 0.056, false), ReplayTiming::StorageLate);
        assert_eq!(timing(0.05, 0.054, false), ReplayTiming::AsRecorded);
        assert_eq!(timing(0.0001, 0.0009, false), ReplayTiming::AsRecorded);
        assert_eq!(timing(10.0, 10.009, false), ReplayTiming::AsRecorded);
        // The length does not include the last operation.
        assert_eq!(timing(0.0005, 0.0095, true), ReplayTiming::AsRecorded);
        assert_eq!(timing(0.0005, 0.0195, true), ReplayTiming::StorageLate);
    }

    #[test]
    fn each_user_is_held_to_the_recording_and_not_to_the_start_of_the_last_one() {
        let late = ReplayPass { span_s: 7.1, delay_s: Some(1.8), ..pass(1.0) };
        let of = ReplayFacts { user_span_s: Some(0.1), ..facts(vec![late]) };
        assert_eq!(of.user_span_to_keep_s(), Some(0.1));
        assert_eq!(of.timing(), ReplayTiming::StorageLate);
        let near = ReplayPass { span_s: 7.1, delay_s: Some(0.05), ..pass(1.0) };
        assert_eq!(ReplayFacts { passes: vec![near], ..of }.timing(), ReplayTiming::StorageLate);
    }

    #[test]
    fn one_late_operation_of_a_few_is_no_share() {
        let few = ReplayPass { done_ops: 85, begun_late_ops: 1, ..pass(1.0) };
        assert_eq!(bad_timing(&few), None);
        assert!(bad_timing(&ReplayPass { begun_late_ops: 2, ..few.clone() }).is_some());
        let slow = ReplayPass { storage_late_ops: Some(1), begun_late_ops: 0, ..few };
        assert_eq!(facts(vec![slow.clone()]).timing(), ReplayTiming::AsRecorded);
        let slower = ReplayPass { storage_late_ops: Some(2), ..slow };
        assert_eq!(facts(vec![slower]).timing(), ReplayTiming::StorageLate);
    }

    #[test]
    fn the_timing_is_that_of_the_worst_pass() {
        let slow = ReplayPass { delay_s: Some(0.2), storage_late_ops: Some(70), ..pass(1.0) };
        let frozen = ReplayPass { silences: vec![ReplaySilence::default()], ..pass(1.0) };
        let late = ReplayPass { begun_late_ops: 2, ..pass(1.0) };
        let cut = ReplayPass { complete: false, ..pass(1.0) };
        let timing = |passes: &[&ReplayPass]| facts(passes.iter().copied().cloned().collect()).timing();
        assert_eq!(timing(&[&pass(1.0), &cut]), ReplayTiming::AsRecorded);
        assert_eq!(timing(&[&pass(1.0), &slow]), ReplayTiming::StorageLate);
        assert_eq!(timing(&[&frozen, &pass(1.0)]), ReplayTiming::StorageLate);
        let limited = ReplayPass { limit_late_ops: 80, ..slow.clone() };
        assert_eq!(timing(&[&pass(1.0), &limited]), ReplayTiming::LimitLate);
        let mostly_storage = ReplayPass { storage_late_ops: Some(90), ..limited.clone() };
        let and_frozen = ReplayPass { silences: vec![ReplaySilence::default()], ..limited.clone() };
        for storage in [mostly_storage, and_frozen, ReplayPass { limit_late_ops: 1, ..limited }] {
            assert_eq!(timing(&[&storage]), ReplayTiming::StorageLate);
        }
        assert_eq!(timing(&[&slow, &late]), ReplayTiming::ToolLate);
        assert_eq!(timing(&[&cut]), ReplayTiming::Unknown);
        let max = ReplayFacts { pace: "max".to_owned(), expected_span_s: None, ..facts(vec![late]) };
        assert_eq!(ReplayFacts { bad_timing: None, ..max }.timing(), ReplayTiming::Free);
    }

    #[test]
    fn first_bad_pass_is_reported_and_full_speed_is_never_late() {
        assert_eq!(facts(vec![pass(1.0)]).bad_timing, None);
        let late = ReplayPass { begun_late_ops: 2, ..pass(1.0) };
        let later = ReplayPass { begun_late_ops: 90, ..pass(1.0) };
        let mut found = facts(vec![pass(1.0), late.clone(), later]);
        assert_eq!(found.bad_timing, bad_timing(&late).map(|bad| format!("{bad:?}")));
        "max".clone_into(&mut found.pace);
        found.conclude(|bad| format!("{bad:?}"));
        assert_eq!(found.bad_timing, None);
    }
}
