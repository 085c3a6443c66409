//! Determines what a run really measured: the storage, or the local host's cache. Pure.

use crate::direct::DirectOutcome;
use reelgauge_machine::mount::MountKind;

/// If less than this share of the reads came from the storage, direct I/O did not bypass the cache. Not
/// 1: a counter may miss data that kernel threads fetch on a process's behalf.
const FETCHED_SHARE_OF_DIRECT: f64 = 0.9;
/// Below this many bytes, a counter shared by the whole process or host is not used to judge.
const LEAST_BYTES_TO_JUDGE: u64 = 16 << 20;
/// If more than this share of the transferred bytes is in the cache afterwards, direct I/O went through
/// the cache.
const CACHED_SHARE_OF_BUFFERED: f64 = 0.1;

/// The requested I/O mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Whether to bypass the client's cache.
    pub direct: bool,
}

/// The facts about a run on one mount.
#[derive(Clone, Debug, PartialEq)]
pub struct ModeFacts {
    /// Type of the file system.
    pub fs_type: String,
    /// The location of its data.
    pub kind: MountKind,
    /// The outcome of the direct read test.
    pub direct_read: DirectOutcome,
    /// The outcome of the direct write test.
    pub direct_write: DirectOutcome,
    /// Size of the run's files.
    pub data_bytes: u64,
    /// Share of them in the cache before the run, 0 to 1.
    pub cached_before: Option<f64>,
    /// Share of them in the cache after the run, 0 to 1.
    pub cached_after: Option<f64>,
    /// Bytes that the run read.
    pub read_bytes: u64,
    /// Bytes that the run wrote.
    pub written_bytes: u64,
    /// Bytes fetched from the storage during the run (`mountstats::fetched_bytes`), if a counter exists.
    pub fetched_bytes: Option<u64>,
}

/// The I/O mode that a run really used.
#[derive(Clone, Debug, PartialEq)]
pub enum EffectiveMode {
    /// It bypassed the local host's cache.
    Direct,
    /// It used the local host's cache, as requested.
    Buffered {
        /// The share of the reads that the cache served, 0 to 1.
        cached_share: Option<f64>,
    },
    /// It should have bypassed the cache, but went through it.
    DirectIgnored {
        /// The evidence.
        why: String,
    },
    /// The mode could not be determined.
    Unknown {
        /// The missing information.
        why: String,
    },
}

/// Determines the mode that a run really used. Measurements override the earlier result of the probe.
pub fn judge(asked: Asked, facts: &ModeFacts) -> EffectiveMode {
    if asked.direct {
        judge_direct(facts)
    } else {
        EffectiveMode::Buffered { cached_share: facts.cached_share() }
    }
}

fn judge_direct(facts: &ModeFacts) -> EffectiveMode {
    if facts.kind == MountKind::Memory {
        return EffectiveMode::DirectIgnored { why: format!("{} keeps everything in memory", facts.fs_type) };
    }
    let outcomes = facts.outcomes_that_matter();
    for (what, outcome) in &outcomes {
        if let DirectOutcome::Ignored { why } = outcome {
            return EffectiveMode::DirectIgnored { why: format!("a direct {what} was tried: {why}") };
        }
    }
    if let Some(why) = facts.evidence_of_caching() {
        return EffectiveMode::DirectIgnored { why };
    }
    for (what, outcome) in &outcomes {
        match outcome {
            DirectOutcome::Refused { why } => {
                return EffectiveMode::Unknown {
                    why: format!("{} rejects direct {what}s ({why})", facts.fs_type),
                };
            }
            DirectOutcome::Unknown { why } if !(*what == "read" && facts.reads_were_fetched()) => {
                return EffectiveMode::Unknown { why: why.clone() };
            }
            _ => {}
        }
    }
    EffectiveMode::Direct
}

