//! Finds the open file that an operation used.
//!
//! In a capture, an operation has the number of its open file. In the log of a run it does not (there,
//! `transfer` counts accesses and frames). The open file is then the last one that its stream opened
//! under that name, or else its worker.

use std::collections::HashMap;

use reelgauge_record::{OpKind, OpRecord, OpenBits};

use super::packed::Handle;

/// The initial alignment of a handle, before any operation on it.
const ALIGNED: u8 = 32;

/// The known open files of a trace.
#[derive(Debug, Default)]
pub(super) struct Handles {
    /// Whether the source's numbers identify open files.
    numbers_count: bool,
    pub list: Vec<Handle>,
    /// Handles that are open now, by worker, number and file.
    by_number: HashMap<(u32, u32, u32), u32>,
    /// The last opened handle, by worker, stream and file, and by worker and file.
    by_stream: HashMap<(u32, u32, u32), u32>,
    by_worker: HashMap<(u32, u32), u32>,
    recent: Option<((u32, u32, u32), u32)>,
    /// Whether each handle was closed.
    closed: Vec<bool>,
    open: u32,
    pub open_most: u32,
}

impl Handles {
    /// Starts without handles. `numbers_count`: the source's numbers identify open files.
    pub fn new(numbers_count: bool) -> Handles {
        Handles { numbers_count, ..Handles::default() }
    }

    /// Whether the source's numbers identify open files.
    pub fn numbers_count(&self) -> bool {
        self.numbers_count
    }

    /// Registers an open, which succeeded if `worked`. Returns the handle's number.
    pub fn open(&mut self, op: &OpRecord, worked: bool) -> u32 {
        let number = self.add(op.file, OpenBits(op.len) == OpenBits::UNKNOWN);
        self.count_open();
        if worked {
            self.enter(op, number);
        } else {
            self.open -= 1;
        }
        number
    }

    /// Registers a file that was open before the trace began, or whose open is missing.
    pub fn assume(&mut self, op: &OpRecord) -> u32 {
        let number = self.add(op.file, true);
        self.count_open();
        self.enter(op, number);
        number
    }

    /// The open file that an operation uses; `None` if it was never opened.
    pub fn used(&mut self, op: &OpRecord) -> Option<u32> {
        let key = (op.worker, op.transfer, op.file);
        if let Some((_, number)) = self.recent.filter(|(recent, _)| *recent == key) {
            return Some(number);
        }
        let is_open = |number: &&u32| !self.closed[**number as usize];
        let by_number = self.by_number.get(&key).filter(is_open);
        let of_name = || {
            let of_stream = self.by_stream.get(&(op.worker, op.stream, op.file)).filter(is_open);
            of_stream.or_else(|| self.by_worker.get(&(op.worker, op.file)).filter(is_open))
        };
        let found = if self.numbers_count { by_number } else { by_number.or_else(of_name) };
        let number = found.copied()?;
        self.recent = Some((key, number));
        Some(number)
    }

    /// Registers the close of a handle.
    pub fn close(&mut self, op: &OpRecord, number: u32) {
        self.open = self.open.saturating_sub(1);
        self.recent = None;
        self.closed[number as usize] = true;
        // In a run, a close may have another number than its open. The entry of the open then stays, but
        // is unused.
        self.by_number.remove(&(op.worker, op.transfer, op.file));
    }

    /// Records how an operation uses the handle.
    pub fn note(&mut self, number: u32, op: &OpRecord) {
        let Some(handle) = self.list.get_mut(number as usize) else { return };
        match op.kind {
            OpKind::Read => handle.read = true,
            OpKind::Write | OpKind::Truncate | OpKind::Allocate => handle.written = true,
            _ => {}
        }
        if op.kind.moves_data() {
            let align = (op.offset | u64::from(op.len)).trailing_zeros().min(u32::from(ALIGNED));
            handle.align_log2 = handle.align_log2.min(align as u8);
        }
    }

    fn add(&mut self, file: u32, unknown: bool) -> u32 {
        self.list.push(Handle {
            file,
            align_log2: ALIGNED,
            read: false,
            written: false,
            unknown,
            makes: false,
        });
        self.closed.push(false);
        self.list.len() as u32 - 1
    }

    fn count_open(&mut self) {
        self.open += 1;
        self.open_most = self.open_most.max(self.open);
    }

    fn enter(&mut self, op: &OpRecord, number: u32) {
        self.recent = None;
        self.by_number.insert((op.worker, op.transfer, op.file), number);
        if !self.numbers_count {
            self.by_stream.insert((op.worker, op.stream, op.file), number);
            self.by_worker.insert((op.worker, op.file), number);
        }
    }
}
