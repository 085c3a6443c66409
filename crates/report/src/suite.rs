//! The screen of a suite: first a single number, then every workload with the spread of its passes, and
//! the ratio to another suite.

use std::ffi::OsStr;
use std::path::Path;

use reelgauge_analysis::LinkFacts;
use reelgauge_analysis::naspt::{MeanOver, NasptRatios, NasptRow, NasptTable, PASSES, WorkloadGroup};
use reelgauge_analysis::statement::Doubt;

use reelgauge_record::notes::StorageDetails;

use crate::document::Block;
use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::table::Table;
use crate::text::{plain, shell_argument, shell_word};
use crate::units::{counted, fixed, mb_per_s};
use crate::user_description::about_words;

/// The workloads of the paper, which run unless others are chosen.
const USUAL_WORKLOADS: usize = 12;

/// The content of a suite's screen.
#[derive(Clone, Copy, Debug)]
pub struct SuiteScreen<'a> {
    /// The name of the suite: "naspt".
    pub name: &'a str,
    /// The target that was measured.
    pub target: &'a str,
    /// Passes of each workload.
    pub batch: u32,
    /// When operations were issued: "max", "recorded".
    pub pace: &'a str,
    /// The names of the planned workloads.
    pub wanted: &'a [String],
    /// Why it has fewer workloads than planned.
    pub ended_early: Option<&'a str>,
    /// The network link to the storage, if there is one.
    pub link: Option<&'a LinkFacts>,
    /// The results of its workloads.
    pub table: &'a NasptTable,
    /// Another suite's directory, and the ratios of this suite to it.
    pub against: Option<(&'a str, &'a NasptRatios)>,
    /// The user's description of the storage.
    pub storage: &'a StorageDetails,
    /// Tags to find it by.
    pub tags: &'a [String],
    /// The directory of the suite.
    pub dir: &'a str,
}

/// The screen as text, ending with a line feed.
pub fn suite_screen(suite: &SuiteScreen<'_>, style: Style) -> String {
    written(suite, style).text
}

/// The screen as blocks.
pub(crate) fn suite_blocks(suite: &SuiteScreen<'_>) -> Vec<Block> {
    written(suite, Style::default()).blocks
}

/// The command that repeats the suite.
pub(crate) fn suite_again(suite: &SuiteScreen<'_>) -> String {
    let workloads: Vec<&str> = suite.table.rows.iter().map(|row| row.workload.as_str()).collect();
    format!(
        "reelgauge run {} --target {} --workloads {} --batch {}",
        shell_word(Path::new(suite.name)),
        shell_word(Path::new(suite.target)),
        shell_argument(OsStr::new(&workloads.join(","))),
        suite.batch,
    )
}

fn written(suite: &SuiteScreen<'_>, style: Style) -> ScreenText {
    let mut page = ScreenText::new(style);
    if let Some(why) = suite.ended_early {
        let sentence =
            format!("Only {} of {} workloads ran: {}.", ran(suite), suite.wanted.len(), plain(why));
        page.sentence(Tone::Bad, &sentence);
    }
    page.sentence(Tone::Answer, &suite_sentence(suite.name, suite.target, suite.table));
    if let Some((other, ratios)) = suite.against {
        page.sentence(Tone::Answer, &suite_comparison_sentence(other, ratios));
    }
    if let Some(doubt) = doubt_sentence(suite.table) {
        page.sentence(Tone::Inconclusive, &doubt);
    }
    if let Some(words) = suite.link.map(link_words) {
        page.item("Line", &words);
    }
    for (name, text) in about_words(suite.storage, suite.tags) {
        page.item(name, &text);
    }
    page.gap();
    page.table(table(suite));
    page.gap();
    for words in means_words(suite.table) {
        page.item("Means", &words);
    }
    let discarded: usize = suite.table.rows.iter().map(NasptRow::discarded).sum();
    if discarded > 0 {
        page.warning(&format!(
            "{} not counted, because some operations had results that differ from the recording. \
             'reelgauge report' of the workload's run shows which.",
            counted(discarded as u64, "pass")
        ));
    }
    page.item(
        "How",
        &format!(
            "NASPT workloads are synthetic, matched to published statistics, not the original traces. {} of \
             each, on new files, at pace {}. The result is the median. Replays use this client's cache, as the \
             applications did: data written to the cache counts as transferred",
            counted(u64::from(suite.batch), "pass"),
            plain(suite.pace)
        ),
    );
    page.item("Files", &plain(suite.dir));
    let name = shell_word(Path::new(suite.name));
    let again =
        format!("reelgauge run {name} --target PATH{} --against {}", chosen_flags(suite), plain(suite.dir));
    page.item("Next", &format!("After a change, or on other storage: {again}"));
    page
}

