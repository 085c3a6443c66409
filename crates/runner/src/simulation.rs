//! Whole runs in simulated worlds: the real scripts, ring, drain, log writer, session and summary, with
//! a store, a log disk and a clock that fail according to a seed, on one thread and in virtual time.
//!
//! * [`scenario`]: the scenario drawn from a seed: the workers, the length, and the faults. About one
//!   world in four has none.
//! * [`world`]: the time, and the parts of the world. The driver's threads, the drain's rounds and the
//!   watchdog's beats are parts of it; while the run waits, they do what is due. The drain is the
//!   production code without its thread; so are the rings, the writer and the session.
//! * [`disk`]: the log's disk, over a file system in memory: slow, failing once or for good, full.
//! * [`truth`]: the true events, recorded by the world itself and not by the code under test.
//! * [`play`]: a run from its first load point to its summary, as the kinds of runs carry it out.
//! * [`properties`]: the required relations between the truth and the run's log, figures and words.
//!   Every operation is in the log and in the figures exactly once, or counted as lost; and no outcome
//!   is better than the truth.
//!
//! A seed that fails is printed, and runs alone with `REELGAUGE_SEED=…`; more seeds run with
//! `REELGAUGE_SEEDS=…` (how many). The same seed gives the same log, byte by byte, and the same summary.
//!
//! Not here: I/O on a target (the drivers' own tests), races between threads within one of their steps,
//! and the content of a report.

mod disk;
mod play;
mod properties;
mod scenario;
mod truth;
pub(crate) mod world;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};

use reelgauge_analysis::NoteFact;
use reelgauge_record::OpRecord;

use play::{Played, play};
use properties::check;
use scenario::Scenario;

/// The number of worlds in an ordinary test run.
const SEEDS: u64 = 800;

/// The first worlds, up to this number, include every kind.
const KINDS_SEEDS: u64 = 400;

/// The number of failing worlds that are listed individually.
const TOLD: usize = 40;

/// Worlds in which a defect was found once. A seed means another world after a change of
/// [`Scenario::draw`]; then these have to be found again, by reverting the fix.
const FOUND: [(u64, &str); 6] = [
    (0, "threads went on working when the drain had died"),
    (13, "an operation that failed as the last of its load point was overlooked"),
    (198, "a log was called complete that lacks what found its ring full"),
    (250, "a failure that found its ring full was overlooked"),
    (347, "what came back behind its load point was in no figure, and not told"),
    (13_353, "storage that a failed driver may still have used was looked into"),
];

/// Plays a world and checks all properties. A violation is returned as text.
fn live_through(seed: u64) -> Result<Played, String> {
    let scenario = Scenario::draw(seed);
    let result = catch_unwind(AssertUnwindSafe(|| {
        let played = play(&scenario);
        check(&scenario, &played).map(|()| played)
    }));
    let said = |cause: Box<dyn std::any::Any + Send>| match cause.downcast::<String>() {
        Ok(text) => *text,
        Err(other) => other.downcast::<&str>().map_or("something".to_owned(), |text| (*text).to_owned()),
    };
    let result = result.unwrap_or_else(|cause| Err(format!("it panicked: {}", said(cause))));
    result.map_err(|why| format!("REELGAUGE_SEED={seed}: {why}\n{scenario:?}"))
}

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().expect("a whole number"))
}

/// Plays these worlds, and fails if a property is violated: the first violation in full.
fn live_through_all(seeds: impl Iterator<Item = u64>) {
    let failures: Vec<String> = seeds.filter_map(|seed| live_through(seed).err()).collect();
    let heads = failures.iter().filter_map(|why| why.lines().next()).take(TOLD);
    let heads: String =
        heads.map(|head| format!("{}\n", head.chars().take(160).collect::<String>())).collect();
    if let Some(first) = failures.first() {
        panic!("{} worlds don't hold:\n{heads}\n{first}", failures.len());
    }
}

/// The ordinary worlds, in parts that run in parallel on several processors.
fn part(of: u64, number: u64) {
    match number_from("REELGAUGE_SEED") {
        Some(seed) if number == 0 => live_through_all(std::iter::once(seed)),
        Some(_) => {}
        None => {
            let seeds = number_from("REELGAUGE_SEEDS").unwrap_or(SEEDS);
            // The first ones are played by the test that checks for every kind.
            live_through_all((KINDS_SEEDS..seeds).filter(|seed| seed % of == number));
        }
    }
}

