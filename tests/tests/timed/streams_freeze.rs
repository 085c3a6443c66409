//! A file system that stalls during recording: the late frames of the run are those in the log, counted
//! by a script without code of the product.

use std::time::Duration;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::{FILM, SMALL, agrees_with_log, late_frames_in_log};
use reelgauge_tests::verb::Verb;
use reelgauge_tests::{python, require};
use serde_json::{Value, json};

/// How long it stalls. The buffers below last half as long.
const FROZEN: Duration = Duration::from_secs(1);

/// More than any of these runs takes, except a stuck one.
const LIMIT: Duration = Duration::from_secs(60);

/// Three recorders with half a second of buffer on this file system.
fn recorders(mount: &TempMount, format: &str) -> Verb {
    Verb::on("streams", mount.path())
        .with(&["--actor", "recorder", "--count", "3", "--format", format, "--buffer", "12frames"])
        .with(&["--warmup", "500ms", "--duration", "4s", "--seed", "7"])
}

/// An empty file system for recordings.
fn disk() -> TempMount {
    TempMount::image(ImageKind::Ext4, 512)
}

/// Records, freezes for a second in the middle, thaws. Returns the summary of a run that failed its
/// criteria.
#[track_caller]
fn frozen_in_the_middle(mount: &TempMount, verb: &Verb) -> Value {
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    // Beyond the warm-up, and with more time left than the freeze takes.
    std::thread::sleep(Duration::from_secs(1));
    let frozen = mount.freeze();
    std::thread::sleep(FROZEN);
    drop(frozen);
    running.wait(LIMIT).expect_code(1).json()
}

/// Every stream lost the frames that half a second of buffer does not cover, and log and run agree about
/// it.
#[track_caller]
fn lost_what_the_buffer_did_not_hold(verb: &Verb, summary: &Value) -> u64 {
    let late = agrees_with_log(verb, summary);
    for stream in at(summary, "load_points.0.streams.streams").as_array().unwrap() {
        // 0.5 s are 12 frames; the rest is what freezing and thawing take themselves.
        let late = count(stream, "late_frames");
        assert!((10..70).contains(&late), "{late} late frames\n{stream:#}");
        assert_eq!(count(stream, "late_runs"), 1, "{stream:#}");
    }
    let failed = at(summary, "verdict.failed_first");
    assert_eq!(at(summary, "verdict.passed"), false);
    assert!(at(failed, "at_s").as_f64().unwrap() > 1.0, "{failed:#}");
    assert!(!text(failed, "sentence").is_empty());
    late
}

#[test]
fn naive_count_matches_hand_counted_cases() {
    require!(Need::Python);
    let scratch = Scratch::new();
    let run = scratch.path().join("run");
    python::script("made_up_run.py", &[&run]);
    let counted = late_frames_in_log(&run);
    let figure = |stream: u64, judged: u64, late: u64, first: Option<u64>| {
        json!({
            "stream": stream, "frames_judged": judged, "late_frames": late, "first_late_frame": first
        })
    };
    let by_hand = json!([
        figure(0, 20, 0, None),
        figure(1, 20, 6, Some(12)),
        figure(2, 20, 6, Some(12)),
        figure(3, 15, 0, None),
        figure(4, 20, 1, Some(20)),
        figure(5, 0, 0, None),
        figure(6, 15, 0, None),
    ]);
    assert_eq!(at(&counted, "points.0.streams"), &by_hand);
}

#[test]
fn recorders_that_keep_the_time_leave_frames_out() {
    require!(Need::Root, Need::Python, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    let (_turn, mount) = (my_turn(), disk());
    let verb = recorders(&mount, SMALL.id).with(&["--policy", "drop", "--direct"]);
    let summary = frozen_in_the_middle(&mount, &verb);
    lost_what_the_buffer_did_not_hold(&verb, &summary);
    // Dropped frames are late as well.
    assert!(count(&summary, "load_points.0.streams.total.dropped_frames") > 0);
}

#[test]
fn late_recorders_write_every_frame_late() {
    require!(Need::Root, Need::Python, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    let (_turn, mount) = (my_turn(), disk());
    let verb = recorders(&mount, FILM).with(&["--policy", "stall", "--buffered"]);
    let summary = frozen_in_the_middle(&mount, &verb);
    lost_what_the_buffer_did_not_hold(&verb, &summary);
    assert_eq!(count(&summary, "load_points.0.streams.total.dropped_frames"), 0);
}

#[test]
fn nothing_is_late_on_a_healthy_file_system() {
    require!(Need::Root, Need::Python, Need::FileSystem("ext4"));
    let (_turn, mount) = (my_turn(), disk());
    let recorders = recorders(&mount, FILM).with(&["--buffered", "--duration", "2s"]);
    let players = Verb::on("streams", mount.path())
        .with(&["--actor", "player", "--count", "3", "--format", SMALL.id, "--buffer", "1s"])
        .with(&["--read-ahead", "open", "--clip", "2s", "--warmup", "500ms", "--duration", "2s"]);
    for verb in [recorders, players] {
        let summary = verb.measure();
        assert_eq!(agrees_with_log(&verb, &summary), 0);
        assert_eq!(at(&summary, "verdict.passed"), true);
    }
}
