//! Judges whether Reelgauge's timing was good enough, from its operations and streams. Not here: the
//! sentence about it (report).

use super::{PausedTotal, STOP_FROM_NS, SelfCost};
use crate::facts::{ReplayFacts, ReplayPass, ReplayTiming};
use crate::figures::{CARRY_P99, seconds};
use crate::late::LateFigures;
use crate::meter::RunTotals;
use crate::pause::Pause;
use crate::summary::LoadPoint;

/// A delay of this length never matters for storage over a network.
const ALWAYS_GOOD_US: f64 = 50.0;

/// The scheduling delay may be at most this share of the median response, unless it is very short.
pub const GOOD_SHARE: f64 = 0.1;

/// Streams have a buffer: the largest scheduling delay may be at most this share of the shortest one.
const GOOD_BUFFER_SHARE: f64 = 0.25;

/// If no operation lost this share of a gap, the work continued during it.
const LOST_SHARE: f64 = 0.8;

/// The share of the measured time in which Reelgauge may be stopped.
const GOOD_PAUSED_SHARE: f64 = 0.02;

impl SelfCost {
    /// Judges a run by its CPU time (user and system), its operations, and its pauses.
    pub fn new(
        cpu_s: Option<(f64, f64)>,
        totals: &RunTotals,
        points: &[LoadPoint],
        paused: Option<&PausedTotal>,
    ) -> SelfCost {
        let cpu_us = cpu_s.map(|(user_s, system_s)| (user_s + system_s) * 1e6);
        let streams = OwnDelay::of(points);
        let lateness = totals.lateness;
        let measured_s: f64 = points.iter().map(|point| point.measured_s).sum();
        let longest = paused.and_then(|paused| paused.longest);
        let longest = longest.filter(|pause| was_stop(*pause, totals, streams.as_ref()));
        let stopped_ns = |paused: &PausedTotal| longest.map_or(0, |_| paused.total_ns);
        let paused_s = paused.map_or(0.0, |paused| seconds(stopped_ns(paused)));
        let mut cost = SelfCost {
            cpu_user_s: cpu_s.map(|cpu| cpu.0),
            cpu_system_s: cpu_s.map(|cpu| cpu.1),
            // The system counts CPU time in ticks, so less than one tick is unknown.
            cpu_us_per_op: cpu_us.filter(|&us| totals.ops > 0 && us > 0.0).map(|us| us / totals.ops as f64),
            lateness_p50_us: lateness.map(|lateness| lateness.p50_us),
            lateness_p99_us: lateness
                .filter(|_| totals.lateness_ops >= CARRY_P99)
                .map(|lateness| lateness.p99_us),
            lateness_max_us: lateness.map(|lateness| lateness.max_us),
            response_p50_us: totals.data_response.as_ref().map(|response| response.p50_us),
            own_delay_max_us: streams.as_ref().map(|own| own.max_us),
            shortest_buffer_s: streams.as_ref().map(|own| own.buffer_s),
            paused_s: paused.map(|paused| seconds(stopped_ns(paused))),
            longest_pause_s: longest.map(|pause| seconds(pause.length_ns())),
            longest_pause_began_s: longest.map(|pause| seconds(pause.from_ns)),
            timing_good_enough: None,
            sentence: String::new(),
        };
        let was_stopped = lateness.is_some() && paused_s > GOOD_PAUSED_SHARE * measured_s;
        cost.timing_good_enough = match (&streams, cost.is_lateness_good()) {
            (Some(own), _) => Some(own.is_good()),
            (None, Some(false)) => Some(false),
            (None, _) if was_stopped => Some(false),
            (None, other) => other,
        };
        cost
    }

    /// Judges a replay by its own rules: Reelgauge's lateness is taken from its passes, because only the
    /// replay knows what each operation depends on.
    pub fn judge_replay(&mut self, replay: &ReplayFacts) {
        let worst = |of: fn(&ReplayPass) -> Option<f64>| replay.passes.iter().filter_map(of).reduce(f64::max);
        let is_carried = |pass: &ReplayPass| pass.done_ops >= CARRY_P99;
        self.lateness_p50_us = worst(|pass| pass.lateness_p50_us);
        self.lateness_p99_us = match replay.passes.iter().all(is_carried) {
            true => worst(|pass| pass.lateness_p99_us),
            false => None,
        };
        self.lateness_max_us = worst(|pass| pass.lateness_max_us);
        // The lateness is not compared with it.
        self.response_p50_us = None;
        self.timing_good_enough = match replay.timing() {
            _ if replay.passes.is_empty() => None,
            ReplayTiming::Unknown => None,
            timing => Some(timing != ReplayTiming::ToolLate),
        };
    }

