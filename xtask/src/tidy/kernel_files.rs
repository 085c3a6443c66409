//! One place knows the machine: what the kernel shows of it in `/proc` and `/sys`, `crates/machine` reads.
//!
//! Another crate that reads such a file has a parser of its own before long, and the two disagree.

use super::source::code_and_strings;
use super::{Fault, Page};

/// Where the kernel shows the machine.
const FOLDERS: [&str; 2] = ["/proc", "/sys"];

/// Files of other crates that name such a file all the same, each with why.
const ALLOWED: &[(&str, &str)] = &[
    (
        "crates/capture/src/mount.rs",
        "ends a FUSE connection, which is an order; a shell outlives this program and unmounts",
    ),
    (
        "crates/capture/src/storage.rs",
        "the name of an open folder, so that paths below it need not be opened again",
    ),
    ("crates/engine/src/cache/residency.rs", "the name of an open file, to ask whether it may be written"),
    ("crates/engine/src/io/second_name.rs", "the name of an open file, to give it another one"),
    ("crates/engine/src/probe/listing.rs", "the name of an open folder, to list it by name"),
    ("crates/import/src/scope.rs", "why a path of a trace is left out, for people"),
    ("crates/import/src/strace/paths.rs", "paths in what a traced program did, which are never opened"),
    ("crates/record/src/named_file.rs", "folders in which a name is no file of the user"),
    ("crates/runner/src/prove/change.rs", "an example for people of a command that changes a setting"),
    ("crates/runner/src/supervise.rs", "the standard input of the process that supervises this one"),
];

/// Applies the rule.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    faults(pages, ALLOWED)
}

fn faults(pages: &[Page], allowed: &[(&str, &str)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut needed = vec![false; allowed.len()];
    for page in pages.iter().filter(|page| is_product(&page.path)) {
        for (line, name) in named(page.text.as_deref().unwrap_or_default()) {
            match allowed.iter().position(|(path, _)| *path == page.path) {
                Some(exception) => needed[exception] = true,
                None => faults.push(Fault::at(
                    &page.path,
                    line,
                    format!("{name} names a file of the kernel; let a module of crates/machine read it"),
                )),
            }
        }
    }
    let unneeded = allowed.iter().zip(needed).filter(|(_, needed)| !needed);
    faults.extend(unneeded.map(|((path, _), _)| {
        Fault::of(
            *path,
            "names no file of the kernel; remove the exception in xtask/src/tidy/kernel_files.rs",
        )
    }));
    faults
}

/// Whether a file is product code of a crate that has to ask `machine`.
fn is_product(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or_default();
    let is_test = name == "tests.rs" || name.starts_with("test_") || path.contains("/tests/");
    let is_source = path.starts_with("crates/") && path.contains("/src/") && path.ends_with(".rs");
    is_source && !is_test && !path.starts_with("crates/machine/")
}

/// The strings of the product code that name such a file.
fn named(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let product = text.split("\nmod tests {").next().unwrap_or_default();
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    let is_in = move |string: &str, folder| string.split(folder).skip(1).any(|rest| !goes_on(rest));
    let names_one = move |string: &str| FOLDERS.iter().any(|folder| is_in(string, *folder));
    let (code, strings) = code_and_strings(product);
    let named = strings.into_iter().filter(move |string| names_one(string.token));
    named.map(move |string| (code[..string.from].matches('\n').count() + 1, string.token))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str, allowed: &[(&str, &str)]) -> Vec<String> {
        faults(&[Page::made_up(path, text)], allowed).into_iter().map(|fault| fault.place).collect()
    }

    #[test]
    fn a_crate_that_reads_files_of_the_kernel_is_a_fault() {
        let path = "crates/engine/src/lib.rs";
        for bad in [
            r#"read("/proc/meminfo")"#,
            r#"const FILE: &str = "/sys/block";"#,
            r#"let file = format!("/proc/{pid}/stat");"#,
            r#"let folder = PathBuf::from("/proc").join(pid);"#,
            "let script = r\"cat /proc/mdstat\";",
        ] {
            let text = format!("//! Head\n{bad}\n");
            assert_eq!(found(path, &text, &[]), ["crates/engine/src/lib.rs:2"], "{bad}");
        }
        let bad = r#"read("/proc/stat")"#;
        assert_eq!(found("crates/machine/src/system.rs", bad, &[]), [""; 0], "its place");
        assert_eq!(found("crates/engine/src/driver/tests.rs", bad, &[]), [""; 0], "a test");
        for good in [format!("// {bad}\nmod tests {{\n{bad}"), r#"get("/api/procedure/system")"#.to_owned()] {
            assert_eq!(found(path, &good, &[]), [""; 0], "{good}");
        }
    }

    #[test]
    fn an_exception_is_used_or_a_fault() {
        let path = "crates/engine/src/lib.rs";
        assert_eq!(found(path, r#"read("/proc/self/fd/1")"#, &[(path, "why")]), [""; 0]);
        assert_eq!(found(path, r#"read("/srv")"#, &[(path, "why")]), [path]);
    }
}
