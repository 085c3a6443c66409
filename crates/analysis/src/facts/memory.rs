//! The memories between a run and its disks: data for the summary.
//!
//! Not here: the conclusions ([`crate::cached_reads`]).

use serde::{Deserialize, Serialize};

use crate::cached_reads::CacheSuspicion;
use crate::rereads::Rereads;

/// The run's files, compared with the memories that may have cached them. Unknown values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MemoryFacts {
    /// Bytes of the existing files that could be read.
    pub data_set_bytes: u64,
    /// Bytes of these that this run wrote before it measured. A server certainly has them in its memory.
    pub written_by_this_run_bytes: u64,
    /// The files are the user's own; Reelgauge never wrote them.
    pub own_files: bool,
    /// Bytes read in all load points, without warm-ups.
    pub read_bytes: u64,
    /// The storage is reached over a network, so there is a server with its own cache.
    pub on_network: bool,
    /// The target is a file system in memory.
    pub target_is_memory: bool,
    /// Whether reads bypassed the cache of this client; `None` if unknown.
    pub past_client_cache: Option<bool>,
    /// Share of the reads that the cache of the local host answered, 0 to 1; `None` if nothing counts
    /// it.
    pub client_cached_share: Option<f64>,
    /// A loop device below the target that reads its file through the cache of this client, even with
    /// direct I/O; `None` if there is none.
    #[serde(default)]
    pub cached_loop: Option<String>,
    /// The memory of the local host.
    pub client_memory_bytes: Option<u64>,
    /// The server's memory, as stated with `--server-memory`.
    pub server_memory_bytes: Option<u64>,
    /// First reads compared with later reads of the same bytes, for each load point. Empty if nothing
    /// was read, or in more files than memory allowed to count.
    pub rereads: Vec<Rereads>,
    /// Whether a cache may have answered; `None` if nothing was read.
    pub suspicion: Option<CacheSuspicion>,
}
