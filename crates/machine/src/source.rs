//! The source of texts: the local host, or a set that was collected on another one. Parsers do not
//! distinguish them.

use std::borrow::Cow;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use crate::texts::Texts;

/// A source of texts.
pub trait Source {
    /// The text of a file, or the names in a directory, one per line; `None` if it is unknown.
    fn text(&self, path: &str) -> Option<Cow<'_, str>>;

    /// The first text whose name has this prefix: a command with any arguments. A host has none.
    fn text_beginning(&self, _begin: &str) -> Option<Cow<'_, str>> {
        None
    }

    /// A file with one value.
    fn value(&self, path: &str) -> Option<String> {
        Some(self.text(path)?.trim().to_owned())
    }

    /// A file with one number.
    fn number<T: FromStr>(&self, path: &str) -> Option<T> {
        self.text(path)?.trim().parse().ok()
    }

    /// The names in a directory, sorted; empty if it is unknown.
    fn names(&self, folder: &str) -> Vec<String> {
        let text = self.text(folder).unwrap_or_default();
        let mut names: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        names.sort();
        names
    }
}

impl Source for Texts {
    fn text(&self, path: &str) -> Option<Cow<'_, str>> {
        self.get(path).ok().map(Cow::Borrowed)
    }

    fn text_beginning(&self, begin: &str) -> Option<Cow<'_, str>> {
        self.text(self.known().find(|name| name.starts_with(begin))?)
    }
}

/// The local host: a file is read when it is requested.
#[derive(Clone, Debug)]
pub struct Host {
    /// `None` on Windows, where `/proc` is a folder of the current drive, whatever it contains.
    root: Option<PathBuf>,
}

impl Host {
    /// The local host.
    pub fn here() -> Host {
        Host { root: (!cfg!(windows)).then(|| PathBuf::from("/")) }
    }

    /// Files below another directory than `/`, for tests.
    pub fn below(root: impl Into<PathBuf>) -> Host {
        Host { root: Some(root.into()) }
    }
}

impl Source for Host {
    fn text(&self, path: &str) -> Option<Cow<'_, str>> {
        let path = self.root.as_ref()?.join(path.trim_start_matches('/'));
        match fs::read(&path) {
            Ok(bytes) => Some(String::from_utf8_lossy(&bytes).into_owned().into()),
            Err(error) if error.kind() == std::io::ErrorKind::IsADirectory => {
                let names = fs::read_dir(&path).ok()?.flatten().map(|entry| entry.file_name());
                let names: Vec<String> = names.map(|name| name.to_string_lossy().into_owned()).collect();
                Some(names.join("\n").into())
            }
            Err(_) => None,
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn files_values_and_folders_of_a_host_are_texts() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir_all(root.path().join("sys/net/b")).unwrap();
        fs::create_dir(root.path().join("sys/net/a")).unwrap();
        fs::write(root.path().join("sys/net/b/mtu"), "9000\n").unwrap();
        let host = Host::below(root.path());
        assert_eq!(host.names("/sys/net"), ["a", "b"]);
        assert_eq!(host.number("/sys/net/b/mtu"), Some(9000));
        assert_eq!(host.value("/sys/net/b/mtu").as_deref(), Some("9000"));
        assert_eq!((host.text("/sys/none"), host.number::<u32>("/sys/net/b")), (None, None));
        assert!(host.names("/sys/none").is_empty());
    }
}
