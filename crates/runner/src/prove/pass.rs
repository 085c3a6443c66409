//! One pass: a separate process of this program measures and writes into the proof's directory.
//!
//! A separate process, because nothing of one pass may affect the next: no open file, no memory, no
//! thread that still waits for a dead mount.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use reelgauge_analysis::naspt::NasptTable;
use reelgauge_analysis::{Outcome, Summary};
use reelgauge_results::reopen::{ReopenError, reopen};

use super::shell::beginning;
use crate::exit_code::{BROKE_OFF, INTERRUPTED};
use crate::interrupt::Interrupt;
use crate::suite::Suite;
use crate::supervise::parent_pipe;

/// The interval of checks for an interrupt.
const BEAT: Duration = Duration::from_millis(20);
/// How many of the last lines of a fleet's run are kept, and how much is searched for them.
const LAST_LINES: usize = 3;
const LAST_LINES_BYTES: u64 = 4096;
/// The exit statuses of a complete run: criteria met, not met.
const MEASURED: [i32; 2] = [0, 1];

/// A complete pass.
#[derive(Debug)]
pub(crate) struct Pass {
    /// Its directory, below the proof's.
    pub(crate) run: PathBuf,
    /// The summary; for a suite, that of its first run.
    pub(crate) summary: Summary,
    /// The other runs of a suite.
    pub(crate) others: Vec<Summary>,
    /// The table of a suite; `None` for a single run.
    pub(crate) suite: Option<NasptTable>,
}

impl Pass {
    /// The summaries of all its runs.
    pub(crate) fn summaries(&self) -> impl Iterator<Item = &Summary> {
        std::iter::once(&self.summary).chain(&self.others)
    }
}

/// Why a pass ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PassError {
    /// This program can't be started.
    #[error("cannot start {}: {source}", program.display())]
    Start { program: PathBuf, source: io::Error },
    /// It was refused, or interrupted.
    #[error("a pass failed: {how}: {said}")]
    Ended {
        /// Its exit status, in words.
        how: String,
        said: String,
        /// The exit status for the whole proof.
        exit_code: u8,
    },
    /// It left no run, or more than one.
    #[error(
        "a pass created {0} run directories instead of one, so its results cannot be identified. Start no \
         other run in the folder of the proof, then repeat the proof"
    )]
    Runs(usize),
    /// Its suite can't be read.
    #[error("cannot read the suite of a pass: {0}")]
    Suite(String),
    /// Its run can't be read.
    #[error("cannot read the run of a pass: {0}")]
    Run(#[from] ReopenError),
    /// The user interrupted it.
    #[error("interrupted")]
    Interrupted,
}

impl PassError {
    /// The exit status for the whole proof.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            PassError::Ended { exit_code, .. } => *exit_code,
            PassError::Interrupted => INTERRUPTED,
            PassError::Start { .. } | PassError::Runs(_) | PassError::Run(_) | PassError::Suite(_) => {
                BROKE_OFF
            }
        }
    }
}

/// Measures once. `words` are the verb and its flags.
pub(super) fn measure(
    program: &Path,
    words: &[OsString],
    dir: &Path,
    interrupt: &Interrupt,
) -> Result<Pass, PassError> {
    carry_out(&OwnRun { program, words, dir, env: None, shows_progress: false }, interrupt).pass
}

/// A run of this program in a separate process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnRun<'a> {
    pub(crate) program: &'a Path,
    /// The verb and its flags, without those for results.
    pub(crate) words: &'a [OsString],
    /// The directory for its results.
    pub(crate) dir: &'a Path,
    /// A variable to set in its environment.
    pub(crate) env: Option<&'a str>,
    /// Whether its progress is shown; its error output is then shown, too, and not kept.
    pub(crate) shows_progress: bool,
}

/// The result of a run.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The run, complete or not, below the directory for results.
    pub(crate) run: Option<PathBuf>,
    /// Its summary, or why it does not count.
    pub(crate) pass: Result<Pass, PassError>,
}

