//! The disk that a log is written to: the few calls that the writer makes, and no others.
//!
//! [`SystemDisk`] is the one that runs write to. A simulation puts one in its place that is slow, fails and
//! runs full. The calls come a few times a second, so that going through a trait costs nothing.
//!
//! Not here: reading a log.

use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a log's writer asks of a disk.
pub trait Disk: fmt::Debug + Send + Sync {
    /// Makes a folder and those above it.
    ///
    /// # Errors
    /// The system's error, as with all of these.
    fn create_dir_all(&self, dir: &Path) -> io::Result<()>;

    /// What lies in a folder.
    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>>;

    /// Begins a file, or empties one that is there.
    fn create(&self, path: &Path) -> io::Result<Box<dyn PartWriter>>;

    /// Gives a file another name, in place of what had that name before.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Makes a file durable. Its size in bytes.
    fn sync(&self, path: &Path) -> io::Result<u64>;

    /// Makes the names in a folder durable.
    fn sync_dir(&self, dir: &Path) -> io::Result<()>;
}

/// A file of a [`Disk`] that is being written.
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
        // Opened for writing because Windows flushes no other file.
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
