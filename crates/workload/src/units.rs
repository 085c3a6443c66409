//! Sizes, times and percentages in text form: `10MiB`, `250ms`, `12.5`.
//!
//! A size or a time without its unit is refused, because it is ambiguous. MB is 10^6 bytes, MiB and M
//! are 2^20 bytes. Times may have several parts: `1h30m`.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A number of bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Size(pub u64);

/// A duration in nanoseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span(pub u64);

/// A percentage between 0 and 100, stored in parts per million so that draws are exact.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Percent {
    ppm: u32,
}

/// A number with a unit is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnitError {
    /// The text has the wrong form.
    #[error("'{text}' is not {what}. Write it like {example}")]
    Form {
        text: String,
        /// The expected kind of value.
        what: &'static str,
        /// An example of the right form.
        example: &'static str,
    },
    /// It is below 0.
    #[error("'{text}' is below 0. Write {what}, like {example}")]
    Negative {
        text: String,
        /// The expected kind of value.
        what: &'static str,
        /// An example of the right form.
        example: &'static str,
    },
    /// The value is too large.
    #[error("'{text}' is too {adjective}: at most {most}")]
    TooMuch {
        text: String,
        /// "long" or "large".
        adjective: &'static str,
        most: &'static str,
    },
}

/// Why a number with a unit is invalid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    Form,
    TooMuch,
}

/// The longest duration in whole hours: more nanoseconds do not fit into 64 bits.
const SPAN_MOST: &str = "5124095h";
/// The largest size in whole TiB.
const SIZE_MOST: &str = "16777215TiB";

/// A letter alone is binary, as in fio, dd and ls; with a B after it, decimal.
const SIZE_UNITS: [(&str, u64); 16] = [
    ("B", 1),
    ("kB", 1_000),
    ("KB", 1_000),
    ("KiB", 1 << 10),
    ("MB", 1_000_000),
    ("MiB", 1 << 20),
    ("GB", 1_000_000_000),
    ("GiB", 1 << 30),
    ("TB", 1_000_000_000_000),
    ("TiB", 1 << 40),
    ("k", 1 << 10),
    ("K", 1 << 10),
    ("M", 1 << 20),
    ("G", 1 << 30),
    ("T", 1 << 40),
    ("bytes", 1),
];

const SPAN_UNITS: [(&str, u64); 9] = [
    ("ns", 1),
    ("us", 1_000),
    ("ms", 1_000_000),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("µs", 1_000),
    ("sec", 1_000_000_000),
    ("min", 60_000_000_000),
];

impl Size {
    /// This many MiB.
    pub const fn mib(count: u64) -> Size {
        Size(count << 20)
    }

    /// This many KiB.
    pub const fn kib(count: u64) -> Size {
        Size(count << 10)
    }

    /// This many bytes.
    pub const fn bytes(self) -> u64 {
        self.0
    }
}

impl Span {
    /// This many seconds.
    pub const fn secs(count: u64) -> Span {
        Span(count * 1_000_000_000)
    }

    /// The duration in nanoseconds.
    pub const fn ns(self) -> u64 {
        self.0
    }

    /// As a duration of the standard library.
    pub const fn duration(self) -> std::time::Duration {
        std::time::Duration::from_nanos(self.0)
    }
}

impl Percent {
    /// A whole percentage; values above 100 become 100.
    pub const fn whole(percent: u32) -> Percent {
        let percent = if percent > 100 { 100 } else { percent };
        Percent { ppm: percent * 10_000 }
    }

    /// From parts per million; values above 1,000,000 become 1,000,000.
    pub const fn from_ppm(ppm: u32) -> Percent {
        Percent { ppm: if ppm > 1_000_000 { 1_000_000 } else { ppm } }
    }

    /// Parts per million, 0 to 1,000,000.
    pub const fn ppm(self) -> u32 {
        self.ppm
    }
}

impl FromStr for Size {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Size, UnitError> {
        let (what, example) =
            ("a size with its unit", "64KiB, 10MiB or 1.5G (K, M, G and T are powers of 1024)");
        // Zero needs no unit.
        let value = if text.trim() == "0" { Ok(0) } else { with_unit(text, &SIZE_UNITS) };
        value.map(Size).map_err(|fault| match fault {
            Fault::TooMuch => {
                UnitError::TooMuch { text: text.to_owned(), adjective: "large", most: SIZE_MOST }
            }
            Fault::Form => refused(text, what, example),
        })
    }
}

impl FromStr for Span {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Span, UnitError> {
        let value = if text.trim() == "0" { Ok(0) } else { in_parts(text) };
        value.map(Span).map_err(|fault| match fault {
            Fault::TooMuch => {
                UnitError::TooMuch { text: text.to_owned(), adjective: "long", most: SPAN_MOST }
            }
            Fault::Form => refused(text, "a time with its unit", "250ms, 90s, 5m or 1h30m"),
        })
    }
}