/// Measures once, and returns the run directory even after an interruption.
pub(crate) fn carry_out(run: &OwnRun<'_>, interrupt: &Interrupt) -> Ended {
    let before = directories(run.dir);
    let ended = run_to_its_end(run, interrupt);
    let new: Vec<OsString> = directories(run.dir).difference(&before).cloned().collect();
    let left = match new.as_slice() {
        [left] => Some(PathBuf::from(left)),
        _ => None,
    };
    let pass = ended.and_then(|()| complete(run.dir, left.as_deref().ok_or(PassError::Runs(new.len()))?));
    let pass = pass.map_err(|error| with_reason(error, run.dir, left.as_deref()));
    Ended { run: left, pass }
}

/// Adds the reason from the run directory, if it printed no error.
fn with_reason(error: PassError, dir: &Path, run: Option<&Path>) -> PassError {
    match (error, run) {
        (PassError::Ended { how, said, exit_code }, Some(run)) if said.is_empty() => {
            let reason = reopen(&dir.join(run)).ok().and_then(|summary| summary.outcome_reason);
            PassError::Ended { how, said: reason.unwrap_or_default(), exit_code }
        }
        (error, _) => error,
    }
}

fn run_to_its_end(run: &OwnRun<'_>, interrupt: &Interrupt) -> Result<(), PassError> {
    let start = |source| PassError::Start { program: run.program.to_path_buf(), source };
    let mut said = tempfile::tempfile().map_err(start)?;
    let mut command = Command::new(run.program);
    command.args(with_out(run.words, run.dir, run.shows_progress));
    // It ends with this process, whose end of the pipe then closes.
    command.env(parent_pipe::PARENT_PIPE_VARIABLE, "1").stdin(Stdio::piped()).stdout(Stdio::null());
    command.envs(run.env.map(|name| (name, "1")));
    if !run.shows_progress {
        command.stderr(said.try_clone().map_err(start)?).env(parent_pipe::QUOTED, "1");
    }
    let mut child = command.spawn().map_err(start)?;
    let status = wait(&mut child, interrupt).map_err(start)?;
    // The progress lines of a fleet's run precede the reason for its end.
    let complaint = if is_of_fleet(run.words) { last_lines } else { beginning };
    judged(status, || complaint(&mut said), interrupt)
}

/// The last lines of a run's output.
fn last_lines(said: &mut File) -> String {
    let mut text = Vec::new();
    let length = said.seek(SeekFrom::End(0)).unwrap_or(0);
    let from = SeekFrom::Start(length.saturating_sub(LAST_LINES_BYTES));
    if said.seek(from).and_then(|_| said.read_to_end(&mut text)).is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

/// Whether this command line starts a run of a fleet.
fn is_of_fleet(words: &[OsString]) -> bool {
    words.first().is_some_and(|verb| verb == "fleet")
}

/// The complete suite or run.
fn complete(dir: &Path, run: &Path) -> Result<Pass, PassError> {
    let place = dir.join(run);
    if !Suite::is_in(&place) {
        let summary = complete_run(&place)?;
        return Ok(Pass { run: run.to_path_buf(), summary, others: Vec::new(), suite: None });
    }
    let suite = Suite::read(&place).map_err(|error| PassError::Suite(error.to_string()))?;
    if !suite.complete || suite.runs.is_empty() {
        return Err(PassError::Ended {
            how: "an incomplete suite".to_owned(),
            said: suite.ended_early.unwrap_or_default(),
            exit_code: BROKE_OFF,
        });
    }
    let mut summaries: Vec<Summary> =
        suite.runs.iter().map(|run| complete_run(&place.join(run))).collect::<Result<_, _>>()?;
    let summary = summaries.remove(0);
    Ok(Pass { run: run.to_path_buf(), summary, others: summaries, suite: Some(suite.table) })
}

/// The summary of a complete run.
fn complete_run(place: &Path) -> Result<Summary, PassError> {
    let summary = reopen(place)?;
    match summary.outcome {
        Outcome::Complete => Ok(summary),
        _ => Err(PassError::Ended {
            how: "an incomplete run".to_owned(),
            said: summary.outcome_reason.unwrap_or_default(),
            exit_code: BROKE_OFF,
        }),
    }
}

/// The verb, the directory for results, and the rest. `fleet run` is one verb, and has no progress to
/// suppress.
fn with_out(words: &[OsString], dir: &Path, shows_progress: bool) -> Vec<OsString> {
    let mut out = OsString::from("--out=");
    out.push(dir);
    let mut all: Vec<OsString> = words.to_vec();
    let is_fleet = is_of_fleet(words);
    let behind_verb = all.len().min(if is_fleet { 2 } else { 1 });
    let quiet = (!shows_progress && !is_fleet).then(|| OsString::from("--quiet"));
    all.splice(behind_verb..behind_verb, std::iter::once(out).chain(quiet));
    all
}

/// Waits until it has ended; interrupts it as soon as this process is interrupted.
fn wait(child: &mut Child, interrupt: &Interrupt) -> io::Result<ExitStatus> {
    let mut is_told = false;
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(status);
        }
        if interrupt.asked() && !is_told {
            // In a terminal the child already received the signal. A second one shortly after has no
            // further effect.
            interrupted(child);
            is_told = true;
        }
        std::thread::sleep(BEAT);
    }
}

