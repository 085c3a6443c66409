//! `cargo xtask test`: every check, in an order in which what is needed comes first.

use std::collections::BTreeSet;

use anyhow::bail;

use crate::step::{self, Outcome};
use crate::{command, console, cross, packages, python, suite, tidy};

/// A step: its name, whether `--quick` does it, and what it does.
struct Step {
    name: &'static str,
    quick: bool,
    body: fn(&Choice) -> anyhow::Result<Outcome>,
}

/// Every step, in order.
const STEPS: &[Step] = &[
    Step { name: "packages", quick: false, body: |_| packages::debian() },
    Step { name: "targets", quick: false, body: |_| packages::targets() },
    Step { name: "python", quick: false, body: |_| python::prepare() },
    Step { name: "fmt", quick: true, body: |_| fmt() },
    Step { name: "tidy", quick: true, body: |_| tidy::step() },
    Step { name: "clippy", quick: true, body: |_| clippy() },
    Step { name: "console", quick: false, body: |_| console::check() },
    Step { name: "static", quick: false, body: |_| cross::build_static() },
    Step { name: "tests", quick: true, body: |choice| suite::run(choice.quick) },
    Step { name: "browser", quick: false, body: |_| console::browser() },
    Step { name: "windows", quick: false, body: |_| cross::check("x86_64-pc-windows-gnu") },
    Step { name: "macos", quick: false, body: |_| cross::check("aarch64-apple-darwin") },
    Step { name: "deny", quick: false, body: |_| deny() },
];

/// Which steps were asked for.
#[derive(Debug, Default, PartialEq, Eq)]
struct Choice {
    quick: bool,
    only: BTreeSet<String>,
}

impl Choice {
    /// Reads the arguments.
    fn parse(arguments: &[String]) -> anyhow::Result<Choice> {
        let names = || STEPS.iter().map(|step| step.name).collect::<Vec<_>>().join(", ");
        let mut choice = Choice::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            match (argument.as_str(), argument.strip_prefix("--only=")) {
                ("--quick", _) => choice.quick = true,
                ("--only", _) => match arguments.next() {
                    Some(name) => drop(choice.only.insert(name.clone())),
                    None => bail!("--only needs the name of a step: {}", names()),
                },
                (_, Some(name)) => drop(choice.only.insert(name.to_owned())),
                (other, None) => bail!("test knows --quick and --only STEP, not '{other}'"),
            }
        }
        if let Some(unknown) = choice.only.iter().find(|name| STEPS.iter().all(|step| step.name != *name)) {
            bail!("there is no step '{unknown}'; there are: {}", names());
        }
        Ok(choice)
    }

    /// Whether this step was asked for.
    fn has(&self, step: &Step) -> bool {
        match self.only.is_empty() {
            true => step.quick || !self.quick,
            false => self.only.contains(step.name),
        }
    }
}

/// Performs the steps that were asked for; gives whether none failed.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let choice = Choice::parse(arguments)?;
    std::fs::create_dir_all(crate::target_dir())?;
    let steps: Vec<_> = STEPS
        .iter()
        .filter(|step| choice.has(step))
        .map(|step| step::perform(step.name, || (step.body)(&choice)))
        .collect();
    Ok(step::summarize(&steps))
}

/// The code is formatted as rustfmt does.
fn fmt() -> anyhow::Result<Outcome> {
    command::run(crate::cargo().args(["fmt", "--all", "--check"]))?;
    Ok(Outcome::Passed)
}

/// No warning of the compiler or of clippy stays.
fn clippy() -> anyhow::Result<Outcome> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    command::run(crate::cargo().args(arguments))?;
    Ok(Outcome::Passed)
}

/// cargo-deny, for those who have it. It is a build of several minutes and is installed by nothing here:
/// its licence and source rules are enforced by `tidy` as well, its advisory database is not fetched.
fn deny() -> anyhow::Result<Outcome> {
    if command::output(crate::cargo().args(["deny", "--version"])).is_err() {
        let why = "cargo-deny is not installed; tidy checks licences and sources, nothing checks advisories";
        return Ok(Outcome::Skipped(why.to_owned()));
    }
    command::run(crate::cargo().args(["deny", "check", "licenses", "bans", "sources"]))?;
    Ok(Outcome::Passed)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn chosen(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
        let choice = Choice::parse(&arguments).unwrap();
        STEPS.iter().filter(|step| choice.has(step)).map(|step| step.name).collect()
    }

    #[test]
    fn steps_are_chosen_by_flags() {
        assert_eq!(chosen(&[]).len(), STEPS.len());
        assert_eq!(chosen(&["--quick"]), ["fmt", "tidy", "clippy", "tests"]);
        assert_eq!(chosen(&["--only", "macos", "--only=fmt"]), ["fmt", "macos"]);
    }

    #[test]
    fn a_wrong_argument_is_refused_with_what_there_is() {
        let refused = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
            Choice::parse(&arguments).unwrap_err().to_string()
        };
        assert!(refused(&["--only", "nothing"]).contains("clippy"));
        assert!(refused(&["--only"]).contains("clippy"));
        assert!(refused(&["--fast"]).contains("--quick"));
    }
}
