//! The undo command of a change, on disk before the change is made. It stays there until the undo has
//! succeeded: if the process is killed, or the host loses power, the next start of the program reports
//! it.
//!
//! ```text
//! ~/.local/state/reelgauge/undo/2026-11-24T021500Z-4711.json     (or below $XDG_STATE_HOME)
//! ```
//!
//! A shell runs the command in the file, so a file counts only if it belongs to the user who runs the
//! program, and no other user may write it. It is shown before it is run, and run only on request.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use reelgauge_record::run_dir::{RunDirError, write_atomically};
use reelgauge_results::live::process;
use serde::{Deserialize, Serialize};

use super::shell::{self, CommandOptions, InterruptibleWait, ShellError};
use crate::interrupt::Interrupt;

/// Version of these files.
const LEFT_VERSION: u32 = 2;
/// A longer file is not read.
const MAX_BYTES: u64 = 1 << 20;

/// A change that was made, or was about to be, and its undo.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftChange {
    /// Version of this format.
    pub left_version: u32,
    /// When it was about to be made, RFC 3339.
    pub made_at: String,
    /// The command of the change.
    pub change: String,
    /// The command of the undo.
    pub undo: String,
    /// The directory of both commands: `./set 1` works only there.
    pub directory: PathBuf,
    /// The process that was to undo it.
    pid: u32,
    /// Distinguishes that process from others with the same number.
    process: String,
    /// The command that ran last, which may outlive that process.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    running: Option<RunningCommand>,
}

/// A command of the user in progress.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct RunningCommand {
    pid: u32,
    /// Distinguishes it from others with the same number; empty if the system has no such mark.
    process: String,
}

/// Why such a file can't be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LeftChangeError {
    /// The environment names no folder for it.
    #[error(
        "cannot store the undo command: neither HOME nor XDG_STATE_HOME is set. Set one (the stored command \
         is needed if this process is killed)"
    )]
    NoPlace,
    /// The folder can't be made or read.
    #[error("cannot use {}: {source}. Undo commands are stored there", path.display())]
    Folder {
        /// The path of the file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The file can't be written.
    #[error(transparent)]
    File(#[from] RunDirError),
    /// The current directory, in which the commands would run, is unknown.
    #[error("cannot read the current directory, in which the change is made and undone: {0}")]
    NoDirectory(io::Error),
    /// The command that made the change, or undid it, still runs.
    #[error(
        "'{change}' was not undone: a command of an earlier 'prove' is still running (process {pid}). Wait \
         for it or kill it, then run: reelgauge prove --undo-left"
    )]
    StillRuns {
        change: String,
        /// The process of the command.
        pid: u32,
    },
    /// The undo succeeded without restoring the original state.
    #[error(
        "the change was not undone; its undo had no effect: {still}. Undo it manually, then remove the file {}",
        path.display()
    )]
    NoEffect {
        /// The file with the undo.
        path: PathBuf,
        /// The part that is still changed.
        still: String,
    },
    /// The undo failed.
    #[error("the change was not undone: {source}. Undo it manually, then remove the file {}", path.display())]
    Undo {
        /// The file with the undo.
        path: PathBuf,
        source: ShellError,
    },
}

/// A change that is on disk.
#[derive(Clone, Debug)]
pub struct Noted {
    pub left: LeftChange,
    pub path: PathBuf,
}

impl Noted {
    /// Writes it to disk, before the change is made.
    ///
    /// # Errors
    /// If there is no place for it, or it can't be written.
    pub(super) fn write(
        folder: &Path,
        change: &str,
        undo: &str,
        directory: &Path,
    ) -> Result<Noted, LeftChangeError> {
        let failed = |source| LeftChangeError::Folder { path: folder.to_path_buf(), source };
        make_folder(folder).map_err(failed)?;
        let pid = std::process::id();
        let now = Timestamp::now();
        let left = LeftChange {
            left_version: LEFT_VERSION,
            made_at: now.to_string(),
            change: change.to_owned(),
            undo: undo.to_owned(),
            directory: directory.to_path_buf(),
            pid,
            process: process::own_mark(),
            running: None,
        };
        let path = folder.join(format!("{}-{pid}.json", now.strftime("%Y-%m-%dT%H%M%SZ")));
        let text = serde_json::to_vec_pretty(&left).map_err(|error| failed(error.into()))?;
        write_atomically(&path, &text)?;
        Ok(Noted { left, path })
    }

    /// Notes the process of a command that has just begun: if this process is killed, the command's
    /// process continues.
    pub(super) fn note_running(&self, pid: u32) {
        // Without a mark the process cannot be waited for.
        let Some(process) = process::mark_of(pid) else { return };
        let left = LeftChange { running: Some(RunningCommand { pid, process }), ..self.left.clone() };
        // Without space for it the change itself is still on disk.
        let _ = serde_json::to_vec_pretty(&left).map(|text| write_atomically(&self.path, &text));
    }

