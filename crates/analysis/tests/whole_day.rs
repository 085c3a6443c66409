//! A day of frames, all of which are judged. An integration test, because it computes long: here the
//! crate is optimised.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{LateTally, MeasuredPart};
use reelgauge_record::test_records::read;

const S: u64 = 1_000_000_000;
const PREBUFFER_NS: u64 = 100_000_000;

#[test]
fn a_day_at_59_94_is_exact_to_the_last_frame() {
    let day = 24 * 3600 * S;
    let ntsc = player(0).at_rate(60_000, 1001);
    let timeline = ntsc.timeline(0);
    let total = timeline.frames_before(day) as u32;
    assert_eq!(total, 5_178_816);
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: day };
    let mut tally = LateTally::new(vec![ntsc], part);
    for number in 0..total {
        let deadline_ns = timeline.deadline_ns(u64::from(number));
        // Every frame arrives on its deadline, and every millionth one nanosecond later.
        let late_ns = u64::from(number % 1_000_000 == 999_999);
        let frame = read(0, 0, 100).frame(number).at_ns(deadline_ns - PREBUFFER_NS);
        tally.add(&frame.done_at_ns(deadline_ns + late_ns));
    }
    let found = tally.finish(day);
    assert_eq!((found.total.frames_judged, found.total.late_frames), (5_178_816, 5));
    assert_eq!(found.total.late_runs, 5);
    assert_eq!(found.streams[0].worst_margin.unwrap().margin_us, -0.001);
}
