//! Importing: text that other programs wrote about an application's operations becomes a trace.
//!
//! Every importer reads its source line by line, once, with bounded memory: a source of 10 GB is as good as
//! one of 10 kB. A line that can't be understood is counted and the first ones are kept with their numbers;
//! an operation that is understood and not kept is counted by reason; what the source can't show at all is
//! in the trace's `blind_to`. Nothing is dropped silently.
//!
//! **What is kept.** Without a root, every path that looks like a file's, but neither the kernel's own
//! (`/proc`, `/sys`, `/dev`, pipes, sockets) nor the system's (`/usr`, `/lib`, `/etc`, `C:\Windows` …), which
//! are libraries and settings that any program reads. With a root, exactly what lies below it; `/` keeps
//! everything but the kernel's own. See [`scope`].
//!
//! Not here: what must exist before a trace can be replayed, which follows from the operations.

mod darshan;
mod descriptors;
pub mod detect;
mod errno;
mod etw;
mod fields;
mod fio;
mod fs_usage;
mod known;
mod lines;
mod naspt;
mod nfs;
mod ntstatus;
mod number;
mod procmon;
mod receiver;
pub mod scope;
mod sink;
mod smb2;
mod strace;
mod wire;

use std::io::{self, BufRead, Cursor, Read};
use std::path::PathBuf;

use crate::error::TraceError;
use crate::import::detect::Head;
use crate::import::lines::Lines;
use crate::import::receiver::NewTrace;
use crate::import::sink::Sink;
use crate::info::TraceInfo;
use crate::trace::Trace;

pub use crate::import::lines::MAX_LINE_BYTES;
pub use crate::import::receiver::Receiver;

/// A kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// `strace -f -ttt -T -y`, of Linux.
    Strace,
    /// fio's iolog, versions 2 and 3.
    Fio,
    /// Process Monitor's CSV, of Windows.
    Procmon,
    /// The text of `xperf -a dumper`, of Windows.
    Etw,
    /// `fs_usage -w -f filesys`, of macOS.
    FsUsage,
    /// tshark's fields of a capture of SMB2 or SMB3.
    Smb2,
    /// tshark's fields of a capture of NFS, versions 3 and 4.
    Nfs,
    /// `darshan-dxt-parser`.
    Darshan,
    /// The XML of Intel's NAS Performance Toolkit: recognised, not read.
    Naspt,
}

impl Format {
    /// Every format.
    pub const ALL: [Format; 9] = [
        Format::Strace,
        Format::Fio,
        Format::Procmon,
        Format::Etw,
        Format::FsUsage,
        Format::Smb2,
        Format::Nfs,
        Format::Darshan,
        Format::Naspt,
    ];

    /// Its name on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Format::Strace => "strace",
            Format::Fio => "fio",
            Format::Procmon => "procmon",
            Format::Etw => "etw",
            Format::FsUsage => "fs_usage",
            Format::Smb2 => "smb2",
            Format::Nfs => "nfs",
            Format::Darshan => "darshan",
            Format::Naspt => "naspt",
        }
    }

    /// The format with this name, if there is one.
    pub fn from_name(name: &str) -> Option<Format> {
        Format::ALL.into_iter().find(|format| format.name() == name)
    }

    /// How a source of this kind is made, in a sentence or a command.
    pub const fn made_by(self) -> &'static str {
        match self {
            Format::Strace => strace::COMMAND,
            Format::Fio => "fio --write_iolog=FILE",
            Format::Procmon => procmon::COMMAND,
            Format::Etw => "xperf -i FILE.etl -a dumper, of a session with FILE_IO and FILE_IO_INIT",
            Format::FsUsage => "sudo fs_usage -w -f filesys PID",
            Format::Smb2 => smb2::COMMAND,
            Format::Nfs => nfs::COMMAND,
            Format::Darshan => "darshan-dxt-parser FILE.darshan",
            Format::Naspt => "Intel NAS Performance Toolkit",
        }
    }
}

/// What to import, and how.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the trace is called.
    pub name: String,
    /// Folder in which the trace's directory is made.
    pub parent: PathBuf,
    /// Names become relative to this path, as the source spells it, and what lies outside is left out.
    pub root: Option<PathBuf>,
    /// The source's format; found out by its first lines if it is not given.
    pub format: Option<Format>,
    /// What the source is called: a file name, for the trace's own words.
    pub source: String,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ImportError {
    /// The source could not be read.
    #[error("cannot read {source_name}: {source}")]
    Io {
        /// What was read.
        source_name: String,
        /// What the system said.
        source: io::Error,
    },
    /// It is of no kind that is known.
    #[error(
        "{source_name} is of no known format: expected are the texts of {}; name the format with --format if \
         it is one of them",
        known_formats()
    )]
    Unknown {
        /// What was read.
        source_name: String,
    },
    /// It is text of two bytes per character.
    #[error("{source_name} is UTF-16 text; convert it first: iconv -f UTF-16 -t UTF-8 {source_name} > FILE")]
    Utf16 {
        /// What was read.
        source_name: String,
    },
    /// It is no text.
    #[error("{source_name} is {what}, not text; {advice}")]
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
        "{source_name} can't be read as {}: {why}; such a file is made by: {}",
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
        "{source_name} is a trace of Intel's NAS Performance Toolkit ({found}). Its outer frame is known, \
         the form of its header and of its transactions is not public, so they can't be read here. What is \
         missing is that part of Intel's \"Creating Custom Workloads\" or an app_traces folder to learn it from. The \
         twelve workloads themselves, after their published statistics, are in the list of 'reelgauge traces'"
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

