//! Tests of the system calls, on real files. The drivers' own tests are in `driver/tests.rs`.

#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::Path;

#[cfg(unix)]
use reelgauge_record::AccessBits;
use reelgauge_record::OpFlags;
use reelgauge_workload::script::OpenMode;

use super::{ErrorNumber, Names, Op, OpKind, OpenFile};
use crate::area::AreaDir;

const WRITE: OpenMode = OpenMode { write: true, ..OpenMode::READ };

/// Performs an operation on the first of these paths; a rename gives it the second one.
fn by_path(kind: OpKind, paths: &[&Path]) -> Result<(), ErrorNumber> {
    super::by_path(&Op { kind, ..operation() }, &names(paths))
}

fn operation() -> Op {
    Op {
        kind: OpKind::Stat,
        handle: Op::BY_PATH,
        file: 0,
        offset: 1,
        len: 0,
        due_ns: 0,
        transfer: 0,
        stream: 0,
        flags: OpFlags::NONE,
        open: OpenMode::READ,
        token: 0,
    }
}

/// Names of these paths, relative to the nearest directory above the first.
fn names(paths: &[&Path]) -> Names {
    let above = paths[0].ancestors().skip(1).find(|path| path.is_dir()).unwrap();
    let above = if paths[0].is_dir() { above.parent().unwrap_or(above) } else { above };
    Names::new(Some(&AreaDir::open(above).unwrap()), paths.iter().copied())
}

#[test]
fn bytes_are_written_at_their_offset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, [0; 100]).unwrap();
    let file = OpenFile::open(names(&[&path]).get(0).unwrap(), WRITE).unwrap();
    assert_eq!(file.write_at(b"hello", 90), Ok(5));
    let mut back = [0; 20];
    assert_eq!(file.read_at(&mut back, 88), Ok(12));
    assert_eq!(&back[..12], b"\0\0hello\0\0\0\0\0");
    assert_eq!(file.sync(), Ok(()));
    assert_eq!(file.close(), Ok(()));
}

#[test]
fn reading_does_not_allow_writing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let file = OpenFile::open(names(&[&path]).get(0).unwrap(), OpenMode::default()).unwrap();
    assert!(file.write_at(b"x", 0).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"abc");
}

#[cfg(unix)]
#[test]
fn nothing_is_created_and_no_link_is_followed() {
    use rustix::io::Errno;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let missing = OpenFile::open(names(&[&path]).get(0).unwrap(), WRITE).unwrap_err();
    assert_eq!(missing, Errno::NOENT.raw_os_error());
    assert!(!path.exists());

    fs::write(&path, "abc").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let followed = OpenFile::open(names(&[&link]).get(0).unwrap(), WRITE).unwrap_err();
    assert_eq!(followed, Errno::LOOP.raw_os_error());

    let directory = OpenFile::open(names(&[folder.path()]).get(0).unwrap(), WRITE).unwrap_err();
    assert_eq!(directory, Errno::ISDIR.raw_os_error());
}

#[test]
fn creating_makes_a_file_or_empties_the_one_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for content in ["hello", "you"] {
        // Creating a file opens it for writing, whatever the mode.
        let file = OpenFile::create(names(&[&path]).get(0).unwrap(), OpenMode::default()).unwrap();
        assert_eq!(fs::metadata(&path).unwrap().len(), 0);
        assert_eq!(file.write_at(content.as_bytes(), 0), Ok(content.len()));
        let mut back = [0; 8];
        assert_eq!(file.read_at(&mut back, 0), Ok(content.len()));
        assert_eq!(file.close(), Ok(()));
        assert_eq!(fs::read(&path).unwrap(), content.as_bytes());
    }
}

#[cfg(unix)]
#[test]
fn creating_follows_no_link_and_touches_no_directory() {
    use rustix::io::Errno;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let create = |path| OpenFile::create(names(&[path]).get(0).unwrap(), WRITE).unwrap_err();
    assert_eq!(create(&link), Errno::LOOP.raw_os_error());
    assert_eq!(fs::read(&path).unwrap(), b"abc");
    assert_eq!(create(folder.path()), Errno::ISDIR.raw_os_error());
    assert_eq!(create(&path.join("below")), Errno::NOTDIR.raw_os_error());
}

