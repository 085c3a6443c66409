//! An importer's warnings about its source, as data. The report crate has the texts.

use serde::{Deserialize, Serialize};

/// A fact that users of the trace should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TraceNote {
    /// The source's clock went backwards within a thread. The order of the lines was kept.
    ClockWentBack {
        times: u64,
        /// The largest step backwards, at least.
        largest_ns: u64,
        /// The first line of the source at which it went backwards.
        first_line: u64,
    },
    /// The source's clock has twelve hours and does not show which half of the day it is. A new half was
    /// assumed where the hours started again.
    HalfOfDayAssumed {
        times: u64,
        /// The first line of the source at which it was assumed.
        first_line: u64,
    },
    /// Operations that are too long for one record were split into consecutive ones. Bytes and times add
    /// up to those of the source.
    LongOperationsSplit {
        times: u64,
        /// The first line of the source with such an operation.
        first_line: u64,
    },
    /// Requests for more bytes than a record can hold, which transferred less. The requested length was
    /// reduced.
    LongRequestsShortened {
        times: u64,
        /// The first line of the source with such a request.
        first_line: u64,
    },
    /// A kind of a newer version.
    #[serde(other)]
    Unknown,
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_note_of_a_newer_version_is_unknown() {
        let note = TraceNote::ClockWentBack { times: 2, largest_ns: 5, first_line: 7 };
        let text = serde_json::to_string(&note).unwrap();
        assert_eq!(text, r#"{"kind":"clock_went_back","times":2,"largest_ns":5,"first_line":7}"#);
        assert_eq!(serde_json::from_str::<TraceNote>(&text).unwrap(), note);
        let newer = r#"{"kind":"moon_phase","times":2}"#;
        assert_eq!(serde_json::from_str::<TraceNote>(newer).unwrap(), TraceNote::Unknown);
    }
}
