//! Screens of simulated runs, and that they agree with the summary.

#![allow(clippy::unwrap_used)]

mod short;
mod simulated;

use reelgauge_analysis::summary::{NotMeasured, Target, Unanswered, VerifyFacts};
use reelgauge_analysis::warning::LogTrouble;
use reelgauge_analysis::{Figures, Mode, Note, NoteFact, Outcome, Summary, Warning};
use reelgauge_report::{Detail, Screen, Style, Tables, screen, units, warning_note};
use simulated::{Load, Share, summary};

const RUN_DIR: &str = "reelgauge-runs/2026-11-20T154012Z-nas1-production-edit";

fn show() -> Screen<'static> {
    Screen { run_dir: Some(RUN_DIR), ..Screen::default() }
}

fn ramp() -> Summary {
    let mut summary = summary(&Share::default(), &Load::default(), &[1, 4, 10]);
    summary.run_dir = Some(RUN_DIR.to_owned());
    summary
}

fn assert_width(text: &str, width: usize) {
    for line in text.lines().filter(|line| !line.contains("reelgauge-runs/")) {
        assert!(line.chars().count() <= width, "{} characters: {line}", line.chars().count());
    }
}

#[test]
fn a_ramp() {
    let text = screen(&ramp(), &show());
    assert_width(&text, 100);
    insta::assert_snapshot!(text);
}

#[test]
fn short_screens_have_the_answer_a_table_three_warnings_and_the_next_step() {
    let mut summary = ramp();
    short::holds(&summary);
    for ops in 1..9 {
        summary.notes.push(warning_note(&Warning::Stragglers { ops }));
        short::holds(&summary);
    }
}

#[test]
fn a_ramp_on_a_narrow_terminal_with_every_table() {
    let style = Style { width: 72, ..Style::default() };
    let text = screen(&ramp(), &Screen { style, tables: Tables::Every, ..show() });
    assert_width(&text, 72);
    assert_eq!(text.matches("Average latency, ms").count(), 3);
}

#[test]
fn one_load_point_of_reads_with_a_slow_worker() {
    let share = Share { slow_worker: Some(3), ..Share::default() };
    let load =
        Load { writes_percent: 0, random_percent: 0, blocks_log2: (20, 20), warmup_s: 1, measured_s: 45 };
    let summary = summary(&share, &load, &[8]);
    let text = screen(&summary, &Screen { tables: Tables::None, ..show() });
    assert_width(&text, 100);
    insta::assert_snapshot!(text);
    let all = screen(&summary, &Screen { tables: Tables::None, detail: Detail::PerWorker, ..show() });
    assert!(all.lines().count() > text.lines().count(), "{all}");
}

#[test]
fn a_run_that_broke_off_with_errors() {
    let share = Share { every_fails: 500, ..Share::default() };
    let load = Load { measured_s: 10, ..Load::default() };
    let mut summary = summary(&share, &load, &[4]);
    summary.outcome = Outcome::BrokeOff;
    summary.outcome_reason = Some("the share was unmounted.".to_owned());
    summary.load_points[0].ended_early = Some("no answer for 30 s from 4 of 4 workers".to_owned());
    summary.notes.push(warning_note(&Warning::LogDropped { ops: 12_345, trouble: LogTrouble::TooSlow }));
    summary.log.complete = false;
    // The meaning of the number differs between systems.
    summary.load_points[0].total.errors[0].message = "Input/output error (os error 5)".to_owned();
    let text = screen(&summary, &Screen { tables: Tables::None, ..show() });
    assert_width(&text, 100);
    insta::assert_snapshot!(text);
}

#[test]
fn runs_without_operations_are_reported() {
    let target = Target { path: "/mnt/nas".to_owned(), ..Target::default() };
    let mut empty = Summary::new("0.1.0", "2026-11-20T15:40:12Z", "mix", target);
    empty.outcome = Outcome::Interrupted;
    let text = screen(&empty, &Screen::default());
    insta::assert_snapshot!(text);

    // Every read fails: there are operations, but no figures.
    let share = Share { every_fails: 1, ..Share::default() };
    let load = Load { writes_percent: 0, warmup_s: 0, measured_s: 1, ..Load::default() };
    let text = screen(&summary(&share, &load, &[2]), &Screen::default());
    insta::assert_snapshot!(text);

    assert_width(&text, 100);
}

