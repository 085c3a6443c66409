//! Whether a cache answered reads of a proof's passes. Then its figures are those of the cache, and it
//! proves nothing about the storage.
//!
//! Not here: whether a cache answered in a run ([`crate::cached_reads`]), and the sentence.

use serde::{Deserialize, Serialize};

use crate::cached_reads::{CacheEvidence, CacheSuspicion};
use crate::facts::MemoryFacts;

/// The cached reads over all passes that count.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CachedReads {
    /// For each state, the number of passes in which a cache answered reads.
    pub answered: Vec<usize>,
    /// For each state, the number of its passes.
    pub of: Vec<usize>,
    /// The memories of the most informative pass: the one with the largest cached share, otherwise one
    /// in which a cache may have answered. `None` if there is no sign of a cache.
    pub worst: Option<MemoryFacts>,
}

impl CachedReads {
    /// For this many states, without passes.
    pub fn of_states(states: usize) -> CachedReads {
        CachedReads { answered: vec![0; states], of: vec![0; states], worst: None }
    }

    /// Takes a pass of a state.
    pub fn take(&mut self, state: usize, memory: Option<&MemoryFacts>) {
        let (Some(answered), Some(of)) = (self.answered.get_mut(state), self.of.get_mut(state)) else {
            return;
        };
        *of += 1;
        let Some(memory) = memory else { return };
        *answered += usize::from(weight(memory) >= ANSWERED);
        if weight(memory) > self.worst.as_ref().map_or(0.0, weight) {
            self.worst = Some(memory.clone());
        }
    }

    /// The number of passes in which a cache answered.
    pub fn answered_passes(&self) -> usize {
        self.answered.iter().sum()
    }

    /// The number of passes.
    pub fn passes(&self) -> usize {
        self.of.iter().sum()
    }
}

/// With at least this weight, a cache answered; below it, one may have.
const ANSWERED: f64 = 2.0;

/// How strongly a pass shows a cache; 0 means not at all.
fn weight(memory: &MemoryFacts) -> f64 {
    match &memory.suspicion {
        None | Some(CacheSuspicion::NotSuspected) => 0.0,
        Some(CacheSuspicion::MayHaveAnswered { .. }) => 1.0,
        Some(CacheSuspicion::Answered { evidence }) => match evidence {
            CacheEvidence::LaterReadsFaster { .. } => ANSWERED,
            CacheEvidence::ClientCounted { share } => ANSWERED + share,
            CacheEvidence::TargetIsMemory => f64::MAX,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cached_reads::WhySuspected;

    fn memory(suspicion: CacheSuspicion) -> MemoryFacts {
        MemoryFacts { suspicion: Some(suspicion), ..MemoryFacts::default() }
    }

    fn counted(share: f64) -> MemoryFacts {
        memory(CacheSuspicion::Answered { evidence: CacheEvidence::ClientCounted { share } })
    }

    #[test]
    fn passes_are_counted_for_each_state_and_the_worst_is_kept() {
        let mut cached = CachedReads::of_states(2);
        let may = memory(CacheSuspicion::MayHaveAnswered { why: vec![WhySuspected::UsedBefore] });
        cached.take(0, None);
        cached.take(0, Some(&memory(CacheSuspicion::NotSuspected)));
        assert_eq!((cached.answered_passes(), cached.passes(), &cached.worst), (0, 2, &None));
        cached.take(1, Some(&may));
        assert_eq!((cached.answered_passes(), &cached.worst), (0, &Some(may.clone())));
        for share in [0.4, 0.9, 0.2] {
            cached.take(1, Some(&counted(share)));
        }
        cached.take(1, Some(&may));
        assert_eq!((&cached.answered, &cached.of), (&vec![0, 3], &vec![2, 5]));
        assert_eq!(cached.worst, Some(counted(0.9)));
    }
}
