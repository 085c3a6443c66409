//! `reelgauge run naspt`: a suite of replayed workloads, its screen again, and how it compares with another.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use reelgauge_analysis::naspt::{NasptRatios, PASSES};
use reelgauge_record::notes::StorageDetails;
use reelgauge_report::{SuiteScreen, suite_screen};
use reelgauge_results::run_notes;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::suite::{NASPT, Suite, SuiteRequest, naspt_workloads, run_suite};
use reelgauge_runner::supervise::{HANG_AFTER, Patience, supervised};
use reelgauge_workload::replay::Pacing;
use serde::Serialize;

use crate::cli::RunArgs;
use crate::progress::Progress;
use crate::screen;
use reelgauge_report::text::shell_word;

/// Runs the suite. The exit code.
pub fn run(args: &RunArgs) -> Result<u8> {
    // Before an hour of measuring, not after it.
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

/// The suite that the flags ask for.
pub(super) fn request_of(args: &RunArgs) -> Result<SuiteRequest> {
    if args.scale.is_some() || args.find_max {
        bail!("--scale and --find-max have no effect on a suite; they multiply the actors of a scenario");
    }
    let Some(target) = &args.target else {
        bail!("{NASPT} names no target; say which directory to measure with --target PATH");
    };
    Ok(SuiteRequest {
        name: NASPT.to_owned(),
        workloads: naspt_workloads(),
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

/// Prints a suite that ran before, beside another one if that is given. The exit code.
pub fn again(dir: &Path, against: Option<&Path>, as_json: bool) -> Result<u8> {
    let against = against.map(|dir| anyhow::Ok((dir, Suite::read(dir)?))).transpose()?;
    print(&Suite::read(dir)?, dir, against, as_json)?;
    Ok(0)
}

fn print(suite: &Suite, dir: &Path, against: Option<(&Path, Suite)>, as_json: bool) -> Result<()> {
    let ratios = against.map(|(dir, other)| (dir, suite.table.ratios_to(&other.table)));
    let text = if as_json { json(suite, dir, ratios.as_ref())? } else { shown(suite, dir, ratios.as_ref()) };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}

/// What `--json` prints.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    suite: &'a Suite,
    dir: &'a Path,
    #[serde(skip_serializing_if = "Option::is_none")]
    against: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ratios: Option<&'a NasptRatios>,
}

fn json(suite: &Suite, dir: &Path, ratios: Option<&(&Path, NasptRatios)>) -> Result<String> {
    let printed = Printed {
        suite,
        dir,
        against: ratios.map(|(dir, _)| *dir),
        ratios: ratios.map(|(_, ratios)| ratios),
    };
    Ok(format!("{}\n", serde_json::to_string_pretty(&printed)?))
}

fn shown(suite: &Suite, dir: &Path, ratios: Option<&(&Path, NasptRatios)>) -> String {
    let (target, pace) = (suite.target.display().to_string(), suite.pace.to_string());
    let notes = run_notes::read(dir).unwrap_or_default();
    let storage = notes.storage();
    let (dir, other) = (shell_word(dir), ratios.map(|(dir, _)| dir.display().to_string()));
    let shown = SuiteScreen {
        name: &suite.name,
        target: &target,
        batch: suite.batch,
        pace: &pace,
        wanted: suite.workloads.len(),
        link: suite.link.as_ref(),
        ended_early: suite.ended_early.as_deref(),
        table: &suite.table,
        against: other.as_deref().zip(ratios.map(|(_, ratios)| ratios)),
        storage: &storage,
        tags: &notes.tags,
        dir: &dir,
    };
    suite_screen(&shown, screen::style())
}
