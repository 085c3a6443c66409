//! Playback that jumps, stops and continues; and frames that are one file each.

use super::*;

/// Frames that are [`played`], where playback restarts at the first of them.
fn cued(frames: std::ops::Range<u32>) -> Vec<OpRecord> {
    let mut ops = played(frames);
    ops[0].flags = ops[0].flags.with(OpFlags::CUE);
    ops
}

#[test]
fn frames_between_the_last_begun_and_a_cue_are_not_judged() {
    for policy in [Policy::Drop, Policy::Stall] {
        for prebuffer_ns in [20 * MS, 100 * MS, S] {
            let spec = StreamSpec { policy, prebuffer_ns, ..player(0) };
            let ops = [played(0..25), cued(70..100)].concat();
            let until_ns = spec.timeline(0).deadline_ns(100);
            let found = figures(&spec, part(0, until_ns), &ops);
            assert_eq!((found.frames_judged, fates(&found)), (55, (0, 0, 0, 0)));
            // Without the cue they count as dropped.
            let found = figures(&spec, part(0, until_ns), &[played(0..25), played(70..100)].concat());
            assert_eq!((found.frames_judged, fates(&found)), (100, (45, 45, 0, 0)));
            assert_eq!(found.late_frames_with_own_delay, 45);
        }
    }
}

#[test]
fn a_gap_before_the_cue_may_reach_over_the_end_of_the_warm_up() {
    // Measured from 2 s on: frame 48 is needed at 2.02 s. Frames 25 to 69 were not wanted.
    let ops = [played(0..25), cued(70..100)].concat();
    let found = figures(&player(0), part(2 * S, 4 * S), &ops);
    assert_eq!((found.frames_judged, found.late_frames), (28, 0));
}

#[test]
fn a_cue_whose_read_fails_is_still_a_cue() {
    let mut ops = [played(0..25), cued(70..100)].concat();
    ops[25].errno = 5;
    let found = figures(&player(0), part(0, 4 * S), &ops);
    assert_eq!((found.frames_judged, fates(&found)), (53, (1, 0, 1, 0)));
    assert_eq!(found.first_late.map(|first| (first.frame, first.failed)), Some((70, true)));
}

#[test]
fn frames_skipped_while_playing_are_dropped_and_late_runs_end_at_the_gap() {
    let mut ops = [played(0..25), cued(70..100)].concat();
    // 10 and 11 are skipped; the last before the jump and the first after it are late.
    ops.retain(|op| !(10..12).contains(&op.transfer));
    for op in ops.iter_mut().filter(|op| op.transfer == 24 || op.transfer == 70) {
        op.done_ns += 200 * MS;
    }
    let found = figures(&player(0), part(0, 4 * S), &ops);
    assert_eq!((found.frames_judged, fates(&found)), (53, (4, 2, 0, 0)));
    let runs: Vec<(u64, u64)> =
        found.first_late_runs.iter().map(|run| (run.first_frame, run.frames)).collect();
    assert_eq!(runs, [(10, 2), (24, 1), (70, 1)]);
}

#[test]
fn a_long_pause_is_no_gap_of_dropped_frames() {
    // An hour at 25 frames/s is more than is kept.
    let ops = [played(0..25), cued(90_000..90_100)].concat();
    let found = figures(&player(0), part(0, 3_604 * S), &ops);
    assert_eq!((found.frames_judged, fates(&found)), (123, (0, 0, 0, 0)));
    let ops = [played(0..25), played(90_000..90_100)].concat();
    let found = figures(&player(0), part(0, 3_604 * S), &ops);
    assert_eq!(found.dropped_frames, 89_975);
}

#[test]
fn throughput_gap_in_a_pause_is_not_attributed_to_storage() {
    let ops = [played(0..50), cued(100..150)].concat();
    let found = figures(&player(0), part(0, 6 * S), &ops);
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 2_000.0);
    let found = figures(&player(0), part(0, 6 * S), &[played(0..50), played(100..150)].concat());
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 0.0);
    // The user scrubs from 2 s to the end.
    let found =
        figures(&player(0), part(0, 6 * S), &[played(0..50), vec![scrub(2_100 * MS, 5 * MS)]].concat());
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 2_000.0);
}

