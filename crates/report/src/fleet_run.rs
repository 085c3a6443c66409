//! Lines about a run on several hosts: its state while it runs, and the agents that were missing, since
//! when and why.
//!
//! Not here: the figures of the whole run, which are those of any run.

use serde::{Deserialize, Serialize};

use crate::text::plain_short;
use crate::units::{amount, count, counted, duration, number};

/// Text of an agent is cut after this many characters.
const SAID_CHARS_MAX: usize = 300;

/// Why an agent was missing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WhyMissing {
    /// It never connected.
    NeverHeard,
    /// Contact was lost.
    NotHeard,
    /// Its process restarted.
    Restarted,
    /// It did not take part.
    Refused {
        /// The reason it gave.
        why: String,
    },
    /// It did not begin a load point in time.
    DidNotBegin {
        /// Which, from 0.
        point: u16,
    },
    /// Its run ended before the others.
    EndedEarly {
        /// The reason it gave, if any.
        why: Option<String>,
    },
    /// The plan that it reports differs from the plan that the controller sent.
    OtherPlan,
    /// Its protocol differs from the controller's.
    OtherProtocol {
        /// The agent's protocol.
        agent: u32,
        /// The version of the agent's program.
        version: String,
        /// The controller's protocol.
        controller: u32,
    },
}

/// Why an agent was missing, as part of a sentence. Text of agents is untrusted.
pub fn why_missing(why: &WhyMissing) -> String {
    match why {
        WhyMissing::NeverHeard => "it never connected".to_owned(),
        WhyMissing::NotHeard => "contact was lost".to_owned(),
        WhyMissing::Restarted => "it was restarted".to_owned(),
        WhyMissing::Refused { why } => format!("it did not take part ({})", plain(why)),
        WhyMissing::DidNotBegin { point } => {
            format!("it did not start load point {} in time", u32::from(*point) + 1)
        }
        WhyMissing::EndedEarly { why: Some(why) } => format!("its run ended early ({})", plain(why)),
        WhyMissing::EndedEarly { why: None } => "its run ended early".to_owned(),
        WhyMissing::OtherPlan => {
            "the plan that it reports differs from the plan that the controller sent; repeat the run"
                .to_owned()
        }
        WhyMissing::OtherProtocol { agent, version, controller } => format!(
            "its Reelgauge {} uses protocol {agent}, but this controller's {} uses protocol {controller}; \
             install the same version on both",
            plain(version),
            env!("CARGO_PKG_VERSION")
        ),
    }
}

/// One line, without control characters that a terminal would obey.
fn plain(text: &str) -> String {
    plain_short(text, SAID_CHARS_MAX)
}

/// The state of a run on a fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FleetNow {
    /// Agents that take part.
    pub present: u64,
    /// Agents in the plan.
    pub agents: u64,
    /// What they are doing.
    pub does: FleetDoes,
    /// A pause was requested and has not begun.
    pub will_pause: bool,
    /// The current trial, in a search.
    pub tries: Option<FleetTries>,
}

/// A trial of a search, and its bounds so far, as text: `12 players`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FleetTries {
    /// The count on trial.
    pub label: String,
    /// The largest count that passed, below all failed ones.
    pub passed: Option<String>,
    /// The smallest count that failed, above all that passed.
    pub fell: Option<String>,
}

/// What a fleet is doing.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum FleetDoes {
    /// Agents create their files.
    #[default]
    Preparing,
    /// Agents get ready for a load point. Before the first one they also create files.
    Readying {
        /// Which, from 0. It may not exist: that is only certain once every agent has reported that it
        /// is done.
        point: u16,
        /// How many agents are ready.
        ready: u64,
    },
    /// Every agent knows when the load point begins.
    Starting {
        /// Which, from 0.
        point: u16,
        /// Seconds until then.
        in_s: f64,
    },
    /// A load point is running.
    Measuring {
        /// Which, from 0.
        point: u16,
        /// Seconds since it began.
        elapsed_s: f64,
        /// Of all agents together.
        read_bytes_per_s: f64,
        /// Of all agents together.
        write_bytes_per_s: f64,
        /// Of all operations of all agents; `None` before the first.
        p99_ms: Option<f64>,
        /// Of all streams; `None` where there are no frames.
        late_frames: Option<u64>,
        /// How long the storage has answered no agent; `None` while it answers any.
        no_answer_s: Option<f64>,
        /// Agents without contact, which no rate includes, and the longest time without contact in
        /// seconds.
        unheard: Option<(u64, f64)>,
    },
    /// All agents are ready for a load point and wait, because the run is paused.
    Paused {
        /// Which, from 0.
        point: u16,
    },
    /// All agents were instructed to stop.
    Stopping,
    /// The controller fetches the results.
    Fetching {
        /// Bytes fetched.
        done_bytes: u64,
        /// Bytes in all; 0 until the first agent reports its size.
        all_bytes: u64,
    },
}

