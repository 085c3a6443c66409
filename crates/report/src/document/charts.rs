//! The charts for each kind of run: rates over time for all; late frames for streams; for a search the
//! counts that it tried; for a mix the figures of EBU Tech 3362; the counts of a check; the workloads of
//! a suite.
//!
//! Not here: how a chart is drawn ([`super::chart`]).

use reelgauge_analysis::late::LateFigures;
use reelgauge_analysis::naspt::NasptTable;
use reelgauge_analysis::paper::{Mode, PaperCell};
use reelgauge_analysis::series::SeriesStep;
use reelgauge_analysis::summary::LoadPoint;
use reelgauge_analysis::{CheckFacts, SearchFacts, Summary};

use super::chart::{Chart, Form, Line};
use crate::answer_parts::has_paper;
use crate::check::{is_not_known, marked};
use crate::text::plain;
use crate::units::{block_size, counted};

/// The block size of the paper's figures.
const PAPER_BLOCK: u32 = 1 << 20;
/// The most streams, counts or workloads with bars.
const BARS: usize = 40;

/// All charts of a run, those of its kind first.
pub(super) fn charts(summary: &Summary) -> Vec<Chart> {
    let mut charts = Vec::new();
    if let Some(check) = &summary.check {
        charts.extend([counts(check), check_rates(check)]);
    } else if let Some(search) = &summary.search {
        charts.extend([trials(search), late_over_counts(&summary.load_points)]);
    } else if summary.load_points.len() > 1 {
        charts.push(late_over_counts(&summary.load_points));
    }
    if let [point] = summary.load_points.as_slice() {
        charts.extend(point.streams.as_ref().map(late_by_stream));
    }
    charts.extend(curve(summary));
    charts.extend(of_paper(summary));
    charts.push(rates(summary));
    charts.retain(|chart| !chart.is_empty());
    charts
}

/// The throughput of each workload of a suite.
pub(super) fn of_suite(table: &NasptTable) -> Option<Chart> {
    let rows = &table.rows[..table.rows.len().min(BARS)];
    let medians = rows.iter().map(|row| row.median_bytes_per_s.map(|rate| rate / 1e6));
    let chart = bars(
        "Each workload: the median of its passes (Intel NASPT paper, Figure 9)",
        "MB/s",
        rows.iter().map(|row| row.workload.clone()).collect(),
        vec![line("median", medians)],
    );
    (!chart.is_empty()).then_some(chart)
}

fn line(name: &str, values: impl IntoIterator<Item = Option<f64>>) -> Line {
    let points = values.into_iter().enumerate().map(|(at, value)| (at as f64, value)).collect();
    Line { name: name.to_owned(), points, ..Line::default() }
}

fn bars(title: &str, unit: &str, places: Vec<String>, lines: Vec<Line>) -> Chart {
    Chart { title: title.to_owned(), y: unit.to_owned(), lines, form: Form::Bars(places), ..Chart::default() }
}

/// How many streams of each format a check found.
fn counts(check: &CheckFacts) -> Chart {
    let formats = &check.formats[..check.formats.len().min(BARS)];
    let of = |name: &str, is_play: bool| {
        let found = |at: usize| if is_play { formats[at].play.as_ref() } else { formats[at].record.as_ref() };
        let known = |at| found(at).filter(|found| !is_not_known(found)).map(|found| f64::from(found.streams));
        let labels = (0..formats.len()).map(|at| marked(found(at))).collect();
        Line { labels, ..line(name, (0..formats.len()).map(known)) }
    };
    bars(
        "Streams of each format without a late frame",
        "streams",
        formats.iter().map(|format| format.name.clone()).collect(),
        vec![of("play", true), of("record", false)],
    )
}

/// The rates that a check measured, compared with the link speed.
fn check_rates(check: &CheckFacts) -> Chart {
    let rates = [
        ("sequential reads", check.sequential_read_mb_per_s),
        ("sequential writes", check.sequential_write_mb_per_s),
        ("random 64 KiB reads", check.random_read_mb_per_s),
    ];
    let link = check.line_rate_mb_per_s.map(|rate| ("limit of the link", Some(rate)));
    let shown: Vec<_> = rates.into_iter().chain(link).collect();
    bars(
        "Rates of this client",
        "MB/s",
        shown.iter().map(|(name, _)| (*name).to_owned()).collect(),
        vec![line("four at a time", shown.iter().map(|(_, rate)| *rate))],
    )
}

