//! The sections of a page below the result of a comparison: the systems, the differences and the
//! settings of the runs. The page draws its charts itself.

use std::collections::BTreeSet;

use reelgauge_analysis::Summary;
use reelgauge_analysis::compare::{
    ComparedRun, ComparedSystem, Comparison, ComparisonRow, Judgement, Kinship, is_about_reelgauge,
    is_of_streams,
};
use reelgauge_analysis::statement::{Number, of};

use super::systems::{Property, properties};
use super::{name_of, property_table, table};
use crate::document::{Block, Section};
use crate::screen_options::MAX_WIDTH;
use crate::sentence::{Sentence, Tone};
use crate::table::Table;
use crate::tables::not_measured;
use crate::text::plain_short;
use crate::units::{count, counted, mb_per_s, ms};

/// Longer run names are cut.
const NAME_CHARS: usize = 40;

/// The verdict in the head of the page. A worse figure outweighs better ones. The cost of Reelgauge
/// itself does not count, because it is no property of the storage.
pub fn verdict(comparison: &Comparison) -> Sentence {
    let others = comparison.others();
    let all =
        |kinships: &[Kinship]| others.iter().all(|&run| kinships.contains(&comparison.runs[run].kinship));
    let rows = || comparison.rows.iter().filter(|row| !is_about_reelgauge(&row.figure));
    let has = |judgement| rows().any(|row| row.judgement.contains(&judgement));
    let is_known = || rows().any(|row| others.iter().any(|&run| row.is_judged(run)));
    let (tone, text) = match (has(Judgement::Worse), has(Judgement::Better)) {
        _ if all(&[Kinship::Itself]) => (Tone::Plain, "the same run"),
        _ if all(&[Kinship::OtherWork]) => (Tone::Plain, "not comparable"),
        _ if all(&[Kinship::OtherWork, Kinship::OtherPlan]) => (Tone::Plain, "different work"),
        (true, true) => (Tone::Plain, "better and worse"),
        (true, false) => (Tone::Bad, "worse"),
        (false, true) => (Tone::Answer, "better"),
        (false, false) if is_known() => (Tone::Plain, "no difference found"),
        (false, false) => (Tone::Plain, "unknown"),
    };
    Sentence { tone, text: text.to_owned() }
}

/// The sections of a comparison. `summaries`: those of its runs, in the same order.
pub fn compare_sections(comparison: &Comparison, summaries: &[&Summary]) -> Vec<Section> {
    let mut compared = Section::of_page("systems", "Systems", "");
    compared.blocks = vec![
        Block::Table(systems(comparison, summaries)),
        Block::Heading("The runs".to_owned()),
        Block::PageChart("runs".to_owned()),
    ];
    vec![compared, differences(comparison), settings(comparison, summaries)]
}

/// Each system and the load that it sustained. Columns that are empty for all runs are omitted.
fn systems(comparison: &Comparison, summaries: &[&Summary]) -> Table {
    let name = |(at, run): (usize, &ComparedRun)| {
        let label = if run.label.is_empty() { &run.id } else { &run.label };
        format!("{}: {}", at + 1, plain_short(&name_of(run).unwrap_or_else(|| label.clone()), NAME_CHARS))
    };
    let mut table = Table::new("Systems");
    table.words("run", comparison.runs.iter().enumerate().map(name).collect());
    type Field = fn(&ComparedSystem) -> Option<&String>;
    let fields: [(&str, Field); 5] = [
        ("make", |system| system.make.as_ref()),
        ("model", |system| system.model.as_ref()),
        ("firmware", |system| system.firmware.as_ref()),
        ("protocol", |system| system.protocol.as_ref().or(system.fs_type.as_ref())),
        ("client", |system| system.client.as_ref()),
    ];
    for (name, of) in fields {
        let cells =
            comparison.runs.iter().map(|run| of(&run.system).map(|text| plain_short(text, NAME_CHARS)));
        let cells: Vec<Option<String>> = cells.collect();
        if cells.iter().any(Option::is_some) {
            table.words(name, dashed(cells));
        }
    }
    type Figure = fn(&Summary) -> Option<String>;
    let figures: [(&str, &str, Figure); 4] = [
        ("", "streams", streams),
        ("", "late frames", |summary| late_frames(summary).map(count)),
        ("worst margin", "ms", |summary| worst_margin_us(summary).map(ms)),
        ("most", "MB/s", |summary| most_bytes_per_s(summary).map(mb_per_s)),
    ];
    for (name, unit, of) in figures {
        let cells: Vec<Option<String>> = summaries.iter().map(|summary| of(summary)).collect();
        if cells.iter().any(Option::is_some) {
            table.column(name, unit, dashed(cells));
        }
    }
    table
}

