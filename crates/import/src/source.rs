//! The input of every importer: the lines of a source, and the possible results of a line.

use std::io;

use reelgauge_trace::TraceError;

use crate::lines::Lines;
use crate::sink::Sink;
use crate::{Format, ImportError};

/// The input of an importer: the lines of its source, and the destination of its operations.
pub(crate) struct Source<'a> {
    /// The name of the source.
    pub name: &'a str,
    pub format: Format,
    pub lines: Lines<'a>,
    /// The destination of operations.
    pub sink: Sink<'a>,
}

/// The result of one line.
pub(crate) type LineResult = Result<(), LineError>;

/// The reason why a line was not processed.
#[derive(Debug)]
pub(crate) enum LineError {
    /// It can't be parsed: it is counted, and the import continues.
    Malformed(&'static str),
    /// It shows that the whole source is unusable: the import ends.
    Refused(&'static str),
    /// The trace can't be written: the import ends.
    Trace(TraceError),
}

impl From<TraceError> for LineError {
    fn from(error: TraceError) -> LineError {
        LineError::Trace(error)
    }
}

impl Source<'_> {
    /// Passes each line to `line`, and counts those that can't be parsed.
    pub fn each_line(
        &mut self,
        mut line: impl FnMut(&mut Sink, &[u8]) -> LineResult,
    ) -> Result<(), ImportError> {
        loop {
            let read = self.lines.next();
            let Some(read) = read.map_err(|source| io_error(self.name, source))? else { return Ok(()) };
            self.sink.line = read.number;
            match read.text {
                Ok(text) => match line(&mut self.sink, text) {
                    Ok(()) => {}
                    Err(LineError::Refused(why)) => return Err(self.not_of_format(why)),
                    Err(LineError::Malformed(why)) => self.sink.malformed(read.number, text, why),
                    Err(LineError::Trace(error)) => return Err(error.into()),
                },
                Err(start) => self.sink.malformed(read.number, start, "a line of more than 1 MiB"),
            }
        }
    }

    /// The first line that is not empty, for formats with a header. An error if there is none.
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

    /// The error for a source that does not have its expected format.
    pub fn not_of_format(&self, why: impl Into<String>) -> ImportError {
        ImportError::NotOfFormat { source_name: self.name.to_owned(), format: self.format, why: why.into() }
    }
}

fn io_error(name: &str, source: io::Error) -> ImportError {
    ImportError::Io { source_name: name.to_owned(), source }
}
