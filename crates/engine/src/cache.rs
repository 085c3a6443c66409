//! What of a file lies in this machine's memory, and what a run really fetched.
//!
//! A read that the page cache answers says nothing about the storage. So a run drops its files from the
//! cache beforehand ([`drop_cached`]), looks at what lies there ([`resident`]), counts what left the cache
//! ([`reelgauge_machine::mountstats`]), and [`judge`]s from that what it really measured.
//!
//! Not here: the caches of the server, of disks and of ZFS (ARC). No client can see those; data sets larger
//! than them are the only remedy.

mod mode;
mod residency;

use std::path::{Path, PathBuf};

use crate::area::AreaDir;
#[cfg(target_os = "linux")]
use crate::beneath::open_to_read;
pub use mode::{Asked, EffectiveMode, ModeFacts, judge};
#[cfg(target_os = "linux")]
pub(crate) use residency::resident_bytes;
pub use residency::{FileResidency, How, Residency, resident};

/// Why files couldn't be dropped from the cache.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CacheError {
    /// The system has no call for it that an ordinary user may make.
    #[error(
        "this system cannot drop single files from its cache; use --direct, or a data set larger than this \
         machine's memory (on macOS, 'sudo purge' empties the whole cache)"
    )]
    Unsupported,
    /// The file couldn't be opened, written back or dropped.
    #[error("cannot drop {path} from the cache: {source}")]
    Io {
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
}

/// Writes these files back and drops them from this machine's page cache. Needs no special rights.
///
/// The kernel takes it as advice: what another process has mapped or is writing stays. Memory file systems
/// keep everything. [`resident`] tells what it came to. What lies in the `area` is reached from there.
///
/// # Errors
/// At the first file that can't be opened or written back, and where the system has no such call (macOS,
/// Windows).
pub fn drop_cached<P: AsRef<Path>>(area: Option<&AreaDir>, files: &[P]) -> Result<(), CacheError> {
    for path in files {
        drop_one(area, path.as_ref())?;
    }
    Ok(())
}

/// Drops these files from this machine's page cache as far as they are written back already. Writes nothing
/// back: for files of others, whose unwritten data are nobody's business here.
///
/// # Errors
/// At the first file that can't be opened, and where the system has no such call (macOS, Windows).
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

/// As on Linux, where the system has a call for it: not here.
///
/// # Errors
/// Always, if there are files.
#[cfg(not(target_os = "linux"))]
pub fn drop_written<P: AsRef<Path>>(files: &[P]) -> Result<(), CacheError> {
    drop_cached(None, files)
}

#[cfg(target_os = "linux")]
fn drop_one(area: Option<&AreaDir>, path: &Path) -> Result<(), CacheError> {
    let dropped = open_to_read(area, path).and_then(|file| {
        // Dirty pages can't be dropped.
        file.sync_data()?;
        rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed)?;
        Ok(())
    });
    dropped.map_err(|source| CacheError::Io { path: path.to_owned(), source })
}

#[cfg(not(target_os = "linux"))]
fn drop_one(_area: Option<&AreaDir>, _path: &Path) -> Result<(), CacheError> {
    Err(CacheError::Unsupported)
}
