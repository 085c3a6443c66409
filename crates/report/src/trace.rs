//! The screen of a trace: its source and limitations, the total work of the application, the sizes and
//! times of its operations, the most important files, and signs of fragmentation.

use std::path::Path;

use reelgauge_analysis::figures::CARRY_P99;
use reelgauge_analysis::trace_stats::{
    FileFigures, KindFigures, ServiceFigures, SizeFigures, TraceAbout, TraceFigures, TraceReport,
};

use crate::document::{Block, Section};
use crate::fragments::fragment_sentences;
use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::numbers;
use crate::text::{path_short, plain, plain_short, shell_word};
use crate::units::{amount, block_size, count, counted, duration, fixed, mb_per_s, number};

/// Longer names are cut in tables.
const NAME_CHARS: usize = 36;
/// Longer lines of a source are cut.
const LINE_CHARS: usize = 60;

/// The screen as text, ending with a line feed.
pub fn trace_screen(report: &TraceReport, style: Style) -> String {
    let mut page = ScreenText::new(style);
    let figures = &report.figures;
    page.heading(&format!("{}{}", heading(report), period(figures)));
    answer(report, &mut page);
    both(figures, false, &mut page);
    sizes(figures, &mut page);
    service(figures, &mut page);
    kinds(figures, &mut page);
    files(report, &mut page);
    about(&report.about, figures.from_s.is_some() || figures.to_s.is_some(), &mut page);
    page.text
}

/// The sections of a page about a trace. `again`: the command that replays it.
pub fn trace_sections(report: &TraceReport, again: &str) -> Vec<Section> {
    let section = |id: &str, heading: String, show: &dyn Fn(&mut ScreenText)| {
        let mut page = ScreenText::new(Style::default());
        show(&mut page);
        Section { blocks: page.blocks, ..Section::of_page(id, heading, "") }
    };
    let mut first = section("answer", heading(report), &|page| {
        answer(report, page);
        page.sentence(Tone::Plain, "Replay it with:");
    });
    first.blocks.push(Block::Command(again.to_owned()));
    let figures = section("figures", "Figures".to_owned(), &|page| {
        both(&report.figures, true, page);
        kinds(&report.figures, page);
    });
    let about = section("about", "About this trace".to_owned(), &|page| about(&report.about, false, page));
    vec![first, figures, about]
}

/// The text in place of the directory of a built-in trace.
pub fn where_built_in(name: &str) -> String {
    format!("built in. To copy it: reelgauge traces {} --out DIR", shell_word(Path::new(name)))
}

fn heading(report: &TraceReport) -> String {
    format!("Trace {}", plain_short(&report.about.name, 60))
}

/// `, from 4.00 ms to 20.0 ms`; empty for a whole trace.
fn period(figures: &TraceFigures) -> String {
    match (figures.from_s, figures.to_s) {
        (None, None) => String::new(),
        (from, to) => {
            format!(", from {} to {}", in_time(from.unwrap_or(0.0)), to.map_or("its end".to_owned(), in_time))
        }
    }
}

/// A summary in two sentences, and signs of fragmentation.
fn answer(report: &TraceReport, page: &mut ScreenText) {
    let (about, figures) = (&report.about, &report.figures);
    if !about.about.is_empty() {
        page.sentence(Tone::Plain, &plain(&about.about));
    }
    page.gap();
    if figures.ops == 0 {
        page.sentence(Tone::Bad, "No operations in this period.");
        return;
    }
    let threads = match about.threads {
        0 => String::new(),
        threads => format!(" by {}", counted(u64::from(threads), "thread")),
    };
    page.sentence(
        Tone::Answer,
        &format!(
            "{} on {} in {}{threads}: {} read, {} written.",
            counted(figures.ops, "operation"),
            counted(figures.files.touched, "file"),
            duration(figures.span_s * 1e6),
            amount(figures.read_bytes),
            amount(figures.written_bytes)
        ),
    );
    if let (Some(whole), Some(in_file)) = (figures.sequential_percent, figures.sequential_in_file_percent) {
        let text = format!(
            "{whole} % of {} are sequential in the whole trace, {in_file} % within their files.",
            counted(figures.accesses, "access")
        );
        page.sentence(Tone::Plain, &text);
    }
    signs(report, page);
}

