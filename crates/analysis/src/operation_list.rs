//! Selects the operations of a log that are listed, and sorts them.
//!
//! A log may have a billion operations, so only the operations that will be shown are kept. Not here:
//! the format of a line.

use std::collections::BinaryHeap;

use reelgauge_record::{OpKind, OpRecord};

use crate::trace_stats::Period;

/// Selects the operations that meet all of these conditions.
#[derive(Clone, Debug)]
pub struct OpFilter {
    /// Issued in this period.
    pub period: Period,
    /// By file number, whether the file is selected; `None` for every file, including those without a
    /// name.
    pub files: Option<Vec<bool>>,
    /// Of these kinds; of every kind if empty.
    pub kinds: Vec<OpKind>,
    /// With at least this service time.
    pub min_service_ns: u64,
    /// Only those that failed.
    pub errors: bool,
    /// Only of this stream.
    pub stream: Option<u32>,
}

impl Default for OpFilter {
    fn default() -> OpFilter {
        OpFilter {
            period: Period::WHOLE,
            files: None,
            kinds: Vec::new(),
            min_service_ns: 0,
            errors: false,
            stream: None,
        }
    }
}

impl OpFilter {
    /// Whether the operation is listed. A rename is listed if its old or its new name is selected.
    pub fn holds(&self, op: &OpRecord) -> bool {
        self.period.holds(op)
            && (self.kinds.is_empty() || self.kinds.contains(&op.kind))
            && op.service_ns() >= self.min_service_ns
            && (!self.errors || op.errno != 0)
            && self.stream.is_none_or(|stream| stream == op.stream)
            && self.wants_file(op)
    }

    /// Whether no operation from this time on can be listed, in a log in order of issue.
    pub fn is_over(&self, op: &OpRecord) -> bool {
        op.issued_ns >= self.period.to_ns && !self.period.holds(op)
    }

    fn wants_file(&self, op: &OpRecord) -> bool {
        let Some(files) = &self.files else { return true };
        let wants = |file: u64| usize::try_from(file).ok().and_then(|file| files.get(file)) == Some(&true);
        wants(u64::from(op.file)) || (op.kind.names_two() && wants(op.offset))
    }
}

/// The order of a listing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "flags", derive(clap::ValueEnum))]
pub enum SortBy {
    /// Issue time, earliest first
    #[default]
    Issued,
    /// Service time of the storage, longest first
    Service,
    /// Response time since the operation was due, longest first
    Response,
    /// Size, largest first; operations without data last
    Size,
    /// File offset, lowest first
    Offset,
}

impl SortBy {
    /// The sort key: smaller values come first.
    fn key(self, op: &OpRecord) -> u64 {
        match self {
            SortBy::Issued => op.issued_ns,
            SortBy::Service => u64::MAX - op.service_ns(),
            SortBy::Response => u64::MAX - op.response_ns(),
            SortBy::Size if op.kind.moves_data() => u64::MAX - u64::from(op.done_len),
            SortBy::Size => u64::MAX,
            SortBy::Offset => op.offset,
        }
    }
}

/// Keeps the first of many operations in some order; equal ones keep their order.
#[derive(Debug)]
pub struct TopOps {
    sort: SortBy,
    limit: usize,
    arrived: u64,
    kept: BinaryHeap<Kept>,
    left_out: u64,
}

impl TopOps {
    /// Keeps this many.
    pub fn new(sort: SortBy, limit: usize) -> TopOps {
        TopOps { sort, limit, arrived: 0, kept: BinaryHeap::new(), left_out: 0 }
    }

    pub fn add(&mut self, op: OpRecord) {
        let kept = Kept { key: self.sort.key(&op), arrived: self.arrived, op };
        self.arrived += 1;
        if self.kept.len() < self.limit {
            self.kept.push(kept);
            return;
        }
        self.left_out += 1;
        if self.kept.peek().is_some_and(|last| kept < *last) {
            self.kept.pop();
            self.kept.push(kept);
        }
    }

