//! What a machine said of itself, as `reelgauge doctor --from` reads it: text that anybody may have written.

use std::collections::BTreeSet;

use reelgauge_doctor::rule::Role;
use reelgauge_doctor::rule::catalogue::rules;
use reelgauge_machine::texts::{Texts, decoded};
use reelgauge_doctor::{Scope, diagnose};
use reelgauge_report::Style;
use reelgauge_report::doctor::{diagnosis_json, doctor_screen};

/// What stands before the name of each text.
const NAME: &str = "=== ";

/// Judges the machine that said this, and puts it into words.
///
/// # Panics
/// If anything in it does, or if words steer the terminal.
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
