//! The effect of Reelgauge itself on the figures, as a sentence.
//!
//! Not here: judging its timing ([`reelgauge_analysis::SelfCost`]).

use reelgauge_analysis::figures::CARRY_P99;
use reelgauge_analysis::self_cost::GOOD_SHARE;
use reelgauge_analysis::{LoadPoint, SelfCost};

use crate::units::{counted, duration, moment};

/// Whether Reelgauge's own timing was accurate enough for the figures of these load points, and why.
pub fn self_cost_sentence(cost: &SelfCost, points: &[LoadPoint]) -> String {
    let sentence = match (cost.own_delay_max_us, cost.shortest_buffer_s) {
        (Some(max_us), Some(buffer_s)) => of_streams(cost, points, max_us, buffer_s),
        _ => of_operations(cost, points),
    };
    match (cost.longest_pause_s, cost.longest_pause_began_s) {
        (Some(length_s), Some(began_s)) => format!(
            "{sentence} Reelgauge itself did not run for {}, starting {} into the run (suspended, or given \
             no processor time).",
            duration(length_s * 1e6),
            moment(began_s)
        ),
        _ => sentence,
    }
}

fn of_streams(cost: &SelfCost, points: &[LoadPoint], max_us: f64, buffer_s: f64) -> String {
    let beside = format!(
        "Reelgauge's scheduling delay was at most {} (buffer: {})",
        duration(max_us),
        duration(buffer_s * 1e6)
    );
    let streams = points.iter().filter_map(|point| point.streams.as_ref());
    let late: u64 = streams.map(|streams| streams.total.late_frames_with_own_delay).sum();
    match (late, cost.timing_good_enough) {
        (0, Some(true)) => format!("{beside}: its timing is good enough."),
        (0, _) => format!(
            "{beside}: it uses up much of the margins. Measure on a less busy client, or with fewer streams."
        ),
        (late, _) => format!("{beside}. The delay, not the storage, made {} late.", counted(late, "frame")),
    }
}

/// The delay compared with the median response time.
fn of_operations(cost: &SelfCost, points: &[LoadPoint]) -> String {
    let ops: u64 = points.iter().map(|point| point.total.ops).sum();
    // With fewer than 100 operations there is no 99th percentile; earlier versions reported one anyway.
    let p99_us = cost.lateness_p99_us.filter(|_| ops >= CARRY_P99 || cost.lateness_max_us.is_none());
    let Some((late_us, response_us)) = p99_us.or(cost.lateness_max_us).zip(cost.response_p50_us) else {
        if let Some(max_us) = cost.lateness_max_us {
            return of_replay(p99_us, max_us, cost);
        }
        let is_held = points.iter().any(|point| point.was_held_back().is_some());
        return match is_held {
            true => "Frames waited for --max-rate, so Reelgauge's own timing was not judged.".to_owned(),
            false if points.iter().any(|point| point.total.ops > 0) => {
                "Unknown how late Reelgauge itself issued operations: the log does not record why each \
                 operation waited."
                    .to_owned()
            }
            false => "No operation was measured, so there is no timing to judge.".to_owned(),
        };
    };
    if cost.was_only_stopped() {
        let measured_s: f64 = points.iter().map(|point| point.measured_s).sum();
        let paused_us = cost.paused_s.unwrap_or(0.0) * 1e6;
        return format!(
            "Reelgauge was suspended for {} of {}; all figures include the pause.",
            duration(paused_us),
            moment(measured_s)
        );
    }
    let whose = if p99_us.is_some() { "For 99 of 100 operations " } else { "" };
    let beside = format!(
        "{whose}Reelgauge's scheduling delay was at most {} (median response: {})",
        duration(late_us),
        duration(response_us)
    );
    match cost.timing_good_enough {
        Some(true) if late_us > response_us * GOOD_SHARE => {
            format!("{beside}. So short a delay does not matter: its timing is good enough.")
        }
        Some(true) => format!("{beside}: its timing is good enough."),
        None => format!("{beside}. Too few operations to judge its timing."),
        Some(false) => {
            format!("{beside}: response times include much of that delay, service times do not.")
        }
    }
}

/// The sentence about the scheduling delay of a replay.
fn of_replay(p99_us: Option<f64>, max_us: f64, cost: &SelfCost) -> String {
    let max = duration(max_us);
    let within = match p99_us.map(duration) {
        Some(p99) => format!(
            "Reelgauge issued 99 of 100 operations within {p99} of when they could begin, and all within {max}"
        ),
        None => format!("Reelgauge issued all operations within {max} of when they could begin"),
    };
    match cost.timing_good_enough {
        Some(true) => format!("{within}: its timing is good enough."),
        Some(false) => format!("{within}: its timing is not good enough."),
        None => format!("{within}."),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A mix whose operations were issued in time.
    fn good() -> SelfCost {
        SelfCost {
            lateness_p99_us: Some(8.0),
            response_p50_us: Some(450.0),
            timing_good_enough: Some(true),
            ..SelfCost::default()
        }
    }

    #[test]
    fn delay_is_shown_with_the_median_response() {
        let mut printed = Vec::<String>::new();
        let said = self_cost_sentence(&good(), &[]);
        printed.push(said.to_string());
        let late = SelfCost { lateness_p99_us: Some(90.0), timing_good_enough: Some(false), ..good() };
        printed.push(self_cost_sentence(&late, &[]).to_string());
        let none = SelfCost { lateness_p99_us: None, timing_good_enough: None, ..good() };
        printed.push(self_cost_sentence(&none, &[]).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn longest_delay_is_shown_for_few_operations() {
        let mut printed = Vec::<String>::new();
        let few = SelfCost { lateness_max_us: Some(9.0), ..good() };
        let said = self_cost_sentence(&few, &[]);
        printed.push(said.to_string());
        let unknown = SelfCost { timing_good_enough: None, lateness_p99_us: None, ..few };
        let said = self_cost_sentence(&unknown, &[]);
        printed.push(said.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    /// "0.0 s" would read as if it had not been stopped.
    #[test]
    fn a_short_pause_has_its_length() {
        let cost = SelfCost {
            paused_s: Some(0.038),
            longest_pause_s: Some(0.038),
            longest_pause_began_s: Some(4.0),
            timing_good_enough: Some(false),
            ..good()
        };
        let said = self_cost_sentence(&cost, &[]);
        insta::assert_snapshot!(said);
    }

    #[test]
    fn streams_have_a_buffer() {
        let cost = SelfCost { own_delay_max_us: Some(1.2e6), shortest_buffer_s: Some(1.0), ..good() };
        let said = self_cost_sentence(&SelfCost { timing_good_enough: Some(false), ..cost }, &[]);
        insta::assert_snapshot!(said);
    }
}
