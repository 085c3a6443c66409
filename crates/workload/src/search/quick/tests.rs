//! Quick searches on stores with a known limit, with disturbed trials.

#![allow(clippy::unwrap_used)]

use super::*;
use crate::search::{Answer, Next, SearchSettings, Trial};

const TRIAL_S: f64 = 1.9;

fn quick(expected: f64, cap: u32, time_max_s: f64) -> Search {
    let start = (expected as u32).clamp(1, cap);
    let (time_max_s, expected) = (Some(time_max_s), Some(expected));
    Search::new(SearchSettings { start, cap, time_max_s, expected, ..SearchSettings::default() }).unwrap()
}

fn tried(passed: bool, reached: f64) -> Trial {
    Trial { passed, took_s: TRIAL_S, reached: Some(reached), ..Trial::default() }
}

fn held(passed: bool) -> Trial {
    Trial { passed, confirms: true, ..Trial::default() }
}

fn next(search: &Search) -> Option<u32> {
    match search.next() {
        Next::Try { streams, .. } => Some(streams),
        Next::Done(_) => None,
    }
}

/// Runs the trials of a search, and returns the counts that were tried.
fn run(search: &mut Search, mut trial: impl FnMut(usize, u32) -> Trial) -> Vec<u32> {
    let mut asked = Vec::new();
    while let Some(streams) = next(search) {
        assert!(asked.len() < 20, "{asked:?}");
        search.report(streams, trial(asked.len(), streams)).unwrap();
        asked.push(streams);
    }
    asked
}

/// Searches storage with a capacity of `capacity` streams, within `time_s` seconds. `disturbed` trials
/// always fail.
fn searched(expected: f64, capacity: f64, cap: u32, time_s: f64, disturbed: &[usize]) -> (Vec<u32>, Search) {
    let mut search = quick(expected, cap, time_s);
    let asked = run(&mut search, |number, streams| {
        let is_disturbed = disturbed.contains(&number);
        let share = if is_disturbed { 0.5 } else { 1.0 };
        let wanted = f64::from(streams);
        tried(wanted <= capacity && !is_disturbed, wanted.min(capacity) * share)
    });
    (asked, search)
}

fn look(expected: f64, capacity: f64, cap: u32) -> (Vec<u32>, u32, bool) {
    let (asked, search) = searched(expected, capacity, cap, 7.0, &[]);
    (asked, search.sure(), search.failed_from().is_some())
}

#[test]
fn failed_trial_rate_guides_the_search_to_the_limit() {
    assert_eq!(look(40.0, 31.5, 500), (vec![40, 31, 35], 31, true));
    assert_eq!(look(31.0, 31.5, 500), (vec![31, 34, 32], 31, true));
    // So few streams that the next count is the limit.
    assert_eq!(look(2.0, 1.3, 500), (vec![2, 1], 1, true));
    assert_eq!(look(0.2, 1.3, 500), (vec![1, 2], 1, true));
}

#[test]
fn the_answer_is_as_wide_as_the_error() {
    let answer = |time_s| match searched(40.0, 31.5, 500, time_s, &[]).1.next() {
        Next::Done(answer) => answer,
        other => panic!("{other:?}"),
    };
    assert_eq!(answer(60.0), Answer::Between { lo: 31, hi: 32 });
    assert!(matches!(answer(4.0), Answer::BudgetSpent { streams: 31, failing_from: Some(40), .. }));
    let (_, open) = searched(900.0, 9_000.0, 500, 7.0, &[]);
    assert_eq!(open.next(), Next::Done(Answer::AtLeast { streams: 500 }));
}

#[test]
fn a_rate_that_collapses_under_too_many_streams_is_no_bound() {
    // 319 streams have the throughput of 67, but 200 are sustained.
    let mut search = quick(327.0, 319, 7.0);
    let asked = run(&mut search, |_, streams| {
        let passed = streams <= 200;
        tried(passed, if passed { f64::from(streams) } else { 67.3 })
    });
    assert_eq!(asked, [319, 146, 215]);
    let most = search.sure() + search.error(search.sure());
    assert!(search.sure() <= 200 && most >= 200, "{} to {most}", search.sure());
}

#[test]
fn a_count_that_passed_and_failed_is_no_lower_bound() {
    let mut search = quick(15.0, 500, 2.0 * TRIAL_S);
    search.report(15, tried(false, 9.0)).unwrap();
    search.report(15, tried(true, 15.0)).unwrap();
    assert_eq!(next(&search), None);
    assert_eq!((search.sure(), search.error(15), search.is_contested(15)), (15, 6, true));
}

