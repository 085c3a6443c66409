//! What really happened in a world. Nothing here is taken from a record, a ring, a log or a summary: the
//! world writes it down itself, where it makes it happen.

use reelgauge_record::{OpFlags, OpRecord};
use reelgauge_workload::script::{Done, Op};

#[derive(Debug, Default)]
pub(super) struct Truth {
    /// The load points that were started.
    pub(super) points: Vec<PointTruth>,
    /// Operations that were done, in the order in which they were.
    pub(super) done: Vec<OpRecord>,
    /// When somebody interrupted the run.
    pub(super) interrupted_ns: Option<u64>,
    /// Operations that were begun when their load point was over.
    pub(super) begun_behind: u64,
    /// Whether the drain panicked.
    pub(super) drain_died: bool,
    /// When it was told to end: what was done until then must be told.
    pub(super) drain_ended_ns: Option<u64>,
    /// Calls to the log's disk that failed.
    pub(super) disk_failures: u64,
    /// Whether a call that only makes the log durable was among them.
    pub(super) sync_failed: bool,
    /// Whether some small file could not be written from some time on.
    pub(super) small_file_failed: bool,
    /// Whether the threads of a load point could not be started.
    pub(super) no_start: bool,
    /// Whether the process was stopped for a while.
    pub(super) paused: bool,
}

/// What really happened in a load point.
#[derive(Clone, Debug, Default)]
pub(super) struct PointTruth {
    /// When its threads set out.
    pub(super) began_ns: u64,
    /// When its warm-up was to be over.
    pub(super) warmup_until_ns: u64,
    /// When it was to end.
    pub(super) end_ns: u64,
    /// How many operations were begun.
    pub(super) issued: u64,
    /// When the last of them was.
    pub(super) last_issued_ns: u64,
    /// How many were done.
    pub(super) done: u64,
    /// How many failed, or moved less than was asked.
    pub(super) failed: u64,
    /// When the first of them was done that ends the run.
    pub(super) failed_first_ns: Option<u64>,
    /// How many of those don't end the run, because errors are results in it.
    pub(super) tolerated: u64,
    /// How many were done behind the end of the call that ran the load point.
    pub(super) done_behind: u64,
    /// When that call came back.
    pub(super) over_ns: Option<u64>,
    /// When its last operation was done before that.
    pub(super) last_done_ns: u64,
    /// Threads that set out, that came to their own end, and that were cut short.
    pub(super) threads: usize,
    pub(super) threads_ended: usize,
    pub(super) threads_cut: usize,
    /// When the oldest operation was issued that was in flight when the call came back.
    pub(super) oldest_in_flight_ns: Option<u64>,
    /// Operations in flight: worker and when they were issued.
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

    /// An operation was done.
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

    /// A thread of the load point came to its end by itself.
    pub(super) fn thread_ended(&mut self, was_cut: bool) {
        if let Some(point) = self.points.last_mut().filter(|point| point.over_ns.is_none()) {
            point.threads_ended += 1;
            point.threads_cut += usize::from(was_cut);
        }
    }

    /// The call that ran the load point came back.
    pub(super) fn end_point(&mut self, now_ns: u64) {
        if let Some(point) = self.points.last_mut().filter(|point| point.over_ns.is_none()) {
            point.over_ns = Some(now_ns);
            point.oldest_in_flight_ns = point.in_flight.iter().map(|&(_, issued_ns)| issued_ns).min();
        }
    }

    /// Whether everything that was to be measured was, and nothing was wrong with any of it. `planned`: so
    /// many load points.
    pub(super) fn is_whole(&self, planned: usize) -> bool {
        self.points.len() == planned && self.points.iter().all(PointTruth::is_whole)
    }
}

impl PointTruth {
    /// Nothing failed, everything came back, and every thread came to its own end.
    pub(super) fn is_whole(&self) -> bool {
        let all_ended = self.threads_ended == self.threads && self.threads_cut == 0;
        all_ended && self.failed == self.tolerated && self.oldest_in_flight_ns.is_none()
    }
}
