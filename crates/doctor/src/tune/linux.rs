//! Linux: the kernel's settings of TCP and memory, the card, mounts and how far files are read ahead.

use super::fragment::{
    Because, Destination, Fragment, Left, Line, Part, default, flow_control, frame, frames,
};
use super::site::{Protocol, Site, SiteName, Topology, Version};
use super::sums::{self, Sum, USUAL_RECEIVE_BYTES, USUAL_SEND_BYTES};

/// Several connections of an NFS mount came with it.
const NCONNECT: Version = Version(5, 3);
/// So many of them.
const CONNECTIONS: u32 = 4;
/// Over a way this long a connection that paused begins slowly again.
const LONG_WAY_MS: f64 = 5.0;
/// How far an NFS mount reads ahead, to begin with.
const READ_AHEAD_KIB: u32 = 8192;

/// `/etc/sysctl.d`.
pub(super) fn kernel(site: &Site, is_server: bool) -> Fragment {
    let mut parts = vec![
        default("net.ipv4.tcp_window_scaling = 1", "net.tcp.window_scaling_off"),
        default("net.ipv4.tcp_moderate_rcvbuf = 1", "net.tcp.moderate_rcvbuf_off"),
        default("net.ipv4.tcp_sack = 1", "net.tcp.options_off"),
        default("net.ipv4.tcp_timestamps = 1", "net.tcp.options_off"),
        Line::new("net.ipv4.tcp_congestion_control = cubic", "net.tcp.cc_on_server").into(),
    ];
    parts.extend(buffers(site, is_server));
    if site.topology() == Topology::Single {
        let line = Line::new("net.ipv4.tcp_mtu_probing = 1", "net.mtu.tcp_mtu_probing");
        parts.push(line.because(Because::Topology(Topology::Single)).into());
    }
    let is_long = site.round_trip_ms >= LONG_WAY_MS;
    if is_server && is_long {
        parts.push(
            Line::new("net.ipv4.tcp_slow_start_after_idle = 0", "net.tcp.slow_start_after_idle").into(),
        );
    }
    if !is_server {
        parts.extend(dirty(site));
    }
    Fragment {
        name: "sysctl.conf",
        place: Destination::File("/etc/sysctl.d/90-reelgauge-media.conf".to_owned()),
        parts,
        names: Vec::new(),
        activate: vec!["sysctl -p /etc/sysctl.d/90-reelgauge-media.conf".to_owned()],
    }
}

/// What TCP may buffer, and what that comes to on a server.
fn buffers(site: &Site, is_server: bool) -> Vec<Part> {
    const RULE: &str = "net.tcp.buffer_below_bdp";
    let both = (sums::window(site, USUAL_RECEIVE_BYTES), sums::window(site, USUAL_SEND_BYTES));
    let (Some(receive @ Sum::Window { bytes: read, .. }), Some(send @ Sum::Window { bytes: written, .. })) =
        both
    else {
        return vec![Part::Left(RULE, Left::NotStated("--server-link and --client-link"))];
    };
    let connections = if sums::wants_connections(site) == Some(true) { CONNECTIONS } else { 1 };
    let memory = sums::connection_memory(site, connections, read + written).filter(|_| is_server);
    vec![
        Line::new(format!("net.ipv4.tcp_rmem = 4096 131072 {read}"), RULE).sum(Some(receive)).into(),
        Line::new(format!("net.ipv4.tcp_wmem = 4096 16384 {written}"), RULE)
            .sum(Some(send))
            .sum(memory)
            .into(),
    ]
}

/// How much written data may wait.
fn dirty(site: &Site) -> Vec<Part> {
    const RULE: &str = "vm.dirty_limits";
    match sums::dirty(site) {
        Some(sum @ Sum::Dirty { bytes, background_bytes, .. }) => vec![
            Line::new(format!("vm.dirty_background_bytes = {background_bytes}"), RULE).into(),
            Line::new(format!("vm.dirty_bytes = {bytes}"), RULE).sum(Some(sum)).into(),
        ],
        _ => vec![Part::Left(RULE, Left::NotStated("--client-link"))],
    }
}

