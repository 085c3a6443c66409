//! `reelgauge streams`: flags become a plan with one actor, the plan is run, the summary is shown.

use anyhow::{Result, bail};
use reelgauge_formats::user_format::{Control, FRAME_BYTES, FrameFiles};
use reelgauge_formats::{FrameRate, OwnFormat};
use reelgauge_record::notes::StorageDetails;
use reelgauge_report::units::block_size;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::streams::StreamsRequest;
use reelgauge_workload::copier::CopierPlan;
use reelgauge_workload::plan::PLAN_VERSION;
use reelgauge_workload::range::Ramp;
use reelgauge_workload::spelling::Spelling;
use reelgauge_workload::streams::{ActorPlan, FindMaxPlan, StreamsPlan};
use reelgauge_workload::units::{Size, Span};
use serde::de::DeserializeOwned;
use toml::Value;

use crate::cli::{ActorArgs, OutputArgs, RunningArgs, StreamsArgs};
use crate::verbs::event::{Measured, event_of};
use crate::verbs::measurement::{Measurement, carry_out_with};

/// Trials of a search are shorter than a single run.
const TRIAL: (Span, Span) = (Span::secs(3), Span::secs(10));
/// A clip of the user's own files is this much longer than a load point: buffers read ahead of playback.
const OWN_CLIP_MARGIN: Span = Span::secs(2);
/// The usual warm-up and duration.
const USUAL: (Span, Span) = (Span::secs(5), Span::secs(30));

/// Measures a directory with streams. Returns the exit status.
pub fn streams(args: StreamsArgs) -> Result<u8> {
    let plan = plan_of(&args)?;
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
    carry_out_with(Measurement::Streams(Box::new(request)), event, &args.output)
}

pub(super) fn plan_of(args: &StreamsArgs) -> Result<StreamsPlan> {
    let (warmup, duration) = if args.find_max { TRIAL } else { USUAL };
    let stream = &args.stream;
    let (count, scale) = match stream.count.clone() {
        // One number is a count; several are multiples of one stream in successive load points.
        Some(Ramp(counts)) if counts.len() == 1 => (counts[0], Ramp(vec![1])),
        Some(scale) => (1, scale),
        None => (1, Ramp(vec![1])),
    };
    if stream.copiers > 0 && scale.0.len() > 1 {
        bail!("--copiers needs a single load point; use one number with --count");
    }
    let (warmup, duration) = (args.warmup.unwrap_or(warmup), args.duration.unwrap_or(duration));
    let length = Span(warmup.ns().saturating_add(duration.ns()));
    Ok(StreamsPlan {
        name: "streams".to_owned(),
        warmup,
        duration,
        direct: !args.buffered,
        staggered: !args.together,
        server_memory: args.storage.server_memory,
        read_from: stream.read_from.clone(),
        scale,
        find_max: args.find_max.then(|| FindMaxPlan { time_max: args.time_max, ..FindMaxPlan::default() }),
        actors: std::iter::once(ActorPlan { count, ..actor_of(stream, length)? })
            .chain(copiers(stream)?)
            .collect(),
        ..plan_with(&args.run, &args.output, &args.path)?
    })
}

/// Copiers that work in parallel with the streams.
fn copiers(args: &ActorArgs) -> Result<Option<ActorPlan>> {
    let usual = CopierPlan::default();
    let copier = CopierPlan { file_size: setting(args, "file_size")?.unwrap_or(usual.file_size), ..usual };
    Ok((args.copiers > 0).then(|| ActorPlan { count: args.copiers, ..copier.into() }))
}

/// The setting of a flag, if it is given.
fn setting<T: DeserializeOwned>(args: &ActorArgs, key: &str) -> Result<Option<T>> {
    Ok(args.settings.0.get(key).map(|value| value.clone().try_into()).transpose()?)
}

