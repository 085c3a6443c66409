//! Names of data sets and their files, and the manifest that says what was written.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::error::named;
use super::{DataSetError, DataSetSpec};
use crate::area::AreaDir;
use crate::beneath::For;

pub(super) const MANIFEST_FILE: &str = "dataset.toml";
/// A manifest is some hundred bytes; what is larger is none.
const LARGEST_BYTES: u64 = 64 * 1024;
/// What the name of a file that is being written ends with.
pub(super) const PART: &str = "part";

/// Version of the manifest and of how data files are named and written.
const FORMAT: i64 = 1;

/// `files-1GiB-u4096`: everything that two sets must have in common for one to serve as the other.
/// Not the number of files, which can grow, nor the seed, which makes no difference.
pub(crate) fn directory_name(spec: &DataSetSpec) -> String {
    label(spec.file_bytes, spec.unit_bytes)
}

fn label(file_bytes: u64, unit_bytes: u32) -> String {
    format!("files-{}-u{unit_bytes}", size_label(file_bytes))
}

/// Whether preparing gives directories such a name.
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
pub(super) fn file_name(number: u32) -> String {
    format!("file-{number:04}.bin")
}

/// A size as people write it, exactly: the largest binary unit that it is a multiple of.
fn size_label(bytes: u64) -> String {
    let units = [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    for (unit, shift) in units {
        if bytes > 0 && bytes.trailing_zeros() >= shift {
            return format!("{}{unit}", bytes >> shift);
        }
    }
    format!("{bytes}B")
}

/// What `dataset.toml` holds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: i64,
    /// Whether all of `files` were written. While it is false, those that have their final name are
    /// complete nevertheless.
    pub complete: bool,
    pub files: u32,
    file_bytes: u64,
    unit_bytes: u32,
    /// As text, since TOML's integers are signed.
    seed: String,
    tool_version: String,
}

impl Manifest {
    pub fn new(spec: &DataSetSpec, files: u32, seed: u64, complete: bool) -> Manifest {
        Manifest {
            format: FORMAT,
            complete,
            files,
            file_bytes: spec.file_bytes,
            unit_bytes: spec.unit_bytes,
            seed: seed.to_string(),
            tool_version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }

    /// The manifest of a data set with this specification and its seed; `None` when there is none, or
    /// none that fits, so that nothing is known about the files.
    pub fn read(
        area: &AreaDir,
        directory: &Path,
        spec: &DataSetSpec,
    ) -> Result<Option<(Manifest, u64)>, DataSetError> {
        let path = directory.join(MANIFEST_FILE);
        match area.facts(&path) {
            Ok(facts) if !facts.is_file() => {
                return Err(DataSetError::NotOurs { path, what: "not a file" });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(named("look at", &path, spec.file_bytes, error)),
        }
        let text = match area.read_text(&path, LARGEST_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::InvalidData => return Ok(None),
            Err(error) => return Err(named("read", &path, spec.file_bytes, error)),
        };
        let Ok(table) = text.parse::<toml::Table>() else {
            return Ok(None);
        };
        if let Some(format) = table.get("format").and_then(toml::Value::as_integer)
            && format > FORMAT
        {
            return Err(DataSetError::Newer { directory: directory.to_owned(), format });
        }
        let manifest = table.try_into::<Manifest>().ok();
        Ok(manifest.filter(|manifest| manifest.fits(spec)).and_then(|manifest| {
            let seed = manifest.seed.parse().ok()?;
            Some((manifest, seed))
        }))
    }

    /// Whether a directory of this name holds a data set: whether there is a manifest in it that gives it
    /// that name.
    pub fn vouches_for(area: &AreaDir, directory: &Path, name: &str) -> bool {
        let path = directory.join(MANIFEST_FILE);
        if !area.facts(&path).is_ok_and(|facts| facts.is_file()) {
            return false;
        }
        let text = area.read_text(&path, LARGEST_BYTES).ok();
        let manifest = text.and_then(|text| toml::from_str::<Manifest>(&text).ok());
        manifest.is_some_and(|manifest| {
            manifest.format == FORMAT && label(manifest.file_bytes, manifest.unit_bytes) == name
        })
    }

    fn fits(&self, spec: &DataSetSpec) -> bool {
        self.format == FORMAT && self.file_bytes == spec.file_bytes && self.unit_bytes == spec.unit_bytes
    }

    /// Writes it under another name first, so that there is never half a manifest.
    pub fn write(&self, area: &AreaDir, directory: &Path) -> Result<(), DataSetError> {
        let path = directory.join(MANIFEST_FILE);
        self.write_and_rename(area, &path).map_err(|error| named("write", &path, self.file_bytes, error))
    }

    fn write_and_rename(&self, area: &AreaDir, path: &Path) -> io::Result<()> {
        let text = toml::to_string(self).map_err(io::Error::other)?;
        let part = part_of(path);
        let mut file = fresh_file(area, &part)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        drop(file);
        area.rename(&part, path)
    }
}

/// The name under which a file is written until it is complete.
pub(super) fn part_of(path: &Path) -> PathBuf {
    path.with_added_extension(PART)
}

/// A new, empty file. What an interrupted preparation left under that name is removed; a link is removed
/// itself, not what it leads to.
pub(super) fn fresh_file(area: &AreaDir, path: &Path) -> io::Result<fs::File> {
    match area.remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    area.open_file(path, For::New)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SPEC: DataSetSpec = DataSetSpec { files: 4, file_bytes: 1 << 30, unit_bytes: 4096, seed: 7 };

    #[test]
    fn names_say_what_is_in_it() {
        assert_eq!(directory_name(&SPEC), "files-1GiB-u4096");
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

    #[test]
    fn what_is_written_is_read_again_with_any_seed() {
        let dir = tempfile::tempdir().unwrap();
        let area = AreaDir::open(dir.path()).unwrap();
        for seed in [0, u64::MAX] {
            let manifest = Manifest::new(&SPEC, 4, seed, true);
            manifest.write(&area, dir.path()).unwrap();
            assert_eq!(Manifest::read(&area, dir.path(), &SPEC).unwrap(), Some((manifest, seed)));
        }
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_manifest_of_other_files_says_nothing() {
        let dir = tempfile::tempdir().unwrap();
        let area = AreaDir::open(dir.path()).unwrap();
        assert_eq!(Manifest::read(&area, dir.path(), &SPEC).unwrap(), None);
        Manifest::new(&SPEC, 4, 7, true).write(&area, dir.path()).unwrap();
        for other in [DataSetSpec { unit_bytes: 512, ..SPEC }, DataSetSpec { file_bytes: 1, ..SPEC }] {
            assert_eq!(Manifest::read(&area, dir.path(), &other).unwrap(), None);
        }
    }
}
