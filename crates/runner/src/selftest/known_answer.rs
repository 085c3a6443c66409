//! The known-answer check: players of a store that freezes at known times. Their late frames are counted as
//! in every run, and compared with a formula that knows only the timeline.

use std::time::Duration;

use reelgauge_analysis::late::{StreamKind, StreamSpec};
use reelgauge_analysis::selftest::{FrozenTimeline, KnownAnswer};
use reelgauge_engine::driver::Worker;
use reelgauge_engine::internal_store::InternalStore;
use reelgauge_formats::FrameRate;
use reelgauge_workload::clip::Clip;
use reelgauge_workload::pace::{Pace, Policy, ReadAhead};
use reelgauge_workload::player::{Player, PlayerShape};

use super::load::{Place, context, judged};
use super::unpaced_reads::SMALL_BYTES;
use crate::error::RunError;
use crate::interrupt::Interrupt;

/// Plays the timeline, and counts.
pub(super) fn known_answer(
    timeline: &FrozenTimeline,
    interrupt: &Interrupt,
) -> Result<KnownAnswer, RunError> {
    let FrozenTimeline { players, frames_per_s, buffer_frames, .. } = *timeline;
    let store = InternalStore::timed(Duration::ZERO, timeline.freezes_ns());
    let context = context(Place::Memory(store), Duration::from_nanos(timeline.end_ns()));
    let workers = (0..players).map(|id| player(id, frames_per_s, buffer_frames)).collect();
    let specs = (0..players).map(|id| spec(id, frames_per_s, buffer_frames)).collect();
    let (_, judged) = judged(workers, specs, &context, interrupt)?;
    Ok(KnownAnswer {
        players: players.into(),
        expected_frames: timeline.frames(),
        frames: judged.late.total.frames_judged,
        expected_late_frames: timeline.late_frames(),
        late_frames: judged.late.total.late_frames,
    })
}

pub(super) fn pace(frames_per_s: u32, buffer_frames: u32) -> Pace {
    Pace { rate: FrameRate::whole(frames_per_s), buffer_frames, policy: Policy::Drop }
}

/// A player of small frames, which begins at once.
pub(super) fn player(id: u32, frames_per_s: u32, buffer_frames: u32) -> Worker<Player> {
    let clip = Clip::constant(0, 250 * u64::from(SMALL_BYTES), SMALL_BYTES);
    let shape = PlayerShape {
        clip: clip.expect("250 frames fit into as many frames"),
        pace: pace(frames_per_s, buffer_frames),
        read_ahead: ReadAhead::Closed,
        direct: false,
        start_after_ns: 0,
        head: Vec::new(),
    };
    Worker { id, script: Player::new(id, shape) }
}

fn spec(stream: u32, frames_per_s: u32, buffer_frames: u32) -> StreamSpec {
    let pace = pace(frames_per_s, buffer_frames);
    StreamSpec {
        stream,
        name: String::new(),
        kind: Some(StreamKind::Player),
        format: None,
        writes: false,
        policy: pace.policy,
        rate_num: pace.rate.num(),
        rate_den: pace.rate.den(),
        prebuffer_ns: pace.prebuffer_ns(),
        frame_bytes: Some(SMALL_BYTES.into()),
        frames_total: None,
        throughput_needed_bytes_per_s: None,
        begins: None,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::late::{LateTally, MeasuredPart};
    use reelgauge_engine::simulated::{Outcome, SimulatedTimes, simulate};
    use reelgauge_record::OpFlags;
    use reelgauge_workload::script::Op;

    use super::*;

    /// The counted late frames of one player in virtual time, without the record of one frame.
    fn counted(without_frame: Option<u32>) -> u64 {
        let timeline = FrozenTimeline::USUAL;
        let freezes = timeline.freezes_ns();
        let mut store = |_: u32, op: &Op, issued_ns: u64| {
            let freeze = freezes.iter().find(|freeze| freeze.contains(&issued_ns));
            Outcome::whole(op, freeze.map_or(issued_ns, |freeze| freeze.end))
        };
        let end_ns = timeline.end_ns();
        let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: end_ns };
        let mut tally = LateTally::new(vec![spec(0, timeline.frames_per_s, timeline.buffer_frames)], part);
        let span = SimulatedTimes { start_ns: 0, end_ns, warmup_until_ns: 0, point: 0 };
        let workers = vec![player(0, timeline.frames_per_s, timeline.buffer_frames)];
        simulate(workers, &mut store, span, |op| {
            let is_dropped = op.flags.has(OpFlags::FRAME) && Some(op.transfer) == without_frame;
            if !is_dropped {
                tally.add(op);
            }
        });
        tally.finish(end_ns).total.late_frames
    }

    #[test]
    fn pipeline_agrees_with_the_formula_unless_a_frame_is_dropped_from_it() {
        let expected = FrozenTimeline::USUAL.late_frames() / u64::from(FrozenTimeline::USUAL.players);
        assert_eq!(counted(None), expected);
        assert_eq!(counted(Some(10)), expected + 1);
    }
}
