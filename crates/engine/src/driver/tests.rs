//! Runs every driver against real files. All share the same tests, because a script must not be able to
//! distinguish them.

#![allow(clippy::unwrap_used)]

mod defects;
#[cfg(unix)]
mod second_name;
#[cfg(unix)]
mod traced;

use std::collections::HashMap;
use std::fs;
#[cfg(unix)]
use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use reelgauge_workload::script::{OpenMode, Step};

use super::*;
use crate::area::AreaDir;
use crate::pattern::{FILL_WRITER, Stamp};
use crate::verify::{Patterns, verify_files};

const MS: u64 = 1_000_000;
const SPEC: PatternSpec = PatternSpec { seed: 5, unit_bytes: 4096 };
const FILE_BYTES: u64 = 1 << 20;

/// The data read in a test, by the stream number that the test chose for itself.
static SEEN: Mutex<Option<HashMap<u32, Seen>>> = Mutex::new(None);

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Seen {
    right_bytes: u64,
    wrong_units: u64,
}

/// The stream whose reads end in a panic.
const DEADLY: u32 = u32::MAX - 1;

/// The drivers call it with the data of a read.
pub(super) fn look_at(op: &Op, bytes: &[u8]) {
    assert_ne!(op.stream, DEADLY, "a defect, made for a test");
    let mut seen = Seen::default();
    for (number, unit) in bytes.chunks(4096).enumerate() {
        let mut must = [0; 4096];
        let must = &mut must[..unit.len()];
        match Stamp::read(SPEC, unit) {
            Some(stamp) if stamp.file == op.file && stamp.unit == op.offset / 4096 + number as u64 => {
                stamp.rebuild(SPEC, must);
            }
            _ => {}
        }
        if must == unit {
            seen.right_bytes += unit.len() as u64;
        } else {
            seen.wrong_units += 1;
        }
    }
    let mut all = SEEN.lock().unwrap();
    let total = all.get_or_insert_default().entry(op.stream).or_default();
    total.right_bytes += seen.right_bytes;
    total.wrong_units += seen.wrong_units;
}

fn seen(stream: u32) -> Seen {
    SEEN.lock().unwrap().get_or_insert_default().remove(&stream).unwrap_or_default()
}

/// Starts workers on a driver.
type Start<S> = fn(Vec<Worker<S>>, &Arc<Context>) -> Result<Running<S, Kept>, DriverError>;

fn sinks(kind: DriverKind, workers: usize) -> Vec<Kept> {
    (0..threads_for(kind, workers)).map(|_| Kept(Vec::with_capacity(1 << 16))).collect()
}

/// The drivers of this platform, each with its name.
fn drivers<S: Script + 'static>() -> Vec<(&'static str, Start<S>)> {
    vec![
        ("threads", |workers, context| {
            let sinks = sinks(DriverKind::Threads, workers.len());
            start(DriverKind::Threads, workers, sinks, context)
        }),
        #[cfg(target_os = "linux")]
        ("uring", |workers, context| {
            let sinks = sinks(DriverKind::Uring, workers.len());
            start(DriverKind::Uring, workers, sinks, context)
        }),
    ]
}

/// A sink that keeps every record.
struct Kept(Vec<OpRecord>);

impl Sink for Kept {
    fn record(&mut self, op: &OpRecord) {
        self.0.push(*op);
    }
}

/// A folder with three stamped files, and the context of a load point on them.
struct Bench {
    _folder: tempfile::TempDir,
    context: Arc<Context>,
}

impl Bench {
    fn new(change: impl FnOnce(&mut Context)) -> Bench {
        let folder = tempfile::tempdir().unwrap();
        let mut fill = WriteData::new(SPEC, FILL_WRITER, FILE_BYTES as usize).unwrap();
        let mut files = Vec::new();
        for number in 0..3 {
            let path = folder.path().join(format!("file {number}"));
            let stamped = fill.stamp(number, 0, FILE_BYTES as usize);
            fs::write(&path, fill.slice(&stamped, FILE_BYTES as usize)).unwrap();
            files.push(TargetFile { path, size_bytes: FILE_BYTES });
        }
        let mut context = Context {
            clock: Clock::start(),
            area: Some(AreaDir::open(folder.path()).unwrap()),
            files,
            read_only: ReadOnly::default(),
            pattern: SPEC,
            write_map: None,
            point: 0,
            window: Window::new(0, 60_000 * MS),
            stop: AtomicBool::new(false),
            throttle: None,
            internal_store: None,
        };
        change(&mut context);
        Bench { _folder: folder, context: Arc::new(context) }
    }
}

#[cfg(unix)]
impl Bench {
    /// With further files in the table: a missing one, the folder, a link, and a name for a new one.
    fn with_odd_files() -> Bench {
        Bench::with_odd_files_and(&[])
    }

    /// With the same and further names.
    fn with_odd_files_and(further: &[&str]) -> Bench {
        Bench::new(|context| {
            let folder = context.files[0].path.parent().unwrap().to_owned();
            let link = folder.join("link");
            std::os::unix::fs::symlink(&context.files[0].path, &link).unwrap();
            let odd = [folder.join("missing"), folder.clone(), link, folder.join("new")];
            for path in odd.into_iter().chain(further.iter().map(|name| folder.join(name))) {
                context.files.push(TargetFile { path, size_bytes: 0 });
            }
        })
    }

    fn folder(&self) -> &Path {
        self._folder.path()
    }
}

/// The complete result of a load point.
struct Ended<S> {
    workers: Vec<Worker<S>>,
    records: Vec<OpRecord>,
    finished_scripts: u32,
    failures: Vec<DriverError>,
    notes: Vec<String>,
}

/// Waits for all threads, and checks the rules of every load point.
fn wait<S>(running: &Running<S, Kept>, context: &Context) -> Ended<S> {
    let mut ended = Ended {
        workers: Vec::new(),
        records: Vec::new(),
        finished_scripts: 0,
        failures: Vec::new(),
        notes: Vec::new(),
    };
    while let Ok(end) = running.next_end(Duration::from_secs(60)) {
        let end = end.expect("a driver thread must end within a minute");
        ended.workers.extend(end.workers);
        ended.records.extend(end.sink.0);
        ended.finished_scripts += end.finished_scripts;
        ended.failures.extend(end.failure);
        ended.notes.extend(end.notes);
    }
    ended.workers.sort_by_key(|worker| worker.id);
    for record in &ended.records {
        assert!(record.due_ns <= record.issued_ns, "issued before it was due: {record:?}");
        assert!(record.issued_ns <= record.done_ns, "done before it was issued: {record:?}");
        assert!(record.issued_ns < context.window.end_ns(), "begun after the end: {record:?}");
        assert_eq!(record.point, context.point);
    }
    for heartbeat in &running.heartbeats {
        assert_eq!(heartbeat.stuck_for(u64::MAX - 1), None);
    }
    ended
}

