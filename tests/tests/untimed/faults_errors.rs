//! Storage that fails: the run reports it, keeps its measurements and counts every failure.

use std::ffi::OsString;
use std::fs::File;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::faulty::{self, Faulty};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, summary, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use reelgauge_tests::tree::tree;
use reelgauge_tests::verb::Verb;
use serde_json::Value;

const EIO: i32 = rustix::io::Errno::IO.raw_os_error();
const ENOSPC: i32 = rustix::io::Errno::NOSPC.raw_os_error();
const DRIVERS: [&str; 2] = ["threads", "uring"];

/// How long a run measures undisturbed.
const A_WHILE: Duration = Duration::from_secs(1);

/// Checks that the run broke off, reported why, and kept its measurements. Returns the summary.
#[track_caller]
fn broke_off_and_kept(mix: &Mix, outcome: Outcome) -> Value {
    let outcome = outcome.expect_code(3);
    let printed = outcome.json();
    assert_eq!(text(&printed, "outcome"), "broke_off");
    assert!(!text(&printed, "outcome_reason").is_empty());
    assert!(count(&printed, "load_points.0.total.ops") > 0, "{}", outcome.said());
    assert_eq!(summary(&mix.run_dir()), printed);
    assert!(!outcome.stderr.contains("panicked"), "{}", outcome.said());
    printed
}

/// A mount with test files, and a mix on it that reuses them.
fn prepared(faulty: &Faulty, flags: &[&str]) -> Mix {
    Mix::on(&faulty.path()).with(flags).with(&["--duration", "500ms"]).measure();
    Mix::on(&faulty.path()).with(flags).with(&["--duration", "20s", "--warmup", "0s"])
}

/// Each error number with its count.
fn errors(summary: &Value) -> Vec<(i64, u64)> {
    let errors = at(summary, "load_points.0.total.errors").as_array().unwrap();
    errors.iter().map(|error| (at(error, "errno").as_i64().unwrap(), count(error, "count"))).collect()
}

#[test]
fn reads_that_fail() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    for driver in DRIVERS {
        let faulty = Faulty::mount();
        let mix = prepared(&faulty, &["--driver", driver]);
        faulty.faults().after(1000);
        faulty.faults().fail_reads(EIO);
        let printed = broke_off_and_kept(&mix, mix.run());
        assert!(errors(&printed).iter().any(|(errno, _)| *errno == i64::from(EIO)), "{:?}", errors(&printed));
        assert_eq!(text(&printed, "load_points.0.total.first_error.kind"), "read");
    }
}

#[test]
fn a_disk_that_is_full() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mix = prepared(&faulty, &[]);
    faulty.faults().after(1000);
    faulty.faults().fail_writes(ENOSPC);
    let printed = broke_off_and_kept(&mix, mix.run());
    assert!(errors(&printed).iter().any(|(errno, _)| *errno == i64::from(ENOSPC)), "{:?}", errors(&printed));
}

#[test]
fn a_copy_on_write_disk_that_others_fill_up() {
    require!(Need::Root, Need::Tool("mkfs.btrfs"), Need::FileSystem("btrfs"));
    let disk = TempMount::image(ImageKind::Btrfs, 256);
    let flags = ["--direct", "--writes", "100", "--verify"];
    Mix::on(disk.path()).with(&flags).measure();
    let mix = Mix::on(disk.path()).with(&flags).with(&["--duration", "40s", "--warmup", "0s"]);
    let mut running = mix.start();
    std::thread::sleep(Duration::from_secs(1));
    assert!(!running.has_ended(), "{}", running.stderr());
    // Rewriting a block needs a free one, and none is left.
    let fill = format!("dd if=/dev/zero of={}/filler bs=1M oflag=direct status=none", disk.path().display());
    let full = reelgauge_tests::programs::try_tool(&fill).unwrap_err();
    assert!(full.contains("No space left"), "{full}");
    let printed = broke_off_and_kept(&mix, running.wait(Duration::from_secs(60)));
    assert!(errors(&printed).iter().any(|(errno, _)| *errno == i64::from(ENOSPC)), "{:?}", errors(&printed));
}

#[test]
fn syncs_that_fail() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mix = prepared(&faulty, &["--sync", "transfer"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    faulty.faults().fail_syncs(EIO);
    let printed = broke_off_and_kept(&mix, running.wait(A_WHILE * 30));
    assert_eq!(text(&printed, "load_points.0.total.first_error.kind"), "sync");
}

#[test]
fn storage_that_fails_from_the_start() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    faulty.faults().fail_writes(EIO);
    let outcome = Mix::on(&faulty.path()).run();
    assert!(matches!(outcome.code, Some(2 | 3)), "{}", outcome.said());
    assert_eq!(outcome.stdout, "");
    let path = faulty.path();
    assert!(outcome.stderr.contains(path.to_str().unwrap()), "where? {}", outcome.said());
    assert_eq!(outcome.stderr.matches("os error 5").count(), 1, "said once: {}", outcome.said());
}

