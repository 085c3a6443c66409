//! Hostile traces through the binary: directories that no recorder and no importer would write, made
//! with the trace crate's own writer or damaged on purpose. Each is refused with exit code 2 before
//! anything is done, or replayed with bounded memory. Nothing outside the area is touched, whatever the
//! trace contains.
//!
//! Hostile sources of importers are in `trace_hostile_import.rs`.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::test_records::op as made_up;
use reelgauge_record::{OpKind, OpRecord, OpenBits};
use reelgauge_tests::binary::{self, Outcome};
use reelgauge_tests::needs::Need;
use reelgauge_tests::refusal;
use reelgauge_tests::require;
use reelgauge_tests::resource_limits::{self, Bounded, Bounds};
use reelgauge_tests::run_dir;
use reelgauge_tests::scratch::Scratch;
use reelgauge_tests::surroundings::Surroundings;
use reelgauge_trace::{TraceInfo, TraceWriter};
use serde_json::Value;

/// An operation of thread 0 that took a microsecond.
fn op(kind: OpKind, file: u32, transfer: u32, at_ns: u64) -> OpRecord {
    made_up(kind).on_file(file).of_transfer(transfer).at_ns(at_ns).took_ns(1000)
}

/// Opens a file, and creates it if needed.
fn create(file: u32, transfer: u32, at_ns: u64) -> OpRecord {
    let bits = OpenBits::READ.with(OpenBits::WRITE).with(OpenBits::CREATE);
    OpRecord { len: bits.0, ..op(OpKind::Create, file, transfer, at_ns) }
}

/// Reads or writes.
fn moves(kind: OpKind, transfer: u32, offset: u64, len: u32, at_ns: u64) -> OpRecord {
    OpRecord { offset, len, done_len: len, ..op(kind, 0, transfer, at_ns) }
}

/// Writes a trace with these names, without checks.
fn write_trace(parent: &Path, names: &[String], ops: impl IntoIterator<Item = OpRecord>) -> PathBuf {
    write_with(parent, names, ops, TraceInfo { name: "hostile".to_owned(), ..TraceInfo::default() })
}

fn write_with(
    parent: &Path,
    names: &[String],
    ops: impl IntoIterator<Item = OpRecord>,
    info: TraceInfo,
) -> PathBuf {
    let meta = LogMeta {
        run_ns: 0,
        agent: "hostile".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: vec![],
    };
    let mut writer = TraceWriter::create(parent, "hostile", meta).unwrap();
    for name in names {
        writer.file(name).unwrap();
    }
    for op in ops {
        writer.push(op).unwrap();
    }
    writer.finish(info).unwrap().dir().to_owned()
}

/// Names from text.
fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|&name| name.to_owned()).collect()
}

/// The words of a replay, its flags last.
fn replay(trace: &Path, target: &Path, flags: &[&str]) -> Vec<OsString> {
    let words = [OsString::from("replay"), trace.into(), target.into()];
    words.into_iter().chain(flags.iter().map(OsString::from)).collect()
}

/// Replays as fast as possible, unless the flags say otherwise. Returns how that ended, with the
/// summary.
#[track_caller]
fn replayed(trace: &Path, around: &Surroundings, flags: &[&str], bounds: Bounds<'_>) -> (Bounded, Value) {
    let runs = Scratch::new();
    let pace: &[&str] = if flags.contains(&"--pace") { &[] } else { &["--pace", "max"] };
    let mut words = replay(trace, &around.target(), &[pace, flags, &["--json", "--out"]].concat());
    words.push(runs.path().into());
    let before = around.stock();
    let done = resource_limits::run(words, bounds);
    assert_eq!(around.stock(), before, "{}", done.outcome.said());
    assert!(!done.outcome.stderr.contains("panicked"), "{}", done.outcome.said());
    // 1: it was replayed, and an operation that began late leaves it inconclusive.
    let is_whole = matches!(done.outcome.code, Some(0 | 1));
    let summary = if is_whole { done.outcome.json() } else { Value::Null };
    (done, summary)
}

