//! Combines the results of the doctors of several hosts: a finding that several hosts have is shown
//! once, with their names, and the hosts without it.
//!
//! Results come from other hosts, so they are bounded before they are used. Pure. Not here: transferring
//! them (the fleet), sentences (report).

use serde::{Deserialize, Serialize};

use crate::rule::Severity;

/// Findings of one place, at most.
const FINDINGS_MAX: usize = 200;
/// Sentences of one finding, at most.
const SENTENCES_MAX: usize = 8;
/// Places of one machine, at most.
pub const PLACES_MAX: usize = 16;
/// Names of rules in a list, at most.
const RULES_MAX: usize = 1_000;
/// Characters of a text, at most.
const CHARS_MAX: usize = 600;

/// The result of one host's doctor.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct HostResult {
    /// For each place of data.
    pub places: Vec<PlaceResult>,
}

/// The result for the path from a host to one place.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceResult {
    pub path: String,
    /// The findings, the most severe first.
    pub findings: Vec<FindingResult>,
    /// Rules that were judged and found nothing.
    pub in_order: Vec<String>,
    /// Rules that could not be judged.
    pub not_looked: Vec<String>,
    /// Findings that were dropped, because the result would have been too long.
    #[serde(default)]
    pub left_off: u64,
    /// Why nothing was checked, if so.
    #[serde(default)]
    pub why_not: Option<String>,
}

/// A finding on one host.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingResult {
    pub rule: String,
    /// Its subject, in one line.
    pub title: String,
    pub severity: Severity,
    /// The finding, in sentences.
    pub found: Vec<String>,
    /// The advised change.
    pub change: String,
}

/// A finding and the hosts that have it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SharedFinding {
    pub rule: String,
    /// Its subject.
    pub title: String,
    /// The severity on the host where it is most severe.
    pub severity: Severity,
    pub hosts: Vec<String>,
    /// The sentences of the finding, each once, with its hosts.
    pub found: Vec<HostFinding>,
    /// The advised changes, each once, with its hosts.
    pub changes: Vec<HostFinding>,
    /// Hosts that were checked and do not have it.
    pub in_order_on: Vec<String>,
    /// Hosts on which it could not be checked.
    pub not_looked_on: Vec<String>,
}

/// A text about some hosts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HostFinding {
    pub text: String,
    pub hosts: Vec<String>,
}

/// The combined result of several hosts.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct CombinedResults {
    pub hosts: Vec<String>,
    /// The findings, the most severe first; with equal severity, those of most hosts.
    pub findings: Vec<SharedFinding>,
    /// Places of hosts at which nothing was checked: `host: path`, and the reason.
    pub not_looked: Vec<HostFinding>,
    /// Findings that were dropped.
    pub left_off: u64,
}

impl CombinedResults {
    /// Whether a finding is severe.
    pub fn is_grave(&self) -> bool {
        self.findings.iter().any(|finding| finding.severity <= Severity::High)
    }
}

impl HostResult {
    /// Limits the number and the length of everything in it.
    pub fn bound(&mut self) {
        self.places.truncate(PLACES_MAX);
        for place in &mut self.places {
            shorten(&mut place.path);
            place.why_not.iter_mut().for_each(shorten);
            place.left_off += place.findings.len().saturating_sub(FINDINGS_MAX) as u64;
            place.findings.truncate(FINDINGS_MAX);
            for rules in [&mut place.in_order, &mut place.not_looked] {
                rules.truncate(RULES_MAX);
                rules.iter_mut().for_each(shorten);
            }
            for finding in &mut place.findings {
                finding.found.truncate(SENTENCES_MAX);
                finding.found.iter_mut().for_each(shorten);
                [&mut finding.rule, &mut finding.title, &mut finding.change].into_iter().for_each(shorten);
            }
        }
    }

    /// Drops the least severe finding, if there is any left.
    pub fn leave_off_one(&mut self) -> bool {
        let longest = self.places.iter_mut().max_by_key(|place| place.findings.len());
        let Some(place) = longest.filter(|place| !place.findings.is_empty()) else { return false };
        place.findings.pop();
        place.left_off += 1;
        true
    }
}

fn shorten(text: &mut String) {
    if let Some((at, _)) = text.char_indices().nth(CHARS_MAX) {
        text.truncate(at);
        text.push('…');
    }
}

/// Combines the results of these hosts.
pub fn together(said: &[(String, HostResult)]) -> CombinedResults {
    let mut all = CombinedResults {
        hosts: said.iter().map(|(host, _)| host.clone()).collect(),
        ..CombinedResults::default()
    };
    for (host, said) in said {
        for place in &said.places {
            all.left_off += place.left_off;
            if let Some(why) = &place.why_not {
                add(&mut all.not_looked, why, &format!("{host} ({})", place.path));
            }
            place.findings.iter().for_each(|finding| take(&mut all.findings, host, finding));
        }
    }
    for finding in &mut all.findings {
        let has = |rules: fn(&PlaceResult) -> &Vec<String>, said: &HostResult| {
            said.places.iter().any(|place| rules(place).contains(&finding.rule))
        };
        let others = said.iter().filter(|(host, _)| !finding.hosts.contains(host));
        let (unknown, known): (Vec<_>, Vec<_>) =
            others.partition(|(_, said)| has(|place| &place.not_looked, said));
        let names =
            |hosts: Vec<&(String, HostResult)>| hosts.into_iter().map(|(host, _)| host.clone()).collect();
        finding.in_order_on =
            names(known.into_iter().filter(|(_, said)| has(|place| &place.in_order, said)).collect());
        finding.not_looked_on = names(unknown);
    }
    all.findings.sort_by_key(|finding| (finding.severity, std::cmp::Reverse(finding.hosts.len())));
    all
}

