//! `site.toml`: facts about a site that no counter shows. The file is in the folder of runs, where all
//! runs find it, and each run keeps a copy. [`dialogue`] asks the user for it.
//!
//! Not here: its contents ([`reelgauge_analysis::path::site`]), and the ceilings computed from them
//! ([`reelgauge_analysis::path`]).

pub mod dialogue;

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use reelgauge_analysis::path::site::Site;
use reelgauge_analysis::path::site::validation::SiteFault;
use reelgauge_record::run_dir::{RunDirError, write_atomically};

pub const SITE_FILE: &str = "site.toml";

/// No valid file is longer.
const FILE_MAX_BYTES: u64 = 64 << 10;

/// The head of every file that is written.
const HEAD: &str = "\
# Facts about this site that no counter shows. All lines are optional; a missing line means unknown.
# 'reelgauge doctor --ask' asks for the values; docs/site.md explains each line.

";

/// Why the facts about a site are unavailable.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SiteError {
    /// The file can't be read.
    #[error("cannot read {path}: {source}", path = path.display())]
    Io {
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has a syntax error or an unknown key.
    #[error("cannot parse {path}: {why}", path = path.display())]
    NotUnderstood {
        path: PathBuf,
        /// The position in the file, and the mistake.
        why: String,
    },
    /// A value is impossible.
    #[error("{path}: {fault}. Correct or remove the line", path = path.display())]
    CannotBe { path: PathBuf, fault: SiteFault },
    /// It can't be written.
    #[error("{0}. Name another file with --site")]
    Write(String),
}

/// Reads the facts about a site; `None` if there is no such file.
///
/// # Errors
/// If the file can't be read or parsed, or a value is impossible.
pub fn read_site(path: &Path) -> Result<Option<Site>, SiteError> {
    let failed = |source| SiteError::Io { path: path.to_path_buf(), source };
    // Opening a pipe would block.
    match fs::metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
        Ok(data) if !data.is_file() => return Err(failed(io::Error::other("it is not a file"))),
        Ok(_) => {}
    }
    let file = File::open(path).map_err(failed)?;
    let mut text = String::new();
    let read = file.take(FILE_MAX_BYTES + 1).read_to_string(&mut text).map_err(failed)?;
    if read as u64 > FILE_MAX_BYTES {
        return Err(failed(io::Error::other(format!("it is larger than {} KiB", FILE_MAX_BYTES >> 10))));
    }
    let not_understood = |error: toml::de::Error| SiteError::NotUnderstood {
        path: path.to_path_buf(),
        why: error.to_string(),
    };
    let site = toml::from_str(&text).map_err(not_understood)?;
    checked(path, &site)?;
    Ok(Some(site))
}

fn checked(path: &Path, site: &Site) -> Result<(), SiteError> {
    site.check().map_err(|fault| SiteError::CannotBe { path: path.to_path_buf(), fault })
}

/// Writes the facts about a site, and replaces the file.
///
/// # Errors
/// If the file can't be written, or a value is impossible.
pub fn write_site(path: &Path, site: &Site) -> Result<(), SiteError> {
    checked(path, site)?;
    let not_understood = |error: toml::ser::Error| SiteError::NotUnderstood {
        path: path.to_path_buf(),
        why: error.to_string(),
    };
    let text = toml::to_string_pretty(site).map_err(not_understood)?;
    write_atomically(path, format!("{HEAD}{text}").as_bytes()).map_err(not_written)
}

/// The usual advice names `--out`, but this file has its own flag, `--site`.
fn not_written(error: RunDirError) -> SiteError {
    SiteError::Write(match error {
        RunDirError::Io { action, path, source } => format!("cannot {action} {}: {source}", path.display()),
        other => other.to_string(),
    })
}

