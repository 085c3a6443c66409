//! Collected texts: what a host reports about itself, by name. A file is named by its path
//! (`/proc/net/netstat`), a directory listing by the directory's, a command by its words (`ethtool -a
//! eth0`).
//!
//! If a text is missing, the reason is kept. If a text is damaged, the parts that are not understood are
//! recorded ([`shape`]). Rules are independent of the source of texts: the local host ([`local`]; on
//! Windows `windows_host`), a directory that a script filled on another one ([`folder`]), or a rule's own
//! examples.

pub mod collect_script;
pub mod command;
mod decoration;
pub mod folder;
pub mod local;
pub mod required_texts;
mod shape;
#[cfg(any(windows, test))]
pub mod windows_host;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::mountinfo::{self, Entry};

/// The longest text that is read. The longest real one, every setting of Samba, has 30 kB.
pub const TEXT_MAX_BYTES: u64 = 1 << 20;

/// The suffix of the reason why a text is missing.
const WHY: &str = ".why";

/// Why a text is unknown.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "why", content = "said")]
pub enum NotKnown {
    /// There is no such file or program.
    NotThere,
    /// This user may not read it.
    NotAllowed,
    /// The attempt failed; the error message.
    Failed(String),
    /// It did not answer in time.
    TimedOut,
    /// Too large to be a valid text.
    TooLarge,
    /// It was not collected.
    NotCollected,
    /// There is a text, but it does not contain the value.
    NotTold,
    /// A card of a virtual machine, which reports an invented speed or none.
    Virtual,
    /// A virtual disk, whose physical device is unknown.
    VirtualDisk,
    /// The query itself would write: why it is not run here.
    Writes(String),
    /// A probe failed: its message.
    Probe(String),
    /// The entry of this name in the collected directory is no regular file, and is not opened: its
    /// kind.
    NoFile(&'static str),
    /// There is a text, but it has another format than expected: the unexpected part.
    NotUnderstood(String),
}

impl NotKnown {
    /// The reason in a script's note.
    pub fn noted(text: &str) -> NotKnown {
        match text.trim() {
            "not there" => NotKnown::NotThere,
            "not allowed" => NotKnown::NotAllowed,
            "timed out" => NotKnown::TimedOut,
            "too large" => NotKnown::TooLarge,
            said => NotKnown::Failed(said.chars().take(200).collect()),
        }
    }

    /// The reason for a file that could not be read.
    pub fn of(error: &std::io::Error) -> NotKnown {
        match error.kind() {
            std::io::ErrorKind::NotFound => NotKnown::NotThere,
            std::io::ErrorKind::PermissionDenied => NotKnown::NotAllowed,
            _ => NotKnown::Failed(error.to_string()),
        }
    }
}

/// A set of collected texts.
#[derive(Clone, Debug, Default)]
pub struct Texts {
    by_name: BTreeMap<String, Result<String, NotKnown>>,
    /// Incomplete texts: the missing part.
    cut_off: BTreeMap<String, String>,
    /// Files of a directory that are not texts.
    unrecognised: Vec<String>,
    /// Every name that was requested.
    #[cfg(any(test, feature = "test-asked"))]
    asked: std::sync::Arc<std::sync::Mutex<std::collections::BTreeSet<String>>>,
}

impl Texts {
    /// Adds a text, or why there is none.
    pub fn put(&mut self, name: impl Into<String>, text: Result<String, NotKnown>) {
        self.by_name.insert(name.into(), text);
    }

    /// Adds the result of a script: a text, or, under `NAME.why`, the reason why there is none.
    pub fn put_noted(&mut self, name: &str, text: Result<String, NotKnown>) {
        match (name.strip_suffix(WHY), text) {
            // An existing text takes precedence over a note that it is missing, in whatever order they
            // come.
            (Some(name), Ok(why)) => {
                self.by_name.entry(name.to_owned()).or_insert_with(|| Err(NotKnown::noted(&why)));
            }
            (Some(_), Err(_)) => {}
            (None, text) => self.put(name, text),
        }
    }

