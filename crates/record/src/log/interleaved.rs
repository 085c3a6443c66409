//! Interleaves the logs of several hosts, so that concurrent operations are close to each other and can
//! be sorted with little memory.
//!
//! Each host's operations come in the order of its log, a few at a time. The next ones are always from
//! the host with the earliest time. Not here: the sorting (the analysis crate).

use crate::op::OpRecord;

use super::error::LogError;
use super::reader::{Batch, Batches, LogReader};

/// Operations of one host per batch. With a hundred hosts, these are fewer than the window of the
/// sorting.
const OPS_AT_ONCE: usize = 512;

/// The operations of all hosts, nearly in order of time.
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

/// The operations of all hosts, with concurrent ones close to each other. Ends after the first error.
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
    /// Reads the next operations if none are left. Returns false at the end.
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
    fn taking_from_an_agent_without_operations_is_a_defect() {
        let mut source = Source { batches: Batches::default(), agent: 0, held: Vec::new(), next: 0 };
        source.take(1);
    }
}
