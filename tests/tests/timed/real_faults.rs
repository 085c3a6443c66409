//! Real faults of a network, a server and a disk: each is named by a run over it, and its sound
//! counterpart reports no fault. The faults in `limiting_layer` and `whose_fault` are not repeated.
//!
//! Concurrent tests would be measured, too: `cargo xtask soak --only real_faults`, two minutes.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::limited::{self, FAULTS_OF_THE_WAY, Told, bulk, measured};
use reelgauge_tests::link::{self, Link};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::{tool, tool_with};
use reelgauge_tests::require;
use reelgauge_tests::run_dir;
use reelgauge_tests::samba::{self, Samba};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::throttle::Throttle;
use reelgauge_tests::verb::Verb;
use rustix::process::Pid;
use serde_json::Value;

/// Two workers for three seconds, enough for three samples of the counters.
fn short(target: &Path, writes: &str) -> Verb {
    bulk(target, writes).with(&["--file-size", "16MiB", "--warmup", "500ms", "--duration", "3s"])
}

fn far_is_possible() -> bool {
    needs::are_met(sshfs::NEEDS) && needs::are_met(link::NEEDS_FAR)
}

/// A fault of a far link, or of the server behind it, during the measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Harm {
    SwallowLongPackets,
    Cut,
    StopServer,
}

/// Reads or writes until the storage stops responding, gives up, and reports why.
fn given_up(writes: &str, harm: Harm) -> Told {
    let sshfs = Sshfs::over(Link::far(500, 0));
    let verb = bulk(sshfs.path(), writes).with(&["--duration", "60s", "--hang-after", "6s"]);
    let mut running = limited::start(&verb, Some(sshfs.link()));
    verb.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(1));
    match harm {
        Harm::SwallowLongPackets => sshfs.link().swallow_long_packets(),
        Harm::Cut => sshfs.link().cut(),
        Harm::StopServer => {
            let processes = sshfs.server_processes();
            processes.iter().for_each(|pid| drop(tool_with(&["kill", "-STOP", &pid.to_string()])));
        }
    }
    let outcome = running.wait(Duration::from_secs(60));
    let screen = outcome.stdout.clone();
    outcome.expect_code(3);
    limited::told(&verb, screen)
}

/// They wait most of the time, so they can run at the same time.
#[test]
fn mtu_black_hole_is_distinguished_from_cut_path_and_hung_server() {
    require!(Need::Soak);
    if !far_is_possible() {
        return;
    }
    let _turn = my_turn();
    std::thread::scope(|scope| {
        let swallowed =
            ["0", "100"].map(|writes| scope.spawn(move || given_up(writes, Harm::SwallowLongPackets)));
        let others = [Harm::Cut, Harm::StopServer].map(|harm| scope.spawn(move || given_up("0", harm)));
        for told in swallowed.map(|thread| thread.join().unwrap()) {
            assert_eq!(told.step(), "path_broken", "{:#}", told.limit);
            told.names_rule("net.mtu.path_mismatch");
            assert_eq!(told.seen("packet_bytes"), 9_000.0);
            assert!(!told.sentence().is_empty(), "{}", told.screen);
        }
        for told in others.map(|thread| thread.join().unwrap()) {
            told.accuses_none_of(&["path_broken"]);
        }
    });
}

/// A fast port of the server feeds a slow one of the client through a switch.
fn through_a_switch(buffer_bytes: u32, mtu_bytes: u32) -> Told {
    let sshfs = Sshfs::over(Link::switched(60, buffer_bytes, mtu_bytes).filling_queues());
    measured(&short(sshfs.path(), "0"), Some(sshfs.link()))
}

/// The interface is a virtual pair, as in containers. The path to the target uses it, so it counts.
#[test]
fn link_down_for_2s_is_marked_and_named() {
    require!(Need::Tool("tc"));
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let sshfs = Sshfs::over(Link::new(400).named_on_client("vethnas"));
    let verb = bulk(sshfs.path(), "0").with(&["--duration", "12s"]);
    // Only a new mount of /sys shows the namespace's devices.
    let mut client = Command::new("ip");
    client.args(["netns", "exec", sshfs.link().client_name()]).arg(binary::path());
    let mut running = binary::start_by(client, verb.plain_words());
    verb.until_measuring(&mut running);
    std::thread::sleep(Duration::from_secs(2));
    sshfs.link().set_up(false);
    std::thread::sleep(Duration::from_secs(2));
    sshfs.link().set_up(true);
    let outcome = running.wait(Duration::from_secs(90));
    let summary = run_dir::summary(&verb.run_dir());
    let marks = summary["marks"].as_array().cloned().unwrap_or_default();
    let is_it = |mark: &Value| mark["kind"] == "link_flap" && mark["device"] == "vethnas";
    assert!(marks.iter().any(is_it), "{marks:#?}\n{}", outcome.stdout);
    let screen = outcome.words();
    assert!(screen.contains("vethnas"), "{screen}");
    // It stalled for longer than the link was down: TCP waits before it retries.
    let still = &summary["series"]["standstills"][0];
    assert!(still["lasted_s"].as_f64().is_some_and(|lasted_s| lasted_s > 1.5), "{:#}", summary["series"]);
}

