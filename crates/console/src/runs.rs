//! The folder of runs: its runs, and one run by its name.
//!
//! A name from outside must be in the list: it never becomes an arbitrary path.

use std::collections::{HashMap, HashSet};
use std::fs::{self, Metadata};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::SystemTime;

use reelgauge_machine::full_path;
use reelgauge_record::run_dir::RunDir;
use reelgauge_results::live;
use reelgauge_results::run_notes::NOTES_FILE;
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_runner::prove::proof_file::Proof;
use reelgauge_runner::suite::Suite;

use crate::entry::{RunEntry, RunState, began_by_name};
use crate::error::ApiError;
use crate::events::life;

/// The largest number of entries of the folder to read.
const ENTRIES_MAX: usize = 20_000;
/// The longest name in any file system.
const NAME_MAX: usize = 255;
/// The parts of a name: a run in a suite in a proof has three, and all of them may be in a folder.
const PARTS_MAX: usize = 4;

/// The folder of runs.
#[derive(Debug)]
pub struct Runs {
    dir: PathBuf,
    known: Mutex<HashMap<String, Known>>,
}

/// The facts about a run, and when they were read.
#[derive(Clone, Debug)]
struct Known {
    stamp: Stamp,
    entry: Arc<RunEntry>,
}

/// Changes when a run's files do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp([Option<(SystemTime, u64)>; 4]);

impl Runs {
    /// The runs in this folder, which is created if needed.
    ///
    /// # Errors
    /// If it cannot be made or found.
    pub fn in_dir(dir: &Path) -> io::Result<Runs> {
        fs::create_dir_all(dir)?;
        Ok(Runs { dir: full_path(dir)?, known: Mutex::default() })
    }

