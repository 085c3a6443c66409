//! A procedure on a fleet: the two plans of each of its runs, which `reelgauge fleet run` carries out,
//! and the steps that only one host can do.
//!
//! Clients are dealt out to the agents in turn, as EBU Tech 3362 does: each host receives one client
//! before any receives two. All agents use one data set in one area of the target; clients with separate
//! files have them there.
//!
//! Not here: the meaning of flags (the binary), the agents that are present (the fleet).

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use reelgauge_record::run_dir::{RunDirError, write_atomically};
use reelgauge_workload::procedure::requirement::Requirement;
use reelgauge_workload::procedure::{Action, Step};
use reelgauge_workload::streams::AnyPlan;
use serde::{Deserialize, Serialize};

/// The folder of all plans, in the procedure's directory.
pub(super) const PLANS: &str = "plans";
/// The placeholder for the agent's name in a target.
const AGENT: &str = "{agent}";

/// The fleet of a procedure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FleetChoice {
    pub site: PathBuf,
    /// Its agents that make the load, in the order in which they receive clients.
    pub agents: Vec<String>,
}

/// The plans of a procedure on a fleet.
#[derive(Clone, Debug)]
pub struct FleetRequest {
    pub choice: FleetChoice,
    /// The plans of each step; `None` for an action.
    pub plans: Vec<Option<StepPlans>>,
}

/// The plans of a run on a fleet, as TOML.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepPlans {
    /// The load of all agents together, as a plan for one host.
    pub load: String,
    /// The distribution among agents.
    pub fleet: String,
}

/// Why a step can't be done on a fleet.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FleetStepError {
    #[error(
        "step '{0}' writes files into the area from this host, and the agents' runs would remove them. Run \
         this procedure on one host, without --fleet"
    )]
    Ballast(String),
    /// An event, or the count of another step.
    #[error(
        "step '{0}' depends on an event or on another step's result, but fleet plans are fixed before the \
         start. Run this procedure on one host, without --fleet"
    )]
    Requires(String),
    /// Agents use one directory, but the step's files cannot be shared.
    #[error(
        "step '{0}' is not a mix, and agents can share only the files of a mix. Give each agent its own \
         directory: /mnt/nas/{AGENT}"
    )]
    OneDirectory(String),
    /// The step uses one file, but each agent has its own directory.
    #[error(
        "step '{0}' uses the same files on all clients, so the agents need one common directory, without \
         {AGENT}"
    )]
    OwnDirectories(String),
    /// Its plan cannot be written as TOML.
    #[error("cannot write the fleet's plan of step '{step}': {why}")]
    NotWritten { step: String, why: String },
    /// A relative directory, which agents cannot find.
    #[error("{} is a relative path; give agents an absolute path", .0.display())]
    Relative(PathBuf),
}

/// Whether a step is possible on a fleet at all. A command that empties the server's cache, and a rest,
/// are carried out on the local host.
///
/// # Errors
/// If the step writes into the area of one host.
pub fn check_step(step: &Step) -> Result<(), FleetStepError> {
    // A step that only prepares waits for nothing.
    let prepares = step.requires.prepares;
    if step.requires != (Requirement { prepares, ..Requirement::default() }) {
        return Err(FleetStepError::Requires(step.name.clone()));
    }
    match &step.action {
        Action::Fill { .. } | Action::Empty | Action::Age { .. } | Action::Cool { command: None, .. } => {
            Err(FleetStepError::Ballast(step.name.clone()))
        }
        Action::Run { .. } | Action::Rest { .. } | Action::Cool { command: Some(_), .. } => Ok(()),
    }
}

/// The distribution of a plan among agents, as the TOML of a plan for a fleet; `number` is the step's,
/// from 1.
///
/// # Errors
/// If the agents can't have these files in this directory.
pub fn shared_out(
    step: &str,
    number: usize,
    choice: &FleetChoice,
    plan: &AnyPlan,
) -> Result<String, FleetStepError> {
    let (target, is_mix, has_same_files) = match plan {
        AnyPlan::Mix(plan) => (&plan.target, true, plan.mix.shared_file || plan.mix.files.is_some()),
        AnyPlan::Streams(plan) => (&plan.target, false, false),
        AnyPlan::Replay(plan) => (&plan.target, false, false),
    };
    let has_own_directories = target.to_string_lossy().contains(AGENT);
    let is_alone = choice.agents.len() < 2;
    if target.is_relative() {
        return Err(FleetStepError::Relative(target.clone()));
    }
    if has_own_directories && has_same_files && !is_alone {
        return Err(FleetStepError::OwnDirectories(step.to_owned()));
    }
    if !has_own_directories && !is_mix && !is_alone {
        return Err(FleetStepError::OneDirectory(step.to_owned()));
    }
    let group = GroupTable {
        agents: &choice.agents,
        plan: load_file(number),
        targets: [target.to_string_lossy().into_owned()],
        place: if matches!(plan, AnyPlan::Replay(_)) { "each" } else { "share" },
        data: if has_own_directories || is_alone { "own" } else { "shared" },
    };
    // A result of fewer agents than the step names would be compared with those of all.
    let plan = PlanTable { fleet: FleetTable { on_loss: "stop" }, group: [group] };
    toml::to_string(&plan)
        .map_err(|error| FleetStepError::NotWritten { step: step.to_owned(), why: error.to_string() })
}

/// The plan for a fleet, as in its file.
#[derive(Serialize)]
struct PlanTable<'a> {
    fleet: FleetTable,
    group: [GroupTable<'a>; 1],
}

