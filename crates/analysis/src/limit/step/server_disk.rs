//! Did the server wait for its disks? Only an observer on the server can show it.
//!
//! A disk of the server is the limit if it was always busy, or if its requests took most of the time of
//! an operation. A disk that transferred next to nothing of the load is not: a cache answered, or the
//! data are elsewhere.
//!
//! Fast answers of the disks acquit them only if nothing else in the server's storage can have delayed
//! operations: the sampled disks transferred the whole load, and hardly any task of the server waited
//! for storage at all. The second condition covers layers above the disks (a queue, a control group, a
//! loop or mapped device) that were not sampled. Otherwise the disks are neither blamed nor acquitted.

use std::collections::BTreeSet;

use reelgauge_record::counters::Layer;

use super::request::request_us;
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::{LimitInput, Observed};

/// Share of the time, in percent.
const BUSY_PERCENT: f64 = 90.0;

/// Time of a disk request as a share of an operation's time, in percent.
const OF_OPERATION_PERCENT: f64 = 50.0;

/// A part of an operation cannot take longer than the operation; 10 % are allowed because two hosts
/// measured. Operations did not wait for requests that took longer: these were write-behind or
/// read-ahead.
const WAITED_FOR_PERCENT: f64 = 110.0;

/// A disk served the load if it transferred at least this share of it; arrays have dozens of disks.
const CARRIES_SHARE: f64 = 0.02;

/// The sampled disks count as all disks if they transferred at least this share of the load.
const ALL_SHARE: f64 = 0.9;

/// If some task of the server waited for storage for more than this percentage of the time, operations
/// may have waited too.
const WAITING_PERCENT: f64 = 10.0;

const RULES: &[&str] =
    &["blk.disk_saturated", "blk.raid_degraded_or_rebuilding", "fs.fragmentation", "fs.free_space_low"];

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if !scene.on_network {
        return Tested::No;
    }
    let found = scene.observed.iter().flat_map(|observed| of_observer(observed, scene));
    let nearness = |finding: &LimitFinding| finding.seen.first().and_then(Seen::nearness).unwrap_or(0.0);
    found
        .max_by(|one, two| nearness(one).total_cmp(&nearness(two)))
        .map_or(Tested::NotMeasured, Tested::by_first)
}

/// The longest time of a request at a disk of the server, in the direction of the load, if it acquits
/// the server's storage: see the head. `None` if it does not, or too little of the server was sampled.
pub(super) fn acquitting_us(scene: &LimitInput<'_>) -> Option<f64> {
    let [server] = scene.observed else { return None };
    let us = disk_us(server, scene)?;
    let is_accused = matches!(test(scene), Tested::Found(_));
    let is_short = us / request_us(scene)? * 100.0 < OF_OPERATION_PERCENT;
    let waits = waiting_percent(server)? > WAITING_PERCENT;
    (!is_accused && is_short && !waits && are_all(server, scene)?).then_some(us)
}

/// Share of the time in which some task of the server waited for storage.
fn waiting_percent(server: &Observed<'_>) -> Option<f64> {
    server.means.of(Layer::Host, "pressure_io_some_percent", "")
}

/// The largest share of time in which tasks of a server waited for its storage, if it is worth
/// reporting.
pub(super) fn waited_percent(scene: &LimitInput<'_>) -> Option<f64> {
    let all = scene.observed.iter().filter_map(waiting_percent);
    all.filter(|percent| *percent >= OF_OPERATION_PERCENT).reduce(f64::max)
}

/// Whether the sampled disks transferred the whole load. An array and its members count the same bytes.
fn are_all(server: &Observed<'_>, scene: &LimitInput<'_>) -> Option<bool> {
    let (name, load) = direction(scene);
    let each = || server.means.each(Layer::Disk, name);
    let largest = each().map(|(_, moved)| moved).reduce(f64::max)?;
    let is_made_of_others = |disk: &str| ["md", "dm-", "loop"].iter().any(|kind| disk.starts_with(kind));
    let together: f64 = each().filter(|(disk, _)| !is_made_of_others(disk)).map(|(_, moved)| moved).sum();
    Some(largest.max(together) >= load? * ALL_SHARE)
}

