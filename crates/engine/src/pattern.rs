//! Write data: unique in every unit, incompressible, and recognizable when it is read back.
//!
//! A writer has a pool of random pages, generated once from its seed, hardly larger than its longest
//! write. A write is a part of that pool. The head of every unit (4 KiB, or 512 bytes for smaller
//! blocks) is stamped with the writer, the number of the write, the file and the position. So no two
//! units of a run are equal (deduplication gains nothing), and a reader can rebuild a whole unit from
//! its stamp.
//!
//! Compression must gain nothing either, so bytes must not repeat within the size that storage
//! compresses as one, which is at most a megabyte. A pool of at least that size is sufficient: each
//! write begins where the previous one ended, so that bytes repeat only after a whole pool. A smaller
//! pool is made fresh for each write: its bytes are combined (exclusive or) with a key of the write.
//! That costs a pass over them: some 30 µs per MiB, and several times that if thousands of writers take
//! turns and none finds its pool in the processor's cache. But it allows that many writers to use little
//! memory.
//!
//! Data is generated before an operation's clock starts; see [`crate::driver`]. [`crate::verify`] keeps
//! the last write of each unit and checks whether its data still exists.
//!
//! The stamp has 32 bytes, little-endian:
//!
//! | bytes  | content |
//! |--------|---------|
//! | 0..4   | checksum: a hash of the rest and the run's seed, to detect a damaged stamp |
//! | 4..8   | index of the file |
//! | 8..16  | unit in the file (byte position / unit size) |
//! | 16..24 | sequence: the number of the write within its writer |
//! | 24..28 | writer |
//! | 28..32 | place in the writer's pool, in units of 512 bytes; highest bit: it was made fresh |

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::buffer::{ALIGNMENT, AlignedBuffer};
use crate::driver_error::DriverError;

/// Bytes of a stamp at the head of every unit.
pub const STAMP_BYTES: usize = 32;

/// The writer number for filling data sets, so that these writes are never mistaken for a worker's.
pub const FILL_WRITER: u32 = u32::MAX;

/// From this length on, a writer's pool is not made fresh, because storage never compresses more as one.
const FRESH_BELOW: usize = 1 << 20;

/// The additional pages of a pool that is not made fresh, so that the longest writes do not all begin
/// with the same page.
const SPARE_PAGES: usize = 7;

/// The unit of positions in the pool: the smallest stamped unit.
const PLACE_BYTES: usize = 512;

/// Flag in a stamp's place: the unit was made fresh with its write's key.
const FRESH: u32 = 1 << 31;

/// The parameters of write data: the same for all writers of a run, and needed again to verify it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PatternSpec {
    /// The seed of all random data.
    pub seed: u64,
    /// The distance of stamps in a file: 4096 bytes, or 512 for smaller blocks.
    pub unit_bytes: u32,
}

impl PatternSpec {
    /// The unit for writes that are all multiples of `block_bytes`: 4096 or 512.
    pub const fn unit_for(block_bytes: u64) -> u32 {
        if block_bytes.is_multiple_of(4096) { 4096 } else { 512 }
    }
}

/// The head of a unit: its position and its writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Index into the run's file table.
    pub file: u32,
    /// Byte position / unit size.
    pub unit: u64,
    /// The number of the write within its writer. A driver starts at load point << 48 | slot << 32.
    pub sequence: u64,
    /// The writer: the worker, or [`FILL_WRITER`].
    pub writer: u32,
    /// The unit's position in the writer's pool, in units of 512 bytes. The highest bit is set if the
    /// pool was made fresh for the write.
    pub place: u32,
}

impl Stamp {
    /// The stamp at the head of a unit, if it is undamaged and of this run.
    pub fn read(spec: PatternSpec, unit: &[u8]) -> Option<Stamp> {
        let head: &[u8; STAMP_BYTES] = unit.first_chunk()?;
        let stamp = Stamp::read_unchecked(head);
        (stamp.check(spec) == u32_at(head, 0)).then_some(stamp)
    }

    /// Decodes the 32 bytes, even if their checksum is wrong.
    pub(crate) fn read_unchecked(head: &[u8; STAMP_BYTES]) -> Stamp {
        Stamp {
            file: u32_at(head, 4),
            unit: u64_at(head, 8),
            sequence: u64_at(head, 16),
            writer: u32_at(head, 24),
            place: u32_at(head, 28),
        }
    }

