//! `reelgauge vda`: ten load points of cameras and companions, and the overall response time.

use anyhow::{Result, bail};
use reelgauge_analysis::vda::{LABEL, RateLimits};
use reelgauge_analysis::vda_curve::VdaInput;
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::streams::{ActorKind, ActorPlan, StreamsPlan};
use reelgauge_workload::units::{Size, Span};

use crate::cli::VdaArgs;
use crate::verbs::job::{Job, carry_out};
use crate::verbs::streams::plan_with;

/// What a curve's plan is called; scenarios with the same actors are none.
const NAME: &str = "vda-like";
/// Load points of a curve.
const POINTS: u32 = 10;
/// The published data set: files of each process, their size, and the times of a load point.
const PUBLISHED: (u32, Size, Span) = (11, Size::mib(1024), Span::secs(300));

/// Measures a directory with VDA-like load points. The exit code.
pub fn vda(args: &VdaArgs) -> Result<u8> {
    let plan = plan_of(args)?;
    plan.check()?;
    let request = StreamsRequest {
        verb: "vda".to_owned(),
        must_be_direct: false,
        out: args.output.out.clone(),
        terms: args.terms.said(),
        resume: None,
        vda: input_of(&plan),
        plan,
    };
    carry_out(Job::Streams(Box::new(request)), &args.output)
}

pub(super) fn plan_of(args: &VdaArgs) -> Result<StreamsPlan> {
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
        name: NAME.to_owned(),
        warmup: args.warmup,
        duration: args.duration,
        // By the published definition: through the client's cache.
        direct: false,
        server_memory: args.storage.server_memory,
        scale,
        actors: vec![actor(ActorKind::Camera), actor(ActorKind::Companion)],
        ..plan_with(&args.run, &args.output, &args.path)?
    })
}

/// What a curve of such a plan is, when it is one of cameras and their companions.
pub fn input_of(plan: &StreamsPlan) -> Option<VdaInput> {
    let [camera, companion] = plan.actors.as_slice() else {
        return None;
    };
    let is_curve = (camera.kind, companion.kind) == (ActorKind::Camera, ActorKind::Companion)
        && plan.name == NAME
        && plan.find_max.is_none();
    is_curve.then(|| VdaInput { limits: RateLimits::default(), data_set_note: data_set_note(plan, camera) })
}

/// What differs from the published run, in words.
fn data_set_note(plan: &StreamsPlan, camera: &ActorPlan) -> String {
    let (files, file_size, time) = PUBLISHED;
    let mut differences = Vec::new();
    if camera.files != files || camera.file_size != file_size {
        differences.push(format!(
            "{} files of {} per process instead of about {files} of {file_size}",
            camera.files, camera.file_size
        ));
    }
    if plan.warmup != time || plan.duration != time {
        differences
            .push(format!("{} warm-up and {} measured instead of {time} each", plan.warmup, plan.duration));
    }
    match differences.is_empty() {
        true => format!("Data set and times as published. {LABEL}."),
        false => format!("Smaller than published: {}. {LABEL}.", differences.join("; ")),
    }
}
