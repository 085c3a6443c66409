//! The known facts about a site. Every fact is optional; settings that depend on a missing one stay
//! unchanged.

use std::net::IpAddr;

use serde::Serialize;

/// The assumed round trip within a building, if none is stated.
pub const USUAL_ROUND_TRIP_MS: f64 = 0.5;
/// Links whose speeds differ by less than this factor count as equal.
const SAME_SPEED: f64 = 1.01;

/// How media get from the server to its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// One client whose link is as fast as the server's.
    Single,
    /// A server with a faster link than its clients: a switch has to buffer the surplus.
    FanIn,
    /// Several clients whose links are as fast as the server's, or faster.
    Several,
    /// One client whose link is faster than the server's.
    FasterClient,
    /// Not stated, and unknown from the links.
    NotKnown,
}

/// The protocol of the clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    Smb,
    Nfs,
    Afp,
    /// StorNext's own, over Fibre Channel, iSER or its LAN.
    Stornext,
}

/// Facts that computations depend on, by the flag that states them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SiteFact {
    ServerLink,
    ClientLink,
    Clients,
    Disks,
    Memory,
    Reserve,
    Protocol,
}

/// The disks of the server's volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Disks {
    Hdd,
    /// Solid state, behind SATA, SAS or NVMe.
    Ssd,
}

/// A version, `4.17` or `6.1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Version(pub u32, pub u32);

/// A name of the site that occurs in fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteName {
    /// The server's name or address.
    Server,
    /// The shared directory.
    Path,
    /// The name of the share.
    Share,
    /// The network that may use it.
    Network,
    /// The mount point on a client.
    Mount,
    /// The ZFS dataset.
    Dataset,
    /// The network interface for storage.
    Interface,
}

impl SiteName {
    pub const ALL: [SiteName; 7] = [
        SiteName::Server,
        SiteName::Path,
        SiteName::Share,
        SiteName::Network,
        SiteName::Mount,
        SiteName::Dataset,
        SiteName::Interface,
    ];

    /// The flag that states it.
    pub const fn flag(self) -> &'static str {
        match self {
            SiteName::Server => "--server",
            SiteName::Path => "--path",
            SiteName::Share => "--share",
            SiteName::Network => "--network",
            SiteName::Mount => "--mount",
            SiteName::Dataset => "--dataset",
            SiteName::Interface => "--interface",
        }
    }
}

/// A site as stated by the user.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TuneSite {
    /// The speed of the server's link.
    pub server_link_mbit_per_s: Option<f64>,
    /// The speed of each client's link.
    pub client_link_mbit_per_s: Option<f64>,
    /// The number of clients.
    pub clients: Option<u32>,
    pub stated_topology: Option<Topology>,
    /// A round trip between client and server.
    pub round_trip_ms: f64,
    /// The server's memory.
    pub server_memory_bytes: Option<u64>,
    /// The part of it that other services need.
    pub reserved_memory_bytes: Option<u64>,
    /// The disks of the volume.
    pub disks: Option<Disks>,
    /// The protocol of the clients.
    pub protocol: Option<Protocol>,
    /// Whether Macs are among the clients.
    pub has_macs: bool,
    /// Whether Windows hosts are among the clients.
    pub has_windows: bool,
    /// Whether the file system of the volume is ZFS.
    pub has_zfs: bool,
    pub samba: Option<Version>,
    /// The kernel version of the host that the fragment is for.
    pub kernel: Option<Version>,
    /// The version of NFS.
    pub nfs: Option<Version>,
    /// The server's name or address.
    pub server: String,
    /// The shared directory.
    pub path: String,
    /// The name of the share.
    pub share: String,
    /// The network that may use it: `10.0.0.0/24`.
    pub network: String,
    /// The mount point on a client.
    pub mount_point: String,
    /// The ZFS dataset.
    pub dataset: String,
    /// The network interface for storage.
    pub interface: String,
    /// Names that were not stated, so that placeholders are used for them.
    pub not_stated: Vec<SiteName>,
}

