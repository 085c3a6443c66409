//! The files that agents created before a run: which agents have them, and which do not and why.
//!
//! Not here: the state of such a run while it is in progress ([`crate::fleet_run`]).

use serde::Serialize;

use crate::fleet_run::{WhyMissing, why_missing};
use crate::text::plain_short;
use crate::units::{count, counted};

/// Longer names are cut.
const SAID_CHARS_MAX: usize = 200;

/// The files of one agent for one run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PreparedLine {
    /// The step of the plan; `None` where it has none.
    pub step: Option<String>,
    pub agent: String,
    pub target: String,
    /// Whether all of them exist.
    pub is_prepared: bool,
    /// The reason if not, as text, if it is known.
    pub why_not: Option<String>,
}

/// Why files were not created, in the words for a missing agent.
pub fn why_not_prepared(why: &WhyMissing) -> String {
    match why {
        // "Early" applies to a run, and this was none.
        WhyMissing::EndedEarly { why: Some(why) } => plain_short(why, SAID_CHARS_MAX),
        why => why_missing(why),
    }
}

/// The whole screen, with agents that lack files last.
pub fn fleet_prepared(lines: &[PreparedLine]) -> String {
    let made = lines.iter().filter(|line| line.is_prepared).count() as u64;
    let all = lines.len() as u64;
    let whose = if lines.iter().any(|line| line.step.is_some()) {
        "agent's share of a \
        step"
    } else {
        "agent"
    };
    let whose = |value: u64| match (value, whose) {
        (1, whose) => format!("1 {whose}"),
        (value, "agent") => counted(value, "agent"),
        (value, _) => format!("{} agents' shares of steps", count(value)),
    };
    let mut text = match made == all {
        true => format!("The test files of {} are ready. 'fleet run' uses them.\n", whose(all)),
        false => format!("Test files are ready: {} of {}.\n", count(made), whose(all)),
    };
    for line in lines.iter().filter(|line| !line.is_prepared) {
        let plain = |text: &str| plain_short(text, SAID_CHARS_MAX);
        let step = line.step.as_deref().map(|step| format!(", step {}", plain(step))).unwrap_or_default();
        let why = line.why_not.as_deref().unwrap_or("it was stopped before that");
        text.push_str(&format!(
            "{}{step}: some files are missing on {}: {}.\n",
            plain(&line.agent),
            plain(&line.target),
            plain(why).trim_end_matches('.')
        ));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(agent: &str, step: Option<&str>, why_not: Option<&str>) -> PreparedLine {
        PreparedLine {
            step: step.map(str::to_owned),
            agent: agent.to_owned(),
            target: "/mnt/nas".to_owned(),
            is_prepared: why_not.is_none(),
            why_not: why_not.map(str::to_owned),
        }
    }

    #[test]
    fn agents_without_files_are_named_with_the_reason() {
        let mut printed = Vec::<String>::new();
        printed.push(fleet_prepared(&[line("a", None, None), line("b", None, None)]).to_string());
        let full = line("b", Some("night\u{7}"), Some("no room.\u{1b}[2J"));
        let said = fleet_prepared(&[line("a", Some("edit"), None), full]);
        printed.push(said.to_string());
        let stopped = PreparedLine { is_prepared: false, ..line("c", None, None) };
        printed.push(fleet_prepared(&[stopped]).to_string());
        let early = WhyMissing::EndedEarly { why: Some("the target is full".to_owned()) };
        printed.push(why_not_prepared(&early).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }
}
