//! The sentences of a diagnosis, and facts as text.

use std::ffi::OsStr;

use reelgauge_doctor::Diagnosis;
use reelgauge_doctor::diagnosis::{Finding, Found};
use reelgauge_doctor::rule::{Grounds, Os, Role, Rule, Severity};
use reelgauge_machine::facts::{FactKind, Value};

use super::SUBJECTS_MAX;
use crate::text::{capital, plain, plain_short, shell_argument, shell_word};
use crate::units::{amount, block_size, count, counted, number, span};

/// Longer lines of a file are cut.
const LINE_CHARS: usize = 200;
/// Longer names and lists are cut in a sentence.
const WORD_CHARS: usize = 80;
/// Longer host names are cut.
const HOST_CHARS: usize = 40;

/// The result of the diagnosis.
pub(super) fn answer(diagnosis: &Diagnosis) -> String {
    let of = of_what(diagnosis);
    let is_change = |finding: &&Finding| finding.rule.severity < Severity::Info;
    let changes = diagnosis.findings.iter().filter(is_change).count();
    let notes = diagnosis.findings.len() - changes;
    let unseen = diagnosis.not_looked.len();
    match (diagnosis.findings.first(), changes) {
        (Some(first), 1..) => {
            let things = counted(changes as u64, "thing");
            let notes = if notes > 0 { format!(" and {notes} for information") } else { String::new() };
            let it = if changes == 1 { "it" } else { "the first" };
            match costs(first).first() {
                Some(cost) => format!("{things} to change{notes} {of}; leaving {it} as is can cost {cost}."),
                None => format!("{things} to change{notes} {of}."),
            }
        }
        _ if diagnosis.knows_nothing() => format!("Nothing could be checked {of}."),
        _ if unseen > 0 => {
            format!(
                "Nothing to change was found {of}. {} could not be checked and may still find something.",
                rules(unseen)
            )
        }
        _ => format!("Nothing to change was found {of}."),
    }
}

/// The number of rules without a finding, and of rules that could not be evaluated.
pub(super) fn coverage(diagnosis: &Diagnosis) -> String {
    let passed = rules(diagnosis.in_order.len());
    let is_told = diagnosis.findings.iter().all(|finding| finding.rule.severity >= Severity::Info);
    match diagnosis.not_looked.len() {
        0 => format!("{passed} passed; none was left unchecked."),
        // The result already contains their number.
        _ if is_told => format!("limited: only {passed} passed."),
        unseen => format!("limited: {passed} passed, {} could not be checked.", rules(unseen)),
    }
}

fn of_what(diagnosis: &Diagnosis) -> String {
    let is_server = diagnosis.scope.roles.contains(&Role::Server);
    let whose = whose(diagnosis);
    match (&diagnosis.scope.place, is_server) {
        (_, true) => format!("on {whose} as a server"),
        (Some(place), false) => format!("on {whose} for {}", plain(&shell_word(&place.path))),
        (None, false) => format!("on {whose}"),
    }
}

/// The host that was diagnosed: this one, or the other one by its name if known.
pub(super) fn whose(diagnosis: &Diagnosis) -> String {
    match (diagnosis.scope.is_elsewhere, &diagnosis.system.host) {
        (false, _) if diagnosis.scope.roles.contains(&Role::Server) => "this host".to_owned(),
        (false, _) => "this client".to_owned(),
        (true, Some(host)) => plain_short(host, HOST_CHARS),
        (true, None) => "that host".to_owned(),
    }
}

/// `Machine: Debian GNU/Linux 12 (bookworm), Linux 6.1; nfs4 from nas1:/media`.
pub(super) fn machine(diagnosis: &Diagnosis) -> String {
    let system = &diagnosis.system;
    let kind = match system.os {
        Os::Linux => "Linux",
        Os::Macos => "macOS",
        Os::Windows => "Windows",
        Os::Truenas => "TrueNAS",
    };
    let name = system.name.as_deref().map_or_else(|| kind.to_owned(), plain);
    let kernel =
        system.kernel.as_deref().map(|kernel| format!(", kernel {}", plain_short(kernel, WORD_CHARS)));
    let place = diagnosis.scope.place.as_ref().map(|place| {
        let source = plain_short(&place.source, WORD_CHARS);
        format!("; {} from {source}, mounted on {}", plain(&place.fs_type), plain(&place.mount_point))
    });
    format!("System: {name}{}{}", kernel.unwrap_or_default(), place.unwrap_or_default())
}

