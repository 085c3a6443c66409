//! Sorts the operations of a log into the order in which they were issued, with bounded memory.
//!
//! A trace is already in that order. The log of a run is in order for each worker, and workers are
//! interleaved by at most a row group. So two windows of operations are kept and sorted, which costs
//! next to nothing if they are already in order. Then the earlier half is released.

use reelgauge_record::OpRecord;

/// How far an operation may be from its sorted position: two row groups of a log.
const WINDOW: usize = 1 << 17;

/// An iterator over operations in order of issue; operations issued at the same time keep their order.
///
/// Operations that are later than a window allows are returned out of order, and counted. An error of
/// the source ends the iteration: the kept operations come first, the error last.
#[derive(Debug)]
pub struct InOrder<I, E> {
    /// The operations as they are read, many at a time.
    source: I,
    window: usize,
    /// Sorted up to `free`; everything before `next` is already returned.
    held: Vec<OpRecord>,
    next: usize,
    free: usize,
    issued_ns: u64,
    late_ops: u64,
    failed: Option<E>,
    ended: bool,
}

impl<I, E> InOrder<I, E>
where
    I: Iterator<Item = Result<Vec<OpRecord>, E>>,
{
    /// Iterates over the operations of a log as they are read.
    pub fn new(source: I) -> InOrder<I, E> {
        InOrder::with_window(source, WINDOW)
    }

    fn with_window(source: I, window: usize) -> InOrder<I, E> {
        InOrder {
            source,
            window,
            held: Vec::new(),
            next: 0,
            free: 0,
            issued_ns: 0,
            late_ops: 0,
            failed: None,
            ended: false,
        }
    }

    /// Operations so far that came too late to be sorted.
    pub fn late_ops(&self) -> u64 {
        self.late_ops
    }

    /// Reads operations until two windows are full or the source ends; all but the last window can then
    /// be returned.
    fn fill(&mut self) {
        self.held.drain(..self.next);
        self.next = 0;
        while !self.ended && self.held.len() < 2 * self.window {
            match self.source.next() {
                Some(Ok(ops)) => self.held.extend_from_slice(&ops),
                Some(Err(error)) => {
                    self.failed = Some(error);
                    self.ended = true;
                }
                None => self.ended = true,
            }
        }
        // The operations of one worker are already in order; a stable sort would copy all of them.
        if !self.held.is_sorted_by_key(|op| op.issued_ns) {
            self.held.sort_by_key(|op| op.issued_ns);
        }
        let kept = if self.ended { 0 } else { self.window };
        self.free = self.held.len() - kept;
    }
}

impl<I, E> Iterator for InOrder<I, E>
where
    I: Iterator<Item = Result<Vec<OpRecord>, E>>,
{
    type Item = Result<OpRecord, E>;

    #[inline]
    fn next(&mut self) -> Option<Result<OpRecord, E>> {
        if self.next == self.free {
            self.fill();
        }
        if self.next == self.free {
            return self.failed.take().map(Err);
        }
        let op = self.held[self.next];
        self.next += 1;
        self.late_ops += u64::from(op.issued_ns < self.issued_ns);
        self.issued_ns = self.issued_ns.max(op.issued_ns);
        Some(Ok(op))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::test_records::read;

    use super::*;

    fn ordered(times: &[u64], window: usize) -> (Vec<(u64, u64)>, u64) {
        let op = |(at, &issued_ns)| Ok(vec![OpRecord { issued_ns, ..read(0, at, 1) }]);
        let ops = (0..).zip(times).map(op);
        let mut in_order = InOrder::<_, ()>::with_window(ops, window);
        let out = in_order.by_ref().map(|op| op.map(|op| (op.issued_ns, op.offset)).unwrap()).collect();
        (out, in_order.late_ops())
    }

    #[test]
    fn operations_of_several_workers_come_in_order_of_issue() {
        let (out, late) = ordered(&[1, 4, 9, 2, 4, 8], 4);
        assert_eq!(out, [(1, 0), (2, 3), (4, 1), (4, 4), (8, 5), (9, 2)]);
        assert_eq!(late, 0);
    }

    #[test]
    fn operations_later_than_the_window_are_counted_and_kept() {
        let (out, late) = ordered(&[10, 20, 30, 40, 5, 50], 2);
        let times: Vec<u64> = out.iter().map(|(time, _)| *time).collect();
        assert_eq!((times, late), (vec![10, 20, 5, 30, 40, 50], 1));
    }

    #[test]
    fn order_is_independent_of_the_batch_size() {
        // Three parallel workers, out of order by less than the window.
        let times: Vec<u64> = (0..600).map(|at| 10 * (at / 3) + 3 * (2 - at % 3)).collect();
        let (wanted, late) = ordered(&times, 4);
        assert!(late == 0 && wanted.is_sorted_by_key(|(time, _)| *time) && wanted.len() == 600);
        for at_a_time in [2, 7, 64, 600] {
            let batches = times.chunks(at_a_time).enumerate().map(|(number, times)| {
                let at = |place: usize| (number * at_a_time + place) as u64;
                let op = |(place, &issued_ns)| OpRecord { issued_ns, ..read(0, at(place), 1) };
                Ok::<_, ()>(times.iter().enumerate().map(op).collect())
            });
            let ops = InOrder::with_window(batches, 4).map(Result::unwrap);
            let out: Vec<_> = ops.map(|op| (op.issued_ns, op.offset)).collect();
            assert_eq!(out, wanted, "{at_a_time}");
        }
    }

    #[test]
    fn an_error_comes_last() {
        let source = [Ok(vec![read(0, 7, 1)]), Err("broken"), Ok(vec![read(0, 8, 1)])];
        let mut in_order = InOrder::new(source.into_iter());
        assert_eq!(in_order.next().unwrap().unwrap().offset, 7);
        assert_eq!(in_order.next(), Some(Err("broken")));
        assert_eq!(in_order.next(), None);
    }
}
