//! Random draws that the generators share. Whole numbers come from [`Dice`]. Everything computed from
//! them uses only the four basic operations, which have the same result on every computer. So the same
//! seed results in the same trace everywhere.

use reelgauge_workload::random::Dice;

/// A number from `low` to `high`, both inclusive, uniformly distributed.
pub(super) fn between(dice: &mut Dice, low: u64, high: u64) -> u64 {
    low + dice.below(high.saturating_sub(low) + 1)
}

/// A number from 0 (inclusive) to 1 (exclusive).
pub(super) fn unit(dice: &mut Dice) -> f64 {
    dice.below(1 << 53) as f64 / (1_u64 << 53) as f64
}

/// A number around 1 that deviates by at most `share`.
pub(super) fn around_one(dice: &mut Dice, share: f64) -> f64 {
    1.0 + share * (2.0 * unit(dice) - 1.0)
}

/// True with this probability.
pub(super) fn chance(dice: &mut Dice, probability: f64) -> bool {
    unit(dice) < probability
}

/// A size in bytes with a log-normal distribution: half are below the median, and two thirds are within
/// a factor of `2^doublings` of it.
pub(super) fn log_normal(dice: &mut Dice, median_bytes: f64, doublings: f64) -> u64 {
    // Twelve uniform numbers add up to a normal one: variance 12/12, mean 6.
    let normal: f64 = (0..12).map(|_| unit(dice)).sum::<f64>() - 6.0;
    (median_bytes * exp2(normal * doublings)) as u64
}

/// 2 to the power of `x`, for exponents of a size. The result of the standard library may differ in the
/// last bit between systems.
fn exp2(x: f64) -> f64 {
    let whole = x.floor().clamp(-64.0, 63.0);
    let rest = (x - whole).clamp(0.0, 1.0) * std::f64::consts::LN_2;
    // The series of e^rest, rest < 0.7: the next term is below 1e-10.
    let series = (1..=11).rev().fold(1.0, |sum, term| 1.0 + sum * rest / f64::from(term));
    let power = (1_u64 << (whole.abs() as u32).min(63)) as f64;
    if whole < 0.0 { series / power } else { series * power }
}

/// Puts values in random order.
pub(super) fn shuffle<T>(dice: &mut Dice, values: &mut [T]) {
    for last in (1..values.len()).rev() {
        values.swap(last, dice.below(last as u64 + 1) as usize);
    }
}

/// The distribution of access sizes: ranges in bytes, both ends included, each with its weight. Within a
/// range all sizes are equally likely.
pub(super) struct Pieces(pub &'static [(u32, u32, u32)]);

impl Pieces {
    /// The size of the next access.
    pub(super) fn draw(&self, dice: &mut Dice) -> u32 {
        let total: u32 = self.0.iter().map(|(weight, ..)| weight).sum();
        let mut ticket = dice.below(u64::from(total)) as u32;
        for &(weight, low, high) in self.0 {
            if ticket < weight {
                return between(dice, u64::from(low), u64::from(high)) as u32;
            }
            ticket -= weight;
        }
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_of_two_are_right() {
        let root = std::f64::consts::SQRT_2;
        for (x, power) in [(0.0, 1.0), (1.0, 2.0), (10.0, 1024.0), (-3.0, 0.125), (0.5, root)] {
            assert!((exp2(x) / power - 1.0_f64).abs() < 1e-9, "2^{x} = {}", exp2(x));
        }
        assert!(exp2(1e9).is_finite() && exp2(-1e9) > 0.0);
    }

    #[test]
    fn half_of_the_sizes_are_below_the_median_and_two_thirds_near_it() {
        let mut dice = Dice::new(3, 0);
        let sizes: Vec<u64> = (0..20_000).map(|_| log_normal(&mut dice, 10_000.0, 2.0)).collect();
        let share = |low: u64, high: u64| {
            sizes.iter().filter(|size| (low..high).contains(size)).count() as f64 / sizes.len() as f64
        };
        assert!((share(0, 10_000) - 0.5).abs() < 0.02, "{}", share(0, 10_000));
        assert!((share(2_500, 40_000) - 0.683).abs() < 0.02, "{}", share(2_500, 40_000));
    }

    #[test]
    fn pieces_are_drawn_by_their_weight_and_within_their_range() {
        let pieces = Pieces(&[(1, 10, 10), (3, 100, 199)]);
        let mut dice = Dice::new(5, 0);
        let drawn: Vec<u32> = (0..10_000).map(|_| pieces.draw(&mut dice)).collect();
        let tens = drawn.iter().filter(|size| **size == 10).count();
        assert!((2_300..2_700).contains(&tens), "{tens}");
        assert!(drawn.iter().all(|size| *size == 10 || (100..200).contains(size)));
        assert!(drawn.contains(&100) && drawn.contains(&199));
    }
}
