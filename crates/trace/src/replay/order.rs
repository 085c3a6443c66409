//! Computes dependencies: an operation waits for earlier operations on the same object, unless both
//! overlapped in the recording.
//!
//! An object (an open file, or a name with its file) stores the past operations that a later one may
//! have to wait for. Of one lane's operations only the last two matter: a lane is sequential, so the
//! later one implies all earlier ones, and only the last may still have been in flight.

/// How an operation uses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Use {
    /// It creates, removes, renames or resizes the object: no other use may be reordered with it.
    Change,
    /// The operation reads the object's content.
    Read,
    /// The operation writes the object's content.
    Write,
    /// The operation needs the object to exist.
    Need,
}

impl Use {
    /// Whether two uses must keep their order.
    const fn conflicts(self, other: Use) -> bool {
        use Use::{Change, Read, Write};
        matches!((self, other), (Change, _) | (_, Change) | (Read, Write) | (Write, Read))
    }
}

/// An operation that uses an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Event {
    pub op: u32,
    pub lane: u16,
    pub usage: Use,
    pub issued_ns: u64,
    pub done_ns: u64,
}

/// The past operations on one object.
#[derive(Clone, Debug, Default)]
pub(super) struct Past(Vec<Event>);

impl Past {
    /// Number of stored operations.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds an operation on the object. Operations come in the order of issue. Calls `wait` with each
    /// operation to wait for, and its lane.
    pub fn take(&mut self, event: Event, mut wait: impl FnMut(u32, u16)) {
        // A rename within one directory uses that directory twice, but counts as one use.
        if self.0.last().is_some_and(|past| past.op == event.op && past.usage == event.usage) {
            return;
        }
        let done = |past: &&Event| past.done_ns <= event.issued_ns;
        let changes = self.0.iter().filter(done).filter(|past| past.usage == Use::Change);
        if let Some(&change) = changes.max_by_key(|change| (change.issued_ns, change.op)) {
            // Later operations wait for the change, which has waited for these.
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

    /// Keeps only the latest earlier event of the same lane and use; together with the new one there are
    /// two.
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
    fn overlapping_operations_are_not_ordered() {
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
        // Operation 5 (a Need) does not wait for the write 4, so the removal must wait for each of them.
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
    fn double_use_in_one_lane_hides_no_dependency() {
        let mut past = Past::default();
        waits(&mut past, event(0, 1, Use::Need, 0, 10));
        let still_going_on = event(1, 1, Use::Need, 10, 30);
        waits(&mut past, still_going_on);
        waits(&mut past, still_going_on);
        assert_eq!(waits(&mut past, event(2, 2, Use::Change, 20, 40)), [0]);
    }

    #[test]
    fn simultaneous_operations_keep_trace_order() {
        let mut past = Past::default();
        assert!(waits(&mut past, event(0, 0, Use::Change, 5, 5)).is_empty());
        assert_eq!(waits(&mut past, event(1, 1, Use::Change, 5, 5)), [0]);
        assert!(waits(&mut past, event(2, 2, Use::Change, 5, 5)).contains(&1));
    }
}