/// A note that any disk may be on the path, if the texts do not identify the disks; `None` if they do,
/// or if all disks were requested.
pub(super) fn all_disks(diagnosis: &Diagnosis) -> Option<String> {
    let place = diagnosis.scope.place.as_ref().filter(|place| !place.are_devices_known)?;
    let is_server = diagnosis.scope.roles.contains(&Role::Server);
    let path = plain(&shell_word(&place.path));
    let whose = whose(diagnosis);
    (!is_server).then(|| {
        format!("Disks: unknown which of them hold {path}, so all disks and pools of {whose} are judged.")
    })
}

/// The possible costs of a finding, each damage or size once; empty if unknown.
pub(super) fn costs(finding: &Finding) -> Vec<&'static str> {
    let mut all: Vec<&'static str> = Vec::new();
    for cost in finding.found.iter().filter_map(|found| finding.cost(found)) {
        if !all.contains(&cost) {
            all.push(cost);
        }
    }
    all
}

/// The possible cost of a rule or a finding, as a separate part.
pub(crate) fn price(cost: &str) -> String {
    capital(cost) + "."
}

/// The evidence for a rule, with the first number that a source gives.
pub(super) fn evidence_and_claim(rule: &Rule) -> String {
    let level = match rule.evidence {
        Grounds::A => "A, measured",
        Grounds::B => "B, a figure from a vendor or maintainer",
        Grounds::C => "C, documentation without a number",
        Grounds::D => "D, reports from users",
    };
    match rule.claims.first() {
        Some(claim) => format!("{level}. {} [{}]", claim.says, short_source(&claim.source)),
        None => format!("{level}."),
    }
}

/// The host of an address; the JSON output has the whole address.
fn short_source(source: &str) -> &str {
    let rest = source.strip_prefix("https://").or_else(|| source.strip_prefix("http://"));
    rest.map_or(source, |rest| rest.split('/').next().unwrap_or(rest))
}

/// `1 rule`, `12 rules`.
pub(super) fn rules(count: usize) -> String {
    counted(count as u64, "rule")
}

/// A finding with its remedy, as a hint: only the first subject, and without the reasons.
pub fn hint_sentence(finding: &Finding, os: Os) -> Option<String> {
    let first = finding.found.first()?;
    let fix = finding.fix(first, os)?;
    Some(format!("{} {}", found(first), command(fix, first)))
}

/// The observed fact, with its numbers.
pub(super) fn found(found: &Found) -> String {
    let said = filled(found.template, |name| match name {
        "name" => plain_short(&found.name, WORD_CHARS),
        fact => found.facts.get(fact).map_or_else(|| "unknown".to_owned(), |value| shown(fact, value)),
    });
    capital_but_names(&said, found)
}

/// A command to fix or undo something, with the names and values of a subject. They come from collected
/// texts, so each is quoted as a single shell word. After a tilde they are text in a file, where they
/// are harmless.
pub(super) fn command(text: &str, found: &Found) -> String {
    let mut is_missing = false;
    let said = filled(text, |name| {
        let fact = name.trim_start_matches('~');
        let value = match fact {
            "name" => Some(found.name.clone()),
            fact => found.facts.get(fact).and_then(written),
        };
        is_missing |= value.is_none();
        match value {
            None => fact.to_ascii_uppercase(),
            Some(value) if fact != name => plain_short(&value, LINE_CHARS),
            // `vm.dirty_ratio=20` needs no quotes.
            Some(value) => shell_argument(OsStr::new(&value)),
        }
    });
    match is_missing {
        true => {
            said + " (note the current values before the change, and put them in place of the words in capitals)"
        }
        false => said,
    }
}

/// The commands that fix, or undo, everything that was found; `text_of` selects the text of each
/// subject. Each command appears once, and there are at most as many as subjects on the screen.
pub(super) fn commands<'a>(finding: &Finding, text_of: impl Fn(&Found) -> &'a str) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for found in finding.found.iter().take(SUBJECTS_MAX) {
        let said = command(text_of(found), found);
        if !all.contains(&said) {
            all.push(said);
        }
    }
    all
}

/// A fact as commands need it. ethtool appends a remark to values that cannot be changed.
fn written(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(exact(*number)),
        Value::Word(word) => Some(word.split(" [").next().unwrap_or(word).to_owned()),
        Value::Nothing => None,
    }
}

/// Replaces each name in braces.
fn filled(text: &str, mut value_of: impl FnMut(&str) -> String) -> String {
    let mut said = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('{') {
        let (name, behind) = after.split_once('}').unwrap_or((after, ""));
        said.push_str(before);
        said.push_str(&value_of(name));
        rest = behind;
    }
    said + rest
}

/// Capitalises the first letter, unless the sentence begins with a name: `eth0` must not become `Eth0`.
fn capital_but_names(said: &str, found: &Found) -> String {
    let begins_with_name = found.template.starts_with("{name}") && found.kind != FactKind::Machine;
    if begins_with_name { said.to_owned() } else { capital(said) }
}

