//! What no counter tells of a site: `site.toml`, written by `reelgauge doctor --ask` or by hand. Every field
//! may be
//! left out, and what is left out is not known.
//!
//! [`validation`]: whether there is such a site at all. Not here: asking (results), and what follows from it
//! ([`super::ceiling`]).

pub mod validation;

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// A whole number, which is called so where there is none.
fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    struct Whole;

    impl<'de> Visitor<'de> for Whole {
        type Value = Option<u32>;

        fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(out, "a whole number from 0 to {}", u32::MAX)
        }

        fn visit_none<E: Error>(self) -> Result<Option<u32>, E> {
            Ok(None)
        }

        fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Option<u32>, D::Error> {
            deserializer.deserialize_u32(self)
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Option<u32>, E> {
            u32::try_from(value).map(Some).map_err(|_| E::invalid_value(Unexpected::Signed(value), &self))
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Option<u32>, E> {
            u32::try_from(value).map(Some).map_err(|_| E::invalid_value(Unexpected::Unsigned(value), &self))
        }
    }

    deserializer.deserialize_option(Whole)
}

/// The description of a site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct Site {
    /// The server.
    #[serde(default, skip_serializing_if = "is_default")]
    pub server: ServerSite,
    /// The switch between it and its clients.
    #[serde(default, skip_serializing_if = "is_default")]
    pub switch: SwitchSite,
    /// What its disks are plugged into.
    #[serde(default, skip_serializing_if = "is_default")]
    pub backplane: BackplaneSite,
    /// Its disks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disks: DisksSite,
    /// What the whole of it consists of, and costs.
    #[serde(default, skip_serializing_if = "is_default")]
    pub system: SystemSite,
    /// What a document about it is headed with.
    #[serde(default, skip_serializing_if = "is_default")]
    pub document: DocumentSite,
    /// Its bill of materials.
    #[serde(default, rename = "part", skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartSite>,
}

/// What a document to hand over is headed with.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct DocumentSite {
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// For whom it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// Where the storage is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// Who measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A line of the bill of materials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct PartSite {
    /// What it is: `server`, `switch`, `licence`.
    pub name: String,
    /// How many of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub count: Option<u32>,
    /// Who made it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<String>,
    /// Which one it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its firmware, release or edition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// Anything else.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// The whole system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct SystemSite {
    /// Storage nodes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub nodes: Option<u32>,
    /// Processor cores of all of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub cores: Option<u32>,
    /// Machines that make the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub clients: Option<u32>,
    /// Rack units of the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub rack_units: Option<u32>,
    /// What it costs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// In which currency: `EUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// The server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct ServerSite {
    /// What its link to the switch is set to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_mbit_per_s: Option<f64>,
    /// Ethernet by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_kind: Option<LinkSort>,
    /// Its MTU; 1500 by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub mtu_bytes: Option<u32>,
    /// Its memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory_gib: Option<f64>,
}

/// What a link is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum LinkSort {
    /// Copper or fibre.
    Ethernet,
    /// InfiniBand, or Omni-Path.
    Infiniband,
    /// Fibre Channel.
    FibreChannel,
}

/// The switch.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct SwitchSite {
    /// Maker and model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// What a port can hold back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_per_port_kib: Option<f64>,
    /// Whether ports share it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_is_shared: Option<bool>,
    /// Whether pause frames are on at the server's port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_control_at_server: Option<bool>,
    /// Whether they are at the clients'.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_control_at_clients: Option<bool>,
}

/// What disks are plugged into.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct BackplaneSite {
    /// How it is connected to the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<Bus>,
    /// Of SAS 1 to 4, of SATA 1 to 3, of PCIe 1 to 7.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub generation: Option<u32>,
    /// How many lanes lead to the server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub lanes: Option<u32>,
}

/// A bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Bus {
    /// Serial Attached SCSI.
    Sas,
    /// Serial ATA.
    Sata,
    /// PCI Express.
    Pcie,
}

/// The disks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct DisksSite {
    /// What they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DiskKind>,
    /// How many, without spares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub count: Option<u32>,
    /// What one of them is known to read or write in a row.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each_mb_per_s: Option<f64>,
    /// How they are put together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raid: Option<Raid>,
    /// Number of groups, each with its own parity; one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub groups: Option<u32>,
    /// How many reads at random places one of them does in a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each_random_reads_per_s: Option<f64>,
}

/// A kind of disk, with its plug.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum DiskKind {
    /// Turning, SATA.
    HddSata,
    /// Turning, SAS.
    HddSas,
    /// Flash, SATA.
    SsdSata,
    /// Flash, SAS.
    SsdSas,
    /// Flash, PCIe.
    Nvme,
}

/// How disks are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Raid {
    /// Each for itself, or striped.
    Raid0,
    /// Mirrors, also of several pairs (RAID 10).
    Mirror,
    /// One disk's worth of parity: RAID 5, RAID-Z1.
    Raid5,
    /// Two: RAID 6, RAID-Z2.
    Raid6,
    /// Three: RAID-Z3.
    Raidz3,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
