//! A process that can always end.
//!
//! A thread that waits in a dead mount can keep its process from exiting for as long as the mount stays
//! dead: the kernel waits for it, or for the file's last flush. A measuring tool that hangs with the
//! storage it measures is useless in a script. So a child process does the measuring, and this process
//! only waits for it: when the child reports that it is finished, the parent ends with its exit status,
//! whether the kernel lets the child end or not.
//!
//! * `parent`: waits, passes signals on, and gives up a child that storage holds before it could
//!   measure.
//! * `child`: reports its state, and closes standard output and error on request or after its work, so
//!   that pipes end even if the kernel holds the process.
//! * `progress`: whether a process does anything, from `/proc`.
//!
//! Once the measuring has begun the child gives up hung storage itself ([`crate::session::drive`]), and
//! keeps its measurements: the parent does not interfere. Ctrl-C reaches the parent, which passes it on;
//! Ctrl-Z stops both. If the parent is killed, the kernel kills the child.
//!
//! Linux only; on other systems the run happens in this process.

#[cfg(target_os = "linux")]
mod activity;
#[cfg(target_os = "linux")]
mod child;
pub mod own_session;
#[cfg(target_os = "linux")]
mod parent;
pub mod parent_pipe;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How long a verb without such an option waits for storage that does not answer.
pub const HANG_AFTER: Duration = Duration::from_secs(30);

/// The storage to wait for, and the time limit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// The path to the storage.
    pub path: PathBuf,
    /// A child that does nothing for this long, before anything is measured, waits for storage that no
    /// longer answers.
    pub hang_after: Duration,
}

/// Does `work` in a child process if possible, and returns its exit status. `work` is what this same
/// program does with these same arguments.
///
/// # Errors
/// If the child cannot be started or watched.
pub fn supervised(patience: &Patience, work: impl FnOnce() -> u8) -> io::Result<u8> {
    #[cfg(target_os = "linux")]
    {
        if let Some(parent) = std::env::var_os(parent::NUMBER) {
            return Ok(child::work_for(&parent, work));
        }
        parent::watch_child(patience)
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = patience; // Without a parent process there is no time limit.
        Ok(work())
    }
}

/// The input of a remotely controlled run: the standard input of the process that was started, which is
/// not that of the child.
///
/// # Errors
/// If it cannot be opened.
pub fn steering_input() -> io::Result<Box<dyn io::Read + Send>> {
    #[cfg(target_os = "linux")]
    if let Some(parent) = std::env::var_os(parent::NUMBER) {
        let input = PathBuf::from("/proc").join(parent).join("fd/0");
        return Ok(Box::new(std::fs::File::open(input)?));
    }
    Ok(Box::new(io::stdin()))
}

/// Reports that the load begins or continues (`true`), or that the target is being inspected and
/// prepared (`false`), when there is nothing to lose yet. Without a parent it has no effect.
pub(crate) fn tell_measuring(is_measuring: bool) {
    #[cfg(target_os = "linux")]
    child::tell_measuring(is_measuring);
    #[cfg(not(target_os = "linux"))]
    let _ = is_measuring;
}

/// The messages between the two processes: single bytes, the last one followed by the exit status.
#[cfg(target_os = "linux")]
mod says {
    /// From the child: the target is being inspected and prepared.
    pub(super) const PREPARES: u8 = b'p';
    /// From the child: the load has begun.
    pub(super) const MEASURES: u8 = b'm';
    /// From the child: it is done; its exit status follows.
    pub(super) const DONE: u8 = b'd';
    /// From the parent: it ends, so the child must close its standard output and error.
    pub(super) const LET_GO: u8 = b'l';
    /// From the child: it has closed them.
    pub(super) const LET_GO_DONE: u8 = b'g';
}
