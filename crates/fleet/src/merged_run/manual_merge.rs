//! Merges runs that users started on several hosts at the same time: determines host names and the
//! common plan.
//!
//! Not here: merging them ([`super::make`]).

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use reelgauge_record::run_dir::RunDir;

use super::agent_part::{AgentShare, ClockOffset};

/// A longer file is not a plan.
const PLAN_MAX_BYTES: u64 = 64 << 10;

/// The request to merge such runs.
#[derive(Clone, Debug, Default)]
pub struct ByHand {
    /// The runs, with the names that the user gave the hosts.
    pub runs: Vec<(Option<String>, PathBuf)>,
    /// The largest error of the hosts' clocks, if the user states it.
    pub clocks_within_ns: Option<u64>,
}

impl ByHand {
    /// The shares. A host without a name gets its host name, with a number if several are equal.
    pub fn shares(&self) -> Vec<AgentShare> {
        let clock = self.clocks_within_ns.map(|uncertainty_ns| ClockOffset { offset_ns: 0, uncertainty_ns });
        let own: Vec<String> =
            self.runs.iter().map(|(name, dir)| name.clone().unwrap_or_else(|| host_name(dir))).collect();
        let share = |(at, (given, dir)): (usize, &(Option<String>, PathBuf))| {
            let alike = own.iter().filter(|name| **name == own[at]).count();
            let number = own[..=at].iter().filter(|name| **name == own[at]).count();
            let name = match given {
                None if alike > 1 => format!("{}-{number}", own[at]),
                _ => own[at].clone(),
            };
            AgentShare {
                name,
                run_dir: Some(dir.clone()),
                clock_before: clock,
                clock_after: clock,
                ..AgentShare::default()
            }
        };
        self.runs.iter().enumerate().map(share).collect()
    }

    /// The common plan, if the plans differ only in target and seed; otherwise a line that refers to the
    /// individual plans.
    pub fn plan_toml(&self) -> String {
        let plans: Vec<String> = self.runs.iter().map(|(_, dir)| plan(dir)).collect();
        let same = |plan: &String| {
            let is_own = |line: &&str| line.starts_with("target =") || line.starts_with("seed =");
            plan.lines().filter(|line| !is_own(line)).collect::<Vec<_>>().join("\n")
        };
        match plans.first() {
            Some(first) if plans.iter().all(|plan| same(plan) == same(first)) => first.clone(),
            _ => "# Each host had its own plan: see plans/.\n".to_owned(),
        }
    }
}

/// The host name in a run.
fn host_name(dir: &Path) -> String {
    let hosts = RunDir::open(dir).and_then(|run| run.read_hosts()).unwrap_or_default();
    let name = hosts.into_iter().map(|host| host.name).find(|name| !name.is_empty());
    name.unwrap_or_else(|| "host".to_owned())
}

/// A run's plan without the line that marks its directory.
fn plan(dir: &Path) -> String {
    let mut text = String::new();
    let read =
        File::open(dir.join("run.toml")).and_then(|file| file.take(PLAN_MAX_BYTES).read_to_string(&mut text));
    match read {
        Ok(_) => text.split_once('\n').map(|(_, plan)| plan.to_owned()).unwrap_or_default(),
        Err(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn hosts_of_equal_name_are_numbered_and_given_names_kept() {
        let dir = tempfile::tempdir().unwrap();
        let run = |name: Option<&str>| (name.map(str::to_owned), dir.path().to_path_buf());
        let by_hand =
            ByHand { runs: vec![run(None), run(Some("edit")), run(None)], clocks_within_ns: Some(5) };
        let shares = by_hand.shares();
        assert_eq!(
            shares.iter().map(|share| share.name.as_str()).collect::<Vec<_>>(),
            ["host-1", "edit", "host-2"]
        );
        assert_eq!(shares[0].clock_before.unwrap().uncertainty_ns, 5);
        assert_eq!(ByHand::default().shares(), Vec::<AgentShare>::new());
    }

    #[test]
    fn a_plan_in_common_is_kept() {
        let dir = tempfile::tempdir().unwrap();
        let written = |name: &str, plan: &str| {
            let path = dir.path().join(name);
            std::fs::create_dir(&path).unwrap();
            RunDir::begin_at(&path).unwrap().write_plan(plan).unwrap();
            (None, path)
        };
        let one = written("one", "seed = 1\ntarget = \"/mnt/a\"\ndirect = true\n");
        let two = written("two", "seed = 2\ntarget = \"/mnt/b\"\ndirect = true\n");
        let other = written("other", "seed = 1\ndirect = false\n");
        let plan = |runs: &[&(Option<String>, PathBuf)]| {
            let runs = runs.iter().map(|run| (*run).clone()).collect();
            ByHand { runs, clocks_within_ns: None }.plan_toml()
        };
        assert!(plan(&[&one, &two]).contains("direct = true"));
        assert!(plan(&[&one, &other]).contains("plans/"));
    }
}
