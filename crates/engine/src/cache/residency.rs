//! How much of a file is in the page cache: from cachestat (Linux 6.5), else mincore, else unknown.

use std::io;
use std::path::{Path, PathBuf};

use crate::area::AreaDir;
use crate::area_path::open_to_read;

/// The method of determining residency.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum How {
    /// The cachestat call: exact, and without access to the file's data.
    CacheStat,
    /// A mapping and mincore: exact, page by page.
    Mincore,
    /// Residency is unknown, with the reason.
    Unknown(String),
}

/// How much of one file is in the page cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileResidency {
    pub path: PathBuf,
    /// Bytes in the cache; 0 if unknown.
    pub resident_bytes: u64,
    /// Size of the file; 0 if it cannot be read.
    pub total_bytes: u64,
    /// The method.
    pub how: How,
}

/// How much of several files is in the page cache.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Residency {
    /// Bytes in the cache, of the files that could be checked.
    pub resident_bytes: u64,
    /// Size of the files that could be checked.
    pub sampled_bytes: u64,
    /// Size of all files.
    pub total_bytes: u64,
    /// The method; unknown only if it is unknown for every file, with the first file's reason.
    pub how: How,
    /// The residency of each file.
    pub files: Vec<FileResidency>,
}

impl Residency {
    /// The share of the files that is in the cache, 0 to 1; `None` if it is unknown.
    pub fn share(&self) -> Option<f64> {
        (self.sampled_bytes > 0).then(|| self.resident_bytes as f64 / self.sampled_bytes as f64)
    }

    fn sum(files: Vec<FileResidency>) -> Residency {
        let known = || files.iter().filter(|file| !matches!(file.how, How::Unknown(_)));
        let how = known().next().or(files.first()).map(|file| file.how.clone());
        Residency {
            resident_bytes: known().map(|file| file.resident_bytes).sum(),
            sampled_bytes: known().map(|file| file.total_bytes).sum(),
            total_bytes: files.iter().map(|file| file.total_bytes).sum(),
            how: how.unwrap_or_else(|| How::Unknown("there are no files".to_owned())),
            files,
        }
    }
}

/// How much of these files is in the local host's page cache.
///
/// The check reads no data and moves none into the cache. Files in the `area` are opened from its
/// directory.
pub fn resident<P: AsRef<Path>>(area: Option<&AreaDir>, files: &[P]) -> Residency {
    Residency::sum(files.iter().map(|path| of_file(area, path.as_ref())).collect())
}

fn of_file(area: Option<&AreaDir>, path: &Path) -> FileResidency {
    let (total_bytes, found) = match look(area, path) {
        Ok((total_bytes, found)) => (total_bytes, found),
        Err(error) => (0, Err(error.to_string())),
    };
    let (resident_bytes, how) = match found {
        Ok((resident_bytes, how)) => (resident_bytes, how),
        Err(why) => (0, How::Unknown(why)),
    };
    FileResidency { path: path.to_owned(), resident_bytes, total_bytes, how }
}

/// Resident bytes with the method, or why they are unknown.
type Found = Result<(u64, How), String>;

/// The size of a file, and its resident bytes.
fn look(area: Option<&AreaDir>, path: &Path) -> io::Result<(u64, Found)> {
    let file = open_to_read(area, path)?;
    Ok((file.metadata()?.len(), resident_bytes(&file)))
}

#[cfg(not(target_os = "linux"))]
pub(crate) fn resident_bytes(_file: &std::fs::File) -> Found {
    Err("this system does not report what its cache holds".to_owned())
}

