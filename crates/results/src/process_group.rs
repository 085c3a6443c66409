//! A command in a separate process group ends together with all processes that it started, unless a
//! process left the group.
//!
//! Not here: ending a command that outlives this program (the runner's events).

use std::process::Child;

/// Ends a command that leads a process group, with all processes of the group. On systems other than
/// Unix, only the command ends.
pub fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // A group whose last process has just ended needs no signal.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // A command that has ended needs no signal, either.
    let _ = child.kill();
    let _ = child.wait();
}
