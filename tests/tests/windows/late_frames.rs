//! Late frames of storage that stalls: those of the run are those in its log, counted by a script without
//! code of the product.

use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::streams::{SMALL, agrees_with_log};
use reelgauge_tests::verb::Verb;
use reelgauge_tests::wine::Drive;

/// How long the storage stalls. The buffers below last half as long.
const STALL: Duration = Duration::from_secs(1);

/// Two streams with half a second of buffer on this drive. `stall` stalls its storage for a second, which is
/// longer than the buffers last.
#[track_caller]
fn late_in_a_stall(drive: &Drive, flags: &[&str], stall: impl FnOnce()) {
    let verb = Verb::on("streams", drive.root()).on_windows().with(flags);
    let verb = verb.with(&["--count", "2", "--format", SMALL.id, "--buffer", "12frames", "--clip", "1s"]);
    let verb = verb.with(&["--direct", "--warmup", "500ms", "--duration", "4s", "--seed", "7"]);
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(1));
    stall();
    let summary = running.wait(binary::LIMIT).expect_code(1).json();
    assert_eq!(at(&summary, "verdict.passed"), false);
    agrees_with_log(&verb, &summary);
    for stream in at(&summary, "load_points.0.streams.streams").as_array().unwrap() {
        assert!(count(stream, "late_frames") > 0, "{stream:#}");
    }
}

#[test]
fn late_frames_of_recorders_on_a_frozen_disk_equal_the_count_in_the_log() {
    require!(Need::Windows, Need::Python, Need::Root, Need::Tool("fsfreeze"), Need::FileSystem("ext4"));
    let disk = TempMount::image(ImageKind::Ext4, 512);
    let drive = Drive::new('f', disk.path());
    late_in_a_stall(&drive, &["--actor", "recorder", "--policy", "stall"], || {
        let frozen = disk.freeze();
        std::thread::sleep(STALL);
        drop(frozen);
    });
}

#[test]
fn late_frames_of_players_on_stalled_storage_equal_the_count_in_the_log() {
    require!(Need::Windows, Need::Python);
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let drive = Drive::new('g', &faulty.path());
    late_in_a_stall(&drive, &["--actor", "player", "--policy", "drop"], || {
        // Each request that arrives within this second is answered a second later.
        faulty.faults().delay(STALL);
        std::thread::sleep(STALL);
        faulty.faults().delay(Duration::ZERO);
    });
}
