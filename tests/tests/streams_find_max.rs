//! The largest count that passes, on storage whose bandwidth is set from outside: what is found is what can
//! be computed, or one less, and never more.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use reelgauge_tests::binary;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::{MEDIUM, capacity, found_within};
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::tool::tool;
use reelgauge_tests::turns::my_turn;
use reelgauge_tests::verb::Verb;

/// Frames of an own format: 53 blocks of 4 KiB, so that they can be read directly.
const OWN_FRAME_BYTES: u64 = 217_088;

/// What one stream of it moves.
const OWN_BYTES_PER_S: u64 = OWN_FRAME_BYTES * 25;

/// How far streams may fall behind. Short, so that one stream too many shows within a trial: a buffer hides
/// an overload for as long as it lasts.
const BUFFER: &str = "3frames";

/// More than a search takes.
const LIMIT: Duration = Duration::from_secs(110);

/// A plan that searches for the largest number of players of an own format, in trials of so many seconds.
fn search_plan(scratch: &Scratch, target: &Path, trial_s: u32) -> PathBuf {
    let plan = format!(
        "plan_version = 1\nname = 'players of an own format'\ntarget = '{}'\nwarmup = '1s'\n\
         duration = '{trial_s}s'\ndirect = true\nfind_max = {{ start = 4, cap = 24, repeats = 1 }}\n\n\
         [[actor]]\nkind = 'player'\nclip = '2s'\nbuffer = '{BUFFER}'\n\
         own_format = {{ name = 'flat', bytes_per_frame = {OWN_FRAME_BYTES}, fps = 25 }}\n",
        target.display()
    );
    let path = scratch.path().join("plan.toml");
    std::fs::write(&path, plan).unwrap();
    path
}

/// What a plain `dd` reads per second from a file of this many MB, past the cache.
fn dd_bytes_per_s(file: &Path, mb: u32) -> f64 {
    let start = Instant::now();
    tool(&format!("dd if={} of=/dev/null bs={OWN_FRAME_BYTES} iflag=direct status=none", file.display()));
    f64::from(mb) * 1e6 / start.elapsed().as_secs_f64()
}

#[test]
fn a_folder_behind_a_shaped_link() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    // 200 Mbit/s are 25 MB/s, of which SSH and TCP take their share: 4 streams of 5.4 MB/s fit either way.
    let sshfs = Sshfs::mount(200);
    let scratch = Scratch::new();
    std::fs::write(sshfs.on_server().join("measure"), vec![0x5a; 40_000_000]).unwrap();
    let goodput = dd_bytes_per_s(&sshfs.path().join("measure"), 40);
    let summary = Verb::on("run", search_plan(&scratch, sshfs.path(), 3)).measure();
    found_within(&summary, capacity(goodput, OWN_BYTES_PER_S), capacity(25e6, OWN_BYTES_PER_S));
}

#[test]
fn a_store_with_a_set_bandwidth() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let faulty = Faulty::mount();
    // Half a stream more than five: far from both neighbours.
    let bytes_per_s = MEDIUM.bytes_per_s() * 11 / 2;
    faulty.faults().limit_bytes_per_s(bytes_per_s);
    let search = Verb::on("streams", faulty.path())
        .with(&["--actor", "player", "--format", MEDIUM.id, "--clip", "1s", "--buffer", BUFFER])
        .with(&["--find-max", "--time-max", "100s", "--warmup", "1s", "--duration", "2s"]);
    let summary = search.measure();
    found_within(&summary, 5, 5);
}

#[test]
fn a_disk_that_the_kernel_throttles() {
    require!(Need::Root, Need::Throttle, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let _turn = my_turn();
    let mount = TempMount::image(ImageKind::Ext4, 512);
    let scratch = Scratch::new();
    // Half a stream more than six. The kernel lets through what was not used before, so a trial is longer.
    let throttle = Throttle::reads(mount.path(), OWN_BYTES_PER_S * 13 / 2);
    let search = Verb::on("run", search_plan(&scratch, mount.path(), 6));
    // It makes its files first; writes are not throttled.
    let by = throttle.command(binary::path());
    let summary = binary::start_by(by, search.words()).wait(LIMIT).expect_code(0).json();
    found_within(&summary, 6, 6);
}
