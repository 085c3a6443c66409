//! A plan of a mix as names and values for users; the exact plan is in `run.toml`.

use std::collections::BTreeMap;

use reelgauge_workload::plan::{DriverChoice, Plan};

/// The plan as names and values for users; the exact plan is in `run.toml`.
pub(super) fn plan_for_people(plan: &Plan) -> BTreeMap<String, String> {
    let mix = &plan.mix;
    let length = match (&mix.max_length, &mix.lengths) {
        (Some(max), _) => format!("up to {max}"),
        (None, Some(lengths)) => lengths.to_string(),
        (None, None) => String::new(),
    };
    let files = match (mix.shared_file, mix.files) {
        (true, _) => "one file for all workers".to_owned(),
        (false, Some(files)) => format!("{files}; each worker uses any of them"),
        (false, None) => "one file per worker".to_owned(),
    };
    let driver = match plan.driver {
        DriverChoice::Threads => "threads",
        DriverChoice::Uring => "uring",
    };
    let pairs = [
        ("profile", mix.profile.clone()),
        ("writes_percent", mix.writes.to_string()),
        ("random_percent", mix.random.to_string()),
        ("blocks", mix.blocks.to_string()),
        ("length", length),
        ("max_delay", mix.max_delay.to_string()),
        ("files", files),
        ("file_size", mix.file_size.to_string()),
        ("sync", format!("{:?}", mix.sync).to_lowercase()),
        ("direct", mix.direct.to_string()),
        ("no_repeat", mix.no_repeat.to_string()),
        ("create", if mix.create { "true".to_owned() } else { String::new() }),
        // Listed only if it differs from the fixed value of versions that lacked the setting.
        (
            "in_flight",
            Some(mix.in_flight)
                .filter(|&depth| depth > 1)
                .map_or_else(String::new, |depth| depth.to_string()),
        ),
        ("driver", driver.to_owned()),
        ("workers", plan.workers.to_string()),
        ("sweep", plan.sweep.as_ref().map(ToString::to_string).unwrap_or_default()),
        ("warmup", plan.warmup.to_string()),
        ("duration", plan.duration.to_string()),
        ("verify", plan.verify.to_string()),
        ("criteria", plan.criteria.clone()),
    ];
    let set = pairs.into_iter().filter(|(_, value)| !value.is_empty());
    set.map(|(name, value)| (name.to_owned(), value)).collect()
}
