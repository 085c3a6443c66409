//! Short timelines, computed by hand.

use super::*;

/// Frame n of 25 frames/s is needed at n × 40 ms + 100 ms.
fn deadline_ms(frame: u64) -> u64 {
    frame * 40 + 100
}

fn frame_ms(number: u32, due_ms: u64, done_ms: u64) -> OpRecord {
    frame(number, due_ms * MS, done_ms * MS)
}

#[test]
fn a_stream_that_is_in_time() {
    let found = figures(&player(0), part(S, 3 * S), &played(0..80));
    assert_eq!(fates(&found), (0, 0, 0, 0));
    // Deadlines from 1.0 to before 3.0 s: frames 23 (1.02) to 72 (2.98).
    assert_eq!(found.frames_judged, 50);
    assert_eq!(found.worst_margin.unwrap().margin_us, 90_000.0);
    assert_eq!(found.margin_p1_us.map(|us| us > 89_900.0), Some(true));
    assert_eq!((found.late_runs, found.first_late), (0, None));
    assert_eq!((found.frames_per_s, found.achieved_share), (Some(25.0), Some(1.0)));
    assert_eq!(found.bytes_per_s, Some(2_500.0));
    // A tenth of a second holds 2 or 3 frames of 100 bytes.
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 2_000.0);
    assert_eq!(found.response.unwrap().max_us, 10_000.0);
}

#[test]
fn the_deadline_itself_is_in_time_and_a_nanosecond_later_is_late() {
    let mut ops = played(0..50);
    ops[10].done_ns = deadline_ms(10) * MS;
    ops[11].done_ns = deadline_ms(11) * MS + 1;
    let found = figures(&player(0), part(0, 2 * S), &ops);
    assert_eq!(fates(&found), (1, 0, 0, 0));
    assert_eq!(found.first_late.unwrap().frame, 11);
    assert_eq!(found.worst_margin.unwrap().margin_us, -0.001);
}

#[test]
fn only_deadlines_in_the_measured_part_are_judged() {
    // All frames arrive 1 s late; deadlines in 1.0..2.0 s are those of frames 23 to 47.
    let ops: Vec<OpRecord> =
        (0..80).map(|n| frame_ms(n, u64::from(n) * 40, u64::from(n) * 40 + 1100)).collect();
    let found = figures(&player(0), part(S, 2 * S), &ops);
    assert_eq!((found.frames_judged, found.late_frames), (25, 25));
    assert_eq!(found.first_late.unwrap().frame, 23);
    // Read during the warm-up, but needed after it: counts.
    let warm: Vec<OpRecord> =
        ops.iter().map(|op| OpRecord { flags: op.flags.with(OpFlags::WARMUP), ..*op }).collect();
    assert_eq!(figures(&player(0), part(S, 2 * S), &warm).late_frames, 25);
}

#[test]
fn frames_completing_out_of_order_are_judged_correctly() {
    let mut ops = played(0..50);
    // Frame 10 takes until 11 ms after its deadline; 11 to 13 overtake it.
    ops[10].done_ns = (deadline_ms(10) + 11) * MS;
    ops.sort_by_key(|op| op.done_ns);
    let found = figures(&player(0), part(0, 2 * S), &ops);
    assert_eq!(fates(&found), (1, 0, 0, 0));
    assert_eq!(found.first_late.unwrap().late_us, Some(11_000.0));
    assert_eq!((found.ops_after_frame, found.late_runs), (0, 1));
}

