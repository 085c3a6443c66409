//! The commands that a user may send to the controller that conducts a run, and its answers: pure.
//!
//! The controller decides when a command takes effect, as only it knows which starts are agreed on. Both
//! ends use the same user of the server, and no agent may publish or subscribe to these subjects. Only
//! sealed commands are obeyed: a client with nothing but the key to the server may read the state, and
//! change nothing.
//!
//! Not here: how commands travel ([`super::command_service`]), and the side that sends them
//! ([`super::command_channel`]).

use serde::{Deserialize, Serialize};

use crate::fleet_site::agent_name::AgentSession;

/// The subject of commands. No agent can have this name.
pub const WISH: &str = "fleet.event.-.wish";
pub const STANDING: &str = "fleet.event.-.standing";

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "wish", rename_all = "snake_case")]
pub enum UserCommand {
    /// Only requests the state of the run.
    Look,
    /// Pause the run; the pause has this number, from 0.
    Pause {
        /// The number of earlier pauses.
        number: u32,
    },
    /// End the pause with this number.
    Resume {
        /// The number of pauses before that one.
        number: u32,
    },
    Stop,
}

/// A command as sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandRequest {
    /// Drawn by the sender; answers are sealed for it.
    pub from: AgentSession,
    /// The run that the command is for; any run if it only requests the state.
    pub run: Option<String>,
    #[serde(flatten)]
    pub wish: UserCommand,
}

/// An answer as sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandAnswer {
    pub to: AgentSession,
    #[serde(flatten)]
    pub standing: RunStatus,
}

/// An answer, and the values that the next command must be sealed for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SealedFor {
    /// The session that the controller has drawn.
    pub controller: AgentSession,
    /// The number of the last command that it opened.
    pub opened: u64,
    #[serde(flatten)]
    pub answered: CommandAnswer,
}

/// The state of a run, for clients that send commands.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStatus {
    pub run: String,
    /// The number of pauses that were requested.
    pub pauses: u32,
    /// Whether a pause is requested now.
    pub wants_pause: bool,
    pub is_paused: bool,
    /// Whether a load point is in progress, or agreed on.
    pub measures: bool,
    /// The load point in progress, or the next one, from 0; `None` after the last.
    pub point: Option<u16>,
    /// Whether it is being stopped, or fetched.
    pub is_ending: bool,
}

impl CommandRequest {
    /// The command for this run; `None` if it is for another run.
    pub fn of(&self, run: &str) -> Option<UserCommand> {
        self.run.as_ref().is_none_or(|meant| meant == run).then_some(self.wish)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn commands_and_answers_arrive_unchanged() {
        for wish in [
            UserCommand::Look,
            UserCommand::Pause { number: 3 },
            UserCommand::Resume { number: 0 },
            UserCommand::Stop,
        ] {
            let asked =
                CommandRequest { from: AgentSession::draw().unwrap(), run: Some("r".to_owned()), wish };
            let came: CommandRequest = serde_json::from_slice(&serde_json::to_vec(&asked).unwrap()).unwrap();
            assert_eq!(came, asked);
            assert_eq!((came.of("r"), came.of("other")), (Some(wish), None));
        }
        let looks =
            CommandRequest { from: AgentSession::draw().unwrap(), run: None, wish: UserCommand::Look };
        assert_eq!(looks.of("any"), Some(UserCommand::Look));
        let answered = CommandAnswer {
            to: AgentSession::draw().unwrap(),
            standing: RunStatus { point: Some(2), ..RunStatus::default() },
        };
        let came: CommandAnswer = serde_json::from_slice(&serde_json::to_vec(&answered).unwrap()).unwrap();
        assert_eq!(came, answered);
    }
}
