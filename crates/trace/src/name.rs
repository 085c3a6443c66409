//! Names of files in a trace: relative to the root of the capture, with `/` as separator, and safe.
//!
//! A trace may come from an untrusted source, and files are created by its names. So a name must not be
//! absolute, contain `..` or a zero byte, or exceed a length limit. Importers pass all names through
//! [`clean`]; a replay passes all names of a trace through [`check`] again.

mod windows;

pub(crate) use windows::for_windows;

/// The longest name, in bytes: the limit of most systems (`PATH_MAX`).
pub const MAX_BYTES: usize = 4096;
/// The longest component of a name, in bytes (`NAME_MAX`).
pub const MAX_PART_BYTES: usize = 255;

/// Why a name is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadName {
    /// It is empty after cleaning.
    #[error("is empty")]
    Empty,
    /// It is an absolute path.
    #[error("is absolute")]
    Absolute,
    /// It has a component `..` or `.`.
    #[error("has a part '..' or '.'")]
    Climbs,
    /// It contains a zero byte.
    #[error("has a zero byte")]
    ZeroByte,
    /// It contains a backslash or colon, which has a special meaning on Windows.
    #[error("has a backslash or a drive letter")]
    Foreign,
    /// It or one of its components is longer than systems allow.
    #[error("is too long for a path")]
    TooLong,
}

/// A name without the `/` at its end that marks a directory.
pub fn without_mark(name: &str) -> &str {
    name.strip_suffix('/').unwrap_or(name)
}

/// Whether a name of a trace may be used for a file. A `/` at the end marks a directory.
pub fn check(name: &str) -> Result<(), BadName> {
    let path = without_mark(name);
    if path.is_empty() {
        return Err(if name.is_empty() { BadName::Empty } else { BadName::Absolute });
    }
    if path.starts_with('/') {
        return Err(BadName::Absolute);
    }
    if name.len() > MAX_BYTES {
        return Err(BadName::TooLong);
    }
    for part in path.split('/') {
        match part {
            "" => return Err(BadName::Empty),
            "." | ".." => return Err(BadName::Climbs),
            _ if part.len() > MAX_PART_BYTES => return Err(BadName::TooLong),
            _ if part.contains('\0') => return Err(BadName::ZeroByte),
            _ if part.contains('\\') || part.as_bytes().get(1) == Some(&b':') => {
                return Err(BadName::Foreign);
            }
            _ => {}
        }
    }
    Ok(())
}

/// Converts a path of a source: bytes in any encoding, absolute or not. Empty and `.` components are
/// dropped; `..` removes the component before it, but never goes above the root. Bytes that are not
/// UTF-8, control characters, backslashes, colons after one letter and `%` itself become `%XX`.
pub fn clean(path: &[u8]) -> Result<String, BadName> {
    let mut parts: Vec<&[u8]> = Vec::new();
    for part in path.split(|&byte| byte == b'/') {
        match part {
            b"" | b"." => {}
            b".." => drop(parts.pop()),
            _ => parts.push(part),
        }
    }
    let mut name = String::new();
    for part in parts {
        if !name.is_empty() {
            name.push('/');
        }
        let start = name.len();
        encode(part, &mut name);
        if name.len() - start > MAX_PART_BYTES || name.len() > MAX_BYTES {
            return Err(BadName::TooLong);
        }
    }
    if name.is_empty() { Err(BadName::Empty) } else { Ok(name) }
}

/// Appends one component of a path.
fn encode(part: &[u8], name: &mut String) {
    let mut first = true;
    for chunk in part.utf8_chunks() {
        for (at, c) in chunk.valid().char_indices() {
            let is_drive = c == ':' && first && at == 1;
            if c.is_control() || matches!(c, '%' | '\\') || is_drive {
                let mut bytes = [0; 4];
                c.encode_utf8(&mut bytes).bytes().for_each(|byte| escape(byte, name));
            } else {
                name.push(c);
            }
        }
        chunk.invalid().iter().for_each(|&byte| escape(byte, name));
        first = false;
    }
}

fn escape(byte: u8, name: &mut String) {
    let digit = |nibble: u8| char::from(b"0123456789ABCDEF"[usize::from(nibble & 15)]);
    name.extend(['%', digit(byte >> 4), digit(byte)]);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn names_leaving_the_area_are_refused() {
        for (name, why) in [
            ("", BadName::Empty),
            ("/", BadName::Absolute),
            ("/etc/passwd", BadName::Absolute),
            ("../up", BadName::Climbs),
            ("a/../../up", BadName::Climbs),
            ("a/./b", BadName::Climbs),
            ("a//b", BadName::Empty),
            ("a\0b", BadName::ZeroByte),
            ("C:\\x", BadName::Foreign),
            ("c:x", BadName::Foreign),
            ("a\\..\\b", BadName::Foreign),
        ] {
            assert_eq!(check(name), Err(why), "{name:?}");
        }
        assert_eq!(check(&"x".repeat(256)), Err(BadName::TooLong));
        assert_eq!(check(&"x/".repeat(3000)), Err(BadName::TooLong));
        for name in ["a", "a/b.mov", "dir/", "..a", "a b/ä", "ab:c"] {
            assert_eq!(check(name), Ok(()), "{name:?}");
        }
    }

    #[test]
    fn names_of_any_source_become_safe() {
        for (path, name) in [
            (&b"/media/in.ts"[..], "media/in.ts"),
            (b"./a//b/", "a/b"),
            (b"../../etc/passwd", "etc/passwd"),
            (b"a/../b", "b"),
            (b"100%", "100%25"),
            (b"\xff\xfe", "%FF%FE"),
            (b"a\nb", "a%0Ab"),
            (b"C:\\x", "C%3A%5Cx"),
        ] {
            assert_eq!(clean(path).as_deref(), Ok(name));
        }
        assert_eq!(clean(b"/.."), Err(BadName::Empty));
        assert_eq!(clean(&[b'x'; 5000]), Err(BadName::TooLong));
    }

    proptest! {
        #[test]
        fn a_cleaned_name_always_passes(path in proptest::collection::vec(any::<u8>(), 0..400)) {
            if let Ok(name) = clean(&path) {
                prop_assert_eq!(check(&name), Ok(()), "{:?}", name);
            }
        }
    }
}
