//! What whoever commands a fleet may wish of the controller that conducts a run, and what that answers: pure.
//!
//! The controller decides when it becomes so, as only it knows what is agreed upon. Both are one user of the
//! server, and no agent may say or hear these subjects. Only what is sealed is heeded: whoever has the key to
//! the server alone may look, and change nothing.
//!
//! Not here: how wishes travel ([`super::wishes`]), and who has them ([`super::command_channel`]).

use serde::{Deserialize, Serialize};

use crate::fleet_site::agent_name::AgentSession;

/// Where wishes are said. No agent can have this name.
pub const WISH: &str = "fleet.event.-.wish";
pub const STANDING: &str = "fleet.event.-.standing";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "snake_case")]
pub enum Wish {
    /// Only to know how it stands.
    Look,
    /// That the run is paused for the time with this number, from 0.
    Pause {
        /// How often it was paused before.
        number: u32,
    },
    /// That the pause with this number ends.
    Resume {
        /// How often it was paused before that one.
        number: u32,
    },
    Stop,
}

/// A wish on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Whose: who asks has drawn this, and answers are sealed for it.
    pub from: AgentSession,
    /// The run that is meant; any, where somebody only looks.
    pub run: Option<String>,
    #[serde(flatten)]
    pub wish: Wish,
}

/// An answer on its way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answered {
    pub to: AgentSession,
    #[serde(flatten)]
    pub standing: Standing,
}

/// An answer with what the next wish is to be sealed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedFor {
    /// What the controller has drawn.
    pub controller: AgentSession,
    /// The number of the wish that it has opened last.
    pub opened: u64,
    #[serde(flatten)]
    pub answered: Answered,
}

/// How a run stands, for whoever wishes something of it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Standing {
    pub run: String,
    /// How often it was to be paused.
    pub pauses: u32,
    /// Whether it is to be paused now.
    pub wants_pause: bool,
    pub is_paused: bool,
    /// Whether a load point goes on, or was agreed upon.
    pub measures: bool,
    /// The load point that goes on or comes next, from 0; `None` where none does.
    pub point: Option<u16>,
    /// It is being stopped, or fetched.
    pub is_ending: bool,
}

impl Asked {
    /// What is wished of this run; nothing where another one is meant.
    pub fn of(&self, run: &str) -> Option<Wish> {
        self.run.as_ref().is_none_or(|meant| meant == run).then_some(self.wish)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn wishes_and_answers_arrive_as_they_were_said() {
        for wish in [Wish::Look, Wish::Pause { number: 3 }, Wish::Resume { number: 0 }, Wish::Stop] {
            let asked = Asked { from: AgentSession::draw().unwrap(), run: Some("r".to_owned()), wish };
            let came: Asked = serde_json::from_slice(&serde_json::to_vec(&asked).unwrap()).unwrap();
            assert_eq!(came, asked);
            assert_eq!((came.of("r"), came.of("other")), (Some(wish), None));
        }
        let looks = Asked { from: AgentSession::draw().unwrap(), run: None, wish: Wish::Look };
        assert_eq!(looks.of("any"), Some(Wish::Look));
        let answered = Answered {
            to: AgentSession::draw().unwrap(),
            standing: Standing { point: Some(2), ..Standing::default() },
        };
        let came: Answered = serde_json::from_slice(&serde_json::to_vec(&answered).unwrap()).unwrap();
        assert_eq!(came, answered);
    }
}
