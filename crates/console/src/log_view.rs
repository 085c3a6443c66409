//! Details of a run's or trace's log beyond its page: a part of a file's map, and operations by a common
//! property.

use std::collections::BTreeMap;
use std::str::FromStr;

use glob::Pattern;
use reelgauge_analysis::detail::data::{MapLevel, OpColumns};
use reelgauge_analysis::operation_list::{OpFilter, SortBy};
use reelgauge_analysis::trace_stats::Period;
use reelgauge_record::{OpKind, OpRecord};
use reelgauge_results::ops_listing::{Listing, list_until};
use reelgauge_results::trace_report::name;
use reelgauge_trace::{Trace, TraceError};
use serde::Serialize;

use crate::error::ApiError;
use crate::window_map::{Window, WindowMap};

/// The largest number of operations in one answer.
const TOP_MAX: usize = 5_000;
/// The default number.
const TOP: usize = 500;
/// The default numbers of columns and rows of a map.
const COLUMNS: u64 = 600;
const ROWS: u64 = 300;

/// Fields of a query: names and values as they arrived. An empty value counts as missing.
pub type Query = BTreeMap<String, String>;

/// Operations, and the names of their files.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct OpsFound {
    /// The operations.
    #[serde(flatten)]
    pub ops: OpColumns,
    /// Names of the files that occur, by number.
    pub file_names: BTreeMap<u32, String>,
}

/// The part of a file's map that a query requests.
///
/// # Errors
/// If the query is invalid, the log can't be read, or `stop` returns true.
pub fn map(trace: &Trace, query: &Query, stop: &dyn Fn() -> bool) -> Result<MapLevel, ApiError> {
    let file = number(query, "file")?
        .ok_or_else(|| ApiError::bad("add the file's number to the request, such as file=0"))?;
    let period = period(query)?;
    let mut window = Window {
        file,
        from_ns: period.from_ns,
        to_ns: period.to_ns,
        from_bytes: number(query, "from_bytes")?.unwrap_or(0),
        to_bytes: number(query, "to_bytes")?.unwrap_or(u64::MAX),
        columns: number(query, "columns")?.unwrap_or(COLUMNS),
        rows: number(query, "rows")?.unwrap_or(ROWS),
    };
    if window.to_ns == u64::MAX || window.to_bytes == u64::MAX {
        let (mut last_ns, mut end_bytes) = (window.from_ns, window.from_bytes);
        each(trace, stop, |op| {
            last_ns = last_ns.max(op.issued_ns);
            if op.file == file && op.kind.moves_data() {
                end_bytes = end_bytes.max(op.offset.saturating_add(u64::from(op.done_len)));
            }
        })?;
        window.to_ns = window.to_ns.min(last_ns.saturating_add(1));
        window.to_bytes = window.to_bytes.min(end_bytes);
    }
    let mut map = WindowMap::new(window);
    each(trace, stop, |op| map.add(op))?;
    Ok(map.figures())
}

/// The operations that a query requests.
///
/// # Errors
/// If the query is invalid, the log can't be read, or `stop` returns true.
pub fn ops(trace: &Trace, query: &Query, stop: &dyn Fn() -> bool) -> Result<OpsFound, ApiError> {
    let top = number(query, "top")?.unwrap_or(TOP).min(TOP_MAX);
    let listing = Listing { filter: filter(trace, query)?, sort: sort(query)?, top: Some(top) };
    let mut found = OpsFound::default();
    let files = trace.files().len();
    list_until(trace, listing, stop, |op| {
        found.ops.push(op, files);
        Ok::<(), TraceError>(())
    })
    .map_err(ApiError::failed)?;
    if stop() {
        return Err(not_awaited());
    }
    let names = found.ops.files().map(|file| (file, name(trace, file)));
    found.file_names = names.collect();
    Ok(found)
}

/// Every operation, in the order of the log.
fn each(trace: &Trace, stop: &dyn Fn() -> bool, mut take: impl FnMut(&OpRecord)) -> Result<(), ApiError> {
    for batch in trace.batches() {
        batch.map_err(ApiError::failed)?.iter().for_each(&mut take);
        if stop() {
            return Err(not_awaited());
        }
    }
    Ok(())
}

fn not_awaited() -> ApiError {
    ApiError::busy("the request was cancelled")
}

fn filter(trace: &Trace, query: &Query) -> Result<OpFilter, ApiError> {
    let pattern = given(query, "file").map(Pattern::new).transpose();
    let pattern = pattern.map_err(|error| {
        ApiError::bad(format!("invalid pattern in 'file': {error}. '*' matches any characters, '?' one"))
    })?;
    let wanted = |pattern: Pattern| trace.files().iter().map(|file| pattern.matches(&file.path)).collect();
    let kind = |name| {
        OpKind::from_name(name).ok_or_else(|| {
            let names: Vec<&str> = OpKind::ALL.iter().map(|kind| kind.name()).collect();
            ApiError::bad(format!("invalid 'kind'; use {}", names.join(", ")))
        })
    };
    Ok(OpFilter {
        period: period(query)?,
        files: pattern.map(wanted),
        kinds: given(query, "kind")
            .map(|names| names.split(',').map(kind).collect())
            .transpose()?
            .unwrap_or_default(),
        errors: given(query, "errors") == Some("true"),
        ..OpFilter::default()
    })
}

