//! Detects that the wall clock was set, by comparing it with the monotonic clock, which never is. Pure.
//!
//! Not here: the consequence of a step. There is none: every figure relies on monotonic clocks.

use crate::protocol::ClockStep;

/// A smaller difference is no step: clock synchronisation slews both clocks.
const STEP_LEAST_NS: i64 = 20_000_000;

/// The agent's two clocks.
#[derive(Clone, Copy, Debug)]
pub struct Now {
    /// The host's monotonic clock.
    pub mono_ns: i64,
    /// The wall clock, which may be set at any time. Only shown to users.
    pub unix_ns: i64,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct WallClock {
    before: Option<Now>,
}

impl WallClock {
    /// Takes a new reading of both clocks; returns by how much the wall clock was set since the last
    /// one, if it was.
    pub fn step(&mut self, now: Now) -> Option<ClockStep> {
        let before = self.before.replace(now)?;
        let ahead_ns = |now: Now| i128::from(now.unix_ns) - i128::from(now.mono_ns);
        let by_ns = i64::try_from(ahead_ns(now) - ahead_ns(before)).unwrap_or(i64::MAX);
        (by_ns.unsigned_abs() >= STEP_LEAST_NS.unsigned_abs())
            .then_some(ClockStep { at_ns: now.mono_ns, by_ns })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: i64 = 1_000_000_000;

    #[test]
    fn every_clock_step_is_seen_once_and_a_slow_round_is_none() {
        let steps = [(3, 3_600 * SECOND), (5, -2 * SECOND), (6, -3_598 * SECOND), (8, 15_000_000)];
        let mut wall = WallClock::default();
        let mut off_ns = 7 * SECOND;
        let mut found = Vec::new();
        for second in 0..10 {
            let stepped = steps.iter().find(|(at, _)| *at == second);
            off_ns += stepped.map_or(0, |(_, by_ns)| *by_ns);
            let mono_ns = second * SECOND;
            found.extend(wall.step(Now { mono_ns, unix_ns: mono_ns + off_ns }));
        }
        let expected = &steps[..3];
        let found: Vec<_> = found.iter().map(|step| (step.at_ns / SECOND, step.by_ns)).collect();
        assert_eq!(found, expected);
    }
}
