//! Lanes: a recorded thread, or a sequential part of a thread that had several operations in flight.
//!
//! An operation goes to the first lane of its thread that was idle when it was issued. So a thread has
//! as many lanes as it had operations in flight, usually one.

use std::collections::HashMap;

/// The most lanes: their numbers have 16 bits.
pub(super) const LANES_MAX: usize = 60_000;

/// The state of a lane.
#[derive(Clone, Copy, Debug)]
struct Lane {
    /// Index of its thread.
    thread: u32,
    /// Its last two operations with their ends, the last one first.
    last: (u32, u64),
    before: Option<(u32, u64)>,
}

/// All lanes so far.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// By worker and stream.
    threads: HashMap<(u32, u32), u32>,
    /// By thread: its worker, stream and lanes.
    known: Vec<((u32, u32), Vec<u16>)>,
    /// By thread: the time at which its first operation was issued.
    begun_ns: Vec<u64>,
    lanes: Vec<Lane>,
    /// The thread of the last lookup.
    recent: Option<((u32, u32), u32)>,
}

/// An operation's place in the lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LanePosition {
    pub lane: u16,
    /// The previous operation in the lane.
    pub before: Option<u32>,
    /// The end of the thread's last operation that ended before this one was issued.
    pub idle_since_ns: Option<u64>,
}

impl Lanes {
    /// Assigns an operation to a lane; `None` if there are too many lanes. Operations come in order of
    /// issue.
    pub fn place(
        &mut self,
        (worker, stream): (u32, u32),
        op: u32,
        issued_ns: u64,
        done_ns: u64,
    ) -> Option<LanePosition> {
        let thread = self.thread((worker, stream));
        if self.begun_ns.len() <= thread as usize {
            self.begun_ns.push(issued_ns);
        }
        let lanes = &self.known[thread as usize].1;
        let ended = |lane: &u16| {
            let lane = &self.lanes[usize::from(*lane)];
            let ends = [Some(lane.last), lane.before];
            ends.into_iter()
                .flatten()
                .map(|(_, done_ns)| done_ns)
                .filter(|&done_ns| done_ns <= issued_ns)
                .max()
        };
        let idle_since_ns = lanes.iter().filter_map(ended).max();
        let idle = lanes.iter().copied().find(|lane| self.lanes[usize::from(*lane)].last.1 <= issued_ns);
        let Some(number) = idle else {
            let number = u16::try_from(self.lanes.len()).ok().filter(|&n| usize::from(n) < LANES_MAX)?;
            self.lanes.push(Lane { thread, last: (op, done_ns), before: None });
            self.known[thread as usize].1.push(number);
            return Some(LanePosition { lane: number, before: None, idle_since_ns });
        };
        let lane = &mut self.lanes[usize::from(number)];
        let before = lane.last.0;
        lane.before = Some(lane.last);
        lane.last = (op, done_ns);
        Some(LanePosition { lane: number, before: Some(before), idle_since_ns })
    }

    /// For each other lane of the thread: the last operation that had ended when this one was issued.
    pub fn done_beside(&self, lane: u16, issued_ns: u64) -> impl Iterator<Item = (u32, u16)> {
        let beside = &self.known[self.lanes[usize::from(lane)].thread as usize].1;
        beside.iter().filter(move |&&other| other != lane).filter_map(move |&other| {
            let known = &self.lanes[usize::from(other)];
            let ends = [Some(known.last), known.before];
            let done = ends.into_iter().flatten().find(|(_, done_ns)| *done_ns <= issued_ns);
            done.map(|(op, _)| (op, other))
        })
    }

    /// By thread: its start time, and its lanes.
    pub fn threads(&self) -> impl Iterator<Item = (u64, &[u16])> {
        self.begun_ns.iter().copied().zip(self.known.iter().map(|(_, lanes)| lanes.as_slice()))
    }

    /// The last operation of a lane, and its end.
    pub fn last_of(&self, lane: u16) -> (u32, u64) {
        self.lanes[usize::from(lane)].last
    }

    /// By lane: the number of its stream in a replay. Threads are numbered by worker and stream, so that a
    /// replayed replay has the same numbers.
    pub fn streams(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.known.len() as u32).collect();
        order.sort_by_key(|&thread| self.known[thread as usize].0);
        let mut number = vec![0; order.len()];
        for (rank, thread) in order.into_iter().enumerate() {
            number[thread as usize] = rank as u32;
        }
        self.lanes.iter().map(|lane| number[lane.thread as usize]).collect()
    }

    fn thread(&mut self, key: (u32, u32)) -> u32 {
        if let Some((_, thread)) = self.recent.filter(|(recent, _)| *recent == key) {
            return thread;
        }
        let known = &mut self.known;
        let thread = *self.threads.entry(key).or_insert_with(|| {
            known.push((key, Vec::new()));
            known.len() as u32 - 1
        });
        self.recent = Some((key, thread));
        thread
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn lanes_of(ops: &[(u32, u64, u64)]) -> (Lanes, Vec<u16>) {
        let mut lanes = Lanes::default();
        let mut numbers = Vec::new();
        for (op, &(stream, issued_ns, done_ns)) in ops.iter().enumerate() {
            numbers.push(lanes.place((0, stream), op as u32, issued_ns, done_ns).unwrap().lane);
        }
        (lanes, numbers)
    }

    #[test]
    fn a_thread_with_one_operation_in_flight_is_one_lane() {
        let (lanes, numbers) = lanes_of(&[(5, 0, 10), (3, 5, 7), (5, 10, 20), (3, 7, 7), (5, 20, 20)]);
        assert_eq!(numbers, [0, 1, 0, 1, 0]);
        assert_eq!(lanes.streams(), [1, 0], "stream 5 comes behind stream 3");
    }

    #[test]
    fn concurrent_operations_get_separate_lanes() {
        let (lanes, numbers) = lanes_of(&[(0, 0, 10), (0, 1, 30), (0, 2, 5), (0, 6, 40), (0, 12, 13)]);
        assert_eq!(numbers, [0, 1, 2, 2, 0]);
        assert_eq!(lanes.streams(), [0, 0, 0]);
        // When the last was issued, operation 2 had ended; 1 and 3 had not.
        let done: Vec<_> = lanes.done_beside(0, 12).collect();
        assert_eq!(done, [(2, 2)]);
    }
}
