//! Invalid input must be refused before anything is touched: exit code 2, a message with the remedy,
//! nothing on standard output, no run directory, and an unchanged target.

use std::ffi::OsString;
use std::path::Path;
use std::time::Duration;

use crate::binary::{self, Running};
use crate::scratch::Scratch;
use crate::tree::tree;

/// A refusal must be quick.
const AT_ONCE: Duration = Duration::from_secs(10);

/// Checks that each case is refused with a message that contains its remedy. A case is the flags and
/// words of the message.
///
/// # Panics
/// If one is not refused. The message lists all failures of all cases.
#[track_caller]
pub fn all_refused(verb: &str, target: &Path, cases: &[(&[&str], &str)]) {
    let words = |flags: &[&str]| {
        let start = [OsString::from(verb), target.into()];
        start.into_iter().chain(flags.iter().map(OsString::from)).collect::<Vec<_>>()
    };
    let faults: Vec<String> = cases
        .iter()
        .filter_map(|(flags, remedy)| {
            refusal(target, &words(flags), remedy).err().map(|why| format!("{flags:?}: {why}"))
        })
        .collect();
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

/// Checks that this call is refused with a message that contains `remedy`, and that the target is
/// unchanged.
///
/// # Panics
/// If it is not.
#[track_caller]
pub fn refused(words: &[OsString], target: &Path, remedy: &str) {
    refusal(target, words, remedy).unwrap_or_else(|why| panic!("{words:?}: {why}"));
}

/// The mistakes in the refusal of this call.
fn refusal(target: &Path, words: &[OsString], remedy: &str) -> Result<(), String> {
    let stock = || target.is_dir().then(|| tree(target, &[]));
    let before = stock();
    let runs = Scratch::new();
    let mut words = words.to_vec();
    if !words.iter().any(|word| word == "--out") {
        words.extend(["--out".into(), runs.path().into()]);
    }
    let mut running = binary::start(&words);
    if running.until(AT_ONCE, Running::has_ended).is_none() {
        return Err("it was accepted".to_owned());
    }
    let outcome = running.wait(AT_ONCE);
    let left = std::fs::read_dir(runs.path()).map_or(0, Iterator::count);
    let problems = [
        (outcome.code != Some(2), format!("exit code {:?}", outcome.code)),
        (!outcome.stdout.is_empty(), "it says something on standard output".to_owned()),
        (!outcome.stderr.contains(remedy), format!("no '{remedy}' in the message")),
        (outcome.stderr.contains("panicked"), "it panicked".to_owned()),
        (stock() != before, "the target was changed".to_owned()),
        (left > 0, format!("{left} run directories were left")),
    ];
    let problems: Vec<String> =
        problems.into_iter().filter(|(is_so, _)| *is_so).map(|(_, what)| what).collect();
    match problems.is_empty() {
        true => Ok(()),
        false => Err(format!("{}\n{}", problems.join(", "), outcome.said())),
    }
}
