//! Screens of streams, searches, VDA-like runs and quick checks: the result first, the next step last.

#![allow(clippy::unwrap_used)]

mod short;

use reelgauge_analysis::criteria::Criteria;
use reelgauge_analysis::late::test_streams::player;
use reelgauge_analysis::late::{LateTally, MeasuredPart, Policy};
use reelgauge_analysis::summary::{LoadPointFacts, Target};
use reelgauge_analysis::vda::{ProcessRate, RateLimits};
use reelgauge_analysis::verdict::{Failure, Measured, judge};
use reelgauge_analysis::{
    CheckBasis, CheckCount, CheckFacts, CheckFormat, Culprit, Figures, LinkFacts, LoadPoint, Meter, Note,
    NoteFact, Outcome, PointTiming, SearchFacts, Summary, TrialsAt, VdaFacts, VdaPoint,
};
use reelgauge_record::OpRecord;
use reelgauge_record::test_records::read;
use reelgauge_report::verdict::in_words;
use reelgauge_report::{CsvTable, Screen, VdaInput, screen, vda_facts, write_csv};

const MS: u64 = 1_000_000;
const FRAME_BYTES: u32 = 1_000_000;

/// Plays two streams of 25 fps for four seconds on a store that responds after 10 ms, and freezes for
/// this time after two seconds. Returns the records of all frames.
fn records(frozen_ms: u64) -> Vec<OpRecord> {
    let mut records = Vec::new();
    for stream in 0..2 {
        let mut free_ns = 0;
        for frame in 0..125 {
            let due_ns = 40 * MS * u64::from(frame);
            let issued_ns = due_ns.max(free_ns);
            let freezes = 2000 * MS..(2000 + frozen_ms) * MS;
            let begins_ns = if freezes.contains(&issued_ns) { freezes.end } else { issued_ns };
            free_ns = begins_ns + 10 * MS;
            let read = read(stream, u64::from(frame) * u64::from(FRAME_BYTES), FRAME_BYTES);
            records.push(
                read.by_worker(stream).frame(frame).at_ns(issued_ns).due_at_ns(due_ns).done_at_ns(free_ns),
            );
        }
    }
    records
}

fn empty(verb: &str) -> Summary {
    let target = Target {
        path: "/mnt/nas".to_owned(),
        description: Some("SMB 3.1.1 from nas1".to_owned()),
        ..Target::default()
    };
    let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", verb, target);
    summary.run_dir = Some("reelgauge-runs/RUN".to_owned());
    summary
}

/// A load point of two streams.
fn point(frozen_ms: u64) -> LoadPoint {
    let mut meter = Meter::new();
    let part = MeasuredPart { point: 0, started_ns: 0, from_ns: 0, until_ns: 4500 * MS };
    let spec = |stream| {
        let stream = player(stream).named("player, Sony XAVC Intra Class 100 1080");
        let stream = stream.with_policy(Policy::Stall).with_buffer_ns(500 * MS);
        stream.of_frame_bytes(FRAME_BYTES.into())
    };
    let mut late = LateTally::new((0..2).map(spec).collect(), part);
    for record in records(frozen_ms) {
        meter.add(&record);
        late.add(&record);
    }
    let timing = PointTiming { started_ns: 0, measured_ns: 4500 * MS };
    let facts = LoadPointFacts { label: "2 players".to_owned(), workers: 2, ..LoadPointFacts::default() };
    let figures = meter.finish_point(0, timing);
    let late = late.finish(4500 * MS);
    let criteria = Criteria::of_frames(false);
    let measured = Measured { streams: &late.streams, total: Some(&figures.total), rates: &[] };
    let verdict = in_words(judge(&criteria, &measured));
    let mut point = LoadPoint::new(facts, figures);
    point.verdict = Some(verdict);
    point.streams = Some(late);
    point.stream_count = Some(2);
    point
}

fn streams(frozen_ms: u64) -> Summary {
    let mut summary = empty("streams");
    summary.load_points = vec![point(frozen_ms)];
    summary.verdict = summary.load_points[0].verdict.clone();
    summary
}

fn shown(summary: &Summary) -> String {
    let text = screen(summary, &Screen::default());
    for line in text.lines() {
        assert!(line.chars().count() <= 100, "{} characters: {line}", line.chars().count());
    }
    // The next step may take several lines.
    let last = text.trim_end().lines().rfind(|line| !line.starts_with("      ")).unwrap();
    assert!(last.starts_with("Next: "), "{text}");
    text
}

