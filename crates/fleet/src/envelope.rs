//! Envelopes of orders: the controller's key seals them, and an agent opens only those that are for it,
//! are current, and arrive for the first time. Commands to a controller and its answers are sealed the
//! same way.
//!
//! The server decides which users may send to an agent. An envelope makes the agent independent of that:
//! an attacker who runs the server, or has another agent's key, can withhold an order, but cannot forge,
//! change or repeat it, or redirect it to another agent.
//!
//! The seal covers the fleet, the agent, the session of its process ([`AgentSession`]), a number that
//! rises with every order of that session, and the body. All of it is verified before the body is read.
//!
//! On the wire: four letters with the version, 64 bytes of seal, then the sealed part: fleet and session
//! (32 characters each), the number (8 bytes, big-endian), the length of the name (1 byte), the name,
//! the body.
//!
//! Pure. Not here: the content of an order.

use crate::fleet_site::agent_name::{AgentName, AgentSession, FleetId};
use crate::fleet_site::key::{SIGNATURE_BYTES, SealCheck, SealingKey};
use crate::protocol::PROTOCOL;

/// The start of an envelope; a digit follows, the version of the protocol.
const FORMAT: &[u8; 3] = b"RGO";
const VERSION: u8 = b'0' + PROTOCOL as u8;
const MAGIC: &[u8; 4] = &[FORMAT[0], FORMAT[1], FORMAT[2], VERSION];
/// The recipient's name in commands and their answers. No agent can have this name.
const CONTROLLER: &str = "-";
/// The length of a fleet's and of a session's identifier.
const DRAWN_CHARS: usize = 32;
/// The largest body. By default, a server accepts 1 MB in one message.
pub const BODY_BYTES_MAX: usize = 900 * 1024;

#[derive(Debug)]
pub struct Sealer {
    key: SealingKey,
    fleet: FleetId,
}

/// Opens the envelopes for one session of an agent's process.
#[derive(Debug)]
pub struct Opener {
    check: SealCheck,
    fleet: FleetId,
    to: String,
    session: AgentSession,
    last: u64,
}

/// An opened order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened<'a> {
    pub number: u64,
    pub body: &'a [u8],
}

/// Why an envelope is not opened.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OrderRefusal {
    #[error(
        "not a command of this version. Install the same version of Reelgauge on the controller and this \
         agent"
    )]
    NoEnvelope,
    /// An envelope of another version.
    #[error(
        "the command uses protocol {0}, but this agent uses {PROTOCOL}. Install the same version of \
         Reelgauge on the controller and this agent"
    )]
    OtherProtocol(u32),
    /// Sealed by another key, or changed in transit.
    #[error("its signature is not the controller's: it came from another sender, or was changed in transit")]
    Seal,
    /// An order of another fleet.
    #[error("it belongs to another fleet")]
    OtherFleet,
    /// An order to another agent.
    #[error("it is for another agent, {}", .0.escape_debug())]
    OtherAgent(String),
    /// An order to an earlier session of this agent.
    #[error("it was sent before this agent's last restart")]
    OtherSession,
    /// An order that was opened already, or that arrived after a later one.
    #[error("command {number} arrived after command {last}: it was replayed or delayed, so it was rejected")]
    Replayed {
        number: u64,
        /// The last order that was opened.
        last: u64,
    },
}

impl OrderRefusal {
    /// Whether no order of that sender would ever be opened: another version, key or fleet.
    pub fn is_foreign(&self) -> bool {
        matches!(
            self,
            OrderRefusal::NoEnvelope
                | OrderRefusal::OtherProtocol(_)
                | OrderRefusal::Seal
                | OrderRefusal::OtherFleet
        )
    }
}

/// A body that is too long for an envelope.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a command of {0} bytes is too large for one message (at most {BODY_BYTES_MAX}). Shorten the plan")]
pub struct TooLong(pub usize);

impl Sealer {
    /// A sealer with this key, for this fleet.
    pub fn new(key: SealingKey, fleet: FleetId) -> Sealer {
        Sealer { key, fleet }
    }

    /// Seals an order. The number must be above that of every earlier order of this session: an agent
    /// reports the last one that it opened, so that a restarted controller continues from there.
    ///
    /// # Errors
    /// If the body is too long.
    pub fn seal(
        &self,
        to: &AgentName,
        session: &AgentSession,
        number: u64,
        body: &[u8],
    ) -> Result<Vec<u8>, TooLong> {
        self.sealed(to.as_str(), session, number, body)
    }

    /// Seals a command for the controller that drew this session, or the answer to the client that drew
    /// it.
    ///
    /// # Errors
    /// If the body is too long.
    pub fn seal_wish(&self, session: &AgentSession, number: u64, body: &[u8]) -> Result<Vec<u8>, TooLong> {
        self.sealed(CONTROLLER, session, number, body)
    }

