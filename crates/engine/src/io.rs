//! The system calls of the `threads` driver: open, create, positional read and write, sync, size,
//! allocation, close, and operations by path.
//!
//! Each call is one system call (plus retries after a signal; a listing needs several, depending on the
//! size of the directory; setting a size by path needs four; and a file opened for writing is checked
//! immediately: `second_name.rs`) and returns the system's own error number. A file is created only on
//! request, and no link is ever followed, because the area holds only files that Reelgauge made.
//! Everything in it is opened from the area's directory (see [`crate::area_path`]). An open is one
//! `openat2`. An operation by path starts from the parent directory, which stays open until the run
//! moves or removes it, so it is one system call, too.
//!
//! | requested | Linux | macOS | Windows |
//! |---|---|---|---|
//! | `direct` | `O_DIRECT` | `F_NOCACHE` | `FILE_FLAG_NO_BUFFERING` |
//! | `direct`, not a multiple of a sector | `EINVAL` | accepted | `ERROR_INVALID_PARAMETER` |
//! | `dsync` | `O_DSYNC` | `O_DSYNC` | `FILE_FLAG_WRITE_THROUGH` |
//! | `append` | `O_APPEND` | `O_APPEND`, without a position | written to the end |
//! | open | `openat2`, or directory by directory | directory by directory | by its path |
//! | no links | `RESOLVE_NO_SYMLINKS` | `O_NOFOLLOW` | opened as itself, then refused |
//! | no hard links, to write | `statx` and `readlink`, then refused | `fstat`, then refused | not checked |
//! | sync | `fdatasync` | `F_FULLFSYNC` | `FlushFileBuffers` |
//! | close | result known | result known | result unknown (always 0) |
//! | create | `O_CREAT`, and `O_EXCL` if requested; emptied | the same | opened or created; emptied |
//! | truncate | `ftruncate` | `ftruncate` | `SetFileInformationByHandle` |
//! | allocate | `fallocate` | `ENOTSUP` | `ERROR_NOT_SUPPORTED` |
//! | stat | `lstat` | `lstat` | attributes of the file itself |
//! | access | `faccessat2` | `faccessat` | as stat: there is no closer equivalent |
//! | readdir | `getdents`, 32 KiB at a time | `readdir` | `FindNextFile` |
//! | rename | `rename` | `rename` | `MoveFileEx`, replacing |
//! | rename that exchanges | `renameat2` | `renameatx_np` | `ERROR_NOT_SUPPORTED` |
//! | mkdir, rmdir | `mkdir`, `rmdir` | the same | `CreateDirectory`, `RemoveDirectory` |
//! | setattr | `utimensat`, both times now | the same | `SetFileTime`, both times now |
//! | link | `link`, with a check of the file before and after | the same | `CreateHardLink` |
//! | symlink | `symlink`, relative, always within the area | the same | `ERROR_NOT_SUPPORTED` |
//! | readlink | `readlink` | `readlink` | `FSCTL_GET_REPARSE_POINT` |
//!
//! While hard links that the run made exist, a removal or rename first checks the file that loses a name.
//! That is one additional call (see [`crate::area_path::links`]).
//!
//! With `O_APPEND` Linux makes a positional write append whatever its position, as in the recorded
//! application. macOS follows POSIX, where the position is used, so `O_APPEND` is not set there.
//!
//! Linux before 5.8 cannot check access without following a link, so there the link is followed.
//!
//! macOS can only preallocate behind the end of a file (`F_PREALLOCATE`), and Windows only by growing
//! it. Neither matches the request.

#[cfg(unix)]
mod names;
#[cfg(unix)]
mod second_name;
#[cfg(test)]
mod tests;
#[cfg(unix)]
mod unix;
#[cfg(unix)]
mod unix_calls;
#[cfg(windows)]
mod windows;

use reelgauge_record::{AccessBits, OpFlags, OpKind};
use reelgauge_workload::script::Op;

#[cfg(target_os = "linux")]
pub(crate) use self::names::Anchors;
#[cfg(unix)]
pub(crate) use self::names::{Name, Names};
#[cfg(unix)]
pub(crate) use self::second_name::{Opening, stat_of_pinned};
#[cfg(unix)]
pub(crate) use self::unix::OpenFile;
#[cfg(target_os = "linux")]
pub(crate) use self::unix_calls::{NEW_FILE, create_flags, open_flags, set_size};
#[cfg(windows)]
pub(crate) use self::windows::{Name, Names, OpenFile, TailLock, sectors};

/// A system error number, never 0.
pub(crate) type ErrorNumber = i32;

/// The error number for using a handle that is not open.
#[cfg(unix)]
pub(crate) const NOT_OPEN: ErrorNumber = rustix::io::Errno::BADF.raw_os_error();
/// The error number of an invalid request.
#[cfg(unix)]
pub(crate) const IMPOSSIBLE: ErrorNumber = rustix::io::Errno::INVAL.raw_os_error();
/// The error number for using a handle that is not open.
#[cfg(windows)]
pub(crate) const NOT_OPEN: ErrorNumber = windows_sys::Win32::Foundation::ERROR_INVALID_HANDLE as i32;
/// The error number of an invalid request.
#[cfg(windows)]
pub(crate) const IMPOSSIBLE: ErrorNumber = windows_sys::Win32::Foundation::ERROR_INVALID_PARAMETER as i32;

/// Performs an operation that needs no handle: see [`Op::goes_by_path`]. `names` are those of the file
/// table.
pub(crate) fn by_path(op: &Op, names: &Names) -> Result<(), ErrorNumber> {
    names.foresee(op);
    let name = names.get(op.file).ok_or(IMPOSSIBLE)?;
    match op.kind {
        OpKind::Unlink => name.unlink(),
        OpKind::Stat => name.stat(),
        OpKind::Access => name.access(AccessBits(op.len)),
        OpKind::ReadDir => name.list(),
        OpKind::Truncate => name.set_size(op.offset),
        OpKind::Rename if op.flags.has(OpFlags::EXCHANGES) => {
            name.exchange(new_name(op, names).ok_or(IMPOSSIBLE)?)
        }
        OpKind::Rename => name.rename(new_name(op, names).ok_or(IMPOSSIBLE)?),
        OpKind::MakeDir => name.make_dir(),
        OpKind::RemoveDir => name.remove_dir(),
        OpKind::SetAttr => name.touch(),
        OpKind::Link => name.link(new_name(op, names).ok_or(IMPOSSIBLE)?),
        OpKind::SymLink => name.lead_to(new_name(op, names).ok_or(IMPOSSIBLE)?),
        OpKind::ReadLink => name.read_link(),
        _ => Err(IMPOSSIBLE),
    }
}

/// The second name of an operation that has two; `None` if the file table does not contain it.
pub(crate) fn new_name<'a>(op: &Op, names: &'a Names) -> Option<Name<'a>> {
    names.get(u32::try_from(op.offset).ok()?)
}
