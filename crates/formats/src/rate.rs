//! Frame rates as exact fractions, and the times at which frames are due.
//!
//! 59.94 frames per second is 60000/1001. Kept as a fraction, a stream is still on its timeline after a
//! day; kept as `59.94`, it would be five frames off.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};

const NS_PER_S: u128 = 1_000_000_000;

/// The fastest rate that is accepted, in frames per second. A frame then lasts a microsecond.
const FPS_MAX: u32 = 1_000_000;

/// The whole rates whose 1000/1001 relatives are written as rounded decimals (23.976, 59.94 …).
const NTSC_FAMILY: [u32; 7] = [24, 30, 48, 60, 96, 120, 240];

/// Frames per second, as a reduced fraction above 0.
///
/// Written and read as `25`, `23.976`, `29.97` or `24000/1001`; the decimals of the 1000/1001 rates mean
/// the exact fraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameRate {
    num: u32,
    den: u32,
}

/// A text or number that is not a frame rate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{text}' is not a frame rate; write it like 25, 23.976 or 24000/1001 (above 0, at most {FPS_MAX})")]
pub struct FrameRateError {
    text: String,
}

impl FrameRate {
    /// `num / den` frames per second, reduced. `None` for 0 and above a million frames per second.
    pub const fn new(num: u32, den: u32) -> Option<FrameRate> {
        if num == 0 || den == 0 || num as u64 > den as u64 * FPS_MAX as u64 {
            return None;
        }
        let common = gcd(num, den);
        Some(FrameRate { num: num / common, den: den / common })
    }

    /// This many whole frames per second; for rates that are known to be good when the tool is built.
    ///
    /// # Panics
    /// For 0 and above a million frames per second.
    pub const fn whole(fps: u32) -> FrameRate {
        match FrameRate::new(fps, 1) {
            Some(rate) => rate,
            None => panic!("an integer frame rate must be 1 to 1,000,000"),
        }
    }

    /// The fraction's numerator: frames in [`FrameRate::den`] seconds.
    pub const fn num(self) -> u32 {
        self.num
    }

    /// The fraction's denominator, in seconds.
    pub const fn den(self) -> u32 {
        self.den
    }

    /// Frames per second, rounded to a float: for screens, not for pacing.
    pub fn per_s(self) -> f64 {
        f64::from(self.num) / f64::from(self.den)
    }

    /// When a frame (from 0) is due on its timeline, in nanoseconds, rounded down from the exact time.
    /// Saturates after 584 years.
    pub fn frame_due_ns(self, frame: u64) -> u64 {
        let exact_ns = u128::from(frame) * u128::from(self.den) * NS_PER_S / u128::from(self.num);
        u64::try_from(exact_ns).unwrap_or(u64::MAX)
    }

    /// How many frames are due before `ns` nanoseconds have passed, the frame at 0 among them.
    ///
    /// Exact inverse of [`FrameRate::frame_due_ns`]: `frames_in(frame_due_ns(i)) == i`.
    pub fn frames_in(self, ns: u64) -> u64 {
        let frames = (u128::from(ns) * u128::from(self.num)).div_ceil(u128::from(self.den) * NS_PER_S);
        u64::try_from(frames).unwrap_or(u64::MAX)
    }

    /// The rate as a part of an id: `25`, `2997`, `23976`.
    pub(crate) fn id_label(self) -> String {
        self.to_string().replace('.', "").replace('/', "over")
    }

    fn from_fraction(text: &str) -> Option<FrameRate> {
        let (num, den) = text.split_once('/')?;
        FrameRate::new(num.trim().parse().ok()?, den.trim().parse().ok()?)
    }

    /// A decimal: a 1000/1001 rate if it equals one to within its last digit, otherwise the exact value.
    fn from_decimal(text: &str) -> Option<FrameRate> {
        let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
        let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        if whole.is_empty() || fraction.len() > 9 || !all_digits(whole) || !all_digits(fraction) {
            return None;
        }
        let scale = 10_u64.pow(u32::try_from(fraction.len()).ok()?);
        let value: u64 = format!("{whole}{fraction}").parse().ok()?;
        // One decimal is too few to tell 24.0 from 23.976.
        if fraction.len() >= 2 {
            let ntsc = NTSC_FAMILY.into_iter().find(|fps| {
                let (typed, exact) = (u128::from(value) * 1001, u128::from(*fps) * 1000 * u128::from(scale));
                typed.abs_diff(exact) < 1001
            });
            if let Some(fps) = ntsc {
                return FrameRate::new(fps * 1000, 1001);
            }
        }
        let common = gcd_u64(value, scale);
        FrameRate::new(u32::try_from(value / common).ok()?, u32::try_from(scale / common).ok()?)
    }
}

const fn gcd(a: u32, b: u32) -> u32 {
    gcd_u64(a as u64, b as u64) as u32
}

/// The greatest common divisor; the other number if one is 0, and 1 if both are.
pub(crate) const fn gcd_u64(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    if a == 0 { 1 } else { a }
}

impl fmt::Display for FrameRate {
    /// `25`, `23.976`, `29.97`, `12.5`; a fraction if no short decimal reads back as the same rate.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.den == 1 {
            return write!(f, "{}", self.num);
        }
        let thousandths = (u64::from(self.num) * 2000 + u64::from(self.den)) / (u64::from(self.den) * 2);
        let decimal = format!("{}.{:03}", thousandths / 1000, thousandths % 1000);
        let short = decimal.trim_end_matches('0');
        match FrameRate::from_decimal(short) {
            Some(read_back) if read_back == *self => f.write_str(short),
            _ => write!(f, "{}/{}", self.num, self.den),
        }
    }
}

