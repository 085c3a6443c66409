//! A command in a process group of its own ends with all that it started, unless a process left the group.
//!
//! Not here: what ends a command that outlives this program (the runner's events).

use std::process::Child;

/// Ends a command, which leads a process group, with all processes of the group. Elsewhere than on Unix it
/// ends alone.
pub fn end_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // A group whose last process has just ended needs no end.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // Nor does a command that has ended.
    let _ = child.kill();
    let _ = child.wait();
}
