//! The screen of a session with workers of the original Media Storage Meter: the throughput, the missing
//! workers, its three tables, and the limitations of its numbers.
//!
//! Not here: the text for old spreadsheets (crate msmeter), and the tables of this program
//! ([`crate::tables`]).

use reelgauge_analysis::facts::{MeterFacts, MeterTest, MeterWorker, Silence};
use reelgauge_analysis::msmeter::MeterCell;
use reelgauge_analysis::paper::Mode;
use reelgauge_analysis::{Outcome, Summary};

use crate::document::{Block, Section};
use crate::ending::last_lines;
use crate::note;
use crate::page::ScreenText;
use crate::screen_options::{MAX_WIDTH, Screen, Style};
use crate::sentence::Tone;
use crate::table::Table;
use crate::text::{plain, plain_short};
use crate::units::{clock, counted, fixed, moment};

/// The text of a table cell.
type Shown<'a> = &'a dyn Fn(&MeterCell) -> String;

/// The definition of its rate.
const RATE: &str = "rate of one worker while it reads, writes or syncs. It is not throughput; do not add up \
    rates of workers";
/// The definition of its latency.
const LATENCY: &str = "time of an operation outside its reads, writes and syncs: opening, seeking, and \
    filling the worker's buffers. On fast storage, filling is most of it. It excludes waiting for reads and \
    writes, so a stall lowers rates but does not raise latencies";
/// The figures that such a session cannot provide.
const NOT_MEASURED: &str = "late frames, response times, percentiles, and whether reads came from a cache: \
    the original does not report them";

/// The result: the missing workers, then the throughput.
pub(crate) fn answer(summary: &Summary, facts: &MeterFacts) -> Vec<(Tone, String)> {
    let ended = match (summary.outcome, &summary.outcome_reason) {
        (Outcome::Complete, _) => None,
        (_, Some(why)) => Some(format!("The script did not finish: {}.", plain(why))),
        (_, None) => Some("The script did not finish.".to_owned()),
    };
    let gone = facts.workers.iter().filter(|worker| worker.gone_s.is_some()).map(gone_words);
    let stalled = facts.tests.iter().flat_map(|test| test.stalled.iter().map(|one| stall_words(test, one)));
    let bad = ended.into_iter().chain(gone).chain(stalled).map(|text| (Tone::Bad, text));
    bad.chain([(Tone::Answer, moved(facts))]).collect()
}

/// The whole screen below the result.
pub(crate) fn screen(summary: &Summary, facts: &MeterFacts, show: &Screen, page: &mut ScreenText) {
    for test in &facts.tests {
        page.gap();
        of_test(test, facts, page);
    }
    page.gap();
    warnings(facts, page);
    if facts.tests.iter().any(|test| test.figures.records > 0) {
        page.item("Rate", RATE);
        page.item("Latency", LATENCY);
    }
    page.item("Not measured", NOT_MEASURED);
    page.warnings(&note::warnings(summary));
    last_lines(summary, show, page);
}

/// The section of the page about the workers' reports, as on the screen.
pub(crate) fn section(facts: &MeterFacts) -> Section {
    let mut page = ScreenText::new(Style { width: MAX_WIDTH, ..Style::default() });
    facts.tests.iter().for_each(|test| of_test(test, facts, &mut page));
    warnings(facts, &mut page);
    let mut section = Section::of_page("msmeter", "Reports of the original's workers", "");
    section.blocks = page.blocks;
    section.blocks.push(Block::Rows(vec![
        ("Rate".to_owned(), RATE.to_owned()),
        ("Latency".to_owned(), LATENCY.to_owned()),
        ("Not measured".to_owned(), NOT_MEASURED.to_owned()),
    ]));
    section
}

/// The throughput, as a sentence.
fn moved(facts: &MeterFacts) -> String {
    let records: u64 = facts.tests.iter().map(|test| test.figures.records).sum();
    let bytes: u64 = facts.tests.iter().map(|test| test.figures.bytes).sum();
    let workers = counted(facts.workers.len() as u64, "worker");
    if facts.tests.is_empty() {
        return format!(
            "The original meter ({workers}) finished no test. Its reports are in records.csv and \
             text/; no figure includes them."
        );
    }
    if records == 0 {
        return format!(
            "Nothing was measured: {workers} of the original meter reported no operation with a time."
        );
    }
    format!(
        "{workers} of the original meter moved {} MiB with {} in {}.",
        fixed(bytes as f64 / f64::from(1 << 20), 1),
        counted(records, "operation"),
        counted(facts.tests.len() as u64, "test")
    )
}

fn gone_words(worker: &MeterWorker) -> String {
    let why = worker.gone_why.as_deref().unwrap_or("the reason is unknown");
    let since = clock(worker.gone_s.unwrap_or_default());
    format!(
        "Worker {} ({}) has been missing since {since}: \
         {}.",
        worker.number,
        plain(&worker.address),
        plain(why)
    )
}

