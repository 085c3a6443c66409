//! The sentences and cautions of made-up runs, compared literally.

#![allow(clippy::unwrap_used)]

use reelgauge_analysis::compare::{
    ComparedIncident, ComparedLate, INCIDENTS, Kinship, LATE_FRAMES, SEARCH, VERDICT, WORST_MARGIN, WorkActor,
};
use reelgauge_analysis::summary::Target;
use reelgauge_analysis::{Outcome, Summary};

use super::*;

/// A row with values of two runs.
fn row(
    figure: &str,
    (name, shown): (&str, &'static str),
    unit: FigureUnit,
    values: [f64; 2],
    judgement: Judgement,
) -> ComparisonRow {
    let [one, two] = values;
    let change = (one != 0.0 && unit != FigureUnit::Verdict).then(|| (two / one - 1.0) * 100.0);
    ComparisonRow {
        group: "3 recorders".to_owned(),
        figure: figure.to_owned(),
        label: FigureLabel { name: name.to_owned(), work: "", unit: shown },
        unit,
        better: Better::Lower,
        values: values.map(Some).to_vec(),
        texts: values.map(|value| say(unit, value)).to_vec(),
        change_percent: vec![None, change],
        noise_percent: vec![None, None],
        judgement: vec![Judgement::Base, judgement],
    }
}

/// Frames of three recorders over fifteen seconds, with this number of late frames and incidents.
fn late(run: u32, late_frames: u64, incidents: u64) -> ComparedLate {
    let worst = ComparedIncident { began_in_point_s: 7.9, length_s: 1.72, late_frames };
    ComparedLate {
        group: "3 recorders".to_owned(),
        run,
        measured_s: 15.0,
        streams: 3,
        streams_with_late_frames: if late_frames > 0 { 3 } else { 0 },
        frames_judged: 1_125,
        late_frames,
        incidents,
        worst_incident: (incidents > 0).then_some(worst),
    }
}

/// Two runs of three recorders, each with its number of late frames and incidents.
fn recorders(seen: [(u64, u64); 2], judgement: Judgement) -> Comparison {
    let [(one, first), (two, second)] = seen;
    let met = [one, two].map(|frames| if frames == 0 { 1.0 } else { 0.0 });
    let margin = [(one, 412e3), (two, 409e3)].map(|(frames, calm)| if frames == 0 { calm } else { -1_720e3 });
    let counts = |values: [u64; 2]| values.map(|value| value as f64);
    let rows = vec![
        row(VERDICT, ("criteria", ""), FigureUnit::Verdict, met, judgement),
        row(INCIDENTS, ("incidents", ""), FigureUnit::Count, counts([first, second]), judgement),
        row(LATE_FRAMES, ("late frames", ""), FigureUnit::Count, counts([one, two]), judgement),
        row(WORST_MARGIN, ("worst margin", "ms"), FigureUnit::Us, margin, judgement),
        row(
            "total.written_bytes_per_s",
            ("write", "MB/s"),
            FigureUnit::BytesPerS,
            [14e6, 14e6],
            Judgement::Demand,
        ),
        row("total.response.write.mean_us", ("write mean", "ms"), FigureUnit::Us, [1e3, 23.3e3], judgement),
    ];
    let run = |side: u32| ComparedRun { side, ..ComparedRun::default() };
    let late = vec![late(0, one, first), late(1, two, second)];
    let runs = vec![run(0), run(1)];
    Comparison { runs, rows, late }
}

fn said(comparison: &Comparison) -> Vec<String> {
    sentences::sentences(comparison).into_iter().map(|sentence| sentence.text).collect()
}

#[test]
fn late_frames_precede_their_consequences() {
    let told = said(&recorders([(0, 0), (57, 1)], Judgement::Worse));
    assert_eq!(
        told[0],
        "Run 2 is worse than run 1: its criteria are not met; those of run 1 are met; 57 of 1,125 frames \
         late on all 3 streams, in 1 incident of 1.7 s, starting at 7.9 s; run 1: no late frame."
    );
    assert_eq!(told[1], "Also worse: write mean +2230 % (1.00, then 23.3 ms).");
    assert!(told[2].starts_with("1 incident in one and none in the other"), "{told:#?}");
    let told = said(&recorders([(57, 1), (0, 0)], Judgement::Better));
    assert_eq!(
        told[0],
        "Run 2 is better than run 1: its criteria are met; those of run 1 are not; no late frame; run 1: 57 \
         of 1,125 frames late on all 3 streams, in 1 incident of 1.7 s, starting at 7.9 s."
    );
}

#[test]
fn equal_runs_name_the_equal_figures() {
    let told = said(&recorders([(0, 0), (0, 0)], Judgement::Same));
    assert_eq!(
        told[0],
        "No difference between run 2 and run 1: no late frame in either; the worst margins were 409 and 412 \
         ms."
    );
    let told = said(&recorders([(57, 1), (570, 1)], Judgement::Same));
    assert_eq!(
        told[0],
        "No difference between run 2 and run 1: both had late frames, and the difference may be chance."
    );
    assert_eq!(
        told[1],
        "57 late frames in 1 incident, compared with 570 in 1. Each incident counts as one event, so its \
         number of frames does not prove a difference."
    );
}

#[test]
fn too_short_run_has_no_claim() {
    let mut comparison = recorders([(0, 0), (57, 1)], Judgement::Unknown);
    comparison.late[1].measured_s = 60.0;
    comparison.rows[0].judgement[1] = Judgement::Same;
    let told = said(&comparison);
    let wanted = "Unknown whether late frames differ: run 1 was measured for 15.0 s with 0 incidents, and \
                  run 2 for 60.0 s with 1. The shorter run may have missed some.";
    assert!(told.iter().any(|text| text == wanted), "{told:#?}");
}

#[test]
fn late_frames_caused_only_by_reelgauge_are_not_compared() {
    let mut comparison = recorders([(0, 0), (25, 0)], Judgement::Unknown);
    comparison.rows[4].judgement[1] = Judgement::Same;
    let told = said(&comparison);
    assert!(told[0].starts_with("Unknown whether late frames of run 2 and run 1 differ."), "{told:#?}");
    let why = "Reelgauge or its client caused all 25 late frames of run 2, so they show nothing about the \
               storage.";
    assert!(told.iter().any(|text| text == why), "{told:#?}");
    assert!(!told.iter().any(|text| text.contains("No difference")), "{told:#?}");
}

#[test]
fn demand_and_different_stream_counts_are_labelled() {
    let mut comparison = recorders([(0, 0), (0, 0)], Judgement::Same);
    comparison.rows[4].change_percent[1] = Some(100.0);
    comparison.runs[1].kinship = Kinship::OtherCounts;
    comparison.late[1].streams = 6;
    let told = said(&comparison);
    assert_eq!(
        told[1],
        "Run 1 ran 3 streams; run 2 ran 6. Criteria, late frames and margins are compared; throughput and \
         response times of different loads are not."
    );
    let mut stopped = comparison.clone();
    stopped.late.pop();
    assert!(
        said(&stopped)[1].starts_with("Run 1 ran 3 streams; the streams of run 2 were not measured."),
        "{:#?}",
        said(&stopped)
    );
    assert!(told[2].starts_with("Throughput and operations per second follow the streams' demand"));
    let comparison = ToldComparison { comparison, ..ToldComparison::default() };
    let screen = compare_screen(&comparison, false, Style::default());
    assert!(!screen.contains("write, MB/s"), "demand is nothing to look at\n{screen}");
    let all = compare_screen(&comparison, true, Style::default());
    let line = all.lines().find(|line| line.starts_with("write, MB/s")).unwrap_or_default();
    assert!(line.ends_with("demand"), "{all}");
}

#[test]
fn run_compared_with_itself_is_reported() {
    let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default());
    summary.seed = 7;
    let run = |id: &'static str, summary| RunToCompare { id, summary, machines: &[], work: &[] };
    let told = crate::compare::comparison(&[run("a", &summary), run("a copy", &summary)], None).unwrap();
    assert_eq!(told.headline, None);
    assert_eq!(told.sentences.len(), 1, "{told:#?}");
    assert!(told.sentences[0].text.starts_with("Run 1 and run 2 are the same run"), "{told:#?}");
    let other = Summary { seed: 8, ..summary.clone() };
    let told = crate::compare::comparison(&[run("a", &summary), run("b", &other)], None).unwrap();
    assert!(!told.sentences[0].text.contains("the same run"), "{told:#?}");
}

