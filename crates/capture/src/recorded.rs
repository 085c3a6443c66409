//! What a recording hands back: the trace, what is in it, and how the command ended.

use std::path::PathBuf;

use reelgauge_trace::TraceInfo;

/// How the recorded command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CommandEnd {
    /// With this exit code.
    Code(i32),
    Signal(i32),
}

/// What the operations of a recording add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Operations.
    pub ops: u64,
    /// Reads, without those that a memory map caused.
    pub reads: u64,
    /// What they brought, in bytes.
    pub read_bytes: u64,
    /// Writes, without those that a memory map caused.
    pub writes: u64,
    /// What they wrote, in bytes.
    pub written_bytes: u64,
    /// Reads and writes that a memory map caused.
    pub mapped: u64,
    /// Reads and writes as long as a request can be; those may be parts of longer ones.
    pub longest: u64,
    /// Operations that failed.
    pub failed: u64,
}

#[derive(Clone, Debug)]
pub struct Recorded {
    pub trace: PathBuf,
    /// The trace's description of itself.
    pub info: TraceInfo,
    /// What its operations add up to.
    pub tally: Tally,
    /// How the command ended; `None` if there was none.
    pub command: Option<CommandEnd>,
    /// The user ended it before the command had ended.
    pub was_interrupted: bool,
}
