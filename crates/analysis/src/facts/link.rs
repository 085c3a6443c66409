//! Properties of the link to the storage: data for the summary.
//!
//! Not here: detecting them (the engine's `link`).

use serde::{Deserialize, Serialize};

/// The network link from this client to the storage. Unknown values are `None`.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct LinkFacts {
    /// The interface that the route to the server takes.
    pub interface: String,
    /// The rate that one connection can use; `None` without a reliable source.
    pub speed_mbit_per_s: Option<u32>,
    /// The rate that is left for file data in each direction, without the overhead of Ethernet, IP and
    /// TCP.
    pub line_bytes_per_s: Option<f64>,
    /// It cannot send and receive at the same time.
    pub is_half_duplex: bool,
    /// The server is the local host, so no packet leaves it.
    pub is_this_machine: bool,
    /// The link for display: `eth0 to 10.0.0.2, 10 Gbit/s, MTU 9000`.
    pub words: String,
}
