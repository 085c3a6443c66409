//! A search for the largest count of streams that all agents sustain together: the next trial, each
//! agent's share of it, and the result. Pure.
//!
//! The search itself is that of one host ([`reelgauge_workload::search`]). A trial is a load point in
//! which the count is divided among the agents in turn. It passes if every agent with a share met its
//! criteria. If an agent is missing, nothing was measured: the trial is no evidence about the storage,
//! and the search ends with its results so far.
//!
//! Not here: the orders to agents (controller), the figures of a trial ([`crate::merged_run`]).

use std::collections::BTreeMap;

use reelgauge_analysis::facts::{SearchFacts, StoppedBy};
use reelgauge_report::search::{limited_by_agents, not_finished};
use reelgauge_runner::remote_control::messages::{JudgedTrial, RequestedTrial};
use reelgauge_runner::streams::count_search::{SearchState, facts, search_of};
use reelgauge_workload::search::{Answer, Next, Search, Trial, Why};
use reelgauge_workload::streams::StreamsPlan;
use serde::{Deserialize, Serialize};

/// The share of `count` for agent number `at` of `agents`. Shares are dealt out in turn, so that every
/// agent receives one before any receives two.
pub fn share_of(count: u32, at: usize, agents: usize) -> u32 {
    let agents = u32::try_from(agents).unwrap_or(u32::MAX).max(1);
    count / agents + u32::from(u32::try_from(at).is_ok_and(|at| at < count % agents))
}

/// The largest count for which each agent's share is within its maximum, and the agent that prevents a
/// larger one.
fn most_of(each: impl Iterator<Item = u32>) -> (u32, usize) {
    let each: Vec<u32> = each.collect();
    let agents = u32::try_from(each.len()).unwrap_or(u32::MAX);
    let of = |(at, most): (usize, &u32)| {
        let first = u32::try_from(at).unwrap_or(u32::MAX);
        (most.saturating_mul(agents).saturating_add(first), at)
    };
    each.iter().enumerate().map(of).min().unwrap_or_default()
}

/// A trial that was decided on.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldTrial {
    /// Its load point.
    pub point: u16,
    /// The count of all agents together.
    pub scale: u32,
    /// Whether it lasts as long as an answer must be sustained.
    pub confirms: bool,
    /// When it was decided on, on the controller's clock.
    pub told_ns: i64,
    /// Its result, once that is known; never if an agent was missing.
    pub went: Option<Trial>,
}

/// The answer to an agent that requests a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialAnswer {
    /// A trial.
    Try {
        /// This agent's share.
        scale: u32,
        /// Whether it lasts as long as an answer must be sustained.
        confirms: bool,
    },
    /// The search is over.
    Enough,
}

/// The state of a search.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Course {
    /// The agents' maxima are unknown so far.
    #[default]
    Waits,
    /// It is in progress.
    Goes {
        /// The results so far.
        search: Search,
        /// The reason why no larger count is tried.
        capped_by: StoppedBy,
    },
    /// It is over.
    Over {
        state: Option<SearchState>,
        /// The answer; `None` if an agent was missing.
        answer: Option<Answer>,
    },
}

/// The search of a fleet; the module describes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetSearch {
    plan: StreamsPlan,
    trials: Vec<ToldTrial>,
    course: Course,
    /// Whether the answer is only confirmed for the length of a trial, because an agent has no space for
    /// more.
    is_unconfirmed: bool,
}

impl FleetSearch {
    /// The search of a plan; `None` if it has none.
    pub fn of(plan: &StreamsPlan) -> Option<FleetSearch> {
        plan.find_max?;
        let (plan, trials, course) = (plan.clone(), Vec::new(), Course::Waits);
        Some(FleetSearch { plan, trials, course, is_unconfirmed: false })
    }

    /// The trial of this load point; `None` before it is decided on.
    pub fn trial(&self, point: u16) -> Option<&ToldTrial> {
        self.trials.last().filter(|trial| trial.point == point)
    }

    /// The answer to agent number `at` of `agents`, which requests this load point's trial; `None`
    /// before it is decided on.
    pub fn answer(&self, point: u16, at: usize, agents: usize) -> Option<TrialAnswer> {
        let trial = self.trial(point).map(|trial| TrialAnswer::Try {
            scale: share_of(trial.scale, at, agents),
            confirms: trial.confirms,
        });
        trial.or_else(|| self.is_over().then_some(TrialAnswer::Enough))
    }

    /// Whether the search is over.
    pub fn is_over(&self) -> bool {
        matches!(self.course, Course::Over { .. })
    }

    /// The number of trials, and whether the search is over. Both must be on disk before any agent is
    /// answered.
    pub fn milestone(&self) -> (usize, bool) {
        (self.trials.len(), self.is_over())
    }

    /// An agent is missing, or all are stopped: the search ends with its results so far.
    pub fn lose(&mut self) {
        if let Course::Waits | Course::Goes { .. } = self.course {
            let state = self.state();
            self.course = Course::Over { state, answer: None };
        }
    }

