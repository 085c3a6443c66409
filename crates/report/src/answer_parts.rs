//! Sentences and phrases shared by the results of several kinds of runs.

use reelgauge_analysis::figures::FirstError;
use reelgauge_analysis::run_ending::RunEnding;
use reelgauge_analysis::summary::{Target, VerifyFacts};
use reelgauge_analysis::{Figures, LoadPoint, Outcome, Summary};
use reelgauge_record::OpKind;

use crate::sentence::Tone;
use crate::text::{plain, plain_short};
use crate::units::{amount, block_size, counted, moment};

/// Longer labels of load points are cut in a sentence.
const LABEL_CHARS_MAX: usize = 80;

/// Whether a run is reported in streams.
pub(crate) fn is_in_streams(summary: &Summary) -> bool {
    summary.load_points.iter().any(|point| point.stream_count.is_some())
}

/// Whether a run is reported in MB/s and has the paper's tables.
pub(crate) fn has_paper(summary: &Summary) -> bool {
    let is_reported_otherwise = summary.check.is_some()
        || summary.replay.is_some()
        || summary.vda.is_some()
        || summary.search.is_some()
        || is_in_streams(summary);
    !is_reported_otherwise && summary.load_points.iter().any(|point| !point.paper.is_empty())
}

pub(crate) fn outcome(summary: &Summary) -> Option<String> {
    let what = match summary.outcome {
        Outcome::Complete => return None,
        Outcome::Running => {
            return Some("The run is still running. Its figures come from its log so far.".to_owned());
        }
        Outcome::Interrupted => "The run was interrupted",
        Outcome::BrokeOff => "The run ended unexpectedly",
    };
    let reason = summary.outcome_reason.as_deref().map(|reason| format!(": {}", plain(reason)));
    let reason = reason.unwrap_or_default();
    Some(format!("{what}{}.", reason.trim_end_matches('.')))
}

pub(crate) fn verified(verify: &VerifyFacts) -> (Tone, String) {
    let checked = amount(verify.checked_bytes);
    if verify.different_bytes == 0 {
        return (Tone::Plain, format!("Verified {checked}: all data read back as written."));
    }
    let first = verify.first_difference.as_deref().map(|first| format!(" First: {}", plain(first)));
    let text = format!(
        "DATA MISMATCH: {} of {checked} read back do not match the data written.{}",
        amount(verify.different_bytes),
        first.unwrap_or_default()
    );
    (Tone::Bad, text)
}

pub(crate) fn nothing(summary: &Summary) -> String {
    let place = place(&summary.target);
    match (summary.ops(), summary.failed_ops()) {
        // The cause follows in a separate sentence.
        (0, _) if summary.load_points.iter().any(|point| point.not_measured.is_some()) => {
            format!("Nothing was measured on {place}.")
        }
        (0, _) => format!("Nothing was measured on {place}: no operation finished (warm-up excluded)."),
        (ops, failed) if ops == failed => {
            format!("All operations on {place} failed.")
        }
        _ => format!("Nothing was measured on {place}: no read or write succeeded."),
    }
}

/// Whether a load point's label contains only the number of its workers.
pub(crate) fn says_only_workers(point: &LoadPoint) -> bool {
    point.label.is_empty() || point.label == counted(u64::from(point.workers), "worker")
}

/// `/mnt/nas (SMB 3.1.1 from nas1)`.
pub(crate) fn place(target: &Target) -> String {
    let path = plain_short(&target.path, 200);
    let kind = target.description.as_deref().or(target.fs_type.as_deref());
    match kind {
        Some(kind) if !kind.is_empty() => format!("{path} ({})", plain_short(kind, 80)),
        _ => path,
    }
}

/// Operations without any reply, which response times do not show.
pub(crate) fn unanswered(summary: &Summary) -> Option<String> {
    let each = summary.load_points.iter().filter_map(|point| point.unanswered);
    let longest = each.max_by(|one, other| one.for_s.total_cmp(&other.for_s))?;
    let threads = counted(u64::from(longest.threads), "worker thread");
    Some(format!(
        "{threads} waited {} for a response that had not arrived when the run ended. Response times exclude \
         that wait; rates include it.",
        moment(longest.for_s)
    ))
}

