//! Why the timing of a replay was not accurate enough, as a sentence.
//!
//! Not here: judging the timing ([`reelgauge_analysis::ReplayFacts::conclude`]).

use reelgauge_analysis::BadTiming;

use crate::units::{count, counted, duration};

/// `The timing was not good enough: 2 of 100 operations began more than a millisecond late because …`
pub fn bad_timing_sentence(bad: &BadTiming) -> String {
    let latest = bad.lateness_max_us.map(|us| format!(", by up to {}", duration(us)));
    let behind = bad
        .delay_s
        .map(|delay_s| format!(" The replay ended {} later than recorded.", duration(delay_s * 1e6)));
    let storage = match bad.storage_late_ops.unwrap_or(0) {
        0 => String::new(),
        late_ops => format!(" The storage delayed {}.", counted(late_ops, "operation")),
    };
    format!(
        "The timing was not accurate enough: Reelgauge itself began {} of {} operations more than 1 ms \
         late{}.{}{storage}",
        count(bad.begun_late_ops),
        count(bad.done_ops),
        latest.unwrap_or_default(),
        behind.unwrap_or_default(),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_of_reelgauge_and_storage_are_separate() {
        let mut printed = Vec::<String>::new();
        let late = BadTiming {
            begun_late_ops: 2,
            lateness_max_us: Some(3_500.0),
            delay_s: None,
            done_ops: 100,
            storage_late_ops: Some(0),
        };
        printed.push(bad_timing_sentence(&late).to_string());
        let both = BadTiming { delay_s: Some(0.2), storage_late_ops: Some(7), ..late };
        let said = bad_timing_sentence(&both);
        printed.push(said.to_string());

        insta::assert_snapshot!(printed.join("\n"));
    }
}
