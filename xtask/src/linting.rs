//! The compiler wrapper that cargo starts for the workspace's own crates, so that one build compiles and
//! lints.
//!
//! Running `cargo clippy` in addition to `cargo build` would check every dependency and read every crate
//! twice. Clippy's own compiler lints as it compiles, but skips the optimisations on MIR. So it compiles
//! all tests, and every crate with its tests: optimising those takes longer than running them. A test
//! with a long computation is a separate program of its crate (`tests/`), because the crate is optimised
//! there. The crates themselves are compiled as always.
//!
//! [`crate::suite`] decides what is built, and uses the results.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

/// If this variable is set, this program acts as a compiler.
const VARIABLE: &str = "REELGAUGE_LINTING";

const WARNINGS_FAIL: [&str; 2] = ["-D", "warnings"];

/// This program, acting as the compiler of the workspace's own crates.
#[derive(Clone)]
pub struct Linting {
    /// A copy of this program, because the build replaces the program itself.
    compiler: PathBuf,
}

impl Linting {
    /// The copy of the build before, which other commands may be using.
    pub fn prepared() -> Linting {
        Linting { compiler: crate::target_dir().join("linting-compiler") }
    }

    /// Puts the copy where cargo starts it.
    pub fn prepare() -> anyhow::Result<Linting> {
        let Linting { compiler } = Linting::prepared();
        if compiler.exists() {
            std::fs::remove_file(&compiler)?;
        }
        std::fs::copy(std::env::current_exe()?, &compiler)?;
        Ok(Linting { compiler })
    }

    /// A cargo command that compiles with the wrapper.
    pub fn cargo(&self) -> Command {
        let mut cargo = crate::cargo();
        cargo.env("RUSTC_WORKSPACE_WRAPPER", &self.compiler).env(VARIABLE, "1");
        cargo
    }
}

/// Compiles and lints if cargo started this program as a compiler; `None` if a chore was requested.
pub fn as_compiler() -> Option<ExitCode> {
    std::env::var_os(VARIABLE)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Cargo passes the compiler first. Without it, a chore inherited the variable from another chore.
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
    /// Not at all: cargo only queries the compiler.
    Asked,
    /// The linter compiles it, without optimisation.
    Together,
    /// The compiler compiles it. The linter sees the crate when it is compiled with its tests.
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
    fn linter_covers_every_crate_with_its_tests() {
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
