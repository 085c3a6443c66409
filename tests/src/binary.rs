//! The binary under test: started with arguments, stopped at a time limit, judged by its output.
//!
//! Its output goes to files, not to pipes. A process with a thread stuck in a dead mount keeps its files
//! open as long as the thread is stuck, even after it has exited. A pipe would never reach its end.

use std::ffi::OsStr;
use std::fs::File;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::scratch::{Scratch, target_dir};

/// The variable that has screens printed in full, as `--details` does.
pub const DETAILS: &str = "REELGAUGE_DETAILS";

/// How long [`run`] waits before it kills the binary. Far more than any of these runs needs, even on a
/// busy host.
pub const LIMIT: Duration = Duration::from_secs(120);

/// How a run of the binary ended.
#[derive(Debug)]
pub struct Outcome {
    /// Its exit code; `None` if a signal ended it.
    pub code: Option<i32>,
    /// Everything it wrote to standard output.
    pub stdout: String,
    /// Everything it wrote to standard error.
    pub stderr: String,
    /// Time from start to end.
    pub took: Duration,
}

impl Outcome {
    /// Returns the outcome if the exit code is this one.
    ///
    /// # Panics
    /// If the exit code differs. The message has all output of the binary.
    #[track_caller]
    pub fn expect_code(self, code: i32) -> Outcome {
        assert!(self.code == Some(code), "exit code {:?}, not {code}\n{}", self.code, self.said());
        self
    }

    /// The run must have completed. A run that is inconclusive (busy host, slow storage) exits with
    /// status 1, which is accepted too.
    #[track_caller]
    #[must_use]
    pub fn expect_end(self) -> Outcome {
        assert!(matches!(self.code, Some(0 | 1)), "exit code {:?}\n{}", self.code, self.said());
        self
    }

    /// Standard output as JSON.
    ///
    /// # Panics
    /// If it is anything but one JSON value.
    #[track_caller]
    pub fn json(&self) -> serde_json::Value {
        let parsed = serde_json::from_str(&self.stdout);
        parsed.unwrap_or_else(|error| panic!("stdout is not JSON alone ({error})\n{}", self.said()))
    }

    /// Standard output with each run of white space replaced by one blank. Line breaks on a screen
    /// depend on the lengths of the paths in it.
    pub fn words(&self) -> String {
        flowing(&self.stdout)
    }

    /// Both streams, for messages of tests.
    pub fn said(&self) -> String {
        format!("--- stdout\n{}\n--- stderr\n{}", self.stdout, self.stderr)
    }
}

/// A text in one line, with one blank for every run of white space.
pub fn flowing(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The lines that are wider than a terminal of so many columns. Lines with a path or a command are
/// ignored: they are never wrapped, so that they can be pasted, and their width depends on where the
/// test runs.
pub fn too_wide(text: &str, columns: usize) -> Vec<&str> {
    text.lines().filter(|line| line.chars().count() > columns && !line.contains('/')).collect()
}

/// The path of the binary: `REELGAUGE_BIN`, or the binary of this build, brought up to date.
///
/// # Panics
/// If it cannot be built.
pub fn path() -> &'static Path {
    static PATH: OnceLock<PathBuf> = OnceLock::new();
    PATH.get_or_init(|| match std::env::var_os("REELGAUGE_BIN") {
        Some(path) => path.into(),
        None => build(),
    })
}

/// Builds the binary into the target folder that this test was built into.
fn build() -> PathBuf {
    let built = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args(["build", "--quiet", "--package", "reelgauge", "--target-dir"])
        .arg(target_dir())
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .status()
        .unwrap();
    assert!(built.success(), "the binary does not build");
    target_dir().join("debug/reelgauge")
}

/// Runs the binary to its end.
///
/// # Panics
/// If it is not done after two minutes; it and its children are killed then.
#[track_caller]
pub fn run<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Outcome {
    start(arguments).wait(LIMIT)
}

/// The verbs of the binary, in the order of its first screen.
///
/// # Panics
/// If one of the well-known verbs is missing.
pub fn verbs() -> Vec<String> {
    let help = run(["--help"]).expect_code(0).stdout;
    // Verbs follow the heading of their group, in one column. The last verbs of a group may be listed
    // without a description.
    let of_line = |line: &str| -> Vec<String> {
        match line.trim().strip_prefix("and ") {
            Some(named) => named.split(", ").map(str::to_owned).collect(),
            None => line
                .get(12..)
                .and_then(|line| line.split_whitespace().next())
                .map(str::to_owned)
                .into_iter()
                .collect(),
        }
    };
    let verbs: Vec<String> =
        help.lines().skip(1).take_while(|line| !line.starts_with('\'')).flat_map(of_line).collect();
    assert!(["mix", "report", "man"].iter().all(|verb| verbs.iter().any(|known| known == verb)), "{verbs:?}");
    verbs
}

/// Starts the binary without input, in a separate process group.
///
/// # Panics
/// If it cannot be started.
pub fn start<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> Running {
    start_by(command(), arguments)
}

