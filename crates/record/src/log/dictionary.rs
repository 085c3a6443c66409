//! Parquet's RLE_DICTIONARY: the encoding of columns with few distinct values.
//!
//! A page of such a column is the number of bits per index, then runs: either one index with its repeat
//! count, or groups of eight indices bit-packed. A constant column is one run.

use super::bits::{PACK, pack, put_varint};

/// A column with more distinct values than this per row group is not dictionary-encoded.
const MAX_ENTRIES: usize = 1024;
/// Slots of the hash table: four per entry keeps probes short.
const SLOTS: usize = MAX_ENTRIES * 4;
/// Number of values that are compared with the previous one at a time.
const PIECE: usize = 16;
/// Shortest run that is stored as a run: shorter runs are about as small when packed, and faster.
const MIN_RUN: usize = 24;

/// The distinct values of a column, in order of appearance, and every value as an index into them.
pub(super) struct Dictionary {
    pub entries: Vec<u32>,
    indices: Vec<u16>,
    count: usize,
}

impl Dictionary {
    /// The dictionary of `values`, or `None` if there are too many distinct ones.
    pub fn of(values: &[u32]) -> Option<Dictionary> {
        if let Some(&first) = values.first()
            && is_constant(values, first)
        {
            return Some(Dictionary { entries: vec![first], indices: Vec::new(), count: values.len() });
        }
        let mut finder = Finder::new();
        let mut indices = vec![0; values.len()];
        let mut last = (0, None);
        for (indices, values) in indices.chunks_mut(PIECE).zip(values.chunks(PIECE)) {
            // Workers come in long runs, so sixteen equal values need one lookup.
            if let (value, Some(index)) = last
                && is_constant(values, value)
            {
                indices.fill(index);
                continue;
            }
            for (index, &value) in indices.iter_mut().zip(values) {
                *index = finder.index_of(value)?;
                last = (value, Some(*index));
            }
        }
        Some(Dictionary { entries: finder.entries, indices, count: values.len() })
    }

    /// Appends the body of the data page.
    pub fn encode_indices(&self, out: &mut Vec<u8>) {
        let width = usize::BITS - (self.entries.len().max(1) - 1).leading_zeros();
        // A constant column has no indices.
        let is_constant = self.indices.is_empty() && self.entries.len() == 1;
        assert!(is_constant || self.indices.len() == self.count, "each value of a column has an index");
        out.push(width as u8);
        if self.entries.len() == 1 {
            put_run(0, self.count, width, out);
        } else {
            encode_hybrid(&self.indices, width, out);
        }
    }
}

/// Whether all of `values` equal `first`. Folds chunks instead of stopping early: this vectorises, and
/// most columns of most logs are constant.
fn is_constant(values: &[u32], first: u32) -> bool {
    values.chunks(512).all(|chunk| chunk.iter().fold(0, |odd, &value| odd | (value ^ first)) == 0)
}

/// Finds a value's index: small values (workers, files, flags) in a table by value, others (lengths) in an
/// open-addressing hash table.
struct Finder {
    entries: Vec<u32>,
    /// By value: index + 1, or 0 if it has none yet.
    small: Box<[u16; SLOTS]>,
    /// By hash: the same.
    slots: Box<[u16; SLOTS]>,
}

impl Finder {
    fn new() -> Finder {
        Finder { entries: Vec::new(), small: Box::new([0; SLOTS]), slots: Box::new([0; SLOTS]) }
    }

    /// The index of `value`, added if missing; `None` if the dictionary is full.
    #[inline]
    fn index_of(&mut self, value: u32) -> Option<u16> {
        match self.small.get(value as usize) {
            Some(0) => {
                let index = self.add(value)?;
                self.small[value as usize] = index + 1;
                Some(index)
            }
            Some(index) => Some(index - 1),
            None => self.index_of_large(value),
        }
    }

