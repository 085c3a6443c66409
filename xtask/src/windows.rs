//! The Windows program, built on Linux and tested under wine.
//!
//! It is built without optimisation: no test judges its speed, and the build takes half as long. The build
//! also fails on warnings of code that only Windows has.

use std::path::PathBuf;
use std::process::Command;

use crate::command;
use crate::cross;
use crate::linting::Linting;
use crate::packages::{self, WINDOWS_TARGET, missing_targets};
use crate::step::Outcome;
use crate::suite::Suite;

/// The compiler and linker of C code for Windows.
const COMPILER: &str = "x86_64-w64-mingw32-gcc";
const WINE: &str = "wine";

/// Builds the program and tests it. `are_tests_built`: the linting compiler of this run builds the tests.
pub fn test(are_tests_built: bool) -> anyhow::Result<Outcome> {
    if !has_tools() {
        packages::debian()?;
    }
    if !has_tools() {
        return cross::missing("apt-get install gcc-mingw-w64-x86-64 wine wine64".to_owned());
    }
    if missing_targets()?.contains(&WINDOWS_TARGET) {
        return cross::missing(format!("rustup target add {WINDOWS_TARGET}"));
    }
    build()?;
    let linting = if are_tests_built { Linting::prepared() } else { Linting::prepare()? };
    let suite = Suite::of_windows(linting)?;
    let _prefix = Prefix::start()?;
    suite.run_without_examples()
}

fn has_tools() -> bool {
    command::exists(COMPILER) && command::exists(WINE)
}

/// Builds the program, and next to it a library that older versions of wine lack.
fn build() -> anyhow::Result<()> {
    let mut build = crate::cargo_aside();
    cross::product(&mut build, "build").args(["--target", WINDOWS_TARGET]);
    command::run(build.env("CARGO_PROFILE_DEV_DEBUG", "false"))?;
    let library = crate::target_dir().join(WINDOWS_TARGET).join("debug/bcryptprimitives.dll");
    let mut compile = Command::new(COMPILER);
    compile.args(["-shared", "-O2", "-o"]).arg(library);
    command::run(compile.arg(crate::root().join("tests/windows/bcryptprimitives.c")).arg("-ladvapi32"))
}

/// Wine's registry and drives, with its server running. Dropping it ends every program under wine.
struct Prefix(PathBuf);

impl Prefix {
    /// Makes the prefix unless this version of wine has made it.
    fn start() -> anyhow::Result<Prefix> {
        let prefix = Prefix(crate::target_dir().join("wine"));
        let version = command::output(Command::new(WINE).arg("--version"))?;
        let stamp = prefix.0.join("made-by");
        if std::fs::read_to_string(&stamp).is_ok_and(|made_by| made_by == version) {
            return Ok(prefix);
        }
        if prefix.0.exists() {
            std::fs::remove_dir_all(&prefix.0)?;
        }
        command::run(prefix.command(WINE).args(["wineboot", "--init"]))?;
        command::run(prefix.command("wineserver").arg("--wait"))?;
        std::fs::write(stamp, version)?;
        Ok(prefix)
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("WINEPREFIX", &self.0).env("WINEDEBUG", "-all");
        // Neither menu entries nor dialogs that offer to install .NET or a browser.
        command.env("WINEDLLOVERRIDES", "winemenubuilder.exe,mscoree,mshtml=");
        command
    }
}

impl Drop for Prefix {
    fn drop(&mut self) {
        // It fails if no program runs under wine, which is as good.
        drop(command::output(self.command("wineserver").arg("--kill")));
    }
}
