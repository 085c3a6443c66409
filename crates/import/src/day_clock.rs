//! Clocks that show the time of day: how they continue after midnight, and their format by country.
//!
//! Only the time between two lines matters here, so the words for the halves of the day need not be
//! known: there are two of them, and each covers twelve hours. If they are mistaken for each other, all
//! times are shifted by the same amount. A word next to a 24-hour time (`23:59:59 ч.`) is ignored.
//!
//! A 12-hour clock without such a word starts its hours again after twelve hours. This is interpreted as
//! a new half of the day, with a warning.

use crate::number::decimal;

/// Nanoseconds in a day.
pub(crate) const DAY_NS: u64 = 86_400_000_000_000;
const HOUR_NS: u64 = DAY_NS / 24;
const HALF_NS: u64 = DAY_NS / 2;
/// A larger step forward of a time-of-day clock is interpreted as a step back over midnight.
const LONGEST_WAIT_NS: u64 = DAY_NS - HOUR_NS;

/// A clock that shows only the time of day. Converts it to times that continue after midnight.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DayClock {
    /// The clock reading of the last line, and its time.
    last: Option<(u64, u64)>,
}

impl DayClock {
    /// The time of a line, in nanoseconds since midnight one day before the first line. A step back of
    /// more than half a day is a new day; a step forward of nearly a whole day is a step back over
    /// midnight.
    pub fn at(&mut self, of_day_ns: u64) -> u64 {
        let now_ns = match self.last {
            // Starts one day later, which leaves room for steps back.
            None => DAY_NS.saturating_add(of_day_ns),
            Some((last_ns, now_ns)) if of_day_ns < last_ns => match last_ns - of_day_ns {
                back_ns if back_ns > HALF_NS => now_ns.saturating_add(DAY_NS.saturating_sub(back_ns)),
                back_ns => now_ns.saturating_sub(back_ns),
            },
            Some((last_ns, now_ns)) => match of_day_ns - last_ns {
                ahead_ns if ahead_ns > LONGEST_WAIT_NS => {
                    now_ns.saturating_sub(DAY_NS.saturating_sub(ahead_ns))
                }
                ahead_ns => now_ns.saturating_add(ahead_ns),
            },
        };
        self.last = Some((of_day_ns, now_ns));
        now_ns
    }

    /// Changes the clock reading of the last line without changing its time.
    fn moved_to(&mut self, of_day_ns: u64) {
        if let Some((last_ns, _)) = &mut self.last {
            *last_ns = of_day_ns;
        }
    }
}

/// Three numbers with a fraction after the last, and the words around them.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Written {
    hour: u64,
    /// Time within the hour.
    rest_ns: u64,
    /// The text before and after it, without blanks.
    word: Vec<u8>,
}

/// A clock in the format of a country's settings.
#[derive(Debug, Default)]
pub(crate) struct CountryClock {
    clock: DayClock,
    /// The words for the halves of the day, in order of appearance.
    words: Vec<Vec<u8>>,
    /// Whether an hour after twelve was seen.
    has_24_hours: bool,
    last: Option<Written>,
}

/// A time of a [`CountryClock`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CountryTime {
    pub at_ns: u64,
    /// The line did not show the half of the day, and the hours had started again.
    pub is_half_assumed: bool,
}

impl CountryClock {
    /// The time in a text; `None` if it is no time, or has a third word for a half of the day.
    pub fn at(&mut self, text: &[u8]) -> Option<CountryTime> {
        let now = written(text)?;
        if now.hour >= 24 {
            return None;
        }
        let is_new = !self.words.contains(&now.word);
        if is_new && self.words.len() == 2 {
            return None;
        }
        if is_new {
            self.words.push(now.word.clone());
        }
        self.has_24_hours |= now.hour > 12;
        if let Some(last) = &self.last {
            // A second word, or an hour after twelve, changes the interpretation of the last line's time.
            self.clock.moved_to(self.place(last));
        }
        let is_half_assumed = self.begins_again(&now);
        if is_half_assumed && let Some(last) = &self.last {
            let back_by_half = (self.place(last) + HALF_NS) % DAY_NS;
            self.clock.moved_to(back_by_half);
        }
        let at_ns = self.clock.at(self.place(&now));
        self.last = Some(now);
        Some(CountryTime { at_ns, is_half_assumed })
    }

    /// The time of day.
    fn place(&self, time: &Written) -> u64 {
        let has_halves = self.words.len() == 2 && !self.has_24_hours;
        let half = self.words.iter().position(|word| *word == time.word).unwrap_or(0) as u64;
        let hour = if has_halves { half * 12 + time.hour % 12 } else { time.hour };
        hour * HOUR_NS + time.rest_ns
    }

