//! Two client behaviours that make servers fragment files, or stall (traces.md §6.4).
//!
//! `hint-stream`: data is appended while single bytes are written ahead of it, at even distances; on XFS
//! each of them becomes a separate extent. `far-write`: a little data is written far beyond the end of a
//! file; a server that fills the gap stalls. Each then reads its file in order, which shows the effect.
//!
//! That read bypasses the cache of the writing host, but not the server's cache. Times are synthetic:
//! one operation after another at an even pace.

use std::path::Path;

use reelgauge_record::log::{CaptureLevel, LogMeta};
use reelgauge_record::{OpFlags, OpKind, OpRecord, OpenBits};

use crate::error::TraceError;
use crate::info::{TargetFigure, TraceInfo};
use crate::trace::Trace;
use crate::writer::{ABSENT, TraceWriter};

/// Time from one operation to the next.
const PACE_NS: u64 = 1_000_000;
/// Size of each read at the end.
const READ_BYTES: u32 = 256 << 10;

/// A stream of appended data with single bytes ahead of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintStream {
    /// The name of the trace in the library.
    pub name: &'static str,
    pub total_bytes: u64,
    /// Size of each append.
    pub block_bytes: u32,
    /// Distance between two single bytes. Not 0.
    pub spacing_bytes: u64,
    /// How far the single bytes are ahead of the data.
    pub ahead_bytes: u64,
}

/// Single bytes every 128 KiB.
pub const HINT_STREAM: HintStream = HintStream {
    name: "hint-stream",
    total_bytes: 64 << 20,
    block_bytes: 64 << 10,
    spacing_bytes: 128 << 10,
    ahead_bytes: 15 << 20,
};

/// The same with single bytes every 1 MiB, the distance that Samba's former default led to.
pub const HINT_STREAM_1MIB: HintStream =
    HintStream { name: "hint-stream-1mib", spacing_bytes: 1 << 20, ..HINT_STREAM };

/// A little data far beyond the end of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FarWrite {
    /// The name of the trace in the library.
    pub name: &'static str,
    /// Size of the data at the beginning.
    pub head_bytes: u64,
    /// Distance from its end to the far write.
    pub gap_bytes: u64,
    /// Size of the far write.
    pub far_bytes: u32,
}

/// 1 KiB, 1 GiB beyond the end.
pub const FAR_WRITE: FarWrite =
    FarWrite { name: "far-write", head_bytes: 1 << 20, gap_bytes: 1 << 30, far_bytes: 1 << 10 };

impl HintStream {
    /// Makes the trace, as a new directory inside `parent`.
    pub fn make(&self, parent: &Path) -> Result<Trace, TraceError> {
        let mut writer = TraceWriter::create(parent, self.name, meta())?;
        let hints = self.push(&mut writer)?;
        let should = (self.total_bytes - 1) / self.spacing_bytes;
        let about = format!(
            "{} MiB are appended in steps of {} KiB. Single bytes are written every {} KiB, up to {} MiB \
             ahead. Then the file is read in order. On XFS it has nearly one extent per append",
            self.total_bytes >> 20,
            self.block_bytes >> 10,
            self.spacing_bytes >> 10,
            self.ahead_bytes >> 20
        );
        writer.finish(info(self.name, about, "single bytes ahead", should as f64, hints as f64))
    }

    /// Adds its operations to a trace. Returns the number of single bytes written.
    pub fn push(&self, writer: &mut TraceWriter) -> Result<u64, TraceError> {
        let mut track = Track::create(writer, self.name)?;
        let (mut hint, mut hints) = (self.spacing_bytes, 0);
        let mut at = 0;
        while at < self.total_bytes {
            while hint <= at + self.ahead_bytes && hint < self.total_bytes {
                track.push(OpKind::Write, hint, 1)?;
                hint += self.spacing_bytes;
                hints += 1;
            }
            let len = u64::from(self.block_bytes).min(self.total_bytes - at) as u32;
            track.push(OpKind::Write, at, len)?;
            at += u64::from(len);
        }
        track.read_back(self.total_bytes)?;
        Ok(hints)
    }
}

impl FarWrite {
    /// Makes the trace, as a new directory inside `parent`.
    pub fn make(&self, parent: &Path) -> Result<Trace, TraceError> {
        let mut writer = TraceWriter::create(parent, self.name, meta())?;
        self.push(&mut writer)?;
        let about = format!(
            "{} bytes written {} MiB beyond the end of a file, which is then read in order; a server that \
             fills the gap with zeros stalls at that write",
            self.far_bytes,
            self.gap_bytes >> 20
        );
        writer.finish(info(self.name, about, "writes far beyond the end", 1.0, 1.0))
    }

    /// Adds its operations to a trace.
    pub fn push(&self, writer: &mut TraceWriter) -> Result<(), TraceError> {
        let mut track = Track::create(writer, self.name)?;
        let mut at = 0;
        while at < self.head_bytes {
            let len = u64::from(READ_BYTES).min(self.head_bytes - at) as u32;
            track.push(OpKind::Write, at, len)?;
            at += u64::from(len);
        }
        let far = self.head_bytes + self.gap_bytes;
        track.push(OpKind::Write, far, self.far_bytes)?;
        track.read_back(far + u64::from(self.far_bytes))
    }
}

