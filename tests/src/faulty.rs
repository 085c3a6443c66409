//! A file system that fails on demand.
//!
//! It forwards every request to a folder on disk until a test switches a fault on:
//!
//! - errors on reads, writes or syncs (everywhere, in a byte range, or after so many operations),
//! - short reads, flipped bits, delays (of everything, or of first reads),
//! - a limited bandwidth, of all files together or of each open file. It can fall as the volume fills,
//!   as files are written or when too many requests wait,
//! - extra costs of edits and of growing files, and requests that are never answered,
//! - a clock that is off, names without case, renames that are refused, locks that are granted to every
//!   process.
//!
//! It is not fast, and not meant to be.
//!
//! It does not imitate a cache. Files are opened with direct I/O, so that every read and write of the
//! binary arrives here.

mod costs;
mod faults;
mod passthrough;
mod pipe;

use std::path::PathBuf;
use std::sync::Arc;

use fuser::{BackgroundSession, Config, MountOption};

use crate::mounts::{self, TempMount};
use crate::needs::Need;
use crate::scratch::Scratch;

pub use faults::Faults;
pub use passthrough::DataPath;
use passthrough::Passthrough;

/// The requirements of [`Faulty::mount`].
pub const NEEDS: &[Need] = &[Need::Root, Need::Fuse, Need::FileSystem("fuse")];

/// The mounted file system. Unmounted on drop, after all hanging requests are released.
#[derive(Debug)]
pub struct Faulty {
    faults: Arc<Faults>,
    session: Option<BackgroundSession>,
    scratch: Scratch,
    backing: PathBuf,
    /// Declared last: dropped only after the file system mounted over it.
    _memory: Option<TempMount>,
}

impl Faulty {
    /// Mounts it over an empty folder on disk.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn mount() -> Faulty {
        let scratch = Scratch::new();
        let backing = scratch.dir("backing");
        Faulty::over(backing, scratch, None, 4)
    }

    /// The same, but it grants every lock to every process.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn granting_every_lock() -> Faulty {
        let scratch = Scratch::new();
        let backing = scratch.dir("backing");
        let faults = Arc::new(Faults::none());
        let file_system = Passthrough::new(backing.clone(), Arc::clone(&faults), None).granting_locks();
        let session = mounted_in(&scratch, file_system, vec![MountOption::FSName("rge-faulty".into())], 4);
        Faulty { faults, session: Some(session), scratch, backing, _memory: None }
    }

    /// Mounts it over memory, so that no disk below adds delays. That many requests can wait at the same
    /// time.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn over_memory(mib: u32, requests: usize) -> Faulty {
        let memory = TempMount::tmpfs(mib);
        Faulty::over(memory.path().to_owned(), Scratch::new(), Some(memory), requests)
    }

    /// Mounts it over a folder, with file contents on another data path. `source` and the kind
    /// (`fuse.KIND`) appear in the mount table.
    ///
    /// # Panics
    /// If it cannot be mounted.
    pub fn through(data: Arc<dyn DataPath>, backing: PathBuf, source: &str, kind: &str) -> Faulty {
        let options = [MountOption::FSName(source.to_owned()), MountOption::Subtype(kind.to_owned())];
        let faults = Arc::new(Faults::none());
        let file_system = Passthrough::new(backing.clone(), Arc::clone(&faults), Some(data));
        let scratch = Scratch::new();
        let session = mounted_in(&scratch, file_system, options.to_vec(), 2);
        Faulty { faults, session: Some(session), scratch, backing, _memory: None }
    }

    fn over(backing: PathBuf, scratch: Scratch, memory: Option<TempMount>, requests: usize) -> Faulty {
        let faults = Arc::new(Faults::none());
        let file_system = Passthrough::new(backing.clone(), Arc::clone(&faults), None);
        let options = vec![MountOption::FSName("rge-faulty".into())];
        let session = mounted_in(&scratch, file_system, options, requests);
        Faulty { faults, session: Some(session), scratch, backing, _memory: memory }
    }

    pub fn path(&self) -> PathBuf {
        self.scratch.path().join("mnt")
    }

    /// The folder on disk that holds the real files.
    pub fn backing(&self) -> PathBuf {
        self.backing.clone()
    }

    pub fn faults(&self) -> &Faults {
        &self.faults
    }
}

