//! Waits for a scheduled time: sleeps until shortly before it, then spins.
//!
//! The lead is learned: a sleeping thread wakes late by some microseconds, more on a busy or
//! power-saving host. A waiter wakes early by its recent delays, but by at most [`LONGEST_SPIN_NS`], so
//! that a thousand workers waiting for frames do not use up the processor.
//!
//! On Windows `std::thread::sleep` uses a high-resolution waitable timer. Before Windows 10 version 1803 it
//! falls back to ticks of 15.6 ms. Then the lead stays at its limit, and the waits are late.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::clock::Clock;

#[cfg(target_vendor = "apple")]
mod apple;

/// The longest time to spin before a due time.
pub(crate) const LONGEST_SPIN_NS: u64 = 100_000;
/// The shortest lead: the time that an idle host needs to wake up.
const SHORTEST_SPIN_NS: u64 = 5_000;
/// The longest uninterrupted sleep. It limits how late a waiter notices a stop request.
pub(crate) const LONGEST_SLEEP_NS: u64 = 50_000_000;

/// Waits, and learns how early to wake up. Each thread has its own.
#[derive(Clone, Debug)]
pub(crate) struct Waiter {
    lead_ns: u64,
}

impl Waiter {
    /// Creates a waiter on the thread that will use it.
    pub(crate) fn new() -> Waiter {
        // Linux may delay timers by 50 µs to save power; 1 ns asks it not to. If Linux refuses, the lead
        // adapts, and only spinning time is lost.
        #[cfg(target_os = "linux")]
        let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
        #[cfg(target_vendor = "apple")]
        apple::ask_for_exact_timers();
        Waiter { lead_ns: 50_000 }
    }

    /// How long before a due time to wake up.
    pub(crate) fn lead_ns(&self) -> u64 {
        self.lead_ns
    }

    /// Learns from a sleep that should have ended at `asked_ns` and ended at `now_ns`.
    pub(crate) fn learn(&mut self, asked_ns: u64, now_ns: u64) {
        // If a signal or a completion ended the sleep early, it was not late.
        let late_ns = now_ns.saturating_sub(asked_ns);
        // The lead rises quickly and falls slowly: being late falsifies a schedule, while spinning only
        // costs power.
        let forgotten = self.lead_ns - self.lead_ns / 16;
        self.lead_ns = (late_ns + late_ns / 4).max(forgotten).clamp(SHORTEST_SPIN_NS, LONGEST_SPIN_NS);
    }

    /// Returns the time at `until_ns` or just after it, or earlier if a stop is requested.
    pub(crate) fn wait_until(&mut self, clock: &Clock, until_ns: u64, stop: &AtomicBool) -> u64 {
        let mut now_ns = clock.now_ns();
        while now_ns < until_ns && !stop.load(Ordering::Relaxed) {
            let left_ns = until_ns - now_ns;
            if left_ns <= self.lead_ns {
                std::hint::spin_loop();
                now_ns = clock.now_ns();
            } else {
                let sleep_ns = (left_ns - self.lead_ns).min(LONGEST_SLEEP_NS);
                std::thread::sleep(Duration::from_nanos(sleep_ns));
                let asked_ns = now_ns + sleep_ns;
                now_ns = clock.now_ns();
                self.learn(asked_ns, now_ns);
            }
        }
        now_ns
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn wait_never_returns_early_and_adapts_within_bounds() {
        let clock = Clock::start();
        let stop = AtomicBool::new(false);
        let mut waiter = Waiter::new();
        for step in 1..20 {
            let until_ns = step * 2_000_000;
            assert!(waiter.wait_until(&clock, until_ns, &stop) >= until_ns);
            assert!((SHORTEST_SPIN_NS..=LONGEST_SPIN_NS).contains(&waiter.lead_ns()));
        }
    }

    #[test]
    fn the_lead_rises_at_once_and_falls_slowly() {
        let mut waiter = Waiter { lead_ns: 10_000 };
        waiter.learn(1_000_000, 1_040_000);
        assert_eq!(waiter.lead_ns(), 50_000);
        waiter.learn(2_000_000, 2_000_000);
        assert_eq!(waiter.lead_ns(), 46_875);
        waiter.learn(3_000_000, 9_000_000);
        assert_eq!(waiter.lead_ns(), LONGEST_SPIN_NS);
    }

    #[test]
    fn stop_is_prompt() {
        let clock = Clock::start();
        let stop = Arc::new(AtomicBool::new(false));
        let stopper = Arc::clone(&stop);
        let other = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            stopper.store(true, Ordering::Relaxed);
        });
        let now_ns = Waiter::new().wait_until(&clock, 60_000_000_000, &stop);
        assert!(now_ns < 1_000_000_000, "stopped after {now_ns} ns");
        assert!(other.join().is_ok());
    }
}
