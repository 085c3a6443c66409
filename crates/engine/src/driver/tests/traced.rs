//! Operations that only replayed traces request, the same for every driver: open modes, sizes, names,
//! directories, times.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::time::SystemTime;

use reelgauge_record::OpenBits;
use rustix::io::Errno;

use super::*;

// Indexes in the file table for names that do not exist at first.
const NEW: u32 = 6;
const OTHER: u32 = 7;
/// A file in NEW, if that is a directory.
const BELOW: u32 = 8;
/// The link with a trailing slash, which makes the system follow it.
const SLASHED: u32 = 9;

/// An operation, with the error number and length that it must return.
type Case = (Op, i32, u32);

fn fails(op: Op, errno: Errno) -> Case {
    (op, errno.raw_os_error(), 0)
}

fn works(op: Op) -> Case {
    let done_len = if op.kind.moves_data() { op.len } else { 0 };
    (op, 0, done_len)
}

fn creating(file: u32, open: OpenMode) -> Op {
    Op { open, ..on(OpKind::Create, file) }
}

fn opening_as(file: u32, open: OpenMode) -> Op {
    Op { open, ..on(OpKind::Open, file) }
}

/// Sets the size of the file that the first handle has open.
fn resizing(size_bytes: u64) -> Op {
    Op { offset: size_bytes, ..op(OpKind::Truncate) }
}

fn resizing_by_path(file: u32, size_bytes: u64) -> Op {
    Op { file, handle: Op::BY_PATH, ..resizing(size_bytes) }
}

fn allocating(offset: u64, len: u32) -> Op {
    Op { offset, len, ..op(OpKind::Allocate) }
}

fn renaming(file: u32, new: u32) -> Op {
    Op { offset: new.into(), ..on(OpKind::Rename, file) }
}

const CLOSING: Case = (Op { kind: OpKind::Close, ..NOTHING }, 0, 0);

const NOTHING: Op = Op {
    kind: OpKind::Other,
    handle: 0,
    file: 0,
    offset: 0,
    len: 0,
    due_ns: 0,
    transfer: 0,
    stream: 0,
    flags: OpFlags::NONE,
    open: OpenMode::READ,
    token: 0,
};

/// Performs the cases on every driver, one operation at a time and with several in flight. Then `look`
/// checks the remaining files.
fn check(cases: &[Case], look: impl Fn(&Path, &[OpRecord])) {
    for (name, start) in drivers() {
        for in_flight in [1, 3] {
            let bench = Bench::with_odd_files_and(&["other", "new/below", "link/"]);
            let steps = (0..).zip(cases).map(|(token, (op, ..))| Step::Do(Op { token, ..*op }));
            let script = Listed { writes: true, in_flight, handles: 1, ..Listed::new(steps) };
            let ended = run(start, script.one(), &bench);
            assert!(ended.failures.is_empty(), "{name}: {:?}", ended.failures);
            let mut done = ended.workers[0].script.done.clone();
            done.sort_by_key(|done| done.token);
            assert_eq!((done.len(), ended.records.len()), (cases.len(), cases.len()), "{name}");
            for (number, ((op, errno, done_len), done)) in cases.iter().zip(&done).enumerate() {
                let got = (done.errno, done.done_len);
                assert_eq!(got, (*errno, *done_len), "{name}, {in_flight} in flight: {number}: {op:?}");
            }
            look(bench.folder(), &ended.records);
            for number in 0..3 {
                let stamped = fs::metadata(bench.folder().join(format!("file {number}"))).unwrap();
                assert_eq!(stamped.len(), FILE_BYTES, "{name}: what a link leads to, or nobody named");
            }
        }
    }
}