#[test]
fn frame_is_complete_when_its_last_byte_arrives() {
    let spec = player(0).of_frame_bytes(300);
    let part_of = |number: u32, done_ms: u64, flags: OpFlags| OpRecord {
        flags: OpFlags::FRAME.with(flags),
        ..frame_ms(number, u64::from(number) * 40, done_ms)
    };
    let mut ops = Vec::new();
    for number in 0..25 {
        let due_ms = u64::from(number) * 40;
        ops.push(part_of(number, due_ms + 5, OpFlags::NONE));
        ops.push(part_of(number, due_ms + 6, OpFlags::LAST));
        // The middle part completes last; that of frame 7 after the frame's deadline.
        let middle_ms = if number == 7 { deadline_ms(7) + 20 } else { due_ms + 30 };
        ops.push(part_of(number, middle_ms, OpFlags::NONE));
    }
    ops.sort_by_key(|op| op.done_ns);
    let found = figures(&spec, part(0, S), &ops);
    assert_eq!(fates(&found), (1, 0, 0, 0));
    assert_eq!(found.first_late.unwrap().frame, 7);
    assert_eq!(found.worst_margin.unwrap().margin_us, -20_000.0);
    let median_us = found.response.unwrap().p50_us;
    assert!((30_000.0..30_030.0).contains(&median_us), "{median_us}");
    // Without its middle part, frame 3 is not complete.
    let missing: Vec<OpRecord> =
        ops.iter().copied().filter(|op| !(op.transfer == 3 && op.done_ns == 150 * MS)).collect();
    let found = figures(&spec, part(0, S), &missing);
    assert_eq!(fates(&found), (2, 0, 0, 1));
    assert_eq!(found.worst_margin.map(|worst| (worst.frame, worst.has_come)), Some((3, false)));
}

#[test]
fn failed_and_short_frames_are_late_even_when_they_failed_early() {
    let mut ops = played(0..50);
    ops[4].errno = 5;
    ops[5].done_len = 40;
    let found = figures(&player(0), part(0, 2 * S), &ops);
    assert_eq!(fates(&found), (2, 0, 2, 0));
    let first = found.first_late.unwrap();
    assert_eq!((first.frame, first.late_us, first.failed), (4, None, true));
    assert_eq!((found.late_runs, found.first_late_runs[0].frames), (1, 2));
    assert_eq!(found.first_late_runs[0].worst_late_us, None);
    assert_eq!(found.response.unwrap().count, 46);
    // A second attempt that transfers all bytes completes the frame.
    let spec = player(0).of_frame_bytes(100);
    let mut ops = played(0..50);
    let again = OpRecord { done_ns: ops[4].done_ns + 1, issued_ns: ops[4].done_ns, ..ops[4] };
    ops[4] = OpRecord { errno: 5, done_len: 0, ..ops[4] };
    ops.insert(5, again);
    assert_eq!(fates(&figures(&spec, part(0, 2 * S), &ops)), (0, 0, 0, 0));
}

#[test]
fn frames_that_never_come_are_late() {
    // Up to frame 24, then nothing: the storage hangs. Deadlines before 2 s: frames 0 to 47.
    let found = figures(&player(0), part(0, 2 * S), &played(0..25));
    assert_eq!((found.frames_judged, fates(&found)), (48, (23, 23, 0, 0)));
    let worst = found.worst_margin.unwrap();
    // Frame 25 was needed at 1.1 s and had not arrived at 2 s.
    assert_eq!((worst.frame, worst.has_come, worst.margin_us), (25, false, -900_000.0));
    assert_eq!(found.margin_p1_us, None);
    assert_eq!(found.first_late_runs[0].length_s, 0.92);
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 0.0);
    // The same if its material ends there: nothing is missing.
    let short = player(0).of_frames(25);
    let found = figures(&short, part(0, 2 * S), &played(0..25));
    assert_eq!((found.frames_judged, fates(&found)), (25, (0, 0, 0, 0)));
    assert!(found.throughput.unwrap().min_bytes_per_s > 0.0);
    assert!(found.achieved_share.unwrap() > 0.9);
}