/// Why no fragments can be made for a site.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum TuneSiteError {
    /// The links, or the number of clients, contradict the topology.
    #[error("--topology {stated:?} contradicts the link rates or the number of clients; correct or omit it")]
    Topology {
        stated: Topology,
        server_mbit_per_s: Option<f64>,
        client_mbit_per_s: Option<f64>,
        clients: Option<u32>,
    },
    /// An impossible number.
    #[error("{what} is {value}, which is invalid: {why}")]
    Number { what: &'static str, value: String, why: &'static str },
    /// An impossible word or version.
    #[error("{what} '{value}' is invalid: {allowed}")]
    Value {
        what: &'static str,
        value: String,
        /// The allowed values.
        allowed: &'static str,
    },
    /// Such a site has no such host.
    #[error(
        "--protocol stornext works only with --for client-linux; StorNext configures its servers and other \
         clients itself"
    )]
    NotOfStornext,
    /// A word that would have another meaning in a configuration file.
    #[error("{what} '{value}' cannot be used in a configuration file or a command: it {why}")]
    Word { what: &'static str, value: String, why: WordFault },
    /// No memory would be left.
    #[error(
        "--reserve ({reserved_bytes} bytes) leaves nothing of --memory ({memory_bytes} bytes); use a smaller \
         --reserve"
    )]
    Memory {
        /// The memory for other services.
        reserved_bytes: u64,
        /// The server's memory.
        memory_bytes: u64,
    },
}

/// Why a word would have another meaning in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordFault {
    Empty,
    /// It looks like an option.
    Dash,
    /// It contains this character.
    Character(char),
}

impl std::fmt::Display for WordFault {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            WordFault::Empty => out.write_str("is empty"),
            WordFault::Dash => out.write_str("must not start with '-'"),
            WordFault::Character(' ') => out.write_str("has a blank"),
            WordFault::Character(c) if c.is_control() || c.is_whitespace() => {
                write!(out, "contains the character U+{:04X}", u32::from(*c))
            }
            WordFault::Character(c) => write!(out, "contains the character {c}"),
        }
    }
}

/// Names with another meaning in `smb.conf`.
const SECTIONS: [&str; 4] = ["global", "homes", "printers", "ipc"];
/// The NFS versions that Linux mounts.
const NFS: [Version; 4] = [Version(3, 0), Version(4, 0), Version(4, 1), Version(4, 2)];
/// The version that introduced the leases that `smb.conf` sets.
const SAMBA_SINCE: Version = Version(4, 2);
/// Older kernels are no longer in use.
const KERNEL_SINCE: Version = Version(3, 10);