#[test]
fn creation_keeps_truncates_or_refuses_as_requested() {
    let keep = OpenMode { keep: true, ..OpenMode::READ };
    let alone = OpenMode { exclusive: true, ..OpenMode::READ };
    // The file is emptied, and not created.
    let existing = OpenMode { existing: true, ..OpenMode::READ };
    let whole = Op { len: 8192, ..on(OpKind::Read, NEW) };
    let cases = [
        works(creating(NEW, keep)),
        works(on(OpKind::Write, NEW)),
        CLOSING,
        works(creating(NEW, keep)),
        (whole, 0, 4096),
        CLOSING,
        fails(creating(NEW, alone), Errno::EXIST),
        fails(creating(NEW, OpenMode { keep: true, ..alone }), Errno::EXIST),
        fails(creating(A_LINK, alone), Errno::EXIST),
        fails(creating(A_LINK, keep), Errno::LOOP),
        fails(creating(A_FOLDER, keep), Errno::ISDIR),
        works(creating(NEW, OpenMode::READ)),
        (whole, 0, 0),
        CLOSING,
        works(on(OpKind::Unlink, NEW)),
        fails(creating(NEW, existing), Errno::NOENT),
        works(creating(NEW, alone)),
        works(on(OpKind::Write, NEW)),
        CLOSING,
        works(creating(NEW, existing)),
        (whole, 0, 0),
        // The order of two operations in flight is undefined.
        CLOSING,
        works(creating(NEW, existing)),
        works(on(OpKind::Write, NEW)),
        CLOSING,
        // "Must not exist" has no effect if no file is created.
        works(opening_as(NEW, alone)),
        (whole, 0, 4096),
        CLOSING,
    ];
    check(&cases, |folder, _| assert_eq!(fs::metadata(folder.join("new")).unwrap().len(), 4096));
}

#[test]
fn files_are_opened_with_the_requested_access() {
    let write_only = OpenMode { write_only: true, ..OpenMode::READ };
    let append = OpenMode { append: true, ..WRITE };
    let (read, write) = (on(OpKind::Read, NEW), on(OpKind::Write, NEW));
    let far = Op { offset: 1 << 30, ..write };
    let cases = [
        works(creating(NEW, write_only)),
        fails(read, Errno::BADF),
        works(write),
        CLOSING,
        works(opening_as(NEW, write_only)),
        fails(read, Errno::BADF),
        works(write),
        CLOSING,
        works(opening_as(NEW, OpenMode::READ)),
        fails(write, Errno::BADF),
        CLOSING,
        works(opening_as(NEW, append)),
        works(write),
        works(far),
        // Only data transfers overlap, so from here on both writes are over.
        works(on(OpKind::Stat, NEW)),
        (Op { offset: 8192, len: 8192, ..read }, 0, 4096),
        CLOSING,
        works(creating(OTHER, OpenMode { keep: true, write_only: true, ..append })),
        works(far),
        CLOSING,
        works(opening_as(NEW, OpenMode { dsync: true, ..append })),
        CLOSING,
    ];
    let (r, w, a) = (OpenBits::READ.0, OpenBits::WRITE.0, OpenBits::APPEND.0);
    let (made, emptied) = (OpenBits::CREATE.0, OpenBits::TRUNCATE.0);
    let asked = [w | made | emptied, w, r, r | w | a, w | a | made, r | w | a | OpenBits::DSYNC.0];
    check(&cases, |folder, records| {
        let opens = |kind| matches!(kind, OpKind::Open | OpKind::Create);
        let bits = records.iter().filter(|record| opens(record.kind)).map(|record| record.len);
        assert_eq!(bits.collect::<Vec<_>>(), asked);
        let written = records.iter().filter(|record| record.kind == OpKind::Write && record.errno == 0);
        assert!(written.clone().all(|record| record.len == 4096) && written.count() == 5);
        assert_eq!(fs::metadata(folder.join("new")).unwrap().len(), 3 * 4096);
        assert_eq!(fs::metadata(folder.join("other")).unwrap().len(), 4096);
    });
}

