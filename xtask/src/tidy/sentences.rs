//! Sentences for users are in `crates/report`. Errors have theirs next to their types.
//!
//! Literals of four words or more in other crates are counted, except attributes (`#[error]`, help) and
//! messages of errors and assertions. [`ALLOWED`] is the number that each crate still has. It may only
//! decrease.

use std::collections::BTreeMap;

use super::Fault;
use super::product::{Product, constant, uses, words};

/// A literal of at least this many words is a sentence.
const WORDS_MIN: usize = 4;

/// Crates that still have sentences, and exactly how many. Raised once, by 17 in all: errors of three words
/// gained a cause or a remedy.
const ALLOWED: &[(&str, usize)] = &[
    ("analysis", 25),
    ("capture", 28),
    ("console", 126),
    ("doctor", 40),
    ("engine", 106),
    ("fleet", 123),
    ("formats", 26),
    ("import", 145),
    ("machine", 75),
    ("msmeter", 26),
    ("record", 96),
    ("reelgauge", 145),
    ("results", 74),
    ("runner", 145),
    ("trace", 73),
    ("workload", 71),
];

/// Calls whose literals are messages of errors, assertions or help.
const CALLS: &[&str] = &[
    "expect",
    "expect_err",
    "context",
    "with_context",
    "bail!",
    "ensure!",
    "anyhow!",
    "panic!",
    "assert!",
    "assert_eq!",
    "assert_ne!",
    "debug_assert!",
    "debug_assert_eq!",
    "debug_assert_ne!",
    "unreachable!",
    "help",
    "long_help",
    "about",
    "long_about",
    "after_help",
    "after_long_help",
];

/// Crates with more or fewer sentences than they may have.
pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    faults(product, ALLOWED)
}

fn faults(product: &[Product<'_>], allowed: &[(&str, usize)]) -> Vec<Fault> {
    let mut found: BTreeMap<&str, Vec<String>> =
        allowed.iter().map(|(name, _)| (*name, Vec::new())).collect();
    for file in product.iter().filter(|file| file.crate_name() != "report") {
        for string in file.strings.iter().filter(|string| words(string.token) >= WORDS_MIN) {
            let uses = constant(&file.code, string).into_iter().flat_map(|name| uses(&file.code, name));
            let mut places = uses.map(|(from, _)| from).chain([string.from]);
            if !places.any(|at| is_excused(&file.code, at)) {
                let place = format!("{}:{} {}", file.path, file.line(string.from), string.token);
                found.entry(file.crate_name()).or_default().push(place);
            }
        }
    }
    let mut faults = Vec::new();
    for (name, places) in found {
        let allowed = allowed.iter().find(|(of, _)| *of == name).map_or(0, |(_, count)| *count);
        let what = match places.len() {
            count if count < allowed => format!(
                "has {count} sentences, not {allowed}; lower the number in xtask/src/tidy/sentences.rs"
            ),
            count if count > allowed => format!(
                "has {count} sentences, {allowed} at most; move the new one to crates/report:\n    {}",
                places.join("\n    ")
            ),
            _ => continue,
        };
        faults.push(Fault::of(format!("crates/{name}"), what));
    }
    faults
}

/// Whether the literal at this place belongs to an attribute, to one of [`CALLS`] or to an error.
fn is_excused(code: &str, at: usize) -> bool {
    let mut closed = 0;
    for (at, bracket) in code[..at].char_indices().rev() {
        let before = &code[..at];
        match bracket {
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed > 0 => closed -= 1,
            '[' if before.ends_with(['#', '!']) && before.trim_end_matches('!').ends_with('#') => {
                return true;
            }
            '(' if CALLS.contains(&called(before)) => return true,
            '{' if shows_error(code, before) => return true,
            _ => {}
        }
    }
    false
}

/// The function or macro whose opening bracket follows this code.
fn called(before: &str) -> &str {
    let is_of_name = |c: char| c.is_alphanumeric() || c == '_' || c == '!';
    &before[before.trim_end_matches(is_of_name).len()..]
}

/// Whether the block after this code is the `Display` of an error.
fn shows_error(code: &str, before: &str) -> bool {
    let head = &before[before.rfind([';', '{', '}']).map_or(0, |at| at + 1)..];
    let shown = head.split_once("Display for ").map(|(_, name)| name.trim());
    shown.is_some_and(|name| name.ends_with("Error") || code.contains(&format!("Error for {name} ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Page;

    /// The faults of a made-up file that may have `allowed` sentences.
    fn found(path: &str, text: &str, allowed: usize) -> usize {
        faults(&Product::of(&[Page::made_up(path, text)]), &[("made", allowed)]).len()
    }

    const PATH: &str = "crates/made/src/up.rs";

    #[test]
    fn a_sentence_outside_its_crate_is_a_fault() {
        for bad in [
            "let text = format!(\"The run took {s} and failed.\");",
            "const SENTENCE: &str = \"The store was full.\";",
            "impl fmt::Display for Verdict {\n    write!(f, \"The store was full.\")\n}",
            "let all = [\"The store was full.\"];",
        ] {
            assert_eq!(found(PATH, bad, 0), 1, "{bad}");
            assert_eq!(found("crates/report/src/up.rs", bad, 0), 0, "{bad}");
        }
    }

    #[test]
    fn errors_assertions_help_and_short_labels_are_none() {
        for good in [
            "#[error(\"The store at {path} was full.\")]\nFull,",
            "#![allow(lint, reason = \"it is as it is\")]",
            "#[command(\n    about = \"Does all that there is\"\n)]",
            "let a = b.expect(\"a run has a beginning\");",
            "debug_assert_eq!(a, f(b), \"a run has a beginning\");",
            "ensure!(a, format!(\"a run has a beginning {a}\"));",
            "impl fmt::Display for Full {\n    write!(f, \"The store was full.\")\n}\nimpl Error for Full {}",
            "impl fmt::Display for StoreError {\n    write!(f, \"The store was full.\")\n}",
            "let label = \"late frames {a} {of} {all}\";",
            "const HELP: &str = \"Does all that there is\";\n#[command(after_help = HELP)]",
            "// \"The store was full.\"",
        ] {
            assert_eq!(found(PATH, good, 0), 0, "{good}");
        }
    }

    #[test]
    fn the_number_of_a_crate_only_sinks() {
        let two = "f(\"The store was full.\", \"The store was empty.\");";
        assert_eq!(found(PATH, two, 2), 0);
        assert_eq!(found(PATH, two, 1), 1);
        assert_eq!(found(PATH, two, 3), 1, "fewer than the table has: it is to be lowered");
        assert_eq!(found("crates/other/src/lib.rs", two, 1), 2, "a crate that is not in the table has none");
    }
}
