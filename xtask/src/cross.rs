//! Other platforms than the local one: the type check for macOS, and the static Linux build.
//!
//! The check neither compiles nor links C code for the other platform. ring, the only dependency with C
//! code, is declared as already installed, with cargo's own setting for that. A type check never links,
//! so it needs neither a C cross compiler nor a library. It shows only that our code type-checks there.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use crate::command;
use crate::packages::{CHECKED_TARGET, STATIC_TARGET, missing_targets};
use crate::step::{Outcome, not_here};

/// Type-checks the product for macOS.
pub fn check() -> anyhow::Result<Outcome> {
    if missing_targets()?.contains(&CHECKED_TARGET) {
        return missing(format!("rustup target add {CHECKED_TARGET}"));
    }
    let lock = std::fs::read_to_string(crate::root().join("Cargo.lock"))?;
    let mut check = crate::cargo_aside();
    product(&mut check, "check").args(["--target", CHECKED_TARGET]);
    command::run(check.arg("--config").arg(declared_ring(CHECKED_TARGET, &lock)?))?;
    Ok(Outcome::Passed)
}

/// Lets cargo do this with every crate of the product, without optimisation. Warnings are errors.
pub fn product<'a>(cargo: &'a mut Command, verb: &str) -> &'a mut Command {
    cargo
        .args([verb, "--locked", "--workspace"])
        // Crates that only test or measure the product mount file systems and shape links: Linux only.
        .args(["--exclude", "reelgauge-tests", "--exclude", "reelgauge-benches", "--exclude", "xtask"])
        .env("RUSTFLAGS", "-D warnings")
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
}

/// The cargo setting for ring. The name of its library contains its version.
fn declared_ring(target: &str, lock: &str) -> anyhow::Result<String> {
    let version =
        lock.split_once("name = \"ring\"\nversion = \"").and_then(|(_, rest)| rest.split('"').next());
    let version = version.context("Cargo.lock has no ring; then nothing has to be said about it here")?;
    let links = format!("ring_core_{}_", version.replace('.', "_"));
    Ok(format!("target.{target}.{links}.rustc-link-lib=[\"ring\"]"))
}

/// Builds the product as one static file, which runs on any Linux. This is not a release build: the
/// requirements on the system are the same.
pub fn build_static() -> anyhow::Result<Outcome> {
    if missing_targets()?.contains(&STATIC_TARGET) {
        return missing(format!("rustup target add {STATIC_TARGET}"));
    }
    if !command::exists("musl-gcc") {
        return missing("apt-get install musl-tools".to_owned());
    }
    let mut build = crate::cargo();
    build.args(["build", "--locked", "--package", "reelgauge", "--target", STATIC_TARGET]);
    command::run(&mut build)?;
    must_be_static(&crate::target_dir().join(STATIC_TARGET).join("debug/reelgauge"))?;
    Ok(Outcome::Passed)
}

/// Fails if the binary needs a dynamic loader: it would not start in the guest.
fn must_be_static(binary: &Path) -> anyhow::Result<()> {
    let image = std::fs::read(binary).with_context(|| format!("cannot read {}", binary.display()))?;
    anyhow::ensure!(!asks_for_loader(&image), "{} is not static", binary.display());
    Ok(())
}

/// Whether a 64-bit little-endian ELF image has a PT_INTERP program header.
fn asks_for_loader(image: &[u8]) -> bool {
    const PT_INTERP: u32 = 3;
    let u16_at = |at: usize| image.get(at..at + 2).map(|b| u16::from_le_bytes([b[0], b[1]]));
    let u32_at = |at: usize| image.get(at..at + 4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    let headers_at = u32_at(0x20).unwrap_or(0) as usize;
    let size = usize::from(u16_at(0x36).unwrap_or(0));
    let count = usize::from(u16_at(0x38).unwrap_or(0));
    (0..count).any(|i| u32_at(headers_at + i * size) == Some(PT_INTERP))
}

/// A check that cannot be done without the effect of a command.
pub fn missing(remedy: String) -> anyhow::Result<Outcome> {
    not_here(format!("needs '{remedy}'"))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn ring_is_declared_by_the_version_that_is_locked() {
        let lock = "[[package]]\nname = \"rigging\"\nversion = \"1.0.0\"\n\n\
                    [[package]]\nname = \"ring\"\nversion = \"0.17.14\"\n";
        let wanted = "target.x86_64-pc-windows-gnu.ring_core_0_17_14_.rustc-link-lib=[\"ring\"]";
        assert_eq!(declared_ring("x86_64-pc-windows-gnu", lock).unwrap(), wanted);
        assert!(declared_ring("x86_64-pc-windows-gnu", "").is_err());
    }

    #[test]
    fn a_dynamic_binary_is_recognised() {
        // This test program is itself a dynamic executable on the hosts that run it.
        let image = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        if cfg!(all(target_os = "linux", target_env = "gnu", target_pointer_width = "64")) {
            assert!(asks_for_loader(&image));
        }
        assert!(!asks_for_loader(b"\x7fELF"));
        assert!(!asks_for_loader(&[0; 200]));
    }
}
