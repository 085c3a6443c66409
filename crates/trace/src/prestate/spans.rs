//! The written bytes of a file, as intervals that do not touch.

use std::collections::BTreeMap;

/// A set of bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(BTreeMap<u64, u64>);

impl Spans {
    /// Adds the bytes from `start` up to, but not including, `end`.
    pub fn add(&mut self, mut start: u64, mut end: u64) {
        if start >= end {
            return;
        }
        // Merges the intervals that it touches.
        while let Some((&from, &to)) = self.0.range(..=end).next_back() {
            if to < start {
                break;
            }
            self.0.remove(&from);
            start = start.min(from);
            end = end.max(to);
        }
        self.0.insert(start, end);
    }

    /// The end of the last of these bytes that is missing from the set; `None` if all are present.
    pub fn last_missing(&self, start: u64, end: u64) -> Option<u64> {
        let mut end = end;
        while start < end {
            match self.0.range(..end).next_back() {
                Some((&from, &to)) if to >= end => end = from,
                _ => return Some(end),
            }
        }
        None
    }

    /// Number of intervals in the set.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Merges all intervals into one.
    pub fn coarsen(&mut self) {
        let first = self.0.first_key_value().map(|(&from, _)| from);
        let last = self.0.last_key_value().map(|(_, &to)| to);
        if let (Some(first), Some(last)) = (first, last) {
            self.0.clear();
            self.0.insert(first, last);
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn spans_equal_a_set_of_bytes(writes in proptest::collection::vec((0u64..64, 0u64..16), 0..20),
                                start in 0u64..64, len in 0u64..20) {
            let mut spans = Spans::default();
            let mut bytes = [false; 128];
            for (at, len) in writes {
                spans.add(at, at + len);
                bytes[at as usize..(at + len) as usize].fill(true);
            }
            let missing = (start..start + len).rev().find(|&at| !bytes[at as usize]).map(|at| at + 1);
            prop_assert_eq!(spans.last_missing(start, start + len), missing);
            let islands = (0..127).filter(|&at| !bytes[at] && bytes[at + 1]).count() + usize::from(bytes[0]);
            prop_assert_eq!(spans.len(), islands);
        }
    }

    #[test]
    fn coarsened_spans_are_one_span() {
        let mut spans = Spans::default();
        spans.add(10, 20);
        spans.add(30, 40);
        spans.coarsen();
        assert_eq!((spans.len(), spans.last_missing(10, 40)), (1, None));
    }
}
