//! Runs the test programs, several at a time, and counts the result of each test.
//!
//! Most end-to-end tests wait: for a frozen file system, a slow link, or the measured seconds. Run one
//! after the other, they leave three quarters of two processors idle. So several programs run in
//! parallel, and other steps with them. Tests that judge by time run last and without other steps, each
//! test in a separate process, as many at a time as their kind permits ([`Beside`]).
//!
//! A test that cannot run (not root, a tool is missing) adds "name: why" to the file in
//! `REELGAUGE_SKIPS`. The test framework counts it as passed; here it is counted as skipped.
//!
//! A failed test is run again, alone. If it then passes, it counts as passed and is listed as unstable.
//! The summary fails the run only if more than a few are unstable ([`crate::step::MOST_UNSTABLE`]).

mod programs;
mod units;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::command;
use crate::linting::Linting;
use crate::memory_disk::MemoryDisk;
use crate::step::{Counts, Outcome};
use programs::{Program, Said};
use units::{Beside, Unit};

/// The package of the end-to-end tests.
const END_TO_END: &str = "reelgauge-tests";
/// The package of the benches, which has no tests.
const BENCHES: &str = "reelgauge-benches";

/// The tests of the Windows program, which the step of this name runs.
const WINDOWS: &str = "windows";
/// The file that lists skipped tests.
const SKIPS: &str = "skipped-tests.txt";

/// How many of a kind run in parallel; `None` for programs that judge nothing by time.
fn at_once(beside: Option<Beside>) -> usize {
    match beside {
        Some(Beside::Nothing) => 1,
        Some(Beside::Loads) => 3,
        None => 4,
        Some(Beside::Still) => 5,
        Some(Beside::Few) => 7,
        Some(Beside::Many) => 11,
    }
}

/// The test programs and their environment.
pub struct Suite {
    quick: bool,
    linting: Linting,
    /// Tests that judge by time.
    measuring: Vec<Unit>,
    /// All others.
    waiting: Vec<Unit>,
    environment: Vec<(&'static str, PathBuf)>,
    /// The file in which programs list skipped tests.
    skips: PathBuf,
}

impl Suite {
    /// Builds and lints the workspace, with the end-to-end tests unless `quick`.
    pub fn build(quick: bool) -> anyhow::Result<Suite> {
        let linting = Linting::prepare()?;
        let mut build = linting.cargo();
        build.args(["build", "--workspace", "--locked", "--all-targets"]);
        if quick {
            build.args(["--exclude", END_TO_END]);
        }
        let mut programs = programs::build(build)?;
        programs.retain(|program| program.name != WINDOWS);
        Suite::of(linting, Unit::all_of(programs)?, quick, SKIPS)
    }

    /// Builds the tests of the Windows program, but not that program. They run as one process, at the same
    /// time as others.
    pub fn of_windows(linting: Linting) -> anyhow::Result<Suite> {
        let mut build = linting.cargo();
        build.args(["build", "--workspace", "--locked", "--bins", "--test", WINDOWS]);
        let programs = programs::build(build)?.into_iter().filter(|program| program.name == WINDOWS);
        let mut suite =
            Suite::of(linting, programs.map(Unit::whole).collect(), false, "skipped-windows.txt")?;
        // Most of them wait.
        suite.environment.push(("RUST_TEST_THREADS", "4".into()));
        Ok(suite)
    }

    /// Builds and lints the unit tests of the workspace, and keeps those of the packages in these
    /// folders. Building only a part of the workspace would select other features and rebuild every
    /// dependency.
    pub fn of_packages(linting: Linting, folders: &BTreeSet<&Path>) -> anyhow::Result<Suite> {
        let mut build = linting.cargo();
        build.args(["test", "--no-run", "--workspace", "--locked", "--tests"]);
        for (folder, package) in [("tests", END_TO_END), ("benches", BENCHES)] {
            if !folders.contains(Path::new(folder)) {
                build.args(["--exclude", package]);
            }
        }
        // The benches are built, but have no tests.
        let is_chosen = |program: &Program| {
            let folder = program.folder();
            folders.contains(folder) && folder != Path::new("benches") && !program.is_end_to_end()
        };
        let programs = programs::build(build)?.into_iter().filter(is_chosen).collect();
        Suite::of(linting, Unit::all_of(programs)?, false, SKIPS)
    }

