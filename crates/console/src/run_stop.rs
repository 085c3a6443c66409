//! Stops a run: the same as Ctrl-C in its terminal, so its measurements are kept.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use reelgauge_runner::procedure::procedure_file::ProcedureRecord;

use crate::error::ApiError;
use crate::events::{Life, life};

/// Remembers the processes that were asked to stop: a second Ctrl-C would end a run at once, which a
/// second click in another browser does not mean.
#[derive(Debug, Default)]
pub struct Stopper {
    asked: Mutex<HashSet<(u32, String)>>,
}

impl Stopper {
    /// Asks the run in this directory to stop.
    ///
    /// # Errors
    /// If the run is not in progress, or cannot be reached.
    pub fn stop(&self, run_dir: &Path) -> Result<(), ApiError> {
        let Life::Running(begin) = life(run_dir) else {
            return Err(ApiError::conflict("this run has already ended"));
        };
        self.interrupt((begin.pid, &begin.process), &|| begin.is_alive(run_dir))
    }

    /// Asks the procedure in this directory to stop, in any step.
    ///
    /// # Errors
    /// If the procedure is not in progress, or cannot be reached.
    pub fn stop_procedure(&self, dir: &Path) -> Result<(), ApiError> {
        let record = ProcedureRecord::read(dir).map_err(|error| ApiError::conflict(error.to_string()))?;
        if !record.goes_on(dir) {
            return Err(ApiError::conflict("this procedure has already ended"));
        }
        self.interrupt(record.process(), &|| record.goes_on(dir))
    }

    fn interrupt(&self, process: (u32, &str), is_alive: &dyn Fn() -> bool) -> Result<(), ApiError> {
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (process.0, process.1.to_owned());
        if !asked.contains(&key) {
            interrupt(process.0, is_alive)?;
            asked.insert(key);
        }
        Ok(())
    }
}

/// Holds a handle on the process while it verifies its identity, so that no other process can take over
/// its number.
#[cfg(target_os = "linux")]
fn interrupt(pid: u32, is_alive: &dyn Fn() -> bool) -> Result<(), ApiError> {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let process = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    let held = pidfd_open(process, PidfdFlags::empty()).map_err(|_| gone())?;
    if !is_alive() {
        return Err(gone());
    }
    pidfd_send_signal(&held, Signal::INT).map_err(|error| refused(pid, error))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn interrupt(pid: u32, is_alive: &dyn Fn() -> bool) -> Result<(), ApiError> {
    use rustix::process::{Pid, Signal, kill_process};

    let process = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    if !is_alive() {
        return Err(gone());
    }
    kill_process(process, Signal::INT).map_err(|error| refused(pid, error))
}

#[cfg(unix)]
fn gone() -> ApiError {
    ApiError::conflict("this run has already ended")
}

#[cfg(unix)]
fn refused(pid: u32, error: rustix::io::Errno) -> ApiError {
    ApiError::failed(format!("cannot stop process {pid}: {error}. Stop it where it was started"))
}

/// On Windows, Ctrl-C reaches only processes of the same window.
#[cfg(not(unix))]
fn interrupt(pid: u32, _is_alive: &dyn Fn() -> bool) -> Result<(), ApiError> {
    Err(ApiError::failed(format!(
        "on Windows, the console cannot stop a run. Press Ctrl-C where the run was started, or end process \
         {pid} in Task Manager (the last second is lost)"
    )))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use axum::http::StatusCode;
    use reelgauge_results::live::{path_in, process::mark_of};

    use super::*;
    use crate::events::tests::{begin_line, end_line};

    #[test]
    fn the_process_of_the_run_gets_one_signal_and_no_other_process_any() {
        let dir = tempfile::tempdir().unwrap();
        // Reports how many signals it received, once the files allow it: a busy host takes its time.
        let (ready, over) = (dir.path().join("ready"), dir.path().join("over"));
        let script = "trap 'n=$((n+1))' INT; n=0; i=0; : > \"$0\"; \
                      while [ ! -e \"$1\" ] && [ $i -lt 1200 ]; do sleep 0.05; i=$((i+1)); done; exit $n";
        // Started with SIGINT ignored, as behind nohup, a shell could not trap it.
        let mut child = Command::new("env");
        child.args(["--default-signal=INT", "sh", "-c", script]).args([&ready, &over]);
        let mut child = child.spawn().unwrap();
        let pause = std::time::Duration::from_millis(20);
        while !ready.exists() {
            std::thread::sleep(pause);
        }
        let write = |text: String| fs::write(path_in(dir.path()), text).unwrap();
        let stopper = Stopper::default();
        let is = |status| assert_eq!(stopper.stop(dir.path()).unwrap_err().status, status);
        is(StatusCode::CONFLICT);
        write(begin_line(child.id(), "another-boot/1"));
        is(StatusCode::CONFLICT);
        write(begin_line(child.id(), &mark_of(child.id()).unwrap()) + &end_line());
        is(StatusCode::CONFLICT);
        write(begin_line(child.id(), &mark_of(child.id()).unwrap()));
        stopper.stop(dir.path()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        stopper.stop(dir.path()).unwrap();
        fs::write(over, "").unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(1), None));
        is(StatusCode::CONFLICT);
    }
}
