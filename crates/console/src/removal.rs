//! Deletes a run: its whole directory, but nothing that a symbolic link in it leads to.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use crate::entry::{RunEntry, RunState};
use crate::error::ApiError;
use crate::events::{Life, life};
use crate::runs::{Runs, shown};

/// Deletes a run that has ended.
///
/// # Errors
/// If the run is in progress, does not exist, or can't be removed; then it is unchanged, as far
/// as the system permits.
pub fn remove(runs: &Runs, id: &str) -> Result<(), ApiError> {
    if let Some((suite, _)) = id.rsplit_once('/') {
        if runs.suite_dir(id).is_err() {
            runs.open(id)?;
        }
        let suite = shown(suite);
        return Err(ApiError::conflict(format!("this run belongs to the suite {suite}; delete the suite")));
    }
    if let Ok(dir) = runs.suite_dir(id) {
        return remove_suite(runs, id, &dir);
    }
    let run_dir = runs.open(id)?;
    if let Life::Running(_) = life(run_dir.path()) {
        return Err(ApiError::conflict("this run is in progress; stop it, then delete it"));
    }
    let result = remove_whole(run_dir.path(), runs.dir());
    runs.forget(id);
    result
}

fn remove_suite(runs: &Runs, id: &str, dir: &Path) -> Result<(), ApiError> {
    let goes_on = |run: &Arc<RunEntry>| run.id == id && run.state == RunState::Running;
    if runs.list()?.iter().any(goes_on) {
        return Err(ApiError::conflict("this suite is in progress; stop it, then delete it"));
    }
    remove_whole(dir, runs.dir())
}

/// Renames it first, so that no reader finds half of it. Symbolic links are removed, not followed.
fn remove_whole(path: &Path, parent: &Path) -> Result<(), ApiError> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let aside = parent.join(format!(".deleted-{name}"));
    let failed = |error: std::io::Error| {
        ApiError::failed(format!("cannot delete {}: {error}. Check its permissions", path.display()))
    };
    fs::rename(path, &aside).map_err(failed)?;
    fs::remove_dir_all(&aside).map_err(|error| {
        // The remains should be visible again.
        let _ = fs::rename(&aside, path);
        failed(error)
    })
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;

    use axum::http::StatusCode;
    use reelgauge_results::live::{path_in, process::own_mark};

    use super::*;
    use crate::events::tests::begin_line;
    use crate::runs::tests::make_run;

    #[test]
    fn deletion_removes_exactly_one_ended_run() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let runs = Runs::in_dir(&top.join("runs")).unwrap();
        fs::create_dir(top.join("precious")).unwrap();
        fs::write(top.join("precious/file"), "").unwrap();
        let run = make_run(runs.dir(), "run");
        make_run(runs.dir(), "other");
        symlink(top.join("precious"), run.path().join("link")).unwrap();
        symlink(top.join("precious"), runs.dir().join("a-link")).unwrap();
        fs::create_dir_all(run.ops_path().join("agent=local")).unwrap();
        fs::write(run.ops_path().join("agent=local/part"), "x").unwrap();
        for id in ["..", "../precious", "a-link", "precious", "", "run/ops", "."] {
            assert_eq!(remove(&runs, id).unwrap_err().status, StatusCode::NOT_FOUND, "{id}");
        }
        remove(&runs, "run").unwrap();
        let left: Vec<_> =
            fs::read_dir(runs.dir()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.len() == 2 && top.join("precious/file").exists(), "{left:?}");
        assert_eq!(remove(&runs, "run").unwrap_err().status, StatusCode::NOT_FOUND);
    }

    #[test]
    fn run_in_progress_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::in_dir(folder.path()).unwrap();
        let run = make_run(runs.dir(), "run");
        fs::write(path_in(run.path()), begin_line(std::process::id(), &own_mark())).unwrap();
        assert_eq!(remove(&runs, "run").unwrap_err().status, StatusCode::CONFLICT);
        fs::write(path_in(run.path()), begin_line(std::process::id(), "before/1")).unwrap();
        remove(&runs, "run").unwrap();
    }
}
