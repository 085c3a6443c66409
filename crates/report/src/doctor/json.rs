//! A diagnosis for programs: everything that the screen shows, typed, with the same sentences.

use reelgauge_doctor::Diagnosis;
use reelgauge_doctor::diagnosis::{Documented, Finding, Found};
use reelgauge_doctor::facts::Gap;
use reelgauge_doctor::rule::{Evidence, Layer, Os, Policy, Role, Severity};
use serde::Serialize;

use super::next_step::next_step;
use super::{gaps, words};

#[derive(Serialize)]
struct Written<'a> {
    answer: String,
    system: System<'a>,
    roles: Vec<Role>,
    place: Option<Place<'a>>,
    findings: Vec<WrittenFinding<'a>>,
    not_looked_at: Vec<NotLookedAt<'a>>,
    in_order: &'a [&'static str],
    documented_only: &'a [Documented],
    not_here: &'a [&'static str],
    next_step: String,
}

#[derive(Serialize)]
struct System<'a> {
    os: Os,
    name: Option<&'a str>,
    kernel: Option<&'a str>,
}

#[derive(Serialize)]
struct Place<'a> {
    path: String,
    mount_point: &'a str,
    fs_type: &'a str,
    source: &'a str,
    is_local: bool,
    devices: &'a [String],
}

#[derive(Serialize)]
struct WrittenFinding<'a> {
    rule: &'a str,
    title: &'a str,
    layer: Layer,
    severity: Severity,
    evidence: Evidence,
    policy: Policy,
    found: Vec<WrittenFound<'a>>,
    cost: &'a str,
    why: &'a str,
    recommended: &'a str,
    fix: Option<&'a str>,
    rollback: &'a str,
    not_when: &'a str,
    verify: &'a str,
    sources: &'a [String],
}

#[derive(Serialize)]
struct WrittenFound<'a> {
    #[serde(flatten)]
    found: &'a Found,
    sentence: String,
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
/// None that is known.
pub fn diagnosis_json(diagnosis: &Diagnosis) -> serde_json::Result<String> {
    let system = &diagnosis.system;
    let place = diagnosis.scope.place.as_ref().map(|place| Place {
        path: place.path.display().to_string(),
        mount_point: &place.mount_point,
        fs_type: &place.fs_type,
        source: &place.source,
        is_local: place.is_local,
        devices: &place.devices,
    });
    let not_looked_at = diagnosis.not_looked.iter().map(|rule| NotLookedAt {
        rule: rule.rule,
        missing: &rule.missing,
        reasons: rule.missing.iter().map(gaps::reason).collect(),
    });
    serde_json::to_string_pretty(&Written {
        answer: words::answer(diagnosis),
        system: System { os: system.os, name: system.name.as_deref(), kernel: system.kernel.as_deref() },
        roles: diagnosis.scope.roles.iter().copied().collect(),
        place,
        findings: diagnosis.findings.iter().map(|finding| written(finding, system.os)).collect(),
        not_looked_at: not_looked_at.collect(),
        in_order: &diagnosis.in_order,
        documented_only: &diagnosis.documented,
        not_here: &diagnosis.not_here,
        next_step: next_step(diagnosis),
    })
}

fn written(finding: &Finding, os: Os) -> WrittenFinding<'_> {
    let rule = finding.rule;
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
            .map(|found| WrittenFound { found, sentence: words::found(found) })
            .collect(),
        cost: words::cost(rule.severity),
        why: &rule.why,
        recommended: &rule.recommended,
        fix: rule.fix(os),
        rollback: &rule.rollback,
        not_when: &rule.not_when,
        verify: &rule.verify,
        sources: &rule.sources,
    }
}
