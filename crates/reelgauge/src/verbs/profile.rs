//! `reelgauge profile`: the mix that is closest to a trace, and how close it is.

use std::io::Write;

use anyhow::{Result, bail};
use reelgauge_analysis::mix_fit::Likeness;
use reelgauge_report::mix_fit::mix_fit_screen;
use reelgauge_results::mix_fit::found_profiles;
use reelgauge_runner::exit_code::NOT_MET;
use reelgauge_trace::library::Library;

use super::directory_kind::without_operations;
use super::latest_run::single_run_or_latest;
use crate::cli::ProfileArgs;
use crate::screen::style;

/// Shows the closest mix. Returns the exit status: 1 if none is similar, or the trace is too short to
/// judge.
pub fn profile(args: &ProfileArgs) -> Result<u8> {
    let dir = single_run_or_latest(args.trace.as_ref())?;
    if let Some(what) = without_operations(&dir) {
        bail!(what);
    }
    let held = Library::standard().open(&dir)?;
    let mut found = found_profiles(held.trace())?;
    let point = match (args.point, found.keys().next().copied()) {
        (_, None) => bail!("the log has no operations to compare with a mix"),
        (Some(point), _) => point,
        (None, Some(only)) if found.len() == 1 => only,
        (None, _) => {
            let last = found.keys().next_back().copied().unwrap_or_default();
            bail!("the run has {} load points; choose one with --point 0 to {last}", found.len())
        }
    };
    let Some(found) = found.remove(&point) else {
        bail!("the run has no load point {point} with operations");
    };
    let text = match args.json {
        true => serde_json::to_string_pretty(&found)? + "\n",
        false => mix_fit_screen(&found.fit, found.profile, &found.flags, style()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    let is_like = matches!(found.fit.likeness, Likeness::Same | Likeness::Near);
    Ok(if is_like { 0 } else { NOT_MET })
}
