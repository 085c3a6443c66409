//! Lines of a source, as bytes and of bounded length.
//!
//! Sources contain paths in any encoding, so lines are bytes, not `str`. A line that is complete in the
//! reader's buffer is not copied.

use std::io::{self, BufRead};

/// The longest line that is parsed. A longer one is skipped and counted as malformed.
pub const MAX_LINE_BYTES: usize = 1 << 20;
/// The part of a longer line that is kept for display.
const KEPT_OF_LONG_BYTES: usize = 256;

pub(crate) struct Lines<'a> {
    reader: &'a mut dyn BufRead,
    number: u64,
    /// Bytes of the reader's buffer that the last line used.
    used: usize,
    /// A line that was not complete in the buffer.
    put_together: Vec<u8>,
}

/// A line without its line end.
pub(crate) struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its text; for a line that is too long, `Err` with only its beginning.
    pub text: Result<&'a [u8], &'a [u8]>,
}

impl<'a> Lines<'a> {
    /// Reads lines from the current position.
    pub fn new(reader: &'a mut dyn BufRead) -> Lines<'a> {
        Lines { reader, number: 0, used: 0, put_together: Vec::new() }
    }

    /// The next line; `None` at the end.
    pub fn next(&mut self) -> io::Result<Option<Line<'_>>> {
        self.reader.consume(std::mem::take(&mut self.used));
        let buffer = fill(self.reader)?;
        if buffer.is_empty() {
            return Ok(None);
        }
        self.number += 1;
        let end = memchr::memchr(b'\n', buffer);
        let Some(end) = end.filter(|&end| end <= MAX_LINE_BYTES) else {
            return self.put_together().map(Some);
        };
        self.used = end + 1;
        let buffer = fill(self.reader)?;
        let text = buffer.get(..end).unwrap_or(buffer);
        Ok(Some(Line { number: self.number, text: Ok(without_return(text)) }))
    }

    /// Assembles a line that continues beyond the buffer.
    fn put_together(&mut self) -> io::Result<Line<'_>> {
        self.put_together.clear();
        let mut length = 0;
        loop {
            let buffer = fill(self.reader)?;
            if buffer.is_empty() {
                break;
            }
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            length += part.len();
            let room = MAX_LINE_BYTES - self.put_together.len();
            self.put_together.extend_from_slice(&part[..part.len().min(room)]);
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if end.is_some() {
                break;
            }
        }
        let text = if length > MAX_LINE_BYTES {
            Err(&self.put_together[..KEPT_OF_LONG_BYTES])
        } else {
            Ok(without_return(&self.put_together))
        };
        Ok(Line { number: self.number, text })
    }
}

/// Fills the reader's buffer; retries if a signal interrupts.
fn fill(reader: &mut dyn BufRead) -> io::Result<&[u8]> {
    loop {
        match reader.fill_buf() {
            Ok(_) => break,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    reader.fill_buf()
}

/// Removes the carriage return of Windows line ends.
fn without_return(line: &[u8]) -> &[u8] {
    line.strip_suffix(b"\r").unwrap_or(line)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::io::BufReader;

    use super::*;

    fn lines(text: &[u8], buffer: usize) -> Vec<Result<Vec<u8>, usize>> {
        let mut reader = BufReader::with_capacity(buffer, text);
        let mut lines = Lines::new(&mut reader);
        let mut found = Vec::new();
        while let Some(line) = lines.next().unwrap() {
            assert_eq!(line.number as usize, found.len() + 1);
            found.push(line.text.map(<[u8]>::to_vec).map_err(<[u8]>::len));
        }
        found
    }

    #[test]
    fn lines_are_independent_of_buffer_boundaries() {
        let text = b"one\r\n\ntwo \xff\nthree";
        let wanted: Vec<Result<Vec<u8>, usize>> =
            [&b"one"[..], b"", b"two \xff", b"three"].map(|line| Ok(line.to_vec())).to_vec();
        for buffer in [1, 2, 3, 5, 1000] {
            assert_eq!(lines(text, buffer), wanted, "{buffer}");
        }
    }

    #[test]
    fn endless_line_is_skipped_and_later_lines_are_read() {
        let mut text = vec![b'x'; MAX_LINE_BYTES + 1];
        text.extend_from_slice(b"\nnext\n");
        for buffer in [1 << 10, 1 << 22] {
            assert_eq!(lines(&text, buffer), [Err(KEPT_OF_LONG_BYTES), Ok(b"next".to_vec())]);
        }
        let longest = vec![b'y'; MAX_LINE_BYTES];
        assert_eq!(lines(&longest, 1 << 10), [Ok(longest.clone())]);
    }
}
