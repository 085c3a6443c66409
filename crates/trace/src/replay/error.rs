//! Why a trace is not replayed. All of it is known before the target is touched.

use crate::error::TraceError;
use crate::library::LibraryError;
use crate::name::BadName;

/// Why a trace is not replayed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReplayError {
    /// It can't be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// It is not in the library.
    #[error(transparent)]
    Library(#[from] LibraryError),
    /// A name in it is not safe.
    #[error(
        "the trace has a file name {name:?} that {why}. Names must be relative paths inside the trace's root"
    )]
    BadName {
        /// The beginning of the name.
        name: String,
        /// What is wrong with it.
        why: BadName,
    },
    /// An operation is on a file that the trace doesn't name.
    #[error(
        "operation {op} of the trace uses file {file}, which the trace does not name. The trace is damaged"
    )]
    NoFile {
        /// Its number, from 0.
        op: u64,
        file: u64,
    },
    /// An operation lies where no file has a place.
    #[error(
        "operation {op} of the trace ({kind}) is at byte {offset}, beyond the largest possible file. The \
         trace is damaged"
    )]
    OutOfRange {
        /// Its number, from 0.
        op: u64,
        kind: &'static str,
        offset: u64,
    },
    /// More than is held in memory.
    #[error(
        "the trace has {ops} operations, but a replay keeps at most {limit} in memory. Record or import a \
         part of it"
    )]
    TooManyOps {
        /// How many it has.
        ops: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// More names than a replay can have files.
    #[error(
        "the trace has {files} files, but a replay can use at most {limit}. Record or import a part of it"
    )]
    TooManyFiles {
        /// How many it names.
        files: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// More open files than a process can have.
    #[error(
        "the trace has {open} files open at once, but a replay can have at most {limit}. Record or import a \
         part of it (traces without closes keep every file open)"
    )]
    TooManyOpen {
        open: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// A time too long to wait for.
    #[error(
        "the trace lasts {days} days, so its clock was wrong or it is damaged. Shorten its pauses with \
         --idle-cap 10s, or replay it with --pace max"
    )]
    TooLong {
        /// From its first operation to the beginning of the last.
        days: u64,
    },
    /// More threads than can be distinguished.
    #[error("the trace has more than {limit} threads with operations at once. Replay it with --order serial")]
    TooManyThreads {
        /// How many are allowed.
        limit: usize,
    },
    /// What waits for what takes too much memory.
    #[error(
        "the threads of the trace depend on each other too much for this order. Replay it with --order serial"
    )]
    TooEntangled,
    /// Something has to be a file and a directory.
    #[error(
        "the trace needs {name:?} to be both a file and a directory before it begins. It is damaged, or its \
         names are wrong"
    )]
    Contradiction { name: String },
    /// Nothing in it can be done again.
    #[error("nothing in the trace can be replayed: {}", left_out(*ops))]
    Nothing {
        /// How many operations it has.
        ops: u64,
    },
    #[error("not enough memory for the {ops} operations of the trace. Record or import a part of it")]
    Memory {
        /// How many it has.
        ops: u64,
    },
}

fn left_out(ops: u64) -> String {
    match ops {
        0 => "it is empty".to_owned(),
        ops => format!("its {ops} operations are of kinds that Reelgauge cannot replay (locks)"),
    }
}
