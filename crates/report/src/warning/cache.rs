//! The warning that a cache answered, or may have answered: the reason and the remedy.
//!
//! Not here: detecting it ([`reelgauge_analysis::cached_reads`]).

use reelgauge_analysis::MemoryFacts;
use reelgauge_analysis::cached_reads::{CLEAR_OF_MEMORY, CacheEvidence, CacheSuspicion, WhySuspected};

use crate::text::plain_short;
use crate::units::duration;

/// Longer device names are cut.
const NAME_CHARS: usize = 48;

/// Why reads may not have come from the storage.
pub(super) fn cause(memory: &MemoryFacts) -> String {
    match &memory.suspicion {
        Some(CacheSuspicion::Answered { evidence: CacheEvidence::ClientCounted { share } }) => format!(
            "{:.0} % of the data read came from this client's memory, not from the storage.",
            share * 100.0
        ),
        Some(CacheSuspicion::Answered { evidence: CacheEvidence::LaterReadsFaster { reads, .. } }) => {
            format!(
                "A cache answered: repeated reads took {} (median), first reads {}. The figures are partly \
                 those of the cache.",
                duration(reads.later.p50_service_us),
                duration(reads.first.p50_service_us)
            )
        }
        Some(CacheSuspicion::MayHaveAnswered { why }) => {
            why.first().map(|why| reason(memory, *why)).unwrap_or_default()
        }
        _ => String::new(),
    }
}

fn reason(memory: &MemoryFacts, why: WhySuspected) -> String {
    let MemoryFacts { data_set_bytes, server_memory_bytes, client_memory_bytes, .. } = memory;
    let data = size(*data_set_bytes);
    match why {
        WhySuspected::JustWritten => format!(
            "This run wrote its test files ({data}) just before it read them, so the server may have \
             answered from memory."
        ),
        WhySuspected::FitsServerMemory => format!(
            "The test files ({data}) are smaller than {} the server's memory ({}), so it may have answered \
             from memory.",
            times(CLEAR_OF_MEMORY),
            size(server_memory_bytes.unwrap_or_default())
        ),
        WhySuspected::UsedBefore => {
            format!("The test files ({data}) were used before, so the server may have answered from memory.")
        }
        WhySuspected::ReadAgain => format!(
            "Some of your files ({data}) were read more than once, so the server may have answered later \
             reads from memory."
        ),
        WhySuspected::FitsClientMemory => match client_memory_bytes {
            Some(memory_bytes) => format!(
                "Reads went through this client's cache, and the test files ({data}) are smaller than {} its \
                 memory ({}). The cache's share is unknown.",
                times(CLEAR_OF_MEMORY),
                size(*memory_bytes)
            ),
            None => format!(
                "Reads went through this client's cache; its share of the test files ({data}) is unknown."
            ),
        },
        WhySuspected::LoopFile => format!(
            "The target is on the loop device {}, which reads its file through this client's cache, even \
             with direct I/O on the target. The cache may have answered instead of the disk (test files: \
             {data}).",
            plain_short(memory.cached_loop.as_deref().unwrap_or("below it"), NAME_CHARS)
        ),
    }
}

fn is_on_loop(memory: &MemoryFacts) -> bool {
    let why = match &memory.suspicion {
        Some(CacheSuspicion::MayHaveAnswered { why }) => why.first(),
        _ => None,
    };
    why == Some(&WhySuspected::LoopFile)
}

/// The remedy, with the flags of the verb.
pub(super) fn remedy(memory: &MemoryFacts, verb: &str) -> String {
    let is_client = match &memory.suspicion {
        Some(CacheSuspicion::Answered { evidence: CacheEvidence::ClientCounted { .. } }) => true,
        Some(CacheSuspicion::MayHaveAnswered { why }) => why.first() == Some(&WhySuspected::FitsClientMemory),
        _ => false,
    };
    if is_on_loop(memory) {
        return "Enable direct I/O for it (losetup --direct-io=on), or use a real disk.".to_owned();
    }
    let whose = if is_client { "this client's memory" } else { "the server's memory" };
    let twice = times(CLEAR_OF_MEMORY);
    let unstated = !is_client && memory.server_memory_bytes.is_none();
    let state = if unstated { "; name its size with --server-memory" } else { "" };
    match verb {
        "mix" => format!(
            "Use files of more than {twice} {whose} in total (--file-size), or old files of your own \
             (--read-from DIR --writes 0){state}."
        ),
        "vda" => format!("Use files of more than {twice} {whose} in total (--file-size, --files){state}."),
        "streams" => format!(
            "Use old files of your own (--read-from DIR, they are only read), or longer clips (--clip), more \
             than {twice} {whose} in total{state}."
        ),
        "run" => format!(
            "Use files of more than {twice} {whose} in total (clip or file_size in the plan; server_memory \
             is its size)."
        ),
        _ => format!("To measure the disks, use a data set of more than {twice} {whose}."),
    }
}

