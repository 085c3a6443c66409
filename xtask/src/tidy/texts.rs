//! The text of source files: heads, line length, and forbidden words and paths.

use super::source::code_only;
use super::{Fault, Page};

/// The longest line of Rust, in characters.
const COLUMNS_MAX: usize = 110;

/// A line may be longer if it has no more code than this in addition to a string literal.
const CODE_BESIDE_LITERAL_MAX: usize = 40;

/// Words that must not be in any Rust source, comments included. Written in two parts, so that this list
/// does not match itself.
const MARKS: &[&str] = &[concat!("TO", "DO"), concat!("FIX", "ME"), concat!("XX", "X"), concat!("HA", "CK")];

/// Calls that must not be in code; comments and strings are ignored.
const CALLS: &[(&str, &str)] = &[
    ("dbg!(", "remove it"),
    ("todo!(", "write it"),
    ("unimplemented!(", "write it, or give a clean error"),
    ("#[ignore", "a test that does not run is no test; skip with a reason where it cannot run"),
];

/// Files in which one of [`CALLS`] is permitted, each with the reason.
const CALLS_ALLOWED: &[(&str, &str, &str)] = &[];

/// Prefixes of paths that exist on one host only.
const HOMES: &[&str] = &[concat!("/ro", "ot/"), concat!("/wo", "rk/")];

/// Files that may use `unsafe`, each with the reason.
const UNSAFE: &[(&str, &str)] = &[
    ("benches/src/bare.rs", "the bare system call that the engine is compared with"),
    ("benches/src/compare.rs", "waiting for a process and seeing what it used"),
    ("crates/engine/src/buffer.rs", "memory at an alignment that Vec does not give"),
    ("crates/engine/src/cache/residency.rs", "mapping a file to ask what of it is cached"),
    ("crates/engine/src/dataset/fill.rs", "starting write-back early"),
    ("crates/engine/src/driver/uring.rs", "handing pointers to the kernel"),
    ("crates/engine/src/driver/uring/ring_features.rs", "registering buffers with the kernel"),
    ("crates/engine/src/driver/wait/apple.rs", "asking macOS for timers that are not delayed"),
    ("crates/engine/src/extents/linux.rs", "the system call that tells where a file lies"),
    ("crates/engine/src/io/unix.rs", "closing a file and seeing the error"),
    ("crates/engine/src/io/windows.rs", "calls of the Windows API"),
    ("crates/engine/src/machine_clock.rs", "calls of the Windows API"),
    ("crates/engine/src/probe/byte_lock.rs", "a lock of one opening of a file, which rustix does not have"),
    ("crates/engine/src/space.rs", "calls of the Windows API"),
    ("crates/machine/src/adapter/windows.rs", "calls of the Windows API"),
    ("crates/machine/src/host/windows.rs", "calls of the Windows API"),
    ("crates/machine/src/mount/apple.rs", "statfs names as bytes"),
    ("crates/machine/src/mount/windows.rs", "calls of the Windows API"),
    ("crates/machine/src/sample/parse/own_process.rs", "calls of the Windows API"),
    ("crates/machine/src/texts/windows_host.rs", "asking Windows for its own directory"),
    ("crates/record/src/identity/linux.rs", "the file system identity of one thread"),
    ("crates/record/src/log/delta.rs", "AVX2 where the processor has it"),
    ("crates/runner/src/interrupt/windows.rs", "calls of the Windows API"),
    ("crates/record/tests/memory.rs", "an allocator that counts"),
];

/// Applies every rule on texts.
pub fn check(pages: &[Page]) -> Vec<Fault> {
    let mut faults = Vec::new();
    for page in pages {
        let Some(text) = &page.text else { continue };
        if page.is_rust() {
            faults.extend(head(page, text));
            faults.extend(line_lengths(page, text));
            faults.extend(marks(page, text));
        }
        faults.extend(homes(page, text));
    }
    faults.extend(calls(pages, CALLS_ALLOWED));
    faults.extend(unsafe_code(pages, UNSAFE));
    faults
}

