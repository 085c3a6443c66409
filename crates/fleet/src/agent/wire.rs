//! The format of answers: a line of JSON, followed by the bytes of a piece.
//!
//! Each contains the session of the agent's process and the last order it decrypted, so that a restarted
//! controller can seal orders for it. Pure.

use serde::{Deserialize, Serialize};

use crate::fleet_site::agent_name::AgentSession;
use crate::protocol::Answer;

/// The last word of the subject: `fleet.event.NAME.run`.
pub const EVENT: &str = "run";

#[derive(Serialize)]
struct Sent<'a> {
    life: &'a AgentSession,
    opened: u64,
    #[serde(flatten)]
    answer: &'a Answer,
}

#[derive(Deserialize)]
struct Received {
    life: AgentSession,
    opened: u64,
    #[serde(flatten)]
    answer: Answer,
}

/// An answer that arrived.
#[derive(Clone, Debug, PartialEq)]
pub struct ReceivedAnswer {
    /// The session of the agent's process that sent it.
    pub life: AgentSession,
    /// The number of the last order that it had decrypted.
    pub opened: u64,
    pub answer: Answer,
}

/// An answer as a message.
pub fn message(life: &AgentSession, opened: u64, answer: &Answer) -> Vec<u8> {
    let mut message = serde_json::to_vec(&Sent { life, opened, answer }).unwrap_or_default();
    if let Answer::Piece { bytes, .. } = answer {
        message.push(b'\n');
        message.extend_from_slice(bytes);
    }
    message
}

/// A message as an answer; `None` if it is not one.
pub fn answer(message: &[u8]) -> Option<ReceivedAnswer> {
    // JSON on one line contains no line break.
    let end = message.iter().position(|&byte| byte == b'\n').unwrap_or(message.len());
    let Received { life, opened, mut answer } = serde_json::from_slice(&message[..end]).ok()?;
    if let Answer::Piece { bytes, .. } = &mut answer {
        *bytes = message.get(end + 1..)?.to_vec();
    }
    Some(ReceivedAnswer { life, opened, answer })
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use proptest::prelude::*;

    use super::*;
    use crate::protocol::Beat;

    proptest! {
        #[test]
        fn any_bytes_of_a_piece_arrive(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let life = AgentSession::draw().unwrap();
            let piece = Answer::Piece { run: "r".to_owned(), file: "f\n".to_owned(), offset: 7, bytes };
            let came = answer(&message(&life, 3, &piece)).unwrap();
            prop_assert_eq!(came, ReceivedAnswer { life, opened: 3, answer: piece });
        }

        #[test]
        fn invalid_messages_are_no_answers(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = answer(&bytes);
        }
    }

    #[test]
    fn beats_arrive() {
        let life = AgentSession::draw().unwrap();
        let beat = Answer::Beat(Box::new(Beat { session: u64::MAX, beat: 9, ..Beat::default() }));
        assert_eq!(answer(&message(&life, 0, &beat)).unwrap().answer, beat);
        assert_eq!(answer(b"{}"), None);
    }
}
