//! `marks.json` in a run directory: events that users observed during a run and entered (`reelgauge
//! mark`), during the run or afterwards. It is read in addition to `summary.json`, so that no summary
//! has to be rewritten.
//!
//! Any user may have put the file there. It is read only up to a limit, and replaced as a whole, so that
//! a link cannot redirect the write.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use reelgauge_analysis::Summary;
use reelgauge_analysis::marks::{MARKS_MAX, Mark, MarkKind};
use reelgauge_record::log::LogReader;
use reelgauge_record::regular_file::read_regular_text;
use reelgauge_record::run_dir::{RunDir, RunDirError, write_atomically};
use serde::{Deserialize, Serialize};

use crate::live::liveness::{Life, life};

/// Name of the file in a run directory.
pub const MARKS_FILE: &str = "marks.json";
/// Characters of a mark, at most.
pub const TEXT_CHARS: usize = 200;
/// A mark at a later time cannot belong to the run.
pub const LATEST_S: f64 = 366.0 * 86_400.0;
/// Bytes that are read, at most.
const FILE_MAX_BYTES: u64 = 256 << 10;

/// A mark as it was entered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EnteredMark {
    /// When it began, in seconds since the run began.
    pub at_s: f64,
    /// Its duration; 0 for a single moment.
    pub lasted_s: f64,
    pub text: String,
}

/// Why a mark cannot be entered.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum MarkError {
    /// The directory is no run directory, or cannot be written.
    #[error(transparent)]
    RunDir(#[from] RunDirError),
    /// The text is not valid.
    #[error("a mark needs a text of 1 to {TEXT_CHARS} characters")]
    Text,
    /// The time is not valid.
    #[error("a mark must be within a year after the start of the run")]
    Time,
    /// There are too many marks.
    #[error("the run already has the maximum of {MARKS_MAX} marks")]
    TooMany,
    /// The existing file is no list of marks.
    #[error("cannot read {}: {why}. Move it away and enter the mark again", path.display())]
    File { path: PathBuf, why: &'static str },
    /// The run is over, so "now" is no time of it.
    #[error("the run is over. Give the time since its start with --at")]
    Over,
    /// The start time of the run is unknown.
    #[error("{} does not show when the run started. Give the time since its start with --at", path.display())]
    NoStart { path: PathBuf },
}

/// Seconds since the start of a running run.
///
/// # Errors
/// If it is over, or has no log yet.
pub fn now_s(run_dir: &RunDir) -> Result<f64, MarkError> {
    if !matches!(life(run_dir.path()), Life::Running(_)) {
        return Err(MarkError::Over);
    }
    let no_start = || MarkError::NoStart { path: run_dir.path().to_path_buf() };
    let log = LogReader::open(&run_dir.ops_path()).map_err(|_| no_start())?;
    let began_ns = log.agents().first().ok_or_else(no_start)?.meta.run_ns;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_err(|_| MarkError::Time)?;
    let since_ns = now.as_nanos() as f64 - began_ns as f64;
    Ok(since_ns / 1e9)
}

/// Enters a mark.
///
/// # Errors
/// If it is not valid, or cannot be stored.
pub fn enter(run_dir: &RunDir, mark: EnteredMark) -> Result<(), MarkError> {
    let chars = mark.text.chars().count();
    if mark.text.trim().is_empty() || chars > TEXT_CHARS {
        return Err(MarkError::Text);
    }
    if !is_time(mark.at_s) || !is_time(mark.lasted_s) {
        return Err(MarkError::Time);
    }
    // Two users that enter a mark at the same time wait for each other. If a directory cannot be locked,
    // the last mark is kept.
    let folder = File::open(run_dir.path()).ok();
    let _locked = folder.as_ref().map(File::lock);
    let path = run_dir.path().join(MARKS_FILE);
    let mut marks = read(&path).map_err(|why| MarkError::File { path: path.clone(), why })?;
    if marks.len() >= MARKS_MAX {
        return Err(MarkError::TooMany);
    }
    marks.push(mark);
    let mut text = serde_json::to_vec_pretty(&marks)
        .map_err(|source| RunDirError::Json { path: path.clone(), source })?;
    text.push(b'\n');
    Ok(write_atomically(&path, &text)?)
}

fn is_time(seconds: f64) -> bool {
    (0.0..=LATEST_S).contains(&seconds)
}

/// The content of the file; empty if it does not exist.
fn read(path: &Path) -> Result<Vec<EnteredMark>, &'static str> {
    let text = match read_regular_text(path, FILE_MAX_BYTES) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(_) => return Err("it is not a text file of at most 256 KiB"),
        Ok(text) => text,
    };
    serde_json::from_str(&text).map_err(|_| "it is not a list of marks")
}

