//! What could not be looked at, by reason.

use std::collections::BTreeMap;

use reelgauge_doctor::Diagnosis;
use reelgauge_doctor::facts::Gap;
use reelgauge_doctor::texts::NotKnown;

use super::INDENT;
use super::words::rules;
use crate::page::Page;
use crate::text::{plain, plain_short};

/// So many reasons are shown, and so many rules with each, where nobody asks for all.
const REASONS_MAX: usize = 5;
const IDS_MAX: usize = 6;
/// A reason is no longer than this.
const REASON_CHARS: usize = 160;

/// Says which rules could not be judged, those with one reason together, most first; all of them with `all`.
pub(super) fn not_looked(diagnosis: &Diagnosis, all: bool, page: &mut Page) {
    let mut by_reason: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for rule in &diagnosis.not_looked {
        let reason = rule.missing.first().map(reason).unwrap_or_default();
        by_reason.entry(reason).or_default().push(rule.rule);
    }
    if by_reason.is_empty() {
        return;
    }
    page.item("Not looked at", &format!("{}.", rules(diagnosis.not_looked.len())));
    let mut by_reason: Vec<(String, Vec<&str>)> = by_reason.into_iter().collect();
    by_reason.sort_by_key(|(_, ids)| std::cmp::Reverse(ids.len()));
    let shown = if all { by_reason.len() } else { by_reason.len().min(REASONS_MAX) };
    for (reason, ids) in &by_reason[..shown] {
        page.below(INDENT, reason, &some(ids, all));
    }
    let left: usize = by_reason[shown..].iter().map(|(_, ids)| ids.len()).sum();
    if left > 0 {
        page.below(INDENT, "for other reasons", &format!("{}; --all names them", rules(left)));
    }
}

fn some(ids: &[&str], all: bool) -> String {
    let shown = if all { ids.len() } else { ids.len().min(IDS_MAX) };
    let more = ids.len() - shown;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    ids[..shown].join(", ") + &more
}

/// Why a text tells nothing, in words.
pub(super) fn reason(gap: &Gap) -> String {
    let text = plain_short(&gap.text, REASON_CHARS);
    let is_file = gap.text.starts_with('/');
    let program = text.split(' ').next().unwrap_or_default();
    match &gap.why {
        NotKnown::NotThere if is_file => format!("there is no {text}"),
        NotKnown::NotThere => format!("{program} is not installed"),
        NotKnown::NotAllowed => format!("only root may read {text}"),
        NotKnown::Failed(said) => format!("'{text}' failed ({})", plain_short(said, REASON_CHARS)),
        NotKnown::TimedOut => format!("'{text}' gave no answer in time"),
        NotKnown::TooLarge => format!("{text} is larger than 1 MiB"),
        NotKnown::NotCollected => format!("'{text}' was not collected"),
        NotKnown::NotTold => format!("{text} does not say it"),
        NotKnown::Virtual => "the cards of a virtual machine do not tell their real speed".to_owned(),
        NotKnown::Probe(why) => format!("the probe {}", plain_short(why, REASON_CHARS)),
        NotKnown::Writes(why) => format!("{} (the script of --collect-script asks it)", plain(why)),
    }
}