/// The rest of the line for a load point that is running, after its agents.
fn measuring(does: &FleetDoes, present: u64) -> String {
    let FleetDoes::Measuring {
        read_bytes_per_s,
        write_bytes_per_s,
        p99_ms,
        late_frames,
        no_answer_s,
        unheard,
        ..
    } = does
    else {
        return String::new();
    };
    let mut line = match *unheard {
        Some((agents, s)) if agents >= present => return format!(", no contact for {s:.0} s"),
        Some((agents, s)) => format!(", no contact with {} for {s:.0} s", count(agents)),
        None => String::new(),
    };
    match late_frames {
        Some(0) => line.push_str(", no late frame"),
        Some(late_frames) => line.push_str(&format!(", {}", counted(*late_frames, "late frame"))),
        None => {}
    }
    if let Some(s) = no_answer_s {
        line.push_str(&format!(", no answer for {s:.0} s"));
        return line;
    }
    let rate = |bytes_per_s: &f64| number(bytes_per_s / 1e6);
    let (read, written) = (rate(read_bytes_per_s), rate(write_bytes_per_s));
    line.push_str(&format!(", {read} MB/s read, {written} MB/s written"));
    if let Some(p99_ms) = p99_ms {
        line.push_str(&format!(", p99 {}", duration(p99_ms * 1e3)));
    }
    line
}

/// The state of a run on a fleet, in one line.
pub fn fleet_now(now: &FleetNow) -> String {
    let then = if now.will_pause { "; it pauses before the next load point, if there is one" } else { "" };
    format!("{}{}{then}", now.tries.as_ref().map(tries).unwrap_or_default(), standing(now))
}

/// `12 players (8 players passed, 16 players did not), `
fn tries(tries: &FleetTries) -> String {
    let known = match (&tries.passed, &tries.fell) {
        (Some(passed), Some(fell)) => format!(" ({passed} passed, {fell} did not)"),
        (Some(passed), None) => format!(" ({passed} passed)"),
        (None, Some(fell)) => format!(" ({fell} did not pass)"),
        (None, None) => String::new(),
    };
    format!("{}{known}, ", tries.label)
}

fn standing(now: &FleetNow) -> String {
    let agents = match now.present == now.agents {
        true => counted(now.agents, "agent"),
        false => format!("{} of {}", count(now.present), counted(now.agents, "agent")),
    };
    match &now.does {
        FleetDoes::Preparing => format!("preparing: {agents}"),
        FleetDoes::Readying { point: 0, ready } => format!("preparing: {agents}, {} ready", count(*ready)),
        FleetDoes::Readying { point, ready: 0 } => format!("after load point {point}: {agents}"),
        FleetDoes::Readying { point, ready } => {
            format!("before load point {}: {agents}, {} ready", u32::from(*point) + 1, count(*ready))
        }
        FleetDoes::Starting { point, in_s } => {
            format!("load point {} starts in {in_s:.0} s: {agents}", u32::from(*point) + 1)
        }
        FleetDoes::Measuring { point, elapsed_s, .. } => {
            let at = format!("load point {}, {elapsed_s:.0} s: {agents}", u32::from(*point) + 1);
            format!("{at}{}", measuring(&now.does, now.present))
        }
        FleetDoes::Paused { point } => {
            let point = u32::from(*point) + 1;
            format!("paused before load point {point}: {agents}; continue with 'reelgauge fleet resume'")
        }
        FleetDoes::Stopping => format!("stopping: {agents}"),
        FleetDoes::Fetching { all_bytes: 0, .. } => "fetching results".to_owned(),
        FleetDoes::Fetching { done_bytes, all_bytes } => {
            format!("fetching results: {} of {}", amount(*done_bytes), amount(*all_bytes))
        }
    }
}

