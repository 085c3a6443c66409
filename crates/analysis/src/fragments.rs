//! Signs that files lie in pieces on their disks, from operations alone.
//!
//! [`hints`]: a client that writes single bytes ahead of its data, which makes some servers allocate in
//! pieces. [`cold_read`]: reads in order that are now fast, now slow. Both are signs, not proofs; where the
//! file system tells, the engine's `extents` counts the pieces. [`against_copy`]: a file and a copy of it
//! written anew, read in turns: the proof. What they mean for people is said in the report room.

pub mod against_copy;
pub mod cold_read;
pub mod hints;

pub use against_copy::{AgainstCopy, CopyComparison};
pub use cold_read::ColdReads;
pub use hints::{FarWrites, Hints};

use serde::{Deserialize, Serialize};

/// What was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct FragmentSigns {
    /// Files with single bytes written ahead of the data and overwritten later.
    pub hints: Vec<Hints>,
    /// Files with writes far behind their end.
    pub far_writes: Vec<FarWrites>,
    /// Files that were read in order, and how evenly that went.
    pub cold_reads: Vec<ColdReads>,
}
