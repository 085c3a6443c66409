//! The rule of the doctor's catalogue to follow first after a quick check. At most one, and only one
//! that is safe to follow: it was found on this client, costs much, changes neither security nor safety
//! of data, and concerns the side of the limit. Rules that the limit of a failed trial names come first.
//!
//! Not here: the rules (`catalogue/rules`), and the recommendation if none applies
//! ([`reelgauge_analysis::statement`]).

use std::collections::BTreeSet;
use std::path::Path;

use reelgauge_analysis::facts::CheckHint;
use reelgauge_analysis::{Culprit, LoadPoint};
use reelgauge_doctor::diagnosis::Finding;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::rule::{Layer, Policy, Role, Severity};
use reelgauge_doctor::{Diagnosis, Scope, diagnose};
use reelgauge_machine::path_mount::Place;
use reelgauge_machine::texts::local;
use reelgauge_report::doctor::hint_sentence;

/// A rule, and whether it concerns the network path to the storage.
#[derive(Clone, Debug, PartialEq)]
pub struct Hint {
    pub named: CheckHint,
    /// Whether the network may be the limit.
    pub is_about_network: bool,
}

/// The findings of the rules on this client for a target. `None` if the target's place is unknown, as on
/// Windows, where a script collects it.
pub fn diagnosis(target: &Path) -> Option<Diagnosis> {
    if cfg!(windows) {
        return None;
    }
    let texts = local::collect();
    let mut place = Place::here(&texts.mounts(), target).ok()?;
    place.find_link();
    let roles = BTreeSet::from([Role::Client]);
    let scope = Scope { roles, place: Some(place), is_elsewhere: false, is_probed: false };
    Some(diagnose(&texts, scope, rules()))
}

/// The rule to follow first, if the limit is this component.
pub fn hint(diagnosis: &Diagnosis, limit: Option<Culprit>, trials: &[LoadPoint]) -> Option<Hint> {
    let found = trials.iter().filter(|trial| trial.culprit.is_some() && trial.culprit == limit);
    let found = found.filter_map(|trial| trial.limit.as_ref()?.found.as_ref());
    let named: BTreeSet<&str> = found.flat_map(|finding| &finding.rules).map(String::as_str).collect();
    let is_named = |finding: &Finding| named.contains(finding.rule.id.as_str());
    let may =
        |finding: &&Finding| is_safe(finding) && costs_much(finding) && agrees(finding.rule.layer, limit);
    let finding = diagnosis.findings.iter().filter(may).min_by_key(|finding| !is_named(finding))?;
    let sentence = hint_sentence(finding, diagnosis.system.os)?;
    let named = CheckHint { rule: finding.rule.id.clone(), sentence };
    Some(Hint { named, is_about_network: is_on_the_way(finding.rule.layer) })
}

fn is_safe(finding: &Finding) -> bool {
    finding.rule.policy == Policy::WithExplicitConsent
}

/// Rules about the mount count from a tenth of the throughput on, others from a third.
fn costs_much(finding: &Finding) -> bool {
    let least = match finding.rule.layer {
        Layer::Nfs | Layer::Smb => Severity::Medium,
        _ => Severity::High,
    };
    finding.rule.severity <= least
}

fn is_on_the_way(layer: Layer) -> bool {
    matches!(layer, Layer::Network | Layer::Nfs | Layer::Smb)
}

/// Whether a rule about this layer may be followed with this limit. No rule frees a client of another
/// program.
fn agrees(layer: Layer, limit: Option<Culprit>) -> bool {
    match limit {
        Some(Culprit::Link) => layer == Layer::Network,
        None | Some(Culprit::Storage | Culprit::NotKnown) => {
            is_on_the_way(layer) || matches!(layer, Layer::Block | Layer::Fs)
        }
        Some(Culprit::Tool | Culprit::ThisMachine | Culprit::MaxRate) => false,
    }
}

#[cfg(test)]
pub(super) mod tests;
