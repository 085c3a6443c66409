//! Whether the process that started a run is still the one with its number.
//!
//! Process numbers are reused, so a number alone is no evidence. On Linux a process is identified by the
//! time of the boot and its start time after it, which no other process shares. Other systems have the
//! number at most, and a run counts as alive while it writes its events.

use std::path::Path;
use std::time::{Duration, SystemTime};

use reelgauge_machine::process;
use reelgauge_machine::source::Host;

/// Without better evidence, a run that has written nothing for this long is not alive. It writes every
/// second.
const SILENT: Duration = Duration::from_secs(30);

/// Identifies this process among all others, before and after it; empty if the system does not support
/// it.
pub fn own_mark() -> String {
    mark_of(std::process::id()).unwrap_or_default()
}

/// Whether the process with this number and mark is alive. `events` is the file that it writes.
pub fn is_alive(pid: u32, mark: &str, events: &Path) -> bool {
    if mark.is_empty() {
        return may_exist(pid) && !is_silent(events);
    }
    mark_of(pid).as_deref() == Some(mark)
}

/// Whether the process with this number and mark ran on this host in the current boot, and no longer
/// exists. `false` if that is unknown: a run directory may be on a share, and its run may continue on
/// another host.
pub fn has_died_here(pid: u32, mark: &str) -> bool {
    let boot_of = |mark: &str| mark.split_once('/').map(|(boot, _)| boot.to_owned());
    let own_boot = boot_of(&own_mark());
    own_boot.is_some() && boot_of(mark) == own_boot && mark_of(pid).as_deref() != Some(mark)
}

/// Identifies the process, as [`process::mark_of`] defines it.
pub fn mark_of(pid: u32) -> Option<String> {
    process::mark_of(&Host::here(), pid)
}

#[cfg(unix)]
fn may_exist(pid: u32) -> bool {
    let pid = i32::try_from(pid).ok().and_then(rustix::process::Pid::from_raw);
    pid.is_some_and(|pid| match rustix::process::test_kill_process(pid) {
        Ok(()) => true,
        // It exists, and belongs to another user.
        Err(error) => error == rustix::io::Errno::PERM,
    })
}

#[cfg(not(unix))]
fn may_exist(_pid: u32) -> bool {
    true
}

fn is_silent(events: &Path) -> bool {
    let written = events.metadata().and_then(|metadata| metadata.modified());
    // A clock that was set back makes it look recent, which only costs time.
    written.map_or(true, |at| SystemTime::now().duration_since(at).is_ok_and(|since| since > SILENT))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn this_process_is_alive_and_an_ended_one_is_not() {
        let events = Path::new("/nonexistent");
        let mark = own_mark();
        assert!(!mark.is_empty() && is_alive(std::process::id(), &mark, events));
        assert!(!is_alive(std::process::id(), &format!("{mark}0"), events));
        let mut child = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        let (pid, mark) = (child.id(), mark_of(child.id()).unwrap());
        assert!(is_alive(pid, &mark, events));
        assert!(!has_died_here(pid, &mark));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!is_alive(pid, &mark, events));
        assert!(has_died_here(pid, &mark));
        assert!(!has_died_here(pid, "another-machine/77"));
    }

    #[test]
    fn without_a_mark_a_run_lives_while_it_writes() {
        let events = tempfile::NamedTempFile::new().unwrap();
        let own = std::process::id();
        assert!(is_alive(own, "", events.path()));
        events.as_file().set_modified(SystemTime::now() - 2 * SILENT).unwrap();
        assert!(!is_alive(own, "", events.path()));
        assert!(!is_alive(own, "", Path::new("/nonexistent")));
    }
}
