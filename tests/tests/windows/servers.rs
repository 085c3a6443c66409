//! The console, and an agent in a fleet with agents on Linux.

use std::time::Duration;

use reelgauge_tests::binary::Running;
use reelgauge_tests::console::{Console, until};
use reelgauge_tests::fleet_bed::{Bed, PATIENCE, counted};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{count, only_in, summary};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::wine;
use rustix::process::Signal;
use serde_json::json;

#[test]
fn a_console_starts_a_run_and_ends_on_ctrl_c() {
    require!(Need::Windows);
    let (scratch, runs) = (Scratch::new(), Scratch::new());
    let target = scratch.dir("target");
    let mut console = Console::on_windows(scratch.path(), runs.path());
    // A console on Windows wants a drive.
    let target = format!("Z:{}", target.display());
    let values = json!({"path": target, "files": "2", "file-size": "16MiB", "length": "256KiB",
        "blocks": "64KiB", "workers": "2", "max-delay": "5ms", "warmup": "200ms", "duration": "2s",
        "buffered": "true"});
    let id = console.start_run("mix", &values);
    until("it has ended", || console.entry(&id).is_some_and(|entry| entry["state"] == "complete"));
    let page = console.client.get(&format!("/api/runs/{id}/page")).expect(200).json();
    let summary = summary(&runs.path().join(&id));
    assert_eq!(page["runs"][0]["summary"], summary);
    assert!(count(&summary, "load_points.0.total.ops") > 0);
    console.running.signal(Signal::INT);
    assert!(console.running.until(Duration::from_secs(30), Running::has_ended).is_some());
}

#[test]
fn an_agent_on_windows_measures_with_two_on_linux() {
    require!(Need::Windows, Need::NatsServer);
    let mut bed = Bed::new(&["a", "b", "w"], "2s");
    // The one on Windows takes the place of one on Linux.
    bed.limit_agent_by("w", wine::command(), &["--max-silence", "30s"]);
    let target = bed.fleet.root("nas").join("{agent}").display().to_string();
    let group = |agents: &str, drive: &str| {
        format!("[[group]]\nagents = {agents}\nplan = \"mix.toml\"\ntargets = [\"{drive}{target}\"]\n\n")
    };
    let plan = group("[\"a\", \"b\"]", "") + &group("[\"w\"]", "Z:");
    std::fs::write(bed.path().join("fleet.toml"), plan).unwrap();
    let summary = bed.run().wait(2 * PATIENCE).expect_end().json();
    let ops = counted(&only_in(&bed.runs()), &summary);
    assert!(ops.len() == 3 && ops.iter().all(|&ops| ops > 0), "{ops:?}");
    assert!(bed.left("w").is_empty(), "what was fetched is still there");
}
