//! Follows the transfers of one worker from their first operation to their last.
//!
//! A transfer consists of the operations of one worker with the same `transfer` number. One is open at a
//! time if a worker waits for each operation; with several in flight, several may be open. The times of
//! the paper are those of the transfer: if its blocks overlap, time counts once.

use std::collections::VecDeque;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::figures::stretch_ns;
use crate::paper::{AccessRow, Column, PaperTally};

/// Gaps within a transfer that are kept, at most, for a later operation that covers them.
const MAX_GAPS: usize = 4096;

/// Open transfers per worker, at most: with more, the oldest is given up.
const MAX_OPEN: usize = 64;

/// One transfer in progress.
#[derive(Clone, Debug)]
struct OpenTransfer {
    number: u32,
    row: AccessRow,
    /// Part of it was in the warm-up, or an operation failed: it has no latency.
    spoilt: bool,
    /// The time in which any of its operations was in flight.
    busy: Busy,
    /// The time in which reads, writes, syncs, or a close after writes were in flight.
    data: Busy,
    /// The data time plus the time in which the configured limit delayed an operation; empty without a
    /// limit.
    excluded: Busy,
    /// The cell in which all of it counts; unknown until its block size is known.
    place: Option<Place>,
}

/// The column of a transfer, and the block size of that column's blocks.
#[derive(Clone, Copy, Debug)]
struct Place {
    column: Column,
    block_bytes: u32,
}

impl Place {
    fn of(block_bytes: u32, paper: &mut PaperTally) -> Place {
        Place { column: paper.column(block_bytes), block_bytes }
    }
}

/// The time in which at least one of some operations was in flight. Operations come roughly in the order
/// of their completion, so one may cover a gap that was found before, or precede all others.
#[derive(Clone, Debug, Default)]
struct Busy {
    covered_ns: u64,
    /// The start of the first one and the end of the last one; `None` before the first.
    span_ns: Option<(u64, u64)>,
    /// The latest gaps, in order of time.
    gaps: VecDeque<(u64, u64)>,
}

impl Busy {
    /// Adds an operation, and returns how much of its time is not covered yet.
    #[inline]
    fn add(&mut self, issued_ns: u64, done_ns: u64) -> u64 {
        let (from_ns, until_ns) = self.span_ns.unwrap_or((issued_ns, issued_ns));
        let before_ns = stretch_ns(issued_ns, from_ns.min(done_ns));
        let mut new_ns = before_ns + stretch_ns(issued_ns.max(until_ns), done_ns);
        if issued_ns > until_ns {
            if self.gaps.len() >= MAX_GAPS {
                self.gaps.pop_front();
            }
            self.gaps.push_back((until_ns, issued_ns));
        } else if issued_ns < until_ns {
            new_ns += self.close_gaps(issued_ns, done_ns);
            if done_ns < from_ns {
                self.gaps.push_front((done_ns, from_ns));
            }
        }
        self.span_ns = Some((from_ns.min(issued_ns), until_ns.max(done_ns)));
        // Times in logs are untrusted input: the sum of absurd values must not wrap.
        self.covered_ns = self.covered_ns.saturating_add(new_ns);
        new_ns
    }

    /// Removes this time from the gaps, from the latest on. Returns how much of it was in them.
    fn close_gaps(&mut self, from_ns: u64, to_ns: u64) -> u64 {
        // An operation of a damaged log that ends before it begins takes no time.
        let to_ns = to_ns.max(from_ns);
        let (mut closed_ns, mut later) = (0, Vec::new());
        while let Some((start, end)) = self.gaps.pop_back_if(|gap| gap.1 > from_ns) {
            let (inner, outer) = (from_ns.clamp(start, end), to_ns.clamp(start, end));
            closed_ns += outer - inner;
            later.extend([(outer, end), (start, inner)].into_iter().filter(|(start, end)| start < end));
        }
        self.gaps.extend(later.into_iter().rev());
        closed_ns
    }
}

/// The block size that was drawn for the transfer of this open: its `offset`.
fn drawn_bytes(op: &OpRecord) -> Option<u32> {
    let drawn = matches!(op.kind, OpKind::Open | OpKind::Create).then_some(op.offset)?;
    u32::try_from(drawn).ok().filter(|&bytes| bytes > 0)
}

impl OpenTransfer {
    fn begin(op: &OpRecord, spoilt: bool, place: Option<Place>) -> OpenTransfer {
        OpenTransfer {
            number: op.transfer,
            row: AccessRow::of(op.flags),
            spoilt,
            busy: Busy::default(),
            data: Busy::default(),
            excluded: Busy::default(),
            place,
        }
    }

