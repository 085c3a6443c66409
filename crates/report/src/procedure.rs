//! The screen of a procedure: the conclusion from all runs, the deviations from its paper, and every
//! load point of every run. Also as CSV.

pub mod plan;
pub mod states;

use reelgauge_analysis::procedure::Finding;
use reelgauge_analysis::procedure::cliff::Cliff;
use reelgauge_analysis::procedure::steady::{Steadiness, WINDOW};
use reelgauge_analysis::procedure::warm::Warming;
use reelgauge_record::notes::StorageDetails;

use self::states::{state_words, states_table};
use crate::deviations::{DeviationWords, deviation_words};
use crate::page::ScreenText;
use crate::screen_options::Style;
use crate::sentence::Tone;
use crate::table::Table;
use crate::text::{capital, plain};
use crate::units::{amount, count, counted, fixed, mb_per_s, ms, span};
use crate::user_description::about_words;

/// The content of a procedure's screen.
#[derive(Clone, Copy, Debug)]
pub struct ProcedureScreen<'a> {
    /// The name of the procedure.
    pub name: &'a str,
    /// Its description, in one line.
    pub about: &'a str,
    /// The document and section that it follows.
    pub paper: Option<&'a str>,
    /// Whether it is the short variant.
    pub is_short: bool,
    /// The target that was measured.
    pub target: &'a str,
    /// The agents of the fleet that generated the load; empty for the local host.
    pub agents: &'a [String],
    /// Conditions of the paper that were not met.
    pub deviations: &'a [DeviationWords<'a>],
    /// The steps, in their order.
    pub steps: &'a [StepWords<'a>],
    /// The conclusion from all runs.
    pub finding: Option<&'a Finding>,
    /// Whether it is still running.
    pub goes_on: bool,
    /// Whether the user stopped it.
    pub is_interrupted: bool,
    /// Why it ended early.
    pub ended_early: Option<&'a str>,
    /// Whether all steps are complete.
    pub complete: bool,
    /// The user's description of the storage.
    pub storage: &'a StorageDetails,
    /// Tags to find it by.
    pub tags: &'a [String],
    /// The directory of the procedure.
    pub dir: &'a str,
}

/// A step of a procedure.
#[derive(Clone, Debug)]
pub struct StepWords<'a> {
    /// Its name, with its round.
    pub name: &'a str,
    /// Whether it is done.
    pub state: StepState,
    /// Its run's directory, below that of the procedure.
    pub run: Option<&'a str>,
    /// Why it was interrupted.
    pub why: Option<&'a str>,
    /// The result of a finished step.
    pub what: What<'a>,
}

/// The progress of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// It ran to its end.
    Done,
    /// The earlier rounds were already steady.
    NotNeeded,
    /// A requirement is missing.
    NotTried,
    /// It was interrupted or failed.
    BrokeOff,
    /// It has not been done yet.
    Open,
}

/// The result of a step.
#[derive(Clone, Debug)]
pub enum What<'a> {
    /// The load points of a run.
    Run(Vec<Figures>),
    /// The volume was filled.
    Filled {
        /// The fill level before, in percent of the usable space.
        before_percent: f64,
        /// The fill level after, in percent of the usable space.
        level_percent: f64,
        ballast_bytes: u64,
    },
    /// Files were created, edited and deleted.
    Aged(Aged),
    /// The server's cache was emptied.
    Cooled {
        /// The command that emptied it, if a command did.
        command: Option<&'a str>,
        /// The bytes that were written to displace its content, if it was emptied this way.
        pushed_out_bytes: Option<u64>,
    },
    /// The result is unknown.
    Nothing,
}

/// The result of ageing.
#[derive(Clone, Copy, Debug)]
pub struct Aged {
    /// The number of files created.
    pub made: u64,
    /// Files overwritten or extended.
    pub edited: u64,
    /// Files deleted.
    pub deleted: u64,
    pub written_bytes: u64,
    /// Extents of the counted files, in total.
    pub extents: Option<u64>,
    /// Files whose extents were counted.
    pub counted_files: u64,
}

/// The figures of a load point.
#[derive(Clone, Debug)]
pub struct Figures {
    pub label: String,
    /// The number of workers.
    pub workers: u32,
    /// Its measured time.
    pub measured_s: f64,
    /// Bytes read per second.
    pub read_bytes_per_s: Option<f64>,
    /// Bytes written per second.
    pub written_bytes_per_s: Option<f64>,
    /// Reads and writes per second.
    pub ops_per_s: Option<f64>,
    /// Mean response time.
    pub mean_response_us: Option<f64>,
    /// 99 % of the operations took no longer.
    pub p99_response_us: Option<f64>,
    /// The longest response time.
    pub max_response_us: Option<f64>,
}

