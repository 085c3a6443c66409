//! What a controller orders of an agent beside runs: to look at its machine, and to list or remove what
//! earlier runs left. And what the agent answers.
//!
//! Anything may be lost or come twice: an order is given until it is answered, and what an agent has found it
//! says again. Orders come in envelopes as all others do.

use reelgauge_doctor::several::HostSaid;
use reelgauge_report::fleet_clean::{LEFTOVERS_MAX, Leftover};
use serde::{Deserialize, Serialize};

use crate::fleet_site::agent_name::AgentSession;

/// What an answer is sent as: `fleet.event.NAME.doctor`.
pub const EVENT: &str = "doctor";
/// That an agent can be told to look, as it says of itself.
pub const KNOWS_DOCTOR: &str = "doctor";
/// The same of what earlier runs left.
pub const KNOWS_CLEAN: &str = "clean";
/// An answer has no more bytes than this.
pub const ANSWER_BYTES_MAX: usize = 256 << 10;

/// What an agent is told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum DoctorOrder {
    /// Look at the machine, and at the way to each root. Nothing is written, nothing changed.
    DoctorLook {
        /// What this look is called; no two are called the same.
        id: String,
    },
    /// List what earlier runs left.
    Clean {
        /// As of a look.
        id: String,
        /// Remove the test files. Runs stay.
        removes: bool,
    },
}

/// How a look stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DoctorState {
    Looks,
    Found(HostSaid),
    /// What is left, and what was removed of it.
    Left {
        leftovers: Vec<Leftover>,
    },
    /// It was not done.
    Failed {
        why: String,
    },
}

impl DoctorState {
    /// Whether nothing comes after it.
    pub fn is_over(&self) -> bool {
        *self != DoctorState::Looks
    }
}

/// What an agent says of a look.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorAnswer {
    /// Which life of its process says it.
    pub life: AgentSession,
    /// The number of the order that it has opened last.
    pub opened: u64,
    pub id: String,
    pub state: DoctorState,
}

impl DoctorAnswer {
    /// As a message that is not too long: what costs least is left off where it would be.
    pub fn message(mut self) -> Vec<u8> {
        loop {
            let text = serde_json::to_vec(&self).unwrap_or_default();
            let is_shorter = match &mut self.state {
                DoctorState::Found(said) if text.len() > ANSWER_BYTES_MAX => said.leave_off_one(),
                DoctorState::Left { leftovers } if text.len() > ANSWER_BYTES_MAX => leftovers.pop().is_some(),
                _ => false,
            };
            if !is_shorter {
                return text;
            }
        }
    }

    /// A message as an answer; `None` where it is none, or too long for one.
    pub fn read(message: &[u8]) -> Option<DoctorAnswer> {
        let is_short = message.len() <= ANSWER_BYTES_MAX;
        let mut answer: DoctorAnswer = is_short.then(|| serde_json::from_slice(message).ok()).flatten()?;
        match &mut answer.state {
            DoctorState::Found(said) => said.bound(),
            DoctorState::Left { leftovers } => leftovers.truncate(LEFTOVERS_MAX),
            DoctorState::Looks | DoctorState::Failed { .. } => {}
        }
        Some(answer)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_doctor::rule::Severity;
    use reelgauge_doctor::several::{FindingSaid, PlaceSaid};

    use super::*;
    use crate::protocol;
    use crate::throughput::messages::NetworkOrder;

    fn answer(findings: usize) -> DoctorAnswer {
        let finding = FindingSaid {
            rule: "r".to_owned(),
            title: "t".repeat(500),
            severity: Severity::Low,
            found: vec!["f".repeat(500); 8],
            change: String::new(),
        };
        let place = PlaceSaid { findings: vec![finding; findings], ..PlaceSaid::default() };
        let state = DoctorState::Found(HostSaid { places: vec![place] });
        DoctorAnswer { life: AgentSession::draw().unwrap(), opened: 7, id: "i".to_owned(), state }
    }

    #[test]
    fn an_answer_fits_and_says_what_it_left_off() {
        let message = answer(150).message();
        assert!(message.len() <= ANSWER_BYTES_MAX && message.len() > ANSWER_BYTES_MAX / 2);
        let DoctorState::Found(said) = DoctorAnswer::read(&message).unwrap().state else { panic!() };
        let place = &said.places[0];
        assert_eq!(place.findings.len() as u64 + place.left_off, 150);
        assert!(place.left_off > 0);
        let short = answer(2);
        assert_eq!(DoctorAnswer::read(&short.clone().message()), Some(short));
        assert_eq!(DoctorAnswer::read(&vec![b' '; ANSWER_BYTES_MAX + 1]), None);
    }

    #[test]
    fn it_is_an_order_of_no_other_kind_and_no_other_is_one_of_these() {
        let order = serde_json::to_vec(&DoctorOrder::DoctorLook { id: "x".to_owned() }).unwrap();
        assert!(serde_json::from_slice::<NetworkOrder>(&order).is_err());
        assert!(serde_json::from_slice::<protocol::Order>(&order).is_err());
        let clean = DoctorOrder::Clean { id: "x".to_owned(), removes: true };
        let clean = serde_json::to_vec(&clean).unwrap();
        assert!(serde_json::from_slice::<NetworkOrder>(&clean).is_err());
        assert!(serde_json::from_slice::<protocol::Order>(&clean).is_err());
        let stop = serde_json::to_vec(&protocol::Order::Stop { run: "r".to_owned() }).unwrap();
        assert!(serde_json::from_slice::<DoctorOrder>(&stop).is_err());
    }
}
