//! The curve of a VDA-like run in a summary: [`crate::VdaCurve`] with texts.

use serde::{Deserialize, Serialize};

/// The load curve, with everything that limits its meaning.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VdaFacts {
    /// "VDA-like …": the label of everything that shows these figures.
    pub label: String,
    /// How data set and times compare with the published definition, as text.
    pub data_set_note: String,
    /// The load points, in the order in which they ran.
    pub points: Vec<VdaPoint>,
    /// The largest load point before the first that is not valid. `None` if the first one is not valid,
    /// and in runs of earlier versions.
    #[serde(default)]
    pub streams: Option<u32>,
    /// Its total in the unit of published results, KiB/s ÷ 1000.
    #[serde(default)]
    pub published_mb_per_s: Option<f64>,
    /// The overall response time. `None` if there is no curve to compute it from.
    pub overall_response_time_ms: Option<f64>,
    /// Why there is no overall response time, or why it cannot be compared with a published one; `None`
    /// if it can.
    pub ort_note: Option<String>,
    /// The last load point before the response time turns upwards, as an index into `points`.
    pub knee_point: Option<usize>,
    /// Steps between load points that differ by more than 30 % from the mean step, as text.
    pub uneven_steps: Vec<String>,
}

/// One load point of the curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct VdaPoint {
    /// Streams, each one camera and one companion.
    pub streams: u32,
    /// The requested rate of all processes together.
    pub requested_ops_per_s: f64,
    /// The achieved rate.
    pub achieved_ops_per_s: f64,
    /// Mean response time of all transfers of both component workloads. `None` if none completed.
    pub mean_response_ms: Option<f64>,
    /// Bytes written; MiB = 2^20.
    pub written_mib_per_s: Option<f64>,
    /// Bytes read; MiB = 2^20.
    pub read_mib_per_s: Option<f64>,
    /// Read and written together in the unit of published results, KiB/s ÷ 1000. `None` if it was not
    /// measured, and in runs of earlier versions.
    #[serde(default)]
    pub published_mb_per_s: Option<f64>,
    /// Every process, all processes together, and the ratio of the component workloads met their limits.
    pub valid: bool,
    /// Why it is not valid, as text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why_not: Option<String>,
}
