//! The binary with limits on open files, and with its peak memory reported.
//!
//! A Python process starts the binary and waits for it, because the kernel reports the exact memory of a
//! child (`ru_maxrss`) only to its parent, and only after it has ended. Needs `Need::Tool("python3")`.

use std::ffi::OsStr;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use crate::binary::{self, Outcome};
use crate::scratch::Scratch;

/// Starts a program, waits for it and writes its peak memory in KiB to a file. Arguments: that file, the
/// limit on open files (0: the limit of this process), a file that becomes its input ("-": none), the
/// program.
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

/// Limits of a run.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bounds<'a> {
    /// How many files it may have open; 0 for as many as this process.
    pub open_files: u32,
    /// What it reads on standard input, which may be a pipe. `None` for no input.
    pub input: Option<&'a Path>,
}

/// How a run ended, and its peak memory.
#[derive(Debug)]
pub struct Bounded {
    /// How it ended. A signal is reported as an exit code of 256 minus its number.
    pub outcome: Outcome,
    /// Peak memory in MiB. Never less than Python's own, about 10.
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
    fn peak_memory_and_exit_code_are_reported() {
        require!(Need::Tool("python3"));
        let good = run(["--version"], Bounds::default());
        assert!(good.outcome.code == Some(0) && good.peak_mib > 0, "{good:?}");
        assert_eq!(run(["no-such-verb"], Bounds::default()).outcome.code, Some(2));
    }
}
