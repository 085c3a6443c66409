//! The same rows written by the Parquet library's own writer: the cost of the log without custom
//! encoders.
//!
//! The same columns, encodings, statistics and row groups, in one file. It writes no segments, so a kill
//! would lose everything. This omission favours the library.

use std::error::Error;
use std::fs::File;
use std::path::Path;
use std::sync::Arc;

use parquet::basic::{Encoding, LogicalType, Repetition, Type as PhysicalType};
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties, WriterVersion};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::{ColumnPath, Type};

use reelgauge_record::{OpKind, OpRecord};

/// The size of a row group, as in the log.
const GROUP_ROWS: usize = 1 << 16;

/// The source of a column's values.
enum Values {
    Wide(fn(&OpRecord) -> u64),
    Narrow(fn(&OpRecord) -> u32),
    Kind,
}

/// A column: its name, its bits if it is unsigned, whether it is delta-encoded, whether it has minimum
/// and maximum, and its values.
struct Column(&'static str, Option<i8>, bool, bool, Values);

/// The columns of the log, in its order.
const COLUMNS: [Column; 14] = [
    Column("worker", Some(32), false, true, Values::Narrow(|op| op.worker)),
    Column("stream", Some(32), false, true, Values::Narrow(|op| op.stream)),
    Column("transfer", Some(32), true, false, Values::Narrow(|op| op.transfer)),
    Column("kind", None, false, false, Values::Kind),
    Column("file", Some(32), false, true, Values::Narrow(|op| op.file)),
    Column("offset", None, true, false, Values::Wide(|op| op.offset)),
    Column("len", Some(32), false, true, Values::Narrow(|op| op.len)),
    Column("done_len", Some(32), false, true, Values::Narrow(|op| op.done_len)),
    Column("due_ns", None, true, true, Values::Wide(|op| op.due_ns)),
    Column("issued_ns", None, true, false, Values::Wide(|op| op.issued_ns)),
    Column("done_ns", None, true, true, Values::Wide(|op| op.done_ns)),
    Column("errno", None, false, true, Values::Narrow(|op| op.errno as u32)),
    Column("flags", Some(8), false, true, Values::Narrow(|op| u32::from(op.flags.0))),
    Column("point", Some(16), false, true, Values::Narrow(|op| u32::from(op.point))),
];

/// A log in one file.
pub struct LibraryWriter {
    file: SerializedFileWriter<File>,
    kinds: Vec<ByteArray>,
    rows: Vec<OpRecord>,
}

impl LibraryWriter {
    pub fn create(path: &Path) -> Result<LibraryWriter, Box<dyn Error>> {
        let file = SerializedFileWriter::new(File::create(path)?, schema()?, Arc::new(properties()))?;
        let kinds = OpKind::ALL.iter().map(|kind| ByteArray::from(kind.name())).collect();
        Ok(LibraryWriter { file, kinds, rows: Vec::with_capacity(2 * GROUP_ROWS) })
    }

    pub fn append(&mut self, ops: &[OpRecord]) -> Result<(), ParquetError> {
        self.rows.extend_from_slice(ops);
        while self.rows.len() >= GROUP_ROWS {
            self.write_group(GROUP_ROWS)?;
        }
        Ok(())
    }

    pub fn finish(mut self) -> Result<u64, ParquetError> {
        if !self.rows.is_empty() {
            self.write_group(self.rows.len())?;
        }
        self.file.finish()?;
        Ok(self.file.bytes_written() as u64)
    }

    fn write_group(&mut self, count: usize) -> Result<(), ParquetError> {
        let rows = &self.rows[..count];
        let mut group = self.file.next_row_group()?;
        for column in &COLUMNS {
            let Some(mut writer) = group.next_column()? else {
                return Err(ParquetError::General("fewer columns than there are".to_owned()));
            };
            match column.4 {
                Values::Wide(value) => {
                    let values: Vec<i64> = rows.iter().map(|op| value(op) as i64).collect();
                    writer.typed::<Int64Type>().write_batch(&values, None, None)?;
                }
                Values::Narrow(value) => {
                    let values: Vec<i32> = rows.iter().map(|op| value(op) as i32).collect();
                    writer.typed::<Int32Type>().write_batch(&values, None, None)?;
                }
                Values::Kind => {
                    let values: Vec<ByteArray> =
                        rows.iter().map(|op| self.kinds[op.kind as usize].clone()).collect();
                    writer.typed::<ByteArrayType>().write_batch(&values, None, None)?;
                }
            }
            writer.close()?;
        }
        group.close()?;
        self.rows.drain(..count);
        Ok(())
    }
}

fn schema() -> Result<Arc<Type>, ParquetError> {
    let fields = COLUMNS.iter().map(|Column(name, bits, _, _, values)| {
        let (physical, logical) = match values {
            Values::Wide(_) => (PhysicalType::INT64, None),
            Values::Narrow(_) => (PhysicalType::INT32, bits.map(|bits| LogicalType::integer(bits, false))),
            Values::Kind => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(name, physical).with_repetition(Repetition::REQUIRED);
        Ok(Arc::new(field.with_logical_type(logical).build()?))
    });
    let fields = fields.collect::<Result<Vec<_>, ParquetError>>()?;
    Ok(Arc::new(Type::group_type_builder("operation").with_fields(fields).build()?))
}

fn properties() -> WriterProperties {
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_max_row_group_row_count(Some(GROUP_ROWS))
        .set_offset_index_disabled(true)
        .set_statistics_enabled(EnabledStatistics::None);
    for Column(name, _, is_delta, has_min_max, _) in &COLUMNS {
        let path = ColumnPath::from(*name);
        if *is_delta {
            properties = properties
                .set_column_dictionary_enabled(path.clone(), false)
                .set_column_encoding(path.clone(), Encoding::DELTA_BINARY_PACKED);
        }
        if *has_min_max {
            properties = properties.set_column_statistics_enabled(path, EnabledStatistics::Chunk);
        }
    }
    properties.build()
}