    /// Removes the lateness that the records alone suggest: for a replay, they do not show what an
    /// operation depends on.
    pub fn forget_lateness(&mut self) {
        (self.lateness_p50_us, self.lateness_p99_us, self.lateness_max_us) = (None, None, None);
        self.timing_good_enough = None;
    }

    /// Whether 99 of 100 operations were issued in time, whatever else was wrong with the timing. With
    /// fewer than 100 operations that is unknown, unless all of them were or half of them were not.
    /// `None` also if nothing was measured.
    pub fn is_lateness_good(&self) -> Option<bool> {
        let response_us = self.response_p50_us?;
        let is_good =
            |late_us: f64| late_us <= ALWAYS_GOOD_US || late_us / response_us.max(0.001) <= GOOD_SHARE;
        match (self.lateness_p99_us, self.lateness_max_us, self.lateness_p50_us) {
            (Some(p99_us), ..) => Some(is_good(p99_us)),
            (None, Some(max_us), _) if is_good(max_us) => Some(true),
            (None, _, Some(p50_us)) if !is_good(p50_us) => Some(false),
            _ => None,
        }
    }

    /// Whether the only problem with the timing of a run without streams is that Reelgauge was stopped.
    pub fn was_only_stopped(&self) -> bool {
        let is_bad = self.timing_good_enough == Some(false) && self.own_delay_max_us.is_none();
        // A replay is judged by what each operation depends on.
        is_bad && self.response_p50_us.is_some() && self.is_lateness_good() != Some(false)
    }
}

/// Whether a gap of the watchdog was a stop: long enough, and the work was late because of it. An
/// operation that was in flight took that long, or the next one was issued that late.
fn was_stop(pause: Pause, totals: &RunTotals, streams: Option<&OwnDelay>) -> bool {
    let lost_us = [
        totals.lateness.map(|lateness| lateness.max_us),
        totals.data_response.as_ref().map(|response| response.max_us),
        streams.map(|own| own.max_us),
    ];
    let most_us = lost_us.into_iter().flatten().reduce(f64::max);
    let gap_us = pause.length_ns() as f64 / 1e3;
    // If no operation completed at all, there is no sign that the work continued.
    pause.length_ns() >= STOP_FROM_NS && most_us.is_none_or(|us| us >= LOST_SHARE * gap_us)
}

/// The effect of Reelgauge's scheduling delay on streams.
struct OwnDelay {
    max_us: f64,
    buffer_s: f64,
    late_frames: u64,
}

impl OwnDelay {
    /// Over all load points; `None` if none of them has streams that began.
    fn of(points: &[LoadPoint]) -> Option<OwnDelay> {
        let late = || points.iter().filter_map(|point| point.streams.as_ref());
        let max_us = late().filter_map(|late| Some(late.total.own_delay?.max_us)).reduce(f64::max)?;
        let buffers = |late: &LateFigures| late.streams.iter().map(|stream| stream.buffer_s).reduce(f64::min);
        let buffer_s = late().filter_map(buffers).reduce(f64::min)?;
        let late_frames = late().map(|late| late.total.late_frames_with_own_delay).sum();
        Some(OwnDelay { max_us, buffer_s, late_frames })
    }

