//! `reelgauge run naspt`: a suite of workloads; its screen, page and tables again, and its comparison
//! with others.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use reelgauge_analysis::compare::RUNS_MAX;
use reelgauge_analysis::naspt::{NasptRatios, PASSES};
use reelgauge_record::named_file::write_named;
use reelgauge_record::notes::StorageDetails;
use reelgauge_report::{SuiteScreen, SuitesPage, suite_screen, suites_csv, suites_screen};
use reelgauge_results::page::write_html;
use reelgauge_results::run_notes;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::suite::report_data::{OpenedSuite, page_of_suites, side_by_side};
use reelgauge_runner::suite::selection::{NASPT_GROUP, choose};
use reelgauge_runner::suite::{NASPT, Suite, SuiteRequest, run_suite};
use reelgauge_runner::supervise::{HANG_AFTER, Patience, supervised};
use reelgauge_trace::library::Library;
use reelgauge_workload::iometer;
use reelgauge_workload::replay::Pacing;
use serde::Serialize;

use super::directory_kind::has_table_and_page_alone;
use crate::cli::{CompareArgs, ReportArgs, RunArgs};
use crate::progress::Progress;
use crate::screen;
use reelgauge_report::text::shell_word;

/// The table of a suite, in a folder.
const TABLE_FILE: &str = "suite.csv";

/// The error that names the command for comparing suites.
const SUITES: &str = "compare takes two to eight suites: reelgauge compare SUITE SUITE. Only --json, --out, \
                      --csv and --html have an effect. For one workload, name its runs";

/// Runs the suite. Returns the exit status.
pub fn run(args: &RunArgs) -> Result<u8> {
    // Read now, so that an error is reported before an hour of measuring.
    let against = args.against.as_deref().map(|dir| Ok((dir, Suite::read(dir)?))).transpose();
    let against: Option<(&Path, Suite)> = against.map_err(|error: anyhow::Error| error)?;
    let request = request_of(args)?;
    let target = request.target.clone();
    let patience = Patience { path: target, hang_after: HANG_AFTER };
    supervised(&patience, || match measure(request, args, against) {
        Ok(code) => code,
        Err(error) => screen::complain(&error),
    })
    .map_err(Into::into)
}

/// The suite of the flags.
pub(super) fn request_of(args: &RunArgs) -> Result<SuiteRequest> {
    if args.scale.is_some() || args.find_max {
        bail!("--scale and --find-max have no effect on a suite; they multiply the actors of a scenario");
    }
    let Some(target) = &args.target else {
        bail!("{NASPT} names no target; name the directory to measure with --target PATH");
    };
    let words = if args.workloads.is_empty() { &[NASPT_GROUP.to_owned()][..] } else { &args.workloads };
    Ok(SuiteRequest {
        name: NASPT.to_owned(),
        workloads: choose(words, &Library::standard())?,
        access_time: args.access_time.unwrap_or(iometer::TIME),
        target: target.clone(),
        batch: args.batch.unwrap_or(PASSES as u32),
        pace: Pacing::Max,
        seed: fresh_seed(),
        out: args.output.out.clone(),
        terms: args.terms.said(),
        storage: args.output.noted.storage(StorageDetails::default()),
        tags: args.output.noted.tags(&[])?,
    })
}

fn measure(request: SuiteRequest, args: &RunArgs, against: Option<(&Path, Suite)>) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let mut progress = Progress::new(args.output.quiet || args.output.json);
    let ended = match run_suite(request, &mut progress, &interrupt) {
        Ok(ended) => ended,
        Err(error) => {
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    print(&ended.suite, &ended.dir, against, args.output.json)?;
    Ok(ended.exit_code)
}

/// Prints a suite that ran before, and writes its table and page. Returns the exit status.
pub fn reprint(args: &ReportArgs, dir: &Path) -> Result<u8> {
    has_table_and_page_alone(args, dir, "suite", "workload")?;
    let opened = OpenedSuite::open(dir)?;
    if let Some(folder) = &args.csv {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("cannot create the folder {}", folder.display()))?;
        write_table(&side_by_side(std::slice::from_ref(&opened)), &folder.join(TABLE_FILE))?;
    }
    if let Some(file) = &args.html {
        write_html(&page_of_suites(std::slice::from_ref(&opened)), file)?;
    }
    print(&opened.suite, dir, None, args.json)?;
    Ok(0)
}

