//! The files of a run, in the order of their numbers. The first byte of an input selects the file to
//! replace (its lower three bits), and whether the run was killed before it had a summary (the next
//! bit). The end-to-end test of earlier findings reads this list, too.

pub const FILES: [&str; 8] = [
    "summary.json",
    "streams.json",
    "load-points.json",
    "live.jsonl",
    "hosts.json",
    "run.toml",
    "ops/agent=local/part-000001.parquet",
    "counters/agent=local/part-000001.parquet",
];
