//! Follows the transfers of one worker from their first operation to their last.
//!
//! A transfer is the operations of one worker with the same `transfer` number. One is open at a time
//! where a worker waits for each operation; where several are in flight, several may be open.

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::paper::{AccessRow, Column, PaperTally};

/// More open transfers than this per worker are not followed: the oldest is given up.
const MAX_OPEN: usize = 64;

/// One transfer under way.
#[derive(Clone, Debug)]
struct OpenTransfer {
    number: u32,
    row: AccessRow,
    /// Part of it was warm-up, or an operation failed: it gives no latency.
    spoilt: bool,
    began_ns: u64,
    last_done_ns: u64,
    /// Time between operations, when nothing was in the hands of the storage.
    gaps_ns: u64,
    /// Time in which a limit that was set held an operation back; not counted where there was none.
    held_ns: u64,
    /// Service times of reads, writes and syncs, and of closing what was written.
    data_ns: u64,
    /// Where all of it is booked; not known before its block size is.
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

/// The block size that was drawn for the transfer that this opens: its `offset`.
fn drawn_bytes(op: &OpRecord) -> Option<u32> {
    let drawn = (op.kind == OpKind::Open).then_some(op.offset)?;
    u32::try_from(drawn).ok().filter(|&bytes| bytes > 0)
}

impl OpenTransfer {
    fn begin(op: &OpRecord, spoilt: bool, place: Option<Place>) -> OpenTransfer {
        OpenTransfer {
            number: op.transfer,
            row: AccessRow::of(op.flags),
            spoilt,
            began_ns: op.issued_ns,
            last_done_ns: op.issued_ns,
            gaps_ns: 0,
            held_ns: 0,
            data_ns: 0,
            place,
        }
    }

    #[inline]
    fn add(&mut self, op: &OpRecord, is_limited: bool, paper: &mut PaperTally) {
        let gap_ns = op.issued_ns.saturating_sub(self.last_done_ns);
        // What a limit holds back is due when it is let through, and only reads and writes are held back.
        let may_wait = is_limited && matches!(op.kind, OpKind::Read | OpKind::Write);
        let held_ns = if may_wait { op.due_ns.saturating_sub(self.last_done_ns).min(gap_ns) } else { 0 };
        self.gaps_ns = self.gaps_ns.saturating_add(gap_ns - held_ns);
        self.held_ns = self.held_ns.saturating_add(held_ns);
        self.last_done_ns = self.last_done_ns.max(op.done_ns);
        if op.errno != 0 || op.is_short() {
            self.spoilt = true;
            return;
        }
        match op.kind {
            OpKind::Read | OpKind::Write => self.moved(op, paper),
            OpKind::Sync => self.waited(op, paper),
            // What was written may only leave the client when its file is closed.
            OpKind::Close if op.flags.has(OpFlags::WRITING) => self.waited(op, paper),
            // Everything else moves no data of the transfer.
            _ => {}
        }
    }

    #[inline]
    fn moved(&mut self, op: &OpRecord, paper: &mut PaperTally) {
        let place = *self.place.get_or_insert_with(|| Place::of(op.len, paper));
        self.data_ns = self.data_ns.saturating_add(op.service_ns());
        let is_short = op.len < place.block_bytes;
        paper.book_data(self.row, place.column, u64::from(op.done_len), op.service_ns(), is_short);
    }

    /// Time of the data that moves no bytes of its own.
    fn waited(&mut self, op: &OpRecord, paper: &mut PaperTally) {
        self.data_ns = self.data_ns.saturating_add(op.service_ns());
        if let Some(place) = self.place {
            paper.book_wait(self.row, place.column, op.service_ns());
        }
    }

    /// Total time − data transfer time − what a limit held back.
    fn latency_ns(&self) -> u64 {
        let total_ns = self.last_done_ns.saturating_sub(self.began_ns);
        total_ns.saturating_sub(self.data_ns).saturating_sub(self.held_ns)
    }
}

/// The transfers of one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfers {
    /// The one that the last operation belonged to.
    current: Option<OpenTransfer>,
    /// Others that are open too, oldest first; none where a worker waits for each operation.
    others: Vec<OpenTransfer>,
    /// A limit on bytes a second was set: what it held back is no latency.
    is_limited: bool,
    /// Highest transfer number of which some part was not measured.
    spoilt_up_to: Option<u32>,
    /// The last transfer that was opened in the warm-up, and the block size drawn for it.
    opened_before: Option<(u32, u32)>,
    /// Transfers that ended and count.
    pub(crate) complete: u64,
    /// Transfers that were cut off, or in which an operation failed.
    left_out: u64,
}

impl Transfers {
    /// Of a worker whose run had a limit on bytes a second, or none.
    pub(crate) fn new(is_limited: bool) -> Transfers {
        Transfers { is_limited, ..Transfers::default() }
    }

    /// Takes an operation of the warm-up. Unless it was the last of its transfer, part of that was not
    /// measured, so it gives no latency; but what was drawn for it holds for its other part.
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
            // A frame's file is closed after the frame has come: that begins no transfer.
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

    /// Makes the transfer of this operation current, beginning it if it is new.
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

    /// Where a transfer is booked that begins with this operation; `None` where nothing was drawn.
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
            paper.book_latency(transfer.row, column, transfer.latency_ns(), transfer.gaps_ns);
        }
    }

    /// Transfers that give no latency: cut off, failed, or still open.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out + self.others.len() as u64 + u64::from(self.current.is_some())
    }
}
