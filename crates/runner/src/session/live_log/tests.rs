//! Tests of the events that a run writes.

#![allow(clippy::unwrap_used)]

use std::path::Path;

use reelgauge_analysis::late::StreamNow;

use super::*;
use crate::observer::{Silent, Waiting};
use reelgauge_results::live::FILE_NAME;

fn live(label: &str, elapsed_ms: u64, mb_per_s: f64, late_frames: Option<u64>) -> Live {
    Live {
        at_ns: elapsed_ms * 1_000_000,
        label: label.to_owned(),
        elapsed: Duration::from_millis(elapsed_ms),
        warmup: Duration::from_secs(1),
        total: Duration::from_secs(9),
        read_bytes_per_s: mb_per_s * 1e6,
        late_frames,
        ..Live::default()
    }
}

#[test]
fn one_tick_per_second_has_the_mean_of_its_second() {
    let mut ticks = Ticks::default();
    let told: Vec<_> = (1..=12_u32)
        .filter_map(|step| ticks.take(&live("p", u64::from(step) * 250, f64::from(step), None)))
        .map(|tick| (tick.elapsed_s, tick.read_bytes_per_s / 1e6, tick.total_s))
        .collect();
    // The first at once; then steps 2 to 5, 6 to 9, and the rest is not due yet.
    assert_eq!(told, [(0.25, 1.0, Some(9.0)), (1.25, 3.5, Some(9.0)), (2.25, 7.5, Some(9.0))]);
}

#[test]
fn a_late_frame_is_reported_at_once_and_counts_restart_per_load_point() {
    let mut ticks = Ticks::default();
    let mut told = Vec::new();
    for step in [
        live("1 stream", 250, 8.0, Some(0)),
        live("1 stream", 500, 8.0, Some(0)),
        live("1 stream", 750, 8.0, Some(2)),
        live("1 stream", 1000, 8.0, Some(2)),
        live("2 streams", 250, 6.0, Some(0)),
        live("2 streams", 500, 6.0, Some(1)),
    ] {
        told.extend(ticks.take(&step).map(|tick| (tick.elapsed_s, tick.late_frames.unwrap())));
    }
    assert_eq!(told, [(0.25, 0), (0.75, 2), (0.25, 0), (0.5, 1)]);
}

#[test]
fn silence_its_end_and_the_last_tick_are_reported_at_once() {
    let ms = Duration::from_millis;
    let mut ticks = Ticks::default();
    let mut told = Vec::new();
    for (elapsed_ms, longest_ms, since_answer_ms) in
        [(250, 9, 1), (500, 250, 200), (750, 500, 450), (1000, 750, 700), (1250, 900, 3), (1500, 9, 2)]
    {
        let waiting = Waiting::of(Some(ms(longest_ms)), Some(ms(since_answer_ms)));
        let live = Live { waiting, is_over: elapsed_ms == 1500, ..live("p", elapsed_ms, 8.0, None) };
        told.extend(ticks.take(&live));
    }
    let told: Vec<_> =
        told.iter().map(|tick| (tick.elapsed_s, tick.longest_in_flight_s, tick.no_answer_s)).collect();
    let expected = [(0.25, 0.009, None), (0.75, 0.5, Some(0.45)), (1.25, 0.9, None), (1.5, 0.009, None)];
    assert_eq!(told, expected.map(|(at_s, longest_s, silent_s)| (at_s, Some(longest_s), silent_s)));
}

#[test]
fn margins_are_the_smallest_since_the_tick_before() {
    let mut ticks = Ticks::default();
    let at = |elapsed_ms, margins_us: [Option<i64>; 2]| {
        let stream = |(stream, margin_us): (u32, Option<i64>)| StreamNow {
            stream,
            late_frames: 0,
            margin_ns: margin_us.map(|us| us * 1_000),
            buffer_ns: 500_000_000,
        };
        let streams: Vec<StreamNow> = (7..).zip(margins_us).map(stream).collect();
        let margin_ns = streams.iter().filter_map(|stream| stream.margin_ns).min();
        Live { margin_ns, streams, ..live("p", elapsed_ms, 8.0, Some(0)) }
    };
    let steps = [
        at(250, [Some(480_900), None]),
        at(500, [Some(20_000), None]),
        at(750, [Some(500_000), Some(90_000)]),
        at(1250, [Some(400_000), None]),
        at(2250, [Some(-1), None]),
    ];
    let told: Vec<LiveTick> = steps.iter().filter_map(|live| ticks.take(live)).collect();
    let margins: Vec<_> = told.iter().map(|tick| (tick.margin_ms, tick.streams.margin_ms.clone())).collect();
    let expected = [
        (Some(480), vec![Some(480), None]),
        (Some(20), vec![Some(20), Some(90)]),
        // A thousandth of a millisecond overdue is overdue.
        (Some(-1), vec![Some(-1), None]),
    ];
    assert_eq!(margins, expected);
    assert_eq!((&told[0].streams.stream, &told[0].streams.buffer_ms), (&vec![7, 8], &vec![500, 500]));
}

#[test]
fn a_replay_of_unknown_length_has_no_planned_end() {
    let ever = Live { total: Duration::from_secs(1 << 40), ..live("p", 250, 1.0, None) };
    assert_eq!(Ticks::default().take(&ever).unwrap().total_s, None);
}

#[test]
fn events_are_in_the_file_as_soon_as_they_happen() {
    let dir = tempfile::tempdir().unwrap();
    let mut silent = Silent;
    let mut log = LiveLog::with_observer(&mut silent);
    log.phase("reading");
    let target = Path::new("/mnt/nas");
    log.begun(&RunBegin { run_dir: dir.path(), verb: "mix", label: "l", target });
    for done in 0..1000 {
        log.prepared(done, 1000);
    }
    log.prepared(1000, 1000);
    log.clock_began(Clock::start());
    log.live(&live("p", 250, 1.0, None));
    let text = || std::fs::read_to_string(dir.path().join(FILE_NAME)).unwrap();
    let begun = Instant::now();
    while text().lines().count() < 5 && begun.elapsed() < Duration::from_secs(10) {
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(text().ends_with('\n'));
    let reason = Some("somebody".to_owned());
    log.end(&LiveEvent::End {
        at_s: 1.0,
        outcome: LiveOutcome::Interrupted,
        reason,
        late_frames: None,
        incidents: None,
    });
    let events: Vec<LiveEvent> =
        text().lines().map(|line| LiveEvent::from_line(line.as_bytes()).unwrap()).collect();
    let named: Vec<&str> = events
        .iter()
        .map(|event| match event {
            LiveEvent::Begin { pid, .. } if *pid == std::process::id() => "begin",
            LiveEvent::Phase { at_s, .. } if *at_s == 0.0 => "phase",
            LiveEvent::Prepared { done_bytes: 0, .. } => "first",
            LiveEvent::Prepared { done_bytes: 1000, .. } => "last",
            LiveEvent::Live(_) => "live",
            LiveEvent::End { outcome: LiveOutcome::Interrupted, .. } => "end",
            _ => "?",
        })
        .collect();
    assert_eq!(named, ["begin", "phase", "first", "last", "live", "end"]);
}
