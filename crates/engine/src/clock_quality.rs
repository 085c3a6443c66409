//! How well the run's clock measures on this host: whether it steps back, its resolution, and its cost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use crate::clock::Clock;

/// Readings by one thread for resolution and cost.
const READINGS: u64 = 200_000;

/// The measured qualities of a clock.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockQuality {
    /// Readings of all threads.
    pub readings: u64,
    /// Readings that were earlier than one already taken, by the same thread or another one.
    pub backward_steps: u64,
    /// The smallest difference of two readings that differ; `None` if none did.
    pub resolution_ns: Option<u64>,
    /// The mean duration of a reading.
    pub reading_ns: f64,
}

impl ClockQuality {
    /// Measures a clock: by one thread, then by this many threads at the same time for this long.
    pub fn measure(clock: &Clock, threads: usize, duration: Duration) -> ClockQuality {
        let mut quality = ClockQuality::of_readings(|| clock.now_ns());
        let latest_ns = AtomicU64::new(clock.now_ns());
        let until_ns = clock.now_ns() + duration.as_nanos() as u64;
        let counts = std::thread::scope(|scope| {
            let threads: Vec<_> =
                (0..threads).map(|_| scope.spawn(|| compared(clock, &latest_ns, until_ns))).collect();
            threads.into_iter().map(|thread| thread.join().expect("it only reads")).collect::<Vec<_>>()
        });
        for (readings, backward_steps) in counts {
            quality.readings += readings;
            quality.backward_steps += backward_steps;
        }
        quality
    }

    /// The qualities of consecutive readings by one thread.
    fn of_readings(mut read_ns: impl FnMut() -> u64) -> ClockQuality {
        let first_ns = read_ns();
        let (mut last_ns, mut backward_steps, mut resolution_ns) = (first_ns, 0, None::<u64>);
        for _ in 0..READINGS {
            let now_ns = read_ns();
            match now_ns.checked_sub(last_ns) {
                None => backward_steps += 1,
                Some(0) => {}
                Some(step_ns) => {
                    resolution_ns = Some(resolution_ns.map_or(step_ns, |least| least.min(step_ns)));
                }
            }
            last_ns = now_ns;
        }
        let passed_ns = last_ns as f64 - first_ns as f64;
        let reading_ns = passed_ns.max(0.0) / READINGS as f64;
        ClockQuality { readings: READINGS, backward_steps, resolution_ns, reading_ns }
    }
}

/// Compares a thread's readings with the latest of all threads. Returns the number of readings, and of those
/// that were earlier.
fn compared(clock: &Clock, latest_ns: &AtomicU64, until_ns: u64) -> (u64, u64) {
    let (mut readings, mut backward_steps) = (0, 0);
    loop {
        let before_ns = latest_ns.load(Ordering::SeqCst);
        let now_ns = clock.now_ns();
        readings += 1;
        backward_steps += u64::from(now_ns < before_ns);
        latest_ns.fetch_max(now_ns, Ordering::SeqCst);
        if now_ns >= until_ns {
            return (readings, backward_steps);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_back_are_counted_and_the_smallest_step_is_the_resolution() {
        let mut at = 0_u64;
        let mut next_ns = || {
            at += 1;
            // Rises by 40 every second reading, and falls by 100 once.
            1_000 + at / 2 * 40 - if at > 500 { 100 } else { 0 }
        };
        let found = ClockQuality::of_readings(&mut next_ns);
        assert_eq!((found.backward_steps, found.resolution_ns), (1, Some(40)));
        assert!((found.reading_ns - 20.0).abs() < 0.1, "{}", found.reading_ns);
    }

    #[test]
    fn all_threads_read_until_the_end() {
        let clock = Clock::start();
        let found = ClockQuality::measure(&clock, 2, Duration::from_millis(5));
        assert!(found.readings > READINGS + 1 && clock.now_ns() >= 5_000_000);
    }
}
