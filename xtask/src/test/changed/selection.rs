//! What a change can break, by the files that it touches.
//!
//! Unit tests: those of the packages whose files changed, and of all packages that use them. End-to-end
//! tests: those that name a verb implemented by the changed package, or all if only a real system can
//! test the package. A file outside of packages concerns the packages and tests whose sources name it.

use std::collections::BTreeSet;

use super::end_to_end::EndToEnd;
use super::packages::{Package, Packages};
use crate::pages::{Page, names};

/// A change of one of these files or folders concerns everything.
const EVERYTHING: &[&str] = &["Cargo.toml", "Cargo.lock", "rust-toolchain.toml", "clippy.toml", ".cargo/"];

/// Packages that touch storage and the log. Only a real system can test them.
const NEED_A_REAL_SYSTEM: &[&str] = &["reelgauge-engine", "reelgauge-record"];

/// Packages that decide and word results. Every verb uses them, and their unit tests use synthetic
/// input. Next to each are the end-to-end tests that compare whole screens or refuse input.
const PURE: &[(&str, &[&str])] = &[
    ("reelgauge-formats", &[]),
    ("reelgauge-workload", &["bad_input", "streams_bad_input"]),
    ("reelgauge-analysis", &[]),
    ("reelgauge-report", &["screens"]),
];

/// The packages that are not part of the product.
const END_TO_END: &str = "reelgauge-tests";
const BENCHES: &str = "reelgauge-benches";
const CHORES: &str = "xtask";
const BINARY: &str = "reelgauge";

/// The tests that a change can break.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Names of the packages whose unit tests run.
    pub packages: BTreeSet<String>,
    /// Modules of the end-to-end tests.
    pub modules: BTreeSet<String>,
    /// Whether the application in the folder `console` is checked.
    pub has_console: bool,
    /// Pure packages that changed. Other end-to-end tests are skipped for them.
    pub pure: BTreeSet<String>,
}

/// The files and packages of the code base.
pub struct CodeBase<'a> {
    pub pages: &'a [Page],
    pub packages: &'a Packages,
    pub end_to_end: EndToEnd<'a>,
}

impl Selection {
    /// What a change of these files can break.
    pub fn of(changed: &[String], code: &CodeBase) -> Selection {
        let mut selection = Selection::default();
        if changed.iter().any(|path| EVERYTHING.iter().any(|of| path == of || is_in(path, of))) {
            selection.packages.extend(code.tested().map(|package| package.name.clone()));
            selection.modules = code.end_to_end.all();
            selection.has_console = true;
            return selection;
        }
        let (mut product, mut tests) = (BTreeSet::new(), BTreeSet::new());
        for path in changed {
            selection.has_console |= is_in(path, "console/");
            match code.packages.owner(path) {
                Some(package) if is_test(path, package) => drop(tests.insert(package.name.as_str())),
                Some(package) => {
                    product.insert(package.name.as_str());
                    selection.add_end_to_end(path, package, code);
                }
                None => {
                    for package in code.readers(path, &mut tests) {
                        product.insert(package.name.as_str());
                        selection.add_end_to_end(path, package, code);
                    }
                }
            }
            if is_in(path, "tests/") || code.packages.owner(path).is_none() {
                selection.modules.extend(code.end_to_end.concerned_by(path));
            }
        }
        let concerned = code.packages.dependants(&product).into_iter().chain(tests);
        let is_tested = |name: &&str| ![BENCHES, END_TO_END].contains(name) || product.contains(name);
        selection.packages = concerned.filter(is_tested).map(str::to_owned).collect();
        selection
    }

    /// The end-to-end tests that a change of this file of product code concerns.
    fn add_end_to_end(&mut self, path: &str, package: &Package, code: &CodeBase) {
        let name = package.name.as_str();
        if NEED_A_REAL_SYSTEM.contains(&name) {
            self.modules.extend(code.end_to_end.all());
        } else if let Some((_, modules)) = PURE.iter().find(|(pure, _)| *pure == name) {
            self.modules.extend(modules.iter().map(|&module| module.to_owned()));
            self.pure.insert(name.to_owned());
        } else if name == BINARY {
            let verbs = code.verbs();
            self.modules.extend(match verb_of(path, &verbs) {
                Some(verb) => code.end_to_end.naming(&BTreeSet::from([verb])),
                None => code.end_to_end.all(),
            });
        } else if ![END_TO_END, BENCHES, CHORES].contains(&name) {
            self.modules.extend(code.end_to_end.naming(&code.verbs_that_use(name)));
        }
    }
}

