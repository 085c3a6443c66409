//! One run on many hosts: agents on the local host, each with a folder, and a real nats-server between
//! them and the controller. Tests faults of all three.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, listed, until_measuring};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, only_in, summary, text};
use rustix::process::Signal;

#[test]
fn agents_start_together_and_all_operations_arrive() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b", "c"], "2s");
    let summary = bed.run().wait(PATIENCE).expect_code(0).json();
    let ops = counted(&only_in(&bed.runs()), &summary);
    assert!(ops.len() == 3 && ops.iter().all(|&ops| ops > 0), "{ops:?}");
    // All agents received the start in time and began at it. All clocks are of one host, however busy.
    let skew_us = number(&summary, "hosts.points.0.start_skew_us");
    assert!(skew_us < 1e6, "{skew_us}");
    for name in ["a", "b", "c"] {
        assert!(bed.left(name).is_empty(), "{name} keeps what was fetched");
    }
    assert!(std::fs::read_dir(bed.fleet.dir().join("runs")).unwrap().next().is_none());
}

/// EBU Tech 3362: one file for all clients.
#[test]
fn agents_share_one_data_set_and_other_runs_cannot_take_its_area() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b", "c"], "4s");
    let target = bed.plan_with_shared_data();
    let mut run = bed.run();
    until_measuring(&mut run);
    let stranger = Mix::on(&target).run().expect_code(2);
    assert!(stranger.stderr.contains("in use"), "{}", stranger.said());
    let summary = run.wait(PATIENCE).expect_code(0).json();
    let whole = only_in(&bed.runs());
    assert!(counted(&whole, &summary).iter().all(|&ops| ops > 0), "{summary:#}");
    let ops = listed(&whole);
    // Two workers of each agent.
    let writes = ops.iter().filter(|op| text(op, "kind") == "write");
    assert_eq!(writes.map(|op| count(op, "worker")).collect::<BTreeSet<u64>>().len(), 6);
    let files: BTreeSet<&str> = ops.iter().map(|op| text(op, "file").split_once(": ").unwrap().1).collect();
    assert_eq!(files.len(), 2, "{files:?}");
    assert_eq!(std::fs::read_dir(target.join("reelgauge-area/data")).unwrap().count(), 1);
    Mix::on(&target).run().expect_code(0);
}

#[test]
fn a_missing_directory_is_named_before_anything_begins() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "1s");
    let gone = bed.fleet.root("nas").join("b");
    std::fs::remove_dir(&gone).unwrap();
    let dry = bed.run_with(&["--dry-run"]).wait(PATIENCE).expect_code(2);
    let run = bed.run().wait(PATIENCE).expect_code(2);
    for outcome in [dry, run] {
        assert!(outcome.stderr.contains(&*gone.to_string_lossy()), "{}", outcome.said());
        assert!(!outcome.stderr.contains("nas/a"), "{}", outcome.said());
    }
    assert!(bed.left("a").is_empty() && bed.left("b").is_empty(), "nothing began");
}

#[test]
fn an_agent_that_is_killed_is_named_and_its_log_is_fetched_later() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::new(&["a", "b"], "9s");
    let mut run = bed.run();
    until_measuring(&mut run);
    bed.kill_agent("b");
    let outcome = run.wait(PATIENCE).expect_code(3);
    let first = outcome.json();
    assert!(at(&first, "hosts.hosts.0.missing_from_s").is_null(), "{first:#}");
    assert!(at(&first, "hosts.hosts.1.missing_from_s").is_number(), "{first:#}");
    assert!(!bed.left("b").is_empty());
    bed.start_agent("b");
    let summary = bed.logs().expect_code(3).json();
    assert!(counted(&only_in(&bed.runs()), &summary).iter().all(|&ops| ops > 0), "{summary:#}");
    assert!(bed.left("b").is_empty());
}

#[test]
fn load_stops_without_its_controller_and_keeps_results() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "60s");
    let mut run = bed.run();
    until_measuring(&mut run);
    run.signal(Signal::KILL);
    let killed = Instant::now();
    let run_dir = |name: &str| only_in(&bed.left(name)[0].join("runs"));
    let is_over = |name: &str| run_dir(name).join("summary.json").exists();
    while !(is_over("a") && is_over("b")) {
        // Five seconds as promised; the rest is for the summary, and for a busy host.
        assert!(killed.elapsed() < Duration::from_secs(20), "an orphan goes on");
        std::thread::sleep(Duration::from_millis(100));
    }
    for name in ["a", "b"] {
        let reason = text(&summary(&run_dir(name)), "outcome_reason").to_owned();
        assert!(reason.contains("controller") && reason.contains(" s"), "{reason}");
    }
    let summary = bed.logs().expect_code(3).json();
    assert!(counted(&only_in(&bed.runs()), &summary).iter().all(|&ops| ops > 0), "{summary:#}");
    assert!(bed.left("a").is_empty() && bed.left("b").is_empty());
}

#[test]
fn restarted_server_keeps_all_data() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let mut bed = Bed::new(&["a", "b"], "6s");
    let mut run = bed.run();
    until_measuring(&mut run);
    bed.server_again();
    let outcome = run.wait(2 * PATIENCE);
    // On a quick host no agent was missed. On a slow one the load ended, and an agent is named.
    assert!(matches!(outcome.code, Some(0 | 3)), "{}", outcome.said());
    let told = outcome.json();
    let is_missing = |host: &str| at(&told, &format!("hosts.hosts.{host}.missing_from_s")).is_number();
    assert_eq!(outcome.code == Some(3), is_missing("0") || is_missing("1"), "{}", outcome.said());
    assert!(counted(&only_in(&bed.runs()), &outcome.json()).iter().all(|&ops| ops > 0), "{}", outcome.said());
}