#[test]
fn load_point_ending_during_a_scrub_has_no_missing_frame() {
    // The cameras of one worker; only the first one is scrubbed.
    let specs = vec![player(0), player(1), player(2)];
    let mut tally = LateTally::new(specs, part(0, 4 * S));
    for (stream, worker) in [(0, 0), (1, 0), (2, 7)] {
        let ops = played(0..25).into_iter().map(|op| OpRecord { stream, worker, ..op });
        ops.for_each(|op| tally.add(&op));
    }
    tally.add(&scrub(1_100 * MS, 5 * MS));
    let found = tally.finish(4 * S);
    let judged: Vec<u64> = found.streams.iter().map(|stream| stream.frames_judged).collect();
    // The stream of another worker should have continued: 98 frames are needed before 4 s.
    assert_eq!(judged, [25, 25, 98]);
    assert_eq!((found.total.late_frames, found.streams[2].dropped_frames), (73, 73));
    // Frames that were dropped before the scrub stay dropped.
    let mut ops = played(0..25);
    ops.remove(7);
    ops.push(scrub(1_100 * MS, 5 * MS));
    assert_eq!(fates(&figures(&player(0), part(0, 4 * S), &ops)), (1, 1, 0, 0));
}

/// One frame as a file: `before`, the data, `after`, each 5 ms long.
fn file_of(n: u32, before: OpKind, data: OpKind, after: [(OpKind, OpFlags); 2]) -> Vec<OpRecord> {
    let due_ns = u64::from(n) * 40 * MS;
    let last = if data == OpKind::Read { OpFlags::LAST } else { OpFlags::NONE };
    let ops = [(before, OpFlags::FRAME), (data, OpFlags::FRAME.with(last))].into_iter().chain(after);
    let op = |(step, (kind, flags)): (u64, (OpKind, OpFlags))| OpRecord {
        kind,
        flags,
        issued_ns: due_ns + step * 5 * MS,
        len: if kind.moves_data() { 100 } else { 0 },
        done_len: if kind.moves_data() { 100 } else { 0 },
        ..frame(n, due_ns, due_ns + (step + 1) * 5 * MS)
    };
    (0..).zip(ops).map(op).collect()
}

fn written_file(n: u32) -> Vec<OpRecord> {
    let end = [(OpKind::Sync, OpFlags::FRAME), (OpKind::Close, OpFlags::FRAME.with(OpFlags::LAST))];
    file_of(n, OpKind::Create, OpKind::Write, end)
}

#[test]
fn a_frame_that_is_read_from_its_own_file_is_there_before_the_close() {
    let end = [(OpKind::Close, OpFlags::NONE), (OpKind::Stat, OpFlags::NONE)];
    let mut ops: Vec<OpRecord> = (0..50).flat_map(|n| file_of(n, OpKind::Open, OpKind::Read, end)).collect();
    // A close that takes half a second delays no frame; opening frame 20 for half a second makes it
    // late.
    ops[4 * 9 + 2].done_ns += 500 * MS;
    for op in &mut ops[4 * 20..4 * 21] {
        op.done_ns += 500 * MS;
    }
    for frame_bytes in [None, Some(100)] {
        let spec = StreamSpec { frame_bytes, ..player(0) };
        let found = figures(&spec, part(0, 2 * S), &ops);
        assert_eq!(fates(&found), (1, 0, 0, 0));
        assert_eq!(found.first_late.map(|late| (late.frame, late.late_us)), Some((20, Some(410_000.0))));
        // From the open's due time to the last byte.
        assert_eq!(found.response.unwrap().max_us, 510_000.0);
        assert_eq!(found.ops_after_frame, 0);
    }
}

#[test]
fn a_frame_that_is_written_to_its_own_file_is_there_with_the_close() {
    for frame_bytes in [None, Some(100)] {
        let spec = StreamSpec { frame_bytes, writes: true, ..player(0) };
        let mut ops: Vec<OpRecord> = (0..50).flat_map(written_file).collect();
        let found = figures(&spec, part(0, 2 * S), &ops);
        assert_eq!((found.late_frames, found.worst_margin.unwrap().margin_us), (0, 80_000.0));
        // Slow closes, a close that fails, a sync that fails, a file that cannot be made.
        ops[4 * 10 + 3].done_ns += 100 * MS;
        ops[4 * 11 + 3].errno = 28;
        ops[4 * 12 + 2].errno = 5;
        ops[4 * 13].errno = 13;
        ops.retain(|op| op.transfer != 13 || op.kind == OpKind::Create);
        let found = figures(&spec, part(0, 2 * S), &ops);
        assert_eq!(fates(&found), (4, 0, 3, 0));
        assert_eq!(found.first_late.map(|late| (late.frame, late.late_us)), Some((10, Some(20_000.0))));
    }
}
