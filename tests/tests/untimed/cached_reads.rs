//! A run over a network whose data may come from the server's memory reports that. A run that read the
//! same bytes faster the second time shows it, and one without a cache is not suspected.

use std::time::Duration;

use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::needs;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::sshfs::{self, Sshfs};
use serde_json::{Value, json};

/// The time of a seek on a disk, which a memory does not need.
const MOVES: Duration = Duration::from_millis(25);

/// Reads of a few small files, from the beginning to the end and again.
fn reads(target: &std::path::Path) -> Mix {
    Mix::on(target).with(&["--writes", "0", "--random", "0", "--length", "256KiB", "--blocks", "256KiB"])
}

/// All notes of a run, as one text.
fn notes(summary: &Value) -> String {
    let whole =
        |note: &Value| format!("{} {} ", text(note, "sentence"), note["advice"].as_str().unwrap_or_default());
    at(summary, "notes").as_array().unwrap().iter().map(whole).collect()
}

#[test]
fn a_server_that_has_the_files_in_its_memory_is_warned_of() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let sshfs = Sshfs::mount(200);
    let fresh = reads(sshfs.path()).with(&["--direct"]).measure();
    assert_eq!(at(&fresh, "memory.on_network"), true);
    assert_eq!(count(&fresh, "memory.data_set_bytes"), 32 << 20);
    assert_eq!(
        at(&fresh, "memory.suspicion"),
        &json!({"finding": "may_have_answered", "why": ["just_written"]})
    );
    assert_eq!(at(&fresh, "memory.server_memory_bytes"), &Value::Null);
    assert!(notes(&fresh).contains("(32 MiB)"), "{}", notes(&fresh));
    let again = reads(sshfs.path()).with(&["--direct"]).measure();
    assert_eq!(at(&again, "memory.suspicion.why"), &json!(["used_before"]));
    assert!(notes(&again).contains("--server-memory"), "{}", notes(&again));
    let stated = reads(sshfs.path()).with(&["--direct", "--server-memory", "64GiB"]).measure();
    assert_eq!(at(&stated, "memory.suspicion.why"), &json!(["fits_server_memory"]));
    assert!(notes(&stated).contains("(64 GiB)"), "{}", notes(&stated));
    let larger = reads(sshfs.path()).with(&["--direct", "--server-memory", "16MiB"]).measure();
    assert_eq!(text(&larger, "memory.suspicion.finding"), "not_suspected");
    assert!(!notes(&larger).contains("--server-memory"), "{}", notes(&larger));
}

#[test]
fn faster_rereads_are_attributed_to_a_cache() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let store = Faulty::mount();
    let mix = || reads(&store.path()).with(&["--direct", "--warmup", "0s", "--duration", "6s"]);
    store.faults().first_reads_take(MOVES);
    let cached = mix().measure();
    assert_eq!(text(&cached, "memory.suspicion.finding"), "answered", "{:#}", at(&cached, "memory"));
    let evidence = at(&cached, "memory.suspicion.evidence");
    assert_eq!(text(evidence, "kind"), "later_reads_faster");
    let first = at(evidence, "reads.first.p50_service_us").as_f64().unwrap();
    assert!(first >= MOVES.as_micros() as f64, "{evidence:#}");
    assert!(notes(&cached).contains("A cache answered"), "{}", notes(&cached));

    store.faults().first_reads_take(Duration::ZERO);
    store.faults().delay(Duration::from_millis(5));
    let even = mix().measure();
    assert_eq!(text(&even, "memory.suspicion.finding"), "not_suspected", "{:#}", at(&even, "memory"));
    assert!(count(&even, "memory.rereads.0.later_read_bytes") > 0);
}