#[test]
fn skipped_frames_are_gaps() {
    let skipped = [3, 10, 11, 12, 20];
    let ops: Vec<OpRecord> = played(0..60).into_iter().filter(|op| !skipped.contains(&op.transfer)).collect();
    let found = figures(&player(0), part(0, 2 * S), &ops);
    assert_eq!(fates(&found), (5, 5, 0, 0));
    let runs: Vec<(u64, u64)> =
        found.first_late_runs.iter().map(|run| (run.first_frame, run.frames)).collect();
    assert_eq!(runs, [(3, 1), (10, 3), (20, 1)]);
    assert_eq!(found.worst_late_runs[0].first_frame, 10);
    assert_eq!(found.margin_p1_us, None);
    assert_eq!(found.worst_margin.unwrap().margin_us, 90_000.0);
}

#[test]
fn a_stream_that_never_began_is_not_judged() {
    let found = figures(&player(0), part(0, 2 * S), &[]);
    assert_eq!((found.began_s, found.frames_judged), (None, 0));
    assert_eq!((found.worst_margin, found.achieved_share, found.throughput), (None, None, None));
    // A stream that opened its file and did nothing more is judged, and all its frames are late.
    let found = figures(&player(0), part(0, 2 * S), &[op(OpKind::Open)]);
    assert_eq!(fates(&found), (48, 48, 0, 0));
}

#[test]
fn t0_is_when_the_first_operation_was_due_even_if_another_came_back_first() {
    let open = |due_ms: u64, done_ms: u64| op(OpKind::Open).at_ms(due_ms).done_at_ms(done_ms);
    // Opened at 500 and at 540; the second answers first.
    let mut ops = vec![open(540, 545), open(500, 550)];
    ops.extend((0..50).map(|n| frame_ms(n, 550 + u64::from(n) * 40, 560 + u64::from(n) * 40)));
    let found = figures(&player(0), part(0, 2 * S), &ops);
    assert_eq!(found.began_s, Some(0.5));
    assert_eq!(found.worst_margin.unwrap().margin_us, 40_000.0);
    // Deadlines 0.6 + n × 0.04 before 2 s.
    assert_eq!(found.frames_judged, 35);
    // 36 frames (560 + n × 40 ms before 2 s) in the 1.5 s from t0: 24 of 25 a second.
    assert_eq!(found.achieved_share, Some(0.96));
}

#[test]
fn a_buffer_that_is_still_full_of_the_warm_up_makes_no_stream_slower() {
    let spec = StreamSpec { prebuffer_ns: S, ..player(0) };
    // Started at 0.5 s: 25 frames at once, then one more whenever a frame is played, from 1.5 s on.
    let due_ms = |n: u32| if n < 25 { 500 } else { 500 + u64::from(n) * 40 };
    let ops: Vec<OpRecord> = (0..120).map(|n| frame_ms(n, due_ms(n), due_ms(n) + 10)).collect();
    let found = figures(&spec, part(S, 5 * S), &ops);
    // Deadlines from 1.5 s on; no transfer was needed before.
    assert_eq!((found.frames_judged, found.late_frames), (88, 0));
    assert!((found.achieved_share.unwrap() - 1.0).abs() < 0.01, "{found:?}");
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 2_500.0);
    // If the filling of the buffer is measured as well, all of it counts.
    let found = figures(&spec, part(0, 5 * S), &ops);
    assert!((found.achieved_share.unwrap() - 1.0).abs() < 0.01, "{found:?}");
}

#[test]
fn frames_due_after_an_early_end_are_not_judged() {
    let mut tally = LateTally::new(vec![player(0)], part(0, 60 * S));
    played(0..25).iter().for_each(|op| tally.add(op));
    // Interrupted at 1 s with frame 25 in flight, which completes ten seconds later.
    tally.end_at(S);
    tally.add(&frame_ms(25, 1_000, 11_000));
    let found = tally.finish(12 * S);
    // Frames 0 to 22 are needed before 1 s.
    assert_eq!((found.total.frames_judged, found.total.late_frames), (23, 0));
}

