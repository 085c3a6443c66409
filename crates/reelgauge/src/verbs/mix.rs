//! `reelgauge mix`: flags become a plan, the plan is run, the summary is shown.

use anyhow::{Context, Result, bail};
use reelgauge_record::notes::StorageDetails;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::mix::MixRequest;
use reelgauge_workload::plan::{MixPlan, PLAN_VERSION, Plan};
use reelgauge_workload::profile::{NamedRamp, PROFILES, Profile};
use reelgauge_workload::range::{Ramp, Sizes, Sweep};
use reelgauge_workload::units::Span;

use crate::cli::MixArgs;
use crate::verbs::event::{Measured, event_of};
use crate::verbs::measurement::{Measurement, carry_out_with};

/// The default number of workers: the paper's four cameras of one editor.
const WORKERS_DEFAULT: u32 = 4;
/// The default warm-up. If every block is visited once there is none: it would use up blocks.
const WARMUP_DEFAULT: Span = Span::secs(5);

/// Measures a directory with a mix. Returns the exit status.
pub fn mix(args: Box<MixArgs>) -> Result<u8> {
    let plan = plan_of(&args)?;
    plan.check()?;
    let measured = Measured::points(plan.points() as u64, plan.warmup, plan.duration);
    let event = event_of(&args.event, measured)?;
    let must_be_direct = args.direct;
    let request = MixRequest { plan, must_be_direct, out: args.output.out.clone(), terms: args.terms.said() };
    carry_out_with(Measurement::Mix(Box::new(request)), event, &args.output)
}

pub(super) fn plan_of(args: &MixArgs) -> Result<Plan> {
    let (workers, shared_file) = ramp_of(args)?;
    if args.step.is_some() && args.ramp.is_none() && args.sweep.is_empty() {
        bail!("--step has no effect without --ramp or --sweep; use --duration for a single load point");
    }
    if args.step.is_some_and(|step| step.ns() == 0) {
        bail!("--step must not be 0; use a time such as --step 60s");
    }
    let many = args.ramp.is_some() || !args.sweep.is_empty();
    let default_span = if many { Span::secs(60) } else { Span::secs(30) };
    let mut mix = mix_of(args)?;
    mix.shared_file |= shared_file;
    Ok(Plan {
        shared_data: None,
        plan_version: PLAN_VERSION,
        written_by: concat!("reelgauge ", env!("CARGO_PKG_VERSION")).to_owned(),
        target: args.path.clone(),
        seed: args.seed.unwrap_or_else(fresh_seed),
        driver: args.driver,
        workers,
        sweep: sweep_of(args)?,
        warmup: args.warmup.unwrap_or(if args.no_repeat { Span(0) } else { WARMUP_DEFAULT }),
        duration: args.step.or(args.duration).unwrap_or(default_span),
        hang_after: args.hang_after,
        verify: args.verify,
        log: !args.no_log,
        server_memory: args.storage.server_memory,
        read_from: args.read_from.clone(),
        criteria: args.criteria.clone().unwrap_or_default(),
        tags: args.output.noted.tags(&[])?,
        storage: args.output.noted.storage(StorageDetails::default()),
        mix,
    })
}

/// The numbers of workers, and whether a named ramp shares one file.
fn ramp_of(args: &MixArgs) -> Result<(Ramp, bool)> {
    let Some(text) = &args.ramp else {
        let workers = args.workers.unwrap_or(WORKERS_DEFAULT);
        if workers == 0 {
            bail!("--workers must be at least 1");
        }
        return Ok((Ramp(vec![workers]), false));
    };
    if let Some(named) = NamedRamp::named(text) {
        return Ok((named.ramp(), named.shared_file));
    }
    let ramp = text.parse().context("--ramp (1..10, '4..40 step 4', single-file, multi-file)")?;
    Ok((ramp, false))
}

/// The sweep, or two as one.
fn sweep_of(args: &MixArgs) -> Result<Option<Sweep>> {
    match args.sweep.as_slice() {
        [] => Ok(None),
        [one] => Ok(Some(one.clone())),
        [one, other] => Ok(Some(one.clone().with(other.clone())?)),
        more => bail!("--sweep is given {} times; at most two are allowed", more.len()),
    }
}

/// Refuses a value for the swept setting.
fn check_sweep(args: &MixArgs) -> Result<()> {
    let sweep = sweep_of(args)?;
    let parts = sweep.iter().flat_map(|sweep| sweep.parts(0));
    let without_effect = parts.filter_map(|(one, _)| match one {
        Sweep::Random(_) if args.random.is_some() => Some("--random"),
        Sweep::Blocks(_) if args.blocks.is_some() => Some("--blocks"),
        Sweep::Length(_) if args.length.is_some() => Some("--length"),
        Sweep::Length(_) if args.max_length.is_some() => Some("--max-length"),
        _ => None,
    });
    match without_effect.into_iter().next() {
        None => Ok(()),
        Some(flag) => {
            bail!("{flag} has no effect because --sweep sets this value; omit it")
        }
    }
}

