//! Anonymous names: every component of a path becomes a number; only the extension is kept.
//!
//! The numbers are hashes with a random salt per recording, which is never written. So names can't be
//! guessed and verified. Equal names have equal numbers within one trace, and other numbers in the next.

use std::hash::{BuildHasher, RandomState};

/// A longer extension is more likely part of the name.
const MAX_EXTENSION: usize = 4;

/// The salt of one recording.
#[derive(Debug)]
pub(crate) struct Anonymiser {
    salt: RandomState,
}

impl Anonymiser {
    pub(crate) fn new() -> Anonymiser {
        Anonymiser { salt: RandomState::new() }
    }

    /// The name for a relative path.
    pub(crate) fn path(&self, path: &[u8]) -> String {
        let parts = path.split(|&byte| byte == b'/').filter(|part| !part.is_empty());
        parts.map(|part| self.part(part)).collect::<Vec<_>>().join("/")
    }

    fn part(&self, part: &[u8]) -> String {
        let hash = self.salt.hash_one(part);
        match extension(part) {
            Some(extension) => format!("{hash:016x}.{extension}"),
            None => format!("{hash:016x}"),
        }
    }
}

/// The text after the last dot, if it looks like a file extension.
fn extension(part: &[u8]) -> Option<&str> {
    let dot = part.iter().rposition(|&byte| byte == b'.').filter(|&dot| dot > 0)?;
    let extension = &part[dot + 1..];
    let is_kind = (1..=MAX_EXTENSION).contains(&extension.len())
        && extension.iter().all(u8::is_ascii_alphanumeric)
        && !extension.iter().all(u8::is_ascii_digit);
    if is_kind { str::from_utf8(extension).ok() } else { None }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_trace::name;

    use super::*;

    #[test]
    fn only_the_kind_of_a_file_stays() {
        for (part, kind) in [
            ("take1.mov", Some("mov")),
            ("a.tar.gz", Some("gz")),
            (".bashrc", None),
            ("Mr.Smith", None),
            ("frame.0001", None),
            ("folder", None),
            ("dot.", None),
        ] {
            assert_eq!(extension(part.as_bytes()), kind, "{part}");
        }
    }

    #[test]
    fn anonymised_names_are_stable_only_within_a_recording() {
        let one = Anonymiser::new();
        let (a, b) = (one.path(b"client/take1.mov"), one.path(b"client/take2.mov"));
        assert_eq!(a.split('/').next(), b.split('/').next());
        assert_ne!(a, b);
        assert_ne!(a, Anonymiser::new().path(b"client/take1.mov"));
        assert!(!a.contains("client") && !a.contains("take"), "{a}");
        assert_eq!(name::check(&a), Ok(()));
        assert_eq!(name::check(&one.path(b"\xff\\c:..%/x")), Ok(()));
    }
}
