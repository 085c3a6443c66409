//! The screen of a quick check: a single screen in plain words, with the most important number first.

mod limit;

use reelgauge_analysis::silence;
use reelgauge_analysis::statement::{Number, of};
use reelgauge_analysis::sustained::{RateTrend, SustainedRate};
use reelgauge_analysis::{CheckCount, CheckFacts, CheckFormat, Culprit, LoadPoint, Outcome, Summary};

use crate::answer_parts::outcome;
use crate::document::{Block, Section};
use crate::ending::last_lines;
use crate::limit::limit_words;
use crate::note::warnings;
use crate::page::ScreenText;
use crate::screen_options::Screen;
use crate::sentence::Tone;
use crate::standstill::sentence;
use crate::statement::doubts_of;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::{capital, plain, plain_short};
use crate::units::{count, moment, number};

pub use limit::{count_limit_words, limit_sentence, not_finished_sentence, unsteady_sentence};

/// The width of a count next to a name.
const COUNT_CHARS: usize = 18;
/// At most this many formats are shown.
const FORMATS_MAX: usize = 6;

/// The first lines of the screen: the result.
pub(crate) fn answer(summary: &Summary, facts: &CheckFacts) -> Vec<(Tone, String)> {
    let mut sentences = Vec::new();
    sentences.extend(outcome(summary).map(|outcome| (Tone::Bad, plain(&outcome))));
    let statement = of(summary);
    let tone = if matches!(statement.number, Number::FirstLook { .. }) { Tone::Answer } else { Tone::Bad };
    sentences.push((tone, carries(summary, facts, &statement.number)));
    sentences.extend(standstill_words(summary).map(|text| (Tone::Bad, text)));
    sentences.extend(rate_words(facts).map(|text| (Tone::Bad, text)));
    sentences.extend(own_limits(facts).map(|text| (Tone::Plain, text)));
    sentences.extend(facts.unsteady.as_deref().map(|unsteady| (Tone::Bad, plain(unsteady))));
    sentences.push((Tone::Plain, place(summary, facts)));
    sentences
}

/// Writes the screen after its result: the table of all formats, then the basis of the counts. Nothing
/// is cut: a fact that affects the trust in a count is worth an extra line.
pub(crate) fn screen(summary: &Summary, facts: &CheckFacts, show: &Screen, page: &mut ScreenText) {
    if !facts.formats.is_empty() {
        page.gap();
        page.table(formats(facts, page.width, false));
    }
    page.detail(|page| {
        page.gap();
        let rates_known =
            [facts.sequential_read_mb_per_s, facts.random_read_mb_per_s, facts.sequential_write_mb_per_s];
        if summary.outcome == Outcome::Complete || rates_known.iter().any(Option::is_some) {
            page.item("Rates", &rates(summary, facts));
        }
        let seen = limit_words(summary).limited_by();
        if !seen.is_empty() {
            page.item("Counters", &seen);
        }
    });
    page.gap();
    page.warnings(&warnings(summary));
    last_lines(summary, show, page);
}

/// The head of the page: the counts of each format, and the rates of one client.
pub(crate) fn head(summary: &Summary, facts: &CheckFacts) -> Section {
    let mut head = Section::of_page("formats", "", "");
    let line =
        facts.line_rate_mb_per_s.map(|rate| ("Line rate".to_owned(), format!("{} MB/s", number(rate))));
    let client = ("Rates".to_owned(), rates(summary, facts));
    if !facts.formats.is_empty() {
        head.blocks.push(Block::Table(formats(facts, usize::MAX, true)));
    }
    head.blocks.push(Block::Rows(line.into_iter().chain([client]).collect()));
    head
}

/// The page below its head.
pub(crate) fn section(summary: &Summary, facts: &CheckFacts) -> Section {
    let mut section = Section::of_page("check", "Chart by format", place(summary, facts));
    section.blocks.push(Block::PageChart("check-formats".to_owned()));
    section
}

