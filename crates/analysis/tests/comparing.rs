//! Runs with known truth, made by the real meter from simulated operations: two draws of one process
//! must not be reported as different, and a real change must be found.
//!
//! An integration test, because it computes longer than unit tests: here the crate is optimised.

#![allow(clippy::unwrap_used)]

#[path = "../src/compare/tests/draws.rs"]
mod draws;

use draws::Draws;
use reelgauge_analysis::compare::{Comparison, ComparisonRow, Judgement, RunToCompare, compare};
use reelgauge_analysis::figures::PointTiming;
use reelgauge_analysis::meter::Meter;
use reelgauge_analysis::summary::{LoadPoint, LoadPointFacts, Summary, Target};
use reelgauge_record::test_records::op;
use reelgauge_record::{OpFlags, OpKind};

const WORKERS: u32 = 4;
const PAIRS: u64 = 50;
/// This many of them must be judged correctly.
const ENOUGH: usize = 48;
const NS: f64 = 1e9;

/// A draw from the normal distribution.
fn normal(draws: &mut Draws) -> f64 {
    (-2.0 * draws.share().ln()).sqrt() * (std::f64::consts::TAU * draws.share()).cos()
}

/// Storage that answers in about `mean_ms`, with slow variations.
#[derive(Clone, Copy)]
struct Storage {
    mean_ms: f64,
    /// The size of the variations, as a share.
    mood: f64,
    /// The autocorrelation of the variations after a second.
    memory: f64,
    /// Hiccups per second, of 20 to 120 ms.
    hiccups_per_s: f64,
    duration_s: u64,
}

const CALM: Storage = Storage { mean_ms: 8.0, mood: 0.03, memory: 0.0, hiccups_per_s: 0.0, duration_s: 30 };
const MOODY: Storage = Storage { mean_ms: 8.0, mood: 0.06, memory: 0.6, hiccups_per_s: 0.5, duration_s: 60 };

/// The variation of every second, and the hiccups: when, and for how long.
fn weather(storage: &Storage, draws: &mut Draws) -> (Vec<f64>, Vec<(f64, f64)>) {
    let (mut mood, mut moods, mut hiccups) = (normal(draws), Vec::new(), Vec::new());
    for second in 0..storage.duration_s + 2 {
        mood = storage.memory * mood + (1.0 - storage.memory.powi(2)).sqrt() * normal(draws);
        moods.push((storage.mood * mood).exp());
        if draws.share() < storage.hiccups_per_s {
            hiccups.push((second as f64 + draws.share(), 0.02 + 0.1 * draws.share()));
        }
    }
    (moods, hiccups)
}

/// A run of workers that always have one operation in flight.
fn run(storage: &Storage, seed: u64) -> Summary {
    let draws = &mut Draws::new(seed);
    let (moods, hiccups) = weather(storage, draws);
    let mut meter = Meter::new();
    let warmup_s = 1.0;
    for worker in 0..WORKERS {
        let mut now_s = 0.0;
        while now_s < warmup_s + storage.duration_s as f64 {
            let mood = moods[(now_s as usize).min(moods.len() - 1)];
            let mut took_s = storage.mean_ms / 1e3 * mood * (0.4 * normal(draws) - 0.08).exp();
            if let Some((_, hiccup_s)) = hiccups.iter().find(|(at, _)| (*at..at + 0.02).contains(&now_s)) {
                took_s += hiccup_s;
            }
            let kind = if draws.next().is_multiple_of(2) { OpKind::Read } else { OpKind::Write };
            let flags = OpFlags::NONE.with_if(OpFlags::WARMUP, now_s < warmup_s);
            let op = op(kind).by_worker(worker).of_len(65_536).flagged(flags);
            meter.add(&op.at_ns((now_s * NS) as u64).done_at_ns(((now_s + took_s) * NS) as u64));
            now_s += took_s;
        }
    }
    let series = meter.series();
    let measured_ns = storage.duration_s * 1_000_000_000;
    let point = meter.finish_point(0, PointTiming { started_ns: 0, measured_ns });
    let facts =
        LoadPointFacts { label: "4 workers".to_owned(), workers: WORKERS, ..LoadPointFacts::default() };
    let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
    let mut summary = Summary::new("1", "", "mix", target);
    summary.load_points = vec![LoadPoint::new(facts, point)];
    summary.series = series;
    summary
}

