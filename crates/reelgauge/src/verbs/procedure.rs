//! `reelgauge procedure`: a series of runs and actions, its forecast, its screen again, its table and
//! page.

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use reelgauge_analysis::compare::RUNS_MAX;
use reelgauge_analysis::forecast::Forecast;
use reelgauge_console::run_start::Planned;
use reelgauge_record::named_file::write_named;
use reelgauge_record::notes::StorageDetails;
use reelgauge_report::Style;
use reelgauge_report::procedure::plan::{
    PlanScreen, PlannedStep, plan_screen, procedure_list, step_line, time_words, written_line,
};
use reelgauge_report::text::{plain, shell_word};
use reelgauge_results::compare::{compare_page, compare_runs};
use reelgauge_results::page::{page, run_page, write_html};
use reelgauge_runner::exit_code::USAGE;
use reelgauge_runner::fresh_seed;
use reelgauge_runner::interrupt::Interrupt;
use reelgauge_runner::procedure::conclusion::{conclude, summaries};
use reelgauge_runner::procedure::procedure_file::ProcedureRecord;
use reelgauge_runner::procedure::report_data::{
    deviations_in_words, procedure_table, procedure_text, states_on_page, states_table,
};
use reelgauge_runner::procedure::user_events::GivenEvents;
use reelgauge_runner::procedure::{
    Manner, ProcedureEnd, ProcedureError, ProcedureEvent, ProcedureRequest, resume_procedure, run_procedure,
};
use reelgauge_workload::procedure::requirement::{event_names, without_step};
use reelgauge_workload::procedure::{Procedure, Step, names, text};
use serde::Serialize;

use super::directory_kind::has_table_and_page_alone;
use super::estimate::forecast_of;
use super::fleet_procedure::{FleetProcedure, Obstacles};
use super::fleet_run_common::say;
use super::procedure_plan::ProcedurePlan;
use super::procedure_steps::planned_steps;
use crate::cli::{ProcedureArgs, ReportArgs};
use crate::screen;

/// Columns of a plan that the console shows.
const PAGE_COLUMNS: usize = 100;
/// The interval of reports on bytes of ballast.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// Lists procedures, or shows, plans, carries out or resumes one. Returns the exit status.
pub fn procedure(args: &ProcedureArgs) -> Result<u8> {
    if let Some(dir) = &args.resume {
        let events = events(args)?;
        return carry_out(args, |manner, tell| resume_procedure(dir, events, manner, tell));
    }
    let Some(name) = &args.name else {
        let all = names().map(|name| Ok((name, Procedure::from_toml(text(name)?)?.about)));
        let all = all.collect::<Result<Vec<_>>>()?;
        std::io::stdout().write_all(procedure_list(&all, screen::style()).as_bytes())?;
        return Ok(0);
    };
    let (name, text) = named(name)?;
    if args.show {
        std::io::stdout().write_all(text.as_bytes())?;
        return Ok(0);
    }
    let Some(target) = &args.path else {
        bail!("name the directory to measure: reelgauge procedure {} PATH", shell_word(Path::new(&name)));
    };
    let (request, fleet) = request(args, &name, &text, target)?;
    let (steps, obstacle) = planned_steps(&request, fleet.as_ref())?;
    if args.dry_run {
        return dry_run(args, &request, &steps, fleet, obstacle);
    }
    if let Some(fleet) = &fleet {
        fleet.expect_ready()?;
    }
    if let Some(obstacle) = obstacle {
        return Err(obstacle.into());
    }
    carry_out(args, |manner, tell| run_procedure(&request, manner, tell))
}

/// Prints the plan, and the reasons for a refusal. Returns the exit status.
fn dry_run(
    args: &ProcedureArgs,
    request: &ProcedureRequest,
    steps: &[PlannedStep],
    fleet: Option<FleetProcedure>,
    obstacle: Option<ProcedureError>,
) -> Result<u8> {
    let text = match args.output.json {
        true => {
            let plan = ProcedurePlan::new(request, steps, obstacle.as_ref().map(ToString::to_string));
            format!("{}\n", serde_json::to_string_pretty(&plan)?)
        }
        false => plan_text(request, steps, screen::style()),
    };
    std::io::stdout().write_all(text.as_bytes())?;
    if let Some(obstacle) = obstacle {
        screen::complain(&obstacle.into());
        return Ok(USAGE);
    }
    let obstacles = fleet.map_or_else(|| Ok(Obstacles::default()), |fleet| fleet.obstacles())?;
    obstacles.sentences().for_each(say);
    Ok(if obstacles.sentences().next().is_some() { USAGE } else { 0 })
}