/// `Without a late frame: playing 11 × Apple ProRes 422 HQ UHD, 25 fps; recording 9.`: the heaviest
/// format with at least one sustained stream.
fn carries(summary: &Summary, facts: &CheckFacts, number: &Number) -> String {
    let Number::FirstLook { format, play, record } = *number else {
        let is_measured = |format: &CheckFormat| format.play.is_some() || format.record.is_some();
        let is_known = summary.outcome != Outcome::Complete || facts.formats.iter().any(is_measured);
        return match is_known {
            true => "The check was stopped before it found a stream count.".to_owned(),
            false => "No streams were measured.".to_owned(),
        };
    };
    let carried = [play, record].into_iter().flatten().any(|streams| streams > 0);
    let Some(format) = facts.formats.get(format).filter(|_| carried) else {
        return none(facts).to_owned();
    };
    let known = |found: &Option<CheckCount>| found.clone().filter(|found| !is_not_known(found));
    let open = |found: &Option<CheckCount>| if found.is_some() { "is unknown" } else { "was not measured" };
    let name = plain_short(&format.name, 60);
    let sentence = match (known(&format.play), known(&format.record)) {
        (Some(play), Some(record)) => format!(
            "Without a late frame: playing {} × {name}{}; recording {}{}.",
            with_error(&play),
            for_how_long(&play),
            with_error(&record),
            for_how_long(&record)
        ),
        (Some(play), None) => format!(
            "Without a late frame: playing {} × {name}{}; recording {}.",
            with_error(&play),
            for_how_long(&play),
            open(&format.record)
        ),
        (None, Some(record)) => format!(
            "Without a late frame: recording {} × {name}{}; playing {}.",
            with_error(&record),
            for_how_long(&record),
            open(&format.play)
        ),
        (None, None) => String::new(),
    };
    capital(&sentence)
}

/// The sentence if no count is more than 0. An unknown count may be more.
fn none(facts: &CheckFacts) -> &'static str {
    let mut counts = facts.counts();
    match facts.limit_culprit {
        Some(Culprit::MaxRate) => "Within --max-rate, even a single stream of these formats had late frames.",
        _ if counts.any(is_not_known) => "Unknown whether the storage sustains a stream of these formats.",
        _ => "Even a single stream of these formats had late frames.",
    }
}

/// ` for 1.45 s`, for a count that was sustained too briefly to rely on.
pub(crate) fn for_how_long(found: &CheckCount) -> String {
    match found.held_s.filter(|_| !found.is_sustained()) {
        Some(held_s) => format!(" for {}", moment(held_s)),
        None => String::new(),
    }
}

/// `At /mnt/nas: NFS 4.2 from nas1, over eth0, 10 Gbit/s.`
fn place(summary: &Summary, facts: &CheckFacts) -> String {
    let link = facts.link.as_deref().map(|link| format!(", over {}", plain(link)));
    format!("At {}: {}{}.", plain(&summary.target.path), plain(&facts.mount), link.unwrap_or_default())
}

