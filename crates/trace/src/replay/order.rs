//! What an operation has to wait for: what was done before it to the same thing, unless both went on at the
//! same time when they were recorded.
//!
//! A thing (an open file, or a name with what is behind it) remembers those of its past operations that a
//! later one may have to wait for. Of what one lane did only the last two matter: a lane does one thing after
//! the other, so the later implies the earlier, and at most the last was still going on.

/// How an operation uses a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It makes, removes, renames or resizes it: nothing else may change place with it.
    Change,
    /// It reads what is in it.
    Read,
    /// It writes into it.
    Write,
    /// It needs it to be there.
    Need,
}

impl Use {
    /// Whether two uses may not change places.
    const fn conflicts(self, other: Use) -> bool {
        use Use::{Change, Read, Write};
        matches!((self, other), (Change, _) | (_, Change) | (Read, Write) | (Write, Read))
    }
}

/// An operation that uses a thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub op: u32,
    pub lane: u16,
    pub usage: Use,
    pub issued_ns: u64,
    pub done_ns: u64,
}

/// What happened to one thing.
#[derive(Clone, Debug, Default)]
pub(super) struct Past(Vec<Event>);

impl Past {
    /// How many operations it remembers.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Another operation uses the thing. Operations come in the order of issue. `wait` is called with
    /// each operation to wait for, and its lane.
    pub fn take(&mut self, event: Event, mut wait: impl FnMut(u32, u16)) {
        // A rename from one name to another in the same directory needs that directory twice, and is one.
        if self.0.last().is_some_and(|past| past.op == event.op && past.usage == event.usage) {
            return;
        }
        let done = |past: &&Event| past.done_ns <= event.issued_ns;
        let changes = self.0.iter().filter(done).filter(|past| past.usage == Use::Change);
        if let Some(&change) = changes.max_by_key(|change| (change.issued_ns, change.op)) {
            // Later operations wait for the change, which waited for these.
            self.0.retain(|past| past.op >= change.op || past.done_ns > change.issued_ns);
        }
        for past in self.0.iter().filter(done) {
            if past.lane != event.lane && past.usage.conflicts(event.usage) {
                wait(past.op, past.lane);
            }
        }
        self.forget_third(event);
        self.0.push(event);
    }

    /// Of the same use by the same lane, keeps the last: with the one that comes now these are two.
    fn forget_third(&mut self, event: Event) {
        let alike = |past: &Event| past.lane == event.lane && past.usage == event.usage;
        let last = self.0.iter().filter(|past| alike(past)).map(|past| past.op).max();
        self.0.retain(|past| !alike(past) || Some(past.op) == last);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(op: u32, lane: u16, usage: Use, issued_ns: u64, done_ns: u64) -> Event {
        Event { op, lane, usage, issued_ns, done_ns }
    }

    fn waits(past: &mut Past, event: Event) -> Vec<u32> {
        let mut ops = Vec::new();
        past.take(event, |op, _| ops.push(op));
        ops
    }

    #[test]
    fn what_went_on_at_the_same_time_may_do_so_again() {
        let mut past = Past::default();
        assert!(waits(&mut past, event(0, 0, Use::Change, 0, 10)).is_empty());
        assert!(waits(&mut past, event(1, 1, Use::Change, 5, 20)).is_empty());
        assert_eq!(waits(&mut past, event(2, 2, Use::Change, 10, 30)), [0]);
        assert_eq!(waits(&mut past, event(3, 3, Use::Change, 30, 40)), [1, 2]);
    }

    #[test]
    fn readers_do_not_wait_for_readers_and_all_wait_for_changes() {
        let mut past = Past::default();
        waits(&mut past, event(0, 0, Use::Change, 0, 1));
        for (op, lane) in [(1, 1), (2, 2), (3, 3)] {
            let issued_ns = u64::from(op) * 10;
            assert_eq!(waits(&mut past, event(op, lane, Use::Read, issued_ns, issued_ns + 1)), [0]);
        }
        assert_eq!(waits(&mut past, event(4, 0, Use::Write, 40, 41)), [1, 2, 3]);
        assert_eq!(waits(&mut past, event(5, 9, Use::Need, 50, 51)), [0]);
        let mut of_removal = waits(&mut past, event(6, 8, Use::Change, 60, 61));
        of_removal.sort_unstable();
        // The fifth doesn't wait for it, so all are waited for.
        assert_eq!(of_removal, [0, 1, 2, 3, 4, 5]);
    }

    #[test]
    fn memory_is_bounded_by_lanes_and_by_changes() {
        let mut past = Past::default();
        for op in 0..1000 {
            waits(&mut past, event(op, (op % 4) as u16, Use::Read, u64::from(op), u64::from(op)));
        }
        assert!(past.0.len() <= 8, "{}", past.0.len());
        for op in 1000..2000 {
            waits(&mut past, event(op, (op % 300) as u16, Use::Change, u64::from(op), u64::from(op)));
        }
        assert!(past.0.len() <= 3, "{}", past.0.len());
    }

    #[test]
    fn who_uses_a_thing_twice_at_once_hides_nothing() {
        let mut past = Past::default();
        waits(&mut past, event(0, 1, Use::Need, 0, 10));
        let still_going_on = event(1, 1, Use::Need, 10, 30);
        waits(&mut past, still_going_on);
        waits(&mut past, still_going_on);
        assert_eq!(waits(&mut past, event(2, 2, Use::Change, 20, 40)), [0]);
    }

    #[test]
    fn at_one_moment_the_order_of_the_trace_counts() {
        let mut past = Past::default();
        assert!(waits(&mut past, event(0, 0, Use::Change, 5, 5)).is_empty());
        assert_eq!(waits(&mut past, event(1, 1, Use::Change, 5, 5)), [0]);
        assert!(waits(&mut past, event(2, 2, Use::Change, 5, 5)).contains(&1));
    }
}
