//! What all packages of a release share: version, time, folders, and the tools that make them.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime};

use anyhow::Context;

use super::options::Options;
use super::platform::System;
use crate::command;

pub struct Release {
    pub version: String,
    /// Seconds since 1970, the time of every file.
    pub epoch: u64,
    /// The folder of the packages.
    pub out: PathBuf,
    pub downloads: String,
    sign: Option<PathBuf>,
    /// Whether compression may be poor to be fast.
    pub fast: bool,
}

impl Release {
    /// Empties the folder of the packages.
    pub fn prepare(options: &Options) -> anyhow::Result<Release> {
        let epoch = match std::env::var("SOURCE_DATE_EPOCH") {
            Ok(epoch) => epoch,
            Err(_) => command::output(Command::new("git").current_dir(crate::root()).args([
                "log",
                "-1",
                "--format=%ct",
            ]))
            .context("no commit, so set SOURCE_DATE_EPOCH")?,
        };
        let epoch = epoch.trim().parse().with_context(|| format!("SOURCE_DATE_EPOCH is '{epoch}'"))?;
        let out = options.out.clone();
        for folder in [out.clone(), work(&out)] {
            empty(&folder)?;
        }
        let version = env!("CARGO_PKG_VERSION").to_owned();
        let (downloads, sign) = (options.downloads.clone(), options.sign.clone());
        Ok(Release { version, epoch, out, downloads, sign, fast: options.fast })
    }

    /// gzip's level of compression.
    pub fn level(&self) -> &'static str {
        if self.fast { "1" } else { "9" }
    }

    /// The path of a package.
    pub fn package(&self, name: &str) -> PathBuf {
        self.out.join(name)
    }

    /// The file name of an archive or installer.
    pub fn name(&self, label: &str, ending: &str) -> String {
        format!("reelgauge-{}-{label}{ending}", self.version)
    }

    /// A folder for intermediate files, next to the packages.
    pub fn work(&self, name: &str) -> anyhow::Result<PathBuf> {
        let folder = work(&self.out).join(name);
        std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
        Ok(folder)
    }

    /// A tool that makes packages, which takes their time from the environment. It is in the tests'
    /// Python environment or on the PATH.
    pub fn tool(&self, name: &str) -> Command {
        let own = crate::python::venv().join("bin").join(name);
        let mut tool = if own.is_file() { Command::new(own) } else { Command::new(name) };
        tool.current_dir(crate::root()).env("SOURCE_DATE_EPOCH", self.epoch.to_string()).env("TZ", "UTC");
        tool
    }

    /// Signs a program or an installer in place, if there is a program for that.
    pub fn sign(&self, system: System, path: &Path) -> anyhow::Result<()> {
        let system = match system {
            System::Windows => "windows",
            System::MacOs => "macos",
            System::Linux => return Ok(()),
        };
        match &self.sign {
            Some(sign) => command::run(Command::new(sign).arg(system).arg(path)),
            None => Ok(()),
        }
    }

    /// Gives a file, or every file of a folder, the release's time and ordinary permissions.
    pub fn normalize(&self, path: &Path) -> anyhow::Result<()> {
        let is_folder = path.is_dir();
        if is_folder {
            for entry in std::fs::read_dir(path)? {
                self.normalize(&entry?.path())?;
            }
        }
        let is_program = path.file_stem().is_some_and(|stem| stem == "reelgauge") && is_executable(path)?;
        set_mode(path, if is_folder || is_program { 0o755 } else { 0o644 })?;
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(self.epoch);
        std::fs::File::open(path)?.set_modified(time).with_context(|| path.display().to_string())
    }
}

/// The folder for intermediate files.
fn work(out: &Path) -> PathBuf {
    let mut name = out.as_os_str().to_owned();
    name.push("-work");
    PathBuf::from(name)
}

/// Creates a folder, or removes everything in it.
pub fn empty(folder: &Path) -> anyhow::Result<()> {
    if folder.exists() {
        std::fs::remove_dir_all(folder).with_context(|| folder.display().to_string())?;
    }
    std::fs::create_dir_all(folder).with_context(|| folder.display().to_string())
}

#[cfg(unix)]
fn is_executable(path: &Path) -> anyhow::Result<bool> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::metadata(path)?.permissions().mode() & 0o100 != 0)
}

#[cfg(unix)]
fn set_mode(path: &Path, mode: u32) -> anyhow::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    Ok(std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?)
}

#[cfg(not(unix))]
fn is_executable(_: &Path) -> anyhow::Result<bool> {
    Ok(false)
}

#[cfg(not(unix))]
fn set_mode(_: &Path, _: u32) -> anyhow::Result<()> {
    Ok(())
}
