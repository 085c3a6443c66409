//! Measures how evenly a file was read from its beginning to its end.
//!
//! A contiguous file is read at an even pace. In a fragmented file, some reads wait for the disk to
//! seek, 5 to 20 ms on hard disks. This has three signs: the times have two peaks (a), many reads take
//! more than four times the median (b), and slow reads come at even distances, where the extents begin
//! (c). On SSDs little of that is visible.
//!
//! Only sequential reads, one at a time, of at least 64 KiB are judged. The times do not show whether
//! the file was in a cache, so it must be read cold.

use reelgauge_record::{OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use crate::figures::us;
use crate::rounding::round_to;

/// Reads of one file that are kept, at most.
const MAX_READS: usize = 1 << 16;
/// Fewer reads than this are no evidence.
const MIN_READS: usize = 64;
/// Smaller reads are answered from the read-ahead cache.
const MIN_READ_BYTES: u32 = 64 << 10;
/// Share of reads that must start where the previous one ended, without overlap.
const MIN_SHARE: f64 = 0.9;
/// Steps per doubling of the histogram in which peaks are looked for.
const STEPS: f64 = 4.0;
/// Steps of that histogram: 2^48 ns are three days.
const BUCKETS: usize = 48 * 4;
/// Share of reads that a peak needs around it.
const MIN_PEAK: f64 = 0.02;
/// The second peak's time, as a multiple of the first one's.
const MIN_RATIO: f64 = 3.0;
/// A read is slow if it takes more than this many times the median.
const SLOW: u64 = 4;
/// The largest distance, as a number of reads, at which slow reads may repeat.
const MAX_LAG: usize = 64;
/// Fewer slow reads than this have no visible period.
const MIN_SLOW: usize = 16;
/// The minimum autocorrelation of the slow reads at a distance, 0 to 1.
const MIN_ALIKE: f64 = 0.3;

/// How a file was read sequentially.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ColdReads {
    /// The file.
    pub path: String,
    /// The number of reads that were judged.
    pub reads: u64,
    /// The median of their service times.
    pub median_us: f64,
    /// The two peaks of the service times, if there are two: the faster and the slower.
    pub peaks_us: Option<(f64, f64)>,
    /// Share of reads in the slower peak.
    pub slower_percent: Option<f64>,
    /// Share of reads that took more than four times the median.
    pub slow_percent: f64,
    /// Such reads per MB (10^6 bytes) read.
    pub slow_per_mb: f64,
    /// The distance in the file after which slow reads repeat, if they do.
    pub period_bytes: Option<u64>,
    /// The autocorrelation of the slow reads at that distance, 0 to 1.
    pub period_alike: Option<f64>,
}

impl ColdReads {
    /// The figures of sequential reads: the start, the bytes and the time of each. `None` if they cannot
    /// be judged.
    pub fn of(path: &str, reads: impl IntoIterator<Item = (u64, u32, u64)>) -> Option<ColdReads> {
        let mut times = ReadTimes::default();
        for (offset, len, service_ns) in reads {
            times.take(Read { offset, len, service_ns }, true);
        }
        Some(ColdReads { path: path.to_owned(), ..times.figures()? })
    }
}

#[derive(Clone, Copy, Debug)]
struct Read {
    offset: u64,
    len: u32,
    service_ns: u64,
}

/// Takes the reads of one file, in order of issue.
#[derive(Clone, Debug, Default)]
pub(crate) struct ReadTimes {
    reads: Vec<Read>,
    next: u64,
    in_order: usize,
    busy_until_ns: u64,
    alone: usize,
}

impl ReadTimes {
    pub(crate) fn add(&mut self, op: &OpRecord) {
        if op.kind != OpKind::Read || op.done_len == 0 {
            return;
        }
        let read = Read { offset: op.offset, len: op.done_len, service_ns: op.service_ns() };
        self.take(read, op.issued_ns >= self.busy_until_ns);
        self.busy_until_ns = self.busy_until_ns.max(op.done_ns);
    }

    fn take(&mut self, read: Read, is_alone: bool) {
        if self.reads.len() >= MAX_READS {
            return;
        }
        self.in_order += usize::from(read.offset == self.next);
        self.alone += usize::from(is_alone);
        // Positions are untrusted input: nothing follows the last one.
        self.next = read.offset.saturating_add(u64::from(read.len));
        self.reads.push(read);
    }

