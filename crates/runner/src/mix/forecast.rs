//! The forecast of a mix: pure, from its plan and the number of bytes of its test files that are
//! missing.

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};
use reelgauge_workload::plan::Plan;

/// A mix with this many missing bytes of test files.
pub fn of_mix(plan: &Plan, missing_bytes: u64, memory_bytes: u64) -> Forecast {
    let point_s = (plan.warmup.ns() + plan.duration.ns()) as f64 / 1e9;
    let all_s = point_s * plan.points() as f64;
    let time = match plan.mix.no_repeat {
        // Each load point ends when every block was visited.
        true => TimeAhead::Between { least_s: 0.0, most_s: all_s, or_longer: false },
        false => TimeAhead::Planned { s: all_s },
    };
    let writes = (0..plan.points()).any(|point| plan.mix_at(point).writes.ppm() > 0);
    Forecast {
        max_bytes_per_s: None,
        memory_bytes,
        time,
        least_files_bytes: missing_bytes,
        most_files_bytes: missing_bytes,
        new_files_bytes: 0,
        load: if writes { LoadAhead::Unbounded } else { LoadAhead::AtMost(0) },
    }
}
