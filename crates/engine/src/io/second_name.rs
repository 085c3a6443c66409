//! A file opened for writing must have exactly one name.
//!
//! A hard link leads to a file that also has a name elsewhere, and no flag of `open` refuses that. A
//! user with write access to the area could make a run overwrite any file of the same file system. So
//! the file is checked after the open and before any change. A file to be emptied is opened unchanged,
//! and emptied after the check. A new file cannot have a second name, and reading does no harm. Several
//! names are allowed if the run itself gave them: see [`OwnLinks`].
//!
//! A count of one name is not enough: a second name may have been removed between the open and the
//! check, and then the remaining name belongs to another user. So the name used for the open must still
//! exist after the names were counted. Linux knows that of every open file, and marks it in its path in
//! `/proc/self/fd`. A name that was removed and created again counts as another name.
//!
//! The check uses the attributes that the open itself fetched (`AT_STATX_DONT_SYNC`), without another
//! request to the server. If a file system does not count names (sshfs), every file has one.

use std::os::fd::AsFd;

use rustix::fs::{OFlags, Stat};
use rustix::io::Errno;

use super::ErrorNumber;
use crate::area_path::links::{FileId, OwnLinks};

/// How a file of the area is opened, and the steps right after it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// The flags of `open`.
    pub flags: OFlags,
    /// Whether the file must be checked after the open.
    pub is_looked_at: bool,
    /// Whether the file is emptied after the check.
    pub empties: bool,
}

impl Opening {
    /// For these flags. `is_inside`: the file is in the area. Files outside belong to the user.
    pub fn of(flags: OFlags, is_inside: bool) -> Opening {
        let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
        if !is_inside || !writes || flags.contains(OFlags::EXCL) {
            return Opening { flags, is_looked_at: false, empties: false };
        }
        let empties = flags.contains(OFlags::TRUNC);
        Opening { flags: flags - OFlags::TRUNC, is_looked_at: true, empties }
    }

    /// Checks an opened file. Returns whether it has content to be emptied. `own`: the hard links that
    /// the run made.
    ///
    /// # Errors
    /// `EMLINK` if another user gave the file a name.
    pub fn inspect_file(self, file: impl AsFd, own: Option<&OwnLinks>) -> Result<bool, ErrorNumber> {
        if !self.is_looked_at {
            return Ok(false);
        }
        let (names, size_bytes) = names_and_size(&file).map_err(Errno::raw_os_error)?;
        if names == 1 {
            still_has_its_name(&file)?;
        }
        if names > 1 {
            let found = rustix::fs::fstat(&file).map_err(Errno::raw_os_error)?;
            if !own.is_some_and(|own| own.allows(FileId::of(&found), names)) {
                return Err(Errno::MLINK.raw_os_error());
            }
        }
        Ok(self.empties && size_bytes > 0)
    }
}

/// The facts of a file that is held open while it gets another name. It must still have the name by
/// which it was opened, as in [`Opening::inspect_file`].
///
/// # Errors
/// `EMLINK` if it does not.
pub(crate) fn stat_of_pinned(file: impl AsFd) -> Result<Stat, ErrorNumber> {
    let found = rustix::fs::fstat(&file).map_err(Errno::raw_os_error)?;
    if found.st_nlink == 1 {
        still_has_its_name(&file)?;
    }
    Ok(found)
}

/// `EMLINK` if the name used to open a file no longer exists. A path that really ends in Linux's marker
/// for deleted files looks the same, and is refused, too.
#[cfg(target_os = "linux")]
fn still_has_its_name(file: impl AsFd) -> Result<(), ErrorNumber> {
    use std::mem::MaybeUninit;
    use std::os::fd::OwnedFd;
    use std::sync::OnceLock;

    use rustix::fs::Mode;
    use rustix::path::DecInt;

    /// The longest path that the system returns here.
    const PATH_BYTES: usize = 4096;
    static OPEN_FILES: OnceLock<rustix::io::Result<OwnedFd>> = OnceLock::new();
    let open_files = OPEN_FILES.get_or_init(|| {
        rustix::fs::open("/proc/self/fd", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())
    });
    let open_files = open_files.as_ref().map_err(|error| error.raw_os_error())?;
    let mut path = [MaybeUninit::uninit(); PATH_BYTES];
    let number = DecInt::from_fd(file);
    let (path, _) = rustix::fs::readlinkat_raw(open_files, number.as_c_str(), &mut path[..])
        .map_err(Errno::raw_os_error)?;
    if path.ends_with(b" (deleted)") { Err(Errno::MLINK.raw_os_error()) } else { Ok(()) }
}

