//! What is known of a site. Every part may be left open; what hangs on it is then left as it is.

use std::net::IpAddr;

use serde::Serialize;

/// A round trip within a building, where nobody says another.
pub const USUAL_ROUND_TRIP_MS: f64 = 0.5;
/// Links whose speeds are nearer than this have the same.
const SAME_SPEED: f64 = 1.01;

/// How media get from the server to its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Topology {
    /// One client whose link is as fast as the server's.
    Single,
    /// A server with a faster link than its clients: a switch has to hold what comes too fast.
    FanIn,
    /// Several clients whose links are as fast as the server's, or slower only for the server.
    Several,
    /// One client whose link is faster than the server's.
    FasterClient,
    /// Not stated, and not told by the links.
    NotKnown,
}

/// What clients use the storage by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Protocol {
    Smb,
    Nfs,
    Afp,
    /// StorNext's own, over Fibre Channel, iSER or its LAN.
    Stornext,
}

/// What sums hang on, by the flag that states it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stated {
    ServerLink,
    ClientLink,
    Clients,
    Disks,
    Memory,
    Reserve,
    Protocol,
}

/// What the server's volume lies on.
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

/// A name of the site's that stands in fragments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SiteName {
    /// The server's name or address.
    Server,
    /// The directory that it shares.
    Path,
    /// What the share is called.
    Share,
    /// Who may use it.
    Network,
    /// Where a client mounts it.
    Mount,
    /// The dataset of ZFS.
    Dataset,
    /// The card that storage goes by.
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

    /// By which flag it is stated.
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

/// A site as somebody states it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Site {
    /// The speed of the server's link.
    pub server_link_mbit_per_s: Option<f64>,
    /// The speed of each client's.
    pub client_link_mbit_per_s: Option<f64>,
    /// How many clients there are.
    pub clients: Option<u32>,
    /// What was said of the topology.
    pub stated_topology: Option<Topology>,
    /// A round trip between client and server.
    pub round_trip_ms: f64,
    /// How much memory the server has.
    pub server_memory_bytes: Option<u64>,
    /// How much of it other services need.
    pub reserved_memory_bytes: Option<u64>,
    /// What the volume lies on.
    pub disks: Option<Disks>,
    /// By what the clients use it.
    pub protocol: Option<Protocol>,
    /// Whether Macs are among the clients.
    pub has_macs: bool,
    /// Whether Windows machines are.
    pub has_windows: bool,
    /// The file system of the volume is ZFS.
    pub has_zfs: bool,
    pub samba: Option<Version>,
    /// The kernel's version, of the machine that the fragment is for.
    pub kernel: Option<Version>,
    /// The version of NFS.
    pub nfs: Option<Version>,
    /// The server's name or address.
    pub server: String,
    /// The directory that it shares.
    pub path: String,
    /// What the share is called.
    pub share: String,
    /// Who may use it: `10.0.0.0/24`.
    pub network: String,
    /// Where a client mounts it.
    pub mount_point: String,
    /// The dataset of ZFS.
    pub dataset: String,
    /// The card that storage goes by.
    pub interface: String,
    /// Which of these names nobody stated, so that another stands in their place.
    pub not_stated: Vec<SiteName>,
}

/// Why nothing can be said of a site.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The links, or the number of clients, say something else than the topology.
    #[error("--topology {stated:?} contradicts the link rates or the number of clients; correct or omit it")]
    Topology {
        stated: Topology,
        server_mbit_per_s: Option<f64>,
        client_mbit_per_s: Option<f64>,
        clients: Option<u32>,
    },
    /// A number can't be.
    #[error("{what} is {value}, which is invalid: {why}")]
    Number { what: &'static str, value: String, why: &'static str },
    /// A word or version is none that can be.
    #[error("{what} '{value}' is invalid: {allowed}")]
    Value {
        what: &'static str,
        value: String,
        /// What can be instead.
        allowed: &'static str,
    },
    /// Such a site has no such machine.
    #[error(
        "--protocol stornext works only with --for client-linux; StorNext configures its servers and other \
         clients itself"
    )]
    NotOfStornext,
    /// A word would be something else in a configuration file.
    #[error("{what} '{value}' cannot be used in a configuration file or a command: it {why}")]
    Word { what: &'static str, value: String, why: WordFault },
    /// Nothing would be left of the memory.
    #[error(
        "--reserve ({reserved_bytes} bytes) leaves nothing of --memory ({memory_bytes} bytes); use a smaller \
         --reserve"
    )]
    Memory {
        /// What other services need.
        reserved_bytes: u64,
        /// What the server has.
        memory_bytes: u64,
    },
}

