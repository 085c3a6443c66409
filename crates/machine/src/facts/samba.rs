//! Samba: all settings as printed by `testparm`, and the connected clients as printed by `smbstatus`.
//!
//! testparm(1) prints sections and indented settings (`source3/utils/testparm.c`, `lp_dump` in
//! `source3/param/loadparm.c`), and its warnings to standard error. `smbstatus --json` is that of
//! `source3/utils/status_json.c`.

use serde_json::Value as Json;

use super::mounts::dialect;
use super::number::strict;
use super::{FactKind, FactSubject, Facts, fact_name, pair};
use crate::texts::Texts;

const SETTINGS: &str = "testparm -s -v";
const FILE: &str = "/etc/samba/smb.conf";
const SESSIONS: &str = "smbstatus --json";

/// Sections that are not media shares.
const NO_SHARES: [&str; 3] = ["printers", "print$", "ipc$"];

pub(super) fn samba(texts: &Texts, facts: &mut Facts) {
    match texts.get(SETTINGS) {
        Ok(said) => {
            settings(said, facts);
            let samba = facts.subjects.iter_mut().find(|subject| subject.kind == FactKind::Samba);
            samba.into_iter().for_each(|samba| log_level(texts, samba));
        }
        Err(why) => facts.cannot_see(&[FactKind::Samba, FactKind::SmbShare], SETTINGS, &why),
    }
    match texts.get(SESSIONS) {
        Ok(said) => sessions(said, facts),
        Err(why) => facts.cannot_see(&[FactKind::SmbSession], SESSIONS, &why),
    }
}

/// The log level, from the file itself: testparm prints its own level there.
fn log_level(texts: &Texts, samba: &mut FactSubject) {
    let said = match texts.damaged(FILE).map_or_else(|| texts.get(FILE), Err) {
        Ok(said) => said,
        Err(why) => return samba.gap("log_level", FILE, why),
    };
    let names = ["log level", "debug level", "debuglevel"];
    let set = said.lines().filter_map(|line| pair(line, '=')).rfind(|(key, _)| {
        names.contains(&key.split_whitespace().collect::<Vec<_>>().join(" ").to_ascii_lowercase().as_str())
    });
    // In `1 auth:5`, the first number is the general level, the second that of one part; without a line
    // it is 0.
    let level = set.map_or(Some(0.0), |(_, value)| strict(value.split([' ', ',']).next()?));
    samba.number("log_level", level, FILE);
}

/// The global settings, and those of each share, which default to the global ones.
fn settings(said: &str, facts: &mut Facts) {
    let mut sections: Vec<FactSubject> = Vec::new();
    for line in said.lines().map(str::trim).filter(|line| !line.starts_with(['#', ';'])) {
        if let Some(name) = line.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) {
            let kind = if name == "global" { FactKind::Samba } else { FactKind::SmbShare };
            let name = if name == "global" { "Samba" } else { name };
            sections.push(FactSubject::new(kind, name));
        } else if let (Some((key, value)), Some(section)) = (pair(line, '='), sections.last_mut()) {
            let value = match value {
                "Yes" | "True" => "yes",
                "No" | "False" => "no",
                value => value,
            };
            let fact = fact_name(current_name(key));
            section.word(section_of(&fact), format!("[{}]", heading(section)));
            section.told(fact, value, SETTINGS);
        }
    }
    let Some(global) = sections.iter().find(|section| section.kind == FactKind::Samba).cloned() else {
        return;
    };
    let mut shares: Vec<FactSubject> = sections.into_iter().filter(is_share).collect();
    let with_apple = shares.iter().filter(|share| has_fruit(share, &global)).count();
    let differ = with_apple > 0 && with_apple < shares.len();
    for share in &mut shares {
        for (name, fact) in &global.facts {
            share.facts.entry(name.clone()).or_insert_with(|| fact.clone());
        }
        share.yes_no("has_fruit", has_fruit(share, &global));
    }
    let mut global = global;
    global.yes_no("only_some_shares_have_fruit", differ);
    facts.subjects.push(global);
    facts.subjects.extend(shares);
}

/// The name of the fact that holds the section of a setting, where it is changed and restored.
fn section_of(fact: &str) -> String {
    format!("{fact}_section")
}

