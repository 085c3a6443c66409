//! Synthetic runs with streams: late frames by their disturbances, margins, criteria, demand; other
//! numbers of streams and other kinds of work.

use super::cases::{READ, reading};
use super::draws::Draws;
use super::*;
use crate::culprit::Culprit;
use crate::facts::SearchFacts;
use crate::incident::Incident;
use crate::late::{LateFigures, LateRun, StreamFigures, StreamTotals, StreamWorstMargin, WorstMargin};
use crate::series::Standstill;
use crate::verdict::Verdict;

const STREAMS: u32 = 3;
const MEASURED_S: f64 = 60.0;
const BUFFER_S: f64 = 1.0;
const FRAME_S: f64 = 0.04;

/// A disturbance: no operation completes for `length_s`, starting at `began_s`.
#[derive(Clone, Copy, Debug)]
struct Stall {
    began_s: f64,
    length_s: f64,
}

/// The result of three streams with a buffer of one second and 25 frames per second during these stalls.
fn disturbed(stalls: &[Stall]) -> Summary {
    let mut summary = reading(&["3 players"], 14.0, MEASURED_S as u64);
    "streams".clone_into(&mut summary.verb);
    let late = |stall: &Stall| ((stall.length_s - BUFFER_S) / FRAME_S).max(0.0) as u64;
    let late_runs: Vec<LateRun> = stalls
        .iter()
        .filter(|stall| late(stall) > 0)
        .map(|stall| LateRun {
            first_frame: 0,
            frames: late(stall),
            dropped_frames: 0,
            began_s: stall.began_s,
            began_in_point_s: stall.began_s,
            length_s: stall.length_s - BUFFER_S,
            worst_late_us: Some((stall.length_s - BUFFER_S) * 1e6),
        })
        .collect();
    let late_frames: u64 = late_runs.iter().map(|one| one.frames).sum();
    let worst_s = stalls.iter().map(|stall| stall.length_s).fold(0.02, f64::max);
    let stream = |stream| StreamFigures {
        stream,
        frames_judged: 1_500,
        late_frames,
        buffer_s: BUFFER_S,
        nominal_frames_per_s: 1.0 / FRAME_S,
        late_runs: late_runs.len() as u64,
        first_late_runs: late_runs.clone(),
        ..StreamFigures::default()
    };
    let margin = WorstMargin {
        margin_us: (BUFFER_S - worst_s) * 1e6,
        frame: 0,
        deadline_s: 0.0,
        deadline_in_point_s: 0.0,
        has_come: true,
    };
    let total = StreamTotals {
        streams: u64::from(STREAMS),
        frames_judged: u64::from(STREAMS) * 1_500,
        late_frames: u64::from(STREAMS) * late_frames,
        streams_with_late_frames: if late_frames > 0 { u64::from(STREAMS) } else { 0 },
        worst_margin: Some(StreamWorstMargin { stream: 0, margin }),
        ..StreamTotals::default()
    };
    let point = &mut summary.load_points[0];
    point.stream_count = Some(STREAMS);
    point.verdict =
        Some(Verdict { passed: late_frames == 0, storage_failed: late_frames > 0, ..Verdict::default() });
    let incidents: Vec<Incident> = late_runs
        .iter()
        .map(|run| Incident {
            began_s: run.began_s,
            began_in_point_s: run.began_in_point_s,
            ended_s: run.began_s + run.length_s,
            late_frames: u64::from(STREAMS) * run.frames,
            stream_count: u64::from(STREAMS),
            ..Incident::default()
        })
        .collect();
    point.streams = Some(LateFigures {
        total,
        streams: (0..STREAMS).map(stream).collect(),
        incident_count: incidents.len() as u64,
        incidents,
        ignored_ops: 0,
    });
    summary
}

fn judged(one: &Summary, two: &Summary, figure: &str) -> Judgement {
    row(&compared(&[one.clone(), two.clone()], None), figure).judgement[1]
}

