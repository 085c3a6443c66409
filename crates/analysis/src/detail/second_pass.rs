//! The second pass over a log: everything that needs the length of the log, the files that matter, and
//! the order of issue.

use std::collections::BTreeSet;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::data::{Detail, OpColumns, OverTime, TimeAxis};
use super::files::RowTally;
use super::first_pass::FirstPass;
use super::hosts::HostsTally;
use super::latency::{LatencyTally, MAX_CELLS};
use super::map::Maps;
use super::names::names;
use crate::trace_stats::over_time::TimeBins;

/// Bins of time, at most.
const MAX_BINS: u64 = 1_200;
/// Logs with at most this many operations are listed completely; of longer logs, this many operations
/// are listed.
const LISTED_WHOLE: u64 = 20_000;
const LISTED_OF_MANY: usize = 2_000;

/// Takes every operation again, in order of issue (see [`InOrder`](crate::in_order::InOrder)).
#[derive(Debug)]
pub struct SecondPass {
    first: FirstPass,
    time: TimeBins,
    over_time: Vec<Bin>,
    latency: LatencyTally,
    hosts: HostsTally,
    rows: RowTally,
    maps: Maps,
    listed: OpColumns,
    to_list: usize,
}

/// The results of one bin of time.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    ops: u64,
    failed: u64,
    warmup: u64,
    read_bytes: u64,
    written_bytes: u64,
}

impl FirstPass {
    /// Ends the first pass and starts the second one.
    pub fn second(self) -> SecondPass {
        SecondPass::new(self)
    }
}

impl SecondPass {
    pub(super) fn new(first: FirstPass) -> SecondPass {
        // A log without operations has a time axis from 0 to 0.
        let span = first.span.unwrap_or_default();
        let time = TimeBins::over(span, MAX_BINS);
        let size_before = |file: u32| first.sizes_before.get(file as usize).copied().unwrap_or(0);
        let of = |file: u32| Some((first.files.get(file)?, size_before(file)));
        SecondPass {
            time,
            over_time: vec![Bin::default(); time.count],
            latency: LatencyTally::new(time.count),
            hosts: HostsTally::new(&first.hosts, span),
            rows: first.files.rows(),
            maps: Maps::new(&first.files.mapped(), span, of),
            listed: OpColumns::default(),
            to_list: if first.ops <= LISTED_WHOLE { first.ops as usize } else { LISTED_OF_MANY },
            first,
        }
    }

    #[inline]
    pub fn add(&mut self, op: &OpRecord) {
        let is_warmup = op.flags.has(OpFlags::WARMUP);
        let at = self.time.bin(op.done_ns);
        self.over_time[at].add(op, is_warmup);
        self.rows.add(op, !is_warmup);
        self.hosts.add(op, self.first.measure.of(op), is_warmup);
        if op.kind.moves_data() && op.errno == 0 && !is_warmup {
            self.latency.add(at, op.kind == OpKind::Write, self.first.measure.of(op));
            if op.done_len > 0 {
                self.maps.add(op);
            }
        }
        if self.to_list > 0 {
            self.to_list -= 1;
            self.listed.push(op, self.first.files.len());
        }
    }

    /// The complete detail. `name` returns a file's name, if it has one.
    pub fn detail(mut self, name: impl Fn(u32) -> Option<String>) -> Detail {
        self.make_room();
        let first = self.first;
        let files = self.rows.figures();
        let maps = self.maps.figures();
        let mut worst = OpColumns::default();
        first.worst.into_ops().iter().for_each(|op| worst.push(op, first.files.len()));
        let end_ns = match (first.is_cut_short, first.span) {
            (true, Some((_, last_ns))) => last_ns,
            _ => u64::MAX,
        };
        let mut named: BTreeSet<u32> = worst.files().chain(self.listed.files()).collect();
        named.extend(&files.file);
        named.extend(maps.iter().map(|map| map.file));
        Detail {
            ops: first.ops,
            measure: first.measure,
            time: TimeAxis::of(self.time),
            over_time: over_time(&self.over_time),
            latency: self.latency.figures(),
            percentiles: first.curves.figures(),
            sizes: first.sizes.figures(),
            worst,
            listed_all: first.ops == self.listed.kind.len() as u64,
            listed: self.listed,
            file_names: names(&named, name),
            files,
            maps,
            streams: first.streams.finish(end_ns),
            hosts: self.hosts.figures(),
        }
    }

    /// Makes the bins of time wider until the latency grid fits into a page.
    fn make_room(&mut self) {
        while self.latency.cells() > MAX_CELLS && self.time.count > 1 {
            self.latency.halve();
            self.time = self.time.halved();
            let merged = self.over_time.chunks(2).map(|pair| pair.iter().fold(Bin::default(), Bin::plus));
            self.over_time = merged.collect();
        }
    }
}

impl Bin {
    fn add(&mut self, op: &OpRecord, is_warmup: bool) {
        self.ops += 1;
        self.warmup += u64::from(is_warmup);
        let bytes = u64::from(op.done_len);
        match op.kind {
            _ if op.errno != 0 => self.failed += 1,
            OpKind::Read => self.read_bytes += bytes,
            OpKind::Write => self.written_bytes += bytes,
            _ => {}
        }
    }

    fn plus(self, other: &Bin) -> Bin {
        Bin {
            ops: self.ops + other.ops,
            failed: self.failed + other.failed,
            warmup: self.warmup + other.warmup,
            read_bytes: self.read_bytes + other.read_bytes,
            written_bytes: self.written_bytes + other.written_bytes,
        }
    }
}

fn over_time(bins: &[Bin]) -> OverTime {
    OverTime {
        ops: bins.iter().map(|bin| bin.ops).collect(),
        failed_ops: bins.iter().map(|bin| bin.failed).collect(),
        warmup_ops: bins.iter().map(|bin| bin.warmup).collect(),
        read_bytes: bins.iter().map(|bin| bin.read_bytes).collect(),
        written_bytes: bins.iter().map(|bin| bin.written_bytes).collect(),
    }
}