#[test]
fn absurd_frame_numbers_do_not_allocate_memory() {
    let started = std::time::Instant::now();
    let endless = part(0, u64::MAX);
    let ops =
        [frame_ms(0, 0, 10), frame_ms(u32::MAX, 10, 20), frame_ms(7, 20, 30), frame_ms(u32::MAX - 5, 30, 40)];
    let found = figures(&player(0), endless, &ops);
    assert!(started.elapsed().as_secs() < 5);
    assert_eq!(found.ops_after_frame, 1);
    assert_eq!(found.frames_judged, found.late_frames + 3);
    let mad = StreamSpec { rate_num: u32::MAX, prebuffer_ns: u64::MAX, ..player(0) };
    assert_eq!(figures(&mad, endless, &ops).late_frames, 0);
    let still = player(0).at_rate(0, 0);
    assert_eq!(figures(&still, endless, &ops).achieved_share, None);
}

#[test]
fn memory_is_bounded_if_a_frame_never_completes() {
    // Frame 1 is lost; 20 000 follow. All of them count.
    let ops: Vec<OpRecord> = played(0..20_000).into_iter().filter(|op| op.transfer != 1).collect();
    let found = figures(&player(0), part(0, 800 * S), &ops);
    assert_eq!(fates(&found), (1, 1, 0, 0));
    assert_eq!(found.frames_judged, 19_998);
}

#[test]
fn totals_name_the_stream_that_was_worst_and_the_one_that_was_first() {
    let specs = vec![player(70_000), player(0), player(9)];
    let mut tally = LateTally::new(specs, part(0, 2 * S));
    let mut ops = Vec::new();
    for stream in [0, 70_000] {
        ops.extend(played(0..60).into_iter().map(|op| OpRecord { stream, worker: stream, ..op }));
    }
    // Stream 0 is 500 ms late at frame 30, stream 70 000 200 ms late at frame 10.
    ops[30].done_ns = (deadline_ms(30) + 500) * MS;
    ops[60 + 10].done_ns = (deadline_ms(10) + 200) * MS;
    ops.sort_by_key(|op| op.done_ns);
    ops.push(read(0, 0, 100).on_stream(3));
    ops.push(read(0, 0, 100).in_point(1));
    ops.iter().for_each(|op| tally.add(op));
    let found = tally.finish(2 * S);
    let total = &found.total;
    assert_eq!((total.streams, total.streams_not_begun, total.streams_with_late_frames), (3, 1, 2));
    assert_eq!((total.late_frames, total.late_runs, found.ignored_ops), (2, 2, 2));
    assert_eq!(total.worst_margin.unwrap().stream, 0);
    assert_eq!(total.first_late.map(|first| (first.stream, first.late.frame)), Some((70_000, 10)));
    assert_eq!(total.response.as_ref().unwrap().count, 96);
    let numbers: Vec<u32> = found.streams.iter().map(|stream| stream.stream).collect();
    assert_eq!(numbers, [0, 9, 70_000]);
    let json = serde_json::to_string(&found).unwrap();
    assert_eq!(serde_json::from_str::<LateFigures>(&json).unwrap(), found);
}

#[test]
fn merged_hosts_equal_one_host() {
    let ops_of = |stream: u32, late_ms: u64| {
        let mut ops = played(0..60);
        ops[20].done_ns += late_ms * MS;
        ops.sort_by_key(|op| op.done_ns);
        ops.iter_mut().for_each(|op| (op.stream, op.worker) = (stream, stream));
        ops
    };
    let tally = |streams: Vec<StreamSpec>| LateTally::new(streams, part(0, 2 * S));
    let (first, second) = (ops_of(0, 0), ops_of(100, 300));
    let mut one = tally(vec![player(0), player(100)]);
    first.iter().chain(&second).for_each(|op| one.add(op));
    let one = one.finish(2 * S);
    let of = |stream: u32, ops: &[OpRecord]| {
        let mut tally = tally(vec![player(stream)]);
        ops.iter().for_each(|op| tally.add(op));
        tally.count(2 * S)
    };
    let mut both = of(100, &second);
    both.merge(of(0, &first));
    let both = both.figures();
    assert_eq!((both.total.streams, both.total.late_frames), (2, 1));
    assert_eq!(both.total.first_late.map(|first| first.stream), Some(100));
    assert_eq!((&both.total, &both.streams), (&one.total, &one.streams));
    assert_eq!(both.incident_count, one.incident_count);
}

