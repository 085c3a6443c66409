//! Tests that every flag of a verb that measures reaches its plan: `run.toml` describes the run, and
//! repeating it does the same. The test fails for a new flag without a line here.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeSet;

use clap::{CommandFactory, Parser};

use super::{mix, replay, streams, vda};
use crate::cli::{Cli, Verb};

/// Flags that affect only how a run is carried out on this host, so they are not in its plan.
const NOT_OF_THE_PLAN: &[&str] = &[
    "direct",
    "event",
    "event-at",
    "event-limit",
    "keep-free",
    "max-rate",
    "resume",
    "shared-target",
    "out",
    "json",
    "quiet",
    "help",
];

const RUNNING: &[&[&str]] = &[
    &["--driver", "uring"],
    &["--hang-after", "7s"],
    &["--no-log"],
    &["--seed", "8"],
    &["--storage", "make=Acme"],
    &["--tag", "before"],
];

const MIX: &[&[&str]] = &[
    &["--profile", "seq-read"],
    &["--writes", "7"],
    &["--random", "7"],
    &["--max-length", "3MiB"],
    &["--length", "3MiB"],
    &["--blocks", "32KiB"],
    &["--max-delay", "7ms"],
    &["--files", "3"],
    &["--file-size", "3GiB"],
    &["--read-from", "/mnt/nas/old"],
    &["--shared-file"],
    &["--sync", "block"],
    &["--no-repeat"],
    &["--in-flight", "7"],
    &["--profile", "seq-write", "--create"],
    &["--buffered"],
    &["--workers", "7"],
    &["--ramp", "1..3"],
    &["--sweep", "random=0..100 step 50"],
    &["--ramp", "1..3", "--step", "7s"],
    &["--duration", "7s"],
    &["--warmup", "7s"],
    &["--verify"],
    &["--criteria", "p99=40ms"],
    &["--server-memory", "7GiB"],
];

const STREAMS: &[&[&str]] = &[
    &["--format", "xdcam-hd422-50-1080i-25"],
    &["--like", "a.mov"],
    &["--fps", "25", "--frame-size", "3MiB"],
    &["--fps", "25", "--mbit-per-s", "220"],
    &["--frame-size", "3MiB", "--fps", "25", "--file-per-frame"],
    &["--fps", "24"],
    &["--actor", "recorder"],
    &["--count", "7"],
    &["--buffer", "7s"],
    &["--policy", "stall"],
    &["--read-ahead", "open"],
    &["--clip", "7s"],
    &["--read-from", "/mnt/nas/old"],
    &["--actor", "recorder", "--preallocated"],
    &["--actor", "recorder", "--sync-every", "7s"],
    &["--actor", "editor", "--cameras", "7"],
    &["--actor", "copier", "--block", "7MiB"],
    &["--actor", "copier", "--file-size", "7GiB"],
    &["--criteria", "late=3"],
    &["--copiers", "7"],
    &["--find-max"],
    &["--find-max", "--time-max", "7s"],
    &["--buffered"],
    &["--together"],
    &["--duration", "7s"],
    &["--warmup", "7s"],
    &["--server-memory", "7GiB"],
];

const VDA: &[&[&str]] = &[
    &["--streams", "70"],
    &["--points", "1..3"],
    &["--files", "7"],
    &["--file-size", "7GiB"],
    &["--duration", "7s"],
    &["--warmup", "7s"],
    &["--server-memory", "7GiB"],
    &["--find-max"],
    &["--find-max", "--time-max", "7s"],
];

const REPLAY: &[&[&str]] = &[
    &["--pace", "max"],
    &["--order", "serial"],
    &["--scale", "0.5"],
    &["--idle-cap", "7s"],
    &["--copies", "7"],
    &["--stagger", "7s"],
    &["--batch", "7"],
    &["--layout", "copy"],
];

/// The plan of a command line, as text.
fn planned(words: &[&str]) -> String {
    let mut line = vec!["reelgauge"];
    line.extend(words);
    match Cli::try_parse_from(line).unwrap().verb {
        Verb::Mix(args) => format!("{:?}", mix::plan_of(&args).unwrap()),
        Verb::Streams(args) => format!("{:?}", streams::plan_of(&args).unwrap()),
        Verb::Vda(args) => format!("{:?}", vda::plan_of(&args).unwrap()),
        Verb::Replay(args) => format!("{:?}", replay::plan_of(&args).unwrap()),
        other => panic!("{other:?} has no plan"),
    }
}

#[test]
fn every_flag_changes_the_plan() {
    let verbs: [(&[&str], &[&[&str]]); 4] = [
        (&["mix", "/mnt/nas"], MIX),
        (&["streams", "/mnt/nas"], STREAMS),
        (&["vda", "/mnt/nas"], VDA),
        (&["replay", "edit", "/mnt/nas"], REPLAY),
    ];
    for (verb, own) in verbs {
        let samples: Vec<&[&str]> = own.iter().chain(RUNNING).copied().collect();
        for sample in &samples {
            // Compare with the plan without the last flag; earlier flags may be its requirements.
            let last = sample.iter().rposition(|word| word.starts_with("--")).unwrap();
            let seed: &[&str] = if sample.contains(&"--seed") { &[] } else { &["--seed", "1"] };
            let without = planned(&[verb, &["--seed", "1"], &sample[..last]].concat());
            let with = planned(&[verb, seed, sample].concat());
            assert_ne!(with, without, "{verb:?}: {sample:?} is not in the plan");
        }
        let tried: BTreeSet<&str> = samples.iter().map(|sample| last_flag(sample)).collect();
        let command = Cli::command();
        let verb = command.find_subcommand(verb[0]).unwrap();
        let flags: BTreeSet<&str> = verb.get_arguments().filter_map(clap::Arg::get_long).collect();
        let left: Vec<_> = flags.iter().filter(|flag| !NOT_OF_THE_PLAN.contains(flag)).collect();
        let untried: Vec<_> = left.into_iter().filter(|flag| !tried.contains(**flag)).collect();
        assert!(untried.is_empty(), "{}: nothing shows that {untried:?} are in the plan", verb.get_name());
    }
}

fn last_flag<'a>(sample: &[&'a str]) -> &'a str {
    sample.iter().rev().find_map(|word| word.strip_prefix("--")).unwrap()
}
