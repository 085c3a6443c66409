//! Texts from a directory, as filled by the collecting scripts: a file for each, named after the text,
//! with `%2F` for a slash; `NAME.why` if it is not available.
//!
//! The directory comes from elsewhere and may be malicious: links are not followed, pipes and devices
//! not opened, and everything is bounded. A text that ends within a line was cut off: the rest of that
//! line is not used. Additions of users' shells and terminals are removed ([`decoration`]). Files that
//! are not texts are listed.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use super::decoration;
use super::required_texts::{is_text, is_wanted, says_nothing_blank};
use super::{NotKnown, TEXT_MAX_BYTES, Texts, WHY, decoded};

/// More texts than any host has.
const TEXTS_MAX: usize = 20_000;
const FOLDER_MAX_BYTES: u64 = 64 << 20;

/// Why a directory cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It cannot be listed.
    #[error("cannot read the collected data in {folder}: {source}", folder = folder.display())]
    Unreadable { folder: PathBuf, source: io::Error },
    /// It contains more than one host can have reported.
    #[error(
        "{folder} contains more than {TEXTS_MAX} files or {} MiB. Name the folder that the script created",
        FOLDER_MAX_BYTES >> 20,
        folder = folder.display()
    )]
    TooMuch { folder: PathBuf },
    /// It contains no text that a rule reads.
    #[error(
        "{folder} contains no collected data. Create it with the script from: reelgauge doctor \
         --collect-script sh",
        folder = folder.display()
    )]
    Nothing { folder: PathBuf },
}

/// Reads the texts in a directory.
///
/// # Errors
/// If it cannot be listed, contains too much, or contains nothing.
pub fn read(folder: &Path) -> Result<Texts, FolderError> {
    let unreadable = |source| FolderError::Unreadable { folder: folder.to_owned(), source };
    let mut texts = Texts::default();
    let mut left_bytes = FOLDER_MAX_BYTES;
    for (at, entry) in fs::read_dir(folder).map_err(unreadable)?.enumerate() {
        let entry = entry.map_err(unreadable)?;
        if at >= TEXTS_MAX || left_bytes == 0 {
            return Err(FolderError::TooMuch { folder: folder.to_owned() });
        }
        let file = entry.file_name();
        let name = file.to_str().and_then(decoded_name);
        if !name.as_deref().is_some_and(|name| is_wanted(name.strip_suffix(WHY).unwrap_or(name))) {
            texts.unrecognised.push(file.to_string_lossy().into_owned());
        }
        let Some(name) = name else { continue };
        let Some(text) = text(&entry.path(), &mut left_bytes) else { continue };
        put(&mut texts, &name, text);
    }
    texts.unrecognised.sort();
    let tells = |name: &str| is_text(name) && texts.get(name).is_ok_and(|text| !text.trim().is_empty());
    if !texts.known().any(tells) {
        return Err(FolderError::Nothing { folder: folder.to_owned() });
    }
    Ok(texts)
}

/// Adds the content of a file. Text after the last line feed is an incomplete line. Only handwritten
/// files, and those that just name the system, may end without a line feed.
fn put(texts: &mut Texts, name: &str, text: Result<String, NotKnown>) {
    let is_note = name.ends_with(WHY);
    let text = if is_note { text } else { text.and_then(|text| decoration::plain(name, &text)) };
    let is_by_hand = name.starts_with("/etc/") || name == "uname -sr" || is_note || !is_wanted(name);
    match text {
        Ok(text) if text.trim().is_empty() && is_wanted(name) && !says_nothing_blank(name) => {
            texts.put(name, Err(NotKnown::NotUnderstood("it is empty".to_owned())));
        }
        // An empty list was not cut off: nothing was printed.
        Ok(mut text) if !is_by_hand && !text.is_empty() && !text.ends_with('\n') => {
            text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
            match text.trim().is_empty() || is_one_piece(name) {
                true => texts.put(name, Err(NotKnown::NotUnderstood(CUT_OFF.to_owned()))),
                false => texts.put_cut_off(name, text, CUT_OFF),
            }
        }
        text => texts.put_noted(name, text),
    }
}

/// The message for bytes that are not text. Half of UTF-16 looks like text.
const NO_TEXT: &str = "it contains zero bytes, probably UTF-16 without a byte order mark; save it as UTF-8";

/// The message for a text without an end.
const CUT_OFF: &str = "it ends in the middle of a line";

/// Texts of which the beginning has another meaning than the whole: a share's setting may come later.
fn is_one_piece(name: &str) -> bool {
    name.starts_with("testparm") || name.starts_with("smbstatus")
}

