//! A unit test of the code base: rules that a compiler does not enforce and a reviewer forgets.
//!
//! Every rule is a pure function from text (or cargo's metadata) to a list of [`Fault`]s, and has a test
//! with bad input. A rule with justified exceptions lists them next to it, each with its reason. An
//! exception that is no longer needed is a fault too.

pub(crate) mod budgets;
mod commits;
mod documents;
mod drawing;
mod file_places;
mod kernel_files;
mod modules;
mod names;
pub(crate) mod product;
mod prose;
mod quotes;
mod sentences;
mod source;
mod target_io;
mod texts;
mod unused_items;
pub(crate) mod wording;
pub(crate) mod workspace;

use crate::pages::{Page, pages};
use crate::step::Outcome;
use product::Product;

/// Something in the code base that a rule forbids.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fault {
    /// The path from the root, with the line if known.
    place: String,
    /// The fault and its remedy.
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

/// `cargo xtask tidy`: prints the faults. Returns whether there are none.
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
    faults.extend(file_places::check(&pages));
    faults.extend(budgets::check(&pages));
    let product = Product::of(&pages);
    faults.extend(unused_items::check(&product));
    faults.extend(kernel_files::check(&product));
    faults.extend(modules::check(&product));
    faults.extend(names::check(&product));
    faults.extend(prose::check(&product));
    faults.extend(quotes::check(&pages));
    faults.extend(sentences::check(&product));
    faults.extend(target_io::check(&product));
    faults.extend(documents::check(&pages));
    faults.extend(wording::check(&pages, &product));
    faults.extend(commits::check()?);
    let metadata = workspace::metadata()?;
    faults.extend(workspace::check(&pages, &metadata));
    faults.extend(drawing::check(&pages, &metadata));
    faults.extend(workspace::engine_stays_lean()?);
    faults.sort();
    Ok(faults)
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
}
