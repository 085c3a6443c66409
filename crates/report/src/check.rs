//! The screen of a short first look: one screen, plain words, the streams first.

use reelgauge_analysis::{CheckFacts, CheckFormat, Summary};

use crate::answer::{Tone, outcome};
use crate::page::Page;
use crate::screen::Screen;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::{plain, plain_short};
use crate::units::{count, moment, number};

/// Longer sentences from outside are cut, so that everything stays on one screen.
const SENTENCE_MAX: usize = 160;

/// More formats are not shown.
const FORMATS_MAX: usize = 6;

/// What the screen begins with.
pub(crate) fn answer(summary: &Summary, facts: &CheckFacts) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, plain_short(&outcome, SENTENCE_MAX))));
    sentences.push((Tone::Answer, carries(summary, facts)));
    sentences
}

/// Writes the screen behind the answer: at most 24 lines with it.
pub(crate) fn screen(summary: &Summary, facts: &CheckFacts, show: &Screen, page: &mut Page) {
    if !facts.formats.is_empty() {
        page.gap();
        page.lines(formats(&facts.formats[..facts.formats.len().min(FORMATS_MAX)]).lines(page.width));
    }
    page.gap();
    page.item("One client", &rates(facts));
    page.item("Limit", &plain_short(&facts.limit, SENTENCE_MAX));
    page.item("How sure", &how_sure(facts));
    if let Some(first) = summary.notes.first() {
        let more = match summary.notes.len() - 1 {
            0 => String::new(),
            more => format!(" (And {more} more in summary.json.)"),
        };
        page.warning(&format!("{}{more}", plain_short(first, SENTENCE_MAX - more.len())));
    }
    page.gap();
    // One line: the report lies in the directory.
    match (show.report, show.run_dir) {
        (Some(report), _) => page.item("Report", &plain(report)),
        (None, Some(run_dir)) => page.item("Files", &plain(run_dir)),
        (None, None) => {}
    }
    let next = Some(facts.next_step.as_str()).filter(|step| !step.is_empty()).or(show.next_step);
    if let Some(next) = next {
        page.item("Next", &plain_short(next, SENTENCE_MAX));
    }
}

/// `/mnt/nas (NFS 4.2 from nas1, over eth0, 10 Gbit/s) carries:`; in one line what is most wanted.
fn carries(summary: &Summary, facts: &CheckFacts) -> String {
    let path = plain_short(&summary.target.path, 60);
    let link = facts.link.as_deref().map(|link| format!(", over {}", plain_short(link, 30)));
    let mount = format!("{}{}", plain_short(&facts.mount, 45), link.unwrap_or_default());
    match facts.formats.iter().max_by_key(|format| format.streams) {
        None => format!("{path} ({mount}): no streams were measured."),
        Some(most) if most.streams == 0 => {
            format!("{path} ({mount}) carries not one stream of these formats without a late frame.")
        }
        Some(_) => format!("{path} ({mount}) carries so many streams without a late frame:"),
    }
}

fn formats(formats: &[CheckFormat]) -> Table {
    let mut table = Table::default();
    table.column("", "format", formats.iter().map(|format| plain_short(&format.name, 40)).collect());
    table.column("", "streams", formats.iter().map(streams).collect());
    let needed: Vec<Option<f64>> = formats.iter().map(|format| Some(format.needed_mb_per_s_each)).collect();
    table.column("each needs", "MB/s", numbers(&needed));
    let limited_by = formats.iter().map(|format| plain_short(&format.limited_by, 26)).collect();
    table.column("", "limited by", limited_by);
    table
}

/// `31`, `at least 40`.
fn streams(format: &CheckFormat) -> String {
    let streams = count(u64::from(format.streams));
    if format.at_least { format!("at least {streams}") } else { streams }
}

/// The rates of one client, beside what the link carries.
fn rates(facts: &CheckFacts) -> String {
    let mb = |rate: Option<f64>| {
        rate.map_or_else(|| "not measured".to_owned(), |rate| format!("{} MB/s", number(rate)))
    };
    let p99 = facts.random_read_ms_p99.map(|ms| format!(" (99 of 100 within {} ms)", number(ms)));
    let line = match (facts.line_rate_mb_per_s, facts.link.is_some()) {
        (Some(rate), _) => format!(" The link carries about {} MB/s.", number(rate)),
        (None, true) => " What the link carries is not known.".to_owned(),
        (None, false) => String::new(),
    };
    format!(
        "reads {} in sequence and {} at random{}, writes {}.{line}",
        mb(facts.sequential_read_mb_per_s),
        mb(facts.random_read_mb_per_s),
        p99.unwrap_or_default(),
        mb(facts.sequential_write_mb_per_s)
    )
}

fn how_sure(facts: &CheckFacts) -> String {
    format!("a look of {} only; caches that fill up and other users show later.", moment(facts.looked_s))
}
