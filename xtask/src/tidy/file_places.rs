//! Every file is in an expected folder, and is small.
//!
//! The step `shear` (cargo-shear) finds source files that no module names.

use super::{Fault, Page};

/// The folders of the repository. A file is in one of them, or is one of [`ROOT_FILES`].
const ROOMS: &[&str] = &[
    ".cargo/",
    ".ci/",
    ".github/",
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
    "packaging/",
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

/// The largest committed file, in bytes. Generate larger data instead.
const SIZE_MAX_BYTES: u64 = 1 << 20;

/// Applies every rule on places.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for page in pages {
        faults.extend(room(&page.path));
        faults.extend(size(page));
    }
    faults
}

/// A file must be in one of the folders, and Rust source in a place from which cargo builds.
fn room(path: &str) -> Option<Fault> {
    let at_home = match path.contains('/') {
        true => ROOMS.iter().any(|room| path.starts_with(room)),
        false => ROOT_FILES.contains(&path),
    };
    if !at_home {
        return Some(Fault::of(
            path,
            "lies in no room; move it, or add its room to xtask/src/tidy/file_places.rs",
        ));
    }
    let built =
        path.split('/').any(|part| matches!(part, "src" | "tests" | "benches" | "examples" | "fuzz_targets"))
            || path.ends_with("/build.rs");
    (path.ends_with(".rs") && !built).then(|| Fault::of(path, "cargo builds no source from here"))
}

/// A repository that is cloned often must stay small.
fn size(page: &Page) -> Option<Fault> {
    (page.size_bytes > SIZE_MAX_BYTES)
        .then(|| Fault::of(&page.path, format!("has {} bytes; {SIZE_MAX_BYTES} at most", page.size_bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_outside_listed_folders_is_a_fault() {
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
}
