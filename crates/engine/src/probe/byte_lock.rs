//! A lock on a range of a file's bytes. It belongs to one open file: each further open of the file is
//! another holder, even in the same process, and on a server.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

/// Requests the exclusive lock on a range; never waits.
pub(super) fn lock(file: &File, bytes: Range<i64>) -> io::Result<()> {
    set(file, bytes, libc::F_WRLCK)
}

pub(super) fn unlock(file: &File, bytes: Range<i64>) -> io::Result<()> {
    set(file, bytes, libc::F_UNLCK)
}

fn set(file: &File, bytes: Range<i64>, kind: i32) -> io::Result<()> {
    let wanted = libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: bytes.start,
        l_len: bytes.end - bytes.start,
        // 0 makes the lock belong to the open file description, not to the process.
        l_pid: 0,
    };
    // SAFETY: the descriptor is open as long as `file` lives. The kernel only reads `wanted`, which
    // outlives the call.
    let answer = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_OFD_SETLK, &raw const wanted) };
    if answer == -1 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