    fn index_of_large(&mut self, value: u32) -> Option<u16> {
        // Fibonacci hashing: lengths are multiples of powers of two and differ only in their high bits.
        let hash = value.wrapping_mul(0x9e37_79b9) >> (u32::BITS - SLOTS.ilog2());
        let mut at = hash as usize;
        loop {
            match self.slots[at] {
                0 => {
                    let index = self.add(value)?;
                    self.slots[at] = index + 1;
                    return Some(index);
                }
                index if self.entries[usize::from(index) - 1] == value => return Some(index - 1),
                _ => at = (at + 1) % SLOTS,
            }
        }
    }

    #[cold]
    fn add(&mut self, value: u32) -> Option<u16> {
        if self.entries.len() == MAX_ENTRIES {
            return None;
        }
        self.entries.push(value);
        Some(self.entries.len() as u16 - 1)
    }
}

/// Appends `indices` as runs and packed groups.
fn encode_hybrid(indices: &[u16], width: u32, out: &mut Vec<u8>) {
    let mut packed_from = 0;
    let mut at = 0;
    while at < indices.len() {
        let run = run_length(&indices[at..]);
        if run >= MIN_RUN {
            put_packed(&indices[packed_from..at], width, out);
            put_run(indices[at], run, width, out);
            at += run;
            packed_from = at;
        } else {
            // Packed groups contain eight values, so a run may only start where a group would.
            at = (at + 8).min(indices.len());
        }
    }
    put_packed(&indices[packed_from..], width, out);
}

fn run_length(indices: &[u16]) -> usize {
    let first = indices[0];
    let differs = |piece: &[u16]| piece.iter().fold(0, |odd, &index| odd | (index ^ first)) != 0;
    let whole = indices.chunks(PIECE).position(differs).map_or(indices.len(), |pieces| pieces * PIECE);
    whole + indices[whole..].iter().take_while(|&&index| index == first).count()
}

fn put_run(index: u16, count: usize, width: u32, out: &mut Vec<u8>) {
    put_varint((count as u64) << 1, out);
    let bytes = width.div_ceil(8) as usize;
    out.extend_from_slice(&index.to_le_bytes()[..bytes]);
}

/// Appends bit-packed groups of eight; the last is padded with zeros.
fn put_packed(indices: &[u16], width: u32, out: &mut Vec<u8>) {
    if indices.is_empty() {
        return;
    }
    let groups = indices.len().div_ceil(8);
    put_varint((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * width as usize;
    for chunk in indices.chunks(PACK) {
        let mut values = [0; PACK];
        for (slot, &index) in values.iter_mut().zip(chunk) {
            *slot = u64::from(index);
        }
        pack(&values, width, out);
    }
    // The last 32 values may include padding beyond the last group.
    out.truncate(end);
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_constant_column_is_one_run() {
        let dictionary = Dictionary::of(&[9; 1000]).unwrap();
        let mut out = Vec::new();
        dictionary.encode_indices(&mut out);
        assert_eq!(dictionary.entries, [9]);
        // Width 0, then a run of 1000.
        assert_eq!(out, [0, 0xd0, 0x0f]);
    }

    #[test]
    fn runs_and_groups_take_turns() {
        let mut values = vec![1, 2, 1, 2, 1, 2, 1, 2];
        values.extend([2; 40]);
        values.push(1);
        let dictionary = Dictionary::of(&values).unwrap();
        let mut out = Vec::new();
        dictionary.encode_indices(&mut out);
        // Width 1; one group 10101010; 40 times index 1; one padded group.
        assert_eq!(out, [1, 3, 0b1010_1010, 80, 1, 3, 0]);
    }

    #[test]
    #[should_panic(expected = "each value of a column has an index")]
    fn a_value_without_an_index_is_a_defect() {
        let dictionary = Dictionary { entries: vec![1, 2], indices: vec![0, 1], count: 3 };
        dictionary.encode_indices(&mut Vec::new());
    }

    #[test]
    fn too_many_values_are_refused() {
        let values: Vec<u32> = (0..=MAX_ENTRIES as u32).map(|value| value << 12).collect();
        assert!(Dictionary::of(&values).is_none());
        assert!(Dictionary::of(&values[1..]).is_some());
    }
}