#[test]
fn creation_keeps_or_refuses_existing_files_as_requested() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let names = names(&[&path]);
    let name = names.get(0).unwrap();
    let alone = OpenMode { exclusive: true, ..WRITE };
    assert_eq!(OpenFile::create(name, alone).unwrap().write_at(b"hello", 0), Ok(5));
    assert!(OpenFile::create(name, alone).is_err());
    assert!(OpenFile::create(name, OpenMode { keep: true, ..alone }).is_err());
    let kept = OpenFile::create(name, OpenMode { keep: true, ..WRITE }).unwrap();
    assert_eq!(kept.write_at(b"y", 0), Ok(1));
    assert_eq!(fs::read(&path).unwrap(), b"yello");
    let written = OpenFile::create(name, OpenMode { write_only: true, ..OpenMode::READ }).unwrap();
    assert_eq!(written.write_at(b"you", 0), Ok(3));
    assert!(written.read_at(&mut [0; 3], 0).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"you");
}

#[test]
fn truncation_does_not_create_a_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let names = names(&[&path]);
    let name = names.get(0).unwrap();
    let empty = OpenMode { existing: true, ..WRITE };
    assert!(OpenFile::create(name, empty).is_err() && !path.exists());
    fs::write(&path, "abc").unwrap();
    OpenFile::create(name, empty).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
}

/// Root has all permissions except to execute a file without any execute permission.
#[cfg(unix)]
#[test]
fn access_mode_is_the_recorded_one() {
    use rustix::io::Errno;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let ask = |path: &Path, bits| names(&[path]).get(0).unwrap().access(bits);
    let refused = Err(Errno::ACCESS.raw_os_error());
    for (bits, told) in [
        (AccessBits::UNKNOWN, Ok(())),
        (AccessBits::EXISTS, Ok(())),
        (AccessBits::of(true, true, false), Ok(())),
        (AccessBits::EXECUTE, refused),
        (AccessBits::of(true, false, true), refused),
    ] {
        assert_eq!(ask(&path, bits), told, "{bits:?}");
        assert_eq!(ask(folder.path(), bits), Ok(()), "{bits:?}");
        assert_eq!(ask(&path.join("below"), bits), Err(Errno::NOTDIR.raw_os_error()), "{bits:?}");
    }
}

#[test]
fn append_ignores_the_offset() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let names = names(&[&path]);
    let name = names.get(0).unwrap();
    let append = OpenMode { append: true, ..WRITE };
    let file = OpenFile::open(name, append).unwrap();
    assert_eq!(file.write_at(b"de", 0), Ok(2));
    assert_eq!(file.write_at(b"f", 1000), Ok(1));
    assert_eq!(file.read_at(&mut [0; 8], 4), Ok(2));
    assert_eq!(fs::read(&path).unwrap(), b"abcdef");
    let emptied = OpenFile::create(name, OpenMode { write_only: true, ..append }).unwrap();
    assert_eq!(emptied.write_at(b"xyz", 7), Ok(3));
    assert_eq!(fs::read(&path).unwrap(), b"xyz");
    assert_eq!(emptied.set_size(1), Ok(()));
    assert_eq!(emptied.write_at(b"z", 0), Ok(1));
    assert_eq!(fs::read(&path).unwrap(), b"xz");
}

#[test]
fn path_operations_report_existing_entries() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let (file, directory, other) = (&*path, folder.path(), &*folder.path().join("other"));
    for kind in [OpKind::Stat, OpKind::Access, OpKind::SetAttr] {
        assert_eq!(by_path(kind, &[file]), Ok(()));
        assert_eq!(by_path(kind, &[directory]), Ok(()));
    }
    assert_eq!(by_path(OpKind::ReadDir, &[directory]), Ok(()));
    assert!(by_path(OpKind::ReadDir, &[file]).is_err());
    assert!(by_path(OpKind::MakeDir, &[file]).is_err());
    assert!(by_path(OpKind::RemoveDir, &[file]).is_err());
    assert!(by_path(OpKind::RemoveDir, &[directory]).is_err(), "it isn't empty");
    assert!(by_path(OpKind::Unlink, &[directory]).is_err());
    assert_eq!(by_path(OpKind::Truncate, &[file]), Ok(()));
    assert_eq!(fs::read(&path).unwrap(), b"a");
    assert_eq!(by_path(OpKind::Rename, &[file, other]), Ok(()));
    assert_eq!(fs::read(other).unwrap(), b"a");
    assert_eq!(by_path(OpKind::Unlink, &[other]), Ok(()));
    for kind in OpKind::ALL {
        let done = by_path(kind, &[file, other]);
        let makes = kind == OpKind::MakeDir || cfg!(unix) && kind == OpKind::SymLink;
        assert_eq!(done.is_ok(), makes, "{kind:?} of a file that is gone");
        let _ = fs::remove_dir(&path).or_else(|_| fs::remove_file(&path));
    }
}

