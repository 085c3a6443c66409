//! The agents of a fleet as a list: which are connected, their hosts and storage, and the clocks that
//! are off.
//!
//! Texts from agents are untrusted, so they are shown as plain text.

use crate::Style;
use crate::table::Table;
use crate::text::{plain_short, wrap};
use crate::units;

/// A clock that is off by at least this much is worth setting, in milliseconds.
const CLOCK_OFF_MS: f64 = 1_000.0;
/// Longer texts in a column are cut.
const WORDS_MAX: usize = 28;

/// An agent of a fleet.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentLine<'a> {
    pub name: &'a str,
    /// The number of processes with its name; 0 if there is none.
    pub processes: usize,
    /// Name of its host.
    pub host: &'a str,
    pub os: &'a str,
    /// Version of its program.
    pub version: &'a str,
    /// The directories where it may work.
    pub roots: Vec<RootLine<'a>>,
    /// Its fastest network interface that is up, in Mbit/s.
    pub nic_mbit_per_s: Option<u64>,
    /// The offset of its clock.
    pub clock: Option<ClockLine>,
}

/// A directory where an agent may work.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootLine<'a> {
    pub path: &'a str,
    /// What is mounted there; `None` if the agent did not report it.
    pub mount: Option<&'a str>,
    /// The free space there.
    pub available_bytes: Option<u64>,
}

/// The difference between a clock and that of the local host, in milliseconds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClockLine {
    /// How far it is ahead; negative if it is behind.
    pub offset_ms: f64,
    /// The uncertainty of the offset.
    pub uncertainty_ms: f64,
    /// The shortest round trip.
    pub round_trip_ms: f64,
}

