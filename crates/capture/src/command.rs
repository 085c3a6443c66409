//! The recorded command: starts it in its directory, passes Ctrl-C on, and waits for its end. Processes
//! that it leaves running are listed, but not waited for, because they may never end.

use std::ffi::OsString;
use std::io::{self, IsTerminal};
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use reelgauge_machine::process::{self, Stat, Task};
use reelgauge_machine::source::Host;
use rustix::process::{Pid, Signal, getpgrp, getpid, kill_process, set_child_subreaper};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;

use crate::CommandEnd;

/// Interval at which its end and signals are checked.
const LOOK: Duration = Duration::from_millis(5);

/// The signals that request an end.
#[derive(Debug)]
pub(crate) struct Interrupts {
    signals: Signals,
    /// Number of signals received.
    pub(crate) count: u32,
}

impl Interrupts {
    pub(crate) fn listen() -> io::Result<Interrupts> {
        Ok(Interrupts { signals: Signals::new([SIGINT, SIGTERM, SIGHUP])?, count: 0 })
    }

    fn next(&mut self) -> Option<i32> {
        let signal = self.signals.pending().next()?;
        self.count += 1;
        Some(signal)
    }

    /// Waits for a signal, or until `is_over`.
    pub(crate) fn wait(&mut self, mut is_over: impl FnMut() -> bool) {
        while self.next().is_none() && !is_over() {
            std::thread::sleep(10 * LOOK);
        }
    }
}

/// Converts an exit status.
fn end_of(status: ExitStatus) -> CommandEnd {
    match status.code() {
        Some(code) => CommandEnd::Code(code),
        None => CommandEnd::Signal(status.signal().unwrap_or(0)),
    }
}

/// The environment of a command.
#[derive(Debug)]
pub(crate) struct Surroundings<'a> {
    /// The mount point, as `REELGAUGE_DIR`.
    pub(crate) point: &'a Path,
    /// The directory to start it in, as a path, so that it is resolved in the mount and not in the
    /// directory that the mount covers.
    pub(crate) cwd: Option<PathBuf>,
    /// Redirect its standard output to standard error, because standard output is the recorder's.
    pub(crate) stdout_to_stderr: bool,
}

pub(crate) fn start(command: &[OsString], around: &Surroundings) -> io::Result<Child> {
    let (program, arguments) = command.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(program);
    command.args(arguments).env("REELGAUGE_DIR", around.point);
    if let Some(cwd) = &around.cwd {
        command.current_dir(cwd);
    }
    if around.stdout_to_stderr {
        command.stdout(Stdio::from(io::stderr()));
    }
    // Adopts the processes that the command leaves behind, so that they can be listed. On failure none
    // is listed.
    let _ = set_child_subreaper(Some(getpid()));
    command.spawn()
}

/// Waits for its end. The first signal is passed on, unless the terminal has already sent it; the second
/// kills the command.
pub(crate) fn wait(mut child: Child, interrupts: &mut Interrupts) -> io::Result<CommandEnd> {
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(end_of(status));
        }
        if let Some(signal) = interrupts.next() {
            match interrupts.count {
                1 if signal == SIGINT && terminal_tells_both() => {}
                1 => tell(&child, signal),
                _ => child.kill()?,
            }
        }
        std::thread::sleep(LOOK);
    }
}

/// Running child processes, by name and number. After the command's end, these are the ones that it left
/// running.
pub(crate) fn running_children() -> Vec<String> {
    let own = std::process::id();
    let here = Host::here();
    let stats = process::all(&here).into_iter().filter_map(|process| Task::of(process).stat(&here));
    stats.filter_map(|stat| running_child(&stat, own)).collect()
}

/// The name and number of a process, if it is a running child of `parent`.
fn running_child(stat: &Stat, parent: u32) -> Option<String> {
    let is_running = stat.parent() == Some(parent) && !stat.has_ended();
    is_running.then(|| format!("{} ({})", stat.name, stat.number))
}

fn tell(child: &Child, signal: i32) {
    let pid = i32::try_from(child.id()).ok().and_then(Pid::from_raw);
    if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
        // It may have ended just now.
        let _ = kill_process(pid, signal);
    }
}

/// Whether Ctrl-C reaches the command directly: it does if we run in the foreground of a terminal.
fn terminal_tells_both() -> bool {
    let stdin = io::stdin();
    stdin.is_terminal() && rustix::termios::tcgetpgrp(&stdin).is_ok_and(|group| group == getpgrp())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn command_runs_in_the_mount_and_its_end_is_reported() {
        let dir = tempfile::tempdir().unwrap();
        let around =
            Surroundings { point: dir.path(), cwd: Some(dir.path().to_owned()), stdout_to_stderr: true };
        let run = |script: &str| {
            let child = start(&["sh", "-c", script].map(OsString::from), &around).unwrap();
            wait(child, &mut Interrupts::listen().unwrap()).unwrap()
        };
        assert_eq!(run("test \"$REELGAUGE_DIR\" = \"$PWD\""), CommandEnd::Code(0));
        assert_eq!(run("exit 7"), CommandEnd::Code(7));
        assert_eq!(run("kill -9 $$"), CommandEnd::Signal(9));
        assert!(start(&["/no/such/program".into()], &around).is_err());
        let child = |line: &str| running_child(&Stat::of(line).unwrap(), 5);
        assert_eq!(child("17 (a (b) c) S 5 17 17 0 -1").as_deref(), Some("a (b) c (17)"));
        assert_eq!((child("17 (a) Z 5 17"), child("17 (a) S 6 17")), (None, None));
    }
}
