//! tshark's field text: a header line with the fields' names, then a row per packet. If a field occurs
//! more than once in a packet, its values are separated by `|`.

use std::collections::HashMap;

use crate::fields::Columns;
use crate::sink::{HALF, Sink};
use crate::{ImportError, Source};

/// Separates the values of a field. No name on an SMB share can contain it.
pub(crate) const AGGREGATOR: u8 = b'|';
/// Limit of calls that wait for their reply.
const MAX_WAITING: usize = 1 << 17;

/// The positions of the fields.
pub(crate) struct FieldTable {
    separator: u8,
    columns: Columns,
}

impl FieldTable {
    pub fn of(source: &mut Source<'_>, needed: &[&str], useful: &[&str]) -> Result<FieldTable, ImportError> {
        let header = source.header()?;
        let is_name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
        let Some(separator) = header.iter().copied().find(|byte| !is_name(byte)) else {
            return Err(source.not_of_format("its first line is not the header of -E header=y"));
        };
        if separator == AGGREGATOR {
            return Err(source.not_of_format("its fields are separated by '|', which must separate values"));
        }
        let names = header.split(move |&byte| byte == separator);
        let columns = Columns::find(names, needed, useful).map_err(|why| source.not_of_format(why))?;
        Ok(FieldTable { separator, columns })
    }

    /// Splits a row into fields.
    pub fn row<'r>(&self, line: &'r [u8], row: &mut Vec<&'r [u8]>) {
        row.clear();
        row.extend(line.split(|&byte| byte == self.separator));
    }

    /// A field of a row, with all its values.
    pub fn field<'r>(&self, row: &[&'r [u8]], column: usize) -> &'r [u8] {
        // Borrow from the row's bytes: they outlive the list of fields.
        self.columns.place(column).and_then(|place| row.get(place)).copied().unwrap_or_default()
    }

    /// The values of a field.
    pub fn values<'r>(&self, row: &[&'r [u8]], column: usize) -> Values<'r> {
        Values { rest: Some(self.field(row, column)).filter(|field| !field.is_empty()) }
    }

    /// Whether the source has a column.
    pub fn has(&self, column: usize) -> bool {
        self.columns.has(column)
    }
}

/// The values of a field, in order; empty ones after the last.
pub(crate) struct Values<'r> {
    rest: Option<&'r [u8]>,
}

impl<'r> Iterator for Values<'r> {
    type Item = &'r [u8];

    fn next(&mut self) -> Option<&'r [u8]> {
        let rest = self.rest?;
        let end = memchr::memchr(AGGREGATOR, rest);
        self.rest = end.map(|end| &rest[end + 1..]);
        Some(&rest[..end.unwrap_or(rest.len())])
    }
}

impl<'r> Values<'r> {
    /// The next value; empty if there is none.
    pub fn take_one(&mut self) -> &'r [u8] {
        self.next().unwrap_or_default()
    }
}

/// Calls that wait for their reply, by connection and number.
pub(crate) struct Waiting<C> {
    calls: HashMap<(u64, u64), C>,
}

impl<C> Waiting<C> {
    pub fn new() -> Waiting<C> {
        Waiting { calls: HashMap::new() }
    }

    /// Adds a call. A waiting call with the same number has lost its reply.
    pub fn call(&mut self, sink: &mut Sink, key: (u64, u64), call: C) {
        if self.calls.len() >= MAX_WAITING && !self.calls.contains_key(&key) {
            // Their replies were never captured. The oldest call can't be identified, so all waiting calls
            // are dropped.
            (0..self.calls.len()).for_each(|_| sink.leave_out(HALF));
            self.calls.clear();
        }
        if self.calls.insert(key, call).is_some() {
            sink.leave_out(HALF);
        }
    }

    /// The call to a reply.
    pub fn reply(&mut self, sink: &mut Sink, key: (u64, u64)) -> Option<C> {
        let call = self.calls.remove(&key);
        if call.is_none() {
            sink.leave_out(HALF);
        }
        call
    }

    /// The call of a reply that is not the last one.
    pub fn peek(&self, key: (u64, u64)) -> Option<&C> {
        self.calls.get(&key)
    }

    /// Handles the end of the source.
    pub fn end(&mut self, sink: &mut Sink) {
        self.calls.drain().for_each(|_| sink.leave_out(HALF));
    }
}
