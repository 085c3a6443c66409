//! `report.html`, which every run receives at its end.
//!
//! Not here: creating the page, at the end of a run or later ([`reelgauge_results::page`]).

use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_analysis::{Outcome, Summary};
use reelgauge_record::identity;
use reelgauge_report::html::page::PageKind;
use reelgauge_results::page::{PageError, REPORT_FILE, page, run_page, write_html};

use crate::interrupt::Interrupt;

/// After Ctrl-C, a report of more operations than this is skipped, and smaller ones have a time limit.
const INTERRUPTED_ROWS: u64 = 2_000_000;
const INTERRUPTED_TIME: Duration = Duration::from_millis(700);

/// Writes `report.html` into the directory of a run that has just ended and whose summary is written;
/// skips it if it would take too long after an interruption.
///
/// # Errors
/// If it cannot be created or written.
pub fn leave_report(run_dir: &Path, summary: &Summary, interrupt: &Interrupt) -> Result<(), PageError> {
    let is_interrupted = summary.outcome == Outcome::Interrupted;
    if is_interrupted && summary.log.rows > INTERRUPTED_ROWS {
        return Ok(());
    }
    let _own = identity::own();
    let begun = Instant::now();
    let stop = || match is_interrupted {
        true => begun.elapsed() > INTERRUPTED_TIME,
        false => interrupt.asked(),
    };
    let run = match run_page(run_dir, &stop) {
        Ok(run) => run,
        Err(PageError::Stopped) => return Ok(()),
        Err(error) => return Err(error),
    };
    write_html(&page(PageKind::Run, vec![run], None), &run_dir.join(REPORT_FILE))
}
