//! `reelgauge mix`, as most tests want it: small, short, and with its results at hand.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::Value;

use crate::binary::{self, Outcome, Running};
use crate::run_dir;
use crate::scratch::Scratch;

/// A little data and a little time: enough for every kind of operation to happen many times.
const SMALL: &[&str] = &[
    "--files",
    "2",
    "--file-size",
    "16MiB",
    "--length",
    "256KiB",
    "--blocks",
    "4KiB..64KiB",
    "--workers",
    "2",
    "--warmup",
    "200ms",
    "--duration",
    "2s",
];

/// A `mix` to be started. What is added later wins over what was there.
#[derive(Debug)]
pub struct Mix {
    target: PathBuf,
    flags: Vec<(OsString, Option<OsString>)>,
    runs: Scratch,
}

impl Mix {
    /// A small mix on this directory.
    pub fn on(target: &Path) -> Mix {
        Mix { target: target.to_owned(), flags: Vec::new(), runs: Scratch::new() }.with(SMALL)
    }

    /// With these flags: `["--driver", "uring", "--verify"]`.
    #[must_use]
    pub fn with(mut self, words: &[&str]) -> Mix {
        let mut words = words.iter().peekable();
        while let Some(flag) = words.next() {
            let value = words.next_if(|word| !word.starts_with("--")).map(OsString::from);
            self.flags.retain(|(name, _)| name != flag);
            self.flags.push((flag.into(), value));
        }
        self
    }

    /// Without this flag.
    #[must_use]
    pub fn without(mut self, flag: &str) -> Mix {
        self.flags.retain(|(name, _)| name != flag);
        self
    }

    /// The folder that its run directories go to.
    pub fn runs(&self) -> &Path {
        self.runs.path()
    }

    /// The words of the command line.
    fn words(&self) -> Vec<OsString> {
        let mut words = vec!["mix".into(), self.target.clone().into(), "--json".into(), "--out".into()];
        words.push(self.runs.path().into());
        for (flag, value) in &self.flags {
            words.push(flag.clone());
            words.extend(value.clone());
        }
        words
    }

    /// Starts it.
    pub fn start(&self) -> Running {
        binary::start(self.words())
    }

    /// Runs it to its end.
    #[track_caller]
    pub fn run(&self) -> Outcome {
        binary::run(self.words())
    }

    /// Runs it to its end, which must be a good one; gives the summary that it printed.
    #[track_caller]
    pub fn measure(&self) -> Value {
        self.run().expect_code(0).json()
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
        let mix = Mix::on(Path::new("/t")).with(&["--duration", "9s", "--verify"]).without("--files");
        let words = mix.words();
        let has = |word: &str| words.iter().filter(|have| *have == word).count();
        assert_eq!((has("--duration"), has("2s"), has("9s")), (1, 0, 1));
        assert_eq!((has("--verify"), has("--files"), has("16MiB")), (1, 0, 1));
    }
}
