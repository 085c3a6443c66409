//! Numbers in texts. A number consists of digits, and only a possible one is a fact: a text that was
//! damaged in transit must not become terabytes of dirty data.

use super::Value;
use crate::texts::NotKnown;

/// Facts that are numbers although their names have no unit.
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

/// Facts with a few possible values, from 0 on.
const SWITCHES: [&str; 7] = [
    "tcp_moderate_rcvbuf",
    "tcp_mtu_probing",
    "tcp_sack",
    "tcp_slow_start_after_idle",
    "tcp_timestamps",
    "tcp_window_scaling",
    "rotational",
];

/// Units at the end of names, each with the largest possible value.
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
/// Suffixes of the names of integers.
const COUNTED: [&str; 3] = ["_bytes", "_kib", "_mbit_per_s"];
/// Facts with this in their name are versions, which may contain a point.
const VERSION: &str = "vers";
/// The largest value of a switch.
const SWITCH_MAX: f64 = 2.0;
/// For plain counts: a larger one is a counter that went below 0.
const COUNT_MAX: f64 = (1_u64 << 62) as f64;
/// How much of a wrong value is shown.
const SHOWN_CHARS: usize = 24;

/// A number: digits, with an optional sign and point. `None` for everything else, including `1e9` and
/// `inf`.
pub(super) fn strict(word: &str) -> Option<f64> {
    let digits = word.strip_prefix('-').unwrap_or(word);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    let is_right = |digits: &str| !digits.is_empty() && digits.chars().all(|c| c.is_ascii_digit());
    if !is_right(whole) || !is_right(part) {
        return None;
    }
    word.parse::<f64>().ok().filter(|number| number.is_finite())
}

/// A number without a point: `131.072` may mean 131,072, and is rejected.
pub(super) fn whole(word: &str) -> Option<f64> {
    strict(word).filter(|_| !word.contains('.'))
}

/// Whether a fact is an integer, so that texts have it without a point.
fn is_counted(fact: &str) -> bool {
    fact != VERSION
        && (COUNTS.contains(&fact)
            || SWITCHES.contains(&fact)
            || COUNTED.iter().any(|unit| fact.ends_with(unit)))
}

/// Converts a word to the value of this fact.
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

/// Words that tools print instead of a value.
fn is_no_value(word: &str) -> bool {
    ["n/a", "unknown", "unknown!"].iter().any(|none| word.eq_ignore_ascii_case(none))
}

/// Checks that a number is possible for this fact.
pub(super) fn can_be(fact: &str, number: f64) -> Result<f64, NotKnown> {
    let most = most(fact).unwrap_or(COUNT_MAX);
    // Some are below 0 if there is no value: a card without a node, a link without a speed.
    match number.is_finite() && number >= -1.0 && number <= most {
        true => Ok(number),
        false => Err(NotKnown::NotUnderstood(format!(
            "{} is outside the possible range",
            shown(&number.to_string())
        ))),
    }
}

/// The largest possible number of a fact; `None` if it may be a word.
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
    fn impossible_number_is_not_parsed() {
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