    /// The folder, all links resolved.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// All runs, newest first.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Arc<RunEntry>>, ApiError> {
        let mut entries = Vec::new();
        for name in self.names()? {
            match What::of(&self.dir.join(&name)) {
                What::Suite => entries.extend(self.suite(&name)),
                What::Run => entries.extend(self.entry(&name)),
                // Runs of a suite in a folder would need one part more than a name may have.
                What::Folder => entries.extend(self.in_folder(&name).iter().filter_map(|id| self.entry(id))),
            }
        }
        let listed: HashSet<&str> = entries.iter().map(|entry| entry.id.as_str()).collect();
        self.known().retain(|name, _| listed.contains(name.as_str()));
        entries.sort_by(|a, b| (b.began(), &b.id).cmp(&(a.began(), &a.id)));
        Ok(entries)
    }

    /// The newest runs by their names, up to this number, newest first, and the number of older ones.
    /// Only these are read, however many there are. A suite counts as one, without its runs.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn newest(&self, most: usize) -> Result<(Vec<RunEntry>, usize), ApiError> {
        Ok(self.newest_of(self.own_ids()?, most))
    }

    /// The newest entries, including runs and suites in subfolders that are neither runs nor suites
    /// themselves: `FOLDER/RUN`.
    ///
    /// # Errors
    /// If the folder cannot be read.
    pub fn newest_and_below(&self, most: usize) -> Result<(Vec<RunEntry>, usize), ApiError> {
        let mut ids = self.own_ids()?;
        for name in self.names()? {
            if What::of(&self.dir.join(&name)) == What::Folder {
                ids.extend(self.in_folder(&name));
            }
        }
        Ok(self.newest_of(ids, most))
    }

    fn newest_of(&self, mut ids: Vec<String>, most: usize) -> (Vec<RunEntry>, usize) {
        // Names begin with the time; for a directory that the user renamed, its own time counts.
        let began = |id: &String| {
            let changed = || fs::metadata(self.dir.join(id)).and_then(|metadata| metadata.modified()).ok();
            began_by_name(last_part(id)).or_else(|| changed()?.try_into().ok())
        };
        ids.sort_by_cached_key(|id| std::cmp::Reverse((began(id), id.clone())));
        let left_out = ids.len().saturating_sub(most);
        let entries = ids.iter().take(most).filter_map(|id| match What::of(&self.dir.join(id)) {
            What::Suite => self.suite(id).pop(),
            _ => self.entry(id),
        });
        (entries.map(Arc::unwrap_or_clone).collect(), left_out)
    }

    /// The runs and suites of the folder itself.
    fn own_ids(&self) -> Result<Vec<String>, ApiError> {
        let mut names = self.names()?;
        names.retain(|name| self.is_run_or_suite(name));
        Ok(names)
    }

    /// The runs and suites of a folder in the folder.
    fn in_folder(&self, folder: &str) -> Vec<String> {
        let names = names_in(&self.dir.join(folder)).unwrap_or_default();
        let ids = names.iter().map(|name| format!("{folder}/{name}"));
        ids.filter(|id| self.is_run_or_suite(id)).collect()
    }

    fn is_run_or_suite(&self, id: &str) -> bool {
        self.is_suite(id) || self.run_dir(id).is_some()
    }

    /// The directory of a run.
    ///
    /// # Errors
    /// If the list has no run with this name.
    pub fn open(&self, id: &str) -> Result<RunDir, ApiError> {
        let missing = || ApiError::missing(format!("there is no run '{}' here", shown(id)));
        self.dir_named(id)?.ok_or_else(missing)?;
        self.run_dir(id).ok_or_else(missing)
    }

    /// The directory of a suite.
    ///
    /// # Errors
    /// If the list has no suite with this name.
    pub fn suite_dir(&self, id: &str) -> Result<PathBuf, ApiError> {
        let dir = self.dir_named(id)?.filter(|dir| What::of(dir) == What::Suite);
        dir.ok_or_else(|| ApiError::missing(format!("there is no suite '{}' here", shown(id))))
    }

    /// The directory with this name, each part inside that of the part before, and no symbolic link;
    /// `None` if there is none. Entries of the list are never inside a run.
    fn dir_named(&self, id: &str) -> Result<Option<PathBuf>, ApiError> {
        let (mut dir, mut names) = (self.dir.clone(), self.names()?);
        for (at, part) in id.split('/').enumerate() {
            if at > 0 {
                let is_run = at >= PARTS_MAX || What::of(&dir) == What::Run;
                names = if is_run { Vec::new() } else { names_in(&dir).unwrap_or_default() };
            }
            if !is_name(part) || !names.iter().any(|name| name == part) {
                return Ok(None);
            }
            dir.push(part);
        }
        Ok(Some(dir))
    }

    /// The runs of a suite, in the order in which they began, followed by the suite. The passes of a
    /// proof may be suites themselves.
    fn suite(&self, name: &str) -> Vec<Arc<RunEntry>> {
        let dir = self.dir.join(name);
        let mut inside = names_in(&dir).unwrap_or_default();
        inside.sort();
        let (mut runs, mut below) = (Vec::new(), Vec::new());
        for id in inside.iter().map(|run| format!("{name}/{run}")) {
            if self.is_suite(&id) && id.split('/').count() < PARTS_MAX {
                below.extend(self.suite(&id));
                runs.extend(below.pop());
            } else {
                runs.extend(self.entry(&id));
            }
        }
        let mut suite = RunEntry::of_suite(&dir, name, &runs);
        suite.suite = suite.suite.filter(|outer| self.is_suite(outer));
        below.extend(runs);
        below.push(Arc::new(suite));
        below
    }

    fn is_suite(&self, id: &str) -> bool {
        What::of(&self.dir.join(id)) == What::Suite
    }

    /// Names of all directories in the folder.
    fn names(&self) -> Result<Vec<String>, ApiError> {
        let failed = |error: io::Error| {
            let dir = self.dir.display();
            ApiError::failed(format!("cannot read the folder of runs {dir}: {error}. Check its permissions"))
        };
        names_in(&self.dir).map_err(failed)
    }

    /// A run directory with this name, if it is one and not a symbolic link.
    fn run_dir(&self, name: &str) -> Option<RunDir> {
        let path = self.dir.join(name);
        let is_dir = path.symlink_metadata().is_ok_and(|metadata| metadata.is_dir());
        let run_dir = if is_dir { RunDir::open(&path).ok()? } else { return None };
        (What::of(&path) == What::Run).then_some(run_dir)
    }

    /// The list's entry for a run; `None` if it is not one.
    fn entry(&self, name: &str) -> Option<Arc<RunEntry>> {
        let path = self.dir.join(name);
        let stamp = Stamp::of(&path);
        let known = self.known().get(name).cloned();
        if let Some(known) =
            known.filter(|known| known.stamp == stamp && known.entry.state != RunState::Running)
        {
            return Some(known.entry);
        }
        let run_dir = self.run_dir(name)?;
        let mut entry = RunEntry::of(run_dir.path(), name, &life(run_dir.path()));
        // An entry in a plain folder belongs to no suite.
        entry.suite = entry.suite.filter(|outer| self.is_suite(outer));
        let entry = Arc::new(entry);
        self.known().insert(name.to_owned(), Known { stamp, entry: Arc::clone(&entry) });
        Some(entry)
    }

    /// Forgets the facts about a run that has just been changed.
    pub fn forget(&self, id: &str) {
        self.known().remove(id);
    }

    fn known(&self) -> std::sync::MutexGuard<'_, HashMap<String, Known>> {
        // Changes are atomic, so a panic of a holder leaves no broken state.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Stamp {
    /// The current stamp of the run in this directory.
    pub fn of(run_dir: &Path) -> Stamp {
        let of = |metadata: Metadata| Some((metadata.modified().ok()?, metadata.len()));
        let file = |name: &str| fs::metadata(run_dir.join(name)).ok().and_then(of);
        Stamp([
            fs::metadata(run_dir).ok().and_then(of),
            file("summary.json"),
            file(NOTES_FILE),
            file(live::FILE_NAME),
        ])
    }
}

