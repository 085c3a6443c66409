//! A plan for a fleet: which agent does what, and on which target. From its file to one plan of a single
//! host for each agent.
//!
//! ```toml
//! [fleet]
//! on_loss = "go-on"                # or "stop": the run stops when an agent is missing
//! begin = "present"                # or "all": wait until every agent of the plan is there
//!
//! [[group]]
//! name = "edit"
//! agents = ["edit-01", "edit-02"]  # default: all present agents that are in no other group
//! plan = "edit.toml"               # the plan of one host, next to this file, or the name of a scenario
//! targets = ["/mnt/a", "/mnt/b"]   # distributed evenly; default: the plan's own target
//! place = "each"                   # each agent does the whole plan; or "share": its counts are divided
//! data = "own"                     # each makes its own test files; or "shared": the first makes all
//!
//! [[observer]]                     # loads nothing, and samples counters on a server
//! agents = ["nas1"]
//! path = "/srv/media"              # whose disks; default: all disks of the host
//! ```
//!
//! `{agent}` in a target is replaced by the agent's name. With `[[step]]` ([`super::steps`]) it is
//! several runs. Pure. Not here: what an agent's owner allows (the limits).

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};
use reelgauge_runner::remote_control::sha256;
use reelgauge_workload::plan::{ClientFiles, Plan, PlanError, SharedData};
use reelgauge_workload::range::Ramp;
use reelgauge_workload::scenario::scenario;
use reelgauge_workload::streams::{AnyPlan, StreamsPlan};
use serde::{Deserialize, Serialize};

use super::conduct::{AgentTask, OnLoss};
use super::observers::{self, ObserverError, ObserverTable};
use super::steps::{Step, StepError};
use crate::protocol::START_AHEAD;
use crate::search::{FleetSearch, share_of};

/// A plan for a fleet, as in its file.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FleetPlan {
    /// Settings for all agents.
    #[serde(default)]
    pub fleet: FleetTable,
    /// The groups of agents.
    #[serde(rename = "group")]
    pub groups: Vec<Group>,
    /// The agents that sample counters during the run.
    #[serde(rename = "observer", default)]
    pub observers: Vec<ObserverTable>,
    /// Runs, one after another; without steps, one run of the groups' own plans.
    #[serde(rename = "step", default)]
    pub steps: Vec<Step>,
}

/// Settings for all agents.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct FleetTable {
    /// What happens when an agent is missing.
    pub on_loss: OnLoss,
    /// The agents that must be present before the run begins.
    pub begin: BeginWith,
}

/// The agents that must be present before a run begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum BeginWith {
    /// Only agents that are connected; an agent that is named but absent counts as missing.
    #[default]
    Present,
    /// All: the controller waits until every agent of the plan is there.
    All,
}

/// Agents that do the same.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Group {
    pub name: Option<String>,
    /// Its agents; empty means all remaining agents.
    pub agents: Vec<String>,
    /// The plan of one host.
    pub plan: PathBuf,
    /// The targets, distributed evenly.
    pub targets: Vec<PathBuf>,
    /// How the plan's workers are placed.
    pub place: Placement,
    /// The agent whose test files they use.
    pub data: TestData,
}

/// The owner of the test files that the agents of a group use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum TestData {
    /// Each makes its own.
    #[default]
    Own,
    /// The first agent of the group makes them in its area, and the others use them there. Their targets
    /// are the same directory of the same storage. If each worker has its own file, those of all agents
    /// are there.
    Shared,
}

/// How a plan's workers are placed on the agents of a group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Placement {
    /// Each agent does the whole plan.
    #[default]
    Each,
    /// The workers or the scale of each load point are dealt out to the agents in turn.
    Share,
}

/// The reason why a plan for a fleet is invalid.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FleetPlanError {
    /// The text is not a fleet plan.
    #[error("not a fleet plan: {0}")]
    Toml(Box<toml::de::Error>),
    /// No agent has work to do.
    #[error("no agent has work to do. Name some in 'agents', or start some with 'reelgauge agent'")]
    Nobody,
    /// No agent has this name.
    #[error(
        "{agent} is not an agent of this fleet, which has {}. Add it with 'reelgauge fleet add {agent}'",
        known.join(", ")
    )]
    Unknown {
        /// The unknown name.
        agent: String,
        /// The names that exist.
        known: Vec<String>,
    },
    /// An agent in two groups.
    #[error("agent {0} is in two groups. Remove it from one; an agent does only one thing at a time")]
    Twice(String),
    /// An agent that cannot observe.
    #[error(transparent)]
    Observer(#[from] ObserverError),
    /// A file that can't be read.
    #[error("{path}: {why}")]
    Unread {
        /// The path of the file.
        path: PathBuf,
        why: String,
    },
    /// A group without a plan.
    #[error("a group has no plan. Name one in its 'plan', or in the 'workload' of every step")]
    NoPlan,
    /// Two groups for the remaining agents.
    #[error("two groups name no agents. Only one group can take the remaining agents")]
    TwoForTheRest,
    /// The plan of one host is invalid.
    #[error("{plan}: {source}")]
    Plan {
        /// The plan, as the fleet's plan names it.
        plan: String,
        source: PlanError,
    },
    /// A step that does not fit its workload.
    #[error("{plan}: {source}")]
    Step {
        /// The plan, as the fleet's plan names it.
        plan: String,
        source: Box<StepError>,
    },
    /// A search together with other work, or two searches.
    #[error(
        "a search runs on all agents together, so all groups must have the same plan (targets may differ). \
         Remove the groups that differ, or move them to their own [[step]]"
    )]
    SearchesDiffer,
    /// A plan that a fleet cannot carry out.
    #[error("{plan}: {why}")]
    Unfit {
        /// The plan, as the fleet's plan names it.
        plan: String,
        /// The reason, and the remedy.
        why: String,
    },
}

