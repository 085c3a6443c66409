//! The run directory: the location of all files of a run, and how its small files are written.
//!
//! ```text
//! reelgauge-runs/2026-11-20T154012Z-nas1-production-edit/
//!   run.toml   hosts.json   ops/agent=NAME/…   counters/agent=NAME/…   summary.json
//! ```
//!
//! A directory with a `run.toml` is a run directory. Its first line is a comment with the version of the
//! layout. So a program can refuse the directory of a newer version without parsing the plan below that
//! line.
//!
//! Not here: the content of the files. The plan is defined by the workload crate, the summary by the
//! analysis crate.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use serde::Serialize;

use crate::host::HostFacts;
use crate::identity;
use crate::log::advice;
use crate::named_file::new_beside;
use crate::regular_file::{open_regular, read_regular};

/// Version of the layout of run directories. A program opens all versions up to its own.
pub const LAYOUT_VERSION: u32 = 1;

/// The default parent of run directories.
pub const DEFAULT_PARENT: &str = "reelgauge-runs";

const MARK: &str = "# reelgauge run directory, layout ";
/// Longest label in a directory's name: two labels and the time stay below the 255 bytes of all systems.
const LABEL_CHARS: usize = 48;
/// More directories of one name within a second indicate an error elsewhere.
const MAX_COLLISIONS: u32 = 1000;
/// The largest `hosts.json` that is read.
const HOSTS_MAX_BYTES: u64 = 64 << 20;

/// The parts of a run directory's name.
#[derive(Clone, Copy, Debug)]
pub struct RunName<'a> {
    /// Start of the run.
    pub start: SystemTime,
    /// The target ("nas1"). Any text; see [`label`].
    pub target: &'a str,
    /// The workload ("production-edit"). Any text.
    pub what: &'a str,
}

/// An existing run directory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunDir {
    path: PathBuf,
}

/// The reason why a run directory could not be created, opened or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunDirError {
    /// A file operation failed.
    #[error("cannot {action} {}: {source}{}", path.display(), advice(source))]
    Io {
        /// The operation, as a verb: "create", "write".
        action: &'static str,
        /// The path of the operation.
        path: PathBuf,
        /// The system's error of that operation.
        source: io::Error,
    },
    /// The start time is outside the calendar.
    #[error("cannot name a run directory: the clock is outside the years -9999 to 9999. Set the clock")]
    Clock,
    /// All numbered names are taken, too.
    #[error(
        "{} already exists, and so do {MAX_COLLISIONS} numbered variants of its name. Choose another results \
         folder with --out",
        path.display()
    )]
    TooMany {
        /// The name without a number.
        path: PathBuf,
    },
    /// It does not exist.
    #[error("there is no run directory {}. 'reelgauge list' shows all runs", path.display())]
    Missing {
        /// The path that was opened.
        path: PathBuf,
    },
    /// It is not a run directory.
    #[error("{} is not a run directory: {why}", path.display())]
    NotARun {
        /// The path that was opened.
        path: PathBuf,
        /// The part that a run directory has and this one lacks.
        why: &'static str,
    },
    /// The run directory was created by a newer version.
    #[error(
        "{} was created by a newer version of Reelgauge (layout {found}; this one reads up to \
         {LAYOUT_VERSION}). Update Reelgauge",
        path.display()
    )]
    NewerVersion {
        /// The path that was opened.
        path: PathBuf,
        /// The version of its layout.
        found: u32,
    },
    /// A file in it can't be parsed.
    #[error("{} is damaged: {source}", path.display())]
    Json {
        /// The path of the file.
        path: PathBuf,
        /// The error of the JSON parser.
        source: serde_json::Error,
    },
}

impl RunDirError {
    /// Whether the message already names `--out` as the remedy.
    pub fn advises_out(&self) -> bool {
        match self {
            RunDirError::TooMany { .. } => true,
            RunDirError::Io { source, .. } => !advice(source).is_empty(),
            _ => false,
        }
    }
}

