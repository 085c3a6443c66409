//! Tests assert on data, not on sentences. A reworded sentence breaks a test that quotes it, and a check
//! that a sentence is absent can then no longer fail.
//!
//! The rule counts string literals with [`WORDS_MIN`] lower-case words that a test compares, searches for
//! or lists as cases. [`ALLOWED`] is the number in each area, and may only decrease. Snapshots of insta are
//! not counted: one command updates them.

use std::collections::BTreeMap;

use super::product::Product;
use super::prose::{METHODS, is_compared};
use super::{Fault, Page};

/// A literal with so many lower-case words is a sentence.
const WORDS_MIN: usize = 4;

/// How many sentences the tests of each crate, and those in `tests/`, still quote.
const ALLOWED: &[(&str, usize)] = &[
    ("analysis", 9),
    ("capture", 1),
    ("console", 11),
    ("doctor", 8),
    ("engine", 38),
    ("fleet", 17),
    ("formats", 8),
    ("msmeter", 10),
    ("record", 12),
    ("reelgauge", 34),
    ("report", 5),
    ("results", 28),
    ("runner", 27),
    ("tests", 14),
    ("trace", 8),
    ("workload", 7),
];

/// Places in which a sentence is data: the prefix of the path, a part of the literal (empty: all), why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[
    ("crates/machine/", "", "what kernels and other programs print"),
    ("crates/import/", "", "lines of other programs' files"),
    ("tests/src/sentences/", "", "screens that the comparison with a summary has to judge"),
];

/// Assertions, and how many of their arguments are compared. The rest is a message.
const ASSERTIONS: &[(&str, usize)] = &[
    ("assert!", 1),
    ("debug_assert!", 1),
    ("prop_assert!", 1),
    ("assert_eq!", 2),
    ("assert_ne!", 2),
    ("prop_assert_eq!", 2),
];

/// Areas whose tests quote more or fewer sentences than they may.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    faults(&Product::tests_of(pages), ALLOWED, EXCEPTIONS)
}

fn faults(tests: &[Product<'_>], allowed: &[(&str, usize)], exceptions: &[(&str, &str, &str)]) -> Vec<Fault> {
    let mut needed = vec![false; exceptions.len()];
    let mut found: BTreeMap<&str, Vec<String>> =
        allowed.iter().map(|(area, _)| (*area, Vec::new())).collect();
    for file in tests {
        for (line, literal) in quoted(file) {
            let is_allowed = |(place, part, _): &(&str, &str, &str)| {
                file.path.starts_with(place) && literal.contains(part)
            };
            match exceptions.iter().position(is_allowed) {
                Some(at) => needed[at] = true,
                None => {
                    found.entry(area(file.path)).or_default().push(format!("{}:{line} {literal}", file.path));
                }
            }
        }
    }
    let unneeded = exceptions.iter().zip(needed).filter(|(_, needed)| !needed);
    let mut faults: Vec<Fault> = unneeded
        .map(|((place, part, _), _)| {
            Fault::of(*place, format!("quotes no {part:?}; remove it from xtask/src/tidy/quotes.rs"))
        })
        .collect();
    for (area, places) in found {
        let allowed = allowed.iter().find(|(of, _)| *of == area).map_or(0, |(_, count)| *count);
        match places.len() {
            count if count * 20 < allowed * 19 => faults.push(Fault::of(
                area,
                format!("tests quote {count} sentences, not {allowed}; lower the number in quotes.rs"),
            )),
            count if count > allowed => faults.push(Fault::of(
                area,
                format!(
                    "tests quote {count} sentences, {allowed} at most; assert on a figure, a flag, a path or \
                     a type, or take a snapshot:\n    {}",
                    places.join("\n    ")
                ),
            )),
            _ => {}
        }
    }
    faults
}

/// The crate, or `tests`.
fn area(path: &str) -> &str {
    let mut parts = path.split('/');
    match parts.next() {
        Some("crates") => parts.next().unwrap_or_default(),
        first => first.unwrap_or_default(),
    }
}

/// The sentences that a file of tests quotes, with their lines.
fn quoted<'a>(file: &Product<'a>) -> Vec<(usize, &'a str)> {
    let is_sentence = |token: &str| lower_case_words(token) >= WORDS_MIN;
    let strings = file.strings.iter().filter(|string| is_sentence(string.token));
    let quoted = strings.filter(|string| {
        is_asserted(&file.code, string.from) || is_compared(&file.code, string.from, string.until)
    });
    quoted.map(|string| (file.line(string.from), string.token)).collect()
}

/// How many words of a literal have only lower-case letters. Figures, flags, paths, names in code and
/// placeholders are none.
fn lower_case_words(token: &str) -> usize {
    let token = token.replace("\\n", " ");
    let word = |part: &str| part.trim_matches(|c: char| c.is_ascii_punctuation() && c != '-').to_owned();
    let is_word = |part: &String| part.len() > 1 && part.chars().all(|c| c.is_ascii_lowercase());
    token.split_whitespace().filter(|part| !part.starts_with(['{', '/'])).map(word).filter(is_word).count()
}

