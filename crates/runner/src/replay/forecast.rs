//! The forecast of a replay: pure, from its plan and its trace.

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};
use reelgauge_workload::replay::{Pacing, ReplayPlan};

/// A replay of a trace of this length, with these sizes of its files and of its writes.
pub fn of_replay(plan: &ReplayPlan, span_ns: u64, files_bytes: u64, written_bytes: u64) -> Forecast {
    let settings = &plan.replay;
    let last_user_s = f64::from(settings.copies.saturating_sub(1)) * settings.stagger().ns() as f64 / 1e9;
    let pass_s = span_ns as f64 / 1e9 * settings.scale + last_user_s;
    let passes = u64::from(settings.batch) * u64::from(settings.copies);
    Forecast {
        max_bytes_per_s: None,
        memory_bytes: 0,
        time: match settings.pace {
            Pacing::Recorded => TimeAhead::Planned { s: pass_s * f64::from(settings.batch) },
            _ => TimeAhead::Unknown,
        },
        least_files_bytes: files_bytes.saturating_mul(passes),
        most_files_bytes: files_bytes.saturating_mul(passes),
        new_files_bytes: 0,
        load: LoadAhead::AtMost(written_bytes.saturating_mul(passes)),
    }
}

#[cfg(test)]
mod tests {
    use reelgauge_workload::replay::ReplaySettings;
    use reelgauge_workload::units::Span;

    use super::*;

    #[test]
    fn a_replay_that_keeps_its_times_takes_as_long_as_the_trace() {
        let mut plan = ReplayPlan {
            plan_version: 1,
            written_by: String::new(),
            target: "/t".into(),
            seed: 1,
            driver: Default::default(),
            hang_after: Span::secs(30),
            tags: Vec::new(),
            storage: reelgauge_record::notes::StorageDetails::default(),
            log: true,
            replay: ReplaySettings::default(),
        };
        plan.replay.scale = 0.5;
        plan.replay.copies = 3;
        plan.replay.stagger = Some(Span::secs(2));
        plan.replay.batch = 2;
        let ahead = of_replay(&plan, 20_000_000_000, 5, 10);
        assert_eq!(ahead.time, TimeAhead::Planned { s: 2.0 * (10.0 + 4.0) });
        assert_eq!((ahead.most_files_bytes, ahead.load), (30, LoadAhead::AtMost(60)));
        plan.replay.pace = Pacing::Max;
        assert_eq!(of_replay(&plan, 20_000_000_000, 5, 10).time, TimeAhead::Unknown);
    }
}