impl<'a> CodeBase<'a> {
    /// The packages that have unit tests.
    pub fn tested(&self) -> impl Iterator<Item = &Package> {
        self.packages.all().filter(|package| package.name != BENCHES)
    }

    /// The packages whose product code names this file or its folder. Those whose tests do so are added to
    /// `tests`.
    fn readers(&self, path: &str, tests: &mut BTreeSet<&'a str>) -> Vec<&'a Package> {
        let mut readers: Vec<&Package> = Vec::new();
        for page in self.pages.iter().filter(|page| page.is_rust()) {
            let Some(package) = self.packages.owner(&page.path).filter(|one| one.name != END_TO_END) else {
                continue;
            };
            let text = page.text.as_deref().unwrap_or_default();
            if !is_test(&page.path, package) && names(&product_code(text), path) {
                readers.push(package);
            } else if names(text, path) {
                tests.insert(&package.name);
            }
        }
        readers.dedup_by(|a, b| a.name == b.name);
        readers
    }

    /// The verbs of the binary: the names that its `main.rs` calls.
    fn verbs(&self) -> BTreeSet<&'a str> {
        let main = self.pages.iter().find(|page| page.path == "crates/reelgauge/src/main.rs");
        let text = main.and_then(|page| page.text.as_deref()).unwrap_or_default();
        let calls = text.split("verbs::").skip(1).filter_map(|rest| rest.split_once("::"));
        calls.map(|(verb, _)| verb).collect()
    }

    /// The verbs with a file that names this package.
    fn verbs_that_use(&self, package: &str) -> BTreeSet<&'a str> {
        let verbs = self.verbs();
        let path = format!("{}::", package.replace('-', "_"));
        let using =
            self.pages.iter().filter(|page| page.text.as_deref().is_some_and(|text| text.contains(&path)));
        using.filter_map(|page| verb_of(&page.path, &verbs)).collect()
    }
}

/// The verb that a file of the binary implements: `fleet` for `verbs/fleet_run.rs`. None for files that
/// verbs share.
fn verb_of<'a>(path: &str, verbs: &BTreeSet<&'a str>) -> Option<&'a str> {
    let path = path.strip_prefix("crates/reelgauge/src/")?;
    let file = path.strip_prefix("verbs/").or_else(|| path.strip_prefix("cli/"))?;
    let name = file.split(['/', '.']).next()?;
    let is_of =
        |verb: &&&str| name.strip_prefix(**verb).is_some_and(|rest| rest.is_empty() || rest.starts_with('_'));
    verbs.iter().find(is_of).copied()
}

/// Whether only tests compile or read a file of this package.
fn is_test(path: &str, package: &Package) -> bool {
    let inside = path.strip_prefix(&package.folder).unwrap_or(path).trim_start_matches('/');
    let folder = inside.split('/').next();
    if package.name == END_TO_END {
        return folder != Some("src");
    }
    matches!(folder, Some("tests" | "benches" | "examples"))
        || folder == Some("src") && inside.split('/').any(|part| matches!(part, "tests" | "tests.rs"))
}

/// The text before its tests, without comment lines.
fn product_code(text: &str) -> String {
    let before = text.split("#[cfg(test)]").next().unwrap_or_default();
    before.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n")
}

