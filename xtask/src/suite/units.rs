//! Splits the test programs into processes, and decides their order and which may run in parallel.
//!
//! There are only two end-to-end programs, because linking each of their eighty files took three times
//! as long as compiling them. Their modules are independent: each module of `untimed` is a separate
//! process, and so is each test of `timed`.

use std::collections::BTreeMap;
use std::path::PathBuf;

use anyhow::bail;

use super::programs::{Program, Said};

/// The end-to-end tests that judge by time.
const TIMED: &str = "timed";
/// The other end-to-end tests.
const UNTIMED: &str = "untimed";

/// The load that an end-to-end test that judges by time permits in parallel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing: it keeps processors busy, on purpose.
    Nothing,
    /// Only programs that wait. It would correctly blame a processor or a disk that others use.
    Still,
    /// A few of its kind: it loads its disk as much as it can, and is judged by its results.
    Loads,
    /// Some others: it takes up to a quarter of a processor, and is judged by milliseconds.
    Few,
    /// Many others: it waits for answers that may take seconds, and takes a tenth of a processor at
    /// most.
    Many,
}

impl Beside {
    /// Every kind, in the order in which they run.
    pub const ALL: [Beside; 5] = [Beside::Nothing, Beside::Still, Beside::Loads, Beside::Few, Beside::Many];
}

/// The modules of `timed`, grouped by kind, the longest first. Programs that run in parallel with them
/// influence the measurement.
const MEASURING: &[(&str, Beside)] = &[
    ("culprit_busy_host", Beside::Nothing),
    ("trace_timing", Beside::Nothing),
    ("culprit", Beside::Still),
    ("streams_max_rate", Beside::Still),
    ("check", Beside::Loads),
    // Measures how long a request takes while other clients send many.
    ("console_shared", Beside::Loads),
    ("streams_scenarios", Beside::Loads),
    ("mix_storage", Beside::Loads),
    ("vda_load_points", Beside::Loads),
    ("streams_interrupted", Beside::Loads),
    ("data_sets", Beside::Loads),
    ("streams_find_max", Beside::Few),
    ("streams_hidden_overload", Beside::Few),
    ("prove_undo", Beside::Few),
    ("paper_tables", Beside::Few),
    ("procedures_computed", Beside::Few),
    ("procedures_found", Beside::Few),
    ("worst_night", Beside::Few),
    ("check_counts", Beside::Few),
    ("check_sustained", Beside::Few),
    ("check_find_max", Beside::Few),
    ("prove", Beside::Few),
    ("limiting_layer", Beside::Few),
    ("compare", Beside::Few),
    ("trace_copy_comparison", Beside::Few),
    ("trace_lateness", Beside::Few),
    ("vda", Beside::Few),
    ("streams_buffered", Beside::Few),
    ("streams_freeze", Beside::Few),
    ("streams_live", Beside::Few),
    ("streams_media", Beside::Few),
    ("real_faults", Beside::Few),
    ("server_side", Beside::Few),
    ("repairs", Beside::Few),
    // An emulated machine without strict timing. It takes a processor.
    ("guest_nas", Beside::Many),
    // Five processes on a network that must answer each other within seconds.
    ("fleet_steps", Beside::Many),
    ("fleet_hosts", Beside::Many),
    ("fleet_observers", Beside::Many),
    ("fleet_replay", Beside::Many),
    ("fleet_kills", Beside::Many),
    ("max_rate", Beside::Many),
    ("fleet_search", Beside::Many),
    ("fleet_run", Beside::Many),
    ("fleet_contact", Beside::Many),
    ("fleet_console", Beside::Many),
    ("fleet_stop", Beside::Many),
    ("fleet_pause", Beside::Many),
    ("fleet_preflight", Beside::Many),
    ("fleet_prepare", Beside::Many),
    ("fleet_doctor", Beside::Many),
    ("procedures_fleet", Beside::Many),
    ("fleet_clean", Beside::Many),
    ("fleet_fetch", Beside::Many),
];

/// The slowest of the other modules and of the unit tests, the longest first, so that none of them runs alone
/// at the end.
const LONGEST: [&str; 9] = [
    "reelgauge_runner",
    "screens",
    "trace_library",
    "faults_hangs",
    "interrupted_claims",
    "swapped_directories",
    "trace_hostile",
    "reelgauge_fleet",
    "reelgauge_console",
];

/// The content of one process: a program, or some of its tests.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unit {
    pub program: Program,
    /// Its name: the program, one of its modules, or a test.
    pub name: String,
    /// Its tests; all of the program if empty.
    only: Vec<String>,
    /// The load permitted in parallel; `None` if it judges nothing by time and permits any load.
    pub beside: Option<Beside>,
}

impl Unit {
    /// The units of these programs, in the order of their start.
    pub fn all_of(programs: Vec<Program>) -> anyhow::Result<Vec<Unit>> {
        let mut units = Vec::new();
        for program in programs {
            match program.is_end_to_end() {
                true => units.extend(Unit::of_modules(&program, &program.tests()?)?),
                false => units.push(Unit::whole(program)),
            }
        }
        units.sort_by_key(Unit::turn);
        Ok(units)
    }

    /// All tests of a program in one process.
    pub fn whole(program: Program) -> Unit {
        Unit { name: program.name.clone(), program, only: Vec::new(), beside: None }
    }