/// A command that starts the binary.
///
/// # Panics
/// If the binary cannot be built.
pub fn command() -> Command {
    Command::new(path())
}

/// [`start`], but through a command that execs the binary and takes its arguments.
///
/// # Panics
/// If it cannot be started.
pub fn start_by<A: AsRef<OsStr>>(mut by: Command, arguments: impl IntoIterator<Item = A>) -> Running {
    let scratch = Scratch::new();
    let output = |name: &str| File::create(scratch.path().join(name)).unwrap();
    let child = by
        .args(arguments)
        // Neither a terminal's width nor a developer's settings may influence the output.
        .env_remove("RUST_LOG")
        .env("COLUMNS", "100")
        // Tests see whole screens.
        .env(DETAILS, "1")
        .current_dir(scratch.path())
        .stdin(Stdio::null())
        .stdout(output("stdout"))
        .stderr(output("stderr"))
        .process_group(0)
        .spawn()
        .unwrap();
    Running { child, scratch, started: Instant::now(), ended: None }
}

/// The binary, running. Killed on drop.
#[derive(Debug)]
pub struct Running {
    child: Child,
    scratch: Scratch,
    started: Instant,
    ended: Option<ExitStatus>,
}

impl Running {
    /// Its process number.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The working directory, which receives every file without an explicit path.
    pub fn folder(&self) -> &Path {
        self.scratch.path()
    }

    /// What it has written to standard error so far.
    pub fn stderr(&self) -> String {
        self.said("stderr")
    }

    /// What it has written to standard output so far.
    pub fn stdout(&self) -> String {
        self.said("stdout")
    }

    fn said(&self, stream: &str) -> String {
        let bytes = std::fs::read(self.scratch.path().join(stream)).unwrap_or_default();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Sends a signal to the process, not to its children.
    ///
    /// # Panics
    /// If the process no longer exists.
    pub fn signal(&self, signal: Signal) {
        kill_process(self.process(), signal).unwrap();
    }

    /// Its process.
    ///
    /// # Panics
    /// Never: the system numbers processes from 1.
    pub fn process(&self) -> Pid {
        Pid::from_raw(i32::try_from(self.child.id()).unwrap()).unwrap()
    }

    /// Whether it has ended and can be waited for.
    ///
    /// # Panics
    /// If the system does not say.
    pub fn has_ended(&mut self) -> bool {
        if self.ended.is_none() {
            self.ended = self.child.try_wait().unwrap();
        }
        self.ended.is_some()
    }

    /// Whether it has finished its work. Either it has ended, or only threads are left that the kernel
    /// does not release. In that case the first thread has exited, and the process cannot be waited for.
    pub fn is_done(&mut self) -> bool {
        self.has_ended() || self.state() == Some('Z')
    }

    /// The state of its first thread, as /proc has it.
    fn state(&self) -> Option<char> {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).ok()?;
        stat.rsplit_once(") ")?.1.chars().next()
    }

    /// The kernel state of each thread: name, state, wait channel, system call. For failures that
    /// nothing else explains.
    pub fn threads(&self) -> String {
        let tasks = std::fs::read_dir(format!("/proc/{}/task", self.child.id()));
        let line = |task: std::fs::DirEntry| {
            let of = |name: &str| std::fs::read_to_string(task.path().join(name)).unwrap_or_default();
            let stat = of("stat");
            let state = stat.rsplit_once(") ").and_then(|(_, rest)| rest.chars().next()).unwrap_or('?');
            format!(
                "{:<16} {state} {:<24} {}\n",
                of("comm").trim_end(),
                of("wchan"),
                of("syscall").trim_end()
            )
        };
        tasks.into_iter().flatten().flatten().map(line).collect()
    }

    /// Waits until `done` holds. Returns how long that took, or `None` after `limit`.
    pub fn until(&mut self, limit: Duration, mut done: impl FnMut(&mut Running) -> bool) -> Option<Duration> {
        let start = Instant::now();
        loop {
            if done(self) {
                return Some(start.elapsed());
            }
            if start.elapsed() >= limit {
                return None;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Waits for its end.
    ///
    /// # Panics
    /// If it has not ended after `limit`; it and its children are killed then.
    #[track_caller]
    pub fn wait(mut self, limit: Duration) -> Outcome {
        let in_time = self.until(limit, Running::has_ended).is_some();
        let took = self.started.elapsed();
        if !in_time {
            let threads = self.threads();
            self.kill();
            let said = self.said("stdout") + &self.said("stderr");
            panic!("still running after {limit:?}\n{said}\n{threads}");
        }
        Outcome {
            code: self.ended.and_then(|status| status.code()),
            stdout: self.said("stdout"),
            stderr: self.said("stderr"),
            took,
        }
    }

    fn kill(&mut self) {
        let _ = kill_process_group(self.process(), Signal::KILL);
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !self.has_ended() {
            self.kill();
            // Not forever: threads stuck in the kernel are released only when the bed below them is
            // dropped.
            let _ = self.until(Duration::from_secs(2), Running::has_ended);
        }
    }
}
