//! The workers of a load point, shown on request or if they differ too much.

use reelgauge_analysis::{LoadPoint, Summary, TimeFigures, WorkerFigures};

use crate::answer_parts::label;
use crate::document::{Block, PointBlocks, Section};
use crate::page::ScreenText;
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::numbers;
use crate::units::{count, number};

/// Workers differ if the slowest has less than this share of the throughput of the fastest.
const DIFFER: f64 = 0.5;

/// The throughput of a worker is meaningful from this many operations on.
const ENOUGH_OPS: u64 = 30;

/// The number of the slowest, and of the fastest, workers that are shown without a request.
const SHOWN_OF_EACH: usize = 3;

/// A sentence if the workers differ strongly.
pub(crate) fn difference(point: &LoadPoint) -> Option<String> {
    let order = by_throughput(&point.per_worker);
    let (slowest, fastest) = (order.first()?, order.last()?);
    let (slow, fast) = (mb_per_s(slowest)?, mb_per_s(fastest)?);
    // Slow workers must have had enough time.
    if fastest.figures.ops < ENOUGH_OPS || slow >= DIFFER * fast {
        return None;
    }
    Some(format!(
        "The workers differ: from worker {} with {} MB/s to worker {} with {} MB/s.",
        slowest.worker,
        number(slow),
        fastest.worker,
        number(fast)
    ))
}

/// One row per worker; only the slowest and fastest unless all are requested.
pub(crate) fn write(point: &LoadPoint, all: bool, page: &mut ScreenText) {
    let mut shown: Vec<&WorkerFigures> = by_throughput(&point.per_worker);
    let hidden = shown.len().saturating_sub(2 * SHOWN_OF_EACH);
    if all {
        shown.sort_by_key(|worker| worker.worker);
    } else {
        shown.drain(SHOWN_OF_EACH.min(shown.len())..(SHOWN_OF_EACH + hidden).min(shown.len()));
    }
    page.table(table(&shown, false));
    if !all && hidden > 0 {
        let between = match hidden {
            1 => "1 worker between these is not shown.".to_owned(),
            hidden => format!("{} workers between these are not shown.", count(hidden as u64)),
        };
        page.sentence(Tone::Plain, &between);
    }
}

/// The section of the page about the workers of each load point with several; `None` if there is no such
/// load point.
pub(crate) fn section(summary: &Summary) -> Option<Section> {
    let of_point = |(at, point): (usize, &LoadPoint)| {
        let mut table = table(&point.per_worker.iter().collect::<Vec<_>>(), true);
        table.rows =
            (0..point.per_worker.len()).map(|n| format!("load_points.{at}.per_worker.{n}")).collect();
        PointBlocks { point: at, label: label(point), blocks: vec![Block::Table(table)] }
    };
    let points = summary.load_points.iter().enumerate().filter(|(_, point)| point.per_worker.len() > 1);
    let points: Vec<PointBlocks> = points.map(of_point).collect();
    let mut section = Section::of_page("workers", "Workers", "");
    (!points.is_empty()).then(|| {
        section.blocks.push(Block::Points(points));
        section
    })
}

/// A page has space for more columns than a terminal.
fn table(workers: &[&WorkerFigures], is_page: bool) -> Table {
    let values = |of: &dyn Fn(&WorkerFigures) -> Option<f64>| {
        numbers(&workers.iter().map(|worker| of(worker)).collect::<Vec<_>>())
    };
    let counts = |of: fn(&WorkerFigures) -> u64| workers.iter().map(|worker| count(of(worker))).collect();
    let response_ms = |of: fn(&TimeFigures) -> Option<f64>| {
        values(&move |worker| Some(of(worker.figures.response.data.as_ref()?)? / 1e3))
    };
    let mb = |of: fn(&WorkerFigures) -> Option<f64>| values(&move |worker| of(worker).map(|rate| rate / 1e6));
    let mut table = Table::new("Workers of the load point");
    table.column("", "worker", counts(|worker| u64::from(worker.worker))).at("worker");
    table.column("read", "MB/s", mb(|worker| worker.figures.read_bytes_per_s)).at("read_bytes_per_s");
    table.column("write", "MB/s", mb(|worker| worker.figures.written_bytes_per_s)).at("written_bytes_per_s");
    if is_page {
        table.column("", "operations", counts(|worker| worker.figures.ops)).at("ops");
    }
    table.column("", "transfers", counts(|worker| worker.figures.transfers)).at("transfers");
    table.column("op p50", "ms", response_ms(TimeFigures::carried_p50_us)).at("response.data.p50_us");
    table.column("op p99", "ms", response_ms(TimeFigures::carried_p99_us)).at("response.data.p99_us");
    table.column("op max", "ms", response_ms(|times| Some(times.max_us))).at("response.data.max_us");
    table.column("", "errors", counts(|worker| worker.figures.failed_ops)).at("failed_ops");
    table
}

fn by_throughput(workers: &[WorkerFigures]) -> Vec<&WorkerFigures> {
    let mut order: Vec<&WorkerFigures> = workers.iter().collect();
    let rate = |worker: &WorkerFigures| worker.figures.bytes_per_s.unwrap_or(0.0);
    order.sort_by(|a, b| rate(a).total_cmp(&rate(b)));
    order
}

fn mb_per_s(worker: &WorkerFigures) -> Option<f64> {
    Some(worker.figures.bytes_per_s? / 1e6)
}