fn is_in(path: &str, folder: &str) -> bool {
    folder.ends_with('/') && path.starts_with(folder)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    const MAIN: &str =
        "Doctor(args) => verbs::doctor::doctor(&args), Fleet(args) => verbs::fleet::fleet(&args)";

    fn packages() -> Packages {
        Packages::made_up(&[
            ("reelgauge-record", &[], &[]),
            ("reelgauge-analysis", &["reelgauge-record"], &[]),
            ("reelgauge-doctor", &["reelgauge-record"], &["reelgauge-analysis"]),
            ("reelgauge-fleet", &["reelgauge-analysis"], &[]),
            ("reelgauge", &["reelgauge-fleet", "reelgauge-doctor"], &[]),
        ])
    }

    fn pages() -> Vec<Page> {
        [
            ("crates/reelgauge/src/main.rs", MAIN),
            ("crates/reelgauge/src/verbs/doctor.rs", "use reelgauge_doctor::facts;"),
            ("crates/reelgauge/src/verbs/fleet_run.rs", "use reelgauge_fleet::run;"),
            ("crates/doctor/src/rule.rs", "include_str!(\"../../catalogue/rules/a.toml\")"),
            (
                "crates/record/src/log.rs",
                "// docs/log.md\n#[cfg(test)]\nmod tests { text(\"../docs/log.md\") }",
            ),
            ("tests/tests/untimed/doctor.rs", "run([\"doctor\"])"),
            ("tests/tests/untimed/screens.rs", "run([\"fleet\"])"),
            ("tests/tests/untimed/documents.rs", "root.join(\"docs\")"),
        ]
        .map(|(path, text)| Page::made_up(path, text))
        .into()
    }

    fn of(changed: &[&str]) -> Selection {
        let (pages, packages) = (pages(), packages());
        let code = CodeBase { pages: &pages, packages: &packages, end_to_end: EndToEnd::of(&pages) };
        Selection::of(&changed.iter().map(|&path| path.to_owned()).collect::<Vec<_>>(), &code)
    }

    /// The packages and end-to-end tests that a change of this file concerns.
    fn both(path: &str) -> [String; 2] {
        let selection = of(&[path]);
        [selection.packages, selection.modules].map(|names| names.into_iter().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn a_pure_package_concerns_the_unit_tests_of_its_users() {
        let all = "reelgauge reelgauge-analysis reelgauge-doctor reelgauge-fleet";
        assert_eq!(both("crates/analysis/src/late.rs"), [all, ""]);
        assert_eq!(of(&["crates/analysis/src/late.rs"]).pure, ["reelgauge-analysis".to_owned()].into());
    }

    #[test]
    fn change_of_a_writing_package_concerns_all_dependents() {
        let [packages, modules] = both("crates/record/src/log.rs");
        assert_eq!(packages.split(' ').count(), 5);
        assert_eq!(modules, "doctor documents screens");
    }

    #[test]
    fn a_package_of_a_verb_concerns_the_tests_that_name_the_verb() {
        assert_eq!(both("crates/doctor/src/facts.rs"), ["reelgauge reelgauge-doctor", "doctor"]);
        assert_eq!(both("crates/fleet/src/agent.rs"), ["reelgauge reelgauge-fleet", "screens"]);
    }

    #[test]
    fn a_file_of_the_binary_concerns_its_verb_or_all() {
        assert_eq!(both("crates/reelgauge/src/verbs/fleet_stop.rs"), ["reelgauge", "screens"]);
        assert_eq!(both("crates/reelgauge/src/cli/doctor.rs"), ["reelgauge", "doctor"]);
        assert_eq!(both("crates/reelgauge/src/screen.rs"), ["reelgauge", "doctor documents screens"]);
    }

    #[test]
    fn tests_concern_themselves() {
        assert_eq!(both("crates/analysis/src/late/tests.rs"), ["reelgauge-analysis", ""]);
        assert_eq!(both("crates/analysis/tests/golden/a.json"), ["reelgauge-analysis", ""]);
        assert_eq!(both("tests/tests/untimed/doctor.rs"), ["", "doctor"]);
    }

    #[test]
    fn other_files_concern_those_that_name_them() {
        assert_eq!(both("catalogue/rules/a.toml"), ["reelgauge reelgauge-doctor", "doctor"]);
        assert_eq!(both("catalogue/rules/b.toml"), ["", ""]);
        assert_eq!(both("docs/log.md"), ["reelgauge-record", "documents"]);
        assert_eq!(both("LICENSE-MIT"), ["", ""]);
        assert!(of(&["console/src/main.tsx"]).has_console && !of(&["docs/log.md"]).has_console);
    }

    #[test]
    fn change_of_dependencies_concerns_all_tests() {
        let all = of(&["Cargo.lock"]);
        assert_eq!((all.packages.len(), all.modules.len(), all.has_console), (5, 3, true));
        assert_eq!(of(&["crates/analysis/src/late.rs", ".cargo/config.toml"]), all);
    }

    #[test]
    fn lists_name_existing_entries() {
        let pages = crate::pages::pages().unwrap();
        let packages = Packages::of(&crate::tidy::workspace::metadata().unwrap()).unwrap();
        let code = CodeBase { pages: &pages, packages: &packages, end_to_end: EndToEnd::of(&pages) };
        let is_package = |name: &str| packages.all().any(|package| package.name == name);
        let names = PURE.iter().map(|(name, _)| *name).chain(NEED_A_REAL_SYSTEM.iter().copied());
        for name in names.chain([END_TO_END, BENCHES, CHORES, BINARY]) {
            assert!(is_package(name), "{name}");
        }
        let modules = code.end_to_end.all();
        let listed = PURE.iter().flat_map(|(_, modules)| *modules);
        assert_eq!(listed.into_iter().find(|module| !modules.contains(**module)), None);
        assert!(code.verbs().len() > 20, "{:?}", code.verbs());
        assert!(code.verbs_that_use("reelgauge-doctor").contains("tune"));
    }
}
