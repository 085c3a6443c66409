//! Interfaces from netlink (`ip -s -s link`): their numbers and names, and the packets that their cards
//! dropped for lack of buffers. `/sys/class/net` has the same, but of the network namespace in which it
//! was mounted. See rtnetlink(7).

use super::put_on;
use crate::netlink::message::{attributes, u32_at, u64_at};
use crate::sample::counter::{Layer, Look, Reading};

/// The type of the question.
pub const GET_CARDS: u16 = 18;

/// The question's body: every interface.
pub const EVERY_CARD: [u8; 16] = [0; 16];

/// Attributes of an answer: the name, and the counters.
const NAME: u16 = 3;
const STATS64: u16 = 23;

/// Positions among the counters: overruns of the card's ring, and packets that the driver missed.
const FIFO_AT: usize = 112;
const MISSED_AT: usize = 120;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Card {
    pub number: u32,
    /// `eth0`.
    pub name: String,
    overruns: Option<u64>,
}

/// An interface from a reply's body; `None` if it is not an interface.
pub fn card(body: &[u8]) -> Option<Card> {
    let number = u32_at(body, 4)?;
    let (mut name, mut overruns) = (None, None);
    for (kind, value) in attributes(body.get(16..)?) {
        match kind {
            NAME => {
                let text = value.split(|byte| *byte == 0).next().unwrap_or_default();
                name = Some(String::from_utf8_lossy(text).into_owned());
            }
            STATS64 => {
                let both = u64_at(value, FIFO_AT).zip(u64_at(value, MISSED_AT));
                overruns = both.map(|(fifo, missed)| fifo.saturating_add(missed));
            }
            _ => {}
        }
    }
    Some(Card { number, name: name.filter(|name| !name.is_empty())?, overruns })
}

/// Adds an interface's counters.
pub fn put(card: &Card, look: &mut Look) {
    if let Some(overruns) = card.overruns {
        put_on(look, Layer::Network, "rx_overruns_per_s", &card.name, Reading::PerSecond(overruns));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::message::attribute;
    use crate::sample::parse::testing::{all_known, reading};

    fn answer(stats_bytes: usize) -> Vec<u8> {
        let mut stats = vec![0; stats_bytes];
        for at in (0..stats_bytes / 8).map(|number| number * 8) {
            stats[at..][..8].copy_from_slice(&(at as u64).to_ne_bytes());
        }
        let head = [0_u32, 7, 0, 0].map(u32::to_ne_bytes).concat();
        [head, attribute(NAME, b"eth0\0"), attribute(STATS64, &stats)].concat()
    }

    #[test]
    fn card_names_and_overruns_are_read() {
        let found = card(&answer(200));
        let expected = Card { number: 7, name: "eth0".to_owned(), overruns: Some(112 + 120) };
        assert_eq!(found.as_ref(), Some(&expected));
        let mut look = Look::new();
        found.iter().for_each(|card| put(card, &mut look));
        all_known(&look);
        assert_eq!(reading(&look, "rx_overruns_per_s", "eth0"), &Reading::PerSecond(232));
        // Counters that end early are ignored.
        assert_eq!(card(&answer(120)), Some(Card { overruns: None, ..expected }));
    }

    #[test]
    fn hostile_answers_give_nothing() {
        let whole = answer(200);
        for length in 0..25 {
            assert_eq!(card(&whole[..length]), None, "{length}");
        }
    }
}