fn mix_of(args: &MixArgs) -> Result<MixPlan> {
    check_sweep(args)?;
    let Some(profile) = Profile::named(&args.profile) else {
        let names = PROFILES.map(|profile| profile.name).join(", ");
        bail!("there is no profile '{}'; the profiles are {names}", args.profile);
    };
    let mut mix = profile.plan();
    if let Some(lengths) = &args.length {
        mix.lengths = Some(Sizes(lengths.0.clone()));
        mix.max_length = None;
    }
    if args.create && args.length.is_none() {
        mix.lengths = Some(Sizes(vec![args.file_size.unwrap_or(mix.file_size)]));
        mix.max_length = None;
    }
    mix.max_length = args.max_length.or(mix.max_length);
    mix.blocks = args.blocks.clone().unwrap_or(mix.blocks);
    mix.writes = args.writes.unwrap_or(mix.writes);
    mix.random = args.random.unwrap_or(mix.random);
    mix.max_delay = args.max_delay.unwrap_or(mix.max_delay);
    mix.files = args.files;
    mix.file_size = args.file_size.unwrap_or(mix.file_size);
    mix.shared_file = args.shared_file;
    mix.sync = args.sync;
    mix.direct = !args.buffered;
    mix.no_repeat = args.no_repeat;
    mix.in_flight = args.in_flight;
    mix.create = args.create;
    if mix
        != (MixPlan {
            file_size: mix.file_size,
            files: mix.files,
            shared_file: mix.shared_file,
            ..profile.plan()
        })
    {
        mix.profile = format!("{}, changed", profile.name);
    }
    Ok(mix)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use clap::Parser;

    use super::*;
    use crate::cli::{Cli, Verb};

    fn planned(flags: &[&str]) -> Result<Plan> {
        let words = [&["reelgauge", "mix", "/mnt/nas"], flags].concat();
        let Verb::Mix(args) = Cli::parse_from(words).verb else { panic!("{flags:?}") };
        let plan = plan_of(&args)?;
        plan.check()?;
        Ok(plan)
    }

    #[test]
    fn blocks_that_are_visited_once_are_not_used_up_by_a_warm_up() {
        let once = ["--no-repeat", "--random", "100", "--blocks", "1MiB"];
        assert_eq!(planned(&[]).unwrap().warmup, Span::secs(5));
        assert_eq!(planned(&once).unwrap().warmup, Span(0));
        let asked = [&once[..], &["--warmup", "2s"]].concat();
        assert_eq!(planned(&asked).unwrap().warmup, Span::secs(2));
    }

    #[test]
    fn flags_without_effect_on_a_sweep_or_a_ramp_are_refused() {
        for (flags, said) in [
            (["--sweep", "random=0..100 step 50", "--random", "10"], "--random has no effect"),
            (["--sweep", "blocks=4KiB..1MiB", "--blocks", "1MiB"], "--blocks has no effect"),
            (["--sweep", "length=1MiB..4MiB", "--length", "1MiB"], "--length has no effect"),
            (["--sweep", "length=1MiB..4MiB", "--max-length", "1MiB"], "--max-length has no effect"),
            (["--ramp", "single-file", "--files", "1"], "--files has no effect"),
        ] {
            let error = planned(&flags).unwrap_err().to_string();
            assert!(error.contains(said), "{error}");
        }
        planned(&["--sweep", "blocks=4KiB..1MiB", "--random", "10"]).unwrap();
        let create = ["--profile", "seq-write", "--create", "--file-size", "64MiB"];
        let plan = planned(&create).unwrap();
        assert_eq!((plan.mix.lengths.unwrap().0, plan.mix.create), (vec![plan.mix.file_size], true));
        assert!(planned(&[&create[..], &["--length", "8MiB"]].concat()).is_err());
    }

    #[test]
    fn two_sweeps_run_together_and_a_third_or_the_same_again_is_refused() {
        let (length, blocks) = (["--sweep", "length=1MiB,2MiB"], ["--sweep", "blocks=4KiB,1MiB"]);
        let plan = planned(&[length, blocks].concat()).unwrap();
        assert_eq!(plan.points(), 4);
        assert_eq!(plan.label_at(1), "length 1MiB, blocks 1MiB");
        let refused = |flags: &[&str]| planned(flags).unwrap_err().to_string();
        assert!(refused(&[length, length].concat()).contains("cannot be combined"));
        let three = [length, blocks, ["--sweep", "random=0,50"]].concat();
        assert!(refused(&three).contains("--sweep is given 3 times"));
        assert!(refused(&[length, blocks, ["--blocks", "1MiB"]].concat()).contains("--blocks has no effect"));
    }

    #[test]
    fn a_length_may_be_a_frame_of_a_format() {
        let lengths = |text| planned(&["--length", text]).unwrap().mix.lengths.unwrap().0;
        let frame = lengths("prores-422-hq-uhd-25")[0].0;
        let format = reelgauge_formats::catalogue::catalogue().find("prores-422-hq-uhd-25").unwrap();
        assert!(frame % 4096 == 0 && frame as f64 >= format.mean_bytes_per_frame());
        assert!((frame as f64) < format.mean_bytes_per_frame() + 4096.0);
        assert_eq!(lengths("1MiB,prores-422-hq-uhd-25")[1].0, frame);
        let swept = planned(&["--sweep", "length=prores-422-hq-uhd-25,8MiB"]).unwrap();
        assert_eq!((swept.points(), swept.mix_at(0).lengths.unwrap().0[0].0), (2, frame));
        let refused = Cli::try_parse_from(["reelgauge", "mix", "/mnt", "--length", "prores-422-hq-uh"]);
        assert!(refused.unwrap_err().to_string().contains("prores-422-hq-uhd"));
    }
}
