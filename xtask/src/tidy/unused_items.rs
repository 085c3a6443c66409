//! Public items that only tests use. The compiler warns of private ones only.
//!
//! An item counts as used if its name occurs a second time anywhere in the product's own code. A dead
//! item that shares its name with a used one is therefore not found. cargo-shear (the step `shear`)
//! checks dependencies and source files, never items.

use std::collections::HashMap;

use super::Fault;
use super::product::Product;

/// Items for tests only: the file, the name of an item or all, and the reason.
const FOR_TESTS: &[(&str, &str, &str)] = &[
    ("crates/formats/src/layout/", "", "formulas that the catalogue's figures are checked against"),
    ("crates/engine/src/simulated", "", "the driver of the feature `simulation`, which only tests turn on"),
    ("crates/engine/src/area.rs", "open_existing", "without terms, which runs always have"),
    ("crates/engine/src/area.rs", "open_or_create", "the same"),
    ("crates/trace/src/replay/sample.rs", "", "traces made up for tests"),
    ("crates/trace/src/library.rs", "", "a library of other folders than the user's, for tests"),
    ("crates/analysis/src/statement/component.rs", "is_consistent", "what tests of every statement assert"),
];

/// Keywords that begin an item.
const KINDS: [&str; 7] = ["fn", "struct", "enum", "const", "static", "type", "trait"];

/// Every public item that nothing uses.
pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    let mut uses: HashMap<&str, usize> = HashMap::new();
    for file in product {
        words(&file.code).for_each(|word| *uses.entry(word).or_default() += 1);
    }
    let mut faults = Vec::new();
    for file in product {
        let is_for_tests = |name: &str| {
            let is_it = |item: &str| item.is_empty() || item == name;
            FOR_TESTS.iter().any(|(place, item, _)| file.path.starts_with(place) && is_it(item))
        };
        for (line, text) in file.code.lines().enumerate() {
            if let Some(name) =
                public_item(text).filter(|name| uses.get(name) == Some(&1) && !is_for_tests(name))
            {
                let what = format!("nothing uses {name} but tests; remove it, or make it theirs");
                faults.push(Fault::at(file.path, line + 1, what));
            }
        }
    }
    faults
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
    use crate::pages::Page;

    #[test]
    fn items_used_only_by_tests_are_found() {
        let page = |path: &str, text: &str| Page::made_up(path, text);
        let pages = [
            page("crates/a/src/lib.rs", "pub fn used() {}\npub const fn dead() {}\npub struct Dead;\n"),
            page("crates/a/src/b.rs", "fn f() { used() }\n#[cfg(test)]\nmod tests {\n fn t() { dead() } }"),
            page("crates/a/tests/c.rs", "fn t() { dead(); Dead; }"),
        ];
        let found: Vec<String> = check(&Product::of(&pages)).into_iter().map(|fault| fault.place).collect();
        assert_eq!(found, ["crates/a/src/lib.rs:2", "crates/a/src/lib.rs:3"]);
    }

    #[test]
    fn words_in_comments_are_no_use() {
        let pages = [Page::made_up("crates/a/src/lib.rs", "// dead\n/// [`dead`]\npub fn dead() {}\n")];
        assert_eq!(check(&Product::of(&pages)).len(), 1);
    }
}
