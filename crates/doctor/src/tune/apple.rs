//! A Mac: `nsmb.conf`, `nfs.conf`, and settings made by commands.

use super::fragment::{
    Because, Destination, Fragment, FragmentPart, Left, SettingLine, default, frame, frames,
};
use super::site::{Protocol, SiteName, Topology, TuneSite};

const AGAIN: &str = "unmount the share, and mount it again";

pub(super) fn fragments(site: &TuneSite) -> Vec<Fragment> {
    let mut all = Vec::new();
    if site.protocol != Some(Protocol::Nfs) {
        all.push(smb(site));
    }
    if matches!(site.protocol, Some(Protocol::Nfs) | None) {
        all.push(nfs());
    }
    all.push(commands(site));
    all
}

fn smb(site: &TuneSite) -> Fragment {
    const RULE: &str = "smb.macos.nsmb_conf";
    let mut parts = Vec::new();
    if site.protocol == Some(Protocol::Afp) {
        parts.push(FragmentPart::AfpIsLegacy);
    }
    parts.push(frame("[default]"));
    parts.push(default("streams=yes", RULE));
    parts.push(default("notify_off=no", RULE));
    parts.push(default("dir_cache_off=no", RULE));
    parts.push(super::samba::several(site, "mc_on=yes"));
    parts.push(SettingLine::new("mc_prefer_wired=yes", RULE).into());
    parts.push(FragmentPart::Decide("smb.signing_required"));
    Fragment {
        name: "nsmb.conf",
        place: Destination::File("/etc/nsmb.conf".to_owned()),
        parts,
        names: Vec::new(),
        keep: None,
        activate: vec![AGAIN.to_owned()],
    }
}

fn nfs() -> Fragment {
    let options = "nfsvers=3,tcp,rsize=1048576,wsize=1048576,readahead=128,rdirplus";
    Fragment {
        name: "nfs.conf",
        place: Destination::Into("/etc/nfs.conf".to_owned()),
        parts: vec![
            SettingLine::new(format!("nfs.client.mount.options = {options}"), "nfs.macos_defaults")
                .because(Because::ToProve)
                .into(),
            // Final Cut needs locks. With a server that has none, the workaround is locallocks, which
            // has a price.
            FragmentPart::Decide("nfs.locking_mode"),
            FragmentPart::Decide("nfs.macos_async"),
        ],
        names: Vec::new(),
        keep: None,
        activate: vec![AGAIN.to_owned()],
    }
}

fn commands(site: &TuneSite) -> Fragment {
    let card = &site.interface;
    let sets_frames = matches!(site.topology(), Topology::Single | Topology::FanIn);
    let names = if sets_frames { vec![SiteName::Interface] } else { Vec::new() };
    Fragment {
        name: "mac.sh",
        place: Destination::Run("/bin/zsh"),
        parts: vec![
            SettingLine::new(
                "defaults write com.apple.desktopservices DSDontWriteNetworkStores -bool TRUE",
                "smb.macos.ds_store",
            )
            .undo(
                "note the output of 'defaults read com.apple.desktopservices DSDontWriteNetworkStores' \
                 first. Write that value back; if there was none, run 'defaults delete \
                 com.apple.desktopservices DSDontWriteNetworkStores'",
            )
            .into(),
            frames(site, &|bytes| {
                SettingLine::new(format!("networksetup -setMTU {card} {bytes}"), "").undo(format!(
                    "the same command with the value that 'networksetup -getMTU {card}' shows now; note it \
                     first"
                ))
            }),
            FragmentPart::Left("client.macos.delayed_ack", Left::Measure),
        ],
        names,
        keep: None,
        activate: Vec::new(),
    }
}
