//! Checks that the chores named in documents exist. (Statements about the product are tested in
//! `tests/`.)

use super::{Fault, Page};

/// The chores that exist: the first words of the usage.
fn is_chore(verb: &str) -> bool {
    let of_line = |line: &'static str| line.strip_prefix("  ")?.split(' ').next();
    verb == "help" || crate::USAGE.lines().filter_map(of_line).any(|known| !known.is_empty() && known == verb)
}

/// Every `cargo xtask VERB` in a document must be a chore.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    let documents = pages.iter().filter(|page| page.path.ends_with(".md"));
    documents.flat_map(|page| commands(page, page.text.as_deref().unwrap_or_default())).collect()
}

/// The faults of one document.
fn commands(page: &Page, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    for (at, line) in text.lines().enumerate() {
        for rest in line.split("cargo xtask ").skip(1) {
            let verb: String = rest.chars().take_while(char::is_ascii_alphanumeric).collect();
            // `cargo xtask VERB` is a placeholder for any verb.
            if !verb.chars().all(|c| c.is_ascii_uppercase()) && !is_chore(&verb) {
                faults.push(Fault::at(&page.path, at + 1, format!("there is no 'cargo xtask {verb}'")));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chore_that_does_not_exist_is_a_fault() {
        let page = Page::made_up("README.md", "run `cargo xtask test`\nor cargo xtask fly --high\n");
        let found = check(&[page]);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].place, "README.md:2");
    }
}
