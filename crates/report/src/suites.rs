//! Several suites side by side: the data of their page, and the same as text and CSV.
//!
//! Not here: a single suite as text ([`crate::suite`]), and the definition of the figures
//! ([`reelgauge_analysis::suites`]).

use reelgauge_analysis::naspt::{MeanPair, NasptTable};
use reelgauge_analysis::suites::{SuitesMean, SuitesRow, SuitesTable};
use serde::Serialize;

use crate::document::{Block, Section};
use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::suite::{group_words, over_words, row_doubts, suite_comparison_sentence, suite_sentence};
use crate::table::Table;
use crate::tables::not_measured;
use crate::text::{display_width, plain};
use crate::units::{count, counted, fixed, mb_per_s};

/// A table shows a suite with a longer name by its number; the name is below the table.
const NAME_CHARS: usize = 18;

/// A suite for the page.
#[derive(Clone, Debug)]
pub struct SuiteToShow<'a> {
    /// Name of its directory.
    pub id: String,
    /// The suite's name: "naspt".
    pub name: &'a str,
    /// The target that was measured.
    pub target: String,
    /// Passes of each workload.
    pub passes: u32,
    /// When operations were issued: "max", "recorded".
    pub pace: String,
    /// The planned number of workloads.
    pub wanted: usize,
    /// Why it has fewer workloads than planned.
    pub ended_early: Option<&'a str>,
    /// The storage, as text.
    pub storage: Option<String>,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// The results of its workloads.
    pub table: &'a NasptTable,
}

/// Suites side by side. Lists with an entry for each suite are in the order of `suites`; ratios are to
/// the first.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuitesPage {
    /// The suites.
    pub suites: Vec<SuiteFacts>,
    /// The result: a sentence for a single suite, or one for each suite other than the first.
    pub sentences: Vec<String>,
    /// Reasons that make the suites hard to compare, or the figures doubtful.
    pub cautions: Vec<String>,
    /// A line for each workload.
    pub rows: Vec<SuitesLine>,
    /// Means of each group.
    pub means: Vec<SuitesMeanLine>,
}

/// A suite.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuiteFacts {
    /// Name of its directory.
    pub id: String,
    /// Its name in charts: its tags that the others lack, else its storage, else its directory.
    pub label: String,
    /// The suite's name: "naspt".
    pub name: String,
    /// The target that was measured.
    pub target: String,
    /// Passes of each workload.
    pub passes: u32,
    /// When operations were issued: "max", "recorded".
    pub pace: String,
    /// The planned number of workloads.
    pub wanted: usize,
    /// Why it has fewer workloads than planned.
    pub ended_early: Option<String>,
    /// The storage, as text.
    pub storage: Option<String>,
    /// Tags to find it by.
    pub tags: Vec<String>,
    /// Its result, as a sentence.
    pub sentence: String,
}

/// The results of a workload in each suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuitesLine {
    /// The name of the workload.
    pub workload: String,
    /// The name of its group.
    pub group: String,
    /// The median of its passes; `None` if no pass counts.
    pub bytes_per_s: Vec<Option<f64>>,
    /// The ratios to the first suite.
    pub times_first: Vec<Option<f64>>,
    /// Each pass of each suite; `None` for a pass that does not count.
    pub passes_bytes_per_s: Vec<Vec<Option<f64>>>,
    /// The doubts of its run, in one or two words; `-` for none.
    pub doubts: Vec<String>,
}

/// Means of a group in each suite.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
pub struct SuitesMeanLine {
    /// The workloads that the means are taken over: `NASPT, 12 workloads`.
    pub over: String,
    /// The geometric mean; `None` unless the suite has every workload of the group.
    pub geometric_bytes_per_s: Vec<Option<f64>>,
    /// The arithmetic mean over the same workloads.
    pub arithmetic_bytes_per_s: Vec<Option<f64>>,
    /// The geometric mean of the ratios to the first suite, over the workloads that both have.
    pub geometric_times_first: Vec<Option<f64>>,
    /// The arithmetic mean of these ratios, as the paper's Table 2 prints it.
    pub arithmetic_times_first: Vec<Option<f64>>,
    /// The number of workloads that both have.
    pub compared: Vec<usize>,
}

