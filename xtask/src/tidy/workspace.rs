//! The shape of the workspace: the permitted dependencies of each crate, and the common lints in every
//! crate.

use anyhow::Context;
use serde_json::Value;

use super::{Fault, Page};
use crate::command;

/// The permitted dependencies of each crate on crates of the workspace, tests included. Data flows from
/// left to right: formats, workload, engine, record, analysis, report. Only crates that carry out a run
/// depend on all of them.
const EDGES: &[(&str, &[&str])] = &[
    ("reelgauge-record", &[]),
    // The hardware and kernel of a host; its counters are kept as records.
    ("reelgauge-machine", &["reelgauge-record"]),
    ("reelgauge-formats", &[]),
    ("reelgauge-workload", &["reelgauge-record", "reelgauge-formats"]),
    ("reelgauge-engine", &["reelgauge-record", "reelgauge-machine", "reelgauge-workload"]),
    ("reelgauge-analysis", &["reelgauge-record", "reelgauge-machine", "reelgauge-formats"]),
    (
        "reelgauge-report",
        &["reelgauge-record", "reelgauge-machine", "reelgauge-analysis", "reelgauge-doctor"],
    ),
    // A trace is a log, and its replay is a script.
    ("reelgauge-trace", &["reelgauge-record", "reelgauge-workload"]),
    // Sources of traces, unknown to the trace crate: other tools' files, and recording.
    ("reelgauge-import", &["reelgauge-record", "reelgauge-trace"]),
    ("reelgauge-capture", &["reelgauge-record", "reelgauge-machine", "reelgauge-trace"]),
    ("reelgauge-doctor", &["reelgauge-machine"]),
    // It drives other programs, and measures nothing itself.
    ("reelgauge-msmeter", &["reelgauge-record", "reelgauge-analysis"]),
    // It opens measured results, and measures nothing.
    (
        "reelgauge-results",
        &[
            "reelgauge-record",
            "reelgauge-machine",
            "reelgauge-workload",
            "reelgauge-analysis",
            "reelgauge-report",
            "reelgauge-trace",
        ],
    ),
    ("reelgauge-runner", PRODUCT),
    // Both have an async runtime, so only the binary may depend on them.
    ("reelgauge-console", PRODUCT),
    ("reelgauge-fleet", PRODUCT),
    ("reelgauge", EVERYTHING),
    ("reelgauge-benches", PRODUCT),
    // The end-to-end tests use only the binary, with two exceptions: one writes hostile traces, which
    // the binary never does, and one is a hostile client of a fleet.
    ("reelgauge-tests", &["reelgauge-record", "reelgauge-trace", "reelgauge-fleet"]),
    // This program does not depend on the product.
    ("xtask", &[]),
];

/// Every library that carries out a run, shows it or measures during it, which is all except sources of
/// traces.
const PRODUCT: &[&str] = &[
    "reelgauge-record",
    "reelgauge-machine",
    "reelgauge-formats",
    "reelgauge-workload",
    "reelgauge-engine",
    "reelgauge-analysis",
    "reelgauge-report",
    "reelgauge-doctor",
    "reelgauge-results",
    "reelgauge-runner",
    "reelgauge-trace",
];

/// The dependencies of the binary: every library.
const EVERYTHING: &[&str] = &[
    "reelgauge-record",
    "reelgauge-machine",
    "reelgauge-formats",
    "reelgauge-workload",
    "reelgauge-engine",
    "reelgauge-analysis",
    "reelgauge-report",
    "reelgauge-doctor",
    "reelgauge-results",
    "reelgauge-runner",
    "reelgauge-trace",
    "reelgauge-import",
    "reelgauge-capture",
    "reelgauge-console",
    "reelgauge-fleet",
    "reelgauge-msmeter",
];

/// Dependencies that the engine must never have. Its check and test cycle must take seconds, and no
/// runtime may schedule threads.
const TOO_HEAVY_FOR_ENGINE: &[&str] =
    &["tokio", "async-std", "arrow", "arrow-array", "arrow-schema", "parquet"];

/// Lints that stay on for the whole workspace.
const LINTS: &[&str] = &[
    "unsafe_op_in_unsafe_fn = \"deny\"",
    "undocumented_unsafe_blocks = \"warn\"",
    "dbg_macro = \"warn\"",
    "too_many_lines = \"warn\"",
    "todo = \"warn\"",
    "unimplemented = \"warn\"",
    "unwrap_used = \"warn\"",
];

/// The workspace and all its dependencies, as reported by cargo.
pub fn metadata() -> anyhow::Result<Value> {
    let text = command::output(crate::cargo().args(["metadata", "--format-version", "1", "--locked"]))?;
    serde_json::from_str(&text).context("cargo metadata gave no JSON")
}

