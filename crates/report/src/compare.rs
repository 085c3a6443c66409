//! Runs side by side on the terminal: the result, the most important figures, and cautions about the
//! comparison. [`markdown`] and [`junit`] have the same content for merge requests and for automation;
//! the JSON output is [`ToldComparison`] itself.
//!
//! Not here: which changes are noise ([`reelgauge_analysis::compare`]).

mod cautions;
mod headline;
mod junit;
mod markdown;
mod sections;
mod sentences;
mod systems;
#[cfg(test)]
mod tests;

pub use junit::junit;
pub use markdown::markdown;
pub use sections::{compare_sections, verdict};

use reelgauge_analysis::compare::{
    CompareError, ComparedRun, Comparison, ComparisonRow, FigureUnit, Judgement, Kinship, RunToCompare,
    Shown, compare, compare_repeats, is_about_reelgauge, is_headline, is_of_streams, suite_rows,
};
use reelgauge_analysis::naspt::NasptTable;

use serde::Serialize;

use self::systems::Property;
use crate::page::{PageWarning, ScreenText};
use crate::screen_options::Style;
use crate::sentence::{Sentence, Tone};
use crate::table::Table;
use crate::text::{plain, plain_short};
use crate::units::{count, number};

/// The judgement of a figure that got worse.
const WORSE: &str = "WORSE";

/// A short screen shows this many figures of the first load point.
const ROWS_SHOWN: usize = 8;

/// Longer tags are cut in a table.
const TAG_CHARS: usize = 14;

/// Longer labels of figures are cut.
const LABEL_CHARS_MAX: usize = 36;

/// A comparison with its sentences.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "Comparison"))]
pub struct ToldComparison {
    /// The figures, without sentences.
    #[serde(flatten)]
    pub comparison: Comparison,
    /// The number of streams or the rate of each run, in one line; `None` if the runs have no such
    /// figure in common.
    pub headline: Option<String>,
    /// Differences that make the runs hard to compare.
    pub cautions: Vec<String>,
    /// The result: which figures improved, which got worse, and which are within the noise.
    pub sentences: Vec<Sentence>,
}

