//! A fleet whose hosts lose contact for a while, or whose wall clocks are set. Neither changes a figure.
//!
//! `REELGAUGE_OUTAGE_S` is the length of the outage.

use std::time::Duration;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted, until_measuring};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, number, only_in, text};
use reelgauge_tests::seeded_random::setting;
use reelgauge_tests::set_clock::{self, SetClock};
use rustix::process::{Pid, Signal, kill_process_group};

const SECOND_NS: i64 = 1_000_000_000;

/// The server is stopped, and every connection with it.
#[test]
fn a_server_that_is_away_costs_nothing() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let away = Duration::from_secs(setting("REELGAUGE_OUTAGE_S", 4));
    let mut bed = Bed::new(&["a", "b"], "6s");
    // As their owners have them.
    for name in ["a", "b"] {
        bed.limit_agent(name, &[]);
    }
    let mut run = bed.run();
    until_measuring(&mut run);
    let server = Pid::from_raw(i32::try_from(bed.fleet.up().pid()).unwrap()).unwrap();
    kill_process_group(server, Signal::STOP).unwrap();
    std::thread::sleep(away);
    kill_process_group(server, Signal::CONT).unwrap();
    let outcome = run.wait(PATIENCE).expect_code(0);
    let summary = outcome.json();
    assert_eq!(text(&summary, "outcome"), "complete", "{}", outcome.stderr);
    assert!(!outcome.stderr.contains("missing"), "{}", outcome.stderr);
    let ops = counted(&only_in(&bed.runs()), &summary);
    assert!(ops.iter().all(|&ops| ops > 0), "{ops:?}");
    let measured_s = number(&summary, "load_points.0.measured_s");
    assert!((5.9..7.0).contains(&measured_s), "{measured_s}");
}

/// Three of four agents have their clocks set during the run. One of them is set back before the end.
#[test]
fn clocks_that_are_set_change_no_figure_and_are_reported() {
    require!(Need::NatsServer);
    for need in set_clock::NEEDS {
        require!(*need);
    }
    let _turn = my_turn();
    let steps = [("a", 3_600 * SECOND_NS), ("b", 2 * SECOND_NS), ("c", -2 * SECOND_NS)];
    let clocks: Vec<SetClock> = steps.iter().map(|_| SetClock::new()).collect();
    let mut bed = Bed::new(&["a", "b", "c", "d"], "3s");
    for ((name, _), clock) in steps.iter().zip(&clocks) {
        bed.limit_agent_by(name, clock.command(), &[]);
    }
    let mut run = bed.run();
    until_measuring(&mut run);
    for ((_, ahead_ns), clock) in steps.iter().zip(&clocks) {
        clock.set(*ahead_ns);
    }
    std::thread::sleep(Duration::from_millis(1_200));
    clocks[1].set(0);
    let summary = run.wait(PATIENCE).expect_code(0).json();
    let ops = counted(&only_in(&bed.runs()), &summary);
    assert!(ops.iter().all(|&ops| ops > 0), "{ops:?}");
    // All began at the same time and measured for three seconds.
    let measured_s = number(&summary, "load_points.0.measured_s");
    assert!((2.9..4.0).contains(&measured_s), "{measured_s}");
    let rate = number(&summary, "load_points.0.total.bytes_per_s");
    let bytes = number(&summary, "load_points.0.total.read_bytes")
        + number(&summary, "load_points.0.total.written_bytes");
    assert!((rate * measured_s - bytes).abs() <= bytes * 0.001, "{rate} {bytes}");
    let skew_us = number(&summary, "hosts.points.0.start_skew_us");
    assert!(skew_us < 1e6, "{skew_us}");
    assert!(number(&summary, "hosts.points.0.start_uncertainty_us") < 1e6);
    for (host, (name, by_ns)) in steps.iter().enumerate() {
        let told = at(&summary, &format!("hosts.hosts.{host}.clock_steps")).as_array().unwrap();
        let by_s = |step: &serde_json::Value| number(step, "by_s");
        assert!((by_s(&told[0]) - *by_ns as f64 / 1e9).abs() < 0.1, "{name}: {told:?}");
        assert_eq!(told.len(), if *name == "b" { 2 } else { 1 }, "{name}: {told:?}");
    }
    let notes = at(&summary, "notes").to_string();
    assert!(notes.contains("60 min 00 s"), "{notes}");
}
