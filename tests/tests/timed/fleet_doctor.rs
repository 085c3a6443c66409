//! The doctors of a fleet's hosts, run at the same time. Each finding is the same as on the host alone,
//! and is shown once with the names of all its hosts.

use std::collections::BTreeSet;

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, until_measuring};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, text};
use rustix::process::Signal;
use serde_json::Value;

/// The values of a field in a list of objects.
fn each<'a>(list: &'a Value, name: &str) -> BTreeSet<&'a str> {
    list.as_array().unwrap().iter().map(|one| text(one, name)).collect()
}

#[test]
fn findings_of_several_hosts_are_shown_once_and_silent_hosts_named() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b", "c"], "30s");
    bed.kill_agent("c");
    let root = bed.fleet.root("nas");
    let before: BTreeSet<_> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    let own = binary::run(["doctor", &root.display().to_string(), "--json"]).json();
    let outcome = bed.fleet.ask(&["doctor", "--json"]).expect_code(1);
    let found = outcome.json();
    println!("{found:#}");
    // The agents are on one host, so each found the same as a local doctor.
    assert_eq!(each(at(&found, "findings"), "rule"), each(at(&own, "findings"), "rule"));
    for finding in at(&found, "findings").as_array().unwrap() {
        let rule = text(finding, "rule");
        assert_eq!(at(finding, "hosts"), &serde_json::json!(["a", "b"]), "{rule}");
        let local = at(&own, "findings").as_array().unwrap().iter();
        let local = local.clone().find(|local| text(local, "rule") == rule).unwrap();
        // Counters may differ between checks, so only the number of sentences is compared.
        let said = at(finding, "found").as_array().unwrap().len();
        assert!(said >= at(local, "found").as_array().unwrap().len().min(8), "{rule}");
        assert_eq!(text(finding, "title"), text(local, "title"));
    }
    assert_eq!(at(&found, "hosts"), &serde_json::json!(["a", "b"]));
    assert!(at(&found, "not_looked").as_array().unwrap().is_empty(), "both looked: {found:#}");
    assert_eq!(at(&found, "no_answer.0.agent"), "c");
    assert_eq!(at(&found, "no_answer.0.why.is"), "not_heard");
    assert!(at(&found, "differences").as_array().unwrap().is_empty(), "{found:#}");
    let after: BTreeSet<_> = std::fs::read_dir(&root).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(before, after, "it only looks");
    assert!(bed.agent("a").stderr().contains("Checking"), "{}", bed.agent("a").stderr());

    // One host alone, on the screen; and a name that is not in the fleet.
    let screen = bed.fleet.ask(&["doctor", "a"]);
    assert!(screen.words().starts_with("1 host "), "{}", screen.said());
    let unknown = bed.fleet.ask(&["doctor", "edit-07"]).expect_code(2);
    assert!(unknown.stderr.contains("edit-07"), "{}", unknown.stderr);

    // A run is not disturbed by it.
    let mut run = bed.run();
    until_measuring(&mut run);
    let busy = bed.fleet.ask(&["doctor", "a", "b", "--json"]).expect_code(1).json();
    for at_work in ["0", "1"] {
        let why = text(&busy, &format!("no_answer.{at_work}.why.why"));
        assert!(why.contains("in progress"), "{busy:#}");
    }
    run.signal(Signal::INT);
    run.wait(reelgauge_tests::fleet_bed::PATIENCE);
}
