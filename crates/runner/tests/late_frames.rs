//! The store freezes for exactly one second. Tests that exactly the frames implied by the timeline are
//! late: for recorders, players and editors, movies and files per frame, several buffers, both policies,
//! and both kinds of read-ahead. Also tests a whole day without drift. In virtual time.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{LateTally, MeasuredPart, StreamFigures, StreamSpec};
use reelgauge_engine::driver::Worker;
use reelgauge_engine::simulated::{Outcome, SimulatedTimes, simulate};
use reelgauge_formats::FrameRate;
use reelgauge_record::OpFlags;
use reelgauge_workload::clip::Clip;
use reelgauge_workload::editor::{Editor, EditorShape};
use reelgauge_workload::pace::{Pace, Policy, ReadAhead};
use reelgauge_workload::player::{Player, PlayerShape};
use reelgauge_workload::recorder::{Recorder, RecorderShape};
use reelgauge_workload::script::{Op, Script};

const MS: u64 = 1_000_000;
const S: u64 = 1000 * MS;
const FRAME_BYTES: u32 = 4 << 20;
/// The store's response time for any request.
const ANSWER_NS: u64 = 2 * MS;
const FREEZE: std::ops::Range<u64> = 2 * S..3 * S;
const END: u64 = 6 * S;

fn movie() -> Clip {
    Clip::constant(0, 1 << 30, FRAME_BYTES).unwrap()
}

fn sequence() -> Clip {
    Clip::sequence(0, 240, FRAME_BYTES).unwrap()
}

/// When a request that begins at this time completes: a request that would end in the freeze continues
/// after it.
fn answered_ns(begin_ns: u64) -> u64 {
    let done_ns = begin_ns + ANSWER_NS;
    if begin_ns < FREEZE.end && done_ns > FREEZE.start {
        let served_ns = FREEZE.start.saturating_sub(begin_ns);
        return FREEZE.end + (ANSWER_NS - served_ns);
    }
    done_ns
}

/// The requests of one worker queue up, as on a single disk.
fn freezing_store() -> impl FnMut(u32, &Op, u64) -> Outcome {
    let mut free_ns = 0;
    move |_, op, issued_ns| {
        free_ns = answered_ns(issued_ns.max(free_ns));
        Outcome::whole(op, free_ns)
    }
}

fn spec(stream: u32, pace: Pace, writes: bool) -> StreamSpec {
    player(stream)
        .that_writes(writes)
        .with_policy(pace.policy)
        .at_rate(pace.rate.num(), pace.rate.den())
        .with_buffer_ns(pace.prebuffer_ns())
        .of_frame_bytes(FRAME_BYTES.into())
}

/// The streams of one worker from time 0 on, as the analysis judges them.
fn judged<T: Script>(
    script: T,
    specs: Vec<StreamSpec>,
    end_ns: u64,
    store: &mut impl FnMut(u32, &Op, u64) -> Outcome,
) -> Vec<StreamFigures> {
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: end_ns };
    let mut tally = LateTally::new(specs, part);
    let span = SimulatedTimes { start_ns: 0, end_ns, warmup_until_ns: 0, point: 0 };
    let left = simulate(vec![Worker { id: 0, script }], store, span, |op| tally.add(op));
    assert!(left.stuck.is_empty());
    tally.finish(end_ns).streams
}

fn figures<T: Script>(script: T, pace: Pace, writes: bool) -> StreamFigures {
    judged(script, vec![spec(0, pace, writes)], END, &mut freezing_store()).remove(0)
}

fn pace(buffer_frames: u32, policy: Policy) -> Pace {
    Pace { rate: FrameRate::whole(24), buffer_frames, policy }
}

/// How a recorder writes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Take {
    Preallocated,
    Growing,
    FilePerFrame,
}

/// The recorder in plain arithmetic: frame i exists at i/24, the writer takes them one by one, and
/// nothing moves in the freeze. Frames that are too late to begin are dropped, or written anyway,
/// depending on the policy.
fn late_by_hand(buffer_frames: u64, policy: Policy, take: Take) -> u64 {
    let at = |frame: u64| frame * S / 24;
    let deadline = |frame: u64| at(buffer_frames) + at(frame);
    // Opening a movie is the first request; a file per frame takes three requests each.
    let requests = if take == Take::FilePerFrame { 3 } else { 1 };
    let mut free_ns = if take == Take::FilePerFrame { 0 } else { ANSWER_NS };
    let (mut late, mut frame) = (0, 0);
    while deadline(frame) < END {
        let begin_ns = at(frame).max(free_ns);
        let is_dropped = policy == Policy::Drop && deadline(frame) < free_ns;
        if !is_dropped && begin_ns < END {
            free_ns = (0..requests).fold(begin_ns, |begin_ns, _| answered_ns(begin_ns));
        }
        late += u64::from(is_dropped || begin_ns >= END || free_ns > deadline(frame));
        frame += 1;
    }
    late
}

