//! Answers of the Prometheus HTTP API to a range query (`/api/v1/query_range`), as saved by `curl`; a
//! file may contain several.
//!
//! ```text
//! {"status":"success","data":{"resultType":"matrix","result":[
//!   {"metric":{"__name__":"node_disk_io_time_seconds_total","device":"sda","instance":"nas1:9100"},
//!    "values":[[1763000000,"100"],[1763000002,"101.9"]]}]}}
//! ```
//!
//! The format is in Prometheus' documentation ("HTTP API", expression query result formats). The result
//! of an expression (`rate(…)`, `sum(…)`) has no `__name__`, so its meaning is unknown, and it is not
//! used.
//!
//! Between two scrapes, Prometheus repeats the last value at every step. A rate over such a step would
//! be 0, and over the next far too high. So a time at which none of a host's counters moved is no sample
//! of them.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::series::{Series, SeriesTable};

/// The part of an answer that is read.
#[derive(Deserialize)]
struct Answer {
    status: String,
    data: Option<Data>,
    error: Option<String>,
    #[serde(default)]
    warnings: Vec<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    result_type: String,
    #[serde(default)]
    result: serde_json::Value,
}

/// One series of a matrix.
#[derive(Deserialize)]
pub(super) struct Range {
    pub(super) metric: BTreeMap<String, String>,
    /// Seconds since 1970, and the value.
    #[serde(default)]
    pub(super) values: Vec<(f64, String)>,
}

/// Whether a text is such an answer, complete or not.
pub(super) fn is_answer(text: &str) -> bool {
    let rest = text.trim_start().strip_prefix('{').map(str::trim_start);
    rest.is_some_and(|rest| ["\"status\"", "\"data\""].iter().any(|key| rest.starts_with(key)))
}

/// The series of all answers in a text, and their warnings.
///
/// # Errors
/// If it is damaged, or an answer of another kind; as text.
pub(super) fn read(text: &str) -> Result<(Vec<Range>, Vec<String>), String> {
    let (mut ranges, mut warnings) = (Vec::new(), Vec::new());
    for answer in serde_json::Deserializer::from_str(text).into_iter::<Answer>() {
        let answer = answer.map_err(|error| format!("it is not a complete Prometheus answer: {error}"))?;
        if answer.status != "success" {
            let why = answer.error.unwrap_or(answer.status);
            return Err(format!("Prometheus returned an error: {}", shortened(&why)));
        }
        let data = answer.data.ok_or("the answer has no data")?;
        if data.result_type != "matrix" {
            return Err(format!(
                "it answers a query for a single time ({}); use query_range with start, end and step",
                shortened(&data.result_type)
            ));
        }
        let more: Vec<Range> = serde_json::from_value(data.result)
            .map_err(|error| format!("one of its results is not a series: {error}"))?;
        ranges.extend(more);
        warnings.extend(answer.warnings.iter().map(|said| format!("Prometheus warned: {}", shortened(said))));
    }
    Ok((ranges, warnings))
}

/// Removes the times at which none of a host's counters moved; the last one stays.
pub(super) fn without_repeats(table: &mut SeriesTable) {
    let mut moved: BTreeSet<i64> = BTreeSet::new();
    for series in table.series.iter().filter(|series| series.only_grows) {
        moved.extend(series.points.windows(2).filter(|pair| pair[0].1 != pair[1].1).map(|pair| pair[1].0));
        moved.extend(series.points.first().map(|(at_ns, _)| *at_ns));
        moved.extend(series.points.last().map(|(at_ns, _)| *at_ns));
    }
    let is_counter = |series: &&mut Series| series.only_grows;
    for series in table.series.iter_mut().filter(is_counter) {
        series.points.retain(|(at_ns, _)| moved.contains(at_ns));
    }
}

fn shortened(said: &str) -> String {
    said.chars().filter(|c| !c.is_control()).take(120).collect()
}
