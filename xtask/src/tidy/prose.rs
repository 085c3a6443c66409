//! No code compares sentences written for users. The next version words them differently, and no check
//! would notice.
//!
//! The rule finds string literals of two words or more that are searched for, compared or matched, and
//! constants of the same file with such a literal. Tests may compare sentences.

use super::Fault;
use super::product::{Product, constant, uses, words};

/// Methods that search a text or compare two.
pub(super) const METHODS: &[&str] = &[
    "contains",
    "starts_with",
    "ends_with",
    "strip_prefix",
    "strip_suffix",
    "split",
    "split_once",
    "rsplit",
    "rsplit_once",
    "splitn",
    "split_terminator",
    "find",
    "rfind",
    "matches",
    "trim_start_matches",
    "trim_end_matches",
    "replace",
    "replacen",
    "eq",
];

/// Exceptions: the prefix of paths, a part of the literal (empty: all of them), and the reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("crates/machine/src/", "", "what kernels and commands print, and the commands themselves"),
    ("crates/engine/src/area/lock.rs", "shared by run", "the lock file's own form"),
    ("crates/record/src/run_dir.rs", "# reelgauge run directory", "the form of a marker file"),
    ("crates/engine/src/probe/atomic_save.rs", "the project as it", "what a probe writes and reads back"),
    ("crates/fleet/src/connection.rs", "", "errors of the NATS server, which have no number"),
    ("crates/fleet/src/fleet_site/", "BEGIN CERTIFICATE", "the form of certificates"),
    ("crates/import/src/fio.rs", "", "the head of another program's file"),
    ("crates/reelgauge/src/verbs/estimate.rs", "For more information", "clap's errors, which are text alone"),
    ("crates/console/src/bundle.rs", "<meta http-equiv", "the page's own frame"),
    ("crates/report/src/html.rs", "id=", "the page's own frame"),
    (
        "crates/report/src/compare/cautions.rs",
        "direct ignored",
        "a value of effective_mode.found in a summary",
    ),
    ("crates/report/src/doctor/probes.rs", "no difference seen", "a value of the fact clock"),
];

/// Every place where code reads a sentence.
pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    faults(product, ALLOWED)
}

fn faults(product: &[Product<'_>], allowed: &[(&str, &str, &str)]) -> Vec<Fault> {
    let mut needed = vec![false; allowed.len()];
    let mut faults = Vec::new();
    for file in product {
        for (line, literal) in compared(file) {
            let is_allowed = |(place, part, _): &(&str, &str, &str)| {
                file.path.starts_with(place) && literal.contains(part)
            };
            match allowed.iter().position(is_allowed) {
                Some(at) => needed[at] = true,
                None => {
                    let what = format!("decides by the words {literal}; give what they say a type");
                    faults.push(Fault::at(file.path, line, what));
                }
            }
        }
    }
    let unneeded = allowed.iter().zip(needed).filter(|(_, needed)| !needed);
    faults.extend(unneeded.map(|((place, part, _), _)| {
        Fault::of(*place, format!("compares no words {part:?}; remove it from xtask/src/tidy/prose.rs"))
    }));
    faults
}

/// The literals of two words and more that the code of a file compares, with their lines.
fn compared<'a>(file: &Product<'a>) -> Vec<(usize, &'a str)> {
    let code = &file.code;
    let mut found = Vec::new();
    for string in file.strings.iter().filter(|string| words(string.token) > 1) {
        if is_compared(code, string.from, string.until) {
            found.push((file.line(string.from), string.token));
        }
        let uses = constant(code, string).into_iter().flat_map(|name| uses(code, name));
        let places = uses.filter(|(from, until)| is_compared(code, *from, *until));
        found.extend(places.map(|(from, _)| (file.line(from), string.token)));
    }
    found
}

/// Whether the literal at this place is searched for, compared or a pattern.
pub(super) fn is_compared(code: &str, from: usize, until: usize) -> bool {
    let before = code[..from].trim_end().trim_end_matches(['&', '*', '[']).trim_end();
    let behind = code[until..].trim_start();
    let is_equal = |text: &str, of: fn(&str, &str) -> bool| of(text, "==") || of(text, "!=");
    let is_searched = || {
        let call = before.strip_suffix('(').and_then(|call| call.rsplit_once('.'));
        call.is_some_and(|(_, method)| METHODS.contains(&method.trim()))
    };
    let is_pattern = behind.starts_with("=>") || (behind.starts_with('|') && !behind.starts_with("||"));
    is_pattern
        || is_equal(before, |text, sign| text.ends_with(sign))
        || is_equal(behind, |text, sign| text.starts_with(sign))
        || is_searched()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Page;

    /// The faults of a made-up file.
    fn found(text: &str, allowed: &[(&str, &str, &str)]) -> Vec<Fault> {
        faults(&Product::of(&[Page::made_up("crates/made/src/up.rs", text)]), allowed)
    }

    #[test]
    fn words_that_are_searched_for_compared_or_matched_are_faults() {
        for bad in [
            "if note.contains(\"Measured for only\") {}",
            "let rest = text\n    .strip_prefix(\"Seen beside it: \");",
            "notes.retain(|note| !note.starts_with(&\"This run\"));",
            "let is_it = reason == \"the user stopped it\";",
            "let is_it = \"the user stopped it\" != reason;",
            "match reason { \"by the user\" | \"by nobody\" => 1, _ => 2 }",
            "const SEEN: &str = \"Seen beside it\";\nfn f(t: &str) -> bool { t.starts_with(SEEN) }",
        ] {
            assert!(!found(bad, &[]).is_empty(), "{bad}");
        }
        assert_eq!(
            found("//! Head.\n\nlet a = b.find(\"two words\");\n", &[])[0].place,
            "crates/made/src/up.rs:3"
        );
    }

    #[test]
    fn words_that_are_made_single_words_and_signs_are_none() {
        for good in [
            "let text = format!(\"Measured for only {s}\");",
            "if name.starts_with(\"nfs\") || line.contains(\" - \") {}",
            "let told = known.map_or_else(|| \"not known\".to_owned(), |it| \"known at last\".to_owned());",
            "const SEEN: &str = \"Seen beside it\";\nfn f() -> &'static str { SEEN }",
            "// note.contains(\"two words\")",
        ] {
            assert_eq!(found(good, &[]), [], "{good}");
        }
    }

    #[test]
    fn an_exception_holds_for_its_words_and_has_to_be_needed() {
        let bad = "a.contains(\"two words\");\n";
        assert_eq!(found(bad, &[("crates/made/", "two", "why")]), []);
        assert_eq!(found(bad, &[("crates/made/", "three", "why")]).len(), 2);
        assert_eq!(found("", &[("crates/made/", "", "why")]).len(), 1);
    }
}
