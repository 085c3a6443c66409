//! A token that outlives the console: kept in a file that no other user can read, and made there if
//! needed.
//!
//! It is a file because nothing else keeps a secret here: all users can read command lines, and the
//! environment is inherited by every run that the console starts.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use reelgauge_record::regular_file::open_regular;

use crate::token::{LENGTH_MAX, Token};

/// Why a token file can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TokenFileError {
    /// The system refused.
    #[error("cannot use the token file {}: {source}. Check the path and its permissions", path.display())]
    Io {
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// Other users can read or write it, so it is not secret.
    #[error(
        "others can read the token file {} (mode {mode:04o}), so it is not secret. Delete it, or write a \
         new token to it and run 'chmod 600' on it", path.display()
    )]
    Loose { path: PathBuf, mode: u32 },
    /// It belongs to another user, who knows the token and can change it.
    #[error(
        "the token file {} belongs to another user (UID {owner}), who knows the token. Name your own with \
         --token-file", path.display()
    )]
    Foreign { path: PathBuf, owner: u32 },
    /// The file has no token.
    #[error(
        "{} contains no token. Write one line of 32 to 512 letters, digits and '-._~+/=' ('openssl rand \
         -hex 16'), or delete the file: the console then creates one", path.display()
    )]
    NoToken { path: PathBuf },
    /// No secret can be drawn.
    #[error(
        "the system provides no random numbers ({0}), so no token can be made. Write your own into the file: \
         32 to 512 letters and digits"
    )]
    Random(#[from] getrandom::Error),
}

/// The token in this file. If there is no file, one is made that no other user can read.
///
/// # Errors
/// If it cannot be read or made, other users can read it, or there is no token in it.
pub fn token(path: &Path) -> Result<Token, TokenFileError> {
    let failed = |source: io::Error| TokenFileError::Io { path: path.to_owned(), source };
    match open_regular(path) {
        Ok((file, metadata)) => read(path, file, &metadata),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let token = Token::draw()?;
            make(path, &token).map_err(failed)?;
            Ok(token)
        }
        Err(error) => Err(failed(error)),
    }
}

fn read(path: &Path, file: File, metadata: &Metadata) -> Result<Token, TokenFileError> {
    let failed = |source: io::Error| TokenFileError::Io { path: path.to_owned(), source };
    #[cfg(unix)]
    is_own(path, metadata)?;
    #[cfg(not(unix))]
    let _ = metadata;
    let mut text = String::new();
    // Room for the longest token, a line break (CR LF), and one more byte that shows that the file is
    // too long.
    let most = LENGTH_MAX as u64 + 3;
    let no_token = || TokenFileError::NoToken { path: path.to_owned() };
    match file.take(most).read_to_string(&mut text) {
        Err(error) if error.kind() == io::ErrorKind::InvalidData => return Err(no_token()),
        read => read.map_err(failed)?,
    };
    let line = text.strip_suffix('\n').unwrap_or(&text);
    Token::of(line.strip_suffix('\r').unwrap_or(line)).ok_or_else(no_token)
}

/// Whether the file is this user's and closed to other users. Files of root pass: root may have placed
/// them for any user.
#[cfg(unix)]
fn is_own(path: &Path, metadata: &Metadata) -> Result<(), TokenFileError> {
    use std::os::unix::fs::MetadataExt;

    const OTHERS: u32 = 0o077;
    let (mode, owner) = (metadata.mode() & 0o7777, metadata.uid());
    if mode & OTHERS != 0 {
        return Err(TokenFileError::Loose { path: path.to_owned(), mode });
    }
    match owner == 0 || owner == rustix::process::geteuid().as_raw() {
        true => Ok(()),
        false => Err(TokenFileError::Foreign { path: path.to_owned(), owner }),
    }
}

/// Creates the file with its final rights, so that other users can read it at no moment.
fn make(path: &Path, token: &Token) -> io::Result<()> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(path)?;
    writeln!(file, "{}", token.reveal())?;
    file.sync_all()
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn file(text: &[u8], mode: u32) -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        (folder, path)
    }

    #[test]
    fn a_token_is_made_once_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let made = token(&path).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o7777, 0o600);
        assert!(token(&path).unwrap().is(made.reveal()));
        let missing = folder.path().join("no-such-folder/token");
        assert!(token(&missing).unwrap_err().to_string().contains("no-such-folder/token"));
    }

    #[test]
    fn only_a_file_closed_to_other_users_is_accepted() {
        let text = "0123456789abcdef0123456789abcdef\n";
        for mode in [0o600, 0o400] {
            let (_folder, path) = file(text.as_bytes(), mode);
            assert!(token(&path).unwrap().is(text.trim()));
        }
        for mode in [0o640, 0o604, 0o644, 0o620, 0o602, 0o610, 0o666] {
            let (_folder, path) = file(text.as_bytes(), mode);
            let error = token(&path).unwrap_err().to_string();
            assert!(error.contains("chmod 600") && error.contains(&format!("{mode:04o}")), "{error}");
            assert!(!error.contains(text.trim()), "{error}");
        }
    }

    #[test]
    fn text_that_is_not_a_token_is_refused() {
        let long = "x".repeat(LENGTH_MAX + 1);
        let twice = format!("{0}\n{0}\n", "0".repeat(32));
        for text in ["", "\n", "too short", "0123456789abcdef 0123456789abcdef", &twice, &long] {
            let (_folder, path) = file(text.as_bytes(), 0o600);
            assert!(matches!(token(&path), Err(TokenFileError::NoToken { .. })), "{text}");
        }
        let (_folder, path) = file(&[0xff; 40], 0o600);
        assert!(matches!(token(&path), Err(TokenFileError::NoToken { .. })));
        let (_folder, path) = file(format!("{}\r\n", "x".repeat(LENGTH_MAX)).as_bytes(), 0o600);
        assert!(token(&path).is_ok());
    }

    #[test]
    fn folders_and_fifos_are_no_token_files() {
        let folder = tempfile::tempdir().unwrap();
        let fifo = folder.path().join("fifo");
        let made = std::process::Command::new("mkfifo").args(["-m", "600"]).arg(&fifo).status().unwrap();
        assert!(made.success());
        for path in [folder.path(), &fifo] {
            assert!(token(path).unwrap_err().to_string().contains("regular file"));
        }
    }
}
