//! Writes the log of one agent during the run.
//!
//! Rows are collected in an open row group. Twice a second the new rows become a segment. A full row
//! group is encoded once and written to the table and, unless segments already contain a part of it, to
//! the open segment. See [`super`] for the two kinds of file.
//!
//! A slow run would write many tiny segments, each with 2 KB of metadata. So a segment with few rows is
//! rewritten with the following rows, under the same name, until it has enough.
//!
//! A fast run writes segments that are large enough to keep. Then no table is made, and everything is
//! written once.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::schema::types::SchemaDescPtr;

use crate::identity;
use crate::op::OpRecord;

use super::disk::{Disk, SystemDisk};
use super::error::LogError;
use super::meta::{self, FileEntry, LogMeta};
use super::names::{self, PartRange};
use super::part::PartFile;
use super::rows::Rows;
use super::{group, schema};

/// Sizes and times of a log. The defaults suit every run; tests use small values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogOptions {
    /// A segment is sealed when this long has passed since the last one, in nanoseconds.
    pub seal_every_ns: u64,
    /// Rows in a full row group. 72 bytes of memory each.
    pub group_rows: usize,
    /// A segment with fewer rows is rewritten instead of starting another one.
    pub segment_rows: usize,
    /// A segment of at least this many bytes is kept as it is.
    pub large_segment_bytes: u64,
    /// A table replaces this many segments.
    pub table_segments: u32,
    /// A table is closed at this many row groups, which bounds the memory for its footer.
    pub table_groups: usize,
}

impl Default for LogOptions {
    fn default() -> LogOptions {
        LogOptions {
            // Half of the second that a kill may cost; the other half is the records' delay on the way to
            // the log.
            seal_every_ns: 500_000_000,
            group_rows: 1 << 16,
            segment_rows: 1 << 13,
            large_segment_bytes: 2 << 20,
            table_segments: 120,
            table_groups: 256,
        }
    }
}

/// Totals of a finished log.
#[derive(Debug)]
pub struct LogSummary {
    /// Number of operations on disk.
    pub rows: u64,
    /// Operations that were added but are not on disk, because writing failed.
    pub lost_rows: u64,
    pub bytes: u64,
    pub parts: u32,
    /// The error if segments could not be merged into tables (a nearly full disk). No row is lost; the
    /// log has more and smaller files.
    pub table_error: Option<LogError>,
}

/// Writes the log of one agent. Owned by one thread, which executes no operations.
///
/// An error ends the log: sealed parts are kept, later rows are lost, and all further calls except
/// [`LogWriter::finish`] are refused. The caller continues without a log.
///
/// Dropping it without [`LogWriter::finish`] loses the rows since the last seal.
#[derive(Debug)]
pub struct LogWriter {
    disk: Arc<dyn Disk>,
    dir: PathBuf,
    meta: LogMeta,
    files: Vec<FileEntry>,
    options: LogOptions,
    schema: SchemaDescPtr,
    /// The open row group: of the table if there is one, else of the segment.
    rows: Rows,
    segment: Segment,
    table: Table,
    last_seal_ns: Option<u64>,
    row_count: u64,
    /// Number of rows in files with their final name.
    sealed_count: u64,
    failed: bool,
}

/// The segment being filled.
#[derive(Debug)]
struct Segment {
    number: u32,
    /// Its first row in the open row group; earlier rows are in previous segments.
    from: usize,
    /// Full row groups that belong to it.
    part: Option<PartFile>,
    /// Whether it has rows that are not sealed yet.
    unsealed: bool,
    /// Size of the sealed file.
    sealed_bytes: u64,
}

/// The table being filled, from segment `first` on.
#[derive(Debug)]
struct Table {
    first: u32,
    /// Rows that were sealed before its first segment.
    rows_before: u64,
    part: Option<PartFile>,
    state: TableState,
}

#[derive(Debug)]
enum TableState {
    /// Rows are written to it.
    Wanted,
    /// Segments are large, so no table is made for now.
    Pausing,
    /// It could not be written, so no further table is made.
    Failed(LogError),
}