    /// How many operations were not kept.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// The kept operations, in order.
    pub fn into_ops(self) -> Vec<OpRecord> {
        self.kept.into_sorted_vec().into_iter().map(|kept| kept.op).collect()
    }
}

/// An operation with its position; the top of the heap is the last of the kept ones.
#[derive(Debug)]
struct Kept {
    key: u64,
    arrived: u64,
    op: OpRecord,
}

impl Kept {
    fn place(&self) -> (u64, u64) {
        (self.key, self.arrived)
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Kept) -> bool {
        self.place() == other.place()
    }
}

impl Eq for Kept {}

impl PartialOrd for Kept {
    fn partial_cmp(&self, other: &Kept) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Kept {
    fn cmp(&self, other: &Kept) -> std::cmp::Ordering {
        self.place().cmp(&other.place())
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_record::test_records::{read, write};

    use super::*;
    use crate::trace_stats::tests::spaced;

    #[test]
    fn every_condition_must_hold() {
        let op = OpRecord { issued_ns: 50, done_ns: 90, stream: 3, ..write(1, 0, 10) };
        let all = OpFilter {
            period: Period { from_ns: 50, to_ns: 51 },
            files: Some(vec![false, true]),
            kinds: vec![OpKind::Read, OpKind::Write],
            min_service_ns: 40,
            errors: false,
            stream: Some(3),
        };
        assert!(all.holds(&op) && OpFilter::default().holds(&op));
        let late = OpFilter { period: Period { from_ns: 51, to_ns: 99 }, ..all.clone() };
        let other_file = OpFilter { files: Some(vec![true, false]), ..all.clone() };
        let other_kind = OpFilter { kinds: vec![OpKind::Open], ..all.clone() };
        let slower = OpFilter { min_service_ns: 41, ..all.clone() };
        let failed = OpFilter { errors: true, ..all.clone() };
        let other_stream = OpFilter { stream: Some(0), ..all.clone() };
        for filter in [late, other_file, other_kind, slower, failed, other_stream] {
            assert!(!filter.holds(&op), "{filter:?}");
        }
        assert!(all.is_over(&OpRecord { issued_ns: 51, ..op }) && !all.is_over(&op));
        assert!(!OpFilter::default().is_over(&OpRecord { issued_ns: u64::MAX, ..op }));
    }

    #[test]
    fn a_rename_is_found_by_both_names() {
        let rename = OpRecord { kind: OpKind::Rename, ..read(0, 1, 0) };
        let filter = |files: [bool; 3]| OpFilter { files: Some(files.to_vec()), ..OpFilter::default() };
        assert!(filter([true, false, false]).holds(&rename));
        assert!(filter([false, true, false]).holds(&rename));
        assert!(!filter([false, false, true]).holds(&rename));
        assert!(!filter([true; 3]).holds(&OpRecord { file: u32::MAX, ..read(0, 0, 0) }));
    }

    #[test]
    fn the_first_in_each_order_are_kept() {
        let ops = spaced([read(0, 30, 5), write(0, 10, 9), read(0, 20, 9), read(0, 0, 1)]);
        let ops = ops.into_iter().zip([3, 1, 2, 3]).map(|(op, ms)| {
            let done_ns = op.issued_ns + ms * 1_000_000;
            OpRecord { done_ns, ..op }
        });
        let ops: Vec<OpRecord> = ops.chain([OpRecord { kind: OpKind::Open, ..read(0, 99, 255) }]).collect();
        let top = |sort: SortBy| {
            let mut top = TopOps::new(sort, 2);
            ops.iter().for_each(|op| top.add(*op));
            assert_eq!(top.left_out(), 3);
            top.into_ops().iter().map(|op| op.offset).collect::<Vec<_>>()
        };
        assert_eq!(top(SortBy::Service), [30, 0]);
        assert_eq!(top(SortBy::Response), [30, 0]);
        assert_eq!(top(SortBy::Size), [10, 20]);
        assert_eq!(top(SortBy::Offset), [0, 10]);
        assert_eq!(top(SortBy::Issued), [30, 99]);
    }
}
