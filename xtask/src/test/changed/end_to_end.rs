//! Which end-to-end tests a change can break, by the names in their files: verbs, beds and data.
//!
//! A verb counts as named if it is a whole string literal, which is how a command line is written in
//! Rust. The names in the beds of a test count for the test, too.

use std::collections::{BTreeMap, BTreeSet};

use crate::pages::{Page, names};

/// Beds that every test uses. Their names identify no test, and a change of one concerns all tests.
const COMMON: &[&str] = &["binary", "lib", "needs", "programs", "run_dir", "scratch", "throttle", "verb"];

/// The folder of the end-to-end tests.
const TESTS: &str = "tests/tests/";
const BEDS: &str = "tests/src/";

/// The end-to-end tests, a module per file.
pub struct EndToEnd<'a> {
    /// The files of each module: its own and those of its beds.
    modules: BTreeMap<&'a str, Vec<&'a Page>>,
}

impl<'a> EndToEnd<'a> {
    pub fn of(pages: &'a [Page]) -> EndToEnd<'a> {
        let mut beds: BTreeMap<&str, Vec<&Page>> = BTreeMap::new();
        for page in pages.iter().filter(|page| page.is_rust()) {
            if let Some(bed) = bed(&page.path).filter(|bed| !COMMON.contains(bed)) {
                beds.entry(bed).or_default().push(page);
            }
        }
        let modules = pages.iter().filter(|page| page.is_rust());
        let modules = modules.filter_map(|page| Some((module(&page.path)?, with_beds(page, &beds))));
        EndToEnd { modules: modules.collect() }
    }

    pub fn all(&self) -> BTreeSet<String> {
        self.that(|_, _| true)
    }

    /// The modules that a change of this file of the folder `tests` concerns: a test, a bed, or its
    /// data.
    pub fn concerned_by(&self, path: &str) -> BTreeSet<String> {
        if bed(path).is_some_and(|bed| COMMON.contains(&bed)) {
            return self.all();
        }
        let data = path.strip_prefix("tests/").unwrap_or(path);
        self.that(|name, pages| {
            module(path) == Some(name)
                || pages
                    .iter()
                    .any(|page| page.path == path || names(text(page), path) || names(text(page), data))
        })
    }

    /// The modules that name one of these verbs.
    pub fn naming(&self, verbs: &BTreeSet<&str>) -> BTreeSet<String> {
        let quoted: Vec<String> = verbs.iter().map(|verb| format!("\"{verb}\"")).collect();
        self.that(|_, pages| {
            pages.iter().any(|page| quoted.iter().any(|verb| text(page).contains(verb.as_str())))
        })
    }

    fn that(&self, is_meant: impl Fn(&str, &[&Page]) -> bool) -> BTreeSet<String> {
        let meant = self.modules.iter().filter(|(name, pages)| is_meant(name, pages));
        meant.map(|(name, _)| (*name).to_owned()).collect()
    }
}

/// The module that a file belongs to; a snapshot belongs to its tests. Tests of the Windows program are a
/// separate step.
fn module(path: &str) -> Option<&str> {
    let (program, file) = path.strip_prefix(TESTS)?.split_once('/')?;
    let name = match file.strip_prefix("snapshots/") {
        Some(snapshot) => snapshot.strip_prefix(program)?.strip_prefix("__")?.split("__").next()?,
        None => file.strip_suffix(".rs")?,
    };
    (name != "main" && program != "windows").then_some(name)
}

/// The bed that a file belongs to.
fn bed(path: &str) -> Option<&str> {
    let file = path.strip_prefix(BEDS)?;
    file.split('/').next().map(|name| name.strip_suffix(".rs").unwrap_or(name))
}

/// A test's file and those of the beds that it uses, directly or through others.
fn with_beds<'a>(page: &'a Page, beds: &BTreeMap<&'a str, Vec<&'a Page>>) -> Vec<&'a Page> {
    let mut files = vec![page];
    let mut used: BTreeSet<&str> = BTreeSet::new();
    let mut next = 0;
    while let Some(file) = files.get(next) {
        let new: Vec<_> =
            beds.iter().filter(|(name, _)| !used.contains(*name) && uses(text(file), name)).collect();
        used.extend(new.iter().map(|(name, _)| **name));
        files.extend(new.iter().flat_map(|(_, pages)| pages.iter()));
        next += 1;
    }
    files
}

/// Whether code names something of this bed.
fn uses(text: &str, bed: &str) -> bool {
    let is_inside = |at: usize| text[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    text.match_indices(bed).any(|(at, _)| text[at + bed.len()..].starts_with("::") && !is_inside(at))
}

fn text(page: &Page) -> &str {
    page.text.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    fn pages() -> Vec<Page> {
        [
            ("tests/src/mix.rs", "use crate::verb::Verb; fn f() { Verb::on(\"mix\") }"),
            ("tests/src/limited.rs", "use crate::mix::Mix;"),
            ("tests/src/verb.rs", "const ALL: [&str; 1] = [\"replay\"];"),
            ("tests/tests/timed/blame.rs", "use reelgauge_tests::limited::Load;"),
            (
                "tests/tests/untimed/doctor.rs",
                "use reelgauge_tests::verb::Verb; run([\"doctor\"], \"cases/b07\")",
            ),
            ("tests/tests/untimed/main.rs", "mod doctor;"),
        ]
        .map(|(path, text)| Page::made_up(path, text))
        .into()
    }

    fn naming(verb: &str) -> Vec<String> {
        EndToEnd::of(&pages()).naming(&BTreeSet::from([verb])).into_iter().collect()
    }

    fn concerned(path: &str) -> Vec<String> {
        EndToEnd::of(&pages()).concerned_by(path).into_iter().collect()
    }

    #[test]
    fn tests_are_found_by_verbs_of_their_own_and_of_their_beds() {
        assert_eq!(naming("doctor"), ["doctor"]);
        assert_eq!(naming("mix"), ["blame"]);
        assert!(naming("replay").is_empty(), "a common bed names verbs for all");
    }

    #[test]
    fn tests_are_found_by_their_files() {
        assert_eq!(concerned("tests/tests/timed/blame.rs"), ["blame"]);
        assert_eq!(concerned("tests/tests/untimed/snapshots/untimed__doctor__wide.snap"), ["doctor"]);
        assert_eq!(concerned("tests/src/mix.rs"), ["blame"]);
        assert_eq!(concerned("tests/cases/b07/df.txt"), ["doctor"]);
        assert_eq!(concerned("tests/src/verb.rs"), ["blame", "doctor"]);
        assert!(concerned("tests/cases/b08/df.txt").is_empty());
    }

    #[test]
    fn common_beds_are_there() {
        let pages = crate::pages::pages().unwrap();
        let is_bed = |name: &&&str| pages.iter().any(|page| bed(&page.path) == Some(**name));
        assert_eq!(COMMON.iter().find(|name| !is_bed(name)), None);
    }
}
