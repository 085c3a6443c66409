//! Checks whether another program used the disk below the target. It compares what a disk transferred
//! with what this run transferred in the same time. It allows for what a file system adds: journals,
//! metadata, checksums, alignment, parity, and data written to the local host's cache before.
//!
//! A disk that transferred less than the run shows nothing: a cache answered, data are compressed, or an
//! array spreads them. Each layer (array, mapped volume, partition) transfers the same bytes again. So
//! every device is compared with the run separately, and the one with the most traffic of other programs
//! is reported.

use reelgauge_record::counters::Layer;

use super::finding::{LimitFinding, LimitStep, Measure, Seen};
use super::input::LimitInput;

/// A file system may turn the bytes of a run into this many times as many.
const ADDED_TIMES: f64 = 1.3;

/// The same for written bytes: a data or integrity journal writes everything twice.
const WRITTEN_TIMES: f64 = 2.2;

/// Extra bytes per read: metadata, or read-ahead if the read goes through the cache.
const BESIDE_A_READ_BYTES: f64 = 16.0 * 1024.0;
const AHEAD_OF_A_READ_BYTES: f64 = 256.0 * 1024.0;

/// Extra bytes per write: journal, metadata and whole blocks.
const BESIDE_A_WRITE_BYTES: f64 = 64.0 * 1024.0;

/// Traffic of other programs is reported from these values on: its share of the disk's traffic, and its
/// rate.
const OTHERS_PERCENT: f64 = 25.0;
const OTHERS_BYTES_PER_S: f64 = 5e6;

const RULES: &[&str] = &["blk.disk_saturated"];

/// The traffic of a disk compared with that of this run, in bytes per second, reads and writes together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct DiskTransfer<'a> {
    disk: &'a str,
    bytes_per_s: f64,
    own_bytes_per_s: f64,
    /// More than this run can account for.
    others_bytes_per_s: f64,
    /// It may have been read ahead for this run.
    may_be_ahead: bool,
}

impl DiskTransfer<'_> {
    pub(super) fn seen(&self) -> [Seen; 2] {
        [
            Seen::beside(Measure::DiskBytesPerS, self.bytes_per_s),
            Seen::beside(Measure::OwnBytesPerS, self.own_bytes_per_s),
        ]
    }

    /// Whether another program caused it for certain, because it cannot be read-ahead for this run.
    pub(super) fn is_sure(&self) -> bool {
        !self.may_be_ahead
    }

    /// The finding to list next to a limit.
    fn finding(&self) -> LimitFinding {
        let rules = if self.may_be_ahead { &["blk.read_ahead", "blk.disk_saturated"][..] } else { RULES };
        LimitFinding::new(LimitStep::Disk, self.seen().to_vec(), rules).at(self.disk)
    }
}

/// The disk that other programs used most, listed next to the limit.
pub(super) fn others(scene: &LimitInput<'_>) -> Option<LimitFinding> {
    let disks = scene.means.each(Layer::Disk, "read_bytes_per_s").map(|(disk, _)| disk);
    let of_others = disks.filter_map(|disk| of_disk(scene, disk));
    let most = of_others.max_by(|one, two| one.others_bytes_per_s.total_cmp(&two.others_bytes_per_s))?;
    Some(most.finding())
}

/// The traffic of a disk, if it is clearly more than this run caused.
pub(super) fn of_disk<'a>(scene: &LimitInput<'_>, disk: &'a str) -> Option<DiskTransfer<'a>> {
    let of_disk = |name: &str| scene.means.of(Layer::Disk, name, disk);
    let (read, written) = (of_disk("read_bytes_per_s")?, of_disk("written_bytes_per_s")?);
    let total = &scene.point.total;
    // The disk counted operations that never completed; the run did not.
    if scene.point.was_cut_off() || total.ops == 0 {
        return None;
    }
    let own_bytes_per_s = total.read_bytes_per_s? + total.written_bytes_per_s?;
    let others_read = (read - reads_explained(scene)?).max(0.0);
    let others = others_read + (written - writes_explained(scene)?).max(0.0);
    let share_percent = (read + written - own_bytes_per_s) / (read + written) * 100.0;
    let is_clear = others >= OTHERS_BYTES_PER_S && share_percent >= OTHERS_PERCENT;
    is_clear.then_some(DiskTransfer {
        disk,
        bytes_per_s: read + written,
        own_bytes_per_s,
        others_bytes_per_s: others,
        may_be_ahead: !is_past_cache(scene) && total.read_bytes > 0 && others_read > others / 2.0,
    })
}

/// Whether a disk read more than this run's reads account for. How the run's own reads reached the disk
/// is then unknown.
pub(super) fn reads_of_others(scene: &LimitInput<'_>, disk: &str) -> bool {
    let read = scene.means.of(Layer::Disk, "read_bytes_per_s", disk);
    read.zip(scene.point.total.read_bytes_per_s).is_some_and(|(read, own)| read > own * ADDED_TIMES)
}

fn is_past_cache(scene: &LimitInput<'_>) -> bool {
    scene.memory.is_some_and(|memory| memory.past_client_cache == Some(true))
}

/// The rate that a disk may have read for this run. Writes count, too: an array reads before it writes a
/// part of a stripe.
fn reads_explained(scene: &LimitInput<'_>) -> Option<f64> {
    let total = &scene.point.total;
    let beside = if is_past_cache(scene) { BESIDE_A_READ_BYTES } else { AHEAD_OF_A_READ_BYTES };
    let reads = total.ops_by_kind.read as f64 * beside / scene.means.seconds.max(1.0);
    Some(total.read_bytes_per_s? * ADDED_TIMES + total.written_bytes_per_s? + reads)
}

/// The rate that a disk may have written for this run, including data that was in the cache before.
fn writes_explained(scene: &LimitInput<'_>) -> Option<f64> {
    let total = &scene.point.total;
    // Summaries are input: a damaged one may count more reads than operations.
    let others = total.ops.saturating_sub(total.ops_by_kind.read) as f64 * BESIDE_A_WRITE_BYTES;
    let before = scene.memory.map_or(0, |memory| memory.written_by_this_run_bytes) as f64;
    let in_cache = if is_past_cache(scene) { 0.0 } else { before + waiting_bytes(scene) };
    Some(total.written_bytes_per_s? * WRITTEN_TIMES + (others + in_cache) / scene.means.seconds.max(1.0))
}

/// Dirty data in the local host's memory: twice the mean, as if it had drained to zero.
fn waiting_bytes(scene: &LimitInput<'_>) -> f64 {
    let waiting = ["memory_dirty_bytes", "memory_writeback_bytes"].map(|name| scene.host(name));
    waiting.into_iter().flatten().sum::<f64>() * 2.0
}
