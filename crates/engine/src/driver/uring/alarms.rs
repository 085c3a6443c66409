//! One alarm per worker, in a tournament tree that finds the next one. It allocates nothing after the
//! start. A heap with outdated entries could not guarantee that.

/// At most one alarm for each of a fixed number of workers.
#[derive(Debug)]
pub(super) struct Alarms {
    /// Node 1 is the root, node `i` has the children `2i` and `2i + 1`, and each holds the earlier of its
    /// children's times. The leaves are the second half.
    times_ns: Vec<u64>,
}

impl Alarms {
    /// The time of an alarm that is not set.
    pub(super) const NEVER: u64 = u64::MAX;

    /// For this many workers, without alarms.
    pub(super) fn new(workers: usize) -> Alarms {
        Alarms { times_ns: vec![Alarms::NEVER; 2 * workers.next_power_of_two()] }
    }

    fn leaf(&self, worker: u32) -> usize {
        let workers = self.times_ns.len() / 2;
        debug_assert!((worker as usize) < workers, "each worker has its own alarm");
        workers + worker as usize
    }

    /// Sets a worker's alarm, and replaces an earlier one.
    pub(super) fn set(&mut self, worker: u32, at_ns: u64) {
        let mut node = self.leaf(worker);
        self.times_ns[node] = at_ns;
        while node > 1 {
            node /= 2;
            self.times_ns[node] = self.times_ns[2 * node].min(self.times_ns[2 * node + 1]);
        }
    }

    /// Clears a worker's alarm, if one is set.
    pub(super) fn clear(&mut self, worker: u32) {
        if self.times_ns[self.leaf(worker)] != Alarms::NEVER {
            self.set(worker, Alarms::NEVER);
        }
    }

    /// The time of the next alarm.
    pub(super) fn earliest_ns(&self) -> u64 {
        self.times_ns[1]
    }

    /// Takes the earliest due alarm, and returns its worker. The alarm is then no longer set.
    pub(super) fn take_due(&mut self, now_ns: u64) -> Option<u32> {
        if self.earliest_ns() > now_ns {
            return None;
        }
        let leaves = self.times_ns.len() / 2;
        let mut node = 1;
        while node < leaves {
            node *= 2;
            if self.times_ns[node + 1] < self.times_ns[node] {
                node += 1;
            }
        }
        debug_assert_eq!(
            self.times_ns[node],
            self.earliest_ns(),
            "the root of the tree is its earliest alarm"
        );
        let worker = (node - leaves) as u32;
        self.set(worker, Alarms::NEVER);
        Some(worker)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn one_worker_is_a_tree_too() {
        let mut alarms = Alarms::new(1);
        assert_eq!(alarms.take_due(u64::MAX - 1), None);
        alarms.set(0, 5);
        assert_eq!((alarms.earliest_ns(), alarms.take_due(4)), (5, None));
        assert_eq!((alarms.take_due(5), alarms.take_due(5)), (Some(0), None));
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "each worker has its own alarm")]
    fn alarm_of_unknown_worker_is_a_defect() {
        Alarms::new(4).set(4, 50);
    }

    #[cfg(debug_assertions)]
    #[test]
    #[should_panic(expected = "the root of the tree is its earliest alarm")]
    fn inner_node_with_wrong_time_is_a_defect() {
        let mut alarms = Alarms::new(4);
        alarms.set(2, 50);
        alarms.times_ns[1] = 40;
        alarms.take_due(60);
    }

    proptest! {
        #[test]
        fn tree_equals_plain_list(
            steps in prop::collection::vec((0u32..7, 0u64..50, 0u8..4), 1..200),
        ) {
            let mut alarms = Alarms::new(7);
            let mut list = [Alarms::NEVER; 7];
            for (worker, time_ns, action) in steps {
                match action {
                    0 | 1 => {
                        alarms.set(worker, time_ns);
                        list[worker as usize] = time_ns;
                    }
                    2 => {
                        alarms.clear(worker);
                        list[worker as usize] = Alarms::NEVER;
                    }
                    _ => {
                        let first = (0..7).min_by_key(|&worker| list[worker]);
                        let first = first.filter(|&worker| list[worker] <= time_ns);
                        prop_assert_eq!(alarms.take_due(time_ns), first.map(|worker| worker as u32));
                        if let Some(worker) = first {
                            list[worker] = Alarms::NEVER;
                        }
                    }
                }
                prop_assert_eq!(alarms.earliest_ns(), list.into_iter().min().unwrap_or(Alarms::NEVER));
            }
        }
    }
}