#[derive(Serialize)]
struct FleetTable {
    on_loss: &'static str,
}

#[derive(Serialize)]
struct GroupTable<'a> {
    agents: &'a [String],
    plan: String,
    targets: [String; 1],
    place: &'static str,
    data: &'static str,
}

/// `01-load.toml`: the file name of the load in the plan for a fleet.
pub fn load_file(number: usize) -> String {
    format!("{number:02}-load.toml")
}

fn fleet_file(number: usize) -> String {
    format!("{number:02}-fleet.toml")
}

/// Writes the plans of all steps.
pub(super) fn write_plans(dir: &Path, plans: &[Option<StepPlans>]) -> Result<(), RunDirError> {
    let folder = dir.join(PLANS);
    std::fs::create_dir_all(&folder).map_err(|source| RunDirError::Io {
        action: "create",
        path: folder.clone(),
        source,
    })?;
    for (at, plans) in plans.iter().enumerate() {
        let Some(plans) = plans else { continue };
        write_atomically(&folder.join(load_file(at + 1)), plans.load.as_bytes())?;
        write_atomically(&folder.join(fleet_file(at + 1)), plans.fleet.as_bytes())?;
    }
    Ok(())
}

/// The command line of a step's run, without the program's name.
pub(super) fn words(dir: &Path, number: usize, choice: &FleetChoice) -> Vec<OsString> {
    let mut fleet = OsString::from("--fleet=");
    fleet.push(&choice.site);
    vec!["fleet".into(), "run".into(), dir.join(PLANS).join(fleet_file(number)).into(), fleet]
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::procedure::{Procedure, text};
    use reelgauge_workload::units::Size;

    use super::*;

    fn mix(target: &str, is_one_file: bool) -> AnyPlan {
        let text = format!(
            "plan_version = 1\nwritten_by = \"\"\ntarget = \"{target}\"\nseed = 7\ndriver = \"threads\"\n\
             workers = \"4\"\nwarmup = \"0s\"\nduration = \"1s\"\nhang_after = \"30s\"\nverify = false\nlog = true\n\
             [mix]\nprofile = \"custom\"\nmax_length = \"1MiB\"\nblocks = \"64KiB\"\nwrites = 0\nrandom = 0\n\
             max_delay = \"0s\"\nfile_size = \"16MiB\"\nsync = \"none\"\nshared_file = {is_one_file}\n"
        );
        AnyPlan::from_toml(&text).unwrap()
    }

    fn choice(agents: &[&str]) -> FleetChoice {
        FleetChoice { site: "/fleet".into(), agents: agents.iter().map(|&name| name.to_owned()).collect() }
    }

    #[test]
    fn agents_share_the_files_of_a_mix_in_one_directory() {
        let two = choice(&["a", "b"]);
        for is_one_file in [true, false] {
            let text = shared_out("s", 3, &two, &mix("/nas", is_one_file)).unwrap();
            let wanted = ["agents = [\"a\", \"b\"]", "03-load.toml", "targets = [\"/nas\"]"];
            let also = ["place = \"share\"", "data = \"shared\"", "on_loss = \"stop\""];
            assert!(wanted.iter().chain(&also).all(|part| text.contains(part)), "{text}");
        }
        let own = shared_out("s", 1, &two, &mix("/nas/{agent}", false)).unwrap();
        assert!(own.contains("data = \"own\""), "{own}");
        let alone = shared_out("s", 1, &choice(&["a"]), &mix("/nas/{agent}", true)).unwrap();
        assert!(alone.contains("data = \"own\""), "{alone}");
    }

    #[test]
    fn files_that_agents_cannot_have_there_are_refused() {
        let two = choice(&["a", "b"]);
        let refused = |plan: &AnyPlan| shared_out("s", 1, &two, plan).unwrap_err();
        let own = refused(&mix("/nas/{agent}", true));
        assert_eq!(own, FleetStepError::OwnDirectories("s".to_owned()));
        assert!(own.to_string().contains("{agent}"), "{own}");
        assert_eq!(refused(&mix("nas", true)), FleetStepError::Relative("nas".into()));
        let players = "plan_version = 1\ntarget = \"/nas\"\n[[actor]]\nkind = \"player\"\n\
                       format = \"prores-422-hq-uhd-25\"\n";
        let players = AnyPlan::from_toml(players).unwrap();
        assert_eq!(refused(&players), FleetStepError::OneDirectory("s".to_owned()));
        assert!(shared_out("s", 1, &choice(&["a"]), &players).is_ok());
    }

    #[test]
    fn fleet_procedure_refuses_ballast_but_not_local_steps() {
        let cool = |command: Option<&str>| {
            let command = command.map(str::to_owned);
            Action::Cool { command, server_memory: Some(Size(1)) }
        };
        let step =
            |action| Step { name: "cold".to_owned(), round: None, action, requires: Requirement::default() };
        assert!(check_step(&step(cool(Some("ssh nas drop")))).is_ok());
        assert_eq!(check_step(&step(cool(None))), Err(FleetStepError::Ballast("cold".to_owned())));
        let of = |name: &str| Procedure::from_toml(text(name).unwrap()).unwrap().steps().unwrap();
        assert!(of("ebu-study").iter().all(|step| check_step(step).is_ok()));
        for name in ["fill", "age", "worst-night"] {
            assert!(of(name).iter().any(|step| check_step(step).is_err()), "{name}");
        }
    }
}
