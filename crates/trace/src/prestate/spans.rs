//! Which bytes of a file were written: intervals that don't touch.

use std::collections::BTreeMap;

/// A set of bytes.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(BTreeMap<u64, u64>);

impl Spans {
    /// Adds the bytes from `start` to before `end`.
    pub fn add(&mut self, mut start: u64, mut end: u64) {
        if start >= end {
            return;
        }
        // Those that it touches become part of it.
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

    /// Where the last of these bytes ends that is not in the set; `None` where all are in it.
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

    /// How many intervals there are.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Makes one interval of all.
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
        fn it_is_a_set_of_bytes(writes in proptest::collection::vec((0u64..64, 0u64..16), 0..20),
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
    fn coarsened_it_is_one() {
        let mut spans = Spans::default();
        spans.add(10, 20);
        spans.add(30, 40);
        spans.coarsen();
        assert_eq!((spans.len(), spans.last_missing(10, 40)), (1, None));
    }
}
