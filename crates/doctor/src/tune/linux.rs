//! Linux: kernel settings of TCP and memory, the card, mounts and read-ahead.

use std::net::Ipv6Addr;

use super::fragment::{
    Because, Destination, Fragment, FragmentPart, Kept, Left, SettingLine, default, flow_control, frame,
    frames,
};
use super::site::{Protocol, SiteFact, SiteName, Topology, TuneSite, Version};
use super::sums::{self, Sum, Windows};

/// The version that introduced several connections per NFS mount.
const NCONNECT: Version = Version(5, 3);
/// The number of connections per mount.
const CONNECTIONS: u32 = 4;
/// From this round trip on, a connection that paused takes long to speed up again.
const LONG_PATH_MS: f64 = 5.0;
/// The initial read-ahead of an NFS mount.
const READ_AHEAD_KIB: u32 = 8192;

/// `/etc/sysctl.d`.
pub(super) fn kernel(site: &TuneSite, is_server: bool) -> Fragment {
    let mut parts = vec![
        default("net.ipv4.tcp_window_scaling = 1", "net.tcp.window_scaling_off"),
        default("net.ipv4.tcp_moderate_rcvbuf = 1", "net.tcp.moderate_rcvbuf_off"),
        default("net.ipv4.tcp_sack = 1", "net.tcp.options_off"),
        default("net.ipv4.tcp_timestamps = 1", "net.tcp.options_off"),
        SettingLine::new("net.ipv4.tcp_congestion_control = cubic", "net.tcp.cc_on_server").into(),
    ];
    parts.extend(buffers(site, is_server));
    if site.topology() == Topology::Single {
        let line = SettingLine::new("net.ipv4.tcp_mtu_probing = 1", "net.mtu.tcp_mtu_probing");
        parts.push(line.because(Because::Topology(Topology::Single)).into());
    }
    let is_long = site.round_trip_ms >= LONG_PATH_MS;
    if is_server && is_long {
        parts.push(
            SettingLine::new("net.ipv4.tcp_slow_start_after_idle = 0", "net.tcp.slow_start_after_idle")
                .into(),
        );
    }
    if !is_server {
        parts.extend(dirty(site));
    }
    let keep = Kept { settings: settings(&parts), file: "/etc/sysctl.d/90-reelgauge-media.before" };
    Fragment {
        name: "sysctl.conf",
        place: Destination::File("/etc/sysctl.d/90-reelgauge-media.conf".to_owned()),
        parts,
        names: Vec::new(),
        keep: Some(keep),
        activate: vec!["sysctl -p /etc/sysctl.d/90-reelgauge-media.conf".to_owned()],
    }
}

/// The settings that lines change, by name. Of a limit in bytes and one in percent, only one is active:
/// setting one clears the other.
fn settings(parts: &[FragmentPart]) -> Vec<String> {
    let names = parts.iter().filter_map(FragmentPart::text).filter_map(|text| text.split(" = ").next());
    let both = names.flat_map(|name| match name.strip_suffix("_bytes") {
        Some(begin) if name.starts_with("vm.") => vec![name.to_owned(), format!("{begin}_ratio")],
        _ => vec![name.to_owned()],
    });
    both.collect()
}

/// The buffers of TCP, and their total on a server.
fn buffers(site: &TuneSite, is_server: bool) -> Vec<FragmentPart> {
    const RULE: &str = "net.tcp.buffer_below_bdp";
    let Some(Windows { receive: (receive, read), send: (send, written) }) = sums::windows(site) else {
        return vec![FragmentPart::not_stated(RULE, site, &[SiteFact::ServerLink, SiteFact::ClientLink])];
    };
    let connections = if sums::wants_connections(site) == Some(true) { CONNECTIONS } else { 1 };
    let memory = sums::connection_memory(site, connections, read + written).filter(|_| is_server);
    vec![
        SettingLine::new(format!("net.ipv4.tcp_rmem = 4096 131072 {read}"), RULE).sum(Some(receive)).into(),
        SettingLine::new(format!("net.ipv4.tcp_wmem = 4096 16384 {written}"), RULE)
            .sum(Some(send))
            .sum(memory)
            .into(),
    ]
}