/// Reading a trace changes nothing, and succeeds or exits with an error message.
#[track_caller]
fn look_at(trace: &Path) -> Vec<Outcome> {
    let words = |verb: &str| [OsString::from(verb), trace.into()];
    let all = ["report", "ops"].map(|verb| binary::run(words(verb)));
    for outcome in &all {
        assert!(matches!(outcome.code, Some(0 | 2)), "{}", outcome.said());
        assert!(!outcome.stderr.contains("panicked"), "{}", outcome.said());
        let escapes = outcome.stdout.contains('\u{1b}') || outcome.stderr.contains('\u{1b}');
        assert!(!escapes, "a name reaches the terminal as it is: {}", outcome.said());
    }
    all.into()
}

#[test]
fn names_that_leave_the_area_are_refused_before_anything_is_touched() {
    let around = Surroundings::new();
    let before = around.stock();
    let cases: [(&str, &str); 9] = [
        ("/etc/reelgauge-was-here", "is absolute"),
        ("../theirs.mov", "has a part '..'"),
        ("a/../../../../theirs.mov", "has a part '..'"),
        ("a/./b", "has a part '..' or '.'"),
        ("a//b", "is empty"),
        ("reel\0.mov", "zero byte"),
        ("C:\\Windows\\win.ini", "drive letter"),
        ("..\\up", "backslash"),
        ("", "does not name"),
    ];
    let long = [("x".repeat(256), "too long"), ("y/".repeat(3000), "too long")];
    let cases = cases.map(|(name, why)| (name.to_owned(), why)).into_iter().chain(long);
    for (number, (name, why)) in cases.enumerate() {
        let parent = around.beside(&format!("traces-{number}"));
        let names = [name.clone(), "harmless".to_owned()];
        // As the name of an opened and created file, and only as a new name.
        let made = write_trace(&parent, &names, [create(0, 1, 0), op(OpKind::Close, 0, 1, 2000)]);
        let moved = OpRecord { offset: 0, ..op(OpKind::Rename, 1, 0, 9000) };
        let kept = OpRecord { file: 1, ..create(1, 1, 0) };
        let renamed = write_trace(&parent, &names, [kept, op(OpKind::Stat, 0, 0, 5000), moved]);
        for trace in [made, renamed] {
            refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), why);
            look_at(&trace);
        }
    }
    assert_eq!(around.stock(), before);
    assert!(!Path::new("/etc/reelgauge-was-here").exists());
}

#[test]
fn positions_and_sizes_beyond_every_file_are_refused() {
    let around = Surroundings::new();
    let far = i64::MAX as u64;
    let bits = OpenBits::READ.with(OpenBits::WRITE);
    let open = OpRecord { len: bits.0, ..op(OpKind::Open, 0, 1, 0) };
    let cases = [
        (moves(OpKind::Write, 1, far, 4096, 5000), "largest possible"),
        (moves(OpKind::Read, 1, far - 10, 4096, 5000), "largest possible"),
        (moves(OpKind::Allocate, 1, far, u32::MAX, 5000), "largest possible"),
        // A file that must exist before, and does not fit on the target.
        (moves(OpKind::Read, 1, 1 << 62, 4096, 5000), "images"),
        (op(OpKind::Read, 70_000, 1, 5000), "file 70000"),
        (OpRecord { offset: 1 << 40, ..op(OpKind::Rename, 0, 0, 5000) }, "not name"),
    ];
    for (number, (hostile, why)) in cases.into_iter().enumerate() {
        let parent = around.beside(&format!("traces-{number}"));
        let trace = write_trace(&parent, &named(&["reel.mov"]), [open, hostile]);
        refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), why);
        look_at(&trace);
    }
}

