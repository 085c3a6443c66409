//! Agents that generate no load: on a server or a storage node they sample counters while others
//! measure.
//!
//! Each is a member of the run without load points. It receives the order to prepare with the plan of a
//! watch and samples from then on. When the load of all others is over, it receives the order to stop,
//! and its samples are fetched like other measurements. An observer that is lost is named, and ends
//! nothing.
//!
//! Pure. Not here: the use of the samples ([`crate::merged_run`]).

use std::path::PathBuf;

use reelgauge_runner::remote_control::sha256;
use reelgauge_workload::plan::PlanError;
use reelgauge_workload::watch::{WatchPlan, WatchSettings};
use serde::Deserialize;

use super::conduct::AgentTask;

/// Observing agents, as listed in a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ObserverTable {
    pub agents: Vec<String>,
    /// The directory whose disks are watched; without one, all disks of the host are.
    pub path: Option<PathBuf>,
}

/// Why agents cannot be ordered to observe.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ObserverError {
    /// No agent is named.
    #[error("an [[observer]] names no agents. Name those that should observe")]
    NoAgent,
    /// An agent that already has another task.
    #[error(
        "agent {0} is an observer and is named a second time. Remove one of the two; an agent does only one \
         thing at a time"
    )]
    Twice(String),
    /// A path that is not valid text.
    #[error("cannot make the plan of an [[observer]]: {0}")]
    Plan(#[from] PlanError),
}

