//! The lock that prevents two runs from using the same area.
//!
//! One run may use several hosts on one area. The *owner* takes the lock exclusively, creates the files,
//! and then shares the lock under the run's name ([`AreaLock::share`]). The other hosts wait until that
//! name appears in the lock file, and then take the shared lock, too ([`join`]). A process outside the
//! run tries to take the lock exclusively, and fails.

use super::error::io_error;
use super::marker::Marker;
use super::{AreaDir, AreaError, LOCK_FILE, MARKER_FILE};
use crate::area_path::Purpose;
use reelgauge_machine::system::host_name;
use std::fs::{File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::time::{Duration, Instant};

#[cfg(windows)]
use crate::io::TailLock as Lock;
/// The calls that lock a file.
#[cfg(not(windows))]
use std::fs::File as Lock;

/// Reelgauge writes short holder texts. A longer text is from another program.
const LONGEST_HOLDER_BYTES: u64 = 400;

/// The right to use an area. It is released when dropped, and when the process ends for any reason.
#[derive(Debug)]
pub struct AreaLock {
    /// Holds the lock by being open.
    file: File,
    note: Option<String>,
}

impl AreaLock {
    /// A note for the user about the reach of the lock; `None` if the lock excludes at least other runs
    /// on the local host.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

impl AreaLock {
    /// Lets the other hosts of this run join. The owner's exclusive lock becomes a shared one.
    pub(super) fn share(&self, dir: &AreaDir, marker: &Marker, run: &str) -> Result<(), AreaError> {
        let path = dir.path().join(LOCK_FILE);
        name_holder(&self.file, Some(run)).map_err(|error| io_error("write", &path, error))?;
        if self.note.is_some() {
            // On a file system without locks, the name alone lets the others join.
            return Ok(());
        }
        // Not every system can convert an exclusive lock into a shared one, and none does so atomically.
        Lock::unlock(&self.file).map_err(|error| io_error("unlock", &path, error))?;
        match lock_by(&self.file, Lock::try_lock_shared) {
            Ok(()) => still_there(dir, marker, &self.file),
            Err(refusal) if is_held(&refusal) => {
                Err(AreaError::InUse { path: dir.path().to_owned(), holder: holder(&self.file) })
            }
            Err(refusal) => Err(io_error("share", &path, refusal.into())),
        }
    }
}

/// Takes a share of the lock of this run's owner; `None` if the owner has not shared it yet.
pub(super) fn join(dir: &AreaDir, marker: &Marker, run: &str) -> Result<Option<AreaLock>, AreaError> {
    // Reopened each time, because NFS refreshes its view of another host's writes only on open.
    let file = open(dir)?;
    if shared_run(&text_of(&file)).as_deref() != Some(run) {
        return Ok(None);
    }
    let note = match lock_by(&file, Lock::try_lock_shared) {
        Ok(()) => None,
        Err(refusal) if is_held(&refusal) => return Ok(None),
        Err(refusal) => Some(unsupported_note(dir, refusal)?),
    };
    still_there(dir, marker, &file)?;
    // Between reading the name and taking the shared lock, the owner may have ended and another run may
    // have started.
    let is_still = shared_run(&text_of(&file)).as_deref() == Some(run);
    Ok(is_still.then_some(AreaLock { file, note }))
}

/// Checks that the area can be written to, by opening its lock file for writing.
pub(super) fn check_writable(dir: &AreaDir) -> Result<(), AreaError> {
    open(dir).map(drop)
}

/// Opens the lock file. Its content is overwritten, so it must be Reelgauge's own file. A link, or a
/// file with a second name, could lead to another user's file.
fn open(dir: &AreaDir) -> Result<File, AreaError> {
    let path = dir.path().join(LOCK_FILE);
    if let Some(what) = foreign(dir) {
        return Err(AreaError::ForeignLock { path, what });
    }
    let file = dir.open_file(&path, Purpose::Both).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => AreaError::Vanished { path: dir.path().to_owned() },
        _ => io_error("write", &path, error),
    })?;
    // Checked again after the open, because it may have been replaced.
    match foreign(dir) {
        None => Ok(file),
        Some(what) => Err(AreaError::ForeignLock { path, what }),
    }
}

/// Why the file with the lock file's name must not be written to; `None` if it may.
pub(super) fn foreign(dir: &AreaDir) -> Option<&'static str> {
    dir.facts(&dir.path().join(LOCK_FILE)).ok()?.foreign_file()
}

/// A child process holds copies of this process's files until its `exec`. A lock that was just released
/// may therefore stay held for this long.
const RELEASE_TIME: Duration = Duration::from_millis(200);

/// Locks the file. If the lock is held for longer than [`RELEASE_TIME`], returns that error.
fn lock_by(file: &File, lock: fn(&File) -> Result<(), TryLockError>) -> Result<(), TryLockError> {
    let begun = Instant::now();
    loop {
        match lock(file) {
            Err(refusal) if is_held(&refusal) && begun.elapsed() < RELEASE_TIME => {
                std::thread::sleep(Duration::from_millis(5));
            }
            ended => return ended,
        }
    }
}

