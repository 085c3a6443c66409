//! The parent's side: it waits for the child and can always leave.

use std::io::{self, Read, Write};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use reelgauge_machine::process::Task;
use reelgauge_machine::source::Host;
use reelgauge_report::text::plain;
use rustix::process::{Pid, Signal, getpid, kill_process};
use signal_hook::consts::{SIGCONT, SIGHUP, SIGINT, SIGTERM, SIGTSTP};
use signal_hook::iterator::Signals;

use super::activity::Progress;
use super::{Patience, parent_pipe, says};
use crate::exit_code::{BROKE_OFF, INTERRUPTED};
use crate::interrupt::TOGETHER;

/// Set in the child, to the parent's process number.
pub(super) const NUMBER: &str = "REELGAUGE_SUPERVISED_BY";

/// How long a child that has reported its exit status may take to end if the kernel holds it.
const GRACE: Duration = Duration::from_millis(500);
/// The grace period if the child has no processor to end on.
const PATIENT_GRACE: Duration = Duration::from_secs(3);
const BEAT: Duration = Duration::from_millis(5);

/// The interval of checks of the child.
const LOOK_EVERY: Duration = Duration::from_millis(100);

/// An interrupted parent waits at most two seconds for a child that storage holds.
const LEAVE_AFTER: Duration = Duration::from_millis(1500);

/// How long a child may take to close standard output.
const LET_GO_WITHIN: Duration = Duration::from_millis(200);

/// Whether the kernel holds a thread of a process, so that it can't end; `true` if unknown.
fn is_held(process: u32) -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    let (here, process) = (Host::here(), Task::of(process));
    let threads = process.threads(&here).into_iter().map(|thread| process.thread(thread).stat(&here));
    threads.flatten().any(|stat| stat.is_held())
}

/// Starts the child, and waits for it.
pub(super) fn watch_child(patience: &Patience) -> io::Result<u8> {
    let (ours, theirs) = UnixStream::pair()?;
    let signals = Signals::new([SIGINT, SIGTERM, SIGHUP, SIGTSTP, SIGCONT])?;
    let child = Command::new(std::env::current_exe()?)
        .args(std::env::args_os().skip(1))
        .env(NUMBER, std::process::id().to_string())
        .env_remove(parent_pipe::PARENT_PIPE_VARIABLE)
        .stdin(Stdio::from(OwnedFd::from(theirs)))
        // A separate process group; otherwise Ctrl-C would reach the child twice.
        .process_group(0)
        .spawn()?;
    ours.set_read_timeout(Some(LOOK_EVERY))?;
    let now = Instant::now();
    Watch { patience, child, way: ours, signals, progress: Progress::new(now), asked: None, measures: false }
        .until_over()
}

struct Watch<'a> {
    patience: &'a Patience,
    child: Child,
    way: UnixStream,
    signals: Signals,
    progress: Progress,
    /// When the user wanted the end.
    asked: Option<Instant>,
    /// Whether the load has begun: from then on the child decides.
    measures: bool,
}

