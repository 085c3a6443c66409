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

/// The numbers of late, dropped, failed and unfinished frames.
fn fates(figures: &StreamFigures) -> (u64, u64, u64, u64) {
    let late = figures.late_frames;
    (late, figures.dropped_frames, figures.failed_frames, figures.unfinished_frames)
}