/// The name of a section in the file.
fn heading(section: &FactSubject) -> &str {
    if section.kind == FactKind::Samba { "global" } else { &section.name }
}

/// The current name of a setting; releases before 4.11 and 4.15 had others.
fn current_name(key: &str) -> &str {
    match key {
        "smb encrypt" => "server smb encrypt",
        "smb3 signing algorithms" => "server smb3 signing algorithms",
        "smb3 encryption algorithms" => "server smb3 encryption algorithms",
        key => key,
    }
}

fn is_share(section: &FactSubject) -> bool {
    section.kind == FactKind::SmbShare
        && !NO_SHARES.contains(&section.name.to_ascii_lowercase().as_str())
        && section.word_of("printable") != Some("yes")
}

/// Whether a share has the extensions for Macs.
fn has_fruit(share: &FactSubject, global: &FactSubject) -> bool {
    let objects = share.word_of("vfs_objects").or_else(|| global.word_of("vfs_objects"));
    objects.is_some_and(|objects| objects.split([' ', ',']).any(|object| object == "fruit"))
}

fn sessions(said: &str, facts: &mut Facts) {
    // A damaged text is reported with all others.
    let Ok(Json::Object(said)) = serde_json::from_str::<Json>(said) else { return };
    let sessions = said.get("sessions").and_then(Json::as_object).into_iter().flatten();
    for (number, session) in sessions {
        let word = |path: &str| session.pointer(path).and_then(Json::as_str);
        let mut subject = FactSubject::new(FactKind::SmbSession, word("/remote_machine").unwrap_or(number));
        subject.number("dialect", word("/session_dialect").and_then(version), SESSIONS);
        for (fact, of) in [("signing", "signing"), ("encryption", "encryption")] {
            let degree = word(&format!("/{of}/degree"));
            let cipher = word(&format!("/{of}/cipher"));
            match degree.zip(cipher) {
                // Only the session setup was signed, which costs nothing.
                Some(("none" | "partial" | "anonymous", _)) => subject.word(fact, "none"),
                Some((_, cipher)) => subject.word(fact, cipher),
                None => subject.gap(fact, SESSIONS, crate::texts::NotKnown::NotTold),
            }
        }
        facts.subjects.push(subject);
    }
}

/// `3.11` of `SMB3_11`; a dialect without such a name is older than all others.
fn version(name: &str) -> Option<f64> {
    match name.strip_prefix("SMB") {
        Some(version) => dialect(&version.replacen('_', ".", 1).replace('_', "")),
        None => Some(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_level_is_read_from_the_file() {
        let level = |text: &str| {
            let (mut texts, mut samba) = (Texts::default(), FactSubject::new(FactKind::Samba, "Samba"));
            texts.put(FILE, Ok(text.to_owned()));
            log_level(&texts, &mut samba);
            samba.number_of("log_level")
        };
        assert_eq!(level("[global]\n  Log  Level = 5 auth:10\n"), Some(5.0));
        assert_eq!(level("[global]\n; log level = 5\n"), Some(0.0));
        assert_eq!(level("debuglevel=x\n"), None);
    }

    #[test]
    fn versions_of_sessions_are_numbers() {
        assert_eq!(version("SMB3_11"), Some(3.11));
        assert_eq!(version("SMB2_02"), Some(2.02));
        assert_eq!(version("NT1"), Some(1.0));
        assert_eq!(version("SMB"), None);
    }

    #[test]
    fn shares_have_the_global_settings_but_for_their_own() {
        let mut facts = Facts::default();
        let said = "[global]\n\toplocks = Yes\n\tsmb encrypt = required\n\
                    [media]\n\toplocks = No\n[print$]\n\tpath = /x\n";
        settings(said, &mut facts);
        let share = facts.of_kind(FactKind::SmbShare).next().cloned();
        let share = share.unwrap_or_else(|| FactSubject::new(FactKind::Machine, "none"));
        assert_eq!((share.name.as_str(), facts.of_kind(FactKind::SmbShare).count()), ("media", 1));
        assert_eq!(
            (share.word_of("oplocks"), share.word_of("server_smb_encrypt")),
            (Some("no"), Some("required"))
        );
        let sections = ["oplocks_section", "server_smb_encrypt_section"].map(|fact| share.word_of(fact));
        assert_eq!(sections, [Some("[media]"), Some("[global]")], "where each of them stands");
    }
}
