//! The library: all traces that can be given by name instead of by path.
//!
//! There are three kinds. Synthetic traces are made on request ([`synth`](crate::synth)). Recorded
//! traces ship with the program ([`shipped`]). The user's own traces are in a folder:
//! `reelgauge-traces/` in the current directory, and `$REELGAUGE_TRACES` or else `reelgauge/traces` in
//! the user's data folder.
//!
//! Not here: replaying or showing traces. Callers get a directory with a trace in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use reelgauge_record::OpRecord;
use tempfile::TempDir;

use crate::error::TraceError;
use crate::info::{self, TraceInfo};
use crate::synth::hints::{FAR_WRITE, HINT_STREAM, HINT_STREAM_1MIB};
use crate::synth::naspt::{MADE_BY, STANDARD_SEED};
use crate::synth::{workload, workloads};
use crate::trace::Trace;

pub mod shipped;

use shipped::{Shipped, shipped};

/// The folder in the current directory that is searched for traces, and that new ones are written to.
pub const FOLDER: &str = "reelgauge-traces";
/// The environment variable that names the folder of the user's traces.
pub const FOLDER_VARIABLE: &str = "REELGAUGE_TRACES";
/// Longer traces are listed without their bytes, because counting would take too long.
const COUNTED_OPS: u64 = 2_000_000;
/// Entries of a folder that are examined.
const FOLDER_ENTRIES: usize = 10_000;
/// Largest edit distance of a name that is suggested.
const TYPOS: usize = 3;

/// Why a trace can't be opened or written by name.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LibraryError {
    /// No trace has this name.
    #[error("there is no trace '{name}'{} 'reelgauge traces' lists all traces", suggestion(close))]
    Unknown {
        /// The name that was requested.
        name: String,
        /// Similar names, as suggestions.
        close: Vec<String>,
    },
    /// The destination already exists.
    #[error("{} exists. Choose another place with --out, or remove it", path.display())]
    Exists {
        /// The destination of the trace.
        path: PathBuf,
    },
    /// A seed was given for a trace that is not synthetic.
    #[error("'{name}' is not made from a seed. Omit --seed, or name one of the NASPT workloads")]
    NoSeed {
        /// The name that was requested.
        name: String,
    },
    /// The trace could not be read or written.
    #[error(transparent)]
    Trace(#[from] TraceError),
}

/// The origin of a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TraceOrigin {
    /// Generated from published statistics of a workload.
    Synthetic,
    /// Recorded from a real program; ships with Reelgauge.
    Recorded,
    /// One of the user's own.
    User,
}

impl TraceOrigin {
    /// The name in lists.
    pub const fn name(self) -> &'static str {
        match self {
            TraceOrigin::Synthetic => "synthetic",
            TraceOrigin::Recorded => "recorded",
            TraceOrigin::User => "user",
        }
    }
}

/// The facts that lists show about a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceFacts {
    /// Operations of every kind.
    pub ops: u64,
    /// Files and directories with operations, from the trace's description; for a run, the files in its
    /// file table.
    pub files: u64,
    /// Bytes read and written; `None` for a trace that is too long to count.
    pub bytes: Option<u64>,
    /// From its first operation to the end of its last, in nanoseconds; `None` likewise.
    pub duration_ns: Option<u64>,
    /// The source of the trace: a command, a file, a seed.
    pub source: String,
    /// A sentence about the trace; may be empty.
    pub about: String,
}

/// A trace in the list.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name by which it can be opened.
    pub name: String,
    /// Where it comes from.
    pub kind: TraceOrigin,
    /// Its path; `None` for one that is generated or unpacked on request.
    pub path: Option<PathBuf>,
    /// The facts, or the reason why the trace can't be read.
    pub facts: Result<TraceFacts, String>,
}

/// A trace in a directory. A directory that was made for this value is removed when it is dropped.
#[derive(Debug)]
pub struct Materialised {
    trace: Trace,
    kind: TraceOrigin,
    temporary: Option<TempDir>,
}

impl Materialised {
    /// The trace in this directory.
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Where it comes from.
    pub fn kind(&self) -> TraceOrigin {
        self.kind
    }

    /// Whether its directory is removed when this value is dropped.
    pub fn is_temporary(&self) -> bool {
        self.temporary.is_some()
    }
}

/// A library: the built-in traces, and those in these folders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Library {
    folders: Vec<PathBuf>,
}

/// Makes a trace in a new directory inside the given one.
type Make = fn(&Path) -> Result<Trace, TraceError>;

