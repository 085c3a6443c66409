//! The names of data sets and their files: `files-1GiB-u4096/file-0000.bin`.
//!
//! Preparing uses these names, and removing an area keeps entries with other names. Not here: the
//! contents of a data set.

use std::path::{Path, PathBuf};

pub(crate) const MANIFEST_FILE: &str = "dataset.toml";
/// The name extension of a file that is being written.
pub(crate) const PART: &str = "part";

/// `files-1GiB-u4096`: the properties that two sets must share for one to replace the other. Neither the
/// number of files, which can grow, nor the seed, which makes no difference.
pub(crate) fn directory_name(file_bytes: u64, unit_bytes: u32) -> String {
    format!("files-{}-u{unit_bytes}", size_label(file_bytes))
}

/// Whether this is the name of a data set directory.
pub(crate) fn is_set_name(name: &str) -> bool {
    let rest = name.strip_prefix("files-").and_then(|rest| rest.rsplit_once("-u"));
    let is_number = |digits: &str| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    rest.is_some_and(|(size, unit)| {
        let digits = size.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        is_number(digits)
            && ["TiB", "GiB", "MiB", "KiB", "B"].contains(&&size[digits.len()..])
            && is_number(unit)
    })
}

/// `file-0000.bin`.
pub(crate) fn file_name(number: u32) -> String {
    format!("file-{number:04}.bin")
}

/// Formats a size exactly, in the largest binary unit that divides it.
fn size_label(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, shift) in units {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{bytes}B")
}

/// Whether this is the name of a data set file.
pub(crate) fn is_file_name(name: &str) -> bool {
    let whole = name.strip_suffix(PART).and_then(|rest| rest.strip_suffix('.')).unwrap_or(name);
    let number = whole.strip_prefix("file-").and_then(|rest| rest.strip_suffix(".bin"));
    let is_number = |digits: &str| digits.len() >= 4 && digits.bytes().all(|byte| byte.is_ascii_digit());
    whole == MANIFEST_FILE || number.is_some_and(is_number)
}

/// The temporary name of a file until it is complete.
pub(crate) fn part_of(path: &Path) -> PathBuf {
    path.with_added_extension(PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn set_name_describes_its_content() {
        assert_eq!(directory_name(1 << 30, 4096), "files-1GiB-u4096");
        for (bytes, label) in [
            (1, "1B"),
            (1000, "1000B"),
            (1024, "1KiB"),
            (1536 << 20, "1536MiB"),
            (1_000_000_000, "1000000000B"),
            (1 << 45, "32TiB"),
        ] {
            assert_eq!(size_label(bytes), label);
        }
        for ours in ["files-1GiB-u4096", "files-1B-u512"] {
            assert!(is_set_name(ours), "{ours}");
        }
        for other in
            ["files", "files-1GiB", "files-GiB-u4096", "files-1GB-u4096", "files-1GiB-u", "my-files-1B-u1"]
        {
            assert!(!is_set_name(other), "{other}");
        }
        assert_eq!(file_name(0), "file-0000.bin");
        assert_eq!(file_name(12345), "file-12345.bin");
        assert_eq!(part_of(Path::new("/a/file-0000.bin")), Path::new("/a/file-0000.bin.part"));
    }
}
