//! What is known of the link to the storage: data, for the summary.
//!
//! Not here: finding it out (the engine's `link`).

use serde::{Deserialize, Serialize};

/// The network link from this client to the storage. Unknown values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkFacts {
    /// The interface that the route to the server takes.
    pub interface: String,
    /// What one connection can use of it; `None` without a reliable source.
    pub speed_mbit_per_s: Option<u32>,
    /// What is left of it for files in each direction, without what Ethernet, IP and TCP add.
    pub line_bytes_per_s: Option<f64>,
    /// It can't send and receive at once.
    pub is_half_duplex: bool,
    /// The server is this machine, so that no packet leaves it.
    pub is_this_machine: bool,
    /// All of it for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
    pub words: String,
}