    #[inline]
    fn add(&mut self, op: &OpRecord, is_limited: bool, paper: &mut PaperTally) {
        // An operation that the limit delays is due when it may start, and only reads and writes are
        // delayed.
        let may_wait = is_limited && matches!(op.kind, OpKind::Read | OpKind::Write);
        if let Some((_, until_ns)) = self.busy.span_ns.filter(|_| may_wait) {
            let let_through_ns = op.due_ns.min(op.issued_ns).max(until_ns);
            self.busy.add(until_ns, let_through_ns);
            self.excluded.add(until_ns, let_through_ns);
        }
        self.busy.add(op.issued_ns, op.done_ns);
        if op.errno != 0 || op.is_short() {
            self.spoilt = true;
            return;
        }
        match op.kind {
            OpKind::Read | OpKind::Write => self.moved(op, is_limited, paper),
            OpKind::Sync => self.waited(op, is_limited, paper),
            // Written data may not leave the client until its file is closed.
            OpKind::Close if op.flags.has(OpFlags::WRITING) => self.waited(op, is_limited, paper),
            // All other kinds transfer no data.
            _ => {}
        }
    }

    #[inline]
    fn moved(&mut self, op: &OpRecord, is_limited: bool, paper: &mut PaperTally) {
        let place = *self.place.get_or_insert_with(|| Place::of(op.len, paper));
        let data_ns = self.data_time(op, is_limited);
        let is_short = op.len < place.block_bytes;
        paper.book_data(self.row, place.column, u64::from(op.done_len), data_ns, is_short);
    }

    /// How much of an operation's time is data transfer time that no other operation covers.
    #[inline]
    fn data_time(&mut self, op: &OpRecord, is_limited: bool) -> u64 {
        if is_limited {
            self.excluded.add(op.issued_ns, op.done_ns);
        }
        self.data.add(op.issued_ns, op.done_ns)
    }

    /// Data transfer time without bytes.
    fn waited(&mut self, op: &OpRecord, is_limited: bool, paper: &mut PaperTally) {
        let data_ns = self.data_time(op, is_limited);
        if let Some(place) = self.place {
            paper.book_wait(self.row, place.column, data_ns);
        }
    }

    /// Total time − data transfer time − time in which the limit delayed it.
    fn latency_ns(&self) -> u64 {
        // Damaged records may cover more than their span, here and below.
        self.total_ns().saturating_sub(self.data.covered_ns.max(self.excluded.covered_ns))
    }

    /// Time between operations, when nothing was in flight.
    fn gaps_ns(&self) -> u64 {
        // See `latency_ns`.
        self.total_ns().saturating_sub(self.busy.covered_ns)
    }

    fn total_ns(&self) -> u64 {
        self.busy.span_ns.map_or(0, |(from_ns, until_ns)| stretch_ns(from_ns, until_ns))
    }
}

/// The transfers of one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfers {
    /// The transfer of the last operation.
    current: Option<OpenTransfer>,
    /// Other open transfers, oldest first; empty if a worker waits for each operation.
    others: Vec<OpenTransfer>,
    /// Whether a byte rate limit was set: the time that it delays is no latency.
    is_limited: bool,
    /// The highest transfer number with a part that was not measured.
    spoilt_up_to: Option<u32>,
    /// The last transfer that was opened in the warm-up, and the block size drawn for it.
    opened_before: Option<(u32, u32)>,
    /// Complete transfers that count.
    pub(crate) complete: u64,
    /// Transfers that were cut off, or in which an operation failed.
    left_out: u64,
}

impl Transfers {
    /// For a worker whose run had a byte rate limit, or none.
    pub(crate) fn new(is_limited: bool) -> Transfers {
        Transfers { is_limited, ..Transfers::default() }
    }

    /// Takes an operation of the warm-up. Unless it was the last of its transfer, part of the transfer
    /// was not measured, so it has no latency; but the size drawn for it applies to its other part.
    pub(crate) fn warm_up(&mut self, op: &OpRecord) {
        if op.flags.has(OpFlags::LAST) {
            return;
        }
        self.spoilt_up_to = self.spoilt_up_to.max(Some(op.transfer));
        if let Some(drawn) = drawn_bytes(op) {
            self.opened_before = Some((op.transfer, drawn));
        }
    }

