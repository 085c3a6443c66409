//! What a short first look at a target found.

use serde::{Deserialize, Serialize};

/// The first look. MB = 10^6 bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckFacts {
    /// What is mounted there: `NFS 4.2 from nas1`, `ext4 on /dev/nvme0n1p2`.
    pub mount: String,
    /// Over which link: `eth0, 10 Gbit/s`. `None` for local storage, and where it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// What such a link carries of file data at best. `None` where the link is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_rate_mb_per_s: Option<f64>,
    /// This client reading in order, four files at a time.
    pub sequential_read_mb_per_s: Option<f64>,
    /// This client writing in order, four files at a time.
    pub sequential_write_mb_per_s: Option<f64>,
    /// This client reading 64 KiB at random places, four at a time.
    pub random_read_mb_per_s: Option<f64>,
    /// 99 of 100 of those reads took no longer.
    pub random_read_ms_p99: Option<f64>,
    /// Everyday formats, each measured at its limit.
    pub formats: Vec<CheckFormat>,
    /// What limits it first, in words.
    pub limit: String,
    /// One thing to do next, in words.
    pub next_step: String,
    /// How long all of that took.
    pub looked_s: f64,
}

/// How many streams of one format were carried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CheckFormat {
    /// Its name in the catalogue: `prores-422-hq-uhd-25`.
    pub id: String,
    /// The same for people: `Apple ProRes 422 HQ UHD 25p`.
    pub name: String,
    /// Streams that were played without a late frame.
    pub streams: u32,
    /// There may be more: the search was cut short, or this machine was its limit.
    #[serde(default)]
    pub at_least: bool,
    /// What one of them needs.
    pub needed_mb_per_s_each: f64,
    /// What ended the search, in words: `the storage`, `this machine`, `the time for this look`.
    pub limited_by: String,
}
