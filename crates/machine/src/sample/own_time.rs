//! When a reading was taken, by the reader's own clock.
//!
//! A look may take long where this process gets no processor. So what is held against the time is given the
//! moment of its own reading, and is left out where nobody can say when it was, or where it was so long after
//! the look began that it would tell of a time at which it was not read.

use std::time::{Duration, Instant};

/// Longer than any reading of a file of the kernel's takes: this process was kept from running meanwhile.
const TORN_AFTER: Duration = Duration::from_millis(20);
/// So often a reading is tried that can't be given a time.
const TRIES: usize = 3;
/// Longer than any look takes: the reading belongs to another time than the look.
const LATE_AFTER: Duration = Duration::from_millis(100);

/// The clock of a reader, and when its look began.
#[derive(Debug)]
pub struct OwnTime {
    started: Instant,
    look_began: Duration,
}

impl OwnTime {
    pub fn start() -> OwnTime {
        OwnTime { started: Instant::now(), look_began: Duration::ZERO }
    }

    /// What is read from now on belongs to this look.
    pub fn look_begins(&mut self) {
        self.look_began = self.started.elapsed();
    }

    /// What is read, with the moment. `None` where it can't be read, or is of another time than its look:
    /// this process was kept from running meanwhile.
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

    /// Held up before it or within it.
    #[test]
    fn what_was_read_long_after_its_look_began_is_left_out() {
        let mut time = OwnTime::start();
        time.look_begins();
        after(110);
        assert_eq!(time.timed(|| after(0)), None);
        time.look_begins();
        assert_eq!(time.timed(|| after(30)), None, "it takes longer than a reading may, every time");
    }
}