/// The sentence for a stall that lasted until the end of a test.
fn stall_words(test: &MeterTest, silence: &Silence) -> String {
    format!(
        "Worker {} hung at the end of test {}: it reported nothing for {}, from {} to the end. From then on \
         the figures of this test do not include it.",
        silence.worker,
        plain_short(&test.name, 60),
        moment(silence.seconds),
        clock(silence.from_s)
    )
}

/// Why a worker sent no report, as far as known.
fn why_nothing(number: usize, facts: &MeterFacts) -> String {
    let worker = facts.workers.iter().find(|worker| worker.number == number);
    let why = match worker {
        Some(worker) if worker.is_told_silence => "the script sets '-v-', so it sends no reports".to_owned(),
        Some(worker) if worker.no_files > 0 => {
            format!("it could not open a test file ({})", counted(worker.no_files, "time"))
        }
        Some(worker) if worker.gone_s.is_some() => "it disconnected".to_owned(),
        _ => "the reason is unknown".to_owned(),
    };
    format!("worker {number} reported nothing: {why}.")
}

/// One test: its throughput, its stall, its tables.
fn of_test(test: &MeterTest, facts: &MeterFacts, page: &mut ScreenText) {
    page.heading(&format!("Test {}", plain_short(&test.name, 60)));
    for number in &test.workers_without_records {
        page.warning(&why_nothing(*number, facts));
    }
    let Some(rate) = test.wall_clock_mib_per_s else {
        page.item("Throughput", "not measured");
        return;
    };
    let whole = "all workers together, from the first start to the last record";
    page.item("Throughput", &format!("{} MiB/s over wall-clock time, {whole}", fixed(rate, 1)));
    if let Some(silence) = test.longest_silence {
        let (long, from) = (moment(silence.seconds), clock(silence.from_s));
        page.item(
            "Longest silence",
            &format!("worker {} reported nothing for {long}, starting at {from}", silence.worker),
        );
    }
    page.gap();
    table("Rate", "MiB/s", test, &|cell| fixed(cell.rate_while_transferring_mib_per_s, 2), page);
    table("Average latency", "ms", test, &|cell| fixed(cell.msmeter_average_latency_ms, 1), page);
    table("Maximum latency", "s", test, &|cell| fixed(cell.msmeter_maximum_latency_s, 3), page);
}

/// One of the three tables: the block sizes that occurred as rows, and the kinds of access as columns.
fn table(title: &str, unit: &str, test: &MeterTest, shown: Shown<'_>, page: &mut ScreenText) {
    let cells = &test.figures.cells;
    let mut blocks: Vec<Option<u32>> =
        cells.iter().filter(|cell| cell.access == Mode::All).map(|cell| cell.block_kib).collect();
    // The row of all block sizes comes last.
    blocks.sort_by_key(|block| block.unwrap_or(u32::MAX));
    let named = |block: &Option<u32>| block.map_or_else(|| "All".to_owned(), |kib| format!("{kib} KiB"));
    let mut table = Table::new(format!("{title} in {}", plain_short(&test.name, 60)));
    table.words(title, blocks.iter().map(named).collect());
    for mode in Mode::ROWS {
        if !cells.iter().any(|cell| cell.access == mode) {
            continue;
        }
        let cell = |block: &Option<u32>| {
            let found = cells.iter().find(|cell| cell.access == mode && cell.block_kib == *block);
            found.map(shown).unwrap_or_default()
        };
        table.column(mode.name(), unit, blocks.iter().map(cell).collect());
    }
    page.table(table);
    page.gap();
}

