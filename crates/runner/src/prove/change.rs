//! What a proof compares: a change that is made and undone, values of a setting, or several targets;
//! with the resulting states, and the command for each.
//!
//! Not here: running commands ([`super::shell`]), and the order of the states ([`super::order`]).

use std::path::PathBuf;

use reelgauge_report::proof::StateName;
use reelgauge_report::text::shell_word;
use serde::{Deserialize, Serialize};

/// The placeholder for a sweep's value in its command, and for the target in a workload.
pub const PLACE: &str = "{}";
/// Characters of a swept value apart from letters and digits: none with a meaning to a shell.
const VALUE_SIGNS: &str = "._:+-/%@";

/// The states to compare.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Change {
    /// A change, and the command that undoes it.
    Command {
        /// Makes the change.
        change: String,
        undo: String,
    },
    /// Values of one setting. The other values are compared with the first, which is set at the end.
    Sweep {
        /// The name of the setting.
        name: String,
        values: Vec<String>,
        /// Sets it, with [`PLACE`] for the value.
        set: String,
        /// Run at the end instead of setting the first value.
        undo: Option<String>,
    },
    /// Several targets. The others are compared with the first.
    Targets {
        /// Their directories.
        targets: Vec<PathBuf>,
    },
}

/// Why a request is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ChangeError {
    /// A sweep is not of the form NAME=VALUE,VALUE.
    #[error(
        "'{0}' is not valid for --sweep; write NAME=VALUE,VALUE,..., such as read_ahead_kb=128,1024,4096"
    )]
    Sweep(String),
    /// Two values are equal, or there is only one.
    #[error("--sweep needs two or more different values; the others are compared with the first")]
    Values,
    /// A value with a special meaning to a shell.
    #[error("'{0}' is not a valid value for --sweep; use letters, digits and {VALUE_SIGNS}")]
    Value(String),
    /// The command has no place for the value.
    #[error("--set has no {PLACE} for the value; write for example --set 'echo {PLACE} > /sys/...'")]
    NoPlace,
    /// There are fewer than two targets, or one is named twice.
    #[error(
        "--targets needs two or more different targets, separated by commas; the others are compared with \
         the first"
    )]
    Targets,
    /// A command that does nothing.
    #[error("an empty command was given; --change makes the change, --undo undoes it")]
    Empty,
}

impl Change {
    /// A change and its undo.
    ///
    /// # Errors
    /// If one of them is empty.
    pub fn command(change: &str, undo: &str) -> Result<Change, ChangeError> {
        if change.trim().is_empty() || undo.trim().is_empty() {
            return Err(ChangeError::Empty);
        }
        Ok(Change::Command { change: change.to_owned(), undo: undo.to_owned() })
    }

    /// Values of a setting, from `NAME=VALUE,VALUE`.
    ///
    /// # Errors
    /// If the text does not contain two values, or a command is missing.
    pub fn sweep(said: &str, set: String, undo: Option<String>) -> Result<Change, ChangeError> {
        let (name, values) = said.split_once('=').ok_or_else(|| ChangeError::Sweep(said.to_owned()))?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_owned()).collect();
        if name.trim().is_empty() || values.iter().any(String::is_empty) {
            return Err(ChangeError::Sweep(said.to_owned()));
        }
        let is_plain = |value: &&String| {
            value.chars().all(|sign| sign.is_ascii_alphanumeric() || VALUE_SIGNS.contains(sign))
        };
        if let Some(odd) = values.iter().find(|value| !is_plain(value)) {
            return Err(ChangeError::Value(odd.clone()));
        }
        if values.len() < 2 || values.iter().enumerate().any(|(at, value)| values[..at].contains(value)) {
            return Err(ChangeError::Values);
        }
        if !set.contains(PLACE) {
            return Err(ChangeError::NoPlace);
        }
        Ok(Change::Sweep { name: name.trim().to_owned(), values, set, undo })
    }

    /// Several targets.
    ///
    /// # Errors
    /// If there is only one target.
    pub fn targets(targets: Vec<PathBuf>) -> Result<Change, ChangeError> {
        let is_twice = targets.iter().enumerate().any(|(at, target)| targets[..at].contains(target));
        if targets.len() < 2 || is_twice {
            return Err(ChangeError::Targets);
        }
        Ok(Change::Targets { targets })
    }

    /// How many states there are.
    pub fn state_count(&self) -> usize {
        match self {
            Change::Command { .. } => 2,
            Change::Sweep { values, .. } => values.len(),
            Change::Targets { targets } => targets.len(),
        }
    }

    /// The names of the states, for users.
    pub fn state_names(&self) -> Vec<StateName> {
        match self {
            Change::Command { .. } => vec![StateName::AsItWas, StateName::WithChange],
            Change::Sweep { name, values, .. } => {
                values.iter().map(|value| StateName::Named(format!("{name}={value}"))).collect()
            }
            Change::Targets { targets } => {
                targets.iter().map(|target| StateName::Named(shell_word(target))).collect()
            }
        }
    }

    /// The command that establishes a state from any other; `None` if nothing has to be done.
    pub fn command_to(&self, state: usize) -> Option<String> {
        match self {
            Change::Command { undo, .. } if state == 0 => Some(undo.clone()),
            Change::Command { change, .. } => Some(change.clone()),
            Change::Sweep { values, set, .. } => values.get(state).map(|value| set.replace(PLACE, value)),
            Change::Targets { .. } => None,
        }
    }

    /// The command that restores the original state; `None` if nothing is changed.
    pub fn undo(&self) -> Option<String> {
        match self {
            Change::Sweep { undo: Some(undo), .. } => Some(undo.clone()),
            _ => self.command_to(0),
        }
    }

    /// Whether a state is the one that the undo restores.
    pub fn is_undone_in(&self, state: usize) -> bool {
        state == 0 && self.undo() == self.command_to(0)
    }

    /// Whether the state before any command is the first one. A swept setting may have any value.
    pub fn begins_in_first_state(&self) -> bool {
        !matches!(self, Change::Sweep { .. })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn a_change_is_made_and_undone() {
        let change = Change::command("make", "unmake").unwrap();
        assert_eq!(Change::command("make", " "), Err(ChangeError::Empty));
        assert_eq!(change.command_to(1).as_deref(), Some("make"));
        assert_eq!((change.command_to(0), change.undo()), (Some("unmake".into()), Some("unmake".into())));
        assert!(change.begins_in_first_state());
    }

    #[test]
    fn a_sweep_sets_each_value_and_ends_with_the_first() {
        let sweep = |said: &str, set: &str| Change::sweep(said, set.to_owned(), None);
        let change = sweep("read_ahead_kb=128, 4096", "echo {} > {}.txt").unwrap();
        assert_eq!(change.command_to(1).as_deref(), Some("echo 4096 > 4096.txt"));
        assert_eq!(change.undo().as_deref(), Some("echo 128 > 128.txt"));
        assert!(!change.begins_in_first_state());
        for (said, set) in [("128,256", "{}"), ("a=1", "{}"), ("a=1,1", "{}"), ("a=,1", "{}"), ("a=1,2", "x")]
        {
            assert!(sweep(said, set).is_err(), "{said} {set}");
        }
        assert_eq!(sweep("a=1,2;reboot", "{}"), Err(ChangeError::Value("2;reboot".into())));
    }

    #[test]
    fn targets_need_no_command() {
        let change = Change::targets(vec!["/a".into(), "/b".into()]).unwrap();
        assert_eq!((change.command_to(1), change.undo(), change.state_count()), (None, None, 2));
        assert!(Change::targets(vec!["/a".into(), "/a".into()]).is_err());
    }
}