/// Compares runs with the first of them, with numbers as every screen shows them. See
/// [`reelgauge_analysis::compare::compare`].
///
/// # Errors
/// If the number of runs is not valid.
pub fn comparison(runs: &[RunToCompare<'_>], repeats: Option<usize>) -> Result<ToldComparison, CompareError> {
    let comparison = compare(runs, repeats, &show)?;
    let cautions = cautions::cautions(runs, &comparison.runs);
    let sentences = sentences::sentences(&comparison);
    let headline = headline::headline(&comparison);
    Ok(ToldComparison { comparison, headline, cautions, sentences })
}

/// Compares groups of repeated runs: `repeats` consecutive runs form one side. See
/// [`reelgauge_analysis::compare::compare_repeats`].
///
/// # Errors
/// If the sides do not have equally many runs.
pub fn sides(runs: &[RunToCompare<'_>], repeats: usize) -> Result<Comparison, CompareError> {
    compare_repeats(runs, repeats, &show)
}

/// The rows of suites, with `repeats` consecutive suites on each side. See
/// [`reelgauge_analysis::compare::suite_rows`].
///
/// # Errors
/// If the number of suites is not valid.
pub fn suite_sides(suites: &[&NasptTable], repeats: usize) -> Result<Vec<ComparisonRow>, CompareError> {
    suite_rows(suites, repeats, &show)
}

/// Keeps the figures with a chosen name, and restricts the result to them.
pub fn keep(told: &mut ToldComparison, chosen: &dyn Fn(&str) -> bool) {
    told.comparison.rows.retain(|row| chosen(&row.figure));
    told.sentences = sentences::sentences(&told.comparison);
    told.headline = headline::headline(&told.comparison);
}

/// The comparison as data for other programs: each label has the unit of its values, and each text has
/// its own unit.
pub fn as_data(told: &ToldComparison) -> ToldComparison {
    let mut told = told.clone();
    for row in &mut told.comparison.rows {
        let unit = row.label.unit;
        if unit.is_empty() {
            continue;
        }
        let with_unit = |(text, value): (&String, &Option<f64>)| match value {
            Some(_) => format!("{text} {unit}"),
            None => text.clone(),
        };
        row.texts = row.texts.iter().zip(&row.values).map(with_unit).collect();
        row.label.unit = own_unit(row.unit).unwrap_or(unit);
    }
    told
}

/// The unit of the raw values, if screens show them in another one.
fn own_unit(unit: FigureUnit) -> Option<&'static str> {
    match unit {
        FigureUnit::BytesPerS => Some("bytes/s"),
        FigureUnit::Us => Some("µs"),
        _ => None,
    }
}

/// A value in this unit, without the unit, with its uncertainty.
fn show(unit: FigureUnit, value: Shown) -> String {
    match value {
        Shown::Exactly(value) => say(unit, value),
        Shown::AtLeast(value) => format!("{} or more", say(unit, value)),
        Shown::Between(low, high) => format!("{} to {}", say(unit, low), say(unit, high)),
    }
}

/// A value in this unit as screens show it, without the unit.
pub(crate) fn say(unit: FigureUnit, value: f64) -> String {
    match unit {
        FigureUnit::Verdict => if value > 0.0 { "met" } else { "not met" }.to_owned(),
        FigureUnit::BytesPerS => number(value / 1e6),
        FigureUnit::Us => number_signed(value / 1e3),
        FigureUnit::MbPerS | FigureUnit::PerS | FigureUnit::SmallUs | FigureUnit::Ms | FigureUnit::S => {
            number_signed(value)
        }
        // A mean over several passes may have a fraction.
        FigureUnit::Count | FigureUnit::Streams if value.fract() != 0.0 => number_signed(value),
        FigureUnit::Count | FigureUnit::Streams => count(value.max(0.0) as u64),
    }
}

/// From this noise on, in percent, a change in percent is meaningless, and the two values are shown
/// instead.
const NOISE_TOLD_PERCENT: f64 = 100.0;

/// Whether a change is shown with its noise. If the noise exceeds the figure itself, the values are
/// shown instead.
pub(crate) fn is_noise_told(row: &ComparisonRow, run: usize) -> bool {
    row.noise_percent[run].is_none_or(|noise| noise < NOISE_TOLD_PERCENT)
}

/// The user's name for a run: the tags that not all runs have. `None` if it has no such tag.
pub(crate) fn name_of(run: &ComparedRun) -> Option<String> {
    let tags = run.distinguishing_tags.join(", ");
    (!tags.trim().is_empty()).then_some(tags)
}

/// The value of a figure in the first run and in another one. If several runs form a side, these are the
/// means of both sides, because the change is computed from the means. A range has no mean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SaidValues {
    first: String,
    other: String,
    are_means: bool,
}

impl SaidValues {
    /// `180, then 142`, `on average 181, then 140`.
    pub(crate) fn then(&self) -> String {
        let average = if self.are_means { "on average " } else { "" };
        format!("{average}{}, then {}", self.first, self.other)
    }

    /// `24.0 ms, then 856 ms`, with the unit on both values.
    pub(crate) fn with_units(&self, unit: &str) -> String {
        let average = if self.are_means { "on average " } else { "" };
        format!("{average}{}{unit}, then {}{unit}", self.first, self.other)
    }
}

/// The two values of a figure to show for a run.
pub(crate) fn said_values(comparison: &Comparison, row: &ComparisonRow, run: usize) -> SaidValues {
    let mean_of_side = |of: usize| {
        let side = comparison.runs.get(of)?.side;
        let runs = comparison.runs.iter().zip(&row.values).filter(|(one, _)| one.side == side);
        let values = runs.map(|(_, value)| *value).collect::<Option<Vec<f64>>>()?;
        Some((values.iter().sum::<f64>() / values.len() as f64, values.len()))
    };
    let is_range = |of: usize| row.values[of].is_none_or(|value| say(row.unit, value) != row.texts[of]);
    match (mean_of_side(0), mean_of_side(run)) {
        (Some((one, runs)), Some((other, others)))
            if runs.max(others) > 1
                && row.unit != FigureUnit::Verdict
                && row.change_percent[run].is_some()
                && !is_range(0)
                && !is_range(run) =>
        {
            SaidValues { first: say(row.unit, one), other: say(row.unit, other), are_means: true }
        }
        _ => SaidValues { first: row.texts[0].clone(), other: row.texts[run].clone(), are_means: false },
    }
}

