//! Detects single bytes written ahead of the data.
//!
//! Some clients repeatedly announce the future size of a file: they write one byte far beyond its end,
//! and fill the gap with data afterwards. A server that allocates a separate block for each such byte
//! produces a file with thousands of extents: on ext3 in 2009, 49,986 instead of 26; today on XFS, one
//! extent per 64 KiB. A single write far beyond the end makes servers stall that fill gaps with zeros.
//!
//! The memory is bounded: a few thousand files, and a million bytes that wait to be overwritten.

use std::collections::{BTreeSet, HashMap};

use reelgauge_record::{OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use crate::figures::{seconds, us};

/// Files that are tracked, at most.
const MAX_FILES: usize = 4096;
/// Single bytes that wait to be overwritten, in all files together.
const MAX_WAITING: usize = 1 << 20;
/// Different distances between them that are counted for one file, at most.
const MAX_SPACINGS: usize = 64;
/// Files that are reported, at most.
const REPORTED_MAX: usize = 20;
/// This many single bytes are a pattern.
const PATTERN: u64 = 8;
/// A write that begins this far beyond the end is a far write.
const FAR_BYTES: u64 = 64 << 20;

/// Single bytes that were written beyond the end of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Hints {
    /// The file.
    pub path: String,
    /// Single bytes written beyond the end.
    pub hints: u64,
    /// How many of them were overwritten by data later.
    pub overwritten: u64,
    /// The most frequent distance between two of them; `None` with only one.
    pub spacing_bytes: Option<u64>,
    /// The largest distance ahead of the data.
    pub ahead_bytes: u64,
    /// When the first was written.
    pub first_at_s: f64,
}

impl Hints {
    /// Whether this is the pattern: many, and at least half of them overwritten.
    pub fn is_pattern(&self) -> bool {
        self.hints >= PATTERN && self.overwritten * 2 >= self.hints
    }
}

/// Writes that began far beyond the end of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FarWrites {
    /// The file.
    pub path: String,
    /// The number of such writes.
    pub writes: u64,
    /// The largest distance from the end.
    pub gap_bytes: u64,
    /// The longest time of such a write.
    pub max_service_us: f64,
}

/// The state of a file with single bytes beyond its end.
#[derive(Clone, Debug)]
struct HintFile {
    hints: u64,
    overwritten: u64,
    waiting: BTreeSet<u64>,
    /// The end of the data, not counting single bytes.
    data_end: u64,
    last: Option<u64>,
    spacings: HashMap<u64, u64>,
    ahead: u64,
    first_ns: u64,
}

/// Takes operations in order of issue.
#[derive(Clone, Debug, Default)]
pub struct HintDetector {
    files: HashMap<u32, HintFile>,
    far: HashMap<u32, (u64, u64, u64)>,
    waiting: usize,
}

impl HintDetector {
    /// Takes an operation on a file whose end so far was at `end_before`. If its size `known_end` is
    /// `None`, no write is known to be far beyond its end.
    pub fn add(&mut self, op: &OpRecord, end_before: u64, known_end: Option<u64>) {
        if op.kind != OpKind::Write || op.errno != 0 || op.done_len == 0 {
            return;
        }
        if op.done_len == 1 && op.offset > end_before {
            self.hint(op, end_before);
            return;
        }
        if let Some(gap) =
            known_end.and_then(|end| op.offset.checked_sub(end)).filter(|gap| *gap >= FAR_BYTES)
        {
            self.far_write(op, gap);
        }
        if let Some(file) = self.files.get_mut(&op.file) {
            let before = file.waiting.len();
            file.data(op);
            self.waiting -= before - file.waiting.len();
        }
    }

    fn hint(&mut self, op: &OpRecord, end_before: u64) {
        if self.files.len() >= MAX_FILES && !self.files.contains_key(&op.file) {
            return;
        }
        let file = self.files.entry(op.file).or_insert_with(|| HintFile::new(end_before, op.issued_ns));
        file.hints += 1;
        // A hint within the data is not ahead of it.
        file.ahead = file.ahead.max(op.offset.saturating_sub(file.data_end));
        if let Some(last) = file.last.replace(op.offset) {
            let spacing = op.offset.abs_diff(last);
            if file.spacings.len() < MAX_SPACINGS || file.spacings.contains_key(&spacing) {
                *file.spacings.entry(spacing).or_default() += 1;
            }
        }
        if self.waiting < MAX_WAITING && file.waiting.insert(op.offset) {
            self.waiting += 1;
        }
    }

    fn far_write(&mut self, op: &OpRecord, gap: u64) {
        if self.far.len() < MAX_FILES || self.far.contains_key(&op.file) {
            let (writes, furthest, longest_ns) = self.far.entry(op.file).or_default();
            *writes += 1;
            *furthest = (*furthest).max(gap);
            *longest_ns = (*longest_ns).max(op.service_ns());
        }
    }

    /// The files with single bytes beyond their end, those with the most first.
    pub fn figures(&self, name: impl Fn(u32) -> String) -> Vec<Hints> {
        let mut files: Vec<(&u32, &HintFile)> = self.files.iter().collect();
        files.sort_by_key(|(number, file)| (std::cmp::Reverse(file.hints), **number));
        files.truncate(REPORTED_MAX);
        let told = files.into_iter().map(|(&number, file)| Hints {
            path: name(number),
            hints: file.hints,
            overwritten: file.overwritten,
            spacing_bytes: file.spacing(),
            ahead_bytes: file.ahead,
            first_at_s: seconds(file.first_ns),
        });
        told.collect()
    }