    /// Decides on this load point's trial when every agent requests it, each with its maximum.
    pub fn decide(&mut self, now_ns: i64, point: u16, asked: &[RequestedTrial]) {
        if self.trial(point).is_some() {
            return;
        }
        if matches!(self.course, Course::Waits) {
            self.begin(asked);
        }
        let (confirmed_most, _) = most_of(asked.iter().map(|asked| asked.most_confirmed));
        loop {
            let Course::Goes { search, .. } = &mut self.course else { return };
            match search.next() {
                Next::Done(answer) => {
                    let state = self.state();
                    self.course = Course::Over { state, answer: Some(answer) };
                    return;
                }
                Next::Try { streams, why: Why::Confirm } if streams > confirmed_most => {
                    search.leave_unconfirmed();
                    self.is_unconfirmed = true;
                }
                Next::Try { streams, why } => {
                    let confirms = why == Why::Confirm;
                    let trial = ToldTrial { point, scale: streams, confirms, told_ns: now_ns, went: None };
                    self.trials.push(trial);
                    return;
                }
            }
        }
    }

    /// Judges a load point that is over on all agents. `judged` has the report of each, in order.
    pub fn judge(&mut self, now_ns: i64, point: u16, judged: &[Option<JudgedTrial>]) {
        let Course::Goes { search, .. } = &mut self.course else { return };
        let Some(told) = self.trials.last_mut().filter(|trial| trial.point == point && trial.went.is_none())
        else {
            return;
        };
        let worked = judged.iter().enumerate().filter(|(at, _)| share_of(told.scale, *at, judged.len()) > 0);
        let worked: Option<Vec<JudgedTrial>> =
            worked.map(|(_, judged)| judged.filter(|judged| judged.point == point)).collect();
        let Some(worked) = worked else { return self.lose() };
        let mut fell = worked.iter().filter(|judged| !judged.passed).peekable();
        let trial = Trial {
            passed: fell.peek().is_none(),
            limited_by_client: fell.peek().is_some() && fell.all(|judged| judged.limited_by_client),
            took_s: now_ns.saturating_sub(told.told_ns).max(1) as f64 / 1e9,
            confirms: told.confirms,
            reached: None,
        };
        if search.report(told.scale, trial).is_err() {
            return self.lose();
        }
        told.went = Some(trial);
    }

    /// The largest count that passed below all that failed, and the smallest that failed above all that
    /// passed, with the plan's names for them.
    pub fn bounds(&self) -> (Option<String>, Option<String>) {
        let bounds = self.state().map(|state| state.search.bounds());
        let (passed, fell) = bounds.unwrap_or_default();
        (passed.map(|scale| self.plan.label(scale)), fell.map(|scale| self.plan.label(scale)))
    }

    /// The label of this load point's trial.
    pub fn label(&self, point: u16) -> Option<String> {
        let trial = self.trials.iter().find(|trial| trial.point == point)?;
        Some(self.plan.label(trial.scale))
    }

    /// The result; `None` if there was no trial. A trial counts as passed only if `stands` confirms it:
    /// its data may not have been fetched completely.
    pub fn facts(&self, stands: impl Fn(u16) -> bool) -> Option<SearchFacts> {
        let mut state = self.state()?;
        let mut answer = match &self.course {
            Course::Over { answer, .. } => *answer,
            Course::Waits | Course::Goes { .. } => None,
        };
        let is_off = |told: &&ToldTrial| told.went.is_some_and(|trial| trial.passed) && !stands(told.point);
        if self.trials.iter().any(|told| is_off(&told)) {
            let mut search = self.search(state.search.cap())?;
            for told in self.trials.iter().filter(|told| !is_off(told)) {
                told.went.and_then(|trial| search.report(told.scale, trial).ok());
            }
            answer = match search.next() {
                Next::Done(answer) => Some(answer),
                Next::Try { .. } => None,
            };
            state.search = search;
        }
        let per_scale = self.plan.stream_count(1).max(1);
        let mut found = facts(&state, answer.as_ref(), per_scale, self.plan.what());
        let best = found.streams.unwrap_or(0);
        match answer {
            Some(Answer::ClientLimited { limited_at, .. }) => {
                found.answer_sentence = limited_by_agents(best, limited_at.saturating_mul(per_scale));
            }
            None => found.answer_sentence = not_finished(best),
            Some(_) => {}
        }
        Some(found)
    }

    fn begin(&mut self, asked: &[RequestedTrial]) {
        let (most, keeps) = most_of(asked.iter().map(|asked| asked.most));
        let own = self.plan.find_max.and_then(|wanted| wanted.cap);
        let (cap, capped_by) = match own.filter(|own| *own <= most) {
            Some(own) => (own, StoppedBy::Cap),
            None => (most, asked.get(keeps).map_or(StoppedBy::OneProcess, |asked| asked.limited_by)),
        };
        self.course = match self.search(cap.max(1)) {
            Some(search) => Course::Goes { search, capped_by },
            // Invalid settings of a search are rejected when the plan is read.
            None => Course::Over { state: None, answer: None },
        };
    }

    /// A search up to this count, without results.
    fn search(&self, cap: u32) -> Option<Search> {
        let mut search = search_of(&self.plan, &self.plan.find_max?, cap).ok()?;
        if self.is_unconfirmed {
            search.leave_unconfirmed();
        }
        Some(search)
    }

    fn state(&self) -> Option<SearchState> {
        match &self.course {
            Course::Waits => None,
            Course::Goes { search, capped_by } => {
                let (search, capped_by) = (search.clone(), *capped_by);
                Some(SearchState { of: BTreeMap::new(), capped_by, search, earlier: Vec::new() })
            }
            Course::Over { state, .. } => state.clone(),
        }
    }
}

#[cfg(test)]
mod tests;
