//! The area on real file systems: read-only ones, full ones, mounts inside it.

use std::fs;
use std::path::Path;

use reelgauge_engine::area::{AREA_DIR, Area, AreaError, MARKER_FILE, SCRATCH_DIR};
use reelgauge_engine::scratch::{Scratch, ScratchError};

use super::support::{Mounted, as_nobody, run};

fn count(dir: &Path) -> usize {
    fs::read_dir(dir).unwrap().count()
}

#[test]
fn a_read_only_mount_is_named_as_that() {
    let Some(mount) = Mounted::tmpfs("8m") else {
        return;
    };
    mount.remount("ro");
    let error = Area::open_or_create(mount.path()).unwrap_err();
    assert!(matches!(error, AreaError::ReadOnly { .. }), "{error}");

    // An existing area makes no difference, but it can be read.
    mount.remount("rw");
    let area = Area::open_or_create(mount.path()).unwrap();
    mount.remount("ro");
    let error = Area::open_or_create(mount.path()).unwrap_err();
    assert!(matches!(error, AreaError::ReadOnly { .. }), "{error}");
    assert_eq!(Area::open_existing(mount.path()).unwrap().id(), area.id());
    let error = area.clean().unwrap_err();
    assert!(matches!(error, AreaError::ReadOnly { .. }), "{error}");
}

#[test]
fn directory_of_another_user_is_refused() {
    let Some(mount) = Mounted::tmpfs("8m") else {
        return;
    };
    let target = mount.path().join("theirs");
    fs::create_dir(&target).unwrap();
    // The temporary directory above is closed to other users, so the mount is bound to an open
    // directory.
    let open = tempfile::Builder::new()
        .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .tempdir()
        .unwrap();
    let shown = Mounted::bind(&target, open.path());

    let error = as_nobody(|| Area::open_or_create(shown.path()).unwrap_err());
    assert!(matches!(error, AreaError::Denied { .. }), "{error}");
    assert_eq!(count(&target), 0);

    let area = Area::open_or_create(&target).unwrap();
    let error = as_nobody(|| Area::open_or_create(shown.path()).unwrap_err());
    assert!(matches!(error, AreaError::Denied { .. }), "{error}");
    let error = as_nobody(|| Area::open_existing(shown.path()).unwrap().clean().unwrap_err());
    assert!(matches!(error, AreaError::Denied { .. }), "{error}");
    assert!(area.root().join(MARKER_FILE).exists());
}

#[test]
fn failed_marker_creation_leaves_no_files() {
    let Some(mount) = Mounted::tmpfs("64k") else {
        return;
    };
    let filler = mount.path().join("filler");
    let _ = fs::write(&filler, vec![0; 128 << 10]);
    let error = Area::open_or_create(mount.path()).unwrap_err();
    assert!(matches!(error, AreaError::Full { .. } | AreaError::Io { .. }), "{error}");
    assert_eq!(count(mount.path()), 1, "only the filler");
}

#[test]
fn clean_refuses_mounts_inside_and_removes_nothing() {
    let Some(production) = Mounted::tmpfs("8m") else {
        return;
    };
    let Some(mount) = Mounted::tmpfs("8m") else {
        return;
    };
    fs::write(production.path().join("film.mov"), "precious").unwrap();
    let area = Area::open_or_create(mount.path()).unwrap();
    let made = area.root().join(SCRATCH_DIR);
    let inside = made.join("inside");
    fs::create_dir_all(&inside).unwrap();
    fs::write(made.join("a-file"), "a").unwrap();
    let same_device = mount.path().join("same-device");
    fs::create_dir(&same_device).unwrap();
    fs::write(same_device.join("film.mov"), "precious").unwrap();

    // A directory on another device, and one on the same device.
    for source in [production.path(), &same_device] {
        let _bound = Mounted::bind(source, &inside);
        let error = area.clone().clean().unwrap_err();
        let AreaError::MountInside { path } = &error else { panic!("{error}") };
        assert_eq!(*path, inside.canonicalize().unwrap());
        assert!(made.join("a-file").exists());
        assert_eq!(fs::read(source.join("film.mov")).unwrap(), b"precious");
    }
    // A bind mount of a single file.
    {
        let file = made.join("a-file");
        let _bound = Mounted::bind(&production.path().join("film.mov"), &file);
        let error = area.clone().clean().unwrap_err();
        assert!(matches!(error, AreaError::MountInside { .. }), "{error}");
    }
    // A mount on the area itself.
    {
        let _bound = Mounted::bind(area.root(), area.root());
        let error = Area::open_existing(mount.path()).unwrap().clean().unwrap_err();
        assert!(matches!(error, AreaError::MountInside { .. }), "{error}");
    }
    area.clean().unwrap();
    assert!(!mount.path().join(AREA_DIR).exists());
    assert_eq!(fs::read(production.path().join("film.mov")).unwrap(), b"precious");
    assert_eq!(fs::read(same_device.join("film.mov")).unwrap(), b"precious");
}