    fn sealed(&self, to: &str, session: &AgentSession, number: u64, body: &[u8]) -> Result<Vec<u8>, TooLong> {
        if body.len() > BODY_BYTES_MAX {
            return Err(TooLong(body.len()));
        }
        let mut sealed = Vec::with_capacity(2 * DRAWN_CHARS + 9 + to.len() + body.len());
        sealed.extend_from_slice(self.fleet.as_str().as_bytes());
        sealed.extend_from_slice(session.as_str().as_bytes());
        sealed.extend_from_slice(&number.to_be_bytes());
        // Names have 48 characters at most.
        sealed.push(u8::try_from(to.len()).unwrap_or(u8::MAX));
        sealed.extend_from_slice(to.as_bytes());
        sealed.extend_from_slice(body);
        let signature = self.key.sign(&signed(&sealed));
        Ok([MAGIC.as_slice(), &signature, &sealed].concat())
    }
}

impl Opener {
    /// An opener for this session of this agent.
    pub fn new(check: SealCheck, fleet: FleetId, agent: AgentName, session: AgentSession) -> Opener {
        Opener { check, fleet, to: agent.into(), session, last: 0 }
    }

    /// For a controller, or a client that sends it commands, in the session that it drew.
    pub fn of_wishes(check: SealCheck, fleet: FleetId, session: AgentSession) -> Opener {
        Opener { check, fleet, to: CONTROLLER.to_owned(), session, last: 0 }
    }

    /// The number of the last order that was opened; 0 before the first.
    pub fn last(&self) -> u64 {
        self.last
    }

    /// Opens an envelope, or returns the reason for a refusal. A refused envelope changes nothing.
    ///
    /// # Errors
    /// If the message is not the controller's, for this agent, current, and new.
    pub fn open<'a>(&mut self, message: &'a [u8]) -> Result<Opened<'a>, OrderRefusal> {
        let opened = self.open_in_any_order(message)?;
        if opened.number <= self.last {
            return Err(OrderRefusal::Replayed { number: opened.number, last: self.last });
        }
        self.last = opened.number;
        Ok(opened)
    }

    /// Opens a message regardless of its number, for messages that may arrive twice: answers.
    ///
    /// # Errors
    /// If the message is not the controller's, or not for this session.
    pub fn open_in_any_order<'a>(&self, message: &'a [u8]) -> Result<Opened<'a>, OrderRefusal> {
        let rest = message.strip_prefix(MAGIC.as_slice()).ok_or_else(|| not_this_version(message))?;
        let (signature, sealed) = rest.split_at_checked(SIGNATURE_BYTES).ok_or(OrderRefusal::NoEnvelope)?;
        if !self.check.holds(&signed(sealed), signature) {
            return Err(OrderRefusal::Seal);
        }
        let parts = Parts::of(sealed).ok_or(OrderRefusal::NoEnvelope)?;
        if parts.fleet != self.fleet.as_str().as_bytes() {
            return Err(OrderRefusal::OtherFleet);
        }
        if parts.agent != self.to.as_bytes() {
            return Err(OrderRefusal::OtherAgent(String::from_utf8_lossy(parts.agent).into_owned()));
        }
        if parts.session != self.session.as_str().as_bytes() {
            return Err(OrderRefusal::OtherSession);
        }
        Ok(Opened { number: parts.number, body: parts.body })
    }
}

/// The refusal of a message that does not begin like an envelope of this version.
fn not_this_version(message: &[u8]) -> OrderRefusal {
    match message.strip_prefix(FORMAT.as_slice()) {
        Some([digit @ b'0'..=b'9', ..]) => OrderRefusal::OtherProtocol(u32::from(digit - b'0')),
        _ => OrderRefusal::NoEnvelope,
    }
}

/// The bytes that the seal covers: the version, too.
fn signed(sealed: &[u8]) -> Vec<u8> {
    [MAGIC.as_slice(), sealed].concat()
}

/// The sealed part, in its fields.
struct Parts<'a> {
    fleet: &'a [u8],
    session: &'a [u8],
    number: u64,
    agent: &'a [u8],
    body: &'a [u8],
}

impl<'a> Parts<'a> {
    fn of(sealed: &'a [u8]) -> Option<Parts<'a>> {
        let (fleet, rest) = sealed.split_at_checked(DRAWN_CHARS)?;
        let (session, rest) = rest.split_at_checked(DRAWN_CHARS)?;
        let (number, rest) = rest.split_first_chunk()?;
        let (&agent_bytes, rest) = rest.split_first()?;
        let (agent, body) = rest.split_at_checked(usize::from(agent_bytes))?;
        Some(Parts { fleet, session, number: u64::from_be_bytes(*number), agent, body })
    }
}

#[cfg(test)]
mod tests;
