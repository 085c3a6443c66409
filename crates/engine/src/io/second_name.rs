//! A file that is opened to be written in has one name.
//!
//! A hard link leads to a file that has a name elsewhere, too, and no flag of `open` refuses that: whoever
//! may write in the area could have anything written over that lies on the same file system. So the file is
//! looked at once it is open and before anything is done to it; what would be emptied as it is opened is
//! opened as it is, and emptied then. A file that is new is nobody else's, and what is only read can't be
//! harmed. Several names are right where the run itself gave them: see [`OwnLinks`].
//!
//! The look is answered from what the open itself brought (`AT_STATX_DONT_SYNC`): no server is asked once
//! more. Where a file system keeps no count of names (sshfs), every file has one.

use std::os::fd::AsFd;

use rustix::fs::OFlags;
use rustix::io::Errno;

use super::ErrorNumber;
use crate::beneath::links::{FileId, OwnLinks};

/// How a file of the area is opened, and what is done right after.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Opening {
    /// What the system is asked for.
    pub flags: OFlags,
    /// Whether the file must be looked at.
    pub is_looked_at: bool,
    /// Whether it is emptied then.
    pub empties: bool,
}

impl Opening {
    /// With these flags; `is_inside`: of a file in the area. Those elsewhere are the user's own.
    pub fn of(flags: OFlags, is_inside: bool) -> Opening {
        let writes = flags.intersects(OFlags::WRONLY | OFlags::RDWR);
        if !is_inside || !writes || flags.contains(OFlags::EXCL) {
            return Opening { flags, is_looked_at: false, empties: false };
        }
        let empties = flags.contains(OFlags::TRUNC);
        Opening { flags: flags - OFlags::TRUNC, is_looked_at: true, empties }
    }

    /// Looks at what was opened: whether there is something in it that has to go. `own`: the hard links of
    /// the run's own making.
    ///
    /// # Errors
    /// `EMLINK` where it has a name of somebody else's.
    pub fn look(self, file: impl AsFd, own: Option<&OwnLinks>) -> Result<bool, ErrorNumber> {
        if !self.is_looked_at {
            return Ok(false);
        }
        let (names, size_bytes) = names_and_size(&file).map_err(Errno::raw_os_error)?;
        if names > 1 {
            let found = rustix::fs::fstat(&file).map_err(Errno::raw_os_error)?;
            if !own.is_some_and(|own| own.allows(FileId::of(&found), names)) {
                return Err(Errno::MLINK.raw_os_error());
            }
        }
        Ok(self.empties && size_bytes > 0)
    }
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
        // A file system that has to ask, and a kernel before 4.11.
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
    // A size below zero is no system's; it is then not taken for empty.
    Ok((found.st_nlink as _, u64::try_from(found.st_size).unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_may_be_anothers_is_looked_at_and_not_emptied_before() {
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
