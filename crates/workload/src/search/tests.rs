//! Stores with a known limit, with and without noise, and the results of the search on them.

#![allow(clippy::unwrap_used)]

use proptest::prelude::*;

use super::*;
use crate::random::Dice;

fn settings(start: u32, cap: u32) -> SearchSettings {
    SearchSettings { start, cap, ..SearchSettings::default() }
}

fn outcome(passed: bool) -> Trial {
    Trial { passed, took_s: 60.0, ..Trial::default() }
}

/// Runs a search to its end.
fn run(search: &mut Search, mut store: impl FnMut(u32) -> Trial) -> Answer {
    for _ in 0..100_000 {
        match search.next() {
            Next::Try { streams, .. } => search.report(streams, store(streams)).unwrap(),
            Next::Done(answer) => return answer,
        }
    }
    panic!("the search does not end");
}

fn search(settings: SearchSettings) -> Search {
    Search::new(settings).unwrap()
}

#[test]
fn a_certain_store_is_found_with_its_evidence() {
    let mut asked = Vec::new();
    let mut search = search(settings(1, 1000));
    let answer = run(&mut search, |streams| {
        asked.push(streams);
        outcome(streams <= 31)
    });
    assert_eq!(answer, Answer::Exactly { streams: 31 });
    assert_eq!(asked, [1, 2, 4, 8, 16, 32, 24, 28, 30, 31, 31, 31, 32, 32, 32]);
    assert_eq!(search.evidence_sentence(), "31: 3 of 3; 32: 0 of 4");
    insta::assert_snapshot!(search.answer_sentence(&answer));
    assert_eq!((search.trials(), search.spent_s(), search.has_noise()), (15, 900.0, false));
}

#[test]
fn search_end_has_a_reason() {
    let mut search = search(settings(4, 100));
    let mut whys = Vec::new();
    while let Next::Try { streams, why } = search.next() {
        whys.push((streams, why));
        search.report(streams, outcome(streams <= 5)).unwrap();
    }
    use Why::{Bisect, ConfirmFall, ConfirmPass, Rise};
    let confirms = [(5, ConfirmPass), (5, ConfirmPass), (6, ConfirmFall), (6, ConfirmFall), (6, ConfirmFall)];
    assert_eq!(whys[..4], [(4, Rise), (8, Rise), (6, Bisect), (5, Bisect)]);
    assert_eq!(whys[4..], confirms);
}

#[test]
fn not_even_one() {
    let mut search = search(settings(8, 100));
    assert_eq!(run(&mut search, |_| outcome(false)), Answer::NotEvenOne);
    assert_eq!(search.evidence_sentence(), "1: 0 of 4");
}

#[test]
fn the_cap_is_a_lower_bound() {
    let mut search = search(settings(3, 40));
    let answer = run(&mut search, |_| outcome(true));
    assert_eq!(answer, Answer::AtLeast { streams: 40 });
    assert_eq!(search.evidence_sentence(), "40: 3 of 3");
    insta::assert_snapshot!(search.answer_sentence(&answer));
}

