//! A volume over several disks, of any kind: its name, its state, and the disks that are not in order.

use super::{FactKind, FactSubject, Gap};
use crate::texts::NotKnown;

/// The state of a volume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// Complete.
    InOrder,
    /// It works, but has lost redundancy.
    Degraded,
    /// It was stopped, or is not started yet.
    Stopped,
    /// It does not work.
    Failed,
}

/// A volume, as shown by a text.
pub(super) struct Volume {
    pub(super) name: String,
    /// The state in its tool's word; `None` for an unknown word.
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

    pub(super) fn subject(self, text: &str) -> FactSubject {
        let mut subject = FactSubject::new(FactKind::Volume, self.name);
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