impl LogWriter {
    /// Starts the log of an agent in `dir` (`ops/agent=NAME`), which is created and must not contain a
    /// log.
    ///
    /// `files` is the run's file table.
    pub fn create(dir: &Path, meta: LogMeta, files: Vec<FileEntry>) -> Result<LogWriter, LogError> {
        LogWriter::create_with(dir, meta, files, LogOptions::default())
    }

    /// [`LogWriter::create`] with other sizes and times.
    pub fn create_with(
        dir: &Path,
        meta: LogMeta,
        files: Vec<FileEntry>,
        options: LogOptions,
    ) -> Result<LogWriter, LogError> {
        LogWriter::create_on(Arc::new(SystemDisk), dir, meta, files, options)
    }

    /// [`LogWriter::create_with`] on any disk.
    pub fn create_on(
        disk: Arc<dyn Disk>,
        dir: &Path,
        meta: LogMeta,
        files: Vec<FileEntry>,
        options: LogOptions,
    ) -> Result<LogWriter, LogError> {
        assert!(options.group_rows > 0 && options.table_groups > 0, "a log has room for rows");
        let _own = identity::own();
        disk.create_dir_all(dir).map_err(LogError::io("create", dir))?;
        refuse_existing(&*disk, dir)?;
        Ok(LogWriter {
            disk,
            dir: dir.to_path_buf(),
            meta,
            files,
            options,
            schema: schema::descriptor().map_err(|source| LogError::Encode { source })?,
            rows: Rows::with_capacity(options.group_rows),
            segment: Segment { number: 1, from: 0, part: None, unsealed: false, sealed_bytes: 0 },
            table: Table { first: 1, rows_before: 0, part: None, state: TableState::Wanted },
            last_seal_ns: None,
            row_count: 0,
            sealed_count: 0,
            failed: false,
        })
    }

    /// The run's file table. Entries may be added, and completed with facts that are known only later
    /// (the size after the run). Parts that are sealed from then on contain them.
    pub fn files_mut(&mut self) -> &mut Vec<FileEntry> {
        &mut self.files
    }

    /// Number of operations that were added, including those that could not be written.
    pub fn appended_rows(&self) -> u64 {
        self.row_count
    }

    /// Number of rows in files with their final name.
    pub fn sealed_rows(&self) -> u64 {
        self.sealed_count
    }

    /// Adds operations, in any order. Writes when a row group is full.
    pub fn append(&mut self, ops: &[OpRecord]) -> Result<(), LogError> {
        self.guarded(|log| log.append_rows(ops))
    }

    /// Must be called a few times a second with the time of any steady clock, in nanoseconds: seals rows
    /// that are older than [`LogOptions::seal_every_ns`].
    pub fn tick(&mut self, now_ns: u64) -> Result<(), LogError> {
        let due_ns = *self.last_seal_ns.get_or_insert(now_ns) + self.options.seal_every_ns;
        if now_ns < due_ns {
            return Ok(());
        }
        self.last_seal_ns = Some(now_ns);
        self.guarded(LogWriter::seal)
    }

    /// Seals the rest, merges the last segments into a table and makes everything durable.
    ///
    /// After an error in an earlier call, this makes the sealed rows durable, and the summary counts
    /// only these.
    pub fn finish(mut self) -> Result<LogSummary, LogError> {
        if !self.failed {
            self.guarded(LogWriter::seal_rest)?;
        }
        let (bytes, parts) = make_durable(&*self.disk, &self.dir)?;
        assert!(self.sealed_count <= self.row_count, "rows that are sealed were appended");
        let lost_rows = self.row_count - self.sealed_count;
        assert!(self.failed || lost_rows == 0, "a log that never failed holds every row");
        Ok(LogSummary {
            rows: self.sealed_count,
            lost_rows,
            bytes,
            parts,
            table_error: match self.table.state {
                TableState::Failed(error) => Some(error),
                TableState::Wanted | TableState::Pausing => None,
            },
        })
    }

    fn seal_rest(&mut self) -> Result<(), LogError> {
        self.seal()?;
        if self.segment.sealed_bytes > 0 {
            self.next_segment();
        }
        self.close_table();
        Ok(())
    }

