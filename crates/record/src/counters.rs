//! Samples as Parquet, in `counters/agent=NAME/` of the run directory.
//!
//! ```text
//! counters/agent=local/part-000001.parquet   full: a few minutes of samples
//! counters/agent=local/part-000002.parquet   open: rewritten completely every two seconds
//! counters/agent=local/_part-000002.tmp      being written; every reader of data sets ignores it
//! ```
//!
//! A Parquet file with a footer can't be extended. So the open part is kept in memory. Until it is full,
//! it replaces its shorter version under the same name. All parts are complete at all times: a killed
//! process loses the last two seconds, and no repair is needed.
//!
//! Columns: `at_ns` (the run's clock; a rate applies to the time since the previous sample), `layer`,
//! `name`, `device` (empty if there is only one), `unit`, `value` (null if a counter was reset). The
//! names are those of [`kinds`].
//!
//! Not here: sampling (machine), and the selection for a page (analysis).

mod counter_key;
pub mod kinds;
mod reader;
mod writer;

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as PhysicalType};
use parquet::errors::ParquetError;
use parquet::schema::types::{Type, TypePtr};

pub use counter_key::{Key, Layer};
pub use kinds::{CounterKind, CounterUnit, KINDS, Weight, kind};
pub use reader::{CounterRow, part_meta, read_part};
pub use writer::{Sample, StoreMeta, StoreWriter};

/// Version of columns and metadata. A program reads every version up to its own.
pub const SCHEMA_VERSION: u32 = 1;

const KEY_VERSION: &str = "reelgauge.counters_version";
const KEY_RUN_NS: &str = "reelgauge.run_ns";
const KEY_AGENT: &str = "reelgauge.agent";
const KEY_UNREAD: &str = "reelgauge.unread";

/// The columns, in file order.
const COLUMNS: [&str; 6] = ["at_ns", "layer", "name", "device", "unit", "value"];

/// The reason why counters could not be written or read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CountersError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        action: &'static str,
        path: PathBuf,
        /// The system's error of that operation.
        source: io::Error,
    },
    /// The Parquet library refused its input: a bug.
    #[error("cannot encode counters: {source}")]
    Encode {
        #[from]
        source: ParquetError,
    },
    /// A part can't be parsed.
    #[error("{} is not a part of the counters, or it is damaged: {why}", path.display())]
    Damaged {
        path: PathBuf,
        /// The reason why it can't be parsed.
        why: String,
    },
}

impl CountersError {
    /// For `map_err`: adds the action and the path to an I/O error.
    pub fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> CountersError {
        move |source| CountersError::Io { action, path: path.to_path_buf(), source }
    }
}

/// The schema of a part.
fn schema() -> Result<TypePtr, ParquetError> {
    let mut fields = Vec::with_capacity(COLUMNS.len());
    for name in COLUMNS {
        let (physical, logical, repetition) = match name {
            "at_ns" => (PhysicalType::INT64, None, Repetition::REQUIRED),
            "value" => (PhysicalType::DOUBLE, None, Repetition::OPTIONAL),
            _ => (PhysicalType::BYTE_ARRAY, Some(LogicalType::String), Repetition::REQUIRED),
        };
        let field = Type::primitive_type_builder(name, physical)
            .with_repetition(repetition)
            .with_logical_type(logical)
            .build()?;
        fields.push(Arc::new(field));
    }
    Ok(Arc::new(Type::group_type_builder("counter").with_fields(fields).build()?))
}

fn part_name(number: u32) -> String {
    format!("part-{number:06}.parquet")
}

/// Whether this is a part's name.
pub fn is_part(name: &str) -> bool {
    let number = name.strip_prefix("part-").and_then(|rest| rest.strip_suffix(".parquet"));
    number.is_some_and(|digits| digits.len() >= 6 && digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documents_have_every_column() {
        let text = include_str!("../../../docs/run-directory.md");
        for name in COLUMNS {
            assert!(text.contains(&format!("\n| `{name}` | ")), "{name}");
        }
        assert!(text.contains(KEY_UNREAD));
    }
}