    /// Encodes the 32 bytes.
    #[inline]
    fn bytes(&self, check: u32) -> [u8; STAMP_BYTES] {
        let mut bytes = [0; STAMP_BYTES];
        bytes[0..4].copy_from_slice(&check.to_le_bytes());
        bytes[4..8].copy_from_slice(&self.file.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.unit.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.sequence.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.writer.to_le_bytes());
        bytes[28..32].copy_from_slice(&self.place.to_le_bytes());
        bytes
    }

    /// The checksum of this stamp.
    #[inline]
    pub(crate) fn check(&self, spec: PatternSpec) -> u32 {
        self.check_in(write_hash(spec.seed, self.file, self.writer, self.sequence))
    }

    /// The checksum, from the hash that all units of a write have in common.
    #[inline]
    fn check_in(&self, write_hash: u64) -> u32 {
        let hash = mix(mix(write_hash, self.unit), u64::from(self.place));
        (hash >> 32) as u32
    }

    /// Writes to `unit` the full content that belongs to this stamp, including the stamp. `unit` may be
    /// shorter than a whole unit (the last one of a file), but not longer than 4096 bytes.
    pub fn rebuild(&self, spec: PatternSpec, unit: &mut [u8]) {
        let mut page = [0; ALIGNMENT];
        let place = (self.place & !FRESH) as usize;
        fill_page(spec.seed, self.writer, place * PLACE_BYTES / ALIGNMENT, &mut page);
        if self.place & FRESH != 0 {
            combine(&mut page, key(write_hash(spec.seed, self.file, self.writer, self.sequence)));
        }
        let from = place * PLACE_BYTES % ALIGNMENT;
        let len = unit.len().min(ALIGNMENT - from);
        unit[..len].copy_from_slice(&page[from..from + len]);
        if let Some(head) = unit.first_chunk_mut() {
            *head = self.bytes(self.check(spec));
        }
    }
}

/// A generated write. Its data is in the writer's pool until the next write is generated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamped {
    /// Its position in the pool, in bytes; a multiple of 4096 if the write's offset is a multiple of the
    /// unit.
    pub start: usize,
    /// The number of the write within its writer, as in [`Stamp::sequence`].
    pub sequence: u64,
}

/// Generates the data of one writer's writes. Each operation in flight has its own, because a write's
/// bytes stay here until it is done.
///
/// Its memory is the longest write and up to 32 KiB.
#[derive(Debug)]
pub struct WriteData {
    spec: PatternSpec,
    writer: u32,
    sequence: u64,
    max_len: usize,
    /// The page at which the next write begins; always 0 in a pool that is made fresh.
    page: usize,
    /// How often the pool has been used completely.
    laps: usize,
    pool: AlignedBuffer,
    /// The keys that the pages of the pool are combined with; empty if it is not made fresh.
    keys: Box<[u64]>,
}

impl WriteData {
    /// Creates and fills the pool of a writer whose longest write has `max_len` bytes. This takes about
    /// 1 ms per 4 MiB.
    ///
    /// # Errors
    /// [`DriverError::Buffers`] if the memory cannot be allocated.
    pub fn new(spec: PatternSpec, writer: u32, max_len: usize) -> Result<WriteData, DriverError> {
        let is_fresh = max_len < FRESH_BELOW;
        // One additional page, since a write may begin inside a unit.
        let spare = if is_fresh { ALIGNMENT } else { (SPARE_PAGES + 1) * ALIGNMENT };
        let pool_len = max_len.checked_next_multiple_of(ALIGNMENT).and_then(|len| len.checked_add(spare));
        let Some(pool_len) = pool_len else {
            return Err(DriverError::Buffers { bytes: max_len as u64 });
        };
        let mut pool = AlignedBuffer::new(pool_len)?;
        for (index, page) in pool.as_mut_slice().chunks_exact_mut(ALIGNMENT).enumerate() {
            fill_page(spec.seed, writer, index, page);
        }
        let keys = vec![0; if is_fresh { pool_len / ALIGNMENT } else { 0 }].into();
        Ok(WriteData { spec, writer, sequence: 0, max_len, page: 0, laps: 0, pool, keys })
    }