/// Copies the facts about the site into a new run; `out` is the folder of runs. Returns a warning if the
/// file exists but cannot be used.
pub fn keep_site(out: &Path, run_dir: &Path) -> Option<String> {
    // Runs of a proof or a suite are in its directory, which is in the folder of runs.
    let is_of_many = ["proof.json", "suite.json"].iter().any(|file| out.join(file).exists());
    let from = out.parent().filter(|_| is_of_many).unwrap_or(out).join(SITE_FILE);
    match read_site(&from) {
        Ok(None) => None,
        Ok(Some(_)) => fs::copy(&from, run_dir.join(SITE_FILE))
            .err()
            .map(|error| format!("{} could not be stored with the run ({error}).", from.display())),
        Err(error) => Some(format!("The site is unknown: {error}.")),
    }
}

/// What was known of the site when a run began.
pub(crate) fn site_of_run(run_dir: &Path) -> Option<Site> {
    read_site(&run_dir.join(SITE_FILE)).ok().flatten()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::path::site::{DiskKind, Raid};

    use super::*;

    const BY_HAND: &str = "\
[server]
link_mbit_per_s = 10000
link_kind = \"ethernet\"
memory_gib = 64

[switch]
model = \"Acme 24\"
buffer_per_port_kib = 512
buffer_is_shared = true

[backplane]
bus = \"sas\"
generation = 3
lanes = 4

[disks]
kind = \"hdd-sata\"
count = 12
raid = \"raid6\"
";

    #[test]
    fn manual_entries_are_read_kept_and_rewritten() {
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join(SITE_FILE);
        assert_eq!(read_site(&file).unwrap(), None);
        fs::write(&file, BY_HAND).unwrap();
        let site = read_site(&file).unwrap().unwrap();
        assert_eq!((site.disks.kind, site.disks.raid), (Some(DiskKind::HddSata), Some(Raid::Raid6)));
        assert_eq!(site.server.mtu_bytes, None);
        let run = out.path().join("run");
        fs::create_dir(&run).unwrap();
        assert_eq!(keep_site(out.path(), &run), None);
        assert_eq!(site_of_run(&run), Some(site.clone()));
        write_site(&file, &site).unwrap();
        assert_eq!(read_site(&file).unwrap(), Some(site));
        write_site(&file, &Site::default()).unwrap();
        assert_eq!(read_site(&file).unwrap(), Some(Site::default()), "every field may be left out");
    }

    /// The examples of the book are valid files.
    #[test]
    fn the_books_examples_are_understood() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(SITE_FILE);
        for book in
            [include_str!("../../../docs/reference-document.md"), include_str!("../../../docs/site.md")]
        {
            let example = book.split("```toml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
            fs::write(&file, example).unwrap();
            let site = read_site(&file).unwrap().unwrap();
            assert_eq!(site.disks.raid, Some(Raid::Raid6));
            write_site(&file, &site).unwrap();
            assert_eq!(read_site(&file).unwrap(), Some(site));
        }
    }

    /// A file from another user must not use up memory, stack or time.
    #[test]
    fn hostile_files_are_refused_with_their_place() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join(SITE_FILE);
        let part = "[[part]]\nname = \"x\"\n".repeat(501);
        for (text, said) in [
            (format!("x = {}{}", "[".repeat(20_000), "]".repeat(20_000)), "cannot parse"),
            (format!("[{}]\n", vec!["a"; 20_000].join(".")), "cannot parse"),
            (part, "at most 500 parts"),
            (format!("[document]\ntitle = \"{}\"\n", "x".repeat(301)), "300 characters"),
            ("[document]\ntitel = \"x\"\n".to_owned(), "unknown field `titel`"),
            ("[[part]]\ncount = 1\n".to_owned(), "missing field `name`"),
            ("[[part]]\nname = \"x\"\ncount = -1\n".to_owned(), "expected a whole number from 0 to"),
            ("[[part]]\nname = \"x\"\ncount = nan\n".to_owned(), "expected a whole number from 0 to"),
            ("[system]\nnodes = \"two\"\n".to_owned(), "expected a whole number from 0 to"),
            ("[system]\nprice = 1e308\n".to_owned(), "price = 1e308 in [system]"),
            ("[system]\nprice = nan\n".to_owned(), "price = NaN in [system]"),
            ("[document]\ntitle = \"a\u{0}b\"\n".to_owned(), "cannot parse"),
        ] {
            fs::write(&file, text).unwrap();
            let error = read_site(&file).unwrap_err().to_string();
            assert!(error.contains(SITE_FILE) && error.contains(said), "{said}: {error:.300}");
            assert!(error.len() < 100_000, "{said}");
        }
    }

    #[test]
    fn non_files_and_overlong_files_are_not_read() {
        let out = tempfile::tempdir().unwrap();
        let error = read_site(out.path()).unwrap_err().to_string();
        assert!(error.ends_with("it is not a file"), "{error}");
        let file = out.path().join(SITE_FILE);
        fs::write(&file, format!("[server]\n#{}\n", "x".repeat(FILE_MAX_BYTES as usize))).unwrap();
        let error = read_site(&file).unwrap_err().to_string();
        assert!(error.ends_with("64 KiB"), "{error}");
    }

    /// `doctor --ask` has no `--out`.
    #[test]
    fn unwritable_file_error_names_the_flag() {
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::PermissionDenied] {
            let (path, source) = (PathBuf::from("/full/site.toml"), io::Error::from(kind));
            let said = not_written(RunDirError::Io { action: "write", path, source }).to_string();
            assert!(said.starts_with("cannot write /full/site.toml: "), "{said}");
            assert!(said.ends_with(" --site") && !said.contains("--out"), "{said}");
        }
    }

    /// An impossible number gives no ceiling: it is neither read, nor written, nor kept with a run.
    #[test]
    fn impossible_value_is_refused_with_file_key_and_allowed_range() {
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join(SITE_FILE);
        for (text, said) in [
            (
                "[server]\nlink_mbit_per_s = -5\n",
                "link_mbit_per_s = -5 in [server] is invalid: a number from 10",
            ),
            ("[server]\nlink_mbit_per_s = nan\n", "link_mbit_per_s = NaN in [server]"),
            ("[disks]\neach_mb_per_s = inf\n", "each_mb_per_s = inf in [disks]"),
            ("[backplane]\nlanes = 0\n", "lanes = 0 in [backplane] is invalid: a whole number from 1 to 32"),
            ("[backplane]\ngeneration = 99\n", "generation = 99 in [backplane]"),
            ("[disks]\ncount = 0\n", "count = 0 in [disks]"),
            ("[disks]\ncount = 1\nraid = \"raid6\"\n", "raid6 needs at least 4 disks, but count = 1"),
        ] {
            fs::write(&file, text).unwrap();
            let error = read_site(&file).unwrap_err().to_string();
            assert!(error.contains(SITE_FILE) && error.contains(said), "{error}");
            let run = out.path().join("run");
            fs::create_dir_all(&run).unwrap();
            assert!(keep_site(out.path(), &run).unwrap().contains(said), "{said}");
            assert_eq!(site_of_run(&run), None);
            fs::remove_file(&file).unwrap();
            let site: Site = toml::from_str(text).unwrap();
            assert!(matches!(write_site(&file, &site), Err(SiteError::CannotBe { .. })), "{said}");
            assert!(!file.exists(), "{said}");
        }
    }

    #[test]
    fn unknown_answer_is_reported_and_not_saved() {
        let out = tempfile::tempdir().unwrap();
        let file = out.path().join(SITE_FILE);
        for text in ["[server]\nlink = 10\n", "[disks]\ncount = -1\n", "[disks]\nraid = \"raid7\"\n", "x"] {
            fs::write(&file, text).unwrap();
            let error = read_site(&file).unwrap_err().to_string();
            assert!(error.contains(SITE_FILE) && error.contains("cannot parse"), "{error}");
            let said = keep_site(out.path(), out.path()).unwrap();
            assert!(said.contains(SITE_FILE), "{said}");
        }
    }
}
