//! The mean size of a frame as an exact fraction, so that a clip's size matches its rate to the byte.

use crate::rate::{FrameRate, gcd_u64};

/// Bytes per frame, as a reduced fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MeanBytes {
    num: u64,
    den: u64,
}

impl MeanBytes {
    /// Exactly this many bytes.
    pub const fn whole(bytes: u64) -> MeanBytes {
        MeanBytes { num: bytes, den: 1 }
    }

    /// `bytes` over `frames`; `None` when there are no frames.
    pub const fn over(bytes: u64, frames: u64) -> Option<MeanBytes> {
        if frames == 0 {
            return None;
        }
        let common = gcd_u64(bytes, frames);
        Some(MeanBytes { num: bytes / common, den: frames / common })
    }

    /// Bytes for a frame at `rate` if a second has `bits_per_s`; `None` beyond what 64 bits can hold.
    pub fn from_bits_per_s(bits_per_s: u64, rate: FrameRate) -> Option<MeanBytes> {
        let bits_over_den = bits_per_s.checked_mul(u64::from(rate.den()))?;
        MeanBytes::over(bits_over_den, u64::from(rate.num()) * 8)
    }

    /// Bytes of the first `frames` frames, rounded down. Saturates.
    pub fn times(self, frames: u64) -> u64 {
        let exact = u128::from(self.num) * u128::from(frames) / u128::from(self.den);
        u64::try_from(exact).unwrap_or(u64::MAX)
    }

    /// Rounded to a float, for screens.
    pub fn as_f64(self) -> f64 {
        self.num as f64 / self.den as f64
    }

    /// Rounded down to whole bytes.
    pub const fn floor(self) -> u64 {
        self.num / self.den
    }

    /// Rounded up to whole bytes.
    pub const fn ceil(self) -> u64 {
        self.num.div_ceil(self.den)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_rate_becomes_bytes_per_frame_exactly() {
        let pal = MeanBytes::from_bits_per_s(737_000_000, FrameRate::whole(25)).unwrap();
        assert_eq!(pal, MeanBytes::whole(3_685_000));
        let ntsc = MeanBytes::from_bits_per_s(222_000_000, "59.94".parse().unwrap()).unwrap();
        assert_eq!((ntsc.floor(), ntsc.ceil()), (462_962, 462_963));
        // 60,000 frames last 1001 s.
        assert_eq!(ntsc.times(60_000), 222_000_000 / 8 * 1001);
    }

    #[test]
    fn unrepresentable_mean_is_refused() {
        assert_eq!(MeanBytes::over(5, 0), None);
        assert_eq!(MeanBytes::from_bits_per_s(u64::MAX, "23.976".parse().unwrap()), None);
        assert_eq!(MeanBytes::whole(u64::MAX).times(2), u64::MAX);
    }
}
