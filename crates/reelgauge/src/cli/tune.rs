//! Flags of `tune`.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};
use reelgauge_doctor::tune::Purpose;
use reelgauge_doctor::tune::site::{Disks, Protocol, SiteName, Topology, TuneSite, Version};
use reelgauge_results::site::dialogue::link_mbit_per_s;
use reelgauge_workload::units::{Size, Span};

/// Flags of `tune`.
#[derive(Debug, Args)]
#[command(after_help = AFTER_TUNE)]
pub struct TuneArgs {
    /// Configuration to print
    #[arg(long = "for", value_enum, value_name = "KIND")]
    pub purpose: PurposeName,
    /// Speed of the server's link, such as 10Gbit
    #[arg(long, value_name = "SPEED")]
    pub server_link: Option<Speed>,
    /// Speed of each client's link
    #[arg(long, value_name = "SPEED")]
    pub client_link: Option<Speed>,
    /// Number of clients
    #[arg(long, value_name = "N")]
    pub clients: Option<u32>,
    /// Topology between server and clients [default: derived from the links]
    #[arg(long, value_enum, value_name = "KIND")]
    pub topology: Option<TopologyName>,
    /// Round-trip time between client and server
    #[arg(long, value_name = "TIME", default_value = "500us")]
    pub round_trip: Span,
    /// Memory of the server
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<Size>,
    /// Memory that other services need
    #[arg(long, value_name = "SIZE", requires = "memory")]
    pub reserve: Option<Size>,
    /// Disks of the server's volume
    #[arg(long, value_enum, value_name = "KIND")]
    pub disks: Option<DisksName>,
    /// The volume's file system is ZFS
    #[arg(long)]
    pub zfs: bool,
    /// Protocol between clients and storage
    #[arg(long, value_enum, value_name = "KIND")]
    pub protocol: Option<ProtocolName>,
    /// Operating systems of the clients
    #[arg(
        long,
        value_enum,
        value_name = "KIND,...",
        value_delimiter = ',',
        default_value = "linux,macos,windows"
    )]
    pub with: Vec<SystemName>,
    /// Samba's version, such as 4.17
    #[arg(long, value_name = "VERSION")]
    pub samba: Option<Numbers>,
    /// Kernel version of the machine to configure, such as 6.1
    #[arg(long, value_name = "VERSION")]
    pub kernel: Option<Numbers>,
    /// NFS version that Linux clients mount, such as 4.2
    #[arg(long, value_name = "VERSION")]
    pub nfs: Option<NfsVersion>,
    /// Name or address of the server
    #[arg(long, value_name = "NAME")]
    pub server: Option<String>,
    /// Directory that the server shares
    #[arg(long, value_name = "DIR")]
    pub path: Option<String>,
    /// Name of the share
    #[arg(long, value_name = "NAME")]
    pub share: Option<String>,
    /// Network whose hosts may use the share
    #[arg(long, value_name = "ADDRESS/BITS")]
    pub network: Option<String>,
    /// Mount point on clients
    #[arg(long, value_name = "DIR")]
    pub mount: Option<String>,
    /// ZFS dataset
    #[arg(long, value_name = "NAME")]
    pub dataset: Option<String>,
    /// Network card for storage traffic
    #[arg(long, value_name = "NAME")]
    pub interface: Option<String>,
    /// Write the files into this folder instead of printing them; existing files are not overwritten
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A value of `--for`, as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PurposeName {
    /// Samba server: smb.conf, kernel and network card.
    Smb,
    /// NFS server: exports, threads, kernel and network card.
    Nfs,
    /// ZFS: dataset and cache.
    Zfs,
    /// Linux workstation: mount, read-ahead, kernel and network card.
    ClientLinux,
    /// Mac: nsmb.conf or nfs.conf.
    ClientMacos,
    /// Windows workstation: PowerShell script.
    ClientWindows,
    /// TrueNAS CORE and SCALE: settings in the web interface.
    Truenas,
}