/// The texts of plans of one host, by the names that a plan for a fleet gives them.
pub type PlanTexts = BTreeMap<String, String>;

/// The time and space that a run needs, as far as that is known in advance.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Taken {
    /// Seconds of its load points and the pauses between them, without making files; `None` if unknown.
    pub seconds: Option<f64>,
    /// Bytes of files that are made, at most; `None` if unknown.
    pub bytes: Option<u64>,
}

/// The task of one agent, with its group and target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Placed {
    /// The task that the controller sends it.
    pub part: AgentTask,
    pub group: Option<String>,
    pub target: PathBuf,
    /// How many load points it has.
    pub points: usize,
    /// Its share of a search for the largest count, up to this total of all agents if the plan limits
    /// it. Its load points are then trials, and their number is unknown.
    #[serde(default)]
    pub seeks: Option<SeeksUpTo>,
}

/// The upper bound of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeeksUpTo {
    /// The largest count to try; `None` if the agents report their limits.
    pub cap: Option<u32>,
}

impl FleetPlan {
    /// Parses the text of its file.
    ///
    /// # Errors
    /// If it is not a valid plan.
    pub fn from_toml(text: &str) -> Result<FleetPlan, FleetPlanError> {
        toml::from_str(text).map_err(|error| FleetPlanError::Toml(Box::new(error)))
    }

    /// Reads its file; returns the text, too.
    ///
    /// # Errors
    /// If it can't be read, or is not a valid plan.
    pub fn open(path: &Path) -> Result<(FleetPlan, String), FleetPlanError> {
        let text = text_of(path)?;
        Ok((FleetPlan::from_toml(&text)?, text))
    }

    /// Checks that every agent it names is one of these, which are all agents of the fleet.
    ///
    /// # Errors
    /// If an agent is unknown.
    pub fn check_known(&self, known: &[String]) -> Result<(), FleetPlanError> {
        let observers = self.observers.iter().flat_map(|observer| &observer.agents);
        let mut named = self.groups.iter().flat_map(|group| &group.agents).chain(observers);
        match named.find(|agent| !known.contains(agent)) {
            Some(agent) => Err(FleetPlanError::Unknown { agent: agent.clone(), known: known.to_vec() }),
            None => Ok(()),
        }
    }

    /// The agents that the run waits for: agents of the plan that are absent. A group that names no
    /// agents includes every other agent of the fleet. `known`: all agents of the fleet; `there`: those
    /// that answered.
    pub fn waits_for(&self, known: &[String], there: &[String]) -> Vec<String> {
        if self.fleet.begin == BeginWith::Present {
            return Vec::new();
        }
        let observers = self.observers.iter().flat_map(|observer| &observer.agents);
        let named: Vec<&String> =
            self.groups.iter().flat_map(|group| &group.agents).chain(observers).collect();
        let has_rest = self.groups.iter().any(|group| group.agents.is_empty());
        let is_missing = |agent: &&String| (has_rest || named.contains(agent)) && !there.contains(agent);
        known.iter().filter(is_missing).cloned().collect()
    }

    /// The texts of all plans of one host that it names: files next to its own, or scenarios.
    ///
    /// # Errors
    /// If one can't be read, and no scenario has its name.
    pub fn texts_beside(&self, path: &Path) -> Result<PlanTexts, FleetPlanError> {
        let beside = path.parent().unwrap_or(Path::new(""));
        let once = [Step::default()];
        let steps = if self.steps.is_empty() { &once[..] } else { &self.steps };
        let mut texts = PlanTexts::new();
        for name in steps.iter().flat_map(|step| self.groups.iter().map(|group| step.plan(&group.plan))) {
            if name.as_os_str().is_empty() {
                return Err(FleetPlanError::NoPlan);
            }
            let file = beside.join(name);
            let of_scenario = || name.to_str().filter(|_| !file.exists()).and_then(scenario);
            let text = match of_scenario() {
                Some(scenario) => scenario.text.to_owned(),
                None => text_of(&file)?,
            };
            texts.insert(name.display().to_string(), text);
        }
        Ok(texts)
    }

