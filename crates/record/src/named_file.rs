//! Files that the user names: existing files are replaced, written through, or refused.
//!
//! Reelgauge is often run as root. Replacing `/dev/null` by a new file, or writing a report over a disk,
//! would then do lasting damage. So:
//!
//! | existing entry | action |
//! |---|---|
//! | none, or a regular file | a complete new file, or no change |
//! | a symbolic link to a regular file | the same for its target; the link is kept |
//! | a device such as `/dev/null`, a pipe, `/dev/stdout` | written through |
//! | a disk, a directory, a socket, a dangling link | refused |
//!
//! The new file is created under a name that did not exist, so that no other user of the directory can
//! redirect it.
//!
//! Not here: the tool's own files in a run directory ([`crate::run_dir`]).

use std::ffi::OsString;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::identity;

/// Directories in which the system shows a process its own open files, as special links.
const OF_THE_SYSTEM: [&str; 2] = ["/dev", "/proc"];

/// Writes the output of `fill` under a name given by the user.
///
/// # Errors
/// If an existing entry must not be replaced (the error contains the reason), if the system refuses, and
/// the errors of `fill`. An existing file is then unchanged, unless it is a device or a pipe.
pub fn write_named<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let _own = identity::own();
    match way_to(path)? {
        Way::Replace(path) => replace(&path, fill),
        Way::Through => filled(OpenOptions::new().append(true).open(path)?, fill),
    }
}

/// How to write to a name.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// Replace this path by a new file.
    Replace(PathBuf),
    /// Write into the existing entry.
    Through,
}

fn way_to(path: &Path) -> io::Result<Way> {
    let is_link = match fs::symlink_metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Way::Replace(path.to_owned())),
        found => found?.is_symlink(),
    };
    let kind = match fs::metadata(path) {
        Err(error) if is_link && error.kind() == io::ErrorKind::NotFound => {
            return Err(refusal("it is a broken symbolic link. Remove it, or choose another name"));
        }
        found => found?.file_type(),
    };
    if kind.is_file() {
        let is_of_the_system = OF_THE_SYSTEM.iter().any(|dir| path.starts_with(dir));
        return match is_link {
            true if is_of_the_system => Ok(Way::Through),
            true => fs::canonicalize(path).map(Way::Replace),
            false => Ok(Way::Replace(path.to_owned())),
        };
    }
    if kind.is_dir() {
        return Err(refusal("it is a directory. Name a file in it"));
    }
    if takes_text(kind) {
        Ok(Way::Through)
    } else {
        Err(refusal("it is a device, a socket or similar, and was not changed. Name a file"))
    }
}

/// Whether text can be written into it without damage. A disk would lose its content.
#[cfg(unix)]
fn takes_text(kind: fs::FileType) -> bool {
    use std::os::unix::fs::FileTypeExt;
    kind.is_char_device() || kind.is_fifo()
}

#[cfg(not(unix))]
fn takes_text(_kind: fs::FileType) -> bool {
    false
}

