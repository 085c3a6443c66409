//! Runs an import: detects the format, and calls its importer.
//!
//! Not here: parsing lines, which is the importer's part.

use std::io::{BufRead, Cursor, Read};
use std::path::PathBuf;

use reelgauge_trace::{Trace, TraceError, TraceInfo};

use crate::detect::{self, Head};
use crate::lines::Lines;
use crate::receiver::{NewTrace, Receiver};
use crate::sink::Sink;
use crate::source::Source;
use crate::{Format, ImportError};

/// The settings of an import.
#[derive(Clone, Debug)]
pub struct Options {
    /// The name of the trace.
    pub name: String,
    /// The folder in which the trace's directory is created.
    pub parent: PathBuf,
    /// Names become relative to this path, as written in the source, and paths outside it are skipped.
    pub root: Option<PathBuf>,
    /// The source's format; detected by its first lines if not given.
    pub format: Option<Format>,
    /// The name of the source, usually a file name, for the trace's description.
    pub source: String,
}

/// Number of bytes that are read to detect the format.
const HEAD_BYTES: u64 = 64 << 10;

/// Imports a source: reads it to its end and writes a trace.
///
/// # Errors
/// If the format is unknown or not the given one, if the source can't be read or has no operation to
/// import, or if the trace can't be written. No trace remains then.
pub fn import(reader: impl BufRead, options: &Options) -> Result<Trace, ImportError> {
    let mut trace = NewTrace::new(options.parent.clone(), options.name.clone());
    let info = read(reader, options, &mut trace)?;
    Ok(trace.finish(info)?)
}

/// Reads a source to its end, and passes its operations to a receiver. Returns the trace's description,
/// without its counts (operations, threads, files, time, bytes).
///
/// # Errors
/// If the format is unknown or not the given one, if the source can't be read or has no operation to
/// import, or if the receiver refuses one.
pub fn read(
    mut reader: impl BufRead,
    options: &Options,
    receiver: &mut dyn Receiver,
) -> Result<TraceInfo, ImportError> {
    let mut head = Vec::new();
    let told = |source| ImportError::Io { source_name: options.source.clone(), source };
    reader.by_ref().take(HEAD_BYTES).read_to_end(&mut head).map_err(told)?;
    let format = format_of(&head, options)?;
    let mut head = Cursor::new(head);
    head.set_position(detect::bom_bytes(head.get_ref()));
    let mut whole = head.chain(reader);
    let mut source = Source {
        name: &options.source,
        format,
        lines: Lines::new(&mut whole),
        sink: Sink::new(format, options, receiver),
    };
    format.read(&mut source)?;
    Ok(source.sink.finish().map_err(|error| hint(error, format))?)
}

/// Adds advice if a capture has no row of its protocol: tshark recognises protocols by the server's
/// port.
fn hint(error: TraceError, format: Format) -> TraceError {
    let decode = match format {
        Format::Smb2 => "tcp.port==PORT,nbss",
        Format::Nfs => "tcp.port==PORT,rpc",
        _ => return error,
    };
    match error {
        TraceError::NoOperations { warnings } if warnings.is_empty() => TraceError::NoOperations {
            warnings: format!(
                "tshark printed no row of this protocol. If the server listens on another port than usual, \
                 add -d {decode} to its command"
            ),
        },
        other => other,
    }
}

/// The given format, or the detected one.
fn format_of(head: &[u8], options: &Options) -> Result<Format, ImportError> {
    let source_name = options.source.clone();
    match detect::detect(head) {
        Head::Utf16 => Err(ImportError::Utf16 { source_name }),
        Head::Binary { what, advice } => Err(ImportError::Binary { source_name, what, advice }),
        Head::Text(found) => options.format.or(found).ok_or(ImportError::Unknown { source_name }),
    }
}