    /// The tasks of the observers.
    ///
    /// # Errors
    /// If an agent is named twice.
    pub fn observer_parts(&self) -> Result<Vec<AgentTask>, FleetPlanError> {
        let named: Vec<String> = self.groups.iter().flat_map(|group| group.agents.clone()).collect();
        Ok(observers::parts(&self.observers, &named)?)
    }

    /// The task of each agent in one of a step's runs; without a step, in the only run. `there`: the
    /// agents that are available; `texts`: the plans that it names.
    ///
    /// # Errors
    /// If a fleet cannot carry out the plan.
    pub fn placed(
        &self,
        there: &[String],
        texts: &PlanTexts,
        step: Option<(&Step, u32)>,
    ) -> Result<Vec<Placed>, FleetPlanError> {
        let once = Step::default();
        let (step, round) = step.unwrap_or((&once, 0));
        let named: Vec<&String> = self.groups.iter().flat_map(|group| &group.agents).collect();
        if let Some(twice) = named.iter().enumerate().find(|(at, name)| named[..*at].contains(name)) {
            return Err(FleetPlanError::Twice((*twice.1).clone()));
        }
        if self.groups.iter().filter(|group| group.agents.is_empty()).count() > 1 {
            return Err(FleetPlanError::TwoForTheRest);
        }
        let observe: Vec<&String> = self.observers.iter().flat_map(|table| &table.agents).collect();
        let is_left = |name: &&String| !named.contains(name) && !observe.contains(name);
        let rest: Vec<String> = there.iter().filter(is_left).cloned().collect();
        let mut placed = Vec::new();
        for group in &self.groups {
            let agents = if group.agents.is_empty() { &rest } else { &group.agents };
            let name = step.plan(&group.plan).display().to_string();
            let text = texts.get(&name).ok_or(FleetPlanError::NoPlan)?;
            for (at, agent) in agents.iter().enumerate() {
                let mut plan = AnyPlan::from_toml(text)
                    .map_err(|source| FleetPlanError::Plan { plan: name.clone(), source })?;
                step.put_into(&mut plan, round).map_err(|source| FleetPlanError::Step {
                    plan: name.clone(),
                    source: Box::new(source),
                })?;
                let targets = if step.targets.is_empty() { &group.targets } else { &step.targets };
                let group = Group { targets: targets.clone(), ..group.clone() };
                placed.push(group.place(&name, plan, agent, (at, agents.len()), placed.len())?);
            }
        }
        search_of(&placed)?;
        if placed.is_empty() { Err(FleetPlanError::Nobody) } else { Ok(placed) }
    }
}

/// The forecast of a run of these tasks: as long as the longest, as much space as all together; `None`
/// if the part of one agent is unknown in advance.
pub fn forecast(placed: &[Placed]) -> Option<Forecast> {
    let all = placed.iter().map(Placed::forecast).collect::<Option<Vec<Forecast>>>()?;
    all.into_iter().reduce(|sum, one| Forecast {
        time: match (sum.time, one.time) {
            (TimeAhead::Planned { s: first }, TimeAhead::Planned { s: second }) => {
                TimeAhead::Planned { s: first.max(second) }
            }
            _ => TimeAhead::Unknown,
        },
        least_files_bytes: sum.least_files_bytes.saturating_add(one.least_files_bytes),
        most_files_bytes: sum.most_files_bytes.saturating_add(one.most_files_bytes),
        new_files_bytes: sum.new_files_bytes.saturating_add(one.new_files_bytes),
        load: match (sum.load, one.load) {
            (LoadAhead::AtMost(first), LoadAhead::AtMost(second)) => {
                LoadAhead::AtMost(first.saturating_add(second))
            }
            _ => LoadAhead::Unbounded,
        },
        memory_bytes: sum.memory_bytes.max(one.memory_bytes),
        max_bytes_per_s: None,
    })
}

/// The time and space of a run of these tasks: as long as the longest, as much space as all together.
pub fn taken(placed: &[Placed]) -> Taken {
    let of_each = placed.iter().map(Placed::taken);
    let all = |sum: Taken, one: Taken| Taken {
        seconds: sum.seconds.zip(one.seconds).map(|(sum, one)| sum.max(one)),
        bytes: sum.bytes.zip(one.bytes).map(|(sum, one)| sum.saturating_add(one)),
    };
    of_each.fold(Taken { seconds: Some(0.0), bytes: Some(0) }, all)
}

impl Placed {
    /// The forecast of its part; `None` if it depends on a trace that only the agent has.
    pub fn forecast(&self) -> Option<Forecast> {
        let mut ahead = reelgauge_runner::estimate::of_plan(self.plan()?).ok()?;
        let starts_s = START_AHEAD.as_secs_f64() * self.points as f64;
        match &mut ahead.time {
            TimeAhead::Planned { s } => *s += starts_s,
            TimeAhead::Between { least_s, most_s, .. } => {
                (*least_s, *most_s) = (*least_s + starts_s, *most_s + starts_s);
            }
            TimeAhead::Unknown => {}
        }
        Some(ahead)
    }

