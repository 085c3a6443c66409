//! Compares first reads with later reads of the same bytes. This shows from the operations alone that a
//! memory answered.
//!
//! One bit per 4 KiB records which bytes a run has transferred, for all files together in bounded
//! memory. A read of bytes that the run has neither read nor written before is a first read. A read of
//! bytes that were all transferred before is a later read; mixed ones are omitted. Only reads of the
//! same size class (a factor of two) in the same load point are compared, because the load must be the
//! same.
//!
//! Bytes that a warm-up transferred count as transferred before; the times of the warm-up are omitted as
//! everywhere.
//!
//! Not here: what the times mean ([`crate::cached_reads`]).

use std::collections::{BTreeMap, HashMap};

use hdrhistogram::Histogram;
use reelgauge_record::{OpFlags, OpKind, OpRecord};
use serde::{Deserialize, Serialize};

use crate::figures::us;

use crate::rounding::round_to;

/// Bytes for which one bit is kept.
const GRAIN_BYTES: u64 = 4096;
/// Words of bits, at most: 16 MiB, for 512 GiB of files. Files beyond that are unknown.
const WORDS_MAX: usize = 1 << 21;
/// Significant digits of a percentile.
const SIGNIFICANT_DIGITS: u8 = 2;

/// The reads of one load point, by whether their bytes had been transferred before.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Rereads {
    /// Number of the load point.
    pub point: u16,
    /// Bytes of measured first reads, of every size.
    pub first_read_bytes: u64,
    /// Bytes of measured later reads, of every size.
    pub later_read_bytes: u64,
    /// The size class with the most reads of both kinds; `None` if no class has both.
    pub compared: Option<ComparedReads>,
}

/// First and later reads of one size.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ComparedReads {
    /// The lower bound of the size of the reads; the upper bound is twice that.
    pub read_bytes_from: u64,
    /// Reads of bytes that the run had not transferred before.
    pub first: ReadTimes,
    /// Reads of bytes that the run had transferred before.
    pub later: ReadTimes,
}

/// Service times of reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct ReadTimes {
    /// The number of reads.
    pub reads: u64,
    /// A quarter of them took no longer.
    pub p25_service_us: f64,
    /// Half of them took no longer.
    pub p50_service_us: f64,
    /// Three quarters of them took no longer.
    pub p75_service_us: f64,
    /// Bytes per second of service time: what a single reader would see.
    pub bytes_per_s_each: Option<f64>,
}

/// Takes every operation of a run; those of each worker in order.
#[derive(Debug, Default)]
pub struct RereadTally {
    moved: Moved,
    point: PointReads,
}

/// The counts since the end of the last load point.
#[derive(Debug, Default)]
struct PointReads {
    first_bytes: u64,
    later_bytes: u64,
    /// By the binary logarithm of their sizes.
    classes: BTreeMap<u32, [Times; 2]>,
}

#[derive(Debug, Default)]
struct Times {
    spread: Option<Box<Histogram<u32>>>,
    bytes: u64,
    service_ns: u128,
}

impl RereadTally {
    pub fn add(&mut self, op: &OpRecord) {
        if !op.kind.moves_data() || op.errno != 0 || op.done_len == 0 || self.moved.is_given_up {
            return;
        }
        let is_later = self.moved.mark(op.file, op.offset, op.done_len);
        let is_measured = op.kind == OpKind::Read && !op.flags.has(OpFlags::WARMUP);
        if let Some(is_later) = is_later.filter(|_| is_measured) {
            self.point.add(op, is_later);
        }
    }

    /// Ends a load point. `None` if nothing was read, or from more files than fit into the memory.
    pub fn finish_point(&mut self, point: u16) -> Option<Rereads> {
        let reads = std::mem::take(&mut self.point);
        if self.moved.is_given_up || reads.classes.is_empty() {
            return None;
        }
        Some(Rereads {
            point,
            first_read_bytes: reads.first_bytes,
            later_read_bytes: reads.later_bytes,
            compared: reads.compared(),
        })
    }
}

