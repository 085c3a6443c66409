//! The doctor's screen: the result first, then each finding with its remedy, then facts that could not
//! be collected, and the next step.

mod gaps;
mod json;
mod next_step;
mod probes;
mod reason;
mod words;

use reelgauge_analysis::path::PathFacts;
use reelgauge_analysis::path::site::Site;
use reelgauge_doctor::Diagnosis;
use reelgauge_doctor::diagnosis::Finding;
use reelgauge_doctor::rule::{Os, Policy, Role, Severity};

pub use json::{diagnosis_json, harmless};
pub use reason::reason;
pub use words::hint_sentence;
pub(crate) use words::price;

use crate::page::ScreenText;
use crate::path::{all_hops, path_lines};
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::text::{plain, wrap};

/// If a finding has more subjects than this, the others are only counted.
const SUBJECTS_MAX: usize = 4;
/// A short screen lists findings up to this number of lines; the others are only counted.
const LISTED_LINES: usize = 15;
/// The indent of the parts of a finding below its title.
pub(crate) const INDENT: usize = 3;

/// The caveat of a rule that always applies.
pub(crate) const NO_CAVEAT: &str = "No reason against the change is known.";

/// The screen of a diagnosis; with `all`, every rule by name. `way` is the path to the server's disks,
/// if there is one.
pub fn doctor_screen(diagnosis: &Diagnosis, way: Option<&PathFacts>, all: bool, style: Style) -> String {
    let mut page = ScreenText::new(Style { is_short: style.is_short && !all, ..style });
    let tone = if is_grave(diagnosis) { Tone::Bad } else { Tone::Answer };
    page.labelled("Result", tone, &words::answer(diagnosis));
    page.labelled("Confidence", Tone::Plain, &words::coverage(diagnosis));
    page.detail(|page| {
        page.sentence(Tone::Plain, &words::machine(diagnosis));
        if let Some(disks) = words::all_disks(diagnosis) {
            page.sentence(Tone::Plain, &disks);
        }
        if let Some(way) = way {
            show_way(way, page);
        }
    });
    page.detail(|page| probes::probes(diagnosis, page));
    if page.is_short {
        list(diagnosis, &mut page);
    }
    page.detail(|page| {
        for (at, finding) in diagnosis.findings.iter().enumerate() {
            page.gap();
            show(at + 1, finding, diagnosis, page);
        }
    });
    page.detail(|page| {
        page.gap();
        gaps::not_looked(diagnosis, all, page);
        gaps::not_understood(diagnosis, all, page);
        counts(diagnosis, all, page);
        gaps::unrecognised(diagnosis, all, page);
    });
    page.gap();
    if page.is_short {
        page.omitted(["add --details"; 2]);
    }
    page.item("Next", &next_step::next_step(diagnosis));
    page.text
}

fn show_way(way: &PathFacts, page: &mut ScreenText) {
    page.lines(vec!["Path:".to_owned()]);
    page.lines(path_lines(&all_hops(way), page.width));
    if way.site == Site::default() {
        page.sentence(Tone::Plain, "Answer questions about what no counter shows: reelgauge doctor --ask");
    }
}

/// The findings of a short screen, the worst first, with the observed values and the change.
fn list(diagnosis: &Diagnosis, page: &mut ScreenText) {
    page.gap();
    let os = diagnosis.system.os;
    let mut lines: Vec<String> = Vec::new();
    for (at, finding) in diagnosis.findings.iter().enumerate() {
        let found = finding.found.first().map(words::found).unwrap_or_default();
        let text =
            wrap(&format!("{}. {}: {}", at + 1, finding.rule.title, plain(&found)), page.width, INDENT);
        let change = changes(finding, os);
        let change = change.first().map(|change| format!("Change: {}", plain(change)));
        let change = change.map(|change| wrap(&change, page.width - INDENT, INDENT));
        let change = change.iter().flat_map(|text| text.lines()).map(|line| format!("{:INDENT$}{line}", ""));
        let entry: Vec<String> = text.lines().map(str::to_owned).chain(change).collect();
        if at > 0 && lines.len() + entry.len() > LISTED_LINES {
            lines.push(format!("and {} more", diagnosis.findings.len() - at));
            break;
        }
        lines.extend(entry);
    }
    page.lines(lines);
}

