//! An existing trace: its description, files and operations.

use std::path::{Path, PathBuf};

use reelgauge_record::OpRecord;
use reelgauge_record::log::{
    AgentLog, Batch, FileEntry, LogError, LogMeta, LogReader, SkipReason, Skipped, side_by_side,
};

use crate::error::TraceError;
use crate::info::TraceInfo;

/// A trace, or a run, opened for reading. The file table is in memory, the operations are not.
#[derive(Debug)]
pub struct Trace {
    dir: PathBuf,
    info: Option<TraceInfo>,
    log: LogReader,
    files: Vec<FileEntry>,
}

impl Trace {
    /// Opens the directory of a trace or a run, or one `agent=NAME` in it. Reads no operation. A run of
    /// several hosts is one trace, if it records how their numbers and times relate.
    pub fn open(dir: &Path) -> Result<Trace, TraceError> {
        let is_agent = dir.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"agent="));
        let ops = if is_agent { dir.to_owned() } else { dir.join("ops") };
        if !ops.is_dir() {
            return Err(TraceError::NotATrace { path: dir.to_owned() });
        }
        let info = if is_agent { None } else { TraceInfo::read(dir)? };
        let log = LogReader::open(&ops)?;
        match log.agents().len() {
            1 => {}
            0 if log.skipped().iter().any(|skipped| skipped.reason == SkipReason::Torn) => {
                return Err(TraceError::Torn { path: dir.to_owned() });
            }
            0 => return Err(TraceError::NotATrace { path: dir.to_owned() }),
            _ if log.is_whole() => {}
            agents => return Err(TraceError::ManyAgents { path: dir.to_owned(), agents }),
        }
        let files = file_table(log.agents());
        Ok(Trace { dir: dir.to_owned(), info, log, files })
    }

    /// The directory of the trace.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Its name: from its description, else the directory's name.
    pub fn name(&self) -> String {
        match &self.info {
            Some(info) if !info.name.is_empty() => info.name.clone(),
            _ => self.dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        }
    }

    /// Its description; `None` for a run.
    pub fn info(&self) -> Option<&TraceInfo> {
        self.info.as_ref()
    }

    /// The metadata of its log; with several hosts, that of the first.
    pub fn meta(&self) -> &LogMeta {
        // There is at least one: see `open`.
        &self.log.agents()[0].meta
    }

    /// The files that operations refer to, by index. An index without an entry in the log has an entry
    /// without a name.
    pub fn files(&self) -> &[FileEntry] {
        &self.files
    }

    /// Number of its operations.
    pub fn ops(&self) -> u64 {
        self.log.agents().iter().map(|agent| agent.rows).fold(0, u64::saturating_add)
    }

    /// The unreadable parts of the log; should be shown to the user.
    pub fn skipped(&self) -> &[Skipped] {
        self.log.skipped()
    }

    /// The operations, in the order in which they were written. A trace is in order of issue; a run has
    /// no order between workers. Ends after the first error.
    pub fn batches(&self) -> impl Iterator<Item = Result<Vec<OpRecord>, TraceError>> + '_ {
        let ops = |batch: Result<Batch, LogError>| batch.map(|batch| batch.ops).map_err(TraceError::from);
        side_by_side(&self.log).map(ops)
    }
}

/// The file table without gaps. Indices beyond the limit of a table get no entry, so readers must handle
/// operations without a file.
fn file_table(agents: &[AgentLog]) -> Vec<FileEntry> {
    let mut files = Vec::new();
    let named = agents.iter().flat_map(|agent| &agent.files);
    for (&index, entry) in named.filter(|(index, _)| **index < crate::MAX_FILES) {
        let at = index as usize;
        files.resize(files.len().max(at + 1), FileEntry::default());
        files[at] = entry.clone();
    }
    files
}
