//! What a replay found: how long every pass took, how well its timing was kept, what turned out differently
//! from what was recorded.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// More than 1 of 100 operations later than this, and the timing of a replay was not good enough.
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
    /// Half of the operations began no later than this after they were due.
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
    /// Operations that came to something else than when they were recorded.
    pub different_ops: u64,
    /// The first of these, in words.
    pub differences: Vec<String>,
}

impl ReplayFacts {
    /// Fills in what follows from the passes: the median and the judgement on the timing.
    pub fn conclude(&mut self) {
        let complete = self.passes.iter().filter(|pass| pass.complete);
        let mut rates: Vec<f64> = complete.filter_map(|pass| pass.bytes_per_s).collect();
        rates.sort_by(f64::total_cmp);
        self.median_bytes_per_s = median(&rates);
        self.bad_timing = self.passes.iter().find_map(|pass| self.bad_timing_of(pass));
    }

    /// What was wrong with the timing of a pass. As fast as possible can't be late.
    fn bad_timing_of(&self, pass: &ReplayPass) -> Option<String> {
        if self.pace == "max" {
            return None;
        }
        let mut faults = Vec::new();
        if let Some(p99_us) = pass.lateness_p99_us.filter(|&p99_us| p99_us > LATENESS_MAX_US) {
            faults.push(format!("1 of 100 operations began {:.1} ms late or more", p99_us / 1e3));
        }
        let off = self.expected_span_s.map(|expected_s| (expected_s, pass.span_s - expected_s));
        if let Some((expected_s, off_s)) = off.filter(|_| pass.complete)
            && off_s.abs() > SPAN_OFF_MIN_S
            && off_s.abs() > expected_s * SPAN_OFF_MAX_PERCENT / 100.0
        {
            faults.push(format!("it took {:.2} s instead of the {expected_s:.2} s recorded", pass.span_s));
        }
        if faults.is_empty() {
            return None;
        }
        let cause = match pass.held_up_ops {
            0 => "No operation had to wait for another, so this machine was too busy to keep the time"
                .to_owned(),
            held_up_ops => format!(
                "{held_up_ops} of {} operations had to wait for one before them (up to {:.1} ms): the storage is \
                 slower than the recorded one, or this machine was too busy",
                pass.done_ops,
                pass.held_up_max_us / 1e3
            ),
        };
        Some(format!("The timing was not good enough: {}. {cause}.", faults.join(", and ")))
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
        facts.conclude();
        facts
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
    fn bad_timing_is_told_with_its_cause() {
        assert_eq!(facts(vec![pass(1.0)]).bad_timing, None);
        let late = ReplayPass { lateness_p99_us: Some(2_500.0), ..pass(1.0) };
        let said = facts(vec![pass(1.0), late.clone()]).bad_timing.unwrap();
        assert!(said.contains("2.5 ms late") && said.contains("too busy to keep the time"), "{said}");
        let slow = ReplayPass { span_s: 10.2, held_up_ops: 7, held_up_max_us: 3_000.0, ..pass(1.0) };
        let said = facts(vec![slow]).bad_timing.unwrap();
        assert!(
            said.contains("took 10.20 s instead of the 10.00 s recorded")
                && said.contains("7 of 100 operations had to wait"),
            "{said}"
        );
        assert_eq!(facts(vec![ReplayPass { span_s: 10.09, ..pass(1.0) }]).bad_timing, None);
        let mut free = facts(vec![late]);
        "max".clone_into(&mut free.pace);
        free.conclude();
        assert_eq!(free.bad_timing, None);
    }
}
