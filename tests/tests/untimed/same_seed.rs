//! A run can be repeated: the same seed requests the same operations, whatever driver performs them.

use std::ffi::OsString;
use std::path::Path;

use reelgauge_tests::binary;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::python;
use reelgauge_tests::require;
use reelgauge_tests::run_dir;
use reelgauge_tests::scratch::Scratch;
use serde_json::Value;

/// The requested operations of each worker, in order.
fn operations(run: &Path) -> Vec<Vec<Value>> {
    let workers = python::script("operations.py", &[run]);
    let workers = workers.as_array().unwrap().iter();
    workers.map(|worker| worker.as_array().unwrap().clone()).collect()
}

/// Checks that the runs requested the same operations, as far as both got.
#[track_caller]
fn same_as_far_as_both_got(a: &[Vec<Value>], b: &[Vec<Value>]) {
    assert_eq!(a.len(), b.len(), "workers");
    for (worker, (a, b)) in a.iter().zip(b).enumerate() {
        // The close at the end of a run that was cut off is the driver's, not the script's.
        let both = a.len().min(b.len()).saturating_sub(2);
        assert!(both > 50, "worker {worker} did only {both} operations");
        let differs = (0..both).find(|&at| a[at] != b[at]);
        assert_eq!(differs.map(|at| (&a[at], &b[at])), None, "worker {worker}");
    }
}

#[test]
fn every_block_once_is_the_same_twice() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let run = |seed: &str| {
        let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--no-repeat", "--seed", seed]);
        let mix = mix.with(&["--blocks", "64KiB", "--random", "100", "--duration", "60s", "--warmup", "0s"]);
        mix.measure();
        operations(&mix.run_dir())
    };
    let (first, second) = (run("7"), run("7"));
    assert_eq!(first, second);
    assert_ne!(first, run("8"));
}

#[test]
fn both_drivers_do_the_same() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let run = |driver: &str| {
        let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--seed", "7", "--driver", driver]);
        mix.measure();
        operations(&mix.run_dir())
    };
    same_as_far_as_both_got(&run("threads"), &run("uring"));
}

#[test]
fn the_plan_of_a_run_repeats_it() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).with(&["--buffered", "--duration", "1s"]);
    mix.measure();
    let first = mix.run_dir();
    let again = scratch.dir("again");
    let words = [OsString::from("run"), first.join("run.toml").into(), "--json".into(), "--out".into()];
    binary::run(words.into_iter().chain([again.clone().into()])).expect_code(0);
    same_as_far_as_both_got(&operations(&first), &operations(&run_dir::only_in(&again)));
}
