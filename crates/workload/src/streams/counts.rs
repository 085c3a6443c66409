//! The number of workers and streams of a plan at a scale, and its label.

use super::{ActorPlan, Footage, StreamsPlan};
use crate::plan::WORKERS_MAX;

impl StreamsPlan {
    /// The number of workers at this scale.
    pub fn workers(&self, scale: u32) -> u32 {
        self.actors.iter().fold(0, |sum: u32, actor| sum.saturating_add(actor.count)).saturating_mul(scale)
    }

    /// The number of streams, as users count them.
    pub fn stream_count(&self, scale: u32) -> u32 {
        let streams = |actor: &ActorPlan| actor.count.saturating_mul(actor.outline(None).streams);
        self.actors.iter().map(streams).fold(0, u32::saturating_add).saturating_mul(scale)
    }

    /// The largest scale that a search tries: the plan's own, or the largest for one process.
    pub fn search_cap(&self) -> u32 {
        let most = WORKERS_MAX / self.workers(1).max(1);
        self.find_max.and_then(|search| search.cap).map_or(most, |cap| cap.min(most))
    }

    /// The noun for its streams: `players of Apple ProRes 422 HQ UHD, 25 fps`, `streams of newsroom`.
    pub fn what(&self) -> String {
        let [actor] = self.actors.as_slice() else {
            return format!("streams of {}", self.name);
        };
        let several = actor.kind().plural();
        match (actor.footage().and_then(Footage::title), actor.kind().parts) {
            (Some(media), Some(parts)) => format!("{parts} of {media} in {several}"),
            (Some(media), None) => format!("{several} of {media}"),
            (None, _) => several,
        }
    }

    /// The label of a load point at this scale: `8 players`, `2 x newsroom`.
    pub fn label(&self, scale: u32) -> String {
        let [actor] = self.actors.as_slice() else {
            return format!("{scale} x {}", self.name);
        };
        match actor.count.saturating_mul(scale) {
            1 => format!("1 {}", actor.kind()),
            count => format!("{count} {}", actor.kind().plural()),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crate::streams::FindMaxPlan;

    fn actor(kind: &str, count: u32) -> ActorPlan {
        ActorPlan { count, ..ActorPlan::new(kind.parse().unwrap()) }
    }

    #[test]
    fn camera_and_companion_count_as_one_stream() {
        let pair = vec![actor("camera", 3), actor("companion", 3)];
        let plan = StreamsPlan { actors: pair, name: "vda-like".to_owned(), ..StreamsPlan::default() };
        assert_eq!((plan.stream_count(2), plan.workers(2)), (6, 12));
        assert_eq!(
            (plan.label(2), plan.what()),
            ("2 x vda-like".to_owned(), "streams of vda-like".to_owned())
        );
        let editor = StreamsPlan { actors: vec![actor("editor", 2)], ..StreamsPlan::default() };
        assert_eq!((editor.stream_count(1), editor.workers(1)), (8, 2));
        assert_eq!((editor.label(1), editor.label(2)), ("2 editors".to_owned(), "4 editors".to_owned()));
        let mix = StreamsPlan { actors: vec![actor("mix", 1)], ..StreamsPlan::default() };
        assert_eq!(
            (mix.label(1), mix.label(2), mix.what()),
            ("1 mix".into(), "2 mixes".into(), "mixes".into())
        );
    }

    #[test]
    fn search_cap_is_the_limit_of_one_process() {
        let plan = StreamsPlan { actors: vec![actor("player", 4)], ..StreamsPlan::default() };
        assert_eq!(plan.search_cap(), 1024);
        let capped = FindMaxPlan { cap: Some(50), ..FindMaxPlan::default() };
        assert_eq!(StreamsPlan { find_max: Some(capped), ..plan }.search_cap(), 50);
    }
}
