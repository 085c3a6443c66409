//! The wordlist: words that readers stumble over, and what to write instead.
//!
//! A [`Passage`] is a piece of prose: a string literal that the program prints, a paragraph of a document,
//! the comments above an item. [`ALLOWED`] limits how many of the words each [`Area`] has. The limit may
//! only sink: an area that is 5 % below it lowers it. `cargo xtask words` lists the words and the sentences
//! of the program.
//!
//! Not here: grammar. [`EXCEPTIONS`] lists the places where a word is right, each with its reason.

use std::collections::BTreeMap;

use super::Fault;
use super::product::{Product, words};
use crate::pages::Page;

/// A literal of at least this many words is a sentence; shorter ones are labels, keys and names.
const WORDS_MIN: usize = 3;

/// Where readers meet a passage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Area {
    /// What the program prints: screens, pages that Rust writes, help, errors.
    Program,
    /// What the application of the page and of the console shows.
    Application,
    /// The book, README and their siblings.
    Documents,
    /// Comments in source files, of tests too.
    Comments,
}

/// How many words of the list each area still has.
const ALLOWED: &[(Area, usize)] =
    &[(Area::Program, 5), (Area::Application, 19), (Area::Documents, 0), (Area::Comments, 10)];

/// A word or phrase to avoid, and what to write.
const AVOIDED: &[(&str, &str)] = &[
    ("told", "reported, shown, named"),
    ("tells", "reports, shows, names"),
    ("says", "reports, shows, is"),
    ("said", "reported, shown"),
    ("stands", "is"),
    ("stand beside", "are next to, with"),
    ("beside", "next to, with, during, in addition"),
    ("comes to", "is, results in"),
    ("came to", "was, reached"),
    ("came of", "resulted from"),
    ("comes of", "results from"),
    ("came to nothing", "measured nothing"),
    ("fell", "failed, dropped"),
    ("held against", "compared with, checked against"),
    ("own delay", "scheduling delay of Reelgauge"),
    ("swallows", "drops"),
    ("swallowed", "dropped, ignored"),
    ("by itself", "automatically, alone"),
    ("of its own", "its own, separate"),
    ("of their own", "their own, separate"),
    ("by themselves", "automatically, alone"),
    ("gives back", "returns, restores, releases"),
    ("given back", "returned, restored, released"),
    ("give back", "return, restore, release"),
    ("left alone", "unchanged"),
    ("left out", "omitted"),
    ("leaves out", "omits"),
    ("anew", "again"),
    ("once more", "again"),
    ("again and again", "repeatedly"),
    ("meanwhile", "during the run"),
    ("is not known", "is unknown"),
    ("not known", "unknown"),
    ("a look", "a quick check"),
    ("first look", "quick check"),
    ("people", "users"),
    ("somebody", "another user, another process"),
    ("nobody", "no user, no process"),
    ("whoever", "the user who"),
    ("how sure", "confidence"),
    ("what is asked", "the requested rate, the demand"),
    ("is asked of", "is requested from"),
    ("was asked of", "was requested from"),
    ("as it were", ""),
    ("so to speak", ""),
    ("the like", ""),
    ("what others", "other users', dependencies"),
    ("did not get to", "did not reach"),
    ("goes wrong", "fails"),
    ("went wrong", "failed"),
    ("is gone", "no longer exists, was removed"),
    ("are gone", "no longer exist, were removed"),
    ("was gone", "no longer existed"),
    ("looks at", "reads, inspects, checks"),
    ("in the way", "blocking"),
    ("stands still", "hangs, is suspended"),
    ("stood still", "hung, was suspended"),
    ("made up", "synthetic, invented"),
    ("what became of", "the result of"),
    ("has to do with", "concerns"),
];

/// Where a word is right: the beginning of the path, the word, and why.
const EXCEPTIONS: &[(&str, &str, &str)] = &[];