/// The page of suites.
pub fn suites_page(suites: &[SuiteToShow<'_>]) -> SuitesPage {
    let tables: Vec<&NasptTable> = suites.iter().map(|suite| suite.table).collect();
    let table = SuitesTable::of(&tables);
    SuitesPage {
        sentences: sentences(suites),
        cautions: cautions(suites),
        rows: table.rows.iter().map(|row| line(row, &tables)).collect(),
        means: table.means.iter().map(mean_line).collect(),
        suites: suites.iter().map(|suite| facts(suite, suites)).collect(),
    }
}

fn facts(suite: &SuiteToShow<'_>, all: &[SuiteToShow<'_>]) -> SuiteFacts {
    let is_own = |tag: &&String| !all.iter().all(|other| other.tags.contains(tag));
    let own: Vec<&str> = suite.tags.iter().filter(is_own).map(String::as_str).collect();
    let by_tags = (!own.is_empty()).then(|| own.join(", "));
    let is_alone =
        |words: &String| all.iter().filter(|other| other.storage.as_ref() == Some(words)).count() == 1;
    let by_storage = || suite.storage.clone().filter(is_alone);
    SuiteFacts {
        id: suite.id.clone(),
        label: by_tags.or_else(by_storage).unwrap_or_else(|| suite.id.clone()),
        name: suite.name.to_owned(),
        target: suite.target.clone(),
        passes: suite.passes,
        pace: suite.pace.clone(),
        wanted: suite.wanted,
        ended_early: suite.ended_early.map(ToOwned::to_owned),
        storage: suite.storage.clone(),
        tags: suite.tags.clone(),
        sentence: suite_sentence(suite.name, &suite.target, suite.table),
    }
}

/// For one suite its result; for several the ratio of each to the first.
fn sentences(suites: &[SuiteToShow<'_>]) -> Vec<String> {
    let Some((first, others)) = suites.split_first() else { return Vec::new() };
    if others.is_empty() {
        return vec![suite_sentence(first.name, &first.target, first.table)];
    }
    let sentence = |other: &SuiteToShow<'_>| {
        let ratios = other.table.ratios_to(first.table);
        match others.len() {
            1 => suite_comparison_sentence(&first.id, &ratios),
            _ => format!("{}: {}", plain(&other.id), suite_comparison_sentence(&first.id, &ratios)),
        }
    };
    others.iter().map(sentence).collect()
}

