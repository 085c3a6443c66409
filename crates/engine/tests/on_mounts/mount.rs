//! Mounts are named correctly, and their loss is noticed.

use std::fs;

use reelgauge_engine::area::AreaDir;
use reelgauge_engine::direct::{DirectOutcome, DirectSupport, probe};
use reelgauge_machine::mount::{Mount, MountChange, MountId, MountKind};

use super::support::{Mounted, run};

#[test]
fn every_file_system_is_recognised() {
    for (fs_type, size) in [("ext4", 64), ("xfs", 400), ("btrfs", 200)] {
        let Some(mounted) = Mounted::image(fs_type, "noatime", size) else {
            continue;
        };
        let mount = Mount::at(mounted.path()).unwrap();
        assert_eq!(mount.fs_type, fs_type);
        assert_eq!(mount.kind, MountKind::LocalDisk);
        assert_eq!(mount.mount_point, mounted.path().canonicalize().unwrap());
        assert!(mount.source.starts_with("/dev/loop"), "{mount:?}");
        assert!(mount.options.iter().any(|option| option == "noatime"), "{mount:?}");
        assert_eq!(mount.description(), format!("{fs_type} on {}", mount.source));
    }
    let Some(mounted) = Mounted::tmpfs("1m") else {
        return;
    };
    let mount = Mount::at(mounted.path()).unwrap();
    assert_eq!((mount.fs_type.as_str(), mount.kind), ("tmpfs", MountKind::Memory));
    assert_eq!(mount.option("size"), Some("1024k"));
}

#[test]
fn the_mount_on_top_counts_and_bind_mounts_too() {
    let Some(disk) = Mounted::image("ext4", "rw", 64) else {
        return;
    };
    let (below, shown) = (disk.path().join("below"), disk.path().join("shown"));
    fs::create_dir_all(below.join("deep")).unwrap();
    fs::create_dir(&shown).unwrap();
    {
        let _bound = Mounted::bind(&below, &shown);
        let mount = Mount::at(&shown.join("deep")).unwrap();
        assert_eq!(mount.mount_point, shown.canonicalize().unwrap());
        assert_eq!(mount.fs_type, "ext4");

        let _over = Mounted::tmpfs_at(&shown);
        assert_eq!(Mount::at(&shown).unwrap().fs_type, "tmpfs");
        // A later mount above it hides this mount's path.
        let _all = Mounted::tmpfs_at(disk.path());
        assert_eq!(Mount::at(disk.path()).unwrap().fs_type, "tmpfs");
    }
    assert_eq!(Mount::at(&below).unwrap().fs_type, "ext4");
}

#[test]
fn a_subvolume_of_btrfs_belongs_to_its_mount() {
    let Some(disk) = Mounted::image("btrfs", "rw", 200) else {
        return;
    };
    let subvolume = disk.path().join("sub");
    run("btrfs", &["subvolume", "create", subvolume.to_str().unwrap()]);
    fs::create_dir(subvolume.join("deep")).unwrap();
    let mount = Mount::at(&subvolume.join("deep")).unwrap();
    assert_eq!(mount.mount_point, disk.path().canonicalize().unwrap());
    assert_eq!(mount.fs_type, "btrfs");
}

#[test]
fn a_mount_that_vanishes_is_noticed() {
    let Some(disk) = Mounted::image("ext4", "rw", 64) else {
        return;
    };
    let point = disk.path().join("nas");
    fs::create_dir(&point).unwrap();
    let mounted = Mounted::tmpfs_at(&point);
    fs::create_dir(point.join("area")).unwrap();
    let (target, area) = (MountId::capture(&point).unwrap(), MountId::capture(&point.join("area")).unwrap());
    assert!(target.changed(&point).is_none());
    {
        let _over = Mounted::tmpfs_at(&point);
        assert!(matches!(target.changed(&point), Some(MountChange::Replaced)));
    }
    assert!(target.changed(&point).is_none(), "uncovered, it is the same again");

    drop(mounted);
    assert!(matches!(target.changed(&point), Some(MountChange::Replaced)));
    assert!(matches!(area.changed(&point.join("area")), Some(MountChange::Gone(_))));
    let _again = Mounted::tmpfs_at(&point);
    assert!(matches!(target.changed(&point), Some(MountChange::Replaced)));
}

#[test]
fn remount_of_the_same_disk_is_noticed() {
    let Some(disk) = Mounted::image("ext4", "rw", 64) else {
        return;
    };
    let (below, shown) = (disk.path().join("below"), disk.path().join("shown"));
    fs::create_dir(&below).unwrap();
    fs::create_dir(&shown).unwrap();
    let bound = Mounted::bind(&below, &shown);
    let id = MountId::capture(&shown).unwrap();
    drop(bound);
    let _bound = Mounted::bind(&below, &shown);
    match id.changed(&shown) {
        Some(MountChange::Replaced) => {}
        // Linux before 6.8 gives the new mount the old number.
        other => eprintln!("skipped: this kernel has no unique numbers for mounts ({other:?})"),
    }
}

#[test]
fn direct_io_where_it_works() {
    for (fs_type, size) in [("ext4", 64), ("xfs", 400)] {
        let Some(mounted) = Mounted::image(fs_type, "rw", size) else {
            continue;
        };
        let probe = probe(&AreaDir::open(mounted.path()).unwrap()).unwrap();
        assert_eq!(probe.read, DirectOutcome::Works, "{fs_type}");
        assert_eq!(probe.write, DirectOutcome::Works, "{fs_type}");
        assert_eq!(probe.shortest_read_bytes, Some(512), "{fs_type}");
        assert!(
            matches!(
                probe.stated,
                DirectSupport::Aligned { offset_align_bytes: 512, .. } | DirectSupport::Unknown
            ),
            "{fs_type}: {probe:?}"
        );
        let left: Vec<_> =
            fs::read_dir(mounted.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert!(left.iter().all(|name| name == "lost+found"), "{left:?}");
    }
}

#[test]
fn direct_writes_that_go_through_the_cache_are_seen() {
    // ext4 buffers direct I/O on files whose data it journals.
    let Some(mounted) = Mounted::image("ext4", "data=journal", 64) else {
        return;
    };
    let probe = probe(&AreaDir::open(mounted.path()).unwrap()).unwrap();
    println!("ext4 with data=journal: {probe:?}");
    assert_ne!(probe.write, DirectOutcome::Works, "{probe:?}");
    assert_ne!(probe.read, DirectOutcome::Works, "{probe:?}");
}

#[test]
fn direct_io_on_btrfs_with_and_without_checksums() {
    let Some(sums) = Mounted::image("btrfs", "rw", 200) else {
        return;
    };
    let Some(none) = Mounted::image("btrfs", "nodatasum", 200) else {
        return;
    };
    let (sums, none) = (
        probe(&AreaDir::open(sums.path()).unwrap()).unwrap(),
        probe(&AreaDir::open(none.path()).unwrap()).unwrap(),
    );
    println!("btrfs: {sums:?}");
    println!("btrfs without checksums: {none:?}");
    assert_eq!(none.read, DirectOutcome::Works);
    assert_eq!(none.write, DirectOutcome::Works);
    assert_eq!(sums.read, DirectOutcome::Works);
    // Since Linux 6.15 the data passes through the cache, but none stays in it.
    assert_eq!(sums.write, DirectOutcome::Works);
}
