//! `reelgauge run`: any plan from its file, or a scenario by its name.

use anyhow::{Context, Result, bail};
use reelgauge_record::notes::StorageDetails;
use reelgauge_runner::mix::MixRequest;
use reelgauge_runner::replay::ReplayRequest;
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_runner::streams::curve::input_of;
use reelgauge_runner::suite::NASPT;
use reelgauge_runner::watch::WatchRequest;
use reelgauge_workload::scenario::scenario;
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::streams::{FindMaxPlan, StreamsPlan};
use reelgauge_workload::watch::WatchPlan;

use super::directory_kind::without_a_plan;
use super::event::{Measured, event_of};
use super::measurement::{Measurement, carry_out_steered, carry_out_with};
use super::suite;
use crate::cli::RunArgs;

/// Runs a plan. Returns the exit status.
pub fn run(args: &RunArgs) -> Result<u8> {
    if args.plan.as_os_str() == NASPT && !args.plan.exists() {
        if !args.event.event.is_empty() {
            bail!(
                "--event has no effect on a suite. Use it with one workload: reelgauge replay NAME PATH \
                 --event ..."
            );
        }
        return suite::run(args);
    }
    let of_suites = args.batch.is_some()
        || args.against.is_some()
        || !args.workloads.is_empty()
        || args.access_time.is_some();
    if of_suites {
        bail!(
            "--batch, --workloads, --access-time and --against are for the suite '{NASPT}' only; omit them"
        );
    }
    if let Some(plan) = args.steered.then(|| watch_plan(args)).flatten() {
        let request = WatchRequest { plan, out: args.output.out.clone() };
        return carry_out_steered(Measurement::Watch(Box::new(request)), &args.plan);
    }
    let (out, terms) = (args.output.out.clone(), args.terms.said());
    let job = match planned(args)? {
        AnyPlan::Mix(plan) => {
            Measurement::Mix(Box::new(MixRequest { plan, must_be_direct: false, out, terms }))
        }
        AnyPlan::Replay(plan) => {
            Measurement::Replay(Box::new(ReplayRequest { plan, out, terms, is_announced: false }))
        }
        AnyPlan::Streams(plan) => Measurement::Streams(Box::new(StreamsRequest {
            vda: input_of(&plan),
            is_told: args.steered && plan.find_max.is_some(),
            plan,
            verb: "run".to_owned(),
            must_be_direct: false,
            out,
            terms,
            resume: None,
        })),
    };
    if args.steered {
        return carry_out_steered(job, &args.plan);
    }
    let measured = match &job {
        Measurement::Mix(mix) => {
            Measured::points(mix.plan.points() as u64, mix.plan.warmup, mix.plan.duration)
        }
        Measurement::Streams(streams) => Measured::of(&streams.plan),
        _ => Measured::Unknown,
    };
    carry_out_with(job, event_of(&args.event, measured)?, &args.output)
}

/// The plan of a fleet's observer, if the file is one.
fn watch_plan(args: &RunArgs) -> Option<WatchPlan> {
    WatchPlan::from_toml(&std::fs::read_to_string(&args.plan).ok()?).ok()
}

/// The plan, adapted to the flags.
pub(super) fn planned(args: &RunArgs) -> Result<AnyPlan> {
    Ok(match plan_of(args)? {
        AnyPlan::Mix(mut plan) => {
            if args.scale.is_some() || args.find_max {
                bail!(
                    "--scale and --find-max have no effect on a mix; they multiply the actors of a scenario"
                );
            }
            plan.target = args.target.clone().unwrap_or(plan.target);
            (plan.storage, plan.tags) = noted(args, plan.storage, &plan.tags)?;
            AnyPlan::Mix(plan)
        }
        AnyPlan::Replay(mut plan) => {
            if args.scale.is_some() || args.find_max {
                bail!(
                    "--scale and --find-max have no effect on a replay; for several users, set copies in \
                     its [replay]"
                );
            }
            plan.target = args.target.clone().unwrap_or(plan.target);
            (plan.storage, plan.tags) = noted(args, plan.storage, &plan.tags)?;
            AnyPlan::Replay(plan)
        }
        AnyPlan::Streams(plan) => AnyPlan::Streams(adapted(plan, args)?),
    })
}

/// The plan's facts about its storage, and its tags, together with those of the flags.
fn noted(args: &RunArgs, storage: StorageDetails, tags: &[String]) -> Result<(StorageDetails, Vec<String>)> {
    let noted = &args.output.noted;
    Ok((noted.storage(storage), noted.tags(tags)?))
}

fn plan_of(args: &RunArgs) -> Result<AnyPlan> {
    let path = args.plan.display();
    if !args.plan.exists()
        && let Some(scenario) = args.plan.to_str().and_then(scenario)
    {
        return Ok(AnyPlan::Streams(scenario.plan()?));
    }
    if let Some(what) = without_a_plan(&args.plan) {
        bail!(what);
    }
    let text = std::fs::read_to_string(&args.plan).with_context(|| {
        format!("{path} is not a scenario ('reelgauge scenarios' lists them) and cannot be read as a plan")
    })?;
    AnyPlan::from_toml(&text).with_context(|| format!("cannot run {path}"))
}

/// A plan of streams, adapted to the flags.
fn adapted(mut plan: StreamsPlan, args: &RunArgs) -> Result<StreamsPlan> {
    if let Some(target) = &args.target {
        plan.target.clone_from(target);
    }
    if plan.target.as_os_str().is_empty() {
        bail!("{} names no target; name the directory to measure with --target PATH", args.plan.display());
    }
    if let Some(scale) = &args.scale {
        plan.scale = scale.clone();
        plan.find_max = None;
    }
    if args.find_max {
        plan.find_max = Some(FindMaxPlan::default());
        plan.scale = StreamsPlan::default().scale;
    }
    (plan.storage, plan.tags) = noted(args, plan.storage, &plan.tags)?;
    plan.check()?;
    Ok(plan)
}
