//! A run can always be stopped, even before it has measured anything, and its measurements are kept
//! however it is stopped.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary::{self, Running};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{count, number, summary, text};
use reelgauge_tests::scratch::Scratch;
use rustix::process::Signal;

/// "Stops within two seconds", with a reserve for a busy host.
const SOON: Duration = Duration::from_secs(2 + 1);

/// How long the runs wait for a response, and the same with a reserve to notice and to end.
const HANG_AFTER: &str = "2s";
const GIVEN_UP: Duration = Duration::from_secs(2 + 4);

fn long(target: &Path) -> Mix {
    Mix::on(target).with(&["--duration", "60s"])
}

#[test]
fn storage_that_hangs_from_the_start_is_left_within_two_seconds() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    faulty.faults().hang();
    let mut running = long(&faulty.path()).start();
    std::thread::sleep(Duration::from_secs(1));
    assert!(!running.has_ended(), "it did not hang: {}", running.stderr());
    running.signal(Signal::INT);
    let left = running.until(SOON, Running::has_ended);
    assert!(left.is_some(), "still running after {SOON:?}\n{}", running.stderr());
    let outcome = running.wait(SOON).expect_code(130);
    let path = faulty.path().display().to_string();
    assert!(outcome.stderr.contains(&path), "{}", outcome.stderr);
    faulty.faults().release();
}

#[test]
fn storage_hanging_during_preparation_is_abandoned() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    faulty.faults().hang();
    let mut running = long(&faulty.path()).with(&["--hang-after", HANG_AFTER]).start();
    let left = running.until(GIVEN_UP, Running::has_ended);
    assert!(left.is_some_and(|left| left > Duration::from_secs(2)), "{left:?}\n{}", running.stderr());
    let outcome = running.wait(SOON).expect_code(3);
    assert!(outcome.stderr.contains("responded"), "{}", outcome.stderr);
    faulty.faults().release();
}

/// The kernel holds a process that writes to a frozen file system, even against SIGKILL. The reader of
/// its output must still see the end.
#[test]
fn pipes_end_although_the_kernel_holds_the_process() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 256);
    let mix = long(mount.path()).with(&["--hang-after", HANG_AFTER]);
    let frozen = mount.freeze();
    let mut shell = Command::new("bash");
    shell.args(["-c", r#""$0" "$@" 2>&1 | cat; exit ${PIPESTATUS[0]}"#]).arg(binary::path());
    let mut running = binary::start_by(shell, mix.words());
    let left = running.until(GIVEN_UP, Running::has_ended);
    drop(frozen);
    assert!(left.is_some(), "the pipe is still open");
    let outcome = running.wait(SOON).expect_code(3);
    assert!(outcome.words().contains("responded"), "{}", outcome.said());
}

#[test]
fn two_quick_signals_are_one_and_keep_the_results() {
    for (first, second) in
        [(Signal::INT, Signal::INT), (Signal::HUP, Signal::HUP), (Signal::HUP, Signal::TERM)]
    {
        let scratch = Scratch::new();
        let mix = long(&scratch.dir("target")).with(&["--buffered"]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        std::thread::sleep(Duration::from_millis(500));
        running.signal(first);
        std::thread::sleep(Duration::from_millis(30));
        running.signal(second);
        running.wait(Duration::from_secs(10)).expect_code(130);
        let kept = summary(&mix.run_dir());
        assert_eq!(text(&kept, "outcome"), "interrupted", "{first:?}, {second:?}");
        assert!(count(&kept, "load_points.0.total.ops") > 0);
    }
}

/// Bytes that a process has requested to read so far, by its own account.
fn read_bytes(pid: u64) -> u64 {
    let io = std::fs::read_to_string(format!("/proc/{pid}/io")).unwrap();
    io.lines().find_map(|line| line.strip_prefix("rchar: ")).unwrap().parse().unwrap()
}

#[test]
fn ctrl_z_stops_the_load_and_counts_as_pause_of_reelgauge() {
    let scratch = Scratch::new();
    let mix =
        Mix::on(&scratch.dir("target")).with(&["--buffered", "--max-delay", "10ms", "--duration", "5s"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    let live = std::fs::read_to_string(mix.run_dir().join("live.jsonl")).unwrap();
    let begin: serde_json::Value = serde_json::from_str(live.lines().next().unwrap()).unwrap();
    let measuring = count(&begin, "pid");
    std::thread::sleep(Duration::from_secs(1));
    running.signal(Signal::TSTP);
    std::thread::sleep(Duration::from_millis(500));
    let before = read_bytes(measuring);
    std::thread::sleep(Duration::from_millis(1500));
    assert_eq!(read_bytes(measuring), before, "the load goes on");
    running.signal(Signal::CONT);
    running.wait(Duration::from_secs(20)).expect_code(0);
    let kept = summary(&mix.run_dir());
    assert!(number(&kept, "self_cost.longest_pause_s") > 1.5, "{:#}", kept["self_cost"]);
}