/// The writer cannot store such numbers, so another program rewrites a part.
#[test]
fn numbers_that_the_log_cannot_hold_are_refused_as_damage() {
    require!(Need::Python);
    let around = Surroundings::new();
    for (column, value) in [("offset", "-9223372036854775808"), ("issued_ns", "-1"), ("due_ns", "-5")] {
        let ops = [create(0, 1, 0), moves(OpKind::Write, 1, 0, 4096, 5000)];
        let trace = write_trace(&around.beside(column), &named(&["reel.mov"]), ops);
        let changes = [trace.as_path(), Path::new(column), Path::new(value)];
        reelgauge_tests::python::script("spoil_column.py", &changes);
        let why = format!("column {column}");
        refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), &why);
        look_at(&trace);
    }
}

/// Memory limit for a replay of a million operations: 32 bytes for each, a few more for its open file,
/// and the program itself.
const MILLION_MIB: u64 = 256;
/// Memory limit if the million operations have a million names: each is in the footer, in the file
/// table, and in the index of directories.
const MILLION_NAMES_MIB: u64 = 1024;

#[test]
fn a_million_opens_without_a_close_are_refused_with_bounded_memory() {
    require!(Need::Tool("python3"));
    let around = Surroundings::new();
    let opens = |files: u32| (0..1_000_000).map(move |at| create(at % files, at + 1, u64::from(at) * 1000));
    // All of one file, and each of a separate file.
    let one = write_trace(&around.beside("one"), &named(&["reel.mov"]), opens(1));
    let names: Vec<String> = (0..1_000_000).map(|at| format!("frames/{at:07}.dpx")).collect();
    let many = write_trace(&around.beside("many"), &names, opens(1_000_000));
    for (trace, limit_mib) in [(&one, MILLION_MIB), (&many, MILLION_NAMES_MIB)] {
        let bounds = Bounds { open_files: 128, ..Bounds::default() };
        let (done, _) = replayed(trace, &around, &[], bounds);
        println!("{}: {} MiB in {:?}", trace.display(), done.peak_mib, done.outcome.took);
        let outcome = done.outcome.expect_code(2);
        assert!(outcome.stderr.contains("files open"), "{}", outcome.said());
        assert!(done.peak_mib < limit_mib, "{} MiB", done.peak_mib);
    }
    assert!(!around.target().join("reelgauge-area").exists());
}

#[test]
fn many_opens_that_are_closed_need_few_descriptors() {
    require!(Need::Tool("python3"));
    let around = Surroundings::new();
    let pairs = (0..100_000_u32).flat_map(|at| {
        let at_ns = u64::from(at) * 10_000;
        let close = op(OpKind::Close, at % 100, at + 1, at_ns + 5000);
        [create(at % 100, at + 1, at_ns), close]
    });
    let names: Vec<String> = (0..100).map(|at| format!("reel-{at}")).collect();
    let trace = write_trace(&around.beside("traces"), &names, pairs);
    let bounds = Bounds { open_files: 160, ..Bounds::default() };
    let (done, summary) = replayed(&trace, &around, &[], bounds);
    println!("{} MiB in {:?}", done.peak_mib, done.outcome.took);
    assert!(done.peak_mib < MILLION_MIB, "{} MiB", done.peak_mib);
    done.outcome.expect_code(0);
    let pass = run_dir::at(&summary, "replay.passes.0");
    assert_eq!((&pass["different_ops"], &pass["complete"]), (&0.into(), &true.into()), "{pass}");
    assert_eq!(around.left_in_area(), Vec::<PathBuf>::new());
    // So many open files exceed the limit of this process, which is reported before anything is done.
    let open = (0..20_000_u32).map(|at| create(at % 100, at + 1, u64::from(at) * 1000));
    let trace = write_trace(&around.beside("open"), &names, open);
    let (done, _) = replayed(&trace, &around, &[], bounds);
    let outcome = done.outcome.expect_code(2);
    assert!(outcome.stderr.contains("ulimit -n"), "{}", outcome.said());
}

