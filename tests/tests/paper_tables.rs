//! The EBU tables: every cell is what an independent script computes from the log.
//!
//! Not here: that no cell claims more than the storage gives. A queue that serves requests in turn gives
//! large blocks more than their share, so that is held against simulated stores (the runner's
//! `known_latencies`).

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::{python, require};
use serde_json::Value;

/// The figures of a cell, as both know them.
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

/// Every cell of the summary, of all workers and of each, is what the script finds in the log, and the other
/// way round.
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
        let mix = Mix::on(&target).without("--workers").without("--duration").without("--length");
        let mix = mix.with(&["--buffered", "--ramp", "1..3", "--step", "700ms", "--sync", sync]);
        // The warm-up cuts transfers, and many are shorter than their block.
        let mix = mix.with(&["--max-length", "2MiB", "--blocks", "4KiB..1MiB", "--random", "30"]);
        tables_follow_from_the_log(&mix, &mix.measure());
    }
}
