//! Notes in one line of a terminal: the fact and the remedy. The full sentence is in the note itself.

use reelgauge_analysis::cached_reads::{CacheEvidence, CacheSuspicion, WhySuspected};
use reelgauge_analysis::note::{LogTrouble, LostPart, Note, NoteFact};
use reelgauge_analysis::{MemoryFacts, Summary};

use crate::text::plain_short;
use crate::units::{counted, counted_are, duration, mb_per_s, moment, percent};

/// Longer names in it are cut.
const NAME_CHARS: usize = 16;

/// The severity of a note, the worst first: the figures are wrong, may be too good, may differ next
/// time, are valid.
pub(super) fn harm(fact: &NoteFact) -> u8 {
    match fact {
        NoteFact::TargetIsMemory { .. }
        | NoteFact::Stragglers { .. }
        | NoteFact::NotCounted { .. }
        | NoteFact::Lost { .. }
        | NoteFact::AgentLogMissing
        | NoteFact::Overlap { .. }
        | NoteFact::NotVerified
        | NoteFact::ReplayTiming
        | NoteFact::OtherReplays
        | NoteFact::SearchNotJudged => 0,
        NoteFact::Cache | NoteFact::NoDirect { .. } | NoteFact::NotCooled { .. } => 1,
        NoteFact::HeldBack { .. }
        | NoteFact::OwnLateness { .. }
        | NoteFact::RunDirectoryOnTarget { .. }
        | NoteFact::LogDropped { .. }
        | NoteFact::ShortLook { .. }
        | NoteFact::FewTransfers { .. }
        | NoteFact::NotConfirmed
        | NoteFact::NotSampled => 2,
        _ => 3,
    }
}

/// The note in one line; `None` without such a form.
pub(super) fn short(note: &Note, summary: &Summary) -> Option<String> {
    let words = words(note, summary)?;
    Some(match note.agents.as_slice() {
        [agent] => format!("{}: {words}", plain_short(agent, NAME_CHARS)),
        _ => words,
    })
}

fn words(note: &Note, summary: &Summary) -> Option<String> {
    Some(match &note.fact {
        NoteFact::TargetIsMemory { fs_type } => {
            format!("The target is memory ({}). Choose a path on storage.", plain_short(fs_type, NAME_CHARS))
        }
        NoteFact::Cache => cache(summary.memory.as_ref()?, summary)?,
        NoteFact::OwnLateness { late_us, .. } => {
            format!("Reelgauge was up to {} late. Use fewer workers or an idle client.", duration(*late_us))
        }
        NoteFact::RunDirectoryOnTarget { .. } => {
            "The log was written to the target. Put it on another disk (--out).".to_owned()
        }
        NoteFact::Stragglers { ops } => {
            format!("{} ended too late to count. Check the server's log.", counted(*ops, "operation"))
        }
        NoteFact::LogDropped { ops, trouble } => {
            let advice = match trouble {
                LogTrouble::TooSlow => "Put it on a faster disk (--out).",
                LogTrouble::DiskFull => "Free space, or use --out.",
                LogTrouble::Failed => "Put it on another disk (--out).",
            };
            format!("The log lacks {}. {advice}", counted(*ops, "operation"))
        }
        NoteFact::ShortLook { measured_s } => short_run(*measured_s, summary),
        NoteFact::FewTransfers { cells, of } => {
            format!("{cells} of {of} cells by block size have too few transfers. Measure longer.")
        }
        NoteFact::HeldBack { ops, max_bytes_per_s, writes_to_cache } => {
            held_back(*ops, *max_bytes_per_s, *writes_to_cache, !note.advice.is_empty())
        }
        NoteFact::NotCounted { ops } => {
            let are = counted_are(*ops, "operation", "is", "are");
            format!("{are} not counted. Use fewer workers or more cores.")
        }
        NoteFact::FilesLeft { .. } => {
            "This run's files are still on the target. Use 'reelgauge clean'.".to_owned()
        }
        NoteFact::NoPage { file, .. } => {
            let file = plain_short(file, NAME_CHARS);
            format!("Cannot write {file}. Check space and access in the run directory.")
        }
        NoteFact::NoDirect { .. } => {
            "No direct I/O here; the client's cache answers. Use larger files.".to_owned()
        }
        NoteFact::Lost { part } => lost(part).to_owned(),
        NoteFact::Overlap { shared_s, all_s, .. } => {
            let (shared, all) = (moment(*shared_s), moment(*all_s));
            format!("Runs overlapped for {shared} of {all}: rates too low. Measure longer.")
        }
        NoteFact::NotCooled { .. } => {
            "This client's cache still holds files. Use --direct or larger files.".to_owned()
        }
        NoteFact::NotSampled => "Counters were not sampled: the limit is unknown. Measure again.".to_owned(),
        NoteFact::SearchRoom => "Space limits how many streams can be tried. Use smaller files.".to_owned(),
        NoteFact::SearchOwnFiles => {
            "Your files limit how many streams can be tried. Use a shorter --clip.".to_owned()
        }
        NoteFact::NotConfirmed => "No space on the target to test the result longer. Free some.".to_owned(),
        NoteFact::ReplayTiming => "Reelgauge started operations late. Use an idle client.".to_owned(),
        NoteFact::AgentLogMissing => "Operations are missing: totals are too low. Measure again.".to_owned(),
        _ => return None,
    })
}

/// The note about a missing part of a run.
fn lost(part: &LostPart) -> &'static str {
    match part {
        LostPart::Summary => "summary.json is missing; criteria are unknown. Measure again.",
        LostPart::Log => "The log is damaged; figures cover the rest. Measure again.",
        LostPart::Streams => "streams.json is missing; late frames are unknown. Measure again.",
        LostPart::Counters => "The counters are missing; the limit is unknown. Measure again.",
    }
}