/// Why a word would be something else in a configuration file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordFault {
    Empty,
    /// It looks like an option.
    Dash,
    /// It has this character.
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

/// Names that mean something else in `smb.conf`.
const SECTIONS: [&str; 4] = ["global", "homes", "printers", "ipc"];
/// The versions of NFS that Linux mounts.
const NFS: [Version; 4] = [Version(3, 0), Version(4, 0), Version(4, 1), Version(4, 2)];
/// The leases that `smb.conf` sets came with it.
const SAMBA_SINCE: Version = Version(4, 2);
/// Older kernels are nobody's any more.
const KERNEL_SINCE: Version = Version(3, 10);

/// Whether it is an address, with so many bits as such an address has at most.
fn is_network(word: &str) -> bool {
    let (address, bits) = word.split_once('/').map_or((word, None), |(address, bits)| (address, Some(bits)));
    let Ok(address) = address.parse::<IpAddr>() else { return false };
    let most = if address.is_ipv6() { 128 } else { 32 };
    let is_number = |bits: &str| bits.chars().all(|c| c.is_ascii_digit());
    bits.is_none_or(|bits| is_number(bits) && bits.parse::<u32>().is_ok_and(|bits| bits <= most))
}

/// What is wrong with a word; `None` where it can stand anywhere.
fn fault_of(word: &str) -> Option<WordFault> {
    let is_bad = |c: &char| c.is_control() || c.is_whitespace() || "\"'`$\\;#&|<>(){}[]*?!".contains(*c);
    match word.chars().find(is_bad) {
        Some(c) => Some(WordFault::Character(c)),
        None if word.is_empty() => Some(WordFault::Empty),
        None => word.starts_with('-').then_some(WordFault::Dash),
    }
}

impl Default for Site {
    fn default() -> Site {
        Site {
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

impl Site {
    /// What kind of network it is: by what was said, else by the links.
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

    /// What a single connection can have at most: the slower of both links.
    pub fn path_mbit_per_s(&self) -> Option<f64> {
        match (self.server_link_mbit_per_s, self.client_link_mbit_per_s) {
            (Some(server), Some(client)) => Some(server.min(client)),
            (one, two) => one.or(two),
        }
    }

    /// Of these, what nobody stated.
    pub(super) fn not_stated(&self, wanted: &[Stated]) -> Vec<&'static str> {
        let missing = wanted.iter().filter_map(|wanted| match wanted {
            Stated::ServerLink => self.server_link_mbit_per_s.is_none().then_some("--server-link"),
            Stated::ClientLink => self.client_link_mbit_per_s.is_none().then_some("--client-link"),
            Stated::Clients => self.clients.is_none().then_some("--clients"),
            Stated::Disks => self.disks.is_none().then_some("--disks"),
            Stated::Memory => self.server_memory_bytes.is_none().then_some("--memory"),
            Stated::Reserve => self.reserved_memory_bytes.is_none().then_some("--reserve"),
            Stated::Protocol => self.protocol.is_none().then_some("--protocol"),
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

    /// Whether something came with this version; `None` where nobody says which one it is.
    pub fn samba_has(&self, since: Version) -> Option<bool> {
        self.samba.map(|version| version >= since)
    }

    pub(super) fn check(&self) -> Result<(), SiteError> {
        self.check_numbers()?;
        self.check_topology()?;
        for name in SiteName::ALL {
            let word = self.name(name);
            if let Some(why) = fault_of(word) {
                let value = word.chars().filter(|c| !c.is_control()).collect();
                return Err(SiteError::Word { what: name.flag(), value, why });
            }
            if let Some(allowed) = self.wrong_name(name) {
                return Err(SiteError::Value { what: name.flag(), value: word.to_owned(), allowed });
            }
        }
        self.check_versions()
    }

    /// What can be in the place of a name that can't be what it stands for; `None` where it can.
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

    fn check_versions(&self) -> Result<(), SiteError> {
        let wrong = |what, version: Version, allowed| {
            let value = format!("{}.{}", version.0, version.1);
            Err(SiteError::Value { what, value, allowed })
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

    /// Whoever states the topology and the links has stated it twice.
    fn check_topology(&self) -> Result<(), SiteError> {
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
        Err(SiteError::Topology {
            stated,
            server_mbit_per_s: self.server_link_mbit_per_s,
            client_mbit_per_s: self.client_link_mbit_per_s,
            clients: self.clients,
        })
    }

    fn check_numbers(&self) -> Result<(), SiteError> {
        let wrong = |what, value: String, why| SiteError::Number { what, value, why };
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
            return Err(SiteError::Memory { reserved_bytes: reserved, memory_bytes: memory });
        }
        Ok(())
    }
}