#[test]
fn recorder_drops_exactly_the_excess_of_its_buffer() {
    for take in [Take::Preallocated, Take::Growing, Take::FilePerFrame] {
        let mut seen = Vec::new();
        for policy in [Policy::Drop, Policy::Stall] {
            for buffer_frames in [1, 2, 6, 12, 23, 24, 25, 48] {
                let pace = pace(buffer_frames, policy);
                let shape = RecorderShape {
                    clip: if take == Take::FilePerFrame { sequence() } else { movie() },
                    pace,
                    sync_every_frames: None,
                    end_after_ns: None,
                    direct: false,
                    start_after_ns: 0,
                    growing: take == Take::Growing,
                };
                let found = figures(Recorder::new(0, shape), pace, true);
                let by_hand = late_by_hand(u64::from(buffer_frames), policy, take);
                assert_eq!(found.late_frames, by_hand, "{take:?} {policy:?} {buffer_frames}");
                seen.push(found.late_frames);
            }
        }
        // At 24 fps, a buffer of one frame loses about 24 frames; a buffer of more than a second loses
        // none.
        assert!(seen[0] >= 23 && seen[6] == 0 && seen[7] == 0, "{seen:?}");
        // Stalling makes it worse, never better: the frames behind the freeze come late, too.
        assert!(seen[..8].iter().zip(&seen[8..]).all(|(drop, stall)| stall >= drop), "{seen:?}");
    }
}

#[test]
fn a_player_survives_a_freeze_shorter_than_its_buffer_and_no_longer_one() {
    let each = [movie(), sequence()].into_iter().flat_map(|clip| {
        let kinds = [Policy::Drop, Policy::Stall].map(|policy| {
            [ReadAhead::Closed, ReadAhead::Open].map(|read_ahead| (clip.clone(), policy, read_ahead))
        });
        kinds.into_iter().flatten()
    });
    for (clip, policy, read_ahead) in each {
        for (buffer_frames, survives) in [(6, false), (12, false), (23, false), (26, true), (48, true)] {
            let pace = pace(buffer_frames, policy);
            let what = format!("sequence {} {policy:?} {read_ahead:?} {buffer_frames}", clip.is_sequence());
            let clip = clip.clone();
            let shape =
                PlayerShape { clip, pace, read_ahead, direct: false, start_after_ns: 0, head: Vec::new() };
            let found = figures(Player::new(0, shape), pace, false);
            assert_eq!(found.late_frames == 0, survives, "{what}: {} late", found.late_frames);
            if !survives {
                // The buffer covers as many frames as it holds (one may be in flight); the rest of the
                // second is late, and with three requests per frame, the frames that catch up after it.
                let uncovered = 24 - u64::from(buffer_frames);
                assert!(
                    (uncovered..=uncovered + 4).contains(&found.late_frames),
                    "{what}: {} late",
                    found.late_frames
                );
            }
        }
    }
}

/// An editor with three cameras over two minutes.
fn edited(
    policy: Policy,
    clip: &Clip,
    seed: u64,
    store: &mut impl FnMut(u32, &Op, u64) -> Outcome,
) -> Vec<StreamFigures> {
    let pace = pace(12, policy);
    let shape = EditorShape {
        cameras: vec![clip.clone(); 3],
        pace,
        direct: false,
        start_after_ns: 0,
        seed,
        play_frames: (24, 96),
        scrub_reads: (3, 12),
    };
    let specs = (0..3).map(|stream| spec(stream, pace, false)).collect();
    judged(Editor::new(0, shape), specs, 120 * S, store)
}

#[test]
fn an_editor_wants_no_frames_while_it_scrubs_and_is_late_only_in_the_freeze() {
    for (policy, clip) in [
        (Policy::Drop, movie()),
        (Policy::Drop, sequence()),
        (Policy::Stall, movie()),
        (Policy::Stall, sequence()),
    ] {
        let mut late = Vec::new();
        for seed in 0..12 {
            let mut calm = |_: u32, op: &Op, issued_ns: u64| Outcome::whole(op, issued_ns + ANSWER_NS);
            for stream in edited(policy, &clip, seed, &mut calm) {
                assert_eq!(stream.late_frames, 0, "{policy:?} {seed}");
                // Two minutes hold 2880 frames; scrubs and refills take their part.
                assert!((1000..2870).contains(&stream.frames_judged), "{}", stream.frames_judged);
            }
            let frozen = edited(policy, &clip, seed, &mut freezing_store());
            late.extend(frozen.into_iter().map(|stream| stream.late_frames));
        }
        // A buffer of half a second leaves half of the second uncovered, and the three cameras catch up
        // one after the other; but nothing is late if the editor was scrubbing at that time.
        assert!(late.iter().all(|&frames| frames < 24), "{policy:?} {late:?}");
        let (hit, missed): (Vec<u64>, Vec<u64>) = late.into_iter().partition(|&frames| frames > 0);
        assert!(hit.len() >= 18 && !missed.is_empty(), "{policy:?} {hit:?}");
    }
}

#[test]
fn a_day_at_59_94_has_no_late_frame_and_no_drift() {
    let rate: FrameRate = "59.94".parse().unwrap();
    let pace = Pace { rate, buffer_frames: 1, policy: Policy::Drop };
    let shape = PlayerShape {
        clip: movie(),
        pace,
        read_ahead: ReadAhead::Closed,
        direct: false,
        start_after_ns: 0,
        head: Vec::new(),
    };
    let day_ns = 86_400 * S;
    // Each frame takes almost as long as it may: a drift of a microsecond in a day would show.
    let answer_ns = pace.prebuffer_ns() - 1000;
    let mut store = |_: u32, op: &Op, issued_ns: u64| {
        let takes_ns = if op.flags.has(OpFlags::FRAME) { answer_ns } else { 0 };
        Outcome::whole(op, issued_ns + takes_ns)
    };
    let found = judged(Player::new(0, shape), vec![spec(0, pace, false)], day_ns, &mut store).remove(0);
    // 86,400 s × 60000 ÷ 1001, less the frame that is still in the buffer.
    assert_eq!((found.frames_judged, found.late_frames), (5_178_821, 0));
}
