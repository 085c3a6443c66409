//! Limits of the host and of the target are reported before anything is touched. They never look like a
//! fault of the storage.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use reelgauge_tests::binary::{self, Outcome, Running};
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool;
use reelgauge_tests::require;
use reelgauge_tests::run_dir;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::verb::Verb;
use rustix::process::Signal;

const A_MINUTE: Duration = Duration::from_secs(60);

/// Runs it below a limit: `-n 64`.
fn limited(limit: &str, words: Vec<OsString>) -> Outcome {
    let mut shell = Command::new("bash");
    shell.args(["-c", &format!("ulimit {limit}; exec \"$0\" \"$@\"")]).arg(binary::path());
    binary::start_by(shell, words).wait(A_MINUTE)
}

/// A small mix, below a limit.
fn mix_below(limit: &str, target: &Path, flags: &[&str]) -> Outcome {
    limited(limit, Mix::on(target).with(&["--duration", "1s"]).with(flags).words())
}

#[track_caller]
fn refused(outcome: &Outcome, target: &Path, said: &[&str]) {
    assert_eq!(outcome.code, Some(2), "{}", outcome.said());
    for said in said {
        assert!(outcome.stderr.contains(said), "'{said}' is missing\n{}", outcome.said());
    }
    assert!(!outcome.stderr.contains("dmesg"), "{}", outcome.said());
    assert_eq!(std::fs::read_dir(target).unwrap().count(), 0, "something was touched");
}

#[test]
fn descriptors_memory_and_file_sizes_are_checked_before_the_start() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let many = ["--workers", "100", "--files", "4"];
    refused(&mix_below("-n 64", &target, &many), &target, &[" 64", "ulimit -n", "at most"]);
    refused(&mix_below("-f 500", &target, &[]), &target, &["500KiB (ulimit -f)", "grows to 16MiB"]);
    refused(&mix_below("-v 300000", &target, &many), &target, &["ulimit -v", "of address space"]);
    let large = ["--workers", "60000", "--files", "1", "--blocks", "16MiB", "--length", "16MiB"];
    let huge = binary::run(Mix::on(&target).with(&large).without("--max-length").words());
    assert_eq!(huge.code, Some(2), "{}", huge.said());
    assert_eq!(std::fs::read_dir(&target).unwrap().count(), 0);
    // A load that fits still runs. The limit is raised as far as needed, if permitted.
    let soft = ["--workers", "100", "--files", "4", "--file-size", "1MiB"];
    mix_below("-Sn 64", &target, &soft).expect_code(0);
}

#[test]
fn an_open_read_ahead_of_minutes_is_refused_and_not_ten_thousands_of_threads() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let streams = Verb::on("streams", &target).with(&["--format", SMALL.id, "--count", "200"]);
    let streams = streams.with(&["--read-ahead", "open", "--buffer", "10m", "--clip", "1s"]);
    refused(&streams.run(), &target, &["--buffer", "--read-ahead open", " threads"]);
    let rings = streams.with(&["--driver", "uring"]);
    refused(&rings.run(), &target, &["of memory", "--buffer"]);
}

#[test]
fn much_memory_is_announced() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let mix = Mix::on(&target).with(&["--workers", "80", "--files", "1", "--blocks", "16MiB"]);
    let mix = mix.with(&["--length", "16MiB", "--duration", "1s"]);
    let mut running = binary::start(mix.plain_words());
    // The announcement is enough: the run need not move any data.
    let said = |running: &mut Running| running.stderr().contains(" GB of memory");
    assert!(running.until(A_MINUTE, said).is_some(), "{}", running.stderr());
    running.signal(Signal::KILL);
    running.wait(A_MINUTE);
}

/// Files of the area.
fn data_folder(target: &Path) -> PathBuf {
    target.join("reelgauge-area/data")
}

#[test]
fn twentieth_of_the_volume_stays_free_by_default() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 200);
    let free = free_bytes(mount.path());
    // All but 4 MB of what is free: more than a twentieth of 200 MiB must stay.
    let size = format!("{}MiB", (free >> 20) - 4);
    let mix = Mix::on(mount.path()).with(&["--files", "1", "--file-size", &size, "--duration", "1s"]);
    let outcome = mix.run();
    assert_eq!(outcome.code, Some(2), "{}", outcome.said());
    assert!(outcome.stderr.contains("(--keep-free"), "{}", outcome.said());
    assert!(!mount.path().join("reelgauge-area").exists());
    // With an existing area, a refusal leaves it unchanged. On a busy disk no operation may complete in
    // so short a time (status 1), but the area exists.
    let made = Mix::on(mount.path()).with(&["--duration", "1s"]).run();
    assert!(matches!(made.code, Some(0 | 1)), "{}", made.said());
    let before: Vec<_> = std::fs::read_dir(data_folder(mount.path())).unwrap().collect();
    assert_eq!(mix.run().code, Some(2));
    let after: Vec<_> = std::fs::read_dir(data_folder(mount.path())).unwrap().collect();
    assert_eq!(before.len(), after.len(), "an empty folder was left");
    let most = Mix::on(mount.path()).with(&["--files", "1", "--file-size", "100MiB", "--duration", "3s"]);
    most.with(&["--keep-free", "1MiB"]).measure();
}