impl ModeFacts {
    /// The outcomes for the directions that the run used; for both, if it transferred nothing.
    fn outcomes_that_matter(&self) -> Vec<(&'static str, &DirectOutcome)> {
        let idle = self.read_bytes == 0 && self.written_bytes == 0;
        [("read", &self.direct_read, self.read_bytes), ("write", &self.direct_write, self.written_bytes)]
            .into_iter()
            .filter(|(_, _, bytes)| idle || *bytes > 0)
            .map(|(what, outcome, _)| (what, outcome))
            .collect()
    }

    /// The share of the reads that came from the storage. Read-ahead may fetch more than was read.
    fn fetched_share(&self) -> Option<f64> {
        let fetched_bytes = self.fetched_bytes.filter(|_| self.read_bytes > 0)?;
        Some((fetched_bytes as f64 / self.read_bytes as f64).min(1.0))
    }

    fn cached_share(&self) -> Option<f64> {
        if self.kind == MountKind::Memory {
            return Some(1.0);
        }
        self.fetched_share().map(|fetched| 1.0 - fetched)
    }

    fn reads_were_fetched(&self) -> bool {
        self.read_bytes >= LEAST_BYTES_TO_JUDGE
            && self.fetched_share().is_some_and(|share| share >= FETCHED_SHARE_OF_DIRECT)
    }

    /// The evidence that direct I/O went through the cache, if there is any.
    fn evidence_of_caching(&self) -> Option<String> {
        // Kernel counters are untrusted input, so the sum must not overflow.
        let moved_bytes = self.read_bytes.saturating_add(self.written_bytes);
        if moved_bytes < LEAST_BYTES_TO_JUDGE {
            return None;
        }
        if let (Some(before), Some(after)) = (self.cached_before, self.cached_after) {
            let grown_bytes = (after - before) * self.data_bytes as f64;
            if grown_bytes > moved_bytes as f64 * CACHED_SHARE_OF_BUFFERED {
                return Some(format!(
                    "the share of the data in this client's cache grew from {} to {} during the run",
                    percent(before),
                    percent(after)
                ));
            }
        }
        let fetched = self.fetched_share().filter(|_| self.read_bytes >= LEAST_BYTES_TO_JUDGE)?;
        (fetched < FETCHED_SHARE_OF_DIRECT)
            .then(|| format!("the storage delivered {} of the bytes read", percent(fetched)))
    }
}

impl EffectiveMode {
    /// Explains the mode to the user in a sentence or two.
    pub fn explanation(&self, facts: &ModeFacts) -> String {
        let in_memory = facts.kind == MountKind::Memory;
        match self {
            EffectiveMode::Direct if facts.kind == MountKind::Network => {
                "direct I/O: this client's cache was bypassed; the server's cache was not".to_owned()
            }
            EffectiveMode::Direct => "direct I/O: this client's cache was bypassed".to_owned(),
            EffectiveMode::DirectIgnored { why } if in_memory => {
                format!("{why}: this run measures memory, not storage")
            }
            EffectiveMode::DirectIgnored { why } => {
                format!("direct I/O had no effect: {why}. The figures include this client's cache")
            }
            EffectiveMode::Buffered { .. } if in_memory => {
                format!("{} keeps everything in memory: this run measures memory, not storage", facts.fs_type)
            }
            EffectiveMode::Buffered { cached_share } => buffered(*cached_share, facts),
            EffectiveMode::Unknown { why } => {
                format!("unknown whether direct I/O took effect: {why}")
            }
        }
    }
}

fn buffered(cached_share: Option<f64>, facts: &ModeFacts) -> String {
    match (cached_share, facts.cached_before) {
        (Some(share), _) => {
            format!("buffered I/O: this client's cache answered {} of the bytes read", percent(share))
        }
        (None, Some(before)) if facts.read_bytes > 0 => format!(
            "buffered I/O: the share of reads from this client's cache is unknown; before the run it held {} \
             of the data",
            percent(before)
        ),
        (None, _) if facts.read_bytes > 0 => {
            "buffered I/O: the share of reads from this client's cache is unknown".to_owned()
        }
        (None, _) => "buffered I/O: writes went to this client's cache first".to_owned(),
    }
}

