//! Whole replays on a real file system: the recorded operations are repeated, in the log as on disk,
//! with every driver and order; hostile traces touch nothing.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_analysis::{Note, Outcome, ReplayFacts};
use reelgauge_engine::area::Terms;
use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::test_records::op as made_up;
use reelgauge_record::{OpKind, OpRecord, OpenBits};
use reelgauge_runner::error::RunError;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::observer::Silent;
use reelgauge_runner::replay::{ReplayRequest, run_replay};
use reelgauge_runner::session::finished_run::Finished;
use reelgauge_trace::{Trace, TraceInfo, TraceWriter};
use reelgauge_workload::plan::{DriverChoice, PLAN_VERSION};
use reelgauge_workload::replay::{Pacing, ReplayOrder, ReplayPlan, ReplaySettings};
use reelgauge_workload::streams::AnyPlan;
use reelgauge_workload::units::Span;

const READ: OpenBits = OpenBits::READ;
const NEW: OpenBits = OpenBits(OpenBits::WRITE.0 | OpenBits::CREATE.0 | OpenBits::EXCLUSIVE.0);

/// A trace under construction; every operation is 50 µs after the previous one.
struct Teller {
    dir: tempfile::TempDir,
    writer: TraceWriter,
    now_ns: u64,
    handles: u32,
    thread: u32,
}

impl Teller {
    fn new() -> Teller {
        let dir = tempfile::tempdir().unwrap();
        let meta = LogMeta {
            run_ns: 0,
            agent: "test".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: vec!["memory-mapped I/O".to_owned()],
        };
        let writer = TraceWriter::create(dir.path(), "told", meta).unwrap();
        Teller { dir, writer, now_ns: 0, handles: 0, thread: 0 }
    }

    fn thread(&mut self, thread: u32) -> &mut Teller {
        self.thread = thread;
        self
    }

    fn op(&mut self, kind: OpKind, name: &str, change: impl FnOnce(&mut OpRecord)) -> &mut Teller {
        let file = self.writer.file(name).unwrap();
        let mut op = made_up(kind).on_file(file).on_stream(self.thread).at_ns(self.now_ns).took_ns(20_000);
        change(&mut op);
        self.now_ns += 50_000;
        self.writer.push(op).unwrap();
        self
    }

    fn open(&mut self, name: &str, bits: OpenBits) -> u32 {
        self.handles += 1;
        let transfer = self.handles;
        let kind = if bits.has(OpenBits::CREATE) { OpKind::Create } else { OpKind::Open };
        self.op(kind, name, |op| (op.len, op.transfer) = (bits.0, transfer));
        transfer
    }

    /// A read, write or similar operation at this offset, with these lengths.
    fn data(&mut self, kind: OpKind, name: &str, handle: u32, at: (u64, u32, u32)) -> &mut Teller {
        self.op(kind, name, |op| {
            (op.offset, op.len, op.done_len) = at;
            op.transfer = handle;
        })
    }

    fn whole(&mut self, kind: OpKind, name: &str, handle: u32, offset: u64, len: u32) -> &mut Teller {
        self.data(kind, name, handle, (offset, len, len))
    }

    fn finish(self) -> (PathBuf, tempfile::TempDir) {
        let trace = self.writer.finish(TraceInfo::default()).unwrap();
        (trace.dir().to_owned(), self.dir)
    }
}

/// Some of everything: an input, a temporary file that is renamed, directories, expected errors, and a
/// second thread that shares a file with the first.
fn some_of_everything() -> (PathBuf, tempfile::TempDir) {
    let mut tell = Teller::new();
    let input = tell.open("in/clip.ts", READ);
    tell.op(OpKind::Stat, "out/clip.mp4", |op| op.errno = 2);
    tell.op(OpKind::MakeDir, "out/parts/", |_| ());
    let part = tell.open("out/parts/1.tmp", NEW.with(READ));
    for at in 0..20u64 {
        tell.thread(0).whole(OpKind::Read, "in/clip.ts", input, at * 32_768, 32_768);
        tell.thread(1).whole(OpKind::Write, "out/parts/1.tmp", part, at * 30_000, 30_000);
    }
    tell.thread(0).data(OpKind::Read, "in/clip.ts", input, (20 * 32_768, 32_768, 777));
    tell.data(OpKind::Close, "in/clip.ts", input, (0, 0, 0));
    tell.thread(1).whole(OpKind::Read, "out/parts/1.tmp", part, 0, 30_000);
    tell.data(OpKind::Truncate, "out/parts/1.tmp", part, (500_000, 0, 0));
    tell.data(OpKind::Sync, "out/parts/1.tmp", part, (0, 0, 0));
    tell.data(OpKind::Close, "out/parts/1.tmp", part, (0, 0, 0));
    let target = u64::from(tell.writer.file("out/clip.mp4").unwrap());
    tell.op(OpKind::Rename, "out/parts/1.tmp", |op| op.offset = target);
    tell.op(OpKind::RemoveDir, "out/parts/", |_| ());
    tell.thread(0).op(OpKind::ReadDir, "out/", |_| ());
    tell.op(OpKind::Stat, "out/clip.mp4", |_| ());
    tell.op(OpKind::SetAttr, "out/clip.mp4", |_| ());
    tell.op(OpKind::Truncate, "out/clip.mp4", |op| op.offset = 100);
    tell.op(OpKind::Unlink, "in/clip.ts", |_| ());
    tell.finish()
}

