//! The answer in plain words, for somebody who is tired and has one question.

use reelgauge_analysis::SelfCost;
use reelgauge_analysis::figures::{FirstError, TimeFigures};
use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::summary::{NotMeasured, Target, VerifyFacts};
use reelgauge_analysis::{Figures, LoadPoint, Outcome, Summary};
use reelgauge_record::OpKind;

use crate::statement::doubt_words;
use crate::text::{plain, plain_short};
use crate::units::{amount, block_size, counted, duration, mb_per_s, moment};
use crate::{check, replay, search, streams, vda};

use crate::sentence::Sentence;
pub(crate) use crate::sentence::Tone;

/// What every screen begins with, and every page: the answer, and what makes it worthless before it. Made in
/// one place, so that terminal and page say the same.
pub fn answer_sentences(summary: &Summary) -> Vec<Sentence> {
    let sentences = if let Some(facts) = &summary.check {
        check::answer(summary, facts)
    } else if let Some(facts) = &summary.replay {
        replay::answer(summary, facts)
    } else if let Some(facts) = &summary.vda {
        vda::answer(summary, facts)
    } else if let Some(facts) = &summary.search {
        search::answer(summary, facts)
    } else if is_in_streams(summary) {
        streams::answer(summary)
    } else {
        answer(summary)
    };
    let statement = of(summary);
    let is_measured = statement.number != Number::NotMeasured;
    // Where the tool itself is said to be the cause, its timing is no doubt.
    let is_own = statement.cause.is_some_and(|cause| cause.culprit.is_own());
    let doubts = doubt_words(summary, &statement.confidence)
        .filter(|_| is_measured && !is_own)
        .map(|text| (Tone::Plain, text));
    let told = sentences.into_iter().chain(doubts).filter(|(_, text)| !text.is_empty());
    told.map(|(tone, text)| Sentence { tone, text }).collect()
}

/// Whether a run is told in streams.
pub(crate) fn is_in_streams(summary: &Summary) -> bool {
    summary.load_points.iter().any(|point| point.stream_count.is_some())
}

/// The answer of a run that is told in MB/s.
fn answer(summary: &Summary) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|text| (Tone::Bad, text)));
    let (verified_tone, verified) = summary.verify.as_ref().map_or((Tone::Plain, String::new()), verified);
    if verified_tone == Tone::Bad {
        sentences.push((verified_tone, verified.clone()));
    }
    match moved_most(summary) {
        Some(point) => {
            sentences.push((Tone::Answer, throughput(summary, point)));
            sentences.extend(slowest(summary).map(|text| (Tone::Answer, text)));
            sentences.extend(most(&point.total).map(|text| (Tone::Plain, text)));
        }
        None => sentences.push((Tone::Bad, nothing(summary))),
    }
    sentences.extend(not_measured(summary).into_iter().map(|text| (Tone::Bad, text)));
    sentences.push(failures(summary));
    sentences.extend(short(summary).map(|text| (Tone::Bad, text)));
    if verified_tone != Tone::Bad {
        sentences.push((verified_tone, verified));
    }
    sentences
}

/// The load point that the statement is about; none if no read or write succeeded.
fn moved_most(summary: &Summary) -> Option<&LoadPoint> {
    match of(summary).number {
        Number::Throughput { point, .. } => summary.load_points.get(point),
        _ => None,
    }
}

pub(crate) fn outcome(summary: &Summary) -> Option<String> {
    let what = match summary.outcome {
        Outcome::Complete => return None,
        Outcome::Running => {
            return Some("The run goes on. What its log holds until now follows.".to_owned());
        }
        Outcome::Interrupted => "The run was interrupted",
        Outcome::BrokeOff => "The run broke off",
    };
    let reason = summary.outcome_reason.as_deref().map(|reason| format!(": {}", plain(reason)));
    let reason = reason.unwrap_or_default();
    let kept = if summary.ops() > 0 { " What was measured until then follows." } else { "" };
    Some(format!("{what}{}.{kept}", reason.trim_end_matches('.')))
}

