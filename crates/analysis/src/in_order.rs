//! Puts the operations of a log into the order in which they were issued, with bounded memory.
//!
//! A trace is in that order already. The log of a run is in order within each worker, and mixed by no more
//! than a row group between workers. So twice a window of operations is held and sorted, which costs next to
//! nothing where they are in order, and the earlier half of them is let go.

use std::collections::VecDeque;

use reelgauge_record::OpRecord;

/// How many places an operation may be off: two row groups of a log.
const WINDOW: usize = 1 << 17;

/// An iterator over operations in order of issue; operations issued at the same time keep their order.
///
/// What comes later than the window reaches is let go out of order, and counted. An error of the source ends
/// it: what is held comes first, the error last.
#[derive(Debug)]
pub struct InOrder<I, E> {
    source: I,
    window: usize,
    held: Vec<OpRecord>,
    ready: VecDeque<OpRecord>,
    issued_ns: u64,
    late_ops: u64,
    failed: Option<E>,
    ended: bool,
}

impl<I, E> InOrder<I, E>
where
    I: Iterator<Item = Result<OpRecord, E>>,
{
    /// Over the operations of a log as they are read.
    pub fn new(source: I) -> InOrder<I, E> {
        InOrder::with_window(source, WINDOW)
    }

    fn with_window(source: I, window: usize) -> InOrder<I, E> {
        InOrder {
            source,
            window,
            held: Vec::new(),
            ready: VecDeque::new(),
            issued_ns: 0,
            late_ops: 0,
            failed: None,
            ended: false,
        }
    }

    /// Operations that came too late to be put in order, so far.
    pub fn late_ops(&self) -> u64 {
        self.late_ops
    }

    /// Takes operations until two windows are full or there are no more, and lets the earlier ones go.
    fn fill(&mut self) {
        while !self.ended && self.held.len() < 2 * self.window {
            match self.source.next() {
                Some(Ok(op)) => self.held.push(op),
                Some(Err(error)) => {
                    self.failed = Some(error);
                    self.ended = true;
                }
                None => self.ended = true,
            }
        }
        // Stable, and fast on what is in order already.
        self.held.sort_by_key(|op| op.issued_ns);
        let free = if self.ended { self.held.len() } else { self.window };
        self.ready.extend(self.held.drain(..free));
    }
}

impl<I, E> Iterator for InOrder<I, E>
where
    I: Iterator<Item = Result<OpRecord, E>>,
{
    type Item = Result<OpRecord, E>;

    fn next(&mut self) -> Option<Result<OpRecord, E>> {
        if self.ready.is_empty() {
            self.fill();
        }
        let Some(op) = self.ready.pop_front() else {
            return self.failed.take().map(Err);
        };
        self.late_ops += u64::from(op.issued_ns < self.issued_ns);
        self.issued_ns = self.issued_ns.max(op.issued_ns);
        Some(Ok(op))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::trace_stats::tests::read;

    fn ordered(times: &[u64], window: usize) -> (Vec<(u64, u64)>, u64) {
        let ops = (0..).zip(times).map(|(at, &issued_ns)| Ok(OpRecord { issued_ns, ..read(0, at, 1) }));
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
    fn what_comes_later_than_the_window_is_counted_and_kept() {
        let (out, late) = ordered(&[10, 20, 30, 40, 5, 50], 2);
        let times: Vec<u64> = out.iter().map(|(time, _)| *time).collect();
        assert_eq!((times, late), (vec![10, 20, 5, 30, 40, 50], 1));
    }

    #[test]
    fn an_error_comes_last() {
        let source = [Ok(read(0, 7, 1)), Err("broken"), Ok(read(0, 8, 1))];
        let mut in_order = InOrder::new(source.into_iter());
        assert_eq!(in_order.next().unwrap().unwrap().offset, 7);
        assert_eq!(in_order.next(), Some(Err("broken")));
        assert_eq!(in_order.next(), None);
    }
}