/// A time in a trace, which may be short.
fn in_time(seconds: f64) -> String {
    duration(seconds * 1e6)
}

/// Signs of fragmentation, each with its evidence.
fn signs(report: &TraceReport, page: &mut ScreenText) {
    let sentences = fragment_sentences(&report.signs);
    if !sentences.is_empty() {
        page.gap();
    }
    for sentence in sentences {
        page.sentence(Tone::Bad, &format!("{}.", plain(&sentence)));
    }
}

/// Reads and writes side by side.
fn both(figures: &TraceFigures, is_page: bool, page: &mut ScreenText) {
    if figures.accesses == 0 {
        return;
    }
    let directions = [
        ("reads", figures.reads, figures.read_bytes_per_s, &figures.read_sizes, &figures.read_service),
        ("writes", figures.writes, figures.written_bytes_per_s, &figures.write_sizes, &figures.write_service),
    ];
    let shown: Vec<_> = directions.into_iter().filter(|(_, many, ..)| *many > 0).collect();
    let size = |of: fn(&SizeFigures) -> f64| {
        numbers(&shown.iter().map(|row| row.3.as_ref().map(of)).collect::<Vec<_>>())
    };
    let us = |of: &dyn Fn(&ServiceFigures) -> Option<f64>| {
        let values = shown.iter().map(|row| Some(of(row.4.as_ref()?)? / 1e3));
        numbers(&values.collect::<Vec<_>>())
    };
    let ms = |of: fn(&ServiceFigures) -> f64| us(&|times| Some(of(times)));
    let mut table = Table::new("Reads and writes");
    table.rows = shown.iter().map(|row| row.0.trim_end_matches('s').to_owned()).collect();
    table.column("", "", shown.iter().map(|row| row.0.to_owned()).collect());
    table.column("", "count", shown.iter().map(|row| count(row.1)).collect()).at("figures.*s");
    let rate = |rate: Option<f64>| rate.map_or("-".to_owned(), mb_per_s);
    table.column("", "MB/s", shown.iter().map(|row| rate(row.2)).collect());
    table
        .column("median", "bytes", size(|sizes| sizes.median_bytes as f64))
        .at("figures.*_sizes.median_bytes");
    table.column("mean", "bytes", size(|sizes| sizes.mean_bytes.round())).at("figures.*_sizes.mean_bytes");
    table
        .column("deviation", "bytes", size(|sizes| sizes.deviation_bytes.round()))
        .at("figures.*_sizes.deviation_bytes");
    table.column("median", "ms", ms(|times| times.median_us)).at("figures.*_service.median_us");
    table.column("mean", "ms", ms(|times| times.mean_us)).at("figures.*_service.mean_us");
    table.column("deviation", "ms", ms(|times| times.deviation_us)).at("figures.*_service.deviation_us");
    if is_page {
        table
            .column("p99", "ms", us(&|times| (times.count >= CARRY_P99).then_some(times.p99_us)))
            .at("figures.*_service.p99_us");
    }
    table.column("max", "ms", ms(|times| times.max_us)).at("figures.*_service.max_us");
    page.gap();
    page.table(table);
    let notes = [
        (figures.reads_at_the_end, "returned no data, at the end of the file"),
        (figures.short_ops, "moved less data than requested"),
        (figures.copied_ops, "were copied by the kernel"),
        (figures.mapped_ops, "used memory maps (mmap)"),
        (figures.warmup_ops, "of a warm-up are not counted"),
    ];
    let notes =
        notes.iter().filter(|(many, _)| *many > 0).map(|(many, what)| format!("{} {what}", count(*many)));
    let notes: Vec<String> = notes.collect();
    if !notes.is_empty() {
        page.sentence(Tone::Plain, &format!("Of these, {}.", notes.join(", ")));
    }
}

