//! Measurements of a run on a path, as lines of a text: `fact = value`. The doctor command writes them
//! from the newest run on the path. A rule that needs a speed uses the run's if no card reports one.

use super::number::strict;
use super::{FactSubject, pair};
use crate::texts::Texts;

/// The name of the text.
pub const MEASURED: &str = "reelgauge run";

/// The largest rate of a load point.
pub const RATE: &str = "rate_bytes_per_s";
/// The shortest round trip to the server.
pub const ROUND_TRIP: &str = "round_trip_us";

/// Twice, because a buffer holds about twice the data in flight; twice again, because the measured rate
/// may itself be limited by the buffer.
const TIMES: f64 = 4.0;

/// The minimum buffer for the measured rate, and the round trip that this assumes.
pub(super) fn window_needed(texts: &Texts, usual_round_trip_s: f64) -> Option<(f64, f64)> {
    let said = texts.get(MEASURED).ok()?;
    let value = |wanted: &str| {
        let line = said.lines().filter_map(|line| pair(line, '=')).find(|(key, _)| *key == wanted)?;
        strict(line.1).filter(|number| *number > 0.0)
    };
    let round_trip_s = value(ROUND_TRIP).map_or(usual_round_trip_s, |us| (us / 1e6).max(usual_round_trip_s));
    Some((TIMES * value(RATE)? * round_trip_s, round_trip_s))
}

/// Fills in the values from the measured rate if no card reports them.
pub(super) fn complete(machine: &mut FactSubject, texts: &Texts, usual_round_trip_s: f64) {
    if machine.number_of("window_needed_bytes").is_some() {
        machine.word("window_by", "the fastest link");
        machine.number("window_round_trip_ms", Some(usual_round_trip_s * 1e3), MEASURED);
        return;
    }
    machine.word("window_by", "the rate that was measured");
    if let Some((window, round_trip_s)) = window_needed(texts, usual_round_trip_s) {
        machine.number("window_needed_bytes", Some(window), MEASURED);
        machine.number("window_round_trip_ms", Some(round_trip_s * 1e3), MEASURED);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measured_rate_needs_a_separate_window() {
        let window = |said: &str| {
            let mut texts = Texts::default();
            texts.put(MEASURED, Ok(said.to_owned()));
            window_needed(&texts, 0.0005)
        };
        assert_eq!(window("rate_bytes_per_s = 100000000\n"), Some((200_000.0, 0.0005)));
        let far = window("rate_bytes_per_s = 100000000\nround_trip_us = 3000\n");
        assert_eq!(far.map(|(bytes, _)| bytes.round()), Some(1_200_000.0));
        assert_eq!(window("rate_bytes_per_s = 0\n"), None);
        assert_eq!(window_needed(&Texts::default(), 0.0005), None);
    }
}
