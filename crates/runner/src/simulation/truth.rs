//! The true events of a world. None of them comes from a record, a ring, a log or a summary: the world
//! records each itself when it causes it.

use reelgauge_record::{OpFlags, OpRecord};
use reelgauge_workload::script::{Done, Op};

#[derive(Debug, Default)]
pub(super) struct Truth {
    /// The load points that were started.
    pub(super) points: Vec<PointTruth>,
    /// Completed operations, in the order of completion.
    pub(super) done: Vec<OpRecord>,
    /// When the user interrupted the run.
    pub(super) interrupted_ns: Option<u64>,
    /// Operations that were begun after their load point was over.
    pub(super) begun_behind: u64,
    /// Whether the drain panicked.
    pub(super) drain_died: bool,
    /// When it received the order to end: everything that completed until then must be reported.
    pub(super) drain_ended_ns: Option<u64>,
    /// Calls to the log's disk that failed.
    pub(super) disk_failures: u64,
    /// Whether a failed call was one that only syncs the log.
    pub(super) sync_failed: bool,
    /// Whether a small file could not be written from some time on.
    pub(super) small_file_failed: bool,
    /// Whether the threads of a load point could not be started.
    pub(super) no_start: bool,
    /// Whether the process was suspended for a while.
    pub(super) paused: bool,
}

/// The true events of a load point.
#[derive(Clone, Debug, Default)]
pub(super) struct PointTruth {
    /// When its threads started.
    pub(super) began_ns: u64,
    /// The planned end of its warm-up.
    pub(super) warmup_until_ns: u64,
    /// Its planned end.
    pub(super) end_ns: u64,
    /// The number of operations that were begun.
    pub(super) issued: u64,
    /// When the last of them was begun.
    pub(super) last_issued_ns: u64,
    /// The number that completed.
    pub(super) done: u64,
    /// The number that failed, or moved less than requested.
    pub(super) failed: u64,
    /// When the first failure that ends the run completed.
    pub(super) failed_first_ns: Option<u64>,
    /// The number of those that do not end the run, because errors are results in it.
    pub(super) tolerated: u64,
    /// The number that completed after the end of the call that ran the load point.
    pub(super) done_behind: u64,
    /// When that call returned.
    pub(super) over_ns: Option<u64>,
    /// When its last operation before that completed.
    pub(super) last_done_ns: u64,
    /// The numbers of threads that started, that ended normally, and that were stopped.
    pub(super) threads: usize,
    pub(super) threads_ended: usize,
    pub(super) threads_cut: usize,
    /// When the oldest operation was issued that was in flight when the call returned.
    pub(super) oldest_in_flight_ns: Option<u64>,
    /// Operations in flight: worker and time of issue.
    pub(super) in_flight: Vec<(u32, u64)>,
}

impl Truth {
    /// A load point was started; its times follow from its plan.
    pub(super) fn begin_point(&mut self, now_ns: u64, warmup_ns: u64, measured_ns: u64) {
        let warmup_until_ns = now_ns + warmup_ns;
        let end_ns = warmup_until_ns + measured_ns;
        let point = PointTruth { began_ns: now_ns, warmup_until_ns, end_ns, ..PointTruth::default() };
        self.points.push(point);
    }

    /// An operation was issued.
    pub(super) fn issued(&mut self, worker: u32, now_ns: u64) {
        let Some(point) = self.points.last_mut() else { return };
        point.issued += 1;
        point.last_issued_ns = now_ns;
        point.in_flight.push((worker, now_ns));
        if point.over_ns.is_some() || now_ns >= point.end_ns {
            self.begun_behind += 1;
        }
    }

    /// An operation completed.
    pub(super) fn done(&mut self, worker: u32, op: &Op, issued_ns: u64, done: &Done, tolerated: bool) {
        let flying = (worker, issued_ns);
        let index = self.points.iter().rposition(|point| point.in_flight.contains(&flying));
        let index = index.expect("what was done was begun");
        let point = &mut self.points[index];
        let at = point.in_flight.iter().position(|op| *op == flying);
        point.in_flight.swap_remove(at.expect("it was found above"));
        point.done += 1;
        let is_short = op.kind.moves_data() && done.done_len < op.len;
        if done.errno != 0 || is_short {
            point.failed += 1;
            point.tolerated += u64::from(tolerated);
            if !tolerated {
                point.failed_first_ns.get_or_insert(done.done_ns);
            }
        }
        match point.over_ns {
            None => point.last_done_ns = done.done_ns,
            Some(_) => point.done_behind += 1,
        }
        let is_warmup = issued_ns < point.warmup_until_ns;
        self.done.push(OpRecord {
            offset: op.offset,
            due_ns: op.due_ns,
            issued_ns,
            done_ns: done.done_ns,
            worker,
            stream: op.stream,
            transfer: op.transfer,
            file: op.file,
            len: op.recorded_len(),
            done_len: done.done_len,
            errno: done.errno,
            kind: op.kind,
            flags: if is_warmup { op.flags.with(OpFlags::WARMUP) } else { op.flags },
            point: index as u16,
        });
    }

    /// A thread of the load point ended.
    pub(super) fn thread_ended(&mut self, was_cut: bool) {
        if let Some(point) = self.points.last_mut().filter(|point| point.over_ns.is_none()) {
            point.threads_ended += 1;
            point.threads_cut += usize::from(was_cut);
        }
    }

    /// The call that ran the load point returned.
    pub(super) fn end_point(&mut self, now_ns: u64) {
        if let Some(point) = self.points.last_mut().filter(|point| point.over_ns.is_none()) {
            point.over_ns = Some(now_ns);
            point.oldest_in_flight_ns = point.in_flight.iter().map(|&(_, issued_ns)| issued_ns).min();
        }
    }

    /// Whether everything planned was measured, without any fault. `planned`: the number of load points.
    pub(super) fn is_whole(&self, planned: usize) -> bool {
        self.points.len() == planned && self.points.iter().all(PointTruth::is_whole)
    }
}

impl PointTruth {
    /// Whether nothing failed, everything completed, and every thread ended normally.
    pub(super) fn is_whole(&self) -> bool {
        let all_ended = self.threads_ended == self.threads && self.threads_cut == 0;
        all_ended && self.failed == self.tolerated && self.oldest_in_flight_ns.is_none()
    }
}
