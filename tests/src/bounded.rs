//! The binary within bounds: it may have only so many files open, and what memory it took at most is told.
//!
//! A Python process between starts it and waits for it, because the kernel tells exactly what a child took
//! only to its parent, when it has ended (`ru_maxrss`). Needs `Need::Tool("python3")`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::binary::{self, Outcome};
use crate::scratch::Scratch;

/// Starts a program, waits for it and writes down what memory it took, in KiB. Its arguments: where to, how
/// many files may be open (0: as many as here), a file whose text is its input ("-": none), the program.
const KEEPER: &str = "
import os, resource, sys
told, files, stdin, program = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4:]
pid = os.fork()
if pid == 0:
    if files:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, files))
    if stdin != '-':
        os.dup2(os.open(stdin, os.O_RDONLY), 0)
    os.execv(program[0], program)
_, status, usage = os.wait4(pid, 0)
with open(told, 'w') as file:
    file.write(str(usage.ru_maxrss))
sys.exit(os.waitstatus_to_exitcode(status) % 256)
";

/// How long a run may take; debug builds read a million operations in a few seconds.
const LIMIT: Duration = Duration::from_secs(300);

/// Bounds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds<'a> {
    /// How many files it may have open; 0 for as many as this process.
    pub open_files: u32,
    /// What it reads on standard input; a pipe may be named. Nothing, if none is.
    pub input: Option<&'a Path>,
}

/// How a run ended, and what it took.
#[derive(Debug)]
pub struct Bounded {
    /// How it ended. A signal shows as an exit code of 256 less its number.
    pub outcome: Outcome,
    /// The most memory that it had, in MiB. Never less than Python's own, about 10.
    pub peak_mib: u64,
}

/// Runs the binary to its end within bounds.
///
/// # Panics
/// If it takes more than five minutes.
#[track_caller]
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>, bounds: Bounds<'_>) -> Bounded {
    let scratch = Scratch::new();
    let told = scratch.path().join("peak");
    let mut python = Command::new("python3");
    python.args(["-c", KEEPER]).arg(&told).arg(bounds.open_files.to_string());
    python.arg(bounds.input.unwrap_or(Path::new("-"))).arg(binary::path());
    let outcome = binary::start_by(python, arguments).wait(LIMIT);
    let peak_kib: u64 = std::fs::read_to_string(&told)
        .unwrap_or_else(|why| panic!("{why}\n{}", outcome.said()))
        .parse()
        .unwrap();
    Bounded { outcome, peak_mib: peak_kib.div_ceil(1024) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::needs::Need;
    use crate::require;

    #[test]
    fn memory_is_told_and_exit_codes_come_through() {
        require!(Need::Tool("python3"));
        let good = run(["--version"], Bounds::default());
        assert!(good.outcome.code == Some(0) && good.peak_mib > 0, "{good:?}");
        assert_eq!(run(["no-such-verb"], Bounds::default()).outcome.code, Some(2));
    }
}
