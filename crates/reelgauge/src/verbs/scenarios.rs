//! `reelgauge scenarios`: the scenarios of the catalogue, and how to run them.

use std::io::Write;

use anyhow::Result;
use reelgauge_report::text::wrap;
use reelgauge_workload::scenario::scenarios as all;
use serde_json::json;

use crate::cli::ScenariosArgs;
use crate::screen;

/// Lists the scenarios. Returns the exit status.
pub fn scenarios(args: &ScenariosArgs) -> Result<u8> {
    let mut out = std::io::stdout().lock();
    if args.json {
        let list: Vec<_> = all().iter().map(|one| json!({"name": one.name, "what": one.what})).collect();
        writeln!(out, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(0);
    }
    let width = screen::style().width;
    let names = all().iter().map(|one| one.name.chars().count()).max().unwrap_or(0);
    writeln!(out, "{:<names$}  WHAT", "NAME")?;
    for scenario in all() {
        let line = format!("{:<names$}", scenario.name);
        let what = wrap(scenario.what, width.saturating_sub(names + 2), 0);
        for (at, part) in what.lines().enumerate() {
            writeln!(out, "{:<names$}  {part}", if at == 0 { line.as_str() } else { "" })?;
        }
    }
    let next = "Run one: reelgauge run newsroom --target PATH [--scale 2 | --find-max]";
    writeln!(out, "\n{}", wrap(next, width, 0))?;
    Ok(0)
}
