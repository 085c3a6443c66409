//! `reelgauge console` as a bed: a server on a free port. Everything it started is stopped in the end.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::binary::{self, Running};
use crate::http::Client;
use crate::wine;

/// How long it may take to listen, even on a busy host.
const SOON: Duration = Duration::from_secs(30);

/// A console that runs.
#[derive(Debug)]
pub struct Console {
    pub running: Running,
    /// A client of its HTTP interface.
    pub client: Client,
    /// The link that it printed.
    pub link: String,
    /// The folder of its runs, which are killed in the end. Unknown under wine, whose process numbers are
    /// not those of the host.
    runs: Option<PathBuf>,
}

impl Console {
    /// A console for targets below `root`, with its runs in this folder.
    #[track_caller]
    pub fn start(root: &Path, runs: &Path) -> Console {
        Console::with(root, runs, &[])
    }

    /// The same with these flags. It listens on a free loopback port unless the flags set another
    /// address.
    #[track_caller]
    pub fn with(root: &Path, runs: &Path, flags: &[&str]) -> Console {
        Console::by(binary::command(), root, runs, &[&["--no-open"], flags].concat())
    }

    /// The console of the Windows program. A run that it started has to end before.
    #[track_caller]
    pub fn on_windows(root: &Path, runs: &Path) -> Console {
        let mut console = Console::by(wine::command(), root, runs, &["--no-open"]);
        console.runs = None;
        console
    }

    /// A console started by a command that execs the binary.
    ///
    /// # Panics
    /// If it does not listen.
    #[track_caller]
    pub fn by(by: Command, root: &Path, runs: &Path, flags: &[&str]) -> Console {
        let listen: &[&str] = if flags.contains(&"--listen") { &[] } else { &["--listen", "127.0.0.1:0"] };
        let words = ["console"].iter().chain(listen).chain(flags).map(OsString::from);
        let words = words.chain(["--runs".into(), runs.into(), "--root".into(), root.into()]);
        let mut running = binary::start_by(by, words);
        let is_ready = |running: &mut Running| running.stderr().contains("Ctrl-C");
        let listens = running.until(SOON, |running| is_ready(running) || running.has_ended());
        assert!(listens.is_some() && !running.has_ended(), "it does not listen\n{}", running.stderr());
        let link = running.stdout().trim().to_owned();
        // Behind a proxy the link is the proxy's.
        let said = running.stderr();
        let place = said.split_once("Listening on ").and_then(|(_, rest)| rest.split_whitespace().next());
        let place =
            place.map_or_else(|| link.split('/').nth(2).unwrap(), |place| place.trim_end_matches(['.', ',']));
        let address = format!("127.0.0.1:{}", place.rsplit(':').next().unwrap());
        let token = link.split_once("#token=").map(|(_, token)| format!("Bearer {token}"));
        let client = Client { address, pass: token.map(|token| ("Authorization", token)) };
        Console { running, client, link, runs: Some(runs.to_owned()) }
    }

    /// The token of the link.
    ///
    /// # Panics
    /// If it has none.
    pub fn token(&self) -> &str {
        self.link.split_once("#token=").expect("a token").1
    }

    /// Requests a start with the values of the form.
    #[track_caller]
    pub fn ask_to_start(&self, verb: &str, values: &Value) -> Value {
        let body = json!({"verb": verb, "values": values}).to_string();
        self.client.change("POST", "/api/start", &body).expect(200).json()
    }

    /// Starts a run. Returns its name.
    ///
    /// # Panics
    /// If it is refused.
    #[track_caller]
    pub fn start_run(&self, verb: &str, values: &Value) -> String {
        let answer = self.ask_to_start(verb, values);
        answer["id"].as_str().unwrap_or_else(|| panic!("{answer}")).to_owned()
    }

    /// The list's entry of a run; `None` if it is not in the list.
    pub fn entry(&self, id: &str) -> Option<Value> {
        let runs = self.client.get("/api/runs").expect(200).json();
        runs.as_array().unwrap().iter().find(|run| run["id"] == id).cloned()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        let runs = self.runs.iter().filter_map(|runs| std::fs::read_dir(runs).ok());
        for run in runs.flatten().flatten() {
            let text = std::fs::read_to_string(run.path().join("live.jsonl")).unwrap_or_default();
            let begin: Value =
                text.lines().next().and_then(|line| serde_json::from_str(line).ok()).unwrap_or_default();
            let pid = begin["pid"].as_i64().and_then(|pid| Pid::from_raw(i32::try_from(pid).ok()?));
            if let (Some(pid), false) = (pid, text.contains("\"event\":\"end\"")) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

/// Waits until a condition holds.
///
/// # Panics
/// If it does not hold within half a minute.
#[track_caller]
pub fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < SOON, "{what}: not within {SOON:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
}
