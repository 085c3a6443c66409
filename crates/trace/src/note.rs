//! What an import has to say of the source, as data. The words for it are the report room's.

use serde::{Deserialize, Serialize};

/// Something that a user of the trace should know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum TraceNote {
    /// The source's clock went back within a thread. The lines kept their order.
    ClockWentBack {
        times: u64,
        /// By how much at least, the largest time.
        largest_ns: u64,
        /// The line of the source at which it went back first.
        first_line: u64,
    },
    /// The source's clock has twelve hours and does not show which half of the day it is in. A new half was
    /// assumed where the hours began again.
    HalfOfDayAssumed {
        times: u64,
        /// The line of the source at which it was assumed first.
        first_line: u64,
    },
    /// Operations that are longer than a trace can hold in one became several, one behind the other. Their
    /// bytes and times together are those of the source.
    LongOperationsSplit {
        times: u64,
        /// The line of the source that has the first.
        first_line: u64,
    },
    /// Requests for more bytes than a trace can hold in one, which moved less. They ask for less.
    LongRequestsShortened {
        times: u64,
        /// The line of the source that has the first.
        first_line: u64,
    },
    /// A kind that a newer version writes.
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
