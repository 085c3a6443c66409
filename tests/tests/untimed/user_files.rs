//! The user's own files as material to read: they are played, and nothing in their folder is changed.

use std::path::{Path, PathBuf};

use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::Need;
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::streams::SMALL;
use reelgauge_tests::tree::tree;
use reelgauge_tests::verb::Verb;

/// The folder of the tool on a target.
const AREA: &str = "reelgauge-area";

/// A disk with a folder of two large files, and other files next to them that must stay unchanged.
fn disk_with_reels() -> (TempMount, PathBuf) {
    let disk = TempMount::image(ImageKind::Ext4, 512);
    let reels = disk.path().join("reels");
    std::fs::create_dir_all(reels.join("day 2")).unwrap();
    let content: Vec<u8> = (0..40_u32 << 20).map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    std::fs::write(reels.join("a.mov"), &content).unwrap();
    std::fs::write(reels.join("day 2/b.mov"), &content).unwrap();
    std::fs::write(disk.path().join("precious.mov"), &content).unwrap();
    std::os::unix::fs::symlink(disk.path().join("precious.mov"), reels.join("out.mov")).unwrap();
    (disk, reels)
}

/// Streams of 4 seconds' material each.
fn streams(disk: &TempMount, reels: &Path, actor: &str, count: &str) -> Verb {
    Verb::on("streams", disk.path())
        .with(&["--actor", actor, "--format", SMALL.id, "--count", count, "--clip", "4s"])
        .with(&["--warmup", "500ms", "--duration", "2s", "--together"])
        .with_path("--read-from", reels)
}

#[test]
fn own_files_are_read_and_nothing_else_is_done_to_them() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let (disk, reels) = disk_with_reels();
    let before = tree(disk.path(), &[AREA]);
    for (actor, driver) in
        [("player", "threads"), ("player", "uring"), ("editor", "threads"), ("transcoder", "threads")]
    {
        let verb = streams(&disk, &reels, actor, "1").with(&["--driver", driver]);
        let verb = if actor == "editor" { verb.with(&["--cameras", "2"]) } else { verb };
        let outcome = verb.run();
        let summary = outcome.json();
        assert_eq!(text(&summary, "outcome"), "complete", "{actor}");
        let total = at(&summary, "load_points.0.total");
        assert_eq!(
            (count(total, "failed_ops"), count(total, "short_transfers")),
            (0, 0),
            "{actor}: {total:#}"
        );
        assert!(count(total, "read_bytes") > 0, "{actor}");
        assert_eq!(at(&summary, "memory.own_files"), true);
        assert_eq!(count(&summary, "memory.written_by_this_run_bytes"), 0);
        let pieces = if actor == "editor" { 2 } else { 1 };
        assert_eq!(count(&summary, "memory.data_set_bytes"), pieces * 4 * SMALL.bytes_per_s(), "{actor}");
        assert!(at(&summary, "notes").to_string().contains("1 symbolic link"), "{:#}", at(&summary, "notes"));
        assert_eq!(tree(disk.path(), &[AREA]), before, "{actor}");
        assert!(!disk.path().join(AREA).join("data").exists(), "{actor} made test files");
    }
}

#[test]
fn a_mix_that_only_reads_takes_them_and_one_that_writes_is_refused() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let (disk, reels) = disk_with_reels();
    let before = tree(disk.path(), &[AREA]);
    let mix = |writes: &str| {
        let reels = reels.to_str().unwrap();
        Mix::on(disk.path()).with(&["--duration", "1s", "--writes", writes, "--read-from", reels])
    };
    let refused = mix("1").run().expect_code(2);
    assert!(refused.stderr.contains("--writes 0"), "{}", refused.stderr);
    let summary = mix("0").measure();
    assert_eq!(at(&summary, "memory.own_files"), true);
    assert_eq!(count(&summary, "data_set.files"), 2);
    assert_eq!(count(&summary, "load_points.0.total.short_transfers"), 0);
    assert!(count(&summary, "load_points.0.total.read_bytes") > 0);
    assert_eq!(tree(disk.path(), &[AREA]), before);
    assert!(!disk.path().join(AREA).join("data").exists());
    let large = mix("0").with(&["--file-size", "64MiB"]).run().expect_code(2);
    assert!(large.stderr.contains("0 of the 2 pieces of 64 MiB"), "{}", large.stderr);
}

#[test]
fn too_few_or_outside_files_are_refused_without_leftovers() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let (disk, reels) = disk_with_reels();
    let before = tree(disk.path(), &[]);
    let elsewhere = Scratch::new();
    std::fs::write(elsewhere.path().join("film.mov"), vec![1; 32 << 20]).unwrap();
    let cases = [
        (streams(&disk, &reels, "player", "9"), "4 of the 9 pieces"),
        (streams(&disk, elsewhere.path(), "player", "1"), "file system"),
        (streams(&disk, &reels.join("none"), "player", "1"), "cannot read "),
        (streams(&disk, &reels.join("a.mov"), "player", "1"), "folder"),
        (streams(&disk, &reels, "recorder", "1"), "--read-from"),
        (streams(&disk, &reels, "player", "1").with(&["--format", "dpx-10-bit-rgb-uhd-24"]), "per frame"),
    ];
    for (verb, said) in cases {
        let outcome = verb.run().expect_code(2);
        assert!(outcome.stderr.contains(said), "{said}: {}", outcome.stderr);
        assert_eq!(tree(disk.path(), &[]), before, "{said}");
    }
}
