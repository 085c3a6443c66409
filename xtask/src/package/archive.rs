//! Archives: tarballs, zip files and wheels.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::Context;

use super::platform::{Platform, System};
use super::program::Program;
use super::release::{self, Release};
use super::template;
use crate::command;

/// The program with its contents: a zip file for Windows, a tarball for others.
pub fn tarball_or_zip(
    release: &Release,
    platform: &Platform,
    program: &Program,
    contents: &Path,
) -> anyhow::Result<()> {
    let tree = release.work(platform.label)?.join("tree");
    release::empty(&tree)?;
    let folder = tree.join(release.name(platform.label, ""));
    copy_folder(contents, &folder)?;
    std::fs::copy(&program.path, folder.join(platform.program()))?;
    release.normalize(&tree)?;
    match platform.system {
        System::Windows => python(release, "zip", &release.name(platform.label, ".zip"), &folder, &[]),
        System::Linux | System::MacOs => tarball(release, &release.name(platform.label, ".tar.gz"), &folder),
    }
}

/// The symbols, for readers of backtraces.
pub fn symbols(release: &Release, platform: &Platform, program: &Program) -> anyhow::Result<()> {
    let Some(symbols) = &program.symbols else { return Ok(()) };
    release.normalize(symbols)?;
    tarball(release, &release.name(platform.label, "-symbols.tar.gz"), symbols)
}

/// A Python wheel that installs the program as a script.
pub fn wheel(
    release: &Release,
    platform: &Platform,
    program: &Program,
    contents: &Path,
) -> anyhow::Result<()> {
    let folder = release.work(platform.label)?.join("wheel");
    release::empty(&folder)?;
    let named = |part: &str| folder.join(format!("reelgauge-{}.{part}", release.version));
    let (scripts, info) = (named("data/scripts"), named("dist-info"));
    for folder in [&scripts, &info, &named("data/data/share/man")] {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::copy(&program.path, scripts.join(platform.program()))?;
    copy_folder(&contents.join("man"), &named("data/data/share/man/man1"))?;
    copy_folder(&contents.join("licences"), &info.join("licenses"))?;
    std::fs::create_dir_all(info.join("sboms"))?;
    std::fs::rename(info.join("licenses/sbom.cdx.json"), info.join("sboms/reelgauge.cdx.json"))?;
    template::write(release, Path::new("wheel-metadata"), &info.join("METADATA"), &[])?;
    let tag = format!("py3-none-{}", platform.wheel);
    python(release, "wheel", &format!("reelgauge-{}-{tag}.whl", release.version), &folder, &[&tag])
}

/// Packs a file or folder. GNU tar sorts the names and replaces owners and times.
pub fn tarball(release: &Release, name: &str, content: &Path) -> anyhow::Result<()> {
    let folder = content.parent().context("nothing to pack")?;
    let mut tar = Command::new("tar");
    tar.args(["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "--format=ustar"]);
    tar.arg(format!("--mtime=@{}", release.epoch))
        .arg(format!("--use-compress-program=gzip --no-name -{}", release.level()));
    tar.arg("--create").arg("--file").arg(release.package(name));
    tar.arg("--directory").arg(folder).arg(content.file_name().context("nothing to pack")?);
    command::run(&mut tar)
}

fn python(
    release: &Release,
    kind: &str,
    name: &str,
    folder: &Path,
    arguments: &[&str],
) -> anyhow::Result<()> {
    let mut python = release.tool("python3");
    python.env("LEVEL", release.level());
    python.arg("packaging/archive.py").arg(kind).arg(release.package(name)).arg(folder).args(arguments);
    command::run(&mut python)
}

/// Copies a folder with all that is in it.
pub fn copy_folder(from: &Path, to: &Path) -> anyhow::Result<()> {
    std::fs::create_dir_all(to).with_context(|| to.display().to_string())?;
    for entry in std::fs::read_dir(from).with_context(|| from.display().to_string())? {
        let path: PathBuf = entry?.path();
        let copy = to.join(path.file_name().context("a file without a name")?);
        match path.is_dir() {
            true => copy_folder(&path, &copy)?,
            false => drop(std::fs::copy(&path, &copy)?),
        }
    }
    Ok(())
}
