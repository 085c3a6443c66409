//! Splits a worker's data into lines. Every piece of text ends with a NUL, a record has three pieces,
//! and pieces arrive in chunks of any size.
//!
//! Not here: the meaning of a line ([`crate::worker_record`]).

/// The longest line that is stored: the size of the original's buffer. A record has about 60 bytes.
pub const LINE_BYTES_MAX: usize = 1024;

/// Received data without its line end.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    rest: Vec<u8>,
    /// Whether the current line is longer than the limit.
    is_too_long: bool,
}

/// A line, without its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WireLine {
    /// Its text, with invalid UTF-8 replaced.
    Text(String),
    /// It was longer than [`LINE_BYTES_MAX`], and was dropped.
    TooLong,
}

impl Lines {
    /// Takes received data and returns the lines that are complete now, without empty ones.
    pub fn take(&mut self, received: &[u8]) -> Vec<WireLine> {
        let mut whole = Vec::new();
        for &byte in received {
            match byte {
                0 | b'\r' => {}
                b'\n' => whole.extend(self.end()),
                _ if self.rest.len() >= LINE_BYTES_MAX => self.is_too_long = true,
                _ => self.rest.push(byte),
            }
        }
        whole
    }

    /// The incomplete line at the end of the connection.
    pub fn end(&mut self) -> Option<WireLine> {
        let text = String::from_utf8_lossy(&self.rest).into_owned();
        self.rest.clear();
        match (std::mem::take(&mut self.is_too_long), text.is_empty()) {
            (true, _) => Some(WireLine::TooLong),
            (false, true) => None,
            (false, false) => Some(WireLine::Text(text)),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn text(text: &str) -> WireLine {
        WireLine::Text(text.to_owned())
    }

    #[test]
    fn a_record_comes_in_three_pieces_with_a_nul_each() {
        let sent = b"test000,\x000,357,64,\x00391.836525,1.849120\n\x00";
        assert_eq!(Lines::default().take(sent), [text("test000,0,357,64,391.836525,1.849120")]);
    }

    #[test]
    fn a_farewell_without_a_nul_and_an_empty_line_before_it() {
        assert_eq!(Lines::default().take(b"\n\x00bye\n"), [text("bye")]);
    }

    #[test]
    fn overlong_line_is_reported_and_the_next_is_complete() {
        let mut lines = Lines::default();
        let mut sent = vec![b'x'; LINE_BYTES_MAX + 1];
        sent.extend(b"\nhello\n");
        assert_eq!(lines.take(&sent), [WireLine::TooLong, text("hello")]);
    }

    proptest! {
        /// The lines do not depend on the size of the chunks.
        #[test]
        fn portions_make_no_difference(
            sent in prop::collection::vec(any::<u8>(), 0..3000),
            cut in 1usize..40,
        ) {
            let mut whole = Lines::default();
            let mut of_whole = whole.take(&sent);
            of_whole.extend(whole.end());
            let mut parts = Lines::default();
            let mut of_parts: Vec<WireLine> = sent.chunks(cut).flat_map(|part| parts.take(part)).collect();
            of_parts.extend(parts.end());
            prop_assert_eq!(of_whole, of_parts);
        }
    }
}
