//! `reelgauge scenarios`: what is in the catalogue, and how to run it.

use std::io::Write;

use anyhow::Result;
use reelgauge_workload::scenario::scenarios as all;

/// Lists the scenarios. The exit code.
pub fn scenarios() -> Result<u8> {
    let mut out = std::io::stdout().lock();
    for scenario in all() {
        writeln!(out, "{:<16} {}", scenario.name, scenario.what)?;
    }
    writeln!(out, "\nRun one: reelgauge run newsroom --target PATH [--scale 2 | --find-max]")?;
    Ok(0)
}
