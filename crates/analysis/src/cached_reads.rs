//! Whether a cache may have answered reads instead of the storage: that of the local host or the server.
//! Pure.
//!
//! A server with 64 GiB of memory plays a data set of 10 GiB at the full speed of its network, whatever
//! its disks can do. Data that a run has just written is certainly in that memory. A client cannot
//! detect this, so the evidence is combined here: sizes, who wrote the files, and whether later reads of
//! the same bytes were faster than first reads.
//!
//! Not here: counting ([`crate::rereads`]), and the sentence with the remedy ([`crate::warning`]).

use serde::{Deserialize, Serialize};

use crate::facts::MemoryFacts;
use crate::rereads::{ComparedReads, Rereads};

/// From this share on, the client's cache dominates the times.
pub const CACHED_SHARE: f64 = 0.1;

/// If the data are this many times larger than a memory, it is no longer suspected. It can then have
/// answered at most half of all reads, and nearly none of sequential reads.
pub const CLEAR_OF_MEMORY: u64 = 2;
/// Fewer first or later reads than this are no evidence.
const COMPARED_READS_MIN: u64 = 30;
/// The median first read must have taken this many times as long as the median later read.
const FASTER_BY: f64 = 2.0;

/// Whether a cache answered reads.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "finding", rename_all = "snake_case")]
pub enum CacheSuspicion {
    /// There is no sign of it.
    NotSuspected,
    /// It cannot be ruled out.
    MayHaveAnswered {
        /// The reasons, the strongest first.
        why: Vec<WhySuspected>,
    },
    /// A cache answered.
    Answered {
        /// The evidence.
        evidence: CacheEvidence,
    },
}

/// Why a cache may have answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum WhySuspected {
    /// The run itself has just written its files, and the server's memory may be large enough for them.
    JustWritten,
    /// The files are not clearly larger than the stated memory of the server.
    FitsServerMemory,
    /// Earlier runs used the same files, and the server's memory is unknown.
    UsedBefore,
    /// The user's own files were read more than once, and nothing shows whether the later reads were
    /// faster.
    ReadAgain,
    /// Reads used the local host's cache, and the files are not clearly larger than its memory.
    FitsClientMemory,
    /// The target is on a loop device that reads its file through the local host's cache, and the files
    /// are not clearly larger than its memory.
    LoopFile,
}

/// Evidence that a cache answered.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum CacheEvidence {
    /// The target is a file system in memory.
    TargetIsMemory,
    /// Counters of the local host show the share of its cache.
    ClientCounted {
        /// Share of the reads, 0 to 1.
        share: f64,
    },
    /// Later reads of the same bytes were much faster than first reads.
    LaterReadsFaster {
        /// The load point.
        point: u16,
        /// The first and the later reads.
        reads: ComparedReads,
    },
}

/// Whether a cache answered, according to these facts. `None` if nothing was read, unless the target is
/// memory, which answers writes, too.
pub fn cache_suspicion(facts: &MemoryFacts) -> Option<CacheSuspicion> {
    if facts.read_bytes == 0 && !facts.target_is_memory {
        return None;
    }
    if let Some(evidence) = evidence(facts) {
        return Some(CacheSuspicion::Answered { evidence });
    }
    let why = reasons(facts);
    Some(match why.is_empty() {
        true => CacheSuspicion::NotSuspected,
        false => CacheSuspicion::MayHaveAnswered { why },
    })
}

fn evidence(facts: &MemoryFacts) -> Option<CacheEvidence> {
    if facts.target_is_memory {
        return Some(CacheEvidence::TargetIsMemory);
    }
    if let Some(share) = facts.client_cached_share.filter(|share| *share >= CACHED_SHARE) {
        return Some(CacheEvidence::ClientCounted { share });
    }
    let faster = |reads: &&Rereads| reads.compared.as_ref().is_some_and(ComparedReads::later_were_faster);
    let by_factor = |a: &&Rereads, b: &&Rereads| a.speed_up().total_cmp(&b.speed_up());
    let found = facts.rereads.iter().filter(faster).max_by(by_factor)?;
    let reads = found.compared.clone()?;
    Some(CacheEvidence::LaterReadsFaster { point: found.point, reads })
}

