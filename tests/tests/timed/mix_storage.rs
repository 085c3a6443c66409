//! A mix on every kind of storage that this host can mount, with both drivers. The mount is named right,
//! every operation succeeds and is verified, and direct I/O is used or explained.

use std::path::Path;

use reelgauge_tests::exclusive_timing::my_turn;
use reelgauge_tests::mix::Mix;
use reelgauge_tests::mounts::{ImageKind, TempMount};
use reelgauge_tests::needs::{self, Need};
use reelgauge_tests::require;
use reelgauge_tests::run_dir::{at, count, number, text};
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::sshfs::{self, Sshfs};
use serde_json::Value;

/// Both ways to perform I/O.
const DRIVERS: [&str; 2] = ["threads", "uring"];

/// Measures with both drivers; everything must be right both times. Returns the last summary.
#[track_caller]
fn measured_right(target: &Path, fs_type: &str, flags: &[&str]) -> Value {
    let mut last = Value::Null;
    for driver in DRIVERS {
        let mix = Mix::on(target).with(&["--verify", "--driver", driver]).with(flags);
        let summary = mix.measure();
        assert_eq!(text(&summary, "target.fs_type"), fs_type, "{driver}");
        assert_eq!(text(&summary, "outcome"), "complete");
        let total = at(&summary, "load_points.0.total");
        assert_eq!(count(total, "failed_ops"), 0, "{driver}: {total:#}");
        assert_eq!(count(total, "short_transfers"), 0, "{driver}: {total:#}");
        assert!(count(total, "ops_by_kind.read") > 0 && count(total, "ops_by_kind.write") > 0, "{driver}");
        assert_eq!(count(&summary, "verify.different_bytes"), 0, "{driver}");
        assert!(count(&summary, "verify.checked_bytes") > 0, "{driver}");
        assert_eq!(at(&summary, "log.complete"), true, "{driver}");
        last = summary;
    }
    last
}

/// Direct I/O was requested and done.
#[track_caller]
fn was_direct(summary: &Value) {
    assert_eq!(text(summary, "effective_mode.asked"), "direct");
    assert_eq!(text(summary, "effective_mode.found"), "direct", "{:#}", at(summary, "effective_mode"));
}

#[test]
fn a_local_directory() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let stat =
        reelgauge_tests::programs::tool(&format!("findmnt -n -o FSTYPE --target {}", target.display()));
    measured_right(&target, stat.trim(), &["--buffered"]);
}

#[test]
fn tmpfs_is_measured_and_labelled_as_memory() {
    require!(Need::Root);
    let mount = TempMount::tmpfs(128);
    let summary = measured_right(mount.path(), "tmpfs", &[]);
    // It accepts O_DIRECT and ignores it. The figures are those of memory, and the summary reports that.
    assert_ne!(text(&summary, "effective_mode.found"), "direct");
    assert!(!text(&summary, "effective_mode.sentence").is_empty());
}

#[test]
fn ext4_directly() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let mount = TempMount::image(ImageKind::Ext4, 256);
    was_direct(&measured_right(mount.path(), "ext4", &["--direct"]));
}

#[test]
fn xfs_directly() {
    require!(Need::Root, Need::Tool("mkfs.xfs"), Need::FileSystem("xfs"));
    let mount = TempMount::image(ImageKind::Xfs, 512);
    was_direct(&measured_right(mount.path(), "xfs", &["--direct"]));
}

#[test]
fn btrfs_through_the_cache() {
    require!(Need::Root, Need::Tool("mkfs.btrfs"), Need::FileSystem("btrfs"));
    let mount = TempMount::image(ImageKind::Btrfs, 512);
    let summary = measured_right(mount.path(), "btrfs", &["--buffered"]);
    assert_eq!(text(&summary, "effective_mode.asked"), "buffered");
}

#[test]
fn btrfs_is_direct_or_reported_as_buffered() {
    require!(Need::Root, Need::Tool("mkfs.btrfs"), Need::FileSystem("btrfs"));
    let mount = TempMount::image(ImageKind::Btrfs, 512);
    let summary = measured_right(mount.path(), "btrfs", &[]);
    // Newer kernels write through the cache after all, to get checksums right.
    let mode = at(&summary, "effective_mode");
    assert_eq!(text(mode, "asked"), "direct");
    assert!(text(mode, "found") == "direct" || !text(mode, "sentence").is_empty(), "{mode:#}");
}

