//! Findings about a fleet before it measures, on the screen: first missing and differing hosts, then the
//! capacity of the network without storage, then the hosts' memory compared with the data set.
//!
//! Texts from agents are untrusted, so they are shown as plain text.

use reelgauge_analysis::preflight::Preflight;
use reelgauge_analysis::preflight::caches::CacheLine;
use reelgauge_analysis::preflight::differences::{Difference, HostTrait};
use reelgauge_analysis::preflight::network::{NetworkFindings, NetworkLine};

use crate::Style;
use crate::table::Table;
use crate::text::{capital, plain_short, wrap};
use crate::units::{amount, counted, counted_are, mb_per_s, number};

/// Longer texts from a host are cut.
const WORDS_MAX: usize = 60;
/// The text in place of a figure that was not measured.
const NOT_MEASURED: &str = "not measured";

/// Only the problems, for the start of a run. Empty if there are none.
pub fn preflight_findings(found: &Preflight, style: Style) -> String {
    let groups = found.differences.iter().any(|difference| difference.group.is_some());
    let missing = (!found.not_there.is_empty()).then(|| there(found));
    let differences = found.differences.iter().map(|difference| differs(difference, groups));
    let fits = |line: &&CacheLine| line.fits() == Some(true) || !line.fitting.is_empty();
    let caches = found.caches.iter().filter(fits).map(|line| capital(&cache(line)));
    let lines = missing.into_iter().chain(differences).chain(caches);
    lines.map(|line| wrap(&line, style.width, 2) + "\n").collect()
}

/// The whole screen, problems first.
pub fn preflight_screen(found: &Preflight, style: Style) -> String {
    let mut lines = vec![there(found)];
    let groups = found.differences.iter().any(|difference| difference.group.is_some());
    match found.differences.as_slice() {
        [] if found.agents.len() > 1 => {
            lines.push("No host differs from the others of its group.".to_owned());
        }
        [] => {}
        differences => lines.extend(differences.iter().map(|difference| differs(difference, groups))),
    }
    let mut text: String = lines.iter().map(|line| wrap(line, style.width, 2) + "\n").collect();
    text.push_str(&network(&found.network, style));
    for line in found.caches.iter().map(cache) {
        text.push('\n');
        text.push_str(&(wrap(&capital(&line), style.width, 0) + "\n"));
    }
    text
}

fn there(found: &Preflight) -> String {
    let all = (found.agents.len() + found.not_there.len()) as u64;
    match found.not_there.as_slice() {
        [] => format!("{} there.", counted_are(all, "agent", "is", "are")),
        missing => {
            let names: Vec<String> = missing.iter().map(|name| plain(name)).collect();
            format!(
                "{} of {} connected. No contact with {}, so nothing is known about their hosts.",
                found.agents.len(),
                counted_are(all, "agent", "is", "are"),
                names.join(", ")
            )
        }
    }
}

fn plain(text: &str) -> String {
    plain_short(text, WORDS_MAX)
}

pub(crate) fn differs(difference: &Difference, with_group: bool) -> String {
    let (what, value) = (what_words(&difference.what), |value: &Option<String>| {
        value_words(&difference.what, value.as_deref())
    });
    let each: Vec<String> = difference
        .agents
        .iter()
        .map(|agent| format!("{} has {what} {}", plain(&agent.agent), value(&agent.value)))
        .collect();
    let group = match &difference.group {
        Some(group) if with_group => format!(" (group {})", plain(group)),
        _ => String::new(),
    };
    match &difference.usual {
        Some(usual) => format!(
            "Differs: {}; {} in its group {} {}{group}.",
            each.join(", "),
            counted(usual.hosts, "other"),
            if usual.hosts == 1 { "has" } else { "have" },
            value(&usual.value)
        ),
        None => format!("Differs: {}; no value has a majority{group}.", each.join(", ")),
    }
}

fn what_words(what: &HostTrait) -> String {
    match what {
        HostTrait::Version => "Reelgauge".to_owned(),
        HostTrait::Os => "the system".to_owned(),
        HostTrait::Kernel => "the kernel".to_owned(),
        HostTrait::Driver => "the network driver".to_owned(),
        HostTrait::MtuBytes => "an MTU of".to_owned(),
        HostTrait::LinkMbitPerS => "a link of".to_owned(),
        HostTrait::MountType => "the file system".to_owned(),
        HostTrait::MountOption(name) => format!("the mount option {}", plain(name)),
    }
}

