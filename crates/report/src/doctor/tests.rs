//! Screens for the sample text of each rule.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;

use reelgauge_doctor::rule::Rule;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_doctor::{Scope, diagnose};
use reelgauge_machine::texts::Texts;

use super::*;
use crate::short_form::assert_is_short;

fn diagnosed(rule: &'static Rule, texts: &BTreeMap<String, String>) -> Diagnosis {
    let mut collected = Texts::default();
    texts.iter().for_each(|(name, text)| collected.put_noted(name, Ok(text.clone())));
    let roles = rule.role.iter().copied().collect();
    let scope = Scope { roles, place: None, is_elsewhere: false, is_probed: true };
    diagnose(&collected, scope, rules())
}

fn with_detectors() -> impl Iterator<Item = &'static Rule> {
    rules().iter().filter(|rule| rule.documented_only.is_none())
}

/// All texts that trigger a rule.
fn firing() -> impl Iterator<Item = (&'static Rule, &'static BTreeMap<String, String>)> {
    with_detectors().flat_map(|rule| rule.fires.iter().map(move |texts| (rule, texts)))
}

fn screen(diagnosis: &Diagnosis, all: bool, width: usize) -> String {
    doctor_screen(diagnosis, None, all, Style { width, ..Style::default() })
}

#[test]
fn every_finding_is_shown_in_full_within_the_width() {
    for (rule, texts) in firing() {
        let diagnosis = diagnosed(rule, texts);
        for width in [60, 80, 140] {
            let text = screen(&diagnosis, width == 140, width);
            for line in text.lines().filter(|line| line.chars().count() > width) {
                // A path or a list of options is not wrapped, so that it can be copied.
                assert!(!line.trim().contains(' '), "{} at {width}: {line}", rule.id);
            }
            assert!(!text.contains(['{', '}']) && !text.contains("unknown"), "{}: {text}", rule.id);
            assert!(text.contains(&format!("Rule: {}", rule.id)), "{}: {text}", rule.id);
            assert!(text.trim_end().lines().rev().take(3).any(|line| line.starts_with("Next: ")), "{text}");
        }
    }
}

#[test]
fn short_screen_of_every_rule_is_one_screenful() {
    for (rule, texts) in firing() {
        let diagnosis = diagnosed(rule, texts);
        let [short, long] = [true, false].map(|is_short| {
            doctor_screen(&diagnosis, None, false, Style { width: 80, is_short, ..Style::default() })
        });
        assert_is_short(&short, &long);
    }
}

#[test]
fn json_and_screen_agree_for_every_rule() {
    for (rule, texts) in firing() {
        let diagnosis = diagnosed(rule, texts);
        let json: serde_json::Value =
            serde_json::from_str(&diagnosis_json(&diagnosis, None).unwrap()).unwrap();
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
        assert!(text.starts_with(&format!("Result: {}", words(json["answer"].as_str().unwrap()))));
    }
}

/// The screen for a host with these texts. Asserts that it contains no terminal control sequences.
fn told(texts: &Texts) -> String {
    let scope = Scope {
        roles: [Role::Client, Role::Server].into(),
        place: None,
        is_elsewhere: false,
        is_probed: true,
    };
    let diagnosis = diagnose(texts, scope, rules());
    let text = screen(&diagnosis, true, 80) + &diagnosis_json(&diagnosis, None).unwrap();
    assert!(!text.chars().any(|c| c != '\n' && crate::text::is_harmful(c)), "{text:?}");
    text
}

/// Splits the fuzzer's format: each text follows a line `=== NAME`.
fn split_texts(all: &str) -> Texts {
    let mut texts = Texts::default();
    for (name, text) in all.split("=== ").filter_map(|part| part.split_once('\n')) {
        texts.put(name, Ok(text.to_owned()));
    }
    texts
}

#[test]
fn the_fuzzers_corpus_is_judged() {
    let corpus = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/collected");
    let mut found = 0;
    for file in std::fs::read_dir(corpus).unwrap() {
        let file = file.unwrap();
        let all = String::from_utf8_lossy(&std::fs::read(file.path()).unwrap()).into_owned();
        found += usize::from(told(&split_texts(&all)).contains(file.file_name().to_str().unwrap()));
    }
    assert!(found >= 12, "{found}");
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig::with_cases(300))]
    #[test]
    fn arbitrary_texts_do_not_panic_and_are_escaped(
        which in 0_usize..1000, at in 0.0..1.0_f64, cut in 0_usize..40,
        put in "\\PC{0,12}|[\\x00-\\x1f\\x7f-\\x9f\u{202e} :=\\[\\]{}]{0,12}|[0-9]{0,30}"
    ) {
        let all: Vec<_> = firing().collect();
        let (_, all) = all[which % all.len()];
        let mut texts = Texts::default();
        for (name, text) in all {
            let from = text.floor_char_boundary((text.len() as f64 * at) as usize);
            let to = text.floor_char_boundary((from + cut).min(text.len()));
            texts.put(name, Ok(format!("{}{put}{}", &text[..from], &text[to..])));
        }
        told(&texts);
    }
}