/// Rounds to whole percent, but shows 0 % and 100 % only if exact.
fn percent(share: f64) -> String {
    let percents = (share * 100.0).clamp(0.0, 100.0);
    if percents > 0.0 && percents < 1.0 {
        "less than 1 %".to_owned()
    } else if percents > 99.0 && percents < 100.0 {
        "more than 99 %".to_owned()
    } else {
        format!("{percents:.0} %")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIB: u64 = 1 << 30;
    const DIRECT: Asked = Asked { direct: true };
    const BUFFERED: Asked = Asked { direct: false };

    fn ignored() -> DirectOutcome {
        DirectOutcome::Ignored { why: "it left 4096 bytes".into() }
    }

    fn refused() -> DirectOutcome {
        DirectOutcome::Refused { why: "Invalid argument".into() }
    }

    fn unknown() -> DirectOutcome {
        DirectOutcome::Unknown { why: "nobody knows".into() }
    }

    /// A reading run on a local disk on which direct I/O works, without counters.
    fn facts() -> ModeFacts {
        ModeFacts {
            fs_type: "ext4".into(),
            kind: MountKind::LocalDisk,
            direct_read: DirectOutcome::Works,
            direct_write: DirectOutcome::Works,
            data_bytes: 4 * GIB,
            cached_before: Some(0.0),
            cached_after: Some(0.0),
            read_bytes: GIB,
            written_bytes: 0,
            fetched_bytes: None,
        }
    }

    fn is_ignored(facts: &ModeFacts) -> bool {
        matches!(judge(DIRECT, facts), EffectiveMode::DirectIgnored { .. })
    }

    fn is_unknown(facts: &ModeFacts) -> bool {
        matches!(judge(DIRECT, facts), EffectiveMode::Unknown { .. })
    }

    #[test]
    fn mode_is_direct_if_the_probe_worked_and_nothing_contradicts_it() {
        assert_eq!(judge(DIRECT, &facts()), EffectiveMode::Direct);
        let counted = ModeFacts { fetched_bytes: Some(GIB), ..facts() };
        assert_eq!(judge(DIRECT, &counted), EffectiveMode::Direct);
        let more_by_read_ahead = ModeFacts { fetched_bytes: Some(2 * GIB), ..facts() };
        assert_eq!(judge(DIRECT, &more_by_read_ahead), EffectiveMode::Direct);
    }

    #[test]
    fn memory_is_never_direct() {
        let tmpfs = ModeFacts { fs_type: "tmpfs".into(), kind: MountKind::Memory, ..facts() };
        let mode = judge(DIRECT, &tmpfs);
        assert!(mode.explanation(&tmpfs).contains("tmpfs keeps everything in memory"));
        let mode = judge(BUFFERED, &tmpfs);
        assert_eq!(mode, EffectiveMode::Buffered { cached_share: Some(1.0) });
        assert!(mode.explanation(&tmpfs).contains("tmpfs keeps everything in memory"));
    }

    #[test]
    fn probe_is_used_only_for_the_directions_of_the_run() {
        let only_writes_are_buffered = ModeFacts { direct_write: ignored(), ..facts() };
        assert_eq!(judge(DIRECT, &only_writes_are_buffered), EffectiveMode::Direct);
        let and_it_wrote = ModeFacts { written_bytes: 1, ..only_writes_are_buffered.clone() };
        assert!(is_ignored(&and_it_wrote));
        let or_did_nothing_yet = ModeFacts { read_bytes: 0, ..only_writes_are_buffered };
        assert!(is_ignored(&or_did_nothing_yet));
        assert!(is_ignored(&ModeFacts { direct_read: ignored(), ..facts() }));
    }

    #[test]
    fn counters_overrule_a_probe_that_worked() {
        assert!(is_ignored(&ModeFacts { fetched_bytes: Some(GIB / 2), ..facts() }));
        let few = LEAST_BYTES_TO_JUDGE - 1;
        let too_few_to_judge = ModeFacts { read_bytes: few, fetched_bytes: Some(0), ..facts() };
        assert_eq!(judge(DIRECT, &too_few_to_judge), EffectiveMode::Direct);
        let only_wrote = ModeFacts { read_bytes: 0, written_bytes: GIB, fetched_bytes: Some(0), ..facts() };
        assert_eq!(judge(DIRECT, &only_wrote), EffectiveMode::Direct);
    }

    #[test]
    fn a_growing_cache_overrules_a_probe_that_worked() {
        assert!(is_ignored(&ModeFacts { cached_after: Some(0.2), ..facts() }));
        let was_there_before = ModeFacts { cached_before: Some(0.2), cached_after: Some(0.2), ..facts() };
        assert_eq!(judge(DIRECT, &was_there_before), EffectiveMode::Direct);
        let little = ModeFacts { cached_after: Some(0.02), ..facts() };
        assert_eq!(judge(DIRECT, &little), EffectiveMode::Direct);
    }

    #[test]
    fn refused_and_unknown_are_not_called_direct() {
        assert!(is_unknown(&ModeFacts { direct_read: refused(), ..facts() }));
        let unproven = ModeFacts { direct_read: unknown(), ..facts() };
        assert!(is_unknown(&unproven));
        let proven = ModeFacts { fetched_bytes: Some(GIB), ..unproven.clone() };
        assert_eq!(judge(DIRECT, &proven), EffectiveMode::Direct);
        let reads_prove_no_writes = ModeFacts { direct_write: unknown(), written_bytes: 1, ..proven };
        assert!(is_unknown(&reads_prove_no_writes));
        let disproven = ModeFacts { fetched_bytes: Some(0), ..unproven };
        assert!(is_ignored(&disproven));
    }

    #[test]
    fn buffered_mode_reports_cached_share_if_counted() {
        let share = |fetched_bytes| match judge(BUFFERED, &ModeFacts { fetched_bytes, ..facts() }) {
            EffectiveMode::Buffered { cached_share } => cached_share,
            other => panic!("{other:?}"),
        };
        assert_eq!(share(None), None);
        assert_eq!(share(Some(GIB / 4)), Some(0.75));
        assert_eq!(share(Some(3 * GIB)), Some(0.0));
    }

    #[test]
    fn explanations() {
        let explain = |asked, facts: ModeFacts| judge(asked, &facts).explanation(&facts);
        assert_eq!(
            explain(DIRECT, ModeFacts { kind: MountKind::Network, ..facts() }),
            "direct I/O: this client's cache was bypassed; the server's cache was not"
        );
        assert_eq!(
            explain(DIRECT, ModeFacts { fetched_bytes: Some(GIB / 1000), ..facts() }),
            "direct I/O had no effect: the storage delivered less than 1 % of the bytes read. The figures \
             include this client's cache"
        );
        assert_eq!(
            explain(DIRECT, ModeFacts { direct_read: refused(), ..facts() }),
            "unknown whether direct I/O took effect: ext4 rejects direct reads (Invalid argument)"
        );
        assert_eq!(
            explain(BUFFERED, ModeFacts { fetched_bytes: Some(GIB / 4), ..facts() }),
            "buffered I/O: this client's cache answered 75 % of the bytes read"
        );
        assert_eq!(
            explain(BUFFERED, ModeFacts { cached_before: Some(0.999), ..facts() }),
            "buffered I/O: the share of reads from this client's cache is unknown; before the \
             run it held more than 99 % of the data"
        );
        assert_eq!(
            explain(BUFFERED, ModeFacts { read_bytes: 0, written_bytes: 1, ..facts() }),
            "buffered I/O: writes went to this client's cache first"
        );
    }
}
