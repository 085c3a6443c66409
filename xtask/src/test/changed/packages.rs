//! The packages of the workspace: their folders and their dependencies.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// A package of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// From the root, with `/`: `crates/engine`.
    pub folder: String,
    /// The packages that its product code uses.
    uses: BTreeSet<String>,
    /// The packages that only its tests use.
    tests_use: BTreeSet<String>,
}

/// Every package of the workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Packages(Vec<Package>);

impl Packages {
    /// Reads `cargo metadata`.
    pub fn of(metadata: &Value) -> anyhow::Result<Packages> {
        let root = metadata["workspace_root"].as_str().context("cargo named no workspace")?;
        let ours =
            metadata["packages"].as_array().into_iter().flatten().filter(|one| one["source"].is_null());
        ours.map(|one| package(one, Path::new(root))).collect::<anyhow::Result<_>>().map(Packages)
    }

    pub fn all(&self) -> impl Iterator<Item = &Package> {
        self.0.iter()
    }

    /// The package that a file belongs to.
    pub fn owner(&self, path: &str) -> Option<&Package> {
        self.all()
            .find(|package| path.strip_prefix(&package.folder).is_some_and(|rest| rest.starts_with('/')))
    }

    /// The packages whose tests run code of these packages: the packages themselves and everything that
    /// uses them.
    pub fn dependants<'a>(&'a self, changed: &BTreeSet<&'a str>) -> BTreeSet<&'a str> {
        let mut product = changed.clone();
        loop {
            let uses_one =
                |package: &&Package| package.uses.iter().any(|used| product.contains(used.as_str()));
            let more: Vec<&str> = self.all().filter(uses_one).map(|package| package.name.as_str()).collect();
            let before = product.len();
            product.extend(more);
            if product.len() == before {
                break;
            }
        }
        let tests = self.all().filter(|one| one.tests_use.iter().any(|used| product.contains(used.as_str())));
        let tests: Vec<&str> = tests.map(|package| package.name.as_str()).collect();
        product.into_iter().chain(tests).collect()
    }
}

fn package(one: &Value, root: &Path) -> anyhow::Result<Package> {
    let name = one["name"].as_str().context("a package has no name")?;
    let manifest = one["manifest_path"].as_str().map(Path::new).and_then(Path::parent);
    let folder = manifest.and_then(|folder| folder.strip_prefix(root).ok());
    let mut package = Package {
        name: name.to_owned(),
        folder: folder.and_then(Path::to_str).with_context(|| format!("{name} is elsewhere"))?.to_owned(),
        ..Package::default()
    };
    let used = one["dependencies"].as_array().into_iter().flatten().filter(|used| used["path"].is_string());
    for used in used {
        let of_tests = used["kind"].as_str() == Some("dev");
        let uses = if of_tests { &mut package.tests_use } else { &mut package.uses };
        uses.extend(used["name"].as_str().map(str::to_owned));
    }
    Ok(package)
}

#[cfg(test)]
impl Packages {
    /// Invented packages in `crates/`, each with the dependencies of its product code and of its tests.
    pub fn made_up(packages: &[(&str, &[&str], &[&str])]) -> Packages {
        let set = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect();
        let one = |&(name, uses, tests_use): &(&str, &[&str], &[&str])| Package {
            name: name.to_owned(),
            folder: format!("crates/{}", name.trim_start_matches("reelgauge-")),
            uses: set(uses),
            tests_use: set(tests_use),
        };
        Packages(packages.iter().map(one).collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn users_of_users_are_dependants_and_users_of_tests_are_none() {
        let packages = Packages::made_up(&[
            ("record", &[], &[]),
            ("analysis", &["record"], &[]),
            ("report", &["analysis"], &[]),
            ("trace", &[], &["analysis"]),
            ("import", &["trace"], &[]),
        ]);
        let of = |name| packages.dependants(&BTreeSet::from([name])).into_iter().collect::<Vec<_>>();
        assert_eq!(of("analysis"), ["analysis", "report", "trace"]);
        assert_eq!(of("record"), ["analysis", "record", "report", "trace"]);
        assert_eq!(of("import"), ["import"]);
    }

    #[test]
    fn file_belongs_to_the_package_of_its_folder() {
        let packages = Packages::made_up(&[("report", &[], &[]), ("rep", &[], &[])]);
        let owner = |path| packages.owner(path).map(|package| package.name.as_str());
        assert_eq!(owner("crates/report/src/lib.rs"), Some("report"));
        assert_eq!(owner("crates/reports.md"), None);
    }

    #[test]
    fn the_workspace_is_read() {
        let packages = Packages::of(&crate::tidy::workspace::metadata().unwrap()).unwrap();
        let runner = packages.owner("crates/runner/src/lib.rs").unwrap();
        assert_eq!(runner.name, "reelgauge-runner");
        assert!(packages.dependants(&BTreeSet::from(["reelgauge-engine"])).contains("reelgauge-runner"));
        assert!(!packages.dependants(&BTreeSet::from(["reelgauge-runner"])).contains("reelgauge-engine"));
    }
}