pub(crate) fn verified(verify: &VerifyFacts) -> (Tone, String) {
    let checked = amount(verify.checked_bytes);
    if verify.different_bytes == 0 {
        return (Tone::Plain, format!("Verified {checked}: everything read back as it was written."));
    }
    let first = verify.first_difference.as_deref().map(|first| format!(" First: {}", plain(first)));
    let text = format!(
        "DATA DIFFER: {} of {checked} read back were not what had been written.{}",
        amount(verify.different_bytes),
        first.unwrap_or_default()
    );
    (Tone::Bad, text)
}

pub(crate) fn nothing(summary: &Summary) -> String {
    let place = place(&summary.target);
    match (summary.ops(), summary.failed_ops()) {
        // The cause follows in a sentence of its own.
        (0, _) if summary.load_points.iter().any(|point| point.not_measured.is_some()) => {
            format!("Nothing was measured on {place}.")
        }
        (0, _) => format!(
            "Nothing was measured on {place}: no operation was finished (the warm-up does not count)."
        ),
        (ops, failed) if ops == failed => {
            format!("Nothing worked on {place}: every operation failed.")
        }
        _ => format!("Nothing was measured on {place}: no read or write succeeded."),
    }
}

/// The load points that could not be measured, by their cause, each with its remedy.
fn not_measured(summary: &Summary) -> Vec<String> {
    let causes = [
        (
            NotMeasured::WarmupVisitedAll,
            "the warm-up had visited every block before measuring began. Use --warmup 0s, or larger files \
             (--file-size)",
        ),
        (
            NotMeasured::NothingFinished,
            "no read or write was finished in the measured time. Measure longer (--duration, --step), or use \
             smaller blocks (--blocks)",
        ),
    ];
    let points = &summary.load_points;
    let of = |(cause, why): (NotMeasured, &str)| {
        let found: Vec<_> = points.iter().filter(|point| point.not_measured == Some(cause)).collect();
        let first = found.first()?;
        let what = match found.len() {
            _ if points.len() == 1 => "Not measured".to_owned(),
            1 => format!("Not measured at {}", plain_short(&first.label, 40)),
            count => format!("Not measured at {count} of {} load points", points.len()),
        };
        Some(format!("{what}: {why}."))
    };
    causes.into_iter().filter_map(of).collect()
}

fn throughput(summary: &Summary, point: &LoadPoint) -> String {
    let total = &point.total;
    let workers = counted(u64::from(point.workers), "worker");
    let (read, written) = (total.read_bytes, total.written_bytes);
    let mb = |rate: Option<f64>| rate.map_or_else(|| "an unknown number of".to_owned(), mb_per_s);
    let moved = if written == 0 {
        format!("read {} MB/s", mb(total.read_bytes_per_s))
    } else if read == 0 {
        format!("wrote {} MB/s", mb(total.written_bytes_per_s))
    } else {
        let (read, written) = (mb(total.read_bytes_per_s), mb(total.written_bytes_per_s));
        format!("moved {} MB/s ({read} read, {written} written)", mb(total.bytes_per_s))
    };
    let (before, after) = match summary.load_points.len() {
        0 | 1 => (String::new(), String::new()),
        points => (with_label(point), format!(", the most of {points} load points")),
    };
    format!("{before}{workers} {moved} on {}{after}.", place(&summary.target))
}

/// `blocks 64 KiB: `, unless the label only says how many workers there were.
fn with_label(point: &LoadPoint) -> String {
    if says_only_workers(point) {
        return String::new();
    }
    format!("{}: ", plain_short(&point.label, 40))
}

/// Whether a load point's label says nothing but the number of its workers.
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

/// Whether the longest pause of the tool fills most of the longest answer.
fn was_paused_in(cost: &SelfCost, times: &TimeFigures) -> bool {
    let Some((began_s, pause_s)) = cost.longest_pause_began_s.zip(cost.longest_pause_s) else {
        return false;
    };
    let (from_s, until_s) = (times.max_began_s, times.max_began_s + times.max_us / 1e6);
    let within_s = (began_s + pause_s).min(until_s) - began_s.max(from_s);
    within_s > 0.5 * (until_s - from_s)
}

