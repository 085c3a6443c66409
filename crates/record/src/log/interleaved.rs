//! The logs of several machines side by side: what they did at the same time comes near to one another, so
//! that it can be put in order with little in memory.
//!
//! Each machine's operations come as it logged them, a few at a time; next is always the machine that is
//! farthest behind. Not here: the order itself (the analysis room's).

use crate::op::OpRecord;

use super::error::LogError;
use super::reader::{Batch, Batches, LogReader};

/// So many of a machine's operations come at once: with a hundred machines, fewer than are put in order at
/// a time.
const OPS_AT_ONCE: usize = 512;

/// The operations of all machines, nearly in order of time.
pub struct Interleaved<'a> {
    sources: Vec<Source<'a>>,
    failed: bool,
}

struct Source<'a> {
    batches: Batches<'a>,
    agent: usize,
    held: Vec<OpRecord>,
    next: usize,
}

/// The operations of all machines, what they did at the same time near to one another. Ends after the first
/// error.
pub fn side_by_side(log: &LogReader) -> Interleaved<'_> {
    let agents = log.agents().iter().enumerate();
    let sources =
        agents.map(|(agent, log)| Source { batches: log.batches(), agent, held: Vec::new(), next: 0 });
    Interleaved { sources: sources.collect(), failed: false }
}

impl Interleaved<'_> {
    fn next_batch(&mut self) -> Result<Option<Batch>, LogError> {
        let mut at = 0;
        while at < self.sources.len() {
            if self.sources[at].fill()? {
                at += 1;
            } else {
                self.sources.swap_remove(at);
            }
        }
        let most = if self.sources.len() > 1 { OPS_AT_ONCE } else { usize::MAX };
        let behind = self.sources.iter_mut().min_by_key(|source| (source.issued_ns(), source.agent));
        Ok(behind.map(|source| source.take(most)))
    }
}

impl Source<'_> {
    /// Whether it holds anything.
    fn fill(&mut self) -> Result<bool, LogError> {
        if self.next < self.held.len() {
            return Ok(true);
        }
        self.next = 0;
        self.held = match self.batches.next() {
            Some(batch) => batch?.ops,
            None => Vec::new(),
        };
        Ok(!self.held.is_empty())
    }

    fn issued_ns(&self) -> u64 {
        self.held.get(self.next).map_or(u64::MAX, |op| op.issued_ns)
    }

    fn take(&mut self, most: usize) -> Batch {
        assert!(self.next < self.held.len(), "operations are taken from a host that has some");
        let until = self.next + most.min(self.held.len() - self.next);
        let ops = match self.next == 0 && until == self.held.len() {
            true => std::mem::take(&mut self.held),
            false => self.held[self.next..until].to_vec(),
        };
        self.next = if self.held.is_empty() { 0 } else { until };
        Batch { agent: self.agent, ops }
    }
}

impl Iterator for Interleaved<'_> {
    type Item = Result<Batch, LogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.failed {
            return None;
        }
        let next = self.next_batch();
        self.failed = next.is_err();
        next.transpose()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "operations are taken from a host that has some")]
    fn taking_from_a_machine_without_operations_is_a_defect() {
        let mut source = Source { batches: Batches::default(), agent: 0, held: Vec::new(), next: 0 };
        source.take(1);
    }
}
