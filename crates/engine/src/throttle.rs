//! A limit on the transfer rate of a run, in bytes per second, for reads and writes together.
//!
//! Production storage has other users. The state of the limit is one number: the time at which all
//! admitted bytes are paid for at the permitted rate. An operation is admitted if that time is at most
//! [`AHEAD_NS`] ahead, and then advances it by its own size. So in any interval, the admitted bytes
//! never exceed the limit for the interval and [`AHEAD_NS`], plus one operation.
//!
//! It is queried right before an operation is issued, so the delay does not count as the storage's time.
//! Delayed operations are counted, because then the limit determines the figures, not the storage.
//!
//! Not here: waiting in a load point (the drivers), and the source of the limit (the user, or the owner of a
//! fleet's host).

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use reelgauge_record::OpKind;

use crate::clock::Clock;

/// How far a run may be ahead of its rate: enough to send simultaneous frames together.
const AHEAD_NS: u64 = 20_000_000;
/// How often a waiting caller checks for a stop.
const LOOKS_EVERY: Duration = Duration::from_millis(50);

/// A rate in bytes per second that is never exceeded. See the module.
#[derive(Debug)]
pub struct Throttle {
    bytes_per_s: NonZeroU64,
    /// The time at which all admitted bytes are paid for.
    paid_at_ns: AtomicU64,
    held_operations: AtomicU64,
}

impl Throttle {
    /// A throttle that has admitted nothing yet.
    pub fn new(bytes_per_s: NonZeroU64) -> Throttle {
        Throttle { bytes_per_s, paid_at_ns: AtomicU64::new(0), held_operations: AtomicU64::new(0) }
    }

    pub fn bytes_per_s(&self) -> NonZeroU64 {
        self.bytes_per_s
    }

    /// The number of delayed operations so far.
    pub fn held_operations(&self) -> u64 {
        self.held_operations.load(Ordering::Relaxed)
    }

    /// Admits this many bytes now, or returns the time to ask again. All times are of one clock.
    ///
    /// # Errors
    /// The time to ask again, later than `now_ns`.
    #[inline]
    pub fn admit(&self, now_ns: u64, bytes: u64) -> Result<(), u64> {
        let costs_ns = u128::from(bytes) * 1_000_000_000 / u128::from(self.bytes_per_s.get());
        // A time beyond five hundred years means never.
        let costs_ns = u64::try_from(costs_ns).unwrap_or(u64::MAX);
        // The sum saturates at the largest time.
        let latest_ns = now_ns.saturating_add(AHEAD_NS);
        let pay = |paid_at_ns: u64| {
            // As above: a cost beyond the largest time is never paid for.
            (paid_at_ns <= latest_ns).then(|| paid_at_ns.max(now_ns).saturating_add(costs_ns))
        };
        let paid = self.paid_at_ns.fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay);
        paid.map(drop).map_err(|paid_at_ns| paid_at_ns - AHEAD_NS)
    }

    /// Like [`Throttle::admit`], for an operation of this kind and length. `counts`: it is counted if it
    /// is delayed.
    #[inline]
    pub(crate) fn admit_op(&self, now_ns: u64, (kind, len): (OpKind, u32), counts: bool) -> Result<(), u64> {
        if !matches!(kind, OpKind::Read | OpKind::Write) {
            return Ok(());
        }
        let admitted = self.admit(now_ns, u64::from(len));
        if admitted.is_err() && counts {
            self.held_operations.fetch_add(1, Ordering::Relaxed);
        }
        admitted
    }
}

/// A throttle with a separate clock, for work outside a load point.
#[derive(Debug)]
pub struct Pace {
    throttle: Throttle,
    clock: Clock,
}

impl Pace {
    pub fn new(throttle: Throttle) -> Pace {
        Pace { throttle, clock: Clock::start() }
    }

    /// Waits until this many bytes may be transferred, or until a stop is requested, which is polled.
    pub fn wait_for(&self, bytes: u64, is_stopped: impl Fn() -> bool) {
        while let Err(again_ns) = self.throttle.admit(self.clock.now_ns(), bytes) {
            if is_stopped() {
                return;
            }
            // The time may have passed since.
            let left = Duration::from_nanos(again_ns.saturating_sub(self.clock.now_ns()));
            std::thread::sleep(left.min(LOOKS_EVERY));
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MS: u64 = 1_000_000;

    fn of(bytes_per_s: u64) -> Throttle {
        Throttle::new(NonZeroU64::new(bytes_per_s).unwrap())
    }

    /// Asks again as soon as allowed, until this time. Returns the times at which it was admitted.
    fn greedy(throttle: &Throttle, bytes: u64, until_ns: u64) -> Vec<u64> {
        let (mut now_ns, mut times) = (0, Vec::new());
        while now_ns < until_ns {
            match throttle.admit(now_ns, bytes) {
                Ok(()) => times.push(now_ns),
                Err(again_ns) => {
                    assert!(again_ns > now_ns, "a time that is over");
                    now_ns = again_ns;
                }
            }
        }
        times
    }

    #[test]
    fn no_stretch_of_time_moves_more_than_its_share() {
        for (bytes_per_s, bytes) in [(10_000_000, 1 << 20), (10_000_000, 4_096), (1_000, 1 << 20), (7, 3)] {
            let times = greedy(&of(bytes_per_s), bytes, 60_000 * MS);
            assert!(!times.is_empty());
            for (at, &from_ns) in times.iter().enumerate().step_by(times.len() / 50 + 1) {
                for (further, &to_ns) in times[at..].iter().enumerate().step_by(times.len() / 50 + 1) {
                    let allowed = u128::from(to_ns - from_ns + AHEAD_NS) * u128::from(bytes_per_s);
                    let before_last = u128::from(further as u64) * u128::from(bytes);
                    assert!(before_last * 1_000_000_000 <= allowed + 1_000_000_000, "{from_ns} {to_ns}");
                }
            }
        }
    }

    #[test]
    fn retry_at_the_given_time_gets_the_full_amount() {
        let times = greedy(&of(10_000_000), 100_000, 10_000 * MS);
        let moved = times.len() as u64 * 100_000;
        assert!((100_000_000..=100_300_000).contains(&moved), "{moved}");
    }

    #[test]
    fn unused_rate_is_not_saved() {
        let throttle = of(1_000_000);
        assert!(throttle.admit(0, 10).is_ok());
        let late_ns = 3_600_000 * MS;
        let mut through = 0;
        while throttle.admit(late_ns, 10_000).is_ok() {
            through += 10_000;
        }
        assert!((20_000..=40_000).contains(&through), "{through}");
    }

    #[test]
    fn operations_without_data_are_free_and_one_that_is_held_counts_once() {
        let throttle = of(1);
        let op = |kind| (kind, 4_096);
        assert!(throttle.admit_op(0, op(OpKind::Read), true).is_ok());
        assert!(throttle.admit_op(0, op(OpKind::Close), true).is_ok());
        let again_ns = throttle.admit_op(0, op(OpKind::Write), true).unwrap_err();
        assert!(throttle.admit_op(again_ns - 1, op(OpKind::Write), false).is_err());
        assert!(throttle.admit_op(again_ns, op(OpKind::Write), false).is_ok());
        assert_eq!(throttle.held_operations(), 1);
    }
}