#[test]
fn different_work_is_not_compared_and_reported() {
    let mut comparison = recorders([(0, 0), (57, 1)], Judgement::Unknown);
    let actor = |kind: &str, media: &str| {
        vec![WorkActor { kind: kind.to_owned(), media: media.to_owned(), count: 3, paced: true }]
    };
    comparison.runs[0].work = actor("recorder", "prores-422-hq-uhd-25");
    comparison.runs[1] = ComparedRun {
        side: 1,
        work: actor("mix", ""),
        kinship: Kinship::OtherWork,
        ..ComparedRun::default()
    };
    let told = said(&comparison);
    assert_eq!(told.len(), 1, "{told:#?}");
    assert_eq!(
        told[0],
        "Run 2 cannot be compared with run 1: it was random reads and writes (mix), but run 1 was recorders \
         of prores-422-hq-uhd-25. Run the same workload on both: 'reelgauge run RUN/run.toml' repeats a run."
    );
}

#[test]
fn a_noise_of_several_hundred_percent_is_shown_as_two_values() {
    let mut comparison = recorders([(0, 0), (0, 0)], Judgement::Same);
    let mut slow = row(
        "total.response.read.p99_us",
        ("read op p99", "ms"),
        FigureUnit::Us,
        [24e3, 856e3],
        Judgement::Worse,
    );
    slow.noise_percent[1] = Some(740.0);
    comparison.rows = vec![slow.clone()];
    assert_eq!(said(&comparison)[0], "Run 2 is worse than run 1: read op p99 24.0 ms against 856 ms.");
    let screen =
        compare_screen(&ToldComparison { comparison, ..ToldComparison::default() }, true, Style::default());
    assert!(screen.contains("over 100 %") && !screen.contains("+3467"), "{screen}");
    // Below that, the percentage is clearer.
    slow.noise_percent[1] = Some(12.0);
    let mut comparison = recorders([(0, 0), (0, 0)], Judgement::Same);
    comparison.rows = vec![slow];
    assert!(
        said(&comparison)[0].contains("+3467 % (24.0, then 856 ms; noise 12 %)"),
        "{:?}",
        said(&comparison)
    );
}