const STALL: Stall = Stall { began_s: 20.0, length_s: 2.0 };
const LONGER: Stall = Stall { began_s: 40.0, length_s: 9.0 };

#[test]
fn first_incident_is_a_change_at_any_threshold() {
    let (calm, struck) = (disturbed(&[]), disturbed(&[STALL]));
    for figure in [INCIDENTS, LATE_FRAMES, STREAMS_HIT, WORST_MARGIN, VERDICT] {
        assert_eq!(judged(&calm, &struck, figure), Judgement::Worse, "{figure}");
        assert_eq!(judged(&struck, &calm, figure), Judgement::Better, "{figure}");
        assert_eq!(judged(&calm, &calm, figure), Judgement::Same, "{figure}");
        assert_eq!(judged(&struck, &struck, figure), Judgement::Same, "{figure}");
    }
    let comparison = compared(&[calm.clone(), struck], None);
    let late = row(&comparison, LATE_FRAMES);
    assert_eq!((late.values[1], late.change_percent[1], late.noise_percent[1]), (Some(75.0), None, None));
    let gate = Gate { threshold_percent: 1e6, with_the_tool: false };
    for figure in [INCIDENTS, LATE_FRAMES, VERDICT] {
        assert!(gate.falls(row(&comparison, figure), 1), "{figure}: more than none by any percentage");
    }
    // A run without late frames can be judged.
    let calm = compared(&[calm.clone(), calm], None);
    assert!(gate.fallen(&calm).is_empty() && gate.could_judge(&calm));
    assert!(row(&calm, LATE_FRAMES).is_judged(1));
}

#[test]
fn stall_at_end_without_late_frame_is_a_change() {
    let silent = |stills: &[(f64, f64)]| {
        let mut summary = disturbed(&[]);
        let still = |&(began_s, lasted_s): &(f64, f64)| Standstill { began_s, lasted_s };
        summary.series.standstills = stills.iter().map(still).collect();
        summary
    };
    let (calm, struck) = (silent(&[]), silent(&[(59.3, 4.0)]));
    assert_eq!(judged(&calm, &struck, SILENCE), Judgement::Worse);
    assert_eq!(judged(&struck, &calm, SILENCE), Judgement::Better);
    assert_eq!(judged(&calm, &calm, SILENCE), Judgement::Same);
    assert_eq!(judged(&struck, &silent(&[(20.0, 6.0)]), SILENCE), Judgement::Same);
    let comparison = compared(&[calm, struck], None);
    assert_eq!(row(&comparison, SILENCE).values, [Some(0.0), Some(4.0)]);
}

#[test]
fn incident_size_does_not_change_the_judgement() {
    let (short, long) = (disturbed(&[STALL]), disturbed(&[LONGER]));
    for figure in [INCIDENTS, LATE_FRAMES, STREAMS_HIT, WORST_MARGIN, VERDICT] {
        assert_eq!(judged(&short, &long, figure), Judgement::Same, "{figure}");
    }
    let comparison = compared(&[short, long], None);
    let late = comparison.late_of("3 players", 1).unwrap();
    assert_eq!((late.incidents, late.late_frames, late.streams_with_late_frames), (1, 600, 3));
    assert_eq!(late.worst_incident.unwrap().late_frames, 600, "streams share their stall");
}

#[test]
fn late_frames_of_runs_with_different_durations_are_not_compared() {
    // A run of a third of the time has judged a third of the frames.
    let mut short = disturbed(&[]);
    short.load_points[0].measured_s = 20.0;
    let figures = short.load_points[0].streams.as_mut().unwrap();
    figures.streams.iter_mut().for_each(|stream| stream.frames_judged = 500);
    figures.total.frames_judged = 1_500;
    assert_eq!(judged(&short, &disturbed(&[STALL]), LATE_FRAMES), Judgement::Unknown);
    assert_eq!(judged(&disturbed(&[]), &disturbed(&[STALL]), LATE_FRAMES), Judgement::Worse);
}