/// Adds the entered marks to the summary of a run, in place of its previous ones. If they cannot be
/// read, they are unknown.
pub fn entered_into(summary: &mut Summary, run_dir: &Path) {
    summary.marks.retain(|mark| mark.kind != MarkKind::Entered);
    let entered = read(&run_dir.join(MARKS_FILE)).unwrap_or_default().into_iter();
    let sound = entered.filter(|mark| is_time(mark.at_s) && is_time(mark.lasted_s)).take(MARKS_MAX);
    summary.marks.extend(sound.map(|mark| Mark {
        kind: MarkKind::Entered,
        device: mark.text,
        agent: String::new(),
        began_s: mark.at_s,
        ended_s: mark.at_s + mark.lasted_s,
        is_open: false,
    }));
    summary.marks.sort_by(|one, two| one.began_s.total_cmp(&two.began_s));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::summary::Target;

    use super::*;

    fn run() -> (tempfile::TempDir, RunDir) {
        let dir = tempfile::tempdir().unwrap();
        let run = RunDir::begin_at(dir.path()).unwrap();
        (dir, run)
    }

    fn mark(at_s: f64, text: &str) -> EnteredMark {
        EnteredMark { at_s, lasted_s: 2.0, text: text.to_owned() }
    }

    fn told(run: &RunDir) -> Vec<(f64, f64, String)> {
        let mut summary = Summary::new("0.1.0", "", "mix", Target::default());
        entered_into(&mut summary, run.path());
        entered_into(&mut summary, run.path());
        summary.marks.into_iter().map(|mark| (mark.began_s, mark.ended_s, mark.device)).collect()
    }

    #[test]
    fn marks_that_were_entered_are_in_the_summary_once_in_the_order_of_time() {
        let (_dir, run) = run();
        assert_eq!(told(&run), []);
        enter(&run, mark(7.0, "rebuild began")).unwrap();
        enter(&run, mark(3.0, "backup")).unwrap();
        let expected = [(3.0, 5.0, "backup".to_owned()), (7.0, 9.0, "rebuild began".to_owned())];
        assert_eq!(told(&run), expected);
    }

    #[test]
    fn invalid_marks_are_refused_and_their_number_is_bounded() {
        let (_dir, run) = run();
        let long = "x".repeat(201);
        assert!(matches!(enter(&run, mark(1.0, " ")), Err(MarkError::Text)));
        assert!(matches!(enter(&run, mark(1.0, &long)), Err(MarkError::Text)));
        for at_s in [-1.0, f64::NAN, f64::INFINITY, 1e12] {
            assert!(matches!(enter(&run, mark(at_s, "x")), Err(MarkError::Time)), "{at_s}");
        }
        assert!(!run.path().join(MARKS_FILE).exists());
        (0..MARKS_MAX).for_each(|_| enter(&run, mark(1.0, &long[..200])).unwrap());
        assert!(matches!(enter(&run, mark(1.0, "x")), Err(MarkError::TooMany)));
        assert_eq!(told(&run).len(), MARKS_MAX);
    }

    #[test]
    fn a_file_that_others_made_is_not_replaced_and_marks_nothing() {
        let (_dir, run) = run();
        let path = run.path().join(MARKS_FILE);
        let huge = format!("[{}]", " ".repeat(1 << 20));
        for text in ["{", "[{\"at_s\": null}]", &huge, &"[".repeat(20_000)] {
            std::fs::write(&path, text).unwrap();
            assert!(matches!(enter(&run, mark(1.0, "x")), Err(MarkError::File { .. })));
            assert_eq!(std::fs::read_to_string(&path).unwrap(), *text);
            assert_eq!(told(&run), []);
        }
        std::fs::write(&path, r#"[{"at_s": -5, "lasted_s": 1e300, "text": "x"}]"#).unwrap();
        assert_eq!(told(&run), []);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_not_followed_and_pipes_not_awaited() {
        let (dir, run) = run();
        let (path, other) = (run.path().join(MARKS_FILE), dir.path().join("other"));
        std::fs::write(&other, "[]").unwrap();
        std::os::unix::fs::symlink(&other, &path).unwrap();
        enter(&run, mark(1.0, "x")).unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "[]");
        std::fs::remove_file(&path).unwrap();
        std::fs::hard_link(&other, &path).unwrap();
        enter(&run, mark(1.0, "x")).unwrap();
        assert_eq!(std::fs::read_to_string(&other).unwrap(), "[]");
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        assert!(matches!(enter(&run, mark(1.0, "x")), Err(MarkError::File { .. })));
    }
}
