//! A unit test of the code base: rules that a compiler does not enforce and a reviewer forgets.
//!
//! Every rule is a pure function from text (or from what cargo says about the workspace) to a list of
//! [`Fault`]s, and has a test that feeds it something bad. A rule whose exception is justified has a list
//! of exceptions next to it, each with its reason; an exception that nothing needs any more is a fault too.

mod dead;
mod documents;
mod drawing;
mod modules;
mod places;
mod source;
mod texts;
mod workspace;

use std::path::PathBuf;
use std::process::Command;

use anyhow::Context;

use crate::command;
use crate::step::Outcome;

/// Something in the code base that a rule forbids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// Where, as a path from the root, with the line if it has one.
    place: String,
    /// What is wrong and what to do about it.
    what: String,
}

impl Fault {
    /// A fault of a whole file, crate or dependency.
    fn of(place: impl Into<String>, what: impl Into<String>) -> Fault {
        Fault { place: place.into(), what: what.into() }
    }

    /// A fault at a line, counted from 1.
    fn at(place: &str, line: usize, what: impl Into<String>) -> Fault {
        Fault::of(format!("{place}:{line}"), what)
    }
}

/// A file of the repository.
#[derive(Clone, Debug)]
struct Page {
    /// Path from the root, with `/`.
    path: String,
    /// Its size in bytes.
    size_bytes: u64,
    /// What it says; `None` if it is not UTF-8.
    text: Option<String>,
}

impl Page {
    /// Whether this is Rust source.
    fn is_rust(&self) -> bool {
        self.path.ends_with(".rs")
    }

    /// A page that a test makes up.
    #[cfg(test)]
    fn made_up(path: &str, text: &str) -> Page {
        Page { path: path.into(), size_bytes: text.len() as u64, text: Some(text.into()) }
    }
}

/// `cargo xtask tidy`: prints the faults, gives whether there are none.
pub fn run() -> anyhow::Result<bool> {
    let faults = check()?;
    for fault in &faults {
        println!("{}: {}", fault.place, fault.what);
    }
    println!("tidy: {} faults", faults.len());
    Ok(faults.is_empty())
}

/// The step of `cargo xtask test`.
pub fn step() -> anyhow::Result<Outcome> {
    Ok(match run()? {
        true => Outcome::Passed,
        false => Outcome::Failed("see the faults above".to_owned()),
    })
}

/// Applies every rule to the code base as it is.
fn check() -> anyhow::Result<Vec<Fault>> {
    let pages = pages()?;
    let mut faults = Vec::new();
    faults.extend(texts::check(&pages));
    faults.extend(dead::check(&pages));
    faults.extend(modules::check(&pages));
    faults.extend(places::check(&pages));
    faults.extend(documents::check(&pages));
    let metadata = workspace::metadata()?;
    faults.extend(workspace::check(&pages, &metadata));
    faults.extend(drawing::check(&pages, &metadata));
    faults.extend(workspace::engine_stays_lean()?);
    faults.sort();
    Ok(faults)
}

/// Every file that is committed, or would be by `git add .`.
fn pages() -> anyhow::Result<Vec<Page>> {
    let mut list = Command::new("git");
    list.current_dir(crate::root()).args(["ls-files", "--cached", "--others", "--exclude-standard", "-z"]);
    let list = command::output(&mut list).context("tidy asks git which files belong to the code base")?;
    let mut pages = Vec::new();
    for path in list.split('\0').filter(|path| !path.is_empty()) {
        let full: PathBuf = crate::root().join(path);
        // A file that is deleted in the working tree but still in the index has nothing to be checked.
        let Ok(found) = std::fs::symlink_metadata(&full) else {
            continue;
        };
        let text = match found.is_file() {
            true => String::from_utf8(std::fs::read(&full)?).ok(),
            false => None,
        };
        pages.push(Page { path: path.to_owned(), size_bytes: found.len(), text });
    }
    pages.sort_by(|a, b| a.path.cmp(&b.path));
    pages.dedup_by(|a, b| a.path == b.path);
    Ok(pages)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn the_code_base_is_tidy() {
        let faults = check().unwrap();
        let list: Vec<String> = faults.iter().map(|f| format!("{}: {}", f.place, f.what)).collect();
        assert!(list.is_empty(), "\n{}", list.join("\n"));
    }

    #[test]
    fn the_pages_are_those_of_the_repository() {
        let pages = pages().unwrap();
        let has = |path: &str| pages.iter().any(|page| page.path == path);
        assert!(has("Cargo.toml") && has("xtask/src/tidy/mod.rs"));
        assert!(pages.iter().all(|page| !page.path.starts_with("target")));
    }
}
