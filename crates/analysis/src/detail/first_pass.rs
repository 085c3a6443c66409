//! The first pass over a log: everything that can be counted in any order, and what the second pass
//! needs.

use reelgauge_record::{OpFlags, OpRecord};

use super::curves::Curves;
use super::data::Measure;
use super::files::FilesSeen;
use super::hosts::{HostParts, parts_of};
use super::sizes::SizeTally;
use super::strips::{JudgedPoint, StreamsTally};
use crate::hosts::RunHost;
use crate::operation_list::{SortBy, TopOps};

/// The slowest operations that are listed, at most.
const MAX_WORST: usize = 500;

/// Takes every operation of a log; if the log has streams, in the order in which it was logged.
#[derive(Debug)]
pub struct FirstPass {
    pub(super) measure: Measure,
    pub(super) ops: u64,
    /// From the first operation's issue to the last one's end, with the warm-up.
    pub(super) span: Option<(u64, u64)>,
    /// Size of each file before, by number.
    pub(super) sizes_before: Vec<u64>,
    pub(super) files: FilesSeen,
    pub(super) curves: Curves,
    pub(super) sizes: SizeTally,
    pub(super) worst: TopOps,
    pub(super) streams: StreamsTally,
    pub(super) is_cut_short: bool,
    pub(super) hosts: Vec<HostParts>,
}

impl FirstPass {
    /// For a log whose file table has these sizes (0 if a size is unknown).
    pub fn new(measure: Measure, sizes_before: Vec<u64>) -> FirstPass {
        let by = match measure {
            Measure::Response => SortBy::Response,
            Measure::Service => SortBy::Service,
        };
        FirstPass {
            measure,
            ops: 0,
            span: None,
            files: FilesSeen::new(sizes_before.len()),
            sizes_before,
            curves: Curves::new(measure),
            sizes: SizeTally::new(),
            worst: TopOps::new(by, MAX_WORST),
            streams: StreamsTally::new(Vec::new(), &[]),
            is_cut_short: false,
            hosts: Vec::new(),
        }
    }

    /// For a run that these hosts made.
    #[must_use]
    pub fn of_hosts(mut self, hosts: &[RunHost]) -> FirstPass {
        self.hosts = parts_of(hosts);
        self
    }

    /// Adds the streams of these load points, after [`FirstPass::of_hosts`]. If the log is cut short
    /// (the run was killed), operations in flight at its end are unknown.
    #[must_use]
    pub fn judging(mut self, points: Vec<JudgedPoint>, is_cut_short: bool) -> FirstPass {
        self.streams = StreamsTally::new(points, &self.hosts);
        self.is_cut_short = is_cut_short;
        self
    }

    #[inline]
    pub fn add(&mut self, op: &OpRecord) {
        self.ops += 1;
        let (first_ns, last_ns) = self.span.unwrap_or((op.issued_ns, op.done_ns));
        self.span = Some((first_ns.min(op.issued_ns), last_ns.max(op.done_ns)));
        self.streams.add(op);
        if op.flags.has(OpFlags::WARMUP) {
            return;
        }
        self.files.add(op);
        self.worst.add(*op);
        if op.errno == 0 {
            self.curves.add(op);
            if op.kind.moves_data() {
                self.sizes.add(op);
            }
        }
    }
}
