//! Facts that could not be collected, grouped by reason: rules, probes, and texts that could not be
//! used.

use std::collections::{BTreeMap, BTreeSet};

use reelgauge_doctor::Diagnosis;

use super::INDENT;
use super::probes::not_measured;
use super::reason::reason;
use super::words::rules;
use crate::page::ScreenText;
use crate::text::plain_short;
use crate::units::counted;

/// Unless `all` is set, this many reasons are shown, and this many rules for each.
const REASONS_MAX: usize = 5;
const IDS_MAX: usize = 6;
/// This many texts or files are named.
const NAMES_MAX: usize = 8;
/// Longer file names are cut.
const NAME_CHARS: usize = 60;

/// The rules and probes that failed for one reason.
#[derive(Default)]
struct Kept<'a> {
    rules: Vec<&'a str>,
    /// Probes, including those that no rule uses.
    probes: Vec<&'a str>,
}

/// Lists the rules that could not be evaluated and the failed probes, grouped by reason, largest group
/// first; all of them with `all`.
pub(super) fn not_looked(diagnosis: &Diagnosis, all: bool, page: &mut ScreenText) {
    let mut by_reason: BTreeMap<String, Kept<'_>> = BTreeMap::new();
    for rule in &diagnosis.not_looked {
        let reason = rule.missing.first().map(reason).unwrap_or_default();
        by_reason.entry(reason).or_default().rules.push(rule.rule);
    }
    let probes = diagnosis.probed.as_ref().map(not_measured).unwrap_or_default();
    for (name, gap) in &probes {
        by_reason.entry(reason(gap)).or_default().probes.push(name);
    }
    if by_reason.is_empty() {
        return;
    }
    let probes: BTreeSet<&str> = probes.iter().map(|(name, _)| *name).collect();
    page.item("Not checked", &format!("{}.", counts(diagnosis.not_looked.len(), probes.len())));
    let mut by_reason: Vec<(String, Kept<'_>)> = by_reason.into_iter().collect();
    by_reason.sort_by_key(|(_, kept)| std::cmp::Reverse(kept.rules.len()));
    let shown = if all { by_reason.len() } else { by_reason.len().min(REASONS_MAX) };
    for (reason, kept) in &by_reason[..shown] {
        page.below(INDENT, reason, &kept.words(all));
    }
    let rest = &by_reason[shown..];
    if !rest.is_empty() {
        let rules = rest.iter().map(|(_, kept)| kept.rules.len()).sum();
        let probes: BTreeSet<&str> = rest.iter().flat_map(|(_, kept)| kept.probes.clone()).collect();
        let left = counts(rules, probes.len());
        page.below(INDENT, "other reasons", &format!("{left}; --all lists them"));
    }
}

/// Names damaged texts, with the damage and the remedy.
pub(super) fn not_understood(diagnosis: &Diagnosis, all: bool, page: &mut ScreenText) {
    let damaged = &diagnosis.not_understood;
    if damaged.is_empty() {
        return;
    }
    let remedy = match diagnosis.scope.is_elsewhere {
        true => "collect them again there with the script from reelgauge doctor --collect-script",
        false => "their format is unexpected, so nothing is concluded from them",
    };
    let texts = counted(damaged.len() as u64, "text");
    page.item("Unreadable", &format!("{texts}; {remedy}."));
    let shown = if all { damaged.len() } else { damaged.len().min(NAMES_MAX) };
    for gap in &damaged[..shown] {
        page.below(INDENT, "Text", &format!("{}.", reason(gap)));
    }
    if damaged.len() > shown {
        page.below(INDENT, "Text", &format!("{} more; --all lists them.", damaged.len() - shown));
    }
}

/// Names files among the collected texts that no rule reads.
pub(super) fn unrecognised(diagnosis: &Diagnosis, all: bool, page: &mut ScreenText) {
    let names = &diagnosis.unrecognised;
    if names.is_empty() {
        return;
    }
    let shown = if all { names.len() } else { names.len().min(NAMES_MAX) };
    let told: Vec<String> = names[..shown].iter().map(|name| plain_short(name, NAME_CHARS)).collect();
    let more = names.len() - shown;
    let more = if more > 0 { format!(" and {more} more; --all lists them") } else { String::new() };
    let files = counted(names.len() as u64, "file");
    page.item("Unused", &format!("{files} that no rule uses: {}{more}.", told.join(", ")));
}

/// `3 rules and 2 probes`; either count may be 0.
fn counts(rules_count: usize, probes: usize) -> String {
    let probes = (probes > 0).then(|| counted(probes as u64, "probe"));
    let rules = (rules_count > 0).then(|| rules(rules_count));
    rules.into_iter().chain(probes).collect::<Vec<_>>().join(" and ")
}

impl Kept<'_> {
    fn words(&self, all: bool) -> String {
        let rules = (!self.rules.is_empty()).then(|| some(&self.rules, all));
        let probes = match self.probes.as_slice() {
            [] => None,
            [one] => Some(format!("the probe {one}")),
            many => Some(format!("the probes {}", many.join(", "))),
        };
        rules.into_iter().chain(probes).collect::<Vec<_>>().join("; ")
    }
}

fn some(ids: &[&str], all: bool) -> String {
    let shown = if all { ids.len() } else { ids.len().min(IDS_MAX) };
    let more = ids.len() - shown;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    ids[..shown].join(", ") + &more
}