    /// Its clients or scale in each load point; empty for a trace and a search.
    pub fn clients(&self) -> Vec<u32> {
        match self.plan() {
            Some(AnyPlan::Mix(plan)) => (0..plan.points()).map(|point| plan.workers_at(point)).collect(),
            Some(AnyPlan::Streams(plan)) => plan.scale.0,
            Some(AnyPlan::Replay(_)) | None => Vec::new(),
        }
    }

    fn plan(&self) -> Option<AnyPlan> {
        AnyPlan::from_toml(&self.part.plan_toml).ok()
    }

    fn taken(&self) -> Taken {
        // A mix overwrites its files in place.
        let is_mix = matches!(self.plan(), Some(AnyPlan::Mix(_)));
        let Some(ahead) = self.forecast() else {
            return Taken::default();
        };
        let seconds = match ahead.time {
            TimeAhead::Planned { s } => Some(s),
            TimeAhead::Between { most_s, or_longer: false, .. } => Some(most_s),
            TimeAhead::Between { or_longer: true, .. } | TimeAhead::Unknown => None,
        };
        let written = match ahead.load {
            LoadAhead::AtMost(bytes) => Some(bytes),
            LoadAhead::Unbounded if is_mix => Some(0),
            LoadAhead::Unbounded => None,
        };
        Taken { seconds, bytes: written.map(|bytes| bytes.saturating_add(ahead.most_files_bytes)) }
    }
}

fn text_of(path: &Path) -> Result<String, FleetPlanError> {
    std::fs::read_to_string(path)
        .map_err(|error| FleetPlanError::Unread { path: path.to_path_buf(), why: error.to_string() })
}

impl Group {
    /// One agent's share: the agent has index `at` of `count` in this group, and `number` among all.
    fn place(
        &self,
        name: &str,
        plan: AnyPlan,
        agent: &str,
        (at, count): (usize, usize),
        number: usize,
    ) -> Result<Placed, FleetPlanError> {
        let unfit = |why: &str| FleetPlanError::Unfit { plan: name.to_owned(), why: why.to_owned() };
        let failed = |source| FleetPlanError::Plan { plan: name.to_owned(), source };
        if self.data == TestData::Shared && !matches!(plan, AnyPlan::Mix(_)) {
            return Err(unfit("agents can share only the test files of a mix; remove data = \"shared\""));
        }
        if self.place == Placement::Share && matches!(plan, AnyPlan::Replay(_)) {
            return Err(unfit("a trace cannot be split among agents; use place = \"each\""));
        }
        let target = |own: &Path| {
            let target = if self.targets.is_empty() { own } else { &self.targets[at % self.targets.len()] };
            PathBuf::from(target.to_string_lossy().replace("{agent}", agent))
        };
        let number = number as u64;
        let mut seeks = None;
        let (target, points, plan_toml) = match plan {
            AnyPlan::Mix(mut plan) => {
                if self.data == TestData::Shared {
                    if self.targets.iter().chain([&plan.target]).any(|path| names_agent(path)) {
                        return Err(unfit(
                            "data = \"shared\" needs one directory for all agents, without {agent}",
                        ));
                    }
                    let is_owner = at < self.targets.len().max(1);
                    let clients = self.client_files(&plan, at, count);
                    plan.shared_data = Some(SharedData { seed: plan.seed, is_owner, run: None, clients });
                }
                plan.target = target(&plan.target);
                // Different seeds: no agent repeats the operations of another.
                plan.seed = plan.seed.wrapping_add(number);
                if self.place == Placement::Share {
                    plan.workers = share(&plan.workers, at, count).map_err(|why| unfit(&why))?;
                }
                if plan.shared_data.is_some() {
                    plan.check_shared_data().map_err(failed)?;
                }
                (plan.target.clone(), plan.points(), plan.to_toml().map_err(failed)?)
            }
            AnyPlan::Streams(mut plan) => {
                match (plan.find_max, self.place) {
                    (Some(_), Placement::Each) => {
                        return Err(unfit(
                            "a search finds the total number of streams of all agents, so the streams must \
                             be split among them. Use place = \"share\"",
                        ));
                    }
                    (None, Placement::Share) => {
                        plan.scale = share(&plan.scale, at, count).map_err(|why| unfit(&why))?;
                    }
                    (Some(_), Placement::Share) | (None, Placement::Each) => {}
                }
                plan.target = target(&plan.target);
                plan.seed = plan.seed.wrapping_add(number);
                seeks = plan.find_max.map(|wanted| SeeksUpTo { cap: wanted.cap });
                (plan.target.clone(), plan.scale.0.len(), plan.to_toml().map_err(failed)?)
            }
            AnyPlan::Replay(mut plan) => {
                plan.target = target(&plan.target);
                plan.seed = plan.seed.wrapping_add(number);
                (plan.target.clone(), 1, plan.to_toml().map_err(failed)?)
            }
        };
        if target.as_os_str().is_empty() {
            return Err(unfit("it has no target; list directories in 'targets'"));
        }
        let plan_sha256 = sha256(plan_toml.as_bytes());
        let part = AgentTask { agent: agent.to_owned(), plan_sha256, plan_toml };
        Ok(Placed { part, group: self.name.clone(), target, points, seeks })
    }
}

