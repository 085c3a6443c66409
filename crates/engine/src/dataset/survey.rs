//! Checks which files of a data set exist, and whether there is space for the others.

use std::io;
use std::path::{Path, PathBuf};

use super::error::named;
use super::manifest::Manifest;
use super::{DataSetError, DataSetSpec};
use crate::area::{Area, AreaDir};
use crate::area_path::EntryFacts;
use crate::set_names::{PART, file_name};
use crate::space::{KeepFree, Space};
use reelgauge_machine::mount::{Mount, MountKind};

/// The files that have to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Survey {
    /// Numbers of the files that are missing or unusable.
    pub missing: Vec<u32>,
    /// Existing files that are unusable.
    pub unfit: Vec<PathBuf>,
}

/// The manifest of a data set with its seed, if there is a usable one, and the state of its files. If
/// the folder is missing, or another entry has its name, there are no files.
pub(super) fn look(
    area: &Area,
    directory: &Path,
    spec: &DataSetSpec,
) -> Result<(Option<(Manifest, u64)>, Survey), DataSetError> {
    if !area.dir().facts(directory).is_ok_and(|facts| facts.is_dir()) {
        return Ok((None, Survey { missing: (0..spec.files).collect(), unfit: Vec::new() }));
    }
    let known = Manifest::read(area.dir(), directory, spec)?;
    let found = survey(area.dir(), directory, spec, known.is_some())?;
    Ok((known, found))
}

/// Checks every file of the specification. `trusted`: a manifest confirms files with the right name and
/// size.
fn survey(
    area: &AreaDir,
    directory: &Path,
    spec: &DataSetSpec,
    trusted: bool,
) -> Result<Survey, DataSetError> {
    let kind = Mount::at(directory).map_or(MountKind::Unknown, |mount| mount.kind);
    let mut survey = Survey { missing: Vec::new(), unfit: Vec::new() };
    for number in 0..spec.files {
        let path = directory.join(file_name(number));
        let facts = match area.facts(&path) {
            Ok(facts) => facts,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                survey.missing.push(number);
                continue;
            }
            Err(error) => return Err(named("access", &path, spec.file_bytes, error)),
        };
        if let Some(what) = facts.foreign_file() {
            return Err(DataSetError::NotOurs { path, what });
        }
        if !trusted || facts.size_bytes != spec.file_bytes || is_sparse(&facts, kind) {
            survey.missing.push(number);
            survey.unfit.push(path);
        }
    }
    Ok(survey)
}

#[cfg(unix)]
fn is_sparse(facts: &EntryFacts, kind: MountKind) -> bool {
    has_holes(facts.size_bytes, facts.allocated_bytes, kind)
}

#[cfg(windows)]
fn is_sparse(facts: &EntryFacts, _kind: MountKind) -> bool {
    facts.is_sparse
}

/// Whether a file occupies so much less space than its size that reading it would not read storage.
///
/// The data does not compress, so compressing file systems store all of it; 2 % are allowed for their
/// metadata. Network and user-space file systems may not report it (0 bytes), and very small files may
/// be stored in the inode.
#[cfg(unix)]
fn has_holes(size_bytes: u64, allocated_bytes: u64, kind: MountKind) -> bool {
    if allocated_bytes == 0 {
        let tells = matches!(kind, MountKind::LocalDisk | MountKind::Memory | MountKind::Overlay);
        return tells && size_bytes > 4096;
    }
    allocated_bytes < size_bytes - size_bytes / 50
}

/// Size of the files that preparing removes: incomplete and unusable ones. Files that cannot be read
/// count 0.
pub(super) fn useless_bytes(area: &AreaDir, directory: &Path, spec: &DataSetSpec) -> u64 {
    // Without the folder there are no useless files.
    let names = area.names_in(directory).unwrap_or_default();
    let useless = names.iter().filter_map(|name| {
        let path = directory.join(name);
        let facts = area.facts(&path).ok()?;
        let is_part = path.extension().is_some_and(|extension| extension == PART);
        (facts.is_file() && (is_part || facts.size_bytes != spec.file_bytes)).then_some(facts.size_bytes)
    });
    // Values reported by a file system are untrusted: the sum must not overflow.
    useless.fold(0, u64::saturating_add)
}

