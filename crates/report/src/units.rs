//! Numbers as text: sizes, rates, times and counts.
//!
//! MB and GB are powers of ten, KiB and MiB powers of two. A number is shown with about three
//! significant digits, and with commas if it has more than three digits before the decimal point.

const BINARY: [(&str, u64); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

const DECIMAL: [(&str, f64); 4] = [("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];

/// A whole number with commas: `12,345`.
pub fn count(value: u64) -> String {
    grouped(&value.to_string())
}

/// A number without a unit. From 1 on it has three significant digits, below 1 two or three decimals:
/// `12,345`, `311`, `38.2`, `1.25`, `0.29`, `0.085`, `<0.001`; `0` only for 0.
pub fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    if value.abs() < 0.001 {
        return "<0.001".to_owned();
    }
    fixed(value, decimals_of(value))
}

/// A number with this many decimals and commas.
pub fn fixed(value: f64, decimals: usize) -> String {
    grouped(&format!("{value:.decimals$}"))
}

/// The decimals for `number`; one less if rounding adds a digit.
fn decimals_of(value: f64) -> usize {
    let decimals = |value: f64| match value.abs() {
        v if v >= 100.0 => 0,
        v if v >= 10.0 => 1,
        v if v >= 0.1 => 2,
        _ => 3,
    };
    let first = decimals(value);
    let scale = 10_f64.powi(first as i32);
    decimals((value * scale).round() / scale).min(first)
}

/// The decimals for a whole column, so that its decimal points are aligned: two digits of the smallest
/// value other than 0, and at most three decimals next to large values.
pub fn column_decimals(values: impl IntoIterator<Item = f64>) -> usize {
    let (mut smallest, mut largest) = (f64::INFINITY, 0.0_f64);
    for value in values.into_iter().filter(|value| *value > 0.0 && value.is_finite()) {
        smallest = smallest.min(value);
        largest = largest.max(value);
    }
    if largest == 0.0 {
        return 0;
    }
    let needed = (1.0 - smallest.log10().floor()).clamp(0.0, 5.0) as usize;
    let wanted = if largest < 1000.0 { needed.max(1) } else { needed };
    let at_most = if largest >= 10_000.0 { 1 } else { 5 };
    wanted.min(at_most)
}

/// Inserts commas into the digits before the decimal point.
fn grouped(digits: &str) -> String {
    let (sign, unsigned) = match digits.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", digits),
    };
    let (whole, fraction) = match unsigned.find('.') {
        Some(point) => unsigned.split_at(point),
        None => (unsigned, ""),
    };
    let mut text = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text.push_str(fraction);
    text
}

/// A block or file size: `4 KiB`, `1 MiB`, `1.5 MiB`, `1,000 B`. It is exact: if no unit fits exactly,
/// it is in bytes.
pub fn block_size(bytes: u64) -> String {
    for (unit, factor) in BINARY {
        if bytes >= factor && bytes.is_multiple_of(factor) {
            return format!("{} {unit}", count(bytes / factor));
        }
        let halves = factor / 2;
        if factor > 1 && bytes > factor && bytes < 10 * factor && bytes.is_multiple_of(halves) {
            return format!("{}.5 {unit}", bytes / factor);
        }
    }
    "0 B".to_owned()
}

/// An amount of data: `12.3 GB`, `512 B`.
pub fn amount(bytes: u64) -> String {
    for (unit, factor) in DECIMAL {
        if bytes as f64 >= factor {
            return format!("{} {unit}", number(bytes as f64 / factor));
        }
    }
    format!("{bytes} B")
}

/// A throughput in MB/s, without the unit.
pub fn mb_per_s(bytes_per_s: f64) -> String {
    number(bytes_per_s / 1e6)
}

/// A time in ms, without the unit.
pub fn ms(us: f64) -> String {
    number(us / 1e3)
}

/// A time with a suitable unit: `85.0 µs`, `412 ms`, `12.3 s`.
pub fn duration(us: f64) -> String {
    match us {
        v if v < 1e3 => format!("{} µs", number(v)),
        v if v < 1e6 => format!("{} ms", number(v / 1e3)),
        v if v < 120e6 => format!("{} s", number(v / 1e6)),
        v => moment(v / 1e6),
    }
}

/// A duration with three digits and no trailing zeros, for the reasons of a verdict: `310 ms`, `1.06 s`,
/// `1 s`, `3 min 12 s`.
pub fn span(us: f64) -> String {
    if us >= 120e6 {
        return moment(us / 1e6);
    }
    let (value, unit) = if us >= 999_500.0 {
        (us / 1e6, "s")
    } else if us >= 999.5 {
        (us / 1e3, "ms")
    } else {
        (us, "µs")
    };
    let decimals = if value >= 99.95 {
        0
    } else if value >= 9.995 {
        1
    } else {
        2
    };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text} {unit}")
}

/// A time in a load point to a tenth of a second, as on a timeline: `00:08.5`, `1:02:03.0`.
pub fn clock(seconds: f64) -> String {
    let tenths = (seconds.max(0.0) * 10.0).round() as u64;
    let (hours, minutes) = (tenths / 36_000, tenths / 600 % 60);
    let (seconds, tenth) = (tenths / 10 % 60, tenths % 10);
    if hours > 0 {
        format!("{hours}:{minutes:02}:{seconds:02}.{tenth}")
    } else {
        format!("{minutes:02}:{seconds:02}.{tenth}")
    }
}

