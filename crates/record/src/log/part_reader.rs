//! Reads the rows of a part.
//!
//! Input is untrusted: a column may be missing or of another type, a value out of range, an offset
//! outside the file. Parts that another program has rewritten are supported (columns optional or in
//! another order, other encodings and row groups), as long as they are not compressed.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{ConvertedType, LogicalType, Type as PhysicalType};
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, RowGroupMetaData};

use crate::op::{OpFlags, OpKind, OpRecord};
use crate::panic_guard::contained;

use super::column_chunk::{ColumnFault, open_column};
use super::error::LogError;
use super::schema::{COLUMN_COUNT, COLUMNS, Cells, Column, Meaning, cell};

/// A part being read.
pub(super) struct PartReader {
    path: PathBuf,
    file: Arc<File>,
    file_bytes: u64,
    footer: ParquetMetaData,
    /// The position of each of [`COLUMNS`] in this file.
    places: [Place; COLUMN_COUNT],
    next_group: usize,
    /// One reader per column, for the current row group.
    columns: Vec<ColumnReader>,
    rows_left: u64,
    values: Values,
}

/// The position of a column in the current file.
#[derive(Clone, Copy, Default)]
struct Place {
    leaf: usize,
    /// Whether the schema allows missing values. A missing value is an error all the same.
    optional: bool,
    /// Whether the file declares the column as unsigned.
    unsigned: bool,
}

/// The columns of a batch, as stored in the file.
#[derive(Default)]
struct Values {
    wide: [Vec<i64>; cell::WIDE_COUNT],
    narrow: [Vec<i32>; cell::NARROW_COUNT],
    names: Vec<ByteArray>,
    kinds: Vec<OpKind>,
    levels: Vec<i16>,
}

/// The reason why a part can't be read, without its path.
enum Fault {
    Library(ParquetError),
    Column(&'static str, String),
    /// The Parquet library panicked on the part's content.
    Panic,
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Fault {
        Fault::Library(error)
    }
}

impl PartReader {
    /// Opens a file whose footer declares version 1.
    pub fn new(path: &Path, file: File, footer: ParquetMetaData) -> Result<PartReader, LogError> {
        let places =
            find_columns(&footer).map_err(|why| LogError::NotALog { path: path.to_path_buf(), why })?;
        let grouped: i128 = footer.row_groups().iter().map(|group| i128::from(group.num_rows())).sum();
        if grouped != i128::from(footer.file_metadata().num_rows()) {
            return Err(LogError::Corrupt {
                path: path.to_path_buf(),
                why: "its footer and its row groups disagree on the number of rows".to_owned(),
            });
        }
        let file_bytes = file.metadata().map_err(LogError::io("stat", path))?.len();
        Ok(PartReader {
            path: path.to_path_buf(),
            file: Arc::new(file),
            file_bytes,
            footer,
            places,
            next_group: 0,
            columns: Vec::new(),
            rows_left: 0,
            values: Values::default(),
        })
    }

    /// Appends the next operations, at most `max`; none at the end. Must not be called again after an
    /// error.
    pub fn read(&mut self, max: usize, ops: &mut Vec<OpRecord>) -> Result<(), LogError> {
        let fault = match contained(|| self.read_rows(max, ops)) {
            Some(Ok(())) => return Ok(()),
            Some(Err(fault)) => fault,
            None => Fault::Panic,
        };
        Err(LogError::Corrupt {
            path: self.path.clone(),
            why: match fault {
                Fault::Library(error) => error.to_string(),
                Fault::Column(column, why) => format!("column {column}: {why}"),
                Fault::Panic => "its Parquet pages are inconsistent".to_string(),
            },
        })
    }

    fn read_rows(&mut self, max: usize, ops: &mut Vec<OpRecord>) -> Result<(), Fault> {
        while self.rows_left == 0 {
            if self.next_group == self.footer.num_row_groups() {
                return Ok(());
            }
            self.open_group()?;
        }
        let count = usize::try_from(self.rows_left).map_or(max, |left| left.min(max));
        for (at, column) in COLUMNS.iter().enumerate() {
            self.values.fill(column, self.places[at], &mut self.columns[at], count)?;
        }
        self.values.append_to(ops);
        self.rows_left -= count as u64;
        Ok(())
    }

    fn open_group(&mut self) -> Result<(), Fault> {
        let group = self.footer.row_group(self.next_group);
        self.columns.clear();
        for (column, place) in COLUMNS.iter().zip(self.places) {
            self.columns.push(self.open_column(group, column, place)?);
        }
        // The library refuses a negative row count; if it does not, treat it as 0.
        self.rows_left = u64::try_from(group.num_rows()).unwrap_or(0);
        self.next_group += 1;
        Ok(())
    }

