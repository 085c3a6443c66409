//! The runs on an agent's disk: a folder for each with the plan, its state, and its run directory, until
//! everything was fetched.
//!
//! Not here: when anything is removed (the duty).

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Component, Path, PathBuf};

use reelgauge_results::live::liveness::{Life, life};
use sha2::{Digest, Sha256};

use crate::protocol::{FileThere, RunState};

const STATE_FILE: &str = "state.json";
/// The targets on which runs may have made test files; the file is next to the folders of runs.
const TARGETS_FILE: &str = "targets.json";
/// The number of targets to remember.
const TARGETS_MAX: usize = 256;
const PLAN_FILE: &str = "plan.toml";
/// The folder for the run directory, which has its own name.
const RUNS: &str = "runs";
/// The error output of the run's process.
const COMPLAINTS: &str = "stderr.txt";
/// A state whose writer ended before it was whole.
const STATE_BEGUN: &str = "state.new";
/// All other entries of a run's folder.
const OWN: [&str; 6] = [STATE_FILE, STATE_BEGUN, PLAN_FILE, "plan.new", RUNS, COMPLAINTS];
/// The suffix of a folder that is being removed.
const GONE: &str = "gone";
/// The longest name of a run, which names a folder.
const NAME_CHARS_MAX: usize = 96;

/// The folder of runs; the module describes it.
#[derive(Clone, Debug)]
pub struct AgentDisk {
    dir: PathBuf,
}