#[test]
fn trial_failed_by_reelgauge_has_no_verdict() {
    let mut own = disturbed(&[]);
    own.load_points[0].verdict = Some(Verdict::default());
    let comparison = compared(&[disturbed(&[]), own], None);
    assert_eq!(row(&comparison, VERDICT).values, [Some(1.0), None]);
    assert_eq!(row(&comparison, VERDICT).judgement[1], Judgement::Unknown);
}

#[test]
fn late_frames_caused_only_by_reelgauge_are_unknown() {
    let by = |culprit: Culprit| {
        let mut summary = disturbed(&[STALL]);
        let late = summary.load_points[0].streams.as_mut().unwrap();
        late.incidents.iter_mut().for_each(|incident| incident.culprit = culprit);
        summary
    };
    let calm = disturbed(&[]);
    for culprit in [Culprit::Tool, Culprit::ThisMachine] {
        let own = by(culprit);
        for figure in [LATE_FRAMES, STREAMS_HIT, WORST_MARGIN] {
            assert_eq!(judged(&calm, &own, figure), Judgement::Unknown, "{figure}");
            assert_eq!(judged(&own, &calm, figure), Judgement::Unknown, "{figure}");
            assert_eq!(judged(&own, &own, figure), Judgement::Unknown, "{figure}");
            assert_eq!(judged(&own, &disturbed(&[STALL]), figure), Judgement::Unknown, "{figure}");
        }
        assert_eq!(judged(&calm, &own, INCIDENTS), Judgement::Same);
    }
    assert_eq!(judged(&calm, &by(Culprit::Storage), LATE_FRAMES), Judgement::Worse);
    // Late frames without an incident, as in a run whose incidents were lost, still count.
    let mut lost = disturbed(&[STALL]);
    let late = lost.load_points[0].streams.as_mut().unwrap();
    late.incidents.clear();
    late.incident_count = 0;
    assert_eq!(judged(&calm, &lost, LATE_FRAMES), Judgement::Worse);
    assert_eq!(judged(&lost, &calm, LATE_FRAMES), Judgement::Better);
}

#[test]
fn incidents_of_repeats_are_summed() {
    let of = |stalls: [usize; 6]| {
        let run = |count| disturbed(&vec![STALL; count][..]);
        let runs: Vec<Summary> = stalls.into_iter().map(run).collect();
        let comparison = compared(&runs, Some(3));
        [LATE_FRAMES, VERDICT].map(|figure| row(&comparison, figure).judgement[5])
    };
    assert_eq!(of([0, 0, 0, 0, 1, 0]), [Judgement::Worse; 2]);
    assert_eq!(of([0, 1, 0, 0, 0, 0]), [Judgement::Better; 2]);
    assert_eq!(of([0, 1, 0, 1, 0, 0]), [Judgement::Same; 2]);
}

/// Seeded pairs: the calm runs have many short hiccups that every buffer absorbs; the others also have
/// one stall that exceeds a buffer.
#[test]
fn hundred_pairs_find_every_incident_and_no_false_one() {
    let (mut found, mut invented) = (0, Vec::new());
    for seed in 0..100 {
        let mut draws = Draws::new(seed);
        let mut hiccups = || -> Vec<Stall> {
            let many = (draws.share() * 20.0) as usize;
            let mut one =
                || Stall { began_s: draws.share() * MEASURED_S, length_s: 0.02 + 0.3 * draws.share() };
            (0..many).map(|_| one()).collect()
        };
        let [before, calm, mut struck] = [hiccups(), hiccups(), hiccups()];
        let (began_s, length_s) = (draws.share() * 55.0, 1.05 + 4.0 * draws.share());
        struck.push(Stall { began_s, length_s });
        let [before, calm, struck] = [before, calm, struck].map(|stalls| disturbed(&stalls));
        let gate = Gate { threshold_percent: 5.0, with_the_tool: false };
        let with = compared(&[before.clone(), struck], None);
        let is_found = [LATE_FRAMES, INCIDENTS, VERDICT]
            .iter()
            .all(|figure| gate.fallen(&with).iter().any(|(row, _)| row.figure == *figure));
        found += u32::from(is_found);
        let without = compared(&[before, calm], None);
        let streams = |row: &&ComparisonRow| weight(&row.figure) < Weight::Margin;
        let changed = |row: &&ComparisonRow| row.judgement[1] != Judgement::Same;
        invented.extend(without.rows.iter().filter(streams).find(changed).map(|row| row.figure.clone()));
    }
    assert_eq!((found, invented), (100, Vec::new()));
}