#[test]
fn sizes_are_set_by_handle_and_by_path() {
    const UNHEARD_OF: u64 = u64::MAX - 5;
    let whole = Op { len: 65536, ..on(OpKind::Read, NEW) };
    let cases = [
        fails(resizing(0), Errno::BADF),
        fails(Op { handle: 1, ..resizing(0) }, Errno::BADF),
        fails(resizing_by_path(NEW, 0), Errno::NOENT),
        works(creating(NEW, OpenMode::READ)),
        works(resizing(10_000)),
        (whole, 0, 10_000),
        works(resizing(5000)),
        (whole, 0, 5000),
        fails(resizing(UNHEARD_OF), Errno::INVAL),
        // Another file may use the name of an open file.
        works(resizing_by_path(NEW, 6000)),
        (whole, 0, 6000),
        CLOSING,
        works(opening_as(NEW, OpenMode::READ)),
        fails(resizing(1), Errno::INVAL),
        CLOSING,
        works(resizing_by_path(NEW, 3000)),
        fails(resizing_by_path(NEW, UNHEARD_OF), Errno::INVAL),
        fails(resizing_by_path(A_FOLDER, 0), Errno::ISDIR),
        fails(resizing_by_path(A_LINK, 0), Errno::LOOP),
        fails(resizing_by_path(99, 0), Errno::INVAL),
    ];
    check(&cases, |folder, _| assert_eq!(fs::metadata(folder.join("new")).unwrap().len(), 3000));
}

#[test]
fn room_is_reserved_where_the_system_can() {
    // Checks what this file system supports, before a driver is used.
    let probe = tempfile::tempfile().unwrap();
    #[cfg(target_os = "linux")]
    let can = rustix::fs::fallocate(&probe, rustix::fs::FallocateFlags::empty(), 0, 4096);
    #[cfg(not(target_os = "linux"))]
    let can: Result<(), Errno> = Err(Errno::NOTSUP);
    drop(probe);
    let errno = can.err().map_or(0, Errno::raw_os_error);
    let refused = |wrong: Errno| if errno == 0 { wrong } else { Errno::NOTSUP };
    let mut cases = vec![fails(allocating(0, 4096), Errno::BADF), works(creating(NEW, OpenMode::READ))];
    // A ring keeps a frequently used file in its private table.
    cases.extend([works(on(OpKind::Write, NEW)); 8]);
    cases.extend([
        // Longer than any read or write of this script.
        (allocating(100, 200_000), errno, 0),
        (allocating(0, 4096), errno, 0),
        (Op { offset: 200_000, ..on(OpKind::Read, NEW) }, 0, if errno == 0 { 100 } else { 0 }),
        fails(allocating(0, 0), refused(Errno::INVAL)),
        works(resizing(150_000)),
        CLOSING,
        works(opening_as(NEW, OpenMode::READ)),
        fails(allocating(0, 4096), refused(Errno::BADF)),
        CLOSING,
    ]);
    check(&cases, |folder, _| {
        let new = fs::metadata(folder.join("new")).unwrap();
        assert_eq!(new.len(), 150_000);
        // The whole size is allocated, though only the beginning was written.
        assert!(errno != 0 || new.blocks() * 512 >= 150_000, "{} blocks", new.blocks());
    });
}

