//! The context of a run: other hosts that sampled, events that disturb storage, and the path to the
//! disks with the capacity of each part.
//!
//! Not here: which counters are a mark ([`reelgauge_analysis::marks`]), and the capacities
//! ([`reelgauge_analysis::path`]).

use std::path::Path;

use reelgauge_analysis::counters::means::CounterMeans;
use reelgauge_analysis::marks::{Way, marks};
use reelgauge_analysis::path::per_unit::{SiteShares, site_shares};
use reelgauge_analysis::path::site::Site;
use reelgauge_analysis::path::{ClientLink, MeasuredPath, PathFacts, path};
use reelgauge_analysis::statement::stream_count;
use reelgauge_analysis::{LoadPoint, Summary};
use reelgauge_machine::file_system::{MountKind, kind_of};
use reelgauge_record::counters::Layer;

use crate::counters::with_observers;
use crate::entered_marks::entered_into;
use crate::folders::of_observers;
use crate::limiting_layers::{is_on_network, means_in, measured};
use crate::load_points::LoadPointPlan;
use crate::observers::observers;
use crate::run_event::event_into;
use crate::site::site_of_run;

/// Adds the context of its run to a summary. Parts that cannot be read are unknown.
pub fn beside_into(summary: &mut Summary, run_dir: &Path, planned: &[LoadPointPlan]) {
    summary.observers = observers(run_dir);
    let counters = with_observers(run_dir).ok().flatten();
    summary.marks.retain(|mark| !mark.kind.is_counted());
    let found = counters.map(|counters| marks(&counters, way_of(summary))).unwrap_or_default();
    summary.marks.extend(found);
    entered_into(summary, run_dir);
    event_into(summary, run_dir, planned);
    summary.path = path_of(summary, run_dir, planned);
    summary.site_shares = site_of_run(run_dir).and_then(|site| shares_of(summary, &site));
}

/// The streams of a run divided by the parts of a site.
pub(crate) fn shares_of(summary: &Summary, site: &Site) -> Option<SiteShares> {
    let count = stream_count(summary)?;
    site_shares(count.streams, count.at_least, site)
}

/// The network path from the host of a run to its target. Unknown for a run on several hosts, and for
/// one that was killed.
fn way_of(summary: &Summary) -> Way<'_> {
    match &summary.link {
        Some(link) => Way::Over(&link.interface),
        None if summary.hosts.is_none() && is_local(summary) => Way::Local,
        None => Way::NotKnown,
    }
}

/// Whether the target is a disk or the memory of the measuring host, according to its mount. The data
/// behind a program on the host may be anywhere, and so may the device of a cluster file system.
fn is_local(summary: &Summary) -> bool {
    let Some(fs_type) = summary.target.fs_type.as_deref() else { return false };
    let kind = kind_of(fs_type, summary.target.source.as_deref().unwrap_or_default());
    matches!(kind, MountKind::LocalDisk | MountKind::Memory) && !is_on_network(summary)
}

/// The path of a run; `None` if it uses no network: a site is always behind one.
fn path_of(summary: &Summary, run_dir: &Path, planned: &[LoadPointPlan]) -> Option<PathFacts> {
    let site = site_of_run(run_dir);
    let link = summary.link.as_ref();
    let is_behind_network = link.is_some() || summary.memory.as_ref().is_some_and(|memory| memory.on_network);
    if !is_behind_network {
        return None;
    }
    let client = link.map(|link| ClientLink {
        words: link.words.clone(),
        mbit_per_s: link.speed_mbit_per_s.map(f64::from),
        line_bytes_per_s: link.line_bytes_per_s,
    });
    let rate = |point: &&LoadPoint| point.total.bytes_per_s.unwrap_or(0.0);
    let point = summary.load_points.iter().max_by(|one, two| rate(one).total_cmp(&rate(two)));
    let measured = point.map(|point| measured_along(point, run_dir, planned)).unwrap_or_default();
    Some(path(&site.unwrap_or_default(), client.as_ref(), measured))
}

/// The rates measured along the path during the transfers of a load point.
fn measured_along(point: &LoadPoint, run_dir: &Path, planned: &[LoadPointPlan]) -> MeasuredPath {
    let total = &point.total;
    let is_writing = total.written_bytes > total.read_bytes;
    let (client_bytes_per_s, disk, network) = match is_writing {
        true => (total.written_bytes_per_s, "written_bytes_per_s", "rx_bytes_per_s"),
        false => (total.read_bytes_per_s, "read_bytes_per_s", "tx_bytes_per_s"),
    };
    let means: Vec<CounterMeans> = measured(point, planned)
        .map(|stretch| {
            let of_each = of_observers(run_dir).into_iter();
            of_each.filter_map(|(_, dir)| means_in(&dir, vec![stretch])?.pop()).collect()
        })
        .unwrap_or_default();
    let busiest_link = |means: &CounterMeans| {
        let interfaces = means.each(Layer::Network, network).filter(|(name, _)| *name != "lo");
        interfaces.map(|(_, rate)| rate).reduce(f64::max)
    };
    // Arrays and volumes transfer the same bytes as their disks.
    let of_disks = |means: &CounterMeans| {
        let disks = means.each(Layer::Disk, disk).filter(|(name, _)| !is_made_of_others(name));
        disks.map(|(_, rate)| rate).reduce(|one, two| one + two)
    };
    MeasuredPath {
        client_bytes_per_s,
        server_link_bytes_per_s: means.iter().filter_map(busiest_link).reduce(f64::max),
        disks_bytes_per_s: means.iter().filter_map(of_disks).reduce(f64::max),
        is_writing,
    }
}

fn is_made_of_others(name: &str) -> bool {
    name.starts_with("md") || name.starts_with("dm-")
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::{LinkFacts, MemoryFacts};

    use super::*;

    #[test]
    fn network_path_is_the_link_or_none_for_a_local_disk() {
        let of = |fs_type: &str, source: &str| {
            let [fs_type, source] =
                [fs_type, source].map(|text| Some(text.to_owned()).filter(|text| !text.is_empty()));
            let target = Target { fs_type, source, ..Target::default() };
            Summary::new("0.1.0", "2026-11-26T10:00:00Z", "mix", target)
        };
        assert_eq!(way_of(&of("ext4", "/dev/loop0")), Way::Local);
        assert_eq!(way_of(&of("fuse.sshfs", "root@nas1:/srv")), Way::NotKnown);
        assert_eq!(way_of(&of("fuse.mergerfs", "/dev/fuse")), Way::NotKnown);
        assert_eq!(way_of(&of("nfs4", "nas1:/srv")), Way::NotKnown);
        assert_eq!(way_of(&of("lustre", "nas1@tcp:/srv")), Way::NotKnown);
        assert_eq!(way_of(&of("", "")), Way::NotKnown, "a watch of a machine");
        assert_eq!(way_of(&of("zfs", "tank/media")), Way::Local);
        assert_eq!(way_of(&of("gpfs", "/dev/gpfs0")), Way::NotKnown, "a device of many machines");
        let mut named = of("ext4", "/dev/nbd0");
        named.memory = Some(MemoryFacts { on_network: true, ..MemoryFacts::default() });
        assert_eq!(way_of(&named), Way::NotKnown);
        let mut linked = of("nfs4", "nas1:/srv");
        linked.link = Some(LinkFacts { interface: "eth0".to_owned(), ..LinkFacts::default() });
        assert_eq!(way_of(&linked), Way::Over("eth0"));
    }
}
