//! The component at fault on a busy host: storage that stalls or is slow is still blamed.

use std::time::Instant;

use reelgauge_tests::busy_host::Busy;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fault_attribution::{HELD_UP, disk, measured, recorders, worst};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, text};
use reelgauge_tests::streams::SMALL;

/// How long a disk that others keep busy may take for one operation.
const DISK_WITHIN_S: f64 = 2.0;

/// How long a file system was frozen, in seconds: at least, and including freezing and thawing, which
/// takes long on a busy disk.
fn frozen(mount: &TempMount) -> (f64, f64) {
    let asked = Instant::now();
    let frozen = mount.freeze();
    std::thread::sleep(HELD_UP);
    drop(frozen);
    (HELD_UP.as_secs_f64(), asked.elapsed().as_secs_f64())
}

/// With other programs of this niceness on every core.
#[track_caller]
fn frozen_while_busy(niceness: u8) {
    let (_turn, mount) = (my_turn(), disk());
    let busy = Busy::every_core(niceness);
    let verb = recorders(mount.path(), &["--policy", "drop"]);
    let mut stood_still_s = (0.0, 0.0);
    let summary = measured(&verb, verb.start(), || stood_still_s = frozen(&mount));
    drop(busy);
    let incident = worst(&summary);
    assert_eq!(text(incident, "culprit"), "storage", "{incident:#}");
    assert_eq!(text(incident, "storage.behaviour"), "no_answer", "{incident:#}");
    // One stall of three recorders is one incident.
    assert_eq!(count(incident, "stream_count"), 3, "{incident:#}");
    let silent_s = number(incident, "storage.no_answer_s");
    let (least_s, most_s) = stood_still_s;
    // The longest operation began a moment before the freeze, or waits for the disk behind it.
    assert!(silent_s > least_s - 0.2, "{incident:#}");
    assert!(silent_s < most_s + DISK_WITHIN_S, "{most_s} s: {incident:#}");
    assert_eq!(text(&summary, "load_points.0.culprit"), "storage");
    // The busy programs are named in addition, and are not the limit.
    let limit = at(&summary, "load_points.0.limit");
    assert_ne!(limit["found"]["step"], "client", "{limit:#}");
    let beside = at(limit, "contributing").as_array().unwrap();
    assert!(
        beside.iter().any(|finding| finding["step"] == "client" && finding["at"].is_string()),
        "{limit:#}"
    );
}

#[test]
fn frozen_file_system_is_attributed_to_storage_on_a_busy_client() {
    require!(Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    frozen_while_busy(0);
}

#[test]
fn frozen_file_system_is_attributed_to_storage_on_a_busy_host() {
    require!(Need::Soak, Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    frozen_while_busy(19);
}

/// From the middle of the run on, a store that gives half of what three recorders need.
#[track_caller]
fn slow_from_the_middle_on(busy: Option<u8>) {
    let (_turn, faulty) = (my_turn(), Faulty::mount());
    let busy = busy.map(Busy::every_core);
    let verb = recorders(&faulty.path(), &[]);
    let half = SMALL.bytes_per_s() * 3 / 2;
    let summary = measured(&verb, verb.start(), || faulty.faults().limit_bytes_per_s(half));
    drop(busy);
    let incident = worst(&summary);
    assert_eq!(text(incident, "culprit"), "storage", "{incident:#}");
    assert!(
        ["slow", "single_slow_ops"].contains(&text(incident, "storage.behaviour")),
        "{:#}",
        at(incident, "storage")
    );
    assert_eq!(text(&summary, "load_points.0.culprit"), "storage");
    assert_eq!(at(&summary, "verdict.storage_failed"), true);
}

#[test]
fn slow_store_is_attributed_to_storage() {
    if needs::are_met(faulty::NEEDS) {
        slow_from_the_middle_on(None);
    }
}

#[test]
fn slow_store_is_attributed_to_storage_on_a_busy_client() {
    require!(Need::Soak);
    if needs::are_met(faulty::NEEDS) {
        slow_from_the_middle_on(Some(0));
    }
}
