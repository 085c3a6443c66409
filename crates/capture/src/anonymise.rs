//! Anonymous names: every part of a path becomes a number, and only the extension stays.
//!
//! The numbers are hashes with a salt that is drawn for one recording and never written, so that names
//! can't be guessed and tested; equal names get equal numbers within one trace, and others in the next.

use std::hash::{BuildHasher, RandomState};

/// An extension that is longer than this is rather a name.
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

/// What follows the last dot, if it looks like the kind of a file.
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
    fn equal_parts_stay_equal_within_one_recording_alone() {
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
