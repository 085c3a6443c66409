//! The files that accompany the program in every package: manual pages, completions, licences, and the
//! list of its components.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use super::platform::{Platform, System};
use super::program::Program;
use super::release::Release;
use super::{notices, release};
use crate::command;

/// Completions: the shell, and the file's name.
const COMPLETIONS: [(&str, &str); 4] = [
    ("bash", "reelgauge.bash"),
    ("zsh", "_reelgauge"),
    ("fish", "reelgauge.fish"),
    ("powershell", "_reelgauge.ps1"),
];

/// Collects them in a folder `man`, `completions`, `licences`.
pub fn collect(release: &Release, platform: &Platform, program: &Program) -> anyhow::Result<PathBuf> {
    let folder = release.work(platform.label)?.join("contents");
    release::empty(&folder)?;
    for name in ["completions", "licences"] {
        std::fs::create_dir_all(folder.join(name))?;
    }
    let printer = printer(platform, program)?;
    command::run(Command::new(&printer).arg("man").arg("--out").arg(folder.join("man")))?;
    for (shell, name) in COMPLETIONS {
        let text = command::output(Command::new(&printer).args(["completions", shell]))?;
        std::fs::write(folder.join("completions").join(name), text)?;
    }
    let licences = folder.join("licences");
    for name in ["LICENSE-MIT", "LICENSE-APACHE"] {
        std::fs::copy(crate::root().join(name), licences.join(name))?;
    }
    let components = notices::components(platform)?;
    notices::write(&components, &licences.join("THIRD-PARTY.txt"))?;
    notices::write_components(release, &components, &licences.join("sbom.cdx.json"))?;
    release.normalize(&folder)?;
    release.normalize(&program.path)?;
    Ok(folder)
}

/// A program that runs here and prints the documents: the platform's own if it can, otherwise one that
/// was built for this computer.
fn printer(platform: &Platform, program: &Program) -> anyhow::Result<PathBuf> {
    let runs = |path: &Path| command::output(Command::new(path).arg("--version")).is_ok();
    let is_native = platform.system == System::Linux && platform.label.starts_with(std::env::consts::ARCH);
    if is_native {
        ensure!(runs(&program.path), "{} does not start", program.path.display());
        return Ok(program.path.clone());
    }
    let native = ["x86_64-unknown-linux-musl/dist", "x86_64-unknown-linux-musl/release", "release", "debug"];
    let built = native.iter().map(|folder| crate::target_dir().join(folder).join("reelgauge"));
    built.into_iter().find(|path| runs(path)).context("build the program for this computer first")
}
