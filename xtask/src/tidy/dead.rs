//! Public items that nothing but tests uses. The compiler warns of private ones only.
//!
//! An item counts as used when its name stands a second time anywhere in the product's own code, so a dead
//! one that shares its name with a living one is not found. cargo-shear (the step `shear`) looks at
//! dependencies and source files only, never at items.

use std::collections::HashMap;

use super::source::without_tests;
use super::{Fault, Page};

/// Where items are for tests alone, and why.
const FOR_TESTS: &[(&str, &str)] = &[
    ("crates/formats/src/layout/", "formulas that the catalogue's figures are checked against"),
    ("crates/engine/src/simulated", "the driver of the feature `simulation`, which only tests turn on"),
    ("crates/trace/src/replay/sample.rs", "traces made up for tests"),
    (
        "crates/record/src/test_records.rs",
        "operations made up for tests, of a feature that only they turn on",
    ),
    ("crates/analysis/src/late/test_streams.rs", "the same for streams"),
    ("crates/analysis/src/test_figures.rs", "the same for figures"),
    ("crates/trace/src/library.rs", "a library of other folders than the user's, for tests"),
];

/// What begins an item.
const KINDS: [&str; 7] = ["fn", "struct", "enum", "const", "static", "type", "trait"];

/// Every public item that nothing uses.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    let product: Vec<(&Page, String)> = pages
        .iter()
        .filter(|page| is_product(page))
        .map(|page| (page, without_tests(page.text.as_deref().unwrap_or_default())))
        .collect();
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for (_, code) in &product {
        words(code).for_each(|word| *uses.entry(word).or_default() += 1);
    }
    let mut faults = Vec::new();
    for (page, code) in &product {
        if FOR_TESTS.iter().any(|(place, _)| page.path.starts_with(place)) {
            continue;
        }
        for (line, text) in code.lines().enumerate() {
            if let Some(name) = public_item(text).filter(|name| uses.get(name) == Some(&1)) {
                let what = format!("nothing uses {name} but tests; remove it, or make it theirs");
                faults.push(Fault::at(&page.path, line + 1, what));
            }
        }
    }
    faults
}

/// Whether a file is code of the product.
fn is_product(page: &Page) -> bool {
    let is_source = page.path.starts_with("crates/") && page.path.contains("/src/");
    let is_test =
        page.path.split('/').any(|part| part == "tests.rs" || part == "tests" || part == "simulation");
    page.is_rust() && is_source && !is_test
}

fn words(code: &str) -> impl Iterator<Item = &str> {
    code.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| !word.is_empty())
}

/// The name of the item that a line makes public.
fn public_item(line: &str) -> Option<&str> {
    let mut words = words(line.trim_start().strip_prefix("pub ")?).peekable();
    while let Some(word) = words.next() {
        let is_modifier = matches!(word, "const" | "unsafe" | "async") && words.peek() == Some(&"fn");
        if is_modifier {
            continue;
        }
        return if KINDS.contains(&word) { words.next() } else { None };
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_only_tests_use_is_found() {
        let page = |path: &str, text: &str| Page::made_up(path, text);
        let pages = [
            page("crates/a/src/lib.rs", "pub fn used() {}\npub const fn dead() {}\npub struct Dead;\n"),
            page("crates/a/src/b.rs", "fn f() { used() }\n#[cfg(test)]\nmod tests { fn t() { dead() } }"),
            page("crates/a/tests/c.rs", "fn t() { dead(); Dead; }"),
        ];
        let found: Vec<String> = check(&pages).into_iter().map(|fault| fault.place).collect();
        assert_eq!(found, ["crates/a/src/lib.rs:2", "crates/a/src/lib.rs:3"]);
    }

    #[test]
    fn words_in_comments_are_no_use() {
        let pages = [Page::made_up("crates/a/src/lib.rs", "// dead\n/// [`dead`]\npub fn dead() {}\n")];
        assert_eq!(check(&pages).len(), 1);
    }
}
