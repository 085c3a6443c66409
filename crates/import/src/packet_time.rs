//! The times of packets as tshark prints them: seconds since 1970 (`frame.time_epoch`), ISO 8601
//! (`frame.time` and `frame.time_utc` of version 4.4 and later, the time column under `-t ad` and `-t ud`),
//! with an English month (`frame.time` before), with the day of the year (`-t adoy`, `-t udoy`), or since the
//! first packet (`-t r`).

use crate::number::{decimal, seconds, time_of_day};

/// The reason why a row is refused.
pub(crate) const NO_TIME: &str = "no readable time. Print it with -e frame.time_epoch";

/// Smaller values are relative to the first packet: no capture is from the first years after 1970.
const RELATIVE_BELOW_NS: u64 = 100_000_000_000_000_000;

/// The capture time of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct PacketTime {
    /// Nanoseconds since 1970, in local time if the zone is unknown.
    pub at_ns: u64,
    /// Whether it is since 1970 in UTC.
    pub is_wall: bool,
}

/// Parses the time in a field.
pub(crate) fn packet_time(text: &[u8]) -> Option<PacketTime> {
    let text = text.trim_ascii();
    if let Some(at_ns) = seconds(text) {
        return Some(PacketTime { at_ns, is_wall: at_ns >= RELATIVE_BELOW_NS });
    }
    iso(text).or_else(|| with_month(text)).or_else(|| day_of_year(text))
}

/// `2026-11-27T21:13:00.123456789+0100`, with a blank in place of the `T` or without a zone.
fn iso(text: &[u8]) -> Option<PacketTime> {
    let (date, rest) = (text.get(..10)?, text.get(11..)?);
    let parts: Vec<u64> = date.split(|&byte| byte == b'-').map_while(decimal).collect();
    let [year, month, day] = parts[..] else { return None };
    if !matches!(text[10], b'T' | b't' | b' ') {
        return None;
    }
    let end = rest.iter().position(|byte| !matches!(byte, b'0'..=b'9' | b':' | b'.' | b','));
    let (clock, zone) = rest.split_at(end.unwrap_or(rest.len()));
    let at_ns = since_1970(year, month, day)?.checked_add(time_of_day(clock)?)?;
    match zone.trim_ascii() {
        b"Z" | b"z" => Some(PacketTime { at_ns, is_wall: true }),
        [sign @ (b'+' | b'-'), offset @ ..] => {
            let digits: Vec<u8> = offset.iter().copied().filter(u8::is_ascii_digit).collect();
            let (hours, minutes) =
                (decimal(digits.get(..2)?)?, digits.get(2..).and_then(decimal).unwrap_or(0));
            let offset_ns = (hours * 60 + minutes).checked_mul(60_000_000_000)?;
            let at_ns =
                if *sign == b'+' { at_ns.checked_sub(offset_ns) } else { at_ns.checked_add(offset_ns) };
            Some(PacketTime { at_ns: at_ns?, is_wall: true })
        }
        _ => Some(PacketTime { at_ns, is_wall: false }),
    }
}

/// `Nov 27, 2026 21:13:00.123456789 CET`, whose zone has a name that need not be unique.
fn with_month(text: &[u8]) -> Option<PacketTime> {
    const MONTHS: &[u8] = b"JanFebMarAprMayJunJulAugSepOctNovDec";
    let mut words = text.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    let name = words.next()?;
    let month = MONTHS.chunks(3).position(|month| month == name)? as u64 + 1;
    let day = decimal(words.next()?.strip_suffix(b",")?)?;
    let at_ns = since_1970(decimal(words.next()?)?, month, day)?.checked_add(time_of_day(words.next()?)?)?;
    Some(PacketTime { at_ns, is_wall: matches!(words.next(), Some(b"UTC" | b"GMT")) })
}

/// `2026/332 01:07:22.552979481`.
fn day_of_year(text: &[u8]) -> Option<PacketTime> {
    let blank = text.iter().position(|&byte| byte == b' ')?;
    let slash = text[..blank].iter().position(|&byte| byte == b'/')?;
    let (year, day) = (decimal(&text[..slash])?, decimal(&text[slash + 1..blank])?);
    if !(1..=366).contains(&day) {
        return None;
    }
    let at_ns = since_1970(year, 1, 1)? + (day - 1) * crate::day_clock::DAY_NS;
    Some(PacketTime { at_ns: at_ns.checked_add(time_of_day(&text[blank + 1..])?)?, is_wall: false })
}

/// The start of a day, in nanoseconds since 1970.
fn since_1970(year: u64, month: u64, day: u64) -> Option<u64> {
    const BEFORE: [u64; 12] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334];
    if !(1970..2500).contains(&year) || !(1..=31).contains(&day) {
        return None;
    }
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let leap_days = |year: u64| year / 4 - year / 100 + year / 400;
    let days = (year - 1970) * 365 + leap_days(year - 1) - leap_days(1969);
    let in_year = BEFORE.get(usize::try_from(month).ok()?.checked_sub(1)?)? + u64::from(is_leap && month > 2);
    Some((days + in_year + day - 1) * crate::day_clock::DAY_NS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_version_are_the_same() {
        for text in [
            "1795806780.123456789",
            "2026-11-27T19:13:00.123456789Z",
            "2026-11-27T20:13:00.123456789+0100",
            "2026-11-27T20:13:00.123456789+01:00",
            "2026-11-27 14:13:00,123456789-05",
            "Nov 27, 2026 19:13:00.123456789 UTC",
        ] {
            let wanted = PacketTime { at_ns: 1_795_806_780_123_456_789, is_wall: true };
            assert_eq!(packet_time(text.as_bytes()), Some(wanted), "{text}");
        }
        for text in [
            "Nov 27, 2026 19:13:00.123456789 CET",
            "2026-11-27T19:13:00.123456789",
            "2026-11-27 19:13:00.123456789",
            "2026/331 19:13:00.123456789",
        ] {
            let wanted = PacketTime { at_ns: 1_795_806_780_123_456_789, is_wall: false };
            assert_eq!(packet_time(text.as_bytes()), Some(wanted), "{text}");
        }
        assert_eq!(
            packet_time(b"2024-02-29T00:00:00Z").map(|time| time.at_ns / 1_000_000_000),
            Some(1_709_164_800)
        );
        assert_eq!(
            packet_time(b"2024-03-01T00:00:00Z").map(|time| time.at_ns / 1_000_000_000),
            Some(1_709_251_200)
        );
        let relative = PacketTime { at_ns: 150_093, is_wall: false };
        assert_eq!(packet_time(b"0.000150093"), Some(relative));
        for bad in [
            "",
            "x",
            "2026/367 19:13:00",
            "2026/0 19:13:00",
            "2026/331",
            "2026-13-01T00:00:00Z",
            "2026-11-27",
            "2026-11-27T25:00:00Z",
            "Foo 1, 2026 1:2:3",
        ] {
            assert_eq!(packet_time(bad.as_bytes()), None, "{bad}");
        }
    }
}