/// The commands that change what was found, or the advice if this system has no command.
fn changes(finding: &Finding, os: Os) -> Vec<String> {
    words::commands(finding, |found| finding.fix(found, os).unwrap_or(&finding.rule.recommended))
}

/// Whether a finding costs much. The exit status depends on it.
pub fn is_grave(diagnosis: &Diagnosis) -> bool {
    diagnosis.findings.iter().any(|finding| finding.rule.severity <= Severity::High)
}

fn show(number: usize, finding: &Finding, diagnosis: &Diagnosis, page: &mut ScreenText) {
    let rule = finding.rule;
    page.heading(&wrap(&format!("{number}. {}", rule.title), page.width, INDENT));
    let part = |page: &mut ScreenText, name: &str, text: &str| {
        if !text.is_empty() {
            page.below(INDENT, name, &plain(text));
        }
    };
    for sentence in finding.found.iter().take(SUBJECTS_MAX).map(words::found) {
        part(page, "Found", &sentence);
    }
    if let Some(more @ 1..) = finding.found.len().checked_sub(SUBJECTS_MAX) {
        part(page, "Found", &format!("The same on {more} others; --json lists all."));
    }
    words::costs(finding).into_iter().for_each(|cost| part(page, "Cost", &price(cost)));
    part(page, "Why", &rule.why);
    match rule.policy {
        Policy::Never => part(
            page,
            "Decide",
            "This reduces security or data safety. Decide whether you \
                                               accept that.",
        ),
        Policy::NotAChange | Policy::WithExplicitConsent => {}
    }
    let os = diagnosis.system.os;
    let change = changes(finding, os);
    let undo = words::commands(finding, |found| finding.undo(found, os));
    change.iter().for_each(|command| part(page, "Change", command));
    undo.iter().for_each(|command| part(page, "Undo", command));
    rule.not_when.iter().for_each(|caveat| part(page, "Caveat", caveat));
    part(page, "Evidence", &words::evidence_and_claim(rule));
    part(page, "Rule", &rule.id);
}

/// The number of rules without a finding, and of rules that could not be evaluated.
fn counts(diagnosis: &Diagnosis, all: bool, page: &mut ScreenText) {
    let in_order = &diagnosis.in_order;
    page.item("Passed", &format!("{}.", words::rules(in_order.len())));
    named(in_order, all, page);
    let documented = &diagnosis.documented;
    if !documented.is_empty() {
        let why = if all { "" } else { "; --all shows why" };
        page.item(
            "Documented",
            &format!(
                "{} not \
                                                         exercised{why}.",
                words::rules(documented.len())
            ),
        );
    }
    for rule in documented.iter().filter(|_| all) {
        page.below(INDENT, rule.rule, rule.reason);
    }
    let not_here = &diagnosis.not_here;
    if !not_here.is_empty() {
        let is_server = diagnosis.scope.roles.contains(&Role::Server);
        let server = if is_server { "" } else { "for servers (--server), " };
        let count = words::rules(not_here.len());
        let elsewhere = format!("{count} for other systems, {server}or for components not present.");
        page.item("Skipped", &format!("{elsewhere}{}", no_disks(diagnosis)));
        named(not_here, all, page);
    }
}

/// The devices that only look like disks.
fn no_disks(diagnosis: &Diagnosis) -> String {
    let names = &diagnosis.no_disks_themselves;
    let told: Vec<String> = names.iter().take(SUBJECTS_MAX).map(|name| plain(name)).collect();
    let more = match names.len().checked_sub(SUBJECTS_MAX) {
        Some(more @ 1..) => format!(" and {more} more"),
        _ => String::new(),
    };
    match names.len() {
        0 => String::new(),
        1 => format!(" {} is a virtual disk: only its read-ahead and scheduler are judged.", told[0]),
        _ => {
            format!(
                " {}{more} are virtual disks: only their read-ahead and schedulers are judged.",
                told.join(", ")
            )
        }
    }
}

fn named(ids: &[&str], all: bool, page: &mut ScreenText) {
    if all && !ids.is_empty() {
        page.below(INDENT, "Rules", &ids.join(", "));
    }
}

#[cfg(test)]
mod tests;