/// Disturbances at the same rate in both runs, alone or in clusters, are called a change by chance only.
#[test]
fn two_draws_of_one_unsteady_storage_are_the_same() {
    for (name, per_cluster) in [("alone", 1), ("in clusters", 4)] {
        let mut changed = 0;
        for seed in 0..300 {
            let mut draws = Draws::new(1_000 + seed);
            let mut run = || {
                let mut stalls = Vec::new();
                // About eight, and hardly ever none.
                for _ in 0..16 / per_cluster {
                    if draws.share() < 0.5 {
                        let began_s = draws.share() * 52.0;
                        let at =
                            |number: usize| Stall { began_s: began_s + 1.5 * number as f64, length_s: 1.2 };
                        stalls.extend((0..per_cluster).map(at));
                    }
                }
                if stalls.is_empty() {
                    stalls.push(STALL);
                }
                disturbed(&stalls)
            };
            changed += u32::from(judged(&run(), &run(), LATE_FRAMES) != Judgement::Same);
        }
        assert!(changed <= 15, "{name}: {changed} of 300");
    }
}

fn player(count: u32) -> WorkActor {
    let media = "prores-422-hq-uhd-25".to_owned();
    WorkActor { kind: "player".to_owned(), media, count, paced: true }
}

fn copier() -> WorkActor {
    WorkActor { kind: "copier".to_owned(), count: 1, ..WorkActor::default() }
}

fn compared_work(one: (&Summary, &[WorkActor]), two: (&Summary, &[WorkActor])) -> Comparison {
    compare(&[run_of(one.0, one.1), run_of(two.0, two.1)], None, &say).unwrap()
}

/// A run of this many players, each with the same throughput.
fn players(count: u32) -> Summary {
    let mut summary = disturbed(&[]);
    let point = &mut summary.load_points[0];
    point.label = format!("{count} players");
    (point.workers, point.stream_count) = (count, Some(count));
    point.total.read_bytes_per_s = Some(f64::from(count) * 10e6);
    summary
}

#[test]
fn throughput_requested_by_a_clock_is_demand() {
    let mut more = disturbed(&[]);
    more.load_points[0].total.read_bytes_per_s = Some(28e6);
    let comparison = compared(&[disturbed(&[]), more.clone()], None);
    let read = row(&comparison, READ);
    assert_eq!((read.better, read.judgement[1]), (Better::Neither, Judgement::Demand));
    assert_eq!(read.change_percent[1], Some(100.0));
    // With a copier, throughput is more than demand: a copier has no requested rate.
    let work = [player(3), copier()];
    let comparison = compared_work((&disturbed(&[]), &work), (&more, &work));
    assert_eq!(row(&comparison, READ).judgement[1], Judgement::Better);
    let less = compared_work((&more, &work), (&disturbed(&[]), &work));
    let gate = Gate { threshold_percent: 5.0, with_the_tool: false };
    assert!(gate.fallen(&less).iter().any(|(row, _)| row.figure == READ));
    let demanded = compared(&[more, disturbed(&[])], None);
    assert!(gate.fallen(&demanded).is_empty(), "half the demand is no loss");
}