#[test]
fn tags_name_the_runs_in_every_form() {
    let mut comparison = recorders([(0, 0), (57, 1)], Judgement::Worse);
    for (run, tag) in comparison.runs.iter_mut().zip(["smb", "nfs"]) {
        run.distinguishing_tags = vec![tag.to_owned()];
        run.tags = vec!["site-a".to_owned(), tag.to_owned()];
    }
    assert!(
        said(&comparison)[0].starts_with("Run 2 (nfs) is worse than run 1 (smb): "),
        "{:?}",
        said(&comparison)
    );
    let told = ToldComparison { comparison, ..ToldComparison::default() };
    let screen = compare_screen(&told, true, Style::default());
    assert!(screen.lines().any(|line| line.contains("smb") && line.contains("nfs")), "{screen}");
    assert!(screen.contains("tags site-a, nfs"), "{screen}");
    assert!(markdown(&told, true).contains("| run 1 (smb) | run 2 (nfs) |"));
    let xml = junit(&told, &Gate { threshold_percent: 5.0, with_the_tool: false });
    assert!(xml.contains("(nfs) against  (smb)"), "{xml}");
}

#[test]
fn capacity_is_shown_with_its_range() {
    let mut comparison = recorders([(0, 0), (0, 0)], Judgement::Same);
    let mut capacity = row(
        SEARCH,
        ("streams that passed every time", ""),
        FigureUnit::Streams,
        [31.0, 28.0],
        Judgement::Worse,
    );
    capacity.texts = vec![show(FigureUnit::Streams, Shown::Between(31.0, 34.0)), "28".to_owned()];
    capacity.noise_percent[1] = Some(13.0);
    comparison.rows = vec![capacity];
    assert_eq!(
        said(&comparison)[0],
        "Run 2 is worse than run 1: streams that passed every time -9.7 % (31 to 34, then 28; noise 13 %)."
    );
    assert_eq!(show(FigureUnit::Streams, Shown::AtLeast(20.0)), "20 or more");
}

