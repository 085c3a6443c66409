//! Everything that is linked into the product may be linked into it, and comes from the crate registry.

use serde_json::Value;

use super::Fault;

/// Licences (SPDX) under which a dependency may be used. `deny.toml` has the same list.
const ALLOWED: &[&str] = &[
    "0BSD",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MIT",
    "MIT-0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The only place that dependencies come from.
const REGISTRY: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// Faults of every package that cargo knows of.
pub fn check(metadata: &Value) -> Vec<Fault> {
    let packages = metadata["packages"].as_array().map(Vec::as_slice).unwrap_or_default();
    packages.iter().flat_map(package).collect()
}

/// Faults of one package: its licence, and where it comes from.
fn package(package: &Value) -> Vec<Fault> {
    let name = format!("{} {}", text(&package["name"]), text(&package["version"]));
    let mut faults = Vec::new();
    match package["license"].as_str() {
        None => faults.push(Fault::of(&name, "its manifest names no licence")),
        Some(expression) if !is_allowed(expression) => {
            let what = format!("licence '{expression}' is not in the list of xtask/src/tidy/licences.rs");
            faults.push(Fault::of(&name, what));
        }
        Some(_) => {}
    }
    // Packages of this workspace have no source.
    if package["source"].as_str().is_some_and(|source| source != REGISTRY) {
        faults.push(Fault::of(&name, format!("comes from {}, not from crates.io", text(&package["source"]))));
    }
    faults
}

/// The string, or nothing.
fn text(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

/// Whether an SPDX expression can be satisfied with the allowed licences. `/` is the old way to say `OR`.
fn is_allowed(expression: &str) -> bool {
    let spaced = expression.replace('(', " ( ").replace(')', " ) ").replace('/', " OR ");
    let words: Vec<&str> = spaced.split_whitespace().collect();
    let mut at = 0;
    let allowed = any_of(&words, &mut at);
    allowed && at == words.len()
}

/// `A OR B OR …`; `AND` binds tighter.
fn any_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = all_of(words, at);
    while words.get(*at) == Some(&"OR") {
        *at += 1;
        allowed |= all_of(words, at);
    }
    allowed
}

/// `A AND B AND …`.
fn all_of(words: &[&str], at: &mut usize) -> bool {
    let mut allowed = licence(words, at);
    while words.get(*at) == Some(&"AND") {
        *at += 1;
        allowed &= licence(words, at);
    }
    allowed
}

/// One licence with its exception, or an expression in parentheses.
fn licence(words: &[&str], at: &mut usize) -> bool {
    let Some(&word) = words.get(*at) else {
        return false;
    };
    *at += 1;
    if word == "(" {
        let allowed = any_of(words, at);
        let closed = words.get(*at) == Some(&")");
        *at += 1;
        return allowed && closed;
    }
    match (words.get(*at), words.get(*at + 1)) {
        (Some(&"WITH"), Some(exception)) => {
            *at += 2;
            ALLOWED.contains(&format!("{word} WITH {exception}").as_str())
        }
        _ => ALLOWED.contains(&word),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn expressions_are_read_as_spdx_says() {
        for good in [
            "MIT",
            "MIT/Apache-2.0",
            "MIT OR GPL-3.0-only",
            "(MIT OR Apache-2.0) AND Unicode-3.0",
            "Apache-2.0 WITH LLVM-exception OR Apache-2.0 OR MIT",
            "MIT OR LGPL-2.1-or-later AND Nothing",
        ] {
            assert!(is_allowed(good), "{good}");
        }
        for bad in [
            "GPL-3.0-only",
            "MIT AND GPL-3.0-only",
            "(MIT OR ISC) AND MPL-2.0",
            "",
            "MIT ISC",
            "(MIT",
            "Apache-2.0 WITH Some-exception",
        ] {
            assert!(!is_allowed(bad), "{bad}");
        }
    }

    #[test]
    fn a_package_without_licence_or_from_elsewhere_is_a_fault() {
        let metadata = json!({"packages": [
            {"name": "good", "version": "1.0.0", "license": "MIT", "source": REGISTRY},
            {"name": "own", "version": "1.0.0", "license": "MIT", "source": null},
            {"name": "bare", "version": "1.0.0", "license": null, "source": REGISTRY},
            {"name": "viral", "version": "1.0.0", "license": "AGPL-3.0-only", "source": REGISTRY},
            {"name": "far", "version": "1.0.0", "license": "MIT", "source": "git+https://example.com/far"},
        ]});
        let places: Vec<_> = check(&metadata).into_iter().map(|fault| fault.place).collect();
        assert_eq!(places, ["bare 1.0.0", "viral 1.0.0", "far 1.0.0"]);
    }

    #[test]
    fn deny_toml_has_the_same_list() {
        let deny = std::fs::read_to_string(crate::root().join("deny.toml")).unwrap();
        let (_, list) = deny.split_once("allow = [").unwrap();
        let (list, _) = list.split_once(']').unwrap();
        let listed: Vec<&str> = list.split('"').skip(1).step_by(2).collect();
        assert_eq!(listed, ALLOWED);
    }
}
