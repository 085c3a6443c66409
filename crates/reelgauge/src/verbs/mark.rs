//! `reelgauge mark`: adds a mark for an event during a run, also to the page of a run that is over.

use std::io::Write;

use anyhow::{Result, anyhow, bail};
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::text::{plain, shell_word};
use reelgauge_report::units::moment;
use reelgauge_results::entered_marks::{EnteredMark, enter, now_s};
use reelgauge_results::live::liveness::{Life, life};
use reelgauge_results::page::{REPORT_FILE, renew_page};
use reelgauge_runner::exit_code::BROKE_OFF;

use super::directory_kind::of_many;
use crate::cli::MarkArgs;
use crate::screen;

/// Adds a mark. Returns the exit status.
pub fn mark(args: &MarkArgs) -> Result<u8> {
    let said = shell_word(&args.run);
    if let Some((kind, part)) = of_many(&args.run) {
        bail!(
            "{said} is a {kind}. Mark one of its runs instead ('reelgauge report {said}' lists the run of \
             each {part})"
        );
    }
    let run_dir = RunDir::open(&args.run)?;
    let at_s = match args.at {
        Some(at) => at.duration().as_secs_f64(),
        None => now_s(&run_dir)?,
    };
    let lasted_s = args.lasted.map_or(0.0, |lasted| lasted.duration().as_secs_f64());
    enter(&run_dir, EnteredMark { at_s, lasted_s, text: args.text.clone() })?;
    writeln!(std::io::stdout(), "Marked at {}: {}", moment(at_s), plain(&args.text))?;
    // A run in progress makes its page at its end, with all marks.
    if !matches!(life(&args.run), Life::Running(_))
        && let Err(error) = renew_page(&args.run)
    {
        let error = anyhow!(error).context(format!("the mark is added, but {REPORT_FILE} does not show it"));
        screen::complain(&error);
        return Ok(BROKE_OFF);
    }
    Ok(0)
}