/// The content of a file, or why it is not read; `None` if it no longer exists.
fn text(path: &Path, left_bytes: &mut u64) -> Option<Result<String, NotKnown>> {
    let kind = fs::symlink_metadata(path).ok()?.file_type();
    if !kind.is_file() {
        return Some(Err(NotKnown::NoFile(what(kind))));
    }
    Some(bytes(path).and_then(|bytes| {
        *left_bytes = left_bytes.saturating_sub(bytes.len() as u64);
        let text = decoded(&bytes);
        match text.contains('\0') {
            true => Err(NotKnown::NotUnderstood(NO_TEXT.to_owned())),
            false => Ok(text),
        }
    }))
}

fn what(kind: fs::FileType) -> &'static str {
    if kind.is_symlink() {
        return "a symbolic link";
    }
    if kind.is_dir() {
        return "a folder";
    }
    #[cfg(unix)]
    if std::os::unix::fs::FileTypeExt::is_fifo(&kind) {
        return "a pipe";
    }
    "no file"
}

fn bytes(path: &Path) -> Result<Vec<u8>, NotKnown> {
    let file = opened(path).map_err(|error| NotKnown::of(&error))?;
    let is_file = file.metadata().is_ok_and(|data| data.is_file());
    let mut bytes = Vec::new();
    let read = file.take(TEXT_MAX_BYTES + 1).read_to_end(&mut bytes);
    match read {
        Ok(read) if read as u64 > TEXT_MAX_BYTES => Err(NotKnown::TooLarge),
        Ok(_) if !is_file => Err(NotKnown::NotThere),
        Ok(_) => Ok(bytes),
        Err(error) => Err(NotKnown::of(&error)),
    }
}

