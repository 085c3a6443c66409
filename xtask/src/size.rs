//! The size of the code base by crate: `cargo xtask size [DIR]`, for this checkout or for another one.
//!
//! A line of code is neither blank nor a comment. Production code is everything in a released binary: no
//! tests, nothing below `#[cfg(test)]`. Assertions are the macros in [`ASSERTIONS`] within it. The
//! source must be formatted (`cargo fmt`): an item ends at the first brace in the column of its
//! beginning. [`PARTS`] of crates have separate rows; their lines count for their crate, too.
//!
//! Complexity is not counted here. Limits on lines of functions and files are rules of [`crate::tidy`].

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context;

use crate::pages::Page;
use crate::tidy::budgets;

/// Extensions of source files.
const ENDINGS: [&str; 3] = [".rs", ".ts", ".tsx"];

/// Macros that make a defect visible.
const ASSERTIONS: &[&str] = &[
    "assert!(",
    "assert_eq!(",
    "assert_ne!(",
    "debug_assert!(",
    "debug_assert_eq!(",
    "debug_assert_ne!(",
    "unreachable!(",
];

/// Parts of crates that pass records and figures on, where a defect must be visible.
const PARTS: &[&str] = &["crates/analysis/src/late", "crates/runner/src/session"];

/// The lines of a file, or of several.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Size {
    /// Production code.
    code: usize,
    /// Comments of production code.
    comments: usize,
    /// Code of tests.
    tests: usize,
    /// Assertions in production code.
    assertions: usize,
}

impl Size {
    fn add(&mut self, other: Size) {
        self.code += other.code;
        self.comments += other.comments;
        self.tests += other.tests;
        self.assertions += other.assertions;
    }
}

/// `cargo xtask size [DIR]`.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let root = arguments.first().map_or(crate::root(), Path::new);
    let mut sizes: BTreeMap<String, Size> = BTreeMap::new();
    for path in files(root)? {
        let Some((group, is_test)) = group(&path) else { continue };
        let text = std::fs::read_to_string(root.join(&path)).with_context(|| path.clone())?;
        let size = of(&text, is_test);
        sizes.entry(group).or_default().add(size);
        if let Some(part) = part(&path) {
            sizes.entry(part.to_owned()).or_default().add(size);
        }
    }
    print!("{}", table(&sizes));
    Ok(true)
}

/// The lines of production code of each crate and folder.
pub fn code(pages: &[Page]) -> BTreeMap<String, usize> {
    let mut lines = BTreeMap::new();
    for page in pages.iter().filter(|page| ENDINGS.iter().any(|ending| page.path.ends_with(ending))) {
        if let (Some((group, is_test)), Some(text)) = (group(&page.path), &page.text) {
            *lines.entry(group).or_default() += of(text, is_test).code;
        }
    }
    lines
}

/// Every source file that git knows.
fn files(root: &Path) -> anyhow::Result<Vec<String>> {
    let listing = std::process::Command::new("git")
        .args(["ls-files", "-z", "--"])
        .args(ENDINGS.map(|ending| format!("*{ending}")))
        .current_dir(root)
        .output()
        .context("git ls-files")?;
    anyhow::ensure!(listing.status.success(), "git ls-files: {}", String::from_utf8_lossy(&listing.stderr));
    let listing = String::from_utf8(listing.stdout).context("a path is not UTF-8")?;
    Ok(listing.split_terminator('\0').map(str::to_owned).collect())
}

/// The group that a file counts for, and whether all of it is a test. `None` for generated files.
fn group(path: &str) -> Option<(String, bool)> {
    if path.ends_with("generated.ts") {
        return None;
    }
    let mut folders = path.split('/');
    let group = match folders.next()? {
        "crates" => format!("crates/{}", folders.next()?),
        other => other.to_owned(),
    };
    let name = path.rsplit('/').next()?;
    let is_unit_test = name == "tests.rs" || name.starts_with("test_") || name.contains(".test.");
    let is_test = is_unit_test || path.contains("/tests/") || path.contains("/e2e/");
    Some((group, is_test || matches!(path.split('/').next(), Some("tests" | "benches"))))
}

/// The part of its crate that a file belongs to.
fn part(path: &str) -> Option<&'static str> {
    let is_in = |part: &&&str| path.strip_prefix(**part).is_some_and(|rest| rest.starts_with(['/', '.']));
    PARTS.iter().find(is_in).copied()
}

