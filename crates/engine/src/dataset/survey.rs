//! What of a data set is already there, and whether there is room for the rest.

use std::io;
use std::path::{Path, PathBuf};

use super::error::named;
use super::manifest::{PART, file_name};
use super::{DataSetError, DataSetSpec};
use crate::area::AreaDir;
use crate::beneath::Facts;
use crate::mount::{Mount, MountKind};
use crate::space::Space;

/// What stays free beyond the data, in percent of what has to be written …
pub const MARGIN_PERCENT: u64 = 5;
/// … and at least this many bytes: 64 MiB.
pub const MARGIN_BYTES: u64 = 64 << 20;

/// Which files have to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Survey {
    /// Numbers of the files that are missing or unfit.
    pub missing: Vec<u32>,
    /// Files that are there and can't be used.
    pub unfit: Vec<PathBuf>,
}

/// Looks at every file that the specification wants. `trusted` says whether a manifest vouches for
/// files that look right.
pub(super) fn survey(
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
            Err(error) => return Err(named("look at", &path, spec.file_bytes, error)),
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
fn is_sparse(facts: &Facts, kind: MountKind) -> bool {
    has_holes(facts.size_bytes, facts.allocated_bytes, kind)
}

#[cfg(windows)]
fn is_sparse(facts: &Facts, _kind: MountKind) -> bool {
    facts.is_sparse
}

/// Whether a file takes so much less room than its size that reading it would not read storage.
///
/// The data doesn't compress, so compressing file systems store all of it; 2 % are left for their
/// bookkeeping. File systems behind a network or a program may not tell (0 bytes), and very
/// small files may lie in the inode.
#[cfg(unix)]
fn has_holes(size_bytes: u64, allocated_bytes: u64, kind: MountKind) -> bool {
    if allocated_bytes == 0 {
        let tells = matches!(kind, MountKind::LocalDisk | MountKind::Memory | MountKind::Overlay);
        return tells && size_bytes > 4096;
    }
    allocated_bytes < size_bytes - size_bytes / 50
}

/// Removes what earlier, interrupted preparations left behind.
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

/// So many bytes with the margin that stays free.
pub(super) fn room_needed(missing_bytes: u64) -> u64 {
    let margin_bytes = (missing_bytes / 100).saturating_mul(MARGIN_PERCENT).max(MARGIN_BYTES);
    missing_bytes.saturating_add(margin_bytes)
}

/// Whether this many bytes can be written without coming close to filling the file system. `None` for
/// `space` means that the file system doesn't tell: then only trying shows.
pub(super) fn check_room(
    directory: &Path,
    missing_bytes: u64,
    space: Option<Space>,
) -> Result<(), DataSetError> {
    let Some(space) = space.filter(|_| missing_bytes > 0) else {
        return Ok(());
    };
    let needed_bytes = room_needed(missing_bytes);
    if needed_bytes <= space.available_bytes {
        return Ok(());
    }
    Err(DataSetError::NoSpace {
        directory: directory.to_owned(),
        needed_bytes,
        margin_bytes: needed_bytes - missing_bytes,
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
    fn room_and_margin() {
        let room = |missing_bytes, available_bytes| {
            let space = Space { available_bytes, total_bytes: u64::MAX };
            check_room(Path::new("/a"), missing_bytes, Some(space)).is_ok()
        };
        assert!(room(0, 0), "nothing to write");
        assert!(room(MIB, MIB + MARGIN_BYTES));
        assert!(!room(MIB, MIB + MARGIN_BYTES - 1));
        let large = 100_000 * MIB;
        assert!(room(large, large + large / 20));
        assert!(!room(large, large + large / 20 - 1));
        assert!(check_room(Path::new("/a"), large, None).is_ok());
    }

    #[test]
    fn the_message_says_how_much_and_what_to_do() {
        let space = Space { available_bytes: 1_000_000_000, total_bytes: 2_000_000_000 };
        let error = check_room(Path::new("/mnt/nas"), 4_000_000_000, Some(space)).unwrap_err();
        assert_eq!(
            error.to_string(),
            "/mnt/nas has room for 1.0 GB only, the data set needs 4.2 GB more (of these, 200.0 MB stay free \
             as a margin); use fewer or smaller files (--files, --file-size; for movies a shorter \
             --clip), or make room"
        );
    }
}