    /// The files with writes far beyond their end, the farthest first.
    pub fn far_writes(&self, name: impl Fn(u32) -> String) -> Vec<FarWrites> {
        let mut files: Vec<_> = self.far.iter().collect();
        files.sort_by_key(|(number, (_, gap, _))| (std::cmp::Reverse(*gap), **number));
        files.truncate(REPORTED_MAX);
        let told = files.into_iter().map(|(&number, &(writes, gap_bytes, longest_ns))| FarWrites {
            path: name(number),
            writes,
            gap_bytes,
            max_service_us: us(longest_ns),
        });
        told.collect()
    }
}

impl HintFile {
    fn new(data_end: u64, first_ns: u64) -> HintFile {
        HintFile {
            hints: 0,
            overwritten: 0,
            waiting: BTreeSet::new(),
            data_end,
            last: None,
            spacings: HashMap::new(),
            ahead: 0,
            first_ns,
        }
    }

    /// Takes a data write: the single bytes in its range are overwritten.
    fn data(&mut self, op: &OpRecord) {
        let end = op.end_offset();
        self.data_end = self.data_end.max(end);
        while let Some(&below) = self.waiting.range(op.offset..end).next() {
            self.waiting.remove(&below);
            self.overwritten += 1;
        }
    }

    fn spacing(&self) -> Option<u64> {
        let most = self.spacings.iter().max_by_key(|&(spacing, count)| (count, std::cmp::Reverse(spacing)));
        most.map(|(spacing, _)| *spacing)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::test_records::write;

    use super::*;
    use crate::trace_stats::{Period, TraceStats};

    const KIB: u64 = 1 << 10;
    const MIB: u64 = 1 << 20;

    fn found(ops: &[OpRecord]) -> (Vec<Hints>, Vec<FarWrites>) {
        let mut stats = TraceStats::new([0; 2], Period::WHOLE);
        ops.iter().for_each(|op| stats.add(op));
        let name = |file| format!("f{file}");
        (stats.hints().figures(name), stats.hints().far_writes(name))
    }

    /// 64 KiB at a time, and single bytes every 128 KiB up to 1 MiB ahead.
    fn hinted(total: u64) -> Vec<OpRecord> {
        let (mut ops, mut hint) = (Vec::new(), 128 * KIB);
        for at in (0..total).step_by(64 << 10) {
            while hint <= at + MIB && hint < total {
                ops.push(write(1, hint, 1));
                hint += 128 * KIB;
            }
            ops.push(write(1, at, 64 << 10));
        }
        ops
    }

    #[test]
    fn single_bytes_ahead_that_are_overwritten_are_the_pattern() {
        let (hints, far) = found(&hinted(4 * MIB));
        let file = &hints[0];
        assert_eq!((file.path.as_str(), file.hints, file.overwritten), ("f1", 31, 31));
        assert_eq!((file.spacing_bytes, file.ahead_bytes), (Some(128 * KIB), MIB));
        assert!(file.is_pattern() && far.is_empty());
    }

    #[test]
    fn bytes_never_overwritten_or_appended_singly_are_no_pattern() {
        let sparse: Vec<OpRecord> = (1..50).map(|at| write(0, at * MIB, 1)).collect();
        let (hints, _) = found(&sparse);
        assert_eq!((hints[0].hints, hints[0].overwritten), (49, 0));
        assert!(!hints[0].is_pattern());
        let appended: Vec<OpRecord> = (0..50).map(|at| write(0, at, 1)).collect();
        assert_eq!(found(&appended).0, []);
    }

    #[test]
    fn write_far_beyond_the_end_is_reported_with_its_time() {
        let far = OpRecord { issued_ns: 5, done_ns: 1_500_000_005, ..write(0, 4096 + (1 << 30), 1024) };
        let (hints, far) = found(&[write(0, 0, 4096), far]);
        assert_eq!(hints, []);
        assert_eq!((far[0].writes, far[0].gap_bytes, far[0].max_service_us), (1, 1 << 30, 1_500_000.0));
    }

    #[test]
    fn write_with_unknown_file_size_is_not_far_beyond_the_end() {
        let far_in = |size_before: Option<u64>, ops: &[OpRecord]| {
            let mut stats = TraceStats::new([size_before], Period::WHOLE);
            ops.iter().for_each(|op| stats.add(op));
            stats.hints().far_writes(|file| format!("f{file}"))
        };
        // A file that was opened earlier: its end is unknown.
        let appended = write(0, 5 << 30, 4096);
        assert_eq!(far_in(None, &[appended]), []);
        assert_eq!(
            far_in(None, &[write(0, 0, 4096), appended]),
            [],
            "its first block says nothing of its end"
        );
        assert_eq!(far_in(Some(5 << 30), &[appended]), []);
        assert_eq!(far_in(Some(4096), &[appended])[0].gap_bytes, (5 << 30) - 4096);
        let cut = OpRecord { kind: OpKind::Truncate, offset: 1 << 20, len: 0, ..appended };
        assert_eq!(far_in(None, &[cut, appended])[0].gap_bytes, (5 << 30) - (1 << 20));
    }

    #[test]
    fn memory_is_bounded() {
        let mut detector = HintDetector::default();
        for file in 0..10_000 {
            (1..200).for_each(|at| detector.add(&write(file, at * MIB, 1), 0, Some(0)));
        }
        let held: usize = detector.files.values().map(|file| file.waiting.len()).sum();
        assert!(detector.files.len() <= MAX_FILES && held <= MAX_WAITING && held == detector.waiting);
        assert_eq!(detector.figures(|file| file.to_string()).len(), REPORTED_MAX);
    }
}
