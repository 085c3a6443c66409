//! `reelgauge fleet doctor`: settings that are bad for media on the hosts of a fleet.

use std::io::Write;

use anyhow::{Result, bail};
use reelgauge_analysis::preflight::differences::Difference;
use reelgauge_doctor::multi_host::{CombinedResults, together};
use reelgauge_fleet::controller::doctor::{DoctorHeard, examine};
use reelgauge_fleet::controller::preflight::PreflightError;
use reelgauge_fleet::fleet_site::agent_name::AgentName;
use reelgauge_fleet::fleet_site::directory::FleetSite;
use reelgauge_report::doctor::harmless;
use reelgauge_report::fleet_doctor::{NoAnswer, fleet_doctor_screen};
use reelgauge_runner::exit_code::INTERRUPTED;
use reelgauge_runner::interrupt::Interrupt;
use serde::Serialize;

use crate::cli::FleetDoctorArgs;
use crate::screen;

/// The result, for programs.
#[derive(Serialize)]
struct Written<'a> {
    #[serde(flatten)]
    found: &'a CombinedResults,
    /// The agents that did not answer, and why.
    no_answer: &'a [NoAnswer],
    /// The differences between the hosts.
    differences: &'a [Difference],
}

/// Asks the agents of a fleet. Returns the exit status.
pub fn doctor(args: &FleetDoctorArgs) -> Result<u8> {
    let site = FleetSite::open(&args.fleet)?;
    let is_known = |name: &AgentName| site.register().agents.iter().any(|member| member.name == *name);
    if let Some(unknown) = args.agents.iter().find(|name| !is_known(name)) {
        bail!("{unknown} is not an agent of this fleet; list the agents with 'reelgauge fleet ls'");
    }
    let interrupt = Interrupt::listen()?;
    let round = match examine(&site, &args.agents, args.wait.duration(), interrupt.flag()) {
        Err(PreflightError::Interrupted) => return Ok(INTERRUPTED),
        round => round?,
    };
    let (mut said, mut silent) = (Vec::new(), Vec::new());
    for DoctorHeard { agent, said: heard } in round.heard {
        match heard {
            Ok(host) => said.push((agent, host)),
            Err(why) => silent.push(NoAnswer { agent, why }),
        }
    }
    let found = together(&said);
    let text = match args.json {
        true => {
            let written = Written { found: &found, no_answer: &silent, differences: &round.differences };
            harmless(&serde_json::to_string_pretty(&written)?) + "\n"
        }
        false => {
            let style = (env!("CARGO_PKG_VERSION"), screen::style());
            fleet_doctor_screen(&found, &silent, &round.differences, style)
        }
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(u8::from(found.is_grave() || !silent.is_empty() || !found.not_looked.is_empty()))
}