/// [`number`] drops the sign of a value just below 0.
fn number_signed(value: f64) -> String {
    if value < 0.0 { format!("-{}", number(-value)) } else { number(value) }
}

/// The comparison as text, ending with a line feed. `all`: also the figures that did not change.
pub fn compare_screen(told: &ToldComparison, all: bool, style: Style) -> String {
    let comparison = &told.comparison;
    let mut page = ScreenText::new(Style { is_short: style.is_short && !all, ..style });
    let headline = told.headline.iter().map(|headline| (Tone::Answer, plain(headline)));
    let sentences = told.sentences.iter().map(|sentence| (sentence.tone, plain(&sentence.text)));
    page.result(&headline.chain(sentences).collect::<Vec<_>>());
    if page.is_short {
        page.labelled("Confidence", Tone::Plain, confidence(comparison));
    }
    let shown = shown(comparison, all);
    for (at, group) in groups(&shown).into_iter().enumerate() {
        let rows: Vec<&ComparisonRow> = shown.iter().filter(|row| row.group == group).copied().collect();
        let most = if page.is_short { ROWS_SHOWN } else { rows.len() };
        let (first, more) = rows.split_at(most.min(rows.len()));
        let part = |page: &mut ScreenText, rows: &[&ComparisonRow]| {
            let lines = table(comparison, rows, page.width, false).lines(page.width);
            page.lines(if style.colour { lines.iter().map(|line| painted(line)).collect() } else { lines });
        };
        let whole = |page: &mut ScreenText| {
            page.gap();
            page.heading(&heading(group));
            part(page, first);
        };
        if at == 0 {
            whole(&mut page)
        } else {
            page.detail(whole)
        }
        if !more.is_empty() {
            page.detail(|page| part(page, more));
        }
    }
    page.detail(|page| show_differing_systems(comparison, all, page));
    page.gap();
    let caution = |text: &String| PageWarning { short: None, whole: plain(text) };
    page.warnings(&told.cautions.iter().map(caution).collect::<Vec<_>>());
    page.detail(|page| {
        page.gap();
        show_runs(comparison, all, comparison.rows.len() - shown.len(), page);
    });
    if page.is_short {
        page.omitted(["add --details"; 2]);
        page.item("Next", next_step(comparison));
    }
    page.text
}

/// How far the result can be trusted.
fn confidence(comparison: &Comparison) -> &'static str {
    match comparison.has_repeats() {
        true => "the noise is the spread among the repeated runs.",
        false => "limited: noise between runs is unknown.",
    }
}

fn next_step(comparison: &Comparison) -> &'static str {
    let is = |kinship: Kinship| comparison.runs.iter().any(|run| run.kinship == kinship);
    match comparison.has_repeats() {
        _ if is(Kinship::OtherWork) || is(Kinship::Itself) => {
            "Compare runs of the same work; to repeat one: reelgauge run RUN/run.toml"
        }
        // A check has no plan that a command could repeat.
        _ if is(Kinship::OtherPlan) && comparison.runs.iter().any(|run| run.verb == "check") => {
            "Repeat both checks with the same flags: reelgauge check PATH"
        }
        _ if is(Kinship::OtherPlan) => "Repeat both runs with one plan: reelgauge run RUN/run.toml",
        false => "Compare three runs before and three after the change: add --repeats 3",
        true => "To see every figure: add --all",
    }
}

fn show_differing_systems(comparison: &Comparison, all: bool, page: &mut ScreenText) {
    let systems = systems::properties(comparison, all);
    if !systems.is_empty() {
        page.gap();
        page.heading("Systems");
        show_systems(&systems, comparison.runs.len(), page);
    }
}

