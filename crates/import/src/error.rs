//! The reasons why an import fails. Lines that can't be parsed are not errors: they are counted.

use std::io;

use reelgauge_trace::TraceError;

use crate::Format;

/// The reason why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The source could not be read.
    #[error("cannot read {source_name}: {source}")]
    Io {
        /// The name of the source.
        source_name: String,
        /// The system's error of the read.
        source: io::Error,
    },
    /// The format is unknown.
    #[error(
        "{source_name} has no known format. Reelgauge imports text of {}. If it is one of these, name it \
         with --format",
        known_formats()
    )]
    Unknown {
        /// The name of the source.
        source_name: String,
    },
    /// It is UTF-16 text.
    #[error("{source_name} is UTF-16 text. Convert it first: iconv -f UTF-16 -t UTF-8 {source_name} > FILE")]
    Utf16 {
        /// The name of the source.
        source_name: String,
    },
    /// It is a binary file.
    #[error("{source_name} is {what}, not text. {advice}")]
    Binary {
        /// The name of the source.
        source_name: String,
        /// The detected kind of file.
        what: &'static str,
        /// How to convert it to text.
        advice: &'static str,
    },
    /// It does not have the given format, or lacks a part without which no line can be parsed.
    #[error(
        "cannot read {source_name} as {}: {why}. Make such a file with: {}",
        format.name(),
        format.made_by()
    )]
    NotOfFormat {
        /// The name of the source.
        source_name: String,
        /// The format that was given or detected.
        format: Format,
        /// The missing or invalid part.
        why: String,
    },
    /// NASPT's XML, whose inner format is not public.
    #[error(
        "{source_name} is a trace of Intel's NAS Performance Toolkit ({found}). Reelgauge cannot read it: \
         the format of its header and transactions is not public (Intel describes it only in the \
         unpublished \"Creating Custom Workloads\"). 'reelgauge traces' lists the twelve workloads, \
         synthesized from their published statistics"
    )]
    Naspt {
        /// The name of the source.
        source_name: String,
        /// The recognised parts of it.
        found: String,
    },
    /// The trace could not be written, or would be empty.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// Names of all formats, for messages.
fn known_formats() -> String {
    Format::ALL.map(Format::name).join(", ")
}
