//! How late waits of players end, and whether the requested number of requests is in flight.

use std::time::Duration;

use reelgauge_analysis::selftest::{DepthFigures, Durations};
use reelgauge_engine::driver::Worker;
use reelgauge_engine::internal_store::InternalStore;
use reelgauge_record::OpFlags;

use super::known_answer::player;
use super::load::{Place, context, records_of};
use super::unpaced_reads::{Reader, SMALL_BYTES};
use crate::error::RunError;
use crate::interrupt::Interrupt;

/// Players that wait at the same time, each this many times a second.
const PLAYERS: u32 = 4;
const WAITS_PER_S: u32 = 500;
/// The frames in their buffer: a player drops a frame that is later than that.
const BUFFER_FRAMES: u32 = 25;
/// How long they play. The first part is not counted: it includes the start of the threads.
const PLAYED: Duration = Duration::from_millis(1600);
const OMITTED_NS: u64 = 100_000_000;

/// The requested numbers of requests in flight, each for this long, and the time of an answer.
const DEPTHS: [u16; 4] = [1, 4, 16, 64];
const DEPTH_FOR: Duration = Duration::from_millis(300);
const ANSWERS_AFTER: Duration = Duration::from_millis(5);
/// The part at the beginning and at the end that is not counted.
const EDGE_NS: u64 = 50_000_000;

/// How late the reads of players began.
pub(super) fn lateness(interrupt: &Interrupt) -> Result<Option<Durations>, RunError> {
    let store = InternalStore::timed(Duration::ZERO, Vec::new());
    let context = context(Place::Memory(store), PLAYED);
    let players = (0..PLAYERS).map(|id| player(id, WAITS_PER_S, BUFFER_FRAMES)).collect();
    let frames = PLAYED.as_millis() as u32 * WAITS_PER_S / 1000 + BUFFER_FRAMES;
    // A player also opens its file, perhaps again after an error.
    let most = frames as usize + 10;
    let records = records_of(players, most, &context, interrupt)?;
    let from_ns = context.window.begun_ns() + OMITTED_NS;
    let waits = records.iter().filter(|op| op.flags.has(OpFlags::FRAME) && op.due_ns >= from_ns);
    Ok(Durations::of(waits.map(|op| op.issued_ns - op.due_ns).collect()))
}

/// The requests in flight, for each requested number.
pub(super) fn depths(interrupt: &Interrupt) -> Result<Vec<DepthFigures>, RunError> {
    let mut found = Vec::new();
    for depth in DEPTHS {
        let store = InternalStore::timed(ANSWERS_AFTER, Vec::new());
        let context = context(Place::Memory(store), DEPTH_FOR);
        let reader = Worker { id: 0, script: Reader::new(SMALL_BYTES, depth, u64::MAX) };
        let answers = DEPTH_FOR.as_millis() / ANSWERS_AFTER.as_millis() + 2;
        let most = answers as usize * usize::from(depth);
        let records = records_of(vec![reader], most, &context, interrupt)?;
        let requests: Vec<_> = records.iter().map(|op| op.issued_ns..op.done_ns).collect();
        let window = &context.window;
        let period = window.begun_ns() + EDGE_NS..window.end_ns() - EDGE_NS;
        found.extend(DepthFigures::of(depth.into(), &requests, period));
    }
    Ok(found)
}
