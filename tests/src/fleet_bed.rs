//! A fleet with running agents, each with a folder on the local host, and a plan for it: small mixes
//! that list every operation.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use crate::binary::{self, Outcome, Running};
use crate::fleet::Fleet;
use crate::mix::Mix;
use crate::run_dir::{at, count};
use crate::scratch::Scratch;

/// For operations that are slow only on a busy host.
pub const PATIENCE: Duration = Duration::from_secs(90);

/// A fleet with its agents, plan and folders.
#[derive(Debug)]
pub struct Bed {
    /// The fleet and its server.
    pub fleet: Fleet,
    agents: Vec<(String, Running)>,
    scratch: Scratch,
}

impl Bed {
    /// A bed with these agents and one load point of this duration.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    pub fn new(names: &[&str], duration: &str) -> Bed {
        Bed::ramp(names, "2", duration)
    }

    /// A bed with these agents and load points of so many workers, each of this duration.
    ///
    /// # Panics
    /// If it does not start.
    #[track_caller]
    pub fn ramp(names: &[&str], workers: &str, duration: &str) -> Bed {
        let fleet = Fleet::start(names);
        let scratch = Scratch::new();
        let targets = names.iter().map(|name| fleet.root("nas").join(name));
        targets.for_each(|target| std::fs::create_dir_all(target).unwrap());
        let mix = Mix::on(&scratch.dir("target")).with(&[
            "--buffered",
            "--warmup",
            "0ms",
            "--duration",
            "100ms",
            // Pauses keep the log small: every operation is listed in the end.
            "--max-delay",
            "40ms",
        ]);
        mix.measure();
        let plan = std::fs::read_to_string(mix.run_dir().join("run.toml")).unwrap();
        assert!(plan.contains("workers = \"2\""), "{plan}");
        let plan = plan.replace("workers = \"2\"", &format!("workers = \"{workers}\""));
        let plan = plan.replace("\"100ms\"", &format!("\"{duration}\""));
        std::fs::write(scratch.path().join("mix.toml"), plan).unwrap();
        let mut bed = Bed { fleet, agents: Vec::new(), scratch };
        bed.plan("");
        names.iter().for_each(|name| bed.start_agent(name));
        bed
    }

    /// The plan of the fleet, with these tables before or after its only group: `[fleet]`, `[[step]]`.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn plan(&self, tables: &str) {
        let target = self.fleet.root("nas").join("{agent}").display().to_string();
        let group = format!("[[group]]\nname = \"all\"\nplan = \"mix.toml\"\ntargets = [\"{target}\"]\n");
        std::fs::write(self.scratch.path().join("fleet.toml"), format!("{group}{tables}")).unwrap();
    }

    /// The plan of the fleet, in which all agents use the test files of the first. Returns their
    /// directory.
    ///
    /// # Panics
    /// If it can't be written.
    pub fn plan_with_shared_data(&self) -> PathBuf {
        let target = self.fleet.root("nas").join("together");
        std::fs::create_dir_all(&target).unwrap();
        let (data, targets) = ("data = \"shared\"", format!("targets = [\"{}\"]", target.display()));
        let group = format!("[[group]]\nplan = \"mix.toml\"\n{data}\n{targets}\n");
        std::fs::write(self.scratch.path().join("fleet.toml"), group).unwrap();
        target
    }

    /// Starts an agent.
    ///
    /// # Panics
    /// If it does not appear.
    #[track_caller]
    pub fn start_agent(&mut self, name: &str) {
        let keep = self.kept(name).display().to_string();
        // A short limit, so that a lost agent is noticed soon.
        let flags = ["--keep", &keep, "--max-silence", "5s"];
        let agent = self.fleet.agent(name, &self.fleet.root("nas"), &flags);
        self.agents.push((name.to_owned(), agent));
    }

    /// Replaces an idle agent with one that has further flags.
    ///
    /// # Panics
    /// If it does not appear.
    #[track_caller]
    pub fn limit_agent(&mut self, name: &str, flags: &[&str]) {
        self.limit_agent_by(name, Command::new(binary::path()), flags);
    }

    /// The same, through a command that execs the binary.
    ///
    /// # Panics
    /// If it does not appear.
    #[track_caller]
    pub fn limit_agent_by(&mut self, name: &str, by: Command, flags: &[&str]) {
        self.agents.retain(|(other, _)| other != name);
        let keep = self.kept(name).display().to_string();
        let flags = [&["--keep", &keep], flags].concat();
        let agent = self.fleet.agent_by(by, name, &self.fleet.root("nas"), &flags);
        self.agents.push((name.to_owned(), agent));
    }

    /// Kills an agent's process only.
    ///
    /// # Panics
    /// If there is none.
    pub fn kill_agent(&self, name: &str) {
        // It stays in the list, so that the processes it started are taken down at the end.
        self.agent(name).signal(Signal::KILL);
    }

    /// An agent's process; the latest one of that name.
    ///
    /// # Panics
    /// If there is none.
    pub fn agent(&self, name: &str) -> &Running {
        &self.agents.iter().rfind(|(other, _)| other == name).unwrap().1
    }

    /// Restarts every agent whose process has ended.
    ///
    /// # Panics
    /// If one does not appear.
    pub fn start_who_is_gone(&mut self) {
        let mut latest = BTreeMap::new();
        for (name, agent) in &mut self.agents {
            latest.insert(name.clone(), agent.has_ended());
        }
        let gone = latest.into_iter().filter_map(|(name, is_gone)| is_gone.then_some(name));
        gone.for_each(|name| self.start_agent(&name));
    }

    /// Kills the server and starts it again.
    ///
    /// # Panics
    /// If it survives, or does not start.
    pub fn server_again(&mut self) {
        self.fleet.up().signal(Signal::KILL);
        assert!(self.fleet.falls_silent());
        self.fleet.up_again();
    }

    /// The directory in which an agent keeps its runs.
    pub fn kept(&self, name: &str) -> PathBuf {
        self.scratch.path().join("kept").join(name)
    }

    /// The directory that receives run directories.
    pub fn runs(&self) -> PathBuf {
        self.scratch.path().join("runs")
    }

    /// The scratch folder of the bed.
    pub fn path(&self) -> &Path {
        self.scratch.path()
    }

    fn words(&self, words: &[&str]) -> Vec<String> {
        let dirs = [self.fleet.dir(), self.runs()].map(|dir| dir.display().to_string());
        let flags = ["--fleet".to_owned(), dirs[0].clone(), "--out".to_owned(), dirs[1].clone()];
        std::iter::once("fleet").chain(words.iter().copied()).map(str::to_owned).chain(flags).collect()
    }

    /// Starts the controller on the plan with these flags.
    pub fn run_with(&self, flags: &[&str]) -> Running {
        let plan = self.scratch.path().join("fleet.toml").display().to_string();
        let words: Vec<&str> = ["run", plan.as_str()].into_iter().chain(flags.iter().copied()).collect();
        binary::start(self.words(&words))
    }

    /// Starts the controller on the plan. It prints JSON.
    pub fn run(&self) -> Running {
        self.run_with(&["--json"])
    }

    /// Starts a controller that resumes an interrupted run, with these flags.
    pub fn resume(&self, what: &str, flags: &[&str]) -> Running {
        let words: Vec<&str> = ["run", "--resume", what].into_iter().chain(flags.iter().copied()).collect();
        binary::start(self.words(&words))
    }

    /// Fetches the files left on agents.
    pub fn logs(&self) -> Outcome {
        binary::run(self.words(&["logs", "--json"]))
    }

    /// The run directories that an agent has not released yet.
    ///
    /// # Panics
    /// If it has no folder.
    pub fn left(&self, name: &str) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.kept(name)).unwrap().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect()
    }
}