fn plan(trace: &Path, target: &Path) -> ReplayPlan {
    ReplayPlan {
        plan_version: PLAN_VERSION,
        written_by: "a test".to_owned(),
        target: target.to_owned(),
        seed: 11,
        driver: DriverChoice::Threads,
        hang_after: Span::secs(30),
        log: true,
        tags: Vec::new(),
        storage: reelgauge_record::notes::StorageDetails::default(),
        replay: ReplaySettings { trace: trace.to_owned(), pace: Pacing::Max, ..ReplaySettings::default() },
    }
}

struct Folders {
    target: tempfile::TempDir,
    out: tempfile::TempDir,
}

impl Folders {
    fn new() -> Folders {
        Folders { target: tempfile::tempdir().unwrap(), out: tempfile::tempdir().unwrap() }
    }

    fn run(&self, plan: ReplayPlan) -> Result<Finished, RunError> {
        let request = ReplayRequest {
            plan,
            out: self.out.path().to_owned(),
            terms: Terms::default(),
            is_announced: false,
        };
        run_replay(request, &mut Silent, &Interrupt::default())
    }

    #[track_caller]
    fn replay(&self, trace: &Path, change: impl FnOnce(&mut ReplayPlan)) -> (Finished, ReplayFacts) {
        let mut plan = plan(trace, self.target.path());
        change(&mut plan);
        let finished = self.run(plan).unwrap();
        assert_eq!(finished.summary.outcome, Outcome::Complete, "{:?}", finished.summary.outcome_reason);
        let facts = finished.summary.replay.clone().unwrap();
        (finished, facts)
    }
}

type Row = (OpKind, String, u64, u32);

/// The operations of every thread, in its order. A rename's offset is the number of its new name.
fn rows(dir: &Path) -> BTreeMap<(u32, u32), Vec<Row>> {
    let trace = Trace::open(dir).unwrap();
    let name = |file: u32| trace.files()[file as usize].path.trim_end_matches('/').to_owned();
    let mut ops: Vec<OpRecord> = trace.batches().flat_map(Result::unwrap).collect();
    ops.sort_by_key(|op| (op.issued_ns, op.done_ns));
    let mut rows: BTreeMap<_, Vec<Row>> = BTreeMap::new();
    for op in ops {
        let (file, offset) = match op.kind {
            OpKind::Rename => (format!("{} {}", name(op.file), name(op.offset as u32)), 0),
            _ => (name(op.file), op.offset),
        };
        rows.entry((op.worker, op.stream)).or_default().push((op.kind, file, offset, op.len));
    }
    rows
}

/// Replays a trace and the replay, and compares all three logs.
#[track_caller]
fn assert_round_trip(driver: DriverChoice, order: ReplayOrder, pace: Pacing) {
    let (trace, _dir) = some_of_everything();
    let folders = Folders::new();
    let set = |plan: &mut ReplayPlan| {
        plan.driver = driver;
        plan.replay.order = order;
        plan.replay.pace = pace;
    };
    let (first, facts) = folders.replay(&trace, set);
    assert_eq!(facts.passes[0].differences, [""; 0], "{driver:?} {order:?}");
    assert!(facts.passes[0].complete);
    assert_eq!(rows(&first.run_dir), rows(&trace), "{driver:?} {order:?}");
    let (second, facts) = folders.replay(&first.run_dir, set);
    assert_eq!(facts.passes[0].different_ops, 0, "{:?}", facts.passes[0].differences);
    assert_eq!(rows(&second.run_dir), rows(&first.run_dir), "{driver:?} {order:?}");
}

#[test]
fn recorded_operations_are_repeated_and_a_replay_is_a_trace() {
    assert_round_trip(DriverChoice::Threads, ReplayOrder::Resources, Pacing::Max);
    assert_round_trip(DriverChoice::Threads, ReplayOrder::Serial, Pacing::Recorded);
    assert_round_trip(DriverChoice::Threads, ReplayOrder::Resources, Pacing::Think);
}

