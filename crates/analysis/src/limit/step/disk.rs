//! Were the disks at work all the time? Only this machine's own are seen from here.

use reelgauge_record::counters::Layer;

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;

/// In percent of the time.
const BUSY_PERCENT: f64 = 90.0;

/// What tells more.
const RULES: &[&str] =
    &["blk.disk_saturated", "blk.raid_degraded_or_rebuilding", "fs.fragmentation", "fs.free_space_low"];

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    if scene.memory.is_some_and(|memory| memory.target_is_memory) {
        return Tested::No;
    }
    let Some((disk, busy)) = scene.means.largest(Layer::Disk, "util_percent") else {
        return Tested::NotMeasured;
    };
    let requests = scene.means.of(Layer::Disk, "mean_in_flight", disk);
    let mut seen = vec![Seen::against(Measure::DiskBusyPercent, busy, BUSY_PERCENT)];
    seen.extend(requests.map(|requests| Seen::beside(Measure::DiskRequests, requests)));
    let pressure = scene.host("pressure_io_some_percent");
    seen.extend(pressure.map(|percent| Seen::beside(Measure::DiskPressurePercent, percent)));
    Tested::by_first(LimitFinding::new(LimitStep::Disk, seen, RULES).at(disk))
}