/// The flags of a suite with other workloads or another number of passes than usual.
fn chosen_flags(suite: &SuiteScreen<'_>) -> String {
    let is_naspt = |row: &NasptRow| row.group == WorkloadGroup::Naspt;
    let is_usual = suite.wanted.len() == USUAL_WORKLOADS && suite.table.rows.iter().all(is_naspt);
    let names = suite.wanted.join(",");
    let workloads =
        if is_usual { String::new() } else { format!(" --workloads {}", shell_argument(OsStr::new(&names))) };
    let is_usual = suite.batch as usize == PASSES;
    let batch = if is_usual { String::new() } else { format!(" --batch {}", suite.batch) };
    workloads + &batch
}

fn ran(suite: &SuiteScreen<'_>) -> usize {
    suite.table.rows.len()
}

/// `naspt on /mnt/nas: 85 MB/s in the geometric mean of 12 workloads.`
pub fn suite_sentence(name: &str, target: &str, table: &NasptTable) -> String {
    let (name, place) = (plain(name), plain(target));
    let over = table.headline();
    let in_mean = table.rows_over(over).count();
    let cached = match table.rows_over(over).filter(|row| went_through_cache(row)).count() {
        0 => String::new(),
        all if all == in_mean => ", through this client's cache".to_owned(),
        some => format!(", {some} of them through this client's cache"),
    };
    match table.geometric_mean_bytes_per_s {
        Some(mean) => format!(
            "{name} on {place}: {} MB/s in the geometric mean of {}{cached}.",
            mb_per_s(mean),
            counted(in_mean as u64, "workload")
        ),
        None => format!("{name} on {place}: no mean, because some workloads have no valid pass."),
    }
}

/// `NASPT: 85.1 MB/s geometric, 97.0 MB/s arithmetic.` of each group.
fn means_words(table: &NasptTable) -> Vec<String> {
    let words = |over: MeanOver| {
        let means = table.means(over)?;
        let (geometric, arithmetic) = (mb_per_s(means.geometric), mb_per_s(means.arithmetic));
        Some(format!("{}: {geometric} MB/s geometric, {arithmetic} MB/s arithmetic.", over_words(over)))
    };
    MeanOver::ALL.into_iter().filter_map(words).collect()
}

/// The name of a group of workloads.
pub(crate) fn group_words(group: WorkloadGroup) -> &'static str {
    match group {
        WorkloadGroup::Naspt => "NASPT",
        WorkloadGroup::Own => "own traces",
        WorkloadGroup::IometerOne => "IOMeter, 1 outstanding I/O",
        WorkloadGroup::IometerMany => "IOMeter, 32 outstanding I/Os",
    }
}

/// The workloads that a mean is taken over, as text.
pub(crate) fn over_words(over: MeanOver) -> &'static str {
    match over {
        MeanOver::Group(group) => group_words(group),
        MeanOver::Iometer => "IOMeter",
    }
}

