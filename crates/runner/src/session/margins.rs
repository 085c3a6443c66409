//! The smallest margins of streams between two reports on a load point: a run reports its state four
//! times a second, and viewers receive one report.

use std::collections::BTreeMap;

use crate::observer::Live;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Margins {
    least_ns: Option<i64>,
    of_streams_ns: BTreeMap<u32, i64>,
}

impl Margins {
    /// Takes the current state.
    pub(crate) fn note(&mut self, live: &Live) {
        self.least_ns = self.least_ns.into_iter().chain(live.margin_ns).min();
        for stream in &live.streams {
            if let Some(margin_ns) = stream.margin_ns {
                let least = self.of_streams_ns.entry(stream.stream).or_insert(margin_ns);
                *least = margin_ns.min(*least);
            }
        }
    }

    /// The smallest of all streams, rounded down; `None` if nothing was due.
    pub(crate) fn least_ms(&self) -> Option<i64> {
        self.least_ns.map(whole_ms)
    }

    /// The smallest margin of one stream, rounded down; `None` if none of its frames was due.
    pub(crate) fn of_stream_ms(&self, stream: u32) -> Option<i64> {
        self.of_streams_ns.get(&stream).copied().map(whole_ms)
    }
}

/// Rounded down, so that an overdue frame never has 0.
fn whole_ms(ns: i64) -> i64 {
    ns.div_euclid(1_000_000)
}
