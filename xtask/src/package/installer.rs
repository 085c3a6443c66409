//! Packages that a system's installer knows: deb, rpm and apk by nfpm, MSI by wixl.

use std::path::Path;

use super::platform::{Platform, System};
use super::program::Program;
use super::release::Release;
use super::{archive, signature, template};
use crate::command;

pub fn make(
    release: &Release,
    platform: &Platform,
    program: &Program,
    contents: &Path,
) -> anyhow::Result<()> {
    match platform.system {
        System::Linux => linux(release, platform, program, contents),
        System::Windows => msi(release, platform, program),
        System::MacOs => Ok(()),
    }
}

fn linux(release: &Release, platform: &Platform, program: &Program, contents: &Path) -> anyhow::Result<()> {
    let description = release.work(platform.label)?.join("nfpm.yaml");
    // nfpm takes over the times of scripts.
    let scripts = release.work(platform.label)?.join("linux");
    archive::copy_folder(&crate::root().join(template::FOLDER).join("linux"), &scripts)?;
    release.normalize(&scripts)?;
    let words = [
        ("DEB", if release.fast { "none" } else { "gzip" }.to_owned()),
        ("LEVEL", release.level().to_owned()),
        ("ARCH", platform.nfpm.to_owned()),
        ("PROGRAM", program.path.display().to_string()),
        ("LINUX", scripts.display().to_string()),
        ("CONTENTS", contents.display().to_string()),
    ];
    template::write(release, Path::new("nfpm.yaml"), &description, &words)?;
    for packager in ["deb", "rpm", "apk"] {
        let mut nfpm = release.tool("nfpm");
        nfpm.args(["package", "--packager", packager, "--config"]).arg(&description);
        // A folder: nfpm then names the file as its kind requires.
        command::run(nfpm.arg("--target").arg(&release.out))?;
    }
    Ok(())
}

/// wixl makes the MSI. It has no element for the PATH and chooses a random identifier; msibuild adds the
/// one and replaces the other.
fn msi(release: &Release, platform: &Platform, program: &Program) -> anyhow::Result<()> {
    let folder = release.work(platform.label)?;
    // Both identify the program, so equal programs have equal ones.
    let [product, package] = signature::identifiers(&program.path)?;
    let words = [("PRODUCT", product), ("PACKAGE", package.clone())];
    template::write(release, Path::new("windows/reelgauge.wxs"), &folder.join("reelgauge.wxs"), &words)?;
    let to = release.package(&release.name(platform.label, ".msi"));
    let path = crate::root().join(template::FOLDER).join("windows/Environment.idt");
    let actions =
        [("WriteEnvironmentStrings", 5200), ("RemoveEnvironmentStrings", 3300)].map(|(name, at)| {
            format!("INSERT INTO InstallExecuteSequence (Action, Sequence) VALUES ('{name}', {at})")
        });
    let with_time = |tool: &str| -> anyhow::Result<std::process::Command> {
        let mut faketime = release.tool("faketime");
        faketime.args(["-f", &template::time(release, "+@%Y-%m-%d %H:%M:%S")?, tool]);
        faketime.current_dir(&folder);
        Ok(faketime)
    };
    // wixl finds files only in its own folder.
    command::run(with_time("wixl")?.args(["--arch", "x64", "--output"]).arg(&to).arg("reelgauge.wxs"))?;
    command::run(with_time("msibuild")?.arg(&to).arg("-i").arg(path))?;
    command::run(with_time("msibuild")?.arg(&to).arg("-q").args(actions))?;
    let summary = ["-s", "Reelgauge", "Reelgauge", "x64;1033", &format!("{{{package}}}")];
    command::run(with_time("msibuild")?.arg(&to).args(summary))?;
    release.sign(platform.system, &to)
}
