//! What cargo starts as the compiler of the workspace's own crates, so that one build compiles and lints.
//!
//! `cargo clippy` beside `cargo build` checks every dependency and reads every crate once more. Clippy's own
//! compiler lints as it compiles, but leaves out what the compiler's middle optimises, and tests that compute
//! take three times as long with that. So it compiles the crates that are not optimised anyway, and most
//! tests: optimising those takes longer than running them. All others are compiled as always, and linted
//! behind that where they are compiled with their tests.
//!
//! Not here: what is built, and what becomes of it ([`crate::suite`]).

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

use anyhow::{Context, bail};

/// Where this variable is set, this program is a compiler: the folder for what linting alone leaves.
const VARIABLE: &str = "REELGAUGE_LINTING";

const WARNINGS_FAIL: [&str; 2] = ["-D", "warnings"];

/// The crates whose tests compute for longer than optimising them takes.
const COMPUTING: [&str; 4] =
    ["reelgauge_analysis", "reelgauge_engine", "reelgauge_workload", "known_latencies"];

/// This program as the compiler of the workspace's own crates.
pub struct Linting {
    /// A copy of this program: what is built replaces the program itself.
    compiler: PathBuf,
    /// For what linting alone leaves.
    left: PathBuf,
}

impl Linting {
    /// Puts the copy where cargo will start it.
    pub fn prepare() -> anyhow::Result<Linting> {
        let left = crate::target_dir().join("linted");
        std::fs::create_dir_all(&left)?;
        let compiler = left.join("compiler");
        if compiler.exists() {
            std::fs::remove_file(&compiler)?;
        }
        std::fs::copy(std::env::current_exe()?, &compiler)?;
        Ok(Linting { compiler, left })
    }

    /// Cargo that compiles so.
    pub fn cargo(&self) -> Command {
        let mut cargo = crate::cargo();
        cargo.env("RUSTC_WORKSPACE_WRAPPER", &self.compiler).env(VARIABLE, &self.left);
        cargo
    }
}

/// Compiles and lints where cargo started this program for that; `None` where somebody asks for a chore.
pub fn as_compiler() -> Option<ExitCode> {
    let left = std::env::var_os(VARIABLE)?;
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    // Cargo names the compiler first; what else has the variable is a chore that a chore started.
    let (compiler, arguments) = arguments.split_first().filter(|(first, _)| is_compiler(first))?;
    Some(match compile(compiler, arguments, Path::new(&left)) {
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

fn compile(compiler: &OsString, arguments: &[OsString], left: &Path) -> anyhow::Result<()> {
    let words: Vec<&str> = arguments.iter().filter_map(|word| word.to_str()).collect();
    match Way::of(&words) {
        Way::Asked => succeed(Command::new(compiler).args(arguments)),
        Way::Together => succeed(linter(compiler).args(arguments).args(["-C", "opt-level=0"])),
        Way::Alone => succeed(Command::new(compiler).args(WARNINGS_FAIL).args(arguments)),
        Way::Behind => {
            succeed(Command::new(compiler).args(WARNINGS_FAIL).args(arguments))?;
            succeed(linter(compiler).args(linting_only(&words, left)))
        }
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
    /// The compiler compiles it, and the linter has it afterwards.
    Behind,
}

impl Way {
    fn of(words: &[&str]) -> Way {
        if !words.iter().any(|word| word.starts_with("--emit=")) {
            return Way::Asked;
        }
        match words.iter().find_map(|word| word.strip_prefix("opt-level=")) {
            None | Some("0") => Way::Together,
            Some(_) if !words.contains(&"--test") => Way::Alone,
            Some(_) if words.iter().any(|word| COMPUTING.contains(word)) => Way::Behind,
            Some(_) => Way::Together,
        }
    }
}

/// Clippy's compiler, for which every warning is an error.
fn linter(compiler: &OsString) -> Command {
    let mut command = Command::new("clippy-driver");
    command.arg(compiler).args(WARNINGS_FAIL);
    command
}

/// The same for whoever only lints: what comes out goes elsewhere, and cargo hears nothing of it.
fn linting_only(words: &[&str], left: &Path) -> Vec<OsString> {
    let mut only = Vec::new();
    let mut is_folder = false;
    for (at, word) in words.iter().enumerate() {
        let is_incremental = |word: &str| word.starts_with("incremental=");
        let next_is_incremental = *word == "-C" && words.get(at + 1).is_some_and(|next| is_incremental(next));
        if std::mem::take(&mut is_folder) {
            only.push(left.into());
        } else if word.starts_with("--emit=") {
            only.push("--emit=metadata".into());
        } else if let Some(told) = word.strip_prefix("--json=") {
            let told: Vec<&str> = told.split(',').filter(|what| *what != "artifacts").collect();
            only.push(format!("--json={}", told.join(",")).into());
        } else if !is_incremental(word) && !next_is_incremental {
            is_folder = *word == "--out-dir";
            only.push(word.into());
        }
    }
    only
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

    const OPTIMISED: [&str; 14] = [
        "--crate-name",
        "reelgauge_engine",
        "--json=diagnostic-rendered-ansi,artifacts,future-incompat",
        "--emit=dep-info,metadata,link",
        "--test",
        "-C",
        "opt-level=1",
        "-C",
        "incremental=/t/incremental",
        "--out-dir",
        "/t/deps",
        "-C",
        "extra-filename=-1",
        "src/lib.rs",
    ];

    #[test]
    fn what_is_optimised_is_compiled_by_the_compiler() {
        assert_eq!(Way::of(&OPTIMISED), Way::Behind);
        let without =
            |part: &str| OPTIMISED.into_iter().filter(|word| !word.starts_with(part)).collect::<Vec<_>>();
        assert_eq!(Way::of(&without("opt-level")), Way::Together);
        assert_eq!(Way::of(&without("--test")), Way::Alone);
        let of_few_sums = OPTIMISED.map(|word| if word == "reelgauge_engine" { "any" } else { word });
        assert_eq!(Way::of(&of_few_sums), Way::Together);
        assert_eq!(Way::of(&["--emit=link", "-C", "opt-level=0"]), Way::Together);
        assert_eq!(Way::of(&["-vV"]), Way::Asked);
        assert_eq!(Way::of(&["-", "--crate-name", "___", "--print=file-names"]), Way::Asked);
    }

    #[test]
    fn what_only_lints_leaves_nothing_where_cargo_looks() {
        let only = linting_only(&OPTIMISED, Path::new("/t/linted"));
        let expected = [
            "--crate-name",
            "reelgauge_engine",
            "--json=diagnostic-rendered-ansi,future-incompat",
            "--emit=metadata",
            "--test",
            "-C",
            "opt-level=1",
            "--out-dir",
            "/t/linted",
            "-C",
            "extra-filename=-1",
            "src/lib.rs",
        ];
        assert_eq!(only, expected.map(OsString::from));
    }

    #[test]
    fn a_chore_is_no_compiler() {
        assert!(is_compiler(&"/home/a/.rustup/bin/rustc".into()) && is_compiler(&"rustc".into()));
        assert!(!is_compiler(&"test".into()) && !is_compiler(&"tidy".into()));
    }
}
