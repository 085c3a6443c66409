//! One proof changes things at a time: two at once would measure, and undo, each other's changes.
//!
//! The turn is a lock on a file beside what undoes changes, so it is one for everything that a user starts on
//! a machine. The system takes it back when its process ends, however that ends. Proofs that change nothing
//! need no turn.

use std::io;
use std::path::{Path, PathBuf};

use super::left_change::{left_by_others, make_folder};
use crate::folder_lock::{FILE_NAME, FolderLock, FolderLockError, process_words};

/// The turn, for as long as this lives.
#[derive(Debug)]
pub struct Turn {
    _lock: FolderLock,
}

/// Why it is somebody else's.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TurnError {
    /// Another proof goes on.
    #[error(
        "another proof is running{}. Two at once would measure each other's changes; wait for it to end",
        process_words(.0)
    )]
    Taken(Option<u32>),
    /// Another one left its change.
    #[error("an earlier proof left its change in place ({0}). Undo it first: reelgauge prove --undo-left")]
    Left(String),
    /// Nobody can take it.
    #[error("cannot lock {}: {source}. Set XDG_STATE_HOME to a folder on a file system that supports \
         locks", path.display())]
    File {
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Turn {
    /// Takes the turn to change things. Nobody's change is in place then.
    ///
    /// # Errors
    /// It is somebody else's, or somebody's change is still in place.
    pub(super) fn to_change(folder: &Path) -> Result<Turn, TurnError> {
        let turn = Turn::to_undo(folder)?;
        match left_by_others(folder).first() {
            Some(noted) => Err(TurnError::Left(noted.left.change.clone())),
            None => Ok(turn),
        }
    }

    /// Takes the turn to undo what was left.
    ///
    /// # Errors
    /// It is somebody else's.
    pub fn to_undo(folder: &Path) -> Result<Turn, TurnError> {
        let failed = |source| TurnError::File { path: folder.join(FILE_NAME), source };
        make_folder(folder).map_err(failed)?;
        match FolderLock::take(folder) {
            Ok(lock) => Ok(Turn { _lock: lock }),
            Err(FolderLockError::Taken(by)) => Err(TurnError::Taken(by)),
            Err(FolderLockError::File { path, source }) => Err(TurnError::File { path, source }),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_turn_is_one_at_a_time_and_ends_with_whoever_has_it() {
        let folder = tempfile::tempdir().unwrap();
        let turn = Turn::to_change(folder.path()).unwrap();
        let refused = Turn::to_change(folder.path()).unwrap_err().to_string();
        assert!(refused.contains(&format!("(process {})", std::process::id())), "{refused}");
        assert!(matches!(Turn::to_undo(folder.path()), Err(TurnError::Taken(_))));
        drop(turn);
        assert!(Turn::to_change(folder.path()).is_ok());
    }
}
