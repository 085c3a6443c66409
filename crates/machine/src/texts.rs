//! Collected texts: what a machine says of itself, by name. A file is named by its path
//! (`/proc/net/netstat`), a listing of a folder by the folder's, a command by its words (`ethtool -a eth0`).
//!
//! A text that is not there keeps the reason; one that is there and damaged keeps what of it is not
//! understood ([`shape`]). Rules never see where texts come from: this machine ([`local`]), a folder that a
//! script filled on another ([`folder`]), or a rule's own examples.

pub mod collect_script;
pub mod command;
mod decoration;
pub mod folder;
pub mod local;
pub mod required_texts;
mod shape;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::mountinfo::{self, Entry};

/// The longest text that is read. The longest real one, every setting of Samba, has 30 kB.
pub const TEXT_MAX_BYTES: u64 = 1 << 20;

/// What is behind the name of a text that could not be had.
const WHY: &str = ".why";

/// Why a text is not known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case", tag = "why", content = "said")]
pub enum NotKnown {
    /// No such file, or no such program.
    NotThere,
    /// This user may not look.
    NotAllowed,
    /// It was tried, and came to nothing; what was said.
    Failed(String),
    /// No answer in time.
    TimedOut,
    /// Longer than anything that is meant.
    TooLarge,
    /// Nobody looked.
    NotCollected,
    /// There is a text, and it does not say it.
    NotTold,
    /// A card of a virtual machine, which says any speed or none.
    Virtual,
    /// A disk of a virtual machine, which does not tell what it lies on.
    VirtualDisk,
    /// The question itself would write: why it is not asked here.
    Writes(String),
    /// A probe could not find it out: what it said.
    Probe(String),
    /// What has its name in the collected folder is no file, and is not opened: what it is.
    NoFile(&'static str),
    /// There is a text, and it is not what such a text says: what of it.
    NotUnderstood(String),
}

impl NotKnown {
    /// What a script noted.
    pub fn noted(text: &str) -> NotKnown {
        match text.trim() {
            "not there" => NotKnown::NotThere,
            "not allowed" => NotKnown::NotAllowed,
            "timed out" => NotKnown::TimedOut,
            "too large" => NotKnown::TooLarge,
            said => NotKnown::Failed(said.chars().take(200).collect()),
        }
    }

    /// Of a file that could not be read.
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
    /// Texts of which a part is missing: what of it.
    cut_off: BTreeMap<String, String>,
    /// Files of a folder that are no texts.
    unrecognised: Vec<String>,
    /// Every name that was asked for.
    #[cfg(any(test, feature = "test-asked"))]
    asked: std::sync::Arc<std::sync::Mutex<std::collections::BTreeSet<String>>>,
}

impl Texts {
    /// Adds a text, or why there is none.
    pub fn put(&mut self, name: impl Into<String>, text: Result<String, NotKnown>) {
        self.by_name.insert(name.into(), text);
    }

    /// Adds what a script noted: a text, or behind `NAME.why` why there is none.
    pub fn put_noted(&mut self, name: &str, text: Result<String, NotKnown>) {
        match (name.strip_suffix(WHY), text) {
            // A text that is there says more than a note that it is not, in whatever order they come.
            (Some(name), Ok(why)) => {
                self.by_name.entry(name.to_owned()).or_insert_with(|| Err(NotKnown::noted(&why)));
            }
            (Some(_), Err(_)) => {}
            (None, text) => self.put(name, text),
        }
    }

    /// The text of this name. One that is blank tells nothing, unless it is a list that may be empty.
    ///
    /// # Errors
    /// It is not known.
    pub fn get(&self, name: &str) -> Result<&str, NotKnown> {
        #[cfg(any(test, feature = "test-asked"))]
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).insert(name.to_owned());
        match self.by_name.get(name) {
            // A file of the kernel that is blank, or a program that printed nothing, tells nothing.
            Some(Ok(text)) if text.trim().is_empty() && !required_texts::says_nothing_blank(name) => {
                Err(NotKnown::NotTold)
            }
            Some(text) => text.as_deref().map_err(NotKnown::clone),
            None => Err(NotKnown::NotCollected),
        }
    }

    /// The table of mounts, as far as it is known and understood.
    pub fn mounts(&self) -> Vec<Entry> {
        mountinfo::parse(self.get(mountinfo::FILE).unwrap_or_default().as_bytes())
    }

    /// Adds a text of which a part is missing, as far as it goes.
    fn put_cut_off(&mut self, name: &str, text: String, what: &str) {
        self.put(name, Ok(text));
        self.cut_off.insert(name.to_owned(), what.to_owned());
    }

    /// What of a text that is there is not understood, so that it may say less than there is.
    pub fn damaged(&self, name: &str) -> Option<NotKnown> {
        let text = self.by_name.get(name)?.as_deref().ok()?;
        let fault = self.cut_off.get(name).cloned().or_else(|| shape::fault(name, text));
        fault.map(NotKnown::NotUnderstood)
    }

    /// Texts that are there and of which nothing is understood.
    pub fn not_understood(&self) -> impl Iterator<Item = (&str, &NotKnown)> {
        let all = self.by_name.iter().filter_map(|(name, text)| Some((name.as_str(), text.as_ref().err()?)));
        all.filter(|(_, why)| matches!(why, NotKnown::NotUnderstood(_)))
    }

    /// Files of the folder that are no texts, by name.
    pub fn unrecognised(&self) -> &[String] {
        &self.unrecognised
    }

    /// Every name that was asked for.
    #[cfg(any(test, feature = "test-asked"))]
    pub fn asked(&self) -> std::collections::BTreeSet<String> {
        self.asked.lock().unwrap_or_else(std::sync::PoisonError::into_inner).clone()
    }

    /// The names of all that are known.
    pub fn known(&self) -> impl Iterator<Item = &str> {
        self.by_name.iter().filter(|(_, text)| text.is_ok()).map(|(name, _)| name.as_str())
    }
}

/// Bytes as text: UTF-8, or UTF-16 as PowerShell writes it. What is neither is replaced.
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
    fn what_nobody_collected_is_not_known() {
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