/// The card.
pub(super) fn links(site: &Site, is_server: bool) -> Fragment {
    let card = &site.interface;
    let mut parts = vec![frames(site, &|bytes| {
        Line::new(format!("ip link set dev {card} mtu {bytes}"), "")
            .undo(format!("the same with the mtu that 'ip link show dev {card}' gave before: note it first"))
    })];
    parts.extend(flow_control(site, is_server));
    parts.push(
        Line::new(format!("ethtool --set-eee {card} eee off"), "net.eee")
            .undo(format!(
                "ethtool --set-eee {card} eee on, if 'ethtool --show-eee {card}' said so before: note it first"
            ))
            .into(),
    );
    parts.push(Part::Left("net.ring.rx_small", Left::Measure));
    parts.push(Part::Left("net.softnet.dropped", Left::Measure));
    Fragment {
        name: "link.sh",
        place: Destination::Run("/bin/sh"),
        parts,
        names: vec![SiteName::Interface],
        activate: Vec::new(),
    }
}

/// A line of `/etc/fstab`.
pub(super) fn mount(site: &Site) -> Fragment {
    let parts = match site.protocol {
        Some(Protocol::Nfs) => nfs_mount(site),
        Some(Protocol::Smb) => smb_mount(site),
        Some(Protocol::Afp) => {
            let mut parts = vec![Part::AfpIsLegacy];
            parts.extend(smb_mount(site));
            parts
        }
        None => vec![Part::Left("nfs.version", Left::NotStated("--protocol"))],
    };
    let names = match site.protocol {
        Some(Protocol::Nfs) => vec![SiteName::Server, SiteName::Path, SiteName::Mount],
        Some(Protocol::Smb | Protocol::Afp) => vec![SiteName::Server, SiteName::Share, SiteName::Mount],
        None => vec![SiteName::Mount],
    };
    Fragment {
        name: "fstab",
        place: Destination::Into("/etc/fstab".to_owned()),
        parts,
        names,
        activate: vec![format!("umount {0} && mount {0}", site.mount_point)],
    }
}

fn nfs_mount(site: &Site) -> Vec<Part> {
    let version = site.nfs.unwrap_or(Version(4, 2));
    let mut options = format!(
        "vers={}",
        if version.0 == 3 { "3".to_owned() } else { format!("{}.{}", version.0, version.1) }
    );
    options.push_str(",proto=tcp,hard,rsize=1048576,wsize=1048576,sec=sys");
    let mut parts = Vec::new();
    let is_new = site.kernel.is_none_or(|kernel| kernel >= NCONNECT);
    match (sums::wants_connections(site), site.kernel.filter(|_| !is_new)) {
        (_, Some(kernel)) => parts.push(Part::Left("nfs.nconnect_missing", Left::TooOld(kernel))),
        (Some(true), None) => options.push_str(&format!(",nconnect={CONNECTIONS}")),
        (Some(false), None) if site.topology() == Topology::FanIn => {
            parts.push(Part::Left("nfs.nconnect_missing", Left::Topology(Topology::FanIn)));
        }
        (Some(false), None) => parts.push(Part::Left("nfs.nconnect_missing", Left::Measure)),
        (None, None) => {
            parts.push(Part::Left("nfs.nconnect_missing", Left::NotStated("--server-link and --client-link")))
        }
    }
    let text = format!("{}:{} {} nfs {options},_netdev 0 0", site.server, site.path, site.mount_point);
    let line = Line::new(text, "nfs.rsize_wsize").sum(sums::requests(site));
    parts.insert(0, line.into());
    parts.push(Part::Decide("nfs.krb5p"));
    parts
}

fn smb_mount(site: &Site) -> Vec<Part> {
    let mut options = "vers=3.1.1,cache=strict,credentials=/etc/samba/media.credentials".to_owned();
    if sums::wants_connections(site) == Some(true) {
        options.push_str(&format!(",multichannel,max_channels={CONNECTIONS}"));
    }
    let text = format!("//{}/{} {} cifs {options},_netdev 0 0", site.server, site.share, site.mount_point);
    vec![
        Line::new(text, "smb.cifs.mount_options").into(),
        Part::Decide("smb.signing_required"),
        Part::Decide("smb.encryption_on"),
    ]
}

/// How far NFS mounts are read ahead, by the program that udev asks for each of them.
pub(super) fn read_ahead(site: &Site) -> Fragment {
    let parts = match site.protocol {
        Some(Protocol::Nfs) => vec![
            frame("[nfsrahead]"),
            Line::new(format!("default={READ_AHEAD_KIB}"), "nfs.readahead_128k")
                .because(Because::ToProve)
                .into(),
        ],
        _ => vec![Part::Left("nfs.readahead_128k", Left::NotStated("--protocol nfs"))],
    };
    Fragment {
        name: "nfs.conf",
        place: Destination::File("/etc/nfs.conf.d/reelgauge-media.conf".to_owned()),
        parts,
        names: vec![SiteName::Mount],
        activate: vec![format!("umount {0} && mount {0}", site.mount_point)],
    }
}