/// Formats as rows and kinds of work as columns, with the rate that each stream needs, and the link
/// speed above. A page shows all formats, and the link speed below them.
fn formats(facts: &CheckFacts, width: usize, is_page: bool) -> Table {
    let formats =
        if is_page { &facts.formats } else { &facts.formats[..facts.formats.len().min(FORMATS_MAX)] };
    let link = facts.line_rate_mb_per_s.filter(|_| !is_page);
    let below = |text: &str| link.map(|_| text.to_owned());
    let cells = |of: &dyn Fn(&CheckFormat) -> String| formats.iter().map(of).chain(below("")).collect();
    let names = formats.iter().map(|format| plain_short(&format.name, width.saturating_sub(COUNT_CHARS)));
    let needed: Vec<Option<f64>> = formats.iter().map(|format| Some(format.needed_mb_per_s_each)).collect();
    let needed = numbers(&needed).into_iter().chain(link.map(number));
    let mut table = Table::new("Formats");
    table.rows = (0..formats.len()).map(|at| format!("check.formats.{at}")).collect();
    table.words("streams without a late frame", names.chain(below("approximate link speed")).collect());
    table.column("", "play", cells(&|format| marked(format.play.as_ref()))).at("play.streams");
    table.column("", "record", cells(&|format| marked(format.record.as_ref()))).at("record.streams");
    table.column("needs", "MB/s", needed.collect()).at("needed_mb_per_s_each");
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

/// `✓ 31 ± 1`, `✓ at least 40`, `✗ 0`, `✗ 0 ± 3`. A count that was not sustained for long enough has no
/// tick: `40 ± 2 for 1.4 s`.
pub(crate) fn marked(found: Option<&CheckCount>) -> String {
    let Some(found) = found else { return "not measured".to_owned() };
    match (found.streams, found.at_least) {
        (0, true) => with_error(found),
        (0, false) => format!("✗ {}", with_error(found)),
        _ if !found.is_sustained() => with_error(found) + &for_how_long(found),
        _ => format!("✓ {}", with_error(found)),
    }
}

/// "At least 0" is always true, so it counts as unknown.
pub(crate) fn is_not_known(found: &CheckCount) -> bool {
    found.at_least && found.streams == 0
}

/// `31 ± 1`, `at least 40`. A count that is no certain bound is not shown as `at least`.
fn with_error(found: &CheckCount) -> String {
    if is_not_known(found) {
        return "unknown".to_owned();
    }
    let streams = count(u64::from(found.streams));
    let at_least = if found.at_least && found.is_sustained() { "at least " } else { "" };
    match found.stated_error() {
        None => format!("{at_least}{streams}"),
        Some(error) => format!("{at_least}{streams} ± {}", count(u64::from(error))),
    }
}

/// `3 limits (1 play, 2 record) are lower than the rate of other loads suggests. …`, for counts that are
/// smaller than other counts or the sequential rates suggest.
fn own_limits(facts: &CheckFacts) -> Option<String> {
    let own = |found: &Option<CheckCount>| found.as_ref().is_some_and(|found| found.own_limit);
    let plays = facts.formats.iter().filter(|format| own(&format.play));
    let records = facts.formats.iter().filter(|format| own(&format.record));
    let found: Vec<(&CheckFormat, &str)> =
        plays.map(|format| (format, "play")).chain(records.map(|format| (format, "record"))).collect();
    let (which, them) = match found.as_slice() {
        [] => return None,
        [(format, work)] => (format!("The limit of {} ({work}) is", plain_short(&format.name, 60)), "it"),
        several => {
            let works = limit::by_work(facts, |count| count.own_limit);
            (format!("{} limits ({}) are", several.len(), limit::works_words(works)), "them")
        }
    };
    Some(format!("{which} lower than the rate of other loads suggests. A second trial confirmed {them}."))
}

/// Remarks on the sequential rates: they began with a burst, rose, or did not settle.
fn rate_words(facts: &CheckFacts) -> impl Iterator<Item = String> {
    let rates = [
        ("Reads", &facts.sequential_reads, Ticks::of(facts, "play", |format| format.play.as_ref())),
        ("Writes", &facts.sequential_writes, Ticks::of(facts, "record", |format| format.record.as_ref())),
    ];
    rates.into_iter().filter_map(|(what, rate, ticks)| trend_words(what, rate.as_ref()?, ticks))
}

/// The number of counts of one kind of work with a tick, of those that can have one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Ticks {
    /// The header of their table column.
    column: &'static str,
    ticked: usize,
    all: usize,
}

impl Ticks {
    fn of(
        facts: &CheckFacts,
        column: &'static str,
        work: impl Fn(&CheckFormat) -> Option<&CheckCount>,
    ) -> Ticks {
        let counts: Vec<&CheckCount> =
            facts.formats.iter().filter_map(work).filter(|found| found.streams > 0).collect();
        let ticked = counts.iter().filter(|found| found.is_sustained()).count();
        Ticks { column, ticked, all: counts.len() }
    }

    /// What a rate that did not settle means for the counts. Counts with a tick were sustained, or
    /// others with the same demand were.
    fn words(self) -> String {
        let column = self.column;
        match self.ticked {
            _ if self.all == 0 => String::new(),
            0 => format!(" So no count in column \"{column}\" has a tick."),
            _ => format!(
                " Counts with a tick in column \"{column}\" were tested with streams; they are not \
                 calculated from this rate."
            ),
        }
    }
}

/// `Reads began at 480 MB/s and fell to 250 MB/s: …`; `None` for a steady rate.
fn trend_words(what: &str, rate: &SustainedRate, ticks: Ticks) -> Option<String> {
    let (level, other) = (number(rate.mb_per_s), rate.other_mb_per_s.map(number));
    let held = moment(rate.held_s);
    Some(match (rate.trend, other) {
        (RateTrend::Burst, Some(burst)) => format!(
            "{what} began with a burst of {burst} MB/s, then {level} MB/s for {held}. Counts from short \
             trials use the lower rate."
        ),
        (RateTrend::Rose, Some(later)) => format!(
            "{what} rose from {level} MB/s to {later} MB/s while a cache filled. Counts from short trials \
             use the lower rate."
        ),
        (RateTrend::Unsettled, Some(other)) => format!(
            "{what} did not settle: {level} MB/s for {held}, but {other} MB/s at another time.{}",
            ticks.words()
        ),
        (RateTrend::Unsettled, None) => {
            format!("{what} did not settle: they were still slowing down at {level} MB/s.{}", ticks.words())
        }
        (RateTrend::Steady | RateTrend::TooShort | RateTrend::Burst | RateTrend::Rose, _) => return None,
    })
}

