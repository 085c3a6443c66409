//! Tables on the screen: the load points, and the paper's three tables.

use reelgauge_analysis::figures::Figures;
use reelgauge_analysis::{LoadPoint, Mode, PaperCell, PaperTables, TimeFigures};

use crate::answer_parts::says_only_workers;
use crate::page::ScreenText;
use crate::table::Table;
use crate::text::plain_short;
use crate::units::{block_size, column_decimals, count, duration, fixed, number};

/// The text of cells without a measurement.
const NOTHING: &str = "-";
const OP_P99: &str = "99 of 100 single reads and writes completed no later than this time after they were \
                      due to start. For streams, see the frame p99.";

/// The text in place of a figure that was not measured.
pub(crate) fn not_measured() -> String {
    NOTHING.to_owned()
}

/// A column of numbers with aligned decimal points.
pub(crate) fn numbers(values: &[Option<f64>]) -> Vec<String> {
    let decimals = column_decimals(values.iter().flatten().map(|value| value.abs()));
    values.iter().map(|value| cell(*value, decimals)).collect()
}

fn cell(value: Option<f64>, decimals: usize) -> String {
    value.map_or_else(|| NOTHING.to_owned(), |value| fixed(value, decimals))
}

/// One row per load point.
pub(crate) fn load_points(points: &[LoadPoint], width: usize) -> Table {
    let column = |of: &dyn Fn(&LoadPoint) -> String| points.iter().map(of).collect::<Vec<_>>();
    let values = |of: &dyn Fn(&LoadPoint) -> Option<f64>| numbers(&points.iter().map(of).collect::<Vec<_>>());
    let response_ms = |of: fn(&TimeFigures) -> Option<f64>| {
        values(&move |point| Some(of(point.total.response.data.as_ref()?)? / 1e3))
    };
    let mut table = Table::new("Figures of each load point");
    table.rows = (0..points.len()).map(|at| format!("load_points.{at}")).collect();
    if !points.iter().all(says_only_workers) {
        table.words("load point", column(&|point| plain_short(&point.label, width / 2)));
    }
    table.column("", "workers", column(&|point| count(u64::from(point.workers)))).at("workers");
    table.column("measured", "s", values(&|point| Some(point.measured_s))).at("measured_s").detail();
    rates(points, &mut table);
    table.column("", "ops/s", values(&|point| point.total.data_ops_per_s)).at("total.data_ops_per_s");
    let p50 = response_ms(TimeFigures::carried_p50_us);
    table.column("op p50", "ms", p50).at("total.response.data.p50_us").detail();
    let p99 = response_ms(TimeFigures::carried_p99_us);
    table.column("op p99", "ms", p99).at("total.response.data.p99_us").help(OP_P99);
    let max = response_ms(|times| Some(times.max_us));
    table.column("op max", "ms", max).at("total.response.data.max_us").detail();
    errors(points, &mut table);
    table
}

/// Bytes read and written per second, of each load point.
pub(crate) fn rates(points: &[LoadPoint], table: &mut Table) {
    let mb = |of: fn(&Figures) -> Option<f64>| {
        numbers(&points.iter().map(|point| of(&point.total).map(|rate| rate / 1e6)).collect::<Vec<_>>())
    };
    let read = mb(|total| total.read_bytes_per_s);
    table.column("read", "MB/s", read).at("total.read_bytes_per_s").detail();
    let written = mb(|total| total.written_bytes_per_s);
    table.column("write", "MB/s", written).at("total.written_bytes_per_s").detail();
}

/// Failed operations of each load point.
pub(crate) fn errors(points: &[LoadPoint], table: &mut Table) {
    let errors = |point: &LoadPoint| (!point.is_unmeasured()).then_some(point.total.failed_ops);
    let cells = points.iter().map(|point| errors(point).map_or(NOTHING.to_owned(), count));
    table.column("", "errors", cells.collect()).at("total.failed_ops").detail();
}

/// The paper's three tables, each with its title; the share of short blocks; and the paper's distinction
/// between data and latency.
pub(crate) fn paper(paper: &PaperTables, page: &mut ScreenText) {
    for (at, table) in paper_tables(paper, false).into_iter().enumerate() {
        if at > 0 {
            page.gap();
        }
        page.caption(&table.caption);
        page.table(table);
    }
    paper_notes(paper).iter().for_each(|note| page.caption(note));
}

/// The paper's tables. A page has space for the full names of the types of access.
pub(crate) fn paper_tables(paper: &PaperTables, is_page: bool) -> Vec<Table> {
    type Number = fn(&PaperCell) -> Option<f64>;
    let latency = if paper.per_transfer {
        "Average latency, ms: per transfer, all time in which no data moves"
    } else {
        "Average latency, ms: open, close and other time that moves no data, per transfer"
    };
    let tables: [(&str, Number); 4] = [
        ("Rate of one worker, only while it transfers data, MB/s (not throughput)", |cell| {
            cell.transfer_rate_while_transferring_mb_per_s
        }),
        (latency, |cell| cell.average_latency_ms),
        ("Maximum latency, s", |cell| cell.maximum_latency_s),
        ("Reads and writes shorter than the block size, % (the last block of each transfer)", |cell| {
            cell.short_block_share.map(|share| share * 100.0)
        }),
    ];
    // Tables of earlier versions have no shares.
    let is_there = |(_, number): &(&str, Number)| paper.cells.iter().any(|cell| number(cell).is_some());
    let table = |(title, number)| paper_table(paper, title, number, is_page);
    tables.into_iter().filter(is_there).map(table).collect()
}

