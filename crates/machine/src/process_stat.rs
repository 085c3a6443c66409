//! `/proc/PID/stat` of a process or a thread, as proc_pid_stat(5) describes it. The name is in brackets
//! and may hold anything, brackets too. procfs-core panics over a line that ends early.

/// The line of a process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProcessStat<'a> {
    /// Its number.
    pub pid: u32,
    /// The program's name, cut to 15 bytes.
    pub name: &'a str,
    /// What is behind the name: the third field and those after it.
    rest: &'a str,
}

impl<'a> ProcessStat<'a> {
    /// Reads a line; `None` where it has no number and no name.
    pub fn of(line: &'a str) -> Option<ProcessStat<'a>> {
        let (begin, rest) = line.rsplit_once(')')?;
        let (pid, name) = begin.split_once('(')?;
        Some(ProcessStat { pid: pid.trim().parse().ok()?, name, rest })
    }

    /// `R`, `S`, `D`.
    pub fn state(self) -> Option<&'a str> {
        self.field(3)
    }

    /// Whether it has ended and was not waited for yet.
    pub fn has_ended(self) -> bool {
        matches!(self.state(), Some("Z" | "X"))
    }

    /// The process that started it.
    pub fn parent(self) -> Option<u32> {
        self.field(4)?.parse().ok()
    }

    /// The kernel's flags (`PF_…`).
    pub fn flags(self) -> Option<u64> {
        self.field(9)?.parse().ok()
    }

    /// Processor time in its own code and in the kernel, in clock ticks.
    pub fn ticks(self) -> Option<(u64, u64)> {
        Some((self.field(14)?.parse().ok()?, self.field(15)?.parse().ok()?))
    }

    /// When it was started, in clock ticks since the boot.
    pub fn start_ticks(self) -> Option<u64> {
        self.field(22)?.parse().ok()
    }

    /// A field by its number in the manual page.
    fn field(self, number: usize) -> Option<&'a str> {
        self.rest.split_ascii_whitespace().nth(number - 3)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_name_may_hold_brackets_and_blanks() {
        let line = "7 (a) (b c) S 1 2 3 4 5 69238880 7 8 9 10 250 75 0 0 20 0 1 0 123456 9";
        let stat = ProcessStat::of(line).unwrap();
        assert_eq!((stat.pid, stat.name, stat.state()), (7, "a) (b c", Some("S")));
        assert_eq!((stat.parent(), stat.flags(), stat.ticks()), (Some(1), Some(69_238_880), Some((250, 75))));
        assert_eq!((stat.start_ticks(), stat.has_ended()), (Some(123_456), false));
        assert!(ProcessStat::of(&line.replace(" S ", " Z ")).unwrap().has_ended());
    }

    #[test]
    fn what_ends_early_is_unknown() {
        let short = ProcessStat::of("7 (x) R 1").unwrap();
        assert_eq!(
            (short.parent(), short.flags(), short.ticks(), short.start_ticks()),
            (Some(1), None, None, None)
        );
        for line in ["", "7 x R 1", "x (y) R 1", "7 (x"] {
            assert_eq!(ProcessStat::of(line), None, "{line}");
        }
    }
}