#[test]
fn reads_that_are_short() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    let faulty = Faulty::mount();
    let mix = prepared(&faulty, &["--writes", "0"]).with(&["--duration", "1s"]);
    faulty.faults().after(500);
    faulty.faults().shorten_reads();
    let printed = broke_off_and_kept(&mix, mix.run());
    let total = "load_points.0.total";
    let shorts = count(&printed, &format!("{total}.short_transfers"));
    assert!(shorts > 0);
    // A short read is not a completed operation.
    let reads = count(&printed, &format!("{total}.ops_by_kind.read"));
    assert_eq!(count(&printed, &format!("{total}.response.read.count")), reads - shorts);
}

#[test]
fn a_file_that_something_else_shortens() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    for driver in DRIVERS {
        let flags = ["--buffered", "--writes", "0", "--driver", driver, "--max-delay", "10ms"];
        let mix = Mix::on(&target).with(&flags).with(&["--duration", "60s", "--warmup", "0s"]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        std::thread::sleep(A_WHILE);
        let data = target.join("reelgauge-area/data");
        let size = |path: &std::path::PathBuf| data.join(path).metadata().unwrap().len();
        let longest = tree(&data, &[]).into_keys().filter(|path| data.join(path).is_file()).max_by_key(size);
        File::options().write(true).open(data.join(longest.unwrap())).unwrap().set_len(4096).unwrap();
        let printed = broke_off_and_kept(&mix, running.wait(Duration::from_secs(30)));
        let reason = text(&printed, "outcome_reason");
        assert!(reason.contains("(to 4096 bytes"), "{reason}");
        let total = "load_points.0.total.";
        let reads = count(&printed, &format!("{total}ops_by_kind.read"));
        let shorts = count(&printed, &format!("{total}short_transfers"));
        assert!(shorts > 0);
        assert_eq!(count(&printed, &format!("{total}response.read.count")), reads - shorts);
        let report = binary::run([OsString::from("report"), mix.run_dir().into()]).expect_code(0).words();
        assert!(report.contains("short read"), "{report}");
    }
}

/// The largest file below the area, as another program would find it.
fn largest_file(target: &std::path::Path) -> std::path::PathBuf {
    let area = target.join("reelgauge-area");
    let size = |path: &std::path::PathBuf| area.join(path).metadata().unwrap().len();
    let files = tree(&area, &[]).into_keys().filter(|path| area.join(path).is_file());
    area.join(files.max_by_key(size).unwrap())
}

fn shorten(path: &std::path::Path) {
    File::options().write(true).open(path).unwrap().set_len(4096).unwrap();
}

#[test]
fn a_file_of_a_player_that_something_else_shortens_is_no_fault_of_the_storage() {
    let scratch = Scratch::new();
    for driver in DRIVERS {
        let target = scratch.dir(driver);
        let streams = Verb::on("streams", &target).with(&["--format", "dnxhr-lb-hd-25", "--count", "2"]);
        let streams =
            streams.with(&["--duration", "60s", "--warmup", "0s", "--buffered", "--driver", driver]);
        let mut running = streams.start();
        streams.until_measuring(&mut running);
        std::thread::sleep(A_WHILE);
        shorten(&largest_file(&target));
        let outcome = running.wait(Duration::from_secs(60)).expect_code(3);
        let printed = outcome.json();
        let reason = text(&printed, "outcome_reason");
        assert!(reason.contains("(to 4096 bytes"), "{reason}");
        assert_eq!(printed["ending"]["kind"], "files_changed", "{printed:#}");
        let late = &printed["load_points"][0]["streams"];
        for incident in late["incidents"].as_array().unwrap() {
            assert_eq!(incident["culprit"], "not_known", "{incident:#}");
        }
        let said = binary::run([OsString::from("report"), streams.run_dir().into()]).expect_code(0).words();
        assert!(said.contains("changed the files") && !said.contains("Limited by: "), "{said}");
    }
}