/// The screen as text, ending with a line feed.
pub fn procedure_screen(procedure: &ProcedureScreen<'_>, style: Style) -> String {
    let mut page = ScreenText::new(style);
    if let Some(sentence) = state_sentence(procedure) {
        page.sentence(Tone::Bad, &sentence);
    }
    page.sentence(Tone::Answer, &procedure_sentence(procedure));
    if let Some(paper) = procedure.paper {
        page.item("Paper", &plain(paper));
    }
    if !procedure.agents.is_empty() {
        page.item("Agents", &agent_words(procedure.agents));
    }
    for deviation in procedure.deviations {
        page.item("Differs", &deviation_words(deviation));
    }
    for (name, text) in about_words(procedure.storage, procedure.tags) {
        page.item(name, &text);
    }
    if let Some(Finding::States { states }) = procedure.finding {
        page.gap();
        page.table(states_table(states));
    }
    if let Some(table) = table(procedure) {
        page.gap();
        page.table(table);
    }
    page.gap();
    for step in procedure.steps {
        if let Some(words) = action_words(step) {
            page.item(&capital(&plain(step.name)), &words);
        }
    }
    page.gap();
    page.item("Files", &plain(procedure.dir));
    let next = match procedure.complete || procedure.goes_on {
        false => format!("Continue: reelgauge procedure --resume {}", plain(procedure.dir)),
        true => format!("All runs on one page: reelgauge report {} --html FILE", plain(procedure.dir)),
    };
    page.item("Next", &next);
    page.text
}

/// The problem with the procedure, shown before everything else.
fn state_sentence(procedure: &ProcedureScreen<'_>) -> Option<String> {
    let done = procedure.steps.iter().filter(|step| step.state == StepState::Done).count();
    let tried = procedure.steps.iter().filter(|step| step.state != StepState::NotTried).count();
    let of = format!("{done} of {tried} steps complete");
    Some(match procedure.ended_early {
        _ if procedure.goes_on => format!("Running: {of}."),
        _ if procedure.is_interrupted => format!("Interrupted: {of}."),
        Some(why) => format!("Broke off: {of}. {}.", capital(plain(why).trim_end_matches('.'))),
        None if procedure.complete => return None,
        None => format!("Killed: {of}."),
    })
}

/// `steady on /mnt/nas: steady from round 7 on, at 85 MB/s`.
pub fn procedure_sentence(procedure: &ProcedureScreen<'_>) -> String {
    let short = if procedure.is_short { " (short)" } else { "" };
    let (name, target) = (plain(procedure.name), plain(procedure.target));
    let found = procedure.finding.map(|finding| finding_words(finding, procedure.steps));
    let found = found.unwrap_or_else(|| format!("{}.", capital(&plain(procedure.about))));
    format!("{name}{short} on {target}: {found}")
}

