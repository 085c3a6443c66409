//! Files with secrets: created so that no other user can ever read them, and refused if other users can
//! read them now.
//!
//! On Windows the folder's rights decide; nothing is checked there.

#[cfg(unix)]
use std::fs::Metadata;
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use reelgauge_record::regular_file::open_regular;

/// The longest file that is read.
const BYTES_MAX: u64 = 256 * 1024;

/// Why a file with a secret can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PrivateFileError {
    /// The system refused.
    #[error("cannot use {}: {source}. Check the path and its permissions", path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Other users can read or write it, so it is not secret.
    #[error(
        "other users can read {} (mode {mode:04o}), so it is no longer secret. If no other user had access \
         to this host, run 'chmod 600' on it. Otherwise replace a join file with 'reelgauge fleet revoke' \
         and 'fleet add', or keys with 'fleet init' in another directory", path.display()
    )]
    Loose { path: PathBuf, mode: u32 },
    /// It belongs to another user, who knows the secret and can change it.
    #[error(
        "{} belongs to another user (UID {owner}), who knows its secret. Copy it to a file that you own; if \
         you do not trust that user, replace it",
        path.display()
    )]
    Foreign { path: PathBuf, owner: u32 },
    /// It is too large, or not text.
    #[error("{} is too large, or not a text file. Check the path", path.display())]
    NoText { path: PathBuf },
}

/// Creates the file with its final rights, so that other users can never read it.
///
/// # Errors
/// If the system cannot create it; also if the file exists.
pub fn make(path: &Path, text: &str) -> Result<(), PrivateFileError> {
    make_file(path, text).map_err(failed(path))
}

fn make_file(path: &Path, text: &str) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Replaces the file's text atomically: a concurrent reader has the old text or the new one.
///
/// # Errors
/// If the system cannot replace it.
pub fn replace(path: &Path, text: &str) -> Result<(), PrivateFileError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let replaced = || {
        // Created with access for its owner only.
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(text.as_bytes())?;
        file.as_file().sync_all()?;
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    };
    replaced().map_err(failed(path))
}

/// The text of the file.
///
/// # Errors
/// If it cannot be read, or other users can read or write it.
pub fn read(path: &Path) -> Result<String, PrivateFileError> {
    let (file, metadata) = open_regular(path).map_err(failed(path))?;
    #[cfg(unix)]
    is_own(path, &metadata)?;
    #[cfg(not(unix))]
    let _ = metadata;
    let mut text = String::new();
    let no_text = || PrivateFileError::NoText { path: path.to_owned() };
    match file.take(BYTES_MAX + 1).read_to_string(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(no_text()),
        read => read.map_err(failed(path))?,
    };
    if text.len() as u64 > BYTES_MAX {
        return Err(no_text());
    }
    Ok(text)
}

fn failed(path: &Path) -> impl Fn(io::Error) -> PrivateFileError {
    let path = path.to_owned();
    move |source| PrivateFileError::Io { path: path.clone(), source }
}

/// Whether only this user can access the file. Files of root pass: root may have placed them for any
/// user.
#[cfg(unix)]
fn is_own(path: &Path, metadata: &Metadata) -> Result<(), PrivateFileError> {
    use std::os::unix::fs::MetadataExt;

    const OTHERS: u32 = 0o077;
    let (mode, owner) = (metadata.mode() & 0o7777, metadata.uid());
    if mode & OTHERS != 0 {
        return Err(PrivateFileError::Loose { path: path.to_owned(), mode });
    }
    match owner == 0 || owner == rustix::process::geteuid().as_raw() {
        true => Ok(()),
        false => Err(PrivateFileError::Foreign { path: path.to_owned(), owner }),
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs::{Permissions, metadata, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn mode(path: &Path) -> u32 {
        metadata(path).unwrap().permissions().mode() & 0o7777
    }

    #[test]
    fn secrets_are_for_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        make(&path, "one").unwrap();
        assert_eq!((mode(&path), read(&path).unwrap().as_str()), (0o600, "one"));
        assert!(make(&path, "other").is_err(), "nothing is overwritten");
        replace(&path, "two").unwrap();
        assert_eq!((mode(&path), read(&path).unwrap().as_str()), (0o600, "two"));
        for loose in [0o640, 0o604, 0o620, 0o602, 0o601] {
            set_permissions(&path, Permissions::from_mode(loose)).unwrap();
            let error = read(&path).unwrap_err();
            assert!(matches!(error, PrivateFileError::Loose { mode, .. } if mode == loose), "{error}");
        }
    }

    #[test]
    fn unsuitable_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("secret");
        assert!(matches!(read(&path), Err(PrivateFileError::Io { .. })));
        assert!(matches!(read(folder.path()), Err(PrivateFileError::Io { .. })));
        make(&path, &"x".repeat(BYTES_MAX as usize + 1)).unwrap();
        assert!(matches!(read(&path), Err(PrivateFileError::NoText { .. })));
    }
}
