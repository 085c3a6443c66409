//! Every rule can be read, is complete, and gives the right result for its two texts.
#![allow(clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::*;
use crate::diagnosis::{Diagnosis, Scope, diagnose};
use crate::rule::{Detector, Os};
use reelgauge_machine::facts::{ENDS, FactKind, MEASURED, PROBED, Value};
use reelgauge_machine::texts::required_texts::{is_wanted, says_nothing_blank};
use reelgauge_machine::texts::{NotKnown, Texts};

fn collected(texts: &BTreeMap<String, String>) -> Texts {
    let mut collected = Texts::default();
    texts.iter().for_each(|(name, text)| collected.put_noted(name, Ok(text.clone())));
    collected
}

/// The result of this rule alone for a host.
fn judged(rule: &'static Rule, texts: &Texts) -> Diagnosis {
    let roles = rule.role.iter().copied().collect();
    let scope = Scope { roles, place: None, is_elsewhere: false, is_probed: true };
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
fn rule_has_a_detector_and_both_texts_or_a_reason() {
    for rule in rules() {
        let has = (!rule.detect.is_empty(), !rule.fires.is_empty(), !rule.silent.is_empty());
        let expected =
            if rule.documented_only.is_some() { (false, false, false) } else { (true, true, true) };
        assert_eq!(
            has, expected,
            "{}: a detector, a text on which it fires, and one on which it does not",
            rule.id
        );
        let said = [&rule.title, &rule.why, &rule.recommended, &rule.rollback, &rule.verify];
        let mut said = said.into_iter().chain(&rule.not_when);
        assert!(said.all(|text| !text.trim().is_empty()), "{}", rule.id);
        assert!(!rule.sources.is_empty() && !rule.fix.is_empty(), "{}", rule.id);
        assert!(!rule.os.is_empty() && !rule.role.is_empty() && !rule.protocol.is_empty(), "{}", rule.id);
        let is_known = |name: &str| ["any", "linux", "macos", "windows", "truenas"].contains(&name);
        assert!(rule.fix.keys().all(|name| is_known(name)), "{}: {:?}", rule.id, rule.fix.keys());
        assert!(rule.undo.keys().all(|name| is_known(name)), "{}: {:?}", rule.id, rule.undo.keys());
        // A separate fix comes with a separate undo.
        let is_whole = |own: &Detector| {
            own.fix.keys().all(|name| is_known(name)) && own.fix.is_empty() == own.undo.is_none()
        };
        assert!(rule.detect.iter().all(is_whole), "{}", rule.id);
        // Costs follow "can cost" and also appear alone, so they are not sentences.
        let mut costs = rule.cost.iter().chain(rule.detect.iter().filter_map(|it| it.cost.as_ref()));
        assert!(costs.all(|cost| !cost.contains("cost") && !cost.ends_with('.')), "{}", rule.id);
        // A rule without such a case has no caveat; a text that denies one would be printed.
        let none = ["There is no", "None", "Nothing", "No case is known"];
        let says_none = |caveat: &String| none.iter().any(|none| caveat.starts_with(none));
        assert!(!rule.not_when.as_ref().is_some_and(says_none), "{}: {:?}", rule.id, rule.not_when);
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

/// Every fact that a sentence names is in the text that made it fire.
#[test]
fn sentences_name_facts_that_are_known() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for fired in rule.fires.iter().map(|texts| judged(rule, &collected(texts))) {
            let found = &fired.findings[0].found[0];
            let fix = fired.findings[0].fix(found, fired.system.os).unwrap_or_default();
            for part in [found.template, fix].into_iter().flat_map(|text| text.split('{').skip(1)) {
                let name = part.split('}').next().unwrap().trim_start_matches('~');
                let is_known = name == "name" || found.facts.contains_key(name);
                assert!(is_known, "{}: {name} is not in {:?}", rule.id, found.facts);
            }
        }
    }
}

#[test]
fn host_without_texts_does_not_pass() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        // The rule's own text shows the system, and nothing else.
        let mut nothing = Texts::default();
        rule.fires[0].keys().for_each(|name| nothing.put(name, Ok(String::new())));
        let judged = judged(rule, &nothing);
        assert!(judged.findings.is_empty(), "{} fires on empty texts: {judged:#?}", rule.id);
    }
}

