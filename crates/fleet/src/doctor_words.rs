//! The controller's orders apart from runs: to check a host, and to list or remove what earlier runs
//! left; and the agent's answers.
//!
//! Any message may be lost or arrive twice: an order is repeated until it is answered, and an agent
//! repeats its results. Orders are sealed in envelopes like all others.

use reelgauge_doctor::multi_host::HostResult;
use reelgauge_report::fleet_clean::{LEFTOVERS_MAX, Leftover};
use serde::{Deserialize, Serialize};

use crate::fleet_site::agent_name::AgentSession;

/// The last word of the subject: `fleet.event.NAME.doctor`.
pub const EVENT: &str = "doctor";
/// The presence lists this if an agent can check its host.
pub const KNOWS_DOCTOR: &str = "doctor";
/// The kind of orders about leftovers of earlier runs.
pub const KNOWS_CLEAN: &str = "clean";
/// The largest answer, in bytes.
pub const ANSWER_BYTES_MAX: usize = 256 << 10;

/// An order to an agent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "order", rename_all = "snake_case")]
pub enum DoctorOrder {
    /// Check the host, and the path to each root. Nothing is written or changed.
    DoctorLook {
        /// The unique name of this check.
        id: String,
    },
    /// List what earlier runs left.
    Clean {
        /// The unique name of this request.
        id: String,
        /// Remove the test files. Runs stay.
        removes: bool,
    },
}

/// The state of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DoctorState {
    Looks,
    Found(HostResult),
    /// The leftovers, and those of them that were removed.
    Left {
        leftovers: Vec<Leftover>,
    },
    /// It was not done.
    Failed {
        why: String,
    },
}

impl DoctorState {
    /// Whether it is final.
    pub fn is_over(&self) -> bool {
        *self != DoctorState::Looks
    }
}

/// An agent's report on a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorAnswer {
    /// The session of the process that sent it.
    pub life: AgentSession,
    /// The number of the last order that it opened.
    pub opened: u64,
    pub id: String,
    pub state: DoctorState,
}

impl DoctorAnswer {
    /// The answer as a message of limited length: the least severe findings are dropped if it would be
    /// too long.
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

    /// A message as an answer; `None` if it is not an answer, or too long.
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

    use reelgauge_doctor::multi_host::{FindingResult, PlaceResult};
    use reelgauge_doctor::rule::Severity;

    use super::*;
    use crate::protocol;
    use crate::throughput::messages::NetworkOrder;

    fn answer(findings: usize) -> DoctorAnswer {
        let finding = FindingResult {
            rule: "r".to_owned(),
            title: "t".repeat(500),
            severity: Severity::Low,
            found: vec!["f".repeat(500); 8],
            change: String::new(),
        };
        let place = PlaceResult { findings: vec![finding; findings], ..PlaceResult::default() };
        let state = DoctorState::Found(HostResult { places: vec![place] });
        DoctorAnswer { life: AgentSession::draw().unwrap(), opened: 7, id: "i".to_owned(), state }
    }

    #[test]
    fn an_answer_fits_and_counts_its_dropped_findings() {
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