fn reasons(facts: &MemoryFacts) -> Vec<WhySuspected> {
    let mut why = Vec::new();
    let is_clear_of = |memory_bytes: u64| facts.data_set_bytes / CLEAR_OF_MEMORY >= memory_bytes;
    match facts.server_memory_bytes.filter(|_| facts.on_network) {
        Some(memory_bytes) if is_clear_of(memory_bytes) => {}
        Some(_) if facts.written_by_this_run_bytes > 0 => {
            why.extend([WhySuspected::FitsServerMemory, WhySuspected::JustWritten]);
        }
        // The user's own files may be small and still not be in memory. Only data that was read before can
        // be.
        Some(_) if !facts.own_files || facts.is_read_again() => why.push(WhySuspected::FitsServerMemory),
        None if facts.on_network && facts.written_by_this_run_bytes > 0 => {
            why.push(WhySuspected::JustWritten);
        }
        None if facts.on_network && !facts.own_files => why.push(WhySuspected::UsedBefore),
        None if facts.on_network && facts.is_read_again() => why.push(WhySuspected::ReadAgain),
        _ => {}
    }
    let is_past_client = facts.past_client_cache == Some(true) || facts.client_cached_share.is_some();
    let fits_here = facts.client_memory_bytes.is_none_or(|memory_bytes| !is_clear_of(memory_bytes));
    if !is_past_client && fits_here {
        why.push(WhySuspected::FitsClientMemory);
    } else if facts.cached_loop.is_some() && fits_here {
        why.push(WhySuspected::LoopFile);
    }
    why
}

impl MemoryFacts {
    /// Whether a large part of the reads was of data that had been read before, and there is no evidence
    /// that these were not faster.
    fn is_read_again(&self) -> bool {
        let later: u64 = self.rereads.iter().map(|reads| reads.later_read_bytes).sum();
        let first: u64 = self.rereads.iter().map(|reads| reads.first_read_bytes).sum();
        let is_known = later + first > 0;
        let compared = self.rereads.iter().filter_map(|reads| reads.compared.as_ref());
        let is_compared = compared.filter(|reads| reads.are_enough()).count() > 0;
        let share = later as f64 / (later + first).max(1) as f64;
        !is_compared && (!is_known || share >= CACHED_SHARE)
    }
}

impl Rereads {
    /// How many times as long first reads took, by the medians.
    fn speed_up(&self) -> f64 {
        let factor =
            |reads: &ComparedReads| reads.first.p50_service_us / reads.later.p50_service_us.max(0.001);
        self.compared.as_ref().map_or(0.0, factor)
    }
}

impl ComparedReads {
    fn are_enough(&self) -> bool {
        self.first.reads.min(self.later.reads) >= COMPARED_READS_MIN
    }