fn cautions(suites: &[SuiteToShow<'_>]) -> Vec<String> {
    let mut cautions = Vec::new();
    for suite in suites {
        if let Some(why) = suite.ended_early {
            cautions.push(format!(
                "{}: only {} of {} workloads ran: {}.",
                plain(&suite.id),
                suite.table.rows.len(),
                suite.wanted,
                plain(why).trim_end_matches('.')
            ));
        }
        let discarded: usize = suite.table.rows.iter().map(|row| row.discarded()).sum();
        if discarded > 0 {
            cautions.push(format!(
                "{}: {} not counted, because some operations had results that differ from the recording.",
                plain(&suite.id),
                counted(discarded as u64, "pass")
            ));
        }
    }
    let differ =
        |of: &dyn Fn(&SuiteToShow<'_>) -> String| suites.windows(2).any(|pair| of(&pair[0]) != of(&pair[1]));
    if differ(&|suite| suite.passes.to_string()) {
        cautions.push("The suites have different numbers of passes.".to_owned());
    }
    if differ(&|suite| suite.pace.clone()) {
        cautions.push("The suites were replayed at different paces.".to_owned());
    }
    cautions
}

fn line(row: &SuitesRow, tables: &[&NasptTable]) -> SuitesLine {
    let found = |table: &&NasptTable| table.rows.iter().find(|one| one.workload == row.workload).cloned();
    let rows: Vec<_> = tables.iter().map(found).collect();
    let passes = |row: &Option<reelgauge_analysis::naspt::NasptRow>| {
        row.iter().flat_map(|row| &row.passes).map(|pass| pass.bytes_per_s()).collect()
    };
    SuitesLine {
        workload: row.workload.clone(),
        group: group_words(row.group).to_owned(),
        bytes_per_s: row.bytes_per_s.clone(),
        times_first: row.times_first.clone(),
        passes_bytes_per_s: rows.iter().map(passes).collect(),
        doubts: rows.iter().map(|row| row.as_ref().map_or_else(|| "-".to_owned(), row_doubts)).collect(),
    }
}

fn mean_line(mean: &SuitesMean) -> SuitesMeanLine {
    let each = |means: &[Option<MeanPair>], of: fn(MeanPair) -> f64| -> Vec<Option<f64>> {
        means.iter().map(|means| means.map(of)).collect()
    };
    SuitesMeanLine {
        over: format!("{}, {}", over_words(mean.over), counted(mean.workloads as u64, "workload")),
        geometric_bytes_per_s: each(&mean.bytes_per_s, |means| means.geometric),
        arithmetic_bytes_per_s: each(&mean.bytes_per_s, |means| means.arithmetic),
        geometric_times_first: each(&mean.times_first, |means| means.geometric),
        arithmetic_times_first: each(&mean.times_first, |means| means.arithmetic),
        compared: mean.compared.clone(),
    }
}

/// The suites as text, ending with a line feed.
pub fn suites_screen(suites: &SuitesPage, style: Style) -> String {
    let mut page = ScreenText::new(style);
    suites.sentences.iter().for_each(|sentence| page.sentence(Tone::Answer, sentence));
    page.gap();
    page.lines(medians(suites, false).lines(page.width));
    page.gap();
    page.lines(means(suites, false).lines(page.width));
    page.gap();
    suites.cautions.iter().for_each(|caution| page.warning(caution));
    for (number, suite) in (1..).zip(&suites.suites) {
        let label =
            if suite.label == suite.id { String::new() } else { format!(" ({})", plain(&suite.label)) };
        page.item(
            &format!("Suite {number}"),
            &format!("{}{label}, {}", plain(&suite.id), plain(&suite.target)),
        );
    }
    page.text
}

/// The sections of a page after the result. The page draws its bars.
pub fn suites_sections(suites: &SuitesPage) -> Vec<Section> {
    let is_one = suites.suites.len() == 1;
    let about = "The median of each workload's passes: bytes read and written, per second of the whole pass.";
    let mut workloads = Section::of_page("bars", "Workloads", about);
    workloads.blocks = vec![Block::PageChart("bars".to_owned()), Block::Table(medians(suites, true))];
    let about = match is_one {
        true => {
            "The geometric mean does not depend on whether workloads or suites are averaged first. The paper \
             prints arithmetic means of ratios."
        }
        false => {
            "Means of each workload's ratio to suite 1, over the workloads that both have. The paper's Table \
             2 prints arithmetic means. With these, each of two storage systems can appear faster than the \
             other. With geometric means this cannot happen."
        }
    };
    let mut averaged = Section::of_page("means", "Means", about);
    averaged.blocks.push(Block::Table(means(suites, true)));
    let mut measured = Section::of_page("suites", if is_one { "Suite" } else { "Suites" }, "");
    measured.blocks.push(Block::Table(facts_table(suites)));
    vec![workloads, averaged, measured]
}

/// The configuration of each suite, and the place where it ran.
fn facts_table(suites: &SuitesPage) -> Table {
    let words = |of: &dyn Fn(&SuiteFacts) -> String| -> Vec<String> {
        let dashed = |text: String| if text.is_empty() { not_measured() } else { plain(&text) };
        suites.suites.iter().map(|suite| dashed(of(suite))).collect()
    };
    let mut table = Table::new("Suites");
    table.words("suite", (1..).zip(words(&|suite| suite.id.clone())).map(numbered).collect());
    table.words("target", words(&|suite| suite.target.clone()));
    table.words("storage", words(&|suite| suite.storage.as_deref().map_or_else(String::new, str::to_owned)));
    table.words("tags", words(&|suite| suite.tags.join(", ")));
    table.column("", "passes", words(&|suite| count(suite.passes.into())));
    table.words("pace", words(&|suite| suite.pace.clone()));
    table.words("mean", words(&|suite| suite.sentence.clone()));
    table
}

fn numbered((number, text): (usize, String)) -> String {
    format!("{number}: {text}")
}

/// The header of a suite's column.
fn column(suites: &SuitesPage, at: usize) -> String {
    let label = plain(&suites.suites[at].label);
    match suites.suites.len() {
        1 => "median".to_owned(),
        _ if display_width(&label) > NAME_CHARS => format!("suite {}", at + 1),
        _ => format!("{} {label}", at + 1),
    }
}

/// A row for each workload. A page also has its group, its passes if there is only one suite, and its
/// doubts.
fn medians(suites: &SuitesPage, is_page: bool) -> Table {
    let mut table = Table::new("Workloads");
    table.rows = (0..suites.rows.len()).map(|at| format!("rows.{at}")).collect();
    table.column("", "workload", suites.rows.iter().map(|row| plain(&row.workload)).collect());
    if is_page {
        table.name("group", suites.rows.iter().map(|row| row.group.clone()).collect());
    }
    for at in 0..suites.suites.len() {
        let cells = suites.rows.iter().map(|row| cell(row.bytes_per_s[at], mb_per_s)).collect();
        table.column(&column(suites, at), "MB/s", cells).at(format!("bytes_per_s.{at}"));
    }
    for at in 1..suites.suites.len() {
        let cells =
            suites.rows.iter().map(|row| cell(row.times_first[at], |times| fixed(times, 2))).collect();
        table.column(&format!("{} as", at + 1), "times 1", cells).at(format!("times_first.{at}"));
    }
    if is_page && suites.suites.len() == 1 {
        let passes = suites.rows.iter().map(|row| {
            let passes = row.passes_bytes_per_s[0].iter().map(|pass| cell(*pass, mb_per_s));
            passes.collect::<Vec<_>>().join(", ")
        });
        table.words("passes, MB/s", passes.collect());
    }
    let doubts: Vec<String> = suites.rows.iter().map(doubts).collect();
    if is_page && doubts.iter().any(|doubt| *doubt != not_measured()) {
        table.words("doubts", doubts);
    }
    table
}

/// `client cache`, or with the numbers of the suites: `1: client cache; 3: memory`.
fn doubts(row: &SuitesLine) -> String {
    let doubts = (1..).zip(row.doubts.clone()).filter(|(_, doubt)| *doubt != not_measured());
    let doubts: Vec<String> = match row.doubts.len() {
        1 => doubts.map(|(_, doubt)| doubt).collect(),
        _ => doubts.map(numbered).collect(),
    };
    if doubts.is_empty() { not_measured() } else { doubts.join("; ") }
}

/// Both means of each group: of rates for one suite, of ratios for several. A page has space for both,
/// and for the number of compared workloads.
fn means(suites: &SuitesPage, is_page: bool) -> Table {
    let mut table = Table::new("Means");
    table.rows = (0..suites.means.len()).map(|at| format!("means.{at}")).collect();
    table.column("", "mean over", suites.means.iter().map(|mean| mean.over.clone()).collect());
    let each = |values: fn(&SuitesMeanLine) -> &Vec<Option<f64>>, at: usize, say: fn(f64) -> String| {
        suites.means.iter().map(|mean| cell(values(mean)[at], say)).collect::<Vec<String>>()
    };
    let many = suites.suites.len();
    for at in (0..many).filter(|_| is_page || many == 1) {
        let name = |mean: &str| if many == 1 { mean.to_owned() } else { format!("{} {mean}", at + 1) };
        let cells = each(|mean| &mean.geometric_bytes_per_s, at, mb_per_s);
        table.column(&name("geometric"), "MB/s", cells).at(format!("geometric_bytes_per_s.{at}"));
        let cells = each(|mean| &mean.arithmetic_bytes_per_s, at, mb_per_s);
        table.column(&name("arithmetic"), "MB/s", cells).at(format!("arithmetic_bytes_per_s.{at}"));
    }
    let times = |times: f64| fixed(times, 2);
    for at in 1..suites.suites.len() {
        let number = at + 1;
        let cells = each(|mean| &mean.geometric_times_first, at, times);
        table
            .column(&format!("{number} geometric"), "times 1", cells)
            .at(format!("geometric_times_first.{at}"));
        let cells = each(|mean| &mean.arithmetic_times_first, at, times);
        table
            .column(&format!("{number} arithmetic"), "times 1", cells)
            .at(format!("arithmetic_times_first.{at}"));
        if is_page {
            let compared = suites.means.iter().map(|mean| count(mean.compared[at] as u64));
            table.column(&number.to_string(), "compared", compared.collect()).at(format!("compared.{at}"));
        }
    }
    table
}

/// A dash if it was not measured.
fn cell(value: Option<f64>, say: impl Fn(f64) -> String) -> String {
    value.map_or_else(not_measured, say)
}

/// A row for each workload of each suite, and one for each mean. A figure that was not measured is
/// empty.
pub fn suites_csv(suites: &SuitesPage) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    // Writing to memory does not fail.
    let _ = out.write_record([
        "suite",
        "label",
        "target",
        "group",
        "workload",
        "figure",
        "bytes_per_s",
        "times_first",
        "passes",
        "doubts",
    ]);
    for (at, suite) in suites.suites.iter().enumerate() {
        let about = [suite.id.as_str(), suite.label.as_str(), suite.target.as_str()];
        let mut write = |cells: [&str; 7]| {
            let _ = out.write_record(about.into_iter().chain(cells));
        };
        for row in &suites.rows {
            let passes: Vec<String> = row.passes_bytes_per_s[at].iter().map(|pass| number(*pass)).collect();
            let (rate, times) = (number(row.bytes_per_s[at]), number(row.times_first[at]));
            let doubts = if row.doubts[at] == "-" { "" } else { &row.doubts[at] };
            write([&row.group, &row.workload, "median", &rate, &times, &passes.join(" "), doubts]);
        }
        for mean in &suites.means {
            let kinds = [
                ("geometric mean", &mean.geometric_bytes_per_s, &mean.geometric_times_first),
                ("arithmetic mean", &mean.arithmetic_bytes_per_s, &mean.arithmetic_times_first),
            ];
            for (figure, rates, times) in kinds {
                write([&mean.over, "", figure, &number(rates[at]), &number(times[at]), "", ""]);
            }
        }
    }
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

fn number(value: Option<f64>) -> String {
    value.map_or_else(String::new, |value| value.to_string())
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::naspt::{NasptPass, NasptRow, WorkloadGroup};

    use super::*;

    fn table(rows: &[(&str, WorkloadGroup, &[u64])]) -> NasptTable {
        let pass = |speed: &u64| NasptPass {
            moved_bytes: speed * 1_000_000,
            duration_ns: 1_000_000_000,
            differing_ops: 0,
        };
        let row = |(name, group, speeds): &(&str, WorkloadGroup, &[u64])| NasptRow {
            group: *group,
            ..NasptRow::new(*name, speeds.iter().map(pass).collect())
        };
        NasptTable::new(rows.iter().map(row).collect())
    }

    fn shown<'a>(id: &str, tags: &[&str], table: &'a NasptTable) -> SuiteToShow<'a> {
        SuiteToShow {
            id: id.to_owned(),
            name: "naspt",
            target: format!("/mnt/{id}"),
            passes: 5,
            pace: "max".to_owned(),
            wanted: table.rows.len(),
            ended_early: None,
            storage: None,
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            table,
        }
    }

    use WorkloadGroup::{IometerOne, Naspt};

    #[test]
    fn three_suites_have_every_median_and_both_means_of_each_group() {
        let first = table(&[("A", Naspt, &[100]), ("B", Naspt, &[50]), ("4k", IometerOne, &[8])]);
        let second = table(&[("A", Naspt, &[200]), ("B", Naspt, &[50]), ("4k", IometerOne, &[4])]);
        let third = table(&[("A", Naspt, &[50, 70, 60]), ("B", Naspt, &[])]);
        let suites =
            [shown("one", &["hdd", "x"], &first), shown("two", &["x"], &second), shown("3", &["x"], &third)];
        let page = suites_page(&suites);
        let labels: Vec<&str> = page.suites.iter().map(|suite| suite.label.as_str()).collect();
        assert_eq!(labels, ["hdd", "two", "3"]);
        assert_eq!(page.rows[0].bytes_per_s, [Some(1e8), Some(2e8), Some(6e7)]);
        assert_eq!(page.rows[1].times_first, [Some(1.0), Some(1.0), None]);
        let naspt = &page.means[0];
        assert_eq!(naspt.over, "NASPT, 2 workloads");
        assert_eq!(naspt.arithmetic_times_first, [Some(1.0), Some(1.5), Some(0.6)]);
        assert_eq!((naspt.compared.as_slice(), naspt.arithmetic_bytes_per_s[2]), (&[2, 2, 1][..], None));
        let text = suites_screen(&page, Style { width: 110, ..Style::default() });
        insta::assert_snapshot!(text);
        let row = |name: &str| -> Vec<String> {
            let line = text.lines().find(|line| line.starts_with(name)).unwrap_or_default();
            line.split_whitespace().skip(1).map(ToOwned::to_owned).collect()
        };
        assert_eq!(row("A "), ["100", "200", "60.0", "2.00", "0.60"], "{text}");
        assert_eq!(row("4k"), ["8.00", "4.00", "-", "0.50", "-"], "{text}");
        let csv = suites_csv(&page);
        assert!(
            csv.contains("3,3,/mnt/3,NASPT,A,median,60000000,0.6,50000000 70000000 60000000,\n"),
            "{csv}"
        );
        assert!(
            csv.contains("two,two,/mnt/two,\"NASPT, 2 workloads\",,arithmetic mean,125000000,1.5,,\n"),
            "{csv}"
        );
        assert_eq!(csv.lines().count(), 1 + 3 * (3 + 2 * page.means.len()));
    }

    #[test]
    fn suite_differences_are_shown_and_names_escaped() {
        let one = table(&[("A\u{1b}[31m", Naspt, &[1])]);
        let stopped =
            SuiteToShow { ended_early: Some("full."), passes: 1, wanted: 12, ..shown("a", &[], &one) };
        let page = suites_page(&[shown("b\u{202e}", &[], &one), stopped]);
        let text = suites_screen(&page, Style { width: 100, ..Style::default() });
        insta::assert_snapshot!(text);

        assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text}");
    }
}
