//! The chores of this repository, as `cargo xtask VERB`.
//!
//! `test` is the important one. It installs everything the tests need, runs all checks and reports at
//! the end which ran and which did not. `.ci/run` calls nothing else, so a green run here is a green run
//! there. The end-to-end tests are in `tests/`, the rules for the code base in [`tidy`].

mod command;
mod console;
mod cross;
mod linting;
mod memory_disk;
mod package;
mod packages;
mod pages;
mod playwright;
mod python;
mod size;
mod soak;
mod step;
mod suite;
mod test;
mod tidy;
mod windows;
mod words;

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// Printed by `cargo xtask` for help, or if the verb is unknown.
const USAGE: &str = "\
usage: cargo xtask VERB

  test [--quick] [--only STEP]...  every check there is; --quick leaves out the end-to-end tests,
                                   the other platforms and everything that has to be installed
  test --changed[=BRANCH]          what the change since origin/main, or since BRANCH, can break;
       [--quick]                   with --quick without end-to-end tests
  tidy                             the rules for the code base alone
  bench [ARGS]...                  side-by-side benchmarks; ARGS go to the benchmark program
  bundle                           builds console/dist/reelgauge.html, which is committed
  types                            writes the console's types, console/src/data/generated.ts, from the Rust ones
  size [DIR]                       lines of code and assertions by crate, of this checkout or another
  words [--sentences|--avoided]    sentences and words to avoid: counted, or listed
        [DIR]
  package [--target TARGET]...     archives, installers, wheel, manifests, checksums, signature in
       [--profile NAME] [--out DIR] target/package; --binary: of a program built before
       [--binary FILE] [--key FILE] --downloads: the address that manifests name
       [--downloads URL] [--sign PROGRAM]
  soak [--rounds N] [--only NAME]  the fault tests again and again, to find what happens rarely
";

fn main() -> ExitCode {
    if let Some(ended) = linting::as_compiler() {
        return ended;
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (verb, rest) = match arguments.split_first() {
        Some((verb, rest)) => (verb.as_str(), rest),
        None => ("help", &[][..]),
    };
    let outcome = match verb {
        "test" => test::run(rest),
        "tidy" => tidy::run(),
        "bench" => bench(rest),
        "bundle" => console::bundle(),
        "types" => console::types(),
        "size" => size::run(rest),
        "words" => words::run(rest),
        "package" => package::run(rest),
        "soak" => soak::run(rest),
        "help" | "--help" | "-h" => {
            print!("{USAGE}");
            Ok(true)
        }
        unknown => Err(anyhow::anyhow!("there is no chore '{unknown}'\n{USAGE}")),
    };
    match outcome {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::from(2)
        }
    }
}

/// The repository's root folder.
fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."))
}

/// The folder where cargo builds, and where this program keeps files for the tests.
fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// The program that the tests run, once it has been built.
fn debug_binary() -> PathBuf {
    target_dir().join("debug/reelgauge")
}

/// The cargo that runs this program.
fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The same at a low priority, for work that runs in parallel with tests.
fn cargo_aside() -> Command {
    let cargo = cargo();
    let mut command = Command::new("nice");
    command.args(["-n", "19"]).arg(cargo.get_program()).current_dir(root());
    command
}

/// Benchmarks are meaningful only in a release build.
fn bench(arguments: &[String]) -> anyhow::Result<bool> {
    let mut command = cargo();
    command.args(["run", "--release", "--package", "reelgauge-benches", "--"]).args(arguments);
    Ok(command.status()?.success())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    /// The text of a file of the repository.
    fn text(path: &str) -> String {
        std::fs::read_to_string(crate::root().join(path)).unwrap()
    }

    /// The commands of the README's section, without their comments.
    fn readme_commands(section: &str) -> Vec<String> {
        let readme = text("README.md");
        let (_, section) = readme.split_once(&format!("## {section}\n")).unwrap();
        let block = section.split("```sh\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
        let commands = block.lines().map(|line| line.split('#').next().unwrap_or_default().trim().to_owned());
        commands.collect()
    }

    #[test]
    fn the_readme_has_two_commands_and_ci_runs_the_second() {
        let commands = readme_commands("Try it");
        assert_eq!(commands, ["cargo run --release -- check .", "cargo xtask test"]);
        let ci = text(".ci/run");
        let run = ci.lines().rfind(|line| !line.trim().is_empty() && !line.starts_with('#'));
        assert_eq!(run, Some(format!("exec {} </dev/null", commands[1]).as_str()));
    }
}
