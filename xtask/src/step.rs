//! The steps of a chore, the result of each, and the closing summary.

use std::time::{Duration, Instant};

use crate::command;

/// The number of tests in a step, by result.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: u64,
    /// Tests that failed.
    pub failed: u64,
    /// The names of tests that failed, and failed again alone.
    pub broken: Vec<String>,
    /// Tests that failed with others and passed alone. They count as passed.
    pub unstable: Vec<String>,
    /// Skipped tests, each as "name: why".
    pub skipped: Vec<String>,
}

impl Counts {
    /// Adds others to these.
    pub fn add(&mut self, others: Counts) {
        self.passed += others.passed;
        self.failed += others.failed;
        self.broken.extend(others.broken);
        self.unstable.extend(others.unstable);
        self.skipped.extend(others.skipped);
    }
}

/// The number of unstable tests allowed in a run. Other work on the host makes a few timing tests fail.
/// More of them indicate a defect in the tests or the product.
pub const MOST_UNSTABLE: usize = 3;

/// The result of a step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The check succeeded.
    Passed,
    /// The check failed, for this reason.
    Failed(String),
    /// The step did not run, for this reason.
    Skipped(String),
    /// It ran tests. It failed if one of them failed, or for the reason given.
    Tests(Counts, Option<String>),
}

/// A step that cannot be done here: skipped, or a failure in CI.
pub fn not_here(why: String) -> anyhow::Result<Outcome> {
    anyhow::ensure!(!command::is_ci(), "{why}");
    Ok(Outcome::Skipped(why))
}

#[derive(Clone, Debug)]
pub struct Finished {
    name: &'static str,
    outcome: Outcome,
    took: Duration,
}

/// Runs a step. An error fails only this step.
pub fn perform(name: &'static str, body: impl FnOnce() -> anyhow::Result<Outcome>) -> Finished {
    println!("\n== {name}");
    let start = Instant::now();
    let outcome = body().unwrap_or_else(|error| Outcome::Failed(format!("{error:#}")));
    let took = start.elapsed();
    if let Outcome::Failed(why) = &outcome {
        println!("{name} FAILED: {why}");
    }
    Finished { name, outcome, took }
}

/// Prints a line per step and the closing count. Returns whether nothing failed.
///
/// A step that runs tests counts as its tests, every other step as one.
pub fn summarize(steps: &[Finished]) -> bool {
    println!("\n== summary");
    let mut total = Counts::default();
    for step in steps {
        println!("{}", line(step));
        add(&mut total, step);
    }
    for broken in &total.broken {
        println!("  FAILED   {broken}");
    }
    let are_too_many = total.unstable.len() > MOST_UNSTABLE;
    for unstable in &total.unstable {
        println!(
            "  unstable {unstable}: failed next to other tests, passed alone; mend it or move it to soak"
        );
    }
    if are_too_many {
        println!("  FAILED   {} unstable tests; {MOST_UNSTABLE} are allowed", total.unstable.len());
        let unstable = total.unstable.len() as u64;
        total.passed -= unstable;
        total.failed += unstable;
    }
    for skipped in &total.skipped {
        println!("  skipped  {skipped}");
    }
    println!("{}", closing(&total));
    total.failed == 0
}

/// One step, as the summary shows it.
fn line(step: &Finished) -> String {
    let (word, remark) = match &step.outcome {
        Outcome::Passed => ("passed", String::new()),
        Outcome::Failed(why) => ("FAILED", first_line(why)),
        Outcome::Skipped(why) => ("skipped", why.clone()),
        Outcome::Tests(counts, why) => {
            let word = if counts.failed == 0 && why.is_none() { "passed" } else { "FAILED" };
            (
                word,
                format!(
                    "{}{}",
                    closing(counts),
                    why.as_ref().map(|why| format!("; {}", first_line(why))).unwrap_or_default()
                ),
            )
        }
    };
    format!("  {word:<8} {:<10} {:>6.1} s  {remark}", step.name, step.took.as_secs_f64())
        .trim_end()
        .to_owned()
}

/// Adds a step to the total.
fn add(total: &mut Counts, step: &Finished) {
    match &step.outcome {
        Outcome::Passed => total.passed += 1,
        Outcome::Failed(_) => total.failed += 1,
        Outcome::Skipped(why) => total.skipped.push(format!("{}: {why}", step.name)),
        Outcome::Tests(counts, why) => {
            // A run of tests that broke off is a failure even without a failed test.
            let failed = counts.failed.max(u64::from(why.is_some()));
            total.add(Counts { failed, ..counts.clone() });
        }
    }
}

/// The count in the form that programs read: "N passed, N failed, N skipped".
fn closing(counts: &Counts) -> String {
    format!("{} passed, {} failed, {} skipped", counts.passed, counts.failed, counts.skipped.len())
}

/// The first line of a message that may have many.
fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finished(outcome: Outcome) -> Finished {
        Finished { name: "some", outcome, took: Duration::from_millis(1500) }
    }

    #[test]
    fn steps_count_as_one_and_tests_as_themselves() {
        let counts = Counts { passed: 7, failed: 2, skipped: vec!["a: no root".into()], ..Counts::default() };
        let steps = [
            finished(Outcome::Passed),
            finished(Outcome::Skipped("no tool".into())),
            finished(Outcome::Tests(counts, Some("cargo test failed".into()))),
        ];
        let mut total = Counts::default();
        steps.iter().for_each(|step| add(&mut total, step));
        assert_eq!(closing(&total), "8 passed, 2 failed, 2 skipped");
        assert!(!summarize(&steps));
    }

    #[test]
    fn three_unstable_tests_are_borne_and_a_fourth_is_not() {
        let step = |unstable: usize| {
            let names = (0..unstable).map(|number| format!("check: test {number}")).collect();
            finished(Outcome::Tests(Counts { passed: 9, unstable: names, ..Counts::default() }, None))
        };
        assert!(summarize(&[step(3)]));
        assert!(!summarize(&[step(4)]));
        // Of all steps together.
        assert!(!summarize(&[step(2), step(2)]));
    }

    #[test]
    fn aborted_test_run_is_a_failure() {
        let steps = [finished(Outcome::Tests(Counts::default(), Some("does not compile".into())))];
        assert!(!summarize(&steps));
    }

    #[test]
    fn an_error_fails_the_step_and_is_shown() {
        let step = perform("bad", || anyhow::bail!("the reason\nmore"));
        assert_eq!(step.outcome, Outcome::Failed("the reason\nmore".into()));
        assert!(line(&step).contains("FAILED   bad") && line(&step).ends_with("the reason"));
        assert!(!summarize(&[step]));
    }
}
