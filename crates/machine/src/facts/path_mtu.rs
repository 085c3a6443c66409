//! The MTUs of both ends of the path to a server, if both are known: that of the local link, and that of
//! the server from `site.toml`. A connection shows only the smaller of the two, so only `site.toml` can
//! show that the server's MTU is larger.

use super::number::whole;
use super::{FactSubject, pair};
use crate::texts::Texts;

/// The name of the text: lines `fact = value`.
pub const ENDS: &str = "both ends";

/// The MTU of this end, and of the other one.
const FACTS: [&str; 2] = ["own_mtu_bytes", "other_end_mtu_bytes"];

/// The text for both ends.
pub fn text(own_bytes: u32, other_bytes: u32) -> String {
    format!("{} = {own_bytes}\n{} = {other_bytes}\n", FACTS[0], FACTS[1])
}

/// Adds both; nothing if only one is known.
pub(super) fn of(machine: &mut FactSubject, texts: &Texts) {
    let said = texts.get(ENDS).unwrap_or_default();
    let value = |wanted: &str| {
        let line = said.lines().filter_map(|line| pair(line, '=')).find(|(key, _)| *key == wanted)?;
        whole(line.1).filter(|bytes| *bytes > 0.0)
    };
    let both = value(FACTS[0]).zip(value(FACTS[1]));
    for (fact, bytes) in
        FACTS.into_iter().zip(both.map_or([None; 2], |(own, other)| [Some(own), Some(other)]))
    {
        match bytes {
            Some(bytes) => machine.number(fact, Some(bytes), ENDS),
            None => machine.nothing(fact),
        }
    }
}
