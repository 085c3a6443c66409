//! The capture crate: records an application's operations on the files of a directory, with a file
//! system in between.
//!
//! A file system in user space (FUSE) is mounted over the directory. It passes every request to the
//! underlying directory, and records it: the caller, the operation, the time when it was passed to the
//! storage and the time of the result. The application uses its usual paths. All its ways to read and
//! write (system calls, io_uring, memory maps) are recorded. Linux only; elsewhere [`record`] names
//! alternatives.
//!
//! Not here: contents of files, which are never stored; the trace itself and the leftovers of a killed
//! recorder (the trace crate); and traces of other programs (the import crate).

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

/// Records a command, or all users of the directory. Calls `ready` with the mount point as soon as it
/// can be used.
///
/// # Errors
/// See [`CaptureError`]. No mount remains.
pub fn record(options: &CaptureOptions, ready: impl FnOnce(&Path)) -> Result<Recorded, CaptureError> {
    #[cfg(all(feature = "fuse", target_os = "linux"))]
    return recording::record(options, ready);
    #[cfg(not(all(feature = "fuse", target_os = "linux")))]
    {
        let _ = (options, ready);
        Err(CaptureError::NotHere)
    }
}