#[test]
fn files_and_directories_get_other_names() {
    let cases = [
        fails(renaming(NEW, OTHER), Errno::NOENT),
        works(creating(NEW, OpenMode::READ)),
        works(on(OpKind::Write, NEW)),
        works(renaming(NEW, OTHER)),
        // An open file stays open under its other name.
        works(on(OpKind::Write, NEW)),
        CLOSING,
        fails(on(OpKind::Stat, NEW), Errno::NOENT),
        works(on(OpKind::Stat, OTHER)),
        fails(renaming(OTHER, 10), Errno::INVAL),
        fails(Op { offset: 1 << 32, ..renaming(OTHER, 0) }, Errno::INVAL),
        fails(renaming(99, OTHER), Errno::INVAL),
        // Renaming a link moves or replaces the link itself.
        works(renaming(A_LINK, NEW)),
        fails(on(OpKind::Stat, A_LINK), Errno::NOENT),
        works(renaming(OTHER, NEW)),
        works(opening(NEW, 0)),
        (Op { len: 8192, ..on(OpKind::Read, NEW) }, 0, 4096),
        CLOSING,
        works(on(OpKind::MakeDir, OTHER)),
        works(renaming(OTHER, A_LINK)),
        works(on(OpKind::ReadDir, A_LINK)),
        fails(renaming(NEW, A_LINK), Errno::ISDIR),
        fails(renaming(A_LINK, NEW), Errno::NOTDIR),
        fails(on(OpKind::Other, NEW), Errno::INVAL),
    ];
    check(&cases, |folder, records| {
        assert!(folder.join("new").is_file() && folder.join("link").is_dir());
        let renames = records.iter().filter(|record| record.kind == OpKind::Rename);
        assert!(renames.clone().all(|record| record.len == 0));
        assert_eq!(renames.map(|record| record.offset).next(), Some(u64::from(OTHER)));
    });
}

#[test]
fn two_names_exchange_their_files() {
    let exchanging = |one, two| Op { flags: OpFlags::EXCHANGES, ..renaming(one, two) };
    let cases = [
        works(creating(NEW, OpenMode::READ)),
        works(on(OpKind::Write, NEW)),
        CLOSING,
        fails(exchanging(NEW, OTHER), Errno::NOENT),
        fails(exchanging(OTHER, NEW), Errno::NOENT),
        works(on(OpKind::MakeDir, OTHER)),
        works(exchanging(NEW, OTHER)),
        works(on(OpKind::ReadDir, NEW)),
        works(exchanging(A_LINK, OTHER)),
        fails(exchanging(99, OTHER), Errno::INVAL),
    ];
    check(&cases, |folder, _| {
        assert!(folder.join("new").is_dir() && folder.join("other").is_symlink());
        assert!(fs::symlink_metadata(folder.join("link")).unwrap().is_file());
    });
}

fn linking(kind: OpKind, file: u32, second: u32) -> Op {
    Op { offset: second.into(), ..on(kind, file) }
}

#[test]
fn a_file_gets_a_second_name_and_is_written_by_either() {
    let both = |kind| works(linking(kind, NEW, OTHER));
    let cases = [
        fails(linking(OpKind::Link, NEW, OTHER), Errno::NOENT),
        works(creating(NEW, OpenMode::READ)),
        works(on(OpKind::Write, NEW)),
        CLOSING,
        both(OpKind::Link),
        fails(linking(OpKind::Link, NEW, OTHER), Errno::EXIST),
        fails(linking(OpKind::Link, A_FOLDER, BELOW), Errno::NOTDIR),
        works(opening_as(OTHER, WRITE)),
        works(on(OpKind::Write, OTHER)),
        CLOSING,
        works(creating(OTHER, OpenMode::READ)),
        CLOSING,
        works(resizing_by_path(NEW, 100)),
        // If both names are of one file, both stay.
        both(OpKind::Rename),
        works(on(OpKind::Stat, NEW)),
        works(on(OpKind::Unlink, NEW)),
        works(opening_as(OTHER, WRITE)),
        CLOSING,
        // A name that is replaced is lost, too.
        works(linking(OpKind::Link, OTHER, NEW)),
        works(linking(OpKind::Link, OTHER, MISSING)),
        works(creating(NEW, OpenMode { existing: true, ..OpenMode::READ })),
        CLOSING,
        works(resizing_by_path(OTHER, 100)),
        works(renaming(A_LINK, NEW)),
        works(on(OpKind::Unlink, MISSING)),
        works(opening_as(OTHER, WRITE)),
        CLOSING,
    ];
    check(&cases, |folder, _| {
        let other = fs::metadata(folder.join("other")).unwrap();
        assert_eq!((other.len(), other.nlink()), (100, 1));
        assert!(folder.join("new").is_symlink());
    });
}

