//! The crates that a program contains: their licences as one text, and their list for inspection (SBOM).
//!
//! cargo decides which crates are in the program; syft writes the list.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use serde_json::Value;

use super::platform::Platform;
use super::release::Release;
use crate::command;

/// A crate of others.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Component {
    name: String,
    version: String,
    licence: String,
    folder: PathBuf,
}

/// The crates of others that the platform's program contains, without those that only build or test it.
pub fn components(platform: &Platform) -> anyhow::Result<Vec<Component>> {
    let mut tree = crate::cargo();
    tree.args(["tree", "--locked", "--package", "reelgauge", "--edges", "normal", "--prefix", "none"]);
    tree.args(["--format", "{p}"]);
    for target in platform.targets {
        tree.args(["--target", target]);
    }
    let tree = command::output(&mut tree)?;
    let contained: BTreeSet<(&str, &str)> = tree.lines().filter_map(name_and_version).collect();
    let mut metadata = crate::cargo();
    metadata.args(["metadata", "--locked", "--format-version", "1"]);
    let metadata: Value = serde_json::from_str(&command::output(&mut metadata)?)?;
    let packages = metadata["packages"].as_array().context("cargo names no packages")?;
    let mut components: Vec<_> = packages.iter().filter_map(component).collect();
    components.retain(|one| contained.contains(&(one.name.as_str(), one.version.as_str())));
    components.sort();
    ensure!(!components.is_empty(), "cargo names no dependencies");
    Ok(components)
}

/// The package in a line such as `serde v1.0.2 (*)`.
fn name_and_version(line: &str) -> Option<(&str, &str)> {
    let mut words = line.split_whitespace();
    Some((words.next()?, words.next()?.strip_prefix('v')?))
}

/// A package of cargo's metadata; none if it is a crate of this repository.
fn component(package: &Value) -> Option<Component> {
    package["source"].as_str()?;
    let text = |key: &str| package[key].as_str().map(str::to_owned);
    Some(Component {
        name: text("name")?,
        version: text("version")?,
        licence: text("license").unwrap_or_else(|| "see its text".to_owned()),
        folder: Path::new(package["manifest_path"].as_str()?).parent()?.to_owned(),
    })
}

/// Writes the licences of all components. Equal texts appear once.
pub fn write(components: &[Component], to: &Path) -> anyhow::Result<()> {
    let mut texts: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let mut notices = "Reelgauge contains these libraries, under these licences.\n\n".to_owned();
    for one in components {
        notices.push_str(&format!("{} {}: {}\n", one.name, one.version, one.licence));
        for text in licence_texts(&one.folder)? {
            texts.entry(text).or_default().push(format!("{} {}", one.name, one.version));
        }
    }
    for (text, users) in texts {
        notices.push_str(&format!("\n{}\n{}\n\n{}\n", "-".repeat(72), users.join(", "), text.trim_end()));
    }
    std::fs::write(to, notices).with_context(|| to.display().to_string())
}

/// The licences and notices in a crate's folder, sorted by file name.
fn licence_texts(folder: &Path) -> anyhow::Result<Vec<String>> {
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).with_context(|| folder.display().to_string())? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy().to_uppercase());
        let is_licence = |name: String| {
            ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word))
        };
        if path.is_file() && name.is_some_and(is_licence) {
            paths.push(path);
        }
    }
    paths.sort();
    let texts = paths.iter().map(|path| Ok(String::from_utf8_lossy(&std::fs::read(path)?).replace('\r', "")));
    texts.collect()
}

/// Writes the list of components in CycloneDX's format. syft reads it from a `Cargo.lock` that has only
/// these components.
pub fn write_components(release: &Release, components: &[Component], to: &Path) -> anyhow::Result<()> {
    let lock = std::fs::read_to_string(crate::root().join("Cargo.lock"))?;
    let is_contained = |block: &&str| {
        components
            .iter()
            .any(|one| block.contains(&format!("name = \"{}\"\nversion = \"{}\"\n", one.name, one.version)))
    };
    let blocks: Vec<&str> = lock.split("[[package]]\n").skip(1).filter(is_contained).collect();
    ensure!(blocks.len() == components.len(), "Cargo.lock lacks some of the components");
    let folder = release.work("components")?;
    let blocks: String = blocks.iter().map(|block| format!("[[package]]\n{block}")).collect();
    std::fs::write(folder.join("Cargo.lock"), format!("version = 4\n\n{blocks}"))?;
    let mut syft = release.tool("syft");
    syft.args(["scan", "--quiet", "--source-name", "reelgauge", "--source-version", &release.version]);
    syft.args(["--output", "cyclonedx-json", "file:Cargo.lock"]).current_dir(&folder);
    let mut list: Value = serde_json::from_str(&command::output(&mut syft)?)?;
    let list_object = list.as_object_mut().context("syft wrote no object")?;
    // A random number, and the present time.
    list_object.remove("serialNumber");
    if let Some(metadata) = list_object.get_mut("metadata").and_then(Value::as_object_mut) {
        metadata.remove("timestamp");
    }
    let listed = list["components"].as_array().map_or(0, Vec::len);
    ensure!(listed >= components.len(), "syft lists {listed} of {} components", components.len());
    std::fs::write(to, format!("{list:#}\n")).with_context(|| to.display().to_string())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_line_of_the_tree_names_a_package() {
        assert_eq!(name_and_version("serde v1.0.2 (*)"), Some(("serde", "1.0.2")));
        assert_eq!(name_and_version(""), None);
    }

    #[test]
    fn crates_of_this_repository_are_no_components() {
        let own =
            serde_json::json!({"name": "a", "version": "1", "source": null, "manifest_path": "/a/C.toml"});
        assert_eq!(component(&own), None);
        let other = serde_json::json!({"name": "a", "version": "1", "source": "registry",
            "license": "MIT", "manifest_path": "/a/Cargo.toml"});
        assert_eq!(component(&other).unwrap().folder, Path::new("/a"));
    }
}
