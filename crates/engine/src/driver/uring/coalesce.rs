//! Decides when a ring wakes up for its next due time: just before it, or slightly later, together with
//! the following ones.
//!
//! Waking just before a due time and spinning until it is exact, but costs up to a tenth of a
//! millisecond of processor time. A ring with thousands of streams has a due time every few tens of
//! microseconds. It would only spin, and take processor time from the storage's own code. If due times
//! are that close, the ring sleeps past the first of them and issues all due operations with one system
//! call. The added delay is measured as Reelgauge's scheduling delay. It stays well under 1 ms, the
//! limit above which a run reports insufficient timing.
//!
//! Pure: the time is a parameter.

/// Due times whose average distance is below this are handled together.
const CLOSE_NS: u64 = 200_000;
/// The maximum time that the first of them waits for the others, in addition to the oversleep.
const GATHER_NS: u64 = 500_000;
/// The time over which the average is taken.
const SPAN_NS: u64 = 10_000_000;

/// The recent average distance of due times.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coalesce {
    since_ns: u64,
    dues: u64,
    is_close: bool,
}

impl Coalesce {
    /// Records that this many due times were handled at `now_ns`.
    pub(super) fn met(&mut self, dues: u64, now_ns: u64) {
        self.dues += dues;
        debug_assert!(now_ns >= self.since_ns, "the clock of a ring does not go back");
        let passed_ns = now_ns - self.since_ns;
        if passed_ns >= SPAN_NS {
            self.is_close = self.dues * CLOSE_NS > passed_ns;
            *self = Coalesce { since_ns: now_ns, dues: 0, is_close: self.is_close };
        }
    }

    /// When to wake up for the due time at `next_ns`, if the sleeping thread wakes `lead_ns` late.
    pub(super) fn sleep_until_ns(&self, next_ns: u64, lead_ns: u64) -> u64 {
        // "No due time" is the largest number, so the sum must saturate.
        match self.is_close {
            // An oversleep longer than that needs no additional time.
            true => next_ns.saturating_add(GATHER_NS.saturating_sub(lead_ns)),
            // The difference could be negative in the run's first moments.
            false => next_ns.saturating_sub(lead_ns),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Due times at equal distances for 50 ms.
    fn evenly(gap_ns: u64) -> Coalesce {
        let mut coalesce = Coalesce::default();
        for due in 1..=50_000_000 / gap_ns {
            coalesce.met(1, due * gap_ns);
        }
        coalesce
    }

    #[test]
    fn due_times_far_apart_are_each_met_exactly() {
        assert_eq!(evenly(1_000_000).sleep_until_ns(80_000_000, 60_000), 79_940_000);
        assert_eq!(evenly(250_000).sleep_until_ns(80_000_000, 60_000), 79_940_000);
    }

    #[test]
    fn close_deadlines_are_met_together_and_in_time() {
        let coalesce = evenly(30_000);
        assert_eq!(coalesce.sleep_until_ns(80_000_000, 60_000), 80_440_000);
        assert_eq!(coalesce.sleep_until_ns(80_000_000, 600_000), 80_000_000, "never before it is due");
        assert_eq!(coalesce.sleep_until_ns(u64::MAX, 0), u64::MAX, "no alarm at all");
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "the clock of a ring does not go back")]
    fn decreasing_clock_is_a_defect() {
        let mut coalesce = Coalesce::default();
        coalesce.met(1, 20_000_000);
        coalesce.met(1, 19_000_000);
    }

    #[test]
    fn ended_load_is_forgotten() {
        let mut coalesce = evenly(30_000);
        coalesce.met(1, 61_000_000);
        coalesce.met(1, 72_000_000);
        assert_eq!(coalesce.sleep_until_ns(80_000_000, 60_000), 79_940_000);
    }
}
