//! Searches on fleets whose storage sustains a known count.
#![allow(clippy::unwrap_used)]

use proptest::prelude::*;
use reelgauge_workload::player::PlayerPlan;
use reelgauge_workload::streams::{FindMaxPlan, Footage};
use reelgauge_workload::units::Span;

use super::*;

const SECOND: i64 = 1_000_000_000;

fn plan(wanted: FindMaxPlan) -> StreamsPlan {
    let footage = Footage::listed("prores-422-hq-uhd-25");
    let actors = vec![PlayerPlan { footage, ..PlayerPlan::default() }.into()];
    StreamsPlan { find_max: Some(wanted), duration: Span::secs(10), actors, ..StreamsPlan::default() }
}

fn asks(point: u16, most: u32) -> RequestedTrial {
    RequestedTrial { point, most, most_confirmed: most, limited_by: StoppedBy::Room }
}

/// An agent's report on a trial.
fn says(point: u16, passed: bool) -> JudgedTrial {
    JudgedTrial { point, passed, limited_by_client: false }
}

/// A search with this number of agents to its end: `judge` returns each agent's report on a trial of
/// this count.
fn searched(
    wanted: FindMaxPlan,
    mosts: &[u32],
    judge: impl Fn(u16, u32, usize) -> Option<JudgedTrial>,
) -> FleetSearch {
    let mut search = FleetSearch::of(&plan(wanted)).unwrap();
    for point in 0..2_000 {
        let now_ns = i64::from(point) * 20 * SECOND;
        let asked: Vec<RequestedTrial> = mosts.iter().map(|&most| asks(point, most)).collect();
        search.decide(now_ns, point, &asked);
        let Some(trial) = search.trial(point).copied() else { return search };
        for (at, most) in mosts.iter().enumerate() {
            assert!(share_of(trial.scale, at, mosts.len()) <= *most, "{trial:?} for {mosts:?}");
        }
        let judged: Vec<_> = (0..mosts.len()).map(|at| judge(point, trial.scale, at)).collect();
        search.judge(now_ns + 15 * SECOND, point, &judged);
    }
    panic!("the search does not end: {search:?}");
}

#[test]
fn counts_are_divided_filling_one_host_first() {
    assert_eq!([0, 1, 2].map(|at| share_of(1, at, 3)), [1, 0, 0]);
    assert_eq!([0, 1, 2].map(|at| share_of(5, at, 3)), [2, 2, 1]);
    assert_eq!([0, 1, 2].map(|at| share_of(0, at, 3)), [0, 0, 0]);
    assert_eq!(share_of(7, 0, 0), 7, "nobody is left out where nobody is");
}

#[test]
fn agent_without_space_limits_the_fleet() {
    let wanted = FindMaxPlan { cap: None, repeats: 1, ..FindMaxPlan::default() };
    // The second of three can take two, so seven is the maximum: 3 + 2 + 2.
    let search = searched(wanted, &[9, 2, 9], |point, _, _| Some(says(point, true)));
    let facts = search.facts(|_| true).unwrap();
    assert_eq!((facts.streams, facts.stopped_by, facts.complete), (Some(7), Some(StoppedBy::Room), false));
    let capped = searched(FindMaxPlan { cap: Some(4), ..wanted }, &[9, 2, 9], |p, _, _| Some(says(p, true)));
    let facts = capped.facts(|_| true).unwrap();
    assert_eq!((facts.streams, facts.stopped_by), (Some(4), Some(StoppedBy::Cap)));
}

#[test]
fn a_missing_agent_ends_the_search_and_only_complete_trials_count() {
    // Point 3 tries 8: two agents report that it passed, and the third reports nothing.
    let search = searched(FindMaxPlan::default(), &[99; 3], |point, _, at| {
        (point < 3 || at < 2).then_some(says(point, true))
    });
    let facts = search.facts(|_| true).unwrap();
    assert_eq!((facts.streams, facts.complete, facts.trials.len()), (Some(4), false, 3));
    assert!(facts.answer_sentence.contains("4 streams"), "{}", facts.answer_sentence);
    assert!(search.is_over() && search.trials.last().unwrap().went.is_none());
}

