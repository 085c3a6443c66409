//! Runs that are reported in MB/s: their result, and the figures below it.

use reelgauge_analysis::figures::TimeFigures;
use reelgauge_analysis::silence;
use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::summary::NotMeasured;
use reelgauge_analysis::verdict::Verdict;
use reelgauge_analysis::{Figures, LoadPoint, SelfCost, Summary};
use reelgauge_record::OpKind;

use crate::answer_parts::{
    failures, label, nothing, outcome, place, says_only_workers, short, unanswered, verified,
};
use crate::ending::{end, ended_early};
use crate::page::ScreenText;
use crate::screen_options::{Detail, Screen, Tables};
use crate::sentence::Tone;
use crate::standstill;
use crate::text::{capital, plain, plain_short};
use crate::units::{count, counted, duration, mb_per_s, moment};
use crate::{tables, workers};

/// The result of a run that is reported in MB/s.
pub(crate) fn answer(summary: &Summary) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|text| (Tone::Bad, text)));
    let (verified_tone, verified) = summary.verify.as_ref().map_or((Tone::Plain, String::new()), verified);
    if verified_tone == Tone::Bad {
        sentences.push((verified_tone, verified.clone()));
    }
    match moved_most(summary) {
        Some(point) => {
            sentences.push((Tone::Answer, throughput(summary, point)));
            sentences.extend(unanswered(summary).map(|text| (Tone::Bad, text)));
            sentences.extend(silence::told(summary).map(|told| (Tone::Bad, standstill::sentence(&told, ""))));
            sentences.extend(most(&point.total).map(|text| (Tone::Plain, text)));
            sentences.extend(slowest(summary).map(|text| (Tone::Answer, text)));
        }
        None => {
            sentences.push((Tone::Bad, nothing(summary)));
            sentences.extend(unanswered(summary).map(|text| (Tone::Bad, text)));
            sentences.extend(silence::told(summary).map(|told| (Tone::Bad, standstill::sentence(&told, ""))));
        }
    }
    sentences.extend(criteria(summary));
    sentences.extend(not_measured(summary).into_iter().map(|text| (Tone::Bad, text)));
    sentences.push(failures(summary));
    sentences.extend(short(summary).map(|text| (Tone::Bad, text)));
    if verified_tone != Tone::Bad {
        sentences.push((verified_tone, verified));
    }
    sentences
}

/// The load point that the statement is about; `None` if no read or write succeeded.
fn moved_most(summary: &Summary) -> Option<&LoadPoint> {
    match of(summary).number {
        Number::Throughput { point, .. } => summary.load_points.get(point),
        _ => None,
    }
}

/// Whether load points met their requested rates; empty if none were requested.
fn criteria(summary: &Summary) -> Vec<(Tone, String)> {
    let asked = summary.plan.get("criteria").map(|text| plain_short(text, 80)).unwrap_or_default();
    let judged: Vec<(&LoadPoint, &Verdict)> =
        summary.load_points.iter().filter_map(|point| Some((point, point.verdict.as_ref()?))).collect();
    let failed: Vec<_> = judged.iter().filter(|(_, verdict)| !verdict.passed).collect();
    let Some((point, verdict)) = failed.first() else {
        return match judged.len() {
            0 => Vec::new(),
            1 => vec![(Tone::Answer, format!("MET: {asked}."))],
            points => vec![(Tone::Answer, format!("MET at all {points} load points: {asked}."))],
        };
    };
    let is_measured = verdict.failures.iter().any(|failure| failure.measured);
    let word = if is_measured { "NOT MET" } else { "UNKNOWN" };
    let at = if judged.len() > 1 { format!(" at {}", plain_short(&point.label, 40)) } else { String::new() };
    let more = match failed.len() {
        1 => String::new(),
        more => format!(" {more} of {} load points failed.", judged.len()),
    };
    let why = verdict.failed_first.as_ref().map(|failure| plain(&failure.sentence)).unwrap_or_default();
    vec![(Tone::Bad, format!("{word}{at} ({asked}): {why}.{more}"))]
}