    fn is_good(&self) -> bool {
        self.late_frames == 0 && self.max_us <= GOOD_BUFFER_SHARE * self.buffer_s * 1e6
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::figures::{LatenessFigures, TimeFigures};

    fn totals(late_p99_us: f64, response_p50_us: f64) -> RunTotals {
        let response = TimeFigures {
            count: 100,
            deviation_us: None,
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
        RunTotals {
            ops: 100,
            lateness: Some(lateness),
            lateness_ops: 100,
            data_response: Some(response),
            ..RunTotals::default()
        }
    }

    #[test]
    fn lateness_is_compared_with_measured_times() {
        let good = |late, response| {
            SelfCost::new(Some((1.0, 1.0)), &totals(late, response), &[], None).timing_good_enough
        };
        assert_eq!(good(50.0, 60.0), Some(true));
        assert_eq!(good(300.0, 3_000.0), Some(true));
        assert_eq!(good(301.0, 3_000.0), Some(false));
        assert_eq!(good(60.0, 0.0), Some(false));
    }

    /// The longest delay of a few operations is no percentile: one of 85 may be late as well as one of
    /// 100.
    #[test]
    fn fewer_than_100_operations_are_judged_by_their_maximum() {
        let of = |p50_us: f64, max_us: f64| {
            let lateness = LatenessFigures { p50_us, p99_us: max_us, max_us };
            let few = RunTotals { lateness: Some(lateness), lateness_ops: 99, ..totals(0.0, 3_000.0) };
            let cost = SelfCost::new(None, &few, &[], None);
            assert_eq!((cost.lateness_p99_us, cost.lateness_max_us), (None, Some(max_us)));
            cost.timing_good_enough
        };
        assert_eq!(of(1.0, 299.0), Some(true), "all of them were in time");
        assert_eq!(of(1.0, 9_000.0), None, "at least one was not");
        assert_eq!(of(400.0, 9_000.0), Some(false), "half of them were not");
        let mut paused = PausedTotal::default();
        paused.add(Pause { from_ns: 0, until_ns: 1_200_000_000 });
        let late = LatenessFigures { p50_us: 1.0, p99_us: 1.2e6, max_us: 1.2e6 };
        let few = RunTotals { lateness: Some(late), lateness_ops: 9, ..totals(0.0, 3_000.0) };
        let stopped = SelfCost::new(None, &few, &[], Some(&paused));
        assert_eq!((stopped.timing_good_enough, stopped.was_only_stopped()), (Some(false), true));
    }

    #[test]
    fn largest_scheduling_delay_is_compared_with_the_buffer() {
        let own = |max_us: f64, late_frames: u64| OwnDelay { max_us, buffer_s: 1.0, late_frames }.is_good();
        // 185 µs are negligible compared with a second, whatever the median response is.
        assert!(own(185.0, 0) && own(250_000.0, 0));
        assert!(!own(251_000.0, 0) && !own(1.0, 1));
    }

    #[test]
    fn pauses_are_kept_and_judged() {
        let mut paused = PausedTotal::default();
        paused.add(Pause { from_ns: 4_000_000_000, until_ns: 5_200_000_000 });
        paused.add(Pause { from_ns: 6_000_000_000, until_ns: 6_100_000_000 });
        let mut stopped = totals(1.0, 1.0);
        stopped.data_response = stopped.data_response.map(|times| TimeFigures { max_us: 1.2e6, ..times });
        let cost = SelfCost::new(Some((1.0, 1.0)), &stopped, &[], Some(&paused));
        assert_eq!((cost.paused_s, cost.longest_pause_s), (Some(1.3), Some(1.2)));
        assert_eq!((cost.timing_good_enough, cost.is_lateness_good()), (Some(false), Some(true)));
        assert!(cost.was_only_stopped());
    }

    #[test]
    fn a_replay_is_judged_by_its_passes() {
        // The records show 300 ms, which is the storage's time for the previous operation.
        let mut cost = SelfCost::new(None, &totals(300_000.0, 400.0), &[], None);
        assert_eq!(cost.timing_good_enough, Some(false));
        let pass = ReplayPass {
            complete: true,
            done_ops: 100,
            lateness_p99_us: Some(80.0),
            lateness_max_us: Some(400.0),
            ..ReplayPass::default()
        };
        let late = ReplayPass { begun_late_ops: 5, lateness_max_us: Some(9_000.0), ..pass.clone() };
        let replay = |passes: &[&ReplayPass]| ReplayFacts {
            passes: passes.iter().copied().cloned().collect(),
            ..ReplayFacts::default()
        };
        cost.judge_replay(&replay(&[&pass]));
        assert_eq!((cost.lateness_max_us, cost.timing_good_enough), (Some(400.0), Some(true)));
        assert!(!cost.was_only_stopped());
        cost.judge_replay(&replay(&[&pass, &late]));
        assert_eq!((cost.lateness_max_us, cost.timing_good_enough), (Some(9_000.0), Some(false)));
        assert!(!cost.was_only_stopped());
        cost.judge_replay(&replay(&[]));
        assert_eq!((cost.lateness_max_us, cost.timing_good_enough), (None, None));
    }

    #[test]
    fn a_watchdog_that_woke_late_is_no_stop() {
        let mut paused = PausedTotal::default();
        // 589 ms in total, and no operation was later than 0.74 ms.
        (0..19).for_each(|at| {
            let from_ns = at * 1_000_000_000;
            paused.add(Pause { from_ns, until_ns: from_ns + 31_000_000 });
        });
        let of = |paused: &PausedTotal| SelfCost::new(None, &totals(40.0, 740.0), &[], Some(paused));
        let cost = of(&paused);
        assert_eq!((cost.paused_s, cost.longest_pause_s, cost.was_only_stopped()), (Some(0.0), None, false));
        assert_eq!(cost.timing_good_enough, Some(true));
        // A long gap of the watchdog alone: the work continued during it.
        paused.add(Pause { from_ns: 30_000_000_000, until_ns: 31_000_000_000 });
        assert_eq!((of(&paused).paused_s, of(&paused).longest_pause_s), (Some(0.0), None));
    }

    #[test]
    fn costs_are_per_operation() {
        let cost = SelfCost::new(Some((1.5, 0.5)), &totals(1.0, 1.0), &[], None);
        assert_eq!(cost.cpu_us_per_op, Some(20_000.0));
        let none = SelfCost::new(Some((1.5, 0.5)), &RunTotals::default(), &[], None);
        assert_eq!(none.cpu_us_per_op, None);
        assert_eq!(none.timing_good_enough, None);
    }
}
