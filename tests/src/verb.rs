//! A verb of the command line with its flags and a folder for its results. A test can run it repeatedly.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use serde_json::Value;

use crate::binary::{self, Outcome, Running};
use crate::run_dir;
use crate::scratch::Scratch;
use crate::wine;

/// A call of the binary. Flags added later override earlier ones.
#[derive(Debug)]
pub struct Verb {
    launcher: fn() -> Command,
    words: Vec<OsString>,
    flags: Vec<(OsString, Option<OsString>)>,
    runs: Scratch,
}

impl Verb {
    /// This verb on this directory, plan or scenario, with `--json` and a fresh folder for `--out`.
    pub fn on(verb: &str, operand: impl AsRef<OsStr>) -> Verb {
        let words = vec![verb.into(), operand.as_ref().into()];
        Verb { launcher: binary::command, words, flags: Vec::new(), runs: Scratch::new() }
    }

    /// Calls the Windows program instead, under wine.
    #[must_use]
    pub fn on_windows(self) -> Verb {
        Verb { launcher: wine::command, ..self }
    }

    /// Adds another operand after the first.
    #[must_use]
    pub fn operand(mut self, operand: impl AsRef<OsStr>) -> Verb {
        self.words.push(operand.as_ref().into());
        self
    }

    /// Adds these flags: `["--driver", "uring", "--verify"]`.
    #[must_use]
    pub fn with(mut self, words: &[&str]) -> Verb {
        let mut words = words.iter().peekable();
        while let Some(flag) = words.next() {
            let value = words.next_if(|word| !word.starts_with("--")).map(OsString::from);
            self = self.set(flag, value);
        }
        self
    }

    /// Adds this flag with a path as its value.
    #[must_use]
    pub fn with_path(self, flag: &str, path: &Path) -> Verb {
        self.set(flag, Some(path.into()))
    }

    fn set(self, flag: &str, value: Option<OsString>) -> Verb {
        let mut verb = self.without(flag);
        verb.flags.push((flag.into(), value));
        verb
    }

    /// Removes this flag.
    #[must_use]
    pub fn without(mut self, flag: &str) -> Verb {
        self.flags.retain(|(name, _)| name != flag);
        self
    }

    /// The folder that its run directories go to.
    pub fn runs(&self) -> &Path {
        self.runs.path()
    }

    /// The words of the command line without `--json`, for output in plain text.
    pub fn plain_words(&self) -> Vec<OsString> {
        let mut words = self.words.clone();
        words.extend(["--out".into(), self.runs.path().into()]);
        for (flag, value) in &self.flags {
            words.push(flag.clone());
            words.extend(value.clone());
        }
        words
    }

    /// The words of the command line.
    pub fn words(&self) -> Vec<OsString> {
        let mut words = self.plain_words();
        words.insert(self.words.len(), "--json".into());
        words
    }

    pub fn start(&self) -> Running {
        binary::start_by((self.launcher)(), self.words())
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(&self) -> Outcome {
        self.start().wait(binary::LIMIT)
    }

    /// Runs it to its end, with output in plain text.
    #[track_caller]
    pub fn run_plain(&self) -> Outcome {
        binary::start_by((self.launcher)(), self.plain_words()).wait(binary::LIMIT)
    }

    /// Runs it to its end, which must succeed. Returns the printed summary. A replay and a VDA run may
    /// be inconclusive if the host is too busy for their response times.
    #[track_caller]
    pub fn measure(&self) -> Value {
        let outcome = self.run();
        let may_be_inconclusive = ["replay", "vda"].iter().any(|verb| self.words[0] == *verb);
        let outcome = if may_be_inconclusive { outcome.expect_end() } else { outcome.expect_code(0) };
        outcome.json()
    }

    /// Waits until it has made its test files and operations have reached the log.
    ///
    /// # Panics
    /// If that takes more than a minute, or it ends before.
    #[track_caller]
    pub fn until_measuring(&self, running: &mut Running) {
        let logged =
            |_: &mut Running| run_dir::all_in(self.runs()).first().is_some_and(|run| run_dir::has_log(run));
        let in_time = running.until(Duration::from_secs(60), logged).is_some();
        assert!(in_time && !running.has_ended(), "it does not measure\n{}", running.stderr());
    }

    /// The directory of its only run.
    #[track_caller]
    pub fn run_dir(&self) -> PathBuf {
        run_dir::only_in(self.runs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_flags_win() {
        let verb = Verb::on("mix", "/t").with(&["--duration", "2s", "--files", "2"]);
        let verb = verb.with(&["--duration", "9s", "--verify"]).without("--files");
        let words = verb.with_path("--like", Path::new("/a b")).words();
        let has = |word: &str| words.iter().filter(|have| *have == word).count();
        assert_eq!((has("--duration"), has("2s"), has("9s")), (1, 0, 1));
        assert_eq!((has("--verify"), has("--files"), has("2"), has("/a b")), (1, 0, 0, 1));
        assert_eq!(words[..3], ["mix", "/t", "--json"]);
    }
}
