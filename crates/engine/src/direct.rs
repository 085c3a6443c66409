//! Whether direct I/O works on a file system, and its requirements.
//!
//! A file system may refuse `O_DIRECT`, honour it, or accept it and still use the cache. Tmpfs has only
//! its cache, ext4 uses the cache for journalled data, and ZFS before 2.3 for everything. So [`probe`]
//! does not trust the open: it writes and reads a scratch file and checks whether the page cache holds
//! it afterwards.
//!
//! One case is invisible: a write that passes through the cache, waits for the storage and then drops
//! its pages, as btrfs does for files with checksums since Linux 6.15. It costs a copy in memory, but it
//! measures storage.

use std::io;

use crate::area::AreaDir;

/// The file system's own statement about direct I/O (statx, `STATX_DIOALIGN`, Linux 6.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectSupport {
    /// It is supported, with these alignments.
    Aligned {
        /// Alignment of file offsets and lengths.
        offset_align_bytes: u32,
        /// Alignment of buffers in memory.
        memory_align_bytes: u32,
    },
    /// It is not supported.
    Refused,
    /// It is accepted but has no effect, because all data is in memory.
    Ignored,
    /// The file system or the kernel does not report it.
    Unknown,
}

/// The outcome of the test.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DirectOutcome {
    /// The operation succeeded, and the page cache holds none of its data.
    Works,
    /// The operation succeeded, but through the page cache.
    Ignored {
        /// The evidence.
        why: String,
    },
    /// It failed.
    Refused {
        /// The operating system's error.
        why: String,
    },
    /// The effect could not be determined.
    Unknown { why: String },
}

/// What is known about direct I/O in a directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DirectProbe {
    /// The statement of the file system.
    pub stated: DirectSupport,
    /// Result of a read of 4096 bytes (or one offset alignment, if that is larger).
    pub read: DirectOutcome,
    /// Result of a write of the same length.
    pub write: DirectOutcome,
    /// The shortest direct read that succeeded, of 512 and 4096 bytes (or one offset alignment).
    pub shortest_read_bytes: Option<u32>,
}

impl DirectProbe {
    fn both(stated: DirectSupport, outcome: DirectOutcome) -> DirectProbe {
        DirectProbe { stated, read: outcome.clone(), write: outcome, shortest_read_bytes: None }
    }
}

/// Tries direct I/O on a scratch file in the area's directory, and removes the file afterwards.
///
/// On macOS the outcome is "unknown" for now: `F_NOCACHE` requests direct I/O there, but nothing shows its
/// effect. On Windows it is also "unknown" on file systems that accept unaligned direct reads.
///
/// # Errors
/// The error of the system if the scratch file cannot be created. Failing direct I/O is an outcome, not
/// an error.
pub fn probe(dir: &AreaDir) -> io::Result<DirectProbe> {
    #[cfg(target_os = "linux")]
    return linux::probe(dir);
    #[cfg(windows)]
    return windows::probe(dir);
    #[cfg(not(any(target_os = "linux", windows)))]
    {
        dir.facts(dir.path())?;
        Ok(DirectProbe::both(DirectSupport::Unknown, not_reported()))
    }
}

#[cfg(not(target_os = "linux"))]
fn not_reported() -> DirectOutcome {
    DirectOutcome::Unknown {
        why: "this system does not report whether direct I/O bypasses the cache".to_owned(),
    }
}

#[cfg(any(target_os = "linux", windows))]
fn wrong_data() -> io::Error {
    io::Error::other("direct I/O returned different data than buffered I/O")
}

#[cfg(windows)]
mod windows {
    use std::io;

    use reelgauge_workload::script::OpenMode;

    use super::{DirectOutcome, DirectProbe, DirectSupport};
    use crate::area::AreaDir;
    use crate::buffer::AlignedBuffer;
    use crate::io::{ErrorNumber, Names, OpenFile, sectors};

    pub(super) fn probe(dir: &AreaDir) -> io::Result<DirectProbe> {
        dir.facts(dir.path())?;
        let sectors = match sectors(dir.path()) {
            Ok(sectors) => sectors,
            Err(odd) => {
                let refused = DirectOutcome::Refused { why: odd.to_string() };
                return Ok(DirectProbe::both(DirectSupport::Refused, refused));
            }
        };
        let bytes = sectors.bytes();
        let stated = DirectSupport::Aligned { offset_align_bytes: bytes, memory_align_bytes: bytes };
        let path = dir.path().join(format!("direct-{}", std::process::id()));
        let names = Names::new(Some(dir), [path.as_path()].into_iter());
        let Some(name) = names.get(0) else { return Err(io::ErrorKind::InvalidInput.into()) };
        let mode = OpenMode { write: true, direct: true, ..OpenMode::READ };
        let file = OpenFile::create(name, mode).map_err(io::Error::from_raw_os_error)?;
        let [write, read] = attempt(&file, bytes as usize)?;
        drop(file);
        name.unlink().map_err(io::Error::from_raw_os_error)?;
        Ok(DirectProbe { stated, read, write, shortest_read_bytes: Some(bytes) })
    }

