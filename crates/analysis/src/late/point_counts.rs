//! The counts of a load point's streams before they become figures. Those of several hosts can be
//! merged; the totals are the same as from a single count.

use super::figures::{LateFigures, StreamFigures};
use super::stream::StreamTally;
use super::strip::Strip;
use super::totals::total_of;
use crate::incident::Incident;

/// The counts of streams after the end of their load point.
#[derive(Clone, Debug)]
pub struct LateCounted {
    pub(super) streams: Vec<StreamTally>,
    pub(super) incidents: Vec<Incident>,
    pub(super) incident_count: u64,
    pub(super) ignored_ops: u64,
}

impl LateCounted {
    /// Adds the streams of another host, whose numbers do not occur here. Its incidents are appended
    /// without deciding which of them are one ([`crate::incident::host_merge`]).
    pub fn merge(&mut self, other: LateCounted) {
        self.streams.extend(other.streams);
        self.streams.sort_by_key(StreamTally::number);
        self.incidents.extend(other.incidents);
        self.incident_count += other.incident_count;
        self.ignored_ops += other.ignored_ops;
    }

    /// The figures, by stream number.
    pub fn figures(&self) -> LateFigures {
        let streams: Vec<StreamFigures> = self.streams.iter().map(StreamTally::figures).collect();
        LateFigures {
            total: total_of(&self.streams),
            incidents: self.incidents.clone(),
            incident_count: self.incident_count,
            streams,
            ignored_ops: self.ignored_ops,
        }
    }

    /// The strips of the streams that began and keep one, by stream number.
    pub(super) fn into_strips(self) -> Vec<(u32, Strip)> {
        self.streams.into_iter().filter_map(StreamTally::into_strip).collect()
    }
}
