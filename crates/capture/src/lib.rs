//! The capture room: what an application does to the files of a directory, recorded by standing between the
//! two.
//!
//! A file system in user space (FUSE) is mounted over the directory. It hands every request on to what
//! lies below, and notes it: who asked, for what, when it was handed to the storage and when the result was
//! there. The application uses its usual paths, and whatever it uses to read and write (calls, io_uring,
//! memory maps) comes through here. Linux only; elsewhere [`record`] says what to use instead.
//!
//! Not here: contents of files, which nobody keeps; the trace itself and what is left of a recorder that was
//! killed, which are the trace room's; and traces of other programs, which are imported.

#[cfg(all(feature = "fuse", target_os = "linux"))]
mod anonymise;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod attributes;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod command;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod drain;
mod error;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod handles;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod holders;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod journal;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod mount;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod mutex;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod names;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod nodes;
mod options;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod passthrough;
mod recorded;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod recording;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod request_recorder;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod requests;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod storage;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod tree;
#[cfg(all(feature = "fuse", target_os = "linux"))]
mod worker_threads;

use std::path::Path;

pub use error::CaptureError;
pub use options::CaptureOptions;
pub use recorded::{CommandEnd, Recorded, Tally};

/// Records a command, or whoever uses the directory. `ready` is called with the mount point as soon as it
/// can be used.
///
/// # Errors
/// See [`CaptureError`]; nothing stays mounted.
pub fn record(options: &CaptureOptions, ready: impl FnOnce(&Path)) -> Result<Recorded, CaptureError> {
    #[cfg(all(feature = "fuse", target_os = "linux"))]
    return recording::record(options, ready);
    #[cfg(not(all(feature = "fuse", target_os = "linux")))]
    {
        let _ = (options, ready);
        Err(CaptureError::NotHere)
    }
}