/// The parts of this name on the screen for a host with these texts, one line each.
fn parts(texts: &[(&str, &str)], name: &str) -> Vec<String> {
    let mut collected = Texts::default();
    texts.iter().for_each(|(name, text)| collected.put_noted(name, Ok((*text).to_owned())));
    let roles = [Role::Client, Role::Server].into();
    let scope = Scope { roles, place: None, is_elsewhere: false, is_probed: false };
    let json = diagnosis_json(&diagnose(&collected, scope, rules()), None).unwrap();
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    let findings = json["findings"].as_array().unwrap().iter();
    let found = findings.flat_map(|finding| finding["found"].as_array().unwrap().clone());
    found.map(|found| found[name].as_str().unwrap_or_default().to_owned()).collect()
}

const TWO_SHARES: &str = "[global]\n\tsync always = No\n\tstrict sync = Yes\n\tsmb2 leases = Yes\n\tkernel oplocks = No\n\
                          [media]\n\tsync always = Yes\n[ingest]\n\tstrict sync = No\n";

/// Faults of two shares are fixed and undone, each in its own section.
#[test]
fn share_setting_is_changed_and_restored_in_its_section() {
    let mut printed = Vec::<String>::new();
    let undo = parts(&[("testparm -s -v", TWO_SHARES)], "rollback");
    printed.extend(undo.iter().map(|text| text.to_string()));
    let fix = parts(&[("testparm -s -v", TWO_SHARES)], "fix");
    printed.push(fix[0].to_string());
    printed.push(fix[1].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

/// `vers=4` allows any version up to 4.2.
#[test]
fn nfs_version_is_restored_as_written() {
    let mounts = "33 29 0:52 / /mnt/nas rw,noatime - nfs4 nas1:/m rw,vers=4.0,rsize=1048576,wsize=1048576,hard,\
                  proto=tcp,sec=sys,addr=10.0.0.5\n";
    let undo = parts(&[("/proc/self/mountinfo", mounts)], "rollback");
    insta::assert_snapshot!(undo[0]);
}

/// A mount is remounted by its path; for ZFS only a dataset is named.
#[test]
fn atime_is_disabled_and_restored_if_it_was_on() {
    let mut printed = Vec::<String>::new();
    const PROPERTIES: &str = "zfs get -Hp -t filesystem -o name,property,value recordsize,sync,atime,relatime,dedup,mountpoint,used";
    let mounts = ("/proc/self/mountinfo", "35 29 9:0 / /srv/media rw - xfs /dev/md0 rw\n");
    printed.extend(parts(&[mounts], "fix").iter().map(|text| text.to_string()));
    printed.extend(parts(&[mounts], "rollback").iter().map(|text| text.to_string()));
    let zfs = (PROPERTIES, "tank/media\tatime\ton\ntank/media\trelatime\toff\ntank/media\tmountpoint\t/t\n");
    assert_eq!(parts(&[zfs], "fix"), ["zfs set atime=off tank/media"]);
    assert_eq!(parts(&[zfs], "rollback"), ["zfs set atime=on tank/media"]);
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn virtual_disk_is_judged_only_by_read_ahead() {
    let mut printed = Vec::<String>::new();
    let mut texts = Texts::default();
    texts.put("/sys/block", Ok("vda\nvdb".to_owned()));
    let roles = [Role::Client].into();
    let mut diagnosis =
        diagnose(&texts, Scope { roles, place: None, is_elsewhere: false, is_probed: false }, rules());
    let words =
        |diagnosis: &Diagnosis| screen(diagnosis, false, 80).split_whitespace().collect::<Vec<_>>().join(" ");
    let both = words(&diagnosis);
    printed.push(both.to_string());
    diagnosis.no_disks_themselves.pop();
    let one = words(&diagnosis);
    printed.push(one.to_string());
    diagnosis.no_disks_themselves.clear();
    printed.push(words(&diagnosis));
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn numbers_and_nouns_agree() {
    let mut printed = Vec::<String>::new();
    let told = |id: &str| {
        let rule = rules().iter().find(|rule| rule.id == id).unwrap();
        (words::answer(&diagnosed(rule, &rule.fires[0])), words::answer(&diagnosed(rule, &rule.silent)))
    };
    let (one, none) = told("net.tcp.moderate_rcvbuf_off");
    printed.push(one.to_string());
    printed.push(none.to_string());
    // An informative finding proposes no change.
    let (info, _) = told("nfs.noatime_useless");
    printed.push(info.to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn other_host_is_shown_by_name_or_as_that_machine() {
    let rule = rules().iter().find(|rule| rule.id == "nfs.noatime_useless").unwrap();
    let mut diagnosis = diagnosed(rule, &rule.fires[0]);
    diagnosis.scope.is_elsewhere = true;
    let screen = |diagnosis: &Diagnosis| doctor_screen(diagnosis, None, false, Style::default());
    insta::assert_snapshot!([words::answer(&diagnosis), screen(&diagnosis)].join("\n"));
    diagnosis.system.host = Some("edit7\u{1b}[2J".to_owned());
    let told = screen(&diagnosis);
    assert!(told.contains("found on edit7") && !told.contains('\u{1b}'), "{told}");
}

/// A failed probe is reported even if no rule uses its result.
#[test]
fn failed_probe_is_listed_under_not_checked() {
    let why = "too few inodes are left to make a file (No space left on device); make room, and probe again";
    let mut texts = Texts::default();
    texts.put(
        reelgauge_machine::facts::PROBED,
        Ok(format!("path = /mnt/disk\nflock = refused\nlisting_entries ! {why}\nlisting_worst_us ! {why}\n")),
    );
    let scope = Scope { is_probed: true, ..Scope::default() };
    let text = screen(&diagnose(&texts, scope, &[]), true, 140);
    insta::assert_snapshot!(text);
}

/// A finding's cost is taken only from its rule's evidence, never derived from the severity.
#[test]
fn finding_cost_is_from_its_own_evidence() {
    let mut printed = Vec::<String>::new();
    let costs = |id: &str| {
        let rule = rules().iter().find(|rule| rule.id == id).unwrap();
        let all = rule.fires.iter().map(|texts| (diagnosed(rule, texts), id));
        let told = all.map(|(diagnosis, _)| {
            let text = screen(&diagnosis, false, 400);
            let cost = text.lines().find_map(|line| line.trim().strip_prefix("Cost: ").map(str::to_owned));
            (words::answer(&diagnosis), cost)
        });
        told.collect::<Vec<_>>()
    };
    let (answer, cost) = costs("fs.locks_this_machine").remove(0);
    printed.push(answer.to_string());
    printed.extend(cost.as_deref().map(|text| text.to_string()));
    printed.push(costs("net.tcp.cc_on_server")[0].0.to_string());
    let (answer, cost) = costs("cpu.governor").remove(0);
    printed.push(answer);
    assert_eq!(cost, None);
    // Findings of one rule can have different costs.
    let pools: Vec<_> = costs("zfs.sync_and_slog").into_iter().filter_map(|(_, cost)| cost).collect();
    printed.extend(pools);
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn counts_of_changes_and_notes_match_their_numbering() {
    let of = |id: &str| {
        let rule = rules().iter().find(|rule| rule.id == id).unwrap();
        diagnosed(rule, &rule.fires[0]).findings
    };
    let rule = rules().iter().find(|rule| rule.id == "cpu.governor").unwrap();
    let mut diagnosis = diagnosed(rule, &rule.fires[0]);
    diagnosis.findings.extend(of("nfs.noatime_useless"));
    let text = screen(&diagnosis, false, 100);
    insta::assert_snapshot!(text);
    assert!(text.contains("\n2. "), "{text}");
}

/// A Mac that uses server locks has no finding, and no note contradicts another finding about the same
/// line.
#[test]
fn mac_with_server_locks_gets_no_advice_for_local_locks() {
    let mac = |options: &str| {
        let said = format!(
            "/Volumes/media from nas1:/media\n  -- Current mount parameters:\n     NFS parameters: {options}\n"
        );
        let mut texts = Texts::default();
        texts.put("nfsstat -m", Ok(said));
        texts.put("sw_vers", Ok("ProductName:\tmacOS\nProductVersion:\t14.5\n".to_owned()));
        let roles = [Role::Client].into();
        diagnose(&texts, Scope { roles, place: None, is_elsewhere: true, is_probed: false }, rules())
    };
    let ids = |diagnosis: &Diagnosis| -> Vec<String> {
        diagnosis.findings.iter().map(|finding| finding.rule.id.clone()).collect()
    };
    let small = "vers=3.0,tcp,port=2049,hard,locks,rsize=32768,wsize=32768,readahead=16,dsize=32768";
    let ordinary = mac(small);
    assert!(!ids(&ordinary).contains(&"nfs.locking_mode".to_owned()), "{:?}", ids(&ordinary));
    assert!(ordinary.in_order.contains(&"nfs.locking_mode"));
    let local = mac(&small.replace("locks", "locallocks"));
    let text = screen(&local, false, 200);
    let locks = text.split("The lock mode of an NFS mount").nth(1).unwrap().split("\n\n").next().unwrap();
    insta::assert_snapshot!(locks);
    let lines: Vec<&str> = text.lines().filter(|line| line.contains("vers=3,tcp")).collect();
    assert!(!lines.is_empty() && lines.windows(2).all(|two| two[0] == two[1]), "one line for all: {lines:?}");
}
