//! The reasons why a trace is not replayed. All are found before the target is accessed.

use crate::error::TraceError;
use crate::library::LibraryError;
use crate::name::BadName;

/// Why a trace is not replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// The trace can't be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The trace is not in the library.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A file name is not safe.
    #[error(
        "the trace has a file name {name:?} that {why}. Names must be relative paths inside the trace's root"
    )]
    BadName {
        /// The beginning of the name.
        name: String,
        /// The reason why it is refused.
        why: BadName,
    },
    /// An operation refers to a file that the trace does not name.
    #[error(
        "operation {op} of the trace uses file {file}, which the trace does not name. The trace is damaged"
    )]
    NoFile {
        /// Number of the operation, from 0.
        op: u64,
        file: u64,
    },
    /// An operation's offset is beyond the largest file size.
    #[error(
        "operation {op} of the trace ({kind}) is at byte {offset}, beyond the largest possible file. The \
         trace is damaged"
    )]
    OutOfRange {
        /// Number of the operation, from 0.
        op: u64,
        kind: &'static str,
        offset: u64,
    },
    /// Too many operations for the memory.
    #[error(
        "the trace has {ops} operations, but a replay keeps at most {limit} in memory. Record or import a \
         part of it"
    )]
    TooManyOps {
        /// Number of operations in the trace.
        ops: u64,
        /// Limit of operations in memory.
        limit: u64,
    },
    /// More files than a replay can use.
    #[error(
        "the trace has {files} files, but a replay can use at most {limit}. Record or import a part of it"
    )]
    TooManyFiles {
        /// Number of files in the trace.
        files: u64,
        /// Limit of files in a replay.
        limit: u64,
    },
    /// More open files than a process can have.
    #[error(
        "the trace has {open} files open at once, but a replay can have at most {limit}. Record or import a \
         part of it (traces without closes keep every file open)"
    )]
    TooManyOpen {
        open: u64,
        /// Limit of open files.
        limit: u64,
    },
    /// The trace lasts too long.
    #[error(
        "the trace lasts {days} days, so its clock was wrong or it is damaged. Shorten its pauses with \
         --idle-cap 10s, or replay it with --pace max"
    )]
    TooLong {
        /// From the first operation to the start of the last one.
        days: u64,
    },
    /// Too many threads for their numbers.
    #[error("the trace has more than {limit} threads with operations at once. Replay it with --order serial")]
    TooManyThreads {
        /// Limit of threads.
        limit: usize,
    },
    /// The dependencies between operations need too much memory.
    #[error(
        "the threads of the trace depend on each other too much for this order. Replay it with --order serial"
    )]
    TooEntangled,
    /// A name would have to be both a file and a directory.
    #[error(
        "the trace needs {name:?} to be both a file and a directory before it begins. It is damaged, or its \
         names are wrong"
    )]
    Contradiction { name: String },
    /// The trace has no operation that can be replayed.
    #[error("nothing in the trace can be replayed: {}", left_out(*ops))]
    Nothing {
        /// Number of operations in the trace.
        ops: u64,
    },
    #[error("not enough memory for the {ops} operations of the trace. Record or import a part of it")]
    Memory {
        /// Number of operations in the trace.
        ops: u64,
    },
}

fn left_out(ops: u64) -> String {
    match ops {
        0 => "it is empty".to_owned(),
        ops => format!("its {ops} operations are of kinds that Reelgauge cannot replay (locks)"),
    }
}