#[test]
fn many_threads_and_endless_reads_take_bounded_memory_and_threads() {
    require!(Need::Tool("python3"));
    let around = Surroundings::new();
    // 1000 threads that all read 4 GiB at once, of an empty file.
    let reads = (0..1000_u32).map(|stream| OpRecord {
        stream,
        done_ns: 1 << 40,
        done_len: 0,
        ..moves(OpKind::Read, 1, 0, u32::MAX, 5000 + u64::from(stream))
    });
    let ops = std::iter::once(create(0, 1, 0)).chain(reads);
    let trace = write_trace(&around.beside("traces"), &named(&["empty"]), ops);
    let (done, summary) = replayed(&trace, &around, &[], Bounds::default());
    println!("{} MiB in {:?}", done.peak_mib, done.outcome.took);
    assert!(done.peak_mib < 2 * MILLION_MIB, "{} MiB", done.peak_mib);
    done.outcome.expect_code(0);
    assert_eq!(run_dir::count(&summary, "replay.passes.0.different_ops"), 0);
    assert_eq!(run_dir::count(&summary, "replay.ops"), 1 + 1000 * 64);
    // 20,000 threads that take turns with one file: too many dependencies to track.
    let turns = (0..1_000_000_u32).map(|turn| OpRecord {
        stream: turn % 20_000,
        ..moves(
            if turn % 3 == 0 { OpKind::Write } else { OpKind::Read },
            1,
            0,
            1,
            5000 + u64::from(turn) * 1000,
        )
    });
    let trace = write_trace(&around.beside("turns"), &named(&["shared"]), turns);
    let (done, _) = replayed(&trace, &around, &["--order", "resources"], Bounds::default());
    println!("{} MiB in {:?}", done.peak_mib, done.outcome.took);
    let outcome = done.outcome.expect_code(2);
    assert!(outcome.stderr.contains("--order serial"), "{}", outcome.said());
    assert!(done.peak_mib < 3 * MILLION_MIB, "{} MiB", done.peak_mib);
    // More threads than a trace can distinguish.
    let stats = (0..70_000_u32).map(|stream| OpRecord {
        stream,
        done_ns: 1 << 40,
        ..op(OpKind::Stat, 0, 0, u64::from(stream))
    });
    let trace = write_trace(&around.beside("stats"), &named(&["empty"]), stats);
    let (done, _) = replayed(&trace, &around, &[], Bounds::default());
    let outcome = done.outcome.expect_code(2);
    assert!(outcome.stderr.contains("60000 threads"), "{}", outcome.said());
}

#[test]
fn sizes_that_no_file_can_have_are_the_systems_to_refuse_and_are_counted() {
    require!(Need::Tool("python3"));
    let around = Surroundings::new();
    let ops = [
        create(0, 1, 0),
        OpRecord { offset: i64::MAX as u64, ..op(OpKind::Truncate, 0, 1, 5000) },
        OpRecord { offset: 1 << 62, ..op(OpKind::Truncate, 0, 1, 7000) },
        OpRecord { offset: 0, ..op(OpKind::Truncate, 0, 1, 9000) },
        op(OpKind::Close, 0, 1, 11_000),
    ];
    let trace = write_trace(&around.beside("traces"), &named(&["reel.mov"]), ops);
    let (done, summary) = replayed(&trace, &around, &[], Bounds::default());
    done.outcome.expect_code(0);
    let pass = run_dir::at(&summary, "replay.passes.0");
    assert!(pass["different_ops"].as_u64() <= Some(2) && pass["complete"] == true, "{pass}");
    assert_eq!(around.left_in_area(), Vec::<PathBuf>::new());
}

#[test]
fn times_at_the_end_of_all_days_neither_overflow_nor_wait_for_them() {
    require!(Need::Tool("python3"));
    let around = Surroundings::new();
    let end_ns = i64::MAX as u64;
    let late = OpRecord { due_ns: end_ns, issued_ns: end_ns, done_ns: end_ns, ..op(OpKind::Close, 0, 1, 0) };
    let ops = [create(0, 1, 0), late];
    let trace = write_trace(&around.beside("traces"), &named(&["reel.mov"]), ops);
    look_at(&trace);
    let why = "--idle-cap";
    refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), why);
    refusal::refused(&replay(&trace, &around.target(), &["--pace", "think"]), &around.target(), why);
    for flags in [&[][..], &["--pace", "recorded", "--idle-cap", "1ms"]] {
        let (done, summary) = replayed(&trace, &around, flags, Bounds::default());
        // Two operations: one that a busy client begins a millisecond late makes the replay inconclusive.
        let _ = done.outcome.expect_end();
        assert_eq!(run_dir::count(&summary, "replay.passes.0.different_ops"), 0);
    }
}