#[cfg(target_os = "linux")]
#[test]
fn io_uring_does_the_same() {
    assert_round_trip(DriverChoice::Uring, ReplayOrder::Resources, Pacing::Max);
    assert_round_trip(DriverChoice::Uring, ReplayOrder::Serial, Pacing::Max);
}

#[test]
fn images_are_removed_afterwards_and_a_second_replay_makes_new_ones() {
    let (trace, _dir) = some_of_everything();
    let folders = Folders::new();
    for _ in 0..2 {
        // The output is created exclusively: if the old file existed, that would fail.
        let (_, facts) = folders.replay(&trace, |_| ());
        assert_eq!(facts.passes[0].different_ops, 0, "{:?}", facts.passes[0].differences);
        assert_eq!((facts.prepared_files, facts.prepared_bytes), (1, 20 * 32_768 + 777));
        assert!(!folders.target.path().join("reelgauge-area/scratch").exists());
    }
}

#[test]
fn a_plan_repeats_its_run() {
    let (trace, _dir) = some_of_everything();
    let folders = Folders::new();
    let (first, _) = folders.replay(&trace, |plan| plan.replay.order = ReplayOrder::Serial);
    let text = fs::read_to_string(first.run_dir.join("run.toml")).unwrap();
    let AnyPlan::Replay(plan) = AnyPlan::from_toml(&text).unwrap() else { panic!("{text}") };
    assert_eq!(plan.replay.trace, trace);
    let second = folders.run(plan).unwrap();
    assert_eq!(rows(&second.run_dir), rows(&first.run_dir));
    assert_eq!(second.summary.seed, first.summary.seed);
}

#[test]
fn users_and_passes_have_files_of_their_own() {
    let (trace, _dir) = some_of_everything();
    let folders = Folders::new();
    let (finished, facts) = folders.replay(&trace, |plan| {
        plan.replay.copies = 3;
        plan.replay.batch = 2;
        plan.replay.stagger = Some(Span(5_000_000));
    });
    assert_eq!(facts.passes.len(), 2);
    assert!(facts.passes.iter().all(|pass| pass.complete && pass.different_ops == 0), "{facts:?}");
    assert_eq!(finished.summary.load_points.len(), 2);
    let one = rows(&trace);
    let each: usize = one.values().map(Vec::len).sum();
    assert_eq!(facts.passes[0].done_ops, 3 * each as u64);
    let all = rows(&finished.run_dir);
    assert_eq!(all.values().map(Vec::len).sum::<usize>(), 6 * each);
    let names = all.values().flatten().map(|row| row.1.clone());
    let unlinked: std::collections::BTreeSet<String> =
        names.filter(|name| name.ends_with("in/clip.ts")).collect();
    assert_eq!(unlinked.len(), 6, "{unlinked:?}");
    assert!(unlinked.contains("pass-2/copy-0003/in/clip.ts"));
    let rates: Vec<f64> = facts.passes.iter().filter_map(|pass| pass.bytes_per_s).collect();
    assert_eq!(facts.median_bytes_per_s, Some((rates[0] + rates[1]) / 2.0));
}

#[test]
fn different_results_are_counted_and_shown() {
    let mut tell = Teller::new();
    let file = tell.writer.file("a").unwrap();
    let entry = tell.writer.entry(file).unwrap();
    (entry.existed_before, entry.size_before_bytes) = (true, Some(100));
    let handle = tell.open("a", READ);
    tell.whole(OpKind::Read, "a", handle, 0, 4096);
    tell.data(OpKind::Close, "a", handle, (0, 0, 0));
    tell.op(OpKind::Unlink, "a", |op| op.errno = 13);
    let (trace, _dir) = tell.finish();
    let (_, facts) = Folders::new().replay(&trace, |_| ());
    let pass = &facts.passes[0];
    assert_eq!(pass.different_ops, 2);
    assert_eq!(
        pass.differences[0],
        "operation 1, read of a at 0: result 100 of 4096 bytes, recorded result 4096 of 4096 bytes"
    );
    assert!(
        pass.differences[1].contains("unlink of a: result done, recorded result EACCES"),
        "{}",
        pass.differences[1]
    );
}

