//! Checksums of all packages in `SHA256SUMS`, and minisign's signature of that file.

use std::path::Path;
use std::process::Command;

use anyhow::Context;

use super::release::Release;
use super::template;
use crate::command;

const SUMS: &str = "SHA256SUMS";

/// Writes both.
pub fn sign(release: &Release, key: &Path) -> anyhow::Result<()> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&release.out)? {
        names.push(entry?.file_name());
    }
    names.sort();
    let mut sum = Command::new("sha256sum");
    let sums = command::output(sum.current_dir(&release.out).args(&names))?;
    std::fs::write(release.package(SUMS), sums)?;
    // minisign's own comment would have the present time.
    let comment = format!("reelgauge {}", release.version);
    let mut sign = Command::new("minisign");
    sign.args(["-S", "-t", &comment, "-s"]).arg(key).arg("-m").arg(release.package(SUMS));
    command::run(&mut sign)
}

/// Checks the signature with the public key, and each package with its checksum.
pub fn verify(release: &Release, public_key: &Path) -> anyhow::Result<()> {
    let mut verify = Command::new("minisign");
    command::output(verify.args(["-V", "-q", "-p"]).arg(public_key).arg("-m").arg(release.package(SUMS)))?;
    let mut check = Command::new("sha256sum");
    command::output(check.args(["--check", "--strict", "--quiet", SUMS]).current_dir(&release.out))?;
    Ok(())
}

/// Two identifiers in the form of UUIDs, derived from a file's content.
pub fn identifiers(path: &Path) -> anyhow::Result<[String; 2]> {
    let sum = template::sha256(path)?.to_uppercase();
    let identifier = |at: usize| {
        let part = |from: usize, to: usize| sum.get(at + from..at + to).context("a checksum is short");
        anyhow::Ok([part(0, 8)?, part(8, 12)?, part(12, 16)?, part(16, 20)?, part(20, 32)?].join("-"))
    };
    Ok([identifier(0)?, identifier(32)?])
}
