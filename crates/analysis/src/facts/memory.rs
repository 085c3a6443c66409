//! What is known of the memories between a run and its disks: data, for the summary.
//!
//! Not here: what follows from it ([`crate::whose_memory`]).

use serde::{Deserialize, Serialize};

use crate::rereads::Rereads;
use crate::whose_memory::CacheSuspicion;

/// The run's files, compared with the memories that may have held them. Unknown values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct MemoryFacts {
    /// Bytes of the files that were there to be read.
    pub data_set_bytes: u64,
    /// Of them, bytes that this run wrote before it measured: a server has them in its memory for sure.
    pub written_by_this_run_bytes: u64,
    /// The files are the user's own, which this tool never wrote.
    pub own_files: bool,
    /// Bytes read in all load points, without warm-ups.
    pub read_bytes: u64,
    /// The storage is reached over a network, so that there is a server with a memory.
    pub on_network: bool,
    /// The target is a file system in memory.
    pub target_is_memory: bool,
    /// Whether reads bypassed the cache of this client; `None` where that is unknown.
    pub past_client_cache: Option<bool>,
    /// Share of the reads that this machine's cache answered, 0 to 1; `None` where nothing counts that.
    pub client_cached_share: Option<f64>,
    /// A loop device below the target that reads its file through the cache of this client, even with
    /// direct I/O; `None` where there is none.
    #[serde(default)]
    pub cached_loop: Option<String>,
    /// This machine's memory.
    pub client_memory_bytes: Option<u64>,
    /// The server's memory, as it was stated with `--server-memory`.
    pub server_memory_bytes: Option<u64>,
    /// First against later reads of the same bytes, load point by load point. Empty where nothing was read,
    /// or in more files than there was memory to keep count of.
    pub rereads: Vec<Rereads>,
    /// Whether a cache may have answered; `None` where nothing was read.
    pub suspicion: Option<CacheSuspicion>,
}