#[cfg(unix)]
#[test]
fn path_operations_follow_no_link() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let link = &*folder.path().join("link");
    // The link exists, but its target does not.
    std::os::unix::fs::symlink(other.path().join("missing"), link).unwrap();
    for kind in [OpKind::Stat, OpKind::Access, OpKind::SetAttr, OpKind::Unlink] {
        assert_eq!(by_path(kind, &[link]), Ok(()), "{kind:?}");
    }
    std::os::unix::fs::symlink(other.path(), link).unwrap();
    // With a trailing slash the system would follow the link.
    for link in [link, &*folder.path().join("link/")] {
        for kind in [OpKind::ReadDir, OpKind::RemoveDir, OpKind::MakeDir, OpKind::Truncate] {
            assert!(by_path(kind, &[link]).is_err(), "{kind:?}");
        }
        let moved = &*folder.path().join("moved");
        assert_eq!(by_path(OpKind::Rename, &[link, moved]), Ok(()));
        assert!(moved.is_symlink() && !link.is_symlink());
        assert_eq!(by_path(OpKind::Rename, &[moved, link]), Ok(()));
    }
    assert_eq!(by_path(OpKind::Unlink, &[&folder.path().join("link/")]), Ok(()));
    assert!(other.path().exists() && !link.is_symlink());
}

/// Another user replaces a directory with a link to their own folder, or to one that only root may read.
#[cfg(unix)]
#[test]
fn directory_replaced_by_a_link_is_not_followed() {
    for was_used in [false, true] {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["area", "area/sub", "theirs"] {
            fs::create_dir(at(name)).unwrap();
        }
        for name in ["area/sub/x", "theirs/x"] {
            fs::write(at(name), "precious").unwrap();
        }
        let paths = [at("area/sub/x"), at("area/sub/new"), at("area/sub")];
        let area = AreaDir::open(&at("area")).unwrap();
        let names = Names::new(Some(&area), paths.iter().map(|path| path.as_path()));
        if was_used {
            names.get(0).unwrap().stat().unwrap();
        }
        fs::rename(at("area/sub"), at("area/aside")).unwrap();
        std::os::unix::fs::symlink(at("theirs"), at("area/sub")).unwrap();
        let (x, new, sub) = (names.get(0).unwrap(), names.get(1).unwrap(), names.get(2).unwrap());
        for file in [x, new] {
            assert!(OpenFile::open(file, WRITE).is_err() && OpenFile::create(file, WRITE).is_err());
        }
        assert!(x.set_size(0).is_err() && sub.list().is_err() && sub.remove_dir().is_err());
        // Operations from a directory that is kept open happen in that directory.
        for done in [new.make_dir(), x.touch(), x.rename(new), new.unlink(), new.remove_dir()] {
            assert!(was_used || done.is_err());
        }
        assert_eq!(fs::read(at("theirs/x")).unwrap(), b"precious");
        assert_eq!(fs::read_dir(at("theirs")).unwrap().count(), 1);
    }
}

#[test]
fn a_directory_that_the_run_renames_is_another_one_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let paths = ["a", "a/x", "b", "b/x", "a/deep/y"].map(|name| folder.path().join(name));
    let area = AreaDir::open(folder.path()).unwrap();
    let names = Names::new(Some(&area), paths.iter().map(|path| path.as_path()));
    let op = |kind, file: u32, new: u64| {
        let op = Op { kind, file, offset: new, ..operation() };
        super::by_path(&op, &names)
    };
    fs::create_dir_all(folder.path().join("a/deep")).unwrap();
    for path in ["a/x", "a/deep/y"] {
        fs::write(folder.path().join(path), "abc").unwrap();
    }
    for file in [1, 4] {
        assert_eq!(op(OpKind::Stat, file, 0), Ok(()));
    }
    assert_eq!(op(OpKind::Rename, 0, 2), Ok(()));
    assert!(op(OpKind::Stat, 1, 0).is_err() && op(OpKind::Stat, 4, 0).is_err());
    assert_eq!(op(OpKind::Stat, 3, 0), Ok(()));
    assert_eq!(op(OpKind::MakeDir, 0, 0), Ok(()));
    fs::write(folder.path().join("a/x"), "new").unwrap();
    assert_eq!(op(OpKind::Unlink, 1, 0), Ok(()));
    assert_eq!(op(OpKind::RemoveDir, 0, 0), Ok(()));
    assert_eq!(op(OpKind::MakeDir, 0, 0), Ok(()));
    assert!(op(OpKind::Stat, 1, 0).is_err());
    assert_eq!(fs::read(folder.path().join("b/x")).unwrap(), b"abc");
}
