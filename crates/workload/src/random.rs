//! Random draws that are exact and repeatable.
//!
//! The generator is a library's (xoshiro256++). The draw below a limit is implemented here, because "the
//! same seed gives the same operations" must be true for every version of Reelgauge, and libraries do
//! not guarantee stable values for it.

use rand_core::{Rng, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

use crate::units::Percent;

/// A stream of random numbers that belongs to one worker.
#[derive(Clone, Debug)]
pub struct Dice {
    source: Xoshiro256PlusPlus,
}

impl Dice {
    /// The stream of this worker in a run with this seed. Streams of different workers are unrelated.
    pub fn new(seed: u64, worker: u32) -> Dice {
        let mixed = scramble(seed ^ scramble(u64::from(worker) + 1));
        Dice { source: Xoshiro256PlusPlus::seed_from_u64(mixed) }
    }

    /// A whole number from 0 to `limit` − 1, each equally likely (D. Lemire, "Fast random integer
    /// generation in an interval", 2019). 0 if `limit` is 0.
    #[inline]
    pub fn below(&mut self, limit: u64) -> u64 {
        let mut product = u128::from(self.source.next_u64()) * u128::from(limit);
        if (product as u64) < limit {
            let unfair_below = limit.wrapping_neg() % limit;
            while (product as u64) < unfair_below {
                product = u128::from(self.source.next_u64()) * u128::from(limit);
            }
        }
        (product >> 64) as u64
    }

    /// True with exactly this probability.
    #[inline]
    pub fn chance(&mut self, percent: Percent) -> bool {
        self.below(1_000_000) < u64::from(percent.ppm())
    }

    /// One of these, each equally likely. `None` if there are none.
    #[inline]
    pub fn pick<'a, T>(&mut self, among: &'a [T]) -> Option<&'a T> {
        among.get(self.below(among.len() as u64) as usize)
    }
}

/// Spreads the bits of a number over all 64 (the finaliser of SplitMix64).
const fn scramble(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// A random order of the numbers 0 to `len` − 1 that visits each exactly once and needs no memory: a
/// four-round Feistel network over the next even power of two, iterated until the result is below `len`.
#[derive(Clone, Copy, Debug)]
pub struct Permutation {
    len: u64,
    half_bits: u32,
    keys: [u64; 4],
}

impl Permutation {
    /// The order of this many numbers with this key.
    pub fn new(len: u64, key: u64) -> Permutation {
        let bits = 64 - len.saturating_sub(1).leading_zeros();
        let keys = std::array::from_fn(|round| scramble(key ^ scramble(round as u64 + 1)));
        Permutation { len, half_bits: bits.div_ceil(2).max(1), keys }
    }

    /// The length of the order.
    pub const fn len(&self) -> u64 {
        self.len
    }

    /// Whether the order is empty.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The number at this index; `None` beyond the end.
    pub fn at(&self, index: u64) -> Option<u64> {
        if index >= self.len {
            return None;
        }
        let mut number = self.shuffle(index);
        // The domain is at most four times the length, so this ends after a few rounds on average. It
        // always ends, because the iteration follows a cycle that contains `index` itself.
        while number >= self.len {
            number = self.shuffle(number);
        }
        Some(number)
    }

    fn shuffle(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            (left, right) = (right, left ^ (scramble(right ^ key) & mask));
        }
        (left << self.half_bits) | right
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_first_draws_of_a_seed_never_change() {
        let mut dice = Dice::new(1, 0);
        let draws: Vec<u64> = (0..6).map(|_| dice.below(1000)).collect();
        assert_eq!(draws, FIRST_DRAWS_OF_SEED_1);
    }

    // Part of the guarantee "same seed, same operations" across versions: never edit this line.
    const FIRST_DRAWS_OF_SEED_1: [u64; 6] = [775, 711, 686, 75, 50, 130];

    #[test]
    fn workers_draw_differently() {
        let draws = |worker| {
            let mut dice = Dice::new(7, worker);
            (0..8).map(|_| dice.below(u64::MAX)).collect::<Vec<_>>()
        };
        assert_ne!(draws(0), draws(1));
        assert_eq!(draws(3), draws(3));
    }

    #[test]
    fn a_limit_that_is_no_power_of_two_is_fair() {
        // The original tool drew 11.7 % instead of 10 % (modulo bias of one byte).
        let mut dice = Dice::new(42, 0);
        let draws = 1_000_000_u32;
        let ten = Percent::whole(10);
        let hits = (0..draws).filter(|_| dice.chance(ten)).count() as f64;
        let (mean, deviation) = (0.1 * f64::from(draws), (0.09 * f64::from(draws)).sqrt());
        assert!((hits - mean).abs() < 5.0 * deviation, "{hits}");
    }

    #[test]
    fn certain_and_impossible_are_exact() {
        let mut dice = Dice::new(3, 3);
        for _ in 0..10_000 {
            assert!(dice.chance(Percent::whole(100)));
            assert!(!dice.chance(Percent::whole(0)));
        }
        assert_eq!(dice.below(0), 0);
        assert_eq!(dice.pick::<u8>(&[]), None);
    }

    proptest! {
        #[test]
        fn a_permutation_visits_everything_once(len in 0_u64..5000, key in any::<u64>()) {
            let order = Permutation::new(len, key);
            let mut seen = vec![false; len as usize];
            for index in 0..len {
                let number = order.at(index).unwrap();
                prop_assert!(!std::mem::replace(&mut seen[number as usize], true));
            }
            prop_assert!(order.at(len).is_none());
        }

        #[test]
        fn a_huge_permutation_stays_inside(
            len in 1_u64..1 << 45, index in any::<u64>(), key in any::<u64>(),
        ) {
            let order = Permutation::new(len, key);
            prop_assert!(order.at(index % len).unwrap() < len);
        }

        #[test]
        fn draws_stay_below_the_limit(seed in any::<u64>(), limit in 1_u64..) {
            let mut dice = Dice::new(seed, 0);
            for _ in 0..50 {
                prop_assert!(dice.below(limit) < limit);
            }
        }
    }
}
