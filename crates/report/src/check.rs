//! The screen of a short first look: one screen, plain words, the number that somebody came for first.

use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::{CheckCount, CheckFacts, CheckFormat, Outcome, Summary};

use crate::answer_parts::outcome;
use crate::ending::next;
use crate::limit::limit_sentences;
use crate::page::Page;
use crate::sentence::Tone;
use crate::standstill::standstill;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::{capital, plain, plain_short};
use crate::units::{count, moment, number};
use crate::wanted::Screen;

/// What a count takes beside a name.
const COUNT_CHARS: usize = 18;
/// What limited a count that met the limit that was set.
const MAX_RATE: &str = "--max-rate";
/// More formats are not shown.
const FORMATS_MAX: usize = 6;

/// What the screen begins with.
pub(crate) fn answer(summary: &Summary, facts: &CheckFacts) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, plain(&outcome))));
    let statement = of(summary);
    let tone = if matches!(statement.number, Number::FirstLook { .. }) { Tone::Answer } else { Tone::Bad };
    sentences.push((tone, carries(summary, facts, &statement.number)));
    sentences.extend(standstill_words(summary).map(|text| (Tone::Bad, text)));
    sentences.extend(facts.unsteady.as_deref().map(|unsteady| (Tone::Bad, plain(unsteady))));
    sentences.push((Tone::Plain, place(summary, facts)));
    sentences
}

/// Writes the screen behind the answer: the table that says it of every format, then what it rests on.
/// Nothing on it is cut: what one must know before believing a count is worth a line more.
pub(crate) fn screen(summary: &Summary, facts: &CheckFacts, show: &Screen, page: &mut Page) {
    if !facts.formats.is_empty() {
        page.gap();
        page.lines(formats(facts, page.width).lines(page.width));
    }
    page.gap();
    page.item("One client", &rates(summary, facts));
    page.item("Limit", &plain(&facts.limit));
    let seen = limit_sentences(summary).join(" ");
    if !seen.is_empty() {
        page.item("Seen", &capital(seen.trim_start_matches("Seen beside it: ")));
    }
    page.item("How sure", &how_sure(summary, facts));
    for note in &summary.notes {
        page.warning(&plain(note));
    }
    page.gap();
    // One line: the report lies in the directory.
    match (show.report, show.run_dir) {
        (Some(report), _) => page.item("Report", &plain(report)),
        (None, Some(run_dir)) => page.item("Files", &plain(run_dir)),
        (None, None) => {}
    }
    next(summary, page);
}

/// `11 × Apple ProRes 422 HQ UHD, 25 fps play without a late frame, and 9 record.`: of the heaviest
/// format that anything was carried of.
fn carries(summary: &Summary, facts: &CheckFacts, number: &Number) -> String {
    let Number::FirstLook { format, play, record } = *number else {
        let is_measured = |format: &CheckFormat| format.play.is_some() || format.record.is_some();
        let is_known = summary.outcome != Outcome::Complete || facts.formats.iter().any(is_measured);
        return match is_known {
            true => "No count of streams was found before this look was stopped.".to_owned(),
            false => "No streams were measured.".to_owned(),
        };
    };
    let carried = [play, record].into_iter().flatten().any(|streams| streams > 0);
    let Some(format) = facts.formats.get(format).filter(|_| carried) else {
        let found = facts.formats.iter().flat_map(|format| [&format.play, &format.record]).flatten();
        let mut limits = found.map(|found| found.limited_by.as_str());
        return match limits.all(|limit| limit == MAX_RATE) {
            true => "Not one stream of these formats was carried without a late frame within --max-rate.",
            false => "Not one stream of these formats was carried without a late frame.",
        }
        .to_owned();
    };
    let said = |found: &Option<CheckCount>| found.as_ref().map(how_many);
    let name = plain_short(&format.name, 60);
    let sentence = match (said(&format.play), said(&format.record)) {
        (Some(play), Some(record)) => {
            format!("{play} × {name} play without a late frame, and {record} record.")
        }
        (Some(play), None) => {
            format!("{play} × {name} play without a late frame; recording was not measured.")
        }
        (None, Some(record)) => {
            format!("{record} × {name} record without a late frame; playing was not measured.")
        }
        (None, None) => String::new(),
    };
    capital(&sentence)
}

/// `At /mnt/nas: NFS 4.2 from nas1, over eth0, 10 Gbit/s.`
fn place(summary: &Summary, facts: &CheckFacts) -> String {
    let link = facts.link.as_deref().map(|link| format!(", over {}", plain(link)));
    format!("At {}: {}{}.", plain(&summary.target.path), plain(&facts.mount), link.unwrap_or_default())
}

