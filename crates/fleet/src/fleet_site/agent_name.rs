//! Names of agents, fleets and an agent's sessions.
//!
//! An agent's name becomes a part of subjects, of file names and of paths in a run directory, and it
//! comes from outside, so it is restricted to characters that are safe in all of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

const NAME_CHARS_MAX: usize = 48;
/// The number of random bytes in the identifiers of fleets and sessions.
const DRAWN_BYTES: usize = 16;

/// The name of an agent.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentName(String);

/// Why a text is not a valid name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{}' is not a valid agent name. Use up to 48 letters a-z, digits, - and _; begin with a letter or a \
     digit, as in edit-07", .0.escape_debug()
)]
pub struct NameError(String);

/// The identifier of a fleet. Drawn when its site is made, so that no order of one fleet is valid in
/// another.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct FleetId(String);

/// The identifier of one session of an agent's process. Drawn when it starts, so that no order for an
/// earlier session is executed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct AgentSession(String);

/// The text is not an identifier of this form.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is not 32 hexadecimal digits", .0.escape_debug())]
pub struct DrawnError(String);

impl AgentName {
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for AgentName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<AgentName, NameError> {
        // Lower case only: some file systems do not distinguish Edit from edit.
        let is_inner = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '_';
        let begins = text.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
        match begins && text.len() <= NAME_CHARS_MAX && text.chars().all(is_inner) {
            true => Ok(AgentName(text.to_owned())),
            false => Err(NameError(text.chars().take(2 * NAME_CHARS_MAX).collect())),
        }
    }
}

impl TryFrom<String> for AgentName {
    type Error = NameError;

    fn try_from(text: String) -> Result<AgentName, NameError> {
        text.parse()
    }
}

impl From<AgentName> for String {
    fn from(name: AgentName) -> String {
        name.0
    }
}

impl fmt::Display for AgentName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // `pad` respects a width in the format string.
        f.pad(&self.0)
    }
}

/// 32 hexadecimal digits from the system's random numbers.
fn drawn() -> Result<String, getrandom::Error> {
    let mut bytes = [0_u8; DRAWN_BYTES];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn is_drawn(text: String) -> Result<String, DrawnError> {
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    match text.len() == 2 * DRAWN_BYTES && text.chars().all(is_digit) {
        true => Ok(text),
        false => Err(DrawnError(text.chars().take(64).collect())),
    }
}

impl FleetId {
    /// Draws a new identifier.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn draw() -> Result<FleetId, getrandom::Error> {
        drawn().map(FleetId)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for FleetId {
    type Error = DrawnError;

    fn try_from(text: String) -> Result<FleetId, DrawnError> {
        is_drawn(text).map(FleetId)
    }
}

impl From<FleetId> for String {
    fn from(id: FleetId) -> String {
        id.0
    }
}

impl AgentSession {
    /// Draws a new session.
    ///
    /// # Errors
    /// If the system provides no random numbers.
    pub fn draw() -> Result<AgentSession, getrandom::Error> {
        drawn().map(AgentSession)
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for AgentSession {
    type Error = DrawnError;

    fn try_from(text: String) -> Result<AgentSession, DrawnError> {
        is_drawn(text).map(AgentSession)
    }
}

impl From<AgentSession> for String {
    fn from(session: AgentSession) -> String {
        session.0
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_are_safe_in_subjects_and_paths() {
        for good in ["edit-07", "a", "0", "nas_1", &"a".repeat(NAME_CHARS_MAX)] {
            assert_eq!(good.parse::<AgentName>().unwrap().as_str(), good);
        }
        let long = "a".repeat(NAME_CHARS_MAX + 1);
        for bad in
            ["", ".", "..", "-a", "_a", "a.b", "a b", "a/b", "a>", "*", "Edit", "ä", "a\n", "a\0", &long]
        {
            let error = bad.parse::<AgentName>().unwrap_err().to_string();
            assert!(error.contains("edit-07") && !error.contains(['\n', '\0']), "{error}");
        }
    }

    #[test]
    fn drawn_identifiers_differ_and_are_parsed_back() {
        let (one, other) = (AgentSession::draw().unwrap(), AgentSession::draw().unwrap());
        assert_ne!(one, other);
        assert_eq!(AgentSession::try_from(one.as_str().to_owned()).unwrap(), one);
        for bad in ["", "0123", &"g".repeat(32), &"A".repeat(32)] {
            assert!(FleetId::try_from(bad.to_owned()).is_err(), "{bad}");
        }
        assert_ne!(FleetId::draw().unwrap(), FleetId::draw().unwrap());
    }
}