fn value_words(what: &HostTrait, value: Option<&str>) -> String {
    match (what, value) {
        (HostTrait::MountOption(_), None) => "not set".to_owned(),
        (HostTrait::MountOption(_), Some("")) => "set".to_owned(),
        (HostTrait::MtuBytes, Some(value)) => format!("{} bytes", plain(value)),
        (HostTrait::LinkMbitPerS, Some(value)) => format!("{} Mbit/s", plain(value)),
        (_, Some(value)) => plain(value),
        (_, None) => "unknown".to_owned(),
    }
}

fn network(found: &NetworkFindings, style: Style) -> String {
    if let Some(why) = &found.why_not {
        return format!("\n{}\n", wrap(&format!("The network was not measured: {why}."), style.width, 0));
    }
    let head = format!(
        "The network alone, memory to memory over TCP, {} s each, without storage:",
        number(found.each_s)
    );
    let mut text = format!("\n{}\n\n", wrap(&head, style.width, 0));
    let lines = table(found).lines(style.width);
    text.extend(lines.iter().map(|line| format!("{}\n", line.trim_end())));
    for note in notes(found) {
        text.push('\n');
        text.push_str(&(wrap(&note, style.width, 0) + "\n"));
    }
    text
}

/// A row for each pair of hosts; alone and simultaneously, with each number of connections.
fn table(found: &NetworkFindings) -> Table {
    let mut pairs: Vec<(&str, &str)> = Vec::new();
    let mut columns: Vec<(bool, u32)> = Vec::new();
    for line in &found.lines {
        let (pair, column) = ((line.from.as_str(), line.to.as_str()), (line.is_together, line.connections));
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
        if !columns.contains(&column) {
            columns.push(column);
        }
    }
    let mut table = Table::default();
    table.words("from", pairs.iter().map(|(from, _)| plain(from)).collect());
    table.words("to", pairs.iter().map(|(_, to)| plain(to)).collect());
    for (is_together, connections) in columns {
        let cell = |(from, to): &(&str, &str)| {
            let is_it = |line: &&NetworkLine| {
                (line.from.as_str(), line.to.as_str(), line.is_together, line.connections)
                    == (*from, *to, is_together, connections)
            };
            let rate = found.lines.iter().find(is_it).and_then(|line| line.bytes_per_s);
            rate.map_or(NOT_MEASURED.to_owned(), mb_per_s)
        };
        let name = format!("{} × {connections}", if is_together { "all at once" } else { "alone" });
        table.column(&name, "MB/s", pairs.iter().map(cell).collect());
    }
    table
}

fn notes(found: &NetworkFindings) -> Vec<String> {
    let mut notes: Vec<String> = found
        .slow()
        .iter()
        .map(|slow| {
            format!(
                "Slow: {} to {} transferred {} MB/s, other pairs {} MB/s.",
                plain(&slow.line.from),
                plain(&slow.line.to),
                mb_per_s(slow.bytes_per_s),
                mb_per_s(slow.others_bytes_per_s)
            )
        })
        .collect();
    if let Some(machine) = found.slow_machine() {
        notes.push(format!("{} is part of every slow pair. Check its link first.", plain(machine)));
    }
    notes.extend(found.together().last().map(|together| {
        format!(
            "All pairs at once: {} MB/s with {} each. Sum of the pairs measured one at a time: {} MB/s.",
            mb_per_s(together.together_bytes_per_s),
            counted(together.connections.into(), "connection"),
            mb_per_s(together.alone_bytes_per_s)
        )
    }));
    let held = found.lines.iter().filter_map(|line| Some((line, line.owner_bytes_per_s?)));
    let mut held: Vec<String> = held
        .map(|(line, most)| {
            format!(
                "{} to {}: limited to {} MB/s by the owner of one of them (--max-network). The network may \
                 be faster.",
                plain(&line.from),
                plain(&line.to),
                mb_per_s(most as f64)
            )
        })
        .collect();
    held.dedup();
    notes.append(&mut held);
    let is_inside = |line: &&NetworkLine| {
        line.address
            .as_deref()
            .and_then(|text| text.parse::<std::net::IpAddr>().ok())
            .is_some_and(|a| a.is_loopback())
    };
    if found.lines.iter().any(|line| is_inside(&line)) {
        notes.push(
            "Some of these agents are on one host: their traffic to each other does not use the network."
                .to_owned(),
        );
    }
    let mut whys: Vec<String> = found
        .lines
        .iter()
        .filter_map(|line| {
            let why = line.why_not.as_ref()?;
            Some(format!(
                "Not measured from {} to {}: {}.",
                plain(&line.from),
                plain(&line.to),
                plain_why(why)
            ))
        })
        .collect();
    whys.dedup();
    notes.append(&mut whys);
    notes
}

/// Reasons may be longer than names.
fn plain_why(why: &str) -> String {
    plain_short(why, 4 * WORDS_MAX)
}

