//! Follows the transfers of one worker from their first operation to their last.
//!
//! A transfer is the operations of one worker with the same `transfer` number. One is open at a time
//! where a worker waits for each operation; where several are in flight, several may be open.

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use crate::paper::{Column, PaperTally, Row};

/// More open transfers than this per worker are not followed: the oldest is given up.
const MAX_OPEN: usize = 64;

/// Block sizes in one transfer that are told apart when a sync's time is shared out.
const MAX_UNSYNCED: usize = 8;

/// One transfer under way.
#[derive(Clone, Debug)]
struct OpenTransfer {
    number: u32,
    row: Row,
    /// Part of it was warm-up, or an operation failed: it gives no latency.
    spoilt: bool,
    began_ns: u64,
    last_done_ns: u64,
    /// Time between operations, when nothing was in the hands of the storage.
    pauses_ns: u64,
    /// Service times of reads, writes and syncs.
    data_ns: u64,
    /// Column of its first read or write.
    main: Option<Column>,
    /// The last length that was looked up, and its column.
    last_len: u32,
    last_column: Column,
    unsynced: Unsynced,
}

/// Bytes written since the last sync, by column.
#[derive(Clone, Debug, Default)]
struct Unsynced {
    used: usize,
    shares: [(Column, u64); MAX_UNSYNCED],
}

impl Unsynced {
    #[inline]
    fn wrote(&mut self, column: Column, bytes: u64) {
        let full = self.used == MAX_UNSYNCED;
        if self.used > 0 && (full || self.shares[self.used - 1].0 == column) {
            self.shares[self.used - 1].1 += bytes;
        } else {
            self.shares[self.used] = (column, bytes);
            self.used += 1;
        }
    }

    /// Gives every block its share of a sync's time, by bytes; the last one takes the rounding.
    fn synced(&mut self, row: Row, sync_ns: u64, paper: &mut PaperTally) {
        let shares = &self.shares[..self.used];
        let all_bytes: u128 = shares.iter().map(|share| u128::from(share.1)).sum();
        let mut left_ns = sync_ns;
        for (index, &(column, bytes)) in shares.iter().enumerate() {
            let part = u128::from(sync_ns) * u128::from(bytes) / all_bytes.max(1);
            let is_last = index + 1 == shares.len();
            let share_ns = if is_last { left_ns } else { part as u64 };
            paper.book_sync(row, column, share_ns);
            left_ns -= share_ns;
        }
        self.used = 0;
    }
}

impl OpenTransfer {
    fn begin(op: &OpRecord, spoilt: bool) -> OpenTransfer {
        OpenTransfer {
            number: op.transfer,
            row: Row::of(op.flags),
            spoilt,
            began_ns: op.issued_ns,
            last_done_ns: op.issued_ns,
            pauses_ns: 0,
            data_ns: 0,
            main: None,
            last_len: 0,
            last_column: Column::default(),
            unsynced: Unsynced::default(),
        }
    }

    #[inline]
    fn add(&mut self, op: &OpRecord, paper: &mut PaperTally) {
        let pause_ns = op.issued_ns.saturating_sub(self.last_done_ns);
        self.pauses_ns = self.pauses_ns.saturating_add(pause_ns);
        self.last_done_ns = self.last_done_ns.max(op.done_ns);
        if op.errno != 0 {
            self.spoilt = true;
            return;
        }
        match op.kind {
            OpKind::Read | OpKind::Write => self.moved(op, paper),
            OpKind::Sync => {
                self.data_ns = self.data_ns.saturating_add(op.service_ns());
                self.unsynced.synced(self.row, op.service_ns(), paper);
            }
            // Everything else moves no data of the transfer.
            _ => {}
        }
    }

    #[inline]
    fn moved(&mut self, op: &OpRecord, paper: &mut PaperTally) {
        if self.main.is_none() || self.last_len != op.len {
            self.last_column = paper.column(op.len);
            self.last_len = op.len;
            self.main.get_or_insert(self.last_column);
        }
        let bytes = u64::from(op.done_len);
        self.data_ns = self.data_ns.saturating_add(op.service_ns());
        paper.book_data(self.row, self.last_column, bytes, op.service_ns());
        if op.kind == OpKind::Write {
            self.unsynced.wrote(self.last_column, bytes);
        }
    }

    /// Total time − own pauses − data transfer time.
    fn latency_ns(&self) -> u64 {
        let total_ns = self.last_done_ns.saturating_sub(self.began_ns);
        total_ns.saturating_sub(self.pauses_ns).saturating_sub(self.data_ns)
    }
}

/// The transfers of one worker.
#[derive(Clone, Debug, Default)]
pub(crate) struct Transfers {
    /// The one that the last operation belonged to.
    current: Option<OpenTransfer>,
    /// Others that are open too, oldest first; none where a worker waits for each operation.
    others: Vec<OpenTransfer>,
    /// Highest transfer number of which some part was not measured.
    spoilt_up_to: Option<u32>,
    /// Transfers that ended and count.
    pub(crate) complete: u64,
    /// Transfers that were cut off, or in which an operation failed.
    left_out: u64,
}

impl Transfers {
    /// Says that part of a transfer was not measured, so that it gives no latency.
    pub(crate) fn spoil(&mut self, number: u32) {
        self.spoilt_up_to = self.spoilt_up_to.max(Some(number));
    }

    /// Takes a measured operation.
    #[inline]
    pub(crate) fn add(&mut self, op: &OpRecord, paper: &mut PaperTally) {
        if op.kind == OpKind::Close && !op.flags.has(OpFlags::LAST) && !self.is_open(op.transfer) {
            // A frame's file is closed after the frame has come: that begins no transfer.
            return;
        }
        let transfer = match &mut self.current {
            Some(current) if current.number == op.transfer => current,
            _ => self.switch_to(op),
        };
        transfer.add(op, paper);
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
    fn switch_to(&mut self, op: &OpRecord) -> &mut OpenTransfer {
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
                OpenTransfer::begin(op, spoilt)
            }
        };
        self.current.insert(transfer)
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
        if let Some(column) = transfer.main {
            paper.book_latency(transfer.row, column, transfer.latency_ns());
        }
    }

    /// Transfers that give no latency: cut off, failed, or still open.
    pub(crate) fn left_out(&self) -> u64 {
        self.left_out + self.others.len() as u64 + u64::from(self.current.is_some())
    }
}
