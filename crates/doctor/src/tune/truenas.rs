//! TrueNAS: SCALE, which is Linux, and CORE, which is FreeBSD. Settings go into their dialogs; otherwise
//! the next update removes them.

use super::fragment::{Because, Destination, Fragment, FragmentPart, Left, SettingLine, frames};
use super::site::{Protocol, SiteFact, TuneSite};
use super::sums::{self, Sum, Windows};
use super::{linux, nfs, samba, zfs};

pub(super) fn fragments(site: &TuneSite) -> Vec<Fragment> {
    let site = &TuneSite { has_zfs: true, ..site.clone() };
    let mut all = Vec::new();
    all.push(if site.protocol == Some(Protocol::Nfs) { threads(site) } else { auxiliary(site) });
    all.push(zfs::dataset(site));
    all.push(scale(site));
    all.push(core(site));
    all
}

/// Settings for which the dialog of a share has no field.
fn auxiliary(site: &TuneSite) -> Fragment {
    let mut parts = Vec::new();
    if site.protocol == Some(Protocol::Afp) {
        parts.push(FragmentPart::AfpIsLegacy);
    }
    // Parameters for which the dialogs have fields are written by TrueNAS itself, and are omitted here.
    let has_a_field = |part: &FragmentPart| match part {
        FragmentPart::Line(line) => {
            ["vfs objects", "fruit:", "ea support", "server min protocol", "log level"]
                .iter()
                .any(|name| line.text.starts_with(name))
        }
        _ => false,
    };
    parts.extend(samba::global(site).into_iter().filter(|part| !has_a_field(part)));
    parts.extend(samba::share(site));
    if site.has_macs {
        parts.push(FragmentPart::Left(
            "smb.samba.fruit",
            Left::Dialog("Enable Apple SMB2/3 Protocol Extensions"),
        ));
    }
    Fragment {
        name: "truenas-smb.txt",
        place: Destination::Dialog("Services > SMB > Auxiliary Parameters"),
        parts,
        names: Vec::new(),
        keep: None,
        activate: vec!["midclt call service.restart cifs".to_owned()],
    }
}

fn threads(site: &TuneSite) -> Fragment {
    let part = match sums::threads(site) {
        Some(sum @ Sum::Threads { threads, .. }) => {
            SettingLine::new(format!("Number of threads: {threads}"), "nfs.server.threads")
                .because(Because::ToProve)
                .sum(Some(sum))
                .into()
        }
        _ => FragmentPart::not_stated("nfs.server.threads", site, &nfs::THREADS),
    };
    Fragment {
        name: "truenas-nfs.txt",
        place: Destination::Dialog("Services > NFS"),
        parts: vec![part, FragmentPart::Decide("nfs.export_async"), FragmentPart::Decide("nfs.krb5p")],
        names: Vec::new(),
        keep: None,
        activate: Vec::new(),
    }
}

/// SCALE has the Linux kernel.
fn scale(site: &TuneSite) -> Fragment {
    let mut fragment = linux::kernel(site, true);
    fragment.name = "truenas-scale-sysctl.txt";
    fragment.place = Destination::Dialog("SCALE: System > Advanced > Sysctl, one variable for each line");
    (fragment.keep, fragment.activate) = (None, Vec::new());
    fragment
        .parts
        .push(frames(site, &|bytes| SettingLine::new(format!("MTU {bytes} (Network > Interfaces)"), "")));
    fragment
}

/// The initial buffers of a connection, and the steps in which they grow: from 64 KiB in steps of 16
/// KiB, a connection needs many round trips until it fills a fast link.
fn first_buffers(site: &TuneSite) -> Vec<FragmentPart> {
    const RULE: &str = "net.tcp.freebsd_first_buffers";
    let Some(sum @ Sum::FirstBuffer { bytes, step_bytes, .. }) = sums::first_buffer(site) else {
        return Vec::new();
    };
    let line = |name: &str, value: u64| {
        SettingLine::new(format!("net.inet.tcp.{name} = {value}"), RULE).because(Because::ToProve)
    };
    vec![
        line("recvspace", bytes).sum(Some(sum)).into(),
        line("sendspace", bytes).into(),
        line("sendbuf_inc", step_bytes).into(),
        line("recvbuf_inc", step_bytes).into(),
    ]
}

/// CORE has the FreeBSD kernel.
fn core(site: &TuneSite) -> Fragment {
    const RULE: &str = "net.tcp.buffer_below_bdp";
    let mut parts = match sums::windows_of_freebsd(site) {
        Some(Windows { receive: (receive, read), send: (send, sent) }) => vec![
            // Half of it is for the kernel's own bookkeeping.
            SettingLine::new(format!("kern.ipc.maxsockbuf = {}", 2 * read.max(sent)), RULE).into(),
            SettingLine::new(format!("net.inet.tcp.recvbuf_max = {read}"), RULE).sum(Some(receive)).into(),
            SettingLine::new(format!("net.inet.tcp.sendbuf_max = {sent}"), RULE).sum(Some(send)).into(),
        ]
        .into_iter()
        .chain(first_buffers(site))
        .collect(),
        None => vec![FragmentPart::not_stated(RULE, site, &[SiteFact::ServerLink, SiteFact::ClientLink])],
    };
    parts.push(SettingLine::new("net.inet.tcp.rfc1323 = 1", "net.tcp.window_scaling_off").into());
    parts.push(SettingLine::new("net.inet.tcp.cc.algorithm = cubic", "net.tcp.cc_on_server").into());
    parts.push(frames(site, &|bytes| {
        SettingLine::new(format!("mtu {bytes} (Network > Interfaces > Options)"), "")
    }));
    Fragment {
        name: "truenas-core-tunables.txt",
        place: Destination::Dialog("CORE: System > Tunables, type SYSCTL, one for each line"),
        parts,
        names: Vec::new(),
        keep: None,
        activate: Vec::new(),
    }
}