#[test]
fn different_stream_counts_compare_only_stream_verdicts() {
    let (four, mut eight) = (players(4), players(8));
    let (work_of_four, work_of_eight) = ([player(4)], [player(8)]);
    let comparison = compared_work((&four, &work_of_four), (&eight, &work_of_eight));
    assert_eq!(comparison.runs[1].kinship, Kinship::OtherCounts);
    assert_eq!(comparison.rows[0].figure, VERDICT, "streams first");
    for figure in [VERDICT, LATE_FRAMES, WORST_MARGIN] {
        assert_eq!(row(&comparison, figure).judgement[1], Judgement::Same, "{figure}");
    }
    let changed = |row: &ComparisonRow| !matches!(row.judgement[1], Judgement::Same | Judgement::Unknown);
    let others = comparison.rows.iter().filter(|row| !is_about_reelgauge(&row.figure));
    let told: Vec<&str> = others.filter(|row| changed(row)).map(|row| row.figure.as_str()).collect();
    assert_eq!(told, [READ; 0]);
    eight.load_points[0].streams = disturbed(&[STALL]).load_points[0].streams.clone();
    let comparison = compared_work((&four, &work_of_four), (&eight, &work_of_eight));
    assert_eq!(row(&comparison, LATE_FRAMES).judgement[1], Judgement::Worse);
    // The actors' own counts matter as well.
    let (one, two) = ([player(1), copier()], [player(1), WorkActor { count: 2, ..copier() }]);
    let crews = compared_work((&four, &one), (&four, &two));
    assert_eq!(crews.runs[1].kinship, Kinship::OtherCounts);
    assert_eq!(row(&crews, READ).judgement[1], Judgement::Unknown);
}

#[test]
fn different_work_is_not_compared() {
    let mix = reading(&["4 workers"], 600.0, 60);
    let own = [WorkActor { kind: "mix".to_owned(), count: 1, ..WorkActor::default() }];
    let streams = disturbed(&[STALL]);
    for comparison in [
        compared_work((&streams, &[player(3)]), (&mix, &own)),
        compared(&[streams.clone(), mix.clone()], None),
        compared_work((&streams, &[player(3)]), (&streams, &[copier()])),
    ] {
        assert_eq!(comparison.runs[1].kinship, Kinship::OtherWork);
        for row in &comparison.rows {
            assert_eq!(
                (row.judgement[1], row.change_percent[1]),
                (Judgement::Unknown, None),
                "{}",
                row.figure
            );
        }
        assert!(!Gate { threshold_percent: 5.0, with_the_tool: true }.could_judge(&comparison));
    }
    let other_format = [WorkActor { media: "xavc-intra-class-100-1080-25".to_owned(), ..player(3) }];
    let formats = compared_work((&streams, &[player(3)]), (&streams, &other_format));
    assert_eq!(formats.runs[1].kinship, Kinship::OtherWork);
    let mut search = streams.clone();
    search.search = Some(SearchFacts { streams: Some(31), complete: true, ..SearchFacts::default() });
    let goals = compared_work((&streams, &[player(3)]), (&search, &[player(1)]));
    assert_eq!(goals.runs[1].kinship, Kinship::OtherWork);
    // Searches with different start values searched for the same thing.
    let searches = compared_work((&search, &[player(2)]), (&search, &[player(1)]));
    assert_eq!(row(&searches, SEARCH).judgement[1], Judgement::Same);
}

/// The stall lasts beyond the end, so the measurement takes longer; both runs judged the same frames.
#[test]
fn a_stall_that_outlasts_the_end_is_a_change_all_the_same() {
    let stall = Stall { began_s: 55.0, length_s: 7.5 };
    for longer_s in [0.0, 2.5, 30.0] {
        let mut struck = disturbed(&[stall]);
        struck.load_points[0].measured_s += longer_s;
        let late = |one: &Summary, two: &Summary| {
            let comparison = compared(&[one.clone(), two.clone()], None);
            row(&comparison, LATE_FRAMES).judgement[1]
        };
        assert_eq!(late(&disturbed(&[]), &struck), Judgement::Worse, "{longer_s}");
        assert_eq!(late(&struck, &disturbed(&[])), Judgement::Better, "{longer_s}");
    }
}
