//! What is known of the machine that a run was made on: one entry of `hosts.json`.
//!
//! Not here: where the facts come from (the machine room), and what they mean for storage.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// The facts about one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostFacts {
    /// Host name; empty if the system has none.
    pub name: String,
    /// What it is called in a run of several machines. `None` where it was the only one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// How far its clock was ahead of the clock that such a run's times are mapped to. `None` if the
    /// clocks were not compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_offset_us: Option<i64>,
    /// How far that may be off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_uncertainty_us: Option<u64>,
    /// Operating system with its version ("Debian GNU/Linux 12 (bookworm)"), or just its family.
    pub os: String,
    /// Kernel name and release ("Linux 6.1.0-18-amd64").
    pub kernel: Option<String>,
    pub cpu_model: Option<String>,
    /// Processors that this process may use.
    pub cpu_count: usize,
    /// Memory, in bytes.
    pub memory_bytes: Option<u64>,
    /// The mount that the target lies on.
    pub mount: Option<MountFacts>,
    /// Network interfaces, without loopback. Linux only.
    #[serde(default)]
    pub nics: Vec<NicFacts>,
    /// What it is set to, by name, as far as that bears on storage. Linux only.
    #[serde(default)]
    pub settings: BTreeMap<String, String>,
    /// Which of them were changed, each with what the kernel has by default, where that is known.
    #[serde(default)]
    pub changed_from_default: BTreeMap<String, String>,
}

/// The mount that a target lies on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MountFacts {
    /// Type of the file system ("nfs4").
    pub fs_type: String,
    /// What is mounted ("nas1:/export/video").
    pub source: String,
    /// Options, as the kernel shows them.
    pub options: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NicFacts {
    /// Name ("enp1s0f0").
    pub name: String,
    /// Whether the link is up ("up", "down", "unknown", …).
    pub state: String,
    /// Speed of the link in Mbit/s; `None` where there is no link or the driver does not say.
    pub speed_mbit_per_s: Option<u64>,
    /// Largest packet, in bytes.
    pub mtu_bytes: Option<u64>,
    /// The kernel's driver for it; `None` for virtual interfaces.
    pub driver: Option<String>,
}
