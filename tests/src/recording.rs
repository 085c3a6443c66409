//! A recording through the binary: its output, and the operations of its trace. A second witness of the
//! same command is strace, whose output is imported through the binary.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::binary::{self, Outcome, Running};
use crate::programs::tool_with;
use crate::scratch::Scratch;

/// A read or write: kind, file below the directory, offset, bytes requested and done.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Transfer {
    /// "read" or "write".
    pub kind: String,
    /// Path below the directory.
    pub file: String,
    /// Offset in bytes.
    pub offset: u64,
    /// Bytes requested.
    pub asked: u64,
    /// Bytes done.
    pub done: u64,
}

/// The operations of a command, recorded by strace.
#[derive(Debug)]
pub struct Watched {
    /// The operations of the imported trace.
    pub ops: Vec<Value>,
    /// The output of `info` for the trace.
    pub info: Value,
}

impl Watched {
    /// Whether a warning of the trace holds these words.
    pub fn warns_of(&self, words: &str) -> bool {
        self.info["warnings"].to_string().contains(words)
    }
}

/// Runs a command under strace, as the importer requires, and imports the operations on a directory.
///
/// # Panics
/// If it fails.
#[track_caller]
pub fn watch(dir: &Path, command: &[String]) -> Watched {
    let scratch = Scratch::new();
    let info = watch_into(&scratch, dir, command);
    Watched { ops: listed(info["dir"].as_str().unwrap()), info }
}

/// Runs a command under strace and imports the operations on a directory into a folder. Returns what was
/// printed.
///
/// # Panics
/// If it fails.
#[track_caller]
pub fn watch_into(scratch: &Scratch, dir: &Path, command: &[String]) -> Value {
    let text = scratch.path().join("strace").to_str().unwrap().to_owned();
    let mut words = vec!["strace", "-f", "-ttt", "-T", "-y", "-s", "0", "-e", "trace=%file,%desc,%process"];
    words.extend(["-o", &text]);
    words.extend(command.iter().map(String::as_str));
    tool_with(&words).unwrap_or_else(|why| panic!("{why}"));
    let (root, out) = (dir.to_str().unwrap(), scratch.dir("traces"));
    let words = ["import", &text, "--root", root, "--json", "--out", out.to_str().unwrap()];
    binary::run(words).expect_code(0).json()
}

/// A place for a recording: the recorded directory, and another one for its traces.
#[derive(Debug)]
pub struct Recording {
    scratch: Scratch,
    flags: Vec<OsString>,
    dir: PathBuf,
}

impl Recording {
    /// A recording of a new, empty directory.
    pub fn new() -> Recording {
        let scratch = Scratch::new();
        let dir = scratch.dir("media");
        Recording { scratch, flags: Vec::new(), dir }
    }

    /// A recording of this directory.
    pub fn of(dir: &Path) -> Recording {
        Recording { dir: dir.to_owned(), ..Recording::new() }
    }

    /// With these flags.
    #[must_use]
    pub fn with(mut self, flags: &[&str]) -> Recording {
        self.flags.extend(flags.iter().map(OsString::from));
        self
    }

    /// The recorded directory.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// Where traces go.
    pub fn out(&self) -> PathBuf {
        self.scratch.path().join("traces")
    }

    /// The arguments of the binary that record this command.
    pub fn words(&self, command: &[String]) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec!["record".into(), self.dir.clone().into()];
        words.extend(["--json".into(), "--out".into(), self.out().into()]);
        words.extend(self.flags.clone());
        words.push("--".into());
        words.extend(command.iter().map(OsString::from));
        words
    }

    pub fn start(&self, command: &[String]) -> Running {
        binary::start(self.words(command))
    }

    /// Records a shell script, in which `$D` is the directory. Returns how it ended.
    #[track_caller]
    pub fn shell(&self, script: &str) -> Outcome {
        binary::run(self.words(&self.script(script)))
    }

    /// The command that runs a shell script.
    pub fn script(&self, script: &str) -> Vec<String> {
        ["sh", "-c", &script.replace("$D", self.dir.to_str().unwrap())].map(str::to_owned).to_vec()
    }

    /// Records a command, which must succeed. Returns what was printed.
    #[track_caller]
    pub fn run(&self, command: &[String]) -> Value {
        binary::run(self.words(command)).expect_code(0).json()
    }
}

impl Default for Recording {
    fn default() -> Recording {
        Recording::new()
    }
}

/// The operations of the trace that a recording reported.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn ops(printed: &Value) -> Vec<Value> {
    listed(printed["trace"].as_str().unwrap())
}

/// The operations of the trace in this directory.
///
/// # Panics
/// If there is none.
#[track_caller]
pub fn listed(trace: &str) -> Vec<Value> {
    let outcome = binary::run(["ops", trace, "--json"]).expect_code(0);
    outcome.json().as_array().unwrap().clone()
}

/// The operations of one kind.
pub fn of_kind<'a>(ops: &'a [Value], kind: &str) -> Vec<&'a Value> {
    ops.iter().filter(|op| op["kind"] == kind).collect()
}

/// Its reads and writes, sorted. Failed ones and those of a memory map are dropped.
pub fn transfers(ops: &[Value]) -> Vec<Transfer> {
    let number = |op: &Value, key: &str| op[key].as_u64().unwrap_or(0);
    let data = ops.iter().filter(|op| op["kind"] == "read" || op["kind"] == "write");
    let mut all: Vec<Transfer> = data
        .filter(|op| op["errno"] == 0 && !is_mapped(op))
        .map(|op| Transfer {
            kind: op["kind"].as_str().unwrap().to_owned(),
            file: op["file"].as_str().unwrap().to_owned(),
            offset: number(op, "offset_bytes"),
            asked: number(op, "length_bytes"),
            done: number(op, "done_bytes"),
        })
        .collect();
    all.sort();
    all
}

/// Whether a memory map caused the operation.
pub fn is_mapped(op: &Value) -> bool {
    op["flags"].as_str().is_some_and(|flags| flags.contains("mapped"))
}

/// Whether a mount of the tool is at or below a directory.
///
/// # Panics
/// If the mount table cannot be read.
pub fn is_mounted(dir: &Path) -> bool {
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    let dir = dir.to_str().unwrap();
    mounts.lines().any(|line| line.contains("fuse.reelgauge") && line.contains(dir))
}
