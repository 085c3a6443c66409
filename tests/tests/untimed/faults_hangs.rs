//! Storage that never responds: the run gives up after the specified time, and keeps its measurements.
//!
//! A thread that is stuck in the kernel can't be killed, so the process may stay as an empty shell until
//! the storage responds. All output and files must be complete before.

use std::time::Duration;

use reelgauge_tests::binary::Running;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, summary, text};
use rustix::process::Signal;

/// How long the runs wait for a response.
const HANG_AFTER: &str = "3s";

/// The same, with a reserve to notice, to write everything and to end.
const GIVEN_UP: Duration = Duration::from_secs(3 + 5);

const DRIVERS: [&str; 2] = ["threads", "uring"];

/// A mix that waits [`HANG_AFTER`].
fn patient(target: &std::path::Path, driver: &str) -> Mix {
    Mix::on(target).with(&[
        "--driver",
        driver,
        "--duration",
        "60s",
        "--warmup",
        "0s",
        "--hang-after",
        HANG_AFTER,
    ])
}

/// Checks that the run is finished, reported that it broke off, and kept its measurements.
#[track_caller]
fn gave_up(running: &mut Running, mix: &Mix) {
    let took = running.until(GIVEN_UP, Running::is_done);
    assert!(took.is_some(), "still running after {GIVEN_UP:?}\n{}", running.stderr());
    let kept = summary(&mix.run_dir());
    assert_eq!(text(&kept, "outcome"), "broke_off");
    assert!(text(&kept, "outcome_reason").contains("3"), "{}", text(&kept, "outcome_reason"));
    assert!(count(&kept, "load_points.0.total.ops") > 0);
    assert!(count(&kept, "load_points.0.unanswered.threads") > 0);
    assert!(at(&kept, "load_points.0.unanswered.for_s").as_f64().is_some_and(|for_s| for_s >= 3.0));
}

#[test]
fn requests_that_are_never_answered() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    for driver in DRIVERS {
        let faulty = Faulty::mount();
        let mix = patient(&faulty.path(), driver);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        faulty.faults().hang();
        gave_up(&mut running, &mix);
        faulty.faults().release();
        running.wait(Duration::from_secs(10)).expect_code(3);
    }
}

#[test]
fn a_file_system_that_is_frozen() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    for driver in DRIVERS {
        let mount = TempMount::image(ImageKind::Ext4, 256);
        let mix = patient(mount.path(), driver).with(&["--writes", "100"]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        let frozen = mount.freeze();
        gave_up(&mut running, &mix);
        drop(frozen);
        running.wait(Duration::from_secs(10)).expect_code(3);
    }
}

#[test]
fn slow_storage_is_not_abandoned() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    Mix::on(&faulty.path()).with(&["--duration", "500ms"]).measure();
    let mix = patient(&faulty.path(), "threads").with(&["--duration", "4s", "--workers", "1"]);
    faulty.faults().delay(Duration::from_millis(1500));
    let printed = mix.measure();
    assert!(count(&printed, "load_points.0.total.ops") > 0);
    assert_eq!(count(&printed, "load_points.0.total.failed_ops"), 0);
}

#[test]
fn the_user_need_not_wait_for_a_hang() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mix = patient(&faulty.path(), "threads").with(&["--hang-after", "120s"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    faulty.faults().hang();
    std::thread::sleep(Duration::from_secs(1));
    running.signal(Signal::INT);
    let soon = Duration::from_secs(4);
    assert!(running.until(soon, Running::is_done).is_some(), "still running\n{}", running.stderr());
    assert!(count(&summary(&mix.run_dir()), "load_points.0.total.ops") > 0);
    faulty.faults().release();
    running.wait(Duration::from_secs(10)).expect_code(130);
}