impl PointReads {
    fn add(&mut self, op: &OpRecord, is_later: bool) {
        let bytes = u64::from(op.done_len);
        *(if is_later { &mut self.later_bytes } else { &mut self.first_bytes }) += bytes;
        let class = self.classes.entry(op.done_len.ilog2()).or_default();
        class[usize::from(is_later)].add(bytes, op.service_ns());
    }

    fn compared(&self) -> Option<ComparedReads> {
        let fewer = |class: &[Times; 2]| class[0].count().min(class[1].count());
        let (&log2, class) = self.classes.iter().max_by_key(|(_, class)| fewer(class))?;
        Some(ComparedReads {
            read_bytes_from: 1 << log2,
            first: class[0].figures()?,
            later: class[1].figures()?,
        })
    }
}

impl Times {
    fn add(&mut self, bytes: u64, service_ns: u64) {
        let spread = self.spread.get_or_insert_with(|| {
            Box::new(Histogram::new(SIGNIFICANT_DIGITS).expect("two digits are allowed"))
        });
        // Fails only if the histogram cannot grow to such a time.
        if spread.record(service_ns).is_err() {
            spread.saturating_record(service_ns);
        }
        self.bytes += bytes;
        self.service_ns += u128::from(service_ns);
    }

    fn count(&self) -> u64 {
        self.spread.as_ref().map_or(0, |spread| spread.len())
    }

    fn figures(&self) -> Option<ReadTimes> {
        let spread = self.spread.as_ref()?;
        let at = |quantile| us(spread.value_at_quantile(quantile));
        let each = (self.service_ns > 0).then(|| self.bytes as f64 * 1e9 / self.service_ns as f64);
        Some(ReadTimes {
            reads: spread.len(),
            p25_service_us: at(0.25),
            p50_service_us: at(0.5),
            p75_service_us: at(0.75),
            bytes_per_s_each: each.map(|rate| round_to(rate, 0)),
        })
    }
}

/// The bytes that were transferred so far.
#[derive(Debug, Default)]
struct Moved {
    files: HashMap<u32, Vec<u64>>,
    words: usize,
    is_given_up: bool,
}