/// A topology, as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum TopologyName {
    /// One client whose link is as fast as the server's.
    Single,
    /// A fast server port feeds slower clients.
    FanIn,
    /// Several clients, none slower than the server.
    Several,
}

/// The kind of a volume's disks, as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DisksName {
    /// Hard disks.
    Hdd,
    /// SSDs.
    Ssd,
}

/// A protocol, as written on the command line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ProtocolName {
    /// SMB.
    Smb,
    /// NFS.
    Nfs,
    /// AFP, Apple's legacy protocol.
    Afp,
    /// StorNext.
    Stornext,
}

/// A client's system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SystemName {
    /// Linux.
    Linux,
    /// macOS.
    Macos,
    /// Windows.
    Windows,
}

/// The speed of a link, in Mbit/s: `10Gbit`, `2.5G`, `100Mbit`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speed(pub f64);

impl FromStr for Speed {
    type Err = String;

    fn from_str(text: &str) -> Result<Speed, String> {
        let wrong = |why| format!("'{text}' is not a link speed: {why}");
        link_mbit_per_s(text).map(Speed).map_err(wrong)
    }
}

/// A version: `4.17`, `6.1.0`, `3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Numbers(pub Version);

impl FromStr for Numbers {
    type Err = String;

    fn from_str(text: &str) -> Result<Numbers, String> {
        let mut parts = text.trim().split('.');
        let mut next = || parts.next().map(str::parse::<u32>);
        match (next(), next()) {
            (Some(Ok(major)), Some(Ok(minor))) => Ok(Numbers(Version(major, minor))),
            (Some(Ok(major)), None) => Ok(Numbers(Version(major, 0))),
            _ => Err(format!("'{text}' is not a version; write it like 4.17")),
        }
    }
}

/// A version of NFS that Linux mounts: `3`, `4.2`. `4` alone is refused: to mount(8) it means "negotiate
/// 4.2 or lower".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NfsVersion(pub Version);

impl FromStr for NfsVersion {
    type Err = String;

    fn from_str(text: &str) -> Result<NfsVersion, String> {
        match text.trim() {
            "3" => Ok(NfsVersion(Version(3, 0))),
            "4.0" => Ok(NfsVersion(Version(4, 0))),
            "4.1" => Ok(NfsVersion(Version(4, 1))),
            "4.2" => Ok(NfsVersion(Version(4, 2))),
            other => Err(format!("'{other}' is not an NFS version; give 3, 4.0, 4.1 or 4.2")),
        }
    }
}

impl TuneArgs {
    /// The site that the flags state.
    pub fn site(&self) -> TuneSite {
        let usual = TuneSite::default();
        // The usual name of a system's first network card.
        let card = match self.purpose {
            PurposeName::ClientMacos => "en0",
            PurposeName::ClientWindows => "Ethernet",
            _ => "eth0",
        };
        let or = |word: &Option<String>, usual: String| word.clone().unwrap_or(usual);
        TuneSite {
            server_link_mbit_per_s: self.server_link.map(|speed| speed.0),
            client_link_mbit_per_s: self.client_link.map(|speed| speed.0),
            clients: self.clients,
            stated_topology: self.topology.map(|name| match name {
                TopologyName::Single => Topology::Single,
                TopologyName::FanIn => Topology::FanIn,
                TopologyName::Several => Topology::Several,
            }),
            round_trip_ms: self.round_trip.0 as f64 / 1e6,
            server_memory_bytes: self.memory.map(|size| size.0),
            reserved_memory_bytes: self.reserve.map(|size| size.0),
            disks: self.disks.map(|name| match name {
                DisksName::Hdd => Disks::Hdd,
                DisksName::Ssd => Disks::Ssd,
            }),
            protocol: self.protocol.map(|name| match name {
                ProtocolName::Smb => Protocol::Smb,
                ProtocolName::Nfs => Protocol::Nfs,
                ProtocolName::Afp => Protocol::Afp,
                ProtocolName::Stornext => Protocol::Stornext,
            }),
            has_macs: self.with.contains(&SystemName::Macos),
            has_windows: self.with.contains(&SystemName::Windows),
            has_zfs: self.zfs,
            samba: self.samba.map(|numbers| numbers.0),
            kernel: self.kernel.map(|numbers| numbers.0),
            nfs: self.nfs.map(|numbers| numbers.0),
            server: or(&self.server, usual.server),
            path: or(&self.path, usual.path),
            share: or(&self.share, usual.share),
            network: or(&self.network, usual.network),
            mount_point: or(&self.mount, usual.mount_point),
            dataset: or(&self.dataset, usual.dataset),
            interface: or(&self.interface, card.to_owned()),
            not_stated: self.not_stated(),
        }
    }