#[cfg(target_os = "linux")]
pub(crate) use linux::resident_bytes;

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::MetadataExt;
    use std::ptr;

    use reelgauge_machine::file_system::type_of_magic;

    use super::{Found, How};

    /// The number is the same on every architecture but Alpha.
    const SYS_CACHESTAT: libc::c_long = 451;
    /// mincore needs one byte per page, so a window of 1 GiB needs 256 KiB.
    const WINDOW_BYTES: u64 = 1 << 30;

    /// Resident bytes of an open file, at most its size.
    pub(crate) fn resident_bytes(file: &File) -> Found {
        let say = |error: io::Error| error.to_string();
        let size = file.metadata().map_err(say)?.len();
        let magic = rustix::fs::fstatfs(file).map_err(|error| say(error.into()))?.f_type as u64;
        if type_of_magic(magic) == Some("zfs") {
            return Err("ZFS does not report which files are in its cache (ARC)".to_owned());
        }
        match cachestat(file) {
            Ok(bytes) => return Ok((bytes.min(size), How::CacheStat)),
            Err(error) if is_unavailable(&error) => {}
            Err(error) => return Err(say(error)),
        }
        if !may_ask_mincore(file).map_err(say)? {
            // For other users' files the kernel reports "fully resident", so that no information leaks.
            return Err("the kernel reports cached pages (mincore) only for files that this user can \
                 write"
                .to_owned());
        }
        let bytes = mincore(file, size).map_err(say)?;
        Ok((bytes.min(size), How::Mincore))
    }

    /// Whether a failed cachestat means that the call is unavailable, rather than an error of the file:
    /// an older kernel, a sandbox (some return EPERM), or a file system without page cache.
    fn is_unavailable(error: &io::Error) -> bool {
        matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::EPERM | libc::EACCES | libc::EOPNOTSUPP))
    }

    pub(super) fn page_bytes() -> u64 {
        rustix::param::page_size() as u64
    }

    #[repr(C)]
    struct Range {
        off: u64,
        len: u64,
    }

    /// `struct cachestat`: all counts are in pages.
    #[repr(C)]
    #[derive(Default)]
    struct CacheStat {
        nr_cache: u64,
        nr_dirty: u64,
        nr_writeback: u64,
        nr_evicted: u64,
        nr_recently_evicted: u64,
    }

    pub(super) fn cachestat(file: &File) -> io::Result<u64> {
        // A length of 0 extends the range to the end.
        let mut range = Range { off: 0, len: 0 };
        let mut stat = CacheStat::default();
        // SAFETY: both pointers are to live values laid out as the kernel's structures. The descriptor
        // is open for the whole call. The flags must be 0. An older kernel returns ENOSYS.
        let done =
            unsafe { libc::syscall(SYS_CACHESTAT, file.as_raw_fd(), &raw mut range, &raw mut stat, 0_u32) };
        if done != 0 {
            return Err(io::Error::last_os_error());
        }
        // Kernel counters are untrusted input, so the product must not overflow.
        Ok(stat.nr_cache.saturating_mul(page_bytes()))
    }

    /// The kernel's own condition: the user is the owner, or may write.
    fn may_ask_mincore(file: &File) -> io::Result<bool> {
        let user = rustix::process::geteuid().as_raw();
        if user == 0 || file.metadata()?.uid() == user {
            return Ok(true);
        }
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        Ok(rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok())
    }

    pub(super) fn mincore(file: &File, size: u64) -> io::Result<u64> {
        let mut resident_pages = 0;
        let mut offset = 0;
        while offset < size {
            let len = (size - offset).min(WINDOW_BYTES);
            resident_pages += Mapping::new(file, offset, len)?.resident_pages()?;
            offset += len;
        }
        Ok(resident_pages * page_bytes())
    }

    /// A window of a file, mapped without access: it is only queried, never read.
    struct Mapping {
        start: *mut libc::c_void,
        len: usize,
    }

    impl Mapping {
        fn new(file: &File, offset: u64, len: u64) -> io::Result<Mapping> {
            let too_large = |_| io::Error::from(io::ErrorKind::FileTooLarge);
            let len = usize::try_from(len).map_err(too_large)?;
            let offset = libc::off_t::try_from(offset).map_err(too_large)?;
            // SAFETY: a new mapping at an address of the kernel's choice touches no existing memory.
            // With PROT_NONE nothing can be read through it, so a file that shrinks does no harm.
            let start = unsafe {
                libc::mmap(ptr::null_mut(), len, libc::PROT_NONE, libc::MAP_SHARED, file.as_raw_fd(), offset)
            };
            if start == libc::MAP_FAILED {
                return Err(io::Error::last_os_error());
            }
            Ok(Mapping { start, len })
        }

        fn resident_pages(&self) -> io::Result<u64> {
            let mut pages = vec![0_u8; self.len.div_ceil(page_bytes() as usize)];
            // SAFETY: the range is exactly the mapping, which lives as long as `self`. `pages` has one
            // byte per page, which the call writes.
            let done = unsafe { libc::mincore(self.start, self.len, pages.as_mut_ptr()) };
            if done != 0 {
                return Err(io::Error::last_os_error());
            }
            Ok(pages.iter().filter(|page| *page & 1 == 1).count() as u64)
        }
    }

    impl Drop for Mapping {
        fn drop(&mut self) {
            // SAFETY: the range is exactly the one that mmap returned, and nothing refers to it any
            // more.
            unsafe { libc::munmap(self.start, self.len) };
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn file(how: How, resident_bytes: u64, total_bytes: u64) -> FileResidency {
        FileResidency { path: PathBuf::from("f"), resident_bytes, total_bytes, how }
    }

    #[test]
    fn file_that_cannot_be_inspected_is_excluded_from_the_share() {
        let sum =
            Residency::sum(vec![file(How::Unknown("why".into()), 0, 300), file(How::CacheStat, 25, 100)]);
        assert_eq!((sum.resident_bytes, sum.sampled_bytes, sum.total_bytes), (25, 100, 400));
        assert_eq!(sum.how, How::CacheStat);
        assert_eq!(sum.share(), Some(0.25));
    }

    #[test]
    fn share_is_unknown_only_if_no_file_can_be_inspected() {
        let sum = Residency::sum(vec![file(How::Unknown("why".into()), 0, 300)]);
        assert_eq!(sum.how, How::Unknown("why".into()));
        assert_eq!(sum.share(), None);
        assert!(matches!(resident::<&Path>(None, &[]).how, How::Unknown(_)));
    }

    #[test]
    fn a_missing_file_is_unknown() {
        let residency = resident(None, &[Path::new("/there/is/no/such/file")]);
        assert!(matches!(residency.how, How::Unknown(_)));
        assert_eq!(residency.total_bytes, 0);
    }

    #[cfg(target_os = "linux")]
    mod on_linux {
        use std::io::{Read, Seek, SeekFrom, Write};

        use super::super::*;

        const MIB: usize = 1 << 20;

        /// A file of 4 MiB and 100 bytes that is in the cache.
        fn cached_file(dir: &Path) -> (PathBuf, std::fs::File) {
            let path = dir.join("file");
            let mut file =
                std::fs::File::options().create_new(true).read(true).write(true).open(&path).unwrap();
            file.write_all(&vec![7; 4 * MIB + 100]).unwrap();
            (path, file)
        }

        #[test]
        fn newly_written_file_is_resident() {
            let dir = tempfile::tempdir().unwrap();
            let (path, _file) = cached_file(dir.path());
            let residency = resident(None, &[path]);
            assert_eq!(residency.resident_bytes, 4 * MIB as u64 + 100, "{residency:?}");
            assert_eq!(residency.share(), Some(1.0));
        }

        #[test]
        fn both_ways_of_asking_agree() {
            let dir = tempfile::tempdir().unwrap();
            let (path, mut file) = cached_file(dir.path());
            let whole_pages = (4 * MIB as u64 + 100).next_multiple_of(linux::page_bytes());
            assert_eq!(linux::mincore(&file, 4 * MIB as u64 + 100).unwrap(), whole_pages);
            match linux::cachestat(&file) {
                Ok(bytes) => assert_eq!(bytes, whole_pages),
                Err(error) => eprintln!("skipped one half: no cachestat here ({error})"),
            }

            crate::cache::drop_cached(None, &[&path]).unwrap();
            let mut byte = [0];
            file.seek(SeekFrom::Start(2 * MIB as u64)).unwrap();
            file.read_exact(&mut byte).unwrap();
            let some = linux::mincore(&file, 4 * MIB as u64 + 100).unwrap();
            assert!((linux::page_bytes()..whole_pages).contains(&some), "{some}");
            if let Ok(bytes) = linux::cachestat(&file) {
                assert_eq!(bytes, some);
            }
        }
    }
}
