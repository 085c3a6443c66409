//! Finds the process of a line if lines have no process number.
//!
//! strace without `-o` prints process numbers only while it traces more than one process. The first
//! process has the number 0 here until a line shows its real one. A line without a number belongs to the
//! only remaining process.

use std::collections::HashSet;

/// The number of the first process until its real one is known.
pub(super) const FIRST: u32 = 0;

/// The processes and threads that are traced.
#[derive(Debug, Default)]
pub(super) struct Census {
    alive: HashSet<u32>,
    /// The number of the first process in strace's output, once known.
    first: Option<u32>,
    has_unnumbered: bool,
    last: Option<u32>,
}

/// Limit of processes that exist at the same time.
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

    /// The process of a line with a number. `is_child` returns whether a new number may be that of a
    /// process that is being created.
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

    /// Records that a process was created, or that strace attached to it.
    pub fn seen(&mut self, pid: u32) -> u32 {
        self.last = Some(pid);
        if self.alive.len() < MAX_ALIVE {
            self.alive.insert(pid);
        }
        pid
    }

    /// Records that a process was created; it has no line yet.
    pub fn born(&mut self, pid: u32) {
        if self.alive.len() < MAX_ALIVE {
            self.alive.insert(pid);
        }
    }

    /// Records that strace attached to a process that existed before.
    pub fn attached(&mut self, pid: u32) {
        // Its lines have no number while it is alone.
        if self.alive.is_empty() && !self.has_unnumbered {
            self.alive.insert(pid);
        }
    }

    /// Records the end of a process.
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
    fn lines_without_a_process_number_belong_to_the_remaining_process() {
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