    fn not_stated(&self) -> Vec<SiteName> {
        let stated = |name: &SiteName| match name {
            SiteName::Server => self.server.is_some(),
            SiteName::Path => self.path.is_some(),
            SiteName::Share => self.share.is_some(),
            SiteName::Network => self.network.is_some(),
            SiteName::Mount => self.mount.is_some(),
            SiteName::Dataset => self.dataset.is_some(),
            SiteName::Interface => self.interface.is_some(),
        };
        SiteName::ALL.into_iter().filter(|name| !stated(name)).collect()
    }

    /// The purpose of the fragments.
    pub fn purpose(&self) -> Purpose {
        match self.purpose {
            PurposeName::Smb => Purpose::Smb,
            PurposeName::Nfs => Purpose::Nfs,
            PurposeName::Zfs => Purpose::Zfs,
            PurposeName::ClientLinux => Purpose::ClientLinux,
            PurposeName::ClientMacos => Purpose::ClientMacos,
            PurposeName::ClientWindows => Purpose::ClientWindows,
            PurposeName::Truenas => Purpose::Truenas,
        }
    }
}

const AFTER_TUNE: &str = "\
The verb only prints configuration, or writes it into the folder of --out. It changes no setting and checks \
nothing. The output is for the site that the flags describe. Each line has a reason, the doctor rule that \
it follows, the calculation behind its number and the undo command. Settings that weaken security are \
explained and left to you. Settings that depend on a missing flag are omitted from the output and listed \
separately.

Examples:
  # A server with slower clients
  reelgauge tune --for smb --server-link 10Gbit --client-link 1Gbit
  # A workstation, if few details are known
  reelgauge tune --for client-linux --protocol nfs
  # Write the files into the folder mac
  reelgauge tune --for client-macos --protocol nfs --out mac";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_and_versions_are_read_and_others_refused() {
        let speed = |text: &str| text.parse::<Speed>().ok().map(|speed| speed.0);
        for (text, mbit) in [
            ("10Gbit", 10e3),
            ("2.5gbit/s", 2.5e3),
            ("100Mbit", 100.0),
            ("25 Gbit", 25e3),
            // The notation of `doctor --ask`.
            ("10G", 10e3),
            ("2500M", 2.5e3),
            ("40Gbps", 40e3),
        ] {
            assert_eq!(speed(text), Some(mbit), "{text}");
        }
        for text in ["10", "xGbit", "10GB", "infGbit", "nan", "-5G", "1M", "", "Gbit"] {
            assert_eq!(speed(text), None, "{text}");
        }
        let said = "10".parse::<Speed>().err().unwrap_or_default();
        assert!(said.contains("'10'") && said.contains("Gbit/s"), "{said}");
        let version = |text: &str| text.parse::<Numbers>().ok().map(|numbers| numbers.0);
        assert_eq!(version("4.17.12"), Some(Version(4, 17)));
        let nfs = |text: &str| text.parse::<NfsVersion>().ok().map(|nfs| nfs.0);
        assert_eq!((nfs("3"), nfs("4.2")), (Some(Version(3, 0)), Some(Version(4, 2))));
        for text in ["2", "4", "4.9", "5", "4.2.1", ""] {
            assert_eq!(nfs(text), None, "{text}");
        }
        assert_eq!((version("3"), version("4.x"), version("")), (Some(Version(3, 0)), None, None));
    }
}
