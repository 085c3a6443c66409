//! The log's disk in a simulated world: a folder in memory, behind the disk's faults.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use reelgauge_record::log::{Disk, PartWriter, SystemDisk};

use super::scenario::Call;
use super::world::here;

/// The simulated disk; the module describes it. Its faults are in the world.
#[derive(Debug)]
pub(super) struct FaultyDisk;

#[derive(Debug)]
struct FaultyFile(File);

impl Disk for FaultyDisk {
    fn create_dir_all(&self, dir: &Path) -> io::Result<()> {
        SystemDisk.create_dir_all(dir)
    }

    fn list(&self, dir: &Path) -> io::Result<Vec<PathBuf>> {
        let mut paths = SystemDisk.list(dir)?;
        // Any order would do, but it must be the same each time.
        paths.sort();
        Ok(paths)
    }

    fn create(&self, path: &Path) -> io::Result<Box<dyn PartWriter>> {
        here().disk_call(Call::Create, 0)?;
        Ok(Box::new(FaultyFile(File::create(path)?)))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        here().disk_call(Call::Rename, 0)?;
        let freed = to.metadata().map_or(0, |replaced| replaced.len());
        SystemDisk.rename(from, to)?;
        here().disk_gives_back(freed);
        Ok(())
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        here().disk_call(Call::Remove, 0)?;
        let freed = path.metadata().map_or(0, |removed| removed.len());
        SystemDisk.remove(path)?;
        here().disk_gives_back(freed);
        Ok(())
    }

    fn sync(&self, path: &Path) -> io::Result<u64> {
        here().disk_call(Call::Sync, 0)?;
        Ok(path.metadata()?.len())
    }

    fn sync_dir(&self, _dir: &Path) -> io::Result<()> {
        here().disk_call(Call::Sync, 0).map(|_| ())
    }
}

impl Write for FaultyFile {
    /// A write without enough space is shortened, as on a full disk.
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let fits = here().disk_call(Call::Write, bytes.len())?;
        self.0.write_all(&bytes[..fits])?;
        Ok(fits)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
