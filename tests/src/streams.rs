//! Shared parts of stream tests: formats of a known rate, and an independent count of late frames.

use std::path::Path;

use serde_json::Value;

use crate::python;
use crate::run_dir::{at, count, number};
use crate::verb::Verb;

/// A catalogue format of a modest rate. Its frames are all of one length, a multiple of 4 KiB.
#[derive(Clone, Copy, Debug)]
pub struct Flat {
    /// Its id in the catalogue.
    pub id: &'static str,
    /// Bytes of every frame.
    pub frame_bytes: u64,
    /// Frames per second.
    pub fps: u64,
}

impl Flat {
    /// The rate of one stream.
    pub const fn bytes_per_s(self) -> u64 {
        self.frame_bytes * self.fps
    }
}

/// 4.7 MB/s.
pub const SMALL: Flat = Flat { id: "dnxhr-lb-hd-25", frame_bytes: 188_416, fps: 25 };

/// The frames of [`SMALL`] at 24000 / 1001 per second, a rate that no decimal number holds.
pub const FILM: &str = "dnxhr-lb-hd-23976";

/// Counts late frames from the log of a run, without code of the product.
#[track_caller]
pub fn late_frames_in_log(run: &Path) -> Value {
    python::script("late_frames.py", &[run])
}

/// Checks that the summary and the log agree about every stream of every load point, frame by frame.
/// Returns the number of late frames.
#[track_caller]
pub fn agrees_with_log(verb: &Verb, summary: &Value) -> u64 {
    let counted = late_frames_in_log(&verb.run_dir());
    let counted = at(&counted, "points").as_array().unwrap();
    let stated = at(summary, "load_points").as_array().unwrap();
    assert_eq!(counted.len(), stated.len(), "load points");
    let mut late = 0;
    for (counted, stated) in counted.iter().zip(stated) {
        let point = count(counted, "point");
        let (streams, figures) = (at(counted, "streams"), at(stated, "streams.streams"));
        let (streams, figures) = (streams.as_array().unwrap(), figures.as_array().unwrap());
        assert_eq!(streams.len(), figures.len(), "streams of load point {point}");
        for (found, figures) in streams.iter().zip(figures) {
            let stream = count(found, "stream");
            assert_eq!(count(figures, "stream"), stream, "load point {point}");
            for name in ["frames_judged", "late_frames"] {
                let (found, stated) = (count(found, name), count(figures, name));
                assert_eq!(found, stated, "{name} of stream {stream} in load point {point}");
            }
            let first = at(figures, "first_late").get("frame").and_then(Value::as_u64);
            assert_eq!(at(found, "first_late_frame").as_u64(), first, "stream {stream}");
            assert!(count(figures, "frames_judged") > 0, "stream {stream} was not judged");
        }
        let sum = figures.iter().map(|figures| count(figures, "late_frames")).sum::<u64>();
        assert_eq!(count(stated, "streams.total.late_frames"), sum, "load point {point}");
        late += sum;
    }
    late
}

/// Checks that a search found the computed capacity or one less, and never more. `floor` is the capacity
/// by measurement, `ceiling` the one that cannot be exceeded.
#[track_caller]
pub fn found_within(summary: &Value, floor: u64, ceiling: u64) -> u64 {
    let search = at(summary, "search");
    let found = at(search, "streams").as_u64().unwrap_or(0);
    assert!(found <= ceiling, "found {found}, but no more than {ceiling} are possible\n{search:#}");
    assert!(found + 1 >= floor, "found {found} of {floor}\n{search:#}");
    let sometimes = at(search, "at_most").as_u64().unwrap_or(found);
    assert!(sometimes <= ceiling, "{sometimes} passed, but no more than {ceiling} are possible\n{search:#}");
    // On a busy host the search may report that the host itself was the limit. The numbers hold either
    // way.
    let trials = at(search, "trials").as_array().unwrap();
    let more = trials.iter().find(|trial| count(trial, "streams") == sometimes + 1);
    let fell = more.map_or(0, |trial| count(trial, "failed") + count(trial, "client_limited"));
    assert!(fell > 0, "one more was not tried, or did not fall\n{search:#}");
    found
}

/// How many streams of a rate fit into a bandwidth.
pub fn capacity(bytes_per_s: f64, stream: u64) -> u64 {
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss)]
    let streams = (bytes_per_s / stream as f64).floor() as u64;
    streams
}

/// Checks a value against an expected one, with a relative tolerance.
#[track_caller]
pub fn within(json: &Value, path: &str, expected: f64, tolerance: f64) {
    let found = number(json, path);
    assert!((found - expected).abs() <= tolerance, "'{path}' is {found}, not {expected} ± {tolerance}");
}
