//! ZFS: properties of a dataset, and the memory limit of its cache.

use super::fragment::{Because, Destination, Fragment, FragmentPart, Left, SettingLine};
use super::site::{SiteFact, SiteName, TuneSite};
use super::sums::{self, Sum};

pub(super) fn fragments(site: &TuneSite) -> Vec<Fragment> {
    vec![dataset(site), cache(site)]
}

/// Properties of the dataset for media.
pub(super) fn dataset(site: &TuneSite) -> Fragment {
    let dataset = &site.dataset;
    let set = |property: &str, value: &str, rule| -> FragmentPart {
        SettingLine::new(format!("zfs set {property}={value} {dataset}"), rule)
            .undo(format!(
                "note the output of 'zfs get {property} {dataset}' first. If its source was local, set that \
                 value again; otherwise run: zfs inherit {property} {dataset}"
            ))
            .into()
    };
    Fragment {
        name: "zfs-dataset.sh",
        place: Destination::Run("/bin/sh"),
        parts: vec![
            set("recordsize", "1M", "zfs.recordsize"),
            set("atime", "off", "fs.atime_on"),
            set("sync", "standard", "zfs.sync_and_slog"),
            set("dedup", "off", "zfs.ashift_layout"),
            FragmentPart::Decide("zfs.special_vdev"),
            FragmentPart::Left("zfs.ashift_layout", Left::NewOnly),
            FragmentPart::Left("zfs.prefetch_ineffective", Left::Measure),
        ],
        names: vec![SiteName::Dataset],
        keep: None,
        activate: Vec::new(),
    }
}

fn cache(site: &TuneSite) -> Fragment {
    let part = match sums::cache(site) {
        Some(sum @ Sum::Cache { bytes, .. }) => {
            SettingLine::new(format!("options zfs zfs_arc_max={bytes}"), "zfs.arc_limit")
                .because(Because::ToProve)
                .sum(Some(sum))
                .into()
        }
        _ => FragmentPart::not_stated("zfs.arc_limit", site, &[SiteFact::Memory, SiteFact::Reserve]),
    };
    Fragment {
        name: "zfs-modprobe.conf",
        place: Destination::File("/etc/modprobe.d/reelgauge-zfs.conf".to_owned()),
        parts: vec![part],
        names: Vec::new(),
        keep: None,
        activate: vec!["update-initramfs -u".to_owned(), "reboot".to_owned()],
    }
}