    /// Whether the hours start again, on a 12-hour clock that does not show the half of the day.
    fn begins_again(&self, now: &Written) -> bool {
        let Some(last) = self.last.as_ref().filter(|_| !self.has_24_hours && self.words.len() < 2) else {
            return false;
        };
        let of_half = |time: &Written| time.hour % 12 * HOUR_NS + time.rest_ns;
        let ahead_ns = (of_half(now) + HALF_NS - of_half(last)) % HALF_NS;
        self.place(now) + 11 * HOUR_NS <= self.place(last) && ahead_ns < HOUR_NS
    }
}

/// Parses a duration written as a clock time; hours may exceed 24.
pub(crate) fn clock_span(text: &[u8]) -> Option<u64> {
    let time = written(text)?;
    time.hour.checked_mul(HOUR_NS)?.checked_add(time.rest_ns)
}

/// Parses a time: hours, minutes, seconds and a fraction, with any country's separators and words.
fn written(text: &[u8]) -> Option<Written> {
    let latin = latin_digits(text);
    let (before, rest) = latin.split_at(latin.iter().position(u8::is_ascii_digit)?);
    let (hour, rest) = number(rest, 9)?;
    let (minute, rest) = number(between(rest)?, 2)?;
    let (second, rest) = number(between(rest)?, 2)?;
    let (fraction_ns, behind) = fraction(rest)?;
    let has_more = behind.iter().any(u8::is_ascii_digit);
    if minute > 59 || second > 60 || has_more {
        return None;
    }
    let word = [without_blanks(before), without_blanks(behind)].concat();
    Some(Written { hour, rest_ns: (minute * 60 + second) * 1_000_000_000 + fraction_ns, word })
}

/// The number at the start of a text, and the rest.
fn number(text: &[u8], digits_max: usize) -> Option<(u64, &[u8])> {
    let digits = text.iter().take_while(|byte| byte.is_ascii_digit()).count();
    if digits > digits_max {
        return None;
    }
    Some((decimal(&text[..digits])?, &text[digits..]))
}

/// Skips the separator at the start of a text: a colon, a point, or a short word (`11 h 59 min 59`).
fn between(text: &[u8]) -> Option<&[u8]> {
    const LONGEST: usize = 12;
    let separator = text.iter().position(u8::is_ascii_digit)?;
    (1..=LONGEST).contains(&separator).then(|| &text[separator..])
}

/// The fraction at the start of a text, in nanoseconds, and the rest. A point or comma without a
/// following digit belongs to a word.
fn fraction(text: &[u8]) -> Option<(u64, &[u8])> {
    let [b'.' | b',', behind @ ..] = text else { return Some((0, text)) };
    let digits = behind.iter().take_while(|byte| byte.is_ascii_digit()).count();
    match digits {
        0 => Some((0, text)),
        _ => {
            let padded: Vec<u8> =
                behind[..digits].iter().copied().chain(std::iter::repeat(b'0')).take(9).collect();
            Some((decimal(&padded)?, &behind[digits..]))
        }
    }
}

/// Text without blanks of any kind and without direction marks.
fn without_blanks(text: &[u8]) -> Vec<u8> {
    let Ok(text) = std::str::from_utf8(text) else { return text.trim_ascii().to_vec() };
    let is_mark = |c: char| matches!(c, '\u{200e}' | '\u{200f}' | '\u{61c}' | '\u{200b}' | '\u{feff}');
    text.chars().filter(|c| !c.is_whitespace() && !is_mark(*c)).collect::<String>().into_bytes()
}

/// The digit zero of each script that a country's settings may select. Nine more digits follow each.
const ZEROS: [u32; 18] = [
    0x660, 0x6f0, 0x7c0, 0x966, 0x9e6, 0xa66, 0xae6, 0xb66, 0xbe6, 0xc66, 0xce6, 0xd66, 0xe50, 0xed0, 0xf20,
    0x1040, 0x17e0, 0xff10,
];