/// The tasks of observers. `workers`: the agents with other tasks.
///
/// # Errors
/// If an agent is named twice, or none is named.
pub fn parts(tables: &[ObserverTable], workers: &[String]) -> Result<Vec<AgentTask>, ObserverError> {
    let mut parts: Vec<AgentTask> = Vec::new();
    for table in tables {
        if table.agents.is_empty() {
            return Err(ObserverError::NoAgent);
        }
        for agent in &table.agents {
            if workers.contains(agent) || parts.iter().any(|part| part.agent == *agent) {
                return Err(ObserverError::Twice(agent.clone()));
            }
            let path = table
                .path
                .as_ref()
                .map(|path| PathBuf::from(path.to_string_lossy().replace("{agent}", agent)));
            let plan = WatchPlan {
                written_by: format!("reelgauge {}", env!("CARGO_PKG_VERSION")),
                watch: WatchSettings { agent: agent.clone(), path, duration: None },
                ..WatchPlan::default()
            };
            let plan_toml = plan.to_toml()?;
            let plan_sha256 = sha256(plan_toml.as_bytes());
            parts.push(AgentTask { agent: agent.clone(), plan_sha256, plan_toml });
        }
    }
    Ok(parts)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::controller::conduct::{Conduct, OnLoss, Stage};
    use crate::protocol::{Beat, Order, PROTOCOL, Phase, RunState, RunTimes};

    fn table(agents: &[&str]) -> ObserverTable {
        let agents = agents.iter().map(|&agent| agent.to_owned()).collect();
        ObserverTable { agents, path: Some("/srv/{agent}".into()) }
    }

    #[test]
    fn each_observer_receives_a_watch_with_its_own_name() {
        let parts = parts(&[table(&["nas1", "nas2"])], &["edit".to_owned()]).unwrap();
        let plans: Vec<WatchPlan> =
            parts.iter().map(|part| WatchPlan::from_toml(&part.plan_toml).unwrap()).collect();
        assert_eq!(plans[1].watch.agent, "nas2");
        assert_eq!(plans[1].watch.path.as_deref(), Some("/srv/nas2".as_ref()));
        assert_ne!(parts[0].plan_sha256, parts[1].plan_sha256);
    }

    const RUN: &str = "20261126T005108Z-ac398b";

    fn part(agent: &str) -> AgentTask {
        AgentTask { agent: agent.to_owned(), plan_sha256: String::new(), plan_toml: String::new() }
    }

    /// An agent's beat with this phase; `number` rises with each.
    fn beat(number: u64, phase: Option<Phase>) -> Beat {
        let state = |phase| RunState {
            run: RUN.to_owned(),
            plan_sha256: String::new(),
            phase,
            judged: None,
            times: RunTimes::default(),
            points_complete: 0,
        };
        let runs = phase.map(state).into_iter().collect();
        Beat { session: 7, beat: number, protocol: PROTOCOL, runs, ..Beat::default() }
    }

    /// A run with one agent that measures, one that observes, and a clock that advances by tenths of a
    /// second.
    struct Course {
        conduct: Conduct,
        now_ns: i64,
        number: u64,
    }

    impl Course {
        fn new(on_loss: OnLoss) -> Course {
            let conduct = Conduct::new(RUN, on_loss, vec![part("edit")], 1).observed_by(vec![part("nas")]);
            Course { conduct, now_ns: 0, number: 0 }
        }

        /// Advances the clock while both agents report these phases. Returns their orders.
        fn passes(&mut self, tenths: u32, edit: Option<&Phase>, nas: Option<&Phase>) -> Vec<(String, Order)> {
            let mut told = Vec::new();
            for _ in 0..tenths {
                self.now_ns += 100_000_000;
                self.number += 1;
                for (agent, phase) in [("edit", edit), ("nas", nas)] {
                    if let Some(phase) = phase {
                        self.conduct.beat(self.now_ns, agent, beat(self.number, Some(phase.clone())));
                    }
                }
                told.extend(self.conduct.tick(self.now_ns, true));
            }
            told
        }

        fn measures(&self) -> bool {
            matches!(self.conduct.stage, Stage::Point { .. })
        }
    }

    #[test]
    fn first_load_point_waits_for_observers_until_a_time_limit() {
        let ready = Phase::Ready { point: 0 };
        let mut course = Course::new(OnLoss::GoOn);
        course.passes(20, Some(&ready), Some(&Phase::Preparing));
        assert!(!course.measures());
        course.passes(1, Some(&ready), Some(&Phase::Observing));
        assert!(course.measures());
        let mut stuck = Course::new(OnLoss::GoOn);
        stuck.passes(90, Some(&ready), Some(&Phase::Preparing));
        assert!(!stuck.measures());
        stuck.passes(20, Some(&ready), Some(&Phase::Preparing));
        assert!(stuck.measures() && stuck.conduct.members[1].missing.is_none());
    }

    #[test]
    fn a_lost_observer_is_missing_and_stops_no_agent() {
        let mut course = Course::new(OnLoss::Stop);
        course.passes(1, Some(&Phase::Ready { point: 0 }), Some(&Phase::Observing));
        // It is silent for longer than it may continue alone.
        course.passes(170, Some(&Phase::Measuring { point: 0 }), None);
        assert!(course.measures() && course.conduct.stopped.is_none());
        assert!(course.conduct.members[1].missing.is_some());
        assert!(course.conduct.measuring().all(|member| member.missing.is_none()));
        // An observer that ends while others measure did not observe to the end.
        let mut course = Course::new(OnLoss::Stop);
        course.passes(1, Some(&Phase::Ready { point: 0 }), Some(&Phase::Observing));
        let over = Phase::Over { code: Some(0), reason: None };
        course.passes(5, Some(&Phase::Measuring { point: 0 }), Some(&over));
        assert!(course.measures() && course.conduct.members[1].missing.is_some());
    }

    #[test]
    fn an_observer_is_ordered_to_stop_when_all_others_are_done() {
        let mut course = Course::new(OnLoss::GoOn);
        course.passes(1, Some(&Phase::Ready { point: 0 }), Some(&Phase::Observing));
        let over = Phase::Over { code: Some(0), reason: None };
        let told = course.passes(3, Some(&over), Some(&Phase::Observing));
        assert_eq!(course.conduct.stage, Stage::Over);
        assert!(
            !told.is_empty()
                && told.iter().all(|(agent, order)| agent == "nas" && matches!(order, Order::Stop { .. }))
        );
        assert!(course.conduct.members.iter().all(|member| member.missing.is_none()));
    }

    #[test]
    fn a_worker_cannot_observe_and_no_agent_observes_twice() {
        assert!(matches!(parts(&[table(&["a"])], &["a".to_owned()]), Err(ObserverError::Twice(_))));
        assert!(matches!(parts(&[table(&["a"]), table(&["a"])], &[]), Err(ObserverError::Twice(_))));
        assert!(matches!(parts(&[table(&[])], &[]), Err(ObserverError::NoAgent)));
        assert_eq!(parts(&[], &[]).unwrap(), []);
    }
}
