//! Only `crates/machine` reads the kernel's files about the host in `/proc` and `/sys`.
//!
//! Another crate that reads such a file will soon have its own parser, and the two will disagree.

use super::Fault;
use super::product::Product;

/// The folders of the kernel's files.
const FOLDERS: [&str; 2] = ["/proc", "/sys"];

/// Files of other crates that may name such a file, each with the reason.
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
    ("crates/engine/src/probe/folder_listing.rs", "the name of an open folder, to list it by name"),
    ("crates/import/src/path_filter.rs", "why a path of a trace is left out, for people"),
    ("crates/import/src/strace/paths.rs", "paths in what a traced program did, which are never opened"),
    ("crates/record/src/named_file.rs", "folders in which a name is no file of the user"),
    ("crates/runner/src/prove/change.rs", "an example for people of a command that changes a setting"),
    ("crates/runner/src/supervise.rs", "the standard input of the process that supervises this one"),
];

pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    faults(product, ALLOWED)
}

fn faults(product: &[Product<'_>], allowed: &[(&str, &str)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut needed = vec![false; allowed.len()];
    for file in product.iter().filter(|file| file.crate_name() != "machine") {
        for string in file.strings.iter().filter(|string| names_one(string.token)) {
            match allowed.iter().position(|(path, _)| *path == file.path) {
                Some(exception) => needed[exception] = true,
                None => faults.push(Fault::at(
                    file.path,
                    file.line(string.from),
                    format!(
                        "{} names a file of the kernel; let a module of crates/machine read it",
                        string.token
                    ),
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

/// Whether a literal names such a file.
fn names_one(literal: &str) -> bool {
    let goes_on = |rest: &str| rest.starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '-');
    FOLDERS.iter().any(|folder| literal.split(folder).skip(1).any(|rest| !goes_on(rest)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Page;

    fn found(path: &str, text: &str, allowed: &[(&str, &str)]) -> Vec<String> {
        faults(&Product::of(&[Page::made_up(path, text)]), allowed)
            .into_iter()
            .map(|fault| fault.place)
            .collect()
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
        for good in [format!("// {bad}\n"), r#"get("/api/procedure/system")"#.to_owned()] {
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
