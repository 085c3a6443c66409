//! Opens files that other users may have created, such as run directories, secrets and certificates.
//! Only regular files are accepted, so that no read blocks or is endless.
//!
//! Not here: rules for one kind of file, such as owner and permissions; each kind has its own errors.

use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, Read};
use std::path::Path;

/// Opens a regular file for reading. The opened file is checked, not its name, which may have changed.
///
/// # Errors
/// The system's error, and any other type of file.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // Opening a FIFO would block.
        options.custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    match metadata.is_file() {
        true => Ok((file, metadata)),
        false => Err(io::Error::other("it is not a regular file")),
    }
}

/// Reads a regular file with a size limit.
///
/// # Errors
///
/// The system's error, any other type of file, or a longer one.
pub fn read_regular(path: &Path, most_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let (file, _) = open_regular(path)?;
    match file.take(most_bytes + 1).read_to_end(&mut bytes)? as u64 <= most_bytes {
        true => Ok(bytes),
        false => Err(io::Error::other(format!("it is longer than {most_bytes} bytes"))),
    }
}

/// The same as text.
///
/// # Errors
/// The same, and if it is not UTF-8.
pub fn read_regular_text(path: &Path, most_bytes: u64) -> io::Result<String> {
    let text = String::from_utf8(read_regular(path, most_bytes)?);
    text.map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "it is not text"))
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn nothing_is_waited_for_and_nothing_is_read_without_an_end() {
        let dir = tempfile::tempdir().unwrap();
        let path = |name: &str| dir.path().join(name);
        std::fs::write(path("file"), "12345").unwrap();
        assert_eq!(read_regular(&path("file"), 5).unwrap(), b"12345");
        assert!(read_regular(&path("file"), 4).unwrap_err().to_string().contains("longer than 4 bytes"));
        std::fs::write(path("bytes"), [0xff, 0xfe]).unwrap();
        assert_eq!(read_regular_text(&path("bytes"), 9).unwrap_err().kind(), io::ErrorKind::InvalidData);
        // Endless. A FIFO, which is no regular file either, would also block.
        std::os::unix::fs::symlink("/dev/zero", path("endless")).unwrap();
        for other in ["endless", "."] {
            let error = read_regular(&path(other), 9).unwrap_err();
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
        let made = std::process::Command::new("mkfifo").arg(path("pipe")).status().unwrap();
        assert!(made.success() && read_regular(&path("pipe"), 9).is_err());
    }
}
