//! Functions fit on a screen.

use super::source::code_only;
use super::{Fault, Page};

/// The longest function, in lines from its signature to its closing brace.
const LINES_MAX: usize = 70;

/// The same in tests, where tables of cases stand: below `#[cfg(test)]`, and in files that are all tests.
const TEST_LINES_MAX: usize = 120;

/// Functions that may be longer: file, name, lines at most, why.
const LONGER: &[(&str, &str, usize, &str)] = &[];

/// Every function that is too long, and every exception that nothing needs.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    check_with(pages, LONGER)
}

/// [`check`] with these exceptions.
fn check_with(pages: &[Page], longer: &[(&str, &str, usize, &str)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut needed = vec![false; longer.len()];
    for page in pages.iter().filter(|page| page.is_rust()) {
        let Some(text) = &page.text else { continue };
        for function in functions(&page.path, text).iter().filter(|function| function.is_too_long()) {
            let exception = longer.iter().position(|(file, name, lines_max, _)| {
                *file == page.path && *name == function.name && function.lines <= *lines_max
            });
            match exception {
                Some(at) => needed[at] = true,
                None => {
                    let Function { name, lines, .. } = function;
                    let what = format!("{name} has {lines} lines; split it ({LINES_MAX} at most)");
                    faults.push(Fault::at(&page.path, function.line, what));
                }
            }
        }
    }
    let unneeded = longer.iter().zip(&needed).filter(|(_, needed)| !**needed);
    faults.extend(unneeded.map(|((file, name, ..), _)| {
        Fault::of(*file, format!("{name} needs no exception in xtask/src/tidy/functions.rs; remove it"))
    }));
    faults
}

/// A function with a body.
#[derive(Debug, PartialEq, Eq)]
struct Function {
    name: String,
    /// Line of its `fn`, from 1.
    line: usize,
    /// From its `fn` to its closing brace.
    lines: usize,
    /// Whether it belongs to tests.
    tests: bool,
}

impl Function {
    /// Whether it has more lines than its place allows.
    fn is_too_long(&self) -> bool {
        self.lines > if self.tests { TEST_LINES_MAX } else { LINES_MAX }
    }
}

/// Every function of a file that has a body, nested ones included.
fn functions(path: &str, source: &str) -> Vec<Function> {
    let code = code_only(source);
    let only_tests = path.split('/').any(|part| part == "tests" || part == "tests.rs");
    let tests_at = if only_tests { 0 } else { code.find("#[cfg(test)]").unwrap_or(code.len()) };
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fn ") {
        let starts_word = !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let name: String = code[at + 3..].chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        // `fn` in a type (`fn (u32)`) has no name.
        if !starts_word || name.is_empty() {
            continue;
        }
        if let Some(len) = body_end(&code[at..]) {
            let line = code[..at].matches('\n').count() + 1;
            let lines = code[at..at + len].matches('\n').count() + 1;
            found.push(Function { name, line, lines, tests: at >= tests_at });
        }
    }
    found
}

/// Bytes from the start to the brace that closes the first block; `None` if a `;` comes first (outside
/// of brackets: `[u8; 4]` is no end).
fn body_end(code: &str) -> Option<usize> {
    let (mut braces, mut brackets) = (0_usize, 0_usize);
    for (at, character) in code.char_indices() {
        match character {
            '[' | '(' => brackets += 1,
            ']' | ')' => brackets = brackets.saturating_sub(1),
            ';' if braces == 0 && brackets == 0 => return None,
            '{' => braces += 1,
            '}' => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    return Some(at);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A function of this many lines.
    fn long(lines: usize) -> String {
        format!("fn long() {{\n{}}}\n", "    work();\n".repeat(lines - 2))
    }

    #[test]
    fn functions_are_found_with_their_length() {
        let source = "trait T { fn none(x: [u8; 2]); }\n\
                      fn one() {}\n\
                      /// fn comment() {\n\
                      pub const fn three(f: fn(u8) -> u8) -> &'static str {\n    \"}\"\n}\n";
        let found: Vec<_> =
            functions("a.rs", source).into_iter().map(|f| (f.name, f.line, f.lines)).collect();
        assert_eq!(found, [("one".into(), 2, 1), ("three".into(), 4, 3)]);
    }

    #[test]
    fn a_function_that_is_too_long_is_a_fault() {
        let good = Page::made_up("crates/a/src/good.rs", &long(LINES_MAX));
        let bad = Page::made_up("crates/a/src/bad.rs", &format!("\n{}", long(LINES_MAX + 1)));
        let faults = check_with(&[good, bad], &[]);
        assert_eq!(faults.len(), 1);
        assert_eq!(faults[0].place, "crates/a/src/bad.rs:2");
    }

    #[test]
    fn tables_of_cases_in_tests_may_be_longer() {
        let page = |lines| [Page::made_up("a.rs", &format!("#[cfg(test)]\n{}", long(lines)))];
        assert_eq!(check_with(&page(TEST_LINES_MAX), &[]), []);
        assert_eq!(check_with(&page(TEST_LINES_MAX + 1), &[]).len(), 1);
    }

    #[test]
    fn an_exception_holds_up_to_its_limit_and_no_longer_than_needed() {
        let exception = [("a.rs", "long", 80, "because")];
        let page = |lines| [Page::made_up("a.rs", &long(lines))];
        assert!(check_with(&page(80), &exception).is_empty());
        assert_eq!(check_with(&page(81), &exception).len(), 2);
        assert_eq!(check_with(&page(60), &exception).len(), 1);
    }
}
