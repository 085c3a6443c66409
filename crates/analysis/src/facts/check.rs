//! What a short first look at a target found.

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::limit::CountLimit;
use crate::sustained::SustainedRate;

/// Results of `check`. MB = 10^6 bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckFacts {
    /// What is mounted there: `NFS 4.2 from nas1`, `ext4 on /dev/nvme0n1p2`.
    pub mount: String,
    /// The link: `eth0, 10 Gbit/s`. `None` for local storage, and where it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The most file data that such a link transfers. `None` where the link is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_rate_mb_per_s: Option<f64>,
    /// What this client sustained reading in order, four files at a time.
    pub sequential_read_mb_per_s: Option<f64>,
    /// What it sustained writing in order, four files at a time.
    pub sequential_write_mb_per_s: Option<f64>,
    /// How the rate of sequential reads developed. `None` in runs of versions that did not look.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential_reads: Option<SustainedRate>,
    /// The same of sequential writes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential_writes: Option<SustainedRate>,
    /// This client reading 64 KiB at random places, four at a time.
    pub random_read_mb_per_s: Option<f64>,
    /// 99 of 100 of those reads took no longer.
    pub random_read_ms_p99: Option<f64>,
    /// Everyday formats, each measured at its limit.
    pub formats: Vec<CheckFormat>,
    /// Which counts others contradict that were not tried again, in words. Their limits are unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsteady: Option<String>,
    /// What limits it first, in words.
    pub limit: String,
    /// Whose that limit is. `None` where it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_culprit: Option<Culprit>,
    /// The doctor's rule to follow first. `None` where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<CheckHint>,
    /// Free space on the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// Its share of all, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_share: Option<f64>,
    /// What to do next: only in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// How long all of that took.
    pub looked_s: f64,
}

impl CheckFacts {
    /// All counts, format by format.
    pub fn counts(&self) -> impl Iterator<Item = &CheckCount> {
        self.formats.iter().flat_map(|format| [&format.play, &format.record]).flatten()
    }

    /// What ended each count. Empty in runs of versions that had it in words alone.
    pub fn limits(&self) -> Vec<CountLimit> {
        self.counts().filter_map(|count| count.limit).collect()
    }
}

/// A rule of the doctor that the client or its mount breaks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckHint {
    /// The rule: `nfs.rsize_wsize`.
    pub rule: String,
    /// What was found, and what to do.
    pub sentence: String,
}

/// How many streams of one format were carried.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckFormat {
    /// Its name in the catalogue: `prores-422-hq-uhd-25`.
    pub id: String,
    /// The same for display: `Apple ProRes 422 HQ UHD 25p`.
    pub name: String,
    /// What one stream of it needs.
    pub needed_mb_per_s_each: f64,
    /// Streams that were played. `None` where that was not measured.
    pub play: Option<CheckCount>,
    /// Streams that were recorded. `None` where that was not measured.
    pub record: Option<CheckCount>,
}

/// A count of streams without a late frame and with margins that did not fall.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckCount {
    /// So many.
    pub streams: u32,
    /// There may be more: the search was cut short, or this machine was its limit.
    pub at_least: bool,
    /// By how many the count may be off, up or down. `None` of a lower bound (`at_least`).
    #[serde(default)]
    pub error_streams: Option<u32>,
    /// What so many streams need together.
    pub mb_per_s: f64,
    /// What ended the search, in words: `the storage`, `this machine`, `the time for this look`.
    pub limited_by: String,
    /// The same as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<CountLimit>,
    /// What the count rests on. `None` in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<CheckBasis>,
    /// How long so many streams were held, in their longest trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_s: Option<f64>,
    /// Other counts imply more, and a second trial confirmed this limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_limit: bool,
}

impl CheckCount {
    /// Whether so many streams can be relied on: what was seen is enough to know that storage sustains them.
    pub fn is_sustained(&self) -> bool {
        matches!(self.basis, Some(CheckBasis::Held | CheckBasis::SustainedRate))
    }

    /// By how much it may be off, up or down. `None` where it is exact, or only a lower bound.
    pub fn stated_error(&self) -> Option<u32> {
        self.error_streams.filter(|error| *error > 0 && !self.at_least)
    }
}

/// What a count rests on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CheckBasis {
    /// So many streams were held for at least five seconds after the last sign of a burst.
    Held,
    /// They passed a short trial, and need no more than the rate that was sustained for at least that long.
    SustainedRate,
    /// They passed a short trial, and nothing else speaks for them.
    ShortTrial,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lower_bound_has_no_error_in_runs_of_earlier_versions_either() {
        let earlier = |at_least: bool| {
            let text = format!(
                r#"{{ "streams": 188, "at_least": {at_least}, "error_streams": 182, "mb_per_s": 1.0,
                      "limited_by": "the time for this look", "basis": "short_trial" }}"#
            );
            serde_json::from_str::<CheckCount>(&text).map(|found| found.stated_error()).ok()
        };
        assert_eq!([earlier(false), earlier(true)], [Some(Some(182)), Some(None)]);
    }
}