impl AgentDisk {
    /// In this folder, which is created if it is missing.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn open(dir: &Path) -> io::Result<AgentDisk> {
        fs::create_dir_all(dir)?;
        Ok(AgentDisk { dir: fs::canonicalize(dir)? })
    }

    /// A number larger than at every earlier start, even if the clock was set back.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn next_session(&self, unix_ns: i64) -> io::Result<u64> {
        let path = self.dir.join("session");
        let before = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse::<u64>().ok());
        let session = before.map_or(0, |before| before.saturating_add(1)).max(unix_ns.max(0) as u64);
        keep(&path, session.to_string().as_bytes())?;
        Ok(session)
    }

    /// The runs that were not fetched.
    pub fn states(&self) -> Vec<RunState> {
        let folders = fs::read_dir(&self.dir).into_iter().flatten().flatten();
        let state = |folder: fs::DirEntry| {
            let text = fs::read(folder.path().join(STATE_FILE)).ok()?;
            let state: RunState = serde_json::from_slice(&text).ok()?;
            (folder.file_name().to_str() == Some(&state.run)).then_some(state)
        };
        folders.filter_map(state).collect()
    }

    /// Keeps the state of a run.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn keep_state(&self, state: &RunState) -> io::Result<()> {
        let folder = self.folder(&state.run)?;
        fs::create_dir_all(&folder)?;
        keep(&folder.join(STATE_FILE), &serde_json::to_vec(state)?)
    }

    /// Keeps a run's plan. Returns its path, and the path for the run directory.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn keep_plan(&self, run: &str, plan_toml: &str) -> io::Result<(PathBuf, PathBuf)> {
        let folder = self.folder(run)?;
        let runs = folder.join(RUNS);
        fs::create_dir_all(&runs)?;
        let plan = folder.join(PLAN_FILE);
        keep(&plan, plan_toml.as_bytes())?;
        Ok((plan, runs))
    }

    /// A file for the error output of a run's process.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn complaints(&self, run: &str) -> io::Result<File> {
        File::create(self.folder(run)?.join(COMPLAINTS))
    }

    /// The size of a run here, in bytes; `None` if it cannot be read.
    pub fn run_bytes(&self, run: &str) -> Option<u64> {
        let mut names = Vec::new();
        let folder = self.folder(run).ok()?;
        walk(&folder, "", &mut names).ok()?;
        names.iter().map(|name| Some(fs::metadata(folder.join(name)).ok()?.len())).sum()
    }

    /// The targets that runs were begun on, the latest last.
    pub fn targets(&self) -> Vec<String> {
        let text = fs::read(self.dir.join(TARGETS_FILE)).unwrap_or_default();
        serde_json::from_slice(&text).unwrap_or_default()
    }

    /// Notes that a run begins on this target.
    ///
    /// # Errors
    /// If it cannot be kept.
    pub fn remember_target(&self, target: &str) -> io::Result<()> {
        let mut targets = self.targets();
        if targets.last().is_some_and(|last| last == target) {
            return Ok(());
        }
        targets.retain(|known| known != target);
        targets.push(target.to_owned());
        let from = targets.len().saturating_sub(TARGETS_MAX);
        self.keep_targets(&targets[from..])
    }

    /// Notes that nothing is left on this target.
    ///
    /// # Errors
    /// If that cannot be kept.
    pub fn forget_target(&self, target: &str) -> io::Result<()> {
        let mut targets = self.targets();
        targets.retain(|known| known != target);
        self.keep_targets(&targets)
    }

    fn keep_targets(&self, targets: &[String]) -> io::Result<()> {
        keep(&self.dir.join(TARGETS_FILE), &serde_json::to_vec(targets)?)
    }

    /// Every file of the run's directory, and its plan.
    ///
    /// # Errors
    /// If its process still writes ([`io::ErrorKind::ResourceBusy`]), or something can't be read.
    pub fn files(&self, run: &str) -> io::Result<Vec<FileThere>> {
        let folder = self.folder(run)?;
        let mut names = Vec::new();
        if let Some(run_dir) = self.run_dir(&folder) {
            if matches!(life(&run_dir), Life::Running(_)) {
                return Err(io::Error::new(io::ErrorKind::ResourceBusy, "its process is still running"));
            }
            walk(&run_dir, "", &mut names)?;
        }
        let there = |name: String| {
            let (len, sha256) = digest(&self.path_of(&folder, &name)?)?;
            Ok(FileThere { name, len, sha256 })
        };
        names.into_iter().map(there).collect()
    }

    /// A piece of a file.
    ///
    /// # Errors
    /// If there is no such file, or no such piece of it.
    pub fn piece(&self, run: &str, file: &str, offset: u64, len: u32) -> io::Result<Vec<u8>> {
        let folder = self.folder(run)?;
        let mut open = File::open(self.path_of(&folder, file)?)?;
        open.seek(SeekFrom::Start(offset))?;
        let mut bytes = vec![0; len as usize];
        open.read_exact(&mut bytes)?;
        Ok(bytes)
    }

    /// Removes a run.
    ///
    /// # Errors
    /// If that is impossible.
    pub fn forget(&self, run: &str) -> io::Result<()> {
        let folder = self.folder(run)?;
        let gone = folder.with_extension(GONE);
        remove_all(&gone)?;
        // Rename it first: the remainder is then no longer a run, and cannot be mistaken for one.
        match fs::rename(&folder, &gone) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            renamed => renamed.and_then(|()| remove_all(&gone)),
        }
    }

    /// Removes the remains of a killed process: runs that were being removed, and those of which nothing
    /// had begun. A folder with anything else in it stays.
    pub fn sweep(&self) {
        for folder in fs::read_dir(&self.dir).into_iter().flatten().flatten() {
            let (name, path) = (folder.file_name(), folder.path());
            let Some(name) = name.to_str() else { continue };
            let gone = name.strip_suffix(GONE).and_then(|name| name.strip_suffix('.'));
            if gone.is_some_and(is_dated) && holds_only(&path, &OWN) {
                // It only takes up space; the next start tries again.
                let _ = remove_all(&path);
            } else if is_dated(name) && holds_only(&path, &[STATE_BEGUN]) {
                let _ = fs::remove_file(path.join(STATE_BEGUN));
                let _ = fs::remove_dir(path);
            }
        }
    }

    fn folder(&self, run: &str) -> io::Result<PathBuf> {
        match is_run_name(run) {
            true => Ok(self.dir.join(run)),
            false => Err(io::Error::new(io::ErrorKind::InvalidInput, "not the name of a run")),
        }
    }

    /// The only folder in its folder for runs.
    fn run_dir(&self, folder: &Path) -> Option<PathBuf> {
        let folders = fs::read_dir(folder.join(RUNS)).into_iter().flatten().flatten();
        folders.map(|entry| entry.path()).find(|path| path.is_dir())
    }

    fn path_of(&self, folder: &Path, name: &str) -> io::Result<PathBuf> {
        let none = || io::Error::new(io::ErrorKind::NotFound, "not a file of this run");
        if !is_file_name(name) {
            return Err(none());
        }
        Ok(self.run_dir(folder).ok_or_else(none)?.join(name))
    }
}

/// Whether a run can have this name.
pub fn is_run_name(name: &str) -> bool {
    let is_inner = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    !name.is_empty() && name.len() <= NAME_CHARS_MAX && name.chars().all(is_inner)
}

/// Whether this names a file below a run directory, and nothing else.
pub fn is_file_name(name: &str) -> bool {
    let path = Path::new(name);
    !name.is_empty()
        && !name.contains(['\\', '\0', ':'])
        && path.components().all(|component| matches!(component, Component::Normal(_)))
}

/// Writes a file atomically: it exists whole, or not at all.
///
/// # Errors
/// If that is impossible.
pub fn keep(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let beside = path.with_extension("new");
    let mut file = File::create(&beside)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&beside, path)
}

/// Whether a name begins as the controller names runs: `20261126T201500Z-`.
fn is_dated(name: &str) -> bool {
    let fits = |(shape, is): (char, char)| if shape == '0' { is.is_ascii_digit() } else { is == shape };
    let shape = "00000000T000000Z-";
    is_run_name(name) && name.len() > shape.len() && shape.chars().zip(name.chars()).all(fits)
}

/// Whether this is a folder with no other entries than these.
fn holds_only(folder: &Path, names: &[&str]) -> bool {
    let is_one = |entry: io::Result<fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.file_name().to_str().is_some_and(|name| names.contains(&name)))
    };
    fs::read_dir(folder).is_ok_and(|mut entries| entries.all(is_one))
}

