//! The data sets that earlier runs left in the area, and the selection of those to remove if a run needs
//! their space.
//!
//! Only what is certainly a data set of Reelgauge is removed: a directory in `data/` with a manifest that
//! matches its name, and only files that the preparation creates. Data sets of the current run and all
//! other files are kept. The oldest are removed first, and only as many as needed. If all of them
//! together would not be enough, none is removed.
//!
//! Not here: the removal itself, which [`Area`] does as carefully as [`Area::clean`].

use std::collections::BTreeSet;
use std::io;
use std::path::Path;
use std::time::SystemTime;

use super::manifest::Manifest;
use super::{DataSetError, DataSetSpec};
use crate::area::{Area, AreaDir, Cleaned};
use crate::area_path::Purpose;
use crate::set_names::{MANIFEST_FILE, is_file_name};
use crate::space::{KeepFree, Space};

/// A data set that another run left.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherSet {
    /// The name of its directory in `data/`, which describes its content.
    pub name: String,
    /// Bytes of its files.
    pub bytes: u64,
    /// The time of its last use by a run.
    pub used_at: SystemTime,
}

/// All data sets in the area except the specified ones, oldest first.
///
/// # Errors
/// If the area cannot be read.
pub fn others(area: &Area, used: &[DataSetSpec]) -> Result<Vec<OtherSet>, DataSetError> {
    let used: BTreeSet<String> = used.iter().map(DataSetSpec::name).collect();
    let data = area.data_dir();
    let names = match area.dir().names_in(&data) {
        Ok(names) => names,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(_) if let Some(what) = instead_of_a_directory(area.dir(), &data) => {
            return Err(DataSetError::NotOurs { path: data, what });
        }
        Err(error) => return Err(super::error::named("list", &data, 0, error)),
    };
    let mut sets = Vec::new();
    for name in names {
        let Ok(name) = name.into_string() else { continue };
        let directory = data.join(&name);
        if used.contains(&name) || !Manifest::vouches_for(area.dir(), &directory, &name) {
            continue;
        }
        if let Some((bytes, used_at)) = content(area.dir(), &directory) {
            sets.push(OtherSet { name, bytes, used_at });
        }
    }
    sets.sort_by(|one, two| (one.used_at, &one.name).cmp(&(two.used_at, &two.name)));
    Ok(sets)
}

/// The kind of the entry at this path, if it is not a directory.
fn instead_of_a_directory(area: &AreaDir, path: &Path) -> Option<&'static str> {
    let facts = area.facts(path).ok().filter(|facts| !facts.is_dir())?;
    Some(if facts.is_link() { "a symbolic link" } else { "not a directory" })
}

/// Total size of the files of a data set, and the time of its last use; `None` if it contains anything
/// else.
fn content(area: &AreaDir, directory: &Path) -> Option<(u64, SystemTime)> {
    let (mut bytes, mut used_at) = (0_u64, None);
    for name in area.names_in(directory).ok()? {
        let name = name.into_string().ok()?;
        let facts = area.facts(&directory.join(&name)).ok()?;
        if !facts.is_file() || !is_file_name(&name) {
            return None;
        }
        if name == MANIFEST_FILE {
            used_at = facts.modified;
        }
        // Values reported by a file system are untrusted: the sums must not overflow, here and below.
        bytes = bytes.saturating_add(facts.size_bytes);
    }
    used_at.map(|used_at| (bytes, used_at))
}

/// The data sets to remove so that `missing_bytes` fit, in addition to the space to keep free. `None` if
/// even all of them would not be enough. If `space` is `None`, the file system reports no figures and
/// nothing is removed.
pub fn removable_for(
    others: &[OtherSet],
    missing_bytes: u64,
    space: Option<Space>,
    keep_free: KeepFree,
) -> Option<Vec<OtherSet>> {
    let Some(space) = space.filter(|_| missing_bytes > 0) else {
        return Some(Vec::new());
    };
    // Untrusted input: must not overflow.
    let needed_bytes = missing_bytes.saturating_add(space.kept_bytes(keep_free));
    let mut available_bytes = space.available_bytes;
    let mut going = Vec::new();
    for set in others {
        if available_bytes >= needed_bytes {
            break;
        }
        // Untrusted input: must not overflow.
        available_bytes = available_bytes.saturating_add(set.bytes);
        going.push(set.clone());
    }
    (available_bytes >= needed_bytes).then_some(going)
}

/// Removes a data set that [`earlier_sets`] found. The caller holds the area's lock.
///
/// # Errors
/// If the area was removed in the meantime, or a file of the data set cannot be removed.
pub fn remove_set(area: &Area, set: &OtherSet) -> Result<Cleaned, DataSetError> {
    // Checked again, because other files may have been added since.
    let directory = area.data_dir().join(&set.name);
    if !Manifest::vouches_for(area.dir(), &directory, &set.name) || content(area.dir(), &directory).is_none()
    {
        return Err(DataSetError::NotOurs { path: directory, what: "replaced by another entry" });
    }
    Ok(area.remove_data_set(&set.name)?)
}

