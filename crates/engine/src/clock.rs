//! The run's clock: monotonic nanoseconds since the start of the run.
//!
//! Every time in scripts, records and the log is a reading of this clock. Wall-clock time is read once,
//! at the start, and only for display: it is never used in a difference.
//!
//! Code that waits for the run waits with this clock ([`Clock::sleep`], [`Clock::receive`]), so that a
//! simulation can substitute virtual time.

use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

#[cfg(feature = "simulation")]
use crate::simulated::world::{self, VirtualWorld};

/// Nanoseconds since the start of the run. All copies show the same time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    start: Reading,
    start_unix_ns: u64,
    /// The simulated world that supplies the time instead.
    #[cfg(feature = "simulation")]
    world: Option<&'static dyn VirtualWorld>,
}

/// Monotonic time on Linux: the same clock as `Instant`, without its checks. The clock is read twice per
/// operation, which justifies a few lines.
#[cfg(target_os = "linux")]
#[derive(Clone, Copy, Debug)]
struct Reading(u64);

#[cfg(target_os = "linux")]
impl Reading {
    #[inline]
    fn now() -> Reading {
        let now = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        // The time since boot is never negative.
        Reading(now.tv_sec as u64 * 1_000_000_000 + now.tv_nsec as u64)
    }

    #[inline]
    fn elapsed_ns(self) -> u64 {
        // The clock is monotonic by contract, but some virtual machines violated that by a few
        // nanoseconds.
        Reading::now().0.saturating_sub(self.0)
    }
}

#[cfg(not(target_os = "linux"))]
#[derive(Clone, Copy, Debug)]
struct Reading(std::time::Instant);

#[cfg(not(target_os = "linux"))]
impl Reading {
    fn now() -> Reading {
        Reading(std::time::Instant::now())
    }

    fn elapsed_ns(self) -> u64 {
        nanoseconds(self.0.elapsed())
    }
}

impl Clock {
    /// A clock that starts now, at 0.
    pub fn start() -> Clock {
        // Nothing happens between the two readings, so they differ by well below a microsecond.
        let start = Reading::now();
        let start_unix_ns = match SystemTime::now().duration_since(UNIX_EPOCH) {
            Ok(since) => nanoseconds(since),
            // A wall clock set before 1970 is reported as 1970.
            Err(_) => 0,
        };
        Clock {
            start,
            start_unix_ns,
            #[cfg(feature = "simulation")]
            world: None,
        }
    }

    /// Creates a clock that follows a simulated world. `start_unix_ns` is its wall-clock time at the
    /// start.
    #[cfg(feature = "simulation")]
    pub fn simulated(world: &'static dyn VirtualWorld, start_unix_ns: u64) -> Clock {
        Clock { start: Reading::now(), start_unix_ns, world: Some(world) }
    }

    /// The simulated world that supplies the time, if any.
    #[cfg(feature = "simulation")]
    pub fn world(&self) -> Option<&'static dyn VirtualWorld> {
        self.world
    }

    /// Nanoseconds since the start, monotonic. A reading takes about 25 ns if the kernel's clock source
    /// is the processor's time stamp counter.
    #[inline]
    pub fn now_ns(&self) -> u64 {
        #[cfg(feature = "simulation")]
        if let Some(world) = self.world {
            return world.now_ns();
        }
        self.start.elapsed_ns()
    }

    /// Waits for this long.
    pub fn sleep(&self, duration: Duration) {
        #[cfg(feature = "simulation")]
        if let Some(world) = self.world {
            return world.pass(nanoseconds(duration));
        }
        std::thread::sleep(duration);
    }

    /// Receives the next message from a channel within `timeout`.
    ///
    /// # Errors
    /// If none arrived in time, or the channel is closed.
    pub fn receive<T>(&self, from: &Receiver<T>, timeout: Duration) -> Result<T, RecvTimeoutError> {
        #[cfg(feature = "simulation")]
        if let Some(world) = self.world {
            return world::receive(world, from, nanoseconds(timeout));
        }
        from.recv_timeout(timeout)
    }

    /// Wall-clock time of the start, in nanoseconds since 1970-01-01T00:00:00Z, for metadata.
    pub fn start_unix_ns(&self) -> u64 {
        self.start_unix_ns
    }
}

/// A duration in nanoseconds. 64 bits hold 584 years.
fn nanoseconds(duration: Duration) -> u64 {
    duration.as_secs() * 1_000_000_000 + u64::from(duration.subsec_nanos())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use std::time::Instant;

    use super::*;

    #[test]
    fn clock_starts_near_zero_and_follows_the_system() {
        let outside = Instant::now();
        let clock = Clock::start();
        let copy = clock;
        let first = clock.now_ns();
        std::thread::sleep(Duration::from_millis(20));
        let second = copy.now_ns();
        assert!(second - first >= 20_000_000);
        assert!(second <= nanoseconds(outside.elapsed()));
    }

    #[test]
    fn its_start_is_known_in_wall_clock_time() {
        let before = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        let clock = Clock::start();
        let after = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
        assert!(clock.start_unix_ns() >= nanoseconds(before));
        assert!(clock.start_unix_ns() <= nanoseconds(after));
    }
}
