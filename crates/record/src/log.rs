//! The operation log: every operation of an agent, as Parquet, written during the run.
//!
//! ```text
//! ops/agent=NAME/part-000001-000120.parquet   a table: the rows of segments 1 to 120, in large row groups
//! ops/agent=NAME/part-000121.parquet          a segment: half a second of rows, or a few thousand
//! ops/agent=NAME/_segment-000122.tmp          being written; every reader of data sets ignores it
//! ```
//!
//! A Parquet file can't be read before its footer is written. So rows go into small *segments*, each
//! complete and renamed to its final name within half a second. The same rows, encoded only once, also
//! go into a *table*, which replaces its segments when there are enough of them. Nothing is read back. A
//! killed process loses only the segment that it was writing.
//!
//! The encoders are part of this crate ([`LogWriter`] must keep up with a million operations a second on
//! a fraction of a core), but the format is plain Parquet: delta and dictionary encodings from the
//! standard, no compression, no extension. The parquet crate writes metadata and page headers, and does
//! all reading.
//!
//! Not here: which operations to exclude from a figure (warm-up), and any figure at all.

mod bits;
mod column_chunk;
mod delta;
mod dictionary;
mod disk;
mod error;
mod group;
mod interleaved;
mod meta;
mod names;
mod order;
mod part;
mod part_reader;
mod reader;
mod repair;
mod rows;
mod schema;
mod writer;

pub use column_chunk::{ColumnFault, open_column};
pub use disk::{Disk, PartWriter, SystemDisk};
pub use error::LogError;
pub(crate) use error::advice;
pub use interleaved::{Interleaved, side_by_side};
pub use meta::{CaptureLevel, FileEntry, LogMeta};
pub use reader::{AgentLog, Batch, Batches, LogReader, SkipReason, Skipped};
pub use repair::{RepairReport, repair};
pub use schema::SCHEMA_VERSION;
pub use writer::{LogOptions, LogSummary, LogWriter};
