//! The EBU tables: every cell is what an independent script computes from the log, and on a store of known
//! bandwidth no cell claims another rate than the store gives.
//!
//! The store has to be fair. A queue that serves requests in turn gives large blocks more than their
//! share (1.32 × was measured), which is no fault of the tables; see the runner's `known_latencies`.

use std::collections::BTreeMap;
use std::path::Path;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::run_dir::{at, count, number};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::{needs, python, require};
use serde_json::Value;

/// The figures of a cell that the summary and the script have in common.
const FIGURES: [&str; 8] = [
    "data_ops",
    "bytes",
    "transfers",
    "transfer_rate_while_transferring_mb_per_s",
    "short_block_share",
    "average_latency_ms",
    "average_gap_ms",
    "maximum_latency_s",
];

/// The cells of these tables for which something was measured.
fn cells_of(paper: &Value) -> Vec<&Value> {
    let cells = at(paper, "cells").as_array().unwrap().iter();
    cells.filter(|cell| count(cell, "data_ops") > 0 || count(cell, "transfers") > 0).collect()
}

/// Every cell of the summary, of all workers and of each, equals that of the script, and vice versa.
#[track_caller]
fn tables_follow_from_the_log(mix: &Mix, printed: &Value) {
    let script = python::script("paper_tables.py", &[&mix.run_dir()]);
    let found = at(&script, "cells").as_array().unwrap();
    let mut compared = 0;
    for (point, stated) in at(printed, "load_points").as_array().unwrap().iter().enumerate() {
        let all = cells_of(at(stated, "paper")).into_iter().map(|cell| (Value::Null, cell));
        let workers = at(stated, "per_worker").as_array().unwrap().iter();
        let of_workers = workers.flat_map(|worker| {
            cells_of(at(worker, "paper")).into_iter().map(|cell| (at(worker, "worker").clone(), cell))
        });
        for (worker, cell) in all.chain(of_workers) {
            let is_it = |found: &&Value| {
                count(found, "point") == point as u64
                    && at(found, "worker") == &worker
                    && ["mode", "block_bytes"].iter().all(|name| at(found, name) == at(cell, name))
            };
            let found = found.iter().find(is_it).unwrap_or_else(|| panic!("not in the log: {worker} {cell}"));
            for name in FIGURES {
                let (ours, theirs) = (at(cell, name).as_f64(), at(found, name).as_f64());
                let same = match (ours, theirs) {
                    // Ours is rounded to six digits behind the point.
                    (Some(ours), Some(theirs)) => (ours - theirs).abs() <= 1e-6 + 1e-9 * theirs.abs(),
                    (ours, theirs) => ours == theirs,
                };
                assert!(same, "{name} of point {point}, worker {worker}: {cell}, in the log {found}");
            }
            compared += 1;
        }
    }
    assert_eq!(compared, found.len(), "cells of the summary and of the log");
}

#[test]
fn every_cell_follows_from_the_log() {
    require!(Need::Python);
    let scratch = Scratch::new();
    for (at, sync) in ["none", "transfer", "block"].into_iter().enumerate() {
        let target = scratch.dir(&format!("target-{at}"));
        let mix = Mix::flat_out_on(&target).without("--workers").without("--duration").without("--length");
        let mix = mix.with(&["--buffered", "--ramp", "1..3", "--step", "700ms", "--sync", sync]);
        // The warm-up cuts transfers, and many are shorter than their block.
        let mix = mix.with(&["--max-length", "2MiB", "--blocks", "4KiB..1MiB", "--random", "30"]);
        tables_follow_from_the_log(&mix, &mix.measure());
    }
    // Several blocks of a transfer in flight: their times overlap.
    for driver in ["threads", "uring"] {
        let mix = Mix::flat_out_on(&scratch.dir(&format!("target-{driver}"))).without("--length");
        let mix =
            mix.with(&["--buffered", "--max-length", "2MiB", "--blocks", "4KiB..256KiB", "--random", "30"]);
        let mix = mix.with(&["--in-flight", "8", "--sync", "transfer", "--driver", driver]);
        tables_follow_from_the_log(&mix, &mix.measure());
    }
}

/// At 8 MB/s a transfer of 1 MiB takes two workers a quarter of a second, nearly all of it waiting for the
/// limit.
#[test]
fn waits_for_a_rate_limit_are_no_latency() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = Mix::flat_out_on(&target).without("--workers").without("--duration").without("--length");
    let mix = mix.with(&["--buffered", "--workers", "2", "--duration", "1500ms", "--max-rate", "8MiB"]);
    let mix = mix.with(&["--length", "1MiB", "--blocks", "256KiB"]);
    let printed = mix.measure();
    tables_follow_from_the_log(&mix, &printed);
    let paper = at(&at(&printed, "load_points")[0], "paper");
    let all = cells_of(paper)
        .into_iter()
        .find(|cell| at(cell, "mode") == "all" && at(cell, "block_bytes").is_null());
    let latency_ms = number(all.expect("a margin of all cells"), "average_latency_ms");
    assert!(latency_ms < 60.0, "{latency_ms} ms of a transfer that waits for 250 ms");
}