/// Whether it is an address with an allowed prefix length.
fn is_network(word: &str) -> bool {
    let (address, bits) = word.split_once('/').map_or((word, None), |(address, bits)| (address, Some(bits)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv6() { 128 } else { 32 };
    let is_number = |bits: &str| bits.chars().all(|c| c.is_ascii_digit());
    bits.is_none_or(|bits| is_number(bits) && bits.parse::<u32>().is_ok_and(|bits| bits <= most))
}

/// The fault of a word; `None` if it is allowed everywhere.
fn fault_of(word: &str) -> Option<WordFault> {
    let is_bad = |c: &char| c.is_control() || c.is_whitespace() || "\"'`$\\;#&|<>(){}[]*?!".contains(*c);
    match word.chars().find(is_bad) {
        Some(c) => Some(WordFault::Character(c)),
        None if word.is_empty() => Some(WordFault::Empty),
        None => word.starts_with('-').then_some(WordFault::Dash),
    }
}

impl Default for TuneSite {
    fn default() -> TuneSite {
        TuneSite {
            server_link_mbit_per_s: None,
            client_link_mbit_per_s: None,
            clients: None,
            stated_topology: None,
            round_trip_ms: USUAL_ROUND_TRIP_MS,
            server_memory_bytes: None,
            reserved_memory_bytes: None,
            disks: None,
            protocol: None,
            has_macs: true,
            has_windows: true,
            has_zfs: false,
            samba: None,
            kernel: None,
            nfs: None,
            server: "nas1".to_owned(),
            path: "/srv/media".to_owned(),
            share: "media".to_owned(),
            network: "10.0.0.0/24".to_owned(),
            mount_point: "/mnt/media".to_owned(),
            dataset: "tank/media".to_owned(),
            interface: "eth0".to_owned(),
            not_stated: SiteName::ALL.to_vec(),
        }
    }
}

impl TuneSite {
    /// The kind of network: as stated, otherwise from the links.
    pub fn topology(&self) -> Topology {
        if let Some(stated) = self.stated_topology {
            return stated;
        }
        match (self.server_link_mbit_per_s, self.client_link_mbit_per_s, self.clients) {
            (Some(server), Some(client), _) if server > client * SAME_SPEED => Topology::FanIn,
            (Some(server), Some(client), Some(1)) if client <= server * SAME_SPEED => Topology::Single,
            (Some(_), Some(_), Some(2..)) => Topology::Several,
            (Some(server), Some(client), Some(1)) if client > server => Topology::FasterClient,
            _ => Topology::NotKnown,
        }
    }

    /// The highest rate of a single connection: that of the slower link.
    pub fn path_mbit_per_s(&self) -> Option<f64> {
        match (self.server_link_mbit_per_s, self.client_link_mbit_per_s) {
            (Some(server), Some(client)) => Some(server.min(client)),
            (one, two) => one.or(two),
        }
    }

    /// The facts of these that were not stated.
    pub(super) fn not_stated(&self, wanted: &[SiteFact]) -> Vec<&'static str> {
        let missing = wanted.iter().filter_map(|wanted| match wanted {
            SiteFact::ServerLink => self.server_link_mbit_per_s.is_none().then_some("--server-link"),
            SiteFact::ClientLink => self.client_link_mbit_per_s.is_none().then_some("--client-link"),
            SiteFact::Clients => self.clients.is_none().then_some("--clients"),
            SiteFact::Disks => self.disks.is_none().then_some("--disks"),
            SiteFact::Memory => self.server_memory_bytes.is_none().then_some("--memory"),
            SiteFact::Reserve => self.reserved_memory_bytes.is_none().then_some("--reserve"),
            SiteFact::Protocol => self.protocol.is_none().then_some("--protocol"),
        });
        missing.collect()
    }

    /// A name, stated or not.
    pub fn name(&self, name: SiteName) -> &str {
        match name {
            SiteName::Server => &self.server,
            SiteName::Path => &self.path,
            SiteName::Share => &self.share,
            SiteName::Network => &self.network,
            SiteName::Mount => &self.mount_point,
            SiteName::Dataset => &self.dataset,
            SiteName::Interface => &self.interface,
        }
    }

    /// Whether this version has a feature that was introduced in `since`; `None` if the version is not
    /// stated.
    pub fn samba_has(&self, since: Version) -> Option<bool> {
        self.samba.map(|version| version >= since)
    }

    pub(super) fn check(&self) -> Result<(), TuneSiteError> {
        self.check_numbers()?;
        self.check_topology()?;
        for name in SiteName::ALL {
            let word = self.name(name);
            if let Some(why) = fault_of(word) {
                let value = word.chars().filter(|c| !c.is_control()).collect();
                return Err(TuneSiteError::Word { what: name.flag(), value, why });
            }
            if let Some(allowed) = self.wrong_name(name) {
                return Err(TuneSiteError::Value { what: name.flag(), value: word.to_owned(), allowed });
            }
        }
        self.check_versions()
    }

    /// The allowed values for a name that is not valid for its purpose; `None` if it is valid.
    fn wrong_name(&self, name: SiteName) -> Option<&'static str> {
        let word = self.name(name);
        let is_whole = |path: &str| path.starts_with('/') && !path.split('/').any(|part| part == "..");
        let has_parts = word.split('/').any(|part| !part.is_empty() && part != ".");
        let (is_right, allowed) = match name {
            SiteName::Network => (
                is_network(word),
                "use an address with its prefix length, such as \
                 10.0.0.0/24",
            ),
            SiteName::Path => (is_whole(word), "use the absolute path on the server, such as /srv/media"),
            SiteName::Mount => {
                (is_whole(word) && has_parts, "use a dedicated folder below the root, such as /mnt/media")
            }
            SiteName::Share => (
                !SECTIONS.contains(&word.to_ascii_lowercase().as_str()),
                "it is a special section of smb.conf; use another name, such as media",
            ),
            SiteName::Server | SiteName::Dataset | SiteName::Interface => return None,
        };
        (!is_right).then_some(allowed)
    }

    fn check_versions(&self) -> Result<(), TuneSiteError> {
        let wrong = |what, version: Version, allowed| {
            let value = format!("{}.{}", version.0, version.1);
            Err(TuneSiteError::Value { what, value, allowed })
        };
        match (self.nfs, self.samba, self.kernel) {
            (Some(nfs), ..) if !NFS.contains(&nfs) => wrong("--nfs", nfs, "give 3, 4.0, 4.1 or 4.2"),
            (_, Some(samba), _) if samba < SAMBA_SINCE => {
                wrong("--samba", samba, "use 4.2 or later; older versions lack these settings")
            }
            (.., Some(kernel)) if kernel < KERNEL_SINCE => {
                wrong("--kernel", kernel, "use 3.10 or later; older versions lack these settings")
            }
            _ => Ok(()),
        }
    }

    /// If the user states both the topology and the links, they must agree.
    fn check_topology(&self) -> Result<(), TuneSiteError> {
        let Some(stated) = self.stated_topology else { return Ok(()) };
        let links = self.server_link_mbit_per_s.zip(self.client_link_mbit_per_s);
        let is_faster = |one: f64, other: f64| one > other * SAME_SPEED;
        let do_links_fit = links.is_none_or(|(server, client)| match stated {
            Topology::Single => !is_faster(server, client) && !is_faster(client, server),
            Topology::FanIn => is_faster(server, client),
            Topology::Several => !is_faster(server, client),
            Topology::FasterClient => is_faster(client, server),
            Topology::NotKnown => true,
        });
        let do_clients_fit = self.clients.is_none_or(|clients| match stated {
            Topology::Single | Topology::FasterClient => clients == 1,
            Topology::Several => clients > 1,
            Topology::FanIn | Topology::NotKnown => true,
        });
        if do_links_fit && do_clients_fit {
            return Ok(());
        }
        Err(TuneSiteError::Topology {
            stated,
            server_mbit_per_s: self.server_link_mbit_per_s,
            client_mbit_per_s: self.client_link_mbit_per_s,
            clients: self.clients,
        })
    }

    fn check_numbers(&self) -> Result<(), TuneSiteError> {
        let wrong = |what, value: String, why| TuneSiteError::Number { what, value, why };
        for (what, speed) in
            [("--server-link", self.server_link_mbit_per_s), ("--client-link", self.client_link_mbit_per_s)]
        {
            if let Some(speed) = speed.filter(|speed| !(10.0..=1_600_000.0).contains(speed)) {
                return Err(wrong(what, format!("{speed} Mbit/s"), "use 10 Mbit/s to 1.6 Tbit/s"));
            }
        }
        if !(0.001..=10_000.0).contains(&self.round_trip_ms) {
            let value = format!("{} ms", self.round_trip_ms);
            return Err(wrong("--round-trip", value, "use 1 µs to 10 s"));
        }
        if let Some(0 | 100_001..) = self.clients {
            let clients = self.clients.unwrap_or_default().to_string();
            return Err(wrong("--clients", clients, "use 1 to 100,000"));
        }
        let memory = (self.server_memory_bytes, self.reserved_memory_bytes);
        if let (Some(memory), Some(reserved)) = memory
            && reserved >= memory
        {
            return Err(TuneSiteError::Memory { reserved_bytes: reserved, memory_bytes: memory });
        }
        Ok(())
    }
}
