//! The test programs that cargo built, and running one of them as cargo does.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, bail};
use serde_json::Value;

use crate::command;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name of its target: `timed`, `reelgauge_report` for that crate's unit tests.
    pub name: String,
    executable: PathBuf,
    /// The folder of its package, in which it runs.
    folder: PathBuf,
}

/// The output of a program, and whether all its tests passed.
pub struct Said {
    /// Standard output, followed by standard error.
    pub text: String,
    /// Whether its exit status was 0.
    pub passed: bool,
}

/// Builds with this cargo command and returns the test programs. The same build makes the binary for the
/// end-to-end tests, which avoids compiling every crate twice.
pub fn build(mut cargo: Command) -> anyhow::Result<Vec<Program>> {
    cargo.arg("--message-format=json-render-diagnostics");
    let mut programs = Vec::new();
    for line in command::lines(&mut cargo)? {
        programs.extend(program(&line)?);
    }
    if programs.is_empty() {
        bail!("cargo built no test program");
    }
    Ok(programs)
}

/// The program that a line of cargo's JSON names; none in any other line.
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
    /// An end-to-end program with this name, for tests. It can't be run.
    #[cfg(test)]
    pub fn end_to_end(name: &str) -> Program {
        Program { name: name.into(), executable: "/nothing/here".into(), folder: crate::root().join("tests") }
    }

    /// Whether it contains end-to-end tests. Unit tests of their beds are a program in the same folder.
    pub fn is_end_to_end(&self) -> bool {
        self.folder.ends_with("tests") && self.name != "reelgauge_tests"
    }

    /// The folder of its package, from the root.
    pub fn folder(&self) -> &Path {
        self.folder.strip_prefix(crate::root()).unwrap_or(&self.folder)
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

    /// Runs its tests, or only those with these names. `alone` runs them one after the other.
    pub fn run(&self, only: &[String], alone: bool, environment: &[(&str, PathBuf)]) -> anyhow::Result<Said> {
        let mut program = self.command();
        program.envs(environment.iter().map(|(name, value)| (name, value)));
        if !only.is_empty() {
            program.arg("--exact").args(only);
        }
        if alone {
            program.args(["--test-threads", "1"]);
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
    fn only_test_programs_are_taken_from_the_artefacts() {
        let line = |test: bool, executable: &str| {
            format!(
                r#"{{"reason":"compiler-artifact","manifest_path":"/r/tests/Cargo.toml",
                   "target":{{"name":"untimed"}},"profile":{{"test":{test}}},"executable":{executable}}}"#
            )
        };
        let found = program(&line(true, "\"/t/untimed-1\"")).unwrap().unwrap();
        assert_eq!((found.name.as_str(), found.folder.as_path()), ("untimed", Path::new("/r/tests")));
        for other in [line(false, "\"/t/reelgauge\""), line(true, "null"), "not JSON".to_owned()] {
            assert_eq!(program(&other).unwrap(), None);
        }
        assert!(program(&line(true, "\"/t/a\"").replace("manifest_path", "other")).is_err());
    }

    #[test]
    fn failed_program_has_a_reason() {
        let program = Program { name: "sh".into(), executable: "/bin/false".into(), folder: "/".into() };
        assert!(!program.run(&[], false, &[]).unwrap().passed);
        let gone = Program { executable: "/nothing/here".into(), ..program };
        assert!(gone.run(&[], false, &[]).is_err());
    }
}