/// Names of all directories in a directory.
fn names_in(dir: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(dir)?.take(ENTRIES_MAX).flatten() {
        // A symbolic link may lead anywhere, so it is not a run; nor is a name that is invalid in an
        // address.
        let is_dir = entry.file_type().is_ok_and(|kind| kind.is_dir());
        names.extend(entry.file_name().into_string().ok().filter(|name| is_dir && is_name(name)));
    }
    Ok(names)
}

/// The kind of a directory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    /// A suite, a procedure or a proof: it contains runs, and has no figures itself.
    Suite,
    /// A run, if it is one of Reelgauge's.
    Run,
    /// Neither, but it may contain runs.
    Folder,
}

impl What {
    fn of(dir: &Path) -> What {
        if Suite::is_in(dir) || Proof::is_in(dir) || ProcedureRecord::is_in(dir) {
            return What::Suite;
        }
        // Every verb that stores runs in a directory first writes `run.toml` there.
        let is_marked = dir.join("run.toml").exists();
        if !is_marked {
            return What::Folder;
        }
        if dir.join("ops").exists() || live::path_in(dir).exists() {
            return What::Run;
        }
        // A suite has no file itself before its first workload has ended.
        let mut inside = fs::read_dir(dir).into_iter().flatten().flatten();
        if inside.any(|entry| entry.path().join("run.toml").exists()) { What::Suite } else { What::Run }
    }
}

/// The name of a run's own directory.
fn last_part(id: &str) -> &str {
    id.rsplit('/').next().unwrap_or(id)
}

/// Whether a text from outside can be the name of a run: one part of a path on every system, and not
/// hidden.
fn is_name(text: &str) -> bool {
    let unfit = |c: char| c.is_control() || matches!(c, '/' | '\\' | ':');
    !text.is_empty() && text.len() <= NAME_MAX && !text.starts_with('.') && !text.contains(unfit)
}

/// The beginning of a name from outside, enough to recognise it.
pub fn shown(name: &str) -> String {
    name.chars().take(80).map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(all(test, unix))]
pub(crate) mod tests {
    #![allow(clippy::unwrap_used)]
    use std::os::unix::fs::symlink;
    use std::time::Instant;

    use reelgauge_analysis::{Outcome, Summary};
    use reelgauge_record::run_dir::{LAYOUT_VERSION, RunDir};
    use reelgauge_results::live::process::own_mark;

    use super::*;
    use crate::events::tests::{begin_line, end_line};

    /// A run directory with this name and only its plan.
    pub(crate) fn make_run(dir: &Path, name: &str) -> RunDir {
        let path = dir.join(name);
        fs::create_dir_all(&path).unwrap();
        fs::write(path.join("run.toml"), format!("# reelgauge run directory, layout {LAYOUT_VERSION}\n"))
            .unwrap();
        RunDir::open(&path).unwrap()
    }