    /// Runs `work` unless an earlier call failed. After a failure it removes the unfinished files.
    fn guarded(&mut self, work: impl FnOnce(&mut LogWriter) -> Result<(), LogError>) -> Result<(), LogError> {
        if self.failed {
            return Err(LogError::GivenUp { dir: self.dir.clone() });
        }
        let result = work(self);
        if result.is_err() {
            self.failed = true;
            self.segment.part = None;
            self.table.part = None;
            self.rows = Rows::with_capacity(0);
        }
        result
    }

    fn append_rows(&mut self, mut ops: &[OpRecord]) -> Result<(), LogError> {
        self.row_count += ops.len() as u64;
        while !ops.is_empty() {
            assert!(self.rows.len() < self.options.group_rows, "a full row group was written");
            let room = self.options.group_rows - self.rows.len();
            let (fitting, rest) = ops.split_at(room.min(ops.len()));
            if !self.rows.push(fitting) {
                return Err(out_of_range(fitting));
            }
            self.segment.unsealed = true;
            if self.rows.len() == self.options.group_rows {
                self.flush_group()?;
            }
            ops = rest;
        }
        Ok(())
    }

    /// Writes the open row group, which is full, to the table and to the segment.
    fn flush_group(&mut self) -> Result<(), LogError> {
        let from = self.segment.from;
        let mut tail = None;
        if self.table_wanted() {
            let whole = self.encode_from(0)?;
            self.append_to_table(&whole);
            tail = (from == 0).then_some(whole);
        }
        let tail = match tail {
            Some(whole) => whole,
            None => self.encode_from(from)?,
        };
        self.append_to_segment(&tail)?;
        self.clear_rows();
        Ok(())
    }

    /// Writes all rows since the last seal to a segment.
    fn seal(&mut self) -> Result<(), LogError> {
        if !self.segment.unsealed {
            return Ok(());
        }
        assert!(self.segment.from <= self.rows.len(), "a segment begins within the open row group");
        if self.segment.from < self.rows.len() {
            let tail = self.encode_from(self.segment.from)?;
            self.append_to_segment(&tail)?;
        }
        let Some(part) = self.segment.part.take() else {
            return Ok(());
        };
        assert!(part.rows() > 0, "a segment that is sealed has rows");
        // Rows of a full group are no longer in memory, so such a segment can't be rewritten.
        let whole_in_memory = part.rows() == (self.rows.len() - self.segment.from) as u64;
        let small = whole_in_memory && part.rows() < self.options.segment_rows as u64;
        self.segment.sealed_bytes = self.finish_part(part, PartRange::one(self.segment.number))?;
        self.segment.unsealed = false;
        self.sealed_count = self.row_count;
        if !small {
            self.next_segment();
        }
        Ok(())
    }

    /// Ends the sealed segment, and decides whether to close the table.
    fn next_segment(&mut self) {
        let large = self.segment.sealed_bytes >= self.options.large_segment_bytes;
        self.segment.number += 1;
        self.segment.from = self.rows.len();
        self.segment.sealed_bytes = 0;
        if self.table_wanted() {
            let segments = self.segment.number - self.table.first;
            let groups = self.table.part.as_ref().map_or(0, PartFile::group_count);
            let full = segments >= self.options.table_segments || groups >= self.options.table_groups;
            if large || full {
                self.close_table();
            }
        } else {
            self.clear_rows(); // They are sealed, and kept for a table only.
        }
        match self.table.state {
            TableState::Failed(_) => {}
            _ if large => self.table.state = TableState::Pausing,
            TableState::Pausing => {
                self.table.state = TableState::Wanted;
                self.begin_table();
            }
            TableState::Wanted => {}
        }
    }

    /// Renames the table and removes its segments. All rows of the open row group are sealed.
    fn close_table(&mut self) {
        if !self.table_wanted() {
            return;
        }
        let span = PartRange { first: self.table.first, last: self.segment.number - 1 };
        if span.first < span.last
            && let Err(error) = self.finish_table(span)
        {
            self.table.state = TableState::Failed(error);
        }
        self.table.part = None;
        self.begin_table();
        self.clear_rows();
    }