/// The limit of dirty data.
fn dirty(site: &TuneSite) -> Vec<FragmentPart> {
    const RULE: &str = "vm.dirty_limits";
    match sums::dirty(site) {
        Some(sum @ Sum::Dirty { bytes, background_bytes, .. }) => vec![
            SettingLine::new(format!("vm.dirty_background_bytes = {background_bytes}"), RULE).into(),
            SettingLine::new(format!("vm.dirty_bytes = {bytes}"), RULE).sum(Some(sum)).into(),
        ],
        _ => vec![FragmentPart::not_stated(RULE, site, &[SiteFact::ClientLink])],
    }
}

/// The card.
pub(super) fn links(site: &TuneSite, is_server: bool) -> Fragment {
    let card = &site.interface;
    let mut parts = vec![frames(site, &|bytes| {
        SettingLine::new(format!("ip link set dev {card} mtu {bytes}"), "").undo(format!(
            "the same command with the MTU that 'ip link show dev {card}' shows now; note it first"
        ))
    })];
    parts.extend(flow_control(site, is_server));
    parts.push(
        SettingLine::new(format!("ethtool --set-eee {card} eee off"), "net.eee")
            .undo(format!(
                "note the output of 'ethtool --show-eee {card}' first; if it showed EEE on, run: ethtool \
                 --set-eee {card} eee on"
            ))
            .into(),
    );
    parts.push(FragmentPart::Left("net.ring.rx_small", Left::Measure));
    parts.push(FragmentPart::Left("net.softnet.dropped", Left::Measure));
    Fragment {
        name: "link.sh",
        place: Destination::Run("/bin/sh"),
        parts,
        names: vec![SiteName::Interface],
        keep: None,
        activate: Vec::new(),
    }
}

/// A line of `/etc/fstab`.
pub(super) fn mount(site: &TuneSite) -> Fragment {
    let of_nfs = [SiteName::Server, SiteName::Path, SiteName::Mount];
    let of_smb = [SiteName::Server, SiteName::Share, SiteName::Mount];
    let (parts, names) = match site.protocol {
        Some(Protocol::Nfs) => (nfs_mount(site), of_nfs.to_vec()),
        Some(Protocol::Smb) => (smb_mount(site), of_smb.to_vec()),
        // Its mount is StorNext's own.
        Some(Protocol::Stornext) => (Vec::new(), Vec::new()),
        Some(Protocol::Afp) => ([vec![FragmentPart::AfpIsLegacy], smb_mount(site)].concat(), of_smb.to_vec()),
        None => {
            let left = |rule| FragmentPart::not_stated(rule, site, &[SiteFact::Protocol]);
            (vec![left("nfs.version"), left("nfs.readahead_128k")], vec![SiteName::Mount])
        }
    };
    Fragment {
        name: "fstab",
        place: Destination::Into("/etc/fstab".to_owned()),
        parts,
        names,
        keep: None,
        activate: vec![format!("umount {0} && mount {0}", site.mount_point)],
    }
}