/// Every source file begins with its purpose.
fn head(page: &Page, text: &str) -> Option<Fault> {
    let says = text.strip_prefix("//!").is_some_and(|rest| rest.lines().next().is_some_and(|l| l.len() > 10));
    (!says).then(|| Fault::at(&page.path, 1, "begin with a `//!` head that says what this file is for"))
}

/// Two files fit next to each other on a screen. A line that is mostly a string literal may be longer:
/// it is data, or a message that can be found only if it is not broken.
fn line_lengths(page: &Page, text: &str) -> Vec<Fault> {
    if text.lines().all(|line| line.len() <= COLUMNS_MAX) {
        return Vec::new();
    }
    let code = code_only(text);
    let is_literal = |line: &str, code: &str| {
        let comment = line.trim_start().starts_with("//");
        let around = code.chars().filter(|c| !c.is_whitespace()).count();
        !comment && around <= CODE_BESIDE_LITERAL_MAX
    };
    let lines = text.lines().zip(code.lines()).enumerate();
    let too_long =
        lines.filter(|(_, (line, code))| line.chars().count() > COLUMNS_MAX && !is_literal(line, code));
    too_long
        .map(|(at, _)| Fault::at(&page.path, at + 1, format!("more than {COLUMNS_MAX} columns")))
        .collect()
}

/// No postponed work is hidden in a comment.
fn marks(page: &Page, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !MARKS.iter().any(|mark| text.contains(mark)) {
        return faults;
    }
    for (at, line) in text.lines().enumerate() {
        let mut words = line.split(|c: char| !c.is_alphanumeric());
        if let Some(word) = words.find(|word| MARKS.contains(word)) {
            faults.push(Fault::at(
                &page.path,
                at + 1,
                format!("{word} is left: do it, or write it down elsewhere"),
            ));
        }
    }
    faults
}