/// The built-in traces, by name.
enum BuiltIn {
    Naspt(&'static crate::synth::Workload),
    Hints(Make),
    Shipped(&'static Shipped),
}

impl Library {
    /// The built-in traces and those in the usual folders.
    pub fn standard() -> Library {
        Library { folders: folders(|name| std::env::var_os(name)) }
    }

    /// The built-in traces and those in these folders, which need not exist.
    pub fn with_folders(folders: Vec<PathBuf>) -> Library {
        Library { folders }
    }

    /// The folders that are searched for the user's own traces.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// All traces: synthetic, recorded, then the user's own, each kind sorted by name. A damaged trace
    /// is listed with its error.
    pub fn list(&self) -> Vec<Entry> {
        let mut entries = naspt_entries();
        entries.extend(built_in_entries());
        for folder in &self.folders {
            entries.extend(user_entries(folder));
        }
        entries
    }

    /// Opens the trace with this name, or in this directory. A directory takes precedence over a name,
    /// and a built-in trace over one in a folder. Generated and unpacked traces go to a temporary
    /// directory.
    ///
    /// # Errors
    /// If no trace has the name (with similar names), or if the trace is damaged.
    pub fn open(&self, name: &Path) -> Result<Materialised, LibraryError> {
        if let Some(dir) = self.directory(name) {
            return Ok(Materialised { trace: Trace::open(&dir)?, kind: TraceOrigin::User, temporary: None });
        }
        let Some(built_in) = name.to_str().and_then(built_in) else { return Err(self.unknown(name)) };
        let temporary = temporary_in(&std::env::temp_dir())?;
        let trace = built_in.make(STANDARD_SEED, temporary.path())?;
        Ok(Materialised { trace, kind: built_in.kind(), temporary: Some(temporary) })
    }

    /// Writes the trace with this name to a new directory. A synthetic workload may have another seed
    /// than the standard one.
    ///
    /// # Errors
    /// Those of [`Library::open`]; also if the directory exists or can't be written.
    pub fn write(&self, name: &Path, seed: Option<u64>, out: &Path) -> Result<Trace, LibraryError> {
        let found = self.directory(name);
        let built_in = if found.is_none() { name.to_str().and_then(built_in) } else { None };
        if seed.is_some() && !matches!(built_in, Some(BuiltIn::Naspt(_))) {
            return Err(LibraryError::NoSeed { name: name.display().to_string() });
        }
        if fs::symlink_metadata(out).is_ok() {
            return Err(LibraryError::Exists { path: out.to_owned() });
        }
        let parent = out.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        fs::create_dir_all(parent).map_err(TraceError::io("create", parent))?;
        // Renamed to its final name when complete, so that no partial trace is visible.
        let temporary = temporary_in(parent)?;
        let made = match (found, built_in) {
            (Some(dir), _) => {
                Trace::open(&dir)?;
                let copy = temporary.path().join("trace");
                copy_trace(&dir, &copy)?;
                copy
            }
            (None, Some(built_in)) => {
                built_in.make(seed.unwrap_or(STANDARD_SEED), temporary.path())?.dir().to_owned()
            }
            (None, None) => return Err(self.unknown(name)),
        };
        fs::rename(&made, out).map_err(TraceError::io("write", out))?;
        Ok(Trace::open(out)?)
    }

    /// Resolves a path to a trace, or the name of a trace in a folder unless a built-in trace has it.
    fn directory(&self, name: &Path) -> Option<PathBuf> {
        // A name has one component. Anything else is a path, and could lead out of the folder.
        let is_name = name.components().count() == 1 && name.file_name() == Some(name.as_os_str());
        if is_trace(name) || !is_name {
            return name.exists().then(|| name.to_owned());
        }
        if name.to_str().and_then(built_in).is_some() {
            return None;
        }
        let own = self.folders.iter().map(|folder| folder.join(name)).find(|dir| is_trace(dir));
        // For an existing path that is no trace, report its own error, unless the name matches a trace.
        own.or_else(|| name.exists().then(|| name.to_owned()))
    }

    fn unknown(&self, name: &Path) -> LibraryError {
        let name = name.display().to_string();
        let mut known: Vec<String> = built_in_names().map(str::to_owned).collect();
        let own = self.folders.iter().flat_map(|folder| trace_directories(folder));
        known.extend(own.filter_map(|dir| Some(dir.file_name()?.to_string_lossy().into_owned())));
        LibraryError::Unknown { close: close_to(&name, known), name }
    }
}

impl BuiltIn {
    fn make(&self, seed: u64, parent: &Path) -> Result<Trace, TraceError> {
        match self {
            BuiltIn::Naspt(workload) => workload.generate(seed, parent),
            BuiltIn::Hints(make) => make(parent),
            BuiltIn::Shipped(shipped) => shipped.unpack(parent),
        }
    }

    fn kind(&self) -> TraceOrigin {
        match self {
            BuiltIn::Naspt(_) | BuiltIn::Hints(_) => TraceOrigin::Synthetic,
            BuiltIn::Shipped(_) => TraceOrigin::Recorded,
        }
    }
}

/// The traces that provoke fragmentation, by name.
const HINTS: [(&str, Make); 3] = [
    (FAR_WRITE.name, |parent| FAR_WRITE.make(parent)),
    (HINT_STREAM.name, |parent| HINT_STREAM.make(parent)),
    (HINT_STREAM_1MIB.name, |parent| HINT_STREAM_1MIB.make(parent)),
];

fn built_in(name: &str) -> Option<BuiltIn> {
    let hints = || HINTS.iter().find(|(hint, _)| *hint == name).map(|(_, make)| BuiltIn::Hints(*make));
    let recorded = || shipped().iter().find(|shipped| shipped.name == name).map(BuiltIn::Shipped);
    workload(name).map(BuiltIn::Naspt).or_else(hints).or_else(recorded)
}

/// All built-in names, in the order of the list.
fn built_in_names() -> impl Iterator<Item = &'static str> {
    let naspt = workloads().iter().map(|workload| workload.name);
    let hints = HINTS.iter().map(|(name, _)| *name);
    naspt.chain(hints).chain(shipped().iter().map(|shipped| shipped.name))
}

/// The NASPT workloads, counted without writing them.
fn naspt_entries() -> Vec<Entry> {
    let entry = |workload: &'static crate::synth::Workload| {
        let facts = workload.tally(STANDARD_SEED).map(|tally| TraceFacts {
            ops: tally.ops,
            files: u64::from(tally.files),
            bytes: Some(tally.bytes()),
            duration_ns: Some(tally.duration_ns),
            source: format!("{MADE_BY}, seed {STANDARD_SEED}"),
            about: workload.what.to_owned(),
        });
        let facts = facts.map_err(|error| error.to_string());
        Entry { name: workload.name.to_owned(), kind: TraceOrigin::Synthetic, path: None, facts }
    };
    workloads().iter().map(entry).collect()
}

