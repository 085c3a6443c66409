//! Builds small traces for tests in terms of an application's calls.
#![allow(clippy::unwrap_used)]

use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::test_records::op as made_up;
use reelgauge_record::{OpKind, OpRecord, OpenBits};

use super::loader::{Replayable, Wanted, load};
use super::{ReplayError, Wanted as HowWanted};
use crate::info::TraceInfo;
use crate::trace::Trace;
use crate::writer::{ABSENT, FOUND, TraceWriter};

/// The most common open bits.
pub(crate) const READ: OpenBits = OpenBits::READ;
pub(crate) const WRITE: OpenBits = OpenBits::WRITE;
pub(crate) const NEW: OpenBits = OpenBits(OpenBits::WRITE.0 | OpenBits::CREATE.0 | OpenBits::TRUNCATE.0);

/// A trace under construction.
pub(crate) struct Sample {
    dir: tempfile::TempDir,
    writer: Option<TraceWriter>,
    now_ns: u64,
    handles: u32,
    stream: u32,
    took_ns: u64,
}

impl Sample {
    pub fn new() -> Sample {
        let dir = tempfile::tempdir().unwrap();
        let meta = LogMeta {
            run_ns: 0,
            agent: "test".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: Vec::new(),
        };
        let writer = Some(TraceWriter::create(dir.path(), "sample", meta).unwrap());
        Sample { dir, writer, now_ns: 0, handles: 0, stream: 0, took_ns: 10 }
    }

    /// Issues the following operations as this thread.
    pub fn thread(&mut self, stream: u32) -> &mut Sample {
        self.stream = stream;
        self
    }

    /// The next operation starts at this time and has this duration.
    pub fn at(&mut self, now_ns: u64, took_ns: u64) -> &mut Sample {
        self.now_ns = now_ns;
        self.took_ns = took_ns;
        self
    }

    pub fn file(&mut self, name: &str) -> u32 {
        self.writer.as_mut().unwrap().file(name).unwrap()
    }

    /// Marks the file as present before the trace, with its size if known.
    pub fn found(&mut self, name: &str, size_bytes: Option<u64>) -> &mut Sample {
        let file = self.file(name);
        let entry = self.writer.as_mut().unwrap().entry(file).unwrap();
        entry.existed_before = true;
        entry.size_before_bytes = size_bytes;
        FOUND.clone_into(&mut entry.prepared);
        self
    }

    /// Marks the file as absent before the trace.
    pub fn absent(&mut self, name: &str) -> &mut Sample {
        let file = self.file(name);
        ABSENT.clone_into(&mut self.writer.as_mut().unwrap().entry(file).unwrap().prepared);
        self
    }

    pub fn push(&mut self, change: impl FnOnce(&mut OpRecord)) -> &mut Sample {
        let mut op = made_up(OpKind::Stat).on_stream(self.stream).at_ns(self.now_ns).took_ns(self.took_ns);
        change(&mut op);
        self.now_ns += 100;
        self.writer.as_mut().unwrap().push(op).unwrap();
        self
    }

    /// Opens a file, or creates it if the bits demand that. Returns the handle's number.
    pub fn open(&mut self, name: &str, bits: OpenBits) -> u32 {
        let file = self.file(name);
        self.handles += 1;
        let transfer = self.handles;
        let makes = bits.has(OpenBits::CREATE) || bits.has(OpenBits::TRUNCATE);
        let kind = if makes { OpKind::Create } else { OpKind::Open };
        self.push(|op| {
            (op.kind, op.file, op.transfer, op.len) = (kind, file, transfer, bits.0);
        });
        transfer
    }

    /// A read or write that transferred `done` of `len` bytes.
    pub fn data(&mut self, kind: OpKind, name: &str, handle: u32, at: (u64, u32, u32)) -> &mut Sample {
        let file = self.file(name);
        self.push(|op| {
            (op.kind, op.file, op.transfer) = (kind, file, handle);
            (op.offset, op.len, op.done_len) = at;
        })
    }

    pub fn read(&mut self, name: &str, handle: u32, offset: u64, len: u32) -> &mut Sample {
        self.data(OpKind::Read, name, handle, (offset, len, len))
    }

    pub fn write(&mut self, name: &str, handle: u32, offset: u64, len: u32) -> &mut Sample {
        self.data(OpKind::Write, name, handle, (offset, len, len))
    }

    pub fn close(&mut self, name: &str, handle: u32) -> &mut Sample {
        self.data(OpKind::Close, name, handle, (0, 0, 0))
    }

    /// An operation on a path.
    pub fn path(&mut self, kind: OpKind, name: &str, errno: i32) -> &mut Sample {
        let file = self.file(name);
        self.push(|op| (op.kind, op.file, op.errno) = (kind, file, errno))
    }

    pub fn rename(&mut self, from: &str, to: &str) -> &mut Sample {
        let (from, to) = (self.file(from), self.file(to));
        self.push(|op| (op.kind, op.file, op.offset) = (OpKind::Rename, from, u64::from(to)))
    }

    /// A hard link, symbolic link or similar operation with a second name.
    pub fn link(&mut self, kind: OpKind, file: &str, second: &str) -> &mut Sample {
        let (file, second) = (self.file(file), self.file(second));
        self.push(|op| (op.kind, op.file, op.offset) = (kind, file, u64::from(second)))
    }

    /// Marks an initial entry as a link: a hard link, or a symbolic link with this target.
    pub fn was_link(
        &mut self,
        name: &str,
        same_file_as: Option<&str>,
        leads_to: Option<&str>,
    ) -> &mut Sample {
        self.found(name, Some(7));
        let file = self.file(name);
        let entry = self.writer.as_mut().unwrap().entry(file).unwrap();
        entry.same_file_as = same_file_as.map(str::to_owned);
        entry.leads_to = leads_to.map(str::to_owned);
        self
    }

    pub fn finish(&mut self) -> Trace {
        self.writer.take().unwrap().finish(TraceInfo::default()).unwrap()
    }

    pub fn load(&mut self) -> Replayable {
        self.load_as(HowWanted::default()).unwrap()
    }

    pub fn load_as(&mut self, wanted: Wanted) -> Result<Replayable, ReplayError> {
        let trace = self.finish();
        assert!(trace.dir().starts_with(self.dir.path()));
        load(&trace, wanted)
    }
}
