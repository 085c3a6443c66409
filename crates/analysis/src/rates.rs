//! The rates of workers with a required rate: completed transfers per second of the measured part.
//!
//! A transfer is what the published benchmark calls an operation: a read-modify-write is one, and so is
//! a write with its sync. It counts if it was *due* in the measured part, all its operations succeeded
//! and the last one completed. Transfers that an overloaded storage has not completed by the end are
//! missing from the rate. A worker begins at a random time of its first period. If that is after the start
//! of the measured part, as without a warm-up, only the transfers that were due are expected.
//!
//! Not here: whether the rates are good enough ([`crate::vda`], [`crate::criteria`]).

use std::collections::BTreeMap;

use reelgauge_record::{OpFlags, OpRecord};

use crate::figures::stretch_ns;
use crate::late::MeasuredPart;
use crate::rounding::round_to;
use crate::vda::ProcessRate;

/// A transfer that is due this share of a period before the end is not expected: rounding of times.
const ROUNDING: f64 = 1e-6;

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
    /// When its first operation was due.
    first_due_ns: Option<u64>,
    /// The transfer in progress.
    open: Option<Open>,
    finished: u64,
}

impl Process {
    /// Its completed transfers per second of the measured part. If it began later than that part, as
    /// without a warm-up, it is the required rate times the share of its due transfers that it completed.
    fn achieved_ops_per_s(&self, part: &MeasuredPart) -> f64 {
        let requested = self.spec.requested_ops_per_s;
        let first_due_ns = self.first_due_ns.filter(|due_ns| *due_ns > part.from_ns);
        let achieved = match first_due_ns.map(|due_ns| stretch_ns(due_ns, part.until_ns) as f64 / 1e9) {
            Some(left_s) => {
                requested * self.finished as f64 / (left_s * requested - ROUNDING).ceil().max(1.0)
            }
            None => match stretch_ns(part.from_ns, part.until_ns) {
                0 => 0.0,
                ns => self.finished as f64 * 1e9 / ns as f64,
            },
        };
        round_to(achieved, 6)
    }
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
        let process =
            |spec: RateSpec| (spec.worker, Process { spec, first_due_ns: None, open: None, finished: 0 });
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
        process.first_due_ns.get_or_insert(op.due_ns);
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
        let part = MeasuredPart { until_ns: self.part.until_ns.min(end_ns), ..self.part };
        let processes = self.processes.into_values();
        let of = |process: Process| ProcessRate {
            worker: process.spec.worker,
            achieved_ops_per_s: process.achieved_ops_per_s(&part),
            component: process.spec.component,
            requested_ops_per_s: process.spec.requested_ops_per_s,
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
