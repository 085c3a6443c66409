//! A plan of streams as names and values for users; the exact plan is in `run.toml`.

use std::collections::BTreeMap;

use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::streams::{ActorPlan, Buffer, StreamsPlan};

/// The plan as names and values.
pub fn plan_for_people(plan: &StreamsPlan) -> BTreeMap<String, String> {
    let driver = match plan.driver {
        DriverChoice::Threads => "threads",
        DriverChoice::Uring => "uring",
    };
    let actors: Vec<String> = plan.actors.iter().map(actor).collect();
    let load = match &plan.find_max {
        Some(_) => "search for the largest number that passes".to_owned(),
        None => plan.scale.to_string(),
    };
    let pairs = [
        ("name", plan.name.clone()),
        ("actors", actors.join("; ")),
        ("scale", load),
        ("direct", plan.direct.to_string()),
        ("driver", driver.to_owned()),
        ("warmup", plan.warmup.to_string()),
        ("duration", plan.duration.to_string()),
    ];
    let set = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    set.map(|(name, value)| (name.to_owned(), value)).collect()
}

fn actor(actor: &ActorPlan) -> String {
    let (count, kind) = (actor.count, actor.kind());
    let what = actor.footage().and_then(|footage| match &footage.like {
        Some(path) => Some(format!("like {}", path.display())),
        None => footage.name(),
    });
    // Runs of all versions list a buffer for transcoders, and comparisons use it.
    let buffer = actor.outline(None).frames.map_or_else(Buffer::default, |frames| frames.frames.buffer);
    what.map_or_else(
        || format!("{count} x {kind}"),
        |what| format!("{count} x {kind} of {what}, buffer {buffer}"),
    )
}
