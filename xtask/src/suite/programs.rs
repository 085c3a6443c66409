//! The test programs that cargo built, and running one of them as cargo would.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::command;
use crate::linting::Linting;

/// What may run beside an end-to-end test that judges by time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// Nothing: it keeps processors busy, on purpose.
    Nothing,
    /// What does nothing but wait: a processor or a disk that others take is rightly blamed.
    Still,
    /// A few of its kind: it loads its disk as much as it can, and is judged by what came of it.
    Loads,
    /// Some others: it takes up to a quarter of a processor, and is judged by milliseconds.
    Few,
    /// Many others: it waits for answers that may take seconds, and takes a tenth of a processor at most.
    Many,
}

impl Beside {
    /// Every kind, in the order in which they run.
    pub const ALL: [Beside; 5] = [Beside::Nothing, Beside::Still, Beside::Loads, Beside::Few, Beside::Many];
}

/// The end-to-end tests that judge by time, those of a kind together, the longest first: what runs beside
/// them would be measured, too.
const MEASURING: [(&str, Beside); 42] = [
    ("whose_fault_busy", Beside::Nothing),
    ("streams_max_rate", Beside::Nothing),
    ("trace_timing", Beside::Nothing),
    ("whose_fault", Beside::Still),
    ("check", Beside::Loads),
    // How long one looks while others ask much.
    ("console_shared", Beside::Loads),
    ("mix_storage", Beside::Loads),
    ("streams_scenarios", Beside::Loads),
    ("vda_load_points", Beside::Loads),
    ("streams_broken_off", Beside::Loads),
    ("data_sets", Beside::Loads),
    ("streams_find_max", Beside::Few),
    ("streams_hidden_overload", Beside::Few),
    ("check_counts", Beside::Few),
    ("prove_undo", Beside::Few),
    ("prove", Beside::Few),
    ("limiting_layer", Beside::Few),
    ("compare", Beside::Few),
    ("paper_tables", Beside::Few),
    ("vda", Beside::Few),
    ("trace_against_copy", Beside::Few),
    ("streams_buffered", Beside::Few),
    ("streams_freeze", Beside::Few),
    ("streams_live", Beside::Few),
    ("streams_media", Beside::Few),
    ("real_faults", Beside::Few),
    ("repairs", Beside::Few),
    // An emulated machine, which may take its time, and takes a processor.
    ("guest_nas", Beside::Many),
    // A network of five processes that must answer each other within seconds.
    ("fleet_observers", Beside::Many),
    ("fleet_hosts", Beside::Many),
    ("max_rate", Beside::Many),
    ("fleet_search", Beside::Many),
    ("fleet_steps", Beside::Many),
    ("fleet_kills", Beside::Many),
    ("fleet_run", Beside::Many),
    ("fleet_pause", Beside::Many),
    ("fleet_replay", Beside::Many),
    ("fleet_watched", Beside::Many),
    ("fleet_stop", Beside::Many),
    ("fleet_preflight", Beside::Many),
    ("fleet_prepare", Beside::Many),
    ("fleet_doctor", Beside::Many),
];

/// The others that take longest, the longest first: none of them is to be left alone at the end. A name that
/// is gone does no harm.
const LONGEST: [&str; 6] = [
    "screens",
    "trace_library",
    "faults_hangs",
    "interrupted_sentences",
    "swapped_directories",
    "trace_hostile",
];

/// A test program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of its target: `streams_find_max`, `reelgauge_report` for that crate's unit tests.
    pub name: String,
    executable: PathBuf,
    /// The folder of its package, in which it runs.
    folder: PathBuf,
}

/// What a program said, and whether all its tests passed.
pub struct Said {
    /// Standard output and standard error, one behind the other.
    pub text: String,
    /// Whether its exit status was 0.
    pub passed: bool,
}

/// Builds everything that there is in the workspace, without the end-to-end tests if `quick`, and gives the
/// test programs. The binary that they run comes from the same build, which saves compiling every crate once
/// more; and it lints: no warning of the compiler or of clippy stays.
pub fn build(linting: &Linting, quick: bool) -> anyhow::Result<Vec<Program>> {
    let mut cargo = linting.cargo();
    cargo.args(["build", "--workspace", "--locked", "--all-targets"]);
    cargo.arg("--message-format=json-render-diagnostics");
    if quick {
        cargo.args(["--exclude", "reelgauge-tests"]);
    }
    let mut programs = Vec::new();
    for line in command::lines(&mut cargo)? {
        programs.extend(program(&line)?);
    }
    if programs.is_empty() {
        bail!("cargo built no test program");
    }
    programs.sort_by_key(Program::turn);
    Ok(programs)
}

