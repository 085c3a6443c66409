//! The screen of the doctors of several hosts: agents that did not respond, findings with the names of
//! the affected hosts, and differences between the hosts.
//!
//! Texts from agents are untrusted, so they are shown as plain text.

use reelgauge_analysis::preflight::differences::Difference;
use reelgauge_doctor::multi_host::{CombinedResults, HostFinding, SharedFinding};
use reelgauge_doctor::rule::catalogue::rules;
use serde::Serialize;

use crate::Style;
use crate::doctor::{INDENT, price};
use crate::page::ScreenText;
use crate::preflight::differs;
use crate::sentence::Tone;
use crate::text::plain_short;
use crate::units::{count, counted};

/// Longer texts from a host are cut.
const TEXT_CHARS: usize = 600;
const NAME_CHARS: usize = 40;
/// A sentence lists at most this many names.
const NAMES_MAX: usize = 12;
/// At most this many findings are shown, and this many sentences for each; the JSON output has all of
/// them.
const FINDINGS_MAX: usize = 60;
const SENTENCES_MAX: usize = 6;

/// Why an agent sent no diagnosis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum WhyNoAnswer {
    /// It is not connected.
    NotHeard,
    /// Two processes use its name.
    Twice,
    /// Its version does not support the request.
    Older { version: String },
    /// It received the request, which failed.
    Failed { why: String },
    /// It received the request and has not replied.
    NotInTime,
}

/// An agent that sent no diagnosis.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NoAnswer {
    pub agent: String,
    pub why: WhyNoAnswer,
}

/// The whole screen; `version` is this program's.
pub fn fleet_doctor_screen(
    found: &CombinedResults,
    silent: &[NoAnswer],
    differences: &[Difference],
    (version, style): (&str, Style),
) -> String {
    let mut page = ScreenText::new(style);
    let tone = if found.is_grave() { Tone::Bad } else { Tone::Answer };
    page.sentence(tone, &answer(found, silent));
    for no_answer in silent {
        page.item(&name(&no_answer.agent), &why_no_answer(&no_answer.why, version, "reelgauge doctor"));
    }
    for said in &found.not_looked {
        page.item("Not checked", &format!("{}: {}.", names(&said.hosts), text(&said.text)));
    }
    for (at, finding) in found.findings.iter().take(FINDINGS_MAX).enumerate() {
        page.gap();
        show(at + 1, finding, found, &mut page);
    }
    let hidden = found.findings.len().saturating_sub(FINDINGS_MAX) as u64 + found.left_off;
    if hidden > 0 {
        page.gap();
        page.sentence(Tone::Plain, &format!("{} more not shown.", count(hidden)));
    }
    page.gap();
    for difference in differences {
        page.sentence(Tone::Plain, &differs(difference, false));
    }
    if differences.is_empty() && found.hosts.len() > 1 {
        page.sentence(
            Tone::Plain,
            "The hosts do not differ in system, kernel, network driver, MTU, link and mount options.",
        );
    }
    page.text
}

fn answer(found: &CombinedResults, silent: &[NoAnswer]) -> String {
    let all = found.hosts.len() + silent.len();
    let answered = match silent {
        [] => format!("{} checked.", counted_were(all as u64)),
        _ => format!("{} of {} checked.", count(found.hosts.len() as u64), counted_were(all as u64)),
    };
    if found.hosts.is_empty() {
        return answered;
    }
    let on_several = found.findings.iter().filter(|finding| finding.hosts.len() > 1).count() as u64;
    let things = found.findings.len() as u64;
    match (things, on_several) {
        (0, _) => format!("{answered} Nothing to change was found."),
        (things, 0) => format!("{answered} {} found.", counted_were_things(things)),
        (things, several) => format!(
            "{answered} {} found, {} of them on several hosts.",
            counted_were_things(things),
            count(several)
        ),
    }
}

fn counted_were(machines: u64) -> String {
    format!("{} {}", counted(machines, "host"), if machines == 1 { "was" } else { "were" })
}

fn counted_were_things(things: u64) -> String {
    format!("{} {}", counted(things, "thing"), if things == 1 { "was" } else { "were" })
}

/// Why an agent sent no diagnosis, as a sentence. `instead`: the equivalent command on its host.
pub(crate) fn why_no_answer(why: &WhyNoAnswer, version: &str, instead: &str) -> String {
    match why {
        WhyNoAnswer::NotHeard => "no contact, so nothing is known about its host.".to_owned(),
        WhyNoAnswer::Twice => {
            "two processes use this name, so neither was checked. Stop one of them.".to_owned()
        }
        WhyNoAnswer::Older { version: its } => format!(
            "its version {} does not have this command. Install version {version} there, or run '{instead}' \
             on it.",
            text(its)
        ),
        WhyNoAnswer::Failed { why } => format!("{}.", text(why).trim_end_matches('.')),
        WhyNoAnswer::NotInTime => "it did not respond in time. Use a longer --wait.".to_owned(),
    }
}