/// Records that a run uses a data set now. A failure affects only the order in which data sets are
/// removed.
pub(super) fn used_now(area: &AreaDir, directory: &Path) {
    if let Ok(manifest) = area.open_file(&directory.join(MANIFEST_FILE), Purpose::Existing) {
        // The order of removal tolerates a wrong time.
        let _ = manifest.set_modified(SystemTime::now());
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::fs;
    use std::ops::ControlFlow;
    use std::sync::atomic::AtomicBool;
    use std::time::Duration;

    use super::*;
    use crate::dataset::DataSet;

    const MIB: u64 = 1 << 20;

    fn spec(file_bytes: u64) -> DataSetSpec {
        DataSetSpec { files: 2, file_bytes, unit_bytes: 4096, seed: 1 }
    }

    fn prepare(area: &Area, spec: DataSetSpec) -> DataSet {
        let mut progress = |_| ControlFlow::Continue(());
        DataSet::prepare(area, &spec, &mut progress, &AtomicBool::new(false)).unwrap()
    }

    fn area() -> (tempfile::TempDir, Area) {
        let dir = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(dir.path()).unwrap();
        (dir, area)
    }

    /// Backdates the last use of a data set.
    fn used(area: &Area, spec: DataSetSpec, hours_ago: u64) {
        let manifest = area.data_dir().join(spec.name()).join(MANIFEST_FILE);
        let manifest = fs::OpenOptions::new().append(true).open(manifest).unwrap();
        manifest.set_modified(SystemTime::now() - Duration::from_secs(hours_ago * 3600)).unwrap();
    }

    fn names(sets: &[OtherSet]) -> Vec<&str> {
        sets.iter().map(|set| set.name.as_str()).collect()
    }

    #[test]
    fn others_are_sorted_by_last_use() {
        let (_dir, area) = area();
        assert_eq!(others(&area, &[]).unwrap(), []);
        let (one, two, three) = (spec(MIB), spec(2 * MIB), spec(3 * MIB));
        for (spec, hours_ago) in [(one, 1), (two, 3), (three, 2)] {
            prepare(&area, spec);
            used(&area, spec, hours_ago);
        }
        let found = others(&area, &[one]).unwrap();
        assert_eq!(names(&found), ["files-2MiB-u4096", "files-3MiB-u4096"]);
        assert!(found[0].bytes > 4 * MIB && found[0].bytes < 4 * MIB + 4096, "{found:?}");
        prepare(&area, two);
        assert_eq!(names(&others(&area, &[one]).unwrap()), ["files-3MiB-u4096", "files-2MiB-u4096"]);
    }

    #[test]
    fn directory_with_unknown_content_is_no_data_set() {
        let (_dir, area) = area();
        let sizes = [MIB, 2 * MIB, 3 * MIB, 4 * MIB, 5 * MIB];
        let [unmarked, extended, renamed, deeper, whole] = sizes.map(|bytes| {
            prepare(&area, spec(bytes));
            area.data_dir().join(spec(bytes).name())
        });
        fs::remove_file(unmarked.join(MANIFEST_FILE)).unwrap();
        fs::write(extended.join("reel.mov"), b"irreplaceable").unwrap();
        fs::rename(&renamed, area.data_dir().join("archive")).unwrap();
        fs::create_dir(deeper.join("file-0009.bin")).unwrap();
        fs::write(area.data_dir().join("notes.txt"), b"mine").unwrap();
        fs::write(whole.join("file-0007.bin.part"), b"broken off").unwrap();
        let found = others(&area, &[]).unwrap();
        assert_eq!(names(&found), ["files-5MiB-u4096"]);
        remove_set(&area, &found[0]).unwrap();
        assert!(!whole.exists() && extended.join("reel.mov").exists());
    }

    #[cfg(unix)]
    #[test]
    fn link_is_no_data_set_and_its_target_is_kept() {
        let (dir, area) = area();
        prepare(&area, spec(MIB));
        let (inside, outside) = (area.data_dir().join(spec(MIB).name()), dir.path().join("precious"));
        fs::rename(&inside, &outside).unwrap();
        std::os::unix::fs::symlink(&outside, &inside).unwrap();
        assert_eq!(others(&area, &[]).unwrap(), []);
        let set = OtherSet { name: spec(MIB).name(), bytes: 1, used_at: SystemTime::now() };
        assert!(remove_set(&area, &set).is_err());
        assert_eq!(fs::read_dir(&outside).unwrap().count(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_in_the_place_of_the_data_is_named() {
        let (_dir, area) = area();
        std::os::unix::fs::symlink("/etc", area.data_dir()).unwrap();
        let error = others(&area, &[]).unwrap_err();
        assert!(matches!(error, DataSetError::NotOurs { what: "a symbolic link", .. }), "{error}");
    }

    #[test]
    fn data_set_with_a_new_foreign_file_is_kept() {
        let (_dir, area) = area();
        let set = prepare(&area, spec(MIB));
        let found = others(&area, &[]).unwrap();
        fs::write(set.directory.join("reel.mov"), b"irreplaceable").unwrap();
        assert!(matches!(remove_set(&area, &found[0]), Err(DataSetError::NotOurs { .. })));
        assert!(set.files.iter().all(|file| file.path.exists()));
    }

    #[test]
    fn oldest_sets_are_removed_until_enough_or_none_if_never_enough() {
        let set = |name: &str, mib: u64| OtherSet {
            name: name.to_owned(),
            bytes: mib * MIB,
            used_at: SystemTime::UNIX_EPOCH,
        };
        let sets = [set("old", 100), set("newer", 200), set("newest", 400)];
        let going = |missing_mib: u64, free_mib: u64| {
            let free = (free_mib + 64) * MIB;
            let space = Space { available_bytes: free, total_bytes: u64::MAX };
            removable_for(&sets, missing_mib * MIB, Some(space), KeepFree::Bytes(64 * MIB))
                .map(|sets| sets.len())
        };
        assert_eq!(going(50, 50), Some(0));
        assert_eq!(going(51, 50), Some(1));
        assert_eq!(going(150, 50), Some(1));
        assert_eq!(going(151, 50), Some(2));
        assert_eq!(going(750, 50), Some(3));
        assert_eq!(going(751, 50), None);
        assert_eq!(going(0, 0), Some(0));
        assert_eq!(removable_for(&sets, u64::MAX, None, KeepFree::Usual), Some(Vec::new()));
    }
}
