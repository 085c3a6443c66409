//! Every file lies where one would look for it, is reached by its crate, and is small.

use std::collections::BTreeSet;

use super::{Fault, Page};

/// The rooms of the repository: a file lies in one of these folders, or is one of [`ROOT_FILES`].
const ROOMS: &[&str] = &[
    ".cargo/",
    ".ci/",
    "benches/",
    "catalogue/",
    "console/",
    "crates/analysis/",
    "crates/capture/",
    "crates/console/",
    "crates/doctor/",
    "crates/engine/",
    "crates/fleet/",
    "crates/formats/",
    "crates/import/",
    "crates/machine/",
    "crates/msmeter/",
    "crates/record/",
    "crates/reelgauge/",
    "crates/report/",
    "crates/results/",
    "crates/runner/",
    "crates/trace/",
    "crates/workload/",
    "docs/",
    "fuzz/",
    "tests/",
    "xtask/",
];

/// Files that lie in the root.
const ROOT_FILES: &[&str] = &[
    ".gitattributes",
    ".gitignore",
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "clippy.toml",
    "DESIGN.md",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "clippy.toml",
    "deny.toml",
    "rust-toolchain.toml",
    "rustfmt.toml",
];

/// The largest file that is committed, in bytes. Larger data is made, not kept.
const SIZE_MAX_BYTES: u64 = 1 << 20;

/// Applies every rule on places.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for page in pages {
        faults.extend(room(&page.path));
        faults.extend(size(page));
    }
    faults.extend(dead_files(pages));
    faults
}

/// A file lies in one of the rooms, and Rust source in a place from which cargo builds.
fn room(path: &str) -> Option<Fault> {
    let at_home = match path.contains('/') {
        true => ROOMS.iter().any(|room| path.starts_with(room)),
        false => ROOT_FILES.contains(&path),
    };
    if !at_home {
        return Some(Fault::of(
            path,
            "lies in no room; move it, or add its room to xtask/src/tidy/places.rs",
        ));
    }
    let built =
        path.split('/').any(|part| matches!(part, "src" | "tests" | "benches" | "examples" | "fuzz_targets"))
            || path.ends_with("/build.rs");
    (path.ends_with(".rs") && !built).then(|| Fault::of(path, "cargo builds no source from here"))
}

/// A repository that is cloned often stays small.
fn size(page: &Page) -> Option<Fault> {
    (page.size_bytes > SIZE_MAX_BYTES)
        .then(|| Fault::of(&page.path, format!("has {} bytes; {SIZE_MAX_BYTES} at most", page.size_bytes)))
}

/// A module that no `mod` names is built by nobody.
fn dead_files(pages: &[Page]) -> Vec<Fault> {
    let sources: Vec<&Page> = pages.iter().filter(|page| page.is_rust()).collect();
    let declared: BTreeSet<(&str, &str)> = sources
        .iter()
        .flat_map(|page| {
            let text = page.text.as_deref().unwrap_or_default();
            text.lines().filter_map(declared_module).map(|module| (crate_of(&page.path), module))
        })
        .collect();
    let is_dead = |page: &&&Page| {
        let Some(module) = module_of(&page.path) else {
            return false;
        };
        !declared.contains(&(crate_of(&page.path), module))
    };
    let dead = sources.iter().filter(is_dead);
    dead.map(|page| Fault::of(&page.path, "no `mod` names this file; name it or remove it")).collect()
}

/// The module that a line like `pub(crate) mod name;` or `#[path = "folder/name.rs"]` declares.
fn declared_module(line: &str) -> Option<&str> {
    if let Some(path) = line.trim().strip_prefix("#[path = \"") {
        return path.strip_suffix(".rs\"]")?.rsplit('/').next();
    }
    let (before, after) = line.split_once("mod ")?;
    let is_declaration = before.trim().is_empty() || before.trim_start().starts_with("pub");
    is_declaration.then(|| after.split([';', ' ', '{']).next()).flatten()
}

/// The crate folder of a source file: what precedes `src/`.
fn crate_of(path: &str) -> &str {
    path.split_once("/src/").map_or("", |(folder, _)| folder)
}

/// The module that a source file is; `None` for the roots of crates and for what lies outside `src/`.
fn module_of(path: &str) -> Option<&str> {
    let (_, inside) = path.split_once("/src/")?;
    let stem = inside.strip_suffix(".rs")?;
    match stem {
        "lib" | "main" => None,
        _ if stem.starts_with("bin/") => None,
        _ => stem.strip_suffix("/mod").unwrap_or(stem).rsplit('/').next(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_outside_of_every_room_is_a_fault() {
        for good in
            ["README.md", "crates/engine/src/area.rs", "tests/python/totals.py", "xtask/src/tidy/mod.rs"]
        {
            assert_eq!(room(good), None, "{good}");
        }
        for bad in ["notes.txt", "crates/util/src/lib.rs", "scripts/x.sh", "crates/engine/area.rs"] {
            assert!(room(bad).is_some(), "{bad}");
        }
    }

    #[test]
    fn a_large_file_is_a_fault() {
        let page = |size_bytes| Page { path: "docs/a.png".into(), size_bytes, text: None };
        assert_eq!(size(&page(SIZE_MAX_BYTES)), None);
        assert!(size(&page(SIZE_MAX_BYTES + 1)).is_some());
    }

    #[test]
    fn a_file_that_no_module_names_is_a_fault() {
        let pages = [
            Page::made_up(
                "crates/a/src/lib.rs",
                "pub mod used;\nmod folder;\n#[path = \"os/linux.rs\"]\nmod os;\n",
            ),
            Page::made_up("crates/a/src/used.rs", ""),
            Page::made_up("crates/a/src/folder/mod.rs", "pub(crate) mod inner;\n"),
            Page::made_up("crates/a/src/folder/inner.rs", ""),
            Page::made_up("crates/a/src/os/linux.rs", ""),
            Page::made_up("crates/b/src/used.rs", ""),
        ];
        let found = dead_files(&pages);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "crates/b/src/used.rs");
    }
}