impl RunDir {
    /// Creates a new run directory in `parent`, which is created if missing. If the name is taken, a
    /// number is added (`-2`).
    pub fn create(parent: &Path, name: RunName<'_>) -> Result<RunDir, RunDirError> {
        let _own = identity::own();
        fs::create_dir_all(parent).map_err(error("create", parent))?;
        let name = directory_name(name)?;
        for number in 1..=MAX_COLLISIONS {
            let path = match number {
                1 => parent.join(&name),
                _ => parent.join(format!("{name}-{number}")),
            };
            match fs::create_dir(&path) {
                Ok(()) => {
                    let run = RunDir { path };
                    return run.write_plan("").map(|()| run.clone()).inspect_err(|_| {
                        // Without the mark in `run.toml` the directory does not count as a run; it is
                        // empty, or contains a part of that file.
                        let _ = fs::remove_dir(run.path());
                    });
                }
                Err(source) if source.kind() == io::ErrorKind::AlreadyExists => {}
                Err(source) => return Err(error("create", &path)(source)),
            }
        }
        Err(RunDirError::TooMany { path: parent.join(name) })
    }

    /// Makes an existing empty directory a run directory.
    pub fn begin_at(path: &Path) -> Result<RunDir, RunDirError> {
        let run = RunDir { path: path.to_path_buf() };
        run.write_plan("")?;
        Ok(run)
    }

    /// Opens a run directory of this or an older version.
    pub fn open(path: &Path) -> Result<RunDir, RunDirError> {
        let not_a_run = |why| RunDirError::NotARun { path: path.to_path_buf(), why };
        match fs::metadata(path) {
            Ok(metadata) if metadata.is_dir() => {}
            Ok(_) => return Err(not_a_run("it is a file")),
            Err(source) if source.kind() == io::ErrorKind::NotFound => {
                return Err(RunDirError::Missing { path: path.to_path_buf() });
            }
            Err(source) => return Err(error("open", path)(source)),
        }
        let run = RunDir { path: path.to_path_buf() };
        match run.layout_version()? {
            Some(1..=LAYOUT_VERSION) => Ok(run),
            Some(0) => Err(not_a_run("its run.toml has no valid version")),
            Some(found) => Err(RunDirError::NewerVersion { path: path.to_path_buf(), found }),
            None => Err(not_a_run("it has no run.toml that Reelgauge wrote")),
        }
    }

    /// The path of the directory.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The resolved plan: `run.toml`.
    pub fn plan_path(&self) -> PathBuf {
        self.path.join("run.toml")
    }

    /// The facts about hosts: `hosts.json`.
    pub fn hosts_path(&self) -> PathBuf {
        self.path.join("hosts.json")
    }

    /// The figures of the run: `summary.json`.
    pub fn summary_path(&self) -> PathBuf {
        self.path.join("summary.json")
    }

    /// The operation logs of all agents: `ops/`.
    pub fn ops_path(&self) -> PathBuf {
        self.path.join("ops")
    }

    /// The operation log of one agent: `ops/agent=NAME/`, with [`label`] of the name.
    pub fn agent_ops_path(&self, agent: &str) -> PathBuf {
        self.ops_path().join(agent_folder(agent))
    }

    /// The counters that one agent sampled: `counters/agent=NAME/`, with [`label`] of the name.
    pub fn agent_counters_path(&self, agent: &str) -> PathBuf {
        self.path.join("counters").join(agent_folder(agent))
    }

    /// Writes the plan, after the line that marks the directory as a run directory.
    pub fn write_plan(&self, toml: &str) -> Result<(), RunDirError> {
        let version = env!("CARGO_PKG_VERSION");
        let text = format!("{MARK}{LAYOUT_VERSION} (reelgauge {version})\n{toml}");
        write_atomically(&self.plan_path(), text.as_bytes())
    }

    /// Writes the facts about hosts.
    pub fn write_hosts(&self, hosts: &[HostFacts]) -> Result<(), RunDirError> {
        write_json(&self.hosts_path(), hosts)
    }

    /// Reads the facts about hosts.
    pub fn read_hosts(&self) -> Result<Vec<HostFacts>, RunDirError> {
        let path = self.hosts_path();
        let text = read_regular(&path, HOSTS_MAX_BYTES).map_err(error("read", &path))?;
        serde_json::from_slice(&text).map_err(|source| RunDirError::Json { path, source })
    }

    /// Writes `summary.json`, replacing an existing one.
    pub fn write_summary(&self, summary: &impl Serialize) -> Result<(), RunDirError> {
        write_json(&self.summary_path(), summary)
    }

    /// Reads the first line of `run.toml`; `None` if there is no such file or line.
    fn layout_version(&self) -> Result<Option<u32>, RunDirError> {
        let path = self.plan_path();
        let file = match open_regular(&path) {
            Ok((file, _)) => file,
            Err(source) if source.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(error("read", &path)(source)),
        };
        let mut line = Vec::new();
        BufReader::new(file.take(200)).read_until(b'\n', &mut line).map_err(error("read", &path))?;
        let line = String::from_utf8_lossy(&line);
        let Some(rest) = line.strip_prefix(MARK) else {
            return Ok(None);
        };
        let digits = rest.split(|c: char| !c.is_ascii_digit()).next().unwrap_or("");
        Ok(Some(digits.parse().unwrap_or(0)))
    }
}

