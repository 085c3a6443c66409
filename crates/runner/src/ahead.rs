//! What a plan would take, for whoever thinks about starting it: nothing is locked, made or measured, so
//! every test file counts as one that has yet to be written.
//!
//! Not here: what a run says of itself once it has seen its target; each kind of run does that.

use std::path::Path;

use reelgauge_analysis::forecast::Forecast;
use reelgauge_engine::space::space;
use reelgauge_workload::plan::Plan;
use reelgauge_workload::replay::ReplayPlan;
use reelgauge_workload::streams::{AnyPlan, StreamsPlan};

use crate::check::budget::{self, DataPlan};
use crate::error::RunError;
use crate::streams::actors::Actors;
use crate::streams::forecast;
use crate::streams::seek::search_of;
use crate::suite::{self, SuiteRequest};
use crate::{mix, replay};

/// What a first look at this directory would take.
pub fn of_check(target: &Path) -> Forecast {
    budget::forecast(&DataPlan::for_space(free_bytes(target)), 0, None)
}

/// What a plan would take.
///
/// # Errors
/// A plan that can't be carried out.
pub fn of_plan(plan: AnyPlan) -> Result<Forecast, RunError> {
    match plan {
        AnyPlan::Streams(plan) => of_streams(&plan),
        AnyPlan::Mix(plan) => of_mix(&plan),
        AnyPlan::Replay(mut plan) => of_replay(&mut plan),
    }
}

/// What a suite would take; nothing where it has no workload.
///
/// # Errors
/// A workload that can't be replayed.
pub fn of_suite(request: &SuiteRequest) -> Result<Option<Forecast>, RunError> {
    suite::ahead(request)
}

fn of_mix(plan: &Plan) -> Result<Forecast, RunError> {
    plan.check()?;
    Ok(mix::ahead(plan))
}

fn of_replay(plan: &mut ReplayPlan) -> Result<Forecast, RunError> {
    plan.check()?;
    replay::ahead(plan)
}

fn of_streams(plan: &StreamsPlan) -> Result<Forecast, RunError> {
    plan.check()?;
    let actors = Actors::new(plan)?;
    let seconds = forecast::point_s(plan, &actors);
    let each_bytes = each_bytes_of(&actors);
    let Some(wanted) = plan.find_max else {
        let most = plan.scale.0.iter().copied().max().unwrap_or(1);
        return Ok(forecast::of_points(plan, &actors, each_bytes.saturating_mul(u64::from(most))));
    };
    let free = free_bytes(&plan.target).unwrap_or(u64::MAX);
    let room = free / actors.bytes_per_scale(seconds).max(1);
    let cap = plan.search_cap().min(u32::try_from(room).unwrap_or(u32::MAX)).max(1);
    let search = search_of(plan, &wanted, cap)?;
    let bytes = |scale: u32| each_bytes.saturating_mul(u64::from(scale)).min(free);
    Ok(forecast::of_search(plan, &actors, &search, (bytes(wanted.start.min(cap)), bytes(cap))))
}

/// Bytes of test files that everybody needs at scale 1.
fn each_bytes_of(actors: &Actors) -> u64 {
    let files = actors.prepared_files(1);
    files.iter().fold(0, |sum, (bytes, &files)| sum.saturating_add(bytes.saturating_mul(u64::from(files))))
}

/// `None` where the directory or its file system does not tell.
fn free_bytes(target: &Path) -> Option<u64> {
    space(target).ok().flatten().map(|space| space.available_bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::forecast::{LoadAhead, TimeAhead};
    use reelgauge_workload::range::Ramp;
    use reelgauge_workload::streams::{ActorKind, ActorPlan, FindMaxPlan};
    use reelgauge_workload::units::Span;

    use super::*;

    fn players(target: &Path) -> StreamsPlan {
        let format = Some("prores-422-hq-uhd-25".to_owned());
        StreamsPlan {
            target: target.to_path_buf(),
            actors: vec![ActorPlan { format, clip: Span::secs(2), ..ActorPlan::new(ActorKind::Player) }],
            warmup: Span::secs(1),
            duration: Span::secs(9),
            ..StreamsPlan::default()
        }
    }

    #[test]
    fn every_clip_has_yet_to_be_written_and_nothing_is_made() {
        let target = tempfile::tempdir().unwrap();
        let plan = StreamsPlan { scale: Ramp(vec![1, 3]), ..players(target.path()) };
        let ahead = of_plan(AnyPlan::Streams(plan)).unwrap();
        assert_eq!((ahead.time, ahead.load), (TimeAhead::Planned { s: 20.0 }, LoadAhead::AtMost(0)));
        // Three clips of two seconds at 92.1 MB/s.
        assert!((ahead.most_files_bytes as f64 / (3.0 * 2.0 * 92.1e6) - 1.0).abs() < 0.02, "{ahead:?}");
        assert_eq!(std::fs::read_dir(target.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_search_needs_no_more_than_there_is_room_for() {
        let target = tempfile::tempdir().unwrap();
        let plan = StreamsPlan { find_max: Some(FindMaxPlan::default()), ..players(target.path()) };
        let ahead = of_plan(AnyPlan::Streams(plan)).unwrap();
        assert!(ahead.least_files_bytes > 100_000_000 && ahead.most_files_bytes > ahead.least_files_bytes);
        assert!(ahead.most_files_bytes <= free_bytes(target.path()).unwrap());
    }

    #[test]
    fn a_plan_that_cant_be_carried_out_is_refused() {
        let plan = StreamsPlan { actors: Vec::new(), ..players(Path::new("/nowhere")) };
        assert!(of_plan(AnyPlan::Streams(plan)).is_err());
    }
}
