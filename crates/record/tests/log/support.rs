//! Operations, metadata and directories for the tests.

use std::path::Path;

use reelgauge_record::log::{CaptureLevel, FileEntry, LogError, LogMeta, LogOptions, LogReader, LogWriter};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

/// Half a second, after which a log seals.
pub const SEAL_NS: u64 = 500_000_000;

/// Sizes so small that a few hundred rows reach every code path.
pub fn small() -> LogOptions {
    LogOptions {
        seal_every_ns: SEAL_NS,
        group_rows: 64,
        segment_rows: 16,
        large_segment_bytes: 1 << 20,
        table_segments: 4,
        table_groups: 100,
    }
}

pub fn meta() -> LogMeta {
    LogMeta {
        run_ns: 1_795_189_212_000_000_000,
        agent: "edit-01".to_string(),
        capture: CaptureLevel::Application,
        blind_to: vec!["memory-mapped \"reads\"".to_string()],
    }
}

pub fn files(count: u32) -> Vec<FileEntry> {
    (0..count)
        .map(|file| FileEntry {
            path: format!("set/ü{file:05}.mxf"),
            size_before_bytes: Some(1 << 30),
            size_after_bytes: None,
            existed_before: file % 2 == 0,
            prepared: "written".to_string(),
            same_file_as: (file % 3 == 1).then(|| "set/same.mxf".to_string()),
            leads_to: (file % 3 == 2).then(|| "set/there.mxf".to_string()),
        })
        .collect()
}

/// The `number`th operation of a worker: one a millisecond, each field different from the others.
pub fn op(worker: u32, number: u32) -> OpRecord {
    let due_ns = u64::from(number) * 1_000_000;
    OpRecord {
        offset: u64::from(number) * 4096,
        due_ns,
        issued_ns: due_ns + 30,
        done_ns: due_ns + 400_000 + u64::from(number % 97),
        worker,
        stream: worker + 100,
        transfer: number / 3,
        file: number % 3,
        len: 4096,
        done_len: if number % 50 == 49 { 512 } else { 4096 },
        errno: if number % 61 == 60 { 5 } else { 0 },
        kind: OpKind::ALL[number as usize % OpKind::ALL.len()],
        flags: OpFlags((number % 16) as u8),
        point: (number / 500) as u16,
    }
}

/// A log with operations `0..count` of worker 0, appended `batch` at a time with a tick every half second
/// after each. Not finished.
pub fn fill(dir: &Path, options: LogOptions, count: u32, batch: u32) -> LogWriter {
    fill_looking(dir, options, count, batch, |_| ())
}

/// The same. Calls `look` after each seal with the number of operations so far.
pub fn fill_looking(
    dir: &Path,
    options: LogOptions,
    count: u32,
    batch: u32,
    mut look: impl FnMut(u32),
) -> LogWriter {
    let mut log = LogWriter::create_with(dir, meta(), files(3), options).unwrap();
    let mut now_ns = 0;
    log.tick(now_ns).unwrap();
    for from in (0..count).step_by(batch as usize) {
        let until = count.min(from + batch);
        let ops: Vec<_> = (from..until).map(|number| op(0, number)).collect();
        log.append(&ops).unwrap();
        now_ns += SEAL_NS;
        log.tick(now_ns).unwrap();
        look(until);
    }
    log
}

/// Operations `0..count` of worker 0.
pub fn expected(count: u32) -> Vec<OpRecord> {
    (0..count).map(|number| op(0, number)).collect()
}

/// Every operation under `dir`, in file order.
pub fn read_all(dir: &Path) -> Vec<OpRecord> {
    let reader = LogReader::open(dir).unwrap();
    reader.batches().flat_map(|batch| batch.unwrap().ops).collect()
}

/// The names in a directory, sorted.
pub fn names(dir: &Path) -> Vec<String> {
    let mut names: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    names
}

/// The only part of a log with these operations, as bytes.
pub fn one_part(ops: &[OpRecord]) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let mut log = LogWriter::create(dir.path(), meta(), files(3)).unwrap();
    log.append(ops).unwrap();
    log.finish().unwrap();
    assert_eq!(names(dir.path()), ["part-000001.parquet"]);
    std::fs::read(dir.path().join("part-000001.parquet")).unwrap()
}

/// A log of one part, for tests that change its bytes.
pub struct Loose(tempfile::TempDir);

impl Loose {
    pub fn new() -> Loose {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("agent=x")).unwrap();
        Loose(dir)
    }

    /// The log with this part, opened.
    pub fn open(&self, bytes: &[u8]) -> Result<LogReader, LogError> {
        std::fs::write(self.0.path().join("agent=x/part-000001.parquet"), bytes).unwrap();
        LogReader::open(self.0.path())
    }

    /// The operations of this part.
    pub fn read(&self, bytes: &[u8]) -> Result<Vec<OpRecord>, LogError> {
        let mut ops = Vec::new();
        for batch in self.open(bytes)?.batches() {
            ops.extend(batch?.ops);
        }
        Ok(ops)
    }
}

/// Reads a part made of these bytes.
pub fn read_part(bytes: &[u8]) -> Result<Vec<OpRecord>, LogError> {
    Loose::new().read(bytes)
}

/// Fails with the first difference rather than with a thousand operations.
#[track_caller]
pub fn assert_same(read: &[OpRecord], expected: &[OpRecord]) {
    let difference = read.iter().zip(expected).position(|(read, expected)| read != expected);
    if let Some(at) = difference {
        panic!("operation {at} is {:?} instead of {:?}", read[at], expected[at]);
    }
    assert_eq!(read.len(), expected.len(), "number of operations");
}
