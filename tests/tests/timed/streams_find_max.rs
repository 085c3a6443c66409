//! The largest count that passes, on storage whose bandwidth the test sets. The found count must be the
//! computed one, or one less, and never more.

use std::path::Path;
use std::time::{Duration, Instant};

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::player_search::{OWN_BYTES_PER_S, OWN_FRAME_BYTES, Sought};
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::{SMALL, capacity, found_within};
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::verb::Verb;

/// How far streams may fall behind. Short, so that one stream too many has late frames within a trial: a
/// buffer hides an overload for as long as it lasts.
const BUFFER: &str = "3frames";

/// More than a search takes.
const LIMIT: Duration = Duration::from_secs(110);

/// The read rate of a plain `dd` with direct I/O, from a file of this many MB.
fn dd_bytes_per_s(file: &Path, mb: u32) -> f64 {
    let start = Instant::now();
    tool(&format!("dd if={} of=/dev/null bs={OWN_FRAME_BYTES} iflag=direct status=none", file.display()));
    f64::from(mb) * 1e6 / start.elapsed().as_secs_f64()
}

#[test]
fn folder_is_served_through_a_shaped_link() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    // 200 Mbit/s are 25 MB/s, of which SSH and TCP take their share: 4 streams of 5.4 MB/s fit either way.
    let sshfs = Sshfs::mount(200);
    let scratch = Scratch::new();
    std::fs::write(sshfs.on_server().join("measure"), vec![0x5a; 20_000_000]).unwrap();
    let goodput = dd_bytes_per_s(&sshfs.path().join("measure"), 20);
    let sought = Sought { start: 4, cap: 6, duration: "2s", buffer: Some(BUFFER) };
    let summary = Verb::on("run", sought.plan(&scratch, sshfs.path())).measure();
    found_within(&summary, capacity(goodput, OWN_BYTES_PER_S), capacity(25e6, OWN_BYTES_PER_S));
}

#[test]
fn a_store_with_a_set_bandwidth() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::mount();
    // Half a stream more than three: far from both neighbours.
    faulty.faults().limit_bytes_per_s(SMALL.bytes_per_s() * 7 / 2);
    let search = Verb::on("streams", faulty.path())
        .with(&["--actor", "player", "--format", SMALL.id, "--clip", "1s", "--buffer", BUFFER])
        .with(&["--find-max", "--time-max", "100s", "--warmup", "500ms", "--duration", "1s"]);
    let summary = search.measure();
    found_within(&summary, 3, 3);
}

#[test]
fn a_disk_that_the_kernel_throttles() {
    require!(Need::Root, Need::Throttle, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let _turn = my_turn();
    let mount = TempMount::image(ImageKind::Ext4, 512);
    let scratch = Scratch::new();
    // Half a stream more than six. The kernel lets through what was not used before, so a trial is longer.
    let throttle = Throttle::reads(mount.path(), OWN_BYTES_PER_S * 13 / 2);
    let sought = Sought { start: 6, cap: 8, duration: "3s", buffer: Some(BUFFER) };
    let search = Verb::on("run", sought.plan(&scratch, mount.path()));
    // It makes its files first; writes are not throttled.
    let by = throttle.command(binary::path());
    let summary = binary::start_by(by, search.words()).wait(LIMIT).expect_code(0).json();
    found_within(&summary, 6, 6);
}
