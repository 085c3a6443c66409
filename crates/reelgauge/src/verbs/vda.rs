//! `reelgauge vda`: ten load points of cameras and companions, and the overall response time.

use anyhow::{Result, bail};
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_runner::streams::curve::{NAME, input_of};
use reelgauge_workload::camera::CameraPlan;
use reelgauge_workload::companion::CompanionPlan;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::streams::{FindMaxPlan, StreamsPlan};
use reelgauge_workload::vda_table::VdaLoad;

use crate::cli::VdaArgs;
use crate::verbs::event::{Measured, event_of};
use crate::verbs::measurement::{Measurement, carry_out_with};
use crate::verbs::streams::plan_with;

/// Load points of a curve.
const POINTS: u32 = 10;

/// Measures a directory with VDA-like load points. Returns the exit status.
pub fn vda(args: &VdaArgs) -> Result<u8> {
    let plan = plan_of(args)?;
    plan.check()?;
    let event = event_of(&args.event, Measured::of(&plan))?;
    let request = StreamsRequest {
        verb: "vda".to_owned(),
        must_be_direct: false,
        out: args.output.out.clone(),
        terms: args.terms.said(),
        resume: None,
        is_told: false,
        vda: input_of(&plan),
        plan,
    };
    carry_out_with(Measurement::Streams(Box::new(request)), event, &args.output)
}

pub(super) fn plan_of(args: &VdaArgs) -> Result<StreamsPlan> {
    let scale = match &args.points {
        Some(points) => points.clone(),
        // A search chooses its own counts.
        None if args.find_max => StreamsPlan::default().scale,
        None if args.streams < POINTS => {
            bail!(
                "--streams {} is too small for {POINTS} load points. Use --streams {POINTS} or more, or \
                 --points 1..{} instead of --streams for fewer load points",
                args.streams,
                args.streams.max(1)
            );
        }
        None => Ramp((1..=POINTS).map(|point| (args.streams * point).div_ceil(POINTS)).collect()),
    };
    let load = VdaLoad { files: args.files, file_size: args.file_size, ..VdaLoad::default() };
    Ok(StreamsPlan {
        name: NAME.to_owned(),
        warmup: args.warmup,
        duration: args.duration,
        // The published definition goes through the client's cache.
        direct: false,
        server_memory: args.storage.server_memory,
        scale,
        find_max: args.find_max.then(|| FindMaxPlan { time_max: args.time_max, ..FindMaxPlan::default() }),
        actors: vec![CameraPlan { load: load.clone() }.into(), CompanionPlan { load }.into()],
        ..plan_with(&args.run, &args.output, &args.path)?
    })
}
