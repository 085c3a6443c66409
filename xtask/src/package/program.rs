//! The released program: built, and split into the program without symbols and a file of symbols.
//!
//! A program for Linux or Windows names its file of symbols, so a backtrace has names if both are in one
//! folder. A released program larger than [`LARGEST_BYTES`] is an error.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, ensure};

use super::options::Options;
use super::platform::{Platform, System};
use super::release::Release;
use crate::command;

/// The largest permitted download.
const LARGEST_BYTES: u64 = 25_000_000;
/// The profile of releases.
const RELEASED: &str = "dist";

pub struct Program {
    pub path: PathBuf,
    /// Not for macOS.
    pub symbols: Option<PathBuf>,
}

/// Builds the program of a platform, or takes the one named on the command line.
pub fn make(release: &Release, platform: &Platform, options: &Options) -> anyhow::Result<Program> {
    let folder = release.work(platform.label)?;
    let built = match &options.binary {
        Some(binary) => binary.clone(),
        None => built(release, platform, &options.profile, &folder)?,
    };
    let program = match platform.system {
        System::MacOs => Program { path: copied(&built, &folder.join(platform.program()))?, symbols: None },
        System::Linux | System::Windows => split(&built, &folder, platform, release.epoch)?,
    };
    release.sign(platform.system, &program.path)?;
    let bytes = std::fs::metadata(&program.path)?.len();
    println!("{}: {}", program.path.display(), size(bytes));
    let is_released = options.binary.is_none() && options.profile == RELEASED;
    ensure!(
        is_small(bytes) || !is_released || platform.targets.len() > 1,
        "the program has {}, which is more than {}",
        size(bytes),
        size(LARGEST_BYTES)
    );
    Ok(program)
}

/// Builds for the platform's targets, and merges several programs into one.
fn built(release: &Release, platform: &Platform, profile: &str, folder: &Path) -> anyhow::Result<PathBuf> {
    let mut programs = Vec::new();
    for target in platform.targets {
        let mut build = crate::cargo();
        build.arg(if platform.zig { "zigbuild" } else { "build" });
        build.args(["--locked", "--package", "reelgauge", "--profile", profile, "--target", target]);
        build.env("RUSTFLAGS", flags(platform)?).env("PATH", path_with_tools()?);
        build.env("CFLAGS", format!("-ffile-prefix-map={}=/cargo", cargo_home()?.display()));
        command::run(build.env("SOURCE_DATE_EPOCH", release.epoch.to_string()))?;
        let folder = if profile == "dev" { "debug" } else { profile };
        programs.push(crate::target_dir().join(target).join(folder).join(platform.program()));
    }
    if let [one] = programs.as_slice() {
        return Ok(one.clone());
    }
    let merged = folder.join("merged");
    let lipo = ["llvm-lipo", "llvm-lipo-14"].into_iter().find(|name| command::exists(name));
    let lipo = lipo.context("no llvm-lipo; apt-get install llvm")?;
    command::run(Command::new(lipo).args(&programs).arg("-create").arg("-output").arg(&merged))?;
    Ok(merged)
}

/// The compiler's flags: no path of this computer remains in the program.
fn flags(platform: &Platform) -> anyhow::Result<String> {
    let mut flags = std::env::var("RUSTFLAGS").unwrap_or_else(|_| String::new());
    for (path, name) in [
        (crate::root().to_owned(), "/reelgauge".to_owned()),
        (crate::target_dir(), "/target".to_owned()),
        (cargo_home()?, "/cargo".to_owned()),
        standard_library()?,
    ] {
        flags.push_str(&format!(" --remap-path-prefix={}={name}", path.display()));
    }
    if platform.system == System::MacOs {
        // Stripping a signed program later would break its signature, so the linker strips.
        flags.push_str(" -Cstrip=none -Clink-arg=-Wl,-s");
        // Apple's frameworks cannot be had here: stubs name them, and macOS finds their symbols at start.
        // The path is relative to the root, where cargo links, because flags change the program's names.
        flags.push_str(" -Clink-arg=-Fpackaging/macos -Clink-arg=-undefined -Clink-arg=dynamic_lookup");
    }
    Ok(flags)
}

/// The sources of the standard library, if they are installed, and their path where they are not.
fn standard_library() -> anyhow::Result<(PathBuf, String)> {
    let rustc = |arguments: &[&str]| {
        command::output(Command::new("rustc").current_dir(crate::root()).args(arguments))
    };
    let sysroot = rustc(&["--print", "sysroot"])?;
    let version = rustc(&["--version", "--verbose"])?;
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: "));
    let commit = commit.context("rustc names no commit-hash")?;
    Ok((Path::new(sysroot.trim()).join("lib/rustlib/src/rust"), format!("/rustc/{commit}")))
}

fn cargo_home() -> anyhow::Result<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    home.or_else(|| std::env::home_dir().map(|home| home.join(".cargo"))).context("no home directory")
}

/// The PATH with the tests' Python environment, which has cargo-zigbuild and zig.
fn path_with_tools() -> anyhow::Result<std::ffi::OsString> {
    let path = std::env::var_os("PATH").context("there is no PATH")?;
    let tools = crate::python::venv().join("bin");
    Ok(std::env::join_paths(std::iter::once(tools).chain(std::env::split_paths(&path)))?)
}

fn copied(from: &Path, to: &Path) -> anyhow::Result<PathBuf> {
    std::fs::copy(from, to).with_context(|| from.display().to_string())?;
    Ok(to.to_owned())
}

/// Splits the build result into the program and its symbols. A program for Windows contains a time.
fn split(built: &Path, folder: &Path, platform: &Platform, epoch: u64) -> anyhow::Result<Program> {
    let path = folder.join(platform.program());
    let symbols = folder.join("reelgauge.debug");
    let objcopy = || {
        let mut objcopy = Command::new(platform.objcopy);
        objcopy.env("SOURCE_DATE_EPOCH", epoch.to_string());
        objcopy
    };
    command::run(objcopy().arg("--only-keep-debug").arg(built).arg(&symbols))?;
    let mut link = std::ffi::OsString::from("--add-gnu-debuglink=");
    link.push(&symbols);
    command::run(objcopy().arg("--strip-all").arg(link).arg(built).arg(&path))?;
    Ok(Program { path, symbols: Some(symbols) })
}

fn is_small(bytes: u64) -> bool {
    bytes <= LARGEST_BYTES
}

fn size(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::platform::PLATFORMS;
    use super::*;

    #[test]
    fn too_large_binary_is_refused() {
        assert!(is_small(LARGEST_BYTES) && !is_small(LARGEST_BYTES + 1));
        assert_eq!(size(24_940_000), "24.9 MB");
    }

    #[test]
    fn the_program_has_no_symbols_and_names_the_file_that_has_them() {
        let folder = std::env::temp_dir().join(format!("reelgauge-package-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        // This test program, which has symbols.
        let built = std::env::current_exe().unwrap();
        let Program { path, symbols } = split(&built, &folder, &PLATFORMS[0], 0).unwrap();
        let sections = |of: &Path| {
            command::output(Command::new("readelf").args(["--sections", "--wide"]).arg(of)).unwrap()
        };
        assert!(sections(&built).contains(".symtab") && !sections(&path).contains(".symtab"));
        assert!(sections(&path).contains(".gnu_debuglink"));
        assert!(sections(&symbols.unwrap()).contains(".symtab"));
        assert!(command::output(Command::new(&path).arg("--list")).unwrap().contains("package::"));
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
