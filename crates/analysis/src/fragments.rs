//! Finds signs that files are fragmented on their disks, from operations alone.
//!
//! [`hints`]: a client that writes single bytes ahead of its data, which makes some servers allocate
//! fragments. [`cold_read`]: sequential reads with alternating speed. Both are signs, not proofs; if the
//! file system reports extents, the engine's `extents` counts them. [`copy_comparison`]: a file and a newly
//! written copy of it, read alternately: the proof. The sentences for the user are in the report crate.

pub mod cold_read;
pub mod copy_comparison;
pub mod hints;

pub use cold_read::ColdReads;
pub use copy_comparison::{AgainstCopy, CopyComparison};
pub use hints::{FarWrites, Hints};

use serde::{Deserialize, Serialize};

/// The signs that were found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FragmentSigns {
    /// Files with single bytes written ahead of the data and overwritten later.
    pub hints: Vec<Hints>,
    /// Files with writes far beyond their end.
    pub far_writes: Vec<FarWrites>,
    /// Files that were read sequentially, and how evenly.
    pub cold_reads: Vec<ColdReads>,
}
