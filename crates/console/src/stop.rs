//! Stopping a run: the same as Ctrl-C where it was started, so what was measured is kept.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use crate::error::ApiError;
use crate::events::{Begin, Life, life};

/// Remembers who was asked to stop: a second Ctrl-C would end a run at once, and a second click in another
/// browser doesn't mean that.
#[derive(Debug, Default)]
pub struct Stopper {
    asked: Mutex<HashSet<(u32, String)>>,
}

impl Stopper {
    /// Asks the run in this directory to stop.
    ///
    /// # Errors
    /// One that doesn't go on, or that can't be reached.
    pub fn stop(&self, run_dir: &Path) -> Result<(), ApiError> {
        let Life::Running(begin) = life(run_dir) else {
            return Err(ApiError::conflict("this run has ended already"));
        };
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if asked.contains(&(begin.pid, begin.process.clone())) {
            return Ok(());
        }
        interrupt(&begin, run_dir)?;
        asked.insert((begin.pid, begin.process));
        Ok(())
    }
}

/// Holds on to the process while it makes sure which it is, so that no other can take its number meanwhile.
#[cfg(target_os = "linux")]
fn interrupt(begin: &Begin, run_dir: &Path) -> Result<(), ApiError> {
    use rustix::process::{Pid, PidfdFlags, Signal, pidfd_open, pidfd_send_signal};

    let pid = i32::try_from(begin.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    let held = pidfd_open(pid, PidfdFlags::empty()).map_err(|_| gone())?;
    if !begin.is_alive(run_dir) {
        return Err(gone());
    }
    pidfd_send_signal(&held, Signal::INT).map_err(|error| refused(begin.pid, error))
}

#[cfg(all(unix, not(target_os = "linux")))]
fn interrupt(begin: &Begin, run_dir: &Path) -> Result<(), ApiError> {
    use rustix::process::{Pid, Signal, kill_process};

    let pid = i32::try_from(begin.pid).ok().and_then(Pid::from_raw).ok_or_else(gone)?;
    if !begin.is_alive(run_dir) {
        return Err(gone());
    }
    kill_process(pid, Signal::INT).map_err(|error| refused(begin.pid, error))
}

#[cfg(unix)]
fn gone() -> ApiError {
    ApiError::conflict("this run has ended already")
}

#[cfg(unix)]
fn refused(pid: u32, error: rustix::io::Errno) -> ApiError {
    ApiError::failed(format!("process {pid} can't be stopped ({error}); stop it where it was started"))
}

/// Ctrl-C reaches only processes of the same window here.
#[cfg(not(unix))]
fn interrupt(begin: &Begin, _run_dir: &Path) -> Result<(), ApiError> {
    Err(ApiError::failed(format!(
        "a run can't be stopped from here on Windows; press Ctrl-C where it was started, or end \
         process {} in the Task Manager, which loses its last second",
        begin.pid
    )))
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::process::ExitStatusExt;
    use std::process::Command;

    use axum::http::StatusCode;
    use reelgauge_results::live::path_in;

    use super::*;
    use crate::events::tests::{begin_line, end_line};

    /// The mark of a process, from what /proc says of it.
    fn mark(pid: u32) -> String {
        let boot = fs::read_to_string("/proc/sys/kernel/random/boot_id").unwrap();
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
        let start = stat.rsplit_once(") ").unwrap().1.split(' ').nth(19).unwrap().to_owned();
        format!("{}/{start}", boot.trim())
    }

    #[test]
    fn the_process_of_the_run_gets_one_signal_and_no_other_process_any() {
        let dir = tempfile::tempdir().unwrap();
        // Tells how many it got.
        let script =
            "trap 'n=$((n+1))' INT; n=0; i=0; while [ $i -lt 40 ]; do sleep 0.05; i=$((i+1)); done; exit $n";
        let mut child = Command::new("sh").args(["-c", script]).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        let write = |text: String| fs::write(path_in(dir.path()), text).unwrap();
        let stopper = Stopper::default();
        let is = |status| assert_eq!(stopper.stop(dir.path()).unwrap_err().status, status);
        is(StatusCode::CONFLICT);
        write(begin_line(child.id(), "another-boot/1"));
        is(StatusCode::CONFLICT);
        write(begin_line(child.id(), &mark(child.id())) + &end_line());
        is(StatusCode::CONFLICT);
        write(begin_line(child.id(), &mark(child.id())));
        stopper.stop(dir.path()).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(300));
        stopper.stop(dir.path()).unwrap();
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(1), None));
        is(StatusCode::CONFLICT);
    }
}