fn show(number: usize, finding: &SharedFinding, found: &CombinedResults, page: &mut ScreenText) {
    let everybody = found.hosts.len() > 1 && finding.hosts.len() == found.hosts.len();
    let whose = match everybody {
        true => format!("all {} hosts", count(found.hosts.len() as u64)),
        false => names(&finding.hosts),
    };
    let title = format!("{number}. {} ({whose})", text(&finding.title));
    page.heading(&crate::text::wrap(&title, page.width, INDENT));
    let is_shared = |said: &HostFinding| said.hosts.len() == finding.hosts.len();
    let of = |said: &HostFinding| match is_shared(said) {
        true => text(&said.text),
        false => format!("{}: {}", names(&said.hosts), text(&said.text)),
    };
    for said in finding.found.iter().take(SENTENCES_MAX) {
        page.below(INDENT, "Found", &of(said));
    }
    if let Some(more @ 1..) = finding.found.len().checked_sub(SENTENCES_MAX) {
        page.below(INDENT, "Found", &format!("{} more; --json lists all.", count(more as u64)));
    }
    let rule = rules().iter().find(|rule| rule.id == finding.rule);
    if let Some(cost) = rule.and_then(|rule| rule.cost.as_deref()) {
        page.below(INDENT, "Cost", &price(cost));
    }
    finding.changes.iter().take(SENTENCES_MAX).for_each(|said| page.below(INDENT, "Change", &of(said)));
    if !finding.in_order_on.is_empty() {
        page.below(INDENT, "OK on", &names(&finding.in_order_on));
    }
    if !finding.not_looked_on.is_empty() {
        page.below(INDENT, "Unknown on", &names(&finding.not_looked_on));
    }
    page.below(INDENT, "Rule", &text(&finding.rule));
}

fn text(said: &str) -> String {
    plain_short(said, TEXT_CHARS)
}

fn name(agent: &str) -> String {
    plain_short(agent, NAME_CHARS)
}

/// `a, b and 3 more`.
fn names(agents: &[String]) -> String {
    let shown: Vec<String> = agents.iter().take(NAMES_MAX).map(|agent| name(agent)).collect();
    match agents.len().saturating_sub(NAMES_MAX) {
        0 => shown.join(", "),
        more => format!("{} and {} more", shown.join(", "), count(more as u64)),
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_doctor::rule::Severity;

    use super::*;

    fn of(text: &str, hosts: &[&str]) -> HostFinding {
        HostFinding { text: text.to_owned(), hosts: hosts.iter().map(|&host| host.to_owned()).collect() }
    }

    fn together() -> CombinedResults {
        let finding = SharedFinding {
            rule: "net.mtu".to_owned(),
            title: "Small packets".to_owned(),
            severity: Severity::High,
            hosts: vec!["a".to_owned(), "b".to_owned()],
            found: vec![of("eth0 has 1500 bytes\u{1b}[2J", &["a"]), of("eth1 has 1400 bytes", &["b"])],
            changes: vec![of("ip link set mtu 9000", &["a", "b"])],
            in_order_on: vec!["c".to_owned()],
            not_looked_on: Vec::new(),
        };
        let hosts = ["a", "b", "c"].map(str::to_owned).to_vec();
        CombinedResults { hosts, findings: vec![finding], ..CombinedResults::default() }
    }

    #[test]
    fn common_findings_are_shown_once_and_silent_hosts_named() {
        let silent = |agent: &str, why| NoAnswer { agent: agent.to_owned(), why };
        let silent = [
            silent("d", WhyNoAnswer::NotHeard),
            silent("e", WhyNoAnswer::Older { version: "0.0.9".to_owned() }),
        ];
        let style = Style { width: 100, ..Style::default() };
        let screen = fleet_doctor_screen(&together(), &silent, &[], ("0.1.0", style));
        let flat = screen.split_whitespace().collect::<Vec<_>>().join(" ");
        insta::assert_snapshot!(flat);
        assert_eq!(screen.matches("Small packets").count(), 1);
        assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    }

    #[test]
    fn many_findings_and_many_names_stay_a_screen() {
        let mut many = together();
        many.hosts = (0..400).map(|at| format!("edit-{at}")).collect();
        many.findings[0].hosts = many.hosts[..300].to_vec();
        many.findings = vec![many.findings[0].clone(); 500];
        let screen = fleet_doctor_screen(&many, &[], &[], ("0.1.0", Style::default()));
        assert!(screen.contains(" 288 ") && screen.contains("440 more"), "{screen}");
        assert!(screen.len() < 100_000, "{}", screen.len());
    }
}
