//! `reelgauge vda`: ten load points of cameras and companions, and the overall response time.

use anyhow::{Result, bail};
use reelgauge_analysis::vda::{LABEL, RateLimits};
use reelgauge_analysis::vda_curve::VdaInput;
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::streams::{ActorKind, ActorPlan, StreamsPlan};
use reelgauge_workload::units::{Size, Span};

use crate::cli::VdaArgs;
use crate::verbs::run::{Job, carry_out};
use crate::verbs::streams::plan_with;

/// Load points of a curve.
const POINTS: u32 = 10;
/// The published data set: files of each process, their size, and the times of a load point.
const PUBLISHED: (u32, Size, Span) = (11, Size::mib(1024), Span::secs(300));

/// Measures a directory with VDA-like load points. The exit code.
pub fn vda(args: &VdaArgs) -> Result<u8> {
    let plan = plan_of(args)?;
    plan.check()?;
    let request = StreamsRequest {
        plan,
        verb: "vda".to_owned(),
        must_be_direct: false,
        out: args.output.out.clone(),
        resume: None,
        vda: Some(VdaInput { limits: RateLimits::default(), data_set_note: data_set_note(args) }),
    };
    carry_out(Job::Streams(Box::new(request)), &args.output)
}

fn plan_of(args: &VdaArgs) -> Result<StreamsPlan> {
    let scale = match &args.points {
        Some(points) => points.clone(),
        None if args.streams < POINTS => {
            bail!(
                "--streams {} is less than the {POINTS} load points of a curve; use at least {POINTS}, or \
                 --points 1..{} for fewer points",
                args.streams,
                args.streams.max(1)
            );
        }
        None => Ramp((1..=POINTS).map(|point| (args.streams * point).div_ceil(POINTS)).collect()),
    };
    let actor = |kind| ActorPlan { files: args.files, file_size: args.file_size, ..ActorPlan::new(kind) };
    Ok(StreamsPlan {
        name: "vda-like".to_owned(),
        warmup: args.warmup,
        duration: args.duration,
        // By the published definition: through the client's cache.
        direct: false,
        server_memory: args.storage.server_memory,
        scale,
        actors: vec![actor(ActorKind::Camera), actor(ActorKind::Companion)],
        ..plan_with(&args.run, &args.path)
    })
}

/// What differs from the published run, in words.
fn data_set_note(args: &VdaArgs) -> String {
    let (files, file_size, time) = PUBLISHED;
    let mut differences = Vec::new();
    if args.files != files || args.file_size != file_size {
        differences.push(format!(
            "{} files of {} per process instead of about {files} of {file_size}",
            args.files, args.file_size
        ));
    }
    if args.warmup != time || args.duration != time {
        differences
            .push(format!("{} warm-up and {} measured instead of {time} each", args.warmup, args.duration));
    }
    match differences.is_empty() {
        true => format!("Data set and times as published. {LABEL}."),
        false => format!("Smaller than published: {}. {LABEL}.", differences.join("; ")),
    }
}
