//! A trace replayed on many hosts at once, each as one more user with separate files; with a real
//! nats-server.

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, until_measuring};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, only_in, text};
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;

/// Agents that replay a run recorded for this long, in so many passes. Also returns its number of
/// operations.
fn bed(names: &[&str], recorded: &str, passes: &str) -> (Bed, u64) {
    let bed = Bed::new(names, "1s");
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target"));
    let mix = mix.with(&["--buffered", "--warmup", "0ms", "--duration", recorded, "--max-delay", "40ms"]);
    mix.measure();
    // The trace is in a folder that every agent may read.
    let trace = bed.fleet.root("nas").join("trace");
    std::fs::rename(mix.run_dir(), &trace).unwrap();
    let (target, runs) = (scratch.dir("own"), scratch.dir("runs"));
    let words = ["replay", trace.to_str().unwrap(), target.to_str().unwrap(), "--batch", passes, "--out"];
    let own = binary::run(words.into_iter().chain([runs.to_str().unwrap(), "--json"])).expect_end().json();
    let plan = std::fs::read_to_string(only_in(&runs).join("run.toml")).unwrap();
    std::fs::write(bed.path().join("mix.toml"), plan).unwrap();
    (bed, count(&own, "replay.ops"))
}

#[test]
fn each_agent_adds_a_user_to_each_pass() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let (bed, ops) = bed(&["a", "b", "c"], "1s", "2");
    let outcome = bed.run_with(&[]).wait(PATIENCE).expect_end();
    let said = outcome.words();
    assert!(said.contains(" 3 users") && said.contains(" 2 passes"), "{}", outcome.stdout);
    let run_dir = only_in(&bed.runs());
    let summary = reelgauge_tests::run_dir::summary(&run_dir);
    for pass in at(&summary, "replay.passes").as_array().unwrap() {
        assert!(count(pass, "done_ops") == 3 * ops && at(pass, "complete") == true, "{pass:#}");
        assert!(at(pass, "lateness_p99_us").is_null());
    }
    assert_eq!(at(&summary, "replay.passes").as_array().unwrap().len(), 2);
    let counted = counted(&run_dir, &summary);
    assert_eq!((counted.len(), counted.iter().all(|&count| count == counted[0])), (3, true), "{counted:?}");
    assert_eq!(text(&summary, "verb"), "replay");
}

#[test]
fn killed_agent_has_an_incomplete_replay() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let (bed, ops) = bed(&["a", "b"], "8s", "1");
    let mut run = bed.run();
    until_measuring(&mut run);
    bed.agent("b").signal(Signal::KILL);
    let summary = run.wait(PATIENCE).expect_code(3).json();
    let pass = at(&summary, "replay.passes.0");
    assert_eq!(at(pass, "complete"), false, "{pass:#}");
    assert!(count(pass, "done_ops") >= ops && count(pass, "done_ops") < 2 * ops, "{pass:#}");
}