/// Whether the literal at this place is an argument of an assertion or of a search, or a case of a loop.
fn is_asserted(code: &str, from: usize) -> bool {
    let (mut depth, mut arguments_before) = (0_usize, 0);
    for (at, c) in code[..from].char_indices().rev() {
        match c {
            ')' | ']' | '}' => depth += 1,
            '(' | '[' | '{' if depth > 0 => depth -= 1,
            '{' => return false,
            '[' if code[..at].trim_end().trim_end_matches('&').trim_end().ends_with(" in") => return true,
            '(' if has_method(&code[..at]) => return true,
            '(' | '[' => {
                let name = ASSERTIONS.iter().find(|(name, _)| is_call(&code[..at], name));
                if let Some((_, compared)) = name {
                    return arguments_before < *compared;
                }
                arguments_before = 0;
            }
            ',' if depth == 0 => arguments_before += 1,
            ';' if depth == 0 => return false,
            _ => {}
        }
    }
    false
}

/// Whether the code ends in a method that searches or compares.
fn has_method(code: &str) -> bool {
    let called = code.rsplit_once('.').map(|(_, method)| method.trim());
    called.is_some_and(|method| METHODS.contains(&method))
}

/// Whether the code ends in this name, and not in a longer one.
fn is_call(code: &str, name: &str) -> bool {
    let before = code.strip_suffix(name);
    before.is_some_and(|before| !before.ends_with(|c: char| c.is_alphanumeric() || c == '_'))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of the tests of a synthetic file.
    fn found(path: &str, code: &str, allowed: usize, exceptions: &[(&str, &str, &str)]) -> Vec<Fault> {
        let pages = [Page::made_up(path, code)];
        faults(&Product::tests_of(&pages), &[(area(path), allowed)], exceptions)
    }

    #[test]
    fn assertions_that_quote_a_sentence_are_faults() {
        for bad in [
            "assert!(text.contains(\"the disk was too slow\"));",
            "assert!(!text.contains(\"the disk was too slow\"), \"{text}\");",
            "assert!(text.contains(&format!(\"{disk}: the disk was too slow\")));",
            "assert!(is_told && lines[0].starts_with(\"the disk was too slow\"));",
            "assert_eq!(error.to_string(), \"the disk was too slow\");",
            "assert_eq!((1, error.as_str()), (1, \"the disk was too slow\"));",
            "let line = text.lines().find(|line| line.ends_with(\"the disk was too slow\"));",
            "for (flag, why) in [(\"--a\", \"the disk was too slow\")] {}",
        ] {
            let body = format!("fn f() {{\n    {bad}\n}}\n");
            for path in ["tests/tests/timed/a.rs", "crates/made/tests/a.rs", "crates/made/src/a/tests.rs"] {
                assert_eq!(found(path, &body, 0, &[]).len(), 1, "{path}: {bad}");
            }
            let module = format!("fn a() {{}}\n#[cfg(test)]\nmod tests {{\n{body}}}\n");
            assert_eq!(found("crates/made/src/a.rs", &module, 0, &[]).len(), 1, "{bad}");
            assert_eq!(found("crates/made/src/a.rs", &body, 0, &[]), [], "the product: {bad}");
        }
    }

    #[test]
    fn data_messages_input_and_snapshots_are_none() {
        for good in [
            "assert!(text.contains(\"--max-rate 84 MB/s /mnt/a {disk}\"));",
            "assert!(text.contains(\"too slow\"));",
            "assert!(is_slow, \"the disk was too slow: {text}\");",
            "assert_eq!(a, b, \"the disk was too slow\");",
            "let text = judged(\"the disk was too slow\");",
            "insta::assert_snapshot!(said(\"the disk was too slow\"));",
            "assert_eq!(of(a), 1); let said = \"the disk was too slow\";",
        ] {
            assert_eq!(
                found("tests/tests/timed/a.rs", &format!("fn f() {{ {good} }}"), 0, &[]),
                [],
                "{good}"
            );
        }
    }

    #[test]
    fn the_number_of_an_area_only_sinks() {
        let bad = "assert!(text.contains(\"the disk was too slow\"));";
        assert_eq!(found("tests/tests/a.rs", bad, 1, &[]), []);
        assert_eq!(found("tests/tests/a.rs", bad, 2, &[]).len(), 1, "fewer: the number is to be lowered");
        assert_eq!(found("tests/tests/a.rs", &bad.repeat(3), 2, &[]).len(), 1);
    }

    #[test]
    fn an_exception_is_for_its_words_and_must_be_needed() {
        let bad = "assert!(text.contains(\"the disk was too slow\"));";
        assert_eq!(found("tests/tests/a.rs", bad, 0, &[("tests/", "disk", "why")]), []);
        assert_eq!(found("tests/tests/a.rs", bad, 0, &[("tests/", "network", "why")]).len(), 2);
    }
}