/// `1.80 times as fast as 2026-…-naspt (1.72 to 1.88), in the geometric mean of the 12 workloads that both
/// have.`
pub fn suite_comparison_sentence(other: &str, ratios: &NasptRatios) -> String {
    let Some(mean) = ratios.geometric_mean else {
        return format!("Nothing to compare with {}: no workload has a result in both suites.", plain(other));
    };
    let workloads = match ratios.compared {
        1 => "the one workload that both have".to_owned(),
        several => format!("the geometric mean of the {several} workloads that both have"),
    };
    let (between, noise) = match ratios.geometric_between {
        None => (String::new(), " There are too few passes to rule out chance."),
        Some((least, most)) => {
            let may_be_chance = least <= 1.0 && most >= 1.0;
            let noise = if may_be_chance { " The passes vary so much that this may be chance." } else { "" };
            (format!(" ({} to {})", fixed(least, 2), fixed(most, 2)), noise)
        }
    };
    format!("{} times as fast as {}{between}, in {workloads}.{noise}", fixed(mean, 2), plain(other))
}

/// Workloads whose operations went through this client's cache.
fn cached_rows(table: &NasptTable) -> usize {
    table.rows.iter().filter(|row| went_through_cache(row)).count()
}

fn went_through_cache(row: &NasptRow) -> bool {
    row.client_cache == Some(true) || is_cached(row)
}

fn is_cached(row: &NasptRow) -> bool {
    row.doubts.iter().any(|doubt| matches!(doubt, Doubt::CacheAnswered | Doubt::Memory))
}

/// Reasons to doubt the medians, if there are any.
fn doubt_sentence(table: &NasptTable) -> Option<String> {
    let cached = cached_rows(table);
    (cached > 0).then(|| {
        format!(
            "{} went through this client's cache: these rates include memory and can exceed what the storage \
             sustains.",
            counted(cached as u64, "workload")
        )
    })
}

/// The doubts of its run, in one or two words; `-` for none.
pub fn row_doubts(row: &NasptRow) -> String {
    let words = |doubt: &Doubt| match doubt {
        Doubt::BrokeOff | Doubt::Interrupted | Doubt::Running => Some("cut short"),
        Doubt::OwnFault | Doubt::OwnTiming => Some("own timing"),
        Doubt::ClientBusy => Some("client busy"),
        Doubt::Memory => Some("memory"),
        Doubt::CacheAnswered => Some("cache answered"),
        Doubt::CacheMayHaveAnswered => Some("cache possible"),
        Doubt::Unsteady => Some("unsteady"),
        Doubt::Burst => Some("burst"),
        Doubt::Silence => Some("silence"),
        Doubt::LogIncomplete => Some("log incomplete"),
        // The duration of a workload cannot be chosen.
        Doubt::ShortLook => None,
    };
    let cached = (row.client_cache == Some(true) && !is_cached(row)).then_some("client cache");
    let told: Vec<&str> = cached.into_iter().chain(row.doubts.iter().filter_map(words)).collect();
    if told.is_empty() { "-".to_owned() } else { told.join(", ") }
}

/// `eth0 to 10.0.0.2, 1 Gbit/s: about 118 MB/s each way.`
fn link_words(link: &LinkFacts) -> String {
    let words = plain(&link.words);
    match link.line_bytes_per_s {
        Some(line) => format!("{words}: about {} MB/s each way.", mb_per_s(line)),
        None => format!("{words}; its rate is unknown."),
    }
}

