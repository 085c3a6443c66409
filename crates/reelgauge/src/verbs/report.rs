//! `reelgauge report`: prints a run again, from its directory alone.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result};
use reelgauge_analysis::Summary;
use reelgauge_report::{Detail, Tables, load_points_csv, paper_csv, series_csv, streams_csv};
use reelgauge_runner::reopen::reopen;

use crate::cli::ReportArgs;
use crate::screen;

/// Prints a run. The exit code.
pub fn report(args: &ReportArgs) -> Result<u8> {
    let summary = reopen(&args.run)?;
    if let Some(folder) = &args.csv {
        write_csv(&summary, folder)
            .with_context(|| format!("cannot write CSV files into {}", folder.display()))?;
    }
    let text = if args.json {
        summary.to_json()?
    } else {
        let tables = if args.tables { Tables::Every } else { Tables::Last };
        let detail = if args.workers { Detail::PerWorker } else { Detail::Normal };
        screen::of(&summary, tables, detail, None)
    };
    std::io::stdout().write_all(text.as_bytes())?;
    Ok(0)
}

fn write_csv(summary: &Summary, folder: &Path) -> Result<()> {
    fs::create_dir_all(folder)?;
    load_points_csv(summary, File::create(folder.join("load-points.csv"))?)?;
    paper_csv(summary, File::create(folder.join("paper-tables.csv"))?)?;
    streams_csv(summary, File::create(folder.join("streams.csv"))?)?;
    series_csv(summary, File::create(folder.join("seconds.csv"))?)?;
    Ok(())
}