#[test]
fn streams_without_a_late_frame() {
    let text = shown(&streams(0));
    insta::assert_snapshot!(text);
}

#[test]
fn streams_with_late_frames() {
    let summary = streams(1000);
    let late = summary.load_points[0].streams.as_ref().unwrap().total.late_frames;
    let text = shown(&summary);
    let first = format!(
        "Result: {late} of 200 frames were late, on both players. Cause: the storage (no response for 1.01 s,"
    );
    assert!(late > 0 && text.split_whitespace().collect::<Vec<_>>().join(" ").starts_with(&first), "{text}");
    insta::assert_snapshot!(text);
}

#[test]
fn every_stream_has_a_row_in_the_csv() {
    let mut csv = Vec::new();
    write_csv(CsvTable::Streams, &streams(1000), &mut csv).unwrap();
    let text = String::from_utf8(csv).unwrap();
    assert_eq!(text.lines().count(), 1 + 2, "{text}");
    let header: Vec<&str> = text.lines().next().unwrap().split(',').collect();
    assert!(header.contains(&"late_frames"), "{header:?}");
    let mut rows = csv::Reader::from_reader(text.as_bytes());
    let rows: Vec<Vec<String>> = rows.deserialize().collect::<Result<_, _>>().unwrap();
    let cell = |row: usize, column: &str| &rows[row][header.iter().position(|name| *name == column).unwrap()];
    for stream in 0..2 {
        assert_eq!(cell(stream, "stream"), &stream.to_string());
        assert!(cell(stream, "name").starts_with("player, Sony XAVC"), "{rows:?}");
        assert_eq!(
            (cell(stream, "late_frames").as_str(), cell(stream, "frames_judged").as_str()),
            ("17", "100")
        );
        assert_eq!(
            (cell(stream, "first_late_frame").as_str(), cell(stream, "first_late_us").as_str()),
            ("50", "510000")
        );
        assert_eq!(cell(stream, "longest_late_run_s"), "0.68");
        assert_eq!(cell(stream, "worst_margin_us"), "-510000");
    }
}

#[test]
fn ramp_shows_failed_and_sustained_counts() {
    let mut summary = streams(0);
    let mut failed = point(1000);
    failed.stream_count = Some(3);
    failed.culprit = Some(Culprit::ThisMachine);
    failed.streams.as_mut().unwrap().incidents[0].culprit = Culprit::ThisMachine;
    summary.load_points.push(failed);
    let text = shown(&summary).split_whitespace().collect::<Vec<_>>().join(" ");
    let answer = "Result: INCONCLUSIVE: With 3 streams: 34 of 200 frames were late, on both players. ";
    assert!(text.starts_with(answer), "{text}");
    insta::assert_snapshot!(text);
    let limit = "This client, not the storage, was the limit with 3 streams: ";
    assert!(text.contains(limit), "{text}");
}

#[test]
fn load_point_failed_by_reelgauge_or_unmeasured_does_not_blame_storage() {
    let mut summary = streams(1000);
    let point = &mut summary.load_points[0];
    point.culprit = Some(Culprit::Tool);
    point.streams.as_mut().unwrap().incidents[0].culprit = Culprit::Tool;
    let text = shown(&summary).split_whitespace().collect::<Vec<_>>().join(" ");
    let own = "on both players. Cause: Reelgauge itself, not the storage";
    assert!(text.contains(own), "{text}");
    for failure in &mut summary.load_points[0].verdict.as_mut().unwrap().failures {
        failure.measured = false;
    }
    let verdict = summary.load_points[0].verdict.as_mut().unwrap();
    verdict.failed_first = verdict.failures.first().cloned();
    let text = shown(&summary);
    assert!(text.starts_with("Result:     UNKNOWN: ") && text.contains("unknown"), "{text}");
}

#[test]
fn short_screens_have_the_answer_a_table_three_warnings_and_the_next_step() {
    let runs = [streams(0), streams(1000), search(false), search(true), vda(&[1.0; 3]), vda(&[1.0, 0.5])];
    runs.iter().for_each(short::holds);
}

