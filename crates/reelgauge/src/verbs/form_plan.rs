//! The command and forecast of a form of the console: a run, or a procedure with its steps.

use std::ffi::OsString;

use reelgauge_console::run_start::{Planned, Refusal};

use super::estimate::{ahead, verb_of};
use super::procedure;
use crate::cli::Verb;
use crate::screen::said_once;

/// The forecast of these arguments.
///
/// # Errors
/// The error of a start that would be refused, as far as it is known without reading the target.
pub fn form_plan(words: &[OsString]) -> Result<Planned, Refusal> {
    match verb_of(words)? {
        Verb::Procedure(args) => {
            procedure::planned(&args).map_err(|error| Refusal { field: None, why: said_once(&error) })
        }
        _ => ahead(words),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn planned(words: &[&str]) -> Result<Planned, Refusal> {
        form_plan(&words.iter().map(OsString::from).collect::<Vec<_>>())
    }

    #[test]
    fn a_procedure_shows_its_steps_and_names_a_step_that_would_be_refused() {
        let shown = planned(&["procedure", "ebu-study", "/t", "--short"]).unwrap();
        assert!(shown.takes.starts_with("Takes "), "{}", shown.takes);
        let plan = shown.plan.unwrap();
        assert!(
            plan.contains("Differs: ") && plan.contains("6. Sequential write, a file for each"),
            "{plan}"
        );
        for words in [&["opera", "/t"][..], &["iometer", "/t", "--set=lenght=1MiB"]] {
            assert!(planned(&[&["procedure"], words].concat()).is_err(), "{words:?}");
        }
        assert!(planned(&["procedure", "ebu-study"]).is_err());
    }
}