/// A piece of prose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passage {
    /// Where readers meet it.
    pub area: Area,
    /// Its file, as a path from the root.
    pub path: String,
    /// Its first line, counted from 1.
    pub line: usize,
    /// Its words. Line breaks of the source are spaces.
    pub text: String,
}

/// A place with a word of the list.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Avoided {
    /// Where readers meet it.
    pub area: Area,
    /// The file and the first line of the passage.
    pub place: String,
    pub word: &'static str,
    /// What to write.
    pub instead: &'static str,
}

/// Areas with more or fewer words of the list than they may have.
pub fn check(pages: &[Page], product: &[Product<'_>]) -> Vec<Fault> {
    faults(&passages(pages, product), ALLOWED, EXCEPTIONS)
}

fn faults(passages: &[Passage], allowed: &[(Area, usize)], exceptions: &[(&str, &str, &str)]) -> Vec<Fault> {
    let (found, unneeded) = split(passages, exceptions);
    let mut faults: Vec<Fault> = unneeded
        .into_iter()
        .map(|(path, word)| Fault::of(path, format!("has no {word:?}; remove it from wording.rs")))
        .collect();
    let mut by_area: BTreeMap<Area, Vec<&Avoided>> = BTreeMap::new();
    for one in &found {
        by_area.entry(one.area).or_default().push(one);
    }
    for (area, allowed) in allowed {
        let found = by_area.remove(area).unwrap_or_default();
        match found.len() {
            count if count * 20 < *allowed * 19 => faults.push(Fault::of(
                format!("{area:?}"),
                format!("{count} words to avoid, not {allowed}; lower the number in wording.rs"),
            )),
            count if count > *allowed => faults.extend(found.iter().map(|one| {
                let what =
                    format!("avoid {:?}, write {:?} ({count}, {allowed} allowed)", one.word, one.instead);
                Fault::of(&one.place, what)
            })),
            _ => {}
        }
    }
    faults
}

/// The words of the list in these passages.
pub fn avoided(passages: &[Passage]) -> Vec<Avoided> {
    split(passages, EXCEPTIONS).0
}

/// The words that no exception allows, and the unneeded exceptions as path and word.
fn split<'a>(
    passages: &[Passage],
    exceptions: &[(&'a str, &'a str, &str)],
) -> (Vec<Avoided>, Vec<(&'a str, &'a str)>) {
    let mut needed = vec![false; exceptions.len()];
    let mut found = Vec::new();
    for passage in passages {
        for (word, instead) in in_text(&passage.text) {
            let is_allowed =
                |(path, of, _): &(&str, &str, &str)| passage.path.starts_with(path) && *of == word;
            match exceptions.iter().position(is_allowed) {
                Some(at) => needed[at] = true,
                None => {
                    let place = format!("{}:{}", passage.path, passage.line);
                    found.push(Avoided { area: passage.area, place, word, instead });
                }
            }
        }
    }
    let unneeded = exceptions.iter().zip(needed).filter(|(_, needed)| !needed);
    (found, unneeded.map(|((path, word, _), _)| (*path, *word)).collect())
}

/// The words of the list in a text: the longest at each place, repeated words included.
fn in_text(text: &str) -> Vec<(&'static str, &'static str)> {
    let text = without_placeholders(text).to_lowercase();
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
    let mut found: Vec<(usize, usize, (&str, &str))> = Vec::new();
    for (word, instead) in AVOIDED {
        for (from, _) in text.match_indices(word) {
            let until = from + word.len();
            if !text[..from].ends_with(is_of_word) && !text[until..].starts_with(is_of_word) {
                found.push((from, until, (word, instead)));
            }
        }
    }
    // A longer one that begins at the same place or earlier covers the shorter one.
    found.sort_by_key(|(from, until, _)| (*from, usize::MAX - until));
    let mut end = 0;
    found.retain(|(from, until, _)| {
        let is_new = *from >= end;
        end = end.max(*until);
        is_new
    });
    found.into_iter().map(|(_, _, word)| word).collect()
}