#[test]
fn the_scratch_folder_is_not_emptied_across_mounts() {
    let Some(mount) = Mounted::tmpfs("8m") else {
        return;
    };
    let production = mount.path().join("same-device");
    fs::create_dir(&production).unwrap();
    fs::write(production.join("film.mov"), "precious").unwrap();
    let area = Area::open_or_create(mount.path()).unwrap();
    let scratch = Scratch::create(&area).unwrap();
    let inside = scratch.directory("inside").unwrap();
    let take = scratch.path().join("take");
    scratch.make_empty_file(&take).unwrap();
    for at in [inside.as_path(), scratch.path()] {
        let bound = Mounted::bind(&production, at);
        let error = Scratch::create(&area).unwrap_err();
        assert!(matches!(error, ScratchError::Area(AreaError::MountInside { .. })), "{error}");
        drop(bound);
        assert!(take.exists(), "nothing was removed");
        assert_eq!(fs::read(production.join("film.mov")).unwrap(), b"precious");
    }
    scratch.remove().unwrap();
    assert!(!take.exists());
    assert_eq!(fs::read(production.join("film.mov")).unwrap(), b"precious");
}

#[test]
fn failed_clean_can_be_repeated() {
    let Some(mount) = Mounted::image("ext4", "rw", 64) else {
        return;
    };
    // Several files, since the order in which ext4 lists names is unknown: in some cases the marker
    // comes before the entry that cannot be removed.
    for number in 0..16 {
        let target = mount.path().join(number.to_string());
        fs::create_dir(&target).unwrap();
        let area = Area::open_or_create(&target).unwrap();
        let dir = area.root().join(SCRATCH_DIR).join(format!("dir-{number}"));
        fs::create_dir_all(&dir).unwrap();
        let kept = dir.join("kept");
        fs::write(&kept, "a").unwrap();
        run("chattr", &["+i", kept.to_str().unwrap()]);

        let error = area.clean().unwrap_err();
        let AreaError::Removal { path, .. } = &error else { panic!("{error}") };
        assert!(path.ends_with("kept"), "{error}");
        run("chattr", &["-i", kept.to_str().unwrap()]);
        Area::open_existing(&target).unwrap().clean().unwrap();
        assert_eq!(count(&target), 0);
    }
}

#[test]
fn clean_works_on_overlayfs() {
    let Some(mount) = Mounted::tmpfs("8m") else {
        return;
    };
    let Some(below) = Mounted::tmpfs("8m") else {
        return;
    };
    let under = Area::open_or_create(below.path()).unwrap();
    let file = under.data_dir().join("files-1B-u512/file-0000.bin");
    fs::create_dir_all(file.parent().unwrap()).unwrap();
    fs::write(&file, "a").unwrap();
    let dir = |name: &str| {
        let dir = mount.path().join(name);
        fs::create_dir(&dir).unwrap();
        dir
    };
    let (upper, work, shown) = (dir("upper"), dir("work"), dir("shown"));
    let overlay = Mounted::overlay(below.path(), &upper, &work, &shown);
    let cleaned = Area::open_existing(overlay.path()).unwrap().clean().unwrap();
    assert!(cleaned.files >= 2, "{cleaned:?}");
    assert!(!overlay.path().join(AREA_DIR).exists());
    assert!(file.exists(), "the lower layer is not touched");
}
