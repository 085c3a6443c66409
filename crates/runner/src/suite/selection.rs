//! The workloads of a suite, from the user's words: groups by their name, patterns of names, traces by
//! name or path.

use std::path::{Path, PathBuf};

use glob::{MatchOptions, Pattern};
use reelgauge_analysis::naspt::WorkloadGroup;
use reelgauge_trace::library::{Library, LibraryError, TraceOrigin};
use reelgauge_trace::synth::workloads;
use reelgauge_workload::iometer::{ACCESSES, Access};

/// The group of the paper's twelve.
pub const NASPT_GROUP: &str = "naspt";
/// The group of the user's traces, in the folders of the library.
const OWN_GROUP: &str = "own";
/// The group of the paper's IOMeter accesses.
const IOMETER_GROUP: &str = "iometer";
/// The suffix of workloads that were made from published figures.
const SYNTHETIC: &str = "-synth";

/// A workload of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SuiteWorkload {
    pub name: String,
    /// Its origin.
    pub group: WorkloadGroup,
    pub work: SuiteWork,
}

/// The action of a workload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SuiteWork {
    /// A trace is replayed.
    Replay(PathBuf),
    /// One kind of access, for a fixed time.
    Access(Access),
}

/// Why the words select no workloads.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SelectionError {
    /// An invalid pattern.
    #[error("invalid pattern '{word}': {source}. '*' matches any characters, '?' one")]
    Pattern { word: String, source: glob::PatternError },
    /// No workload has such a name.
    #[error(
        "no workload of a suite is named '{0}'. Use the groups naspt, own (your traces) and iometer, or \
         traces from 'reelgauge traces'"
    )]
    Nothing(String),
    /// The user has no traces.
    #[error("there are no traces of your own; 'reelgauge traces' shows the folders to put them in")]
    NoOwn,
    /// A trace can't be opened.
    #[error(transparent)]
    Library(#[from] LibraryError),
}

pub fn naspt_workloads() -> Vec<SuiteWorkload> {
    workloads().iter().map(|workload| replay(workload.name, WorkloadGroup::Naspt)).collect()
}

/// The workloads that these words name, each once: the paper's first, then the user's, then accesses.
///
/// # Errors
/// If a word names none.
pub fn choose(words: &[String], library: &Library) -> Result<Vec<SuiteWorkload>, SelectionError> {
    let all = by_name(library);
    let mut chosen: Vec<SuiteWorkload> = Vec::new();
    for word in words {
        for workload in named(word, &all, library)? {
            if !chosen.contains(&workload) {
                chosen.push(workload);
            }
        }
    }
    chosen.sort_by_key(|workload| workload.group);
    Ok(chosen)
}

/// Everything that a pattern may name.
fn by_name(library: &Library) -> Vec<SuiteWorkload> {
    let of_user = library.list().into_iter().filter(|entry| entry.kind == TraceOrigin::User);
    let own = of_user.map(|entry| replay(entry.name, WorkloadGroup::Own));
    let accesses = ACCESSES.into_iter().map(|access| SuiteWorkload {
        name: access.name.to_owned(),
        group: if access.in_flight == 1 { WorkloadGroup::IometerOne } else { WorkloadGroup::IometerMany },
        work: SuiteWork::Access(access),
    });
    naspt_workloads().into_iter().chain(own).chain(accesses).collect()
}

fn named(word: &str, all: &[SuiteWorkload], library: &Library) -> Result<Vec<SuiteWorkload>, SelectionError> {
    let wanted =
        Pattern::new(word).map_err(|source| SelectionError::Pattern { word: word.to_owned(), source })?;
    let options = MatchOptions { case_sensitive: false, ..MatchOptions::default() };
    let is_named = |workload: &&SuiteWorkload| match word {
        NASPT_GROUP => workload.group == WorkloadGroup::Naspt,
        OWN_GROUP => workload.group == WorkloadGroup::Own,
        IOMETER_GROUP => matches!(workload.work, SuiteWork::Access(_)),
        _ => {
            let short = workload.name.trim_end_matches(SYNTHETIC);
            [workload.name.as_str(), short].iter().any(|name| wanted.matches_with(name, options))
        }
    };
    let found: Vec<SuiteWorkload> = all.iter().filter(is_named).cloned().collect();
    if !found.is_empty() {
        return Ok(found);
    }
    if word == OWN_GROUP {
        return Err(SelectionError::NoOwn);
    }
    if word.contains(['*', '?', '[']) || word.is_empty() {
        return Err(SelectionError::Nothing(word.to_owned()));
    }
    // A built-in trace, or the directory of one.
    library.open(Path::new(word)).map_err(|error| match error {
        LibraryError::Unknown { .. } => SelectionError::Nothing(word.to_owned()),
        error => error.into(),
    })?;
    let name = Path::new(word).file_name().map_or(word.into(), |name| name.to_string_lossy());
    let work = SuiteWork::Replay(PathBuf::from(word));
    Ok(vec![SuiteWorkload { name: name.into_owned(), group: WorkloadGroup::Own, work }])
}

fn replay(name: impl Into<String>, group: WorkloadGroup) -> SuiteWorkload {
    let name = name.into();
    SuiteWorkload { work: SuiteWork::Replay(PathBuf::from(&name)), name, group }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_trace::library::Library;

    use super::*;

    fn names(words: &[&str], library: &Library) -> Result<Vec<String>, SelectionError> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        Ok(choose(&words, library)?.into_iter().map(|workload| workload.name).collect())
    }

    #[test]
    fn groups_patterns_and_names_choose_each_workload_once_in_the_order_of_the_table() {
        let folder = tempfile::tempdir().unwrap();
        let library = Library::with_folders(vec![folder.path().to_owned()]);
        assert!(matches!(names(&["own"], &library), Err(SelectionError::NoOwn)));
        library.write(Path::new("hint-stream"), None, &folder.path().join("mine")).unwrap();
        assert_eq!(names(&["naspt"], &library).unwrap().len(), 12);
        assert_eq!(names(&["naspt", "own", "iometer", "naspt"], &library).unwrap().len(), 12 + 1 + 8);
        let few = ["*qd32", "mine", "hdvideo_?play", "HDVideo_2Play", "hint-stream"];
        let found = names(&few, &library).unwrap();
        assert_eq!(
            found,
            [
                "HDVideo_1Play-synth",
                "HDVideo_2Play-synth",
                "HDVideo_4Play-synth",
                "mine",
                "hint-stream",
                "4k-random-read-qd32",
                "128k-sequential-read-qd32",
                "4k-random-write-qd32",
                "128k-sequential-write-qd32"
            ]
        );
        for wrong in ["nothing", "no*", ""] {
            assert!(matches!(names(&[wrong], &library), Err(SelectionError::Nothing(_))), "{wrong}");
        }
        assert!(matches!(names(&["[a"], &library), Err(SelectionError::Pattern { .. })));
    }
}
