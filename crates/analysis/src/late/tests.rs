//! Timelines computed by hand, storage that freezes, and random streams compared with a simple
//! recomputation.

#![allow(clippy::unwrap_used)]

mod cues;
mod freeze;
mod naive;
mod now;
mod scenes;

use reelgauge_record::test_records::{op, read};
use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::test_streams::player;
use super::*;

pub(super) const MS: u64 = 1_000_000;
pub(super) const S: u64 = 1_000_000_000;

/// The only operation of a frame, issued when it was due.
fn frame(number: u32, due_ns: u64, done_ns: u64) -> OpRecord {
    read(0, 0, 100).frame(number).at_ns(due_ns).done_at_ns(done_ns)
}

/// Frames of 25 frames/s, each requested when it is due and complete 10 ms later.
fn played(frames: std::ops::Range<u32>) -> Vec<OpRecord> {
    frames.map(|n| read(0, 0, 100).frame(n).at_ms(u64::from(n) * 40).took_ms(10)).collect()
}

/// A read of a user who searches for a position.
fn scrub(due_ns: u64, took_ns: u64) -> OpRecord {
    read(0, 0, 100).at_ns(due_ns).took_ns(took_ns).flagged(OpFlags::RANDOM)
}

fn part(from_ns: u64, until_ns: u64) -> MeasuredPart {
    MeasuredPart { point: 0, started_ns: 0, from_ns, until_ns }
}

fn figures(spec: &StreamSpec, part: MeasuredPart, ops: &[OpRecord]) -> StreamFigures {
    let mut tally = LateTally::new(vec![spec.clone()], part);
    ops.iter().for_each(|op| tally.add(op));
    let mut figures = tally.finish(part.until_ns);
    figures.streams.remove(0)
}

#[test]
#[should_panic(expected = "each stream of a load point has its own number")]
fn two_streams_with_the_same_number_are_a_defect() {
    let mut tally = LateTally::new(vec![player(3)], part(0, S));
    tally.streams.push(StreamTally::new(player(3), part(0, S)));
    tally.count(S);
}

/// Frames of 25 per second for a buffer of 1 s, one at a time, 1 ms each. Every one begins when it is due,
/// and from frame 50 on when a limit lets it: one every 43 ms.
fn limited(frames: u32, flags: OpFlags, slow_ns: u64) -> StreamFigures {
    let spec = player(0).with_buffer_ns(S).of_frames(u64::from(frames));
    let ops: Vec<OpRecord> = (0..u64::from(frames))
        .map(|n| {
            // The frames of the first second fill the buffer.
            let due_ns = n.saturating_sub(25) * 40 * MS;
            let issued_ns = due_ns + n.saturating_sub(50) * slow_ns;
            let op = read(0, 0, 100).frame(n as u32).due_at_ns(due_ns).flagged(flags);
            OpRecord { issued_ns, done_ns: issued_ns + MS, ..op }
        })
        .collect();
    figures(&spec, part(0, u64::from(frames) * 40 * MS), &ops)
}

#[test]
fn waits_for_a_rate_limit_shrink_margins_and_waits_of_reelgauge_do_not() {
    let fall = |flags| limited(300, flags, 3 * MS).margin_trend.map(|trend| trend.fall_ms_per_s);
    let (limit, own) = (fall(OpFlags::RATE_LIMITED).unwrap(), fall(OpFlags::NONE).unwrap());
    assert!((60.0..80.0).contains(&limit), "{limit} ms per second: 3 of 43 ms");
    assert!(own.abs() < 0.1, "{own}");
}

#[test]
fn late_frames_that_waited_for_a_rate_limit_are_not_late_by_reelgauge() {
    let attributed = |flags| {
        let found = limited(600, flags, 6 * MS);
        assert!(found.late_frames > 100, "{}", found.late_frames);
        assert_eq!(found.late_frames_with_own_delay + found.late_frames_rate_limited, found.late_frames);
        let own_delay = found.own_delay.unwrap().max_us;
        (found.late_frames_with_own_delay > 0, found.late_frames_rate_limited > 0, own_delay > 1e3)
    };
    assert_eq!(attributed(OpFlags::RATE_LIMITED), (false, true, false));
    assert_eq!(attributed(OpFlags::NONE), (true, false, true));
}

/// The numbers of late, dropped, failed and unfinished frames.
fn fates(figures: &StreamFigures) -> (u64, u64, u64, u64) {
    let late = figures.late_frames;
    (late, figures.dropped_frames, figures.failed_frames, figures.unfinished_frames)
}