/// Waits until the controller has printed these words.
///
/// # Panics
/// If it ends before, or never prints them.
#[track_caller]
pub fn until_said(run: &mut Running, words: &str) {
    let says = |run: &mut Running| run.stderr().contains(words) || run.has_ended();
    let waited = run.until(PATIENCE, says);
    assert!(waited.is_some() && run.stderr().contains(words), "it does not say {words:?}\n{}", run.stderr());
}

/// Waits until operations of a load point have been done.
///
/// # Panics
/// If it ends before, or never does.
#[track_caller]
pub fn until_measuring(run: &mut Running) {
    until_said(run, ", p99 ");
}

/// Checks that every counted operation of every load point is in the fetched log and in the figures.
/// Returns the counts of each agent in the first load point.
///
/// # Panics
/// If an operation is missing.
#[track_caller]
pub fn counted(run_dir: &Path, summary: &Value) -> Vec<u64> {
    let mut all = 0;
    let mut first = None;
    for (number, point) in at(summary, "load_points").as_array().unwrap().iter().enumerate() {
        let ops = count(point, "total.ops");
        all += ops + count(point, "total.warmup_ops");
        let hosts = at(summary, &format!("hosts.points.{number}.hosts")).as_array().unwrap();
        let of_each: Vec<u64> = hosts.iter().map(|host| count(host, "figures.ops")).collect();
        assert_eq!(of_each.iter().sum::<u64>(), ops, "load point {number}");
        first.get_or_insert(of_each);
    }
    assert_eq!(all, count(summary, "log.rows"), "{summary:#}");
    assert_eq!(u64::try_from(listed(run_dir).len()).unwrap(), all);
    first.unwrap()
}

/// Every operation of a run.
///
/// # Panics
/// If they can't be listed.
#[track_caller]
pub fn listed(run_dir: &Path) -> Vec<Value> {
    let listed = binary::run(["ops".as_ref(), run_dir.as_os_str(), "--json".as_ref()]).expect_code(0).json();
    listed.as_array().or_else(|| listed["ops"].as_array()).unwrap().clone()
}
