//! `reelgauge run`: any plan from its file; and what every measuring verb does with its plan.

use std::io::Write;

use anyhow::{Context, Result};
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::Observer;
use reelgauge_runner::run::{Finished, Request};
use reelgauge_runner::supervise::supervised;
use reelgauge_workload::plan::Plan;

use crate::cli::{OutputArgs, RunArgs};
use crate::progress::Progress;
use crate::screen;

/// Runs a plan. The exit code.
pub fn run(args: &RunArgs) -> Result<u8> {
    let path = args.plan.display();
    let text = std::fs::read_to_string(&args.plan).with_context(|| format!("cannot read the plan {path}"))?;
    let mut plan = Plan::from_toml(&text).with_context(|| format!("{path} cannot be run"))?;
    if let Some(target) = &args.target {
        plan.target.clone_from(target);
    }
    carry_out(plan, false, &args.output)
}

/// Runs a plan and shows its summary. The exit code.
pub fn carry_out(plan: Plan, must_be_direct: bool, output: &OutputArgs) -> Result<u8> {
    let request = Request { plan, must_be_direct, out: output.out.clone() };
    let code = supervised(|| match measure(request, output) {
        Ok(code) => code,
        Err(error) => screen::complain(&error),
    })?;
    Ok(code)
}

fn measure(request: Request, output: &OutputArgs) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(output.quiet || output.json);
    let finished = match reelgauge_runner::run::run(request, &mut progress, &interrupt) {
        Ok(finished) => finished,
        Err(error) => {
            progress.finished();
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    show(&finished, output)?;
    Ok(finished.exit_code())
}

fn show(finished: &Finished, output: &OutputArgs) -> Result<()> {
    let text = if output.json {
        finished.summary.to_json()?
    } else {
        let next_step = format!("reelgauge report {}", screen::shell_word(&finished.run_dir));
        screen::of(&finished.summary, Tables::Last, Detail::Normal, Some(&next_step))
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
