//! The number of a run as text, and where it is in `summary.json`.

use reelgauge_analysis::Summary;
use reelgauge_analysis::statement::Number;

use crate::units::{count, duration, mb_per_s};

const NOT_MEASURED: &str = "–";

/// A summary that was rebuilt from a log has no statement, so its number has no path.
pub(super) fn number(number: &Number, summary: &Summary) -> (String, String) {
    let stated = |field: &str, text: String| {
        let path = |_| format!("statement.number.{field}");
        (text, summary.statement.as_ref().map_or_else(String::new, path))
    };
    let streams = |streams: u64| stated("streams", count(streams));
    match number {
        Number::LateFrames { late_frames, .. } => stated("late_frames", count(*late_frames)),
        Number::Streams { streams: all, .. } => streams(*all),
        Number::Capacity { streams: all, .. } | Number::ValidPoint { streams: Some(all) } => {
            streams(u64::from(*all))
        }
        Number::Throughput { bytes_per_s, .. } => stated("bytes_per_s", mb_per_s(*bytes_per_s)),
        Number::FirstLook { play: Some(play), .. } => stated("play", count(u64::from(*play))),
        Number::FirstLook { record: Some(record), .. } => stated("record", count(u64::from(*record))),
        Number::Failed { point: at, .. } => failed(*at, summary),
        Number::Replay { pass, .. } => replayed(*pass, summary),
        Number::NotMeasured | Number::ValidPoint { .. } | Number::FirstLook { .. } => nothing(),
    }
}

fn nothing() -> (String, String) {
    (NOT_MEASURED.to_owned(), String::new())
}

fn failed(at: usize, summary: &Summary) -> (String, String) {
    let Some(point) = summary.load_points.get(at) else { return nothing() };
    let (field, streams) = match point.stream_count {
        Some(streams) => ("stream_count", streams),
        None => ("workers", point.workers),
    };
    (count(u64::from(streams)), format!("load_points.{at}.{field}"))
}

/// At the recorded pace the rate is that of the recording, so the measured figure is the delay.
fn replayed(pass: usize, summary: &Summary) -> (String, String) {
    let Some(replay) = &summary.replay else { return nothing() };
    let slowest = replay.delay_s().and_then(|delay_s| {
        let is_it = |pass: &reelgauge_analysis::ReplayPass| pass.complete && pass.delay_s == Some(delay_s);
        Some((replay.passes.iter().position(is_it)?, delay_s))
    });
    let (rate, path) = match slowest {
        Some((at, delay_s)) => {
            return (duration(delay_s.max(0.0) * 1e6), format!("replay.passes.{at}.delay_s"));
        }
        None if replay.passes.len() > 1 => {
            (replay.median_bytes_per_s, "replay.median_bytes_per_s".to_owned())
        }
        None => {
            let rate = replay.passes.get(pass).and_then(|pass| pass.bytes_per_s);
            (rate, format!("replay.passes.{pass}.bytes_per_s"))
        }
    };
    (rate.map_or_else(|| NOT_MEASURED.to_owned(), mb_per_s), path)
}