/// No other system reports whether an open file still has its name.
#[cfg(not(target_os = "linux"))]
fn still_has_its_name(_: impl AsFd) -> Result<(), ErrorNumber> {
    Ok(())
}

#[cfg(target_os = "linux")]
fn names_and_size(file: impl AsFd) -> rustix::io::Result<(u64, u64)> {
    use rustix::fs::{AtFlags, StatxFlags};
    let wanted = StatxFlags::NLINK | StatxFlags::SIZE;
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_DONT_SYNC;
    match rustix::fs::statx(&file, c"", flags, wanted) {
        Ok(found) if StatxFlags::from_bits_retain(found.stx_mask).contains(wanted) => {
            Ok((u64::from(found.stx_nlink), found.stx_size))
        }
        // The file system would have to ask its server, or the kernel is older than 4.11.
        Ok(_) | Err(Errno::NOSYS) => by_fstat(file),
        Err(error) => Err(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn names_and_size(file: impl AsFd) -> rustix::io::Result<(u64, u64)> {
    by_fstat(file)
}

fn by_fstat(file: impl AsFd) -> rustix::io::Result<(u64, u64)> {
    let found = rustix::fs::fstat(file)?;
    // No system reports a negative size. If one does, treat the file as not empty.
    Ok((found.st_nlink as _, u64::try_from(found.st_size).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The check runs after the second name was removed.
    #[test]
    #[cfg(target_os = "linux")]
    fn file_whose_open_name_was_removed_is_refused() {
        use std::fs::{self, File};

        let folder = tempfile::tempdir().unwrap();
        let [precious, link, other] = ["precious", "link", "other"].map(|name| folder.path().join(name));
        fs::write(&precious, "precious").unwrap();
        let looked = |open: &File| Opening::of(OFlags::RDWR, true).inspect_file(open, None);
        let opened = |path| File::options().read(true).write(true).open(path).unwrap();
        let refused = Err(Errno::MLINK.raw_os_error());

        fs::hard_link(&precious, &link).unwrap();
        let by_link = opened(&link);
        assert_eq!(looked(&by_link), refused, "two names");
        fs::remove_file(&link).unwrap();
        assert_eq!(looked(&by_link), refused, "its own is not the one that is left");
        assert_eq!(stat_of_pinned(&by_link).err(), refused.err());
        // A name that was removed and created again counts as another name.
        fs::hard_link(&precious, &link).unwrap();
        fs::remove_file(&link).unwrap();
        assert_eq!(looked(&by_link), refused);

        fs::hard_link(&precious, &link).unwrap();
        let written_over = opened(&link);
        fs::write(&other, "").unwrap();
        fs::rename(&other, &link).unwrap();
        assert_eq!(looked(&written_over), refused);

        // The checks accept a file that kept its name, and refuse a renamed one and one without a name.
        let own = opened(&link);
        assert_eq!(looked(&own), Ok(false));
        fs::rename(&link, &other).unwrap();
        assert_eq!((looked(&own), stat_of_pinned(&own).is_ok()), (Ok(false), true));
        fs::remove_file(&other).unwrap();
        assert_eq!(looked(&own), Ok(false));
        assert_eq!(fs::read(&precious).unwrap(), b"precious");
    }

    #[test]
    fn file_with_second_name_is_checked_before_truncation() {
        let make = OFlags::RDWR | OFlags::CREATE;
        let looked_at = |flags, empties| Opening { flags, is_looked_at: true, empties };
        let cases = [
            (OFlags::RDWR, looked_at(OFlags::RDWR, false)),
            (OFlags::WRONLY | OFlags::APPEND, looked_at(OFlags::WRONLY | OFlags::APPEND, false)),
            (make | OFlags::TRUNC, looked_at(make, true)),
        ];
        for (flags, wanted) in cases {
            assert_eq!(Opening::of(flags, true), wanted);
            assert_eq!(Opening::of(flags, false), Opening { flags, is_looked_at: false, empties: false });
        }
        for flags in [OFlags::RDONLY, make | OFlags::EXCL] {
            assert_eq!(Opening::of(flags, true), Opening { flags, is_looked_at: false, empties: false });
        }
    }
}
