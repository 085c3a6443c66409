//! Invalid input is refused before anything is touched: exit code 2, a message with the remedy, nothing
//! on standard output, and an unchanged target.

use std::ffi::OsString;
use std::path::Path;

use reelgauge_tests::binary;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::programs::tool;
use reelgauge_tests::refusal;
use reelgauge_tests::require;
use reelgauge_tests::scratch::Scratch;

/// Checks that each case is refused with a message that contains its remedy, and that the target is
/// unchanged.
#[track_caller]
fn all_refused(target: &Path, cases: &[(&[&str], &str)]) {
    refusal::all_refused("mix", target, cases);
}

/// Checks that this call is refused with a message that contains `remedy`, and that the target is
/// unchanged.
#[track_caller]
fn refused(target: &Path, flags: &[&str], remedy: &str) {
    all_refused(target, &[(flags, remedy)]);
}

#[test]
fn values_that_make_no_sense() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--profile", "nothing"], "production-edit"),
        (&["--writes", "101"], "between 0 and 100"),
        (&["--random=-1"], "--random"),
        (&["--random", "ten"], "--random"),
        (&["--max-length", "10"], "10MiB"),
        (&["--max-length", "10XB"], "MiB"),
        (&["--file-size", "0MiB"], "--file-size"),
        (&["--file-size", "16777215TiB"], "4KiB to 1024TiB"),
        (&["--file-size", "1024TiB", "--files", "4294967295"], "18,446,744 TB"),
        (&["--length", "2GiB"], "--length 2GiB "),
        (&["--ramp", "1..2", "--step", "0s"], "--step"),
        (&["--blocks", "1MiB..4KiB"], "--blocks"),
        (&["--blocks", ""], "--blocks"),
        (&["--blocks", "1B"], "512"),
        (&["--length", "3MiB,"], "--length"),
        (&["--duration", "0s"], "--duration"),
        (&["--duration", "60"], "90s"),
        (&["--workers", "0"], "at least 1"),
        (&["--workers", "4294967295"], "1 to 4096"),
        (&["--files", "0"], "at least 1"),
        (&["--ramp", "10..1"], "1..10"),
        (&["--ramp", "many"], "1..10"),
        (&["--sweep", "colour=1..2"], "random"),
        (&["--hang-after", "0s"], "--hang-after"),
        (&["--sync", "sometimes"], "transfer"),
        (&["--driver", "steam"], "uring"),
        (&["--seed", "minus one"], "--seed"),
        (&["--file-size", "1MiB", "--length", "2MiB"], "--file-size"),
        (&["--blocks", "1000B", "--direct"], "512"),
    ];
    all_refused(&target, cases);
}

#[test]
fn options_that_do_not_go_together() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] = &[
        (&["--max-length", "1MiB", "--length", "1MiB"], "--length"),
        (&["--files", "2", "--shared-file"], "--shared-file"),
        (&["--direct", "--buffered"], "--buffered"),
        (&["--workers", "2", "--ramp", "1..2"], "--ramp"),
        (&["--ramp", "1..2", "--sweep", "random=0..100 step 50"], "--sweep"),
        (&["--step", "1s"], "--duration"),
        (&["--ramp", "1..2", "--duration", "1s"], "--duration"),
        (&["--no-such-flag"], "--help"),
    ];
    all_refused(&target, cases);
}

#[test]
fn options_without_effect() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let cases: &[(&[&str], &str)] =
        &[(&["--writes", "0", "--sync", "block"], "--sync"), (&["--writes", "0", "--verify"], "--verify")];
    all_refused(&target, cases);
}

#[test]
fn targets_that_are_none() {
    let scratch = Scratch::new();
    let file = scratch.path().join("file");
    std::fs::write(&file, "content").unwrap();
    refused(&scratch.path().join("nowhere"), &[], "nowhere");
    refused(&file, &[], "directory");
    assert_eq!(std::fs::read(file).unwrap(), b"content");
}

#[test]
fn a_read_only_target() {
    require!(Need::Root);
    let scratch = Scratch::new();
    let bound = TempMount::bind(&scratch.dir("target"));
    tool(&format!("mount -o remount,bind,ro {}", bound.path().display()));
    refused(bound.path(), &["--buffered"], "read-only");
}

/// Free space is not the problem here, however little there is.
#[test]
fn a_small_read_only_tmpfs_is_refused_with_the_advice_to_mount_it_writable() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(1);
    tool(&format!("mount -o remount,ro {}", mount.path().display()));
    let target = mount.path().to_str().unwrap();
    for verb in [
        &["check", target][..],
        &["mix", target, "--file-size", "64MiB"],
        &["streams", target, "--format", "prores-422-hq-uhd-25"],
        &["vda", target],
    ] {
        let scratch = Scratch::new();
        let outcome = binary::run(verb.iter().chain(&["--out", scratch.path().to_str().unwrap()]));
        let said = outcome.expect_code(2).said();
        assert!(said.contains("mounted read-only"), "{verb:?}\n{said}");
        assert!(!said.contains("quota"), "{verb:?}\n{said}");
    }
}

#[test]
fn direct_where_everything_is_memory() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(128);
    refused(mount.path(), &["--direct", "--files", "1", "--file-size", "16MiB"], "--buffered");
}

#[test]
fn a_target_that_is_too_small() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 64);
    refused(mount.path(), &["--file-size", "1GiB"], "--file-size");
}

#[test]
fn results_that_have_no_place_to_go() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let file = scratch.path().join("file");
    std::fs::write(&file, "content").unwrap();
    let out = file.join("runs");
    refused(&target, &["--file-size", "16MiB", "--out", out.to_str().unwrap()], "--out");
}

#[test]
fn report_of_a_non_run_is_refused() {
    let scratch = Scratch::new();
    for run in [scratch.path().join("nowhere"), scratch.dir("empty")] {
        let outcome = binary::run([OsString::from("report"), run.clone().into()]);
        assert_eq!(outcome.code, Some(2), "{}", outcome.said());
        assert!(outcome.stderr.contains(run.to_str().unwrap()), "{}", outcome.said());
    }
}

#[test]
fn without_a_verb_there_is_help() {
    let nothing: [&str; 0] = [];
    let outcome = binary::run(nothing);
    assert_eq!(outcome.code, Some(2));
    assert!(outcome.stderr.contains("Start here"), "{}", outcome.said());
    assert!(binary::run(["--help"]).expect_code(0).stdout.contains("mix"));
    assert!(binary::run(["--version"]).expect_code(0).stdout.starts_with("reelgauge "));
}