#[test]
fn not_even_one_and_no_limit() {
    // Zero streams are reported only after a second trial.
    assert_eq!(look(0.9, 0.5, 500), (vec![1, 1], 0, true));
    assert_eq!(look(900.0, 9_000.0, 500), (vec![500], 500, false));
    assert_eq!(look(100.0, 9_000.0, 500), (vec![100, 110, 121], 121, false));
}

#[test]
fn the_error_holds_the_truth() {
    for tenths in 8..600 {
        let capacity = f64::from(tenths) / 10.0;
        for expected in [capacity * 0.7, capacity * 0.95, capacity * 1.05, capacity * 1.6] {
            let (asked, search) = searched(expected, capacity, 500, 4.0, &[]);
            let (found, error) = (search.sure(), search.error(search.sure()));
            let off = (capacity as u32).abs_diff(found);
            let is_open = search.failed_from().is_none();
            assert!(is_open || off <= error, "{capacity} {expected}: {found} ± {error}, {asked:?}");
            assert!(found <= capacity as u32);
        }
    }
}

#[test]
fn a_count_that_fails_although_more_was_expected_is_tried_again() {
    let (asked, search) = searched(5.0, 5.5, 500, 10.0, &[0]);
    assert_eq!((search.sure(), &asked[..2]), (5, [5, 5].as_slice()), "{asked:?}");
    let (asked, search) = searched(40.0, 31.5, 500, 10.0, &[1]);
    assert_eq!(asked[..3], [40, 31, 31]);
    assert!(search.sure().abs_diff(31) <= search.error(search.sure()), "{asked:?}");
}

#[test]
fn not_even_one_takes_two_trials() {
    for limited_by_client in [false, true] {
        let mut search = quick(1.1, 500, 1.0);
        let failed = Trial { limited_by_client, ..tried(false, 0.9) };
        search.report(1, failed).unwrap();
        assert_eq!(next(&search), Some(1), "beyond the time, too");
        search.report(1, failed).unwrap();
        assert_eq!((next(&search), search.sure()), (None, 0));
        assert_eq!(search.times_failed(1), if limited_by_client { 0 } else { 2 });
        // One stream passed the confirmation, so both trials were disturbed.
        search.report(1, held(true)).unwrap();
        assert_eq!((search.sure(), search.failed_from(), search.error(1)), (1, None, 1));
    }
    // A failed confirmation of one stream counts as one trial, too.
    let mut search = quick(1.1, 500, 4.3);
    search.report(1, held(false)).unwrap();
    assert_eq!(search.times_failed(1), 1);
}

#[test]
fn far_too_many_streams_confirm_nothing() {
    let mut search = quick(17.0, 500, 4.0);
    search.report(20, tried(false, 17.9)).unwrap();
    assert!(search.failed_below(18.0) && !search.failed_below(17.0));
    let mut crowd = quick(327.0, 500, 4.0);
    crowd.report(319, tried(false, 67.3)).unwrap();
    assert!(!crowd.failed_below(f64::INFINITY));
}

#[test]
fn late_frames_at_full_rate_are_halved_down() {
    // The storage delivers the requested rate, but beyond 5 streams frames are late.
    let mut search = quick(64.0, 500, 7.0);
    run(&mut search, |_, streams| tried(streams <= 5, f64::from(streams)));
    // The search exceeds its time until a count passes.
    assert_eq!(search.sure(), 4);
}

#[test]
fn count_passed_above_a_failure_is_not_claimed() {
    let mut search = quick(10.0, 500, 3.0);
    search.report(10, tried(true, 8.0)).unwrap();
    search.report(8, tried(false, 8.0)).unwrap();
    assert_eq!((search.sure(), search.failed_from()), (0, Some(8)));
}

/// The confirmed count is within the error.
#[test]
fn failure_below_a_held_count_bounds_the_claim() {
    let mut search = quick(5.0, 500, 7.0);
    search.report(5, tried(true, 5.0)).unwrap();
    search.report(3, tried(true, 3.0)).unwrap();
    search.report(5, held(true)).unwrap();
    search.report(4, held(false)).unwrap();
    assert_eq!((search.sure(), search.failed_from(), search.error(3)), (3, Some(4), 2));
}
