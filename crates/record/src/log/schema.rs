//! The columns of the log, as one table: their names, the sources of their values and their encodings.
//! To add a column, add it here and to [`super::rows`], and increment the version.

use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::schema::types::{SchemaDescPtr, SchemaDescriptor, Type};

/// Version of the log's columns and metadata. A program reads every version up to its own.
pub const SCHEMA_VERSION: u32 = 1;

/// How many columns the log has.
pub(super) const COLUMN_COUNT: usize = 14;

/// The location of a column's values in the rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cells {
    /// 64 bits each: an index into [`super::rows::Rows::wide`].
    Wide(usize),
    /// 32 bits each: an index into [`super::rows::Rows::narrow`].
    Narrow(usize),
}

/// How a column's values are encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Packing {
    /// As differences: for values that increase steadily.
    Delta,
    /// With a dictionary; as differences if there are too many distinct values.
    Dictionary,
    /// With a dictionary of the names of operation kinds.
    KindName,
}

/// The declared type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    /// Signed, 64 bits, never negative.
    Int64,
    /// Signed, with 32 bits.
    Int32,
    /// Unsigned, of this many bits, in a 32-bit column.
    Unsigned(i8),
    Text,
}

/// One column of the log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub name: &'static str,
    pub meaning: Meaning,
    pub cells: Cells,
    pub packing: Packing,
    /// Whether a row group has the column's minimum and maximum, so that readers can skip to a time or
    /// worker. Costs nothing with a dictionary.
    pub min_max: bool,
}

const fn counter(name: &'static str, cells: Cells, meaning: Meaning, min_max: bool) -> Column {
    Column { name, meaning, cells, packing: Packing::Delta, min_max }
}

const fn repeating(name: &'static str, cell: usize, meaning: Meaning) -> Column {
    Column { name, meaning, cells: Cells::Narrow(cell), packing: Packing::Dictionary, min_max: true }
}

pub(super) mod cell {
    pub const OFFSET: usize = 0;
    pub const DUE: usize = 1;
    pub const ISSUED: usize = 2;
    pub const DONE: usize = 3;
    pub const WIDE_COUNT: usize = 4;

    pub const WORKER: usize = 0;
    pub const STREAM: usize = 1;
    pub const TRANSFER: usize = 2;
    pub const KIND: usize = 3;
    pub const FILE: usize = 4;
    pub const LEN: usize = 5;
    pub const DONE_LEN: usize = 6;
    pub const ERRNO: usize = 7;
    pub const FLAGS: usize = 8;
    pub const POINT: usize = 9;
    pub const NARROW_COUNT: usize = 10;
}

/// Every column, in file order.
pub(super) const COLUMNS: [Column; COLUMN_COUNT] = [
    repeating("worker", cell::WORKER, Meaning::Unsigned(32)),
    repeating("stream", cell::STREAM, Meaning::Unsigned(32)),
    counter("transfer", Cells::Narrow(cell::TRANSFER), Meaning::Unsigned(32), false),
    Column {
        name: "kind",
        meaning: Meaning::Text,
        cells: Cells::Narrow(cell::KIND),
        packing: Packing::KindName,
        min_max: false,
    },
    repeating("file", cell::FILE, Meaning::Unsigned(32)),
    counter("offset", Cells::Wide(cell::OFFSET), Meaning::Int64, false),
    repeating("len", cell::LEN, Meaning::Unsigned(32)),
    repeating("done_len", cell::DONE_LEN, Meaning::Unsigned(32)),
    counter("due_ns", Cells::Wide(cell::DUE), Meaning::Int64, true),
    counter("issued_ns", Cells::Wide(cell::ISSUED), Meaning::Int64, false),
    counter("done_ns", Cells::Wide(cell::DONE), Meaning::Int64, true),
    repeating("errno", cell::ERRNO, Meaning::Int32),
    repeating("flags", cell::FLAGS, Meaning::Unsigned(8)),
    repeating("point", cell::POINT, Meaning::Unsigned(16)),
];

/// The schema of a part.
pub(super) fn descriptor() -> Result<SchemaDescPtr, ParquetError> {
    let mut fields = Vec::with_capacity(COLUMN_COUNT);
    for column in COLUMNS {
        let (physical, logical) = match column.meaning {
            Meaning::Int64 => (PhysicalType::INT64, None),
            Meaning::Int32 => (PhysicalType::INT32, None),
            Meaning::Unsigned(bits) => (PhysicalType::INT32, Some(LogicalType::integer(bits, false))),
            Meaning::Text => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String)),
        };
        let field = Type::primitive_type_builder(column.name, physical)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    let root = Type::group_type_builder("operation").with_fields(fields).build()?;
    Ok(Arc::new(SchemaDescriptor::new(Arc::new(root))))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::meta;
    use super::*;

    #[test]
    fn the_documents_have_every_column_and_kind() {
        let text = include_str!("../../../../docs/run-directory.md");
        let rows: Vec<&str> = text.lines().filter(|line| line.starts_with("| `")).collect();
        let documented = rows.iter().take(COLUMN_COUNT);
        assert_eq!(documented.len(), COLUMN_COUNT);
        for (row, column) in documented.zip(COLUMNS) {
            let kind = match column.meaning {
                Meaning::Int64 => "int64".to_owned(),
                Meaning::Int32 => "int32".to_owned(),
                Meaning::Unsigned(bits) => format!("uint{bits}"),
                Meaning::Text => "text".to_owned(),
            };
            assert!(row.starts_with(&format!("| `{}` | {kind} | ", column.name)), "{row}");
        }
        for kind in crate::op::OpKind::ALL {
            assert!(text.contains(&format!("`{}`", kind.name())), "{kind:?}");
        }
        for key in [meta::KEY_RUN_NS, meta::KEY_FILES, meta::KEY_FLAGS] {
            assert!(text.contains(key), "{key}");
        }
    }

    #[test]
    fn every_cell_has_one_column() {
        let mut wide = [0; cell::WIDE_COUNT];
        let mut narrow = [0; cell::NARROW_COUNT];
        for column in COLUMNS {
            match column.cells {
                Cells::Wide(at) => wide[at] += 1,
                Cells::Narrow(at) => narrow[at] += 1,
            }
        }
        assert_eq!(wide, [1; cell::WIDE_COUNT]);
        assert_eq!(narrow, [1; cell::NARROW_COUNT]);
        assert_eq!(descriptor().unwrap().num_columns(), COLUMN_COUNT);
    }
}