fn dashed(cells: Vec<Option<String>>) -> Vec<String> {
    cells.into_iter().map(|cell| cell.unwrap_or_else(not_measured)).collect()
}

/// The count that a search found, else the most streams that ran at once. A check has a result for each
/// format and none for the whole run.
fn streams(summary: &Summary) -> Option<String> {
    match of(summary).number {
        Number::Capacity { streams, at_least: Some(_), .. } => {
            Some(format!("at least {}", count(streams.into())))
        }
        Number::Capacity { streams, .. } => Some(count(streams.into())),
        _ if summary.check.is_some() || summary.search.is_some() => None,
        _ => Some(count(summary.load_points.iter().filter_map(|point| point.stream_count).max()?.into())),
    }
}

/// The number of late frames. It is unknown if no frame was judged, as in a mix or in a warm-up that was
/// stopped.
fn late_frames(summary: &Summary) -> Option<u64> {
    let points = summary.load_points.iter().filter_map(|point| point.streams.as_ref());
    let judged = points.filter(|streams| streams.total.frames_judged > 0);
    judged.map(|streams| streams.total.late_frames).reduce(|one, other| one + other)
}

fn worst_margin_us(summary: &Summary) -> Option<f64> {
    let points = summary.load_points.iter().filter_map(|point| point.streams.as_ref());
    let margins = points.filter_map(|streams| Some(streams.total.worst_margin.as_ref()?.margin.margin_us));
    margins.reduce(f64::min)
}

fn most_bytes_per_s(summary: &Summary) -> Option<f64> {
    summary.load_points.iter().filter_map(|point| point.total.bytes_per_s).reduce(f64::max)
}

fn differences(comparison: &Comparison) -> Section {
    let about = "A change counts only if it is larger than the noise, which is estimated from the runs. If \
                 the noise is unknown, there is no verdict.";
    let mut section = Section::of_page("differences", "Differences", about);
    let changed = changed(comparison);
    if changed.is_empty() {
        section.say(Tone::Plain, "No figure differs by more than the noise.");
    } else {
        let caption = "Figures that differ by more than the noise";
        section.blocks.push(Block::Table(figures(comparison, caption, &changed)));
    }
    let all: Vec<usize> = (0..comparison.rows.len()).collect();
    let mut folded = Section::new(format!("All {}", counted(all.len() as u64, "figure")));
    folded.blocks.push(Block::Table(figures(comparison, "Every figure", &all)));
    section.blocks.push(Block::Folded(folded));
    section
}

/// The changed rows: worse before better, those of streams before the rest, larger changes first.
fn changed(comparison: &Comparison) -> Vec<usize> {
    let rank = |row: &ComparisonRow| {
        let order = [Judgement::Worse, Judgement::Better, Judgement::Different];
        order.iter().position(|judgement| row.judgement.contains(judgement))
    };
    let most = |row: &ComparisonRow| match is_of_streams(&row.figure) {
        // They keep their order: criteria, late frames, margins.
        true => f64::INFINITY,
        false => row.change_percent.iter().flatten().fold(0.0, |most, percent| percent.abs().max(most)),
    };
    let rows = &comparison.rows;
    let mut changed: Vec<usize> = (0..rows.len()).filter(|at| rank(&rows[*at]).is_some()).collect();
    changed.sort_by(|one, two| {
        let (one, two) = (&rows[*one], &rows[*two]);
        rank(one).cmp(&rank(two)).then(most(two).total_cmp(&most(one)))
    });
    changed
}

/// These rows of the comparison, with the load point of each.
fn figures(comparison: &Comparison, caption: &str, at: &[usize]) -> Table {
    let rows: Vec<&ComparisonRow> = at.iter().map(|at| &comparison.rows[*at]).collect();
    let mut table = table(comparison, &rows, MAX_WIDTH, true);
    caption.clone_into(&mut table.caption);
    table.rows = at.iter().map(|at| format!("rows.{at}")).collect();
    table.bad_rows = (0..rows.len()).filter(|row| rows[*row].judgement.contains(&Judgement::Worse)).collect();
    table
}