fn take(findings: &mut Vec<SharedFinding>, host: &str, said: &FindingResult) {
    let at = findings.iter().position(|finding| finding.rule == said.rule).unwrap_or_else(|| {
        findings.push(SharedFinding {
            rule: said.rule.clone(),
            title: said.title.clone(),
            severity: said.severity,
            hosts: Vec::new(),
            found: Vec::new(),
            changes: Vec::new(),
            in_order_on: Vec::new(),
            not_looked_on: Vec::new(),
        });
        findings.len() - 1
    });
    let finding = &mut findings[at];
    finding.severity = finding.severity.min(said.severity);
    once(&mut finding.hosts, host);
    said.found.iter().for_each(|sentence| add(&mut finding.found, sentence, host));
    if !said.change.is_empty() {
        add(&mut finding.changes, &said.change, host);
    }
}

fn add(said: &mut Vec<HostFinding>, text: &str, host: &str) {
    match said.iter_mut().find(|known| known.text == text) {
        Some(known) => once(&mut known.hosts, host),
        None => said.push(HostFinding { text: text.to_owned(), hosts: vec![host.to_owned()] }),
    }
}

fn once(hosts: &mut Vec<String>, host: &str) {
    if !hosts.iter().any(|known| known == host) {
        hosts.push(host.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &str, severity: Severity, found: &str) -> FindingResult {
        FindingResult {
            rule: rule.to_owned(),
            title: format!("about {rule}"),
            severity,
            found: vec![found.to_owned()],
            change: format!("mend {rule}"),
        }
    }

    fn host(
        name: &str,
        findings: Vec<FindingResult>,
        in_order: &[&str],
        not_looked: &[&str],
    ) -> (String, HostResult) {
        let list = |rules: &[&str]| rules.iter().map(|&rule| rule.to_owned()).collect();
        let (in_order, not_looked) = (list(in_order), list(not_looked));
        let place = PlaceResult {
            path: "/mnt/nas".to_owned(),
            findings,
            in_order,
            not_looked,
            ..PlaceResult::default()
        };
        // A host gives the same result for each of its places.
        (name.to_owned(), HostResult { places: vec![place.clone(), place] })
    }

    #[test]
    fn common_finding_is_shown_once_with_affected_and_other_hosts() {
        let (mtu, ring) = ("net.mtu", "net.ring");
        let all = together(&[
            host("a", vec![finding(mtu, Severity::Medium, "eth0 has 1500")], &[ring], &[]),
            host("b", vec![finding(mtu, Severity::Medium, "eth0 has 1500")], &[], &[ring]),
            host(
                "c",
                vec![finding(mtu, Severity::Medium, "eth1 has 1400"), finding(ring, Severity::High, "256")],
                &[],
                &[],
            ),
            host("d", Vec::new(), &[mtu], &[]),
        ]);
        let rules: Vec<&str> = all.findings.iter().map(|finding| finding.rule.as_str()).collect();
        assert_eq!(rules, [ring, mtu], "what costs most first");
        let shared = &all.findings[1];
        assert_eq!(
            (shared.hosts.as_slice(), shared.in_order_on.as_slice()),
            (&["a", "b", "c"].map(str::to_owned)[..], &["d".to_owned()][..])
        );
        let of = |said: &[HostFinding]| said.iter().map(|said| said.hosts.join("+")).collect::<Vec<_>>();
        assert_eq!(
            (of(&shared.found), of(&shared.changes)),
            (vec!["a+b".to_owned(), "c".to_owned()], vec!["a+b+c".to_owned()])
        );
        let alone = &all.findings[0];
        assert_eq!(
            (alone.in_order_on.join("+"), alone.not_looked_on.join("+")),
            ("a".to_owned(), "b".to_owned())
        );
        assert!(all.is_grave() && all.not_looked.is_empty());
    }

    #[test]
    fn host_results_are_bounded() {
        let long = "x".repeat(2_000);
        let mut many = finding("r", Severity::Low, &long);
        many.found = vec![long.clone(); 20];
        let place = PlaceResult { path: long.clone(), findings: vec![many; 300], ..PlaceResult::default() };
        let mut said = HostResult { places: vec![place; 3] };
        said.bound();
        let bytes = serde_json::to_vec(&said).map_or(0, |text| text.len());
        assert!(bytes < 5 << 20, "{bytes}");
        assert_eq!(said.places[0].left_off, 100);
        assert!(said.leave_off_one());
        assert_eq!(said.places.iter().map(|place| place.left_off).sum::<u64>(), 3 * 100 + 1);
        assert!(!HostResult::default().leave_off_one());
    }
}
