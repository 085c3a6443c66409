//! VDA-like runs of several load points complete with any seed, and every load point has the published
//! mix. Ten seeds run at once in memory: the requested mix and errors are judged, not the speed.

use std::path::{Path, PathBuf};
use std::time::Duration;

use reelgauge_tests::binary::{Outcome, Running};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::Need;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::verb::Verb;
use reelgauge_tests::{python, require};
use serde_json::Value;

const SEEDS: u64 = 10;
/// Far longer than any of these runs plans for.
const LONGEST: Duration = Duration::from_secs(120);

/// The published mix of the companion.
const COMPANION_MIX: &[(&str, f64)] = &[
    ("rand read", 84.0),
    ("read", 5.0),
    ("readdir", 3.0),
    ("rmw", 2.0),
    ("stat", 2.0),
    ("access", 2.0),
    ("create", 1.0),
    ("unlink", 1.0),
];
/// The value that chi-square with 7 degrees of freedom exceeds once in a thousand.
const ONCE_IN_A_THOUSAND: f64 = 24.32;

/// Runs all of them at once, each to its end.
fn all_at_once(verbs: &[Verb]) -> Vec<Outcome> {
    let running: Vec<Running> = verbs.iter().map(Verb::start).collect();
    running.into_iter().map(|run| run.wait(LONGEST)).collect()
}

/// Checks that the run completed all its load points without an error. Whether it met its criteria
/// depends on the host.
#[track_caller]
fn came_to_its_end(seed: u64, outcome: &Outcome, points: usize) {
    assert!(matches!(outcome.code, Some(0 | 1)), "seed {seed}: {:?}\n{}", outcome.code, outcome.said());
    let summary = outcome.json();
    assert_eq!(text(&summary, "outcome"), "complete", "seed {seed}");
    let measured = at(&summary, "load_points").as_array().unwrap();
    assert_eq!(measured.len(), points, "seed {seed}");
    for point in measured {
        assert_eq!(count(point, "total.failed_ops"), 0, "seed {seed}");
    }
}

/// Each of these with every seed, on separate targets.
fn with_every_seed(mount: &TempMount, make: impl Fn(u64, &Path) -> Verb) -> Vec<Verb> {
    let target = |seed: u64| {
        let target = mount.path().join(format!("seed-{seed}"));
        std::fs::create_dir(&target).unwrap();
        target
    };
    (1..=SEEDS).map(|seed| make(seed, &target(seed))).collect()
}

#[test]
fn ten_points_of_the_curve_end_with_any_seed() {
    require!(Need::Root);
    let _turn = my_turn();
    let mount = TempMount::tmpfs(1536);
    let verbs = with_every_seed(&mount, |seed, target| {
        Verb::on("vda", target)
            .with(&["--points", "1..10", "--file-size", "2MiB", "--files", "2", "--driver", "uring"])
            .with(&["--warmup", "0s", "--duration", "1s", "--seed", &seed.to_string()])
    });
    for (seed, outcome) in (1..).zip(all_at_once(&verbs)) {
        came_to_its_end(seed, &outcome, 10);
    }
}

/// Cameras and companions as in the surveillance scenario, but companions do in a second what the
/// published ones do in a minute and a half. They use up their stock of files repeatedly.
fn busy_surveillance(scratch: &Scratch, seed: u64) -> PathBuf {
    let plan = format!(
        "plan_version = 1\nname = 'surveillance'\nseed = {seed}\nwarmup = '0s'\nduration = '3s'\n\
         direct = false\ndriver = 'uring'\n\
         [[actor]]\nkind = 'camera'\ncount = 2\nfiles = 2\nfile_size = '2MiB'\n\
         [[actor]]\nkind = 'companion'\ncount = 2\nfiles = 2\nfile_size = '1MiB'\nops_per_s = 90.0\n"
    );
    let path = scratch.path().join(format!("seed-{seed}.toml"));
    std::fs::write(&path, plan).unwrap();
    path
}

/// Adds up what companions did, load point by load point.
fn add_up(sum: &mut [Vec<f64>], run: &Path) {
    let counted = python::script("vda_rates.py", &[run]);
    for (sum, point) in sum.iter_mut().zip(at(&counted, "points").as_array().unwrap()) {
        let kinds = at(point, "companion.kinds").as_object().unwrap();
        let unknown: Vec<&String> =
            kinds.keys().filter(|kind| COMPANION_MIX.iter().all(|(name, _)| name != kind)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
        for (sum, (name, _)) in sum.iter_mut().zip(COMPANION_MIX) {
            *sum += kinds.get(*name).and_then(Value::as_f64).unwrap_or(0.0);
        }
    }
}

#[test]
fn surveillance_of_several_scales_ends_with_any_seed_and_keeps_the_mix() {
    require!(Need::Root, Need::Python);
    let _turn = my_turn();
    let (mount, scratch) = (TempMount::tmpfs(1024), Scratch::new());
    let verbs = with_every_seed(&mount, |seed, target| {
        Verb::on("run", busy_surveillance(&scratch, seed))
            .with(&["--scale", "1..3"])
            .with_path("--target", target)
    });
    for (seed, outcome) in (1..).zip(all_at_once(&verbs)) {
        came_to_its_end(seed, &outcome, 3);
    }
    let mut sum = vec![vec![0.0; COMPANION_MIX.len()]; 3];
    for verb in &verbs {
        add_up(&mut sum, &verb.run_dir());
    }
    for (counts, scale) in sum.iter().zip(1..) {
        let all: f64 = counts.iter().sum();
        let terms = counts.iter().zip(COMPANION_MIX).map(|(found, (_, percent))| {
            let expected = all * percent / 100.0;
            assert!(expected >= 5.0, "{all} are too few at scale {scale}");
            (found - expected).powi(2) / expected
        });
        let chi_square: f64 = terms.sum();
        assert!(chi_square < ONCE_IN_A_THOUSAND, "scale {scale}: chi-square {chi_square}, {counts:?}");
    }
}
