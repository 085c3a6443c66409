//! Browser tests: reads Playwright's own report, counts and names each test as all other tests are
//! counted.
//!
//! As in [`crate::suite`], a failed test is run again, alone. If it then passes, it counts as passed and
//! is listed as unstable.
//!
//! [`crate::console`] prepares what the tests need.

use std::path::Path;
use std::process::Command;

use anyhow::Context;
use serde_json::Value;

use crate::command;
use crate::step::{Counts, Outcome};

/// Runs all tests, and those that failed a second time. `command` returns `playwright test` with its
/// environment.
pub fn run(command: impl Fn() -> Command) -> anyhow::Result<Outcome> {
    let report = crate::target_dir().join("browser-tests.json");
    let mut tests = play(command(), &[], &report)?;
    if tests.failed.is_empty() {
        let why = tests.broke_off();
        return Ok(Outcome::Tests(tests.counts(), why));
    }
    println!("\n== once more, alone: {}", tests.failed.join(", "));
    let again = play(command(), &["--last-failed", "--workers=1"], &report)?;
    tests.unstable = tests.failed.iter().filter(|name| again.passed.contains(name)).cloned().collect();
    let why = tests.broke_off();
    Ok(Outcome::Tests(tests.counts(), why))
}

/// Runs tests and reads their results. Failed tests are not an error here.
fn play(mut command: Command, arguments: &[&str], report: &Path) -> anyhow::Result<Played> {
    if report.exists() {
        std::fs::remove_file(report)?;
    }
    command.arg("--reporter=list,json").args(arguments).env("PLAYWRIGHT_JSON_OUTPUT_FILE", report);
    let ended = command::run(&mut command);
    let Ok(text) = std::fs::read_to_string(report) else {
        ended?;
        anyhow::bail!("Playwright wrote no report to {}", report.display());
    };
    let report: Value = serde_json::from_str(&text).context("Playwright's report is not JSON")?;
    let mut played = Played::default();
    played.all_in(&report, "");
    let errors = report["errors"].as_array().map_or(&[][..], Vec::as_slice);
    played.errors = errors.iter().filter_map(|error| error["message"].as_str()).map(str::to_owned).collect();
    Ok(played)
}

/// Tests by result, each as "file: title".
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Played {
    passed: Vec<String>,
    failed: Vec<String>,
    /// Failed with others and passed alone.
    unstable: Vec<String>,
    /// Each with its reason.
    skipped: Vec<String>,
    /// Errors outside of any test.
    errors: Vec<String>,
}

impl Played {
    /// Adds the tests of a suite and of its nested suites. The outermost suites are files.
    fn all_in(&mut self, suite: &Value, above: &str) {
        let list = |name: &str| suite[name].as_array().map_or(&[][..], Vec::as_slice);
        for spec in list("specs") {
            let name = format!("{above}: {}", spec["title"].as_str().unwrap_or("?"));
            for test in spec["tests"].as_array().map_or(&[][..], Vec::as_slice) {
                self.add(&name, test);
            }
        }
        for suite in list("suites") {
            let title = suite["title"].as_str().unwrap_or("?");
            let above = if above.is_empty() { title.to_owned() } else { format!("{above}: {title}") };
            self.all_in(suite, &above);
        }
    }

    fn add(&mut self, name: &str, test: &Value) {
        match test["status"].as_str() {
            Some("expected") => self.passed.push(name.to_owned()),
            Some("skipped") => self.skipped.push(format!("{name}: {}", why_skipped(test))),
            _ => self.failed.push(name.to_owned()),
        }
    }

    fn counts(self) -> Counts {
        let is_unstable = |name: &String| self.unstable.contains(name);
        let broken: Vec<String> = self.failed.iter().filter(|name| !is_unstable(name)).cloned().collect();
        Counts {
            passed: (self.passed.len() + self.unstable.len()) as u64,
            failed: broken.len() as u64,
            broken,
            unstable: self.unstable,
            skipped: self.skipped,
        }
    }

    /// The reason why the tests did not complete; `None` if they did.
    fn broke_off(&self) -> Option<String> {
        let none = || (self.passed.len() + self.failed.len() == 0).then(|| "no test ran".to_owned());
        self.errors.first().cloned().or_else(none)
    }
}

/// The reason that a skipped test gave.
fn why_skipped(test: &Value) -> &str {
    let notes = test["annotations"].as_array().map_or(&[][..], Vec::as_slice);
    let said = notes.iter().filter(|note| note["type"] == "skip");
    said.filter_map(|note| note["description"].as_str()).next().unwrap_or("it did not run")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// As Playwright 1.65 writes it, without unused fields.
    const REPORT: &str = r#"{
        "suites": [{
            "title": "list.spec.ts",
            "specs": [
                {"title": "one", "tests": [{"status": "expected", "annotations": []}]},
                {"title": "two", "tests": [{"status": "unexpected", "annotations": []}]},
                {"title": "three", "tests": [
                    {"status": "skipped", "annotations": [{"type": "skip", "description": "needs root"}]}
                ]},
                {"title": "four", "tests": [{"status": "skipped", "annotations": []}]}
            ],
            "suites": [{
                "title": "on a phone",
                "specs": [{"title": "five", "tests": [{"status": "unexpected", "annotations": []}]}]
            }]
        }],
        "errors": []
    }"#;

    fn played() -> Played {
        let mut played = Played::default();
        played.all_in(&serde_json::from_str(REPORT).unwrap(), "");
        played
    }

    #[test]
    fn every_test_is_named_and_counted() {
        let played = played();
        assert_eq!(played.passed, ["list.spec.ts: one"]);
        assert_eq!(played.failed, ["list.spec.ts: two", "list.spec.ts: on a phone: five"]);
        assert_eq!(played.skipped, ["list.spec.ts: three: needs root", "list.spec.ts: four: it did not run"]);
        assert_eq!(played.broke_off(), None);
    }

    #[test]
    fn a_test_that_passed_alone_is_unstable_and_counted_as_passed() {
        let unstable = vec!["list.spec.ts: two".to_owned()];
        let counts = Played { unstable, ..played() }.counts();
        assert_eq!((counts.passed, counts.failed, counts.skipped.len()), (2, 1, 2));
        assert_eq!(counts.unstable, ["list.spec.ts: two"]);
        assert_eq!(counts.broken, ["list.spec.ts: on a phone: five"]);
    }

    #[test]
    fn tests_that_never_began_are_a_failure() {
        let nothing = Played::default();
        assert_eq!(nothing.broke_off().as_deref(), Some("no test ran"));
        let setup = Played { errors: vec!["the setup failed".to_owned()], ..played() };
        assert_eq!(setup.broke_off().as_deref(), Some("the setup failed"));
    }
}
