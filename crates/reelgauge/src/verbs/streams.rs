//! `reelgauge streams`: flags become a plan with one actor, the plan is run, the summary is shown.

use anyhow::{Result, bail};
use reelgauge_formats::own::{Control, FRAME_BYTES, FrameFiles};
use reelgauge_formats::{FrameRate, OwnFormat};
use reelgauge_record::notes::StorageDetails;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_workload::plan::PLAN_VERSION;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::spelling::Spelling;
use reelgauge_workload::streams::{ActorKind, ActorPlan, FindMaxPlan, Setting, StreamsError, StreamsPlan};
use reelgauge_workload::units::{Size, Span};

use crate::cli::{OutputArgs, RunningArgs, StreamsArgs};
use crate::verbs::event::{Measured, event_of};
use crate::verbs::job::{Job, carry_out_with};

/// Trials of a search are shorter than a run on its own.
const TRIAL: (Span, Span) = (Span::secs(3), Span::secs(10));
/// A clip of own files is so much longer than a load point: what buffers take beyond what is played.
const OWN_CLIP_MARGIN: Span = Span::secs(2);
/// The usual warm-up and duration.
const USUAL: (Span, Span) = (Span::secs(5), Span::secs(30));

/// Measures a directory with streams. The exit code.
pub fn streams(args: StreamsArgs) -> Result<u8> {
    let plan = plan_of(&args)?;
    plan.actors.iter().take(1).try_for_each(|actor| check_effects(&args, actor))?;
    plan.check()?;
    let event = event_of(&args.event, Measured::of(&plan))?;
    let request = StreamsRequest {
        plan,
        verb: "streams".to_owned(),
        must_be_direct: args.direct,
        out: args.output.out.clone(),
        terms: args.terms.said(),
        resume: args.resume,
        is_told: false,
        vda: None,
    };
    carry_out_with(Job::Streams(Box::new(request)), event, &args.output)
}

/// Refuses flags that do nothing for this actor, even where they say what is so anyway.
fn check_effects(args: &StreamsArgs, actor: &ActorPlan) -> Result<(), StreamsError> {
    let given = [
        (Setting::Format, args.format.is_some()),
        (Setting::Like, args.like.is_some()),
        (Setting::Fps, args.fps.is_some()),
        (Setting::Clip, args.clip.is_some()),
        (Setting::Buffer, args.buffer.is_some()),
        (Setting::Policy, args.policy.is_some()),
        (Setting::ReadAhead, args.read_ahead.is_some()),
        (Setting::SyncEvery, args.sync_every.is_some()),
        (Setting::Preallocated, args.preallocated),
        (Setting::Cameras, args.cameras.is_some()),
        (Setting::Block, args.block.is_some()),
        (Setting::FileSize, args.file_size.is_some() && args.copiers == 0),
    ];
    let mut given = given.into_iter().filter(|(_, given)| *given);
    given.try_for_each(|(setting, _)| setting.check_effect(actor, Spelling::Flags))
}

pub(super) fn plan_of(args: &StreamsArgs) -> Result<StreamsPlan> {
    let (warmup, duration) = if args.find_max { TRIAL } else { USUAL };
    let (count, scale) = match args.count.clone() {
        // One number is a count; several are load points of one stream more and more often.
        Some(Ramp(counts)) if counts.len() == 1 => (counts[0], Ramp(vec![1])),
        Some(scale) => (1, scale),
        None => (1, Ramp(vec![1])),
    };
    if args.copiers > 0 && scale.0.len() > 1 {
        bail!("--copiers has no effect with several load points; give --count one number");
    }
    let (warmup, duration) = (args.warmup.unwrap_or(warmup), args.duration.unwrap_or(duration));
    let clip = match args.read_from {
        // Own files cost no time to make, and what is read twice comes from memory.
        Some(_) if args.like.is_none() && args.actor.reads_footage() => {
            Span(warmup.ns().saturating_add(duration.ns()).saturating_add(OWN_CLIP_MARGIN.ns()))
        }
        _ => ActorPlan::new(args.actor).clip,
    };
    Ok(StreamsPlan {
        name: "streams".to_owned(),
        warmup,
        duration,
        direct: !args.buffered,
        staggered: !args.together,
        server_memory: args.storage.server_memory,
        read_from: args.read_from.clone(),
        scale,
        find_max: args.find_max.then(|| FindMaxPlan { time_max: args.time_max, ..FindMaxPlan::default() }),
        actors: std::iter::once(ActorPlan { count, clip: args.clip.unwrap_or(clip), ..actor_of(args)? })
            .chain(copiers(args))
            .collect(),
        ..plan_with(&args.run, &args.output, &args.path)?
    })
}

/// Those that work next to the streams.
fn copiers(args: &StreamsArgs) -> Option<ActorPlan> {
    let usual = ActorPlan::new(ActorKind::Copier);
    let file_size = args.file_size.unwrap_or(usual.file_size);
    (args.copiers > 0).then_some(ActorPlan { count: args.copiers, file_size, ..usual })
}

