//! What a replay found: how long every pass took, how well its timing was kept, what turned out differently
//! from what was recorded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// More than 1 of 100 operations begun later than this by the tool, and the timing of a replay was not good
/// enough.
pub const LATENESS_MAX_US: f64 = 1_000.0;
/// A replay that takes so much longer or shorter than the recording was not timed well enough, in percent …
pub const SPAN_OFF_MAX_PERCENT: f64 = 1.0;
/// … unless that is less than this, which the last operation alone may make up.
pub const SPAN_OFF_MIN_S: f64 = 0.01;

/// A replay, beside the figures of its load points.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReplayFacts {
    /// What the trace is called.
    pub trace: String,
    /// Where it lies.
    pub trace_path: String,
    /// How it came about; empty for a run.
    pub made_by: String,
    /// Whether it was made from statistics, and records nobody.
    pub synthetic: bool,
    /// Operations of one user in one pass.
    pub ops: u64,
    /// Threads that were recorded.
    pub threads: u32,
    /// Users at once.
    pub copies: u32,
    /// `recorded`, `think`, `max`, `fixed:5ms`.
    pub pace: String,
    /// `serial`, `streams`, `resources`.
    pub order: String,
    /// How long one pass should take; `None` where the pace doesn't say.
    pub expected_span_s: Option<f64>,
    /// Files that were prepared for one pass.
    pub prepared_files: u64,
    /// Bytes of these.
    pub prepared_bytes: u64,
    /// How files were made: `auto`, `copy`, `stream`.
    pub layout: String,
    /// Operations of the trace that were not replayed, by reason.
    pub left_out: BTreeMap<String, u64>,
    /// What is assumed, and what is replayed otherwise than it was recorded, in sentences.
    pub remarks: Vec<String>,
    /// The passes, in the order in which they ran.
    pub passes: Vec<ReplayPass>,
    /// Files that a pass wrote with gaps, or that lay in many pieces afterwards, where the file system tells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub written_pieces: Vec<WrittenPieces>,
    /// The median of all passes.
    pub median_bytes_per_s: Option<f64>,
    /// Why the timing was not good enough; `None` where it was, or where it is free.
    pub bad_timing: Option<String>,
}

/// From so many pieces on, of less than so many bytes, a file lies in many.
const MANY_PIECES: u64 = 16;
const SMALL_PIECE_BYTES: u64 = 4 << 20;

/// A file that a pass of a replay wrote, and the pieces that it lies in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct WrittenPieces {
    /// Index of the load point of the pass.
    pub point: u16,
    /// Its name in the trace.
    pub file: String,
    /// Bytes.
    pub size_bytes: u64,
    /// Pieces.
    pub pieces: u64,
    /// Bytes of a piece, on average.
    pub piece_bytes: u64,
}

impl WrittenPieces {
    /// Whether that is worth saying: many pieces, too small for a disk to reach its rate between two of them.
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
    /// From when the first operation was due to the end of the last one.
    pub span_s: f64,
    /// Bytes read and written.
    pub bytes: u64,
    /// Both divided.
    pub bytes_per_s: Option<f64>,
    /// Half of the operations began no later than this after they were due, and what they waited for was
    /// done.
    pub lateness_p50_us: Option<f64>,
    /// 99 of 100.
    pub lateness_p99_us: Option<f64>,
    /// All.
    pub lateness_max_us: Option<f64>,
    /// Operations that were done.
    pub done_ops: u64,
    /// Of these, how many could not begin when they were due, because one before them was not done.
    pub held_up_ops: u64,
    /// The longest of these waits.
    pub held_up_max_us: f64,
    /// Operations that began more than a millisecond late through the tool: because it came late to them, or
    /// to one that they had to wait for.
    #[serde(default)]
    pub begun_late_ops: u64,
    /// Operations that came to something else than when they were recorded.
    pub different_ops: u64,
    /// The first of these, in words.
    pub differences: Vec<String>,
}

/// Why the timing of a pass was not good enough, not yet in words. At least one of the first two is there.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BadTiming {
    /// Operations that began later than [`LATENESS_MAX_US`] through the tool, where that is more than 1 of
    /// 100.
    pub begun_late_ops: Option<u64>,
    /// How long the pass took, where that is too far from what was recorded.
    pub span_off: Option<SpanOff>,
    /// Operations that were done.
    pub done_ops: u64,
    /// Of these, how many had to wait for one before them.
    pub held_up_ops: u64,
    /// The longest of these waits.
    pub held_up_max_us: f64,
}

/// A pass that took another time than was recorded.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpanOff {
    /// What it took.
    pub took_s: f64,
    /// What was recorded.
    pub recorded_s: f64,
}

impl ReplayFacts {
    /// Fills in what follows from the passes: the median, and the judgement on the timing with its sentence.
    pub fn conclude(&mut self, in_words: impl Fn(&BadTiming) -> String) {
        let complete = self.passes.iter().filter(|pass| pass.complete);
        let mut rates: Vec<f64> = complete.filter_map(|pass| pass.bytes_per_s).collect();
        rates.sort_by(f64::total_cmp);
        self.median_bytes_per_s = median(&rates);
        let bad_timing = self.passes.iter().find_map(|pass| self.bad_timing_of(pass));
        self.bad_timing = bad_timing.map(|bad| in_words(&bad));
    }

    /// What was wrong with the timing of a pass. As fast as possible can't be late.
    fn bad_timing_of(&self, pass: &ReplayPass) -> Option<BadTiming> {
        if self.pace == "max" {
            return None;
        }
        let begun_late_ops = Some(pass.begun_late_ops).filter(|late_ops| late_ops * 100 > pass.done_ops);
        let span_off = self.expected_span_s.filter(|_| pass.complete).and_then(|recorded_s| {
            let off_s = (pass.span_s - recorded_s).abs();
            let is_off = off_s > SPAN_OFF_MIN_S && off_s > recorded_s * SPAN_OFF_MAX_PERCENT / 100.0;
            is_off.then_some(SpanOff { took_s: pass.span_s, recorded_s })
        });
        (begun_late_ops.is_some() || span_off.is_some()).then_some(BadTiming {
            begun_late_ops,
            span_off,
            done_ops: pass.done_ops,
            held_up_ops: pass.held_up_ops,
            held_up_max_us: pass.held_up_max_us,
        })
    }
}

/// The middle of values in order.
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
    fn bad_timing_is_found_with_its_cause() {
        assert_eq!(bad_timing(&pass(1.0)), None);
        assert_eq!(bad_timing(&ReplayPass { begun_late_ops: 1, ..pass(1.0) }), None);
        let late = ReplayPass { begun_late_ops: 2, ..pass(1.0) };
        let found = bad_timing(&late).unwrap();
        assert_eq!((found.begun_late_ops, found.span_off, found.held_up_ops), (Some(2), None, 0));
        let slow = ReplayPass { span_s: 10.2, held_up_ops: 7, held_up_max_us: 3_000.0, ..pass(1.0) };
        let found = bad_timing(&slow).unwrap();
        assert_eq!(found.begun_late_ops, None);
        assert_eq!(found.span_off, Some(SpanOff { took_s: 10.2, recorded_s: 10.0 }));
        assert_eq!((found.held_up_ops, found.done_ops, found.held_up_max_us), (7, 100, 3_000.0));
        assert_eq!(bad_timing(&ReplayPass { span_s: 10.09, ..pass(1.0) }), None);
        assert_eq!(bad_timing(&ReplayPass { complete: false, ..slow }), None);
    }

    #[test]
    fn the_first_bad_pass_is_told_and_as_fast_as_possible_is_never_late() {
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