#[test]
fn other_differences_are_shown() {
    let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
    let mut one = Summary::new("1", "2026-11-20T15:40:12Z", "mix", target);
    one.plan = [("blocks", "4KiB"), ("warmup", "5s")].map(|(key, value)| (key.into(), value.into())).into();
    (one.data_set.files, one.data_set.file_size_bytes) = (2, 1_000_000);
    let mut two = one.clone();
    two.plan.insert("blocks".to_owned(), "64KiB".to_owned());
    two.plan.insert("warmup".to_owned(), "0s".to_owned());
    two.target.fs_type = Some("nfs4".to_owned());
    two.effective_mode.found = "buffered".to_owned();
    two.outcome = Outcome::Interrupted;
    two.tool_version = "2".to_owned();
    two.data_set.files = 4;
    two.data_set.file_size_bytes = 1_000_000;
    let of = |two: &Summary| {
        let run = |summary| RunToCompare { id: "run", summary, machines: &[], work: &[] };
        crate::compare::comparison(&[run(&one), run(two)], None).unwrap()
    };
    let told = of(&two);
    assert_eq!(
        told.sentences[0].text,
        "Run 2 ran a different workload from run 1: blocks 64KiB (run 1: 4KiB). Response times and \
         operations per second are not compared. Throughput is shown but not judged."
    );
    let said = told.cautions.join("\n");
    for wanted in [
        "Run 2 has a different plan: warmup 0s (run 1: 5s).",
        "Run 2 had a different file system: nfs4 (run 1: unknown).",
        "Run 2 used buffered I/O; run 1 ",
        "Run 2 was interrupted.",
        "Run 2 used Reelgauge 2 (run 1: 1).",
        "Run 2 used 4.00 MB of files (run 1: 2.00 MB)",
        "Run 2 had no warm-up",
    ] {
        assert!(said.contains(wanted), "'{wanted}' is not in\n{said}");
    }
    let other_work = of(&Summary { verb: "vda".to_owned(), ..two });
    assert!(!other_work.cautions.join("\n").contains("different plan"), "{other_work:#?}");
    assert!(!of(&one.clone()).cautions.join("\n").contains("different"));
}

#[test]
fn as_data_a_label_has_the_unit_of_its_values() {
    let mut comparison = recorders([(0, 0), (57, 1)], Judgement::Worse);
    (comparison.rows[5].texts[1], comparison.rows[5].values[1]) = ("-".to_owned(), None);
    let data = as_data(&ToldComparison { comparison, ..ToldComparison::default() }).comparison;
    let of = |figure: &str| data.rows.iter().find(|row| row.figure == figure).unwrap();
    let write = of("total.written_bytes_per_s");
    assert_eq!((write.label.to_string().as_str(), write.texts[0].as_str()), ("write, bytes/s", "14.0 MB/s"));
    let mean = of("total.response.write.mean_us");
    assert_eq!(
        (mean.label.to_string(), mean.texts.join("; ")),
        ("write mean, µs".into(), "1.00 ms; -".into())
    );
    let late = of(LATE_FRAMES);
    assert_eq!((late.label.to_string().as_str(), late.texts[1].as_str()), ("late frames", "57"));
}
