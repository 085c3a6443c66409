//! The user's events during a run: a command that begins a rebuild, a backup or a failover.
//!
//! An event is not part of any plan, so neither a fleet nor a repeated run starts it.
//!
//! Not here: running the command (the runner).

use std::str::FromStr;

/// Maximum length of an event's name.
const NAME_CHARS: usize = 40;

/// A command of the user and its name: `rebuild: mdadm /dev/md0 --re-add /dev/sdd`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The name in marks and tables.
    pub name: String,
    /// The command for the shell.
    pub command: String,
}

/// The text is not an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "write 'NAME: COMMAND'; the name has at most {NAME_CHARS} characters and at least one letter or digit"
)]
pub struct EventError;

impl FromStr for Event {
    type Err = EventError;

    fn from_str(text: &str) -> Result<Event, EventError> {
        let (name, command) = text.split_once(':').ok_or(EventError)?;
        let (name, command) = (name.trim(), command.trim());
        let has_name = name.chars().count() <= NAME_CHARS && !name.chars().any(char::is_control);
        // The file with its output has the event's name, in letters and digits.
        let has_letter = name.chars().any(|c| c.is_ascii_alphanumeric());
        if !has_name || !has_letter || command.is_empty() || command.contains('\0') {
            return Err(EventError);
        }
        Ok(Event { name: name.to_owned(), command: command.to_owned() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_has_a_name_and_a_command() {
        let event = "rebuild: mdadm --re-add /dev/md0:x".parse::<Event>();
        let expected = Event { name: "rebuild".to_owned(), command: "mdadm --re-add /dev/md0:x".to_owned() };
        assert_eq!(event, Ok(expected));
        let long = format!("{}: true", "x".repeat(41));
        for text in ["", "rebuild", ": true", "rebuild:", "rebuild: ", "a\u{1b}: true", "..: true", &long] {
            assert_eq!(text.parse::<Event>(), Err(EventError), "{text:?}");
        }
    }
}
