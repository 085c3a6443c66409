//! The result of a recording: the trace, its totals, and the exit status of the command.

use std::path::PathBuf;

use reelgauge_trace::TraceInfo;

/// How the recorded command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// It exited with this code.
    Code(i32),
    Signal(i32),
}

/// Totals of a recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of recorded operations.
    pub ops: u64,
    /// Reads, without those that a memory map caused.
    pub reads: u64,
    /// Bytes that these reads returned.
    pub read_bytes: u64,
    /// Writes, without those that a memory map caused.
    pub writes: u64,
    /// Bytes that these writes transferred.
    pub written_bytes: u64,
    /// Reads and writes that a memory map caused.
    pub mapped: u64,
    /// Reads and writes of the maximum request size; they may be parts of longer ones.
    pub longest: u64,
    /// Operations with an error.
    pub failed: u64,
}

#[derive(Clone, Debug)]
pub struct Recorded {
    pub trace: PathBuf,
    /// The description of the trace, as in its `trace.json`.
    pub info: TraceInfo,
    /// The totals of its operations.
    pub tally: Tally,
    /// The exit status of the command; `None` without a command.
    pub command: Option<CommandEnd>,
    /// The user interrupted it before the command had ended.
    pub was_interrupted: bool,
}
