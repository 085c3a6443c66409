//! Reads one part. Input is untrusted: a part may be damaged, foreign, or malicious.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::Type as PhysicalType;
use parquet::column::reader::ColumnReader;
use parquet::data_type::ByteArray;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader, RowGroupMetaData};

use crate::log::{ColumnFault, open_column};
use crate::panic_guard::contained;
use crate::regular_file::open_regular;

use super::{
    COLUMNS, CountersError, KEY_AGENT, KEY_RUN_NS, KEY_UNREAD, KEY_VERSION, SCHEMA_VERSION, StoreMeta,
};

/// Rows that are read at a time.
const BATCH_ROWS: usize = 1 << 12;

/// One row of the file.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CounterRow<'a> {
    /// The time in nanoseconds of the run's clock; not negative.
    pub at_ns: u64,
    /// Name of the layer.
    pub layer: &'a str,
    /// Name of the counter.
    pub name: &'a str,
    /// Name of the device; empty if the counter has none.
    pub device: &'a str,
    /// Unit of the value.
    pub unit: &'a str,
    /// `None` if there is no value.
    pub value: Option<f64>,
}

/// Passes every row of a part to `take`, and returns descriptions of counters that could not be sampled.
///
/// # Errors
/// If it can't be read to its end. The rows before the error have been passed on.
pub fn read_part(path: &Path, take: &mut dyn FnMut(CounterRow<'_>)) -> Result<Vec<String>, CountersError> {
    let (file, _) = open_regular(path).map_err(CountersError::io("open", path))?;
    let part = contained(|| Part::open(file)).unwrap_or_else(contradiction);
    part.and_then(|part| part.read(take))
        .map_err(|why| CountersError::Damaged { path: path.to_path_buf(), why })
}

/// The agent of a part, and the wall-clock time of its time 0.
///
/// # Errors
/// If it cannot be read, or lacks these facts.
pub fn part_meta(path: &Path) -> Result<StoreMeta, CountersError> {
    let (file, _) = open_regular(path).map_err(CountersError::io("open", path))?;
    let meta = contained(|| Part::open(file).and_then(|part| part.meta())).unwrap_or_else(contradiction);
    meta.map_err(|why| CountersError::Damaged { path: path.to_path_buf(), why })
}

/// Converts a panic of the Parquet library into an error.
fn contradiction<T>() -> Result<T, String> {
    Err("its Parquet pages are inconsistent".to_owned())
}

/// A part being read. Errors are plain text here; the caller adds the file's name.
struct Part {
    file: Arc<File>,
    file_bytes: u64,
    footer: ParquetMetaData,
    /// The position of each of [`COLUMNS`] in this file, and whether its values may be missing.
    places: Vec<(usize, bool)>,
}

/// A batch of every column.
#[derive(Default)]
struct Batch {
    times: Vec<i64>,
    texts: [Vec<ByteArray>; 4],
    values: Vec<f64>,
    levels: Vec<i16>,
}

fn error_text(error: impl std::fmt::Display) -> String {
    error.to_string()
}

impl Part {
    fn open(file: File) -> Result<Part, String> {
        let footer = ParquetMetaDataReader::new().parse_and_finish(&file).map_err(error_text)?;
        let file_bytes = file.metadata().map_err(error_text)?.len();
        let mut part = Part { file: Arc::new(file), file_bytes, footer, places: Vec::new() };
        let version = part.metadata(KEY_VERSION).ok_or("it is not marked as counters")?;
        match version.parse::<u32>() {
            Ok(1..=SCHEMA_VERSION) => {}
            Ok(newer) if newer > SCHEMA_VERSION => {
                return Err(format!(
                    "a newer version of Reelgauge wrote it (counters {newer}). Update Reelgauge"
                ));
            }
            _ => return Err("its version is not a number".to_owned()),
        }
        part.places = COLUMNS.iter().map(|name| part.find(name)).collect::<Result<_, _>>()?;
        Ok(part)
    }

    fn meta(&self) -> Result<StoreMeta, String> {
        let run_ns = self.metadata(KEY_RUN_NS).and_then(|text| text.parse().ok());
        Ok(StoreMeta {
            run_ns: run_ns.ok_or("it has no start time")?,
            // Counters of other programs may lack the name.
            agent: self.metadata(KEY_AGENT).unwrap_or_default().to_owned(),
        })
    }

    fn metadata(&self, key: &str) -> Option<&str> {
        let all = self.footer.file_metadata().key_value_metadata()?;
        all.iter().find(|pair| pair.key == key)?.value.as_deref()
    }

    fn find(&self, name: &str) -> Result<(usize, bool), String> {
        let schema = self.footer.file_metadata().schema_descr();
        let leaf = schema.columns().iter().position(|leaf| leaf.path().parts() == [name]);
        let leaf = leaf.ok_or_else(|| format!("it has no column '{name}'"))?;
        let column = schema.column(leaf);
        let physical = match name {
            "at_ns" => PhysicalType::INT64,
            "value" => PhysicalType::DOUBLE,
            _ => PhysicalType::BYTE_ARRAY,
        };
        if column.physical_type() != physical || column.max_rep_level() > 0 || column.max_def_level() > 1 {
            return Err(format!("column '{name}' is not of type {physical}"));
        }
        Ok((leaf, column.max_def_level() > 0))
    }

    fn read(&self, take: &mut dyn FnMut(CounterRow<'_>)) -> Result<Vec<String>, String> {
        for group in 0..self.footer.num_row_groups() {
            let group = self.footer.row_group(group);
            let columns = self.places.iter().map(|(leaf, _)| self.open_column(group, *leaf));
            let columns = contained(|| columns.collect::<Result<Vec<_>, _>>());
            let mut columns = columns.unwrap_or_else(contradiction)?;
            let mut left = usize::try_from(group.num_rows()).unwrap_or(0);
            let mut batch = Batch::default();
            while left > 0 {
                let count = left.min(BATCH_ROWS);
                let filled = contained(|| {
                    let mut numbered = columns.iter_mut().enumerate();
                    numbered.try_for_each(|(at, column)| batch.fill(at, column, self.places[at].1, count))
                });
                filled.unwrap_or_else(contradiction)?;
                batch.hand_over(take)?;
                left -= count;
            }
        }
        let unread = self.metadata(KEY_UNREAD).unwrap_or("[]");
        serde_json::from_str(unread).map_err(error_text)
    }

    fn open_column(&self, group: &RowGroupMetaData, leaf: usize) -> Result<ColumnReader, String> {
        open_column(&self.file, self.file_bytes, group, leaf).map_err(|fault| match fault {
            ColumnFault::Lacking => "a row group does not have a column".to_owned(),
            ColumnFault::Outside => "its pages lie outside the file".to_owned(),
            ColumnFault::Compressed => "it is compressed, which counters must not be".to_owned(),
            ColumnFault::Library(error) => error_text(error),
        })
    }
}

impl Batch {
    /// Reads `count` values of column number `at` of [`COLUMNS`].
    fn fill(
        &mut self,
        at: usize,
        column: &mut ColumnReader,
        optional: bool,
        count: usize,
    ) -> Result<(), String> {
        self.levels.clear();
        let levels = optional.then_some(&mut self.levels);
        let (rows, present, _) = match (at, column) {
            (0, ColumnReader::Int64ColumnReader(reader)) => {
                self.times.clear();
                reader.read_records(count, levels, None, &mut self.times)
            }
            (1..=4, ColumnReader::ByteArrayColumnReader(reader)) => {
                let texts = &mut self.texts[at - 1];
                texts.clear();
                reader.read_records(count, levels, None, texts)
            }
            (5, ColumnReader::DoubleColumnReader(reader)) => {
                self.values.clear();
                reader.read_records(count, levels, None, &mut self.values)
            }
            _ => return Err("a column has another type".to_owned()),
        }
        .map_err(error_text)?;
        // Only column 5 (the value) may have missing entries.
        if rows != count || at != 5 && present != count {
            return Err(format!("column '{}' has fewer values than rows", COLUMNS[at]));
        }
        if at == 5 && !optional {
            self.levels.resize(count, 1);
        }
        Ok(())
    }

    fn hand_over(&self, take: &mut dyn FnMut(CounterRow<'_>)) -> Result<(), String> {
        let rows = self.times.len();
        if self.levels.len() != rows || self.texts.iter().any(|texts| texts.len() != rows) {
            return contradiction();
        }
        let mut values = self.values.iter().copied();
        for (at, (time, level)) in self.times.iter().zip(&self.levels).enumerate() {
            let text = |column: usize| {
                let bytes = self.texts[column].get(at).map_or(&[][..], ByteArray::data);
                std::str::from_utf8(bytes).map_err(|_| "a name in it is not text".to_owned())
            };
            let value = if *level == 0 { None } else { values.next() };
            take(CounterRow {
                at_ns: u64::try_from(*time).map_err(|_| "a time in it is negative".to_owned())?,
                layer: text(0)?,
                name: text(1)?,
                device: text(2)?,
                unit: text(3)?,
                value: value.filter(|value| value.is_finite()),
            });
        }
        Ok(())
    }
}
