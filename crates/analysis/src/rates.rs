//! The rates of workers with a required rate: completed transfers per second of the measured part.
//!
//! A transfer is what the published benchmark calls an operation: a read-modify-write is one, and so is
//! a write with its sync. It counts if it was *due* in the measured part, all its operations succeeded
//! and the last one completed. Transfers that an overloaded storage has not completed by the end are
//! missing from the rate.
//!
//! Not here: whether the rates are good enough ([`crate::vda`], [`crate::criteria`]).

use std::collections::BTreeMap;

use reelgauge_record::{OpFlags, OpRecord};

use crate::figures::stretch_ns;
use crate::late::MeasuredPart;
use crate::rounding::round_to;
use crate::vda::ProcessRate;

/// A worker with a required rate.
#[derive(Clone, Debug, PartialEq)]
pub struct RateSpec {
    pub worker: u32,
    /// The component workload it is part of: `camera`, `companion`.
    pub component: String,
    /// Its required transfers per second; above 0.
    pub requested_ops_per_s: f64,
}

#[derive(Clone, Debug)]
struct Process {
    spec: RateSpec,
    /// The transfer in progress.
    open: Option<Open>,
    finished: u64,
}

/// A transfer in progress.
#[derive(Clone, Copy, Debug)]
struct Open {
    number: u32,
    due_ns: u64,
    failed: bool,
}

/// Takes the operations of one load point, those of each worker in the order in which they completed. A
/// worker has one transfer in progress at a time.
#[derive(Clone, Debug)]
pub struct RateTally {
    part: MeasuredPart,
    processes: BTreeMap<u32, Process>,
    response_sum_ns: u128,
    finished: u64,
}

impl RateTally {
    /// An empty tally. If several specs have the same worker, the last one counts.
    pub fn new(specs: Vec<RateSpec>, part: MeasuredPart) -> RateTally {
        let process = |spec: RateSpec| (spec.worker, Process { spec, open: None, finished: 0 });
        RateTally {
            part,
            processes: specs.into_iter().map(process).collect(),
            response_sum_ns: 0,
            finished: 0,
        }
    }

    /// Takes an operation. Those of other load points and of workers without a rate are omitted.
    #[inline]
    pub fn add(&mut self, op: &OpRecord) {
        if op.point != self.part.point {
            return;
        }
        let Some(process) = self.processes.get_mut(&op.worker) else { return };
        let begun = Open { number: op.transfer, due_ns: op.due_ns, failed: false };
        let open = process.open.get_or_insert(begun);
        if open.number != op.transfer {
            *open = begun;
        }
        open.due_ns = open.due_ns.min(op.due_ns);
        open.failed |= op.errno != 0;
        if !op.flags.has(OpFlags::LAST) {
            return;
        }
        let Open { due_ns, failed, .. } = *open;
        process.open = None;
        if !failed && (self.part.from_ns..self.part.until_ns).contains(&due_ns) {
            process.finished += 1;
            self.finished += 1;
            self.response_sum_ns += u128::from(stretch_ns(due_ns, op.done_ns));
        }
    }

    /// The mean response time of the transfers that count: from when one was due until its last
    /// operation completed. `None` if there is none.
    pub fn mean_response_ms(&self) -> Option<f64> {
        let mean_ns = self.response_sum_ns as f64 / self.finished as f64;
        (self.finished > 0).then(|| round_to(mean_ns / 1e6, 6))
    }

    /// Ends the load point, at the latest at `end_ns`, and returns the rates, by worker. Operations that
    /// were due after that must not have been added.
    pub fn finish(self, end_ns: u64) -> Vec<ProcessRate> {
        let measured_ns = stretch_ns(self.part.from_ns, self.part.until_ns.min(end_ns));
        let rate = |finished: u64| match measured_ns {
            0 => 0.0,
            ns => round_to(finished as f64 * 1e9 / ns as f64, 6),
        };
        let processes = self.processes.into_values();
        let of = |process: Process| ProcessRate {
            worker: process.spec.worker,
            component: process.spec.component,
            requested_ops_per_s: process.spec.requested_ops_per_s,
            achieved_ops_per_s: rate(process.finished),
        };
        processes.map(of).collect()
    }
}

/// The mean response time of several hosts' transfers, from the mean of each and the number that it
/// completed. `None` if none completed.
pub fn mean_response_together_ms(of_each: impl Iterator<Item = (f64, f64)>) -> Option<f64> {
    let add =
        |(sum, all): (f64, f64), (mean_ms, finished): (f64, f64)| (sum + mean_ms * finished, all + finished);
    let (sum, all) = of_each.fold((0.0, 0.0), add);
    (all > 0.0).then(|| round_to(sum / all, 6))
}

#[cfg(test)]
mod tests;