/// The forecast of a procedure, for the console's form.
pub fn planned(args: &ProcedureArgs) -> Result<Planned> {
    let name = args.name.as_deref().context("choose a procedure")?;
    let target = args.path.as_deref().context("choose the storage to measure")?;
    let (name, text) = named(name)?;
    let (request, fleet) = request(args, &name, &text, target)?;
    let (steps, obstacle) = planned_steps(&request, fleet.as_ref())?;
    let style = Style { width: PAGE_COLUMNS, ..Style::default() };
    Ok(Planned {
        takes: format!("Takes {}.", time_words(&steps)),
        plan: Some(plan_text(&request, &steps, style)),
        refused: obstacle.map(|obstacle| obstacle.to_string()),
    })
}

fn plan_text(request: &ProcedureRequest, steps: &[PlannedStep], style: Style) -> String {
    let deviations = deviations_in_words(&request.deviations);
    let plan = PlanScreen {
        name: &request.name,
        about: &request.about,
        paper: request.paper.as_deref(),
        target: &request.target.display().to_string(),
        agents: request.fleet.as_ref().map_or(&[][..], |fleet| &fleet.choice.agents),
        deviations: &deviations,
        steps,
    };
    plan_screen(&plan, style)
}

/// The procedure's name and its text, from the catalogue or a file.
fn named(name: &Path) -> Result<(String, String)> {
    if name.is_file() {
        let text =
            std::fs::read_to_string(name).with_context(|| format!("cannot read {}", shell_word(name)))?;
        let stem = name.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        return Ok((stem, text));
    }
    let name = name.display().to_string();
    let found = text(&name)?;
    Ok((name, found.to_owned()))
}

fn request(
    args: &ProcedureArgs,
    name: &str,
    text: &str,
    target: &Path,
) -> Result<(ProcedureRequest, Option<FleetProcedure>)> {
    let mut procedure = Procedure::from_toml(text)?;
    if args.short {
        procedure = procedure.shortened()?;
    }
    args.set.iter().try_for_each(|words| procedure.change(words))?;
    let (steps, events) = (procedure.steps()?, events(args)?);
    if let Some(event) = without_step(&steps, &events.events) {
        bail!("no step of {name} expects the event '{}'{}", plain(&event.name), its_events(&steps));
    }
    let seed = args.seed.unwrap_or_else(fresh_seed);
    let on_fleet = |site: &PathBuf| FleetProcedure::new(site, &args.agents, &steps, (target, seed));
    let fleet = args.fleet.as_ref().map(on_fleet).transpose()?;
    let computers = fleet.as_ref().map_or(1, |fleet| fleet.request.choice.agents.len());
    let request = ProcedureRequest {
        name: name.to_owned(),
        deviations: procedure.deviations(u32::try_from(computers).unwrap_or(u32::MAX)),
        steps,
        events,
        about: procedure.about,
        paper: procedure.paper,
        is_short: args.short,
        finding: procedure.finding,
        target: target.to_path_buf(),
        fleet: fleet.as_ref().map(|fleet| fleet.request.clone()),
        terms: args.terms.said(),
        storage: args.output.noted.storage(StorageDetails::default()),
        tags: args.output.noted.tags(&[])?,
        seed,
        out: args.output.out.clone(),
    };
    Ok((request, fleet))
}

/// The user's events.
fn events(args: &ProcedureArgs) -> Result<GivenEvents> {
    for (at, event) in args.event.iter().enumerate() {
        if args.event[..at].iter().any(|other| other.name == event.name) {
            bail!("--event '{}: …' is given twice", plain(&event.name));
        }
    }
    Ok(GivenEvents { events: args.event.clone(), at: args.event_at, limit: args.event_limit })
}

/// `; its events are rebuild, failover`.
fn its_events(steps: &[Step]) -> String {
    match event_names(steps).as_slice() {
        [] => "; its events: none".to_owned(),
        names => format!("; its events are {}", names.join(", ")),
    }
}

