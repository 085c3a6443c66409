//! Packages for users: `cargo xtask package`.
//!
//! For each platform the program is built, its files are collected, and every package of the platform is
//! made from them: archives, installers, a wheel. At the end come manifests, checksums and a signature.
//! The same commit gives the same bytes in any folder at any time: names are sorted, owners are root, and
//! all times are `SOURCE_DATE_EPOCH`, or that of the commit.
//!
//! Data are in `packaging/`. [`installation`] installs, uses and removes the packages.

mod archive;
mod contents;
mod installation;
mod installer;
mod manifest;
mod notices;
mod options;
mod platform;
mod program;
mod release;
mod signature;
mod template;

use crate::step::Outcome;
use options::Options;
use release::Release;

/// `cargo xtask package`.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    make(&Options::parse(arguments)?)?;
    Ok(true)
}

/// Makes the packages and returns their release.
fn make(options: &Options) -> anyhow::Result<Release> {
    let release = Release::prepare(options)?;
    for platform in &options.platforms {
        let program = program::make(&release, platform, options)?;
        let contents = contents::collect(&release, platform, &program)?;
        archive::tarball_or_zip(&release, platform, &program, &contents)?;
        archive::symbols(&release, platform, &program)?;
        archive::wheel(&release, platform, &program, &contents)?;
        installer::make(&release, platform, &program, &contents)?;
    }
    manifest::make(&release)?;
    signature::sign(&release, &options.key)?;
    Ok(release)
}

/// The step of `cargo xtask test`: packages of the tests' program are made twice, and installed.
pub fn step() -> anyhow::Result<Outcome> {
    installation::step()
}
