//! `cargo xtask soak`: repeats the fault tests to find rare failures. Every round stops runs at
//! different moments. It also runs tests that take too long for every change, and simulates more worlds
//! than usual before the first round.

use std::time::Instant;

use anyhow::{Context, bail};

use crate::command;

/// The modules of tests that are repeated by default: fault tests, and tests that do more in a soak.
const MODULES: &[&str] = &[
    "faults_errors",
    "faults_hangs",
    "culprit",
    "culprit_busy_host",
    "interrupted_claims",
    "swapped_directories",
    "streams_hidden_overload",
    "real_faults",
    "repairs",
    "fleet_fetch",
    "worst_night",
    "procedures_computed",
    "fleet_kills",
    "fleet_hosts",
    "guest_nas",
    "limiting_layer",
    "prove",
    "procedures_fleet",
    "check_sustained",
    "check_find_max",
];

/// Simulated worlds before the first round. Tests of a change simulate only the first of them.
const WORLDS: &str = "5000";

/// Interrupted runs of each verb in a round, at different moments in each round.
const INTERRUPTS: &str = "30";

/// Runs over sound storage in a round. None of them may report a cause.
const HEALTHY_RUNS: &str = "20";

/// Runs of a fleet in a round. In each of them something is killed or stalls.
const FLEET_ROUNDS: &str = "20";

#[derive(Debug, PartialEq, Eq)]
struct Soak {
    rounds: u32,
    /// Modules of end-to-end tests.
    modules: Vec<String>,
    /// Continues after a failure and counts failed rounds.
    keeps_going: bool,
}

/// Runs the fault tests `--rounds N` times (10 by default), or only the modules of tests given by
/// `--only NAME`. Stops at the first failure, or counts failed rounds with `--keep-going`.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let soak = read(arguments)?;
    command::run(crate::cargo().args(["build", "--package", "reelgauge"]))?;
    let start = Instant::now();
    let mut failed = 0;
    if soak.modules == MODULES {
        let worlds_hold = command::run_watching(&mut worlds(), |_| ())?;
        println!("soak: {WORLDS} worlds, {}", if worlds_hold { "all hold" } else { "some do not hold" });
        if !worlds_hold && !soak.keeps_going {
            return Ok(false);
        }
        failed += u32::from(!worlds_hold);
    }
    for round in 1..=soak.rounds {
        let passed = command::run_watching(&mut soak.tests(round), |_| ())?;
        failed += u32::from(!passed);
        let seconds = start.elapsed().as_secs_f64();
        println!("soak: round {round} of {}, {failed} failed, {seconds:.0} s", soak.rounds);
        if !passed && !soak.keeps_going {
            return Ok(false);
        }
    }
    Ok(failed == 0)
}

/// The simulated worlds. They run once, because they are the same in each round.
fn worlds() -> std::process::Command {
    let mut worlds = crate::cargo();
    worlds.args(["test", "--package", "reelgauge-runner", "--lib", "simulation::"]);
    worlds.env("REELGAUGE_SEEDS", WORLDS);
    worlds
}

impl Soak {
    fn tests(&self, round: u32) -> std::process::Command {
        let mut tests = crate::cargo();
        tests.args(["test", "--package", "reelgauge-tests"]);
        if self.keeps_going {
            tests.arg("--no-fail-fast");
        }
        // A module whose name ends with this one is repeated, too.
        tests.args(["--tests", "--"]).args(self.modules.iter().map(|module| format!("{module}::")));
        tests.env("REELGAUGE_SOAK", "1");
        tests.env("REELGAUGE_INTERRUPTS", INTERRUPTS);
        tests.env("REELGAUGE_HEALTHY_RUNS", HEALTHY_RUNS);
        for (name, value) in
            [("REELGAUGE_FLEET_ROUNDS", FLEET_ROUNDS), ("REELGAUGE_FLEET_SEED", &*round.to_string())]
        {
            // An explicit setting takes precedence.
            if std::env::var_os(name).is_none() {
                tests.env(name, value);
            }
        }
        tests.env("REELGAUGE_INTERRUPTS_SEED", round.to_string());
        tests.env("REELGAUGE_BIN", crate::debug_binary());
        tests
    }
}

fn read(arguments: &[String]) -> anyhow::Result<Soak> {
    let mut soak = Soak { rounds: 10, modules: Vec::new(), keeps_going: false };
    let mut arguments = arguments.iter();
    while let Some(flag) = arguments.next() {
        let mut value = || arguments.next().with_context(|| format!("{flag} needs a value"));
        match flag.as_str() {
            "--rounds" => {
                let number = value()?;
                soak.rounds =
                    number.parse().with_context(|| format!("--rounds needs a number, not '{number}'"))?;
            }
            "--only" => soak.modules.push(value()?.clone()),
            "--keep-going" => soak.keeps_going = true,
            other => bail!("soak knows --rounds N, --only NAME and --keep-going, not '{other}'"),
        }
    }
    if soak.modules.is_empty() {
        soak.modules = MODULES.iter().map(|&module| module.to_owned()).collect();
    }
    Ok(soak)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn of(arguments: &[&str]) -> anyhow::Result<Soak> {
        read(&arguments.iter().map(|&argument| argument.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_number_of_rounds_is_read() {
        assert_eq!(of(&[]).unwrap().rounds, 10);
        assert_eq!(of(&["--rounds", "3"]).unwrap().rounds, 3);
        for bad in [&["--rounds", "many"][..], &["--rounds"], &["3"]] {
            assert!(of(bad).is_err(), "{bad:?}");
        }
    }

    /// A test that runs only in a soak must be in a repeated module, otherwise it never runs.
    #[test]
    fn modules_that_do_more_in_a_soak_are_repeated() {
        let folders = ["timed", "untimed"].map(|program| crate::root().join("tests/tests").join(program));
        let files = folders.iter().flat_map(|folder| std::fs::read_dir(folder).unwrap());
        let mut found = 0;
        for path in files.map(|entry| entry.unwrap().path()).filter(|path| path.is_file()) {
            let text = std::fs::read_to_string(&path).unwrap();
            if text.contains("Need::Soak") || text.contains("is_soak()") {
                let module = path.file_stem().unwrap().to_str().unwrap();
                assert!(MODULES.contains(&module), "{module}");
                found += 1;
            }
        }
        assert!(found >= 5, "{found}");
    }

    #[test]
    fn all_fault_tests_unless_some_are_named() {
        assert_eq!(of(&["--rounds", "3"]).unwrap().modules, MODULES);
        let some = of(&["--only", "culprit", "--keep-going", "--only", "check"]).unwrap();
        let words: Vec<String> =
            some.tests(1).get_args().map(|word| word.to_string_lossy().into_owned()).collect();
        let end = ["--no-fail-fast", "--tests", "--", "culprit::", "check::"];
        assert_eq!(words[words.len() - end.len()..], end);
        assert!(!of(&[]).unwrap().keeps_going);
    }
}
