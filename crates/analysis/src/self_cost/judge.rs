//! Whether the tool's own timing was good enough, judged by what its operations and streams tell.

use super::{PausedTotal, SelfCost};
use crate::figures::{in_words, seconds};
use crate::late::LateFigures;
use crate::meter::RunTotals;
use crate::pause::Pause;
use crate::summary::LoadPoint;

/// A delay of its own of this much never matters beside storage over a network.
const ALWAYS_GOOD_US: f64 = 50.0;

/// Beyond that, the tool's own delay may be this share of the median answer.
const GOOD_SHARE: f64 = 0.1;

/// Streams have a buffer, and the tool's largest own delay may be this share of the shortest one.
const GOOD_BUFFER_SHARE: f64 = 0.25;

/// Of the measured time, the share for which the tool may have stood still.
const GOOD_PAUSED_SHARE: f64 = 0.02;

impl SelfCost {
    /// Judges a run by the CPU time it took (user and system), by what its operations tell, and by when it
    /// did not run.
    pub fn new(
        cpu_s: Option<(f64, f64)>,
        totals: &RunTotals,
        points: &[LoadPoint],
        paused: Option<&PausedTotal>,
    ) -> SelfCost {
        let cpu_us = cpu_s.map(|(user_s, system_s)| (user_s + system_s) * 1e6);
        let streams = OwnDelay::of(points);
        let (timing_good_enough, sentence) = match &streams {
            Some(own) => own.judge(),
            None => judge(totals),
        };
        let longest = paused.and_then(|paused| paused.longest);
        let measured_s: f64 = points.iter().map(|point| point.measured_s).sum();
        let paused_s = paused.map_or(0.0, |paused| seconds(paused.total_ns));
        let (timing_good_enough, sentence) = match timing_good_enough {
            Some(true) if streams.is_none() && paused_s > GOOD_PAUSED_SHARE * measured_s => (
                Some(false),
                format!(
                    "The tool was stopped for {} of {measured_s:.1} s: every figure holds that.",
                    in_words(paused_s * 1e6)
                ),
            ),
            _ => (timing_good_enough, sentence),
        };
        SelfCost {
            cpu_user_s: cpu_s.map(|cpu| cpu.0),
            cpu_system_s: cpu_s.map(|cpu| cpu.1),
            // The system counts it in ticks: what is shorter than one is not known.
            cpu_us_per_op: cpu_us.filter(|&us| totals.ops > 0 && us > 0.0).map(|us| us / totals.ops as f64),
            lateness_p99_us: totals.lateness.map(|lateness| lateness.p99_us),
            lateness_max_us: totals.lateness.map(|lateness| lateness.max_us),
            response_p50_us: totals.data_response.as_ref().map(|response| response.p50_us),
            own_delay_max_us: streams.as_ref().map(|own| own.max_us),
            shortest_buffer_s: streams.as_ref().map(|own| own.buffer_s),
            paused_s: paused.map(|paused| seconds(paused.total_ns)),
            longest_pause_s: longest.map(|pause| seconds(pause.length_ns())),
            longest_pause_began_s: longest.map(|pause| seconds(pause.from_ns)),
            timing_good_enough,
            sentence: with_pause(sentence, longest),
        }
    }
}

/// What the tool's own delay did to streams.
struct OwnDelay {
    max_us: f64,
    buffer_s: f64,
    late_frames: u64,
}

impl OwnDelay {
    /// Over all load points; `None` where none has streams that began.
    fn of(points: &[LoadPoint]) -> Option<OwnDelay> {
        let late = || points.iter().filter_map(|point| point.streams.as_ref());
        let max_us = late().filter_map(|late| Some(late.total.own_delay?.max_us)).reduce(f64::max)?;
        let buffers = |late: &LateFigures| late.streams.iter().map(|stream| stream.buffer_s).reduce(f64::min);
        let buffer_s = late().filter_map(buffers).reduce(f64::min)?;
        let late_frames = late().map(|late| late.total.late_frames_with_own_delay).sum();
        Some(OwnDelay { max_us, buffer_s, late_frames })
    }

    fn judge(&self) -> (Option<bool>, String) {
        let beside = format!(
            "The tool's own delay was at most {}, beside a buffer of {}",
            in_words(self.max_us),
            in_words(self.buffer_s * 1e6)
        );
        let good = self.late_frames == 0 && self.max_us <= GOOD_BUFFER_SHARE * self.buffer_s * 1e6;
        let sentence = match (self.late_frames, good) {
            (0, true) => format!("{beside}: its timing is good enough."),
            (0, false) => format!(
                "{beside}: margins hold much of it. Measure on a machine with less other work, or with fewer streams."
            ),
            (1, _) => format!("{beside}, and made 1 frame late that the storage did not."),
            (late, _) => format!("{beside}, and made {late} frames late that the storage did not."),
        };
        (Some(good), sentence)
    }
}