    /// Builds the end-to-end tests with the binary, and keeps those of these modules.
    pub fn of_modules(linting: Linting, modules: &BTreeSet<String>) -> anyhow::Result<Suite> {
        let mut build = linting.cargo();
        build.args(["build", "--workspace", "--exclude", BENCHES, "--locked", "--bins"]);
        build.args(["--test", "timed", "--test", "untimed"]);
        let programs = programs::build(build)?.into_iter().filter(Program::is_end_to_end).collect();
        let mut units = Unit::all_of(programs)?;
        units.retain(|unit| modules.contains(unit.module()));
        Suite::of(linting, units, false, SKIPS)
    }

    fn of(linting: Linting, units: Vec<Unit>, quick: bool, skips: &str) -> anyhow::Result<Suite> {
        let skips = crate::target_dir().join(skips);
        std::fs::write(&skips, "")?;
        let (measuring, waiting): (Vec<_>, Vec<_>) =
            units.into_iter().partition(|unit| unit.beside.is_some());
        Ok(Suite { quick, linting, measuring, waiting, environment: environment(quick, &skips), skips })
    }

    /// Whether some of the tests judge nothing by time.
    pub fn has_waiting(&self) -> bool {
        !self.waiting.is_empty()
    }

    /// Whether some of the tests judge by time.
    pub fn has_measuring(&self) -> bool {
        !self.measuring.is_empty()
    }

    /// Runs the programs that judge nothing by time.
    pub fn run_without_examples(&self) -> anyhow::Result<Outcome> {
        Ok(self.waiting()?.outcome())
    }

    /// Runs the programs that judge nothing by time, and the examples in documentation.
    pub fn run_waiting(&self) -> anyhow::Result<Outcome> {
        let mut ran = self.waiting()?;
        if !doc_tests(&self.linting, self.quick, &mut ran.total)? {
            ran.broken.push("examples in documentation".to_owned());
        }
        Ok(ran.outcome())
    }

    fn waiting(&self) -> anyhow::Result<Ran> {
        let units: Vec<&Unit> = self.waiting.iter().collect();
        self.run(&units, at_once(None))
    }

    /// Runs the tests that judge by time, as many at a time as their kind permits. Nothing else should
    /// run at the same time.
    ///
    /// Tests judged by milliseconds get a disk in memory. Tests with full I/O load use the host's disk,
    /// because a disk in memory would let them take all processors.
    pub fn run_measuring(&self) -> anyhow::Result<Outcome> {
        let mut ran = Ran::default();
        for kind in Beside::ALL {
            let _disk = if kind == Beside::Few { MemoryDisk::mounted() } else { None };
            let units: Vec<&Unit> = self.measuring.iter().filter(|unit| unit.beside == Some(kind)).collect();
            let of_kind = self.run(&units, at_once(Some(kind)))?;
            ran.total.add(of_kind.total);
            ran.broken.extend(of_kind.broken);
        }
        Ok(ran.outcome())
    }