#[test]
fn a_symbolic_link_is_made_relative_read_and_not_followed() {
    let cases = [
        works(on(OpKind::MakeDir, NEW)),
        works(linking(OpKind::SymLink, BELOW, OTHER)),
        works(on(OpKind::ReadLink, BELOW)),
        fails(linking(OpKind::SymLink, BELOW, OTHER), Errno::EXIST),
        works(creating(OTHER, OpenMode::READ)),
        CLOSING,
        fails(opening_as(BELOW, OpenMode::READ), Errno::LOOP),
        fails(creating(BELOW, OpenMode::READ), Errno::LOOP),
        fails(resizing_by_path(BELOW, 0), Errno::LOOP),
        fails(on(OpKind::ReadLink, OTHER), Errno::INVAL),
        fails(on(OpKind::ReadLink, MISSING), Errno::NOENT),
        works(linking(OpKind::SymLink, MISSING, MISSING)),
        fails(linking(OpKind::SymLink, 99, OTHER), Errno::INVAL),
        fails(linking(OpKind::Link, OTHER, 99), Errno::INVAL),
    ];
    check(&cases, |folder, _| {
        assert_eq!(fs::read_link(folder.join("new/below")).unwrap(), Path::new("../other"));
        let missing = fs::read_link(folder.join("missing")).unwrap();
        assert_eq!(missing, Path::new("missing"), "it leads to itself");
    });
}

#[test]
fn directories_come_and_go() {
    let below = |kind| on(kind, BELOW);
    let cases = [
        fails(on(OpKind::RemoveDir, NEW), Errno::NOENT),
        fails(below(OpKind::MakeDir), Errno::NOENT),
        works(on(OpKind::MakeDir, NEW)),
        fails(on(OpKind::MakeDir, NEW), Errno::EXIST),
        works(creating(BELOW, OpenMode::READ)),
        CLOSING,
        fails(on(OpKind::RemoveDir, NEW), Errno::NOTEMPTY),
        works(on(OpKind::MakeDir, OTHER)),
        fails(renaming(OTHER, NEW), Errno::NOTEMPTY),
        works(renaming(NEW, OTHER)),
        fails(below(OpKind::Stat), Errno::NOENT),
        works(renaming(OTHER, NEW)),
        works(below(OpKind::Unlink)),
        works(on(OpKind::RemoveDir, NEW)),
        fails(on(OpKind::RemoveDir, 0), Errno::NOTDIR),
        fails(on(OpKind::MakeDir, 0), Errno::EXIST),
        fails(on(OpKind::RemoveDir, A_LINK), Errno::NOTDIR),
        fails(on(OpKind::MakeDir, A_LINK), Errno::EXIST),
        works(on(OpKind::MakeDir, OTHER)),
    ];
    check(&cases, |folder, _| {
        assert!(folder.join("other").is_dir() && !folder.join("new").exists());
        let made = folder.join("other").metadata().unwrap();
        assert_eq!(made.permissions().mode() & 0o700, 0o700, "its owner can use it");
    });
}

#[test]
fn times_are_set_to_now_and_to_nothing_that_a_link_leads_to() {
    let long_ago = SystemTime::UNIX_EPOCH + Duration::from_secs(1000);
    for (name, start) in drivers() {
        let bench = Bench::with_odd_files();
        let modified = |number: u32| {
            let path = &bench.context.files[number as usize].path;
            fs::symlink_metadata(path).unwrap().modified().unwrap()
        };
        for number in 0..2 {
            let file = fs::File::open(&bench.context.files[number].path).unwrap();
            file.set_modified(long_ago).unwrap();
        }
        let before = modified(A_LINK);
        let steps = [on(OpKind::SetAttr, A_LINK), on(OpKind::SetAttr, 1), on(OpKind::SetAttr, A_FOLDER)];
        let missing = [on(OpKind::SetAttr, MISSING), on(OpKind::SetAttr, 99)];
        let script = Listed { handles: 0, ..Listed::new(steps.into_iter().chain(missing).map(Step::Do)) };
        let ended = run(start, script.one(), &bench);
        let errors: Vec<_> = ended.records.iter().map(|record| record.errno).collect();
        let (gone, wrong) = (Errno::NOENT.raw_os_error(), Errno::INVAL.raw_os_error());
        assert_eq!(errors, [0, 0, 0, gone, wrong], "{name}");
        assert_eq!(modified(0), long_ago, "{name}: the link leads to it");
        assert!(modified(A_LINK) > before, "{name}");
        assert!(modified(1) > long_ago + Duration::from_secs(1_000_000_000), "{name}");
    }
}