fn judge(totals: &RunTotals) -> (Option<bool>, String) {
    let (Some(lateness), Some(response)) = (totals.lateness, &totals.data_response) else {
        return (None, "No operation was measured, so there is no timing to judge.".to_owned());
    };
    let late_us = lateness.p99_us;
    let share = late_us / response.p50_us.max(0.001);
    let beside = format!(
        "For 99 of 100 operations the tool's own delay was at most {}, beside a median response of {}",
        in_words(late_us),
        in_words(response.p50_us)
    );
    let good = late_us <= ALWAYS_GOOD_US || share <= GOOD_SHARE;
    let then = if good {
        "its timing is good enough."
    } else {
        "response times hold much of the tool's own delay; rely on service times."
    };
    (Some(good), format!("{beside}: {then}"))
}

fn with_pause(sentence: String, longest: Option<Pause>) -> String {
    let Some(pause) = longest else {
        return sentence;
    };
    format!(
        "{sentence} The tool itself did not run for {} from {:.1} s into the run on (stopped, or without a processor).",
        in_words(pause.length_ns() as f64 / 1e3),
        pause.from_ns as f64 / 1e9
    )
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::figures::{LatenessFigures, TimeFigures};

    fn totals(late_p99_us: f64, response_p50_us: f64) -> RunTotals {
        let response = TimeFigures {
            count: 10,
            mean_us: response_p50_us,
            p50_us: response_p50_us,
            p95_us: response_p50_us,
            p99_us: response_p50_us,
            p99_9_us: response_p50_us,
            max_us: response_p50_us,
            max_began_s: 0.0,
            max_began_in_point_s: 0.0,
        };
        let lateness = LatenessFigures { p50_us: 1.0, p99_us: late_p99_us, max_us: late_p99_us };
        RunTotals { ops: 10, lateness: Some(lateness), data_response: Some(response) }
    }

    #[test]
    fn lateness_is_judged_beside_what_is_measured() {
        let good = |late, response| {
            SelfCost::new(Some((1.0, 1.0)), &totals(late, response), &[], None).timing_good_enough
        };
        assert_eq!(good(50.0, 60.0), Some(true));
        assert_eq!(good(300.0, 3_000.0), Some(true));
        assert_eq!(good(301.0, 3_000.0), Some(false));
        assert_eq!(good(60.0, 0.0), Some(false));
    }

    #[test]
    fn the_largest_own_delay_is_judged_beside_the_buffer() {
        let own = |max_us: f64, late_frames: u64| OwnDelay { max_us, buffer_s: 1.0, late_frames }.judge();
        // 185 µs beside a second is nothing, whatever the median response.
        assert_eq!(own(185.0, 0).0, Some(true));
        assert_eq!(own(250_000.0, 0).0, Some(true));
        assert_eq!(own(251_000.0, 0).0, Some(false));
        let (good, sentence) = own(1_200_000.0, 19);
        assert_eq!(good, Some(false));
        assert!(sentence.contains("19 frames late that the storage did not"), "{sentence}");
    }

    #[test]
    fn a_pause_is_told() {
        let mut paused = PausedTotal::default();
        paused.add(Pause { from_ns: 4_000_000_000, until_ns: 5_200_000_000 });
        paused.add(Pause { from_ns: 6_000_000_000, until_ns: 6_100_000_000 });
        let cost = SelfCost::new(Some((1.0, 1.0)), &totals(1.0, 1.0), &[], Some(&paused));
        assert_eq!((cost.paused_s, cost.longest_pause_s), (Some(1.3), Some(1.2)));
        assert!(cost.sentence.contains("did not run for 1.2 s from 4.0 s into the run"), "{}", cost.sentence);
    }

    /// "0.0 s" would say that it was not stopped.
    #[test]
    fn a_short_pause_has_its_length() {
        let mut paused = PausedTotal::default();
        paused.add(Pause { from_ns: 4_000_000_000, until_ns: 4_038_000_000 });
        let cost = SelfCost::new(Some((1.0, 1.0)), &totals(1.0, 1.0), &[], Some(&paused));
        assert!(cost.sentence.contains("was stopped for 38.0 ms of"), "{}", cost.sentence);
    }

    #[test]
    fn costs_are_per_operation() {
        let cost = SelfCost::new(Some((1.5, 0.5)), &totals(1.0, 1.0), &[], None);
        assert_eq!(cost.cpu_us_per_op, Some(200_000.0));
        let none = SelfCost::new(Some((1.5, 0.5)), &RunTotals::default(), &[], None);
        assert_eq!(none.cpu_us_per_op, None);
        assert_eq!(none.timing_good_enough, None);
    }
}
