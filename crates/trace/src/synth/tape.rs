//! The output of a generator: files, opens, accesses and closes of an application that has one request
//! outstanding, with their times. It counts the totals, and writes a trace or only counts.

use reelgauge_record::log::FileEntry;
use reelgauge_record::{OpFlags, OpKind, OpRecord, OpenBits};

use crate::error::TraceError;
use crate::synth::tally::Tally;
use crate::writer::{ABSENT, FOUND, TraceWriter};

/// The service time of a synthetic operation. No value is published, and none was measured.
pub const NOMINAL_SERVICE_NS: u64 = 100_000;

/// The destination of the operations.
pub(crate) trait Sink {
    /// Adds a file. Returns its number.
    fn file(&mut self, entry: FileEntry) -> Result<u32, TraceError>;
    /// Sets the final size of a file.
    fn size_after(&mut self, file: u32, bytes: u64);
    /// Adds the next operation, in the order of issue.
    fn push(&mut self, op: OpRecord) -> Result<(), TraceError>;
}

/// Discards everything: for counting only.
#[derive(Debug, Default)]
pub(crate) struct Nowhere {
    files: u32,
}

impl Sink for Nowhere {
    fn file(&mut self, _: FileEntry) -> Result<u32, TraceError> {
        self.files += 1;
        Ok(self.files - 1)
    }

    fn size_after(&mut self, _: u32, _: u64) {}

    fn push(&mut self, _: OpRecord) -> Result<(), TraceError> {
        Ok(())
    }
}

impl Sink for TraceWriter {
    fn file(&mut self, entry: FileEntry) -> Result<u32, TraceError> {
        let file = TraceWriter::file(self, &entry.path)?;
        if let Some(known) = self.entry(file) {
            *known = entry;
        }
        Ok(file)
    }

    fn size_after(&mut self, file: u32, bytes: u64) {
        if let Some(entry) = self.entry(file) {
            entry.size_after_bytes = Some(bytes);
        }
    }

    fn push(&mut self, op: OpRecord) -> Result<(), TraceError> {
        TraceWriter::push(self, op)
    }
}

/// A file that the application has open.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Handle {
    file: u32,
    number: u32,
}

/// Records the operations of an application.
pub(crate) struct SyntheticWriter<'a> {
    sink: &'a mut dyn Sink,
    now_ns: u64,
    stream: u32,
    handles: u32,
    /// By file: its size; `None` for directories.
    sizes: Vec<Option<u64>>,
    tally: Tally,
}

