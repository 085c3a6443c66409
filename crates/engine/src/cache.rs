//! Which parts of a file are in this host's memory, and how much a run really transferred from the
//! storage.
//!
//! A read that the page cache serves does not measure the storage. So a run first drops its files from
//! the cache ([`drop_cached`]) and checks which parts are still cached ([`resident`]). It counts the
//! transferred bytes ([`reelgauge_machine::mountstats`]), and [`judge`] determines from that what it
//! really measured.
//!
//! Not here: the caches of the server, of disks and of ZFS (ARC). No client can see those; use data sets
//! larger than the caches.

mod mode;
mod residency;

use std::path::{Path, PathBuf};

use crate::area::AreaDir;
#[cfg(target_os = "linux")]
use crate::area_path::open_to_read;
pub use mode::{Asked, EffectiveMode, ModeFacts, judge};
#[cfg(windows)]
use reelgauge_workload::script::OpenMode;
#[cfg(target_os = "linux")]
pub(crate) use residency::resident_bytes;
pub use residency::{FileResidency, How, Residency, resident};

/// Why files could not be dropped from the cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The system has no such call for ordinary users.
    #[error(
        "this system cannot drop single files from its cache. Use --direct, or a data set larger than this \
         client's memory (on macOS, 'sudo purge' empties the whole cache)"
    )]
    Unsupported,
    /// The file could not be opened, written back or dropped.
    #[error("cannot drop {path} from the cache: {source}")]
    Io {
        path: PathBuf,
        /// The operating system's error.
        source: std::io::Error,
    },
}

/// Writes these files back and drops them from this host's page cache. Needs no special rights.
///
/// The kernel treats the call as a hint: pages that another process has mapped or is writing stay.
/// Memory file systems keep everything. [`resident`] shows the result. Files in the `area` are opened
/// from its directory.
///
/// # Errors
/// At the first file that cannot be opened or written back, and if the system has no such call (macOS).
pub fn drop_cached<P: AsRef<Path>>(area: Option<&AreaDir>, files: &[P]) -> Result<(), CacheError> {
    for path in files {
        drop_one(area, path.as_ref())?;
    }
    Ok(())
}

/// Drops these files from this host's page cache, as far as they are already written back. It writes
/// nothing back itself, because the unwritten data of other users must not be touched.
///
/// # Errors
/// At the first file that cannot be opened, and if the system has no such call (macOS).
#[cfg(target_os = "linux")]
pub fn drop_written<P: AsRef<Path>>(files: &[P]) -> Result<(), CacheError> {
    for path in files {
        let path = path.as_ref();
        let dropped = std::fs::File::open(path)
            .and_then(|file| Ok(rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?));
        dropped.map_err(|source| CacheError::Io { path: path.to_owned(), source })?;
    }
    Ok(())
}

/// Windows also writes them back. macOS has no such call.
///
/// # Errors
/// As [`drop_cached`].
#[cfg(not(target_os = "linux"))]
pub fn drop_written<P: AsRef<Path>>(files: &[P]) -> Result<(), CacheError> {
    drop_cached(None, files)
}

#[cfg(target_os = "linux")]
fn drop_one(area: Option<&AreaDir>, path: &Path) -> Result<(), CacheError> {
    let dropped = open_to_read(area, path).and_then(|file| {
        // Dirty pages cannot be dropped.
        file.sync_data()?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        Ok(())
    });
    dropped.map_err(|source| CacheError::Io { path: path.to_owned(), source })
}

/// Windows writes a file back and drops its pages when it is opened unbuffered while no other handle uses the
/// cache. Nothing reports whether it did.
#[cfg(windows)]
fn drop_one(area: Option<&AreaDir>, path: &Path) -> Result<(), CacheError> {
    use crate::io::{IMPOSSIBLE, Names, OpenFile};
    let names = Names::new(area, [path].into_iter());
    let mode = OpenMode { direct: true, ..OpenMode::READ };
    let opened = names.get(0).ok_or(IMPOSSIBLE).and_then(|name| OpenFile::open(name, mode));
    let source =
        |number| CacheError::Io { path: path.to_owned(), source: std::io::Error::from_raw_os_error(number) };
    opened.map(drop).map_err(source)
}

#[cfg(not(any(target_os = "linux", windows)))]
fn drop_one(_area: Option<&AreaDir>, _path: &Path) -> Result<(), CacheError> {
    Err(CacheError::Unsupported)
}