/// How many of the first bytes are looked at to find out what a source is.
const HEAD_BYTES: u64 = 64 << 10;

/// Imports a source: reads it to its end and writes a trace.
///
/// # Errors
/// If it is of no known format or not of the one that was named, can't be read, holds no operation that is
/// kept, or if the trace can't be written. No trace is left behind then.
pub fn import(reader: impl BufRead, options: &Options) -> Result<Trace, ImportError> {
    let mut trace = NewTrace::new(options.parent.clone(), options.name.clone());
    let info = read(reader, options, &mut trace)?;
    Ok(trace.finish(info)?)
}

/// Reads a source to its end, and hands what it tells to a receiver. What is returned says what the trace
/// would say about itself, but for what is counted in it (operations, threads, files, time, bytes).
///
/// # Errors
/// If it is of no known format or not of the one that was named, can't be read, holds no operation that is
/// kept, or if the receiver refuses one.
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
    match format {
        Format::Strace => strace::read(&mut source)?,
        Format::Fio => fio::read(&mut source)?,
        Format::Procmon => procmon::read(&mut source)?,
        Format::Etw => etw::read(&mut source)?,
        Format::FsUsage => fs_usage::read(&mut source)?,
        Format::Smb2 => smb2::read(&mut source)?,
        Format::Nfs => nfs::read(&mut source)?,
        Format::Darshan => darshan::read(&mut source)?,
        Format::Naspt => return Err(naspt::answer(&mut source)?),
    }
    Ok(source.sink.finish().map_err(|error| hint(error, format))?)
}

/// What to look for where a capture holds no row of its protocol: tshark knows that by the server's port.
fn hint(error: TraceError, format: Format) -> TraceError {
    let decode = match format {
        Format::Smb2 => "tcp.port==PORT,nbss",
        Format::Nfs => "tcp.port==PORT,rpc",
        _ => return error,
    };
    match error {
        TraceError::NoOperations { warnings } if warnings.is_empty() => TraceError::NoOperations {
            warnings: format!(
                "tshark printed no row of this protocol; where the server listens on another port than usual, add \
                 -d {decode} to its command"
            ),
        },
        other => other,
    }
}

/// The format that was named, or that the first bytes show.
fn format_of(head: &[u8], options: &Options) -> Result<Format, ImportError> {
    let source_name = options.source.clone();
    match detect::detect(head) {
        Head::Utf16 => Err(ImportError::Utf16 { source_name }),
        Head::Binary { what, advice } => Err(ImportError::Binary { source_name, what, advice }),
        Head::Text(found) => options.format.or(found).ok_or(ImportError::Unknown { source_name }),
    }
}

/// What every importer is handed: the lines of its source, and where operations go.
pub(crate) struct Source<'a> {
    /// What the source is called.
    pub name: &'a str,
    /// Its format.
    pub format: Format,
    /// Its lines.
    pub lines: Lines<'a>,
    /// Where operations go.
    pub sink: Sink<'a>,
}

/// What one line of a source amounted to, where it is not an error of the whole import.
pub(crate) type LineResult = Result<(), LineError>;

/// Why a line came to nothing.
#[derive(Debug)]
pub(crate) enum LineError {
    /// It can't be understood: counted, the import goes on.
    Malformed(&'static str),
    /// The trace can't be written: the import ends.
    Trace(TraceError),
}

impl From<TraceError> for LineError {
    fn from(error: TraceError) -> LineError {
        LineError::Trace(error)
    }
}

impl Source<'_> {
    /// Hands every line to `line`, and counts those that can't be understood.
    pub fn each_line(
        &mut self,
        mut line: impl FnMut(&mut Sink, &[u8]) -> LineResult,
    ) -> Result<(), ImportError> {
        loop {
            let read = self.lines.next();
            let Some(read) = read.map_err(|source| io_error(self.name, source))? else { return Ok(()) };
            match read.text {
                Ok(text) => match line(&mut self.sink, text) {
                    Ok(()) => {}
                    Err(LineError::Malformed(why)) => self.sink.malformed(read.number, text, why),
                    Err(LineError::Trace(error)) => return Err(error.into()),
                },
                Err(start) => self.sink.malformed(read.number, start, "a line of more than 1 MiB"),
            }
        }
    }

    /// The first line that is not empty, for formats that begin with a header. An error if there is none.
    pub fn header(&mut self) -> Result<Vec<u8>, ImportError> {
        loop {
            let read = self.lines.next().map_err(|source| io_error(self.name, source))?;
            match read.map(|line| line.text) {
                Some(Ok(text)) if text.trim_ascii().is_empty() => {}
                Some(Ok(text)) => return Ok(text.to_vec()),
                Some(Err(_)) => return Err(self.not_of_format("its first line has more than 1 MiB")),
                None => return Err(self.not_of_format("it is empty")),
            }
        }
    }

    /// The error of a source that is not what it was taken for.
    pub fn not_of_format(&self, why: impl Into<String>) -> ImportError {
        ImportError::NotOfFormat { source_name: self.name.to_owned(), format: self.format, why: why.into() }
    }
}

fn io_error(name: &str, source: io::Error) -> ImportError {
    ImportError::Io { source_name: name.to_owned(), source }
}
