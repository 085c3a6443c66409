//! The main purpose of Reelgauge: storage that freezes for one second in a recording of 24 frames/s. The
//! expected number of late frames is computed by formula from the queue that builds up, not by
//! simulation.

use super::*;

const RATE: u64 = 24;
const SERVICE: u64 = 5 * MS;
/// The storage freezes when frame 48 is due, for one second.
const FROZEN_FRAME: u64 = 48;
const FREEZE: std::ops::Range<u64> = 2 * S..3 * S;
const FRAMES: u64 = 240;

fn due_ns(frame: u64) -> u64 {
    frame * S / RATE
}

/// A recorder with one write in flight on storage that takes 5 ms and hangs during the freeze.
fn recording(policy: Policy, prebuffer_ns: u64) -> Vec<OpRecord> {
    let mut free_ns = 0;
    let mut ops = Vec::new();
    for number in 0..FRAMES {
        let issued_ns = due_ns(number).max(free_ns);
        if policy == Policy::Drop && due_ns(number) + prebuffer_ns < issued_ns {
            continue;
        }
        let begins_ns = if FREEZE.contains(&issued_ns) { FREEZE.end } else { issued_ns };
        let done_ns = begins_ns + SERVICE;
        ops.push(OpRecord {
            kind: OpKind::Write,
            issued_ns,
            ..frame(number as u32, due_ns(number), done_ns)
        });
        free_ns = done_ns;
    }
    ops
}

fn recorder(policy: Policy, prebuffer_ns: u64) -> StreamSpec {
    player(0).that_writes(true).with_policy(policy).at_rate(RATE as u32, 1).with_buffer_ns(prebuffer_ns)
}

/// The number of late frames while the recorder catches up 1/24 s − 5 ms with every frame: the whole
/// numbers from 0 on that are below `ahead_ns` ÷ (1/24 s − 5 ms).
fn catching_up(ahead_ns: i128) -> u64 {
    // × 24, so that the frame time is a whole number of nanoseconds.
    let per_frame = i128::from(S) - i128::from(SERVICE * RATE);
    let ahead = (ahead_ns * i128::from(RATE)).max(0);
    ((ahead + per_frame - 1) / per_frame) as u64
}

/// Stall: frame 48 + j completes at 3 s + (j + 1) × 5 ms and is needed at 2 s + j/24 s + buffer.
fn late_when_stalling(prebuffer_ns: u64) -> u64 {
    catching_up(i128::from(FREEZE.end + SERVICE) - i128::from(FREEZE.start + prebuffer_ns))
}

/// Drop: frame 48 is late; those needed before 3.005 s are skipped; the recorder catches up with the
/// rest.
fn late_when_dropping(prebuffer_ns: u64) -> (u64, u64) {
    let free_ns = FREEZE.end + SERVICE;
    if FREEZE.start + prebuffer_ns >= free_ns {
        return (0, 0);
    }
    let skipped = |number: &u64| due_ns(*number) + prebuffer_ns < free_ns;
    let dropped = (FROZEN_FRAME + 1..).take_while(skipped).count() as u64;
    let next = FROZEN_FRAME + 1 + dropped;
    let catches_up = catching_up(i128::from(free_ns + SERVICE) - i128::from(due_ns(next) + prebuffer_ns));
    (1 + dropped + catches_up, dropped)
}

/// In ms. A buffer of 42 ms is the smallest that holds a whole frame (1/24 s).
const PREBUFFERS: [u64; 12] = [6, 20, 42, 84, 100, 250, 500, 750, 960, 999, 1_004, 2_000];

#[test]
fn a_freeze_makes_exactly_the_frames_late_that_the_queue_implies() {
    for prebuffer_ns in PREBUFFERS.map(|ms| ms * MS) {
        let spec = recorder(Policy::Stall, prebuffer_ns);
        let found = figures(&spec, part(0, 9 * S), &recording(Policy::Stall, prebuffer_ns));
        let late = late_when_stalling(prebuffer_ns);
        assert_eq!(fates(&found), (late, 0, 0, 0), "{prebuffer_ns}");
        assert_eq!(found.late_runs, u64::from(late > 0));
        let worst = found.worst_margin.unwrap();
        assert_eq!((worst.frame, worst.has_come), (48, true));
        assert_eq!(worst.margin_us, prebuffer_ns as f64 / 1e3 - 1_005_000.0);
    }
    // In plain numbers: with a buffer of half a second, 14 frames are late, by up to 505 ms.
    assert_eq!(late_when_stalling(500 * MS), 14);
    assert_eq!(late_when_stalling(6 * MS), 28);
    assert_eq!(late_when_stalling(1_004 * MS), 1);
    assert_eq!(late_when_stalling(1_005 * MS), 0);
}

#[test]
fn skipped_frames_of_a_freeze_count_as_dropped() {
    for prebuffer_ns in PREBUFFERS.map(|ms| ms * MS) {
        let spec = recorder(Policy::Drop, prebuffer_ns);
        let found = figures(&spec, part(0, 9 * S), &recording(Policy::Drop, prebuffer_ns));
        let (late, dropped) = late_when_dropping(prebuffer_ns);
        assert_eq!(fates(&found), (late, dropped, 0, 0), "{prebuffer_ns}");
        assert_eq!(found.late_runs, u64::from(late > 0));
    }
    assert_eq!(late_when_dropping(500 * MS), (13, 12));
}