#[test]
fn files_that_were_in_use_before_the_trace_are_there_and_open() {
    let mut tell = Teller::new();
    tell.whole(OpKind::Read, "a", 5, 0, 100).whole(OpKind::Write, "b", 6, 0, 100);
    tell.data(OpKind::Close, "a", 5, (0, 0, 0));
    let (trace, _dir) = tell.finish();
    let folders = Folders::new();
    let (first, facts) = folders.replay(&trace, |_| ());
    assert_eq!(facts.passes[0].different_ops, 0, "{:?}", facts.passes[0].differences);
    assert!(facts.remarks.iter().any(|remark| remark.contains("opened before it")), "{:?}", facts.remarks);
    // The additions of the replay are part of it: the next adds nothing.
    let kinds: Vec<OpKind> = rows(&first.run_dir).values().flatten().map(|row| row.0).collect();

    let wanted = [OpKind::Open, OpKind::Read, OpKind::Create, OpKind::Write, OpKind::Close];
    assert_eq!(kinds, wanted);
    let (second, _) = folders.replay(&first.run_dir, |_| ());
    assert_eq!(rows(&second.run_dir), rows(&first.run_dir));
}

#[test]
fn direct_is_used_where_it_was_recorded_and_is_possible() {
    let mut tell = Teller::new();
    let aligned = tell.open("aligned", READ.with(OpenBits::DIRECT));
    let odd = tell.open("odd", READ.with(OpenBits::DIRECT));
    tell.whole(OpKind::Read, "aligned", aligned, 4096, 8192).whole(OpKind::Read, "odd", odd, 100, 8192);
    let (trace, _dir) = tell.finish();
    let (finished, facts) = Folders::new().replay(&trace, |_| ());
    assert_eq!(facts.passes[0].different_ops, 0, "{:?}", facts.passes[0].differences);
    assert_eq!(finished.summary.effective_mode.asked, "direct");
    let notes: String = finished.summary.notes.iter().map(Note::text).collect();
    assert!(notes.contains("of 2 opens"), "{notes}");
}

/// Refused before anything is done: exit status 2, and nothing made anywhere.
#[track_caller]
fn assert_refused(said: &str, tell: impl FnOnce(&mut Teller)) {
    let mut teller = Teller::new();
    tell(&mut teller);
    let (trace, _dir) = teller.finish();
    let folders = Folders::new();
    let error = folders.run(plan(&trace, folders.target.path())).unwrap_err();
    assert_eq!(error.exit_code(), 2, "{error}");
    assert!(error.to_string().contains(said), "{error}");
    assert_eq!(fs::read_dir(folders.target.path()).unwrap().count(), 0);
    assert_eq!(fs::read_dir(folders.out.path()).unwrap().count(), 0);
}

#[test]
fn hostile_traces_are_refused_before_anything_is_touched() {
    for name in ["../../escape", "/etc/escape", "a/../../escape", "a\0b", "\\\\server\\share", "c:\\escape"] {
        assert_refused("must be relative paths", |tell| {
            tell.open(name, NEW);
        });
    }
    assert_refused("beyond the largest possible file", |tell| {
        let handle = tell.open("a", NEW);
        tell.whole(OpKind::Write, "a", handle, i64::MAX as u64, 10);
    });
    assert_refused("free", |tell| {
        let file = tell.writer.file("huge").unwrap();
        let entry = tell.writer.entry(file).unwrap();
        (entry.existed_before, entry.size_before_bytes) = (true, Some(1 << 62));
        tell.open("huge", READ);
    });
    assert_refused("files open at once", |tell| {
        for _ in 0..40_000 {
            tell.open("a", READ);
        }
    });
    assert_refused("a file and a directory", |tell| {
        let a = tell.open("a", READ);
        let b = tell.open("a/b", READ);
        tell.whole(OpKind::Read, "a", a, 0, 1).whole(OpKind::Read, "a/b", b, 0, 1);
    });
    assert_refused("nothing in the trace", |tell| {
        tell.op(OpKind::Other, "a", |_| ());
    });
}

#[test]
fn operations_without_equivalent_are_omitted_and_reported() {
    let mut tell = Teller::new();
    tell.op(OpKind::Other, "link", |_| ());
    let handle = tell.open("link", READ.with(OpenBits::WRITE));
    tell.whole(OpKind::Write, "link", handle, 0, 10);
    let (trace, _dir) = tell.finish();
    let (_, facts) = Folders::new().replay(&trace, |_| ());
    assert_eq!(facts.left_out.values().sum::<u64>(), 1);
    assert_eq!(facts.passes[0].different_ops, 0);
}

#[test]
fn a_file_that_is_no_trace_is_refused() {
    let folders = Folders::new();
    let empty = tempfile::tempdir().unwrap();
    let error = folders.run(plan(empty.path(), folders.target.path())).unwrap_err();
    assert_eq!(error.exit_code(), 2);
    assert!(error.to_string().contains("neither a trace nor a run"), "{error}");
}