fn search(limited_by_client: bool) -> Summary {
    let mut summary = streams(1000);
    summary.verb = "streams".to_owned();
    let at = |streams, passed, failed, client_limited| TrialsAt {
        streams,
        passed,
        failed,
        client_limited,
        ..TrialsAt::default()
    };
    summary.search = Some(SearchFacts {
        what: "players of prores-422-hq-uhd-25".to_owned(),
        answer_sentence: "31 streams pass, 32 do not.".to_owned(),
        evidence_sentence: "31: 3 of 3; 32: 1 of 4".to_owned(),
        streams: Some(31),
        at_most: Some(31),
        stopped_by: None,
        limited_by_client,
        complete: !limited_by_client,
        trials: vec![at(16, 1, 0, 0), at(31, 3, 0, 0), at(32, 0, if limited_by_client { 0 } else { 4 }, 0)],
        failed_first: Some("stream 4 had 5 late frames".to_owned()),
        earlier: None,
    });
    summary
}

#[test]
fn a_search_gives_its_evidence() {
    insta::assert_snapshot!(shown(&search(false)));
}

#[test]
fn search_over_a_network_does_not_separate_storage_from_network() {
    let mut over_network = search(false);
    over_network.link = Some(LinkFacts { interface: "eth0".to_owned(), ..LinkFacts::default() });
    let heading = |summary: &Summary| {
        let text = shown(summary);
        text.lines().find(|line| line.contains("this client") && line.contains("passed")).map(str::to_owned)
    };
    insta::assert_snapshot!([heading(&over_network), heading(&search(false))].map(Option::unwrap).join("\n"));
}

#[test]
fn a_search_that_the_client_limited_claims_nothing_of_the_storage() {
    let text = shown(&search(true));
    assert!(text.starts_with("Result:     INCONCLUSIVE: At least 31"), "{text}");
}

/// A VDA-like run of 1, 2, … streams, each of which reached this share of the requested rates.
fn vda(shares: &[f64]) -> Summary {
    let mut summary = empty("vda");
    for (streams, share) in (1..).zip(shares) {
        let mut point = point(0);
        point.index = streams as u16 - 1;
        point.streams = None;
        point.verdict = None;
        point.stream_count = Some(streams);
        let rate = |worker, component: &str, requested: f64| ProcessRate {
            worker,
            component: component.to_owned(),
            requested_ops_per_s: requested * f64::from(streams),
            achieved_ops_per_s: requested * f64::from(streams) * share,
        };
        point.rates = vec![rate(0, "camera", 9.0), rate(1, "companion", 1.0)];
        point.rates_mean_response_ms = Some(0.8 * f64::from(streams));
        summary.load_points.push(point);
    }
    with_curve(summary)
}

fn with_curve(mut summary: Summary) -> Summary {
    let input = VdaInput { limits: RateLimits::default(), data_set_note: "As published.".to_owned() };
    summary.vda = Some(vda_facts(&summary.load_points, &input));
    summary
}

#[test]
fn requested_vda_count_is_not_compared_with_capacity() {
    const COMPARED: &str = "Published curves";
    const NOT: &str = "Published results are maximum loads.";
    let sustained = shown(&vda(&[1.0, 1.0]));
    insta::assert_snapshot!(sustained);
    assert!(sustained.contains(NOT) && !sustained.contains(COMPARED), "{sustained}");
    let limited = vda(&[1.0, 1.0, 0.5]);
    assert!(shown(&limited).contains(COMPARED), "{}", shown(&limited));
    let mut cut_off = limited.clone();
    cut_off.load_points[2].ended_early = Some("interrupted".to_owned());
    let mut own = limited.clone();
    own.load_points[2].culprit = Some(Culprit::ThisMachine);
    for summary in [cut_off, own] {
        let text = shown(&with_curve(summary));
        assert!(text.contains(NOT) && !text.contains(COMPARED), "{text}");
    }
    let none = shown(&vda(&[0.5]));
    assert!(!none.contains(NOT) && !none.contains(COMPARED), "{none}");
}

#[test]
fn a_vda_like_run_is_called_that() {
    let summary = vda(&[1.0, 1.0]);
    let text = shown(&summary);
    insta::assert_snapshot!(text);
}