/// A time in a run: `0.4 s`, `37 s`, `3 min 12 s`, `1 h 02 min`.
pub fn moment(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{seconds:.1} s");
    }
    // The cast cannot overflow: it yields the largest value for times that are too long.
    let whole = seconds.round() as u64;
    match whole {
        0..120 => format!("{whole} s"),
        120..7200 => format!("{} min {:02} s", whole / 60, whole % 60),
        _ => format!("{} h {:02} min", count(whole / 3600), whole % 3600 / 60),
    }
}

/// `1 worker`, `12 workers`.
pub fn counted(value: u64, noun: &str) -> String {
    let (stem, plural) = match noun.strip_suffix('y') {
        _ if value == 1 => (noun, ""),
        Some(stem) if !stem.ends_with(['a', 'e', 'o', 'u']) => (stem, "ies"),
        _ if noun.ends_with('s') => (noun, "es"),
        _ => (noun, "s"),
    };
    format!("{} {stem}{plural}", count(value))
}

/// `1 worker is`, `12 workers are`: a count with the verb that agrees.
pub fn counted_are(value: u64, noun: &str, is: &str, are: &str) -> String {
    format!("{} {}", counted(value, noun), if value == 1 { is } else { are })
}

/// A share in percent: `12 %`.
pub fn percent(share: f64) -> String {
    format!("{:.0} %", share * 100.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn numbers_have_three_digits() {
        let cases = [
            (0.0, "0"),
            (0.0004, "<0.001"),
            (0.012_34, "0.012"),
            (0.256, "0.26"),
            (1.254, "1.25"),
            (9.999, "10.0"),
            (38.24, "38.2"),
            (99.96, "100"),
            (311.4, "311"),
            (999.6, "1,000"),
            (1_234_567.8, "1,234,568"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn sizes_are_exact() {
        let cases = [
            (0, "0 B"),
            (512, "512 B"),
            (1_000, "1,000 B"),
            (1_536, "1.5 KiB"),
            (4_096, "4 KiB"),
            (65_536, "64 KiB"),
            (1 << 20, "1 MiB"),
            (3 << 19, "1.5 MiB"),
            (64 << 20, "64 MiB"),
            (5 << 30, "5 GiB"),
            (1_048_577, "1,048,577 B"),
        ];
        for (bytes, text) in cases {
            assert_eq!(block_size(bytes), text);
        }
        assert_eq!(amount(999), "999 B");
        assert_eq!(amount(12_345_678_901), "12.3 GB");
    }

    #[test]
    fn times_suit_their_size() {
        let cases = [
            (0.25, "0.25 µs"),
            (85.0, "85.0 µs"),
            (412_000.0, "412 ms"),
            (1_250_000.0, "1.25 s"),
            (60e6, "60.0 s"),
            (192e6, "3 min 12 s"),
        ];
        for (us, text) in cases {
            assert_eq!(duration(us), text);
        }
        assert_eq!(moment(0.0), "0.0 s");
        assert_eq!(moment(36.96), "37 s");
        assert_eq!(moment(3_900.0), "65 min 00 s");
        assert_eq!(moment(36_061.0), "10 h 01 min");
    }

    #[test]
    fn moments_and_spans_read_well() {
        let clocks = [0.0, 8.48, 59.94, 59.99, 3_723.04].map(clock);
        assert_eq!(clocks, ["00:00.0", "00:08.5", "00:59.9", "01:00.0", "1:02:03.0"]);
        let spans = [0.4, 12.0, 999.4, 1_000.0, 310_000.0, 41_250.0, 999_600.0, 1_060_000.0, 62e6].map(span);
        let written = ["0.4 µs", "12 µs", "999 µs", "1 ms", "310 ms", "41.2 ms", "1 s", "1.06 s", "62 s"];
        assert_eq!(spans, written);
        assert_eq!([3_636e6, 86_401e6].map(span), ["60 min 36 s", "24 h 00 min"]);
    }

    #[test]
    fn columns_keep_two_digits_of_their_smallest() {
        assert_eq!(column_decimals([0.83, 12.04, 0.0]), 2);
        assert_eq!(column_decimals([262.1, 145.6]), 1);
        assert_eq!(column_decimals([0.000_25]), 5);
        assert_eq!(column_decimals([12_000.0, 0.01]), 1);
        assert_eq!(column_decimals([]), 0);
    }

    proptest! {
        #[test]
        fn any_number_has_a_short_text(value in any::<f64>(), bytes in any::<u64>()) {
            prop_assert!(!number(value).is_empty() && !duration(value.abs()).is_empty());
            prop_assert!(!moment(value.abs()).is_empty());
            prop_assert!(block_size(bytes).len() <= 30 && amount(bytes).len() <= 15);
        }

        #[test]
        fn numbers_have_units(value in 0.01_f64..1e9) {
            let shown: f64 = number(value).replace(',', "").parse().unwrap_or(f64::NAN);
            prop_assert!((shown / value - 1.0).abs() <= 0.051, "{value}: {shown}");
        }
    }
}