/// The load points that could not be measured, by their cause, each with its remedy.
fn not_measured(summary: &Summary) -> Vec<String> {
    let causes = [
        (
            NotMeasured::WarmupVisitedAll,
            "the warm-up had visited every block before the measurement. Use --warmup 0s, or larger files \
             (--file-size)",
        ),
        (
            NotMeasured::NothingFinished,
            "no read or write finished in the measured time. Measure longer (--duration, --step), or use \
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
        points => (with_label(point), format!(", the highest rate of {points} load points")),
    };
    capital(&format!("{before}{workers} {moved} on {}{after}.", place(&summary.target)))
}

/// `blocks 64 KiB: `, unless the label contains only the number of workers.
fn with_label(point: &LoadPoint) -> String {
    if says_only_workers(point) {
        return String::new();
    }
    format!("{}: ", plain_short(&point.label, 40))
}

/// Whether the longest pause of Reelgauge covers most of the longest response time.
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
        OpKind::Create => "creating a file",
        OpKind::Unlink => "removing a file",
        OpKind::Stat => "reading a file's attributes",
        OpKind::Access => "checking access to a file",
        OpKind::ReadDir => "listing a directory",
        OpKind::Truncate => "truncating a file",
        OpKind::Allocate => "allocating space in a file",
        OpKind::Rename => "renaming a file",
        OpKind::MakeDir => "creating a directory",
        OpKind::RemoveDir => "removing a directory",
        OpKind::SetAttr => "changing a file's attributes",
        OpKind::Other => "an operation of an unknown kind",
        OpKind::Link => "creating a hard link",
        OpKind::SymLink => "creating a symbolic link",
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
            "Slowest response: {took} ({doing}), {when} into the run{with}; but Reelgauge itself did not run \
             then, so the storage may have answered immediately."
        ));
    }
    let of_those = summary.load_points.iter().any(|point| point.unanswered.is_some());
    let of_those = if of_those { " of the completed operations" } else { "" };
    Some(format!("Slowest response{of_those}: {took} ({doing}), {when} into the run{with}."))
}

fn most(total: &Figures) -> Option<String> {
    let data = total.response.data.as_ref()?;
    let what = match (&total.response.read, &total.response.write) {
        (Some(_), None) => "reads",
        (None, Some(_)) => "writes",
        _ => "reads and writes",
    };
    let longest = duration(data.max_us);
    let Some(half) = data.carried_p50_us().map(duration) else {
        return Some(format!("There was only one of these {what}; it took {longest}."));
    };
    let most = data.carried_p99_us().map_or_else(
        || format!("longest {longest} ({} in total)", count(data.count)),
        |p99_us| format!("p99 {}", duration(p99_us)),
    );
    Some(format!("Response times of these {what}: median {half}, {most}."))
}

/// The screen of a run that is reported in MB/s, after its result.
pub(crate) fn screen(summary: &Summary, show: &Screen, page: &mut ScreenText) {
    let measured: Vec<&LoadPoint> = summary.load_points.iter().filter(|point| point.total.ops > 0).collect();
    if !measured.is_empty() {
        page.gap();
        page.table(tables::load_points(&summary.load_points, page.width));
        ended_early(summary, page);
    }
    let with_tables = match show.tables {
        Tables::None => &[],
        Tables::Last => &measured[measured.len().saturating_sub(1)..],
        Tables::Every => &measured[..],
    };
    let several = summary.load_points.len() > 1;
    page.detail(|page| with_tables.iter().for_each(|point| paper_tables(point, several, page)));
    let with_workers = if show.tables == Tables::Every { &measured[..] } else { last(&measured) };
    page.detail(|page| {
        with_workers.iter().for_each(|point| worker_table(point, show.detail, several, page));
    });
    end(summary, show, page);
}

fn last<'a, 'b>(points: &'a [&'b LoadPoint]) -> &'a [&'b LoadPoint] {
    &points[points.len().saturating_sub(1)..]
}

fn paper_tables(point: &LoadPoint, several: bool, page: &mut ScreenText) {
    if point.paper.is_empty() {
        return;
    }
    page.gap();
    if several {
        page.heading(&label(point));
    }
    tables::paper(&point.paper, page);
}

fn worker_table(point: &LoadPoint, detail: Detail, several: bool, page: &mut ScreenText) {
    let difference = workers::difference(point);
    let all = detail == Detail::PerWorker;
    if !all && difference.is_none() {
        return;
    }
    page.gap();
    if several {
        page.heading(&format!("Workers at {}", label(point)));
    } else {
        page.heading("Workers");
    }
    if let Some(difference) = difference {
        page.sentence(Tone::Plain, &difference);
    }
    workers::write(point, all, page);
    for worker in point.per_worker.iter().filter(|_| all) {
        if let Some(paper) = worker.paper.as_ref().filter(|paper| !paper.is_empty()) {
            page.gap();
            page.heading(&format!("Tables of worker {}", worker.worker));
            tables::paper(paper, page);
        }
    }
}