/// The counter of a disk and the rate of the load, in the direction of the load.
fn direction(scene: &LimitInput<'_>) -> (&'static str, Option<f64>) {
    let total = &scene.point.total;
    match scene.mostly_reads() {
        true => ("read_bytes_per_s", total.read_bytes_per_s),
        false => ("written_bytes_per_s", total.written_bytes_per_s),
    }
}

fn disk_us(server: &Observed<'_>, scene: &LimitInput<'_>) -> Option<f64> {
    let disks = disks(server).into_iter().filter(|disk| carries(server, disk, scene) != Some(false));
    disks.filter_map(|disk| took_us(server, disk, scene)).reduce(f64::max)
}

fn disks<'a>(observed: &Observed<'a>) -> BTreeSet<&'a str> {
    let names = ["util_percent", "mean_read_us", "mean_write_us"];
    names.iter().flat_map(|name| observed.means.each(Layer::Disk, name).map(|(disk, _)| disk)).collect()
}

fn of_observer(observed: &Observed<'_>, scene: &LimitInput<'_>) -> Vec<LimitFinding> {
    disks(observed).into_iter().filter_map(|disk| of_disk(observed, disk, scene)).collect()
}

fn of_disk(observed: &Observed<'_>, disk: &str, scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let is_of_the_load = carries(observed, disk, scene) != Some(false);
    let busy = observed.means.of(Layer::Disk, "util_percent", disk).filter(|_| is_of_the_load);
    let busy = busy.map(|percent| Seen::against(Measure::DiskBusyPercent, percent, BUSY_PERCENT));
    let took = took_us(observed, disk, scene).filter(|_| is_of_the_load);
    let share = took.zip(request_us(scene).filter(|us| *us > 0.0)).map(|(took, whole)| took / whole * 100.0);
    let (waited_for, not_waited_for) = match share {
        Some(percent) if percent > WAITED_FOR_PERCENT => (None, Some(percent)),
        share => (share, None),
    };
    let waited_for =
        waited_for.map(|share| Seen::against(Measure::DiskOfOperationPercent, share, OF_OPERATION_PERCENT));
    let mut seen: Vec<Seen> = busy.into_iter().chain(waited_for).collect();
    seen.sort_by(|one, two| two.nearness().unwrap_or(0.0).total_cmp(&one.nearness().unwrap_or(0.0)));
    if seen.is_empty() {
        return None;
    }
    seen.extend(not_waited_for.map(|percent| Seen::beside(Measure::DiskOfOperationPercent, percent)));
    seen.extend(took.map(|us| Seen::beside(Measure::DiskUs, us)));
    let requests = observed.means.of(Layer::Disk, "mean_in_flight", disk);
    seen.extend(requests.map(|requests| Seen::beside(Measure::DiskRequests, requests)));
    let at = format!("{disk} of {}", observed.name);
    Some(LimitFinding::new(LimitStep::ServerDisk, seen, RULES).at(&at))
}

/// The time of a request there, in the direction of the load.
fn took_us(observed: &Observed<'_>, disk: &str, scene: &LimitInput<'_>) -> Option<f64> {
    let name = if scene.mostly_reads() { "mean_read_us" } else { "mean_write_us" };
    observed.means.of(Layer::Disk, name, disk)
}

/// Whether it transferred a part of the load. `None` if its bytes were not counted.
fn carries(observed: &Observed<'_>, disk: &str, scene: &LimitInput<'_>) -> Option<bool> {
    let (name, load) = direction(scene);
    let moved = observed.means.of(Layer::Disk, name, disk)?;
    Some(moved >= load? * CARRIES_SHARE)
}
