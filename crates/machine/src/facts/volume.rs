//! A volume over several disks, whatever made it: its name, how it is, and which of its disks are not in
//! order.

use super::{FactKind, Gap, Subject};
use crate::texts::NotKnown;

/// How a volume is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// All of it is there.
    InOrder,
    /// It serves, and has lost something.
    Degraded,
    /// Somebody stopped it, or it waits to be started.
    Stopped,
    /// It does not serve.
    Failed,
}

/// A volume, as far as a text told of it.
pub(super) struct Volume {
    pub(super) name: String,
    /// By its own tool's word; `None` where that is a word that the tool does not have.
    pub(super) state: Option<State>,
    pub(super) told: String,
    pub(super) failed: Vec<String>,
    pub(super) with_errors: Vec<String>,
    pub(super) activity: Option<String>,
}

impl Volume {
    pub(super) fn new(name: impl Into<String>) -> Volume {
        Volume {
            name: name.into(),
            state: Some(State::InOrder),
            told: String::new(),
            failed: Vec::new(),
            with_errors: Vec::new(),
            activity: None,
        }
    }

    pub(super) fn subject(self, text: &str) -> Subject {
        let mut subject = Subject::new(FactKind::Volume, self.name);
        let list = |names: Vec<String>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        match self.state {
            Some(State::InOrder) => subject.word("state", "in order"),
            Some(State::Degraded) => subject.word("state", "degraded"),
            Some(State::Stopped) => subject.word("state", "stopped"),
            Some(State::Failed) => subject.word("state", "failed"),
            None => {
                let said: String = self.told.chars().take(40).collect();
                let why = NotKnown::NotUnderstood(format!("unknown state of {}: '{said}'", subject.name));
                subject.facts.insert("state".to_owned(), Err(Gap::new(text, why)));
            }
        }
        subject.word("told", self.told);
        subject.word("failed_members", list(self.failed));
        subject.word("members_with_errors", list(self.with_errors));
        subject.word("activity", self.activity.unwrap_or_else(|| "none".to_owned()));
        subject
    }
}