fn judged(status: ExitStatus, said: impl FnOnce() -> String, interrupt: &Interrupt) -> Result<(), PassError> {
    match status.code() {
        _ if interrupt.asked() => Err(PassError::Interrupted),
        Some(code) if code == i32::from(INTERRUPTED) => Err(PassError::Interrupted),
        Some(code) if MEASURED.contains(&code) => Ok(()),
        code => Err(PassError::Ended {
            how: code.map_or_else(|| status.to_string(), |code| format!("exit code {code}")),
            said: said(),
            exit_code: code.and_then(|code| u8::try_from(code).ok()).unwrap_or(BROKE_OFF),
        }),
    }
}

#[cfg(unix)]
fn interrupted(child: &mut Child) {
    use rustix::process::{Pid, Signal, kill_process};

    if let Some(pid) = Pid::from_raw(child.id().cast_signed()) {
        // Even if it has ended, it was not waited for, so its number cannot belong to another process.
        let _ = kill_process(pid, Signal::INT);
    }
}

#[cfg(not(unix))]
fn interrupted(child: &mut Child) {
    let _ = child.kill();
}

/// The names of the directories in a directory.
fn directories(dir: &Path) -> BTreeSet<OsString> {
    let entries = std::fs::read_dir(dir).into_iter().flatten().flatten();
    entries.filter(|entry| entry.path().is_dir()).map(|entry| entry.file_name()).collect()
}

/// The command line with this path in place of the target.
pub(super) fn with_target(words: &[OsString], place: &str, target: &Path) -> Vec<OsString> {
    let put = |word: &OsString| match word.to_str().and_then(|word| word.split_once(place)) {
        Some((before, behind)) => {
            let mut put = OsString::from(before);
            put.push(target);
            put.push(OsStr::new(behind));
            put
        }
        None => word.clone(),
    };
    words.iter().map(put).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<OsString> {
        words.iter().map(OsString::from).collect()
    }

    #[test]
    fn results_go_into_the_proof() {
        assert_eq!(
            with_out(&words(&["mix", "/mnt", "--direct"]), Path::new("/p"), false),
            words(&["mix", "--out=/p", "--quiet", "/mnt", "--direct"])
        );
        assert_eq!(
            with_out(&words(&["fleet", "run", "p.toml"]), Path::new("/p"), false),
            words(&["fleet", "run", "--out=/p", "p.toml"])
        );
    }

    #[test]
    fn target_replaces_its_placeholder() {
        let put = with_target(&words(&["run", "newsroom", "--target={}", "{}"]), "{}", Path::new("/mnt/b"));
        assert_eq!(put, words(&["run", "newsroom", "--target=/mnt/b", "/mnt/b"]));
    }
}