/// Converts the digits and the decimal separator of any script to ASCII.
pub(crate) fn latin_digits(text: &[u8]) -> Vec<u8> {
    let Some(shown) = std::str::from_utf8(text).ok().filter(|text| !text.is_ascii()) else {
        return text.to_vec();
    };
    const ARABIC_SEPARATOR: char = '\u{66b}';
    let latin = |c: char| {
        if c == ARABIC_SEPARATOR {
            return '.';
        }
        let zero = ZEROS.iter().find(|&&zero| (zero..zero + 10).contains(&u32::from(c)));
        zero.and_then(|zero| char::from_digit(u32::from(c) - zero, 10)).unwrap_or(c)
    };
    shown.chars().map(latin).collect::<String>().into_bytes()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// Times relative to the first, in milliseconds, and how often the half of the day was assumed.
    fn times_ms(lines: &[&str]) -> (Vec<i64>, usize) {
        let mut clock = CountryClock::default();
        let times: Vec<CountryTime> = lines.iter().map(|line| clock.at(line.as_bytes()).unwrap()).collect();
        let first_ns = times[0].at_ns as i64;
        let after = times.iter().map(|time| (time.at_ns as i64 - first_ns) / 1_000_000).collect();
        (after, times.iter().filter(|time| time.is_half_assumed).count())
    }

    #[test]
    fn noon_and_midnight_are_continuous_in_any_language() {
        for (am, pm) in [
            ("{} AM", "{} PM"),
            ("{} a.m.", "{} p.m."),
            ("{} a. m.", "{} p. m."),
            ("{}\u{a0}a.\u{a0}m.", "{}\u{202f}p.\u{a0}m."),
            ("오전 {}", "오후 {}"),
            ("午前 {}", "午後 {}"),
            ("上午{}", "下午{}"),
            ("{} ص", "{} م"),
            ("\u{200f}{} \u{200f}ص", "\u{200f}{} \u{200f}م"),
            ("{} πμ", "{} μμ"),
            ("{} de.", "{} du."),
            ("de. {}", "du. {}"),
            ("{} SA", "{} CH"),
            ("{} पूर्वाह्न", "{} अपराह्न"),
            ("ÖÖ {}", "ÖS {}"),
            ("{} e paradites", "{} e pasdites"),
        ] {
            for noon in ["12:00:00.5000000", "0:00:00.5000000"] {
                let [am, pm] = [am, pm].map(|form| move |time: &str| form.replace("{}", time));
                let lines = [
                    am("11:59:59.5000000"),
                    pm(noon),
                    pm("12:59:59.5"),
                    pm("1:00:00.5"),
                    pm("11:59:59.5"),
                    am(noon),
                    am("1:00:00.5"),
                ];
                let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                let wanted = [0, 1000, 3_600_000, 3_601_000, 43_200_000, 43_201_000, 46_801_000];
                assert_eq!(times_ms(&lines), (wanted.to_vec(), 0), "{lines:?}");
            }
        }
    }

    #[test]
    fn the_first_word_may_be_that_of_the_afternoon() {
        assert_eq!(times_ms(&["오후 11:59:59.0", "오전 12:00:01.0"]), (vec![0, 2000], 0));
        assert_eq!(times_ms(&["12:00:01 PM", "11:59:59 AM"]).0, [0, -2000]);
    }

    #[test]
    fn clocks_of_24_hours_may_have_a_word_too() {
        assert_eq!(
            times_ms(&["12:59:59 ч.", "13:00:00 ч.", "23:59:59 ч.", "0:00:00 ч."]).0,
            [0, 1000, 39_600_000, 39_601_000]
        );
        assert_eq!(times_ms(&["23.59.59,5000000", "0.00.00,5"]).0, [0, 1000]);
        assert_eq!(times_ms(&["11 h 59 min 59,5 s", "12 h 00 min 00,5 s"]).0, [0, 1000]);
        assert_eq!(times_ms(&["٢٣:٥٩:٥٩٫٥", "٠:٠٠:٠٠٫٢٥"]).0, [0, 750]);
        assert_eq!(times_ms(&["00:00:00.1", "23:59:59.9", "00:00:00.2"]).0, [0, -200, 100]);
    }

    #[test]
    fn hours_that_begin_again_without_a_word_are_a_new_half_of_the_day() {
        assert_eq!(times_ms(&["12:59:59.5", "1:00:00.5", "1:00:01.5"]), (vec![0, 1000, 2000], 1));
        assert_eq!(times_ms(&["11:59:59.5", "0:00:00.5"]), (vec![0, 1000], 1));
        assert_eq!(
            times_ms(&["14:00:00", "12:59:59.5", "1:00:00.5"]).1,
            0,
            "a clock of 24 hours is set back"
        );
        assert_eq!(times_ms(&["12:59:59.5", "12:59:57.5"]), (vec![0, -2000], 0));
    }

    #[test]
    fn invalid_time_is_none() {
        for bad in ["", "1:2", "24:00:00", "1:60:00", "1:2:3 4", "11/27/2026 7:19:37", "::", "1::2:3:4", "x"]
        {
            assert_eq!(CountryClock::default().at(bad.as_bytes()), None, "{bad}");
        }
        let mut clock = CountryClock::default();
        assert!(clock.at(b"1:00:00 AM").is_some() && clock.at(b"1:00:00 PM").is_some());
        assert_eq!(clock.at(b"1:00:00 XM"), None, "a third word");
        assert_eq!(clock_span(b"30:00:00.5"), Some(30 * HOUR_NS + 500_000_000));
        assert_eq!(clock_span(b"00:00:01,2345678"), Some(1_234_567_800));
    }

    #[test]
    fn day_clock_continues_after_midnight() {
        let mut clock = DayClock::default();
        let times = [DAY_NS - 5, 5, 3, DAY_NS - 2, 7].map(|at| clock.at(at));
        assert_eq!(times.map(|at| at as i64 - times[0] as i64), [0, 10, 8, 3, 12]);
    }
}
