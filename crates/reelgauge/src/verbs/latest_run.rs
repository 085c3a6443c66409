//! The run that is meant if none is named: the latest in the default folder. The choice is reported on
//! standard error.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use reelgauge_console::entry::{PROCEDURE, PROOF, RunEntry, SUITE};
use reelgauge_console::runs::Runs;
use reelgauge_msmeter::session_files::MSMETER;
use reelgauge_record::run_dir::DEFAULT_PARENT;
use reelgauge_report::text::shell_word;
use reelgauge_results::watch_summary::WATCH;

use crate::screen;

/// The number of runs to search for two of the same work.
const LOOKED_AT: usize = 200;

/// The newest runs in a folder, and the number of older ones. Empty if there is no such folder.
pub fn newest(dir: &Path, most: usize) -> Result<(Vec<RunEntry>, usize)> {
    let Some(runs) = runs_in(dir)? else { return Ok((Vec::new(), 0)) };
    runs.newest(most).map_err(|error| anyhow::anyhow!(error.text))
}

/// The newest runs, including those in folders below it.
pub fn newest_and_below(dir: &Path, most: usize) -> Result<(Vec<RunEntry>, usize)> {
    let Some(runs) = runs_in(dir)? else { return Ok((Vec::new(), 0)) };
    runs.newest_and_below(most).map_err(|error| anyhow::anyhow!(error.text))
}

fn runs_in(dir: &Path) -> Result<Option<Runs>> {
    if !dir.exists() {
        return Ok(None);
    }
    if !dir.is_dir() {
        bail!("{} is a file; name a folder of runs, such as {DEFAULT_PARENT}", shell_word(dir));
    }
    let runs = Runs::in_dir(dir);
    runs.map(Some).map_err(|error| anyhow::anyhow!("cannot read {}: {error}", shell_word(dir)))
}

/// The named run or suite; otherwise the latest.
pub fn run_or_latest(named: Option<&PathBuf>) -> Result<PathBuf> {
    named.map_or_else(|| latest(1, |_| true), |named| Ok(named.clone()))
}

/// The named run; otherwise the latest one with operations, which suites, watches and sessions of the
/// original meter do not have.
pub fn single_run_or_latest(named: Option<&PathBuf>) -> Result<PathBuf> {
    named.map_or_else(
        || {
            latest(LOOKED_AT, |entry| {
                ![SUITE, PROCEDURE, PROOF, WATCH, MSMETER].contains(&entry.verb.as_str())
            })
        },
        |named| Ok(named.clone()),
    )
}

fn latest(looked_at: usize, is_meant: fn(&RunEntry) -> bool) -> Result<PathBuf> {
    let usual = Path::new(DEFAULT_PARENT);
    let (entries, _) = newest(usual, looked_at)?;
    let Some(entry) = entries.iter().find(|entry| is_meant(entry)) else {
        bail!("there is no run in {DEFAULT_PARENT} yet; name one, or start here: reelgauge check PATH");
    };
    let path = usual.join(&entry.id);
    let what = match entry.verb.as_str() {
        SUITE => "suite",
        PROCEDURE => "procedure",
        PROOF => "proof",
        WATCH => "watch",
        _ => "run",
    };
    said(&format!("the latest {what}: {}", shell_word(&path)));
    Ok(path)
}

/// The named runs; otherwise the two latest of the same verb and target, the older first.
pub fn runs_or_latest_two(named: &[PathBuf]) -> Result<Vec<PathBuf>> {
    match named {
        [] => {}
        [one] => bail!(
            "compare needs two runs, not only {}. Name a second run. Without any, 'compare' takes the two \
             latest runs of the same verb and target",
            shell_word(one)
        ),
        named => return Ok(named.to_vec()),
    }
    let usual = Path::new(DEFAULT_PARENT);
    let (entries, _) = newest(usual, LOOKED_AT)?;
    let Some((before, after)) = two_alike(&entries) else {
        bail!(
            "{DEFAULT_PARENT} has no two runs of the same verb and target; name the runs to compare \
             ('reelgauge list' shows them)"
        );
    };
    let paths = [before, after].map(|entry| usual.join(&entry.id));
    let [one, two] = [&paths[0], &paths[1]].map(|path| shell_word(path));
    said(&format!(
        "comparing the two latest runs of {} on {}: {one}, then {two}",
        after.verb,
        shell_word(Path::new(&after.target))
    ));
    Ok(paths.to_vec())
}

/// The latest run that has an older run of the same verb and target. Returns the older run, then the
/// latest.
fn two_alike(newest_first: &[RunEntry]) -> Option<(&RunEntry, &RunEntry)> {
    // A proof has already compared its runs, a watch has nothing to compare, and the original meter's
    // figures differ in kind.
    let is_like = |one: &RunEntry, two: &RunEntry| {
        one.verb == two.verb
            && one.target == two.target
            && ![PROCEDURE, PROOF, WATCH, MSMETER].contains(&one.verb.as_str())
    };
    newest_first.iter().enumerate().find_map(|(at, after)| {
        let before = newest_first[at + 1..].iter().find(|before| is_like(before, after))?;
        Some((before, after))
    })
}

/// On standard error, so that a program that reads the output finds nothing else in it.
fn said(text: &str) {
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&format!("reelgauge: {text}")));
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_console::entry::RunState;

    use super::*;

    fn entry(id: &str, verb: &str, target: &str) -> RunEntry {
        RunEntry {
            id: id.to_owned(),
            verb: verb.to_owned(),
            label: String::new(),
            target: target.to_owned(),
            started_at: String::new(),
            state: RunState::Complete,
            sentence: String::new(),
            verdict: None,
            inconclusive: Vec::new(),
            passed: None,
            streams: None,
            late_frames: None,
            bytes_per_s: None,
            hosts: 1,
            bytes_on_disk: 0,
            notes: None,
            suite: None,
            passes: None,
        }
    }

    #[test]
    fn the_two_latest_of_the_same_work_are_compared_the_older_first() {
        let runs = [
            entry("e", "check", "/b"),
            entry("d", "mix", "/a"),
            entry("c", "check", "/a"),
            entry("b", "mix", "/a"),
            entry("a", "mix", "/a"),
        ];
        let (before, after) = two_alike(&runs).unwrap();
        assert_eq!((before.id.as_str(), after.id.as_str()), ("b", "d"));
        assert!(two_alike(&runs[..3]).is_none());
        let suites = [entry("s", SUITE, "/a"), entry("r", SUITE, "/a")];
        assert!(two_alike(&suites).is_some());
        for verb in [PROOF, WATCH, MSMETER] {
            assert!(two_alike(&[entry("q", verb, "/a"), entry("p", verb, "/a")]).is_none());
        }
    }
}