/// The rows of two histograms with the same edges, as one table.
fn histogram(what: &str, rows: &[(f64, String, u64, u64)], directions: (bool, bool), page: &mut ScreenText) {
    if rows.is_empty() {
        return;
    }
    let mut table = Table::default();
    table.column(what, "from", rows.iter().map(|row| row.1.clone()).collect());
    let mut column = |name: &str, of: fn(&(f64, String, u64, u64)) -> u64| {
        let total: u64 = rows.iter().map(of).sum();
        let share = |row| format!("{:.1}", of(row) as f64 * 100.0 / total.max(1) as f64);
        table.column("", name, rows.iter().map(|row| count(of(row))).collect());
        table.column("", "%", rows.iter().map(share).collect());
    };
    if directions.0 {
        column("reads", |row| row.2);
    }
    if directions.1 {
        column("writes", |row| row.3);
    }
    page.gap();
    page.table(table);
}

fn sizes(figures: &TraceFigures, page: &mut ScreenText) {
    let of = |sizes: &Option<SizeFigures>| {
        let rows = sizes.iter().flat_map(|sizes| sizes.histogram.clone());
        rows.map(|row| (row.from_bytes as f64, block_size(row.from_bytes), row.count)).collect::<Vec<_>>()
    };
    let rows = merged(of(&figures.read_sizes), of(&figures.write_sizes));
    histogram("size", &rows, (figures.reads > 0, figures.writes > 0), page);
}

fn service(figures: &TraceFigures, page: &mut ScreenText) {
    let of = |times: &Option<ServiceFigures>| {
        let rows = times.iter().flat_map(|times| times.histogram.clone());
        rows.map(|row| (row.from_us, edge(row.from_us), row.count)).collect::<Vec<_>>()
    };
    let rows = merged(of(&figures.read_service), of(&figures.write_service));
    // A capture without durations has no such times.
    if rows.iter().any(|row| row.0 > 0.0) {
        histogram("service", &rows, (figures.reads > 0, figures.writes > 0), page);
    }
}

/// The edge of a step of 1, 2 or 5, without decimals: `50 µs`, `2 ms`.
fn edge(us: f64) -> String {
    let (value, unit) = match us {
        v if v < 1e3 => (v, "µs"),
        v if v < 1e6 => (v / 1e3, "ms"),
        v => (v / 1e6, "s"),
    };
    format!("{} {unit}", fixed(value, 0))
}

/// Rows of reads and of writes by their lower edges.
fn merged(reads: Vec<(f64, String, u64)>, writes: Vec<(f64, String, u64)>) -> Vec<(f64, String, u64, u64)> {
    let mut rows: Vec<_> = reads.into_iter().map(|(from, name, many)| (from, name, many, 0)).collect();
    for (from, name, many) in writes {
        match rows.iter_mut().find(|row| row.0 == from) {
            Some(row) => row.3 = many,
            None => rows.push((from, name, 0, many)),
        }
    }
    rows.sort_by(|one, two| one.0.total_cmp(&two.0));
    rows
}

fn kinds(figures: &TraceFigures, page: &mut ScreenText) {
    let kinds = &figures.by_kind;
    if kinds.is_empty() {
        return;
    }
    let mut table = Table::new("Kinds of operations");
    table.rows = (0..kinds.len()).map(|at| format!("figures.by_kind.{at}")).collect();
    let ms = |of: fn(&KindFigures) -> Option<f64>| {
        numbers(&kinds.iter().map(|kind| of(kind).map(|us| us / 1e3)).collect::<Vec<_>>())
    };
    table.column("", "operation", kinds.iter().map(|kind| kind.kind.clone()).collect());
    table.column("", "count", kinds.iter().map(|kind| count(kind.ops)).collect()).at("ops");
    table.column("", "failed", kinds.iter().map(|kind| count(kind.failed_ops)).collect()).at("failed_ops");
    table
        .column("in all", "s", numbers(&kinds.iter().map(|kind| kind.service_s).collect::<Vec<_>>()))
        .at("service_s");
    table.column("mean", "ms", ms(|kind| kind.mean_service_us)).at("mean_service_us");
    table.column("max", "ms", ms(|kind| kind.max_service_us)).at("max_service_us");
    page.gap();
    page.table(table);
    let errors = figures
        .errors
        .iter()
        .map(|error| format!("{} × {} at {}", count(error.count), error.name, error.kind));
    let errors: Vec<String> = errors.collect();
    if !errors.is_empty() {
        page.sentence(Tone::Plain, &format!("Failed: {}.", errors.join(", ")));
    }
}