#[test]
fn small_switch_buffer_is_network_loss_and_large_one_a_saturated_link() {
    require!(Need::Soak);
    require!(Need::Tool("tc"));
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    let small = through_a_switch(30_000, 1500);
    assert_eq!(small.step(), "network_loss", "{:#}", small.limit);
    small.names_rule("net.tcp.backpressure");
    assert!(!small.has_rule("net.mtu.jumbo_fanin"));
    let jumbo = through_a_switch(30_000, 9000);
    assert_eq!(jumbo.step(), "network_loss", "{:#}", jumbo.limit);
    jumbo.names_rule("net.mtu.jumbo_fanin");
    assert!(jumbo.sentence().contains("MTU 1500"), "{}", jumbo.sentence());
    // Room for all packets in flight: nothing is lost, and the line is saturated.
    let large = through_a_switch(3_000_000, 1500);
    assert_eq!(large.step(), "link_full", "{:#}", large.limit);
    assert!(large.seen("ping_us") > large.seen("rtt_us"), "{:#}", large.limit);
    assert!(large.sentence().contains("a ping takes"), "{}", large.sentence());
}

/// Limits the server's processes to a fifth of a processor.
#[test]
fn a_server_without_processors_is_the_server() {
    require!(Need::Soak);
    require!(Need::Quota);
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let (_turn, sshfs) = (my_turn(), Sshfs::over(Link::switched(1_000, 2_000_000, 1500)));
    // The test files are made before the fault.
    measured(&short(sshfs.path(), "0").with(&["--duration", "1s"]), Some(sshfs.link()));
    let throttle = Throttle::processors(10_000, 100_000);
    for pid in sshfs.server_processes() {
        throttle.take(Pid::from_raw(i32::try_from(pid).unwrap()).unwrap());
    }
    let told = measured(&short(sshfs.path(), "0"), Some(sshfs.link()));
    throttle.lift_processors();
    assert_eq!(told.step(), "server", "{:#}", told.limit);
    told.accuses_none_of(FAULTS_OF_THE_WAY);
}

/// A disk that takes its time for each request, with a file system on it.
struct SlowDisk {
    mount: TempMount,
    faulty: Faulty,
}

impl SlowDisk {
    fn new(mib: u32) -> SlowDisk {
        let faulty = Faulty::mount();
        SlowDisk { mount: TempMount::image_on(&faulty.path(), ImageKind::Ext4, mib), faulty }
    }

    fn each_request_takes(&self, time: Duration) {
        self.faulty.faults().delay(time);
    }

    fn set_read_ahead(&self, kib: u32) {
        std::fs::write(self.read_ahead_file(), kib.to_string()).unwrap();
    }

    fn read_ahead_kib(&self) -> u32 {
        std::fs::read_to_string(self.read_ahead_file()).unwrap().trim().parse().unwrap()
    }

    fn read_ahead_file(&self) -> PathBuf {
        let source = tool(&format!("findmnt -n -o SOURCE {}", self.mount.path().display()));
        let device = source.trim().trim_start_matches("/dev/");
        format!("/sys/block/{device}/queue/read_ahead_kb").into()
    }
}

/// One worker that reads a megabyte at a time, one after the other.
fn one_reader(target: &Path, way: &str) -> Verb {
    let mix =
        Mix::flat_out_on(target).with(&["--profile", "seq-read", "--workers", "1", "--length", "4MiB", way]);
    let mix = mix.with(&["--blocks", "1MiB", "--files", "1", "--file-size", "32MiB", "--keep-free", "1MiB"]);
    mix.with(&["--warmup", "500ms", "--duration", "3s"]).into()
}

const DISK_NEEDS: &[Need] =
    &[Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Tool("findmnt")];

fn disk_is_possible() -> bool {
    needs::are_met(DISK_NEEDS) && needs::are_met(faulty::NEEDS)
}

#[test]
fn a_slow_disk_is_the_disk_and_reads_that_come_whole_blame_neither_files_nor_read_ahead() {
    require!(Need::Soak);
    if !disk_is_possible() {
        return;
    }
    let (_turn, disk) = (my_turn(), SlowDisk::new(96));
    let verb = one_reader(disk.mount.path(), "--direct");
    measured(&verb, None);
    disk.each_request_takes(Duration::from_millis(20));
    let told = measured(&one_reader(disk.mount.path(), "--direct"), None);
    assert_eq!(told.step(), "disk", "{:#}", told.limit);
    assert!(told.seen("disk_busy_percent") > 90.0, "{:#}", told.limit);
    told.names_rule("blk.disk_saturated");
    assert!(!told.has_rule("fs.fragmentation"), "{:#}", told.limit);
}

