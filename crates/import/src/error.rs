//! Why nothing was imported. What of a source can't be understood is no error: it is counted.

use std::io;

use reelgauge_trace::TraceError;

use crate::Format;

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The source could not be read.
    #[error("cannot read {source_name}: {source}")]
    Io {
        /// What was read.
        source_name: String,
        /// The system's error.
        source: io::Error,
    },
    /// It is of no kind that is known.
    #[error(
        "{source_name} has no known format. Reelgauge imports text of {}. If it is one of these, name it \
         with --format",
        known_formats()
    )]
    Unknown {
        /// What was read.
        source_name: String,
    },
    /// It is text of two bytes per character.
    #[error("{source_name} is UTF-16 text. Convert it first: iconv -f UTF-16 -t UTF-8 {source_name} > FILE")]
    Utf16 {
        /// What was read.
        source_name: String,
    },
    /// It is no text.
    #[error("{source_name} is {what}, not text. {advice}")]
    Binary {
        /// What was read.
        source_name: String,
        /// What it seems to be.
        what: &'static str,
        /// How to make text of it.
        advice: &'static str,
    },
    /// It is not of the format that was named, or lacks something without which no line can be understood.
    #[error(
        "cannot read {source_name} as {}: {why}. Make such a file with: {}",
        format.name(),
        format.made_by()
    )]
    NotOfFormat {
        /// What was read.
        source_name: String,
        /// The format.
        format: Format,
        /// What is missing or wrong.
        why: String,
    },
    /// NASPT's XML, whose inner form is not public.
    #[error(
        "{source_name} is a trace of Intel's NAS Performance Toolkit ({found}). Reelgauge cannot read it: \
         the format of its header and transactions is not public (it is in Intel's \"Creating Custom \
         Workloads\"). 'reelgauge traces' lists the twelve workloads, synthesized from their published \
         statistics"
    )]
    Naspt {
        /// What was read.
        source_name: String,
        /// What was recognised of it.
        found: String,
    },
    /// The trace could not be written, or would hold nothing.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Names of all formats, for messages.
fn known_formats() -> String {
    Format::ALL.map(Format::name).join(", ")
}
