//! Warnings that the reader needs before trusting the figures, as sentences. Each one has a remedy.
//!
//! Not here: the conditions of warnings ([`reelgauge_analysis::warning`]).

mod cache;

use reelgauge_analysis::warning::{FEW_TRANSFERS, LogTrouble};
use reelgauge_analysis::{Note, Warning};

use crate::units::{counted, counted_are, duration};

/// A warning as a sentence, with its remedy.
pub fn warning_sentence(warning: &Warning) -> String {
    let (fact, advice) = parts(warning);
    format!("{fact} {advice}")
}

/// A warning as a note.
pub fn warning_note(warning: &Warning) -> Note {
    let (sentence, advice) = parts(warning);
    Note::new(warning.fact(), sentence, advice)
}

/// The fact and the remedy.
fn parts(warning: &Warning) -> (String, String) {
    match warning {
        Warning::OwnLateness { late_us, of_all, response_p50_us } => (
            format!(
                "Reelgauge itself was late: up to {}{}, with a median response of {}.",
                duration(*late_us),
                if *of_all { "" } else { " for 99 of 100 operations" },
                duration(*response_p50_us)
            ),
            "Use service times, or measure again with fewer workers or more idle CPU.".to_owned(),
        ),
        Warning::Cache { memory, verb } => (cache::cause(memory), cache::remedy(memory, verb)),
        Warning::LogDropped { ops, trouble } => {
            let ops = counted_are(*ops, "operation", "is", "are");
            let (why, advice) = log_trouble(*trouble);
            (format!("{ops} in the figures but not in the log, because {why}."), format!("{advice}."))
        }
        Warning::ShortLook { measured_s } => {
            // If the load was stopped immediately, "0.0 s" would read as if nothing had been measured.
            let measured = match *measured_s {
                short if short < 0.1 => format!("{:.1} ms", short * 1e3),
                seconds => format!("{seconds:.1} s"),
            };
            (
                format!("Only {measured} were measured: caches can hide the sustained speed for minutes."),
                "Use --duration 60s or more (ramp or sweep: --step 60s).".to_owned(),
            )
        }
        Warning::FewTransfers { cells, of } => few_transfers(*cells, *of),
        Warning::TargetIsMemory { fs_type } => (
            format!("The target is memory ({fs_type}): the figures show this client, not storage."),
            "Choose a path on the storage that you want to measure.".to_owned(),
        ),
        Warning::RunDirectoryOnTarget { path } => (
            format!(
                "The run directory {path} is on the target's file system, so log writes were part of the \
                 load."
            ),
            "Put it elsewhere with --out.".to_owned(),
        ),
        Warning::Stragglers { ops } => (
            format!(
                "{} completed only after the load point was abandoned; no figure includes them.",
                counted(*ops, "operation")
            ),
            format!("Check the server's log for what delayed {}.", if *ops == 1 { "it" } else { "them" }),
        ),
    }
}

fn few_transfers(cells: u64, of: u64) -> (String, String) {
    let come = if cells == 1 { "comes" } else { "come" };
    (
        format!(
            "{cells} of {of} cells in the tables {come} from fewer than {FEW_TRANSFERS} transfers and will differ from \
             run to run."
        ),
        "Measure longer (--duration, or --step in a ramp or sweep), or use fewer block sizes (--blocks)."
            .to_owned(),
    )
}

/// Why operations are missing in the log, and the remedy.
fn log_trouble(trouble: LogTrouble) -> (&'static str, &'static str) {
    match trouble {
        LogTrouble::TooSlow => {
            ("the log could not be written fast enough", "Put the run directory on a faster disk (--out)")
        }
        LogTrouble::DiskFull => (
            "the disk of the run directory is full",
            "Free space there, or put the run directory on another disk (--out)",
        ),
        LogTrouble::Failed => {
            ("the log could not be written", "Put the run directory on another disk (--out)")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_warning_carries_advice() {
        let warnings = [
            Warning::OwnLateness { late_us: 900.0, of_all: false, response_p50_us: 800.0 },
            Warning::LogDropped { ops: 7, trouble: LogTrouble::TooSlow },
            Warning::LogDropped { ops: 7, trouble: LogTrouble::DiskFull },
            Warning::LogDropped { ops: 7, trouble: LogTrouble::Failed },
            Warning::ShortLook { measured_s: 5.0 },
            Warning::FewTransfers { cells: 3, of: 20 },
            Warning::TargetIsMemory { fs_type: "tmpfs".to_owned() },
            Warning::RunDirectoryOnTarget { path: "/mnt/nas/x".to_owned() },
            Warning::Stragglers { ops: 2 },
        ];
        let verbs = ["Free", "Use", "Put", "Measure", "Choose", "Check"];
        for warning in warnings {
            let text = warning_sentence(&warning);
            assert!(verbs.iter().any(|verb| text.contains(verb)), "{text}");
            assert!(text.ends_with('.'), "{text}");
            let note = warning_note(&warning);
            assert!(note.sentence.ends_with('.') && !note.sentence.contains("--"), "{note:?}");
            assert_eq!(note.text(), text);
        }
    }
}