fn run<S: Script + 'static>(start: Start<S>, workers: Vec<Worker<S>>, bench: &Bench) -> Ended<S> {
    let running = start(workers, &bench.context).unwrap();
    wait(&running, &bench.context)
}

/// Performs the operations of a list, sequentially or several at a time.
struct Listed {
    steps: Vec<Step>,
    next: usize,
    in_flight: u16,
    flying: u16,
    most_flying: u16,
    max_len: u32,
    handles: u16,
    writes: bool,
    /// Whether operations that neither open, close nor move data may overlap with reads.
    overlaps: bool,
    resumed_ns: Vec<u64>,
    done: Vec<Done>,
}

impl Listed {
    fn new(steps: impl IntoIterator<Item = Step>) -> Listed {
        Listed {
            steps: steps.into_iter().collect(),
            next: 0,
            in_flight: 1,
            flying: 0,
            most_flying: 0,
            max_len: 65536,
            handles: 2,
            writes: false,
            overlaps: false,
            resumed_ns: Vec::new(),
            done: Vec::new(),
        }
    }

    fn one(self) -> Vec<Worker<Listed>> {
        vec![Worker { id: 0, script: self }]
    }
}

impl Script for Listed {
    fn needs(&self) -> Needs {
        let Listed { handles, in_flight, max_len, writes, .. } = *self;
        Needs { handles, in_flight, max_len, writes }
    }

    fn next(&mut self, _now_ns: u64) -> Step {
        // Only reads, writes and syncs overlap.
        let step = self.steps.get(self.next).copied().unwrap_or(Step::Finished);
        let before = self.next.checked_sub(1).and_then(|before| self.steps.get(before));
        let alone = |step: &Step| match step {
            Step::Do(Op { kind: OpKind::Open | OpKind::Create | OpKind::Close, .. }) => true,
            Step::Do(op) => !(op.kind.moves_data() || op.kind == OpKind::Sync || self.overlaps),
            _ => false,
        };
        if self.flying > 0 && (alone(&step) || before.is_some_and(alone) || step == Step::Finished) {
            return Step::Blocked;
        }
        self.next += 1;
        if let Step::Do(_) = step {
            self.flying += 1;
            self.most_flying = self.most_flying.max(self.flying);
        }
        step
    }

    fn done(&mut self, done: &Done) {
        self.flying -= 1;
        self.done.push(*done);
    }

    fn resume(&mut self, now_ns: u64) {
        self.resumed_ns.push(now_ns);
        self.flying = 0;
    }
}

pub(super) fn op(kind: OpKind) -> Op {
    Op {
        kind,
        handle: 0,
        file: 0,
        offset: 0,
        len: if kind.moves_data() { 4096 } else { 0 },
        due_ns: 0,
        transfer: 0,
        stream: 0,
        flags: OpFlags::NONE,
        open: OpenMode::default(),
        token: 0,
    }
}

const WRITE: OpenMode = OpenMode { write: true, ..OpenMode::READ };

/// Opens a file, reads at random positions, closes it, and repeats.
fn random_reads(seed: u64, stream: u32, count: usize) -> Vec<Step> {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |limit: u64| dice.next_u64() % limit;
    let mut steps = Vec::new();
    while steps.len() < count {
        let file = below(3) as u32;
        steps.push(Step::Do(Op { file, ..op(OpKind::Open) }));
        for _ in 0..below(20) {
            let offset = 4096 * below(FILE_BYTES / 4096);
            let len = 4096 * (1 + below(16)) as u32;
            steps.push(Step::Do(Op { file, offset, len, stream, ..op(OpKind::Read) }));
        }
        steps.push(Step::Do(Op { file, ..op(OpKind::Close) }));
    }
    steps
}

/// The data that the reads of these records must return. Short reads end at the end of the file.
fn expected(records: &[OpRecord]) -> Seen {
    let mut right_bytes = 0;
    for record in records {
        assert_eq!(record.errno, 0, "{record:?}");
        if record.kind == OpKind::Read {
            assert_eq!(u64::from(record.done_len), u64::from(record.len).min(FILE_BYTES - record.offset));
            right_bytes += u64::from(record.done_len);
        }
    }
    Seen { right_bytes, wrong_units: 0 }
}

/// Runs random reads. `stream` must be the caller's own.
fn check_random_reads(name: &str, start: Start<Listed>, stream: u32, in_flight: u16) -> Vec<String> {
    check_random_reads_on(&Bench::new(|_| {}), name, start, stream, in_flight).notes
}

/// Like [`check_random_reads`], in this load point.
fn check_random_reads_on(
    bench: &Bench,
    name: &str,
    start: Start<Listed>,
    stream: u32,
    in_flight: u16,
) -> Ended<Listed> {
    let workers = (0..9)
        .map(|id| {
            let steps = random_reads(u64::from(id), stream, 300);
            // Drivers handle the memory of readers and of writers differently.
            Worker { id, script: Listed { in_flight, writes: id % 2 == 1, ..Listed::new(steps) } }
        })
        .collect();
    let ended = run(start, workers, bench);
    assert_eq!((ended.finished_scripts, ended.failures.len()), (9, 0), "{name}");
    assert_eq!(seen(stream), expected(&ended.records), "{name}");
    for worker in &ended.workers {
        let steps = worker.script.steps.len();
        assert_eq!(worker.script.done.len(), steps, "{name}");
        let of_worker = || ended.records.iter().filter(|record| record.worker == worker.id);
        assert_eq!(of_worker().count(), steps, "{name}");
        if in_flight == 1 {
            for (record, step) in of_worker().zip(&worker.script.steps) {
                let Step::Do(asked) = step else { panic!("{step:?}") };
                let got = (record.kind, record.file, record.offset, record.len);
                assert_eq!(got, (asked.kind, asked.file, asked.offset, asked.recorded_len()), "{name}");
            }
        }
        assert!(worker.script.most_flying <= in_flight, "{name}");
    }
    if in_flight > 1 {
        let most = ended.workers.iter().map(|worker| worker.script.most_flying).max();
        assert_eq!(most, Some(in_flight), "{name}: never so many in flight");
    }
    ended
}

