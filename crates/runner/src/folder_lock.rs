//! A folder that one process has at a time: a lock on a file in it, which the system takes back when that
//! process ends, however it ends.
//!
//! Not here: whom a folder belongs to otherwise; the area on a target, which has marks of its own (engine).

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

pub(crate) const FILE_NAME: &str = "lock";
/// The longest number of a process.
const NUMBER_MAX_BYTES: u64 = 20;

/// The folder is this process's for as long as this lives.
#[derive(Debug)]
pub struct FolderLock {
    _file: File,
}

/// Why it is not.
#[derive(Debug)]
pub enum FolderLockError {
    /// Another process has it; its number, where that can be read.
    Taken(Option<u32>),
    /// Nobody can have it.
    File {
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FolderLock {
    /// Takes a folder that is there.
    ///
    /// # Errors
    /// Another process has it, or nobody can.
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
        // Whom to wait for; the lock is the file's, and not what stands in it.
        let _ = file.set_len(0).and_then(|()| write!(file, "{}", std::process::id()));
        Ok(FolderLock { _file: file })
    }
}

/// Who has it; `None` where that can't be read.
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