/// The user's own format, if one is described.
fn own_format(args: &StreamsArgs) -> Result<Option<OwnFormat>> {
    if args.frame_size.is_none() && args.mbit_per_s.is_none() {
        if args.file_per_frame {
            bail!(
                "--file-per-frame belongs to a format of your own; give --frame-size or --mbit-per-s with it"
            );
        }
        return Ok(None);
    }
    let Some(fps) = args.fps else {
        bail!("a format of your own needs its frame rate; add --fps 25");
    };
    check_frame_bytes(args, fps)?;
    let name = match (args.frame_size, args.mbit_per_s) {
        (Some(size), _) => format!("own format, {size} at {fps} fps"),
        (None, rate) => format!("own format, {} Mbit/s at {fps} fps", rate.unwrap_or(0.0)),
    };
    Ok(Some(OwnFormat {
        name,
        bytes_per_frame: args.frame_size.map(Size::bytes),
        mbit_per_s: args.mbit_per_s,
        fps,
        files: if args.file_per_frame { FrameFiles::Frames } else { FrameFiles::Movie },
        rate_control: Control::default(),
        gop_frames: None,
        width: None,
        height: None,
        audio: None,
    }))
}

/// Refuses frames that no format has, by the flag that sets their size.
fn check_frame_bytes(args: &StreamsArgs, fps: FrameRate) -> Result<()> {
    let (least, most) = (*FRAME_BYTES.start(), *FRAME_BYTES.end());
    if let Some(size) = args.frame_size.filter(|size| !FRAME_BYTES.contains(&size.bytes())) {
        bail!("--frame-size {size} is outside {least}B to {}MB; choose a size within", most / 1_000_000);
    }
    let mbit = |frame_bytes: u64| frame_bytes as f64 * 8.0 * fps.per_s() / 1e6;
    let allowed = mbit(least)..=mbit(most);
    if let Some(rate) = args.mbit_per_s.filter(|rate| !allowed.contains(rate)) {
        bail!(
            "--mbit-per-s {rate:?} is outside {} to {} at {fps} fps, which is {least} B to {} MB per frame; \
             choose a rate within",
            allowed.start(),
            allowed.end(),
            most / 1_000_000
        );
    }
    Ok(())
}

fn actor_of(args: &StreamsArgs) -> Result<ActorPlan> {
    let usual = ActorPlan::new(args.actor);
    let own_format = own_format(args)?;
    Ok(ActorPlan {
        format: args.format.clone(),
        like: args.like.clone(),
        // The rate of one's own format is part of it.
        fps: if own_format.is_some() { None } else { args.fps },
        own_format,
        buffer: args.buffer.unwrap_or(usual.buffer),
        policy: args.policy.unwrap_or(usual.policy),
        read_ahead: args.read_ahead.unwrap_or(usual.read_ahead),
        sync_every: args.sync_every,
        preallocated: args.preallocated,
        cameras: args.cameras.unwrap_or(usual.cameras),
        block: args.block.unwrap_or(usual.block),
        // Next to copiers it is the size of their files, unless these actors have files of a size themselves.
        file_size: args
            .file_size
            .filter(|_| args.copiers == 0 || !args.actor.has_media())
            .unwrap_or(usual.file_size),
        criteria: args.criteria.clone().unwrap_or_default(),
        ..usual
    })
}

/// A plan of nobody, with what the flags of every verb that plays streams say.
pub fn plan_with(args: &RunningArgs, output: &OutputArgs, target: &std::path::Path) -> Result<StreamsPlan> {
    Ok(StreamsPlan {
        plan_version: PLAN_VERSION,
        written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
        target: target.to_path_buf(),
        seed: args.seed.unwrap_or_else(fresh_seed),
        driver: args.driver,
        hang_after: args.hang_after,
        log: !args.no_log,
        tags: output.noted.tags(&[])?,
        storage: output.noted.storage(StorageDetails::default()),
        ..StreamsPlan::default()
    })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::{CommandFactory, Parser};

    use super::*;
    use crate::cli::{Cli, Verb};

    #[test]
    fn the_flags_in_messages_exist() {
        let command = Cli::command();
        let flags = |verb: &str| {
            let verb = command.find_subcommand(verb).unwrap();
            let names = verb.get_arguments().filter_map(|flag| flag.get_long());
            names.map(|name| format!("--{name}")).collect::<Vec<_>>()
        };
        let known = [flags("streams"), flags("vda")].concat();
        let named = Setting::ALL.map(|setting| setting.named(Spelling::Flags));
        for flag in named.iter().filter(|name| name.starts_with("--")).flat_map(|name| name.split(" or ")) {
            assert!(known.iter().any(|name| name == flag), "there is no {flag}");
        }
    }

    #[test]
    fn a_flag_without_effect_is_refused_even_if_it_says_what_is_so_anyway() {
        let cases: &[(&[&str], &str)] = &[
            (&["--actor", "copier", "--buffer", "1s"], "--buffer has no effect on a copier"),
            (&["--actor", "copier", "--fps", "25"], "--fps has no effect on a copier"),
            (&["--format", "dpx-10-bit-rgb-uhd-24", "--cameras", "4"], "--cameras has no effect on a player"),
            (&["--like", "a.mov", "--clip", "10s"], "--clip has no effect on footage of your own"),
            (
                &["--actor", "recorder", "--format", "dpx-10-bit-rgb-uhd-24", "--preallocated"],
                "--preallocated has no effect where every frame is a file",
            ),
        ];
        for (flags, said) in cases {
            let words = [&["reelgauge", "streams", "/mnt/nas"], *flags].concat();
            let Verb::Streams(args) = Cli::parse_from(words).verb else { panic!("{flags:?}") };
            let plan = plan_of(&args).unwrap();
            let error = check_effects(&args, &plan.actors[0]).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
    }
}
