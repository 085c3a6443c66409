//! Did a cache answer? Then the figure is partly that of a memory; the share of such reads is reported
//! with it.

use reelgauge_record::counters::Layer;

use crate::cached_reads::{CACHED_SHARE, CacheEvidence, CacheSuspicion};
use crate::facts::MemoryFacts;
use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::input::LimitInput;

const RULES: &[&str] = &["blk.cache_vs_disk", "client.direct_vs_cached_io"];

/// If this percentage of a loop device's reads did not come from the disk below it, most came from a
/// cache.
const LOOP_CACHED_PERCENT: f64 = 50.0;

/// Far longer than a memory needs to answer. It transfers at least this many bytes per microsecond.
const MEMORY_TAKES_US: f64 = 5_000.0;
const MEMORY_BYTES_PER_US: f64 = 100.0;

pub(super) fn test(scene: &LimitInput<'_>) -> Tested {
    let Some(memory) = scene.memory.filter(|_| scene.point.total.read_bytes > 0) else {
        return Tested::No;
    };
    // A cache may have answered, but something else took the time.
    if is_slower_than_memory(scene) {
        return Tested::No;
    }
    let Some(CacheSuspicion::Answered { evidence }) = &memory.suspicion else {
        return below_a_loop(scene, memory).map_or(Tested::No, Tested::Found);
    };
    let seen = match evidence {
        CacheEvidence::ClientCounted { share } => vec![Seen::beside(Measure::CachedPercent, share * 100.0)],
        CacheEvidence::LaterReadsFaster { point, .. } if *point != scene.point.index => return Tested::No,
        CacheEvidence::LaterReadsFaster { .. } => {
            // A cache may have answered data that were read before, but not data that came from a local
            // disk.
            let shares = [not_from_disks(scene), read_again(memory, scene.point.index)];
            let Some(share) = shares.into_iter().flatten().reduce(f64::min) else {
                return Tested::Found(LimitFinding::new(LimitStep::Cache, Vec::new(), RULES));
            };
            if share < CACHED_SHARE {
                return Tested::No;
            }
            vec![Seen::beside(Measure::CachedPercent, share * 100.0)]
        }
        CacheEvidence::TargetIsMemory => vec![Seen::beside(Measure::CachedPercent, 100.0)],
    };
    Tested::Found(LimitFinding::new(LimitStep::Cache, seen, RULES))
}

/// Whether half of the operations took longer than any memory takes for as many bytes, even on a busy
/// host.
fn is_slower_than_memory(scene: &LimitInput<'_>) -> bool {
    let Some(times) = scene.operation() else { return false };
    let total = &scene.point.total;
    // Summaries are untrusted input, here and below.
    let bytes = total.read_bytes.saturating_add(total.written_bytes) / times.count.max(1);
    times.p50_us > MEMORY_TAKES_US + bytes as f64 / MEMORY_BYTES_PER_US
}

/// The share of a load point's reads that no local disk delivered, if its disks are those of the target.
/// Read-ahead transfers more than requested, so the true share may be larger.
fn not_from_disks(scene: &LimitInput<'_>) -> Option<f64> {
    let read = scene.point.total.read_bytes_per_s.filter(|read| *read > 0.0 && !scene.on_network)?;
    // An array and its members count the same bytes, so the largest value is the total.
    let from_disk = scene.means.each(Layer::Disk, "read_bytes_per_s").map(|(_, rate)| rate);
    Some((1.0 - from_disk.reduce(f64::max)? / read).max(0.0))
}

/// The share of a load point's reads whose data the run had transferred before.
fn read_again(memory: &MemoryFacts, point: u16) -> Option<f64> {
    let reads = memory.rereads.iter().find(|reads| reads.point == point)?;
    // See above: summaries are untrusted input.
    let all = reads.first_read_bytes.saturating_add(reads.later_read_bytes);
    (all > 0).then(|| reads.later_read_bytes as f64 / all as f64)
}

/// A loop device read its file through the local host's cache, and next to nothing reached the disk
/// below: the cache answered the rest.
fn below_a_loop(scene: &LimitInput<'_>, memory: &MemoryFacts) -> Option<LimitFinding> {
    let name = memory.cached_loop.as_deref()?;
    let from_loop = scene.means.of(Layer::Disk, "read_bytes_per_s", name).filter(|read| *read > 0.0)?;
    let below = scene.means.each(Layer::Disk, "read_bytes_per_s").filter(|(disk, _)| *disk != name);
    // An array and its members count the same bytes, so the largest value is the total.
    let from_disk = below.map(|(_, read)| read).reduce(f64::max)?;
    let percent = (1.0 - from_disk / from_loop) * 100.0;
    let seen = vec![Seen::against(Measure::CachedPercent, percent, LOOP_CACHED_PERCENT)];
    let finding = LimitFinding::new(LimitStep::Cache, seen, RULES).at(name);
    (percent >= LOOP_CACHED_PERCENT && scene.mostly_reads()).then_some(finding)
}