/// A comparison of these runs, without known actors.
fn compared(summaries: &[Summary], repeats: Option<usize>) -> Comparison {
    let run = |summary| RunToCompare { id: "run", summary, machines: &[], work: &[] };
    let runs: Vec<RunToCompare<'_>> = summaries.iter().map(run).collect();
    compare(&runs, repeats, &|_, _| String::new()).unwrap()
}

/// The row of a figure; the first one, of any load point.
fn row<'a>(comparison: &'a Comparison, figure: &str) -> &'a ComparisonRow {
    comparison.rows.iter().find(|row| row.figure == figure).unwrap()
}

/// Pairs of runs, compared.
fn judged_all(storages: [&Storage; 2], first_seed: u64) -> Vec<Comparison> {
    let pair = |at: u64| {
        let seed = first_seed + 2 * at;
        compared(&[run(storages[0], seed), run(storages[1], seed + 1)], None)
    };
    (0..PAIRS).map(pair).collect()
}

/// The first five are those in which a change of a fifth is found.
const FIGURES: [&str; 14] = [
    "total.read_bytes_per_s",
    "total.written_bytes_per_s",
    "total.data_ops_per_s",
    "total.response.read.mean_us",
    "total.response.read.p50_us",
    "total.failed_ops",
    "total.response.read.p95_us",
    "total.response.read.p99_us",
    "total.response.read.p99_9_us",
    "total.response.read.max_us",
    "total.response.write.mean_us",
    "total.response.write.p95_us",
    "total.response.write.p99_us",
    "total.response.write.max_us",
];

/// The number of comparisons with this judgement on a figure.
fn count(comparisons: &[Comparison], figure: &str, wanted: Judgement) -> usize {
    comparisons.iter().filter(|comparison| row(comparison, figure).judgement[1] == wanted).count()
}

#[test]
fn two_draws_of_one_process_are_the_same() {
    for (name, storage, seed) in [("calm", &CALM, 1000), ("moody", &MOODY, 5000)] {
        let comparisons = judged_all([storage, storage], seed);
        for figure in FIGURES {
            let same = count(&comparisons, figure, Judgement::Same);
            assert!(same >= ENOUGH, "{name} {figure}: only {same} of {PAIRS} are the same");
        }
    }
}

#[test]
fn a_storage_that_is_slower_by_a_fifth_is_found() {
    for (name, storage, seed) in [("calm", CALM, 20_000), ("moody", MOODY, 30_000)] {
        // A fifth less per second.
        let slower = Storage { mean_ms: storage.mean_ms * 1.25, ..storage };
        let comparisons = judged_all([&storage, &slower], seed);
        for figure in &FIGURES[..5] {
            let worse = count(&comparisons, figure, Judgement::Worse);
            assert!(worse >= ENOUGH, "{name} {figure}: only {worse} of {PAIRS} are worse");
        }
        assert_eq!(count(&comparisons, "total.failed_ops", Judgement::Same), PAIRS as usize, "{name}");
    }
}

#[test]
fn percentiles_that_double_are_found() {
    let slower = Storage { mean_ms: 2.0 * CALM.mean_ms, ..CALM };
    let comparisons = judged_all([&CALM, &slower], 40_000);
    for figure in ["total.response.read.p95_us", "total.response.write.p99_us"] {
        let worse = count(&comparisons, figure, Judgement::Worse);
        assert!(worse >= ENOUGH, "{figure}: only {worse} of {PAIRS} are worse");
    }
}

#[test]
fn three_before_and_three_after_find_a_fifth_where_runs_differ_by_three_percent() {
    let (mut found, mut same) = (0, 0);
    for at in 0..PAIRS {
        let mut luck = Draws::new(70_000 + at);
        let mut runs = |mean_ms: f64| -> Vec<Summary> {
            let mut storage =
                || Storage { mean_ms: mean_ms * (0.03 * normal(&mut luck)).exp(), duration_s: 10, ..CALM };
            (0..3)
                .map(|_| storage())
                .enumerate()
                .map(|(run_at, one)| run(&one, 80_000 + 9 * at + run_at as u64))
                .collect()
        };
        let (before, again, after) = (runs(CALM.mean_ms), runs(CALM.mean_ms), runs(1.25 * CALM.mean_ms));
        let judged = |after: &[Summary]| {
            let comparison = compared(&[&before[..], after].concat(), Some(3));
            row(&comparison, "total.read_bytes_per_s").judgement[3]
        };
        found += usize::from(judged(&after) == Judgement::Worse);
        same += usize::from(judged(&again) == Judgement::Same);
    }
    assert!(found >= ENOUGH && same >= ENOUGH, "{found} of {PAIRS} found, {same} the same");
}
