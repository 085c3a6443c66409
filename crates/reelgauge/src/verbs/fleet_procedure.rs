//! `reelgauge procedure --fleet`: the plans of every step, each agent's share of it, and whether all
//! agents are present.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use clap::Args as _;
use reelgauge_fleet::controller::fleet_plan::{FleetPlan, Placed, forecast};
use reelgauge_fleet::controller::roster::Roster;
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_report::fleet_run::fleet_absent;
use reelgauge_report::procedure::plan::{AgentShare, PlannedStep};
use reelgauge_report::text::{shell_argument, shell_word};
use reelgauge_runner::procedure::fleet::{
    FleetChoice, FleetRequest, StepPlans, check_step, load_file, shared_out,
};
use reelgauge_runner::procedure::procedure_file::KeptTerms;
use reelgauge_runner::procedure::report_data::{name_in_round, planned_action};
use reelgauge_runner::procedure::words;
use reelgauge_workload::procedure::{Action, Step};
use reelgauge_workload::streams::AnyPlan;

use super::estimate::planned_by;
use super::fleet_preflight::{present_names, seen};
use super::fleet_run_common::{expect_idle, missing_directories, refusals};
use crate::cli::TargetArgs;

/// Flags of a run that are not part of its plan, other than those of its target.
const NOT_IN_A_PLAN: [&str; 4] = ["direct", "out", "json", "quiet"];

/// A procedure that a fleet could carry out.
pub struct FleetProcedure {
    site: FleetSite,
    /// The request for the procedure.
    pub request: FleetRequest,
    /// The tasks of each step; empty for an action.
    placed: Vec<Vec<Placed>>,
}

/// Reasons that prevent a fleet from carrying it out now.
#[derive(Default)]
pub struct Obstacles(BTreeSet<String>);

impl FleetProcedure {
    /// The steps on these agents; on all of the fleet's if none are named.
    ///
    /// # Errors
    /// A step that a fleet can't do, and why.
    pub fn new(
        site: &Path,
        agents: &[AgentName],
        steps: &[Step],
        (target, seed): (&Path, u64),
    ) -> Result<Self> {
        let known = FleetSite::open(site)?;
        let all = || known.register().agents.iter().map(|agent| agent.name.to_string()).collect();
        let agents = match agents {
            [] => all(),
            some => some.iter().map(ToString::to_string).collect(),
        };
        let site = site.canonicalize().with_context(|| format!("cannot open {}", shell_word(site)))?;
        let mut request = FleetRequest { choice: FleetChoice { site, agents }, plans: Vec::new() };
        let mut placed = Vec::new();
        for (at, step) in steps.iter().enumerate() {
            check_step(step)?;
            let Action::Run { verb, flags } = &step.action else {
                request.plans.push(None);
                placed.push(Vec::new());
                continue;
            };
            let plans = step_plans(&step.name, at + 1, &request.choice, || {
                let words = words(verb, flags, target, &KeptTerms::default(), seed);
                check_flags(
                    &words.iter().map(|word| word.to_string_lossy().into_owned()).collect::<Vec<_>>(),
                )?;
                planned_by(&words)
            })?;
            let of_step =
                placed_in(&known, at + 1, &plans).with_context(|| format!("step '{}'", step.name))?;
            request.plans.push(Some(plans));
            placed.push(of_step);
        }
        Ok(FleetProcedure { site: known, request, placed })
    }

    /// Every step with its load, each agent's share of it, and its forecast.
    pub fn planned_steps(&self, steps: &[Step], (target, seed): (&Path, u64)) -> Vec<PlannedStep> {
        let step = |(step, placed): (&Step, &Vec<Placed>)| {
            let load = match &step.action {
                Action::Run { verb, flags } => Some(words(verb, flags, target, &KeptTerms::default(), seed)),
                _ => None,
            };
            let load = load
                .map(|words| words.iter().map(|word| shell_argument(OsStr::new(word))).collect::<Vec<_>>());
            PlannedStep {
                name: name_in_round(&step.name, step.round),
                command: load.map(|words| format!("reelgauge {}", words.join(" "))),
                shares: placed.iter().map(share).collect(),
                forecast: forecast(placed),
                action: planned_action(&step.action),
                missing: None,
            }
        };
        steps.iter().zip(&self.placed).map(step).collect()
    }