    /// Takes a measured operation.
    #[inline]
    pub(crate) fn add(&mut self, op: &OpRecord, paper: &mut PaperTally) {
        if op.kind == OpKind::Close && !op.flags.has(OpFlags::LAST) && !self.is_open(op.transfer) {
            // A frame's file is closed after the frame is complete: that starts no transfer.
            return;
        }
        let is_limited = self.is_limited;
        let transfer = match &mut self.current {
            Some(current) if current.number == op.transfer => current,
            _ => self.switch_to(op, paper),
        };
        transfer.add(op, is_limited, paper);
        let opens = matches!(op.kind, OpKind::Open | OpKind::Create);
        let nothing_follows = opens && op.errno != 0;
        if op.flags.has(OpFlags::LAST) || nothing_follows {
            self.end(paper);
        }
    }

    fn is_open(&self, number: u32) -> bool {
        self.current.iter().chain(&self.others).any(|open| open.number == number)
    }

    /// Makes the transfer of this operation current, and starts it if it is new.
    fn switch_to(&mut self, op: &OpRecord, paper: &mut PaperTally) -> &mut OpenTransfer {
        if let Some(previous) = self.current.take() {
            if self.others.len() == MAX_OPEN {
                self.others.remove(0);
                self.left_out += 1;
            }
            self.others.push(previous);
        }
        let known = self.others.iter().position(|open| open.number == op.transfer);
        let transfer = match known {
            Some(at) => self.others.remove(at),
            None => {
                let spoilt = self.spoilt_up_to.is_some_and(|up_to| op.transfer <= up_to);
                OpenTransfer::begin(op, spoilt, self.place_of(op, paper))
            }
        };
        self.current.insert(transfer)
    }

    /// The cell of a transfer that starts with this operation; `None` if no size was drawn.
    fn place_of(&self, op: &OpRecord, paper: &mut PaperTally) -> Option<Place> {
        let before = self.opened_before.filter(|(number, _)| *number == op.transfer);
        let drawn = drawn_bytes(op).or(before.map(|(_, drawn)| drawn))?;
        paper.has_drawn();
        Some(Place::of(drawn, paper))
    }

    #[inline]
    fn end(&mut self, paper: &mut PaperTally) {
        let Some(transfer) = self.current.take() else {
            return;
        };
        if transfer.spoilt {
            self.left_out += 1;
            return;
        }
        self.complete += 1;
        if let Some(Place { column, .. }) = transfer.place {
            paper.book_latency(transfer.row, column, transfer.latency_ns(), transfer.gaps_ns());
        }
    }

    /// Transfers without a latency: cut off, failed, or still open.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out + self.others.len() as u64 + u64::from(self.current.is_some())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covered(ops: &[(u64, u64)]) -> (u64, Vec<u64>) {
        let mut busy = Busy::default();
        let new = ops.iter().map(|&(issued_ns, done_ns)| busy.add(issued_ns, done_ns)).collect();
        (busy.covered_ns, new)
    }

    #[test]
    fn time_in_which_blocks_overlap_counts_once() {
        assert_eq!(covered(&[(0, 10), (10, 15), (20, 25)]), (20, vec![10, 5, 5]));
        assert_eq!(covered(&[(0, 10), (2, 12), (12, 13)]), (13, vec![10, 2, 1]));
        // The operation that completes last began first.
        assert_eq!(covered(&[(1, 2), (3, 4), (0, 6)]), (6, vec![1, 1, 4]));
        // It is within a gap, or covers a part of one.
        assert_eq!(covered(&[(0, 1), (9, 10), (4, 10)]), (7, vec![1, 1, 5]));
        assert_eq!(covered(&[(0, 1), (20, 21), (30, 31), (5, 31)]), (27, vec![1, 1, 1, 24]));
    }

    #[test]
    fn any_order_of_the_same_operations_covers_the_same_time() {
        let mut ops: Vec<(u64, u64)> = (0..40).map(|n| (n * 7 % 97, n * 7 % 97 + 1 + n % 11)).collect();
        let mut is_busy = [false; 120];
        ops.iter().for_each(|&(from, to)| is_busy[from as usize..to as usize].fill(true));
        let busy = is_busy.iter().filter(|&&busy| busy).count() as u64;
        assert_eq!(covered(&ops).0, busy);
        ops.reverse();
        assert_eq!(covered(&ops).0, busy);
        ops.sort_by_key(|&(_, done_ns)| done_ns);
        assert_eq!(covered(&ops).0, busy);
        assert_eq!(covered(&[(5, 6), (3, 4), (3, 5)]), (3, vec![1, 1, 1]));
    }
}
