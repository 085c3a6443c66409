//! Rates computed by hand.

#![allow(clippy::unwrap_used)]

use reelgauge_record::test_records as made_up;

use super::*;
use crate::vda::{RateLimits, judge_rates};

const MS: u64 = 1_000_000;
const S: u64 = 1_000_000_000;

fn spec(worker: u32, component: &str, requested_ops_per_s: f64) -> RateSpec {
    RateSpec { worker, component: component.to_owned(), requested_ops_per_s }
}

/// Measured from 10 s to 40 s.
fn tally() -> RateTally {
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 10 * S, until_ns: 40 * S };
    RateTally::new(vec![spec(0, "camera", 9.0), spec(1, "companion", 1.0)], part)
}

fn op(worker: u32, transfer: u32, due_ns: u64, took_ns: u64) -> OpRecord {
    OpRecord { worker, ..made_up::write(0, 0, 100) }
        .of_transfer(transfer)
        .at_ns(due_ns)
        .took_ns(took_ns)
        .flagged(OpFlags::LAST)
}

/// Transfers of one operation each, evenly spaced over the first 50 s.
fn even(worker: u32, per_s: u64) -> Vec<OpRecord> {
    (0..50 * per_s).map(|k| op(worker, k as u32, k * S / per_s, 4 * MS)).collect()
}

fn achieved(tally: RateTally, end_ns: u64) -> Vec<f64> {
    tally.finish(end_ns).iter().map(|rate| rate.achieved_ops_per_s).collect()
}

#[test]
fn each_mean_counts_as_often_as_transfers_were_finished() {
    let together = |each: &[(f64, f64)]| mean_response_together_ms(each.iter().copied());
    assert_eq!(together(&[(2.0, 90.0), (6.0, 30.0)]), Some(3.0));
    assert_eq!(together(&[(2.0, 0.0)]), None);
    assert_eq!(together(&[]), None);
}

#[test]
fn transfers_due_in_the_measured_part_count() {
    let mut tally = tally();
    even(0, 9).iter().chain(&even(1, 1)).for_each(|op| tally.add(op));
    assert_eq!(tally.mean_response_ms(), Some(4.0));
    let rates = tally.finish(60 * S);
    assert!(judge_rates(&rates, RateLimits::default()).unwrap().valid);
    assert_eq!((rates[0].component.as_str(), rates[0].achieved_ops_per_s), ("camera", 9.0));
    assert_eq!((rates[1].component.as_str(), rates[1].achieved_ops_per_s), ("companion", 1.0));
}

/// Without a warm-up, the companion begins within the first of two seconds.
#[test]
fn only_transfers_that_were_due_are_expected_of_a_worker_that_begins_later() {
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 2 * S };
    for late_ms in [0, 40, 400, 990] {
        let specs = vec![spec(0, "camera", 9.0), spec(1, "companion", 1.0)];
        let mut tally = RateTally::new(specs, part);
        let due = |per_s: u64, k: u64| (late_ms * MS / per_s + k * S / per_s, k as u32);
        let dues = |per_s: u64| (0..60).map(move |k| due(per_s, k)).filter(|(due_ns, _)| *due_ns < 2 * S);
        dues(9).for_each(|(due_ns, k)| tally.add(&op(0, k, due_ns, MS)));
        dues(1).for_each(|(due_ns, k)| tally.add(&op(1, k, due_ns, MS)));
        let rates = tally.finish(2 * S);
        assert!(judge_rates(&rates, RateLimits::default()).unwrap().valid, "{late_ms} {rates:?}");
    }
    // Half of the due transfers are missing.
    let mut tally = RateTally::new(vec![spec(0, "camera", 9.0)], part);
    (0..9).for_each(|k| tally.add(&op(0, k as u32, 50 * MS + k * S / 9, MS)));
    assert_eq!(achieved(tally, 2 * S), [4.5]);
}

#[test]
fn a_load_point_that_was_cut_short_is_divided_by_its_own_time() {
    let mut tally = tally();
    let ops = even(0, 9).into_iter().chain(even(1, 1));
    ops.filter(|op| op.due_ns < 25 * S).for_each(|op| tally.add(&op));
    assert_eq!(achieved(tally.clone(), 25 * S), [9.0, 1.0]);
    assert_eq!(achieved(tally, 10 * S), [0.0, 0.0]);
}

#[test]
fn a_transfer_is_finished_with_its_last_operation() {
    let mut tally = tally();
    for k in 0..60 {
        let due_ns = 10 * S + u64::from(k) * S / 2;
        // A read and a write of the same block: one transfer, 3 ms + 4 ms from when the read was due.
        tally.add(&OpRecord { flags: OpFlags::NONE, ..op(0, k, due_ns, 3 * MS) });
        tally.add(&op(0, k, due_ns + 3 * MS, 4 * MS));
    }
    assert_eq!(tally.mean_response_ms(), Some(7.0));
    assert_eq!(achieved(tally, 60 * S), [2.0, 0.0]);
}

#[test]
fn a_transfer_with_a_failure_does_not_count() {
    let mut tally = tally();
    for k in 0..60 {
        let due_ns = 10 * S + u64::from(k) * S / 2;
        let errno = if k % 3 == 0 { 5 } else { 0 };
        tally.add(&OpRecord { errno, flags: OpFlags::NONE, ..op(0, k, due_ns, MS) });
        tally.add(&op(0, k, due_ns, 4 * MS));
    }
    assert_eq!(achieved(tally, 60 * S), [1.333_333, 0.0]);
}

#[test]
fn one_that_was_cut_off_is_forgotten_with_the_next() {
    let mut tally = tally();
    tally.add(&OpRecord { flags: OpFlags::NONE, errno: 5, ..op(0, 1, 11 * S, MS) });
    tally.add(&op(0, 2, 12 * S, 6 * MS));
    assert_eq!(tally.mean_response_ms(), Some(6.0));
    // One of the 81 that were due.
    assert_eq!(achieved(tally, 20 * S), [0.111_111, 0.0]);
}

#[test]
fn other_load_points_and_workers_are_ignored() {
    let mut tally = tally();
    tally.add(&OpRecord { point: 1, ..op(0, 0, 12 * S, MS) });
    tally.add(&op(7, 0, 12 * S, MS));
    tally.add(&op(1, 0, 10 * S - 1, MS));
    tally.add(&op(1, 0, 40 * S, MS));
    assert_eq!(tally.mean_response_ms(), None);
    assert_eq!(achieved(tally, 60 * S), [0.0, 0.0]);
}