    /// Agents that are absent, lack a directory, or whose owner would refuse.
    ///
    /// # Errors
    /// If the fleet's server can't be reached.
    pub fn obstacles(&self) -> Result<Obstacles> {
        let roster = Roster::open(&self.site)?;
        let seen = seen(&roster)?;
        let there = present_names(&seen);
        let placed = || self.placed.iter().flatten();
        let agents = &self.request.choice.agents;
        let absent: Vec<String> = agents.iter().filter(|agent| !there.contains(agent)).cloned().collect();
        let mut all = refusals(&seen, placed());
        all.extend(missing_directories(&roster, placed())?);
        all.extend((!absent.is_empty()).then(|| fleet_absent(&absent)));
        Ok(Obstacles(all))
    }

    /// Checks that all agents are present, and idle.
    ///
    /// # Errors
    /// The obstacles, a line each.
    pub fn expect_ready(&self) -> Result<()> {
        let Obstacles(obstacles) = self.obstacles()?;
        ensure!(obstacles.is_empty(), obstacles.into_iter().collect::<Vec<_>>().join("\n"));
        expect_idle(&seen(&Roster::open(&self.site)?)?, self.placed.iter().flatten())
    }
}

impl Obstacles {
    /// A sentence for each.
    pub fn sentences(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(String::as_str)
    }
}

/// The plans of a run, whose load is that of its flags.
fn step_plans(
    name: &str,
    number: usize,
    choice: &FleetChoice,
    load: impl FnOnce() -> Result<Option<AnyPlan>>,
) -> Result<StepPlans> {
    let Some(plan) = load().with_context(|| format!("step '{name}'"))? else {
        bail!("step '{name}' is not a single run. On a fleet, a step must be mix, streams, vda or replay");
    };
    let fleet = shared_out(name, number, choice, &plan)?;
    let load = match plan {
        AnyPlan::Mix(plan) => plan.to_toml(),
        AnyPlan::Streams(plan) => plan.to_toml(),
        AnyPlan::Replay(plan) => plan.to_toml(),
    };
    Ok(StepPlans { load: load.with_context(|| format!("step '{name}'"))?, fleet })
}

/// Agents receive only a plan, so a flag outside of it would be lost.
fn check_flags(words: &[String]) -> Result<()> {
    let target = TargetArgs::augment_args(clap::Command::new(""));
    let of_target: Vec<&str> = target.get_arguments().filter_map(clap::Arg::get_long).collect();
    let is_lost = |flag: &&str| of_target.contains(flag) || NOT_IN_A_PLAN.contains(flag);
    let flags = words.iter().filter_map(|word| word.strip_prefix("--"));
    let mut flags = flags.map(|flag| flag.split_once('=').map_or(flag, |(name, _)| name));
    match flags.find(is_lost) {
        Some(flag) => bail!(
            "--{flag} does not reach the agents; omit it, and set limits on the agents ('reelgauge agent \
             --help')"
        ),
        None => Ok(()),
    }
}

fn placed_in(site: &FleetSite, number: usize, plans: &StepPlans) -> Result<Vec<Placed>> {
    let plan = FleetPlan::from_toml(&plans.fleet)?;
    let known: Vec<String> = site.register().agents.iter().map(|agent| agent.name.to_string()).collect();
    plan.check_known(&known)?;
    Ok(plan.placed(&[], &[(load_file(number), plans.load.clone())].into(), None)?)
}

fn share(placed: &Placed) -> AgentShare {
    AgentShare {
        agent: placed.part.agent.clone(),
        clients: placed.clients(),
        target: placed.target.display().to_string(),
        files_bytes: placed.forecast().map_or(0, |ahead| ahead.most_files_bytes),
    }
}