#[test]
fn idle_agents_do_not_judge_a_trial() {
    // The second agent never meets its criteria, and has no share in a trial of one.
    let search = searched(FindMaxPlan { repeats: 1, ..FindMaxPlan::default() }, &[99; 2], |point, _, at| {
        Some(says(point, at == 0))
    });
    assert_eq!(search.facts(|_| true).unwrap().streams, Some(1));
}

#[test]
fn failed_agent_fails_the_trial_without_blaming_storage() {
    let wanted = FindMaxPlan { repeats: 1, ..FindMaxPlan::default() };
    let limited = |own: bool| {
        let search = searched(wanted, &[99; 3], |point, scale, at| {
            let passed = at != 1 || scale < 6;
            Some(JudgedTrial { limited_by_client: own, ..says(point, passed) })
        });
        search.facts(|_| true).unwrap()
    };
    assert_eq!((limited(false).streams, limited(false).limited_by_client), (Some(5), false));
    assert_eq!((limited(true).streams, limited(true).limited_by_client), (Some(5), true));
}

#[test]
fn an_answer_without_space_to_confirm_relies_on_its_trials() {
    let mut search = FleetSearch::of(&plan(FindMaxPlan { repeats: 1, ..FindMaxPlan::default() })).unwrap();
    let mut confirmed = 0;
    for point in 0..100 {
        let short = RequestedTrial { most_confirmed: 2, ..asks(point, 9) };
        search.decide(0, point, &[short, short]);
        let Some(trial) = search.trial(point).copied() else { break };
        confirmed += u32::from(trial.confirms);
        search.judge(SECOND, point, &[Some(says(point, trial.scale <= 7)); 2]);
    }
    assert_eq!((search.facts(|_| true).unwrap().streams, confirmed), (Some(7), 0));
}

#[test]
fn a_trial_with_incomplete_data_is_no_evidence() {
    let wanted = FindMaxPlan { repeats: 1, confirm: Span(0), ..FindMaxPlan::default() };
    let search = searched(wanted, &[99; 2], |point, scale, _| Some(says(point, scale <= 5)));
    let all = search.facts(|_| true).unwrap();
    assert_eq!((all.streams, all.complete), (Some(5), true));
    // 5 was tried once; the data of that trial is incomplete.
    let of_five = search.trials.iter().find(|trial| trial.scale == 5).unwrap().point;
    let short = search.facts(|point| point != of_five).unwrap();
    assert_eq!((short.streams, short.complete), (Some(4), false));
    assert!(short.trials.iter().all(|trial| trial.streams != 5), "{short:?}");
}

proptest! {
    /// A fleet finds what one host would find, however the shares are divided; and so does a controller
    /// that is restarted between any two trials.
    #[test]
    fn a_certain_store_is_found_exactly(carries in 0_u32..200, agents in 1_usize..9, stop in 0_u16..40) {
        let wanted = FindMaxPlan { repeats: 2, ..FindMaxPlan::default() };
        let mosts = vec![1_000; agents];
        let mut search = FleetSearch::of(&plan(wanted)).unwrap();
        for point in 0..2_000 {
            let asked: Vec<RequestedTrial> = mosts.iter().map(|&most| asks(point, most)).collect();
            search.decide(0, point, &asked);
            if point == stop {
                search = serde_json::from_str(&serde_json::to_string(&search).unwrap()).unwrap();
                search.decide(SECOND, point, &asked);
            }
            let Some(trial) = search.trial(point).copied() else { break };
            let judged = vec![Some(says(point, trial.scale <= carries)); agents];
            search.judge(2 * SECOND, point, &judged);
            search.judge(3 * SECOND, point, &judged);
        }
        let facts = search.facts(|_| true).unwrap();
        prop_assert_eq!((facts.streams, facts.complete), (Some(carries), true));
    }
}