/// The rates of one client, compared with the link speed.
fn rates(summary: &Summary, facts: &CheckFacts) -> String {
    let mb = |rate: Option<f64>| {
        rate.map_or_else(|| "not measured".to_owned(), |rate| format!("{} MB/s", number(rate)))
    };
    let p99 = facts.random_read_ms_p99.map(|ms| format!(" (p99 {} ms)", number(ms)));
    let line = match (facts.line_rate_mb_per_s, summary.link.is_some()) {
        (None, true) => " The link speed is unknown.".to_owned(),
        // The table shows it.
        (Some(_), _) | (None, false) => String::new(),
    };
    let level = |rate: &Option<SustainedRate>, mean: Option<f64>| match rate {
        Some(rate) if rate.trend.is_sustained() => {
            format!("{} ± {} MB/s", number(rate.mb_per_s), number(rate.error_mb_per_s))
        }
        Some(_) | None => mb(mean),
    };
    format!(
        "sequential reads {}, random reads {}{}, writes {}.{line}",
        level(&facts.sequential_reads, facts.sequential_read_mb_per_s),
        mb(facts.random_read_mb_per_s),
        p99.unwrap_or_default(),
        level(&facts.sequential_writes, facts.sequential_write_mb_per_s)
    )
}

/// `The storage did not respond for 10 s while writing, starting at 31 s.`
fn standstill_words(summary: &Summary) -> Option<String> {
    let told = silence::told(summary)?;
    Some(sentence(&told, told.point.map_or("", doing)))
}

/// The activity of a load point, by its streams or else by its finished operations; empty if unknown.
fn doing(point: &LoadPoint) -> &'static str {
    let streams = point.streams.iter().flat_map(|late| &late.streams);
    let by_streams = streams.map(|stream| stream.writes).next();
    let ops = &point.total.ops_by_kind;
    match by_streams.or((ops.read != ops.write).then_some(ops.write > ops.read)) {
        Some(true) => " while writing",
        Some(false) => " while reading",
        None => "",
    }
}

/// Reasons for lower confidence in the counts, for screen and page. A short screen with doubts omits
/// general remarks.
pub(crate) fn confidence(summary: &Summary, facts: &CheckFacts, is_short: bool) -> String {
    let rates = [facts.sequential_read_mb_per_s, facts.random_read_mb_per_s, facts.sequential_write_mb_per_s];
    if facts.formats.is_empty() && rates.iter().all(Option::is_none) {
        return "nothing was measured.".to_owned();
    }
    let mut doubts = Vec::new();
    if facts.counts().filter(|found| found.streams > 0).any(|found| !found.is_sustained()) {
        doubts.push("counts without a tick were tested too briefly".to_owned());
    }
    if rate_words(facts).next().is_some() {
        doubts.push("a rate was not steady".to_owned());
    }
    if silence::told(summary).is_some() {
        doubts.push("the storage stopped responding during the check".to_owned());
    }
    if summary.load_points.iter().any(|point| point.not_measured.is_some()) {
        doubts.push("not everything could be measured".to_owned());
    }
    if let Some(judged) = facts.close_to_own_limit() {
        doubts.push(format!("this client can judge at most about {} MB/s (see selftest)", number(judged)));
    }
    doubts.extend(doubts_of(summary, &of(summary)));
    if is_short && !doubts.is_empty() {
        return format!("low: {}.", doubts.join("; "));
    }
    let begin = if doubts.is_empty() { String::new() } else { format!("low: {}. ", doubts.join("; ")) };
    // The recorders of a check overwrite files, so they need no free space, except on a file system that
    // allocates on every write.
    let records =
        facts.formats.iter().filter_map(|format| format.record.as_ref()).any(|found| found.streams > 0);
    let overwritten = if records { " Recorders overwrote files; new files can be slower." } else { "" };
    capital(&format!(
        "{begin}Measured for {}. Only longer runs show the effect of larger caches and of other \
         users.{overwritten}",
        moment(facts.looked_s)
    ))
}

#[cfg(test)]
mod tests;