    fn run(&self, units: &[&Unit], at_once: usize) -> anyhow::Result<Ran> {
        let mut ran = Ran::default();
        for (unit, said) in units.iter().zip(side_by_side(units, at_once, &self.environment)) {
            ran.add(&unit.program, &said, &self.environment)?;
        }
        let skipped = std::fs::read_to_string(&self.skips)?;
        std::fs::write(&self.skips, "")?;
        ran.total.skipped = skipped.lines().map(str::to_owned).collect();
        ran.total.passed = ran.total.passed.saturating_sub(ran.total.skipped.len() as u64);
        Ok(ran)
    }
}

/// Runs a unit, and prints its output when it has ended.
fn watched(unit: &Unit, environment: &[(&str, PathBuf)]) -> Said {
    let start = Instant::now();
    let said = unit.run(environment);
    let said = said.unwrap_or_else(|error| Said { text: format!("{error:#}\n"), passed: false });
    println!("\n== {} ({:.1} s)\n{}", unit.name, start.elapsed().as_secs_f64(), said.text.trim());
    said
}

/// The results of programs.
#[derive(Default)]
struct Ran {
    total: Counts,
    broken: Vec<String>,
}

impl Ran {
    fn add(&mut self, program: &Program, said: &Said, environment: &[(&str, PathBuf)]) -> anyhow::Result<()> {
        let (counts, failed) = counted(&said.text);
        self.total.passed += counts.passed;
        if said.passed {
            return Ok(());
        }
        let passed_alone = pass_alone(program, &failed, environment)?;
        self.take_failed(program, &failed, &passed_alone);
        // A killed program has tests that did not run, in addition to those that failed before.
        if !is_complete(&said.text) && !self.broken.contains(&program.name) {
            self.broken.push(program.name.clone());
        }
        Ok(())
    }

    /// Counts and names the failed tests of a program, and those that passed alone.
    fn take_failed(&mut self, program: &Program, failed: &[String], passed_alone: &[String]) {
        let named = |test: &String| format!("{}: {test}", program.name);
        let broken: Vec<String> =
            failed.iter().filter(|test| !passed_alone.contains(test)).map(named).collect();
        if failed.is_empty() || !broken.is_empty() {
            self.broken.push(program.name.clone());
        }
        self.total.failed += broken.len() as u64;
        self.total.broken.extend(broken);
        self.total.passed += passed_alone.len() as u64;
        self.total.unstable.extend(passed_alone.iter().map(named));
    }

    fn outcome(self) -> Outcome {
        let why = if !self.broken.is_empty() {
            Some(format!("{} failed, see above", self.broken.join(", ")))
        } else if self.total.passed + self.total.failed == 0 {
            Some("no test ran".to_owned())
        } else {
            None
        };
        Outcome::Tests(self.total, why)
    }
}

/// The environment of test programs.
fn environment(quick: bool, skips: &Path) -> Vec<(&'static str, PathBuf)> {
    let mut environment = vec![
        ("REELGAUGE_SKIPS", skips.to_owned()),
        // Tests provoke panics in libraries on purpose. A backtrace of each would hide other output, and
        // reading the symbols takes more memory than some tests allow.
        ("RUST_BACKTRACE", "0".into()),
    ];
    if !quick {
        environment.push(("REELGAUGE_BIN", crate::debug_binary()));
        environment.push(("REELGAUGE_TEST_VENV", crate::python::venv()));
    }
    environment
}

/// Runs units, `at_once` at a time. Returns their outputs in the order of the units.
fn side_by_side(units: &[&Unit], at_once: usize, environment: &[(&str, PathBuf)]) -> Vec<Said> {
    let begun = AtomicUsize::new(0);
    let finished: Mutex<Vec<(usize, Said)>> = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..at_once {
            scope.spawn(|| {
                loop {
                    let at = begun.fetch_add(1, Ordering::Relaxed);
                    let Some(unit) = units.get(at) else { break };
                    let said = watched(unit, environment);
                    finished.lock().unwrap_or_else(PoisonError::into_inner).push((at, said));
                }
            });
        }
    });
    let mut finished = finished.into_inner().unwrap_or_else(PoisonError::into_inner);
    finished.sort_by_key(|(at, _)| *at);
    finished.into_iter().map(|(_, said)| said).collect()
}

/// The failed tests of a program that pass when run alone.
fn pass_alone(
    program: &Program,
    failed: &[String],
    environment: &[(&str, PathBuf)],
) -> anyhow::Result<Vec<String>> {
    if failed.is_empty() {
        return Ok(Vec::new());
    }
    println!("\n== once more, alone: {}: {}", program.name, failed.join(", "));
    let said = program.run(failed, true, environment)?;
    println!("{}", said.text.trim());
    let (_, still_failed) = counted(&said.text);
    Ok(failed.iter().filter(|test| said.passed || !still_failed.contains(test)).cloned().collect())
}

