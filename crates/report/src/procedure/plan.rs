//! A procedure before it starts: the list of all of them, and the plan of one, with its time and space.

use reelgauge_analysis::forecast::{Forecast, TimeAhead};
use reelgauge_analysis::procedure::states::Remedy;

use super::agent_words;
use super::states::remedy_words;
use crate::deviations::{DeviationWords, deviation_words};
use crate::forecast::{forecast_words, length};
use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::text::{capital, plain};
use crate::units::amount;

/// The content of a plan's screen.
#[derive(Clone, Copy, Debug)]
pub struct PlanScreen<'a> {
    pub name: &'a str,
    /// Its description, in one line.
    pub about: &'a str,
    /// The document and section that it follows.
    pub paper: Option<&'a str>,
    /// The target to be measured.
    pub target: &'a str,
    /// The agents of the fleet that would generate the load; empty for the local host.
    pub agents: &'a [String],
    /// Conditions of the paper that are not met.
    pub deviations: &'a [DeviationWords<'a>],
    /// The steps, in their order.
    pub steps: &'a [PlannedStep],
}

/// A step of a plan.
#[derive(Clone, Debug)]
pub struct PlannedStep {
    /// Its name, with its round.
    pub name: String,
    /// The command of a run; on a fleet, of the load that is divided among the agents.
    pub command: Option<String>,
    /// Each agent's share of it; empty on a single host.
    pub shares: Vec<AgentShare>,
    /// The estimated time and space of a run.
    pub forecast: Option<Forecast>,
    /// The action of a step that is not a run.
    pub action: Option<PlannedAction>,
    /// The missing requirement for which the step is skipped; `None` if nothing is missing.
    pub missing: Option<Remedy>,
}

/// One agent's share of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentShare {
    pub agent: String,
    /// Its clients in each load point; empty if it replays a trace.
    pub clients: Vec<u32>,
    pub target: String,
    /// Bytes of test files that it creates.
    pub files_bytes: u64,
}

#[derive(Clone, Debug, PartialEq)]
pub enum PlannedAction {
    /// Ballast up to this percentage of the usable space.
    Fill(u8),
    /// Files are created, edited and deleted for this many seconds.
    Age(f64),
    /// A command of the user.
    Command(String),
    /// This many bytes are written, then removed.
    PushOut(u64),
    /// A pause of this many seconds.
    Rest(f64),
    /// The ballast is removed.
    Empty,
}

/// All procedures, one line each with name and description.
pub fn procedure_list(all: &[(&str, String)], style: Style) -> String {
    let mut page = ScreenText::new(style);
    for (name, about) in all {
        page.item(name, &plain(about));
    }
    page.gap();
    page.item("Next", "Show the steps and their time: reelgauge procedure NAME PATH --dry-run");
    page.text
}

/// The plan as text, ending with a line feed.
pub fn plan_screen(plan: &PlanScreen<'_>, style: Style) -> String {
    let mut page = ScreenText::new(style);
    page.sentence(
        Tone::Answer,
        &format!("{} on {}: {}.", plain(plan.name), plain(plan.target), plain(plan.about)),
    );
    page.item("Time", &time_words(plan.steps));
    if let Some(paper) = plan.paper {
        page.item("Paper", &plain(paper));
    }
    if !plan.agents.is_empty() {
        page.item("Agents", &agent_words(plan.agents));
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
            let is_shared_out = !step.shares.is_empty();
            page.below(3, if is_shared_out { "Load" } else { "Command" }, &plain(command));
        }
        step.shares.iter().for_each(|share| page.below(3, &plain(&share.agent), &share_words(share)));
        if let Some(forecast) = &step.forecast {
            page.below(3, "Takes", &forecast_words(forecast));
        }
        if let Some(action) = &step.action {
            let here = if plan.agents.is_empty() { "" } else { ", on this client" };
            page.below(3, "Action", &format!("{}{here}", action_words(action)));
        }
    }
    page.text
}

/// `0, 1, 1, 2 clients in /mnt/nas; makes 2.15 GB of test files`.
fn share_words(share: &AgentShare) -> String {
    let clients: Vec<String> = share.clients.iter().map(ToString::to_string).collect();
    let clients = match share.clients.as_slice() {
        [] => "the whole trace".to_owned(),
        [1] => "1 client".to_owned(),
        _ => format!("{} clients", clients.join(", ")),
    };
    let files = match share.files_bytes {
        0 => String::new(),
        bytes => format!("; creates {} of test files", amount(bytes)),
    };
    format!("{clients} in {}{files}", plain(&share.target))
}

fn action_words(action: &PlannedAction) -> String {
    match action {
        PlannedAction::Fill(percent) => {
            format!("write ballast until {percent} % of the usable space is full")
        }
        PlannedAction::Age(seconds) => format!("create, edit and delete files for {}", length(*seconds)),
        PlannedAction::Command(command) => format!("run '{}'", plain(command)),
        PlannedAction::PushOut(bytes) => format!("write {} and remove it again", amount(*bytes)),
        PlannedAction::Rest(seconds) => format!("wait for {}", length(*seconds)),
        PlannedAction::Empty => "remove the ballast".to_owned(),
    }
}

/// The planned time of all steps, and the parts it does not include.
pub fn time_words(steps: &[PlannedStep]) -> String {
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
    format!("{}, plus the time for {also}", length(seconds))
}

/// `Step 3 of 8: random write, round 2`. A repeated step has no number.
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
        let mut printed = Vec::<String>::new();
        let forecast = Forecast {
            time: TimeAhead::Planned { s: 90.0 },
            least_files_bytes: 0,
            most_files_bytes: 1_000_000,
            new_files_bytes: 0,
            load: LoadAhead::AtMost(0),
            memory_bytes: 0,
            max_bytes_per_s: None,
        };
        let run = PlannedStep {
            name: "read".to_owned(),
            command: Some("reelgauge mix /mnt".to_owned()),
            shares: Vec::new(),
            forecast: Some(forecast),
            action: None,
            missing: None,
        };
        let action = |action| PlannedStep {
            name: "act".to_owned(),
            command: None,
            shares: Vec::new(),
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
            agents: &[],
            deviations: &[],
            steps: &steps,
        };
        let text = plan_screen(&plan, Style { width: 100, ..Style::default() });
        printed.push(text.to_string());

        printed.push(step_line(Some((3, 8)), "write", Some(2)).to_string());
        let share = |agent: &str, clients: &[u32], files_bytes: u64| AgentShare {
            agent: agent.to_owned(),
            clients: clients.to_vec(),
            target: "/mnt".to_owned(),
            files_bytes,
        };
        let shares = vec![share("edit-01", &[1, 1, 2], 5_000_000), share("edit-02", &[0, 1, 1], 0)];
        let shared_out = steps.clone().map(|step| match step.command {
            Some(_) => PlannedStep { shares: shares.clone(), ..step },
            None => step,
        });
        let agents = ["edit-01".to_owned(), "edit-02".to_owned()];
        let text = plan_screen(
            &PlanScreen { agents: &agents, steps: &shared_out, ..plan },
            Style { width: 100, ..Style::default() },
        );
        assert!(text.contains("\nAgents: edit-01, edit-02\n"), "{text}");
        printed.push(text.to_string());
        assert!(text.contains("   edit-02: 0, 1, 1 clients in /mnt\n"), "{text}");

        insta::assert_snapshot!(printed.join("\n"));
    }
}