pub(crate) fn failures(summary: &Summary) -> (Tone, String) {
    let failed = summary.failed_ops();
    let with_error = |point: &LoadPoint| {
        let first = point.total.first_error?;
        let same = |error: &&reelgauge_analysis::figures::ErrorFigures| error.errno == first.errno;
        let message = point.total.errors.iter().find(same).map(|error| error.message.clone());
        Some((first, message.unwrap_or_default()))
    };
    let firsts = summary.load_points.iter().filter_map(with_error);
    match firsts.min_by(|a, b| a.0.failed_at_s.total_cmp(&b.0.failed_at_s)) {
        Some((first, message)) => (Tone::Bad, failure(failed, &first, &message)),
        // Short operations have a separate sentence.
        None if summary.ops() > 0 && !has_short(summary) => {
            let is_answered = summary.load_points.iter().all(|point| point.unanswered.is_none());
            let what = if is_answered { "No operation" } else { "No completed operation" };
            (Tone::Plain, format!("{what} failed."))
        }
        None => (Tone::Plain, String::new()),
    }
}

fn failure(failed: u64, first: &FirstError, message: &str) -> String {
    let what = match first.kind {
        OpKind::Open => "opening",
        OpKind::Read => "reading",
        OpKind::Write => "writing",
        OpKind::Sync => "syncing",
        OpKind::Close => "closing",
        OpKind::Create => "creating",
        OpKind::Unlink => "removing",
        OpKind::Stat => "reading the attributes of",
        OpKind::Access => "checking access to",
        OpKind::ReadDir => "listing",
        OpKind::Truncate => "truncating",
        OpKind::Allocate => "allocating space in",
        OpKind::Rename => "renaming",
        OpKind::MakeDir => "creating the directory",
        OpKind::RemoveDir => "removing the directory",
        OpKind::SetAttr => "changing the attributes of",
        OpKind::Other => "an unknown operation on",
        OpKind::Link => "creating a hard link to",
        OpKind::SymLink => "creating the symbolic link",
        OpKind::ReadLink => "reading the symbolic link",
    };
    let at = match first.kind {
        OpKind::Read | OpKind::Write => format!(" at {}", block_size(first.offset_bytes)),
        _ => String::new(),
    };
    format!(
        "{} failed. The first was {what} file {}{at}, {} into the run: {}.",
        counted(failed, "operation"),
        first.file,
        moment(first.failed_at_s),
        plain_short(message, 120)
    )
}

/// Operations that transferred less than requested, without an error.
pub(crate) fn short(summary: &Summary) -> Option<String> {
    let sum = |of: fn(&Figures) -> u64| summary.load_points.iter().map(|point| of(&point.total)).sum::<u64>();
    let all = sum(|total| total.short_transfers);
    let writes = sum(|total| total.short_writes.unwrap_or(0));
    let parts = [
        (all.saturating_sub(writes), "read", "returned less data than requested (short read)"),
        (writes, "write", "stored less data than requested (short write)"),
    ];
    let told = parts.into_iter().filter(|(number, ..)| *number > 0);
    let told: Vec<String> =
        told.map(|(number, kind, what)| format!("{} {what}", counted(number, kind))).collect();
    let why = if summary.ending == Some(RunEnding::FilesChanged) {
        ", because something else changed the files"
    } else {
        ""
    };
    (!told.is_empty()).then(|| format!("{}{why}.", told.join(", and ")))
}

/// Whether reads or writes transferred less than requested.
fn has_short(summary: &Summary) -> bool {
    summary.load_points.iter().any(|point| point.total.short_transfers > 0)
}

/// `8 streams`; `2 copiers` if nothing has frames.
pub(crate) fn streams_of(point: &LoadPoint) -> String {
    match point.stream_count {
        Some(0) if !point.label.is_empty() => plain_short(&point.label, LABEL_CHARS_MAX),
        count => counted(u64::from(count.unwrap_or(point.workers)), "stream"),
    }
}

/// The label of a load point on a screen.
pub(crate) fn label(point: &LoadPoint) -> String {
    match point.label.as_str() {
        "" => format!("Load point {}", point.index),
        label => plain_short(label, 40),
    }
}
