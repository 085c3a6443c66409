//! The script of the self-test that no actor has: reads without a pause.

use reelgauge_record::{OpFlags, OpKind};
use reelgauge_workload::script::{Done, Needs, Op, OpenMode, Script, Step};

/// The length of a small read or write.
pub(super) const SMALL_BYTES: u32 = 4096;

/// Reads one piece after another, always with the same number of them in flight.
pub(super) struct Reader {
    len: u32,
    in_flight: u16,
    flying: u16,
    read: u64,
    /// It is finished after this many reads.
    most: u64,
}

impl Reader {
    pub(super) fn new(len: u32, in_flight: u16, most: u64) -> Reader {
        Reader { len, in_flight, flying: 0, read: 0, most }
    }
}

impl Script for Reader {
    fn needs(&self) -> Needs {
        Needs { handles: 1, in_flight: self.in_flight, max_len: self.len, writes: false }
    }

    fn next(&mut self, now_ns: u64) -> Step {
        if self.read >= self.most {
            return if self.flying > 0 { Step::Blocked } else { Step::Finished };
        }
        if self.flying == self.in_flight {
            return Step::Blocked;
        }
        let offset = self.read * u64::from(self.len);
        self.read += 1;
        self.flying += 1;
        Step::Do(Op {
            kind: OpKind::Read,
            handle: 0,
            file: 0,
            offset,
            len: self.len,
            due_ns: now_ns,
            transfer: 0,
            stream: 0,
            flags: OpFlags::NONE,
            open: OpenMode::READ,
            token: 0,
        })
    }

    fn done(&mut self, _done: &Done) {
        self.flying -= 1;
    }

    fn resume(&mut self, _now_ns: u64) {
        self.flying = 0;
    }
}
