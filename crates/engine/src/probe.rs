//! Probes: how a target's file system behaves for operations of media programs. Each works in a folder
//! of the area's scratch folder, and records facts by name. A fact that could not be measured is
//! recorded with the reason.
//!
//! * `clock`: the server's clock compared with that of the local host. `listing`: the time to list a
//!   folder of many files.
//! * `locks` (`byte_lock`: a range of a file): whether a second holder is refused. `xattrs`: extended
//!   attributes. `names`: case, Unicode, refused names. `saving`: replacing an open file. `files`:
//!   preallocation, the resolution of file times, links.
//!
//! A failure for lack of space does not describe the file system (`shortage`): the fact is recorded as
//! unknown.
//!
//! All files are created through the area's own directory and removed with the scratch folder. A thread
//! in a dead mount cannot be ended, so the caller watches [`Steps`] and continues without it.
//!
//! Linux only. Not here: the meaning of a fact (the doctor's rules), and sentences.

mod atomic_save;
mod byte_lock;
mod clock;
mod files;
mod folder_listing;
mod locks;
mod names;
mod shortage;
mod xattrs;

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

use rustix::fs::{AtFlags, Statx, StatxFlags};
use rustix::io::Errno;

use crate::area::{Area, AreaDir};
use crate::area_path::Purpose;
use reelgauge_machine::mount::Mount;
use shortage::{Doing, MAKE_FOLDER, Shortage};

/// A part of a probe that takes longer is ended, and its partial result counts.
const BUDGET: Duration = Duration::from_secs(5);

/// The caller's handle on running probes: shows their progress and stops them.
#[derive(Debug, Default)]
pub struct Steps {
    done: AtomicU64,
    is_stopped: AtomicBool,
}

impl Steps {
    /// The number of completed operations.
    pub fn done(&self) -> u64 {
        self.done.load(Ordering::Relaxed)
    }

    /// Requests that no further operation begins.
    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }
}

/// A probe that was stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stopped;

/// The value of a fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Noted {
    /// A number; its unit is in the fact's name.
    Number(f64),
    Word(String),
    /// The file system does not have it.
    Nothing,
    /// The fact could not be determined, with the reason.
    NotKnown(String),
    /// The fact could not be determined because space, inodes or a quota were short. That does not
    /// describe the file system.
    NoRoom(String),
}

#[derive(Clone, Copy, Debug)]
pub struct Probe {
    pub name: &'static str,
    /// The facts that it determines.
    pub facts: &'static [&'static str],
    carry_out: fn(&Bench, &mut Found) -> Result<(), Broken>,
}

/// Every probe, in the order of execution.
pub const PROBES: [Probe; 7] = [
    Probe {
        name: "clock",
        facts: &["clock", "clock_apart_s", "clock_unsure_s", "clock_apart_at_least_s"],
        carry_out: clock::clock,
    },
    Probe { name: "locks", facts: &["flock", "byte_locks", "locks_reach"], carry_out: locks::locks },
    Probe { name: "saving", facts: &["rename_over", "rename_over_open"], carry_out: atomic_save::saving },
    Probe {
        name: "extended attributes",
        facts: &["xattrs", "xattr_largest_bytes", "xattr_refused_bytes"],
        carry_out: xattrs::xattrs,
    },
    Probe {
        name: "names",
        facts: &[
            "case",
            "case_kept",
            "unicode_names",
            "unicode_forms",
            "longest_name_bytes",
            "names_refused",
            "names_changed",
        ],
        carry_out: names::names,
    },
    Probe {
        name: "files",
        facts: &["preallocation", "time_step_s", "hard_links", "symbolic_links"],
        carry_out: files::files,
    },
    Probe {
        name: "listing",
        facts: &[
            "listing_entries",
            "listing_names_us",
            "listing_looks_us",
            "listing_xattrs_us",
            "listing_worst_us",
            "listing_times_dearer",
        ],
        carry_out: folder_listing::listing,
    },
];

impl Probe {
    /// Runs the probe and returns its facts with their values.
    ///
    /// # Errors
    /// If it was stopped.
    pub fn run(&self, bench: &Bench) -> Result<Vec<(&'static str, Noted)>, Stopped> {
        let mut found = Found { target: bench.area.target().to_owned(), ..Found::default() };
        let rest = match (self.carry_out)(bench, &mut found) {
            Ok(()) => Noted::NotKnown("the probe ended before this test".to_owned()),
            Err(Broken::Stopped) => return Err(Stopped),
            Err(Broken::Io { doing, source }) => found.not_known(doing, &source),
        };
        let known = |fact: &&'static str| found.notes.iter().find(|(name, _)| name == fact).cloned();
        let or_not = |fact: &'static str| known(&fact).unwrap_or((fact, rest.clone()));
        Ok(self.facts.iter().map(|fact| or_not(fact)).collect())
    }
}

