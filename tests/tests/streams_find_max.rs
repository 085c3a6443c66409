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
use reelgauge_tests::run_dir::{at, count};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::{SMALL, capacity, found_within};
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::tool::tool;
use reelgauge_tests::turns::my_turn;
use reelgauge_tests::verb::Verb;

/// Frames of an own format: 53 blocks of 4 KiB, so that they can be read directly.
const OWN_FRAME_BYTES: u64 = 217_088;

/// What one stream of it moves.
const OWN_BYTES_PER_S: u64 = OWN_FRAME_BYTES * 25;

/// How far streams may fall behind. Short, so that one stream too many has late frames within a trial: a
/// buffer hides an overload for as long as it lasts.
const BUFFER: &str = "3frames";

/// More than a search takes.
const LIMIT: Duration = Duration::from_secs(110);

/// A search for the largest number of players of an own format: from its first count, which is right, to its
/// last, which is two too many, and back to the one in between. What is found must hold on for some seconds.
struct Sought {
    start: u32,
    cap: u32,
    duration: &'static str,
    /// None for the usual one.
    buffer: Option<&'static str>,
}

impl Sought {
    /// Its plan.
    fn plan(&self, scratch: &Scratch, target: &Path) -> PathBuf {
        let Sought { start, cap, duration, buffer } = self;
        let buffer = buffer.map_or(String::new(), |buffer| format!("buffer = '{buffer}'\n"));
        let plan = format!(
            "plan_version = 1\nname = 'players of an own format'\ntarget = '{}'\nwarmup = '1s'\n\
             duration = '{duration}'\ndirect = true\n\
             find_max = {{ start = {start}, cap = {cap}, repeats = 1, confirm = '12s' }}\n\n\
             [[actor]]\nkind = 'player'\nclip = '1s'\n{buffer}\
             own_format = {{ name = 'flat', bytes_per_frame = {OWN_FRAME_BYTES}, fps = 25 }}\n",
            target.display()
        );
        let path = scratch.path().join("plan.toml");
        std::fs::write(&path, plan).unwrap();
        path
    }
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

/// A buffer of a second holds more than a trial of two seconds lacks, so no frame is late with one stream too
/// many. What is found must be right all the same.
#[test]
fn a_buffer_that_hides_an_overload_for_as_long_as_a_trial() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let faulty = Faulty::mount();
    faulty.faults().limit_bytes_per_s(OWN_BYTES_PER_S * 11 / 2);
    let sought = Sought { start: 5, cap: 7, duration: "2s", buffer: None };
    let summary = Verb::on("run", sought.plan(&scratch, &faulty.path())).measure();
    found_within(&summary, 5, 5);
    let hidden = at(&summary, "load_points").as_array().unwrap().iter();
    let hidden = hidden.filter(|point| at(point, "verdict.passed") == false);
    let late: Vec<u64> = hidden.map(|point| count(point, "streams.total.late_frames")).collect();
    assert!(late.contains(&0), "buffers hid nothing: {late:?} late frames");
}

/// Seven streams lack 7 ms in every second: with a second in hand the first of their frames is late after
/// more than two minutes, and yet trials of the usual length find that they are too many.
#[test]
fn seven_streams_on_a_store_of_6_95() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, scratch) = (my_turn(), Scratch::new());
    let faulty = Faulty::mount();
    faulty.faults().limit_bytes_per_s(OWN_BYTES_PER_S * 695 / 100);
    let sought = Sought { start: 6, cap: 7, duration: "10s", buffer: None };
    let summary = Verb::on("run", sought.plan(&scratch, &faulty.path())).measure();
    // Of 7 ms in a second a trial may miss one, on a machine that is busy otherwise; the answer must not.
    assert_eq!(count(&summary, "search.streams"), 6, "{:#}", at(&summary, "search"));
    let points = at(&summary, "load_points").as_array().unwrap().iter();
    let seven = points.filter(|point| at(point, "stream_count") == 7);
    let failed = |point: &serde_json::Value| at(point, "verdict.failed_first.criterion") == "margins";
    assert!(seven.clone().count() > 0 && seven.clone().any(failed), "no margin fell");
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
