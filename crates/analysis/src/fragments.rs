//! Signs that files lie in pieces on their disks, from operations alone.
//!
//! [`hints`]: a client that writes single bytes ahead of its data, which makes some servers allocate in
//! pieces. [`cold_read`]: reads in order that are now fast, now slow. Both are signs, not proofs; where the
//! file system tells, the engine's `extents` counts the pieces. [`against_copy`]: a file and a copy of it
//! written anew, read in turns: the proof.

pub mod against_copy;
pub mod cold_read;
pub mod hints;

pub use against_copy::AgainstCopy;
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

impl FragmentSigns {
    /// What the signs say, a sentence each with its evidence; none where there are none.
    pub fn sentences(&self) -> Vec<String> {
        let hints = self.hints.iter().filter(|hints| hints.is_pattern()).map(Hints::sentence);
        let far = self.far_writes.iter().map(FarWrites::sentence);
        let cold = self.cold_reads.iter().filter_map(ColdReads::sentence);
        hints.chain(far).chain(cold).collect()
    }
}

/// A size in a sentence: `128 KiB`, `15 MiB`; in bytes where it is no round number of these.
pub(crate) fn size_in_words(bytes: u64) -> String {
    for (unit, shift) in [("GiB", 30), ("MiB", 20), ("KiB", 10)] {
        if bytes >= 1 << shift && bytes.is_multiple_of(1 << shift) {
            return format!("{} {unit}", bytes >> shift);
        }
    }
    format!("{bytes} bytes")
}
