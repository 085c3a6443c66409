//! A plan of streams as names and values for people; the exact plan is in `run.toml`.

use std::collections::BTreeMap;

use reelgauge_workload::plan::DriverChoice;
use reelgauge_workload::streams::{ActorPlan, StreamsPlan};

/// The plan as names and values.
pub fn plan_for_people(plan: &StreamsPlan) -> BTreeMap<String, String> {
    let driver = match plan.driver {
        DriverChoice::Threads => "threads",
        DriverChoice::Uring => "uring",
    };
    let actors: Vec<String> = plan.actors.iter().map(actor).collect();
    let load = match &plan.find_max {
        Some(_) => "searched for the largest that passes".to_owned(),
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
    let own = actor.own_format.as_ref().map(|format| format.name.clone());
    let like = actor.like.as_ref().map(|path| format!("like {}", path.display()));
    let what = like.or(own).or_else(|| actor.format.clone()).unwrap_or_default();
    match what.is_empty() {
        true => format!("{} x {}", actor.count, actor.kind),
        false => format!("{} x {} of {what}, buffer {}", actor.count, actor.kind, actor.buffer),
    }
}
