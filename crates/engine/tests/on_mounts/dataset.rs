//! Data sets on real file systems: full ones, frozen ones, sparse files.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use reelgauge_engine::area::Area;
use reelgauge_engine::cache::resident;
use reelgauge_engine::dataset::{DataSet, DataSetError, DataSetSpec, Prepared};

use rustix::fs::FallocateFlags;

use super::support::{Mounted, run};

const MIB: u64 = 1 << 20;

fn spec(files: u32, file_mib: u64) -> DataSetSpec {
    DataSetSpec { files, file_bytes: file_mib * MIB, unit_bytes: 4096, seed: 1 }
}

fn prepare(target: &Path, spec: DataSetSpec) -> Result<DataSet, DataSetError> {
    let area = Area::open_or_create(target).unwrap();
    let mut progress = |_| ControlFlow::Continue(());
    DataSet::prepare(&area, &spec, &mut progress, &AtomicBool::new(false))
}

/// Names of data files in the only data set under `target`.
fn files_in(target: &Path) -> Vec<String> {
    let data = Area::open_existing(target).unwrap().data_dir();
    let set = fs::read_dir(data).unwrap().next().unwrap().unwrap().path();
    let names = fs::read_dir(set).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut files: Vec<String> = names.filter(|name| name.starts_with("file-")).collect();
    files.sort();
    files
}

#[test]
fn prepared_files_are_reused_and_dropped_from_the_cache() {
    for (fs_type, options) in
        [("ext4", "rw"), ("xfs", "rw"), ("btrfs", "rw"), ("btrfs", "compress-force=zstd")]
    {
        let Some(mount) = Mounted::image(fs_type, options, 400) else {
            continue;
        };
        let set = prepare(mount.path(), spec(2, 40)).unwrap();
        assert_eq!(set.written_bytes, 80 * MIB, "{fs_type}");

        let paths: Vec<_> = set.files.iter().map(|file| &file.path).collect();
        let residency = resident(None, &paths);
        assert_eq!(residency.sampled_bytes, 80 * MIB, "{residency:?}");
        assert!(residency.resident_bytes <= MIB, "{fs_type}: {residency:?}");

        let again = prepare(mount.path(), spec(2, 40)).unwrap();
        assert_eq!((again.reused_bytes, again.written_bytes), (80 * MIB, 0), "{fs_type} {options}");
        // After a remount, the reported allocation is the one on disk, not the cached one.
        mount.remount("ro");
        mount.remount("rw");
        let again = prepare(mount.path(), spec(2, 40)).unwrap();
        assert_eq!(again.written_bytes, 0, "{fs_type} {options}");
    }
}

#[test]
fn sparse_files_are_recognised_on_every_file_system() {
    for fs_type in ["ext4", "xfs", "btrfs"] {
        let Some(mount) = Mounted::image(fs_type, "rw", 400) else {
            continue;
        };
        let set = prepare(mount.path(), spec(2, 16)).unwrap();
        let holed = fs::File::options().write(true).open(&set.files[1].path).unwrap();
        holed.set_len(0).unwrap();
        holed.set_len(16 * MIB).unwrap();
        holed.sync_all().unwrap();
        let mended = prepare(mount.path(), spec(2, 16)).unwrap();
        assert_eq!(mended.written_bytes, 16 * MIB, "{fs_type}");
    }
}

#[test]
fn shortage_of_space_is_reported_before_writing() {
    let Some(mount) = Mounted::tmpfs("128m") else {
        return;
    };
    let error = prepare(mount.path(), spec(1, 125)).unwrap_err();
    let DataSetError::NoSpace { needed_bytes, available_bytes, .. } = &error else { panic!("{error}") };
    assert_eq!(*needed_bytes, 125 * MIB);
    assert!((120 * MIB..=128 * MIB).contains(available_bytes), "{error}");
    assert!(!mount.path().join("reelgauge-area/data").exists(), "not even a folder was made");
    // Existing files need no space.
    prepare(mount.path(), spec(1, 60)).unwrap();
    assert_eq!(prepare(mount.path(), spec(1, 60)).unwrap().written_bytes, 0);
}

/// Whether a data file under `target` is complete. The folders may not exist yet.
fn has_complete_file(target: &Path) -> bool {
    let entries = |folder: &Path| fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
    let sets: Vec<_> = entries(&target.join("reelgauge-area/data")).map(|entry| entry.path()).collect();
    sets.iter().flat_map(|set| entries(set)).any(|entry| {
        let name = entry.file_name();
        name.to_str().is_some_and(|name| name.starts_with("file-") && name.ends_with(".bin"))
    })
}