    /// The figures; `None` if the reads cannot be judged.
    pub(crate) fn figures(&self) -> Option<ColdReads> {
        let count = self.reads.len();
        let enough = |part: usize| part as f64 >= count as f64 * MIN_SHARE;
        if count < MIN_READS || !enough(self.in_order) || !enough(self.alone) {
            return None;
        }
        let len = median(self.reads.iter().map(|read| u64::from(read.len)));
        let median_ns = median(self.reads.iter().map(|read| read.service_ns));
        // Without durations (some captures have none) there is no evidence.
        if len < u64::from(MIN_READ_BYTES) || median_ns == 0 {
            return None;
        }
        // A product beyond the largest time is never exceeded.
        let slow = |read: &&Read| read.service_ns > median_ns.saturating_mul(SLOW);
        let slow_reads = self.reads.iter().filter(slow).count();
        let bytes: u64 = self.reads.iter().map(|read| u64::from(read.len)).sum();
        let peaks = two_peaks(self.reads.iter().map(|read| read.service_ns));
        // A product beyond the largest time is never exceeded.
        let period = self.period(median_ns.saturating_mul(SLOW), len);
        Some(ColdReads {
            path: String::new(),
            reads: count as u64,
            median_us: us(median_ns),
            peaks_us: peaks.map(|peaks| (peaks.fast_us, peaks.slow_us)),
            slower_percent: peaks.map(|peaks| round_to(peaks.slow_share * 100.0, 1)),
            slow_percent: round_to(slow_reads as f64 * 100.0 / count as f64, 2),
            slow_per_mb: round_to(slow_reads as f64 * 1e6 / bytes as f64, 4),
            period_bytes: period.map(|(bytes, _)| bytes),
            period_alike: period.map(|(_, alike)| round_to(alike, 3)),
        })
    }

    /// The distance after which slow reads repeat, and their autocorrelation there.
    fn period(&self, slow_ns: u64, len: u64) -> Option<(u64, f64)> {
        let blocks = self.reads.iter().filter_map(|read| usize::try_from(read.offset / len).ok());
        let last = blocks.max()?;
        if last >= 4 * MAX_READS {
            return None;
        }
        let mut row = vec![0.0; last + 1];
        for read in self.reads.iter().filter(|read| read.service_ns > slow_ns) {
            row[(read.offset / len) as usize] = 1.0;
        }
        let slow: f64 = row.iter().sum();
        if (slow as usize) < MIN_SLOW {
            return None;
        }
        let mean = slow / row.len() as f64;
        row.iter_mut().for_each(|value| *value -= mean);
        let own: f64 = row.iter().map(|value| value * value).sum();
        let alike =
            |lag: usize| row.iter().zip(row.iter().skip(lag)).map(|(one, two)| one * two).sum::<f64>() / own;
        let lags: Vec<f64> = (2..=MAX_LAG.min(row.len() / 4)).map(alike).collect();
        let best = lags.iter().copied().fold(f64::MIN, f64::max);
        // Multiples of a period correlate nearly as well; the shortest one is the period.
        let at = lags.iter().position(|alike| *alike >= best * 0.9).filter(|_| best >= MIN_ALIKE)?;
        Some(((at as u64 + 2) * len, lags[at]))
    }
}

/// The median; 0 for no values.
fn median(values: impl Iterator<Item = u64>) -> u64 {
    let mut values: Vec<u64> = values.collect();
    let middle = values.len() / 2;
    if values.is_empty() { 0 } else { *values.select_nth_unstable(middle).1 }
}

/// The peaks of the times.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Peaks {
    fast_us: f64,
    slow_us: f64,
    slow_share: f64,
}

