//! Facts about a site that no counter shows: `site.toml`, written by `reelgauge doctor --ask` or by
//! hand. Every field is optional; a missing one is unknown.
//!
//! [`validation`]: whether the values are possible. Not here: asking the user (results), and the
//! conclusions ([`super::ceiling`]).

pub mod validation;

use std::fmt;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

/// An optional integer. A wrong value gives an error that names the allowed range.
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
    /// The connection of its disks to the server.
    #[serde(default, skip_serializing_if = "is_default")]
    pub backplane: BackplaneSite,
    /// Its disks.
    #[serde(default, skip_serializing_if = "is_default")]
    pub disks: DisksSite,
    /// The size and the price of the whole system.
    #[serde(default, skip_serializing_if = "is_default")]
    pub system: SystemSite,
    /// The heading of a document about it.
    #[serde(default, skip_serializing_if = "is_default")]
    pub document: DocumentSite,
    /// Its bill of materials.
    #[serde(default, rename = "part", skip_serializing_if = "Vec::is_empty")]
    pub parts: Vec<PartSite>,
}

/// The heading of a document for a customer.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct DocumentSite {
    /// Its title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The customer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub customer: Option<String>,
    /// The place of the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The author of the measurement.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    /// An additional remark.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A line of the bill of materials.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(deny_unknown_fields)]
pub struct PartSite {
    /// The kind of part: `server`, `switch`, `licence`.
    pub name: String,
    /// The number of such parts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub count: Option<u32>,
    /// The manufacturer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub maker: Option<String>,
    /// The model name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Its firmware, release or edition.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// An additional remark.
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
    /// Hosts that generate the load.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub clients: Option<u32>,
    /// Rack units of the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub rack_units: Option<u32>,
    /// The price of the system.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub price: Option<f64>,
    /// The currency of the price: `EUR`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
}

/// The server.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct ServerSite {
    /// The configured speed of its link to the switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link_mbit_per_s: Option<f64>,
    /// The kind of that link; Ethernet by default.
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

/// A kind of link.
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
    /// The buffer of a port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_per_port_kib: Option<f64>,
    /// Whether ports share the buffer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_is_shared: Option<bool>,
    /// Whether pause frames are enabled at the server's port.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_control_at_server: Option<bool>,
    /// Whether pause frames are enabled at the clients' ports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub flow_control_at_clients: Option<bool>,
}

/// The connection of the disks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(default, deny_unknown_fields)]
pub struct BackplaneSite {
    /// The bus between backplane and server.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bus: Option<Bus>,
    /// The generation: 1 to 4 for SAS, 1 to 3 for SATA, 1 to 7 for PCIe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub generation: Option<u32>,
    /// The number of lanes to the server.
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
    /// The kind of disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<DiskKind>,
    /// The number of disks, without spares.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub count: Option<u32>,
    /// The sequential rate of one disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each_mb_per_s: Option<f64>,
    /// The RAID level.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub raid: Option<Raid>,
    /// Number of groups, each with its own parity; one by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[serde(deserialize_with = "whole")]
    pub groups: Option<u32>,
    /// Random reads per second of one disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub each_random_reads_per_s: Option<f64>,
}

/// A kind of disk, with its connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub enum DiskKind {
    /// Hard disk, SATA.
    HddSata,
    /// Hard disk, SAS.
    HddSas,
    /// Flash, SATA.
    SsdSata,
    /// Flash, SAS.
    SsdSas,
    /// Flash, PCIe.
    Nvme,
}

/// The RAID level of the disks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "lowercase")]
pub enum Raid {
    /// Single disks, or striped.
    Raid0,
    /// Mirrors, also of several pairs (RAID 10).
    Mirror,
    /// One disk of parity: RAID 5, RAID-Z1.
    Raid5,
    /// Two disks of parity: RAID 6, RAID-Z2.
    Raid6,
    /// Three disks of parity: RAID-Z3.
    Raidz3,
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
