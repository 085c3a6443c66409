//! How far to trust the figures of a run, for its page: the timing and the cost of Reelgauge, the mode
//! that was found, whether the log is complete, and errors.

use reelgauge_analysis::figures::{CARRY_P99, ErrorFigures};
use reelgauge_analysis::{SelfCost, Summary};

use crate::answer_parts::label;
use crate::document::{Block, Section, Tile};
use crate::sentence::Tone;
use crate::table::Table;
use crate::tables::not_measured;
use crate::text::plain;
use crate::units::{amount, block_size, count, counted, duration, fixed, moment, number, percent};

const DELAY: &str = "Time that a due operation waited in Reelgauge although its worker was free. It is \
                     never attributed to the storage.";

pub(crate) fn section(summary: &Summary) -> Section {
    let (mode, log) = (&summary.effective_mode, &summary.log);
    let mut section = Section::of_page("trust", "Trust", plain(&summary.self_cost.sentence));
    let share = |share: Option<f64>| share.map_or_else(not_measured, percent);
    let mut tiles = cost_tiles(summary);
    tiles.push(Tile {
        more: format!("requested: {}", plain(&mode.asked)),
        is_good: Some(mode.asked == mode.found),
        ..Tile::new("Mode", plain(&mode.found))
    });
    let cached = format!("{} → {}", share(mode.cached_share_before), share(mode.cached_share_after));
    tiles.push(Tile {
        more: "share of the files, before and after the run".to_owned(),
        ..Tile::new("In this client's cache", cached)
    });
    tiles.push(Tile {
        more: format!("{} in {}", counted(log.rows, "row"), amount(log.bytes)),
        is_good: Some(log.complete),
        ..Tile::new("Log", if log.complete { "all operations" } else { "NOT all operations" })
    });
    section.blocks.push(Block::Tiles(tiles));
    if !mode.sentence.is_empty() {
        section.say(Tone::Plain, format!("Mode: {}", plain(&mode.sentence)));
    }
    log.note.iter().for_each(|note| section.say(Tone::Plain, format!("Log: {}", plain(note))));
    if log.dropped_to_histograms_ops > 0 {
        let dropped = counted(log.dropped_to_histograms_ops, "operation");
        section.say(Tone::Bad, format!("In the figures but not in the log: {dropped}."));
    }
    section.blocks.extend(errors(summary).map(Block::Table));
    section
}

/// Reelgauge's own timing, and its cost.
fn cost_tiles(summary: &Summary) -> Vec<Tile> {
    let cost: &SelfCost = &summary.self_cost;
    let timing = match cost.timing_good_enough {
        None => "unknown",
        Some(true) => "good enough",
        Some(false) => "not good enough",
    };
    let time = |us: Option<f64>| us.map_or_else(not_measured, duration);
    let p99_us = cost.lateness_p99_us.filter(|_| summary.ops() >= CARRY_P99);
    let seconds = |seconds: Option<f64>| seconds.map_or_else(not_measured, |s| format!("{} s", fixed(s, 2)));
    let per_op = cost.cpu_us_per_op.map_or_else(not_measured, |us| format!("{} µs", number(us)));
    vec![
        Tile { is_good: Some(cost.timing_good_enough == Some(true)), ..Tile::new("Own timing", timing) },
        Tile {
            more: format!("longest {}", time(cost.lateness_max_us)),
            help: DELAY.to_owned(),
            ..Tile::new("Scheduling delay of Reelgauge, p99", time(p99_us)).at("self_cost.lateness_p99_us")
        },
        Tile {
            more: format!("{} user, {} system", seconds(cost.cpu_user_s), seconds(cost.cpu_system_s)),
            ..Tile::new("CPU per operation", per_op).at("self_cost.cpu_us_per_op")
        },
    ]
}

/// A row for each error of each load point.
fn errors(summary: &Summary) -> Option<Table> {
    let of_point = |(at, point)| {
        let point: &reelgauge_analysis::LoadPoint = point;
        let errors = point.total.errors.iter().enumerate();
        errors.map(move |(n, error)| (error, point, format!("load_points.{at}.total.errors.{n}")))
    };
    let found: Vec<_> = summary.load_points.iter().enumerate().flat_map(of_point).collect();
    let cells = |of: &dyn Fn(&ErrorFigures) -> String| found.iter().map(|(error, ..)| of(error)).collect();
    let mut table = Table::new("Errors");
    table.rows = found.iter().map(|(.., path)| path.clone()).collect();
    let message = |error: &ErrorFigures| match error.message.as_str() {
        "" => format!("error {}", error.errno),
        message => plain(message),
    };
    table.words("error", cells(&message));
    table.words("load point", found.iter().map(|(_, point, _)| label(point)).collect());
    table.column("", "count", cells(&|error| count(error.count))).at("count");
    table.column("longest wait", "", cells(&|error| duration(error.max_response_us))).at("max_response_us");
    let first = |error: &ErrorFigures| {
        let first = &error.first;
        format!(
            "{} of file {} at {}, worker {}, {}",
            first.kind.name(),
            first.file,
            block_size(first.offset_bytes),
            first.worker,
            moment(first.failed_at_s)
        )
    };
    table.words("first", cells(&first));
    (!found.is_empty()).then_some(table)
}