#[test]
fn no_more_bytes_a_second_are_moved_than_the_throttle_lets_through() {
    const BYTES_PER_S: u64 = 100_000_000;
    for (number, (name, start)) in drivers().into_iter().enumerate() {
        for in_flight in [1, 4] {
            let throttle = Throttle::new(BYTES_PER_S.try_into().unwrap());
            let bench = Bench::new(|context| context.throttle = Some(throttle));
            let stream = 400 + 10 * number as u32 + u32::from(in_flight);
            let ended = check_random_reads_on(&bench, name, start, stream, in_flight);
            let asked =
                |record: &OpRecord| if record.kind == OpKind::Read { u64::from(record.len) } else { 0 };
            let bytes: u64 = ended.records.iter().map(asked).sum();
            let last_ns = ended.records.iter().map(|record| record.issued_ns).max().unwrap();
            let time_ns = last_ns - bench.context.window.begun_ns();
            // The permitted lead, and one operation.
            let allowed = u128::from(time_ns + 20 * MS) * u128::from(BYTES_PER_S) / 1_000_000_000 + 65_536;
            assert!(u128::from(bytes) <= allowed, "{name}: {bytes} in {time_ns} ns");
            assert!(bytes > BYTES_PER_S / 4, "{name}: too few to see anything: {bytes}");
            assert!(bench.context.throttle.as_ref().unwrap().held_operations() > 0, "{name}");
        }
    }
}

#[test]
fn waits_for_the_throttle_mark_parts_of_frames_and_move_the_due_times_of_others() {
    for (name, start) in drivers() {
        for in_flight in [1, 4] {
            // Slower than any busy host reads from its cache.
            let throttle = Throttle::new(20_000_000.try_into().unwrap());
            let bench = Bench::new(|context| context.throttle = Some(throttle));
            let mut steps = random_reads(7, 480, 300);
            let reads = steps.iter_mut().filter_map(|step| match step {
                Step::Do(op) if op.kind == OpKind::Read => Some(op),
                _ => None,
            });
            reads.step_by(2).for_each(|op| op.flags = OpFlags::FRAME);
            let ended = run(start, Listed { in_flight, ..Listed::new(steps) }.one(), &bench);
            let reads = ended.records.iter().filter(|record| record.kind == OpKind::Read);
            let (frames, others): (Vec<&OpRecord>, Vec<&OpRecord>) =
                reads.partition(|record| record.flags.has(OpFlags::FRAME));
            assert!(frames.iter().any(|record| record.flags.has(OpFlags::RATE_LIMITED)), "{name}");
            assert!(frames.iter().all(|record| record.due_ns == 0), "{name}: their deadlines do not move");
            assert!(others.iter().any(|record| record.due_ns > 0), "{name}");
            assert!(others.iter().all(|record| !record.flags.is_copied()), "{name}");
        }
    }
}

#[test]
fn throttled_operations_end_with_the_load_point() {
    for (name, start) in drivers() {
        for in_flight in [1, 4] {
            let throttle = Throttle::new(1_000.try_into().unwrap());
            let bench = Bench::new(|context| {
                context.throttle = Some(throttle);
                context.window = Window::new(0, 300 * MS);
            });
            let steps = random_reads(1, 490, 300);
            let ended = run(start, Listed { in_flight, ..Listed::new(steps) }.one(), &bench);
            assert_eq!((ended.finished_scripts, ended.failures.len()), (0, 0), "{name}");
            let reads = ended.records.iter().filter(|record| record.kind == OpKind::Read).count();
            assert_eq!(reads, 1, "{name}: the second waits for seconds");
        }
    }
}

#[test]
fn reads_bring_the_right_bytes() {
    for (number, (name, start)) in drivers().into_iter().enumerate() {
        check_random_reads(name, start, 100 + number as u32, 1);
    }
}