fn files(report: &TraceReport, page: &mut ScreenText) {
    let files = &report.files;
    if files.is_empty() {
        return;
    }
    let mb = |of: fn(&FileFigures) -> u64| {
        let values: Vec<_> = files.iter().map(|file| Some(of(file) as f64 / 1e6)).collect();
        numbers(&values)
    };
    let values =
        |of: &dyn Fn(&FileFigures) -> Option<f64>| numbers(&files.iter().map(of).collect::<Vec<_>>());
    let mut table = Table::default();
    table.column("", "file", files.iter().map(|file| path_short(&file.path, NAME_CHARS)).collect());
    table.column("read", "MB", mb(|file| file.read_bytes));
    table.column("written", "MB", mb(|file| file.written_bytes));
    table.column("", "reads", files.iter().map(|file| count(file.reads)).collect());
    table.column("", "writes", files.iter().map(|file| count(file.writes)).collect());
    table.column("sequential", "%", values(&|file| file.sequential_percent));
    table.column("in file", "%", values(&|file| file.sequential_in_file_percent));
    page.gap();
    page.table(table);
    let touched = report.figures.files.touched;
    if touched > files.len() as u64 {
        let text = format!(
            "{} of {}, those with the most bytes. --top shows more.",
            files.len(),
            counted(touched, "file")
        );
        page.sentence(Tone::Plain, &text);
    }
}

/// The capture level, and the operations that it records.
fn seen_at(capture: &str) -> String {
    let seen = match capture {
        "application" => ": requests of the application, before any cache",
        "cache" => ": requests of the page cache, with its own sizes and order",
        "network" => ": requests on the network, without reads that the client's cache answered",
        "block" => ": requests that reached the disk; their files are unknown",
        _ => "",
    };
    format!("{} level{seen}", plain(capture))
}

/// The source of the trace, and reasons to doubt it.
fn about(about: &TraceAbout, is_part: bool, page: &mut ScreenText) {
    page.gap();
    let mut made = plain(&about.made_by);
    if !about.source.is_empty() {
        made.push_str(&format!(" of {}", plain(&about.source)));
    }
    if !about.made_at.is_empty() {
        made.push_str(&format!(", {}", plain(&about.made_at)));
    }
    page.item("Made by", &made);
    page.item("Seen at", &seen_at(&about.capture));
    if !about.blind_to.is_empty() {
        page.item("Not seen", &plain(&about.blind_to.join(", ")));
    }
    if let Some(moved) = about.moved.filter(|_| is_part) {
        let (reads, writes) = (counted(moved.reads, "read"), counted(moved.writes, "write"));
        let (read, written) = (amount(moved.read_bytes), amount(moved.written_bytes));
        page.item("Whole trace", &format!("{read} in {reads}, {written} in {writes}"));
    }
    if let Some(cost_ns) = about.cost_ns_per_op {
        let way = about.round_trip_ns.map_or_else(String::new, |way_ns| {
            format!(", plus about {} for the round trip to the recorder", duration(way_ns / 1e3))
        });
        page.item("Recorder's cost", &format!("{} per operation{way}", duration(cost_ns / 1e3)));
    }
    let left_out = about.left_out.iter().map(|(why, many)| format!("{} ({})", plain(why), count(*many)));
    let left_out: Vec<String> = left_out.collect();
    if !left_out.is_empty() {
        page.item("Omitted", &left_out.join(", "));
    }
    for (figure, target, achieved, tolerance) in &about.synthetic {
        let (target, achieved, tolerance) = (number(*target), number(*achieved), number(*tolerance));
        let text = format!("{achieved}, published {target} (tolerance {tolerance})");
        page.item(&plain_short(figure, 40), &text);
    }
    if about.malformed_lines > 0 {
        page.warning(&format!(
            "{} of the source could not be parsed:",
            counted(about.malformed_lines, "line")
        ));
        for (line, text, why) in &about.first_malformed {
            page.item(
                &format!("  line {line}"),
                &format!("{}: {}", plain(why), plain_short(text, LINE_CHARS)),
            );
        }
    }
    for warning in &about.warnings {
        page.warning(&plain(warning));
    }
    page.gap();
    page.item("Files", &plain(&about.path));
}
