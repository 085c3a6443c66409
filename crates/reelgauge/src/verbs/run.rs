//! `reelgauge run`: any plan from its file, or a scenario by its name; and what every measuring verb does
//! with its plan.

use std::io::Write;

use anyhow::{Context, Result, bail};
use reelgauge_report::{Detail, Tables};
use reelgauge_runner::error::RunError;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::mix::MixRequest;
use reelgauge_runner::observer::Observer;
use reelgauge_runner::replay::{ReplayRequest, run_replay};
use reelgauge_runner::session::finished::Finished;
use reelgauge_runner::streams::{StreamsRequest, run_streams};
use reelgauge_runner::suite::NASPT;
use reelgauge_runner::supervise::{HANG_AFTER, Patience, supervised};
use reelgauge_workload::scenario::scenario;
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::streams::{FindMaxPlan, StreamsPlan};

use super::suite;
use super::vda::input_of;
use crate::cli::{OutputArgs, RunArgs};
use crate::progress::Progress;
use crate::screen;

/// What is to be carried out.
#[derive(Debug)]
pub enum Job {
    /// A mix.
    Mix(Box<MixRequest>),
    /// Streams.
    Streams(Box<StreamsRequest>),
    /// A trace.
    Replay(Box<ReplayRequest>),
    /// A first look.
    Check(Box<reelgauge_runner::check::CheckRequest>),
}

/// Runs a plan. The exit code.
pub fn run(args: &RunArgs) -> Result<u8> {
    if args.plan.as_os_str() == NASPT && !args.plan.exists() {
        return suite::run(args);
    }
    if args.batch.is_some() || args.against.is_some() {
        bail!(
            "--batch and --against have no effect on a plan or a scenario; they are for the suite '{NASPT}'"
        );
    }
    let (out, terms) = (args.output.out.clone(), args.terms.said());
    let job = match plan_of(args)? {
        AnyPlan::Mix(mut plan) => {
            if args.scale.is_some() || args.find_max {
                bail!(
                    "--scale and --find-max have no effect on a mix; they multiply the actors of a scenario"
                );
            }
            plan.target = args.target.clone().unwrap_or(plan.target);
            Job::Mix(Box::new(MixRequest { plan, must_be_direct: false, out, terms }))
        }
        AnyPlan::Replay(mut plan) => {
            if args.scale.is_some() || args.find_max {
                bail!(
                    "--scale and --find-max have no effect on a replay; for several users at once set copies in \
                     its [replay]"
                );
            }
            plan.target = args.target.clone().unwrap_or(plan.target);
            Job::Replay(Box::new(ReplayRequest { plan, out, terms, is_announced: false }))
        }
        AnyPlan::Streams(plan) => {
            let plan = adapted(plan, args)?;
            Job::Streams(Box::new(StreamsRequest {
                vda: input_of(&plan),
                plan,
                verb: "run".to_owned(),
                must_be_direct: false,
                out,
                terms,
                resume: None,
            }))
        }
    };
    carry_out(job, &args.output)
}

fn plan_of(args: &RunArgs) -> Result<AnyPlan> {
    let path = args.plan.display();
    if !args.plan.exists()
        && let Some(scenario) = args.plan.to_str().and_then(scenario)
    {
        return Ok(AnyPlan::Streams(scenario.plan()?));
    }
    let text = std::fs::read_to_string(&args.plan).with_context(|| {
        format!("{path} is no scenario ('reelgauge scenarios' lists them) and cannot be read as a plan")
    })?;
    AnyPlan::from_toml(&text).with_context(|| format!("{path} cannot be run"))
}

/// The plan with what the flags say.
fn adapted(mut plan: StreamsPlan, args: &RunArgs) -> Result<StreamsPlan> {
    if let Some(target) = &args.target {
        plan.target.clone_from(target);
    }
    if plan.target.as_os_str().is_empty() {
        bail!("{} names no target; say which directory to measure with --target PATH", args.plan.display());
    }
    if let Some(scale) = &args.scale {
        plan.scale = scale.clone();
        plan.find_max = None;
    }
    if args.find_max {
        plan.find_max = Some(FindMaxPlan::default());
        plan.scale = StreamsPlan::default().scale;
    }
    plan.check()?;
    Ok(plan)
}

/// Runs a plan and shows its summary. The exit code.
pub fn carry_out(job: Job, output: &OutputArgs) -> Result<u8> {
    let patience = patience(&job);
    let code = supervised(&patience, || match measure(job, output) {
        Ok(code) => code,
        Err(error) => screen::complain(&error),
    })?;
    Ok(code)
}

/// Where the storage of a job is, and how long it is waited for.
fn patience(job: &Job) -> Patience {
    let (path, hang_after) = match job {
        Job::Mix(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Job::Streams(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Job::Replay(request) => (&request.plan.target, request.plan.hang_after.duration()),
        Job::Check(request) => (&request.target, HANG_AFTER),
    };
    Patience { path: path.clone(), hang_after }
}

fn measure(job: Job, output: &OutputArgs) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(output.quiet || output.json);
    let finished = match perform(job, &mut progress, &interrupt) {
        Ok(finished) => finished,
        Err(error) => {
            progress.finished();
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    if let Err(error) = show(&finished, output)
        && !screen::is_broken_pipe(&error)
    {
        // It was measured, and is kept; only telling it failed.
        let run_dir = finished.run_dir.display();
        screen::complain(
            &error.context(format!("what was measured lies in {run_dir}, but can't be printed")),
        );
        return Ok(screen::EXIT_BROKE_OFF);
    }
    Ok(finished.exit_code())
}

fn perform(job: Job, observer: &mut dyn Observer, interrupt: &Interrupt) -> Result<Finished, RunError> {
    match job {
        Job::Mix(request) => reelgauge_runner::mix::run_mix(*request, observer, interrupt),
        Job::Streams(request) => run_streams(*request, observer, interrupt),
        Job::Replay(request) => run_replay(*request, observer, interrupt),
        Job::Check(request) => reelgauge_runner::check::check(*request, observer, interrupt),
    }
}

fn show(finished: &Finished, output: &OutputArgs) -> Result<()> {
    let text = if output.json {
        finished.summary.to_json()?
    } else {
        screen::of(&finished.summary, Tables::Last, Detail::Normal)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(())
}