fn times(factor: u64) -> String {
    if factor == 2 { "twice".to_owned() } else { format!("{factor} times") }
}

/// An amount of memory or of files, in an easily read unit.
fn size(bytes: u64) -> String {
    const GIB: f64 = (1_u64 << 30) as f64;
    const MIB: f64 = (1_u64 << 20) as f64;
    let (amount, unit) = match bytes as f64 {
        bytes if bytes >= GIB => (bytes / GIB, "GiB"),
        bytes => (bytes / MIB, "MiB"),
    };
    let digits = usize::from(amount < 10.0 && amount.fract() >= 0.05);
    format!("{amount:.digits$} {unit}")
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::rereads::{ComparedReads, ReadTimes};

    use super::*;

    const GIB: u64 = 1 << 30;

    fn facts(suspicion: Option<CacheSuspicion>) -> MemoryFacts {
        MemoryFacts {
            data_set_bytes: 10 * GIB,
            client_memory_bytes: Some(24 * GIB),
            suspicion,
            ..MemoryFacts::default()
        }
    }

    fn may(why: WhySuspected) -> MemoryFacts {
        facts(Some(CacheSuspicion::MayHaveAnswered { why: vec![why] }))
    }

    fn said(facts: &MemoryFacts, verb: &str) -> String {
        format!("{} {}", cause(facts), remedy(facts, verb))
    }

    #[test]
    fn whole_sentences() {
        let mut printed = Vec::<String>::new();
        printed.push(said(&may(WhySuspected::JustWritten), "mix").to_string());
        let stated =
            MemoryFacts { server_memory_bytes: Some(64 * GIB), ..may(WhySuspected::FitsServerMemory) };
        printed.push(said(&stated, "streams").to_string());
        printed.push(said(&may(WhySuspected::FitsClientMemory), "vda").to_string());
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn a_loop_device_is_named_with_its_remedy() {
        let memory = MemoryFacts { cached_loop: Some("loop1".to_owned()), ..may(WhySuspected::LoopFile) };
        let text = said(&memory, "mix");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn cache_evidence_has_both_times() {
        let times = |p50_service_us| ReadTimes { p50_service_us, ..ReadTimes::default() };
        let reads = ComparedReads { read_bytes_from: 1, first: times(21_400.0), later: times(730.0) };
        let evidence = CacheEvidence::LaterReadsFaster { point: 0, reads };
        let text = said(&facts(Some(CacheSuspicion::Answered { evidence })), "mix");
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_verb_has_a_remedy_and_every_reason_a_sentence() {
        let reasons = [
            WhySuspected::JustWritten,
            WhySuspected::FitsServerMemory,
            WhySuspected::UsedBefore,
            WhySuspected::ReadAgain,
            WhySuspected::FitsClientMemory,
        ];
        for why in reasons {
            for verb in ["mix", "streams", "vda", "run", "replay"] {
                let text = said(&may(why), verb);
                assert!(!remedy(&may(why), verb).is_empty(), "{text}");
                assert!(text.contains("10 GiB") && text.ends_with('.'), "{text}");
                assert!(!text.contains("  ") && !text.contains(".."), "{text}");
            }
        }
    }

    #[test]
    fn sizes_are_shown_with_units() {
        for (bytes, text) in [
            (10 * GIB, "10 GiB"),
            (GIB + GIB / 2, "1.5 GiB"),
            (63 * GIB + GIB / 2, "64 GiB"),
            (512 << 20, "512 MiB"),
            (1 << 20, "1 MiB"),
        ] {
            assert_eq!(size(bytes), text);
        }
    }
}
