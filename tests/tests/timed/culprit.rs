//! The component at fault: a tool that was stopped, or that got no processor, blames nothing else.

use std::time::Duration;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::fault_attribution::{HELD_UP, disk, measured, measuring_process, recorders, worst};
use reelgauge_tests::mounts::TempMount;
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, text};
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::verb::Verb;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

fn stopped(pid: Pid) {
    kill_process(pid, Signal::STOP).unwrap();
    std::thread::sleep(HELD_UP);
    kill_process(pid, Signal::CONT).unwrap();
}

/// Checks that all late frames were late through the tool itself, and that it reports so.
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

/// Most of each half second without a processor, repeatedly: longer than the buffers last. Its files are
/// in memory, which no other program makes slow.
#[test]
fn throttled_cgroup_is_attributed_to_the_client() {
    require!(Need::Root, Need::Quota);
    let (_turn, mount) = (my_turn(), TempMount::tmpfs(512));
    let verb = recorders(mount.path(), &["--buffer", "6frames"]).without("--direct");
    let throttle = Throttle::processors(5_000, 500_000);
    let summary = measured(&verb, verb.start(), || {
        // A process may be moved there at any time, so its groups are not those it was started in.
        throttle.take(measuring_process(&verb));
        std::thread::sleep(Duration::from_secs(3));
        // Its work after the measurement would take minutes.
        throttle.lift_processors();
    });
    is_its_own_fault(&summary, &["this_machine"]);
    let incident = worst(&summary);
    // The quota may delay a sample of the group, so it can be missing, but a low figure in its place is
    // wrong.
    let throttled = at(incident, "machine.throttled_percent");
    assert!(throttled.is_null() || throttled.as_f64() > Some(20.0), "{incident:#}");
    assert!(number(incident, "machine.processor_wait_max_us") > 200_000.0, "{incident:#}");
}

#[test]
fn suspended_players_of_a_network_mount_blame_only_reelgauge() {
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
fn suspended_reelgauge_blames_only_itself() {
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

/// Stopped during the measured time and continued after its end: frames that never began are the tool's
/// fault, too.
#[test]
fn reelgauge_suspended_past_the_end_blames_only_itself() {
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