/// Remarks on the paper's tables.
pub(crate) fn paper_notes(paper: &PaperTables) -> Vec<String> {
    [symmetry(paper), paper_terms(paper)].into_iter().flatten().collect()
}

/// The ratio of writes to reads, if both were measured with the same access.
fn symmetry(paper: &PaperTables) -> Option<String> {
    let rate = |mode| paper.cell(mode, None)?.transfer_rate_while_transferring_mb_per_s;
    let times = |writes, reads, words: &str| {
        let (writes, reads) = (rate(writes)?, rate(reads)?);
        (reads > 0.0).then(|| format!("{} times that of {words}", number(writes / reads)))
    };
    let times: Vec<String> = [
        times(Mode::SeqWr, Mode::SeqRd, "sequential reads"),
        times(Mode::RandWr, Mode::RandRd, "random reads"),
    ]
    .into_iter()
    .flatten()
    .collect();
    let (first, rest) = times.split_first()?;
    let rest = rest.first().map_or_else(String::new, |rest| format!(", {rest}"));
    Some(format!("Symmetry: the write rate was {first}{rest}."))
}

/// The paper's distinction between data and latency, as text; `None` for tables of earlier versions,
/// which were made without it.
pub(crate) fn paper_terms(paper: &PaperTables) -> Option<String> {
    let all = paper.cell(Mode::All, None).filter(|_| paper.per_transfer)?;
    // Transfers of a single block have no time between blocks; that is not a short time.
    let own = all.average_gap_ms.filter(|gap_ms| *gap_ms > 0.0).map(|gap_ms| {
        format!(", here {} on average, during which the storage was idle", duration(gap_ms * 1e3))
    });
    Some(format!(
        "As in EBU Tech 3362: each transfer, with its shorter last block, counts under the block size drawn \
         for it. Latency includes the time between a transfer's blocks (§ 5.1{}). Closing a written file \
         counts as data transfer.",
        own.unwrap_or_default()
    ))
}

fn paper_table(
    paper: &PaperTables,
    title: &str,
    number: fn(&PaperCell) -> Option<f64>,
    is_page: bool,
) -> Table {
    let decimals = column_decimals(paper.cells.iter().filter_map(number));
    let mut table = Table::new(title);
    // Tables of a single worker have no rows for work that it did not do.
    let is_there = |mode: &Mode| paper.cells.iter().any(|cell| cell.mode == *mode);
    let modes: Vec<Mode> = Mode::ROWS.into_iter().filter(is_there).collect();
    if is_page {
        table.words("access", modes.iter().map(|mode| access(*mode).to_owned()).collect());
    } else {
        table.column("", "", modes.iter().map(|mode| mode.name().to_owned()).collect());
    }
    let sizes = paper.block_bytes.iter().copied().map(Some).chain([None]);
    for block_bytes in sizes {
        let header = block_bytes.map_or_else(|| "All".to_owned(), |bytes| block_size(u64::from(bytes)));
        let of = |mode: &Mode| cell(paper.cell(*mode, block_bytes).and_then(number), decimals);
        // The number above its unit, so that a dozen sizes fit side by side.
        let (size, unit) = header.split_once(' ').filter(|_| !is_page).unwrap_or(("", &header));
        table.column(size, unit, modes.iter().map(of).collect());
    }
    table
}

/// The name of a type of access.
fn access(mode: Mode) -> &'static str {
    match mode {
        Mode::SeqRd => "sequential read",
        Mode::RandRd => "random read",
        Mode::SeqWr => "sequential write",
        Mode::RandWr => "random write",
        Mode::All => "all",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tables(rates: &[(Mode, Option<f64>)]) -> PaperTables {
        let cell = |&(mode, rate): &(Mode, Option<f64>)| PaperCell {
            mode,
            block_bytes: None,
            data_ops: 1,
            short_block_share: None,
            bytes: 1,
            transfers: 1,
            transfer_rate_while_transferring_mb_per_s: rate,
            average_latency_ms: None,
            average_gap_ms: None,
            maximum_latency_s: None,
        };
        PaperTables { cells: rates.iter().map(cell).collect(), ..PaperTables::default() }
    }

    #[test]
    fn symmetry_is_stated_where_both_directions_were_measured() {
        let mut printed = Vec::<String>::new();
        let sequential = [(Mode::SeqRd, Some(100.0)), (Mode::SeqWr, Some(50.0))];
        let said = symmetry(&tables(&sequential)).unwrap_or_default();
        printed.push(said.to_string());
        let random = [(Mode::RandRd, Some(20.0)), (Mode::RandWr, Some(30.0))];
        let said = symmetry(&tables(&[sequential, random].concat())).unwrap_or_default();
        printed.push(said.to_string());
        assert_eq!(symmetry(&tables(&sequential[..1])), None);
        assert_eq!(symmetry(&tables(&[(Mode::SeqRd, Some(0.0)), (Mode::SeqWr, Some(1.0))])), None);
        assert_eq!(symmetry(&tables(&[(Mode::SeqRd, Some(1.0)), (Mode::SeqWr, None)])), None);
        insta::assert_snapshot!(printed.join("\n"));
    }
}
