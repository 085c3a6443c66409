//! Where an import's files and operations go: into a new trace, or to a caller that only inspects them.
//!
//! Importers put what they have understood into a [`crate::sink::Sink`], which is the same for all of them;
//! it hands over names that are safe, and operations as records.

use std::path::PathBuf;

use reelgauge_record::OpRecord;
use reelgauge_record::log::{CaptureLevel, FileEntry, LogMeta};
use reelgauge_trace::{Trace, TraceError, TraceInfo, TraceWriter};

/// Takes the files and operations of an import.
pub trait Receiver {
    /// The log's description of itself. Once, before anything else, as soon as there is a file or
    /// operation.
    fn begin(&mut self, meta: LogMeta);

    /// The number of a name, counted from 0: a new one if the name is new.
    fn file(&mut self, name: &str) -> Result<u32, TraceError>;

    /// The number of a name that has one.
    fn number_of(&self, name: &str) -> Option<u32>;

    /// What is known of a file, to be completed when all operations have come.
    fn entry(&mut self, file: u32) -> Option<&mut FileEntry>;

    /// An operation, about in order of completion.
    fn push(&mut self, op: OpRecord) -> Result<(), TraceError>;
}

/// A trace, whose directory is made when there is something to put into it.
pub(crate) struct NewTrace {
    parent: PathBuf,
    name: String,
    meta: LogMeta,
    writer: Option<TraceWriter>,
}

impl NewTrace {
    /// One that will lie in `parent`.
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

    /// Writes it to its end.
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