/// Bytes that may be written.
fn free_bytes(path: &Path) -> u64 {
    let of =
        |what: &str| tool(&format!("stat -f -c {what} {}", path.display())).trim().parse::<u64>().unwrap();
    of("%a") * of("%S")
}

#[test]
fn names_that_are_no_text_are_refused_before_a_byte_or_work() {
    let scratch = Scratch::new();
    let strange = scratch.path().join(OsString::from_vec(b"nu\xff\xe4r".to_vec()));
    std::fs::create_dir(&strange).unwrap();
    let plain = scratch.path().join("plain");
    std::os::unix::fs::symlink(&strange, &plain).unwrap();
    let recorded = Verb::on("streams", scratch.dir("recorded"));
    let recorded = recorded.with(&["--actor", "recorder", "--format", SMALL.id, "--clip", "1s"]);
    let recorded = recorded.with(&["--duration", "1s", "--warmup", "0s"]);
    recorded.run();
    for target in [&strange, &plain] {
        let short = ["--duration", "1s", "--warmup", "0s"];
        let refusing = [
            Verb::from(Mix::on(target)),
            Verb::on("streams", target).with(&["--format", SMALL.id, "--clip", "1s"]).with(&short),
            Verb::on("vda", target).with(&["--points", "1", "--file-size", "2MiB"]).with(&short),
            Verb::on("replay", recorded.run_dir()).operand(target),
        ];
        for verb in refusing {
            refused(&verb.run(), &strange, &["UTF-8"]);
        }
    }
    // Results may be stored anywhere.
    let mix = Verb::from(Mix::on(&scratch.dir("target")).with(&["--duration", "1s"]));
    let mut words = mix.plain_words();
    let out = words.iter().position(|word| word == "--out").unwrap();
    words[out + 1] = strange.clone().into();
    binary::run(words).expect_code(0);
    assert_eq!(run_dir::all_in(&strange).len(), 1);
}

#[test]
fn paths_of_four_thousand_bytes_work() {
    let scratch = Scratch::new();
    let mut target = scratch.dir("t");
    while target.as_os_str().len() < 3800 {
        target.push("d".repeat(190));
    }
    let rest = 4000 - target.as_os_str().len() - 1;
    target.push("e".repeat(rest));
    std::fs::create_dir_all(&target).unwrap();
    Mix::on(&target).with(&["--verify"]).measure();
    let streams = Verb::on("streams", &target).with(&["--actor", "recorder", "--format", SMALL.id]);
    let outcome = streams.with(&["--duration", "1s", "--warmup", "0s", "--clip", "1s"]).run();
    assert!(matches!(outcome.code, Some(0 | 1)), "{}", outcome.said());
    binary::run([OsString::from("clean"), target.clone().into()]).expect_code(0);
}

#[test]
fn an_unprintable_summary_is_reported_with_its_path() {
    let scratch = Scratch::new();
    let verb = Mix::on(&scratch.dir("target")).with(&["--duration", "1s"]);
    let mut shell = Command::new("bash");
    shell.args(["-c", "exec \"$0\" \"$@\" > /dev/full"]).arg(binary::path());
    let outcome = binary::start_by(shell, verb.words()).wait(A_MINUTE);
    assert_eq!(outcome.code, Some(3), "{}", outcome.said());
    assert!(outcome.stderr.contains("printed"), "{}", outcome.said());
    assert!(verb.run_dir().join("summary.json").exists());
}

#[test]
fn a_test_file_that_is_replaced_breaks_the_run_off() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 200);
    let verb = Verb::from(Mix::on(mount.path()).with(&["--duration", "3s", "--writes", "0"]));
    let mut running = verb.start();
    verb.until_measuring(&mut running);
    let found = tool(&format!("find {} -name file-0001.bin", data_folder(mount.path()).display()));
    let file = PathBuf::from(found.trim());
    let copy = file.with_extension("copy");
    std::fs::copy(&file, &copy).unwrap();
    std::fs::rename(&copy, &file).unwrap();
    let outcome = running.wait(A_MINUTE);
    assert_eq!(outcome.code, Some(3), "{}", outcome.said());
    assert!(outcome.said().contains("replaced"), "{}", outcome.said());
}

#[test]
fn leftovers_of_a_killed_recorder_are_removed_by_the_next_run() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let recorder = Verb::on("streams", &target).with(&["--actor", "recorder", "--format", SMALL.id]);
    let recorder = recorder.with(&["--duration", "20s", "--warmup", "0s", "--clip", "1s"]);
    let mut running = recorder.start();
    recorder.until_measuring(&mut running);
    tool(&format!("kill -KILL {}", running.pid()));
    running.wait(A_MINUTE);
    let left = target.join("reelgauge-area/scratch");
    // The child ends with its parent.
    std::thread::sleep(Duration::from_secs(1));
    assert!(left.exists());
    Mix::on(&target).measure();
    assert!(!left.exists());
}
