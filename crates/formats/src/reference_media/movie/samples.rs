//! The sample tables of a track (`stsz`, `stsc`, `stco`, `stts`), combined to the positions of its
//! samples.
//!
//! A track's samples are in chunks. One table has the size of every sample, one the position of every
//! chunk, and one the number of samples of each chunk. All counts are checked against the tables' real
//! lengths.

use super::boxes::{self, BoxType, Cursor};
use super::sound::Packing;
use super::{ByteRange, MovieError, Timing};

/// The limits for a track.
#[derive(Clone, Copy)]
pub(super) struct ParseBounds {
    /// Size of the file.
    pub(super) file_bytes: u64,
    /// How many more spans are allowed.
    pub(super) budget: usize,
}

/// The sizes of the samples.
#[derive(Clone, Copy)]
pub(super) enum Sizes<'a> {
    Same {
        bytes: u32,
        count: u32,
    },
    /// Big-endian numbers of 1, 2 or 4 bytes.
    Table {
        entries: &'a [u8],
        width: usize,
    },
    /// Two to a byte, the first in the high half.
    Nibbles {
        entries: &'a [u8],
        count: u32,
    },
}

impl<'a> Sizes<'a> {
    pub(super) fn read(stbl: &'a [u8]) -> Result<Sizes<'a>, MovieError> {
        if let Some(stsz) = boxes::child(BoxType::STBL, stbl, BoxType::STSZ)? {
            return Sizes::read_stsz(stsz).ok_or_else(|| BoxType::STSZ.damaged("is shorter than its count"));
        }
        match boxes::child(BoxType::STBL, stbl, BoxType::STZ2)? {
            Some(stz2) => Sizes::read_stz2(stz2).ok_or_else(|| {
                BoxType::STZ2.damaged("is shorter than its count, or has an invalid field size")
            }),
            None => Err(BoxType::STSZ.damaged("is missing")),
        }
    }

    fn read_stsz(stsz: &'a [u8]) -> Option<Sizes<'a>> {
        let mut cursor = Cursor::new(stsz);
        cursor.skip(4)?;
        let (bytes, count) = (cursor.u32()?, cursor.u32()?);
        Some(match bytes {
            0 => Sizes::Table { entries: cursor.table(count, 4)?, width: 4 },
            bytes => Sizes::Same { bytes, count },
        })
    }

    fn read_stz2(stz2: &'a [u8]) -> Option<Sizes<'a>> {
        let mut cursor = Cursor::new(stz2);
        cursor.skip(7)?;
        let (bits, count) = (cursor.u8()?, cursor.u32()?);
        match bits {
            4 => Some(Sizes::Nibbles { entries: cursor.table(count.div_ceil(2), 1)?, count }),
            8 | 16 => {
                let width = usize::from(bits / 8);
                Some(Sizes::Table { entries: cursor.table(count, width)?, width })
            }
            _ => None,
        }
    }

    pub(super) fn count(&self) -> usize {
        match self {
            Sizes::Same { count, .. } | Sizes::Nibbles { count, .. } => *count as usize,
            Sizes::Table { entries, width } => entries.len() / width,
        }
    }

    /// The size of a sample below the count.
    fn bytes(&self, sample: usize) -> u64 {
        match self {
            Sizes::Same { bytes, .. } => u64::from(*bytes),
            Sizes::Table { entries, width } => {
                let entry = entries.iter().skip(sample * width).take(*width);
                entry.fold(0, |number, byte| number << 8 | u64::from(*byte))
            }
            Sizes::Nibbles { entries, .. } => {
                let pair = entries.get(sample / 2).copied().unwrap_or(0);
                u64::from(if sample.is_multiple_of(2) { pair >> 4 } else { pair & 15 })
            }
        }
    }
}

/// The positions of the chunks, and the number of samples in each.
pub(super) struct Chunks<'a> {
    offsets: &'a [u8],
    width: usize,
    /// Rows of (first chunk, samples in a chunk, description), 12 bytes each.
    runs: &'a [u8],
}

impl<'a> Chunks<'a> {
    pub(super) fn read(stbl: &'a [u8]) -> Result<Chunks<'a>, MovieError> {
        let (kind, content, width) = match boxes::child(BoxType::STBL, stbl, BoxType::STCO)? {
            Some(stco) => (BoxType::STCO, stco, 4),
            None => (BoxType::CO64, boxes::needed(BoxType::STBL, stbl, BoxType::CO64)?, 8),
        };
        Ok(Chunks {
            offsets: counted(kind, content, width)?,
            width,
            runs: counted(BoxType::STSC, boxes::needed(BoxType::STBL, stbl, BoxType::STSC)?, 12)?,
        })
    }

    /// Every chunk's position and number of samples.
    fn iter(&self) -> impl Iterator<Item = Result<(u64, u64), MovieError>> {
        let mut runs = self.runs.chunks_exact(12).map(run).peekable();
        let mut samples = None;
        let offsets = self.offsets.chunks_exact(self.width);
        (1_u64..).zip(offsets).map(move |(chunk, offset)| {
            while let Some((_, in_chunk)) = runs.next_if(|(first, _)| *first <= chunk) {
                samples = Some(in_chunk);
            }
            let samples = samples.ok_or_else(|| BoxType::STSC.damaged("does not start at chunk 1"))?;
            Ok((big_endian(offset), samples))
        })
    }
}

/// First chunk (from 1) and samples per chunk.
fn run(entry: &[u8]) -> (u64, u64) {
    let (first, rest) = entry.split_at(4);
    (big_endian(first), big_endian(&rest[..4]))
}

fn big_endian(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, byte| number << 8 | u64::from(*byte))
}

/// The entries of a table that begins with version, flags and a count.
fn counted(kind: BoxType, content: &[u8], width: usize) -> Result<&[u8], MovieError> {
    let entries = || {
        let mut cursor = Cursor::new(content);
        cursor.skip(4)?;
        let count = cursor.u32()?;
        cursor.table(count, width)
    };
    entries().ok_or_else(|| kind.damaged("is shorter than its count"))
}

/// Collects spans within the limits.
struct Collector {
    spans: Vec<ByteRange>,
    limits: ParseBounds,
}

impl Collector {
    fn new(limits: ParseBounds) -> Collector {
        Collector { spans: Vec::new(), limits }
    }

    fn push(&mut self, offset: u64, bytes: u64) -> Result<(), MovieError> {
        if self.spans.len() >= self.limits.budget {
            return Err(MovieError::TooManySamples);
        }
        let span = ByteRange { offset, bytes };
        if span.end() > self.limits.file_bytes {
            return Err(MovieError::OutsideFile { offset, bytes, file_bytes: self.limits.file_bytes });
        }
        self.spans.push(span);
        Ok(())
    }
}

const TOO_FEW_CHUNKS: &str = "locates fewer samples than the track has";

/// The position of every sample.
pub(super) fn sample_spans(
    sizes: &Sizes<'_>,
    chunks: &Chunks<'_>,
    limits: ParseBounds,
) -> Result<Vec<ByteRange>, MovieError> {
    let count = sizes.count();
    let mut spans = Collector::new(limits);
    let mut sample: usize = 0;
    for chunk in chunks.iter() {
        let (mut offset, in_chunk) = chunk?;
        let last = count.min(sample.saturating_add(usize::try_from(in_chunk).unwrap_or(usize::MAX)));
        while sample < last {
            let bytes = sizes.bytes(sample);
            spans.push(offset, bytes)?;
            // Does not overflow: the span ends within the file.
            offset += bytes;
            sample += 1;
        }
        if sample == count {
            return Ok(spans.spans);
        }
    }
    Err(BoxType::STSC.damaged(TOO_FEW_CHUNKS))
}

/// The position of every chunk, for a track whose samples are a few bytes each.
pub(super) fn chunk_spans(
    count: u32,
    packing: Packing,
    chunks: &Chunks<'_>,
    limits: ParseBounds,
) -> Result<Vec<ByteRange>, MovieError> {
    let mut spans = Collector::new(limits);
    let mut rest = u64::from(count);
    for chunk in chunks.iter() {
        let (offset, in_chunk) = chunk?;
        let samples = in_chunk.min(rest);
        rest -= samples;
        if samples > 0 {
            spans.push(offset, packing.bytes_of(samples))?;
        }
        if rest == 0 {
            return Ok(spans.spans);
        }
    }
    Err(BoxType::STSC.damaged(TOO_FEW_CHUNKS))
}

pub(super) fn timing(stbl: &[u8], timescale: u32) -> Result<Timing, MovieError> {
    let entries = counted(BoxType::STTS, boxes::needed(BoxType::STBL, stbl, BoxType::STTS)?, 8)?;
    let mut timing = Timing { timescale, ..Timing::default() };
    let runs = || {
        entries.chunks_exact(8).map(|entry| {
            let (samples, ticks) = entry.split_at(4);
            (big_endian(samples), big_endian(ticks))
        })
    };
    for (samples, ticks) in runs() {
        timing.samples = timing.samples.saturating_add(samples);
        timing.ticks = timing.ticks.saturating_add(samples.saturating_mul(ticks));
    }
    timing.regular = regular(runs).and_then(|ticks| u32::try_from(ticks).ok());
    Ok(timing)
}

/// The ticks of nearly every sample: of 98 in 100, so that a few uneven ones, as at a cut, do not change
/// the rate. The last sample is ignored, because it is often shortened to the length of the sound.
fn regular<I: Iterator<Item = (u64, u64)>>(runs: impl Fn() -> I) -> Option<u64> {
    let all = runs().fold(0_u64, |sum, (samples, _)| sum.saturating_add(samples));
    let judged = || {
        let mut rest = all.saturating_sub(1).max(1);
        runs().map(move |(samples, ticks)| {
            let samples = samples.min(rest);
            rest -= samples;
            (samples, ticks)
        })
    };
    // The Boyer-Moore majority vote: finds the value that more than half of the samples have without
    // counting all others.
    let (mut candidate, mut votes) = (0, 0_u64);
    for (samples, ticks) in judged() {
        if ticks == candidate || votes >= samples {
            votes = if ticks == candidate { votes.saturating_add(samples) } else { votes - samples };
        } else {
            (candidate, votes) = (ticks, samples - votes);
        }
    }
    let of = |wanted: u64| judged().filter(move |(_, ticks)| *ticks == wanted);
    let supporters: u128 = of(candidate).map(|(samples, _)| u128::from(samples)).sum();
    let judged_samples = u128::from(all.saturating_sub(1).max(1));
    (supporters * 100 >= judged_samples * 98).then_some(candidate)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn numbers(numbers: &[u32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_be_bytes()).collect()
    }

    fn boxed(kind: BoxType, content: &[u8]) -> Vec<u8> {
        let mut whole = numbers(&[8 + u32::try_from(content.len()).unwrap()]);
        whole.extend(kind.0);
        whole.extend(content);
        whole
    }

    fn table(kind: BoxType, entries: &[u32], width: usize) -> Vec<u8> {
        let mut content = numbers(&[0, u32::try_from(entries.len() / width).unwrap()]);
        content.extend(numbers(entries));
        boxed(kind, &content)
    }

    fn spans(stbl: &[u8], file_bytes: u64, budget: usize) -> Result<Vec<(u64, u64)>, MovieError> {
        let limits = ParseBounds { file_bytes, budget };
        let spans = sample_spans(&Sizes::read(stbl)?, &Chunks::read(stbl)?, limits)?;
        Ok(spans.iter().map(|span| (span.offset, span.bytes)).collect())
    }

    fn stsz(sizes: &[u32]) -> Vec<u8> {
        let mut content = numbers(&[0, 0, u32::try_from(sizes.len()).unwrap()]);
        content.extend(numbers(sizes));
        boxed(BoxType::STSZ, &content)
    }

    #[test]
    fn samples_lie_in_chunks() {
        let stbl = [
            stsz(&[10, 20, 30, 40, 50]),
            table(BoxType::STSC, &[1, 2, 1, 3, 1, 1], 3),
            table(BoxType::STCO, &[100, 200, 300], 1),
        ]
        .concat();
        let expected = [(100, 10), (110, 20), (200, 30), (230, 40), (300, 50)];
        assert_eq!(spans(&stbl, 350, 5).unwrap(), expected);
        assert!(matches!(spans(&stbl, 349, 5), Err(MovieError::OutsideFile { offset: 300, .. })));
        assert!(matches!(spans(&stbl, 350, 4), Err(MovieError::TooManySamples)));
    }

    #[test]
    fn offsets_may_have_64_bits_and_sizes_4_8_or_16() {
        let co64 = table(BoxType::CO64, &[1, 0], 2);
        let stsc = table(BoxType::STSC, &[1, 3, 1], 3);
        let far = 1_u64 << 32;
        for (bits, entries, sizes) in [
            (4, vec![0x12, 0x30], [1, 2, 3]),
            (8, vec![9, 8, 7], [9, 8, 7]),
            (16, vec![1, 0, 2, 0, 0, 5], [256, 512, 5]),
        ] {
            let mut stz2 = numbers(&[0, bits, 3]);
            stz2.extend(entries);
            let stbl = [boxed(BoxType::STZ2, &stz2), stsc.clone(), co64.clone()].concat();
            let found: Vec<u64> = spans(&stbl, far * 2, 9).unwrap().iter().map(|span| span.1).collect();
            assert_eq!(found, sizes);
            assert_eq!(spans(&stbl, far * 2, 9).unwrap()[0].0, far);
        }
    }

    #[test]
    fn tables_that_contradict_each_other_are_damaged() {
        let mut printed = Vec::<String>::new();
        let (stsc, stco) = (table(BoxType::STSC, &[1, 2, 1], 3), table(BoxType::STCO, &[100], 1));
        let too_few = [stsz(&[1, 2, 3]), stsc.clone(), stco.clone()].concat();
        assert!(spans(&too_few, 999, 9).unwrap_err().to_string().contains("fewer samples"));
        let late = [stsz(&[1]), table(BoxType::STSC, &[2, 2, 1], 3), stco.clone()].concat();
        assert!(spans(&late, 999, 9).unwrap_err().to_string().contains("chunk 1"));
        let claims =
            [boxed(BoxType::STSZ, &numbers(&[0, 0, u32::MAX, 1])), stsc.clone(), stco.clone()].concat();
        printed.push(spans(&claims, 999, 9).unwrap_err().to_string());
        let endless = [
            boxed(BoxType::STSZ, &numbers(&[0, 1, u32::MAX])),
            table(BoxType::STSC, &[1, u32::MAX, 1], 3),
            stco,
        ];
        assert!(matches!(spans(&endless.concat(), u64::MAX, 1000), Err(MovieError::TooManySamples)));
        printed.push(spans(&stsc, 999, 9).unwrap_err().to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn uncompressed_sound_is_listed_by_chunks() {
        let stbl = [table(BoxType::STSC, &[1, 1000, 1], 3), table(BoxType::STCO, &[100, 9000], 1)].concat();
        let limits = ParseBounds { file_bytes: 20_000, budget: 9 };
        let packing = Packing::plain(6);
        let spans = chunk_spans(1500, packing, &Chunks::read(&stbl).unwrap(), limits).unwrap();
        let spans: Vec<(u64, u64)> = spans.iter().map(|span| (span.offset, span.bytes)).collect();
        assert_eq!(spans, [(100, 6000), (9000, 3000)]);
    }

    #[test]
    fn a_last_frame_of_another_length_does_not_make_the_rate_vary() {
        let timing = |entries: &[u32]| timing(&table(BoxType::STTS, entries, 2), 25_000).unwrap();
        assert_eq!(timing(&[100, 1000]).regular, Some(1000));
        assert_eq!(timing(&[99, 1000, 1, 400]).regular, Some(1000));
        assert_eq!(timing(&[50, 1000, 50, 500]).regular, None);
        assert_eq!(timing(&[50, 1000, 50, 500]).ticks, 75_000);
        assert_eq!(timing(&[1, 1000]).regular, Some(1000));
        assert_eq!(timing(&[3, 7, 500, 1000, 2, 1, 500, 1000, 1, 2000]).regular, Some(1000));
        assert_eq!(timing(&[900, 1000, 100, 2000]).regular, None);
        assert_eq!(timing(&[]).regular, None);
    }
}