/// All counts that a search tried.
fn trials(search: &SearchFacts) -> Chart {
    let tried = &search.trials[..search.trials.len().min(BARS)];
    let of = |name: &str, number: &dyn Fn(usize) -> u32| {
        line(name, (0..tried.len()).map(|at| Some(f64::from(number(at)))))
    };
    let mut lines = vec![of("criteria met", &|at| tried[at].passed), of("not met", &|at| tried[at].failed)];
    if tried.iter().any(|count| count.client_limited > 0) {
        lines.push(of("not met, limited by this client", &|at| tried[at].client_limited));
    }
    let places = tried.iter().map(|count| counted(u64::from(count.streams), "stream")).collect();
    bars("Trials of the search", "trials", places, lines)
}

/// Late frames for each count of streams. If a count was tried several times, those of its worst trial.
fn late_over_counts(points: &[LoadPoint]) -> Chart {
    let mut worst: std::collections::BTreeMap<u32, Option<f64>> = std::collections::BTreeMap::new();
    for point in points {
        let (Some(count), Some(late)) = (point.stream_count, &point.streams) else { continue };
        let share = late_percent(late.total.late_frames, late.total.frames_judged);
        let before = worst.entry(count).or_default();
        *before = [*before, share].into_iter().flatten().reduce(f64::max);
    }
    let points = worst.into_iter().map(|(count, share)| (f64::from(count), share)).collect();
    Chart {
        title: "Late frames by number of streams (worst trial)".to_owned(),
        x: "streams".to_owned(),
        y: "late frames, %".to_owned(),
        lines: vec![Line { name: "late frames".to_owned(), points, ..Line::default() }],
        form: Form::Lines,
    }
}

/// Late frames per stream of the only load point; if there are many streams, only those with the most
/// late frames.
fn late_by_stream(late: &LateFigures) -> Chart {
    let mut streams: Vec<_> = late.streams.iter().collect();
    streams.sort_by_key(|stream| (std::cmp::Reverse(stream.late_frames), stream.stream));
    streams.truncate(BARS);
    streams.sort_by_key(|stream| stream.stream);
    let left_out = late.streams.len() - streams.len();
    let more = match left_out {
        0 => String::new(),
        left_out => {
            format!(" ({} with the fewest late frames not shown)", counted(left_out as u64, "stream"))
        }
    };
    let shares = streams.iter().map(|stream| late_percent(stream.late_frames, stream.frames_judged));
    bars(
        &format!("Late frames of each stream{more}"),
        "late frames, %",
        streams.iter().map(|stream| format!("{} {}", stream.stream, stream.name)).collect(),
        vec![line("late frames", shares)],
    )
}

fn late_percent(late: u64, judged: u64) -> Option<f64> {
    (judged > 0).then(|| late as f64 / judged as f64 * 100.0)
}

/// The curve of a VDA-like run.
fn curve(summary: &Summary) -> Option<Chart> {
    let facts = summary.vda.as_ref()?;
    let points =
        facts.points.iter().map(|point| (f64::from(point.streams), point.mean_response_ms)).collect();
    Some(Chart {
        title: "Mean response time by number of streams".to_owned(),
        x: "streams".to_owned(),
        y: "ms".to_owned(),
        lines: vec![Line { name: plain(&facts.label), points, ..Line::default() }],
        form: Form::Lines,
    })
}

