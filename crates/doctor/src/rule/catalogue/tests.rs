//! Every rule can be read, is whole, and is right about its two texts.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::*;
use crate::diagnosis::{Diagnosis, Scope, diagnose};
use crate::facts::Value;
use crate::texts::Texts;

fn collected(texts: &BTreeMap<String, String>) -> Texts {
    let mut collected = Texts::default();
    texts.iter().for_each(|(name, text)| collected.put_noted(name, Ok(text.clone())));
    collected
}

/// What this rule alone says of a machine.
fn judged(rule: &'static Rule, texts: &Texts) -> Diagnosis {
    let scope = Scope { roles: rule.role.iter().copied().collect(), place: None, is_elsewhere: false };
    diagnose(texts, scope, std::slice::from_ref(rule))
}

#[test]
fn every_file_is_a_rule_of_its_name() {
    for (id, text) in TEXTS {
        let rule: Rule = toml::from_str(text).unwrap_or_else(|error| panic!("{id}: {error}"));
        assert_eq!(rule.id, *id);
    }
    assert_eq!(rules().len(), TEXTS.len());
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalogue/rules");
    let files = std::fs::read_dir(folder).unwrap();
    let files: BTreeSet<String> =
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect();
    let listed: BTreeSet<String> = TEXTS.iter().map(|(id, _)| format!("{id}.toml")).collect();
    assert_eq!(files, listed, "crates/doctor/src/rule/catalogue.rs lists every file of catalogue/rules");
    assert!(listed.len() >= 112);
}

#[test]
fn a_rule_has_a_detector_and_both_texts_or_says_why_not() {
    for rule in rules() {
        let has = (!rule.detect.is_empty(), !rule.fires.is_empty(), !rule.silent.is_empty());
        let expected =
            if rule.documented_only.is_some() { (false, false, false) } else { (true, true, true) };
        assert_eq!(
            has, expected,
            "{}: a detector, a text on which it fires, and one on which it does not",
            rule.id
        );
        let said = [&rule.title, &rule.why, &rule.recommended, &rule.rollback, &rule.not_when, &rule.verify];
        assert!(said.iter().all(|text| !text.trim().is_empty()), "{}", rule.id);
        assert!(!rule.sources.is_empty() && !rule.fix.is_empty(), "{}", rule.id);
        assert!(!rule.os.is_empty() && !rule.role.is_empty() && !rule.protocol.is_empty(), "{}", rule.id);
        let is_known = |name: &str| ["any", "linux", "macos", "windows", "truenas"].contains(&name);
        assert!(rule.fix.keys().all(|name| is_known(name)), "{}: {:?}", rule.id, rule.fix.keys());
    }
}

#[test]
fn every_rule_fires_on_its_text_and_is_silent_on_the_other() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        let mut by: BTreeSet<&str> = BTreeSet::new();
        for texts in &rule.fires {
            let fired = judged(rule, &collected(texts));
            assert_eq!(fired.findings.len(), 1, "{} does not fire: {fired:#?}", rule.id);
            by.extend(fired.findings[0].found.iter().map(|found| found.template));
        }
        let all: BTreeSet<&str> = rule.detect.iter().map(|detector| detector.found.as_str()).collect();
        assert_eq!(by, all, "{}: each detector fires on a text of the rule", rule.id);
        let silent = judged(rule, &collected(&rule.silent));
        assert_eq!(silent.in_order, [rule.id.as_str()], "{}: {silent:#?}", rule.id);
    }
}

/// Every fact that a sentence names stands in the text that made it fire.
#[test]
fn sentences_name_facts_that_are_known() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for fired in rule.fires.iter().map(|texts| judged(rule, &collected(texts))) {
            let found = &fired.findings[0].found[0];
            let fix = rule.fix(fired.system.os).unwrap_or_default();
            for part in [found.template, fix].into_iter().flat_map(|text| text.split('{').skip(1)) {
                let name = part.split('}').next().unwrap();
                let is_known = name == "name" || found.facts.contains_key(name);
                assert!(is_known, "{}: {name} is not in {:?}", rule.id, found.facts);
            }
        }
    }
}

#[test]
fn a_machine_that_says_nothing_is_not_in_order() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        // Of which system it is the rule's own text tells; it says nothing else.
        let mut nothing = Texts::default();
        rule.fires[0].keys().for_each(|name| nothing.put(name, Ok(String::new())));
        let judged = judged(rule, &nothing);
        assert!(judged.findings.is_empty(), "{} fires on empty texts: {judged:#?}", rule.id);
    }
}

/// Texts that were cut off, repeated, or are something else: findings or none, never an end.
#[test]
fn damaged_texts_are_survived() {
    let hostile = "\u{1b}[2J\u{0}\u{202e}: = [ ] {{{ % / \u{ffff} 99999999999999999999999999 - -1 NaN\n";
    let mut tried = 0;
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for texts in rule.fires.iter().chain([&rule.silent]) {
            for (name, text) in texts {
                let cuts = (0..text.len()).step_by(7).filter(|at| text.is_char_boundary(*at));
                let damaged = cuts
                    .map(|at| text[..at].to_owned())
                    .chain([
                        format!("{text}{hostile}"),
                        hostile.to_owned(),
                        text.repeat(3),
                        text.replace(['\n', ' '], "\t"),
                    ])
                    .chain([text.replace(|c: char| c.is_ascii_digit(), "99999999")]);
                for damaged in damaged {
                    let mut collected = collected(texts);
                    collected.put_noted(name, Ok(damaged));
                    judged(rule, &collected);
                    tried += 1;
                }
            }
        }
    }
    assert!(tried > 1000, "{tried}");
}

#[test]
fn numbers_of_facts_can_be_told() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for found in
            rule.fires.iter().flat_map(|texts| judged(rule, &collected(texts)).findings[0].found.clone())
        {
            let numbers = found.facts.values().filter_map(|value| match value {
                Value::Number(number) => Some(*number),
                Value::Word(_) | Value::Nothing => None,
            });
            assert!(numbers.into_iter().all(f64::is_finite), "{}", rule.id);
        }
    }
}