#[test]
fn quick_check_fits_on_a_screen() {
    let mut summary = empty("check");
    summary.outcome = Outcome::Complete;
    let carried = |streams, at_least| CheckCount {
        streams,
        at_least,
        error_streams: Some(streams / 20),
        mb_per_s: 1000.0,
        limited_by: "the link".to_owned(),
        limit: None,
        basis: Some(CheckBasis::Held),
        held_s: Some(5.45),
        own_limit: false,
    };
    let format = |id: &str, name: &str, streams, each| CheckFormat {
        id: id.to_owned(),
        name: name.to_owned(),
        needed_mb_per_s_each: each,
        play: Some(carried(streams, false)),
        record: (streams < 50).then(|| carried(streams - 2, true)),
    };
    summary.check = Some(CheckFacts {
        mount: "SMB 3.1.1 from nas1".to_owned(),
        link: Some("eth0 at 10 Gbit/s, MTU 1500".to_owned()),
        line_rate_mb_per_s: Some(1177.0),
        sequential_read_mb_per_s: Some(1090.0),
        sequential_write_mb_per_s: Some(870.0),
        random_read_mb_per_s: Some(410.0),
        random_read_ms_p99: Some(9.3),
        formats: vec![
            format("xavc-intra-class-100-1080-25", "Sony XAVC Intra Class 100 1080, 25 fps", 74, 14.0),
            format("prores-422-hq-uhd-25", "Apple ProRes 422 HQ UHD, 25 fps", 11, 92.1),
        ],
        unsteady: None,
        limit: "The link: reading took 93 % of what 10 Gbit/s carry.".to_owned(),
        next_step: Some("reelgauge streams /mnt/nas --format prores-422-hq-uhd-25 --find-max".to_owned()),
        looked_s: 58.0,
        ..CheckFacts::default()
    });
    let text = screen(&summary, &Screen::default());
    assert!(text.lines().count() <= 24, "{text}");
    insta::assert_snapshot!(text);
}

const EVIL: &str = "x\u{1b}[2J\u{7}\r\ny\u{202e}z ";

fn assert_harmless(summary: &Summary) {
    let text = screen(summary, &Screen { run_dir: Some(EVIL), ..Screen::default() });
    assert!(text.contains("x\\u{1b}[2J"), "{text}");
    let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(harmful), "{text:?}");
}

#[test]
fn hostile_strings_reach_no_terminal() {
    let evil = || EVIL.to_owned();
    let mut summary = streams(1000);
    summary.run_dir = Some(evil());
    summary.target.path = evil();
    let point = &mut summary.load_points[0];
    point.label = evil();
    for stream in &mut point.streams.as_mut().unwrap().streams {
        stream.name = evil();
    }
    let failure = point.verdict.as_mut().unwrap().failed_first.as_mut().unwrap();
    failure.sentence = evil();
    assert_harmless(&summary);
    // A failure that only the verdict's own sentence describes.
    failure_of(&mut summary).stream = None;
    assert_harmless(&summary);
    summary.search = Some(SearchFacts {
        what: evil(),
        answer_sentence: evil(),
        evidence_sentence: evil(),
        failed_first: Some(evil()),
        ..SearchFacts::default()
    });
    assert_harmless(&summary);
    summary.vda = Some(VdaFacts {
        label: evil(),
        data_set_note: evil(),
        points: vec![VdaPoint { streams: 1, why_not: Some(evil()), ..VdaPoint::default() }],
        ort_note: Some(evil()),
        uneven_steps: vec![evil()],
        ..VdaFacts::default()
    });
    assert_harmless(&summary);
    let carried = CheckCount { streams: 1, limited_by: evil(), ..CheckCount::default() };
    let format = CheckFormat { name: evil(), play: Some(carried), ..CheckFormat::default() };
    summary.check = Some(CheckFacts {
        mount: evil(),
        link: Some(evil()),
        formats: vec![format],
        unsteady: Some(evil()),
        limit: evil(),
        next_step: Some(evil()),
        ..CheckFacts::default()
    });
    assert_harmless(&summary);
}

fn failure_of(summary: &mut Summary) -> &mut Failure {
    summary.load_points[0].verdict.as_mut().unwrap().failed_first.as_mut().unwrap()
}

