//! The console: its types, its tests, and whether the committed bundle matches its sources.
//!
//! Building Reelgauge needs no Node, because `console/dist/reelgauge.html` is committed. These steps do.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context, ensure};

use crate::command;
use crate::playwright;
use crate::step::{Outcome, not_here};

/// The oldest Node version that the build tools support: major, minor.
const OLDEST_NODE: (u32, u32) = (20, 19);

/// The path of the committed bundle.
const BUNDLE: &str = "dist/reelgauge.html";

/// Types, unit tests, and the bundle.
pub fn check() -> anyhow::Result<Outcome> {
    if let Some(why) = without_node() {
        return not_here(why);
    }
    install()?;
    command::run(&mut tool("tsc", &["--noEmit"]))?;
    command::run(&mut tool("vitest", &["run"]))?;
    bundle_is_current()?;
    Ok(Outcome::Passed)
}

/// The application in a real browser: reports as files, and the console with a real run. Uses the tests'
/// binary, or builds one if they were not built.
pub fn browser(is_built: bool) -> anyhow::Result<Outcome> {
    if let Some(why) = without_node() {
        return not_here(why);
    }
    if !command::exists("chromium-headless-shell") {
        return not_here("Chromium's headless shell is not installed".to_owned());
    }
    install()?;
    if !is_built {
        command::run(crate::cargo().args(["build", "--locked", "--package", "reelgauge"]))?;
    }
    playwright::run(|| {
        let mut tests = tool("playwright", &["test"]);
        tests.env("REELGAUGE_BIN", crate::debug_binary());
        tests
    })
}

/// Rebuilds the committed bundle.
pub fn bundle() -> anyhow::Result<bool> {
    install()?;
    command::run(&mut tool("vite", &["build"]))?;
    println!("built console/{BUNDLE}; commit it");
    Ok(true)
}

/// Regenerates the committed files that are made from the Rust types: the application's types, and the
/// book's list of every figure. Tests of `reelgauge-console` and `reelgauge-report` check that both
/// files are current.
pub fn types() -> anyhow::Result<bool> {
    let mut test = crate::cargo();
    test.args(["test", "--locked", "--package", "reelgauge-console", "--lib"]);
    command::run(test.arg("typescript::the_committed").env("REELGAUGE_WRITE_TYPES", "1"))?;
    let mut book = crate::cargo();
    book.args(["test", "--locked", "--package", "reelgauge-report", "--test", "figures_book"]);
    command::run(book.env("REELGAUGE_WRITE_TYPES", "1"))?;
    println!("wrote console/src/data/generated.ts and docs/figures.md; commit them");
    Ok(true)
}

/// The reason why the console can't be checked here; `None` if it can.
fn without_node() -> Option<String> {
    let Ok(version) = command::output(Command::new("node").arg("--version")) else {
        return Some("Node is not installed".to_owned());
    };
    let (major, minor) = OLDEST_NODE;
    match node_version(&version) {
        Some(found) if found >= OLDEST_NODE => None,
        _ => Some(format!("Node {} is older than {major}.{minor}", version.trim())),
    }
}

/// Major and minor version out of `v20.20.2`.
fn node_version(text: &str) -> Option<(u32, u32)> {
    let mut numbers = text.trim().trim_start_matches('v').split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn dir() -> PathBuf {
    crate::root().join("console")
}

/// Installs the locked packages; repeated only when the lock file changes.
fn install() -> anyhow::Result<()> {
    let lock =
        std::fs::read(dir().join("package-lock.json")).context("cannot read the console's lock file")?;
    let stamp = dir().join("node_modules/.made-from");
    if std::fs::read(&stamp).is_ok_and(|made_from| made_from == lock) {
        return Ok(());
    }
    let mut npm = Command::new("npm");
    npm.args(["ci", "--no-audit", "--no-fund", "--ignore-scripts"]).current_dir(dir());
    // Tests drive the system's Chromium.
    npm.env("PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD", "1");
    command::run(&mut npm)?;
    std::fs::write(stamp, lock)?;
    Ok(())
}

/// A command of the console's own tools, in its folder.
fn tool(name: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new(dir().join("node_modules/.bin").join(name));
    command.args(arguments).current_dir(dir());
    command
}

/// Checks that a fresh build produces the committed bundle, byte for byte.
fn bundle_is_current() -> anyhow::Result<()> {
    let fresh_dir = crate::target_dir().join("console-dist");
    let mut vite = tool("vite", &["build", "--outDir"]);
    command::run(vite.arg(&fresh_dir).arg("--emptyOutDir"))?;
    let fresh = std::fs::read(fresh_dir.join("reelgauge.html"))?;
    let committed = std::fs::read(dir().join(BUNDLE)).context("the bundle is not there")?;
    ensure!(
        fresh == committed,
        "console/{BUNDLE} is not what the sources build to ({} and {} bytes); build it with 'cargo xtask bundle' \
         and commit it",
        committed.len(),
        fresh.len()
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_of_node_are_compared_as_numbers() {
        assert_eq!(node_version("v20.20.2\n"), Some((20, 20)));
        assert!(node_version("v22.3.0") > Some(OLDEST_NODE) && node_version("v20.9.0") < Some(OLDEST_NODE));
        assert_eq!(node_version("twenty"), None);
    }
}
