//! What cargo starts as the compiler of the workspace's own crates, so that one build compiles and lints.
//!
//! `cargo clippy` beside `cargo build` checks every dependency and reads every crate once more. Clippy's own
//! compiler lints as it compiles, but leaves out what the compiler's middle optimises. So it compiles all
//! tests, since optimising those takes longer than running them, and with them has every crate. A test that
//! computes for long is a program of its own behind its crate (`tests/`), where the crate is optimised. The
//! crates themselves are compiled as always.
//!
//! Not here: what is built, and what becomes of it ([`crate::suite`]).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

/// Where this variable is set, this program is a compiler.
const VARIABLE: &str = "REELGAUGE_LINTING";

const WARNINGS_FAIL: [&str; 2] = ["-D", "warnings"];

/// This program as the compiler of the workspace's own crates.
#[derive(Clone)]
pub struct Linting {
    /// A copy of this program: what is built replaces the program itself.
    compiler: PathBuf,
}

impl Linting {
    /// Puts the copy where cargo will start it.
    pub fn prepare() -> anyhow::Result<Linting> {
        let compiler = crate::target_dir().join("linting-compiler");
        if compiler.exists() {
            std::fs::remove_file(&compiler)?;
        }
        std::fs::copy(std::env::current_exe()?, &compiler)?;
        Ok(Linting { compiler })
    }

    /// Cargo that compiles so.
    pub fn cargo(&self) -> Command {
        let mut cargo = crate::cargo();
        cargo.env("RUSTC_WORKSPACE_WRAPPER", &self.compiler).env(VARIABLE, "1");
        cargo
    }
}

/// Compiles and lints where cargo started this program for that; `None` where somebody asks for a chore.
pub fn as_compiler() -> Option<ExitCode> {
    std::env::var_os(VARIABLE)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Cargo names the compiler first; what else has the variable is a chore that a chore started.
    let (compiler, arguments) = arguments.split_first().filter(|(first, _)| is_compiler(first))?;
    Some(match compile(compiler, arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    })
}

fn is_compiler(word: &OsString) -> bool {
    Path::new(word).file_stem().is_some_and(|stem| stem == "rustc")
}

fn compile(compiler: &OsString, arguments: &[OsString]) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match Way::of(&words) {
        Way::Asked => succeed(Command::new(compiler).args(arguments)),
        Way::Together => succeed(linter(compiler).args(arguments).args(["-C", "opt-level=0"])),
        Way::Alone => succeed(Command::new(compiler).args(WARNINGS_FAIL).args(arguments)),
    }
}

/// How a crate is compiled.
#[derive(Debug, PartialEq, Eq)]
enum Way {
    /// Not at all: cargo asks the compiler something.
    Asked,
    /// The linter compiles it, and optimises nothing.
    Together,
    /// The compiler compiles it: the linter has it when it is compiled with its tests.
    Alone,
}

impl Way {
    fn of(words: &[&str]) -> Way {
        let has_tests = |word: &&str| ["src/lib.rs", "src/main.rs"].iter().any(|root| word.ends_with(root));
        if !words.iter().any(|word| word.starts_with("--emit=")) {
            Way::Asked
        } else if !words.contains(&"--test") && words.iter().any(has_tests) {
            Way::Alone
        } else {
            Way::Together
        }
    }
}

/// Clippy's compiler, for which every warning is an error.
fn linter(compiler: &OsString) -> Command {
    let mut command = Command::new("clippy-driver");
    command.arg(compiler).args(WARNINGS_FAIL);
    command
}

fn succeed(command: &mut Command) -> anyhow::Result<()> {
    let name = command.get_program().to_string_lossy().into_owned();
    let status = command.status().with_context(|| format!("cannot start {name}"))?;
    if !status.success() {
        bail!("{name} ended with {status}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_linter_has_every_crate_with_its_tests_and_what_has_none() {
        let way = |words: &str| Way::of(&words.split(' ').collect::<Vec<_>>());
        let lib = "--crate-name reelgauge_engine crates/engine/src/lib.rs --emit=metadata,link";
        assert_eq!(way(lib), Way::Alone);
        assert_eq!(way(&format!("{lib} --test")), Way::Together);
        assert_eq!(way("xtask/src/main.rs --emit=link"), Way::Alone);
        assert_eq!(way("tests/tests/timed/main.rs --emit=link --test"), Way::Together);
        assert_eq!(way("crates/record/examples/log_cost.rs --emit=link -C opt-level=1"), Way::Together);
        assert_eq!(way("-vV"), Way::Asked);
        assert_eq!(way("- --crate-name ___ --print=file-names"), Way::Asked);
    }

    #[test]
    fn a_chore_is_no_compiler() {
        assert!(is_compiler(&"/home/a/.rustup/bin/rustc".into()) && is_compiler(&"rustc".into()));
        assert!(!is_compiler(&"test".into()) && !is_compiler(&"tidy".into()));
    }
}
