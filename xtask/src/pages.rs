//! The files of the repository, as rules and test selections read them.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use crate::command;

/// A file of the repository.
#[derive(Clone, Debug)]
pub struct Page {
    /// Path from the root, with `/`.
    pub path: String,
    /// Its size in bytes.
    pub size_bytes: u64,
    /// Its content; `None` if it is not UTF-8.
    pub text: Option<String>,
}

impl Page {
    /// Whether this is Rust source.
    pub fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// A page with invented content, for tests.
    #[cfg(test)]
    pub fn made_up(path: &str, text: &str) -> Page {
        Page { path: path.into(), size_bytes: text.len() as u64, text: Some(text.into()) }
    }
}

/// Every file of this checkout that is committed, or would be by `git add .`.
pub fn pages() -> anyhow::Result<Vec<Page>> {
    pages_of(crate::root())
}

/// The same of another checkout.
pub fn pages_of(root: &Path) -> anyhow::Result<Vec<Page>> {
    let mut list = Command::new("git");
    list.current_dir(root).args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let list = command::output(&mut list).context("git says which files belong to the code base")?;
    let mut pages = Vec::new();
    for path in list.split('\0').filter(|path| !path.is_empty()) {
        let full: PathBuf = root.join(path);
        // A file that is deleted in the working tree but still in the index needs no check.
        let Ok(found) = std::fs::symlink_metadata(&full) else {
            continue;
        };
        let text = match found.is_file() {
            true => String::from_utf8(std::fs::read(&full)?).ok(),
            false => None,
        };
        pages.push(Page { path: path.to_owned(), size_bytes: found.len(), text });
    }
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages.dedup_by(|a, b| a.path == b.path);
    Ok(pages)
}

/// Whether a text names a file by its path from the root. It may also name a folder above it, but no
/// other path inside that folder. A folder of one word counts only in quotes.
pub fn names(text: &str, path: &str) -> bool {
    let goes_on = |after: &str| after.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    if text.match_indices(path).any(|(at, _)| !goes_on(&text[at + path.len()..])) {
        return true;
    }
    let mut folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.any(|folder| {
        text.match_indices(folder).any(|(at, _)| {
            let (before, after) = (&text[..at], &text[at + folder.len()..]);
            let ends = ["\"", "/\"", "/{"].iter().any(|end| after.starts_with(end));
            ends && (folder.contains('/') || before.ends_with(['"', '/']))
        })
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_pages_are_those_of_the_repository() {
        let pages = pages().unwrap();
        let has = |path: &str| pages.iter().any(|page| page.path == path);
        assert!(has("Cargo.toml") && has("xtask/src/tidy/mod.rs"));
        assert!(pages.iter().all(|page| !page.path.starts_with("target")));
    }

    #[test]
    fn a_file_is_named_by_its_path_or_by_its_folder() {
        for text in
            ["see docs/site/a.md.", "\"../docs/site\"", "concat!(\"docs/site/\", name)", "join(\"docs\")"]
        {
            assert!(names(text, "docs/site/a.md"), "{text}");
        }
        for text in
            ["docs/site/a.mdx", "\"docs/site/b.md\"", "in docs, and", "\"docs/other\"", "\"docs-site\""]
        {
            assert!(!names(text, "docs/site/a.md"), "{text}");
        }
    }
}