/// Finds calls that were meant to be removed.
fn calls(pages: &[Page], allowed: &[(&str, &str, &str)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut needed = vec![false; allowed.len()];
    let has_call = |text: &&str| CALLS.iter().any(|(call, _)| text.contains(call));
    for page in pages.iter().filter(|page| page.is_rust()) {
        let Some(text) = page.text.as_deref().filter(has_call) else { continue };
        for (at, line) in code_only(text).lines().enumerate() {
            for (call, remedy) in CALLS.iter().filter(|(call, _)| line.contains(call)) {
                let what = format!("{call} is left: {remedy}");
                match allowed.iter().position(|(path, right, _)| *path == page.path && right == call) {
                    Some(exception) => needed[exception] = true,
                    None => faults.push(Fault::at(&page.path, at + 1, what)),
                }
            }
        }
    }
    let unneeded = allowed.iter().zip(needed).filter(|(_, needed)| !needed);
    faults.extend(unneeded.map(|((path, call, _), _)| {
        let what = format!("has no {call}; remove the exception in xtask/src/tidy/texts.rs");
        Fault::of(*path, what)
    }));
    faults
}

/// Nothing depends on the location of a user's files.
fn homes(page: &Page, text: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    if !HOMES.iter().any(|home| text.contains(home)) {
        return faults;
    }
    for (at, line) in text.lines().enumerate() {
        if let Some(home) = HOMES.iter().find(|home| line.contains(**home)) {
            faults.push(Fault::at(&page.path, at + 1, format!("the path '{home}…' is of one machine")));
        }
    }
    faults
}

/// `unsafe` stays where it is expected.
fn unsafe_code(pages: &[Page], allowed: &[(&str, &str)]) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut users = Vec::new();
    for page in pages.iter().filter(|page| page.is_rust()) {
        let Some(text) = page.text.as_deref().filter(|text| text.contains("unsafe")) else { continue };
        let code = code_only(text);
        let is_word = |word: &str| word == "unsafe";
        let line =
            code.lines().position(|line| line.split(|c: char| !c.is_alphanumeric() && c != '_').any(is_word));
        if let Some(line) = line {
            users.push(page.path.as_str());
            if !allowed.iter().any(|(path, _)| *path == page.path) {
                let what = "unsafe code; use a safe way, or list the file in xtask/src/tidy/texts.rs";
                faults.push(Fault::at(&page.path, line + 1, what));
            }
        }
    }
    let unneeded = allowed.iter().filter(|(path, _)| !users.contains(path));
    faults.extend(unneeded.map(|(path, _)| {
        Fault::of(*path, "has no unsafe code; remove it from the list in xtask/src/tidy/texts.rs")
    }));
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The faults of an invented source file, without those that the real lists of exceptions cause.
    fn faults(text: &str) -> Vec<Fault> {
        let path = "crates/made/src/up.rs";
        let mut faults = check(&[Page::made_up(path, text)]);
        faults.retain(|fault| fault.place.starts_with(path));
        faults
    }

    const HEAD: &str = "//! What this is for.\n";

    #[test]
    fn a_good_file_has_no_faults() {
        assert_eq!(faults(&format!("{HEAD}\nfn todo_list() -> &'static str {{\n    \"dbg!(x)\"\n}}\n")), []);
    }

    #[test]
    fn a_file_without_a_head_is_a_fault() {
        assert_eq!(faults("use std::fs;\n")[0].place, "crates/made/src/up.rs:1");
        assert_eq!(faults("//!\nuse std::fs;\n").len(), 1);
    }

    #[test]
    fn a_long_line_is_a_fault() {
        let line = |columns: usize| format!("{HEAD}// {}\n", "ä".repeat(columns - 3));
        assert_eq!(faults(&line(COLUMNS_MAX)), []);
        let literal = format!("{HEAD}const A: &str =\n    \"{}\",\n", "ä".repeat(COLUMNS_MAX));
        assert_eq!(faults(&literal), []);
        assert_eq!(faults(&line(COLUMNS_MAX + 1))[0].place, "crates/made/src/up.rs:2");
    }

    #[test]
    fn marks_and_unfinished_code_are_faults() {
        for mark in MARKS {
            assert_eq!(faults(&format!("{HEAD}// {mark}: later\n")).len(), 1, "{mark}");
        }
        for (call, _) in CALLS {
            assert_eq!(faults(&format!("{HEAD}fn f() {{ {call} x) }}\n")).len(), 1, "{call}");
        }
    }

    #[test]
    fn exception_applies_only_in_its_file_and_must_be_needed() {
        let page = |path: &str| Page::made_up(path, "#[ignore]\n");
        let allowed = [("a.rs", "#[ignore", "why")];
        assert_eq!(calls(&[page("a.rs")], &allowed), []);
        assert_eq!(calls(&[page("a.rs"), page("b.rs")], &allowed)[0].place, "b.rs:1");
        assert_eq!(calls(&[], &allowed).len(), 1);
    }

    #[test]
    fn path_of_one_computer_is_a_fault_in_any_file() {
        for home in HOMES {
            let page = Page::made_up("docs/a.md", &format!("see {home}me/x"));
            assert!(check(&[page]).iter().any(|fault| fault.place == "docs/a.md:1"), "{home}");
        }
    }

    #[test]
    fn unsafe_is_a_fault_where_it_is_not_listed() {
        let page =
            Page::made_up("a.rs", &format!("{HEAD}// unsafe\nfn unsafe_name() {{ unsafe {{ f() }} }}\n"));
        let found = unsafe_code(std::slice::from_ref(&page), &[]);
        assert_eq!(found[0].place, "a.rs:3");
        assert_eq!(unsafe_code(&[page], &[("a.rs", "why")]), []);
        assert_eq!(unsafe_code(&[], &[("a.rs", "why")]).len(), 1);
    }
}
