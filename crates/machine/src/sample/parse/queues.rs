//! The send queues of interfaces (`tc -s qdisc`): their drops, and their length. See tc(8).

use super::put_on;
use crate::netlink::message::{attributes, u32_at};
use crate::sample::counter::{Layer, Look, Reading};

/// The type of the request.
pub const GET_QUEUES: u16 = 38;

/// The body of a request for all interfaces.
pub const EVERY_QUEUE: [u8; 20] = [0; 20];

/// The root queue of an interface; its counters include the queues below it.
const ROOT: u32 = 0xffff_ffff;

/// Attributes of a reply: the counters in the format since Linux 3.19, which contain the queue's own.
const STATS2: u16 = 7;
const STATS_QUEUE: u16 = 3;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Number of its interface.
    pub interface: u32,
    backlog_bytes: u32,
    drops: u32,
}

/// The root queue of an interface from a reply's body; `None` if it is not a root queue.
pub fn queue(body: &[u8]) -> Option<Queue> {
    let (interface, parent) = (u32_at(body, 4)?, u32_at(body, 12)?);
    if parent != ROOT {
        return None;
    }
    let (_, stats) = attributes(body.get(20..)?).find(|(kind, _)| *kind == STATS2)?;
    let (_, counts) = attributes(stats).find(|(kind, _)| *kind == STATS_QUEUE)?;
    // Length in packets, bytes waiting, drops.
    Some(Queue { interface, backlog_bytes: u32_at(counts, 4)?, drops: u32_at(counts, 8)? })
}

/// Adds a queue's counters, by the name of its interface.
pub fn put(queue: &Queue, interface: &str, look: &mut Look) {
    let drops = Reading::PerSecond(u64::from(queue.drops));
    put_on(look, Layer::Network, "queue_drops_per_s", interface, drops);
    let backlog = Reading::Level(f64::from(queue.backlog_bytes));
    put_on(look, Layer::Network, "queue_backlog_bytes", interface, backlog);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::parse::testing::{all_known, reading};

    fn attribute(kind: u16, value: &[u8]) -> Vec<u8> {
        let length = value.len() as u16 + 4;
        [&length.to_ne_bytes()[..], &kind.to_ne_bytes(), value].concat()
    }

    /// As Linux reports a `tbf` on interface 7.
    fn answer(parent: u32) -> Vec<u8> {
        let numbers = [3_u32, 4_542, 29, 0, 812].map(u32::to_ne_bytes).concat();
        let stats = attribute(STATS_QUEUE, &numbers);
        let head = [0_u32, 7, 0x8001_0000, parent, 2].map(u32::to_ne_bytes).concat();
        [head, attribute(1, b"tbf\0"), attribute(STATS2, &stats)].concat()
    }

    #[test]
    fn root_queue_is_reported() {
        let found = queue(&answer(ROOT));
        assert_eq!(found, Some(Queue { interface: 7, backlog_bytes: 4_542, drops: 29 }));
        assert_eq!(queue(&answer(0x8001_0001)), None, "one below it");
        let mut look = Look::new();
        found.iter().for_each(|queue| put(queue, "eth0", &mut look));
        all_known(&look);
        assert_eq!(reading(&look, "queue_drops_per_s", "eth0"), &Reading::PerSecond(29));
        assert_eq!(reading(&look, "queue_backlog_bytes", "eth0"), &Reading::Level(4_542.0));
    }

    #[test]
    fn hostile_answers_give_nothing() {
        let whole = answer(ROOT);
        for length in 0..whole.len() {
            let found = queue(&whole[..length]);
            assert!(found.is_none(), "{length}: {found:?}");
        }
    }
}
