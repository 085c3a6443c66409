//! Importer for fio's iolog, versions 2 and 3, as written by `--write_iolog`.
//!
//! ```text
//! fio version 2 iolog                          fio version 3 iolog
//! FILENAME add|open|close                      TS FILENAME add|open|close
//! FILENAME read|write|trim|sync|datasync|wait OFFSET LENGTH
//! ```
//! Times are in microseconds. Version 2 has only pauses, so its times are their sums. There is one
//! thread.
//!
//! Several jobs with the same log file append to it, each with its own header and with times from 0. So
//! does another run of the same job. The file does not show which jobs ran concurrently: the order of
//! the lines is kept, and times that go backwards are noted.
//!
//! Names may contain blanks, so a line is parsed from its end. All names are kept: the log contains only
//! the benchmark's own files, and fio measures block devices (`/dev/nvme0n1`) like files.
//!
//! Cannot see: durations, threads, how files were opened, and all operations on names.

use std::collections::HashMap;

use reelgauge_record::OpKind;

use crate::number::decimal;
use crate::sink::{Op, Sink};
use crate::source_clock::Shown;
use crate::{ImportError, LineError, LineResult, Source};

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&["durations", "threads", "open flags", "operations on names"]);
    let header = source.header()?;
    let Some(version) = version_of(&header) else {
        return Err(source.not_of_format("it does not begin with 'fio version 2 iolog' or 3"));
    };
    let mut fio = Fio { version, now_ns: 0, open: HashMap::new() };
    source.sink.begin(0, None);
    source.each_line(|sink, line| fio.line(sink, line))
}

/// The version in a header line; `None` for other lines.
fn version_of(line: &[u8]) -> Option<u32> {
    match line.trim_ascii() {
        b"fio version 2 iolog" => Some(2),
        b"fio version 3 iolog" => Some(3),
        _ => None,
    }
}

struct Fio {
    version: u32,
    now_ns: u64,
    /// Handles of open files, by file number. Jobs that share a log may open a file more than once.
    open: HashMap<u32, Vec<u32>>,
}

/// The parts of a line.
#[derive(Debug, PartialEq, Eq)]
struct Said<'l> {
    name: &'l [u8],
    action: &'l [u8],
    offset: Option<u64>,
    len: Option<u64>,
}

/// Splits a line, without its time.
fn said(line: &[u8]) -> Result<Said<'_>, LineError> {
    let (rest, last) = last_word(line);
    let (len, (rest, middle)) = match decimal(last) {
        Some(number) => (Some(number), last_word(rest)),
        None => (None, (rest, &b""[..])),
    };
    let said = match (len, decimal(middle)) {
        (Some(_), Some(offset)) => {
            let (name, action) = last_word(rest);
            Said { name, action, offset: Some(offset), len }
        }
        // Lines `FILENAME wait TIME` of older versions have only one number.
        (Some(_), None) => Said { name: rest, action: middle, offset: len, len: None },
        (None, _) => Said { name: rest, action: last, offset: None, len: None },
    };
    match (said.name, said.action) {
        (_, b"") => Err(LineError::Malformed("no action")),
        (b"", _) => Err(LineError::Malformed("no file name")),
        _ => Ok(said),
    }
}

/// The last word of a line, and the text before it.
fn last_word(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.trim_ascii_end();
    let start = line.iter().rposition(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
    (line[..start].trim_ascii(), &line[start..])
}

impl Fio {
    fn line(&mut self, sink: &mut Sink, line: &[u8]) -> LineResult {
        let mut line = line.trim_ascii();
        if line.is_empty() {
            return Ok(());
        }
        if let Some(version) = version_of(line) {
            self.version = version;
            return Ok(());
        }
        if self.version == 3 {
            let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
            let at_us = decimal(&line[..end]).ok_or(LineError::Malformed("no time"))?;
            let at_ns = at_us.checked_mul(1000).ok_or(LineError::Malformed("a time beyond 500 years"))?;
            self.now_ns = sink.time(Shown { at_ns, ..Shown::default() });
            line = &line[end..];
        }
        let Said { name, action, offset, len } = said(line)?;
        if action == b"wait" {
            let pause_us = offset.ok_or(LineError::Malformed("a wait without a time"))?;
            self.now_ns = self.now_ns.saturating_add(pause_us.saturating_mul(1000));
            return Ok(());
        }
        let file = match sink.file(name)? {
            Ok(file) => file,
            Err(why) => {
                sink.leave_out(why);
                return Ok(());
            }
        };
        let kind = match action {
            b"add" => return Ok(()),
            b"open" => return self.open(sink, file),
            b"close" => return self.close(sink, file),
            b"read" => OpKind::Read,
            b"write" => OpKind::Write,
            b"sync" | b"datasync" | b"sync_file_range" => OpKind::Sync,
            b"trim" => {
                sink.leave_out("trims");
                return Ok(());
            }
            _ => return Err(LineError::Malformed("an action unknown to fio")),
        };
        let transfer = match self.open.get(&file).and_then(|handles| handles.last()) {
            Some(&transfer) => transfer,
            None => {
                let transfer = sink.unseen_open(file, 0, self.now_ns)?;
                self.open.entry(file).or_default().push(transfer);
                transfer
            }
        };
        let op = Op { transfer, ..Op::new(kind, file, 0, self.now_ns, self.now_ns, 0) };
        if !kind.moves_data() {
            return Ok(sink.push(op)?);
        }
        let (Some(offset), Some(len)) = (offset, len) else {
            return Err(LineError::Malformed("no offset and length"));
        };
        sink.push(Op { offset, len, done_len: len, ..op })?;
        Ok(())
    }

    fn open(&mut self, sink: &mut Sink, file: u32) -> LineResult {
        let transfer = sink.transfer();
        self.open.entry(file).or_default().push(transfer);
        sink.push(Op { transfer, ..Op::new(OpKind::Open, file, 0, self.now_ns, self.now_ns, 0) })?;
        Ok(())
    }

    fn close(&mut self, sink: &mut Sink, file: u32) -> LineResult {
        let Some(transfer) = self.open.get_mut(&file).and_then(Vec::pop) else {
            sink.leave_out("closes of files that are not open");
            return Ok(());
        };
        sink.push(Op { transfer, ..Op::new(OpKind::Close, file, 0, self.now_ns, self.now_ns, 0) })?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn lines_are_read_from_their_end() {
        for (line, name, action, offset, len) in [
            ("/m/with blank read 10 20", "/m/with blank", "read", Some(10), Some(20)),
            ("/m/a add", "/m/a", "add", None, None),
            ("/m/take 2 read 1 2", "/m/take 2", "read", Some(1), Some(2)),
            ("/m/take 2 close", "/m/take 2", "close", None, None),
            ("x wait 2500 0", "x", "wait", Some(2500), Some(0)),
            ("x wait 2500", "x", "wait", Some(2500), None),
        ] {
            let (name, action) = (name.as_bytes(), action.as_bytes());
            assert_eq!(said(line.as_bytes()).unwrap(), Said { name, action, offset, len }, "{line}");
        }
        for bad in ["read", "read 1 2", "1 2", ""] {
            assert!(said(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
