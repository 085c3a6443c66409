//! A search for the largest count of streams that all agents carry together: what to try next, each agent's
//! share of it, and what was found. Pure.
//!
//! The search itself is that of one machine ([`reelgauge_workload::search`]). A trial is a load point in
//! which the count is shared out among the agents, one after the other. It is held where every agent that
//! had a share met its criteria. Where anybody is missing nothing was measured: the trial says nothing of
//! the storage, and the search ends with what is known.
//!
//! Not here: who is told what, and when (controller), the figures of a trial ([`crate::whole`]).

use std::collections::BTreeMap;

use reelgauge_analysis::facts::{SearchFacts, StoppedBy};
use reelgauge_report::search::{limited_by_agents, not_finished};
use reelgauge_runner::steered::messages::{AskedTrial, JudgedTrial};
use reelgauge_runner::streams::seek::{SearchState, facts, search_of};
use reelgauge_workload::search::{Answer, Next, Search, Trial, Why};
use reelgauge_workload::streams::StreamsPlan;
use serde::{Deserialize, Serialize};

/// How many of so many fall to agent number `at` of `agents`: one after the other, so that every agent has
/// one before any has two.
pub fn share_of(count: u32, at: usize, agents: usize) -> u32 {
    let agents = u32::try_from(agents).unwrap_or(u32::MAX).max(1);
    count / agents + u32::from(u32::try_from(at).is_ok_and(|at| at < count % agents))
}

/// The largest count of which the agents' shares are within what each can try, and the agent that keeps it
/// from more.
fn most_of(each: impl Iterator<Item = u32>) -> (u32, usize) {
    let each: Vec<u32> = each.collect();
    let agents = u32::try_from(each.len()).unwrap_or(u32::MAX);
    let of = |(at, most): (usize, &u32)| {
        let first = u32::try_from(at).unwrap_or(u32::MAX);
        (most.saturating_mul(agents).saturating_add(first), at)
    };
    each.iter().enumerate().map(of).min().unwrap_or_default()
}

/// A trial that everybody was told of.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ToldTrial {
    /// Its load point.
    pub point: u16,
    /// The count of all agents together.
    pub scale: u32,
    /// For as long as an answer must hold on.
    pub confirms: bool,
    /// When it was decided upon, on the controller's clock.
    pub told_ns: i64,
    /// How it went, once that is known; never where somebody was missing.
    pub went: Option<Trial>,
}

/// What an agent is told that asks for a trial.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrialAnswer {
    /// A trial.
    Try {
        /// With this share of it.
        scale: u32,
        /// For as long as an answer must hold on.
        confirms: bool,
    },
    /// Nothing more is tried.
    Enough,
}

/// How a search stands.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "is", rename_all = "snake_case")]
enum Course {
    /// Nobody knows yet what the agents can try.
    #[default]
    Waits,
    /// It goes on.
    Goes {
        /// What is known.
        search: Search,
        /// What keeps it from larger counts.
        capped_by: StoppedBy,
    },
    /// Nothing more is tried.
    Over {
        /// What is known.
        state: Option<SearchState>,
        /// The answer; none where somebody was missing.
        answer: Option<Answer>,
    },
}

/// See the module.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct FleetSearch {
    plan: StreamsPlan,
    trials: Vec<ToldTrial>,
    course: Course,
    /// The answer need not hold on for longer than a trial: somebody has no room for that.
    is_unconfirmed: bool,
}

impl FleetSearch {
    /// The search that a plan asks for; `None` where it asks for none.
    pub fn of(plan: &StreamsPlan) -> Option<FleetSearch> {
        plan.find_max?;
        let (plan, trials, course) = (plan.clone(), Vec::new(), Course::Waits);
        Some(FleetSearch { plan, trials, course, is_unconfirmed: false })
    }

    /// The trial that this load point is; none before it is decided upon.
    pub fn trial(&self, point: u16) -> Option<&ToldTrial> {
        self.trials.last().filter(|trial| trial.point == point)
    }

    /// What agent number `at` of `agents` is told that asks for this load point's trial; nothing before it is
    /// decided.
    pub fn answer(&self, point: u16, at: usize, agents: usize) -> Option<TrialAnswer> {
        let trial = self.trial(point).map(|trial| TrialAnswer::Try {
            scale: share_of(trial.scale, at, agents),
            confirms: trial.confirms,
        });
        trial.or_else(|| self.is_over().then_some(TrialAnswer::Enough))
    }

    /// Whether nothing more is tried.
    pub fn is_over(&self) -> bool {
        matches!(self.course, Course::Over { .. })
    }

    /// How many trials were decided upon, and whether there will be more: what has to be on disk before
    /// anybody is told.
    pub fn milestone(&self) -> (usize, bool) {
        (self.trials.len(), self.is_over())
    }

    /// Somebody is missing, or everybody is stopped: it ends with what is known.
    pub fn lose(&mut self) {
        if let Course::Waits | Course::Goes { .. } = self.course {
            let state = self.state();
            self.course = Course::Over { state, answer: None };
        }
    }

    /// Everybody asks for this load point's trial, each with what it can try: decides on it.
    pub fn decide(&mut self, now_ns: i64, point: u16, asked: &[AskedTrial]) {
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

    /// A load point is over for everybody. `judged` has what each agent says of it, in their order.
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

    /// The largest count that passed so far below all that fell, and the smallest that fell above all that
    /// passed, with what the plan calls them.
    pub fn bounds(&self) -> (Option<String>, Option<String>) {
        let bounds = self.state().map(|state| state.search.bounds());
        let (passed, fell) = bounds.unwrap_or_default();
        (passed.map(|scale| self.plan.label(scale)), fell.map(|scale| self.plan.label(scale)))
    }

    /// What this load point tries, in words.
    pub fn label(&self, point: u16) -> Option<String> {
        let trial = self.trials.iter().find(|trial| trial.point == point)?;
        Some(self.plan.label(trial.scale))
    }

    /// What was found; `None` where nothing was tried. A trial that is held only where `stands` agrees: what
    /// was fetched of it may not be all.
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

    fn begin(&mut self, asked: &[AskedTrial]) {
        let (most, keeps) = most_of(asked.iter().map(|asked| asked.most));
        let own = self.plan.find_max.and_then(|wanted| wanted.cap);
        let (cap, capped_by) = match own.filter(|own| *own <= most) {
            Some(own) => (own, StoppedBy::Cap),
            None => (most, asked.get(keeps).map_or(StoppedBy::OneProcess, |asked| asked.limited_by)),
        };
        self.course = match self.search(cap.max(1)) {
            Some(search) => Course::Goes { search, capped_by },
            // Settings that make no search are found when the plan is read.
            None => Course::Over { state: None, answer: None },
        };
    }

    /// A search up to this count that knows nothing.
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
