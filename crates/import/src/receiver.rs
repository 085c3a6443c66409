//! The destination of an import: a new trace, or a caller that only inspects the operations.
//!
//! Importers pass parsed operations to a [`crate::sink::Sink`], which is the same for all of them. The
//! sink passes on safe names, and operations as records.

use std::path::PathBuf;

use reelgauge_record::OpRecord;
use reelgauge_record::log::{CaptureLevel, FileEntry, LogMeta};
use reelgauge_trace::{Trace, TraceError, TraceInfo, TraceWriter};

/// Receives the files and operations of an import.
pub trait Receiver {
    /// Starts the log with its metadata. Called once, before anything else, as soon as there is a file
    /// or operation.
    fn begin(&mut self, meta: LogMeta);

    /// The number of a name, from 0; a new one for a new name.
    fn file(&mut self, name: &str) -> Result<u32, TraceError>;

    /// The number of a name that has one.
    fn number_of(&self, name: &str) -> Option<u32>;

    /// The entry of a file, to be completed after the last operation.
    fn entry(&mut self, file: u32) -> Option<&mut FileEntry>;

    /// Adds an operation, approximately in order of completion.
    fn push(&mut self, op: OpRecord) -> Result<(), TraceError>;
}

/// A trace whose directory is created with the first content.
pub(crate) struct NewTrace {
    parent: PathBuf,
    name: String,
    meta: LogMeta,
    writer: Option<TraceWriter>,
}

impl NewTrace {
    /// A trace to be created in `parent`.
    pub fn new(parent: PathBuf, name: String) -> NewTrace {
        let (capture, blind_to) = (CaptureLevel::Application, Vec::new());
        let meta = LogMeta { run_ns: 0, agent: AGENT.to_owned(), capture, blind_to };
        NewTrace { parent, name, meta, writer: None }
    }

    fn writer(&mut self) -> Result<&mut TraceWriter, TraceError> {
        let writer = match self.writer.take() {
            Some(writer) => writer,
            None => TraceWriter::create(&self.parent, &self.name, self.meta.clone())?,
        };
        Ok(self.writer.insert(writer))
    }

    /// Completes the trace and renames it to its final name.
    pub fn finish(self, info: TraceInfo) -> Result<Trace, TraceError> {
        match self.writer {
            Some(writer) => writer.finish(info),
            None => Err(TraceError::NoOperations { warnings: info.warnings.join("; ") }),
        }
    }
}

/// The name of the one agent of an imported trace.
pub(crate) const AGENT: &str = "imported";

impl Receiver for NewTrace {
    fn begin(&mut self, meta: LogMeta) {
        self.meta = meta;
    }

    fn file(&mut self, name: &str) -> Result<u32, TraceError> {
        self.writer()?.file(name)
    }

    fn number_of(&self, name: &str) -> Option<u32> {
        self.writer.as_ref()?.number_of(name)
    }

    fn entry(&mut self, file: u32) -> Option<&mut FileEntry> {
        self.writer.as_mut()?.entry(file)
    }

    fn push(&mut self, op: OpRecord) -> Result<(), TraceError> {
        self.writer()?.push(op)
    }
}