fn nfs_mount(site: &TuneSite) -> Vec<FragmentPart> {
    let version = match site.nfs.unwrap_or(Version(4, 2)) {
        Version(3, _) => "vers=3".to_owned(),
        Version(major, minor) => format!("vers={major}.{minor}"),
    };
    let mut options = format!("{version},proto=tcp,hard,rsize=1048576,wsize=1048576,sec=sys");
    let too_old = site.kernel.filter(|kernel| *kernel < NCONNECT);
    let connections = format!("nconnect={CONNECTIONS}");
    let left = match (sums::wants_connections(site), too_old) {
        (_, Some(kernel)) => Some(Left::TooOld(kernel)),
        (Some(true), None) => None,
        (Some(false), None) if site.topology() == Topology::FanIn => Some(Left::Topology(Topology::FanIn)),
        (Some(false), None) => Some(Left::Measure),
        (None, None) => Some(Left::NotStated(site.not_stated(&[SiteFact::ServerLink, SiteFact::ClientLink]))),
    };
    if left.is_none() {
        options.push_str(&format!(",{connections}"));
    }
    let (server, path) = (host_of_path(&site.server), &site.path);
    let text = format!("{server}:{path} {} nfs {options},_netdev 0 0", site.mount_point);
    let mut line = SettingLine::new(text, "nfs.rsize_wsize").sum(sums::requests(site));
    line =
        line.part(version, "nfs.version").part("proto=tcp", "nfs.proto_udp").part("hard", "nfs.soft_mount");
    if left.is_none() {
        line = line.part(connections, "nfs.nconnect_missing");
    }
    let left = left.map(|left| FragmentPart::Left("nfs.nconnect_missing", left));
    [line.into()].into_iter().chain(left).chain([FragmentPart::Decide("nfs.krb5p")]).collect()
}

/// A server as written before the colon of `SERVER:/PATH`: an IPv6 address, which contains colons
/// itself, is in brackets (nfs(5)).
fn host_of_path(server: &str) -> String {
    let address = server.split_once('%').map_or(server, |(address, _)| address);
    match address.parse::<Ipv6Addr>() {
        Ok(_) => format!("[{server}]"),
        Err(_) => server.to_owned(),
    }
}

/// `//SERVER/SHARE` takes an IPv6 address as it is: it ends at the slash.
fn smb_mount(site: &TuneSite) -> Vec<FragmentPart> {
    const SEVERAL: &str = "smb.multichannel_unused";
    let channels = format!("multichannel,max_channels={CONNECTIONS}");
    let wants = sums::wants_connections(site);
    let more = if wants == Some(true) { format!(",{channels}") } else { String::new() };
    let options = format!("vers=3.1.1,cache=strict,credentials=/etc/samba/media.credentials{more}");
    let text = format!("//{}/{} {} cifs {options},_netdev 0 0", site.server, site.share, site.mount_point);
    let line = SettingLine::new(text, "smb.cifs.mount_options").part("vers=3.1.1", "smb.dialect_low");
    let (line, left) = match wants {
        Some(true) => (line.part(channels, SEVERAL), None),
        Some(false) if site.topology() == Topology::FanIn => (line, Some(Left::Topology(Topology::FanIn))),
        Some(false) => (line, Some(Left::Measure)),
        None => (line, Some(Left::NotStated(site.not_stated(&[SiteFact::ServerLink, SiteFact::ClientLink])))),
    };
    let left = left.map(|left| FragmentPart::Left(SEVERAL, left));
    let decide = [FragmentPart::Decide("smb.signing_required"), FragmentPart::Decide("smb.encryption_on")];
    [line.into()].into_iter().chain(left).chain(decide).collect()
}

/// The read-ahead of NFS mounts, set by the program that udev runs for each of them. `None` for clients
/// with another protocol.
pub(super) fn read_ahead(site: &TuneSite) -> Option<Fragment> {
    (site.protocol == Some(Protocol::Nfs)).then(|| Fragment {
        name: "nfs.conf",
        place: Destination::File("/etc/nfs.conf.d/reelgauge-media.conf".to_owned()),
        parts: vec![
            frame("[nfsrahead]"),
            SettingLine::new(format!("default={READ_AHEAD_KIB}"), "nfs.readahead_128k")
                .because(Because::ToProve)
                .into(),
        ],
        names: vec![SiteName::Mount],
        keep: None,
        activate: vec![format!("umount {0} && mount {0}", site.mount_point)],
    })
}