/// The program that a line of cargo's JSON tells of; none in any other line.
fn program(line: &str) -> anyhow::Result<Option<Program>> {
    let Ok(Value::Object(message)) = serde_json::from_str::<Value>(line) else {
        return Ok(None);
    };
    let is_test = message.get("profile").and_then(|profile| profile.get("test")).and_then(Value::as_bool);
    let Some(executable) =
        message.get("executable").and_then(Value::as_str).filter(|_| is_test == Some(true))
    else {
        return Ok(None);
    };
    let manifest = message.get("manifest_path").and_then(Value::as_str);
    let folder = manifest.and_then(|path| Path::new(path).parent()).context("cargo named no manifest")?;
    let name = message.get("target").and_then(|target| target.get("name")).and_then(Value::as_str);
    Ok(Some(Program {
        name: name.context("cargo named no target")?.to_owned(),
        executable: executable.into(),
        folder: folder.to_owned(),
    }))
}

impl Program {
    /// An end-to-end test of that name, which can't be run.
    #[cfg(test)]
    pub fn end_to_end(name: &str) -> Program {
        Program { name: name.into(), executable: "/nothing/here".into(), folder: crate::root().join("tests") }
    }

    /// What may run beside it; `None` where it judges nothing by time, and anything may.
    pub fn beside(&self) -> Option<Beside> {
        let of_name = || MEASURING.iter().find(|(name, _)| *name == self.name);
        self.folder.ends_with("tests").then(of_name).flatten().map(|(_, beside)| *beside)
    }

    /// When it is to start, beside those of its kind.
    fn turn(&self) -> usize {
        let measuring = MEASURING.map(|(name, _)| name);
        let order: &[&str] = if self.beside().is_some() { &measuring } else { &LONGEST };
        order.iter().position(|name| *name == self.name).unwrap_or(order.len())
    }

    /// The names of its tests.
    pub fn tests(&self) -> anyhow::Result<Vec<String>> {
        let mut list = self.command();
        let list = command::output(list.args(["--list", "--format", "terse"]))?;
        Ok(list.lines().filter_map(|line| line.strip_suffix(": test")).map(str::to_owned).collect())
    }

    /// The program as cargo would start it.
    fn command(&self) -> Command {
        let mut program = Command::new(&self.executable);
        program.current_dir(&self.folder).env("CARGO_MANIFEST_DIR", &self.folder).stdin(Stdio::null());
        program
    }

    /// Runs its tests, or only those with these names, one after the other.
    pub fn run(&self, only: &[String], environment: &[(&str, PathBuf)]) -> anyhow::Result<Said> {
        let mut program = self.command();
        program.envs(environment.iter().map(|(name, value)| (name, value)));
        if !only.is_empty() {
            program.arg("--exact").args(only).args(["--test-threads", "1"]);
        }
        let output =
            program.output().with_context(|| format!("{} does not start", self.executable.display()))?;
        let mut text = String::from_utf8_lossy(&output.stdout).into_owned();
        text.push_str(&String::from_utf8_lossy(&output.stderr));
        Ok(Said { text, passed: output.status.success() })
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn test_programs_are_told_from_other_artefacts() {
        let line = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/r/tests/Cargo.toml",
                   "target":{{"name":"safety"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let found = program(&line(true, "\"/t/safety-1\"")).unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.folder.as_path()), ("safety", Path::new("/r/tests")));
        for other in [line(false, "\"/t/reelgauge\""), line(true, "null"), "not JSON".to_owned()] {
            assert_eq!(program(&other).unwrap(), None);
        }
        assert!(program(&line(true, "\"/t/a\"").replace("manifest_path", "other")).is_err());
    }

    /// Whoever starts programs that do nothing but keep processors busy.
    #[test]
    fn nothing_runs_beside_those_that_fill_all_processors() {
        let programs = std::fs::read_dir(crate::root().join("tests/tests")).unwrap();
        let paths = programs.map(|entry| entry.unwrap().path());
        let filling = paths
            .filter(|path| std::fs::read_to_string(path).is_ok_and(|text| text.contains("busy::Busy")))
            .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned());
        let is_alone = |name: &str| Program::end_to_end(name).beside() == Some(Beside::Nothing);
        let beside: Vec<String> = filling.filter(|name| !is_alone(name)).collect();
        assert!(beside.is_empty(), "{beside:?}");
    }

    /// Inside a program they take turns, so that is how they are known.
    #[test]
    fn those_that_take_turns_are_those_that_measure() {
        let mut taking_turns = Vec::new();
        for entry in std::fs::read_dir(crate::root().join("tests/tests")).unwrap() {
            let path = entry.unwrap().path();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            if is_rust && std::fs::read_to_string(&path).unwrap().contains("my_turn()") {
                taking_turns.push(path.file_stem().unwrap().to_str().unwrap().to_owned());
            }
        }
        taking_turns.sort();
        let mut measuring = MEASURING.map(|(name, _)| name.to_owned());
        measuring.sort();
        assert_eq!(taking_turns, measuring);
    }

    #[test]
    fn a_program_that_fails_says_why() {
        let program = Program { name: "sh".into(), executable: "/bin/false".into(), folder: "/".into() };
        assert!(!program.run(&[], &[]).unwrap().passed);
        let gone = Program { executable: "/nothing/here".into(), ..program };
        assert!(gone.run(&[], &[]).is_err());
    }
}
