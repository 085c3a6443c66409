//! Programs of others that tests run and no package has new enough: nats-server, through Go's module proxy.
//!
//! It lies in the target folder and is made again only when the pinned version changes. Where it can't be had
//! (no Go, no proxy), the file `nats-server.missing` beside it says why, and the tests of fleets are skipped.

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::command;
use crate::step::Outcome;

/// The server of fleets: Debian's is too old to begin with TLS.
const NATS_SERVER: &str = "github.com/nats-io/nats-server/v2";
/// Its version.
const NATS_VERSION: &str = "v2.15.2";

/// Where the programs are.
fn folder() -> PathBuf {
    crate::target_dir().join("tools")
}

/// Makes the programs if they are not there yet.
pub fn prepare() -> anyhow::Result<Outcome> {
    let missing = folder().join("nats-server.missing");
    std::fs::create_dir_all(folder())?;
    let _ = std::fs::remove_file(&missing);
    match install() {
        Ok(()) => Ok(Outcome::Passed),
        Err(error) => {
            let why = format!("nats-server can't be had here: {error:#}");
            std::fs::write(missing, &why)?;
            Ok(Outcome::Skipped(why))
        }
    }
}

fn install() -> anyhow::Result<()> {
    let program = folder().join("nats-server");
    let is_right = command::output(Command::new(&program).arg("--version"))
        .is_ok_and(|said| said.trim() == format!("nats-server: {NATS_VERSION}"));
    if is_right {
        println!("{} is up to date", program.display());
        return Ok(());
    }
    let mut go = Command::new(go().context("there is no Go to build it with")?);
    go.args(["install", "-trimpath", &format!("{NATS_SERVER}@{NATS_VERSION}")]);
    command::run(go.env("GOBIN", folder()).env("CGO_ENABLED", "0"))
}

/// Go, on the PATH or where its archive goes.
fn go() -> Option<PathBuf> {
    if command::exists("go") {
        return Some("go".into());
    }
    let usual = PathBuf::from("/usr/local/go/bin/go");
    usual.is_file().then_some(usual)
}