#[test]
fn nothing_is_lost_and_nothing_is_better_than_the_truth() {
    part(2, 0);
}

#[test]
fn nothing_is_lost_and_nothing_is_better_than_the_truth_in_as_many_other_worlds() {
    part(2, 1);
}

/// Without this the properties could hold because nothing ever happens.
#[test]
fn worlds_cover_every_fault() {
    let mut kinds = BTreeSet::new();
    for seed in 0..KINDS_SEEDS {
        let played = live_through(seed).unwrap_or_else(|why| panic!("{why}"));
        kinds.extend(kinds_of(&played));
    }
    let missing: Vec<_> = KINDS.into_iter().filter(|kind| !kinds.contains(kind)).collect();
    assert!(missing.is_empty(), "no world of these kinds: {missing:?}");
}

const KINDS: [&str; 18] = [
    "complete",
    "criteria not met",
    "interrupted",
    "broke off",
    "an operation failed",
    "a failure that found its ring full",
    "left behind",
    "a thread died",
    "a thread was cut short",
    "a thread came back behind its load point",
    "missed",
    "stragglers",
    "unlogged",
    "the log is whole, in more files",
    "the drain died",
    "no summary",
    "paused",
    "the cache was looked into",
];

fn kinds_of(played: &Played) -> Vec<&'static str> {
    let truth = &played.truth;
    let points = || truth.points.iter();
    let mut kinds = vec![match played.exit_code {
        0 => "complete",
        1 => "criteria not met",
        130 => "interrupted",
        _ => "broke off",
    }];
    let notes = played.result.as_ref().map_or(&[][..], |summary| &summary.notes[..]);
    let notes_are = |is: fn(&NoteFact) -> bool| notes.iter().any(|note| is(&note.fact));
    let log = played.result.as_ref().ok().map(|summary| &summary.log);
    let log_says = |what: &str| log.and_then(|log| log.note.as_ref()).is_some_and(|note| note.contains(what));
    let cached = played.result.as_ref().ok().and_then(|summary| summary.effective_mode.cached_share_after);
    let missed = notes_are(|fact| matches!(fact, NoteFact::NotCounted { .. }));
    let in_log: BTreeSet<_> = played.rows.iter().map(|row| (row.worker, row.issued_ns)).collect();
    let is_failure = |op: &OpRecord| op.errno != 0 && !in_log.contains(&(op.worker, op.issued_ns));
    let all = [
        ("an operation failed", points().any(|point| point.failed > 0)),
        ("a failure that found its ring full", missed && truth.done.iter().any(is_failure)),
        ("left behind", points().any(|point| point.oldest_in_flight_ns.is_some())),
        ("a thread died", points().any(|point| point.threads_ended < point.threads)),
        ("a thread was cut short", points().any(|point| point.threads_cut > 0)),
        ("a thread came back behind its load point", points().any(|point| point.done_behind > 0)),
        ("missed", missed),
        ("stragglers", notes_are(|fact| matches!(fact, NoteFact::Stragglers { .. }))),
        ("unlogged", log.is_some_and(|log| log.dropped_to_histograms_ops > 0)),
        ("the log is whole, in more files", log_says("more and smaller files")),
        ("the drain died", truth.drain_died),
        ("no summary", played.result.is_err()),
        ("paused", truth.paused),
        ("the cache was looked into", cached.is_some()),
    ];
    kinds.extend(all.into_iter().filter(|(_, is_so)| *is_so).map(|(kind, _)| kind));
    kinds
}

#[test]
fn defects_found_once_stay_fixed() {
    for (seed, what) in FOUND {
        if let Err(why) = live_through(seed) {
            panic!("{what}: {why}");
        }
    }
}

#[test]
fn the_same_seed_is_the_same_world() {
    for seed in 0..40 {
        let lived = || live_through(seed).unwrap_or_else(|why| panic!("{why}"));
        let (one, two) = (lived(), lived());
        assert_eq!(one.summary_json, two.summary_json, "the summary of seed {seed}");
        assert_eq!(one.log_files, two.log_files, "the log of seed {seed}");
        assert_eq!(one.truth.done, two.truth.done, "what happened in seed {seed}");
    }
}
