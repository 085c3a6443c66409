//! Symbolic links that calls create or read, and the resolution of paths through them.
//!
//! With `-y` strace shows the real paths of open files. Paths in arguments are as the program wrote
//! them. A replay follows no links, so operations get the names of the targets.
//!
//! Not here: links that no call shows. Operations through them keep the path as written.

use std::collections::HashMap;

/// Limit of links that are followed in one path, as in Linux.
const FOLLOWED_MAX: usize = 40;
/// Limit of known links.
const LINKS_MAX: usize = 1 << 20;

/// The texts of symbolic links, by their full paths.
#[derive(Debug, Default)]
pub(crate) struct SymbolicLinks {
    texts: HashMap<Vec<u8>, Vec<u8>>,
}

impl SymbolicLinks {
    /// Whether this path is a known link.
    pub fn knows(&self, path: &[u8]) -> bool {
        !self.texts.is_empty() && self.texts.contains_key(&plain(path))
    }

    /// Records a link with this text.
    pub fn learn(&mut self, path: &[u8], text: Vec<u8>) {
        if self.texts.len() < LINKS_MAX {
            self.texts.insert(plain(path), text);
        }
    }

    /// Removes a path that no longer exists or is no longer a link.
    pub fn forget(&mut self, path: &[u8]) {
        if !self.texts.is_empty() {
            self.texts.remove(&plain(path));
        }
    }

    /// Moves the links at and below a renamed path.
    pub fn renamed(&mut self, old: &[u8], new: &[u8]) {
        if self.texts.is_empty() {
            return;
        }
        let (old, new) = (plain(old), plain(new));
        if old == new {
            return;
        }
        self.texts.remove(&new);
        let is_below =
            |path: &[u8]| path.strip_prefix(&old[..]).is_some_and(|rest| matches!(rest, [] | [b'/', ..]));
        let moved: Vec<_> = self.texts.keys().filter(|path| is_below(path)).cloned().collect();
        for path in moved {
            if let Some(text) = self.texts.remove(&path) {
                self.texts.insert([&new, &path[old.len()..]].concat(), text);
            }
        }
    }

    /// Handles an exchange of two paths.
    pub fn exchanged(&mut self, one: &[u8], two: &[u8]) {
        let (one, two) = (plain(one), plain(two));
        let moved = |path: &[u8]| {
            let below = |from: &[u8], to: &[u8]| {
                let rest = path.strip_prefix(from).filter(|rest| matches!(rest, [] | [b'/', ..]))?;
                Some([to, rest].concat())
            };
            below(&one, &two).or_else(|| below(&two, &one)).unwrap_or_else(|| path.to_vec())
        };
        self.texts = self.texts.drain().map(|(path, text)| (moved(&path), text)).collect();
    }

    /// Resolves a path; a link in the last component is followed only if `last`. A path with a loop is
    /// returned unchanged.
    pub fn follow(&self, path: Vec<u8>, last: bool) -> Vec<u8> {
        if self.texts.is_empty() {
            return path;
        }
        // The remaining components, the next one at the end.
        let mut rest: Vec<Vec<u8>> = parts(&path).rev().map(<[u8]>::to_vec).collect();
        let mut here: Vec<u8> = root(&path).to_vec();
        let mut followed = 0;
        while let Some(part) = rest.pop() {
            if part == b".." {
                here.truncate(memchr::memrchr(b'/', &here).unwrap_or(0));
                continue;
            }
            let next = joined(&here, &part);
            let text = self.texts.get(&next).filter(|_| last || !rest.is_empty());
            let Some(text) = text else {
                here = next;
                continue;
            };
            followed += 1;
            if followed > FOLLOWED_MAX {
                return path;
            }
            rest.extend(parts(text).rev().map(<[u8]>::to_vec));
            if text.first() == Some(&b'/') {
                here = Vec::new();
            }
        }
        if here.is_empty() { b"/".to_vec() } else { here }
    }
}

/// The components of a path, without empty ones and `.`.
fn parts(path: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    path.split(|&byte| byte == b'/').filter(|part| !matches!(*part, b"" | b"."))
}

/// The start of a resolved path: empty for an absolute one, because each component adds a slash.
fn root(path: &[u8]) -> &[u8] {
    if path.first() == Some(&b'/') { b"" } else { b"." }
}

fn joined(directory: &[u8], part: &[u8]) -> Vec<u8> {
    [directory, b"/", part].concat()
}

/// A path without `.` and empty components; `..` removes the component before it.
fn plain(path: &[u8]) -> Vec<u8> {
    let mut plain = root(path).to_vec();
    for part in parts(path) {
        match part {
            b".." => plain.truncate(memchr::memrchr(b'/', &plain).unwrap_or(0)),
            _ => plain = joined(&plain, part),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use super::*;

    fn led(links: &SymbolicLinks, path: &str, last: bool) -> String {
        String::from_utf8_lossy(&links.follow(path.as_bytes().to_vec(), last)).into_owned()
    }

    #[test]
    fn paths_are_resolved_through_links() {
        let mut links = SymbolicLinks::default();
        assert_eq!(led(&links, "/m/./a", true), "/m/./a", "untouched while there are none");
        links.learn(b"/m/soft", b"in.ts".to_vec());
        links.learn(b"/m//dir/.", b"/n/real".to_vec());
        links.learn(b"/n/real/up", b"../../m".to_vec());
        for (path, last, wanted) in [
            ("/m/soft", true, "/m/in.ts"),
            ("/m/soft", false, "/m/soft"),
            ("/m/x/../soft", true, "/m/in.ts"),
            ("/m/dir/a", false, "/n/real/a"),
            ("/m/dir/up/soft", true, "/m/in.ts"),
            ("/m/dir/..", true, "/n"),
            ("/m/other", true, "/m/other"),
            ("/../..", true, "/"),
        ] {
            assert_eq!(led(&links, path, last), wanted, "{path}");
        }
        assert!(links.knows(b"/m/dir/") && !links.knows(b"/m"));
    }

    #[test]
    fn links_are_renamed_and_forgotten_and_cycles_end() {
        let mut links = SymbolicLinks::default();
        links.learn(b"/a/b/soft", b"x".to_vec());
        links.learn(b"/a/bb", b"y".to_vec());
        links.renamed(b"/a/b", b"/c");
        assert_eq!(
            (led(&links, "/c/soft", true), led(&links, "/a/b/soft", true)),
            ("/c/x".into(), "/a/b/soft".into())
        );
        assert_eq!(led(&links, "/a/bb", true), "/a/y");
        links.forget(b"/c/soft");
        assert_eq!(led(&links, "/c/soft", true), "/c/soft");
        links.learn(b"/l", b"l".to_vec());
        assert_eq!(led(&links, "/l", true), "/l");
        links.renamed(b"/other", b"/l");
        assert!(!links.knows(b"/l"), "what was renamed to it has its place");
    }
}
