//! Screens of every rule's own text.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use reelgauge_doctor::rule::Rule;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::texts::Texts;
use reelgauge_doctor::{Scope, diagnose};

use super::*;

fn diagnosed(rule: &'static Rule, texts: &BTreeMap<String, String>) -> Diagnosis {
    let mut collected = Texts::default();
    texts.iter().for_each(|(name, text)| collected.put(name, Ok(text.clone())));
    let scope = Scope { roles: rule.role.iter().copied().collect(), place: None };
    diagnose(&collected, scope, rules())
}

fn with_detectors() -> impl Iterator<Item = &'static Rule> {
    rules().iter().filter(|rule| rule.documented_only.is_none())
}

fn screen(diagnosis: &Diagnosis, all: bool, width: usize) -> String {
    doctor_screen(diagnosis, all, Style { colour: false, width })
}

#[test]
fn every_finding_is_told_whole_and_fits() {
    for rule in with_detectors() {
        let diagnosis = diagnosed(rule, &rule.fires);
        for width in [60, 80, 140] {
            let text = screen(&diagnosis, width == 140, width);
            for line in text.lines().filter(|line| line.chars().count() > width) {
                // A path, or a list of options, is left whole so that it can be copied.
                assert!(!line.trim().contains(' '), "{} at {width}: {line}", rule.id);
            }
            assert!(!text.contains(['{', '}']) && !text.contains("not known"), "{}: {text}", rule.id);
            assert!(text.contains(&format!("Rule: {}", rule.id)), "{}: {text}", rule.id);
            assert!(text.trim_end().lines().rev().take(3).any(|line| line.starts_with("Next: ")), "{text}");
        }
    }
}

#[test]
fn json_and_screen_say_the_same_of_every_rule() {
    for rule in with_detectors() {
        let diagnosis = diagnosed(rule, &rule.fires);
        let json: serde_json::Value = serde_json::from_str(&diagnosis_json(&diagnosis).unwrap()).unwrap();
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let text = words(&screen(&diagnosis, true, 140));
        for finding in json["findings"].as_array().unwrap() {
            for said in
                [&finding["title"], &finding["found"][0]["sentence"], &finding["fix"], &finding["rollback"]]
            {
                let said = words(said.as_str().unwrap());
                assert!(text.contains(&said), "{}: {said}\n{text}", rule.id);
            }
        }
        assert!(text.starts_with(json["answer"].as_str().unwrap()));
    }
}

#[test]
fn numbers_and_nouns_agree() {
    let told = |id: &str| {
        let rule = rules().iter().find(|rule| rule.id == id).unwrap();
        (words::answer(&diagnosed(rule, &rule.fires)), words::answer(&diagnosed(rule, &rule.silent)))
    };
    let (one, none) = told("net.tcp.moderate_rcvbuf_off");
    assert_eq!(
        one,
        "1 thing to change on this machine as a server; it can drop frames or cost a third of the throughput."
    );
    assert!(none.starts_with("Nothing to change was found on this machine as a server, but "), "{none}");
    // What only tells something is nothing to change.
    let (info, _) = told("nfs.noatime_useless");
    assert!(info.starts_with("Nothing to change was found on this machine, but "), "{info}");
}