/// The runs, and anything about them that the tables omit.
fn show_runs(comparison: &Comparison, all: bool, hidden: usize, page: &mut ScreenText) {
    for (at, run) in comparison.runs.iter().enumerate() {
        page.item(&format!("Run {}", at + 1), &plain_short(&of_run(run), 300));
    }
    let alone = of_one_run(comparison);
    if !alone.is_empty() && !all {
        page.item("Not in all runs", &plain_short(&alone.join(", "), 300));
    }
    if hidden > 0 {
        page.item("Not shown", &format!("{}; --all shows them", figures(hidden)));
    }
}

/// The systems side by side, or property by property if the width is too small.
fn show_systems(properties: &[Property], runs: usize, page: &mut ScreenText) {
    let table = property_table("Systems", &properties.iter().collect::<Vec<_>>(), runs);
    if table.width() <= page.width {
        page.table(table);
        return;
    }
    for property in properties {
        let first = property.shown(0);
        let is_same = (1..runs).all(|run| property.shown(run) == first);
        let each = (0..runs).map(|run| format!("run {}: {}", run + 1, property.shown(run)));
        let text = if is_same { first.clone() } else { each.collect::<Vec<_>>().join("; ") };
        page.item(&plain(&property.name), &text);
    }
}

/// A row for each property, a column for each run.
fn property_table(caption: &str, properties: &[&Property], runs: usize) -> Table {
    let mut table = Table::new(caption);
    table.column("", "", properties.iter().map(|property| plain(&property.name)).collect());
    for run in 0..runs {
        let cells = properties.iter().map(|property| property.shown(run)).collect();
        table.words(&format!("run {}", run + 1), cells);
    }
    table
}

/// The line about a run: `2026-…-edit; mix on /mnt/nas, 2026-11-20T15:40:12Z; tags smb, before`.
fn of_run(run: &ComparedRun) -> String {
    let started = match run.started_at.split_once('.') {
        Some((seconds, _)) => format!("{seconds}Z"),
        None if run.started_at.is_empty() => "at an unknown time".to_owned(),
        None => run.started_at.clone(),
    };
    let tags = if run.tags.is_empty() { String::new() } else { format!("; tags {}", run.tags.join(", ")) };
    format!("{}; {} on {}, {started}{tags}", run.id, run.verb, run.target)
}

/// The load points that exist in only one of the runs.
fn of_one_run(comparison: &Comparison) -> Vec<&str> {
    let rows: Vec<&ComparisonRow> = comparison.rows.iter().collect();
    let is_alone = |group: &&str| {
        let mut of_group = rows.iter().filter(|row| row.group == **group);
        !group.is_empty() && of_group.all(|row| row.values.iter().flatten().count() < 2)
    };
    groups(&rows).into_iter().filter(is_alone).collect()
}

fn figures(count: usize) -> String {
    crate::units::counted(count as u64, "figure")
}

/// The figures to show: all of them, or only the changed ones plus the meaningful ones among those that
/// storage is judged by.
fn shown(comparison: &Comparison, all: bool) -> Vec<&ComparisonRow> {
    let changed = |judgement: &Judgement| {
        matches!(judgement, Judgement::Better | Judgement::Worse | Judgement::Different)
    };
    // A figure that only one run has cannot be compared.
    let says_something = |row: &ComparisonRow| {
        let is_not_zero = row.values.iter().flatten().any(|value| *value != 0.0);
        row.values.iter().flatten().count() > 1 && (is_not_zero || is_of_streams(&row.figure))
    };
    let is_demand = |row: &ComparisonRow| row.judgement.contains(&Judgement::Demand);
    let matters = |row: &ComparisonRow| {
        row.judgement.iter().any(changed) && !is_about_reelgauge(&row.figure)
            || is_headline(&row.figure) && says_something(row) && !is_demand(row)
    };
    comparison.rows.iter().filter(|row| all || matters(row)).collect()
}

/// The load points in the order of their rows. The whole run has the empty name.
fn groups<'a>(rows: &[&'a ComparisonRow]) -> Vec<&'a str> {
    let mut groups: Vec<&str> = Vec::new();
    for row in rows {
        if !groups.contains(&row.group.as_str()) {
            groups.push(&row.group);
        }
    }
    groups
}

