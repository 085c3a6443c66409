//! A proof (`reelgauge prove`) with a separate home, which keeps the undo of a change.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use crate::binary::{self, Outcome, Running};
use crate::scratch::Scratch;

/// The length of a pass if the measured figures do not matter.
const SHORT: &str = "300ms";

/// More than any of these proofs takes.
pub const LIMIT: Duration = Duration::from_secs(110);

/// A proof with a separate home, which keeps the undo of a change.
#[derive(Debug)]
pub struct Proof {
    /// Its own folder; its results are in `out`.
    pub scratch: Scratch,
    /// Replaces the user's home.
    pub home: PathBuf,
    /// The arguments of the program.
    pub words: Vec<String>,
}

impl Proof {
    /// A proof of this change. The state is a file in the scratch folder: the change creates it, and the
    /// undo removes it.
    pub fn of(change: &str, undo: &str, target: &Path) -> Proof {
        Proof::measuring_for(SHORT, change, undo, target)
    }

    /// The same, with passes of this length.
    pub fn measuring_for(duration: &str, change: &str, undo: &str, target: &Path) -> Proof {
        let scratch = Scratch::new();
        let (home, out) = (scratch.dir("home"), scratch.dir("out"));
        let words = ["prove", "--change", change, "--undo", undo, "--json", "--out"].map(str::to_owned);
        let mut words = words.to_vec();
        let work = "--profile=seq-read --workers=1 --length=4MiB --file-size=64MiB --warmup=200ms";
        words.extend([out.display().to_string(), "--".to_owned(), "mix".to_owned()]);
        words.push(target.display().to_string());
        words.extend(work.split(' ').map(str::to_owned));
        words.push(format!("--duration={duration}"));
        Proof { scratch, home, words }
    }

    /// A change that creates a file. The file remains if the undo is not run.
    pub fn of_a_file(target: &Path, file: &Path) -> Proof {
        let file = file.display();
        Proof::of(&format!("touch {file}"), &format!("rm {file}"), target)
    }

    pub fn start(&self) -> Running {
        self.by(&self.words)
    }

    /// Starts the program with this home.
    pub fn by(&self, words: &[String]) -> Running {
        self.by_in(&self.home, words)
    }

    /// The same, in a working directory.
    pub fn by_in(&self, directory: &Path, words: &[String]) -> Running {
        let mut command = Command::new("sh");
        command.args(["-c", "cd \"$0\" && exec \"$@\""]).arg(directory).arg(binary::path());
        command.env("HOME", &self.home).env_remove("XDG_STATE_HOME");
        binary::start_by(command, words)
    }

    /// Processes whose command line names its results.
    pub fn processes(&self) -> usize {
        let out = self.scratch.path().join("out").display().to_string();
        let names_it = |process: &std::fs::DirEntry| {
            std::fs::read(process.path().join("cmdline"))
                .is_ok_and(|line| String::from_utf8_lossy(&line).contains(&out))
        };
        std::fs::read_dir("/proc").unwrap().flatten().filter(names_it).count()
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(&self) -> Outcome {
        self.start().wait(LIMIT)
    }

    /// Runs the program with this home.
    pub fn other(&self, words: &[&str]) -> Outcome {
        self.by(&words.iter().map(|&word| word.to_owned()).collect::<Vec<_>>()).wait(LIMIT)
    }

    /// Whether the undo of a change is kept.
    pub fn has_undo(&self) -> bool {
        let folder = self.home.join(".local/state/reelgauge/undo");
        let is_one = |file: std::fs::DirEntry| file.path().extension().is_some_and(|end| end == "json");
        std::fs::read_dir(folder).is_ok_and(|files| files.flatten().any(is_one))
    }
}
