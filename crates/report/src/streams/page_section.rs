//! The section of the page about the streams of each load point. The application draws its charts, and
//! the table in which a stream can be selected.

use reelgauge_analysis::late::LateFigures;
use reelgauge_analysis::{LoadPoint, Summary};

use crate::document::{Block, PointBlocks, Section, Tile};
use crate::table::Table;
use crate::tables::{not_measured, numbers};
use crate::text::plain;
use crate::units::{count, counted, duration, number};

use super::told;

const ABOUT: &str = "Every frame has a deadline on a fixed timeline. A frame that completes after its \
                     deadline is late. A stall also makes the frames after it late.";

/// One load point at a time. The last one is shown first, because it is the most interesting.
pub(crate) fn section(summary: &Summary) -> Option<Section> {
    let first = told(summary).map(|point| point.index);
    let of_point = |(at, point): (usize, &LoadPoint)| {
        let late = point.streams.as_ref().filter(|late| !late.streams.is_empty())?;
        let label = format!("{}, {}", plain(&point.label), counted(late.total.late_frames, "late frame"));
        let mut blocks = vec![Block::Tiles(totals(at, late)), Block::PageChart("streams".to_owned())];
        blocks.extend(rates(at, point).map(Block::Table));
        Some((Some(point.index) == first, PointBlocks { point: at, label, blocks }))
    };
    let mut points: Vec<_> = summary.load_points.iter().enumerate().filter_map(of_point).collect();
    points.sort_by_key(|(is_first, _)| *is_first);
    if points.is_empty() {
        return None;
    }
    let mut section = Section::of_page("streams", "Stream table", ABOUT);
    section.blocks.push(Block::Points(points.into_iter().map(|(_, blocks)| blocks).collect()));
    Some(section)
}

fn totals(at: usize, late: &LateFigures) -> Vec<Tile> {
    let total = &late.total;
    let tile = |name: &str, text: String, field: &str| {
        Tile::new(name, text).at(format!("load_points.{at}.streams.total.{field}"))
    };
    let is_good = Some(total.late_frames == 0);
    let not_begun = match total.streams_not_begun {
        0 => String::new(),
        some => format!("{} never started", count(some)),
    };
    let margin = total.worst_margin.map(|worst| worst.margin.margin_us);
    let of_frame = total.worst_margin.map_or_else(String::new, |worst| {
        let never = if worst.margin.has_come { "" } else { ", which never completed" };
        format!("stream {}, frame {}{never}", worst.stream, count(worst.margin.frame))
    });
    let p99 = total.response.and_then(|times| times.carried_p99_us());
    vec![
        Tile { more: not_begun, ..tile("Streams", count(total.streams), "streams") },
        Tile {
            more: format!("of {}", count(total.frames_judged)),
            is_good,
            ..tile("Late frames", count(total.late_frames), "late_frames")
        },
        Tile {
            is_good,
            ..tile(
                "Streams with late frames",
                count(total.streams_with_late_frames),
                "streams_with_late_frames",
            )
        },
        Tile {
            more: of_frame,
            is_good: margin.map(|us| us >= 0.0),
            ..tile(
                "Worst margin",
                margin.map_or_else(not_measured, |us| format!("{} ms", number(us / 1e3))),
                "worst_margin.margin_us",
            )
        },
        tile("99 of 100 frames within", p99.map_or_else(not_measured, duration), "response.p99_us"),
        Tile {
            more: format!("in {}", counted(late.incident_count, "incident")),
            is_good,
            ..tile("Bursts of late frames", count(total.late_runs), "late_runs")
        },
        tile("Late due to Reelgauge", count(total.late_frames_with_own_delay), "late_frames_with_own_delay"),
    ]
}

/// The achieved rate of each worker with a requested rate.
fn rates(at: usize, point: &LoadPoint) -> Option<Table> {
    let rates = &point.rates;
    let mut table = Table::new("Workers with a requested rate");
    table.rows = (0..rates.len()).map(|rate| format!("load_points.{at}.rates.{rate}")).collect();
    table.column("", "worker", rates.iter().map(|rate| rate.worker.to_string()).collect());
    table.words("component", rates.iter().map(|rate| plain(&rate.component)).collect());
    let asked: Vec<_> = rates.iter().map(|rate| Some(rate.requested_ops_per_s)).collect();
    table.column("requested", "op/s", numbers(&asked)).at("requested_ops_per_s");
    let did: Vec<_> = rates.iter().map(|rate| Some(rate.achieved_ops_per_s)).collect();
    table.column("achieved", "op/s", numbers(&did)).at("achieved_ops_per_s");
    (!rates.is_empty()).then_some(table)
}
