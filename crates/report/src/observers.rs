//! Observers that sampled during a run, as text: the kind of each, and how its clock was interpreted.
//!
//! Not here: their counters (`limit`, and a page's charts).

use reelgauge_analysis::facts::{ObserverFacts, ObserverKind};

use crate::text::{plain, plain_short};
use crate::units::{counted, duration, moment};

/// At most this many unread parts of an observer are listed.
const NOT_READ_TOLD: usize = 3;

/// `nas1, a watch: 122 samples from 0.4 s to 31.4 s; …`
pub fn observer_words(facts: &ObserverFacts) -> String {
    let kind = match facts.kind {
        ObserverKind::Watch => "a watch",
        ObserverKind::Csv => "a table",
        ObserverKind::Prometheus => "from Prometheus",
    };
    let offset_us = facts.clock_offset_ms.abs() * 1e3;
    let clock = match (facts.is_offset_stated, facts.clock_offset_ms) {
        (false, _) => "its clock was assumed to match the client's (set --clock-offset otherwise)".to_owned(),
        (true, ms) if ms > 0.0 => format!("its clock was set {} ahead (--clock-offset)", duration(offset_us)),
        (true, ms) if ms < 0.0 => format!(
            "its clock was set {} behind \
                                           (--clock-offset)",
            duration(offset_us)
        ),
        (true, _) => "its clock matches (--clock-offset)".to_owned(),
    };
    let outside = match facts.outside {
        0 => String::new(),
        outside => format!(", {} outside the run omitted", counted(outside, "sample")),
    };
    let not_read: Vec<String> = facts.not_read.iter().take(NOT_READ_TOLD).map(|what| plain(what)).collect();
    let not_read = match not_read.is_empty() {
        true => String::new(),
        false => format!(". Not read: {}", not_read.join("; ")),
    };
    format!(
        "{}, {kind}: {} from {} to {}{outside}; {clock}{not_read}",
        plain_short(&facts.name, 60),
        counted(facts.samples, "sample"),
        moment(facts.from_s),
        moment(facts.until_s)
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn assumed_clock_offset_is_shown() {
        let facts = ObserverFacts {
            name: "nas1".to_owned(),
            from_s: 0.0,
            until_s: 31.0,
            samples: 122,
            outside: 7,
            ..ObserverFacts::default()
        };
        let words = observer_words(&facts);
        insta::assert_snapshot!(words);
        assert!(words.contains("--clock-offset"), "{words}");
        let ahead = ObserverFacts { is_offset_stated: true, clock_offset_ms: 250.0, ..facts.clone() };
        assert!(observer_words(&ahead).contains("250 ms ahead"), "{}", observer_words(&ahead));
        let odd = ObserverFacts { not_read: vec!["\u{1b}[2J".to_owned()], ..facts };
        assert!(observer_words(&odd).ends_with("Not read: \\u{1b}[2J"), "{}", observer_words(&odd));
    }
}
