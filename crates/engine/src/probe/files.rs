//! Other features of files that media programs use: preallocation, exact file times, hard and symbolic
//! links.

use std::io;

use rustix::fs::{FallocateFlags, Timespec, Timestamps, fallocate, futimens};

use super::shortage::{MAKE_FILE, MAKE_SYMLINK};
use super::{Bench, Broken, Found, NOT_SUPPORTED, asked, broken, is_unsupported};

/// Size of the preallocation.
const ROOM_BYTES: u64 = 1 << 20;
/// The file time to set: an odd second, with every digit of the fraction in use.
const SECOND: i64 = 1_000_000_001;
const NANOSECOND: u32 = 123_456_789;
/// Some file systems (SSHFS) give each name of a file a separate inode number.
const MADE_APART: &str = "made, but each name has a separate inode number";
/// The resolutions of file times that file systems and protocols have, in nanoseconds, finest first.
const STEPS_NS: [i64; 7] = [1, 100, 1_000, 1_000_000, 10_000_000, 1_000_000_000, 2_000_000_000];

pub(super) fn files(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let path = bench.at("file");
    let file = bench.make(&path).map_err(broken(MAKE_FILE))?;
    bench.step()?;
    let reserved = fallocate(&file, FallocateFlags::empty(), 0, ROOM_BYTES).map_err(io::Error::from);
    found.can("preallocation", "reserve 1 MiB", reserved, "supported");
    bench.step()?;
    let time = Timespec { tv_sec: SECOND, tv_nsec: i64::from(NANOSECOND) };
    match futimens(&file, &Timestamps { last_access: time, last_modification: time }) {
        Ok(()) => {
            let kept = asked(&file)?.stx_mtime;
            match step_ns(kept.tv_sec, kept.tv_nsec) {
                Some(step_ns) => found.number("time_step_s", step_ns as f64 / 1e9),
                None => {
                    let error = io::Error::other("the file's time differs from the one that was set");
                    found.failed("time_step_s", "test the resolution of times", &error);
                }
            }
        }
        Err(error) => found.failed("time_step_s", "set a file's time", &error.into()),
    }
    bench.step()?;
    drop(file);
    match bench.dir().link(&path, &bench.at("hard")) {
        // The name exists: the link looks like another file by its inode number.
        Err(error) if is_another(&error) && bench.dir().facts(&bench.at("hard")).is_ok() => {
            found.word("hard_links", MADE_APART);
        }
        linked => found.can("hard_links", "create a hard link", linked, "made"),
    }
    bench.step()?;
    let soft = bench.at("soft");
    match bench.dir().lead_to(&soft, &path) {
        Ok(()) => {
            let facts = bench.dir().facts(&soft).map_err(broken("access a link"))?;
            found.word("symbolic_links", if facts.is_link() { "made" } else { "made, but not as a link" });
        }
        Err(error) if is_unsupported(&error) => found.word("symbolic_links", NOT_SUPPORTED),
        Err(error) => found.failed("symbolic_links", MAKE_SYMLINK, &error),
    }
    bench.step()
}

/// Whether a link was refused, or looks like another file than the original.
fn is_another(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::XDEV.raw_os_error())
}

/// The finest resolution that explains the time read back after setting one.
fn step_ns(second: i64, nanosecond: u32) -> Option<i64> {
    let set = SECOND * 1_000_000_000 + i64::from(NANOSECOND);
    let kept = second.checked_mul(1_000_000_000)?.checked_add(i64::from(nanosecond))?;
    STEPS_NS.into_iter().find(|step| kept % step == 0 && (set - kept).abs() < *step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_time_shows_its_granularity() {
        assert_eq!(step_ns(SECOND, NANOSECOND), Some(1));
        assert_eq!(step_ns(SECOND, 123_456_700), Some(100));
        assert_eq!(step_ns(SECOND, 123_456_000), Some(1_000));
        assert_eq!(step_ns(SECOND, 120_000_000), Some(10_000_000));
        assert_eq!(step_ns(SECOND, 0), Some(1_000_000_000));
        assert_eq!(step_ns(SECOND - 1, 0), Some(2_000_000_000), "FAT counts in pairs");
        assert_eq!(step_ns(SECOND + 90, NANOSECOND), None, "no step of times is so long");
    }
}