/// A fact as text, formatted by the unit in its name.
fn shown(fact: &str, value: &Value) -> String {
    let value = match value {
        Value::Word(word) => return plain_short(word, WORD_CHARS),
        Value::Nothing => return "none".to_owned(),
        Value::Number(value) => *value,
    };
    let whole = value.max(0.0) as u64;
    match fact {
        "dialect" => dialect(value),
        _ if fact.ends_with("_bytes") => bytes(whole),
        _ if fact.ends_with("_kib") => bytes(whole.saturating_mul(1024)),
        _ if fact.ends_with("_mbit_per_s") && value >= 1000.0 => format!("{} Gbit/s", short(value / 1e3)),
        _ if fact.ends_with("_mbit_per_s") => format!("{} Mbit/s", short(value)),
        _ if fact.ends_with("_gt_per_s") => format!("{} GT/s", short(value)),
        _ if fact.ends_with("_s") => span(value * 1e6),
        _ if fact.ends_with("_ms") => format!("{} ms", short(value)),
        _ if fact.ends_with("_us") => format!("{} µs", short(value)),
        _ if fact.ends_with("_percent") => format!("{} %", short(value)),
        _ => exact(value),
    }
}

/// A size in the unit in which it is usually set, or an amount if it is not round: `64 KiB`, `9,000
/// bytes`, `12.3 GB`.
fn bytes(bytes: u64) -> String {
    let in_units = (0..4).map(|step| 1_u64 << (10 * step)).rfind(|unit| bytes.is_multiple_of(*unit));
    match in_units {
        Some(unit) if unit > 1 && bytes / unit < 10_000 => block_size(bytes),
        _ if bytes < 100_000 => format!("{} bytes", count(bytes)),
        _ => amount(bytes),
    }
}

/// Three significant digits, without trailing zeros: `10`, `2.5`, `28.7`.
fn short(value: f64) -> String {
    let text = number(value);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_owned() } else { text }
}

/// The SMB version of a number: 3.11 is `3.1.1`, 3.02 is `3.0.2`.
fn dialect(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_suffix('0') {
        Some(short) => short.to_owned(),
        None => format!("{}.{}", &text[..text.len() - 1], &text[text.len() - 1..]),
    }
}

/// Versions and settings, without rounding.
fn exact(value: f64) -> String {
    value.to_string()
}

#[cfg(test)]
mod tests {
    use reelgauge_doctor::diagnosis::Own;
    use reelgauge_doctor::rule::catalogue::rules;
    use reelgauge_machine::facts::FactKind;

    use super::*;

    #[test]
    fn a_hostile_name_is_one_word_of_a_command() {
        let mut printed = Vec::<String>::new();
        let rule: &'static Rule = &rules()[0];
        let facts =
            [("n".to_owned(), Value::Number(512.0)), ("w".to_owned(), Value::Word("$(x)".to_owned()))];
        let found = Found {
            kind: FactKind::Disk,
            name: "sda; rm".to_owned(),
            facts: facts.into(),
            template: "",
            own: Own::default(),
        };
        printed.push(command("set {name} {n} {w}", &found).to_string());
        assert_eq!(command("line = {~w}", &found), "line = $(x)", "a file is no shell");
        let told = command("set {old}", &found);
        printed.push(told.to_string());
        let other = Found { name: "sdb".to_owned(), ..found.clone() };
        let finding = Finding { rule, found: vec![found, other] };
        let each = commands(&finding, |_| "{name} {n}");
        assert_eq!(each, ["'sda; rm' 512", "sdb 512"], "each has its own");
        assert_eq!(commands(&finding, |_| "once"), ["once"]);
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn facts_are_shown_with_their_units() {
        for (fact, value, text) in [
            ("rsize_bytes", 65_536.0, "64 KiB"),
            ("window_needed_bytes", 12_500_001.0, "12.5 MB"),
            ("read_ahead_kib", 128.0, "128 KiB"),
            ("speed_mbit_per_s", 10_000.0, "10 Gbit/s"),
            ("used_percent", 97.0, "97 %"),
            ("largest_mtu_bytes", 9_000.0, "9,000 bytes"),
            ("memory_bytes", 135_054_753_792.0, "135 GB"),
            ("clock_apart_s", 92.4, "92.4 s"),
            ("dialect", 3.11, "3.1.1"),
            ("dialect", 2.02, "2.0.2"),
            ("dialect", 2.0, "2.0"),
            ("vers", 4.2, "4.2"),
        ] {
            assert_eq!(shown(fact, &Value::Number(value)), text, "{fact}");
        }
        assert_eq!(shown("x", &Value::Word("a\u{1b}[2J".to_owned())), "a\\u{1b}[2J");
    }
}
