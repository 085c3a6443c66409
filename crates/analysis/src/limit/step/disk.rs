//! Were the disks always busy? Only those of the local host can be sampled here.

use reelgauge_record::counters::Layer;

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::foreign_disk_load::{self, DiskTransfer};
use crate::limit::input::LimitInput;

use super::server::operation_bytes;

/// Share of the time, in percent.
const BUSY_PERCENT: f64 = 90.0;

/// If reads are split, each part waits for the one before it, so a disk that is busy half of the time is
/// already what they wait for.
const HALF_BUSY_PERCENT: f64 = 50.0;

/// A read that is split into this many requests pays for each of them.
const REQUESTS_PER_READ: f64 = 16.0;

/// Fewer reads per second give no reliable size.
const READS_PER_S_MIN: f64 = 20.0;

const RULES: [&str; 4] =
    ["blk.disk_saturated", "blk.raid_degraded_or_rebuilding", "fs.fragmentation", "fs.free_space_low"];

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    if scene.memory.is_some_and(|memory| memory.target_is_memory) {
        return Tested::No;
    }
    // A loop device that reads its file through the cache is busy with a memory, so the devices below it
    // are checked.
    let in_cache = scene.memory.and_then(|memory| memory.cached_loop.as_deref());
    let disks = scene.means.each(Layer::Disk, "util_percent").filter(|(disk, _)| Some(*disk) != in_cache);
    let Some((disk, busy)) = disks.max_by(|one, two| one.1.total_cmp(&two.1)) else {
        return Tested::NotMeasured;
    };
    let requests = scene.means.of(Layer::Disk, "mean_in_flight", disk);
    let mut seen = vec![Seen::against(Measure::DiskBusyPercent, busy, BUSY_PERCENT)];
    seen.extend(requests.map(|requests| Seen::beside(Measure::DiskRequests, requests)));
    let pressure = scene.host("pressure_io_some_percent");
    seen.extend(pressure.map(|percent| Seen::beside(Measure::DiskPressurePercent, percent)));
    seen.extend(
        foreign_disk_load::of_disk(scene, disk)
            .iter()
            .filter(|used| used.is_sure())
            .flat_map(DiskTransfer::seen),
    );
    let Some(pieces) = pieces(scene, disk).filter(Seen::stands_out) else {
        return Tested::by_first(LimitFinding::new(LimitStep::Disk, seen, &RULES).at(disk));
    };
    seen.push(pieces);
    // Without the cache, the parts of a read are in flight together, split by the layout of the file or
    // by the queue's limit. With the cache, read-ahead waits for the previous part.
    if scene.memory.is_some_and(|memory| memory.past_client_cache == Some(true)) {
        return Tested::by_first(LimitFinding::new(LimitStep::Disk, seen, &RULES).at(disk));
    }
    let rules: Vec<&str> = std::iter::once("blk.read_ahead").chain(RULES).collect();
    let finding = LimitFinding::new(LimitStep::Disk, seen, &rules).at(disk);
    if busy > HALF_BUSY_PERCENT { Tested::Found(finding) } else { Tested::by_first(finding) }
}

/// The number of disk requests for each read of Reelgauge. Unknown if other programs read from the disk
/// too, because their requests are counted as well.
fn pieces(scene: &LimitInput<'_>, disk: &str) -> Option<Seen> {
    let of_disk = |name: &str| scene.means.of(Layer::Disk, name, disk);
    if foreign_disk_load::reads_of_others(scene, disk) {
        return None;
    }
    let reads_per_s = of_disk("reads_per_s").filter(|reads| *reads >= READS_PER_S_MIN)?;
    let request_bytes = of_disk("read_bytes_per_s").filter(|bytes| *bytes > 0.0)? / reads_per_s;
    let read_bytes = operation_bytes(scene).filter(|_| scene.mostly_reads())?;
    Some(Seen::against(Measure::RequestsPerRead, read_bytes / request_bytes, REQUESTS_PER_READ))
}
