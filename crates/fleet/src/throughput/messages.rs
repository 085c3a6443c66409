//! The controller's orders to two agents to measure the network between them, and their answers.
//!
//! Any message may be lost or arrive twice: an order is repeated until it is answered, and an agent
//! repeats the state of a measurement. Orders are sealed in envelopes like all others.

use std::fmt;
use std::net::SocketAddr;

use serde::{Deserialize, Serialize};

use crate::fleet_site::agent_name::AgentSession;

/// The last word of the subject: `fleet.event.NAME.network`.
pub const EVENT: &str = "network";

/// A secret for one measurement, as 64 hexadecimal digits.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct OneTimeSecret([u8; SECRET_BYTES]);

/// Bytes of a secret.
pub const SECRET_BYTES: usize = 32;

/// Not 64 hexadecimal digits. The text is not repeated: it may be most of a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a secret of 64 hexadecimal digits")]
pub struct NoSecret;

impl OneTimeSecret {
    /// Draws a new secret.
    ///
    /// # Errors
    /// If the system returns no random numbers.
    pub fn draw() -> Result<OneTimeSecret, getrandom::Error> {
        let mut bytes = [0; SECRET_BYTES];
        getrandom::fill(&mut bytes)?;
        Ok(OneTimeSecret(bytes))
    }

    pub fn bytes(&self) -> &[u8; SECRET_BYTES] {
        &self.0
    }
}

impl fmt::Debug for OneTimeSecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("OneTimeSecret")
    }
}

impl TryFrom<String> for OneTimeSecret {
    type Error = NoSecret;

    fn try_from(text: String) -> Result<OneTimeSecret, NoSecret> {
        let mut bytes = [0; SECRET_BYTES];
        if text.len() != 2 * SECRET_BYTES || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(NoSecret);
        }
        for (byte, digits) in bytes.iter_mut().zip(text.as_bytes().chunks(2)) {
            let digits = std::str::from_utf8(digits).map_err(|_| NoSecret)?;
            *byte = u8::from_str_radix(digits, 16).map_err(|_| NoSecret)?;
        }
        Ok(OneTimeSecret(bytes))
    }
}

impl From<OneTimeSecret> for String {
    fn from(secret: OneTimeSecret) -> String {
        secret.0.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// An order to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum NetworkOrder {
    /// Listen, and count the bytes that arrive.
    NetworkReceive(Reception),
    /// Send as much as possible.
    NetworkSend {
        /// The measurement, as in the order to the receiver.
        what: Reception,
        /// The addresses; the first that answers and proves itself is used.
        to: Vec<SocketAddr>,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reception {
    /// Its unique name.
    pub id: String,
    /// The secret that entitles a client to send.
    pub secret: OneTimeSecret,
    /// The number of connections.
    pub connections: u32,
    pub for_ms: u64,
}

impl NetworkOrder {
    /// The measurement that the order applies to.
    pub fn reception(&self) -> &Reception {
        match self {
            NetworkOrder::NetworkReceive(what) | NetworkOrder::NetworkSend { what, .. } => what,
        }
    }
}

/// The state of a measurement on one agent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum NetworkState {
    /// It listens at each address that it knows of.
    Listens {
        at: Vec<SocketAddr>,
    },
    Sends,
    Received(Received),
    Sent {
        to: SocketAddr,
        /// The owner's limit, if it slowed the measurement down.
        owner_bytes_per_s: Option<u64>,
    },
    /// It failed, or ended early.
    Failed {
        why: String,
    },
}

impl NetworkState {
    /// Whether it is final.
    pub fn is_over(&self) -> bool {
        !matches!(self, NetworkState::Listens { .. } | NetworkState::Sends)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// Bytes that arrived in the measured time.
    pub bytes: u64,
    pub elapsed_ns: u64,
    /// The owner's limit, if it slowed the measurement down.
    pub owner_bytes_per_s: Option<u64>,
    /// The number of connections that did not prove themselves.
    pub refused: u64,
}

/// An agent's report on a measurement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NetworkAnswer {
    /// The session of the process that sent it.
    pub life: AgentSession,
    /// The number of the last order that it decrypted.
    pub opened: u64,
    pub id: String,
    /// Whether the receiver sent it.
    pub receives: bool,
    pub state: NetworkState,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn secret_round_trips_and_is_never_shown() {
        let secret = OneTimeSecret::draw().unwrap();
        let text = String::from(secret.clone());
        assert_eq!(OneTimeSecret::try_from(text.clone()).unwrap(), secret);
        assert!(!format!("{secret:?}").contains(&text[..8]));
        for wrong in [text[1..].to_owned(), text.replace(|_| true, "g"), "é".repeat(32), String::new()] {
            assert!(OneTimeSecret::try_from(wrong).is_err());
        }
    }

    #[test]
    fn run_orders_and_network_orders_are_not_confused() {
        let secret = OneTimeSecret::draw().unwrap();
        let what = Reception { id: "x".to_owned(), secret, connections: 4, for_ms: 1_000 };
        let order = NetworkOrder::NetworkSend { what, to: vec!["10.0.0.1:9".parse().unwrap()] };
        let text = serde_json::to_string(&order).unwrap();
        assert_eq!(serde_json::from_str::<NetworkOrder>(&text).unwrap(), order);
        assert!(serde_json::from_str::<crate::protocol::Order>(&text).is_err());
        let stop = serde_json::to_string(&crate::protocol::Order::Stop { run: "r".to_owned() }).unwrap();
        assert!(serde_json::from_str::<NetworkOrder>(&stop).is_err());
    }
}