/// The other built-in traces. They are small, so they are made in order to count them.
fn built_in_entries() -> Vec<Entry> {
    let names = built_in_names().skip(workloads().len());
    let entry = |name: &'static str| {
        let built_in = built_in(name)?;
        let facts = temporary_in(&std::env::temp_dir())
            .and_then(|temporary| facts_of(&built_in.make(STANDARD_SEED, temporary.path())?))
            .map_err(|error| error.to_string());
        Some(Entry { name: name.to_owned(), kind: built_in.kind(), path: None, facts })
    };
    names.filter_map(entry).collect()
}

/// The traces in a folder, by name.
fn user_entries(folder: &Path) -> Vec<Entry> {
    let entry = |dir: PathBuf| Entry {
        name: dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        kind: TraceOrigin::User,
        facts: Trace::open(&dir).and_then(|trace| facts_of(&trace)).map_err(|error| error.to_string()),
        path: Some(dir),
    };
    trace_directories(folder).into_iter().map(entry).collect()
}

/// The number of files in a run's file table. Its log is not read for a list.
fn named_files(trace: &Trace) -> u64 {
    trace.files().iter().filter(|file| is_file(&file.path)).count() as u64
}

/// The facts that lists show about an open trace.
fn facts_of(trace: &Trace) -> Result<TraceFacts, TraceError> {
    let known = trace.info();
    let (mut bytes, mut duration_ns) = (None, known.map(|info| info.duration_ns));
    if let Some(moved) = known.and_then(|info| info.moved) {
        bytes = Some(moved.bytes());
    } else if trace.ops() <= COUNTED_OPS {
        let (moved, counted_ns) = count(trace)?;
        bytes = Some(moved);
        duration_ns = duration_ns.or(Some(counted_ns));
    }
    Ok(TraceFacts {
        ops: trace.ops(),
        files: known.map_or_else(|| named_files(trace), |info| info.files.into()),
        bytes,
        duration_ns,
        source: known.map_or_else(|| "a run".to_owned(), source_of),
        about: known.map(|info| info.about.clone()).unwrap_or_default(),
    })
}

fn is_file(path: &str) -> bool {
    !path.is_empty() && !path.ends_with('/')
}

fn source_of(info: &TraceInfo) -> String {
    match (info.made_by.as_str(), info.source.as_str()) {
        ("", source) | (source, "") => source.to_owned(),
        (made_by, source) => format!("{made_by}: {source}"),
    }
}

/// Bytes that a trace transfers, and its duration in nanoseconds.
fn count(trace: &Trace) -> Result<(u64, u64), TraceError> {
    let (mut bytes, mut first_ns, mut last_ns) = (0_u64, u64::MAX, 0);
    for batch in trace.batches() {
        for op in batch? {
            let OpRecord { issued_ns, done_ns, done_len, .. } = op;
            bytes = bytes.saturating_add(if op.kind.moves_data() { u64::from(done_len) } else { 0 });
            first_ns = first_ns.min(issued_ns);
            last_ns = last_ns.max(done_ns);
        }
    }
    Ok((bytes, last_ns.saturating_sub(first_ns)))
}

