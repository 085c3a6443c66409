//! Timelines worked out by hand, a store that freezes, and random streams against a plain recomputation.

#![allow(clippy::unwrap_used)]

mod cues;
mod freeze;
mod naive;
mod now;
mod scenes;

use reelgauge_record::{OpFlags, OpKind, OpRecord};

use super::*;

pub(super) const MS: u64 = 1_000_000;
pub(super) const S: u64 = 1_000_000_000;

/// A read of 100 bytes that took no time, of no frame.
pub(crate) fn op() -> OpRecord {
    OpRecord {
        offset: 0,
        due_ns: 0,
        issued_ns: 0,
        done_ns: 0,
        worker: 0,
        stream: 0,
        transfer: 0,
        file: 0,
        len: 100,
        done_len: 100,
        errno: 0,
        kind: OpKind::Read,
        flags: OpFlags::NONE,
        point: 0,
    }
}

/// The only operation of a frame, issued when it was due.
fn frame(number: u32, due_ns: u64, done_ns: u64) -> OpRecord {
    OpRecord {
        transfer: number,
        due_ns,
        issued_ns: due_ns,
        done_ns,
        flags: OpFlags::FRAME.with(OpFlags::LAST),
        ..op()
    }
}

/// A player of 25 frames/s with a buffer of 100 ms.
fn spec() -> StreamSpec {
    StreamSpec {
        stream: 0,
        name: "player, test".to_owned(),
        writes: false,
        policy: Policy::Drop,
        rate_num: 25,
        rate_den: 1,
        prebuffer_ns: 100 * MS,
        frame_bytes: None,
        frames_total: None,
        throughput_needed_bytes_per_s: None,
        begins: None,
    }
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

/// Late, dropped, failed, unfinished.
fn fates(figures: &StreamFigures) -> (u64, u64, u64, u64) {
    let late = figures.late_frames;
    (late, figures.dropped_frames, figures.failed_frames, figures.unfinished_frames)
}