#[test]
fn read_ahead_that_is_switched_off_is_named_and_enough_of_it_is_not() {
    require!(Need::Soak);
    if !disk_is_possible() {
        return;
    }
    let (_turn, disk) = (my_turn(), SlowDisk::new(320));
    // More than is read in that time, so that nothing is read twice.
    let reader = |way| one_reader(disk.mount.path(), way).with(&["--file-size", "256MiB"]);
    measured(&reader("--direct").with(&["--duration", "1s"]), None);
    disk.each_request_takes(Duration::from_millis(1));
    for (read_ahead_kib, is_too_small) in [(0, true), (4096, false)] {
        disk.set_read_ahead(read_ahead_kib);
        let told = measured(&reader("--buffered"), None);
        assert_eq!(disk.read_ahead_kib(), read_ahead_kib, "something else set it meanwhile");
        assert_eq!(told.has_rule("blk.read_ahead"), is_too_small, "{:#}", told.limit);
        if is_too_small {
            assert_eq!(told.step(), "disk", "{:#}", told.limit);
            assert!(told.sentence().contains("more read-ahead"), "{}", told.sentence());
        }
    }
}

/// A file system that moves all its data during the run. The run reports it as an event.
#[test]
fn btrfs_balance_during_a_run_is_reported_with_device_and_time() {
    require!(Need::Soak);
    require!(Need::Root, Need::Tool("mkfs.btrfs"), Need::Tool("btrfs"), Need::FileSystem("btrfs"));
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, faulty) = (my_turn(), Faulty::mount());
    let mount = TempMount::image_on(&faulty.path(), ImageKind::Btrfs, 512);
    let quiet = measured(&one_reader(mount.path(), "--direct"), None);
    assert!(!quiet.screen.contains("balance"), "{}", quiet.screen);
    std::fs::write(mount.path().join("ballast"), vec![3; 128 << 20]).unwrap();
    tool("sync");
    faulty.faults().delay(Duration::from_millis(10));
    let mut balance = Command::new("btrfs");
    balance.args(["balance", "start", "--full-balance"]).arg(mount.path());
    let mut balance = balance.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let told = measured(&one_reader(mount.path(), "--direct"), None);
    tool(&format!("btrfs balance cancel {}", mount.path().display()));
    balance.wait().unwrap();
    let device = tool(&format!("findmnt -n -o SOURCE {}", mount.path().display()));
    let work = format!("{} balance", device.trim().trim_start_matches("/dev/"));
    assert!(told.screen.contains(&work), "{}", told.screen);
    assert_eq!(told.step(), "disk", "{:#}", told.limit);
    told.names_rule("blk.raid_degraded_or_rebuilding");
}

/// Leaves only free holes of 16 KiB, so that new files are fragmented.
fn fill_but_for_holes(folder: &Path) {
    let small = vec![7_u8; 16 << 10];
    let name = |number: u32| folder.join(format!("small-{number}"));
    let mut count = 0;
    while std::fs::write(name(count), &small).is_ok() {
        count += 1;
    }
    let _ = std::fs::remove_file(name(count));
    tool("sync");
    (0..count).step_by(2).for_each(|number| std::fs::remove_file(name(number)).unwrap());
    tool("sync");
}

#[test]
fn a_file_in_pieces_is_named_and_a_file_system_that_is_full_is_a_finding_of_the_doctor() {
    require!(Need::Soak);
    if !disk_is_possible() {
        return;
    }
    let (_turn, disk) = (my_turn(), SlowDisk::new(96));
    fill_but_for_holes(disk.mount.path());
    let reader = || one_reader(disk.mount.path(), "--direct").with(&["--file-size", "16MiB"]);
    measured(&reader().with(&["--duration", "1s"]), None);
    disk.each_request_takes(Duration::from_millis(1));
    let told = measured(&reader(), None);
    assert_eq!(told.step(), "disk", "{:#}", told.limit);
    told.names_rule("fs.fragmentation");
    disk.each_request_takes(Duration::ZERO);
    // And nearly full.
    let left = rustix::fs::statvfs(disk.mount.path()).unwrap();
    let (free, all) = (left.f_bavail * left.f_frsize, left.f_blocks * left.f_frsize);
    let ballast = free.saturating_sub(all / 50);
    std::fs::write(disk.mount.path().join("ballast"), vec![1; ballast as usize]).unwrap();
    assert!(findings(disk.mount.path()).contains(&"fs.free_space_low".to_owned()));
    std::fs::remove_file(disk.mount.path().join("ballast")).unwrap();
    assert!(!findings(disk.mount.path()).contains(&"fs.free_space_low".to_owned()));
}