fn mounted_in(
    scratch: &Scratch,
    file_system: Passthrough,
    options: Vec<MountOption>,
    requests: usize,
) -> BackgroundSession {
    let mut config = Config::default();
    config.mount_options = options;
    config.mount_options.push(MountOption::NoAtime);
    config.n_threads = Some(requests);
    fuser::spawn_mount(file_system, scratch.dir("mnt"), &config).unwrap()
}

impl Drop for Faulty {
    fn drop(&mut self) {
        self.faults.release();
        mounts::detach(&self.path());
        drop(self.session.take());
    }
}

#[cfg(test)]
mod tests {
    use std::fs::{File, OpenOptions};
    use std::io::Write;
    use std::os::unix::fs::FileExt;
    use std::time::Duration;

    use super::*;

    const EIO: i32 = rustix::io::Errno::IO.raw_os_error();

    /// A mount with a file of 64 KiB of ones, if this host can mount.
    fn with_file() -> Option<(Faulty, PathBuf)> {
        if !crate::needs::are_met(NEEDS) {
            return None;
        }
        let faulty = Faulty::mount();
        let path = faulty.path().join("dir/file");
        std::fs::create_dir(faulty.path().join("dir")).unwrap();
        std::fs::write(&path, vec![1; 1 << 16]).unwrap();
        Some((faulty, path))
    }

    #[test]
    fn faulty_bed_without_faults_passes_through() {
        let Some((faulty, path)) = with_file() else {
            return;
        };
        let mut file = OpenOptions::new().read(true).append(true).open(&path).unwrap();
        file.write_all(b"end").unwrap();
        file.sync_all().unwrap();
        file.set_len(10).unwrap();
        file.write_at(b"ab", 4).unwrap();
        drop(file);
        let all = std::fs::read(&path).unwrap();
        // Files opened for appending are written at the end.
        assert_eq!(all, [&[1; 10][..], b"ab"].concat());
        let renamed = faulty.path().join("dir/other");
        std::fs::rename(&path, &renamed).unwrap();
        assert_eq!(std::fs::read_dir(faulty.path().join("dir")).unwrap().count(), 1);
        assert_eq!(std::fs::read(faulty.backing().join("dir/other")).unwrap(), all);
        std::fs::remove_file(renamed).unwrap();
        std::fs::remove_dir(faulty.path().join("dir")).unwrap();
        assert!(rustix::fs::statvfs(faulty.path()).unwrap().f_blocks > 0);
    }

    #[test]
    fn injected_errors_affect_only_the_selected_operations() {
        let Some((faulty, path)) = with_file() else {
            return;
        };
        let file = OpenOptions::new().read(true).write(true).open(&path).unwrap();
        let mut data = [0; 4096];
        faulty.faults().fail_reads(EIO);
        faulty.faults().only_in(8192..8193);
        assert_eq!(file.read_at(&mut data, 4096).unwrap(), 4096);
        assert_eq!(file.read_at(&mut data, 8192).unwrap_err().raw_os_error(), Some(EIO));
        assert_eq!(file.write_at(&data, 8192).unwrap(), 4096);
        faulty.faults().after(1);
        assert_eq!(file.read_at(&mut data, 8192).unwrap(), 4096);
        assert!(file.read_at(&mut data, 8192).is_err());
        faulty.faults().fail_syncs(EIO);
        assert!(file.sync_data().is_err());
        assert!(faulty.faults().ops() >= 5);
    }

    #[test]
    fn reads_are_spoilt() {
        let Some((faulty, path)) = with_file() else {
            return;
        };
        let file = File::open(&path).unwrap();
        let mut data = [0; 4096];
        faulty.faults().flip_bits();
        file.read_at(&mut data, 0).unwrap();
        assert_eq!(data.iter().filter(|&&byte| byte != 1).count(), 1);
        faulty.faults().shorten_reads();
        assert_eq!(file.read_at(&mut data, 0).unwrap(), 2048);
    }

    #[test]
    fn hanging_operations_are_released() {
        let Some((faulty, path)) = with_file() else {
            return;
        };
        faulty.faults().hang();
        let reader = std::thread::spawn(move || File::open(path)?.read_at(&mut [0; 10], 0));
        while faulty.faults().held() == 0 {
            std::thread::sleep(Duration::from_millis(10));
        }
        assert!(!reader.is_finished());
        let mount = faulty.path();
        drop(faulty);
        assert_eq!(reader.join().unwrap().unwrap_err().raw_os_error(), Some(EIO));
        assert!(mounts::below(&mount).is_empty());
    }
}