#[test]
fn trailing_slash_does_not_follow_a_link() {
    let mut cases: Vec<_> = [
        (OpKind::RemoveDir, Errno::NOTDIR),
        (OpKind::ReadDir, Errno::NOTDIR),
        (OpKind::MakeDir, Errno::EXIST),
        (OpKind::Open, Errno::LOOP),
        (OpKind::Create, Errno::LOOP),
    ]
    .map(|(kind, errno)| fails(on(kind, SLASHED), errno))
    .into();
    cases.extend([
        fails(resizing_by_path(SLASHED, 0), Errno::LOOP),
        works(on(OpKind::Stat, SLASHED)),
        works(renaming(SLASHED, NEW)),
        works(renaming(NEW, SLASHED)),
        works(on(OpKind::Unlink, SLASHED)),
        fails(on(OpKind::Stat, A_LINK), Errno::NOENT),
    ]);
    check(&cases, |folder, _| assert!(!folder.join("link").is_symlink()));
}

/// Opens a file, sets its size and closes it without waiting in between, and opens another one at the
/// same time.
struct Hasty {
    rounds: u32,
    asked: u32,
    flying: u32,
}

impl Script for Hasty {
    fn needs(&self) -> Needs {
        Needs { handles: 2, in_flight: 4, max_len: 0, writes: false }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        let place = self.asked % 5;
        if place != 2 && place != 3 && self.flying > 0 {
            return Step::Blocked;
        }
        if self.asked == 5 * self.rounds {
            return Step::Finished;
        }
        self.asked += 1;
        self.flying += 1;
        let other = Op { handle: 1, ..opening_as(1, WRITE) };
        Step::Do(match place {
            0 => opening_as(0, WRITE),
            1 => resizing(u64::from(self.asked)),
            2 => op(OpKind::Close),
            // It may get the descriptor number of the first file.
            3 => other,
            _ => Op { kind: OpKind::Close, ..other },
        })
    }

    fn done(&mut self, _done: &Done) {
        self.flying -= 1;
    }

    fn resume(&mut self, _now_ns: u64) {}
}

#[test]
fn a_size_that_is_set_while_its_file_is_closed_hits_no_other_file() {
    const ROUNDS: u32 = 2000;
    for (name, start) in drivers() {
        let bench = Bench::new(|_| {});
        let script = Hasty { rounds: ROUNDS, asked: 0, flying: 0 };
        let ended = run(start, vec![Worker { id: 0, script }], &bench);
        assert_eq!((ended.finished_scripts, ended.records.len()), (1, 5 * ROUNDS as usize), "{name}");
        let too_late = Errno::BADF.raw_os_error();
        let mut overtaken = 0;
        for record in &ended.records {
            // With threads it may begin before or after the close; a ring keeps the order.
            let may_fail = record.kind == OpKind::Truncate && name == "threads";
            assert!(record.errno == 0 || may_fail && record.errno == too_late, "{name}: {record:?}");
            overtaken += u32::from(record.errno != 0);
        }
        assert!(overtaken < ROUNDS, "{name}: no size was set");
        assert_eq!(fs::metadata(bench.folder().join("file 1")).unwrap().len(), FILE_BYTES, "{name}");
        #[cfg(target_os = "linux")]
        assert_eq!(open_files_in(bench.folder()), 0, "{name}");
    }
}
