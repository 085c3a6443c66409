//! Shortens a summary that is too long for a page, and reports the omitted parts.
//!
//! Most summaries have some tens of kilobytes and remain unchanged. With hundreds of load points or
//! streams and hours of seconds they have tens of megabytes, most of which no reader inspects on a page.
//! Figures that remain are never changed. `summary.json` keeps everything.

use std::io;

use reelgauge_analysis::figures::TimesByKind;
use reelgauge_analysis::late::{LateFigures, StreamFigures};
use reelgauge_analysis::paper::PaperTables;
use reelgauge_analysis::series::SeriesStep;
use reelgauge_analysis::{LoadPoint, Summary};

/// A summary with at most this many bytes of JSON is embedded whole.
pub const WHOLE_BYTES: usize = 1_200_000;
/// A shortened series keeps at least this many steps, and at most twice as many.
const STEPS: usize = 600;
/// The number of streams per load point that are kept, those with the most late frames.
const STREAMS: usize = 64;
/// The same number if there are hundreds of load points.
const FEW_STREAMS: usize = 4;
/// The number of late runs per stream that are kept.
const LATE_RUNS: usize = 5;

/// A part to omit: its name in the sentence, and the function that omits it.
type Step = (&'static str, fn(&mut Summary));

/// Omits parts of a summary, step by step, until it fits on a page. Returns a sentence about the omitted
/// parts.
pub fn shorten(summary: &mut Summary) -> Option<String> {
    let latest = "only the streams with the most late frames are included";
    let steps: [Step; 9] = [
        ("the paper's tables of single workers are omitted", |summary| {
            each(summary, |point| point.per_worker.iter_mut().for_each(|worker| worker.paper = None))
        }),
        ("neighbouring seconds are combined", merge_steps),
        ("only the first and the worst bursts of late frames of each stream are included", cut_late_runs),
        ("single workers are omitted", |summary| each(summary, |point| point.per_worker.clear())),
        (latest, |summary| cut_streams(summary, STREAMS)),
        ("the paper's tables are omitted", |summary| {
            each(summary, |point| point.paper = PaperTables::default())
        }),
        (latest, |summary| cut_streams(summary, FEW_STREAMS)),
        ("all streams are omitted", |summary| cut_streams(summary, 0)),
        ("service times are omitted", |summary| {
            each(summary, |point| point.total.service = TimesByKind::default())
        }),
    ];
    let mut said: Vec<&str> = Vec::new();
    for (what, leave_out) in steps {
        if fits(summary) {
            break;
        }
        leave_out(summary);
        said.retain(|said| *said != what);
        said.push(what);
    }
    let said = said.join("; ");
    (!said.is_empty())
        .then(|| format!("The summary is too large for a page: {said}. summary.json is complete."))
}

/// Whether it can be embedded whole. It stops at the limit, because the summary may be a hundred times
/// too long.
fn fits(summary: &Summary) -> bool {
    serde_json::to_writer(ByteBudget(WHOLE_BYTES), summary).is_ok()
}

/// The remaining bytes. A write beyond them fails; the data are discarded.
struct ByteBudget(usize);

impl io::Write for ByteBudget {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0 = self.0.checked_sub(bytes.len()).ok_or(io::ErrorKind::FileTooLarge)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn each(summary: &mut Summary, change: impl Fn(&mut LoadPoint)) {
    summary.load_points.iter_mut().for_each(change);
}

fn merge_steps(summary: &mut Summary) {
    let series = &mut summary.series;
    while series.steps.len() > 2 * STEPS {
        let merged = series.steps.chunks(2).map(|pair| pair[1..].iter().fold(pair[0].clone(), merged));
        series.steps = merged.collect();
        series.step_s = series.step_s.saturating_mul(2);
    }
}

fn merged(earlier: SeriesStep, later: &SeriesStep) -> SeriesStep {
    let (longest, began_s) = match later.max_response_us > earlier.max_response_us {
        true => (later.max_response_us, later.max_response_began_s),
        false => (earlier.max_response_us, earlier.max_response_began_s),
    };
    SeriesStep {
        began_s: earlier.began_s,
        point: earlier.point.max(later.point),
        ops: earlier.ops + later.ops,
        warmup_ops: earlier.warmup_ops + later.warmup_ops,
        read_bytes: earlier.read_bytes + later.read_bytes,
        written_bytes: earlier.written_bytes + later.written_bytes,
        errors: earlier.errors + later.errors,
        max_response_us: longest,
        max_response_began_s: began_s,
    }
}

fn streams(summary: &mut Summary) -> impl Iterator<Item = &mut LateFigures> {
    summary.load_points.iter_mut().filter_map(|point| point.streams.as_mut())
}

fn cut_late_runs(summary: &mut Summary) {
    for stream in streams(summary).flat_map(|figures| &mut figures.streams) {
        stream.first_late_runs.truncate(LATE_RUNS);
        stream.worst_late_runs.truncate(LATE_RUNS);
    }
}

fn cut_streams(summary: &mut Summary, most: usize) {
    for figures in streams(summary) {
        let mut late: Vec<StreamFigures> = std::mem::take(&mut figures.streams);
        late.sort_by_key(|stream| (std::cmp::Reverse(stream.late_frames), stream.stream));
        late.truncate(most);
        late.sort_by_key(|stream| stream.stream);
        figures.streams = late;
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use reelgauge_analysis::figures::PointTiming;
    use reelgauge_analysis::late::LateRun;
    use reelgauge_analysis::meter::Meter;
    use reelgauge_analysis::summary::{LoadPointFacts, Target};

    fn step(began_s: u64) -> SeriesStep {
        SeriesStep {
            began_s,
            ops: 3,
            read_bytes: began_s,
            max_response_us: Some(began_s as f64 + 0.123),
            max_response_began_s: Some(began_s as f64),
            ..SeriesStep::default()
        }
    }

    fn summary(streams: u32, steps: u64) -> Summary {
        let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "streams", Target::default());
        summary.series.steps = (0..steps).map(step).collect();
        let late_run = LateRun {
            first_frame: 50,
            frames: 3,
            dropped_frames: 2,
            began_s: 3.0,
            began_in_point_s: 2.5,
            length_s: 0.12,
            worst_late_us: Some(5_000.0),
        };
        let stream = |stream| StreamFigures {
            stream,
            late_frames: u64::from(stream % 7),
            first_late_runs: vec![late_run; 100],
            ..StreamFigures::default()
        };
        let figures = LateFigures { streams: (0..streams).map(stream).collect(), ..LateFigures::default() };
        let figures_of_point = Meter::new().finish_point(0, PointTiming::default());
        let mut point = LoadPoint::new(LoadPointFacts::default(), figures_of_point);
        point.streams = Some(figures);
        summary.load_points.push(point);
        summary
    }

    #[test]
    fn fitting_text_is_unchanged() {
        let whole = summary(3, 100);
        let mut kept = whole.clone();
        assert_eq!(shorten(&mut kept), None);
        assert_eq!(kept, whole);
    }

    #[test]
    fn content_of_exactly_the_free_space_fits() {
        let mut exact = summary(0, 0);
        let length = |summary: &Summary| serde_json::to_vec(summary).unwrap().len();
        exact.tool_version = "x".repeat(WHOLE_BYTES + exact.tool_version.len() - length(&exact));
        assert_eq!((length(&exact), fits(&exact)), (WHOLE_BYTES, true));
        exact.tool_version.push('x');
        assert!(!fits(&exact));
    }

    #[test]
    fn seconds_are_merged_without_losing_any() {
        let mut long = summary(0, 21_600);
        let said = shorten(&mut long).unwrap();
        insta::assert_snapshot!(said);
        assert_eq!((long.series.step_s, long.series.steps.len()), (32, 675));
        assert_eq!(long.series.steps.iter().map(|step| step.ops).sum::<u64>(), 3 * 21_600);
        assert_eq!(long.series.steps[1].read_bytes, (32..64).sum::<u64>());
        assert_eq!(long.series.steps[1].max_response_us, Some(63.123));
        assert_eq!(long.series.steps[1].max_response_began_s, Some(63.0));
    }

    #[test]
    fn hundreds_of_load_points_with_hundreds_of_streams_fit() {
        let mut large = summary(200, 0);
        large.load_points = vec![large.load_points[0].clone(); 200];
        let said = shorten(&mut large).unwrap();
        assert!(fits(&large), "{said}");
        insta::assert_snapshot!(said);
        assert_eq!(large.load_points.len(), 200);
    }

    #[test]
    fn thousands_of_streams_fit_and_the_latest_stay() {
        let mut large = summary(4_000, 0);
        let said = shorten(&mut large).unwrap();
        insta::assert_snapshot!(said);
        assert!(fits(&large));
        let streams = &large.load_points[0].streams.as_ref().unwrap().streams;
        assert_eq!(streams.len(), 64);
        assert!(streams.iter().all(|stream| stream.late_frames == 6));
        assert!(streams.is_sorted_by_key(|stream| stream.stream));
    }
}
