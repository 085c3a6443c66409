//! Running `cargo test` and counting what became of each test.
//!
//! A test that cannot run (not root, a tool is missing) says so in the file that `REELGAUGE_SKIPS` names,
//! one "name: why" per line. The test framework counts it as passed; here it is counted as skipped.
//!
//! A test that fails while others run beside it is run once more, alone. If it passes then it is no failure,
//! but it is named as unstable: these tests measure real time on machines that they share, and half an hour
//! that is lost to somebody else's second helps nobody. More than a few of them are a failure all the same.

use crate::command;
use crate::step::{Counts, Outcome};

/// Tests that may fail in company and pass alone before the whole run is a failure.
const MOST_UNSTABLE: usize = 4;

/// Runs the tests of the workspace, with the end-to-end tests unless `quick`.
pub fn run(quick: bool) -> anyhow::Result<Outcome> {
    let skips = crate::target_dir().join("skipped-tests.txt");
    std::fs::write(&skips, "")?;
    let mut cargo = crate::cargo();
    cargo.args(["test", "--workspace", "--locked", "--no-fail-fast"]).env("REELGAUGE_SKIPS", &skips);
    // Tests provoke panics in libraries on purpose; a backtrace of each would bury the rest, and reading the
    // symbols for it takes more memory than some tests allow.
    cargo.env("RUST_BACKTRACE", "0");
    if quick {
        cargo.args(["--exclude", "reelgauge-tests"]);
    } else {
        // The end-to-end tests run the binary that users get from a plain build.
        let mut build = crate::cargo();
        command::run(build.args(["build", "--locked", "--package", "reelgauge"]))?;
        cargo.env("REELGAUGE_BIN", crate::target_dir().join("debug/reelgauge"));
        cargo.env("REELGAUGE_TEST_VENV", crate::python::venv());
        let static_binary = crate::cross::static_binary();
        if static_binary.is_file() {
            cargo.env("REELGAUGE_STATIC_BIN", static_binary);
        }
    }
    let mut counts = Counts::default();
    let mut failed = Vec::new();
    let mut all_passed = command::run_watching(&mut cargo, |line| {
        count(&mut counts, line);
        failed.extend(failed_test(line));
    })?;
    if !all_passed && (1..=MOST_UNSTABLE).contains(&failed.len()) && failed.len() as u64 == counts.failed {
        println!("\n== once more, alone: {}", failed.join(", "));
        cargo.arg("--").arg("--exact").args(&failed).args(["--test-threads", "1"]);
        if command::run_watching(&mut cargo, |_| {})? {
            counts.passed += counts.failed;
            counts.failed = 0;
            counts.unstable = failed;
            all_passed = true;
        }
    }
    let skipped = std::fs::read_to_string(&skips)?;
    counts.skipped = skipped.lines().map(str::to_owned).collect();
    counts.passed = counts.passed.saturating_sub(counts.skipped.len() as u64);
    let ran = counts.passed + counts.failed > 0;
    let why = match (all_passed, ran) {
        (true, true) => None,
        (true, false) => Some("no test ran".to_owned()),
        (false, _) => Some("cargo test failed, see above".to_owned()),
    };
    Ok(Outcome::Tests(counts, why))
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
        let mut counts = Counts::default();
        for line in [
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
            "test result: FAILED. 10 passed; 2 failed; 1 ignored; 0 measured; 0 filtered out; finished in 4s",
            "5 passed",
        ] {
            count(&mut counts, line);
        }
        assert_eq!((counts.passed, counts.failed), (13, 2));
    }
}