impl Group {
    /// The files of one agent's workers among those of all agents with its target; `None` if the workers
    /// use the same files.
    fn client_files(&self, plan: &Plan, at: usize, count: usize) -> Option<ClientFiles> {
        if plan.mix.shared_file || plan.mix.files.is_some() {
            return None;
        }
        let (most, targets) = (plan.workers_max(), self.targets.len().max(1));
        let workers = |at: usize| match self.place {
            Placement::Share => share_of(most, at, count),
            Placement::Each => most,
        };
        let number = |of: usize| u32::try_from(of).unwrap_or(u32::MAX);
        let same: Vec<u32> = (at % targets..count).step_by(targets).map(workers).collect();
        let apart = number(same.len());
        let files_of = |(first, &workers): (usize, &u32)| {
            let last = workers.checked_sub(1)?;
            Some(ClientFiles { files: 0, first: number(first), apart }.of(last).saturating_add(1))
        };
        let files = same.iter().enumerate().filter_map(files_of).max().unwrap_or(0);
        Some(ClientFiles { files, first: number(at / targets), apart })
    }
}

/// Whether a target is a different directory for each agent.
pub fn names_agent(target: &Path) -> bool {
    target.to_string_lossy().contains("{agent}")
}

/// An agent's share of a ramp: of the workers of each load point, or of its scale. Each agent receives
/// one before any receives two, so if there are fewer than agents, the last agents have nothing to do.
fn share(ramp: &Ramp, at: usize, count: usize) -> Result<Ramp, String> {
    if ramp.0.contains(&0) {
        return Err("a load point has a count of 0; use at least 1".to_owned());
    }
    let most = ramp.0.iter().copied().max().unwrap_or(0);
    if (most as usize) < count {
        return Err(format!(
            "a count of {most} cannot be split among {count} agents: some would never have work. Use a \
             larger count, or fewer agents"
        ));
    }
    Ok(Ramp(ramp.0.iter().map(|&all| share_of(all, at, count)).collect()))
}