fn of(text: &str, is_test: bool) -> Size {
    let mut size = Size::default();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        let code = line.trim();
        if code.is_empty() {
            continue;
        }
        if is_comment(code) {
            size.comments += usize::from(!is_test);
        } else if is_test {
            size.tests += 1;
        } else if code == "#[cfg(test)]" || code.starts_with("#[cfg(all(test,") {
            size.tests += 1 + lines_of_item(&mut lines, line.len() - line.trim_start().len());
        } else {
            size.code += 1;
            size.assertions += usize::from(ASSERTIONS.iter().any(|name| code.starts_with(name)));
        }
    }
    size
}

fn is_comment(code: &str) -> bool {
    ["//", "/*", "* ", "*/"].iter().any(|begin| code.starts_with(begin)) || code == "*"
}

/// Skips an item that begins in this column, with its attributes, and counts its lines of code. A module
/// of tests is the last item of its file.
fn lines_of_item<'a>(lines: &mut impl Iterator<Item = &'a str>, column: usize) -> usize {
    let (mut code, mut is_block, mut is_module) = (0, false, false);
    for line in lines {
        let trimmed = line.trim();
        if trimmed.is_empty() || is_comment(trimmed) {
            continue;
        }
        code += 1;
        let is_at_column = line.len() - line.trim_start().len() == column;
        if is_block {
            if is_at_column && trimmed == "}" && !is_module {
                break;
            }
        } else if !trimmed.starts_with("#[") {
            is_block = trimmed.ends_with('{');
            is_module = trimmed.starts_with("mod ");
            if trimmed.ends_with([';', ',', '}']) {
                break;
            }
        }
    }
    code
}

fn table(sizes: &BTreeMap<String, Size>) -> String {
    let mut text = format!(
        "{:<26} {:>8} {:>8} {:>9} {:>8} {:>11} {:>14}\n",
        "", "code", "budget", "comments", "tests", "assertions", "of 1,000 lines"
    );
    let mut all = Size::default();
    for (name, size) in sizes {
        text.push_str(&row(name, *size));
        if name.starts_with("crates/") && !PARTS.contains(&name.as_str()) {
            all.add(*size);
        }
    }
    text + &row("all crates", all)
}

fn row(name: &str, size: Size) -> String {
    let Size { code, comments, tests, assertions } = size;
    let share = assertions as f64 * 1e3 / (code as f64).max(1.0);
    let budget = budgets::of(name).map_or(String::new(), |lines| lines.to_string());
    format!("{name:<26} {code:>8} {budget:>8} {comments:>9} {tests:>8} {assertions:>11} {share:>14.1}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
//! A module.

use std::path::Path;

/// Accepts every count but zero.
fn doing(count: usize) {
    assert!(count > 0);
    // Nothing else.
}

#[cfg(test)]
use crate::made_up;

impl Thing {
    #[cfg(test)]
    #[track_caller]
    fn made_up() {
        assert!(true);
    }

    fn real() {}
}

#[cfg(all(test, unix))]
mod tests {
    #[test]
    fn it_does() {
        assert_eq!(TEXT, 1);
    }

    const TEXT: &str = \"
}
\";
}
";

    #[test]
    fn tests_and_comments_are_no_production_code() {
        let size = of(SOURCE, false);
        assert_eq!(size, Size { code: 7, comments: 3, tests: 17, assertions: 1 });
        assert_eq!(of(SOURCE, true).code, 0);
    }

    #[test]
    fn files_count_to_their_crate() {
        let of = |path| group(path);
        assert_eq!(of("crates/engine/src/clock.rs"), Some(("crates/engine".into(), false)));
        assert_eq!(of("crates/engine/src/clock/tests.rs"), Some(("crates/engine".into(), true)));
        assert_eq!(of("console/src/run/hero.test.ts"), Some(("console".into(), true)));
        assert_eq!(part("crates/analysis/src/late.rs"), Some("crates/analysis/src/late"));
        assert_eq!(part("crates/runner/src/session/drain.rs"), Some("crates/runner/src/session"));
        assert_eq!(part("crates/analysis/src/lateness.rs"), None);
        assert_eq!(of("console/src/data/generated.ts"), None);
        assert_eq!(of("tests/src/lib.rs"), Some(("tests".into(), true)));
    }
}
