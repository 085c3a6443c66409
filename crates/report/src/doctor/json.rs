//! A diagnosis for programs: all content of the screen, typed, with the same sentences.

use std::collections::BTreeMap;

use reelgauge_analysis::path::PathFacts;
use reelgauge_doctor::Diagnosis;
use reelgauge_doctor::diagnosis::{Documented, Finding, Found};
use reelgauge_doctor::rule::{Claim, Grounds, Layer, Os, Policy, Role, Severity};
use reelgauge_machine::facts::{FactSubject, Gap, Value};
use serde::Serialize;

use super::next_step::next_step;
use super::reason::reason;
use super::{NO_CAVEAT, probes, words};
use crate::text::is_harmful;

#[derive(Serialize)]
struct Written<'a> {
    answer: String,
    system: System<'a>,
    roles: Vec<Role>,
    place: Option<PlaceJson<'a>>,
    findings: Vec<WrittenFinding<'a>>,
    not_looked_at: Vec<NotLookedAt<'a>>,
    in_order: &'a [&'static str],
    documented_only: &'a [Documented],
    not_here: &'a [&'static str],
    /// Disks that are judged only by their read-ahead: virtual ones, and files.
    virtual_disks: &'a [String],
    /// Texts that exist but are damaged.
    not_understood: Vec<NotUnderstood<'a>>,
    /// Files among the collected texts that no rule reads.
    not_read: &'a [String],
    /// The path to the server's disks. `null` if there is no network path to them.
    path_to_storage: Option<&'a PathFacts>,
    /// The results of the probes. `null` if there were none.
    probes: Option<Probes<'a>>,
    next_step: String,
}

#[derive(Serialize)]
struct System<'a> {
    os: Os,
    name: Option<&'a str>,
    kernel: Option<&'a str>,
    /// The host's name in its network.
    host: Option<&'a str>,
}

#[derive(Serialize)]
struct PlaceJson<'a> {
    path: String,
    mount_point: &'a str,
    fs_type: &'a str,
    source: &'a str,
    is_local: bool,
    /// The interface to the server. `null` if there is none or it is unknown.
    link: Option<&'a str>,
    devices: &'a [String],
    /// Whether these are all devices. If not, every disk was judged.
    are_devices_known: bool,
}

#[derive(Serialize)]
struct Probes<'a> {
    path: &'a str,
    lines: Vec<ProbeLine>,
    facts: BTreeMap<&'a str, ProbedFact<'a>>,
}

#[derive(Serialize)]
struct ProbeLine {
    name: &'static str,
    sentence: String,
}

#[derive(Serialize)]
#[serde(untagged)]
enum ProbedFact<'a> {
    Known(&'a Value),
    NotKnown { not_known: String },
}

#[derive(Serialize)]
struct WrittenFinding<'a> {
    rule: &'a str,
    title: &'a str,
    layer: Layer,
    severity: Severity,
    evidence: Grounds,
    policy: Policy,
    found: Vec<WrittenFound<'a>>,
    /// The possible cost. `null` if neither a size nor damage is known.
    cost: Option<&'a str>,
    why: &'a str,
    recommended: &'a str,
    fix: Option<String>,
    rollback: String,
    not_when: &'a str,
    verify: &'a str,
    claims: &'a [Claim],
    sources: &'a [String],
}

#[derive(Serialize)]
struct WrittenFound<'a> {
    #[serde(flatten)]
    found: &'a Found,
    sentence: String,
    /// The possible cost of this subject.
    cost: Option<&'a str>,
    /// The remedy for this subject.
    fix: Option<String>,
    /// The command that restores the value that was found.
    rollback: String,
}

#[derive(Serialize)]
struct NotUnderstood<'a> {
    #[serde(flatten)]
    gap: &'a Gap,
    reason: String,
}

#[derive(Serialize)]
struct NotLookedAt<'a> {
    rule: &'a str,
    missing: &'a [Gap],
    reasons: Vec<String>,
}