/// A text with `{name}` as `{}`: names in the code are not read here.
fn without_placeholders(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut is_inside = false;
    for c in text.chars() {
        is_inside &= c != '}' && !c.is_whitespace();
        if !is_inside {
            out.push(c);
        }
        is_inside |= c == '{';
    }
    out
}

/// All prose of the code base.
pub fn passages(pages: &[Page], product: &[Product<'_>]) -> Vec<Passage> {
    let mut all: Vec<Passage> = product.iter().flat_map(sentences).collect();
    for page in pages.iter().filter(|page| is_read(&page.path)) {
        let text = page.text.as_deref().unwrap_or_default();
        if page.path.ends_with(".md") {
            all.extend(blocks(page, text, Area::Documents, |line| (!line.is_empty()).then_some(line)));
        } else if is_source(&page.path) {
            all.extend(blocks(page, text, Area::Comments, comment));
        }
        if page.path.starts_with("console/src/") && is_source(&page.path) {
            all.extend(shown(page, text));
        }
    }
    all
}

/// Whether a file has prose of ours. This rule quotes what it forbids, `tests/cases` quotes reports from
/// the field, and types and meanings of the page are generated from Rust comments.
fn is_read(path: &str) -> bool {
    !path.ends_with("generated.ts")
        && !path.ends_with("data/meanings.ts")
        && !path.ends_with("tidy/wording.rs")
        && !path.starts_with("tests/cases/")
}

fn is_source(path: &str) -> bool {
    [".rs", ".ts", ".tsx"].iter().any(|ending| path.ends_with(ending))
}

/// The literals of a file that are sentences.
fn sentences(file: &Product<'_>) -> Vec<Passage> {
    let of = |string: &super::source::StringLiteral<'_>| Passage {
        area: Area::Program,
        path: file.path.to_owned(),
        line: file.line(string.from),
        text: one_line(string.token),
    };
    file.strings.iter().filter(|string| words(string.token) >= WORDS_MIN).map(of).collect()
}

