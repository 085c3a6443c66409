//! Pause frames of each interface (`ethtool -I --show-pause`): how often the other end paused this host,
//! and how often this host paused the other end. Drivers that do not count them, and interfaces other
//! than Ethernet, have no values. See ethtool-netlink in the kernel's documentation.

use super::put_on;
use crate::netlink::message::{attributes, u64_at};
use crate::sample::counter::{Layer, Look, Reading};

/// Attributes of a reply: the counters, which contain those of sent and received frames.
const STATS: u16 = 5;
const SENT: u16 = 2;
const RECEIVED: u16 = 3;

/// The counters of one interface since its driver was loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pauses {
    /// `eth0`.
    pub name: String,
    sent: Option<u64>,
    received: Option<u64>,
}

/// The counters of an interface from a reply's attributes; `None` if it has none.
pub fn pauses(name: String, body: &[u8]) -> Option<Pauses> {
    let (_, stats) = attributes(body).find(|(kind, _)| *kind == STATS)?;
    let count = |wanted: u16| {
        attributes(stats).find(|(kind, _)| *kind == wanted).and_then(|(_, value)| u64_at(value, 0))
    };
    let (sent, received) = (count(SENT), count(RECEIVED));
    (sent.is_some() || received.is_some()).then_some(Pauses { name, sent, received })
}

/// Adds an interface's counters.
pub fn put(pauses: &Pauses, look: &mut Look) {
    let both = [("rx_pause_frames_per_s", pauses.received), ("tx_pause_frames_per_s", pauses.sent)];
    for (name, count) in both {
        if let Some(count) = count {
            put_on(look, Layer::Network, name, &pauses.name, Reading::PerSecond(count));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::attribute;
    use crate::sample::parse::testing::{all_known, reading};

    fn answer(counts: &[(u16, u64)]) -> Vec<u8> {
        let counts: Vec<u8> =
            counts.iter().flat_map(|(kind, count)| attribute(*kind, &count.to_ne_bytes())).collect();
        // The reply begins with the attributes for autonegotiation, receive and send.
        [attribute(2, &[1]), attribute(3, &[1]), attribute(STATS | 0x8000, &counts)].concat()
    }

    #[test]
    fn received_and_sent_pauses_are_separate() {
        let found = pauses("eth0".to_owned(), &answer(&[(SENT, 7), (RECEIVED, 9)]));
        let mut look = Look::new();
        found.iter().for_each(|pauses| put(pauses, &mut look));
        all_known(&look);
        assert_eq!(reading(&look, "rx_pause_frames_per_s", "eth0"), &Reading::PerSecond(9));
        assert_eq!(reading(&look, "tx_pause_frames_per_s", "eth0"), &Reading::PerSecond(7));
    }

    #[test]
    fn missing_pause_counter_is_omitted() {
        let one = pauses("eth0".to_owned(), &answer(&[(RECEIVED, 0)]));
        assert_eq!(one.map(|one| (one.sent, one.received)), Some((None, Some(0))));
        assert_eq!(pauses("eth0".to_owned(), &answer(&[])), None);
        assert_eq!(pauses("eth0".to_owned(), &attribute(2, &[1])), None);
        let whole = answer(&[(SENT, 7)]);
        // A truncated message yields its complete parts, or nothing.
        (0..whole.len()).for_each(|length| drop(pauses(String::new(), &whole[..length])));
    }
}