    fn open_column(
        &self,
        group: &RowGroupMetaData,
        column: &Column,
        place: Place,
    ) -> Result<ColumnReader, Fault> {
        open_column(&self.file, self.file_bytes, group, place.leaf).map_err(|fault| {
            let why = match fault {
                ColumnFault::Lacking => "a row group does not have it",
                ColumnFault::Outside => "its pages lie outside the file",
                ColumnFault::Compressed => "it is compressed. Write the file again without compression",
                ColumnFault::Library(error) => return Fault::Library(error),
            };
            Fault::Column(column.name, why.to_owned())
        })
    }
}

/// Finds the log's columns by name; the error names the first that does not fit.
fn find_columns(footer: &ParquetMetaData) -> Result<[Place; COLUMN_COUNT], String> {
    let schema = footer.file_metadata().schema_descr();
    let mut places = [Place::default(); COLUMN_COUNT];
    for (column, place) in COLUMNS.iter().zip(&mut places) {
        let leaf = schema
            .columns()
            .iter()
            .position(|leaf| leaf.path().parts() == [column.name])
            .ok_or_else(|| format!("it has no column '{}'", column.name))?;
        let descriptor = schema.column(leaf);
        let physical = match column.meaning {
            Meaning::Int64 => PhysicalType::INT64,
            Meaning::Int32 | Meaning::Unsigned(_) => PhysicalType::INT32,
            Meaning::Text => PhysicalType::BYTE_ARRAY,
        };
        if descriptor.physical_type() != physical || descriptor.max_rep_level() > 0 {
            return Err(format!("column '{}' is not of type {physical}", column.name));
        }
        *place = Place {
            leaf,
            optional: descriptor.max_def_level() > 0,
            unsigned: matches!(
                descriptor.logical_type_ref(),
                Some(LogicalType::Integer(integer)) if !integer.is_signed
            ) || descriptor.converted_type() == ConvertedType::UINT_32,
        };
    }
    Ok(places)
}

impl Values {
    /// Reads and checks `count` values of a column.
    fn fill(
        &mut self,
        column: &Column,
        place: Place,
        reader: &mut ColumnReader,
        count: usize,
    ) -> Result<(), Fault> {
        self.levels.clear();
        let levels = place.optional.then_some(&mut self.levels);
        let (_, read, _) = match (column.cells, reader) {
            (Cells::Wide(at), ColumnReader::Int64ColumnReader(reader)) => {
                self.wide[at].clear();
                reader.read_records(count, levels, None, &mut self.wide[at])?
            }
            (Cells::Narrow(at), ColumnReader::Int32ColumnReader(reader)) => {
                self.narrow[at].clear();
                reader.read_records(count, levels, None, &mut self.narrow[at])?
            }
            (Cells::Narrow(_), ColumnReader::ByteArrayColumnReader(reader)) => {
                self.names.clear();
                reader.read_records(count, levels, None, &mut self.names)?
            }
            _ => {
                return Err(Fault::Column(column.name, "it has another type".to_string()));
            }
        };
        if read != count {
            return Err(Fault::Column(column.name, "it has fewer values than rows".to_string()));
        }
        self.check(column, place)
    }

    fn check(&mut self, column: &Column, place: Place) -> Result<(), Fault> {
        match (column.cells, column.meaning) {
            (Cells::Wide(at), _) => {
                let all = self.wide[at].iter().fold(0, |all, &value| all | value);
                expect_in_range(column, all >= 0)
            }
            (Cells::Narrow(_), Meaning::Text) => self.look_up_kinds(column),
            (Cells::Narrow(at), Meaning::Unsigned(bits)) => {
                let all = self.narrow[at].iter().fold(0, |all, &value| all | value as u32);
                let bits = if place.unsigned { bits as u32 } else { (bits as u32).min(31) };
                expect_in_range(column, bits == u32::BITS || all >> bits == 0)
            }
            (Cells::Narrow(_), Meaning::Int32 | Meaning::Int64) => Ok(()),
        }
    }

    fn look_up_kinds(&mut self, column: &Column) -> Result<(), Fault> {
        self.kinds.clear();
        // There are only a few kinds, so each is parsed once.
        let mut known: Vec<(&[u8], OpKind)> = Vec::new();
        for name in &self.names {
            let name = name.data();
            let kind = match known.iter().rfind(|(text, _)| *text == name) {
                Some((_, kind)) => *kind,
                None => {
                    let text = String::from_utf8_lossy(name);
                    let kind = OpKind::from_name(&text).ok_or_else(|| {
                        let shown: String = text.escape_debug().take(40).collect();
                        Fault::Column(column.name, format!("unknown kind of operation '{shown}'"))
                    })?;
                    known.push((name, kind));
                    kind
                }
            };
            self.kinds.push(kind);
        }
        Ok(())
    }

    /// Converts the columns to records. Every column has the same number of values, all within range.
    fn append_to(&self, ops: &mut Vec<OpRecord>) {
        let wide = |cell: usize, row: usize| self.wide[cell][row] as u64;
        let narrow = |cell: usize, row: usize| self.narrow[cell][row] as u32;
        ops.reserve(self.kinds.len());
        ops.extend(self.kinds.iter().enumerate().map(|(row, &kind)| OpRecord {
            offset: wide(cell::OFFSET, row),
            due_ns: wide(cell::DUE, row),
            issued_ns: wide(cell::ISSUED, row),
            done_ns: wide(cell::DONE, row),
            worker: narrow(cell::WORKER, row),
            stream: narrow(cell::STREAM, row),
            transfer: narrow(cell::TRANSFER, row),
            file: narrow(cell::FILE, row),
            len: narrow(cell::LEN, row),
            done_len: narrow(cell::DONE_LEN, row),
            errno: narrow(cell::ERRNO, row) as i32,
            kind,
            flags: OpFlags(narrow(cell::FLAGS, row) as u8),
            point: narrow(cell::POINT, row) as u16,
        }));
    }
}

fn expect_in_range(column: &Column, holds: bool) -> Result<(), Fault> {
    if holds { Ok(()) } else { Err(Fault::Column(column.name, "a value is out of range".to_string())) }
}
