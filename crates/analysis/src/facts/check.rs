//! The results of a quick check of a target.

use serde::{Deserialize, Serialize};

use crate::culprit::Culprit;
use crate::limit::CountLimit;
use crate::selftest::is_close;
use crate::sustained::SustainedRate;

/// Results of `check`. MB = 10^6 bytes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckFacts {
    /// The mount of the target: `NFS 4.2 from nas1`, `ext4 on /dev/nvme0n1p2`.
    pub mount: String,
    /// The link: `eth0, 10 Gbit/s`. `None` for local storage, and if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
    /// The highest rate of file data on such a link. `None` if the link is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line_rate_mb_per_s: Option<f64>,
    /// Rate that this client sustained when it read in order, four files at a time.
    pub sequential_read_mb_per_s: Option<f64>,
    /// Rate that this client sustained when it wrote in order, four files at a time.
    pub sequential_write_mb_per_s: Option<f64>,
    /// The sequential read rate over time. `None` in runs of versions that did not record it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential_reads: Option<SustainedRate>,
    /// The sequential write rate over time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sequential_writes: Option<SustainedRate>,
    /// The rate of this client when it reads 64 KiB at random positions, four at a time.
    pub random_read_mb_per_s: Option<f64>,
    /// 99 of 100 of these reads took no longer.
    pub random_read_ms_p99: Option<f64>,
    /// Everyday formats, each measured at its limit.
    pub formats: Vec<CheckFormat>,
    /// Counts that other counts contradict and that were not tried again, as text. Their limits are
    /// unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsteady: Option<String>,
    /// The first limit of the target, as text.
    pub limit: String,
    /// The culprit of that limit. `None` if it is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit_culprit: Option<Culprit>,
    /// The doctor's rule to follow first. `None` where none applies.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<CheckHint>,
    /// The highest rate that this client can judge, by its self-test. `None` if it was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(skip))]
    pub judged_mb_per_s: Option<f64>,
    /// Free space on the storage.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_bytes: Option<u64>,
    /// The free share of the storage, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub free_share: Option<f64>,
    /// The next step: only in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_step: Option<String>,
    /// The duration of the whole check.
    pub looked_s: f64,
}

impl CheckFacts {
    /// All counts, format by format.
    pub fn counts(&self) -> impl Iterator<Item = &CheckCount> {
        self.formats.iter().flat_map(|format| [&format.play, &format.record]).flatten()
    }

    /// The highest rate that this client can judge, if the highest measured rate is near or above it.
    pub fn close_to_own_limit(&self) -> Option<f64> {
        let rates =
            [self.sequential_read_mb_per_s, self.random_read_mb_per_s, self.sequential_write_mb_per_s];
        let counts = self.counts().map(|count| count.mb_per_s);
        let highest = rates.into_iter().flatten().chain(counts).reduce(f64::max)?;
        self.judged_mb_per_s.filter(|judged| is_close(highest, *judged))
    }

    /// The limit of each count. Empty in runs of versions that had it only as text.
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
    /// The finding and the advice.
    pub sentence: String,
}

/// The stream counts of one format.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckFormat {
    /// Its name in the catalogue: `prores-422-hq-uhd-25`.
    pub id: String,
    /// The same for display: `Apple ProRes 422 HQ UHD 25p`.
    pub name: String,
    /// Rate that one stream of it needs.
    pub needed_mb_per_s_each: f64,
    /// Streams that were played; `None` if not measured.
    pub play: Option<CheckCount>,
    /// Streams that were recorded; `None` if not measured.
    pub record: Option<CheckCount>,
}

/// A number of streams that had no late frames and no shrinking margins.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct CheckCount {
    /// The number of streams.
    pub streams: u32,
    /// There may be more: the search was cut short, or the local host was its limit.
    pub at_least: bool,
    /// The uncertainty of the count, up or down. `None` for a lower bound (`at_least`).
    #[serde(default)]
    pub error_streams: Option<u32>,
    /// The total rate that these streams need.
    pub mb_per_s: f64,
    /// The limit of the count, as text: `the storage`, `this client`, `the check's time limit` and others.
    pub limited_by: String,
    /// The same as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<CountLimit>,
    /// The evidence for the count. `None` in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub basis: Option<CheckBasis>,
    /// How long this number of streams was played, in their longest trial.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_s: Option<f64>,
    /// Other counts imply more, but a second trial confirmed this limit.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub own_limit: bool,
}

impl CheckCount {
    /// Whether the evidence shows that the storage sustains this number of streams.
    pub fn is_sustained(&self) -> bool {
        matches!(self.basis, Some(CheckBasis::Held | CheckBasis::SustainedRate))
    }

    /// The uncertainty, up or down. `None` if the count is exact, or only a lower bound.
    pub fn stated_error(&self) -> Option<u32> {
        self.error_streams.filter(|error| *error > 0 && !self.at_least)
    }
}

/// The evidence for a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum CheckBasis {
    /// The streams were played for at least five seconds after the last sign of a burst.
    Held,
    /// The streams passed a short trial, and need no more than the sustained rate.
    SustainedRate,
    /// The streams passed a short trial; there is no other evidence.
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
