//! Requirements on the host: Debian packages for the test beds, and Rust's other targets.

use std::process::Command;

use anyhow::Context;

use crate::command;
use crate::step::Outcome;

/// Debian packages, and the reason for each.
const PACKAGES: &[(&str, &str)] = &[
    ("btrfs-progs", "btrfs test images"),
    ("busybox-static", "the guest's only programs"),
    ("chromium-headless-shell", "the browser that looks at reports and the console"),
    ("cpio", "the guest's initial file system"),
    ("curl", "a client with TLS for the console"),
    ("e2fsprogs", "ext4 test images"),
    ("faketime", "a fixed time inside an MSI"),
    ("ffmpeg", "real media files for the format tests"),
    ("fio", "a reader for exported traces"),
    ("fuse3", "mounting sshfs and the failing file system"),
    ("gcc-mingw-w64-x86-64", "building the Windows program"),
    ("iproute2", "network namespaces and shaped links"),
    ("kmod", "choosing the guest's kernel modules"),
    ("melt", "a video editor without a window, to record"),
    ("minisign", "signatures of packages"),
    ("msitools", "PATH entries of an MSI"),
    ("musl-tools", "the static build"),
    ("nfs-ganesha", "the NFS server"),
    ("nfs-ganesha-vfs", "the NFS server's backend"),
    ("nginx-light", "the proxy in front of the console"),
    ("openssh-server", "the server that sshfs mounts from"),
    ("openssl", "keys for the console"),
    ("prometheus", "its promtool, a reader for the console's metrics"),
    ("python3-smbc", "an SMB client in user space"),
    ("python3-venv", "reading logs with pyarrow and DuckDB"),
    ("qemu-system-x86", "the guest with real NFS and SMB clients"),
    ("rpm", "installing an rpm package"),
    ("rsync", "a program to record"),
    ("samba", "the SMB server"),
    ("sshfs", "a network file system without kernel modules"),
    ("strace", "traces of real programs"),
    ("tmux", "terminals of any width"),
    ("wine", "running the Windows program"),
    ("wine64", "running the Windows program"),
    ("wixl", "MSI packages"),
    ("xfsprogs", "XFS test images"),
];

/// The target of the static build.
pub const STATIC_TARGET: &str = "x86_64-unknown-linux-musl";
/// The target of the Windows program, which is tested under wine.
pub const WINDOWS_TARGET: &str = "x86_64-pc-windows-gnu";
/// The target for which the product is only type-checked.
pub const CHECKED_TARGET: &str = "aarch64-apple-darwin";
/// Rust targets that the checks build for, in addition to the host.
pub const TARGETS: &[&str] = &[STATIC_TARGET, WINDOWS_TARGET, CHECKED_TARGET];

/// Installs the Debian packages that are missing, if this process may.
pub fn debian() -> anyhow::Result<Outcome> {
    if !command::exists("dpkg") {
        return Ok(Outcome::Skipped("not a Debian system: tests whose tools are missing are skipped".into()));
    }
    let missing: Vec<_> = PACKAGES.iter().filter(|(name, _)| !is_installed(name)).collect();
    if missing.is_empty() {
        println!("all {} packages are installed", PACKAGES.len());
        return Ok(Outcome::Passed);
    }
    for (name, purpose) in &missing {
        println!("missing: {name} ({purpose})");
    }
    let names: Vec<&str> = missing.iter().map(|(name, _)| *name).collect();
    if !command::is_root() {
        let names = names.join(" ");
        return Ok(Outcome::Skipped(format!("not root, and tests need: apt-get install {names}")));
    }
    match install(&names) {
        Ok(()) => Ok(Outcome::Passed),
        Err(error) if command::is_ci() => Err(error),
        Err(error) => Ok(Outcome::Skipped(format!("could not install {}: {error:#}", names.join(" ")))),
    }
}

/// Whether dpkg has the package installed (and not merely known or removed).
fn is_installed(package: &str) -> bool {
    command::output(Command::new("dpkg").args(["-s", package]))
        .is_ok_and(|status| status.lines().any(|line| line == "Status: install ok installed"))
}

/// Installs packages. Updates the package lists only if they are too old.
fn install(names: &[&str]) -> anyhow::Result<()> {
    let apt = |arguments: &[&str]| {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive").args(["-q", "-y", "-o", "DPkg::Lock::Timeout=300"]);
        command.args(arguments);
        command::run(&mut command)
    };
    let install: Vec<&str> = ["install", "--no-install-recommends"].iter().chain(names).copied().collect();
    if apt(&install).is_err() {
        apt(&["update"])?;
        apt(&install)?;
    }
    Ok(())
}

/// Adds Rust's other targets, where rustup manages the toolchain.
pub fn targets() -> anyhow::Result<Outcome> {
    let missing = missing_targets()?;
    if missing.is_empty() {
        println!("all {} targets are installed", TARGETS.len());
        return Ok(Outcome::Passed);
    }
    let mut add = Command::new("rustup");
    match command::run(add.current_dir(crate::root()).args(["target", "add"]).args(&missing)) {
        Ok(()) => Ok(Outcome::Passed),
        Err(error) if command::is_ci() => Err(error),
        Err(error) => Ok(Outcome::Skipped(format!("could not add {}: {error:#}", missing.join(" ")))),
    }
}

/// The targets of [`TARGETS`] whose standard library this toolchain lacks.
pub fn missing_targets() -> anyhow::Result<Vec<&'static str>> {
    let sysroot =
        command::output(Command::new("rustc").current_dir(crate::root()).args(["--print", "sysroot"]))
            .context("cannot find the toolchain; install Rust with rustup")?;
    let rustlib = std::path::Path::new(sysroot.trim()).join("lib/rustlib");
    Ok(TARGETS.iter().copied().filter(|target| !rustlib.join(target).join("lib").is_dir()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_package_that_does_not_exist_is_not_installed() {
        assert!(!is_installed("reelgauge-no-such-package"));
    }

    #[test]
    fn every_package_is_named_once_and_in_order() {
        assert!(PACKAGES.windows(2).all(|pair| pair[0].0 < pair[1].0), "sort PACKAGES by name");
    }
}