fn cache(line: &CacheLine) -> String {
    let step = line.step.as_ref().map_or(String::new(), |step| format!("{}: ", plain(step)));
    let machines = counted(line.machines, "host");
    let (Some(files), Some(memory)) = (line.files_bytes, line.memory_bytes) else {
        let what = if line.files_bytes.is_none() {
            "the size of the files"
        } else {
            "the size of the \
            memory"
        };
        return format!(
            "{step}unknown whether the {machines} can answer reads from memory: {what} is unknown."
        );
    };
    let (files, memory) = (amount(files), amount(memory));
    if line.is_direct {
        return format!(
            "{step}{machines} with {memory} of memory read {files}, bypassing their caches (direct I/O)."
        );
    }
    match line.fits() {
        Some(true) => format!(
            "{step}the data set fits into memory: {machines} with {memory} of memory read {files}. The cache \
             is dropped before the run, but repeated reads may come from memory. Use more or larger files, \
             or direct = true in the plan."
        ),
        _ if !line.fitting.is_empty() => format!(
            "{step}{machines} with {memory} of memory in total read {files}. Files that fit into the memory of \
             their host: those of {}. Repeated reads of them may come from there.",
            line.fitting.iter().map(|name| plain(name)).collect::<Vec<_>>().join(", ")
        ),
        _ => format!(
            "{step}{machines} with {memory} of memory in total read {files}, more than fits into that memory."
        ),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::preflight::PREFLIGHT_VERSION;
    use reelgauge_analysis::preflight::differences::{HostUsual, HostValue};

    use super::*;

    fn line(from: &str, is_together: bool, bytes_per_s: Option<f64>) -> NetworkLine {
        NetworkLine {
            from: from.to_owned(),
            to: "nas1".to_owned(),
            connections: 4,
            is_together,
            bytes_per_s,
            why_not: bytes_per_s.is_none().then(|| "a\u{1b}[2J: no connection".to_owned()),
            address: Some("10.0.0.1".to_owned()),
            owner_bytes_per_s: None,
        }
    }

    fn found() -> Preflight {
        let mtu = Difference {
            group: Some("edit".to_owned()),
            what: HostTrait::MtuBytes,
            usual: Some(HostUsual { value: Some("9000".to_owned()), hosts: 3 }),
            agents: vec![HostValue { agent: "edit-02".to_owned(), value: Some("1500".to_owned()) }],
        };
        Preflight {
            preflight_version: PREFLIGHT_VERSION,
            at: String::new(),
            agents: vec!["edit-01".to_owned(), "edit-02".to_owned()],
            not_there: vec!["edit-03".to_owned()],
            differences: vec![mtu],
            network: NetworkFindings {
                why_not: None,
                each_s: 2.0,
                lines: vec![
                    line("edit-01", false, Some(118e6)),
                    line("edit-02", false, Some(3e6)),
                    line("edit-04", false, Some(117e6)),
                    line("edit-04", true, None),
                ],
            },
            caches: vec![CacheLine {
                machines: 2,
                memory_bytes: Some(64_000_000_000),
                files_bytes: Some(9_000_000_000),
                ..CacheLine::default()
            }],
        }
    }

    #[test]
    fn problems_are_first_and_unmeasured_values_have_no_number() {
        let mut printed = Vec::<String>::new();
        let text = preflight_screen(&found(), Style { width: 80, ..Style::default() });
        printed.push(text.to_string());
        let flat = text.split_whitespace().collect::<Vec<_>>().join(" ");
        printed.push(flat.to_string());

        assert!(flat.contains(NOT_MEASURED) && flat.contains("no connection"), "{text}");

        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        assert!(!text.contains('\u{1b}'));
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn only_notable_differences_are_shown_before_a_run() {
        let style = Style { width: 80, ..Style::default() };
        let text = preflight_findings(&found(), style).split_whitespace().collect::<Vec<_>>().join(" ");
        insta::assert_snapshot!(text);
        // Files are dropped from memory, and no flag of a single-host command is named.

        let large = CacheLine { files_bytes: Some(u64::MAX), memory_bytes: Some(1), ..CacheLine::default() };
        let quiet =
            Preflight { not_there: Vec::new(), differences: Vec::new(), caches: vec![large], ..found() };
        assert_eq!(preflight_findings(&quiet, style), "");
    }

    #[test]
    fn unmeasured_network_has_a_reason() {
        let network = NetworkFindings {
            why_not: Some("--peer was not given".to_owned()),
            ..NetworkFindings::default()
        };
        let quiet = Preflight { network, differences: Vec::new(), caches: Vec::new(), ..found() };
        let text = preflight_screen(&quiet, Style::default());
        insta::assert_snapshot!(text);
        assert!(!text.contains("MB/s"), "{text}");
    }
}
