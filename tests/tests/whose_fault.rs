//! Whose fault it was: storage that stands still or is slow is blamed for it however busy the machine is, and
//! a tool that was stopped, or that got no processor, blames nobody else.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_tests::binary::Running;
use reelgauge_tests::busy::Busy;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{self, at, count, number, text};
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::turns::my_turn;
use reelgauge_tests::verb::Verb;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// More than any of these runs takes, a stuck one excepted.
const LIMIT: Duration = Duration::from_secs(90);

/// Long against the buffers below.
const HELD_UP: Duration = Duration::from_millis(1600);

/// How long a disk that others keep busy may take for one operation.
const DISK_WITHIN_S: f64 = 2.0;

/// Three recorders with half a second of buffer.
fn recorders(target: &Path, more: &[&str]) -> Verb {
    Verb::on("streams", target)
        .with(&["--actor", "recorder", "--count", "3", "--format", SMALL.id, "--buffer", "12frames"])
        .with(&["--warmup", "500ms", "--duration", "6s", "--direct"])
        .with(more)
}

fn disk() -> TempMount {
    TempMount::image(ImageKind::Ext4, 768)
}

/// The process that measures, which is not the one that was started.
fn measuring_process(verb: &Verb) -> Pid {
    let live = std::fs::read_to_string(verb.run_dir().join("live.jsonl")).unwrap();
    let begin: Value = serde_json::from_str(live.lines().next().unwrap()).unwrap();
    Pid::from_raw(i32::try_from(count(&begin, "pid")).unwrap()).unwrap()
}

/// Starts it, lets it measure for a second, and does something to it.
#[track_caller]
fn measured(verb: &Verb, mut running: Running, harm: impl FnOnce()) -> Value {
    verb.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(1));
    harm();
    let outcome = running.wait(LIMIT);
    let summary = run_dir::summary(&verb.run_dir());
    outcome.expect_code(1);
    summary
}

/// The incident with most late frames.
fn worst(summary: &Value) -> &Value {
    let incidents = at(summary, "load_points.0.streams.incidents").as_array().unwrap();
    incidents.iter().max_by_key(|incident| count(incident, "late_frames")).unwrap()
}

/// How long a file system stood still, in seconds: at least, and with what freezing and thawing took, which
/// is long on a disk that others keep busy.
fn frozen(mount: &TempMount) -> (f64, f64) {
    let asked = Instant::now();
    let frozen = mount.freeze();
    std::thread::sleep(HELD_UP);
    drop(frozen);
    (HELD_UP.as_secs_f64(), asked.elapsed().as_secs_f64())
}

fn stopped(pid: Pid) {
    kill_process(pid, Signal::STOP).unwrap();
    std::thread::sleep(HELD_UP);
    kill_process(pid, Signal::CONT).unwrap();
}

/// All that was late was late through the tool itself, and it says so.
#[track_caller]
fn is_its_own_fault(summary: &Value, culprits: &[&str]) {
    let incident = worst(summary);
    assert!(culprits.contains(&text(incident, "culprit")), "{incident:#}");
    assert_eq!(count(incident, "late_frames_with_own_delay"), count(incident, "late_frames"), "{incident:#}");
    assert!(
        culprits.contains(&text(summary, "load_points.0.culprit")),
        "{}",
        at(summary, "load_points.0.culprit")
    );
    assert_eq!(at(summary, "self_cost.timing_good_enough"), false);
    let incidents = at(summary, "load_points.0.streams.incidents");
    assert_eq!(at(summary, "verdict.storage_failed"), false, "{incidents:#}");
}

/// While other programs keep every core busy, as nice as this.
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
    // What keeps the processors busy is named beside it, and is not what limited anything.
    let limit = at(&summary, "load_points.0.limit");
    assert_ne!(limit["found"]["step"], "client", "{limit:#}");
    let beside = at(limit, "contributing").as_array().unwrap();
    assert!(
        beside.iter().any(|finding| finding["step"] == "client" && finding["at"].is_string()),
        "{limit:#}"
    );
}

