//! Hard links that another user puts in the place of files: they are read, but never written to.

use rustix::io::Errno;

use super::*;

/// The link is the file table's `new`. The file behind it must not change.
const LINK: u32 = 6;

/// The operations on the link, with the expected results.
fn operations() -> Vec<(Op, i32)> {
    let refused = |op| (op, Errno::MLINK.raw_os_error());
    let with = |kind, open| Op { open, ..on(kind, LINK) };
    let keeping = OpenMode { existing: true, keep: true, ..WRITE };
    vec![
        refused(with(OpKind::Open, WRITE)),
        refused(with(OpKind::Open, OpenMode { write_only: true, ..WRITE })),
        refused(with(OpKind::Open, OpenMode { append: true, ..WRITE })),
        // The create would empty the file when it opens it.
        refused(with(OpKind::Create, WRITE)),
        refused(with(OpKind::Create, OpenMode { existing: true, ..WRITE })),
        refused(with(OpKind::Create, keeping)),
        refused(Op { offset: 5, handle: Op::BY_PATH, ..with(OpKind::Truncate, OpenMode::READ) }),
        (with(OpKind::Create, OpenMode { exclusive: true, ..WRITE }), Errno::EXIST.raw_os_error()),
        (with(OpKind::Open, OpenMode::READ), 0),
        (reading(0, 0, 4096), 0),
        (on(OpKind::Close, LINK), 0),
        // The link belongs to the area, but its target does not.
        (on(OpKind::Unlink, LINK), 0),
        (with(OpKind::Create, WRITE), 0),
        (on(OpKind::Write, LINK), 0),
        (on(OpKind::Close, LINK), 0),
    ]
}

#[test]
fn a_file_with_another_name_is_read_and_never_written_in_or_emptied() {
    for (name, start) in drivers() {
        for (in_flight, is_slow) in [(1, false), (3, false), (1, true), (3, true)] {
            let mut bench = Bench::with_odd_files();
            let elsewhere = tempfile::tempdir_in(bench.folder().parent().unwrap()).unwrap();
            let precious = elsewhere.path().join("precious");
            fs::write(&precious, [7; 4096]).unwrap();
            fs::hard_link(&precious, bench.folder().join("new")).unwrap();
            if is_slow {
                let area = AreaDir::open_step_by_step(bench.folder()).unwrap();
                Arc::get_mut(&mut bench.context).unwrap().area = Some(area);
            }
            let cases = operations();
            let steps = (0..).zip(&cases).map(|(token, (op, _))| Step::Do(Op { token, ..*op }));
            let script = Listed { writes: true, in_flight, handles: 1, ..Listed::new(steps) };
            let ended = run(start, script.one(), &bench);
            let mut done = ended.workers[0].script.done.clone();
            done.sort_by_key(|done| done.token);
            assert_eq!(done.len(), cases.len(), "{name}");
            for ((op, errno), got) in cases.iter().zip(&done) {
                assert_eq!(got.errno, *errno, "{name}, {in_flight} in flight: {op:?}");
            }
            assert_eq!(fs::read(&precious).unwrap(), [7; 4096], "{name}");
            assert_eq!(fs::metadata(bench.folder().join("new")).unwrap().len(), 4096, "{name}");
            #[cfg(target_os = "linux")]
            assert_eq!(open_files_in(bench.folder()), 0, "{name}");
        }
    }
}

/// Emptying needs an additional call after the open. It is part of one operation, and keeps its issue
/// time.
#[test]
fn existing_file_is_truncated_when_opened() {
    const ROUNDS: u64 = 50;
    for (name, start) in drivers() {
        for in_flight in [1, 3] {
            let bench = Bench::new(|_| {});
            let making = Op { open: WRITE, ..on(OpKind::Create, 0) };
            let opening = Op { open: WRITE, ..on(OpKind::Open, 0) };
            // Reads and writes overlap where they can: only a close separates them.
            let (close, read) = (on(OpKind::Close, 0), reading(0, 0, 4096));
            let round = [making, read, close, opening, on(OpKind::Write, 0), close];
            let steps = (0..ROUNDS).flat_map(|_| round).map(Step::Do);
            let script = Listed { writes: true, in_flight, handles: 1, ..Listed::new(steps) };
            let ended = run(start, script.one(), &bench);
            assert_eq!((ended.failures.len(), ended.records.len()), (0, 6 * ROUNDS as usize), "{name}");
            for record in &ended.records {
                let wanted = if record.kind == OpKind::Write { 4096 } else { 0 };
                assert_eq!((record.errno, record.done_len), (0, wanted), "{name}: {record:?}");
                assert!(record.issued_ns <= record.done_ns, "{name}: {record:?}");
            }
            let size_bytes = fs::metadata(bench.folder().join("file 0")).unwrap().len();
            assert_eq!(size_bytes, 4096, "{name}: of the last write alone");
        }
    }
}