impl FromStr for FrameRate {
    type Err = FrameRateError;

    fn from_str(text: &str) -> Result<FrameRate, FrameRateError> {
        let trimmed = text.trim();
        FrameRate::from_fraction(trimmed)
            .or_else(|| FrameRate::from_decimal(trimmed))
            .ok_or_else(|| FrameRateError { text: text.into() })
    }
}

impl Serialize for FrameRate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for FrameRate {
    /// From a text or a plain number: `fps = 25`, `fps = 23.976` and `fps = "24000/1001"` all do.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<FrameRate, D::Error> {
        deserializer.deserialize_any(RateVisitor)
    }
}

struct RateVisitor;

impl Visitor<'_> for RateVisitor {
    type Value = FrameRate;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a frame rate like 25, 23.976 or \"24000/1001\"")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<FrameRate, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, fps: u64) -> Result<FrameRate, E> {
        self.visit_str(&fps.to_string())
    }

    fn visit_i64<E: de::Error>(self, fps: i64) -> Result<FrameRate, E> {
        self.visit_str(&fps.to_string())
    }

    fn visit_f64<E: de::Error>(self, fps: f64) -> Result<FrameRate, E> {
        self.visit_str(&fps.to_string())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    fn rate(text: &str) -> FrameRate {
        text.parse().unwrap()
    }

    #[test]
    fn decimals_of_the_1001_family_mean_the_exact_fraction() {
        for (text, num, den) in [
            ("23.976", 24_000, 1001),
            ("23.98", 24_000, 1001),
            ("23.97", 24_000, 1001),
            ("29.97", 30_000, 1001),
            ("47.952", 48_000, 1001),
            ("59.94", 60_000, 1001),
            ("119.88", 120_000, 1001),
            ("23.976024", 24_000, 1001),
            ("24000/1001", 24_000, 1001),
            (" 60000 / 1001 ", 60_000, 1001),
            ("25", 25, 1),
            ("24.0", 24, 1),
            ("24.00", 24, 1),
            ("50/2", 25, 1),
            ("12.5", 25, 2),
            ("0.5", 1, 2),
        ] {
            assert_eq!(rate(text), FrameRate { num, den }, "{text}");
        }
    }

    #[test]
    fn invalid_rate_is_refused_with_an_example() {
        for text in [
            "",
            "0",
            "0/1",
            "25/0",
            "-25",
            "25fps",
            "1e3",
            "nan",
            ".5",
            "1/2/3",
            "2000000",
            "9".repeat(40).as_str(),
        ] {
            let error = text.parse::<FrameRate>().unwrap_err();
            assert!(error.to_string().contains("24000/1001"), "{text}");
        }
    }

    #[test]
    fn rates_read_back_as_they_are_written() {
        for text in ["23.976", "24", "25", "29.97", "30", "50", "59.94", "60", "119.88", "120", "12.5", "1/3"]
        {
            assert_eq!(rate(text).to_string(), text);
        }
        assert_eq!(rate("29.97").id_label(), "2997");
        let json = serde_json::to_string(&rate("59.94")).unwrap();
        assert_eq!(json, "\"59.94\"");
        assert_eq!(serde_json::from_str::<FrameRate>(&json).unwrap(), rate("59.94"));
        assert_eq!(serde_json::from_str::<FrameRate>("29.97").unwrap(), rate("29.97"));
        assert_eq!(serde_json::from_str::<FrameRate>("25").unwrap(), rate("25"));
        assert!(serde_json::from_str::<FrameRate>("-25").is_err());
    }

    #[test]
    fn offsets_of_a_day_at_59_94_are_exact() {
        let fps = rate("60000/1001");
        // 5,178,821 frames of 1001/60000 s are 86,399.9970166… s.
        assert_eq!(fps.frame_due_ns(5_178_821), 86_399_997_016_666);
        // Every 60,000th frame falls on a whole second: the 87th time after 86 x 1001 s.
        assert_eq!(fps.frame_due_ns(60_000 * 86), 86 * 1001 * 1_000_000_000);
        assert_eq!(fps.frames_in(86_400_000_000_000), 5_178_822);
        assert_eq!(fps.frame_due_ns(1), 16_683_333);
        assert_eq!(fps.frame_due_ns(u64::MAX), u64::MAX);
    }

    #[test]
    fn frames_in_counts_the_frames_that_begin() {
        let fps = FrameRate::whole(25);
        assert_eq!(fps.frames_in(0), 0);
        assert_eq!(fps.frames_in(1), 1);
        assert_eq!(fps.frames_in(40_000_000), 1);
        assert_eq!(fps.frames_in(40_000_001), 2);
        assert_eq!(fps.frames_in(10_000_000_000), 250);
    }

    proptest! {
        #[test]
        fn due_times_and_counts_are_inverse(
            num in 1_u32..200_000,
            den in 1_u32..2_000,
            frame in 0_u64..1 << 32,
        ) {
            let fps = FrameRate::new(num, den).unwrap();
            let due_ns = fps.frame_due_ns(frame);
            // Beyond 584 years all frames are due at the end of time.
            prop_assume!(due_ns < u64::MAX);
            prop_assert_eq!(fps.frames_in(due_ns), frame);
        }

        #[test]
        fn any_rate_reads_back(num in 1_u32.., den in 1_u32..) {
            if let Some(fps) = FrameRate::new(num, den) {
                prop_assert_eq!(fps.to_string().parse::<FrameRate>().unwrap(), fps);
            }
        }

        #[test]
        fn any_text_is_a_rate_or_an_error(text in "\\PC{0,24}") {
            let _ = text.parse::<FrameRate>();
        }
    }
}
