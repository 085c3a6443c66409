//! `reelgauge list`: the runs, newest first.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Result, bail};
use reelgauge_console::entry::{RunEntry, RunState};
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::run_list::{RunLine, run_list};
use reelgauge_report::text::{shell_word, wrap};

use super::latest_run::newest_and_below;
use crate::cli::ListArgs;
use crate::screen;

/// Lists the runs in a folder. Returns the exit status.
pub fn list(args: &ListArgs) -> Result<u8> {
    if RunDir::open(&args.dir).is_ok() {
        let dir = shell_word(&args.dir);
        bail!("{dir} is a run, not a folder of runs; show it with: reelgauge report {dir}");
    }
    let most = if args.limit == 0 { usize::MAX } else { args.limit };
    let (entries, left_out) = newest_and_below(&args.dir, most)?;
    let text = if args.json {
        format!("{}\n", serde_json::to_string_pretty(&entries)?)
    } else if entries.is_empty() {
        none(&args.dir)
    } else {
        let dirs: Vec<PathBuf> = entries.iter().map(|entry| args.dir.join(&entry.id)).collect();
        let lines: Vec<_> = entries.iter().zip(&dirs).map(|(entry, dir)| line(entry, dir)).collect();
        run_list(&lines, left_out, screen::style())
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn none(dir: &Path) -> String {
    let shown = shell_word(dir);
    let text = match dir.exists() {
        true => format!("No runs in {shown} yet. Start here: reelgauge check PATH"),
        false => format!("There is no folder {shown} yet. Start here: reelgauge check PATH"),
    };
    wrap(&text, screen::style().width, 0) + "\n"
}

fn line<'a>(entry: &'a RunEntry, dir: &'a Path) -> RunLine<'a> {
    RunLine {
        dir,
        started_at: &entry.started_at,
        verb: &entry.verb,
        target: &entry.target,
        state: match entry.state {
            RunState::Complete => None,
            RunState::Running => Some("running"),
            RunState::Interrupted => Some("interrupted"),
            RunState::BrokeOff => Some("broke off"),
            RunState::Killed => Some("killed"),
            RunState::Damaged => Some("damaged"),
            RunState::OtherVersion => Some("written by another version"),
        },
        verdict: entry.verdict,
        answer: &entry.sentence,
        bytes_on_disk: entry.bytes_on_disk,
        notes: entry.notes.as_ref(),
    }
}
