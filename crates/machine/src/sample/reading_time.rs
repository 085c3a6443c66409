//! The time of a reading, by the reader's own clock.
//!
//! A sample round may take long if this process gets no processor. So readings that are compared with
//! the time have their own time. They are omitted if that time is uncertain, or so long after the start
//! of the round that they would be assigned to the wrong time.

use std::time::{Duration, Instant};

/// Longer than any read of a kernel file takes: this process was kept from running during it.
const TORN_AFTER: Duration = Duration::from_millis(20);
/// How often a reading with an uncertain time is tried.
const TRIES: usize = 3;
/// Longer than any sample round takes: the reading does not belong to its time.
const LATE_AFTER: Duration = Duration::from_millis(100);

/// The clock of a reader, and the start of its sample round.
#[derive(Debug)]
pub struct OwnTime {
    started: Instant,
    look_began: Duration,
}

impl OwnTime {
    pub fn start() -> OwnTime {
        OwnTime { started: Instant::now(), look_began: Duration::ZERO }
    }

    /// Starts a sample round; later readings belong to it.
    pub fn look_begins(&mut self) {
        self.look_began = self.started.elapsed();
    }

    /// A reading with its time. `None` if it fails, or is too late for its round because this process
    /// was kept from running.
    pub fn timed<T>(&self, read: impl Fn() -> Option<T>) -> Option<(T, Duration)> {
        for _ in 0..TRIES {
            let before = self.started.elapsed();
            let found = read()?;
            let after = self.started.elapsed();
            if after - self.look_began > LATE_AFTER {
                return None;
            }
            if after - before < TORN_AFTER {
                return Some((found, after));
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(pause_ms: u64) -> Option<u32> {
        std::thread::sleep(Duration::from_millis(pause_ms));
        Some(7)
    }

    #[test]
    fn a_reading_has_its_own_moment() {
        let mut time = OwnTime::start();
        after(60);
        time.look_begins();
        assert!(time.timed(|| after(0)).is_some_and(|(found, at)| found == 7 && at.as_millis() >= 60));
        assert_eq!(time.timed(|| None::<u32>), None);
    }

    /// Delayed before it or within it.
    #[test]
    fn reading_long_after_its_round_began_is_dropped() {
        let mut time = OwnTime::start();
        time.look_begins();
        after(110);
        assert_eq!(time.timed(|| after(0)), None);
        time.look_begins();
        assert_eq!(time.timed(|| after(30)), None, "it takes longer than a reading may, every time");
    }
}
