//! The subjects of messages, and who may publish and receive them.
//!
//! | subject | from | to | what |
//! |---|---|---|---|
//! | `fleet.ask.NAME.WHAT` | controller | one agent | questions that change nothing |
//! | `fleet.order.NAME` | controller | one agent | orders, each in an envelope |
//! | `fleet.event.NAME.WHAT` | that agent | controller | events, which are not stored |
//! | `fleet.event.-.WHAT` | controller | controller | messages to itself; commands for its run |
//!
//! Answers go to the inbox of the asking client, and an agent may publish there only after a question.
//! Each user has a separate inbox, so that no user receives the answers to another. Every agent is asked
//! under its own name, which no other agent receives: so none can answer for another. All subscriptions
//! are plain. In a queue group, which NATS gives to the endpoints of its services, a start would reach
//! only one agent of many.

use super::agent_name::AgentName;

/// The name under which agents appear as services.
pub const SERVICE: &str = "reelgauge-agent";
/// The controller's inbox for answers.
pub const CONTROLLER_INBOX: &str = "_INBOX_controller";
/// A question that an agent answers and that changes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Question {
    /// Asks for its presence.
    Presence,
    /// Asks for its time.
    Clock,
    /// Asks which of these directories below its roots are missing.
    Directories,
}

impl Question {
    pub const ALL: [Question; 3] = [Question::Presence, Question::Clock, Question::Directories];

    /// The word in a subject.
    pub const fn word(self) -> &'static str {
        match self {
            Question::Presence => "presence",
            Question::Clock => "clock",
            Question::Directories => "directories",
        }
    }

    /// The question with this subject.
    pub fn of_subject(subject: &str) -> Option<Question> {
        let word = subject.strip_prefix("fleet.ask.")?.split('.').nth(1)?;
        Question::ALL.into_iter().find(|question| question.word() == word)
    }
}

/// The subject of a question to one agent.
pub fn ask(agent: &AgentName, question: Question) -> String {
    format!("fleet.ask.{agent}.{}", question.word())
}

/// The subject that an agent subscribes to for questions.
pub fn asked(agent: &AgentName) -> String {
    format!("fleet.ask.{agent}.*")
}

/// The subject of orders to one agent.
pub fn order(agent: &AgentName) -> String {
    format!("fleet.order.{agent}")
}

/// The subject of an agent's events, which are not stored.
pub fn event(agent: &AgentName, what: &str) -> String {
    format!("fleet.event.{agent}.{what}")
}

/// An agent's inbox for answers.
pub fn agent_inbox(agent: &AgentName) -> String {
    format!("_INBOX_agent-{agent}")
}

/// What a user may publish and subscribe to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permissions {
    /// Subjects it may publish to.
    pub publish: Vec<String>,
    /// Subjects it may subscribe to.
    pub subscribe: Vec<String>,
    /// The number of answers that it may send to the inbox of one question, in addition; `None` if it
    /// answers nothing.
    pub answers: Option<u32>,
}

/// The largest number of messages that answer one order: an answer may be a file in pieces.
const ANSWERS_MAX: u32 = 4096;

impl Permissions {
    /// The controller's: questions and orders to agents. It cannot publish events in the name of an
    /// agent.
    pub fn of_controller() -> Permissions {
        let list = |subjects: &[&str]| subjects.iter().map(|&subject| subject.to_owned()).collect();
        Permissions {
            publish: list(&["fleet.ask.>", "fleet.order.>", "fleet.event.-.>", "$SRV.>"]),
            subscribe: list(&["_INBOX_controller.>", "fleet.event.>"]),
            answers: None,
        }
    }

    /// An agent's: it receives only messages for it, and publishes only its own events.
    pub fn of_agent(agent: &AgentName) -> Permissions {
        let discovery = ["PING", "INFO", "STATS"].into_iter().flat_map(|verb| {
            let named = format!("$SRV.{verb}.{SERVICE}");
            [format!("$SRV.{verb}"), format!("{named}.*"), named]
        });
        let own = [format!("{}.>", agent_inbox(agent)), asked(agent), order(agent)];
        Permissions {
            publish: vec![event(agent, ">")],
            subscribe: own.into_iter().chain(discovery).collect(),
            answers: Some(ANSWERS_MAX),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn questions_are_known_by_their_subjects() {
        let agent: AgentName = "edit-07".parse().unwrap();
        for question in Question::ALL {
            assert_eq!(Question::of_subject(&ask(&agent, question)), Some(question));
        }
        for none in ["", "fleet.ask", "fleet.ask.edit-07", "fleet.ask.edit-07.stop", "fleet.order.edit-07"] {
            assert_eq!(Question::of_subject(none), None, "{none}");
        }
    }

    /// Whether a subject matches a pattern, by the rules of NATS.
    fn covers(pattern: &str, subject: &str) -> bool {
        let (mut pattern, mut subject) = (pattern.split('.'), subject.split('.'));
        loop {
            match (pattern.next(), subject.next()) {
                (Some(">"), Some(_)) | (None, None) => return true,
                (Some("*"), Some(_)) => {}
                (Some(one), Some(other)) if one == other => {}
                _ => return false,
            }
        }
    }

    #[test]
    fn an_agent_cannot_publish_or_receive_for_another() {
        // Names that could be mistaken for something else.
        for (own, other) in [("a", "b"), ("all", "a"), ("a", "all"), ("controller", "a"), ("a", "controller")]
        {
            let (own, other): (AgentName, AgentName) = (own.parse().unwrap(), other.parse().unwrap());
            let permissions = Permissions::of_agent(&own);
            let hears = |subject: &str| permissions.subscribe.iter().any(|pattern| covers(pattern, subject));
            let says = |subject: &str| permissions.publish.iter().any(|pattern| covers(pattern, subject));
            for foreign in
                [order(&other), ask(&other, Question::Clock), format!("{}.x.y", agent_inbox(&other))]
            {
                assert!(!hears(&foreign) && !says(&foreign), "{own} hears or says {foreign}");
            }
            for foreign in [event(&other, "live"), order(&own), ask(&own, Question::Clock)] {
                assert!(!says(&foreign), "{own} says {foreign}");
            }
            for foreign in [event(&other, "live"), format!("{CONTROLLER_INBOX}.x.y")] {
                assert!(!hears(&foreign) && !says(&foreign), "{own} hears {foreign}");
            }
            for meant in [order(&own), ask(&own, Question::Clock)] {
                assert!(hears(&meant), "{own} does not hear {meant}");
            }
            assert!(says(&event(&own, "live")));
            assert!(!says("$JS.API.STREAM.NAMES") && !hears("$JS.API.>"));
        }
    }
}
