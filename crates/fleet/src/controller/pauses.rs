//! When a run is paused: pure.
//!
//! A run is paused between load points, while there is no load and every agent is ready for the next
//! one: a start that was agreed on is not withdrawn. Pauses are numbered, and each command to pause or
//! resume names the number. A command that arrives twice does nothing the second time, and one that
//! arrives late does not pause a run that was resumed since.

use serde::{Deserialize, Serialize};

/// One pause. Times are on the controller's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pause {
    /// When it was requested.
    pub asked_ns: i64,
    /// Since when all agents wait; `None` if no load point was left to pause before.
    pub from_ns: Option<i64>,
    /// When it ended.
    pub until_ns: Option<i64>,
}

/// All pauses of a run, in their order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pauses(Vec<Pause>);

impl Pauses {
    /// The number of pauses that were ever requested, which is also the number of the next one.
    pub fn count(&self) -> u32 {
        u32::try_from(self.0.len()).unwrap_or(u32::MAX)
    }

    /// Whether a pause is requested that has not ended.
    pub fn wants(&self) -> bool {
        self.open().is_some()
    }

    /// Requests the pause with this number. Does nothing if it was requested before, or another one is.
    pub fn ask(&mut self, now_ns: i64, number: u32) {
        if !self.wants() && number == self.count() {
            self.0.push(Pause { asked_ns: now_ns, from_ns: None, until_ns: None });
        }
    }

    /// Ends the pause with this number. Does nothing if it has ended.
    pub fn end(&mut self, now_ns: i64, number: u32) {
        if self.wants() && number.checked_add(1) == Some(self.count()) {
            self.close(now_ns);
        }
    }

    /// All agents wait from now on.
    pub fn begin(&mut self, now_ns: i64) {
        if let Some(pause) = self.0.last_mut().filter(|pause| pause.until_ns.is_none()) {
            pause.from_ns.get_or_insert(now_ns);
        }
    }

    /// The agents no longer wait, for whatever reason. A pause that has not begun is still requested.
    pub fn leave(&mut self, now_ns: i64) {
        if self.open().is_some_and(|pause| pause.from_ns.is_some()) {
            self.close(now_ns);
        }
    }

    /// The periods in which all agents waited.
    pub fn waited(&self) -> impl Iterator<Item = (i64, i64)> {
        self.0.iter().filter_map(|pause| pause.from_ns.zip(pause.until_ns))
    }

    fn open(&self) -> Option<&Pause> {
        self.0.last().filter(|pause| pause.until_ns.is_none())
    }

    fn close(&mut self, now_ns: i64) {
        if let Some(pause) = self.0.last_mut() {
            // If the clock was set back, the pause must not have a negative length.
            pause.until_ns = Some(now_ns.max(pause.from_ns.unwrap_or(pause.asked_ns)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_arrive_twice_or_late_do_nothing() {
        let mut pauses = Pauses::default();
        pauses.end(1, 0);
        assert_eq!((pauses.count(), pauses.wants()), (0, false), "a resume without a pause");
        pauses.ask(2, 1);
        assert!(!pauses.wants(), "a number that nobody was told");
        pauses.ask(3, 0);
        pauses.ask(4, 0);
        assert_eq!((pauses.count(), pauses.wants()), (1, true));
        pauses.begin(5);
        pauses.begin(6);
        pauses.end(9, 0);
        pauses.end(10, 0);
        assert_eq!(pauses.waited().collect::<Vec<_>>(), [(5, 9)]);
        pauses.ask(11, 0);
        assert!(!pauses.wants(), "a pause that comes late pauses nothing anew");
        pauses.ask(12, 1);
        pauses.end(13, 0);
        assert!(pauses.wants(), "the end of another one");
        pauses.leave(14);
        assert!(pauses.wants(), "it has not begun");
        pauses.end(15, 1);
        assert_eq!(pauses.waited().count(), 1, "nobody waited in the second");
    }
}