/// An unreadable setting is unknown, whichever text it is and for whatever reason: it is never in order.
#[test]
fn unreadable_text_never_passes() {
    let forbidden = || Err(NotKnown::NotAllowed);
    let blank = || Ok(" \n\t\n".to_owned());
    let mut wrong = Vec::new();
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        let os = judged(rule, &collected(&rule.silent)).system.os;
        for (how, damage) in
            [("blank", &blank as &dyn Fn() -> Result<String, NotKnown>), ("forbidden", &forbidden)]
        {
            let mut texts = of_system(os);
            rule.silent.keys().for_each(|name| texts.put(name, damage()));
            let told = judged(rule, &texts);
            if !told.findings.is_empty() || !told.in_order.is_empty() {
                wrong.push(format!("{} is judged on {how} texts", rule.id));
            }
            let may_be_blank = how == "blank" && rule.silent.keys().any(|name| says_nothing_blank(name));
            if !may_be_blank && told.not_looked.len() != 1 {
                wrong.push(format!("{} is not 'not known' on {how} texts", rule.id));
            }
        }
        if judged(rule, &of_system(os)).not_looked.len() != 1 {
            wrong.push(format!("{} is not 'not known' of a machine of which nothing was collected", rule.id));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// If a rule no longer fires without a text, the text was needed: without it nothing is in order.
#[test]
fn a_single_text_that_cannot_be_read_is_no_all_clear() {
    let (mut needed, mut wrong) = (0, Vec::new());
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for texts in &rule.fires {
            let os = judged(rule, &collected(texts)).system.os;
            for name in texts.keys().filter(|name| !name.ends_with(".why")) {
                for damage in [Some(Ok(String::new())), Some(Err(NotKnown::NotAllowed)), None] {
                    let mut damaged = of_system(os);
                    let others = texts.iter().filter(|(other, _)| *other != name);
                    others.for_each(|(other, text)| damaged.put_noted(other, Ok(text.clone())));
                    damage.iter().for_each(|damage| damaged.put(name, damage.clone()));
                    let told = judged(rule, &damaged);
                    needed += usize::from(told.findings.is_empty());
                    if !told.in_order.is_empty() {
                        wrong.push(format!("{} is in order without {name} ({damage:?})", rule.id));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(needed > 100, "{needed}");
}

#[test]
fn recorded_texts_have_their_expected_shape() {
    let mut tried = 0;
    for rule in rules() {
        for texts in rule.fires.iter().chain([&rule.silent]) {
            let collected = collected(texts);
            for name in texts.keys() {
                assert_eq!(collected.damaged(name), None, "{}: {name}", rule.id);
                tried += 1;
            }
        }
    }
    assert!(tried > 100, "{tried}");
}

/// Texts that show the system, and nothing else.
fn of_system(os: Os) -> Texts {
    let mut texts = Texts::default();
    let (name, text) = match os {
        Os::Linux => ("uname -sr", "Linux 6.1.0"),
        Os::Macos => ("uname -sr", "Darwin 23.0.0"),
        Os::Truenas => ("/etc/version", "TrueNAS-SCALE-24.04"),
        Os::Windows => ("Get-CimInstance Win32_OperatingSystem", "Caption : Microsoft Windows 11 Pro"),
    };
    texts.put(name, Ok(text.to_owned()));
    texts
}

/// Every text that a rule reads is collected, on the local host and by the scripts.
#[test]
fn every_text_that_is_read_is_collected() {
    let mut missing = BTreeSet::new();
    let mut asked = BTreeSet::new();
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for texts in rule.fires.iter().chain([&rule.silent]) {
            let texts = collected(texts);
            judged(rule, &texts);
            asked.extend(texts.asked());
        }
    }
    assert!(asked.contains("/proc/sys/vm/dirty_background_ratio"), "{asked:?}");
    for name in
        asked.iter().filter(|name| ![PROBED, MEASURED, ENDS].contains(&name.as_str()) && !is_wanted(name))
    {
        missing.insert(name);
    }
    assert!(missing.is_empty(), "no list of texts/required_texts.rs has {missing:?}");
}

/// An undo restores the found value; if no text shows it, the undo advises to note it first.
#[test]
fn undo_is_not_constant_and_names_the_value_to_note() {
    let mut wrong = Vec::new();
    for rule in rules() {
        let own = rule.detect.iter().filter_map(|detector| detector.undo.as_ref());
        for undo in rule.undo.values().chain([&rule.rollback]).chain(own) {
            let after_equals = undo.split('=').skip(1).filter_map(|rest| rest.chars().next());
            let has_constant = after_equals.into_iter().any(|c| c.is_ascii_digit());
            let writes_constant =
                undo.split("echo ").skip(1).any(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
            let asks = ["note ", "look first", "keep a copy"].iter().any(|ask| undo.contains(ask));
            let needs_former = ["former", "OLD", "old value"].iter().any(|word| undo.contains(word));
            if has_constant || writes_constant || needs_former && !asks {
                wrong.push(format!("{}: {undo}", rule.id));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Two hosts with different settings have different undos.
#[test]
fn dirty_limits_are_restored_as_they_were() {
    let rule = rules().iter().find(|rule| rule.id == "vm.dirty_limits").unwrap();
    let set = |pairs: &[(&str, &str)]| {
        let mut texts = Texts::default();
        texts.put("/proc/meminfo", Ok("MemTotal: 65889408 kB\nMemAvailable: 60123456 kB\n".to_owned()));
        pairs
            .iter()
            .for_each(|(name, said)| texts.put(format!("/proc/sys/vm/{name}"), Ok((*said).to_owned())));
        let told = judged(rule, &texts);
        let facts = &told.findings[0].found[0].facts;
        ["dirty_setting", "dirty_background_setting"].map(|fact| facts.get(fact).cloned())
    };
    let word = |word: &str| Some(Value::Word(word.to_owned()));
    let by_share = [
        ("dirty_bytes", "0"),
        ("dirty_ratio", "40"),
        ("dirty_background_bytes", "0"),
        ("dirty_background_ratio", "5"),
    ];
    assert_eq!(set(&by_share), [word("vm.dirty_ratio=40"), word("vm.dirty_background_ratio=5")]);
    let by_bytes = [
        ("dirty_bytes", "8589934592"),
        ("dirty_ratio", "0"),
        ("dirty_background_bytes", "536870912"),
        ("dirty_background_ratio", "0"),
    ];
    assert_eq!(
        set(&by_bytes),
        [word("vm.dirty_bytes=8589934592"), word("vm.dirty_background_bytes=536870912")]
    );
    let half = [word("vm.dirty_ratio=40"), None];
    assert_eq!(set(&by_share[..2]), half, "what nobody collected is no setting");
}

/// A text of another kind is not understood: neither in order, nor missing.
#[test]
fn text_of_another_kind_is_named_and_hides_no_rule() {
    let (mut named, mut wrong) = (0, Vec::new());
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for texts in &rule.fires {
            for name in texts.keys().filter(|name| !name.ends_with(".why") && *name != PROBED) {
                let mut damaged = collected(texts);
                damaged.put(name, Ok("\u{1}\u{2}<html>\n404\n".to_owned()));
                let told = judged(rule, &damaged);
                named += usize::from(told.not_understood.iter().any(|gap| gap.text == *name));
                let is_hidden = told.findings.is_empty() && told.not_looked.is_empty();
                if is_hidden && is_for_its_system(rule, &told) {
                    wrong
                        .push(format!("{} without {name}: {:?} {:?}", rule.id, told.in_order, told.not_here));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(named > 60, "{named}");
}

/// Whether the texts still show a system of the rule.
fn is_for_its_system(rule: &Rule, told: &Diagnosis) -> bool {
    rule.os.contains(&told.system.os)
}

/// A number with too many digits is not a memory size.
#[test]
fn impossible_number_causes_no_finding() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        for texts in &rule.fires {
            for (name, text) in texts.iter().filter(|(name, _)| *name != PROBED) {
                let mut damaged = collected(texts);
                let huge = text.split(' ').map(|word| match word.trim().parse::<u64>() {
                    Ok(_) => word.replace(word.trim(), "99999999999999999999999999"),
                    Err(_) => word.to_owned(),
                });
                damaged.put_noted(name, Ok(huge.collect::<Vec<_>>().join(" ")));
                for found in judged(rule, &damaged).findings.iter().flat_map(|finding| &finding.found) {
                    let largest = found.facts.values().filter_map(|value| match value {
                        Value::Number(number) => Some(*number),
                        Value::Word(_) | Value::Nothing => None,
                    });
                    assert!(
                        largest.into_iter().all(|number| number < 1e19),
                        "{} by {name}: {found:?}",
                        rule.id
                    );
                }
            }
        }
    }
}

/// Texts that were cut off, repeated, or of another kind: findings or none, but never a crash.
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
fn numeric_facts_are_displayable() {
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

/// Impossible settings are not in order, and neither is what a rule does not judge on a slow card.
#[test]
fn no_memory_is_not_understood_and_a_slow_card_is_not_judged() {
    let rule = |id: &str| rules().iter().find(|rule| rule.id == id).unwrap();
    let with = |id: &str, from: &str, to: &str| {
        let texts = collected(&rule(id).silent);
        let mut changed = Texts::default();
        let names: Vec<String> = texts.known().map(str::to_owned).collect();
        for name in names {
            changed.put(name.clone(), Ok(texts.get(&name).unwrap_or_default().replace(from, to)));
        }
        judged(rule(id), &changed)
    };
    let id = "zfs.arc_limit";
    let line = rule(id).silent["/proc/meminfo"].lines().find(|line| line.starts_with("MemTotal")).unwrap();
    let told = with(id, line, "MemTotal: 0 kB");
    assert!(told.in_order.is_empty() && told.findings.is_empty(), "{told:#?}");
    assert!(matches!(told.not_looked[0].missing[0].why, NotKnown::NotUnderstood(_)), "{told:#?}");
    let id = "client.windows.nic_buffers_rss";
    let slow = with(id, "Speed       : 10000000000", "Speed       : 1000000000");
    assert_eq!((slow.in_order.len(), slow.not_here.as_slice()), (0, &[id][..]), "{slow:#?}");
}

/// A Mac or a Windows host gets no Linux command for its cards.
#[test]
fn card_settings_are_restored_by_native_commands() {
    for rule in rules().iter().filter(|rule| rule.documented_only.is_none()) {
        let of_cards = |detector: &&Detector| detector.of == FactKind::Interface;
        for os in [Os::Macos, Os::Windows].into_iter().filter(|os| rule.os.contains(os)) {
            let here = |detector: &&Detector| detector.os.is_empty() || detector.os.contains(&os);
            for detector in rule.detect.iter().filter(of_cards).filter(here) {
                let undo = detector.undo.as_deref().unwrap_or(rule.undo(os));
                assert!(!undo.contains("ethtool"), "{} on {os:?}: {undo}", rule.id);
            }
        }
    }
}

/// On sshfs, no advice is about Samba or the options of NFS mounts.
#[test]
fn probe_advice_fits_the_file_system() {
    let mut tried = 0;
    for rule in rules().iter().filter(|rule| rule.detect.iter().all(|it| it.of == FactKind::Probed)) {
        let Some(general) = rule.fix(Os::Linux) else { continue };
        let names_protocols = ["NFS", "SMB", "Samba", "nobrl"].iter().any(|word| general.contains(word));
        assert!(!names_protocols || rule.fix_on("fuse.sshfs").is_some(), "{}: {general}", rule.id);
        let of_samba = rule.fix_on("fuse.sshfs").filter(|fix| {
            ["Samba", "nobrl", "mfsymlinks", "mapposix", "nolock", "statd"]
                .iter()
                .any(|word| fix.contains(word))
        });
        assert_eq!(of_samba, None, "{}", rule.id);
        tried += usize::from(names_protocols);
    }
    assert!(tried > 5, "{tried}");
    let rule = rules().iter().find(|rule| rule.id == "fs.preallocation_missing").unwrap();
    assert_ne!(rule.fix_on("nfs4"), rule.fix_on("cifs"));
    assert_eq!(rule.fix_on("ext4"), None);
}