#[test]
fn trace_name_is_escaped_and_not_used_as_a_path() {
    let around = Surroundings::new();
    let before = around.stock();
    let escape = "../../\u{1b}]0;mine\u{7}\u{1b}[2J/etc/x\n\u{202e}gpj";
    let info = TraceInfo {
        name: escape.to_owned(),
        about: escape.to_owned(),
        made_by: escape.to_owned(),
        source: escape.to_owned(),
        blind_to: vec![escape.to_owned()],
        warnings: vec![escape.to_owned()],
        ..TraceInfo::default()
    };
    let file = "reel\u{1b}[31m\u{7}.mov".to_owned();
    // The read has another result than in the recording, so its file is named.
    let ops = [
        OpRecord { len: OpenBits::READ.0, ..op(OpKind::Open, 0, 1, 0) },
        OpRecord { done_len: 10, ..moves(OpKind::Read, 1, 0, 4096, 5000) },
        OpRecord { errno: 13, done_len: 0, ..moves(OpKind::Read, 1, 0, 4096, 9000) },
    ];
    let trace = write_with(&around.beside("traces"), &[file], ops, info);
    look_at(&trace);
    let runs = around.beside("runs");
    let mut words = replay(&trace, &around.target(), &["--pace", "max", "--out"]);
    words.push(runs.clone().into());
    let outcome = binary::run(words).expect_code(0);
    let named = outcome.words().contains("read of reel");
    let said = format!("{}{}", outcome.stdout, outcome.stderr);
    assert!(named && !said.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{said:?}");
    assert_eq!(run_dir::all_in(&runs).len(), 1, "one run, in the folder for runs");
    assert_eq!(around.stock(), before);
    let run = run_dir::only_in(&runs);
    let again = binary::run([OsString::from("report"), run.into()]).expect_code(0).stdout;
    assert!(!again.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{again:?}");
}

/// A small sound trace, to be spoiled.
fn sound(parent: &Path) -> PathBuf {
    let ops = (0..200_u64).map(|at| moves(OpKind::Write, 1, at * 4096, 4096, 5000 + at * 2000));
    let ops = std::iter::once(create(0, 1, 0)).chain(ops);
    write_trace(parent, &named(&["reel.mov"]), ops)
}

/// Its only part.
fn part_of(trace: &Path) -> PathBuf {
    let agent = std::fs::read_dir(trace.join("ops")).unwrap().next().unwrap().unwrap().path();
    std::fs::read_dir(agent).unwrap().next().unwrap().unwrap().path()
}

#[test]
fn truncated_part_is_reported() {
    let around = Surroundings::new();
    let trace = sound(&around.beside("traces"));
    let part = part_of(&trace);
    let whole = std::fs::read(&part).unwrap();
    for cut in [0, 1, 7, whole.len() / 2, whole.len() - 1] {
        std::fs::write(&part, &whole[..cut]).unwrap();
        refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), "truncated");
        look_at(&trace);
    }
}

#[test]
fn damaged_parts_end_in_words() {
    require!(Need::Tool("python3"));
    let around = Surroundings::new();
    let trace = sound(&around.beside("traces"));
    let part = part_of(&trace);
    let whole = std::fs::read(&part).unwrap();
    let step = whole.len() / 60;
    for at in (4..whole.len()).step_by(step) {
        let mut spoiled = whole.clone();
        spoiled[at] ^= 0xff;
        std::fs::write(&part, &spoiled).unwrap();
        let (done, _) = replayed(&trace, &around, &[], Bounds::default());
        assert!(matches!(done.outcome.code, Some(0 | 2 | 3)), "at {at}: {}", done.outcome.said());
        assert!(done.peak_mib < MILLION_MIB, "at {at}: {} MiB", done.peak_mib);
    }
}

