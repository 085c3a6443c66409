//! Names of the files in an agent's directory. The names alone show which segments a table replaces.

use std::path::{Path, PathBuf};

/// The segments in a part: numbers `first..=last`, from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct PartRange {
    pub first: u32,
    pub last: u32,
}

impl PartRange {
    pub fn one(number: u32) -> PartRange {
        PartRange { first: number, last: number }
    }

    /// The name of the finished part.
    pub fn file_name(self) -> String {
        if self.first == self.last {
            format!("part-{:06}.parquet", self.first)
        } else {
            format!("part-{:06}-{:06}.parquet", self.first, self.last)
        }
    }

    /// Parses the name of a finished part; `None` if it is not one.
    pub fn parse(name: &str) -> Option<PartRange> {
        let numbers = name.strip_prefix("part-")?.strip_suffix(".parquet")?;
        let number = |text: &str| {
            let digits = text.len() >= 6 && text.bytes().all(|byte| byte.is_ascii_digit());
            digits.then(|| text.parse().ok()).flatten()
        };
        let (first, last) = match numbers.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(numbers)?, number(numbers)?),
        };
        (1 <= first && first <= last).then_some(PartRange { first, last })
    }
}

/// The path of a segment before it is renamed. The leading underscore and the extension make every
/// reader ignore it.
pub(super) fn temporary_segment(dir: &Path, number: u32) -> PathBuf {
    dir.join(format!("_segment-{number:06}.tmp"))
}

/// The path of a table that starts with this segment, before it is renamed.
pub(super) fn temporary_table(dir: &Path, first: u32) -> PathBuf {
    dir.join(format!("_table-{first:06}.tmp"))
}

/// Whether this is the name of an unfinished part.
pub(super) fn is_temporary(name: &str) -> bool {
    (name.starts_with("_segment-") || name.starts_with("_table-")) && name.ends_with(".tmp")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_spans() {
        for (span, name) in [
            (PartRange::one(7), "part-000007.parquet"),
            (PartRange { first: 1, last: 60 }, "part-000001-000060.parquet"),
            (PartRange::one(1_234_567), "part-1234567.parquet"),
        ] {
            assert_eq!(span.file_name(), name);
            assert_eq!(PartRange::parse(name), Some(span));
        }
        for name in [
            "part-1.parquet",
            "part-000000.parquet",
            "part-000009-000008.parquet",
            "part-+00001.parquet",
            "part-99999999999.parquet",
            "part-000001.parquet.tmp",
            "part-000001-000002-000003.parquet",
            "_segment-000001.tmp",
            "part-00000\u{664}.parquet",
        ] {
            assert_eq!(PartRange::parse(name), None, "{name}");
        }
    }

    #[test]
    fn temporary_names_are_hidden() {
        let dir = Path::new("");
        for path in [temporary_segment(dir, 3), temporary_table(dir, 3)] {
            let name = path.to_string_lossy().into_owned();
            assert!(name.starts_with('_') && is_temporary(&name), "{name}");
        }
    }
}