    /// Sets the first sequence number, for writers that share a writer number (several operations in
    /// flight) or continue in a later load point.
    #[must_use]
    pub fn numbered_from(mut self, sequence: u64) -> WriteData {
        assert_eq!(self.sequence, 0, "writes are numbered before the first one is made");
        self.sequence = sequence;
        self
    }

    /// The writer, as in [`Stamp::writer`].
    pub fn writer(&self) -> u32 {
        self.writer
    }

    /// Generates `len` bytes for this position. They stay until the next call.
    ///
    /// Units that begin inside the write carry a stamp, if its 32 bytes fit.
    ///
    /// # Panics
    /// If `len` exceeds the writer's `max_len`.
    pub fn stamp(&mut self, file: u32, offset: u64, len: usize) -> Stamped {
        assert!(len <= self.max_len, "a write of {len} bytes, made for {}", self.max_len);
        let unit_bytes = self.spec.unit_bytes as usize;
        let sequence = self.sequence;
        self.sequence += 1;
        let into_unit = (offset % unit_bytes as u64) as usize;
        let start = self.turn_to(len) * ALIGNMENT + into_unit;
        let hash = write_hash(self.spec.seed, file, self.writer, sequence);
        let fresh = self.freshen(start, len, key(hash));
        let mut at = if into_unit == 0 { start } else { start + unit_bytes - into_unit };
        let mut stamp = Stamp {
            file,
            unit: offset.div_ceil(unit_bytes as u64),
            sequence,
            writer: self.writer,
            place: (at / PLACE_BYTES) as u32 | fresh,
        };
        let pool = self.pool.as_mut_slice();
        while at + STAMP_BYTES <= start + len {
            pool[at..at + STAMP_BYTES].copy_from_slice(&stamp.bytes(stamp.check_in(hash)));
            at += unit_bytes;
            stamp.unit += 1;
            stamp.place += (unit_bytes / PLACE_BYTES) as u32;
        }
        Stamped { start, sequence }
    }

    /// The page at which a write of this length begins. Writes follow each other through the pool, and
    /// each pass begins one page later.
    fn turn_to(&mut self, len: usize) -> usize {
        if !self.keys.is_empty() {
            return 0;
        }
        let pages = len.div_ceil(ALIGNMENT);
        let last_start = self.pool.len() / ALIGNMENT - 1 - pages;
        if self.page > last_start {
            self.laps += 1;
            self.page = self.laps % (SPARE_PAGES + 1);
        }
        let page = self.page;
        self.page += pages;
        page
    }

    /// Combines the pages of a write with its key, if necessary. Returns the flag to add to a stamp's
    /// place.
    fn freshen(&mut self, start: usize, len: usize, key: u64) -> u32 {
        if self.keys.is_empty() {
            return 0;
        }
        let pages = start / ALIGNMENT..(start + len).div_ceil(ALIGNMENT);
        let pool = &mut self.pool.as_mut_slice()[pages.start * ALIGNMENT..pages.end * ALIGNMENT];
        for (page, old) in pool.chunks_exact_mut(ALIGNMENT).zip(&mut self.keys[pages]) {
            combine(page, *old ^ key);
            *old = key;
        }
        FRESH
    }

    /// The bytes of the last generated write.
    #[inline]
    pub fn slice(&self, stamped: &Stamped, len: usize) -> &[u8] {
        &self.pool.as_slice()[stamped.start..stamped.start + len]
    }

    /// All of the writer's memory, for registering it with the kernel.
    pub fn pool(&self) -> &AlignedBuffer {
        &self.pool
    }
}

/// The random content of one page of a writer's pool.
fn fill_page(seed: u64, writer: u32, page: usize, into: &mut [u8]) {
    let page_seed = mix(mix(seed, u64::from(writer) + 1), page as u64);
    Xoshiro256PlusPlus::seed_from_u64(page_seed).fill_bytes(into);
}

/// The key of the write with this hash: never 0, and different for each write.
fn key(write_hash: u64) -> u64 {
    mix(write_hash, u64::MAX).max(1)
}

/// Combines every eight bytes with the key (exclusive or). Applying the same key twice restores the
/// bytes.
fn combine(bytes: &mut [u8], key: u64) {
    let (words, _) = bytes.as_chunks_mut::<8>();
    for word in words {
        *word = (u64::from_le_bytes(*word) ^ key).to_le_bytes();
    }
}