/// A literal without quotes, and without the line breaks that its source has.
fn one_line(token: &str) -> String {
    let inside = token.trim_start_matches(['r', 'b', 'c', '#']).trim_end_matches('#').trim_matches('"');
    let joined: Vec<&str> = inside.split("\\\n").map(str::trim_start).collect();
    joined.concat().replace("\\n", " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Runs of lines that `prose` finds some prose in.
fn blocks(page: &Page, text: &str, area: Area, prose: impl Fn(&str) -> Option<&str>) -> Vec<Passage> {
    let mut blocks: Vec<Passage> = Vec::new();
    let mut is_inside = false;
    for (at, line) in text.lines().enumerate() {
        let found = prose(line.trim());
        match (found, blocks.last_mut().filter(|_| is_inside)) {
            (Some(found), Some(block)) => {
                block.text.push(' ');
                block.text.push_str(found);
            }
            (Some(found), None) => {
                blocks.push(Passage { area, path: page.path.clone(), line: at + 1, text: found.to_owned() });
            }
            (None, _) => {}
        }
        is_inside = found.is_some();
    }
    blocks
}

/// The words of a line that is a comment.
fn comment(line: &str) -> Option<&str> {
    let of =
        line.strip_prefix("//").or_else(|| line.strip_prefix("/**")).or_else(|| line.strip_prefix("* "))?;
    Some(of.trim_end_matches("*/").trim_start_matches(['/', '!']).trim())
}

/// Lines of the application that show words: those with a literal or with text between tags.
fn shown(page: &Page, text: &str) -> Vec<Passage> {
    let is_comment = |line: &str| line.starts_with("//") || line.starts_with('*') || line.starts_with("/*");
    let lines = text.lines().enumerate().filter(|(_, line)| !is_comment(line.trim()));
    let of = |(at, line): (usize, &str)| {
        let text = prose_of_line(line)?;
        Some(Passage { area: Area::Application, path: page.path.clone(), line: at + 1, text })
    };
    lines.filter_map(of).collect()
}

/// The text between quotes or tags on a line of TypeScript, or all of a line that is only text.
fn prose_of_line(line: &str) -> Option<String> {
    let line = line.trim();
    let is_text = !line.contains(['=', ';', '{', '(', '"', '`', '<', '>']) && words(line) >= WORDS_MIN;
    if is_text {
        return Some(line.to_owned());
    }
    let parts = line.split(['"', '`', '<', '>']).filter(|part| words(part) >= WORDS_MIN);
    let parts: Vec<&str> = parts.filter(|part| !part.contains([';', '='])).collect();
    (!parts.is_empty()).then(|| parts.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of a made-up file whose area may have `allowed` words.
    fn found(path: &str, text: &str, allowed: usize) -> usize {
        let pages = [Page::made_up(path, text)];
        let all = passages(&pages, &Product::of(&pages));
        let areas = [Area::Program, Area::Application, Area::Documents, Area::Comments];
        faults(&all, &areas.map(|area| (area, allowed)), &[]).len()
    }

    #[test]
    fn an_avoided_word_is_a_fault_wherever_a_reader_meets_it() {
        for (path, bad) in [
            ("crates/made/src/up.rs", "let text = \"The store tells nothing.\";"),
            ("crates/made/src/up.rs", "let text = \"The store \\\n    comes to {n} MB/s.\";"),
            ("crates/made/src/up.rs", "/// What the store says.\nfn a() {}"),
            ("crates/made/tests/up.rs", "// Whoever asks\n// finds it."),
            ("docs/up.md", "The store is left\nalone."),
            ("README.md", "A look at the store."),
            ("console/src/up.tsx", "<p>The store says nothing</p>"),
            ("console/src/up.tsx", "  The store says nothing"),
            ("console/src/up.tsx", "/** What the store says. */"),
            ("console/src/up.tsx", "const text = `The store says ${n}`;"),
        ] {
            assert_eq!(found(path, bad, 0), 1, "{bad}");
        }
    }

    #[test]
    fn names_keys_and_parts_of_words_are_none() {
        for (path, good) in [
            ("crates/made/src/up.rs", "let told = says(\"told\");"),
            ("crates/made/src/up.rs", "let text = \"The cell has a well-told story.\";"),
            ("crates/made/src/up.rs", "let text = \"The store took {said:.1} and {told}.\";"),
            ("crates/made/src/up.rs", "let text = \"The fellow is manewable here.\";"),
            ("console/src/up.tsx", "const told = says(stands, beside, told);"),
            ("console/src/data/generated.ts", "// What the store says."),
            ("crates/made/src/up.svg", "What the store says."),
        ] {
            assert_eq!(found(path, good, 0), 0, "{good}");
        }
    }

    #[test]
    fn the_longest_phrase_counts_once() {
        assert_eq!(in_text("It came to nothing; it is not known.").len(), 2);
    }

    #[test]
    fn the_number_of_an_area_only_sinks() {
        let two = "It tells.\n\nIt says.";
        assert_eq!(found("docs/up.md", two, 0), 2);
        let pages = [Page::made_up("docs/up.md", two)];
        let all = passages(&pages, &[]);
        assert_eq!(faults(&all, &[(Area::Documents, 2)], &[]), []);
        assert_eq!(faults(&all, &[(Area::Documents, 3)], &[]).len(), 1, "fewer: the number is to be lowered");
    }

    #[test]
    fn an_exception_is_for_its_place_and_must_be_needed() {
        let pages = [Page::made_up("docs/up.md", "It tells.")];
        let all = passages(&pages, &[]);
        let zero = [(Area::Documents, 0)];
        assert_eq!(faults(&all, &zero, &[("docs/up.md", "tells", "an example")]), []);
        assert_eq!(faults(&all, &zero, &[("docs/other.md", "tells", "an example")]).len(), 2);
    }
}