/// The settings of the runs and their targets.
fn settings(comparison: &Comparison, summaries: &[&Summary]) -> Section {
    let own = |name: &str, of: &dyn Fn(&Summary) -> Option<String>| Property {
        name: name.to_owned(),
        values: summaries.iter().map(|summary| of(summary)).collect(),
    };
    let mut all = properties(comparison, true);
    all.extend([
        own("target", &|summary| Some(summary.target.path.clone())),
        own("cache", &|summary| Some(summary.effective_mode.found.clone())),
        own("files", &|summary| {
            let data = &summary.data_set;
            Some(format!("{} of {} bytes", data.files, data.file_size_bytes))
        }),
        own("reelgauge", &|summary| Some(summary.tool_version.clone())),
    ]);
    let names: BTreeSet<&String> = summaries.iter().flat_map(|summary| summary.plan.keys()).collect();
    all.extend(
        names.into_iter().map(|name| own(&format!("plan: {name}"), &|run| run.plan.get(name).cloned())),
    );
    let mut section = Section::of_page("settings", "Settings", "");
    let runs = comparison.runs.len();
    let differing: Vec<&Property> = all.iter().filter(|property| property.differs()).collect();
    if differing.is_empty() {
        section.say(Tone::Plain, "All settings are the same.");
    } else {
        section.blocks.push(Block::Table(property_table("Settings that differ", &differing, runs)));
    }
    let mut folded = Section::new("All settings");
    let every: Vec<&Property> = all.iter().collect();
    folded.blocks.push(Block::Table(property_table("Every setting", &every, runs)));
    section.blocks.push(Block::Folded(folded));
    section
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::compare::{Better, FigureLabel, FigureUnit};

    use super::*;

    /// Two runs with a row for each figure, judgement and change in percent.
    fn compared(rows: &[(&str, Judgement, Option<f64>)], kinship: Kinship) -> Comparison {
        let row = |(figure, judgement, percent): &(&str, Judgement, Option<f64>)| ComparisonRow {
            group: String::new(),
            figure: (*figure).to_owned(),
            label: FigureLabel { name: (*figure).to_owned(), work: "", unit: "" },
            unit: FigureUnit::Count,
            better: Better::Higher,
            values: vec![Some(1.0); 2],
            texts: vec!["1".to_owned(); 2],
            change_percent: vec![None, *percent],
            noise_percent: vec![None, Some(1.0)],
            judgement: vec![Judgement::Base, *judgement],
        };
        let runs = vec![ComparedRun::default(), ComparedRun { kinship, side: 1, ..ComparedRun::default() }];
        Comparison { rows: rows.iter().map(row).collect(), runs, ..Comparison::default() }
    }

    #[test]
    fn worse_rows_come_first_then_larger_changes_and_streams_before_both() {
        use Judgement::{Better, Demand, OtherPlan, Same, Worse};
        let rows = [
            ("total.read_bytes_per_s", Same, Some(1.0)),
            ("total.read_bytes_per_s", Better, Some(50.0)),
            ("total.read_bytes_per_s", Worse, Some(-5.0)),
            ("total.written_bytes_per_s", Worse, Some(-20.0)),
            ("total.ops", Demand, Some(100.0)),
            ("total.ops", OtherPlan, Some(300.0)),
            ("streams.total.late_frames", Worse, None),
        ];
        assert_eq!(changed(&compared(&rows, Kinship::SameWork)), [6, 3, 2, 1]);
    }

    #[test]
    fn comparison_verdict_ignores_reelgauge_and_incomparable_work() {
        let mut printed = Vec::<String>::new();
        let words = |rows: &[(&str, Judgement, Option<f64>)], kinship| verdict(&compared(rows, kinship)).text;
        let (cost, rate) = ("self_cost.cpu_us_per_op", "total.read_bytes_per_s");
        let worse = [(cost, Judgement::Worse, Some(9.0)), (rate, Judgement::Same, Some(0.0))];
        printed.push(words(&worse, Kinship::SameWork).to_string());
        assert_eq!(words(&worse[..1], Kinship::SameWork), "unknown");
        let both = [(rate, Judgement::Worse, Some(-9.0)), (rate, Judgement::Better, Some(9.0))];
        printed.push(words(&both, Kinship::SameWork).to_string());
        assert_eq!(words(&both[..1], Kinship::SameWork), "worse");
        assert_eq!(words(&both, Kinship::OtherPlan), "different work");
        insta::assert_snapshot!(printed.join("\n"));
    }
}
