//! `smb.conf` of a server.

use super::fragment::{Because, Destination, Fragment, FragmentPart, Left, SettingLine, default, frame};
use super::site::{SiteName, Topology, TuneSite, Version};

/// The version that introduced fast signing algorithms.
const FAST_SIGNING: Version = Version(4, 15);
const FILE: &str = "/etc/samba/smb.conf";

pub(super) fn config(site: &TuneSite) -> Fragment {
    let mut parts = vec![frame("[global]")];
    parts.extend(global(site));
    parts.push(frame(""));
    parts.push(frame(&format!("[{}]", site.share)));
    parts.push(frame(&format!("path = {}", site.path)));
    parts.push(frame("read only = no"));
    parts.extend(share(site));
    Fragment {
        name: "smb.conf",
        place: Destination::Into(FILE.to_owned()),
        parts,
        names: vec![SiteName::Share, SiteName::Path],
        keep: None,
        activate: vec!["testparm -s".to_owned(), "smbcontrol all reload-config".to_owned()],
    }
}

/// The settings for all shares; also for an appliance.
pub(super) fn global(site: &TuneSite) -> Vec<FragmentPart> {
    let mut parts = vec![
        default("socket options = TCP_NODELAY", "smb.samba.socket_options"),
        default("aio read size = 1", "smb.samba.aio_off"),
        default("aio write size = 1", "smb.samba.aio_off"),
        default("smb2 max read = 8388608", "smb.samba.max_rw"),
        default("smb2 max write = 8388608", "smb.samba.max_rw"),
        default("smb2 max credits = 8192", "smb.samba.max_rw"),
        default("smb2 leases = yes", "smb.samba.oplocks_leases"),
        default("kernel oplocks = no", "smb.samba.oplocks_leases"),
        default("use sendfile = no", "smb.samba.sendfile"),
        SettingLine::new("log level = 1", "smb.samba.debug_and_vfs").into(),
        default("server min protocol = SMB2_02", "smb.dialect_low"),
    ];
    // Without a stated version, a current one is assumed.
    if site.samba_has(FAST_SIGNING) == Some(false) {
        let version = site.samba.unwrap_or(FAST_SIGNING);
        parts.push(FragmentPart::Left("smb.crypto_algorithm_slow", Left::TooOld(version)));
        parts.push(FragmentPart::Left("smb.multichannel_unused", Left::TooOld(version)));
    } else {
        let rule = "smb.crypto_algorithm_slow";
        let signing = "server smb3 signing algorithms = aes-128-gmac aes-128-cmac hmac-sha256";
        let encryption =
            "server smb3 encryption algorithms = aes-128-gcm aes-128-ccm aes-256-gcm aes-256-ccm";
        parts.push(default(signing, rule));
        parts.push(default(encryption, rule));
        parts.push(several(site, "server multi channel support = yes"));
    }
    parts.push(FragmentPart::Decide("smb.signing_required"));
    parts.push(FragmentPart::Decide("smb.encryption_on"));
    if site.has_macs {
        let macs = |text: &str, rule| -> FragmentPart {
            SettingLine::new(text, rule).because(Because::HasMacs).into()
        };
        parts.push(macs("ea support = yes", "smb.samba.fruit"));
        parts.push(macs("vfs objects = catia fruit streams_xattr", "smb.samba.fruit"));
        parts.push(macs("fruit:metadata = stream", "smb.samba.fruit"));
        parts.push(macs("fruit:zero_file_id = yes", "smb.samba.fruit_zero_file_id"));
    }
    parts
}

/// A line that allows clients several connections: the topology decides, as on the clients.
pub(super) fn several(site: &TuneSite, line: &str) -> FragmentPart {
    const RULE: &str = "smb.multichannel_unused";
    match site.topology() {
        topology @ Topology::FanIn => FragmentPart::Left(RULE, Left::Topology(topology)),
        _ => default(line, RULE),
    }
}

/// The settings for the media share alone.
pub(super) fn share(site: &TuneSite) -> Vec<FragmentPart> {
    let mut parts = vec![
        default("oplocks = yes", "smb.samba.oplocks_leases"),
        default("strict sync = yes", "smb.samba.sync_settings"),
        default("sync always = no", "smb.samba.sync_settings"),
    ];
    match (site.has_zfs, site.has_windows) {
        (true, _) => parts.push(default("strict allocate = no", "smb.samba.strict_allocate")),
        // Samba preallocates only if it writes synchronously.
        (false, true) => parts
            .push(FragmentPart::Left("smb.samba.strict_allocate", Left::WithoutEffect("aio write size = 1"))),
        (false, false) => {}
    }
    parts.push(FragmentPart::Left("smb.samba.case_large_dirs", Left::NewOnly));
    parts
}