    /// Undoes the change, and forgets it after success. `waiting` is called if that takes long;
    /// `still_changed` returns the part that was not restored, if the original state is known.
    ///
    /// # Errors
    /// If the undo fails or has no effect, or the command of the change still runs; then the file stays.
    pub fn undo(
        self,
        waiting: &mut dyn FnMut(&InterruptibleWait<'_>),
        interrupt: &Interrupt,
        still_changed: &dyn Fn() -> Option<String>,
    ) -> Result<(), LeftChangeError> {
        if let Some(running) = &self.left.running
            && process::mark_of(running.pid).as_deref() == Some(running.process.as_str())
        {
            let change = self.left.change;
            return Err(LeftChangeError::StillRuns { change, pid: running.pid });
        }
        let mut with = CommandOptions {
            directory: &self.left.directory,
            begun: &mut |pid| self.note_running(pid),
            waiting,
            interrupt,
            ends_when_asked: false,
        };
        match shell::run(&self.left.undo, &mut with) {
            Ok(()) => match still_changed() {
                Some(still) => Err(LeftChangeError::NoEffect { path: self.path, still }),
                None => self.forget(),
            },
            Err(source) => Err(LeftChangeError::Undo { path: self.path, source }),
        }
    }

    /// Forgets a change that is already undone.
    ///
    /// # Errors
    /// If the file can't be removed.
    pub(super) fn forget(self) -> Result<(), LeftChangeError> {
        match fs::remove_file(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                Err(LeftChangeError::Folder { path: self.path, source: error })
            }
            _ => Ok(()),
        }
    }
}

/// The changes of processes that no longer exist.
#[derive(Debug, Default)]
pub struct LeftBehind {
    /// The changes that were not undone, the oldest first.
    pub changes: Vec<Noted>,
    /// Files that cannot be read, or that other users may write: the user has to inspect them.
    pub unreadable: Vec<PathBuf>,
}

/// The changes of processes that no longer exist.
pub fn left_behind() -> LeftBehind {
    folder(|name| std::env::var_os(name)).map(|folder| left_in(&folder)).unwrap_or_default()
}

/// The folder for undo commands.
///
/// # Errors
/// If the environment names none.
pub fn own_folder() -> Result<PathBuf, LeftChangeError> {
    folder(|name| std::env::var_os(name)).ok_or(LeftChangeError::NoPlace)
}

fn folder(variable: impl Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = || set("HOME").or_else(|| set("USERPROFILE"));
    let state = set("XDG_STATE_HOME").or_else(|| Some(home()?.join(".local/state")))?;
    Some(state.join("reelgauge/undo"))
}

/// The changes that were not undone.
pub(super) fn left_by_others(folder: &Path) -> Vec<Noted> {
    left_in(folder).changes
}

/// Makes the folder, closed to other users.
pub(super) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

fn left_in(folder: &Path) -> LeftBehind {
    let mut found = LeftBehind::default();
    let Ok(entries) = fs::read_dir(folder) else { return found };
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    // A file that was being written when its process was killed has another extension.
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    for path in paths {
        match read(&path) {
            None => found.unreadable.push(path),
            Some(left) if process::is_alive(left.pid, &left.process, &path) => {}
            Some(left) => found.changes.push(Noted { left, path }),
        }
    }
    found
}

/// The content of a file; `None` if it belongs to another user, or is not such a file.
fn read(path: &Path) -> Option<LeftChange> {
    let facts = fs::symlink_metadata(path).ok()?;
    if !facts.is_file() || facts.len() > MAX_BYTES || !is_own(&facts) {
        return None;
    }
    let left: LeftChange = serde_json::from_slice(&fs::read(path).ok()?).ok()?;
    (left.left_version == LEFT_VERSION).then_some(left)
}

#[cfg(unix)]
fn is_own(facts: &fs::Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;

    facts.uid() == rustix::process::geteuid().as_raw() && facts.mode() & 0o022 == 0
}

#[cfg(not(unix))]
fn is_own(_facts: &fs::Metadata) -> bool {
    true
}

