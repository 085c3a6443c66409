//! One proof changes things at a time: two at once would measure, and undo, each other's changes.
//!
//! The turn is a lock on a file next to the undo commands, so it is shared by all proofs of a user on a
//! host. The system releases it when its process ends for any reason. Proofs without a change need no
//! turn.

use std::io;
use std::path::{Path, PathBuf};

use super::pending_undo::{left_by_others, make_folder};
use crate::folder_lock::{FILE_NAME, FolderLock, FolderLockError, process_words};

/// The lock, for as long as this lives.
#[derive(Debug)]
pub struct ProofLock {
    _lock: FolderLock,
}

/// Why the lock is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ProofLockError {
    /// Another proof is in progress.
    #[error(
        "another proof is running{}. Two at once would measure each other's changes; wait for it to end",
        process_words(.0)
    )]
    Taken(Option<u32>),
    /// An earlier proof left its change.
    #[error("an earlier proof left its change in place ({0}). Undo it first: reelgauge prove --undo-left")]
    Left(String),
    /// The lock file cannot be used.
    #[error("cannot lock {}: {source}. Set XDG_STATE_HOME to a folder on a file system that supports \
         locks", path.display())]
    File {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
}

impl ProofLock {
    /// Takes the lock for a change, while no change is in place.
    ///
    /// # Errors
    /// If another process has it, or an earlier change is still in place.
    pub(super) fn to_change(folder: &Path) -> Result<ProofLock, ProofLockError> {
        let turn = ProofLock::to_undo(folder)?;
        match left_by_others(folder).first() {
            Some(noted) => Err(ProofLockError::Left(noted.left.change.clone())),
            None => Ok(turn),
        }
    }

    /// Takes the lock to undo changes that were left.
    ///
    /// # Errors
    /// If another process has it.
    pub fn to_undo(folder: &Path) -> Result<ProofLock, ProofLockError> {
        let failed = |source| ProofLockError::File { path: folder.join(FILE_NAME), source };
        make_folder(folder).map_err(failed)?;
        match FolderLock::take(folder) {
            Ok(lock) => Ok(ProofLock { _lock: lock }),
            Err(FolderLockError::Taken(by)) => Err(ProofLockError::Taken(by)),
            Err(FolderLockError::File { path, source }) => Err(ProofLockError::File { path, source }),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn one_process_holds_the_turn_until_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let turn = ProofLock::to_change(folder.path()).unwrap();
        let refused = ProofLock::to_change(folder.path()).unwrap_err().to_string();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        assert!(matches!(ProofLock::to_undo(folder.path()), Err(ProofLockError::Taken(_))));
        drop(turn);
        assert!(ProofLock::to_change(folder.path()).is_ok());
    }
}