#[test]
fn freeze_is_attributed_to_storage_and_pause_to_reelgauge() {
    let spec = recorder(Policy::Stall, 500 * MS);
    let frozen = figures(&spec, part(0, 9 * S), &recording(Policy::Stall, 500 * MS));
    assert_eq!((frozen.late_frames, frozen.late_frames_with_own_delay), (14, 0));
    assert_eq!(frozen.own_delay.unwrap().max_us, 0.0);
    // The same lateness for the viewer, but because frame 48 was not issued for a second.
    let mut free_ns = 0;
    let paused: Vec<OpRecord> = (0..FRAMES)
        .map(|number| {
            let issued_ns = due_ns(number).max(free_ns).max(if number == 48 { FREEZE.end } else { 0 });
            free_ns = issued_ns + SERVICE;
            let op = frame(number as u32, due_ns(number), free_ns);
            OpRecord { issued_ns, ..op }
        })
        .collect();
    let paused = figures(&spec, part(0, 9 * S), &paused);
    assert_eq!((paused.late_frames, paused.late_frames_with_own_delay), (14, 14));
    assert_eq!(paused.own_delay.unwrap().max_us, 1_000_000.0);
}

#[test]
fn frames_skipped_in_a_pause_of_reelgauge_are_attributed_to_it() {
    let prebuffer_ns = 100 * MS;
    // Nothing is requested from 2 s to 3 s although the storage is idle.
    let deadline_passed = |number: &u64| due_ns(*number) + prebuffer_ns < FREEZE.end;
    let skipped = |number: &u64| *number >= FROZEN_FRAME && deadline_passed(number);
    let mut free_ns = 0;
    let ops: Vec<OpRecord> = (0..FRAMES)
        .filter(|number| !skipped(number))
        .map(|number| {
            let resumes_ns = if number >= FROZEN_FRAME { FREEZE.end } else { 0 };
            let issued_ns = due_ns(number).max(free_ns).max(resumes_ns);
            free_ns = issued_ns + SERVICE;
            OpRecord { issued_ns, ..frame(number as u32, due_ns(number), free_ns) }
        })
        .collect();
    let found = figures(&recorder(Policy::Drop, prebuffer_ns), part(0, 9 * S), &ops);
    // 2 s + j/24 + 0.1 < 3 s: j from 0 to 21.
    assert_eq!(found.dropped_frames, 22);
    assert_eq!(found.late_frames_with_own_delay, found.late_frames);
    // With the same gap after a write that took a second, the storage is the culprit.
    let frozen = recording(Policy::Drop, prebuffer_ns);
    let found = figures(&recorder(Policy::Drop, prebuffer_ns), part(0, 9 * S), &frozen);
    assert!(found.late_frames > 20);
    assert_eq!(found.late_frames_with_own_delay, 0);
}

#[test]
fn late_run_reports_position_and_length() {
    let spec = recorder(Policy::Stall, 500 * MS);
    let started = MeasuredPart { started_ns: S / 2, ..part(0, 9 * S) };
    let found = figures(&spec, started, &recording(Policy::Stall, 500 * MS));
    assert_eq!(found.first_late_runs, found.worst_late_runs);
    let late_run = found.first_late_runs[0];
    assert_eq!((late_run.first_frame, late_run.frames, late_run.dropped_frames), (48, 14, 0));
    assert_eq!((late_run.began_s, late_run.began_in_point_s), (2.5, 2.0));
    assert_eq!((late_run.length_s, late_run.worst_late_us), (0.583_333, Some(505_000.0)));
    let first = found.first_late.unwrap();
    assert_eq!(
        (first.frame, first.late_us, first.dropped, first.failed),
        (48, Some(505_000.0), false, false)
    );
    // n/24 s + 0.5 s < 9 s: frames 0 to 203.
    assert_eq!(found.frames_judged, 204);
    let response = found.response.unwrap();
    assert_eq!((response.count, response.max_us, response.max_began_s), (204, 1_005_000.0, 2.0));
}

#[test]
fn clock_counts_late_frames_during_a_freeze() {
    for policy in [Policy::Stall, Policy::Drop] {
        for prebuffer_ns in [6, 100, 500].map(|ms| ms * MS) {
            let ops = recording(policy, prebuffer_ns);
            for now_ns in (0..=100).map(|step| FREEZE.start + step * 10 * MS) {
                let mut tally = LateTally::new(vec![recorder(policy, prebuffer_ns)], part(0, 9 * S));
                ops.iter().filter(|op| op.done_ns <= now_ns).for_each(|op| tally.add(op));
                let is_late = |number: &u64| due_ns(*number) + prebuffer_ns < now_ns;
                let late = (FROZEN_FRAME..).take_while(is_late).count() as u64;
                assert_eq!(tally.at(now_ns).late_frames, late, "{policy:?} {prebuffer_ns} {now_ns}");
                let needed_ns = (due_ns(FROZEN_FRAME) + prebuffer_ns) as i64;
                assert_eq!(tally.at(now_ns).margin_ns(), Some(needed_ns - now_ns as i64));
            }
        }
    }
}