impl<'a> SyntheticWriter<'a> {
    pub(crate) fn new(sink: &'a mut dyn Sink) -> SyntheticWriter<'a> {
        SyntheticWriter { sink, now_ns: 0, stream: 0, handles: 0, sizes: Vec::new(), tally: Tally::default() }
    }

    /// The totals so far.
    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Records the final sizes of the files. Returns the totals.
    pub(crate) fn end(mut self) -> Tally {
        let sizes = || self.sizes.iter().flatten().copied();
        self.tally.file_bytes = (sizes().min().unwrap_or(0), sizes().max().unwrap_or(0));
        for (file, size) in self.sizes.iter().enumerate() {
            if let Some(size) = size {
                self.sink.size_after(file as u32, *size);
            }
        }
        self.tally
    }

    /// Adds a file that existed before.
    pub(crate) fn found(&mut self, path: String, size_bytes: u64) -> Result<u32, TraceError> {
        self.add(path, Some(size_bytes))
    }

    /// Adds a file that the application will create.
    pub(crate) fn absent(&mut self, path: String) -> Result<u32, TraceError> {
        self.add(path, None)
    }

    /// Adds a directory, whose path ends in `/`: it existed before, or the application creates it.
    pub(crate) fn directory(&mut self, path: String, existed_before: bool) -> Result<u32, TraceError> {
        self.sizes.push(None);
        let prepared = if existed_before { FOUND } else { ABSENT }.to_owned();
        self.sink.file(FileEntry { path, existed_before, prepared, ..FileEntry::default() })
    }

    fn add(&mut self, path: String, size_before_bytes: Option<u64>) -> Result<u32, TraceError> {
        self.sizes.push(Some(size_before_bytes.unwrap_or(0)));
        self.sink.file(FileEntry {
            path,
            size_before_bytes,
            existed_before: size_before_bytes.is_some(),
            prepared: if size_before_bytes.is_some() { FOUND } else { ABSENT }.to_owned(),
            ..FileEntry::default()
        })
    }

    /// Counts accesses to this file separately.
    pub(crate) fn watch(&mut self, file: u32) {
        self.tally.watch(file);
    }

    /// The current size of a file.
    pub(crate) fn size(&self, file: u32) -> u64 {
        self.sizes.get(file as usize).copied().flatten().unwrap_or(0)
    }

    /// The earliest time at which the next operation can be issued.
    pub(crate) fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Issues no operation before this time.
    pub(crate) fn wait_until(&mut self, at_ns: u64) {
        self.now_ns = self.now_ns.max(at_ns);
    }

    /// Issues no operation for `ns`.
    pub(crate) fn pause(&mut self, ns: u64) {
        self.now_ns += ns;
    }

    /// Issues the following operations as this thread.
    pub(crate) fn as_stream(&mut self, stream: u32) {
        self.stream = stream;
    }

    /// Opens an existing file, through the cache as applications do.
    pub(crate) fn open(&mut self, file: u32, bits: OpenBits) -> Result<Handle, TraceError> {
        self.handles += 1;
        let handle = Handle { file, number: self.handles };
        self.push(OpKind::Open, handle, 0, bits.0, 0)?;
        Ok(handle)
    }

    /// Creates a file and opens it for writing only.
    pub(crate) fn create(&mut self, file: u32) -> Result<Handle, TraceError> {
        self.handles += 1;
        let handle = Handle { file, number: self.handles };
        let bits = OpenBits::WRITE.with(OpenBits::CREATE).with(OpenBits::TRUNCATE);
        self.push(OpKind::Create, handle, 0, bits.0, 1)?;
        Ok(handle)
    }

    pub(crate) fn read(&mut self, handle: Handle, offset: u64, len: u32) -> Result<(), TraceError> {
        self.push(OpKind::Read, handle, offset, len, len)
    }

    /// Writes, and grows the file if the write ends beyond its end.
    pub(crate) fn write(&mut self, handle: Handle, offset: u64, len: u32) -> Result<(), TraceError> {
        if let Some(Some(size)) = self.sizes.get_mut(handle.file as usize) {
            *size = (*size).max(offset + u64::from(len));
        }
        self.push(OpKind::Write, handle, offset, len, len)
    }

    pub(crate) fn close(&mut self, handle: Handle) -> Result<(), TraceError> {
        self.push(OpKind::Close, handle, 0, 0, 0)
    }

    /// An operation on a path: listing or creating a directory.
    pub(crate) fn by_path(&mut self, kind: OpKind, file: u32) -> Result<(), TraceError> {
        self.push(kind, Handle { file, number: 0 }, 0, 0, 0)
    }

    fn push(
        &mut self,
        kind: OpKind,
        handle: Handle,
        offset: u64,
        len: u32,
        done_len: u32,
    ) -> Result<(), TraceError> {
        let issued_ns = self.now_ns;
        self.now_ns += NOMINAL_SERVICE_NS;
        let op = OpRecord {
            offset,
            due_ns: issued_ns,
            issued_ns,
            done_ns: self.now_ns,
            worker: 0,
            stream: self.stream,
            transfer: handle.number,
            file: handle.file,
            len,
            done_len,
            errno: 0,
            kind,
            flags: OpFlags::NONE,
            point: 0,
        };
        self.tally.count(&op);
        self.sink.push(op)
    }
}