/// Formats down, what they do across; what each needs, above what the link carries.
fn formats(facts: &CheckFacts, width: usize) -> Table {
    let formats = &facts.formats[..facts.formats.len().min(FORMATS_MAX)];
    let link = facts.line_rate_mb_per_s;
    let below = |text: &str| link.map(|_| text.to_owned());
    let cells = |of: &dyn Fn(&CheckFormat) -> String| formats.iter().map(of).chain(below("")).collect();
    let names = formats.iter().map(|format| plain_short(&format.name, width.saturating_sub(COUNT_CHARS)));
    let needed: Vec<Option<f64>> = formats.iter().map(|format| Some(format.needed_mb_per_s_each)).collect();
    let needed = numbers(&needed).into_iter().chain(link.map(number));
    let mut table = Table::default();
    table.column("", "streams without a late frame", names.chain(below("the link carries about")).collect());
    table.column("", "play", cells(&|format| marked(format.play.as_ref())));
    table.column("", "record", cells(&|format| marked(format.record.as_ref())));
    table.column("needs", "MB/s", needed.collect());
    let limited_by = |format: &CheckFormat| {
        let of = |found: &Option<CheckCount>| found.as_ref().map(|found| plain_short(&found.limited_by, 26));
        match (of(&format.play), of(&format.record)) {
            (Some(play), Some(record)) if play != record => format!("{play}; {record}"),
            (play, record) => play.or(record).unwrap_or_default(),
        }
    };
    table.words_if_they_fit("limited by", cells(&limited_by), width);
    table
}

/// `✓ 31 ± 1`, `✓ at least 40`, `✗ 0`, `✗ 0 ± 3`.
fn marked(found: Option<&CheckCount>) -> String {
    let Some(found) = found else { return "not measured".to_owned() };
    match (found.streams, found.at_least) {
        (0, true) => how_many(found),
        (0, false) => format!("✗ {}", with_error(found)),
        _ => format!("✓ {}", with_error(found)),
    }
}

/// `31`, `at least 40`.
fn how_many(found: &CheckCount) -> String {
    let streams = count(u64::from(found.streams));
    match (found.at_least, found.streams) {
        // That is always so.
        (true, 0) => "not known".to_owned(),
        (true, _) => format!("at least {streams}"),
        (false, _) => streams,
    }
}

/// `31 ± 1`, `at least 40`.
fn with_error(found: &CheckCount) -> String {
    match (found.at_least, found.error_streams) {
        (true, _) | (false, 0) => how_many(found),
        (false, error) => format!("{} ± {}", how_many(found), count(u64::from(error))),
    }
}

/// The rates of one client, beside what the link carries.
fn rates(summary: &Summary, facts: &CheckFacts) -> String {
    let mb = |rate: Option<f64>| {
        rate.map_or_else(|| "not measured".to_owned(), |rate| format!("{} MB/s", number(rate)))
    };
    let p99 = facts.random_read_ms_p99.map(|ms| format!(" (99 of 100 within {} ms)", number(ms)));
    let line = match (facts.line_rate_mb_per_s, summary.link.is_some()) {
        (None, true) => " What the link carries is not known.".to_owned(),
        // It stands in the table.
        (Some(_), _) | (None, false) => String::new(),
    };
    format!(
        "reads {} in sequence and {} at random{}, writes {}.{line}",
        mb(facts.sequential_read_mb_per_s),
        mb(facts.random_read_mb_per_s),
        p99.unwrap_or_default(),
        mb(facts.sequential_write_mb_per_s)
    )
}

/// `Nothing was answered for 10 s while writing, from 31 s on.`
fn standstill_words(summary: &Summary) -> Option<String> {
    let told = standstill(summary)?;
    let label = told.point.map_or("", |point| point.label.as_str());
    let doing = match (label.ends_with("writes") || label.ends_with(", record"), label.is_empty()) {
        (true, _) => " while writing",
        (false, false) => " while reading",
        (false, true) => "",
    };
    Some(told.sentence(doing))
}

pub(crate) fn how_sure(summary: &Summary, facts: &CheckFacts) -> String {
    let rates = [facts.sequential_read_mb_per_s, facts.random_read_mb_per_s, facts.sequential_write_mb_per_s];
    if facts.formats.is_empty() && rates.iter().all(Option::is_none) {
        return "nothing was measured.".to_owned();
    }
    let look =
        format!("a look of {} only; caches that fill up and other users show later", moment(facts.looked_s));
    let mut doubts = Vec::new();
    if standstill(summary).is_some() {
        doubts.push("nothing was answered for a while, so another look may come to other counts");
    }
    if summary.load_points.iter().any(|point| point.not_measured.is_some()) {
        doubts.push("not everything could be measured");
    }
    match doubts.is_empty() {
        true => format!("{look}."),
        false => format!("not sure: {}. It was {look}.", doubts.join(", and ")),
    }
}

#[cfg(test)]
mod tests;
