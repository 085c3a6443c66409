//! The product's own code as rules read it: without tests, and with its string literals apart.

use std::collections::BTreeSet;

use super::Page;
use super::source::{StringLiteral, code_and_strings};

/// A source file of the product.
pub struct Product<'a> {
    /// Path from the root.
    pub path: &'a str,
    /// The code before the tests at the end; comments and literals are blank.
    pub code: String,
    /// The string literals in it.
    pub strings: Vec<StringLiteral<'a>>,
}

impl<'a> Product<'a> {
    /// The files among these that are code of the product.
    pub fn of(pages: &'a [Page]) -> Vec<Product<'a>> {
        let tests = test_modules(pages);
        pages.iter().filter(|page| is_product(page, &tests)).map(Product::read).collect()
    }

    /// The tests among these files: whole files, and modules at the end of a file of the product.
    pub fn tests_of(pages: &'a [Page]) -> Vec<Product<'a>> {
        let tests = test_modules(pages);
        let is_ours = |page: &&Page| page.path.starts_with("crates/") || page.path.starts_with("tests/");
        let files = pages.iter().filter(|page| page.is_rust()).filter(is_ours);
        files.map(|page| Product::read_tests(page, is_product(page, &tests))).collect()
    }

    fn read_tests(page: &'a Page, is_product: bool) -> Product<'a> {
        let text = page.text.as_deref().unwrap_or_default();
        let (code, mut strings) = code_and_strings(text);
        let from = if is_product { tests_from(text, &code) } else { 0 };
        strings.retain(|string| string.from >= from);
        Product { path: &page.path, code, strings }
    }

    fn read(page: &'a Page) -> Product<'a> {
        let text = page.text.as_deref().unwrap_or_default();
        let (mut code, mut strings) = code_and_strings(text);
        code.truncate(tests_from(text, &code));
        strings.retain(|string| string.from < code.len());
        Product { path: &page.path, code, strings }
    }

    /// The folder name of the crate.
    pub fn crate_name(&self) -> &'a str {
        self.path.split('/').nth(1).unwrap_or_default()
    }

    /// The line of a place in the code, counted from 1.
    pub fn line(&self, at: usize) -> usize {
        self.code[..at].matches('\n').count() + 1
    }
}

/// How many words a literal has: two letters in a row are a word, placeholders are none.
pub fn words(token: &str) -> usize {
    let parts = token.split("\\n").flat_map(str::split_whitespace);
    let is_word = |part: &&str| {
        let letters: Vec<bool> = part.chars().map(char::is_alphabetic).collect();
        !part.starts_with('{') && letters.windows(2).any(|two| two == [true, true])
    };
    parts.filter(is_word).count()
}

/// The name of the constant that a literal is.
pub fn constant<'a>(code: &'a str, string: &StringLiteral<'_>) -> Option<&'a str> {
    let before = code[..string.from].trim_end().strip_suffix('=')?.trim_end();
    let before = before.strip_suffix("&str").or_else(|| before.strip_suffix("&'static str"))?.trim_end();
    let (kind, name) = before.strip_suffix(':')?.rsplit_once(' ')?;
    (kind.ends_with("const") || kind.ends_with("static")).then_some(name)
}

/// The positions of a name in the code.
pub fn uses<'a>(code: &'a str, name: &'a str) -> impl Iterator<Item = (usize, usize)> + 'a {
    let is_of_word = |c: char| c.is_alphanumeric() || c == '_';
    code.match_indices(name).map(|(from, name)| (from, from + name.len())).filter(move |(from, until)| {
        !code[..*from].ends_with(is_of_word) && !code[*until..].starts_with(is_of_word)
    })
}

/// Whether a file is code of the product.
fn is_product(page: &Page, tests: &BTreeSet<String>) -> bool {
    let is_source = page.path.starts_with("crates/") && page.path.contains("/src/");
    let is_test = |part: &str| part == "tests" || part.starts_with("test_");
    let module = page.path.strip_suffix(".rs").unwrap_or(&page.path);
    let is_of_test = |test: &String| module == test || module.starts_with(&format!("{test}/"));
    page.is_rust() && is_source && !module.split('/').any(is_test) && !tests.iter().any(is_of_test)
}

/// The files of modules that only tests have, without extension.
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

/// Whether an attribute limits the next item to tests.
fn is_test_cfg(line: &str) -> bool {
    line.starts_with("#[cfg(test)") || line.starts_with("#[cfg(all(test")
}

/// Where the tests at the end of a file begin.
fn tests_from(source: &str, code: &str) -> usize {
    let mut line_from = 0;
    let mut cfg_from = None;
    // Blanked code keeps its line breaks.
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

#[cfg(test)]
mod tests {
    use super::*;

    /// How many literals the product has in these files.
    fn literals(files: &[(&str, &str)]) -> usize {
        let pages: Vec<Page> = files.iter().map(|(path, text)| Page::made_up(path, text)).collect();
        Product::of(&pages).iter().map(|file| file.strings.len()).sum()
    }

    #[test]
    fn tests_are_not_the_product_wherever_they_are() {
        for head in
            ["mod tests {", "#[cfg(all(test, unix))]\nmod tests {", "#[cfg(test)]\n#[x]\npub(super) mod a {"]
        {
            let file = ("crates/made/src/up.rs", &*format!("f(\"a\");\n{head}\n    \"b\"\n}}\n"));
            assert_eq!(literals(&[file]), 1 + usize::from(head.starts_with("mod")), "{head}");
        }
        let parent = ("crates/made/src/lib.rs", "#[cfg(test)]\npub(crate) mod worlds;\n");
        let child = ("crates/made/src/worlds/one.rs", "\"a\"");
        assert_eq!(literals(&[parent, child]), 0);
        assert_eq!(literals(&[child]), 1);
        for path in [
            "crates/made/src/a/tests.rs",
            "crates/made/src/test_a.rs",
            "crates/made/tests/a.rs",
            "xtask/src/a.rs",
        ] {
            assert_eq!(literals(&[(path, "\"a\"")]), 0, "{path}");
        }
    }

    #[test]
    fn placeholders_signs_and_units_of_one_letter_are_no_words() {
        assert_eq!(words("\"one {two} - 3 b\\nfour\""), 2);
    }
}
