//! No code decides by a sentence that is made for people: the next version words it otherwise, and nothing
//! would say so.
//!
//! What is found are string literals of two words and more that are searched for, compared or matched, and
//! constants of the same file that hold such a literal. Tests may look at sentences.

use std::collections::BTreeSet;

use super::source::{StringLiteral, code_and_strings};
use super::{Fault, Page};

/// Methods that look for a text in another one, or compare both.
const METHODS: &[&str] = &[
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

/// Where it is right: the beginning of paths, a part of the literal (empty: all of them), and why.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("crates/machine/src/", "", "what kernels and commands print, and the commands themselves"),
    ("crates/engine/src/area/lock.rs", "shared by run", "the lock file's own form"),
    ("crates/record/src/run_dir.rs", "# reelgauge run directory", "the form of a marker file"),
    ("crates/engine/src/probe/saving.rs", "the project as it", "what a probe writes and reads back"),
    ("crates/fleet/src/connection.rs", "", "errors of the NATS server, which have no number"),
    ("crates/fleet/src/site/", "BEGIN CERTIFICATE", "the form of certificates"),
    ("crates/import/src/fio.rs", "", "the head of another program's file"),
    ("crates/reelgauge/src/verbs/ahead.rs", "For more information", "clap's errors, which are text alone"),
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
pub fn check(pages: &[Page]) -> Vec<Fault> {
    faults(pages, ALLOWED)
}

fn faults(pages: &[Page], allowed: &[(&str, &str, &str)]) -> Vec<Fault> {
    let tests = test_modules(pages);
    let mut needed = vec![false; allowed.len()];
    let mut faults = Vec::new();
    for page in pages.iter().filter(|page| is_product(page, &tests)) {
        for (line, literal) in compared(page.text.as_deref().unwrap_or_default()) {
            let is_allowed = |(place, part, _): &(&str, &str, &str)| {
                page.path.starts_with(place) && literal.contains(part)
            };
            match allowed.iter().position(is_allowed) {
                Some(at) => needed[at] = true,
                None => {
                    let what = format!("decides by the words {literal}; give what they say a type");
                    faults.push(Fault::at(&page.path, line, what));
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

/// Whether a file is code of the product.
fn is_product(page: &Page, tests: &BTreeSet<String>) -> bool {
    let is_source = page.path.starts_with("crates/") && page.path.contains("/src/");
    let in_tests = page.path.split('/').any(|part| part == "tests.rs" || part == "tests");
    let module = page.path.strip_suffix(".rs").unwrap_or(&page.path);
    let is_of_test = |test: &String| module == test || module.starts_with(&format!("{test}/"));
    page.is_rust() && is_source && !in_tests && !tests.iter().any(is_of_test)
}

/// The files, without their ending, of modules that only tests have.
fn test_modules(pages: &[Page]) -> BTreeSet<String> {
    let mut modules = BTreeSet::new();
    for page in pages.iter().filter(|page| page.is_rust()) {
        let folder = match page.path.rsplit_once('/') {
            Some((folder, "lib.rs" | "main.rs" | "mod.rs")) => folder,
            _ => page.path.strip_suffix(".rs").unwrap_or(&page.path),
        };
        let mut is_test = false;
        for line in page.text.as_deref().unwrap_or_default().lines().map(str::trim) {
            let name = line.strip_suffix(';').and_then(module_name);
            if let Some(name) = name.filter(|_| is_test) {
                modules.insert(format!("{folder}/{name}"));
            }
            is_test = is_test_cfg(line) || (is_test && line.starts_with("#["));
        }
    }
    modules
}

/// `tests` of `pub(crate) mod tests`.
fn module_name(item: &str) -> Option<&str> {
    let (visibility, name) = item.rsplit_once("mod ")?;
    (visibility.is_empty() || visibility.starts_with("pub")).then_some(name)
}

/// Whether an attribute leaves what follows to tests.
fn is_test_cfg(line: &str) -> bool {
    line.starts_with("#[cfg(test)") || line.starts_with("#[cfg(all(test")
}

/// The literals of two words and more that the code of a file compares, with their lines.
fn compared(source: &str) -> Vec<(usize, &str)> {
    let (code, strings) = code_and_strings(source);
    let end = tests_from(source, &code);
    let line = |at: usize| code[..at].matches('\n').count() + 1;
    let mut found = Vec::new();
    for string in strings.iter().filter(|string| string.from < end && is_prose(string.token)) {
        if is_compared(&code, string.from, string.until) {
            found.push((line(string.from), string.token));
        }
        let uses = constant(&code, string).into_iter().flat_map(|name| uses(&code[..end], name));
        let places = uses.filter(|(from, until)| is_compared(&code, *from, *until));
        found.extend(places.map(|(from, _)| (line(from), string.token)));
    }
    found
}

/// Where the tests at the end of a file begin.
fn tests_from(source: &str, code: &str) -> usize {
    let mut line_from = 0;
    let mut cfg_from = None;
    // What is blanked has its line breaks still.
    for (line, blank) in source.lines().zip(code.lines()) {
        if is_test_cfg(line) {
            cfg_from = Some(line_from);
        } else if !line.starts_with("#[") {
            let module = line.strip_suffix(" {").and_then(module_name);
            if let Some(from) = cfg_from.filter(|_| module.is_some()) {
                return from;
            }
            cfg_from = None;
        }
        line_from += blank.len() + 1;
    }
    code.len()
}

/// Two words and more.
fn is_prose(token: &str) -> bool {
    let is_word = |part: &&str| {
        let letters: Vec<bool> = part.chars().map(char::is_alphabetic).collect();
        letters.windows(2).any(|two| two == [true, true])
    };
    token.split(' ').filter(is_word).count() > 1
}

/// Whether what stands there is searched for, compared or a pattern.
fn is_compared(code: &str, from: usize, until: usize) -> bool {
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

/// The name of the constant that a literal is.
fn constant<'a>(code: &'a str, string: &StringLiteral<'_>) -> Option<&'a str> {
    let before = code[..string.from].trim_end().strip_suffix('=')?.trim_end();
    let before = before.strip_suffix("&str").or_else(|| before.strip_suffix("&'static str"))?.trim_end();
    let (kind, name) = before.strip_suffix(':')?.rsplit_once(' ')?;
    (kind.ends_with("const") || kind.ends_with("static")).then_some(name)
}

/// Where a name stands in the code.
fn uses<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).map(|(from, name)| (from, from + name.len())).filter(move |(from, until)| {
        !code[..*from].ends_with(is_of_word) && !code[*until..].starts_with(is_of_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a made-up file in which words are compared.
    fn lines(text: &str) -> Vec<usize> {
        compared(text).into_iter().map(|(line, _)| line).collect()
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
            assert!(!lines(bad).is_empty(), "{bad}");
        }
        let page = Page::made_up("crates/made/src/up.rs", "//! Head.\n\nlet a = b.find(\"two words\");\n");
        assert_eq!(faults(&[page], &[])[0].place, "crates/made/src/up.rs:3");
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
            assert_eq!(lines(good), [] as [usize; 0], "{good}");
        }
    }

    #[test]
    fn tests_may_look_at_sentences() {
        for head in ["#[cfg(all(test, unix))]\nmod tests {", "#[cfg(test)]\n#[x]\npub(super) mod tests {"] {
            let inner = format!("{head}\n    a.contains(\"two words\");\n}}\n");
            assert_eq!(lines(&inner), [] as [usize; 0], "{head}");
        }
        let parent = Page::made_up("crates/made/src/lib.rs", "#[cfg(test)]\npub(crate) mod worlds;\n");
        let child = Page::made_up("crates/made/src/worlds/one.rs", "a.contains(\"two words\");\n");
        assert_eq!(faults(&[parent, child.clone()], &[]), []);
        assert_eq!(faults(&[child], &[]).len(), 1);
    }

    #[test]
    fn an_exception_holds_for_its_words_and_has_to_be_needed() {
        let page = Page::made_up("crates/made/src/up.rs", "a.contains(\"two words\");\n");
        assert_eq!(faults(std::slice::from_ref(&page), &[("crates/made/", "two", "why")]), []);
        assert_eq!(faults(std::slice::from_ref(&page), &[("crates/made/", "three", "why")]).len(), 2);
        assert_eq!(faults(&[], &[("crates/made/", "", "why")]).len(), 1);
    }
}
