//! The hosts of a run over time: what each of them transferred, and its slowest response.

use std::ops::Range;

use reelgauge_record::{OpKind, OpRecord};

use super::Decimal;
use super::data::{HostOverTime, HostsOverTime, TimeAxis};
use crate::hosts::RunHost;
use crate::trace_stats::over_time::TimeBins;

/// Hosts with figures over time, at most.
const MAX_HOSTS: usize = 64;
/// Bins of one host: never more, and fewer only with dozens of hosts.
const MAX_BINS: usize = 300;
/// Bins of all hosts together.
const ALL_BINS: usize = 6_000;

/// Which workers and streams belong to a host.
#[derive(Clone, Debug)]
pub(super) struct HostParts {
    workers: Range<u32>,
    pub(super) streams: Range<u32>,
}

/// The workers and streams of each host; empty if one host made the run, because its figures are those
/// of the run.
pub(super) fn parts_of(hosts: &[RunHost]) -> Vec<HostParts> {
    // Both numbers are read from a file.
    let range = |first: u32, count: u32| first..first.saturating_add(count);
    let part = |host: &RunHost| HostParts {
        workers: range(host.first_worker, host.workers),
        streams: range(host.first_stream, host.streams),
    };
    match hosts.len() {
        0 | 1 => Vec::new(),
        _ => hosts.iter().take(MAX_HOSTS).map(part).collect(),
    }
}

/// Takes the operations of a run of several hosts.
#[derive(Clone, Debug)]
pub(super) struct HostsTally {
    time: TimeBins,
    hosts: Vec<(Range<u32>, Vec<Bin>)>,
}

/// The results of a host in one bin of time.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    bytes: u64,
    max_ns: u64,
}

impl HostsTally {
    pub(super) fn new(parts: &[HostParts], span: (u64, u64)) -> HostsTally {
        let bins = (ALL_BINS / parts.len().max(1)).min(MAX_BINS);
        let time = TimeBins::over(span, bins as u64);
        let host = |part: &HostParts| (part.workers.clone(), vec![Bin::default(); time.count]);
        HostsTally { time, hosts: parts.iter().map(host).collect() }
    }

    /// Takes an operation with its latency. Bytes of the warm-up count; its latencies do not.
    #[inline]
    pub(super) fn add(&mut self, op: &OpRecord, latency_ns: u64, is_warmup: bool) {
        if self.hosts.is_empty() || op.errno != 0 || !matches!(op.kind, OpKind::Read | OpKind::Write) {
            return;
        }
        let own = self.hosts.iter_mut().find(|(workers, _)| workers.contains(&op.worker));
        let Some((_, bins)) = own else { return };
        let bin = &mut bins[self.time.bin(op.done_ns)];
        bin.bytes += u64::from(op.done_len);
        if !is_warmup {
            bin.max_ns = bin.max_ns.max(latency_ns);
        }
    }

    pub(super) fn figures(&self) -> Option<HostsOverTime> {
        let host = |(_, bins): &(_, Vec<Bin>)| HostOverTime {
            bytes: bins.iter().map(|bin| bin.bytes).collect(),
            max_response_us: bins.iter().map(|bin| Decimal::us(bin.max_ns)).collect(),
        };
        let hosts: Vec<HostOverTime> = self.hosts.iter().map(host).collect();
        (!hosts.is_empty()).then(|| HostsOverTime { time: TimeAxis::of(self.time), hosts })
    }
}