fn remove_all(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

fn walk(folder: &Path, under: &str, names: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let name = if under.is_empty() { name.to_owned() } else { format!("{under}/{name}") };
        // A symbolic link leads elsewhere, and a run creates none.
        let kind = entry.file_type()?;
        if kind.is_dir() {
            walk(&entry.path(), &name, names)?;
        } else if kind.is_file() {
            names.push(name);
        }
    }
    Ok(())
}

/// A file's size and SHA-256.
///
/// # Errors
/// If it cannot be read.
pub fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let mut hasher = Sha256::new();
    let len = io::copy(&mut file, &mut hasher)?;
    Ok((len, hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::protocol::{Phase, RunTimes};

    #[test]
    fn names_cannot_leave_their_directory() {
        assert!(is_run_name("2026-11-25T200000Z-a1") && !is_run_name("../x") && !is_run_name(""));
        assert!(is_file_name("ops/agent=local/part-0.parquet") && is_file_name("run.toml"));
        for name in ["", "/etc/passwd", "../x", "a/../../x", "a\\..\\b", "c:/x", "./x", "a\0b"] {
            assert!(!is_file_name(name), "{name:?}");
        }
    }

    #[test]
    fn run_is_kept_until_released() {
        let folder = tempfile::tempdir().unwrap();
        let disk = AgentDisk::open(folder.path()).unwrap();
        let (plan, runs) = disk.keep_plan("r1", "text").unwrap();
        let phase = Phase::Over { code: Some(0), reason: None };
        let state = RunState {
            run: "r1".to_owned(),
            plan_sha256: String::new(),
            phase,
            times: RunTimes { over_ns: Some(9), ..RunTimes::default() },
            points_complete: 1,
            judged: None,
        };
        disk.keep_state(&state).unwrap();
        fs::create_dir_all(runs.join("it/ops")).unwrap();
        fs::write(runs.join("it/ops/part"), b"0123456789").unwrap();
        assert_eq!(fs::read_to_string(plan).unwrap(), "text");
        assert_eq!(disk.states(), [state]);
        let files = disk.files("r1").unwrap();
        assert_eq!((files.len(), files[0].name.as_str(), files[0].len), (1, "ops/part", 10));
        assert_eq!(disk.piece("r1", "ops/part", 4, 3).unwrap(), b"456");
        assert!(disk.piece("r1", "ops/part", 9, 3).is_err());
        assert!(disk.piece("r1", "../../state.json", 0, 1).is_err());
        disk.forget("r1").unwrap();
        assert!(disk.states().is_empty() && !folder.path().join("r1").exists());
    }

    #[test]
    fn sessions_rise_though_the_clock_is_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let disk = AgentDisk::open(folder.path()).unwrap();
        let first = disk.next_session(1_000).unwrap();
        assert!(disk.next_session(10).unwrap() > first);
        assert!(disk.next_session(5_000).unwrap() >= 5_000);
    }

    /// A process may be killed at any moment.
    #[test]
    fn unbegun_and_partly_removed_runs_are_removed_at_the_next_start() {
        let folder = tempfile::tempdir().unwrap();
        let disk = AgentDisk::open(folder.path()).unwrap();
        let make = |name: &str, holds: &[&str]| {
            let made = folder.path().join(name);
            fs::create_dir_all(made.join("runs/r/ops")).unwrap();
            if !holds.contains(&"runs") {
                fs::remove_dir_all(made.join("runs")).unwrap();
            }
            for file in holds.iter().filter(|name| **name != "runs") {
                fs::write(made.join(file), "{").unwrap();
            }
        };
        make("20261126T201500Z-0a1b2c", &["state.new"]);
        make("20261126T201501Z-0a1b2c", &[]);
        make("20261126T201503Z-0a1b2c.gone", &["plan.toml", "runs"]);
        make("20261126T201504Z-0a1b2c.gone", &["state.json", "stderr.txt", "runs"]);
        let stays: [(&str, &[&str]); 8] = [
            ("20261126T201502Z-0a1b2c", &["state.new", "plan.toml"]),
            ("Desktop", &[]),
            ("a-run", &["state.json", "plan.toml", "runs"]),
            ("damaged", &["state.json"]),
            ("measured", &["state.new", "runs"]),
            ("20261126T201505Z-0a1b2c.gone", &["holiday.mov"]),
            ("somebodys.gone", &["plan.toml"]),
            ("somebodys", &["holiday.mov", "state.new"]),
        ];
        stays.iter().for_each(|(name, holds)| make(name, holds));
        disk.sweep();
        let mut left: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        let mut stayed = stays.map(|(name, _)| name);
        stayed.sort_unstable();
        assert_eq!(left, stayed);

        // The remains of an interrupted removal do not block the next one.
        make("a-run.gone", &["plan.toml"]);
        disk.forget("a-run").unwrap();
        disk.forget("a-run").unwrap();
        assert!(!folder.path().join("a-run").exists() && !folder.path().join("a-run.gone").exists());
    }
}
