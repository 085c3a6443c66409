//! `reelgauge fleet clean`: the leftovers of a fleet's earlier runs, listed or removed.

use std::io::Write;

use anyhow::{Result, ensure};
use reelgauge_fleet::controller::clean::{CleanRequest, clean};
use reelgauge_fleet::controller::preflight::PreflightError;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_report::doctor::harmless;
use reelgauge_report::fleet_clean::{LeftoversOf, fleet_clean_screen};
use reelgauge_report::fleet_doctor::NoAnswer;
use reelgauge_runner::exit_code::INTERRUPTED;
use reelgauge_runner::interrupt::Interrupt;
use serde::Serialize;

use crate::cli::FleetCleanArgs;
use crate::screen;

/// The result, for programs.
#[derive(Serialize)]
struct Written<'a> {
    left: &'a [LeftoversOf],
    /// The agents that did not answer, and why.
    no_answer: &'a [NoAnswer],
}

/// Cleans a fleet, or lists the leftovers. Returns the exit status.
pub fn clean_up(args: &FleetCleanArgs) -> Result<u8> {
    let site = FleetSite::open(&args.fleet)?;
    let request = CleanRequest { runs: &args.runs, removes: args.yes, within: args.wait.duration() };
    let interrupt = Interrupt::listen()?;
    let round = match clean(&site, &request, interrupt.flag()) {
        Err(PreflightError::Interrupted) => return Ok(INTERRUPTED),
        round => round?,
    };
    let each = || round.left.iter().flat_map(|of| &of.leftovers);
    if round.silent.is_empty() {
        let unknown: Vec<&str> = args
            .runs
            .iter()
            .filter(|run| !each().any(|left| left.name == **run))
            .map(String::as_str)
            .collect();
        ensure!(
            unknown.is_empty(),
            "no files of {} were found; list runs with 'reelgauge fleet clean'",
            unknown.join(", ")
        );
    }
    let text = match args.json {
        true => {
            let written = Written { left: &round.left, no_answer: &round.silent };
            harmless(&serde_json::to_string_pretty(&written)?) + "\n"
        }
        false => {
            let version = env!("CARGO_PKG_VERSION");
            fleet_clean_screen(&round.left, &round.silent, args.yes, (version, screen::style()))
        }
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(u8::from(!round.silent.is_empty() || each().any(|left| left.why_not.is_some())))
}