#[test]
fn a_frozen_file_system_is_the_storages_fault_on_a_busy_machine_too() {
    require!(Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    frozen_while_busy(0);
}

#[test]
fn a_frozen_file_system_is_the_storages_fault_while_others_stand_back() {
    require!(Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    frozen_while_busy(19);
}

/// A store that takes half of what three recorders need, from the middle of the run on.
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
fn a_slow_store_is_the_storages_fault() {
    if needs::are_met(faulty::NEEDS) {
        slow_from_the_middle_on(None);
    }
}

#[test]
fn a_slow_store_is_the_storages_fault_on_a_busy_machine_too() {
    if needs::are_met(faulty::NEEDS) {
        slow_from_the_middle_on(Some(0));
    }
}

/// Most of a period of half a second without a processor, again and again: longer than the buffers last. What
/// it stores lies in memory, which no other program makes slow.
#[test]
fn a_starved_control_group_is_this_machines_fault() {
    require!(Need::Root, Need::Quota);
    let (_turn, mount) = (my_turn(), TempMount::tmpfs(512));
    let verb = recorders(mount.path(), &["--buffer", "6frames"]).without("--direct");
    let throttle = Throttle::processors(5_000, 500_000);
    let summary = measured(&verb, verb.start(), || {
        // It may be moved there at any time, so its groups are not those that it was started in.
        throttle.take(measuring_process(&verb));
        std::thread::sleep(Duration::from_secs(3));
        // What it does when it has measured would take it minutes.
        throttle.lift_processors();
    });
    is_its_own_fault(&summary, &["this_machine"]);
    let incident = worst(&summary);
    // A look at the group that the quota kept away may be missing, but a low figure in its place is wrong.
    let throttled = at(incident, "machine.throttled_percent");
    assert!(throttled.is_null() || throttled.as_f64() > Some(20.0), "{incident:#}");
    assert!(number(incident, "machine.processor_wait_max_us") > 200_000.0, "{incident:#}");
}

#[test]
fn players_of_a_network_mount_that_are_stopped_blame_nobody_else() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (_turn, sshfs) = (my_turn(), Sshfs::mount(400));
    let verb = Verb::on("streams", sshfs.path())
        .with(&["--actor", "player", "--count", "2", "--format", SMALL.id, "--buffer", "12frames"])
        .with(&["--clip", "1s", "--warmup", "500ms", "--duration", "6s", "--direct"]);
    let summary = measured(&verb, verb.start(), || stopped(measuring_process(&verb)));
    is_its_own_fault(&summary, &["tool"]);
}

#[test]
fn a_tool_that_is_stopped_blames_nobody_else() {
    require!(Need::Root, Need::FileSystem("ext4"));
    let (_turn, mount) = (my_turn(), disk());
    // One file, and one per frame, whose write and close follow one another.
    let of_files = ["--frame-size", "184KiB", "--fps", "25", "--file-per-frame"];
    let movie = recorders(mount.path(), &["--count", "2"]);
    let sequence = recorders(mount.path(), &["--count", "2"]).without("--format").with(&of_files);
    for verb in [movie, sequence] {
        let summary = measured(&verb, verb.start(), || stopped(measuring_process(&verb)));
        is_its_own_fault(&summary, &["tool"]);
        let pause_s = number(&summary, "self_cost.longest_pause_s");
        assert!((1.4..4.0).contains(&pause_s), "{pause_s}");
    }
}

/// Stopped in the measured time and let go on after its end: what was never begun is the tool's own, too.
#[test]
fn a_tool_that_is_stopped_over_the_end_blames_nobody_else() {
    require!(Need::Root, Need::FileSystem("ext4"));
    let (_turn, mount) = (my_turn(), disk());
    for policy in ["drop", "stall"] {
        let verb = recorders(mount.path(), &["--policy", policy, "--buffer", "6frames"])
            .without("--duration")
            .with(&["--duration", "2s"]);
        let summary = measured(&verb, verb.start(), || stopped(measuring_process(&verb)));
        is_its_own_fault(&summary, &["tool"]);
    }
}