/// Two peaks with a valley between them that is less than half as high as the lower one.
fn two_peaks(times_ns: impl Iterator<Item = u64>) -> Option<Peaks> {
    let mut counts = [0.0_f64; BUCKETS];
    let mut total = 0.0;
    for time_ns in times_ns {
        let step = ((time_ns.max(1) as f64).log2() * STEPS) as usize;
        counts[step.min(BUCKETS - 1)] += 1.0;
        total += 1.0;
    }
    // A little smoothing, so that a step that happens to be empty is no valley.
    let at = |step: usize| counts.get(step).copied().unwrap_or(0.0);
    let smooth: Vec<f64> =
        (0..BUCKETS).map(|step| (at(step.wrapping_sub(1)) + 2.0 * at(step) + at(step + 1)) / 4.0).collect();
    let highest = |from: usize, to: usize| {
        (from..to).max_by(|one, two| smooth[*one].total_cmp(&smooth[*two])).unwrap_or(from)
    };
    let mut best: Option<(f64, usize, usize, usize)> = None;
    for valley in 1..BUCKETS - 1 {
        let (left, right) = (highest(0, valley), highest(valley + 1, BUCKETS));
        let depth = smooth[left].min(smooth[right]) - 2.0 * smooth[valley];
        if depth > best.map_or(0.0, |(depth, ..)| depth) {
            best = Some((depth, left, valley, right));
        }
    }
    let (_, left, valley, right) = best?;
    let slow_share = counts[valley + 1..].iter().sum::<f64>() / total;
    let time_us = |step: usize| ((step as f64 + 0.5) / STEPS).exp2() / 1e3;
    let (fast_us, slow_us) = (time_us(left), time_us(right));
    let both = (MIN_PEAK..=1.0 - MIN_PEAK).contains(&slow_share);
    (both && slow_us >= fast_us * MIN_RATIO).then_some(Peaks { fast_us, slow_us, slow_share })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_record::test_records::read;

    use super::*;

    const LEN: u32 = 128 << 10;

    /// Sequential reads; `service_us` returns the time of each.
    fn times(count: u64, service_us: impl Fn(u64) -> u64) -> ReadTimes {
        let (mut times, mut now_ns) = (ReadTimes::default(), 0);
        for at in 0..count {
            let done_ns = now_ns + service_us(at) * 1000;
            times.add(&OpRecord { issued_ns: now_ns, done_ns, ..read(0, at * u64::from(LEN), LEN) });
            now_ns = done_ns;
        }
        times
    }

    /// A pseudo-random value between -1 and 1 for each read.
    fn noise(at: u64) -> f64 {
        let mixed = (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) >> 40) as f64 / f64::from(1 << 23) - 1.0
    }

    #[test]
    fn a_file_in_one_piece_is_read_evenly() {
        let figures = times(1000, |at| (800.0 + 150.0 * noise(at)) as u64).figures().unwrap();
        assert_eq!((figures.peaks_us, figures.slow_percent, figures.period_bytes), (None, 0.0, None));
    }

    #[test]
    fn a_few_slow_reads_are_no_second_peak() {
        let figures = times(1000, |at| if at % 500 == 7 { 30_000 } else { 800 }).figures().unwrap();
        assert_eq!((figures.peaks_us, figures.slow_percent), (None, 0.2));
    }

    #[test]
    fn seeks_show_as_a_second_peak_and_as_a_rhythm() {
        let figures = times(1000, |at| {
            let seek = if at.is_multiple_of(8) { 9_000.0 + 2_500.0 * noise(at) } else { 0.0 };
            (800.0 + 150.0 * noise(at + 1) + seek) as u64
        })
        .figures()
        .unwrap();
        let (fast_us, slow_us) = figures.peaks_us.unwrap();
        assert!((600.0..1000.0).contains(&fast_us) && (6_000.0..13_000.0).contains(&slow_us), "{figures:?}");
        assert_eq!((figures.slower_percent, figures.slow_percent), (Some(12.5), 12.5));
        assert_eq!(figures.period_bytes, Some(1 << 20));
    }

    #[test]
    fn slow_reads_without_a_rhythm_have_none() {
        let figures = times(4000, |at| if noise(at) > 0.8 { 9_000 } else { 800 }).figures().unwrap();
        assert!(figures.peaks_us.is_some() && figures.slow_percent > 5.0, "{figures:?}");
        assert_eq!(figures.period_bytes, None, "{figures:?}");
    }

    #[test]
    fn only_large_sequential_single_reads_are_judged() {
        let slow = |at: u64| if at.is_multiple_of(8) { 9_000 } else { 800 };
        assert!(times(1000, slow).figures().is_some());
        assert_eq!(times(63, slow).figures(), None);
        let small: Vec<OpRecord> = (0..1000).map(|at| read(0, at * 4096, 4096)).collect();
        let random: Vec<OpRecord> = (0..1000).map(|at| read(0, at * 7919 % 1000 * 131_072, LEN)).collect();
        let at_once: Vec<OpRecord> = (0..1000)
            .map(|at| OpRecord { issued_ns: 1, done_ns: 9_000_000, ..read(0, at * 131_072, LEN) })
            .collect();
        for ops in [small, random, at_once] {
            let mut times = ReadTimes::default();
            ops.iter().for_each(|op| times.add(op));
            assert_eq!(times.figures(), None);
        }
    }
}
