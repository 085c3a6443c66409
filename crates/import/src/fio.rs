//! Importer for fio's iolog, versions 2 and 3, as `--write_iolog` makes it.
//!
//! ```text
//! fio version 2 iolog                          fio version 3 iolog
//! FILENAME add|open|close                      TS FILENAME add|open|close
//! FILENAME read|write|trim|sync|datasync|wait OFFSET LENGTH
//! ```
//! Times are microseconds; version 2 has only pauses, so its times are sums of these. There is one thread.
//! Cannot see: durations, threads, how files were opened, and every operation on names.

use std::collections::HashMap;

use reelgauge_record::OpKind;

use crate::number::decimal;
use crate::sink::{Op, Sink};
use crate::{ImportError, LineError, LineResult, Source};

/// Reads a whole source.
pub(crate) fn read(source: &mut Source<'_>) -> Result<(), ImportError> {
    source.sink.blind(&["durations", "threads", "open flags", "operations on names"]);
    let header = source.header()?;
    let version = match header.trim_ascii() {
        b"fio version 2 iolog" => 2,
        b"fio version 3 iolog" => 3,
        _ => return Err(source.not_of_format("it does not begin with 'fio version 2 iolog' or 3")),
    };
    let mut fio = Fio { version, now_ns: 0, open: HashMap::new() };
    source.sink.begin(0, None);
    source.each_line(|sink, line| fio.line(sink, line))
}

struct Fio {
    version: u32,
    now_ns: u64,
    /// Handles of open files, by their numbers.
    open: HashMap<u32, u32>,
}

impl Fio {
    fn line(&mut self, sink: &mut Sink, line: &[u8]) -> LineResult {
        let mut words = line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty());
        if self.version == 3 {
            let Some(time) = words.next() else { return Ok(()) };
            let at_us = decimal(time).ok_or(LineError::Malformed("no time"))?;
            self.now_ns = at_us.checked_mul(1000).ok_or(LineError::Malformed("a time beyond 500 years"))?;
        }
        let Some(name) = words.next() else {
            return if self.version == 2 { Ok(()) } else { Err(LineError::Malformed("no file name")) };
        };
        let action = words.next().ok_or(LineError::Malformed("no action"))?;
        let mut number = || words.next().and_then(decimal);
        let (offset, len) = (number(), number());
        if action == b"wait" {
            let pause_us = offset.ok_or(LineError::Malformed("no time to wait"))?;
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
            b"sync" | b"datasync" => OpKind::Sync,
            b"trim" => {
                sink.leave_out("trims");
                return Ok(());
            }
            _ => return Err(LineError::Malformed("an action that fio does not have")),
        };
        let transfer = match self.open.get(&file) {
            Some(&transfer) => transfer,
            None => {
                let transfer = sink.unseen_open(file, 0, self.now_ns)?;
                self.open.insert(file, transfer);
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
        self.open.insert(file, transfer);
        sink.push(Op { transfer, ..Op::new(OpKind::Open, file, 0, self.now_ns, self.now_ns, 0) })?;
        Ok(())
    }

    fn close(&mut self, sink: &mut Sink, file: u32) -> LineResult {
        let Some(transfer) = self.open.remove(&file) else {
            sink.leave_out("closing of files that are not open");
            return Ok(());
        };
        sink.push(Op { transfer, ..Op::new(OpKind::Close, file, 0, self.now_ns, self.now_ns, 0) })?;
        Ok(())
    }
}
