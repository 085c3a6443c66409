//! Absolute paths without links, in the form that users know.
//!
//! `std::fs::canonicalize` of Windows returns `\\?\C:\media` and `\\?\UNC\nas\media`. Many programs reject
//! these forms, so a path that means the same without the prefix loses it. The others keep it: paths longer
//! than Windows accepts without it, and names that Windows would change.

use std::io;
use std::path::{Path, PathBuf};

/// The path with all links resolved.
///
/// # Errors
/// As `std::fs::canonicalize`.
pub fn full_path(path: &Path) -> io::Result<PathBuf> {
    let full = path.canonicalize()?;
    #[cfg(windows)]
    if let Some(short) = full.to_str().and_then(without_prefix) {
        return Ok(short.into());
    }
    Ok(full)
}

/// The longest path that needs no prefix: `MAX_PATH` without the final zero and the twelve characters that
/// a directory leaves for its files.
#[cfg(any(windows, test))]
const LONGEST: usize = 260 - 1 - 12;

/// The path without the prefix; `None` if it has none, or would then mean something else.
#[cfg(any(windows, test))]
fn without_prefix(path: &str) -> Option<String> {
    let rest = path.strip_prefix(r"\\?\")?;
    let (start, names) = match rest.strip_prefix(r"UNC\") {
        Some(share) => (r"\\", share),
        None if rest.as_bytes().get(1) == Some(&b':') => ("", rest.get(3..)?),
        None => return None,
    };
    let short = match start.is_empty() {
        true => rest.to_owned(),
        false => format!("{start}{names}"),
    };
    let is_plain = names.split('\\').all(|name| !is_changed(name));
    (short.encode_utf16().count() <= LONGEST && is_plain).then_some(short)
}

/// Whether Windows takes this name for something else unless the path has the prefix: a device, or the same
/// name without a final dot or blank.
#[cfg(any(windows, test))]
fn is_changed(name: &str) -> bool {
    let stem = name.split(['.', ':']).next().unwrap_or(name).trim_end().to_ascii_uppercase();
    let is_numbered = |device: &str| stem.strip_prefix(device).is_some_and(|rest| rest.chars().count() == 1);
    name.ends_with(['.', ' '])
        || name.contains('/')
        || ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"].contains(&stem.as_str())
        || is_numbered("COM")
        || is_numbered("LPT")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_lose_the_prefix_if_they_mean_the_same_without_it() {
        let short = |path| without_prefix(path);
        assert_eq!(short(r"\\?\C:\media\day 1").as_deref(), Some(r"C:\media\day 1"));
        assert_eq!(short(r"\\?\Z:\").as_deref(), Some(r"Z:\"));
        assert_eq!(short(r"\\?\UNC\nas\media\a").as_deref(), Some(r"\\nas\media\a"));
        for kept in [
            r"C:\media",
            r"\\nas\media",
            r"\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\a",
            r"\\?\C:\media\con",
            r"\\?\C:\media\Aux.mov",
            r"\\?\C:\media\com1.txt\a",
            r"\\?\C:\media\a.",
            r"\\?\C:\media \a",
            r"\\?\UNC\nas\media\nul",
        ] {
            assert_eq!(short(kept), None, "{kept}");
        }
        for name in ["console", "com10", "com", "lpt", "a.con"] {
            assert!(!is_changed(name), "{name}");
        }
    }

    #[test]
    fn long_paths_keep_the_prefix() {
        let of = |len: usize| format!(r"\\?\C:\{}", "a".repeat(len - 3));
        assert_eq!(without_prefix(&of(LONGEST)).map(|path| path.len()), Some(LONGEST));
        assert_eq!(without_prefix(&of(LONGEST + 1)), None);
    }
}
