//! What the operating system is asked, on real files. The drivers' own tests are in `driver/tests.rs`.

#![allow(clippy::unwrap_used)]
use std::fs;
use std::path::Path;

use reelgauge_record::{AccessBits, OpFlags};
use reelgauge_workload::script::OpenMode;

use super::{ErrorNumber, FileName, Op, OpKind, OpenFile};

const WRITE: OpenMode = OpenMode { write: true, ..OpenMode::READ };

/// Carries out an operation on the first of these paths; a rename gives it the second.
fn by_path(kind: OpKind, paths: &[&Path]) -> Result<(), ErrorNumber> {
    let op = Op {
        kind,
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
    };
    let names: Vec<FileName> = paths.iter().map(|path| FileName::new(path)).collect();
    super::by_path(&op, &names)
}

#[test]
fn bytes_go_where_they_are_sent() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, [0; 100]).unwrap();
    let file = OpenFile::open(&FileName::new(&path), WRITE).unwrap();
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
    let file = OpenFile::open(&FileName::new(&path), OpenMode::default()).unwrap();
    assert!(file.write_at(b"x", 0).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"abc");
}

#[cfg(unix)]
#[test]
fn nothing_is_created_and_no_link_is_followed() {
    use rustix::io::Errno;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let missing = OpenFile::open(&FileName::new(&path), WRITE).unwrap_err();
    assert_eq!(missing, Errno::NOENT.raw_os_error());
    assert!(!path.exists());

    fs::write(&path, "abc").unwrap();
    let link = folder.path().join("link");
    std::os::unix::fs::symlink(&path, &link).unwrap();
    let followed = OpenFile::open(&FileName::new(&link), WRITE).unwrap_err();
    assert_eq!(followed, Errno::LOOP.raw_os_error());

    let directory = OpenFile::open(&FileName::new(folder.path()), WRITE).unwrap_err();
    assert_eq!(directory, Errno::ISDIR.raw_os_error());
}

#[test]
fn creating_makes_a_file_or_empties_the_one_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for content in ["hello", "you"] {
        // Creating is for writing, whatever the mode says.
        let file = OpenFile::create(&FileName::new(&path), OpenMode::default()).unwrap();
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
    let create = |path| OpenFile::create(&FileName::new(path), WRITE).unwrap_err();
    assert_eq!(create(&link), Errno::LOOP.raw_os_error());
    assert_eq!(fs::read(&path).unwrap(), b"abc");
    assert_eq!(create(folder.path()), Errno::ISDIR.raw_os_error());
    assert_eq!(create(&path.join("below")), Errno::NOTDIR.raw_os_error());
}

#[test]
fn creating_keeps_or_refuses_what_is_there_if_asked_to() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let name = FileName::new(&path);
    let alone = OpenMode { exclusive: true, ..WRITE };
    assert_eq!(OpenFile::create(&name, alone).unwrap().write_at(b"hello", 0), Ok(5));
    assert!(OpenFile::create(&name, alone).is_err());
    assert!(OpenFile::create(&name, OpenMode { keep: true, ..alone }).is_err());
    let kept = OpenFile::create(&name, OpenMode { keep: true, ..WRITE }).unwrap();
    assert_eq!(kept.write_at(b"y", 0), Ok(1));
    assert_eq!(fs::read(&path).unwrap(), b"yello");
    let written = OpenFile::create(&name, OpenMode { write_only: true, ..OpenMode::READ }).unwrap();
    assert_eq!(written.write_at(b"you", 0), Ok(3));
    assert!(written.read_at(&mut [0; 3], 0).is_err());
    assert_eq!(fs::read(&path).unwrap(), b"you");
}

#[test]
fn what_is_only_emptied_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let name = FileName::new(&path);
    let empty = OpenMode { existing: true, ..WRITE };
    assert!(OpenFile::create(&name, empty).is_err() && !path.exists());
    fs::write(&path, "abc").unwrap();
    OpenFile::create(&name, empty).unwrap();
    assert_eq!(fs::read(&path).unwrap(), b"");
}

/// Root may do everything but run what nobody may run.
#[cfg(unix)]
#[test]
fn access_is_asked_for_as_it_was() {
    use rustix::io::Errno;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let ask = |path: &Path, bits| FileName::new(path).access(bits);
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
fn appending_goes_to_the_end_whatever_the_position() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    fs::write(&path, "abc").unwrap();
    let name = FileName::new(&path);
    let append = OpenMode { append: true, ..WRITE };
    let file = OpenFile::open(&name, append).unwrap();
    assert_eq!(file.write_at(b"de", 0), Ok(2));
    assert_eq!(file.write_at(b"f", 1000), Ok(1));
    assert_eq!(file.read_at(&mut [0; 8], 4), Ok(2));
    assert_eq!(fs::read(&path).unwrap(), b"abcdef");
    let emptied = OpenFile::create(&name, OpenMode { write_only: true, ..append }).unwrap();
    assert_eq!(emptied.write_at(b"xyz", 7), Ok(3));
    assert_eq!(fs::read(&path).unwrap(), b"xyz");
    assert_eq!(emptied.set_size(1), Ok(()));
    assert_eq!(emptied.write_at(b"z", 0), Ok(1));
    assert_eq!(fs::read(&path).unwrap(), b"xz");
}

#[test]
fn what_goes_by_path_tells_what_is_there() {
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
        assert_eq!(done.is_ok(), kind == OpKind::MakeDir, "{kind:?} of a file that is gone");
        let _ = fs::remove_dir(&path);
    }
}

#[cfg(unix)]
#[test]
fn what_goes_by_path_follows_no_link() {
    let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    let link = &*folder.path().join("link");
    // The link is there, what it leads to isn't.
    std::os::unix::fs::symlink(other.path().join("missing"), link).unwrap();
    for kind in [OpKind::Stat, OpKind::Access, OpKind::SetAttr, OpKind::Unlink] {
        assert_eq!(by_path(kind, &[link]), Ok(()), "{kind:?}");
    }
    std::os::unix::fs::symlink(other.path(), link).unwrap();
    // With a slash at its end the system would follow it.
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