/// Problems with the reports.
fn warnings(facts: &MeterFacts, page: &mut ScreenText) {
    let sum = |of: &dyn Fn(&MeterTest) -> u64| facts.tests.iter().map(of).sum::<u64>();
    let implausible = sum(&|test| test.figures.implausible_records);
    if implausible > 0 {
        page.warning(&format!(
            "{} reported more than 100,000 MiB/s. No table includes them. The original counts failed reads \
             as completed. Most of these are reads of a file that it cannot open, or reads with '-dio 1' from \
             storage other than NFS.",
            counted(implausible, "record")
        ));
    }
    let without_time = sum(&|test| test.figures.records_without_time);
    if without_time > 0 {
        page.warning(&format!(
            "{} had an infinite rate ('inf'). No table includes them.",
            counted(without_time, "record")
        ));
    }
    for worker in facts.workers.iter().filter(|worker| worker.no_files > 0) {
        page.warning(&format!(
            "worker {} ({}) could not open a test file ({}). Check that the script's folder has as many \
             files as the script names, and that the worker can read them.",
            worker.number,
            plain(&worker.address),
            counted(worker.no_files, "time")
        ));
    }
    if facts.records_outside > 0 {
        page.warning(&format!(
            "{} arrived outside every test. They are in records.csv, but in no table.",
            counted(facts.records_outside, "record")
        ));
    }
    if facts.lines_not_understood > 0 {
        page.warning(&format!(
            "{} from workers cannot be parsed. The original loses parts of records when its network is slow.",
            counted(facts.lines_not_understood, "line")
        ));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use reelgauge_analysis::msmeter::{MeterRecord, MeterTally};
    use reelgauge_analysis::summary::Target;

    use super::*;
    use crate::{Detail, Style, Tables, screen as of};

    fn test(records: &[(Mode, u32, f64, f64)]) -> MeterTest {
        let mut tally = MeterTally::default();
        for &(access, block_kib, rate_mib_per_s, latency_ms) in records {
            let length_kib = 1024;
            let file = "test000".to_owned();
            tally.take(&MeterRecord { file, access, length_kib, block_kib, rate_mib_per_s, latency_ms });
        }
        let figures = tally.figures();
        MeterTest {
            name: "night.csv".to_owned(),
            text_file: "text/01-night.csv".into(),
            began_s: Some(0.5),
            last_record_s: (figures.records > 0).then_some(2.5),
            wall_clock_mib_per_s: (figures.records > 0).then_some(1.5),
            longest_silence: Some(Silence { worker: 0, from_s: 61.0, seconds: 4.3 }),
            workers_without_records: Vec::new(),
            stalled: Vec::new(),
            figures,
        }
    }

    fn facts(test: MeterTest) -> MeterFacts {
        let address = "192.0.2.7".to_owned();
        let worker = MeterWorker {
            number: 0,
            address,
            records: 3,
            no_files: 0,
            is_told_silence: false,
            gone_s: None,
            gone_why: None,
        };
        MeterFacts { workers: vec![worker], tests: vec![test], ..MeterFacts::default() }
    }

    fn shown(facts: MeterFacts, broke_off: Option<&str>) -> String {
        let mut summary = Summary::new("0.1.0", "2026-11-26T10:00:00Z", "msmeter", Target::default());
        if let Some(why) = broke_off {
            (summary.outcome, summary.outcome_reason) = (Outcome::BrokeOff, Some(why.to_owned()));
        }
        summary.msmeter = Some(facts);
        let show = Screen {
            style: Style { width: 80, ..Style::default() },
            tables: Tables::Last,
            detail: Detail::Normal,
            run_dir: Some("runs/m"),
            report: None,
            is_on_paper: false,
        };
        let text = of(&summary, &show);
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        text
    }

    #[test]
    fn tables_follow_the_transferred_bytes() {
        let mut printed = Vec::<String>::new();
        let records =
            [(Mode::SeqRd, 64, 100.0, 2.0), (Mode::SeqRd, 1024, 50.0, 4.0), (Mode::RandWr, 64, 25.0, 9.0)];
        let text = shown(facts(test(&records)), None);
        printed.push(text.to_string());

        let row = text.lines().find(|line| line.starts_with("64 KiB")).unwrap();
        // 64 KiB in all kinds of access: 2 MiB in 10 + 40 ms.
        assert_eq!(
            row.split_whitespace().collect::<Vec<_>>(),
            ["64", "KiB", "100.00", "25.00", "40.00"],
            "{text}"
        );
        printed.push(text.to_string());
        assert!(!text.contains("Warning"), "{text}");
        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn session_without_a_complete_test_names_its_record_files() {
        let mut facts = facts(test(&[]));
        facts.tests.clear();
        let text = shown(facts, Some("it was killed"));
        insta::assert_snapshot!(text);
    }

    fn in_a_line(text: &str) -> String {
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn workers_stalled_to_the_end_are_shown_first() {
        let mut facts = facts(test(&[(Mode::SeqRd, 64, 100.0, 2.0)]));
        facts.tests[0].stalled = vec![Silence { worker: 0, from_s: 61.0, seconds: 42.0 }];
        let text = in_a_line(&shown(facts, None));
        insta::assert_snapshot!(text);
    }

    /// The test: a reason that is unknown is not guessed.
    #[test]
    fn worker_without_reports_is_shown_with_a_known_reason() {
        let mut printed = Vec::<String>::new();
        let with = |change: fn(&mut MeterWorker)| {
            let mut facts = facts(test(&[]));
            facts.tests[0].workers_without_records = vec![0];
            change(&mut facts.workers[0]);
            in_a_line(&shown(facts, None))
        };
        let unknown = with(|_| {});
        printed.push(unknown.to_string());

        let told = with(|worker| worker.is_told_silence = true);
        printed.push(told.to_string());
        let no_files = with(|worker| worker.no_files = 3);
        printed.push(no_files.to_string());

        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn unmeasured_session_is_reported_first_without_zeros() {
        let mut facts =
            facts(test(&[(Mode::SeqRd, 64, f64::INFINITY, 1.0), (Mode::SeqRd, 64, 250_000.0, 1.0)]));
        facts.tests[0].workers_without_records = vec![0];
        let worker = &mut facts.workers[0];
        (worker.gone_s, worker.gone_why) = (Some(61.0), Some("it closed its connection".to_owned()));
        let text = shown(facts, Some("all workers disconnected"));
        let first = "Result:     The script did not finish: all workers disconnected.\n";
        assert!(text.starts_with(first), "{text}");
        insta::assert_snapshot!(text);

        assert!(!text.contains(" 0.0") && !text.contains("moved 0"), "{text}");
    }
}