/// Removes incomplete files of earlier, interrupted preparations.
pub(super) fn remove_parts(area: &AreaDir, directory: &Path, spec: &DataSetSpec) -> Result<(), DataSetError> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error| named("remove", &path, spec.file_bytes, error)
    };
    for name in area.names_in(directory).map_err(failed(directory))? {
        let path = directory.join(name);
        if path.extension().is_some_and(|extension| extension == PART) {
            area.remove_file(&path).map_err(failed(&path))?;
        }
    }
    Ok(())
}

/// Checks that this many bytes can be written without touching the space to keep free. If `space` is
/// `None`, the file system does not report its free space, and only the writes will show it.
pub(super) fn check_room(
    directory: &Path,
    missing_bytes: u64,
    space: Option<Space>,
    keep_free: KeepFree,
) -> Result<(), DataSetError> {
    let Some(space) = space.filter(|_| missing_bytes > 0) else {
        return Ok(());
    };
    if missing_bytes <= space.usable_bytes(keep_free) {
        return Ok(());
    }
    Err(DataSetError::NoSpace {
        directory: directory.to_owned(),
        needed_bytes: missing_bytes,
        kept_bytes: space.kept_bytes(keep_free),
        available_bytes: space.available_bytes,
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MIB: u64 = 1 << 20;

    #[cfg(unix)]
    #[test]
    fn holes() {
        use MountKind::{Fuse, LocalDisk, Memory, Network, Unknown};
        let gib = 1024 * MIB;
        for kind in [LocalDisk, Network, Fuse] {
            assert!(!has_holes(gib, gib, kind));
            assert!(!has_holes(gib, gib + 4 * MIB, kind), "metadata counts, too");
            assert!(!has_holes(gib, gib - 10 * MIB, kind));
            assert!(has_holes(gib, gib / 2, kind));
        }
        assert!(has_holes(gib, 0, LocalDisk));
        assert!(has_holes(gib, 0, Memory));
        assert!(!has_holes(100, 0, LocalDisk), "in the inode");
        for kind in [Network, Fuse, Unknown] {
            assert!(!has_holes(gib, 0, kind), "{kind:?} does not tell");
        }
    }

    #[test]
    fn needed_space_and_reserve_are_computed() {
        let room = |missing_bytes, available_bytes, keep_free| {
            let space = Space { available_bytes, total_bytes: 20_000 * MIB };
            check_room(Path::new("/a"), missing_bytes, Some(space), keep_free).is_ok()
        };
        assert!(room(0, 0, KeepFree::Usual), "nothing to write");
        assert!(room(MIB, 1001 * MIB, KeepFree::Usual));
        assert!(!room(MIB, 1001 * MIB - 1, KeepFree::Usual));
        assert!(room(MIB, MIB, KeepFree::Bytes(0)));
        assert!(!room(MIB, 2 * MIB, KeepFree::Bytes(MIB + 1)));
        assert!(check_room(Path::new("/a"), u64::MAX, None, KeepFree::Usual).is_ok());
    }

    #[test]
    fn space_error_has_amount_and_remedy() {
        let space = Space { available_bytes: 1_000_000_000, total_bytes: 2_000_000_000 };
        let error =
            check_room(Path::new("/mnt/nas"), 4_000_000_000, Some(space), KeepFree::Usual).unwrap_err();
        let text = error.to_string();
        for part in
            ["4.0 GB more", "/mnt/nas has 1.0 GB free", "100.0 MB must", "--keep-free", "reelgauge clean"]
        {
            assert!(text.contains(part), "{part}: {text}");
        }
    }
}