    /// A summary of a run with this outcome.
    pub(crate) fn summary(outcome: Outcome) -> Summary {
        let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "streams", Default::default());
        summary.outcome = outcome;
        summary.target.path = "/mnt/nas".to_owned();
        summary
    }

    fn states(runs: &Runs) -> Vec<(String, RunState)> {
        runs.list().unwrap().iter().map(|entry| (entry.id.clone(), entry.state)).collect()
    }

    #[test]
    fn runs_are_listed_newest_first_with_their_state() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::in_dir(folder.path()).unwrap();
        let at = |day: u32| format!("2026-11-{day:02}T154012Z-nas1-mix");
        let live = |run: &RunDir, text: String| fs::write(live::path_in(run.path()), text).unwrap();
        let own = begin_line(std::process::id(), &own_mark());
        live(&make_run(folder.path(), &at(23)), own.clone());
        live(&make_run(folder.path(), &at(22)), begin_line(std::process::id(), "before/1"));
        make_run(folder.path(), &at(21));
        let ended = make_run(folder.path(), &at(1));
        ended.write_summary(&summary(Outcome::Interrupted)).unwrap();
        live(&ended, own.clone() + &end_line());
        // It has its summary, and still makes its report.
        let ending = make_run(folder.path(), &at(24));
        ending.write_summary(&summary(Outcome::Complete)).unwrap();
        live(&ending, own);
        let expected = [
            (at(24), RunState::Running),
            (at(23), RunState::Running),
            (at(22), RunState::Killed),
            (at(21), RunState::Killed),
            // Its summary has its start, which is before that.
            (at(1), RunState::Interrupted),
        ];
        assert_eq!(states(&runs), expected);
        let listed = runs.list().unwrap();
        assert_eq!((listed[0].verb.as_str(), listed[0].sentence.as_str()), ("mix", ""));
        assert_eq!((listed[4].verb.as_str(), listed[4].target.as_str()), ("streams", "/mnt/nas"));
        assert!(listed[4].sentence.contains("interrupted") && listed[4].bytes_on_disk > 100);
        // A change shows at once, even for a known run.
        live(&ending, begin_line(1, "before/1") + &end_line());
        fs::remove_file(ended.summary_path()).unwrap();
        let states = states(&runs);
        // It reported its end, and has lost its summary since.
        assert!(states.contains(&(at(1), RunState::Complete)), "{states:?}");
        assert!(states.contains(&(at(24), RunState::Complete)));
    }

    #[test]
    fn nothing_but_runs_is_listed_or_opened() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let runs = Runs::in_dir(&top.join("runs")).unwrap();
        let outside = make_run(&top, "outside");
        make_run(runs.dir(), "run");
        make_run(runs.dir(), ".hidden");
        fs::create_dir(runs.dir().join("empty")).unwrap();
        fs::write(runs.dir().join("file"), "").unwrap();
        symlink(outside.path(), runs.dir().join("link")).unwrap();
        make_run(&runs.dir().join("suite"), "inner");
        make_run(runs.dir(), "suite");
        // A folder into which the user moved runs.
        make_run(&runs.dir().join("folder"), "kept");
        symlink(outside.path(), runs.dir().join("suite/link")).unwrap();
        let mut listed: Vec<String> = states(&runs).into_iter().map(|(id, _)| id).collect();
        listed.sort();
        assert_eq!(listed, ["folder/kept", "run", "suite", "suite/inner"]);
        assert!(["run", "suite/inner", "folder/kept"].iter().all(|id| runs.open(id).is_ok()));
        assert!(runs.suite_dir("folder").is_err());
        assert!(runs.suite_dir("suite").is_ok() && runs.suite_dir("run").is_err());
        assert!(runs.suite_dir("suite/inner").is_err() && runs.suite_dir("..").is_err());
        let absolute = outside.path().display().to_string();
        for id in [
            "",
            ".",
            "..",
            "run/",
            "./run",
            "run/../run",
            "../outside",
            "..\\outside",
            "link",
            "empty",
            "file",
            ".hidden",
            "suite",
            "suite/link",
            "suite/..",
            "folder",
            "folder/..",
            "folder/../run",
            "suite/../run",
            "suite/inner/ops",
            "run/ops",
            "missing",
            "run\0",
            "RUN",
            "run ",
            &absolute,
            &"x".repeat(1000),
            "C:run",
            "%2e%2e",
            "run\u{202e}",
        ] {
            let error = runs.open(id).unwrap_err();
            assert_eq!(error.status, axum::http::StatusCode::NOT_FOUND, "{id}");
        }
    }

    #[test]
    fn a_folder_of_runs_is_no_suite() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::in_dir(folder.path()).unwrap();
        let at = |day: u32| format!("2026-11-{day:02}T154012Z-nas1-mix");
        make_run(runs.dir(), &at(2));
        make_run(&runs.dir().join("customer"), &at(3)).write_summary(&summary(Outcome::Complete)).unwrap();
        make_run(&runs.dir().join("customer"), &at(1));
        let suite = make_run(&runs.dir().join("customer"), &at(4));
        make_run(suite.path(), "workload");
        let ids = |(entries, left_out): (Vec<RunEntry>, usize)| {
            assert!(entries.iter().all(|entry| entry.suite.is_none()));
            let told = entries.iter().map(|entry| format!("{} {}", entry.id, entry.verb));
            (told.collect::<Vec<_>>(), left_out)
        };
        let below = |day: u32| format!("customer/{}", at(day));
        assert_eq!(ids(runs.newest(9).unwrap()), (vec![format!("{} ", at(2))], 0));
        let all = [
            format!("{} suite", below(4)),
            format!("{} streams", below(3)),
            format!("{} ", at(2)),
            format!("{} ", below(1)),
        ];
        assert_eq!(ids(runs.newest_and_below(9).unwrap()), (all.to_vec(), 0));
        assert_eq!(ids(runs.newest_and_below(2).unwrap()), (all[..2].to_vec(), 2));
        let listed = runs.list().unwrap();
        assert!(listed.iter().all(|entry| entry.verb != "suite" && entry.suite.is_none()), "{listed:#?}");
    }

    #[test]
    fn suites_of_a_proof_are_listed_below_it_with_their_runs() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::in_dir(folder.path()).unwrap();
        let proof = make_run(runs.dir(), "proof");
        fs::write(proof.path().join("proof.json"), "{}").unwrap();
        for pass in ["pass-1", "pass-2"] {
            let suite = make_run(proof.path(), pass);
            make_run(suite.path(), "workload").write_summary(&summary(Outcome::Complete)).unwrap();
        }
        let listed = runs.list().unwrap();
        let mut told: Vec<(&str, Option<&str>)> =
            listed.iter().map(|entry| (entry.id.as_str(), entry.suite.as_deref())).collect();
        told.sort();
        let expected = [
            ("proof", None),
            ("proof/pass-1", Some("proof")),
            ("proof/pass-1/workload", Some("proof/pass-1")),
            ("proof/pass-2", Some("proof")),
            ("proof/pass-2/workload", Some("proof/pass-2")),
        ];
        assert_eq!(told, expected);
        assert!(runs.suite_dir("proof/pass-1").is_ok() && runs.open("proof/pass-1/workload").is_ok());
        assert!(runs.open("proof/pass-1").is_err() && runs.suite_dir("proof/pass-1/workload").is_err());
        for id in ["proof/pass-1/..", "proof/../proof/pass-1", "proof/pass-1/workload/ops", "proof//pass-1"] {
            assert!(runs.open(id).is_err() && runs.suite_dir(id).is_err(), "{id}");
        }
    }

    /// If the list waited for such a file, or read it without an end, one odd file would hide all other
    /// runs.
    #[test]
    fn a_pipe_in_the_place_of_a_file_is_not_waited_for() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::in_dir(folder.path()).unwrap();
        for (at, file) in
            ["summary.json", NOTES_FILE, live::FILE_NAME, "run.toml", "proof.json", "suite.json"]
                .iter()
                .enumerate()
        {
            let run = make_run(folder.path(), &format!("2026-11-{:02}T154012Z-nas1-mix", at + 1));
            let path = run.path().join(file);
            let _ = fs::remove_file(&path);
            assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        }
        let (told, all) = std::sync::mpsc::channel();
        let waiting = std::thread::spawn(move || told.send(runs.newest(99).unwrap().0.len()));
        let listed = all.recv_timeout(std::time::Duration::from_secs(60)).expect("nobody waits for a pipe");
        // Without its mark, one of them is not a run.
        assert_eq!(listed, 5);
        waiting.join().unwrap().unwrap();
    }

    #[test]
    fn a_thousand_runs_are_read_once() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Runs::in_dir(folder.path()).unwrap();
        for n in 0..1000 {
            make_run(folder.path(), &format!("run-{n}")).write_summary(&summary(Outcome::Complete)).unwrap();
        }
        let time = || {
            let begun = Instant::now();
            let listed = runs.list().unwrap();
            assert!(listed.len() == 1000 && listed.iter().all(|entry| entry.state == RunState::Complete));
            (begun.elapsed(), listed)
        };
        let (first, before) = time();
        let (again, after) = time();
        println!("1000 runs: {first:?} at first, then {again:?}");
        assert!(before.iter().zip(&after).all(|(before, after)| Arc::ptr_eq(before, after)));
    }
}
