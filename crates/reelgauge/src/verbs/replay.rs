//! `reelgauge replay`: flags become a plan, the trace is replayed, the summary is shown.

use anyhow::{Result, bail};
use reelgauge_record::notes::StorageDetails;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::replay::ReplayRequest;
use reelgauge_workload::plan::PLAN_VERSION;
use reelgauge_workload::replay::{ReplayPlan, ReplaySettings};

use crate::cli::ReplayArgs;
use crate::verbs::directory_kind::without_operations;
use crate::verbs::event::{Measured, event_of};
use crate::verbs::measurement::{Measurement, carry_out_with};

/// Replays a trace. Returns the exit status.
pub fn replay(args: &ReplayArgs) -> Result<u8> {
    if args.stagger.is_some() && args.copies == 1 {
        bail!("--stagger has no effect with one user; use --copies 2 or more");
    }
    if let Some(what) = without_operations(&args.trace) {
        bail!(what);
    }
    let plan = plan_of(args)?;
    plan.check()?;
    let event = event_of(&args.event, Measured::Unknown)?;
    let request =
        ReplayRequest { plan, out: args.output.out.clone(), terms: args.terms.said(), is_announced: false };
    carry_out_with(Measurement::Replay(Box::new(request)), event, &args.output)
}

pub(super) fn plan_of(args: &ReplayArgs) -> Result<ReplayPlan> {
    let run = &args.run;
    Ok(ReplayPlan {
        plan_version: PLAN_VERSION,
        written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
        target: args.path.clone(),
        seed: run.seed.unwrap_or_else(fresh_seed),
        driver: run.driver,
        hang_after: run.hang_after,
        log: !run.no_log,
        tags: args.output.noted.tags(&[])?,
        storage: args.output.noted.storage(StorageDetails::default()),
        replay: ReplaySettings {
            trace: args.trace.clone(),
            pace: args.pace,
            order: args.order,
            scale: args.scale,
            idle_cap: args.idle_cap,
            copies: args.copies,
            stagger: args.stagger,
            batch: args.batch,
            layout: args.layout,
        },
    })
}
