//! Which process a line is of, where lines have no number.
//!
//! strace without `-o` numbers its lines only while it traces more than one process. The first process is
//! known here as 0 until a line shows its number. A line without a number is of the one process that is left.

use std::collections::HashSet;

/// The number of the first process while nothing shows it.
pub(super) const FIRST: u32 = 0;

/// The processes and threads that are traced.
#[derive(Debug, Default)]
pub(super) struct Census {
    alive: HashSet<u32>,
    /// The number that strace gives the first process, once it is known.
    first: Option<u32>,
    has_unnumbered: bool,
    last: Option<u32>,
}

/// The most processes that are counted at a time.
const MAX_ALIVE: usize = 1 << 18;

impl Census {
    /// The process of a line without a number.
    pub fn unnumbered(&mut self) -> u32 {
        let pid = match self.alive.len() {
            1 => self.alive.iter().next().copied().unwrap_or(FIRST),
            _ if self.alive.is_empty() || self.alive.contains(&FIRST) => FIRST,
            // Some have ended without a line (`-qq`).
            _ => self.last.unwrap_or(FIRST),
        };
        self.has_unnumbered = true;
        self.seen(pid)
    }

    /// The process of a line with a number. `is_child` returns whether a new process may be one that is
    /// being made.
    pub fn numbered(&mut self, pid: u32, is_child: impl FnOnce() -> bool) -> u32 {
        if self.first == Some(pid) {
            return self.seen(FIRST);
        }
        let may_be_first = self.has_unnumbered && self.first.is_none() && !self.alive.contains(&pid);
        if may_be_first && !is_child() {
            self.first = Some(pid);
            return self.seen(FIRST);
        }
        self.seen(pid)
    }

    /// A process was made, or strace has begun to trace it.
    pub fn seen(&mut self, pid: u32) -> u32 {
        self.last = Some(pid);
        if self.alive.len() < MAX_ALIVE {
            self.alive.insert(pid);
        }
        pid
    }

    /// A process has been made, and has no line yet.
    pub fn born(&mut self, pid: u32) {
        if self.alive.len() < MAX_ALIVE {
            self.alive.insert(pid);
        }
    }

    /// A process that was traced already when strace began has this number.
    pub fn attached(&mut self, pid: u32) {
        // Its lines have no number while it is alone.
        if self.alive.is_empty() && !self.has_unnumbered {
            self.alive.insert(pid);
        }
    }

    /// A process has ended.
    pub fn ended(&mut self, pid: u32) {
        self.alive.remove(&pid);
        if pid == FIRST {
            self.first = None;
            self.has_unnumbered = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_process_gets_its_number_later() {
        let mut census = Census::default();
        assert_eq!(census.unnumbered(), FIRST);
        census.born(8);
        assert_eq!(census.numbered(8, || false), 8, "it was born");
        assert_eq!(census.numbered(7, || false), FIRST, "nobody else is left");
        assert_eq!(census.numbered(9, || true), 9);
        census.ended(8);
        census.ended(9);
        assert_eq!(census.unnumbered(), FIRST);
    }

    #[test]
    fn lines_without_a_number_are_of_the_process_that_is_left() {
        let mut census = Census::default();
        census.unnumbered();
        census.born(8);
        census.ended(FIRST);
        assert_eq!(census.unnumbered(), 8);
        let mut attached = Census::default();
        attached.attached(100);
        assert_eq!((attached.unnumbered(), attached.numbered(100, || false)), (100, 100));
    }
}