/// The user's own format, if one is described.
fn own_format(args: &ActorArgs) -> Result<Option<OwnFormat>> {
    if args.frame_size.is_none() && args.mbit_per_s.is_none() {
        if args.file_per_frame {
            bail!("--file-per-frame needs your own format; add --frame-size or --mbit-per-s");
        }
        return Ok(None);
    }
    let Some(fps) = setting(args, "fps")? else {
        bail!("your own format needs a frame rate; add one, such as --fps 25");
    };
    check_frame_bytes(args, fps)?;
    let name = match (args.frame_size, args.mbit_per_s) {
        (Some(size), _) => format!("own format ({}, {fps} fps)", block_size(size.bytes())),
        (None, rate) => format!("own format ({} Mbit/s, {fps} fps)", rate.unwrap_or(0.0)),
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

/// Refuses frame sizes that no format has, by the flag that sets them.
fn check_frame_bytes(args: &ActorArgs, fps: FrameRate) -> Result<()> {
    let (least, most) = (*FRAME_BYTES.start(), *FRAME_BYTES.end());
    if let Some(size) = args.frame_size.filter(|size| !FRAME_BYTES.contains(&size.bytes())) {
        bail!("--frame-size {size} is not between {least}B and {}MB", most / 1_000_000);
    }
    let mbit = |frame_bytes: u64| frame_bytes as f64 * 8.0 * fps.per_s() / 1e6;
    let allowed = mbit(least)..=mbit(most);
    if let Some(rate) = args.mbit_per_s.filter(|rate| !allowed.contains(rate)) {
        bail!(
            "--mbit-per-s {rate:?} is not between {} and {} at {fps} fps ({least} B to {} MB per frame)",
            allowed.start(),
            allowed.end(),
            most / 1_000_000
        );
    }
    Ok(())
}

/// The actor of the flags, in load points of this length.
fn actor_of(args: &ActorArgs, length: Span) -> Result<ActorPlan> {
    let mut given = args.settings.0.clone();
    if let Some(own_format) = own_format(args)?.filter(|_| args.actor.has_media()) {
        // The frame rate of the user's own format is part of it.
        given.remove("fps");
        given.insert("own_format".to_owned(), Value::try_from(own_format)?);
    }
    if args.read_from.is_some() && args.actor.reads_footage && !given.contains_key("like") {
        // The user's own files take no time to make, and data that is read twice comes from memory.
        let clip = Span(length.ns().saturating_add(OWN_CLIP_MARGIN.ns()));
        given.entry("clip").or_insert(Value::try_from(clip)?);
    }
    if args.copiers > 0 && args.actor.has_media() {
        // It is the size of the copiers' files.
        given.remove("file_size");
    }
    given.insert("kind".to_owned(), Value::try_from(args.actor)?);
    given.extend(args.criteria.clone().map(|criteria| ("criteria".to_owned(), criteria.into())));
    Ok(ActorPlan::from_settings(given, Spelling::Flags)?)
}

/// A plan without actors, with the flags of every verb that plays streams.
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
        // No flag sets these, so no message about flags may name them.
        let keys =
            ActorPlan::keys().iter().filter(|key| !["output_format", "ops_per_s", "mix"].contains(key));
        let named: Vec<String> = keys.map(|key| Spelling::Flags.name(key)).collect();
        for flag in named.iter().flat_map(|name| name.split(" or ")) {
            assert!(known.iter().any(|name| name == flag), "there is no {flag}");
        }
    }

    #[test]
    fn setting_help_is_that_of_its_actor_with_the_default() {
        let command = Cli::command();
        let streams = command.find_subcommand("streams").unwrap();
        let help = |flag: &str| {
            let arg = streams.get_arguments().find(|arg| arg.get_long() == Some(flag)).unwrap();
            arg.get_help().unwrap().to_string()
        };
        assert!(help("cameras").ends_with("[default: 4]"), "{}", help("cameras"));
        assert!(help("file-size").ends_with("[default: 1GiB]"), "{}", help("file-size"));
        assert!(help("buffer").ends_with("1s or 12frames [default: 1s]"), "{}", help("buffer"));
        assert!(help("policy").ends_with("[default: drop]"), "{}", help("policy"));
        let sync = help("sync-every");
        assert!(sync.contains("[default: never with direct I/O"), "{sync}");
        assert!(!help("like").contains("default"));
    }

    /// The plan of flags, or why they are refused.
    fn planned(flags: &str) -> Result<StreamsPlan> {
        let words = ["reelgauge", "streams", "/mnt/nas"].into_iter().chain(flags.split_whitespace());
        let Verb::Streams(args) = Cli::parse_from(words).verb else { panic!("{flags}") };
        let plan = plan_of(&args)?;
        plan.check()?;
        Ok(plan)
    }

    #[test]
    fn flags_make_the_actors_of_a_plan_file() {
        const FOOTAGE: &str = "format = 'prores-422-hq-uhd-25'";
        let cases = [
            ("--buffer 12frames --policy stall", "kind = 'player'\nbuffer = '12frames'\npolicy = 'stall'"),
            (
                "--read-ahead open --clip 7s --fps 24",
                "kind = 'player'\nread_ahead = 'open'\nclip = '7s'\nfps = 24",
            ),
            ("--count 7 --criteria late=3", "kind = 'player'\ncount = 7\ncriteria = 'late=3'"),
            ("--read-from /mnt/nas/old", "kind = 'player'\nclip = '37s'"),
            ("--read-from /mnt/nas/old --clip 3s", "kind = 'player'\nclip = '3s'"),
            (
                "--actor recorder --preallocated --sync-every 1s",
                "kind = 'recorder'\npreallocated = true\nsync_every = '1s'",
            ),
            ("--actor editor --cameras 2", "kind = 'editor'\ncameras = 2"),
            ("--actor transcoder --clip 2s", "kind = 'transcoder'\nclip = '2s'"),
        ];
        for (flags, actor) in cases {
            let file = StreamsPlan::from_toml(&format!("[[actor]]\n{actor}\n{FOOTAGE}")).unwrap();
            let plan = planned(&format!("--format prores-422-hq-uhd-25 {flags}")).unwrap();
            assert_eq!(plan.actors, file.actors, "{flags}");
        }
        let size = "name = 'own format (3 MiB, 25 fps)', bytes_per_frame = 3145728, fps = 25";
        let rate = "name = 'own format (220 Mbit/s, 29.97 fps)', mbit_per_s = 220, fps = '29.97'";
        for (flags, actors) in [
            ("--fps 25 --frame-size 3MiB", format!("kind = 'player'\nown_format = {{ {size} }}")),
            (
                "--fps 25 --frame-size 3MiB --file-per-frame",
                format!("kind = 'player'\nown_format = {{ {size}, files = 'frames' }}"),
            ),
            ("--fps 29.97 --mbit-per-s 220", format!("kind = 'player'\nown_format = {{ {rate} }}")),
            ("--like a.mov --fps 24", "kind = 'player'\nlike = 'a.mov'\nfps = 24".to_owned()),
            (
                "--actor copier --block 4MiB --file-size 8MiB",
                "kind = 'copier'\nblock = '4MiB'\nfile_size = '8MiB'".to_owned(),
            ),
            ("--actor mix --file-size 64MiB", "kind = 'mix'\nfile_size = '64MiB'".to_owned()),
            (
                "--like a.mov --copiers 2 --file-size 64MiB",
                "kind = 'player'\nlike = 'a.mov'\n[[actor]]\nkind = 'copier'\ncount = 2\nfile_size = '64MiB'"
                    .to_owned(),
            ),
            (
                "--actor camera --copiers 2 --file-size 64MiB",
                "kind = 'camera'\nfile_size = '64MiB'\n[[actor]]\nkind = 'copier'\ncount = 2\n\
                 file_size = '64MiB'"
                    .to_owned(),
            ),
        ] {
            let file = StreamsPlan::from_toml(&format!("[[actor]]\n{actors}")).unwrap();
            assert_eq!(planned(flags).unwrap().actors, file.actors, "{flags}");
        }
    }

    #[test]
    fn a_flag_without_effect_is_refused_even_with_the_default_value() {
        for (flags, said) in [
            ("--actor copier --buffer 1s", "--buffer has no effect on a copier. Omit it"),
            ("--actor copier --fps 25", "--fps has no effect on a copier. Omit it"),
            ("--actor copier --fps 25 --frame-size 3MiB", "--fps has no effect on a copier. Omit it"),
            ("--actor copier --like a.mov", "--like has no effect on a copier. Omit it"),
            ("--actor mix --buffer 1s", "--buffer has no effect on a mix. Omit it"),
            ("--actor camera --block 1MiB", "--block has no effect on a camera. Omit it"),
            ("--actor transcoder FOOTAGE --policy drop", "--policy has no effect on a transcoder. Omit it"),
            ("FOOTAGE --file-size 1GiB", "--file-size has no effect on a player. Omit it"),
            ("--format dpx-10-bit-rgb-uhd-24 --cameras 4", "--cameras has no effect on a player. Omit it"),
            (
                "--like a.mov --clip 10s",
                "--clip has no effect with your own files, which are played whole. Omit it",
            ),
            (
                "--actor recorder --format dpx-10-bit-rgb-uhd-24 --preallocated",
                "--preallocated has no effect with one file per frame, which is created again each time. Omit it",
            ),
            (
                "--actor recorder FOOTAGE --read-from /mnt/nas/old",
                "--read-from has no effect without players, editors or transcoders. Omit it",
            ),
            ("FOOTAGE --buffer 0s", "--buffer is 0: use at least one frame, like 1s or 12frames"),
            (
                "--actor copier --file-size 4KiB",
                "a block of 1MiB is larger than the file of 4KiB. Use a larger --file-size or smaller \
                 --block",
            ),
            (
                "--actor camera --file-size 4KiB",
                "--file-size 4KiB is less than the camera's largest transfer of 1MiB. Use 1MiB or more",
            ),
        ] {
            let flags = flags.replace("FOOTAGE", "--format prores-422-hq-uhd-25");
            assert_eq!(planned(&flags).unwrap_err().to_string(), said, "{flags}");
        }
    }
}