/// Applies the rules on the workspace's shape.
pub fn check(pages: &[Page], metadata: &Value) -> Vec<Fault> {
    let manifest = |path: &str| {
        let page = pages.iter().find(|page| page.path == path);
        page.and_then(|page| page.text.as_deref()).unwrap_or_default()
    };
    let mut faults = lint_table(manifest("Cargo.toml"));
    for package in members(metadata) {
        faults.extend(edges(package));
    }
    let manifests = pages.iter().filter(|page| page.path.ends_with("/Cargo.toml"));
    faults.extend(manifests.filter_map(|page| follows_lints(&page.path, page.text.as_deref()?)));
    faults
}

/// The packages of this workspace: those that come from no registry.
fn members(metadata: &Value) -> impl Iterator<Item = &Value> {
    metadata["packages"].as_array().into_iter().flatten().filter(|package| package["source"].is_null())
}

/// A crate may depend only on crates to its left.
fn edges(package: &Value) -> Vec<Fault> {
    let name = package["name"].as_str().unwrap_or_default();
    let Some((_, allowed)) = EDGES.iter().find(|(from, _)| *from == name) else {
        return vec![Fault::of(name, "say in xtask/src/tidy/workspace.rs which crates it may use")];
    };
    let used = package["dependencies"].as_array().into_iter().flatten().filter_map(|used| {
        // Path dependencies are those on crates of this workspace.
        used["path"].as_str().and(used["name"].as_str())
    });
    // A crate may depend on itself: tests in a separate folder do, for its test data.
    let forbidden = used.filter(|used| *used != name && !allowed.contains(used));
    forbidden.map(|used| Fault::of(name, format!("must not use {used}: data goes one way"))).collect()
}

/// Lints that the quality of the code depends on must stay on.
fn lint_table(manifest: &str) -> Vec<Fault> {
    let missing = LINTS.iter().filter(|lint| !manifest.lines().any(|line| line.trim() == **lint));
    missing.map(|lint| Fault::of("Cargo.toml", format!("[workspace.lints] lacks {lint}"))).collect()
}

/// A member must use the lints of the workspace.
fn follows_lints(path: &str, manifest: &str) -> Option<Fault> {
    // cargo-fuzz needs a separate workspace, which has no common lints.
    if path == "fuzz/Cargo.toml" {
        return None;
    }
    let mut lines = manifest.lines().skip_while(|line| line.trim() != "[lints]").skip(1);
    let follows = lines.next().is_some_and(|line| line.trim() == "workspace = true");
    (!follows).then(|| Fault::of(path, "add `[lints]` with `workspace = true`"))
}

/// Checks that the engine's dependencies, as cargo resolves them for the engine alone, are light.
pub fn engine_stays_lean() -> anyhow::Result<Vec<Fault>> {
    let arguments = ["tree", "--locked", "--package", "reelgauge-engine", "--edges", "normal,build"];
    let all = ["--target", "all", "--prefix", "none", "--format", "{p}"];
    Ok(too_heavy(&command::output(crate::cargo().args(arguments).args(all))?))
}

/// The faults in a list of packages, one "name version …" per line.
fn too_heavy(tree: &str) -> Vec<Fault> {
    let names = tree.lines().filter_map(|line| line.split_whitespace().next());
    let mut heavy: Vec<&str> = names.filter(|name| TOO_HEAVY_FOR_ENGINE.contains(name)).collect();
    heavy.sort_unstable();
    heavy.dedup();
    heavy.iter().map(|name| Fault::of("reelgauge-engine", format!("must not pull in {name}"))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_crate_that_reaches_back_is_a_fault() {
        let package = |name: &str, used: &str| {
            json!({"name": name, "source": null, "dependencies": [
                {"name": used, "path": "somewhere"}, {"name": "serde", "path": null}]})
        };
        assert_eq!(edges(&package("reelgauge-engine", "reelgauge-workload")), []);
        assert_eq!(edges(&package("reelgauge-workload", "reelgauge-engine")).len(), 1);
        assert_eq!(edges(&package("reelgauge-analysis", "reelgauge-engine")).len(), 1);
        assert_eq!(edges(&package("reelgauge-record", "reelgauge-analysis")).len(), 1);
        assert_eq!(edges(&package("reelgauge-new", "reelgauge-record")).len(), 1);
    }

    #[test]
    fn a_lint_that_is_switched_off_is_a_fault() {
        let good = LINTS.join("\n");
        assert_eq!(lint_table(&good), []);
        assert_eq!(lint_table(&good.replace("todo = \"warn\"", "todo = \"allow\"")).len(), 1);
        assert_eq!(follows_lints("a/Cargo.toml", "[package]\n\n[lints]\nworkspace = true\n"), None);
        assert!(follows_lints("a/Cargo.toml", "[package]\n").is_some());
        assert!(follows_lints("a/Cargo.toml", "[lints]\n[dependencies]\nx.workspace = true").is_some());
    }

    #[test]
    fn a_heavy_dependency_of_the_engine_is_a_fault() {
        let lean = "reelgauge-engine v0.1.0 (path)\nlibc v0.2.0\narrow-buffer v60.1.0\n";
        assert_eq!(too_heavy(lean), []);
        assert_eq!(too_heavy(&format!("{lean}tokio v1.54.0\nparquet v60.1.0\ntokio v1.54.0 (*)\n")).len(), 2);
    }
}