#[cfg(all(test, unix))]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn undo(noted: Noted) -> Result<(), LeftChangeError> {
        noted.undo(&mut |_| {}, &Interrupt::default(), &|| None)
    }

    #[test]
    fn an_undo_without_effect_stays_on_disk() {
        let dir = tempfile::tempdir().unwrap();
        let noted = Noted::write(dir.path(), "true", "true", dir.path()).unwrap();
        let still = || Some("the storage still has the mount options rw,noatime".to_owned());
        let error = noted.clone().undo(&mut |_| {}, &Interrupt::default(), &still).unwrap_err().to_string();
        assert!(
            error.contains("had no effect: the storage still has the mount options rw,noatime"),
            "{error}"
        );
        assert!(noted.path.exists());
        undo(noted).unwrap();
    }

    /// A command of a killed proof continues: it would overwrite an undo that came too early.
    #[cfg(target_os = "linux")]
    #[test]
    fn nothing_is_undone_while_the_command_still_runs() {
        let dir = tempfile::tempdir().unwrap();
        let noted = Noted::write(dir.path(), "slow\u{1b}[2J", "touch undone", dir.path()).unwrap();
        let mut command = std::process::Command::new("sleep").arg("60").spawn().unwrap();
        noted.note_running(command.id());
        let left = read(&noted.path).unwrap();
        abandon(&Noted { left, ..noted.clone() });
        let found = || left_in(dir.path()).changes.pop().unwrap();
        let refused = undo(found()).unwrap_err();
        assert!(
            matches!(refused, LeftChangeError::StillRuns { pid, .. } if pid == command.id()),
            "{refused}"
        );
        assert!(!dir.path().join("undone").exists());
        command.kill().and_then(|()| command.wait()).unwrap();
        undo(found()).unwrap();
        assert!(dir.path().join("undone").exists() && left_in(dir.path()).changes.is_empty());
    }

    /// Makes it look as if its process no longer existed.
    fn abandon(noted: &Noted) {
        let left = LeftChange { pid: 1, process: "another/1".into(), ..noted.left.clone() };
        fs::write(&noted.path, serde_json::to_vec(&left).unwrap()).unwrap();
    }

    #[test]
    fn a_left_change_is_found_after_its_process_ended_and_forgotten_when_undone() {
        let dir = tempfile::tempdir().unwrap();
        let (folder, undone) = (dir.path().join("undo"), dir.path().join("undone"));
        // Undone in its own directory, wherever the program is started.
        let noted = Noted::write(&folder, "true", "touch undone", dir.path()).unwrap();
        assert!(left_in(&folder).changes.is_empty(), "this process will undo it itself");
        abandon(&noted);
        let found = left_in(&folder).changes.pop().unwrap();
        assert_eq!(found.left.undo, noted.left.undo);
        undo(found).unwrap();
        assert!(undone.exists() && left_in(&folder).changes.is_empty());
    }

    #[test]
    fn an_undo_that_fails_stays_on_disk() {
        let dir = tempfile::tempdir().unwrap();
        let noted = Noted::write(dir.path(), "true", "exit 7", dir.path()).unwrap();
        abandon(&noted);
        let error = undo(left_in(dir.path()).changes.pop().unwrap()).unwrap_err().to_string();
        assert!(error.contains("exit code 7") && error.contains("remove "), "{error}");
        assert_eq!(left_in(dir.path()).changes.len(), 1);
    }

    #[test]
    fn without_its_directory_nothing_is_undone_and_nothing_is_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        let place = dir.path().join("place");
        fs::create_dir(&place).unwrap();
        let noted = Noted::write(dir.path(), "true", "true", &place).unwrap();
        abandon(&noted);
        fs::remove_dir(&place).unwrap();
        let error = undo(left_in(dir.path()).changes.pop().unwrap()).unwrap_err().to_string();
        assert!(error.contains("not undone") && error.contains("place"), "{error}");
        assert_eq!(left_in(dir.path()).changes.len(), 1);
    }

    #[test]
    fn files_writable_by_other_users_are_not_trusted() {
        let dir = tempfile::tempdir().unwrap();
        let noted = Noted::write(dir.path(), "true", "true", dir.path()).unwrap();
        abandon(&noted);
        fs::set_permissions(&noted.path, fs::Permissions::from_mode(0o666)).unwrap();
        let counted = || {
            let found = left_in(dir.path());
            (found.changes.len(), found.unreadable.len())
        };
        assert_eq!(counted(), (0, 1));
        fs::set_permissions(&noted.path, fs::Permissions::from_mode(0o600)).unwrap();
        let link = dir.path().join("link.json");
        std::os::unix::fs::symlink(&noted.path, &link).unwrap();
        assert_eq!(counted(), (1, 1), "a link is no file of ours");
        fs::write(dir.path().join("torn.json"), "{\"left_ver").unwrap();
        assert_eq!(counted(), (1, 2));
    }

    #[test]
    fn the_folder_follows_the_environment() {
        let with = |names: &[(&'static str, &'static str)]| {
            let names = names.to_vec();
            folder(move |name| names.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        assert_eq!(with(&[("HOME", "/h")]), Some("/h/.local/state/reelgauge/undo".into()));
        assert_eq!(with(&[("HOME", "/h"), ("XDG_STATE_HOME", "/s")]), Some("/s/reelgauge/undo".into()));
        assert_eq!(with(&[("HOME", "")]), None);
    }
}