/// The folder of an agent, in the naming scheme of data set readers.
fn agent_folder(agent: &str) -> String {
    let agent = label(agent);
    format!("agent={}", if agent.is_empty() { "unnamed" } else { &agent })
}

/// Converts a name to a part of a file name that is valid on every system: ASCII letters, digits, dots,
/// underscores, and single hyphens for everything else; at most 48 characters; no dot or hyphen at the
/// start or end. Empty if no character remains.
pub fn label(name: &str) -> String {
    let mut label = String::new();
    for c in name.chars() {
        let keeps = c.is_ascii_alphanumeric() || c == '.' || c == '_';
        if keeps {
            label.push(c);
        } else if !label.ends_with('-') {
            label.push('-');
        }
        if label.len() >= 4 * LABEL_CHARS {
            break; // Enough for what trimming may take away.
        }
    }
    let mut label = label.trim_matches(['-', '.']);
    if label.len() > LABEL_CHARS {
        // The label is ASCII here, so each position is a character boundary.
        label = label[..LABEL_CHARS].trim_end_matches(['-', '.']);
    }
    label.to_string()
}

fn directory_name(name: RunName<'_>) -> Result<String, RunDirError> {
    let start = jiff::Timestamp::try_from(name.start).map_err(|_| RunDirError::Clock)?;
    let mut text = start.strftime("%Y-%m-%dT%H%M%SZ").to_string();
    for part in [label(name.target), label(name.what)] {
        if !part.is_empty() {
            text.push('-');
            text.push_str(&part);
        }
    }
    Ok(text)
}

/// Replaces a file atomically: writes it under another name, makes it durable, then renames it. For the
/// small files of a run, each of which has one writer.
pub fn write_atomically(path: &Path, bytes: &[u8]) -> Result<(), RunDirError> {
    let _own = identity::own();
    let (mut file, temporary) = new_beside(path).map_err(error("write", path))?.into_parts();
    file.write_all(bytes).and_then(|()| file.sync_all()).map_err(error("write", &temporary))?;
    temporary.persist(path).map_err(|failed| error("rename", &failed.path)(failed.error))
}

fn write_json<T: Serialize + ?Sized>(path: &Path, value: &T) -> Result<(), RunDirError> {
    let mut text = serde_json::to_vec_pretty(value)
        .map_err(|source| RunDirError::Json { path: path.to_path_buf(), source })?;
    text.push(b'\n');
    write_atomically(path, &text)
}