/// A finished load point, as far as agents have reported it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SoFarLine {
    /// Which, from 0.
    pub point: u16,
    /// Agents that reported.
    pub told: u64,
    /// Agents in the plan.
    pub agents: u64,
    /// Operations of all agents together.
    pub ops: u64,
    /// Operations that failed.
    pub failed_ops: u64,
    /// Of all agents together.
    pub read_bytes_per_s: f64,
    /// Of all agents together.
    pub write_bytes_per_s: f64,
    /// Of all operations of all agents; `None` where there was none.
    pub p99_ms: Option<f64>,
    /// Of all streams; `None` where there are no frames.
    pub late_frames: Option<u64>,
}

/// The figures so far, one line per load point.
pub fn fleet_so_far(lines: &[SoFarLine]) -> String {
    if lines.is_empty() {
        return "Nothing measured so far.\n".to_owned();
    }
    lines.iter().fold("Measured so far:\n".to_owned(), |text, line| text + &so_far(line))
}

fn so_far(line: &SoFarLine) -> String {
    let point = u32::from(line.point) + 1;
    if line.told == 0 {
        return format!("  load point {point}: its figures stay on the agents until the run ends\n");
    }
    let rate = |bytes_per_s: f64| number(bytes_per_s / 1e6);
    let (read, written) = (rate(line.read_bytes_per_s), rate(line.write_bytes_per_s));
    let mut text = format!("  load point {point}: {read} MB/s read, {written} MB/s written");
    match line.p99_ms {
        Some(p99_ms) => text.push_str(&format!(", p99 {}", duration(p99_ms * 1e3))),
        None => text.push_str(", no response time measured"),
    }
    text.push_str(&format!(", {}", counted(line.ops, "operation")));
    if line.failed_ops > 0 {
        text.push_str(&format!(", {} failed", count(line.failed_ops)));
    }
    if let Some(late_frames) = line.late_frames {
        text.push_str(&format!(", {}", counted(late_frames, "late frame")));
    }
    if line.told < line.agents {
        text.push_str(&format!(" (of {} of {})", count(line.told), counted(line.agents, "agent")));
    }
    text + "\n"
}

/// The result of a request to pause or to resume.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PauseSaid {
    /// No controller responds.
    NoRun,
    /// The run is being stopped, or only fetches its results.
    Ending { run: String },
    /// It is paused before this load point, from 0. `None`: between two runs.
    Paused {
        run: String,
        /// The load point.
        point: Option<u16>,
    },
    /// It pauses once this load point is over. `None`: before the one being prepared.
    Pauses {
        run: String,
        /// The load point that is running, from 0.
        after: Option<u16>,
    },
    /// It continues.
    GoesOn { run: String },
    /// It was not paused.
    NotPaused { run: String },
    /// Its controller did not respond to the request.
    NotDone { run: String },
}

/// The result as a sentence.
pub fn fleet_pause_said(said: &PauseSaid) -> String {
    let number = |point: &u16| u32::from(*point) + 1;
    match said {
        PauseSaid::NoRun => {
            "No controller of this fleet responds, so there is no run to pause or resume. If one was killed: \
             reelgauge fleet run --resume RUN"
                .to_owned()
        }
        PauseSaid::Ending { run } => {
            format!("Run {run} is already ending; there is nothing to pause.")
        }
        PauseSaid::Paused { run, point: Some(point) } => {
            format!("Run {run} is paused before load point {}.", number(point))
        }
        PauseSaid::Paused { run, point: None } => format!("{run} is paused before its next step."),
        PauseSaid::Pauses { run, after: Some(point) } => format!(
            "Load point {} is already scheduled and will run. Run {run} pauses after it, if another load point \
             follows.",
            number(point)
        ),
        PauseSaid::Pauses { run, after: None } => {
            format!("Run {run} pauses as soon as every agent is ready.")
        }
        PauseSaid::GoesOn { run } => format!("Run {run} continues."),
        PauseSaid::NotPaused { run } => format!("Run {run} was not paused and continues."),
        PauseSaid::NotDone { run } => {
            format!("The controller of run {run} is not responding. Run the command again.")
        }
    }
}

/// The work of one agent in a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedLine {
    pub agent: String,
    /// The directory where it measures.
    pub target: String,
    pub does: PlacedLoad,
    /// Whether it is connected.
    pub is_there: bool,
}

/// The load of an agent in a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlacedLoad {
    /// This many load points.
    Points(u64),
    /// Its share of a search, up to this count of all agents together if the plan limits it.
    Seeks(Option<u32>),
}