    /// Whether later reads were faster by more than noise explains: twice at the median, and three
    /// quarters of the first reads slower than three quarters of the later ones.
    fn later_were_faster(&self) -> bool {
        let is_apart = self.first.p25_service_us > self.later.p75_service_us;
        let is_faster = self.first.p50_service_us >= FASTER_BY * self.later.p50_service_us;
        self.are_enough() && is_apart && is_faster
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rereads::ReadTimes;

    const GIB: u64 = 1 << 30;

    /// A network mount, direct I/O, existing files of an earlier run.
    fn facts() -> MemoryFacts {
        MemoryFacts {
            data_set_bytes: 10 * GIB,
            read_bytes: 3 * GIB,
            on_network: true,
            past_client_cache: Some(true),
            client_memory_bytes: Some(16 * GIB),
            ..MemoryFacts::default()
        }
    }

    fn times(reads: u64, p50_us: f64) -> ReadTimes {
        ReadTimes {
            reads,
            p25_service_us: 0.8 * p50_us,
            p50_service_us: p50_us,
            p75_service_us: 1.3 * p50_us,
            bytes_per_s_each: None,
        }
    }

    fn compared(first: ReadTimes, later: ReadTimes) -> Vec<Rereads> {
        let compared = Some(ComparedReads { read_bytes_from: 1 << 20, first, later });
        let bytes = |times: ReadTimes| times.reads << 20;
        vec![Rereads { point: 0, first_read_bytes: bytes(first), later_read_bytes: bytes(later), compared }]
    }

    fn why(facts: &MemoryFacts) -> Vec<WhySuspected> {
        match cache_suspicion(facts) {
            Some(CacheSuspicion::MayHaveAnswered { why }) => why,
            Some(CacheSuspicion::NotSuspected) => Vec::new(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn nothing_read_is_nothing_known() {
        assert_eq!(cache_suspicion(&MemoryFacts { read_bytes: 0, ..facts() }), None);
        let recorded = MemoryFacts { read_bytes: 0, target_is_memory: true, ..facts() };
        let evidence = CacheEvidence::TargetIsMemory;
        assert_eq!(cache_suspicion(&recorded), Some(CacheSuspicion::Answered { evidence }));
    }

    #[test]
    fn server_of_unknown_memory_may_have_cached_all_touched_files() {
        assert_eq!(why(&facts()), [WhySuspected::UsedBefore]);
        let fresh = MemoryFacts { written_by_this_run_bytes: GIB, ..facts() };
        assert_eq!(why(&fresh), [WhySuspected::JustWritten]);
        let local = MemoryFacts { on_network: false, ..fresh };
        assert_eq!(why(&local), []);
        let own = MemoryFacts { own_files: true, ..facts() };
        assert_eq!(why(&own), [WhySuspected::ReadAgain], "it is not known how much was read twice");
        let once = vec![Rereads { first_read_bytes: GIB, ..Rereads::default() }];
        assert_eq!(why(&MemoryFacts { rereads: once, ..own }), []);
    }

    #[test]
    fn a_stated_memory_is_cleared_by_twice_as_much_data() {
        let stated = |gib: u64| MemoryFacts { server_memory_bytes: Some(gib * GIB), ..facts() };
        assert_eq!(why(&stated(5)), []);
        assert_eq!(why(&stated(6)), [WhySuspected::FitsServerMemory]);
        let fresh = MemoryFacts { written_by_this_run_bytes: 1, ..stated(64) };
        assert_eq!(why(&fresh), [WhySuspected::FitsServerMemory, WhySuspected::JustWritten]);
        assert_eq!(why(&MemoryFacts { written_by_this_run_bytes: 1, ..stated(5) }), []);
        let local = MemoryFacts { on_network: false, ..stated(64) };
        assert_eq!(why(&local), [], "a server that is none");
        let once = vec![Rereads { first_read_bytes: GIB, ..Rereads::default() }];
        assert_eq!(why(&MemoryFacts { own_files: true, rereads: once, ..stated(64) }), []);
    }

    #[test]
    fn local_memory_counts_for_buffered_reads() {
        let local = MemoryFacts { on_network: false, ..facts() };
        for past_client_cache in [Some(false), None] {
            let buffered = MemoryFacts { past_client_cache, ..local.clone() };
            assert_eq!(why(&buffered), [WhySuspected::FitsClientMemory]);
            let large = MemoryFacts { data_set_bytes: 32 * GIB, ..buffered.clone() };
            assert_eq!(why(&large), []);
            let unknown = MemoryFacts { client_memory_bytes: None, ..large };
            assert_eq!(why(&unknown), [WhySuspected::FitsClientMemory]);
            // Counted shares need no suspicion.
            assert_eq!(why(&MemoryFacts { client_cached_share: Some(0.02), ..buffered.clone() }), []);
            let counted = MemoryFacts { client_cached_share: Some(0.4), ..buffered };
            let evidence = CacheEvidence::ClientCounted { share: 0.4 };
            assert_eq!(cache_suspicion(&counted), Some(CacheSuspicion::Answered { evidence }));
        }
    }

    #[test]
    fn much_faster_rereads_are_evidence_of_any_cache() {
        let local = MemoryFacts { on_network: false, ..facts() };
        let with = |first, later| MemoryFacts { rereads: compared(first, later), ..local.clone() };
        let found = cache_suspicion(&with(times(100, 8_000.0), times(100, 500.0)));
        assert!(matches!(
            found,
            Some(CacheSuspicion::Answered { evidence: CacheEvidence::LaterReadsFaster { point: 0, .. } })
        ));
        for (first, later) in [
            (times(100, 8_000.0), times(100, 5_000.0)),
            (times(29, 8_000.0), times(100, 500.0)),
            (times(100, 8_000.0), times(29, 500.0)),
            (times(100, 500.0), times(100, 8_000.0)),
            // The medians are far apart, but the distributions overlap.
            (times(100, 1_000.0), ReadTimes { p75_service_us: 900.0, ..times(100, 400.0) }),
        ] {
            assert_eq!(cache_suspicion(&with(first, later)), Some(CacheSuspicion::NotSuspected));
        }
    }

    #[test]
    fn files_with_unchanged_reread_times_are_not_cached() {
        let own = MemoryFacts { own_files: true, ..facts() };
        let even = MemoryFacts { rereads: compared(times(50, 900.0), times(80, 800.0)), ..own.clone() };
        assert_eq!(why(&even), []);
        let few = MemoryFacts { rereads: compared(times(5, 900.0), times(80, 800.0)), ..own };
        assert_eq!(why(&few), [WhySuspected::ReadAgain]);
    }

    #[test]
    fn a_loop_device_reads_its_file_through_the_cache() {
        let local = MemoryFacts { on_network: false, ..facts() };
        let on_loop = MemoryFacts { cached_loop: Some("loop1".to_owned()), ..local.clone() };
        assert_eq!(why(&local), []);
        assert_eq!(why(&on_loop), [WhySuspected::LoopFile]);
        let large = MemoryFacts { data_set_bytes: 40 * GIB, ..on_loop };
        assert_eq!(why(&large), []);
    }

    #[test]
    fn memory_is_memory() {
        let tmpfs = MemoryFacts { target_is_memory: true, ..facts() };
        let evidence = CacheEvidence::TargetIsMemory;
        let found = cache_suspicion(&tmpfs);
        assert!(found.as_ref().is_some_and(|found| *found != CacheSuspicion::NotSuspected));
        assert_eq!(found, Some(CacheSuspicion::Answered { evidence }));
    }
}