/// Suites side by side; rates of the others are multiples of the first. Returns the exit status.
pub fn compare(args: &CompareArgs, dirs: &[PathBuf]) -> Result<u8> {
    let of_runs = args.markdown || args.junit || args.all;
    let gate = args.threshold.is_some() || !args.figure.is_empty() || args.repeats.is_some();
    if let Some(other) = dirs.iter().find(|dir| !Suite::is_in(dir)) {
        bail!("{} is not a suite; {SUITES}", shell_word(other));
    }
    ensure!((2..=RUNS_MAX).contains(&dirs.len()) && !of_runs && !gate, "{SUITES}");
    for (at, dir) in dirs.iter().enumerate() {
        let place = dir.canonicalize().ok();
        ensure!(
            dirs[..at].iter().all(|before| place.is_none() || before.canonicalize().ok() != place),
            "{} is named twice; name two different suites",
            shell_word(dir)
        );
    }
    let suites: Vec<OpenedSuite> = dirs.iter().map(|dir| OpenedSuite::open(dir)).collect::<Result<_, _>>()?;
    let shown = side_by_side(&suites);
    let style = if args.out.is_some() { reelgauge_report::Style::default() } else { screen::style() };
    let text = match args.json {
        true => format!("{}\n", serde_json::to_string_pretty(&shown)?),
        false => suites_screen(&shown, style),
    };
    if let Some(file) = &args.csv {
        write_table(&shown, file)?;
    }
    if let Some(file) = &args.html {
        write_html(&page_of_suites(&suites), file)?;
    }
    match &args.out {
        Some(file) => write_named(file, |out| out.write_all(text.as_bytes()))
            .with_context(|| format!("cannot write {}", file.display()))?,
        None => std::io::stdout().write_all(text.as_bytes())?,
    }
    Ok(0)
}

fn write_table(suites: &SuitesPage, file: &Path) -> Result<()> {
    let text = suites_csv(suites);
    write_named(file, |out| out.write_all(text.as_bytes()))
        .with_context(|| format!("cannot write {}", file.display()))
}

fn print(suite: &Suite, dir: &Path, against: Option<(&Path, Suite)>, as_json: bool) -> Result<()> {
    let ratios = against.map(|(dir, other)| (dir, suite.table.ratios_to(&other.table)));
    let text = if as_json { json(suite, dir, ratios.as_ref())? } else { shown(suite, dir, ratios.as_ref()) };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// The output of `--json`.
#[derive(Serialize)]
struct SuiteJson<'a> {
    #[serde(flatten)]
    suite: &'a Suite,
    dir: &'a Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratios: Option<&'a NasptRatios>,
}

fn json(suite: &Suite, dir: &Path, ratios: Option<&(&Path, NasptRatios)>) -> Result<String> {
    let printed = SuiteJson {
        suite,
        dir,
        against: ratios.map(|(dir, _)| *dir),
        ratios: ratios.map(|(_, ratios)| ratios),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&printed)?))
}

fn shown(suite: &Suite, dir: &Path, ratios: Option<&(&Path, NasptRatios)>) -> String {
    let words = SuiteTexts::of(suite, dir);
    let other = ratios.map(|(dir, _)| dir.display().to_string());
    let against = other.as_deref().zip(ratios.map(|(_, ratios)| ratios));
    suite_screen(&SuiteScreen { against, ..words.screen(suite) }, screen::style())
}

/// The parts that a screen of a suite borrows.
pub(super) struct SuiteTexts {
    target: String,
    pace: String,
    dir: String,
    storage: StorageDetails,
    tags: Vec<String>,
}

impl SuiteTexts {
    /// The parts for the suite in this directory.
    pub(super) fn of(suite: &Suite, dir: &Path) -> SuiteTexts {
        let notes = run_notes::read(dir).unwrap_or_default();
        SuiteTexts {
            target: suite.target.display().to_string(),
            pace: suite.pace.to_string(),
            dir: shell_word(dir),
            storage: notes.storage(),
            tags: notes.tags,
        }
    }

    /// The screen, with nothing to compare with.
    pub(super) fn screen<'a>(&'a self, suite: &'a Suite) -> SuiteScreen<'a> {
        SuiteScreen {
            name: &suite.name,
            target: &self.target,
            batch: suite.batch,
            pace: &self.pace,
            wanted: &suite.workloads,
            link: suite.link.as_ref(),
            ended_early: suite.ended_early.as_deref(),
            table: &suite.table,
            against: None,
            storage: &self.storage,
            tags: &self.tags,
            dir: &self.dir,
        }
    }
}
