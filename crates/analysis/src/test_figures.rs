//! Synthetic figures for tests, here and in the report crate.
//!
//! Only the feature `test-streams` includes them, like [`crate::late::test_streams`]: no released
//! program contains them.

use crate::figures::{Figures, PointTiming, TimeFigures};
use crate::late::{FirstLateFrame, LateRun, StreamFigures};
use crate::meter::PointFigures;
use crate::paper::PaperTables;
use crate::summary::{LoadPoint, LoadPointFacts};
use crate::vda::ProcessRate;

/// Bytes of a mebibyte.
const MIB: f64 = 1_048_576.0;

/// Times of 1,000 operations, of which 99 of 100 took no longer than this.
pub fn times(p99_us: f64) -> TimeFigures {
    TimeFigures {
        count: 1000,
        deviation_us: None,
        mean_us: 5.0,
        p50_us: 5.0,
        p95_us: 5.0,
        p99_us,
        p99_9_us: p99_us,
        max_us: p99_us,
        max_began_s: 1.0,
        max_began_in_point_s: 1.0,
    }
}

/// A stream in time: 25 frames/s, the load point began at 100 s.
pub fn judged_stream(number: u32) -> StreamFigures {
    StreamFigures {
        stream: number,
        name: "player, XAVC-I class 300 UHD50".to_owned(),
        nominal_frames_per_s: 25.0,
        began_s: Some(100.0),
        frames_judged: 1500,
        response: Some(times(30_000.0)),
        ..StreamFigures::default()
    }
}

/// The same with late frames from some time of the load point on.
pub fn late_stream(number: u32, in_point_s: f64, frames: u64) -> StreamFigures {
    let first_frame = (in_point_s * 25.0) as u64;
    StreamFigures {
        late_frames: frames,
        late_runs: 1,
        first_late: Some(FirstLateFrame {
            frame: first_frame,
            deadline_s: 100.0 + in_point_s,
            deadline_in_point_s: in_point_s,
            late_us: Some(310_000.0),
            dropped: false,
            failed: false,
        }),
        first_late_runs: vec![LateRun {
            first_frame,
            frames,
            dropped_frames: 0,
            began_s: 100.0 + in_point_s,
            began_in_point_s: in_point_s,
            length_s: frames as f64 / 25.0,
            worst_late_us: Some(310_000.0),
        }],
        ..judged_stream(number)
    }
}

/// 10,000 operations that did not fail.
pub fn operations() -> Figures {
    let mut figures = Figures { ops: 10_000, ..Figures::default() };
    figures.response.data = Some(times(30_000.0));
    figures
}

/// A load point of `streams` streams that reach this share of their rates.
pub fn vda_point(streams: u32, share: f64, mean_response_ms: Option<f64>) -> LoadPoint {
    let total = Figures {
        written_bytes_per_s: Some(f64::from(streams) * 4.0 * MIB),
        read_bytes_per_s: Some(f64::from(streams) * 0.5 * MIB),
        ..Figures::default()
    };
    let timing = PointTiming { started_ns: 0, measured_ns: 300_000_000_000 };
    let figures =
        PointFigures { point: 0, timing, total, per_worker: Vec::new(), paper: PaperTables::default() };
    let facts = LoadPointFacts { workers: 2 * streams, ..LoadPointFacts::default() };
    let rate = |worker: u32, component: &str, requested_ops_per_s: f64| ProcessRate {
        worker,
        component: component.to_owned(),
        requested_ops_per_s,
        achieved_ops_per_s: requested_ops_per_s * share,
    };
    let pair = |n: u32| [rate(2 * n, "camera", 9.0), rate(2 * n + 1, "companion", 1.0)];
    LoadPoint {
        rates: (0..streams).flat_map(pair).collect(),
        rates_mean_response_ms: mean_response_ms,
        stream_count: Some(streams),
        ..LoadPoint::new(facts, figures)
    }
}

/// Ten even load points: flat, and ten times slower at the last.
pub fn ten_load_points() -> Vec<LoadPoint> {
    (1..=10).map(|n| vda_point(n * 2, 1.0, Some(if n == 10 { 20.0 } else { 2.0 }))).collect()
}
