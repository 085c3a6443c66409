//! A run judged anew, after something was put beside it.

use reelgauge_analysis::{Summary, statement};
use reelgauge_record::run_dir::RunDir;

use crate::limiting_layers::limits_into;
use crate::load_points;
use crate::reopen::{ReopenError, reopen};
use crate::run_context::beside_into;

/// The summary of a run with what was put beside it since, written in the place of the one before. Of a run
/// that
/// has none nothing is written: what is made of its log is made anew each time.
///
/// # Errors
/// It can't be read or written.
pub fn judge_anew(run_dir: &RunDir) -> Result<Summary, ReopenError> {
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
