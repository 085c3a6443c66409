//! Parses numbers in sources: bytes to exact integers, `None` for everything else.

/// A decimal number without a sign.
pub(crate) fn decimal(text: &[u8]) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    text.iter().try_fold(0_u64, |sum, &byte| {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 { None } else { sum.checked_mul(10)?.checked_add(u64::from(digit)) }
    })
}

/// A hexadecimal number, with or without `0x`.
pub(crate) fn hexadecimal(text: &[u8]) -> Option<u64> {
    let digits = text.strip_prefix(b"0x").or_else(|| text.strip_prefix(b"0X")).unwrap_or(text);
    if digits.is_empty() || digits.len() > 16 {
        return None;
    }
    digits.iter().try_fold(0_u64, |sum, &byte| Some(sum << 4 | u64::from(char::from(byte).to_digit(16)?)))
}

/// A decimal number, or a hexadecimal one if it starts with `0x`.
pub(crate) fn either(text: &[u8]) -> Option<u64> {
    if text.starts_with(b"0x") || text.starts_with(b"0X") { hexadecimal(text) } else { decimal(text) }
}

/// Seconds with a decimal point (or the comma of some countries), as nanoseconds. Digits below a
/// nanosecond are truncated.
pub(crate) fn seconds(text: &[u8]) -> Option<u64> {
    let point = memchr::memchr2(b'.', b',', text).unwrap_or(text.len());
    let whole = decimal(&text[..point])?.checked_mul(1_000_000_000)?;
    let fraction = text.get(point + 1..).unwrap_or_default();
    if point < text.len() && fraction.is_empty() {
        return None;
    }
    let mut nanoseconds = 0;
    let mut unit = 100_000_000;
    for &byte in fraction {
        let digit = byte.wrapping_sub(b'0');
        if digit > 9 {
            return None;
        }
        nanoseconds += u64::from(digit) * unit;
        unit /= 10;
    }
    whole.checked_add(nanoseconds)
}

/// `HH:MM:SS.ffffff` of a clock of 24 hours, as nanoseconds since midnight.
pub(crate) fn time_of_day(text: &[u8]) -> Option<u64> {
    let mut parts = text.splitn(3, |&byte| byte == b':');
    let hours = decimal(parts.next()?)?;
    let minutes = decimal(parts.next()?)?;
    let seconds_ns = seconds(parts.next()?)?;
    let in_range = hours < 24 && minutes < 60 && seconds_ns < 61_000_000_000;
    in_range.then(|| (hours * 60 + minutes) * 60_000_000_000 + seconds_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_exact_or_none() {
        assert_eq!(decimal(b"18446744073709551615"), Some(u64::MAX));
        for bad in [&b""[..], b"18446744073709551616", b"1a", b"-1", b" 1"] {
            assert_eq!(decimal(bad), None);
        }
        assert_eq!(hexadecimal(b"0xFFffffffffffffff"), Some(u64::MAX));
        assert_eq!(hexadecimal(b"10"), Some(16));
        assert_eq!(hexadecimal(b"0x"), None);
        assert_eq!(hexadecimal(b"0x10000000000000000"), None);
        assert_eq!((either(b"0x10"), either(b"10")), (Some(16), Some(10)));
    }

    #[test]
    fn seconds_become_nanoseconds() {
        assert_eq!(seconds(b"1795186657.095958"), Some(1_795_186_657_095_958_000));
        assert_eq!(seconds(b"0,0048631"), Some(4_863_100));
        assert_eq!(seconds(b"7"), Some(7_000_000_000));
        assert_eq!(seconds(b"0.1234567899"), Some(123_456_789));
        for bad in [&b"."[..], b"1.", b"1.x", b"99999999999999"] {
            assert_eq!(seconds(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn clocks_of_twenty_four_hours() {
        assert_eq!(time_of_day(b"7:19:37.5653985"), Some(26_377_565_398_500));
        assert_eq!(time_of_day(b"23:59:59,5"), Some(86_399_500_000_000));
        for bad in [&b"24:00:00"[..], b"1:2", b"1:2:3 AM", b""] {
            assert_eq!(time_of_day(bad), None);
        }
    }
}
