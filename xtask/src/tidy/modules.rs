//! Modules of a crate depend on each other in one direction, without cycles.
//!
//! The dependencies of a module are the paths in its code that begin with `crate`, `self` or `super`. A
//! parent and its children may depend on each other, and tests may depend on everything.

use std::collections::{BTreeMap, BTreeSet};

use super::Fault;
use super::product::Product;

/// A module by its path in the crate. The empty path is the crate itself.
type Module = Vec<String>;

/// Every cycle of modules.
pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    let mut crates: BTreeMap<&str, BTreeMap<Module, &Product<'_>>> = BTreeMap::new();
    for file in product {
        if let Some(module) = module(file.path) {
            crates.entry(file.crate_name()).or_default().insert(module, file);
        }
    }
    crates.iter().flat_map(|(name, modules)| circles(name, modules)).collect()
}

/// The module of a source file.
fn module(path: &str) -> Option<Module> {
    let (_, file) = path.split_once("/src/")?;
    let mut module: Module = file.strip_suffix(".rs")?.split('/').map(str::to_owned).collect();
    if matches!(module.last().map(String::as_str), Some("lib" | "main")) {
        module.pop();
    }
    Some(module)
}

/// The cycles in one crate, each reported at the first of its modules.
fn circles(name: &str, modules: &BTreeMap<Module, &Product<'_>>) -> Vec<Fault> {
    let known: BTreeMap<&Module, BTreeSet<Module>> =
        modules.iter().map(|(module, file)| (module, known_by(module, &file.code, modules))).collect();
    let reached = |from: &Module| {
        let mut reached = BTreeSet::new();
        let mut next: Vec<&Module> = known[from].iter().collect();
        while let Some(module) = next.pop() {
            if reached.insert(module.clone()) {
                next.extend(&known[module]);
            }
        }
        reached
    };
    let reached: BTreeMap<&Module, BTreeSet<Module>> =
        modules.keys().map(|module| (module, reached(module))).collect();
    let mut told = BTreeSet::new();
    let mut faults = Vec::new();
    for (module, file) in modules {
        let circle: BTreeSet<&Module> =
            reached[module].iter().filter(|other| reached[other].contains(module)).collect();
        if circle.contains(module) && told.is_disjoint(&circle) {
            let names: Vec<String> = circle.iter().map(|module| module.join("::")).collect();
            let what = format!(
                "modules of {name} know each other in a circle: {}; let what both need stand apart",
                names.join(", ")
            );
            faults.push(Fault::of(file.path, what));
        }
        told.extend(circle);
    }
    faults
}

/// The modules that a module's code names, except its parents and children.
fn known_by(module: &Module, code: &str, modules: &BTreeMap<Module, &Product<'_>>) -> BTreeSet<Module> {
    let named = paths(code).into_iter().filter_map(|path| {
        let absolute = absolute(module, &path)?;
        (0..=absolute.len()).rev().map(|len| absolute[..len].to_vec()).find(|part| modules.contains_key(part))
    });
    named.filter(|other| !other.starts_with(module) && !module.starts_with(other)).collect()
}

/// Every path in the code that begins with `crate`, `self` or `super`, with groups in braces expanded.
fn paths(code: &str) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for start in ["crate::", "self::", "super::"] {
        for (at, _) in code.match_indices(start) {
            let is_inside = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':');
            if !is_inside {
                spell_out(&code[at..], &[], &mut found);
            }
        }
    }
    found
}

/// Adds the paths that begin here, with the prefix `before`. Returns the code after them.
fn spell_out<'a>(code: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let (name, rest) =
        code.split_at(code.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(code.len()));
    if name.is_empty() {
        // A star, or something that is not a path: the prefix itself is used.
        found.push(before.to_vec());
        return code.get(1..).unwrap_or_default();
    }
    let path = [before, &[name.to_owned()]].concat();
    match rest.strip_prefix("::") {
        Some(next) => match next.strip_prefix('{') {
            Some(members) => group(members, &path, found),
            None => spell_out(next, &path, found),
        },
        None => {
            found.push(path);
            rest
        }
    }
}

/// The paths of a group in braces, with the prefix `before`. Returns the code after it.
fn group<'a>(code: &'a str, before: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
    let mut rest = code;
    loop {
        rest = rest.trim_start_matches(|c: char| c.is_whitespace() || c == ',');
        match rest.strip_prefix('}') {
            Some(after) => return after,
            None if rest.is_empty() => return rest,
            None => rest = spell_out(rest, before, found),
        }
    }
}

/// A path from the crate's root; none if it begins elsewhere.
fn absolute(module: &Module, path: &[String]) -> Option<Module> {
    let mut from = match path.first()?.as_str() {
        "crate" => return Some(path[1..].to_vec()),
        "self" => module.clone(),
        "super" => module[..module.len().checked_sub(1)?].to_vec(),
        _ => return None,
    };
    let mut rest = &path[1..];
    while rest.first().is_some_and(|part| part == "super") {
        from.pop()?;
        rest = &rest[1..];
    }
    from.extend_from_slice(rest);
    Some(from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Page;

    fn faults(files: &[(&str, &str)]) -> Vec<String> {
        let pages: Vec<Page> = files.iter().map(|(path, text)| Page::made_up(path, text)).collect();
        check(&Product::of(&pages)).into_iter().map(|fault| fault.what).collect()
    }

    #[test]
    fn circles_are_found_however_paths_are_written() {
        let lib = ("crates/a/src/lib.rs", "mod one; mod two; mod three;");
        let one = ("crates/a/src/one.rs", "use crate::{three::X, two::{self, Y}};");
        let two = ("crates/a/src/two/part.rs", "use super::super::three;");
        let three = ("crates/a/src/three.rs", "fn f() { crate::one::go() }");
        let found = faults(&[lib, one, two, three]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("one, three"), "{found:?}");
        assert!(faults(&[lib, one, two]).is_empty());
    }

    #[test]
    fn paths_are_spelled_out() {
        let found = |code: &str| -> Vec<String> { paths(code).iter().map(|path| path.join("::")).collect() };
        assert_eq!(
            found("use crate::a::{self, b::{C, D as E},\n d::*};"),
            [
                "crate::a::self",
                "crate::a::b::C",
                "crate::a::b::D",
                "crate::a::b::as",
                "crate::a::b::E",
                "crate::a::d"
            ]
        );
        assert_eq!(
            found("self::x(y) + super::super::z::<T>() + notcrate::q"),
            ["self::x", "super::super::z"]
        );
        assert_eq!(found("crate::a::{b, c"), ["crate::a::b", "crate::a::c"], "a file that is cut off");
    }

    #[test]
    fn parents_tests_and_comments_are_no_circle() {
        let parent = ("crates/a/src/one.rs", "mod part; use self::part::X; // crate::two");
        let part = ("crates/a/src/one/part.rs", "use super::Y;");
        let two = ("crates/a/src/two.rs", "use crate::one::Y;\n#[cfg(test)]\nmod tests { use crate::one; }");
        let tests = ("crates/a/src/one/tests.rs", "use crate::two::Z;");
        assert!(faults(&[parent, part, two, tests]).is_empty());
    }
}