#[test]
fn every_durability_mode_syncs() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    // In memory: a sync of a busy disk may take longer than the whole load point.
    let memory = TempMount::tmpfs(300);
    let mount = TempMount::image_on(memory.path(), ImageKind::Ext4, 256);
    let flags = ["--blocks", "64KiB", "--duration", "2s", "--sync"];
    for sync in ["none", "transfer", "block", "dsync"] {
        let summary = measured_right(mount.path(), "ext4", &[&flags[..], &[sync]].concat());
        let total = at(&summary, "load_points.0.total");
        let (syncs, writes) = (count(total, "ops_by_kind.sync"), count(total, "ops_by_kind.write"));
        match sync {
            // Once per worker at each end a write and its sync may lie on different sides.
            "block" => assert!(syncs.abs_diff(writes) <= 4, "{syncs} syncs for {writes} writes"),
            "transfer" => assert!(syncs > 0 && syncs < writes, "{syncs} syncs for {writes} writes"),
            _ => assert_eq!(syncs, 0),
        }
    }
}

#[test]
fn a_bound_directory_is_its_file_system() {
    require!(Need::Root, Need::Tool("mkfs.ext4"), Need::FileSystem("ext4"));
    let disk = TempMount::image(ImageKind::Ext4, 256);
    let folder = disk.path().join("folder");
    std::fs::create_dir(&folder).unwrap();
    let bound = TempMount::bind(&folder);
    measured_right(bound.path(), "ext4", &["--duration", "1s"]);
}

#[test]
fn sshfs_at_the_speed_of_its_link() {
    if !needs::are_met(sshfs::NEEDS) {
        return;
    }
    let _turn = my_turn();
    // 200 Mbit/s are 25 MB/s; SSH and TCP take their share of them.
    let sshfs = Sshfs::mount(200);
    let summary = measured_right(sshfs.path(), "fuse.sshfs", &["--direct"]);
    assert!(text(&summary, "target.source").contains("10.78.0.2"));
    for driver in DRIVERS {
        let reads = Mix::flat_out_on(sshfs.path())
            .with(&[
                "--direct", "--writes", "0", "--blocks", "256KiB", "--length", "1MiB", "--driver", driver,
            ])
            .with(&["--duration", "4s"]);
        let summary = reads.measure();
        let read_bytes_per_s = number(&summary, "load_points.0.total.read_bytes_per_s");
        // Memory would give a hundred times that; a link that is idle half of the time, half.
        let expected = 12e6..26e6;
        assert!(expected.contains(&read_bytes_per_s), "{driver}: {read_bytes_per_s} bytes/s");
    }
}

#[test]
fn ramps_and_sweeps_have_a_load_point_for_each_step() {
    let scratch = Scratch::new();
    let ramp = Mix::on(&scratch.dir("ramp")).without("--workers").without("--duration");
    let ramp = ramp.with(&["--buffered", "--ramp", "1..3", "--step", "500ms"]).measure();
    let workers: Vec<u64> =
        (0..3).map(|point| count(&ramp, &format!("load_points.{point}.workers"))).collect();
    assert_eq!(workers, [1, 2, 3]);
    let sweep = Mix::on(&scratch.dir("sweep")).without("--duration");
    let sweep = sweep.with(&["--buffered", "--sweep", "random=0..100 step 50", "--step", "500ms"]).measure();
    assert_eq!(at(&sweep, "load_points").as_array().unwrap().len(), 3);
    for point in 0..3 {
        assert!(count(&sweep, &format!("load_points.{point}.total.ops")) > 0);
    }
}

#[test]
fn a_shared_file_is_one_file() {
    let scratch = Scratch::new();
    let mix = Mix::on(&scratch.dir("target")).without("--files").with(&["--buffered", "--shared-file"]);
    assert_eq!(count(&mix.measure(), "data_set.files"), 1);
}

#[test]
fn test_files_are_made_once() {
    let scratch = Scratch::new();
    let target = scratch.dir("target");
    let reused = || {
        at(&Mix::on(&target).with(&["--buffered", "--duration", "500ms"]).measure(), "data_set.reused")
            .clone()
    };
    assert_eq!(reused(), false);
    assert_eq!(reused(), true);
}