#[test]
fn margin_p1_ignores_the_closest_hundredth_of_frames() {
    // Deadlines before 8.1 s: 200 frames, so the second closest counts.
    let p1_us = |late_ms: &[u64], dropped: &[u32]| {
        let mut ops: Vec<OpRecord> = played(0..210);
        for (frame, late_ms) in (20..).step_by(10).zip(late_ms) {
            ops[frame].done_ns = (deadline_ms(frame as u64) + late_ms) * MS;
        }
        ops.retain(|op| !dropped.contains(&op.transfer));
        ops.sort_by_key(|op| op.done_ns);
        let found = figures(&player(0), part(0, 8_100 * MS), &ops);
        assert_eq!(found.frames_judged, 200);
        found.margin_p1_us
    };
    let about = |found: Option<f64>, exact: f64| (found.unwrap() / exact - 1.0).abs() < 1e-3;
    assert!(about(p1_us(&[30, 10, 20], &[]), -20_000.0));
    assert!(about(p1_us(&[30, 10], &[]), -10_000.0));
    assert!(about(p1_us(&[30], &[]), 90_000.0));
    // Frames that never arrived count as the closest of all.
    assert!(about(p1_us(&[30, 10], &[5]), -30_000.0));
    assert_eq!(p1_us(&[30, 10], &[5, 6]), None);
}

#[test]
fn player_without_remaining_frames_has_no_late_frame() {
    // It reads 100 ms ahead, and its last frame at 860 ms; that is played until 1.1 s.
    let ahead: Vec<OpRecord> = (0..25)
        .map(|n| {
            let due_ms = (u64::from(n) * 40).saturating_sub(100);
            frame_ms(n, due_ms, due_ms + 10)
        })
        .collect();
    let film = player(0).of_frames(25);
    let found = figures(&film, part(0, 5 * S), &ahead);
    assert_eq!((found.frames_judged, found.late_frames), (25, 0));
    assert_eq!(found.throughput.unwrap().min_bytes_per_s, 2_000.0);
}

#[test]
fn late_at_counts_each_late_frame_once_known() {
    let mut tally = LateTally::new(vec![player(0)], part(0, 10 * S));
    assert!(tally.has_streams());
    assert!(!LateTally::new(Vec::new(), part(0, 10 * S)).has_streams());
    played(0..3).iter().for_each(|op| tally.add(op));
    let late_at = |tally: &LateTally, now_ns: u64| tally.at(now_ns).late_frames;
    assert_eq!(late_at(&tally, deadline_ms(3) * MS), 0);
    assert_eq!(late_at(&tally, deadline_ms(3) * MS + 1), 1);
    // Frame 3 arrives 5 ms after its deadline.
    tally.add(&frame_ms(3, 120, deadline_ms(3) + 5));
    tally.add(&frame_ms(4, 160, deadline_ms(4) - 1));
    assert_eq!(late_at(&tally, deadline_ms(5) * MS), 1);
    // Nothing arrives any more: one more late frame every 40 ms, until the measured part is over.
    assert_eq!(late_at(&tally, deadline_ms(30) * MS), 1 + 25);
    assert_eq!(late_at(&tally, u64::MAX), late_when_nothing_comes_after(5));
    assert_eq!(tally.finish(10 * S).total.late_frames, late_when_nothing_comes_after(5));
}

/// Counts the late frames of 10 s, in which only the first `came` frames arrived, one of them late.
fn late_when_nothing_comes_after(came: u64) -> u64 {
    let judged = (0..).take_while(|frame| deadline_ms(*frame) * MS < 10 * S).count() as u64;
    judged - came + 1
}