/// Between the check of a file and its opening, another process may have replaced it by a link or a
/// pipe.
#[cfg(unix)]
fn opened(path: &Path) -> io::Result<fs::File> {
    use rustix::fs::{Mode, OFlags};
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    Ok(fs::File::from(rustix::fs::open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
fn opened(path: &Path) -> io::Result<fs::File> {
    fs::File::open(path)
}

/// The text's name from its file's: `%2F` is a slash. `None` if it is not encoded that way.
fn decoded_name(file: &str) -> Option<String> {
    let mut name = String::new();
    let mut rest = file;
    while let Some((before, after)) = rest.split_once('%') {
        let code = after.get(..2)?;
        let byte = u8::from_str_radix(code, 16).ok().filter(|byte| byte.is_ascii() && *byte >= b' ')?;
        name.push_str(before);
        name.push(char::from(byte));
        rest = &after[2..];
    }
    name.push_str(rest);
    Some(name)
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn files_are_texts_and_reasons() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &[u8]| fs::write(folder.path().join(name), text).unwrap();
        put("%2Fproc%2Fmeminfo", b"MemTotal: 1 kB\n");
        put("ethtool -a eth0.why", b"not there\n");
        put("testparm -s -v", &vec![b'a'; TEXT_MAX_BYTES as usize + 1]);
        put("%2", b"no name");
        put("notes.txt", b"no text");
        let texts = read(folder.path()).unwrap();
        assert_eq!(texts.get("/proc/meminfo"), Ok("MemTotal: 1 kB\n"));
        assert_eq!(texts.get("ethtool -a eth0"), Err(NotKnown::NotThere));
        assert_eq!(texts.get("testparm -s -v"), Err(NotKnown::TooLarge));
        assert_eq!(texts.known().filter(|name| is_wanted(name)).count(), 1);
        assert_eq!(texts.unrecognised(), ["%2", "notes.txt"]);
    }

    #[test]
    fn truncated_text_is_distinguished_from_a_whole_one() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        put(
            "%2Fproc%2Fself%2Fmountinfo",
            "29 1 8:1 / / rw - ext4 /dev/sda1 rw\n33 29 0:52 / /m rw - nfs n:/m rw,rsize=104",
        );
        put("%2Fproc%2Fsys%2Fvm%2Fdirty_ratio", "2");
        put("testparm -s -v", "[global]\n\toplocks = Yes\n[med");
        put("%2Fproc%2Fmdstat", "");
        put("%2Fetc%2Ffstab", "nas1:/m /m nfs nconnect=4 0 0");
        put("uname -sr", "Linux 6.1.0");
        put("smbstatus --json", "{}\n");
        put("smbstatus --json.why", "not there\n");
        let texts = read(folder.path()).unwrap();
        let not_understood = |what: &str| NotKnown::NotUnderstood(what.to_owned());
        assert_eq!(texts.get("/proc/self/mountinfo"), Ok("29 1 8:1 / / rw - ext4 /dev/sda1 rw\n"));
        assert_eq!(texts.damaged("/proc/self/mountinfo"), Some(not_understood(CUT_OFF)));
        for name in ["/proc/sys/vm/dirty_ratio", "testparm -s -v"] {
            assert_eq!(texts.get(name), Err(not_understood(CUT_OFF)), "{name}");
        }
        assert_eq!(texts.get("/proc/mdstat"), Err(not_understood("it is empty")));
        assert_eq!(texts.get("/etc/fstab"), Ok("nas1:/m /m nfs nconnect=4 0 0"));
        assert_eq!((texts.get("smbstatus --json"), texts.unrecognised().len()), (Ok("{}\n"), 0));
    }

    #[test]
    fn utf_16_without_a_mark_is_not_half_read() {
        let folder = tempfile::tempdir().unwrap();
        let put = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).unwrap();
        let wide = |text: &str, order: fn(u16) -> [u8; 2]| -> Vec<u8> {
            text.encode_utf16().flat_map(order).collect()
        };
        let mounts = "29 1 8:1 / / rw - ext4 /dev/sda1 rw\n";
        put("%2Fproc%2Fself%2Fmountinfo", &wide(mounts, u16::to_le_bytes));
        put("%2Fproc%2Fmeminfo", &wide("MemTotal: 1 kB\n", u16::to_be_bytes));
        put("%2Fetc%2Ffstab", b"nas1:/m /m nfs rw 0 0\n\0\0\0");
        put("testparm -s -v", &[b"\xff\xfe".as_slice(), &wide("[global]\n", u16::to_le_bytes)].concat());
        put("uname -sr", b"Linux 6.1.0");
        let texts = read(folder.path()).unwrap();
        for name in ["/proc/self/mountinfo", "/proc/meminfo", "/etc/fstab"] {
            assert_eq!(texts.get(name), Err(NotKnown::NotUnderstood(NO_TEXT.to_owned())), "{name}");
        }
        assert_eq!(texts.get("testparm -s -v"), Ok("[global]\n"));
    }

    #[test]
    fn links_and_pipes_are_not_opened() {
        let (folder, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        fs::write(outside.path().join("secret"), "secret").unwrap();
        std::os::unix::fs::symlink(outside.path().join("secret"), folder.path().join("mount")).unwrap();
        let pipe = folder.path().join("pipe");
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, rustix::fs::Mode::from_raw_mode(0o600)).unwrap();
        assert!(matches!(read(folder.path()), Err(FolderError::Nothing { .. })));
        assert!(opened(&folder.path().join("mount")).is_err());
        fs::write(folder.path().join("uname -sr"), "Linux 6.1").unwrap();
        fs::write(folder.path().join("..%2F..%2Fetc%2Fpasswd"), "x").unwrap();
        // A name is only a name, never a path to a file.
        assert_eq!(read(folder.path()).unwrap().get("../../etc/passwd"), Ok("x"));
        // The reader of the diagnosis sees what kind of entry it is.
        let texts = read(folder.path()).unwrap();
        assert_eq!(texts.get("mount"), Err(NotKnown::NoFile("a symbolic link")));
        assert_eq!(texts.get("pipe"), Err(NotKnown::NoFile("a pipe")));
    }

    #[test]
    fn an_empty_list_of_connections_is_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("uname -sr"), "Linux 6.1").unwrap();
        fs::write(folder.path().join("ss -tinHO"), "").unwrap();
        fs::write(folder.path().join("%2Fproc%2Fmdstat"), "").unwrap();
        let texts = read(folder.path()).unwrap();
        assert_eq!((texts.get("ss -tinHO"), texts.damaged("ss -tinHO")), (Ok(""), None));
        assert!(matches!(texts.get("/proc/mdstat"), Err(NotKnown::NotUnderstood(_))));
    }

    #[test]
    fn an_empty_folder_and_none_are_errors() {
        let folder = tempfile::tempdir().unwrap();
        assert!(matches!(read(folder.path()), Err(FolderError::Nothing { .. })));
        // Blank files, and `.why` files that report a missing text, do not count as data either.
        fs::write(folder.path().join("%2Fproc%2Fmeminfo"), " \n").unwrap();
        fs::write(folder.path().join("ss -tinHO"), "").unwrap();
        fs::write(folder.path().join("%2Fproc%2Fmdstat.why"), "not allowed").unwrap();
        assert!(matches!(read(folder.path()), Err(FolderError::Nothing { .. })));
        assert!(matches!(read(&folder.path().join("gone")), Err(FolderError::Unreadable { .. })));
    }
}
