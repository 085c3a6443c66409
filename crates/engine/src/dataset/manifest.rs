//! The manifest of a data set, which records how it was written.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::error::named;
use super::{DataSetError, DataSetSpec};
use crate::area::AreaDir;
use crate::area_path::Purpose;
use crate::set_names::{MANIFEST_FILE, part_of};

/// A manifest has a few hundred bytes; a larger file is not one.
const LARGEST_BYTES: u64 = 64 * 1024;
/// Version of the manifest, and of the names and content of data files.
const FORMAT: i64 = 1;

/// The content of `dataset.toml`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Manifest {
    format: i64,
    /// Whether all of `files` were written. While it is false, files with their final name are complete
    /// nevertheless.
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

    /// The manifest of a data set with this specification, and its seed. `None` if there is none or it
    /// does not match, so that nothing is known about the files.
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
            Err(error) => return Err(named("access", &path, spec.file_bytes, error)),
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

    /// Whether a directory of this name is a data set: whether it has a manifest that matches the name.
    pub fn vouches_for(area: &AreaDir, directory: &Path, name: &str) -> bool {
        let path = directory.join(MANIFEST_FILE);
        if !area.facts(&path).is_ok_and(|facts| facts.is_file()) {
            return false;
        }
        let text = area.read_text(&path, LARGEST_BYTES).ok();
        let manifest = text.and_then(|text| toml::from_str::<Manifest>(&text).ok());
        manifest.is_some_and(|manifest| {
            manifest.format == FORMAT
                && crate::set_names::directory_name(manifest.file_bytes, manifest.unit_bytes) == name
        })
    }

    fn fits(&self, spec: &DataSetSpec) -> bool {
        self.format == FORMAT && self.file_bytes == spec.file_bytes && self.unit_bytes == spec.unit_bytes
    }

    /// Writes it under a temporary name first, so that a partial manifest never exists.
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

/// A new, empty file. A file with that name, left by an interrupted preparation, is removed. If it is a
/// link, the link itself is removed, not its target.
pub(super) fn fresh_file(area: &AreaDir, path: &Path) -> io::Result<fs::File> {
    match area.remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    area.open_file(path, Purpose::New)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const SPEC: DataSetSpec = DataSetSpec { files: 4, file_bytes: 1 << 30, unit_bytes: 4096, seed: 7 };

    #[test]
    fn manifest_with_any_seed_round_trips() {
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
    fn manifest_of_other_files_is_ignored() {
        let dir = tempfile::tempdir().unwrap();
        let area = AreaDir::open(dir.path()).unwrap();
        assert_eq!(Manifest::read(&area, dir.path(), &SPEC).unwrap(), None);
        Manifest::new(&SPEC, 4, 7, true).write(&area, dir.path()).unwrap();
        for other in [DataSetSpec { unit_bytes: 512, ..SPEC }, DataSetSpec { file_bytes: 1, ..SPEC }] {
            assert_eq!(Manifest::read(&area, dir.path(), &other).unwrap(), None);
        }
    }
}
