//! What is known of the machines of a fleet before they measure: who is set up otherwise than its siblings
//! ([`differences`]), what the network alone carries ([`network`]), and whether the machines' memory could
//! answer in place of the storage ([`caches`]).
//!
//! Not here: asking the machines (the fleet), sentences (report).

pub mod caches;
pub mod differences;
pub mod network;

use serde::{Deserialize, Serialize};

use caches::CacheLine;
use differences::Difference;
use network::NetworkFindings;

/// Its version, as it lies in `preflight.json`.
pub const PREFLIGHT_VERSION: u32 = 1;

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Preflight {
    /// [`PREFLIGHT_VERSION`].
    pub preflight_version: u32,
    /// When the machines were asked, RFC 3339.
    pub at: String,
    /// The agents of the plan that answered.
    pub agents: Vec<String>,
    /// Those that did not: nothing is known of them.
    pub not_there: Vec<String>,
    /// Who differs from its siblings, and in what.
    pub differences: Vec<Difference>,
    /// What the network carries.
    pub network: NetworkFindings,
    /// The data set of each run against the machines' memory.
    pub caches: Vec<CacheLine>,
}

impl Preflight {
    /// Whether there is something that somebody should look at before anything is measured.
    pub fn has_findings(&self) -> bool {
        !self.not_there.is_empty()
            || !self.differences.is_empty()
            || self.network.lines.iter().any(|line| line.bytes_per_s.is_none())
            || !self.network.slow().is_empty()
            || self.caches.iter().any(|line| line.fits() == Some(true))
    }
}
