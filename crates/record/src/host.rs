//! The facts about a host of a run: one entry of `hosts.json`.
//!
//! Not here: collecting the facts (the machine crate), and their meaning for storage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The facts about one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name; empty if the system has none.
    pub name: String,
    /// Its agent name in a run of several hosts. `None` in a run of one host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How far its clock was ahead of the clock that the run's times are mapped to. `None` if the clocks
    /// were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_us: Option<i64>,
    /// The uncertainty of that offset.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty_us: Option<u64>,
    /// Operating system with its version ("Debian GNU/Linux 12 (bookworm)"), or just its family.
    pub os: String,
    /// Kernel name and release ("Linux 6.1.0-18-amd64").
    pub kernel: Option<String>,
    pub cpu_model: Option<String>,
    /// Processors that this process may use.
    pub cpu_count: usize,
    /// Total memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// The mount that contains the target.
    pub mount: Option<MountFacts>,
    /// Network interfaces, without loopback. Linux only.
    #[serde(default)]
    pub nics: Vec<NicFacts>,
    /// Settings that affect storage, by name. Linux only.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Settings that were changed, each with the kernel's default, if known.
    #[serde(default)]
    pub changed_from_default: BTreeMap<String, String>,
}

/// The mount that contains a target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountFacts {
    /// Type of the file system ("nfs4").
    pub fs_type: String,
    /// The mounted source ("nas1:/export/video").
    pub source: String,
    /// Mount options, as shown by the kernel.
    pub options: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NicFacts {
    /// Name of the interface ("enp1s0f0").
    pub name: String,
    /// Whether the link is up ("up", "down", "unknown", …).
    pub state: String,
    /// Speed of the link in Mbit/s; `None` if there is no link or the driver does not report it.
    pub speed_mbit_per_s: Option<u64>,
    /// MTU of the interface, in bytes.
    pub mtu_bytes: Option<u64>,
    /// The kernel's driver for it; `None` for virtual interfaces.
    pub driver: Option<String>,
}
