//! The streams with the worst results, one row each.

use std::collections::BTreeMap;

use reelgauge_analysis::late::StreamFigures;

use crate::table::Table;
use crate::tables::numbers;
use crate::text::plain;
use crate::units::{count, counted, moment};

/// The number of late streams shown without `--details`.
const LATE_SHOWN: usize = 5;

/// The number of on-time streams shown without `--details`.
const CLOSE_SHOWN: usize = 3;

/// The streams that are shown, one row each, and the text below them.
pub(crate) struct Worst {
    pub(crate) heading: &'static str,
    pub(crate) table: Table,
    pub(crate) below: Vec<String>,
}

/// All streams by number, or the late ones, or those with the smallest margin. `None` if all streams are
/// alike.
pub(crate) fn worst(streams: &[StreamFigures], all: bool) -> Option<Worst> {
    // A stream that was stopped before its first deadline has no result.
    let mut shown: Vec<&StreamFigures> =
        streams.iter().filter(|stream| all || stream.frames_judged > 0).collect();
    shown.sort_by(|one, two| {
        let margin =
            |stream: &StreamFigures| stream.worst_margin.map_or(f64::INFINITY, |worst| worst.margin_us);
        let by_margin = margin(one).total_cmp(&margin(two));
        two.late_frames.cmp(&one.late_frames).then(by_margin).then(one.stream.cmp(&two.stream))
    });
    let late = shown.iter().take_while(|stream| stream.late_frames > 0).count();
    let heading = if all {
        shown.sort_by_key(|stream| stream.stream);
        "Streams"
    } else if late > 0 {
        shown.truncate(late);
        "Streams with late frames"
    } else {
        "Streams closest to being late"
    };
    let most = match (all, late) {
        (true, _) => shown.len(),
        (false, 0) => CLOSE_SHOWN,
        (false, _) => LATE_SHOWN,
    };
    let hidden = if late > 0 { shown.len().saturating_sub(most) } else { 0 };
    shown.truncate(most);
    if shown.is_empty() {
        return None;
    }
    let mut below = names(&shown);
    if hidden > 0 {
        below.push(format!("{} more had late frames.", counted(hidden as u64, "stream")));
    }
    Some(Worst { heading, table: table(&shown), below })
}

fn table(streams: &[&StreamFigures]) -> Table {
    let column =
        |of: &dyn Fn(&StreamFigures) -> String| streams.iter().map(|one| of(one)).collect::<Vec<_>>();
    let values = |of: &dyn Fn(&StreamFigures) -> Option<f64>| {
        numbers(&streams.iter().map(|one| of(one)).collect::<Vec<_>>())
    };
    let mut table = Table::default();
    let any_late = streams.iter().any(|stream| stream.late_frames > 0);
    table.column("", "stream", column(&|stream| stream.stream.to_string()));
    if !any_late {
        table.column("", "frames", column(&|stream| count(stream.frames_judged)));
    }
    table.column("late", "frames", column(&late_frames));
    if any_late {
        table.column("", "late bursts", column(&|stream| count(stream.late_runs)));
        table.column("longest", "s", values(&longest_s));
        table.column("first late", "frame", column(&|stream| first(stream)));
        table.column("into", "the run", column(&|stream| first_at(stream)));
    }
    table.column("worst margin", "ms", values(&|stream| Some(stream.worst_margin?.margin_us / 1e3)));
    table.column("frame", "p99 ms", values(&|stream| Some(stream.response?.carried_p99_us()? / 1e3)));
    table
}

/// One line per stream name, unshortened, with the numbers of its streams.
fn names(streams: &[&StreamFigures]) -> Vec<String> {
    let mut numbers_of: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for stream in streams.iter().filter(|stream| !stream.name.is_empty()) {
        numbers_of.entry(&stream.name).or_default().push(stream.stream);
    }
    let mut named: Vec<(Vec<u32>, &str)> =
        numbers_of.into_iter().map(|(name, numbers)| (numbers, name)).collect();
    named.iter_mut().for_each(|(numbers, _)| numbers.sort_unstable());
    named.sort();
    let line = |(numbers, name): &(Vec<u32>, &str)| {
        let noun = if numbers.len() == 1 { "Stream" } else { "Streams" };
        format!("{noun} {}: {}.", ranges(numbers), plain(name))
    };
    named.iter().map(line).collect()
}

/// Ascending numbers with ranges: `0 to 3, 7`.
fn ranges(numbers: &[u32]) -> String {
    let runs = numbers.chunk_by(|one, two| two - one == 1);
    let told = runs.map(|run| match run {
        [one] => one.to_string(),
        [one, two] => format!("{one}, {two}"),
        [first, .., last] => format!("{first} to {last}"),
        [] => String::new(),
    });
    told.collect::<Vec<_>>().join(", ")
}

fn late_frames(stream: &StreamFigures) -> String {
    if stream.frames_judged == 0 { "-".to_owned() } else { count(stream.late_frames) }
}

fn longest_s(stream: &StreamFigures) -> Option<f64> {
    let lengths = stream.worst_late_runs.iter().map(|late_run| late_run.length_s);
    lengths.max_by(f64::total_cmp)
}

fn first(stream: &StreamFigures) -> String {
    stream.first_late.map_or_else(|| "-".to_owned(), |first| first.frame.to_string())
}

fn first_at(stream: &StreamFigures) -> String {
    stream.first_late.map_or_else(|| "-".to_owned(), |first| moment(first.deadline_s))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn names_are_whole() {
        let long = "recorder, Sony XDCAM HD422 1080i50 CBR 50 Mbit/s as one MXF file";
        let stream = |stream: u32, name: &str| StreamFigures {
            stream,
            name: name.to_owned(),
            frames_judged: 100,
            late_frames: 7,
            ..StreamFigures::default()
        };
        let streams =
            [stream(0, long), stream(1, long), stream(2, long), stream(3, "player"), stream(5, long)];
        let told = worst(&streams, true).unwrap().below.join(" ");
        insta::assert_snapshot!(told);
    }
}
