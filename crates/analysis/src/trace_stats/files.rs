//! The counts of every single file: few, because there may be millions of files.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use reelgauge_record::{OpKind, OpRecord, OpenBits};

use super::figures::{FileFigures, FilesTouched};
use super::percent;

/// Before the first access. No access can end here, because none begins after it.
const NOWHERE: u64 = u64::MAX;

/// One file. 56 bytes.
#[derive(Clone, Copy, Debug)]
struct FileTally {
    read_bytes: u64,
    written_bytes: u64,
    /// Where the last access ended.
    next: u64,
    /// The known end of the file: its initial size, and what was read or written.
    end: u64,
    reads: u32,
    writes: u32,
    sequential: u32,
    sequential_in_file: u32,
    other: u32,
    failed: u32,
}

impl FileTally {
    fn new(size_before: u64) -> FileTally {
        FileTally {
            read_bytes: 0,
            written_bytes: 0,
            next: NOWHERE,
            end: size_before,
            reads: 0,
            writes: 0,
            sequential: 0,
            sequential_in_file: 0,
            other: 0,
            failed: 0,
        }
    }

    fn bytes(&self) -> u64 {
        self.read_bytes + self.written_bytes
    }

    fn ops(&self) -> u64 {
        u64::from(self.reads) + u64::from(self.writes) + u64::from(self.other) + u64::from(self.failed)
    }

    /// Updates the end of the file after an operation; returns whether it is now certainly the file's
    /// size.
    fn follow_end(&mut self, op: &OpRecord) -> bool {
        match op.kind {
            OpKind::Read | OpKind::Write if op.done_len > 0 => {
                self.end = self.end.max(op.end_offset());
                return false;
            }
            OpKind::Truncate => self.end = op.offset,
            OpKind::Unlink => self.end = 0,
            OpKind::Create => {
                let bits = OpenBits(op.len);
                // A log without open flags is of a run, and runs create files to fill them again.
                let empties = bits == OpenBits::UNKNOWN || bits.has(OpenBits::TRUNCATE) || op.done_len == 1;
                if !empties {
                    return false;
                }
                self.end = 0;
            }
            _ => return false,
        }
        true
    }

    fn count(&mut self, op: &OpRecord, sequential: bool, in_file: bool) {
        let bytes = u64::from(op.done_len);
        let counter = match op.kind {
            _ if op.errno != 0 => &mut self.failed,
            OpKind::Read => {
                self.read_bytes += bytes;
                &mut self.reads
            }
            OpKind::Write => {
                self.written_bytes += bytes;
                &mut self.writes
            }
            _ => &mut self.other,
        };
        // 32 bits for each of millions of files: a larger count stays at the maximum.
        *counter = counter.saturating_add(1);
        self.sequential = self.sequential.saturating_add(u32::from(sequential));
        self.sequential_in_file = self.sequential_in_file.saturating_add(u32::from(in_file));
    }
}

/// All files of a trace. Operations on files that are missing from its table are not counted.
#[derive(Clone, Debug)]
pub(crate) struct FileTallies {
    files: Vec<FileTally>,
    /// By file: whether its end is its size.
    known_ends: Vec<bool>,
}

impl FileTallies {
    pub(crate) fn new(sizes_before: impl IntoIterator<Item = impl Into<Option<u64>>>) -> FileTallies {
        let sizes = sizes_before.into_iter().map(Into::<Option<u64>>::into);
        let (files, known_ends) =
            sizes.map(|size| (FileTally::new(size.unwrap_or(0)), size.is_some())).unzip();
        FileTallies { files, known_ends }
    }

    /// The size of a file at this time; `None` if it is unknown.
    pub(crate) fn known_end_bytes(&self, file: u32) -> Option<u64> {
        let is_known = self.known_ends.get(file as usize).copied().unwrap_or(false);
        is_known.then(|| self.end_bytes(file))
    }

    /// The known end of a file.
    pub(crate) fn end_bytes(&self, file: u32) -> u64 {
        self.files.get(file as usize).map_or(0, |tally| tally.end)
    }

    /// Takes an operation; returns whether it is sequential in its file.
    pub(crate) fn add(&mut self, op: &OpRecord, sequential: bool, counts: bool) -> bool {
        let at = op.file as usize;
        let Some(tally) = self.files.get_mut(at) else { return false };
        let is_access = op.kind.moves_data() && op.errno == 0;
        let in_file = is_access && tally.next == op.offset && tally.next != NOWHERE;
        if counts {
            tally.count(op, sequential, in_file);
        }
        if op.errno == 0 && tally.follow_end(op) {
            self.known_ends[at] = true;
        }
        if is_access {
            tally.next = op.end_offset();
        }
        if matches!(op.kind, OpKind::Rename | OpKind::Link) && op.errno == 0 {
            let (end, is_end_known) = (tally.end, self.known_ends[at]);
            if op.kind == OpKind::Rename {
                (tally.end, self.known_ends[at]) = (0, true);
            }
            let new = usize::try_from(op.offset).ok();
            if let Some((new, known)) = new.and_then(|new| Some((new, self.files.get_mut(new)?))) {
                known.end = end;
                self.known_ends[new] = is_end_known;
            }
        }
        in_file
    }

    /// The files with the most bytes; with equal bytes, those with more operations, then those that were
    /// named first. Files without operations are omitted.
    pub(crate) fn top(&self, count: usize) -> Vec<u32> {
        let mut best = BinaryHeap::new();
        for (file, tally) in (0_u32..).zip(&self.files).filter(|(_, tally)| tally.ops() > 0) {
            best.push(Reverse((tally.bytes(), tally.ops(), Reverse(file))));
            if best.len() > count {
                best.pop();
            }
        }
        best.into_sorted_vec().into_iter().map(|Reverse((_, _, Reverse(file)))| file).collect()
    }

    pub(crate) fn figures(&self, file: u32, path: String) -> Option<FileFigures> {
        let tally = self.files.get(file as usize)?;
        let accesses = u64::from(tally.reads) + u64::from(tally.writes);
        Some(FileFigures {
            file,
            path,
            end_bytes: tally.end,
            read_bytes: tally.read_bytes,
            written_bytes: tally.written_bytes,
            reads: u64::from(tally.reads),
            writes: u64::from(tally.writes),
            other_ops: u64::from(tally.other),
            failed_ops: u64::from(tally.failed),
            sequential_percent: percent(u64::from(tally.sequential), accesses),
            sequential_in_file_percent: percent(u64::from(tally.sequential_in_file), accesses),
            read_sizes: None,
            write_sizes: None,
            read_service: None,
            write_service: None,
            map: None,
        })
    }

    /// How many files there are, and how many were only read, only written, or both.
    pub(crate) fn touched(&self) -> FilesTouched {
        let mut files = FilesTouched::default();
        for tally in self.files.iter().filter(|tally| tally.ops() > 0) {
            files.touched += 1;
            match (tally.reads > 0, tally.writes > 0) {
                (true, true) => files.read_and_written += 1,
                (true, false) => files.only_read += 1,
                (false, true) => files.only_written += 1,
                (false, false) => {}
            }
        }
        files
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_takes_little_memory() {
        assert_eq!(size_of::<FileTally>(), 56);
    }
}
