//! Subjects of commits can be scanned: `area: verb …`, 72 characters at most, with a body that gives the
//! reason.
//!
//! Commits after [`BASE`] are checked; older history stays as it is. Merges have other subjects.

use std::process::Command;

use super::Fault;
use crate::command;

/// The last commit before the rule.
const BASE: &str = "f89c1b3b";
/// `git log` shows as much on a line of 80 columns.
const SUBJECT_CHARS_MAX: usize = 72;

/// Commits that break the rule. A checkout without [`BASE`] (shallow, or without git) has no history to
/// check: the rule prints so and finds nothing.
pub fn check() -> anyhow::Result<Vec<Fault>> {
    let mut has_base = Command::new("git");
    has_base.current_dir(crate::root()).args(["merge-base", "--is-ancestor", BASE, "HEAD"]);
    if !has_base.output().is_ok_and(|found| found.status.success()) {
        println!("tidy: subjects of commits not checked: {BASE} is not in this history");
        return Ok(Vec::new());
    }
    let mut log = Command::new("git");
    log.current_dir(crate::root());
    log.args(["log", "--no-merges", "--format=%h%x1f%s%x1f%b%x1e", &format!("{BASE}..HEAD")]);
    Ok(faults(&command::output(&mut log)?))
}

/// The faults of `hash 0x1f subject 0x1f body 0x1e` and so on.
fn faults(log: &str) -> Vec<Fault> {
    let commits = log.split('\x1e').map(str::trim).filter(|commit| !commit.is_empty());
    commits
        .flat_map(|commit| {
            let mut parts = commit.splitn(3, '\x1f');
            let mut next = || parts.next().unwrap_or_default();
            let (hash, subject, body) = (next(), next(), next());
            let no_body = body.trim().is_empty().then_some("has no body: give the reason");
            let whats = [wrong_subject(subject), no_body];
            whats.into_iter().flatten().map(move |what| Fault::of(format!("commit {hash}"), what))
        })
        .collect()
}

/// What is wrong with a subject.
fn wrong_subject(subject: &str) -> Option<&'static str> {
    let is_area = |area: &str| {
        !area.is_empty()
            && area.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_/.".contains(c))
    };
    let starts_low = |rest: &str| rest.starts_with(|c: char| c.is_lowercase());
    if subject.chars().count() > SUBJECT_CHARS_MAX {
        return Some("has a subject of more than 72 characters");
    }
    match subject.split_once(": ") {
        Some((area, rest)) if is_area(area) && starts_low(rest) && !rest.ends_with('.') => None,
        _ => Some("has a subject that is not 'area: verb …'"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_names_an_area_and_starts_with_a_verb() {
        for good in ["analysis: count dropped frames", "report: show units", "docs/site: add a figure"] {
            assert_eq!(wrong_subject(good), None, "{good}");
        }
        for bad in
            ["Count dropped frames", "analysis: Count frames", "analysis: count frames.", "a, b: count"]
        {
            assert!(wrong_subject(bad).is_some(), "{bad}");
        }
        assert!(wrong_subject(&format!("analysis: {}", "a".repeat(63))).is_some());
        assert_eq!(wrong_subject(&format!("analysis: {}", "a".repeat(62))), None);
    }

    #[test]
    fn a_commit_without_a_body_is_a_fault() {
        let log = "aaa\x1fdocs: add a figure\x1fFor the reader.\n\x1e\nbbb\x1fdocs: add one\x1f\n\x1e\n";
        assert_eq!(faults(log), [Fault::of("commit bbb", "has no body: give the reason")]);
    }
}
