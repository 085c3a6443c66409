//! The forecast of a plan before it is started: nothing is locked, made or measured, so every test file
//! counts as one that has yet to be written.
//!
//! Not here: the forecast of a run that has seen its target; each kind of run makes that.

use std::path::Path;

use reelgauge_analysis::forecast::Forecast;
use reelgauge_engine::dataset::DataSetSpec;
use reelgauge_engine::space::{KeepFree, space};
use reelgauge_workload::plan::Plan;
use reelgauge_workload::replay::ReplayPlan;
use reelgauge_workload::streams::{AnyPlan, StreamsPlan};

use crate::check::budget::{self, DataPlan};
use crate::error::RunError;
use crate::procedure::space_check::{Need, lack};
use crate::session::space::check_room;
use crate::streams::actors::Actors;
use crate::streams::count_search::search_of;
use crate::streams::files::specs;
use crate::streams::forecast;
use crate::suite::{self, SuiteRequest};
use crate::{mix, replay};

/// The forecast of a quick check of this directory.
pub fn of_check(target: &Path) -> Forecast {
    budget::forecast(&DataPlan::for_space(free_bytes(target)), 0, None)
}

/// The forecast of a plan.
///
/// # Errors
/// If the plan cannot be carried out.
pub fn of_plan(plan: AnyPlan) -> Result<Forecast, RunError> {
    match plan {
        AnyPlan::Streams(plan) => of_streams(&plan),
        AnyPlan::Mix(plan) => of_mix(&plan),
        AnyPlan::Replay(mut plan) => of_replay(&mut plan),
    }
}

/// Refuses a plan whose test files cannot fit on its target, with the error of its run.
///
/// # Errors
/// If they cannot fit, or the plan cannot be carried out.
pub fn expect_room(plan: AnyPlan, keep_free: KeepFree) -> Result<(), RunError> {
    let target = match &plan {
        AnyPlan::Streams(plan) => plan.target.clone(),
        AnyPlan::Mix(plan) => plan.target.clone(),
        AnyPlan::Replay(plan) => plan.target.clone(),
    };
    let need = Need::of_run(&of_plan(plan)?);
    match (lack(&[need], &target, keep_free), space(&target).ok().flatten()) {
        (Some(lack), Some(space)) => check_room(&target, lack.needed_bytes, space, keep_free),
        _ => Ok(()),
    }
}

/// The test files that a plan needs, in its largest load point.
///
/// # Errors
/// If the plan cannot be carried out.
pub fn data_sets(plan: &AnyPlan) -> Result<Vec<DataSetSpec>, RunError> {
    Ok(match plan {
        AnyPlan::Mix(plan) if plan.read_from.is_none() => vec![mix::prepare::data_set_spec(plan)],
        AnyPlan::Mix(_) | AnyPlan::Replay(_) => Vec::new(),
        AnyPlan::Streams(plan) => {
            let most = match plan.find_max {
                Some(_) => plan.search_cap(),
                None => plan.scale.0.iter().copied().max().unwrap_or(1),
            };
            specs(&Actors::new(plan)?, most, plan.seed)
        }
    })
}

/// The forecast of a suite; `None` if it has no workload.
///
/// # Errors
/// If a workload can't be replayed.
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

/// Bytes of test files of all actors at scale 1.
fn each_bytes_of(actors: &Actors) -> u64 {
    let files = actors.prepared_files(1);
    files.iter().fold(0, |sum, (bytes, &files)| sum.saturating_add(bytes.saturating_mul(u64::from(files))))
}

/// `None` if the directory or its file system does not report it.
fn free_bytes(target: &Path) -> Option<u64> {
    space(target).ok().flatten().map(|space| space.available_bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::forecast::{LoadAhead, TimeAhead};
    use reelgauge_workload::player::PlayerPlan;
    use reelgauge_workload::range::Ramp;
    use reelgauge_workload::streams::{FindMaxPlan, Footage, Frames};
    use reelgauge_workload::units::Span;

    use super::*;

    fn players(target: &Path) -> StreamsPlan {
        players_with(target, Span::secs(2))
    }

    fn players_with(target: &Path, clip: Span) -> StreamsPlan {
        let frames = Frames { clip, ..Frames::default() };
        let footage = Footage::listed("prores-422-hq-uhd-25");
        StreamsPlan {
            target: target.to_path_buf(),
            actors: vec![PlayerPlan { footage, frames, ..PlayerPlan::default() }.into()],
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
    fn search_need_is_bounded_by_free_space() {
        let target = tempfile::tempdir().unwrap();
        let plan = StreamsPlan { find_max: Some(FindMaxPlan::default()), ..players(target.path()) };
        let ahead = of_plan(AnyPlan::Streams(plan)).unwrap();
        assert!(ahead.least_files_bytes > 100_000_000 && ahead.most_files_bytes > ahead.least_files_bytes);
        assert!(ahead.most_files_bytes <= free_bytes(target.path()).unwrap());
    }

    #[test]
    fn files_that_cannot_fit_are_refused_in_the_words_of_the_run() {
        let target = tempfile::tempdir().unwrap();
        let of = |keep_free| {
            let plan = AnyPlan::Streams(players(target.path()));
            expect_room(plan, keep_free).map_err(|error| error.to_string())
        };
        assert_eq!(of(KeepFree::Bytes(0)), Ok(()));
        let refused = of(KeepFree::Bytes(u64::MAX)).unwrap_err();
        assert!(
            refused.starts_with("the test files need ") && refused.contains("must stay free"),
            "{refused}"
        );
    }

    #[test]
    fn runs_with_the_same_files_name_the_same_data_sets() {
        let named = |scale: Vec<u32>, clip: u64| {
            let plan = players_with(Path::new("/t"), Span::secs(clip));
            let plan = StreamsPlan { scale: Ramp(scale), ..plan };
            let sets = data_sets(&AnyPlan::Streams(plan)).unwrap();
            sets.iter().map(|set| (set.name(), set.files)).collect::<Vec<_>>()
        };
        assert_eq!(named(vec![1, 3], 2)[0].1, 3);
        assert_eq!(named(vec![1], 2)[0].0, named(vec![4], 2)[0].0);
        assert_ne!(named(vec![1], 2)[0].0, named(vec![1], 3)[0].0);
    }

    #[test]
    fn a_plan_that_cant_be_carried_out_is_refused() {
        let plan = StreamsPlan { actors: Vec::new(), ..players(Path::new("/nowhere")) };
        assert!(of_plan(AnyPlan::Streams(plan)).is_err());
    }
}