/// The search of all these tasks together; `None` if they do not search.
///
/// # Errors
/// If their searches differ.
pub fn search_of(placed: &[Placed]) -> Result<Option<FleetSearch>, FleetPlanError> {
    let plans = placed.iter().filter_map(|placed| AnyPlan::from_toml(&placed.part.plan_toml).ok());
    let plans: Vec<AnyPlan> = plans.collect();
    let searching = |plan: &AnyPlan| match plan {
        AnyPlan::Streams(plan) => plan.find_max.map(|_| plan.clone()),
        AnyPlan::Mix(_) | AnyPlan::Replay(_) => None,
    };
    let Some(first) = plans.iter().find_map(searching) else { return Ok(None) };
    let is_same = |plan: &AnyPlan| {
        let own = |plan: StreamsPlan| StreamsPlan { target: first.target.clone(), seed: first.seed, ..plan };
        searching(plan).is_some_and(|plan| own(plan) == first)
    };
    match plans.iter().all(is_same) {
        true => Ok(FleetSearch::of(&first)),
        false => Err(FleetPlanError::SearchesDiffer),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::plan::Plan;

    use super::*;

    fn mix(workers: &str) -> String {
        MIX.replace("workers = \"4\"", &format!("workers = \"{workers}\""))
    }

    const MIX: &str = r#"
        plan_version = 1
        written_by = ""
        target = "/mnt/own"
        seed = 7
        driver = "threads"
        workers = "4"
        warmup = "0s"
        duration = "1s"
        hang_after = "30s"
        verify = false
        log = true
        [mix]
        profile = "custom"
        max_length = "1MiB"
        blocks = "64KiB"
        writes = 0
        random = 0
        max_delay = "0s"
        file_size = "16MiB"
        sync = "none"
    "#;

    fn placed(text: &str, there: &[&str], plan: &str) -> Result<Vec<Placed>, FleetPlanError> {
        placed_in(text, there, plan, None)
    }

    /// The task of each agent in a run of a step.
    fn placed_in(
        text: &str,
        there: &[&str],
        plan: &str,
        step: Option<(usize, u32)>,
    ) -> Result<Vec<Placed>, FleetPlanError> {
        let there: Vec<String> = there.iter().map(|&name| name.to_owned()).collect();
        let fleet = FleetPlan::from_toml(text)?;
        let texts = ["p", "p.toml", "q"].map(|name| (name.to_owned(), plan.to_owned())).into();
        fleet.placed(&there, &texts, step.map(|(at, round)| (&fleet.steps[at], round)))
    }

    #[test]
    fn a_step_sets_workload_ramp_and_hold_and_repetitions_have_other_seeds() {
        let text = "[[group]]\ntargets = [\"/a/{agent}\"]\n\
                    [[step]]\nworkload = \"p\"\nramp = \"1,5\"\nhold = \"7s\"\nrepeat = 2\n\
                    [[step]]\nworkload = \"q\"\n";
        let plan = |step: usize, round: u32| {
            let placed = placed_in(text, &["x", "y"], &mix("4"), Some((step, round))).unwrap();
            placed.iter().map(|placed| Plan::from_toml(&placed.part.plan_toml).unwrap()).collect::<Vec<_>>()
        };
        let (first, again, second) = (plan(0, 0), plan(0, 1), plan(1, 0));
        assert!(
            first
                .iter()
                .chain(&again)
                .all(|plan| plan.workers.0 == [1, 5] && plan.duration.0 == 7_000_000_000)
        );
        assert!(second.iter().all(|plan| plan.workers.0 == [4] && plan.duration.0 == 1_000_000_000));
        let mut seeds: Vec<u64> = first.iter().chain(&again).map(|plan| plan.seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), 4, "nobody repeats another, and no repetition the one before");
    }

    #[test]
    fn the_targets_of_a_step_replace_those_of_the_groups() {
        let text = "[[group]]\ntargets = [\"/a/{agent}\", \"/b\"]\n[[step]]\nworkload = \"p\"\n\
                    targets = [\"/a/{agent}\"]\n[[step]]\nworkload = \"p\"\n";
        let targets = |step: usize| {
            let placed = placed_in(text, &["x", "y"], &mix("4"), Some((step, 0))).unwrap();
            placed.iter().map(|placed| placed.target.display().to_string()).collect::<Vec<_>>()
        };
        assert_eq!(
            (targets(0).join(" "), targets(1).join(" ")),
            ("/a/x /a/y".to_owned(), "/a/x /b".to_owned())
        );
    }

    #[test]
    fn the_forecast_has_the_longest_time_and_the_total_space() {
        let text = "[[group]]\nplan = \"p\"\n";
        let placed = placed(text, &["x", "y", "z"], &mix("1..3")).unwrap();
        let taken = taken(&placed);
        // Three load points of a second, each agreed on three seconds in advance.
        assert_eq!(taken.seconds, Some(12.0));
        // A file of 16 MiB for each of three workers.
        assert_eq!(taken.bytes, Some(3 * 3 * (16 << 20)));
    }

    #[test]
    fn every_named_agent_must_belong_to_the_fleet() {
        let known = ["x".to_owned(), "y".to_owned()];
        let checked = |text: &str| FleetPlan::from_toml(text).unwrap().check_known(&known);
        assert!(checked("[[group]]\nagents = [\"x\"]\n[[observer]]\nagents = [\"y\"]\n").is_ok());
        let error = checked("[[group]]\nagents = [\"x\", \"z\"]\n").unwrap_err();
        assert!(
            matches!(error, FleetPlanError::Unknown { agent, known } if agent == "z" && known == ["x", "y"])
        );
        assert!(checked("[[group]]\n[[observer]]\nagents = [\"z\"]\n").is_err());
    }

    #[test]
    fn a_run_waits_for_all_agents_only_if_the_plan_requires_it() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<String>>();
        let known = names(&["x", "y", "z"]);
        let waits =
            |text: &str, there: &[&str]| FleetPlan::from_toml(text).unwrap().waits_for(&known, &names(there));
        let named = "[[group]]\nagents = [\"x\"]\n[[observer]]\nagents = [\"y\"]\n";
        let all = format!("[fleet]\nbegin = \"all\"\n{named}");
        assert!(waits(named, &[]).is_empty());
        assert_eq!(waits(&all, &["z"]), ["x", "y"]);
        assert!(waits(&all, &["y", "x"]).is_empty());
        assert_eq!(waits("[fleet]\nbegin = \"all\"\n[[group]]\nplan = \"p\"\n", &["x"]), ["y", "z"]);
    }

    #[test]
    fn a_scenario_is_a_plan_unless_a_file_has_its_name() {
        let folder = tempfile::tempdir().unwrap();
        let fleet = FleetPlan::from_toml("[[group]]\nplan = \"newsroom\"\n").unwrap();
        let texts = || fleet.texts_beside(&folder.path().join("night.toml"));
        assert!(matches!(AnyPlan::from_toml(&texts().unwrap()["newsroom"]), Ok(AnyPlan::Streams(_))));
        std::fs::write(folder.path().join("newsroom"), "mine").unwrap();
        assert_eq!(texts().unwrap()["newsroom"], "mine");
        let unknown = FleetPlan::from_toml("[[group]]\nplan = \"opera\"\n").unwrap();
        let error = unknown.texts_beside(&folder.path().join("night.toml")).unwrap_err();
        assert!(matches!(error, FleetPlanError::Unread { .. }), "{error}");
    }

    #[test]
    fn a_group_without_a_plan_has_nothing_to_do() {
        let fleet = FleetPlan::from_toml("[[group]]\nname = \"a\"\n").unwrap();
        let error = fleet.texts_beside(Path::new("/nowhere/night.toml")).unwrap_err();
        assert!(matches!(error, FleetPlanError::NoPlan), "{error}");
        assert!(matches!(placed("[[group]]\n", &["x"], &mix("1")), Err(FleetPlanError::NoPlan)));
    }

    #[test]
    fn targets_are_distributed_evenly_and_seeds_differ() {
        let text = "[[group]]\nplan = \"p.toml\"\ntargets = [\"/a/{agent}\", \"/b\"]\n";
        let placed = placed(text, &["x", "y", "z"], &mix("4")).unwrap();
        let targets: Vec<&str> = placed.iter().map(|placed| placed.target.to_str().unwrap()).collect();
        assert_eq!(targets, ["/a/x", "/b", "/a/z"]);
        let seeds = placed.iter().map(|placed| Plan::from_toml(&placed.part.plan_toml).unwrap().seed);
        assert_eq!(seeds.collect::<Vec<_>>(), [7, 8, 9]);
        assert!(
            placed.iter().all(|placed| sha256(placed.part.plan_toml.as_bytes()) == placed.part.plan_sha256)
        );
    }

    #[test]
    fn the_first_agent_of_a_target_makes_the_test_files_of_all() {
        let shared = |fleet: &str, plan: &str| {
            let text = format!("[[group]]\nplan = \"p\"\ndata = \"shared\"\n{fleet}");
            placed(&text, &["a", "b", "c"], plan)
        };
        let owners = |placed: Vec<Placed>| {
            let plan = |placed: Placed| Plan::from_toml(&placed.part.plan_toml).unwrap();
            let of = |plan: Plan| (plan.seed, plan.data_seed(), plan.shared_data.unwrap().is_owner);
            placed.into_iter().map(plan).map(of).collect::<Vec<_>>()
        };
        let plan = mix("4") + "shared_file = true\n";
        let one = owners(shared("targets = [\"/a\"]", &plan).unwrap());
        assert_eq!(one, [(7, 7, true), (8, 7, false), (9, 7, false)]);
        let two = owners(shared("targets = [\"/a\", \"/b\"]", &plan).unwrap());
        assert_eq!(two, [(7, 7, true), (8, 7, true), (9, 7, false)]);
        let why = |fleet: &str, plan: &str| shared(fleet, plan).unwrap_err().to_string();
        assert!(why("targets = [\"/a/{agent}\"]", &plan).contains("one directory for all"));
        let verifies = plan.replace("verify = false", "verify = true").replace("writes = 0", "writes = 50");
        assert!(why("", &verifies).contains("would find blocks"), "{}", why("", &verifies));
    }

    #[test]
    fn every_worker_of_all_agents_has_a_separate_file_in_shared_data() {
        let files = |fleet: &str, agents: &[&str], workers: &str| -> Vec<(Vec<u32>, u32)> {
            let text = format!("[[group]]\nplan = \"p\"\ndata = \"shared\"\n{fleet}");
            let of = |placed: Placed| {
                let plan = Plan::from_toml(&placed.part.plan_toml).unwrap();
                let clients = plan.client_files().unwrap();
                ((0..plan.workers_max()).map(|client| clients.of(client)).collect(), plan.files())
            };
            placed(&text, agents, &mix(workers)).unwrap().into_iter().map(of).collect()
        };
        let share = "place = \"share\"\n";
        // 5 workers on two agents: 3 and 2.
        assert_eq!(files(share, &["a", "b"], "1..5"), [(vec![0, 2, 4], 5), (vec![1, 3], 5)]);
        assert_eq!(files("", &["a", "b"], "2"), [(vec![0, 2], 4), (vec![1, 3], 4)]);
        // On two targets, each with its own files: a and c share the first.
        let two = format!("{share}targets = [\"/x\", \"/y\"]\n");
        let of_two = files(&two, &["a", "b", "c"], "4");
        assert_eq!(of_two, [(vec![0, 2], 3), (vec![0], 1), (vec![1], 3)]);
        for (agents, workers) in [(1, 1), (2, 7), (3, 40), (7, 9)] {
            let names: Vec<String> = (0..agents).map(|number| format!("a{number}")).collect();
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let all = files(share, &names, &workers.to_string());
            let mut each: Vec<u32> = all.iter().flat_map(|(files, _)| files.clone()).collect();
            each.sort_unstable();
            assert_eq!(each, (0..workers).collect::<Vec<u32>>(), "{agents} agents");
            assert!(all.iter().all(|(_, files)| *files == workers));
        }
    }

    #[test]
    fn blocks_that_are_visited_once_are_not_shared() {
        let text = "[[group]]\nplan = \"p\"\ndata = \"shared\"\n";
        let once = mix("4").replace("random = 0", "random = 100") + "no_repeat = true\n";
        assert!(placed(text, &["x", "y"], &once).is_ok());
        let error = placed(text, &["x", "y"], &(once + "shared_file = true\n")).unwrap_err();
        assert!(error.to_string().contains("every block"), "{error}");
    }

    #[test]
    fn workers_are_shared_out_in_turns_at_every_load_point() {
        let text = "[[group]]\nplan = \"p.toml\"\nplace = \"share\"\n";
        let all = placed(text, &["x", "y", "z"], &mix("3..5")).unwrap();
        let ramps = all.iter().map(|placed| Plan::from_toml(&placed.part.plan_toml).unwrap().workers.0);
        assert_eq!(ramps.collect::<Vec<_>>(), [vec![1, 2, 2], vec![1, 1, 2], vec![1, 1, 1]]);
        assert!(all.iter().all(|placed| placed.points == 3));
    }

    #[test]
    fn agents_beyond_the_worker_count_are_idle() {
        let text = "[[group]]\nplan = \"p.toml\"\nplace = \"share\"\n";
        let all = placed(text, &["x", "y", "z"], &mix("1..4")).unwrap();
        let ramps = all.iter().map(|placed| Plan::from_toml(&placed.part.plan_toml).unwrap().workers.0);
        assert_eq!(ramps.collect::<Vec<_>>(), [vec![1, 1, 1, 2], vec![0, 1, 1, 1], vec![0, 0, 1, 1]]);
        let error = placed(text, &["x", "y", "z"], &mix("1..2")).unwrap_err();
        assert!(error.to_string().contains("2 cannot be split among 3"), "{error}");
        let error = placed(text, &["x"], &mix("0,2")).unwrap_err();
        assert!(error.to_string().contains("a count of 0"), "{error}");
    }

    const PLAYERS: &str = "plan_version = 1\ntarget = \"/mnt/own\"\nSCALE\n[[actor]]\nkind = \"player\"\n\
                           format = \"prores-422-hq-uhd-25\"\n";

    #[test]
    fn a_scale_is_shared_out_as_workers_are() {
        let text = "[[group]]\nplan = \"p.toml\"\nplace = \"share\"\n";
        let all = placed(text, &["x", "y"], &PLAYERS.replace("SCALE", "scale = \"1,4\"")).unwrap();
        let scale = |placed: &Placed| match AnyPlan::from_toml(&placed.part.plan_toml).unwrap() {
            AnyPlan::Streams(plan) => plan.scale.0,
            _ => Vec::new(),
        };
        assert_eq!(all.iter().map(scale).collect::<Vec<_>>(), [[1, 2], [0, 2]]);
        assert_eq!(search_of(&all).unwrap(), None);
    }

    #[test]
    fn a_search_is_shared_out_and_is_one_of_all_agents() {
        let search = PLAYERS.replace("SCALE", "find_max = { cap = 9 }");
        let share =
            |agents: &str| format!("[[group]]\nagents = [{agents}]\nplan = \"p\"\nplace = \"share\"\n");
        let each = placed("[[group]]\nplan = \"p\"\n", &["x"], &search).unwrap_err();
        assert!(each.to_string().contains("place = \"share\""), "{each}");
        let two = format!("{}{}", share("\"x\""), share("\"y\""));
        let all = placed(&two, &[], &search).unwrap();
        assert!(search_of(&all).unwrap().is_some());
        assert!(all.iter().all(|placed| placed.part.plan_toml.contains("find_max")));
        // Another group with different work.
        let texts = [("p".to_owned(), search), ("q".to_owned(), mix("2"))].into();
        let other = "[[group]]\nagents = [\"y\"]\nplan = \"q\"\n";
        let fleet = FleetPlan::from_toml(&format!("{}{other}", share("\"x\""))).unwrap();
        let error = fleet.placed(&[], &texts, None).unwrap_err();
        assert!(matches!(error, FleetPlanError::SearchesDiffer), "{error}");
    }

    #[test]
    fn remaining_agents_are_in_the_group_that_names_none() {
        let text = "[[group]]\nagents = [\"y\"]\nname = \"one\"\nplan = \"p\"\n[[group]]\nplan = \"q\"\n";
        let all = placed(text, &["x", "y", "z"], &mix("1")).unwrap();
        let names: Vec<(&str, Option<&str>)> =
            all.iter().map(|placed| (placed.part.agent.as_str(), placed.group.as_deref())).collect();
        assert_eq!(names, [("y", Some("one")), ("x", None), ("z", None)]);
    }

    #[test]
    fn impossible_plans_are_refused() {
        let two = "[[group]]\nplan = \"p\"\n[[group]]\nplan = \"q\"\n";
        assert!(matches!(placed(two, &["x"], &mix("1")), Err(FleetPlanError::TwoForTheRest)));
        let twice = "[[group]]\nplan = \"p\"\nagents = [\"x\", \"x\"]\n";
        assert!(matches!(placed(twice, &[], &mix("1")), Err(FleetPlanError::Twice(name)) if name == "x"));
        let one = "[[group]]\nplan = \"p\"\n";
        assert!(matches!(placed(one, &[], &mix("1")), Err(FleetPlanError::Nobody)));
        assert!(matches!(placed("[[group]]\nplan = 3\n", &[], ""), Err(FleetPlanError::Toml(_))));
        assert!(matches!(placed("[fleet]\nunknown = 1\n", &[], ""), Err(FleetPlanError::Toml(_))));
    }
}