impl Moved {
    /// Marks bytes as transferred. Returns whether all of them had been before; `None` for a mixture,
    /// and if there is no memory for it.
    fn mark(&mut self, file: u32, offset: u64, len: u32) -> Option<bool> {
        let first = offset / GRAIN_BYTES;
        // Positions are untrusted input: beyond the last grain, the last one counts.
        let last = offset.saturating_add(u64::from(len) - 1) / GRAIN_BYTES;
        let words = self.files.entry(file).or_default();
        let needed = usize::try_from(last / 64 + 1).unwrap_or(usize::MAX);
        // A file that already has this many words needs no more.
        let more = needed.saturating_sub(words.len());
        // A sum beyond the largest number is too much as well.
        if self.words.saturating_add(more) > WORDS_MAX {
            self.is_given_up = true;
            self.files.clear();
            return None;
        }
        if more > 0 {
            words.resize(needed, 0);
            self.words += more;
        }
        let is_set = |words: &[u64], at: u64| words[(at / 64) as usize] >> (at % 64) & 1 == 1;
        // Neighbouring reads share the grains at their edges.
        let at_edges = u64::from(is_set(words, first)) + u64::from(last > first && is_set(words, last));
        let mut moved = 0;
        for word in first / 64..=last / 64 {
            let from = if word == first / 64 { first % 64 } else { 0 };
            let to = if word == last / 64 { last % 64 } else { 63 };
            let mask = u64::MAX >> (63 - (to - from)) << from;
            let slot = &mut words[word as usize];
            moved += u64::from((*slot & mask).count_ones());
            *slot |= mask;
        }
        let grains = last - first + 1;
        match moved {
            _ if moved == grains => Some(true),
            0 => Some(false),
            _ => (grains > 2 && moved == at_edges).then_some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_record::test_records as made_up;

    use super::*;

    const KIB: u64 = 1024;

    fn read(offset_kib: u64, kib: u64, service_us: u64) -> OpRecord {
        made_up::read(0, offset_kib * KIB, (kib * KIB) as u32).at_ns(1_000).took_ns(service_us * 1_000)
    }

    /// Bytes of first and later reads, in KiB.
    fn counted(ops: &[OpRecord]) -> (u64, u64) {
        let mut tally = RereadTally::default();
        ops.iter().for_each(|op| tally.add(op));
        tally
            .finish_point(0)
            .map_or((0, 0), |reads| (reads.first_read_bytes / KIB, reads.later_read_bytes / KIB))
    }

    #[test]
    fn second_pass_counts_as_rereads() {
        let pass = |service_us| (0..40).map(move |n| read(n * 1000, 1000, service_us));
        let mut tally = RereadTally::default();
        pass(8_000).chain(pass(400)).for_each(|op| tally.add(&op));
        let reads = tally.finish_point(3).unwrap();
        assert_eq!((reads.point, reads.first_read_bytes), (3, 40_000 * KIB));
        assert_eq!(reads.later_read_bytes, reads.first_read_bytes);
        let compared = reads.compared.unwrap();
        assert_eq!(
            (compared.read_bytes_from, compared.first.reads, compared.later.reads),
            (512 * KIB, 40, 40)
        );
        let close = |found: f64, exact: f64| (found / exact - 1.0).abs() < 0.02;
        assert!(close(compared.first.p50_service_us, 8_000.0), "{compared:?}");
        assert!(close(compared.later.p75_service_us, 400.0), "{compared:?}");
        assert!(close(compared.later.bytes_per_s_each.unwrap(), 1_024_000.0 / 400e-6), "{compared:?}");
        assert_eq!(tally.finish_point(4), None, "nothing was read since");
    }

    #[test]
    fn warm_up_transfers_make_later_reads_rereads() {
        let warmup = OpRecord { flags: OpFlags::WARMUP, ..read(0, 64, 1) };
        assert_eq!(counted(&[warmup, read(0, 64, 1)]), (0, 64));
        assert_eq!(counted(&[made_up::write(0, 0, 64 << 10), read(0, 64, 1)]), (0, 64));
        let failed = OpRecord { errno: 5, ..read(0, 64, 1) };
        assert_eq!(counted(&[failed, read(0, 64, 1)]), (64, 0));
        let elsewhere = OpRecord { file: 1, ..read(0, 64, 1) };
        assert_eq!(counted(&[elsewhere, read(0, 64, 1)]), (128, 0));
    }

    #[test]
    fn frames_that_meet_within_a_grain_are_first_reads_each() {
        let frames = (0..100).map(|n| made_up::read(0, n * 100_001, 100_001)).collect::<Vec<_>>();
        assert_eq!(counted(&frames).0, 100 * 100_001 / KIB);
        // Half of it is new, so it is neither a first nor a later read.
        assert_eq!(counted(&[read(0, 64, 1), read(32, 64, 1)]), (64, 0));
        // A read smaller than a grain is no first read of the grain's size.
        assert_eq!(counted(&[read(0, 8, 1), read(4, 8, 1)]), (8, 0));
    }

    #[test]
    fn more_files_than_there_is_memory_for_are_not_known() {
        let mut tally = RereadTally::default();
        tally.add(&read(0, 64, 1));
        tally.add(&read(1 << 40, 64, 1));
        tally.add(&read(0, 64, 1));
        assert_eq!(tally.finish_point(0), None);
        assert!(tally.moved.files.is_empty());
    }

    #[test]
    fn every_grain_is_counted_once_across_words() {
        let mut moved = Moved::default();
        for (first, grains) in [(0_u64, 1_u64), (60, 10), (200, 300), (63, 1), (64, 1)] {
            let mut plain = Moved::default();
            for grain in first..first + grains {
                plain.mark(0, grain * GRAIN_BYTES, GRAIN_BYTES as u32);
            }
            let len = (grains * GRAIN_BYTES) as u32;
            assert_eq!(plain.mark(0, first * GRAIN_BYTES, len), Some(true), "{first} {grains}");
            moved.mark(0, first * GRAIN_BYTES, len);
        }
        let bits: u32 = moved.files[&0].iter().map(|word| word.count_ones()).sum();
        assert_eq!(bits, 1 + 10 + 300);
    }
}
