//! A process that can always end.
//!
//! A thread that waits in a dead mount can keep its process from exiting for as long as the mount stays
//! dead: the kernel waits for it, or for the file's last flush. A measuring tool that hangs with the storage
//! it measures is useless in a script. So the measuring is done by a child, and this process only waits for
//! it: when the child says that it is finished, the parent ends with its exit code, whether the kernel lets
//! the child go or not.
//!
//! * `parent`: waits, passes signals on, and gives up a child that storage holds before it could measure.
//! * `child`: says what it is about, and lets go of standard output and error when it is told to, or has
//!   done its work, so that pipes end although the kernel may hold the process.
//! * `progress`: whether a process does anything, from `/proc`.
//!
//! Once the measuring has begun the child gives up by itself ([`crate::session::drive`]), and keeps what it
//! measured: the parent doesn't interfere. Ctrl-C reaches the parent, which passes it on; Ctrl-Z stops both.
//! If the parent is killed, the kernel kills the child.
//!
//! Linux only; elsewhere the run happens in this process.

#[cfg(target_os = "linux")]
mod activity;
#[cfg(target_os = "linux")]
mod child;
pub mod leash;
pub mod own_session;
#[cfg(target_os = "linux")]
mod parent;

use std::io;
use std::path::PathBuf;
use std::time::Duration;

/// How long a verb waits for storage that does not answer, where no option says it.
pub const HANG_AFTER: Duration = Duration::from_secs(30);

/// What is waited for, and how long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patience {
    /// Where the storage is.
    pub path: PathBuf,
    /// Before anything is measured, a child that did nothing for so long waits for storage that is gone.
    pub hang_after: Duration,
}

/// Does `work` in a child process where that is possible, and returns its exit code. `work` is what this
/// same program does with these same arguments.
///
/// # Errors
/// When the child can't be started or watched.
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
        let _ = patience; // Nobody watches.
        Ok(work())
    }
}

/// Where whoever steers a run writes to it: the standard input of the process that was started, which is not
/// that of the child.
///
/// # Errors
/// When it can't be opened.
pub fn steering_input() -> io::Result<Box<dyn io::Read + Send>> {
    #[cfg(target_os = "linux")]
    if let Some(parent) = std::env::var_os(parent::NUMBER) {
        let input = PathBuf::from("/proc").join(parent).join("fd/0");
        return Ok(Box::new(std::fs::File::open(input)?));
    }
    Ok(Box::new(io::stdin()))
}

/// Says that the load begins or goes on (`true`), or that the target is looked at and made ready (`false`),
/// as long as which there is nothing to lose. Without a parent nobody hears it.
pub(crate) fn tell_measuring(is_measuring: bool) {
    #[cfg(target_os = "linux")]
    child::tell_measuring(is_measuring);
    #[cfg(not(target_os = "linux"))]
    let _ = is_measuring;
}

/// What the two say to each other: single bytes, the last one followed by the exit code.
#[cfg(target_os = "linux")]
mod says {
    /// The child: the target is being looked at and made ready.
    pub(super) const PREPARES: u8 = b'p';
    /// The child: the load has begun.
    pub(super) const MEASURES: u8 = b'm';
    /// The child: it is done; its exit code follows.
    pub(super) const DONE: u8 = b'd';
    /// The parent: it leaves, and nobody should hold its standard output and error any more.
    pub(super) const LET_GO: u8 = b'l';
    /// The child: it has let go.
    pub(super) const LET_GO_DONE: u8 = b'g';
}