fn slowest(summary: &Summary) -> Option<String> {
    let points =
        summary.load_points.iter().filter_map(|point| Some((point, point.total.response.slowest()?)));
    let (point, (kind, times)) = points.max_by(|a, b| a.1.1.max_us.total_cmp(&b.1.1.max_us))?;
    let doing = match kind {
        OpKind::Open => "opening a file",
        OpKind::Read => "a read",
        OpKind::Write => "a write",
        OpKind::Sync => "a sync",
        OpKind::Close => "closing a file",
        OpKind::Create => "making a file",
        OpKind::Unlink => "removing a file",
        OpKind::Stat => "asking for a file's size",
        OpKind::Access => "asking for access to a file",
        OpKind::ReadDir => "listing a directory",
        OpKind::Truncate => "setting a file's size",
        OpKind::Allocate => "reserving room in a file",
        OpKind::Rename => "renaming a file",
        OpKind::MakeDir => "making a directory",
        OpKind::RemoveDir => "removing a directory",
        OpKind::SetAttr => "changing a file's times or rights",
        OpKind::Other => "an operation of no kind known here",
        OpKind::Link => "making a hard link",
        OpKind::SymLink => "making a symbolic link",
        OpKind::ReadLink => "reading a symbolic link",
    };
    let with = match summary.load_points.len() {
        0 | 1 => String::new(),
        _ if says_only_workers(point) => {
            format!(", with {}", counted(u64::from(point.workers), "worker"))
        }
        _ => format!(", at {}", plain_short(&point.label, 40)),
    };
    let (took, when) = (duration(times.max_us), moment(times.max_began_s));
    if was_paused_in(&summary.self_cost, times) {
        return Some(format!(
            "Slowest answer: {took} ({doing}), {when} into the run{with}; but the tool itself did not run then, so \
             the storage may have answered at once."
        ));
    }
    Some(format!("Slowest answer: {took} ({doing}), {when} into the run{with}."))
}

fn most(total: &Figures) -> Option<String> {
    let data = total.response.data.as_ref()?;
    let (half, most) = (duration(data.p50_us), duration(data.p99_us));
    let what = match (&total.response.read, &total.response.write) {
        (Some(_), None) => "its reads",
        (None, Some(_)) => "its writes",
        _ => "its reads and writes",
    };
    Some(format!("Half of {what} were answered within {half}, 99 of 100 within {most}."))
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
        // What moved less than was asked is told in a sentence of its own.
        None if summary.ops() > 0 && !has_short(summary) => (Tone::Plain, "No operation failed.".to_owned()),
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
        OpKind::Create => "making",
        OpKind::Unlink => "removing",
        OpKind::Stat => "asking for the size of",
        OpKind::Access => "asking for access to",
        OpKind::ReadDir => "listing",
        OpKind::Truncate => "setting the size of",
        OpKind::Allocate => "reserving room in",
        OpKind::Rename => "renaming",
        OpKind::MakeDir => "making the directory",
        OpKind::RemoveDir => "removing the directory",
        OpKind::SetAttr => "changing the times or rights of",
        OpKind::Other => "doing something unknown to",
        OpKind::Link => "making a hard link to",
        OpKind::SymLink => "making the symbolic link",
        OpKind::ReadLink => "reading the symbolic link",
    };
    let at = match first.kind {
        OpKind::Read | OpKind::Write => format!(" at {}", block_size(first.offset_bytes)),
        _ => String::new(),
    };
    format!(
        "{} failed. The first: {what} file {}{at}, {} into the run: {}.",
        counted(failed, "operation"),
        first.file,
        moment(first.failed_at_s),
        plain_short(message, 120)
    )
}

/// What moved less than was asked, without an error.
pub(crate) fn short(summary: &Summary) -> Option<String> {
    let sum = |of: fn(&Figures) -> u64| summary.load_points.iter().map(|point| of(&point.total)).sum::<u64>();
    let all = sum(|total| total.short_transfers);
    let writes = sum(|total| total.short_writes.unwrap_or(0));
    let parts = [
        (all.saturating_sub(writes), "read", "returned less data than requested"),
        (writes, "write", "stored less data than requested"),
    ];
    let told = parts.into_iter().filter(|(number, ..)| *number > 0);
    let told: Vec<String> =
        told.map(|(number, kind, what)| format!("{} {what}", counted(number, kind))).collect();
    (!told.is_empty()).then(|| format!("{}.", told.join(", and ")))
}

/// Whether reads or writes moved less than was asked.
fn has_short(summary: &Summary) -> bool {
    summary.load_points.iter().any(|point| point.total.short_transfers > 0)
}