/// The note about a short run. Only a mix has steps.
fn short_run(measured_s: f64, summary: &Summary) -> String {
    let measured = if measured_s < 0.1 { duration(measured_s * 1e6) } else { moment(measured_s) };
    let has_steps = summary.verb == "mix" && summary.load_points.len() > 1;
    let flag = if has_steps { "--step" } else { "--duration" };
    format!("In {measured}, caches can hide the sustained rate. Use {flag} 60s.")
}

/// The note about a limit that delays operations, or that cached writes can exceed.
fn held_back(ops: u64, max_bytes_per_s: u64, writes_to_cache: bool, has_direct: bool) -> String {
    let rate = mb_per_s(max_bytes_per_s as f64);
    match writes_to_cache {
        true => {
            let advice = if has_direct { " Add --direct." } else { "" };
            format!("Cached writes can exceed --max-rate ({rate} MB/s).{advice}")
        }
        false => format!("{} waited for --max-rate ({rate} MB/s). Raise it.", counted(ops, "operation")),
    }
}

/// A cache answered, or may have answered. The remedy of a check is its next step.
fn cache(memory: &MemoryFacts, summary: &Summary) -> Option<String> {
    let advice = match summary.verb.as_str() {
        _ if summary.check.is_some() => "",
        "mix" | "vda" => " Use a larger --file-size.",
        "streams" => " Use a longer --clip.",
        _ => " Use more data.",
    };
    Some(match memory.suspicion.as_ref()? {
        CacheSuspicion::Answered { evidence: CacheEvidence::ClientCounted { share } } => {
            format!("{} of reads came from this client's cache.{advice}", percent(*share))
        }
        CacheSuspicion::Answered { evidence: CacheEvidence::LaterReadsFaster { .. } } => {
            format!("A cache answered repeated reads.{advice}")
        }
        CacheSuspicion::MayHaveAnswered { why } => match why.first()? {
            WhySuspected::LoopFile => {
                let name = memory.cached_loop.as_deref();
                let name =
                    name.map_or_else(String::new, |name| format!(" {}", plain_short(name, NAME_CHARS)));
                format!("The loop device{name} has a cache. Use losetup --direct-io=on.")
            }
            WhySuspected::FitsClientMemory => format!("This client's cache may have answered.{advice}"),
            _ => format!("The server's memory may have answered.{advice}"),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The width after `Warning: ` on a terminal of 80 columns.
    const COLUMNS: usize = 71;

    #[test]
    fn notes_with_figures_of_usual_size_fit_in_a_line() {
        let path = || "/mnt/nas/runs/2026-11-20T154012Z-nas1-production-edit".to_owned();
        let facts = [
            NoteFact::TargetIsMemory { fs_type: "tmpfs".to_owned() },
            NoteFact::OwnLateness { late_us: 1_234_567.0, of_all: false, response_p50_us: 800.0 },
            NoteFact::RunDirectoryOnTarget { path: path() },
            NoteFact::Stragglers { ops: 123_456_789 },
            NoteFact::LogDropped { ops: 123_456_789, trouble: LogTrouble::TooSlow },
            NoteFact::LogDropped { ops: 123_456_789, trouble: LogTrouble::Failed },
            NoteFact::ShortLook { measured_s: 29.9 },
            NoteFact::ShortLook { measured_s: 0.0123 },
            NoteFact::FewTransfers { cells: 100, of: 100 },
            NoteFact::HeldBack { ops: 1_234_567, max_bytes_per_s: 123_456_789, writes_to_cache: true },
            NoteFact::NotCounted { ops: 123_456 },
            NoteFact::FilesLeft { path: path(), error: "busy".to_owned() },
            NoteFact::NoPage { file: "report.html".to_owned(), error: "no room".to_owned() },
            NoteFact::NoDirect { why: "EINVAL".to_owned() },
            NoteFact::Lost { part: LostPart::Streams },
            NoteFact::Overlap { load_point: 0, shared_s: 59.9, all_s: 3_600.0 },
            NoteFact::AgentLogMissing,
        ];
        let summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Default::default());
        for fact in facts {
            let text = short(&Note::new(fact, "A whole sentence of the note. ".repeat(9), ""), &summary)
                .unwrap_or_default();
            assert!(text.chars().count() <= COLUMNS, "{}: {text}", text.chars().count());
            assert!(text.ends_with('.'), "{text}");
        }
    }

    #[test]
    fn a_cache_is_named_in_a_line_for_every_verb_and_reason() {
        let reasons = [
            WhySuspected::JustWritten,
            WhySuspected::FitsServerMemory,
            WhySuspected::UsedBefore,
            WhySuspected::ReadAgain,
            WhySuspected::FitsClientMemory,
            WhySuspected::LoopFile,
        ];
        let counted = CacheEvidence::ClientCounted { share: 0.999 };
        let found = [CacheSuspicion::Answered { evidence: counted }].into_iter();
        let found = found.chain(reasons.map(|why| CacheSuspicion::MayHaveAnswered { why: vec![why] }));
        for (suspicion, verb) in
            found.flat_map(|found| ["mix", "vda", "streams", "run"].map(|verb| (found.clone(), verb)))
        {
            let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", verb, Default::default());
            let cached_loop = Some("loop12".to_owned());
            summary.memory =
                Some(MemoryFacts { suspicion: Some(suspicion), cached_loop, ..MemoryFacts::default() });
            let text = words(&Note::new(NoteFact::Cache, "", ""), &summary).unwrap_or_default();
            assert!((30..=COLUMNS).contains(&text.chars().count()), "{}: {text}", text.chars().count());
        }
    }
}