#[test]
fn arbitrary_trace_metadata_are_accepted() {
    let around = Surroundings::new();
    let trace = sound(&around.beside("traces"));
    let info = trace.join("trace.json");
    let nested = format!("{}{}", "[".repeat(1 << 20), "]".repeat(1 << 20));
    let utf16: Vec<u8> = "{\"trace_version\": 1}".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases: [(&[u8], &str); 7] = [
        (b"{\"trace_version\": 99}", "newer version"),
        (b"{}", "no trace_version"),
        (b"", "damaged"),
        (nested.as_bytes(), "damaged"),
        (&utf16, "damaged"),
        (b"{\"trace_version\": 1, \"name\": \"caf\xe9\"}", "damaged"),
        (b"{\"trace_version\": 1, \"ops\": -1}", "damaged"),
    ];
    for (text, why) in cases {
        std::fs::write(&info, text).unwrap();
        refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), why);
        look_at(&trace);
    }
}

#[test]
fn pipes_are_refused_without_waiting() {
    require!(Need::Tool("mkfifo"), Need::Tool("python3"));
    let around = Surroundings::new();
    for name in ["part", "trace.json", "run.toml"] {
        let trace = sound(&around.beside(name));
        let path = if name == "part" { part_of(&trace) } else { trace.join(name) };
        if name == "run.toml" {
            // A run, whose plan is read.
            std::fs::remove_file(trace.join("trace.json")).unwrap();
        } else {
            std::fs::remove_file(&path).unwrap();
        }
        reelgauge_tests::programs::tool(&format!("mkfifo {}", path.display()));
        if name == "run.toml" {
            let (done, _) = replayed(&trace, &around, &[], Bounds::default());
            done.outcome.expect_code(0);
        } else {
            refusal::refused(&replay(&trace, &around.target(), &[]), &around.target(), "regular file");
        }
    }
    // A plan without end, as a run's directory from elsewhere may have one, is not read into memory.
    let trace = sound(&around.beside("endless"));
    std::fs::remove_file(trace.join("trace.json")).unwrap();
    let plan = std::fs::File::create(trace.join("run.toml")).unwrap();
    plan.set_len(1 << 40).unwrap();
    let (done, _) = replayed(&trace, &around, &[], Bounds::default());
    assert!(done.peak_mib < MILLION_MIB, "{} MiB", done.peak_mib);
    done.outcome.expect_code(0);
}

#[test]
fn an_exported_log_stays_below_the_directory_in_which_it_is_replayed() {
    let scratch = Scratch::new();
    let names = named(&["../../../etc/passwd", "/etc/shadow", "etc/passwd", "a\nb read 0 1", "good"]);
    let files = names.len() as u32;
    let ops = (0..files).flat_map(|file| {
        let at_ns = u64::from(file) * 10_000;
        let write = OpRecord { file, ..moves(OpKind::Write, file, 0, 4096, at_ns + 2000) };
        [create(file, file, at_ns), write, op(OpKind::Close, file, file, at_ns + 4000)]
    });
    let trace = write_trace(scratch.path(), &names, ops);
    for format in ["fio2", "fio3"] {
        let words = [OsString::from("export"), (&trace).into(), "--format".into(), format.into()];
        let outcome = binary::run(words).expect_code(0);
        let word = if format == "fio3" { 1 } else { 0 };
        let lines = outcome.stdout.lines().skip(1);
        let said: std::collections::BTreeSet<&str> =
            lines.map(|line| line.split(' ').nth(word).unwrap()).collect();
        for name in &said {
            assert_eq!(reelgauge_trace::name::check(name), Ok(()), "{}", outcome.said());
        }
        assert_eq!(said.len(), names.len(), "each is a file of its own: {said:?}");
        assert!(said.contains("good") && said.contains("etc/shadow"), "{said:?}");
        assert!(outcome.stderr.contains("not safe"), "{}", outcome.said());
    }
}
