//! A folder for one process at a time: a lock on a file in it, which the system releases when that
//! process ends for any reason.
//!
//! Not here: other ownership of a folder; the area on a target, which has a different lock (engine).

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub(crate) const FILE_NAME: &str = "lock";
/// The longest process number.
const NUMBER_MAX_BYTES: u64 = 20;

/// A lock on the folder for as long as this lives.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why the folder could not be locked.
#[derive(Debug)]
pub enum FolderLockError {
    /// Another process has it; its number, if that can be read.
    Taken(Option<u32>),
    /// No process can lock it.
    File {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl FolderLock {
    /// Locks an existing folder.
    ///
    /// # Errors
    /// If another process has it, or none can lock it.
    pub fn take(folder: &Path) -> Result<FolderLock, FolderLockError> {
        let path = folder.join(FILE_NAME);
        let failed = |source| FolderLockError::File { path: path.clone(), source };
        let mut options = OpenOptions::new();
        let mut file =
            options.read(true).write(true).create(true).truncate(false).open(&path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(FolderLockError::Taken(number_in(file))),
            Err(TryLockError::Error(source)) => return Err(failed(source)),
        }
        // The number of the process to wait for. The lock is on the file, regardless of its content.
        let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file })
    }
}

/// The process that has it; `None` if that can't be read.
fn number_in(mut file: File) -> Option<u32> {
    let mut text = String::new();
    file.rewind().ok()?;
    file.take(NUMBER_MAX_BYTES).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// " (process 7)", or nothing.
pub fn process_words(number: &Option<u32>) -> String {
    number.map(|number| format!(" (process {number})")).unwrap_or_default()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_folder_is_one_process_s_until_that_lets_go() {
        let folder = tempfile::tempdir().unwrap();
        let lock = FolderLock::take(folder.path()).unwrap();
        let refused = FolderLock::take(folder.path()).unwrap_err();
        assert!(matches!(refused, FolderLockError::Taken(Some(number)) if number == std::process::id()));
        drop(lock);
        assert!(FolderLock::take(folder.path()).is_ok());
        let nowhere = FolderLock::take(&folder.path().join("gone")).unwrap_err();
        assert!(matches!(nowhere, FolderLockError::File { .. }));
    }
}