    /// Starts the next table with the open segment.
    fn begin_table(&mut self) {
        self.table.first = self.segment.number;
        self.table.rows_before = self.sealed_count;
    }

    fn finish_table(&mut self, span: PartRange) -> Result<(), LogError> {
        if self.rows.len() > 0 {
            let rest = self.encode_from(0)?;
            self.open_table()?.append(&rest)?;
        }
        let Some(part) = self.table.part.take() else {
            return Ok(());
        };
        // Its segments are about to be removed.
        assert!(
            self.table.rows_before <= self.sealed_count,
            "a table begins with rows that are sealed later"
        );
        let rows = self.sealed_count - self.table.rows_before;
        assert_eq!(part.rows(), rows, "a table has the rows of its segments");
        self.finish_part(part, span)?;
        // From here on the table is valid: this crate's readers skip its segments, and `repair` removes
        // segments that remain if the process is killed here.
        for number in span.first..=span.last {
            let path = self.dir.join(PartRange::one(number).file_name());
            self.disk.remove(&path).map_err(LogError::io("delete", &path))?;
        }
        Ok(())
    }

    fn finish_part(&self, part: PartFile, span: PartRange) -> Result<u64, LogError> {
        let path = self.dir.join(span.file_name());
        part.finish(&path, |used| meta::to_key_values(&self.meta, used, &self.files))
    }

    /// A table that can't be written is abandoned, which frees its space; its rows are in segments.
    fn append_to_table(&mut self, group: &group::EncodedGroup) {
        if let Err(error) = self.open_table().and_then(|part| part.append(group)) {
            self.table.part = None;
            self.table.state = TableState::Failed(error);
        }
    }

    fn append_to_segment(&mut self, group: &group::EncodedGroup) -> Result<(), LogError> {
        let path = names::temporary_segment(&self.dir, self.segment.number);
        open(&mut self.segment.part, &self.disk, path, &self.schema)?.append(group)
    }

    fn open_table(&mut self) -> Result<&mut PartFile, LogError> {
        let path = names::temporary_table(&self.dir, self.table.first);
        open(&mut self.table.part, &self.disk, path, &self.schema)
    }

    fn encode_from(&self, from: usize) -> Result<group::EncodedGroup, LogError> {
        group::encode(&self.rows, from..self.rows.len()).map_err(|source| LogError::Encode { source })
    }

    fn table_wanted(&self) -> bool {
        matches!(self.table.state, TableState::Wanted)
    }

    fn clear_rows(&mut self) {
        self.rows.clear();
        self.segment.from = 0;
    }
}

/// The part, started if necessary.
fn open<'a>(
    part: &'a mut Option<PartFile>,
    disk: &Arc<dyn Disk>,
    path: PathBuf,
    schema: &SchemaDescPtr,
) -> Result<&'a mut PartFile, LogError> {
    match part {
        Some(part) => Ok(part),
        None => Ok(part.insert(PartFile::create(Arc::clone(disk), path, schema.clone())?)),
    }
}

/// The error for the first of these operations that the files can't store.
fn out_of_range(ops: &[OpRecord]) -> LogError {
    let above = |op: &&OpRecord| (op.offset | op.due_ns | op.issued_ns | op.done_ns) >> 63 != 0;
    LogError::OutOfRange { worker: ops.iter().find(above).map_or(0, |op| op.worker) }
}

fn refuse_existing(disk: &dyn Disk, dir: &Path) -> Result<(), LogError> {
    for path in disk.list(dir).map_err(LogError::io("list", dir))? {
        let name = name_of(&path);
        if PartRange::parse(&name).is_some() || names::is_temporary(&name) {
            return Err(LogError::AlreadyThere { dir: dir.to_path_buf() });
        }
    }
    Ok(())
}