impl FromStr for Percent {
    type Err = UnitError;

    fn from_str(text: &str) -> Result<Percent, UnitError> {
        let number = text.trim().trim_end_matches('%').trim_end();
        decimal(number, 10_000)
            .ok()
            .filter(|ppm| *ppm <= 1_000_000)
            .and_then(|ppm| u32::try_from(ppm).ok())
            .map(|ppm| Percent { ppm })
            .ok_or_else(|| refused(text, "a percentage between 0 and 100", "50 or 12.5"))
    }
}

/// The error for a text that is not a number with a unit, or is negative.
fn refused(text: &str, what: &'static str, example: &'static str) -> UnitError {
    let behind_sign = text.trim().strip_prefix('-').and_then(|rest| rest.chars().next());
    match behind_sign.is_some_and(|first| first.is_ascii_digit()) {
        true => UnitError::Negative { text: text.to_owned(), what, example },
        false => UnitError::Form { text: text.to_owned(), what, example },
    }
}

/// A duration with one or several parts, each with a smaller unit than the previous one: `1h30m`, `1m
/// 30s`.
fn in_parts(text: &str) -> Result<u64, Fault> {
    let (mut rest, mut sum, mut least) = (text.trim(), 0_u64, u64::MAX);
    while !rest.is_empty() {
        let unit = rest.find(char::is_alphabetic).ok_or(Fault::Form)?;
        let end = rest[unit..].find(|c: char| !c.is_alphabetic()).map_or(rest.len(), |end| unit + end);
        let one = with_unit(&format!("1{}", &rest[unit..end]), &SPAN_UNITS)?;
        if one >= least {
            return Err(Fault::Form);
        }
        least = one;
        sum = sum.checked_add(with_unit(&rest[..end], &SPAN_UNITS)?).ok_or(Fault::TooMuch)?;
        rest = rest[end..].trim_start();
    }
    if least < u64::MAX { Ok(sum) } else { Err(Fault::Form) }
}

/// `number` `unit`, with optional blanks between them, as a whole number of the smallest unit.
fn with_unit(text: &str, units: &[(&str, u64)]) -> Result<u64, Fault> {
    let text = text.trim();
    let split = text.find(char::is_alphabetic).ok_or(Fault::Form)?;
    let (number, unit) = (text[..split].trim_end(), &text[split..]);
    let factor = units
        .iter()
        .find(|(name, _)| *name == unit)
        .or_else(|| units.iter().find(|(name, _)| name.eq_ignore_ascii_case(unit)))
        .ok_or(Fault::Form)?
        .1;
    decimal(number, factor)
}

/// A decimal number times a factor, exact. A negative number is invalid, and so is one whose product is
/// not a whole number.
fn decimal(number: &str, factor: u64) -> Result<u64, Fault> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if whole.is_empty() || !digits(whole) || !digits(fraction) || fraction.len() > 12 {
        return Err(Fault::Form);
    }
    let scale = 10_u128.pow(fraction.len() as u32);
    // These are only digits, so the only possible error is too many of them.
    let all: u128 = format!("{whole}{fraction}").parse().map_err(|_| Fault::TooMuch)?;
    let product = all.checked_mul(u128::from(factor)).ok_or(Fault::TooMuch)?;
    if product % scale != 0 {
        return Err(Fault::Form);
    }
    u64::try_from(product / scale).map_err(|_| Fault::TooMuch)
}

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let binary = [("TiB", 1_u64 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
        for (unit, factor) in binary {
            if self.0 >= factor && self.0.is_multiple_of(factor) {
                return write!(f, "{}{unit}", self.0 / factor);
            }
        }
        write!(f, "{}B", self.0)
    }
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let units = [
            ("h", 3_600_000_000_000_u64),
            ("m", 60_000_000_000),
            ("s", 1_000_000_000),
            ("ms", 1_000_000),
            ("us", 1_000),
        ];
        for (unit, factor) in units {
            if self.0 >= factor && self.0.is_multiple_of(factor) {
                return write!(f, "{}{unit}", self.0 / factor);
            }
        }
        if self.0 == 0 { f.write_str("0ms") } else { write!(f, "{}ns", self.0) }
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ppm.is_multiple_of(10_000) {
            write!(f, "{}", self.ppm / 10_000)
        } else {
            let text = format!("{}.{:04}", self.ppm / 10_000, self.ppm % 10_000);
            f.write_str(text.trim_end_matches('0'))
        }
    }
}

