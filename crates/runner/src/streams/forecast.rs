//! The forecast of streams: pure, from their plan and the number of bytes of their test files that are
//! missing.
//!
//! Not here: its sentences (report).

use reelgauge_analysis::forecast::{Forecast, LoadAhead, TimeAhead};
use reelgauge_workload::search::{Next, Search, Trial, Why};
use reelgauge_workload::streams::StreamsPlan;

use super::actors::Actors;
use crate::session::driver_kind;

/// More trials than any search makes on storage that answers steadily.
const TRIALS_MOST: u32 = 10_000;
/// Load points of streams with this many missing bytes of test files.
pub fn of_points(plan: &StreamsPlan, actors: &Actors, missing_bytes: u64) -> Forecast {
    let point_s = point_s(plan, actors);
    let loads = plan.scale.0.iter().map(|&scale| actors.load_ahead(scale, point_s));
    let most = plan.scale.0.iter().copied().max().unwrap_or(1);
    Forecast {
        max_bytes_per_s: None,
        memory_bytes: memory_bytes(plan, actors, most),
        time: TimeAhead::Planned { s: point_s * plan.scale.0.len() as f64 },
        least_files_bytes: missing_bytes,
        most_files_bytes: missing_bytes,
        new_files_bytes: actors.made_bytes(most, point_s),
        load: loads.fold(LoadAhead::AtMost(0), LoadAhead::and),
    }
}

/// A search from its current state. `first_bytes` are missing for its first trial, `most_bytes` for the
/// largest scale that it may try.
pub fn of_search(
    plan: &StreamsPlan,
    actors: &Actors,
    search: &Search,
    (first_bytes, most_bytes): (u64, u64),
) -> Forecast {
    let point_s = point_s(plan, actors);
    let confirm_s = plan.find_max.map_or(0.0, |wanted| wanted.confirm.ns() as f64 / 1e9);
    let confirm_s = actors.warmup_ns() as f64 / 1e9 + confirm_s;
    // A few thousand counts with about twenty trials each: this is fast.
    let steady = (0..=search.cap()).map(|carries| steady_s(search, carries, point_s, confirm_s));
    let (least_s, most_s) =
        steady.fold((f64::INFINITY, 0.0_f64), |(least_s, most_s), s| (least_s.min(s), most_s.max(s)));
    let is_limited = plan.find_max.is_some_and(|wanted| wanted.time_max.is_some());
    let writes = actors.load_ahead(1, point_s) != LoadAhead::AtMost(0);
    Forecast {
        max_bytes_per_s: None,
        memory_bytes: memory_bytes(plan, actors, search.cap()),
        time: TimeAhead::Between { least_s, most_s, or_longer: !is_limited },
        least_files_bytes: first_bytes,
        most_files_bytes: most_bytes,
        new_files_bytes: actors.made_bytes(1, point_s),
        load: if writes { LoadAhead::Unbounded } else { LoadAhead::AtMost(0) },
    }
}

/// The memory that a load point at this scale needs on the local host.
fn memory_bytes(plan: &StreamsPlan, actors: &Actors, scale: u32) -> u64 {
    actors.demand(driver_kind(plan.driver), scale, point_s(plan, actors)).memory_bytes
}

/// The length of a load point or trial, in seconds.
pub(crate) fn point_s(plan: &StreamsPlan, actors: &Actors) -> f64 {
    actors.warmup_ns().saturating_add(plan.duration.ns()) as f64 / 1e9
}

