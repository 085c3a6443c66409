//! The live view: margins that run out, streams that never began, jumps.

use super::*;
use crate::Culprit;

fn tally_of(spec: StreamSpec, part: MeasuredPart, ops: &[OpRecord]) -> LateTally {
    let mut tally = LateTally::new(vec![spec], part);
    ops.iter().for_each(|op| tally.add(op));
    tally
}

fn late_and_margin_ms(tally: &LateTally, now_ms: u64) -> (u64, Option<i64>) {
    let now = tally.at(now_ms * MS);
    (now.late_frames, now.margin_ns().map(|ns| ns / MS as i64))
}

#[test]
fn a_margin_runs_out_by_the_clock_and_frames_are_late_one_by_one() {
    // 25 frames have arrived; the next, 25, is needed at 1.1 s.
    let tally = tally_of(player(0), part(0, 9 * S), &played(0..25));
    assert_eq!(late_and_margin_ms(&tally, 1_000), (0, Some(100)));
    assert_eq!(late_and_margin_ms(&tally, 1_100), (0, Some(0)));
    assert_eq!(late_and_margin_ms(&tally, 1_101), (1, Some(-1)));
    assert_eq!(late_and_margin_ms(&tally, 3_101), (51, Some(-2_001)));
    // Nothing is late after the end of the measured part.
    assert_eq!(late_and_margin_ms(&tally, 60_000), (198, Some(1_100 - 9_000)));
    assert_eq!(tally.at(60 * S).at_ns, 9 * S);
    assert_eq!(tally.finish(9 * S).total.late_frames, 198);
}

#[test]
fn only_the_measured_part_counts() {
    let tally = tally_of(player(0), part(2 * S, 9 * S), &played(0..25));
    // Frames 25 to 47 are needed in the warm-up; the first that counts at 2.02 s.
    assert_eq!(late_and_margin_ms(&tally, 2_020), (0, Some(-920)));
    assert_eq!(late_and_margin_ms(&tally, 2_021), (1, Some(-921)));
}

#[test]
fn stream_with_a_hanging_first_operation_is_late() {
    // The start of the other stream is unknown.
    let begins = Some(Beginning { after_ns: 400 * MS, may_jump: false });
    let mut tally = LateTally::new(vec![player(0), StreamSpec { begins, ..player(7) }], part(0, 9 * S));
    assert_eq!(late_and_margin_ms(&tally, 399), (0, None));
    assert_eq!(late_and_margin_ms(&tally, 400), (0, Some(100)));
    assert_eq!(late_and_margin_ms(&tally, 1_001), (13, Some(-501)));
    let now = tally.at(1_001 * MS);
    assert_eq!((now.streams[0].late_frames, now.streams[0].margin_ns), (0, None));
    assert_eq!((now.streams[1].late_frames, now.streams[1].buffer_ns), (13, 100 * MS));
    // The file is finally opened: from now on the start of the stream is certain.
    let opened = op(OpKind::Open).on_stream(7).at_ms(404);
    tally.add(&opened.done_at_ms(980));
    assert_eq!(late_and_margin_ms(&tally, 983), (12, Some(-479)));
    assert_eq!(tally.finish(9 * S).total.streams_not_begun, 1);
}

#[test]
fn stream_without_a_first_completion_is_judged() {
    let begins = Some(Beginning { after_ns: 400 * MS, may_jump: false });
    let mut tally = LateTally::new(vec![StreamSpec { begins, ..player(0) }], part(0, 9 * S));
    tally.unanswered(400 * MS, 2 * S);
    // Frame 0 was due at 0.5 s, one follows every 40 ms.
    let found = tally.finish(2 * S);
    assert_eq!((found.total.frames_judged, found.total.late_frames), (38, 38));
    assert_eq!(found.total.streams_not_begun, 0);
    assert_eq!(found.incident_count, 1);
    assert_eq!(found.incidents[0].culprit, Culprit::Storage);
}

#[test]
fn an_out_of_order_answer_does_not_hide_the_one_that_hangs() {
    // Several are in flight; frame 3 hangs, the following ones have arrived.
    let ops: Vec<OpRecord> = played(0..10).into_iter().filter(|op| op.transfer != 3).collect();
    let tally = tally_of(player(0), part(0, 9 * S), &ops);
    assert_eq!(late_and_margin_ms(&tally, 220), (0, Some(280)));
    assert_eq!(late_and_margin_ms(&tally, 400), (1, Some(100)));
}

#[test]
fn no_frame_is_due_during_a_scrub() {
    let mut tally = tally_of(player(0), part(0, 9 * S), &played(0..25));
    tally.add(&scrub(1_001 * MS, 5 * MS));
    assert_eq!(late_and_margin_ms(&tally, 3_000), (0, None));
    // Playback restarts at frame 70; the frames in between were not wanted.
    let mut ops = played(70..72);
    ops[0].flags = ops[0].flags.with(OpFlags::CUE);
    tally.add(&ops[0]);
    assert_eq!(late_and_margin_ms(&tally, 2_900), (0, Some(40)));
    tally.add(&ops[1]);
    assert_eq!(late_and_margin_ms(&tally, 2_981), (1, Some(-1)));
}

#[test]
fn stream_that_may_stop_is_late_only_after_500ms() {
    let begins = Some(Beginning { after_ns: 0, may_jump: true });
    let mut tally = tally_of(StreamSpec { begins, ..player(0) }, part(0, 9 * S), &played(0..25));
    // Frame 25 is needed at 1.1 s.
    assert_eq!(late_and_margin_ms(&tally, 1_100), (0, Some(0)));
    assert_eq!(late_and_margin_ms(&tally, 1_101), (0, None));
    assert_eq!(late_and_margin_ms(&tally, 1_600), (0, None));
    assert_eq!(late_and_margin_ms(&tally, 1_601), (13, Some(-501)));
    // Frames that are certainly late are reported at once: frame 26 has been begun, 25 has not arrived.
    let ops = [frame(26, 1_040 * MS, 1_300 * MS)];
    ops.iter().for_each(|op| tally.add(op));
    assert_eq!(late_and_margin_ms(&tally, 1_301), (2, None));
}

#[test]
fn a_film_that_has_come_to_its_end_is_not_overdue() {
    let film = player(0).of_frames(25);
    let tally = tally_of(film, part(0, 9 * S), &played(0..25));
    assert_eq!(late_and_margin_ms(&tally, 8_000), (0, None));
}

#[test]
fn interrupted_load_point_keeps_its_state() {
    let mut tally = tally_of(player(0), part(0, 9 * S), &played(0..25));
    tally.end_at(2 * S);
    let late = tally.at(8 * S).late_frames;
    assert_eq!((late, tally.finish(2 * S).total.late_frames), (23, 23));
}
