//! Only the engine does I/O on a target. Other crates open only files that belong to them.
//!
//! The rule finds calls that take a path: functions of `std::fs` and `rustix::fs`, and methods of `Path`
//! that query the file system. It cannot see which path is used. So crates with their own files are
//! exempt, and in other crates each file lists the calls that it needs. Clippy's `disallowed_methods`
//! cannot do this. It does not exempt tests, which create files everywhere, and CI lints only builds
//! with tests.

use std::collections::BTreeSet;

use super::Fault;
use super::product::Product;

/// Functions that open a file.
const OPENERS: &[&str] =
    &["File::open", "File::create", "File::create_new", "File::options", "OpenOptions::new"];

/// Methods of `Path`.
const METHODS: &[&str] = &[
    "canonicalize",
    "exists",
    "is_dir",
    "is_file",
    "is_symlink",
    "read_dir",
    "read_link",
    "symlink_metadata",
    "try_exists",
];

/// Prefixes of paths, the permitted calls (empty: all of them), and the reason.
const ALLOWED: &[(&str, &str, &str)] = &[
    ("crates/capture/src/", "", "is mounted over the directory that it records"),
    ("crates/console/src/", "", "lists the folder of runs and deletes runs"),
    ("crates/engine/src/", "", "the one crate that does I/O on a target"),
    ("crates/fleet/src/", "", "the folders of a site, of an agent and of a controller's run"),
    ("crates/machine/src/", "", "files of the kernel and collected texts"),
    ("crates/record/src/", "", "the run directory"),
    ("crates/results/src/", "", "the run directory, read again"),
    ("crates/trace/src/", "", "traces are files of their own"),
    (
        "crates/formats/src/reference_media.rs",
        "metadata is_dir File::open",
        "reads the file that --like names",
    ),
    (
        "crates/formats/src/reference_media/sequence.rs",
        "read_dir metadata is_file",
        "reads the folder that --like names",
    ),
    (
        "crates/msmeter/src/session_files.rs",
        "write create_dir File::create_new read_to_string",
        "the folder of its results",
    ),
    (
        "crates/msmeter/src/session.rs",
        "remove_dir_all",
        "the folder of its results, where nothing was measured",
    ),
    ("crates/reelgauge/src/", "", "files and folders that flags name"),
    ("crates/runner/src/check/target_setup.rs", "exists", "whether there is an area yet, before a run"),
    (
        "crates/runner/src/event/process_group.rs",
        "OpenOptions::new",
        "the output of the user's command, in the run directory",
    ),
    (
        "crates/runner/src/extents.rs",
        "metadata is_file canonicalize",
        "looks at a file of the user's before the engine reads it",
    ),
    ("crates/runner/src/folder_lock.rs", "OpenOptions::new", "a lock in the folder of runs or of undos"),
    (
        "crates/runner/src/procedure.rs",
        "exists remove_dir remove_dir_all remove_file",
        "the procedure's own directory",
    ),
    ("crates/runner/src/procedure/fleet.rs", "create_dir_all", "the procedure's own directory"),
    ("crates/runner/src/procedure/procedure_file.rs", "remove_file", "the procedure's own directory"),
    (
        "crates/runner/src/prove/pending_undo.rs",
        "is_file read read_dir remove_file symlink_metadata",
        "what undoes a change, in its own folder",
    ),
    ("crates/runner/src/prove/pass.rs", "is_dir read_dir", "the folder of runs"),
    ("crates/runner/src/prove/shell.rs", "is_dir", "where the user's command runs"),
    ("crates/runner/src/run_series.rs", "exists", "the directory of a series"),
    ("crates/runner/src/session.rs", "create_dir_all", "the folder of runs"),
    (
        "crates/runner/src/session/locked_target.rs",
        "canonicalize",
        "the whole path of a target, before a run",
    ),
    (
        "crates/runner/src/session/interference.rs",
        "symlink_metadata",
        "whether the area still has its name, in a thread of its own",
    ),
    ("crates/runner/src/session/results_dir.rs", "remove_dir remove_file", "the run directory"),
    (
        "crates/runner/src/session/space_making.rs",
        "is_dir read_dir",
        "adds up the files of an area, before its load",
    ),
    (
        "crates/runner/src/session/free_space_watch.rs",
        "read_dir",
        "whether the scratch folder has files, in a thread of its own",
    ),
    ("crates/runner/src/session/space.rs", "exists is_dir", "whether there is an area yet, before a run"),
    ("crates/runner/src/remote_control.rs", "read", "the plan of a fleet's run"),
    ("crates/runner/src/streams/count_search.rs", "read", "the search of an earlier run"),
    ("crates/runner/src/suite.rs", "is_file read_dir remove_dir remove_file", "the suite's own directory"),
    (
        "crates/runner/src/supervise.rs",
        "File::open",
        "the standard input of the process that supervises this one",
    ),
    ("crates/runner/src/supervise/child.rs", "OpenOptions::new", "the null device"),
];

/// The file with the exceptions.
const TABLE: &str = "xtask/src/tidy/target_io.rs";