#[test]
fn several_in_flight_bring_the_right_bytes_too() {
    for (number, (name, start)) in drivers().into_iter().enumerate() {
        check_random_reads(name, start, 200 + number as u32, 4);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn io_uring_works_with_every_feature_withheld() {
    fn forced(
        ladder: uring::Ladder,
        workers: Vec<Worker<Listed>>,
        context: &Arc<Context>,
    ) -> Running<Listed, Kept> {
        let sinks = sinks(DriverKind::Uring, workers.len());
        uring::start(workers, sinks, context, ladder).unwrap()
    }
    macro_rules! rungs {
        ($($rung:literal)*) => {
            [$(|workers, context| Ok(forced(uring::Ladder::from_rung($rung), workers, context))),*]
        };
    }
    let rungs: [Start<Listed>; 5] = rungs!(0 1 2 3 4);
    let mut names = Vec::new();
    for (rung, start) in rungs.into_iter().enumerate() {
        let notes = check_random_reads("rung", start, 300 + rung as u32, 1);
        assert!(notes[0].contains("buffers registered; files registered"), "{notes:?}");
        names.push(notes[0].clone());
    }
    names.dedup();
    assert_eq!(names.len(), 5, "each rung has its own name: {names:?}");
    let bare: Start<Listed> = |workers, context| Ok(forced(uring::Ladder::BARE, workers, context));
    let notes = check_random_reads("bare", bare, 310, 4);
    assert!(
        notes[0].contains("buffers not registered; files not registered")
            && notes[0].contains("ring not registered"),
        "{notes:?}"
    );
    let refused = uring::Ladder::from_rung(5);
    let error =
        uring::start(Listed::new([]).one(), vec![Kept(Vec::new())], &Bench::new(|_| {}).context, refused);
    assert!(matches!(error, Err(DriverError::UringSetup { .. })));
}

/// Opens a file of the table with a handle.
#[cfg(unix)]
fn opening(file: u32, handle: u16) -> Op {
    let open = OpenMode { write: file == A_FOLDER, ..OpenMode::default() };
    Op { file, handle, open, ..op(OpKind::Open) }
}

/// Reads at a position with a handle.
#[cfg(unix)]
fn reading(handle: u16, offset: u64, len: u32) -> Op {
    Op { handle, offset, len, ..op(OpKind::Read) }
}

// The files of the table after the three stamped ones, in the test of errors.
#[cfg(unix)]
const MISSING: u32 = 3;
#[cfg(unix)]
const A_FOLDER: u32 = 4;
#[cfg(unix)]
const A_LINK: u32 = 5;

/// Operations with the error number and length that each must return.
#[cfg(unix)]
fn failing_operations() -> Vec<(Op, i32, u32)> {
    use rustix::io::Errno;
    let failed = |op, errno: Errno| (op, errno.raw_os_error(), 0);
    vec![
        failed(opening(MISSING, 0), Errno::NOENT),
        failed(reading(0, 0, 4096), Errno::BADF),
        failed(op(OpKind::Close), Errno::BADF),
        failed(op(OpKind::Sync), Errno::BADF),
        failed(opening(A_FOLDER, 0), Errno::ISDIR),
        failed(opening(A_LINK, 0), Errno::LOOP),
        failed(opening(0, 2), Errno::BADF),
        failed(opening(7, 0), Errno::INVAL),
        (opening(0, 0), 0, 0),
        failed(opening(0, 0), Errno::INVAL),
        (reading(0, 0, 4096), 0, 4096),
        (reading(0, FILE_BYTES - 100, 4096), 0, 100),
        (reading(0, FILE_BYTES + 4096, 4096), 0, 0),
        failed(reading(0, 0, 65537), Errno::INVAL),
        failed(reading(1, 0, 4096), Errno::BADF),
        failed(op(OpKind::Write), Errno::BADF),
        (op(OpKind::Sync), 0, 0),
        (op(OpKind::Close), 0, 0),
        failed(reading(0, 0, 4096), Errno::BADF),
    ]
}

#[cfg(unix)]
#[test]
fn errors_are_results_and_the_same_for_all() {
    for (name, start) in drivers() {
        let bench = Bench::with_odd_files();
        let cases = failing_operations();
        let steps = (0..).zip(&cases).map(|(token, (op, ..))| Step::Do(Op { token, ..*op }));
        let script = Listed { writes: true, ..Listed::new(steps) };
        let ended = run(start, script.one(), &bench);
        let done = &ended.workers[0].script.done;
        assert_eq!(done.len(), cases.len(), "{name}");
        for (number, (op, errno, done_len)) in cases.iter().enumerate() {
            let record = ended.records[number];
            let got = (record.errno, record.done_len);
            assert_eq!(got, (*errno, *done_len), "{name}: {op:?}");
            let told = Done {
                token: number as u32,
                due_ns: record.due_ns,
                issued_ns: record.issued_ns,
                done_ns: record.done_ns,
                done_len: *done_len,
                errno: *errno,
            };
            assert_eq!(done[number], told, "{name}: {op:?}");
        }
        let missing = bench.folder().join("missing");
        assert!(!missing.exists(), "{name}: nothing is ever created");
    }
}

/// Operations on a read-only file, with the expected results.
#[cfg(unix)]
fn operations_on_what_is_only_read() -> Vec<(Op, i32, u32)> {
    let refused = |op| (op, rustix::io::Errno::INVAL.raw_os_error(), 0);
    let opened = |open| Op { open, ..op(OpKind::Open) };
    let mut cases = vec![
        refused(opened(WRITE)),
        refused(opened(OpenMode { write_only: true, ..OpenMode::READ })),
        refused(opened(OpenMode { append: true, ..OpenMode::READ })),
        refused(op(OpKind::Create)),
        refused(Op { open: OpenMode { keep: true, ..WRITE }, ..op(OpKind::Create) }),
        refused(Op { handle: Op::BY_PATH, ..op(OpKind::Truncate) }),
        // A rename to another name, and a rename over it.
        refused(Op { offset: 1, ..op(OpKind::Rename) }),
        refused(Op { file: 1, offset: 0, ..op(OpKind::Rename) }),
    ];
    cases.extend([OpKind::Unlink, OpKind::SetAttr, OpKind::MakeDir, OpKind::RemoveDir].map(op).map(refused));
    cases.extend([(op(OpKind::Stat), 0, 0), (op(OpKind::Access), 0, 0), (op(OpKind::Open), 0, 0)]);
    cases.push((op(OpKind::Read), 0, 4096));
    cases.extend([OpKind::Write, OpKind::Truncate, OpKind::Allocate].map(op).map(refused));
    cases.push((op(OpKind::Close), 0, 0));
    cases
}

#[cfg(unix)]
#[test]
fn read_only_files_are_only_read() {
    for (name, start) in drivers() {
        let bench = Bench::new(|context| context.read_only.add(0));
        let files = [0, 1].map(|file: usize| bench.context.files[file].path.clone());
        let before = files.clone().map(|path| fs::read(path).unwrap());
        let cases = operations_on_what_is_only_read();
        let steps = (0..).zip(&cases).map(|(token, (op, ..))| Step::Do(Op { token, ..*op }));
        let script = Listed { writes: true, ..Listed::new(steps) };
        let ended = run(start, script.one(), &bench);
        assert_eq!(ended.records.len(), cases.len(), "{name}");
        for ((op, errno, done_len), record) in cases.iter().zip(&ended.records) {
            assert_eq!((record.errno, record.done_len), (*errno, *done_len), "{name}: {op:?}");
        }
        assert!(files.map(|path| fs::read(path).unwrap()) == before, "{name}");
    }
}

/// The operation on a file of the table.
#[cfg(unix)]
fn on(kind: OpKind, file: u32) -> Op {
    Op { file, ..op(kind) }
}

/// Operations on a new file, on a directory, and on other entries, with the error number and length that
/// each must return. File 6 is the folder's `new`, which does not exist at first.
#[cfg(unix)]
fn operations_by_path() -> Vec<(Op, i32, u32)> {
    use rustix::io::Errno;
    const NEW: u32 = 6;
    let failed = |op, errno: Errno| (op, errno.raw_os_error(), 0);
    let made = Op { open: WRITE, ..on(OpKind::Create, NEW) };
    let kinds = [OpKind::Stat, OpKind::Access, OpKind::Unlink, OpKind::ReadDir];
    let mut cases: Vec<_> = kinds.map(|kind| failed(on(kind, NEW), Errno::NOENT)).into();
    cases.extend([
        (made, 0, 0),
        failed(made, Errno::INVAL),
        (on(OpKind::Write, NEW), 0, 4096),
        (on(OpKind::Close, NEW), 0, 0),
        (on(OpKind::Stat, NEW), 0, 0),
        (on(OpKind::Access, NEW), 0, 0),
        (opening(NEW, 0), 0, 0),
        (reading(0, 0, 8192), 0, 4096),
        (on(OpKind::Close, NEW), 0, 0),
        // An existing file is emptied.
        (on(OpKind::Create, NEW), 0, 0),
        (reading(0, 0, 8192), 0, 0),
        // No handle is used: neither an open one nor one that the script lacks.
        (on(OpKind::Stat, NEW), 0, 0),
        (Op { handle: 77, ..on(OpKind::Access, NEW) }, 0, 0),
        (Op { handle: u16::MAX, ..on(OpKind::Unlink, NEW) }, 0, 0),
        failed(on(OpKind::Unlink, NEW), Errno::NOENT),
        (on(OpKind::Write, NEW), 0, 4096),
        (on(OpKind::Close, NEW), 0, 0),
        (on(OpKind::ReadDir, A_FOLDER), 0, 0),
        (on(OpKind::Stat, A_FOLDER), 0, 0),
        failed(on(OpKind::ReadDir, 0), Errno::NOTDIR),
        failed(on(OpKind::Create, A_FOLDER), Errno::ISDIR),
        failed(on(OpKind::Create, A_LINK), Errno::LOOP),
        (on(OpKind::Stat, A_LINK), 0, 0),
        (on(OpKind::Unlink, A_LINK), 0, 0),
        failed(on(OpKind::Stat, A_LINK), Errno::NOENT),
    ]);
    cases.extend(kinds.map(|kind| failed(on(kind, 99), Errno::INVAL)));
    cases
}

#[cfg(unix)]
#[test]
fn files_are_created_removed_and_found_by_path() {
    for (name, start) in drivers() {
        for (in_flight, is_slow) in [(1, false), (3, false), (1, true), (3, true)] {
            let mut bench = Bench::with_odd_files();
            if is_slow {
                let area = AreaDir::open_step_by_step(bench.folder()).unwrap();
                Arc::get_mut(&mut bench.context).unwrap().area = Some(area);
            }
            let cases = operations_by_path();
            let steps = (0..).zip(&cases).map(|(token, (op, ..))| Step::Do(Op { token, ..*op }));
            let script = Listed { writes: true, in_flight, handles: 1, ..Listed::new(steps) };
            let ended = run(start, script.one(), &bench);
            assert_eq!(ended.failures.len(), 0, "{name}: {:?}", ended.failures);
            let mut done = ended.workers[0].script.done.clone();
            done.sort_by_key(|done| done.token);
            let got: Vec<_> = done.iter().map(|done| (done.errno, done.done_len)).collect();
            for ((op, errno, done_len), got) in cases.iter().zip(&got) {
                assert_eq!(got, &(*errno, *done_len), "{name}, {in_flight} in flight: {op:?}");
            }
            assert_eq!((got.len(), ended.records.len()), (cases.len(), cases.len()), "{name}");
            #[cfg(target_os = "linux")]
            assert_eq!(open_files_in(bench.folder()), 0, "{name}");
            assert!(!bench.folder().join("new").exists(), "{name}");
            assert_eq!(fs::metadata(bench.folder().join("file 0")).unwrap().len(), FILE_BYTES, "{name}");
        }
    }
}

#[cfg(unix)]
#[test]
fn path_operations_need_no_handle_or_memory() {
    for (name, start) in drivers() {
        let bench = Bench::with_odd_files();
        let steps = [on(OpKind::Stat, 0), on(OpKind::ReadDir, A_FOLDER), on(OpKind::Unlink, A_LINK)];
        let script = Listed { handles: 0, max_len: 0, ..Listed::new(steps.map(Step::Do)) };
        let ended = run(start, script.one(), &bench);
        assert!(ended.records.iter().all(|record| record.errno == 0), "{name}: {:?}", ended.records);
        assert_eq!(ended.records.len(), 3, "{name}");
    }
}

/// Many workers run at once. Some read; others create, query, list and remove separate files.
#[cfg(unix)]
#[test]
fn paths_and_reads_get_along() {
    const OWN: u32 = 3;
    for (number, (name, start)) in drivers().into_iter().enumerate() {
        let stream = 500 + number as u32;
        let bench = Bench::new(|context| {
            let folder = context.files[0].path.parent().unwrap().to_owned();
            let own = (0..6).map(|id| folder.join(format!("own {id}")));
            context.files.extend(own.chain([folder.clone()]).map(|path| TargetFile { path, size_bytes: 0 }));
        });
        let by_path = |id: u32| {
            let file = OWN + id;
            let once = [
                Op { open: WRITE, ..on(OpKind::Create, file) },
                on(OpKind::Write, file),
                on(OpKind::Close, file),
                on(OpKind::Access, file),
                on(OpKind::Stat, file),
                on(OpKind::ReadDir, OWN + 6),
                on(OpKind::Unlink, file),
            ];
            let steps = once.map(Step::Do).into_iter().cycle().take(7 * 50);
            Listed { writes: true, ..Listed::new(steps) }
        };
        let workers = (0..12u32).map(|id| match id {
            0..6 => Worker { id, script: by_path(id) },
            _ => Worker { id, script: Listed::new(random_reads(u64::from(id), stream, 500)) },
        });
        let ended = run(start, workers.collect(), &bench);
        assert_eq!((ended.finished_scripts, ended.failures.len()), (12, 0), "{name}");
        assert!(ended.records.iter().all(|record| record.errno == 0), "{name}");
        let reads: Vec<_> = ended.records.into_iter().filter(|record| record.worker >= 6).collect();
        assert_eq!(seen(stream), expected(&reads), "{name}");
        assert_eq!(fs::read_dir(bench.folder()).unwrap().count(), 3, "{name}: all have been removed");
    }
}

#[cfg(unix)]
#[test]
fn listings_do_not_delay_reads() {
    for (name, start) in drivers() {
        let bench = Bench::new(|context| {
            let long = context.files[0].path.with_file_name("long");
            fs::create_dir(&long).unwrap();
            for number in 0..5000 {
                fs::File::create(long.join(format!("{number}"))).unwrap();
            }
            context.files.push(TargetFile { path: long, size_bytes: 0 });
        });
        let round = std::iter::once(on(OpKind::ReadDir, 3)).chain([op(OpKind::Read); 100]);
        let steps = std::iter::once(op(OpKind::Open)).chain((0..50).flat_map(|_| round.clone()));
        let script = Listed { in_flight: 3, overlaps: true, ..Listed::new(steps.map(Step::Do)) };
        let ended = run(start, script.one(), &bench);
        assert!(ended.records.iter().all(|record| record.errno == 0), "{name}");
        assert_eq!(ended.records.len(), 1 + 50 * 101, "{name}");
        let (listings, others): (Vec<&OpRecord>, Vec<_>) =
            ended.records.iter().partition(|record| record.kind == OpKind::ReadDir);
        // If a driver waited for a listing, no read would begin before its end.
        let within = |read: &&OpRecord| {
            listings.iter().any(|list| list.issued_ns < read.issued_ns && read.done_ns < list.done_ns)
        };
        assert!(others.iter().any(within), "{name}");
    }
}

/// If the driver waited for the dead helper, the storage would appear unresponsive.
#[test]
fn a_thread_of_a_driver_that_dies_is_seen_dead_helpers_of_a_worker_included() {
    for (name, start) in drivers() {
        for in_flight in [1, 3] {
            let bench = Bench::new(|_| {});
            let deadly = Op { stream: DEADLY, ..op(OpKind::Read) };
            let steps = [op(OpKind::Open), op(OpKind::Read), deadly, op(OpKind::Read)].map(Step::Do);
            let script = Listed { in_flight, ..Listed::new(steps) };
            let running = start(script.one(), &bench.context).unwrap();
            let next = running.next_end(Duration::from_secs(20));
            assert!(next.is_err(), "{name}, {in_flight} in flight: {:?}", next.map(|end| end.is_some()));
            // The end of the helper's channel is noticed a moment before its death.
            let begun = Instant::now();
            while !running.heartbeats[0].has_died() {
                assert!(begun.elapsed() < Duration::from_secs(20), "{name}, {in_flight} in flight");
                std::thread::yield_now();
            }
        }
    }
}

#[test]
fn a_write_that_was_not_announced_is_refused() {
    for (name, start) in drivers() {
        let bench = Bench::new(|_| {});
        let steps = [Op { open: WRITE, ..op(OpKind::Open) }, op(OpKind::Write)].map(Step::Do);
        let ended = run(start, Listed::new(steps).one(), &bench);
        assert_eq!(ended.records[1].errno, io::IMPOSSIBLE, "{name}");
    }
}

/// A writer with overlapping writes that syncs occasionally.
fn random_writes(seed: u64) -> Vec<Step> {
    let mut dice = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |limit: u64| dice.next_u64() % limit;
    let mut steps = vec![Step::Do(Op { open: WRITE, ..op(OpKind::Open) })];
    for _ in 0..150 {
        let len = 4096 * (1 + below(16)) as u32;
        let offset = 4096 * below((FILE_BYTES - u64::from(len)) / 4096 + 1);
        steps.push(Step::Do(Op { offset, len, ..op(OpKind::Write) }));
        if below(20) == 0 {
            steps.push(Step::Do(op(OpKind::Sync)));
        }
    }
    steps.push(Step::Do(op(OpKind::Close)));
    steps
}

#[test]
fn data_written_in_several_load_points_verifies() {
    for (name, start) in drivers() {
        for in_flight in [1, 3] {
            let mut bench = Bench::new(|_| {});
            let map = Arc::new(WriteMap::new(&bench.context.files, 4096));
            let mut context = Arc::into_inner(bench.context).unwrap();
            for point in 0..3u16 {
                context.write_map = Some(Arc::clone(&map));
                context.point = point;
                bench.context = Arc::new(context);
                let workers = (0..4)
                    .map(|id| {
                        let steps = random_writes(u64::from(id) + 10 * u64::from(point));
                        Worker { id, script: Listed { writes: true, in_flight, ..Listed::new(steps) } }
                    })
                    .collect();
                let ended = run(start, workers, &bench);
                assert!(ended.records.iter().all(|record| record.errno == 0 && !record.is_short()), "{name}");
                // The threads have reported their end, but may keep shared state for a moment longer.
                context = loop {
                    match Arc::try_unwrap(bench.context) {
                        Ok(context) => break context,
                        Err(shared) => bench.context = shared,
                    }
                };
            }
            let verified = verify_files(
                context.area.as_ref(),
                &context.files,
                Patterns { run: SPEC, before: SPEC },
                &map,
                &mut |_| true,
            )
            .unwrap();
            assert_eq!(verified.first_difference, None, "{name}, {in_flight} in flight");
            assert_eq!((verified.differing_units, verified.unverifiable_units), (0, 0), "{name}");
            assert!(verified.checked_bytes > FILE_BYTES * 9 / 10, "{name}: {verified:?}");
            bench.context = Arc::new(context);
        }
    }
}

/// The resident memory of this process in bytes.
#[cfg(target_os = "linux")]
fn resident_bytes() -> u64 {
    let statm = fs::read_to_string("/proc/self/statm").unwrap();
    4096 * statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap()
}

/// Checks the memory that each of 2,000 writers of 64 KiB uses. It measures the memory of the whole
/// process, so it must run alone.
#[cfg(target_os = "linux")]
fn check_memory_of_writers((name, start): (&str, Start<Listed>)) {
    const WRITERS: u32 = 2000;
    const LEN: u32 = 64 << 10;
    let limit = rustix::process::Rlimit { current: Some(8192), maximum: Some(8192) };
    rustix::process::setrlimit(rustix::process::Resource::Nofile, limit).unwrap();
    let bench = Bench::new(|_| {});
    let workers = (0..WRITERS).map(|id| {
        let write = Op { len: LEN, ..op(OpKind::Write) };
        let last = Step::Wait { until_ns: 50_000 * MS };
        let steps = [Op { open: WRITE, ..op(OpKind::Open) }, write, write, write].map(Step::Do);
        let script = Listed::new(steps.into_iter().chain([last]));
        Worker { id, script: Listed { writes: true, max_len: LEN, handles: 1, ..script } }
    });
    let workers = workers.collect();
    let before = resident_bytes();
    let running = start(workers, &bench.context).unwrap();
    std::thread::sleep(Duration::from_secs(5));
    let each = (resident_bytes() - before) / u64::from(WRITERS);
    bench.context.stop.store(true, Ordering::Relaxed);
    let ended = wait(&running, &bench.context);
    assert_eq!(ended.records.len(), 4 * WRITERS as usize, "{name}: all have written");
    assert!(ended.records.iter().all(|record| record.errno == 0), "{name}");
    println!("{name}: {each} bytes a writer, {} beyond its write", each.saturating_sub(u64::from(LEN)));
    assert!(each > u64::from(LEN), "{name}: {each} bytes, and none for its write");
    assert!(each < u64::from(LEN) + (64 << 10), "{name}: {each} bytes");
}

/// Runs this test again in a separate process.
#[cfg(target_os = "linux")]
fn in_a_process_of_its_own(test: &str, check: impl FnOnce()) {
    const ALONE: &str = "REELGAUGE_TEST_ALONE";
    if std::env::var_os(ALONE).is_some() {
        return check();
    }
    let mut again = std::process::Command::new(std::env::current_exe().unwrap());
    again.args(["--exact", test, "--nocapture"]).env(ALONE, "1");
    assert!(again.status().unwrap().success(), "{test}");
}

#[cfg(target_os = "linux")]
#[test]
fn two_thousand_writers_on_threads_need_little_memory_beyond_their_writes() {
    let own_name = "driver::tests::two_thousand_writers_on_threads_need_little_memory_beyond_their_writes";
    in_a_process_of_its_own(own_name, || check_memory_of_writers(drivers()[0]));
}

#[cfg(target_os = "linux")]
#[test]
fn two_thousand_writers_on_rings_need_little_memory_beyond_their_writes() {
    let own_name = "driver::tests::two_thousand_writers_on_rings_need_little_memory_beyond_their_writes";
    in_a_process_of_its_own(own_name, || check_memory_of_writers(drivers()[1]));
}

#[test]
fn the_schedule_is_absolute() {
    for (name, start) in drivers() {
        let bench = Bench::new(|_| {});
        let origin_ns = bench.context.clock.now_ns() + 20 * MS;
        let paced = (0..200).map(|tick| Step::Do(Op { due_ns: origin_ns + tick * MS, ..op(OpKind::Read) }));
        let steps = std::iter::once(Step::Do(op(OpKind::Open))).chain(paced);
        let ended = run(start, Listed::new(steps).one(), &bench);
        for (tick, record) in ended.records[1..].iter().enumerate() {
            assert_eq!(record.due_ns, origin_ns + tick as u64 * MS, "{name}");
        }
        // A driver that is behind its schedule issues the next operation without waiting. If it waited
        // between operations, nearly all would begin a whole period after the previous one was done.
        let pairs = ended.records.windows(2);
        let mut waited_ns: Vec<u64> =
            pairs.map(|pair| pair[1].issued_ns - pair[1].due_ns.max(pair[0].done_ns)).collect();
        waited_ns.sort_unstable();
        assert!(waited_ns[100] < MS / 2, "{name}: waited {} ns", waited_ns[100]);
        let span_ns = ended.records[200].issued_ns - origin_ns;
        assert!(span_ns >= 199 * MS, "{name}: {span_ns} ns");
    }
}

#[test]
fn waiting_ends_on_time_or_when_something_finishes() {
    for (name, start) in drivers() {
        let bench = Bench::new(|_| {});
        let until_ns = bench.context.clock.now_ns() + 60 * MS;
        let steps = [Step::Wait { until_ns: 0 }, Step::Wait { until_ns }, Step::Do(op(OpKind::Open))];
        let ended = run(start, Listed::new(steps).one(), &bench);
        let record = ended.records[0];
        assert!(record.issued_ns >= until_ns, "{name}: {record:?}");
        assert!(record.issued_ns < until_ns + 500 * MS, "{name}: {record:?}");
    }
}

#[test]
fn stop_is_prompt_during_any_wait() {
    for (name, start) in drivers() {
        let far_ns = 50_000 * MS;
        let waits = [Step::Wait { until_ns: far_ns }, Step::Do(Op { due_ns: far_ns, ..op(OpKind::Open) })];
        for wait_step in waits {
            let bench = Bench::new(|_| {});
            let workers = (0..5).map(|id| Worker { id, script: Listed::new([wait_step]) }).collect();
            let running = start(workers, &bench.context).unwrap();
            std::thread::sleep(Duration::from_millis(20));
            let stopped = Instant::now();
            bench.context.stop.store(true, Ordering::Relaxed);
            let ended = wait(&running, &bench.context);
            assert!(stopped.elapsed() < Duration::from_millis(1000), "{name}: {:?}", stopped.elapsed());
            assert_eq!(
                (ended.records.len(), ended.finished_scripts, ended.workers.len()),
                (0, 0, 5),
                "{name}"
            );
        }
    }
}

/// The number of descriptors of this process that are open on files in this folder.
#[cfg(target_os = "linux")]
fn open_files_in(folder: &Path) -> usize {
    let links =
        fs::read_dir("/proc/self/fd").unwrap().filter_map(|entry| fs::read_link(entry.ok()?.path()).ok());
    // The folder itself is open all the time, because it is the area.
    links.filter(|path| path.starts_with(folder) && path != folder).count()
}

/// Reads the same position forever.
fn endless() -> Listed {
    let reads = std::iter::repeat_n(Step::Do(op(OpKind::Read)), 1 << 16);
    Listed::new(std::iter::once(Step::Do(op(OpKind::Open))).chain(reads))
}

#[cfg(target_os = "linux")]
#[test]
fn at_the_end_files_are_closed_and_no_operation_starts() {
    for (name, start) in drivers() {
        let bench = Bench::new(|context| {
            context.window = Window::new(10 * MS, 290 * MS);
        });
        let workers = (0..3)
            .map(|id| {
                let mut script = endless();
                for step in &mut script.steps[1..] {
                    let Step::Do(op) = step else { continue };
                    op.due_ns = bench.context.clock.now_ns() + 1;
                }
                // All but the first reach an operation that is due after the end.
                if id > 0 {
                    script.steps[10] = Step::Do(Op { due_ns: 50_000 * MS, ..op(OpKind::Read) });
                }
                Worker { id, script }
            })
            .collect();
        let ended = run(start, workers, &bench);
        assert_eq!(open_files_in(bench.folder()), 0, "{name}");
        assert!(
            ended.records.iter().all(|record| record.kind != OpKind::Close),
            "{name}: unasked closes are not recorded"
        );
        for id in 1..3 {
            assert_eq!(ended.records.iter().filter(|record| record.worker == id).count(), 10, "{name}");
        }
        for record in &ended.records {
            let warm = record.issued_ns < bench.context.window.warmup_until_ns();
            assert_eq!(record.flags.has(OpFlags::WARMUP), warm, "{name}: {record:?}");
        }
        assert!(
            bench.context.clock.now_ns() >= bench.context.window.end_ns(),
            "{name}: a load point lasts until its end"
        );
    }
}

#[test]
fn a_load_point_does_not_begin_before_its_time() {
    for (name, start) in drivers() {
        let not_before_ns = 60 * MS;
        let bench = Bench::new(|context| {
            let now_ns = context.clock.now_ns();
            context.window = Window::new(0, 20 * MS).not_before(now_ns + not_before_ns);
        });
        let ended = run(start, endless().one(), &bench);
        let begun_ns = bench.context.window.begun_ns();
        assert!(begun_ns >= bench.context.window.not_before_ns, "{name}: {begun_ns}");
        assert!(ended.records.iter().all(|record| record.issued_ns >= begun_ns), "{name}");
        assert!(!ended.records.is_empty(), "{name}");
    }
}

#[test]
fn workers_go_on_in_the_next_load_point() {
    for (name, start) in drivers() {
        let bench = Bench::new(|context| context.window = Window::new(0, 200 * MS));
        let first = run(start, endless().one(), &bench);
        let seen = first.workers[0].script.done.len();
        assert!(seen > 1 && first.records.len() == seen, "{name}");
        let mut workers = first.workers;
        // The file was closed at the end of the load point, so the script must begin with an open.
        workers[0].script.steps = vec![Step::Do(op(OpKind::Open)), Step::Do(op(OpKind::Read))];
        workers[0].script.next = 0;
        let second = Bench::new(|context| context.point = 1);
        let ended = run(start, workers, &second);
        assert_eq!(ended.records.iter().map(|record| record.errno).collect::<Vec<_>>(), [0, 0], "{name}");
        assert_eq!(ended.workers[0].script.resumed_ns.len(), 2, "{name}");
    }
}

#[test]
fn a_script_that_waits_for_nothing_is_a_failure_not_a_hang() {
    for (name, start) in drivers() {
        for in_flight in [1, 2] {
            let bench = Bench::new(|_| {});
            let script = Listed { in_flight, ..Listed::new([Step::Blocked]) };
            let ended = run(start, vec![Worker { id: 3, script }], &bench);
            assert!(matches!(ended.failures[..], [DriverError::Stuck { worker: 3 }]), "{name}");
        }
    }
}

/// Opening or reading a pipe without a writer hangs like a dead server: a thread hangs in the open,
/// io_uring in the read.
#[cfg(target_os = "linux")]
#[test]
fn hanging_operation_shows_in_the_heartbeat_and_delays_no_other_worker() {
    for (name, start) in drivers() {
        let bench = Bench::new(|context| {
            let path = context.files[0].path.with_file_name("pipe");
            context.files.push(TargetFile { path, size_bytes: 0 });
            context.window = Window::new(0, 400 * MS);
        });
        let pipe = &bench.context.files[3].path;
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let hanging = [Op { file: 3, ..op(OpKind::Open) }, Op { file: 3, stream: 400, ..op(OpKind::Read) }];
        let hanging = Listed::new(hanging.map(Step::Do));
        let workers = vec![Worker { id: 0, script: hanging }, Worker { id: 1, script: endless() }];
        let running = start(workers, &bench.context).unwrap();
        std::thread::sleep(Duration::from_millis(150));
        let stuck = || {
            let now_ns = bench.context.clock.now_ns();
            running.heartbeats.iter().filter_map(|beat| beat.stuck_for(now_ns)).max().unwrap_or_default()
        };
        assert!(stuck() > Duration::from_millis(100), "{name}: {:?}", stuck());
        std::thread::sleep(Duration::from_millis(250));
        assert!(stuck() > Duration::from_millis(300), "{name}: {:?}", stuck());
        // Opening the other end ends the hang.
        drop(fs::OpenOptions::new().write(true).open(pipe).unwrap());
        let ended = wait(&running, &bench.context);
        let of = |worker| ended.records.iter().filter(move |record| record.worker == worker);
        assert!(of(0).any(|record| record.service_ns() > 300 * MS), "{name}");
        assert!(of(1).count() > 100, "{name}: {}", of(1).count());
    }
}

#[cfg(target_os = "linux")]
#[test]
fn direct_and_durable_modes_reach_the_system() {
    for (name, start) in drivers() {
        let bench = Bench::new(|_| {});
        let open = OpenMode { direct: true, dsync: true, ..WRITE };
        let steps = [Op { open, ..op(OpKind::Open) }, op(OpKind::Read), op(OpKind::Write), op(OpKind::Close)];
        let ended = run(start, Listed { writes: true, ..Listed::new(steps.map(Step::Do)) }.one(), &bench);
        let results: Vec<_> = ended.records.iter().map(|record| (record.errno, record.done_len)).collect();
        assert_eq!(results, [(0, 0), (0, 4096), (0, 4096), (0, 0)], "{name}");
        // Only direct I/O refuses an offset within a sector.
        let steps = [Op { open, ..op(OpKind::Open) }, Op { offset: 100, ..op(OpKind::Read) }];
        let ended = run(start, Listed::new(steps.map(Step::Do)).one(), &bench);
        assert_eq!(ended.records[1].errno, rustix::io::Errno::INVAL.raw_os_error(), "{name}");
    }
}

#[test]
#[should_panic(expected = "one sink per driver thread")]
fn the_number_of_sinks_must_fit() {
    let bench = Bench::new(|_| {});
    let _ = start(DriverKind::Threads, Listed::new([]).one(), Vec::<Kept>::new(), &bench.context);
}

#[test]
fn the_uring_driver_uses_no_more_rings_than_workers() {
    assert_eq!(threads_for(DriverKind::Threads, 40), 40);
    assert_eq!(threads_for(DriverKind::Uring, 1), 1);
    assert!(threads_for(DriverKind::Uring, 1000) >= 1);
}
