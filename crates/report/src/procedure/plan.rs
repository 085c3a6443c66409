//! A procedure before it is carried out: the list of all of them, and the plan of one with what it takes.

use reelgauge_analysis::forecast::{Forecast, TimeAhead};
use reelgauge_analysis::procedure::states::Remedy;

use super::states::remedy_words;
use super::{DeviationWords, deviation_words};
use crate::forecast_line;
use crate::page::Page;
use crate::sentence::Tone;
use crate::text::{capital, plain};
use crate::units::{amount, span};
use crate::wanted::Style;

/// A procedure that could be carried out.
#[derive(Clone, Copy, Debug)]
pub struct PlanScreen<'a> {
    /// Its name.
    pub name: &'a str,
    /// What it shows, in a line.
    pub about: &'a str,
    /// The document and section that it follows.
    pub paper: Option<&'a str>,
    /// What would be measured.
    pub target: &'a str,
    /// Conditions of the paper that are not kept.
    pub deviations: &'a [DeviationWords<'a>],
    /// The steps, in their order.
    pub steps: &'a [PlannedStep],
}

/// A step that could be carried out.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// Its name, with its round.
    pub name: String,
    /// The command of a run.
    pub command: Option<String>,
    /// What a run takes.
    pub forecast: Option<Forecast>,
    /// What an action does.
    pub action: Option<PlannedAction>,
    /// What is missing, so that the step is not tried.
    pub missing: Option<Remedy>,
}

/// An action.
#[derive(Clone, Debug, PartialEq)]
pub enum PlannedAction {
    /// Ballast up to this percentage of the usable space.
    Fill(u8),
    /// Files made, edited and deleted for so long, in seconds.
    Age(f64),
    /// A command of the user.
    Command(String),
    /// So many bytes are written and removed.
    PushOut(u64),
    /// Nothing, for so many seconds.
    Rest(f64),
    /// The ballast is removed.
    Empty,
}

/// The procedures that there are, by name and in a line.
pub fn procedure_list(all: &[(&str, String)], style: Style) -> String {
    let mut page = Page::new(style);
    for (name, about) in all {
        page.item(name, &plain(about));
    }
    page.gap();
    page.item("Next", "reelgauge procedure NAME PATH --dry-run shows the steps and what they take");
    page.text
}

/// The plan as text, ending with a line feed.
pub fn plan_screen(plan: &PlanScreen<'_>, style: Style) -> String {
    let mut page = Page::new(style);
    page.sentence(
        Tone::Answer,
        &format!("{} on {}: {}.", plain(plan.name), plain(plan.target), plain(plan.about)),
    );
    page.item("Time", &time_words(plan.steps));
    if let Some(paper) = plan.paper {
        page.item("Paper", &plain(paper));
    }
    for deviation in plan.deviations {
        page.item("Differs", &deviation_words(deviation));
    }
    for (at, step) in plan.steps.iter().enumerate() {
        page.gap();
        page.sentence(Tone::Plain, &format!("{}. {}", at + 1, capital(&plain(&step.name))));
        if let Some(missing) = &step.missing {
            page.below(3, "Not tried", &remedy_words(missing));
            continue;
        }
        if let Some(command) = &step.command {
            page.below(3, "Command", &plain(command));
        }
        if let Some(forecast) = &step.forecast {
            page.below(3, "Takes", forecast_line(forecast).trim_start_matches("Takes "));
        }
        if let Some(action) = &step.action {
            page.below(3, "Action", &action_words(action));
        }
    }
    page.text
}

fn action_words(action: &PlannedAction) -> String {
    match action {
        PlannedAction::Fill(percent) => {
            format!("write ballast until {percent} % of the usable space is full")
        }
        PlannedAction::Age(seconds) => format!("make, edit and delete files for {}", span(seconds * 1e6)),
        PlannedAction::Command(command) => format!("run '{}'", plain(command)),
        PlannedAction::PushOut(bytes) => format!("write {} and remove it again", amount(*bytes)),
        PlannedAction::Rest(seconds) => format!("wait for {}", span(seconds * 1e6)),
        PlannedAction::Empty => "remove the ballast".to_owned(),
    }
}

/// The planned time of all steps, and what is not in it.
fn time_words(steps: &[PlannedStep]) -> String {
    let planned = |step: &PlannedStep| match (&step.forecast, &step.action) {
        (Some(Forecast { time: TimeAhead::Planned { s }, .. }), _) => Some(*s),
        (_, Some(PlannedAction::Age(seconds) | PlannedAction::Rest(seconds))) => Some(*seconds),
        _ => None,
    };
    let tried = || steps.iter().filter(|step| step.missing.is_none());
    let seconds: f64 = tried().filter_map(planned).sum();
    let has_unknown = tried().any(|step| planned(step).is_none());
    let also =
        if has_unknown { "test files, ballast and other steps of unknown length" } else { "test files" };
    format!("{}, plus the time for {also}", span(seconds * 1e6))
}

/// `Step 3 of 8: random write, round 2`; without numbers a step that is done again.
pub fn step_line(number: Option<(usize, usize)>, name: &str, round: Option<u32>) -> String {
    let round = round.map_or_else(String::new, |round| format!(", round {round}"));
    let step = number.map_or_else(|| "Again".to_owned(), |(number, of)| format!("Step {number} of {of}"));
    format!("{step}: {}{round}", plain(name))
}

/// `  12.0 GB written`.
pub fn written_line(bytes: u64) -> String {
    format!("  {} written", amount(bytes))
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::forecast::LoadAhead;

    use super::*;

    #[test]
    fn a_plan_has_every_step_its_command_and_the_whole_time() {
        let forecast = Forecast {
            time: TimeAhead::Planned { s: 90.0 },
            least_files_bytes: 0,
            most_files_bytes: 1_000_000,
            load: LoadAhead::AtMost(0),
            memory_bytes: 0,
            max_bytes_per_s: None,
        };
        let run = PlannedStep {
            name: "read".to_owned(),
            command: Some("reelgauge mix /mnt".to_owned()),
            forecast: Some(forecast),
            action: None,
            missing: None,
        };
        let action = |action| PlannedStep {
            name: "act".to_owned(),
            command: None,
            forecast: None,
            action: Some(action),
            missing: None,
        };
        let steps = [run, action(PlannedAction::Fill(50)), action(PlannedAction::Rest(30.0))];
        let plan = PlanScreen {
            name: "fill",
            about: "levels",
            paper: None,
            target: "/mnt",
            deviations: &[],
            steps: &steps,
        };
        let text = plan_screen(&plan, Style { width: 100, colour: false });
        assert!(
            text.starts_with("fill on /mnt: levels.\nTime: 120 s, plus the time for test files, ballast"),
            "{text}"
        );
        assert!(text.contains("1. Read\n   Command: reelgauge mix /mnt\n   Takes: 90 s, plus"), "{text}");
        assert!(
            text.contains("2. Act\n   Action: write ballast until 50 % of the usable space is full"),
            "{text}"
        );
        assert_eq!(step_line(Some((3, 8)), "write", Some(2)), "Step 3 of 8: write, round 2");
    }
}