/// Serializes in text form, for types with `Display` and `FromStr`. Plain numbers are read too.
macro_rules! as_text {
    ($($kind:ty),*) => {$(
        impl Serialize for $kind {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $kind {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<$kind, D::Error> {
                deserializer.deserialize_any($crate::units::TextVisitor::<$kind>::new())
            }
        }
    )*};
}

pub(crate) use as_text;

as_text!(Size, Span, Percent);

/// Reads a text, or a number as its text: `writes = 50` equals `writes = "50"`, and the error for
/// `duration = 30` asks for a unit.
pub(crate) struct TextVisitor<T>(PhantomData<T>);

impl<T> TextVisitor<T> {
    pub(crate) fn new() -> TextVisitor<T> {
        TextVisitor(PhantomData)
    }
}

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for TextVisitor<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a text or a number")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_i64<E: de::Error>(self, number: i64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }

    fn visit_f64<E: de::Error>(self, number: f64) -> Result<T, E> {
        self.visit_str(&number.to_string())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn sizes_are_read_as_written() {
        let cases = [
            ("512B", 512),
            ("4KiB", 4096),
            ("4 KiB", 4096),
            ("4kib", 4096),
            ("10MiB", 10 << 20),
            ("1.5GiB", 3 << 29),
            ("1GB", 1_000_000_000),
            ("64k", 65536),
            ("16M", 16 << 20),
            ("1G", 1 << 30),
            ("1.5T", 3 << 39),
            ("1TB", 1_000_000_000_000),
            ("0", 0),
            ("0GiB", 0),
        ];
        for (text, bytes) in cases {
            assert_eq!(text.parse::<Size>().unwrap(), Size(bytes), "{text}");
        }
    }

    #[test]
    fn out_of_range_values_are_distinguished_from_non_numbers() {
        let mut printed = Vec::<String>::new();
        let said = |text: &str| text.parse::<Span>().unwrap_err().to_string();
        printed.push(said("99999999h").to_string());
        printed.push(said("5124095h99h").to_string());
        assert!(said("9999999999999999999999999999999999999999999s").contains("too long"));
        assert!(SPAN_MOST.parse::<Span>().is_ok() && "5124096h".parse::<Span>().is_err());
        printed.push(said("-5s").to_string());
        let said = |text: &str| text.parse::<Size>().unwrap_err().to_string();
        printed.push(said("-1G").to_string());
        printed.push(said("99999999T").to_string());
        assert!(SIZE_MOST.parse::<Size>().is_ok() && "16777216TiB".parse::<Size>().is_err());
        printed.push(said("-x").to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn plans_may_hold_plain_numbers_where_no_unit_is_needed() {
        let mut printed = Vec::<String>::new();
        #[derive(Debug, Deserialize)]
        struct Plan {
            writes: Option<Percent>,
            #[serde(rename = "duration")]
            _duration: Option<Span>,
        }
        let writes = |text| toml::from_str::<Plan>(text).unwrap().writes.unwrap();
        assert_eq!(
            (writes("writes = 50"), writes("writes = '50'")),
            (Percent::whole(50), Percent::whole(50))
        );
        assert_eq!(writes("writes = 2.5"), "2.5".parse().unwrap());
        let error = toml::from_str::<Plan>("duration = 30").unwrap_err().to_string();
        printed.push(error.to_string());
        printed.push(toml::from_str::<Plan>("writes = [50]").unwrap_err().to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn times_are_read_as_written() {
        let cases = [
            ("250ms", 250_000_000),
            ("60s", 60_000_000_000),
            ("1.5 m", 90_000_000_000),
            ("0", 0),
            ("0ms", 0),
            ("1h", 3_600_000_000_000),
            ("1h30m", 5_400_000_000_000),
            ("1m 30s", 90_000_000_000),
            ("2min", 120_000_000_000),
            ("5µs", 5_000),
        ];
        for (text, ns) in cases {
            assert_eq!(text.parse::<Span>().unwrap(), Span(ns), "{text}");
        }
    }

    #[test]
    fn nonsense_is_refused_with_an_example() {
        for text in ["", "10", "MiB", "-1MiB", "1e3MiB", "4XiB", "0.3B", "1..2MiB"] {
            let error = text.parse::<Size>().unwrap_err().to_string();
            assert!(error.contains("10MiB"), "{text}: {error}");
        }
        for text in ["5", "s", "-1s", "10 parsecs", "ms5", "30s1m", "1m1m", "1h30"] {
            assert!(text.parse::<Span>().is_err(), "{text}");
        }
        for text in ["101", "-1", "x", "100.0001", "", "0.00001"] {
            assert!(text.parse::<Percent>().is_err(), "{text}");
        }
        assert_eq!("12.5%".parse::<Percent>().unwrap().ppm(), 125_000);
    }

    proptest! {
        #[test]
        fn printed_values_are_parsed_back(n in any::<u64>(), ppm in 0_u32..=1_000_000) {
            prop_assert_eq!(Size(n).to_string().parse::<Size>().unwrap(), Size(n));
            prop_assert_eq!(Span(n).to_string().parse::<Span>().unwrap(), Span(n));
            let percent = Percent { ppm };
            prop_assert_eq!(percent.to_string().parse::<Percent>().unwrap(), percent);
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            let _ = text.parse::<Size>();
            let _ = text.parse::<Span>();
            let _ = text.parse::<Percent>();
        }
    }
}
