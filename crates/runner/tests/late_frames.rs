//! The store freezes for exactly one second: exactly the frames that the timeline implies are late, for
//! recorders and players, several buffers, both policies, both kinds of read-ahead. In virtual time.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::late::{LateTally, MeasuredPart, Policy as Judged, StreamFigures, StreamSpec};
use reelgauge_engine::driver::Worker;
use reelgauge_engine::simulated::{Outcome, Span, simulate};
use reelgauge_formats::FrameRate;
use reelgauge_workload::clip::Clip;
use reelgauge_workload::pace::{Pace, Policy, ReadAhead};
use reelgauge_workload::player::{Player, PlayerShape};
use reelgauge_workload::recorder::{Recorder, RecorderShape};
use reelgauge_workload::script::{Op, Script};

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;
const FRAME_BYTES: u32 = 4 << 20;
/// What the store takes for anything.
const ANSWER_NS: u64 = 2 * MS;
const FREEZE: std::ops::Range<u64> = 2 * S..3 * S;
const END: u64 = 6 * S;

fn clip() -> Clip {
    Clip::constant(0, 1 << 30, FRAME_BYTES).unwrap()
}

/// Answers after [`ANSWER_NS`]; what arrives or would end in the freeze goes on behind it. Requests of the
/// one worker queue up behind each other, as at a single disk.
fn freezing_store() -> impl FnMut(u32, &Op, u64) -> Outcome {
    let mut free_ns = 0;
    move |_, op, issued_ns| {
        let begin_ns = issued_ns.max(free_ns);
        let mut done_ns = begin_ns + ANSWER_NS;
        if begin_ns < FREEZE.end && done_ns > FREEZE.start {
            let served_ns = FREEZE.start.saturating_sub(begin_ns);
            done_ns = FREEZE.end + (ANSWER_NS - served_ns);
        }
        free_ns = done_ns;
        Outcome::whole(op, done_ns)
    }
}

fn figures<T: Script>(script: T, pace: Pace, writes: bool) -> StreamFigures {
    let spec = StreamSpec {
        stream: 0,
        name: "test".to_owned(),
        writes,
        policy: if pace.policy == Policy::Drop { Judged::Drop } else { Judged::Stall },
        rate_num: pace.rate.num(),
        rate_den: pace.rate.den(),
        prebuffer_ns: pace.prebuffer_ns(),
        frame_bytes: Some(u64::from(FRAME_BYTES)),
        frames_total: None,
        throughput_needed_bytes_per_s: None,
    };
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: END };
    let mut tally = LateTally::new(vec![spec], part);
    let span = Span { start_ns: 0, end_ns: END, warmup_until_ns: 0, point: 0 };
    simulate(vec![Worker { id: 0, script }], &mut freezing_store(), span, |op| tally.add(op));
    tally.finish(END).streams.remove(0)
}

fn pace(buffer_frames: u32, policy: Policy) -> Pace {
    Pace { rate: FrameRate::whole(24), buffer_frames, policy }
}

/// The recorder by hand: frame i is there at i/24, the writer takes them one by one, and nothing moves in
/// the freeze. Frames that are too late to begin are dropped, or written all the same.
fn late_by_hand(buffer_frames: u64, policy: Policy) -> u64 {
    let at = |frame: u64| frame * S / 24;
    let deadline = |frame: u64| at(buffer_frames) + at(frame);
    // Opening the file is the first request.
    let mut free_ns = ANSWER_NS;
    let (mut late, mut frame) = (0, 0);
    while deadline(frame) < END {
        let begin_ns = at(frame).max(free_ns);
        if policy == Policy::Drop && deadline(frame) < free_ns {
            late += 1;
            frame += 1;
            continue;
        }
        if begin_ns >= END {
            late += 1;
            frame += 1;
            continue;
        }
        free_ns = begin_ns + ANSWER_NS;
        if begin_ns < FREEZE.end && free_ns > FREEZE.start {
            free_ns = FREEZE.end + ANSWER_NS - FREEZE.start.saturating_sub(begin_ns);
        }
        late += u64::from(free_ns > deadline(frame));
        frame += 1;
    }
    late
}

#[test]
fn a_recorder_loses_exactly_what_its_buffer_cannot_hold() {
    let mut seen = Vec::new();
    for policy in [Policy::Drop, Policy::Stall] {
        for buffer_frames in [1, 2, 6, 12, 23, 24, 25, 48] {
            let pace = pace(buffer_frames, policy);
            let shape = RecorderShape {
                clip: clip(),
                pace,
                sync_every_frames: None,
                direct: false,
                start_after_ns: 0,
            };
            let found = figures(Recorder::new(0, shape), pace, true);
            assert_eq!(
                found.late_frames,
                late_by_hand(u64::from(buffer_frames), policy),
                "{policy:?} {buffer_frames}"
            );
            seen.push(found.late_frames);
        }
    }
    // A second of 24 fps: a buffer of one frame loses about 24, one of more than a second none.
    assert!(seen[0] >= 23 && seen[6] == 0 && seen[7] == 0, "{seen:?}");
    // Stalling makes it worse, never better: the frames behind the freeze come late, too.
    assert!(seen[..8].iter().zip(&seen[8..]).all(|(drop, stall)| stall >= drop), "{seen:?}");
}

#[test]
fn a_player_survives_a_freeze_shorter_than_its_buffer_and_no_longer_one() {
    for policy in [Policy::Drop, Policy::Stall] {
        for read_ahead in [ReadAhead::Closed, ReadAhead::Open] {
            for (buffer_frames, survives) in [(6, false), (12, false), (23, false), (26, true), (48, true)] {
                let pace = pace(buffer_frames, policy);
                let shape = PlayerShape { clip: clip(), pace, read_ahead, direct: false, start_after_ns: 0 };
                let found = figures(Player::new(0, shape), pace, false);
                let what = format!("{policy:?} {read_ahead:?} {buffer_frames}: {} late", found.late_frames);
                assert_eq!(found.late_frames == 0, survives, "{what}");
                if !survives {
                    // The buffer covers as many frames as it holds (one may be in flight); the rest of the
                    // second is late.
                    let uncovered = 24 - u64::from(buffer_frames);
                    assert!((uncovered..=uncovered + 2).contains(&found.late_frames), "{what}");
                }
            }
        }
    }
}
