//! `reelgauge streams`: flags become a plan with one actor, the plan is run, the summary is shown.

use anyhow::Result;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_workload::plan::PLAN_VERSION;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::streams::{ActorPlan, FindMaxPlan, StreamsPlan};
use reelgauge_workload::units::Span;

use crate::cli::{RunningArgs, StreamsArgs};
use crate::verbs::run::{Job, carry_out};

/// Trials of a search are shorter than a run on its own.
const TRIAL: (Span, Span) = (Span::secs(3), Span::secs(10));
/// The usual warm-up and duration.
const USUAL: (Span, Span) = (Span::secs(5), Span::secs(30));

/// Measures a directory with streams. The exit code.
pub fn streams(args: StreamsArgs) -> Result<u8> {
    let plan = plan_of(&args);
    plan.check()?;
    let request = StreamsRequest {
        plan,
        verb: "streams".to_owned(),
        must_be_direct: args.direct,
        out: args.output.out.clone(),
        resume: args.resume,
        vda: None,
    };
    carry_out(Job::Streams(Box::new(request)), &args.output)
}

fn plan_of(args: &StreamsArgs) -> StreamsPlan {
    let (warmup, duration) = if args.find_max { TRIAL } else { USUAL };
    let (count, scale) = match args.count.clone() {
        // One number is a count; several are load points of one stream more and more often.
        Some(Ramp(counts)) if counts.len() == 1 => (counts[0], Ramp(vec![1])),
        Some(scale) => (1, scale),
        None => (1, Ramp(vec![1])),
    };
    StreamsPlan {
        name: "streams".to_owned(),
        warmup: args.warmup.unwrap_or(warmup),
        duration: args.duration.unwrap_or(duration),
        direct: !args.buffered,
        staggered: !args.together,
        scale,
        find_max: args.find_max.then(|| FindMaxPlan { time_max: args.time_max, ..FindMaxPlan::default() }),
        actors: vec![ActorPlan { count, ..actor_of(args) }],
        ..plan_with(&args.run, &args.path)
    }
}

fn actor_of(args: &StreamsArgs) -> ActorPlan {
    let usual = ActorPlan::new(args.actor);
    ActorPlan {
        format: args.format.clone(),
        like: args.like.clone(),
        fps: args.fps,
        clip: args.clip.unwrap_or(usual.clip),
        buffer: args.buffer.unwrap_or(usual.buffer),
        policy: args.policy.map_or(usual.policy, Into::into),
        read_ahead: args.read_ahead.map_or(usual.read_ahead, Into::into),
        sync_every: args.sync_every,
        preallocated: args.preallocated,
        cameras: args.cameras.unwrap_or(usual.cameras),
        block: args.block.unwrap_or(usual.block),
        file_size: args.file_size.unwrap_or(usual.file_size),
        criteria: args.criteria.clone().unwrap_or_default(),
        ..usual
    }
}

/// A plan of nobody, with what the flags of every verb that plays streams say.
pub fn plan_with(args: &RunningArgs, target: &std::path::Path) -> StreamsPlan {
    StreamsPlan {
        plan_version: PLAN_VERSION,
        written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
        target: target.to_path_buf(),
        seed: args.seed.unwrap_or_else(fresh_seed),
        driver: args.driver.into(),
        hang_after: args.hang_after,
        log: !args.no_log,
        ..StreamsPlan::default()
    }
}