#[test]
fn unanswered_operations_are_shown_next_to_response_times() {
    let mut printed = Vec::<String>::new();
    let load = Load { measured_s: 2, ..Load::default() };
    let mut summary = summary(&Share::default(), &load, &[1]);
    printed.push(screen(&summary, &Screen::default()).to_string());
    summary.load_points[0].unanswered = Some(Unanswered { threads: 4, for_s: 5.012 });
    let text = screen(&summary, &Screen::default()).split_whitespace().collect::<Vec<_>>().join(" ");
    printed.push(text.to_string());

    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn short_transfers_are_shown_without_further_claims() {
    let load = Load { measured_s: 2, ..Load::default() };
    let mut summary = summary(&Share::default(), &load, &[1]);
    assert!(screen(&summary, &Screen::default()).contains("No operation failed."));
    let total = &mut summary.load_points[0].total;
    (total.short_transfers, total.short_writes) = (956_381, Some(1));
    let text = screen(&summary, &Screen::default()).split_whitespace().collect::<Vec<_>>().join(" ");
    insta::assert_snapshot!(text);
}

#[test]
fn unmeasured_load_point_is_shown_with_cause_and_remedy() {
    let mut printed = Vec::<String>::new();
    let mut summary = ramp();
    summary.load_points[1].not_measured = Some(NotMeasured::WarmupVisitedAll);
    let text = screen(&summary, &Screen::default()).split_whitespace().collect::<Vec<_>>().join(" ");
    printed.push(text.to_string());
    assert!(text.contains("--warmup 0s"), "{text}");

    let load = Load { measured_s: 2, ..Load::default() };
    let mut summary = self::summary(&Share::default(), &load, &[1]);
    summary.load_points[0].total = Figures::default();
    summary.load_points[0].not_measured = Some(NotMeasured::NothingFinished);
    let text = screen(&summary, &Screen::default()).split_whitespace().collect::<Vec<_>>().join(" ");
    printed.push(text.to_string());
    assert!(text.contains("Measure longer"), "{text}");
    insta::assert_snapshot!(printed.join("\n"));
}

#[test]
fn data_mismatch_is_shown_first() {
    let load = Load { measured_s: 2, ..Load::default() };
    let mut summary = summary(&Share::default(), &load, &[1]);
    let mut verify = VerifyFacts { checked_bytes: 5_000_000_000, ..VerifyFacts::default() };
    summary.verify = Some(verify.clone());
    let text = screen(&summary, &Screen::default());
    insta::assert_snapshot!(text);
    verify.different_bytes = 4096;
    verify.first_difference = Some("file 3 at 1 MiB".to_owned());
    summary.verify = Some(verify);
    let text = screen(&summary, &Screen::default());
    assert!(text.starts_with("Result:     DATA MISMATCH: 4.10 kB of 5.00 GB"), "{text}");
}

#[test]
fn colours_are_used_only_on_request() {
    let load = Load { measured_s: 2, ..Load::default() };
    let summary = summary(&Share::default(), &load, &[1]);
    let plain = screen(&summary, &show());
    let colour =
        screen(&summary, &Screen { style: Style { colour: true, width: 100, ..Style::default() }, ..show() });
    assert!(!plain.contains('\u{1b}'));
    let mut stripped = colour.replace("\u{1b}[0m", "");
    for code in ["1", "33", "1;31"] {
        stripped = stripped.replace(&format!("\u{1b}[{code}m"), "");
    }
    assert_ne!(colour, plain);
    assert_eq!(stripped, plain);
}

#[test]
fn hostile_strings_reach_no_terminal() {
    let evil = "x\u{1b}[2J\u{7}\r\ny\u{202e}z";
    let load = Load { measured_s: 2, ..Load::default() };
    let mut summary = summary(&Share { every_fails: 7, ..Share::default() }, &load, &[2, 3]);
    summary.target.path = evil.to_owned();
    summary.target.description = Some(evil.repeat(200));
    summary.outcome = Outcome::BrokeOff;
    summary.outcome_reason = Some(evil.to_owned());
    summary.effective_mode.sentence = evil.to_owned();
    summary.self_cost.sentence = evil.to_owned();
    summary.notes = vec![Note::new(NoteFact::Other, evil, evil)];
    summary.log.note = Some(evil.to_owned());
    summary.verify =
        Some(VerifyFacts { checked_bytes: 1, different_bytes: 1, first_difference: Some(evil.to_owned()) });
    for point in &mut summary.load_points {
        point.label = evil.repeat(50);
        point.ended_early = Some(evil.to_owned());
        for error in &mut point.total.errors {
            error.message = evil.to_owned();
        }
    }
    let show = Screen { run_dir: Some(evil), tables: Tables::Every, ..Screen::default() };
    let text = screen(&summary, &show);
    assert!(text.contains("x\\u{1b}[2J"));
    let harmful = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!text.contains(harmful), "{text:?}");
}

