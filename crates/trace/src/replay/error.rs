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
        "the trace names a file {name:?}, which {why}; its names must be relative paths inside its own root"
    )]
    BadName {
        /// The beginning of the name.
        name: String,
        /// What is wrong with it.
        why: BadName,
    },
    /// An operation is on a file that the trace doesn't name.
    #[error("operation {op} of the trace is on file {file}, which the trace does not name; it is damaged")]
    NoFile {
        /// Its number, from 0.
        op: u64,
        file: u64,
    },
    /// An operation lies where no file has a place.
    #[error(
        "operation {op} of the trace ({kind}) is at byte {offset}, beyond what any file can hold; it is damaged"
    )]
    OutOfRange {
        /// Its number, from 0.
        op: u64,
        kind: &'static str,
        offset: u64,
    },
    /// More than is held in memory.
    #[error(
        "the trace has {ops} operations, and a replay holds at most {limit} in memory; record or import a part of it"
    )]
    TooManyOps {
        /// How many it has.
        ops: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// More names than a replay can have files.
    #[error("the trace names {files} files, and a replay can have {limit}; record or import a part of it")]
    TooManyFiles {
        /// How many it names.
        files: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// More open files than a process can have.
    #[error(
        "the trace has {open} files open at once, and a replay can have {limit}; record or import a part of it \
         (traces that miss closes keep every file open)"
    )]
    TooManyOpen {
        open: u64,
        /// How many are allowed.
        limit: u64,
    },
    /// A time too long to wait for.
    #[error(
        "the trace goes on for {days} days, so a clock was wrong in it or it is damaged; leave out its pauses with \
         --idle-cap 10s, or replay it with --pace max"
    )]
    TooLong {
        /// From its first operation to the beginning of the last.
        days: u64,
    },
    /// More threads than can be distinguished.
    #[error("the trace has operations of more than {limit} threads at once; replay it with --order serial")]
    TooManyThreads {
        /// How many are allowed.
        limit: usize,
    },
    /// What waits for what takes too much memory.
    #[error(
        "the threads of the trace depend on each other too much for this order; replay it with --order serial"
    )]
    TooEntangled,
    /// Something has to be a file and a directory.
    #[error(
        "the trace needs {name:?} to be a file and a directory before it begins; it is damaged, or its names are wrong"
    )]
    Contradiction { name: String },
    /// Nothing in it can be done again.
    #[error("nothing in the trace can be replayed: {}", left_out(*ops))]
    Nothing {
        /// How many operations it has.
        ops: u64,
    },
    #[error("there is not enough memory for the {ops} operations of the trace")]
    Memory {
        /// How many it has.
        ops: u64,
    },
}

fn left_out(ops: u64) -> String {
    match ops {
        0 => "it is empty".to_owned(),
        ops => format!("its {ops} operations are of kinds that have no equivalent here (locks)"),
    }
}