    /// The text with this name. A blank text is unknown, unless it is a list that may be empty.
    ///
    /// # Errors
    /// If it is unknown.
    pub fn get(&self, name: &str) -> Result<&str, NotKnown> {
        #[cfg(any(test, feature = "test-asked"))]
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(name.to_owned());
        match self.by_name.get(name) {
            // A blank kernel file, or a program without output, is no information.
            Some(Ok(text)) if text.trim().is_empty() && !required_texts::says_nothing_blank(name) => {
                Err(NotKnown::NotTold)
            }
            Some(text) => text.as_deref().map_err(NotKnown::clone),
            None => Err(NotKnown::NotCollected),
        }
    }

    /// The known and valid part of the table of mounts.
    pub fn mounts(&self) -> Vec<Entry> {
        mountinfo::parse(self.get(mountinfo::FILE).unwrap_or_default().as_bytes())
    }

    /// Adds an incomplete text.
    fn put_cut_off(&mut self, name: &str, text: String, what: &str) {
        self.put(name, Ok(text));
        self.cut_off.insert(name.to_owned(), what.to_owned());
    }

    /// The part of an existing text that is not understood, so that facts may be missing.
    pub fn damaged(&self, name: &str) -> Option<NotKnown> {
        let text = self.by_name.get(name)?.as_deref().ok()?;
        let fault = self.cut_off.get(name).cloned().or_else(|| shape::fault(name, text));
        fault.map(NotKnown::NotUnderstood)
    }

    /// Texts that exist but are not understood at all.
    pub fn not_understood(&self) -> impl Iterator<Item = (&str, &NotKnown)> {
        let all = self.by_name.iter().filter_map(|(name, text)| Some((name.as_str(), text.as_ref().err()?)));
        all.filter(|(_, why)| matches!(why, NotKnown::NotUnderstood(_)))
    }

    /// Files of the directory that are not texts, by name.
    pub fn unrecognised(&self) -> &[String] {
        &self.unrecognised
    }

    /// Every name that was requested.
    #[cfg(any(test, feature = "test-asked"))]
    pub fn asked(&self) -> std::collections::BTreeSet<String> {
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// The names of all known texts.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.by_name.iter().filter(|(_, text)| text.is_ok()).map(|(name, _)| name.as_str())
    }
}

/// Bytes as text: UTF-8, or UTF-16 as PowerShell writes it. Invalid bytes are replaced.
pub fn decoded(bytes: &[u8]) -> String {
    let utf16 = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.chunks_exact(2).map(|pair| unit([pair[0], pair[1]])).collect();
        String::from_utf16_lossy(&units)
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        bytes => String::from_utf8_lossy(bytes).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uncollected_text_is_unknown() {
        let mut texts = Texts::default();
        texts.put("/proc/net/netstat", Ok("TcpExt: 1".to_owned()));
        texts.put("ethtool -a eth0", Err(NotKnown::NotThere));
        assert_eq!(texts.get("/proc/net/netstat"), Ok("TcpExt: 1"));
        assert_eq!(texts.get("ethtool -a eth0"), Err(NotKnown::NotThere));
        assert_eq!(texts.get("mount"), Err(NotKnown::NotCollected));
        assert_eq!(texts.known().collect::<Vec<_>>(), ["/proc/net/netstat"]);
        for (name, told) in [("/proc/mdstat", Err(NotKnown::NotTold)), ("/var/lib/nfs/etab", Ok(" \n"))] {
            texts.put(name, Ok(" \n".to_owned()));
            assert_eq!(texts.get(name), told, "{name}");
        }
    }

    #[test]
    fn texts_of_powershell_are_read() {
        assert_eq!(decoded(b"\xff\xfea\0b\0"), "ab");
        assert_eq!(decoded(b"\xfe\xff\0a\0b"), "ab");
        assert_eq!(decoded(b"\xef\xbb\xbfab"), "ab");
        assert_eq!(decoded(b"\xff\xfea"), "");
        assert_eq!(decoded(b"a\xff"), "a\u{fffd}");
    }

    #[test]
    fn notes_of_scripts_are_understood() {
        assert_eq!(NotKnown::noted("not there\n"), NotKnown::NotThere);
        assert_eq!(NotKnown::noted("exit status 95"), NotKnown::Failed("exit status 95".to_owned()));
    }
}