/// Takes the lock on the area with this marker.
pub(super) fn take(dir: &AreaDir, marker: &Marker) -> Result<AreaLock, AreaError> {
    let root = dir.path();
    let file = open(dir)?;
    let note = match lock_by(&file, Lock::try_lock) {
        Ok(()) => None,
        Err(refusal) if is_held(&refusal) => {
            return Err(AreaError::InUse { path: root.to_owned(), holder: holder(&file) });
        }
        Err(refusal) => Some(unsupported_note(dir, refusal)?),
    };
    still_there(dir, marker, &file)?;
    // The text is used only in the error message of another run, so a failure is ignored.
    let _ = name_holder(&file, None);
    Ok(AreaLock { file, note })
}

/// The note for the user about a file system without locks.
///
/// # Errors
/// If the file system has locks, and locking failed for another reason.
fn unsupported_note(dir: &AreaDir, refusal: TryLockError) -> Result<String, AreaError> {
    match refusal {
        TryLockError::Error(error) if !is_unsupported(&error) => {
            Err(io_error("lock", &dir.path().join(LOCK_FILE), error))
        }
        refusal => Ok(format!(
            "this file system has no locks ({refusal}). Make sure that no other run uses {}",
            dir.path().display()
        )),
    }
}

/// Between opening the area and locking it, another run may have removed it, and even recreated it.
fn still_there(dir: &AreaDir, marker: &Marker, file: &File) -> Result<(), AreaError> {
    let vanished = || AreaError::Vanished { path: dir.path().to_owned() };
    let is_unmarked = |dir: &AreaDir| {
        let marker = dir.facts(&dir.path().join(MARKER_FILE));
        marker.is_err_and(|error| error.kind() == io::ErrorKind::NotFound)
    };
    let now = AreaDir::open(dir.path()).map_err(|_| vanished())?;
    match Marker::read(&now) {
        Ok(now) if now.id == marker.id => Ok(()),
        Ok(_) => Err(vanished()),
        Err(AreaError::Foreign { .. }) if is_unmarked(&now) => {
            // The area is being removed, and opening the lock file recreated that file. Remove it
            // again, so that the other removal succeeds. If the file has content, it stays.
            if file.metadata().is_ok_and(|metadata| metadata.len() == 0) {
                let _ = dir.remove_file(&dir.path().join(LOCK_FILE));
            }
            Err(vanished())
        }
        Err(error) => Err(error),
    }
}

/// Whether another process holds the lock. An SMB server then reports "permission denied". The cause
/// cannot be permissions, since the file is open for writing.
fn is_held(refusal: &TryLockError) -> bool {
    match refusal {
        TryLockError::WouldBlock => true,
        TryLockError::Error(error) => error.kind() == io::ErrorKind::PermissionDenied,
    }
}

/// Whether locking failed because the file system does not support locks.
fn is_unsupported(error: &io::Error) -> bool {
    #[cfg(unix)]
    if let Some(errno) = error.raw_os_error() {
        // A list instead of a pattern: two of these are the same number on Linux, but not on macOS.
        let none = [libc::ENOLCK, libc::ENOSYS, libc::EOPNOTSUPP, libc::ENOTSUP, libc::EINVAL];
        return none.contains(&errno);
    }
    error.kind() == io::ErrorKind::Unsupported
}

/// Prefix of the lock file's text if several hosts of one run share the lock.
const SHARED_RUN: &str = "shared by run ";

fn name_holder(mut file: &File, shared_run: Option<&str>) -> io::Result<()> {
    let since = jiff::Timestamp::now();
    let host = host_name().unwrap_or_else(|| "an unnamed host".to_owned());
    let mut text = format!("process {} on {host} since {since:.0}\n", std::process::id());
    if let Some(run) = shared_run {
        text += &format!("{SHARED_RUN}{run}\n");
    }
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(text.as_bytes())
}

/// The holder's text from the lock file.
fn holder(file: &File) -> String {
    match text_of(file).lines().next().map(str::trim) {
        Some(holder) if !holder.is_empty() => holder.to_owned(),
        _ => "its lock file does not name it".to_owned(),
    }
}

/// The content of the lock file; empty if it cannot be read.
fn text_of(mut file: &File) -> String {
    let mut bytes = Vec::new();
    match file.rewind().and_then(|()| file.take(LONGEST_HOLDER_BYTES).read_to_end(&mut bytes)) {
        Ok(_) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(_) => String::new(),
    }
}

/// The run that shares the area between its hosts, from the text of the lock file.
fn shared_run(text: &str) -> Option<String> {
    text.lines().find_map(|line| line.strip_prefix(SHARED_RUN)).map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn held_lock_is_recognized_by_both_errors() {
        let error = |kind: io::ErrorKind| TryLockError::Error(kind.into());
        assert!(is_held(&TryLockError::WouldBlock));
        assert!(is_held(&error(io::ErrorKind::PermissionDenied)));
        assert!(!is_held(&error(io::ErrorKind::Unsupported)));
    }

    #[cfg(unix)]
    #[test]
    fn only_missing_lock_support_is_ignored() {
        for errno in [libc::ENOLCK, libc::ENOSYS, libc::EOPNOTSUPP, libc::EINVAL] {
            assert!(is_unsupported(&io::Error::from_raw_os_error(errno)));
        }
        for errno in [libc::EIO, libc::EACCES, libc::EBADF] {
            assert!(!is_unsupported(&io::Error::from_raw_os_error(errno)));
        }
    }
}
