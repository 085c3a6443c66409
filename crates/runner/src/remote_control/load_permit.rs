//! The permission under which a remotely controlled run may load the storage. Times are readings of one
//! monotonic clock.

use std::time::Duration;

/// How long the load continues without a message by default.
pub const HELD_FOR: Duration = Duration::from_secs(5);
/// The longest time that one message may permit.
pub const HELD_FOR_MOST: Duration = Duration::from_secs(60);
/// A run that is ready and loads nothing waits this long for a message.
pub const WAITS_FOR: Duration = Duration::from_secs(600);

/// Whether the run loads the storage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// It loads: it measures, or makes or reads back files.
    Active,
    /// No load: it waits for its start.
    Waits,
    Over,
}

#[derive(Clone, Copy, Debug)]
pub struct LoadPermit {
    heard_ns: u64,
    held_until_ns: u64,
    load: Load,
}

impl LoadPermit {
    /// The permission of a run that begins to prepare now.
    pub fn new(now_ns: u64) -> LoadPermit {
        LoadPermit { heard_ns: now_ns, held_until_ns: now_ns + nanoseconds(HELD_FOR), load: Load::Active }
    }

    /// A message permits the load for this long. `silent`: how long the sender itself has had no
    /// contact; that time is subtracted.
    pub fn hold(&mut self, now_ns: u64, long: Duration, silent: Duration) {
        self.heard_ns = self.heard_ns.max(now_ns.saturating_sub(nanoseconds(silent)));
        let until_ns = now_ns.saturating_add(nanoseconds(long.min(HELD_FOR_MOST)));
        self.held_until_ns = self.held_until_ns.max(until_ns);
    }

    /// Sets the current activity of the run.
    pub fn load(&mut self, load: Load) {
        self.load = load;
    }

    /// Whether the load has ended.
    pub fn is_over(&self) -> bool {
        self.load == Load::Over
    }

    /// The time without a message, if it exceeds the permission.
    pub fn lapsed(&self, now_ns: u64) -> Option<Duration> {
        let silence = Duration::from_nanos(now_ns.saturating_sub(self.heard_ns));
        let is_too_long = match self.load {
            Load::Active => now_ns >= self.held_until_ns,
            Load::Waits => silence >= WAITS_FOR,
            Load::Over => false,
        };
        is_too_long.then_some(silence)
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn load_continues_for_the_permitted_time() {
        let mut leash = LoadPermit::new(0);
        assert_eq!(leash.lapsed(5 * SECOND - 1), None);
        assert_eq!(leash.lapsed(5 * SECOND), Some(Duration::from_secs(5)));
        leash.hold(4 * SECOND, Duration::from_secs(2), Duration::from_secs(1));
        assert_eq!(leash.lapsed(6 * SECOND - 1), None);
        assert_eq!(leash.lapsed(6 * SECOND), Some(Duration::from_secs(3)));
        // A shorter permission does not shorten an earlier one.
        leash.hold(6 * SECOND, Duration::from_secs(9), Duration::ZERO);
        leash.hold(7 * SECOND, Duration::from_secs(1), Duration::ZERO);
        assert_eq!(leash.lapsed(15 * SECOND - 1), None);
        assert!(leash.lapsed(15 * SECOND).is_some());
        leash.hold(20 * SECOND, Duration::MAX, Duration::ZERO);
        assert!(leash.lapsed(80 * SECOND).is_some(), "one word holds for a minute at most");
    }

    #[test]
    fn a_run_without_load_waits_longer_but_not_forever() {
        let mut leash = LoadPermit::new(0);
        leash.load(Load::Waits);
        assert_eq!(leash.lapsed(599 * SECOND), None);
        assert!(leash.lapsed(600 * SECOND).is_some());
        leash.load(Load::Active);
        assert!(leash.lapsed(599 * SECOND).is_some());
        leash.load(Load::Over);
        assert_eq!(leash.lapsed(u64::MAX), None);
    }
}
