//! Collected texts about a host, as `reelgauge doctor --from` reads them. Anyone may have edited them.

use std::collections::BTreeSet;

use reelgauge_doctor::rule::Role;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_machine::texts::{Texts, decoded};
use reelgauge_doctor::{Scope, diagnose};
use reelgauge_report::Style;
use reelgauge_report::doctor::{diagnosis_json, doctor_screen};

/// The prefix of each text's name.
const NAME: &str = "=== ";

/// Judges the host with these texts, and puts the result into words.
///
/// # Panics
/// If a function under test panics, or if words contain terminal control characters.
pub fn check(bytes: &[u8]) {
    let all = decoded(bytes);
    let mut texts = Texts::default();
    for (name, text) in all.split(NAME).filter_map(|part| part.split_once('\n')) {
        texts.put(name, Ok(text.to_owned()));
    }
    let scope =
        Scope { roles: BTreeSet::from([Role::Client, Role::Server]), place: None, is_elsewhere: true };
    let diagnosis = diagnose(&texts, scope, rules());
    let screen = doctor_screen(&diagnosis, None, true, Style::default());
    let json = diagnosis_json(&diagnosis, None).expect("a diagnosis is JSON");
    assert!(!(screen + &json).chars().any(|c| c.is_control() && c != '\n'));
}