/// The numbers of the first table row that begins with this word.
fn row(text: &str, first: &str) -> Vec<f64> {
    let number = |cell: &str| cell.replace(',', "").parse::<f64>().ok();
    let is_it = |line: &&str| {
        let mut cells = line.split_whitespace();
        cells.next() == Some(first) && cells.next().and_then(number).is_some()
    };
    let line = text.lines().find(is_it).unwrap();
    line.split_whitespace().filter_map(number).collect()
}

fn assert_close(shown: f64, exact: f64) {
    assert!((shown - exact).abs() <= 0.05 * exact, "shown {shown}, measured {exact}");
}

#[test]
fn the_numbers_on_the_screen_are_those_of_the_summary() {
    let summary = ramp();
    let text = screen(&summary, &show());
    let last = &summary.load_points[2];
    let data = last.total.response.data.unwrap();
    let shown = row(&text, "10");
    let exact = [
        10.0,
        last.measured_s,
        last.total.read_bytes_per_s.unwrap() / 1e6,
        last.total.written_bytes_per_s.unwrap() / 1e6,
        last.total.data_ops_per_s.unwrap(),
        data.p50_us / 1e3,
        data.p99_us / 1e3,
        data.max_us / 1e3,
        0.0,
    ];
    assert_eq!(shown.len(), exact.len(), "{shown:?}");
    for (shown, exact) in shown.into_iter().zip(exact) {
        assert_close(shown, exact);
    }
    let headline = format!(
        "10 workers moved {} MB/s ({} read, {} written) on /mnt/nas (SMB 3.1.1 from nas1), the highest rate \
         of 3 load points.",
        units::mb_per_s(last.total.bytes_per_s.unwrap()),
        units::mb_per_s(last.total.read_bytes_per_s.unwrap()),
        units::mb_per_s(last.total.written_bytes_per_s.unwrap()),
    );
    assert!(text.split_whitespace().collect::<Vec<_>>().join(" ").contains(&headline), "{headline}");

    let sizes = last.paper.block_bytes.iter().map(|&size| Some(size)).chain([None]);
    let cells = sizes.map(|size| last.paper.cell(Mode::RandWr, size).unwrap());
    let exact: Vec<f64> = cells.filter_map(|cell| cell.transfer_rate_while_transferring_mb_per_s).collect();
    let shown = row(&text, "rand_wr");
    assert_eq!(shown.len(), exact.len());
    for (shown, exact) in shown.into_iter().zip(exact) {
        assert_close(shown, exact);
    }
}

#[test]
fn the_simulated_freeze_is_found() {
    // The first load point runs from 0 to 65 s and freezes at 37 s for 412 ms.
    let text = screen(&summary(&Share::default(), &Load::default(), &[4]), &Screen::default());
    let line = text.lines().find(|line| line.trim_start().starts_with("Slowest response")).unwrap();
    insta::assert_snapshot!(line);
    let took: f64 = line.split_whitespace().nth(2).unwrap().parse().unwrap();
    assert!((412.0..440.0).contains(&took), "{line}");
}

#[test]
fn the_report_is_named_where_there_is_one() {
    let report = format!("{RUN_DIR}/report.html");
    let text = screen(&ramp(), &Screen { report: Some(&report), ..show() });
    assert!(text.contains(&format!("Files: {RUN_DIR}\nReport: {report}\n")), "{text}");
    assert!(!screen(&ramp(), &show()).contains("Report:"));
}
