//! `cargo xtask words [--sentences | --avoided] [DIR]`: counts the prose of this checkout, or of another one.
//!
//! The table counts passages, words and avoided words ([`crate::tidy::wording`]) in each area.
//! `--sentences` prints every sentence that the program and its pages can show, sorted, one on each line
//! after its file. Diff two versions to see what changed. `--avoided` prints each avoided word with its place
//! and its replacement.

use std::path::Path;

use crate::pages::pages_of;
use crate::tidy::product::Product;
use crate::tidy::wording::{Area, Avoided, Passage, avoided, passages};

const AREAS: [Area; 4] = [Area::Program, Area::Application, Area::Documents, Area::Comments];

/// Output of the chore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum List {
    Table,
    Sentences,
    Avoided,
}

/// Prints the table or one of the lists.
pub fn run(arguments: &[String]) -> anyhow::Result<bool> {
    let mut list = List::Table;
    let mut root = crate::root();
    for argument in arguments {
        match argument.as_str() {
            "--sentences" => list = List::Sentences,
            "--avoided" => list = List::Avoided,
            flag if flag.starts_with('-') => {
                anyhow::bail!("words has --sentences and --avoided, not {flag:?}")
            }
            dir => root = Path::new(dir),
        }
    }
    let pages = pages_of(root)?;
    let passages = passages(&pages, &Product::of(&pages));
    match list {
        List::Table => print!("{}", table(&passages, &avoided(&passages))),
        List::Sentences => sentences(&passages).iter().for_each(|line| println!("{line}")),
        List::Avoided => {
            let mut found = avoided(&passages);
            found.sort();
            for one in found {
                println!("{}: {:?}: {} -> {}", one.place, one.area, one.word, one.instead);
            }
        }
    }
    Ok(true)
}

/// The sentences that users can meet on a screen or a page, each behind its file.
fn sentences(passages: &[Passage]) -> Vec<String> {
    let is_shown = |passage: &&Passage| matches!(passage.area, Area::Program | Area::Application);
    let mut lines: Vec<String> = passages
        .iter()
        .filter(is_shown)
        .map(|passage| format!("{}\t{}", passage.path, passage.text))
        .collect();
    lines.sort();
    lines
}

fn table(passages: &[Passage], found: &[Avoided]) -> String {
    let mut text = format!("{:<12} {:>9} {:>9} {:>9}\n", "area", "passages", "words", "to avoid");
    for area in AREAS {
        let of_area = passages.iter().filter(|passage| passage.area == area);
        let words: usize = of_area.clone().map(|passage| crate::tidy::product::words(&passage.text)).sum();
        let avoided = found.iter().filter(|one| one.area == area).count();
        let name = format!("{area:?}").to_lowercase();
        text.push_str(&format!("{name:<12} {:>9} {words:>9} {avoided:>9}\n", of_area.count()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn passage(area: Area, text: &str) -> Passage {
        Passage { area, path: "a.rs".to_owned(), line: 1, text: text.to_owned() }
    }

    #[test]
    fn the_table_counts_by_area_and_the_list_has_what_users_see() {
        let all = [
            passage(Area::Program, "The store tells nothing."),
            passage(Area::Comments, "Reads the whole file."),
            passage(Area::Program, "An empty store."),
        ];
        let table = table(&all, &avoided(&all));
        assert_eq!(
            table.lines().nth(1).map(|line| line.split_whitespace().collect()),
            Some(vec!["program", "2", "7", "1"])
        );
        assert_eq!(sentences(&all), ["a.rs\tAn empty store.", "a.rs\tThe store tells nothing."]);
    }
}