pub fn check(product: &[Product<'_>]) -> Vec<Fault> {
    faults(product, ALLOWED)
}

fn faults(product: &[Product<'_>], allowed: &[(&str, &str, &str)]) -> Vec<Fault> {
    let mut found: Vec<BTreeSet<&str>> = vec![BTreeSet::new(); allowed.len()];
    let mut faults = Vec::new();
    for file in product {
        for (at, call) in calls(&file.code) {
            let is_allowed = |(place, calls, _): &(&str, &str, &str)| {
                file.path.starts_with(place) && (calls.is_empty() || calls.split(' ').any(|one| one == call))
            };
            match allowed.iter().position(is_allowed) {
                Some(exception) => drop(found[exception].insert(call)),
                None => faults.push(Fault::at(
                    file.path,
                    file.line(at),
                    format!("{call} does I/O: leave targets to the engine, or list it in {TABLE}"),
                )),
            }
        }
    }
    for ((place, calls, _), found) in allowed.iter().zip(&found) {
        if found.is_empty() {
            faults.push(Fault::of(*place, format!("does no I/O; remove it from {TABLE}")));
        } else if let Some(call) = calls.split(' ').find(|call| !call.is_empty() && !found.contains(call)) {
            faults.push(Fault::of(*place, format!("does not call {call}; remove it from {TABLE}")));
        }
    }
    faults
}

/// The calls of a file's code that take a path, with where they are.
fn calls(code: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("fs::") {
        if !code[..at].ends_with(is_of_name) {
            found.extend(imported(code, at + "fs::".len()));
        }
    }
    for opener in OPENERS {
        let is_whole = |at: usize| {
            !code[..at].ends_with(is_of_name) && !code[at + opener.len()..].starts_with(is_of_name)
        };
        let places = code.match_indices(opener).map(|(at, _)| at).filter(|at| is_whole(*at));
        found.extend(places.map(|at| (at, *opener)));
    }
    for (at, _) in code.match_indices('.') {
        let method = name(&code[at + 1..]);
        if METHODS.contains(&method) && code[at + 1 + method.len()..].starts_with("()") {
            found.push((at, method));
        }
    }
    found
}

/// The functions that a path through `fs` names here: one, or those of a group.
fn imported(code: &str, at: usize) -> Vec<(usize, &str)> {
    let Some(group) = code[at..].strip_prefix('{') else { return function(code, at).into_iter().collect() };
    let group = &group[..group.find(['}', ';']).unwrap_or(group.len())];
    group.split(',').filter_map(|part| function(part.trim(), 0)).map(|(_, call)| (at, call)).collect()
}

/// The function, not the type or the module, that is named here.
fn function(code: &str, at: usize) -> Option<(usize, &str)> {
    let name = name(&code[at..]);
    let is_function = name.starts_with(|c: char| c.is_lowercase()) && name != "self";
    (is_function && !code[at + name.len()..].starts_with("::")).then_some((at, name))
}

fn name(code: &str) -> &str {
    &code[..code.find(|c| !is_of_name(c)).unwrap_or(code.len())]
}

fn is_of_name(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pages::Page;

    fn found(path: &str, text: &str, allowed: &[(&str, &str, &str)]) -> usize {
        faults(&Product::of(&[Page::made_up(path, text)]), allowed).len()
    }

    const PATH: &str = "crates/runner/src/session/made_up.rs";

    #[test]
    fn io_outside_the_engine_is_a_fault() {
        for bad in [
            "std::fs::write(target.join(\"x\"), b\"\")?;",
            "use std::fs::{self, File};\nfs::read(path)?;",
            "use std::fs::{File, remove_file};",
            "let file = File::create(path)?;",
            "let file = std::fs::File::open(path)?;",
            "let file = OpenOptions::new().write(true);",
            "let room = rustix::fs::statvfs(target)?;",
            "if target.join(\"x\").exists() {}",
        ] {
            let text = format!("//! Head\n{bad}\n");
            assert_eq!(found(PATH, &text, &[]), 1, "{bad}");
            assert!(
                check(&Product::of(&[Page::made_up(PATH, &text)]))
                    .iter()
                    .any(|fault| fault.place.starts_with(PATH)),
                "{bad}"
            );
        }
    }

    #[test]
    fn types_comments_and_other_names_are_none() {
        for good in [
            "use std::fs::{self, File};",
            "fn f(file: &std::fs::File, facts: fs::Metadata) {}",
            "// std::fs::read(path)",
            "let a = offs::read(b) + MyFile::open(c) + d.exists + File::default();",
            "use rustix::fs::OFlags;",
        ] {
            assert_eq!(found(PATH, good, &[]), 0, "{good}");
        }
    }

    #[test]
    fn an_exception_is_for_its_calls_and_has_to_be_needed() {
        let text = "fs::read(a); fs::read_dir(b);";
        assert_eq!(found(PATH, text, &[("crates/runner/src/", "", "why")]), 0);
        assert_eq!(found(PATH, text, &[(PATH, "read read_dir", "why")]), 0);
        assert_eq!(found(PATH, text, &[(PATH, "read", "why")]), 1);
        assert_eq!(found(PATH, text, &[(PATH, "read read_dir write", "why")]), 1);
        assert_eq!(found(PATH, "", &[(PATH, "", "why")]), 1);
    }
}