/// The last component of a path.
fn name_of(path: &Path) -> String {
    // Empty if there is none, which is no valid name of a part.
    path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Makes all parts durable and counts them: bytes and parts.
///
/// Nothing is flushed during the run: a flush would add bursts of writes to the measured load. A killed
/// process loses nothing that it has written. Only a crash of the whole host does, and that also ends
/// the measurement. After the run the flush disturbs nothing, and protects the results against a power
/// failure.
fn make_durable(disk: &dyn Disk, dir: &Path) -> Result<(u64, u32), LogError> {
    let (mut bytes, mut parts) = (0, 0);
    for path in disk.list(dir).map_err(LogError::io("list", dir))? {
        if PartRange::parse(&name_of(&path)).is_some() {
            bytes += disk.sync(&path).map_err(LogError::io("flush", &path))?;
            parts += 1;
        }
    }
    disk.sync_dir(dir).map_err(LogError::io("flush", dir))?;
    Ok((bytes, parts))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::log::CaptureLevel;
    use crate::test_records::read;

    /// A log with small groups, and its folder.
    fn log(options: LogOptions) -> (LogWriter, tempfile::TempDir) {
        let folder = tempfile::tempdir().unwrap();
        let meta = LogMeta {
            run_ns: 0,
            agent: "local".to_owned(),
            capture: CaptureLevel::Application,
            blind_to: Vec::new(),
        };
        let dir = folder.path().join("agent=local");
        (LogWriter::create_with(&dir, meta, Vec::new(), options).unwrap(), folder)
    }

    fn small() -> LogOptions {
        LogOptions { group_rows: 4, segment_rows: 2, ..LogOptions::default() }
    }

    #[test]
    #[should_panic(expected = "a log has room for rows")]
    fn log_without_capacity_is_a_defect() {
        log(LogOptions { group_rows: 0, ..small() });
    }

    #[test]
    #[should_panic(expected = "rows that are sealed were appended")]
    fn more_rows_sealed_than_appended_is_a_defect() {
        let (mut log, _folder) = log(small());
        log.sealed_count = 1;
        let _ = log.finish();
    }

    #[test]
    #[should_panic(expected = "a log that never failed holds every row")]
    fn a_row_that_no_segment_holds_is_a_defect() {
        let (mut log, _folder) = log(small());
        log.append(&[read(0, 0, 4096)]).unwrap();
        log.segment.unsealed = false;
        let _ = log.finish();
    }

    #[test]
    #[should_panic(expected = "a full row group was written")]
    fn a_full_group_that_stays_is_a_defect() {
        let (mut log, _folder) = log(small());
        assert!(log.rows.push(&[read(0, 0, 4096); 4]));
        let _ = log.append(&[read(0, 0, 4096)]);
    }

    #[test]
    #[should_panic(expected = "a segment begins within the open row group")]
    fn a_segment_beyond_its_group_is_a_defect() {
        let (mut log, _folder) = log(small());
        log.append(&[read(0, 0, 4096)]).unwrap();
        log.segment.from = 2;
        let _ = log.finish();
    }

    #[test]
    #[should_panic(expected = "a segment that is sealed has rows")]
    fn an_empty_segment_is_a_defect() {
        let (mut log, _folder) = log(small());
        let path = names::temporary_segment(&log.dir, 1);
        open(&mut log.segment.part, &log.disk, path, &log.schema).unwrap();
        log.segment.unsealed = true;
        let _ = log.finish();
    }

    #[test]
    #[should_panic(expected = "a table has the rows of its segments")]
    fn a_table_that_lacks_rows_is_a_defect() {
        let (mut log, _folder) = log(small());
        for at in 0..6 {
            log.append(&[read(0, at * 4096, 4096); 3]).unwrap();
            log.tick(at * 1_000_000_000).unwrap();
        }
        log.sealed_count += 1;
        log.row_count += 1;
        let _ = log.finish();
    }

    #[test]
    #[should_panic(expected = "a table begins with rows that are sealed later")]
    fn a_table_ahead_of_its_rows_is_a_defect() {
        let (mut log, _folder) = log(small());
        for at in 0..6 {
            log.append(&[read(0, at * 4096, 4096); 3]).unwrap();
            log.tick(at * 1_000_000_000).unwrap();
        }
        log.table.rows_before = 100;
        let _ = log.finish();
    }
}