#[test]
fn a_file_of_a_replay_that_something_else_shortens_is_no_result() {
    let scratch = Scratch::new();
    let mut log = "fio version 3 iolog\n0 a.mov add\n0 a.mov open\n0 b.mov add\n0 b.mov open\n".to_owned();
    for at in 1..=60_u64 {
        // The trace itself extends one of its files, and reads the other.
        let line = format!("{0} a.mov read {1} 65536\n{0} b.mov write {1} 4096\n", at * 50_000, at * 65_536);
        log.push_str(&line);
    }
    let source = scratch.path().join("paced.log");
    std::fs::write(&source, log).unwrap();
    let out = scratch.path().join("traces");
    let words = ["import", source.to_str().unwrap(), "--json", "--out", out.to_str().unwrap()];
    let trace = binary::run(words).expect_code(0).json()["dir"].as_str().unwrap().to_owned();
    for driver in DRIVERS {
        let target = scratch.dir(driver);
        let replay = |target| Verb::on("replay", &trace).operand(target).with(&["--driver", driver]);
        let undisturbed = replay(scratch.dir(&format!("{driver}-alone")));
        assert_eq!(undisturbed.measure()["outcome"], "complete");
        let disturbed = replay(target.clone());
        let mut running = disturbed.start();
        disturbed.until_measuring(&mut running);
        shorten(&largest_file(&target.clone()));
        let outcome = running.wait(Duration::from_secs(60)).expect_code(3);
        let printed = outcome.json();
        let reason = text(&printed, "outcome_reason");
        assert!(reason.contains("a.mov ") && reason.contains("(to 4096 bytes"), "{reason}");
        assert_eq!(printed["replay"]["passes"][0]["complete"], false, "{printed:#}");
        let said = binary::run([OsString::from("report"), disturbed.run_dir().into()]).expect_code(0).words();
        assert!(said.contains("truncated"), "{said}");
    }
}

#[test]
fn an_area_that_something_else_removes() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let streams = Verb::on("streams", &target).with(&[
        "--format",
        "dnxhr-lb-hd-25",
        "--actor",
        "recorder",
        "--count",
        "1",
        "--duration",
        "4s",
        "--warmup",
        "0s",
        "--buffered",
    ]);
    let mut running = streams.start();
    streams.until_measuring(&mut running);
    std::thread::sleep(A_WHILE);
    std::fs::remove_dir_all(target.join("reelgauge-area")).unwrap();
    let outcome = running.wait(Duration::from_secs(30)).expect_code(3);
    let printed = outcome.json();
    assert_eq!(text(&printed, "outcome"), "broke_off");
    let reason = text(&printed, "outcome_reason");
    assert!(reason.contains("reelgauge-area was removed"), "{reason}");
}

#[test]
fn one_wrong_bit_is_found() {
    if !needs::are_met(faulty::NEEDS) {
        return;
    }
    for driver in DRIVERS {
        let faulty = Faulty::mount();
        let mix = prepared(&faulty, &["--verify", "--driver", driver]).with(&["--duration", "4s"]);
        faulty.faults().only_in(3 << 20..(3 << 20) + 1);
        faulty.faults().flip_bits();
        let outcome = mix.run();
        let printed = outcome.json();
        assert!(count(&printed, "verify.different_bytes") > 0, "{driver}: {}", outcome.said());
        assert!(!text(&printed, "verify.first_difference").is_empty());
        assert_eq!(outcome.code, Some(1), "{driver}: data that differs is no success\n{}", outcome.said());
    }
}

#[test]
fn a_client_that_dies() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    for driver in DRIVERS {
        let mut sshfs = Sshfs::mount(400);
        let mix =
            Mix::on(sshfs.path()).with(&["--driver", driver, "--duration", "40s", "--hang-after", "5s"]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        std::thread::sleep(A_WHILE);
        sshfs.kill_client();
        broke_off_and_kept(&mix, running.wait(Duration::from_secs(40)));
    }
}

#[test]
fn a_server_that_dies() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let mut sshfs = Sshfs::mount(400);
    let mix = Mix::on(sshfs.path()).with(&["--duration", "40s", "--hang-after", "5s"]);
    let mut running = mix.start();
    mix.until_measuring(&mut running);
    std::thread::sleep(A_WHILE);
    sshfs.kill_server();
    broke_off_and_kept(&mix, running.wait(Duration::from_secs(40)));
}

#[test]
fn removed_mount_has_no_entries() {
    require!(Need::Root);
    for driver in DRIVERS {
        let mount = TempMount::tmpfs(128);
        let mix = Mix::on(mount.path()).with(&["--driver", driver, "--duration", "40s"]);
        let mut running = mix.start();
        mix.until_measuring(&mut running);
        std::thread::sleep(A_WHILE);
        mount.detach();
        broke_off_and_kept(&mix, running.wait(Duration::from_secs(60)));
        let below: Vec<_> = std::fs::read_dir(mount.path()).unwrap().collect();
        assert!(below.is_empty(), "{below:?}");
    }
}
