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
    let mut printed = Vec::<String>::new();
    let told = said(&recorders([(0, 0), (57, 1)], Judgement::Worse));
    printed.push(told[0].to_string());
    printed.push(told[1].to_string());
    printed.push(told[2].to_string());
    let told = said(&recorders([(57, 1), (0, 0)], Judgement::Better));
    printed.push(told[0].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn equal_runs_name_the_equal_figures() {
    let mut printed = Vec::<String>::new();
    let told = said(&recorders([(0, 0), (0, 0)], Judgement::Same));
    printed.push(told[0].to_string());
    let told = said(&recorders([(57, 1), (570, 1)], Judgement::Same));
    printed.push(told[0].to_string());
    printed.push(told[1].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn too_short_run_has_no_claim() {
    let mut comparison = recorders([(0, 0), (57, 1)], Judgement::Unknown);
    comparison.late[1].measured_s = 60.0;
    comparison.rows[0].judgement[1] = Judgement::Same;
    let told = said(&comparison);
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn late_frames_caused_only_by_reelgauge_are_not_compared() {
    let mut comparison = recorders([(0, 0), (25, 0)], Judgement::Unknown);
    comparison.rows[4].judgement[1] = Judgement::Same;
    let told = said(&comparison);
    insta::assert_snapshot!(told.join("\n"));
}

#[test]
fn demand_and_different_stream_counts_are_labelled() {
    let mut printed = Vec::<String>::new();
    let mut comparison = recorders([(0, 0), (0, 0)], Judgement::Same);
    comparison.rows[4].change_percent[1] = Some(100.0);
    comparison.runs[1].kinship = Kinship::OtherCounts;
    comparison.late[1].streams = 6;
    let told = said(&comparison);
    printed.push(told[1].to_string());
    let mut stopped = comparison.clone();
    stopped.late.pop();
    printed.push(said(&stopped)[1].to_string());
    printed.push(told[2].to_string());
    let comparison = ToldComparison { comparison, ..ToldComparison::default() };
    let screen = compare_screen(&comparison, false, Style::default());
    assert!(!screen.contains("write, MB/s"), "demand is nothing to look at\n{screen}");
    let all = compare_screen(&comparison, true, Style::default());
    let line = all.lines().find(|line| line.starts_with("write, MB/s")).unwrap_or_default();
    assert!(line.ends_with("demand"), "{all}");
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn run_compared_with_itself_is_reported() {
    let mut printed = Vec::<String>::new();
    let mut summary = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", Target::default());
    summary.seed = 7;
    let run = |id: &'static str, summary| RunToCompare { id, summary, machines: &[], work: &[] };
    let told = crate::compare::comparison(&[run("a", &summary), run("a copy", &summary)], None).unwrap();
    assert_eq!(told.headline, None);
    assert_eq!(told.sentences.len(), 1, "{told:#?}");
    printed.push(told.sentences[0].text.to_string());
    let other = Summary { seed: 8, ..summary.clone() };
    let told = crate::compare::comparison(&[run("a", &summary), run("b", &other)], None).unwrap();
    printed.push(told.sentences[0].text.to_string());
    insta::assert_snapshot!(printed.join("\n"));
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
    insta::assert_snapshot!(told[0]);
}

#[test]
fn a_noise_of_several_hundred_percent_is_shown_as_two_values() {
    let mut printed = Vec::<String>::new();
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
    printed.push(said(&comparison)[0].to_string());
    let screen =
        compare_screen(&ToldComparison { comparison, ..ToldComparison::default() }, true, Style::default());
    assert!(screen.contains("over 100 %") && !screen.contains("+3467"), "{screen}");
    // Below that, the percentage is clearer.
    slow.noise_percent[1] = Some(12.0);
    let mut comparison = recorders([(0, 0), (0, 0)], Judgement::Same);
    comparison.rows = vec![slow];
    printed.push(said(&comparison)[0].to_string());
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn tags_name_the_runs_in_every_form() {
    let mut printed = Vec::<String>::new();
    let mut comparison = recorders([(0, 0), (57, 1)], Judgement::Worse);
    for (run, tag) in comparison.runs.iter_mut().zip(["smb", "nfs"]) {
        run.distinguishing_tags = vec![tag.to_owned()];
        run.tags = vec!["site-a".to_owned(), tag.to_owned()];
    }
    printed.push(said(&comparison)[0].to_string());
    let told = ToldComparison { comparison, ..ToldComparison::default() };
    let screen = compare_screen(&told, true, Style::default());
    assert!(screen.lines().any(|line| line.contains("smb") && line.contains("nfs")), "{screen}");
    printed.push(screen.to_string());
    printed.push(markdown(&told, true).to_string());
    let xml = junit(&told, &Gate { threshold_percent: 5.0, with_the_tool: false });
    printed.push(xml.to_string());
    insta::assert_snapshot!(printed.join("\n"));
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
    insta::assert_snapshot!(said(&comparison)[0]);
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
    let mut printed = vec![told.sentences[0].text.clone()];
    printed.extend(told.cautions);
    printed.push("Other work:".to_owned());
    printed.extend(of(&Summary { verb: "vda".to_owned(), ..two }).cautions);
    printed.push("The same run:".to_owned());
    printed.extend(of(&one.clone()).cautions);
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn label_in_data_has_the_unit_of_its_values() {
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