/// Waits for the first complete file, then takes all remaining space on the file system.
fn fill_after_first_file(root: &Path) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !has_complete_file(root) {
        assert!(Instant::now() < deadline, "no file was completed");
        std::thread::sleep(Duration::from_millis(1));
    }
    let filler = fs::File::create(root.join("filler")).unwrap();
    let (mut end, mut len) = (0, 64 * MIB);
    while len >= 4096 {
        match rustix::fs::fallocate(&filler, FallocateFlags::empty(), end, len) {
            Ok(()) => end += len,
            Err(_) => len /= 2,
        }
    }
}

#[test]
fn space_taken_by_another_process_during_preparation_is_reported_as_full() {
    let Some(mount) = Mounted::image("ext4", "rw", 600) else {
        return;
    };
    let area = Area::open_or_create(mount.path()).unwrap();
    let stop = AtomicBool::new(false);
    // A separate thread reserves the space in one call. So the file system is full before the second
    // file is complete, even if other processes keep the processors busy.
    let error = std::thread::scope(|scope| {
        scope.spawn(|| fill_after_first_file(mount.path()));
        DataSet::prepare(&area, &spec(8, 50), &mut |_| ControlFlow::Continue(()), &stop).unwrap_err()
    });
    if matches!(error, DataSetError::NoSpace { .. }) {
        panic!("it should have begun: {error}");
    }
    assert!(matches!(error, DataSetError::Full { .. }), "{error}");
    let files = files_in(mount.path());
    assert!(files.iter().all(|name| name.ends_with(".bin")), "{files:?}");
    assert!(!files.is_empty());

    // When there is space again, the complete files count.
    fs::remove_file(mount.path().join("filler")).unwrap();
    let set = prepare(mount.path(), spec(8, 50)).unwrap();
    assert_eq!(set.reused_bytes, files.len() as u64 * 50 * MIB);
}

#[test]
fn a_quota_is_named_as_that() {
    let Some(mount) = Mounted::image("btrfs", "rw", 600) else {
        return;
    };
    let target = mount.path().join("show");
    let (at, show) = (mount.path().to_str().unwrap(), target.to_str().unwrap());
    run("btrfs", &["subvolume", "create", show]);
    run("btrfs", &["quota", "enable", at]);
    run("btrfs", &["qgroup", "limit", "100M", show]);
    let error = prepare(&target, spec(5, 40)).unwrap_err();
    assert!(matches!(error, DataSetError::Quota { .. }), "{error}");
    let files = files_in(&target);
    assert!(files.iter().all(|name| name.ends_with(".bin")), "{files:?}");
    assert!((1..=2).contains(&files.len()), "{files:?}");
    // The written data can be removed.
    Area::open_existing(&target).unwrap().clean().unwrap();
}

#[test]
fn a_target_that_became_read_only_is_named_as_that() {
    let Some(mount) = Mounted::tmpfs("256m") else {
        return;
    };
    let area = Area::open_or_create(mount.path()).unwrap();
    mount.remount("ro");
    let mut progress = |_| ControlFlow::Continue(());
    let error = DataSet::prepare(&area, &spec(1, 1), &mut progress, &AtomicBool::new(false)).unwrap_err();
    assert!(error.to_string().contains("read-only"), "{error}");
}

/// A frozen file system, on which all writers wait, until it is dropped.
struct Frozen<'a>(&'a Path);

impl Frozen<'_> {
    fn new(path: &Path) -> Frozen<'_> {
        run("fsfreeze", &["-f", path.to_str().unwrap()]);
        Frozen(path)
    }
}

impl Drop for Frozen<'_> {
    fn drop(&mut self) {
        run("fsfreeze", &["-u", self.0.to_str().unwrap()]);
    }
}

#[test]
fn hanging_storage_does_not_prevent_a_stop() {
    let Some(mount) = Mounted::image("ext4", "rw", 1000) else {
        return;
    };
    let area = Area::open_or_create(mount.path()).unwrap();
    let stop = AtomicBool::new(false);
    let mut frozen = None;
    let mut progress = |report: Prepared| {
        if report.written_bytes > 50 * MIB && frozen.is_none() {
            frozen = Some((Frozen::new(mount.path()), Instant::now()));
            stop.store(true, Ordering::Relaxed);
        }
        ControlFlow::Continue(())
    };
    let error = DataSet::prepare(&area, &spec(1, 800), &mut progress, &stop).unwrap_err();
    let (frozen, since) = frozen.unwrap();
    let took = since.elapsed();
    assert!(matches!(error, DataSetError::Interrupted { .. }), "{error}");
    assert!(took < Duration::from_secs(1), "{took:?}");

    // When the storage responds again, the abandoned preparation removes its files.
    assert_eq!(files_in(mount.path()), ["file-0000.bin.part"]);
    drop(frozen);
    let deadline = Instant::now() + Duration::from_secs(20);
    while !files_in(mount.path()).is_empty() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(files_in(mount.path()).is_empty());
}