/// Receives the events.
type Tell<'a> = &'a mut dyn FnMut(&ProcedureEvent<'_>);

fn carry_out(
    args: &ProcedureArgs,
    work: impl FnOnce(Manner<'_>, Tell<'_>) -> Result<ProcedureEnd, ProcedureError>,
) -> Result<u8> {
    let interrupt = Interrupt::listen().context("cannot listen for Ctrl-C")?;
    let program = std::env::current_exe().context("cannot find the Reelgauge program file")?;
    let is_quiet = args.output.quiet || args.output.json;
    let forecast: fn(&[OsString]) -> Option<Forecast> = |words| forecast_of(words).ok().flatten();
    let manner = Manner { program: &program, shows_progress: !is_quiet, interrupt: &interrupt, forecast };
    let mut told_at = Instant::now();
    let mut tell = |event: &ProcedureEvent<'_>| tell(event, is_quiet, &mut told_at);
    let ended = match work(manner, &mut tell) {
        Ok(ended) => ended,
        Err(error) => {
            let code = error.exit_code();
            screen::complain(&error.into());
            return Ok(code);
        }
    };
    if let Some(error) = ended.ballast_left {
        let error = anyhow::Error::from(error);
        screen::complain(&error.context("the ballast is still there; 'reelgauge clean' removes it"));
    }
    print(&ended.record, &ended.dir, args.output.json)?;
    Ok(ended.exit_code)
}

fn tell(event: &ProcedureEvent<'_>, is_quiet: bool, told_at: &mut Instant) {
    let line = match event {
        ProcedureEvent::Waiting(waiting) => super::prove::waiting_words(waiting),
        _ if is_quiet => return,
        ProcedureEvent::Begins { number, of, row } => step_line(Some((*number, *of)), &row.name, row.round),
        ProcedureEvent::Restores(row) => step_line(None, &row.name, row.round),
        ProcedureEvent::Written(bytes) => {
            if *bytes == 0 || told_at.elapsed() < TOLD_EVERY {
                return;
            }
            *told_at = Instant::now();
            written_line(*bytes)
        }
    };
    // If standard error is closed, the message is lost.
    let _ = writeln!(std::io::stderr(), "{}", screen::fitted(&line));
}

/// Prints a procedure that ran before, and writes its table and page. Returns the exit status.
pub fn again(args: &ReportArgs, dir: &Path) -> Result<u8> {
    has_table_and_page_alone(args, dir, "procedure", "step")?;
    let record = ProcedureRecord::read(dir)?;
    if let Some(folder) = &args.csv {
        write_tables(&record, dir, folder)
            .with_context(|| format!("cannot write CSV files into {}", folder.display()))?;
    }
    if let Some(file) = &args.html {
        write_page(&record, dir, file)?;
    }
    print(&record, dir, args.json)?;
    Ok(0)
}

/// The table of all runs, and the tables of each in a separate folder.
fn write_tables(record: &ProcedureRecord, dir: &Path, folder: &Path) -> Result<()> {
    std::fs::create_dir_all(folder)?;
    write_named(&folder.join("procedure.csv"), |out| out.write_all(procedure_table(record, dir).as_bytes()))?;
    if let Some(states) = states_table(record, dir) {
        write_named(&folder.join("states.csv"), |out| out.write_all(states.as_bytes()))?;
    }
    for (row, summary) in record.rows.iter().zip(summaries(record, dir)) {
        if let (Some(run), Some(summary)) = (&row.run, summary) {
            super::csv_tables::write_tables(&summary, &folder.join(run))?;
        }
    }
    Ok(())
}

/// All runs on one page: compared if there are several, the latest if there are more than a page holds.
fn write_page(record: &ProcedureRecord, dir: &Path, file: &Path) -> Result<()> {
    let runs: Vec<PathBuf> = record.rows.iter().filter_map(|row| Some(dir.join(row.run.as_ref()?))).collect();
    let runs = &runs[runs.len().saturating_sub(RUNS_MAX)..];
    let mut page = match runs {
        [] => bail!("{} has no run yet", shell_word(dir)),
        [run] => page(reelgauge_report::html::page::PageKind::Run, vec![run_page(run, &|| false)?], None),
        runs => compare_page(runs, &compare_runs(runs, None)?, &|| false)?,
    };
    page.sections.splice(0..0, states_on_page(record, dir));
    Ok(write_html(&page, file)?)
}

/// The output of `--json`.
#[derive(Serialize)]
struct Printed<'a> {
    #[serde(flatten)]
    record: &'a ProcedureRecord,
    dir: &'a Path,
}

fn print(record: &ProcedureRecord, dir: &Path, as_json: bool) -> Result<()> {
    let text = match as_json {
        true => {
            let conclusion = conclude(record, &summaries(record, dir));
            let mut record = record.clone();
            record.conclusion = conclusion;
            let record = &record;
            format!("{}\n", serde_json::to_string_pretty(&Printed { record, dir })?)
        }
        false => procedure_text(record, dir, screen::style()),
    };
    Ok(std::io::stdout().write_all(text.as_bytes())?)
}
