//! An NFS server, the kernel's or NFS-Ganesha: its exports and its threads.

use super::fragment::{Because, Destination, Fragment, FragmentPart, SettingLine, default, frame};
use super::site::{SiteFact, SiteName, TuneSite};
use super::sums::{self, Sum};

/// The facts that the number of threads depends on.
pub(super) const THREADS: [SiteFact; 4] =
    [SiteFact::Clients, SiteFact::Disks, SiteFact::ServerLink, SiteFact::ClientLink];

pub(super) fn exports(site: &TuneSite) -> Fragment {
    let options = "rw,sync,no_subtree_check,sec=sys";
    let line = SettingLine::new(format!("{} {}({options})", site.path, site.network), "nfs.export_async");
    Fragment {
        name: "exports",
        place: Destination::Into("/etc/exports".to_owned()),
        parts: vec![line.into(), FragmentPart::Decide("nfs.export_async"), FragmentPart::Decide("nfs.krb5p")],
        names: vec![SiteName::Path, SiteName::Network],
        keep: None,
        activate: vec!["exportfs -ra".to_owned()],
    }
}

pub(super) fn daemon(site: &TuneSite) -> Fragment {
    let mut parts = vec![frame("[nfsd]")];
    match sums::threads(site) {
        Some(sum @ Sum::Threads { threads, .. }) => {
            let line = SettingLine::new(format!("threads={threads}"), "nfs.server.threads");
            parts.push(line.because(Because::ToProve).sum(Some(sum)).into());
        }
        _ => parts.push(FragmentPart::not_stated("nfs.server.threads", site, &THREADS)),
    }
    // Version 3 is best for Macs, version 4 for others.
    parts.push(default("vers3=y", "nfs.version"));
    parts.push(default("vers4=y", "nfs.version"));
    parts.push(default("vers4.1=y", "nfs.version"));
    parts.push(default("vers4.2=y", "nfs.version"));
    parts.push(SettingLine::new("udp=n", "nfs.proto_udp").into());
    Fragment {
        name: "nfs.conf",
        place: Destination::File("/etc/nfs.conf.d/reelgauge-media.conf".to_owned()),
        parts,
        names: Vec::new(),
        keep: None,
        activate: vec!["systemctl restart nfs-server".to_owned()],
    }
}

/// The same for NFS-Ganesha, which has a separate file.
pub(super) fn ganesha(site: &TuneSite) -> Fragment {
    let set = |text: &str, rule| -> FragmentPart { SettingLine::new(text, rule).into() };
    let plain = |text: String| -> FragmentPart { FragmentPart::Frame(text) };
    Fragment {
        name: "ganesha.conf",
        place: Destination::Into("/etc/ganesha/ganesha.conf".to_owned()),
        parts: vec![
            frame("NFS_CORE_PARAM {"),
            set("    Protocols = 3, 4;", "nfs.version"),
            frame("}"),
            frame("EXPORT {"),
            frame("    Export_Id = 1;"),
            plain(format!("    Path = {};", site.path)),
            plain(format!("    Pseudo = {};", site.path)),
            frame("    Access_Type = None;"),
            set("    Transports = TCP;", "nfs.proto_udp"),
            set("    MaxRead = 1048576;", "nfs.rsize_wsize"),
            set("    MaxWrite = 1048576;", "nfs.rsize_wsize"),
            set("    PrefRead = 1048576;", "nfs.rsize_wsize"),
            set("    PrefWrite = 1048576;", "nfs.rsize_wsize"),
            frame("    SecType = sys;"),
            FragmentPart::Decide("nfs.krb5p"),
            frame("    FSAL { Name = VFS; }"),
            frame("    CLIENT {"),
            plain(format!("        Clients = {};", site.network)),
            frame("        Access_Type = RW;"),
            frame("    }"),
            frame("}"),
        ],
        names: vec![SiteName::Path, SiteName::Network],
        keep: None,
        activate: vec!["systemctl restart nfs-ganesha".to_owned()],
    }
}
