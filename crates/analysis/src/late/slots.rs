//! Maps the numbers of streams and workers to list indices, quickly.

use std::collections::BTreeMap;

/// Numbers below this are found by index.
const DENSE: u32 = 1 << 16;

const NO_SLOT: u32 = u32::MAX;

/// Assigns each new number the next free index, from 0.
#[derive(Clone, Debug, Default)]
pub(super) struct Slots {
    dense: Vec<u32>,
    sparse: BTreeMap<u32, u32>,
    used: u32,
}

impl Slots {
    /// The index of a number, if it has one.
    #[inline]
    pub(super) fn get(&self, number: u32) -> Option<usize> {
        match self.dense.get(number as usize) {
            Some(&NO_SLOT) => None,
            Some(&slot) => Some(slot as usize),
            None => self.sparse.get(&number).map(|&slot| slot as usize),
        }
    }

    /// The index of a number; a new number gets one.
    #[inline]
    pub(super) fn get_or_insert(&mut self, number: u32) -> usize {
        match self.get(number) {
            Some(slot) => slot,
            None => self.insert(number),
        }
    }

    #[cold]
    fn insert(&mut self, number: u32) -> usize {
        assert!(self.get(number).is_none(), "each number has exactly one slot");
        let slot = self.used;
        self.used += 1;
        if number < DENSE {
            let needed = number as usize + 1;
            if self.dense.len() < needed {
                self.dense.resize(needed, NO_SLOT);
            }
            self.dense[number as usize] = slot;
        } else {
            self.sparse.insert(number, slot);
        }
        slot as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_and_large_numbers_get_one_place_each() {
        let mut slots = Slots::default();
        let numbers = [7, 0, u32::MAX, 65_535, 65_536, 3];
        for (slot, &number) in numbers.iter().enumerate() {
            assert_eq!(slots.get(number), None);
            assert_eq!(slots.get_or_insert(number), slot);
        }
        for (slot, &number) in numbers.iter().enumerate() {
            assert_eq!(slots.get_or_insert(number), slot);
        }
        assert_eq!(slots.get(5), None);
    }

    #[test]
    #[should_panic(expected = "each number has exactly one slot")]
    fn second_index_for_one_number_is_a_defect() {
        let mut slots = Slots::default();
        slots.insert(7);
        slots.insert(7);
    }
}