fn table(suite: &SuiteScreen<'_>) -> Table {
    let rows = &suite.table.rows;
    let column = |cell: &dyn Fn(&NasptRow) -> Option<f64>| -> Vec<String> {
        rows.iter().map(|row| cell(row).map_or_else(|| "-".to_owned(), mb_per_s)).collect()
    };
    let mut table = Table::default();
    table.column("", "workload", rows.iter().map(|row| plain(&row.workload)).collect());
    table.column("median", "MB/s", column(&|row| row.median_bytes_per_s));
    table.column("slowest", "MB/s", column(&|row| Some(row.range_bytes_per_s()?.0)));
    table.column("fastest", "MB/s", column(&|row| Some(row.range_bytes_per_s()?.1)));
    table.column(
        "passes",
        "",
        rows.iter().map(|row| (row.passes.len() - row.discarded()).to_string()).collect(),
    );
    if let Some((_, ratios)) = suite.against {
        let ratio = |row: &NasptRow| {
            let found = ratios.rows.iter().find(|(name, _)| *name == row.workload)?.1;
            Some(fixed(found?, 2))
        };
        let cells = rows.iter().map(|row| ratio(row).unwrap_or_else(|| "-".to_owned())).collect();
        table.column("times", "the other", cells);
    }
    if rows.iter().any(|row| row_doubts(row) != "-") {
        table.column("", "doubts", rows.iter().map(row_doubts).collect());
    }
    table
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::naspt::NasptPass;

    use super::*;

    fn row(name: &str, speeds: &[u64]) -> NasptRow {
        let pass = |speed: &u64| NasptPass {
            moved_bytes: speed * 1_000_000,
            duration_ns: 1_000_000_000,
            differing_ops: 0,
        };
        NasptRow::new(name, speeds.iter().map(pass).collect())
    }

    fn shown(table: &NasptTable, against: Option<(&str, &NasptRatios)>, wanted: usize) -> String {
        let ended_early = (table.rows.len() < wanted).then_some("the disk is full");
        let names: Vec<String> = (1..=wanted).map(|number| format!("w{number}")).collect();
        let suite = SuiteScreen {
            name: "naspt",
            target: "/mnt/nas",
            batch: 3,
            pace: "max",
            wanted: &names,
            link: None,
            ended_early,
            table,
            against,
            storage: &"make=Acme,model=FS2".parse().unwrap(),
            tags: &["one".to_owned()],
            dir: "runs/x",
        };
        suite_screen(&suite, Style { width: 100, ..Style::default() })
    }

    #[test]
    fn user_texts_are_shown_and_names_escaped() {
        let table = NasptTable::new(vec![row("A", &[100])]);
        let text = shown(&table, None, 1);
        insta::assert_snapshot!(text);
        let hostile = suite_sentence("n\u{1b}[31m\n", "/mnt", &table);
        assert!(!hostile.contains(char::is_control), "{hostile:?}");
    }

    #[test]
    fn the_mean_comes_first_and_every_workload_follows() {
        let table = NasptTable::new(vec![row("A", &[100, 90, 110]), row("B", &[400])]);
        let text = shown(&table, None, 2);
        insta::assert_snapshot!(text);
        assert!(text.contains("A            100     90.0      110       3"), "{text}");
        assert!(!text.contains("times"), "{text}");
    }

    #[test]
    fn comparison_shows_the_speed_factor() {
        let other = NasptTable::new(vec![row("A", &[50])]);
        let table = NasptTable::new(vec![row("A", &[100]), row("B", &[400])]);
        let ratios = table.ratios_to(&other);
        let text = shown(&table, Some(("old", &ratios)), 2);
        insta::assert_snapshot!(text);
    }

    #[test]
    fn every_workload_carries_its_doubts_and_the_mean_its_cache() {
        let cached = NasptRow { client_cache: Some(true), ..row("A", &[1_541]) };
        let answered = NasptRow { doubts: vec![Doubt::CacheAnswered], ..row("B", &[2_220]) };
        let table = NasptTable::new(vec![cached, answered, row("C", &[90])]);
        let text = shown(&table, None, 3);
        let first = "in the geometric mean of 3 workloads, 2 of them through this client's cache.";
        assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(first), "{text}");
        insta::assert_snapshot!(text);
        assert!(text.contains("client cache") && text.contains("cache answered"), "{text}");
    }

    #[test]
    fn skipped_workloads_are_shown_first() {
        let text = shown(&NasptTable::new(vec![row("A", &[100])]), None, 12);
        insta::assert_snapshot!(text);
    }
}
