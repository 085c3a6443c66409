//! Numbers in JSON without useless digits: `12`, not `12.0`; times to the microsecond, durations below a
//! millisecond to four digits. A page has hundreds of thousands of them.

use serde::{Serialize, Serializer};

use crate::rounding::round_to;

/// Whole numbers above this are not exact in a double.
const EXACT_MAX: f64 = 9_007_199_254_740_992.0;

/// A number of a page. It is written as a whole number if it is one, and as `null` if it is not finite.
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct Decimal(pub f64);

impl Decimal {
    /// Nanoseconds as seconds, to the microsecond.
    pub fn seconds(ns: u64) -> Decimal {
        Decimal(round_to(ns as f64 / 1e9, 6))
    }

    /// Nanoseconds as microseconds: whole ones from a millisecond on, else four digits.
    pub fn us(ns: u64) -> Decimal {
        let decimals = match ns {
            0..10_000 => 3,
            10_000..100_000 => 2,
            100_000..1_000_000 => 1,
            _ => 0,
        };
        Decimal(round_to(ns as f64 / 1e3, decimals))
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < EXACT_MAX {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64(self.0)
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn decimals_have_no_trailing_zero() {
        let json = |value: Decimal| serde_json::to_string(&value).unwrap();
        for (value, text) in [
            (Decimal::seconds(0), "0"),
            (Decimal::seconds(12_000_000_000), "12"),
            (Decimal::seconds(1_234_567_891), "1.234568"),
            (Decimal::us(1_234), "1.234"),
            (Decimal::us(12_345), "12.35"),
            (Decimal::us(999_960), "1000"),
            (Decimal::us(1_234_567), "1235"),
            (Decimal(-2.5), "-2.5"),
            (Decimal(1e300), "1e+300"),
            (Decimal(f64::NAN), "null"),
            (Decimal(f64::INFINITY), "null"),
        ] {
            assert_eq!(json(value), text);
        }
    }
}
