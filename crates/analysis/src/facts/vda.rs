//! The curve of a VDA-like run, as a summary has it: [`crate::VdaCurve`] in words.

use serde::{Deserialize, Serialize};

/// The load curve, with everything that limits its meaning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VdaFacts {
    /// "VDA-like …": the label of everything that shows these figures.
    pub label: String,
    /// How the data set and the times compare with the published definition, in words.
    pub data_set_note: String,
    /// The load points, in the order in which they ran.
    pub points: Vec<VdaPoint>,
    /// The largest load point before the first that is not valid. `None` where the first is not, and in runs
    /// of earlier versions.
    #[serde(default)]
    pub streams: Option<u32>,
    /// Its total in the unit of published results, KiB/s ÷ 1000.
    #[serde(default)]
    pub published_mb_per_s: Option<f64>,
    /// The overall response time. `None` where there is no curve to compute it from.
    pub overall_response_time_ms: Option<f64>,
    /// Why there is none, or why it compares with no published one; `None` where it compares.
    pub ort_note: Option<String>,
    /// The last load point before the response time turns upwards, as an index into `points`.
    pub knee_point: Option<usize>,
    /// Steps between load points that are not within ±30 % of the mean step, in words.
    pub uneven_steps: Vec<String>,
}

/// One load point of the curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VdaPoint {
    /// Streams, each one camera and one companion.
    pub streams: u32,
    /// What all processes together were asked for.
    pub requested_ops_per_s: f64,
    /// What they did.
    pub achieved_ops_per_s: f64,
    /// Mean response time of all transfers of both component workloads. `None` where none was finished.
    pub mean_response_ms: Option<f64>,
    /// Bytes written; MiB = 2^20.
    pub written_mib_per_s: Option<f64>,
    /// Bytes read; MiB = 2^20.
    pub read_mib_per_s: Option<f64>,
    /// Read and written together in the unit of published results, KiB/s ÷ 1000. `None` where that was not
    /// measured, and in runs of earlier versions.
    #[serde(default)]
    pub published_mb_per_s: Option<f64>,
    /// Every process, all together, and the ratio of the component workloads kept their limits.
    pub valid: bool,
    /// Why it is not valid, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}