/// A figure of the paper: its name, its unit, its number, and the figures of the paper that plot it over
/// the number of clients.
type PaperFigure = (&'static str, &'static str, fn(&PaperCell) -> Option<f64>, &'static str);

const PAPER_FIGURES: [PaperFigure; 3] = [
    (
        "Transfer rate of one client, without pauses",
        "MB/s",
        |cell| cell.transfer_rate_while_transferring_mb_per_s,
        "Figures 23 and 25",
    ),
    ("Average latency", "ms", |cell| cell.average_latency_ms, "Figures 24 and 26"),
    ("Maximum latency", "s", |cell| cell.maximum_latency_s, "Figures 51 and 52"),
];

/// The figures of EBU Tech 3362 by type of access, for runs that are reported in MB/s.
fn of_paper(summary: &Summary) -> Vec<Chart> {
    let points = &summary.load_points;
    if !has_paper(summary) {
        return Vec::new();
    }
    // The paper's block size, if all load points have it.
    let mut measured = points.iter().filter(|point| !point.paper.is_empty()).peekable();
    let has_paper_block =
        measured.peek().is_some() && measured.all(|point| point.paper.block_bytes.contains(&PAPER_BLOCK));
    let block = has_paper_block.then_some(PAPER_BLOCK);
    PAPER_FIGURES.iter().map(|figure| paper_chart(points, figure, block)).collect()
}

fn paper_chart(points: &[LoadPoint], figure: &PaperFigure, block: Option<u32>) -> Chart {
    let (name, unit, number, figures) = *figure;
    let of_block = block.map_or_else(
        || "all block sizes".to_owned(),
        |bytes| format!("{} blocks", block_size(u64::from(bytes))),
    );
    let value = |point: &LoadPoint, mode: Mode| point.paper.cell(mode, block).and_then(number);
    let is_there = |mode: &Mode| points.iter().any(|point| value(point, *mode).is_some());
    let modes: Vec<Mode> = Mode::ROWS.into_iter().filter(is_there).collect();
    let chart = |x: &str, lines: Vec<Line>, form: Form, paper: &str| {
        let paper = if paper.is_empty() { String::new() } else { format!(" (EBU Tech 3362, {paper})") };
        let title = format!("{name}, {of_block}{paper}");
        Chart { title, x: x.to_owned(), y: unit.to_owned(), lines, form }
    };
    if let [point] = points {
        let places = modes.iter().map(|mode| mode.name().to_owned()).collect();
        let values = modes.iter().map(|mode| value(point, *mode));
        return chart("", vec![line(&point.label, values)], Form::Bars(places), "");
    }
    let of_mode = |mode: &Mode| line(mode.name(), points.iter().map(|point| value(point, *mode)));
    let lines: Vec<Line> = modes.iter().map(of_mode).collect();
    if points.iter().all(|point| point.sweep_value.is_some()) {
        let places = points.iter().map(|point| point.sweep_value.clone().unwrap_or_default()).collect();
        return chart("swept value", lines, Form::Named(places), "");
    }
    let against_clients = |mut line: Line| {
        line.points.iter_mut().zip(points).for_each(|(at, point)| at.0 = f64::from(point.workers));
        line
    };
    chart("clients", lines.into_iter().map(against_clients).collect(), Form::Lines, figures)
}

/// The read and write rate per second.
fn rates(summary: &Summary) -> Chart {
    let series = &summary.series;
    let step_s = series.step_s.max(1);
    let is_measured = measured_steps(&series.steps);
    let line = |name: &str, bytes: fn(&SeriesStep) -> u64| {
        let mut points: Vec<(f64, Option<f64>)> = Vec::new();
        let mut due_s = None;
        for (step, is_measured) in series.steps.iter().zip(&is_measured) {
            // Seconds that are missing in the series are a gap.
            if due_s.is_some_and(|due_s| due_s != step.began_s) {
                points.push((step.began_s as f64, None));
            }
            due_s = Some(step.began_s.saturating_add(step_s));
            let rate = is_measured.then(|| bytes(step) as f64 / step_s as f64 / 1e6);
            points.push((step.began_s as f64, rate));
        }
        Line { name: name.to_owned(), points, ..Line::default() }
    };
    let lines = vec![line("read", |step| step.read_bytes), line("written", |step| step.written_bytes)];
    let title = "Transfer rate during the run".to_owned();
    Chart { title, x: "time, s".to_owned(), y: "MB/s".to_owned(), lines, form: Form::Lines }
}

/// Which steps were measured: those with operations, and empty ones between two such steps of the same
/// load point. Preparation, warm-up and the time between load points were not measured.
fn measured_steps(steps: &[SeriesStep]) -> Vec<bool> {
    let mut next = vec![None; steps.len()];
    for at in (0..steps.len().saturating_sub(1)).rev() {
        next[at] = steps[at + 1].point.or(next[at + 1]);
    }
    let mut before = None;
    let each = steps.iter().zip(next).map(|(step, next)| {
        let is_between = step.warmup_ops == 0 && before.is_some() && before == next;
        before = step.point.or(before);
        step.ops > 0 || is_between
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use reelgauge_analysis::facts::{CheckCount, CheckFormat};
    use reelgauge_analysis::naspt::NasptRow;
    use reelgauge_analysis::summary::Target;
    use reelgauge_analysis::test_figures;

    use super::*;

    fn summary() -> Summary {
        Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default())
    }

    fn places(chart: &Chart) -> &[String] {
        match &chart.form {
            Form::Bars(names) | Form::Named(names) => names,
            Form::Lines => &[],
        }
    }

    #[test]
    fn check_has_count_bars_and_unmeasured_counts_no_number() {
        let count = CheckCount { streams: 12, at_least: true, ..CheckCount::default() };
        let format = |name: &str, play| CheckFormat { name: name.to_owned(), play, ..CheckFormat::default() };
        let unknown = CheckCount { at_least: true, ..CheckCount::default() };
        let formats = vec![format("ProRes", Some(count)), format("XAVC", Some(unknown))];
        let summary = Summary { check: Some(CheckFacts { formats, ..CheckFacts::default() }), ..summary() };
        let charts = charts(&summary);
        assert_eq!((charts.len(), places(&charts[0])), (1, &["ProRes".to_owned(), "XAVC".to_owned()][..]));
        assert_eq!(charts[0].lines[0].points, [(0.0, Some(12.0)), (1.0, None)]);
        assert_eq!(charts[0].lines[0].labels, ["12", "unknown"]);
        assert_eq!(charts[0].lines[1].labels, ["not measured"; 2]);
    }

    #[test]
    fn counts_of_streams_have_the_late_frames_of_their_worst_trial() {
        let point = |count, late, judged| {
            let mut point = test_figures::vda_point(count, 1.0, None);
            let mut figures = LateFigures::default();
            (figures.total.late_frames, figures.total.frames_judged) = (late, judged);
            (point.stream_count, point.streams) = (Some(count), Some(figures));
            point
        };
        let load_points = vec![point(4, 0, 100), point(8, 50, 100), point(8, 10, 100), point(6, 0, 0)];
        let charts = charts(&Summary { load_points, ..summary() });
        assert_eq!(charts[0].lines[0].points, [(4.0, Some(0.0)), (6.0, None), (8.0, Some(50.0))]);
    }

    #[test]
    fn a_suite_has_a_bar_for_each_workload() {
        let row = |name: &str, median_bytes_per_s| NasptRow {
            workload: name.to_owned(),
            median_bytes_per_s,
            ..NasptRow::default()
        };
        let table = NasptTable { rows: vec![row("a", Some(5e6)), row("b", None)], ..NasptTable::default() };
        let chart = of_suite(&table);
        assert_eq!(
            chart.as_ref().map(|chart| chart.lines[0].points.clone()),
            Some(vec![(0.0, Some(5.0)), (1.0, None)])
        );
        assert_eq!(of_suite(&NasptTable::default()), None);
    }

    #[test]
    fn stalled_second_is_zero_and_unmeasured_second_is_a_gap() {
        let step = |point: Option<u16>, ops, warmup_ops| SeriesStep {
            point,
            ops,
            warmup_ops,
            ..SeriesStep::default()
        };
        let steps = [
            step(None, 0, 0),
            step(None, 0, 9),
            step(Some(0), 9, 0),
            step(None, 0, 0),
            step(Some(0), 9, 0),
            step(None, 0, 0),
            step(Some(1), 9, 0),
            step(None, 0, 0),
        ];
        assert_eq!(measured_steps(&steps), [false, false, true, true, true, false, true, false]);
        assert!(measured_steps(&[]).is_empty());
    }
}
