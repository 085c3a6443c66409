//! `cargo xtask test --changed`: only the checks that a change can break.
//!
//! The change is the difference between the working tree and the common ancestor with `origin/main`.
//! [`selection`] decides which tests it concerns, as a pure function; this module collects its input,
//! shows the selection and runs it. Skipped tests are listed; `cargo xtask test` runs them.

mod end_to_end;
mod packages;
mod selection;

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context, bail};

use super::{both, deny, fmt, shear};
use crate::command;
use crate::linting::Linting;
use crate::step::{self, Finished, Outcome};
use crate::suite::Suite;
use crate::{console, pages, tidy};
use end_to_end::EndToEnd;
use packages::Packages;
use selection::{CodeBase, Selection};

/// Performs the checks that the change since `branch` can break, without end-to-end tests if `quick`.
/// Returns whether none failed.
pub fn run(branch: &str, quick: bool) -> anyhow::Result<bool> {
    let base = merge_base(branch)?;
    let changed = changed_since(&base)?;
    if changed.is_empty() {
        println!("nothing changed since {base} ({branch})");
        return Ok(true);
    }
    let (pages, packages) = (pages::pages()?, Packages::of(&tidy::workspace::metadata()?)?);
    let code = CodeBase { pages: &pages, packages: &packages, end_to_end: EndToEnd::of(&pages) };
    let mut selection = Selection::of(&changed, &code);
    println!("files changed since {base} ({branch}): {}", changed.len());
    print!("{}", description(&selection, &code, quick));
    if quick {
        selection.modules.clear();
    }
    let linting = Linting::prepare()?;
    let mut finished = unit_tests(&selection, &packages, &linting);
    if selection.has_console {
        finished.push(step::perform("console", console::check));
    }
    if !selection.modules.is_empty() {
        let build = || Suite::of_modules(linting, &selection.modules);
        finished.extend(with_suite("end-to-end", Vec::new, build));
    }
    Ok(step::summarize(&finished))
}

/// The unit tests of the selected packages. The rules for the code base run in parallel with their
/// build.
fn unit_tests(selection: &Selection, packages: &Packages, linting: &Linting) -> Vec<Finished> {
    let rules = || {
        vec![
            step::perform("fmt", fmt),
            step::perform("tidy", tidy::step),
            step::perform("shear", shear),
            step::perform("deny", deny),
        ]
    };
    let chosen = packages.all().filter(|package| selection.packages.contains(&package.name));
    let folders: BTreeSet<&Path> = chosen.map(|package| Path::new(&package.folder)).collect();
    match folders.is_empty() {
        true => rules(),
        false => with_suite("tests", rules, || Suite::of_packages(linting.clone(), &folders)),
    }
}

/// Builds a suite in parallel with other steps, and runs it.
fn with_suite(
    name: &'static str,
    others: impl FnOnce() -> Vec<Finished> + Send,
    build: impl FnOnce() -> anyhow::Result<Suite>,
) -> Vec<Finished> {
    let mut suite = None;
    let build = || {
        vec![step::perform("build", || {
            suite = Some(build()?);
            Ok(Outcome::Passed)
        })]
    };
    let mut finished = both(build, others);
    if let Some(suite) = suite {
        if suite.has_waiting() {
            finished.push(step::perform(name, || suite.run_without_examples()));
        }
        if suite.has_measuring() {
            finished.push(step::perform("timing", || suite.run_measuring()));
        }
    }
    finished
}

/// The selected and the skipped tests.
fn description(selection: &Selection, code: &CodeBase, quick: bool) -> String {
    let (tested, modules) = (code.tested().count(), code.end_to_end.all().len());
    let mut text = format!(
        "unit tests of {} of {tested} packages: {}\n",
        selection.packages.len(),
        names(&selection.packages, tested)
    );
    let chosen = selection.modules.len();
    text.push_str(&match quick {
        true => format!("end-to-end tests: left out (--quick), {chosen} of {modules} files are concerned\n"),
        false => {
            format!("end-to-end tests: {chosen} of {modules} files: {}\n", names(&selection.modules, modules))
        }
    });
    if !selection.pure.is_empty() {
        text.push_str(&format!(
            "left out: the other end-to-end tests, although every verb uses {}; unit tests judge it\n",
            names(&selection.pure, 0)
        ));
    }
    text.push_str("left out: examples in documentation, benches, other platforms, the browser\n");
    text.push_str("cargo xtask test runs everything\n");
    text
}

/// The selected names and the total count.
fn names(chosen: &BTreeSet<String>, of: usize) -> String {
    match chosen.len() {
        0 => "none".to_owned(),
        all if all == of => "all".to_owned(),
        _ => chosen.iter().map(String::as_str).collect::<Vec<_>>().join(", "),
    }
}

/// The common ancestor of this branch and another one.
fn merge_base(branch: &str) -> anyhow::Result<String> {
    let base = git(&["merge-base", "HEAD", branch])
        .with_context(|| format!("no commit in common with {branch}; name a branch: --changed=BRANCH"))?;
    Ok(base.trim().to_owned())
}

/// Every file that differs from this commit in the working tree, without those that git ignores.
fn changed_since(base: &str) -> anyhow::Result<Vec<String>> {
    let tracked = git(&["diff", "--name-only", "--no-renames", "-z", base])?;
    let new = git(&["ls-files", "--others", "--exclude-standard", "-z"])?;
    let mut paths: Vec<String> =
        [tracked, new].iter().flat_map(|list| list.split_terminator('\0')).map(str::to_owned).collect();
    if let Some(path) = paths.iter().find(|path| path.contains(char::REPLACEMENT_CHARACTER)) {
        bail!("the name of {path} is not UTF-8");
    }
    paths.sort();
    paths.dedup();
    Ok(paths)
}

fn git(arguments: &[&str]) -> anyhow::Result<String> {
    command::output(std::process::Command::new("git").current_dir(crate::root()).args(arguments))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn selected_and_omitted_tests_are_listed() {
        let packages = Packages::made_up(&[("reelgauge-analysis", &[], &[]), ("reelgauge-record", &[], &[])]);
        let code = CodeBase { pages: &[], packages: &packages, end_to_end: EndToEnd::of(&[]) };
        let selection = Selection::of(&["crates/analysis/src/lib.rs".to_owned()], &code);
        let text = description(&selection, &code, false);
        assert!(text.contains("unit tests of 1 of 2 packages: reelgauge-analysis\n"), "{text}");
        assert!(text.contains("end-to-end tests: 0 of 0 files: none\n"), "{text}");
        assert!(text.contains("every verb uses reelgauge-analysis"), "{text}");
        assert!(description(&selection, &code, true).contains("left out (--quick)"));
    }

    #[test]
    fn missing_branch_is_an_error_with_a_remedy() {
        let error = format!("{:#}", merge_base("nothing/here").unwrap_err());
        assert!(error.contains("--changed=BRANCH"), "{error}");
    }
}
