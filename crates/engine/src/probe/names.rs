//! Names: whether case distinguishes files and is preserved, whether accented letters stay as written,
//! how long a name may be, and which of SMB's reserved characters are refused.

use std::io;
use std::path::Path;

use super::shortage::MAKE_FILE;
use super::{Bench, Broken, Found, broken};

/// The same word with a composed accent and with a separate one: macOS writes the second form, all
/// others the first.
const COMPOSED: &str = "re\u{301}el-1.mov";
const PRECOMPOSED: &str = "r\u{e9}el-1.mov";

/// Name lengths to try, in bytes.
const LENGTHS_BYTES: [usize; 5] = [255, 200, 143, 100, 60];

/// Characters that Windows and SMB reserve: the name of each in the facts, and a file name with it.
const RESERVED: [(&str, &str); 10] = [
    (":", "take:1"),
    ("*", "take*1"),
    ("?", "take?1"),
    ("\"", "take\"1"),
    ("<", "take<1"),
    (">", "take>1"),
    ("|", "take|1"),
    ("\\", "take\\1"),
    ("a trailing dot", "take."),
    ("a trailing space", "take "),
];

/// The result of creating a file with this name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    Kept,
    Changed,
    Refused,
}

pub(super) fn names(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let folder = bench.make_folder("case")?;
    let kept = named(bench, &folder, "Reel-A.mov")?;
    found.word("case_kept", if kept == Fate::Kept { "yes" } else { "no" });
    let is_there = is_there(bench, &folder.join("rEEL-a.mov"))?;
    found.word("case", if is_there { "not told apart" } else { "told apart" });
    unicode(bench, found)?;
    let folder = bench.make_folder("long")?;
    let mut longest_bytes = 0;
    for length_bytes in LENGTHS_BYTES {
        if named(bench, &folder, &"n".repeat(length_bytes))? == Fate::Kept {
            longest_bytes = length_bytes;
            break;
        }
    }
    found.number("longest_name_bytes", longest_bytes as f64);
    let folder = bench.make_folder("reserved")?;
    let mut fates = Vec::new();
    for (called, name) in RESERVED {
        fates.push((called, named(bench, &folder, name)?));
    }
    found.word("names_refused", those(&fates, Fate::Refused));
    found.word("names_changed", those(&fates, Fate::Changed));
    Ok(())
}

fn unicode(bench: &Bench, found: &mut Found) -> Result<(), Broken> {
    let mut worst = Fate::Kept;
    for (folder, name) in [("composed", COMPOSED), ("precomposed", PRECOMPOSED)] {
        let folder = bench.make_folder(folder)?;
        match named(bench, &folder, name)? {
            Fate::Kept => {}
            fate => worst = fate,
        }
    }
    found.word(
        "unicode_names",
        match worst {
            Fate::Kept => "kept",
            Fate::Changed => "changed",
            Fate::Refused => "refused",
        },
    );
    if worst == Fate::Refused {
        found.nothing("unicode_forms");
        return Ok(());
    }
    let other = is_there(bench, &bench.at("composed").join(PRECOMPOSED))?;
    found.word("unicode_forms", if other { "one name" } else { "two names" });
    Ok(())
}

/// Creates a file with this name, and checks how the folder lists it.
fn named(bench: &Bench, folder: &Path, name: &str) -> Result<Fate, Broken> {
    let made = bench.make(&folder.join(name));
    bench.step()?;
    match made {
        Ok(_) if bench.lists(folder, name)? => Ok(Fate::Kept),
        Ok(_) => Ok(Fate::Changed),
        Err(error) if is_of_the_name(&error) => Ok(Fate::Refused),
        Err(error) => Err(broken(MAKE_FILE)(error)),
    }
}

/// Whether an error can be caused by the name. A full disk or a lost mount is not.
fn is_of_the_name(error: &io::Error) -> bool {
    let numbers = [
        libc::EINVAL,
        libc::EILSEQ,
        libc::ENOENT,
        libc::EACCES,
        libc::EPERM,
        libc::ENAMETOOLONG,
        libc::EPROTO,
        libc::EEXIST,
        libc::EISDIR,
        libc::ENOTDIR,
    ];
    error.raw_os_error().is_some_and(|number| numbers.contains(&number))
}

fn is_there(bench: &Bench, path: &Path) -> Result<bool, Broken> {
    let facts = bench.dir().facts(path);
    bench.step()?;
    match facts {
        Ok(_) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(broken("access a file")(error)),
    }
}

/// Names with this result, as a list; `none` if there are none.
fn those(fates: &[(&str, Fate)], wanted: Fate) -> String {
    let of_it: Vec<&str> =
        fates.iter().filter(|(_, fate)| *fate == wanted).map(|(called, _)| *called).collect();
    if of_it.is_empty() { "none".to_owned() } else { of_it.join(", ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_name_altered_and_refused_names() {
        let fates = [(":", Fate::Refused), ("*", Fate::Kept), ("a trailing dot", Fate::Refused)];
        assert_eq!(those(&fates, Fate::Refused), ":, a trailing dot");
        assert_eq!(those(&fates, Fate::Changed), "none");
    }

    #[test]
    fn a_full_disk_is_not_about_names() {
        assert!(is_of_the_name(&io::Error::from_raw_os_error(libc::EINVAL)));
        assert!(!is_of_the_name(&io::Error::from_raw_os_error(libc::ENOSPC)));
        assert!(!is_of_the_name(&io::Error::from_raw_os_error(libc::EIO)));
    }
}