/// The context of probes: a folder of the area that nothing else uses.
#[derive(Debug)]
pub struct Bench<'a> {
    area: &'a Area,
    mount: &'a Mount,
    folder: PathBuf,
    steps: &'a Steps,
}

impl<'a> Bench<'a> {
    /// In this folder of the area, whose lock is held.
    pub fn new(area: &'a Area, mount: &'a Mount, folder: PathBuf, steps: &'a Steps) -> Bench<'a> {
        Bench { area, mount, folder, steps }
    }

    fn dir(&self) -> &AreaDir {
        self.area.dir()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Counts a completed operation. Fails if no other may begin.
    fn step(&self) -> Result<(), Broken> {
        self.steps.done.fetch_add(1, Ordering::Relaxed);
        if self.steps.is_stopped.load(Ordering::Relaxed) { Err(Broken::Stopped) } else { Ok(()) }
    }

    fn make(&self, path: &Path) -> io::Result<File> {
        self.dir().open_file(path, Purpose::New)
    }

    /// Creates a folder in this one.
    fn make_folder(&self, name: &str) -> Result<PathBuf, Broken> {
        let path = self.at(name);
        self.dir().create_dir(&path).map_err(broken(MAKE_FOLDER))?;
        self.step()?;
        Ok(path)
    }

    /// Whether a folder listing contains exactly this name.
    fn lists(&self, folder: &Path, name: &str) -> Result<bool, Broken> {
        let names = self.dir().names_in(folder).map_err(broken("list a folder"))?;
        self.step()?;
        Ok(names.iter().any(|listed| listed.as_encoded_bytes() == name.as_bytes()))
    }
}

/// Why a probe ended early.
#[derive(Debug)]
enum Broken {
    Stopped,
    Io { doing: Doing, source: io::Error },
}

fn broken(doing: impl Into<Doing>) -> impl FnOnce(io::Error) -> Broken {
    let doing = doing.into();
    move |source| Broken::Io { doing, source }
}

/// The facts that a probe has found so far.
#[derive(Debug, Default)]
struct Found {
    target: PathBuf,
    notes: Vec<(&'static str, Noted)>,
}

impl Found {
    fn number(&mut self, fact: &'static str, number: f64) {
        self.notes.push((fact, Noted::Number(number)));
    }

    fn word(&mut self, fact: &'static str, word: impl Into<String>) {
        self.notes.push((fact, Noted::Word(word.into())));
    }

    fn nothing(&mut self, fact: &'static str) {
        self.notes.push((fact, Noted::Nothing));
    }

    fn failed(&mut self, fact: &'static str, doing: impl Into<Doing>, error: &io::Error) {
        self.notes.push((fact, self.not_known(doing.into(), error)));
    }

    /// The value of a fact whose operation failed.
    fn not_known(&self, doing: Doing, error: &io::Error) -> Noted {
        let shortage = self.shortage(doing, error);
        let why = why(doing.words, error, shortage);
        if shortage.is_some() { Noted::NoRoom(why) } else { Noted::NotKnown(why) }
    }

    /// The resource that the file system is short of, if the error means that.
    fn shortage(&self, doing: Doing, error: &io::Error) -> Option<Shortage> {
        shortage::is_full_error(error).then(|| shortage::shortage(&self.target, error, doing.takes)).flatten()
    }

    /// Records whether the file system supports an operation.
    fn can(&mut self, fact: &'static str, doing: &'static str, tried: Result<(), io::Error>, yes: &str) {
        match tried {
            Ok(()) => self.word(fact, yes),
            Err(error) if is_unsupported(&error) => self.word(fact, NOT_SUPPORTED),
            Err(error) => self.failed(fact, doing, &error),
        }
    }
}

/// The reason if a file system does not support an operation.
const NOT_SUPPORTED: &str = "not supported";

/// Whether an error means that the file system does not support the operation, rather than that it
/// failed.
fn is_unsupported(error: &io::Error) -> bool {
    let Some(number) = error.raw_os_error() else { return error.kind() == io::ErrorKind::Unsupported };
    [libc::ENOTSUP, libc::EOPNOTSUPP, libc::ENOSYS, libc::ENOLCK, libc::EPERM, libc::EINVAL, libc::ENOTTY]
        .contains(&number)
}

/// Why a fact is unknown, worded to follow "not measured:".
fn why(doing: &str, error: &io::Error, shortage: Option<Shortage>) -> String {
    if shortage::is_full_error(error) {
        return match shortage {
            Some(Shortage::Inodes) => format!(
                "the probe could not {doing} ({error}): too few inodes are free. Remove unneeded files, and \
                 probe again"
            ),
            Some(Shortage::MaybeInodes) => format!(
                "the probe could not {doing} ({error}), possibly because no inode is left. Remove unneeded \
                 files, and probe again"
            ),
            Some(Shortage::Quota) => {
                format!(
                    "the probe could not {doing} ({error}): the quota is too small. Raise it, and probe \
                     again"
                )
            }
            Some(Shortage::Room) => {
                format!(
                    "the probe could not {doing} ({error}): too little space is free. Free some space, and \
                     probe again"
                )
            }
            None => {
                format!(
                    "the probe could not {doing} ({error}), although the file system reports free space. \
                     Check the quotas and limits on the server, and probe again"
                )
            }
        };
    }
    match error.kind() {
        io::ErrorKind::ReadOnlyFilesystem => {
            format!("the probe could not {doing}: the file system is now read-only. Mount it read-write (rw)")
        }
        _ => format!("the probe could not {doing}: {error}"),
    }
}

/// The server's attributes of an open file, not the cached ones.
fn asked(file: &File) -> Result<Statx, Broken> {
    let flags = AtFlags::EMPTY_PATH | AtFlags::STATX_FORCE_SYNC;
    let asked = rustix::fs::statx(file, c"", flags, StatxFlags::BASIC_STATS);
    asked.map_err(|error: Errno| broken("access a file")(error.into()))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::scratch::Scratch;

    /// Runs all probes in a fresh target, and checks that no files are left.
    fn probed(steps: &Steps) -> Vec<Result<Vec<(&'static str, Noted)>, Stopped>> {
        let target = tempfile::tempdir().unwrap();
        let area = Area::open_or_create(target.path()).unwrap();
        let mount = Mount::at(target.path()).unwrap();
        let scratch = Scratch::create(&area).unwrap();
        let folder = scratch.directory("probe").unwrap();
        let bench = Bench::new(&area, &mount, folder, steps);
        let found = PROBES.iter().map(|probe| probe.run(&bench)).collect();
        scratch.remove().unwrap();
        area.clean().unwrap();
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
        found
    }

    #[test]
    fn local_file_system_passes_all_probes_and_no_file_remains() {
        let found: Vec<_> = probed(&Steps::default()).into_iter().flat_map(Result::unwrap).collect();
        let told: Vec<&str> = found.iter().map(|(fact, _)| *fact).collect();
        let all: Vec<&str> = PROBES.iter().flat_map(|probe| probe.facts).copied().collect();
        assert_eq!(told, all, "each fact once, in the order of the table");
        for (fact, word) in [
            ("flock", "refused"),
            ("byte_locks", "refused"),
            ("rename_over", "replaces"),
            ("rename_over_open", "old contents stay"),
            ("case", "told apart"),
            ("case_kept", "yes"),
            ("unicode_names", "kept"),
            ("hard_links", "made"),
            ("symbolic_links", "made"),
            ("names_refused", "none"),
        ] {
            let noted = &found.iter().find(|(name, _)| *name == fact).unwrap().1;
            assert_eq!(*noted, Noted::Word(word.to_owned()), "{fact}");
        }
        let entries = &found.iter().find(|(name, _)| *name == "listing_entries").unwrap().1;
        assert!(matches!(entries, Noted::Number(entries) if *entries > 0.0), "{entries:?}");
    }

    #[test]
    fn probe_stops_on_request() {
        let steps = Steps::default();
        steps.stop();
        let found = probed(&steps);
        // With a shared clock there is nothing to measure.
        assert!(found[1..].iter().all(|found| *found == Err(Stopped)), "{found:?}");
    }

    #[test]
    fn failed_probe_step_is_reported() {
        let full = io::Error::from(io::ErrorKind::StorageFull);
        let of = |shortage| why("create a file", &full, shortage);
        assert!(
            of(Some(Shortage::Room)).starts_with("the probe could not create a file ("),
            "{}",
            of(Some(Shortage::Room))
        );
        assert!(of(None).contains("reports free space"), "{}", of(None));
        assert!(of(Some(Shortage::MaybeInodes)).contains("possibly because no inode is left"));
        assert!(of(Some(Shortage::Inodes)).contains(": too few inodes are free. "));
        assert!(of(Some(Shortage::Inodes)).ends_with("probe again"));
        let readonly = why("write to a file", &io::ErrorKind::ReadOnlyFilesystem.into(), None);
        assert!(
            readonly.contains("the probe could not write to a file: the file system is now read-only."),
            "{readonly}"
        );
        assert!(is_unsupported(&io::Error::from_raw_os_error(libc::EOPNOTSUPP)));
        assert!(!is_unsupported(&io::Error::from_raw_os_error(libc::EIO)));
        assert!(!is_unsupported(&io::Error::from_raw_os_error(libc::EACCES)));
    }
}