fn refusal(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

fn replace<T, E: From<io::Error>>(
    path: &Path,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let (file, temporary) = new_beside(path)?.into_parts();
    let filled = filled(file, fill)?;
    temporary.persist(path).map_err(|failed| failed.error)?;
    Ok(filled)
}

/// A new file in the same directory, under an unused name. It is removed when it is dropped. Its
/// permissions are the default ones.
pub(crate) fn new_beside(path: &Path) -> io::Result<NamedTempFile> {
    let mut name = OsString::from("_");
    // A path without a name is refused at the rename; this name is temporary.
    name.push(path.file_name().unwrap_or_default());
    name.push(".");
    let dir = path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Builder::new().prefix(&name).suffix(".tmp").make_in(dir, |path| File::create_new(path))
}

fn filled<T, E: From<io::Error>>(
    file: File,
    fill: impl FnOnce(&mut BufWriter<File>) -> Result<T, E>,
) -> Result<T, E> {
    let mut out = BufWriter::with_capacity(1 << 16, file);
    let filled = fill(&mut out)?;
    out.flush()?;
    Ok(filled)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn write(path: &Path, text: &str) -> io::Result<()> {
        write_named(path, |out| out.write_all(text.as_bytes()))
    }

    fn names_in(dir: &Path) -> usize {
        fs::read_dir(dir).unwrap().count()
    }

    #[test]
    fn file_replacement_is_atomic() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("page.html");
        write(&path, "one").unwrap();
        write(&path, "two").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"two");
        let broken = write_named(&path, |out| {
            out.write_all(b"thr")?;
            Err::<(), _>(io::Error::other("the trace is damaged"))
        });
        assert_eq!(broken.unwrap_err().to_string(), "the trace is damaged");
        assert_eq!(fs::read(&path).unwrap(), b"two");
        assert_eq!(names_in(dir.path()), 1, "nothing is left beside it");
    }

    #[test]
    fn a_directory_is_refused_and_a_missing_one_is_not_made() {
        let dir = tempfile::tempdir().unwrap();
        assert!(write(dir.path(), "x").unwrap_err().to_string().contains("a directory"));
        let missing = dir.path().join("there/page.html");
        assert_eq!(write(&missing, "x").unwrap_err().kind(), io::ErrorKind::NotFound);
        assert_eq!(names_in(dir.path()), 0);
    }

    #[cfg(unix)]
    #[test]
    fn link_is_kept_and_its_target_is_written() {
        let dir = tempfile::tempdir().unwrap();
        let (real, link) = (dir.path().join("real"), dir.path().join("link"));
        fs::write(&real, "old").unwrap();
        std::os::unix::fs::symlink("real", &link).unwrap();
        write(&link, "new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&real).unwrap(), b"new");

        fs::remove_file(&real).unwrap();
        assert!(write(&link, "new").unwrap_err().to_string().contains("broken symbolic link"));
        assert!(!real.exists());
    }

    #[cfg(unix)]
    #[test]
    fn new_file_has_a_unique_name_and_usual_permissions() {
        use std::os::unix::fs::PermissionsExt;
        let dir = tempfile::tempdir().unwrap();
        let page = dir.path().join("page");
        let (one, other) = (new_beside(&page).unwrap(), new_beside(&page).unwrap());
        assert_ne!(one.path(), other.path());
        for made in [&one, &other] {
            let name = made.path().file_name().unwrap().to_str().unwrap();
            assert!(name.starts_with("_page.") && name.ends_with(".tmp"), "{name}");
        }
        let usual = File::create_new(dir.path().join("usual")).unwrap().metadata().unwrap();
        assert_eq!(one.as_file().metadata().unwrap().permissions().mode(), usual.permissions().mode());
        drop((one, other));
        write(&page, "new").unwrap();
        assert_eq!(fs::metadata(&page).unwrap().permissions().mode(), usual.permissions().mode());
        assert_eq!(names_in(dir.path()), 2);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn devices_and_pipes_are_written_through() {
        use std::os::unix::fs::FileTypeExt;
        assert_eq!(way_to(Path::new("/dev/null")).unwrap(), Way::Through);
        write(Path::new("/dev/null"), "nothing").unwrap();
        assert!(fs::symlink_metadata("/dev/null").unwrap().file_type().is_char_device());

        let dir = tempfile::tempdir().unwrap();
        let pipe = dir.path().join("pipe");
        assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read(pipe).unwrap()
        });
        write(&pipe, "through").unwrap();
        assert_eq!(reader.join().unwrap(), b"through");
        assert!(fs::symlink_metadata(&pipe).unwrap().file_type().is_fifo());

        let file = File::create_new(dir.path().join("open")).unwrap();
        let shown = PathBuf::from(format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&file)));
        write(&shown, "as standard output").unwrap();
        assert_eq!(fs::read(dir.path().join("open")).unwrap(), b"as standard output");
    }

    #[cfg(unix)]
    #[test]
    fn socket_is_unchanged() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("socket");
        let _socket = std::os::unix::net::UnixListener::bind(&path).unwrap();
        assert!(write(&path, "x").unwrap_err().to_string().contains("not changed"));
        assert_eq!(names_in(dir.path()), 1);
    }
}
