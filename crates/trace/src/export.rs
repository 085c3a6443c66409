//! Exports a trace as text for other programs. Operations without an equivalent are omitted and counted.

pub mod fio;

use crate::error::TraceError;

/// The reasons why an export failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// The trace could not be read.
    #[error(transparent)]
    Trace(#[from] TraceError),
    /// The text could not be written.
    #[error("cannot write the export: {0}")]
    Io(#[from] std::io::Error),
    /// A name is too long for the format.
    #[error(
        "the name '{name}' has more than {max_chars} characters, the most that fio reads. Import the trace \
         again with --root, which shortens names"
    )]
    NameTooLong {
        name: String,
        /// The longest name that the format allows, in characters.
        max_chars: usize,
    },
    /// A name without any safe part.
    #[error(
        "cannot export the file name '{name}': it {why}. The trace was not made by Reelgauge. Make it again \
         with 'reelgauge import' or 'reelgauge record'"
    )]
    BadName { name: String, why: crate::name::BadName },
    /// The format can't represent anything in the trace.
    #[error("cannot export the trace: it moves no data, and a fio iolog contains only reads and writes")]
    NoData,
}
