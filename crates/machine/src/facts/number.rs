//! Numbers as texts have them. Digits alone are a number, and only one that can be is a fact: what was
//! damaged on its way must not become terabytes that wait in memory.

use super::Value;
use crate::texts::NotKnown;

/// Facts that are numbers though their names have no unit.
const COUNTS: [&str; 15] = [
    "rpc_slots_max",
    "requests",
    "device_depth",
    "numa_node",
    "rx_missed_errors",
    "rx_fifo_errors",
    "threads",
    "asked_nconnect",
    "attributes_kept_s",
    "nconnect",
    "vers",
    "ashift",
    "aio_read_size",
    "aio_write_size",
    "smb2_max_credits",
];

/// Facts of which the kernel knows a few values, from 0 on.
const SWITCHES: [&str; 7] = [
    "tcp_moderate_rcvbuf",
    "tcp_mtu_probing",
    "tcp_sack",
    "tcp_slow_start_after_idle",
    "tcp_timestamps",
    "tcp_window_scaling",
    "rotational",
];

/// Units at the end of names, and the largest value that anything has.
const UNITS: [(&str, f64); 8] = [
    ("_bytes", (1_u64 << 60) as f64),
    ("_kib", (1_u64 << 50) as f64),
    ("_mbit_per_s", 1e7),
    ("_gt_per_s", 1e3),
    ("_percent", 100.0),
    ("_ms", 1e12),
    ("_us", 1e12),
    ("_s", 1e12),
];
/// Ends of names of what is counted, and has no parts.
const COUNTED: [&str; 3] = ["_bytes", "_kib", "_mbit_per_s"];
/// A version is written with a point.
const VERSION: &str = "vers";
/// The largest value of a switch.
const SWITCH_MAX: f64 = 2.0;
/// Of what only counts: a larger one is a counter that ran below 0.
const COUNT_MAX: f64 = (1_u64 << 62) as f64;
/// So much of what is no number is shown.
const SHOWN_CHARS: usize = 24;

/// A number: digits, with a sign and a point where there is one. `None` for all else, `1e9` and `inf` too.
pub(super) fn strict(word: &str) -> Option<f64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_right = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if !is_right(whole) || !is_right(part) {
        return None;
    }
    word.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A number without a point: `131.072` may be a hundred and thirty-one thousand, and is none.
pub(super) fn whole(word: &str) -> Option<f64> {
    strict(word).filter(|_| !word.contains('.'))
}

/// Whether a fact counts something, so that a text has it without a point.
fn is_counted(fact: &str) -> bool {
    fact != VERSION
        && (COUNTS.contains(&fact)
            || SWITCHES.contains(&fact)
            || COUNTED.iter().any(|unit| fact.ends_with(unit)))
}

/// What a word is as the value of this fact.
pub(super) fn read(fact: &str, word: &str) -> Result<Value, NotKnown> {
    match (strict(word), most(fact)) {
        (Some(_), _) if is_counted(fact) && whole(word).is_none() => {
            Err(NotKnown::NotUnderstood(format!("'{}' is not a whole number", shown(word))))
        }
        (Some(number), _) => can_be(fact, number).map(Value::Number),
        (None, _) if is_no_value(word) => Err(NotKnown::NotTold),
        (None, Some(_)) if word.is_empty() => Err(NotKnown::NotTold),
        (None, Some(_)) => Err(NotKnown::NotUnderstood(format!("'{}' is not a number", shown(word)))),
        (None, None) => Ok(Value::Word(word.to_owned())),
    }
}

/// What tools print in the place of a value.
fn is_no_value(word: &str) -> bool {
    ["n/a", "unknown", "unknown!"].iter().any(|none| word.eq_ignore_ascii_case(none))
}

/// A number, where it is one that this fact can be.
pub(super) fn can_be(fact: &str, number: f64) -> Result<f64, NotKnown> {
    let most = most(fact).unwrap_or(COUNT_MAX);
    // Some are below 0 where there is none: a card without a node, a link without a speed.
    match number.is_finite() && number >= -1.0 && number <= most {
        true => Ok(number),
        false => Err(NotKnown::NotUnderstood(format!(
            "{} is outside the possible range",
            shown(&number.to_string())
        ))),
    }
}

/// The largest number that a fact can be; `None` where it may be a word.
fn most(fact: &str) -> Option<f64> {
    if SWITCHES.contains(&fact) {
        return Some(SWITCH_MAX);
    }
    if COUNTS.contains(&fact) {
        return Some(COUNT_MAX);
    }
    UNITS.iter().find(|(unit, _)| fact.ends_with(unit)).map(|(_, most)| *most)
}

fn shown(word: &str) -> String {
    let cut: String = word.chars().take(SHOWN_CHARS).collect();
    if cut.len() < word.len() { cut + "…" } else { cut }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_alone_are_a_number() {
        for (word, number) in [("20", 20.0), ("-1", -1.0), ("4.2", 4.2), ("0", 0.0)] {
            assert_eq!(strict(word), Some(number), "{word}");
        }
        for word in ["", "-", "1e9", "inf", "NaN", "+5", "5 ", "0x10", "1.", ".5", "1_000", "--1", "٣"] {
            assert_eq!(strict(word), None, "{word}");
        }
    }

    #[test]
    fn what_cannot_be_is_not_understood() {
        let huge = "99999999999999999999999";
        for (fact, word) in [
            ("memory_bytes", huge),
            ("tcp_sack", "9"),
            ("used_percent", "4711"),
            ("read_ahead_kib", "12x"),
            ("rx_missed_errors", huge),
            ("speed_mbit_per_s", "1e4"),
            ("anything", huge),
            ("rsize_bytes", "131.072"),
            ("nconnect", "4.0"),
            ("asked_nconnect", "1.6"),
            ("read_ahead_kib", "15.360"),
            ("tcp_sack", "0.1"),
            ("speed_mbit_per_s", "10.000"),
            ("attributes_kept_s", "3.600"),
        ] {
            assert!(matches!(read(fact, word), Err(NotKnown::NotUnderstood(_))), "{fact} {word}");
        }
        assert_eq!(read("rx_interrupt_us", "n/a"), Err(NotKnown::NotTold));
        assert_eq!(read("duplex", "Unknown"), Err(NotKnown::NotTold), "that is no value to compare");
        assert_eq!(read("duplex", "full"), Ok(Value::Word("full".to_owned())));
        assert_eq!(read("vers", "4.2"), Ok(Value::Number(4.2)));
    }
}