#[test]
fn quick_check_screen_is_not_truncated() {
    let long = || "a long word or two ".repeat(40);
    let mut summary = empty("check");
    summary.outcome = Outcome::BrokeOff;
    summary.outcome_reason = Some(long());
    summary.target.path = format!("/mnt/{}", long());
    summary.notes = vec![Note::new(NoteFact::Other, long(), long()); 7];
    let carried = CheckCount { streams: 40, at_least: true, limited_by: long(), ..CheckCount::default() };
    let (play, record) = (Some(carried.clone()), Some(carried));
    let format = CheckFormat { name: long(), play, record, ..CheckFormat::default() };
    summary.check = Some(CheckFacts {
        mount: long(),
        link: Some(long()),
        line_rate_mb_per_s: Some(1177.0),
        sequential_read_mb_per_s: Some(1090.0),
        sequential_write_mb_per_s: Some(1870.0),
        random_read_mb_per_s: Some(1410.0),
        random_read_ms_p99: Some(19.3),
        formats: vec![format; 5],
        unsteady: Some(long()),
        limit: long(),
        next_step: Some(long()),
        looked_s: 58.0,
        ..CheckFacts::default()
    });
    // The reason for the interruption comes first, and the next step changes.
    let broken_off = screen(&summary, &Screen::default());
    // The command is never wrapped, so that it can be pasted.
    let next = format!("reelgauge check '/mnt/{}'", long());
    assert!(broken_off.starts_with("Result:"), "{broken_off}");
    assert!(broken_off.trim_end().ends_with(&next), "{broken_off}");

    // After that, the sentence that it was unsteady.
    summary.outcome = Outcome::Complete;
    let unsteady = screen(&summary, &Screen::default());
    assert!(unsteady.contains("Next: ") && unsteady != broken_off, "{unsteady}");
    summary.check.as_mut().unwrap().unsteady = None;
    let text = screen(&summary, &Screen { run_dir: Some("reelgauge-runs/check"), ..Screen::default() });
    let flowing = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let whole = |named: &str| flowing.matches(&format!("{named}: {}", long().trim())).count();
    assert_eq!((whole("Warning"), whole("Limit"), whole("Next")), (7, 1, 1), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 100), "{text}");
    assert!(text.lines().any(|line| line.starts_with("Next: ")), "{text}");
}

/// A run of streams that the user stopped before any operation in its only load point finished.
fn stopped() -> Summary {
    let mut summary = streams(0);
    summary.outcome = Outcome::Interrupted;
    summary.outcome_reason = Some("stopped by the user".to_owned());
    let point = &mut summary.load_points[0];
    point.ended_early = Some("stopped by the user".to_owned());
    point.verdict = None;
    point.total = Figures::default();
    let late = point.streams.as_mut().unwrap();
    late.total = Default::default();
    late.streams.iter_mut().for_each(|stream| stream.frames_judged = 0);
    summary
}

#[test]
fn stopped_run_shows_only_its_interruption() {
    let text = shown(&stopped());
    insta::assert_snapshot!(text);
    assert!(!text.contains("closest"), "{text}");
}

#[test]
fn a_curve_that_was_cut_off_is_neither_valid_nor_not() {
    let mut summary = stopped();
    let why_not = Some("it ended early: stopped by the user".to_owned());
    summary.vda = Some(VdaFacts {
        points: vec![VdaPoint { streams: 1, why_not, ..VdaPoint::default() }],
        ..VdaFacts::default()
    });
    let text = shown(&summary);
    assert!(text.contains("unknown") && text.contains("UNKNOWN"), "{text}");
    assert!(!text.contains("NO\n") && !text.contains("NOT VALID") && !text.contains("NOT MET"), "{text}");
}

#[test]
fn a_search_that_was_stopped_carries_nothing_yet() {
    let mut summary = search(false);
    summary.outcome = Outcome::Interrupted;
    summary.search.as_mut().unwrap().complete = false;
    let second = shown(&summary).lines().nth(1).unwrap().to_owned();
    assert!(second.trim_start().starts_with("UNKNOWN: 31 "), "{second}");
}

#[test]
fn stopped_check_claims_nothing_about_untried_formats() {
    let mut summary = stopped();
    let open = CheckCount { at_least: true, ..CheckCount::default() };
    let format = CheckFormat { name: "flat".to_owned(), play: Some(open), ..CheckFormat::default() };
    summary.check = Some(CheckFacts { formats: vec![format], ..CheckFacts::default() });
    let text = shown(&summary);
    insta::assert_snapshot!(text);
}
