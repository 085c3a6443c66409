//! Judges a run again, after files were added to it.

use reelgauge_analysis::{Summary, statement};
use reelgauge_record::run_dir::RunDir;

use crate::limiting_layers::limits_into;
use crate::load_points;
use crate::reopen::{ReopenError, reopen};
use crate::run_context::beside_into;

/// The summary of a run with the files that were added since, written in place of the previous one. For
/// a run without a summary nothing is written: its figures are computed from its log each time.
///
/// # Errors
/// If it cannot be read or written.
pub fn judge_again(run_dir: &RunDir) -> Result<Summary, ReopenError> {
    let mut summary = reopen(run_dir.path())?;
    if run_dir.summary_path().exists() {
        let planned = load_points::read(run_dir);
        limits_into(&mut summary, run_dir.path(), &planned);
        beside_into(&mut summary, run_dir.path(), &planned);
        summary.statement = Some(statement::of(&summary));
        run_dir.write_summary(&summary)?;
    }
    Ok(summary)
}