    /// Writes two sectors and reads the second one.
    fn attempt(file: &OpenFile, sector: usize) -> io::Result<[DirectOutcome; 2]> {
        let refused = |error: io::Error| DirectOutcome::Refused { why: error.to_string() };
        let system = |number: ErrorNumber| refused(io::Error::from_raw_os_error(number));
        let mut buffer = AlignedBuffer::new(2 * sector).map_err(io::Error::other)?;
        buffer.as_mut_slice()[sector..].fill(0xA5);
        let write = file.write_at(buffer.as_slice(), 0).map_or_else(system, |_| accepted(file));
        buffer.as_mut_slice().fill(0);
        let read = match file.read_at(&mut buffer.as_mut_slice()[..sector], sector as u64) {
            Err(number) => system(number),
            Ok(_) if buffer.as_slice()[..sector].iter().all(|&byte| byte == 0xA5) => accepted(file),
            Ok(_) => refused(super::wrong_data()),
        };
        Ok([write, read])
    }

    /// The outcome of a direct transfer that succeeded. A file system that also accepts unaligned ones may
    /// use a cache.
    fn accepted(file: &OpenFile) -> DirectOutcome {
        if file.refuses_unaligned() { DirectOutcome::Works } else { super::not_reported() }
    }
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, Write};
    use std::os::unix::fs::FileExt;
    use std::path::PathBuf;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::time::Duration;

    use reelgauge_machine::file_system::{MountKind, kind_of, type_of_magic};
    use rustix::fs::{Advice, AtFlags, StatxFlags};

    use super::{DirectOutcome, DirectProbe, DirectSupport};
    use crate::area::AreaDir;
    use crate::area_path::Purpose;
    use crate::cache;

    const SHORT: usize = 512;
    const PAGE: usize = 4096;
    /// No known file system requires more; a larger stated value is ignored.
    const LONGEST: usize = 1 << 20;

    /// How often an operation is tried, and the pause between attempts: half a second in total.
    const ATTEMPTS: u32 = 5;
    const BETWEEN_ATTEMPTS: Duration = Duration::from_millis(100);

    /// The scratch file. It is removed on drop.
    struct Scratch {
        dir: AreaDir,
        path: PathBuf,
        file: File,
        /// Bytes of one operation; the file holds two of them.
        len: usize,
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            // A failure has no remedy here. The file is in the area and is removed with it.
            let _ = self.dir.remove_file(&self.path);
        }
    }

    pub(super) fn probe(dir: &AreaDir) -> io::Result<DirectProbe> {
        let mut scratch = Scratch::create(dir)?;
        let fs_type = type_of_magic(rustix::fs::fstatfs(&scratch.file)?.f_type as u64);
        if fs_type.is_some_and(|fs_type| kind_of(fs_type, "") == MountKind::Memory) {
            let why = "this file system keeps everything in memory".to_owned();
            return Ok(DirectProbe::both(DirectSupport::Ignored, DirectOutcome::Ignored { why }));
        }
        let stated = stated(&scratch.file);
        if let DirectSupport::Aligned { offset_align_bytes, .. } = stated {
            scratch.len = (offset_align_bytes as usize).clamp(PAGE, LONGEST);
        }
        scratch.fill()?;
        let mut probe = attempt(&scratch, stated);
        if fs_type == Some("zfs") {
            distrust_zfs(&mut probe.read);
            distrust_zfs(&mut probe.write);
        }
        Ok(probe)
    }

    /// ZFS caches outside the page cache, so this test cannot show whether an operation was direct.
    fn distrust_zfs(outcome: &mut DirectOutcome) {
        if *outcome == DirectOutcome::Works {
            let why = "ZFS has its own cache (ARC) and ignores direct I/O before version 2.3";
            *outcome = DirectOutcome::Unknown { why: why.to_owned() };
        }
    }

    impl Scratch {
        fn create(dir: &AreaDir) -> io::Result<Scratch> {
            static NUMBER: AtomicU32 = AtomicU32::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let path = dir.path().join(format!("direct-probe-{}-{number}.tmp", std::process::id()));
            // A killed process with the same number may have left one. If it cannot be removed, the
            // creation below reports the reason.
            let _ = dir.remove_file(&path);
            let file = dir.open_file(&path, Purpose::New)?;
            Ok(Scratch { dir: dir.clone(), path, file, len: PAGE })
        }

        /// Writes both halves through the cache, and drops them from it.
        fn fill(&mut self) -> io::Result<()> {
            let content: Vec<u8> = (0..2 * self.len).map(content_at).collect();
            self.file.write_all(&content)?;
            self.file.sync_data()
        }

        /// Bytes of the scratch file in the page cache, or why that is unknown.
        fn resident_bytes(&self) -> Result<u64, String> {
            cache::resident_bytes(&self.file).map(|(bytes, _)| bytes)
        }

        fn drop_cached(&self) {
            // If the file system ignores the hint, the residency check after it shows that.
            let _ = rustix::fs::fadvise(&self.file, 0, None, Advice::DontNeed);
        }
    }

    /// The content at every position is different, so that a misplaced block is detected.
    fn content_at(position: usize) -> u8 {
        (position % 251) as u8
    }

    fn stated(file: &File) -> DirectSupport {
        match rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) {
            Ok(stat) if stat.stx_mask & StatxFlags::DIOALIGN.bits() == 0 => DirectSupport::Unknown,
            Ok(stat) if stat.stx_dio_offset_align == 0 => DirectSupport::Refused,
            Ok(stat) => DirectSupport::Aligned {
                offset_align_bytes: stat.stx_dio_offset_align,
                memory_align_bytes: stat.stx_dio_mem_align,
            },
            Err(_) => DirectSupport::Unknown,
        }
    }

    fn attempt(scratch: &Scratch, stated: DirectSupport) -> DirectProbe {
        let direct = match scratch.dir.open_file(&scratch.path, Purpose::Direct) {
            Ok(direct) => direct,
            Err(error) => return DirectProbe::both(stated, refused(&error)),
        };
        let mut memory = vec![0_u8; 2 * LONGEST];
        let buffer = aligned(&mut memory);

        let read = observed(scratch, || read_back(&direct, &mut buffer[..scratch.len], 0));
        let short = read_back(&direct, &mut buffer[..SHORT], SHORT);
        let shortest_read_bytes = match (&read, short) {
            (DirectOutcome::Refused { .. } | DirectOutcome::Unknown { .. }, _) => None,
            (_, Ok(())) => Some(SHORT as u32),
            (_, Err(_)) => Some(scratch.len as u32),
        };
        let half = scratch.len;
        for (position, byte) in buffer[..half].iter_mut().enumerate() {
            *byte = content_at(half + position);
        }
        let write = observed(scratch, || direct.write_all_at(&buffer[..half], half as u64));
        let write = match (write, read_back(&direct, &mut buffer[..half], half)) {
            (DirectOutcome::Works, Err(error)) => refused(&error),
            (write, _) => write,
        };
        DirectProbe { stated, read, write, shortest_read_bytes }
    }

    /// Performs a direct operation with an empty cache, and checks that the cache stays empty.
    ///
    /// A single attempt may use the cache for a temporary reason: btrfs falls back to it while it is
    /// still recording the locations of earlier, buffered writes.
    fn observed(scratch: &Scratch, mut operation: impl FnMut() -> io::Result<()>) -> DirectOutcome {
        let mut outcome = DirectOutcome::Works;
        for _ in 0..ATTEMPTS {
            scratch.drop_cached();
            let before = scratch.resident_bytes();
            if let Err(error) = operation() {
                return refused(&error);
            }
            outcome = match (before, scratch.resident_bytes()) {
                (Ok(0), Ok(0)) => return DirectOutcome::Works,
                (Ok(0), Ok(after)) => DirectOutcome::Ignored {
                    why: format!("it left {after} bytes in this client's page cache"),
                },
                (Ok(_), Ok(_)) => {
                    DirectOutcome::Unknown { why: "the kernel does not drop pages from its cache".to_owned() }
                }
                (Err(why), _) | (_, Err(why)) => return DirectOutcome::Unknown { why },
            };
            std::thread::sleep(BETWEEN_ATTEMPTS);
        }
        outcome
    }

    fn read_back(direct: &File, buffer: &mut [u8], offset: usize) -> io::Result<()> {
        direct.read_exact_at(buffer, offset as u64)?;
        let right = buffer.iter().enumerate().all(|(position, byte)| *byte == content_at(offset + position));
        if right { Ok(()) } else { Err(super::wrong_data()) }
    }

    fn refused(error: &io::Error) -> DirectOutcome {
        DirectOutcome::Refused { why: error.to_string() }
    }

    /// The part of `memory` that begins at a multiple of [`LONGEST`].
    fn aligned(memory: &mut [u8]) -> &mut [u8] {
        let skip = memory.as_ptr().align_offset(LONGEST);
        &mut memory[skip..]
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn memory_ignores_direct_io() {
        let Ok(dir) = tempfile::tempdir_in("/dev/shm") else {
            eprintln!("skipped: /dev/shm is not writable here");
            return;
        };
        let probe = probe(&AreaDir::open(dir.path()).unwrap()).unwrap();
        assert_eq!(probe.stated, DirectSupport::Ignored);
        assert!(matches!(probe.read, DirectOutcome::Ignored { .. }));
        assert!(matches!(probe.write, DirectOutcome::Ignored { .. }));
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_missing_directory_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let held = AreaDir::open(dir.path()).unwrap();
        drop(dir);
        let error = probe(&held).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