fn heading(group: &str) -> String {
    if group.is_empty() { "The whole run".to_owned() } else { plain_short(group, 60) }
}

/// The judgement on a figure of a run, as screens name it.
fn word(row: &ComparisonRow, run: usize) -> &'static str {
    match row.judgement[run] {
        Judgement::Base => "",
        // Events and criteria have no noise in percent.
        Judgement::Same if is_of_streams(&row.figure) && row.noise_percent[run].is_none() => "same",
        Judgement::Same => "within noise",
        Judgement::Better => "better",
        Judgement::Worse => WORSE,
        Judgement::Different => "different",
        Judgement::Unknown => "unknown",
        Judgement::Demand => "demand",
        Judgement::OtherPlan => "other work",
    }
}

/// A row for each figure. On a page, figures of all load points are in one table.
fn table(comparison: &Comparison, rows: &[&ComparisonRow], width: usize, is_page: bool) -> Table {
    let chars = width.saturating_sub(20).clamp(12, LABEL_CHARS_MAX);
    let mut table = Table::default();
    table.column("", "", rows.iter().map(|row| plain_short(&row.label.to_string(), chars)).collect());
    if is_page {
        table.name("load point", rows.iter().map(|row| heading(&row.group)).collect());
    }
    for (at, run) in comparison.runs.iter().enumerate() {
        let tags = name_of(run).map_or_else(String::new, |tags| plain_short(&tags, TAG_CHARS));
        let texts = rows.iter().map(|row| plain(&row.texts[at])).collect();
        table.column(&tags, &format!("run {}", at + 1), texts).at(format!("values.{at}"));
    }
    let others = comparison.others();
    for &run in &others {
        let whose = if others.len() > 1 { whose(comparison, run) } else { String::new() };
        let percent = |of: &dyn Fn(&ComparisonRow) -> Option<f64>, show: fn(f64) -> String| {
            rows.iter().map(|row| of(row).map_or_else(|| "-".to_owned(), show)).collect::<Vec<_>>()
        };
        let change = |row: &ComparisonRow| row.change_percent[run].filter(|_| is_noise_told(row, run));
        table.column(&whose, "change", percent(&change, signed)).at(format!("change_percent.{run}"));
        table
            .column("", "noise", percent(&|row| row.noise_percent[run], noise_words))
            .at(format!("noise_percent.{run}"))
            .help("How much of the change may be chance, estimated from the runs.");
        table.column("", "", rows.iter().map(|row| word(row, run).to_owned()).collect());
    }
    table
}

/// `run 2`, or `2, 3`: the runs whose change a column contains.
fn whose(comparison: &Comparison, run: usize) -> String {
    let runs = (0..comparison.runs.len()).filter(|&other| comparison.side(other) == comparison.side(run));
    let numbers: Vec<String> = runs.map(|run| (run + 1).to_string()).collect();
    if numbers.len() == 1 { format!("run {}", numbers[0]) } else { format!("runs {}", numbers.join(",")) }
}

/// The line with its judgements in colour.
fn painted(line: &str) -> String {
    let line = line.replace(WORSE, "\u{1b}[1;31mWORSE\u{1b}[0m");
    line.replace("  better", "  \u{1b}[32mbetter\u{1b}[0m")
}

/// A change as all screens show it: `+20 %`, `-3.4 %`.
fn signed(percent: f64) -> String {
    let sign = if percent < 0.0 { "-" } else { "+" };
    format!("{sign}{}", unsigned(percent.abs()))
}

/// A noise: `4.0 %`. Noise larger than the figure itself is shown without a number.
fn noise_words(percent: f64) -> String {
    if percent < NOISE_TOLD_PERCENT { unsigned(percent) } else { "over 100 %".to_owned() }
}

/// `20 %`, `3.4 %`.
fn unsigned(percent: f64) -> String {
    if percent < 9.95 { format!("{percent:.1} %") } else { format!("{percent:.0} %") }
}