/// The remaining length of the search on storage that always sustains this count and never more, in
/// seconds; with the length of a trial, and of one that confirms the answer.
fn steady_s(search: &Search, carries: u32, trial_s: f64, confirm_s: f64) -> f64 {
    let mut search = search.clone();
    let mut ahead_s = 0.0;
    for _ in 0..TRIALS_MOST {
        let Next::Try { streams, why } = search.next() else {
            break;
        };
        let confirms = why == Why::Confirm;
        let took_s = if confirms { confirm_s } else { trial_s };
        let trial = Trial { passed: streams <= carries, took_s, confirms, ..Trial::default() };
        ahead_s += took_s;
        if search.report(streams, trial).is_err() {
            break;
        }
    }
    ahead_s
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_workload::range::Ramp;
    use reelgauge_workload::search::SearchSettings;
    use reelgauge_workload::streams::{ActorPlan, FindMaxPlan, Footage};
    use reelgauge_workload::units::Span;

    use super::*;

    fn streams(kind: &str) -> StreamsPlan {
        let mut actor = ActorPlan::new(kind.parse().unwrap());
        if let Some(footage) = actor.footage_mut() {
            *footage = Footage::listed("xavc-intra-class-100-1080-25");
        }
        StreamsPlan {
            actors: vec![actor],
            warmup: Span::secs(3),
            duration: Span::secs(10),
            direct: false,
            ..StreamsPlan::default()
        }
    }

    #[test]
    fn the_published_curve_takes_a_hundred_minutes_and_writes_its_rate() {
        let actors = ["camera", "companion"].map(|kind| ActorPlan::new(kind.parse().unwrap())).to_vec();
        let (warmup, duration) = (Span::secs(300), Span::secs(300));
        let scale = Ramp((1..=10).collect());
        let plan = StreamsPlan { actors, warmup, duration, scale, ..streams("camera") };
        let actors = Actors::new(&plan).unwrap();
        let ahead = of_points(&plan, &actors, 7);
        assert_eq!(ahead.time, TimeAhead::Planned { s: 6000.0 });
        assert_eq!((ahead.least_files_bytes, ahead.most_files_bytes), (7, 7));
        let LoadAhead::AtMost(bytes) = ahead.load else { panic!("{ahead:?}") };
        // 55 times 9 writes of 468.8 KiB and 0.02 of 457.6 KiB a second, for 600 seconds.
        let expected = 55.0 * 600.0 * (9.0 * 468.8 + 0.02 * 457.6) * 1024.0;
        assert!((bytes as f64 / expected - 1.0).abs() < 1e-4, "{bytes} of {expected}");
    }

    #[test]
    fn forecast_of_writes_depends_on_the_actor() {
        let load = |kind| {
            let plan = streams(kind);
            of_points(&plan, &Actors::new(&plan).unwrap(), 0).load
        };
        assert_eq!(load("player"), LoadAhead::AtMost(0));
        assert_eq!(load("copier"), LoadAhead::Unbounded);
        let LoadAhead::AtMost(bytes) = load("recorder") else { panic!() };
        let rate = Actors::new(&streams("recorder")).unwrap().actors[0].media.clone().unwrap();
        assert_eq!(bytes, (rate.bytes_per_s * 13.0) as u64);
    }

    fn search(cap: u32) -> (StreamsPlan, Search) {
        let find_max = Some(FindMaxPlan { cap: Some(cap), ..FindMaxPlan::default() });
        let plan = StreamsPlan { find_max, ..streams("player") };
        let settings = SearchSettings { cap, confirm_s: Some(60.0), ..SearchSettings::default() };
        (plan, Search::new(settings).unwrap())
    }

    #[test]
    fn search_forecast_is_the_sum_of_its_trials() {
        let (plan, search) = search(100);
        let actors = Actors::new(&plan).unwrap();
        let ahead = of_search(&plan, &actors, &search, (1, 2));
        let TimeAhead::Between { least_s, most_s, or_longer } = ahead.time else { panic!("{ahead:?}") };
        assert!(or_longer);
        // No stream passes: the first trial fails, and three more. Between 64 and 100: eight up to
        // there, six to find the count between, and both edges again; then the answer is sustained for a
        // minute.
        let warmup_s = actors.warmup_ns() as f64 / 1e9;
        assert_eq!(least_s, 4.0 * (warmup_s + 10.0));
        assert_eq!(most_s, 19.0 * (warmup_s + 10.0) + warmup_s + 60.0);
        assert_eq!((ahead.least_files_bytes, ahead.most_files_bytes), (1, 2));
    }

    #[test]
    fn a_limit_on_its_time_holds() {
        let (mut plan, _) = search(100);
        plan.find_max = plan.find_max.map(|wanted| FindMaxPlan { time_max: Some(Span::secs(30)), ..wanted });
        let settings = SearchSettings { cap: 100, time_max_s: Some(30.0), ..SearchSettings::default() };
        let (actors, search) = (Actors::new(&plan).unwrap(), Search::new(settings).unwrap());
        let ahead = of_search(&plan, &actors, &search, (0, 0));
        let TimeAhead::Between { least_s, most_s, or_longer } = ahead.time else { panic!("{ahead:?}") };
        // Whole trials, as many as fit.
        let trial_s = actors.warmup_ns() as f64 / 1e9 + 10.0;
        let fit_s = (30.0 / trial_s).floor() * trial_s;
        assert_eq!((least_s, most_s, or_longer), (fit_s, fit_s, false));
    }
}
