//! A run of a fleet as the console shows it live: listed like any other, each host with its row, stopped
//! from the console. Also leftovers of a run without measurements, or of a killed controller. With a
//! real nats-server.

use reelgauge_tests::console::{Console, until};
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, until_measuring, until_said};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{all_in, at, only_in, summary, text};
use rustix::process::Signal;
use serde_json::{Value, json};

fn id_of(bed: &Bed) -> String {
    only_in(&bed.runs()).file_name().unwrap().to_string_lossy().into_owned()
}

fn sum(columns: &Value) -> f64 {
    columns.as_array().unwrap().iter().filter_map(Value::as_f64).sum()
}

#[test]
fn every_host_has_a_row_and_a_console_stop_reaches_all() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b", "c"], "60s");
    let mut run = bed.run();
    until_measuring(&mut run);
    let console = Console::start(bed.path(), &bed.runs());
    let id = id_of(&bed);
    assert_eq!(console.entry(&id).unwrap()["state"], "running");
    let mut events = console.client.events(&format!("/api/runs/{id}/live"));
    let everybody = |event: &Value| {
        event["event"] == "live"
            && sum(at(event, "hosts.read_bytes_per_s")) > 0.0
            && at(event, "hosts.read_bytes_per_s").as_array().unwrap().iter().all(Value::is_number)
    };
    let tick = events.find(everybody).unwrap();
    assert_eq!(tick["hosts"]["name"], json!(["a", "b", "c"]));
    let (all, hosts) = (tick["read_bytes_per_s"].as_f64().unwrap(), sum(at(&tick, "hosts.read_bytes_per_s")));
    assert!((all - hosts).abs() < 1.0, "{tick:#}");
    bed.kill_agent("c");
    let is_missing = |event: &Value| event["event"] == "live" && event["hosts"]["missing"][2].is_string();
    let without = events.find(|event| event["event"] != "live" || !event["hosts"]["missing"][2].is_null());
    assert!(is_missing(&without.unwrap()));
    console.client.change("POST", &format!("/api/runs/{id}/stop"), "").expect(202);
    let end = events.last().unwrap();
    assert_eq!((text(&end, "event"), text(&end, "outcome")), ("end", "broke_off"), "{end}");
    run.wait(PATIENCE).expect_code(3);
    until("the list knows that it ended", || console.entry(&id).unwrap()["state"] == "broke_off");
    assert!(!console.entry(&id).unwrap()["sentence"].as_str().unwrap().is_empty());
}

#[test]
fn a_pause_is_seen_and_the_end_is_that_of_the_summary() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::ramp(&["a", "b"], "1,2", "3s");
    let mut run = bed.run();
    until_said(&mut run, "load point 1 starts in");
    bed.fleet.ask(&["pause"]).expect_code(0);
    until_said(&mut run, "paused before load point 2");
    let live = only_in(&bed.runs()).join("live.jsonl");
    let events = || -> Vec<Value> {
        let text = std::fs::read_to_string(&live).unwrap();
        text.split_inclusive('\n').filter_map(|line| serde_json::from_str(line).ok()).collect()
    };
    // The event repeats, so that silence means that the controller has ended.
    let pauses = || events().iter().filter(|event| event["name"] == "paused").count();
    until("the pause is told again", || pauses() > 1);
    bed.fleet.ask(&["resume"]).expect_code(0);
    run.wait(PATIENCE).expect_code(0);
    let events = events();
    let begin = &events[0];
    assert_eq!((text(begin, "event"), text(begin, "verb")), ("begin", "mix"));
    let labels: Vec<&str> =
        events.iter().filter(|event| event["event"] == "live").map(|event| text(event, "label")).collect();
    assert!(labels.contains(&"load point 1") && labels.contains(&"load point 2"), "{labels:?}");
    let end = events.last().unwrap();
    assert_eq!((text(end, "event"), text(end, "outcome")), ("end", "complete"));
    assert_eq!(text(&summary(&only_in(&bed.runs())), "outcome"), "complete");
}

#[test]
fn unmeasured_run_leaves_no_directory_and_killed_controller_a_killed_run() {
    require!(Need::NatsServer);
    let _turn = my_turn();
    let bed = Bed::new(&["a", "b"], "60s");
    let mut stopped = bed.run();
    until_said(&mut stopped, "Ctrl-C stops all agents");
    // Listed before any load.
    assert_eq!(all_in(&bed.runs()).len(), 1);
    stopped.signal(Signal::INT);
    let outcome = stopped.wait(PATIENCE).expect_code(130);
    // A quick host measured something, and keeps it.
    if outcome.stdout.trim().is_empty() {
        assert_eq!(std::fs::read_dir(bed.runs()).unwrap().count(), 0);
    } else {
        assert!(only_in(&bed.runs()).join("summary.json").exists());
        std::fs::remove_dir_all(only_in(&bed.runs())).unwrap();
    }
    let mut killed = bed.run();
    until_measuring(&mut killed);
    let console = Console::start(bed.path(), &bed.runs());
    let id = id_of(&bed);
    killed.signal(Signal::KILL);
    until("it is told as killed", || console.entry(&id).unwrap()["state"] == "killed");
    // Fetched data go into the same directory. The load was stopped or had lost contact for too
    // long, depending on the speed of this host.
    let state = match bed.logs().code {
        Some(130) => "interrupted",
        Some(3) => "broke_off",
        other => panic!("{other:?}"),
    };
    until("its load was stopped", || console.entry(&id).unwrap()["state"] == state);
    assert_eq!(id_of(&bed), id);
}