/// The conclusion, in one or two sentences.
fn finding_words(finding: &Finding, steps: &[StepWords<'_>]) -> String {
    match finding {
        Finding::Levels { percent_of_first } => level_words(percent_of_first, steps),
        Finding::Steady { steadiness, rounds, cliff } => {
            format!(
                "{}{}",
                steady_words(steadiness.as_ref(), *rounds),
                cliff.as_ref().map_or_else(String::new, cliff_words)
            )
        }
        Finding::Pair { ratio } => pair_words(*ratio, steps),
        Finding::States { states } => state_words(states),
        Finding::Warm { warming } => warm_words(warming.as_ref()),
        Finding::Trend { trends } => {
            let words = trends.iter().map(|trend| {
                format!(
                    "{}: {} MB/s in the first round, {} MB/s in the last of {}, a trend of {} %",
                    plain(&trend.name),
                    mb_per_s(trend.first_bytes_per_s),
                    mb_per_s(trend.last_bytes_per_s),
                    count(trend.rounds as u64),
                    signed(trend.change_percent),
                )
            });
            let words: Vec<String> = words.collect();
            if words.is_empty() {
                "no trend: fewer than two rounds.".to_owned()
            } else {
                words.join(". ") + "."
            }
        }
    }
}

fn signed(percent: f64) -> String {
    let digits = fixed(percent.abs(), 1);
    if percent < 0.0 { format!("-{digits}") } else { format!("+{digits}") }
}

/// The completed runs, in the order of their figures.
fn done_runs<'a>(steps: &'a [StepWords<'a>]) -> impl Iterator<Item = &'a StepWords<'a>> {
    steps.iter().filter(|step| step.state == StepState::Done && matches!(step.what, What::Run(_)))
}

fn level_words(percent_of_first: &[Option<f64>], steps: &[StepWords<'_>]) -> String {
    let levels = done_runs(steps).zip(percent_of_first).skip(1);
    let mut words: Vec<String> = levels
        .filter_map(|(step, percent)| Some(format!("{}: {} %", plain(step.name), fixed((*percent)?, 0))))
        .collect();
    let (Some(first), Some(lowest)) = (words.first_mut(), done_runs(steps).next()) else {
        return "fewer than two levels were measured.".to_owned();
    };
    first.push_str(&format!(" of the rate measured {}", plain(lowest.name)));
    words.join("; ") + "."
}

fn steady_words(steadiness: Option<&Steadiness>, rounds: usize) -> String {
    let Some(found) = steadiness else {
        return format!(
            "unknown whether it is steady: {}, but {WINDOW} are needed.",
            counted(rounds as u64, "round")
        );
    };
    let not = if found.is_steady { "steady" } else { "not steady" };
    format!(
        "{not} after {}. The last {WINDOW} average {} MB/s, with a range of {} % (limit 20 %) and a slope of {} % \
         (limit 10 %).",
        counted(rounds as u64, "round"),
        mb_per_s(found.average_bytes_per_s),
        fixed(found.range_percent, 1),
        signed(found.slope_percent),
    )
}

fn cliff_words(cliff: &Cliff) -> String {
    let prepared = match cliff.prepared_bytes {
        0 => String::new(),
        bytes => format!(" ({} of them to create the files)", amount(bytes)),
    };
    format!(
        " It slowed from {} to {} MB/s after {} were written{prepared}.",
        mb_per_s(cliff.before_bytes_per_s),
        mb_per_s(cliff.after_bytes_per_s),
        amount(cliff.written_bytes as u64),
    )
}

fn pair_words(ratio: Option<f64>, steps: &[StepWords<'_>]) -> String {
    let names: Vec<String> = done_runs(steps).map(|step| plain(step.name)).collect();
    match (ratio, names.as_slice()) {
        (Some(ratio), [first, second]) => {
            format!("{first} has {} times the rate of {second}.", fixed(ratio, 2))
        }
        _ => "one of the two runs has no rate, so they cannot be compared.".to_owned(),
    }
}

fn warm_words(warming: Option<&Warming>) -> String {
    let Some(found) = warming else {
        return "fewer than two passes were measured.".to_owned();
    };
    let rates = format!(
        "{} MB/s cold, {} MB/s warm",
        mb_per_s(found.cold_bytes_per_s),
        mb_per_s(found.warm_bytes_per_s)
    );
    match found.warm_after_s {
        Some(seconds) => format!("{rates}. Warm after reading for {}.", span(seconds * 1e6)),
        None => format!(
            "{rates}: the first pass was as fast as the last, so the server's cache was not cold, or it is \
             too small for the files."
        ),
    }
}

/// `edit-01, edit-02`.
fn agent_words(agents: &[String]) -> String {
    let names: Vec<String> = agents.iter().map(|name| plain(name)).collect();
    names.join(", ")
}

/// The effect of an action, or why a step was interrupted.
fn action_words(step: &StepWords<'_>) -> Option<String> {
    if let (StepState::BrokeOff, Some(why)) = (step.state, step.why) {
        return Some(format!("broke off: {}", plain(why)));
    }
    Some(match &step.what {
        What::Filled { before_percent, level_percent, ballast_bytes } => format!(
            "{} % full before, {} % with {} of ballast",
            fixed(*before_percent, 1),
            fixed(*level_percent, 1),
            amount(*ballast_bytes)
        ),
        What::Aged(aged) => {
            let extents = aged.extents.filter(|_| aged.counted_files > 0).map_or_else(
                || "extents unknown".to_owned(),
                |extents| {
                    format!("{} extents per file", fixed(extents as f64 / aged.counted_files as f64, 2))
                },
            );
            format!(
                "{} created, {} edited, {} deleted, {} written; {extents}",
                count(aged.made),
                count(aged.edited),
                count(aged.deleted),
                amount(aged.written_bytes)
            )
        }
        What::Cooled { command: Some(command), .. } => format!("by '{}'", plain(command)),
        What::Cooled { pushed_out_bytes: Some(bytes), .. } => format!("by writing {}", amount(*bytes)),
        What::Cooled { .. } | What::Run(_) | What::Nothing => return None,
    })
}

/// The figures of all runs; `None` if there are none.
fn table(procedure: &ProcedureScreen<'_>) -> Option<Table> {
    let rows: Vec<(&StepWords<'_>, &Figures)> = procedure
        .steps
        .iter()
        .filter_map(|step| if let What::Run(points) = &step.what { Some((step, points)) } else { None })
        .flat_map(|(step, points)| points.iter().map(move |figures| (step, figures)))
        .collect();
    if rows.is_empty() {
        return None;
    }
    let column = |cell: &dyn Fn(&Figures) -> Option<String>| -> Vec<String> {
        rows.iter().map(|(_, figures)| cell(figures).unwrap_or_else(|| "-".to_owned())).collect()
    };
    let name = |step: &StepWords<'_>| {
        let broke_off = if step.state == StepState::Done { "" } else { " (broke off)" };
        format!("{}{broke_off}", plain(step.name))
    };
    let mut table = Table::default();
    table.column("", "run", rows.iter().map(|(step, _)| name(step)).collect());
    let has_ramps = rows.iter().any(|(step, _)| matches!(&step.what, What::Run(points) if points.len() > 1));
    if has_ramps {
        table.name("load point", rows.iter().map(|(_, figures)| plain(&figures.label)).collect());
    }
    table.column("read", "MB/s", column(&|figures| figures.read_bytes_per_s.map(mb_per_s)));
    table.column("written", "MB/s", column(&|figures| figures.written_bytes_per_s.map(mb_per_s)));
    table.column(
        "reads+writes",
        "1/s",
        column(&|figures| figures.ops_per_s.map(|rate| count(rate.round() as u64))),
    );
    table.column("mean", "ms", column(&|figures| figures.mean_response_us.map(ms)));
    table.column("p99", "ms", column(&|figures| figures.p99_response_us.map(ms)));
    Some(table)
}

/// All load points of all runs, for spreadsheets. A figure that was not measured is empty.
pub fn procedure_csv(procedure: &ProcedureScreen<'_>) -> String {
    let mut out = csv::Writer::from_writer(Vec::new());
    let cell = |value: Option<f64>| value.map_or_else(String::new, |value| value.to_string());
    // Writing to memory does not fail.
    let _ = out.write_record([
        "step",
        "state",
        "run",
        "load_point",
        "workers",
        "measured_s",
        "read_bytes_per_s",
        "written_bytes_per_s",
        "data_ops_per_s",
        "mean_response_us",
        "p99_response_us",
        "max_response_us",
    ]);
    for step in procedure.steps {
        let What::Run(points) = &step.what else { continue };
        let state = match step.state {
            StepState::Done => "done",
            StepState::NotNeeded => "not_needed",
            StepState::NotTried => "not_tried",
            StepState::BrokeOff => "broke_off",
            StepState::Open => "open",
        };
        for figures in points {
            let _ = out.write_record([
                step.name,
                state,
                step.run.unwrap_or_default(),
                &figures.label,
                &figures.workers.to_string(),
                &figures.measured_s.to_string(),
                &cell(figures.read_bytes_per_s),
                &cell(figures.written_bytes_per_s),
                &cell(figures.ops_per_s),
                &cell(figures.mean_response_us),
                &cell(figures.p99_response_us),
                &cell(figures.max_response_us),
            ]);
        }
    }
    String::from_utf8(out.into_inner().unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn figures(read: f64) -> Figures {
        Figures {
            label: "1 worker".to_owned(),
            workers: 1,
            measured_s: 5.0,
            read_bytes_per_s: Some(read),
            written_bytes_per_s: None,
            ops_per_s: Some(1000.4),
            mean_response_us: Some(1_500.0),
            p99_response_us: None,
            max_response_us: None,
        }
    }

    fn run<'a>(name: &'a str, read: f64) -> StepWords<'a> {
        StepWords {
            name,
            state: StepState::Done,
            run: Some("r"),
            why: None,
            what: What::Run(vec![figures(read)]),
        }
    }

    const DEVIATIONS: [DeviationWords<'static>; 2] = [
        DeviationWords { setting: Some("step"), paper: "1h", here: Some("20s"), steps: &[] },
        DeviationWords { setting: None, paper: "10", here: Some("1"), steps: &[] },
    ];

    fn screen_of<'a>(
        steps: &'a [StepWords<'a>],
        finding: Option<&'a Finding>,
        ended_early: Option<&'a str>,
    ) -> ProcedureScreen<'a> {
        static NO_STORAGE: std::sync::LazyLock<StorageDetails> =
            std::sync::LazyLock::new(StorageDetails::default);
        static AGENTS: std::sync::LazyLock<[String; 2]> =
            std::sync::LazyLock::new(|| ["edit-01".to_owned(), "edit-02".to_owned()]);
        ProcedureScreen {
            name: "study",
            about: "six runs",
            paper: Some("EBU Tech 3362"),
            is_short: true,
            target: "/mnt/nas",
            agents: &*AGENTS,
            deviations: &DEVIATIONS,
            steps,
            finding,
            goes_on: false,
            is_interrupted: false,
            ended_early,
            complete: ended_early.is_none(),
            storage: &NO_STORAGE,
            tags: &[],
            dir: "runs/x",
        }
    }

    fn shown(steps: &[StepWords<'_>], finding: Option<&Finding>, ended_early: Option<&str>) -> String {
        let procedure = screen_of(steps, finding, ended_early);
        assert_eq!(procedure_csv(&procedure).lines().count(), 1 + done_runs(steps).count());
        procedure_screen(&procedure, Style { width: 110, ..Style::default() })
    }

    #[test]
    fn every_deviation_is_listed_and_unmeasured_is_a_dash() {
        let text = shown(&[run("read\u{1b}[31m", 2e6)], None, None);
        insta::assert_snapshot!(text);

        let row = text.lines().find(|line| line.starts_with("read")).unwrap();
        assert_eq!(
            row.split_whitespace().skip(1).collect::<Vec<_>>(),
            ["2.00", "-", "1,000", "1.50", "-"],
            "{text}"
        );
        assert!(!text.contains('\u{1b}'));
    }

    #[test]
    fn each_conclusion_has_its_sentence() {
        let mut printed = Vec::<String>::new();
        let steps = [run("as found", 2e6), run("95 % full", 1e6)];
        let levels = Finding::Levels { percent_of_first: vec![Some(100.0), Some(50.0)] };
        printed.push(shown(&steps, Some(&levels), None).to_string());
        let pair = Finding::Pair { ratio: Some(2.0) };
        printed.push(shown(&steps, Some(&pair), None).to_string());
        let warm = Warming { cold_bytes_per_s: 1e6, warm_bytes_per_s: 9e6, warm_after_s: Some(3.0) };
        let text = shown(&steps, Some(&Finding::Warm { warming: Some(warm) }), None);
        printed.push(text.to_string());
        let steady =
            Steadiness { is_steady: true, average_bytes_per_s: 5e6, range_percent: 3.0, slope_percent: -1.0 };
        let cliff =
            Cliff { written_bytes: 4e8, prepared_bytes: 0, before_bytes_per_s: 1e8, after_bytes_per_s: 2e7 };
        let found = Finding::Steady { steadiness: Some(steady), rounds: 6, cliff: Some(cliff) };
        let text = shown(&steps, Some(&found), None).replace('\n', " ");
        printed.push(text.to_string());

        insta::assert_snapshot!(printed.join("\n"));
    }

    #[test]
    fn reason_of_the_end_is_first_and_resume_command_last() {
        let text = shown(&[run("read", 2e6)], None, Some("the disk is full"));
        insta::assert_snapshot!(text);
        assert!(text.ends_with("reelgauge procedure --resume runs/x\n"), "{text}");
        let text = shown(&[], None, Some("the disk is full"));
        assert!(!text.contains("MB/s"), "a table without rows: {text}");
    }

    /// Checks each line except paths.
    fn assert_fits(text: &str, width: usize) {
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}\n{text}");
        }
    }

    #[test]
    fn no_table_is_wider_than_the_terminal_and_each_part_names_its_rows() {
        let points = |count: u32| {
            let point =
                |workers| Figures { label: format!("{workers} workers"), workers, ..figures(812_345_678.0) };
            What::Run((1..=count).map(point).collect())
        };
        let long = "x".repeat(80);
        let names = ["production edit, a file for each client", "sequential read, one file", &long];
        let steps: Vec<StepWords<'_>> =
            names.iter().map(|name| StepWords { what: points(3), ..run(name, 1.0) }).collect();
        for width in [40, 60, 80, 100] {
            let style = Style { width, ..Style::default() };
            let procedure = ProcedureScreen { steps: &steps, ..screen_of(&[], None, None) };
            let table = table(&procedure).unwrap().lines(style.width);
            assert_fits(&table.join("\n"), width);
            let parts = table.split(|line| line.is_empty());
            assert!(parts.clone().all(|part| part.join(" ").contains("load point")), "{table:#?}");
        }
    }
}
