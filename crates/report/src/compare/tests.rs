//! Screens of made-up comparisons: narrow, in colour, with hostile names, with several sides.

mod words;

use crate::sentence::{Sentence, Tone};
use reelgauge_analysis::compare::{Better, ComparedSystem, FigureLabel, Gate};

use super::*;
use crate::short_form::assert_is_short;

/// A malicious name of a run, a label or a load point.
const HOSTILE: &str = "</testsuite>\u{1b}[2J|`x`<script>\n# \u{202e}&";

/// Two runs, or more with the same change each. Some of the runs are worse.
fn comparison(runs: usize, name: &str) -> ToldComparison {
    let run = |number: usize| ComparedRun {
        id: name.to_owned(),
        target: name.to_owned(),
        system: ComparedSystem { make: Some(format!("{name}{number}")), ..ComparedSystem::default() },
        ..ComparedRun::default()
    };
    let others = |first: f64, other: f64| std::iter::once(first).chain(std::iter::repeat_n(other, runs - 1));
    let row = |figure: &str, group: &str, judgement: Judgement| ComparisonRow {
        group: group.to_owned(),
        figure: figure.to_owned(),
        label: FigureLabel {
            name: format!("{figure} of the storage that is measured"),
            work: "",
            unit: "MB/s",
        },
        unit: FigureUnit::BytesPerS,
        better: Better::Higher,
        values: others(180e6, 142e6).map(Some).collect(),
        texts: others(180e6, 142e6).map(|value| say(FigureUnit::BytesPerS, value)).collect(),
        change_percent: others(0.0, -21.1).map(|change| (change != 0.0).then_some(change)).collect(),
        noise_percent: others(0.0, 4.0).map(|noise| (noise != 0.0).then_some(noise)).collect(),
        judgement: std::iter::once(Judgement::Base).chain(std::iter::repeat_n(judgement, runs - 1)).collect(),
    };
    let runs: Vec<ComparedRun> = (0..runs).map(run).collect();
    let mut comparison = Comparison {
        rows: vec![
            row("total.read_bytes_per_s", name, Judgement::Worse),
            row("total.response.read.p50_us", name, Judgement::Same),
            row("self_cost.cpu_us_per_op", "", Judgement::Worse),
            row("total.response.read.max_us", name, Judgement::Unknown),
        ],
        late: Vec::new(),
        runs,
    };
    for (side, run) in comparison.runs.iter_mut().enumerate() {
        run.side = side as u32;
    }
    ToldComparison {
        comparison,
        headline: None,
        cautions: vec![format!("Run 2 measured {name}.")],
        sentences: vec![Sentence { tone: Tone::Bad, text: format!("Run 2 is worse at {name}.") }],
    }
}

#[test]
fn important_rows_are_shown_and_others_with_details() {
    let mut printed = Vec::<String>::new();
    let comparison = comparison(2, "4 workers");
    let screen = compare_screen(&comparison, false, Style::default());
    printed.push(screen.to_string());
    let line = screen.lines().find(|line| line.starts_with("total.read")).unwrap_or_default();
    let words: Vec<&str> = line.split_whitespace().rev().take(7).collect();
    assert_eq!(words, ["WORSE", "%", "4.0", "%", "-21", "142", "180"], "{screen}");
    assert!(!screen.contains("p50_us") && !screen.contains("self_cost"), "{screen}");
    printed.push(screen.to_string());
    let all = compare_screen(&comparison, true, Style::default());
    assert!(all.contains("within noise") && all.contains("self_cost") && all.contains("unknown"), "{all}");
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn short_screen_is_one_screenful() {
    for runs in [2, 3] {
        let comparison = comparison(runs, "4 workers");
        let [short, long] = [true, false].map(|is_short| {
            compare_screen(&comparison, false, Style { width: 80, is_short, ..Style::default() })
        });
        assert_is_short(&short, &long);
    }
}

#[test]
fn no_line_is_wider_than_the_screen_and_colours_add_nothing() {
    for runs in [2, 3, 8] {
        for width in [40, 80, 100] {
            let comparison = comparison(runs, "4 workers");
            let plain = compare_screen(&comparison, true, Style { width, ..Style::default() });
            for line in plain.lines() {
                assert!(line.chars().count() <= width, "{runs} runs, {width} columns:\n{plain}");
            }
            let painted =
                compare_screen(&comparison, true, Style { colour: true, width, ..Style::default() });
            assert!(painted.contains("\u{1b}[1;31mWORSE\u{1b}[0m"), "{painted}");
            let mut bare = painted;
            for code in ["1;31", "1", "32", "33", "0"] {
                bare = bare.replace(&format!("\u{1b}[{code}m"), "");
            }
            assert_eq!(bare, plain);
        }
    }
}

#[test]
fn hostile_names_stay_names_in_every_form() {
    let comparison = comparison(2, HOSTILE);
    let screen = compare_screen(&comparison, true, Style::default());
    assert!(!screen.contains(['\u{1b}', '\u{202e}']), "{screen}");
    let markdown = markdown(&comparison, true);
    assert!(!markdown.contains("<script>") && !markdown.contains("\n#"), "{markdown}");
    let unescaped = |line: &str| line.replace("\\|", "").matches('|').count();
    let table: Vec<usize> = markdown.lines().filter(|line| line.starts_with('|')).map(unescaped).collect();
    assert_eq!(table, [8, 8, 8, 8, 8, 8, 4, 4, 4], "{markdown}");
    let xml = junit(&comparison, &Gate { threshold_percent: 5.0, with_the_tool: false });
    assert_eq!(xml.matches("</testsuite>").count(), 1, "{xml}");
    assert!(!xml.contains('\u{1b}') && !xml.contains("<script>"), "{xml}");
}

#[test]
fn gate_decides_junit_failures() {
    let comparison = comparison(3, "4 workers");
    let failures = |threshold_percent: f64, with_the_tool: bool| {
        junit(&comparison, &Gate { threshold_percent, with_the_tool }).matches("<failure ").count()
    };
    assert_eq!((failures(5.0, false), failures(5.0, true), failures(22.0, true)), (2, 4, 0));
    let xml = junit(&comparison, &Gate { threshold_percent: 5.0, with_the_tool: false });
    assert_eq!(xml.matches("tests=\"4\" skipped=\"1\" errors=\"0\" failures=\"1\"").count(), 2, "{xml}");
    assert!(xml.contains("180, then 142: -21 % (noise 4.0 %), WORSE"), "{xml}");
}

#[test]
fn change_of_means_is_shown_next_to_the_means() {
    let mut comparison = comparison(4, "4 workers").comparison;
    for (run, side) in comparison.runs.iter_mut().zip([0, 0, 1, 1]) {
        run.side = side;
    }
    let row = &mut comparison.rows[0];
    row.values = [180e6, 140e6, 50e6, 46e6].map(Some).to_vec();
    row.texts = ["180", "140", "50.0", "46.0"].map(str::to_owned).to_vec();
    insta::assert_snapshot!(said_values(&comparison, &comparison.rows[0], 2).then());
    // A text that is missing or no number has no mean.
    comparison.rows[0].texts[0] = "180 to 190".to_owned();
    assert_eq!(said_values(&comparison, &comparison.rows[0], 2).then(), "180 to 190, then 50.0");
    (comparison.rows[0].texts[0], comparison.rows[0].values[1]) = ("180".to_owned(), None);
    assert_eq!(said_values(&comparison, &comparison.rows[0], 2).then(), "180, then 50.0");
}
