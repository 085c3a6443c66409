//! The drawing of the crates in ARCHITECTURE.md, generated from cargo's metadata, so that it stays true.
//!
//! An arrow goes from a crate to its dependency. If the dependency is also reached through another
//! crate, only the longer path is drawn. Dependencies of tests have no arrows.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::{Fault, Page};

const DOCUMENT: &str = "ARCHITECTURE.md";
/// The text before and after the drawing.
const FRAME: (&str, &str) = ("```mermaid\ngraph RL\n", "```\n");

/// Checks that the drawing in the document matches cargo's metadata.
pub fn check(pages: &[Page], metadata: &Value) -> Vec<Fault> {
    let document = pages.iter().find(|page| page.path == DOCUMENT);
    let text = document.and_then(|page| page.text.as_deref()).unwrap_or_default();
    let stands = text.split_once(FRAME.0).and_then(|(_, rest)| rest.split_once(FRAME.1));
    let drawing = drawing(metadata);
    match stands {
        Some((found, _)) if found == drawing => Vec::new(),
        _ => vec![Fault::of(
            DOCUMENT,
            format!("its drawing of the crates is not what cargo says:\n{}{drawing}{}", FRAME.0, FRAME.1),
        )],
    }
}

/// The arrows, one per line.
fn drawing(metadata: &Value) -> String {
    let uses = uses(metadata);
    let mut lines = String::new();
    for (name, used) in &uses {
        let by_way =
            |other: &&String| used.iter().any(|between| between != *other && reaches(between, other, &uses));
        for other in used.iter().filter(|other| !by_way(other)) {
            lines.push_str(&format!("    {name} --> {other}\n"));
        }
    }
    lines
}

/// The crates of the product, and which of them each uses.
fn uses(metadata: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let in_crates = |package: &&Value| {
        package["source"].is_null()
            && package["manifest_path"].as_str().is_some_and(|path| path.contains("/crates/"))
    };
    let short = |name: &Value| {
        let name = name.as_str().unwrap_or_default();
        name.strip_prefix("reelgauge-").unwrap_or(name).to_owned()
    };
    let of = |package: &Value| {
        let dependencies = package["dependencies"].as_array().into_iter().flatten();
        let ours = dependencies.filter(|used| used["path"].is_string() && used["kind"].is_null());
        (short(&package["name"]), ours.map(|used| short(&used["name"])).collect())
    };
    packages.filter(in_crates).map(of).collect()
}

/// Whether a crate uses another through other crates.
fn reaches(from: &str, to: &str, uses: &BTreeMap<String, BTreeSet<String>>) -> bool {
    let used = uses.get(from).into_iter().flatten();
    used.into_iter().any(|next| next == to || reaches(next, to, uses))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn metadata() -> Value {
        let package = |name: &str, used: &[&str]| {
            let used: Vec<Value> =
                used.iter().map(|used| json!({"name": used, "path": "p", "kind": null})).collect();
            json!({"name": name, "source": null, "manifest_path": format!("/w/crates/{name}/Cargo.toml"),
                "dependencies": used})
        };
        json!({"packages": [
            package("reelgauge-a", &[]),
            package("reelgauge-b", &["reelgauge-a"]),
            package("reelgauge", &["reelgauge-a", "reelgauge-b"]),
        ]})
    }

    #[test]
    fn implied_arrows_are_omitted() {
        assert_eq!(drawing(&metadata()), "    b --> a\n    reelgauge --> b\n");
    }

    #[test]
    fn a_drawing_of_yesterday_is_a_fault() {
        let page = |arrows: &str| Page::made_up(DOCUMENT, &format!("x\n{}{arrows}{}", FRAME.0, FRAME.1));
        assert_eq!(check(&[page("    b --> a\n    reelgauge --> b\n")], &metadata()), []);
        assert_eq!(check(&[page("    b --> a\n")], &metadata()).len(), 1);
    }
}
