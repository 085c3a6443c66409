//! Faults that are repaired: `reelgauge prove` measures the gain, and undoes every change.
//!
//! All four take minutes on an idle host: `cargo xtask soak --only repairs`.

use std::path::Path;
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary;
use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::link::{self, Link};
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::programs::tool;
use reelgauge_tests::run_dir::{self, at, number};
use reelgauge_tests::samba::{self, Samba};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use serde_json::Value;

/// More than twenty runs of a second take.
const LIMIT: Duration = Duration::from_secs(240);

/// Of this a small buffer carries several in a second.
const SMALL: &str = "--direct --blocks=64KiB";

/// Arguments for so many readers or writers, for a second. Each transfers a megabyte at a time in a file
/// of this size.
fn work(target: &Path, profile: &str, (workers, mib): (u32, u32), way: &str) -> Vec<String> {
    let words = format!(
        "mix {} --profile={profile} --workers={workers} --files=1 --file-size={mib}MiB --length=4MiB --blocks=1MiB \
         --warmup=200ms --duration=1s --keep-free=1MiB {way}",
        target.display()
    );
    words.split_whitespace().map(str::to_owned).collect()
}

/// Proves a change, and returns the gain of throughput in percent. On a busy host the proof may end
/// early or find only noise. It reports that, which is no failure here; the throughput of the passes is
/// known anyway. In a soak, alone on the host, it has to be proven.
#[track_caller]
fn gain(change: &str, undo: &str, work: &[String]) -> f64 {
    let scratch = Scratch::new();
    let mut command = Command::new(binary::path());
    command.env("HOME", scratch.dir("home")).env_remove("XDG_STATE_HOME");
    let out = scratch.dir("out").display().to_string();
    let words = ["prove", "--change", change, "--undo", undo, "--json", "--out", &out, "--"];
    let words: Vec<String> = words.iter().map(|&word| word.to_owned()).chain(work.iter().cloned()).collect();
    let outcome = binary::start_by(command, &words).wait(LIMIT);
    assert!(matches!(outcome.code, Some(0 | 1 | 3)), "{}", outcome.said());
    let (is_proven, proof) = (outcome.code == Some(0), outcome.json());
    assert_eq!(at(&proof, "not_undone"), &Value::Null, "the change is undone");
    if let Some(why) = at(&proof, "ended_early").as_str() {
        assert!(why.contains("disturbed"), "{why}");
    }
    assert!(is_proven || !needs::is_soak(), "{:#}", at(&proof, "conclusion"));
    gain_of_passes(&proof)
}

/// The gain of the medians of all passes, including disturbed ones.
#[track_caller]
fn gain_of_passes(proof: &Value) -> f64 {
    let dir = Path::new(at(proof, "dir").as_str().unwrap());
    let mut rates: [Vec<f64>; 2] = [Vec::new(), Vec::new()];
    for pass in at(proof, "passes").as_array().unwrap() {
        let run = run_dir::summary(&dir.join(at(pass, "run").as_str().unwrap()));
        let state = usize::try_from(at(pass, "state").as_u64().unwrap()).unwrap();
        rates[state].push(number(&run, "load_points.0.total.bytes_per_s"));
    }
    let [without, with] = rates.map(|mut rates| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    });
    (with / without - 1.0) * 100.0
}

#[test]
fn read_ahead_is_switched_on() {
    let disk =
        [Need::Soak, Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"), Need::Tool("findmnt")];
    if !needs::are_met(&disk) || !needs::are_met(faulty::NEEDS) {
        return;
    }
    let (_turn, faulty) = (my_turn(), Faulty::mount());
    let mount = TempMount::image_on(&faulty.path(), ImageKind::Ext4, 320);
    let device = tool(&format!("findmnt -n -o SOURCE {}", mount.path().display()));
    let file = format!("/sys/block/{}/queue/read_ahead_kb", device.trim().trim_start_matches("/dev/"));
    let set = |kib: u32| format!("echo {kib} > {file}");
    std::fs::write(&file, "0").unwrap();
    faulty.faults().delay(Duration::from_millis(1));
    // Data from the local cache prove nothing, so nothing is read twice.
    let work = work(mount.path(), "seq-read", (1, 256), "--buffered --random=100 --no-repeat");
    let percent = gain(&set(32), &set(0), &work);
    assert!(percent > 100.0, "{percent} %");
    assert_eq!(std::fs::read_to_string(&file).unwrap().trim(), "0", "the change is undone");
}

/// Both ends use the setting when they reconnect.
#[test]
fn window_scaling_is_switched_on() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(sshfs::NEEDS) || !needs::are_met(link::NEEDS_FAR) {
        return;
    }
    let link = Link::far(8_000, 0);
    link.set_on_both("net.ipv4.tcp_window_scaling=0");
    let (_turn, sshfs) = (my_turn(), Sshfs::connecting_again(link));
    let (client, server) = (sshfs.link().client_name(), sshfs.link().server_name());
    let set = |value: u32| {
        format!(
            "for host in {client} {server}; do nsenter --net=/run/netns/$host \
             sysctl -q -w net.ipv4.tcp_window_scaling={value} || exit 1; done; {}",
            connect_again(&sshfs)
        )
    };
    let percent = gain(&set(1), &set(0), &work(sshfs.path(), "seq-read", (6, 16), "--direct"));
    assert!(percent > 20.0, "{percent} %");
}

#[test]
fn socket_buffers_of_samba_are_left_to_the_kernel() {
    if !needs::are_met(&[Need::Soak]) || !needs::are_met(samba::NEEDS) || !needs::are_met(link::NEEDS_FAR) {
        return;
    }
    let fixed = "  socket options = SO_RCVBUF=8192 SO_SNDBUF=8192";
    let (_turn, samba) = (my_turn(), Samba::over(Link::far(4_000, 0), fixed));
    let [change, undo] = [samba.setting("default", ""), samba.setting("fixed", fixed)];
    let percent = gain(&change, &undo, &work(&samba.path(), "seq-write", (1, 16), SMALL));
    assert!(percent > 50.0, "{percent} %");
}

#[test]
fn a_fast_signing_algorithm_is_allowed() {
    if !needs::are_met(&[Need::Soak, Need::Tool("tc")]) || !needs::are_met(samba::NEEDS) {
        return;
    }
    let signed = |algorithm: &str| {
        format!("  server signing = mandatory\n  server smb3 signing algorithms = {algorithm}")
    };
    let link = Link::switched(10_000, 8_000_000, 9000);
    let (_turn, samba) = (my_turn(), Samba::over(link, &signed("AES-128-CMAC")));
    let change = samba.setting("fast", &signed("AES-128-GMAC"));
    let undo = samba.setting("slow", &signed("AES-128-CMAC"));
    let percent = gain(&change, &undo, &work(&samba.path(), "seq-read", (2, 16), "--direct"));
    assert!(percent > 5.0, "{percent} %");
}

/// Drops the connection, so that the next request opens another.
fn connect_again(sshfs: &Sshfs) -> String {
    let client = sshfs.link().client_name();
    format!(
        "for pid in $(ip netns pids {client}); do \
         if [ \"$(cat /proc/$pid/comm)\" = ssh ]; then kill -9 $pid; fi; done; sleep 0.3; ls {}",
        sshfs.path().display()
    )
}