/// For `map_err`: adds the action and the path to an I/O error.
fn error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> RunDirError {
    move |source| RunDirError::Io { action, path: path.to_path_buf(), source }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use std::time::Duration;

    /// The start time of the tests' runs: 2026-11-20T15:40:12Z.
    fn start() -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_189_212)
    }

    fn name<'a>(target: &'a str, what: &'a str) -> RunName<'a> {
        RunName { start: start(), target, what }
    }

    #[test]
    fn a_run_directory_is_named_and_opened() {
        let parent = tempfile::tempdir().unwrap();
        let runs = parent.path().join(DEFAULT_PARENT);
        let run = RunDir::create(&runs, name("nas1", "production-edit")).unwrap();
        let expected = runs.join("2026-11-20T154012Z-nas1-production-edit");
        assert_eq!(run.path(), expected);
        assert_eq!(RunDir::open(&expected).unwrap(), run);
    }

    #[test]
    fn a_taken_name_gets_a_number() {
        let parent = tempfile::tempdir().unwrap();
        let names: Vec<_> = (0..3)
            .map(|_| RunDir::create(parent.path(), name("a", "b")).unwrap())
            .map(|run| run.path().file_name().unwrap().to_string_lossy().into_owned())
            .collect();
        let first = "2026-11-20T154012Z-a-b";
        assert_eq!(names, [first.to_string(), format!("{first}-2"), format!("{first}-3")]);
    }

    #[test]
    fn labels_are_safe_everywhere() {
        for (from, to) in [
            ("nas1", "nas1"),
            ("/mnt/nas 1/video", "mnt-nas-1-video"),
            ("a\nb\r\0c", "a-b-c"),
            ("../../etc", "etc"),
            ("..", ""),
            ("", ""),
            ("---", ""),
            ("Übertragung\u{202e}", "bertragung"),
            ("日本語", ""),
            ("C:\\video\\", "C-video"),
            ("-rf", "rf"),
            ("a=b&c", "a-b-c"),
            ("snap.2026_1.", "snap.2026_1"),
        ] {
            assert_eq!(label(from), to, "{from:?}");
        }
        let long = label(&"ab-".repeat(100));
        assert!(long.len() <= LABEL_CHARS && long.ends_with(['a', 'b']), "{long}");
        assert_eq!(label(&"x".repeat(300)).len(), LABEL_CHARS);
        assert_eq!(label(&format!("{}x", "é/".repeat(300))), "x");
    }

    #[test]
    fn hostile_names_make_one_directory_in_the_parent() {
        let parent = tempfile::tempdir().unwrap();
        let long = "w".repeat(300);
        for target in ["../../x", "a/b", "a\nb", "日本語", "", long.as_str()] {
            let run = RunDir::create(parent.path(), name(target, target)).unwrap();
            assert_eq!(run.path().parent().unwrap(), parent.path());
            let agent = run.agent_ops_path(target);
            assert_eq!(agent.parent().unwrap(), run.ops_path());
            let counters = run.agent_counters_path(target);
            assert_eq!(counters.parent().unwrap(), run.path().join("counters"));
        }
        assert!(
            RunDir::create(parent.path(), name("t", "w"))
                .unwrap()
                .agent_ops_path("日本")
                .ends_with("agent=unnamed")
        );
    }

    #[test]
    fn other_directories_are_refused() {
        let parent = tempfile::tempdir().unwrap();
        let open = |name: &str| RunDir::open(&parent.path().join(name)).unwrap_err();
        assert!(matches!(open("missing"), RunDirError::Missing { .. }));
        fs::write(parent.path().join("file"), "").unwrap();
        assert!(matches!(open("file"), RunDirError::NotARun { .. }));
        fs::create_dir(parent.path().join("empty")).unwrap();
        assert!(matches!(open("empty"), RunDirError::NotARun { .. }));
        for (plan, newer) in [
            ("seed = 1\n".as_bytes(), None),
            (b"# reelgauge run directory, layout x\n", None),
            (b"# reelgauge run directory, layout 0\n", None),
            (b"# reelgauge run directory, layout 99999999999999999\n", None),
            (b"\xff\xfe", None),
            (b"# reelgauge run directory, layout 2 (reelgauge 9.0)\n", Some(2)),
        ] {
            let path = parent.path().join("plan");
            fs::create_dir_all(&path).unwrap();
            fs::write(path.join("run.toml"), plan).unwrap();
            match (open("plan"), newer) {
                (RunDirError::NotARun { .. }, None) => {}
                (RunDirError::NewerVersion { found, .. }, Some(version)) => {
                    assert_eq!(found, version)
                }
                (other, _) => panic!("{plan:?}: {other}"),
            }
        }
    }

    #[test]
    fn the_small_files_are_written_and_read_back() {
        let parent = tempfile::tempdir().unwrap();
        let run = RunDir::create(parent.path(), name("nas1", "mix")).unwrap();
        run.write_plan("seed = 7\n").unwrap();
        let plan = fs::read_to_string(run.plan_path()).unwrap();
        assert!(plan.ends_with("\nseed = 7\n") && plan.starts_with("# reelgauge"), "{plan}");
        let host = r#"{"name": "nas1", "os": "linux", "cpu_count": 2}"#;
        let hosts = [serde_json::from_str::<HostFacts>(host).unwrap()];
        run.write_hosts(&hosts).unwrap();
        assert_eq!(run.read_hosts().unwrap(), hosts);
        fs::write(run.hosts_path(), "[{]").unwrap();
        assert!(matches!(run.read_hosts(), Err(RunDirError::Json { .. })));
        run.write_summary(&serde_json::json!({"read_bytes_per_s": 1.5})).unwrap();
        let mut names: Vec<_> = fs::read_dir(run.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(names, ["hosts.json", "run.toml", "summary.json"]);
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let parent = tempfile::tempdir().unwrap();
        // A file can't be renamed over a directory.
        let path = parent.path().join("summary.json");
        fs::create_dir_all(path.join("in the way")).unwrap();
        assert!(write_atomically(&path, b"new").is_err());
        assert!(path.join("in the way").is_dir());
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 1);
    }
}