/// The rules with findings of the doctor on the path to this folder.
fn findings(folder: &Path) -> Vec<String> {
    rules(&["doctor", &folder.to_string_lossy(), "--json"])
}

#[track_caller]
fn rules(words: &[&str]) -> Vec<String> {
    let told = binary::run(words);
    assert!(matches!(told.code, Some(0 | 1)), "{}", told.said());
    let json = told.json();
    let found = json["findings"].as_array().unwrap().iter();
    found.map(|finding| finding["rule"].as_str().unwrap().to_owned()).collect()
}

/// Reads or writes through a Samba server with these lines in its global section. Also returns the
/// doctor's findings from the server's own output during the run.
fn over_samba(link: Link, global: &str, writes: &str) -> (Told, Vec<String>) {
    let samba = Samba::over(link, global);
    let verb = short(&samba.path(), writes).with(&["--files", "1"]);
    let told = measured(&verb, Some(samba.link()));
    let scratch = Scratch::new();
    let folder = scratch.dir("collected");
    samba.collect_into(&folder);
    (told, rules(&["doctor", "--server", "--from", &folder.to_string_lossy(), "--json"]))
}

#[test]
fn small_socket_buffers_of_samba_are_the_window_and_the_default_is_not() {
    require!(Need::Soak);
    if !needs::are_met(samba::NEEDS) || !needs::are_met(link::NEEDS_FAR) {
        return;
    }
    let _turn = my_turn();
    for (global, is_fixed) in [("  socket options = SO_RCVBUF=8192 SO_SNDBUF=8192", true), ("", false)] {
        let (told, found) = over_samba(Link::far(1_000, 0), global, "100");
        if is_fixed {
            assert_eq!(told.step(), "tcp_window", "{:#}", told.limit);
            told.names_rule("smb.samba.socket_options");
        } else {
            told.accuses_none_of(FAULTS_OF_THE_WAY);
        }
        assert_eq!(found.contains(&"smb.samba.socket_options".to_owned()), is_fixed, "{found:?}");
    }
}

#[test]
fn a_slow_signing_algorithm_is_the_server_and_is_named_by_the_doctor() {
    require!(Need::Soak);
    if !needs::are_met(samba::NEEDS) || !needs::are_met(&[Need::Tool("tc")]) {
        return;
    }
    let _turn = my_turn();
    for (algorithm, is_slow) in [("AES-128-CMAC", true), ("AES-128-GMAC", false)] {
        let global = signed(algorithm);
        let (told, found) = over_samba(Link::switched(1_000, 2_000_000, 1500), &global, "0");
        told.accuses_none_of(FAULTS_OF_THE_WAY);
        if is_slow {
            assert_eq!(told.step(), "server", "{:#}", told.limit);
            told.names_rule("smb.crypto_algorithm_slow");
        }
        assert_eq!(
            found.contains(&"smb.crypto_algorithm_slow".to_owned()),
            is_slow,
            "{algorithm}: {found:?}"
        );
    }
}

fn signed(algorithm: &str) -> String {
    format!("  server signing = mandatory\n  server smb3 signing algorithms = {algorithm}")
}

/// Players that are served in time by a sound server and a sound disk, `REELGAUGE_HEALTHY_RUNS` times.
#[test]
fn healthy_components_are_not_blamed() {
    require!(Need::Soak);
    require!(Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let runs = std::env::var("REELGAUGE_HEALTHY_RUNS").map_or(3, |runs| runs.parse().unwrap());
    let _turn = my_turn();
    let sshfs = Sshfs::over(Link::switched(400, 2_000_000, 1500));
    let disk = TempMount::image(ImageKind::Ext4, 256);
    for run in 0..runs {
        let (target, link) = match run % 2 {
            0 => (sshfs.path(), Some(sshfs.link())),
            _ => (disk.path(), None),
        };
        let players =
            ["--actor", "player", "--count", "2", "--format", SMALL.id, "--buffer", "2s", "--direct"];
        let verb = Verb::on("streams", target).with(&players);
        let verb =
            verb.with(&["--clip", "1s", "--warmup", "500ms", "--duration", "3s", "--keep-free", "64MiB"]);
        let (code, told) = limited::ended(&verb, link);
        told.accuses_none_of(FAULTS_OF_THE_WAY);
        // If other programs took the processors that server and client share here, they were not served
        // in time.
        assert!(code == 0 || !needs::is_soak(), "run {run}: {}", told.screen);
        if code == 0 {
            assert_eq!(told.limit["verdict"], "nothing_limited", "run {run}: {:#}", told.limit);
            assert!(told.sentence().is_empty(), "run {run}: {}", told.screen);
        }
    }
}