/// The directories in a folder that hold a trace, even a damaged one, by name. Partly written ones are
/// skipped.
fn trace_directories(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let hidden = |path: &Path| {
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        name.starts_with(b".") || (name.starts_with(b"_") && name.ends_with(b".tmp"))
    };
    let mut found: Vec<PathBuf> = entries
        .take(FOLDER_ENTRIES)
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| !hidden(path) && is_trace(path))
        .collect();
    found.sort();
    found
}

/// Whether this is a trace or a run, intact or damaged.
fn is_trace(dir: &Path) -> bool {
    dir.join("ops").is_dir() || dir.join(info::FILE_NAME).is_file()
}

/// The usual folders, from the environment.
fn folders(variable: impl Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let set = |name: &str| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let data = || set("XDG_DATA_HOME").or_else(|| Some(set("HOME")?.join(".local/share")));
    let own = set(FOLDER_VARIABLE).or_else(|| Some(data()?.join("reelgauge/traces")));
    std::iter::once(PathBuf::from(FOLDER)).chain(own).collect()
}

/// Known names similar to this one, the most similar first.
fn close_to(name: &str, known: Vec<String>) -> Vec<String> {
    let word = name.to_lowercase();
    let distance = |known: &String| {
        let known = known.to_lowercase();
        let short = known.strip_suffix("-synth").unwrap_or(&known);
        strsim::damerau_levenshtein(&word, &known).min(strsim::damerau_levenshtein(&word, short))
    };
    let mut close: Vec<(usize, String)> =
        known.into_iter().map(|known| (distance(&known), known)).filter(|(d, _)| *d <= TYPOS).collect();
    close.sort();
    close.truncate(3);
    close.into_iter().map(|(_, known)| known).collect()
}

fn suggestion(close: &[String]) -> String {
    if close.is_empty() { ";".to_owned() } else { format!("; did you mean {}?", close.join(", ")) }
}

fn temporary_in(parent: &Path) -> Result<TempDir, TraceError> {
    tempfile::Builder::new()
        .prefix(".reelgauge-trace-")
        .tempdir_in(parent)
        .map_err(TraceError::io("create a directory in", parent))
}

/// Copies the files of a trace. Other files in its folder are not copied.
fn copy_trace(from: &Path, to: &Path) -> Result<(), TraceError> {
    fs::create_dir_all(to).map_err(TraceError::io("create", to))?;
    let info = from.join(info::FILE_NAME);
    if info.is_file() {
        fs::copy(&info, to.join(info::FILE_NAME)).map_err(TraceError::io("copy", &info))?;
    }
    let ops = from.join("ops");
    let agents = fs::read_dir(&ops).map_err(TraceError::io("read", &ops))?;
    for agent in agents {
        let agent = agent.map_err(TraceError::io("read", &ops))?.path();
        let Some(name) = agent.file_name().filter(|_| agent.is_dir()) else { continue };
        let target = to.join("ops").join(name);
        fs::create_dir_all(&target).map_err(TraceError::io("create", &target))?;
        for part in fs::read_dir(&agent).map_err(TraceError::io("read", &agent))? {
            let part = part.map_err(TraceError::io("read", &agent))?.path();
            if let Some(name) = part.file_name().filter(|_| part.is_file()) {
                fs::copy(&part, target.join(name)).map_err(TraceError::io("copy", &part))?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn user_folder_is_from_the_environment() {
        let of = |set: &[(&str, &str)]| {
            folders(|name| set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
        };
        let here = PathBuf::from(FOLDER);
        assert_eq!(of(&[]), std::slice::from_ref(&here));
        assert_eq!(of(&[("HOME", "/h")]), [here.clone(), "/h/.local/share/reelgauge/traces".into()]);
        let both = [("HOME", "/h"), ("XDG_DATA_HOME", "/d")];
        assert_eq!(of(&both), [here.clone(), "/d/reelgauge/traces".into()]);
        assert_eq!(
            of(&[("HOME", "/h"), ("XDG_DATA_HOME", "")])[1],
            Path::new("/h/.local/share/reelgauge/traces")
        );
        assert_eq!(of(&[("HOME", "/h"), (FOLDER_VARIABLE, "/mine")]), [here, "/mine".into()]);
    }

    #[test]
    fn a_slip_of_the_pen_is_corrected() {
        let known = || built_in_names().map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(close_to("officeproductivty", known()), ["OfficeProductivity-synth"]);
        assert_eq!(close_to("HDVideo_3Play-synth", known()).len(), 3);
        assert_eq!(close_to("something else", known()), [""; 0]);
    }
}