fn placed_words(does: PlacedLoad) -> String {
    match does {
        PlacedLoad::Points(points) => counted(points, "load point"),
        PlacedLoad::Seeks(None) => {
            "its share of a search for the largest count on all agents together".to_owned()
        }
        PlacedLoad::Seeks(Some(cap)) => format!(
            "its share of a search for the largest count on all agents together, up to {}",
            count(u64::from(cap))
        ),
    }
}

/// What each agent would do, one line each.
pub fn fleet_placed(lines: &[PlacedLine]) -> String {
    let line = |line: &PlacedLine| {
        let gone = if line.is_there { "" } else { "; not connected" };
        let does = placed_words(line.does);
        format!("{}: {does} on {}{gone}\n", plain(&line.agent), plain(&line.target))
    };
    lines.iter().map(line).collect()
}

/// On which agents a run was stopped, and on which it did not stop. `run` is the one whose controller
/// was instructed to stop; that controller fetches its results.
pub fn fleet_halted(run: Option<&str>, stopped: &[String], going_on: &[String]) -> String {
    let names = |agents: &[String]| agents.iter().map(|agent| plain(agent)).collect::<Vec<_>>().join(", ");
    let mut text = match stopped {
        _ if run.is_some() => {
            format!("{} was stopped. Its controller fetches the results.\n", plain(run.unwrap_or_default()))
        }
        [] if going_on.is_empty() => "Nothing runs on this fleet.\n".to_owned(),
        [] => String::new(),
        stopped => {
            format!(
                "Stopped on {}. The agents keep the results. Fetch them: reelgauge fleet logs\n",
                names(stopped)
            )
        }
    };
    if !going_on.is_empty() {
        text.push_str(&format!(
            "The run did not stop on {}. Run 'reelgauge fleet stop' again.\n",
            names(going_on)
        ));
    }
    text
}

/// An agent that was missing.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingLine {
    pub agent: String,
    /// Since when, on the controller's clock, in words: `14:03:22`.
    pub from: String,
    pub why: WhyMissing,
    /// Whether its earlier results were fetched.
    pub is_fetched: bool,
}

/// One line per missing agent; empty if there was none.
pub fn fleet_missing(lines: &[MissingLine]) -> String {
    let line = |line: &MissingLine| {
        let why = why_missing(&line.why);
        // It never started.
        if matches!(line.why, WhyMissing::Refused { .. }) {
            return format!("{}: {why}.\n", line.agent);
        }
        let kept = match line.is_fetched {
            true => "its earlier results are here",
            false => "its results were not fetched",
        };
        format!("{} was missing from {} onwards: {why}; {kept}.\n", line.agent, line.from)
    };
    lines.iter().map(line).collect()
}

/// The target directory of an agent does not exist.
pub fn fleet_directory_missing(agent: &str, path: &std::path::Path) -> String {
    let path = plain(&path.display().to_string());
    format!("{}: {path} does not exist. Create it there, or change 'targets' in the plan.", plain(agent))
}

/// Agents that a procedure needs are not connected.
pub fn fleet_absent(agents: &[String]) -> String {
    let names = agents.iter().map(|agent| plain(agent)).collect::<Vec<_>>().join(", ");
    let are = if agents.len() == 1 { "is" } else { "are" };
    format!("{names} {are} not connected. Start 'reelgauge agent' there, or name other agents with --agents.")
}

/// The agents that a run waits for before it begins.
pub fn fleet_waits(agents: &[String]) -> String {
    let names = agents.iter().map(|agent| plain(agent)).collect::<Vec<_>>().join(", ");
    format!("Waiting for {names} (the plan has begin = \"all\"). Press Ctrl-C to cancel.")
}

/// The files of an agent were not fetched: the sizes it stated are impossible, or do not fit on this
/// disk.
pub fn fleet_files_refused(agent: &str, why: &dyn std::fmt::Display) -> String {
    format!("{}: its files were not fetched, {why}. They stay on the agent.", plain(agent))
}