/// The diagnosis as JSON.
///
/// # Errors
/// None in practice: these types can always be serialised.
pub fn diagnosis_json(diagnosis: &Diagnosis, way: Option<&PathFacts>) -> serde_json::Result<String> {
    let system = &diagnosis.system;
    let place = diagnosis.scope.place.as_ref().map(|place| PlaceJson {
        path: place.path.display().to_string(),
        mount_point: &place.mount_point,
        fs_type: &place.fs_type,
        source: &place.source,
        is_local: place.is_local,
        link: place.link.as_ref().map(|link| link.interface.as_str()),
        devices: &place.devices,
        are_devices_known: place.are_devices_known,
    });
    let not_looked_at = diagnosis.not_looked.iter().map(|rule| NotLookedAt {
        rule: rule.rule,
        missing: &rule.missing,
        reasons: rule.missing.iter().map(reason).collect(),
    });
    let text = serde_json::to_string_pretty(&Written {
        answer: words::answer(diagnosis),
        system: System {
            os: system.os,
            name: system.name.as_deref(),
            kernel: system.kernel.as_deref(),
            host: system.host.as_deref(),
        },
        roles: diagnosis.scope.roles.iter().copied().collect(),
        place,
        findings: diagnosis.findings.iter().map(|finding| written(finding, system.os)).collect(),
        not_looked_at: not_looked_at.collect(),
        in_order: &diagnosis.in_order,
        documented_only: &diagnosis.documented,
        not_here: &diagnosis.not_here,
        virtual_disks: &diagnosis.no_disks_themselves,
        not_understood: diagnosis
            .not_understood
            .iter()
            .map(|gap| NotUnderstood { gap, reason: reason(gap) })
            .collect(),
        not_read: &diagnosis.unrecognised,
        path_to_storage: way,
        probes: diagnosis.probed.as_ref().map(probes_of),
        next_step: next_step(diagnosis),
    })?;
    Ok(harmless(&text))
}

fn probes_of(probed: &FactSubject) -> Probes<'_> {
    let lines = probes::lines(probed).into_iter().map(|(name, sentence)| ProbeLine { name, sentence });
    let facts = probed.all().map(|(name, fact)| {
        let said = match fact {
            Ok(value) => ProbedFact::Known(value),
            Err(gap) => ProbedFact::NotKnown { not_known: reason(gap) },
        };
        (name, said)
    });
    Probes { path: &probed.name, lines: lines.collect(), facts: facts.collect() }
}

/// Equivalent JSON that is safe to display on a terminal: control characters in strings are escaped, and
/// outside strings there are only line feeds.
pub fn harmless(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if c == '\n' || !is_harmful(c) {
            out.push(c);
            continue;
        }
        let mut units = [0; 2];
        c.encode_utf16(&mut units).iter().for_each(|unit| out.push_str(&format!("\\u{unit:04x}")));
    }
    out
}

fn written(finding: &Finding, os: Os) -> WrittenFinding<'_> {
    let rule = finding.rule;
    // The command for the first subject; each subject has its own next to its sentence.
    let fix = |found: &Found| finding.fix(found, os).map(|fix| words::command(fix, found));
    let rollback = |found: &Found| words::command(finding.undo(found, os), found);
    let first = finding.found.first();
    WrittenFinding {
        rule: &rule.id,
        title: &rule.title,
        layer: rule.layer,
        severity: rule.severity,
        evidence: rule.evidence,
        policy: rule.policy,
        found: finding
            .found
            .iter()
            .map(|found| WrittenFound {
                found,
                sentence: words::found(found),
                cost: finding.cost(found),
                fix: fix(found),
                rollback: rollback(found),
            })
            .collect(),
        cost: words::costs(finding).first().copied(),
        why: &rule.why,
        recommended: &rule.recommended,
        fix: first.and_then(fix),
        rollback: first.map(rollback).unwrap_or_default(),
        not_when: rule.not_when.as_deref().unwrap_or(NO_CAVEAT),
        verify: &rule.verify,
        claims: &rule.claims,
        sources: &rule.sources,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn control_characters_are_escaped_losslessly() {
        let said = "a\u{9b}31m\u{202e}b\u{7f}\u{e0001}\n日本";
        let json = harmless(&serde_json::to_string_pretty(&[said]).unwrap());
        assert!(!json.chars().any(|c| c != '\n' && is_harmful(c)), "{json:?}");
        assert_eq!(serde_json::from_str::<Vec<String>>(&json).unwrap(), [said]);
    }
}