/// The hash of the fields that all stamps of one write have in common.
fn write_hash(seed: u64, file: u32, writer: u32, sequence: u64) -> u64 {
    mix(mix(seed, u64::from(file) << 32 | u64::from(writer)), sequence)
}

/// One round of hashing: for fixed `hash`, different values give different results.
#[inline]
pub(crate) fn mix(hash: u64, value: u64) -> u64 {
    // The multiplier and the shift of SplitMix64's first round. The multiplier is odd, so no information
    // is lost.
    let hash = (hash ^ value).wrapping_add(0x9e37_79b9_7f4a_7c15);
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash ^ (hash >> 27)
}

fn u32_at(bytes: &[u8; STAMP_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

fn u64_at(bytes: &[u8; STAMP_BYTES], at: usize) -> u64 {
    u64::from(u32_at(bytes, at)) | u64::from(u32_at(bytes, at + 4)) << 32
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::collections::{HashMap, HashSet};

    use super::*;

    const SPEC: PatternSpec = PatternSpec { seed: 42, unit_bytes: 4096 };

    #[test]
    #[should_panic(expected = "writes are numbered before the first one is made")]
    fn renumbered_writer_is_a_defect() {
        let mut data = WriteData::new(SPEC, 3, 4096).unwrap();
        data.stamp(0, 0, 4096);
        let _ = data.numbered_from(100);
    }

    #[test]
    #[should_panic(expected = "a write of 4097 bytes, made for 4096")]
    fn a_write_that_is_too_long_is_a_defect() {
        WriteData::new(SPEC, 3, 4096).unwrap().stamp(0, 0, 4097);
    }

    #[test]
    fn every_unit_is_stamped_and_can_be_rebuilt() {
        for unit_bytes in [512u32, 4096] {
            let spec = PatternSpec { seed: 7, unit_bytes };
            let mut data = WriteData::new(spec, 3, 1 << 20).unwrap().numbered_from(100);
            for (write, len) in [4096usize, 1 << 20, 8192, 4096].into_iter().enumerate() {
                let offset = 1 << 16;
                let stamped = data.stamp(5, offset, len);
                assert_eq!(stamped.start % ALIGNMENT, 0);
                assert_eq!(stamped.sequence, 100 + write as u64);
                for (index, unit) in data.slice(&stamped, len).chunks(unit_bytes as usize).enumerate() {
                    let stamp = Stamp::read(spec, unit).unwrap();
                    assert_eq!((stamp.file, stamp.writer, stamp.sequence), (5, 3, stamped.sequence));
                    assert_eq!(stamp.unit, offset / u64::from(unit_bytes) + index as u64);
                    let mut rebuilt = vec![0; unit.len()];
                    stamp.rebuild(spec, &mut rebuilt);
                    assert_eq!(rebuilt, unit, "write {write}, unit {index}");
                }
            }
        }
    }

    #[test]
    fn no_two_units_are_equal_even_across_writers_and_rewrites() {
        let mut seen = HashSet::new();
        for writer in 0..3 {
            let mut data = WriteData::new(SPEC, writer, 1 << 16).unwrap();
            for _ in 0..300 {
                let stamped = data.stamp(0, 0, 1 << 16);
                for unit in data.slice(&stamped, 1 << 16).chunks(4096) {
                    assert!(seen.insert(unit.to_vec()));
                }
            }
        }
    }

    /// The bytes of this many writes of this length, one after the other in a file.
    fn sequential(data: &mut WriteData, len: usize, writes: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(len * writes);
        for write in 0..writes {
            let stamped = data.stamp(0, (write * len) as u64, len);
            bytes.extend_from_slice(data.slice(&stamped, len));
        }
        bytes
    }

    #[test]
    fn data_does_not_repeat_within_a_compression_block() {
        for (max_len, len) in [
            (4096, 4096),
            (65536, 4096),
            (65536, 65536),
            (1 << 20, 4096),
            (1 << 20, 1 << 20),
            (5 << 20, 300 << 10),
        ] {
            let mut data = WriteData::new(SPEC, 0, max_len).unwrap();
            let bytes = sequential(&mut data, len, (6 << 20) / len);
            let mut last_seen = HashMap::new();
            for (at, string) in bytes.chunks_exact(16).enumerate() {
                if let Some(before) = last_seen.insert(string, at) {
                    let distance = (at - before) * 16;
                    assert!(distance >= 900 << 10, "{max_len}, {len}: again after {distance} bytes");
                }
            }
        }
    }

    #[test]
    fn a_writer_needs_little_more_memory_than_its_longest_write() {
        for max_len in [1, 4096, 65536, (1 << 20) - 1, 1 << 20, 12 << 20] {
            let data = WriteData::new(SPEC, 0, max_len).unwrap();
            let beyond = data.pool().len() + size_of_val(&*data.keys) - max_len;
            assert!(beyond <= 36 << 10, "{max_len}: {beyond} bytes more");
        }
    }

    #[test]
    fn writes_of_all_lengths_and_places_can_be_rebuilt() {
        for unit_bytes in [512u32, 4096] {
            let spec = PatternSpec { seed: 3, unit_bytes };
            for max_len in [70_000usize, (1 << 20) + 512] {
                let mut data = WriteData::new(spec, 1, max_len).unwrap();
                for write in 0..200u64 {
                    let len = (write as usize * 7919 % max_len) + 1;
                    let offset = write * 1_000_003;
                    let stamped = data.stamp(0, offset, len);
                    let bytes = data.slice(&stamped, len);
                    let first = offset.next_multiple_of(u64::from(unit_bytes)) - offset;
                    for unit in bytes.get(first as usize..).unwrap_or_default().chunks(unit_bytes as usize) {
                        if unit.len() < STAMP_BYTES {
                            continue;
                        }
                        let mut rebuilt = vec![0; unit.len()];
                        Stamp::read(spec, unit).unwrap().rebuild(spec, &mut rebuilt);
                        assert_eq!(rebuilt, unit, "unit {unit_bytes}, write {write} of {len} at {offset}");
                    }
                }
            }
        }
    }

    #[test]
    fn data_does_not_compress() {
        // Order-0 entropy, and no repeated 64-byte string within a write.
        let mut data = WriteData::new(SPEC, 0, 1 << 20).unwrap();
        let stamped = data.stamp(0, 0, 1 << 20);
        let bytes = data.slice(&stamped, 1 << 20);
        let mut counts = [0u32; 256];
        bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        let entropy_bits: f64 = counts
            .iter()
            .map(|&count| f64::from(count) / f64::from(1 << 20))
            .map(|share| -share * share.log2())
            .sum();
        assert!(entropy_bits > 7.98, "{entropy_bits} bits per byte");
        let strings: HashSet<&[u8]> = bytes.chunks(64).collect();
        assert_eq!(strings.len(), bytes.len() / 64);
    }

    #[test]
    fn a_write_inside_a_unit_keeps_the_stamps_where_units_begin() {
        let mut data = WriteData::new(SPEC, 0, 20000).unwrap();
        let (offset, len) = (10_000, 20_000);
        let stamped = data.stamp(1, offset, len);
        let bytes = data.slice(&stamped, len);
        let first_unit = 12_288 - 10_000;
        let stamp = Stamp::read(SPEC, &bytes[first_unit..]).unwrap();
        assert_eq!(stamp.unit, 3);
        let mut rebuilt = vec![0; 4096];
        stamp.rebuild(SPEC, &mut rebuilt);
        assert_eq!(rebuilt, bytes[first_unit..first_unit + 4096]);
    }

    #[test]
    fn any_changed_byte_of_a_stamp_is_noticed_and_so_is_another_seed() {
        let mut data = WriteData::new(SPEC, 9, 4096).unwrap();
        let stamped = data.stamp(2, 8192, 4096);
        let unit = data.slice(&stamped, 4096).to_vec();
        assert!(Stamp::read(SPEC, &unit).is_some());
        assert!(Stamp::read(PatternSpec { seed: 43, ..SPEC }, &unit).is_none());
        assert!(Stamp::read(SPEC, &unit[..16]).is_none());
        for at in 0..STAMP_BYTES {
            for flip in 1..=255u8 {
                let mut damaged = unit.clone();
                damaged[at] ^= flip;
                assert!(Stamp::read(SPEC, &damaged).is_none(), "byte {at} ^ {flip}");
            }
        }
    }
}