impl Watch<'_> {
    fn until_over(mut self) -> io::Result<u8> {
        let mut said = [0];
        loop {
            match self.way.read(&mut said) {
                Ok(0) => return self.outlive(),
                Ok(_) if said == [says::DONE] => {
                    self.way.set_read_timeout(None)?;
                    return match self.way.read_exact(&mut said) {
                        Ok(()) => self.farewell(said[0]),
                        Err(_) => self.outlive(),
                    };
                }
                Ok(_) => self.measures = said == [says::MEASURES],
                Err(error) if is_no_answer_yet(&error) => {}
                Err(_) => return self.outlive(),
            }
            if self.take_signals() {
                return Ok(self.leave(INTERRUPTED));
            }
            if let Some(code) = self.look() {
                return Ok(code);
            }
        }
    }

    /// Whether to leave the child at once: the second signal arrived, and not directly after the first.
    fn take_signals(&mut self) -> bool {
        for number in self.signals.pending().collect::<Vec<_>>() {
            let Some(signal) = Signal::from_named_raw(number) else {
                continue;
            };
            match (signal, self.asked) {
                (Signal::TSTP, _) => self.pause(),
                (Signal::CONT, _) => self.pass_on(Signal::CONT),
                (_, None) => {
                    self.asked = Some(Instant::now());
                    self.progress.reset(Instant::now());
                    self.pass_on(signal);
                }
                (_, Some(asked)) if asked.elapsed() < TOGETHER => {}
                (_, Some(_)) => return true,
            }
        }
        false
    }

    /// Ctrl-Z: suspends the child, so that the load pauses while the display does. The child itself
    /// attributes this time to Reelgauge.
    fn pause(&mut self) {
        self.pass_on(Signal::STOP);
        // Returns when the process is continued. This signal can't be refused.
        let _ = kill_process(getpid(), Signal::STOP);
        self.pass_on(Signal::CONT);
        self.progress.reset(Instant::now());
    }

    fn pass_on(&self, signal: Signal) {
        if let Some(pid) = self.pid() {
            // It may just have ended.
            let _ = kill_process(pid, signal);
        }
    }

    fn pid(&self) -> Option<Pid> {
        Pid::from_raw(self.child.id().cast_signed())
    }

    /// Gives up a child that storage holds before anything was measured. Returns the exit status then.
    fn look(&mut self) -> Option<u8> {
        let now = Instant::now();
        if self.measures {
            // It has many threads then, and reading them would disturb the measurement.
            self.progress.reset(now);
            return None;
        }
        let idle = self.progress.idle(self.child.id(), now);
        let path = plain(&self.patience.path.display().to_string());
        if self.asked.is_some() && idle >= LEAVE_AFTER {
            eprintln!("\nreelgauge: {path} does not respond; stopped before anything was measured");
            return Some(self.leave(INTERRUPTED));
        }
        if idle >= self.patience.hang_after {
            eprintln!(
                "\nreelgauge: {path} has not responded for {:.0} s; nothing was measured. Check the \
                 storage and the network path, then repeat the run",
                idle.as_secs_f64()
            );
            return Some(self.leave(BROKE_OFF));
        }
        None
    }

    /// Leaves the child to the kernel, after it has closed our standard output and error.
    fn leave(&mut self, code: u8) -> u8 {
        let asked = self.way.write_all(&[says::LET_GO]);
        let begun = Instant::now();
        let mut said = [0];
        while asked.is_ok() && begun.elapsed() < LET_GO_WITHIN && said != [says::LET_GO_DONE] {
            match self.way.read(&mut said) {
                Ok(0) => break,
                Ok(_) => {}
                Err(error) if is_no_answer_yet(&error) => {}
                Err(_) => break,
            }
        }
        self.pass_on(Signal::KILL);
        code
    }

    /// The child has reported its exit status and should end.
    fn farewell(mut self, code: u8) -> io::Result<u8> {
        let (said_at, process) = (Instant::now(), self.child.id());
        let mut free_at = said_at;
        // A moment in the kernel is normal: every process closes files when it ends.
        while said_at.elapsed() < PATIENT_GRACE && free_at.elapsed() < GRACE {
            if self.child.try_wait()?.is_some() {
                return Ok(code);
            }
            if !is_held(process) {
                free_at = Instant::now();
            }
            std::thread::sleep(BEAT);
        }
        if is_held(process) {
            eprintln!(
                "reelgauge: process {process} cannot exit until the storage responds (uninterruptible I/O);"
            );
            eprintln!("its measurements are complete");
        }
        Ok(code)
    }

    /// The child ends without a report: it was killed, or it could not even write.
    fn outlive(mut self) -> io::Result<u8> {
        let status = self.child.wait()?;
        let signalled = status.signal().map(|signal| 128 + signal);
        let code = status.code().or(signalled).unwrap_or(i32::from(BROKE_OFF));
        Ok(u8::try_from(code).unwrap_or(BROKE_OFF))
    }
}

fn is_no_answer_yet(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut | io::ErrorKind::Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_no_longer_exists_is_not_held() {
        assert!(!cfg!(target_os = "linux") || !is_held(u32::MAX));
    }
}