/// The bandwidth of the store, shared evenly by the workers.
const STORE_BYTES_PER_S: u64 = 8_000_000;

/// The tolerated deviation of a cell's rate times the workers. The store does not see the path from the
/// tool and back, which is 0.15 ms of the 16 ms of the smallest block (1 %). Nor can it make up for the
/// late answer of a transfer's last block (1 ms of the 262 ms of the shortest).
const TOLERANCE: f64 = 0.03;

/// On a busy host the tool waits for a processor after an answer has arrived. The measurement is then
/// true, but slower than the known value. A cell may be too slow in all but one of so many runs, but
/// never too fast.
const ATTEMPTS: usize = 4;

/// A mix of block sizes by so many workers, of transfers that all block sizes divide evenly.
fn mixed_blocks(target: &Path, workers: &str) -> Mix {
    let mix = Mix::flat_out_on(target).with(&[
        "--workers",
        workers,
        "--length",
        "2MiB",
        "--blocks",
        "128KiB..1MiB",
    ]);
    let files = ["--files", "8", "--file-size", "8MiB", "--random", "30", "--writes", "50"];
    // With one seed, runs have the same cells.
    mix.with(&files).with(&["--seed", "7"])
}

/// Every cell, of all workers together and of each, by its name: its rate times the workers, as a share of
/// what the store gives.
fn shares_of_the_store(summary: &Value, workers: u32) -> Vec<(String, f64)> {
    let point = at(summary, "load_points.0");
    let of_workers = at(point, "per_worker").as_array().unwrap().iter();
    let of_workers =
        of_workers.map(|worker| (format!("worker {}", at(worker, "worker")), at(worker, "paper")));
    let share = |rate: f64| rate * 1e6 * f64::from(workers) / STORE_BYTES_PER_S as f64;
    let cells =
        of_workers.chain([("all workers".to_owned(), at(point, "paper"))]).flat_map(|(who, paper)| {
            cells_of(paper).into_iter().filter_map(move |cell| {
                let rate = at(cell, "transfer_rate_while_transferring_mb_per_s").as_f64()?;
                Some((format!("{who}, {}, {}", at(cell, "mode"), at(cell, "block_bytes")), share(rate)))
            })
        });
    cells.collect()
}

/// The cells that were too slow in every run so far, after another run. In no run may one be too fast.
fn too_slow_again(mix: &Mix, workers: u32, best: &mut BTreeMap<String, f64>) -> Vec<String> {
    let summary = mix.measure();
    tables_follow_from_the_log(mix, &summary);
    assert!(number(&summary, "load_points.0.total.transfers") >= 10.0);
    for (cell, share) in shares_of_the_store(&summary, workers) {
        assert!(share <= 1.0 + TOLERANCE, "{workers} workers, {cell}: {share} of what the store can give");
        let most = best.entry(cell).or_insert(share);
        *most = most.max(share);
    }
    let slow = best.iter().filter(|(_, share)| **share < 1.0 - TOLERANCE);
    slow.map(|(cell, share)| format!("{cell}: {share}")).collect()
}

#[test]
fn no_cell_claims_another_rate_than_the_store_gives() {
    require!(Need::Python);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    for workers in [1_u32, 3, 8] {
        let store = Faulty::over_memory(256, 16);
        let mix = || mixed_blocks(&store.path(), &workers.to_string());
        // Its files are made while the store is still fast.
        mix().with(&["--duration", "100ms", "--warmup", "0s"]).measure();
        store.faults().limit_each_bytes_per_s(STORE_BYTES_PER_S / u64::from(workers));
        // A warm-up would cut a transfer. The measured part would then contain the catch-up of the
        // store, without the delay before it.
        let run = || mix().with(&["--duration", "8s", "--warmup", "0s"]);
        let mut best = BTreeMap::new();
        let slow = (0..ATTEMPTS).map(|_| too_slow_again(&run(), workers, &mut best)).find(Vec::is_empty);
        let (least, most) = best
            .values()
            .fold((f64::MAX, 0.0_f64), |(least, most), share| (least.min(*share), most.max(*share)));
        println!("{workers} workers, {} cells: {least:.4} to {most:.4} of what the store gives", best.len());
        assert!(slow.is_some(), "{workers} workers, too slow: {best:#?}");
    }
}
