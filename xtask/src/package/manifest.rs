//! Manifests of package managers, the container's files and the Helm chart: templates of `packaging/`,
//! with this release's version and checksums.

use std::path::{Path, PathBuf};

use anyhow::Context;

use super::release::Release;
use super::{archive, template};

/// Fills in the manifests. One that needs a package that was not made now is omitted and named.
pub fn make(release: &Release) -> anyhow::Result<()> {
    for (kind, name) in [("manifests", "manifests"), ("container", "container"), ("helm", "helm")] {
        let folder = release.work("manifests")?.join(if kind == "helm" { "reelgauge" } else { name });
        for template in files(&crate::root().join(template::FOLDER).join(kind))? {
            fill(release, &template, kind, &folder)?;
        }
        release.normalize(&folder)?;
        let package = match kind {
            "helm" => format!("reelgauge-{}.tgz", release.version),
            name => format!("reelgauge-{}-{name}.tar.gz", release.version),
        };
        archive::tarball(release, &package, &folder)?;
    }
    Ok(())
}

fn fill(release: &Release, path: &Path, kind: &str, folder: &Path) -> anyhow::Result<()> {
    let root = crate::root().join(template::FOLDER);
    let template = path.strip_prefix(&root)?;
    let text = std::fs::read_to_string(path)?;
    let needed = template::needed(release, &text);
    if let Some(missing) = needed.iter().find(|package| !release.package(package).is_file()) {
        println!("omitted: {}, because there is no {missing}", template.display());
        return Ok(());
    }
    template::write(release, template, &folder.join(template.strip_prefix(kind)?), &[])
}

/// All files below a folder.
fn files(folder: &Path) -> anyhow::Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        match path.is_dir() {
            true => found.extend(files(&path)?),
            false => found.push(path),
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    /// A release whose packages all exist, empty.
    fn release(out: &Path) -> Release {
        let options = super::super::options::Options { out: out.to_owned(), ..Default::default() };
        let release = Release::prepare(&options).unwrap();
        for ending in [
            "x86_64-linux.tar.gz",
            "aarch64-linux.tar.gz",
            "x86_64-windows.zip",
            "x86_64-windows.msi",
            "universal-macos.tar.gz",
        ] {
            std::fs::write(release.package(&release.name(ending, "")), "").unwrap();
        }
        release
    }

    #[test]
    fn manifests_name_the_checksum_of_each_package() {
        let out = std::env::temp_dir().join(format!("reelgauge-manifests-{}", std::process::id()));
        let release = release(&out);
        make(&release).unwrap();
        let folder = release.work("manifests").unwrap().join("manifests");
        let text = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
        // The SHA-256 of an empty file.
        const EMPTY: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(text("homebrew/reelgauge.rb").matches(EMPTY).count(), 3);
        assert_eq!(text("winget/Reelgauge.Reelgauge.installer.yaml").matches(EMPTY).count(), 1);
        let scoop: serde_json::Value = serde_json::from_str(&text("scoop/reelgauge.json")).unwrap();
        assert_eq!(scoop["architecture"]["64bit"]["hash"], EMPTY);
        assert_eq!(scoop["version"], release.version);
        std::fs::remove_dir_all(&out).unwrap();
        std::fs::remove_dir_all(release.work("").unwrap()).unwrap();
    }
}
