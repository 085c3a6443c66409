//! Converts a file's attributes to the kernel's form, and the flags of opens.

use std::time::{Duration, SystemTime};

use fuser::{FileAttr, FileType, INodeNo, TimeOrNow};
use reelgauge_record::OpenBits;
use rustix::fs::{OFlags, Stat, Timespec, Timestamps, UTIME_NOW, UTIME_OMIT};

/// The type of a file.
pub(crate) fn file_type(mode: rustix::fs::RawMode) -> FileType {
    use rustix::fs::FileType as Kind;
    match Kind::from_raw_mode(mode) {
        Kind::Directory => FileType::Directory,
        Kind::Symlink => FileType::Symlink,
        Kind::Fifo => FileType::NamedPipe,
        Kind::Socket => FileType::Socket,
        Kind::CharacterDevice => FileType::CharDevice,
        Kind::BlockDevice => FileType::BlockDevice,
        Kind::RegularFile | Kind::Unknown => FileType::RegularFile,
    }
}

/// A file's attributes, with the kernel's number for the file.
pub(crate) fn attributes(id: u64, stat: &Stat) -> FileAttr {
    FileAttr {
        ino: INodeNo(id),
        size: u64::try_from(stat.st_size).unwrap_or(0),
        blocks: u64::try_from(stat.st_blocks).unwrap_or(0),
        atime: time(stat.st_atime, stat.st_atime_nsec),
        mtime: time(stat.st_mtime, stat.st_mtime_nsec),
        ctime: time(stat.st_ctime, stat.st_ctime_nsec),
        crtime: SystemTime::UNIX_EPOCH,
        kind: file_type(stat.st_mode),
        perm: (stat.st_mode & 0o7777) as u16,
        nlink: u32::try_from(stat.st_nlink).unwrap_or(u32::MAX),
        uid: stat.st_uid,
        gid: stat.st_gid,
        rdev: u32::try_from(stat.st_rdev).unwrap_or(0),
        // Programs choose their buffer sizes by it.
        blksize: u32::try_from(stat.st_blksize).unwrap_or(4096),
        flags: 0,
    }
}

fn time(seconds: i64, nanos: impl TryInto<u32>) -> SystemTime {
    let nanos = Duration::from_nanos(u64::from(nanos.try_into().unwrap_or(0)));
    let whole = Duration::from_secs(seconds.unsigned_abs());
    let at = match seconds < 0 {
        true => SystemTime::UNIX_EPOCH.checked_sub(whole),
        false => SystemTime::UNIX_EPOCH.checked_add(whole),
    };
    at.and_then(|at| at.checked_add(nanos)).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The times that a request sets; `None` leaves a time unchanged.
pub(crate) fn timestamps(accessed: Option<TimeOrNow>, modified: Option<TimeOrNow>) -> Timestamps {
    Timestamps { last_access: timespec(accessed), last_modification: timespec(modified) }
}

fn timespec(time: Option<TimeOrNow>) -> Timespec {
    let special = |nanos| Timespec { tv_sec: 0, tv_nsec: nanos };
    let at = match time {
        None => return special(UTIME_OMIT),
        Some(TimeOrNow::Now) => return special(UTIME_NOW),
        Some(TimeOrNow::SpecificTime(at)) => at,
    };
    match at.duration_since(SystemTime::UNIX_EPOCH) {
        Ok(since) => Timespec {
            tv_sec: i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
            tv_nsec: i64::from(since.subsec_nanos()),
        },
        Err(before) => {
            let nanos = -i128::try_from(before.duration().as_nanos()).unwrap_or(0);
            Timespec {
                tv_sec: i64::try_from(nanos.div_euclid(1_000_000_000)).unwrap_or(i64::MIN),
                tv_nsec: i64::try_from(nanos.rem_euclid(1_000_000_000)).unwrap_or(0),
            }
        }
    }
}

/// The open bits of the application's flags.
pub(crate) fn open_bits(flags: OFlags) -> OpenBits {
    let mode = match flags & OFlags::RWMODE {
        OFlags::WRONLY => OpenBits::WRITE,
        OFlags::RDWR => OpenBits::READ.with(OpenBits::WRITE),
        _ => OpenBits::READ,
    };
    mode.with_if(OpenBits::APPEND, flags.contains(OFlags::APPEND))
        .with_if(OpenBits::CREATE, flags.contains(OFlags::CREATE))
        .with_if(OpenBits::EXCLUSIVE, flags.contains(OFlags::CREATE | OFlags::EXCL))
        .with_if(OpenBits::TRUNCATE, flags.contains(OFlags::TRUNC))
        .with_if(OpenBits::DIRECT, flags.contains(OFlags::DIRECT))
        .with_if(OpenBits::DSYNC, flags.contains(OFlags::DSYNC))
}

/// The flags with which the recorder opens the same file: those that affect the storage.
pub(crate) fn passed_on(flags: OFlags) -> OFlags {
    let kept = OFlags::RWMODE
        | OFlags::APPEND
        | OFlags::TRUNC
        | OFlags::DIRECT
        | OFlags::DSYNC
        | OFlags::SYNC
        | OFlags::NOATIME;
    (flags & kept) | OFlags::CLOEXEC | OFlags::NOFOLLOW
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opens_are_recorded_with_their_flags() {
        let bits = |flags: OFlags| open_bits(flags).0;
        assert_eq!(bits(OFlags::RDONLY), OpenBits::READ.0);
        assert_eq!(bits(OFlags::RDWR), OpenBits::READ.with(OpenBits::WRITE).0);
        let usual = OFlags::WRONLY | OFlags::CREATE | OFlags::TRUNC;
        let told = OpenBits::WRITE.with(OpenBits::CREATE).with(OpenBits::TRUNCATE);
        assert_eq!(bits(usual), told.0);
        assert!(open_bits(OFlags::SYNC).has(OpenBits::DSYNC), "O_SYNC is O_DSYNC and more");
        assert!(!open_bits(OFlags::EXCL).has(OpenBits::EXCLUSIVE), "without O_CREAT it means nothing");
        assert_eq!(passed_on(usual), OFlags::WRONLY | OFlags::TRUNC | OFlags::CLOEXEC | OFlags::NOFOLLOW);
    }

    #[test]
    fn times_before_1970_are_kept() {
        let before = SystemTime::UNIX_EPOCH - Duration::from_millis(1_500);
        assert_eq!(time(-2, 500_000_000_u32), before);
        let spec = timespec(Some(TimeOrNow::SpecificTime(before)));
        assert_eq!((spec.tv_sec, spec.tv_nsec), (-2, 500_000_000));
        assert_eq!(timespec(None).tv_nsec, UTIME_OMIT);
    }
}
