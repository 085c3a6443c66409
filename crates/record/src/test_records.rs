//! Synthetic operations for tests: `read(0, 0, 4096).at_ms(40).took_ms(5).frame(1)`.
//!
//! An operation starts with plain defaults, and the test sets only the fields that matter. Only
//! dev-dependencies enable the feature `test-records`: no shipped program contains this. Not here:
//! random values for every field, as in the tests of the log itself.

use crate::{OpFlags, OpKind, OpRecord};

/// An operation of worker 0 on file 0, at time 0, with no duration, no bytes and no frame.
pub fn op(kind: OpKind) -> OpRecord {
    OpRecord {
        offset: 0,
        due_ns: 0,
        issued_ns: 0,
        done_ns: 0,
        worker: 0,
        stream: 0,
        transfer: 0,
        file: 0,
        len: 0,
        done_len: 0,
        errno: 0,
        kind,
        flags: OpFlags::NONE,
        point: 0,
    }
}

/// A complete read of a part of a file.
pub fn read(file: u32, offset: u64, len: u32) -> OpRecord {
    op(OpKind::Read).on_file(file).at_offset(offset).of_len(len)
}

/// A complete write of a part of a file.
pub fn write(file: u32, offset: u64, len: u32) -> OpRecord {
    op(OpKind::Write).on_file(file).at_offset(offset).of_len(len)
}

/// Builder methods: each returns the changed operation.
impl OpRecord {
    /// Due and issued at this time, with unchanged duration.
    #[must_use]
    pub fn at_ns(self, ns: u64) -> OpRecord {
        OpRecord { due_ns: ns, issued_ns: ns, done_ns: ns.saturating_add(self.service_ns()), ..self }
    }

    /// Like [`OpRecord::at_ns`], in milliseconds.
    #[must_use]
    pub fn at_ms(self, ms: u64) -> OpRecord {
        self.at_ns(ms * 1_000_000)
    }

    /// Due at this time, with unchanged time of issue.
    #[must_use]
    pub fn due_at_ns(self, ns: u64) -> OpRecord {
        OpRecord { due_ns: ns, ..self }
    }

    /// Done this long after it was issued.
    #[must_use]
    pub fn took_ns(self, ns: u64) -> OpRecord {
        OpRecord { done_ns: self.issued_ns + ns, ..self }
    }

    /// Like [`OpRecord::took_ns`], in milliseconds.
    #[must_use]
    pub fn took_ms(self, ms: u64) -> OpRecord {
        self.took_ns(ms * 1_000_000)
    }

    /// Done at this time.
    #[must_use]
    pub fn done_at_ns(self, ns: u64) -> OpRecord {
        OpRecord { done_ns: ns, ..self }
    }

    /// Like [`OpRecord::done_at_ns`], in milliseconds.
    #[must_use]
    pub fn done_at_ms(self, ms: u64) -> OpRecord {
        self.done_at_ns(ms * 1_000_000)
    }

    /// Issued by this worker, which has one stream.
    #[must_use]
    pub fn by_worker(self, worker: u32) -> OpRecord {
        OpRecord { worker, stream: worker, ..self }
    }

    /// On this stream of its worker; in a trace, by this thread.
    #[must_use]
    pub fn on_stream(self, stream: u32) -> OpRecord {
        OpRecord { stream, ..self }
    }

    /// In this transfer; in a trace, through this open file.
    #[must_use]
    pub fn of_transfer(self, transfer: u32) -> OpRecord {
        OpRecord { transfer, ..self }
    }

    /// On the file with this index.
    #[must_use]
    pub fn on_file(self, file: u32) -> OpRecord {
        OpRecord { file, ..self }
    }

    /// In this load point.
    #[must_use]
    pub fn in_point(self, point: u16) -> OpRecord {
        OpRecord { point, ..self }
    }

    /// At this offset, or with the value that its kind stores there.
    #[must_use]
    pub fn at_offset(self, offset: u64) -> OpRecord {
        OpRecord { offset, ..self }
    }

    /// Of this length, completely transferred.
    #[must_use]
    pub fn of_len(self, len: u32) -> OpRecord {
        OpRecord { len, done_len: len, ..self }
    }

    /// With these bits, which an open or an access check stores in place of a length.
    #[must_use]
    pub fn with_bits(self, bits: u32) -> OpRecord {
        OpRecord { len: bits, ..self }
    }

    /// With this transferred length.
    #[must_use]
    pub fn that_did(self, done_len: u32) -> OpRecord {
        OpRecord { done_len, ..self }
    }

    /// Failed, with no bytes transferred.
    #[must_use]
    pub fn failed(self, errno: i32) -> OpRecord {
        OpRecord { errno, done_len: 0, ..self }
    }

    /// With these flags in addition to the existing ones.
    #[must_use]
    pub fn flagged(self, flags: OpFlags) -> OpRecord {
        OpRecord { flags: self.flags.with(flags), ..self }
    }

    /// The only operation of a frame, or the last.
    #[must_use]
    pub fn frame(self, number: u32) -> OpRecord {
        self.of_transfer(number).flagged(OpFlags::FRAME.with(OpFlags::LAST))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builder_changes_only_the_named_field() {
        let late = read(3, 7, 100).took_ms(5).at_ms(40).due_at_ns(1).by_worker(2).frame(9);
        assert_eq!((late.due_ns, late.issued_ns, late.done_ns), (1, 40_000_000, 45_000_000));
        assert_eq!((late.worker, late.stream, late.transfer, late.file), (2, 2, 9, 3));
        assert!(late.flags.has(OpFlags::FRAME) && late.flags.has(OpFlags::LAST));
        let failed = write(0, 0, 100).failed(5);
        assert_eq!((failed.len, failed.done_len, failed.errno), (100, 0, 5));
        assert!(read(0, 0, 100).that_did(60).is_short());
    }
}