#[test]
fn client_limit_is_not_attributed_to_storage() {
    let mut printed = Vec::<String>::new();
    let client_at =
        |limit: u32| move |streams: u32| Trial { limited_by_client: true, ..outcome(streams < limit) };
    let mut one = search(settings(1, 1000));
    let answer = run(&mut one, client_at(20));
    assert_eq!(answer, Answer::ClientLimited { streams: 19, limited_at: 20 });
    printed.push(one.evidence_sentence().to_string());
    printed.push(one.answer_sentence(&answer).to_string());
    // If the storage fails first, the client's limit at larger counts does not matter.
    let mut two = search(settings(1, 1000));
    let both = |streams: u32| Trial { limited_by_client: streams >= 20, ..outcome(streams <= 9) };
    assert_eq!(run(&mut two, both), Answer::Exactly { streams: 9 });
    // A trial passes even if the client is at its limit.
    let mut three = search(settings(1, 8));
    let busy = |_| Trial { limited_by_client: true, ..outcome(true) };
    assert_eq!(run(&mut three, busy), Answer::AtLeast { streams: 8 });
    let mut none = search(settings(1, 8));
    assert_eq!(run(&mut none, client_at(1)), Answer::ClientLimited { streams: 0, limited_at: 1 });
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn noise_gives_a_range_with_its_evidence() {
    // 29 always passes, 30 and 31 pass every other time, 32 never does.
    let mut tosses = 0;
    let mut search = search(settings(1, 1000));
    let answer = run(&mut search, |streams| {
        tosses += 1;
        outcome(streams <= 29 || streams <= 31 && tosses % 2 == 0)
    });
    assert_eq!(answer, Answer::Between { lo: 29, hi: 31 });
    assert_eq!(answer.streams(), 29);
    assert!(search.has_noise());
    let sentence = search.evidence_sentence();
    assert!(sentence.starts_with("29: 6 of 6; 30: "), "{sentence}");
    assert!(sentence.ends_with("; 32: 0 of 7"), "{sentence}");
    insta::assert_snapshot!(search.answer_sentence(&answer));
}

#[test]
fn budgets_end_the_search_with_known_bounds() {
    let mut printed = Vec::<String>::new();
    let budget = SearchSettings { trials_max: Some(7), ..settings(1, 1000) };
    let mut few = search(budget);
    let answer = run(&mut few, |streams| outcome(streams <= 31));
    // 1, 2, 4, 8, 16, 32, 24.
    let spent = Answer::BudgetSpent { streams: 24, failing_from: Some(32), budget: Budget::Trials };
    assert_eq!((answer, few.trials()), (spent, 7));
    printed.push(few.answer_sentence(&answer).to_string());
    // Five trials of a minute fit into the time; a sixth would exceed it.
    let mut short = search(SearchSettings { time_max_s: Some(330.0), ..settings(1, 1000) });
    let answer = run(&mut short, |_| outcome(true));
    assert_eq!(answer, Answer::BudgetSpent { streams: 16, failing_from: None, budget: Budget::Time });
    assert_eq!((short.trials(), short.spent_s()), (5, 300.0));
    printed.push(short.answer_sentence(&answer).to_string());
    let mut none = search(SearchSettings { trials_max: Some(0), ..settings(1, 10) });
    assert_eq!(run(&mut none, |_| outcome(true)).streams(), 0);
    // A search that ends with its last permitted trial is complete.
    let mut enough = search(SearchSettings { trials_max: Some(15), ..settings(1, 1000) });
    assert_eq!(run(&mut enough, |streams| outcome(streams <= 31)), Answer::Exactly { streams: 31 });
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn impossible_settings_are_refused() {
    let refused = |settings| Search::new(settings).unwrap_err();
    assert_eq!(refused(settings(0, 5)), SearchError::StartsAtZero);
    assert_eq!(refused(settings(6, 5)), SearchError::CapBelowStart { start: 6, cap: 5 });
    let never = SearchSettings { repeats: 0, ..settings(1, 5) };
    assert!(matches!(refused(never), SearchError::TooFewRepeats { .. }));
    let fewer = SearchSettings { repeats: 9, ..settings(1, 5) };
    assert!(matches!(refused(fewer), SearchError::TooFewRepeats { without: 9, with_noise: 6 }));
    let no_time = SearchSettings { time_max_s: Some(f64::NAN), ..settings(1, 5) };
    assert!(matches!(refused(no_time), SearchError::NoTime { .. }));
    let mut search = search(settings(1, 5));
    let before = search.clone();
    assert!(search.report(0, outcome(true)).is_err());
    assert!(search.report(6, outcome(true)).is_err());
    assert!(search.report(1, Trial { took_s: -1.0, ..outcome(true) }).is_err());
    assert_eq!(search, before);
}

/// A store that passes `streams` with a probability that falls from 1 to 0 around `middle`, over some
/// `width` streams (logistic).
struct NoisyStore {
    middle: f64,
    width: f64,
    dice: Dice,
}

impl NoisyStore {
    fn draw(seed: u64, width: f64) -> NoisyStore {
        let mut dice = Dice::new(seed, 0);
        let middle = 5.0 + dice.below(60_000) as f64 / 1_000.0;
        NoisyStore { middle, width, dice }
    }

    fn trial(&mut self, streams: u32) -> Trial {
        let chance = 1.0 / (1.0 + ((f64::from(streams) - self.middle) / self.width).exp());
        outcome((self.dice.below(1_000_000) as f64) < chance * 1e6)
    }
}

#[test]
fn the_range_holds_the_middle_of_the_noise_in_19_of_20_searches() {
    const SEEDS: u64 = 2_000;
    for width in [0.1, 0.3, 0.6, 1.0, 2.0, 4.0] {
        let (mut holds, mut trials, mut span) = (0, 0, 0);
        for seed in 0..SEEDS {
            let mut store = NoisyStore::draw(seed, width);
            let mut search = search(settings(1, 1_000));
            let answer = run(&mut search, |streams| store.trial(streams));
            let (lo, hi) = match answer {
                Answer::Exactly { streams } => (streams, streams),
                Answer::Between { lo, hi } => (lo, hi),
                Answer::NotEvenOne => (0, 0),
                other => panic!("{other:?}"),
            };
            // `lo` always passes and `hi` + 1 never does, so the middle is between them.
            holds += u64::from(f64::from(lo) <= store.middle && store.middle <= f64::from(hi + 1));
            trials += u64::from(search.trials());
            span += u64::from(hi - lo);
            claims_only_what_passed(&search, &answer);
        }
        let share = holds as f64 / SEEDS as f64;
        let (trials, span) = (trials / SEEDS, span as f64 / SEEDS as f64);
        println!("width {width}: {share:.4} hold, {trials} trials and a range of {span:.2} on average");
        assert!(share >= 0.95, "width {width}: only {share}");
    }
}

/// A search whose answer must be confirmed for a minute, on a store that sustains `short` streams in a
/// trial and `long` for a minute. Returns the answer, and the number of one-minute trials.
fn confirmed(short: u32, long: u32) -> (Search, Answer, u32) {
    let mut search = search(SearchSettings { confirm_s: Some(60.0), ..settings(1, 1000) });
    for minutes in 0.. {
        match run_to_confirmation(&mut search, short) {
            Ok(answer) => return (search, answer, minutes),
            Err(streams) => {
                let minute = Trial { confirms: true, ..outcome(streams <= long) };
                search.report(streams, minute).unwrap();
            }
        }
    }
    unreachable!()
}

/// Runs a search until it has its answer, or requests the confirmation of a count.
fn run_to_confirmation(search: &mut Search, carries: u32) -> Result<Answer, u32> {
    for _ in 0..10_000 {
        match search.next() {
            Next::Try { streams, why: Why::Confirm } => return Err(streams),
            Next::Try { streams, .. } => search.report(streams, outcome(streams <= carries)).unwrap(),
            Next::Done(answer) => return Ok(answer),
        }
    }
    panic!("the search does not end");
}

#[test]
fn the_answer_holds_on_for_a_minute_once() {
    let (search, answer, minutes) = confirmed(31, 1000);
    assert_eq!((answer, minutes), (Answer::Exactly { streams: 31 }, 1));
    insta::assert_snapshot!(search.evidence_sentence());
    // No trial failed, and the count is confirmed, too.
    let (_, answer, minutes) = confirmed(1000, 1000);
    assert_eq!((answer, minutes), (Answer::AtLeast { streams: 1000 }, 1));
    let (_, answer, minutes) = confirmed(0, 0);
    assert_eq!((answer, minutes), (Answer::NotEvenOne, 0));
}

#[test]
fn count_that_fails_to_hold_continues_the_search_below() {
    let mut printed = Vec::<String>::new();
    let (search, answer, minutes) = confirmed(7, 6);
    assert_eq!((answer, minutes), (Answer::Exactly { streams: 6 }, 2));
    printed.push(search.answer_sentence(&answer).to_string());
    printed.push(search.evidence_sentence().to_string());
    let (_, answer, minutes) = confirmed(9, 4);
    assert_eq!((answer, minutes), (Answer::Exactly { streams: 4 }, 6));
    let (_, answer, _) = confirmed(1, 0);
    assert_eq!(answer, Answer::NotEvenOne);
    insta::assert_snapshot!(printed.join("\n"));
}

/// Trials of 10 s, confirmations of 60 s; up to 31 streams pass.
fn confirmed_within(time_max_s: f64) -> (Search, Answer) {
    let budget = SearchSettings { confirm_s: Some(60.0), time_max_s: Some(time_max_s), ..settings(1, 1000) };
    let mut search = search(budget);
    loop {
        match search.next() {
            Next::Done(answer) => return (search, answer),
            Next::Try { streams, why } => {
                let confirms = why == Why::Confirm;
                let took_s = if confirms { 60.0 } else { 10.0 };
                let trial = Trial { took_s, confirms, ..outcome(streams <= 31) };
                search.report(streams, trial).unwrap();
            }
        }
    }
}

#[test]
fn time_of_the_confirmation_is_reserved_if_the_search_has_twice_as_much() {
    for time_max_s in [120.0, 130.0, 155.0, 200.0] {
        let (search, answer) = confirmed_within(time_max_s);
        assert!(matches!(answer, Answer::BudgetSpent { .. }), "{time_max_s}: {answer:?}");
        assert_eq!(search.of(answer.streams()).confirmed, 1, "{time_max_s}: {answer:?}");
        assert!(search.spent_s() <= time_max_s, "{time_max_s}: {}", search.spent_s());
    }
    assert_eq!(confirmed_within(210.0).1, Answer::Exactly { streams: 31 });
    // In less time, it looks for the count, and resuming it confirms that.
    let (search, answer) = confirmed_within(100.0);
    assert_eq!((answer.streams(), search.spent_s()), (31, 100.0));
}

#[test]
fn search_without_time_for_its_next_trial_is_not_continued() {
    let (search, _) = confirmed_within(110.0);
    let going_on = |time_max_s| {
        let more = SearchSettings { confirm_s: Some(60.0), time_max_s, ..settings(1, 1000) };
        search.clone().going_on(more)
    };
    let refused = SearchError::NoTimeToContinue { most_s: 9.0, next_s: 10.0 };
    assert_eq!(going_on(Some(9.0)), Err(refused));
    for enough in [Some(10.0), Some(60.0), None] {
        assert!(matches!(going_on(enough).unwrap().next(), Next::Try { .. }), "{enough:?}");
    }
}

#[test]
fn time_that_is_left_differs_from_the_time_of_the_next_trial_as_shown() {
    let mut search = search(SearchSettings { time_max_s: Some(54.1), ..settings(1, 1000) });
    let trial = Trial { took_s: 18.2, ..outcome(true) };
    (0..2).for_each(|_| search.report(1, trial).unwrap());
    let Next::Done(answer) = search.next() else { panic!("{:?}", search.next()) };
    insta::assert_snapshot!(search.answer_sentence(&answer));
}

#[test]
fn one_disturbed_trial_does_not_decide() {
    for (disturbed, carries) in
        [(1, 31), (2, 31), (4, 31), (16, 31), (24, 31), (30, 31), (1, 1), (2, 2), (2, 3)]
    {
        let mut first = true;
        let mut search = search(settings(1, 1000));
        let answer = run(&mut search, |streams| {
            let is_disturbed = streams == disturbed && std::mem::take(&mut first);
            outcome(streams <= carries && !is_disturbed)
        });
        assert_eq!(answer, Answer::Exactly { streams: carries }, "{disturbed} of {carries}");
        let sentence = search.evidence_sentence();
        let said = format!("one trial with {disturbed} was disturbed");
        assert!(first || sentence.contains(&said), "{sentence}");
    }
}

#[test]
fn a_count_that_fails_twice_was_not_disturbed() {
    let mut failures = 2;
    let mut search = search(settings(1, 1000));
    let answer = run(&mut search, |streams| {
        let falls = streams == 8 && failures > 0;
        failures -= u32::from(falls);
        outcome(streams <= 31 && !falls)
    });
    assert!(answer.streams() < 8, "{answer:?}");
}

/// The claimed count, and every smaller one that was tried, never failed except in a trial that was set
/// aside. No count above `hi` ever passed.
fn claims_only_what_passed(search: &Search, answer: &Answer) {
    let claimed = answer.streams();
    let hi = match *answer {
        Answer::Between { hi, .. } => hi,
        _ => claimed,
    };
    for known in search.evidence() {
        assert!(
            known.streams > claimed || known.fell() == 0 || search.is_set_aside(known),
            "{answer:?} {known:?}"
        );
        assert!(known.streams <= hi || known.passed == 0, "{answer:?} {known:?}");
    }
    assert!(claimed == 0 || search.of(claimed).passed >= search.settings.repeats, "{answer:?}");
    assert!(hi == 0 || search.of(hi).passed > 0, "{answer:?}");
}

/// The number of powers of two up to this, including 1.
fn doublings(count: u32) -> u32 {
    count.max(1).ilog2() + 1
}

proptest! {
    #[test]
    fn a_certain_store_is_found_exactly_and_quickly(limit in 0_u32..5_000, start in 1_u32..200) {
        let mut search = search(settings(start, 10_000));
        let answer = run(&mut search, |streams| outcome(streams <= limit));
        prop_assert_eq!(answer.streams(), limit);
        let expected = if limit == 0 { Answer::NotEvenOne } else { Answer::Exactly { streams: limit } };
        prop_assert_eq!(answer, expected);
        let most = 2 * doublings(limit.max(start)) + 3 + 4;
        prop_assert!(search.trials() <= most, "{} trials for {}", search.trials(), limit);
    }

    #[test]
    fn a_search_that_is_interrupted_gives_the_same_answer(
        seed in any::<u64>(),
        width in 0.05_f64..4.0,
        stops in prop::collection::vec(0_u32..40, 0..5),
    ) {
        let mut whole = search(settings(1, 500));
        let mut store = NoisyStore::draw(seed, width);
        let answer = run(&mut whole, |streams| store.trial(streams));
        let mut parts = search(settings(1, 500));
        let mut store = NoisyStore::draw(seed, width);
        while let Next::Try { streams, .. } = parts.next() {
            parts.report(streams, store.trial(streams)).unwrap();
            if stops.contains(&parts.trials()) {
                let text = toml::to_string(&parts).unwrap();
                parts = toml::from_str(&text).unwrap();
            }
        }
        prop_assert_eq!(parts.next(), Next::Done(answer));
        prop_assert_eq!(parts, whole);
    }

    /// For any results of trials, the search ends and claims only a count that passed.
    #[test]
    fn any_store_ends_it(
        seed in any::<u64>(),
        chances in prop::collection::vec(0_u64..=10, 1..30),
        client in 0_u64..=10,
        cap in 1_u32..200,
    ) {
        let mut dice = Dice::new(seed, 0);
        let budget = SearchSettings { trials_max: Some(2_000), ..settings(1, cap) };
        let mut search = search(budget);
        let answer = run(&mut search, |streams| Trial {
            limited_by_client: dice.below(10) < client,
            ..outcome(dice.below(10) < chances[streams as usize % chances.len()])
        });
        if matches!(answer, Answer::Exactly { .. } | Answer::Between { .. } | Answer::AtLeast { .. }) {
            claims_only_what_passed(&search, &answer);
        }
        let claimed = search.of(answer.streams());
        let sound = claimed.fell() == 0 || search.is_set_aside(&claimed);
        prop_assert!(answer.streams() == 0 || claimed.passed > 0 && sound);
        prop_assert!(!search.answer_sentence(&answer).is_empty());
    }
}

/// Resuming a search sets its time and its cap again; earlier trials are not repeated.
#[test]
fn resumed_search_uses_the_new_time_and_cap() {
    let four_minutes = SearchSettings { time_max_s: Some(240.0), ..settings(1, 1000) };
    let mut first = search(four_minutes);
    assert!(matches!(run(&mut first, |streams| outcome(streams <= 31)), Answer::BudgetSpent { .. }));
    assert_eq!((first.trials(), first.spent_s()), (4, 240.0));

    let three_more = SearchSettings { time_max_s: Some(180.0), ..settings(1, 1000) };
    let mut second = first.clone().going_on(three_more).unwrap();
    let mut asked = Vec::new();
    run(&mut second, |streams| {
        asked.push(streams);
        outcome(streams <= 31)
    });
    assert_eq!(asked, [16, 32, 24]);

    let mut unlimited = first.clone().going_on(settings(1, 1000)).unwrap();
    assert_eq!(run(&mut unlimited, |streams| outcome(streams <= 31)), Answer::Exactly { streams: 31 });

    // A count above the new cap cannot be tried again, so it is not evidence any more.
    let mut nearer = first.going_on(settings(1, 5)).unwrap();
    assert_eq!(nearer.trials(), 3);
    assert_eq!(run(&mut nearer, |streams| outcome(streams <= 31)), Answer::AtLeast { streams: 5 });
}
