//! `reelgauge mark`: enters what happened during a run.

use std::io::Write;

use anyhow::Result;
use reelgauge_record::run_dir::RunDir;
use reelgauge_report::text::plain;
use reelgauge_report::units::moment;
use reelgauge_results::entered_marks::{EnteredMark, enter, now_s};

use crate::cli::MarkArgs;

/// Enters a mark. The exit code.
pub fn mark(args: &MarkArgs) -> Result<u8> {
    let run_dir = RunDir::open(&args.run)?;
    let at_s = match args.at {
        Some(at) => at.duration().as_secs_f64(),
        None => now_s(&run_dir)?,
    };
    let lasted_s = args.lasted.map_or(0.0, |lasted| lasted.duration().as_secs_f64());
    enter(&run_dir, EnteredMark { at_s, lasted_s, text: args.text.clone() })?;
    writeln!(std::io::stdout(), "Marked at {}: {}", moment(at_s), plain(&args.text))?;
    Ok(0)
}
