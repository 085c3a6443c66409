//! Facts about the hosts of a fleet before they measure: which of them are configured differently from
//! their siblings ([`differences`]), the throughput of the network alone ([`network`]), and whether the
//! hosts' memory could answer instead of the storage ([`caches`]).
//!
//! Not here: asking the hosts (the fleet), sentences (report).

pub mod caches;
pub mod differences;
pub mod network;

use serde::{Deserialize, Serialize};

use caches::CacheLine;
use differences::Difference;
use network::NetworkFindings;

/// The version of the format of `preflight.json`.
pub const PREFLIGHT_VERSION: u32 = 1;

/// The facts of the module's description.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preflight {
    /// [`PREFLIGHT_VERSION`].
    pub preflight_version: u32,
    /// When the hosts were asked, RFC 3339.
    pub at: String,
    /// The agents of the plan that answered.
    pub agents: Vec<String>,
    /// The agents that did not answer; their hosts are unknown.
    pub not_there: Vec<String>,
    /// The hosts that differ from their siblings, and in what.
    pub differences: Vec<Difference>,
    /// The throughput of the network.
    pub network: NetworkFindings,
    /// The data set of each run, compared with the hosts' memory.
    pub caches: Vec<CacheLine>,
}

impl Preflight {
    /// Whether there are findings that the user should check before the measurement.
    pub fn has_findings(&self) -> bool {
        !self.not_there.is_empty()
            || !self.differences.is_empty()
            || self.network.lines.iter().any(|line| line.bytes_per_s.is_none())
            || !self.network.slow().is_empty()
            || self.caches.iter().any(|line| line.fits() == Some(true))
    }
}
