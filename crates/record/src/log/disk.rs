//! The disk that a log is written to: the file operations of the writer.
//!
//! Runs write to [`SystemDisk`]. A simulation uses a disk that is slow, fails or becomes full. Calls are
//! made a few times a second, so the cost of a trait object is negligible.
//!
//! Not here: reading a log.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The operations that a log's writer needs.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Creates a directory and its parents.
    ///
    /// # Errors
    /// The system's error, as for all of these.
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;

    /// The entries of a directory.
    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>>;

    /// Creates a file, or truncates an existing one.
    fn create(&self, path: &Path) -> io::Result<Box<dyn PartWriter>>;

    /// Renames a file, replacing an existing one.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a file durable. Returns its size in bytes.
    fn sync(&self, path: &Path) -> io::Result<u64>;

    /// Makes the entries of a directory durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

/// A file on a [`Disk`] while it is written.
pub trait PartWriter: Write + fmt::Debug + Send {}

impl<W: Write + fmt::Debug + Send> PartWriter for W {}

/// The system's own file systems.
#[derive(Clone, Copy, Debug)]
pub struct SystemDisk;

impl Disk for SystemDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        fs::create_dir_all(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        fs::read_dir(dir)?.map(|entry| Ok(entry?.path())).collect()
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PartWriter>> {
        Ok(Box::new(File::create(path)?))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        fs::rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        fs::remove_file(path)
    }

    fn sync(&self, path: &Path) -> io::Result<u64> {
        // Opened for writing, because Windows requires that for a flush.
        let file = File::options().write(true).open(path)?;
        file.sync_all()?;
        Ok(file.metadata()?.len())
    }

    #[cfg(unix)]
    fn sync_dir(&self, dir: &Path) -> io::Result<()> {
        File::open(dir)?.sync_all()
    }

    /// Windows can't flush a directory; its file systems journal renames.
    #[cfg(not(unix))]
    fn sync_dir(&self, _dir: &Path) -> io::Result<()> {
        Ok(())
    }
}