fn sort(query: &Query) -> Result<SortBy, ApiError> {
    match given(query, "sort") {
        None | Some("issued") => Ok(SortBy::Issued),
        Some("service") => Ok(SortBy::Service),
        Some("response") => Ok(SortBy::Response),
        Some("size") => Ok(SortBy::Size),
        Some("offset") => Ok(SortBy::Offset),
        Some(_) => Err(ApiError::bad("invalid 'sort'; use issued, service, response, size or offset")),
    }
}

fn period(query: &Query) -> Result<Period, ApiError> {
    let from_ns = seconds(query, "from_s")?.unwrap_or(0);
    let to_ns = seconds(query, "to_s")?.unwrap_or(u64::MAX);
    match from_ns < to_ns {
        true => Ok(Period { from_ns, to_ns }),
        false => Err(ApiError::bad("to_s must be later than from_s")),
    }
}

/// Seconds as nanoseconds. A negative time counts as the beginning.
fn seconds(query: &Query, field: &str) -> Result<Option<u64>, ApiError> {
    let seconds: Option<f64> = number(query, field)?;
    match seconds {
        Some(seconds) if !seconds.is_finite() => {
            Err(ApiError::bad(format!("{field} is not a time in seconds")))
        }
        seconds => Ok(seconds.map(|seconds| (seconds * 1e9).round() as u64)),
    }
}

fn number<T: FromStr>(query: &Query, field: &str) -> Result<Option<T>, ApiError> {
    let parsed = given(query, field).map(str::parse).transpose();
    parsed.map_err(|_| ApiError::bad(format!("{field} is not a valid number")))
}

fn given<'a>(query: &'a Query, field: &str) -> Option<&'a str> {
    query.get(field).map(String::as_str).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use reelgauge_trace::synth::hints::HINT_STREAM;

    use super::*;

    fn query(text: &str) -> Query {
        let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
        pairs.map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
    }

    /// 1,024 writes of a byte, each 64 KiB after the one before, then real ones in between.
    fn trace() -> (tempfile::TempDir, Trace) {
        let parent = tempfile::tempdir().unwrap();
        let trace = HINT_STREAM.make(parent.path()).unwrap();
        (parent, trace)
    }

    #[test]
    fn operations_are_filtered_by_the_query() {
        let (_parent, trace) = trace();
        let found = |text: &str| ops(&trace, &query(text), &|| false).unwrap();
        assert_eq!(found("top=3&kind=write&sort=offset").ops.offset_bytes, [0, 64 << 10, 128 << 10]);
        assert_eq!(found("").ops.kind.len(), TOP);
        assert_eq!(found("top=100000000").ops.kind.len().min(TOP_MAX), found("top=5000").ops.kind.len());
        assert_eq!(found("top=&sort=&kind=&file=&errors=").ops.kind.len(), TOP);
        assert_eq!(found("file=no-such-*").ops.kind.len(), 0);
        assert_eq!(found("errors=true").ops.kind.len(), 0);
        assert_eq!(found("from_s=0.002&to_s=0.004&kind=write,read").ops.kind.len(), 2);
        let one = found("file=*&top=1&kind=write");
        assert_eq!(one.file_names.len(), 1);
        assert!(!one.file_names[&u32::try_from(one.ops.file[0]).unwrap()].is_empty());
    }

    #[test]
    fn map_section_has_all_its_bytes() {
        let (_parent, trace) = trace();
        let file = ops(&trace, &query("top=1&kind=write"), &|| false).unwrap().ops.file[0];
        let found = |text: &str| map(&trace, &query(&format!("file={file}&{text}")), &|| false).unwrap();
        let bytes = |level: &MapLevel| level.cells.chunks(4).map(|cell| cell[3]).sum::<u64>();
        let whole = found("");
        let mut written = 0;
        each(&trace, &|| false, |op| {
            written += if op.kind == OpKind::Write { u64::from(op.done_len) } else { 0 };
        })
        .unwrap();
        assert_eq!(bytes(&whole), written);
        assert!(whole.time_bins <= COLUMNS && whole.offset_bins <= ROWS);
        let part = found("to_bytes=65536&columns=10&rows=4");
        assert_eq!((part.offset_bin_bytes, part.offset_bins), (16_384, 4));
        assert!(bytes(&part) < written && bytes(&part) > 0);
    }

    #[test]
    fn contradictory_input_is_refused() {
        let (_parent, trace) = trace();
        for text in [
            "",
            "file=x",
            "file=-1",
            "file=0&from_s=2&to_s=1",
            "file=0&from_s=NaN",
            "file=0&rows=many",
            "file=0&to_s=inf",
            "file=0&from_bytes=-1",
        ] {
            let error = map(&trace, &query(text), &|| false).unwrap_err();
            assert_eq!(error.status, axum::http::StatusCode::BAD_REQUEST, "{text}");
        }
        for text in ["kind=reed", "sort=-issued", "top=-1", "file=[", "from_s=1&to_s=1"] {
            let error = ops(&trace, &query(text), &|| false).unwrap_err();
            assert_eq!(error.status, axum::http::StatusCode::BAD_REQUEST, "{text}");
        }
        assert!(map(&trace, &query("file=0"), &|| true).is_err());
        assert!(ops(&trace, &query("sort=service"), &|| true).is_err());
        assert_eq!(map(&trace, &query("file=4294967295"), &|| false).unwrap().cells.len(), 0);
    }
}