/// The operations on one file of a trace.
struct Track<'a> {
    writer: &'a mut TraceWriter,
    file: u32,
    handle: u32,
    now_ns: u64,
}

impl Track<'_> {
    /// Starts with a file that did not exist before.
    fn create<'a>(writer: &'a mut TraceWriter, name: &str) -> Result<Track<'a>, TraceError> {
        let file = writer.file(&format!("{name}.bin"))?;
        if let Some(entry) = writer.entry(file) {
            entry.prepared = ABSENT.to_owned();
        }
        let mut track = Track { writer, file, handle: 1, now_ns: 0 };
        let bits = OpenBits::WRITE.with(OpenBits::CREATE).with(OpenBits::TRUNCATE);
        track.add(OpKind::Create, 0, bits.0, 1)?;
        Ok(track)
    }

    /// Syncs and closes the file, and reads it from beginning to end. The read bypasses the local host's
    /// cache, which still holds the data.
    fn read_back(&mut self, size_bytes: u64) -> Result<(), TraceError> {
        self.push(OpKind::Sync, 0, 0)?;
        self.push(OpKind::Close, 0, 0)?;
        self.handle += 1;
        self.add(OpKind::Open, 0, OpenBits::READ.with(OpenBits::DIRECT).0, 0)?;
        let mut at = 0;
        while at < size_bytes {
            // The last read also requests a whole block, as direct I/O requires.
            let done_len = u64::from(READ_BYTES).min(size_bytes - at) as u32;
            self.add(OpKind::Read, at, READ_BYTES, done_len)?;
            at += u64::from(done_len);
        }
        self.push(OpKind::Close, 0, 0)
    }

    fn push(&mut self, kind: OpKind, offset: u64, len: u32) -> Result<(), TraceError> {
        self.add(kind, offset, len, len)
    }

    fn add(&mut self, kind: OpKind, offset: u64, len: u32, done_len: u32) -> Result<(), TraceError> {
        let at_ns = self.now_ns;
        self.now_ns += PACE_NS;
        self.writer.push(OpRecord {
            offset,
            due_ns: at_ns,
            issued_ns: at_ns,
            done_ns: at_ns,
            worker: 0,
            stream: 0,
            transfer: self.handle,
            file: self.file,
            len,
            done_len,
            errno: 0,
            kind,
            flags: OpFlags::NONE,
            point: 0,
        })
    }
}

fn meta() -> LogMeta {
    LogMeta {
        run_ns: 0,
        agent: "synthetic".to_owned(),
        capture: CaptureLevel::Application,
        blind_to: vec!["durations".to_owned()],
    }
}

fn info(name: &str, about: String, figure: &str, target: f64, achieved: f64) -> TraceInfo {
    let figure = TargetFigure { figure: figure.to_owned(), target, achieved, tolerance: 0.0 };
    TraceInfo {
        name: name.to_owned(),
        about,
        made_by: "synthetic".to_owned(),
        blind_to: meta().blind_to,
        synthetic: vec![figure],
        ..TraceInfo::default()
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn ops(trace: &Trace) -> Vec<OpRecord> {
        trace.batches().flat_map(Result::unwrap).collect()
    }

    #[test]
    fn single_bytes_run_ahead_of_the_data_and_are_all_overwritten() {
        let parent = tempfile::tempdir().unwrap();
        for (stream, hints) in [(HINT_STREAM, 511), (HINT_STREAM_1MIB, 63)] {
            let trace = stream.make(parent.path()).unwrap();
            let ops = ops(&trace);
            let writes = |len: u32| ops.iter().filter(move |op| op.kind == OpKind::Write && op.len == len);
            assert_eq!((writes(1).count(), writes(64 << 10).count()), (hints, 1024));
            let mut data_end = 0;
            for op in ops.iter().filter(|op| op.kind == OpKind::Write) {
                match op.len {
                    1 => assert!(op.offset > data_end && op.offset <= data_end + (15 << 20)),
                    len => data_end = op.offset + u64::from(len),
                }
            }
            let read: u64 =
                ops.iter().filter(|op| op.kind == OpKind::Read).map(|op| u64::from(op.done_len)).sum();
            assert_eq!((data_end, read), (64 << 20, 64 << 20));
            let figure = &trace.info().unwrap().synthetic[0];
            assert_eq!((figure.target, figure.achieved), (hints as f64, hints as f64));
        }
    }

    #[test]
    fn a_far_write_leaves_a_gap_of_a_gibibyte() {
        let parent = tempfile::tempdir().unwrap();
        let trace = FAR_WRITE.make(parent.path()).unwrap();
        let ops = ops(&trace);
        let far = ops.iter().find(|op| op.kind == OpKind::Write && op.len == 1024).unwrap();
        assert_eq!(far.offset, (1 << 30) + (1 << 20));
        assert!(ops.is_sorted_by_key(|op| op.issued_ns));
        assert_eq!((ops[0].kind, ops.last().unwrap().kind), (OpKind::Create, OpKind::Close));
        assert_eq!(trace.files()[0].prepared, ABSENT);
        assert_eq!(trace.name(), "far-write");
    }
}
