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
