//! Why the timing of a replay was not good enough, in a sentence with its cause.
//!
//! Not here: whether it was ([`reelgauge_analysis::ReplayFacts::conclude`]).

use reelgauge_analysis::BadTiming;

use crate::units::{count, duration};

/// `The timing was not good enough: 2 of 100 operations began more than a millisecond late. No operation had
/// to …`
pub fn bad_timing_sentence(bad: &BadTiming) -> String {
    let late = bad.begun_late_ops;
    let late = late.map(|ops| {
        format!("{} of {} operations began more than a millisecond late", count(ops), count(bad.done_ops))
    });
    let span_off = bad
        .span_off
        .map(|span| format!("it took {:.2} s instead of the {:.2} s recorded", span.took_s, span.recorded_s));
    let faults: Vec<String> = late.into_iter().chain(span_off).collect();
    let cause = match bad.held_up_ops {
        0 => "No operation had to wait for another, so this machine was too busy to keep the time".to_owned(),
        held_up_ops => format!(
            "{} of {} operations had to wait for one before them (up to {}): the storage is slower than the \
             recorded one, or this machine was too busy",
            count(held_up_ops),
            count(bad.done_ops),
            duration(bad.held_up_max_us)
        ),
    };
    format!("The timing was not good enough: {}. {cause}.", faults.join(", and "))
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::SpanOff;

    use super::*;

    #[test]
    fn bad_timing_is_told_with_its_cause() {
        let late = BadTiming {
            begun_late_ops: Some(2),
            span_off: None,
            done_ops: 100,
            held_up_ops: 0,
            held_up_max_us: 0.0,
        };
        assert_eq!(
            bad_timing_sentence(&late),
            "The timing was not good enough: 2 of 100 operations began more than a millisecond late. No operation had to \
             wait for another, so this machine was too busy to keep the time."
        );
        let span_off = Some(SpanOff { took_s: 10.2, recorded_s: 10.0 });
        let slow =
            BadTiming { begun_late_ops: None, span_off, held_up_ops: 7, held_up_max_us: 3_000.0, ..late };
        assert_eq!(
            bad_timing_sentence(&slow),
            "The timing was not good enough: it took 10.20 s instead of the 10.00 s recorded. 7 of 100 operations \
             had to wait for one before them (up to 3.00 ms): the storage is slower than the recorded one, or this \
             machine was too busy."
        );
        let both = bad_timing_sentence(&BadTiming { begun_late_ops: Some(2), ..slow });
        assert!(both.contains("more than a millisecond late, and it took 10.20 s"), "{both}");
    }
}
