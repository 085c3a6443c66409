//! A target that was taken for a run: its area is locked, and its mount and support of direct I/O are
//! known.
//!
//! Not here: the files of the run, which every kind of run makes by its own rules.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use reelgauge_analysis::{Note, NoteFact};
use reelgauge_engine::area::{Area, AreaLock};
use reelgauge_engine::ballast;
use reelgauge_engine::direct::{DirectProbe, probe};
use reelgauge_machine::mount::{Mount, MountId};

use crate::error::RunError;
use crate::interrupt::Interrupt;

/// The interval at which a joining host checks whether the owner has made the files.
const JOINS_EVERY: Duration = Duration::from_millis(200);

/// Refuses paths that a plan cannot contain, before anything is touched rather than when `run.toml` is
/// written. A target is checked with its absolute path. A missing target is refused elsewhere.
///
/// # Errors
/// [`RunError::NotText`].
pub fn check_names<'a>(paths: impl IntoIterator<Item = &'a Path>) -> Result<(), RunError> {
    let whole = |path: &Path| std::fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    match paths.into_iter().map(whole).find(|path| path.to_str().is_none()) {
        Some(path) => Err(RunError::NotText { path }),
        None => Ok(()),
    }
}

/// A target that belongs to one run.
#[derive(Debug)]
pub struct LockedTarget {
    pub area: Area,
    /// Held until the run is over.
    pub lock: Arc<AreaLock>,
    pub mount: Mount,
    /// Used to notice that it was unmounted.
    pub mount_id: MountId,
    /// The support of direct I/O there.
    pub direct: DirectProbe,
}

impl LockedTarget {
    /// Takes the area.
    ///
    /// # Errors
    /// If another run has it, or the target does not answer as it should.
    pub fn take(area: &Area) -> Result<LockedTarget, RunError> {
        let lock = Arc::new(area.lock()?);
        if lock.note().is_none() {
            // No other run is active here, so the files are those of a killed one.
            area.remove_scratch()?;
            if std::env::var_os(ballast::HELD).is_none() {
                ballast::remove(area)?;
            }
        }
        LockedTarget::with(area, lock)
    }

    /// Joins the area that another host of this run owns, after the owner has made the files. Waits up
    /// to this time. The content of the area is the owner's.
    ///
    /// # Errors
    /// If the owner does not share it in time, or the target does not answer as it should.
    pub fn join(
        area: &Area,
        run: &str,
        at_most: Duration,
        interrupt: &Interrupt,
    ) -> Result<LockedTarget, RunError> {
        let begun = Instant::now();
        let lock = loop {
            if let Some(lock) = area.join(run)? {
                break lock;
            }
            if interrupt.asked() {
                return Err(RunError::StoppedWaiting(interrupt.by()));
            }
            if begun.elapsed() > at_most {
                return Err(RunError::NotShared { area: area.root().to_owned(), waited: at_most });
            }
            std::thread::sleep(JOINS_EVERY);
        };
        LockedTarget::with(area, Arc::new(lock))
    }

    fn with(area: &Area, lock: Arc<AreaLock>) -> Result<LockedTarget, RunError> {
        let root = area.root();
        Ok(LockedTarget {
            mount: Mount::at(root).map_err(RunError::io("find out what is mounted at the target"))?,
            mount_id: MountId::capture(root).map_err(RunError::io("identify the target's mount"))?,
            direct: probe(area.dir()).map_err(RunError::io("try direct I/O in the area"))?,
            area: area.clone(),
            lock,
        })
    }

    /// The directory that is measured, absolute.
    pub fn target(&self) -> &Path {
        self.area.target()
    }

    /// Notes for the user: the reach of the lock, and the user whose rights open files.
    pub fn notes(&self) -> Vec<Note> {
        let lock = self.lock.note().map(|note| Note::new(NoteFact::TargetLock, note, ""));
        let identity = self.area.sharing_note().map(|note| Note::new(NoteFact::OtherIdentity, note, ""));
        lock.into_iter().chain(identity).collect()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[cfg(unix)]
    #[test]
    fn names_that_are_no_text_are_refused_also_when_only_the_whole_path_has_them() {
        use std::ffi::OsStr;
        use std::os::unix::ffi::OsStrExt;
        let folder = tempfile::tempdir().unwrap();
        let strange = folder.path().join(OsStr::from_bytes(b"nu\xff\xe4r"));
        std::fs::create_dir(&strange).unwrap();
        let link = folder.path().join("plain");
        std::os::unix::fs::symlink(&strange, &link).unwrap();
        for path in [&strange, &link] {
            let error = check_names([path.as_path()]).unwrap_err();
            assert!(matches!(error, RunError::NotText { .. }) && error.exit_code() == 2, "{error}");
        }
        check_names([folder.path(), Path::new("/nowhere")]).unwrap();
    }

    #[test]
    fn files_of_a_killed_run_are_removed_by_the_next_run() {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        let left = area.root().join("scratch/user-0/deep");
        std::fs::create_dir_all(&left).unwrap();
        std::fs::write(left.join("recording.mov"), "frames").unwrap();
        std::fs::create_dir(area.root().join("ballast")).unwrap();
        std::fs::write(area.root().join("ballast/fill-000000"), "ballast").unwrap();
        drop(LockedTarget::take(&area).unwrap());
        assert!(!area.root().join("scratch").exists() && !area.root().join("ballast").exists());
        drop(LockedTarget::take(&area).unwrap());
    }
}