/// The list, with missing agents first. `version` is this program's.
pub fn fleet_list(agents: &[AgentLine<'_>], version: &str, style: Style) -> String {
    let mut text = answer(agents, style);
    let there: Vec<&AgentLine<'_>> = agents.iter().filter(|agent| agent.processes > 0).collect();
    if !there.is_empty() {
        text.push('\n');
        text.push_str(&lines(&fleet_table(&there, style.width), style));
    }
    for note in notes(agents, version) {
        text.push('\n');
        text.push_str(&(wrap(&note, style.width, 0) + "\n"));
    }
    text
}

/// The clocks, with missing agents first.
pub fn fleet_clocks(agents: &[AgentLine<'_>], style: Style) -> String {
    let mut text = answer(agents, style);
    let there: Vec<&AgentLine<'_>> = agents.iter().filter(|agent| agent.processes > 0).collect();
    if !there.is_empty() {
        text.push('\n');
        let mut table = Table::default();
        table.words("agent", there.iter().map(|agent| plain_short(agent.name, WORDS_MAX)).collect());
        let clock = |show: fn(&ClockLine) -> String| {
            there.iter().map(|agent| agent.clock.as_ref().map_or("unknown".to_owned(), show)).collect()
        };
        table.column("round trip", "ms", clock(|clock| format!("{:.3}", clock.round_trip_ms)));
        table.column("clock ahead", "ms", clock(|clock| format!("{:.3}", clock.offset_ms)));
        table.column("uncertainty", "ms", clock(|clock| format!("{:.3}", clock.uncertainty_ms)));
        text.push_str(&lines(&table, style));
    }
    for note in clock_notes(agents) {
        text.push('\n');
        text.push_str(&(wrap(&note, style.width, 0) + "\n"));
    }
    text
}

fn lines(table: &Table, style: Style) -> String {
    table.lines(style.width).iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

fn answer(agents: &[AgentLine<'_>], style: Style) -> String {
    let missing: Vec<&str> =
        agents.iter().filter(|agent| agent.processes == 0).map(|agent| agent.name).collect();
    let there = agents.len() - missing.len();
    let said = match (agents.len(), missing.as_slice()) {
        (0, _) => "The fleet has no agents yet. Create a join file: reelgauge fleet add NAME".to_owned(),
        (all, []) => format!("{} connected.", units::counted_are(all as u64, "agent", "is", "are")),
        (all, missing) => {
            format!(
                "{there} of {} connected. No contact with {}.",
                units::counted_are(all as u64, "agent", "is", "are"),
                named(missing)
            )
        }
    };
    wrap(&said, style.width, 0) + "\n"
}

/// Names for a sentence; only the first few if there are many.
fn named(names: &[&str]) -> String {
    const MOST: usize = 12;
    let shown: Vec<String> = names.iter().take(MOST).map(|name| plain_short(name, WORDS_MAX)).collect();
    match names.len() > MOST {
        true => format!("{} and {} more", shown.join(", "), names.len() - MOST),
        false => match shown.split_last() {
            Some((last, [])) => last.clone(),
            Some((last, before)) => format!("{} and {last}", before.join(", ")),
            None => String::new(),
        },
    }
}

fn fleet_table(there: &[&AgentLine<'_>], width: usize) -> Table {
    let mut rows = Vec::new();
    for agent in there {
        let none = RootLine { path: "none", ..RootLine::default() };
        let roots = if agent.roots.is_empty() { std::slice::from_ref(&none) } else { &agent.roots };
        for (at, root) in roots.iter().enumerate() {
            rows.push((at == 0, *agent, root.clone()));
        }
    }
    let first = |show: &dyn Fn(&AgentLine<'_>) -> String| {
        rows.iter().map(|(is_first, agent, _)| if *is_first { show(agent) } else { String::new() }).collect()
    };
    let each = |show: &dyn Fn(&RootLine<'_>) -> String| rows.iter().map(|(_, _, root)| show(root)).collect();
    let mut table = Table::default();
    table.words("agent", first(&|agent| plain_short(agent.name, WORDS_MAX)));
    table.words("host", first(&|agent| plain_short(agent.host, WORDS_MAX)));
    table.words("root", each(&|root| crate::text::path_short(&crate::text::plain(root.path), WORDS_MAX)));
    table.words(
        "mount",
        each(&|root| root.mount.map_or("unknown".to_owned(), |mount| plain_short(mount, 12))),
    );
    table.column(
        "free",
        "GB",
        each(&|root| match root.available_bytes {
            Some(bytes) => units::number(bytes as f64 / 1e9),
            None => "unknown".to_owned(),
        }),
    );
    table.column(
        "link",
        "Gbit/s",
        first(&|agent| match agent.nic_mbit_per_s {
            Some(mbit) => units::number(mbit as f64 / 1_000.0),
            None => "unknown".to_owned(),
        }),
    );
    table.words_if_they_fit("system", first(&|agent| plain_short(agent.os, WORDS_MAX)), width);
    table
}

fn notes(agents: &[AgentLine<'_>], version: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let names = |wanted: &dyn Fn(&AgentLine<'_>) -> bool| -> Vec<&str> {
        agents.iter().filter(|agent| wanted(agent)).map(|agent| agent.name).collect()
    };
    notes.extend(doubled(agents));
    let others = names(&|agent| agent.processes > 0 && agent.version != version);
    if !others.is_empty() {
        notes.push(format!(
            "Version differs from {version}: {}. Install the same version everywhere.",
            named(&others)
        ));
    }
    notes
}

/// The agents whose name is used by several processes.
fn doubled(agents: &[AgentLine<'_>]) -> Option<String> {
    let doubled: Vec<&str> =
        agents.iter().filter(|agent| agent.processes > 1).map(|agent| agent.name).collect();
    (!doubled.is_empty()).then(|| {
        format!(
            "Two processes use the name {}: the same join file is used twice. Stop one of them, or create \
             another join file with reelgauge fleet add.",
            named(&doubled)
        )
    })
}

fn clock_notes(agents: &[AgentLine<'_>]) -> Vec<String> {
    let is_off = |agent: &&AgentLine<'_>| {
        agent.clock.is_some_and(|clock| clock.offset_ms.abs() - clock.uncertainty_ms > CLOCK_OFF_MS)
    };
    let off: Vec<&str> = agents.iter().filter(is_off).map(|agent| agent.name).collect();
    let off = (!off.is_empty()).then(|| {
        format!(
            "Clock more than 1 s off: {}. Reelgauge corrects times by the measured offset. Use NTP to keep \
             clocks in step.",
            named(&off)
        )
    });
    doubled(agents).into_iter().chain(off).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent(name: &str) -> AgentLine<'_> {
        AgentLine {
            name,
            processes: 1,
            host: "edit-01.example",
            os: "Debian GNU/Linux 12 (bookworm)",
            version: "0.1.0",
            roots: vec![RootLine {
                path: "/mnt/nas",
                mount: Some("nfs4"),
                available_bytes: Some(12_000_000_000_000),
            }],
            nic_mbit_per_s: Some(25_000),
            clock: Some(ClockLine { offset_ms: -0.25, uncertainty_ms: 0.125, round_trip_ms: 0.25 }),
        }
    }

    #[test]
    fn missing_agents_are_listed_first() {
        let mut printed = Vec::<String>::new();
        let missing = AgentLine { processes: 0, ..agent("edit-02") };
        let narrow = Style { width: 80, ..Style::default() };
        let text = fleet_list(&[agent("edit-01"), missing.clone()], "0.1.0", narrow);
        printed.push(text.to_string());
        assert!(text.contains("nfs4") && text.contains("12,000") && text.contains("25"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert_eq!(fleet_list(&[], "0.1.0", Style::default()).lines().count(), 1);
        let none = fleet_list(&[missing], "0.1.0", Style::default());
        printed.push(none.to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn unreported_agent_facts_are_unknown() {
        let silent = AgentLine {
            nic_mbit_per_s: None,
            clock: None,
            roots: vec![RootLine { path: "/mnt/dead", ..RootLine::default() }],
            ..agent("edit-01")
        };
        let text = fleet_list(std::slice::from_ref(&silent), "0.1.0", Style::default());
        assert_eq!(text.matches("unknown").count(), 3, "{text}");
        let text = fleet_clocks(&[silent], Style::default());
        assert_eq!(text.matches("unknown").count(), 3, "{text}");
    }

    #[test]
    fn fleet_problems_are_shown() {
        let mut printed = Vec::<String>::new();
        let doubled = AgentLine { processes: 2, version: "0.0.9", ..agent("a") };
        let text = fleet_list(&[doubled], "0.1.0", Style::default());
        printed.push(text.to_string());
        let text = fleet_clocks(&[AgentLine { processes: 2, ..agent("a") }], Style::default());
        printed.push(text.to_string());
        let off = ClockLine { offset_ms: 7_200_000.0, uncertainty_ms: 1.0, round_trip_ms: 2.0 };
        let text =
            fleet_clocks(&[AgentLine { clock: Some(off), ..agent("a") }, agent("b")], Style::default());
        assert!(text.contains("off: a."), "{text}");
        // If the uncertainty is large, no offset is claimed.
        let unsure = ClockLine { offset_ms: 1_500.0, uncertainty_ms: 900.0, round_trip_ms: 1_800.0 };
        let text = fleet_clocks(&[AgentLine { clock: Some(unsure), ..agent("a") }], Style::default());
        assert!(!text.contains(" s off: "), "{text}");
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn hostile_words_of_an_agent_are_plain() {
        let bad = AgentLine { host: "a\u{1b}[2Jb\nc", os: "x\r\ny", ..agent("a") };
        let text = fleet_list(&[bad], "0.1.0", Style::default());
        assert!(!text.contains('\u{1b}') && !text.contains('\r'), "{text:?}");
    }
}
