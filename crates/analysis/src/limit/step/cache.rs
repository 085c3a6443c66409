//! Did a cache answer? Then the figure is that of a memory, and says nothing of disks.

use crate::limit::finding::{LimitFinding, LimitStep, Measure, Seen, Tested};
use crate::limit::scene::Scene;
use crate::whose_memory::{CacheEvidence, CacheSuspicion};

/// What tells more.
const RULES: &[&str] = &["blk.cache_vs_disk", "client.direct_vs_cached_io"];

pub(super) fn test(scene: &Scene<'_>) -> Tested {
    let Some(memory) = scene.memory.filter(|_| scene.point.total.read_bytes > 0) else {
        return Tested::No;
    };
    let Some(CacheSuspicion::Answered { evidence }) = &memory.suspicion else {
        return Tested::No;
    };
    let seen = match evidence {
        CacheEvidence::ClientCounted { share } => vec![Seen::beside(Measure::CachedPercent, share * 100.0)],
        CacheEvidence::LaterReadsFaster { point, .. } if *point != scene.point.index => return Tested::No,
        CacheEvidence::LaterReadsFaster { .. } | CacheEvidence::TargetIsMemory => Vec::new(),
    };
    Tested::Found(LimitFinding::new(LimitStep::Cache, seen, RULES))
}
