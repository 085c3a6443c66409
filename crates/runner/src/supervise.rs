//! A process that can always end.
//!
//! A thread that waits in a dead mount can keep its process from exiting for as long as the mount stays
//! dead: the kernel waits for it, or for the file's last flush. A measuring tool that hangs with the storage
//! it measures is useless in a script. So the measuring is done by a child, and this process only waits for
//! it: when the child says that it is finished, the parent ends with its exit code, whether the kernel lets
//! the child go or not.
//!
//! Ctrl-C reaches the parent, which passes it on. If the parent is killed, the kernel kills the child.
//!
//! Linux only; elsewhere the run happens in this process.

use std::io;

/// Set in the child, to the parent's process number.
#[cfg(target_os = "linux")]
const PARENT: &str = "REELGAUGE_SUPERVISED_BY";

/// Does `work` in a child process where that is possible, and returns its exit code. `work` is what this
/// same program does with these same arguments.
///
/// # Errors
/// When the child can't be started or watched.
pub fn supervised(work: impl FnOnce() -> u8) -> io::Result<u8> {
    #[cfg(target_os = "linux")]
    {
        if let Some(parent) = std::env::var_os(PARENT) {
            return Ok(linux::work_for(&parent, work));
        }
        linux::watch_child()
    }
    #[cfg(not(target_os = "linux"))]
    Ok(work())
}

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::OsStr;
    use std::io::{self, Read, Write};
    use std::os::unix::process::{CommandExt, ExitStatusExt};
    use std::process::{Child, Command, Stdio};
    use std::time::{Duration, Instant};

    use rustix::process::{Pid, Signal, getppid, kill_process, set_parent_process_death_signal};
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use super::PARENT;

    /// How long a child that has said its exit code may take to end.
    const GRACE: Duration = Duration::from_millis(500);
    const BEAT: Duration = Duration::from_millis(5);

    /// The child's side.
    pub(super) fn work_for(parent: &OsStr, work: impl FnOnce() -> u8) -> u8 {
        // Without the bond a killed parent would leave the load running; that is no reason not to measure.
        let _ = set_parent_process_death_signal(Some(Signal::KILL));
        let orphaned = getppid().is_none_or(|pid| parent != OsStr::new(&pid.as_raw_nonzero().to_string()));
        if orphaned {
            return 130;
        }
        let code = work();
        let _ = io::stdout().flush();
        // Standard input is the way back to the parent: this program reads nothing from it.
        let _ = rustix::io::write(rustix::stdio::stdin(), &[code]);
        code
    }

    /// The parent's side.
    pub(super) fn watch_child() -> io::Result<u8> {
        let (mut reader, writer) = io::pipe()?;
        let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP])?;
        let child = Command::new(std::env::current_exe()?)
            .args(std::env::args_os().skip(1))
            .env(PARENT, std::process::id().to_string())
            .stdin(Stdio::from(writer))
            // A group of its own, or Ctrl-C would reach the child twice.
            .process_group(0)
            .spawn()?;
        let pid = Pid::from_raw(child.id().cast_signed());
        std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
            for signal in signals.forever() {
                if let (Some(pid), Some(signal)) = (pid, Signal::from_named_raw(signal)) {
                    // It may just have ended.
                    let _ = kill_process(pid, signal);
                }
            }
        })?;
        let mut code = [0];
        match reader.read(&mut code)? {
            1 => farewell(child, code[0]),
            _ => outlive(child),
        }
    }

    /// The child has said its exit code and should end by itself.
    fn farewell(mut child: Child, code: u8) -> io::Result<u8> {
        let said_at = Instant::now();
        while said_at.elapsed() < GRACE {
            if child.try_wait()?.is_some() {
                return Ok(code);
            }
            std::thread::sleep(BEAT);
        }
        eprintln!(
            "reelgauge: the kernel holds process {} until the storage answers; results are complete without it",
            child.id()
        );
        Ok(code)
    }

    /// The child is ending without having said anything: it was killed, or it could not even write.
    fn outlive(mut child: Child) -> io::Result<u8> {
        let status = child.wait()?;
        let signalled = status.signal().map(|signal| 128 + signal);
        let code = status.code().or(signalled).unwrap_or(3);
        Ok(u8::try_from(code).unwrap_or(3))
    }
}
