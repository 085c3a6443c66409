//! A disk for a log that only its cost is wanted of: everything succeeds, and nothing is kept.

use std::io;
use std::path::{Path, PathBuf};

use reelgauge_record::log::{Disk, PartWriter};

#[derive(Debug)]
pub(super) struct DiscardingDisk;

impl Disk for DiscardingDisk {
    fn create_dir_all(&self, _dir: &Path) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, _dir: &Path) -> io::Result<Vec<PathBuf>> {
        Ok(Vec::new())
    }

    fn create(&self, _path: &Path) -> io::Result<Box<dyn PartWriter>> {
        Ok(Box::new(io::sink()))
    }

    fn rename(&self, _from: &Path, _to: &Path) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _path: &Path) -> io::Result<()> {
        Ok(())
    }

    fn sync(&self, _path: &Path) -> io::Result<u64> {
        Ok(0)
    }

    fn sync_dir(&self, _dir: &Path) -> io::Result<()> {
        Ok(())
    }
}
