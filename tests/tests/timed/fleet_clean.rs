//! Leftovers of fleet runs, and `fleet clean`: it removes test files, but unfetched data only by name.

use std::fs;
use std::time::Instant;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, until_measuring};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, only_in, text};
use rustix::process::Signal;
use serde_json::Value;

/// Leftovers of this kind with their host; the controller's has no name.
fn left<'a>(told: &'a Value, kind: &str) -> Vec<(Option<&'a str>, &'a Value)> {
    let each = at(told, "left").as_array().unwrap().iter();
    let of = each.flat_map(|of| {
        let agent = of["agent"].as_str();
        at(of, "leftovers").as_array().unwrap().iter().map(move |left| (agent, left))
    });
    of.filter(|(_, left)| text(left, "kind") == kind).collect()
}

#[test]
fn test_files_are_removed_and_unfetched_runs_only_by_their_name() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::new(&["a", "b"], "2s");
    // A fetched run leaves its test files, and nothing else.
    bed.run().wait(PATIENCE).expect_code(0);
    let fetched = only_in(&bed.runs());
    let listed = bed.fleet.ask(&["clean", "--json"]).expect_code(0).json();
    let files = left(&listed, "test_files");
    assert_eq!(files.iter().map(|(agent, _)| *agent).collect::<Vec<_>>(), [Some("a"), Some("b")]);
    assert!(files.iter().all(|(_, left)| left["bytes"].as_u64().unwrap() > 0), "{listed:#}");
    assert!(left(&listed, "run").is_empty(), "{listed:#}");
    let screen = bed.fleet.ask(&["clean"]).expect_code(0).words();
    assert!(screen.contains("fleet clean --yes"), "{screen}");

    // The leftovers of a run whose controller and agent b were killed are on a, b and the controller.
    let mut run = bed.run();
    until_measuring(&mut run);
    run.signal(Signal::KILL);
    bed.kill_agent("b");
    drop(run);
    bed.start_who_is_gone();
    let name = only_in(&bed.fleet.dir().join("runs")).file_name().unwrap().to_str().unwrap().to_owned();
    // Until the load has ended, because removal is refused before.
    let since = Instant::now();
    let is_idle = std::iter::repeat_with(|| bed.fleet.ask(&["clean"]).code == Some(0))
        .take_while(|is_idle| *is_idle || since.elapsed() < PATIENCE)
        .any(|is_idle| is_idle);
    assert!(is_idle, "a run goes on for ever");
    let cleaned = bed.fleet.ask(&["clean", "--yes", "--json"]).expect_code(0).json();
    let files = left(&cleaned, "test_files");
    assert!(files.iter().all(|(_, left)| left["is_removed"] == true), "{cleaned:#}");
    let runs = left(&cleaned, "run");
    assert_eq!(runs.iter().map(|(agent, _)| *agent).collect::<Vec<_>>(), [Some("a"), Some("b"), None]);
    for (_, run) in runs {
        assert_eq!((text(run, "name"), &run["is_removed"]), (name.as_str(), &Value::Bool(false)));
    }
    for agent in ["a", "b"] {
        assert_eq!(fs::read_dir(bed.fleet.root("nas").join(agent)).unwrap().count(), 0, "{agent}");
        assert_eq!(bed.left(agent).len(), 1, "{agent}");
        assert!(bed.agent(agent).stderr().contains("Removing"), "{}", bed.agent(agent).stderr());
    }

    // An unknown name, a dry run of a known one, and its removal.
    let unknown = bed.fleet.ask(&["clean", "20261101T000000Z-abcdef"]).expect_code(2);
    assert!(unknown.stderr.contains("20261101T000000Z-abcdef"), "{}", unknown.stderr);
    bed.fleet.ask(&["clean", &name]).expect_code(0);
    assert_eq!(bed.left("a").len(), 1, "it was only listed");
    let removed = bed.fleet.ask(&["clean", &name, "--yes", "--json"]).expect_code(0).json();
    assert!(left(&removed, "run").iter().all(|(_, left)| left["is_removed"] == true), "{removed:#}");
    assert!(bed.left("a").is_empty() && bed.left("b").is_empty());
    let again = bed.fleet.ask(&["clean", "--json"]).expect_code(0).json();
    assert!(left(&again, "run").is_empty(), "{again:#}");
    assert!(fetched.join("summary.json").is_file(), "what was fetched is the user's");
}

#[test]
fn read_only_and_busy_agents_keep_their_test_files() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::new(&["a", "b"], "15s");
    bed.run().wait(PATIENCE).expect_code(0);
    bed.kill_agent("b");
    let gone = bed.fleet.ask(&["clean", "--json"]).expect_code(1).json();
    assert_eq!(at(&gone, "no_answer.0.why.is"), "not_heard");
    bed.limit_agent("b", &["--read-only"]);
    let told = bed.fleet.ask(&["clean", "--yes"]).expect_code(1).words();
    assert!(told.contains("--read-only"), "{told}");
    assert!(fs::read_dir(bed.fleet.root("nas").join("b")).unwrap().count() > 0);
    bed.limit_agent("b", &[]);
    let mut run = bed.run();
    until_measuring(&mut run);
    let busy = bed.fleet.ask(&["clean", "--yes", "--json"]).expect_code(1).json();
    assert!(text(&busy, "no_answer.0.why.why").contains("in progress"), "{busy:#}");
    run.wait(PATIENCE).expect_code(0);
}