/// Everything was fetched, but these agents disconnected before they could be notified. They keep a copy
/// until then. `again` is the command that notifies them.
pub fn fleet_copies_left(agents: &[&str], again: &str) -> String {
    let names = agents.iter().map(|agent| plain(agent)).collect::<Vec<_>>().join(", ");
    let (keeps, are) = if agents.len() == 1 { ("keeps its", "it is") } else { ("keep their", "they are") };
    format!(
        "All results are here. {names} disconnected before confirming the transfer, and {keeps} copy on \
         disk. When {are} connected again, this removes the copy: {again}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_with_a_copy_are_named_with_the_command_that_removes_it() {
        let one = fleet_copies_left(&["b"], "reelgauge fleet logs R");
        let expected =
            "keeps its copy on disk. When it is connected again, this removes the copy: reelgauge fleet";
        assert!(one.contains(expected), "{one}");
        insta::assert_snapshot!(fleet_copies_left(&["b", "c"], "x"));
    }

    #[test]
    fn search_shows_its_trial_and_known_bounds() {
        let mut printed = Vec::<String>::new();
        let known = |passed: Option<&str>, fell: Option<&str>| {
            let tries = FleetTries {
                label: "12 players".to_owned(),
                passed: passed.map(str::to_owned),
                fell: fell.map(str::to_owned),
            };
            fleet_now(&FleetNow { present: 2, agents: 2, tries: Some(tries), ..FleetNow::default() })
        };
        printed.push(known(None, None).to_string());
        printed.push(known(Some("8 players"), None).to_string());
        printed.push(known(Some("8 players"), Some("16 players")).to_string());
        printed.push(known(None, Some("16 players")).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn progress_line_fits_and_names_missing_agents() {
        let mut printed = Vec::<String>::new();
        let measuring = FleetDoes::Measuring {
            point: 1,
            elapsed_s: 12.3,
            read_bytes_per_s: 1_234.4e6,
            write_bytes_per_s: 95.0e6,
            p99_ms: Some(12.34),
            late_frames: None,
            no_answer_s: None,
            unheard: None,
        };
        let said =
            |does: FleetDoes| fleet_now(&FleetNow { present: 2, agents: 3, does, ..FleetNow::default() });
        let line = said(measuring.clone());
        printed.push(line.to_string());
        // Without contact, earlier figures of an agent are out of date.
        let stands = |late: Option<u64>, silent_s: Option<f64>, not_heard: Option<(u64, f64)>| {
            let mut does = measuring.clone();
            if let FleetDoes::Measuring { late_frames, no_answer_s, unheard, p99_ms, .. } = &mut does {
                (*late_frames, *no_answer_s, *unheard, *p99_ms) = (late, silent_s, not_heard, None);
            }
            said(does)
        };
        printed.push(stands(Some(3), None, Some((2, 8.0))).to_string());
        printed.push(stands(Some(0), None, Some((1, 8.0))).to_string());
        printed.push(stands(Some(3), Some(11.0), None).to_string());
        let after = |ready| said(FleetDoes::Readying { point: 2, ready });
        printed.push(after(0).to_string());
        printed.push(after(1).to_string());
        let starting = FleetDoes::Starting { point: 0, in_s: 2.6 };
        let line =
            fleet_now(&FleetNow { present: 3, agents: 3, does: starting, will_pause: false, tries: None });
        printed.push(line.to_string());
        let all = FleetNow {
            present: 1,
            agents: 1,
            does: FleetDoes::Readying { point: 0, ready: 0 },
            will_pause: true,
            tries: None,
        };
        printed.push(fleet_now(&all).to_string());
        let paused = FleetNow {
            present: 2,
            agents: 2,
            does: FleetDoes::Paused { point: 1 },
            will_pause: false,
            tries: None,
        };
        printed.push(fleet_now(&paused).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn measured_load_points_have_a_line_each_and_unknown_is_not_zero() {
        let mut printed = Vec::<String>::new();
        printed.push(fleet_so_far(&[]).to_string());
        let told = SoFarLine {
            point: 0,
            told: 1,
            agents: 2,
            ops: 1_234,
            failed_ops: 2,
            read_bytes_per_s: 2e9,
            write_bytes_per_s: 0.0,
            p99_ms: Some(4.56),
            late_frames: Some(1),
        };
        let unknown = SoFarLine { point: 1, agents: 2, ..SoFarLine::default() };
        printed.push(fleet_so_far(&[told, unknown]).to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn missing_agents_are_named_with_time_and_reason() {
        let why = WhyMissing::EndedEarly { why: Some("disk\u{1b}[2J full".to_owned()) };
        let line = MissingLine { agent: "b".to_owned(), from: "14:03:22".to_owned(), why, is_fetched: true };
        insta::assert_snapshot!(fleet_missing(&[line]));
        assert_eq!(fleet_missing(&[]), "");
    }
}
