//! Response times of each kind of operation on the page: a table for each load point. The application
//! draws the charts next to it.

use reelgauge_analysis::figures::{CARRY_P50, CARRY_P95, CARRY_P99, CARRY_P99_9, TimesByKind};
use reelgauge_analysis::{LoadPoint, Summary, TimeFigures};
use reelgauge_record::OpKind;

use crate::document::{Block, PointBlocks, Section};
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::plain;
use crate::units::{count, counted, moment};

const ABOUT: &str = "Response time is counted from when an operation was due to start, service time from \
                     when it was issued. The difference is waiting time.";

/// The section of the page about response times.
pub(crate) fn section(summary: &Summary) -> Section {
    let mut section = Section::of_page("latency", "Response times", ABOUT);
    section.blocks.push(Block::PageChart("latency".to_owned()));
    let of_point = |(point, found): (usize, &LoadPoint)| {
        let blocks = vec![Block::Table(table(point, found)?)];
        Some(PointBlocks { point, label: plain(&found.label), blocks })
    };
    let points: Vec<PointBlocks> = summary.load_points.iter().enumerate().filter_map(of_point).collect();
    if points.is_empty() {
        section.say(Tone::Plain, "No operation succeeded, so there are no times.");
    } else {
        section.blocks.push(Block::Points(points));
    }
    section
}

/// A row for each kind of operation; `None` if none succeeded.
fn table(at: usize, point: &LoadPoint) -> Option<Table> {
    type Times = fn(&TimeFigures) -> Option<f64>;
    let (response, service) = (&point.total.response, &point.total.service);
    // Reads and writes together, then each kind.
    let kinds = [None].into_iter().chain(OpKind::ALL.map(Some));
    let of =
        |times: &TimesByKind, kind: Option<OpKind>| kind.map_or(times.data, |kind| times.of(kind).copied());
    let (kinds, rows): (Vec<Option<OpKind>>, Vec<TimeFigures>) =
        kinds.filter_map(|kind| Some((kind, of(response, kind)?))).unzip();
    if rows.is_empty() {
        return None;
    }
    let ms = |times: Times| numbers(&rows.iter().map(|row| Some(times(row)? / 1e3)).collect::<Vec<_>>());
    let service_ms = |times: Times| {
        numbers(&kinds.iter().map(|kind| Some(times(&of(service, *kind)?)? / 1e3)).collect::<Vec<_>>())
    };
    let mut table = Table::new("Times of single operations, by kind");
    table.rows = kinds.iter().map(|kind| kind.map_or("data", OpKind::name).to_owned()).collect();
    table.words(
        "kind",
        kinds.iter().map(|kind| kind.map_or("reads and writes", OpKind::name).to_owned()).collect(),
    );
    let path = |field: &str| format!("load_points.{at}.total.response.*.{field}");
    table.column("", "count", rows.iter().map(|row| count(row.count)).collect()).at(path("count"));
    let columns: [(&str, &str, Times, u64); 7] = [
        ("mean", "mean_us", |times| Some(times.mean_us), 0),
        ("deviation", "deviation_us", |times| times.deviation_us, 0),
        ("p50", "p50_us", TimeFigures::carried_p50_us, CARRY_P50),
        ("p95", "p95_us", TimeFigures::carried_p95_us, CARRY_P95),
        ("p99", "p99_us", TimeFigures::carried_p99_us, CARRY_P99),
        ("p99.9", "p99_9_us", TimeFigures::carried_p99_9_us, CARRY_P99_9),
        ("max", "max_us", |times| Some(times.max_us), 0),
    ];
    for (name, field, times, needed) in columns {
        if rows.iter().any(|row| times(row).is_some()) {
            table.column(name, "ms", ms(times)).at(path(field)).help(&needs(name, needed));
        }
    }
    table
        .column("", "max at", rows.iter().map(|row| moment(row.max_began_s)).collect())
        .at(path("max_began_s"));
    let path = |field: &str| format!("load_points.{at}.total.service.*.{field}");
    table
        .column("service p50", "ms", service_ms(TimeFigures::carried_p50_us))
        .at(path("p50_us"))
        .help(&needs("p50", CARRY_P50));
    table
        .column("service p99", "ms", service_ms(TimeFigures::carried_p99_us))
        .at(path("p99_us"))
        .help(&needs("p99", CARRY_P99));
    Some(table)
}

/// Explains that a percentile needs this many operations; empty for figures that need only one.
fn needs(name: &str, operations: u64) -> String {
    match operations {
        0 => String::new(),
        some => format!("{name} needs at least {}.", counted(some, "operation")),
    }
}