/// The examples in documentation.
fn doc_tests(linting: &Linting, quick: bool, total: &mut Counts) -> anyhow::Result<bool> {
    let mut cargo = linting.cargo();
    cargo.args(["test", "--workspace", "--locked", "--doc", "--no-fail-fast"]);
    if quick {
        cargo.args(["--exclude", END_TO_END]);
    }
    command::run_watching(&mut cargo, |line| count(total, line))
}

/// The tests that a program counted, and the names of those that failed.
fn counted(text: &str) -> (Counts, Vec<String>) {
    let mut counts = Counts::default();
    text.lines().for_each(|line| count(&mut counts, line));
    (counts, text.lines().filter_map(failed_test).collect())
}

/// Whether the program ran all its tests: the test framework prints the result last.
fn is_complete(text: &str) -> bool {
    text.lines().any(|line| line.starts_with("test result: "))
}

/// The name in a line "test some::name ... FAILED"; none in any other.
fn failed_test(line: &str) -> Option<String> {
    let name = line.strip_prefix("test ")?.strip_suffix(" ... FAILED")?;
    Some(name.to_owned())
}

/// Adds a line "test result: ok. 3 passed; 0 failed; 1 ignored; …" to the count; ignores all other lines.
fn count(counts: &mut Counts, line: &str) {
    let Some(result) = line.strip_prefix("test result: ") else {
        return;
    };
    let number_before = |word: &str| -> u64 {
        result
            .split([';', '.'])
            .filter_map(|part| part.trim().strip_suffix(word))
            .find_map(|number| number.trim().parse().ok())
            .unwrap_or(0)
    };
    counts.passed += number_before("passed");
    counts.failed += number_before("failed");
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOTH: [&str; 2] = ["one", "two"];

    /// Ten tests passed and these failed, of which `passed_alone` then passed alone.
    fn failed(tests: &[&str], passed_alone: usize) -> Ran {
        let mut ran = Ran { total: Counts { passed: 10, ..Counts::default() }, broken: Vec::new() };
        let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
        ran.take_failed(&Program::end_to_end("check"), &tests, &tests[..passed_alone]);
        ran
    }

    #[test]
    fn a_test_that_passes_alone_is_counted_as_passed_and_listed() {
        let ran = failed(&BOTH, 2);
        assert_eq!(ran.total.unstable, ["check: one", "check: two"]);
        assert_eq!((ran.total.passed, ran.total.failed), (12, 0));
        assert!(matches!(ran.outcome(), Outcome::Tests(_, None)));
    }

    #[test]
    fn test_failing_again_alone_fails_the_step() {
        let ran = failed(&BOTH, 1);
        assert_eq!(ran.total.unstable, ["check: one"]);
        assert_eq!(ran.total.broken, ["check: two"]);
        assert_eq!((ran.total.passed, ran.total.failed), (11, 1));
        assert!(matches!(ran.outcome(), Outcome::Tests(_, Some(_))));
    }

    #[test]
    fn aborted_program_without_failed_test_is_a_failure() {
        assert!(matches!(failed(&[], 0).outcome(), Outcome::Tests(_, Some(_))));
    }

    #[test]
    fn a_program_that_was_killed_is_not_complete() {
        assert!(!is_complete("running 2 tests\ntest one ... FAILED\n"));
        assert!(is_complete("test one ... FAILED\ntest result: FAILED. 1 passed; 1 failed; 0 ignored\n"));
    }

    #[test]
    fn names_of_failed_tests_are_read() {
        assert_eq!(failed_test("test a::b ... FAILED").as_deref(), Some("a::b"));
        for other in ["test a::b ... ok", "test result: FAILED. 1 passed; 2 failed", "---- a::b stdout ----"]
        {
            assert_eq!(failed_test(other), None);
        }
    }

    #[test]
    fn results_are_added_up_and_other_lines_ignored() {
        let text = "running 3 tests\ntest a::b ... FAILED\n\
            test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\
            test result: FAILED. 10 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 4s\n\
            5 passed\n";
        let (counts, failed) = counted(text);
        assert_eq!((counts.passed, counts.failed), (13, 2));
        assert_eq!(failed, ["a::b"]);
    }
}