    /// The units of a program with these end-to-end tests.
    fn of_modules(program: &Program, tests: &[String]) -> anyhow::Result<Vec<Unit>> {
        let mut modules: BTreeMap<&str, Vec<String>> = BTreeMap::new();
        for test in tests {
            modules.entry(module(test)).or_default().push(test.clone());
        }
        let mut units = Vec::new();
        for (module, tests) in modules {
            let unit = |name: &str, only, beside| Unit {
                program: program.clone(),
                name: name.to_owned(),
                only,
                beside,
            };
            match (program.name.as_str(), beside(module)) {
                (TIMED, Some(kind)) => {
                    units.extend(tests.into_iter().map(|test| unit(&test.clone(), vec![test], Some(kind))));
                }
                (UNTIMED, None) => units.push(unit(module, tests, None)),
                (program, Some(_)) => {
                    bail!("{module} judges by time and is in '{program}', not in '{TIMED}'")
                }
                (program, None) => {
                    bail!("{module} is in '{program}', and nothing says what may run beside it")
                }
            }
        }
        Ok(units)
    }

    /// The module of its tests.
    pub fn module(&self) -> &str {
        module(&self.name)
    }

    /// The position in the start order of its kind.
    fn turn(&self) -> usize {
        let place = match self.beside {
            Some(_) => MEASURING.iter().position(|(name, _)| *name == module(&self.name)),
            None => LONGEST.iter().position(|name| *name == self.name),
        };
        place.unwrap_or(usize::MAX)
    }

    /// Runs it. Tests that judge by time run one after the other.
    pub fn run(&self, environment: &[(&str, PathBuf)]) -> anyhow::Result<Said> {
        self.program.run(&self.only, self.beside.is_some(), environment)
    }
}

/// The module of a test with this name.
fn module(test: &str) -> &str {
    test.split_once("::").map_or(test, |(module, _)| module)
}

/// The load permitted in parallel with the tests of this module.
fn beside(module: &str) -> Option<Beside> {
    MEASURING.iter().find(|(name, _)| *name == module).map(|(_, beside)| *beside)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    /// The modules of an end-to-end program, and their text.
    fn modules(program: &str) -> Vec<(String, String)> {
        let folder = crate::root().join("tests/tests").join(program);
        let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let sources = paths.filter(|path| path.extension().is_some_and(|extension| extension == "rs"));
        let named = sources.map(|path| {
            let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
            (name, std::fs::read_to_string(path).unwrap())
        });
        let mut modules: Vec<_> = named.filter(|(name, _)| name != "main").collect();
        modules.sort();
        modules
    }

    fn units(program: &str, tests: &[&str]) -> anyhow::Result<Vec<Unit>> {
        let tests: Vec<String> = tests.iter().map(|&test| test.to_owned()).collect();
        Unit::of_modules(&Program::end_to_end(program), &tests)
    }

    /// Checks modules that start programs to keep processors busy.
    #[test]
    fn tests_that_fill_all_processors_run_alone() {
        let both = [modules(TIMED), modules(UNTIMED)].concat();
        let filling = both.iter().filter(|(_, text)| text.contains("busy::Busy"));
        let wrong: Vec<_> =
            filling.filter(|(name, _)| beside(name) != Some(Beside::Nothing)).map(|(name, _)| name).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    /// Tests that judge by time take turns inside a program, which identifies them.
    #[test]
    fn modules_that_take_turns_are_listed_as_measuring() {
        let mut measuring: Vec<String> = MEASURING.iter().map(|(name, _)| (*name).to_owned()).collect();
        measuring.sort();
        let timed = modules(TIMED);
        assert_eq!(timed.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>(), measuring);
        let is_wrong = |takes: bool| move |(_, text): &&(String, String)| text.contains("my_turn()") != takes;
        assert_eq!(timed.iter().find(is_wrong(true)), None);
        assert_eq!(modules(UNTIMED).iter().find(is_wrong(false)), None);
    }

    #[test]
    fn the_longest_are_there() {
        let untimed = modules(UNTIMED);
        let is_crate = |name: &str| crate::root().join("crates").join(name).is_dir();
        let is_known = |name: &str| match name.strip_prefix("reelgauge_") {
            Some(name) => is_crate(name),
            None => untimed.iter().any(|(known, _)| known == name),
        };
        assert_eq!(LONGEST.iter().find(|name| !is_known(name)), None);
    }

    #[test]
    fn timed_test_and_module_are_separate_processes() {
        let timed = units(TIMED, &["vda::a", "check::b", "vda::c"]).unwrap();
        assert_eq!(
            timed.iter().map(|unit| unit.name.as_str()).collect::<Vec<_>>(),
            ["check::b", "vda::a", "vda::c"]
        );
        assert_eq!(timed[0].beside, Some(Beside::Loads));
        let untimed = units(UNTIMED, &["doctor::a", "doctor::b", "tune::a"]).unwrap();
        assert_eq!(untimed.iter().map(|unit| unit.only.len()).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(untimed[0].beside, None);
    }

    #[test]
    fn a_module_in_the_wrong_program_is_refused() {
        assert!(units(TIMED, &["doctor::a"]).is_err());
        assert!(units(UNTIMED, &["check::a"]).is_err());
    }

    #[test]
    fn the_longest_start_first() {
        let mut units = units(TIMED, &["check::a", "culprit_busy_host::a"]).unwrap();
        units.push(Unit::whole(Program::end_to_end("reelgauge_report")));
        units.sort_by_key(Unit::turn);
        assert_eq!(
            units.iter().map(|unit| unit.name.as_str()).collect::<Vec<_>>(),
            ["culprit_busy_host::a", "check::a", "reelgauge_report"]
        );
    }
}
