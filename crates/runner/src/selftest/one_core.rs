//! The work that one processor does for Reelgauge: its driver, records, figures and log, with a store in
//! memory. Processor time of all threads counts, so it does not matter how many processors share the work.

use std::time::Duration;

use reelgauge_analysis::selftest::CoreFigures;
use reelgauge_engine::driver::Worker;
use reelgauge_engine::internal_store::InternalStore;
use reelgauge_formats::Format;
use reelgauge_machine::sample::parse::own_process::process_cpu_ns;

use super::load::{Place, context, judged};
use super::unpaced_reads::{Reader, SMALL_BYTES};
use crate::error::RunError;
use crate::interrupt::Interrupt;

/// As many as a ring holds before its log counts as too slow.
const READS: u64 = 200_000;
const SMALL_FOR: Duration = Duration::from_secs(5);
const FRAMES_FOR: Duration = Duration::from_millis(400);

/// The figures of one processor; `None` if the system does not report processor time.
pub(super) fn figures(format: &Format, interrupt: &Interrupt) -> Result<Option<CoreFigures>, RunError> {
    let ops_per_s = per_s(SMALL_BYTES, SMALL_FOR, interrupt)?;
    let mb_per_s = frames_mb_per_s(format, interrupt)?;
    Ok(ops_per_s.zip(mb_per_s).map(|(ops_per_s, mb_per_s)| CoreFigures { ops_per_s, mb_per_s }))
}

/// The rate at which one processor reads frames of a format from memory.
pub(super) fn frames_mb_per_s(format: &Format, interrupt: &Interrupt) -> Result<Option<f64>, RunError> {
    // Rounded up, as frames are for direct I/O. A frame is shorter than 4 GiB.
    let frame_bytes = (format.mean_bytes_per_frame().ceil() as u32).next_multiple_of(SMALL_BYTES);
    let frames_per_s = per_s(frame_bytes, FRAMES_FOR, interrupt)?;
    Ok(frames_per_s.map(|frames_per_s| frames_per_s * f64::from(frame_bytes) / 1e6))
}

/// Reads of this length per second of processor time.
fn per_s(len: u32, at_most: Duration, interrupt: &Interrupt) -> Result<Option<f64>, RunError> {
    let context = context(Place::Memory(InternalStore::immediate()), at_most);
    let reader = Worker { id: 0, script: Reader::new(len, 1, READS) };
    let before_ns = process_cpu_ns();
    let (totals, _) = judged(vec![reader], Vec::new(), &context, interrupt)?;
    let used_ns = process_cpu_ns().zip(before_ns).and_then(|(now, before)| now.checked_sub(before));
    Ok(used_ns.filter(|ns| *ns > 0).map(|ns| totals.ops as f64 * 1e9 / ns as f64))
}
