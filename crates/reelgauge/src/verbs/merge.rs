//! `reelgauge fleet merge`: merges runs that several hosts made at the same time.

use std::io::Write;

use anyhow::Result;
use reelgauge_fleet::merged_run::manual_merge::ByHand;
use reelgauge_fleet::merged_run::{WholeRequest, make};
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_workload::units::Span;

use crate::cli::FleetMergeArgs;
use crate::screen;

/// Merges the runs and shows the result. Returns the same exit status as a run.
pub fn merge(args: &FleetMergeArgs) -> Result<u8> {
    let by_hand = ByHand {
        runs: args.runs.iter().map(|run| (run.name.clone(), run.dir.clone())).collect(),
        clocks_within_ns: args.clocks_within.map(Span::ns),
    };
    let request = WholeRequest {
        out: args.out.clone(),
        plan_toml: by_hand.plan_toml(),
        agents: by_hand.shares(),
        points: Vec::new(),
        pauses: Vec::new(),
        search: None,
        stopped_for: None,
    };
    let whole = make(request)?;
    let text = if args.json {
        whole.summary.to_json()?
    } else {
        screen::of(&whole.summary, Tables::Last, Detail::Normal)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(Finished { summary: whole.summary, run_dir: whole.run_dir }.exit_code())
}
